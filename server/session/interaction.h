/* interaction.h - the kinds of gesture, each as a table of functions, and how a session's gesture
 * begins, moves and ends. Only the files of the tables (drag.c, wheel.c, orbit.c) know which kind
 * runs; everybody else calls through the table. */
#ifndef GZ_SESSION_INTERACTION_H
#define GZ_SESSION_INTERACTION_H

#include "session/gesture.h"

struct gz_session;

/* What the user does. */
struct gz_interaction_input {
    enum gz_handle handle;            /* drag: at its beginning */
    const struct gz_pointer *pointer; /* drag, orbit; NULL if the message has no place */
    uint32_t mods;
    const struct gz_value *value; /* drag: a typed one; NULL for none */
    double notches;               /* wheel: to turn by */
};

struct gz_interaction {
    /* Fills the session's gesture, which is empty. On failure it is empty again. */
    enum gz_status (*begin)(struct gz_session *session, const struct gz_interaction_input *input,
                            struct gz_failure *failure);
    /* On failure nothing has moved. */
    enum gz_status (*move)(struct gz_session *session, const struct gz_interaction_input *input,
                           struct gz_failure *failure);
    /* Ends it for good and answers `request`, now or after COMMIT; NULL: nobody asked. */
    void (*finish)(struct gz_session *session, const struct gz_message *request);
    /* Ends it as if it had never been. */
    void (*cancel)(struct gz_session *session);
    /* The session's camera has moved; NULL: that does not matter. */
    void (*camera_moved)(struct gz_session *session);
    bool gives_way;       /* whatever else the user does completes it first */
    bool is_acknowledged; /* the scene shows what each pointer did */
};

extern const struct gz_interaction gz_drag_interaction, gz_wheel_interaction, gz_orbit_interaction;

/* Begins a gesture; none runs. */
GZ_MUST_USE enum gz_status gz_interaction_begin(struct gz_session *session,
                                                const struct gz_interaction *interaction,
                                                const struct gz_interaction_input *input,
                                                struct gz_failure *failure);
/* These do nothing if no gesture runs. */
void gz_interaction_finish(struct gz_session *session, const struct gz_message *request);
void gz_interaction_cancel(struct gz_session *session);
/* Completes a gesture that gives way to whatever else the user does. */
void gz_interaction_give_way(struct gz_session *session);
void gz_interaction_camera_moved(struct gz_session *session);
/* Begins to move the nodes of a gesture whose motion has gone on, or whose parents moved, if the
 * session can afford it by now, and all are where the motion before had them. */
void gz_interaction_catch_up(struct gz_session *session);
/* Goes on with that, in what is left of the core's slice. */
void gz_interaction_go_on(struct gz_session *session);
/* Monotonic time at which either is to be done again; INFINITY: never. */
double gz_interaction_due(const struct gz_session *session);
/* Has the nodes follow parents that moved; whether that moved anything. */
bool gz_interaction_follow(struct gz_session *session);
/* Says that the scene shows what the session's pointer `n` did, now or once it does. If the pointer
 * moved nothing since `seq_before`, the acknowledgement takes a place of its own in the order. */
void gz_interaction_acknowledge(struct gz_session *session, uint64_t n, uint64_t seq_before);

/* ---- for the tables: gestures that hold nodes ---- */

/* Holds the top-most selected nodes and fills the session's gesture with them; the gizmo is as it
 * stands now. GZ_TOO_MANY if there is no room for the edit that it may become: its end cannot be
 * refused. */
GZ_MUST_USE enum gz_status gz_interaction_hold(struct gz_session *session, enum gz_handle handle,
                                               enum gz_edit_kind kind, struct gz_gizmo *gizmo,
                                               struct gz_failure *failure);
/* Puts each node where the motion has it: now or, if they are many, in slices, and when the session
 * can afford it. The latest motion counts, and a gesture that ends has its nodes there. */
void gz_interaction_pose(struct gz_session *session);
/* Puts each node there at once, whatever it costs. No pointer is acknowledged for it. */
void gz_interaction_pose_now(struct gz_session *session);
/* Empties the gesture; its nodes are free and others see it. */
void gz_interaction_release(struct gz_session *session);
/* finish and cancel of such a gesture: it becomes an edit if it changed anything, or the nodes go
 * back to where they were. */
void gz_interaction_keep_edit(struct gz_session *session, const struct gz_message *request);
void gz_interaction_take_back(struct gz_session *session);

#endif
