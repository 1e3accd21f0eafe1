/* state.h - the structs of the daemon's network, and what the files of this room share: from the
 * listening socket to an answer or a hello.
 *
 * - server.c: libwebsockets' context, the loop's handles, the list of scenes
 * - tls.c: certificate and key, and the settings of TLS
 * - accept.c: the listening socket, and the state of each connection; caller.h: its requests, one
 *   after the other; request.h: the head of one; http.c: what becomes of it; admit.c: who may ask,
 *   and the handshake; identity.h: proxies, keys of tokens, the user of a request
 * - hello.c: the first message of a WebSocket, which makes it a session
 * - exchange.h: HTTP; receive.c: bodies; reply.c: files and the header of an answer
 * - metrics.c: numbers
 * - address.h, header.h: pure rules and text
 *
 * conn/connection.h and link/relaying.h say what is done with connections further on. */
#ifndef GZ_FRONT_STATE_H
#define GZ_FRONT_STATE_H

#include <libwebsockets.h>

#include "conn/clock.h"
#include "conn/frame.h"
#include "conn/pacing.h"
#include "conn/stream.h"
#include "core/budget.h"
#include "core/queues.h"
#include "front/address.h"
#include "front/net.h"
#include "front/tls.h"
#include "link/members.h"
#include "proto/base/histogram.h"
#include "proto/limits.h"
#include "proto/token/claims.h"

/* The places of a connection in the queues of its scene: in `ready` or `later`, and in the line for
 * large frames. */
enum gz_place { GZ_PLACE_SOON, GZ_PLACE_LINE, GZ_PLACE_COUNT };
struct gz_net_place {
    struct gz_net_queue *queue; /* NULL for none */
    struct gz_connection *next, *previous;
};

/* What only a connection without a session needs. */
struct gz_pending_hello {
    struct gz_scene_wait wait; /* for the scene, while it is being opened */
    struct gz_buffer hello;    /* the first message meanwhile */
};

/* When alive.c looks at a connection next. */
struct gz_alive_place {
    struct gz_connection *next, **hook; /* in its slot; `hook` is NULL for no look */
    uint64_t slot;
};

/* A timer wheel: the connections by the time of their next look. With 32 seconds it is longer than
 * the time between two pings of a quiet one, unless --ping-seconds is larger than usual. */
#define GZ_ALIVE_SLOTS 128
struct gz_alive_wheel {
    struct gz_connection *slots[GZ_ALIVE_SLOTS];
    uint64_t at; /* the slot that has been reached; their numbers never come again */
};

/* One WebSocket connection, in the memory of its wire. */
struct gz_connection {
    struct gz_net *net;
    struct gz_wire *wire;
    struct gz_net_scene *scene; /* that lists it; without a session the net's lobby */
    struct gz_session *session; /* NULL before hello and after the end */
    struct gz_connection *next, *previous;
    struct gz_net_place places[GZ_PLACE_COUNT];
    struct gz_alive_place look;
    bool is_group; /* it stands for clients of a link that only watch, without a wire */
    struct gz_subscribers *group; /* it is one of them, and not in the list; else NULL */
    void (*leave_group)(struct gz_connection *connection);
    struct gz_relay *relay; /* if another member has its scene; else NULL */
    void (*leave_relay)(struct gz_connection *connection); /* the client is gone */
    bool only_watches; /* relayed: its authority has it in a group, so it holds no nodes */
    struct gz_frames frames;
    struct gz_rate rate;               /* of frames that are no messages */
    struct gz_buffer in;               /* a message that is coming in pieces */
    struct gz_outbox out;              /* messages of this room itself: errors and bye */
    struct gz_pending_hello *greeting; /* NULL before hello and once there is a session */
    bool is_waiting;
    bool is_json;         /* its frames are text */
    uint64_t id;          /* of the session */
    size_t message_bytes; /* of the message that is coming */
    unsigned fragments;
    double opened_s, heard_s, taken_s, pinged_s, over_s,
        ended_s;                 /* by gz_awake_now; over_s: its session ended */
    double behind_s;             /* monotonic: it could not be written to since; 0: it can be */
    double quiet_s;              /* seconds without a sign of life until the next ping */
    uint64_t acknowledged_bytes; /* by the peer's kernel, at the last look */
    int end;                     /* the code to close it with; 0 while it is not to be closed */
    const char *end_words;       /* the reason in the close; static; NULL for none */
    struct gz_bytes *pong;       /* that the latest ping is owed; NULL for none */
    bool hung_up;                /* the client has sent its close */
    bool paused;                 /* it is not read until its answers are taken */
    bool parted;                 /* its last frames and our close are sent */
    bool is_amid; /* a relayed message was sent in part, and its rest has to be next */
};

