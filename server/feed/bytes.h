/* bytes.h - bytes to send, made once and then shared: each who has them to send holds a reference,
 * and the last one that is given up frees them. They never change, so that two who hold the same
 * struct hold the same bytes, and nobody compares or copies them. Most are a whole WebSocket frame
 * of the server, whose header is made with them, since it is the same for every client.
 *
 * Ownership: by reference. Whoever is given one (by a function that says so) gives it up; whoever
 * is only shown bytes, as an argument, holds them before it keeps them. Threads: any: the bytes
 * that one thread made may be given up by another. Errors: NULL without memory. */
#ifndef GZ_FEED_BYTES_H
#define GZ_FEED_BYTES_H

#include <stdatomic.h>

#include "proto/base/buffer.h"

/* First bytes of whole frames. */
enum gz_frame_first {
    GZ_FRAME_RAW = 0, /* none: these are bytes of frames already, or of no frame */
    GZ_FRAME_TEXT_FIRST = 0x81,
    GZ_FRAME_BINARY_FIRST = 0x82,
    GZ_FRAME_PING_FIRST = 0x89,
    GZ_FRAME_PONG_FIRST = 0x8A
};
/* A header, with the mask of a client's frame. */
#define GZ_FRAME_HEADER_BYTES_MAX 14
/* Puts the header of a server's frame before its payload, which has so much room there; how many
 * bytes it takes: none for RAW. */
size_t gz_frame_put_header(uint8_t *payload, size_t size, enum gz_frame_first first);
/* The same for a frame of a client: masks the payload in place. */
size_t gz_frame_mask(uint8_t *payload, size_t size, enum gz_frame_first first,
                     const uint8_t mask[4]);

struct gz_bytes {
    atomic_uint holders;
    bool is_last;          /* a frame ends with them; false only of a piece that is RAW */
    size_t header;         /* bytes of the frame's header, before `data` */
    size_t size, capacity; /* of `data` */
    uint8_t room[GZ_FRAME_HEADER_BYTES_MAX + 2];
    uint8_t data[]; /* the payload */
};

/* The headroom of a buffer whose memory becomes that of bytes. */
#define GZ_BYTES_HEADROOM offsetof(struct gz_bytes, data)

/* Takes the buffer's memory, which is not empty and has that headroom, with what is in it, and
 * little more: the buffer is empty then. Puts the frame's header; `mask`: of a client's frame, else
 * NULL. Returns a reference; needs no memory. */
struct gz_bytes *gz_bytes_seal(struct gz_buffer *buffer, enum gz_frame_first first,
                               const uint8_t *mask);
/* A frame with a copy of this payload. Returns a reference. */
struct gz_bytes *gz_bytes_copy(enum gz_frame_first first, const void *payload, size_t size);
struct gz_bytes *gz_bytes_hold(struct gz_bytes *bytes);
/* NULL is fine. */
void gz_bytes_release(struct gz_bytes *bytes);
/* The same; if nobody else holds them, their memory goes back to the buffer, which is empty. */
void gz_bytes_reuse(struct gz_bytes *bytes, struct gz_buffer *buffer);
/* Whether others hold them, too. */
static inline bool gz_bytes_are_shared(const struct gz_bytes *bytes)
{
    return atomic_load_explicit(&bytes->holders, memory_order_relaxed) > 1;
}

/* What goes over the wire: the header, if there is one, and the payload. */
static inline const uint8_t *gz_bytes_wire(const struct gz_bytes *bytes)
{
    return bytes->data - bytes->header;
}
static inline size_t gz_bytes_wire_size(const struct gz_bytes *bytes)
{
    return bytes->header + bytes->size;
}
static inline enum gz_frame_first gz_bytes_first(const struct gz_bytes *bytes)
{
    return bytes->header > 0 ? (enum gz_frame_first) * gz_bytes_wire(bytes) : GZ_FRAME_RAW;
}
/* Whether they are a whole frame of messages. */
static inline bool gz_bytes_are_messages(const struct gz_bytes *bytes)
{
    const enum gz_frame_first first = gz_bytes_first(bytes);
    return first == GZ_FRAME_BINARY_FIRST || first == GZ_FRAME_TEXT_FIRST;
}

/* ---- what waits ---- */

/* References, the oldest first. Begins as zeros, and takes no memory while it is empty. */
struct gz_bytes_queue {
    struct gz_bytes **items;
    size_t begin, count, capacity;
    size_t taken; /* bytes of the first that are gone; the caller counts them */
};

/* Holds the bytes. False without memory: then nothing changed. */
GZ_MUST_USE bool gz_bytes_push(struct gz_bytes_queue *queue, struct gz_bytes *bytes);
/* The oldest, which stays; and the latest. NULL for none. */
struct gz_bytes *gz_bytes_first_of(const struct gz_bytes_queue *queue);
struct gz_bytes *gz_bytes_last_of(const struct gz_bytes_queue *queue);
/* Takes the oldest, or the latest, out of a queue that is not empty; the caller has the reference
 * then. */
struct gz_bytes *gz_bytes_pop(struct gz_bytes_queue *queue);
struct gz_bytes *gz_bytes_pop_last(struct gz_bytes_queue *queue);
/* Gives up all. */
void gz_bytes_clear(struct gz_bytes_queue *queue);

#endif
