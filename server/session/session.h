/* session.h - inside the session room: one user, one scene's core, and what its files ask of each
 * other.
 *
 *   core.c      making and ending, the turn, frames out         dispatch.c  from bytes to a
 * handler, rights, rate reply.c     what one session alone is told                  pending.c edits
 * that wait for the disk, keys batch.c     what the disk is to take                        commit.c
 * what it said view.c      camera, tool, select                            pointer.c   pointer,
 * grab, wheel gesture.c       a drag from press to edit                       edit.c      set,
 * create, delete travel.c    undo, redo, revert                                past.c      history,
 * at, path, restore pick.c      nodes under a pointer, by bounds                surface_pick.c the
 * same by what is seen of them gizmo.c     what a session's gizmo looks like               groups.c
 * the bounds of what has none of its own join.c      coming and going, epochs note.c      notes, to
 * the disk and back                     checkpoint.c  names for states interest.c  what part of the
 * scene a session follows        tell.c      large answers, piece by piece clock.c     the times of
 * the scene
 *
 * Threads: the core's. Nothing here is freed in the middle of a message. */
#ifndef GZ_SESSION_H
#define GZ_SESSION_H

#include "scene/bounds_index.h"
#include "scene/checkpoints.h"
#include "scene/notes.h"
#include "scene/scene.h"
#include "scene/undo.h"
#include "server/maxima.h"
#include "session/core.h"
#include "solver/surface.h"
#include "sync/sync.h"

/* ---- a run: an edit in the making ---- */

enum gz_gesture_kind { GZ_GESTURE_NONE, GZ_GESTURE_DRAG, GZ_GESTURE_WHEEL, GZ_GESTURE_ORBIT };

/* What the store knows of a run. */
enum gz_gesture_announced { GZ_UNTOLD, GZ_TELLING, GZ_TOLD };

struct gz_gesture_target {
    uint64_t id;
    struct gz_target start; /* bounds are not kept */
    gz_affine parent;       /* as of the last solve */
};

struct gz_gesture {
    enum gz_gesture_kind kind;
    enum gz_gesture_announced told;
    bool moved; /* a node changed since the press */
    uint64_t edit;
    double began;
    uint64_t began_seq;
    struct gz_gesture_target *targets;
    uint64_t *ids; /* of the targets, in their order */
    size_t count;
    struct gz_motion motion;
    double residual;
    double path_m; /* how far its recorded path may pass beside, in the world */
    struct gz_drag drag;
    gz_vec3 start;         /* drag: where the gizmo was at the press */
    struct gz_value typed; /* once there, the pointer moves nothing */
    struct gz_pointer pointer;
    uint32_t mods;
    struct gz_orbit orbit;
    double notches, closes_s; /* wheel: turned so far; monotonic time at which it is an edit */
};

/* ---- the bounds of groups ---- */

/* What was found below the nodes of the gizmo when it last mattered; zero: nothing is known. */
struct gz_groups {
    uint64_t *ids; /* the targets that it was found for, in their order */
    gz_box *boxes; /* of those with `found`, in the node's own space */
    bool *found;   /* whether the target has no bounds and something below it has */
    size_t count, capacity;
    size_t walked; /* nodes that were looked at: what it cost */
    size_t unpaid; /* of those, what no message was charged for yet */
    uint64_t seq;  /* of the scene then */
};

/* ---- a session ---- */

struct gz_session {
    struct gz_core *core;
    struct gz_session *previous, *next;
    uint64_t id;
    char user[GZ_USER_BYTES_MAX + 1];
    enum gz_role role;
    bool draw;
    bool departed; /* the file is told that it left */

    struct gz_cursor cursor;
    bool follows_view, view_moved;
    double view_due_s; /* monotonic: before it, what a moving camera sees is not looked at again */
    struct gz_presence_entry presence;

