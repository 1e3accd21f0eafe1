/* gate.c - checks a scene's file, and the files beside it, before they are opened. */
#include "store/gate.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/maxima.h"

/* The suffixes of the files that SQLite and the owner keep beside a scene's file. */
static const char *const endings[] = {"", "-wal", "-shm", "-journal", ".owner"};
#define ENDING_COUNT (sizeof endings / sizeof endings[0])

const char *gz_db_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* The suffixes of files that may hold changes that the scene's file does not have. */
static const char *const logs[] = {"-wal", "-journal"};

/* Whether a log of at least `bytes` exists, from this one on; true without memory. */
static bool has_log_of(const char *path, off_t bytes, size_t first)
{
    bool there = false;
    for (size_t i = first; i < sizeof logs / sizeof logs[0] && !there; i++) {
        char *file;
        struct stat found;
        if (asprintf(&file, "%s%s", path, logs[i]) < 0) return true;
        there = lstat(file, &found) == 0 && found.st_size >= bytes;
        free(file);
    }
    return there;
}

bool gz_has_log(const char *path)
{
    return has_log_of(path, 0, 0);
}

bool gz_log_holds(const char *path)
{
    return has_log_of(path, 1, 0);
}

bool gz_journal_holds(const char *path)
{
    return has_log_of(path, 1, 1);
}

bool gz_can_write(const char *path)
{
    char *copy = strdup(path);
    bool can = copy != NULL && access(path, W_OK) == 0 && access(dirname(copy), W_OK) == 0;
    free(copy);
    return can;
}

const char *gz_gate_fault(const struct stat *file, enum gz_gate_owner owner)
{
    if (S_ISLNK(file->st_mode)) return "it is a link; put the file itself there";
    if (!S_ISREG(file->st_mode)) return "it is not a regular file";
    if (owner != GZ_GATE_ANY && file->st_uid != geteuid() && file->st_uid != 0)
        return "it belongs to another user; use chown, or a copy";
    if (file->st_size > GZ_FILE_BYTES_MAX) return "it is larger than a scene may be";
    return NULL;
}

enum gz_status gz_gate_check(const char *path, enum gz_gate_owner owner, bool may_be_missing,
                             struct gz_error *error)
{
    char *file = NULL;
    enum gz_status status = GZ_OK;
    for (size_t i = 0; status == GZ_OK && i < ENDING_COUNT; i++) {
        struct stat found;
        if (asprintf(&file, "%s%s", path, endings[i]) < 0)
            return gz_fail(error, GZ_NO_MEMORY, "no memory");
        const char *name = gz_db_file_name(file);
        bool is_there = lstat(file, &found) == 0;
        const char *fault = is_there ? gz_gate_fault(&found, owner) : NULL;
        if (is_there && fault == NULL && found.st_nlink > 1 && owner != GZ_GATE_ANY &&
            gz_can_write(path))
            fault = GZ_GATE_LINKED;
        if (fault != NULL) status = gz_fail(error, GZ_STORAGE, "%s: %s", name, fault);
        if (!is_there && i == 0 && !(may_be_missing && errno == ENOENT))
            status = gz_fail(error, errno == ENOENT ? GZ_UNKNOWN_SCENE : GZ_STORAGE, "%s: %s", name,
                             strerror(errno));
        free(file);
    }
    return status;
}

bool gz_named_file_init(struct gz_named_file *file, const char *path)
{
    struct stat found;
    if (stat(path, &found) != 0) return false;
    *file = (struct gz_named_file){path, found.st_ino, found.st_dev};
    return true;
}

bool gz_named_file_is_there(const struct gz_named_file *file, uint64_t *bytes)
{
    struct stat found;
    if (stat(file->path, &found) != 0 || found.st_ino != file->inode ||
        found.st_dev != file->device)
        return false;
    if (bytes != NULL) *bytes = (uint64_t)found.st_size;
    return true;
}
