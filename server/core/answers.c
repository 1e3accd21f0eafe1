/* answers.c - answers the sessions that wait for an entry of the journal, and announces edits to
 * every viewer. See answers.h. */
#include "core/answers.h"

#include <stdlib.h>
#include <string.h>

#include "core/describe.h"
#include "core/session.h"

void gz_core_announce_edit(struct gz_core *core, const struct gz_edit_record *edit,
                           uint64_t sent_at)
{
    struct gz_arena_mark mark = gz_arena_mark(&core->scratch);
    uint64_t *ids = gz_arena_take(&core->scratch, edit->change_count, sizeof *ids);
    if (ids == NULL) return;
    for (size_t i = 0; i < edit->change_count; i++) ids[i] = edit->changes[i].node;
    struct gz_message message = {.op = GZ_OP_EDIT};
    message.edit =
        gz_describe_edit(edit, core->epochs.present, (struct gz_ids){ids, edit->change_count});
    if (gz_feed_edit(core->feed, &message, sent_at) != GZ_OK)
        gz_log(core->options.log, GZ_WARN, 0, "%s: no memory to announce edit %llu",
               core->options.scene, (unsigned long long)edit->id);
    gz_arena_go_back(&core->scratch, mark);
}

void gz_core_answer(void *context, const struct gz_journal_waiter *waiter,
                    const struct gz_journal_outcome *outcome)
{
    struct gz_session *session = gz_core_session(context, waiter->session);
    if (session == NULL) return;
    struct gz_message asked = {.has = waiter->has_rid ? GZ_HAS_RID : 0, .rid = waiter->rid};
    struct gz_failure failure = {
        .error = outcome->error, .nodes = outcome->nodes.ids, .node_count = outcome->nodes.count};
    if (outcome->error.status == GZ_OK)
        gz_session_ok(session, &asked, outcome->has, &outcome->ok);
    else if (outcome->error.status == GZ_NO_MEMORY)
        gz_session_end(session, outcome->error.message);
    else
        gz_session_refuse(session, waiter->has_rid, waiter->rid, &failure, false);
}

void gz_session_append(struct gz_session *session, const struct gz_message *message,
                       struct gz_journal_entry *entry)
{
    entry->waiter = (struct gz_journal_waiter){
        .session = session->id, .has_rid = (message->has & GZ_HAS_RID) != 0, .rid = message->rid};
    entry->rows = 1;
    entry->row_count = &session->share->rows_waiting;
    gz_journal_append(&session->core->journal, entry);
}

void gz_session_wait(struct gz_session *session, struct gz_journal_entry *entry, bool has_rid,
                     uint64_t rid)
{
    struct gz_journal_waiter waiter = {.session = session->id, .has_rid = has_rid, .rid = rid};
    struct gz_failure failure = {.node = 0};
    switch (gz_journal_wait(&session->core->journal, entry, waiter, &failure.error)) {
    case GZ_OK: break;
    case GZ_TOO_MANY: gz_session_refuse(session, has_rid, rid, &failure, false); break;
    default: gz_session_end(session, failure.error.message);
    }
}

/* ---- answers that change nothing ---- */

struct held_answer {
    struct gz_journal_entry entry;
    struct gz_journal_outcome outcome;
    uint64_t nodes[]; /* of the outcome */
};

static void accept_answer(void *context, struct gz_journal_entry *entry,
                          const struct gz_batch *batch, struct gz_journal_outcome *outcome)
{
    (void)context, (void)batch;
    *outcome = ((const struct held_answer *)entry)->outcome;
}

static bool refuse_answer(void *context, struct gz_journal_entry *entry, const char *why,
                          struct gz_journal_outcome *outcome)
{
    (void)context, (void)entry;
    gz_fail(&outcome->error, GZ_STORAGE,
            "the answer relied on a change that could not be stored and was taken back: %s", why);
    return true;
}

static void free_answer(void *context, struct gz_journal_entry *entry)
{
    (void)context;
    free(entry);
}

static const struct gz_journal_kind held_answers = {
    .is_urgent = true, .accept = accept_answer, .refuse = refuse_answer, .free = free_answer};

/* Whether something that the scene shows is not on the disk. Who joined and left is not shown. */
static bool is_unsaved(const struct gz_core *core)
{
    return gz_scene_seq(core->scene) != core->stored_seq || core->journal.requests > 0 ||
           core->journal.awaited > 0;
}

