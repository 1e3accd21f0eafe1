/* owner.c - takes and gives back the lock on NAME.db.owner. */
#include "store/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/gate.h"

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
    return file.st_nlink > 1 ? GZ_GATE_LINKED : gz_gate_fault(&file, GZ_GATE_OURS);
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

static enum gz_status lock(struct gz_owner *owner, const char *database, struct gz_error *error)
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

static enum gz_status init(struct gz_owner *owner, const char *database, bool is_brief,
                           struct gz_error *error)
{
    owner->descriptor = -1;
    if (asprintf(&owner->path, "%s" GZ_OWNER_ENDING, database) < 0) {
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
    gz_owner_finish(owner);
    return status;
}

enum gz_status gz_owner_init(struct gz_owner *owner, const char *database, struct gz_error *error)
{
    return init(owner, database, false, error);
}

enum gz_status gz_owner_init_brief(struct gz_owner *owner, const char *database,
                                   struct gz_error *error)
{
    return init(owner, database, true, error);
}

void gz_owner_finish(struct gz_owner *owner)
{
    if (owner->descriptor >= 0) {
        unlink(owner->path);
        close(owner->descriptor);
        owner->descriptor = -1;
    }
    free(owner->path);
    owner->path = NULL;
}
