/* internal.h - what the files of this room share: the net and its connections.
 *
 * - net.c: libwebsockets' context, the loop's handles, the list of scenes
 * - tls.c: certificate and key, and what TLS has to be
 * - listen.c: the listening socket; arrive.c: what is known of each connection; admit.c: the
 * handshake; header.c: one header of a request
 * - proxy.c: what trusted proxies say; keyring.c: the keys of tokens; identity.c: who asks
 * - websocket.c: a connection, connection.c: what it is told; wire.h: what leads to its client,
 * socket.c: a socket that does; reader.c: its bytes; frame.h: its frames; hello.c: its first
 * message, by which it becomes a session
 * - turn.c: the end of a turn; flush.c: frames to one connection; rest.h: how long a scene rests;
 * alarm.h: a timer
 * - alive.c: pings, silence, farewells; awake.c: their clock
 * - relay.c: a WebSocket whose scene another member of the cluster has; route.c: the trunk to that
 * member, branch.c: its other end, with those clients, group.c: those that only watch; trunk.h:
 * what both ends are, bundle.h: what goes over it; forward.c: HTTP for such a scene; proof.h: how
 * members know each other
 * - exchange.h: HTTP; reply.c: the header of an answer; static.c: files; metrics.c: numbers
 * - origin.c, address.c, negotiate.c, text.c: pure rules and text */
#ifndef GZ_NET_INTERNAL_H
#define GZ_NET_INTERNAL_H

#include <libwebsockets.h>

#include "net/address.h"
#include "net/alarm.h"
#include "net/awake.h"
#include "net/clock.h"
#include "net/frame.h"
#include "net/net.h"
#include "net/origin.h"
#include "net/peers.h"
#include "net/reader.h"
#include "net/tls.h"
#include "net/wire.h"
#include "proto/limits.h"
#include "proto/token/claims.h"
#include "session/rate.h"

/* Where a connection is in the queues of its scene: in one of those of what is written soon, and in
 * the line for large frames. */
enum gz_place { GZ_PLACE_SOON, GZ_PLACE_LINE, GZ_PLACE_COUNT };
struct gz_net_place {
    struct gz_net_queue *queue; /* NULL: it is in none */
    struct gz_connection *next, *previous;
};

/* One WebSocket connection. Lives in the memory of its wire; `net` is NULL if it never began. */
struct gz_connection {
    struct gz_net *net;
    struct gz_wire *wire;
    struct gz_net_scene
        *scene; /* whose list it is in: the net's lobby until it has a session and after it */
    struct gz_session *session; /* NULL before hello and after the end */
    struct gz_connection *next, *previous;
    struct gz_net_place places[GZ_PLACE_COUNT];
    struct gz_group *group; /* it is looked at with others, and not in the list; NULL: by itself */
    void (*leave_group)(struct gz_connection *connection);
    struct gz_relay *relay; /* another member has its scene; NULL: none */
    void (*leave_relay)(struct gz_connection *connection); /* of `relay`: the client is gone */
    struct gz_frames frames;
    struct gz_rate rate;       /* of frames that are no messages */
    struct gz_buffer in;       /* a message that comes in pieces */
    struct gz_buffer out;      /* what this room itself says: an error or a farewell */
    struct gz_buffer hello;    /* the first message, while its scene is being opened */
    struct gz_scene_wait wait; /* for that */
    bool is_waiting;
    uint64_t id;          /* the session's */
    size_t message_bytes; /* of the message that is coming */
    unsigned fragments;
    double opened_s, heard_s, taken_s, pinged_s, over_s,
        ended_s;                 /* by gz_awake_now; over: its session ended */
    uint64_t acknowledged_bytes; /* by the peer's kernel, when last looked at */
    int end;                     /* 0, or the code that it is to be closed with */
    const char *end_words;       /* for the close; static; NULL for none */
    uint8_t pong[GZ_CONTROL_BYTES_MAX], pong_size;
    bool owes_pong; /* for the latest ping */
    bool hung_up;   /* the client said close */
    bool choked;    /* its wire did not take all: wait for it to be free */
    bool paused;    /* we do not read from it until its answers are taken */
    bool parted;    /* its last words and our close are said */
    bool is_amid;   /* a message was relayed to it in part, and the rest has to be next */
};

