/* answers.c - answers the sessions that wait for an entry of the journal, and announces edits to
 * every viewer. See answers.h. */
#include "session/answers.h"

#include "session/describe.h"
#include "session/session.h"

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
    if (gz_sync_edit(core->sync, &message, sent_at) != GZ_OK)
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
    struct gz_failure failure = {.error = outcome->error};
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
