/* buffer.c - buffers and arenas that grow up to a maximum. */
#include "proto/base/buffer.h"

#include <assert.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BYTES 512
#define FIRST_ITEMS 16
#define BLOCK_BYTES 4096

void gz_buffer_init(struct gz_buffer *buffer, size_t max, size_t headroom)
{
    *buffer = (struct gz_buffer){.max = max, .headroom = headroom};
}

void gz_buffer_finish(struct gz_buffer *buffer)
{
    if (buffer->data != NULL) free(buffer->data - buffer->headroom);
    buffer->data = NULL;
    buffer->size = buffer->capacity = 0;
}

void gz_buffer_clear(struct gz_buffer *buffer)
{
    buffer->size = 0;
}

void gz_buffer_truncate(struct gz_buffer *buffer, size_t size)
{
    assert(size <= buffer->size);
    buffer->size = size;
}

enum gz_status gz_buffer_reserve(struct gz_buffer *buffer, size_t size)
{
    if (size <= buffer->capacity - buffer->size) return GZ_OK;
    if (size > buffer->max - buffer->size) return GZ_TOO_LARGE;
    size_t wanted = buffer->size + size;
    size_t capacity = buffer->capacity > 0 ? buffer->capacity : FIRST_BYTES;
    while (capacity < wanted) capacity *= 2;
    if (capacity > buffer->max) capacity = buffer->max;
    uint8_t *memory = buffer->data != NULL ? buffer->data - buffer->headroom : NULL;
    memory = realloc(memory, buffer->headroom + capacity);
    if (memory == NULL) return GZ_NO_MEMORY;
    buffer->data = memory + buffer->headroom;
    buffer->capacity = capacity;
    return GZ_OK;
}

enum gz_status gz_buffer_append(struct gz_buffer *buffer, const void *bytes, size_t size)
{
    if (size == 0) return GZ_OK;
    enum gz_status status = gz_buffer_reserve(buffer, size);
    if (status != GZ_OK) return status;
    memcpy(buffer->data + buffer->size, bytes, size);
    buffer->size += size;
    return GZ_OK;
}

bool gz_grow(void *array, size_t *capacity, size_t count, size_t item_size)
{
    if (count <= *capacity) return true;
    size_t wanted = *capacity > 0 ? *capacity : FIRST_ITEMS;
    while (wanted < count) wanted *= 2;
    void *memory;
    memcpy(&memory, array,
           sizeof memory); /* a pointer to any type: only its bytes may be looked at */
    memory = realloc(memory, wanted * item_size);
    if (memory == NULL) return false;
    memcpy(array, &memory, sizeof memory);
    *capacity = wanted;
    return true;
}

struct gz_arena_block {
    struct gz_arena_block *next;
    size_t used;
    size_t capacity;
    alignas(max_align_t) uint8_t bytes[];
};

void gz_arena_init(struct gz_arena *arena, size_t max)
{
    *arena = (struct gz_arena){.max = max};
}

void gz_arena_finish(struct gz_arena *arena)
{
    while (arena->blocks != NULL) {
        struct gz_arena_block *block = arena->blocks;
        arena->blocks = block->next;
        free(block);
    }
    arena->used = 0;
}

struct gz_arena_mark gz_arena_mark(const struct gz_arena *arena)
{
    const size_t used_in_block = arena->blocks != NULL ? arena->blocks->used : 0;
    return (struct gz_arena_mark){arena->blocks, used_in_block, arena->used};
}

/* The oldest block stays for the next use, unless it is a large one. */
static bool is_kept(const struct gz_arena_block *block)
{
    return block == NULL || (block->next == NULL && block->capacity <= BLOCK_BYTES);
}

void gz_arena_go_back(struct gz_arena *arena, struct gz_arena_mark mark)
{
    while (arena->blocks != mark.block && !(mark.block == NULL && is_kept(arena->blocks))) {
        struct gz_arena_block *block = arena->blocks;
        arena->blocks = block->next;
        free(block);
    }
    if (arena->blocks != NULL) arena->blocks->used = mark.used_in_block;
    arena->used = mark.used;
}

void gz_arena_reset(struct gz_arena *arena, size_t max)
{
    gz_arena_go_back(arena, (struct gz_arena_mark){.used = 0});
    arena->max = max;
}

static struct gz_arena_block *new_block(struct gz_arena *arena, size_t size)
{
    size_t capacity = size > BLOCK_BYTES ? size : BLOCK_BYTES;
    struct gz_arena_block *block = malloc(sizeof *block + capacity);
    if (block == NULL) return NULL;
    *block = (struct gz_arena_block){.next = arena->blocks, .capacity = capacity};
    arena->blocks = block;
    return block;
}

void *gz_arena_take(struct gz_arena *arena, size_t count, size_t size)
{
    if (count != 0 && size > arena->max / count) return NULL;
    size_t bytes = count * size;
    bytes = (bytes + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
    if (bytes > arena->max - arena->used) return NULL;
    struct gz_arena_block *block = arena->blocks;
    if (block == NULL || bytes > block->capacity - block->used) block = new_block(arena, bytes);
    if (block == NULL) return NULL;
    void *memory = memset(block->bytes + block->used, 0, bytes);
    block->used += bytes;
    arena->used += bytes;
    return memory;
}

char *gz_arena_string(struct gz_arena *arena, const char *text)
{
    if (text == NULL) return NULL;
    size_t size = strlen(text) + 1;
    char *copy = gz_arena_take(arena, size, 1);
    return copy != NULL ? memcpy(copy, text, size) : NULL;
}

char *gz_arena_text(struct gz_arena *arena, const char *text, size_t size)
{
    char *copy = gz_arena_take(arena, size + 1, 1);
    if (copy != NULL && size > 0) memcpy(copy, text, size);
    return copy;
}

void *gz_arena_add(struct gz_arena *arena, void *array, size_t *count, size_t size)
{
    uint8_t *items;
    memcpy(&items, array,
           sizeof items); /* a pointer to any type: only its bytes may be looked at */
    const bool is_full = (*count & (*count - 1)) == 0; /* it has room for a power of two */
    if (is_full) {
        uint8_t *more = gz_arena_take(arena, *count > 0 ? 2 * *count : 1, size);
        if (more == NULL) return NULL;
        if (*count > 0) memcpy(more, items, *count * size);
        memcpy(array, &more, sizeof more);
        items = more;
    }
    return items + (*count)++ * size;
}
