/* core.c - creates and destroys a core, runs its turns, and hands out frames. See core.h. */
#include "core/core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/answers.h"
#include "core/bulk.h"
#include "core/commit.h"
#include "core/dispatch.h"
#include "core/gizmo.h"
#include "core/history.h"
#include "core/interaction.h"
#include "core/roles.h"
#include "core/session.h"
#include "core/setup.h"
#include "core/work.h"
#include "scene/access.h"
#include "scene/bounds_index.h"
#include "scene/undo.h"
#include "server/maxima.h"
#include "solver/surface.h"

/* ---- making and ending ---- */

void gz_core_enter(struct gz_core *core, struct gz_now now)
{
    gz_arena_reset(&core->scratch, GZ_EDIT_BYTES_MAX);
    gz_clock_advance(&core->clock, now);
}

static void copy_options(struct gz_core *core, const struct gz_core_options *options)
{
    core->options = *options;
    core->options.scene = strdup(options->scene);
    core->options.server = strdup(options->server);
    if (options->messages_per_s <= 0) core->options.messages_per_s = GZ_MESSAGES_PER_S_MAX;
}

static bool build(struct gz_core *core, const struct gz_scene_state *state)
{
    core->scene = gz_scene_create(state);
    core->undo = gz_undo_create();
    core->notes = gz_notebook_create(state);
    core->checkpoints = gz_checkpoint_list_create(state);
    core->access = gz_access_list_create(state);
    if (core->options.scene == NULL || core->options.server == NULL || core->scene == NULL ||
        core->undo == NULL || core->notes == NULL || core->checkpoints == NULL ||
        core->access == NULL)
        return false;
    gz_scene_stored(core->scene, state->seq);
    core->feed = gz_feed_create(core->scene, core->notes, core->checkpoints, state->seq);
    if (core->feed == NULL || !gz_epochs_init(&core->epochs, state) ||
        !gz_assets_init(&core->assets, state))
        return false;
    for (size_t i = 0; i < state->edit_count; i++) {
        gz_undo_add(core->undo, &state->edits[i]);
        /* for viewers that resume */
        gz_core_announce_edit(core, &state->edits[i], state->edits[i].seq);
    }
    return true;
}

void gz_core_renew_boxes(struct gz_core *core)
{
    gz_box all;
    size_t looked_at;
    (void)!gz_scene_bounds(core->scene, &all, &looked_at);
}

struct gz_core *gz_core_create(const struct gz_core_options *options,
                               const struct gz_scene_state *state)
{
    struct gz_core *core = calloc(1, sizeof *core);
    if (core == NULL) return NULL;
    copy_options(core, options);
    memcpy(core->read_only, state->read_only, sizeof core->read_only);
    core->slice_nodes = core->slice = GZ_SLICE_NODES;
    core->part = 1;
    core->rows_waiting_max = GZ_ROWS_WAITING_MAX;
    core->expires_unix_s = INFINITY;
    core->nodes_at_once = options->lends ? GZ_NODES_AT_ONCE : SIZE_MAX;
    core->next_edit = state->next_edit;
    core->next_note = state->next_note;
    core->stored_seq = core->sent_seq = state->seq;
    core->clock = gz_clock_from(state->time);
    gz_journal_init(&core->journal, options->batches > 0 ? options->batches : 1, gz_core_answer,
                    core);
    gz_arena_init(&core->decoded, 0);
    gz_arena_init(&core->scratch, GZ_EDIT_BYTES_MAX);
    if (build(core, state)) {
        if (options->lends) gz_core_renew_boxes(core);
        return core;
    }
    gz_core_destroy(core);
    return NULL;
}

void gz_core_destroy(struct gz_core *core)
{
    if (core == NULL) return;
    (void)gz_core_put_nothing_off(core);
    while (core->sessions != NULL) gz_core_leave(core, core->sessions, core->clock.now);
    gz_tickets_finish(&core->tickets);
    gz_batches_destroy(core->closing);
    gz_batches_destroy(core->first_of_two);
    gz_journal_finish(&core->journal);
    gz_sessions_finish(&core->roster);
    gz_users_finish(&core->users);
    gz_budgets_finish(core);
    gz_assets_finish(&core->assets, &core->options.host);
    gz_feed_destroy(core->feed);
    gz_undo_destroy(core->undo);
    gz_notebook_destroy(core->notes);
    gz_checkpoint_list_destroy(core->checkpoints);
    gz_access_list_destroy(core->access);
    gz_scene_destroy(core->scene);
    gz_arena_finish(&core->decoded);
    gz_arena_finish(&core->scratch);
    gz_epochs_finish(&core->epochs);
    free((void *)core->options.server);
    free((void *)core->options.scene);
    free(core);
}

