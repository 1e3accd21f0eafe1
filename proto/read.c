/* read.c - the head of each kind of value of MessagePack. */
#include "proto/read.h"

#include <string.h>

#include "proto/limits.h"

static uint64_t load(const uint8_t *bytes, unsigned width)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < width; i++) value = value << 8 | bytes[i];
    return value;
}

/* Takes an unsigned number of `width` bytes, most significant first. */
static bool take(struct gz_msgpack_reader *reader, unsigned width, uint64_t *value)
{
    if ((size_t)(reader->end - reader->at) < width) return false;
    *value = load(reader->at, width);
    reader->at += width;
    return true;
}

static enum gz_read read_positive(struct gz_msgpack_reader *reader, struct gz_head *head,
                                  unsigned width)
{
    head->type = GZ_MSGPACK_POSITIVE_INTEGER;
    if (!take(reader, width, &head->count)) return GZ_READ_SHORT;
    head->number = (double)head->count;
    return GZ_READ_OK;
}

static enum gz_read set_signed(struct gz_head *head, int64_t value)
{
    head->type = value < 0 ? GZ_MSGPACK_NEGATIVE_INTEGER : GZ_MSGPACK_POSITIVE_INTEGER;
    head->count = (uint64_t)value;
    head->number = (double)value;
    return GZ_READ_OK;
}

static enum gz_read read_signed(struct gz_msgpack_reader *reader, struct gz_head *head,
                                unsigned width)
{
    uint64_t bits;
    if (!take(reader, width, &bits)) return GZ_READ_SHORT;
    switch (width) {
    case 1: return set_signed(head, (int8_t)bits);
    case 2: return set_signed(head, (int16_t)bits);
    case 4: return set_signed(head, (int32_t)bits);
    default: return set_signed(head, (int64_t)bits);
    }
}

static enum gz_read read_float(struct gz_msgpack_reader *reader, struct gz_head *head,
                               unsigned width)
{
    uint64_t bits;
    if (!take(reader, width, &bits)) return GZ_READ_SHORT;
    head->type = width == 4 ? GZ_MSGPACK_FLOAT32 : GZ_MSGPACK_FLOAT64;
    if (width == 4) {
        uint32_t narrow = (uint32_t)bits;
        float value;
        memcpy(&value, &narrow, sizeof value);
        head->number = (double)value;
    } else {
        memcpy(&head->number, &bits, sizeof head->number);
    }
    return GZ_READ_OK;
}

/* A run of bytes; `extra` is the type byte of an extension. */
static enum gz_read take_run(struct gz_msgpack_reader *reader, struct gz_head *head,
                             enum gz_msgpack_type type, uint64_t size, unsigned extra)
{
    head->type = type;
    head->count = size;
    if ((uint64_t)(reader->end - reader->at) < size + extra) return GZ_READ_SHORT;
    head->bytes = reader->at + extra;
    reader->at += size + extra;
    return GZ_READ_OK;
}

static enum gz_read read_run(struct gz_msgpack_reader *reader, struct gz_head *head,
                             enum gz_msgpack_type type, unsigned width)
{
    uint64_t size;
    if (!take(reader, width, &size)) return GZ_READ_SHORT;
    return take_run(reader, head, type, size, type == GZ_MSGPACK_EXT ? 1 : 0);
}

/* An element takes one byte at least, a pair two: a greater count is false. */
static enum gz_read set_elements(struct gz_msgpack_reader *reader, struct gz_head *head,
                                 enum gz_msgpack_type type, uint64_t count)
{
    head->type = type;
    head->count = count;
    uint64_t bytes_min = type == GZ_MSGPACK_MAP ? 2 * count : count;
    return (uint64_t)(reader->end - reader->at) < bytes_min ? GZ_READ_SHORT : GZ_READ_OK;
}

static enum gz_read read_elements(struct gz_msgpack_reader *reader, struct gz_head *head,
                                  enum gz_msgpack_type type, unsigned width)
{
    uint64_t count;
    if (!take(reader, width, &count)) return GZ_READ_SHORT;
    return set_elements(reader, head, type, count);
}

static enum gz_read set_plain(struct gz_head *head, enum gz_msgpack_type type, uint64_t value)
{
    head->type = type;
    head->count = value;
    return GZ_READ_OK;
}

