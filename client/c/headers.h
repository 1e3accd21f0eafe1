/* headers.h - what a client adds to the headers of its requests, for a proxy before the daemon: the
 * headers that its user gives, and the user and password of the URL. Private to the client library.
 * Pure but for libwebsockets' buffer. */
#ifndef GZ_CLIENT_HEADERS_H
#define GZ_CLIENT_HEADERS_H

#include <libwebsockets.h>

#include "url.h"

#define GZ_HEADERS_BYTES_MAX 8192

/* Checks lines of "Name: value", the `headers` of the options; NULL is none. `token`: a token goes
 * with each HTTP request, as its Authorization. GZ_BAD_VALUE names the line or the URL. */
GZ_MUST_USE enum gz_status gz_headers_check(const char *headers, const struct gz_urls *urls,
                                            bool token, struct gz_error *error);
/* Writes these lines and the URL's login at *at. False if they do not fit before `end`. */
bool gz_headers_add(struct lws *wsi, const char *headers, const struct gz_url *url, uint8_t **at,
                    uint8_t *end);

#endif
