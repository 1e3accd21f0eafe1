/* Bytes that are counted: they stay as long as somebody holds them, whoever that is and on whatever
 * thread, and no longer; and queues of them. */
#include <pthread.h>
#include <string.h>

#include "feed/bytes.h"
#include "support/chance.h"
#include "support/cmocka.h"
#include "unit/sync/allocations.h"

static void fill(struct gz_buffer *buffer, const char *text)
{
    gz_buffer_init(buffer, 4096, GZ_BYTES_HEADROOM);
    assert_int_equal(gz_buffer_append(buffer, text, strlen(text)), GZ_OK);
}

static struct gz_bytes *make(const char *text)
{
    struct gz_bytes *bytes = gz_bytes_copy(GZ_FRAME_BINARY_FIRST, text, strlen(text));
    assert_non_null(bytes);
    return bytes;
}

/* ---- how they are made ---- */

TEST(test_bytes_take_the_memory_of_a_buffer)
{
    struct gz_buffer buffer;
    fill(&buffer, "state");
    const uint8_t *data = buffer.data;
    struct gz_bytes *bytes = gz_bytes_seal(&buffer, GZ_FRAME_BINARY_FIRST, NULL);
    assert_ptr_equal(bytes->data, data);
    assert_int_equal(bytes->size, 5);
    assert_int_equal(gz_bytes_wire_size(bytes), 7);
    assert_memory_equal(gz_bytes_wire(bytes), "\x82\x05state", 7);
    assert_int_equal(gz_bytes_first(bytes), GZ_FRAME_BINARY_FIRST);
    assert_null(buffer.data);
    assert_int_equal(allocations_alive(), 1);
    assert_int_equal(gz_buffer_append(&buffer, "next", 4), GZ_OK); /* in memory of its own */
    assert_memory_equal(bytes->data, "state", 5);
    gz_buffer_finish(&buffer);
    gz_bytes_release(bytes);
    assert_int_equal(allocations_alive(), 0);
}

/* What is doubled when it grows may be half empty. */
TEST(test_bytes_keep_little_more_memory_than_they_need)
{
    static const uint8_t zeros[40000];
    struct gz_buffer buffer;
    gz_buffer_init(&buffer, 1 << 20, GZ_BYTES_HEADROOM);
    assert_int_equal(gz_buffer_append(&buffer, zeros, sizeof zeros), GZ_OK);
    assert_int_equal(buffer.capacity, 65536);
    struct gz_bytes *bytes = gz_bytes_seal(&buffer, GZ_FRAME_BINARY_FIRST, NULL);
    assert_int_equal(bytes->capacity, sizeof zeros);
    assert_int_equal(bytes->data[sizeof zeros - 1], 0);
    gz_bytes_reuse(bytes, &buffer);
    assert_int_equal(gz_buffer_append(&buffer, zeros, 20000), GZ_OK);
    fail_allocation(1);
    bytes = gz_bytes_seal(&buffer, GZ_FRAME_BINARY_FIRST, NULL);
    assert_true(allocation_failed());
    assert_int_equal(bytes->size, 20000);
    assert_int_equal(bytes->capacity, sizeof zeros);
    gz_bytes_release(bytes);
    assert_int_equal(allocations_alive(), 0);
}

