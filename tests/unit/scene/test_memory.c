/* Each allocation in turn fails: what was asked for is refused or done with less, nothing leaks,
 * nothing is half done. */
#include <stdlib.h>
#include <string.h>

#include "scene/undo.h"
#include "support/cmocka.h"
#include "unit/base/allocations.h"
#include "unit/scene/making.h"

static long alive_before;

static int count_alive(void **state)
{
    (void)state;
    alive_before = allocations_alive();
    return 0;
}

static int expect_none_left(void **state)
{
    (void)state;
    fail_allocation(0);
    return allocations_alive() != alive_before;
}

TEST_BETWEEN(test_create_without_memory_is_null, count_alive, expect_none_left)
{
    enum { NODES = 200 };
    static struct gz_node_record records[NODES];
    for (size_t i = 0; i < NODES; i++) {
        records[i] = (struct gz_node_record){
            .id = i + 1, .seq = i + 1, .gone = i > 150, .content = make_content(i / 2, "n")};
    }
    struct gz_scene_state loaded = {.seq = NODES, .nodes = records, .node_count = NODES};
    for (size_t n = 1;; n++) {
        fail_allocation(n);
        struct gz_scene *scene = gz_scene_create(&loaded);
        if (!allocation_failed()) {
            assert_int_equal(gz_scene_count(scene), 151);
            gz_scene_destroy(scene);
            assert_true(n > 2 * NODES);
            return;
        }
        /* Graves are forgotten instead. */
        if (scene != NULL) assert_in_range(gz_scene_forgotten(scene), 152, NODES);
        gz_scene_destroy(scene);
    }
}

/* Enough new nodes that the table has to grow, names that change, a tombstone that is opened, a
 * move and a deletion. */
static size_t make_list(const struct gz_scene *scene, struct gz_change *changes)
{
    size_t count = 0;
    for (uint64_t id = 100; id < 150; id++)
        changes[count++] = make_creation(id, id == 100 ? 5 : id - 1, "new");
    changes[count++] = make_creation(3, 149, "made again");
    changes[count++] = make_move(scene, 4, 3);
    changes[count++] = make_deletion(scene, 2);
    changes[count] = make_change(scene, 1);
    changes[count++].after.name = "renamed";
    return count;
}

TEST_BETWEEN(test_apply_without_memory_changes_nothing, count_alive, expect_none_left)
{
    struct gz_scene *scene = make_small_scene();
    struct gz_change deletion = make_deletion(scene, 3), changes[60];
    apply(scene, &deletion, 1);
    size_t count = make_list(scene, changes);
    for (size_t n = 1;; n++) {
        fail_allocation(n);
        enum gz_status checked = gz_scene_check(scene, changes, count, 9, &told);
        bool check_failed = allocation_failed();
        assert_int_equal(checked, check_failed ? GZ_NO_MEMORY : GZ_OK);
        fail_allocation(n);
        enum gz_status status = gz_scene_apply(scene, changes, count, 9, &told);
        bool apply_failed = allocation_failed();
        fail_allocation(0);
        assert_sound(scene);
        if (!apply_failed) {
            assert_int_equal(status, GZ_OK);
            assert_true(n > 100);
            break;
        }
        assert_int_equal(status, GZ_NO_MEMORY);
        assert_int_equal(told.error.status, GZ_NO_MEMORY);
        assert_int_equal(gz_scene_seq(scene), 6);
        assert_int_equal(gz_scene_next_id(scene), 6);
        assert_int_equal(gz_scene_count(scene), 4);
        assert_string_equal(gz_scene_find(scene, 1)->name, "1");
        assert_int_equal(gz_scene_find(scene, 4)->parent->id, 2);
        assert_null(gz_scene_find(scene, 3));
        assert_null(gz_scene_find(scene, 100));
    }
    assert_int_equal(gz_scene_count(scene), 54);
    assert_string_equal(gz_scene_find(scene, 3)->name, "made again");
    gz_scene_destroy(scene);
}

TEST_BETWEEN(test_a_refused_list_takes_no_memory, count_alive, expect_none_left)
{
    struct gz_scene *scene = make_small_scene();
    struct gz_change changes[60];
    size_t count = make_list(scene, changes) - 4;
    changes[count++] = make_deletion(scene, 2);
    assert_int_equal(try_apply(scene, changes, count, 9), GZ_BAD_STATE);
    long alive = allocations_alive();
    assert_int_equal(try_apply(scene, changes, count, 9), GZ_BAD_STATE);
    assert_int_equal(allocations_alive(), alive);
    gz_scene_destroy(scene);
}

TEST_BETWEEN(test_lists_without_memory_are_refused, count_alive, expect_none_left)
{
    struct gz_scene *scene = make_small_scene();
    const struct gz_node_record records[] = {{.id = 7, .content = make_content(0, "seven")},
                                             {.id = 1, .content = make_content(7, "1")}};
    for (int which = 0; which < 4; which++) {
        for (size_t n = 1;; n++) {
            struct gz_arena arena;
            gz_arena_init(&arena, 1 << 20);
            struct gz_change_list list = {NULL, 0};
            struct gz_change change = make_change(scene, 1);
            fail_allocation(n);
            if (which == 0 &&
                gz_changes_delete(scene, &arena, (uint64_t[]){1}, 1, &list, &told) != GZ_OK)
                list.changes = NULL;
            if (which == 1 && gz_changes_restore(scene, &arena, records, 2, &list, &told) != GZ_OK)
                list.changes = NULL;
            if (which == 2) list.changes = gz_changes_copy(&arena, &change, 1);
            if (which == 3) list.changes = gz_changes_reverse(&arena, &change, 1);
            bool failed = allocation_failed();
            assert_true(failed == (list.changes == NULL));
            gz_arena_finish(&arena);
            if (!failed) break;
        }
    }
    gz_scene_destroy(scene);
}

TEST_BETWEEN(test_undo_without_memory_is_shorter, count_alive, expect_none_left)
{
    const struct gz_change change = make_creation(1, 0, "n");
    struct gz_edit_record edit = {
        .user = "ann", .kind = GZ_EDIT_SET, .changes = &change, .change_count = 1};
    fail_allocation(1);
    assert_null(gz_undo_create());
    struct gz_undo_log *log = gz_undo_create();
    for (edit.id = 1; edit.id <= 5; edit.id++) {
        edit.seq = edit.id;
        fail_allocation(edit.id == 4 ? 1 : 0);
        gz_undo_add(log, &edit);
        const struct gz_edit_record *next = gz_undo_next(log, "ann");
        assert_int_equal(next != NULL ? next->id : 0, edit.id == 4 ? 0 : edit.id);
    }
    gz_undo_remove(log, 5);
    assert_null(gz_undo_next(log, "ann"));
    gz_undo_destroy(log);
}

TEST_BETWEEN(test_pose_takes_no_memory, count_alive, expect_none_left)
{
    struct gz_scene *scene = make_small_scene();
    gz_trs trs = gz_trs_identity;
    fail_allocation(1);
    for (int i = 0; i < 1000; i++) {
        trs.t.x = i + 1;
        gz_scene_pose(scene, gz_scene_find(scene, 1 + (uint64_t)i % 5), &trs, 9);
        (void)gz_scene_world(scene, gz_scene_find(scene, 4));
    }
    assert_int_equal(gz_scene_hold(scene, (uint64_t[]){1, 2}, 2, 9, &told), GZ_OK);
    gz_scene_release(scene, (uint64_t[]){1, 2}, 2, 9);
    assert_false(allocation_failed());
    fail_allocation(0);
    gz_scene_destroy(scene);
}
