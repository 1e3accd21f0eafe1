/* gesture.h - what a session does with a held pointer or wheel, or poses from outside, and the
 * nodes that it holds, in parts. */
#ifndef GZ_CORE_GESTURE_H
#define GZ_CORE_GESTURE_H

#include "core/view.h"
#include "feed/feed.h"
#include "proto/message.h"
#include "scene/record.h"
#include "scene/scene.h"

/* ---- gesture ---- */

/* A gesture that a user began and has not ended: a drag on a handle, a wheel that
 * turns, a view that orbits; or a hold, whose nodes are posed by a program. A session has one of
 * its pointer and any number of holds, each with a grip of its own (scene.h). A gesture that holds
 * nodes becomes an edit.
 *
 * interaction.h begins, moves and ends a gesture; here is its state, and what it does to the scene.
 *
 * Frames: a start is local to the node's parent, a motion is in the world. Ownership: the caller
 * owns the struct; finish frees what it holds. */

struct gz_interaction;
struct gz_journal_entry;
struct gz_parts; /* gesture.h */

/* A node that a gesture holds. */
struct gz_gesture_target {
    uint64_t id;
    uint64_t start_seq; /* of its last change before the gesture */
    gz_trs start;       /* as it was at the beginning */
    uint32_t frame;     /* its parent's */
};

/* A parent of nodes that a gesture holds; nodes that follow one another share it. Its transforms
 * are to the world. */
struct gz_gesture_frame {
    gz_affine start; /* at the beginning */
    gz_affine posed; /* when one of its nodes was last posed */
    bool is_posed;   /* the pass has posed one */
    bool has_moved;  /* in the middle of the pass */
};

/* The edit that a gesture becomes. */
struct gz_gesture_edit {
    uint64_t id;
    enum gz_edit_kind kind;
    double began; /* Unix seconds */
    uint64_t began_seq;
    double path_m; /* tolerance of its recorded path, metres in the world */
    /* Whether the file knows of it: no, a batch on its way tells it, or yes. */
    enum { GZ_EDIT_UNKNOWN, GZ_EDIT_SENT, GZ_EDIT_KNOWN } stored;
    uint64_t batch;                /* the number of the batch that tells it */
    struct gz_journal_entry *drop; /* the entry that removes it from the file again; NULL while the
                                      file does not know of it */
};

/* A pass poses the nodes one after the other; many nodes take several turns. */
struct gz_gesture_pass {
    size_t at, end;  /* the next node and the one after the last; equal when the pass is over */
    double residual; /* of the nodes posed so far */
    bool owes_ack;   /* pointer `ack` is acknowledged once the pass is over */
    uint64_t ack;
};

/* The progress of a gesture that holds nodes. */
struct gz_gesture_course {
    struct gz_motion motion;   /* from the beginning to the latest input */
    struct gz_motion posed;    /* that the pass gives the nodes */
    struct gz_drag drag;       /* its handle is GZ_HANDLE_NONE if it is no drag */
    gz_vec3 start;             /* drag: the gizmo's origin at the press */
    struct gz_pointer pointer; /* drag: the latest */
    uint32_t mods;             /* of that pointer */
    struct gz_motion notch;    /* wheel: of one notch */
    double notches;            /* wheel: turned so far */
    size_t uneven_count; /* of the targets, at the beginning below a parent that scales unevenly */
};

/* What a program wants of the nodes that it holds. The lists have the order of the targets, which
 * ascend by id. */
struct gz_poses {
    uint64_t name;           /* the client's number for the hold */
    gz_trs *wanted;          /* the latest that was said of each */
    gz_trs *given;           /* what the pass gives */
    bool *is_due;            /* each in `due` */
    uint32_t *due, *passing; /* places of targets: for the next pass, and of this one */
    size_t due_count;
    bool is_recorded; /* the path is */
};

/* Small while no gesture runs, because most sessions only watch. */
struct gz_gesture {
    struct gz_gesture *next; /* the session's next hold; kept when the gesture ends, as is
                                `number` */
    struct gz_poses *poses;  /* NULL: it is no hold */
    const struct gz_interaction *interaction; /* its kind; NULL: no gesture runs */
    struct gz_gesture_target *targets;
    uint64_t *ids; /* of the targets, in their order */
    size_t count;
    struct gz_gesture_frame *frames;
    size_t frame_count, frame_capacity;
    struct gz_gesture_course *course; /* NULL: it holds no nodes */
    struct gz_parts *parts;           /* NULL: viewers are told each node */
    uint32_t number;                  /* of its grip: GZ_GRIP_POINTER, or a hold's */
    bool is_told_singly;              /* and will be until its end */
    struct gz_orbit *orbit;           /* NULL: it is no orbit */
    double residual;
    bool moved;     /* a node changed since the beginning */
    bool is_behind; /* a pass is to begin when the session can afford it; it then acknowledges a
                       pointer: */
    bool owes_ack;
    uint64_t ack; /* its number */
    struct gz_gesture_pass pass;
    uint64_t followed_seq; /* of the scene when parents that moved were last looked for */
    struct gz_gesture_edit edit;
    double closes_s;               /* monotonic: when it ends by itself; INFINITY: never */
    struct gz_value typed;         /* drag: once a value was typed, the pointer has no effect */
    struct gz_journal_entry *held; /* wheel: answers that wait for its end, linked by `older` */
    size_t held_count;
};

/* The handle of the running drag; GZ_HANDLE_NONE if no drag runs. */
static inline enum gz_handle gz_gesture_handle(const struct gz_gesture *gesture)
{
    return gesture->course != NULL ? gesture->course->drag.handle : GZ_HANDLE_NONE;
}

