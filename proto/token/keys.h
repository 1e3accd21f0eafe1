/* keys.h - the keys that tokens are signed and verified with, from a file in the form of RFC 7517
 * (a JWKS): `oct` for HS256, `RSA` for RS256 (or PS256, where the key's `alg` says so), `EC` with
 * the curve P-256 for ES256.
 *
 * Each key has one algorithm, which is its `alg` or else the first one of its type: a token has no
 * say in it. Keys of other types, and those for encryption, are passed over, because the files of
 * identity providers hold them too; a key that is to be used and is wrong refuses the whole file.
 * Where a file has several keys each needs a `kid` of its own. Ownership: the caller owns the keys
 * and destroys them. Threads: keys do not change, so any number of threads may use them at once.
 * Errors: GZ_BAD_VALUE names the key and the field, as in "keys[1].n: ..."; never what a secret
 * is. What OpenSSL queues of errors is taken back. */
#ifndef GZ_KEYS_H
#define GZ_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/base/buffer.h"

struct gz_keys;

/* Reads a file: a regular one of at most GZ_KEYS_BYTES_MAX. On failure *keys is NULL. */
GZ_MUST_USE enum gz_status gz_keys_load(const char *path, struct gz_keys **keys,
                                        struct gz_error *error);
/* The same from memory. */
GZ_MUST_USE enum gz_status gz_keys_read(const char *json, size_t size, struct gz_keys **keys,
                                        struct gz_error *error);
/* Fine with NULL. OpenSSL overwrites the keys; what the parser of the JSON had of them was freed
 * before, and is not overwritten. */
void gz_keys_destroy(struct gz_keys *keys);

/* Whether one of them is a secret or has its private part. The first such key signs. */
bool gz_keys_can_sign(const struct gz_keys *keys);
/* Whether the file lets everybody on the machine read its secrets, or its group or everybody change
 * it. */
bool gz_keys_are_exposed(const struct gz_keys *keys);

/* ---- making them, for gizmoctl ---- */

/* Appends to `text` a file in which a new key for `algorithm` ("HS256", "RS256", ...) stands before
 * those of `json`; NULL for a file with nothing else. The key's `kid` begins with the day of
 * `now_unix_s`. Uses OpenSSL's random numbers. GZ_BAD_VALUE for another algorithm; GZ_TOO_MANY. */
GZ_MUST_USE enum gz_status gz_keys_add(const char *json, size_t size, const char *algorithm,
                                       double now_unix_s, struct gz_buffer *text,
                                       struct gz_error *error);
/* Appends to `text` the same keys without what must stay secret, for who only verifies.
 * GZ_BAD_VALUE where nothing is left, as of a file of HS256 secrets. */
GZ_MUST_USE enum gz_status gz_keys_publish(const char *json, size_t size, struct gz_buffer *text,
                                           struct gz_error *error);

#endif
