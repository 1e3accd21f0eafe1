/* A cancelled drag leaves the exact bits from before it, at everybody, whatever happened
 * meanwhile. And the ways in which a drag ends, or goes on, by somebody else's doing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/limits.h"
#include "support/cmocka.h"
#include "unit/core/saying.h"

#define MANY 10000
#define STEP METRE_PX(10)

struct scene {
    struct host host;
    struct client *a, *b, *watcher;
    uint64_t top, node; /* node is below top; no number of either is a round one */
    gz_trs before;
};

static void open_scene(struct scene *s)
{
    host_init(&s->host);
    s->a = client_join(&s->host, "ann", GZ_ROLE_EDITOR);
    s->b = client_join(&s->host, "bob", GZ_ROLE_EDITOR);
    s->watcher = client_join(&s->host, "wes", GZ_ROLE_VIEWER);
    assert_ok(ask_camera(s->a, 10));
    assert_ok(ask_camera(s->b, 10));
    s->top = create_node(s->b, "top", 0, 0.1, -0.0, 0.7);
    struct gz_set_node turned = {
        .id = s->top, .has = GZ_HAS_SET_NODE_R, .trs.r = {0.1, 0.7, 0.3, 0.2}};
    struct gz_message set = {.op = GZ_OP_SET, .set = {&turned, 1, 0}};
    assert_ok(client_ask(s->b, &set));
    s->node = create_node(s->b, "piston", s->top, 1.0 / 3, -0.0, 1e-300);
    s->before = host_node(&s->host, s->node).trs;
}

static void close_scene(struct scene *s)
{
    s->host.disk = DISK_COMMITS;
    host_advance(&s->host, 1);
    host_assert_equal(&s->host);
    assert_int_equal(s->host.store.open_count, 0);
    host_finish(&s->host);
}

static void assert_as_before(struct scene *s)
{
    const struct client *all[] = {s->a, s->b, s->watcher};
    gz_trs now = host_node(&s->host, s->node).trs;
    assert_memory_equal(&now, &s->before, sizeof now);
    for (size_t i = 0; i < COUNT(all); i++)
        assert_memory_equal(&mirror_find(&all[i]->mirror, s->node)->content.trs, &s->before,
                            sizeof now);
}

static void take_and_move(struct scene *s, enum gz_handle handle)
{
    assert_ok(ask_grab(s->a, handle, s->node, MIDDLE_X, MIDDLE_Y));
    assert_ok(ask_pointer(s->a, GZ_PHASE_MOVE, MIDDLE_X + 1.7 * STEP, MIDDLE_Y - 0.9 * STEP));
    gz_trs now = host_node(&s->host, s->node).trs;
    assert_memory_not_equal(&now, &s->before, sizeof now);
}

static void cancel(struct scene *s)
{
    assert_ok(ask_pointer(s->a, GZ_PHASE_CANCEL, 0, 0));
}

/* ---- cancelled ---- */

SCENE_TEST(test_cancel_with_any_handle_leaves_the_exact_bits)
{
    static const enum gz_handle handles[] = {GZ_TXY, GZ_TV, GZ_RV, GZ_SU, GZ_RB};
    for (size_t i = 0; i < COUNT(handles); i++) {
        take_and_move(s, handles[i]);
        host_advance(&s->host, 0.05);
        cancel(s);
        assert_as_before(s);
    }
}

TEST(test_cancel_while_the_disk_is_at_it)
{
    for (int committed = 0; committed < 2; committed++) {
        struct scene s;
        open_scene(&s);
        s.host.disk = DISK_WAITS;
        take_and_move(&s, GZ_TXY);
        host_advance(&s.host, 0.1);
        assert_non_null(s.host.batches); /* with the drag's beginning in it */
        assert_null(ask_pointer(s.a, GZ_PHASE_CANCEL, 0, 0));
        assert_as_before(&s);
        host_settle(&s.host, committed);
        s.host.disk = DISK_COMMITS;
        host_advance(&s.host, 1);
        const struct gz_message *answer = client_answer(s.a, s.a->next_rid - 1);
        if (committed)
            assert_ok(answer);
        else
            assert_refused(answer, GZ_STORAGE);
        assert_as_before(&s);
        close_scene(&s);
    }
}

