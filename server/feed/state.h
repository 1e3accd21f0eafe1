/* state.h - the state of a feed, and the functions that its files share. */
#ifndef GZ_FEED_STATE_H
#define GZ_FEED_STATE_H

#include "feed/feed.h"
#include "server/maxima.h"

/* Few are enough, of frames that are kept and of marks that are looked at: viewers who keep up
 * stand at equal marks but for the form, and only some do not keep up. */
#define FRAMES 16
#define MARKS 16

/* What is told by versioned lists, in the order of a frame. */
enum list { LIST_EDITS, LIST_NOTES, LIST_CHECKPOINTS, LIST_PRESENCE, LIST_COUNT };

/* How far a viewer has come. Plain data but for the interest set, which the cursor owns. */
struct gz_cursor {
    uint64_t state; /* seq of the scene: the viewer has every change up to here, no later one */
    /* These two differ from `state` only while a delta that was cut goes on in the next frame. */
    uint64_t base;  /* the last state that the viewer had completely; 0: none */
    uint64_t since; /* during a snapshot: the seq at which it began. A node that was deleted before
                       is unknown to the viewer */
    uint64_t saved; /* the last saved seq that the viewer was sent */
    struct gz_versions_cursor lists[LIST_COUNT];
    uint64_t presence_base; /* packed: the last version of presence that the viewer had completely;
                               0: none */
    uint64_t count;         /* version of the number of people that it was last sent; 0: none */
    uint64_t begun;         /* of those who began to act up to this version of presence, it was sent
                               who they are */
    uint64_t ms;            /* packed: the time of its last delta, Unix milliseconds; 0: none */
    enum gz_form form;
    uint64_t motions;        /* the number of the latest motion whose nodes it was sent */
    uint64_t motion_version; /* the version of the latest moves of motions that it was sent */
    bool greeted; /* it was sent its first delta, or the first one after its interest changed, which
                     is sent even if it is empty */
    struct gz_interest_set *interest_set; /* NULL: the whole scene. With `state` 0 the viewer has no
                                             node yet */
};

/* What subscribers were sent, and the frame that leads on from there. One with an interest has one
 * holder, and is in no list. Else it never changes: its subscribers go on to another one. */
struct gz_mark {
    struct gz_cursor cursor;
    size_t holders; /* subscribers; the feed, while the frame is kept; marks from which one leads
                       here */
    struct gz_mark *older, **hook; /* in the feed's list; `hook` is NULL for no list */
    struct gz_mark *next;          /* held: where the frame leads; NULL: none is kept */
    struct gz_bytes *bytes;        /* of the frame; NULL: there is nothing to send on the way */
};

struct edit {
    struct gz_versions_item item; /* first, so that an item of the list is its edit */
    uint64_t seq, sent_at;        /* the arguments of gz_feed_edit */
    size_t size;
    uint8_t bytes[];
};

/* A drag that is sent as motions. */
struct motion {
    uint64_t number;     /* counts up */
    struct gz_grip grip; /* the gesture */
    uint64_t version;    /* motion_version at its last move; 0: not moved yet */
    struct gz_motion_nodes nodes;
    uint64_t *ids;                               /* of the nodes, in the order of `nodes` */
    struct gz_motion_step steps[GZ_MOTIONS_MAX]; /* one for each part */
};

/* The scene shows the effect of pointer or pose `n` from this seq on: the latest of a gesture. */
struct gz_presence_ack {
    struct gz_versions_item item; /* first, so that an item of the list is its acknowledgement */
    struct gz_presence_ack *next; /* of the same session */
    uint32_t gesture;             /* number of its grip (scene.h) */
    uint64_t session, n, seq;
};

/* The presence records of those who act. */
struct board {
    struct gz_versions versions; /* of gz_presence_entry; a removal has the session's id */
    struct gz_versions_removal left[GZ_LEFT_RING];
    uint64_t shown;         /* viewers may read up to this version of the list */
    uint64_t begun;         /* version of the list when somebody last began to act */
    uint64_t parts_version; /* version of the list at the last change of a part of a record */
    uint64_t parts_shown;   /* the value of parts_version at the last show */
    uint64_t packed_shown;  /* as `shown`, for viewers of the packed form, */
    double packed_next_s;   /* and when it may grow next, monotonic */
};

