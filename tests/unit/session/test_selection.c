/* test_selection.c - what a selection is after each way to change it. */
#include <stdlib.h>
#include <string.h>

#include "core/view.h"
#include "support/cmocka.h"
#include "unit/scene/making.h"

/* The ids of the digits. */
static struct gz_ids ids_of(const char *digits, uint64_t *ids)
{
    struct gz_ids list = {ids, strlen(digits)};
    for (size_t i = 0; i < list.count; i++) ids[i] = (uint64_t)(digits[i] - '0');
    return list;
}

static void assert_selected(const struct gz_selection *selection, const char *digits)
{
    uint64_t ids[10];
    assert_int_equal(selection->count, ids_of(digits, ids).count);
    assert_memory_equal(selection->ids, ids, selection->count * sizeof *ids);
}

static void change(struct gz_selection *selection, const char *digits, enum gz_how how)
{
    uint64_t ids[10];
    struct gz_arena scratch;
    gz_arena_init(&scratch, 4096);
    assert_int_equal(gz_selection_change(selection, &scratch, ids_of(digits, ids), how), GZ_OK);
    gz_arena_finish(&scratch);
}

/* The last one is the active node, so the order counts. */
TEST(test_change)
{
    static const struct {
        const char *before;
        enum gz_how how;
        const char *named, *after;
    } cases[] = {
        {"12", GZ_HOW_SET, "34", "34"},      {"12", GZ_HOW_SET, "21", "21"},
        {"12", GZ_HOW_SET, "", ""},          {"12", GZ_HOW_ADD, "3", "123"},
        {"123", GZ_HOW_ADD, "1", "231"},     {"123", GZ_HOW_ADD, "", "123"},
        {"123", GZ_HOW_REMOVE, "24", "13"},  {"", GZ_HOW_REMOVE, "1", ""},
        {"123", GZ_HOW_TOGGLE, "24", "134"}, {"123", GZ_HOW_TOGGLE, "123", ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct gz_selection selection = {.count = 0};
        change(&selection, cases[i].before, GZ_HOW_SET);
        change(&selection, cases[i].named, cases[i].how);
        assert_selected(&selection, cases[i].after);
        gz_selection_finish(&selection);
    }
}

TEST(test_prune_takes_out_nodes_that_are_gone)
{
    struct gz_selection selection = {.count = 0};
    struct gz_scene *scene = make_small_scene();
    change(&selection, "415", GZ_HOW_SET);
    assert_false(gz_selection_prune(&selection, scene));
    struct gz_change deletion = make_deletion(scene, 4);
    apply(scene, &deletion, 1);
    assert_true(gz_selection_prune(&selection, scene));
    assert_selected(&selection, "15");
    gz_selection_finish(&selection);
    gz_scene_destroy(scene);
}
