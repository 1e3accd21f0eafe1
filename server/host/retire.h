/* retire.h - scenes that are deleted and renamed, and what a crash left of that. */
#ifndef GZ_HOST_RETIRE_H
#define GZ_HOST_RETIRE_H

#include "host/scenes.h"

/* ---- what a crash left ---- */

/* Cleans up the data folder after a crash. Threads: the loop's. */

/* The prefix of backups, which are made in the data folder and deleted once they are open. */
#define GZ_BACKUP_PREFIX ".backup-"

/* Deletes what a crash during a backup, or during deleting or renaming a scene, left in the folder.
 * Call it before a scene is opened. */
void gz_folder_tidy(const struct gz_scenes *scenes);

/* ---- retire ---- */

/* Retires a scene while the daemon runs: it is deleted or renamed, its file is gone or
 * was found to be damaged, or it goes to another member of the cluster. 1. Nothing more is done in
 * it; edits and drags that run are finished and answered. If it is just being opened or closed,
 * that comes to its end first.
 * 2. What workers read of it comes to an end. 3. A worker closes its file, with its write-ahead log
 * folded in, and deletes or renames it: in the log of a cluster first. 4. Everybody in it is told
 * `bye`. From step 1 on nobody joins, exports or imports under its name, nor under its new one:
 * both are claimed. Requests for a scene that goes to another member, or that can be opened again,
 * wait. Threads: the loop's. */

enum gz_retire_how {
    GZ_RETIRE_DELETE,
    GZ_RETIRE_RENAME,
    GZ_RETIRE_GONE,    /* the file or its log is gone */
    GZ_RETIRE_DAMAGED, /* it can be viewed once it is opened again */
    GZ_RETIRE_AWAY     /* to the member of the cluster that gets its lease */
};

struct gz_retirements {
    struct gz_scenes *scenes;
    struct gz_retirement *first;
};

struct gz_retire_request {
    enum gz_retire_how how;
    const char *name, *new_name; /* valid names; the second for a rename */
    const char *user;            /* the user that asked for it; "" if unknown */
    /* Called once, later, with the result; may be NULL. */
    void (*done)(void *context, const struct gz_error *error);
    void *context;
};

/* GZ_UNKNOWN_SCENE, GZ_CONFLICT if the new name is taken, GZ_BAD_STATE if a scene with one of the
 * names is being retired already: then `done` is not called. */
GZ_MUST_USE enum gz_status gz_retire(struct gz_retirements *retirements,
                                     const struct gz_retire_request *request,
                                     struct gz_error *error);

/* Whether no retirement runs, except those whose sessions are leaving. */
bool gz_retire_is_idle(const struct gz_retirements *retirements);
/* At the daemon's end, before the scenes are closed: refuses retirements that no worker has
 * begun. */
void gz_retire_cancel(struct gz_retirements *retirements);

#endif
