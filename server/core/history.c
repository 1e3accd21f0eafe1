/* history.c - asks questions about the past, and sends the answers. See history.h. */
#include "core/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/answers.h"
#include "core/bulk.h"
#include "core/notes.h"
#include "core/pending.h"
#include "core/session.h"
#include "server/maxima.h"

/* ---- asking ---- */

enum gz_status gz_session_ask(struct gz_session *session, const struct gz_message *message,
                              const struct gz_query *query, uint64_t after,
                              gz_answer_handler *on_answer, struct gz_failure *failure)
{
    struct gz_core *core = session->core;
    if (session->past.open >= GZ_QUERIES_PER_SESSION_MAX)
        return gz_fail(&failure->error, GZ_TOO_MANY,
                       "%d questions are unanswered; wait for an answer",
                       GZ_QUERIES_PER_SESSION_MAX);
    if (after > gz_feed_saved_seq(core->feed) && core->journal.is_refused)
        return gz_fail(&failure->error, GZ_STORAGE,
                       "the requested state is not stored yet: try again later");
    struct gz_ticket ticket = {
        .session = session->id,
        .has_rid = (message->has & GZ_HAS_RID) != 0,
        .rid = message->rid,
        .has_key = (message->has & GZ_HAS_KEY) != 0,
        .force = message->op == GZ_OP_REVERT && message->revert.force,
        .after = after,
        .query = *query,
        .on_answer = on_answer,
    };
    if (ticket.has_key) memcpy(ticket.key, message->key.bytes, message->key.size);
    if (!gz_tickets_add(&core->tickets, &ticket))
        return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory for this question");
    session->past.open++;
    return GZ_OK;
}

/* The file is not asked while many bytes wait to be sent, because answers are large. */
static bool may_ask(const struct gz_core *core, const struct gz_ticket *ticket)
{
    const struct gz_session *session = gz_core_session(core, ticket->session);
    return !ticket->is_sent && ticket->after <= gz_feed_saved_seq(core->feed) &&
           gz_past_may_ask(&session->past) && !gz_outbox_is_full(&session->outbox);
}

void gz_core_send_tickets(struct gz_core *core)
{
    struct gz_ticket *next;
    for (struct gz_ticket *ticket = core->tickets.first; ticket != NULL; ticket = next) {
        next = ticket->next; /* a question that is answered at once is freed afterwards */
        if (!may_ask(core, ticket)) continue;
        struct gz_session *session = gz_core_session(core, ticket->session);
        session->past.asking = true;
        ticket->is_sent = true;
        core->options.host.query(core->options.host.context, ticket->number, session->payer,
                                 &ticket->query);
    }
}

bool gz_core_has_tickets_to_send(const struct gz_core *core)
{
    for (const struct gz_ticket *ticket = core->tickets.first; ticket != NULL;
         ticket = ticket->next) {
        if (may_ask(core, ticket)) return true;
    }
    return false;
}

void gz_session_withdraw_questions(struct gz_session *session)
{
    struct gz_core *core = session->core;
    struct gz_ticket *next;
    for (struct gz_ticket *ticket = core->tickets.first; ticket != NULL; ticket = next) {
        next = ticket->next;
        if (ticket->session != session->id) continue;
        if (ticket->is_sent && !ticket->is_answered)
            gz_host_withdraw(&core->options.host, ticket->number);
        (void)gz_tickets_take(&core->tickets, ticket->number);
        gz_answer_finish(&ticket->answer);
        free(ticket);
    }
}

/* ---- handling the answers ---- */

static enum gz_status send_answer(struct gz_session *session, const struct gz_ticket *ticket,
                                  struct gz_answer *answer, struct gz_failure *failure)
{
    if (!ticket->has_rid) return GZ_OK; /* without a rid the client could not match the answer */
    gz_session_wake(session);
    enum gz_status status = gz_past_send(&session->past, ticket->rid, &ticket->query, answer);
    return status == GZ_OK ? GZ_OK : gz_fail(&failure->error, status, "no memory for the answer");
}

struct gz_edit_request gz_ticket_request(struct gz_session *session, const struct gz_ticket *ticket,
                                         enum gz_edit_kind kind, uint64_t target)
{
    return (struct gz_edit_request){
        .session = session,
        .user = session->user,
        .kind = kind,
        .target = target,
        .has_rid = ticket->has_rid,
        .rid = ticket->rid,
        .key = ticket->has_key ? ticket->key : NULL,
    };
}

