/* net.h - the network: WebSocket connections are sessions of cores, and HTTP serves files and
 * everything that is not live. The only room that knows libwebsockets; it knows no store and no
 * glTF.
 *
 * The loop: a message is given to a core at once. At the end of the loop's turn each touched core
 * has its turn, and its frames are written directly to the free sockets, one write per viewer. On a
 * busy loop scenes rest between writes, so that each write carries more; answers and commits never
 * wait for that. No connection is ended in the middle of a message: it is marked, and ended when it
 * is next written to.
 *
 * Ownership: the caller owns the loop and runs it. gz_net_close begins the end, the loop finishes
 * it, gz_net_destroy frees. Threads: the loop's. Errors: GZ_INTERNAL if the network or
 * libwebsockets fails. */
#ifndef GZ_FRONT_NET_H
#define GZ_FRONT_NET_H

#include <assert.h>
#include <uv.h>

#include "conn/pacing.h"
#include "core/core.h"
#include "front/address.h"
#include "front/body.h"
#include "proto/base/buffer.h"
#include "proto/base/log.h"
#include "proto/limits.h"
#include "proto/token/claims.h"
#include "server/maxima.h"

struct gz_net;
struct gz_connection;
struct gz_keyring; /* front/identity.h */

/* A queue of connections to write to. */
struct gz_net_queue {
    struct gz_connection *first, *last;
    size_t count;
};

/* The network's part of a scene, embedded in the host's struct of the scene. */
struct gz_net_scene {
    struct gz_core *core;
    bool touched; /* its core had input since its last turn; the host sets it too */
    bool is_lent; /* set by the host: a worker has the core, and it is not called until
                     gz_net_return */
    /* net's own */
    struct gz_connection *connections;
    size_t connection_count;
    struct gz_connection *at; /* the next connection of a round; NULL: the first one */
    size_t left;              /* connections that the round has still to visit */
    struct gz_pacing_round round;
    double visit_s; /* the average cost of a visit */
    /* Connections to write to at once; and when the scene does not rest. */
    struct gz_net_queue ready, later;
    /* Connections whose next frame is a large one (gz_session_frame_waits): each pass hands out
     * some. A connection keeps its place while it is written to for other reasons. */
    struct gz_net_queue line;
    struct gz_session *gone;      /* sessions whose connections ended while the core was lent */
    struct gz_subscribers *ended; /* groups that ended meanwhile */
    double pass_from_s;           /* monotonic: no earlier pass than this */
    /* Monotonic, 0 for none: the first message since the last turn, and the first one that the
     * present round is about. */
    double input_s, round_input_s;
    struct gz_net_scene *next;
};

/* Whether the core needs a turn, or a round is not over. */
static inline bool gz_net_has_work(const struct gz_net_scene *scene)
{
    return scene->touched || scene->left > 0;
}

/* The core of a scene that is not lent. */
static inline struct gz_core *gz_net_core(const struct gz_net_scene *scene)
{
    assert(!scene->is_lent);
    return scene->core;
}

/* A request that waits for a scene that is being opened or closed, or is lent, embedded in the
 * caller's struct. `again` is called once, later, on the loop: with NULL the caller asks for the
 * scene again; otherwise opening failed with that error. If another member of the cluster has the
 * scene, the host fills `url` before, and the request is relayed there. */
struct gz_scene_wait {
    void (*again)(struct gz_scene_wait *wait, const struct gz_error *error);
    void *context;
    char url[GZ_MEMBER_URL_BYTES_MAX + 1]; /* http(s)://HOST:PORT of that member; else empty */
    bool is_away; /* with an error of `find`: a client may come back soon, here or elsewhere */
    /* the host's */
    struct gz_scene_wait *next;
    struct gz_scene_wait **list; /* NULL while it does not wait */
};

/* ---- HTTP: requests to the host ---- */

/* Bytes of an entity tag with its quotes, and of a client's If-None-Match (usually one tag). */
#define GZ_ETAG_BYTES 80
#define GZ_KNOWN_BYTES 256

enum gz_http_what {
    GZ_HTTP_LIST,
    GZ_HTTP_IMPORT, /* the whole scene */
    GZ_HTTP_ADD,    /* nodes of a file into a scene */
    GZ_HTTP_ASSETS, /* a list */
    GZ_HTTP_ASSET,
    GZ_HTTP_EXPORT, /* in the asset's own format */
    GZ_HTTP_EXPORT_GLB,
    GZ_HTTP_EXPORT_GLTF,
    GZ_HTTP_BACKUP,
    /* questions in the words of messages */
    GZ_HTTP_NODES,
    GZ_HTTP_HISTORY,
    GZ_HTTP_AT,
    GZ_HTTP_PATH,
    GZ_HTTP_EDITS,  /* admitted by the host, served by a client of the scene */
    GZ_HTTP_EVENTS, /* served by a client of the scene, which has its rights */
    GZ_HTTP_DELETE,
    GZ_HTTP_RENAME
};

