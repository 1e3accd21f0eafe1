/* A real assembly comes in, somebody drags a part of it while others watch, and the file says in
 * words what happened. */
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>

#include "model.h"
#include "stage.h"

#define DELTAS_MAX 512

/* ---- the tree ---- */

/* The file's matrices are rounded to floats, and a node keeps translation, rotation and scale: the
 * nearest of these to such a matrix is off by some units of a float's last place, over five
 * levels. */
#define FLOAT_STEPS (16 * 1.2e-7L)

static void assert_world_is(const struct gz_client *client, const struct gz_mirror_node *node,
                            const struct model_node *expected)
{
    gz_affine world;
    double matrix[16];
    assert_true(gz_mirror_world(gz_client_mirror(client), node->id, &world));
    gz_affine_to_matrix(&world, matrix);
    for (int i = 0; i < 16; i++) {
        long double size = i < 12 ? 1 : 1000;
        if (fabsl(matrix[i] - expected->world[i]) > FLOAT_STEPS * size)
            fail_msg("%s: world[%d] is %.9g, the file says %.9Lg", node->name, i, matrix[i],
                     expected->world[i]);
    }
    assert_int_equal(node->has_bounds, expected->has_bounds);
    if (!node->has_bounds) return;
    gz_box box = gz_box_transform(&node->bounds, &world);
    const double got[6] = {box.min.x, box.min.y, box.min.z, box.max.x, box.max.y, box.max.z};
    for (int k = 0; k < 6; k++) {
        long double right = k < 3 ? expected->min[k] : expected->max[k - 3];
        if (fabsl(got[k] - right) > FLOAT_STEPS * 1000)
            fail_msg("%s: bounds[%d] is %.9g, the file says %.9Lg", node->name, k, got[k], right);
    }
}

TEST_ON_STAGE(test_import_gives_the_files_tree_transforms_and_bounds)
{
    struct stage *stage = *state;
    struct model model;
    model_read(&model, MODEL_ENGINE);
    stage_import_engine(stage);
    struct gz_client *client = stage_join(stage, "engine", "anna");
    const struct gz_mirror *mirror = gz_client_mirror(client);
    size_t count, with_bounds = 0;
    int deepest = 0;
    const struct gz_mirror_node **list = gz_mirror_list(mirror, &count);
    assert_non_null(list);
    assert_int_equal(count, 82);
    for (size_t i = 0; i < count; i++) {
        assert_in_range(list[i]->asset, 0, (long)model.count - 1);
        const struct model_node *expected = &model.nodes[list[i]->asset];
        const struct gz_mirror_node *parent = gz_mirror_find(mirror, list[i]->parent);
        assert_int_equal(parent != NULL ? parent->asset : -1, expected->parent);
        assert_world_is(client, list[i], expected);
        with_bounds += list[i]->has_bounds;
        if (expected->depth > deepest) deepest = expected->depth;
    }
    free(list);
    assert_int_equal(deepest, 5);
    assert_int_equal(with_bounds, 67);
}

/* ---- a drag that two watch ---- */

struct seen {
    uint64_t node, from, seq;
    gz_trs trs;
};

/* What one watcher was told of one node. */
struct watcher {
    uint64_t node, seq;
    size_t count;
    struct seen deltas[DELTAS_MAX];
    bool edited;
    uint64_t edit;
};

static void handle_message(void *context, const struct gz_message *message)
{
    struct watcher *watcher = context;
    if (message->op == GZ_OP_EDIT) {
        watcher->edited = true;
        watcher->edit = message->edit.id;
    }
    if (message->op != GZ_OP_DELTA) return;
    const struct gz_delta *delta = &message->delta;
    for (size_t i = 0; i < delta->count; i++) {
        if (delta->nodes[i].id != watcher->node || !(delta->nodes[i].has & GZ_HAS_STATE_T))
            continue;
        assert_true(watcher->count < DELTAS_MAX);
        watcher->deltas[watcher->count++] =
            (struct seen){delta->nodes[i].id, delta->from, delta->seq, delta->nodes[i].trs};
    }
    assert_true(delta->seq >= watcher->seq);
    watcher->seq = delta->seq;
}

