/* The times of a scene: whatever the wall clock does, across restarts too, they never go back, and
 * no two places of a node's path have one time. So whoever asks for the path or the history piece
 * by piece gets each piece once. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/cmocka.h"
#include "unit/core/saying.h"
#include "unit/store/scene_file.h"

/* A core whose batches a real file takes too: the path is asked of that. */
struct scene {
    struct host host;
    struct client *ann, *bob;
    struct gz_store *store;
    const char *path;
    uint64_t node;
};

static void write_file(void *context, struct gz_batch *batch)
{
    struct scene *s = context;
    enum gz_status status;
    struct gz_error error = {.message = ""};
    gz_store_submit(s->store, batch);
    assert_ptr_equal(wait_for(s->store, &status, &error), batch);
    if (status != GZ_OK) fail_msg("%s", error.message);
}

/* The file counts its epochs as the host does, from 1, where the clock says nothing else. */
static double open_file(struct scene *s, bool create)
{
    struct gz_scene_state state;
    s->store = open_scene(s->path, create, 0, &state);
    double newest_s = state.time;
    assert_int_equal(state.epoch, s->host.store.epoch);
    gz_scene_state_finish(&state);
    return newest_s;
}

static void open_scene_of_two(struct scene *s, void **directory)
{
    *s = (struct scene){.path = in_directory(directory, "a.db")};
    host_init(&s->host);
    open_file(s, true);
    s->host.handle_batch = write_file;
    s->host.batch_context = s;
    s->ann = client_join(&s->host, "ann", GZ_ROLE_EDITOR);
    s->bob = client_join(&s->host, "bob", GZ_ROLE_EDITOR);
    s->node = create_node(s->ann, "piston", 0, 0, 0, 0);
    ask_camera(s->ann, 10);
    ask_camera(s->bob, 10);
}

static void close_scene_of_two(struct scene *s)
{
    host_turn(&s->host);
    host_assert_equal(&s->host);
    host_finish(&s->host);
    gz_store_close(s->store);
}

static void drag(struct client *client, uint64_t node, int steps)
{
    assert_ok(ask_grab(client, GZ_TXY, node, 400, 300));
    for (int i = 1; i <= steps; i++) {
        host_advance(client->host, 0.03);
        struct gz_message move = pointer_message(GZ_PHASE_MOVE, 400 + 7 * i * (i % 3), 300 + i, 0);
        client_say(client, &move);
    }
    assert_ok(ask_pointer(client, GZ_PHASE_UP, 430, 300));
}

static struct gz_answer ask_path(const struct scene *s, double since, uint32_t limit)
{
    struct gz_answer answer;
    struct gz_query query = {
        .kind = GZ_QUERY_PATH, .node = s->node, .since = since, .before = NAN, .limit = limit};
    gz_store_query(s->path, &query, &answer);
    assert_int_equal(answer.status, GZ_OK);
    return answer;
}

/* Point by point it is the whole path, none twice and none left out; it is no shorter than
 * `points_min`. */
static void assert_pages(const struct scene *s, size_t points_min)
{
    struct gz_answer whole = ask_path(s, NAN, 0);
    double since = NAN;
    assert_true(whole.point_count >= points_min);
    for (size_t i = 0; i <= whole.point_count; i++) {
        struct gz_answer page = ask_path(s, since, 1);
        assert_int_equal(page.point_count, i < whole.point_count);
        if (i < whole.point_count) {
            assert_memory_equal(&page.points[0], &whole.points[i], sizeof whole.points[i]);
            since = page.points[0].time;
        }
        gz_answer_finish(&page);
    }
    gz_answer_finish(&whole);
}

