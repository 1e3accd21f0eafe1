/* Questions to the past. They are asked of the file, so each waits until what it is about is saved; the answer comes later. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "session/session.h"

/* ---- asking ---- */

static enum gz_status ask(struct gz_session *session, const struct gz_message *message, const struct gz_query *query,
                          uint64_t after, bool restores, struct gz_failure *failure)
{
    struct gz_core *core = session->core;
    if (session->queries >= GZ_QUERIES_PER_SESSION_MAX)
        return gz_fail(&failure->error, GZ_TOO_MANY, "%d questions are open already", GZ_QUERIES_PER_SESSION_MAX);
    if (after > gz_sync_saved_seq(core->sync) && core->failing)
        return gz_fail(&failure->error, GZ_STORAGE, "the state asked for could not be stored yet");
    struct gz_ticket *ticket = calloc(1, sizeof *ticket);
    if (ticket == NULL) return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory for this question");
    *ticket = (struct gz_ticket){
        .number = core->next_ticket++,
        .session = session->id,
        .has_rid = (message->has & GZ_HAS(RID)) != 0,
        .rid = message->rid,
        .has_key = (message->has & GZ_HAS(KEY)) != 0,
        .restores = restores,
        .after = after,
        .query = *query,
    };
    if (ticket->has_key) memcpy(ticket->key, message->key.bytes, message->key.size);
    struct gz_ticket **end = &core->tickets;
    while (*end != NULL) end = &(*end)->next;
    *end = ticket;
    session->queries++;
    return GZ_OK;
}

/* One question of a session at a time, and none while it has not taken the last answer: answers are large. */
static bool may_ask(const struct gz_core *core, const struct gz_ticket *ticket)
{
    const struct gz_session *session = gz_core_session(core, ticket->session);
    return !ticket->sent && ticket->after <= gz_sync_saved_seq(core->sync) &&
           (session == NULL || (!session->asking && !gz_session_is_full(session)));
}

void gz_core_send_tickets(struct gz_core *core)
{
    for (struct gz_ticket *ticket = core->tickets; ticket != NULL; ticket = ticket->next) {
        if (!may_ask(core, ticket)) continue;
        struct gz_session *session = gz_core_session(core, ticket->session);
        if (session != NULL) session->asking = true;
        ticket->sent = true;
        core->host.query(core->host.context, ticket->number, &ticket->query);
    }
}

bool gz_core_has_tickets_to_send(const struct gz_core *core)
{
    for (const struct gz_ticket *ticket = core->tickets; ticket != NULL; ticket = ticket->next) {
        if (may_ask(core, ticket)) return true;
    }
    return false;
}

enum gz_status gz_handle_history(struct gz_session *session, const struct gz_message *message,
                                 struct gz_failure *failure)
{
    const struct gz_history *said = &message->history;
    struct gz_query query = {.kind = GZ_QUERY_HISTORY, .since = NAN, .before = NAN, .limit = GZ_HISTORY_ROWS_MAX};
    if (message->has & GZ_HAS(NODE)) query.node = said->node;
    if (message->has & GZ_HAS(USER)) memcpy(query.user, said->user.bytes, said->user.size);
    if (message->has & GZ_HAS(SINCE)) query.since = said->since;
    if (message->has & GZ_HAS(BEFORE_TIME)) query.before = said->before;
    if (message->has & GZ_HAS(LIMIT)) query.limit = (uint32_t)said->limit;
    return ask(session, message, &query, 0, false, failure);
}

enum gz_status gz_handle_at(struct gz_session *session, const struct gz_message *message, struct gz_failure *failure)
{
    const struct gz_core *core = session->core;
    uint64_t now = gz_scene_seq(core->scene);
    struct gz_query query = {.kind = GZ_QUERY_AT, .seq = message->at.seq, .time = message->at.time};
    query.by_time = (message->has & GZ_HAS(TIME)) != 0;
    if (message->has & GZ_HAS(CHECKPOINT)) {
        enum gz_status status = gz_core_find_checkpoint(core, message->at.checkpoint, &query.seq, failure);
        if (status != GZ_OK) return status;
    }
    if (query.by_time && query.time > core->now.unix_s)
        return gz_fail(&failure->error, GZ_BAD_VALUE, "time: is in the future");
    if (!query.by_time && query.seq > now)
        return gz_fail(&failure->error, GZ_BAD_VALUE, "seq: the scene is at %llu", (unsigned long long)now);
    return ask(session, message, &query, query.by_time ? now : query.seq, false, failure);
}

