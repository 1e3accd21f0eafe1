/* The golden vectors: each frame is read as proto/vectors/vectors.json says, and written again to
 * the same bytes. */
#include <string.h>

#include "proto/fields.h"
#include "proto/limits.h"
#include "support/cmocka.h"
#include "unit/proto/wire.h"

/* Euler angles become a quaternion by a handful of products: a few units in the last place. */
#define EULER_TOLERANCE 1e-15

struct reading {
    const struct wire_vector *vector;
    size_t offset;
    struct gz_arena arena;
    struct gz_buffer written;
};

static void fail_vector(const struct reading *reading, const json_t *expected, const char *what,
                        const char *got)
{
    char *text = json_dumps(expected, JSON_COMPACT);
    fail_msg("%s: %s\n  expected %s\n  got      %s", reading->vector->name, what, text, got);
}

static void check_error(const struct reading *reading, const json_t *expected,
                        enum gz_status status, const struct gz_message *message,
                        const struct gz_error *error)
{
    const char *field = json_string_value(json_object_get(expected, "field"));
    const char *code = json_string_value(json_object_get(expected, "error"));
    size_t size = strlen(field);
    if (status == GZ_OK) fail_vector(reading, expected, "it was accepted", "ok");
    if (strcmp(gz_status_word(status), code) != 0 || error->status != status) {
        fail_vector(reading, expected, error->message, gz_status_word(status));
    }
    if (strncmp(error->message, field, size) != 0 || strncmp(error->message + size, ": ", 2) != 0) {
        fail_vector(reading, expected, "another field is named", error->message);
    }
    const json_t *rid = json_object_get(expected, "rid");
    assert_int_equal((message->has & GZ_HAS_RID) != 0, rid != NULL);
    if (rid != NULL) assert_int_equal(message->rid, json_integer_value(rid));
}

static void check_message(struct reading *reading, const json_t *expected, enum gz_status status,
                          const struct gz_message *message, const struct gz_error *error)
{
    if (status != GZ_OK) fail_vector(reading, expected, "it was refused", error->message);
    size_t start = reading->written.size;
    assert_int_equal(gz_encode(&reading->written, message), GZ_OK);
    json_t *json = wire_to_json(reading->written.data + start, reading->written.size - start);
    double tolerance = reading->vector->canonical ? 0 : EULER_TOLERANCE;
    char *text = json_dumps(json, JSON_COMPACT);
    if (!wire_same(expected, json, tolerance))
        fail_vector(reading, expected, "read or written wrongly", text);
    free(text);
    json_decref(json);
}

static void check_vector(const struct wire_vector *vector)
{
    struct reading reading = {.vector = vector};
    gz_arena_init(&reading.arena, gz_decode_bytes_max(vector->size));
    gz_buffer_init(&reading.written, GZ_MESSAGE_BYTES_MAX, 0);
    for (size_t i = 0; i < json_array_size(vector->expect); i++) {
        const json_t *expected = json_array_get(vector->expect, i);
        struct gz_message message;
        struct gz_error error = {.message = ""};
        enum gz_status status = gz_decode(vector->side, vector->bytes, vector->size,
                                          &reading.offset, &reading.arena, &message, &error);
        if (json_object_get(expected, "error") != NULL) {
            check_error(&reading, expected, status, &message, &error);
        } else {
            check_message(&reading, expected, status, &message, &error);
        }
    }
    assert_int_equal(reading.offset, vector->size);
    if (vector->canonical) {
        assert_int_equal(reading.written.size, vector->size);
        assert_memory_equal(reading.written.data, vector->bytes, vector->size);
    }
    gz_arena_finish(&reading.arena);
    gz_buffer_finish(&reading.written);
}

TEST(test_vectors_read_and_written_as_listed)
{
    const struct wire_vectors *vectors = *state;
    for (size_t i = 0; i < vectors->count; i++) check_vector(&vectors->all[i]);
}

/* A message is a map with its word, or a list with its number. */
static bool is_of(const json_t *message, enum gz_op op)
{
    const char *word = json_string_value(json_object_get(message, "op"));
    if (word != NULL) return op < GZ_OP_MOVES && strcmp(word, gz_op_word(op)) == 0;
    return json_is_array(message) &&
           json_integer_value(json_array_get(message, 0)) == gz_message_records[op].number;
}

static bool has_vector(const struct wire_vectors *vectors, enum gz_side side, enum gz_op op)
{
    for (size_t i = 0; i < vectors->count; i++) {
        const struct wire_vector *vector = &vectors->all[i];
        if (vector->canonical && vector->side == side &&
            is_of(json_array_get(vector->expect, 0), op))
            return true;
    }
    return false;
}

TEST(test_vectors_cover_every_op)
{
    for (int op = 0; op < GZ_OP_COUNT; op++) {
        enum gz_side side = op < GZ_OP_CLIENT_COUNT ? GZ_FROM_CLIENT : GZ_FROM_SERVER;
        if (!has_vector(*state, side, (enum gz_op)op))
            fail_msg("no vector for %s", gz_op_word((enum gz_op)op));
    }
}

TEST(test_vectors_stop_at_each_byte_is_refused)
{
    const struct wire_vectors *vectors = *state;
    for (size_t i = 0; i < vectors->count; i++) {
        const struct wire_vector *vector = &vectors->all[i];
        if (json_array_size(vector->expect) != 1) continue;
        for (size_t size = 0; size < vector->size; size++) {
            struct gz_arena arena;
            gz_arena_init(&arena, gz_decode_bytes_max(size));
            uint8_t *cut =
                size > 0 ? malloc(size) : NULL; /* so that a sanitizer sees a step beyond */
            if (size > 0) memcpy(cut, vector->bytes, size);
            size_t offset = 0;
            struct gz_message message;
            struct gz_error error = {.message = ""};
            if (gz_decode(vector->side, cut, size, &offset, &arena, &message, &error) !=
                GZ_BAD_MESSAGE) {
                fail_msg("%s cut at %zu: %s", vector->name, size, error.message);
            }
            assert_int_equal(offset, size);
            assert_true(strlen(error.message) > 0);
            assert_int_equal(arena.used, 0);
            free(cut);
            gz_arena_finish(&arena);
        }
    }
}

static int load(void **state)
{
    static struct wire_vectors vectors;
    vectors = wire_load();
    *state = &vectors;
    return 0;
}

static int unload(void **state)
{
    wire_unload(*state);
    return 0;
}

int main(void)
{
    return test_run(load, unload);
}
