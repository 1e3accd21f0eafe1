/* json.c - from JSON to MessagePack and back, value by value, without a table of its own. */
#include "proto/json.h"

#include <math.h>
#include <string.h>

#include "proto/base/json.h"
#include "proto/base/number.h"
#include "proto/limits.h"
#include "proto/read.h"

/* Bytes of the header of a list or a map: its count is known at its end. */
#define HOLDER_BYTES 5
/* Room for ".0" behind a number. */
#define NUMBER_ROOM (GZ_NUMBER_BYTES_MAX + 2)
#define CUT "the frame is not complete"

static_assert(9 <= GZ_JSON_FACTOR_MAX * 3, "1e9 becomes a float64");
static_assert(HOLDER_BYTES + 9 <= GZ_JSON_FACTOR_MAX * 5, "[1e9] becomes a list of a float64");

/* ---- from JSON ---- */

struct translator {
    const char *start, *at, *end;
    uint8_t *out;
    const char *flaw;     /* the first one; static */
    uint8_t *whole;       /* behind the last whole pair of the message itself */
    uint32_t whole_count; /* of these pairs */
};

static bool fail(struct translator *translator, const char *flaw)
{
    translator->flaw = translator->at >= translator->end ? CUT : flaw;
    return false;
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

static void skip_blanks(struct translator *translator)
{
    while (translator->at < translator->end && is_blank(*translator->at)) translator->at++;
}

static bool is_next(const struct translator *translator, char byte)
{
    return translator->at < translator->end && *translator->at == byte;
}

/* Whether this byte is next, which is then behind. */
static bool take(struct translator *translator, char byte)
{
    const bool is_there = is_next(translator, byte);
    translator->at += is_there;
    return is_there;
}

static void put(struct translator *translator, uint8_t first, uint64_t value, unsigned width)
{
    *translator->out++ = first;
    while (width-- > 0) *translator->out++ = (uint8_t)(value >> 8 * width);
}

/* A text may take fewer bytes than it stands there with: the form of its size is that of what
 * stands there. */
static bool translate_text(struct translator *translator)
{
    const char *start = ++translator->at;
    bool is_plain;
    const char *flaw = gz_json_skip_text(&translator->at, translator->end, &is_plain);
    if (flaw != NULL) return fail(translator, flaw);
    const char *end = translator->at++;
    const size_t stands = (size_t)(end - start);
    const unsigned width = stands <= UINT8_MAX ? 1 : stands <= UINT16_MAX ? 2 : 4;
    uint8_t *head = translator->out;
    char *text = (char *)head + 1 + width;
    size_t size = stands;
    if (is_plain)
        memcpy(text, start, stands);
    else
        size = gz_json_read_text(start, end, GZ_JSON_AS_IT_IS, text);
    put(translator, width == 1 ? 0xd9 : width == 2 ? 0xda : 0xdb, size, width);
    translator->out += size;
    return true;
}

static void put_float(struct translator *translator, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(translator, 0xcb, bits, 8);
}

static void put_whole(struct translator *translator, uint64_t whole)
{
    if (whole < 0x80)
        *translator->out++ = (uint8_t)whole;
    else if (whole <= UINT16_MAX)
        put(translator, 0xcd, whole, 2);
    else if (whole <= UINT32_MAX)
        put(translator, 0xce, whole, 4);
    else
        put(translator, 0xcf, whole, 8);
}

static void put_negative(struct translator *translator, uint64_t whole)
{
    if (whole <= UINT64_C(1) << 15)
        put(translator, 0xd1, -whole, 2);
    else if (whole <= UINT64_C(1) << 31)
        put(translator, 0xd2, -whole, 4);
    else if (whole <= UINT64_C(1) << 63)
        put(translator, 0xd3, -whole, 8);
    else
        put_float(translator, -(double)whole);
}

static bool translate_number(struct translator *translator)
{
    struct gz_json_digits digits;
    const bool is_number = gz_json_skip_number(&translator->at, translator->end, &digits);
    const char next = translator->at < translator->end ? *translator->at : '\0';
    if (!is_number || !(is_blank(next) || next == ',' || next == ']' || next == '}'))
        return fail(translator, "a number does not have the form of JSON");
    if (!digits.is_whole)
        put_float(translator, gz_json_value(&digits));
    else if (!digits.is_negative)
        put_whole(translator, digits.whole);
    else if (digits.whole > 0)
        put_negative(translator, digits.whole);
    else
        put(translator, 0xca, UINT64_C(1) << 31, 4); /* -0 is no integer */
    return true;
}

static bool translate_word(struct translator *translator)
{
    static const struct {
        const char *word;
        uint8_t byte;
    } words[] = {{"null", 0xc0}, {"true", 0xc3}, {"false", 0xc2}};
    const size_t left = (size_t)(translator->end - translator->at);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t size = strlen(words[i].word);
        if (left < size || memcmp(translator->at, words[i].word, size) != 0) continue;
        translator->at += size;
        *translator->out++ = words[i].byte;
        return true;
    }
    return fail(translator, "a value is expected");
}

