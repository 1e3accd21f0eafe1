/* test_changes.c - edits of several nodes: copies, deletions, and restoring what was there. */
#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"
#include "support/cmocka.h"
#include "unit/scene/making.h"

static struct gz_arena arena;

static int arena_begin(void **state)
{
    (void)state;
    gz_arena_init(&arena, 1 << 20);
    return 0;
}

static int arena_end(void **state)
{
    (void)state;
    gz_arena_finish(&arena);
    return 0;
}

/* ---- copies ---- */

TEST_BETWEEN(test_copy_owns_its_names, arena_begin, arena_end)
{
    char name[] = "first", other[] = "second";
    struct gz_change change = make_creation(1, 0, name);
    change.before.name = other;
    struct gz_change *copy = gz_changes_copy(&arena, &change, 1);
    name[0] = other[0] = 'X';
    assert_string_equal(copy->after.name, "first");
    assert_string_equal(copy->before.name, "second");
    change.before.name = NULL;
    assert_string_equal(gz_changes_copy(&arena, &change, 1)->before.name, "");
    assert_non_null(gz_changes_copy(&arena, NULL, 0));
}

TEST_BETWEEN(test_copy_beyond_the_arena_is_null, arena_begin, arena_end)
{
    const struct gz_change changes[] = {make_creation(1, 0, "a"), make_creation(2, 0, "b")};
    for (size_t max = 0; max < sizeof changes + 4 * 16; max += 16) {
        gz_arena_reset(&arena, max);
        assert_null(gz_changes_copy(&arena, changes, 2));
        if (max < sizeof changes) assert_null(gz_changes_reverse(&arena, changes, 2));
    }
    gz_arena_reset(&arena, sizeof changes + 4 * 16);
    assert_non_null(gz_changes_copy(&arena, changes, 2));
}

TEST_BETWEEN(test_reverse_takes_everything_back, arena_begin, arena_end)
{
    struct gz_scene *scene = make_small_scene();
    struct gz_change changes[] = {make_move(scene, 4, 5), make_deletion(scene, 2),
                                  make_creation(6, 4, "six"), make_change(scene, 3)};
    changes[3].after.name = "renamed";
    struct gz_change *copy = gz_changes_copy(&arena, changes, 4);
    apply(scene, copy, 4);
    struct gz_change *reverse = gz_changes_reverse(&arena, copy, 4);
    assert_int_equal(reverse[0].node, 3);
    assert_int_equal(reverse[1].node, 6);
    assert_false(reverse[1].exists);
    apply(scene, reverse, 4);
    assert_null(gz_scene_find(scene, 6));
    assert_int_equal(gz_scene_find(scene, 4)->parent->id, 2);
    assert_int_equal(gz_scene_find(scene, 2)->parent->id, 1);
    assert_string_equal(gz_scene_find(scene, 3)->name, "3");
    assert_int_equal(gz_scene_count(scene), 5);
    gz_scene_destroy(scene);
}

/* ---- deletion ---- */