enum gz_status gz_session_restore(struct gz_session *session, const struct gz_ticket *ticket,
                                  struct gz_answer *answer, struct gz_failure *failure)
{
    struct gz_core *core = session->core;
    struct gz_edit_request request =
        gz_ticket_request(session, ticket, GZ_EDIT_RESTORE, ticket->query.seq);
    /* The client may have sent the request twice before the file answered. */
    if (gz_core_answer_known(session, &request)) return GZ_OK;
    struct gz_change_list list;
    gz_budget_charge(session, answer->node_count + gz_scene_count(core->scene));
    enum gz_status status = gz_changes_restore(core->scene, &core->scratch, answer->nodes,
                                               answer->node_count, &list, failure);
    if (status != GZ_OK) return status;
    return gz_core_edit(core, &request, list.changes, list.count, failure);
}

/* Calls the handler of the answer, unless the session has left or was ended: what it may do now is
 * not known, and its role may have been lowered since it asked for a restore. */
static void take_answer(struct gz_core *core, const struct gz_ticket *ticket,
                        struct gz_answer *answer)
{
    struct gz_session *session = gz_core_session(core, ticket->session);
    struct gz_failure failure = {.error = answer->error};
    if (session == NULL) return;
    session->past.open--;
    session->past.asking = false;
    if (session->ended) return;
    if (answer->status == GZ_OK &&
        (ticket->on_answer(session, ticket, answer, &failure) == GZ_OK ||
         gz_session_refuse_stored(session, ticket->has_rid, ticket->rid, &failure)))
        return;
    gz_session_refuse(session, ticket->has_rid, ticket->rid, &failure, false);
}

/* How many nodes an answer will edit. A restore compares each node as it was with the node as it
 * is. */
static size_t count_edited(const struct gz_core *core, const struct gz_ticket *ticket,
                           const struct gz_answer *answer)
{
    size_t count = 0;
    if (ticket->on_answer == gz_session_restore)
        return answer->node_count + gz_scene_count(core->scene);
    for (size_t i = 0; ticket->query.kind == GZ_QUERY_EDIT && i < answer->edit_count; i++)
        count += answer->edits[i].change_count;
    return count;
}

void gz_core_close_ticket(struct gz_core *core, uint64_t number, struct gz_answer *answer)
{
    struct gz_ticket *ticket = gz_tickets_find(&core->tickets, number);
    if (ticket == NULL) return;
    if (answer->status == GZ_OK && gz_core_puts_off(core, count_edited(core, ticket, answer))) {
        ticket->is_answered = true;
        ticket->answer = *answer;
        *answer = (struct gz_answer){.status = GZ_OK};
        return;
    }
    ticket = gz_tickets_take(&core->tickets, number);
    take_answer(core, ticket, answer);
    free(ticket);
}

void gz_core_close_answered_tickets(struct gz_core *core)
{
    struct gz_ticket *next;
    for (struct gz_ticket *ticket = core->tickets.first; ticket != NULL; ticket = next) {
        next = ticket->next;
        if (!ticket->is_answered) continue;
        struct gz_arena_mark mark = gz_arena_mark(&core->scratch);
        (void)gz_tickets_take(&core->tickets, ticket->number);
        take_answer(core, ticket, &ticket->answer);
        gz_answer_finish(&ticket->answer);
        free(ticket);
        gz_arena_go_back(&core->scratch, mark);
    }
}

/* How many nodes and points an `ok` holds, to be charged. An edit names the nodes of its
 * changes. */
static size_t elements_of(const struct gz_ok *ok)
{
    size_t count = ok->node_count + ok->path_count + ok->hit_count;
    for (size_t i = 0; i < ok->edit_count; i++) count += 1 + ok->edits[i].nodes.count;
    return count;
}

void gz_session_send_piece(struct gz_session *session)
{
    struct gz_core *core = session->core;
    struct gz_message piece;
    if (session->past.answer == NULL) return;
    bool made = gz_past_next_piece(&session->past, core->epochs.present, &core->scratch, &piece);
    struct gz_failure failure = {.node = 0};
    gz_fail(&failure.error, GZ_NO_MEMORY, "no memory for the answer");
    if (!made) gz_session_refuse(session, true, piece.rid, &failure, false);
    if (made) gz_budget_charge(session, GZ_PRICE_MOVED * elements_of(&piece.ok));
    bool goes_on = made && gz_session_answer(session, &piece) && piece.ok.more;
    if (!goes_on) gz_past_stop(&session->past, &core->options.host);
}

/* ---- the messages ---- */

