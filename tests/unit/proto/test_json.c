/* JSON, the second encoding: the golden vectors of MessagePack read and written as JSON, those of
 * proto/vectors/json.json, numbers to the last bit, and frames made to hurt. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/arguments.h"
#include "proto/base/number.h"
#include "proto/base/text.h"
#include "proto/json.h"
#include "proto/limits.h"
#include "support/chance.h"
#include "support/cmocka.h"
#include "unit/proto/wire.h"

#define NUMBERS 10000
#define CHANGES 3

struct reading {
    size_t offset;
    struct gz_arena arena;
    struct gz_message message;
    struct gz_error error;
    enum gz_status status;
};

static void start(struct reading *reading, size_t size)
{
    *reading = (struct reading){.status = GZ_OK};
    gz_arena_init(&reading->arena, gz_decode_bytes_max(size));
}

static enum gz_status read_on(struct reading *reading, enum gz_side side, const char *text,
                              size_t size)
{
    reading->error.message[0] = '\0';
    reading->status = gz_decode_json(side, (const uint8_t *)text, size, &reading->offset,
                                     &reading->arena, &reading->message, &reading->error);
    return reading->status;
}

/* ---- the vectors ---- */

static char *as_json(const uint8_t *bytes, size_t size, size_t *json_size)
{
    struct gz_buffer out;
    gz_buffer_init(&out, GZ_SERVER_FRAME_BYTES_MAX, 0);
    assert_int_equal(gz_json_append_messages(&out, bytes, size), GZ_OK);
    gz_json_end_frame(&out);
    *json_size = out.size;
    return (char *)out.data;
}

static bool has_errors(const json_t *expect)
{
    for (size_t i = 0; i < json_array_size(expect); i++)
        if (json_object_get(json_array_get(expect, i), "error") != NULL) return true;
    return false;
}

/* A canonical frame is written as what its vector expects, and read as the frame. */
static void check_canonical(const struct wire_vector *vector)
{
    size_t size;
    char *text = as_json(vector->bytes, vector->size, &size);
    json_t *json = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);
    if (!json_equal(json, vector->expect))
        fail_msg("%s is written as %.*s", vector->name, (int)size, text);
    json_decref(json);

    struct gz_buffer again;
    struct reading reading;
    gz_buffer_init(&again, GZ_MESSAGE_BYTES_MAX, 0);
    start(&reading, size);
    while (reading.offset < size) {
        if (read_on(&reading, vector->side, text, size) != GZ_OK)
            fail_msg("%s: %s", vector->name, reading.error.message);
        assert_int_equal(gz_encode(&again, &reading.message), GZ_OK);
    }
    assert_int_equal(again.size, vector->size);
    assert_memory_equal(again.data, vector->bytes, vector->size);
    gz_buffer_finish(&again);
    gz_arena_finish(&reading.arena);
    free(text);
}

TEST(test_json_the_golden_vectors_in_both_encodings)
{
    struct wire_vectors vectors = wire_load();
    size_t count = 0;
    for (size_t i = 0; i < vectors.count; i++) {
        if (!vectors.all[i].canonical || has_errors(vectors.all[i].expect)) continue;
        check_canonical(&vectors.all[i]);
        count++;
    }
    assert_true(count > 100);
    wire_unload(&vectors);
}

static void check_refusal(const char *name, const json_t *expected, const struct reading *reading)
{
    const char *code = json_string_value(json_object_get(expected, "error"));
    const char *field = json_string_value(json_object_get(expected, "field"));
    const json_t *rid = json_object_get(expected, "rid");
    const struct gz_message *message = &reading->message;
    char begin[64];
    snprintf(begin, sizeof begin, "%s: ", field);
    if (strcmp(gz_status_word(reading->status), code) != 0 ||
        strncmp(reading->error.message, begin, strlen(begin)) != 0)
        fail_msg("%s: %s, not of %s: %s", name, gz_status_word(reading->status), field,
                 reading->error.message);
    if (((message->has & GZ_HAS_RID) != 0) != (rid != NULL) ||
        (rid != NULL && message->rid != (uint64_t)json_integer_value(rid)))
        fail_msg("%s: another rid", name);
}