/* ---- memory ---- */

double gz_core_oldest_undo_s(const struct gz_core *core)
{
    return gz_undo_oldest_s(core->undo);
}

size_t gz_core_forget_undo(struct gz_core *core)
{
    return gz_undo_forget(core->undo);
}

size_t gz_core_forget_graves(struct gz_core *core)
{
    const size_t bytes = gz_scene_grave_bytes(core->scene);
    gz_scene_forget_graves(core->scene);
    return bytes;
}

/* ---- the turn ---- */

void gz_core_finish_gestures(struct gz_core *core)
{
    for (struct gz_session *session = core->awake; session != NULL; session = session->next_awake) {
        const bool are_over = session->ended || core->frozen[0] != '\0';
        struct gz_gesture *gesture = &session->gesture, *next;
        for (; gesture != NULL; gesture = next) {
            next = gesture->next;
            if (gesture->interaction == NULL) continue;
            if (!are_over && core->clock.now.mono_s < gesture->closes_s) continue;
            if (!gz_core_puts_off(core, gesture->count))
                gz_interaction_finish(session, gesture, NULL);
        }
    }
}

/* Begins passes that sessions could not afford before. */
static void catch_up(struct gz_core *core)
{
    for (struct gz_session *session = core->awake; session != NULL; session = session->next_awake)
        for (struct gz_gesture *gesture = &session->gesture; gesture != NULL;
             gesture = gesture->next)
            gz_interaction_catch_up(session, gesture);
}

/* A dragged node may be below another dragged node, and that below a third: each round poses at
 * least one more level. */
static void follow_parents(struct gz_core *core)
{
    bool moved = true;
    for (size_t pass = 0; moved && pass < core->roster.count; pass++) {
        moved = false;
        for (struct gz_session *session = core->awake; session != NULL;
             session = session->next_awake)
            moved |= gz_interaction_follow(session, &session->gesture);
    }
}

/* A small part of a slice that each message may use even if others have used up the slice: a click,
 * or a drag of a few nodes, does not wait for them. */
static size_t little(const struct gz_core *core)
{
    return 1 + core->slice_nodes / GZ_SLICES_AT_ONCE;
}

static void spare_a_little(struct gz_core *core)
{
    if (core->slice < little(core)) core->slice = little(core);
}

/* What is left of a frame of MessagePack is a frame; one of JSON is kept as a whole. */
static void keep(struct gz_session *session, const uint8_t *bytes, size_t size, size_t offset)
{
    const size_t done = session->is_json ? 0 : offset;
    if (!gz_inbox_add(&session->inbox, bytes + done, size - done, offset - done))
        gz_session_end(session, "too many requests are waiting; send them more slowly");
}

/* Whether a frame waits: for earlier work of its session or, if it is large, for the next turn,
 * because the slice is used up. */
static bool has_to_wait(const struct gz_session *session, size_t size)
{
    const struct gz_core *core = session->core;
    return gz_session_is_busy(session) || session->inbox.first != NULL ||
           (size >= GZ_FRAME_BYTES_LARGE && core->slice <= little(core));
}

bool gz_core_receive(struct gz_core *core, struct gz_session *session, const uint8_t *bytes,
                     size_t size, struct gz_now now)
{
    return gz_core_receive_rest(core, session, bytes, size, 0, now);
}

bool gz_core_receive_rest(struct gz_core *core, struct gz_session *session, const uint8_t *bytes,
                          size_t size, size_t offset, struct gz_now now)
{
    if (!session->is_json && offset > 0)
        return gz_core_receive(core, session, bytes + offset, size - offset, now);
    bool is_looked_at = true, waits = has_to_wait(session, size);
    gz_core_enter(core, now);
    gz_session_wake(session);
    spare_a_little(core);
    const size_t slice = core->slice;
    if (!waits) is_looked_at = gz_session_read_frame(session, bytes, size, &offset);
    core->slice_read += slice - core->slice;
    if (offset < size && !session->ended) keep(session, bytes, size, offset);
    return is_looked_at;
}

/* Large frames have what the slice has left of the core's part, and a quarter of it in any case. */
static void share_turn(struct gz_core *core)
{
    const double used = core->part - (double)core->slice / (double)core->slice_nodes;
    core->told_before = (size_t)((1 - core->part + 0.75 * used) * GZ_TOLD_BYTES_PER_TURN);
    core->told_bytes = core->told_before;
}

void gz_core_grant(struct gz_core *core, double part)
{
    core->part = part;
}

