/* gizmo.h - builds a session's gizmo, and decides when to send it. */
#ifndef GZ_CORE_GIZMO_H
#define GZ_CORE_GIZMO_H

#include "core/view.h"

struct gz_session;

/* The present gizmo; false if there is none. `anew`: the boxes of selected groups are computed
 * again if the scene has changed; otherwise they may be slightly old, and cost nothing. */
bool gz_session_gizmo(struct gz_session *session, bool anew, struct gz_gizmo *gizmo);
/* The gizmo stands on this seat, which was computed for the selection and a drag by `handle`, until
 * one of them or the scene changes. */
void gz_session_sit(struct gz_session *session, const struct gz_seat *seat, enum gz_handle handle);
/* Continues the look at the many nodes that the gizmo stands on, within the rest of the core's
 * slice. */
void gz_session_go_on_standing(struct gz_session *session);
/* Sends the session its gizmo if it differs from the last one sent. */
void gz_session_update_gizmo(struct gz_session *session);
/* Monotonic time at which the gizmo is to be updated because others changed the scene; INFINITY for
 * never. */
double gz_session_gizmo_due(const struct gz_session *session);

#endif
