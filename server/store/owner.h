/* owner.h - one process at a time owns a scene's file, by a lock on NAME.db.owner beside it that
 * ends with the process. The lock is not on the database itself, because closing a descriptor of
 * that would drop SQLite's locks. Threads: any. */
#ifndef GZ_STORE_OWNER_H
#define GZ_STORE_OWNER_H

#include "proto/base/status.h"

/* The suffix of the lock's file. */
#define GZ_OWNER_ENDING ".owner"

struct gz_owner {
    int descriptor; /* -1 when nothing is owned */
    char *path;
};

/* GZ_BAD_STATE if another process owns the file; the error names its process id. */
GZ_MUST_USE enum gz_status gz_owner_init(struct gz_owner *owner, const char *database,
                                         struct gz_error *error);
/* For a moment, in which others wait up to a second instead of being refused. */
GZ_MUST_USE enum gz_status gz_owner_init_brief(struct gz_owner *owner, const char *database,
                                               struct gz_error *error);
void gz_owner_finish(struct gz_owner *owner);

#endif
