/* commit.c - when a batch leaves, and what follows from what the disk said of it. What the disk
 * took is answered and announced to everybody; what it refused is taken back, newest first, at
 * every viewer. See commit.h. */
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
    for (struct gz_session *session = core->awake; session != NULL; session = session->next_awake) {
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

/* The batches from this number on did not say their gestures to the file. */
static void set_unsaid(struct gz_core *core, uint64_t batch)
{
    for (struct gz_session *session = core->awake; session != NULL; session = session->next_awake) {
        struct gz_gesture_edit *edit = &session->gesture.edit;
        if (edit->stored == GZ_EDIT_SENT && edit->batch >= batch) edit->stored = GZ_EDIT_UNKNOWN;
    }
}

/* The batches up to this number did. */
static void set_said(struct gz_core *core, uint64_t batch)
{
    for (struct gz_session *session = core->awake; session != NULL; session = session->next_awake) {
        struct gz_gesture_edit *edit = &session->gesture.edit;
        if (edit->stored == GZ_EDIT_SENT && edit->batch <= batch) edit->stored = GZ_EDIT_KNOWN;
    }
}

/* What was asked after the batch left stands on what was in it: all of it goes back. */
static void refuse_all(struct gz_core *core, const char *why)
{
    core->sent_seq = core->stored_seq;
    set_unsaid(core, 0);
    cancel_gestures_on_pending(core, why);
    gz_journal_refuse(&core->journal, why);
}

/* ---- to the disk and back ---- */

double gz_core_commit_due(const struct gz_core *core)
{
    return gz_journal_due(&core->journal, gz_scene_seq(core->scene) != core->sent_seq);
}

void gz_core_commit(struct gz_core *core)
{
    if (core->clock.now.mono_s < gz_core_commit_due(core)) return;
    if (gz_core_puts_off(core, gz_core_count_batch(core, core->nodes_at_once))) return;
    const bool was_refused = core->journal.is_refused;
    struct gz_batch *batch = gz_core_batch(core);
    gz_journal_tried(&core->journal, core->clock.now.mono_s, batch != NULL);
    if (batch != NULL) {
        core->sent_seq = batch->seq;
        core->options.host.commit(core->options.host.context, batch);
        return;
    }
    /* No memory now: it is tried once more after a while. Then nobody is to wait any longer. */
    set_unsaid(core, core->journal.sent + 1);
    if (was_refused) refuse_all(core, "no memory");
}

static void accept_batch(struct gz_core *core, const struct gz_batch *batch)
{
    if (core->journal.is_refused)
        gz_log(core->options.log, GZ_INFO, 0, "%s: the disk takes edits again",
               core->options.scene);
    core->stored_seq = batch->seq;
    gz_scene_stored(core->scene, batch->seq);
    set_said(core, core->journal.settled + 1);
    gz_sync_saved(core->sync, batch->seq, core->clock.now.mono_s);
    gz_journal_accept(&core->journal, batch);
}

static void refuse_batch(struct gz_core *core, const char *why)
{
    if (!core->journal.is_refused)
        gz_log(core->options.log, GZ_ERROR, 0, "%s: the disk refuses edits: %s",
               core->options.scene, why);
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

/* As many nodes are edited in the time that it takes to close the batch: what was stored is told
 * of, in a tenth of that time, and what was not is taken back. */
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
