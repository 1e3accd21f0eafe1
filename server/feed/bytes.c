/* bytes.c - counts who holds bytes. See bytes.h. */
#include "feed/bytes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define MASKED 0x80
/* Bytes of a buffer behind its contents that are kept: more of them would wait for a slow client
 * with what it was sent. */
#define SPARE_BYTES_MAX (16 * 1024)

/* ---- the header of a frame ---- */

size_t gz_frame_put_header(uint8_t *payload, size_t size, enum gz_frame_first first)
{
    const size_t length = size < 126 ? 0 : size <= UINT16_MAX ? 2 : 8;
    if (first == GZ_FRAME_RAW) return 0;
    uint8_t *at = payload - length - 2;
    at[0] = (uint8_t)first;
    at[1] = (uint8_t)(length == 0 ? size : length == 2 ? 126 : 127);
    for (size_t i = 0; i < length; i++)
        at[2 + i] = (uint8_t)((uint64_t)size >> 8 * (length - 1 - i));
    return 2 + length;
}

size_t gz_frame_mask(uint8_t *payload, size_t size, enum gz_frame_first first,
                     const uint8_t mask[4])
{
    uint8_t *key = payload - 4;
    const size_t header = gz_frame_put_header(key, size, first);
    (key - header)[1] |= MASKED;
    memcpy(key, mask, 4);
    for (size_t i = 0; i < size; i++) payload[i] ^= mask[i & 3];
    return header + 4;
}

/* ---- bytes ---- */

static struct gz_bytes *make(void *memory, size_t size, size_t capacity, enum gz_frame_first first,
                             const uint8_t *mask)
{
    struct gz_bytes *bytes = memory;
    atomic_init(&bytes->holders, 1);
    bytes->is_last = true;
    bytes->size = size;
    bytes->capacity = capacity;
    bytes->header = mask != NULL ? gz_frame_mask(bytes->data, size, first, mask)
                                 : gz_frame_put_header(bytes->data, size, first);
    return bytes;
}

static void trim(struct gz_buffer *buffer)
{
    if (buffer->capacity - buffer->size <= SPARE_BYTES_MAX) return;
    uint8_t *memory = realloc(buffer->data - GZ_BYTES_HEADROOM, GZ_BYTES_HEADROOM + buffer->size);
    if (memory == NULL) return;
    buffer->data = memory + GZ_BYTES_HEADROOM;
    buffer->capacity = buffer->size;
}

struct gz_bytes *gz_bytes_seal(struct gz_buffer *buffer, enum gz_frame_first first,
                               const uint8_t *mask)
{
    assert(buffer->size > 0 && buffer->headroom == GZ_BYTES_HEADROOM);
    trim(buffer);
    struct gz_bytes *bytes =
        make(buffer->data - GZ_BYTES_HEADROOM, buffer->size, buffer->capacity, first, mask);
    gz_buffer_init(buffer, buffer->max, GZ_BYTES_HEADROOM);
    return bytes;
}

struct gz_bytes *gz_bytes_copy(enum gz_frame_first first, const void *payload, size_t size)
{
    struct gz_bytes *bytes = malloc(GZ_BYTES_HEADROOM + size);
    if (bytes == NULL) return NULL;
    if (size > 0) memcpy(bytes->data, payload, size);
    return make(bytes, size, size, first, NULL);
}

struct gz_bytes *gz_bytes_hold(struct gz_bytes *bytes)
{
    atomic_fetch_add_explicit(&bytes->holders, 1, memory_order_relaxed);
    return bytes;
}

/* Whether it was the last reference. What the other holders did with the bytes is over by then. */
static bool give_up(struct gz_bytes *bytes)
{
    const unsigned before = atomic_fetch_sub_explicit(&bytes->holders, 1, memory_order_acq_rel);
    assert(before > 0);
    return before == 1;
}

void gz_bytes_release(struct gz_bytes *bytes)
{
    if (bytes != NULL && give_up(bytes)) free(bytes);
}

void gz_bytes_reuse(struct gz_bytes *bytes, struct gz_buffer *buffer)
{
    assert(buffer->data == NULL && buffer->headroom == GZ_BYTES_HEADROOM);
    if (bytes == NULL || !give_up(bytes)) return;
    buffer->capacity = bytes->capacity;
    buffer->data = bytes->data;
}

/* ---- what waits ---- */

/* Moves the references to the front, where there is room since older ones were taken. */
static void move_to_front(struct gz_bytes_queue *queue)
{
    if (queue->begin == 0 || queue->begin + queue->count < queue->capacity) return;
    memmove(queue->items, queue->items + queue->begin, queue->count * sizeof *queue->items);
    queue->begin = 0;
}

bool gz_bytes_push(struct gz_bytes_queue *queue, struct gz_bytes *bytes)
{
    move_to_front(queue);
    const size_t at = queue->begin + queue->count;
    if (!gz_grow(&queue->items, &queue->capacity, at + 1, sizeof *queue->items)) return false;
    queue->items[at] = gz_bytes_hold(bytes);
    queue->count++;
    return true;
}

struct gz_bytes *gz_bytes_first_of(const struct gz_bytes_queue *queue)
{
    return queue->count > 0 ? queue->items[queue->begin] : NULL;
}

struct gz_bytes *gz_bytes_last_of(const struct gz_bytes_queue *queue)
{
    return queue->count > 0 ? queue->items[queue->begin + queue->count - 1] : NULL;
}

static void free_if_empty(struct gz_bytes_queue *queue)
{
    if (queue->count > 0) return;
    free(queue->items);
    *queue = (struct gz_bytes_queue){.items = NULL};
}

struct gz_bytes *gz_bytes_pop(struct gz_bytes_queue *queue)
{
    struct gz_bytes *bytes = queue->items[queue->begin++];
    queue->count--;
    queue->taken = 0;
    free_if_empty(queue);
    return bytes;
}

struct gz_bytes *gz_bytes_pop_last(struct gz_bytes_queue *queue)
{
    struct gz_bytes *bytes = queue->items[queue->begin + --queue->count];
    free_if_empty(queue);
    return bytes;
}

void gz_bytes_clear(struct gz_bytes_queue *queue)
{
    while (queue->count > 0) gz_bytes_release(gz_bytes_pop(queue));
}