    bool has_camera, has_target, has_pointer;
    struct gz_camera camera;
    bool has_lens;
    double lens[4];
    gz_vec3 target; /* world: what its own view turns about and goes to */
    struct gz_tool tool;
    bool by_surface;           /* what a press selects is looked for among triangles */
    struct gz_pointer pointer; /* the last one, for hovering */
    uint64_t *selection;       /* the last one is the active node */
    size_t selected, selection_capacity;
    struct gz_groups groups;
    struct gz_gesture gesture;

    bool gizmo_stale;
    uint64_t gizmo_seq; /* of the scene when the gizmo was last built */
    double gizmo_due_s; /* monotonic: before it, only the session itself has its gizmo built anew */
    struct gz_gizmo_message gizmo;

    struct gz_buffer outbox;
    size_t outbox_sent; /* bytes handed out already */
    size_t *cuts;       /* ends of the frames in the outbox, all but the last */
    size_t cut_count, cut_capacity, cuts_used;

    double tokens, tokens_s; /* of the rate limit, and when they were counted */
    double over_since_s, over_last_s, over_said_s;

    int queries; /* open questions to the past */
    bool asking; /* one of them is on its way */
    struct gz_telling
        *telling;    /* the answer to one of them, as far as it was not told; NULL for none */
    bool piece_next; /* of it, before the next frame for all: they go by turns */
    char end_reason[GZ_ERROR_BYTES_MAX];
    bool ended, replaced;
    char secret[2 * GZ_SECRET_BYTES + 1]; /* in hexadecimal; empty for none */
};

/* ---- the core ---- */

/* Who waits for an edit's COMMIT. */
struct gz_waiter {
    struct gz_waiter *next;
    uint64_t session, rid;
    bool has_rid;
};

/* An edit that was applied and is not on the disk yet. Its arena holds all of it. */
struct gz_pending {
    struct gz_pending *next;
    struct gz_arena arena;
    size_t bytes; /* of it, without the waiters that came later */
    struct gz_edit_record edit;
    struct gz_ids created;
    struct gz_waiter *waiters;
    bool in_batch;
    bool begun; /* the store may know it as a drag that runs */
    uint8_t *asset;
    size_t asset_size;
    uint64_t asset_seq_before;
    struct gz_surfaces *surfaces_before;
    void (*done)(void *context, enum gz_status status, const char *message);
    void *context;
};

/* A change of a note that is not on the disk yet: the note as it will be. */
struct gz_pending_note {
    struct gz_pending_note *next;
    struct gz_notebook_entry *note;
    struct gz_waiter *waiters;
    bool in_batch;
};

/* A checkpoint that is made or taken away, and is not on the disk yet. */
struct gz_pending_checkpoint {
    struct gz_pending_checkpoint *next;
    struct gz_checkpoint_entry *entry;
    struct gz_waiter waiter;
    bool in_batch;
};

/* A question to the past on its way. */
struct gz_ticket {
    struct gz_ticket *next;
    uint64_t number, session, rid;
    bool has_rid, has_key, sent;
    bool restores, force;
    char key[GZ_KEY_BYTES_MAX + 1];
    uint64_t after; /* asked once the state up to here is saved */
    struct gz_query query;
};

struct gz_session_entry {
    uint64_t session;
    char user[GZ_USER_BYTES_MAX + 1];
    enum gz_role role;
    double time;
    bool left;
};

struct gz_core {
    char *name, *server;
    struct gz_core_host host;
    const struct gz_log *log;
    uint64_t *errors; /* by status; NULL where nobody counts */
    double messages_per_s;

    struct gz_scene *scene;
    struct gz_undo_log *undo;
    struct gz_notebook *notes;
    struct gz_checkpoint_list *checkpoints; /* that are stored */
    struct gz_sync *sync;
    uint64_t epoch, next_edit;
    double moment_s; /* the last one that gz_core_moment gave */
    struct gz_epoch_record *epochs;
    size_t epoch_count;
    uint64_t asset_seq;           /* of the import that brought the glTF; 0 for none */
    struct gz_surfaces *surfaces; /* of it; NULL where none are known */

    struct gz_session *sessions;
    size_t session_count;