/* How many people are here. */
struct crowd {
    size_t here;
    size_t few;       /* so many entries act as soon as they are present: GZ_PRESENCE_FEW */
    bool changed;     /* the number of people changed since it was last sent */
    uint64_t version; /* counts how often the number was sent */
    double next_s;    /* monotonic: when it may be sent next */
};

struct gz_feed {
    struct gz_scene *scene;
    const struct gz_versions *lists[LIST_COUNT];
    const struct gz_checkpoint_list *checkpoints;
    uint64_t saved;
    uint64_t saved_shown; /* the value of `saved` that viewers are sent even without other news */
    double saved_s;       /* when `saved` grew, monotonic */
    uint64_t told;        /* news_version when viewers were last sent news */
    double told_s;        /* when that was, monotonic */
    uint64_t
        version; /* of all content except the scene: edits, presence, saved, acknowledgements */

    struct gz_mark *marks;               /* the newest first, but for those with an interest */
    struct gz_mark *idle[GZ_FORM_COUNT]; /* nobody holds it: memory for the next; or NULL */
    struct gz_mark *frames[FRAMES];      /* held: those whose frame is kept */
    size_t frame_count;
    uint64_t frames_version; /* content_version when they were made */
    size_t delta_bytes;      /* size at which a delta is cut */

    struct gz_versions edits; /* of struct edit, the latest GZ_EDIT_RING */
    size_t edit_bytes;        /* of all of them */
    struct gz_versions acks;  /* of struct gz_presence_ack, in the order of seq */

    struct motion *motions[GZ_MOTION_DRAGS_MAX]; /* NULL: none */
    uint64_t motion_count;                       /* of motions so far */
    uint64_t motion_version;                     /* counts their moves */
    uint64_t hidden_from, hidden_to; /* the changes between these seqs are poses of a running pass,
                                        which viewers of motions are not sent yet */
    bool has_packed;                 /* a viewer reads the packed form, now or before */

    struct board board;
    struct gz_presence_entry *changed; /* entries whose change is not on the board yet */
    double changed_due_s;              /* none of them is due earlier; INFINITY for none */
    double presence_shown_s;           /* when the board was last shown, monotonic */
    struct crowd crowd;
    enum gz_form form; /* of the viewer whose frame is being made */