/* A wire that is a socket, and the connection by it. */
struct gz_socket {
    struct gz_wire wire; /* first */
    struct lws *wsi;
    struct gz_reader *reader;
};
struct gz_websocket {
    struct gz_connection connection;
    struct gz_socket socket;
};

struct gz_net_counters {
    uint64_t connections, refusals, dropped, frames_in, frames_out, bytes_in, bytes_out, requests;
    /* to and from other members */
    uint64_t relayed, relayed_requests, relayed_in, relayed_out;
    uint64_t trunk_bytes, trunk_records, trunk_given, trunk_written;
};

struct gz_net {
    uv_loop_t *loop;
    const struct gz_log *log;
    struct gz_net_host host;
    struct gz_origin_rules rules;
    struct gz_address_ranges proxies;             /* what these say of a client is believed */
    bool proxies_only;                            /* beside them only loopback may connect */
    char trust_header[GZ_TRUST_HEADER_BYTES + 1]; /* lower case with a colon; empty for none */
    struct gz_buffer page_policy;                 /* the header that says what our pages may do */
    const struct gz_keyring *keyring;             /* NULL: no tokens are asked for */
    const char *const *admins;
    size_t admin_count;
    const char *web, *cert, *key;
    struct gz_tls tls;
    double ping_s, silence_s;
    struct gz_awake awake;
    struct lws_context *context;
    struct lws_vhost *vhost;
    struct lws_protocols protocols[4];
    struct gz_net_scene lobby; /* connections without a session; it has no core */
    struct gz_net_scene *scenes;
    struct gz_arena arena; /* for decoding a hello */
    struct gz_peers peers;
    struct gz_arrival *arriving; /* while libwebsockets takes its socket over */
    int silent_sockets;          /* an epoll of them */
    uv_poll_t first_bytes;       /* in one of them */
    int socket;                  /* listening; -1 when closed */
    uv_poll_t listener;
    uv_prepare_t prepare;
    uv_check_t check;
    struct gz_alarm next_pass;
    uv_idle_t again; /* runs while a pass is to follow at once */
    struct gz_rest rest;
    uv_timer_t sweep;
    char address[80], local_address[80];
    double started_s;         /* Unix seconds */
    size_t open_count;        /* sockets of any kind */
    size_t session_count;     /* WebSocket connections, clients of other members included */
    size_t job_count;         /* HTTP requests that hold a body or run on a worker */
    struct gz_exchange *jobs; /* these; exchange.h */
    uint64_t last_id;
    const uint8_t *secret; /* of the members of a cluster; NULL: there is none */
    size_t secret_size;
    struct lws_vhost *relay_vhost; /* of connections to other members */
    struct lws_protocols relay_protocols[2];
    struct gz_trunk *trunks; /* to and from other members */
    size_t relay_count;      /* clients that are relayed there */
    size_t channel_count;    /* clients of other members */
    size_t channels_max;
    size_t grouped_count;       /* of those: in groups */
    struct gz_channel *stirred; /* branch.c */
    struct gz_courier *courier; /* forward.c */
    bool accepting, draining;
    struct gz_net_counters counters;
};

/* What is known of each connection of any kind, from its beginning to its end: libwebsockets keeps
 * a pointer to it. */
struct gz_arrival {
    struct gz_peer peer;      /* first: the peers give it back */
    int socket;               /* while it is silent */
    struct lws *wsi;          /* from its first byte on */
    struct gz_wire *wire;     /* once it is a WebSocket */
    struct gz_address client; /* the other end, or whom a trusted proxy names as its client */
    char user[GZ_USER_BYTES_MAX + 1]; /* whom a trusted proxy names as the user; else empty */
    double since_s;                   /* by gz_awake_now: since when it is of its kind */
    bool is_proxied;                  /* it comes from a trusted proxy */
    bool is_relayed;                  /* its latest request comes from another member */
    bool is_trunk;                    /* its upgrade was admitted as one to a trunk */
    bool is_channel;                  /* it is a client of another member, without a socket */
    bool is_dropped;                  /* it makes room, and does not count any more */
};