static void watch_until_edited(struct gz_client *client, struct watcher *watcher)
{
    while (!watcher->edited) {
        const struct gz_message *message = gz_client_next(client, STAGE_SECONDS);
        if (message == NULL) fail_msg("the edit was not told: %s", gz_client_reason(client));
        handle_message(watcher, message);
    }
}

/* The world's origin of a node and the linear part of its parent's world, in long doubles. */
static void world_of(const struct gz_client *client, uint64_t id, long double origin[3])
{
    long double at[3] = {0};
    for (uint64_t up = id; up != 0; up = node_in(client, up)->parent) {
        const gz_trs *trs = &node_in(client, up)->trs;
        long double x = trs->r.x, y = trs->r.y, z = trs->r.z, w = trs->r.w,
                    n = x * x + y * y + z * z + w * w;
        long double p[3] = {trs->s.x * at[0], trs->s.y * at[1], trs->s.z * at[2]};
        at[0] = trs->t.x + ((w * w + x * x - y * y - z * z) * p[0] + 2 * (x * y - w * z) * p[1] +
                            2 * (x * z + w * y) * p[2]) /
                               n;
        at[1] = trs->t.y + (2 * (x * y + w * z) * p[0] + (w * w - x * x + y * y - z * z) * p[1] +
                            2 * (y * z - w * x) * p[2]) /
                               n;
        at[2] = trs->t.z + (2 * (x * z - w * y) * p[0] + 2 * (y * z + w * x) * p[1] +
                            (w * w - x * x - y * y + z * z) * p[2]) /
                               n;
    }
    memcpy(origin, at, sizeof at);
}

/* Drags by tx from one pixel to another in 40 moves, as fast as they go. Returns the edit. */
static uint64_t drag_tx(struct gz_client *client, uint64_t id, const double *from, const double *to)
{
    stage_ask(client, message_grab(&id, GZ_TX, from[0], from[1]));
    for (int i = 1; i <= 40; i++) {
        double part = i / 40.0;
        struct gz_message move = message_pointer(GZ_PHASE_MOVE, from[0] + part * (to[0] - from[0]),
                                                 from[1] + part * (to[1] - from[1]));
        struct gz_error error = {0};
        stage_check(gz_client_send(client, &move, NULL, &error), &error, "move");
        if (i % 4 == 0)
            stage_ask(client,
                      (struct gz_message){.op = GZ_OP_PING}); /* some turns of the server's */
    }
    const struct gz_message *done = stage_ask(client, message_pointer(GZ_PHASE_UP, to[0], to[1]));
    assert_true(done->has & GZ_HAS_OK_EDIT);
    return done->ok.edit;
}

/* Each delta begins where the one before it ended or earlier news of the node did, and both tell
 * the same at the same seq. */
static void assert_same_deltas(const struct watcher *a, const struct watcher *b)
{
    size_t common = 0;
    for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
        if (a->deltas[i].seq == b->deltas[j].seq) {
            assert_same_trs(&a->deltas[i].trs, &b->deltas[j].trs, "two watchers at one seq");
            common++, i++, j++;
        } else if (a->deltas[i].seq < b->deltas[j].seq) {
            i++;
        } else {
            j++;
        }
    }
    assert_true(a->count >= 2 && b->count >= 2);
    assert_true(common >= 2);
    assert_int_equal(a->deltas[a->count - 1].seq, b->deltas[b->count - 1].seq);
    assert_int_equal(a->edit, b->edit);
}

