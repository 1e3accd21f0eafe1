/* test_scene.c - the tree of nodes: making, changing, deleting, limits, worlds, locks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/tree.h"
#include "server/maxima.h"
#include "support/cmocka.h"
#include "unit/scene/making.h"

static gz_trs moved(double x)
{
    gz_trs trs = gz_trs_identity;
    trs.t.x = x;
    return trs;
}

static double world_x(struct gz_scene *scene, uint64_t id)
{
    return gz_scene_world(scene, gz_scene_find(scene, id)).origin.x;
}

/* ---- making, changing, deleting ---- */

TEST(test_create_takes_a_seq_per_node_in_order)
{
    struct gz_scene *scene = make_small_scene();
    assert_int_equal(gz_scene_seq(scene), 5);
    assert_int_equal(gz_scene_count(scene), 5);
    assert_int_equal(gz_scene_next_id(scene), 6);
    for (uint64_t id = 1; id <= 5; id++) {
        const struct gz_node *node = gz_scene_find(scene, id);
        assert_int_equal(node->seq, id);
        assert_int_equal(node->born, id);
        assert_int_equal(node->by, 9);
        for (int part = 0; part < GZ_PART_COUNT; part++) assert_int_equal(node->part_seq[part], id);
    }
    assert_int_equal(gz_scene_find(scene, 4)->parent->id, 2);
    assert_string_equal(gz_scene_find(scene, 4)->name, "4");
    gz_scene_destroy(scene);
}

TEST(test_change_touches_only_its_parts)
{
    for (int part = 0; part < GZ_PART_BY; part++) {
        struct gz_scene *scene = make_small_scene();
        struct gz_change change = make_change(scene, 3);
        if (part == GZ_PART_T) change.after.trs.t.y = -0.0;
        if (part == GZ_PART_R) change.after.trs.r = (gz_quat){1, 0, 0, 0};
        if (part == GZ_PART_S) change.after.trs.s.z = 2;
        if (part == GZ_PART_NAME) change.after.name = "other";
        if (part == GZ_PART_PARENT) change.after.parent = 5;
        if (part == GZ_PART_BOUNDS) change.after.has_bounds = true;
        if (part == GZ_PART_ASSET) change.after.asset = 0;
        assert_true(gz_change_is_real(&change));
        struct gz_content after = change.after, now;
        apply(scene, &change, 1);
        const struct gz_node *node = gz_scene_find(scene, 3);
        assert_int_equal(node->seq, 6);
        assert_int_equal(node->born, 3);
        for (int other = 0; other < GZ_PART_COUNT; other++) {
            assert_int_equal(node->part_seq[other], other == part ? 6 : 3);
        }
        gz_node_content(node, &now);
        assert_string_equal(now.name, after.name);
        assert_trs_equal(&now.trs, &after.trs);
        assert_int_equal(now.parent, after.parent);
        assert_int_equal(now.has_bounds, after.has_bounds);
        assert_int_equal(now.asset, after.asset);
        gz_scene_destroy(scene);
    }
}

TEST(test_change_of_nothing_takes_no_seq)
{
    struct gz_scene *scene = make_small_scene();
    struct gz_change same = make_change(scene, 3);
    struct gz_change neither = {.node = 77};
    assert_false(gz_change_is_real(&same));
    assert_false(gz_change_is_real(&neither));
    apply(scene, &same, 1);
    apply(scene, &neither, 1);
    struct gz_change there_already = make_change(scene, 3);
    there_already.before.trs.t.x = 1;
    apply(scene, &there_already, 1);
    there_already = make_move(scene, 3, 1);
    there_already.before.parent = 5;
    apply(scene, &there_already, 1);
    apply(scene, NULL, 0);
    assert_int_equal(gz_scene_seq(scene), 5);
    assert_int_equal(gz_scene_find(scene, 3)->seq, 3);
    gz_scene_destroy(scene);
}