static inline struct gz_net *gz_net_of(struct lws *wsi)
{
    return lws_context_user(lws_get_context(wsi));
}

static inline struct gz_arrival *gz_arrival_of(struct lws *wsi)
{
    return lws_get_opaque_user_data(wsi);
}

/* ---- listen.c ---- */
GZ_MUST_USE enum gz_status gz_listen_open(struct gz_net *net, const char *address, uint16_t port,
                                          struct gz_error *error);
/* Accepts connections again if it stopped and there is room. */
void gz_listen_resume(struct gz_net *net);
void gz_listen_close(struct gz_net *net);

/* ---- arrive.c ---- */
/* Seconds that an HTTP request may stand still, and that a connection may have none. */
#define GZ_HTTP_SECONDS GZ_HELLO_SECONDS_MAX
GZ_MUST_USE enum gz_status gz_arrive_open(struct gz_net *net, struct gz_error *error);
/* Looks at silent sockets from now on; no more. */
void gz_arrive_start(struct gz_net *net);
void gz_arrive_stop(struct gz_net *net);
/* Takes a socket over, or closes it. libwebsockets has it from its first byte on. */
void gz_arrive(struct gz_net *net, int socket, const struct sockaddr_storage *from);
/* A client of another member, which says where it comes from and whom a trusted proxy names as its
 * user. NULL with words if that cannot be. */
struct gz_arrival *gz_arrive_relayed(struct gz_net *net, const char *client, const char *user,
                                     struct gz_error *error);
/* It ends, and is freed. */
void gz_arrival_leave(struct gz_net *net, struct gz_arrival *arrival);
/* libwebsockets has made its side of the one that arrives, or unmakes it. */
void gz_arrival_begin(struct gz_net *net, struct lws *wsi);
void gz_arrival_end(struct gz_net *net, struct lws *wsi);
void gz_arrival_become(struct gz_net *net, struct gz_arrival *arrival, enum gz_peer_kind kind);
/* A request of it has come: behind a trusted proxy it is the client's that this names, and counts
 * for that one. GZ_RATE_LIMITED if that has as many connections as it may; GZ_INTERNAL as
 * gz_proxy_member. */
GZ_MUST_USE enum gz_status gz_arrival_read_client(struct gz_net *net, struct lws *wsi,
                                                  struct gz_error *error);
/* The loop closes the socket soon, without a word to the other side. */
void gz_arrival_kill(struct gz_net *net, struct lws *wsi);
/* Closes those that have been silent for too long. */
void gz_arrive_sweep(struct gz_net *net);
/* Whether there is room for one more connection, or one that says nothing could make it. */
bool gz_arrive_has_room(const struct gz_net *net);
/* The connection that has been silent for the longest is closed. False if none is. */
bool gz_arrive_make_room(struct gz_net *net);
/* The same among the WebSockets that have no session yet: GZ_PEER_NAMELESS or GZ_PEER_RELAYED. */
bool gz_arrive_make_room_for_session(struct gz_net *net, enum gz_peer_kind kind);

/* ---- header.c ---- */
/* The text of a header; false if it is longer than `size`. Absent: an empty string, and *present
 * is false. */
bool gz_header(struct lws *wsi, enum lws_token_indexes token, char *text, size_t size,
               bool *present);
/* The same for a header that libwebsockets does not know: its name in lower case, with the colon.
 * Of two lines the first counts. */
bool gz_custom_header(struct lws *wsi, const char *name, char *text, size_t size, bool *present);
/* GZ_BAD_MESSAGE if a proxy before us could see the end of the request elsewhere: by the headers
 * that say where it is. */
GZ_MUST_USE enum gz_status gz_header_check(struct lws *wsi, struct gz_error *error);

