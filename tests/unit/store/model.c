/* model.c - makes random batches and remembers what they did. See scene_file.h. */
#include "server/maxima.h"
#include "unit/store/scene_file.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODEL_EDITS_MAX 20000
#define MODEL_SAMPLES_MAX 100000
#define ACTIONS_MAX 4

static const char *const names[] = {"Piston_1",
                                    "Kurbel",
                                    "'; DROP TABLE nodes; --",
                                    "line\nbreak",
                                    "\xf0\x9f\x94\xa9",
                                    "\"quoted\"",
                                    "",
                                    "%s%n",
                                    "\xe6\xad\xaf\xe8\xbb\x8a",
                                    "NULL"};
/* Doubles that a careless column or printf would change. */
static const double numbers[] = {
    0.0,          -0.0, 1.0,   -1.0, 0.1,    1.0 / 3,     -2.5e-15,           900719925474099.3,
    DBL_TRUE_MIN, 1e15, -1e15, 3.0,  1e-300, 123456789.0, 0.30000000000000004};

struct model *model_create(uint64_t seed)
{
    struct model *model = calloc(1, sizeof *model);
    assert_non_null(model);
    model->random = seed;
    model->next_edit = 1;
    model->time = START_TIME;
    gz_arena_init(&model->arena, SIZE_MAX / 2);
    model->edits = calloc(MODEL_EDITS_MAX, sizeof *model->edits);
    model->samples = calloc(MODEL_SAMPLES_MAX, sizeof *model->samples);
    assert_true(model->edits != NULL && model->samples != NULL);
    return model;
}

void model_destroy(struct model *model)
{
    gz_arena_finish(&model->arena);
    free(model->edits);
    free(model->samples);
    free(model);
}

/* splitmix64. */
uint64_t model_random(struct model *model, uint64_t below)
{
    uint64_t z = (model->random += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (z ^ (z >> 31)) % below;
}

static double random_number(struct model *model)
{
    if (model_random(model, 2) == 0)
        return numbers[model_random(model, sizeof numbers / sizeof numbers[0])];
    return (double)model_random(model, 1000000) / 7919.0 - 60;
}

static gz_vec3 random_vec3(struct model *model)
{
    gz_vec3 v;
    v.x = random_number(model);
    v.y = random_number(model);
    v.z = random_number(model);
    return v;
}

/* As the scene lets a scale be. */
static gz_vec3 random_scale(struct model *model)
{
    gz_vec3 s = random_vec3(model);
    while (!gz_in_range(s, GZ_SCALE_MIN)) s = random_vec3(model);
    return s;
}

static gz_trs random_trs(struct model *model)
{
    gz_trs trs = {.t = random_vec3(model), .s = random_scale(model)};
    gz_vec3 v = random_vec3(model);
    trs.r = (gz_quat){v.x, v.y, v.z, random_number(model)};
    if (!gz_quat_normalize(trs.r, &trs.r)) trs.r = gz_quat_identity;
    return trs;
}

static gz_box random_box(struct model *model)
{
    gz_vec3 a = random_vec3(model), b = random_vec3(model);
    return (gz_box){{fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)},
                    {fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)}};
}

/* What changes a node: it takes the next seq. */
static void touch(struct model *model, size_t node)
{
    model->nodes[node].seq = ++model->seq;
    model->nodes[node].touched = true;
    model->time += 0.001;
}

static void keep_edit(struct model *model, struct gz_edit_record edit,
                      const struct gz_change *changes, size_t count)
{
    struct gz_change *copy = gz_arena_take(&model->arena, count, sizeof *copy);
    assert_non_null(copy);
    memcpy(copy, changes, count * sizeof *copy);
    edit.changes = copy;
    edit.change_count = count;
    assert_true(model->edit_count < MODEL_EDITS_MAX);
    model->edits[model->edit_count++] = edit;
}

static void finish_edit(struct model *model, struct gz_edit_record edit,
                        const struct gz_change *changes, size_t count)
{
    edit.ended = model->time;
    edit.seq = model->seq;
    if (model_random(model, 3) == 0) {
        char *key = gz_arena_take(&model->arena, 1, 32);
        assert_non_null(key);
        snprintf(key, 32, "key %llu'", (unsigned long long)edit.id);
        edit.key = key;
    }
    keep_edit(model, edit, changes, count);
}

