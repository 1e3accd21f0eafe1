/* buffer.h - growable buffers of bytes, and arenas, which are freed as a whole. Each has a maximum.
 * Ownership: the caller owns the struct; finish frees what it holds and is fine on a zeroed one.
 * Threads: one at a time. Errors: GZ_NO_MEMORY, or GZ_TOO_LARGE at the maximum; the contents then
 * stay as they were. */
#ifndef GZ_BASE_BUFFER_H
#define GZ_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/status.h"

/* A growable buffer. The sender owns `headroom` bytes before `data`, for the header of a frame. */
struct gz_buffer {
    uint8_t *data; /* first payload byte; NULL until something was appended */
    size_t size;
    size_t capacity;
    size_t max;
    size_t headroom;
};

void gz_buffer_init(struct gz_buffer *buffer, size_t max, size_t headroom);
void gz_buffer_finish(struct gz_buffer *buffer);
/* Empties it and keeps its memory for the next use. */
void gz_buffer_clear(struct gz_buffer *buffer);
/* Drops all beyond `size`, which must not be larger than the present size. */
void gz_buffer_truncate(struct gz_buffer *buffer, size_t size);
GZ_MUST_USE enum gz_status gz_buffer_append(struct gz_buffer *buffer, const void *bytes,
                                            size_t size);
/* Makes room for `size` more bytes, so that they can be written at data + size directly. */
GZ_MUST_USE enum gz_status gz_buffer_reserve(struct gz_buffer *buffer, size_t size);

/* Makes room for `count` items of `item_size` bytes in an array on the heap. `array` is the address
 * of the pointer to it, which may be NULL while *capacity is 0. Grows by doubling; the caller
 * bounds it. False without memory: then nothing changed. */
GZ_MUST_USE bool gz_grow(void *array, size_t *capacity, size_t count, size_t item_size);

/* An arena: gives out memory in pieces aligned for any type, and takes it back as a whole. */
struct gz_arena {
    struct gz_arena_block *blocks; /* the newest first; reset keeps the oldest */
    size_t used;                   /* bytes given out, over all blocks */
    size_t max;
};

void gz_arena_init(struct gz_arena *arena, size_t max);
void gz_arena_finish(struct gz_arena *arena);
/* Frees all pieces, keeps at most one block, and sets the maximum. */
void gz_arena_reset(struct gz_arena *arena, size_t max);

/* A position in an arena. A function that needs memory temporarily takes a mark first, and goes
 * back to it at the end, which frees all pieces taken in between. Marks nest. */
struct gz_arena_mark {
    struct gz_arena_block *block;
    size_t used_in_block, used;
};

struct gz_arena_mark gz_arena_mark(const struct gz_arena *arena);
void gz_arena_go_back(struct gz_arena *arena, struct gz_arena_mark mark);

/* Zeroed memory for `count` items of `size` bytes; NULL beyond the maximum or without memory. */
GZ_MUST_USE void *gz_arena_take(struct gz_arena *arena, size_t count, size_t size);
/* Appends a zeroed item to an array in the arena. `array` is the address of the pointer to it;
 * *count is its size, 0 at first, and changed only here. The items may move. NULL without memory or
 * room: then nothing changed. */
GZ_MUST_USE void *gz_arena_add(struct gz_arena *arena, void *array, size_t *count, size_t size);
/* A terminated copy of a text of `size` bytes; NULL without memory or room. */
GZ_MUST_USE char *gz_arena_text(struct gz_arena *arena, const char *text, size_t size);
/* A copy of a terminated text; NULL for NULL, or without memory. */
char *gz_arena_string(struct gz_arena *arena, const char *text);

#endif