static bool translate_value(struct translator *translator, unsigned depth);

static bool translate_key(struct translator *translator)
{
    if (!is_next(translator, '"')) return fail(translator, "a key is expected, as a text");
    if (!translate_text(translator)) return false;
    skip_blanks(translator);
    return take(translator, ':') || fail(translator, "a colon is expected");
}

static void set_count(uint8_t *head, bool is_map, uint32_t count)
{
    head[0] = is_map ? 0xdf : 0xdd;
    for (int i = 0; i < 4; i++) head[1 + i] = (uint8_t)(count >> (24 - 8 * i));
}

/* A list or an object, in `depth` others. */
static bool translate_holder(struct translator *translator, unsigned depth)
{
    const bool is_map = *translator->at++ == '{';
    const char close = is_map ? '}' : ']';
    uint8_t *head = translator->out;
    uint32_t count = 0;
    if (depth == GZ_DEPTH_MAX) return fail(translator, gz_read_words(GZ_READ_DEEP));
    translator->out += HOLDER_BYTES;
    skip_blanks(translator);
    if (!take(translator, close)) {
        do {
            skip_blanks(translator);
            if (is_map && !translate_key(translator)) return false;
            if (!translate_value(translator, depth + 1)) return false;
            count++;
            if (depth == 0 && is_map) {
                translator->whole = translator->out;
                translator->whole_count = count;
            }
            skip_blanks(translator);
        } while (take(translator, ','));
        if (!take(translator, close))
            return fail(translator, is_map ? "a comma or a closing brace is expected"
                                           : "a comma or a closing bracket is expected");
    }
    set_count(head, is_map, count);
    return true;
}

static bool translate_value(struct translator *translator, unsigned depth)
{
    skip_blanks(translator);
    const char first = translator->at < translator->end ? *translator->at : '\0';
    switch (first) {
    case '{':
    case '[': return translate_holder(translator, depth);
    case '"': return translate_text(translator);
    default:
        return first == '-' || (first >= '0' && first <= '9') ? translate_number(translator)
                                                              : translate_word(translator);
    }
}

/* ---- a frame ---- */

/* How many bytes the value at `at` has at most. */
static size_t extent(const char *at, const char *end)
{
    size_t depth = 0;
    const char *start = at;
    for (; at < end; at++) {
        bool is_plain, is_end = depth == 0 && (is_blank(*at) || *at == ',');
        if (*at == '"') {
            at++;
            is_end = gz_json_skip_text(&at, end, &is_plain) != NULL || depth == 0;
        } else if (*at == '{' || *at == '[') {
            depth++;
        } else if (*at == '}' || *at == ']') {
            is_end = depth < 2;
            depth--;
        }
        if (is_end) break;
    }
    return (size_t)(at - start) + (at < end);
}

/* Goes from the offset to the next message. */
static bool find_message(struct translator *translator)
{
    const bool is_first = translator->at == translator->start;
    skip_blanks(translator);
    if (is_first && !take(translator, '['))
        return fail(translator, "a frame is a list of messages");
    if (!is_first && is_next(translator, ']'))
        return fail(translator, "the frame goes on behind its list of messages");
    if (!is_first && !take(translator, ','))
        return fail(translator, "a comma or a closing bracket is expected");
    skip_blanks(translator);
    if (is_first && is_next(translator, ']')) return fail(translator, "the frame is empty");
    return true;
}