static void check_text(const json_t *vector)
{
    const char *name = json_string_value(json_object_get(vector, "name"));
    const char *text = json_string_value(json_object_get(vector, "text"));
    const json_t *expect = json_object_get(vector, "expect");
    const bool is_client =
        strcmp(json_string_value(json_object_get(vector, "side")), "client") == 0;
    const size_t size = strlen(text);
    struct reading reading;
    start(&reading, size);
    for (size_t i = 0; i < json_array_size(expect); i++) {
        const json_t *expected = json_array_get(expect, i);
        if (reading.offset == size) fail_msg("%s: it ends before message %zu", name, i);
        (void)read_on(&reading, is_client ? GZ_FROM_CLIENT : GZ_FROM_SERVER, text, size);
        if (json_object_get(expected, "error") != NULL) {
            check_refusal(name, expected, &reading);
            continue;
        }
        if (reading.status != GZ_OK) fail_msg("%s: %s", name, reading.error.message);
        struct gz_buffer written;
        gz_buffer_init(&written, GZ_MESSAGE_BYTES_MAX, 0);
        assert_int_equal(gz_encode(&written, &reading.message), GZ_OK);
        json_t *json = wire_to_json(written.data, written.size);
        char *want = json_dumps(expected, JSON_SORT_KEYS), *got = json_dumps(json, JSON_SORT_KEYS);
        if (strcmp(want, got) != 0) fail_msg("%s: %s, not %s", name, got, want);
        free(want);
        free(got);
        json_decref(json);
        gz_buffer_finish(&written);
    }
    if (reading.offset != size) fail_msg("%s: it goes on", name);
    gz_arena_finish(&reading.arena);
}

TEST(test_json_the_vectors_of_its_own)
{
    json_t *file = json_load_file(GZ_SOURCE_DIR "/proto/vectors/json.json", JSON_ALLOW_NUL, NULL);
    const json_t *vectors = json_object_get(file, "vectors");
    assert_true(json_array_size(vectors) > 40);
    for (size_t i = 0; i < json_array_size(vectors); i++) check_text(json_array_get(vectors, i));
    json_decref(file);
}

/* ---- numbers ---- */

static void check_printed(double number, const char *text)
{
    char printed[GZ_NUMBER_BYTES_MAX + 1] = "";
    printed[gz_number_print(number, printed)] = '\0';
    assert_string_equal(printed, text);
}

TEST(test_json_numbers_in_the_fewest_digits)
{
    check_printed(0, "0");
    check_printed(-0.0, "-0");
    check_printed(1, "1");
    check_printed(0.1, "0.1");
    check_printed(0.1 + 0.2, "0.30000000000000004");
    check_printed(1.0 / 3, "0.3333333333333333");
    check_printed(-1e-6, "-0.000001");
    check_printed(1e-7, "1e-7");
    check_printed(1.5e-7, "1.5e-7");
    check_printed(1e15, "1000000000000000");
    check_printed(9007199254740993.0, "9007199254740992");
    check_printed(123456789012345680000.0, "123456789012345680000");
    check_printed(1e21, "1e21");
    check_printed(1.7976931348623157e308, "1.7976931348623157e308");
    check_printed(2.2250738585072014e-308, "2.2250738585072014e-308");
    check_printed(5e-324, "5e-324");
    check_printed(9.5367431640625e-7, "9.5367431640625e-7");
    check_printed(2e-44, "2e-44");
    check_printed(9e22, "9e22");
    check_printed(0x1p-25, "2.9802322387695312e-8"); /* ...125: of the two nearest the even one */
}

