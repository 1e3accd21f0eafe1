/* net.h - the sockets: WebSocket connections become sessions of a core, frames of a core become
 * bytes, and HTTP beside it takes files and all that is not live. The one room that knows
 * libwebsockets; it knows no store and no glTF.
 *
 * The loop: a message is given to a core at once; at the end of the loop's turn each core that was
 * touched has its turn, and its frames for its viewers are written straight to the sockets that are
 * free, one write per viewer. That is at once as long as the loop has time. As it fills, scenes
 * rest between writes, so that these carry more each; answers and commits never wait for that. No
 * connection is ended in the middle of a message: it is marked, and ended when it is written to.
 *
 * Ownership: the caller owns the loop and runs it. gz_net_close begins the end, the loop finishes
 * it, gz_net_destroy frees. Threads: the loop's. Errors: GZ_INTERNAL with words if the network or
 * libwebsockets refuses. */
#ifndef GZ_NET_H
#define GZ_NET_H

#include <assert.h>
#include <uv.h>

#include "net/address.h"
#include "net/body.h"
#include "net/rest.h"
#include "proto/base/buffer.h"
#include "proto/base/log.h"
#include "proto/limits.h"
#include "proto/token/claims.h"
#include "server/maxima.h"
#include "session/core.h"

struct gz_net;
struct gz_connection;
struct gz_keyring; /* net/keyring.h */

/* Connections that are to be written to, the first one first. */
struct gz_net_queue {
    struct gz_connection *first, *last;
    size_t count;
};

/* A scene as the network sees it, embedded in the host's own struct of the scene. */
struct gz_net_scene {
    struct gz_core *core;
    bool touched; /* its core was given something since its last turn; the host sets it too */
    bool is_lent; /* the host's: the core is a worker's, and nobody calls it until gz_net_return */
    /* net's own */
    struct gz_connection *connections;
    size_t connection_count;
    struct gz_connection *at; /* of a round: it is visited next; NULL: the first one */
    size_t left;              /* so many are still to be visited */
    struct gz_group *groups;  /* of connections that are visited together, beside those */
    bool groups_due;          /* they are still to be visited */
    struct gz_rest_round round;
    double visit_s; /* what a visit costs, about */
    /* Connections that are written to at once, and when the scene does not rest. */
    struct gz_net_queue ready, later;
    /* Those whose next frame is a large one (gz_session_frame_waits): each pass hands out some. A
     * connection keeps its place while it is written to for other reasons. */
    struct gz_net_queue line;
    struct gz_session *gone; /* those whose connections went while the core was lent */
    double pass_from_s;      /* its next pass is not before this, monotonic */
    struct gz_net_scene *next;
};

/* Whether there is something that the core has had no turn for, or that viewers were not sent. */
static inline bool gz_net_has_work(const struct gz_net_scene *scene)
{
    return scene->touched || scene->left > 0 || scene->groups_due;
}

/* The core of a scene that is not lent. */
static inline struct gz_core *gz_net_core(const struct gz_net_scene *scene)
{
    assert(!scene->is_lent);
    return scene->core;
}

/* A request that waits for a scene that is being opened or closed, or is lent, embedded in the
 * struct of the one that asks. `again` is called once, later, on the loop: with NULL the scene is
 * to be asked for again, otherwise its opening failed and that is the answer. If another member of
 * the cluster has the scene, the host fills `url` before that, and the asker is relayed to it. */
struct gz_scene_wait {
    void (*again)(struct gz_scene_wait *wait, const struct gz_error *error);
    void *context;
    char url[GZ_MEMBER_URL_BYTES_MAX + 1]; /* http(s)://HOST:PORT of that member; else empty */
    /* the host's */
    struct gz_scene_wait *next;
    struct gz_scene_wait **list; /* NULL while it does not wait */
};

/* ---- HTTP: what the host is asked ---- */

/* Bytes of an entity tag with its quotes, and of the tags that a client says it knows (one is
 * usual). */
#define GZ_ETAG_BYTES 80
#define GZ_KNOWN_BYTES 256

