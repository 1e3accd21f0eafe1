/* gizmo_client.h - a client of gizmod: joins a scene, or a part of it, says what the user does,
 * keeps the scene as the deltas tell it, the notes in it and who is there, and moves files over the
 * HTTP paths. The protocol in words is proto/README.md; messages are the structs of
 * proto/message.h.
 *
 * Two ways to use it:
 * - Straight, for scripts: gz_client_create, then gz_client_request and gz_client_next with a time
 * to wait.
 * - From a loop: watch gz_client_fd for reading, and for writing while gz_client_wants_write; then
 * call gz_client_next with a timeout of 0 until it returns NULL.
 *
 * Units and frames are glTF's, as in base/linear.h; times to wait are seconds.
 * Ownership: whoever creates destroys; destroy(NULL) is fine. A message handed out lives until the
 * next call on its client, what the mirror, the pinboard and the people hand out until the next
 * message is applied to them. Threads: a client belongs to one thread at a time; several clients
 * can live in several threads. libwebsockets' own log lines are turned off for the process, because
 * every failure comes back in words here. Errors: what the server refused has the server's code and
 * words, and so has a handshake that it refused with an HTTP status below 500. A connection that
 * cannot be made, that was lost, or an answer that did not come in time is GZ_INTERNAL, with words
 * that say which. */
#ifndef GIZMO_CLIENT_H
#define GIZMO_CLIENT_H

/* For C++, all that is declared here and in the headers of this tree is C; what those include of
 * the system comes first. */
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
    uint64_t by;     /* the session that moved it last, 0 if that was not said */
    gz_trs trs;
    char *name; /* UTF-8, terminated */
    bool has_bounds;
    gz_box bounds; /* local */
    int64_t asset; /* its index in the scene's glTF, the same for its copies; -1 for none */
};

struct gz_mirror *gz_mirror_create(void); /* NULL without memory */
void gz_mirror_destroy(struct gz_mirror *mirror);

/* Takes the mirror from delta->from to delta->seq, which may be the same. A delta from 0 starts
 * over. A node that left the part of the scene that was asked for goes as a deleted one does. A
 * delta from elsewhere than where the mirror stands, with a new node that lacks a field, or that
 * leaves a node without its parent is GZ_CONFLICT: the mirror is then no longer the server's scene,
 * and a new join is the way out. */
GZ_MUST_USE enum gz_status gz_mirror_apply(struct gz_mirror *mirror, const struct gz_delta *delta,
                                           struct gz_error *error);
void gz_mirror_clear(struct gz_mirror *mirror);
/* The server resumes where the mirror was last complete: goes back to there. What had come since
 * will be told again; until then the mirror is as complete as it was. */
void gz_mirror_rewind(struct gz_mirror *mirror);

uint64_t gz_mirror_seq(const struct gz_mirror *mirror);
/* The seq at which it was last complete, 0 for never: where to resume. */
uint64_t gz_mirror_complete_seq(const struct gz_mirror *mirror);
/* The latest seq of which it holds something; beyond gz_mirror_seq between going back and being
 * complete again. */
uint64_t gz_mirror_seen_seq(const struct gz_mirror *mirror);
/* False before the first delta, between deltas that said `more`, and after gz_mirror_expect. */
bool gz_mirror_is_complete(const struct gz_mirror *mirror);
/* It is not complete again before the next delta without `more`: for when the server took an
 * `interest`. */
void gz_mirror_expect(struct gz_mirror *mirror);
size_t gz_mirror_count(const struct gz_mirror *mirror);
const struct gz_mirror_node *gz_mirror_find(const struct gz_mirror *mirror,
                                            uint64_t id); /* NULL if there is none */
/* All nodes by ascending id, or NULL without memory; the array is the caller's to free(), the nodes
 * are the mirror's. */
const struct gz_mirror_node **gz_mirror_list(const struct gz_mirror *mirror, size_t *count);
/* The node's transform in the world. False if it, or one of its parents, is not there. */
bool gz_mirror_world(const struct gz_mirror *mirror, uint64_t id, gz_affine *world);

/* ---- the notes that people left in the scene ---- */