static struct gz_edit_record begin_edit(struct model *model, enum gz_edit_kind kind)
{
    static const char *const users[] = {"anna", "O'Brien", "\xe2\x98\x83"};
    return (struct gz_edit_record){.id = model->next_edit++,
                                   .kind = kind,
                                   .session = MODEL_SESSION,
                                   .user = users[model_random(model, 3)],
                                   .began = model->time,
                                   .began_seq = model->seq};
}

/* A node that is alive and free; SIZE_MAX where the dice find none. */
static size_t random_node(struct model *model)
{
    if (model->node_count == 0) return SIZE_MAX;
    size_t node = model_random(model, model->node_count);
    return model->nodes[node].alive && !model->nodes[node].held ? node : SIZE_MAX;
}

static void create(struct model *model)
{
    if (model->node_count + 3 > MODEL_NODES_MAX) return;
    struct gz_edit_record edit = begin_edit(model, GZ_EDIT_CREATE);
    struct gz_change changes[3] = {0};
    size_t count = 1 + model_random(model, 3);
    const bool hangs_in_next = model_random(model, 2) == 0;
    const size_t above = random_node(model);
    for (size_t i = 0; i < count; i++) {
        size_t parent = hangs_in_next ? above : random_node(model), node = model->node_count++;
        if (hangs_in_next && i + 1 < count) parent = node + 1;
        struct gz_content *content = &model->nodes[node].content;
        *content =
            some_content(parent == SIZE_MAX ? 0 : parent + 1, names[model_random(model, 10)], 0);
        content->trs = random_trs(model);
        content->has_bounds = model_random(model, 2) == 0;
        if (content->has_bounds) content->bounds = random_box(model);
        content->asset = (int64_t)model_random(model, 3) - 1;
        model->nodes[node].alive = true;
        touch(model, node);
        changes[i] = (struct gz_change){.node = node + 1, .exists = true, .after = *content};
    }
    finish_edit(model, edit, changes, count);
}

/* Whether the node is this one, or below it: a parent may have a higher id than its children. */
static bool is_within(const struct model *model, size_t node, size_t top)
{
    while (node != top && model->nodes[node].content.parent != 0)
        node = model->nodes[node].content.parent - 1;
    return node == top;
}

static void delete_subtree(struct model *model)
{
    size_t top = random_node(model), count = 0;
    uint64_t often = model->is_lasting ? 40 : 2;
    if (top == SIZE_MAX || model_random(model, often) < often - 1) return;
    bool below[MODEL_NODES_MAX] = {0};
    struct gz_change changes[MODEL_NODES_MAX] = {0};
    for (size_t i = 0; i < model->node_count; i++) {
        below[i] = model->nodes[i].alive && is_within(model, i, top);
        if (below[i] && model->nodes[i].held) return;
    }
    struct gz_edit_record edit = begin_edit(model, GZ_EDIT_DELETE);
    for (size_t i = model->node_count; i-- > 0;) {
        if (!below[i]) continue;
        changes[count++] =
            (struct gz_change){.node = i + 1, .existed = true, .before = model->nodes[i].content};
        model->nodes[i].alive = false;
        touch(model, i);
    }
    finish_edit(model, edit, changes, count);
}

static void set(struct model *model)
{
    size_t node = random_node(model);
    if (node == SIZE_MAX) return;
    struct gz_edit_record edit = begin_edit(model, GZ_EDIT_SET);
    struct gz_content *content = &model->nodes[node].content;
    struct gz_change change = {
        .node = node + 1, .existed = true, .exists = true, .before = *content};
    content->trs = random_trs(model);
    if (model_random(model, 3) == 0) content->name = names[model_random(model, 10)];
    size_t parent = random_node(model);
    if (model_random(model, 3) == 0 && parent != SIZE_MAX && !is_within(model, parent, node))
        content->parent = parent + 1;
    change.after = *content;
    touch(model, node);
    finish_edit(model, edit, &change, 1);
}