static enum gz_status question_of_history(const struct gz_message *message, struct gz_query *query,
                                          struct gz_failure *failure)
{
    const struct gz_history *said = &message->history;
    *query = (struct gz_query){
        .kind = GZ_QUERY_HISTORY, .since = NAN, .before = NAN, .limit = GZ_HISTORY_ROWS_MAX};
    if (said->alone && !(message->has & GZ_HAS_HISTORY_NODE))
        return gz_fail(&failure->error, GZ_BAD_VALUE, "alone: needs `node`");
    query->alone = said->alone;
    if (message->has & GZ_HAS_HISTORY_NODE) query->node = said->node;
    if (message->has & GZ_HAS_HISTORY_USER) memcpy(query->user, said->user.bytes, said->user.size);
    if (message->has & GZ_HAS_HISTORY_SINCE) query->since = said->since;
    if (message->has & GZ_HAS_HISTORY_BEFORE) query->before = said->before;
    if (message->has & GZ_HAS_HISTORY_LIMIT) query->limit = (uint32_t)said->limit;
    query->brief = (message->has & GZ_HAS_HISTORY_CHANGES) != 0 && !said->changes;
    return GZ_OK;
}

static enum gz_status question_of_at(const struct gz_core *core, const struct gz_message *message,
                                     struct gz_query *query, uint64_t *after,
                                     struct gz_failure *failure)
{
    const struct gz_at *said = &message->at;
    const uint64_t now = gz_scene_seq(core->scene);
    *query = (struct gz_query){.kind = GZ_QUERY_AT, .seq = said->seq, .time = said->time};
    query->by_time = (message->has & GZ_HAS_AT_TIME) != 0;
    query->by_id = (message->has & (GZ_HAS_AT_AFTER | GZ_HAS_AT_LIMIT)) != 0;
    if (message->has & GZ_HAS_AT_AFTER) query->after = said->after;
    query->limit = (message->has & GZ_HAS_AT_LIMIT) && said->limit > 0 ? (uint32_t)said->limit
                                                                       : GZ_HISTORY_ROWS_MAX;
    if (message->has & GZ_HAS_AT_CHECKPOINT) {
        enum gz_status status =
            gz_core_find_checkpoint(core, said->checkpoint, &query->seq, failure);
        if (status != GZ_OK) return status;
    }
    if (query->by_time && query->time > core->clock.now.unix_s)
        return gz_fail(&failure->error, GZ_BAD_VALUE, "time: is in the future");
    if (!query->by_time && query->seq > now)
        return gz_fail(&failure->error, GZ_BAD_VALUE, "seq: is in the future; the scene is at %llu",
                       (unsigned long long)now);
    *after = query->by_time ? now : query->seq;
    return GZ_OK;
}

static void question_of_path(const struct gz_core *core, const struct gz_message *message,
                             struct gz_query *query, uint64_t *after)
{
    const struct gz_path *said = &message->path;
    const struct gz_node *node = gz_scene_find(core->scene, said->node);
    *query = (struct gz_query){.kind = GZ_QUERY_PATH,
                               .node = said->node,
                               .since = NAN,
                               .before = NAN,
                               .limit = GZ_PATH_POINTS_MAX};
    if (message->has & GZ_HAS_PATH_SINCE) query->since = said->since;
    if (message->has & GZ_HAS_PATH_BEFORE) query->before = said->before;
    if (message->has & GZ_HAS_PATH_LIMIT) query->limit = (uint32_t)said->limit;
    *after = node != NULL ? node->seq : 0;
}

enum gz_status gz_question_of(const struct gz_core *core, const struct gz_message *message,
                              struct gz_query *query, uint64_t *after, struct gz_failure *failure)
{
    *after = 0;
    if (message->op == GZ_OP_HISTORY) return question_of_history(message, query, failure);
    if (message->op == GZ_OP_AT) return question_of_at(core, message, query, after, failure);
    question_of_path(core, message, query, after);
    return GZ_OK;
}

enum gz_status gz_on_question(struct gz_session *session, const struct gz_message *message,
                              struct gz_failure *failure)
{
    struct gz_query query;
    uint64_t after;
    const enum gz_status status = gz_question_of(session->core, message, &query, &after, failure);
    return status == GZ_OK ? gz_session_ask(session, message, &query, after, send_answer, failure)
                           : status;
}

enum gz_status gz_on_restore(struct gz_session *session, const struct gz_message *message,
                             struct gz_failure *failure)
{
    const struct gz_core *core = session->core;
    uint64_t now = gz_scene_seq(core->scene);
    struct gz_query query = {.kind = GZ_QUERY_AT, .seq = message->restore.seq};
    if (gz_core_answer_key(session, message)) return GZ_OK;
    if (message->has & GZ_HAS_AT_CHECKPOINT) {
        enum gz_status status =
            gz_core_find_checkpoint(core, message->restore.checkpoint, &query.seq, failure);
        if (status != GZ_OK) return status;
    }
    if (query.seq > now)
        return gz_fail(&failure->error, GZ_BAD_VALUE, "seq: is in the future; the scene is at %llu",
                       (unsigned long long)now);
    return gz_session_ask(session, message, &query, query.seq, gz_session_restore, failure);
}
