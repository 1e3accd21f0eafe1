/* commit.c - sends batches to the disk, and handles the answers. Stored entries are answered and
 * announced; refused ones are taken back at every viewer, newest first. See commit.h. */
#include "session/commit.h"

#include "scene/ids.h"
#include "session/batch.h"
#include "session/bulk.h"
#include "session/interaction.h"
#include "session/label.h"
#include "session/pending.h"
#include "session/session.h"

/* ---- the disk refuses ---- */

/* The nodes of all pending edits, in ascending order; NULL without memory. */
static uint64_t *pending_nodes(struct gz_core *core, size_t *count)
{
    uint64_t *ids = NULL;
    const struct gz_journal_entry *entry = NULL;
    *count = 0;
    while ((entry = gz_journal_next(&core->journal, &gz_pending_edits, entry)) != NULL) {
        const struct gz_edit_record *edit = &((const struct gz_pending_edit *)entry)->edit;
        for (size_t i = 0; i < edit->change_count; i++) {
            uint64_t *id = gz_arena_add(&core->scratch, &ids, count, sizeof *id);
            if (id == NULL) return NULL;
            *id = edit->changes[i].node;
        }
    }
    return gz_sorted_ids(&core->scratch, ids, *count);
}

/* Moves the gesture's nodes that are among `sorted` to the front of its ids, and returns how many
 * they are; all, if `sorted` is NULL. */
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

/* Cancels the drags of nodes whose edits are taken back, because their starts are no longer valid.
 * Without the memory to tell them apart, cancels every drag. */
static void cancel_gestures_on_pending(struct gz_core *core, const char *why)
{
    size_t count;
    const uint64_t *nodes = pending_nodes(core, &count);
    for (struct gz_session *session = core->awake; session != NULL; session = session->next_awake) {
        size_t touched = touched_first(&session->gesture, nodes, count);
        if (touched == 0) continue;
        struct gz_failure failure = {.nodes = session->gesture.ids, .node_count = touched};
        char label[GZ_LABEL_BYTES];
        gz_node_label(core->scene, session->gesture.ids[0], NULL, label);
        gz_fail(&failure.error, GZ_STORAGE,
                "the drag of %s ended: an edit that it builds on could not be stored: %s", label,
                why);
        gz_session_refuse(session, false, 0, &failure, false);
        gz_interaction_cancel(session);
    }
}

/* The batches from this number on were not stored: the file does not know of their gestures. */
static void mark_unstored(struct gz_core *core, uint64_t batch)
{
    for (struct gz_session *session = core->awake; session != NULL; session = session->next_awake) {
        struct gz_gesture_edit *edit = &session->gesture.edit;
        if (edit->stored == GZ_EDIT_SENT && edit->batch >= batch) edit->stored = GZ_EDIT_UNKNOWN;
    }
}

/* The batches up to this number were stored. */
static void mark_stored(struct gz_core *core, uint64_t batch)
{
    for (struct gz_session *session = core->awake; session != NULL; session = session->next_awake) {
        struct gz_gesture_edit *edit = &session->gesture.edit;
        if (edit->stored == GZ_EDIT_SENT && edit->batch <= batch) edit->stored = GZ_EDIT_KNOWN;
    }
}

/* Later entries depend on those in the refused batch: all of them are taken back. */
static void refuse_all(struct gz_core *core, const char *why)
{
    core->sent_seq = core->stored_seq;
    mark_unstored(core, 0);
    cancel_gestures_on_pending(core, why);
    gz_journal_refuse(&core->journal, why);
}

/* ---- to the disk and back ---- */

double gz_core_commit_due(const struct gz_core *core)
{
    const bool is_ahead = gz_scene_seq(core->scene) != core->sent_seq;
    return gz_journal_due(&core->journal, is_ahead, core->first_of_two != NULL);
}

static void send_first_of_two(struct gz_core *core)
{
    struct gz_batch *batch = core->first_of_two;
    core->first_of_two = NULL;
    if (batch != NULL) core->options.host.commit(core->options.host.context, batch);
}

/* Whether nobody waits for the batch, and a drag will soon have its next samples: both samples
 * become one commit. After a refusal the disk is tried with a single batch. */