static void begin_drag(struct model *model, struct model_drag *drag)
{
    size_t count = 0;
    for (int tries = 0; tries < MODEL_DRAG_NODES_MAX; tries++) {
        size_t node = random_node(model);
        if (node == SIZE_MAX) continue;
        model->nodes[node].held = true;
        drag->changes[count++] = (struct gz_change){.node = node + 1,
                                                    .existed = true,
                                                    .exists = true,
                                                    .before = model->nodes[node].content};
    }
    if (count == 0) return;
    drag->is_running = true;
    drag->is_begun = false;
    drag->first_sample = model->sample_count;
    drag->edit = begin_edit(model, GZ_EDIT_TRANSLATE);
    drag->edit.handle = (enum gz_handle)(1 + model_random(model, GZ_HANDLE_COUNT - 1));
    drag->edit.change_count = count;
}

static void move_drag(struct model *model, struct model_drag *drag)
{
    for (size_t i = 0; i < drag->edit.change_count; i++) {
        size_t node = drag->changes[i].node - 1;
        model->nodes[node].content.trs = random_trs(model);
        touch(model, node);
        assert_true(model->sample_count < MODEL_SAMPLES_MAX);
        model->samples[model->sample_count++] =
            (struct gz_sample_record){.edit = drag->edit.id,
                                      .node = node + 1,
                                      .seq = model->seq,
                                      .time = model->time,
                                      .trs = model->nodes[node].content.trs};
    }
}

static void release(struct model *model, struct model_drag *drag)
{
    for (size_t i = 0; i < drag->edit.change_count; i++)
        model->nodes[drag->changes[i].node - 1].held = false;
    drag->is_running = false;
}

/* What was typed is said when the drag is done. */
static void type_value(struct model *model, struct gz_edit_record *edit)
{
    edit->value_count = (uint32_t)model_random(model, 3);
    for (uint32_t i = 0; i < edit->value_count; i++) edit->value[i] = random_number(model);
}

static void end_drag(struct model *model, struct model_drag *drag)
{
    type_value(model, &drag->edit);
    move_drag(model, drag);
    for (size_t i = 0; i < drag->edit.change_count; i++)
        drag->changes[i].after = model->nodes[drag->changes[i].node - 1].content;
    finish_edit(model, drag->edit, drag->changes, drag->edit.change_count);
    release(model, drag);
}

/* The id of the drag that the store is to forget; 0 where it never heard of it. */
static uint64_t cancel_drag(struct model *model, struct model_drag *drag)
{
    for (size_t i = 0; i < drag->edit.change_count; i++) {
        size_t node = drag->changes[i].node - 1;
        model->nodes[node].content = drag->changes[i].before;
        touch(model, node);
    }
    for (size_t i = drag->first_sample; i < model->sample_count; i++)
        if (model->samples[i].edit == drag->edit.id) model->samples[i].edit = 0;
    release(model, drag);
    return drag->is_begun ? drag->edit.id : 0;
}

static uint64_t act_on_drag(struct model *model, struct model_drag *drag)
{
    uint64_t choice = model_random(model, 10);
    if (!drag->is_running)
        begin_drag(model, drag);
    else if (choice < 7)
        move_drag(model, drag);
    else if (choice < 9)
        end_drag(model, drag);
    else
        return cancel_drag(model, drag);
    return 0;
}

static void *take(struct gz_batch *batch, size_t count, size_t size)
{
    void *memory = gz_arena_take(&batch->arena, count, size);
    assert_non_null(memory);
    return memory;
}

static void put_nodes(struct model *model, struct gz_batch *batch)
{
    struct gz_node_record *nodes = take(batch, model->node_count, sizeof *nodes);
    for (size_t i = 0; i < model->node_count; i++) {
        struct model_node *node = &model->nodes[i];
        if (!node->touched) continue;
        node->touched = false;
        nodes[batch->node_count++] = (struct gz_node_record){
            .id = i + 1,
            .seq = node->seq,
            .gone = !node->alive,
            .is_new = !node->stored || node->seq % 4 == 0, /* as one that was made again */
            .content = node->content};
        node->stored = true;
    }
    batch->nodes = nodes;
}