enum gz_http_what {
    GZ_HTTP_LIST,
    GZ_HTTP_IMPORT,
    GZ_HTTP_ASSET,
    GZ_HTTP_EXPORT, /* as the kind of file that the asset is */
    GZ_HTTP_EXPORT_GLB,
    GZ_HTTP_EXPORT_GLTF,
    GZ_HTTP_BACKUP,
    GZ_HTTP_DELETE,
    GZ_HTTP_RENAME
};

/* Given to the host, which answers it exactly once, at once or later, by gz_http_answer or
 * gz_http_refuse; it is gone then. That holds for gz_http_receive, too. The client may have gone
 * before: the answer is thrown away. */
struct gz_http_request {
    enum gz_http_what what;
    char scene[GZ_SCENE_NAME_BYTES_MAX + 1]; /* as it came: not checked */
    struct gz_claims claims;                 /* of its user, which may be empty on an open server */
    enum gz_role role;          /* the least in the scene that may do this; a list takes none */
    bool replace;               /* import: an existing scene may be replaced */
    char known[GZ_KNOWN_BYTES]; /* If-None-Match as it came; empty for none */
    struct gz_body *body;       /* import, rename; the host may take it and leave NULL */
};

struct gz_http_answer {
    int code;                 /* 200, 201, 204 */
    const char *type;         /* media type; static */
    struct gz_buffer body;    /* taken over */
    int file;                 /* to be sent instead of `body` and closed, or -1 */
    char etag[GZ_ETAG_BYTES]; /* in quotes: the same tag is the same body; empty for none. A client
                                 that knows the tag gets 304 without the body */
    char dropped[GZ_DROPPED_BYTES]; /* of an export: the skins that it left out; empty for none */
};
/* Whether the client has the body with this tag, so that it need not be made. Any thread, while the
 * host has the request. */
bool gz_http_knows(const struct gz_http_request *request, const char *etag);
void gz_http_answer(struct gz_http_request *request, const struct gz_http_answer *answer);
/* Has more of the body of a request come that was given to `admit` or to `spool`; the host gets it
 * whole, by `serve`. */
void gz_http_receive(struct gz_http_request *request);
/* A JSON error. `code` 0 is the one that goes with the status. */
void gz_http_refuse(struct gz_http_request *request, int code, const struct gz_error *error);
/* Another way to answer a request that was given to `admit` or to `serve`: the member of the
 * cluster at this URL has its scene, and answers it. Bodies pass through in pieces, both ways. A
 * member that cannot be reached, or that ends before its answer begins, is a 503 that may be tried
 * again. So is a request whose body has come already (`admit` found the scene here, `serve` does
 * not), and one that a member has relayed to this one. */
void gz_http_relay(struct gz_http_request *request, const char *url);

/* ---- the host ---- */

struct gz_net_host {
    void *context;
    /* GZ_STATUS_COUNT: all that somebody was answered with; the network counts its own there. */
    _Atomic uint64_t *errors;
    /* The scene of this name, made if it is missing and `create`, both on the share of `payer`. If
     * it has to be opened first, *scene is NULL with GZ_OK, and `wait` waits; if another member of
     * the cluster is known to have it, `wait->url` is filled instead. GZ_BAD_VALUE if that
     * is no name, GZ_UNKNOWN_SCENE, GZ_TOO_MANY, GZ_RATE_LIMITED, GZ_STORAGE. */
    enum gz_status (*find)(void *context, struct gz_text name, bool create, const char *payer,
                           struct gz_scene_wait *wait, struct gz_net_scene **scene,
                           struct gz_error *error);
    /* The core has bulk (gz_core_has_bulk), and the pass is through with the scene: it is lent to a
     * worker for that. */
    void (*lend)(void *context, struct gz_net_scene *scene);
    /* `again` is not to be called any more. */
    void (*forget)(void *context, struct gz_scene_wait *wait);
    /* Whether an import or a rename may begin, asked before its body is read: answered once, at
     * once or later, by gz_http_receive or gz_http_refuse. `serve` looks again. */
    void (*admit)(void *context, struct gz_http_request *request);
    void (*serve)(void *context, struct gz_http_request *request);
    /* Whose body is to be written to its file before more of it comes: answered later, as
     * `admit`. */
    void (*spool)(void *context, struct gz_http_request *request);
    /* Takes a body over that nobody waits for, to free it elsewhere. */
    void (*discard)(void *context, struct gz_body *body);
    /* Whether every open scene is recovered and the disk takes commits in time; if not, why. If it
     * is well, but edits are refused, `error` says why as well; else its status is GZ_OK. */
    bool (*healthy)(void *context, struct gz_error *error);
    /* Appends what the host knows, in Prometheus' text format. */
    bool (*measure)(void *context, struct gz_buffer *out);
};

