/* Following a part of the scene: after each complete delta its viewer holds exactly that part,
 * which the host finds by going through all nodes with mathematics of its own
 * (support/core_part.h). What is counted here besides: that nobody starts from 0 without need, what
 * is told, what it costs. GIZMOD_SEED and GIZMOD_TIMES choose the runs; a failure is found again
 * with the seed that was printed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/session.h"
#include "feed/state.h"
#include "server/maxima.h"
#include "support/cmocka.h"
#include "unit/core/saying.h"

#define SEEDS 40
#define STEPS 80
#define FOLLOWERS 4
#define MANY 20000

/* ---- asking ---- */

static const struct gz_message *ask_whole(struct client *client)
{
    struct gz_message message = {.op = GZ_OP_INTEREST};
    return client_ask(client, &message);
}

static const struct gz_message *ask_nodes(struct client *client, const uint64_t *ids, size_t count)
{
    struct gz_message message = {
        .op = GZ_OP_INTEREST, .has = GZ_HAS_INTEREST_NODES, .interest.nodes = {ids, count}};
    return client_ask(client, &message);
}

static const struct gz_message *ask_box(struct client *client, double from, double to)
{
    struct gz_message message = {.op = GZ_OP_INTEREST, .has = GZ_HAS_INTEREST_BOX};
    message.interest.box = (gz_box){{from, -5, -5}, {to, 5, 5}};
    return client_ask(client, &message);
}

static const struct gz_message *ask_view(struct client *client, bool view)
{
    struct gz_message message = {
        .op = GZ_OP_INTEREST, .has = GZ_HAS_INTEREST_VIEW, .interest.view = view};
    return client_ask(client, &message);
}

static bool holds(const struct client *client, uint64_t id)
{
    return mirror_find(&client->mirror, id) != NULL;
}

/* ---- a scene: two arms, and a crowd of roots in a row ---- */

struct scene {
    struct host host;
    struct client *a, *b;
    uint64_t left, elbow, hand,
        right; /* hand below elbow below left, at x = -20; right at x = 20 */
};

static void open_scene(struct scene *s)
{
    host_init_limited(&s->host, 1e9); /* large parts, at once */
    s->a = client_join(&s->host, "ann", GZ_ROLE_EDITOR);
    s->b = client_join(&s->host, "bob", GZ_ROLE_VIEWER);
    s->left = create_node(s->a, "left", 0, -20, 0, 0);
    s->elbow = create_node(s->a, "elbow", s->left, 1, 0, 0);
    s->hand = create_node(s->a, "hand", s->elbow, 1, 0, 0);
    s->right = create_node(s->a, "right", 0, 20, 0, 0);
    host_advance(&s->host, 1);
    client_forget(s->b);
    s->b->mirror.snapshots = 0;
}

CLOSE_SCENE_AS_USUAL

/* `count` roots at x = 0, 1, 2 ..., each `stride` places after the one before. */
static void create_strided(struct client *client, size_t count, size_t stride)
{
    struct gz_create_node *nodes = calloc(count, sizeof *nodes);
    assert_non_null(nodes);
    for (size_t i = 0; i < count; i++) {
        nodes[i] = (struct gz_create_node){.has = GZ_HAS_CREATE_NODE_T, .name = {"n", 1}};
        nodes[i].trs.t.x = (double)(i * stride % count);
    }
    struct gz_message create = {.op = GZ_OP_CREATE, .create = {nodes, count}};
    client_say(client, &create);
    host_turn(client->host);
    free(nodes);
}

static void create_row(struct client *client, size_t count)
{
    create_strided(client, count, 1);
}

static void cut_after(struct scene *s, size_t bytes)
{
    s->host.core->feed->delta_bytes = bytes;
}

/* ---- what is in it ---- */