    struct gz_pending *pending, **pending_end;
    size_t pending_count, pending_bytes;
    struct gz_pending_note *pending_notes, **pending_notes_end;
    size_t pending_note_count, note_waiter_count;
    size_t note_count; /* of notes, once all that waits is stored */
    uint64_t next_note;
    struct gz_pending_checkpoint *pending_checkpoints, **pending_checkpoints_end;
    size_t pending_checkpoint_count;
    struct gz_session_entry *visits;
    size_t visit_count, visit_capacity, visits_in_batch;
    uint64_t *dropped;
    size_t dropped_count, dropped_capacity, dropped_in_batch;
    uint64_t stored_seq; /* changes up to here are on the disk */
    bool committing, failing;
    double commit_s; /* monotonic, of the last try */

    struct gz_ticket *tickets;
    uint64_t next_ticket;
    char frozen[GZ_ERROR_BYTES_MAX]; /* why nothing more is done; empty: it is */

    struct gz_arena decoded; /* of one frame */
    /* Memory for the work of one call of the host. gz_core_enter empties it, and nothing else does:
     * nobody keeps a pointer into it beyond the call, or while the host is called back. Whatever is
     * done many times within a call (a message of a frame, a session of a turn, an edit of a batch)
     * goes back to where the scratch stood before (gz_arena_go_back). Its maximum is
     * GZ_EDIT_BYTES_MAX; the changes of all gestures together fit, for each node is in one. */
    struct gz_arena scratch;
    struct gz_now now;      /* by gz_core_enter alone */
    struct gz_buffer frame; /* a view of what was handed out last */
};

/* ---- core.c ---- */

/* Surfaces that nobody looks at any more; NULL is fine. */
void gz_core_release(struct gz_core *core, struct gz_surfaces *surfaces);

/* ---- clock.c ---- */

/* The core's time begins at `newest_s`, the newest time of the file. */
void gz_core_start_clock(struct gz_core *core, double newest_s);
/* Each call of the host that has work done begins with this: the scratch is empty, and this is the
 * time. `core->now.unix_s` follows the wall clock and never goes back: where that was put back, it
 * goes on at GZ_CLOCK_RATE_MIN until the wall clock has caught up. */
void gz_core_enter(struct gz_core *core, struct gz_now now);
/* The time at which an edit begins or ends, or of a batch with its samples: later than every moment
 * given before, so that no two of them have the same one. */
double gz_core_moment(struct gz_core *core);

/* ---- reply.c ---- */

void gz_session_send(struct gz_session *session, const struct gz_message *message);
/* Empties the outbox where all of it was handed out. */
void gz_session_drain(struct gz_session *session);
/* An edit as it is told, without its changes; `nodes` are theirs. */
struct gz_edit_message gz_edit_told(const struct gz_core *core, const struct gz_edit_record *edit,
                                    struct gz_ids nodes);
/* Answers `request` where it has a rid; `ok` may be NULL. */
void gz_session_ok(struct gz_session *session, const struct gz_message *request, uint64_t has,
                   const struct gz_ok *ok);
/* The same, and whether it could be told; where it was too large, that was. */
bool gz_session_answer(struct gz_session *session, const struct gz_message *request, uint64_t has,
                       const struct gz_ok *ok);
void gz_session_refuse(struct gz_session *session, bool has_rid, uint64_t rid,
                       const struct gz_failure *failure, bool fatal);
/* Marks the session; its host closes it once its frames are sent. The first reason counts. */
void gz_session_end(struct gz_session *session, const char *reason);
struct gz_session *gz_core_session(const struct gz_core *core, uint64_t id);
/* A node as people are told of it: its id and the beginning of its name, as in "node 12 (piston)".
 * Without `name` the one that it has, if it is there. */
#define GZ_LABEL_BYTES 112
void gz_core_label(const struct gz_core *core, uint64_t node, const char *name,
                   char label[GZ_LABEL_BYTES]);
