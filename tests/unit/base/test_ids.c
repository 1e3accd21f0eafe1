/* Lists of ids: sorting and finding, and selections against a definition in words. */
#include <stdlib.h>
#include <string.h>

#include "proto/base/ids.h"
#include "support/chance.h"
#include "support/cmocka.h"

#define ROUNDS 2000
#define IDS_MAX 12
#define MANY 200000

static bool is_in(const uint64_t *ids, size_t count, uint64_t id)
{
    for (size_t i = 0; i < count; i++)
        if (ids[i] == id) return true;
    return false;
}

/* Different ids below 16, in any order. */
static size_t any_ids(uint64_t *chance, uint64_t ids[IDS_MAX])
{
    size_t count = 0;
    for (uint64_t tries = chance_below(chance, IDS_MAX); tries > 0; tries--) {
        uint64_t id = 1 + chance_below(chance, 15);
        if (!is_in(ids, count, id)) ids[count++] = id;
    }
    return count;
}

/* Those that are named leave; those that come, come last. */
static size_t select_by_words(const uint64_t *before, size_t count, const uint64_t *named,
                              size_t named_count, enum gz_how how, uint64_t *after)
{
    size_t kept = 0;
    for (size_t i = 0; how != GZ_HOW_SET && i < count; i++)
        if (!is_in(named, named_count, before[i])) after[kept++] = before[i];
    for (size_t i = 0; how != GZ_HOW_REMOVE && i < named_count; i++)
        if (how != GZ_HOW_TOGGLE || !is_in(before, count, named[i])) after[kept++] = named[i];
    return kept;
}

TEST(test_ids_selected_are_those_that_the_words_say)
{
    uint64_t chance = chance_seed(16);
    struct gz_arena scratch;
    gz_arena_init(&scratch, SIZE_MAX);
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t before[2 * IDS_MAX], named[IDS_MAX], after[2 * IDS_MAX];
        size_t count = any_ids(&chance, before), named_count = any_ids(&chance, named);
        enum gz_how how = (enum gz_how)chance_below(&chance, GZ_HOW_COUNT);
        size_t wanted = select_by_words(before, count, named, named_count, how, after);
        gz_arena_reset(&scratch, SIZE_MAX);
        assert_int_equal(gz_select_ids(before, count, named, named_count, how, &scratch), wanted);
        assert_memory_equal(before, after, wanted * sizeof *after);
    }
    gz_arena_finish(&scratch);
}

/* To look for each among all would take 40 billion comparisons. */
TEST(test_ids_selected_may_be_very_many)
{
    uint64_t *selected = calloc(2 * MANY, sizeof *selected), *named = calloc(MANY, sizeof *named);
    struct gz_arena scratch;
    gz_arena_init(&scratch, SIZE_MAX);
    assert_true(selected != NULL && named != NULL);
    for (size_t i = 0; i < MANY; i++) {
        selected[i] = 2 * (MANY - i);
        named[i] = 1 + i * 7919 % (2 * MANY + 1);
    }
    size_t even = 0;
    for (size_t i = 0; i < MANY; i++) even += named[i] % 2 == 0 && named[i] <= 2 * MANY;
    size_t count = gz_select_ids(selected, MANY, named, MANY, GZ_HOW_TOGGLE, &scratch);
    assert_int_equal(count, MANY - even + MANY - even);
    count = gz_select_ids(selected, count, named, 0, GZ_HOW_SET, &scratch);
    assert_int_equal(count, 0);
    gz_arena_finish(&scratch);
    free(selected);
    free(named);
}

TEST(test_ids_without_memory_are_as_before)
{
    uint64_t selected[4] = {3, 1}, named[2] = {1, 2};
    struct gz_arena scratch;
    gz_arena_init(&scratch, sizeof *selected);
    assert_int_equal(gz_select_ids(selected, 2, named, 2, GZ_HOW_TOGGLE, &scratch), SIZE_MAX);
    assert_int_equal(selected[0], 3);
    assert_int_equal(selected[1], 1);
    gz_arena_finish(&scratch);
}

TEST(test_ids_are_found_in_order)
{
    uint64_t ids[] = {9, 2, 7, 4};
    gz_sort_ids(ids, 4);
    assert_memory_equal(ids, ((const uint64_t[]){2, 4, 7, 9}), sizeof ids);
    for (uint64_t id = 0; id < 11; id++) assert_int_equal(gz_has_id(ids, 4, id), is_in(ids, 4, id));
    assert_false(gz_has_id(NULL, 0, 2));
}