SCENE_TEST(test_interest_in_nodes_is_their_subtrees_and_what_is_above)
{
    assert_ok(ask_nodes(s->b, &s->elbow, 1));
    assert_true(holds(s->b, s->left) && holds(s->b, s->elbow) && holds(s->b, s->hand) &&
                !holds(s->b, s->right));
    uint64_t finger = create_node(s->a, "finger", s->hand, 0, 0, 0);
    uint64_t other = create_node(s->a, "other", s->left, 0, 0, 0);
    assert_true(holds(s->b, finger) && !holds(s->b, other));
    assert_ok(ask_hang(s->a, other, s->hand));
    assert_true(holds(s->b, other));
    assert_ok(ask_hang(s->a, s->elbow, s->right)); /* what is above is another now */
    assert_true(holds(s->b, s->right) && !holds(s->b, s->left));
    assert_int_equal(s->b->mirror.snapshots, 0);
}

SCENE_TEST(test_interest_in_no_nodes_is_nothing)
{
    assert_ok(ask_nodes(s->b, NULL, 0));
    assert_int_equal(s->b->mirror.count, 0);
    (void)create_node(s->a, "new", 0, 0, 0, 0);
    assert_int_equal(s->b->mirror.count, 0);
    assert_int_equal(s->b->mirror.seq, gz_core_summary(s->host.core).seq);
}

SCENE_TEST(test_interest_in_a_node_outlives_it)
{
    assert_ok(ask_nodes(s->b, &s->elbow, 1));
    assert_ok(ask_delete(s->a, s->left));
    assert_int_equal(s->b->mirror.count, 0);
    assert_ok(ask_undo(s->a, false));
    assert_int_equal(s->b->mirror.count, 3);
}

SCENE_TEST(test_interest_in_a_box_is_who_is_there)
{
    assert_ok(ask_box(s->b, 19.7, 30)); /* of half a metre to each side a part */
    assert_true(s->b->mirror.count == 1 && holds(s->b, s->right));
    client_forget(s->b);
    assert_ok(ask_move(s->a, s->hand, 40, 0, 0)); /* comes in, with all above */
    assert_int_equal(s->b->mirror.count, 4);
    const struct gz_delta *delta = &client_last(s->b, GZ_OP_DELTA)->delta;
    assert_int_equal(delta->count, 3);
    assert_ok(ask_move(s->a, s->left, 0, 0, 0)); /* it moves on with what is above */
    assert_true(s->b->mirror.count == 1 && holds(s->b, s->right));
    assert_int_equal(client_last(s->b, GZ_OP_DELTA)->delta.gone.count, 3);
    assert_ok(ask_move(s->a, s->right, 31, 0, 0));
    assert_int_equal(s->b->mirror.count, 0);
    assert_int_equal(s->b->mirror.snapshots, 0);
}

SCENE_TEST(test_interest_of_others_is_no_news)
{
    assert_ok(ask_nodes(s->b, &s->left, 1));
    host_advance(&s->host, 1);
    client_forget(s->b);
    assert_ok(ask_move(s->a, s->right, 1, 2, 3));
    const struct gz_delta *delta = &client_last(s->b, GZ_OP_DELTA)->delta;
    assert_int_equal(client_count(s->b, GZ_OP_DELTA), 1);
    assert_int_equal(delta->count + delta->gone.count, 0);
    assert_int_equal(delta->seq, gz_core_summary(s->host.core).seq);
    assert_int_equal(client_count(s->b, GZ_OP_EDIT), 1); /* that is told to everybody */
    assert_ok(ask_move(s->a, s->hand, 1, 2, 3));
    delta = &client_last(s->b, GZ_OP_DELTA)->delta;
    assert_int_equal(delta->count, 1);
    assert_int_equal(delta->nodes[0].has & (GZ_HAS_STATE_T | GZ_HAS_STATE_R | GZ_HAS_STATE_NAME),
                     GZ_HAS_STATE_T); /* no more than changed */
}

/* ---- what is refused ---- */

SCENE_TEST(test_interest_that_cannot_be_changes_nothing)
{
    assert_ok(ask_nodes(s->b, &s->elbow, 1));
    const uint64_t ids[] = {s->hand, 999};
    const struct gz_message *error = ask_nodes(s->b, ids, COUNT(ids));
    assert_refused(error, GZ_UNKNOWN_NODE);
    assert_int_equal(error->error.nodes.ids[0], 999);
    assert_memory_equal(error->error.message.bytes, "interest.nodes[1]:", 18);
    assert_refused(ask_view(s->b, true), GZ_BAD_STATE);
    assert_int_equal(s->b->mirror.count, 3);
    assert_ok(ask_view(s->b, false)); /* the whole scene */
    assert_int_equal(s->b->mirror.count, 4);
}

