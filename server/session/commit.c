/* commit.c - what follows from what the disk said. What it took is answered and announced to
 * everybody; what it refused is taken back, newest first, at every viewer. See commit.h. */
#include "session/commit.h"

#include <string.h>

#include "scene/undo.h"
#include "server/maxima.h"
#include "session/checkpoint.h"
#include "session/describe.h"
#include "session/ids.h"
#include "session/interaction.h"
#include "session/label.h"
#include "session/note.h"
#include "session/pending.h"
#include "session/session.h"
#include "session/session_entry.h"

void gz_core_announce_edit(struct gz_core *core, const struct gz_edit_record *edit, uint64_t told)
{
    struct gz_arena_mark mark = gz_arena_mark(&core->scratch);
    uint64_t *ids = gz_arena_take(&core->scratch, edit->change_count, sizeof *ids);
    if (ids == NULL) return;
    for (size_t i = 0; i < edit->change_count; i++) ids[i] = edit->changes[i].node;
    struct gz_message message = {.op = GZ_OP_EDIT};
    message.edit = gz_describe_edit(edit, core->epoch, (struct gz_ids){ids, edit->change_count});
    if (gz_sync_edit(core->sync, &message, told) != GZ_OK)
        gz_log(core->log, GZ_WARN, 0, "%s: no memory to tell of edit %llu", core->name,
               (unsigned long long)edit->id);
    gz_arena_go_back(&core->scratch, mark);
}

static void answer_committed(struct gz_core *core, struct gz_pending *pending)
{
    for (struct gz_waiter *waiter = pending->waiters; waiter != NULL; waiter = waiter->next) {
        struct gz_session *session = gz_core_session(core, waiter->session);
        if (session != NULL && waiter->has_rid)
            gz_session_edit_ok(session, waiter->rid, &pending->edit, pending->created);
    }
    if (pending->done != NULL) pending->done(pending->context, GZ_OK, "");
    gz_core_announce_edit(core, &pending->edit, gz_scene_seq(core->scene));
}

static void forget_stored(struct gz_core *core, uint64_t seq)
{
    core->visit_count -= core->visits_in_batch;
    core->dropped_count -= core->dropped_in_batch;
    if (core->visit_count > 0)
        memmove(core->visits, core->visits + core->visits_in_batch,
                core->visit_count * sizeof *core->visits);
    if (core->dropped_count > 0)
        memmove(core->dropped, core->dropped + core->dropped_in_batch,
                core->dropped_count * sizeof *core->dropped);
    core->stored_seq = seq;
    gz_scene_stored(core->scene, seq);
}

/* The batch said these gestures to the file; now it knows them, or not. */
static void set_stored(struct gz_core *core, bool is_known)
{
    for (struct gz_session *session = core->sessions; session != NULL; session = session->next) {
        if (session->gesture.edit.stored == GZ_EDIT_SENT)
            session->gesture.edit.stored = is_known ? GZ_EDIT_KNOWN : GZ_EDIT_UNKNOWN;
    }
}

static void accept_batch(struct gz_core *core, uint64_t seq, uint64_t kept_since)
{
    forget_stored(core, seq);
    set_stored(core, true);
    gz_sync_saved(core->sync, seq);
    while (core->pending != NULL && core->pending->in_batch) {
        struct gz_pending *pending = core->pending;
        core->pending = pending->next;
        if (core->pending == NULL) core->pending_end = &core->pending;
        core->pending_count--;
        core->pending_bytes -= pending->bytes;
        answer_committed(core, pending);
        gz_host_release(&core->host, pending->surfaces_before);
        gz_pending_destroy(pending);
    }
    gz_core_accept_notes(core);
    gz_core_accept_checkpoints(core, kept_since);
}

static void refuse_pending(struct gz_core *core, const struct gz_pending *pending, const char *why)
{
    struct gz_failure failure = {.node = 0};
    gz_fail(&failure.error, GZ_STORAGE, "the edit was taken back, it could not be stored: %s", why);
    for (struct gz_waiter *waiter = pending->waiters; waiter != NULL; waiter = waiter->next) {
        struct gz_session *session = gz_core_session(core, waiter->session);
        if (session != NULL)
            gz_session_refuse(session, waiter->has_rid, waiter->rid, &failure, false);
    }
    if (pending->asset != NULL) {
        gz_host_release(&core->host, core->surfaces);
        core->asset_seq = pending->asset_seq_before;
        core->surfaces = pending->surfaces_before;
    }
    if (pending->done != NULL) pending->done(pending->context, GZ_STORAGE, failure.error.message);
}

/* The nodes of all pending edits, in ascending order; NULL without memory. */
static uint64_t *pending_nodes(struct gz_core *core, size_t *count)
{
    size_t total = 0;
    *count = 0;
    for (const struct gz_pending *pending = core->pending; pending != NULL; pending = pending->next)
        total += pending->edit.change_count;
    uint64_t *ids = gz_arena_take(&core->scratch, total + 1, sizeof *ids);
    if (ids == NULL) return NULL;
    for (const struct gz_pending *pending = core->pending; pending != NULL;
         pending = pending->next) {
        for (size_t i = 0; i < pending->edit.change_count; i++)
            ids[(*count)++] = pending->edit.changes[i].node;
    }
    return gz_sorted_ids(&core->scratch, ids, *count);
}

