/* commit.c - to the disk and back: entries of sessions, batches, and what a commit answers. */
#include "core/commit.h"

#include <stdlib.h>
#include <string.h>

#include "core/bulk.h"
#include "core/describe.h"
#include "core/interaction.h"
#include "core/pending.h"
#include "core/session.h"
#include "scene/ids.h"
#include "server/maxima.h"

/* ---- entries of sessions ---- */

/* Entries about sessions and cancelled gestures. */

/* ---- gestures that leave no trace ---- */

struct drop {
    struct gz_journal_entry entry;
    uint64_t edit;
};

static bool add_drop(const struct gz_journal_entry *entry, struct gz_batch *batch)
{
    uint64_t *edit =
        gz_arena_add(&batch->arena, &batch->dropped, &batch->dropped_count, sizeof *edit);
    if (edit == NULL) return false;
    *edit = ((const struct drop *)entry)->edit;
    return true;
}

static void free_entry(void *context, struct gz_journal_entry *entry)
{
    (void)context;
    free(entry);
}

/* Urgent, because after a crash a cancelled drag in the file would become an edit. */
static const struct gz_journal_kind drops = {
    .is_urgent = true, .add = add_drop, .free = free_entry};

/* An entry that removes the gesture with this id from the file. NULL without memory; free() frees
 * one that was not appended. */
static struct gz_journal_entry *create_drop(uint64_t edit)
{
    struct drop *drop = calloc(1, sizeof *drop);
    if (drop == NULL) return NULL;
    *drop = (struct drop){.entry = {.kind = &drops, .bytes = sizeof *drop}, .edit = edit};
    return &drop->entry;
}

/* ---- joins and leaves ---- */

struct session_entry {
    struct gz_journal_entry entry;
    struct gz_session_record record;
    char user[GZ_USER_BYTES_MAX + 1];
    bool has_left;
};

static bool add_session_entry(const struct gz_journal_entry *entry, struct gz_batch *batch)
{
    const struct session_entry *said = (const struct session_entry *)entry;
    struct gz_session_record *record =
        said->has_left
            ? gz_arena_add(&batch->arena, &batch->left, &batch->left_count, sizeof *record)
            : gz_arena_add(&batch->arena, &batch->joined, &batch->joined_count, sizeof *record);
    if (record == NULL) return false;
    *record = said->record;
    return true;
}

static const struct gz_journal_kind session_entries = {.add = add_session_entry,
                                                       .free = free_entry};

/* An entry that needs a session's row in the file, or that would write it. */
struct trace {
    uint64_t session;
    struct gz_journal_entry *entry; /* for joining or leaving; NULL: an edit */
};

static int compare_traces(const void *a, const void *b)
{
    const struct trace *x = a, *y = b;
    return (x->session > y->session) - (x->session < y->session);
}

/* Collects the traces of waiting edits and of entries in no batch, sorted by session. A session
 * whose joining is in a batch has one trace at most. */
static struct trace *collect_traces(struct gz_core *core, size_t *count)
{
    const struct gz_journal *journal = &core->journal;
    size_t room = journal->others + journal->requests;
    struct trace *traces = gz_arena_take(&core->scratch, room, sizeof *traces);
    struct gz_journal_entry *entry = NULL;
    *count = 0;
    if (traces == NULL) return NULL;
    while ((entry = gz_journal_next(journal, &session_entries, entry)) != NULL) {
        const uint64_t session = ((const struct session_entry *)entry)->record.session;
        if (entry->batch == 0) traces[(*count)++] = (struct trace){session, entry};
    }
    while ((entry = gz_journal_next(journal, &gz_pending_edits, entry)) != NULL) {
        const uint64_t session = ((const struct gz_pending_edit *)entry)->edit.session;
        traces[(*count)++] = (struct trace){session, NULL};
    }
    qsort(traces, *count, sizeof *traces, compare_traces);
    return traces;
}

/* Removes the entries of sessions that joined and left while the disk took nothing, and that have
 * no waiting edit. */