SCENE_TEST(test_cancel_while_the_disk_refuses_and_after_a_restart)
{
    take_and_move(s, GZ_RV);
    host_advance(&s->host, 0.1); /* it is in the file */
    s->host.disk = DISK_REFUSES;
    assert_ok(ask_pointer(s->a, GZ_PHASE_MOVE, MIDDLE_X - STEP, MIDDLE_Y));
    host_advance(&s->host, 1);
    const struct gz_message *answer = ask_pointer(s->a, GZ_PHASE_CANCEL, 0, 0);
    assert_true(answer == NULL || answer->op == GZ_OP_ERROR); /* the next try may be later */
    assert_as_before(s);
    s->host.disk = DISK_COMMITS;
    host_advance(&s->host, 1);
    host_restart(&s->host, false);
    client_resume(s->a);
    client_resume(s->b);
    client_resume(s->watcher);
    host_turn(&s->host);
    assert_as_before(s);
    assert_refused(ask_undo(s->a, false), GZ_BAD_STATE);
}

/* A drag that is in the file is closed there in the turn of its cancel: a crash right after it
 * brings nothing back. */
SCENE_TEST(test_cancel_is_on_the_disk_at_once)
{
    take_and_move(s, GZ_TXY);
    host_advance(&s->host, 0.1);
    assert_int_equal(s->host.store.open_count, 1);
    assert_ok(ask_pointer(s->a, GZ_PHASE_MOVE, MIDDLE_X,
                          MIDDLE_Y - STEP)); /* its sample is stored at this moment */
    cancel(s);
    size_t edits = s->host.store.edit_count;
    host_restart(&s->host, false);
    client_resume(s->a);
    client_resume(s->b);
    client_resume(s->watcher);
    host_turn(&s->host);
    assert_int_equal(s->host.store.edit_count, edits);
    assert_as_before(s);
}

/* The bits are the node's own: where its parent went meanwhile it goes along. */
SCENE_TEST(test_cancel_after_others_moved_and_hung_what_is_above)
{
    uint64_t other = create_node(s->b, "other", 0, 5, 6, 7);
    take_and_move(s, GZ_TXY);
    assert_ok(ask_move(s->b, s->top, 9, 8, 7));
    assert_ok(ask_grab(s->b, GZ_TXY, s->top, MIDDLE_X, MIDDLE_Y));
    assert_ok(ask_pointer(s->b, GZ_PHASE_MOVE, MIDDLE_X + STEP, MIDDLE_Y));
    assert_ok(ask_pointer(s->b, GZ_PHASE_UP, MIDDLE_X + STEP, MIDDLE_Y));
    assert_ok(ask_hang(s->b, s->top, other));
    cancel(s);
    assert_as_before(s);
    assert_int_equal(host_node(&s->host, s->node).parent, s->top);
}

SCENE_TEST(test_cancel_of_a_wheel_and_of_what_was_typed)
{
    assert_ok(ask_select(s->a, s->node));
    for (int i = 0; i < 7; i++) assert_null(ask_wheel(s->a, 1));
    host_advance(&s->host, 0.1);
    cancel(s);
    assert_as_before(s);
    struct gz_message grab = {.op = GZ_OP_GRAB, .has = GZ_HAS_POINTER_VALUE};
    grab.pointer.handle = GZ_RX;
    grab.pointer.value = (struct gz_value){{0.123, 0}, 1};
    for (int i = 0; i < 3; i++, grab.pointer.value.numbers[0] *= -3)
        assert_ok(client_ask(s->a, &grab));
    cancel(s);
    assert_as_before(s);
}

