/* While a worker edits all nodes of a large scene, other scenes are served; whoever comes to the
 * scene, leaves it, reads it, deletes it or ends the daemon meanwhile finds it whole. By the order
 * of what is heard, not by times. */
#include <stdlib.h>

#include "net_fixture.h"
#include "support/crowd.h"

#define LARGE "large"
#if defined(__SANITIZE_THREAD__)
#    define NODES 5000 /* it takes ten times as long for each */
#else
#    define NODES 15000
#endif
/* For what does not count rounds: lent all the same, and soon done on a busy machine. */
#define FEWER 4000
/* So often somebody elsewhere is answered before the edit shows, at least; by a loop that does the
 * edit itself not once. */
#define ROUNDS 3
#define PACE_S 0.0006
#define PATIENCE_S 60.0

struct stage {
    struct net_fixture fixture;
    struct crowd crowd;
    struct crowd_member *editor, *other;
    int nodes;
    uint64_t root;
    uint64_t rid;
    struct gz_text key; /* of the edits */
};

/* ---- somebody elsewhere ---- */

static bool has_answer(void *context)
{
    return ((const struct stage *)context)->other->oks > 0;
}

/* Asks and is answered, within its rate. */
static void round_trip(struct stage *stage)
{
    crowd_forget(stage->other);
    crowd_send(stage->other,
               &(struct gz_message){.op = GZ_OP_PING, .has = GZ_HAS_RID, .rid = ++stage->rid});
    assert_true(crowd_until(&stage->crowd, has_answer, stage, PATIENCE_S));
    crowd_run(&stage->crowd, PACE_S);
}

static bool shows(const struct stage *stage)
{
    return stage->editor->deltas > 0 || stage->editor->oks > 0;
}

static bool is_answered(void *context)
{
    return ((const struct stage *)context)->editor->oks > 0;
}

/* ---- the scene ---- */

static void import(struct stage *stage)
{
    struct raw_response response;
    char *asset, length[64];
    size_t size;
    FILE *file = open_memstream(&asset, &size);
    assert_non_null(file);
    fputs("{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{"
          "\"children\":[",
          file);
    for (int i = 1; i < stage->nodes; i++) fprintf(file, "%s%d", i > 1 ? "," : "", i);
    fputs("]}", file);
    for (int i = 1; i < stage->nodes; i++) fprintf(file, ",{\"translation\":[%d,0,0]}", i);
    fputs("]}", file);
    fclose(file);
    snprintf(length, sizeof length, "Content-Length: %zu\r\n", size);
    raw_request(stage->fixture.daemon.port, "PUT", "/scenes/" LARGE "?replace", length, asset, size,
                &response);
    assert_int_equal(response.status / 100, 2);
    free(asset);
}

static void open_stage(struct stage *stage, int nodes)
{
    *stage = (struct stage){.nodes = nodes, .root = 1};
    net_fixture_start(&stage->fixture, "--silence-seconds", "3600"); /* a slow disk ends nobody */
    import(stage);
    crowd_init(&stage->crowd, stage->fixture.daemon.port);
    stage->editor = crowd_enter(&stage->crowd, LARGE, GZ_ROLE_EDITOR, 0);
    stage->other = crowd_enter(&stage->crowd, "small", GZ_ROLE_EDITOR, 0);
    assert_int_equal(crowd_gather(&stage->crowd, PATIENCE_S), 2);
}

static void close_stage(struct stage *stage)
{
    crowd_finish(&stage->crowd);
    net_fixture_assert_unharmed(&stage->fixture);
    net_fixture_stop(&stage->fixture);
}

static void ask(struct stage *stage, enum gz_op op)
{
    struct gz_message message = {
        .op = op, .has = GZ_HAS_RID | GZ_HAS_KEY, .rid = ++stage->rid, .key = stage->key};
    if (op == GZ_OP_DELETE) message.remove = (struct gz_ids){&stage->root, 1};
    if (stage->key.size == 0) message.has &= ~GZ_HAS_KEY;
    crowd_forget(stage->editor);
    crowd_send(stage->editor, &message);
}