struct gz_caller; /* caller.h */

struct gz_net_counters {
    struct gz_histogram deltas; /* from a message to the end of the round of viewers */
    struct gz_histogram lags;   /* how long a viewer's socket did not take what was new */
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
    struct gz_address_ranges proxies;             /* trusted to name a client */
    bool proxies_only;                            /* beside them only loopback may connect */
    char trust_header[GZ_TRUST_HEADER_BYTES + 1]; /* in lower case; empty for none */
    struct gz_buffer page_policy;                 /* the header with the policy of our pages */
    const struct gz_keyring *keyring;             /* NULL: an open server */
    const char *const *admins;
    size_t admin_count;
    const char *server, *web, *cert, *key;
    struct gz_tls tls;
    double ping_s, silence_s;
    struct gz_awake awake;
    struct gz_alive_wheel wheel;
    struct lws_context *context;
    struct gz_net_scene lobby; /* the connections without a session; no core */
    struct gz_net_scene *scenes;
    struct gz_arena arena; /* for decoding a hello */
    struct gz_peers peers;
    struct gz_caller *callers;  /* connections that speak HTTP */
    const struct gz_talk *talk; /* with them */
    int silent_sockets;         /* an epoll of the silent sockets */
    uv_poll_t first_bytes;      /* in one of them */
    int socket;                 /* listening; -1 when closed */
    uv_poll_t listener;
    uv_prepare_t prepare;
    uv_check_t check;
    struct gz_timer next_pass;
    uv_idle_t again; /* runs while a pass is to follow at once */
    struct gz_pacing rest;
    struct gz_send_batch *sends; /* of the streams of clients */
    uv_timer_t sweep;
    char address[80], local_address[80];
    double started_s;         /* Unix seconds */
    size_t open_count;        /* sockets of any kind */
    size_t session_count;     /* WebSocket connections, clients of other members included */
    size_t job_count;         /* HTTP requests that hold a body or run on a worker */
    struct gz_exchange *jobs; /* these; exchange.h */
    uint64_t last_id;
    const uint8_t *secret; /* of the members of a cluster; NULL: no cluster */
    size_t secret_size;
    struct lws_vhost *relay_vhost; /* for connections to other members */
    struct lws_protocols relay_protocols[2];
    struct gz_net_members members;
    struct gz_member_link *links; /* to and from other members */
    size_t relay_count;           /* clients that are relayed there */
    size_t channel_count;         /* clients of other members */
    size_t channels_max;
    size_t grouped_count;                /* of those: in groups */
    struct gz_channel *stirred;          /* link_server.c */
    struct gz_visitor *stirred_visitors; /* visitor.c */
    struct gz_events *events;            /* events.c */
    struct gz_http_client *courier;      /* forward.c */
    bool accepting, draining;
    struct gz_net_counters counters;
};

/* The state of each connection of any kind, from its beginning to its end. */
struct gz_arrival {
    struct gz_peer peer;              /* first, so that a peer is its arrival */
    int socket;                       /* while it is silent */
    struct gz_caller *caller;         /* from its first byte on, until it is a WebSocket */
    struct gz_stream *stream;         /* from then on */
    struct gz_wire *wire;             /* soon after, unless it is a link */
    struct gz_address end;            /* the other end; unknown of a channel */
    struct gz_address client;         /* the same, or the client that a trusted proxy names */
    char user[GZ_USER_BYTES_MAX + 1]; /* the user that a trusted proxy names; else empty */
    double since_s;                   /* by gz_awake_now: when it became its kind */
    bool is_proxied;                  /* it comes from a trusted proxy */
    bool is_relayed;                  /* its latest request comes from another member */
    bool is_link;                     /* its upgrade was admitted as a link */
    bool is_json;                     /* as a WebSocket of JSON */
    bool is_channel;                  /* it is a client of another member, without a socket */
    bool is_dropped;                  /* it no longer counts, to make room */
};

