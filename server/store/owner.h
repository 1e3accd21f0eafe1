/* owner.h - one process at a time owns a scene's file: a lock on NAME.db.owner beside it, which
 * ends with the process. Not on the database itself: closing any descriptor of that would drop the
 * locks that SQLite holds on it. Threads: any. */
#ifndef GZ_STORE_OWNER_H
#define GZ_STORE_OWNER_H

#include "proto/base/status.h"

/* What the lock's file has after the name of the database. */
#define GZ_OWNER_ENDING ".owner"

struct gz_owner {
    int descriptor; /* -1 when nothing is owned */
    char *path;
};

/* GZ_BAD_STATE if another process owns it; the error has its process id. */
GZ_MUST_USE enum gz_status gz_owner_init(struct gz_owner *owner, const char *database,
                                         struct gz_error *error);
void gz_owner_finish(struct gz_owner *owner);

#endif
