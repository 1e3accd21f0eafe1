/* headers.h - what a client adds to the headers of its requests, for a proxy before the daemon: the
 * headers that its user gives, and the user and password of the URL. Private to the client library.
 * Pure. */
#ifndef GZ_CLIENT_HEADERS_H
#define GZ_CLIENT_HEADERS_H

#include "url.h"

#define GZ_HEADERS_BYTES_MAX 8192

/* Checks lines of "Name: value", the `headers` of the options; NULL is none. `token`: a token goes
 * with each HTTP request, as its Authorization. GZ_BAD_VALUE names the line or the URL. */
GZ_MUST_USE enum gz_status gz_headers_check(const char *headers, const struct gz_urls *urls,
                                            bool token, struct gz_error *error);
/* The longest that a request is without its body. */
#define GZ_REQUEST_BYTES_MAX 65536

/* Begins a request in `out`: its line, the Host, these lines and the URL's login. `prefix` and
 * `path` are one path. On an error (as of gz_buffer_append) it may be there in part. */
GZ_MUST_USE enum gz_status gz_headers_begin(struct gz_buffer *out, const char *method,
                                            const char *prefix, const char *path,
                                            const struct gz_url *url, const char *headers);
/* Appends one header. */
GZ_MUST_USE enum gz_status gz_headers_add(struct gz_buffer *out, const char *name,
                                          const char *value);

#endif
