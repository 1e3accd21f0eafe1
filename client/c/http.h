/* http.h - HTTP requests beside gz_http_perform. Private to the client library. Threads: any. */
#ifndef GZ_CLIENT_HTTP_H
#define GZ_CLIENT_HTTP_H

#include "url.h"

/* Why the server answered the handshake of a WebSocket with this HTTP status. libwebsockets keeps
 * the body of such an answer to itself, so that this asks for it once more. Fails with what
 * gz_refusal makes of it. */
enum gz_status gz_http_why_refused(const struct gz_url *url, const char *ca, unsigned status,
                                   double timeout_s, struct gz_error *error);

#endif