/* Says of a node that is locked who holds it. */
void gz_core_name_holder(const struct gz_core *core, struct gz_failure *failure);

/* ---- view.c ---- */

enum gz_status gz_on_camera(struct gz_session *session, const struct gz_message *message,
                            struct gz_failure *failure);
enum gz_status gz_on_tool(struct gz_session *session, const struct gz_message *message,
                          struct gz_failure *failure);
enum gz_status gz_on_select(struct gz_session *session, const struct gz_message *message,
                            struct gz_failure *failure);
GZ_MUST_USE enum gz_status gz_session_select(struct gz_session *session, const uint64_t *ids,
                                             size_t count, enum gz_how how,
                                             struct gz_failure *failure);
/* Ids in ascending order, in `arena`; NULL without memory. And whether one is among them. */
uint64_t *gz_sorted_ids(struct gz_arena *arena, const uint64_t *ids, size_t count);
bool gz_has_id(const uint64_t *sorted, size_t count, uint64_t id);
/* Forgets selected nodes that are gone. */
void gz_session_prune_selection(struct gz_session *session);
/* What others see of the session changed. */
void gz_session_present(struct gz_session *session);
/* Tells the session the view that the server made for it. */
void gz_session_send_view(struct gz_session *session, const double view[16]);

/* ---- gizmo.c ---- */

/* The selected nodes that have no selected ancestor, as targets in the core's scratch; the active
 * node's index. 0 for none, or without memory. */
size_t gz_session_targets(struct gz_session *session, struct gz_target **targets, uint64_t **ids,
                          size_t *active);
/* The gizmo as it stands; false where there is none. `anew`: what is below the selected groups is
 * looked at again if the scene has changed since. Otherwise that may be of a moment ago, and costs
 * nothing. */
bool gz_session_gizmo(struct gz_session *session, bool anew, struct gz_gizmo *gizmo);
/* Whether a message can say the place: the worlds of nodes below one another may lie beyond. A NaN
 * does not pass either. */
bool gz_can_say(gz_vec3 place);
/* Sends the session its gizmo where it looks different from what it was last told. */
void gz_session_update_gizmo(struct gz_session *session);
/* Monotonic time at which it wants to be asked again because others changed the scene; INFINITY for
 * not. */
double gz_session_gizmo_due(const struct gz_session *session);

/* ---- groups.c ---- */

/* Gives each target without bounds the box, in the node's own space, about the bounds of all nodes
 * below it, if the tool or `handle` goes by bounds. O(nodes below) if the targets are others than
 * the last time or, with `anew`, the scene has changed; else O(targets). Without memory such
 * targets stay without bounds. The boxes live until the next call. */
void gz_session_bound_groups(struct gz_session *session, enum gz_handle handle, bool anew,
                             struct gz_target *targets, const uint64_t *ids, size_t count);
/* Charges the message that is handled for the nodes that it made the server look at. */
void gz_session_pay_groups(struct gz_session *session);
void gz_groups_finish(struct gz_groups *groups);

/* ---- pick.c ---- */

enum gz_status gz_on_pick(struct gz_session *session, const struct gz_message *message,
                          struct gz_failure *failure);
/* The node under the pointer, 0 for none: where the tool goes by surfaces the first of
 * gz_session_look, else the front-most with bounds, else the front-most point. */
GZ_MUST_USE enum gz_status gz_session_node_under(struct gz_session *session,
                                                 const struct gz_pointer *pointer, uint64_t *id,
                                                 struct gz_failure *failure);
/* What can be under the pointer at all. Counts against the session's rate. */
GZ_MUST_USE enum gz_status gz_session_cull(struct gz_session *session,
                                           const struct gz_pointer *pointer,
                                           struct gz_culled *culled, struct gz_failure *failure);
/* Whether the pointer meets the node by its bounds, or as a point. */
bool gz_session_pick(struct gz_session *session, const struct gz_pointer *pointer,
                     const struct gz_node *node, struct gz_hit *hit);
