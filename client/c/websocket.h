/* websocket.h - a WebSocket to a daemon (RFC 6455, the subprotocol of proto/limits.h, no
 * extensions). Private to the client library. Nothing waits but what tcp.h says.
 * Ownership: the caller closes what it opens. Threads: one at a time. */
#ifndef GZ_CLIENT_WEBSOCKET_H
#define GZ_CLIENT_WEBSOCKET_H

#include "frames.h"
#include "url.h"

#define GZ_WS_HEADROOM 14 /* of a frame that is sent */

struct gz_ws;

enum gz_ws_state { GZ_WS_CONNECTING, GZ_WS_OPEN, GZ_WS_OVER };

/* Begins to connect. What comes goes to the end of `received`, message by message, each of at most
 * `message_max` bytes. The arguments have to outlive the WebSocket. NULL without memory. */
struct gz_ws *gz_ws_open(const struct gz_url *url, const char *ca, const char *headers,
                         struct gz_frame_queue *received, size_t message_max);
void gz_ws_close(struct gz_ws *socket); /* NULL is fine */

enum gz_ws_state gz_ws_state(const struct gz_ws *socket);
/* Why it is over, as a sentence; "" while it is not. */
const char *gz_ws_why(const struct gz_ws *socket);
/* The HTTP status of a refused handshake, 0 for none, and what came of its body. */
unsigned gz_ws_refused(const struct gz_ws *socket, const struct gz_buffer **body);
int gz_ws_fd(const struct gz_ws *socket);
bool gz_ws_wants_write(const struct gz_ws *socket);

/* Queues a message, made with the headroom above and taken over. */
void gz_ws_send(struct gz_ws *socket, struct gz_frame *message);
/* Sends what the socket takes now, and reads nothing. */
void gz_ws_write(struct gz_ws *socket);
/* Sends and receives what can be; waits for it until `deadline` (gz_tcp_now_s), once. */
void gz_ws_service(struct gz_ws *socket, double deadline);

#endif