/* ---- into it, out of it ---- */

SCENE_TEST(test_interest_is_answered_by_a_delta)
{
    for (int i = 0; i < 2; i++) { /* the second time there is nothing to say */
        size_t deltas = s->b->mirror.deltas;
        assert_ok(ask_whole(s->b));
        assert_int_equal(s->b->mirror.deltas, deltas + 1);
        assert_ok(ask_nodes(s->b, &s->left, 1));
        assert_int_equal(s->b->mirror.deltas, deltas + 2);
        assert_ok(ask_nodes(s->b, &s->left, 1));
        assert_int_equal(s->b->mirror.deltas, deltas + 3);
    }
    assert_int_equal(s->b->mirror.snapshots, 0);
}

TEST(test_interest_in_all_shares_frames_again)
{
    struct scene s;
    open_scene(&s);
    /* only equal forms have equal bytes */
    struct client *c = client_join_as(&s.host, "cho", GZ_ROLE_VIEWER, s.b->packed != NULL);
    assert_ok(ask_box(s.b, -1, 1));
    assert_ok(ask_move(s.a, s.hand, 1, 2, 3));
    assert_ok(ask_whole(s.b));
    assert_int_equal(s.b->mirror.count, 4);
    assert_int_equal(s.b->mirror.snapshots, 0);
    host_advance(&s.host, 1);
    s.b->stalled = c->stalled = true;
    assert_ok(ask_move(s.a, s.hand, 3, 2, 1));
    struct gz_bytes *first = gz_core_next_frame(s.host.core, s.b->session, s.host.now);
    assert_non_null(first);
    struct gz_bytes *second = gz_core_next_frame(s.host.core, c->session, s.host.now);
    assert_ptr_equal(second, first);
    gz_bytes_release(first);
    gz_bytes_release(second);
    host_finish(&s.host);
}

SCENE_TEST(test_interest_before_the_first_delta_begins_from_0)
{
    client_leave(s->b);
    assert_ok(ask_move(s->a, s->right, 1, 2, 3));
    client_resume(s->b); /* of the whole scene */
    assert_ok(ask_nodes(s->b, &s->elbow, 1));
    assert_true(s->b->resumed);
    assert_int_equal(s->b->mirror.snapshots, 1);
    assert_int_equal(s->b->mirror.count, 3);
}

SCENE_TEST(test_interest_in_the_middle_of_a_snapshot_begins_from_0)
{
    create_row(s->a, 100);
    cut_after(s, 500);
    struct client *late = client_enter(&s->host, "joe", GZ_ROLE_VIEWER, false);
    late->stalled = true;
    for (int i = 0; i < 4; i++) assert_true(client_read_one(late));
    assert_true(late->mirror.more && late->mirror.count > 0);
    (void)ask_box(late, 10, 12);
    late->stalled = false;
    host_turn(&s->host);
    assert_int_equal(late->mirror.snapshots, 2);
    assert_int_equal(late->mirror.count, 3);
}

/* ---- what does not fit into one delta ---- */