TEST_IN_DIRECTORY(test_drag_that_begins_when_edits_end_loses_no_point)
{
    struct scene s;
    open_scene_of_two(&s, directory);
    s.host.disk = DISK_WAITS; /* all in one turn, and one batch */
    for (int i = 1; i <= 5; i++) (void)ask_move(s.ann, s.node, i, 0, 0);
    assert_ok(ask_grab(s.ann, GZ_TXY, s.node, 400, 300));
    struct gz_message move = pointer_message(GZ_PHASE_MOVE, 450, 300, 0);
    client_say(s.ann, &move);
    (void)ask_pointer(s.ann, GZ_PHASE_UP, 450, 300);
    s.host.disk = DISK_COMMITS;
    host_settle(&s.host, true);
    host_turn(&s.host);
    drag(s.bob, s.node, 6);
    assert_pages(&s, 5 + 2 + 4);
    close_scene_of_two(&s);
}

TEST_IN_DIRECTORY(test_clock_that_is_put_back_loses_no_point)
{
    static const double jumps_s[] = {-3600, 0.5, -0.5, 7200, -1e6, 1e-3};
    struct scene s;
    open_scene_of_two(&s, directory);
    for (size_t i = 0; i < COUNT(jumps_s); i++) {
        drag(s.ann, s.node, 3);
        assert_ok(ask_grab(s.bob, GZ_TXY, s.node, 400, 300));
        host_advance(&s.host, 0.03);
        (void)ask_pointer(s.bob, GZ_PHASE_MOVE, 470, 320);
        s.host.now.unix_s += jumps_s[i]; /* in the middle of a drag */
        host_advance(&s.host, 0.03);
        (void)ask_pointer(s.bob, GZ_PHASE_MOVE, 420, 310);
        assert_ok(ask_pointer(s.bob, GZ_PHASE_UP, 425, 300));
        assert_ok(ask_move(s.ann, s.node, 3, 0, 0));
    }
    assert_pages(&s, 5 * COUNT(jumps_s));
    close_scene_of_two(&s);
}

/* The history is asked for by time, its newest edit first: that is the last one done. */
TEST_IN_DIRECTORY(test_history_after_the_clock_is_put_back_begins_with_the_last_edit)
{
    struct scene s;
    open_scene_of_two(&s, directory);
    assert_ok(ask_move(s.ann, s.node, 1, 0, 0));
    s.host.now.unix_s -= 3600;
    uint64_t last = ask_move(s.ann, s.node, 2, 0, 0)->ok.edit;
    struct gz_answer answer;
    gz_store_query(
        s.path, &(struct gz_query){.kind = GZ_QUERY_HISTORY, .since = NAN, .before = NAN}, &answer);
    assert_int_equal(answer.edit_count, 3);
    assert_int_equal(answer.edits[0].id, last);
    for (size_t i = 1; i < answer.edit_count; i++)
        assert_true(answer.edits[i].ended < answer.edits[i - 1].ended);
    gz_answer_finish(&answer);
    close_scene_of_two(&s);
}

/* Put back while the server was away, in the middle of a drag. */
TEST_IN_DIRECTORY(test_clock_that_is_put_back_across_a_restart_loses_no_point)
{
    struct scene s;
    open_scene_of_two(&s, directory);
    for (int life = 0; life < 3; life++) {
        drag(s.ann, s.node, 4);
        assert_ok(ask_grab(s.bob, GZ_TXY, s.node, 400, 300));
        host_advance(&s.host, 0.05);
        (void)ask_pointer(s.bob, GZ_PHASE_MOVE, 470 + 5 * life, 320);
        host_advance(&s.host, 0.05);
        gz_store_close(s.store);
        s.host.now.unix_s -= 5000;
        s.host.now.mono_s = 3; /* the machine too */
        host_restart(&s.host, true);
        assert_true(open_file(&s, false) > s.host.now.unix_s + 4000);
        client_resume(s.ann);
        client_resume(s.bob);
        host_turn(&s.host);
        ask_camera(s.ann, 10);
        ask_camera(s.bob, 10);
        assert_ok(ask_move(s.ann, s.node, life, 0, 0));
    }
    assert_pages(&s, 18);
    close_scene_of_two(&s);
}