double gz_core_left(const struct gz_core *core)
{
    const double nodes = (double)core->slice / (double)core->slice_nodes,
                 bytes = 1 - (double)core->told_bytes / GZ_TOLD_BYTES_PER_TURN;
    return fmax(0, fmin(core->part, fmin(nodes, bytes)));
}

bool gz_core_turn(struct gz_core *core, struct gz_now now)
{
    gz_core_enter(core, now);
    gz_core_let_sleep(core);
    gz_core_end_expired(core);
    gz_core_go_on(core);
    share_turn(core);
    gz_core_finish_gestures(core);
    catch_up(core);
    follow_parents(core);
    for (struct gz_session *session = core->awake; session != NULL; session = session->next_awake) {
        session->frame_waits = false;
        if (session->ended) continue;
        struct gz_arena_mark mark = gz_arena_mark(&core->scratch);
        gz_session_tell_of_dropped(session);
        gz_session_update_gizmo(session);
        gz_session_update_interest(session);
        gz_arena_go_back(&core->scratch, mark);
    }
    gz_core_commit(core);
    gz_core_send_tickets(core);
    return gz_feed_show(core->feed, now.mono_s);
}

/* A viewer with an interest is charged for the looks at nodes that moved, because they may have
 * entered the interest. Its frames wait while it is in debt. */
static bool is_in_debt(const struct gz_session *session)
{
    return !gz_feed_is_whole(&session->subscriber) &&
           gz_budget_affords_s(session, GZ_NODES_PER_MESSAGE, GZ_HASTE_ASKED) >
               session->core->clock.now.mono_s;
}

static double frame_due(const struct gz_session *session)
{
    if (!is_in_debt(session) || !gz_feed_has_frame(session->core->feed, &session->subscriber))
        return INFINITY;
    return gz_budget_affords_s(session, GZ_NODES_PER_MESSAGE, GZ_HASTE_ASKED);
}

static double session_deadline(const struct gz_session *session)
{
    double deadline = gz_session_gizmo_due(session);
    for (const struct gz_gesture *gesture = &session->gesture; gesture != NULL;
         gesture = gesture->next)
        deadline = fmin(deadline, gz_interaction_due(session, gesture));
    if (session->gesture.interaction != NULL) deadline = fmin(deadline, session->gesture.closes_s);
    if (session->ended) return deadline;
    if (gz_session_has_work(session) || session->frame_waits) return -INFINITY;
    deadline = fmin(deadline, gz_session_tells_of_dropped_s(session));
    return fmin(deadline, fmin(gz_session_interest_due(session), frame_due(session)));
}

double gz_core_deadline(const struct gz_core *core)
{
    if (gz_core_has_tickets_to_send(core)) return -INFINITY;
    double deadline = fmin(gz_feed_due(core->feed), gz_core_commit_due(core));
    deadline = fmin(deadline, gz_core_expires_s(core));
    for (const struct gz_session *session = core->awake; session != NULL && deadline > -INFINITY;
         session = session->next_awake)
        deadline = fmin(deadline, session_deadline(session));
    return deadline;
}

double gz_core_urgent_s(const struct gz_core *core)
{
    return gz_core_commit_due(core);
}

bool gz_core_is_idle(const struct gz_core *core)
{
    return gz_core_is_stored(core) && core->tickets.first == NULL && core->bulk == GZ_BULK_NONE &&
           !isfinite(gz_core_commit_due(core));
}

/* ---- deferred requests ---- */

static void read_put_off(struct gz_core *core)
{
    for (struct gz_session *session = core->sessions; session != NULL; session = session->next) {
        struct gz_arena_mark mark = gz_arena_mark(&core->scratch);
        core->slice = core->slice_nodes;
        gz_session_read_put_off(session);
        gz_arena_go_back(&core->scratch, mark);
    }
}

static void let_leave(struct gz_core *core)
{
    struct gz_session *next;
    for (struct gz_session *session = core->sessions; session != NULL; session = next) {
        next = session->next;
        if (session->is_leaving) gz_core_leave(core, session, core->clock.now);
    }
}

bool gz_core_has_bulk(const struct gz_core *core)
{
    return core->bulk != GZ_BULK_NONE;
}

void gz_core_do_bulk(struct gz_core *core, struct gz_now now)
{
    gz_core_enter(core, now);
    const size_t usual = gz_core_put_nothing_off(core);
    const bool is_batch_alone = core->bulk == GZ_BULK_BATCH;
    core->bulk = GZ_BULK_NONE;
    gz_core_close_put_off(core);
    gz_core_apply_access(core);
    read_put_off(core);
    gz_core_close_answered_tickets(core);
    gz_core_finish_gestures(core);
    let_leave(core);
    gz_core_commit(core);
    core->nodes_at_once = usual;
    if (!is_batch_alone) gz_core_renew_boxes(core);
    gz_arena_reset(&core->scratch, GZ_EDIT_BYTES_MAX); /* here, as they may be many MB */
    gz_arena_reset(&core->decoded, 0);
}