/* Worlds of nodes below one another may leave the doubles. */
bool gz_can_say_hit(const struct gz_hit *hit);
/* The message's at or ray as a pointer; at needs a camera. */
GZ_MUST_USE enum gz_status gz_session_pointer(const struct gz_session *session, bool has_ray,
                                              const double at[2], const double ray[6],
                                              struct gz_pointer *pointer,
                                              struct gz_failure *failure);

/* ---- surface_pick.c ---- */

/* What the pointer meets, that which a press takes first, in the core's scratch. First the surfaces
 * of nodes whose triangles are known and the bounds of the others, by distance. Where none is met,
 * the surfaces that pass it by within the tool's tolerance, by distance on the screen. Last the
 * points, by distance. With `first_only` one at most, which is less work. */
GZ_MUST_USE enum gz_status gz_session_look(struct gz_session *session,
                                           const struct gz_pointer *pointer, bool first_only,
                                           struct gz_hit **hits, size_t *count,
                                           struct gz_failure *failure);

/* ---- interest.c ---- */

enum gz_status gz_on_interest(struct gz_session *session, const struct gz_message *message,
                              struct gz_failure *failure);
/* Follows the camera where the session's interest is what it sees, if it is time. */
void gz_session_update_view(struct gz_session *session);
/* Monotonic time at which it will be; INFINITY for not. */
double gz_session_view_due(const struct gz_session *session);

/* ---- pointer.c ---- */

enum gz_status gz_on_pointer(struct gz_session *session, const struct gz_message *message,
                             struct gz_failure *failure);
enum gz_status gz_on_grab(struct gz_session *session, const struct gz_message *message,
                          struct gz_failure *failure);
enum gz_status gz_on_wheel(struct gz_session *session, const struct gz_message *message,
                           struct gz_failure *failure);

/* ---- gesture.c ---- */

/* Holds the selection and starts a drag on `handle`, by a pointer, a typed value or both; the other
 * may be NULL. On failure nothing runs. */
GZ_MUST_USE enum gz_status gz_gesture_begin(struct gz_session *session, enum gz_handle handle,
                                            const struct gz_pointer *pointer, uint32_t mods,
                                            const struct gz_value *value,
                                            struct gz_failure *failure);
/* Moves the nodes of a drag to where exactly this value has them, for the pointer too. On failure
 * nothing changes. */
GZ_MUST_USE enum gz_status gz_gesture_type(struct gz_session *session, const struct gz_value *value,
                                           struct gz_failure *failure);
GZ_MUST_USE enum gz_status gz_gesture_begin_wheel(struct gz_session *session,
                                                  struct gz_failure *failure);
/* Moves the nodes to where the pointer has them; NULL will do where a value was typed. */
void gz_gesture_move(struct gz_session *session, const struct gz_pointer *pointer, uint32_t mods);
void gz_gesture_turn_wheel(struct gz_session *session, double notches);
/* Solves again where a parent of a dragged node was moved by somebody; whether anything moved. */
bool gz_gesture_follow(struct gz_session *session);
/* Ends the run as an edit, which `request` (NULL: nobody) is answered for after COMMIT. */
void gz_gesture_complete(struct gz_session *session, const struct gz_message *request);
/* Ends the run as if it had never been. */
void gz_gesture_cancel(struct gz_session *session);
/* Frees the memory of a run that has ended. */
void gz_gesture_finish(struct gz_gesture *gesture);

/* ---- edit.c ---- */

enum gz_status gz_on_set(struct gz_session *session, const struct gz_message *message,
                         struct gz_failure *failure);
enum gz_status gz_on_create(struct gz_session *session, const struct gz_message *message,
                            struct gz_failure *failure);
enum gz_status gz_on_delete(struct gz_session *session, const struct gz_message *message,
                            struct gz_failure *failure);

/* ---- travel.c ---- */

enum gz_status gz_on_undo(struct gz_session *session, const struct gz_message *message,
                          struct gz_failure *failure);
enum gz_status gz_on_redo(struct gz_session *session, const struct gz_message *message,
                          struct gz_failure *failure);

