#include "scene/checkpoints.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"

struct gz_checkpoint_list {
    struct gz_checkpoint_entry **entries; /* ascending by seq */
    size_t count, capacity;
    uint64_t version, forgotten;
    struct gz_checkpoint_entry *gone[GZ_CHECKPOINTS_GONE_RING];
    uint64_t gone_count;
};

struct gz_checkpoint_entry *gz_checkpoint_entry_create(const struct gz_checkpoint_record *record)
{
    size_t name = strlen(record->name) + 1, user = strlen(record->user) + 1;
    struct gz_checkpoint_entry *entry = malloc(sizeof *entry + name + user);
    if (entry == NULL) return NULL;
    entry->is = *record;
    entry->version = 0;
    entry->is.name = memcpy(entry->texts, record->name, name);
    entry->is.user = memcpy(entry->texts + name, record->user, user);
    return entry;
}

/* ---- all of them ---- */

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
    list->version = 1;
    /* A file may have more of them than this server lets people make. */
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
    for (size_t i = 0; i < list->count; i++) free(list->entries[i]);
    for (size_t i = 0; i < GZ_CHECKPOINTS_GONE_RING; i++) free(list->gone[i]);
    free(list->entries);
    free(list);
}

/* ---- reading ---- */

size_t gz_checkpoint_list_count(const struct gz_checkpoint_list *list)
{
    return list->count;
}

const struct gz_checkpoint_entry *gz_checkpoint_list_at(const struct gz_checkpoint_list *list,
                                                        size_t place)
{
    return list->entries[place];
}

static size_t place_of(const struct gz_checkpoint_list *list, const char *name, size_t size)
{
    size_t place = 0;
    while (place < list->count) {
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
    return place < list->count ? list->entries[place] : NULL;
}

uint64_t gz_checkpoint_list_version(const struct gz_checkpoint_list *list)
{
    return list->version;
}

uint64_t gz_checkpoint_list_forgotten(const struct gz_checkpoint_list *list)
{
    return list->forgotten;
}

static bool has_name(const struct gz_checkpoint_entry *const *entries, size_t count,
                     const char *name)
{
    size_t at = 0;
    while (at < count && strcmp(entries[at]->is.name, name) != 0) at++;
    return at < count;
}

size_t gz_checkpoint_list_gone(const struct gz_checkpoint_list *list, uint64_t version,
                               const struct gz_checkpoint_entry **gone)
{
    uint64_t first = list->gone_count > GZ_CHECKPOINTS_GONE_RING
                         ? list->gone_count - GZ_CHECKPOINTS_GONE_RING
                         : 0;
    size_t count = 0;
    for (uint64_t i = list->gone_count; i > first; i--) {
        const struct gz_checkpoint_entry *entry = list->gone[(i - 1) % GZ_CHECKPOINTS_GONE_RING];
        if (entry->version <= version) break;
        bool given_again = place_of(list, entry->is.name, strlen(entry->is.name)) < list->count;
        if (!given_again && !has_name(gone, count, entry->is.name)) gone[count++] = entry;
    }
    return count;
}

/* ---- changing ---- */

static void insert(struct gz_checkpoint_list *list, struct gz_checkpoint_entry *entry)
{
    assert(list->count < list->capacity);
    size_t place = list->count++;
    for (; place > 0 && list->entries[place - 1]->is.seq > entry->is.seq; place--)
        list->entries[place] = list->entries[place - 1];
    list->entries[place] = entry;
}

static void take_away(struct gz_checkpoint_list *list, size_t place)
{
    free(list->entries[place]);
    list->count--;
    for (; place < list->count; place++) list->entries[place] = list->entries[place + 1];
}

static void remember_end(struct gz_checkpoint_list *list, struct gz_checkpoint_entry *entry)
{
    struct gz_checkpoint_entry **slot = &list->gone[list->gone_count++ % GZ_CHECKPOINTS_GONE_RING];
    if (*slot != NULL) list->forgotten = (*slot)->version;
    free(*slot);
    *slot = entry;
}

void gz_checkpoint_list_put(struct gz_checkpoint_list *list, struct gz_checkpoint_entry *entry)
{
    size_t place = place_of(list, entry->is.name, strlen(entry->is.name));
    if (entry->is.gone && place == list->count) {
        free(entry);
        return;
    }
    entry->version = ++list->version;
    if (entry->is.gone) {
        take_away(list, place);
        remember_end(list, entry);
    } else {
        insert(list, entry);
    }
}