struct gz_net_options {
    uv_loop_t *loop;
    const struct gz_log *log;
    struct gz_net_host host;
    const char *address; /* a host name, an IPv4 address, or an IPv6 address without brackets */
    uint16_t port;       /* 0: a free one */
    /* Files of PEM: the certificate and its chain, and its private key. NULL: no TLS. */
    const char *cert, *key;
    const char *web; /* folder of static files; NULL for none */
    const char *const *origins;
    size_t origin_count;
    const struct gz_address_range *proxies; /* trusted ones */
    size_t proxy_count;
    bool proxies_only;                /* beside them only loopback may connect */
    const char *trust_header;         /* in which they name the user; NULL for none */
    const struct gz_keyring *keyring; /* everybody needs a token by one of its keys, or the trusted
                                         header; NULL: nobody does */
    const char *const *admins; /* display names that may have the role admin if they ask for it */
    size_t admin_count;
    double ping_s, silence_s;
    size_t connections_per_address; /* at most; loopback may have any number */
    size_t relayed_max;             /* clients of other members, at most */
    /* By which members of a cluster prove to each other what they are: what one relays is then
     * believed as a trusted proxy's word is. The same at all members. NULL: there is no cluster. */
    const uint8_t *secret;
    size_t secret_size;
    const char *server; /* for the Server header */
};

/* Bytes of a header's name, with the terminator. */
#define GZ_TRUST_HEADER_BYTES 64
/* Whether a header of this name can be trusted: letters, digits and dashes, and none that has a
 * meaning of its own. */
bool gz_trust_header_valid(const char *name);

/* Binds, and begins to listen. The strings and lists of `options` must live as long as the net. */
GZ_MUST_USE enum gz_status gz_net_create(struct gz_net **net, const struct gz_net_options *options,
                                         struct gz_error *error);
/* Bytes that a frame handed to the network is to have free before it. */
size_t gz_net_frame_headroom(void);
/* Begins to accept. */
void gz_net_start(struct gz_net *net);
/* Reads the certificate and the key again, for connections that come from now on. On an error,
 * whose words name the option and the file, the earlier ones stay in force. GZ_OK without TLS. */
GZ_MUST_USE enum gz_status gz_net_reload(struct gz_net *net, struct gz_error *error);
bool gz_net_has_tls(const struct gz_net *net);
/* What it listens on, as in a URL: "127.0.0.1:7432", "[::1]:7432". */
const char *gz_net_address(const struct gz_net *net);
/* The address for a browser on this machine: loopback's if the daemon listens on every address. */
const char *gz_net_local_address(const struct gz_net *net);

/* From now on the scene has its turns. It must stay until it is removed; no connection may use it
 * then. */
void gz_net_add(struct gz_net *net, struct gz_net_scene *scene);
void gz_net_remove(struct gz_net *net, struct gz_net_scene *scene);
/* The core is not lent any more: sessions whose connections went meanwhile leave it, and it has a
 * turn. */
void gz_net_return(struct gz_net_scene *scene);

/* Accepts no connection any more, refuses new sessions, and dismisses connections that have none
 * yet. */
void gz_net_drain(struct gz_net *net);
/* No session is left, and no connection has last words to take. */
bool gz_net_is_quiet(const struct gz_net *net);

/* Ends all connections and closes its handles, which the loop must then run to finish. Requests
 * that are not answered yet may be answered until the loop has ended. */
void gz_net_close(struct gz_net *net);
/* Frees. After gz_net_close and the end of the loop. NULL is fine. */
void gz_net_destroy(struct gz_net *net);

#endif