TEST_BETWEEN(test_delete_lists_subtrees_children_first_each_once, arena_begin, arena_end)
{
    const struct {
        uint64_t ids[4];
        size_t id_count;
        uint64_t expected[5];
        size_t count;
    } cases[] = {
        {{1}, 1, {3, 4, 2, 1}, 4},
        {{4, 2}, 2, {4, 2}, 2},
        {{2, 4}, 2, {4, 2}, 2},
        {{4, 1, 4}, 3, {3, 4, 2, 1}, 4},
        {{5, 3, 5, 3}, 4, {3, 5}, 2},
        {{3, 4, 2, 1}, 4, {3, 4, 2, 1}, 4},
        {{5, 1}, 2, {3, 4, 2, 1, 5}, 5},
        {{2, 2, 1, 1}, 4, {3, 4, 2, 1}, 4},
        {{0}, 0, {0}, 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct gz_scene *scene = make_small_scene();
        struct gz_change_list list;
        assert_int_equal(
            gz_changes_delete(scene, &arena, cases[i].ids, cases[i].id_count, &list, &told), GZ_OK);
        assert_int_equal(list.count, cases[i].count);
        const struct gz_change *changes = list.changes;
        for (size_t c = 0; c < list.count; c++) {
            assert_int_equal(changes[c].node, cases[i].expected[c]);
            assert_true(changes[c].existed && !changes[c].exists);
            assert_string_equal(changes[c].before.name,
                                gz_scene_find(scene, changes[c].node)->name);
            assert_ptr_not_equal(changes[c].before.name,
                                 gz_scene_find(scene, changes[c].node)->name);
        }
        apply(scene, changes, list.count);
        assert_int_equal(gz_scene_count(scene), 5 - list.count);
        gz_scene_destroy(scene);
    }
}

TEST_BETWEEN(test_delete_of_what_is_not_there_names_it, arena_begin, arena_end)
{
    struct gz_scene *scene = make_small_scene();
    struct gz_change deletion = make_deletion(scene, 4);
    apply(scene, &deletion, 1);
    const uint64_t unknown[] = {4, 70, 0};
    for (size_t i = 0; i < COUNT(unknown); i++) {
        struct gz_change_list list;
        const uint64_t ids[] = {1, unknown[i], 2};
        assert_int_equal(gz_changes_delete(scene, &arena, ids, 3, &list, &told), GZ_UNKNOWN_NODE);
        assert_int_equal(told.node, unknown[i]);
        assert_int_equal(told.error.status, GZ_UNKNOWN_NODE);
    }
    gz_scene_destroy(scene);
}

/* ---- restoring ---- */

/* Restores `records`; afterwards the scene must be just that. Then takes it back. */
static void restore(struct gz_scene *scene, const struct gz_node_record *records, size_t count,
                    size_t expected_changes)
{
    struct gz_change_list list;
    size_t alive = gz_scene_count(scene);
    assert_int_equal(gz_changes_restore(scene, &arena, records, count, &list, &told), GZ_OK);
    assert_int_equal(list.count, expected_changes);
    apply(scene, list.changes, list.count);
    assert_int_equal(gz_scene_count(scene), count);
    for (size_t i = 0; i < count; i++) {
        struct gz_change same = make_change(scene, records[i].id);
        same.after = records[i].content;
        assert_false(gz_change_is_real(&same));
    }
    apply(scene, gz_changes_reverse(&arena, list.changes, list.count), list.count);
    assert_int_equal(gz_scene_count(scene), alive);
}

TEST_BETWEEN(test_restore_swaps_revives_and_deletes, arena_begin, arena_end)
{
    struct gz_scene *scene = make_small_scene();
    struct gz_change deletion = make_deletion(scene, 3), creation = make_creation(6, 4, "late");
    apply(scene, &deletion, 1);
    apply(scene, &creation, 1);
    const struct gz_node_record same[] = {
        {.id = 1, .content = make_content(0, "1")},    {.id = 2, .content = make_content(1, "2")},
        {.id = 4, .content = make_content(2, "4")},    {.id = 5, .content = make_content(0, "5")},
        {.id = 6, .content = make_content(4, "late")},
    };
    restore(scene, same, 5, 0);
    const struct gz_node_record swapped[] = {
        {.id = 4, .content = make_content(0, "4")},
        {.id = 2, .content = make_content(4, "2")},
        {.id = 1, .content = make_content(2, "1")},
    };
    restore(scene, swapped, 3, 5);
    const struct gz_node_record moved_out[] = {
        {.id = 3, .content = make_content(0, "3")},
        {.id = 6, .content = make_content(3, "6")},
    };
    restore(scene, moved_out, 2, 6);
    restore(scene, NULL, 0, 5);
    const struct gz_node_record forgotten[] = {
        {.id = 1000, .content = make_content(0, "never seen")}};
    restore(scene, forgotten, 1, 6);
    gz_scene_destroy(scene);
}

/* A chain of the greatest depth upside down: on the way it would be twice as deep. */
TEST_BETWEEN(test_restore_turns_the_deepest_chain_around_and_back, arena_begin, arena_end)
{
    gz_arena_reset(&arena, 1 << 24);
    struct gz_scene *scene = make_empty_scene();
    struct gz_change chain[GZ_TREE_DEPTH_MAX];
    struct gz_node_record around[GZ_TREE_DEPTH_MAX];
    for (uint64_t i = 0; i < GZ_TREE_DEPTH_MAX; i++) {
        chain[i] = make_creation(i + 1, i, "link");
        around[i] = (struct gz_node_record){
            .id = GZ_TREE_DEPTH_MAX - i,
            .content = make_content(i == 0 ? 0 : GZ_TREE_DEPTH_MAX + 1 - i, "link")};
    }
    apply(scene, chain, GZ_TREE_DEPTH_MAX);
    restore(scene, around, GZ_TREE_DEPTH_MAX, GZ_TREE_DEPTH_MAX);
    gz_scene_destroy(scene);
}
