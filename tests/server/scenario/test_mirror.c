/* The scene as a client rebuilds it: deltas that fit, and those that do not. */
#include <stdlib.h>

#include "gizmo_client.h"
#include "support/cmocka.h"

#define WHOLE                                                                                      \
    (GZ_HAS_STATE_T | GZ_HAS_STATE_R | GZ_HAS_STATE_S | GZ_HAS_STATE_NAME | GZ_HAS_STATE_PARENT)

static struct gz_node_state whole(uint64_t id, uint64_t parent, double x)
{
    struct gz_node_state state = {.has = WHOLE,
                                  .id = id,
                                  .parent = parent,
                                  .name = gz_client_text("part"),
                                  .trs = gz_trs_identity};
    state.trs.t.x = x;
    return state;
}

static enum gz_status apply(struct gz_mirror *mirror, uint64_t from, uint64_t seq, bool more,
                            const struct gz_node_state *nodes, size_t count)
{
    struct gz_delta delta = {
        .from = from, .seq = seq, .more = more, .nodes = nodes, .count = count};
    return gz_mirror_apply(mirror, &delta, NULL);
}

static int setup(void **state)
{
    *state = gz_mirror_create();
    return *state == NULL;
}

static int teardown(void **state)
{
    gz_mirror_destroy(*state);
    return 0;
}

TEST_BETWEEN(test_mirror_gap_is_a_conflict_and_from_0_starts_over, setup, teardown)
{
    struct gz_mirror *mirror = *state;
    struct gz_node_state node = whole(1, 0, 5), other = whole(2, 0, 6);
    assert_false(gz_mirror_is_complete(mirror));
    assert_int_equal(apply(mirror, 3, 4, false, &node, 1), GZ_CONFLICT);
    assert_int_equal(apply(mirror, 0, 4, false, &node, 1), GZ_OK);
    assert_true(gz_mirror_is_complete(mirror));
    assert_int_equal(gz_mirror_seq(mirror), 4);
    assert_int_equal(apply(mirror, 5, 6, false, NULL, 0), GZ_CONFLICT);
    assert_int_equal(apply(mirror, 3, 6, false, NULL, 0), GZ_CONFLICT);
    assert_int_equal(gz_mirror_seq(mirror), 4);
    assert_int_equal(apply(mirror, 0, 9, false, &other, 1), GZ_OK);
    assert_null(gz_mirror_find(mirror, 1));
    assert_non_null(gz_mirror_find(mirror, 2));
}

TEST_BETWEEN(test_mirror_absent_fields_stay, setup, teardown)
{
    struct gz_mirror *mirror = *state;
    struct gz_node_state node = whole(1, 0, 5),
                         moved = {.has = GZ_HAS_STATE_T, .id = 1, .trs.t = {7, 8, 9}};
    node.has |= GZ_HAS_STATE_BOUNDS | GZ_HAS_STATE_ASSET;
    node.bounds = (gz_box){{-1, -2, -3}, {1, 2, 3}};
    node.asset = 12;
    assert_int_equal(apply(mirror, 0, 1, false, &node, 1), GZ_OK);
    assert_int_equal(apply(mirror, 1, 2, false, &moved, 1), GZ_OK);
    const struct gz_mirror_node *now = gz_mirror_find(mirror, 1);
    assert_true(now->trs.t.x == 7 && now->trs.t.y == 8 && now->trs.t.z == 9);
    assert_true(now->trs.s.x == 1 && now->trs.r.w == 1);
    assert_string_equal(now->name, "part");
    assert_true(now->has_bounds && now->bounds.max.z == 3);
    assert_int_equal(now->asset, 12);
}

TEST_BETWEEN(test_mirror_new_node_without_a_field_is_a_conflict, setup, teardown)
{
    struct gz_mirror *mirror = *state;
    static const uint64_t needed[] = {GZ_HAS_STATE_T, GZ_HAS_STATE_R, GZ_HAS_STATE_S,
                                      GZ_HAS_STATE_NAME, GZ_HAS_STATE_PARENT};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        struct gz_node_state node = whole(1, 0, 5);
        node.has &= ~needed[i];
        assert_int_equal(apply(mirror, 0, 1, false, &node, 1), GZ_CONFLICT);
    }
}

TEST_BETWEEN(test_mirror_child_may_precede_its_parent_only_while_more_lasts, setup, teardown)
{
    struct gz_mirror *mirror = *state;
    struct gz_node_state child = whole(2, 1, 0), parent = whole(1, 0, 0);
    assert_int_equal(apply(mirror, 0, 5, true, &child, 1), GZ_OK);
    assert_false(gz_mirror_is_complete(mirror));
    assert_int_equal(apply(mirror, 5, 6, false, &parent, 1), GZ_OK);
    assert_true(gz_mirror_is_complete(mirror));
    struct gz_node_state orphan = whole(3, 99, 0);
    assert_int_equal(apply(mirror, 6, 7, false, &orphan, 1), GZ_CONFLICT);
}