/* ---- accept.c ---- */
GZ_MUST_USE enum gz_status gz_listen_open(struct gz_net *net, const char *address, uint16_t port,
                                          struct gz_error *error);
/* Accepts connections again if it stopped and there is room. */
void gz_listen_resume(struct gz_net *net);
void gz_listen_close(struct gz_net *net);

/* Seconds that an HTTP request may make no progress, and that a connection may be idle. */
#define GZ_HTTP_SECONDS GZ_HELLO_SECONDS_MAX
GZ_MUST_USE enum gz_status gz_arrive_open(struct gz_net *net, struct gz_error *error);
/* Begins and ends the watch of silent sockets. */
void gz_arrive_start(struct gz_net *net);
void gz_arrive_stop(struct gz_net *net);
/* A client of another member, which names its address and the user of a trusted proxy. NULL with an
 * error if it is refused. */
struct gz_arrival *gz_arrive_relayed(struct gz_net *net, const char *client, const char *user,
                                     struct gz_error *error);
/* A request that comes from this arrival, as a client of its own (visitor.h). */
struct gz_arrival *gz_arrive_visitor(struct gz_net *net, const struct gz_arrival *of,
                                     bool is_relayed, struct gz_error *error);
/* Ends and frees it. */
void gz_arrival_leave(struct gz_net *net, struct gz_arrival *arrival);
/* Prints its client, for logs; the proxy if that names nobody. */
void gz_arrival_print(const struct gz_arrival *arrival, char text[GZ_ADDRESS_TEXT_BYTES]);
void gz_arrival_become(struct gz_net *net, struct gz_arrival *arrival, enum gz_peer_kind kind);
/* Call it for each request: behind a trusted proxy the connection counts for the client that the
 * proxy names, or for nobody, as all that it does not name. GZ_RATE_LIMITED if that has too many
 * connections; GZ_INTERNAL as gz_proxy_member. */
GZ_MUST_USE enum gz_status gz_arrival_read_client(struct gz_caller *caller, struct gz_error *error);
/* Closes connections that were silent for too long. */
void gz_arrive_sweep(struct gz_net *net);
/* The same among WebSockets without a session: GZ_PEER_NAMELESS or GZ_PEER_RELAYED. */
bool gz_arrive_make_room_for_session(struct gz_net *net, enum gz_peer_kind kind);

/* ---- admit.c ---- */
/* Whether the page behind the request may make it: GZ_BAD_VALUE for an invalid Host, else
 * GZ_FORBIDDEN. Host is checked for all requests, Origin and Sec-Fetch-Site for guarded ones. Also
 * reads the user that a trusted proxy names. */
GZ_MUST_USE enum gz_status gz_admit_page(struct gz_caller *caller, bool is_guarded,
                                         struct gz_error *error);
/* Whether this upgrade becomes a WebSocket; else the HTTP code. */
GZ_MUST_USE enum gz_status gz_admit_upgrade(struct gz_caller *caller, int *code,
                                            struct gz_error *error);

/* ---- identity.c ---- */
/* All of these need the caller's request: call them before it is answered. */
/* The client's address: the connection's, or the one that a trusted proxy names in X-Forwarded-For
 * or Forwarded. gz_address_nobody if it names none, or two. */
struct gz_address gz_proxy_client(const struct gz_caller *caller);
/* Whether a proxy passed the request on, trusted or not: if it sees the end of a request elsewhere,
 * the next bytes of the connection may be another user's. */
bool gz_proxy_passed_on(const struct gz_caller *caller);
/* Whether the client uses TLS, to this server or to a trusted proxy that says so. */
bool gz_proxy_is_secure(const struct gz_caller *caller);
/* Whether another member of the cluster sends this on behalf of *client. GZ_INTERNAL if its proof
 * is wrong, which is the operator's mistake, not the client's. */
GZ_MUST_USE enum gz_status gz_proxy_member(const struct gz_caller *caller, bool *is_relayed,
                                           struct gz_address *client, struct gz_error *error);