/* Whether only the end of the list follows. */
static bool is_last(struct translator translator)
{
    skip_blanks(&translator);
    if (!take(&translator, ']')) return false;
    skip_blanks(&translator);
    return translator.at == translator.end;
}

/* Whether nothing follows, not even the end of the list. */
static bool is_cut(struct translator translator)
{
    skip_blanks(&translator);
    return translator.at == translator.end;
}

/* Of a message that is broken: the op and the rid, as far as they came before the flaw. Nothing is
 * kept of it, so it needs no memory. */
static void salvage(enum gz_side side, struct translator *translator, uint8_t *start,
                    struct gz_message *message)
{
    struct gz_arena none = {.max = 0};
    struct gz_error error;
    size_t offset = 0;
    if (translator->whole == NULL) return;
    set_count(start, true, translator->whole_count);
    (void)!gz_decode(side, start, (size_t)(translator->whole - start), &offset, &none, message,
                     &error);
}

enum gz_status gz_decode_json(enum gz_side side, const uint8_t *text, size_t size, size_t *offset,
                              struct gz_arena *arena, struct gz_message *message,
                              struct gz_error *error)
{
    const char *start = (const char *)text;
    struct translator translator = {.start = start, .at = start + *offset, .end = start + size};
    uint8_t *room = NULL;
    size_t read = 0;
    *message = (struct gz_message){.op = GZ_OP_COUNT};
    *offset = size;
    bool is_well =
        translator.at < translator.end ? find_message(&translator) : fail(&translator, CUT);
    if (is_well) {
        const size_t bytes = extent(translator.at, translator.end);
        room = translator.out = gz_arena_take(arena, bytes + 1, GZ_JSON_FACTOR_MAX);
        if (room == NULL) return gz_fail(error, GZ_NO_MEMORY, "message: no memory");
        is_well = translate_value(&translator, 0);
    }
    if (is_well && is_cut(translator)) is_well = fail(&translator, CUT);
    if (!is_well) {
        if (room != NULL) salvage(side, &translator, room, message);
        return gz_fail(error, GZ_BAD_MESSAGE, "message: at byte %zu: %s",
                       (size_t)(translator.at - start), translator.flaw);
    }
    if (!is_last(translator)) *offset = (size_t)(translator.at - start);
    const enum gz_status status =
        gz_decode(side, room, (size_t)(translator.out - room), &read, arena, message, error);
    if (message->op == GZ_OP_HELLO) message->hello.is_json = true;
    return status;
}

/* ---- to JSON ---- */

struct writer {
    struct gz_buffer *out;
    struct gz_msgpack_reader from;
    enum gz_status status;
};

static void append(struct writer *writer, const char *bytes, size_t size)
{
    if (writer->status == GZ_OK) writer->status = gz_buffer_append(writer->out, bytes, size);
}

static void write_number(struct writer *writer, double number)
{
    char text[NUMBER_ROOM];
    if (!isfinite(number)) {
        append(writer, "null", 4);
        return;
    }
    size_t size = gz_number_print(number, text);
    if (memchr(text, '.', size) == NULL && memchr(text, 'e', size) == NULL) {
        memcpy(text + size, ".0", 2);
        size += 2;
    }
    append(writer, text, size);
}

static void write_whole(struct writer *writer, const struct gz_head *head)
{
    char text[24];
    size_t at = sizeof text;
    const bool is_negative = head->type == GZ_MSGPACK_NEGATIVE_INTEGER;
    uint64_t left = is_negative ? -head->count : head->count;
    do text[--at] = (char)('0' + left % 10);
    while ((left /= 10) > 0);
    if (is_negative) text[--at] = '-';
    append(writer, text + at, sizeof text - at);
}

static void write_text(struct writer *writer, const char *text, size_t size)
{
    if (writer->status == GZ_OK) writer->status = gz_json_append_text(writer->out, text, size);
}

static void write_value(struct writer *writer, unsigned depth);

