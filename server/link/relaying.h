/* relaying.h - what the files of this room share: scenes that another member of the cluster has.
 *
 * - relay.c: a WebSocket whose scene another member has; link_client.c: the link to that member;
 *   link_server.c: the other end; subscribers.c: its clients that only watch; link.h: both ends;
 *   forward.c: HTTP for such a scene; members.h: how members authenticate */
#ifndef GZ_LINK_RELAYING_H
#define GZ_LINK_RELAYING_H

#include "front/state.h"

/* ---- relay.c ---- */
/* Seconds after which a relayed client may reconnect, unless it may do so at once. */
#define GZ_RELAY_RETRY_S 1
/* Begins to relay a connection, which is paused, whose `hello` names a scene that the member at
 * `url` has. It is read again once that member is reached; otherwise the client is sent away. */
void gz_relay_begin(struct gz_connection *connection, const char *url, const uint8_t *hello,
                    size_t size);
/* Takes a piece of a message of the client; passes on the taken pieces. */
void gz_relay_take(struct gz_connection *connection, const struct gz_frame_part *part);
void gz_relay_pass(struct gz_connection *connection);
/* The client's wire is free: writes the waiting pieces. */
void gz_relay_go_on(struct gz_connection *connection);
/* Whether pieces have to be written to an ended connection before its close. */
bool gz_relay_is_due(const struct gz_connection *connection);

/* ---- link.c ---- */
/* Sends waiting records, and ends marked links. */
void gz_member_links_end_turn(struct gz_net *net);
/* Whether a turn has to follow at once, because a link has room again for waiting frames. */
bool gz_member_links_have_work(const struct gz_net *net);
void gz_member_links_sweep(struct gz_net *net, double now_s);
/* Ends all links; frees the remaining ones, after the end of the loop. */
void gz_member_links_close(struct gz_net *net);
void gz_member_links_finish(struct gz_net *net);

/* ---- link_client.c ---- */
/* Prepares for connections to other members. GZ_OK without a secret. */
GZ_MUST_USE enum gz_status gz_link_clients_open(struct gz_net *net, struct gz_error *error);
/* For libwebsockets, which also asks here whether a member's certificate is valid. */
int gz_link_client_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                            size_t size);

/* ---- subscribers.c ---- */
/* It is looked at by itself again, in step with its group. */
static inline void gz_connection_leave_group(struct gz_connection *connection)
{
    if (connection->group != NULL) connection->leave_group(connection);
}
/* It was visited: if it is the client of a link, and only watches, it may join others. */
void gz_subscribers_join(struct gz_connection *connection, struct gz_now now);
/* All clients of a group leave it, which ends it. */
void gz_subscribers_disperse(struct gz_connection *group);
/* Sends a group what is new. It may end. */
void gz_subscribers_visit(struct gz_connection *group, struct gz_now now);
/* The core is not lent any more: those that said something meanwhile are looked at by themselves.
 */
void gz_subscribers_return(struct gz_net_scene *scene);

/* ---- link_server.c ---- */
/* Makes a link of the arrival's stream. */
void gz_link_server_begin(struct gz_net *net, struct gz_arrival *arrival);
/* Reads channels that were resumed, and finishes those that were killed. */
void gz_channels_have_turn(struct gz_net *net);

/* ---- forward.c ---- */
/* Prepares for forwarding. GZ_OK without a secret. */
GZ_MUST_USE enum gz_status gz_forwards_open(struct gz_net *net, struct gz_error *error);
/* Call it after all callers are closed: closes handles, which the loop has to run
 * to finish. */
void gz_forwards_close(struct gz_net *net);
/* Call it after the end of the loop. */
void gz_forwards_finish(struct gz_net *net);

#endif
