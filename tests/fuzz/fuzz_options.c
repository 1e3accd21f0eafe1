/* fuzz_options.c - any lines as the words of gizmod's command line: they are taken, with numbers
 * that can be used, or refused with words, and nothing is read beside them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/options.h"

#define WORDS_MAX 64

#define require(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) abort();                                                                 \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_taken(const struct gz_options *options)
{
    require(options->data != NULL && memchr(options->address, 0, sizeof options->address) != NULL);
    require(isfinite(options->messages_per_s) && options->messages_per_s > 0);
    require(isfinite(options->ping_s) && options->ping_s > 0);
    require(isfinite(options->silence_s) && options->silence_s > 0);
    require(options->origin_count <= GZ_ORIGINS_MAX && options->proxy_count <= GZ_PROXIES_MAX);
    require(options->admin_count <= GZ_ADMINS_MAX);
    require((options->cert == NULL) == (options->key == NULL));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[1024], *words[WORDS_MAX + 2] = {"gizmod"};
    int count = 1;
    if (size >= sizeof text) return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    for (char *word = strtok(text, "\n"); word != NULL && count <= WORDS_MAX;
         word = strtok(NULL, "\n"))
        words[count++] = word;
    struct gz_options *options;
    struct gz_error error = {.message = ""};
    enum gz_status status = gz_options_create(&options, count, words, &error);
    if (status == GZ_OK)
        check_taken(options);
    else
        require(status == GZ_BAD_VALUE && error.message[0] != '\0');
    gz_options_destroy(options);
    return 0;
}
