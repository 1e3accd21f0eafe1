/* core.h - the authority over one scene: its nodes, the sessions that are in it, and what each of
 * them is to be sent.
 *
 * A function of its inputs: bytes that came, commits that were answered, the time and what is
 * random. It knows no socket, no SQLite and no clock; what it wants done it asks of its host. The
 * same inputs give the same outputs, bit for bit.
 *
 * The way of a turn: any number of gz_core_receive / join / leave / committed / answered, then
 * gz_core_turn, then for each session whose socket is free gz_core_next_frame until it returns NULL
 * or the socket is full. Nobody is freed or written to in the middle of a message: a session that
 * ends is marked, and its host closes it after the turn (gz_session_end_reason).
 *
 * Ownership: the host owns the core and, between join and leave, refers to sessions by pointer.
 * Threads: one at a time. Errors: what clients do wrong is answered to them; functions here fail
 * only for want of memory or room. */
#ifndef GZ_SESSION_CORE_H
#define GZ_SESSION_CORE_H

#include "proto/base/buffer.h"
#include "proto/message.h"
#include "scene/record.h"
#include "session/core_options.h"

struct gz_core;
struct gz_session;
struct gz_claims; /* proto/token/claims.h */

/* Takes over what `state` says; the caller still frees `state`. NULL without memory. */
struct gz_core *gz_core_create(const struct gz_core_options *options,
                               const struct gz_scene_state *state);
/* The host has given back every batch before, for the bytes of an asset in it are the core's. NULL
 * is fine. */
void gz_core_destroy(struct gz_core *core);

/* What somebody with these claims may be in the scene: the most of what the claims say and what the
 * scene's own access gives to the user; false for nothing. Guests get nothing by the access. */
bool gz_core_role(const struct gz_core *core, const struct gz_claims *claims, enum gz_role *role);

/* A new session, from its hello (already checked: version, scene) and the claims of who says it,
 * which are copied; the user is that of the claims. Queues the welcome. `id` is unique in the
 * daemon. `secret` is GZ_SECRET_BYTES that nobody can guess; the welcome tells it. With NULL the
 * welcome tells none. If the hello resumes with the secret of a session of the same user, that
 * session is ended first: its drag is completed, what it held is free, and the others are told that
 * it left. The host then closes its connection. Fails with GZ_FORBIDDEN for one who may nothing
 * here, or less than the hello asks for, GZ_UNAUTHORISED for claims that have expired, GZ_BAD_VALUE
 * for a name that a user cannot have, GZ_TOO_MANY, GZ_NO_MEMORY. */
GZ_MUST_USE enum gz_status gz_core_join(struct gz_core *core, uint64_t id,
                                        const struct gz_message *hello,
                                        const struct gz_claims *claims, const uint8_t *secret,
                                        struct gz_now now, struct gz_session **session,
                                        struct gz_error *error);
/* The session is over: its drag is completed as it stands, its locks are free, others are told.
 * Frees it; a large drag is put off, and the session goes with it. The host forgets the session in
 * any case. */
void gz_core_leave(struct gz_core *core, struct gz_session *session, struct gz_now now);

/* One whole frame from the client. False if the frame was dropped unread and unanswered, because
 * the session sends far more than its rate: its host then lets other sessions go first. */
bool gz_core_receive(struct gz_core *core, struct gz_session *session, const uint8_t *bytes,
                     size_t size, struct gz_now now);

/* The answer to host.commit; the batch belongs to the core again and is freed here. */
void gz_core_committed(struct gz_core *core, struct gz_batch *batch, enum gz_status status,
                       const char *message, struct gz_now now);
/* The answer to host.query. The core takes over what it sends on, and empties `answer`; what is
 * left in it is the caller's to finish. */
void gz_core_answered(struct gz_core *core, uint64_t ticket, struct gz_answer *answer,
                      struct gz_now now);

/* Whether work is put off until gz_core_do_bulk. If the host lends the core
 * (gz_core_options.lends), the functions above and gz_core_turn put off work on more than
 * GZ_NODES_AT_ONCE nodes: an edit, its batch, a drag or a wheel that takes hold of them, the end of
 * a session that drags so many. The session that asked for it waits. */
