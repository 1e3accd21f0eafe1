/* What concerns more nodes than the core does at once is put off, whatever it is, and nothing else
 * is; it is done in the order in which it was asked, and what comes out is what a core that puts
 * nothing off would do. */
#include <stdlib.h>
#include <string.h>

#include "core/session.h"
#include "scene/bounds_index.h"
#include "server/maxima.h"
#include "support/cmocka.h"
#include "unit/core/saying.h"

/* A root with MANY nodes below it. */
#define MANY 20
/* Ids: the root is the first. */
#define ROOT 1

struct scene {
    struct host host;
    struct client *a, *b; /* two editors */
};

static struct gz_message create_message(struct gz_create_node nodes[MANY])
{
    for (size_t i = 0; i < MANY; i++)
        nodes[i] = (struct gz_create_node){
            .has = GZ_HAS_CREATE_NODE_PARENT, .parent = ROOT, .name = {"n", 1}};
    return (struct gz_message){.op = GZ_OP_CREATE, .create = {nodes, MANY}};
}

static void put_off_beyond(struct scene *s, size_t nodes)
{
    s->host.core->nodes_at_once = nodes;
}

static void open_scene(struct scene *s)
{
    struct gz_create_node nodes[MANY];
    *s = (struct scene){.host = {.core = NULL}};
    host_init_limited(&s->host, 1e6);
    s->a = client_join(&s->host, "ann", GZ_ROLE_EDITOR);
    s->b = client_join(&s->host, "bob", GZ_ROLE_EDITOR);
    assert_int_equal(create_node(s->a, "root", 0, 0, 0, 0), ROOT);
    (void)ask_later(s->a, create_message(nodes));
    host_turn(&s->host);
    assert_ok(ask_camera(s->a, 10));
    put_off_beyond(s, MANY - 1);
    s->host.bulk_waits = true;
}

static void close_scene(struct scene *s)
{
    s->host.bulk_waits = false;
    host_close(&s->host);
}

static size_t count_nodes(struct scene *s)
{
    return gz_core_summary(s->host.core).nodes;
}

/* What a worker does, and the turn that follows. */
/* The loop finds no boxes to renew. */
static void do_bulk(struct scene *s)
{
    gz_box all;
    size_t looked_at;
    assert_true(gz_core_has_bulk(s->host.core));
    gz_core_do_bulk(s->host.core, s->host.now);
    assert_true(gz_scene_bounds(s->host.core->scene, &all, &looked_at));
    assert_int_equal(looked_at, 0);
    host_turn(&s->host);
}

/* All of it: an edit, its batch, what the disk says of that. */
#define ROUNDS_MAX 5

static void do_all_bulk(struct scene *s)
{
    for (int i = 0; i < ROUNDS_MAX && gz_core_has_bulk(s->host.core); i++) do_bulk(s);
    assert_false(gz_core_has_bulk(s->host.core));
}

static const struct gz_message ping = {.op = GZ_OP_PING};

static struct gz_message delete_message(const uint64_t *id)
{
    return (struct gz_message){.op = GZ_OP_DELETE, .remove = {id, 1}};
}

static const uint64_t root = ROOT;

/* ---- what is put off ---- */

/* Says it; if it is to be put off, nothing happens before the bulk is done. */
static void carry_out(struct scene *s, struct gz_message message)
{
    const uint64_t seq = gz_core_summary(s->host.core).seq;
    const bool is_put_off = s->host.core->nodes_at_once < MANY;
    uint64_t rid = ask_later(s->a, message);
    host_turn(&s->host);
    assert_int_equal(gz_core_has_bulk(s->host.core), is_put_off);
    if (is_put_off) {
        assert_int_equal(gz_core_summary(s->host.core).seq, seq);
        assert_null(client_answer(s->a, rid));
    }
    do_all_bulk(s);
    assert_ok(client_answer(s->a, rid));
    assert_true(gz_core_summary(s->host.core).seq > seq);
}

