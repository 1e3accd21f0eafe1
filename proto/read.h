/* read.h - the bytes of MessagePack, one head at a time. Inside of the room: no other room includes
 * it.
 *
 * msgpack-c's own unpacker reserves memory by what a header claims, before the bytes are there;
 * this reads only bytes that are there. Nothing is reserved or copied; every claimed length and
 * count is checked against the bytes that are left. Ownership: a head points into the bytes.
 * Threads: pure, any. */
#ifndef GZ_PROTO_READ_H
#define GZ_PROTO_READ_H

#include <msgpack/object.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gz_msgpack_reader {
    const uint8_t *at, *end;
};

/* The first bytes of a value; for a scalar or a string that is all of it, for a list or a map its
 * elements follow. */
struct gz_head {
    msgpack_object_type type;
    uint64_t count; /* a bool, a positive integer, the bytes of a string, the elements of a list,
                       the pairs of a map */
    double number;  /* any integer or float */
    const uint8_t *bytes; /* of a string, binary or extension */
};

enum gz_read {
    GZ_READ_OK,
    GZ_READ_SHORT, /* more is claimed than there are bytes */
    GZ_READ_NOISE, /* a byte that MessagePack does not have */
    GZ_READ_DEEP   /* lists and maps in each other beyond GZ_DEPTH_MAX */
};

/* On anything but GZ_READ_OK the reader's place is not defined. */
enum gz_read gz_read_head(struct gz_msgpack_reader *reader, struct gz_head *head);
/* Passes one whole value that stands inside `depth` lists and maps. */
enum gz_read gz_read_skip(struct gz_msgpack_reader *reader, unsigned depth);
/* The error, for people. */
const char *gz_read_words(enum gz_read result);

static inline bool gz_head_is_word(const struct gz_head *head, const char *word, size_t size)
{
    return head->type == MSGPACK_OBJECT_STR && head->count == size &&
           __builtin_memcmp(head->bytes, word, size) == 0;
}

#endif