static void forget_sessions(struct gz_core *core)
{
    size_t count;
    struct gz_arena_mark mark = gz_arena_mark(&core->scratch);
    const struct trace *traces = collect_traces(core, &count);
    for (size_t i = 0, next; traces != NULL && i < count; i = next) {
        const struct trace *joined = &traces[i], *left = &traces[i + 1];
        for (next = i + 1; next < count && traces[next].session == joined->session;) next++;
        if (next - i != 2 || joined->entry == NULL || left->entry == NULL) continue;
        gz_journal_forget(&core->journal, joined->entry);
        gz_journal_forget(&core->journal, left->entry);
    }
    gz_arena_go_back(&core->scratch, mark);
}

bool gz_core_log_session(struct gz_core *core, const struct gz_session *session, bool has_left)
{
    if (core->read_only[0] != '\0') return true;
    struct session_entry *entry = calloc(1, sizeof *entry);
    if (entry == NULL) return false;
    if (core->journal.others >= GZ_SESSION_ENTRIES_MAX) forget_sessions(core);
    *entry = (struct session_entry){
        .entry = {.kind = &session_entries, .bytes = sizeof *entry},
        .record = {session->id, entry->user, session->role, core->clock.now.unix_s},
        .has_left = has_left};
    memcpy(entry->user, session->user, sizeof entry->user);
    gz_journal_append(&core->journal, &entry->entry);
    return true;
}

/* ---- batches ---- */

/* Makes a batch for the disk. */

/* ---- nodes ---- */

/* A node as the batch stores it. */
struct placed_node {
    const struct gz_node *node;
    uint64_t seq;
    const gz_trs *trs;
};

struct placed_nodes {
    struct placed_node *list;
    size_t count;
};

static int compare_places(const void *a, const void *b)
{
    const struct placed_node *x = a, *y = b;
    return (x->node->id > y->node->id) - (x->node->id < y->node->id);
}

static bool add_place(struct gz_core *core, struct placed_nodes *places, const struct gz_node *node,
                      uint64_t seq, const gz_trs *trs)
{
    struct placed_node *next =
        gz_arena_add(&core->scratch, &places->list, &places->count, sizeof *next);
    if (next == NULL) return false;
    *next = (struct placed_node){.node = node, .seq = seq, .trs = trs};
    return true;
}

/* Whether a gesture that is not sampled holds the node. */
static bool is_unsampled(const struct gz_core *core, const struct gz_node *node)
{
    const struct gz_session *holder =
        node->holder != 0 ? gz_core_session(core, node->holder) : NULL;
    const struct gz_gesture *gesture = holder != NULL ? &holder->gesture : NULL;
    while (gesture != NULL && gesture->number != node->grip) gesture = gesture->next;
    return gesture != NULL && !gz_gesture_is_sampled(gesture);
}

/* Adds the nodes of such a gesture as they were at its beginning, if the disk does not have that
 * yet. */
static bool add_starts(struct gz_core *core, struct placed_nodes *places,
                       const struct gz_session *session, const struct gz_gesture *gesture)
{
    const struct gz_grip grip = {session->id, gesture->number};
    if (gz_gesture_is_sampled(gesture) || gesture->edit.began_seq <= core->sent_seq) return true;
    for (size_t i = 0; i < gesture->count; i++) {
        const struct gz_gesture_target *target = &gesture->targets[i];
        if (target->start_seq <= core->sent_seq) continue;
        const struct gz_node *node = gz_scene_find(core->scene, target->id);
        if (node != NULL && gz_grip_has(grip, node) &&
            !add_place(core, places, node, target->start_seq, &target->start))
            return false;
    }
    return true;
}

/* The nodes that changed since the last batch, each once, sorted by id, so that writing thousands
 * of them visits each page of the file once. */
static bool find_changed(struct gz_core *core, struct placed_nodes *places)
{
    const struct gz_node *node = gz_scene_after(core->scene, core->sent_seq);
    for (; node != NULL; node = node->newer) {
        if (!is_unsampled(core, node) && !add_place(core, places, node, node->seq, &node->trs))
            return false;
    }
    for (struct gz_session *session = core->awake; session != NULL; session = session->next_awake)
        for (const struct gz_gesture *gesture = &session->gesture; gesture != NULL;
             gesture = gesture->next)
            if (!add_starts(core, places, session, gesture)) return false;
    if (places->count > 0) qsort(places->list, places->count, sizeof *places->list, compare_places);
    return true;
}

