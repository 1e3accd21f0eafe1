/* gizmo_client.h - a client of gizmod: joins a scene or a part of it, sends the user's actions,
 * keeps a mirror of the scene, its notes and the users in it, and transfers files over HTTP. The
 * protocol is specified in proto/README.md; messages are the structs of proto/message.h.
 *
 * Two ways to use it:
 * - Blocking, for scripts: gz_client_create, then gz_client_request and gz_client_next with a time
 *   to wait.
 * - From a loop: watch gz_client_fd for reading, and for writing while gz_client_wants_write; then
 * call gz_client_next with a timeout of 0 until it returns NULL.
 *
 * Units and frames are glTF's, as in base/linear.h; times to wait are seconds. Ownership: the
 * caller destroys what it creates; destroy(NULL) is fine. A returned message is valid until the
 * next call of its client; pointers from the mirror, the pinboard and the people until the next
 * message is applied to them. Threads: a client belongs to one thread at a time; several threads
 * can have several clients. No state is shared by the process, and no signal is raised. A host
 * is looked up while the caller waits, beyond its time if the resolver takes longer. Errors: a
 * refusal of the server has the server's code and message, and so has a handshake that it refused
 * with an HTTP status below 500. A refusal of a proxy has the nearest code: GZ_FORBIDDEN,
 * GZ_TOO_LARGE, GZ_RATE_LIMITED, GZ_UNREACHABLE (502 to 504), or else GZ_INTERNAL. GZ_UNREACHABLE,
 * with a sentence, for a connection that cannot be made or was lost, and for an answer that did not
 * come in time. */
#ifndef GIZMO_CLIENT_H
#define GIZMO_CLIENT_H

/* For C++ all declarations here and in the headers of this tree are C; their system headers come
 * first. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __cplusplus
extern "C" {
#endif

#include "proto/base/linear.h"
#include "proto/base/status.h"
#include "proto/message.h"

#define GZ_CLIENT_URL_DEFAULT "ws://127.0.0.1:7432/ws"

/* ---- the scene, rebuilt from deltas alone ---- */

struct gz_mirror;

struct gz_mirror_node {
    uint64_t id;
    uint64_t parent; /* 0 is the root */
    uint64_t by;     /* the session that moved it last; 0 if unknown */
    gz_trs trs;
    char *name; /* UTF-8, terminated */
    bool has_bounds;
    gz_box bounds; /* local */
    int64_t asset; /* its index in the scene's glTF file, the same for its copies; -1 for none */
};

struct gz_mirror *gz_mirror_create(void); /* NULL without memory */
void gz_mirror_destroy(struct gz_mirror *mirror);

/* Takes the mirror from delta->from to delta->seq, which may be the same. A delta from 0 starts
 * over. A node that left the interest is removed like a deleted one. GZ_CONFLICT for a delta that
 * does not begin at the mirror's seq, that has a new node without a required field, or that leaves
 * a node without its parent: the mirror then differs from the server's scene, and the client has to
 * join again. */
GZ_MUST_USE enum gz_status gz_mirror_apply(struct gz_mirror *mirror, const struct gz_delta *delta,
                                           struct gz_error *error);
void gz_mirror_clear(struct gz_mirror *mirror);
/* Goes back to where the mirror was last complete, from where the server resumes. Later changes
 * will be sent again; until then the mirror is as complete as it was. */
void gz_mirror_rewind(struct gz_mirror *mirror);

uint64_t gz_mirror_seq(const struct gz_mirror *mirror);
/* The seq at which it was last complete, to resume from; 0 for never. */
uint64_t gz_mirror_complete_seq(const struct gz_mirror *mirror);
/* The latest seq of which it holds a change; above gz_mirror_seq between going back and being
 * complete again. */
uint64_t gz_mirror_seen_seq(const struct gz_mirror *mirror);
/* False before the first delta, between deltas that said `more`, and after gz_mirror_expect. */
bool gz_mirror_is_complete(const struct gz_mirror *mirror);
/* Call it when the server has accepted an `interest`: the mirror is then complete only after the
 * next delta without `more`. */
void gz_mirror_expect(struct gz_mirror *mirror);
size_t gz_mirror_count(const struct gz_mirror *mirror);
const struct gz_mirror_node *gz_mirror_find(const struct gz_mirror *mirror,
                                            uint64_t id); /* NULL if there is none */
/* All nodes by ascending id, or NULL without memory; the array is the caller's to free(), the nodes
 * are the mirror's. */