/* ---- answers of the host ---- */

void gz_core_committed(struct gz_core *core, struct gz_batch *batch, enum gz_status status,
                       const char *message, struct gz_now now)
{
    gz_core_enter(core, now);
    gz_core_close_batch(core, batch, status, message);
    gz_core_apply_access(core);
}

void gz_core_answered(struct gz_core *core, uint64_t ticket, struct gz_answer *answer,
                      struct gz_now now)
{
    gz_core_enter(core, now);
    gz_core_close_ticket(core, ticket, answer);
}

/* ---- frames ---- */

bool gz_core_may_tell(const struct gz_core *core)
{
    return core->told_bytes < GZ_TOLD_BYTES_PER_TURN;
}

void gz_core_let_tell(struct gz_core *core, bool may)
{
    core->told_bytes = may ? core->told_before : GZ_TOLD_BYTES_PER_TURN;
}

/* Pieces of snapshots, and frames for one session alone, share GZ_TOLD_BYTES_PER_TURN. */
static bool waits_for_turn(struct gz_session *session)
{
    session->frame_waits = !gz_core_may_tell(session->core);
    if (session->frame_waits) gz_session_wake(session);
    return session->frame_waits;
}

/* How many times the bytes of the session's next frame count against GZ_TOLD_BYTES_PER_TURN. */
static size_t weight_of(const struct gz_session *session)
{
    const struct gz_subscriber *subscriber = &session->subscriber;
    const bool is_snapshot = !gz_feed_has_state(subscriber);
    return is_snapshot && gz_form_is_packed(gz_feed_form(subscriber)) ? GZ_PACKED_PIECE_WEIGHT : 1;
}

/* The next frame for the session. One that `counts` waits for a turn with bytes left. */
static struct gz_bytes *next_frame(struct gz_session *session, bool counts)
{
    struct gz_core *core = session->core;
    if (counts && waits_for_turn(session)) return NULL;
    const size_t weight = counts ? weight_of(session) : 0;
    struct gz_bytes *frame =
        gz_feed_frame(core->feed, &session->subscriber, core->clock.now.unix_s);
    if (frame != NULL) core->told_bytes += weight * frame->size;
    return frame;
}

/* Of a viewer with an interest. */
static struct gz_bytes *own_frame(struct gz_session *session)
{
    const struct gz_core *core = session->core;
    if (is_in_debt(session) || !gz_feed_is_ready(core->feed, &session->subscriber)) {
        gz_session_wake(session);
        return NULL;
    }
    if (!gz_feed_has_frame(core->feed, &session->subscriber)) return NULL;
    struct gz_bytes *frame = next_frame(session, true);
    gz_budget_charge(session, gz_feed_take_looks(&session->subscriber));
    return frame;
}

/* Of the other viewers, who share their frames: only a piece of a snapshot counts. */
static struct gz_bytes *whole_frame(struct gz_session *session)
{
    return next_frame(session, gz_feed_is_behind(session->core->feed, &session->subscriber));
}

static struct gz_bytes *scene_frame(struct gz_session *session)
{
    if (!gz_feed_is_whole(&session->subscriber)) return own_frame(session);
    const bool is_due = gz_feed_has_frame(session->core->feed, &session->subscriber);
    return is_due ? whole_frame(session) : NULL;
}

static struct gz_bytes *piece_of_answer(struct gz_session *session)
{
    if (session->past.answer == NULL || waits_for_turn(session)) return NULL;
    gz_session_send_piece(session);
    struct gz_bytes *frame = gz_outbox_next(&session->outbox);
    if (frame != NULL) session->core->told_bytes += frame->size;
    return frame;
}

/* Appends the frame for all sessions to the one for this session alone, if both are small: two
 * frames would be two system calls. */
static void take_along(struct gz_session *session)
{
    struct gz_core *core = session->core;
    struct gz_subscriber before = {.at = NULL};
    const size_t told_bytes = core->told_bytes;
    if (session->ended || session->past.answer != NULL || !gz_feed_is_whole(&session->subscriber))
        return;
    gz_feed_join(core->feed, &before, &session->subscriber);
    struct gz_bytes *frame = whole_frame(session);
    if (frame != NULL && !gz_outbox_extend(&session->outbox, frame)) {
        gz_feed_join(core->feed, &session->subscriber, &before);
        core->told_bytes = told_bytes;
    }
    gz_feed_unsubscribe(core->feed, &before);
    gz_bytes_release(frame);
}

