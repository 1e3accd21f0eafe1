/* interaction.h - the kinds of gesture, each as a table of functions, and how a session's gesture
 * begins, moves and ends. Only drags.c, drags.c and drags.c know a kind; all other code calls
 * through its table. */
#ifndef GZ_CORE_INTERACTION_H
#define GZ_CORE_INTERACTION_H

#include "core/gesture.h"

struct gz_session;

/* One input of the user. */
struct gz_interaction_input {
    enum gz_handle handle;            /* drag: at its beginning */
    const struct gz_pointer *pointer; /* drag, orbit; NULL if the message has none */
    uint32_t mods;
    const struct gz_value *value; /* drag: a typed value; NULL for none */
    double notches;               /* wheel: by how much it turned */
};

struct gz_interaction {
    /* Fills the session's gesture, which is empty. On failure it is empty again. */
    enum gz_status (*begin)(struct gz_session *session, const struct gz_interaction_input *input,
                            struct gz_failure *failure);
    /* On failure nothing has moved. */
    enum gz_status (*move)(struct gz_session *session, const struct gz_interaction_input *input,
                           struct gz_failure *failure);
    /* Completes the gesture and answers `request`, now or after COMMIT; NULL: no request. */
    void (*finish)(struct gz_session *session, const struct gz_message *request);
    /* Ends the gesture and undoes its effects. */
    void (*cancel)(struct gz_session *session);
    /* The session's camera has moved; NULL if that has no effect. */
    void (*camera_moved)(struct gz_session *session);
    bool gives_way;       /* any other action of the user completes it first */
    bool is_acknowledged; /* its pointers are acknowledged */
};

extern const struct gz_interaction gz_drag_interaction, gz_wheel_interaction, gz_orbit_interaction;

/* Begins a gesture; none runs. */
GZ_MUST_USE enum gz_status gz_interaction_begin(struct gz_session *session,
                                                const struct gz_interaction *interaction,
                                                const struct gz_interaction_input *input,
                                                struct gz_failure *failure);
/* The functions from here to gz_interaction_acknowledge do nothing if no gesture runs. */
void gz_interaction_finish(struct gz_session *session, const struct gz_message *request);
void gz_interaction_cancel(struct gz_session *session);
/* Completes a gesture that gives way to other actions of the user. */
void gz_interaction_give_way(struct gz_session *session);
void gz_interaction_camera_moved(struct gz_session *session);
/* Begins a pass if the motion has changed or parents have moved, the pass before is over, and the
 * session can afford it. */
void gz_interaction_catch_up(struct gz_session *session);
/* Continues the pass, within the rest of the core's slice. */
void gz_interaction_go_on(struct gz_session *session);
/* Monotonic time at which either is to be called again; INFINITY for never. */
double gz_interaction_due(const struct gz_session *session);
/* Poses nodes again whose parents moved; whether a node moved by that. */
bool gz_interaction_follow(struct gz_session *session);
/* Acknowledges the session's pointer `n` as soon as the scene shows its effect. If the pointer
 * moved nothing since `seq_before`, the acknowledgement takes a seq of its own. */
void gz_interaction_acknowledge(struct gz_session *session, uint64_t n, uint64_t seq_before);

/* ---- for the tables: gestures that hold nodes ---- */

/* Holds the top-most selected nodes, fills the session's gesture with them, and returns the present
 * gizmo, for the handle and as the pointer of the input sees it. GZ_TOO_MANY if there is no room
 * for the edit that the gesture may become, because its end cannot be refused. */
GZ_MUST_USE enum gz_status gz_interaction_hold(struct gz_session *session,
                                               const struct gz_interaction_input *input,
                                               enum gz_edit_kind kind, struct gz_gizmo *gizmo,
                                               struct gz_failure *failure);
/* Poses the nodes by the motion: now or, if they are many, in slices, and when the session can
 * afford it. The latest motion counts, and a gesture that ends has posed its nodes by it. */
void gz_interaction_pose(struct gz_session *session);
/* Poses all nodes at once, whatever it costs. No pointer is acknowledged. */
void gz_interaction_pose_now(struct gz_session *session);
/* Empties the gesture; its nodes are free, and others are shown that. */
void gz_interaction_release(struct gz_session *session);
/* finish and cancel of a gesture that holds nodes: it becomes an edit if it changed anything; or
 * its nodes go back to their starts. */
void gz_interaction_keep_edit(struct gz_session *session, const struct gz_message *request);
void gz_interaction_take_back(struct gz_session *session);

#endif
