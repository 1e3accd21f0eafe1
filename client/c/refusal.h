/* refusal.h - why an HTTP server said no, in words. Private to the client library. Pure. Threads:
 * any. */
#ifndef GZ_CLIENT_REFUSAL_H
#define GZ_CLIENT_REFUSAL_H

#include "url.h"

#define GZ_REFUSAL_BYTES_MAX 4096 /* of the body that says why */

/* The daemon says why as {code, message}: that code and those words. Another kind of server, such
 * as a proxy, has only its status: GZ_INTERNAL, with the status, its standard phrase, and the URL
 * of `path` (which follows url->base). */
enum gz_status gz_refusal(struct gz_error *error, unsigned status, const struct gz_buffer *body,
                          const struct gz_url *url, const char *path);

#endif