/* The grab by itself, and moves, until the drag ends. */
static void drag(struct scene *s, struct gz_ids ids, enum gz_phase end)
{
    struct gz_message grab = {.op = GZ_OP_GRAB,
                              .has = GZ_HAS_POINTER_AT | GZ_HAS_POINTER_NODES,
                              .pointer = {.at = {400, 300}, .handle = GZ_TX, .nodes = ids}};
    const size_t usual = s->host.core->nodes_at_once;
    put_off_beyond(s, SIZE_MAX);
    uint64_t rid = ask_later(s->a, grab);
    host_turn(&s->host);
    assert_ok(client_answer(s->a, rid));
    assert_ok(ask_pointer(s->a, GZ_PHASE_MOVE, 450, 300));
    host_advance(&s->host, 1);
    put_off_beyond(s, usual);
    carry_out(s, (struct gz_message){.op = GZ_OP_POINTER,
                                     .has = GZ_HAS_POINTER_AT,
                                     .pointer = {.phase = end, .at = {460, 300}}});
}

static void carry_out_all(struct scene *s)
{
    struct gz_create_node nodes[MANY];
    struct gz_set_node moved[MANY];
    uint64_t ids[MANY];
    for (size_t i = 0; i < MANY; i++) {
        ids[i] = ROOT + 1 + i;
        moved[i] = (struct gz_set_node){.has = GZ_HAS_SET_NODE_T, .id = ids[i]};
        moved[i].trs.t.x = 1 + (double)i;
    }
    struct gz_message undo = {.op = GZ_OP_UNDO}, redo = {.op = GZ_OP_REDO};
    carry_out(s, (struct gz_message){.op = GZ_OP_SET, .set = {moved, MANY}});
    carry_out(s, undo);
    carry_out(s, redo);
    carry_out(s, create_message(nodes));
    carry_out(s, undo);
    carry_out(s, delete_message(&root));
    carry_out(s, undo);
    carry_out(s, (struct gz_message){.op = GZ_OP_REVERT, .revert = {.edit = 3}});
    drag(s, (struct gz_ids){ids, MANY}, GZ_PHASE_UP);
    drag(s, (struct gz_ids){ids, MANY}, GZ_PHASE_CANCEL);
    carry_out(
        s, (struct gz_message){.op = GZ_OP_RESTORE, .has = GZ_HAS_AT_SEQ, .restore.seq = 1 + MANY});
}

static void assert_same_nodes(struct host *x, struct host *y)
{
    struct gz_arena arena;
    size_t x_count, y_count;
    gz_arena_init(&arena, SIZE_MAX / 2);
    const struct gz_node_record *of_x = host_nodes(x, &arena, &x_count);
    const struct gz_node_record *of_y = host_nodes(y, &arena, &y_count);
    assert_int_equal(x_count, y_count);
    for (size_t i = 0; i < x_count; i++) {
        assert_int_equal(of_x[i].id, of_y[i].id);
        assert_int_equal(of_x[i].seq, of_y[i].seq);
        assert_memory_equal(&of_x[i].content.trs, &of_y[i].content.trs, sizeof(gz_trs));
    }
    gz_arena_finish(&arena);
}

SCENE_TEST(test_large_edits_are_put_off_and_come_out_the_same)
{
    struct scene other;
    open_scene(&other);
    put_off_beyond(&other, SIZE_MAX);
    carry_out_all(s);
    carry_out_all(&other);
    assert_same_nodes(&s->host, &other.host);
    close_scene(&other);
}

/* Of two edits that wait for the disk each is small; their batch is not. */
SCENE_TEST(test_batch_of_many_is_put_off)
{
    struct gz_set_node moved[2][MANY / 2];
    uint64_t rids[2];
    for (size_t i = 0; i < MANY; i++) {
        struct gz_set_node *node = &moved[i % 2][i / 2];
        *node = (struct gz_set_node){.has = GZ_HAS_SET_NODE_T, .id = ROOT + 1 + i};
        node->trs.t.x = 5;
    }
    for (int i = 0; i < 2; i++)
        rids[i] = ask_later(i == 0 ? s->a : s->b,
                            (struct gz_message){.op = GZ_OP_SET, .set = {moved[i], MANY / 2}});
    assert_false(gz_core_has_bulk(s->host.core));
    host_turn(&s->host);
    assert_null(s->host.batches);
    gz_core_do_bulk(s->host.core, s->host.now);
    host_turn(&s->host);
    assert_ok(client_answer(s->a, rids[0]));
    assert_ok(client_answer(s->b, rids[1]));
}

/* Says it; nothing is held, let go or answered before the bulk is done. Then so many nodes are
 * held. */