/* Remembers these nodes, as they are now, as the start of the gesture. False without memory. */
GZ_MUST_USE bool gz_gesture_keep(struct gz_gesture *gesture, struct gz_scene *scene,
                                 const struct gz_targets *targets);
/* Whether the disk has the nodes as they are while the gesture runs. Of a gesture with more than
 * GZ_SAMPLED_NODES_MAX nodes only the beginning and the end are stored. */
bool gz_gesture_is_sampled(const struct gz_gesture *gesture);
/* Whether the path of its nodes is recorded: it is sampled, and not a hold without a path. */
bool gz_gesture_has_path(const struct gz_gesture *gesture);
/* At the end of a gesture: each node that moved takes a new seq, so that the disk and every viewer
 * are sent it as it is. */
void gz_gesture_settle(const struct gz_gesture *gesture, struct gz_scene *scene, uint64_t by);
/* How many nodes could be moved for what a pass with this motion costs; not below the gesture's
 * count. */
size_t gz_gesture_moves(const struct gz_gesture *gesture, const struct gz_motion *motion);
/* A pass poses each node by the motion at the pass's beginning, in slices: begins one, and
 * continues it for at most `nodes` nodes. A node whose parent has no inverse any more stays where
 * it is. `by` is the session. */
void gz_gesture_begin_pass(struct gz_gesture *gesture, const struct gz_scene *scene);
void gz_gesture_go_on(struct gz_gesture *gesture, struct gz_scene *scene, uint64_t by,
                      size_t nodes);
static inline bool gz_gesture_is_passing(const struct gz_gesture *gesture)
{
    return gesture->pass.at < gesture->pass.end;
}
/* Whether another gesture or session than `by` may have moved the parent of a node since the last
 * call. O(nodes that changed since). */
bool gz_gesture_may_lag(struct gz_gesture *gesture, struct gz_scene *scene, uint64_t by);
/* Whether the parent of a node has moved since the node was posed. */
bool gz_gesture_lags(struct gz_gesture *gesture, struct gz_scene *scene);
/* Puts each node back to its start. */
void gz_gesture_restore(const struct gz_gesture *gesture, struct gz_scene *scene, uint64_t by);
/* GZ_BAD_VALUE about the first node that this motion cannot pose. */
GZ_MUST_USE enum gz_status gz_gesture_check(const struct gz_gesture *gesture,
                                            struct gz_scene *scene, const struct gz_motion *motion,
                                            struct gz_failure *failure);
/* The gesture as an edit without changes. */
struct gz_edit_record gz_gesture_outline(const struct gz_gesture *gesture);
/* The gesture so far as an edit in `arena`, with a change for each node that it holds, moved or
 * not. The caller fills in the user and the end. False without memory. */
GZ_MUST_USE bool gz_gesture_describe(const struct gz_gesture *gesture, const struct gz_scene *scene,
                                     struct gz_arena *arena, struct gz_edit_record *edit);
/* If the file may know of the gesture: the entry for the journal that removes it from the file,
 * which the caller then owns. Else NULL. */
struct gz_journal_entry *gz_gesture_take_drop(struct gz_gesture *gesture);
/* Frees the gesture's state; it is empty then, and stays where it is in the session's list. */
void gz_gesture_finish(struct gz_gesture *gesture);

/* ---- poses of a hold ---- */

/* Makes the gesture, whose nodes ascend by id, a hold. False without memory. */
GZ_MUST_USE bool gz_gesture_await_poses(struct gz_gesture *gesture, uint64_t name,
                                        bool is_recorded);
/* The place of a node among the targets of a hold; its count if it does not hold the node. */
size_t gz_gesture_place(const struct gz_gesture *gesture, uint64_t node);
/* The next pass gives the target at this place what is wanted of it. */
void gz_gesture_want(struct gz_gesture *gesture, size_t place);

/* ---- parts of a drag ---- */

/* The nodes of a drag, grouped by parent, so that the drag can be sent as one rigid
 * motion for each parent (feed.h).
 *
 * A drag that rotates or moves its nodes is a rigid motion in the frame of each parent, as long as
 * the parents do not move, scale uniformly, and every node can follow. Each posed node is compared
 * with its motion. Frames: the parents'. Ownership: the gesture's. Threads: the core's. */

struct gz_parts {
    size_t count;
    uint64_t parents[GZ_MOTIONS_MAX]; /* ids; 0: the root */
    gz_affine frames[GZ_MOTIONS_MAX]; /* of the parents, to the world, at the beginning */
    gz_rigid rigids[GZ_MOTIONS_MAX];  /* of the pass */
    bool is_rigid;     /* each node that the pass has posed is where its rigid has it */
    bool has_foreign;  /* a node was last changed by another session */
    uint8_t part_of[]; /* the part of each target, in the gesture's order */
};
static_assert(GZ_MOTIONS_MAX <= UINT8_MAX, "a part is a byte");

/* Whether the gesture is of a kind and a size that may be sent as motions. */
bool gz_parts_suit(const struct gz_gesture *gesture);
/* NULL if there are too many parents, or without memory. */
struct gz_parts *gz_parts_create(const struct gz_gesture *gesture, const struct gz_scene *scene);
void gz_parts_destroy(struct gz_parts *parts); /* NULL is fine */
/* Fills `nodes`, part after part, for the feed to take over. False without memory. */
GZ_MUST_USE bool gz_parts_list(const struct gz_parts *parts, const struct gz_gesture *gesture,
                               const struct gz_scene *scene, struct gz_motion_nodes *nodes);
/* Begins the pass that the gesture has begun. */
void gz_parts_aim(struct gz_parts *parts, const struct gz_gesture *gesture);
/* Whether the poses of a hold, which the parts are aimed at, are rigid motions. */
bool gz_parts_fit(const struct gz_parts *parts, const struct gz_gesture *gesture);

#endif