/* An undo must not take back what others did to other parts of the node. */
TEST(test_change_leaves_alone_what_it_does_not_mean)
{
    struct gz_scene *scene = make_small_scene();
    struct gz_change move = make_change(scene, 3);
    move.before.name = move.after.name = "stale";
    move.before.parent = move.after.parent = 77;
    move.after.trs.t.x = 4;
    apply(scene, &move, 1);
    const struct gz_node *node = gz_scene_find(scene, 3);
    assert_string_equal(node->name, "3");
    assert_int_equal(node->parent->id, 1);
    assert_int_equal(node->part_seq[GZ_PART_T], 6);
    assert_int_equal(node->part_seq[GZ_PART_NAME], 3);
    gz_scene_destroy(scene);
}

TEST(test_delete_and_make_again_is_the_same_id_newly_born)
{
    struct gz_scene *scene = make_small_scene();
    struct gz_change deletions[] = {make_deletion(scene, 4), make_deletion(scene, 2)};
    apply(scene, deletions, 2);
    assert_null(gz_scene_find(scene, 2));
    assert_int_equal(gz_scene_count(scene), 3);
    assert_true(newest_node(scene)->gone);
    assert_int_equal(newest_node(scene)->id, 2);
    struct gz_content last;
    gz_node_content(newest_node(scene)->older, &last);
    assert_int_equal(last.parent, 2);
    assert_string_equal(last.name, "4");

    struct gz_change again[] = {make_creation(2, 5, "two"), make_creation(4, 2, "four")};
    apply(scene, again, 2);
    const struct gz_node *node = gz_scene_find(scene, 4);
    assert_int_equal(node->seq, 9);
    assert_int_equal(node->born, 9);
    for (int part = 0; part < GZ_PART_COUNT; part++) assert_int_equal(node->part_seq[part], 9);
    assert_string_equal(node->name, "four");
    assert_int_equal(node->parent->parent->id, 5);
    assert_int_equal(gz_scene_forgotten(scene), 0);
    gz_scene_destroy(scene);
}

TEST(test_new_ids_were_never_given_out)
{
    struct gz_scene *scene = make_small_scene();
    assert_int_equal(gz_scene_new_id(scene), 6);
    struct gz_change far = make_creation(50, 0, "far");
    apply(scene, &far, 1);
    assert_int_equal(gz_scene_next_id(scene), 51);
    assert_int_equal(gz_scene_new_id(scene), 51);
    assert_int_equal(gz_scene_tick(scene), 7);
    assert_int_equal(newest_node(scene)->seq, 6);
    gz_scene_destroy(scene);
}

/* ---- what cannot be ---- */

static void refuse(struct gz_scene *scene, const struct gz_change *changes, size_t count,
                   enum gz_status status, uint64_t at)
{
    assert_int_equal(try_apply(scene, changes, count, 9), status);
    assert_int_equal(told.node, at);
}

static void refuse_move(struct gz_scene *scene, uint64_t id, uint64_t parent, enum gz_status status)
{
    struct gz_change change = make_move(scene, id, parent);
    refuse(scene, &change, 1, status, id);
}

TEST(test_apply_refuses_values_that_cannot_be)
{
    static char long_name[GZ_NAME_BYTES_MAX + 2];
    memset(long_name, 'n', GZ_NAME_BYTES_MAX + 1);
    struct gz_scene *scene = make_small_scene();
    for (int which = 0; which < 14; which++) {
        struct gz_change changes[] = {make_change(scene, 1), make_change(scene, 3)};
        changes[0].after.trs.t.x = 5;
        struct gz_content *content = &changes[1].after;
        if (which == 0) content->name = long_name;
        if (which == 1) content->trs.t.x = NAN;
        if (which == 2) content->trs.t.z = -INFINITY;
        if (which == 3) content->trs.t.y = 1.1e15;
        if (which == 4) content->trs.s.y = 9e-16;
        if (which == 5) content->trs.s.z = -9e-16;
        if (which == 6) content->trs.s.x = NAN;
        if (which == 7) content->trs.r = (gz_quat){0, 0, 0, 0};
        if (which == 8) content->trs.r.x = NAN;
        if (which == 9) content->trs.r = (gz_quat){0, 0, 1, 1};
        if (which == 10) content->asset = -2;
        if (which >= 11) content->has_bounds = true;
        if (which == 11) content->bounds.min.y = 1;
        if (which == 12) content->bounds.max.z = NAN;
        if (which == 13) content->bounds.max.z = 2e15;
        refuse(scene, changes, 2, GZ_BAD_VALUE, 3);
    }
    struct gz_change limits = make_change(scene, 3);
    limits.after.trs = (gz_trs){{-1e15, 1e15, 0}, {0, 0, 0, -1}, {-1e-15, 1e15, 0}};
    limits.after.name = long_name + 1;
    apply(scene, &limits, 1);
    gz_scene_destroy(scene);
}