/* Of any bits. No decimal of fewer digits is the same number; printf knows the shorter ones. */
TEST(test_json_numbers_read_back_to_the_same_bits)
{
    uint64_t seed = chance_seed(7);
    for (uint64_t i = 0; i < chance_count(NUMBERS); i++) {
        const uint64_t bits = chance_below(&seed, UINT64_MAX);
        double number;
        memcpy(&number, &bits, sizeof number);
        if (!isfinite(number)) continue;
        char text[GZ_NUMBER_BYTES_MAX + 1], shorter[GZ_NUMBER_BYTES_MAX];
        text[gz_number_print(number, text)] = '\0';
        const double again = strtod(text, NULL);
        if (memcmp(&again, &number, sizeof again) != 0) fail_msg("%s is %a", text, number);
        int digits = 0, zeros = 0;
        for (const char *c = text; *c != '\0' && *c != 'e'; c++) {
            if (*c < '0' || *c > '9' || (*c == '0' && digits == 0)) continue;
            zeros = *c == '0' ? zeros + 1 : 0;
            digits++;
        }
        digits -= zeros;
        snprintf(shorter, sizeof shorter, "%.*e", digits - 2 < 0 ? 0 : digits - 2, number);
        if (digits > 1 && digits < 18 && strtod(shorter, NULL) == number)
            fail_msg("%s could be %s", text, shorter);
    }
}

/* As the server writes them, and as it reads them. */
TEST(test_json_numbers_of_a_message_keep_their_bits)
{
    uint64_t seed = chance_seed(8);
    struct gz_buffer frame;
    gz_buffer_init(&frame, GZ_MESSAGE_BYTES_MAX, 0);
    for (uint64_t i = 0; i < chance_count(NUMBERS / 20); i++) {
        struct gz_message message = {.op = GZ_OP_VIEW};
        for (int k = 0; k < 16; k++) {
            do {
                const uint64_t bits = chance_below(&seed, UINT64_MAX);
                memcpy(&message.view[k], &bits, sizeof bits);
            } while (!isfinite(message.view[k]));
        }
        message.view[0] = -0.0;
        gz_buffer_clear(&frame);
        assert_int_equal(gz_encode(&frame, &message), GZ_OK);
        size_t size;
        char *text = as_json(frame.data, frame.size, &size);
        struct reading reading;
        start(&reading, size);
        assert_int_equal(read_on(&reading, GZ_FROM_SERVER, text, size), GZ_OK);
        assert_memory_equal(reading.message.view, message.view, sizeof message.view);
        gz_arena_finish(&reading.arena);
        free(text);
    }
    gz_buffer_finish(&frame);
}

static void check_read(const char *text)
{
    char frame[256];
    snprintf(frame, sizeof frame,
             "[{\"op\":\"camera\",\"view\":[%s,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}]", text);
    const double number = strtod(text, NULL);
    struct reading reading;
    start(&reading, strlen(frame));
    if (read_on(&reading, GZ_FROM_SERVER, frame, strlen(frame)) != GZ_OK)
        fail_msg("%s: %s", text, reading.error.message);
    if (memcmp(&reading.message.view[0], &number, sizeof number) != 0)
        fail_msg("%s is read as %.17g", text, reading.message.view[0]);
    gz_arena_finish(&reading.arena);
}

/* Whole numbers of each width that they are carried with, and of more digits than that. */
TEST(test_json_whole_numbers_are_read_as_they_stand)
{
    char text[64];
    for (int bits = 0; bits < 64; bits++) {
        for (int step = -1; step <= 1; step++) {
            const uint64_t whole = (UINT64_C(1) << bits) + (uint64_t)step;
            snprintf(text, sizeof text, "%" PRIu64, whole);
            check_read(text);
            snprintf(text, sizeof text, "-%" PRIu64, whole);
            check_read(text);
        }
    }
    for (int digits = 1; digits < 30; digits++) {
        snprintf(text, sizeof text, "%.*s", digits, "987654321098765432109876543210");
        check_read(text);
    }
}

/* ---- arguments ---- */

