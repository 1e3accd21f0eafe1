/* keyring.h - the keys that the daemon trusts, from a file that can be read again while it runs.
 *
 * Ownership: the daemon owns the ring; the rooms that are handed it look into it. Threads: the
 * loop's. Errors: their words name --keys and the file, or "token: ...". */
#ifndef GZ_NET_KEYRING_H
#define GZ_NET_KEYRING_H

#include "proto/base/log.h"
#include "proto/token/token.h"

struct gz_keyring {
    const char *path, *audience; /* the caller's; they live as long as the ring */
    struct gz_keys *keys;
};

/* Reads the file; a warning goes to the log if others may read its secrets. On an error *ring is as
 * it was: a file that is wrong leaves the earlier keys in force. */
GZ_MUST_USE enum gz_status gz_keyring_load(struct gz_keyring *ring, const struct gz_log *log,
                                           struct gz_error *error);
/* Fine with one that was never loaded. */
void gz_keyring_finish(struct gz_keyring *ring);
/* Fills *claims if the token is good now: GZ_UNAUTHORISED if it is not. */
GZ_MUST_USE enum gz_status gz_keyring_verify(const struct gz_keyring *ring, struct gz_text token,
                                             struct gz_claims *claims, struct gz_error *error);
/* Signs a token with these claims for this server, good for so long. GZ_BAD_STATE if no key of the
 * file can sign. */
GZ_MUST_USE enum gz_status gz_keyring_sign(const struct gz_keyring *ring,
                                           const struct gz_claims *claims, double seconds,
                                           char token[GZ_TOKEN_BYTES_MAX + 1],
                                           struct gz_error *error);

#endif
