/* internal.h - the core of one scene, as the files of this room see it. core.h is what others see.
 */
#ifndef GZ_SESSION_INTERNAL_H
#define GZ_SESSION_INTERNAL_H

#include "journal/journal.h"
#include "session/asset.h"
#include "session/clock.h"
#include "session/core_options.h"
#include "session/epochs.h"
#include "session/names.h"
#include "session/roster.h"
#include "session/tickets.h"
#include "session/tints.h"

struct gz_core {
    struct gz_core_options options; /* its texts are the core's own copies */

    struct gz_scene *scene;
    struct gz_undo_log *undo;
    struct gz_notebook *notes;
    struct gz_checkpoint_list *checkpoints; /* that are stored */
    struct gz_access_list *access;          /* that is stored */
    bool is_access_new;                     /* sessions are to be looked at anew */
    struct gz_sync *sync;
    uint64_t next_edit, next_note; /* ids */
    struct gz_clock clock;         /* gz_core_enter advances it, and nothing else does */
    struct gz_epochs epochs;
    struct gz_asset asset;

    struct gz_session *sessions; /* the newest first */
    struct gz_roster roster;     /* the same by their ids */
    struct gz_names users;       /* the same by their users */
    struct gz_tints tints;       /* that they have */
    struct gz_session *awake;    /* of these: gz_session_wake */
    double expires_unix_s;       /* none of their tokens expires before; INFINITY for never */
    struct gz_share *shares;     /* of their payers */
    struct gz_names payers;      /* the same by their names */
    double payers_due_s;         /* monotonic: before it, nobody looks which are over */

    struct gz_journal journal; /* what waits for the disk */
    uint64_t stored_seq;       /* changes up to here are on the disk */
    uint64_t sent_seq;         /* and up to here in batches that are on their way to it */
    struct gz_tickets tickets;
    struct gz_batch *closing; /* whose end is put off (bulk.h), the oldest first; NULL: none */
    char frozen[GZ_ERROR_BYTES_MAX]; /* why nothing more is done; empty: it is */
    char
        read_only[GZ_ERROR_BYTES_MAX]; /* why nothing is saved, and all are viewers; empty: it is */
    size_t slice_nodes;                /* that a turn looks at: GZ_SLICE_NODES */
    size_t slice;         /* those that are left, for this turn and until the next one */
    size_t slice_read;    /* those that frames took since the last turn */
    size_t told_bytes;    /* of what GZ_TOLD_BYTES_PER_TURN bounds, since the last turn began */
    size_t nodes_at_once; /* GZ_NODES_AT_ONCE; SIZE_MAX: nothing is put off: bulk.h */
    bool has_bulk;        /* something is put off */
    uint64_t served;      /* the session whose work went on last */

    struct gz_arena decoded; /* of one frame */
    /* Memory for the work of one call of the host. gz_core_enter empties it, and nothing else does:
     * nobody keeps a pointer into it beyond the call, or while the host is called back. Whatever is
     * done many times within a call (a message of a frame, a session of a turn, an edit of a batch)
     * goes back to where the scratch stood before (gz_arena_go_back). Its maximum is
     * GZ_EDIT_BYTES_MAX; the changes of all gestures together fit, for each node is in one. */
    struct gz_arena scratch;
    struct gz_buffer frame; /* a view of what was handed out last */
};

/* Each call of the host that has work done begins with this: the scratch is empty, and the clock
 * says the time. */
void gz_core_enter(struct gz_core *core, struct gz_now now);
/* Ends the gestures that end by themselves, and those of sessions that ended: such a session may go
 * on taking its last messages, but what it held is free at once. All of them in a frozen core. */
void gz_core_finish_gestures(struct gz_core *core);

#endif
