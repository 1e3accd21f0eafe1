/* internal.h - the core of one scene, as the files of this room see it. core.h is what others see.
 */
#ifndef GZ_SESSION_INTERNAL_H
#define GZ_SESSION_INTERNAL_H

#include "journal/journal.h"
#include "proto/base/log.h"
#include "session/asset.h"
#include "session/host.h"
#include "session/roster.h"

struct gz_core {
    char *name, *server;
    struct gz_core_host host;
    const struct gz_log *log;
    uint64_t *errors; /* by status; NULL where nobody counts */
    double messages_per_s;

    struct gz_scene *scene;
    struct gz_undo_log *undo;
    struct gz_notebook *notes;
    struct gz_checkpoint_list *checkpoints; /* that are stored */
    struct gz_sync *sync;
    uint64_t epoch, next_edit, next_note;
    double moment_s; /* the last one that gz_core_moment gave */
    struct gz_epoch_record *epochs;
    size_t epoch_count;
    struct gz_asset asset;

    struct gz_session *sessions; /* the newest first */
    struct gz_roster roster;     /* the same by their ids */

    struct gz_journal journal; /* what waits for the disk */
    uint64_t stored_seq;       /* changes up to here are on the disk */

    struct gz_ticket *tickets;
    uint64_t next_ticket;
    char frozen[GZ_ERROR_BYTES_MAX]; /* why nothing more is done; empty: it is */

    struct gz_arena decoded; /* of one frame */
    /* Memory for the work of one call of the host. gz_core_enter empties it, and nothing else does:
     * nobody keeps a pointer into it beyond the call, or while the host is called back. Whatever is
     * done many times within a call (a message of a frame, a session of a turn, an edit of a batch)
     * goes back to where the scratch stood before (gz_arena_go_back). Its maximum is
     * GZ_EDIT_BYTES_MAX; the changes of all gestures together fit, for each node is in one. */
    struct gz_arena scratch;
    struct gz_now now;      /* by gz_core_enter alone */
    struct gz_buffer frame; /* a view of what was handed out last */
};

#endif
