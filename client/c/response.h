/* response.h - reads the answer to an HTTP request, byte by byte as it comes. Private to the client
 * library. Pure. Ownership: the caller finishes what it began. Threads: one at a time. */
#ifndef GZ_CLIENT_RESPONSE_H
#define GZ_CLIENT_RESPONSE_H

#include "proto/base/buffer.h"

#define GZ_RESPONSE_HEAD_BYTES_MAX 65536

/* What the next byte is part of. */
enum gz_response_part {
    GZ_RESPONSE_HEAD,
    GZ_RESPONSE_BODY, /* `left` bytes of it */
    GZ_RESPONSE_CHUNK_SIZE,
    GZ_RESPONSE_CHUNK,     /* `left` bytes of it */
    GZ_RESPONSE_CHUNK_END, /* the end of a line */
    GZ_RESPONSE_TRAILER,
    GZ_RESPONSE_TO_END, /* a body that the end of the connection ends */
    GZ_RESPONSE_WHOLE,
    GZ_RESPONSE_BROKEN /* no answer of HTTP/1 */
};

struct gz_response {
    enum gz_response_part part;
    unsigned status; /* 0 before the head is whole */
    uint64_t left;
    struct gz_buffer head; /* terminated once it is whole */
    size_t line;           /* bytes of a line of chunks */
};

void gz_response_init(struct gz_response *answer);
void gz_response_finish(struct gz_response *answer);

/* Takes bytes up to the end of the head, of a piece of the body, or of the answer. Returns how many
 * it took; *piece_size of them, from *piece on, are the body's. A status below 200 but 101 is
 * skipped; behind 101, 204 and 304 there is no body. */
size_t gz_response_take(struct gz_response *answer, const uint8_t *bytes, size_t size,
                        const uint8_t **piece, size_t *piece_size);
/* The end of the connection: the answer may be whole by it. */
void gz_response_end(struct gz_response *answer);
/* Copies the value of a header, cut to fit and terminated, if the head is whole and has it. */
bool gz_response_header(const struct gz_response *answer, const char *name, char *value,
                        size_t size);

#endif