TEST(test_bytes_have_the_header_that_was_asked_for)
{
    static const uint8_t mask[4] = {1, 2, 3, 4};
    struct gz_buffer buffer;
    fill(&buffer, "\1\2\3\4\1");
    struct gz_bytes *masked = gz_bytes_seal(&buffer, GZ_FRAME_BINARY_FIRST, mask);
    assert_int_equal(gz_bytes_wire_size(masked), 11);
    assert_memory_equal(gz_bytes_wire(masked), "\x82\x85\1\2\3\4\0\0\0\0\0", 11);
    struct gz_bytes *pong = gz_bytes_copy(GZ_FRAME_PONG_FIRST, "x", 1);
    assert_memory_equal(gz_bytes_wire(pong), "\x8A\1x", 3);
    struct gz_bytes *ping = gz_bytes_copy(GZ_FRAME_PING_FIRST, NULL, 0);
    assert_int_equal(gz_bytes_wire_size(ping), 2);
    assert_memory_equal(gz_bytes_wire(ping), "\x89\0", 2);
    struct gz_bytes *raw = gz_bytes_copy(GZ_FRAME_RAW, "\x82raw", 4);
    assert_int_equal(gz_bytes_wire_size(raw), 4);
    assert_int_equal(gz_bytes_first(raw), GZ_FRAME_RAW);
    gz_bytes_release(masked);
    gz_bytes_release(pong);
    gz_bytes_release(ping);
    gz_bytes_release(raw);
    assert_int_equal(allocations_alive(), 0);
}

TEST(test_bytes_without_memory_are_none)
{
    fail_allocation(1);
    assert_null(gz_bytes_copy(GZ_FRAME_RAW, "x", 1));
    gz_bytes_release(NULL);
    assert_int_equal(allocations_alive(), 0);
}

/* ---- who holds them ---- */

TEST(test_bytes_stay_until_the_last_reference)
{
    struct gz_bytes *bytes = make("for all");
    assert_false(gz_bytes_are_shared(bytes));
    for (int i = 0; i < 1000; i++) assert_ptr_equal(gz_bytes_hold(bytes), bytes);
    for (int i = 0; i < 1000; i++) {
        assert_true(gz_bytes_are_shared(bytes));
        gz_bytes_release(bytes);
        assert_int_equal(allocations_alive(), 1);
    }
    assert_false(gz_bytes_are_shared(bytes));
    assert_memory_equal(bytes->data, "for all", 7);
    gz_bytes_release(bytes);
    assert_int_equal(allocations_alive(), 0);
}

TEST(test_bytes_give_their_memory_back_only_if_nobody_else_holds_them)
{
    struct gz_buffer buffer;
    fill(&buffer, "first");
    const size_t capacity = buffer.capacity;
    struct gz_bytes *bytes = gz_bytes_seal(&buffer, GZ_FRAME_BINARY_FIRST, NULL);
    gz_bytes_hold(bytes);
    gz_bytes_reuse(bytes, &buffer);
    assert_null(buffer.data);
    assert_memory_equal(bytes->data, "first", 5);
    gz_bytes_reuse(bytes, &buffer);
    assert_ptr_equal(buffer.data, bytes->data);
    assert_int_equal(buffer.size, 0);
    assert_int_equal(buffer.capacity, capacity);
    assert_int_equal(allocations_alive(), 1);
    gz_buffer_finish(&buffer);
    gz_bytes_reuse(NULL, &buffer);
    assert_null(buffer.data);
    assert_int_equal(allocations_alive(), 0);
}

static pthread_barrier_t all_there;

static void *hold_and_release(void *context)
{
    (void)pthread_barrier_wait(&all_there); /* otherwise one is done before the next begins */
    for (int i = 0; i < 200000; i++) gz_bytes_release(gz_bytes_hold(context));
    return NULL;
}

TEST(test_bytes_are_counted_on_all_threads)
{
    pthread_t threads[3];
    struct gz_bytes *bytes = make("for all");
    assert_int_equal(pthread_barrier_init(&all_there, NULL, 3), 0);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, hold_and_release, bytes), 0);
    for (size_t i = 0; i < 3; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
    pthread_barrier_destroy(&all_there);
    assert_int_equal(atomic_load(&bytes->holders), 1);
    gz_bytes_release(bytes);
}

/* ---- queues ---- */