TEST(test_apply_refuses_ids_that_cannot_be)
{
    struct gz_scene *scene = make_small_scene();
    const uint64_t bad[] = {0, GZ_ID_LIMIT, UINT64_MAX};
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct gz_change changes[] = {make_creation(6, 0, "good"), make_creation(bad[i], 0, "bad")};
        refuse(scene, changes, 2, GZ_BAD_VALUE, bad[i]);
    }
    struct gz_change last = make_creation(GZ_ID_LIMIT - 1, 0, "last");
    apply(scene, &last, 1);
    gz_scene_destroy(scene);
}

TEST(test_apply_refuses_what_is_not_as_the_change_says)
{
    struct gz_scene *scene = make_small_scene();
    struct gz_change missing = make_change(scene, 3);
    missing.node = 70;
    missing.after.trs.t.x = 1;
    refuse(scene, &missing, 1, GZ_UNKNOWN_NODE, 70);
    struct gz_change there = make_creation(3, 0, "again");
    refuse(scene, &there, 1, GZ_BAD_STATE, 3);
    struct gz_change parentless = make_creation(6, 70, "lost");
    refuse(scene, &parentless, 1, GZ_UNKNOWN_NODE, 70);
    struct gz_change early[] = {make_creation(7, 6, "child"), make_creation(6, 0, "parent")};
    refuse(scene, early, 2, GZ_UNKNOWN_NODE, 6);
    struct gz_change own_child = make_creation(6, 6, "own");
    refuse(scene, &own_child, 1, GZ_UNKNOWN_NODE, 6);
    struct gz_change twice[] = {make_creation(6, 0, "once"), make_creation(6, 0, "twice")};
    refuse(scene, twice, 2, GZ_BAD_STATE, 6);
    struct gz_change gone[] = {make_deletion(scene, 4), make_change(scene, 4)};
    gone[1].after.trs.t.x = 1;
    refuse(scene, gone, 2, GZ_UNKNOWN_NODE, 4);
    struct gz_change orphans[] = {make_creation(6, 0, "new"), make_deletion(scene, 2)};
    refuse(scene, orphans, 2, GZ_BAD_STATE, 2);
    struct gz_change late[] = {make_deletion(scene, 2), make_deletion(scene, 4)};
    refuse(scene, late, 2, GZ_BAD_STATE, 2);
    struct gz_change under_grave[] = {make_deletion(scene, 4), make_move(scene, 3, 4)};
    refuse(scene, under_grave, 2, GZ_UNKNOWN_NODE, 4);
    gz_scene_destroy(scene);
}

TEST(test_apply_refuses_cycles)
{
    struct gz_scene *scene = make_small_scene();
    refuse_move(scene, 2, 2, GZ_BAD_VALUE);
    refuse_move(scene, 1, 4, GZ_BAD_VALUE);
    struct gz_change both[] = {make_move(scene, 3, 5), make_move(scene, 5, 3)};
    refuse(scene, both, 2, GZ_BAD_VALUE, 3);
    struct gz_change child_of_cycle[] = {make_move(scene, 1, 4), make_creation(6, 4, "new")};
    refuse(scene, child_of_cycle, 2, GZ_BAD_VALUE, 1);
    gz_scene_destroy(scene);
}

/* A parent and its child change places, in either order of the list. */
TEST(test_apply_swaps_parent_and_child)
{
    for (int order = 0; order < 2; order++) {
        struct gz_scene *scene = make_small_scene();
        struct gz_change changes[] = {make_move(scene, order == 0 ? 4 : 2, order == 0 ? 1 : 4),
                                      make_move(scene, order == 0 ? 2 : 4, order == 0 ? 4 : 1)};
        apply(scene, changes, 2);
        assert_int_equal(gz_scene_find(scene, 2)->parent->id, 4);
        assert_int_equal(gz_scene_find(scene, 4)->parent->id, 1);
        gz_scene_destroy(scene);
    }
}

