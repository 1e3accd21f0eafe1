/* gesture.h - something that a user began and has not ended: a drag on a handle, a wheel that
 * turns, a view that orbits. An edit in the making, if it holds nodes.
 *
 * interaction.h begins, moves and ends a gesture; this is what it remembers meanwhile, and what it
 * does to the scene.
 *
 * Frames: a start is local to the node's parent, a motion is in the world. Ownership: the caller
 * owns the struct; finish frees what it holds. */
#ifndef GZ_SESSION_GESTURE_H
#define GZ_SESSION_GESTURE_H

#include "proto/message.h"
#include "scene/failure.h"
#include "scene/scene.h"
#include "session/targets.h"

struct gz_interaction;
struct gz_journal_entry;
struct gz_parts; /* parts.h */

/* A node that a gesture holds. */
struct gz_gesture_target {
    uint64_t id;
    uint64_t start_seq;     /* of its last change before */
    struct gz_target start; /* as it was at the beginning, without bounds */
    gz_affine parent;       /* of the last time that the node was posed */
};

/* The edit that a gesture becomes. */
struct gz_gesture_edit {
    uint64_t id;
    enum gz_edit_kind kind;
    double began; /* Unix seconds */
    uint64_t began_seq;
    double path_m; /* how far its recorded path may pass beside, in the world */
    /* Whether the file knows it: not, or a batch that is on its way says it, or it does. */
    enum { GZ_EDIT_UNKNOWN, GZ_EDIT_SENT, GZ_EDIT_KNOWN } stored;
    uint64_t batch;                /* the number of the batch that says it */
    struct gz_journal_entry *drop; /* tells the file that it never was; NULL until the file is told
                                      of it */
};

/* The nodes are posed one after the other; with many of them that takes a few turns. */
struct gz_gesture_pass {
    size_t at;       /* the next node; at the gesture's count none is left */
    double residual; /* of the nodes before */
    bool owes_ack;   /* pointer `ack` is acknowledged once the pass is over */
    uint64_t ack;
};

/* Where a gesture has come to that holds nodes. */
struct gz_gesture_course {
    struct gz_motion motion;   /* since the beginning */
    struct gz_motion posed;    /* where the pass puts the nodes */
    struct gz_drag drag;       /* its handle is GZ_HANDLE_NONE if it is no drag */
    gz_vec3 start;             /* drag: where the gizmo was at the press */
    struct gz_pointer pointer; /* drag: the last one */
    uint32_t mods;             /* with it */
    struct gz_motion notch;    /* wheel: what one notch does */
    double notches;            /* wheel: turned so far */
};

/* Small while nothing runs: most sessions only watch. */
struct gz_gesture {
    const struct gz_interaction *interaction; /* what runs; NULL: nothing does */
    struct gz_gesture_target *targets;
    uint64_t *ids; /* of the targets, in their order */
    size_t count;
    struct gz_gesture_course *course; /* NULL: it holds no nodes */
    struct gz_parts *parts;           /* NULL: it is not told as motions */
    bool is_told_singly;              /* nor will it be */
    struct gz_orbit *orbit;           /* NULL: it is no orbit */
    double residual;
    bool moved;     /* a node changed since the beginning */
    bool is_behind; /* a pass is to begin, once that can be afforded; then: */
    bool owes_ack;
    uint64_t ack; /* the pointer that is to be acknowledged */
    struct gz_gesture_pass pass;
    uint64_t followed_seq; /* of the scene when it was last asked whether parents moved */
    struct gz_gesture_edit edit;
    double closes_s;       /* monotonic: when it ends by itself; INFINITY: never */
    struct gz_value typed; /* drag: once a value was typed, the pointer moves nothing */
};

/* The handle of the drag that runs; GZ_HANDLE_NONE: none does. */
static inline enum gz_handle gz_gesture_handle(const struct gz_gesture *gesture)
{
    return gesture->course != NULL ? gesture->course->drag.handle : GZ_HANDLE_NONE;
}

/* Makes these nodes, as they are now, the ones that the gesture holds, and that have not moved yet.
 * False without memory. */
GZ_MUST_USE bool gz_gesture_keep(struct gz_gesture *gesture, const struct gz_scene *scene,
                                 const struct gz_targets *targets);
/* Whether the disk has each place that the nodes come through. Of a gesture with more nodes it has
 * where they were before and, once it is over, where they are. */
bool gz_gesture_is_sampled(const struct gz_gesture *gesture);
/* Of one that is not: each node that moved is to go to the disk, for the gesture is over. */
void gz_gesture_settle(const struct gz_gesture *gesture, struct gz_scene *scene, uint64_t by);
/* Puts each node where the motion has it. A node that cannot follow, because its parent lost its
 * inverse, stays where it is. `by` is the session. A pass that goes on is over. */
void gz_gesture_pose(struct gz_gesture *gesture, struct gz_scene *scene, uint64_t by);
/* The same in slices: begins a pass, and goes on with it for at most so many nodes. The motion of
 * its beginning counts. */
void gz_gesture_begin_pass(struct gz_gesture *gesture, const struct gz_scene *scene);
void gz_gesture_go_on(struct gz_gesture *gesture, struct gz_scene *scene, uint64_t by,
                      size_t nodes);
static inline bool gz_gesture_is_passing(const struct gz_gesture *gesture)
{
    return gesture->pass.at < gesture->count;
}
/* Whether the parent of a node may have been moved by another session than `by` since that was
 * asked last. O(nodes that changed since). */
bool gz_gesture_may_lag(struct gz_gesture *gesture, struct gz_scene *scene, uint64_t by);
/* Poses again if a parent of a node was moved by somebody; whether that moved anything. */
bool gz_gesture_follow(struct gz_gesture *gesture, struct gz_scene *scene, uint64_t by);
/* Puts each node where it was at the beginning. */
void gz_gesture_restore(const struct gz_gesture *gesture, struct gz_scene *scene, uint64_t by);
/* GZ_BAD_VALUE about the first node that cannot go where the motion has it. */
GZ_MUST_USE enum gz_status gz_gesture_check(const struct gz_gesture *gesture,
                                            struct gz_scene *scene, const struct gz_motion *motion,
                                            struct gz_failure *failure);
/* The gesture as an edit that has no changes yet. */
struct gz_edit_record gz_gesture_outline(const struct gz_gesture *gesture);
/* What the gesture has done so far, as an edit: with a change for each node that it holds, moved or
 * not. Whose edit it is and when it ended is for the caller to say. All of it is in `arena`. False
 * without memory. */
GZ_MUST_USE bool gz_gesture_describe(const struct gz_gesture *gesture, const struct gz_scene *scene,
                                     struct gz_arena *arena, struct gz_edit_record *edit);
/* If the file may know the gesture: the entry for the journal that makes the file forget it, which
 * is the caller's from now on. Else NULL. */
struct gz_journal_entry *gz_gesture_take_drop(struct gz_gesture *gesture);
/* Frees what the gesture remembers; nothing runs any more. */
void gz_gesture_finish(struct gz_gesture *gesture);

#endif
