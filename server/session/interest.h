/* interest.h - the part of the scene that a session follows. */
#ifndef GZ_SESSION_INTEREST_H
#define GZ_SESSION_INTEREST_H

struct gz_session;

/* Monotonic time at which what the session's camera sees has to be looked at again; INFINITY:
 * never.
 */
double gz_session_interest_due(const struct gz_session *session);
/* If the session's interest is what its camera sees, and it is time, brings it up to date. */
void gz_session_update_interest(struct gz_session *session);

#endif