static double odd(uint64_t *random)
{
    return (double)chance_below(random, UINT64_C(1) << 53) / 3e15;
}

TEST(test_cancel_of_ten_thousand_nodes)
{
    struct scene s;
    uint64_t random = 1, *ids = calloc(MANY, sizeof *ids);
    struct gz_create_node *nodes = calloc(MANY, sizeof *nodes);
    gz_trs *before = calloc(MANY, sizeof *before);
    assert_true(ids != NULL && nodes != NULL && before != NULL);
    open_scene(&s);
    for (size_t i = 0; i < MANY; i++) {
        nodes[i] = (struct gz_create_node){.has = GZ_HAS_CREATE_NODE_T, .name = {"n", 1}};
        nodes[i].trs.t = (gz_vec3){odd(&random), odd(&random), odd(&random)};
    }
    struct gz_message create = {.op = GZ_OP_CREATE, .create = {nodes, MANY}};
    const struct gz_message *ok = client_ask(s.a, &create);
    assert_ok(ok);
    memcpy(ids, ok->ok.ids.ids, MANY * sizeof *ids);
    for (size_t i = 0; i < MANY; i++)
        before[i] = mirror_find(&s.watcher->mirror, ids[i])->content.trs;
    struct gz_message grab = pointer_message(GZ_PHASE_DOWN, MIDDLE_X, MIDDLE_Y, 0);
    grab.op = GZ_OP_GRAB;
    grab.has |= GZ_HAS_POINTER_NODES;
    grab.pointer.handle = GZ_RV;
    grab.pointer.nodes = (struct gz_ids){ids, MANY};
    assert_ok(client_ask(s.a, &grab));
    assert_ok(ask_pointer(s.a, GZ_PHASE_MOVE, MIDDLE_X + 30, MIDDLE_Y + 50));
    assert_memory_not_equal(&mirror_find(&s.watcher->mirror, ids[MANY - 1])->content.trs,
                            &before[MANY - 1], sizeof *before);
    cancel(&s);
    for (size_t i = 0; i < MANY; i++)
        assert_memory_equal(&mirror_find(&s.watcher->mirror, ids[i])->content.trs, &before[i],
                            sizeof *before);
    close_scene(&s);
    free(before);
    free(nodes);
    free(ids);
}

/* ---- by somebody else's doing ---- */

/* Nobody takes a node out of somebody's hand: whatever would is `locked`, and the drag goes on. */
SCENE_TEST(test_held_node_is_in_the_way_of_everything)
{
    assert_ok(ask_move(s->b, s->node, 3, 3, 3));
    uint64_t then = s->b->mirror.seq;
    assert_ok(ask_move(s->b, s->node, 1.0 / 3, -0.0, 1e-300));
    take_and_move(s, GZ_TXY);
    struct gz_message restore = {.op = GZ_OP_RESTORE, .has = GZ_HAS_AT_SEQ, .restore.seq = then};
    struct gz_message empty = {.op = GZ_OP_RESTORE, .has = GZ_HAS_AT_SEQ, .restore.seq = 1};
    struct gz_core_import import = {
        .user = "bob", .asset = (const uint8_t *)"glTF", .asset_size = 4};
    struct gz_error error;
    assert_refused(ask_move(s->b, s->node, 0, 0, 0), GZ_LOCKED);
    assert_refused(ask_rename(s->b, s->node, "mine"), GZ_LOCKED);
    assert_refused(ask_hang(s->b, s->node, 0), GZ_LOCKED);
    assert_refused(ask_delete(s->b, s->node), GZ_LOCKED);
    assert_refused(ask_delete(s->b, s->top), GZ_LOCKED);
    assert_refused(ask_undo(s->b, false), GZ_LOCKED);
    assert_refused(ask_undo(s->b, true), GZ_LOCKED);
    assert_refused(client_ask(s->b, &restore), GZ_LOCKED);
    assert_refused(client_ask(s->b, &empty), GZ_LOCKED);
    assert_int_equal(gz_core_import(s->host.core, &import, s->host.now, &error), GZ_LOCKED);
    assert_ok(ask_pointer(s->a, GZ_PHASE_MOVE, MIDDLE_X, MIDDLE_Y - STEP));
    cancel(s);
    assert_as_before(s);
}