TEST(test_apply_moves_children_out_of_what_it_deletes)
{
    struct gz_scene *scene = make_small_scene();
    struct gz_change changes[] = {make_move(scene, 4, 5), make_deletion(scene, 2),
                                  make_creation(6, 4, "new")};
    apply(scene, changes, 3);
    assert_int_equal(gz_scene_find(scene, 6)->parent->parent->id, 5);
    assert_int_equal(gz_scene_count(scene), 5);
    gz_scene_destroy(scene);
}

/* ---- limits ---- */

/* A chain of `count` from node 100 down, each the next one's parent. */
static void make_chain(struct gz_scene *scene, size_t count)
{
    struct gz_change *changes = calloc(count, sizeof *changes);
    assert_non_null(changes);
    for (size_t i = 0; i < count; i++)
        changes[i] = make_creation(100 + i, i == 0 ? 0 : 99 + i, "link");
    apply(scene, changes, count);
    free(changes);
}

TEST(test_depth_has_a_limit)
{
    struct gz_scene *scene = make_small_scene();
    make_chain(scene, GZ_TREE_DEPTH_MAX - 1);
    uint64_t end = 100 + GZ_TREE_DEPTH_MAX - 2;
    struct gz_change one[] = {make_move(scene, 3, end), make_creation(6, 3, "too deep")};
    refuse(scene, one, 2, GZ_TOO_MANY, 6);
    refuse_move(scene, 2, end, GZ_TOO_MANY);
    struct gz_change unloaded[] = {make_move(scene, 2, end), make_move(scene, 4, 0)};
    apply(scene, unloaded, 2);
    refuse_move(scene, 100, 5, GZ_TOO_MANY);
    apply(scene, one, 1);
    gz_scene_destroy(scene);
}

/* Moved nodes are looked at for themselves: a deep branch that comes along with a moved one must be
 * found all the same. */
TEST(test_depth_of_moves_into_each_other_is_found)
{
    struct gz_scene *scene = make_small_scene();
    make_chain(scene, GZ_TREE_DEPTH_MAX - 2);
    struct gz_change changes[] = {make_move(scene, 100, 5), make_move(scene, 5, 3)};
    refuse(scene, changes, 2, GZ_TOO_MANY, 100);
    struct gz_change fine[] = {make_move(scene, 100, 5), make_move(scene, 5, 1)};
    apply(scene, fine, 2);
    gz_scene_destroy(scene);
}

static struct gz_scene *load_roots(size_t count)
{
    struct gz_node_record *records = calloc(count, sizeof *records);
    assert_non_null(records);
    for (size_t i = 0; i < count; i++) {
        records[i] = (struct gz_node_record){
            .id = i + 1, .seq = i + 1, .content = make_content(0, "one of many")};
    }
    struct gz_scene_state full = {
        .seq = count, .next_node = count + 1, .nodes = records, .node_count = count};
    struct gz_scene *scene = gz_scene_create(&full);
    assert_non_null(scene);
    free(records);
    return scene;
}

TEST(test_count_has_a_limit_that_deletions_make_room_under)
{
    struct gz_scene *scene = load_roots(GZ_NODES_MAX);
    struct gz_change more = make_creation(GZ_NODES_MAX + 1, 0, "more");
    refuse(scene, &more, 1, GZ_TOO_MANY, GZ_NODES_MAX + 1);
    struct gz_change instead[] = {more, make_deletion(scene, 7)};
    apply(scene, instead, 2);
    assert_int_equal(gz_scene_count(scene), GZ_NODES_MAX);
    gz_scene_destroy(scene);
}

