/* gate.h - which files are a scene's at all: what is refused before SQLite is given the name.
 *
 * Files are looked at by their names: a descriptor of a database that is closed would drop the
 * locks which SQLite holds on it. Nothing is opened, so that nothing blocks. Threads: any. */
#ifndef GZ_STORE_GATE_H
#define GZ_STORE_GATE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "proto/base/status.h"

/* Whose files are taken. */
enum gz_gate_owner {
    GZ_GATE_OURS,  /* to be served: what another user can change meanwhile is not; what root can
                      change is, because root can do anything */
    GZ_GATE_OWNED, /* the same, by whoever has the lock on it: what a crash left is brought into
                      order */
    GZ_GATE_ANY    /* to be looked at once */
};

/* The path without its folders, which are nobody's business but the server's. Points into
 * `path`. */
const char *gz_db_file_name(const char *path);

/* Whether the file, and what SQLite keeps beside it, can be written by this process. */
bool gz_can_write(const char *path);
/* Whether a log beside the file has anything in it: one that only looked leaves an empty one. */
bool gz_log_holds(const char *path);
/* Whether changes may stand beside the file that are not in it: another program has it open, or was
 * stopped in the middle. */
bool gz_has_log(const char *path);

/* Refuses the file, and what is beside it, unless each is a regular file, no link, and of an owner
 * that is taken; the file may also have at most GZ_FILE_BYTES_MAX. What is not there passes, but
 * for the file itself: GZ_UNKNOWN_SCENE, unless it `may_be_missing`. */
GZ_MUST_USE enum gz_status gz_gate_check(const char *path, enum gz_gate_owner owner,
                                         bool may_be_missing, struct gz_error *error);
/* The same for one file whose status is known; NULL if it passes, else why not. */
const char *gz_gate_fault(const struct stat *file, enum gz_gate_owner owner);

#endif