enum gz_status gz_handle_restore(struct gz_session *session, const struct gz_message *message,
                                 struct gz_failure *failure)
{
    const struct gz_core *core = session->core;
    uint64_t now = gz_scene_seq(core->scene);
    struct gz_query query = {.kind = GZ_QUERY_AT, .seq = message->restore.seq};
    if (gz_core_answer_key(session, message)) return GZ_OK;
    if (message->has & GZ_HAS(CHECKPOINT)) {
        enum gz_status status = gz_core_find_checkpoint(core, message->restore.checkpoint, &query.seq, failure);
        if (status != GZ_OK) return status;
    }
    if (query.seq > now)
        return gz_fail(&failure->error, GZ_BAD_VALUE, "seq: the scene is at %llu", (unsigned long long)now);
    return ask(session, message, &query, query.seq, true, failure);
}

/* ---- answering ---- */

static struct gz_text text_of(const char *string)
{
    return (struct gz_text){string, strlen(string)};
}

static struct gz_node_state state_of(uint64_t id, const struct gz_content *content)
{
    struct gz_node_state state = {
        .has = GZ_HAS(T) | GZ_HAS(R) | GZ_HAS(S) | GZ_HAS(NAME) | GZ_HAS(PARENT),
        .id = id,
        .trs = content->trs,
        .name = text_of(content->name),
        .parent = content->parent,
        .bounds = content->bounds,
    };
    if (content->has_bounds) state.has |= GZ_HAS(BOUNDS);
    if (content->asset >= 0) state.has |= GZ_HAS(ASSET), state.asset = (uint64_t)content->asset;
    return state;
}

static void reply(struct gz_session *session, const struct gz_ticket *ticket, uint64_t has, const struct gz_ok *ok)
{
    struct gz_message asked = {.has = ticket->has_rid ? GZ_HAS(RID) : 0, .rid = ticket->rid};
    gz_session_ok(session, &asked, has, ok);
}

static void reply_no_memory(struct gz_session *session, const struct gz_ticket *ticket)
{
    struct gz_failure failure = {.node = 0};
    gz_fail(&failure.error, GZ_NO_MEMORY, "no memory for the answer");
    gz_session_refuse(session, ticket->has_rid, ticket->rid, &failure, false);
}

static void reply_at(struct gz_session *session, const struct gz_ticket *ticket, const struct gz_answer *answer)
{
    size_t size = answer->node_count < GZ_AT_NODES_PER_MESSAGE ? answer->node_count : GZ_AT_NODES_PER_MESSAGE;
    struct gz_node_state *states = gz_arena_take(&session->core->scratch, size, sizeof *states);
    if (states == NULL) {
        reply_no_memory(session, ticket);
        return;
    }
    size_t done = 0;
    do {
        struct gz_ok ok = {.seq = answer->seq, .nodes = states};
        for (; ok.node_count < size && done < answer->node_count; done++)
            states[ok.node_count++] = state_of(answer->nodes[done].id, &answer->nodes[done].content);
        ok.more = done < answer->node_count;
        reply(session, ticket, GZ_HAS(SEQ) | GZ_HAS(SCENE_NODES), &ok);
    } while (done < answer->node_count);
}

/* Of both sides, only what differs; of a side that is alone, everything. */
static struct gz_change_message change_of(const struct gz_change *change)
{
    struct gz_change_message message = {.id = change->node};
    const struct gz_content *before = &change->before, *after = &change->after;
    if (change->existed) message.has |= GZ_HAS(BEFORE), message.before = state_of(change->node, before);
    if (change->exists) message.has |= GZ_HAS(AFTER), message.after = state_of(change->node, after);
    if (!change->existed || !change->exists) return message;
    uint64_t same = GZ_HAS(BOUNDS) | GZ_HAS(ASSET);
    if (memcmp(&before->trs.t, &after->trs.t, sizeof before->trs.t) == 0) same |= GZ_HAS(T);
    if (memcmp(&before->trs.r, &after->trs.r, sizeof before->trs.r) == 0) same |= GZ_HAS(R);
    if (memcmp(&before->trs.s, &after->trs.s, sizeof before->trs.s) == 0) same |= GZ_HAS(S);
    if (strcmp(before->name, after->name) == 0) same |= GZ_HAS(NAME);
    if (before->parent == after->parent) same |= GZ_HAS(PARENT);
    message.before.has &= ~same;
    message.after.has &= ~same;
    return message;
}

