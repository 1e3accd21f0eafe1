/* pack.h - values of MessagePack, each in the fewest bytes of its type, for encode.c, which
 * includes it behind its `struct writer` and append(). msgpack-c packs: its template is put over
 * gz_buffer directly, so that a number on its way costs a comparison and a copy, not a call through
 * a pointer. A build of the C client alone (GZ_CLIENT_ONLY), which needs no other library, has the
 * functions that it uses here; test_proto_alone holds them against the same golden bytes. */
#ifndef GZ_PROTO_PACK_H
#define GZ_PROTO_PACK_H

#ifndef GZ_CLIENT_ONLY

#    include <msgpack/pack_define.h>
#    include <msgpack/timestamp.h>

#    define msgpack_pack_inline_func(name) static inline int pack##name
#    define msgpack_pack_user struct writer *
#    define msgpack_pack_append_buffer(writer, bytes, size) return append(writer, bytes, size)
#    include <msgpack/pack_template.h>

#else

/* A first byte and a number of `width` bytes behind it, most significant first. */
static inline void pack(struct writer *writer, uint8_t first, uint64_t value, size_t width)
{
    uint8_t bytes[9] = {first};
    for (size_t i = 0; i < width; i++) bytes[1 + i] = (uint8_t)(value >> (8 * (width - 1 - i)));
    (void)append(writer, bytes, 1 + width);
}

static inline void pack_uint64(struct writer *writer, uint64_t value)
{
    if (value < 0x80)
        pack(writer, (uint8_t)value, 0, 0);
    else if (value <= UINT8_MAX)
        pack(writer, 0xcc, value, 1);
    else if (value <= UINT16_MAX)
        pack(writer, 0xcd, value, 2);
    else if (value <= UINT32_MAX)
        pack(writer, 0xce, value, 4);
    else
        pack(writer, 0xcf, value, 8);
}

static inline void pack_int64(struct writer *writer, int64_t value)
{
    if (value >= 0)
        pack_uint64(writer, (uint64_t)value);
    else if (value >= -32)
        pack(writer, (uint8_t)value, 0, 0);
    else if (value >= INT8_MIN)
        pack(writer, 0xd0, (uint64_t)value, 1);
    else if (value >= INT16_MIN)
        pack(writer, 0xd1, (uint64_t)value, 2);
    else if (value >= INT32_MIN)
        pack(writer, 0xd2, (uint64_t)value, 4);
    else
        pack(writer, 0xd3, (uint64_t)value, 8);
}

static inline void pack_float(struct writer *writer, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    pack(writer, 0xca, bits, 4);
}

static inline void pack_double(struct writer *writer, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    pack(writer, 0xcb, bits, 8);
}

/* `first` is the byte of the next longer form; a count is below 2^32, as the bytes are. */
static inline void pack_count(struct writer *writer, uint8_t first, size_t count)
{
    if (count <= UINT16_MAX)
        pack(writer, first, count, 2);
    else
        pack(writer, (uint8_t)(first + 1), count, 4);
}

static inline void pack_array(struct writer *writer, size_t count)
{
    if (count < 16)
        pack(writer, (uint8_t)(0x90 | count), 0, 0);
    else
        pack_count(writer, 0xdc, count);
}

static inline void pack_map(struct writer *writer, size_t count)
{
    if (count < 16)
        pack(writer, (uint8_t)(0x80 | count), 0, 0);
    else
        pack_count(writer, 0xde, count);
}

static inline void pack_str(struct writer *writer, size_t size)
{
    if (size < 32)
        pack(writer, (uint8_t)(0xa0 | size), 0, 0);
    else if (size <= UINT8_MAX)
        pack(writer, 0xd9, size, 1);
    else
        pack_count(writer, 0xda, size);
}

static inline void pack_str_body(struct writer *writer, const char *bytes, size_t size)
{
    (void)append(writer, bytes, size);
}

static inline void pack_nil(struct writer *writer)
{
    pack(writer, 0xc0, 0, 0);
}

static inline void pack_true(struct writer *writer)
{
    pack(writer, 0xc3, 0, 0);
}

static inline void pack_false(struct writer *writer)
{
    pack(writer, 0xc2, 0, 0);
}

#endif

#endif