static gz_vec3 world_of_moved(struct scene *s)
{
    gz_trs top = host_node(&s->host, s->top).trs, node = host_node(&s->host, s->node).trs;
    gz_affine parent = gz_affine_from_trs(&top);
    return gz_affine_apply(&parent, node.t);
}

SCENE_TEST(test_node_stays_under_the_pointer_when_its_parent_is_hung_elsewhere)
{
    uint64_t still = create_node(s->b, "still", 0, 0, 0, 0); /* whose own frame is the world's */
    take_and_move(s, GZ_TXY);
    gz_vec3 held = world_of_moved(s);
    assert_ok(ask_hang(s->b, s->top, still));
    assert_ok(ask_move(s->b, s->top, -4, 2, 1));
    gz_vec3 now = world_of_moved(s);
    assert_true(gz_length(gz_sub(now, held)) < 1e-9);
    assert_ok(ask_pointer(s->a, GZ_PHASE_UP, MIDDLE_X + 1.7 * STEP, MIDDLE_Y - 0.9 * STEP));
    assert_ok(ask_undo(s->a, false));
    assert_as_before(s);
}

/* The one way: it began on what the disk then refused. Its holder reads which node and why, and
 * what comes late moves nothing. */
SCENE_TEST(test_drag_of_a_node_that_the_disk_refused_ends_with_a_reason)
{
    s->host.disk = DISK_WAITS;
    assert_null(ask_create(s->b, "bolt", 0, NULL));
    uint64_t bolt = s->b->mirror.nodes[s->b->mirror.count - 1].id;
    assert_ok(ask_grab(s->a, GZ_TXY, bolt, MIDDLE_X, MIDDLE_Y));
    assert_ok(ask_pointer(s->a, GZ_PHASE_MOVE, MIDDLE_X + STEP, MIDDLE_Y));
    client_forget(s->a);
    host_settle(&s->host, false);
    s->host.disk = DISK_COMMITS;
    host_advance(&s->host, 1);

    const struct gz_message *error = client_last(s->a, GZ_OP_ERROR);
    assert_refused(error, GZ_STORAGE);
    assert_int_equal(error->has & GZ_HAS_RID, 0);
    assert_int_equal(error->error.nodes.count, 1);
    assert_int_equal(error->error.nodes.ids[0], bolt);
    char expected[GZ_ERROR_BYTES_MAX];
    int size = snprintf(
        expected, sizeof expected,
        "the drag of node %llu (bolt) ended: an edit that it builds on could not be stored: "
        "the disk is full",
        (unsigned long long)bolt);
    assert_int_equal(error->error.message.size, size);
    assert_memory_equal(error->error.message.bytes, expected, (size_t)size);

    uint64_t seq = gz_core_summary(s->host.core).seq;
    struct gz_message late = pointer_message(GZ_PHASE_MOVE, MIDDLE_X + 3 * STEP, MIDDLE_Y, 77);
    assert_ok(client_ask(s->a, &late));
    late.pointer.phase = GZ_PHASE_UP;
    const struct gz_message *ok = client_ask(s->a, &late);
    assert_ok(ok);
    assert_int_equal(ok->has & (GZ_HAS_OK_SEQ | GZ_HAS_OK_EDIT), 0);
    assert_refused(ask_grab(s->a, GZ_TXY, bolt, MIDDLE_X, MIDDLE_Y), GZ_UNKNOWN_NODE);
    assert_int_equal(gz_core_summary(s->host.core).seq, seq);
}
