/* core.h - the authority over one scene: its nodes, its sessions, and the frames for each session.
 *
 * The core is a function of its inputs: received bytes, answered commits, the time, and random
 * numbers. It knows no socket, no SQLite and no clock; it asks its host (callbacks.h). The same
 * inputs give the same outputs, bit for bit.
 *
 * A turn: any number of calls of gz_core_receive, join, leave, committed and answered, then
 * gz_core_turn, then for each session whose socket is free gz_core_next_frame until it returns NULL
 * or the socket is full. No session is freed or written to in the middle of a message: a session
 * that ends is marked, and its host closes it after the turn (gz_session_end_reason).
 *
 * Ownership: the host owns the core and, between join and leave, refers to sessions by pointer.
 * Threads: one at a time. Errors: a client's mistake is answered to that client; functions here
 * fail only for want of memory or room. */
#ifndef GZ_CORE_CORE_H
#define GZ_CORE_CORE_H

#include "core/state.h"
#include "feed/bytes.h"
#include "proto/base/buffer.h"
#include "proto/message.h"
#include "scene/record.h"

struct gz_core;
struct gz_session;
struct gz_claims; /* proto/token/claims.h */

/* Copies the scene from `state`, which stays the caller's. NULL without memory. */
struct gz_core *gz_core_create(const struct gz_core_options *options,
                               const struct gz_scene_state *state);
/* Call it once the host has given back every batch, because a batch may point to an asset of the
 * core. NULL is fine. */
void gz_core_destroy(struct gz_core *core);

/* The role that these claims give in the scene: the higher one of the claims' role and of the role
 * that the scene's own access gives to the user; false if neither gives one. The access gives
 * guests no role. */
bool gz_core_role(const struct gz_core *core, const struct gz_claims *claims, enum gz_role *role);

/* Makes a session from its hello (version and scene are already checked) and its user's claims,
 * which are copied, and queues the welcome. `id` is unique in the daemon. `secret` is
 * GZ_SECRET_BYTES random bytes, sent in the welcome; NULL for none. If the hello resumes with the
 * secret of a session of the same user, that session is ended first: its drag is completed, its
 * locks are free, the others are told that it left, and the host closes its connection.
 * GZ_FORBIDDEN if the claims give no role here, or less than the hello asks for; GZ_UNAUTHORISED if
 * they have expired; GZ_BAD_VALUE for a name that a user cannot have; GZ_TOO_MANY, GZ_NO_MEMORY. */
GZ_MUST_USE enum gz_status gz_core_join(struct gz_core *core, uint64_t id,
                                        const struct gz_message *hello,
                                        const struct gz_claims *claims, const uint8_t *secret,
                                        struct gz_now now, struct gz_session **session,
                                        struct gz_error *error);
/* Ends and frees the session: its drag is completed as it stands, its locks are free, the others
 * are told. If completing the drag is put off, the session is freed after that. The host forgets
 * the session in any case. */
void gz_core_leave(struct gz_core *core, struct gz_session *session, struct gz_now now);

/* One whole frame from the client. False if the frame was dropped unread and unanswered, because
 * the session sends far more than its rate: its host then lets other sessions go first. */
bool gz_core_receive(struct gz_core *core, struct gz_session *session, const uint8_t *bytes,
                     size_t size, struct gz_now now);
/* The same for the messages of the frame from `offset` on: behind its hello. */
bool gz_core_receive_rest(struct gz_core *core, struct gz_session *session, const uint8_t *bytes,
                          size_t size, size_t offset, struct gz_now now);

/* The answer to host.commit; the batch belongs to the core again and is freed here. */
void gz_core_committed(struct gz_core *core, struct gz_batch *batch, enum gz_status status,
                       const char *message, struct gz_now now);
/* The answer to host.query. The core takes out of `answer` what it sends on; the caller finishes
 * `answer`. */
void gz_core_answered(struct gz_core *core, uint64_t ticket, struct gz_answer *answer,
                      struct gz_now now);

/* Whether work waits for gz_core_do_bulk. If the host lends the core (gz_core_options.lends), the
 * functions above and gz_core_turn put off work on more than GZ_NODES_AT_ONCE nodes (bulk.h). The
 * session that asked for the work waits. */
bool gz_core_has_bulk(const struct gz_core *core);
/* Does the work that was put off, one frame of each session. It may take a second: a worker calls
 * it, and the host calls nothing else of this core until it returns. Call gz_core_turn
 * afterwards. */
void gz_core_do_bulk(struct gz_core *core, struct gz_now now);

/* The end of a turn: drags follow parents that moved, gizmos and presence are brought up to date,
 * the next batch goes to the host. Whether there is something new for every session. */
bool gz_core_turn(struct gz_core *core, struct gz_now now);
/* The part of GZ_SLICE_NODES and GZ_TOLD_BYTES_PER_TURN, from 0 to 1, that the core may use in a
 * turn from the next one on; 1 at first. Work in slices and large frames go on in a later turn
 * then, and nothing else waits. And what the turn has left of that part so far. */
