/* internal.h - the core of one scene, as the files of this room see it. core.h is what others see.
 */
#ifndef GZ_SESSION_INTERNAL_H
#define GZ_SESSION_INTERNAL_H

#include "proto/base/log.h"
#include "session/host.h"

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
    uint64_t epoch, next_edit;
    double moment_s; /* the last one that gz_core_moment gave */
    struct gz_epoch_record *epochs;
    size_t epoch_count;
    uint64_t asset_seq;           /* of the import that brought the glTF; 0 for none */
    struct gz_surfaces *surfaces; /* of it; NULL where none are known */

    struct gz_session *sessions;
    size_t session_count;

    struct gz_pending *pending, **pending_end;
    size_t pending_count, pending_bytes;
    struct gz_pending_note *pending_notes, **pending_notes_end;
    size_t pending_note_count, note_waiter_count;
    size_t note_count; /* of notes, once all that waits is stored */
    uint64_t next_note;
    struct gz_pending_checkpoint *pending_checkpoints, **pending_checkpoints_end;
    size_t pending_checkpoint_count;
    struct gz_session_entry *visits;
    size_t visit_count, visit_capacity, visits_in_batch;
    uint64_t *dropped;
    size_t dropped_count, dropped_capacity, dropped_in_batch;
    uint64_t stored_seq; /* changes up to here are on the disk */
    bool committing, failing;
    double commit_s; /* monotonic, of the last try */

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