static bool add_nodes(struct gz_core *core, struct gz_batch *batch)
{
    struct placed_nodes places = {.count = 0};
    if (!find_changed(core, &places)) return false;
    struct gz_node_record *records = gz_arena_take(&batch->arena, places.count, sizeof *records);
    if (records == NULL) return false;
    batch->nodes = records;
    for (size_t i = 0; i < places.count; i++) {
        const struct placed_node *place = &places.list[i];
        struct gz_node_record *record = &records[batch->node_count++];
        *record = (struct gz_node_record){.id = place->node->id,
                                          .seq = place->seq,
                                          .gone = place->node->gone,
                                          .is_new = place->node->born > core->sent_seq};
        gz_node_content(place->node, &record->content);
        record->content.trs = *place->trs;
        record->content.name = gz_arena_string(&batch->arena, place->node->name);
        if (record->content.name == NULL) return false;
    }
    return true;
}

/* ---- gestures that run ---- */

/* Adds a gesture that moved for the first time; if it is sampled, with the starts of its nodes. Its
 * value and residual are stored at its end. From now on the gesture has a drop, so that its end
 * needs no memory. */
static bool add_begun(struct gz_core *core, struct gz_batch *batch,
                      const struct gz_session *session, struct gz_gesture *gesture)
{
    struct gz_edit_record *record =
        gz_arena_add(&batch->arena, &batch->begun, &batch->begun_count, sizeof *record);
    if (gesture->edit.drop == NULL) gesture->edit.drop = create_drop(gesture->edit.id);
    if (record == NULL || gesture->edit.drop == NULL) return false;
    *record = gz_gesture_outline(gesture);
    if (gz_gesture_is_sampled(gesture) &&
        !gz_gesture_describe(gesture, core->scene, &batch->arena, record))
        return false;
    record->value_count = 0;
    record->residual = 0;
    record->session = session->id;
    record->epoch = core->epochs.present;
    record->user = gz_arena_string(&batch->arena, session->user);
    gesture->edit.stored = GZ_EDIT_SENT;
    gesture->edit.batch = core->journal.sent + 1;
    return record->user != NULL;
}

static bool sample_gesture(const struct gz_core *core, struct gz_batch *batch,
                           const struct gz_gesture *gesture)
{
    for (size_t i = 0; i < gesture->count; i++) {
        const struct gz_node *node = gz_scene_find(core->scene, gesture->targets[i].id);
        if (node->seq <= core->sent_seq) continue;
        struct gz_sample_record *sample =
            gz_arena_add(&batch->arena, &batch->samples, &batch->sample_count, sizeof *sample);
        if (sample == NULL) return false;
        *sample = (struct gz_sample_record){gesture->edit.id, node->id, node->seq, batch->time,
                                            node->trs};
    }
    return true;
}

/* The payer of the gesture is charged for the rows. */
static bool add_samples(const struct gz_core *core, struct gz_batch *batch,
                        const struct gz_session *session, const struct gz_gesture *gesture)
{
    const size_t before = batch->sample_count;
    if (!sample_gesture(core, batch, gesture)) return false;
    gz_host_charge(&core->options.host, session->payer,
                   (batch->sample_count - before) * GZ_FILE_BYTES_PER_SAMPLE);
    return true;
}

static bool add_gesture(struct gz_core *core, struct gz_batch *batch,
                        const struct gz_session *session, struct gz_gesture *gesture)
{
    if (!gesture->moved) return true;
    if (gesture->edit.stored == GZ_EDIT_UNKNOWN && !add_begun(core, batch, session, gesture))
        return false;
    return !gz_gesture_has_path(gesture) || add_samples(core, batch, session, gesture);
}

static bool add_gestures(struct gz_core *core, struct gz_batch *batch)
{
    for (struct gz_session *session = core->awake; session != NULL; session = session->next_awake)
        for (struct gz_gesture *gesture = &session->gesture; gesture != NULL;
             gesture = gesture->next)
            if (!add_gesture(core, batch, session, gesture)) return false;
    return true;
}

/* ---- the whole ---- */

/* A batch of everything that the disk does not have yet. Marks the gestures that are in a batch for
 * the first time as GZ_EDIT_SENT. NULL without memory;
 * some gestures may be marked even then. */
