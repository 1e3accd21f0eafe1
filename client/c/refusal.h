/* refusal.h - turns the refusal of an HTTP server into an error. Private to the client library.
 * Pure. Threads: any. */
#ifndef GZ_CLIENT_REFUSAL_H
#define GZ_CLIENT_REFUSAL_H

#include "url.h"

#define GZ_REFUSAL_BYTES_MAX 4096 /* of the body of a refusal */

/* A daemon's body is {code, message}: returns that code and message. For another server, such as a
 * proxy: the code that is nearest to its HTTP status, which the message says with its standard
 * phrase and the URL of `path` (which follows url->base). */
enum gz_status gz_refusal(struct gz_error *error, unsigned status, const struct gz_buffer *body,
                          const struct gz_url *url, const char *path);

#endif