/* ---- admit.c ---- */
/* Whether the page that this comes from may ask: GZ_BAD_VALUE for a Host that is none, else
 * GZ_FORBIDDEN. All requests obey Host; those that are guarded obey Origin and Sec-Fetch-Site. The
 * user that a trusted proxy names is known then. */
GZ_MUST_USE enum gz_status gz_admit_page(struct gz_net *net, struct lws *wsi, bool is_guarded,
                                         struct gz_error *error);
/* Whether this upgrade becomes a WebSocket, and the HTTP code if not. */
GZ_MUST_USE enum gz_status gz_admit_upgrade(struct gz_net *net, struct lws *wsi,
                                            const char *upgrade, int *code, struct gz_error *error);

/* ---- proxy.c ---- */
/* All of these while the request's headers are there: until it is answered, and in ESTABLISHED. */
/* The client's address: the connection's, or the one that a trusted proxy names. */
struct gz_address gz_proxy_client(const struct gz_net *net, struct lws *wsi);
/* Whether a proxy passed the request on, trusted or not. libwebsockets can miss a header that says
 * how long a request is, so that what follows on the connection may be somebody else's words. */
bool gz_proxy_passed_on(struct lws *wsi);
/* Whether the client came by TLS, to us or to a trusted proxy that says so. */
bool gz_proxy_is_secure(const struct gz_net *net, struct lws *wsi);
/* Whether another member of the cluster sends this on behalf of a client, which *client then is.
 * GZ_INTERNAL if it says so and cannot prove it: that is the operator's mistake, not the client's.
 */
GZ_MUST_USE enum gz_status gz_proxy_member(const struct gz_net *net, struct lws *wsi,
                                           bool *is_relayed, struct gz_address *client,
                                           struct gz_error *error);
/* The name by which a trusted proxy lets the user in; empty if --trust-header is not given or the
 * request lacks the header. GZ_FORBIDDEN if somebody else sends it, GZ_BAD_VALUE if it is no
 * name. */
GZ_MUST_USE enum gz_status gz_proxy_user(const struct gz_net *net, struct lws *wsi,
                                         char user[GZ_USER_BYTES_MAX + 1], struct gz_error *error);
/* Whether what a trusted proxy says is the name of a user: GZ_BAD_VALUE. */
GZ_MUST_USE enum gz_status gz_proxy_user_check(const struct gz_net *net, const char *user,
                                               struct gz_error *error);

/* ---- identity.c ---- */
/* GZ_UNAUTHORISED if only a trusted proxy can say who the user is, and `proxy_user` is empty. */
GZ_MUST_USE enum gz_status gz_identify_proxied(const struct gz_net *net, const char *proxy_user,
                                               struct gz_error *error);
/* What a client says of itself, or a proxy of it. */
struct gz_said {
    const struct gz_address *client; /* where it comes from */
    bool has_token, wants_admin;
    struct gz_text token;
    struct gz_text name;    /* which a client chooses: the user of an open server, and a guest's */
    const char *proxy_user; /* whom a trusted proxy names; else empty */
};
/* Fills *claims; GZ_UNAUTHORISED if a token is needed and is not good. The user is empty if
 * nobody says a name. */
GZ_MUST_USE enum gz_status gz_identify(const struct gz_net *net, const struct gz_said *said,
                                       struct gz_claims *claims, struct gz_error *error);
/* The same for an HTTP request, by its Authorization: on an open server, and without a proxy's
 * word, an admin of all scenes. */
GZ_MUST_USE enum gz_status gz_identify_request(const struct gz_net *net, struct lws *wsi,
                                               const char *name, struct gz_claims *claims,
                                               struct gz_error *error);

/* ---- socket.c ---- */
int gz_socket_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                       size_t size);

/* ---- websocket.c: for wires ---- */
/* The connection begins by this wire, and ends: what it holds is freed. */
void gz_connection_begin(struct gz_connection *connection, struct gz_net *net,
                         struct gz_wire *wire);
void gz_connection_finish(struct gz_connection *connection);
/* Bytes came: how many were taken, up to a pause. They may be changed. */
size_t gz_connection_take(struct gz_connection *connection, uint8_t *bytes, size_t size);
/* The other side hung up, or the wire is broken: the connection is lost, and the wire killed. */
void gz_connection_break(struct gz_connection *connection);
/* The wire is free. */
void gz_connection_go_on(struct gz_connection *connection);

