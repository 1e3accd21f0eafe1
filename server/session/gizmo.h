/* gizmo.h - what a session's gizmo looks like, and when it is sent. */
#ifndef GZ_SESSION_GIZMO_H
#define GZ_SESSION_GIZMO_H

#include "session/targets.h"

struct gz_session;

/* The gizmo as it stands; false if there is none. `anew`: what is below the selected groups is
 * looked at again if the scene has changed since. Otherwise that may be of a moment ago, and costs
 * nothing. */
bool gz_session_gizmo(struct gz_session *session, bool anew, struct gz_gizmo *gizmo);
/* Goes on with a look at the many nodes that the gizmo is to stand on, in what is left of the
 * core's slice. */
void gz_session_go_on_standing(struct gz_session *session);
/* Sends the session its gizmo if it looks different from the one it was last sent. */
void gz_session_update_gizmo(struct gz_session *session);
/* Monotonic time at which that is to be done again because others changed the scene; INFINITY:
 * never. */
double gz_session_gizmo_due(const struct gz_session *session);

#endif