static void hold_put_off(struct scene *s, struct gz_message message, size_t held)
{
    const size_t before = s->a->session->gesture.count;
    uint64_t rid = ask_later(s->a, message);
    host_turn(&s->host);
    assert_true(gz_core_has_bulk(s->host.core));
    assert_null(client_answer(s->a, rid));
    assert_int_equal(s->a->session->gesture.count, before);
    do_all_bulk(s);
    if (message.op != GZ_OP_WHEEL) assert_ok(client_answer(s->a, rid));
    assert_int_equal(s->a->session->gesture.count, held);
}

static struct gz_message of_pointer(enum gz_op op, enum gz_phase phase)
{
    struct gz_message message = {
        .op = op, .has = GZ_HAS_POINTER_AT, .pointer = {.phase = phase, .at = {460, 300}}};
    message.pointer.handle = GZ_TX;
    return message;
}

static void select_all(struct scene *s)
{
    static uint64_t ids[MANY];
    for (size_t i = 0; i < MANY; i++) ids[i] = ROOT + 1 + i;
    hold_put_off(s, (struct gz_message){.op = GZ_OP_SELECT, .select = {{ids, MANY}, GZ_HOW_SET}},
                 0);
    assert_int_equal(s->a->session->selection.count, MANY);
}

static const struct gz_message notch = {.op = GZ_OP_WHEEL, .wheel.dy = 1};

SCENE_TEST(test_gesture_that_begins_to_hold_many_is_put_off)
{
    struct gz_message grab = of_pointer(GZ_OP_GRAB, GZ_PHASE_DOWN), typed = grab;
    typed.has |= GZ_HAS_POINTER_VALUE;
    typed.pointer.value = (struct gz_value){{0.5}, 1};
    put_off_beyond(s, 1);
    select_all(s);
    hold_put_off(s, grab, MANY);
    hold_put_off(s, typed, MANY);
    hold_put_off(s, of_pointer(GZ_OP_POINTER, GZ_PHASE_CANCEL), 0);
    hold_put_off(s, notch, MANY);
    /* It ends the wheel, and is on a handle. */
    hold_put_off(s, of_pointer(GZ_OP_POINTER, GZ_PHASE_DOWN), MANY);
    hold_put_off(s, of_pointer(GZ_OP_POINTER, GZ_PHASE_UP), 0);
}

static void assert_done_at_once(struct scene *s, struct gz_message message)
{
    uint64_t rid = ask_later(s->a, message);
    assert_false(gz_core_has_bulk(s->host.core));
    host_turn(&s->host);
    assert_ok(client_answer(s->a, rid));
}

SCENE_TEST(test_what_holds_little_or_nothing_is_done_at_once)
{
    static const struct gz_message orbit = {
        .op = GZ_OP_TOOL, .has = GZ_HAS_TOOL_MODE, .tool.mode = GZ_MODE_ORBIT};
    put_off_beyond(s, 1);
    select_all(s);
    assert_done_at_once(s, of_pointer(GZ_OP_POINTER, GZ_PHASE_MOVE));
    assert_done_at_once(s, orbit);
    assert_done_at_once(s, notch);
    assert_done_at_once(s, of_pointer(GZ_OP_POINTER, GZ_PHASE_DOWN));
    assert_done_at_once(s, of_pointer(GZ_OP_POINTER, GZ_PHASE_UP));
    put_off_beyond(s, MANY);
    assert_done_at_once(s, of_pointer(GZ_OP_GRAB, GZ_PHASE_DOWN));
    assert_int_equal(s->a->session->gesture.count, MANY);
}

/* The way of a drag of very many nodes is not followed, so that its batches are small until it
 * ends. */
SCENE_TEST(test_drag_of_many_is_put_off_at_its_ends_only)
{
    static uint64_t ids[GZ_SAMPLED_NODES_MAX + MANY];
    struct gz_create_node nodes[MANY];
    put_off_beyond(s, SIZE_MAX);
    for (size_t count = MANY; count < COUNT(ids); count += MANY) {
        (void)ask_later(s->a, create_message(nodes));
        host_turn(&s->host);
    }
    for (size_t i = 0; i < COUNT(ids); i++) ids[i] = ROOT + 1 + i;
    host_advance(&s->host, 1);
    put_off_beyond(s, COUNT(ids) / 10);
    (void)ask_later(
        s->a, (struct gz_message){
                  .op = GZ_OP_GRAB,
                  .has = GZ_HAS_POINTER_AT | GZ_HAS_POINTER_NODES,
                  .pointer = {.at = {400, 300}, .handle = GZ_TX, .nodes = {ids, COUNT(ids)}}});
    do_all_bulk(s);
    host_advance(&s->host, 1);
    const uint64_t stored = s->host.core->stored_seq;
    assert_ok(ask_pointer(s->a, GZ_PHASE_MOVE, 450, 300));
    host_advance(&s->host, 1);
    assert_false(gz_core_has_bulk(s->host.core));
    assert_true(s->host.core->stored_seq >= stored + COUNT(ids));
    put_off_beyond(s, MANY - 1);
    carry_out(s, (struct gz_message){.op = GZ_OP_POINTER,
                                     .has = GZ_HAS_POINTER_AT,
                                     .pointer = {.phase = GZ_PHASE_UP, .at = {460, 300}}});
}

