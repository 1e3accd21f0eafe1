/* key.c - `gizmoctl key`: makes the keys that tokens are signed with, without a daemon. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ctl.h"
#include "proto/token/keys.h"

static const struct gz_arg_option options[] = {
    {"--algorithm", GZ_ARG_TEXT, "NAME",
     .help = "algorithm of the new key: HS256, RS256, PS256 or ES256 (ES256)"},
    {"--public", .help = "print the public parts of the keys of FILE, and make no key"},
    {0},
};

/* The bytes of a file, for free(); none, and *bytes NULL, if it does not exist. */
static enum gz_status read_file(const char *path, char **bytes, size_t *size,
                                struct gz_error *error)
{
    *bytes = NULL;
    *size = 0;
    FILE *file = fopen(path, "re");
    if (file == NULL && errno == ENOENT) return GZ_OK;
    if (file == NULL) return gz_fail(error, GZ_INTERNAL, "%s: %s", path, strerror(errno));
    *bytes = malloc(GZ_KEYS_BYTES_MAX + 1);
    if (*bytes != NULL) *size = fread(*bytes, 1, GZ_KEYS_BYTES_MAX + 1, file);
    bool failed = ferror(file) != 0;
    fclose(file);
    if (*bytes == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory");
    if (failed) return gz_fail(error, GZ_INTERNAL, "%s: cannot read the file", path);
    if (*size > GZ_KEYS_BYTES_MAX)
        return gz_fail(error, GZ_TOO_LARGE, "%s: longer than %d bytes", path, GZ_KEYS_BYTES_MAX);
    return GZ_OK;
}

/* Makes the new text of the file from the old one. */
static enum gz_status make_text(const struct ctl_args *args, const char *old, size_t size,
                                struct gz_buffer *text, struct gz_error *error)
{
    const char *path = args->operands[0];
    const struct gz_arg *algorithm = ctl_get(args, "--algorithm");
    struct gz_error inner = {0};
    if (old == NULL && ctl_get(args, "--public")->given)
        return gz_fail(error, GZ_INTERNAL, "%s: %s", path, strerror(ENOENT));
    enum gz_status status =
        ctl_get(args, "--public")->given
            ? gz_keys_publish(old, size, text, &inner)
            : gz_keys_add(old, size, algorithm->given ? algorithm->text : "ES256", ctl_when_now(),
                          text, &inner);
    return status == GZ_OK ? GZ_OK : gz_fail(error, status, "%s: %s", path, inner.message);
}

static enum gz_status give(const struct ctl_args *args, const struct gz_buffer *text,
                           struct gz_error *error)
{
    if (!ctl_get(args, "--public")->given)
        return ctl_write_secret(args->operands[0], text->data, text->size, error);
    fwrite(text->data, 1, text->size, stdout);
    return GZ_OK;
}

static enum ctl_exit run(const struct ctl_args *args)
{
    if (ctl_get(args, "--public")->given && ctl_get(args, "--algorithm")->given)
        return ctl_usage(args, "--algorithm and --public: give only one of them");
    struct gz_error error = {0};
    struct gz_buffer text;
    char *old;
    size_t size;
    gz_buffer_init(&text, GZ_KEYS_BYTES_MAX, 0);
    enum gz_status status = read_file(args->operands[0], &old, &size, &error);
    if (status == GZ_OK) status = make_text(args, old, size, &text, &error);
    if (status == GZ_OK) status = give(args, &text, &error);
    free(old);
    gz_buffer_finish(&text);
    if (status == GZ_OK && ctl_get(args, "--public")->given) return ctl_finish_output(args);
    return ctl_finish(args, status, &error);
}

const struct ctl_command ctl_key = {
    .usage.name = "key",
    .usage.operands = "FILE",
    .usage.summary = "Makes a file of keys (a JWKS), or adds a new key to the front of an existing "
                     "file. Needs no daemon.",
    .usage.notes =
        "The first key signs; every key verifies. Only the owner may read a new file. To change "
        "keys: run gizmoctl key FILE, and send SIGHUP to the daemons. Once the tokens of the old "
        "key have expired, delete it from FILE, and send SIGHUP again.",
    .usage.options = options,
    .run = run,
};
