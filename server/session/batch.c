/* batch.c - makes a batch for the disk. See batch.h. */
#include "session/batch.h"

#include <stdlib.h>

#include "server/maxima.h"
#include "session/session.h"
#include "session/session_log.h"

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

/* Whether a drag that is not sampled holds the node. */
static bool is_unsampled(const struct gz_core *core, const struct gz_node *node)
{
    const struct gz_session *holder =
        node->holder != 0 ? gz_core_session(core, node->holder) : NULL;
    return holder != NULL && !gz_gesture_is_sampled(&holder->gesture);
}

/* Adds the nodes of such a drag as they were at its beginning, if the disk does not have that
 * yet. */
static bool add_starts(struct gz_core *core, struct placed_nodes *places,
                       const struct gz_session *session)
{
    const struct gz_gesture *gesture = &session->gesture;
    if (gz_gesture_is_sampled(gesture) || gesture->edit.began_seq <= core->sent_seq) return true;
    for (size_t i = 0; i < gesture->count; i++) {
        const struct gz_gesture_target *target = &gesture->targets[i];
        if (target->start_seq <= core->sent_seq) continue;
        const struct gz_node *node = gz_scene_find(core->scene, target->id);
        if (node != NULL && node->holder == session->id &&
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
        if (!add_starts(core, places, session)) return false;
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
static bool add_begun(struct gz_core *core, struct gz_batch *batch, struct gz_session *session)
{
    struct gz_gesture *gesture = &session->gesture;
    struct gz_edit_record *record =
        gz_arena_add(&batch->arena, &batch->begun, &batch->begun_count, sizeof *record);
    if (gesture->edit.drop == NULL) gesture->edit.drop = gz_drop_create(gesture->edit.id);
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

/* The payer of the drag is charged for the rows. */
static bool add_samples(const struct gz_core *core, struct gz_batch *batch,
                        const struct gz_session *session)
{
    const size_t before = batch->sample_count;
    if (!sample_gesture(core, batch, &session->gesture)) return false;
    gz_host_charge(&core->options.host, session->payer,
                   (batch->sample_count - before) * GZ_FILE_BYTES_PER_SAMPLE);
    return true;
}

static bool add_gestures(struct gz_core *core, struct gz_batch *batch)
{
    for (struct gz_session *session = core->awake; session != NULL; session = session->next_awake) {
        const struct gz_gesture *gesture = &session->gesture;
        if (!gesture->moved) continue;
        if (gesture->edit.stored == GZ_EDIT_UNKNOWN && !add_begun(core, batch, session))
            return false;
        if (gz_gesture_is_sampled(gesture) && !add_samples(core, batch, session)) return false;
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

/* The nodes whose samples or starts the batch would hold. */
static size_t count_held(const struct gz_core *core)
{
    size_t count = 0;
    for (const struct gz_session *session = core->awake; session != NULL;
         session = session->next_awake) {
        const struct gz_gesture *gesture = &session->gesture;
        bool counts = gz_gesture_is_sampled(gesture) ? gesture->moved
                                                     : gesture->edit.began_seq > core->sent_seq;
        count += counts ? gesture->count : 0;
    }
    return count;
}

size_t gz_core_count_batch(const struct gz_core *core, size_t most)
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