static struct gz_batch *make_batch(struct gz_core *core)
{
    struct gz_batch *batch = gz_batch_create();
    if (batch == NULL) return NULL;
    batch->seq = gz_scene_seq(core->scene);
    batch->time = gz_clock_moment(&core->clock);
    batch->next_node = gz_scene_next_id(core->scene);
    batch->next_edit = core->next_edit;
    if (add_nodes(core, batch) && add_gestures(core, batch) &&
        gz_journal_add(&core->journal, batch))
        return batch;
    gz_batch_destroy(batch);
    return NULL;
}

/* The nodes whose samples or starts the batch would hold. */
static size_t count_held(const struct gz_core *core)
{
    size_t count = 0;
    for (const struct gz_session *session = core->awake; session != NULL;
         session = session->next_awake) {
        for (const struct gz_gesture *gesture = &session->gesture; gesture != NULL;
             gesture = gesture->next) {
            bool counts = gz_gesture_is_sampled(gesture) ? gesture->moved
                                                         : gesture->edit.began_seq > core->sent_seq;
            count += counts ? gesture->count : 0;
        }
    }
    return count;
}

/* An upper bound of the nodes that the batch would hold, plus a tenth of the nodes that are only
 * looked at to make it; or any number above `most`. */
static size_t count_batch(const struct gz_core *core, size_t most)
{
    size_t taken = count_held(core), passed = 0;
    const struct gz_node *node = gz_scene_after(core->scene, core->sent_seq);
    for (; node != NULL && taken + passed / 10 <= most; node = node->newer) {
        if (is_unsampled(core, node))
            passed++;
        else
            taken++;
    }
    return taken + passed / 10;
}

/* ---- what a commit answers ---- */

/* Sends batches to the disk, and handles the answers. Stored entries are answered and
 * announced; refused ones are taken back at every viewer, newest first. */

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

/* Cancels the gesture if it holds one of these nodes, and tells its session. */
static void cancel_on(struct gz_session *session, struct gz_gesture *gesture, const uint64_t *nodes,
                      size_t count, const char *why)
{
    const size_t touched = touched_first(gesture, nodes, count);
    if (touched == 0) return;
    struct gz_failure failure = {.nodes = gesture->ids, .node_count = touched};
    char label[GZ_LABEL_BYTES];
    gz_node_label(session->core->scene, gesture->ids[0], NULL, label);
    gz_fail(&failure.error, GZ_STORAGE,
            "the %s of %s ended: an edit that it builds on could not be stored: %s",
            gesture->number == GZ_GRIP_POINTER ? "drag" : "hold", label, why);
    gz_session_refuse(session, false, 0, &failure, false);
    gz_interaction_cancel(session, gesture);
}

/* Cancels the gestures on nodes whose edits are taken back, because their starts are no longer
 * valid. Without the memory to tell them apart, cancels every gesture. */
static void cancel_gestures_on_pending(struct gz_core *core, const char *why)
{
    size_t count;
    const uint64_t *nodes = pending_nodes(core, &count);
    for (struct gz_session *session = core->awake; session != NULL; session = session->next_awake) {
        struct gz_gesture *gesture = &session->gesture, *next;
        for (; gesture != NULL; gesture = next) {
            next = gesture->next;
            cancel_on(session, gesture, nodes, count, why);
        }
    }
}

/* The batches from this number on were not stored: the file does not know of their gestures. */
static void mark_unstored(struct gz_core *core, uint64_t batch)
{
    for (struct gz_session *session = core->awake; session != NULL; session = session->next_awake)
        for (struct gz_gesture *gesture = &session->gesture; gesture != NULL;
             gesture = gesture->next)
            if (gesture->edit.stored == GZ_EDIT_SENT && gesture->edit.batch >= batch)
                gesture->edit.stored = GZ_EDIT_UNKNOWN;
}

/* The batches up to this number were stored. */
static void mark_stored(struct gz_core *core, uint64_t batch)
{
    for (struct gz_session *session = core->awake; session != NULL; session = session->next_awake)
        for (struct gz_gesture *gesture = &session->gesture; gesture != NULL;
             gesture = gesture->next)
            if (gesture->edit.stored == GZ_EDIT_SENT && gesture->edit.batch <= batch)
                gesture->edit.stored = GZ_EDIT_KNOWN;
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
    if (gz_core_puts_off_batch(core, count_batch(core, core->nodes_at_once))) return;
    const bool was_refused = core->journal.is_refused;
    struct gz_batch *batch = make_batch(core);
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
    gz_feed_saved(core->feed, batch->seq, core->clock.now.mono_s);
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
