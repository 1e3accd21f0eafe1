/* file_check.c - which files may be opened as a scene, and the lock by which one process owns each.
 */
#include "store/file_check.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/maxima.h"

/* ---- which files ---- */

/* Checks a scene's file, and the files beside it, before they are opened. */

/* The suffixes of the files that SQLite and the owner keep beside a scene's file. */
static const char *const endings[] = {"", "-wal", "-shm", "-journal", GZ_LOCK_FILE_ENDING};
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

const char *gz_file_fault(const struct stat *file, enum gz_file_owner owner)
{
    if (S_ISLNK(file->st_mode)) return "it is a link; put the file itself there";
    if (!S_ISREG(file->st_mode)) return "it is not a regular file";
    if (owner != GZ_FILE_ANY && file->st_uid != geteuid() && file->st_uid != 0)
        return "it belongs to another user; use chown, or a copy";
    if (file->st_size > GZ_FILE_BYTES_MAX) return "it is larger than a scene may be";
    return NULL;
}

enum gz_status gz_file_check(const char *path, enum gz_file_owner owner, bool may_be_missing,
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
        const char *fault = is_there ? gz_file_fault(&found, owner) : NULL;
        if (is_there && fault == NULL && found.st_nlink > 1 && owner != GZ_FILE_ANY &&
            gz_can_write(path))
            fault = GZ_FILE_LINKED;
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

/* ---- the lock of the owner ---- */

/* Takes and gives back the lock on NAME.db.owner. */

/* One second in all. */
#define BRIEF_TRIES 1000
#define BRIEF_STEP_US 1000

/* Whether the locked file still has its name: the owner before removes it on leaving, perhaps after
 * it was opened here. */
static bool is_still_there(int descriptor, const char *path)
{
    struct stat ours, there;
    return fstat(descriptor, &ours) == 0 && stat(path, &there) == 0 &&
           ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
}

static enum gz_status fail_taken(int descriptor, const char *database, struct gz_error *error)
{
    char pid[16] = "";
    ssize_t size = pread(descriptor, pid, sizeof pid - 1, 0);
    pid[size > 0 ? strcspn(pid, "\n") : 0] = '\0';
    return gz_fail(error, GZ_BAD_STATE, "%s is open in another server%s%s",
                   gz_db_file_name(database), pid[0] != '\0' ? ", process " : "", pid);
}

/* Refuses a file that may be anything else, because its content is replaced. */
static const char *find_fault(int descriptor)
{
    struct stat file;
    if (fstat(descriptor, &file) != 0) return strerror(errno);
    return file.st_nlink > 1 ? GZ_FILE_LINKED : gz_file_fault(&file, GZ_FILE_OURS);
}

/* Waits for a reader, which owns the file for a moment and writes no process id. */
static int take(int descriptor)
{
    struct stat file;
    int result = flock(descriptor, LOCK_EX | LOCK_NB);
    for (int i = 0; i < BRIEF_TRIES && result != 0 && errno == EWOULDBLOCK &&
                    fstat(descriptor, &file) == 0 && file.st_size == 0;
         i++) {
        usleep(BRIEF_STEP_US);
        result = flock(descriptor, LOCK_EX | LOCK_NB);
    }
    return result;
}

static enum gz_status lock(struct gz_lock_file *owner, const char *database, struct gz_error *error)
{
    do {
        if (owner->descriptor >= 0) close(owner->descriptor);
        owner->descriptor =
            open(owner->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
        if (owner->descriptor < 0)
            return gz_fail(error, GZ_STORAGE, "%s: %s", gz_db_file_name(owner->path),
                           strerror(errno));
        const char *fault = find_fault(owner->descriptor);
        if (fault != NULL)
            return gz_fail(error, GZ_STORAGE, "%s: %s", gz_db_file_name(owner->path), fault);
        if (take(owner->descriptor) != 0) {
            if (errno == EWOULDBLOCK) return fail_taken(owner->descriptor, database, error);
            return gz_fail(error, GZ_STORAGE, "%s: %s", gz_db_file_name(owner->path),
                           strerror(errno));
        }
    } while (!is_still_there(owner->descriptor, owner->path));
    return GZ_OK;
}

/* Other processes name the process id in their error; on a full disk it is missing. */
static void write_pid(int descriptor, bool is_brief)
{
    if (ftruncate(descriptor, 0) == 0 && !is_brief) dprintf(descriptor, "%ld\n", (long)getpid());
}

static enum gz_status init(struct gz_lock_file *owner, const char *database, bool is_brief,
                           struct gz_error *error)
{
    owner->descriptor = -1;
    if (asprintf(&owner->path, "%s" GZ_LOCK_FILE_ENDING, database) < 0) {
        owner->path = NULL;
        return gz_fail(error, GZ_NO_MEMORY, "no memory");
    }
    enum gz_status status = lock(owner, database, error);
    if (status == GZ_OK) {
        write_pid(owner->descriptor, is_brief);
        return GZ_OK;
    }
    if (owner->descriptor >= 0) close(owner->descriptor);
    owner->descriptor = -1;
    gz_lock_file_finish(owner);
    return status;
}

enum gz_status gz_lock_file_init(struct gz_lock_file *owner, const char *database,
                                 struct gz_error *error)
{
    return init(owner, database, false, error);
}

enum gz_status gz_lock_file_init_brief(struct gz_lock_file *owner, const char *database,
                                       struct gz_error *error)
{
    return init(owner, database, true, error);
}

void gz_lock_file_finish(struct gz_lock_file *owner)
{
    if (owner->descriptor >= 0) {
        unlink(owner->path);
        close(owner->descriptor);
        owner->descriptor = -1;
    }
    free(owner->path);
    owner->path = NULL;
}