static enum gz_status read_arguments(enum gz_op op, const char *const *arguments,
                                     struct gz_message *message, struct gz_error *error)
{
    struct gz_buffer out;
    struct gz_arena arena;
    size_t offset = 0;
    gz_buffer_init(&out, 4096, 0);
    gz_arena_init(&arena, 4096);
    assert_int_equal(gz_arguments_begin(&out, op), GZ_OK);
    for (size_t i = 0; arguments[i] != NULL; i += 2)
        assert_int_equal(gz_arguments_add(&out, op, arguments[i], arguments[i + 1]), GZ_OK);
    const enum gz_status status =
        gz_decode(GZ_FROM_CLIENT, out.data, out.size, &offset, &arena, message, error);
    assert_int_equal(offset, out.size);
    gz_arena_finish(&arena);
    gz_buffer_finish(&out);
    return status;
}

TEST(test_json_arguments_are_read_by_the_table)
{
    static const struct {
        enum gz_op op;
        const char *arguments[8];
        enum gz_status status;
        const char *said;
    } rows[] = {
        {GZ_OP_AT, {"seq", "7", "limit", "3"}, GZ_OK, ""},
        {GZ_OP_AT, {"time", "1.5e3"}, GZ_OK, ""},
        {GZ_OP_AT, {"checkpoint", "7"}, GZ_OK, ""},
        {GZ_OP_AT, {"seq", "7", "other", "x", "op", "set", "rid", "x"}, GZ_OK, ""},
        {GZ_OP_HISTORY, {"changes", "", "alone", "false"}, GZ_OK, ""},
        {GZ_OP_UNDO, {"force", "true", "key", "x"}, GZ_OK, ""},
        {GZ_OP_AT, {"seq", ""}, GZ_BAD_MESSAGE, "at.seq: expected an unsigned integer"},
        {GZ_OP_AT, {"seq", "7 "}, GZ_BAD_MESSAGE, "at.seq: expected an unsigned integer"},
        {GZ_OP_AT, {"seq", "0x7"}, GZ_BAD_MESSAGE, "at.seq: expected an unsigned integer"},
        {GZ_OP_AT, {"seq", "-7"}, GZ_BAD_VALUE, "at.seq: negative"},
        {GZ_OP_AT, {"seq", "1", "seq", "1"}, GZ_BAD_MESSAGE, "at.seq: given twice"},
        {GZ_OP_AT, {"limit", "1"}, GZ_BAD_MESSAGE, "at: one of seq, time, checkpoint is missing"},
        {GZ_OP_DELETE, {"nodes", "1"}, GZ_BAD_MESSAGE, "delete.nodes: expected a list of ids"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gz_message message;
        struct gz_error error = {.message = ""};
        const char *arguments[9] = {0};
        memcpy(arguments, rows[i].arguments, sizeof rows[i].arguments);
        const enum gz_status status = read_arguments(rows[i].op, arguments, &message, &error);
        if (status != rows[i].status || strncmp(error.message, rows[i].said, strlen(rows[i].said)))
            fail_msg("row %zu: %s", i, error.message);
    }
}

/* ---- frames made to hurt ---- */

/* Reads a whole frame as a server would. Returns how many messages were refused. */
static size_t read_frame(enum gz_side side, const char *text, size_t size)
{
    size_t refused = 0;
    struct reading reading;
    start(&reading, size);
    while (reading.offset < size) {
        const size_t begin = reading.offset;
        gz_arena_reset(&reading.arena, gz_decode_bytes_max(size));
        const enum gz_status status = read_on(&reading, side, text, size);
        assert_true(reading.offset > begin && reading.offset <= size);
        assert_int_not_equal(status, GZ_TOO_LARGE);
        assert_int_not_equal(status, GZ_NO_MEMORY);
        if (status == GZ_OK) continue;
        refused++;
        assert_int_equal(reading.error.status, status);
        assert_true(reading.error.message[0] != '\0');
        assert_true(gz_text_valid(reading.error.message, strlen(reading.error.message)));
        assert_true(reading.arena.used <=
                    (GZ_DECODE_FACTOR_MAX + GZ_JSON_FACTOR_MAX) * (reading.offset - begin) +
                        GZ_DECODE_BYTES_FLOOR);
    }
    gz_arena_finish(&reading.arena);
    return refused;
}

TEST(test_json_stop_at_each_byte_is_refused)
{
    struct wire_vectors vectors = wire_load();
    for (size_t i = 0; i < vectors.count; i++) {
        const struct wire_vector *vector = &vectors.all[i];
        if (!vector->canonical || has_errors(vector->expect)) continue;
        size_t size;
        char *text = as_json(vector->bytes, vector->size, &size);
        for (size_t cut = 1; cut < size; cut++) {
            char *part = malloc(cut); /* so that a sanitizer sees a step beyond */
            memcpy(part, text, cut);
            if (read_frame(vector->side, part, cut) != 1)
                fail_msg("%s is taken, cut at %zu", vector->name, cut);
            free(part);
        }
        free(text);
    }
    wire_unload(&vectors);
}

TEST(test_json_every_changed_byte_is_answered)
{
    static const char others[] = "\"\\{}[],:0-.eE9 \n\x01\x80\xff\xed"
                                 "atu";
    uint64_t seed = chance_seed(9);
    struct wire_vectors vectors = wire_load();
    for (size_t i = 0; i < vectors.count; i++) {
        const struct wire_vector *vector = &vectors.all[i];
        if (!vector->canonical || has_errors(vector->expect)) continue;
        size_t size;
        char *text = as_json(vector->bytes, vector->size, &size);
        for (size_t at = 0; at < size; at++) {
            const char kept = text[at];
            for (uint64_t k = 0; k < chance_count(CHANGES); k++) {
                text[at] = others[chance_below(&seed, sizeof others)];
                (void)read_frame(vector->side, text, size);
            }
            text[at] = kept;
        }
        free(text);
    }
    wire_unload(&vectors);
}

/* A large frame: what begins it, then one part over and over. */
TEST(test_json_large_frames_take_what_their_bytes_allow)
{
    static const char *const heads[] = {"[",
                                        "[{\"op\":\"ping\",\"x\":",
                                        "[{\"op\":\"delete\",\"nodes\":[",
                                        "[{\"op\":\"create\",\"nodes\":[",
                                        "[{\"op\":\"set\",\"nodes\":[{\"id\":1,\"name\":\"",
                                        "[{\"op\":\"set\",\"nodes\":[",
                                        "[{\"op\":\"delta\",\"nodes\":["};
    static const char *const parts[] = {
        "[",    "{\"\":", "1,",  "1e9,", "-0,",         "[1e9],",
        "[],",  "{},",    "\"",  "\\",   "\\u00",       "\\ud800",
        "9",    "0.",     "1e9", " ",    "{\"id\":1},", "{\"name\":\"\"},",
        "\"\","};
    const size_t size = GZ_MESSAGE_BYTES_MAX / 16;
    char *frame = malloc(size);
    assert_non_null(frame);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
            const size_t head = strlen(heads[i]), part = strlen(parts[k]);
            memcpy(frame, heads[i], head);
            for (size_t at = head; at < size; at++) frame[at] = parts[k][(at - head) % part];
            assert_true(read_frame(GZ_FROM_CLIENT, frame, size) > 0);
            assert_true(read_frame(GZ_FROM_SERVER, frame, size) > 0);
        }
    }
    free(frame);
}

/* What no message of ours holds: text that is none, and numbers that are none. */
TEST(test_json_written_is_always_json)
{
    static const uint8_t value[] = "\x94\xa4\x80"
                                   "a\xed\"\xcb\x7f\xf0\x00\x00\x00\x00\x00\x00\xc4\x01x\x80";
    struct gz_buffer out;
    gz_buffer_init(&out, 1024, 0);
    assert_int_equal(gz_json_append_value(&out, value, sizeof value - 1), GZ_OK);
    assert_int_equal(gz_buffer_append(&out, "", 1), GZ_OK);
    assert_string_equal((const char *)out.data, "[\"\xEF\xBF\xBD"
                                                "a\xEF\xBF\xBD\\\"\",null,null,{}]");
    gz_buffer_finish(&out);
}

int main(void)
{
    return test_run(NULL, NULL);
}
