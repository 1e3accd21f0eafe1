/* graves.c - the deleted nodes by seq and by id. See graves.h. */
#include "scene/graves.h"

#include <stdlib.h>

#include "server/maxima.h"

#define FIRST_CAPACITY 64

static_assert((GZ_TOMBSTONES_MAX & (GZ_TOMBSTONES_MAX - 1)) == 0, "the capacity is a power of two");

void gz_graves_finish(struct gz_graves *graves)
{
    free(graves->ring);
    free(graves->next);
    free(graves->buckets);
    graves->ring = NULL;
    graves->next = graves->buckets = NULL;
    graves->first = graves->count = graves->capacity = 0;
}

/* The place in the ring of the grave at this place from the oldest. */
static size_t place_of(const struct gz_graves *graves, size_t at)
{
    return (graves->first + at) & (graves->capacity - 1);
}

static uint32_t *bucket_of(const struct gz_graves *graves, uint64_t id)
{
    return &graves->buckets[(id * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (graves->capacity - 1)];
}

static void chain(struct gz_graves *graves, size_t place)
{
    uint32_t *bucket = bucket_of(graves, graves->ring[place].id);
    graves->next[place] = *bucket;
    *bucket = (uint32_t)place + 1;
}

void gz_graves_open(struct gz_graves *graves, uint64_t id)
{
    if (graves->count == 0) return;
    uint32_t *link = bucket_of(graves, id);
    while (*link != 0 && graves->ring[*link - 1].id != id) link = &graves->next[*link - 1];
    if (*link == 0) return;
    graves->ring[*link - 1].id = 0;
    *link = graves->next[*link - 1];
}

static void forget_oldest(struct gz_graves *graves)
{
    const struct gz_grave oldest = graves->ring[graves->first];
    if (oldest.id != 0) gz_graves_open(graves, oldest.id);
    graves->forgotten = oldest.seq;
    graves->first = place_of(graves, 1);
    graves->count--;
}

static bool grow(struct gz_graves *graves)
{
    struct gz_graves larger = *graves;
    larger.capacity = graves->capacity > 0 ? 2 * graves->capacity : FIRST_CAPACITY;
    larger.first = 0;
    larger.ring = malloc(larger.capacity * sizeof *larger.ring);
    larger.next = malloc(larger.capacity * sizeof *larger.next);
    larger.buckets = calloc(larger.capacity, sizeof *larger.buckets);
    if (larger.ring == NULL || larger.next == NULL || larger.buckets == NULL) {
        gz_graves_finish(&larger);
        return false;
    }
    for (size_t i = 0; i < graves->count; i++) {
        larger.ring[i] = graves->ring[place_of(graves, i)];
        if (larger.ring[i].id != 0) chain(&larger, i);
    }
    gz_graves_finish(graves);
    *graves = larger;
    return true;
}

void gz_graves_add(struct gz_graves *graves, uint64_t id, uint64_t seq)
{
    if (graves->count == GZ_TOMBSTONES_MAX) forget_oldest(graves);
    if (graves->count == graves->capacity && !grow(graves)) {
        gz_graves_forget(graves);
        graves->forgotten = seq;
        return;
    }
    const size_t place = place_of(graves, graves->count++);
    graves->ring[place] = (struct gz_grave){id, seq};
    chain(graves, place);
}

const struct gz_grave *gz_graves_after(const struct gz_graves *graves, uint64_t seq)
{
    size_t low = 0, high = graves->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (graves->ring[place_of(graves, middle)].seq > seq)
            high = middle;
        else
            low = middle + 1;
    }
    while (low < graves->count && graves->ring[place_of(graves, low)].id == 0) low++;
    return low < graves->count ? &graves->ring[place_of(graves, low)] : NULL;
}

size_t gz_graves_bytes(const struct gz_graves *graves)
{
    return graves->capacity *
           (sizeof *graves->ring + sizeof *graves->next + sizeof *graves->buckets);
}

void gz_graves_forget(struct gz_graves *graves)
{
    if (graves->count > 0)
        graves->forgotten = graves->ring[place_of(graves, graves->count - 1)].seq;
    gz_graves_finish(graves);
}
