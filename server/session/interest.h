/* interest.h - the interest of a session: the part of the scene that it is sent. */
#ifndef GZ_SESSION_INTEREST_H
#define GZ_SESSION_INTEREST_H

struct gz_session;

/* Monotonic time at which an interest that is the camera's view is to be updated; INFINITY for
 * never. */
double gz_session_interest_due(const struct gz_session *session);
/* Updates an interest that is the camera's view, if it is time. */
void gz_session_update_interest(struct gz_session *session);

#endif
