/* wire.h - what the tests of the wire share: the golden vectors, and a look at bytes through
 * msgpack-c's own unpacker, which knows nothing of ours. Whatever cannot be read fails the test
 * that asked. */
#ifndef GZ_TESTS_WIRE_H
#define GZ_TESTS_WIRE_H

#include <jansson.h>

#include "proto/message.h"

struct wire_vector {
    const char *name;
    enum gz_side side;
    bool canonical; /* what is expected, written again, gives the same bytes */
    uint8_t *bytes;
    size_t size;
    json_t *expect; /* borrowed */
};

struct wire_vectors {
    json_t *file;
    struct wire_vector *all;
    size_t count;
};

struct wire_vectors wire_load(void);
void wire_unload(struct wire_vectors *vectors);
const struct wire_vector *wire_find(const struct wire_vectors *vectors, const char *name);

/* What is written in hexadecimal; the caller's to free(). */
uint8_t *wire_bytes(const char *hex, size_t *size);
/* One MessagePack value as JSON; a new reference. */
json_t *wire_to_json(const uint8_t *bytes, size_t size);
/* Whether two are the same, numbers within `tolerance`; an integer is the same as a float of its
 * value. */
bool wire_same(const json_t *a, const json_t *b, double tolerance);

#endif