/* ---- order ---- */

SCENE_TEST(test_messages_keep_their_order)
{
    struct gz_message undo = {.op = GZ_OP_UNDO};
    uint64_t first = ask_later(s->a, delete_message(&root)), second = ask_later(s->a, undo),
             third = ask_later(s->a, ping);
    assert_true(gz_session_is_full(s->a->session));
    uint64_t other = ask_later(s->b, ping);
    host_turn(&s->host);
    assert_non_null(client_answer(s->b, other));
    assert_null(client_answer(s->a, third));
    do_bulk(s);
    host_settle(&s->host, true);
    client_read(s->a);
    assert_ok(client_answer(s->a, first));
    assert_null(client_answer(s->a, second)); /* which is put off in its turn */
    assert_null(client_answer(s->a, third));
    do_bulk(s);
    assert_ok(client_answer(s->a, second));
    assert_ok(client_answer(s->a, third));
    assert_false(gz_session_is_full(s->a->session));
    assert_int_equal(count_nodes(s), MANY + 1);
}

/* In one frame, too. It is charged once. */
SCENE_TEST(test_rest_of_a_frame_waits)
{
    struct gz_message messages[] = {ping, delete_message(&root), ping};
    struct gz_buffer frame;
    uint64_t first = s->a->next_rid;
    gz_buffer_init(&frame, GZ_MESSAGE_BYTES_MAX, 0);
    for (size_t i = 0; i < COUNT(messages); i++) {
        messages[i].has |= GZ_HAS_RID;
        messages[i].rid = s->a->next_rid++;
        assert_int_equal(gz_encode(&frame, &messages[i]), GZ_OK);
    }
    double left = s->a->session->rate.tokens;
    assert_true(client_say_bytes(s->a, frame.data, frame.size));
    host_turn(&s->host);
    assert_non_null(client_answer(s->a, first));
    assert_null(client_answer(s->a, first + 1));
    do_bulk(s);
    for (uint64_t i = 0; i < COUNT(messages); i++) assert_ok(client_answer(s->a, first + i));
    assert_true(left - s->a->session->rate.tokens == 3);
    gz_buffer_finish(&frame);
}

/* One node is held, but by bounds all below it are looked at. */
SCENE_TEST(test_grab_of_a_large_group_by_bounds_is_put_off)
{
    const uint64_t group = ROOT + 1;
    struct gz_create_node nodes[MANY];
    struct gz_message create = create_message(nodes),
                      grab = {.op = GZ_OP_GRAB,
                              .has = GZ_HAS_POINTER_AT | GZ_HAS_POINTER_NODES,
                              .pointer = {.at = {400, 300}, .handle = GZ_TX, .nodes = {&group, 1}}};
    for (size_t i = 0; i < MANY; i++) nodes[i].parent = group;
    put_off_beyond(s, SIZE_MAX);
    (void)ask_later(s->a, create);
    host_turn(&s->host);
    put_off_beyond(s, 1);
    for (int i = 0; i < 2; i++) {
        const struct gz_message tool = {.op = GZ_OP_TOOL,
                                        .has = GZ_HAS_TOOL_PIVOT,
                                        .tool.pivot = i == 0 ? GZ_PIVOT_MEDIAN : GZ_PIVOT_BOUNDS};
        (void)ask_later(s->a, tool);
        uint64_t rid = ask_later(s->a, grab);
        assert_int_equal(gz_core_has_bulk(s->host.core), i == 1);
        if (i == 1) do_bulk(s);
        host_turn(&s->host);
        assert_ok(client_answer(s->a, rid));
        assert_ok(ask_pointer(s->a, GZ_PHASE_CANCEL, 400, 300));
    }
}

/* ---- long messages ---- */

