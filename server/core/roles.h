/* roles.h - what a person may do in a scene now: when a token ends, and the scene's own access. */
#ifndef GZ_CORE_ROLES_H
#define GZ_CORE_ROLES_H

#include <stdbool.h>

#include "proto/token/claims.h"

/* ---- the end of a token ---- */

/* Ends sessions whose tokens have expired, by the wall clock as it is at the moment, or were
 * revoked. */

struct gz_core;
struct gz_session;

/* Ends the sessions whose tokens have expired or were revoked; their clients need new tokens to
 * join again. */
void gz_core_end_expired(struct gz_core *core);
/* Whether a token is revoked. `user`: whose it is, if that is no guest. */
bool gz_core_is_revoked(const struct gz_core *core, const char *user, bool is_guest,
                        const struct gz_token_id *id);
/* Call them when the session gets a token, at first or as a renewal. False without memory: then
 * nothing has changed. */
bool gz_session_keep_token(struct gz_session *session, const struct gz_claims *claims);
void gz_session_set_expiry(struct gz_session *session);
/* Monotonic seconds before which no token expires, according to the present clocks; INFINITY for
 * never. */
double gz_core_expires_s(const struct gz_core *core);

/* ---- the scene's own access ---- */

/* Which role a session has in the scene: by its user's claims, and by the scene's own
 * access. */

struct gz_core;

/* Ends the session if its rights no longer give it its role; its client may join again at once. */
void gz_session_apply_rights(struct gz_session *session);

/* Ends the sessions whose role changed with the scene's access; their clients may join again at
 * once, with the new role. Call it when the disk has taken a batch. */
void gz_core_apply_access(struct gz_core *core);

#endif
