/* state.h - what the files of this room share: the core's state, its times, options, and imports.
 */
#ifndef GZ_CORE_STATE_H
#define GZ_CORE_STATE_H

#include "core/assets.h"
#include "core/callbacks.h"
#include "core/journal.h"
#include "core/people.h"
#include "proto/base/histogram.h"
#include "proto/base/log.h"
#include "scene/record.h"

/* ---- the time ---- */

/* The clock of a scene: all times of its history come from here. A wall clock that was
 * ahead, here or where the file comes from, stays in these times. So nobody's rights may go by
 * them. */

struct gz_clock {
    /* The time of the host's latest call. `now.unix_s` follows the wall clock and never goes back:
     * after the wall clock was put back, `now.unix_s` goes on at GZ_CLOCK_RATE_MIN until the wall
     * clock has caught up. */
    struct gz_now now;
    double wall_s;   /* the wall clock at that call, wherever it was before: by it tokens expire */
    double moment_s; /* the latest one that gz_clock_moment gave */
};

/* A clock that starts at `newest_s`, the newest time in the file. */
struct gz_clock gz_clock_from(double newest_s);
/* The host's clocks say `now`. */
void gz_clock_advance(struct gz_clock *clock, struct gz_now now);
/* A time for the beginning or the end of an edit, or for a batch and its samples. It is later than
 * every time given before, so that all of them differ. */
double gz_clock_moment(struct gz_clock *clock);

/* ---- epochs ---- */

/* The epochs of a scene: the present one, and the earlier ones that a viewer can resume
 * from. Each opening of the scene begins an epoch. */

struct gz_epochs {
    uint64_t present;
    struct gz_epoch_record *earlier;
    size_t earlier_count;
};

/* Takes over what `state` says. False without memory. */
GZ_MUST_USE bool gz_epochs_init(struct gz_epochs *epochs, const struct gz_scene_state *state);
void gz_epochs_finish(struct gz_epochs *epochs);
/* The last saved seq of an earlier epoch; 0 if that epoch is not known. */
uint64_t gz_epochs_last_seq(const struct gz_epochs *epochs, uint64_t earlier);

/* ---- options ---- */

/* The options of a core. */

struct gz_core_options {
    const char *scene; /* its name; copied */
    struct gz_core_host host;
    const struct gz_log *log; /* may be NULL */
    /* GZ_STATUS_COUNT counters of the errors sent to sessions, by status; may be NULL. Atomic,
     * because cores on several threads count at once (host/loan.h). */
    _Atomic uint64_t *errors;
    struct gz_histogram *answers; /* from an edit to its ok; may be NULL; atomic, too */
    const char *server;           /* what `welcome` calls the server, e.g. "gizmod 0.1.0"; copied */
    double messages_per_s;        /* 0: GZ_MESSAGES_PER_S_MAX */
    size_t batches;               /* that the host takes at the same time; 0: one */
    bool lends; /* work on more than GZ_NODES_AT_ONCE nodes waits for gz_core_do_bulk */
};

/* ---- an imported file ---- */

/* The part of a pending edit that only imports have. */
struct gz_pending_import {
    struct gz_asset_record asset; /* with its bytes; NULL bytes: it is no import */
    bool is_new;                  /* the scene did not have the file */
    void *owner;                  /* of the file's bytes, which `finish` frees */
    void (*finish)(void *owner);
    void (*done)(void *context, enum gz_status status, const char *message);
    void *context;
};

/* The disk has the import: what it replaced needs no triangles. */
void gz_import_accept(struct gz_pending_import *import, struct gz_assets *assets,
                      const struct gz_core_host *host);
/* The disk refused the import, which was taken back: the scene never had the file. Later imports
 * were refused before. */
void gz_import_refuse(struct gz_pending_import *import, struct gz_assets *assets,
                      const struct gz_core_host *host, const char *why);
/* Frees the file. */
void gz_import_free(struct gz_pending_import *import, const struct gz_core_host *host);

/* ---- what the files share ---- */

/* The state of a core, for the files of this room. core.h is for the others. */

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
    struct gz_feed *feed;
    uint64_t next_edit, next_note; /* ids */
    struct gz_clock clock;         /* gz_core_enter advances it, and nothing else does */
    struct gz_epochs epochs;
    struct gz_assets assets;

    struct gz_session *sessions; /* all, the newest first */
    struct gz_sessions roster;   /* sessions by id */
    struct gz_users users;       /* sessions by user */
    struct gz_colours tints;     /* colours in use */
    struct gz_session *awake;    /* sessions that have something to do: gz_session_wake */
    uint64_t revocations;        /* of the host, when the sessions were last asked about */
    double expires_unix_s;       /* no token of a session expires before; INFINITY for never */
    struct gz_share *shares;     /* budgets of the payers */
    struct gz_users payers;      /* shares by payer */
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
