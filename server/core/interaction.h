/* interaction.h - the kinds of gesture, each as a table of functions, and how a gesture begins,
 * moves and ends. Only drags.c and hold.c know a kind; all other code calls through its table. A
 * gesture is the one of the session's pointer, or one of its holds. */
#ifndef GZ_CORE_INTERACTION_H
#define GZ_CORE_INTERACTION_H

#include "core/gesture.h"

struct gz_session;

/* One input of the user. */
struct gz_interaction_input {
    enum gz_handle handle;            /* drag: at its beginning */
    const struct gz_pointer *pointer; /* drag, orbit; NULL if the message has none */
    uint32_t mods;
    const struct gz_value *value;       /* drag: a typed value; NULL for none */
    double notches;                     /* wheel: by how much it turned */
    const struct gz_hold_message *hold; /* hold: at its beginning */
    const struct gz_pose_message *pose; /* hold: poses */
};

struct gz_interaction {
    /* Fills the gesture, which is empty. On failure it is empty again. */
    enum gz_status (*begin)(struct gz_session *session, struct gz_gesture *gesture,
                            const struct gz_interaction_input *input, struct gz_failure *failure);
    /* On failure nothing has moved. */
    enum gz_status (*move)(struct gz_session *session, struct gz_gesture *gesture,
                           const struct gz_interaction_input *input, struct gz_failure *failure);
    /* Completes the gesture and answers `request`, now or after COMMIT; NULL: no request. */
    void (*finish)(struct gz_session *session, struct gz_gesture *gesture,
                   const struct gz_message *request);
    /* Ends the gesture and undoes its effects. */
    void (*cancel)(struct gz_session *session, struct gz_gesture *gesture);
    /* The session's camera has moved; NULL if that has no effect. */
    void (*camera_moved)(struct gz_session *session);
    bool gives_way;       /* any other action of the user completes it first */
    bool is_acknowledged; /* its pointers are acknowledged */
};

extern const struct gz_interaction gz_drag_interaction, gz_wheel_interaction, gz_orbit_interaction,
    gz_hold_interaction;

/* Begins a gesture, which is empty. */
GZ_MUST_USE enum gz_status gz_interaction_begin(struct gz_session *session,
                                                struct gz_gesture *gesture,
                                                const struct gz_interaction *interaction,
                                                const struct gz_interaction_input *input,
                                                struct gz_failure *failure);
/* The functions from here to gz_interaction_acknowledge do nothing if the gesture does not run. A
 * hold that has ended is freed. */
void gz_interaction_finish(struct gz_session *session, struct gz_gesture *gesture,
                           const struct gz_message *request);
void gz_interaction_cancel(struct gz_session *session, struct gz_gesture *gesture);
/* Completes all gestures of the session. */
void gz_interaction_finish_all(struct gz_session *session);
/* Completes the pointer's gesture if that gives way to other actions of the user. */
void gz_interaction_give_way(struct gz_session *session);
void gz_interaction_camera_moved(struct gz_session *session);
/* Begins a pass if the motion has changed or parents have moved, the pass before is over, and the
 * session can afford it. */
void gz_interaction_catch_up(struct gz_session *session, struct gz_gesture *gesture);
/* Continues the pass, within the rest of the core's slice. */
void gz_interaction_go_on(struct gz_session *session, struct gz_gesture *gesture);
/* Monotonic time at which either is to be called again; INFINITY for never. */
double gz_interaction_due(const struct gz_session *session, const struct gz_gesture *gesture);
/* Poses nodes again whose parents moved; whether a node moved by that. */
bool gz_interaction_follow(struct gz_session *session, struct gz_gesture *gesture);
/* Acknowledges pointer or pose `n` as soon as the scene shows its effect. If it moved nothing since
 * `seq_before`, the acknowledgement takes a seq of its own. */
void gz_interaction_acknowledge(struct gz_session *session, struct gz_gesture *gesture, uint64_t n,
                                uint64_t seq_before);

/* ---- for the tables: gestures that hold nodes ---- */

/* Holds these nodes and fills the gesture, which becomes an edit of this kind. `path_m`: the
 * tolerance of its recorded path. */
GZ_MUST_USE enum gz_status gz_interaction_take(struct gz_session *session,
                                               struct gz_gesture *gesture,
                                               const struct gz_targets *targets,
                                               enum gz_edit_kind kind, double path_m,
                                               struct gz_failure *failure);
/* Holds the top-most selected nodes, fills the pointer's gesture with them, and returns the present
 * gizmo, for the handle and as the pointer of the input sees it. GZ_TOO_MANY if there is no room
 * for the edit that the gesture may become, because its end cannot be refused. */
GZ_MUST_USE enum gz_status gz_interaction_hold(struct gz_session *session,
                                               const struct gz_interaction_input *input,
                                               enum gz_edit_kind kind, struct gz_gizmo *gizmo,
                                               struct gz_failure *failure);
/* Poses the nodes by the motion: now or, if they are many, in slices, and when the session can
 * afford it. The latest motion counts, and a gesture that ends has posed its nodes by it. */
void gz_interaction_pose(struct gz_session *session, struct gz_gesture *gesture);
/* Poses all nodes at once, whatever it costs. No pointer is acknowledged. */
void gz_interaction_pose_now(struct gz_session *session, struct gz_gesture *gesture);
/* Poses all nodes of a hold that wait to be posed, whatever it costs. */
void gz_interaction_pose_rest(struct gz_session *session, struct gz_gesture *gesture);
/* Viewers are told its nodes one by one from now on. */
void gz_interaction_tell_singly(struct gz_session *session, struct gz_gesture *gesture);
/* Empties the gesture; its nodes are free, and others are shown that. A hold is freed. */
void gz_interaction_release(struct gz_session *session, struct gz_gesture *gesture);
/* finish and cancel of a gesture that holds nodes: it becomes an edit if it changed anything; or
 * its nodes go back to their starts. */
void gz_interaction_keep_edit(struct gz_session *session, struct gz_gesture *gesture,
                              const struct gz_message *request);
void gz_interaction_take_back(struct gz_session *session, struct gz_gesture *gesture);

#endif