/* Drags that moved for the first time, and still run. */
static void put_begun(struct model *model, struct gz_batch *batch)
{
    struct gz_edit_record *begun = take(batch, MODEL_DRAGS_MAX, sizeof *begun);
    for (size_t i = 0; i < MODEL_DRAGS_MAX; i++) {
        struct model_drag *drag = &model->drags[i];
        bool has_moved = model->sample_count > drag->first_sample;
        if (!drag->is_running || drag->is_begun || !has_moved) continue;
        drag->is_begun = true;
        struct gz_change *changes = take(batch, drag->edit.change_count, sizeof *changes);
        memcpy(changes, drag->changes, drag->edit.change_count * sizeof *changes);
        begun[batch->begun_count] = drag->edit;
        begun[batch->begun_count++].changes = changes;
    }
    batch->begun = begun;
}

static void put_done(struct model *model, struct gz_batch *batch)
{
    size_t count = model->sample_count - model->saved_samples;
    struct gz_sample_record *samples = take(batch, count, sizeof *samples);
    for (size_t i = model->saved_samples; i < model->sample_count; i++)
        if (model->samples[i].edit != 0) samples[batch->sample_count++] = model->samples[i];
    batch->samples = samples;
    model->saved_samples = model->sample_count;
    batch->ended_count = model->edit_count - model->saved_edits;
    struct gz_edit_record *ended = take(batch, batch->ended_count, sizeof *ended);
    memcpy(ended, model->edits + model->saved_edits, batch->ended_count * sizeof *ended);
    batch->ended = ended;
    model->saved_edits = model->edit_count;
}

static void put_join(struct model *model, struct gz_batch *batch)
{
    if (model->has_joined) return;
    model->has_joined = true;
    struct gz_session_record *joined = take(batch, 1, sizeof *joined);
    *joined = (struct gz_session_record){MODEL_SESSION, "anna", GZ_ROLE_EDITOR, model->time};
    batch->joined = joined;
    batch->joined_count = 1;
}

struct gz_batch *model_batch(struct model *model)
{
    struct gz_batch *batch = gz_batch_create();
    assert_non_null(batch);
    uint64_t *dropped = take(batch, ACTIONS_MAX, sizeof *dropped);
    for (uint64_t actions = 1 + model_random(model, ACTIONS_MAX); actions > 0; actions--) {
        uint64_t forget = 0;
        switch (model_random(model, 8)) {
        case 0: create(model); break;
        case 1: delete_subtree(model); break;
        case 2: set(model); break;
        default: forget = act_on_drag(model, &model->drags[model_random(model, MODEL_DRAGS_MAX)]);
        }
        if (forget != 0) dropped[batch->dropped_count++] = forget;
    }
    batch->dropped = dropped;
    put_join(model, batch);
    put_nodes(model, batch);
    put_begun(model, batch);
    put_done(model, batch);
    batch->seq = model->seq;
    batch->time = model->time;
    batch->next_node = model->node_count + 1;
    batch->next_edit = model->next_edit;
    return batch;
}

static int compare_seqs(const void *a, const void *b)
{
    const struct gz_edit_record *x = a, *y = b;
    return (x->seq > y->seq) - (x->seq < y->seq);
}

/* What the drag had done when it was cut off; nothing where it had moved none of its nodes. */
static void cut_off(struct model *model, struct model_drag *drag)
{
    struct gz_change changes[MODEL_DRAG_NODES_MAX];
    size_t count = 0;
    struct gz_edit_record edit = drag->edit;
    for (size_t i = 0; i < drag->edit.change_count; i++) {
        const struct model_node *node = &model->nodes[drag->changes[i].node - 1];
        if (node->seq <= edit.began_seq) continue;
        if (node->seq > edit.seq) edit.seq = node->seq;
        changes[count] = drag->changes[i];
        changes[count++].after = node->content;
    }
    for (size_t i = drag->first_sample; i < model->sample_count; i++)
        if (model->samples[i].edit == edit.id) edit.ended = model->samples[i].time;
    release(model, drag);
    if (count > 0) keep_edit(model, edit, changes, count);
}

