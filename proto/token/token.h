/* token.h - tokens, which say who a person is and what they may: JSON Web Tokens (RFC 7519) in
 * compact form, signed by one of the keys that the server knows. proto/README.md has the claims.
 *
 * Times are Unix seconds. Both functions are pure but for signing, which takes random numbers from
 * OpenSSL where the algorithm wants them. Threads: any. Errors: GZ_UNAUTHORISED says what is wrong
 * with a token and nothing of its contents; GZ_NO_MEMORY. What OpenSSL queues of errors is taken
 * back. */
#ifndef GZ_TOKEN_H
#define GZ_TOKEN_H

#include "proto/message.h"
#include "proto/token/claims.h"
#include "proto/token/keys.h"

/* Which daemons a token is for, if nobody says another name. */
#define GZ_AUDIENCE_DEFAULT "gizmod"

/* Fills *claims if the token is good at `now_unix_s`: signed by one of the keys with that key's
 * own algorithm, for this audience, not before its time nor after it. *claims is zeroed if it is
 * not. */
GZ_MUST_USE enum gz_status gz_token_verify(const struct gz_keys *keys, const char *audience,
                                           struct gz_text token, double now_unix_s,
                                           struct gz_claims *claims, struct gz_error *error);

/* Writes a token with these claims, signed by the first key that can. GZ_BAD_STATE if none can;
 * GZ_TOO_LARGE; GZ_UNAUTHORISED where gz_token_verify would refuse the claims. */
GZ_MUST_USE enum gz_status gz_token_sign(const struct gz_keys *keys, const char *audience,
                                         const struct gz_claims *claims, double now_unix_s,
                                         char token[GZ_TOKEN_BYTES_MAX + 1],
                                         struct gz_error *error);

#endif
