/* file.c - writes files, which appear only once they are complete: downloads, and secrets. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl.h"
#include "proto/limits.h"

/* A file that takes its name only once it is complete. */
struct draft {
    const char *name;
    bool keeps; /* an existing file of that name is not replaced */
    char *temporary;
    FILE *stream;
};

/* Opens the draft of a file with these rights, and deletes what an earlier run left. */
static FILE *open_new(const char *path, mode_t mode)
{
    unlink(path);
    int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    FILE *stream = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    if (descriptor >= 0 && stream == NULL) close(descriptor);
    return stream;
}

static enum gz_status draft_open(struct draft *draft, const char *name, mode_t mode,
                                 struct gz_error *error)
{
    *draft = (struct draft){.name = name};
    if (asprintf(&draft->temporary, "%s.part", name) < 0)
        return gz_fail(error, GZ_NO_MEMORY, "no memory");
    draft->stream = open_new(draft->temporary, mode);
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

static enum gz_status refuse_existing(const char *name, struct gz_error *error)
{
    return gz_fail(error, GZ_CONFLICT, "%s exists already; to replace it, use --replace", name);
}

/* A file system that cannot refuse by itself is asked before. */
static int take_name(const struct draft *draft)
{
    if (!draft->keeps) return rename(draft->temporary, draft->name);
    int result = renameat2(AT_FDCWD, draft->temporary, AT_FDCWD, draft->name, RENAME_NOREPLACE);
    if (result == 0 || (errno != EINVAL && errno != ENOSYS)) return result;
    errno = EEXIST;
    return access(draft->name, F_OK) == 0 ? -1 : rename(draft->temporary, draft->name);
}

/* Renames the draft to its file if all went well, else deletes it. */
static enum gz_status draft_close(struct draft *draft, enum gz_status status,
                                  struct gz_error *error)
{
    bool written = fclose(draft->stream) == 0;
    if (status == GZ_OK && (!written || take_name(draft) != 0))
        status = errno == EEXIST && draft->keeps
                     ? refuse_existing(draft->name, error)
                     : gz_fail(error, GZ_INTERNAL, "%s: %s", draft->name, strerror(errno));
    if (status != GZ_OK) unlink(draft->temporary);
    free(draft->temporary);
    return status;
}

/* The sink of a download to stdout. */
static enum gz_status handle_output(void *context, const void *bytes, size_t size)
{
    (void)context;
    return fwrite(bytes, 1, size, stdout) == size ? GZ_OK : GZ_INTERNAL;
}

enum ctl_exit ctl_print_download(const struct ctl_args *args, const char *path)
{
    struct gz_error error = {0};
    const struct gz_http http = {.method = "GET", .path = path, .sink = handle_output};
    const enum gz_status status = ctl_http_to_sink(args, http, &error);
    if (ferror(stdout)) return ctl_finish_output(args);
    return status == GZ_OK ? ctl_finish_output(args) : ctl_fail(args, &error);
}

enum gz_status ctl_fetch(const struct ctl_args *args, const char *path, const char *file,
                         bool replace, struct gz_error *error)
{
    struct draft draft;
    char dropped[GZ_DROPPED_BYTES] = "";
    enum gz_status status = !replace && access(file, F_OK) == 0
                                ? refuse_existing(file, error)
                                : draft_open(&draft, file, 0666, error);
    if (status == GZ_OK) {
        draft.keeps = !replace;
        const struct gz_http http = {.method = "GET",
                                     .path = path,
                                     .sink = handle_piece,
                                     .context = &draft,
                                     .dropped = dropped,
                                     .dropped_bytes = sizeof dropped};
        status = draft_close(&draft, ctl_http_to_sink(args, http, error), error);
    }
    if (status == GZ_OK && dropped[0] != '\0') {
        char words[GZ_DROPPED_BYTES + 96];
        (void)snprintf(words, sizeof words,
                       "left out %s: the joints no longer have a common root in the scene",
                       dropped);
        ctl_warn(args, words);
    }
    return status;
}

enum ctl_exit ctl_download(const struct ctl_args *args, const char *path, const char *file,
                           bool replace)
{
    struct gz_error error = {0};
    const enum gz_status status = ctl_fetch(args, path, file, replace, &error);
    return ctl_finish(args, status, &error);
}

/* ---- copies ---- */

static enum gz_status copy_bytes(FILE *from, const char *name, FILE *to, struct gz_error *error)
{
    char bytes[65536];
    size_t size = 0;
    bool is_written = true;
    while (is_written && (size = fread(bytes, 1, sizeof bytes, from)) > 0)
        is_written = fwrite(bytes, 1, size, to) == size;
    if (!is_written || ferror(from) || fflush(to) != 0 || fsync(fileno(to)) != 0)
        return gz_fail(error, GZ_INTERNAL, "%s: %s", name, strerror(errno));
    return GZ_OK;
}

/* So that the name is there after a loss of power, too. */
static enum gz_status keep_name(const char *folder, struct gz_error *error)
{
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool is_kept = descriptor >= 0 && fsync(descriptor) == 0;
    if (descriptor >= 0) close(descriptor);
    return is_kept ? GZ_OK : gz_fail(error, GZ_INTERNAL, "%s: %s", folder, strerror(errno));
}

enum gz_status ctl_put_copy(const char *from, const char *folder, const char *file,
                            struct gz_error *error)
{
    struct draft draft;
    struct stat owner;
    FILE *source = fopen(from, "rbe");
    if (source == NULL) return gz_fail(error, GZ_INTERNAL, "%s: %s", from, strerror(errno));
    enum gz_status status = stat(folder, &owner) == 0
                                ? draft_open(&draft, file, 0600, error)
                                : gz_fail(error, GZ_INTERNAL, "%s: %s", folder, strerror(errno));
    if (status == GZ_OK) {
        draft.keeps = true;
        /* only root can give it away; others are the owner, or the daemon will refuse it */
        if (geteuid() == 0 && fchown(fileno(draft.stream), owner.st_uid, owner.st_gid) != 0)
            status = gz_fail(error, GZ_INTERNAL, "%s: %s", file, strerror(errno));
        if (status == GZ_OK) status = copy_bytes(source, from, draft.stream, error);
        status = draft_close(&draft, status, error);
    }
    fclose(source);
    if (status == GZ_CONFLICT)
        return gz_fail(error, GZ_CONFLICT, "%s exists already; choose another name", file);
    return status == GZ_OK ? keep_name(folder, error) : status;
}

/* Keeps the file's owner, so that a daemon with another user or group can still read it. */
static bool keep_owner(const struct draft *draft)
{
    struct stat old;
    int descriptor = fileno(draft->stream);
    return stat(draft->name, &old) != 0 || (fchown(descriptor, old.st_uid, old.st_gid) == 0 &&
                                            fchmod(descriptor, old.st_mode & 07777) == 0);
}

enum gz_status ctl_write_secret(const char *file, const void *bytes, size_t size,
                                struct gz_error *error)
{
    struct draft draft;
    enum gz_status status = draft_open(&draft, file, 0600, error);
    if (status != GZ_OK) return status;
    if (!keep_owner(&draft) || fwrite(bytes, 1, size, draft.stream) != size ||
        fflush(draft.stream) != 0 || fsync(fileno(draft.stream)) != 0)
        status = gz_fail(error, GZ_INTERNAL, "%s: %s", file, strerror(errno));
    return draft_close(&draft, status, error);
}
