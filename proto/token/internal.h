/* internal.h - what the files of this room share: algorithms, OpenSSL's keys, base64url. Private to
 * this room.
 *
 * OpenSSL signs and verifies, jansson reads JSON. Debian 12's libraries for JSON Web Tokens were
 * considered and rejected: libjwt 1.10 takes the algorithm from the token, reports "verified" for
 * an unread token if it has no memory for the key, and reads no JWKS; librhonabwy 1.1 reads JWKS,
 * but brings GnuTLS, curl, LDAP and Kerberos into the daemon. The rest is the form of a token,
 * which is checked strictly here. */
#ifndef GZ_TOKEN_INTERNAL_H
#define GZ_TOKEN_INTERNAL_H

#include <jansson.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stdint.h>

#include "proto/base/status.h"

/* ---- base64url without padding, RFC 4648 (base64url.c) ---- */

#define GZ_BASE64URL_BYTES(size) (((size)*4 + 2) / 3)
/* Decodes into `bytes`, which has room for size * 3 / 4. False for another character, an impossible
 * length, and leftover bits: each value has one text. */
bool gz_base64url_read(const char *text, size_t size, uint8_t *bytes, size_t *count);
/* Writes GZ_BASE64URL_BYTES(size) characters and returns their number. */
size_t gz_base64url_write(const uint8_t *bytes, size_t size, char *text);

/* ---- JSON (json.c) ---- */

/* Parses JSON strictly; the caller owns the reference. NULL, with *where it went wrong, for bytes
 * that are no JSON, and without memory. */
json_t *gz_json_read(const char *bytes, size_t size, json_error_t *where);

/* ---- algorithms (algorithm.c) ---- */

struct gz_algorithm {
    const char *name;             /* in the header of a token */
    const char *key_type, *curve; /* in a JWK; the curve of an EC key */
    const char *digest;
    bool is_pss;             /* RSASSA-PSS */
    size_t coordinate_bytes; /* of an EC key */
};

/* Ends with a name of NULL; the first algorithm of a key type is the default of its keys. */
extern const struct gz_algorithm gz_algorithms[];

struct gz_key {
    char id[GZ_KEY_ID_BYTES_MAX + 1]; /* empty if it has none */
    const struct gz_algorithm *algorithm;
    EVP_PKEY *pair; /* a secret too */
    bool can_sign;
};

#define GZ_SIGNATURE_BYTES_MAX (GZ_RSA_BITS_MAX / 8)
/* Signs; false if OpenSSL fails. */
bool gz_key_sign(const struct gz_key *key, const void *bytes, size_t size,
                 uint8_t signature[GZ_SIGNATURE_BYTES_MAX], size_t *signature_size);
/* Whether the signature of these bytes is this key's; secrets are compared in constant time. */
bool gz_key_verify(const struct gz_key *key, const void *bytes, size_t size,
                   const uint8_t *signature, size_t signature_size);

/* ---- keys (jwk.c, keys.c) ---- */

struct gz_keys {
    struct gz_key items[GZ_KEYS_MAX];
    size_t count;
    bool are_exposed;
};

/* A field of a JWK that is a number, and OpenSSL's name for it. Lists end with a field of NULL. */
struct gz_jwk_number {
    const char *field, *parameter;
    bool is_private;
};
extern const struct gz_jwk_number gz_rsa_numbers[], gz_ec_numbers[];

/* Makes a key of a JWK for key->algorithm; `place` names it in errors, e.g. "keys[1]". On failure
 * key->pair is NULL. */
enum gz_status gz_jwk_read(const json_t *jwk, const char *place, struct gz_key *key,
                           struct gz_error *error);

/* ---- claims (claims.c) ---- */

struct gz_claims;

/* GZ_UNAUTHORISED, "token: ...". */
enum gz_status gz_token_refuse(struct gz_error *error, const char *words);
/* Checks and reads the claims of a token; *claims is zeroed at first. */
enum gz_status gz_claims_read(const json_t *json, const char *audience, double now_unix_s,
                              struct gz_claims *claims, struct gz_error *error);
/* The claims as JSON; the caller owns the reference. NULL without memory, or if a text is not
 * UTF-8. */
json_t *gz_claims_write(const struct gz_claims *claims, const char *audience, double now_unix_s);

#endif