/* Whatever it is, it is not read before: what is wrong in it is not known either. */
SCENE_TEST(test_long_message_is_read_by_the_worker)
{
    uint64_t ids[MANY * GZ_BULK_BYTES_PER_NODE], rids[2];
    for (size_t i = 0; i < COUNT(ids); i++) ids[i] = ROOT + 1 + i;
    for (size_t i = 0; i < COUNT(rids); i++) {
        struct gz_message message = {.op = GZ_OP_INTEREST, .has = GZ_HAS_INTEREST_NODES};
        message.interest.nodes = (struct gz_ids){ids, i == 0 ? MANY : COUNT(ids)};
        rids[i] = ask_later(s->a, message);
        host_turn(&s->host);
        assert_int_equal(gz_core_has_bulk(s->host.core), i == 1);
    }
    assert_ok(client_answer(s->a, rids[0]));
    assert_null(client_answer(s->a, rids[1]));
    do_bulk(s);
    assert_refused(client_answer(s->a, rids[1]), GZ_UNKNOWN_NODE);
}

/* A long frame of short messages is one loan of the core, or a few. */
SCENE_TEST(test_long_frame_of_short_messages_is_read_on)
{
    enum { PINGS = 2 * MANY * GZ_BULK_BYTES_PER_NODE };
    struct gz_buffer frame;
    gz_buffer_init(&frame, GZ_MESSAGE_BYTES_MAX, 0);
    for (size_t i = 0; i < PINGS; i++) assert_int_equal(gz_encode(&frame, &ping), GZ_OK);
    double left = s->a->session->rate.tokens;
    size_t loans = 0;
    assert_true(client_say_bytes(s->a, frame.data, frame.size));
    for (host_turn(&s->host); gz_core_has_bulk(s->host.core); loans++) do_bulk(s);
    assert_in_range(loans, 1, 1 + frame.size / GZ_SLICE_BYTES_PER_NODE / GZ_SLICE_NODES);
    assert_false(gz_session_is_full(s->a->session));
    assert_true(left - s->a->session->rate.tokens >= PINGS);
    gz_buffer_finish(&frame);
}

/* ---- what is refused at once is not put off ---- */

#define NOBODY (GZ_ID_LIMIT - 1)

static void assert_unknown_at_once(struct scene *s, struct gz_message message)
{
    uint64_t rid = ask_later(s->a, message);
    assert_false(gz_core_has_bulk(s->host.core));
    client_read(s->a);
    assert_refused(client_answer(s->a, rid), GZ_UNKNOWN_NODE);
}

/* The last of many nodes. */
SCENE_TEST(test_node_that_is_not_there_is_refused_at_once)
{
    const size_t last = MANY - 1;
    struct gz_create_node made[MANY];
    struct gz_set_node moved[MANY];
    uint64_t ids[MANY];
    struct gz_message grab = of_pointer(GZ_OP_GRAB, GZ_PHASE_DOWN), create = create_message(made);
    for (size_t i = 0; i < MANY; i++) {
        ids[i] = ROOT + 1 + i;
        moved[i] = (struct gz_set_node){.has = GZ_HAS_SET_NODE_PARENT, .id = ids[i]};
        moved[i].parent = ROOT;
    }
    moved[last].parent = NOBODY;
    assert_unknown_at_once(s, (struct gz_message){.op = GZ_OP_SET, .set = {moved, MANY}});
    moved[last] = (struct gz_set_node){.has = GZ_HAS_SET_NODE_T, .id = ids[last] = NOBODY};
    assert_unknown_at_once(s, (struct gz_message){.op = GZ_OP_SET, .set = {moved, MANY}});
    grab.has |= GZ_HAS_POINTER_NODES;
    grab.pointer.nodes = (struct gz_ids){ids, MANY};
    assert_unknown_at_once(s, grab);
    made[last].parent = NOBODY;
    assert_unknown_at_once(s, create);
    made[last] = (struct gz_create_node){.has = GZ_HAS_CREATE_NODE_COPY, .copy = NOBODY};
    assert_unknown_at_once(s, create);
    put_off_beyond(s, 1); /* ten that are selected count as one */
    assert_unknown_at_once(s, (struct gz_message){.op = GZ_OP_DELETE, .remove = {ids, MANY}});
    assert_unknown_at_once(s, (struct gz_message){.op = GZ_OP_SELECT, .select = {{ids, MANY}, 0}});
}

