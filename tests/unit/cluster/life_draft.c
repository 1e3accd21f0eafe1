/* What people do to a scene in the simulation: batches that create, set, drag and delete. */
#include <stdio.h>

#include "unit/cluster/life.h"

/* ---- batches ---- */

static void *take(struct gz_batch *batch, size_t count, size_t size)
{
    void *memory = gz_arena_take(&batch->arena, count, size);
    assert_non_null(memory);
    return memory;
}

static struct gz_content content_of(const struct draft_node *node)
{
    return some_content(0, "part", node->x);
}

static void put_node(struct gz_batch *batch, struct draft *draft, const struct draft_node *node,
                     bool gone)
{
    struct gz_node_record *record = take(batch, 1, sizeof *record);
    *record = (struct gz_node_record){
        .id = node->id, .seq = ++draft->seq, .gone = gone, .content = content_of(node)};
    batch->nodes = record;
    batch->node_count = 1;
}

static void put_sample(struct gz_batch *batch, const struct draft *draft)
{
    struct gz_sample_record *sample = take(batch, 1, sizeof *sample);
    *sample = (struct gz_sample_record){.edit = draft->drag.id,
                                        .node = draft->change.node,
                                        .seq = draft->seq,
                                        .time = draft->time,
                                        .trs = batch->nodes[0].content.trs};
    batch->samples = sample;
    batch->sample_count = 1;
}

/* The edit as it is done; its number is its key. */
static void put_edit(struct gz_batch *batch, const struct draft *draft, struct gz_edit_record edit,
                     struct gz_change change, size_t number)
{
    struct gz_edit_record *ended = take(batch, 1, sizeof *ended);
    struct gz_change *changes = take(batch, 1, sizeof *changes);
    char *key = take(batch, 1, 32);
    snprintf(key, 32, "%zu", number);
    *changes = change;
    edit.key = key;
    edit.ended = draft->time;
    edit.seq = draft->seq;
    edit.changes = changes;
    edit.change_count = 1;
    *ended = edit;
    batch->ended = ended;
    batch->ended_count = 1;
}

static struct gz_edit_record begin_edit(struct draft *draft, enum gz_edit_kind kind)
{
    return (struct gz_edit_record){.id = draft->next_edit++,
                                   .kind = kind,
                                   .user = "anna",
                                   .began = draft->time,
                                   .began_seq = draft->seq};
}

static enum trace create(struct gz_batch *batch, struct draft *draft, size_t number)
{
    struct gz_edit_record edit = begin_edit(draft, GZ_EDIT_CREATE);
    struct draft_node *node = &draft->nodes[draft->count++];
    *node = (struct draft_node){.id = draft->next_node++, .x = (double)number};
    put_node(batch, draft, node, false);
    put_edit(batch, draft, edit,
             (struct gz_change){.node = node->id, .exists = true, .after = content_of(node)},
             number);
    return TRACE_KEY;
}

static enum trace set(struct gz_batch *batch, struct draft *draft, struct draft_node *node,
                      size_t number)
{
    struct gz_edit_record edit = begin_edit(draft, GZ_EDIT_SET);
    struct gz_change change = {
        .node = node->id, .existed = true, .exists = true, .before = content_of(node)};
    node->x = (double)number;
    change.after = content_of(node);
    put_node(batch, draft, node, false);
    put_edit(batch, draft, edit, change, number);
    return TRACE_KEY;
}

static enum trace delete_node(struct gz_batch *batch, struct draft *draft, struct draft_node *node,
                              size_t number)
{
    struct gz_edit_record edit = begin_edit(draft, GZ_EDIT_DELETE);
    put_node(batch, draft, node, true);
    put_edit(batch, draft, edit,
             (struct gz_change){.node = node->id, .existed = true, .before = content_of(node)},
             number);
    *node = draft->nodes[--draft->count];
    return TRACE_KEY;
}

/* ---- drags ---- */

static struct draft_node *dragged(struct draft *draft)
{
    size_t i = 0;
    while (draft->nodes[i].id != draft->change.node) i++;
    return &draft->nodes[i];
}

