/* Buffers and arenas when there is no memory to be had. */
#include <stdlib.h>
#include <string.h>

#include "proto/base/buffer.h"
#include "support/cmocka.h"
#include "unit/base/allocations.h"

TEST(test_buffer_without_memory_keeps_what_it_had)
{
    struct gz_buffer buffer;
    gz_buffer_init(&buffer, 100000, 8);
    fail_allocation(1);
    assert_int_equal(gz_buffer_append(&buffer, "abc", 3), GZ_NO_MEMORY);
    assert_int_equal(buffer.size, 0);
    assert_int_equal(gz_buffer_append(&buffer, "abc", 3), GZ_OK);
    fail_allocation(1);
    assert_int_equal(gz_buffer_reserve(&buffer, 50000), GZ_NO_MEMORY);
    assert_int_equal(gz_buffer_append(&buffer, "def", 3), GZ_OK);
    assert_int_equal(buffer.size, 6);
    assert_memory_equal(buffer.data, "abcdef", 6);
    gz_buffer_finish(&buffer);
    assert_int_equal(allocations_alive(), 0);
}

TEST(test_arena_without_memory_is_null_and_goes_on)
{
    struct gz_arena arena;
    gz_arena_init(&arena, 100000);
    char *first = gz_arena_take(&arena, 1, 4000);
    assert_non_null(first);
    memset(first, 'f', 4000);
    fail_allocation(1);
    assert_null(gz_arena_take(&arena, 1, 4000));
    assert_int_equal(arena.used, 4000);
    assert_non_null(gz_arena_take(&arena, 1, 4000));
    assert_int_equal(first[3999], 'f');
    gz_arena_reset(&arena, 100000);
    assert_int_equal(allocations_alive(), 1);
    gz_arena_finish(&arena);
    assert_int_equal(allocations_alive(), 0);
}