SCENE_TEST(test_viewer_is_refused_at_once)
{
    struct client *viewer = client_join(&s->host, "cleo", GZ_ROLE_VIEWER);
    uint64_t rid = ask_later(viewer, delete_message(&root));
    assert_false(gz_core_has_bulk(s->host.core));
    client_read(viewer);
    assert_refused(client_answer(viewer, rid), GZ_FORBIDDEN);
}

/* ---- boxes ---- */

static size_t count_stale_boxes(struct scene *s)
{
    gz_box all;
    size_t looked_at;
    assert_true(gz_scene_bounds(s->host.core->scene, &all, &looked_at));
    return looked_at;
}

#define HELD (GZ_SAMPLED_NODES_MAX + 1)

/* So many nodes, whose boxes are stale: each batch passes over them. */
static void drag_many(struct scene *s)
{
    struct gz_create_node nodes[HELD];
    uint64_t ids[HELD];
    for (size_t i = 0; i < HELD; i++) nodes[i] = (struct gz_create_node){.name = {"n", 1}};
    put_off_beyond(s, SIZE_MAX);
    struct gz_message create = {.op = GZ_OP_CREATE, .create = {nodes, HELD}};
    const struct gz_message *ok = client_ask(s->a, &create);
    assert_ok(ok);
    memcpy(ids, ok->ok.ids.ids, sizeof ids);
    struct gz_message grab = {.op = GZ_OP_GRAB,
                              .has = GZ_HAS_POINTER_AT | GZ_HAS_POINTER_NODES,
                              .pointer = {.at = {400, 300}, .handle = GZ_TX, .nodes = {ids, HELD}}};
    assert_ok(client_ask(s->a, &grab));
    (void)count_stale_boxes(s);
    assert_ok(ask_pointer(s->a, GZ_PHASE_MOVE, 450, 300));
    put_off_beyond(s, MANY - 1);
}

static void put_off_batch(struct scene *s)
{
    assert_null(ask_move(s->b, ROOT + 1, 1, 0, 0));
    assert_true(gz_core_has_bulk(s->host.core));
}

/* It passes over what is dragged, and leaves the boxes to a look. */
SCENE_TEST(test_batch_alone_renews_no_boxes)
{
    drag_many(s);
    put_off_batch(s);
    gz_core_do_bulk(s->host.core, s->host.now);
    assert_true(count_stale_boxes(s) >= HELD);
    host_turn(&s->host);
}

SCENE_TEST(test_batch_beside_an_edit_renews_boxes)
{
    drag_many(s);
    put_off_batch(s);
    (void)ask_later(s->b, delete_message(&root));
    do_bulk(s); /* looks at the boxes */
    do_all_bulk(s);
}

SCENE_TEST(test_edit_beside_a_batch_renews_boxes)
{
    struct client *other = client_join(&s->host, "cleo", GZ_ROLE_EDITOR);
    drag_many(s);
    (void)ask_later(other, delete_message(&root));
    put_off_batch(s);
    do_bulk(s);
    do_all_bulk(s);
}

static void finish_import(void *context, enum gz_status status, const char *message)
{
    (void)context, (void)status, (void)message;
}

SCENE_TEST(test_import_renews_boxes)
{
    const struct gz_core_import_node nodes[] = {
        {-1, {.name = "part", .trs = gz_trs_identity, .asset = -1}}};
    const struct gz_core_import import = {.user = "ann",
                                          .payer = "ann",
                                          .nodes = nodes,
                                          .count = COUNT(nodes),
                                          .asset = (const uint8_t *)"glTF",
                                          .asset_size = 4,
                                          .done = finish_import};
    struct gz_error error;
    assert_int_equal(gz_core_import(s->host.core, &import, s->host.now, &error), GZ_OK);
    assert_int_equal(count_stale_boxes(s), 0);
    put_off_beyond(s, SIZE_MAX);
    host_turn(&s->host);
}

/* ---- who leaves, and what is refused ---- */

/* Its message was not begun, and nobody was told that it would be done. */
SCENE_TEST(test_session_leaves_before_its_edit)
{
    (void)ask_later(s->a, delete_message(&root));
    client_leave(s->a);
    do_bulk(s);
    assert_int_equal(count_nodes(s), MANY + 1);
}

/* The same edit whenever it is said: MANY more nodes, by a key. */
static uint64_t say_keyed(struct client *client)
{
    struct gz_create_node nodes[MANY];
    struct gz_message message = create_message(nodes);
    message.has |= GZ_HAS_KEY;
    message.key = (struct gz_text){"once", 4};
    return ask_later(client, message);
}