struct gz_pinboard;

struct gz_pinboard *gz_pinboard_create(void); /* NULL without memory */
void gz_pinboard_destroy(struct gz_pinboard *pinboard);
/* Takes in a `notes` message. Without memory some of it may be missing. */
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

/* ---- who is here ---- */

struct gz_people;

struct gz_people *gz_people_create(void); /* NULL without memory */
void gz_people_destroy(struct gz_people *people);
/* Takes in a `presence` message. Without memory some of it may be missing. */
GZ_MUST_USE enum gz_status gz_people_apply(struct gz_people *people,
                                           const struct gz_presence *presence,
                                           struct gz_error *error);
void gz_people_clear(struct gz_people *people);
/* From now on presence that tells of everybody anew leaves the record of this session: the server
 * tells a client that only watches of itself once. 0: of none. */
void gz_people_keep(struct gz_people *people, uint64_t session);
/* Takes in a `crowd` message: how many are in the scene. */
void gz_people_count_here(struct gz_people *people, uint64_t here);
/* How many are in the scene, those included who only watch and are not told of; 0 if the server did
 * not say (yet). It may be a moment behind. */
uint64_t gz_people_here(const struct gz_people *people);
/* Whether all that there is to be told of who is here has come since the beginning, or a clear; the
 * kept session has to be known. */
bool gz_people_is_complete(const struct gz_people *people);

size_t gz_people_count(const struct gz_people *people);
/* The latest record of each, by ascending session; NULL from the count on. Names are terminated. To
 * see what another sees, take `view` of the other's record where `has` says VIEW. */
const struct gz_presence_user *gz_people_at(const struct gz_people *people, size_t index);
const struct gz_presence_user *gz_people_find(const struct gz_people *people,
                                              uint64_t session); /* NULL for none */

/* ---- a connection ---- */

struct gz_client;

struct gz_client_options {
    const char *url;   /* ws://HOST:PORT/ws or wss://...; NULL: GZ_CLIENT_URL_DEFAULT */
    const char *scene; /* the scene to join */
    const char *user;  /* display name */
    const char *token; /* NULL for none */
    const char *ca;    /* for wss://: a file of certificates in PEM, the authorities that may vouch
                          for the server. NULL: the system's */
    bool has_role;     /* ask for `role` instead of the most that the token allows */
    enum gz_role role;
    bool create;  /* make the scene if it is missing */
    bool draw;    /* ask for the gizmo's lines */
    bool predict; /* answer gz_client_predict_... ahead of the server */
    bool plain;  /* do not ask for the compact form, by which another's view and pointer are rounded
                  */
    bool singly; /* do not ask for motions, by which a running drag of many nodes is rounded */
    bool everybody;   /* be told of everybody, and not only of a few and of those who act */
    double timeout_s; /* for joining, 0: 10 s */
    /* An `interest` to join with: the part of the scene that is told from the first delta on, NULL
     * for the whole scene. One in `view` needs the `camera`; NULL for none. */
    const struct gz_message *interest, *camera;
};

/* Connects and joins; returns when the server's welcome is there. The options are copied. */
GZ_MUST_USE enum gz_status gz_client_create(struct gz_client **client,
                                            const struct gz_client_options *options,
                                            struct gz_error *error);
/* Closes the connection, dropping what was not sent yet (see gz_client_flush). */
void gz_client_destroy(struct gz_client *client);
/* Joins again after the connection was lost, and resumes where the mirror was last complete if the
 * server still can. Each `edit` comes once, also those that were committed meanwhile. If the server
 * still has the session of the earlier connection, it ends that session first: what the session
 * held is free to be taken again. What the client had queued is dropped. On failure the client
 * stays closed, and the caller may try again. A part of the scene is not resumed: the last
 * `interest` that the server took is asked for again, an interest in `view` with the last camera,
 * and the mirror starts over with it. If the server refuses it now (a node is gone, say), that
 * is the failure, and the next try joins the whole scene. A server that answers with `bye`, and
 * wants to be asked again later, is asked again until timeout_s is over, also where nobody answers
 * meanwhile: a server that ends, or a scene that passes from one member of a cluster to another. */