enum gz_status gz_on_revert(struct gz_session *session, const struct gz_message *message,
                            struct gz_failure *failure);
/* What the past said of an edit that is to be reverted. */
GZ_MUST_USE enum gz_status gz_session_revert(struct gz_session *session,
                                             const struct gz_ticket *ticket,
                                             const struct gz_answer *answer,
                                             struct gz_failure *failure);

/* ---- past.c ---- */

enum gz_status gz_on_history(struct gz_session *session, const struct gz_message *message,
                             struct gz_failure *failure);
enum gz_status gz_on_at(struct gz_session *session, const struct gz_message *message,
                        struct gz_failure *failure);
enum gz_status gz_on_path(struct gz_session *session, const struct gz_message *message,
                          struct gz_failure *failure);
enum gz_status gz_on_restore(struct gz_session *session, const struct gz_message *message,
                             struct gz_failure *failure);
/* Has the past asked, once all up to `after` is saved; what the message wants is done with the
 * answer. */
GZ_MUST_USE enum gz_status gz_session_ask(struct gz_session *session,
                                          const struct gz_message *message,
                                          const struct gz_query *query, uint64_t after,
                                          struct gz_failure *failure);
/* A request whose answer had to wait for the past. */
struct gz_edit_request gz_ticket_request(struct gz_session *session, const struct gz_ticket *ticket,
                                         enum gz_edit_kind kind, uint64_t target);
/* Asks the host what has come to be saved by now. */
void gz_core_send_tickets(struct gz_core *core);
/* Whether that would ask something: a session has taken its last answer since. */
bool gz_core_has_tickets_to_send(const struct gz_core *core);

/* ---- tell.c ---- */

/* Takes the answer over; it is told piece by piece, as the session takes them. */
GZ_MUST_USE enum gz_status gz_session_tell(struct gz_session *session,
                                           const struct gz_ticket *ticket, struct gz_answer *answer,
                                           struct gz_failure *failure);
/* Puts the next piece of the answer that is being told, if there is one, into the outbox. */
void gz_session_tell_more(struct gz_session *session);
void gz_session_stop_telling(struct gz_session *session);

/* ---- note.c ---- */

enum gz_status gz_on_note(struct gz_session *session, const struct gz_message *message,
                          struct gz_failure *failure);
/* Puts what waits into a batch; false without memory. */
GZ_MUST_USE bool gz_core_add_notes(const struct gz_core *core, struct gz_batch *batch);
/* The batch was stored: its notes are there for everybody, and answered. */
void gz_core_accept_notes(struct gz_core *core);
/* It was refused: all that waits is, since what came later may stand on what was in it. */
void gz_core_refuse_notes(struct gz_core *core, const char *why);
void gz_core_free_notes(struct gz_core *core);

/* ---- checkpoint.c ---- */

enum gz_status gz_on_checkpoint(struct gz_session *session, const struct gz_message *message,
                                struct gz_failure *failure);
enum gz_status gz_on_checkpoints(struct gz_session *session, const struct gz_message *message,
                                 struct gz_failure *failure);
/* The seq that a checkpoint stands for; GZ_BAD_VALUE where none of this name is stored. */
GZ_MUST_USE enum gz_status gz_core_find_checkpoint(const struct gz_core *core, struct gz_text name,
                                                   uint64_t *seq, struct gz_failure *failure);
/* As with notes: into a batch (false without memory), after it was stored but for those of a seq
 * before `kept_since`, and after it was refused. */
GZ_MUST_USE bool gz_core_add_checkpoints(const struct gz_core *core, struct gz_batch *batch);
void gz_core_accept_checkpoints(struct gz_core *core, uint64_t kept_since);
void gz_core_refuse_checkpoints(struct gz_core *core, const char *why);
void gz_core_free_checkpoints(struct gz_core *core);

/* ---- pending.c ---- */

