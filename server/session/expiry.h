/* expiry.h - how long a session's token is good. */
#ifndef GZ_SESSION_EXPIRY_H
#define GZ_SESSION_EXPIRY_H

struct gz_core;
struct gz_session;

/* Ends the sessions whose tokens have expired, for good: they have to come with other ones. */
void gz_core_end_expired(struct gz_core *core);
/* Monotonic seconds at which the session's token expires, by the clocks as they are now; INFINITY
 * for never. */
double gz_session_expires_s(const struct gz_session *session);

#endif
