/* identity.h - the keys that the daemon trusts, from a file that can be read again while it runs.
 *
 * Ownership: the daemon owns the ring; rooms that are given it only read it. Threads: the loop's.
 * Errors name --keys and the file, or "token: ...". */
#ifndef GZ_FRONT_IDENTITY_H
#define GZ_FRONT_IDENTITY_H

#include "proto/base/log.h"
#include "proto/token/revoked.h"
#include "proto/token/token.h"

struct gz_keyring {
    const char *path, *audience; /* the caller's; they live as long as the ring */
    const char *revoked_path;    /* the same; NULL: no token is revoked */
    struct gz_keys *keys;
    struct gz_revoked *revoked;
    uint64_t revocations; /* how often that was read */
};

/* Reads the file; logs a warning if other users can read its secrets. On an error *ring is as it
 * was, with the earlier keys. */
GZ_MUST_USE enum gz_status gz_keyring_load(struct gz_keyring *ring, const struct gz_log *log,
                                           struct gz_error *error);
/* The same for the revoked tokens; a ring without their path has none. */
GZ_MUST_USE enum gz_status gz_keyring_load_revoked(struct gz_keyring *ring, struct gz_error *error);
/* Fine for one that was never loaded. */
void gz_keyring_finish(struct gz_keyring *ring);
/* Fills *claims if the token is valid now, else GZ_UNAUTHORISED. */
GZ_MUST_USE enum gz_status gz_keyring_verify(const struct gz_keyring *ring, struct gz_text token,
                                             struct gz_claims *claims, struct gz_error *error);
/* Signs a token with these claims for this server, valid for `seconds`. GZ_BAD_STATE if no key of
 * the file can sign. */
GZ_MUST_USE enum gz_status gz_keyring_sign(const struct gz_keyring *ring,
                                           const struct gz_claims *claims, double seconds,
                                           char token[GZ_TOKEN_BYTES_MAX + 1],
                                           struct gz_error *error);

#endif
