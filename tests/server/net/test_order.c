/* What clients rely on: a snapshot comes by id, over whatever is done and across restarts; the
 * order of the ids is the file's. */
#include "net_fixture.h"

#include <stdlib.h>

#define SCENE "ordered"
#define NODES_MAX 64

/* A viewer's nodes, by id. */
struct order {
    uint64_t ids[NODES_MAX], parents[NODES_MAX], seq;
    size_t count;
};

/* Large, so not on the stack. */
struct reader {
    struct raw_frame frame;
    struct gz_arena arena;
    int socket;
};

static void forget(struct order *order, uint64_t id)
{
    size_t kept = 0;
    for (size_t i = 0; i < order->count; i++) {
        if (order->ids[i] == id) continue;
        order->ids[kept] = order->ids[i];
        order->parents[kept++] = order->parents[i];
    }
    order->count = kept;
}

static void insert(struct order *order, uint64_t id, uint64_t parent)
{
    size_t at = order->count++;
    assert_true(at < NODES_MAX);
    for (; at > 0 && order->ids[at - 1] > id; at--) {
        order->ids[at] = order->ids[at - 1];
        order->parents[at] = order->parents[at - 1];
    }
    order->ids[at] = id;
    order->parents[at] = parent;
}

static void apply(struct order *order, const struct gz_delta *delta)
{
    if (delta->from == 0) order->count = 0;
    for (size_t i = 0; i < delta->gone.count; i++) forget(order, delta->gone.ids[i]);
    for (size_t i = 0; i < delta->count; i++) {
        const struct gz_node_state *node = &delta->nodes[i];
        uint64_t parent = node->parent;
        for (size_t k = 0; k < order->count; k++)
            if (order->ids[k] == node->id && !(node->has & GZ_HAS_STATE_PARENT))
                parent = order->parents[k];
        forget(order, node->id);
        insert(order, node->id, parent);
    }
    order->seq = delta->seq;
}

static struct reader *open_reader(const struct net_fixture *fixture)
{
    struct reader *reader = malloc(sizeof *reader);
    assert_non_null(reader);
    reader->frame.size = reader->frame.taken = 0;
    gz_arena_init(&reader->arena, 0);
    reader->socket = raw_open(fixture->daemon.port);
    assert_true(raw_send_hello(reader->socket, SCENE, "ann"));
    return reader;
}

static void close_reader(struct reader *reader)
{
    close(reader->socket);
    gz_arena_finish(&reader->arena);
    free(reader);
}

/* Reads on until the whole scene is as of `seq` at least. */
static void follow(struct reader *reader, struct order *order, uint64_t seq)
{
    struct gz_message delta = {.delta.more = true};
    while (delta.delta.more || order->seq < seq) {
        assert_true(
            raw_read_on(reader->socket, GZ_OP_DELTA, &reader->frame, &reader->arena, &delta));
        apply(order, &delta.delta);
    }
}

/* The snapshot as it is told: in one delta. */
static void join(const struct net_fixture *fixture, struct order *order)
{
    struct reader *reader = open_reader(fixture);
    struct gz_message delta;
    *order = (struct order){.count = 0};
    assert_true(raw_read_on(reader->socket, GZ_OP_DELTA, &reader->frame, &reader->arena, &delta));
    assert_true(!delta.delta.more && delta.delta.count < NODES_MAX);
    for (size_t i = 0; i < delta.delta.count; i++) {
        order->ids[i] = delta.delta.nodes[i].id;
        order->parents[i] = delta.delta.nodes[i].parent;
    }
    order->count = delta.delta.count;
    close_reader(reader);
}

static void assert_snapshot(const struct net_fixture *fixture, const struct order *expected,
                            const char *what)
{
    struct order snapshot;
    join(fixture, &snapshot);
    bool is_same = snapshot.count == expected->count;
    for (size_t i = 0; i < expected->count && is_same; i++)
        is_same =
            snapshot.ids[i] == expected->ids[i] && snapshot.parents[i] == expected->parents[i];
    if (is_same) return;
    for (size_t i = 0; i < snapshot.count; i++)
        print_message("%zu: node %llu, expected %llu\n", i, (unsigned long long)snapshot.ids[i],
                      (unsigned long long)(i < expected->count ? expected->ids[i] : 0));
    fail_msg("%s: %zu nodes, expected %zu, in another order", what, snapshot.count,
             expected->count);
}

/* The seq of the `ok`; *first is the first of its ids, if it has some. */
static uint64_t ask(struct reader *editor, struct gz_message message, uint64_t *first)
{
    struct gz_message ok;
    message.has |= GZ_HAS_RID;
    message.rid = 7;
    assert_true(raw_send_message(editor->socket, &message));
    do assert_true(raw_read_on(editor->socket, GZ_OP_OK, &editor->frame, &editor->arena, &ok));
    while (ok.rid != 7);
    if (first != NULL && ok.ok.ids.count > 0) *first = ok.ok.ids.ids[0];
    return ok.ok.seq;
}

static struct gz_message place(struct gz_set_node *nodes, uint64_t a, uint64_t b, double x)
{
    nodes[0] = (struct gz_set_node){.has = GZ_HAS_STATE_T, .id = a, .trs = gz_trs_identity};
    nodes[1] = (struct gz_set_node){.has = GZ_HAS_STATE_T, .id = b, .trs = gz_trs_identity};
    nodes[0].trs.t.x = nodes[1].trs.t.x = x;
    return (struct gz_message){.op = GZ_OP_SET, .set = {.nodes = nodes, .count = a == b ? 1 : 2}};
}