bool gz_core_has_bulk(const struct gz_core *core);
/* Does the work that is put off, one message of each session. It may take a second: the host has a
 * worker call it, and calls nothing else of this core until it has returned. Call turn
 * afterwards. */
void gz_core_do_bulk(struct gz_core *core, struct gz_now now);

/* The end of a turn: drags follow parents that moved, gizmos and presence are brought up to date,
 * what is to be saved goes to the host. Whether there is something new for every session. */
bool gz_core_turn(struct gz_core *core, struct gz_now now);
/* Monotonic seconds at which gz_core_turn wants to be called again although nothing came; INFINITY
 * for never. */
double gz_core_deadline(const struct gz_core *core);

/* Monotonic seconds at which gz_core_turn is to be called however much else there is to do: a
 * commit is due. */
double gz_core_urgent_s(const struct gz_core *core);

/* The sessions that may have something of their own to send, or that have ended, one after the
 * other: the first after NULL, NULL after the last. Others need not be asked for frames unless
 * gz_core_turn says so, or they did not take all of theirs before. */
struct gz_session *gz_core_next_awake(const struct gz_core *core, const struct gz_session *after);
/* Of such a session: whether messages wait for it alone, or it has ended; and whether there is
 * more among them than its gizmo. */
bool gz_session_has_messages(const struct gz_session *session);
bool gz_session_is_answered(const struct gz_session *session);
/* What the host remembers of a session; NULL at first, and once the session has left. */
void gz_session_set_owner(struct gz_session *session, void *owner);
void *gz_session_owner(const struct gz_session *session);

/* The next frame for this session, which counts as sent; NULL when there is none. The buffer has
 * `frame_headroom` bytes free before its data and is valid, and may be scribbled on in its
 * headroom, until the next call on this core. Sessions that stand at the same place get the same
 * bytes. */
const struct gz_buffer *gz_core_next_frame(struct gz_core *core, struct gz_session *session,
                                           struct gz_now now);
/* Whether that was NULL because of what a turn may tell, GZ_TOLD_BYTES_PER_TURN: pieces of what a
 * session lacks (a snapshot has many), and frames for one session alone. The one that passes the
 * bound is made. The session is to be asked again, in the next turn at the latest. */
bool gz_session_frame_waits(const struct gz_session *session);
/* Whether such a frame may be made now. The host can have those wait who ask out of turn (false),
 * and begin anew with as much as a turn has (true). */
bool gz_core_may_tell(const struct gz_core *core);
void gz_core_let_tell(struct gz_core *core, bool may);

/* Why the session is to be closed once its frames are sent; NULL while it is not. */
const char *gz_session_end_reason(const struct gz_session *session);
/* Whether another connection of its user took its place: nobody reads what waits for it, it is to
 * be closed at once. */
bool gz_session_is_replaced(const struct gz_session *session);
/* Whether to stop reading from this session's socket until its answers are taken, and what it asked
 * for is done. */
bool gz_session_is_full(const struct gz_session *session);
/* Whether it waits for the core, which does what the session asked for in slices. */
bool gz_session_waits_for_core(const struct gz_session *session);

/* ---- sessions that are sent the same ---- */

/* Viewers that only watch, and stand at the same cursor: the host asks for a frame once for all of
 * them. The cohort does not know them; the host does, owns the cohort, and destroys it before the
 * core. A session is out of it before it is given anything. */
struct gz_cohort;
/* Where this session stands; NULL without memory. */
struct gz_cohort *gz_cohort_create(const struct gz_session *session);
void gz_cohort_destroy(struct gz_cohort *cohort);
/* Whether the session has nothing to do, and nothing to be sent but what everybody is sent. */
bool gz_session_only_watches(const struct gz_session *session);
/* Whether it reads what the cohort reads; and whether it stands where the cohort stands. */
bool gz_cohort_has_form(const struct gz_cohort *cohort, const struct gz_session *session);
bool gz_cohort_stands_with(const struct gz_cohort *cohort, const struct gz_session *session);
/* The session, which stood there, stands where the cohort has come to. */
void gz_cohort_place(const struct gz_cohort *cohort, struct gz_session *session);
/* Whether the next frame is one for which each has to wait for its turn: none may be asked for. */
bool gz_cohort_is_behind(const struct gz_cohort *cohort);
/* As gz_core_next_frame. */
const struct gz_buffer *gz_cohort_frame(struct gz_cohort *cohort, struct gz_now now);

