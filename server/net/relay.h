/* relay.h - a WebSocket whose scene another member of the cluster has. A second WebSocket leads to
 * that member, the authority. The client's hello goes there, and from then on all frames of
 * messages go both ways as they are, piece by piece: nothing is decoded, and no message has to be
 * in memory. Pings and pongs stay on their side.
 *
 * - Of what waits for a slow side there is one read of the other side (16 KiB), and what kernels
 *   hold: then the other side is not read.
 * - Who the client is, and where it comes from, the authority is told in the header: proof.h. It
 *   judges the client as it does its own; the page that the client comes from was judged here.
 * - The authority's close is passed on as it is. If its connection ends without one, or goes
 *   silent, the client is told `bye` with retry_s 0: another member may have the scene by then. If
 *   it cannot be reached, `bye` with retry_s GZ_RELAY_RETRY_S.
 * - The client's end is told to the authority by a close, behind all that the client said.
 * - What another member relays to this one is not relayed again: the client may come back.
 *
 * Threads: the loop's. */
#ifndef GZ_NET_RELAY_H
#define GZ_NET_RELAY_H

#include "net/internal.h"

#define GZ_RELAY_RETRY_S 1

/* Makes what connections to other members need. GZ_OK without a secret. */
GZ_MUST_USE enum gz_status gz_relays_open(struct gz_net *net, struct gz_error *error);
/* Looks which relays have ended, are late or silent. */
void gz_relays_sweep(struct gz_net *net, double now_s);
/* Ends all of them. */
void gz_relays_close(struct gz_net *net);
/* After the end of the loop: frees those that are left. */
void gz_relays_finish(struct gz_net *net);

/* The connection, of which nothing is read, has said `hello` for a scene that the member at `url`
 * has. It is read again once that member is reached; if it cannot be, the client is sent away. */
void gz_relay_begin(struct gz_connection *connection, const char *url, const uint8_t *hello,
                    size_t size);
/* Takes a piece of a message of the client. */
void gz_relay_take(struct gz_connection *connection, const struct gz_frame_part *part);
/* Passes on what was taken. */
void gz_relay_pass(struct gz_connection *connection);
/* The client's socket is free: the authority is read again. */
void gz_relay_go_on(struct gz_connection *connection);
/* The client's connection is over. */
void gz_relay_leave(struct gz_connection *connection);

/* For libwebsockets. It asks a server's protocol whether a certificate is good: that asks here. */
int gz_relay_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                      size_t size);

#endif