    /* scratch of one frame, kept for the next */
    struct gz_node_state *states;
    size_t state_capacity;
    size_t *order; /* places of a snapshot's nodes */
    size_t order_capacity;
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

/* Begins the reading of a list for the viewer. */
static inline struct gz_versions_reading
gz_feed_read(const struct gz_feed *feed, const struct gz_cursor *cursor, enum list list)
{
    return gz_versions_read(feed->lists[list], &cursor->lists[list]);
}

/* ---- delta.c ---- */

/* As gz_feed_set_interest, for a cursor. */
GZ_MUST_USE bool gz_cursor_set_interest(const struct gz_feed *feed, struct gz_cursor *cursor,
                                        const struct gz_region *region);

/* Makes a viewer with an interest start from 0, without any node. */
void gz_feed_forget_interest(struct gz_cursor *cursor);

/* Whether a tombstone is forgotten that this cursor missed: the viewer has to start from 0. */
bool gz_feed_is_lost(const struct gz_feed *feed, const struct gz_cursor *cursor);

/* Collect the nodes of a delta: of the whole scene, or for a viewer with an interest. Both fill
 * `from` and `seq`, and `more` if the delta had to be cut. False without memory. */
GZ_MUST_USE bool gz_feed_collect_whole(struct gz_feed *feed, struct gz_cursor *cursor,
                                       struct gz_delta *delta);
GZ_MUST_USE bool gz_feed_collect_interest(struct gz_feed *feed, struct gz_cursor *cursor,
                                          struct gz_delta *delta);

/* ---- motions.c ---- */

#define GZ_SYNC_AXES (GZ_HAS_MOVE_X | GZ_HAS_MOVE_Y | GZ_HAS_MOVE_Z)

/* X, Y and Z of struct gz_move: the axes of the node's t that are new to a viewer that has it as of
 * `base`. */
uint64_t gz_feed_changed_axes(const struct gz_node *node, uint64_t base);
/* Whether the delta holds nothing but new places of nodes that the viewer has. */
bool gz_feed_is_moves(const struct gz_cursor *cursor, const struct gz_delta *delta);
/* Appends such a delta in the packed form, with the first `step_count` of the feed's `steps`; `ms`
 * is its time. */
GZ_MUST_USE enum gz_status gz_feed_append_moves(struct gz_feed *feed,
                                                const struct gz_cursor *cursor,
                                                const struct gz_delta *delta, size_t step_count,
                                                uint64_t ms, struct gz_buffer *out);

/* Whether the viewer is sent motions: its form and its cursor allow them. */
bool gz_feed_tells_motions(const struct gz_cursor *cursor);
/* Whether there is a motion, or a move of one, that the viewer was not sent. */
bool gz_feed_has_motions(const struct gz_feed *feed, const struct gz_cursor *cursor);
/* Whether the next motion for the viewer has moved already, so that its starts are sent too. */
bool gz_feed_lacks_starts(const struct gz_feed *feed, const struct gz_cursor *cursor);
/* Whether a motion runs that the viewer was sent: its copies of the nodes are then only nearly
 * exact. */
bool gz_feed_knows_motion(const struct gz_feed *feed, const struct gz_cursor *cursor);
/* If no motion runs, the viewer counts as having been sent all: so viewers are in step again. */
void gz_feed_settle_motions(const struct gz_feed *feed, struct gz_cursor *cursor);
/* Whether all changes of the scene after the cursor are hidden (gz_feed_hide). */
bool gz_feed_is_hidden(const struct gz_feed *feed, const struct gz_cursor *cursor);
/* Whether the viewer is sent this node's place by a motion. */
bool gz_feed_is_in_motion(const struct gz_feed *feed, const struct gz_cursor *cursor,
                          const struct gz_node *node);
/* Appends the nodes of the next motion that the viewer was not sent, if there is one. They are as
 * of the cursor's state, before the delta that follows. */
GZ_MUST_USE enum gz_status gz_feed_append_motion(struct gz_feed *feed, struct gz_cursor *cursor,
                                                 struct gz_buffer *out);
/* Collects into `steps` the moves of motions that the viewer was not sent, and returns their
 * number. */
size_t gz_feed_collect_steps(struct gz_feed *feed, struct gz_cursor *cursor);
void gz_feed_destroy_motions(struct gz_feed *feed);
/* The viewer then counts as having been sent no motion. */
void gz_feed_forget_motions(struct gz_cursor *cursor);

/* ---- notes.c ---- */

/* Room for `count` items of the message about a list that is being made; keeps the items that are
 * there. NULL without memory. */
void *gz_feed_items(struct gz_feed *feed, size_t count, size_t item_size);
/* Appends the message of a reading, which has `count` items and removals, and moves the cursor past
 * it. Appends nothing if there are no items, no removals and nothing to forget. */
GZ_MUST_USE enum gz_status gz_feed_append_reading(const struct gz_message *message, size_t count,
                                                  const struct gz_versions_reading *reading,
                                                  struct gz_versions_cursor *cursor,
                                                  struct gz_buffer *out);

/* ---- presence.c ---- */

void gz_crowd_init(struct crowd *crowd);
/* Whether a new number of people is due for this viewer. */
bool gz_feed_has_crowd(const struct gz_feed *feed, const struct gz_cursor *cursor);
/* Appends the users who began to act since the cursor, and moves it. */
GZ_MUST_USE enum gz_status gz_feed_append_begun(const struct gz_feed *feed,
                                                struct gz_cursor *cursor, struct gz_buffer *out);

/* ---- notes.c, presence.c ---- */

/* Append what is new after this cursor, and move it: as many notes and present users as fit, and
 * all checkpoints. */
GZ_MUST_USE enum gz_status gz_feed_append_notes(struct gz_feed *feed, struct gz_cursor *cursor,
                                                struct gz_buffer *out);
GZ_MUST_USE enum gz_status
gz_feed_append_checkpoints(struct gz_feed *feed, struct gz_cursor *cursor, struct gz_buffer *out);
GZ_MUST_USE enum gz_status gz_feed_append_presence(struct gz_feed *feed, struct gz_cursor *cursor,
                                                   struct gz_buffer *out);
/* When presence may be shown next, INFINITY for never; and showing it, if it is time. */
double gz_feed_presence_due(const struct gz_feed *feed);
void gz_feed_show_presence(struct gz_feed *feed, double mono_s);
/* Whether there is presence that the viewer may read and has not read. */
bool gz_feed_has_presence(const struct gz_feed *feed, const struct gz_cursor *cursor);

#endif