TEST_BETWEEN(test_mirror_gone_must_list_whole_subtrees, setup, teardown)
{
    struct gz_mirror *mirror = *state;
    struct gz_node_state nodes[] = {whole(1, 0, 0), whole(2, 1, 0)};
    const uint64_t all[] = {1, 2}, upper[] = {1};
    struct gz_delta gone = {.from = 1, .seq = 2, .gone = {all, 2}};
    assert_int_equal(apply(mirror, 0, 1, false, nodes, 2), GZ_OK);
    assert_int_equal(gz_mirror_apply(mirror, &gone, NULL), GZ_OK);
    assert_int_equal(gz_mirror_count(mirror), 0);
    assert_int_equal(apply(mirror, 0, 1, false, nodes, 2), GZ_OK);
    gone.gone = (struct gz_ids){upper, 1};
    assert_int_equal(gz_mirror_apply(mirror, &gone, NULL), GZ_CONFLICT);
}

/* A part of the scene: what is told stands at the same seq, and nodes that leave it go like deleted
 * ones. */
TEST_BETWEEN(test_mirror_of_a_part_changes_without_the_scene_going_on, setup, teardown)
{
    struct gz_mirror *mirror = *state;
    struct gz_node_state nodes[] = {whole(1, 0, 0), whole(2, 1, 0), whole(3, 0, 0)},
                         back = whole(2, 1, 8);
    const uint64_t left[] = {2, 3};
    struct gz_delta narrower = {.from = 9, .seq = 9, .gone = {left, 2}, .more = true};
    assert_int_equal(apply(mirror, 0, 9, false, nodes, 3), GZ_OK);
    gz_mirror_expect(mirror);
    assert_false(gz_mirror_is_complete(mirror));
    assert_int_equal(gz_mirror_apply(mirror, &narrower, NULL), GZ_OK);
    assert_false(gz_mirror_is_complete(mirror));
    assert_int_equal(apply(mirror, 9, 9, false, NULL, 0), GZ_OK);
    assert_true(gz_mirror_is_complete(mirror));
    assert_int_equal(gz_mirror_seq(mirror), 9);
    assert_int_equal(gz_mirror_count(mirror), 1);
    assert_int_equal(apply(mirror, 9, 9, false, &back, 1), GZ_OK);
    assert_true(gz_mirror_find(mirror, 2)->trs.t.x == 8);
    /* A part is a closed tree: without node 1 it would not be. */
    const uint64_t above[] = {1};
    struct gz_delta torn = {.from = 9, .seq = 9, .gone = {above, 1}};
    assert_int_equal(gz_mirror_apply(mirror, &torn, NULL), GZ_CONFLICT);
}

/* A connection that was lost while `more` lasted: the deltas from the last complete state come
 * again, over what is there. */
TEST_BETWEEN(test_mirror_rewound_is_where_it_was_last_complete, setup, teardown)
{
    struct gz_mirror *mirror = *state;
    struct gz_node_state first = whole(1, 0, 1), child = whole(3, 2, 0), moved = whole(1, 0, 7),
                         parent = whole(2, 0, 0);
    assert_int_equal(gz_mirror_complete_seq(mirror), 0);
    assert_int_equal(apply(mirror, 0, 4, false, &first, 1), GZ_OK);
    assert_int_equal(apply(mirror, 4, 6, true, &child, 1), GZ_OK);
    assert_int_equal(gz_mirror_complete_seq(mirror), 4);
    gz_mirror_rewind(mirror);
    assert_int_equal(gz_mirror_seq(mirror), 4);
    assert_int_equal(gz_mirror_seen_seq(mirror), 6);
    assert_false(gz_mirror_is_complete(mirror));
    assert_int_equal(apply(mirror, 4, 5, true, &moved, 1), GZ_OK);
    assert_int_equal(gz_mirror_seen_seq(mirror), 6);
    assert_int_equal(apply(mirror, 5, 7, false, &parent, 1), GZ_OK);
    assert_int_equal(gz_mirror_complete_seq(mirror), 7);
    assert_int_equal(gz_mirror_count(mirror), 3);
    assert_true(gz_mirror_find(mirror, 1)->trs.t.x == 7);
    gz_mirror_clear(mirror);
    assert_int_equal(gz_mirror_complete_seq(mirror) + gz_mirror_seen_seq(mirror), 0);
}

/* Against a plain table: ids that collide, go and come again. */
TEST_BETWEEN(test_mirror_finds_each_of_many_after_many_went, setup, teardown)
{
    enum { IDS = 5000 };
    struct gz_mirror *mirror = *state;
    bool there[IDS] = {false};
    uint64_t seq = 1, random = 1;
    assert_int_equal(apply(mirror, 0, 1, false, NULL, 0), GZ_OK);
    for (int step = 0; step < 20000; step++) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint64_t id = 1 + (random >> 33) % (IDS - 1);
        struct gz_node_state node = whole(id, 0, (double)id);
        struct gz_delta delta = {.from = seq, .seq = seq + 1, .nodes = &node, .count = !there[id]};
        if (there[id]) delta.gone = (struct gz_ids){&id, 1};
        assert_int_equal(gz_mirror_apply(mirror, &delta, NULL), GZ_OK);
        there[id] = !there[id];
        seq++;
    }
    size_t count = 0;
    for (uint64_t id = 0; id < IDS; id++) {
        const struct gz_mirror_node *node = gz_mirror_find(mirror, id);
        assert_int_equal(node != NULL, there[id]);
        if (node != NULL) assert_true(node->id == id && node->trs.t.x == (double)id);
        count += there[id];
    }
    assert_int_equal(gz_mirror_count(mirror), count);
}