TEST_ON_STAGE(test_drag_is_seen_alike_by_two_and_ends_at_the_closed_form)
{
    struct stage *stage = *state;
    stage_import_engine(stage);
    struct gz_client *first = stage_join(stage, "engine", "anna"),
                     *second = stage_join(stage, "engine", "bert"),
                     *dragger = stage_join(stage, "engine", "carl");
    const struct gz_mirror_node *part = node_named(dragger, "node 29");
    uint64_t id = part->id;
    gz_trs start = part->trs;
    struct watcher seen_first = {.node = id}, seen_second = {.node = id};
    const double from[2] = {960, 540}, to[2] = {1107.25, 466.5};
    const long double x_axis[3] = {1, 0, 0};
    long double before[3], after[3];
    world_of(dragger, id, before);

    struct gz_message camera = message_camera((gz_vec3){620, 480, 910}, (gz_vec3){0, 100, 0});
    stage_ask(dragger, camera);
    uint64_t edit = drag_tx(dragger, id, from, to);
    stage_catch_up(dragger, dragger);
    watch_until_edited(first, &seen_first);
    watch_until_edited(second, &seen_second);

    assert_same_deltas(&seen_first, &seen_second);
    assert_int_equal(seen_first.edit, edit);
    stage_catch_up(dragger, first);
    assert_same_scene(first, second);
    assert_same_scene(first, dragger);

    long double moved = axis_foot(&camera.camera, before, x_axis, to[0], to[1]) -
                        axis_foot(&camera.camera, before, x_axis, from[0], from[1]);
    world_of(first, id, after);
    assert_true(fabsl(moved) > 10);
    /* Coordinates of some hundred metres have a last place of 1e-13 m; taking them into the parent
     * and back costs a few. */
    assert_true(fabsl(after[0] - before[0] - moved) < 1e-11L);
    assert_true(fabsl(after[1] - before[1]) < 1e-11L);
    assert_true(fabsl(after[2] - before[2]) < 1e-11L);
    const gz_trs *end = &node_in(first, id)->trs;
    assert_memory_equal(&end->r, &start.r, sizeof start.r);
    assert_memory_equal(&end->s, &start.s, sizeof start.s);
}

/* ---- the history ---- */

