/* file.c - downloads into a file, which appears only once it is complete. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl.h"
#include "proto/limits.h"

/* A file that takes its name only once it is whole. */
struct draft {
    const char *name;
    char *temporary;
    FILE *stream;
};

static enum gz_status draft_open(struct draft *draft, const char *name, struct gz_error *error)
{
    *draft = (struct draft){.name = name};
    if (asprintf(&draft->temporary, "%s.part", name) < 0)
        return gz_fail(error, GZ_NO_MEMORY, "no memory");
    draft->stream = fopen(draft->temporary, "wb");
    if (draft->stream != NULL) return GZ_OK;
    gz_fail(error, GZ_INTERNAL, "%s: %s", draft->temporary, strerror(errno));
    free(draft->temporary);
    return GZ_INTERNAL;
}

static enum gz_status handle_piece(void *context, const void *bytes, size_t size)
{
    struct draft *draft = context;
    return fwrite(bytes, 1, size, draft->stream) == size ? GZ_OK : GZ_INTERNAL;
}

/* Ends it: under its own name if all went well so far, else not at all. */
static enum gz_status draft_close(struct draft *draft, enum gz_status status,
                                  struct gz_error *error)
{
    bool written = fclose(draft->stream) == 0;
    if (status == GZ_OK && (!written || rename(draft->temporary, draft->name) != 0))
        status = gz_fail(error, GZ_INTERNAL, "%s: %s", draft->name, strerror(errno));
    if (status != GZ_OK) unlink(draft->temporary);
    free(draft->temporary);
    return status;
}

enum ctl_exit ctl_download(const struct ctl_args *args, const char *path, const char *file)
{
    struct draft draft;
    struct gz_error error = {0};
    char dropped[GZ_DROPPED_BYTES] = "";
    enum gz_status status = draft_open(&draft, file, &error);
    if (status == GZ_OK) {
        struct gz_http http = {
            .url = args->server,
            .method = "GET",
            .path = path,
            .token = args->token,
            .sink = handle_piece,
            .context = &draft,
            .dropped = dropped,
            .dropped_bytes = sizeof dropped,
        };
        status = draft_close(&draft, gz_http_perform(&http, &error), &error);
    }
    if (status == GZ_OK && dropped[0] != '\0')
        fprintf(stderr,
                "gizmoctl export: left out, because its joints no longer have a common root in the "
                "scene: %s\n",
                dropped);
    return status == GZ_OK ? CTL_OK : ctl_fail(args, &error);
}
