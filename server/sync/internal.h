/* internal.h - the state of a sync, and what the files of this room call of each other. */
#ifndef GZ_SYNC_INTERNAL_H
#define GZ_SYNC_INTERNAL_H

#include "server/maxima.h"
#include "sync/sync.h"

/* There are few different cursors: that of the viewers that keep up, and of some that do not. */
#define FRAMES 8

/* An encoded frame and the cursors between which it leads. */
struct cached_frame {
    struct gz_cursor before, after;
    uint64_t version; /* content_version when the frame was made; 0: empty */
    uint64_t used;    /* the frame with the least is replaced */
    struct gz_buffer bytes;
};

struct edit_bytes {
    uint8_t *bytes;
    size_t size;
    uint64_t seq, sent_at; /* as gz_sync_edit was given them */
};

/* A drag that is told as motions. */
struct motion {
    uint64_t number; /* counts up */
    uint64_t session;
    uint64_t version; /* of motion_version, when it moved last; 0: not yet */
    struct gz_motion_nodes nodes;
    uint64_t *ids;                               /* of the nodes, in their order */
    struct gz_motion_step steps[GZ_MOTIONS_MAX]; /* of the parts */
};

struct acknowledgement {
    uint64_t session, n, seq;
};

/* Who is present, as one kind of viewers sees it. */
struct board {
    struct gz_shelf shelf; /* of gz_presence_place; a removal has the session's id */
    struct gz_shelf_removal left[GZ_LEFT_RING];
    bool is_read, is_read_compact; /* by a viewer of either form, now or before */
    uint64_t shown;                /* the latest version of the shelf that viewers are to see */
    uint64_t parts_version;        /* of the shelf, when a part of a record last changed */
    uint64_t parts_shown;          /* the same of those that are shown in the other form */
    uint64_t compact_shown;        /* the same for viewers that read the compact form, */
    double compact_next_s;         /* and when they may be shown a later one, monotonic */
};

/* What viewers of a crowd are told beside its board. */
struct crowd {
    size_t few;       /* so many are told of whatever they do: GZ_PRESENCE_FEW */
    bool changed;     /* somebody came or left since viewers were last sent their number */
    uint64_t version; /* of that number: it counts how often it was sent */
    double next_s;    /* when another may be, monotonic */
    uint64_t begun;   /* how many ever began to act */
    struct gz_presence_entry *latest[GZ_BEGUN_RING]; /* number i, from 0, is at i % GZ_BEGUN_RING;
                                                        NULL: it left */
};

struct gz_sync {
    struct gz_scene *scene;
    const struct gz_notebook *notes;
    const struct gz_checkpoint_list *checkpoints;
    uint64_t saved;
    uint64_t saved_shown; /* what viewers are sent even if nothing else is */
    double saved_s;       /* when `saved` grew, monotonic */
    uint64_t told;        /* news_version when viewers were last sent something */
    double told_s;        /* when that was, monotonic */
    uint64_t version; /* of what is beside the scene: edits, presence, saved, acknowledgements */

    struct cached_frame frames[FRAMES];
    uint64_t uses;
    struct gz_buffer own; /* a frame for a viewer with an interest */
    size_t delta_bytes;   /* at which a delta is cut */

    struct edit_bytes edits[GZ_EDIT_RING]; /* edit number i (from 1) is at i % GZ_EDIT_RING */
    uint64_t edit_count;
    uint64_t edits_forgotten; /* those up to this number are not in the ring any more */
    size_t edit_bytes;        /* of all that are in it */

    struct acknowledgement *acks;
    size_t ack_count, ack_capacity;

    struct motion *motions[GZ_MOTION_DRAGS_MAX]; /* NULL: none */
    uint64_t motion_count;                       /* of all that there ever were */
    uint64_t motion_version;                     /* counts their moves */
    uint64_t hidden_from, hidden_to; /* from one seq to the other nothing changed that those who are
                                        told motions need to be told of yet */
    bool has_motion;                 /* such a viewer is here, or was */

    struct board boards[GZ_BOARD_COUNT];
    struct gz_presence_entry *changed; /* entries that wait to be put on the boards again */
    double changed_due_s;              /* none of these is due before; INFINITY for none */
    double presence_shown_s;           /* when the boards were last shown, monotonic */
    struct crowd crowd;
    struct gz_form form; /* of the viewer whose frame is in the making */

