/* forward.h - HTTP for a scene that another member of the cluster has: the request goes to that
 * member, its answer comes back. Bodies pass in pieces, both ways: what waits for a slow side is
 * GZ_RELAY_BODY_BYTES at most, and then the other side is not read.
 *
 * The member's status, type, length, entity tag and dropped skins are passed on; all else in the
 * header is made here as for any answer. The member is told who the client is as in relay.h.
 * libcurl carries it (courier.h): libwebsockets as a client does not read an answer that comes
 * before the whole body was sent. A build without a cluster has forward_none.c instead. Threads:
 * the loop's. */
#ifndef GZ_NET_FORWARD_H
#define GZ_NET_FORWARD_H

#include "net/exchange.h"

/* Makes what forwarding needs. GZ_OK without a secret. */
GZ_MUST_USE enum gz_status gz_forwards_open(struct gz_net *net, struct gz_error *error);
/* After libwebsockets has let go of all exchanges: closes handles, which the loop has to run to
 * finish. */
void gz_forwards_close(struct gz_net *net);
/* After the end of the loop. */
void gz_forwards_finish(struct gz_net *net);

/* A piece of the body of an exchange that is forwarded. */
void gz_forward_take(struct gz_exchange *exchange, const void *bytes, size_t size);
/* Whether the exchange is forwarded, and the next piece of its answer has not come yet. */
bool gz_forward_is_awaited(const struct gz_exchange *exchange);
/* The next piece of the answer goes to the client. False if the rest of the answer will not come.
 */
GZ_MUST_USE bool gz_forward_send(struct gz_exchange *exchange);
/* It is forwarded no more, for whatever reason. Fine for an exchange that never was. */
void gz_forward_end(struct gz_exchange *exchange);

#endif