TEST(test_queue_holds_what_waits_in_its_order)
{
    struct gz_bytes_queue queue = {.items = NULL};
    struct gz_bytes *one = make("one"), *two = make("two");
    assert_null(gz_bytes_first_of(&queue));
    assert_null(gz_bytes_last_of(&queue));
    assert_true(gz_bytes_push(&queue, one) && gz_bytes_push(&queue, two));
    assert_true(gz_bytes_push(&queue, one));
    gz_bytes_release(two);
    queue.taken = 2;
    assert_ptr_equal(gz_bytes_first_of(&queue), one);
    gz_bytes_release(gz_bytes_pop(&queue));
    assert_int_equal(queue.taken, 0);
    assert_ptr_equal(gz_bytes_first_of(&queue), two);
    assert_ptr_equal(gz_bytes_last_of(&queue), one);
    gz_bytes_release(gz_bytes_pop_last(&queue));
    assert_false(gz_bytes_are_shared(one));
    assert_ptr_equal(gz_bytes_last_of(&queue), two);
    gz_bytes_clear(&queue); /* with the last reference to two */
    gz_bytes_release(one);
    assert_int_equal(allocations_alive(), 0);
}

/* Holders come and go as they like: the bytes are there while any of them is, and not after. */
TEST(test_queues_neither_leak_nor_release_twice)
{
    enum { QUEUES = 5, KINDS = 7, STEPS = 20000 };
    static struct gz_bytes_queue queues[QUEUES];
    uint64_t chance = chance_seed(1);
    struct gz_bytes *kinds[KINDS];
    unsigned held[KINDS] = {0};
    for (size_t i = 0; i < KINDS; i++) kinds[i] = make("abcdefg" + i);
    for (int i = 0; i < STEPS; i++) {
        struct gz_bytes_queue *queue = &queues[chance_below(&chance, QUEUES)];
        const size_t kind = (size_t)chance_below(&chance, KINDS);
        const uint64_t act = queue->count > 0 ? chance_below(&chance, 4) : 0;
        struct gz_bytes *taken = act == 2   ? gz_bytes_pop(queue)
                                 : act == 3 ? gz_bytes_pop_last(queue)
                                            : NULL;
        if (act < 2) assert_true(gz_bytes_push(queue, kinds[kind]));
        held[kind] += act < 2;
        for (size_t k = 0; k < KINDS; k++) held[k] -= kinds[k] == taken;
        gz_bytes_release(taken);
        for (size_t k = 0; k < KINDS; k++)
            assert_int_equal(atomic_load(&kinds[k]->holders), 1 + held[k]);
    }
    for (size_t i = 0; i < QUEUES; i++) gz_bytes_clear(&queues[i]);
    assert_int_equal(allocations_alive(), KINDS);
    for (size_t i = 0; i < KINDS; i++) gz_bytes_release(kinds[i]);
    assert_int_equal(allocations_alive(), 0);
}

/* One that is always slightly behind is never empty. */
TEST(test_queue_that_is_never_empty_does_not_grow)
{
    struct gz_bytes_queue queue = {.items = NULL};
    struct gz_bytes *bytes = make("news");
    assert_true(gz_bytes_push(&queue, bytes));
    const size_t capacity = queue.capacity;
    for (int i = 0; i < 1000; i++) {
        assert_true(gz_bytes_push(&queue, bytes));
        gz_bytes_release(gz_bytes_pop(&queue));
    }
    assert_int_equal(queue.capacity, capacity);
    gz_bytes_clear(&queue);
    gz_bytes_release(bytes);
    assert_int_equal(allocations_alive(), 0);
}

TEST(test_queue_without_memory_holds_nothing_more)
{
    struct gz_bytes_queue queue = {.items = NULL};
    struct gz_bytes *bytes = make("news");
    fail_allocation(1);
    assert_false(gz_bytes_push(&queue, bytes));
    assert_false(gz_bytes_are_shared(bytes));
    assert_int_equal(queue.count, 0);
    assert_true(gz_bytes_push(&queue, bytes));
    gz_bytes_clear(&queue);
    gz_bytes_release(bytes);
    assert_int_equal(allocations_alive(), 0);
}
