/* revoked.h - tokens that count no more, although they are signed and have not expired: a file with
 * a line for each,
 *
 *     jti ID                  the token with this `jti`
 *     user TIME NAME          all tokens of the user NAME (`sub`) whose `iat` is before TIME; one
 *                             without `iat` is before all times
 *
 * and lines that begin with `#`. TIME is in Unix seconds, or as 2026-11-29T12:00:00Z.
 *
 * Ownership: the caller owns the list and destroys it. Threads: it does not change; any number may
 * ask. Errors: GZ_BAD_VALUE names the file and the line; GZ_TOO_LARGE, GZ_NO_MEMORY. */
#ifndef GZ_REVOKED_H
#define GZ_REVOKED_H

#include "proto/base/status.h"
#include "proto/token/claims.h"

struct gz_revoked;

GZ_MUST_USE enum gz_status gz_revoked_load(const char *path, struct gz_revoked **revoked,
                                           struct gz_error *error);
/* NULL is fine. */
void gz_revoked_destroy(struct gz_revoked *revoked);
/* `user`: empty for a guest, whose token has only its id. A NULL list has nobody. */
bool gz_revoked_has(const struct gz_revoked *revoked, const char *user,
                    const struct gz_token_id *id);

#endif