/* A list of sessions that are to leave when their core, which is lent, is back. The host keeps the
 * list. On the host's thread even while the core is lent. */
void gz_session_chain_gone(struct gz_session *session, struct gz_session **list);
struct gz_session *gz_session_next_gone(const struct gz_session *session);

/* Completes all drags as they stand (large ones are put off), and refuses from now on what is
 * asked, with these words (GZ_BAD_STATE). What was asked before is still answered, what is put off
 * at once. Call turn afterwards. */
void gz_core_freeze(struct gz_core *core, const char *why, struct gz_now now);
/* No edit, note or checkpoint waits for the disk. */
bool gz_core_is_stored(const struct gz_core *core);
/* Nobody waits for an answer of the past. */
bool gz_core_is_answered(const struct gz_core *core);
/* Completes all drags as they stand, tells everybody this `bye` and ends their sessions. Completed
 * edits still go to the host. `retry_s` counts unless `fatal`; `scene` is empty unless the scene
 * was renamed. Call turn afterwards. */
void gz_core_end_all(struct gz_core *core, const struct gz_bye *bye, struct gz_now now);
/* Nothing waits for the disk. */
bool gz_core_is_idle(const struct gz_core *core);

/* ---- for the paths beside the wire ---- */

struct gz_core_summary {
    uint64_t nodes, seq, saved, users, epoch;
    uint64_t asset_seq; /* of the import that brought the glTF */
    bool has_asset;
    uint64_t triangles;            /* that nodes are picked by */
    uint64_t surface_bytes;        /* of these triangles */
    uint64_t surface_bytes_before; /* of triangles that were replaced by an import which is not
                                      stored yet */
};
struct gz_core_summary gz_core_summary(const struct gz_core *core);

/* Replaces all nodes by these as an edit of kind import by `user`. The owner of the asset's
 * bytes becomes the core's with GZ_OK. `done` is called once, with GZ_OK after COMMIT. Parents come
 * before children; parent is an index into nodes, -1 for a root. GZ_LOCKED if somebody drags,
 * GZ_BAD_VALUE, GZ_TOO_MANY: then `done` is not called. */
struct gz_core_import_node {
    int64_t parent;
    struct gz_content content; /* its own parent is not used */
};
struct gz_core_import {
    const char *user;
    const char *payer; /* whose share of the server it uses, see gz_claims */
    const struct gz_core_import_node *nodes;
    size_t count;
    const uint8_t *asset;
    size_t asset_size;
    void *asset_owner; /* of these bytes, which `finish` frees; the caller's unless GZ_OK; NULL:
                          they stay */
    void (*finish)(void *asset_owner);
    struct gz_surfaces *surfaces; /* of the asset, for free(); the core's with GZ_OK; NULL: its
                                     nodes are picked by their bounds */
    void (*done)(void *context, enum gz_status status, const char *message);
    void *context;
};
GZ_MUST_USE enum gz_status gz_core_import(struct gz_core *core, const struct gz_core_import *import,
                                          struct gz_now now, struct gz_error *error);

/* The surfaces of the asset that the import of `asset_seq` brought, which the core was created
 * with: they are made from the file while it runs already. Until then its nodes are picked by their
 * bounds. False if the core has no use for the surfaces any more: they stay the caller's. */
GZ_MUST_USE bool gz_core_take_surfaces(struct gz_core *core, uint64_t asset_seq,
                                       struct gz_surfaces *surfaces);

/* Copies of all nodes alive, parents first, into `arena`. */
GZ_MUST_USE enum gz_status gz_core_nodes(struct gz_core *core, struct gz_arena *arena,
                                         const struct gz_node_record **nodes, size_t *count);

#endif