/* A file of a version with a higher limit can be worked on, and made smaller. */
TEST(test_scene_that_is_too_full_can_be_changed_but_not_grow)
{
    struct gz_scene *scene = load_roots(GZ_NODES_MAX + 2);
    struct gz_change changes[] = {make_move(scene, 7, 8), make_deletion(scene, 9),
                                  make_creation(9, 0, "again")};
    apply(scene, changes, 3);
    struct gz_change more = make_creation(GZ_NODES_MAX + 3, 0, "more");
    refuse(scene, &more, 1, GZ_TOO_MANY, GZ_NODES_MAX + 3);
    apply(scene, &changes[1], 1);
    gz_scene_destroy(scene);
}

TEST(test_tombstones_beyond_the_limit_are_forgotten_oldest_first)
{
    const size_t extra = 10;
    struct gz_scene *scene = load_roots(GZ_NODES_MAX);
    struct gz_change *deletions = calloc(GZ_TOMBSTONES_MAX + extra, sizeof *deletions);
    assert_non_null(deletions);
    for (size_t i = 0; i < GZ_TOMBSTONES_MAX + extra; i++)
        deletions[i] = make_deletion(scene, i + 1);
    apply(scene, deletions, GZ_TOMBSTONES_MAX);
    assert_int_equal(gz_scene_grave_bytes(scene), 0); /* the file has yet to learn of them */
    gz_scene_stored(scene, gz_scene_seq(scene));
    assert_int_equal(gz_scene_forgotten(scene), 0);
    const size_t bytes = gz_scene_grave_bytes(scene);
    assert_true(bytes < GZ_TOMBSTONES_MAX * 32);
    apply(scene, deletions + GZ_TOMBSTONES_MAX, extra);
    gz_scene_stored(scene, gz_scene_seq(scene));
    assert_int_equal(gz_scene_grave_bytes(scene), bytes);
    assert_int_equal(gz_scene_forgotten(scene), GZ_NODES_MAX + extra);
    const struct gz_grave *first = gz_scene_grave_after(scene, GZ_NODES_MAX);
    assert_int_equal(first->seq, GZ_NODES_MAX + extra + 1);
    assert_int_equal(first->id, extra + 1);

    struct gz_change back = make_creation(1, 0, "forgotten and made again");
    apply(scene, &back, 1);
    assert_int_equal(gz_scene_find(scene, 1)->born, gz_scene_seq(scene));
    gz_scene_forget_graves(scene);
    assert_int_equal(gz_scene_forgotten(scene), GZ_NODES_MAX + GZ_TOMBSTONES_MAX + extra);
    assert_int_equal(gz_scene_grave_bytes(scene), 0);
    assert_null(gz_scene_grave_after(scene, 0));
    free(deletions);
    gz_scene_destroy(scene);
}

/* ---- loading ---- */

TEST(test_load_keeps_seqs_hierarchy_and_graves)
{
    const struct gz_node_record records[] = {
        {.id = 8, .seq = 30, .content = make_content(0, "eight")},
        {.id = 3, .seq = 12, .content = make_content(8, "three")},
        {.id = 9, .seq = 25, .content = make_content(3, "nine")},
        {.id = 5, .seq = 20, .gone = true, .content = make_content(8, "five")},
        {.id = 6, .seq = 27, .gone = true, .content = make_content(0, "six")},
    };
    struct gz_scene_state loaded = {.seq = 33,
                                    .next_node = 40,
                                    .nodes = records,
                                    .node_count = COUNT(records),
                                    .tombstones_from = 11};
    struct gz_scene *scene = gz_scene_create(&loaded);
    assert_non_null(scene);
    assert_sound(scene);
    assert_int_equal(gz_scene_seq(scene), 33);
    assert_int_equal(gz_scene_forgotten(scene), 11);
    assert_int_equal(gz_scene_next_id(scene), 40);
    assert_int_equal(gz_scene_count(scene), 3);
    const uint64_t order[] = {3, 5, 9, 6, 8};
    struct gz_news news = gz_scene_news(scene, 0);
    struct gz_new is;
    for (size_t i = 0; i < COUNT(order); i++) {
        assert_true(gz_news_next(&news, &is));
        assert_int_equal(is.id, order[i]);
        assert_int_equal(is.node == NULL, is.id == 5 || is.id == 6);
        if (is.node == NULL) continue;
        assert_int_equal(is.node->born, is.seq);
        for (int part = 0; part < GZ_PART_COUNT; part++)
            assert_int_equal(is.node->part_seq[part], is.seq);
    }
    assert_false(gz_news_next(&news, &is));
    assert_int_equal(gz_scene_after(scene, 19)->id, 9);
    assert_int_equal(gz_scene_grave_after(scene, 19)->id, 5);
    assert_int_equal(gz_scene_grave_after(scene, 20)->id, 6);
    assert_null(gz_scene_after(scene, 30));
    assert_null(gz_scene_grave_after(scene, 27));
    struct gz_change again = make_creation(5, 9, "five");
    apply(scene, &again, 1);
    assert_int_equal(gz_scene_find(scene, 5)->seq, 34);
    assert_int_equal(gz_scene_grave_after(scene, 0)->id, 6); /* it has no grave any more */
    gz_scene_destroy(scene);
}

