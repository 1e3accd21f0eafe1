/* test_buffer.c - buffers and arenas: what fits, what is refused, how they grow. */
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/buffer.h"
#include "support/cmocka.h"

/* ---- buffers ---- */

TEST(test_buffer_takes_its_maximum_and_no_byte_more)
{
    const size_t maxima[] = {1, 511, 512, 513, 4096, 100000};
    for (size_t i = 0; i < sizeof maxima / sizeof maxima[0]; i++) {
        struct gz_buffer buffer;
        gz_buffer_init(&buffer, maxima[i], 0);
        for (size_t size = 0; size < maxima[i]; size++) {
            uint8_t byte = (uint8_t)(size * 7);
            assert_int_equal(gz_buffer_append(&buffer, &byte, 1), GZ_OK);
        }
        assert_int_equal(gz_buffer_append(&buffer, "x", 1), GZ_TOO_LARGE);
        assert_int_equal(buffer.size, maxima[i]);
        assert_true(buffer.capacity <= maxima[i]);
        for (size_t at = 0; at < maxima[i]; at++)
            assert_int_equal(buffer.data[at], (uint8_t)(at * 7));
        gz_buffer_finish(&buffer);
    }
}

TEST(test_buffer_refuses_a_size_that_wraps)
{
    struct gz_buffer buffer;
    gz_buffer_init(&buffer, 1000, 16);
    assert_int_equal(gz_buffer_append(&buffer, "abc", 3), GZ_OK);
    assert_int_equal(gz_buffer_reserve(&buffer, SIZE_MAX), GZ_TOO_LARGE);
    assert_int_equal(gz_buffer_reserve(&buffer, SIZE_MAX - 2), GZ_TOO_LARGE);
    assert_int_equal(gz_buffer_reserve(&buffer, 998), GZ_TOO_LARGE);
    assert_int_equal(gz_buffer_reserve(&buffer, 997), GZ_OK);
    assert_int_equal(buffer.size, 3);
    assert_memory_equal(buffer.data, "abc", 3);
    gz_buffer_finish(&buffer);
}

TEST(test_buffer_headroom_is_writable_and_not_content)
{
    struct gz_buffer buffer;
    gz_buffer_init(&buffer, 5000, 24);
    for (int i = 0; i < 500; i++) {
        assert_int_equal(gz_buffer_append(&buffer, "0123456789", 10), GZ_OK);
        memset(buffer.data - 24, 0xEE, 24);
    }
    assert_int_equal(buffer.size, 5000);
    for (size_t at = 0; at < 5000; at++) assert_int_equal(buffer.data[at], '0' + (int)(at % 10));
    gz_buffer_finish(&buffer);
}

TEST(test_buffer_cleared_keeps_its_memory)
{
    struct gz_buffer buffer;
    gz_buffer_init(&buffer, 5000, 0);
    assert_int_equal(gz_buffer_append(&buffer, "0123456789", 10), GZ_OK);
    const uint8_t *data = buffer.data;
    gz_buffer_truncate(&buffer, 4);
    assert_int_equal(gz_buffer_append(&buffer, "xy", 2), GZ_OK);
    assert_int_equal(buffer.size, 6);
    assert_memory_equal(buffer.data, "0123xy", 6);
    gz_buffer_clear(&buffer);
    assert_int_equal(buffer.size, 0);
    assert_int_equal(gz_buffer_append(&buffer, "z", 1), GZ_OK);
    assert_ptr_equal(buffer.data, data);
    gz_buffer_finish(&buffer);
}

TEST(test_buffer_finish_of_nothing_is_fine)
{
    struct gz_buffer buffer = {0};
    gz_buffer_finish(&buffer);
    gz_buffer_init(&buffer, 10, 10);
    assert_int_equal(gz_buffer_append(&buffer, NULL, 0), GZ_OK);
    assert_null(buffer.data);
    gz_buffer_finish(&buffer);
}

/* ---- arenas ---- */

TEST(test_arena_pieces_are_aligned_apart_and_zero)
{
    struct gz_arena arena;
    gz_arena_init(&arena, 1000000);
    for (int round = 0; round < 3; round++) {
        uint8_t *pieces[200];
        for (size_t i = 0; i < 200; i++) {
            pieces[i] = gz_arena_take(&arena, i + 1, i % 2 == 0 ? 1 : 40);
            assert_non_null(pieces[i]);
            assert_int_equal((uintptr_t)pieces[i] % alignof(max_align_t), 0);
            size_t size = (i + 1) * (i % 2 == 0 ? 1 : 40);
            for (size_t at = 0; at < size; at++) assert_int_equal(pieces[i][at], 0);
            memset(pieces[i], (int)i + 1, size);
        }
        for (size_t i = 0; i < 200; i++) assert_int_equal(pieces[i][i], i + 1);
        gz_arena_reset(&arena, 1000000);
    }
    gz_arena_finish(&arena);
}

