/* batch.c - makes a batch of all that the disk does not have yet. See batch.h. */
#include "session/batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"
#include "session/checkpoint.h"
#include "session/clock.h"
#include "session/commit.h"
#include "session/note.h"
#include "session/pending.h"
#include "session/session.h"
#include "session/session_entry.h"

/* ---- what else is to be stored ---- */

/* What holds on to a session's row in the file, or would make it. */
struct trace {
    uint64_t session;
    size_t visit; /* its place; SIZE_MAX for an edit that waits */
};

static int compare_traces(const void *a, const void *b)
{
    const struct trace *x = a, *y = b;
    if (x->session != y->session) return x->session < y->session ? -1 : 1;
    return (x->visit > y->visit) - (x->visit < y->visit);
}

/* Those of visits that are on their way stay as they are, and so their leaves. */
static struct trace *collect_traces(struct gz_core *core, size_t *count)
{
    struct trace *traces =
        gz_arena_take(&core->scratch, core->visit_count + core->pending_count, sizeof *traces);
    *count = 0;
    if (traces == NULL) return NULL;
    for (size_t i = core->visits_in_batch; i < core->visit_count; i++)
        traces[(*count)++] = (struct trace){core->visits[i].session, i};
    for (const struct gz_pending *pending = core->pending; pending != NULL; pending = pending->next)
        traces[(*count)++] = (struct trace){pending->edit.session, SIZE_MAX};
    qsort(traces, *count, sizeof *traces, compare_traces);
    return traces;
}

/* Leaves out who came and went while the disk took nothing, and has done nothing that waits for
 * it. */
static void forget_visits(struct gz_core *core)
{
    size_t count, kept = core->visits_in_batch;
    struct gz_arena_mark mark = gz_arena_mark(&core->scratch);
    const struct trace *traces = collect_traces(core, &count);
    if (traces == NULL) return;
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && traces[next].session == traces[i].session;) next++;
        if (next - i != 2 || traces[i + 1].visit == SIZE_MAX)
            continue; /* a join and a leave, and nothing else */
        core->visits[traces[i].visit].session = core->visits[traces[i + 1].visit].session = 0;
    }
    for (size_t i = kept; i < core->visit_count; i++)
        if (core->visits[i].session != 0) core->visits[kept++] = core->visits[i];
    core->visit_count = kept;
    gz_arena_go_back(&core->scratch, mark);
}

bool gz_core_log_session(struct gz_core *core, const struct gz_session *session, bool left)
{
    if (core->visit_count - core->visits_in_batch >= GZ_SESSION_ENTRIES_MAX) forget_visits(core);
    if (!gz_grow(&core->visits, &core->visit_capacity, core->visit_count + 1, sizeof *core->visits))
        return false;
    struct gz_session_entry *visit = &core->visits[core->visit_count++];
    *visit = (struct gz_session_entry){session->id, "", session->role, core->now.unix_s, left};
    memcpy(visit->user, session->user, sizeof visit->user);
    return true;
}

/* ---- the batch ---- */

struct placed_node {
    const struct gz_node *node;
    size_t depth;
};

static int compare_places(const void *a, const void *b)
{
    const struct placed_node *x = a, *y = b;
    if (x->depth != y->depth) return x->depth < y->depth ? -1 : 1;
    return (x->node->seq > y->node->seq) - (x->node->seq < y->node->seq);
}

/* The nodes that changed since the last batch, parents first: a parent may have changed later than
 * its child. */
static struct placed_node *changed_nodes(struct gz_core *core, size_t *count)
{
    const struct gz_node *first = gz_scene_after(core->scene, core->stored_seq);
    *count = 0;
    for (const struct gz_node *node = first; node != NULL; node = node->newer) ++*count;
    struct placed_node *places = gz_arena_take(&core->scratch, *count, sizeof *places);
    if (places == NULL) return NULL;
    struct placed_node *next = places;
    for (const struct gz_node *node = first; node != NULL; node = node->newer, next++) {
        next->node = node;
        for (const struct gz_node *above = node->parent; above != NULL; above = above->parent)
            next->depth++;
    }
    qsort(places, *count, sizeof *places, compare_places);
    return places;
}

