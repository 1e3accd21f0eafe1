/* test_outbox.c - messages come out whole, in their order, in frames that end where a message ends.
 */
#include <stdlib.h>
#include <string.h>

#include "core/queues.h"
#include "proto/json.h"
#include "server/maxima.h"
#include "support/chance.h"
#include "support/cmocka.h"

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

/* Reads the messages of a frame, which have to be numbered on from *next, and gives it up. */
static size_t read_frame(struct gz_bytes *frame, uint64_t *next)
{
    assert_non_null(frame);
    const bool is_json = gz_bytes_first(frame) == GZ_FRAME_TEXT_FIRST;
    assert_true(is_json || gz_bytes_first(frame) == GZ_FRAME_BINARY_FIRST);
    struct gz_arena arena;
    gz_arena_init(&arena, gz_decode_bytes_max(frame->size));
    size_t offset = 0, count = 0;
    for (; offset < frame->size; count++) {
        struct gz_message message;
        assert_int_equal((is_json ? gz_decode_json : gz_decode)(GZ_FROM_SERVER, frame->data,
                                                                frame->size, &offset, &arena,
                                                                &message, NULL),
                         GZ_OK);
        assert_int_equal(message.rid, (*next)++);
    }
    gz_arena_finish(&arena);
    gz_bytes_release(frame);
    return count;
}

TEST(test_small_messages_share_a_frame)
{
    struct gz_outbox outbox;
    uint64_t next = 0;
    gz_outbox_init(&outbox, GZ_OUTBOX_BYTES_MAX, false);
    assert_null(gz_outbox_next(&outbox));
    for (uint64_t i = 0; i < 3; i++) {
        struct gz_message message = make_message(i, 10);
        assert_int_equal(gz_outbox_append(&outbox, &message), GZ_OK);
    }
    assert_int_equal(read_frame(gz_outbox_next(&outbox), &next), 3);
    assert_int_equal(gz_outbox_waiting(&outbox), 0);
    assert_null(gz_outbox_next(&outbox));
    gz_outbox_finish(&outbox);
}

/* Appends and takes at random, so that some is always waiting. */
static void check_order(bool is_json, uint64_t steps)
{
    struct gz_outbox outbox;
    struct gz_bytes *frame;
    uint64_t chance = chance_seed(1), next = 0, appended = 0;
    gz_outbox_init(&outbox, GZ_OUTBOX_BYTES_MAX, is_json);
    for (uint64_t i = 0; i < steps; i++) {
        if (!gz_outbox_is_full(&outbox) || chance_below(&chance, 4) == 0) {
            struct gz_message message =
                make_message(appended, (size_t)chance_below(&chance, GZ_OUTBOX_FRAME_BYTES));
            if (gz_outbox_append(&outbox, &message) == GZ_OK) appended++;
        }
        if (chance_below(&chance, 2) == 0 && (frame = gz_outbox_next(&outbox)) != NULL) {
            assert_true(frame->size < (is_json ? 3 : 2) * GZ_OUTBOX_FRAME_BYTES + 100);
            assert_true(read_frame(frame, &next) > 0);
        }
    }
    while ((frame = gz_outbox_next(&outbox)) != NULL) read_frame(frame, &next);
    assert_int_equal(next, appended);
    assert_true(appended > steps / 5);
    gz_outbox_finish(&outbox);
}

TEST(test_frames_hold_all_messages_in_order)
{
    check_order(false, 5000);
    check_order(true, 200);
}

TEST(test_outbox_from_which_all_is_taken_holds_no_memory)
{
    struct gz_outbox outbox;
    uint64_t next = 0;
    gz_outbox_init(&outbox, GZ_OUTBOX_BYTES_MAX, false);
    for (uint64_t i = 0; i < 4; i++) {
        struct gz_message message = make_message(i, GZ_OUTBOX_FRAME_BYTES);
        assert_int_equal(gz_outbox_append(&outbox, &message), GZ_OK);
    }
    while (gz_outbox_waiting(&outbox) > 0) (void)read_frame(gz_outbox_next(&outbox), &next);
    assert_int_equal(next, 4);
    assert_null(outbox.open.data);
    assert_null(outbox.whole.items);
    gz_outbox_finish(&outbox);
}

/* What is for all goes along only with a frame that is the last. */
static void check_along(bool is_json)
{
    struct gz_outbox outbox, other;
    uint64_t next = 0;
    gz_outbox_init(&outbox, GZ_OUTBOX_BYTES_MAX, is_json);
    gz_outbox_init(&other, GZ_OUTBOX_BYTES_MAX, is_json);
    struct gz_message message = make_message(1, 10);
    assert_int_equal(gz_outbox_append(&other, &message), GZ_OK);
    struct gz_bytes *for_all = gz_outbox_next(&other);
    assert_false(gz_outbox_extend(&outbox, for_all)); /* with nothing */
    message = make_message(0, 10);
    assert_int_equal(gz_outbox_append(&outbox, &message), GZ_OK);
    assert_true(gz_outbox_extend(&outbox, for_all));
    assert_int_equal(read_frame(gz_outbox_next(&outbox), &next), 2);
    message = make_message(2, GZ_OUTBOX_FRAME_BYTES);
    assert_int_equal(gz_outbox_append(&outbox, &message), GZ_OK);
    message = make_message(3, 10);
    assert_int_equal(gz_outbox_append(&outbox, &message), GZ_OK);
    assert_false(gz_outbox_extend(&outbox, for_all)); /* two frames wait */
    gz_bytes_release(for_all);
    message = make_message(0, GZ_COPIED_BYTES_MAX + BYTES_ID);
    assert_int_equal(gz_outbox_append(&other, &message), GZ_OK);
    for_all = gz_outbox_next(&other);
    assert_int_equal(read_frame(gz_outbox_next(&outbox), &next), 1);
    assert_false(gz_outbox_extend(&outbox, for_all)); /* it is too large */
    gz_bytes_release(for_all);
    assert_int_equal(read_frame(gz_outbox_next(&outbox), &next), 1);
    gz_outbox_finish(&outbox);
    gz_outbox_finish(&other);
}

TEST(test_outbox_takes_messages_along)
{
    check_along(false);
    check_along(true);
}

TEST(test_bounds)
{
    struct gz_outbox outbox;
    gz_outbox_init(&outbox, GZ_OUTBOX_BYTES_MAX, false);
    struct gz_message message = make_message(0, GZ_OUTBOX_BYTES_MAX);
    assert_int_equal(gz_outbox_append(&outbox, &message), GZ_TOO_LARGE);
    assert_int_equal(gz_outbox_waiting(&outbox), 0);
    message = make_message(0, GZ_OUTBOX_BYTES_FULL + BYTES_ID);
    assert_int_equal(gz_outbox_append(&outbox, &message), GZ_OK);
    assert_true(gz_outbox_is_full(&outbox));
    gz_outbox_finish(&outbox);
}
