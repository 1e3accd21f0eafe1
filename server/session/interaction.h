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

/* ---- for the tables: gestures that hold nodes ---- */

/* Holds the top-most selected nodes and fills the session's gesture with them; the gizmo is as it
 * stands now. GZ_TOO_MANY if there is no room for the edit that it may become: its end cannot be
 * refused. */
GZ_MUST_USE enum gz_status gz_interaction_hold(struct gz_session *session, enum gz_handle handle,
                                               enum gz_edit_kind kind, struct gz_gizmo *gizmo,
                                               struct gz_failure *failure);
/* Empties the gesture; its nodes are free and others see it. */
void gz_interaction_release(struct gz_session *session);
/* finish and cancel of such a gesture: it becomes an edit if it changed anything, or the nodes go
 * back to where they were. */
void gz_interaction_keep_edit(struct gz_session *session, const struct gz_message *request);
void gz_interaction_take_back(struct gz_session *session);

#endif
