/* token.h - signs and verifies tokens: JSON Web Tokens (RFC 7519) in compact form, signed by one of
 * the server's keys. proto/README.md has the claims.
 *
 * Times are Unix seconds. Pure, except that some algorithms sign with random numbers from OpenSSL.
 * Threads: any. Errors: GZ_UNAUTHORISED names the fault of a token and none of its contents;
 * GZ_NO_MEMORY. OpenSSL's error queue is left empty. */
#ifndef GZ_TOKEN_H
#define GZ_TOKEN_H

#include "proto/message.h"
#include "proto/token/claims.h"
#include "proto/token/keys.h"

/* The default audience of a token. */
#define GZ_AUDIENCE_DEFAULT "gizmod"

/* Fills *claims if the token is valid at `now_unix_s`: signed by one of the keys with that key's
 * own algorithm, for this audience, neither early nor expired. Else zeroes *claims. */
GZ_MUST_USE enum gz_status gz_token_verify(const struct gz_keys *keys, const char *audience,
                                           struct gz_text token, double now_unix_s,
                                           struct gz_claims *claims, struct gz_error *error);

/* Writes a token with these claims, signed by the first key that can. GZ_BAD_STATE if none can;
 * GZ_TOO_LARGE; GZ_UNAUTHORISED if gz_token_verify would refuse the claims. */
GZ_MUST_USE enum gz_status gz_token_sign(const struct gz_keys *keys, const char *audience,
                                         const struct gz_claims *claims, double now_unix_s,
                                         char token[GZ_TOKEN_BYTES_MAX + 1],
                                         struct gz_error *error);

#endif