static bool describe_edit(struct gz_core *core, const struct gz_edit_record *edit, struct gz_edit_message *message)
{
    struct gz_arena *arena = &core->scratch;
    struct gz_change_message *changes = gz_arena_take(arena, edit->change_count, sizeof *changes);
    uint64_t *ids = gz_arena_take(arena, edit->change_count, sizeof *ids);
    if (changes == NULL || ids == NULL) return false;
    for (size_t i = 0; i < edit->change_count; i++) {
        changes[i] = change_of(&edit->changes[i]);
        ids[i] = edit->changes[i].node;
    }
    *message = gz_edit_told(core, edit, (struct gz_ids){ids, edit->change_count});
    message->changes = changes;
    message->change_count = edit->change_count;
    return true;
}

static void reply_history(struct gz_session *session, const struct gz_ticket *ticket, const struct gz_answer *answer)
{
    struct gz_arena *scratch = &session->core->scratch;
    struct gz_edit_message *edits = gz_arena_take(scratch, answer->edit_count, sizeof *edits);
    bool complete = edits != NULL;
    for (size_t i = 0; complete && i < answer->edit_count; i++)
        complete = describe_edit(session->core, &answer->edits[i], &edits[i]);
    if (!complete) {
        reply_no_memory(session, ticket);
        return;
    }
    struct gz_ok ok = {.edits = edits, .edit_count = answer->edit_count};
    reply(session, ticket, GZ_HAS(EDITS), &ok);
}

/* The nodes of before an import refer to a file that the import replaced: they could not be shown. */
static enum gz_status check_asset(const struct gz_core *core, const struct gz_ticket *ticket,
                                  const struct gz_answer *answer, struct gz_failure *failure)
{
    if (ticket->query.seq >= core->asset_seq) return GZ_OK;
    for (size_t i = 0; i < answer->node_count; i++) {
        if (answer->nodes[i].content.asset < 0) continue;
        return gz_fail(&failure->error, GZ_BAD_STATE,
                       "seq: the scene's glTF was replaced at seq %llu; what was before cannot be restored",
                       (unsigned long long)core->asset_seq);
    }
    return GZ_OK;
}

static enum gz_status restore(struct gz_session *session, const struct gz_ticket *ticket,
                              const struct gz_answer *answer, struct gz_failure *failure)
{
    struct gz_core *core = session->core;
    struct gz_edit_request request = {
        .session = session,
        .user = session->user,
        .kind = GZ_EDIT_RESTORE,
        .target = ticket->query.seq,
        .has_rid = ticket->has_rid,
        .rid = ticket->rid,
        .key = ticket->has_key ? ticket->key : NULL,
    };
    if (gz_core_answer_known(session, &request)) return GZ_OK; /* asked twice before the past had answered */
    struct gz_change *changes;
    size_t count;
    enum gz_status status = check_asset(core, ticket, answer, failure);
    if (status != GZ_OK) return status;
    status = gz_changes_restore(core->scene, &core->scratch, answer->nodes, answer->node_count, &changes, &count,
                                &failure->error);
    if (status != GZ_OK) return status;
    return gz_core_edit(core, &request, changes, count, failure);
}

static enum gz_status answer_ticket(struct gz_session *session, const struct gz_ticket *ticket,
                                    const struct gz_answer *answer, struct gz_failure *failure)
{
    if (answer->status != GZ_OK) {
        failure->error = answer->error;
        return answer->status;
    }
    if (ticket->restores) return restore(session, ticket, answer, failure);
    if (ticket->query.kind == GZ_QUERY_AT) reply_at(session, ticket, answer);
    if (ticket->query.kind == GZ_QUERY_HISTORY) reply_history(session, ticket, answer);
    return GZ_OK;
}

void gz_core_answered(struct gz_core *core, uint64_t number, const struct gz_answer *answer, struct gz_now now)
{
    core->now = now;
    struct gz_ticket **at = &core->tickets;
    while (*at != NULL && (*at)->number != number) at = &(*at)->next;
    struct gz_ticket *ticket = *at;
    if (ticket == NULL) return;
    *at = ticket->next;
    struct gz_session *session = gz_core_session(core, ticket->session);
    if (session != NULL) {
        struct gz_failure failure = {.node = 0};
        session->queries--;
        session->asking = false;
        gz_arena_reset(&core->scratch, GZ_EDIT_BYTES_MAX);
        if (answer_ticket(session, ticket, answer, &failure) != GZ_OK)
            gz_session_refuse(session, ticket->has_rid, ticket->rid, &failure, false);
    }
    free(ticket);
}
