/* http.h - HTTP requests besides gz_http_perform. Private to the client library. Threads: any. */
#ifndef GZ_CLIENT_HTTP_H
#define GZ_CLIENT_HTTP_H

#include "url.h"

/* Finds why the server answered the handshake of a WebSocket with this HTTP status. libwebsockets
 * does not give out the body of such an answer, so this requests it once more. Returns the error of
 * gz_refusal. */
enum gz_status gz_http_why_refused(const struct gz_url *url, const char *ca, const char *headers,
                                   unsigned status, double timeout_s, struct gz_error *error);

#endif
