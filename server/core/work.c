/* work.c - gives the sessions their slices. See work.h. */
#include "core/work.h"

#include "core/bulk.h"
#include "core/dispatch.h"
#include "core/gizmo.h"
#include "core/interaction.h"
#include "core/pick.h"
#include "core/session.h"

/* Whether the wheel's pass is not over: the next message completes the wheel, and its nodes have to
 * be posed by then. */
static bool is_turning(const struct gz_session *session)
{
    const struct gz_gesture *gesture = &session->gesture;
    return gz_gesture_is_passing(gesture) && gesture->interaction->gives_way;
}

static bool is_passing(const struct gz_session *session)
{
    const struct gz_gesture *gesture = &session->gesture;
    while (gesture != NULL && !gz_gesture_is_passing(gesture)) gesture = gesture->next;
    return gesture != NULL;
}

/* Whether its messages wait for what no slice brings nearer. */
static bool is_held_up(const struct gz_session *session)
{
    return session->past.tells_hits || session->awaits == GZ_AWAITS_WORKER ||
           (session->awaits == GZ_AWAITS_DISK && gz_budget_awaits_disk(session));
}

bool gz_session_is_busy(const struct gz_session *session)
{
    return session->search != NULL || is_held_up(session) || is_turning(session);
}

static bool has_request(const struct gz_session *session)
{
    return session->search != NULL || (session->inbox.first != NULL && !is_held_up(session));
}

bool gz_session_has_work(const struct gz_session *session)
{
    return !session->ended && (has_request(session) || is_passing(session) ||
                               gz_pivot_frame_is_looking(&session->stand) ||
                               !gz_feed_is_ready(session->core->feed, &session->subscriber));
}

static void go_on(struct gz_session *session)
{
    struct gz_core *core = session->core;
    struct gz_arena_mark mark = gz_arena_mark(&core->scratch);
    if (session->search != NULL) gz_session_go_on_searching(session);
    for (struct gz_gesture *gesture = &session->gesture; gesture != NULL; gesture = gesture->next)
        gz_interaction_go_on(session, gesture);
    gz_session_read_inbox(session);
    gz_session_go_on_standing(session);
    gz_feed_advance(core->feed, &session->subscriber, &core->slice);
    gz_arena_go_back(&core->scratch, mark);
}

/* The next session with work: by id, after the one that was served last. */
static struct gz_session *next_at_work(const struct gz_core *core)
{
    struct gz_session *next = NULL, *first = NULL;
    for (struct gz_session *session = core->awake; session != NULL; session = session->next_awake) {
        if (!gz_session_has_work(session)) continue;
        if (first == NULL || session->id < first->id) first = session;
        if (session->id > core->served && (next == NULL || session->id < next->id)) next = session;
    }
    return next != NULL ? next : first;
}

/* Reading frames since the last turn takes a part of this turn's slice, but leaves a quarter, so
 * that begun work ends. */
static void begin_slice(struct gz_core *core)
{
    const size_t most =
        core->part < 1 ? (size_t)(core->part * (double)core->slice_nodes) : core->slice_nodes;
    const size_t least = most - 3 * (most / 4);
    core->slice = core->slice_read < most - least ? most - core->slice_read : least;
    core->slice_read = 0;
}

void gz_core_go_on(struct gz_core *core)
{
    struct gz_session *session;
    begin_slice(core);
    for (size_t i = 0; i < core->roster.count && core->slice > 0; i++) {
        session = next_at_work(core);
        if (session == NULL) return;
        core->served = session->id;
        go_on(session);
    }
}

/* Finishes the session's work and inbox, without waiting until its hits are taken. */
static void finish_requests(struct gz_session *session)
{
    session->past.tells_hits = false;
    while (!session->ended && (has_request(session) || session->awaits == GZ_AWAITS_WORKER)) {
        session->core->slice = SIZE_MAX;
        gz_session_read_put_off(session);
        go_on(session);
        session->past.tells_hits = false;
    }
}

void gz_core_finish_work(struct gz_core *core)
{
    const size_t usual = gz_core_put_nothing_off(core);
    core->rows_waiting_max = SIZE_MAX;
    for (struct gz_session *session = core->sessions; session != NULL; session = session->next)
        finish_requests(session);
    core->nodes_at_once = usual;
    core->rows_waiting_max = GZ_ROWS_WAITING_MAX;
}

void gz_session_drop_work(struct gz_session *session)
{
    gz_search_destroy(session->search);
    session->search = NULL;
    gz_inbox_finish(&session->inbox);
}

/* ---- sleep ---- */

/* Whether the session has an interest with a frame or an update to come, which may wait for a look
 * or for a debt. Otherwise gz_core_next_frame wakes the session. */
static bool follows(const struct gz_session *session)
{
    return !gz_feed_is_whole(&session->subscriber) &&
           (gz_feed_has_frame(session->core->feed, &session->subscriber) ||
            (session->view.is_followed && session->view.moved));
}

static bool has_gizmo(const struct gz_session *session)
{
    return session->shown.stale || session->standing.is_news ||
           (session->role >= GZ_ROLE_EDITOR && session->selection.count > 0);
}

static bool has_something(const struct gz_session *session)
{
    return session->ended || session->gesture.interaction != NULL ||
           session->gesture.next != NULL || has_gizmo(session) || gz_session_is_busy(session) ||
           gz_session_has_work(session) || gz_outbox_waiting(&session->outbox) > 0 ||
           session->past.answer != NULL || session->dropped != GZ_TAKEN || follows(session);
}

void gz_core_let_sleep(struct gz_core *core)
{
    struct gz_session *next;
    for (struct gz_session *session = core->awake; session != NULL; session = next) {
        next = session->next_awake;
        const bool is_drowsy = !has_something(session);
        if (is_drowsy && session->is_drowsy) gz_session_forget_awake(session);
        session->is_drowsy = is_drowsy;
    }
}