SCENE_TEST(test_interest_in_pieces_while_the_scene_changes)
{
    create_row(s->a, MANY);
    host_turn(&s->host);
    uint64_t first = s->right + 1;
    s->b->mirror.snapshots = 0;
    s->b->stalled = true;
    cut_after(s, 20000);
    struct gz_message box = {
        .op = GZ_OP_INTEREST, .has = GZ_HAS_INTEREST_BOX | GZ_HAS_RID, .rid = 900};
    box.interest.box = (gz_box){{10, -5, -5}, {MANY / 2, 5, 5}};
    client_say(s->b, &box);
    host_turn(&s->host);
    assert_true(client_read_one(s->b) && client_read_one(s->b)); /* the answer; a first piece */
    assert_true(s->b->mirror.more);
    assert_ok(ask_move(s->a, first + 100, 0, 0, 0));        /* out */
    assert_ok(ask_move(s->a, first + MANY - 1, 100, 0, 0)); /* in */
    assert_ok(ask_move(s->a, first + 101, 101.5, 0, 0));    /* stays */
    assert_ok(ask_delete(s->a, first + 102));
    assert_true(client_read_one(s->b));
    assert_ok(ask_hang(s->a, first + 103, first + 5));
    assert_ok(ask_whole(s->a));
    s->b->stalled = false;
    host_turn(&s->host);
    assert_int_equal(s->b->mirror.snapshots, 0);
    s->b->stalled = true;
    struct gz_message whole = {.op = GZ_OP_INTEREST, .has = GZ_HAS_RID, .rid = 901};
    client_say(s->b, &whole);
    host_turn(&s->host);
    assert_true(client_read_one(s->b) && client_read_one(s->b));
    assert_true(s->b->mirror.more);
    assert_ok(ask_move(s->a, first + 200, 1, 2, 3));
    assert_ok(ask_delete(s->a, first + 201));
    s->b->stalled = false;
    host_turn(&s->host);
    assert_int_equal(s->b->mirror.snapshots, 0);
}

/* A node that was to be told gone comes back before its turn, and is another by then. */
SCENE_TEST(test_interest_news_that_are_none_any_more)
{
    create_row(s->a, 200);
    uint64_t first = s->right + 1;
    assert_ok(ask_box(s->b, -1, 199.5));
    cut_after(s, 200);
    s->b->stalled = true;
    struct gz_set_node away[100];
    for (size_t i = 0; i < COUNT(away); i++)
        away[i] =
            (struct gz_set_node){.has = GZ_HAS_SET_NODE_T, .id = first + i, .trs.t = {1000, 0, 0}};
    struct gz_message set = {.op = GZ_OP_SET, .set = {.nodes = away, .count = COUNT(away)}};
    assert_ok(client_ask(s->a, &set));
    assert_true(client_read_one(s->b));
    assert_true(s->b->mirror.more);
    for (size_t i = 0; i < COUNT(away); i++) {
        if (!holds(s->b, first + i)) continue;
        assert_ok(ask_rename(s->a, first + i, "other"));
        assert_ok(ask_move(s->a, first + i, 7, 0, 0));
    }
    s->b->stalled = false;
    host_turn(&s->host);
    assert_int_equal(s->b->mirror.snapshots, 0);
}

/* What was told goes, what was not told yet is passed over. */
SCENE_TEST(test_interest_that_changes_in_the_middle_of_its_pieces)
{
    create_strided(s->a, 2000, 787); /* so that the ids of a box are scattered */
    assert_ok(ask_nodes(s->b, NULL, 0));
    cut_after(s, 1000);
    s->b->stalled = true;
    for (uint64_t rid = 900; rid < 940; rid++) {
        struct gz_message box = {
            .op = GZ_OP_INTEREST, .has = GZ_HAS_INTEREST_BOX | GZ_HAS_RID, .rid = rid};
        box.interest.box =
            (gz_box){{(double)(rid % 7) * 100, -5, -5}, {(double)(rid % 7) * 100 + 700, 5, 5}};
        client_say(s->b, &box);
        gz_core_turn(s->host.core, s->host.now);
        for (uint64_t i = 0; i < 2 + rid % 15; i++) (void)client_read_one(s->b);
    }
    assert_true(s->b->mirror.more && s->b->mirror.count > 100);
    assert_ok(ask_move(s->a, s->right + 300, 0, 0, 0));
    struct gz_message nothing = {
        .op = GZ_OP_INTEREST, .has = GZ_HAS_INTEREST_NODES | GZ_HAS_RID, .rid = 999};
    client_say(s->b, &nothing);
    s->b->stalled = false;
    host_turn(&s->host);
    assert_int_equal(s->b->mirror.count, 0);
    assert_int_equal(s->b->mirror.snapshots, 0);
}

/* ---- falling behind ---- */