GZ_MUST_USE enum gz_status gz_client_reconnect(struct gz_client *client, struct gz_error *error);
/* Cuts the connection as a failing network would, without a word to the server. */
void gz_client_cut(struct gz_client *client);

bool gz_client_is_open(const struct gz_client *client);
/* Why the connection is over, in words; "" while it is open. */
const char *gz_client_reason(const struct gz_client *client);
/* What the server said to the last join. Valid until the next one. */
const struct gz_welcome *gz_client_welcome(const struct gz_client *client);
/* Kept up to date by gz_client_next and everything that waits. */
const struct gz_mirror *gz_client_mirror(const struct gz_client *client);
/* All notes of the scene, once they have come: the first of them, if any, follow the first complete
 * delta of a join in the same frame. */
const struct gz_pinboard *gz_client_pinboard(const struct gz_client *client);
/* Who is here, this client's own session among them: the first few, and all who did something that
 * others see; with `everybody` all. The others are counted, and a `who` asks for them. */
const struct gz_people *gz_client_people(const struct gz_client *client);
/* The highest seq that the server said is on stable storage. */
uint64_t gz_client_saved(const struct gz_client *client);
/* Of all messages that came, over all connections. */
uint64_t gz_client_received_bytes(const struct gz_client *client);

int gz_client_fd(const struct gz_client *client); /* -1 where it is closed */
bool gz_client_wants_write(const struct gz_client *client);

/* Queues a message and sends what the socket takes. Where `rid` is not NULL the message gets a
 * number of its own, which is put there, and the server will answer it; an `interest` gets one in
 * any case. Fails if the message cannot be encoded or the connection is over. */
GZ_MUST_USE enum gz_status gz_client_send(struct gz_client *client, struct gz_message *message,
                                          uint64_t *rid, struct gz_error *error);
/* The same for one WebSocket message of bytes as they are: several messages at once, or something
 * this library does not know. An `interest` among them is none that a reconnect knows of. */
GZ_MUST_USE enum gz_status gz_client_send_bytes(struct gz_client *client, const void *bytes,
                                                size_t size, struct gz_error *error);
/* Waits until everything queued was given to the system. */
GZ_MUST_USE enum gz_status gz_client_flush(struct gz_client *client, double timeout_s,
                                           struct gz_error *error);
/* The next message of any kind, in order. NULL if none came within the time or the connection is
 * over. */
const struct gz_message *gz_client_next(struct gz_client *client, double timeout_s);

/* Is shown every message that gz_client_answer and the functions below pass over while they wait.
 * It must not call the client. */
typedef void gz_client_handler(void *context, const struct gz_message *message);
void gz_client_set_handler(struct gz_client *client, gz_client_handler *handler, void *context);

/* Waits for the answer to `rid`: GZ_OK with the `ok` in *answer (which may be NULL), or the
 * server's refusal as status and words, with the `error` message in *answer. For answers in several
 * parts call it again while answer->ok.more. The server drops messages that are over its rate
 * (welcome.limits), without saying which: then each request that waits for its answer fails at once
 * with GZ_RATE_LIMITED and NULL in *answer, although it may have been done. One that has a `key` is
 * done once, so it may be sent again with the same key. */
GZ_MUST_USE enum gz_status gz_client_answer(struct gz_client *client, uint64_t rid,
                                            double timeout_s, const struct gz_message **answer,
                                            struct gz_error *error);
/* Sends, and waits for the answer. */
GZ_MUST_USE enum gz_status gz_client_request(struct gz_client *client, struct gz_message *message,
                                             double timeout_s, const struct gz_message **answer,
                                             struct gz_error *error);
/* Waits until the mirror is complete and stands at `seq` or later. After the `ok` of an `interest`
 * any seq, 0 too, waits for the delta that is exact for it. */
GZ_MUST_USE enum gz_status gz_client_await(struct gz_client *client, uint64_t seq, double timeout_s,
                                           struct gz_error *error);

/* ---- ahead of the server ---- */