const struct gz_mirror_node **gz_mirror_list(const struct gz_mirror *mirror, size_t *count);
/* The node's transform in the world. False if the node or one above it does not exist. */
bool gz_mirror_world(const struct gz_mirror *mirror, uint64_t id, gz_affine *world);

/* ---- the notes that people left in the scene ---- */

struct gz_pinboard;

struct gz_pinboard *gz_pinboard_create(void); /* NULL without memory */
void gz_pinboard_destroy(struct gz_pinboard *pinboard);
/* Applies a `notes` message. Without memory a part of it may be missing. */
GZ_MUST_USE enum gz_status gz_pinboard_apply(struct gz_pinboard *pinboard,
                                             const struct gz_notes *notes, struct gz_error *error);
void gz_pinboard_clear(struct gz_pinboard *pinboard);

/* False between messages that said `more`. */
bool gz_pinboard_is_complete(const struct gz_pinboard *pinboard);
size_t gz_pinboard_count(const struct gz_pinboard *pinboard);
/* By ascending id, the order they were made in; NULL from the count on. Texts are terminated. */
const struct gz_note_state *gz_pinboard_at(const struct gz_pinboard *pinboard, size_t index);
const struct gz_note_state *gz_pinboard_find(const struct gz_pinboard *pinboard,
                                             uint64_t id); /* NULL for none */

/* ---- people ---- */

struct gz_people;

struct gz_people *gz_people_create(void); /* NULL without memory */
void gz_people_destroy(struct gz_people *people);
/* Applies a `presence` message. Without memory a part of it may be missing. */
GZ_MUST_USE enum gz_status gz_people_apply(struct gz_people *people,
                                           const struct gz_presence *presence,
                                           struct gz_error *error);
void gz_people_clear(struct gz_people *people);
/* From now on a `presence` with `all` keeps the record of this session, because the server sends a
 * client that only watches its own record only once. 0: of none. */
void gz_people_keep(struct gz_people *people, uint64_t session);
/* Applies a `crowd` message: the number of users in the scene. */
void gz_people_count_here(struct gz_people *people, uint64_t here);
/* The number of users in the scene, with those who only watch; 0 if it is not known yet. It may be
 * slightly late. */
uint64_t gz_people_here(const struct gz_people *people);
/* Whether all presence has come since the beginning or the last clear, the number of users behind
 * it. */
bool gz_people_is_complete(const struct gz_people *people);

size_t gz_people_count(const struct gz_people *people);
/* The latest record of each, by ascending session; NULL from the count on. Names are terminated.
 * The `view` of a record with VIEW shows what that user sees. */
const struct gz_presence_user *gz_people_at(const struct gz_people *people, size_t index);
const struct gz_presence_user *gz_people_find(const struct gz_people *people,
                                              uint64_t session); /* NULL for none */

/* ---- a connection ---- */

struct gz_client;

struct gz_client_options {
    /* ws://HOST:PORT/ws or wss://..., or the editor's http:// or https://; USER:PASSWORD@ before
     * the host is sent to a proxy as Basic. Several with commas or white space between them are
     * tried in turn: the members of a cluster. NULL: GZ_CLIENT_URL_DEFAULT */
    const char *url;
    const char *scene;   /* the scene to join */
    const char *user;    /* the user's name */
    const char *token;   /* NULL for none */
    const char *ca;      /* for wss://: a PEM file of certificate authorities. NULL: the system's */
    const char *headers; /* lines of "Name: value" for a proxy, added to each request; NULL: none */
    bool has_role;       /* ask for `role` instead of the highest one that the token allows */
    enum gz_role role;
    bool create;  /* create the scene if it is missing */
    bool draw;    /* ask for the gizmo's lines */
    bool predict; /* compute gz_client_predict_... ahead of the server */
    bool plain; /* read the plain form: the packed one rounds other users' views and pointers, and a
                   running drag of many nodes */
    double timeout_s; /* for joining, 0: 10 s; addresses that do not answer share it */
    /* An `interest` to join with, valid from the first delta on; NULL for the whole scene. One with
     * `view` needs the `camera`; NULL for none. */
    const struct gz_message *interest, *camera;
};

/* Connects and joins; returns after the server's welcome. The options are copied. */
GZ_MUST_USE enum gz_status gz_client_create(struct gz_client **client,
                                            const struct gz_client_options *options,
                                            struct gz_error *error);