/* NULL without memory. */
static struct held_answer *create(struct gz_session *session, struct gz_journal_waiter waiter,
                                  const struct gz_journal_outcome *outcome)
{
    const size_t size = outcome->nodes.count * sizeof *outcome->nodes.ids;
    struct held_answer *held = calloc(1, sizeof *held + size);
    if (held == NULL) return NULL;
    held->outcome = *outcome;
    if (size > 0) memcpy(held->nodes, outcome->nodes.ids, size);
    held->outcome.nodes.ids = held->nodes;
    waiter.session = session->id;
    held->entry = (struct gz_journal_entry){.kind = &held_answers,
                                            .waiter = waiter,
                                            .bytes = sizeof *held + size,
                                            .rows = 1,
                                            .row_count = &session->share->rows_waiting};
    return held;
}

static struct held_answer *create_ok(struct gz_session *session, const struct gz_message *request,
                                     uint64_t has, const struct gz_ok *ok)
{
    const struct gz_journal_waiter waiter = {.has_rid = true, .rid = request->rid};
    struct gz_journal_outcome outcome = {.has = has};
    struct gz_failure failure = {.node = 0};
    if (ok != NULL) outcome.ok = *ok;
    struct held_answer *held = create(session, waiter, &outcome);
    if (held != NULL) return held;
    gz_fail(&failure.error, GZ_NO_MEMORY, "no memory for the answer");
    gz_session_refuse(session, true, request->rid, &failure, false);
    return NULL;
}

/* Sends the answer at once if nothing is unsaved. */
static void follow(struct gz_core *core, struct gz_journal_entry *entry)
{
    if (is_unsaved(core)) {
        gz_journal_follow(&core->journal, entry, gz_scene_seq(core->scene) != core->sent_seq);
        return;
    }
    gz_core_answer(core, &entry->waiter, &((const struct held_answer *)entry)->outcome);
    free(entry);
}

void gz_session_ok_stored(struct gz_session *session, const struct gz_message *request,
                          uint64_t has, const struct gz_ok *ok)
{
    if ((request->has & GZ_HAS_RID) == 0) return;
    struct held_answer *held = create_ok(session, request, has, ok);
    if (held != NULL) follow(session->core, &held->entry);
}

void gz_session_ok_seq(struct gz_session *session, const struct gz_message *request)
{
    const struct gz_ok ok = {.seq = gz_scene_seq(session->core->scene)};
    if (request != NULL) gz_session_ok_stored(session, request, GZ_HAS_OK_SEQ, &ok);
}

void gz_session_ok_turn(struct gz_session *session, const struct gz_message *request)
{
    struct gz_gesture *gesture = &session->gesture;
    const struct gz_ok ok = {.seq = gz_scene_seq(session->core->scene)};
    if ((request->has & GZ_HAS_RID) == 0) return;
    struct held_answer *held = create_ok(session, request, GZ_HAS_OK_SEQ, &ok);
    if (held == NULL) return;
    held->entry.older = gesture->held;
    gesture->held = &held->entry;
    gesture->held_count++;
}

void gz_session_let_answers_go(struct gz_session *session, struct gz_gesture *gesture)
{
    while (gesture->held != NULL) {
        struct gz_journal_entry *entry = gesture->held;
        gesture->held = entry->older;
        follow(session->core, entry);
    }
    gesture->held_count = 0;
}

static bool is_about_state(enum gz_status status)
{
    return status == GZ_UNKNOWN_NODE || status == GZ_CONFLICT || status == GZ_BAD_STATE ||
           status == GZ_BAD_VALUE;
}

bool gz_session_refuse_stored(struct gz_session *session, bool has_rid, uint64_t rid,
                              const struct gz_failure *failure)
{
    const struct gz_journal_waiter waiter = {.has_rid = has_rid, .rid = rid};
    struct gz_journal_outcome outcome = {.error = failure->error,
                                         .nodes = {failure->nodes, failure->node_count}};
    if (failure->node_count == 0 && failure->node != 0)
        outcome.nodes = (struct gz_ids){&failure->node, 1};
    if (!is_about_state(failure->error.status) || !is_unsaved(session->core)) return false;
    struct held_answer *held = create(session, waiter, &outcome);
    if (held != NULL) follow(session->core, &held->entry);
    return held != NULL;
}