    /* scratch of one frame, kept for the next */
    struct gz_node_state *states;
    size_t state_capacity;
    uint64_t *gone;
    size_t gone_capacity;
    struct gz_ack *delta_acks;
    size_t delta_ack_capacity;
    struct gz_move *moves;
    size_t move_capacity;
    struct gz_motion_step steps[GZ_MOTIONS_MAX];
    void *items;
    size_t item_bytes;
};

/* ---- delta.c, interest.c ---- */

/* The viewer, which has an interest, is taken to have nothing and starts from 0. */
void gz_sync_forget_interest(struct gz_cursor *cursor);

/* Whether a node was forgotten whose deletion this cursor missed: the viewer has to start from
 * 0. */
bool gz_sync_is_lost(const struct gz_sync *sync, const struct gz_cursor *cursor);

/* Adds to the delta in the making: what of the node is new to a viewer that has it as of `base` (0:
 * never had it), or the id of a node that went. `bytes` grows by about what that takes encoded.
 * False without memory. */
GZ_MUST_USE bool gz_sync_add_state(struct gz_sync *sync, struct gz_delta *delta,
                                   const struct gz_node *node, uint64_t base, size_t *bytes);
GZ_MUST_USE bool gz_sync_add_gone(struct gz_sync *sync, struct gz_delta *delta, uint64_t id,
                                  size_t *bytes);
/* Collect the nodes of a delta: of the whole scene, or for a viewer with an interest. Both fill
 * `from` and `seq`, and `more` if the delta had to be cut. False without memory. */
GZ_MUST_USE bool gz_sync_collect_whole(struct gz_sync *sync, struct gz_cursor *cursor,
                                       struct gz_delta *delta);
GZ_MUST_USE bool gz_sync_collect_interest(struct gz_sync *sync, struct gz_cursor *cursor,
                                          struct gz_delta *delta);

/* ---- moves.c ---- */

#define GZ_SYNC_AXES (GZ_HAS_MOVE_X | GZ_HAS_MOVE_Y | GZ_HAS_MOVE_Z)

/* X, Y and Z of struct gz_move: what of the node's t is new to a viewer that has it as of
 * `base`. */
uint64_t gz_sync_changed_axes(const struct gz_node *node, uint64_t base);
/* Whether the delta says nothing but where nodes are that the viewer has. */
bool gz_sync_is_moves(const struct gz_cursor *cursor, const struct gz_delta *delta);
/* Appends such a delta in the compact form, with the first so many of the sync's `steps`; `ms` is
 * its time. */
GZ_MUST_USE enum gz_status gz_sync_append_moves(struct gz_sync *sync,
                                                const struct gz_cursor *cursor,
                                                const struct gz_delta *delta, size_t step_count,
                                                uint64_t ms, struct gz_buffer *out);

/* ---- motions.c ---- */

/* Whether the viewer is told motions, and is where it can be told them. */
bool gz_sync_tells_motions(const struct gz_cursor *cursor);
/* Whether there is a motion, or a move of one, that the viewer was not told of. */
bool gz_sync_has_motions(const struct gz_sync *sync, const struct gz_cursor *cursor);
/* Whether the next one that it is told of is one whose nodes have moved: where they began is told
 * too. */
bool gz_sync_lacks_starts(const struct gz_sync *sync, const struct gz_cursor *cursor);
/* Whether one runs that the viewer was told of: what it has of the nodes is nearly right. */
bool gz_sync_knows_motion(const struct gz_sync *sync, const struct gz_cursor *cursor);
/* Whether two viewers have to be told the same of motions: where none runs, everybody. */
bool gz_sync_same_motions(const struct gz_sync *sync, const struct gz_cursor *a,
                          const struct gz_cursor *b);
/* Whether all that the scene has for the viewer is hidden. */
bool gz_sync_is_hidden(const struct gz_sync *sync, const struct gz_cursor *cursor);
/* Whether the viewer is told where this node is by the motion that it is in. */
bool gz_sync_is_in_motion(const struct gz_sync *sync, const struct gz_cursor *cursor,
                          const struct gz_node *node);