static void assert_row(sqlite3 *file, const char *query, const char *const *expected, int count)
{
    sqlite3_stmt *row;
    assert_int_equal(sqlite3_prepare_v2(file, query, -1, &row, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    for (int i = 0; i < count; i++)
        assert_string_equal((const char *)sqlite3_column_text(row, i), expected[i]);
    sqlite3_finalize(row);
}

TEST_ON_STAGE(test_history_says_in_words_who_moved_what)
{
    struct stage *stage = *state;
    struct gz_client *client = stage_join(stage, "parts", "carl");
    uint64_t id = stage_create(client, "piston", 0, (gz_vec3){1, 2, 3});
    struct gz_message camera = message_camera((gz_vec3){1, 2, 13}, (gz_vec3){1, 2, 3});
    stage_ask(client, camera);
    /* Ten metres off and 60 degrees high, 1080 pixels are 20 tan 30 metres: so many pixels are 2.5
     * metres. */
    drag_tx(client, id, (double[]){960, 540},
            (double[]){960 + 2.5 * 1080 * 1.7320508075688772 / 20, 540});
    struct gz_set_node turn = {.has = GZ_HAS_SET_NODE_R,
                               .id = id,
                               .trs.r = gz_quat_about((gz_vec3){0, 1, 0}, 1.5707963267948966)};
    stage_ask(client, message_set_t(&turn));

    char path[128];
    sqlite3 *file;
    snprintf(path, sizeof path, "%s/parts.db", stage->daemon.data);
    assert_int_equal(sqlite3_open_v2(path, &file, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_row(file,
               "SELECT who, node, action, before, after FROM history WHERE action LIKE 'moved%'",
               (const char *const[]){"carl", "piston", "moved along x (tx)",
                                     "(1.000, 2.000, 3.000) m", "(3.500, 2.000, 3.000) m"},
               5);
    assert_row(file,
               "SELECT who, node, before, after FROM history WHERE action LIKE 'set rotation%'",
               (const char *const[]){"carl", "piston", "(0.00, 0.00, 0.00)\302\260",
                                     "(0.00, 90.00, 0.00)\302\260"},
               4);
    sqlite3_close(file);

    struct test_output output;
    test_ctl(&output, &stage->daemon, NULL, (const char *const[]){"history", "parts", NULL});
    assert_int_equal(output.code, 0);
    assert_non_null(strstr(output.out, "translate tx"));
    assert_non_null(strstr(output.out, "t (1, 2, 3) -> (3.5, 2, 3) m"));
    assert_non_null(strstr(output.out, "r (0, 0, 0) -> (0, 90, 0) deg"));
    test_output_finish(&output);
}

/* ---- typed values ---- */

static void type_value(const struct stage *stage, const char *handle, const char *value,
                       const char *printed)
{
    struct test_output output;
    test_ctl(&output, &stage->daemon, NULL,
             (const char *const[]){"drag", "parts", "--node", "piston", "--handle", handle,
                                   "--value", value, NULL});
    if (output.code != 0 || strstr(output.out, printed) == NULL)
        fail_msg("%s by %s: %s%s", handle, value, output.out, output.err);
    test_output_finish(&output);
}

/* The values of the newest edits, newest first. */
static void assert_values(struct stage *stage, const struct gz_value *values, size_t count)
{
    struct gz_client *client = stage_join(stage, "parts", "dora");
    const struct gz_message *past = stage_ask(
        client, (struct gz_message){
                    .op = GZ_OP_HISTORY, .has = GZ_HAS_HISTORY_LIMIT, .history.limit = count});
    assert_int_equal(past->ok.edit_count, count);
    for (size_t i = 0; i < count; i++) {
        const struct gz_value *value = &past->ok.edits[i].value;
        assert_true(past->ok.edits[i].has & GZ_HAS_EDIT_VALUE);
        assert_int_equal(value->count, values[i].count);
        assert_memory_equal(value->numbers, values[i].numbers,
                            value->count * sizeof *value->numbers);
    }
}

TEST_ON_STAGE(test_typed_values_are_exact_in_the_scene_the_history_and_the_file)
{
    static const struct gz_value values[] = {
        {{2}, 1}, {{0.5, -1}, 2}, {{1.5707963267948966}, 1}, {{0.1}, 1}};
    struct stage *stage = *state;
    struct gz_client *client = stage_join(stage, "parts", "carl");
    uint64_t id = stage_create(client, "piston", 0, (gz_vec3){0.2, 2, 3});
    type_value(stage, "tx", "0.1", "  tx typed 0.1 m  t (0.2, 2, 3) -> (0.3, 2, 3) m  edit ");
    type_value(stage, "ry", "90", "  ry typed 90 deg  r (0, 0, 0) -> (0, 90, 0) deg  edit ");
    type_value(stage, "tzx", "0.5,-1",
               "  tzx typed (0.5, -1) m  t (0.3, 2, 3) -> (-0.7, 2, 3.5) m  edit ");
    type_value(stage, "su", "2", "  su typed 2  s (1, 1, 1) -> (2, 2, 2)  edit ");
    stage_catch_up(client, stage_join(stage, "parts", "eve"));
    const gz_trs *trs = &node_in(client, id)->trs;
    gz_quat quarter = gz_quat_about((gz_vec3){0, 1, 0}, 1.5707963267948966);
    const gz_trs expected = {.t = {0.2 + 0.1 - 1, 2, 3.5}, .r = quarter, .s = {2, 2, 2}};
    assert_same_trs(trs, &expected, "typed");
    assert_values(stage, values, 4);
    test_daemon_kill(&stage->daemon);
    test_daemon_start(&stage->daemon, NULL, NULL);
    assert_values(stage, values, 4);

    static const char *const actions[] = {
        "scaled evenly (su) by exactly 2", "moved in the zx plane (tzx) by exactly (0.5, -1) m",
        "turned about y (ry) by exactly 90\302\260", "moved along x (tx) by exactly 0.1 m"};
    char path[128], query[96];
    sqlite3 *file;
    snprintf(path, sizeof path, "%s/parts.db", stage->daemon.data);
    assert_int_equal(sqlite3_open_v2(path, &file, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    for (int i = 0; i < 4; i++) {
        snprintf(query, sizeof query, "SELECT action FROM history LIMIT 1 OFFSET %d", i);
        assert_row(file, query, &actions[i], 1);
    }
    sqlite3_close(file);
}