void gz_core_grant(struct gz_core *core, double part);
double gz_core_left(const struct gz_core *core);
/* Monotonic seconds at which gz_core_turn wants to be called again although nothing came; INFINITY
 * for never. */
double gz_core_deadline(const struct gz_core *core);

/* Monotonic seconds at which a commit is due: gz_core_turn is to be called then, even if the host
 * is busy. */
double gz_core_urgent_s(const struct gz_core *core);

/* Walks the sessions that may have messages of their own, or that have ended: the first one after
 * NULL, NULL after the last. The others need not be asked for frames, unless gz_core_turn returned
 * true or they did not take all their frames before. */
struct gz_session *gz_core_next_awake(const struct gz_core *core, const struct gz_session *after);
/* Whether messages wait for this session alone, or it has ended; and whether they hold more than
 * its gizmo. */
bool gz_session_has_messages(const struct gz_session *session);
bool gz_session_is_answered(const struct gz_session *session);
/* A pointer that the host attaches to a session; NULL at first, and once the session has left. */
void gz_session_set_owner(struct gz_session *session, void *owner);
void *gz_session_owner(const struct gz_session *session);
/* Its client is connected to another server, which relays it, and to which it comes back. */
void gz_session_set_relayed(struct gz_session *session);

/* The next frame for this session, which then counts as sent; NULL if there is none. The caller has
 * the reference. Sessions in step get the same bytes. */
struct gz_bytes *gz_core_next_frame(struct gz_core *core, struct gz_session *session,
                                    struct gz_now now);
/* Whether gz_core_next_frame returned NULL because the turn has used up GZ_TOLD_BYTES_PER_TURN:
 * pieces of snapshots, and frames for one session alone, count against it. The frame that passes
 * the bound is still made. Ask the session again in the next turn at the latest. */
bool gz_session_frame_waits(const struct gz_session *session);
/* Whether a frame that counts against the bound may be made now; and sets that: false stops such
 * frames, true gives the bytes of a new turn. */
bool gz_core_may_tell(const struct gz_core *core);
void gz_core_let_tell(struct gz_core *core, bool may);

/* Why the session is to be closed once its frames are sent; NULL while it is not. */
const char *gz_session_end_reason(const struct gz_session *session);
/* Whether another connection of its user took its place: its connection is to be closed at once,
 * because nobody reads its frames. */
bool gz_session_is_replaced(const struct gz_session *session);
/* Whether to stop reading from this session's socket until its answers are taken and its requests
 * are done. */
bool gz_session_is_full(const struct gz_session *session);
/* Whether the session drags nodes, which others have to wait for. */
bool gz_session_holds_nodes(const struct gz_session *session);
/* Whether the session waits for work that the core does in slices. */
bool gz_session_waits_for_core(const struct gz_session *session);

/* ---- sessions that are sent the same ---- */

/* The host may let viewers that only watch and are in step be one subscriber (feed/feed.h), which
 * it asks for each frame once for all of them. It keeps the list of the viewers. A session leaves
 * it, and is in step with it then (gz_feed_join), before it is given anything. */

struct gz_feed *gz_core_feed(struct gz_core *core);
struct gz_subscriber *gz_session_subscriber(struct gz_session *session);
/* Whether the session has nothing to do, and is sent only what all viewers are sent. */
bool gz_session_only_watches(const struct gz_session *session);
/* As gz_core_next_frame. It must not be behind (gz_feed_is_behind). */
struct gz_bytes *gz_core_shared_frame(struct gz_core *core, struct gz_subscriber *subscriber,
                                      struct gz_now now);

/* A list of the sessions that leave once their lent core is back. The host keeps the list, and may
 * use it while the core is lent. */
void gz_session_chain_gone(struct gz_session *session, struct gz_session **list);
struct gz_session *gz_session_next_gone(const struct gz_session *session);

/* Completes all drags as they stand (large ones are put off), and refuses new requests with
 * GZ_BAD_STATE and `why`. Earlier requests are still answered; those that were put off are done at
 * once. Call gz_core_turn afterwards. */
void gz_core_freeze(struct gz_core *core, const char *why, struct gz_now now);
/* Whether no request waits for the disk: an edit, a note, a checkpoint, a change of the access. */
bool gz_core_is_stored(const struct gz_core *core);
/* Whether no session waits for an answer about the past, or is being sent one. */
bool gz_core_is_answered(const struct gz_core *core);
/* Completes all drags as they stand, sends `bye` to every session and ends the sessions. Completed
 * edits still go to the host. `retry_s` counts unless `fatal`; `scene` is empty unless the scene
 * was renamed. Call gz_core_turn afterwards. */
void gz_core_end_all(struct gz_core *core, const struct gz_bye *bye, struct gz_now now);
/* Whether nothing waits: for the disk, for an answer from the file, or for gz_core_do_bulk. */
bool gz_core_is_idle(const struct gz_core *core);

