/* Keeps the checkpoints of a scene: by seq for requests, and on a shelf for viewers. */
#include "scene/checkpoints.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"

struct gz_checkpoint_list {
    struct gz_checkpoint_entry **entries; /* ascending by seq; as many as are on the shelf */
    size_t capacity;
    struct gz_shelf shelf;
    struct gz_shelf_removal ring[GZ_CHECKPOINTS_GONE_RING];
    /* Removal number i, from 0, is at i % GZ_CHECKPOINTS_GONE_RING; the shelf knows it by i. */
    struct gz_checkpoint_entry *removals[GZ_CHECKPOINTS_GONE_RING];
};

struct gz_checkpoint_entry *gz_checkpoint_entry_create(const struct gz_checkpoint_record *record)
{
    struct gz_checkpoint_entry *entry =
        malloc(sizeof *entry + gz_text_bytes(record->name) + gz_text_bytes(record->user));
    if (entry == NULL) return NULL;
    *entry = (struct gz_checkpoint_entry){.is = *record};
    char *at = entry->texts;
    entry->is.name = gz_text_move(&at, record->name);
    entry->is.user = gz_text_move(&at, record->user);
    return entry;
}

/* ---- all checkpoints ---- */

static bool load(struct gz_checkpoint_list *list, const struct gz_scene_state *state)
{
    for (size_t i = 0; i < state->checkpoint_count; i++) {
        struct gz_checkpoint_entry *entry = gz_checkpoint_entry_create(&state->checkpoints[i]);
        if (entry == NULL) return false;
        gz_checkpoint_list_put(list, entry);
    }
    return true;
}

struct gz_checkpoint_list *gz_checkpoint_list_create(const struct gz_scene_state *state)
{
    struct gz_checkpoint_list *list = calloc(1, sizeof *list);
    if (list == NULL) return NULL;
    gz_shelf_init(&list->shelf, list->ring, GZ_CHECKPOINTS_GONE_RING);
    /* A file may hold more checkpoints than this server allows. */
    list->capacity =
        state->checkpoint_count > GZ_CHECKPOINTS_MAX ? state->checkpoint_count : GZ_CHECKPOINTS_MAX;
    list->entries = malloc(list->capacity * sizeof(struct gz_checkpoint_entry *));
    if (list->entries != NULL && load(list, state)) return list;
    gz_checkpoint_list_destroy(list);
    return NULL;
}

void gz_checkpoint_list_destroy(struct gz_checkpoint_list *list)
{
    if (list == NULL) return;
    for (size_t i = 0; i < list->shelf.count; i++) free(list->entries[i]);
    for (size_t i = 0; i < GZ_CHECKPOINTS_GONE_RING; i++) free(list->removals[i]);
    free(list->entries);
    free(list);
}

/* ---- reading ---- */

const struct gz_shelf *gz_checkpoint_list_shelf(const struct gz_checkpoint_list *list)
{
    return &list->shelf;
}

size_t gz_checkpoint_list_count(const struct gz_checkpoint_list *list)
{
    return list->shelf.count;
}

size_t gz_checkpoint_list_count_of(const struct gz_checkpoint_list *list, const char *user)
{
    size_t count = 0;
    for (size_t i = 0; i < list->shelf.count; i++)
        count += strcmp(list->entries[i]->is.user, user) == 0;
    return count;
}

const struct gz_checkpoint_entry *gz_checkpoint_list_at(const struct gz_checkpoint_list *list,
                                                        size_t place)
{
    return list->entries[place];
}

static size_t place_of(const struct gz_checkpoint_list *list, const char *name, size_t size)
{
    size_t place = 0;
    while (place < list->shelf.count) {
        const char *other = list->entries[place]->is.name;
        if (strlen(other) == size && memcmp(other, name, size) == 0) break;
        place++;
    }
    return place;
}

const struct gz_checkpoint_entry *gz_checkpoint_list_find(const struct gz_checkpoint_list *list,
                                                          const char *name, size_t size)
{
    size_t place = place_of(list, name, size);
    return place < list->shelf.count ? list->entries[place] : NULL;
}

const struct gz_checkpoint_entry *gz_checkpoint_list_removal(const struct gz_checkpoint_list *list,
                                                             uint64_t id)
{
    const struct gz_checkpoint_entry *entry = list->removals[id % GZ_CHECKPOINTS_GONE_RING];
    const char *name = entry->is.name;
    if (gz_checkpoint_list_find(list, name, strlen(name)) != NULL) return NULL;
    while (++id < list->shelf.removals) {
        if (strcmp(list->removals[id % GZ_CHECKPOINTS_GONE_RING]->is.name, name) == 0) return NULL;
    }
    return entry;
}

/* ---- changing ---- */

static void insert(struct gz_checkpoint_list *list, struct gz_checkpoint_entry *entry)
{
    assert(list->shelf.count < list->capacity);
    size_t place = list->shelf.count;
    for (; place > 0 && list->entries[place - 1]->is.seq > entry->is.seq; place--)
        list->entries[place] = list->entries[place - 1];
    list->entries[place] = entry;
    gz_shelf_put(&list->shelf, &entry->item);
}

static void take_away(struct gz_checkpoint_list *list, size_t place,
                      struct gz_checkpoint_entry *removal)
{
    struct gz_checkpoint_entry *entry = list->entries[place];
    uint64_t id = list->shelf.removals;
    struct gz_checkpoint_entry **slot = &list->removals[id % GZ_CHECKPOINTS_GONE_RING];
    gz_shelf_remove(&list->shelf, &entry->item, id);
    for (; place < list->shelf.count; place++) list->entries[place] = list->entries[place + 1];
    free(entry);
    free(*slot);
    *slot = removal;
}

void gz_checkpoint_list_put(struct gz_checkpoint_list *list, struct gz_checkpoint_entry *entry)
{
    size_t place = place_of(list, entry->is.name, strlen(entry->is.name));
    if (!entry->is.gone)
        insert(list, entry);
    else if (place < list->shelf.count)
        take_away(list, place, entry);
    else
        free(entry);
}
