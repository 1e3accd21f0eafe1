/* numbered.c - makes batches whose values follow from the number of the edit. See scene_file.h. */
#include "unit/store/scene_file.h"

#include <stdio.h>

/* The drag of edit n takes x from n - 0.5 by n to n + 0.5. */
static void move(struct gz_batch *batch, struct gz_edit_record *edit, struct numbered *numbered,
                 double x)
{
    struct gz_node_record *nodes = gz_arena_take(&batch->arena, NUMBERED_NODES, sizeof *nodes);
    struct gz_change *changes = gz_arena_take(&batch->arena, NUMBERED_NODES, sizeof *changes);
    struct gz_sample_record *samples =
        gz_arena_take(&batch->arena, NUMBERED_NODES, sizeof *samples);
    assert_true(nodes != NULL && changes != NULL && samples != NULL);
    struct gz_content before = some_content(0, "n", (double)edit->id - 0.5),
                      now = some_content(0, "n", x);
    for (uint64_t i = 0; i < NUMBERED_NODES; i++) {
        uint64_t seq = ++numbered->seq;
        nodes[i] = (struct gz_node_record){.id = i + 1, .seq = seq, .content = now};
        changes[i] = (struct gz_change){i + 1, true, true, before, now};
        samples[i] = (struct gz_sample_record){edit->id, i + 1, seq, (double)edit->id, now.trs};
    }
    edit->changes = changes;
    edit->change_count = NUMBERED_NODES;
    batch->nodes = nodes;
    batch->samples = samples;
    batch->node_count = batch->sample_count = NUMBERED_NODES;
}

struct gz_batch *numbered_batch(struct numbered *numbered, bool is_end)
{
    struct gz_batch *batch = gz_batch_create();
    assert_non_null(batch);
    struct gz_edit_record *edit = gz_arena_take(&batch->arena, 1, sizeof *edit);
    char *key = gz_arena_take(&batch->arena, 1, 32);
    assert_true(edit != NULL && key != NULL);
    uint64_t id = numbered->edits + (is_end ? 0 : 1);
    snprintf(key, 32, "k%llu", (unsigned long long)id);
    *edit = (struct gz_edit_record){.id = id,
                                    .handle = GZ_TX,
                                    .user = "u",
                                    .key = is_end ? key : NULL,
                                    .began = (double)id,
                                    .ended = (double)id,
                                    .began_seq = numbered->seq - (is_end ? NUMBERED_NODES : 0)};
    move(batch, edit, numbered, (double)id + (is_end ? 0.5 : 0));
    numbered->edits = id;
    numbered->is_cut_off = !is_end;
    edit->seq = batch->seq = numbered->seq;
    batch->next_node = NUMBERED_NODES + 1;
    batch->next_edit = id + 1;
    batch->begun = batch->ended = edit;
    batch->begun_count = !is_end;
    batch->ended_count = is_end;
    return batch;
}

void assert_numbered(const struct gz_scene_state *state, uint64_t acknowledged,
                     struct numbered *numbered)
{
    const uint64_t cut_off = numbered->is_cut_off ? numbered->edits : 0;
    *numbered = (struct numbered){0};
    assert_int_equal(state->node_count, state->edit_count > 0 ? NUMBERED_NODES : 0);
    if (state->edit_count == 0) {
        assert_int_equal(acknowledged, 0);
        assert_int_equal(state->seq, 0);
        return;
    }
    const struct gz_edit_record *newest = &state->edits[state->edit_count - 1];
    assert_in_range(newest->id, acknowledged, acknowledged + 1);
    for (size_t i = 0; i < state->edit_count; i++) {
        assert_int_equal(state->edits[i].id, newest->id - (state->edit_count - 1 - i));
        assert_int_equal(state->edits[i].change_count, NUMBERED_NODES);
    }
    const bool was_cut_off = newest->changes[0].after.trs.t.x == (double)newest->id;
    assert_true(!was_cut_off || newest->id > acknowledged || newest->id == cut_off);
    assert_int_equal(state->seq, newest->seq);
    for (size_t i = 0; i < NUMBERED_NODES; i++)
        assert_same_content(&state->nodes[i].content, &newest->changes[i].after);
    *numbered = (struct numbered){newest->id, state->seq, was_cut_off};
}
