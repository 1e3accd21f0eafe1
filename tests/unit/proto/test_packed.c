/* The packed form as a client reads it: each sequence of frames in proto/vectors/packed.json
 * stands for the messages that are listed beside it. */
#include <stdio.h>
#include <string.h>

#include "packed.h"
#include "proto/limits.h"
#include "support/cmocka.h"
#include "unit/proto/wire.h"

/* What a quaternion in steps, a product of matrices and a unit vector lose. */
#define TOLERANCE 1e-12

struct reading {
    const json_t *expect;
    size_t count; /* of the messages that were read */
    struct gz_mirror *mirror;
    struct gz_packed *packed;
    struct gz_arena arena;
};

static const gz_trs *place_of(const void *mirror, uint64_t id)
{
    const struct gz_mirror_node *node = gz_mirror_find(mirror, id);
    return node != NULL ? &node->trs : NULL;
}

static void check_turned(struct reading *reading, const struct gz_message *message)
{
    const json_t *expected = json_array_get(reading->expect, reading->count++);
    struct gz_buffer bytes;
    if (message->op == GZ_OP_MOTION) {
        assert_string_equal(json_string_value(json_object_get(expected, "op")), "motion");
        return;
    }
    gz_buffer_init(&bytes, GZ_MESSAGE_BYTES_MAX, 0);
    assert_int_equal(gz_encode(&bytes, message), GZ_OK);
    json_t *json = wire_to_json(bytes.data, bytes.size);
    char *text = json_dumps(json, JSON_COMPACT);
    if (!wire_same(expected, json, TOLERANCE)) fail_msg("%zu: got %s", reading->count - 1, text);
    free(text);
    json_decref(json);
    gz_buffer_finish(&bytes);
}

static void read_frame(struct reading *reading, const char *hex)
{
    size_t size, offset = 0;
    uint8_t *frame = wire_bytes(hex, &size);
    while (offset < size) {
        struct gz_message message;
        struct gz_error error = {.message = ""};
        gz_arena_reset(&reading->arena, gz_packed_bytes_max(size));
        assert_int_equal(
            gz_decode(GZ_FROM_SERVER, frame, size, &offset, &reading->arena, &message, &error),
            GZ_OK);
        const enum gz_op op = message.op;
        const uint64_t has = message.has;
        enum gz_status status = gz_packed_turn(reading->packed, &reading->arena, &message, &error);
        const json_t *expected = json_array_get(reading->expect, reading->count);
        const char *code = json_string_value(json_object_get(expected, "error"));
        assert_string_equal(gz_status_word(status), code != NULL ? code : gz_status_word(GZ_OK));
        if (status == GZ_OK)
            check_turned(reading, &message);
        else
            reading->count++;
        if (status == GZ_OK && op == GZ_OP_PERSON) assert_int_equal(message.has, has);
        if (status == GZ_OK && message.op == GZ_OP_DELTA)
            assert_int_equal(gz_mirror_apply(reading->mirror, &message.delta, &error), GZ_OK);
    }
    free(frame);
}

static void read_sequence(const json_t *sequence)
{
    struct reading reading = {.expect = json_object_get(sequence, "expect"),
                              .mirror = gz_mirror_create()};
    const json_t *frames = json_object_get(sequence, "frames");
    assert_non_null(reading.mirror);
    reading.packed = gz_packed_create(place_of, reading.mirror);
    assert_non_null(reading.packed);
    gz_arena_init(&reading.arena, 0);
    for (size_t i = 0; i < json_array_size(frames); i++)
        read_frame(&reading, json_string_value(json_array_get(frames, i)));
    assert_int_equal(reading.count, json_array_size(reading.expect));
    gz_packed_destroy(reading.packed);
    gz_mirror_destroy(reading.mirror);
    gz_arena_finish(&reading.arena);
}

TEST(test_packed_sequences_stand_for_their_messages)
{
    json_error_t error;
    json_t *file = json_load_file(GZ_SOURCE_DIR "/proto/vectors/packed.json", 0, &error);
    assert_non_null(file);
    const json_t *sequences = json_object_get(file, "sequences");
    assert_true(json_array_size(sequences) > 0);
    for (size_t i = 0; i < json_array_size(sequences); i++) {
        const json_t *sequence = json_array_get(sequences, i);
        print_message("%s\n", json_string_value(json_object_get(sequence, "name")));
        read_sequence(sequence);
    }
    json_decref(file);
}