/* The user that a trusted proxy names; empty without --trust-header, or if the request lacks the
 * header. GZ_FORBIDDEN if a peer that is not trusted sends the header, GZ_BAD_VALUE if it is no
 * valid name, or there are two. */
GZ_MUST_USE enum gz_status gz_proxy_user(const struct gz_caller *caller,
                                         char user[GZ_USER_BYTES_MAX + 1], struct gz_error *error);
/* GZ_BAD_VALUE if the name from a trusted proxy is no valid user name. */
GZ_MUST_USE enum gz_status gz_proxy_user_check(const struct gz_net *net, const char *user,
                                               struct gz_error *error);

/* GZ_UNAUTHORISED if only a trusted proxy can name the user, and `proxy_user` is empty. */
GZ_MUST_USE enum gz_status gz_identify_proxied(const struct gz_net *net, const char *proxy_user,
                                               struct gz_error *error);
/* The identity that a client, or a proxy, claims. */
struct gz_said {
    const struct gz_address *client; /* its address */
    bool has_token, wants_admin;
    struct gz_text token;
    struct gz_text name; /* that the client chooses: the user on an open server, a guest's name */
    const char *proxy_user; /* the user that a trusted proxy names; else empty */
};
/* Fills *claims; GZ_UNAUTHORISED if a token is needed and is not valid. The user is empty if there
 * is no name. */
GZ_MUST_USE enum gz_status gz_identify(const struct gz_net *net, const struct gz_said *said,
                                       struct gz_claims *claims, struct gz_error *error);
/* The same for an HTTP request, by its Authorization header. On an open server, and without a
 * proxy's header, the user is an admin of all scenes. */
GZ_MUST_USE enum gz_status gz_identify_request(const struct gz_caller *caller, const char *name,
                                               struct gz_claims *claims, struct gz_error *error);

/* The token of a request, if it has one in the right form. */
bool gz_request_token(const struct gz_caller *caller, struct gz_text *token);

/* ---- events.c ---- */
/* Looks at those who are told events: whether they are still there. */
void gz_events_sweep(struct gz_net *net);

/* ---- visitor.c ---- */
void gz_visitors_have_turn(struct gz_net *net);

/* ---- hello.c ---- */
void gz_hello_receive(struct gz_connection *connection, const uint8_t *bytes, size_t size);
/* Frees what the connection has of a hello, which nothing follows from any more. */
void gz_hello_finish(struct gz_connection *connection);

/* ---- caller.c; the rest is in caller.h ---- */
/* Closes those whose time is over; all of them. */
void gz_callers_sweep(struct gz_net *net);
void gz_callers_close(struct gz_net *net);

/* ---- http.c ---- */
extern const struct gz_talk gz_talk;

/* ---- reply.c ---- */
struct gz_reply {
    int code;
    const char *type;
    uint64_t size;                  /* of the body */
    char etag[GZ_ETAG_BYTES];       /* empty for none */
    char dropped[GZ_DROPPED_BYTES]; /* as in the answer */
    bool is_immutable;       /* never changes at this path, so that a client need not ask again */
    bool has_gzip, is_gzip;  /* a compressed form exists; this is it */
    bool is_stream;          /* its end is that of the connection: it has no length */
    bool is_last;            /* the connection is closed after it */
    const char *page_policy; /* policy of a page of the web folder; else NULL */
    const char *allow;       /* the allowed methods; NULL for none */
    bool wants_token;        /* of a 401: asks for a token */
    bool is_preflight;       /* the answer to a browser's CORS preflight */
    bool varies_by_origin;   /* the answer depends on the Origin */
    char origin[GZ_ORIGIN_BYTES]; /* the allowed origin of another page, which may read the answer;
                                     else empty */
};
bool gz_reply_has_body(const struct gz_reply *reply);
/* `server`: what the header of this name says. */
GZ_MUST_USE bool gz_reply_write_header(struct gz_stream *stream, const char *server,
                                       const struct gz_reply *reply);
/* Writes the policy of pages of the web folder, terminated; false without memory. */
bool gz_page_policy_print(struct gz_buffer *policy, const struct gz_origin_rules *rules);

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