/* Appends the nodes of the next drag that the viewer does not know as motions, if there is one. It
 * is at its state before the delta that follows. */
GZ_MUST_USE enum gz_status gz_sync_append_motion(struct gz_sync *sync, struct gz_cursor *cursor,
                                                 struct gz_buffer *out);
/* Puts into `steps` where the motions have come to since the viewer was told, and returns their
 * number. */
size_t gz_sync_collect_steps(struct gz_sync *sync, struct gz_cursor *cursor);
void gz_sync_destroy_motions(struct gz_sync *sync);
/* The viewer is taken to know of none. */
void gz_sync_forget_motions(struct gz_cursor *cursor);

/* ---- reading.c ---- */

/* Room for `count` items of a message about things on a shelf, which keeps the items that were
 * there; NULL without memory. There is one such message at a time. */
void *gz_sync_items(struct gz_sync *sync, size_t count, size_t item_size);
/* Appends the message of a reading, which has `count` items and removals, and moves the cursor past
 * it. Nothing is appended if there is nothing to say. */
GZ_MUST_USE enum gz_status gz_sync_append_reading(const struct gz_message *message, size_t count,
                                                  const struct gz_shelf_reading *reading,
                                                  struct gz_shelf_cursor *cursor,
                                                  struct gz_buffer *out);

/* ---- people.c ---- */

/* About how many bytes the record takes encoded, as a whole. */
size_t gz_presence_bytes(const struct gz_presence_entry *entry);
/* Appends presence in the compact form, and moves the cursor: as many users as fit. */
GZ_MUST_USE enum gz_status gz_sync_append_people(struct gz_sync *sync, struct gz_cursor *cursor,
                                                 struct gz_buffer *out);
/* One record in that form: whole, or who it is alone. */
struct gz_message gz_sync_person(const struct gz_presence_entry *entry, bool whole);

/* ---- crowd.c ---- */

void gz_crowd_init(struct crowd *crowd);
/* The entry began to act, or leaves. */
void gz_crowd_begin(struct crowd *crowd, struct gz_presence_entry *entry);
void gz_crowd_forget(struct crowd *crowd, const struct gz_presence_entry *entry);
/* When the number of people may next be shown, INFINITY for never; and showing it, if it may be. */
double gz_sync_crowd_due(const struct gz_sync *sync);
void gz_sync_show_crowd(struct gz_sync *sync, double mono_s);
/* Whether there is a number that the viewer is to be shown by now, after who is here. */
bool gz_sync_has_crowd(const struct gz_sync *sync, const struct gz_cursor *cursor);
/* Append, and move the cursor: how many are here, and who began to act since the viewer was last
 * told. */
GZ_MUST_USE enum gz_status gz_sync_append_count(const struct gz_sync *sync,
                                                struct gz_cursor *cursor, struct gz_buffer *out);
GZ_MUST_USE enum gz_status gz_sync_append_begun(const struct gz_sync *sync,
                                                struct gz_cursor *cursor, struct gz_buffer *out);

/* ---- notes.c, checkpoints.c, presence.c ---- */

/* Append what this cursor is behind of, and move it: as many notes and present users as fit, and
 * all checkpoints. */
GZ_MUST_USE enum gz_status gz_sync_append_notes(struct gz_sync *sync, struct gz_cursor *cursor,
                                                struct gz_buffer *out);
GZ_MUST_USE enum gz_status
gz_sync_append_checkpoints(struct gz_sync *sync, struct gz_cursor *cursor, struct gz_buffer *out);
GZ_MUST_USE enum gz_status gz_sync_append_presence(struct gz_sync *sync, struct gz_cursor *cursor,
                                                   struct gz_buffer *out);
/* The board that this viewer reads. */
static inline enum gz_board_kind gz_board_of(const struct gz_cursor *cursor)
{
    return cursor->form.crowd ? GZ_BOARD_CROWD : GZ_BOARD_ALL;
}
/* When presence may next be shown, INFINITY for never; and showing it, if it may be. */
double gz_sync_presence_due(const struct gz_sync *sync);
void gz_sync_show_presence(struct gz_sync *sync, double mono_s);
/* Whether there is presence that the viewer is to be shown by now. */
bool gz_sync_has_presence(const struct gz_sync *sync, const struct gz_cursor *cursor);

#endif