/* A list or an object, in `depth` others. */
static void write_holder(struct writer *writer, bool is_map, uint64_t count, unsigned depth)
{
    append(writer, is_map ? "{" : "[", 1);
    for (uint64_t i = 0; i < count && writer->status == GZ_OK; i++) {
        if (i > 0) append(writer, ",", 1);
        if (is_map) {
            write_value(writer, depth + 1);
            append(writer, ":", 1);
        }
        write_value(writer, depth + 1);
    }
    append(writer, is_map ? "}" : "]", 1);
}

static void write_value(struct writer *writer, unsigned depth)
{
    struct gz_head head;
    if (depth > GZ_DEPTH_MAX || gz_read_head(&writer->from, &head) != GZ_READ_OK) {
        writer->status = GZ_INTERNAL; /* it is not of gz_encode */
        return;
    }
    switch (head.type) {
    case GZ_MSGPACK_BOOLEAN:
        append(writer, head.count != 0 ? "true" : "false", head.count != 0 ? 4 : 5);
        break;
    case GZ_MSGPACK_POSITIVE_INTEGER:
    case GZ_MSGPACK_NEGATIVE_INTEGER: write_whole(writer, &head); break;
    case GZ_MSGPACK_FLOAT32:
    case GZ_MSGPACK_FLOAT64: write_number(writer, head.number); break;
    case GZ_MSGPACK_STR: write_text(writer, (const char *)head.bytes, head.count); break;
    case GZ_MSGPACK_ARRAY: write_holder(writer, false, head.count, depth); break;
    case GZ_MSGPACK_MAP: write_holder(writer, true, head.count, depth); break;
    default: append(writer, "null", 4); break;
    }
}

enum gz_status gz_json_append_value(struct gz_buffer *out, const uint8_t *value, size_t size)
{
    const size_t before = out->size;
    struct writer writer = {.out = out, .from = {value, value + size}};
    write_value(&writer, 0);
    if (writer.status != GZ_OK) gz_buffer_truncate(out, before);
    return writer.status;
}

static bool is_envelope(const struct gz_head *key)
{
    return gz_head_is_word(key, "op", 2) || gz_head_is_word(key, "rid", 3);
}

/* The next field of a map. */
static void write_field(struct writer *writer, bool *is_first)
{
    struct gz_msgpack_reader ahead = writer->from;
    struct gz_head key;
    if (gz_read_head(&ahead, &key) != GZ_READ_OK) {
        writer->status = GZ_INTERNAL;
    } else if (is_envelope(&key)) {
        writer->from = ahead;
        if (gz_read_skip(&writer->from, 1) != GZ_READ_OK) writer->status = GZ_INTERNAL;
    } else {
        if (!*is_first) append(writer, ",", 1);
        *is_first = false;
        write_value(writer, 1);
        append(writer, ":", 1);
        write_value(writer, 1);
    }
}

enum gz_status gz_json_append_fields(struct gz_buffer *out, const uint8_t *message, size_t size)
{
    const size_t before = out->size;
    struct writer writer = {.out = out, .from = {message, message + size}};
    struct gz_head map = {.count = 0};
    bool is_first = true;
    if (gz_read_head(&writer.from, &map) != GZ_READ_OK || map.type != GZ_MSGPACK_MAP)
        writer.status = GZ_INTERNAL;
    append(&writer, "{", 1);
    for (uint64_t i = 0; i < map.count && writer.status == GZ_OK; i++)
        write_field(&writer, &is_first);
    append(&writer, "}", 1);
    if (writer.status != GZ_OK) gz_buffer_truncate(out, before);
    return writer.status;
}

enum gz_status gz_json_append_messages(struct gz_buffer *out, const uint8_t *messages, size_t size)
{
    const size_t before = out->size;
    struct writer writer = {.out = out, .from = {messages, messages + size}};
    while (writer.status == GZ_OK && writer.from.at < writer.from.end) {
        append(&writer, out->size == 0 ? "[" : ",", 1);
        write_value(&writer, 0);
    }
    if (writer.status == GZ_OK) writer.status = gz_buffer_reserve(out, 1);
    if (writer.status != GZ_OK) gz_buffer_truncate(out, before);
    return writer.status;
}

void gz_json_end_frame(struct gz_buffer *out)
{
    out->data[out->size++] = ']';
}
