/* keys.h - the keys that sign and verify tokens, from a file in the form of RFC 7517 (a JWKS):
 * `oct` for HS256, `RSA` for RS256 (or PS256, if the key's `alg` says so), `EC` with the curve
 * P-256 for ES256.
 *
 * Each key has one algorithm, its `alg` or else the first one of its type; a token cannot choose
 * it. Keys of other types, and those for encryption, are skipped, because the files of identity
 * providers hold them too; any other faulty key refuses the whole file. In a file of several keys
 * each needs a `kid` of its own. Ownership: the caller owns the keys and destroys them. Threads:
 * keys do not change, so any number of threads may use them at once. Errors: GZ_BAD_VALUE names the
 * key and the field, as in "keys[1].n: ...", but never a secret. OpenSSL's error queue is left
 * empty. */
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
/* NULL is fine. OpenSSL overwrites the keys; copies in the JSON parser were freed before, without
 * being overwritten. */
void gz_keys_destroy(struct gz_keys *keys);

/* Whether a key is a secret or has its private part. The first such key signs. */
bool gz_keys_can_sign(const struct gz_keys *keys);
/* Whether the file's mode lets all users read its secrets, or the group or all users change it. */
bool gz_keys_are_exposed(const struct gz_keys *keys);

/* ---- making keys, for gizmoctl ---- */

/* Appends to `text` a file with a new key for `algorithm` ("HS256", "RS256", ...), followed by the
 * keys of `json`, which may be NULL. The key's `kid` begins with the day of `now_unix_s`. Uses
 * OpenSSL's random numbers. GZ_BAD_VALUE for another algorithm; GZ_TOO_MANY. */
GZ_MUST_USE enum gz_status gz_keys_add(const char *json, size_t size, const char *algorithm,
                                       double now_unix_s, struct gz_buffer *text,
                                       struct gz_error *error);
/* Appends to `text` the same keys without their private parts, for programs that only verify.
 * GZ_BAD_VALUE if nothing is left, as of a file of HS256 secrets. */
GZ_MUST_USE enum gz_status gz_keys_publish(const char *json, size_t size, struct gz_buffer *text,
                                           struct gz_error *error);

#endif
