/* forge.h - tokens and files of keys for tests, made without the code under test: what is asked for
 * is signed, however wrong it is. */
#ifndef GZ_TEST_FORGE_H
#define GZ_TEST_FORGE_H

#include "proto/token/token.h"

#define NOW 1.8e9
#define FORGED_BYTES_MAX 16384

/* 32 bytes of ASCII, the secret of FORGED_KEYS. */
#define FORGED_SECRET "0123456789abcdef0123456789abcdef"
#define FORGED_KEYS                                                                                \
    "{'keys':[{'kty':'oct','kid':'a','k':'MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY'}]}"
#define FORGED_HEAD "{'alg':'HS256','kid':'a'}"
#define FORGED_CLAIMS "{'sub':'ada','aud':'gizmod','exp':1800000100}"

struct forged {
    char text[FORGED_BYTES_MAX];
};

/* A text with each ' as a "; static, good until the eighth one after it. */
const char *quoted(const char *text);
/* base64url of these bytes. */
struct forged encoded(const void *bytes, size_t size);
/* HEAD.CLAIMS.HMAC-SHA256 of these bytes with this secret; ' stands for ". */
struct forged forged_with(const void *head, size_t head_size, const void *claims,
                          size_t claims_size, const void *secret, size_t secret_size);
struct forged forged(const char *head, const char *claims);
struct gz_text forged_text(const struct forged *token);
/* The keys of a JWKS, ' for "; it has to be good. */
struct gz_keys *forged_keys(const char *json);
/* The whole of a file; free() it. */
char *file_text(const char *path, size_t *size);

#endif
