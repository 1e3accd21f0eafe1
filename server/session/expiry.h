/* expiry.h - ends sessions whose tokens have expired, by the wall clock as it is at the moment. */
#ifndef GZ_SESSION_EXPIRY_H
#define GZ_SESSION_EXPIRY_H

struct gz_core;
struct gz_session;

/* Ends the sessions whose tokens have expired; their clients need new tokens to join again. */
void gz_core_end_expired(struct gz_core *core);
/* Call it when the session gets a token, at first or as a renewal. */
void gz_session_set_expiry(struct gz_session *session);
/* Monotonic seconds before which no token expires, according to the present clocks; INFINITY for
 * never. */
double gz_core_expires_s(const struct gz_core *core);

#endif