static enum gz_read read_long_form(struct gz_msgpack_reader *reader, struct gz_head *head,
                                   uint8_t first)
{
    switch (first) {
    case 0xc0: return set_plain(head, GZ_MSGPACK_NIL, 0);
    case 0xc2: return set_plain(head, GZ_MSGPACK_BOOLEAN, 0);
    case 0xc3: return set_plain(head, GZ_MSGPACK_BOOLEAN, 1);
    case 0xc4: return read_run(reader, head, GZ_MSGPACK_BIN, 1);
    case 0xc5: return read_run(reader, head, GZ_MSGPACK_BIN, 2);
    case 0xc6: return read_run(reader, head, GZ_MSGPACK_BIN, 4);
    case 0xc7: return read_run(reader, head, GZ_MSGPACK_EXT, 1);
    case 0xc8: return read_run(reader, head, GZ_MSGPACK_EXT, 2);
    case 0xc9: return read_run(reader, head, GZ_MSGPACK_EXT, 4);
    case 0xca: return read_float(reader, head, 4);
    case 0xcb: return read_float(reader, head, 8);
    case 0xcc: return read_positive(reader, head, 1);
    case 0xcd: return read_positive(reader, head, 2);
    case 0xce: return read_positive(reader, head, 4);
    case 0xcf: return read_positive(reader, head, 8);
    case 0xd0: return read_signed(reader, head, 1);
    case 0xd1: return read_signed(reader, head, 2);
    case 0xd2: return read_signed(reader, head, 4);
    case 0xd3: return read_signed(reader, head, 8);
    case 0xd4: return take_run(reader, head, GZ_MSGPACK_EXT, 1, 1);
    case 0xd5: return take_run(reader, head, GZ_MSGPACK_EXT, 2, 1);
    case 0xd6: return take_run(reader, head, GZ_MSGPACK_EXT, 4, 1);
    case 0xd7: return take_run(reader, head, GZ_MSGPACK_EXT, 8, 1);
    case 0xd8: return take_run(reader, head, GZ_MSGPACK_EXT, 16, 1);
    case 0xd9: return read_run(reader, head, GZ_MSGPACK_STR, 1);
    case 0xda: return read_run(reader, head, GZ_MSGPACK_STR, 2);
    case 0xdb: return read_run(reader, head, GZ_MSGPACK_STR, 4);
    case 0xdc: return read_elements(reader, head, GZ_MSGPACK_ARRAY, 2);
    case 0xdd: return read_elements(reader, head, GZ_MSGPACK_ARRAY, 4);
    case 0xde: return read_elements(reader, head, GZ_MSGPACK_MAP, 2);
    case 0xdf: return read_elements(reader, head, GZ_MSGPACK_MAP, 4);
    default: return GZ_READ_NOISE;
    }
}

enum gz_read gz_read_head(struct gz_msgpack_reader *reader, struct gz_head *head)
{
    if (reader->at == reader->end) return GZ_READ_SHORT;
    uint8_t first = *reader->at++;
    if (first < 0x80) return set_signed(head, first);
    if (first < 0x90) return set_elements(reader, head, GZ_MSGPACK_MAP, first & 0x0fu);
    if (first < 0xa0) return set_elements(reader, head, GZ_MSGPACK_ARRAY, first & 0x0fu);
    if (first < 0xc0) return take_run(reader, head, GZ_MSGPACK_STR, first & 0x1fu, 0);
    if (first >= 0xe0) return set_signed(head, (int8_t)first);
    return read_long_form(reader, head, first);
}

enum gz_read gz_read_skip(struct gz_msgpack_reader *reader, unsigned depth)
{
    struct gz_head head;
    enum gz_read result = gz_read_head(reader, &head);
    if (result != GZ_READ_OK) return result;
    if (head.type != GZ_MSGPACK_ARRAY && head.type != GZ_MSGPACK_MAP) return GZ_READ_OK;
    if (depth == GZ_DEPTH_MAX) return GZ_READ_DEEP;
    uint64_t elements = head.type == GZ_MSGPACK_MAP ? 2 * head.count : head.count;
    for (; elements > 0 && result == GZ_READ_OK; elements--)
        result = gz_read_skip(reader, depth + 1);
    return result;
}

const char *gz_read_words(enum gz_read result)
{
    switch (result) {
    case GZ_READ_OK: break;
    case GZ_READ_SHORT: return "cut off: has fewer bytes than it announces";
    case GZ_READ_NOISE: return "not MessagePack";
    case GZ_READ_DEEP: return "nested too deep";
    }
    return "well-formed";
}