/* A client with the option `predict` computes what the server is about to answer, by the server's
 * own solver, from what it sends by gz_client_send and gz_client_request: the gizmo, the handle
 * under the pointer, where a drag, a wheel and a `set` take the nodes, and where an orbit takes the
 * view. So what the user does is drawn without a round trip. The server decides all the same, and
 * the mirror has what it said.
 *
 * What the client expects of a node is kept until the mirror shows what the server made of it. What
 * the server refused is dropped, and the node is expected where it would be without that. If the
 * server has a node elsewhere than expected, because somebody else moved it first, it is expected
 * there: during a drag with the next acknowledgement, else with the answer. If the server tells
 * another view than expected, that view counts, and the orbit that runs is the server's until the
 * next press.
 *
 * When the connection is lost, what was expected stays expected until gz_client_reconnect. The new
 * session begins with what the server has: a drag and a wheel were completed as far as they had
 * arrived, and an edit without an answer was made or was not, which the mirror shows; nothing is
 * sent again. Who sends such an edit again gives it the same `key` both times.
 *
 * The messages are the same as without the option, but each `pointer` and `grab` gets a number `n`,
 * and each `select`, `grab`, `set`, `wheel` and `pointer` other than hover and move a rid, which
 * the server answers. Camera, tool and selection have to be sent for there to be a gizmo, again
 * after a reconnect. The interest has to contain what is selected, and what an orbit turns about.
 * Not foreseen: which node a press selects, a `set` of a parent, `create`, `delete`, undo and the
 * like, and who holds a node. Units and frames are those of the messages. */

/* The `gizmo` message that the server is about to send, without lines. False if there is no gizmo,
 * or without the option. In the mode or at the pivot `bounds` with a group selected, the first call
 * after a change takes a look at every node. */
bool gz_client_predict_gizmo(struct gz_client *client, struct gz_message *gizmo);
/* The handle that a press takes at the place (`at` or `ray`) of a pointer message; GZ_HANDLE_NONE
 * for none, and without the option. */
enum gz_handle gz_client_predict_handle(struct gz_client *client, const struct gz_message *pointer);
/* The node's local transform and its transform in the world, as expected; without the option as the
 * mirror has them. False if the node, or for the world one above it, is not there. */
bool gz_client_predict_trs(const struct gz_client *client, uint64_t id, gz_trs *trs);
bool gz_client_predict_world(const struct gz_client *client, uint64_t id, gz_affine *world);
/* The view (world to eye) of the last `camera`, with what orbits and wheels have made of it since,
 * as expected; without the option as the server told it. An orbit about everything takes a look at
 * every node. False without a camera. */
bool gz_client_predict_view(const struct gz_client *client, double view[16]);
/* How often the server had a node or the view elsewhere than expected, or refused what had moved
 * one: 0 as long as nobody interferes. */
uint64_t gz_client_predict_corrections(const struct gz_client *client);

/* A text as the messages want it; NULL is the empty text. */
struct gz_text gz_client_text(const char *terminated);

/* ---- the HTTP paths ---- */

struct gz_http {
    const char *url;    /* the daemon's WebSocket URL; the paths lie beside its /ws. NULL:
                           GZ_CLIENT_URL_DEFAULT */
    const char *method; /* "GET", "PUT", "PATCH" or "DELETE" */
    const char *path;   /* e.g. "/scenes/engine?replace" */
    const char *token;  /* NULL for none */
    const char *ca;     /* as in gz_client_options */
    const char *type;   /* the body's media type; NULL for none */
    const void *body;
    size_t body_size;
    double timeout_s; /* of silence, 0: 60 s */
    /* Gets the body of a successful answer piece by piece; anything but GZ_OK ends the transfer
     * with that status. May be NULL. */
    enum gz_status (*sink)(void *context, const void *bytes, size_t size);
    void *context;
    /* Gets the answer's Gizmod-Dropped header, cut to fit and terminated; empty if there is none.
     * May be NULL. */
    char *dropped;
    size_t dropped_bytes;
};

/* Performs the request. A refusal has the server's code and words; that of a proxy, which has none,
 * its HTTP status. */
GZ_MUST_USE enum gz_status gz_http_perform(const struct gz_http *http, struct gz_error *error);

#ifdef __cplusplus
}
#endif

#endif