/* ---- worlds ---- */

TEST(test_worlds_follow_what_is_above)
{
    struct gz_scene *scene = make_small_scene();
    for (uint64_t id = 1; id <= 5; id++) {
        gz_trs trs = moved((double)(1 << id));
        gz_scene_pose(scene, gz_scene_find(scene, id), &trs, 7);
    }
    assert_true(world_x(scene, 4) == 2 + 4 + 16);
    gz_trs trs = moved(100);
    gz_scene_pose(scene, gz_scene_find(scene, 1), &trs, 7);
    assert_true(world_x(scene, 4) == 100 + 4 + 16);
    assert_true(world_x(scene, 3) == 100 + 8);
    assert_true(gz_scene_parent_world(scene, gz_scene_find(scene, 4)).origin.x == 104);
    assert_true(gz_scene_parent_world(scene, gz_scene_find(scene, 1)).origin.x == 0);
    struct gz_change move = make_move(scene, 2, 5);
    apply(scene, &move, 1);
    assert_true(world_x(scene, 4) == 32 + 4 + 16);
    struct gz_change set = make_change(scene, 5);
    set.after.trs = moved(1000);
    apply(scene, &set, 1);
    assert_true(world_x(scene, 4) == 1000 + 4 + 16);
    gz_scene_destroy(scene);
}

TEST(test_world_of_a_swap_is_found_again)
{
    struct gz_scene *scene = make_small_scene();
    for (uint64_t id = 1; id <= 5; id++) {
        gz_trs trs = moved((double)(1 << id));
        gz_scene_pose(scene, gz_scene_find(scene, id), &trs, 7);
        (void)world_x(scene, id);
    }
    struct gz_change changes[] = {make_move(scene, 1, 4), make_move(scene, 4, 0)};
    apply(scene, changes, 2);
    assert_true(world_x(scene, 4) == 16);
    assert_true(world_x(scene, 1) == 16 + 2);
    assert_true(world_x(scene, 3) == 16 + 2 + 8);
    assert_true(world_x(scene, 2) == 16 + 2 + 4);
    gz_scene_destroy(scene);
}

TEST(test_world_of_a_grave_follows_what_was_above)
{
    struct gz_scene *scene = make_small_scene();
    struct gz_change deletion = make_deletion(scene, 4);
    apply(scene, &deletion, 1);
    const struct gz_node *tombstone = newest_node(scene);
    assert_true(gz_scene_world(scene, tombstone).origin.x == 0);
    gz_trs trs = moved(3);
    gz_scene_pose(scene, gz_scene_find(scene, 2), &trs, 7);
    assert_true(gz_scene_world(scene, tombstone).origin.x == 3);
    gz_scene_destroy(scene);
}

TEST(test_pose_of_the_same_bits_is_no_change)
{
    struct gz_scene *scene = make_small_scene();
    const struct gz_node *node = gz_scene_find(scene, 4);
    gz_trs trs = node->trs;
    gz_scene_pose(scene, node, &trs, 7);
    assert_int_equal(gz_scene_seq(scene), 5);
    trs.t.x = -0.0;
    trs.s.y = 2;
    gz_scene_pose(scene, node, &trs, 7);
    assert_int_equal(gz_scene_seq(scene), 6);
    assert_int_equal(node->part_seq[GZ_PART_T], 6);
    assert_int_equal(node->part_seq[GZ_PART_R], 4);
    assert_int_equal(node->part_seq[GZ_PART_S], 6);
    assert_int_equal(node->by, 7);
    assert_ptr_equal(newest_node(scene), node);
    assert_sound(scene);
    gz_scene_destroy(scene);
}