static void delete_row(struct scene *s, uint64_t first, size_t count)
{
    uint64_t *ids = calloc(count, sizeof *ids);
    assert_non_null(ids);
    for (size_t i = 0; i < count; i++) ids[i] = first + i;
    struct gz_message delete = {.op = GZ_OP_DELETE, .remove = {ids, count}};
    client_say(s->a, &delete);
    host_turn(&s->host);
    free(ids);
}

SCENE_TEST(test_interest_past_forgotten_graves_needs_no_new_beginning)
{
    const size_t count = GZ_TOMBSTONES_MAX + 100;
    uint64_t first = s->right + 1;
    for (size_t done = 0; done < count; done += MANY)
        create_row(s->a, count - done < MANY ? count - done : MANY);
    host_advance(&s->host, 1);
    client_forget(s->a);
    client_forget(s->b);
    struct client *late = client_join(&s->host, "joe", GZ_ROLE_VIEWER);
    double end = (double)(count % MANY);
    assert_ok(ask_box(s->b, end - 10,
                      end)); /* of each row some; the last ones are deleted first, and forgotten */
    s->b->mirror.snapshots = late->mirror.snapshots = 0;
    assert_true(s->b->mirror.count > 30);
    s->b->stalled = late->stalled = true;
    delete_row(s, first, count);
    s->b->stalled = late->stalled = false;
    struct gz_message box = {
        .op = GZ_OP_INTEREST, .has = GZ_HAS_INTEREST_BOX | GZ_HAS_RID, .rid = 900};
    box.interest.box = (gz_box){{19, -5, -5}, {21, 5, 5}};
    client_say(late, &box); /* who followed the whole scene cannot know what went */
    host_turn(&s->host);
    assert_int_equal(s->b->mirror.count, 0);
    assert_int_equal(s->b->mirror.snapshots, 0);
    assert_int_equal(late->mirror.count, 1);
    assert_int_equal(late->mirror.snapshots, 1);
}

/* ---- what the camera sees ---- */

SCENE_TEST(test_interest_in_the_view_follows_the_camera)
{
    assert_ok(ask_camera(s->b, 10)); /* 40 / 3 to each side at x = 0 */
    assert_ok(ask_view(s->b, true));
    assert_int_equal(s->b->mirror.count, 0);
    host_advance(&s->host, 1);
    assert_ok(ask_camera(s->b, 18));
    assert_int_equal(s->b->mirror.count, 4);
    assert_ok(ask_camera(s->b, 10));
    assert_int_equal(s->b->mirror.count, 4); /* not so soon */
    host_advance(&s->host, 0.2);
    assert_int_equal(s->b->mirror.count, 0);
    assert_ok(ask_move(s->a, s->hand, 22, 0, 0)); /* the camera rests: at once */
    assert_int_equal(s->b->mirror.count, 3);
    assert_int_equal(s->b->mirror.snapshots, 0);
}

SCENE_TEST(test_interest_in_the_view_is_looked_at_ten_times_a_second)
{
    assert_ok(ask_camera(s->b, 10));
    assert_ok(ask_view(s->b, true));
    host_advance(&s->host, 1);
    client_forget(s->b);
    for (int i = 0; i < 1000; i++) {
        struct gz_message camera = camera_message(10 + 0.01 * i);
        client_say(s->b, &camera);
        host_advance(&s->host, 0.001);
    }
    size_t looks = client_count(s->b, GZ_OP_DELTA);
    assert_true(looks >= 9 && looks <= 11);
    struct gz_message camera = camera_message(40);
    client_say(s->b, &camera);
    double last = s->host.now.mono_s + 0.11; /* it is looked at although nothing comes any more */
    for (double due; (due = gz_core_deadline(s->host.core)) < last;)
        host_advance(&s->host, fmax(0, due - s->host.now.mono_s));
    assert_int_equal(s->b->mirror.count, 4);
    client_forget(s->b);
    host_advance(&s->host, 10);
    assert_int_equal(client_count(s->b, GZ_OP_DELTA), 0);
}

/* A camera at the origin that looks along +x, where `right` is, with the two numbers of its
 * projection that say depth. */