static bool add_nodes(struct gz_core *core, struct gz_batch *batch)
{
    size_t count;
    struct placed_node *places = changed_nodes(core, &count);
    struct gz_node_record *records = gz_arena_take(&batch->arena, count, sizeof *records);
    if (places == NULL || records == NULL) return false;
    for (size_t i = 0; i < count; i++) {
        const struct gz_node *node = places[i].node;
        records[i] = (struct gz_node_record){.id = node->id, .seq = node->seq, .gone = node->gone};
        gz_node_content(node, &records[i].content);
        records[i].content.name = gz_arena_string(&batch->arena, node->name);
        if (records[i].content.name == NULL) return false;
    }
    batch->nodes = records;
    batch->node_count = count;
    return true;
}

/* A gesture that moved for the first time: who began what, and where its nodes were. What may still
 * be different at its end is for the end to say. */
static bool add_begun(struct gz_core *core, struct gz_batch *batch,
                      const struct gz_session *session, struct gz_edit_record *record)
{
    if (!gz_gesture_describe(&session->gesture, core->scene, &batch->arena, record)) return false;
    record->value_count = 0;
    record->residual = 0;
    record->session = session->id;
    record->epoch = core->epoch;
    record->user = gz_arena_string(&batch->arena, session->user);
    return record->user != NULL;
}

static size_t sample_gesture(const struct gz_core *core, const struct gz_gesture *gesture,
                             double time, struct gz_sample_record *samples)
{
    size_t count = 0;
    for (size_t i = 0; i < gesture->count; i++) {
        const struct gz_node *node = gz_scene_find(core->scene, gesture->targets[i].id);
        if (node->seq <= core->stored_seq) continue;
        samples[count++] =
            (struct gz_sample_record){gesture->edit.id, node->id, node->seq, time, node->trs};
    }
    return count;
}

static bool add_gestures(struct gz_core *core, struct gz_batch *batch)
{
    size_t runs = 0, targets = 0;
    for (struct gz_session *session = core->sessions; session != NULL; session = session->next) {
        if (!session->gesture.moved) continue;
        runs++;
        targets += session->gesture.count;
    }
    struct gz_edit_record *begun = gz_arena_take(&batch->arena, runs, sizeof *begun);
    struct gz_sample_record *samples = gz_arena_take(&batch->arena, targets, sizeof *samples);
    if (begun == NULL || samples == NULL) return false;
    for (struct gz_session *session = core->sessions; session != NULL; session = session->next) {
        if (!session->gesture.moved) continue;
        if (session->gesture.edit.stored == GZ_EDIT_UNKNOWN &&
            !add_begun(core, batch, session, &begun[batch->begun_count++]))
            return false;
        batch->sample_count +=
            sample_gesture(core, &session->gesture, batch->time, samples + batch->sample_count);
    }
    batch->begun = begun;
    batch->samples = samples;
    return true;
}

static bool copy_edit(struct gz_arena *arena, const struct gz_edit_record *edit,
                      struct gz_edit_record *copy)
{
    *copy = *edit;
    copy->user = gz_arena_string(arena, edit->user);
    copy->key = gz_arena_string(arena, edit->key);
    copy->changes = gz_changes_copy(arena, edit->changes, edit->change_count);
    return copy->user != NULL && copy->changes != NULL && (edit->key == NULL || copy->key != NULL);
}

static bool add_ended(struct gz_core *core, struct gz_batch *batch)
{
    struct gz_edit_record *ended = gz_arena_take(&batch->arena, core->pending_count, sizeof *ended);
    if (ended == NULL) return false;
    for (struct gz_pending *pending = core->pending; pending != NULL; pending = pending->next) {
        if (!copy_edit(&batch->arena, &pending->edit, &ended[batch->ended_count++])) return false;
        if (pending->asset == NULL) continue;
        batch->asset =
            pending->asset; /* outlives the batch: the pending edit waits for its answer */
        batch->asset_size = pending->asset_size;
        batch->asset_seq = pending->edit.seq;
    }
    batch->ended = ended;
    return true;
}