/* The message in whose words it asks about the scene; GZ_OP_COUNT: it does not ask. */
static inline enum gz_op gz_http_question(enum gz_http_what what)
{
    switch (what) {
    case GZ_HTTP_NODES: /* of the present */
    case GZ_HTTP_AT: return GZ_OP_AT;
    case GZ_HTTP_HISTORY: return GZ_OP_HISTORY;
    case GZ_HTTP_PATH: return GZ_OP_PATH;
    default: return GZ_OP_COUNT;
    }
}

struct gz_transfer; /* host/transfer.h */

/* A request for the host, which answers it exactly once, at once or later, by gz_http_answer or
 * gz_http_refuse, and must not use it afterwards; the same holds for gz_http_receive. If the client
 * has gone, the answer is dropped. */
struct gz_http_request {
    enum gz_http_what what;
    char scene[GZ_SCENE_NAME_BYTES_MAX + 1]; /* not checked */
    struct gz_claims claims;                 /* its user may be empty on an open server */
    enum gz_role role;            /* the lowest that may do this in the scene; not used by a list */
    bool replace;                 /* import: an existing scene may be replaced */
    struct gz_buffer question;    /* of a question: its message, as MessagePack */
    uint64_t below;               /* add: the node that gets the file's roots; 0 for the root */
    int64_t of;                   /* asset: the file of the node with this number; -1 for any */
    bool ids;                     /* export: the nodes of the file are to hold their ids */
    char known[GZ_KNOWN_BYTES];   /* If-None-Match, not checked; empty for none */
    struct gz_body *body;         /* import, add, rename; the host may take it over and set NULL */
    struct gz_transfer *transfer; /* the host's own, while the body comes; NULL for none */
};

struct gz_http_answer {
    int code;                 /* 200, 201, 204 */
    const char *type;         /* media type; static */
    struct gz_buffer body;    /* taken over */
    int file;                 /* sent instead of `body`, and closed; or -1 */
    char etag[GZ_ETAG_BYTES]; /* in quotes; the same tag means the same body; empty for none. A
                                 client that has the tag gets 304 without the body */
    char dropped[GZ_DROPPED_BYTES]; /* export: the skins that it left out; empty for none */
};
/* Whether the client has the body with this tag already. Any thread, while the host has the
 * request. */
bool gz_http_knows(const struct gz_http_request *request, const char *etag);
/* Whether the client has not hung up, or said that it will send no more. While the host has the
 * request its socket is not read, so nothing else would notice. */
bool gz_http_is_awaited(const struct gz_http_request *request);
void gz_http_answer(struct gz_http_request *request, const struct gz_http_answer *answer);
/* Lets more of the body come, after `admit` or `spool`; `serve` gets the whole body. */
void gz_http_receive(struct gz_http_request *request);
/* Answers with a JSON error. `code` 0: the code of the status. */
void gz_http_refuse(struct gz_http_request *request, int code, const struct gz_error *error);
/* Answers a request of `admit` or `serve` by relaying it to the member of the cluster at this URL,
 * which has the scene. Bodies pass in pieces, both ways. The answer is a 503 that may be tried
 * again if the member cannot be reached or fails before its answer begins, if the body has come
 * already (the scene was here at `admit`, but not at `serve`), and if another member has relayed
 * the request here. */
void gz_http_relay(struct gz_http_request *request, const char *url);

/* ---- the host ---- */

struct gz_net_host {
    void *context;
    /* GZ_STATUS_COUNT counters of errors sent, by status; the network counts its own here. */
    _Atomic uint64_t *errors;
    /* Finds the scene of this name, or creates it if it is missing and `create`; charged to
     * `payer`. If it has to be opened first, *scene is NULL with GZ_OK, and `wait` waits; if
     * another member of the cluster has it, `wait->url` is filled instead. GZ_BAD_VALUE for an
     * invalid name, GZ_UNKNOWN_SCENE, GZ_TOO_MANY, GZ_RATE_LIMITED, GZ_STORAGE. */
    enum gz_status (*find)(void *context, struct gz_text name, bool create, const char *payer,
                           struct gz_scene_wait *wait, struct gz_net_scene **scene,
                           struct gz_error *error);
    /* The core has bulk (gz_core_has_bulk), and the pass is done with the scene: lends it to a
     * worker. */
    void (*lend)(void *context, struct gz_net_scene *scene);
    /* Cancels the wait: `again` is not called any more. */
    void (*forget)(void *context, struct gz_scene_wait *wait);
    /* Asks whether an import or a rename may begin, before its body is read: answered once, at once
     * or later, by gz_http_receive or gz_http_refuse. Before they take effect, it is checked
     * again. */
    void (*admit)(void *context, struct gz_http_request *request);
    void (*serve)(void *context, struct gz_http_request *request);
    /* Writes the body so far to its file before more of it comes; answered later, as `admit`. */
    void (*spool)(void *context, struct gz_http_request *request);
    /* The request ends while its body comes: frees `transfer`. The body stays the caller's. */
    void (*abandon)(void *context, struct gz_transfer *transfer);
    /* Takes over a body that is not needed any more, to free it on another thread. */
    void (*discard)(void *context, struct gz_body *body);
    /* Whether clients can join and edit; if not, `error` says why. If something is amiss all the
     * same, `error` says that with true; else its status is GZ_OK. */
    bool (*ready)(void *context, struct gz_error *error);
    /* Appends the host's metrics, in Prometheus' text format. */
    bool (*measure)(void *context, struct gz_buffer *out);
};

