/* read.h - reads MessagePack, one head at a time. Private to this room.
 *
 * Nothing is reserved or copied, and every claimed length and count is checked against the
 * remaining bytes. Ownership: a head points into the bytes. Threads: pure, any. */
#ifndef GZ_PROTO_READ_H
#define GZ_PROTO_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gz_msgpack_type {
    GZ_MSGPACK_NIL,
    GZ_MSGPACK_BOOLEAN,
    GZ_MSGPACK_POSITIVE_INTEGER,
    GZ_MSGPACK_NEGATIVE_INTEGER,
    GZ_MSGPACK_FLOAT32,
    GZ_MSGPACK_FLOAT64,
    GZ_MSGPACK_STR,
    GZ_MSGPACK_ARRAY,
    GZ_MSGPACK_MAP,
    GZ_MSGPACK_BIN,
    GZ_MSGPACK_EXT
};

struct gz_msgpack_reader {
    const uint8_t *at, *end;
};

/* The beginning of a value: all of a scalar or a string; the elements of a list or a map follow. */
struct gz_head {
    enum gz_msgpack_type type;
    uint64_t count; /* a bool, a positive integer, the bytes of a string, the elements of a list,
                       the pairs of a map */
    double number;  /* any integer or float */
    const uint8_t *bytes; /* of a string, binary or extension */
};

enum gz_read {
    GZ_READ_OK,
    GZ_READ_SHORT, /* more bytes are claimed than there are */
    GZ_READ_NOISE, /* a byte that MessagePack does not have */
    GZ_READ_DEEP   /* nested deeper than GZ_DEPTH_MAX */
};

/* After an error the reader's place is undefined. */
enum gz_read gz_read_head(struct gz_msgpack_reader *reader, struct gz_head *head);
/* Skips one whole value inside `depth` lists and maps. */
enum gz_read gz_read_skip(struct gz_msgpack_reader *reader, unsigned depth);
/* The error as a text. */
const char *gz_read_words(enum gz_read result);

static inline bool gz_head_is_word(const struct gz_head *head, const char *word, size_t size)
{
    return head->type == GZ_MSGPACK_STR && head->count == size &&
           __builtin_memcmp(head->bytes, word, size) == 0;
}

#endif