static enum trace move(struct gz_batch *batch, struct draft *draft, size_t number)
{
    struct draft_node *node = dragged(draft);
    node->x = (double)number;
    put_node(batch, draft, node, false);
    put_sample(batch, draft);
    draft->batches[draft->batch_count++] = number;
    return TRACE_SAMPLE;
}

static enum trace begin_drag(struct gz_batch *batch, struct draft *draft,
                             const struct draft_node *node, size_t number)
{
    struct gz_edit_record *begun = take(batch, 1, sizeof *begun);
    struct gz_change *change = take(batch, 1, sizeof *change);
    draft->has_drag = true;
    draft->batch_count = 0;
    draft->drag = begin_edit(draft, GZ_EDIT_TRANSLATE);
    draft->drag.handle = GZ_TX;
    draft->change = (struct gz_change){
        .node = node->id, .existed = true, .exists = true, .before = content_of(node)};
    *change = draft->change;
    *begun = draft->drag;
    begun->changes = change;
    begun->change_count = 1;
    batch->begun = begun;
    batch->begun_count = 1;
    return move(batch, draft, number);
}

static enum trace end_drag(struct gz_batch *batch, struct draft *draft, size_t number)
{
    move(batch, draft, number);
    draft->change.after = content_of(dragged(draft));
    put_edit(batch, draft, draft->drag, draft->change, number);
    draft->has_drag = false;
    return TRACE_KEY;
}

static enum trace drop_drag(struct world *world, struct gz_batch *batch, struct draft *draft)
{
    struct draft_node *node = dragged(draft);
    uint64_t *dropped = take(batch, 1, sizeof *dropped);
    *dropped = draft->drag.id;
    batch->dropped = dropped;
    batch->dropped_count = 1;
    node->x = draft->change.before.trs.t.x;
    put_node(batch, draft, node, false);
    draft->has_drag = false;
    for (size_t i = 0; i < draft->batch_count; i++)
        world->book.entries[draft->batches[i]].trace = TRACE_NOTHING;
    return TRACE_NOTHING;
}

/* ---- what is next ---- */

static enum trace draw_drag(struct world *world, struct gz_batch *batch, struct draft *draft,
                            size_t number)
{
    uint64_t what = below(world, 8);
    if (what == 0) return drop_drag(world, batch, draft);
    bool has_room = draft->batch_count + 1 < DRAG_BATCHES_MAX;
    return what < 5 && has_room ? move(batch, draft, number) : end_drag(batch, draft, number);
}

static enum trace draw_edit(struct world *world, struct gz_batch *batch, struct draft *draft,
                            size_t number)
{
    uint64_t what = below(world, 8);
    if (draft->count < 2 || (what < 2 && draft->count < NODES_MAX))
        return create(batch, draft, number);
    struct draft_node *node = &draft->nodes[below(world, draft->count)];
    bool is_free = !draft->has_drag || node->id != draft->change.node;
    if (what == 2 && is_free) return delete_node(batch, draft, node, number);
    if (what < 5 && is_free) return set(batch, draft, node, number);
    return draft->has_drag ? draw_drag(world, batch, draft, number)
                           : begin_drag(batch, draft, node, number);
}

struct gz_batch *life_draw(struct world *world, struct draft *draft, size_t scene, size_t *number)
{
    struct gz_batch *batch = gz_batch_create();
    assert_true(batch != NULL && world->book.count < BATCHES_MAX);
    *number = world->book.count++;
    draft->time += 0.01;
    world->book.entries[*number].scene = scene;
    world->book.entries[*number].trace = draw_edit(world, batch, draft, *number);
    batch->seq = draft->seq;
    batch->time = draft->time;
    batch->next_node = draft->next_node;
    batch->next_edit = draft->next_edit;
    return batch;
}

void life_read_draft(struct draft *draft, const struct gz_scene_state *state, double time)
{
    *draft = (struct draft){.seq = state->seq,
                            .next_node = state->next_node,
                            .next_edit = state->next_edit,
                            .time = state->time > time ? state->time : time};
    for (size_t i = 0; i < state->node_count; i++) {
        const struct gz_node_record *node = &state->nodes[i];
        if (node->gone) continue;
        assert_true(draft->count < NODES_MAX);
        draft->nodes[draft->count++] = (struct draft_node){node->id, node->content.trs.t.x};
    }
}
