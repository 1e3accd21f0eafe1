/* expiry.h - how long a session's token is good. */
#ifndef GZ_SESSION_EXPIRY_H
#define GZ_SESSION_EXPIRY_H

struct gz_core;
struct gz_session;

/* Ends the sessions whose tokens have expired, for good: they have to come with other ones. */
void gz_core_end_expired(struct gz_core *core);
/* The session has a token, from now on this one. */
void gz_session_set_expiry(struct gz_session *session);
/* Monotonic seconds before which no token expires, by the clocks as they are now; INFINITY for
 * never. */
double gz_core_expires_s(const struct gz_core *core);

#endif