/* The client, whose session is another one by now, says its edit again. */
static void assert_done_once(struct scene *s, struct client *client)
{
    uint64_t rid = say_keyed(client);
    s->host.disk = DISK_COMMITS;
    s->host.bulk_waits = false;
    host_turn(&s->host);
    assert_ok(client_answer(client, rid));
    assert_int_equal(count_nodes(s), 1 + 2 * MANY);
}

SCENE_TEST(test_keyed_edit_of_a_session_that_left_before_it_was_begun)
{
    (void)say_keyed(s->a);
    client_leave(s->a);
    do_bulk(s);
    assert_int_equal(count_nodes(s), 1 + MANY);
    client_resume(s->a);
    assert_done_once(s, s->a);
}

/* Nobody heard that it is done. */
SCENE_TEST(test_keyed_edit_of_a_session_that_left_before_it_was_stored)
{
    s->host.disk = DISK_WAITS;
    (void)say_keyed(s->a);
    do_bulk(s);
    client_leave(s->a);
    assert_int_equal(count_nodes(s), 1 + 2 * MANY);
    client_resume(s->a);
    assert_done_once(s, s->a);
}

/* The earlier session is still there, but has nothing done any more: the edit is done for the one
 * that took its place. */
SCENE_TEST(test_keyed_edit_of_a_session_that_was_replaced)
{
    (void)say_keyed(s->a);
    struct client *earlier = client_replace(s->a);
    do_bulk(s);
    assert_int_equal(count_nodes(s), 1 + MANY);
    assert_done_once(s, s->a);
    client_leave(earlier);
}

/* Its drag stands, and the nodes are free, when the bulk is done. */
SCENE_TEST(test_session_leaves_with_a_large_drag)
{
    put_off_beyond(s, SIZE_MAX);
    assert_ok(ask_grab(s->a, GZ_TX, ROOT, 400, 300));
    assert_ok(ask_pointer(s->a, GZ_PHASE_MOVE, 450, 300));
    host_advance(&s->host, 1);
    put_off_beyond(s, 0);
    client_leave(s->a);
    assert_true(gz_core_has_bulk(s->host.core));
    assert_int_equal(gz_core_summary(s->host.core).users, 2);
    do_all_bulk(s);
    assert_int_equal(gz_core_summary(s->host.core).users, 1);
    put_off_beyond(s, SIZE_MAX);
    assert_true(host_node(&s->host, ROOT).trs.t.x > 0.1);
    assert_ok(ask_move(s->b, ROOT, 0, 0, 0));
}

SCENE_TEST(test_what_the_disk_refuses_is_put_off)
{
    s->host.disk = DISK_REFUSES;
    uint64_t rid = ask_later(s->a, delete_message(&root));
    host_turn(&s->host);
    do_bulk(s); /* the edit and its batch, which is refused then */
    assert_int_equal(count_nodes(s), 0);
    assert_null(client_answer(s->a, rid));
    s->host.disk = DISK_COMMITS;
    do_bulk(s);
    assert_int_equal(count_nodes(s), MANY + 1);
    assert_refused(client_answer(s->a, rid), GZ_STORAGE);
}

/* ---- the end ---- */

/* What was asked before a scene goes is answered before it does. */
SCENE_TEST(test_end_of_all_while_bulk_waits)
{
    uint64_t rid = ask_later(s->a, delete_message(&root));
    gz_core_freeze(s->host.core, "the scene is renamed", s->host.now);
    assert_int_equal(count_nodes(s), 0);
    s->host.bulk_waits = false;
    host_turn(&s->host);
    assert_ok(client_answer(s->a, rid));
    assert_true(gz_core_is_idle(s->host.core));
}

/* A core that goes takes along what it put off: an edit, a drag, an answer. */
SCENE_TEST(test_core_ends_while_bulk_waits)
{
    (void)ask_later(s->a, (struct gz_message){
                              .op = GZ_OP_RESTORE, .has = GZ_HAS_AT_SEQ, .restore.seq = 1 + MANY});
    host_turn(&s->host);
    assert_true(gz_core_has_bulk(s->host.core));
    (void)ask_later(s->b, delete_message(&root));
    host_restart(&s->host, false);
    assert_int_equal(count_nodes(s), MANY + 1);
}