/* Closes the connection and drops unsent messages (gz_client_flush sends them). */
void gz_client_destroy(struct gz_client *client);
/* Joins again after the connection was lost, and resumes where the mirror was last complete if the
 * server still can. Each `edit` comes once, also those that were committed meanwhile. If the server
 * still has the session of the earlier connection, it ends that session first, and its locks are
 * free. Queued messages are dropped. On failure the client stays closed, and the caller may try
 * again. An interest is not resumed: the last one that the server accepted is asked for again, one
 * with `view` with the last camera, and the mirror starts over with it. If the server refuses it
 * now (for example because a node was deleted), the reconnect fails, and the next try joins the
 * whole scene. If the server answers with `bye` and a time, the client tries again until timeout_s
 * is over, also while nothing answers: the server may restart, or the scene may move to another
 * member of a cluster. */
GZ_MUST_USE enum gz_status gz_client_reconnect(struct gz_client *client, struct gz_error *error);
/* Cuts the connection as a failing network would, without a message to the server. */
void gz_client_cut(struct gz_client *client);

bool gz_client_is_open(const struct gz_client *client);
/* The address of the editor beside the WebSocket that was used last: "http://HOST:PORT/". */
void gz_client_page(const struct gz_client *client, char *text, size_t size);
/* Why the connection has ended, as a sentence; "" while it is open. */
const char *gz_client_reason(const struct gz_client *client);
/* The server's answer to the last join. Valid until the next one. */
const struct gz_welcome *gz_client_welcome(const struct gz_client *client);
/* Updated by gz_client_next and all functions that wait. */
const struct gz_mirror *gz_client_mirror(const struct gz_client *client);
/* All notes of the scene, once they have come: the first ones follow the first complete delta of a
 * join in the same frame. */
const struct gz_pinboard *gz_client_pinboard(const struct gz_client *client);
/* The users in the scene, with this client's own session: the first few, and all who acted. The
 * others are only counted; the message `who` asks for them. */
const struct gz_people *gz_client_people(const struct gz_client *client);
/* The highest seq that is on stable storage, as the server last reported. */
uint64_t gz_client_saved(const struct gz_client *client);
/* Bytes of all received messages, over all connections. */
uint64_t gz_client_received_bytes(const struct gz_client *client);

int gz_client_fd(const struct gz_client *client); /* -1 if it is closed */
bool gz_client_wants_write(const struct gz_client *client);

/* Queues a message and sends as much as the socket takes. If `rid` is not NULL the message gets a
 * rid, which is returned there and which the server will answer; an `interest` gets one in any
 * case. Fails if the message cannot be encoded or the connection has ended. */
GZ_MUST_USE enum gz_status gz_client_send(struct gz_client *client, struct gz_message *message,
                                          uint64_t *rid, struct gz_error *error);
/* The same for the raw bytes of one WebSocket message: several messages at once, or ones that this
 * library does not know. A reconnect does not repeat an `interest` among them. */
GZ_MUST_USE enum gz_status gz_client_send_bytes(struct gz_client *client, const void *bytes,
                                                size_t size, struct gz_error *error);
/* Waits until all queued bytes were given to the system. */
GZ_MUST_USE enum gz_status gz_client_flush(struct gz_client *client, double timeout_s,
                                           struct gz_error *error);
/* The next message of any kind, in order. NULL if none came within the time or the connection has
 * ended. */
const struct gz_message *gz_client_next(struct gz_client *client, double timeout_s);

/* Called with every message that gz_client_answer and the functions below skip while they wait. It
 * must not call the client. */
typedef void gz_client_handler(void *context, const struct gz_message *message);
void gz_client_set_handler(struct gz_client *client, gz_client_handler *handler, void *context);

/* Waits for the answer to `rid`: GZ_OK with the `ok` in *answer (which may be NULL), or the
 * server's refusal as an error, with the `error` message in *answer. For an answer in several parts
 * call it again while answer->ok.more. The server drops messages above its rate (welcome.limits)
 * without naming them: each waiting request then fails at once with GZ_RATE_LIMITED and NULL in
 * *answer, although it may have been done. A request with a `key` is done only once, so it can be
 * sent again with the same key. */
GZ_MUST_USE enum gz_status gz_client_answer(struct gz_client *client, uint64_t rid,
                                            double timeout_s, const struct gz_message **answer,
                                            struct gz_error *error);
/* Sends, and waits for the answer. */
GZ_MUST_USE enum gz_status gz_client_request(struct gz_client *client, struct gz_message *message,
                                             double timeout_s, const struct gz_message **answer,
                                             struct gz_error *error);