/* ---- walks ---- */

TEST(test_walks_meet_parents_first_and_everybody_once)
{
    struct gz_scene *scene = make_small_scene();
    const uint64_t all[] = {1, 2, 4, 3, 5}, some[] = {1, 2, 4, 3};
    size_t met = 0;
    for (const struct gz_node *at = gz_scene_walk_all(scene, NULL); at != NULL;
         at = gz_scene_walk_all(scene, at)) {
        assert_int_equal(at->id, all[met++]);
    }
    assert_int_equal(met, 5);
    const struct gz_node *top = gz_scene_find(scene, 1);
    met = 0;
    for (const struct gz_node *at = top; at != NULL; at = gz_scene_walk(top, at))
        assert_int_equal(at->id, some[met++]);
    assert_int_equal(met, 4);
    assert_null(gz_scene_walk(gz_scene_find(scene, 4), gz_scene_find(scene, 4)));
    gz_scene_destroy(scene);
}

/* ---- holding ---- */

static struct gz_grip pointer_of(uint64_t session)
{
    return (struct gz_grip){session, GZ_GRIP_POINTER};
}

/* A session has several gestures, and none has the nodes of another. */
TEST(test_hold_of_a_session_is_one_gestures)
{
    struct gz_scene *scene = make_small_scene();
    const struct gz_grip first = {70, 1}, second = {70, 2};
    assert_int_equal(gz_scene_hold(scene, (uint64_t[]){2, 3}, 2, first, &told), GZ_OK);
    assert_int_equal(gz_scene_hold(scene, (uint64_t[]){5, 3}, 2, second, &told), GZ_BAD_STATE);
    assert_int_equal(told.node, 3);
    assert_int_equal(gz_scene_find(scene, 5)->holder, 0);
    assert_int_equal(gz_scene_hold(scene, (uint64_t[]){2, 4}, 2, first, &told), GZ_OK);
    assert_int_equal(gz_scene_hold(scene, (uint64_t[]){5}, 1, second, &told), GZ_OK);
    gz_scene_release(scene, (uint64_t[]){2, 3, 4, 5}, 4, first);
    assert_int_equal(gz_scene_find(scene, 4)->holder, 0);
    assert_int_equal(gz_scene_find(scene, 5)->holder, 70);
    gz_scene_destroy(scene);
}

TEST(test_hold_is_all_or_nothing_and_names_the_holder)
{
    struct gz_scene *scene = make_small_scene();
    assert_int_equal(gz_scene_hold(scene, (uint64_t[]){2, 3}, 2, pointer_of(70), &told), GZ_OK);
    assert_int_equal(gz_scene_hold(scene, (uint64_t[]){5, 3}, 2, pointer_of(71), &told), GZ_LOCKED);
    assert_int_equal(told.node, 3);
    assert_int_equal(told.holder, 70);
    assert_int_equal(gz_scene_find(scene, 5)->holder, 0);
    assert_int_equal(gz_scene_hold(scene, (uint64_t[]){5, 6}, 2, pointer_of(71), &told),
                     GZ_UNKNOWN_NODE);
    assert_int_equal(told.node, 6);
    assert_int_equal(gz_scene_find(scene, 5)->holder, 0);
    assert_int_equal(gz_scene_hold(scene, (uint64_t[]){2, 5, 6}, 3, pointer_of(70), &told),
                     GZ_UNKNOWN_NODE);
    assert_int_equal(gz_scene_find(scene, 2)->holder, 70); /* as before */
    assert_int_equal(gz_scene_find(scene, 5)->holder, 0);
    gz_scene_release(scene, (uint64_t[]){2, 3, 99}, 3, pointer_of(71));
    assert_int_equal(gz_scene_find(scene, 3)->holder, 70);
    gz_scene_release(scene, (uint64_t[]){3}, 1, pointer_of(70));
    assert_int_equal(gz_scene_hold(scene, (uint64_t[]){5, 3}, 2, pointer_of(71), &told), GZ_OK);
    assert_int_equal(gz_scene_find(scene, 2)->holder, 70);
    assert_int_equal(gz_scene_seq(scene), 5);
    gz_scene_destroy(scene);
}