/* Half as fast as time, until the wall clock has caught up; and no further. */
TEST_IN_DIRECTORY(test_clock_that_was_put_back_is_caught_up_with)
{
    struct scene s;
    open_scene_of_two(&s, directory);
    double first_s = s.host.now.unix_s;
    s.host.now.unix_s -= 10;
    host_advance(&s.host, 10);
    assert_ok(ask_move(s.ann, s.node, 1, 0, 0));
    double slow_s = s.host.store.edits[s.host.store.edit_count - 1].ended;
    assert_true(fabs(slow_s - (first_s + 5)) < 0.001);
    host_advance(&s.host, 15);
    assert_ok(ask_move(s.ann, s.node, 2, 0, 0));
    assert_true(fabs(s.host.store.edits[s.host.store.edit_count - 1].ended - s.host.now.unix_s) <
                0.001);
    close_scene_of_two(&s);
}

/* What was asked for by a time of the scene is no future, though the wall clock has not come to
 * it. */
TEST_IN_DIRECTORY(test_newest_time_is_no_future_after_the_clock_is_put_back)
{
    struct scene s;
    open_scene_of_two(&s, directory);
    assert_ok(ask_move(s.ann, s.node, 1, 0, 0));
    double newest_s = s.host.store.time;
    s.host.now.unix_s -= 3600;
    struct gz_message at = {.op = GZ_OP_AT, .has = GZ_HAS_AT_TIME, .at.time = newest_s};
    assert_ok(client_ask(s.ann, &at));
    at.at.time = newest_s + 60;
    assert_says(client_ask(s.ann, &at), GZ_BAD_VALUE, "time: is in the future");
    close_scene_of_two(&s);
}
/* Where the file has the node at this seq. */
static gz_vec3 place_at(const struct scene *s, uint64_t seq, uint64_t node)
{
    const struct gz_query query = {.kind = GZ_QUERY_AT, .seq = seq};
    struct gz_answer answer;
    gz_vec3 place = {NAN, NAN, NAN};
    gz_store_query(s->path, &query, &answer);
    if (answer.status != GZ_OK) fail_msg("%s", answer.error.message);
    for (size_t i = 0; i < answer.node_count; i++)
        if (answer.nodes[i].id == node) place = answer.nodes[i].content.trs.t;
    gz_answer_finish(&answer);
    return place;
}

static void pose(struct scene *s, uint64_t node, uint64_t has, gz_vec3 at)
{
    const struct gz_set_node said = {.has = has, .id = node, .trs.t = at};
    const struct gz_message pose = {.op = GZ_OP_POSE, .pose = {.nodes = &said, .count = 1}};
    assert_ok(client_ask(s->ann, &pose));
}

/* A set of one node of a hold: the past has the other one where it was posed before that. */
TEST_IN_DIRECTORY(test_past_of_a_hold_goes_on_through_its_own_set)
{
    struct scene s;
    open_scene_of_two(&s, directory);
    const uint64_t nodes[] = {s.node, create_node(s.ann, "rod", 0, 0, 0, 0)};
    const struct gz_message hold = {.op = GZ_OP_HOLD, .hold.nodes = {nodes, 2}};
    const struct gz_set_node y = {.has = GZ_HAS_SET_NODE_Y, .id = nodes[0], .trs.t.y = 7};
    const struct gz_message set = {.op = GZ_OP_SET, .set = {&y, 1, 0}};
    assert_ok(client_ask(s.ann, &hold));
    for (size_t i = 0; i < 2; i++) pose(&s, nodes[i], GZ_HAS_SET_NODE_T, (gz_vec3){1, 2, 3});
    host_advance(&s.host, 0.1);
    assert_ok(client_ask(s.ann, &set));
    host_advance(&s.host, 0.1);
    const uint64_t seq = gz_core_summary(s.host.core).seq;
    for (int is_over = 0; is_over < 2; is_over++) {
        const gz_vec3 one = place_at(&s, seq, nodes[0]), other = place_at(&s, seq, nodes[1]);
        assert_true(one.x == 1 && one.y == 7 && one.z == 3);
        assert_true(other.x == 1 && other.y == 2 && other.z == 3);
        if (!is_over) assert_ok(ask_op(s.ann, GZ_OP_RELEASE));
    }
    close_scene_of_two(&s);
}
