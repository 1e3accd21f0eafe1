/* internal.h - what the files of this room share: algorithms, keys as OpenSSL has them, base64url.
 * Nobody else includes it.
 *
 * OpenSSL signs and verifies, jansson reads. The libraries for JSON Web Tokens that Debian 12 has
 * were weighed and not taken. libjwt 1.10 takes the algorithm from the token, answers "verified"
 * for a token that it did not look at if it has no memory for the key, and reads no JWKS.
 * librhonabwy 1.1 reads JWKS and brings GnuTLS, curl, LDAP and Kerberos into the daemon beside
 * OpenSSL. What is left to do beside OpenSSL is the form of a token, which is strict here. */
#ifndef GZ_TOKEN_INTERNAL_H
#define GZ_TOKEN_INTERNAL_H

#include <jansson.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stdint.h>

#include "proto/base/status.h"

/* ---- base64url without padding, RFC 4648 (base64url.c) ---- */

#define GZ_BASE64URL_BYTES(size) (((size)*4 + 2) / 3)
/* Decodes into `bytes`, which has room for size * 3 / 4. False for another character, for a length
 * that nothing encodes to, and for bits left over: each value has one text. */
bool gz_base64url_read(const char *text, size_t size, uint8_t *bytes, size_t *count);
/* Writes GZ_BASE64URL_BYTES(size) characters and returns how many these are. */
size_t gz_base64url_write(const uint8_t *bytes, size_t size, char *text);

/* ---- JSON (json.c) ---- */

/* A new reference to what the bytes are, read strictly; NULL, and *where it went wrong, for what is
 * not JSON, and without memory. */
json_t *gz_json_read(const char *bytes, size_t size, json_error_t *where);

/* ---- algorithms (algorithm.c) ---- */

struct gz_algorithm {
    const char *name;             /* as the header of a token says it */
    const char *key_type, *curve; /* as a JWK says them; the curve of an EC key */
    const char *digest;
    bool is_pss;             /* RSASSA-PSS */
    size_t coordinate_bytes; /* of an EC key */
};

/* Ends with a name of NULL; the first of a type of key is for keys that do not say theirs. */
extern const struct gz_algorithm gz_algorithms[];

struct gz_key {
    char id[GZ_KEY_ID_BYTES_MAX + 1]; /* empty where it has none */
    const struct gz_algorithm *algorithm;
    EVP_PKEY *pair; /* a secret too */
    bool can_sign;
};

#define GZ_SIGNATURE_BYTES_MAX (GZ_RSA_BITS_MAX / 8)
/* Signs; false where OpenSSL fails. */
bool gz_key_sign(const struct gz_key *key, const void *bytes, size_t size,
                 uint8_t signature[GZ_SIGNATURE_BYTES_MAX], size_t *signature_size);
/* Whether it is this key's signature of these bytes; secrets are compared in constant time. */
bool gz_key_verify(const struct gz_key *key, const void *bytes, size_t size,
                   const uint8_t *signature, size_t signature_size);

/* ---- keys (jwk.c, keys.c) ---- */

struct gz_keys {
    struct gz_key items[GZ_KEYS_MAX];
    size_t count;
    bool are_exposed;
};

/* A field of a JWK that is a number, and what OpenSSL calls it. Lists end with a field of NULL. */
struct gz_jwk_number {
    const char *field, *parameter;
    bool is_private;
};
extern const struct gz_jwk_number gz_rsa_numbers[], gz_ec_numbers[];

/* Makes a key of a JWK for an algorithm; `place` is what errors call it, e.g. "keys[1]". On failure
 * *pair is NULL. */
enum gz_status gz_jwk_read(const json_t *jwk, const char *place, struct gz_key *key,
                           struct gz_error *error);

/* ---- claims (claims.c) ---- */

struct gz_claims;

/* GZ_UNAUTHORISED, "token: ...". */
enum gz_status gz_token_refuse(struct gz_error *error, const char *words);
/* Checks and takes what a token claims; *claims is zeroed at first. */
enum gz_status gz_claims_read(const json_t *json, const char *audience, double now_unix_s,
                              struct gz_claims *claims, struct gz_error *error);
/* A new reference; NULL without memory, or where a text is not UTF-8. */
json_t *gz_claims_write(const struct gz_claims *claims, const char *audience, double now_unix_s);

#endif