static struct gz_message camera_of_depth(double slope, double start, bool parallel)
{
    static const double view[16] = {0, 0, -1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1};
    struct gz_message camera = camera_message(0);
    memcpy(camera.camera.view, view, sizeof view);
    camera.camera.proj[10] = slope;
    camera.camera.proj[14] = start;
    camera.camera.proj[11] = parallel ? 0 : -1;
    camera.camera.proj[15] = parallel ? 1 : 0;
    return camera;
}

SCENE_TEST(test_interest_in_the_view_knows_every_depth)
{
    static const struct {
        double slope, start;
        bool parallel, seen, turned;
    } cases[] = {
        {-1.02, -0.202, false, false, false},  /* from -1 at 0.1 m to 1 at 10.1 m */
        {-1.01, -0.101, false, false, false},  /* from 0 to 1 */
        {-1.002, -0.2002, false, true, false}, /* from -1 at 0.1 m to 1 at 100 m */
        {-1.001, -0.1001, false, true, false}, /* from 0 to 1 */
        {0.001, 0.1001, false, true, false},   /* from 1 to 0 */
        {0, 0.1, false, true, false},          /* from 1 to 0, without an end */
        {-1, -0.2, false, true, false},        /* from -1 to 1, without an end */
        {-0.1, -1, true, true, false},         /* in parallel, from -1 at 0 m to 1 at 20 m */
        {-0.2, -1, true, false, false},        /* to 10 m */
        {-0.01, 0, true, true, false},         /* from 0 to 1 at 100 m */
        {-0.1, -1, true, true,
         true}, /* as before, and all signs turned: clip coordinates are worth the same */
        {-0.2, -1, true, false, true},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct gz_message camera =
            camera_of_depth(cases[i].slope, cases[i].start, cases[i].parallel);
        for (int k = 0; k < 16 && cases[i].turned; k++)
            camera.camera.proj[k] = -camera.camera.proj[k];
        assert_ok(client_ask(s->b, &camera));
        assert_ok(ask_view(s->b, true));
        assert_int_equal(holds(s->b, s->right), cases[i].seen);
        if (cases[i].start != 0) assert_false(holds(s->b, s->left)); /* behind */
    }
}

/* What is so far away that no number says where may be seen, but is in no box. */
SCENE_TEST(test_interest_in_what_is_nowhere)
{
    uint64_t id = s->right;
    for (int i = 0; i < 25; i++) {
        struct gz_create_node node = {.has = GZ_HAS_CREATE_NODE_S | GZ_HAS_CREATE_NODE_T |
                                             GZ_HAS_CREATE_NODE_PARENT,
                                      .parent = id,
                                      .name = {"n", 1}};
        node.trs.s = (gz_vec3){1e15, 1e15, 1e15};
        node.trs.t = (gz_vec3){1e15, -1e15, 1e15};
        struct gz_message create = {.op = GZ_OP_CREATE, .create = {&node, 1}};
        const struct gz_message *ok = client_ask(s->a, &create);
        assert_ok(ok);
        id = ok->ok.ids.ids[0];
    }
    assert_ok(ask_camera(s->b, 10));
    assert_ok(ask_view(s->b, true));
    assert_true(holds(s->b, id) && !holds(s->b, s->left));
    struct gz_message box = {.op = GZ_OP_INTEREST, .has = GZ_HAS_INTEREST_BOX};
    box.interest.box = (gz_box){{-1e15, -1e15, -1e15}, {1e15, 1e15, 1e15}};
    assert_ok(client_ask(s->b, &box));
    assert_true(!holds(s->b, id) && holds(s->b, s->left));
}

/* ---- at random ---- */

struct game {
    struct host host;
    struct client *a, *followers[FOLLOWERS];
    uint64_t random;
    bool cuts;
};

static uint64_t below(struct game *game, uint64_t limit)
{
    return chance_below(&game->random, limit);
}

static double between(struct game *game, double low, double high)
{
    return low + (high - low) * (double)below(game, 1 << 20) / (1 << 20);
}

static uint64_t any_node(struct game *game)
{
    const struct mirror *mirror = &game->a->mirror;
    return mirror->count > 0 ? mirror->nodes[below(game, mirror->count)].id : 1;
}

