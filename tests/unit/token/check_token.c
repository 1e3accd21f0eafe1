/* check_token.c - for tests in other languages: says of each token of stdin, a line each, what it
 * claims, as JSON, or why it is refused.
 *     check_token KEYS AUDIENCE UNIX_S */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/token/token.h"

static void print_claims(const struct gz_claims *claims)
{
    json_t *scenes = json_array();
    for (size_t i = 0; i < claims->scene_count; i++)
        json_array_append_new(scenes, json_string(claims->scenes[i]));
    const char *role =
        claims->has_role ? gz_vocabulary_word(&gz_role_words, (int)claims->role) : NULL;
    json_t *json = json_pack("{s:s, s:s, s:s*, s:f, s:b, s:o}", "user", claims->user, "name",
                             claims->name, "role", role, "expires", claims->expires_unix_s, "guest",
                             claims->is_guest, "scenes", scenes);
    json_dumpf(json, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(json);
}

int main(int argc, char **argv)
{
    struct gz_keys *keys;
    struct gz_error error = {0};
    if (argc != 4) return 2;
    if (gz_keys_load(argv[1], &keys, &error) != GZ_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    char line[4 * GZ_TOKEN_BYTES_MAX];
    while (fgets(line, sizeof line, stdin) != NULL) {
        struct gz_claims claims;
        struct gz_text token = {line, strcspn(line, "\n")};
        if (gz_token_verify(keys, argv[2], token, atof(argv[3]), &claims, &error) == GZ_OK)
            print_claims(&claims);
        else
            puts(error.message);
    }
    gz_keys_destroy(keys);
    return 0;
}
