/* file_check.h - which files may be opened as a scene, and the lock by which one process owns each.
 */
#ifndef GZ_STORE_FILE_CHECK_H
#define GZ_STORE_FILE_CHECK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "proto/base/status.h"

/* ---- which files ---- */

/* Which files may be opened as a scene: refuses the others before SQLite sees the name.
 *
 * Files are checked by name and never opened: closing a descriptor of a database would drop the
 * locks that SQLite holds on it, and opening might block. Threads: any. */

/* Which owners are accepted. */
enum gz_file_owner {
    GZ_FILE_OURS,  /* to serve it: of this process's user or root, so that no other user can change
                      it meanwhile */
    GZ_FILE_OWNED, /* the same, and the caller holds the owner's lock: a journal from a crash is
                      rolled back */
    GZ_FILE_ANY    /* to read it once: any owner */
};

/* The path without its folders, which clients are not told. Points into `path`. */
const char *gz_db_file_name(const char *path);

/* Whether this process can write the file, and SQLite's files beside it. */
bool gz_can_write(const char *path);
/* Whether a log beside the file holds anything; a program that only reads leaves an empty one. */
bool gz_log_holds(const char *path);
/* Whether a rollback journal beside the file holds anything. */
bool gz_journal_holds(const char *path);
/* Whether a log beside the file may hold changes that are not in the file: another program has it
 * open, or was killed. */
bool gz_has_log(const char *path);

/* Refuses the file, and SQLite's files beside it, unless each is a regular file, no link, and has
 * an accepted owner; the file may have at most GZ_FILE_BYTES_MAX. To serve it, each has one name
 * alone if this process can write the file: opened by two names, it would have two logs. Missing
 * files pass, but a missing scene is GZ_UNKNOWN_SCENE unless it `may_be_missing`. */
GZ_MUST_USE enum gz_status gz_file_check(const char *path, enum gz_file_owner owner,
                                         bool may_be_missing, struct gz_error *error);
/* The same for one file with this stat; NULL if it passes, else the reason. */
const char *gz_file_fault(const struct stat *file, enum gz_file_owner owner);
/* The reason for a file with two names. */
#define GZ_FILE_LINKED "it has another name too (a hard link): delete one of the two, or use a copy"

/* A file that had this name once: whether it has it still. */
struct gz_named_file {
    const char *path; /* the caller's */
    ino_t inode;
    dev_t device;
};
/* False, and errno, if there is no file of this name. */
GZ_MUST_USE bool gz_named_file_init(struct gz_named_file *file, const char *path);
/* Also reads its size, unless `bytes` is NULL. */
GZ_MUST_USE bool gz_named_file_is_there(const struct gz_named_file *file, uint64_t *bytes);

/* ---- the lock of the owner ---- */

/* One process at a time owns a scene's file, by a lock on NAME.db.owner beside it that
 * ends with the process. The lock is not on the database itself, because closing a descriptor of
 * that would drop SQLite's locks. Threads: any. */

/* The suffix of the lock's file. */
#define GZ_LOCK_FILE_ENDING ".owner"

struct gz_lock_file {
    int descriptor; /* -1 when nothing is owned */
    char *path;
};

/* GZ_BAD_STATE if another process owns the file; the error names its process id. */
GZ_MUST_USE enum gz_status gz_lock_file_init(struct gz_lock_file *owner, const char *database,
                                             struct gz_error *error);
/* For a moment, in which others wait up to a second instead of being refused. */
GZ_MUST_USE enum gz_status gz_lock_file_init_brief(struct gz_lock_file *owner, const char *database,
                                                   struct gz_error *error);
void gz_lock_file_finish(struct gz_lock_file *owner);

#endif