struct gz_net_options {
    uv_loop_t *loop;
    const struct gz_log *log;
    struct gz_net_host host;
    const char *address; /* a host name, an IPv4 address, or an IPv6 address without brackets */
    uint16_t port;       /* 0: a free one */
    /* PEM files: the certificate with its chain, and its private key. NULL: no TLS. */
    const char *cert, *key;
    const char *web; /* folder of static files; NULL for none */
    const char *const *origins;
    size_t origin_count;
    const struct gz_address_range *proxies; /* the trusted ones */
    size_t proxy_count;
    bool proxies_only;                /* only they and loopback may connect */
    const char *trust_header;         /* the header in which they name the user; NULL for none */
    const struct gz_keyring *keyring; /* every user needs a token by one of its keys, or the trusted
                                         header; NULL: an open server */
    const char *const *admins;        /* names of users that may have the role admin */
    size_t admin_count;
    double ping_s, silence_s;
    size_t connections_per_address; /* at most; loopback has no limit */
    size_t relayed_max;             /* clients of other members, at most */
    /* The secret of the cluster's members, with which they authenticate to each other: a member
     * that relays a client is trusted like a proxy. NULL: no cluster. */
    const uint8_t *secret;
    size_t secret_size;
    const char *server; /* for the Server header */
};

/* Bytes of a header's name, with the terminator. */
#define GZ_TRUST_HEADER_BYTES 64
/* Whether this can be the name of a trusted header: letters, digits and dashes, and no header with
 * a meaning of its own. */
bool gz_trust_header_valid(const char *name);

/* Binds, and begins to listen. The strings and lists of `options` must live as long as the net. */
GZ_MUST_USE enum gz_status gz_net_create(struct gz_net **net, const struct gz_net_options *options,
                                         struct gz_error *error);
/* Begins to accept. */
void gz_net_start(struct gz_net *net);
/* Takes up the origins, proxies, admins and connections of an address of `options`, for what comes
 * from now on. On an error nothing has changed. */
GZ_MUST_USE enum gz_status gz_net_change(struct gz_net *net, const struct gz_net_options *options,
                                         struct gz_error *error);
/* Reads the certificate and the key again, for new connections. On an error, which names the option
 * and the file, the earlier ones stay in use. GZ_OK without TLS. */
GZ_MUST_USE enum gz_status gz_net_reload(struct gz_net *net, struct gz_error *error);
bool gz_net_has_tls(const struct gz_net *net);
/* The address of the listening socket, as in a URL: "127.0.0.1:7432", "[::1]:7432". */
const char *gz_net_address(const struct gz_net *net);
/* The address for a browser on this machine: loopback's if the daemon listens on every address. */
const char *gz_net_local_address(const struct gz_net *net);

/* ---- other members of the cluster ---- */

/* There is a member at this address, which the members' secret has signed: clients may be relayed
 * to it. Call it several times a second for each: a link to it that is missing is begun. */
void gz_net_meet(struct gz_net *net, const char *url);
/* Whether its lease is over: clients that are relayed to it are told to come back at once. */
void gz_net_judge(struct gz_net *net, const char *url, bool is_over);
/* Forgets members that were not named for a while. */
void gz_net_part(struct gz_net *net);
/* Seconds since this member heard of the cluster's database, which the others are told; negative:
 * it keeps no links without clients. */
void gz_net_tell(struct gz_net *net, double silence_s);
/* Whether that member answers, and the seconds since it heard of the database, as it says. */
bool gz_net_hears(const struct gz_net *net, const char *url, double *silence_s);

/* ---- scenes ---- */

/* Adds a scene, which then has its turns. It must exist until it is removed, when no connection may
 * use it. */
void gz_net_add(struct gz_net *net, struct gz_net_scene *scene);
void gz_net_remove(struct gz_net *net, struct gz_net_scene *scene);
/* The core is no longer lent: sessions whose connections ended meanwhile leave it, and it has a
 * turn. */
void gz_net_return(struct gz_net_scene *scene);

/* Accepts no more connections, refuses new sessions, and dismisses connections without a
 * session. */
void gz_net_drain(struct gz_net *net);
/* Whether no session is left, and no connection has a last frame to take. */
bool gz_net_is_quiet(const struct gz_net *net);

/* Ends all connections and closes its handles, which the loop has to run to finish. Open requests
 * may still be answered until the loop has ended. */
void gz_net_close(struct gz_net *net);
/* Call it after gz_net_close and the end of the loop. NULL is fine. */
void gz_net_destroy(struct gz_net *net);

#endif