/* Drags two nodes; the seq of the drag's end. */
static uint64_t drag(struct reader *editor, const uint64_t nodes[2], double value)
{
    struct gz_message message = {.op = GZ_OP_GRAB,
                                 .has = GZ_HAS_POINTER_NODES | GZ_HAS_POINTER_VALUE,
                                 .pointer = {.handle = GZ_TY, .value = {{value}, 1}}};
    message.pointer.nodes = (struct gz_ids){nodes, 2};
    (void)ask(editor, message, NULL);
    message = (struct gz_message){.op = GZ_OP_POINTER, .pointer.phase = GZ_PHASE_UP};
    return ask(editor, message, NULL);
}

enum { ACTS = 8 };

/* Does the act of this number to nodes that `first` is the first of; the seq of its answer. */
static uint64_t act(struct reader *editor, size_t number, uint64_t first)
{
    struct gz_set_node nodes[2];
    struct gz_message message;
    const double x = (double)number;
    const uint64_t some[] = {first + 2, first};
    switch (number % ACTS) {
    case 0: message = place(nodes, first + 3, first + 1, x); break;
    case 1: message = (struct gz_message){.op = GZ_OP_DELETE, .remove = {some, 1}}; break;
    case 2: message = place(nodes, first, first, x); break;
    case 3:                                                         /* the place */
    case 4: message = (struct gz_message){.op = GZ_OP_UNDO}; break; /* and the deleted node */
    case 5:
        message = place(nodes, first + 4, first + 4, x);
        nodes[0].has = GZ_HAS_STATE_PARENT;
        nodes[0].parent = number < ACTS ? first + 1 : 0;
        break;
    case 6: return drag(editor, some, x);
    default: message = place(nodes, first + 5, first + 4, x); break;
    }
    return ask(editor, message, NULL);
}

/* What a viewer has that was told of each change is what a newcomer gets, by id; so it is after the
 * end of the daemon, whichever it was. */
TEST(test_snapshot_comes_by_id)
{
    struct net_fixture fixture;
    struct order order = {.count = 0};
    struct gz_create_node nodes[6];
    uint64_t first = 0;
    net_fixture_start(&fixture, NULL, NULL);
    for (size_t i = 0; i < 6; i++)
        nodes[i] = (struct gz_create_node){.name = {"node", 4}, .trs = gz_trs_identity};
    for (int life = 0; life < 3; life++) {
        struct reader *editor = open_reader(&fixture), *watcher = open_reader(&fixture);
        const struct order before = order;
        order.seq = 0;
        follow(watcher, &order, 0);
        if (life > 0) assert_snapshot(&fixture, &before, "after a restart");
        if (life == 0)
            (void)ask(editor, (struct gz_message){.op = GZ_OP_CREATE, .create = {nodes, 6}},
                      &first);
        for (size_t what = 0; what < 2 * ACTS; what++) {
            char words[32];
            const uint64_t seq = act(editor, what, first);
            snprintf(words, sizeof words, "life %d, act %zu", life, what);
            follow(watcher, &order, seq);
            assert_snapshot(&fixture, &order, words);
        }
        close_reader(editor);
        close_reader(watcher);
        if (life == 0)
            assert_int_equal(test_daemon_stop(&fixture.daemon), 0);
        else
            test_daemon_kill(&fixture.daemon);
        test_daemon_start(&fixture.daemon, NULL, NULL);
        net_fixture_renew_witness(&fixture);
    }
    assert_snapshot(&fixture, &order, "in the end");
    net_fixture_stop(&fixture);
}

/* Parents before their children, siblings as the file lists them, whatever its order of nodes. */
TEST(test_ids_are_in_the_order_of_the_file)
{
    static const char file[] =
        "{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{\"nodes\":[1,2]}],\"nodes\":["
        "{\"name\":\"leaf\"},{\"name\":\"a\",\"children\":[3,0]},{\"name\":\"b\"},"
        "{\"name\":\"mid\",\"children\":[4]},{\"name\":\"deep\"}]}";
    struct net_fixture fixture;
    struct raw_response response;
    struct order order;
    char headers[64];
    uint64_t of_asset[5] = {0};
    net_fixture_start(&fixture, NULL, NULL);
    snprintf(headers, sizeof headers, "Content-Length: %zu\r\n", sizeof file - 1);
    raw_request(fixture.daemon.port, "PUT", "/scenes/" SCENE, headers, file, sizeof file - 1,
                &response);
    assert_int_equal(response.status, 201);
    struct reader *reader = open_reader(&fixture);
    struct gz_message delta;
    assert_true(raw_read_on(reader->socket, GZ_OP_DELTA, &reader->frame, &reader->arena, &delta));
    order = (struct order){.count = 0};
    apply(&order, &delta.delta);
    assert_int_equal(order.count, 5);
    for (size_t i = 0; i < delta.delta.count; i++)
        of_asset[delta.delta.nodes[i].asset] = delta.delta.nodes[i].id;
    assert_true(of_asset[1] < of_asset[3] && of_asset[3] < of_asset[4]);
    assert_true(of_asset[3] < of_asset[0] && of_asset[1] < of_asset[2]);
    close_reader(reader);
    net_fixture_stop(&fixture);
}