static gz_vec3 any_place(struct game *game, double reach)
{
    return (gz_vec3){between(game, -reach, reach), between(game, -reach, reach),
                     between(game, -reach, reach)};
}

static void say(struct client *client, struct gz_message *message)
{
    message->has |= GZ_HAS_RID;
    message->rid = client->next_rid++;
    client_say(client, message);
}

static void say_creation(struct game *game)
{
    struct gz_create_node nodes[12];
    size_t count = 1 + below(game, COUNT(nodes));
    for (size_t i = 0; i < count; i++) {
        nodes[i] = (struct gz_create_node){.has = GZ_HAS_CREATE_NODE_T | GZ_HAS_CREATE_NODE_R |
                                                  GZ_HAS_CREATE_NODE_PARENT,
                                           .name = {"n", 1}};
        nodes[i].parent = below(game, 3) == 0 ? 0 : any_node(game);
        nodes[i].trs.t = any_place(game, 4);
        nodes[i].trs.r = gz_quat_about((gz_vec3){0, 0, 1}, between(game, -3, 3));
        if (below(game, 3) > 0) {
            nodes[i].has |= GZ_HAS_CREATE_NODE_BOUNDS;
            nodes[i].bounds = (gz_box){{-0.5, -0.5, -0.5}, {between(game, 0, 2), 0.5, 0.5}};
        }
    }
    struct gz_message create = {.op = GZ_OP_CREATE, .create = {nodes, count}};
    say(game->a, &create);
}

/* Several nodes at once, so that what is above and what is below change places in one edit. */
static void say_changes(struct game *game)
{
    struct gz_set_node nodes[6];
    size_t count = 0, wanted = 1 + below(game, COUNT(nodes));
    for (size_t tries = 0; tries < 20 && count < wanted; tries++) {
        uint64_t id = any_node(game);
        bool twice = false;
        for (size_t i = 0; i < count; i++) twice |= nodes[i].id == id;
        if (twice) continue;
        struct gz_set_node *node = &nodes[count++];
        *node = (struct gz_set_node){.id = id, .trs = gz_trs_identity, .name = {"renamed", 7}};
        const uint64_t parts[] = {GZ_HAS_SET_NODE_T,      GZ_HAS_SET_NODE_R,
                                  GZ_HAS_SET_NODE_S,      GZ_HAS_SET_NODE_NAME,
                                  GZ_HAS_SET_NODE_PARENT, GZ_HAS_SET_NODE_PARENT};
        node->has = parts[below(game, COUNT(parts))] | parts[below(game, COUNT(parts))];
        node->trs.t = any_place(game, 4);
        node->trs.r = gz_quat_about((gz_vec3){0, 1, 0}, between(game, -3, 3));
        node->trs.s.x = between(game, 0.5, 2);
        node->parent = below(game, 4) == 0 ? 0 : any_node(game);
        node->name.size = below(game, 8);
    }
    struct gz_message set = {.op = GZ_OP_SET, .set = {.nodes = nodes, .count = count}};
    say(game->a, &set);
}

static void change_something(struct game *game)
{
    uint64_t id = any_node(game), seq = gz_core_summary(game->host.core).seq;
    struct gz_message message = {.op = GZ_OP_UNDO, .force = true};
    switch (below(game, 16)) {
    case 0:
    case 1:
    case 2: say_creation(game); return;
    case 3: message = (struct gz_message){.op = GZ_OP_DELETE, .remove = {&id, 1}}; break;
    case 4:
    case 5: break;
    case 6: message.op = GZ_OP_REDO; break;
    case 7:
        if (below(game, 4) > 0) return;
        message = (struct gz_message){
            .op = GZ_OP_RESTORE, .has = GZ_HAS_AT_SEQ, .restore.seq = 1 + below(game, seq + 1)};
        break;
    default: say_changes(game); return;
    }
    say(game->a, &message);
}