/* ---- connection.c ---- */
/* Puts a connection into this scene's list; takes it out of the list that it is in. */
void gz_connection_link(struct gz_connection *connection, struct gz_net_scene *scene);
void gz_connection_unlink(struct gz_connection *connection);
/* Its session leaves, if it has one: what it held is free at once, however long the socket
 * takes. */
void gz_connection_leave(struct gz_connection *connection, struct gz_now now);
/* The same if the wire is at its end: nothing more is read or written. */
void gz_connection_lose(struct gz_connection *connection);
/* Moves a connection to this scene's list. */
void gz_connection_move(struct gz_connection *connection, struct gz_net_scene *scene);
/* Queues an error. `request` may be NULL; its rid is carried back. If `fatal`, the connection has
 * to be ended. */
void gz_connection_refuse(struct gz_connection *connection, const struct gz_message *request,
                          const struct gz_error *error, bool fatal);
/* Queues `bye`, and the connection is to be ended. */
void gz_connection_dismiss(struct gz_connection *connection, const char *reason);
/* The same, and says when the client may come back. */
void gz_connection_send_away(struct gz_connection *connection, const char *reason, double retry_s);
/* The connection is written to at the end of the turn, however full the loop is. */
void gz_connection_make_ready(struct gz_connection *connection);
/* The same in the next pass of its scene, which may rest before. */
void gz_connection_make_ready_later(struct gz_connection *connection);
/* The connection waits in the line for its next large frame, at the place that it has already. */
void gz_connection_stand_in_line(struct gz_connection *connection);
void gz_connection_leave_queue(struct gz_connection *connection, enum gz_place place);
/* The connection is to be ended at the next pass, with this close code. */
void gz_connection_end(struct gz_connection *connection, int end);
/* Whether another frame can be written. */
bool gz_connection_is_free(const struct gz_connection *connection);
/* Answers the latest ping. */
void gz_pong_write(struct gz_connection *connection);
/* Writes one frame, which has room for its header before it. If the wire cannot take the whole
 * frame, the connection is lost and killed. */
void gz_connection_write(struct gz_connection *connection, const struct gz_buffer *frame,
                         enum lws_write_protocol kind);
/* The same for its close. */
void gz_connection_write_close(struct gz_connection *connection);

/* ---- hello.c ---- */
void gz_hello_receive(struct gz_connection *connection, const uint8_t *bytes, size_t size);

/* ---- relay.c ---- */
/* Seconds after which a relayed client may come back, where the reason is not gone at once. */
#define GZ_RELAY_RETRY_S 1
/* The connection, of which nothing is read, has said `hello` for a scene that the member at `url`
 * has. It is read again once that member is reached; if it cannot be, the client is sent away. */
void gz_relay_begin(struct gz_connection *connection, const char *url, const uint8_t *hello,
                    size_t size);
/* Takes a piece of a message of the client; passes on what was taken. */
void gz_relay_take(struct gz_connection *connection, const struct gz_frame_part *part);
void gz_relay_pass(struct gz_connection *connection);
/* The client's wire is free: what waits for it is written. */
void gz_relay_go_on(struct gz_connection *connection);
/* Whether something has to be written to a connection that is over before its end is said. */
bool gz_relay_is_due(const struct gz_connection *connection);

/* ---- trunk.c ---- */
/* Sends what waits, and ends those that are marked. */
void gz_trunks_end_turn(struct gz_net *net);
/* Whether a turn is to follow at once: what had waited for room in a trunk can be sent now. */
bool gz_trunks_have_work(const struct gz_net *net);
void gz_trunks_sweep(struct gz_net *net, double now_s);
/* Ends all of them; frees those that are left, after the end of the loop. */
void gz_trunks_close(struct gz_net *net);
void gz_trunks_finish(struct gz_net *net);

