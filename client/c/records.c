/* records.c - a sorted list of memory blocks, each under its id. */
#include "records.h"

#include <stdlib.h>
#include <string.h>

/* The index of `id`, or where it would be inserted. */
static size_t place_of(const struct gz_records *records, uint64_t id)
{
    size_t low = 0, high = records->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (records->list[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_at(const struct gz_records *records, size_t place, uint64_t id)
{
    return place < records->count && records->list[place].id == id;
}

bool gz_records_put(struct gz_records *records, uint64_t id, void *block)
{
    size_t place = place_of(records, id);
    if (block != NULL && is_at(records, place, id)) {
        free(records->list[place].block);
        records->list[place].block = block;
        return true;
    }
    if (block == NULL ||
        !gz_grow(&records->list, &records->capacity, records->count + 1, sizeof *records->list)) {
        free(block);
        return false;
    }
    struct gz_record_entry *at = records->list + place;
    memmove(at + 1, at, (records->count - place) * sizeof *at);
    *at = (struct gz_record_entry){id, block};
    records->count++;
    return true;
}

void gz_records_remove(struct gz_records *records, uint64_t id)
{
    size_t place = place_of(records, id);
    if (!is_at(records, place, id)) return;
    struct gz_record_entry *at = records->list + place;
    free(at->block);
    records->count--;
    memmove(at, at + 1, (records->count - place) * sizeof *at);
}

void gz_records_clear(struct gz_records *records)
{
    for (size_t i = 0; i < records->count; i++) free(records->list[i].block);
    free(records->list);
    *records = (struct gz_records){0};
}

void *gz_records_find(const struct gz_records *records, uint64_t id)
{
    size_t place = place_of(records, id);
    return is_at(records, place, id) ? records->list[place].block : NULL;
}

struct gz_text gz_record_text(char **at, struct gz_text text)
{
    char *copy = *at;
    if (text.size > 0) memcpy(copy, text.bytes, text.size);
    copy[text.size] = '\0';
    *at = copy + text.size + 1;
    return (struct gz_text){copy, text.size};
}