static struct gz_message any_interest(struct game *game)
{
    static uint64_t ids[8];
    struct gz_message message = {.op = GZ_OP_INTEREST};
    gz_vec3 corner = any_place(game, 6);
    size_t count = 0;
    switch (below(game, 8)) {
    case 0: break;
    case 1:
    case 2:
        for (uint64_t tries = below(game, COUNT(ids)); tries > 0; tries--) {
            uint64_t id = any_node(game);
            bool twice = false;
            for (size_t i = 0; i < count; i++) twice |= ids[i] == id;
            if (!twice) ids[count++] = id;
        }
        message.has = GZ_HAS_INTEREST_NODES;
        message.interest.nodes = (struct gz_ids){ids, count};
        break;
    case 3:
    case 4:
        message.has = GZ_HAS_INTEREST_VIEW;
        message.interest.view = true;
        break;
    default:
        message.has = GZ_HAS_INTEREST_BOX;
        message.interest.box.min = corner;
        message.interest.box.max =
            gz_add(corner, (gz_vec3){between(game, 0, 9), between(game, 0, 9), 6});
        break;
    }
    return message;
}

static void follow_something(struct game *game, struct client *client)
{
    struct gz_message message = any_interest(game);
    say(client, &message);
}

static void look_somewhere(struct game *game, struct client *client)
{
    struct gz_message camera = camera_message(between(game, 1, 12));
    gz_affine view = {
        .linear = gz_mat3_from_quat(gz_quat_about((gz_vec3){0, 1, 0}, between(game, -3, 3)))};
    view.origin = gz_negate(gz_mat3_apply(&view.linear, any_place(game, 5)));
    if (below(game, 2) == 0) gz_affine_to_matrix(&view, camera.camera.view);
    camera.camera.proj[0] = between(game, 0.5, 3);
    if (below(game, 3) == 0) { /* with an end not far away */
        camera.camera.proj[10] = -1.1;
        camera.camera.proj[14] = -0.5;
    }
    say(client, &camera);
}

static void disturb(struct game *game)
{
    struct client *client = game->followers[below(game, FOLLOWERS)];
    switch (below(game, 12)) {
    case 0: client->stalled = !client->stalled; break;
    case 1:
    case 2: (void)client_read_one(client); break;
    case 3:
    case 4: follow_something(game, client); break;
    case 5:
    case 6: look_somewhere(game, client); break;
    case 7: game->host.disk = below(game, 3) == 0 ? DISK_REFUSES : DISK_COMMITS; break;
    case 8:
        client_leave(client);
        client_resume(client);
        look_somewhere(game, client);
        if (below(game, 2) == 0) follow_something(game, client);
        break;
    default: host_advance(&game->host, between(game, 0, 0.15)); break;
    }
}

static void play(uint64_t seed)
{
    struct game *game = calloc(1, sizeof *game);
    assert_non_null(game);
    game->random = seed;
    host_init(&game->host);
    game->host.core->slice_nodes = 5 + below(game, 40);
    if (seed % 3 > 0) game->host.core->feed->delta_bytes = seed % 3 == 1 ? 300 : 3000;
    game->a = client_join(&game->host, "ann", GZ_ROLE_EDITOR);
    for (int i = 0; i < 12; i++) say_creation(game);
    for (int i = 0; i < FOLLOWERS; i++) {
        game->followers[i] = client_join(&game->host, "bob", GZ_ROLE_VIEWER);
        look_somewhere(game, game->followers[i]);
        follow_something(game, game->followers[i]);
    }
    for (int step = 0; step < STEPS; step++) {
        for (uint64_t i = below(game, 5); i > 0; i--) change_something(game);
        if (below(game, 2) == 0) disturb(game);
        if (below(game, 2) == 0) host_turn(&game->host);
        client_forget(game->a);
    }
    for (int i = 0; i < FOLLOWERS; i++) game->followers[i]->stalled = false;
    host_advance(&game->host, 1);
    host_assert_equal(&game->host);
    host_finish(&game->host);
    free(game);
}

TEST(test_interest_holds_exactly_its_part)
{
    uint64_t first = chance_seed(1), count = chance_count(SEEDS);
    for (uint64_t seed = first; seed < first + count; seed++) {
        fprintf(stderr, "GIZMOD_SEED=%llu\r",
                (unsigned long long)seed); /* what is read where it fails */
        play(seed);
    }
}