/* An edit about to be made: who, what kind, whom to answer. */
struct gz_edit_request {
    struct gz_session *session; /* NULL: not a session's (an import) */
    const char *user;
    enum gz_edit_kind kind;
    uint64_t target;
    bool reverts; /* an undo of somebody else's edit */
    bool has_rid;
    uint64_t rid;
    const char *key; /* NULL for none */
    struct gz_ids created;
};

/* Whether the request is answered by its key: the edit with that key is known, and its answer is
 * sent now or after its COMMIT; or the disk does not say whether it is known, which is refused. */
bool gz_core_answer_known(struct gz_session *session, const struct gz_edit_request *request);
/* The same for the key of a message. */
bool gz_core_answer_key(struct gz_session *session, const struct gz_message *message);
/* The edit that has the key of this message, or 0 in *id. Nobody is answered. GZ_STORAGE if the
 * disk does not say. */
GZ_MUST_USE enum gz_status gz_core_edit_of_key(struct gz_session *session,
                                               const struct gz_message *message, uint64_t *id,
                                               struct gz_failure *failure);
/* GZ_TOO_MANY while too many edits and notes, or too large ones, wait for the disk. */
GZ_MUST_USE enum gz_status gz_core_check_room(const struct gz_core *core,
                                              struct gz_failure *failure);
/* Applies `changes` as one edit and answers after COMMIT. */
GZ_MUST_USE enum gz_status gz_core_edit(struct gz_core *core, const struct gz_edit_request *request,
                                        const struct gz_change *changes, size_t count,
                                        struct gz_failure *failure);
/* The same for the import, which brings its file and is answered by a call. */
GZ_MUST_USE enum gz_status gz_core_edit_import(struct gz_core *core,
                                               const struct gz_core_import *import,
                                               const struct gz_change *changes, size_t count,
                                               struct gz_failure *failure);
/* Remembers a run that was applied by posing; `edit` says what `request` does not: id, handle,
 * value, beginning, seqs, changes. */
GZ_MUST_USE enum gz_status gz_core_complete(struct gz_core *core,
                                            const struct gz_edit_request *request,
                                            const struct gz_edit_record *edit,
                                            enum gz_gesture_announced told);
void gz_pending_destroy(struct gz_pending *pending);
void gz_core_free_pending(struct gz_core *core);
/* Answers an edit that is stored. */
void gz_session_edit_ok(struct gz_session *session, uint64_t rid, const struct gz_edit_record *edit,
                        struct gz_ids created);
/* A copy; NULL for NULL, or without memory. */
char *gz_arena_string(struct gz_arena *arena, const char *text);

/* ---- commit.c ---- */

/* Tells every viewer of an edit that is stored; `told` as for gz_sync_edit. Without memory nobody
 * is told. */
void gz_core_tell_edit(struct gz_core *core, const struct gz_edit_record *edit, uint64_t told);
/* What waits for the disk is taken back at everybody and answered with `storage`. Without the
 * memory for that it stays, and who waits for it is ended. */
void gz_core_refuse_batch(struct gz_core *core, const char *why);

/* ---- batch.c ---- */

/* A begun run that is to leave no trace. */
void gz_core_drop(struct gz_core *core, uint64_t edit);
/* That a session joined or left, for the file; false without memory. An edit in the file needs its
 * session there. Not in the middle of a message. */
bool gz_core_log_session(struct gz_core *core, const struct gz_session *session, bool left);
/* Hands the host what is to be saved, if it is time. */
void gz_core_commit(struct gz_core *core);
/* Monotonic time at which it will be. */
double gz_core_commit_due(const struct gz_core *core);

/* ---- dispatch.c ---- */

/* The message was more work than most: so many messages more count against the session's rate. */
void gz_session_charge(struct gz_session *session, double messages);
/* The request of a message as far as edits need it; `key` gets the terminated key. */
struct gz_edit_request gz_edit_request(struct gz_session *session, const struct gz_message *message,
                                       enum gz_edit_kind kind, char key[GZ_KEY_BYTES_MAX + 1]);

#endif