void model_reopen(struct model *model)
{
    size_t whole = model->edit_count;
    for (size_t i = 0; i < MODEL_DRAGS_MAX; i++)
        if (model->drags[i].is_running) cut_off(model, &model->drags[i]);
    qsort(model->edits + whole, model->edit_count - whole, sizeof *model->edits, compare_seqs);
    for (size_t i = whole; i < model->edit_count; i++)
        model->edits[i].ended += 1e-6 * (double)(i - whole + 1);
    qsort(model->edits, model->edit_count, sizeof *model->edits, compare_seqs);
    model->saved_edits = model->edit_count;
    model->has_joined = false;
}

/* ---- the past ---- */

/* A point of a drag's path: the node was there from `time` until `until`. */
struct point {
    uint64_t seq;
    double time, until;
    gz_trs trs;
};

/* The points on both sides of a moment. */
struct span {
    struct point before, after;
    bool has_after;
};

/* Goes on to the next point; one that comes late found the node at rest until shortly before. */
static void step(struct span *span, const struct point *point, uint64_t seq)
{
    if (point->seq <= seq) {
        span->before = *point;
        return;
    }
    if (span->has_after) return;
    span->after = *point;
    span->has_after = true;
}

static void rest(struct span *span, double next_time)
{
    if (next_time - span->before.until > GZ_PATH_REST_MS / 1000.0)
        span->before.until = next_time - GZ_SAMPLE_MS_MIN / 1000.0;
}

static void move_node(const struct model *model, const struct gz_edit_record *edit,
                      const struct gz_change *change, uint64_t seq, double time,
                      struct model_node *node)
{
    struct span span = {.before = {edit->began_seq, edit->began, edit->began, change->before.trs}};
    for (size_t i = 0; i < model->sample_count; i++) {
        const struct gz_sample_record *sample = &model->samples[i];
        if (sample->edit != edit->id || sample->node != change->node || span.has_after) continue;
        struct point point = {sample->seq, sample->time, sample->time, sample->trs};
        rest(&span, sample->time);
        step(&span, &point, seq);
    }
    struct point end = {edit->seq, edit->ended, edit->ended, change->after.trs};
    if (edit->seq != 0) step(&span, &end, seq);
    node->content.trs = span.before.trs;
    if (span.before.seq > edit->began_seq || span.before.until > edit->began)
        node->seq = span.before.seq;
    if (!span.has_after) return;
    double part = (double)(seq - span.before.seq) / (double)(span.after.seq - span.before.seq);
    if (!isnan(time)) part = (time - span.before.until) / (span.after.time - span.before.until);
    node->content.trs = gz_trs_between(&span.before.trs, &span.after.trs, part);
}

static void move_dragged(const struct model *model, const struct gz_edit_record *edit,
                         const struct gz_change *changes, uint64_t seq, double time,
                         struct model_node nodes[MODEL_NODES_MAX])
{
    bool has_begun = edit->began_seq < seq || edit->began <= time;
    if (!has_begun || (edit->seq != 0 && edit->seq <= seq) || edit->handle == GZ_HANDLE_NONE)
        return;
    for (size_t i = 0; i < edit->change_count; i++)
        move_node(model, edit, &changes[i], seq, time, &nodes[changes[i].node - 1]);
}

void model_replay(const struct model *model, uint64_t seq, double time,
                  struct model_node nodes[MODEL_NODES_MAX])
{
    memset(nodes, 0, MODEL_NODES_MAX * sizeof *nodes);
    for (size_t i = 0; i < model->edit_count; i++) {
        const struct gz_edit_record *edit = &model->edits[i];
        for (size_t j = 0; j < edit->change_count && edit->seq <= seq; j++) {
            struct model_node *node = &nodes[edit->changes[j].node - 1];
            node->alive = edit->changes[j].exists;
            node->content = edit->changes[j].after;
            node->seq = edit->seq;
        }
    }
    for (size_t i = 0; i < model->edit_count; i++)
        move_dragged(model, &model->edits[i], model->edits[i].changes, seq, time, nodes);
    for (size_t i = 0; i < MODEL_DRAGS_MAX; i++) {
        const struct model_drag *drag = &model->drags[i];
        if (drag->is_running && drag->is_begun)
            move_dragged(model, &drag->edit, drag->changes, seq, time, nodes);
    }
}
