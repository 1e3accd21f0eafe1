/* interest.h - the part of the scene that a session follows. */
#ifndef GZ_SESSION_INTEREST_H
#define GZ_SESSION_INTEREST_H

struct gz_session;

/* If the session's interest is what its camera sees, and it is time, brings it up to date. */
void gz_session_update_interest(struct gz_session *session);

#endif
