/* batch.c - makes a batch of all that the disk does not have yet. See batch.h. */
#include "session/batch.h"

#include <stdlib.h>

#include "session/session.h"
#include "session/session_log.h"

/* ---- nodes ---- */

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
    batch->nodes = records;
    for (size_t i = 0; i < count; i++) {
        const struct gz_node *node = places[i].node;
        struct gz_node_record *record = &records[batch->node_count++];
        *record = (struct gz_node_record){.id = node->id, .seq = node->seq, .gone = node->gone};
        gz_node_content(node, &record->content);
        record->content.name = gz_arena_string(&batch->arena, node->name);
        if (record->content.name == NULL) return false;
    }
    return true;
}

/* ---- gestures that run ---- */

/* A gesture that moved for the first time: who began what, and where its nodes were. What may still
 * be different at its end is for the end to say. From now on the gesture has a drop, so that its
 * end needs no memory. */
static bool add_begun(struct gz_core *core, struct gz_batch *batch, struct gz_session *session)
{
    struct gz_gesture *gesture = &session->gesture;
    struct gz_edit_record *record =
        gz_arena_add(&batch->arena, &batch->begun, &batch->begun_count, sizeof *record);
    if (gesture->edit.drop == NULL) gesture->edit.drop = gz_drop_create(gesture->edit.id);
    if (record == NULL || gesture->edit.drop == NULL ||
        !gz_gesture_describe(gesture, core->scene, &batch->arena, record))
        return false;
    record->value_count = 0;
    record->residual = 0;
    record->session = session->id;
    record->epoch = core->epochs.present;
    record->user = gz_arena_string(&batch->arena, session->user);
    gesture->edit.stored = GZ_EDIT_SENT;
    return record->user != NULL;
}

static bool sample_gesture(const struct gz_core *core, struct gz_batch *batch,
                           const struct gz_gesture *gesture)
{
    for (size_t i = 0; i < gesture->count; i++) {
        const struct gz_node *node = gz_scene_find(core->scene, gesture->targets[i].id);
        if (node->seq <= core->stored_seq) continue;
        struct gz_sample_record *sample =
            gz_arena_add(&batch->arena, &batch->samples, &batch->sample_count, sizeof *sample);
        if (sample == NULL) return false;
        *sample = (struct gz_sample_record){gesture->edit.id, node->id, node->seq, batch->time,
                                            node->trs};
    }
    return true;
}

static bool add_gestures(struct gz_core *core, struct gz_batch *batch)
{
    for (struct gz_session *session = core->sessions; session != NULL; session = session->next) {
        const struct gz_gesture *gesture = &session->gesture;
        if (!gesture->moved) continue;
        if (gesture->edit.stored == GZ_EDIT_UNKNOWN && !add_begun(core, batch, session))
            return false;
        if (!sample_gesture(core, batch, gesture)) return false;
    }
    return true;
}

/* ---- the whole ---- */

struct gz_batch *gz_core_batch(struct gz_core *core)
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
