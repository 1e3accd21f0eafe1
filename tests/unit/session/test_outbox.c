/* test_outbox.c - messages come out whole, in their order, in frames that end where a message ends.
 */
#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"
#include "session/outbox.h"
#include "support/chance.h"
#include "support/cmocka.h"

#define HEADROOM 16
#define BYTES_ID 9 /* encoded */

/* A message of about this many bytes; `number` tells it from the others. */
static struct gz_message make_message(uint64_t number, size_t bytes)
{
    static uint64_t ids[GZ_OUTBOX_BYTES_MAX / BYTES_ID + 1];
    for (size_t i = 0; i < bytes / BYTES_ID; i++) ids[i] = GZ_ID_LIMIT - 1 - i;
    return (struct gz_message){.op = GZ_OP_OK,
                               .has = GZ_HAS_RID | GZ_HAS_OK_IDS,
                               .rid = number,
                               .ok.ids = {ids, bytes / BYTES_ID}};
}

/* Reads the messages of a frame, which have to be numbered on from *next. */
static size_t read_frame(const struct gz_buffer *frame, uint64_t *next)
{
    struct gz_arena arena;
    gz_arena_init(&arena, gz_decode_bytes_max(frame->size));
    size_t offset = 0, count = 0;
    for (; offset < frame->size; count++) {
        struct gz_message message;
        assert_int_equal(
            gz_decode(GZ_FROM_SERVER, frame->data, frame->size, &offset, &arena, &message, NULL),
            GZ_OK);
        assert_int_equal(message.rid, (*next)++);
    }
    gz_arena_finish(&arena);
    return count;
}

TEST(test_small_messages_share_a_frame)
{
    struct gz_outbox outbox;
    struct gz_buffer frame;
    uint64_t next = 0;
    gz_outbox_init(&outbox, HEADROOM);
    assert_false(gz_outbox_next(&outbox, &frame));
    for (uint64_t i = 0; i < 3; i++) {
        struct gz_message message = make_message(i, 10);
        assert_int_equal(gz_outbox_append(&outbox, &message), GZ_OK);
    }
    assert_true(gz_outbox_next(&outbox, &frame));
    assert_int_equal(read_frame(&frame, &next), 3);
    memset(frame.data - HEADROOM, 0, HEADROOM); /* whoever sends the frame may */
    assert_int_equal(gz_outbox_waiting(&outbox), 0);
    assert_false(gz_outbox_next(&outbox, &frame));
    gz_outbox_finish(&outbox);
}

/* Appends and takes at random, so that some is always waiting: the outbox moves what it has. */
TEST(test_frames_hold_all_messages_in_order)
{
    struct gz_outbox outbox;
    struct gz_buffer frame;
    uint64_t chance = chance_seed(1), next = 0, appended = 0;
    gz_outbox_init(&outbox, HEADROOM);
    for (int i = 0; i < 5000; i++) {
        if (!gz_outbox_is_full(&outbox) || chance_below(&chance, 4) == 0) {
            struct gz_message message =
                make_message(appended, (size_t)chance_below(&chance, GZ_OUTBOX_FRAME_BYTES));
            if (gz_outbox_append(&outbox, &message) == GZ_OK) appended++;
        }
        if (chance_below(&chance, 2) == 0 && gz_outbox_next(&outbox, &frame)) {
            assert_true(read_frame(&frame, &next) > 0);
            assert_true(frame.size < 2 * GZ_OUTBOX_FRAME_BYTES + 100);
        }
    }
    while (gz_outbox_next(&outbox, &frame)) read_frame(&frame, &next);
    assert_int_equal(next, appended);
    assert_true(appended > 1000);
    gz_outbox_finish(&outbox);
}

TEST(test_rest_gives_memory_back_and_keeps_what_waits)
{
    struct gz_outbox outbox;
    struct gz_buffer frame;
    uint64_t next = 0;
    gz_outbox_init(&outbox, HEADROOM);
    for (uint64_t i = 0; i < 2; i++) {
        struct gz_message message = make_message(i, 10);
        assert_int_equal(gz_outbox_append(&outbox, &message), GZ_OK);
        gz_outbox_rest(&outbox);
        assert_true(gz_outbox_next(&outbox, &frame));
        assert_int_equal(read_frame(&frame, &next), 1);
        gz_outbox_rest(&outbox);
        assert_int_equal(outbox.bytes.capacity, 0);
    }
    gz_outbox_finish(&outbox);
}

TEST(test_bounds)
{
    struct gz_outbox outbox;
    gz_outbox_init(&outbox, HEADROOM);
    struct gz_message message = make_message(0, GZ_OUTBOX_BYTES_MAX);
    assert_int_equal(gz_outbox_append(&outbox, &message), GZ_TOO_LARGE);
    assert_int_equal(gz_outbox_waiting(&outbox), 0);
    message = make_message(0, GZ_OUTBOX_BYTES_FULL + BYTES_ID);
    assert_int_equal(gz_outbox_append(&outbox, &message), GZ_OK);
    assert_true(gz_outbox_is_full(&outbox));
    gz_outbox_finish(&outbox);
}