/* First the messages for this session alone; then frames for all sessions and pieces of an answer,
 * alternating. */
struct gz_bytes *gz_core_next_frame(struct gz_core *core, struct gz_session *session,
                                    struct gz_now now)
{
    struct gz_past *past = &session->past;
    gz_core_enter(core, now);
    session->frame_waits = false;
    if (gz_outbox_waiting(&session->outbox) > 0) {
        if (session->outbox.whole.count == 0) take_along(session);
        struct gz_bytes *own = gz_outbox_next(&session->outbox);
        if (gz_outbox_waiting(&session->outbox) == 0) session->is_answered = false;
        return own;
    }
    if (session->ended) return NULL;
    const bool answer_first = past->takes_turns;
    struct gz_bytes *frame = answer_first ? NULL : scene_frame(session);
    past->takes_turns = past->answer != NULL && frame != NULL;
    if (frame != NULL) return frame;
    frame = piece_of_answer(session);
    return frame == NULL && answer_first ? scene_frame(session) : frame;
}

/* ---- sessions that are sent the same ---- */

struct gz_feed *gz_core_feed(struct gz_core *core)
{
    return core->feed;
}

struct gz_subscriber *gz_session_subscriber(struct gz_session *session)
{
    return &session->subscriber;
}

/* One that sleeps has no messages of its own, waits for no answer, and has not ended (work.c). */
bool gz_session_only_watches(const struct gz_session *session)
{
    return !session->is_awake && gz_feed_is_whole(&session->subscriber) &&
           !gz_feed_is_behind(session->core->feed, &session->subscriber);
}

struct gz_bytes *gz_core_shared_frame(struct gz_core *core, struct gz_subscriber *subscriber,
                                      struct gz_now now)
{
    gz_core_enter(core, now);
    return gz_feed_frame(core->feed, subscriber, core->clock.now.unix_s);
}

/* ---- for the paths beside the wire ---- */

bool gz_op_edits(enum gz_op op)
{
    return gz_dispatch_edits(op);
}

enum gz_status gz_core_question(struct gz_core *core, const struct gz_message *message,
                                struct gz_now now, struct gz_query *query, struct gz_error *error)
{
    uint64_t after;
    struct gz_failure failure = {.node = 0};
    gz_core_enter(core, now);
    const enum gz_status status = gz_question_of(core, message, query, &after, &failure);
    if (status != GZ_OK) *error = failure.error;
    return status;
}

enum gz_status gz_core_print_answer(const struct gz_query *query, const struct gz_answer *answer,
                                    uint64_t epoch, struct gz_buffer *out, struct gz_error *error)
{
    return gz_past_print(query, answer, epoch, out, error);
}

/* ---- queries of the host ---- */

void gz_session_set_owner(struct gz_session *session, void *owner)
{
    session->owner = owner;
}

void gz_session_set_relayed(struct gz_session *session)
{
    session->is_relayed = true;
}

void *gz_session_owner(const struct gz_session *session)
{
    return session->owner;
}

struct gz_session *gz_core_next_awake(const struct gz_core *core, const struct gz_session *after)
{
    return after != NULL ? after->next_awake : core->awake;
}

bool gz_session_has_messages(const struct gz_session *session)
{
    return session->ended || gz_outbox_waiting(&session->outbox) > 0;
}

bool gz_session_is_answered(const struct gz_session *session)
{
    return session->ended || session->is_answered;
}

bool gz_session_frame_waits(const struct gz_session *session)
{
    return session->frame_waits;
}

const char *gz_session_end_reason(const struct gz_session *session)
{
    if (!session->ended) return NULL;
    return session->end_reason != NULL ? session->end_reason : "";
}

bool gz_session_is_replaced(const struct gz_session *session)
{
    return session->replaced;
}

bool gz_session_holds_nodes(const struct gz_session *session)
{
    return session->presence.user.locks.count > 0;
}

bool gz_session_waits_for_core(const struct gz_session *session)
{
    return gz_session_has_work(session);
}

bool gz_session_is_full(const struct gz_session *session)
{
    return gz_outbox_is_full(&session->outbox) || gz_session_is_busy(session) ||
           session->inbox.first != NULL;
}

void gz_session_chain_gone(struct gz_session *session, struct gz_session **list)
{
    session->next_gone = *list;
    *list = session;
}

struct gz_session *gz_session_next_gone(const struct gz_session *session)
{
    return session->next_gone;
}