TEST(test_arena_takes_its_maximum_and_no_piece_more)
{
    struct gz_arena arena;
    gz_arena_init(&arena, 64 * 1000);
    for (int i = 0; i < 1000; i++) assert_non_null(gz_arena_take(&arena, 8, 8));
    assert_null(gz_arena_take(&arena, 1, 1));
    assert_int_equal(arena.used, 64 * 1000);
    gz_arena_reset(&arena, 32);
    assert_int_equal(arena.used, 0);
    assert_null(gz_arena_take(&arena, 1, 33));
    assert_non_null(gz_arena_take(&arena, 1, 32));
    assert_null(gz_arena_take(&arena, 1, 1));
    gz_arena_finish(&arena);
}

/* From an empty arena, within a block, and over blocks that came meanwhile. */
TEST(test_arena_goes_back_to_a_mark)
{
    static const size_t sizes[] = {16, 1000, 100000};
    struct gz_arena arena;
    gz_arena_init(&arena, 200000);
    for (size_t before = 0; before < 3; before++) {
        uint8_t *kept = before > 0 ? gz_arena_take(&arena, before, 64) : NULL;
        if (kept != NULL) memset(kept, 7, before * 64);
        const size_t used = arena.used;
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            struct gz_arena_mark mark = gz_arena_mark(&arena);
            assert_non_null(gz_arena_take(&arena, sizes[i], 1));
            struct gz_arena_mark inner = gz_arena_mark(&arena);
            uint8_t *first = gz_arena_take(&arena, sizes[i], 1);
            gz_arena_go_back(&arena, inner);
            if (sizes[i] < 4096) assert_ptr_equal(gz_arena_take(&arena, sizes[i], 1), first);
            gz_arena_go_back(&arena, mark);
            assert_int_equal(arena.used, used);
        }
        for (size_t i = 0; i < before * 64; i++) assert_int_equal(kept[i], 7);
        gz_arena_reset(&arena, 200000);
    }
    gz_arena_finish(&arena);
}

TEST(test_arena_array_grows_by_items)
{
    struct gz_arena arena;
    uint32_t *items = NULL;
    size_t count = 0;
    gz_arena_init(&arena, 9216);
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t *item = gz_arena_add(&arena, &items, &count, sizeof *item);
        assert_non_null(item);
        assert_ptr_equal(item, &items[i]);
        assert_int_equal(*item, 0);
        *item = i;
    }
    assert_int_equal(count, 1000);
    for (uint32_t i = 0; i < 1000; i++) assert_int_equal(items[i], i);
    while (gz_arena_add(&arena, &items, &count, sizeof *items) != NULL) continue;
    assert_int_equal(count, 1024); /* twice as many do not fit beside them */
    assert_int_equal(items[999], 999);
    gz_arena_finish(&arena);
}

TEST(test_arena_text_is_terminated)
{
    struct gz_arena arena;
    gz_arena_init(&arena, 32);
    assert_string_equal(gz_arena_text(&arena, "piston rod", 6), "piston");
    assert_string_equal(gz_arena_text(&arena, NULL, 0), "");
    assert_null(gz_arena_text(&arena, "r", 1));
    gz_arena_finish(&arena);
}

TEST(test_arena_refuses_a_product_that_wraps)
{
    struct gz_arena arena;
    gz_arena_init(&arena, 4096);
    assert_null(gz_arena_take(&arena, SIZE_MAX / 8, 16));
    assert_null(gz_arena_take(&arena, SIZE_MAX, SIZE_MAX));
    assert_null(gz_arena_take(&arena, 2, SIZE_MAX));
    assert_non_null(gz_arena_take(&arena, 0, 16));
    assert_int_equal(arena.used, 0);
    gz_arena_finish(&arena);
}

TEST(test_grow_keeps_what_was_there_and_makes_room)
{
    uint32_t *items = NULL;
    size_t capacity = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        assert_true(gz_grow(&items, &capacity, i + 1, sizeof *items));
        assert_true(capacity > i);
        items[i] = i;
    }
    for (uint32_t i = 0; i < 1000; i++) assert_int_equal(items[i], i);
    uint32_t *before = items;
    assert_true(gz_grow(&items, &capacity, 1, sizeof *items)); /* there already */
    assert_ptr_equal(items, before);
    free(items);
}