/* Asks for an edit of all nodes; when this returns, the loop has read it and gone on. */
static void begin(struct stage *stage, enum gz_op op)
{
    ask(stage, op);
    for (int i = 0; i < 2; i++) round_trip(stage);
}

static void end(struct stage *stage)
{
    assert_true(crowd_until(&stage->crowd, is_answered, stage, PATIENCE_S));
}

static long count_nodes(const struct stage *stage)
{
    return net_fixture_measure(stage->fixture.daemon.port, LARGE, "nodes");
}

static void assert_all_or_none(const struct stage *stage)
{
    const long nodes = count_nodes(stage);
    assert_true(nodes == 0 || nodes == stage->nodes);
}

/* ---- what happens meanwhile ---- */

TEST(test_other_scenes_are_served)
{
    static const enum gz_op ops[] = {GZ_OP_DELETE, GZ_OP_UNDO};
    struct stage stage;
    open_stage(&stage, NODES);
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        begin(&stage, ops[i]);
        for (int rounds = 0; rounds < ROUNDS; rounds++) {
            assert_false(shows(&stage));
            round_trip(&stage);
        }
        end(&stage);
        assert_int_equal(count_nodes(&stage), i % 2 == 0 ? 0 : NODES);
    }
    close_stage(&stage);
}

/* The edit is done or not, as a whole; said again by its key, it is done once. */
TEST(test_editor_hangs_up)
{
    struct stage stage;
    open_stage(&stage, FEWER);
    stage.key = (struct gz_text){"once", 4};
    begin(&stage, GZ_OP_DELETE);
    crowd_leave(stage.editor);
    stage.editor = crowd_enter(&stage.crowd, LARGE, GZ_ROLE_EDITOR, 0);
    assert_int_equal(crowd_gather(&stage.crowd, PATIENCE_S), 2);
    assert_all_or_none(&stage);
    assert_int_equal(net_fixture_measure(stage.fixture.daemon.port, LARGE, "users"), 1);
    ask(&stage, GZ_OP_DELETE);
    end(&stage);
    assert_int_equal(count_nodes(&stage), 0);
    close_stage(&stage);
}

/* They wait for the end of the edit, and see it. */
TEST(test_others_come_and_read)
{
    struct raw_response response;
    struct stage stage;
    open_stage(&stage, FEWER);
    begin(&stage, GZ_OP_DELETE);
    assert_all_or_none(&stage);
    struct crowd_member *viewer = crowd_enter(&stage.crowd, LARGE, GZ_ROLE_VIEWER, 0);
    assert_int_equal(crowd_gather(&stage.crowd, PATIENCE_S), 3);
    end(&stage);
    assert_int_equal(viewer->nodes_max, 0);
    begin(&stage, GZ_OP_UNDO);
    raw_request(stage.fixture.daemon.port, "GET", "/scenes/" LARGE "/export", "", NULL, 0,
                &response);
    assert_int_equal(response.status, 200);
    end(&stage);
    begin(&stage, GZ_OP_REDO);
    import(&stage);
    end(&stage);
    assert_int_equal(count_nodes(&stage), FEWER);
    close_stage(&stage);
}

TEST(test_scene_is_deleted)
{
    struct raw_response response;
    struct stage stage;
    open_stage(&stage, FEWER);
    begin(&stage, GZ_OP_DELETE);
    raw_request(stage.fixture.daemon.port, "DELETE", "/scenes/" LARGE, "", NULL, 0, &response);
    assert_int_equal(response.status, 204);
    end(&stage); /* it was asked before */
    close_stage(&stage);
}

TEST(test_daemon_ends)
{
    struct stage stage;
    open_stage(&stage, FEWER);
    begin(&stage, GZ_OP_DELETE);
    net_fixture_stop(&stage.fixture); /* in order */
    crowd_finish(&stage.crowd);
}