/* Brings the run's nodes that are among `sorted` to the front of its ids; how many they are.
 * Without `sorted` all count. */
static size_t touched_first(struct gz_gesture *gesture, const uint64_t *sorted, size_t count)
{
    size_t touched = 0;
    for (size_t i = 0; i < gesture->count; i++) {
        uint64_t id = gesture->ids[i];
        if (sorted != NULL && !gz_has_id(sorted, count, id)) continue;
        gesture->ids[i] = gesture->ids[touched];
        gesture->ids[touched++] = id;
    }
    return touched;
}

/* A drag that began on what is now taken back has lost its ground. Without the memory to tell,
 * every drag has. */
static void cancel_gestures_on_pending(struct gz_core *core, const char *why)
{
    size_t count;
    const uint64_t *nodes = pending_nodes(core, &count);
    for (struct gz_session *session = core->sessions; session != NULL; session = session->next) {
        size_t touched = touched_first(&session->gesture, nodes, count);
        if (touched == 0) continue;
        struct gz_failure failure = {.nodes = session->gesture.ids, .node_count = touched};
        char label[GZ_LABEL_BYTES];
        gz_node_label(core->scene, session->gesture.ids[0], NULL, label);
        gz_fail(&failure.error, GZ_STORAGE,
                "the drag of %s ended: what it began on could not be stored: %s", label, why);
        gz_session_refuse(session, false, 0, &failure, false);
        gz_interaction_cancel(session);
    }
}

/* False without memory: then nothing changed. */
static bool take_back(struct gz_core *core, const struct gz_edit_record *edit)
{
    struct gz_failure failure = {.node = 0};
    struct gz_arena_mark mark = gz_arena_mark(&core->scratch);
    struct gz_change *back = gz_changes_reverse(&core->scratch, edit->changes, edit->change_count);
    enum gz_status status =
        back == NULL ? GZ_NO_MEMORY
                     : gz_scene_apply(core->scene, back, edit->change_count, 0, &failure);
    gz_arena_go_back(&core->scratch, mark);
    if (status == GZ_NO_MEMORY) return false;
    if (status != GZ_OK)
        gz_log(core->log, GZ_ERROR, 0, "%s: edit %llu could not be taken back: %s", core->name,
               (unsigned long long)edit->id, failure.error.message);
    gz_undo_remove(core->undo, edit->id);
    return true;
}

static struct gz_pending *reverse_pending(struct gz_core *core)
{
    struct gz_pending *newest = NULL;
    while (core->pending != NULL) {
        struct gz_pending *pending = core->pending;
        core->pending = pending->next;
        pending->next = newest;
        newest = pending;
    }
    core->pending_end = &core->pending;
    core->pending_count = core->pending_bytes = 0;
    return newest;
}

static void end_waiters(struct gz_core *core, const struct gz_pending *pending)
{
    for (const struct gz_waiter *waiter = pending->waiters; waiter != NULL; waiter = waiter->next) {
        struct gz_session *session = gz_core_session(core, waiter->session);
        if (session != NULL) gz_session_end(session, "no memory to answer it");
    }
}

/* There is no memory to take these back: they stay facts, and are brought to the disk again. Who
 * waits for them is not to wait for better times, and asks again by the key. */
static void keep_pending(struct gz_core *core, struct gz_pending *newest)
{
    if (newest != NULL) core->pending_end = &newest->next;
    while (newest != NULL) {
        struct gz_pending *older = newest->next;
        end_waiters(core, newest);
        newest->in_batch = false;
        newest->next = core->pending;
        core->pending = newest;
        core->pending_count++;
        core->pending_bytes += newest->bytes;
        newest = older;
    }
}

/* Edits made after the batch was sent stand on those that failed: all of them go back, newest
 * first. */
void gz_core_refuse_batch(struct gz_core *core, const char *why)
{
    set_stored(core, false);
    cancel_gestures_on_pending(core, why);
    struct gz_pending *pending = reverse_pending(core);
    while (pending != NULL && take_back(core, &pending->edit)) {
        struct gz_pending *older = pending->next;
        if (pending->begun) gz_core_drop(core, pending->edit.id);
        refuse_pending(core, pending, why);
        gz_pending_destroy(pending);
        pending = older;
    }
    keep_pending(core, pending);
    gz_core_refuse_notes(core, why);
    gz_core_refuse_checkpoints(core, why);
}

void gz_core_close_batch(struct gz_core *core, struct gz_batch *batch, enum gz_status status,
                         const char *message)
{
    uint64_t seq = batch->seq, kept_since = batch->kept_since;
    gz_batch_destroy(batch);
    core->committing = false;
    if (status == GZ_OK) {
        if (core->failing)
            gz_log(core->log, GZ_INFO, 0, "%s: the disk takes edits again", core->name);
        accept_batch(core, seq, kept_since);
    } else {
        if (!core->failing)
            gz_log(core->log, GZ_ERROR, 0, "%s: the disk refuses edits: %s", core->name, message);
        gz_core_refuse_batch(core, message);
    }
    core->failing = status != GZ_OK;
    core->visits_in_batch = core->dropped_in_batch = 0;
}