/* ---- for the paths beside the wire ---- */

struct gz_core_summary {
    uint64_t nodes, seq, saved, users, epoch;
    size_t assets;                 /* glTF files that nodes came from, ever */
    uint64_t triangles;            /* for picking */
    uint64_t surface_bytes;        /* of these triangles */
    uint64_t surface_bytes_before; /* of triangles that no node shows any more, until an import is
                                      stored */
    uint64_t undo_bytes;           /* of the edits that can be undone */
    uint64_t grave_bytes;          /* of what is known of deleted nodes */
};
struct gz_core_summary gz_core_summary(const struct gz_core *core);

/* Whether the message edits the scene, so that its answer waits for the disk. */
bool gz_op_edits(enum gz_op op);

/* What a `history`, `at` or `path` asks the file. Errors as of the message. */
GZ_MUST_USE enum gz_status gz_core_question(struct gz_core *core, const struct gz_message *message,
                                            struct gz_now now, struct gz_query *query,
                                            struct gz_error *error);
/* The answer as the fields of its `ok`, one object of JSON, in `out`. `epoch`: the core's, at the
 * question. Threads: any. GZ_TOO_LARGE, GZ_NO_MEMORY. */
GZ_MUST_USE enum gz_status gz_core_print_answer(const struct gz_query *query,
                                                const struct gz_answer *answer, uint64_t epoch,
                                                struct gz_buffer *out, struct gz_error *error);

/* The news of an answer as events, objects of JSON with commas between them, appended to `out`: the
 * first at least, and no more than fit into `most` bytes. `epoch` and errors as above. Threads:
 * any. */
struct gz_printed_news {
    size_t count;
    uint64_t epoch;        /* of the last one */
    struct gz_told behind; /* the place behind those that fit */
};
GZ_MUST_USE enum gz_status gz_core_print_news(const struct gz_answer *answer, uint64_t epoch,
                                              size_t most, struct gz_buffer *out,
                                              struct gz_printed_news *printed,
                                              struct gz_error *error);

/* What the core can spare, for a host whose memory is short. When the oldest edit that can be
 * undone ended, Unix seconds; INFINITY if there is none. */
double gz_core_oldest_undo_s(const struct gz_core *core);
/* Forgets that edit, which is history only from then on, and returns how many bytes it took. */
size_t gz_core_forget_undo(struct gz_core *core);
/* Forgets the deleted nodes, likewise: viewers who resume from before are sent the whole scene. */
size_t gz_core_forget_graves(struct gz_core *core);

/* Takes a glTF file, as one edit by `user`: of kind import if it replaces all nodes, else of kind
 * create, which adds its nodes below `below`. With GZ_OK the core owns the asset's bytes, and
 * `done` is called once: with GZ_OK after COMMIT. Parents come before children; parent is an index
 * into nodes, -1 for a root. GZ_LOCKED if a drag runs that is in its way, GZ_UNKNOWN_NODE,
 * GZ_BAD_VALUE, GZ_TOO_MANY: then `done` is not called. */
struct gz_core_import_node {
    int64_t parent;
    struct gz_content content; /* its own parent is not used; `asset` is an index in the file */
};
struct gz_core_import {
    const char *user;
    const char *payer; /* whose share of the server it uses, see gz_claims */
    bool adds;
    uint64_t below; /* with `adds`: the node; 0 for the root */
    const struct gz_core_import_node *nodes;
    size_t count;
    uint64_t *ids; /* room for `count`, to be filled with GZ_OK; NULL if they are not wanted */
    const uint8_t *asset;
    size_t asset_size;
    const char *sha256; /* of these bytes, as in gz_asset_record; NULL or empty: not known */
    void *asset_owner;  /* owner of the asset's bytes, freed by `finish`; the caller's unless GZ_OK;
                           NULL: the bytes outlive the core */
    void (*finish)(void *asset_owner);
    struct gz_surfaces *surfaces; /* of the asset, from malloc; the core's with GZ_OK; NULL: nodes
                                     are picked by their bounds */
    void (*done)(void *context, enum gz_status status, const char *message);
    void *context;
};
GZ_MUST_USE enum gz_status gz_core_import(struct gz_core *core, const struct gz_core_import *import,
                                          struct gz_now now, struct gz_error *error);

/* Nodes of the file that begins at *first are picked by their bounds, because the core has no
 * surfaces for it: it was just created, or the nodes came back from the past. The host makes them
 * on a worker and calls gz_core_take_surfaces. False if there is no such file; each is said
 * once. */
GZ_MUST_USE bool gz_core_wants_surfaces(struct gz_core *core, uint64_t *first);
/* False if the core has surfaces for the file by now, or never had the file: they stay the
 * caller's. */
GZ_MUST_USE bool gz_core_take_surfaces(struct gz_core *core, uint64_t first,
                                       struct gz_surfaces *surfaces);

#endif
