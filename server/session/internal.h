/* internal.h - the state of a core, for the files of this room. core.h is for the others. */
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

/* What is put off (bulk.h). */
enum gz_bulk {
    GZ_BULK_NONE,
    GZ_BULK_BATCH, /* a batch, and no more */
    GZ_BULK_WORK
};

struct gz_core {
    struct gz_core_options options; /* its texts are the core's own copies */

    struct gz_scene *scene;
    struct gz_undo_log *undo;
    struct gz_notebook *notes;
    struct gz_checkpoint_list *checkpoints; /* the stored ones */
    struct gz_access_list *access;          /* the stored one */
    bool is_access_new;                     /* roles of sessions are to be compared with it */
    struct gz_sync *sync;
    uint64_t next_edit, next_note; /* ids */
    struct gz_clock clock;         /* gz_core_enter advances it, and nothing else does */
    struct gz_epochs epochs;
    struct gz_asset asset;

    struct gz_session *sessions; /* all, the newest first */
    struct gz_roster roster;     /* sessions by id */
    struct gz_names users;       /* sessions by user */
    struct gz_tints tints;       /* colours in use */
    struct gz_session *awake;    /* sessions that have something to do: gz_session_wake */
    double expires_unix_s;       /* no token of a session expires before; INFINITY for never */
    struct gz_share *shares;     /* budgets of the payers */
    struct gz_names payers;      /* shares by payer */
    double payers_due_s;         /* monotonic: when shares that are over are looked for next */
    size_t editing_payers;       /* payers of sessions that may edit */

    struct gz_journal journal; /* what waits for the disk */
    uint64_t stored_seq;       /* changes up to here are on the disk */
    uint64_t sent_seq;         /* and up to here in batches that are on their way to it */
    /* Samples that leave with the next batch, or alone if none comes soon; or NULL. */
    struct gz_batch *first_of_two;
    struct gz_tickets tickets;
    struct gz_batch
        *closing; /* batches that came back and are put off (bulk.h), the oldest first */
    char frozen[GZ_ERROR_BYTES_MAX];    /* why requests are refused; empty: they are not */
    char read_only[GZ_ERROR_BYTES_MAX]; /* why nothing can be saved, and all sessions are viewers;
                                           empty: edits are saved */
    size_t slice_nodes;                 /* nodes that a turn looks at: GZ_SLICE_NODES */
    double part;                        /* of them, and of bytes: gz_core_grant */
    size_t slice;                       /* nodes that are left until the next turn */
    size_t slice_read;                  /* nodes that reading frames took since the last turn */
    size_t told_bytes;                  /* made since the last turn began: GZ_TOLD_BYTES_PER_TURN */
    size_t told_before;                 /* how many of them the turn's slice stands for */
    size_t nodes_at_once; /* GZ_NODES_AT_ONCE; SIZE_MAX: nothing is put off (bulk.h) */
    enum gz_bulk bulk;
    size_t rows_waiting_max; /* of a payer: GZ_ROWS_WAITING_MAX; SIZE_MAX: no edit waits (work.h) */
    uint64_t served;         /* the session that had the last slice */

    struct gz_arena decoded; /* of one frame */
    /* Memory for the work of one call of the host. Only gz_core_enter empties it: no pointer into
     * it is kept beyond the call, or while the host is called back. Work that is repeated within a
     * call (for each message of a frame, session of a turn, edit of a batch) returns to its mark
     * afterwards (gz_arena_go_back). Its maximum is GZ_EDIT_BYTES_MAX; the changes of all gestures
     * together fit, because each node is in one. */
    struct gz_arena scratch;
};

/* Begins each call of the host that does work: empties the scratch and sets the clock. */
void gz_core_enter(struct gz_core *core, struct gz_now now);
/* Ends the gestures whose time is over, and those of sessions that ended: such a session may still
 * take its last messages, but its nodes are free at once. In a frozen core ends all gestures. */
void gz_core_finish_gestures(struct gz_core *core);

/* Brings the bounds index up to date: on the worker that has changed very many nodes, so that no
 * look on the loop finds their boxes to renew. A batch alone does not wait for that, because drags
 * move nodes all the time. Without memory the next look does it. */
void gz_core_renew_boxes(struct gz_core *core);

#endif