TEST(test_held_node_is_changed_by_nobody)
{
    struct gz_scene *scene = make_small_scene();
    assert_int_equal(gz_scene_hold(scene, (uint64_t[]){4}, 1, pointer_of(70), &told), GZ_OK);
    struct gz_change move = make_change(scene, 4);
    move.after.trs.t.x = 1;
    assert_int_equal(try_apply(scene, &move, 1, 71), GZ_LOCKED);
    assert_int_equal(told.node, 4);
    assert_int_equal(told.holder, 70);
    assert_int_equal(try_apply(scene, &move, 1, 70), GZ_BAD_STATE);
    assert_string_equal(told.error.message, "node 4 is being dragged");
    struct gz_change above[] = {make_deletion(scene, 4), make_deletion(scene, 2)};
    assert_int_equal(try_apply(scene, above, 2, 71), GZ_LOCKED);
    assert_int_equal(told.node, 4);
    struct gz_change same = make_change(scene, 4);
    assert_int_equal(try_apply(scene, &same, 1, 71), GZ_OK);
    struct gz_change carried = make_move(scene, 2, 5);
    assert_int_equal(try_apply(scene, &carried, 1, 71), GZ_OK);
    assert_int_equal(gz_scene_find(scene, 4)->holder, 70);
    assert_int_equal(try_apply(scene, &move, 1, 0), GZ_OK);
    assert_int_equal(gz_scene_find(scene, 4)->holder, 70);
    assert_int_equal(try_apply(scene, above, 2, 0), GZ_OK);
    struct gz_change again[] = {make_creation(2, 0, "2"), make_creation(4, 2, "4")};
    assert_int_equal(try_apply(scene, again, 2, 71), GZ_OK);
    assert_int_equal(gz_scene_find(scene, 4)->holder, 0);
    gz_scene_destroy(scene);
}

/* ---- the order of change ---- */

static const struct gz_node *first_after(struct gz_scene *scene, uint64_t seq)
{
    const struct gz_node *node = scene->oldest;
    while (node != NULL && node->seq <= seq) node = node->newer;
    return node;
}

/* Readers that go through the scene in pieces and readers that keep up ask by turns, while nodes
 * change, are deleted and are made again: among them the one at which the last search ended. */
TEST(test_what_changed_after_is_found_wherever_the_last_search_ended)
{
    enum { NODES = 400, STEPS = 20000 };
    uint64_t chance = chance_seed(3), readers[4] = {0};
    struct gz_scene *scene = load_roots(NODES);
    for (int i = 0; i < STEPS; i++) {
        uint64_t *reader = &readers[chance_below(&chance, 4)];
        uint64_t newest = gz_scene_seq(scene), kind = chance_below(&chance, 8);
        if (kind == 0) *reader = 0;
        if (kind == 1) *reader = newest - chance_below(&chance, 3);
        const struct gz_node *node = first_after(scene, *reader);
        assert_ptr_equal(gz_scene_after(scene, *reader), node);
        for (int piece = 0; node != NULL && piece < 30; piece++, node = node->newer)
            *reader = node->seq;
        const struct gz_node *at = first_after(scene, *reader);
        uint64_t id = at != NULL && kind < 5 ? at->id : 1 + chance_below(&chance, NODES);
        struct gz_change change;
        if (gz_scene_find(scene, id) == NULL) {
            change = make_creation(id, 0, "again");
        } else if (kind == 2) {
            change = make_deletion(scene, id);
        } else {
            change = make_change(scene, id);
            change.after.trs.t.x += 1;
        }
        /* apply() would compare all nodes at each step, which takes nearly all of the time. */
        assert_int_equal(gz_scene_apply(scene, &change, 1, 9, &told), GZ_OK);
    }
    assert_sound(scene);
    gz_scene_destroy(scene);
}