/* Waits until the mirror is complete and at `seq` or later. After the `ok` of an `interest` any
 * seq, also 0, waits for its complete delta. */
GZ_MUST_USE enum gz_status gz_client_await(struct gz_client *client, uint64_t seq, double timeout_s,
                                           struct gz_error *error);

/* ---- ahead of the server ---- */

/* A client with the option `predict` computes the server's answers in advance, with the server's
 * own solver, from the messages that it sends by gz_client_send and gz_client_request: the gizmo,
 * the handle under the pointer, the nodes of a drag, a wheel and a `set`, and the view of an orbit.
 * So the user's actions can be drawn without a round trip. The server decides all the same, and the
 * mirror has its state.
 *
 * The expected transform of a node is kept until the mirror shows the server's result. If the
 * server refuses an action, the node is expected where it would be without it. If the server has a
 * node elsewhere than expected, because another user moved it first, the node is expected there:
 * during a drag with the next acknowledgement, otherwise with the answer. If the server sends
 * another view than expected, that view counts, and a running orbit follows the server until the
 * next press.
 *
 * When the connection is lost, expectations stay until gz_client_reconnect. The new session begins
 * with the server's state: a drag and a wheel were completed as far as they had arrived, and an
 * edit without an answer was made or not, which the mirror shows; nothing is sent again. To send
 * such an edit again, use the same `key` both times.
 *
 * The messages are the same as without the option, except that each `pointer` and `grab` gets a
 * number `n`, and each `select`, `grab`, `set`, `wheel` and `pointer` other than hover and move a
 * rid, which the server answers. A gizmo needs a camera, a tool and a selection, which have to be
 * sent again after a reconnect. The interest has to contain the selection, and the centre of an
 * orbit. Not predicted: the node that a press selects, a `set` of a parent, `create`, `delete`,
 * undo and the like, and locks. Units and frames are those of the messages. */

/* The `gizmo` message that the server will send, without lines. False if there is no gizmo, or
 * without the option. With the mode or the pivot `bounds` and a selected group the first call after
 * a change looks at every node. */
bool gz_client_predict_gizmo(struct gz_client *client, struct gz_message *gizmo);
/* The handle that a press takes at the place (`at` or `ray`) of a pointer message; GZ_HANDLE_NONE
 * for none, and without the option. */
enum gz_handle gz_client_predict_handle(struct gz_client *client, const struct gz_message *pointer);
/* The expected local transform of the node, and its transform in the world; without the option
 * those of the mirror. False if the node, or for the world one above it, does not exist. */
bool gz_client_predict_trs(const struct gz_client *client, uint64_t id, gz_trs *trs);
bool gz_client_predict_world(const struct gz_client *client, uint64_t id, gz_affine *world);
/* The expected view (world to eye): that of the last `camera`, changed by orbits and wheels since;
 * without the option the one that the server sent. An orbit about everything looks at every node.
 * False without a camera. */
bool gz_client_predict_view(const struct gz_client *client, double view[16]);
/* How often the server had a node or the view elsewhere than expected, or refused an action: 0 as
 * long as no other user interferes. */
uint64_t gz_client_predict_corrections(const struct gz_client *client);

/* A text for a message; NULL is the empty text. */
struct gz_text gz_client_text(const char *terminated);

/* ---- the HTTP paths ---- */

struct gz_http {
    const char *url;    /* as in gz_client_options; the paths are beside the WebSocket's /ws */
    const char *method; /* "GET", "PUT", "PATCH" or "DELETE" */
    const char *path;   /* e.g. "/scenes/engine?replace" */
    const char *token;  /* NULL for none */
    const char *ca, *headers; /* as in gz_client_options */
    const char *type;         /* the body's media type; NULL for none */
    const void *body;
    size_t body_size;
    double timeout_s; /* of silence, 0: 60 s */
    /* Called with the pieces of a successful answer's body; any status but GZ_OK ends the transfer
     * with that status. May be NULL. */
    enum gz_status (*sink)(void *context, const void *bytes, size_t size);
    void *context;
    /* Receives the answer's Gizmod-Dropped header, cut to fit and terminated; empty if there is
     * none. May be NULL. */
    char *dropped;
    size_t dropped_bytes;
};

/* Performs the request. If a server cannot be reached, or answers 502, 503 or 504, the next address
 * of the URL is tried. A refusal has the server's code and message; that of a proxy only its HTTP
 * status. */
GZ_MUST_USE enum gz_status gz_http_perform(const struct gz_http *http, struct gz_error *error);

#ifdef __cplusplus
}
#endif

#endif