static bool can_wait(const struct gz_core *core, const struct gz_batch *batch)
{
    const struct gz_journal *journal = &core->journal;
    const bool is_small = batch->sample_count > 0 && batch->sample_count <= GZ_SAMPLES_WAITING_MAX;
    return core->first_of_two == NULL && is_small && journal->urgent == 0 && journal->batches > 1 &&
           !journal->is_refused;
}

static void send(struct gz_core *core, struct gz_batch *batch, bool waits)
{
    core->sent_seq = batch->seq;
    if (waits)
        core->first_of_two = batch;
    else
        core->options.host.commit(core->options.host.context, batch);
}

void gz_core_commit(struct gz_core *core)
{
    if (core->clock.now.mono_s < gz_core_commit_due(core)) return;
    if (gz_core_puts_off_batch(core, gz_core_count_batch(core, core->nodes_at_once))) return;
    const bool was_refused = core->journal.is_refused;
    struct gz_batch *batch = gz_core_batch(core);
    const bool waits = batch != NULL && can_wait(core, batch);
    gz_journal_tried(&core->journal, core->clock.now.mono_s, batch != NULL);
    send_first_of_two(core);
    if (batch != NULL) {
        send(core, batch, waits);
        return;
    }
    /* Without memory the batch is tried once more after a while; then all entries are refused, so
     * that no session waits forever. */
    mark_unstored(core, core->journal.sent + 1);
    if (was_refused) refuse_all(core, "no memory");
}

static void accept_batch(struct gz_core *core, const struct gz_batch *batch)
{
    if (core->journal.is_refused)
        gz_log(core->options.log, GZ_INFO, 0, "%s: edits can be saved again", core->options.scene);
    core->stored_seq = batch->seq;
    gz_scene_stored(core->scene, batch->seq);
    mark_stored(core, core->journal.settled + 1);
    gz_sync_saved(core->sync, batch->seq, core->clock.now.mono_s);
    gz_journal_accept(&core->journal, batch);
}

static void refuse_batch(struct gz_core *core, const char *why)
{
    if (!core->journal.is_refused)
        gz_log(core->options.log, GZ_ERROR, 0, "%s: edits cannot be saved: %s", core->options.scene,
               why);
    refuse_all(core, why);
}

static void close_batch(struct gz_core *core, struct gz_batch *batch, enum gz_status status,
                        const char *message)
{
    if (status == GZ_OK)
        accept_batch(core, batch);
    else if (!gz_journal_skip(&core->journal))
        refuse_batch(core, message);
    gz_batch_destroy(batch);
}

/* The cost of closing the batch, in nodes edited: refused edits are taken back; stored ones are
 * only announced, in a tenth of the time. */
static size_t count_closed(const struct gz_core *core, enum gz_status status)
{
    const uint64_t last = status == GZ_OK ? core->journal.settled + 1 : UINT64_MAX;
    size_t count = 0;
    const struct gz_journal_entry *entry = NULL;
    while ((entry = gz_journal_next(&core->journal, &gz_pending_edits, entry)) != NULL &&
           entry->batch <= last)
        count += ((const struct gz_pending_edit *)entry)->edit.change_count;
    return status == GZ_OK ? count / 10 : count;
}

static void put_off(struct gz_core *core, struct gz_batch *batch, enum gz_status status,
                    const char *message)
{
    struct gz_batch **at = &core->closing;
    while (*at != NULL) at = &(*at)->next;
    *at = batch;
    batch->next = NULL;
    batch->status = status;
    gz_print(batch->error.message, sizeof batch->error.message, "%s", message);
}

void gz_core_close_batch(struct gz_core *core, struct gz_batch *batch, enum gz_status status,
                         const char *message)
{
    if (core->closing != NULL || gz_core_puts_off(core, count_closed(core, status)))
        put_off(core, batch, status, message);
    else
        close_batch(core, batch, status, message);
}

void gz_core_close_put_off(struct gz_core *core)
{
    struct gz_batch *batch = core->closing;
    core->closing = NULL;
    while (batch != NULL) {
        struct gz_batch *next = batch->next;
        close_batch(core, batch, batch->status, batch->error.message);
        batch = next;
    }
}
