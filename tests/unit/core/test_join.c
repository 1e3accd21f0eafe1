/* Who joins during 16 running drags holds the server's scene, bit for bit: at its first whole
 * state, not only later on. The scene is large enough for snapshots that are cut, with drags, edits
 * and deletions between their parts. GIZMOD_TIMES scales the 500 who join (10,000 in the long
 * suite), GIZMOD_SEED chooses them. */
#include <stdio.h>
#include <string.h>

#include "proto/limits.h"
#include "support/chance.h"
#include "support/cmocka.h"
#include "unit/core/saying.h"

#define DRAGS 16
#define NODES_LARGE 1500
#define NODES_SMALL 64
#define DISTANCE 10.0

struct joins {
    struct host host;
    struct client *draggers[DRAGS], *editor, *joiner;
    uint64_t nodes, random;
    uint64_t made; /* a node that comes and goes; 0 while it is not there */
};

static uint64_t below(struct joins *joins, uint64_t limit)
{
    return chance_below(&joins->random, limit);
}

static void make_nodes(struct joins *joins)
{
    static struct gz_create_node nodes[NODES_LARGE];
    static char name[GZ_NAME_BYTES_MAX];
    memset(name, 'n', sizeof name);
    for (size_t i = 0; i < joins->nodes; i++)
        nodes[i] =
            (struct gz_create_node){.has = 0, .name = {name, sizeof name}, .trs = gz_trs_identity};
    struct gz_message create = {.op = GZ_OP_CREATE, .create = {nodes, joins->nodes}};
    assert_ok(client_ask(joins->editor, &create));
}

static void begin(struct joins *joins, uint64_t nodes)
{
    *joins = (struct joins){.nodes = nodes, .random = chance_seed(1)};
    host_init(&joins->host);
    joins->editor = client_join(&joins->host, "eve", GZ_ROLE_EDITOR);
    make_nodes(joins);
    joins->joiner = client_join(&joins->host, "joe", GZ_ROLE_VIEWER);
    client_leave(joins->joiner);
    for (size_t i = 0; i < DRAGS; i++) {
        char user[16];
        snprintf(user, sizeof user, "dragger-%zu", i);
        joins->draggers[i] = client_join(&joins->host, user, GZ_ROLE_EDITOR);
        assert_ok(ask_camera(joins->draggers[i], DISTANCE));
        assert_ok(ask_grab(joins->draggers[i], i % 2 == 0 ? GZ_TXY : GZ_RZ, 1 + i, MIDDLE_X + 60,
                           MIDDLE_Y));
    }
}

/* Some of the drags go on; now and then somebody edits one of the other nodes, or makes one and
 * deletes it. */
static void go_on(struct joins *joins)
{
    for (size_t i = 0; i < DRAGS; i++) {
        struct gz_message move =
            pointer_message(GZ_PHASE_MOVE, MIDDLE_X + (double)below(joins, 4000) / 7,
                            MIDDLE_Y + (double)below(joins, 1000) / 3, 0);
        if (below(joins, 3) > 0) client_say(joins->draggers[i], &move);
    }
    uint64_t id = DRAGS + 1 + below(joins, joins->nodes - DRAGS);
    if (below(joins, 4) == 0)
        (void)ask_move(joins->editor, id, (double)below(joins, 1000) / 3, 0, 0);
    if (below(joins, 8) == 0 && joins->made != 0) {
        assert_ok(ask_delete(joins->editor, joins->made));
        joins->made = 0;
    } else if (below(joins, 8) == 0 && joins->made == 0) {
        joins->made = create_node(joins->editor, "made", id, 1, 2, 3);
    }
    host_advance(&joins->host, 0.001 * (double)below(joins, 30));
    for (size_t i = 0; i < DRAGS; i++) client_forget(joins->draggers[i]);
    client_forget(joins->editor);
}

static void assert_holds_the_scene(struct joins *joins, const struct client *client)
{
    struct gz_arena arena;
    size_t count;
    gz_arena_init(&arena, SIZE_MAX / 2);
    const struct gz_node_record *nodes = host_nodes(&joins->host, &arena, &count);
    assert_int_equal(client->mirror.seq, gz_core_summary(joins->host.core).seq);
    mirror_assert_equal(&client->mirror, nodes, count);
    gz_arena_finish(&arena);
}

/* Takes its snapshot frame by frame, and looks at it at the moment at which it is whole. Returns
 * how many deltas it was. */
static size_t join_once(struct joins *joins)
{
    struct client *joiner = joins->joiner;
    client_enter_again(joiner);
    joiner->stalled = true;
    do {
        if (below(joins, 2) == 0) go_on(joins);
        client_read_piece(joiner);
    } while (joiner->mirror.deltas == 0 || joiner->mirror.more);
    assert_holds_the_scene(joins, joiner);
    size_t deltas = joiner->mirror.deltas;
    assert_int_equal(joiner->mirror.snapshots, 1);
    joiner->stalled = false;
    go_on(joins);
    assert_holds_the_scene(joins, joiner);
    client_leave(joiner);
    return deltas;
}

static size_t join_many(uint64_t nodes, uint64_t count)
{
    static struct joins joins;
    size_t cut = 0;
    begin(&joins, nodes);
    for (uint64_t i = 0; i < count; i++) cut += join_once(&joins) > 1;
    for (size_t i = 0; i < DRAGS; i++) { /* they ran all the time */
        assert_ok(ask_pointer(joins.draggers[i], GZ_PHASE_UP, MIDDLE_X + 90, MIDDLE_Y + 40));
        assert_true(client_last(joins.draggers[i], GZ_OP_OK)->has & GZ_HAS_OK_EDIT);
    }
    host_assert_equal(&joins.host);
    host_finish(&joins.host);
    return cut;
}

TEST(test_join_during_16_drags_holds_the_scene)
{
    assert_int_equal(join_many(NODES_SMALL, chance_count(500)), 0);
}

TEST(test_join_in_pieces_during_16_drags_holds_the_scene)
{
    uint64_t count = chance_count(500) / 10;
    assert_int_equal(join_many(NODES_LARGE, count), count);
}

/* Whatever was edited last: by id, but a parent right before the first node below it. */
TEST(test_join_snapshot_is_ordered)
{
    static const uint64_t order[] = {2, 5, 1, 3, 4, 6};
    struct host host;
    host_init(&host);
    struct client *ann = client_join(&host, "ann", GZ_ROLE_EDITOR);
    for (int i = 0; i < 6; i++) (void)create_node(ann, "n", 0, i, 0, 0);
    static const uint64_t hung[][2] = {{1, 5}, {5, 2}, {3, 1}};
    for (size_t i = 0; i < COUNT(hung); i++) {
        const struct gz_set_node node = {
            .has = GZ_HAS_SET_NODE_PARENT, .id = hung[i][0], .parent = hung[i][1]};
        struct gz_message message = {.op = GZ_OP_SET, .set = {&node, 1, 0}};
        assert_ok(client_ask(ann, &message));
    }
    assert_ok(ask_move(ann, 2, 7, 0, 0));
    struct client *bob = client_join(&host, "bob", GZ_ROLE_VIEWER);
    const struct gz_message *delta = client_last(bob, GZ_OP_DELTA);
    assert_int_equal(delta->delta.count, COUNT(order));
    for (size_t i = 0; i < COUNT(order); i++) assert_int_equal(delta->delta.nodes[i].id, order[i]);
    host_finish(&host);
}