/* ---- route.c ---- */
/* Makes what connections to other members need. GZ_OK without a secret. */
GZ_MUST_USE enum gz_status gz_routes_open(struct gz_net *net, struct gz_error *error);
/* For libwebsockets. It asks a server's protocol whether a certificate is good: that asks here. */
int gz_route_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                      size_t size);

/* ---- group.c ---- */
/* It is looked at by itself again, and stands where its group stands. */
static inline void gz_connection_leave_group(struct gz_connection *connection)
{
    if (connection->group != NULL) connection->leave_group(connection);
}
/* It was visited: if it is the client of a trunk, and only watches, it may join others. */
void gz_group_join(struct gz_connection *connection);
/* Sends the groups of a scene what is new. */
void gz_groups_visit(struct gz_net_scene *scene, struct gz_now now);
/* All are looked at by themselves. */
void gz_groups_disperse(struct gz_net_scene *scene);

/* ---- branch.c ---- */
int gz_branch_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                       size_t size);
/* Those whose reading goes on are read, and those that were killed are finished. */
void gz_channels_have_turn(struct gz_net *net);

/* ---- forward.c ---- */
/* Makes what forwarding needs. GZ_OK without a secret. */
GZ_MUST_USE enum gz_status gz_forwards_open(struct gz_net *net, struct gz_error *error);
/* After libwebsockets has let go of all exchanges: closes handles, which the loop has to run to
 * finish. */
void gz_forwards_close(struct gz_net *net);
/* After the end of the loop. */
void gz_forwards_finish(struct gz_net *net);

/* ---- flush.c ---- */
/* Writes what waits for the connection, as far as its wire is free, and ends it if it is over. */
void gz_connection_flush(struct gz_connection *connection, struct gz_now now);

/* ---- turn.c ---- */
/* Turns of the cores, and frames to the connections, for which it is time; for all else sees to it
 * that the loop wakes up. */
void gz_net_end_turn(struct gz_net *net);

/* ---- alive.c ---- */
void gz_alive_sweep(struct gz_net *net);

/* ---- http.c ---- */
int gz_http_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                     size_t size);

/* ---- reply.c ---- */
struct gz_reply {
    int code;
    const char *type;
    uint64_t size;                  /* of the body */
    char etag[GZ_ETAG_BYTES];       /* empty for none */
    char dropped[GZ_DROPPED_BYTES]; /* as in the answer */
    bool is_immutable;              /* the same forever at this path: a client need not ask again */
    bool has_gzip, is_gzip;         /* there is a compressed form; it is this one */
    bool is_last;                   /* the connection is closed after it */
    const char *page_policy;        /* of the web folder: what it may do; NULL for all else */
    const char *allow;              /* the methods that would do; NULL for none */
    bool wants_token;               /* of a 401: what would do */
    bool is_preflight;              /* a browser asks whether a page from elsewhere may use them */
    bool varies_by_origin; /* there are pages from elsewhere that may read what others may not */
    char origin[GZ_ORIGIN_BYTES]; /* an allowed page from elsewhere, which may read the answer;
                                     else empty */
};
bool gz_reply_has_body(const struct gz_reply *reply);
GZ_MUST_USE bool gz_reply_write_header(struct lws *wsi, const struct gz_reply *reply);
/* Writes what pages of the web folder may do, terminated; false without memory. */
bool gz_page_policy_print(struct gz_buffer *policy, const struct gz_origin_rules *rules);

/* ---- static.c ---- */
struct gz_static_file {
    int file; /* the caller that opened it closes it */
    const char *type;
    char etag[GZ_ETAG_BYTES];
    bool is_immutable, has_gzip, is_gzip; /* as in a reply */
};
/* Opens the file that a path of a URL names within the web folder, or the compressed copy beside
 * it, FILE.gz, for a client that accepts it. */
GZ_MUST_USE enum gz_status gz_static_open(const char *folder, const char *path, bool takes_gzip,
                                          struct gz_static_file *file, struct gz_error *error);

/* ---- metrics.c ---- */
bool gz_metrics_print(struct gz_net *net, struct gz_buffer *out);

#endif