static bool add_visits(struct gz_core *core, struct gz_batch *batch)
{
    struct gz_session_record *joined =
        gz_arena_take(&batch->arena, core->visit_count, sizeof *joined);
    struct gz_session_record *left = gz_arena_take(&batch->arena, core->visit_count, sizeof *left);
    uint64_t *dropped = gz_arena_take(&batch->arena, core->dropped_count, sizeof *dropped);
    if (joined == NULL || left == NULL || dropped == NULL) return false;
    for (size_t i = 0; i < core->visit_count; i++) {
        const struct gz_session_entry *visit = &core->visits[i];
        const char *user = gz_arena_string(&batch->arena, visit->user);
        if (user == NULL) return false;
        struct gz_session_record record = {visit->session, user, visit->role, visit->time};
        if (visit->left) left[batch->left_count++] = record;
        if (!visit->left) joined[batch->joined_count++] = record;
    }
    if (core->dropped_count > 0)
        memcpy(dropped, core->dropped, core->dropped_count * sizeof *dropped);
    batch->joined = joined;
    batch->left = left;
    batch->dropped = dropped;
    batch->dropped_count = core->dropped_count;
    return true;
}

/* So that ending a run needs no memory: every run that the store has been told of by this batch can
 * be dropped. */
static bool reserve_drops(struct gz_core *core)
{
    size_t runs = core->session_count + core->pending_count;
    return gz_grow(&core->dropped, &core->dropped_capacity, core->dropped_count + runs,
                   sizeof *core->dropped);
}

static struct gz_batch *build_batch(struct gz_core *core)
{
    struct gz_batch *batch = reserve_drops(core) ? gz_batch_create() : NULL;
    if (batch == NULL) return NULL;
    batch->seq = gz_scene_seq(core->scene);
    batch->time = gz_core_moment(core);
    batch->next_node = gz_scene_next_id(core->scene);
    batch->next_edit = core->next_edit;
    if (add_nodes(core, batch) && add_gestures(core, batch) && add_ended(core, batch) &&
        add_visits(core, batch) && gz_core_add_notes(core, batch) &&
        gz_core_add_checkpoints(core, batch))
        return batch;
    gz_batch_destroy(batch);
    return NULL;
}

static void mark_sent(struct gz_core *core)
{
    for (struct gz_pending *pending = core->pending; pending != NULL; pending = pending->next)
        pending->in_batch = true;
    for (struct gz_pending_note *note = core->pending_notes; note != NULL; note = note->next)
        note->in_batch = true;
    struct gz_pending_checkpoint *checkpoint = core->pending_checkpoints;
    for (; checkpoint != NULL; checkpoint = checkpoint->next) checkpoint->in_batch = true;
    for (struct gz_session *session = core->sessions; session != NULL; session = session->next) {
        struct gz_gesture *gesture = &session->gesture;
        if (gesture->moved && gesture->edit.stored == GZ_EDIT_UNKNOWN)
            gesture->edit.stored = GZ_EDIT_SENT;
    }
    core->visits_in_batch = core->visit_count;
    core->dropped_in_batch = core->dropped_count;
}

/* Somebody waits for an answer. */
static bool is_awaited(const struct gz_core *core)
{
    return core->pending != NULL || core->pending_notes != NULL ||
           core->pending_checkpoints != NULL;
}

static bool has_news(const struct gz_core *core)
{
    return is_awaited(core) || core->visit_count > 0 || core->dropped_count > 0 ||
           gz_scene_seq(core->scene) != core->stored_seq;
}

double gz_core_commit_due(const struct gz_core *core)
{
    if (core->committing || !has_news(core)) return INFINITY;
    if (core->failing) return core->commit_s + GZ_RETRY_MS / 1000.0;
    /* A cancelled drag that the file still knows would be an edit after a crash. */
    bool is_urgent = is_awaited(core) || core->dropped_count > 0;
    return is_urgent ? -INFINITY : core->commit_s + GZ_SAMPLE_MS_MIN / 1000.0;
}

void gz_core_commit(struct gz_core *core)
{
    if (core->now.mono_s < gz_core_commit_due(core)) return;
    core->commit_s = core->now.mono_s;
    struct gz_batch *batch = build_batch(core);
    if (batch == NULL) {
        /* No memory now: tried once more after a while. Nobody is to wait for better times. */
        if (core->failing) gz_core_refuse_batch(core, "no memory");
        core->failing = true;
        return;
    }
    mark_sent(core);
    core->committing = true;
    core->host.commit(core->host.context, batch);
}
