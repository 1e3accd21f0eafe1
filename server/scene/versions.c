/* versions.c - lists ordered by version: deleted nodes, and what is no node: notes and checkpoints.
 */
#include "scene/versions.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"

/* ---- deleted nodes ---- */

/* The deleted nodes by seq and by id. */

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

/* ---- a versioned list ---- */

void gz_versions_init(struct gz_versions *versions, struct gz_versions_removal *ring,
                      size_t ring_size)
{
    *versions = (struct gz_versions){.version = 1, .ring = ring, .ring_size = ring_size};
}

/* ---- changing ---- */

void gz_versions_forget(struct gz_versions *versions, struct gz_versions_item *item)
{
    if (item->version == 0) return;
    *(item->older != NULL ? &item->older->newer : &versions->oldest) = item->newer;
    *(item->newer != NULL ? &item->newer->older : &versions->newest) = item->older;
    *item = (struct gz_versions_item){0};
    versions->count--;
}

void gz_versions_put(struct gz_versions *versions, struct gz_versions_item *item)
{
    gz_versions_forget(versions, item);
    *item = (struct gz_versions_item){.version = ++versions->version, .older = versions->newest};
    *(versions->newest != NULL ? &versions->newest->newer : &versions->oldest) = item;
    versions->newest = item;
    versions->count++;
}

void gz_versions_replace(struct gz_versions *versions, struct gz_versions_item *before,
                         struct gz_versions_item *item)
{
    gz_versions_forget(versions, before);
    gz_versions_put(versions, item);
}

void gz_versions_remove(struct gz_versions *versions, struct gz_versions_item *item, uint64_t id)
{
    gz_versions_forget(versions, item);
    struct gz_versions_removal *slot = &versions->ring[versions->removals % versions->ring_size];
    if (versions->removals >= versions->ring_size) versions->forgotten = slot->version;
    versions->removals++;
    *slot = (struct gz_versions_removal){id, ++versions->version};
}

/* ---- reading ---- */

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The oldest item that changed after `version`, or NULL. */
static const struct gz_versions_item *first_after(const struct gz_versions *versions,
                                                  uint64_t version)
{
    const struct gz_versions_item *first = NULL;
    const struct gz_versions_item *item = versions->newest;
    for (; item != NULL && item->version > version; item = item->older) first = item;
    return first;
}

struct gz_versions_reading gz_versions_read(const struct gz_versions *versions,
                                            const struct gz_versions_cursor *cursor)
{
    struct gz_versions_reading reading = {.versions = versions, .cursor = *cursor};
    uint64_t knows_until = later(cursor->version, cursor->since);
    reading.anew = cursor->version == 0 || knows_until < versions->forgotten;
    if (reading.anew) {
        reading.cursor = (struct gz_versions_cursor){.version = 0, .since = versions->version};
        knows_until = versions->version;
    }
    reading.knows_until = knows_until;
    reading.next = first_after(versions, reading.cursor.version);
    return reading;
}

const struct gz_versions_item *gz_versions_next(struct gz_versions_reading *reading)
{
    const struct gz_versions_item *item = reading->next;
    if (item == NULL) return NULL;
    reading->cursor.version = item->version;
    reading->next = item->newer;
    return item;
}

size_t gz_versions_gone(struct gz_versions_reading *reading, uint64_t *ids)
{
    const struct gz_versions *versions = reading->versions;
    struct gz_versions_cursor *cursor = &reading->cursor;
    if (reading->next == NULL) cursor->version = versions->version;
    if (cursor->version >= cursor->since) cursor->since = 0;
    uint64_t first =
        versions->removals > versions->ring_size ? versions->removals - versions->ring_size : 0;
    size_t count = 0;
    for (uint64_t i = versions->removals; i > first; i--) {
        const struct gz_versions_removal *removal = &versions->ring[(i - 1) % versions->ring_size];
        if (removal->version <= reading->knows_until) break;
        if (removal->version <= cursor->version) ids[count++] = removal->id;
    }
    return count;
}

/* ---- notes ---- */

/* Keeps the notes of a scene: by id for requests, and by version for viewers. */

struct gz_notebook {
    struct gz_notebook_entry **by_id; /* ascending; as many as have versions */
    size_t capacity;
    struct gz_versions versions;
    struct gz_versions_removal ring[GZ_NOTES_GONE_RING];
};

/* ---- one note ---- */

struct gz_notebook_entry *gz_notebook_entry_create(const struct gz_note_record *record)
{
    size_t bytes = gz_text_bytes(record->user) + gz_text_bytes(record->text) +
                   gz_text_bytes(record->by) + gz_text_bytes(record->key);
    struct gz_notebook_entry *note = malloc(sizeof *note + bytes);
    if (note == NULL) return NULL;
    *note = (struct gz_notebook_entry){.is = *record};
    char *at = (char *)(note + 1);
    note->is.user = gz_text_move(&at, record->user);
    note->is.text = gz_text_move(&at, record->text);
    note->is.by = gz_text_move(&at, record->by);
    note->is.key = gz_text_move(&at, record->key);
    return note;
}

void gz_notebook_entry_destroy(struct gz_notebook_entry *note)
{
    free(note);
}

/* ---- all notes ---- */

static bool load(struct gz_notebook *notes, const struct gz_scene_state *state)
{
    for (size_t i = 0; i < state->note_count; i++) {
        struct gz_notebook_entry *note = gz_notebook_entry_create(&state->notes[i]);
        if (note == NULL) return false;
        gz_notebook_put(notes, note);
    }
    return true;
}

struct gz_notebook *gz_notebook_create(const struct gz_scene_state *state)
{
    struct gz_notebook *notes = calloc(1, sizeof *notes);
    if (notes == NULL) return NULL;
    gz_versions_init(&notes->versions, notes->ring, GZ_NOTES_GONE_RING);
    /* A file may hold more notes than this server allows. */
    notes->capacity = state->note_count > GZ_NOTES_MAX ? state->note_count : GZ_NOTES_MAX;
    notes->by_id = malloc(notes->capacity * sizeof(struct gz_notebook_entry *));
    if (notes->by_id != NULL && load(notes, state)) return notes;
    gz_notebook_destroy(notes);
    return NULL;
}

void gz_notebook_destroy(struct gz_notebook *notes)
{
    if (notes == NULL) return;
    for (size_t i = 0; i < notes->versions.count; i++) gz_notebook_entry_destroy(notes->by_id[i]);
    free(notes->by_id);
    free(notes);
}

/* ---- reading ---- */

const struct gz_versions *gz_notebook_versions(const struct gz_notebook *notes)
{
    return &notes->versions;
}

size_t gz_notebook_count(const struct gz_notebook *notes)
{
    return notes->versions.count;
}

size_t gz_notebook_count_of(const struct gz_notebook *notes, const char *user)
{
    size_t count = 0;
    for (size_t i = 0; i < notes->versions.count; i++)
        count += strcmp(notes->by_id[i]->is.user, user) == 0;
    return count;
}

/* The first index whose id is not below `id`. */
static size_t notes_place_of(const struct gz_notebook *notes, uint64_t id)
{
    size_t low = 0, high = notes->versions.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (notes->by_id[middle]->is.id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_at(const struct gz_notebook *notes, size_t place, uint64_t id)
{
    return place < notes->versions.count && notes->by_id[place]->is.id == id;
}

const struct gz_notebook_entry *gz_notebook_find(const struct gz_notebook *notes, uint64_t id)
{
    size_t place = notes_place_of(notes, id);
    return is_at(notes, place, id) ? notes->by_id[place] : NULL;
}

/* ---- changing ---- */

static void insert(struct gz_notebook *notes, size_t place, struct gz_notebook_entry *note)
{
    assert(notes->versions.count < notes->capacity);
    struct gz_notebook_entry **at = &notes->by_id[place];
    memmove(at + 1, at, (notes->versions.count - place) * sizeof(struct gz_notebook_entry *));
    *at = note;
    gz_versions_put(&notes->versions, &note->item);
}

static void replace(struct gz_notebook *notes, size_t place, struct gz_notebook_entry *note)
{
    gz_versions_replace(&notes->versions, &notes->by_id[place]->item, &note->item);
    gz_notebook_entry_destroy(notes->by_id[place]);
    notes->by_id[place] = note;
}

static void take_away(struct gz_notebook *notes, size_t place)
{
    struct gz_notebook_entry **at = &notes->by_id[place], *note = *at;
    gz_versions_remove(&notes->versions, &note->item, note->is.id);
    memmove(at, at + 1, (notes->versions.count - place) * sizeof(struct gz_notebook_entry *));
    gz_notebook_entry_destroy(note);
}

void gz_notebook_put(struct gz_notebook *notes, struct gz_notebook_entry *note)
{
    size_t place = notes_place_of(notes, note->is.id);
    bool is_known = is_at(notes, place, note->is.id);
    if (!note->is.gone && is_known) {
        replace(notes, place, note);
    } else if (!note->is.gone) {
        insert(notes, place, note);
    } else {
        if (is_known) take_away(notes, place);
        gz_notebook_entry_destroy(note);
    }
}

/* ---- checkpoints ---- */

/* Keeps the checkpoints of a scene: by seq for requests, and by version for viewers. */

struct gz_checkpoint_list {
    struct gz_checkpoint_entry **entries; /* ascending by seq; as many as have versions */
    size_t capacity;
    struct gz_versions versions;
    struct gz_versions_removal ring[GZ_CHECKPOINTS_GONE_RING];
    /* Removal number i, from 0, is at i % GZ_CHECKPOINTS_GONE_RING; `versions` knows it by i. */
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

static bool checkpoints_load(struct gz_checkpoint_list *list, const struct gz_scene_state *state)
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
    gz_versions_init(&list->versions, list->ring, GZ_CHECKPOINTS_GONE_RING);
    /* A file may hold more checkpoints than this server allows. */
    list->capacity =
        state->checkpoint_count > GZ_CHECKPOINTS_MAX ? state->checkpoint_count : GZ_CHECKPOINTS_MAX;
    list->entries = malloc(list->capacity * sizeof(struct gz_checkpoint_entry *));
    if (list->entries != NULL && checkpoints_load(list, state)) return list;
    gz_checkpoint_list_destroy(list);
    return NULL;
}

void gz_checkpoint_list_destroy(struct gz_checkpoint_list *list)
{
    if (list == NULL) return;
    for (size_t i = 0; i < list->versions.count; i++) free(list->entries[i]);
    for (size_t i = 0; i < GZ_CHECKPOINTS_GONE_RING; i++) free(list->removals[i]);
    free(list->entries);
    free(list);
}

/* ---- reading ---- */

const struct gz_versions *gz_checkpoint_list_versions(const struct gz_checkpoint_list *list)
{
    return &list->versions;
}

size_t gz_checkpoint_list_count(const struct gz_checkpoint_list *list)
{
    return list->versions.count;
}

size_t gz_checkpoint_list_count_of(const struct gz_checkpoint_list *list, const char *user)
{
    size_t count = 0;
    for (size_t i = 0; i < list->versions.count; i++)
        count += strcmp(list->entries[i]->is.user, user) == 0;
    return count;
}

const struct gz_checkpoint_entry *gz_checkpoint_list_at(const struct gz_checkpoint_list *list,
                                                        size_t place)
{
    return list->entries[place];
}

static size_t checkpoints_place_of(const struct gz_checkpoint_list *list, const char *name,
                                   size_t size)
{
    size_t place = 0;
    while (place < list->versions.count) {
        const char *other = list->entries[place]->is.name;
        if (strlen(other) == size && memcmp(other, name, size) == 0) break;
        place++;
    }
    return place;
}

const struct gz_checkpoint_entry *gz_checkpoint_list_find(const struct gz_checkpoint_list *list,
                                                          const char *name, size_t size)
{
    size_t place = checkpoints_place_of(list, name, size);
    return place < list->versions.count ? list->entries[place] : NULL;
}

const struct gz_checkpoint_entry *gz_checkpoint_list_removal(const struct gz_checkpoint_list *list,
                                                             uint64_t id)
{
    const struct gz_checkpoint_entry *entry = list->removals[id % GZ_CHECKPOINTS_GONE_RING];
    const char *name = entry->is.name;
    if (gz_checkpoint_list_find(list, name, strlen(name)) != NULL) return NULL;
    while (++id < list->versions.removals) {
        if (strcmp(list->removals[id % GZ_CHECKPOINTS_GONE_RING]->is.name, name) == 0) return NULL;
    }
    return entry;
}

/* ---- changing ---- */

static void checkpoints_insert(struct gz_checkpoint_list *list, struct gz_checkpoint_entry *entry)
{
    assert(list->versions.count < list->capacity);
    size_t place = list->versions.count;
    for (; place > 0 && list->entries[place - 1]->is.seq > entry->is.seq; place--)
        list->entries[place] = list->entries[place - 1];
    list->entries[place] = entry;
    gz_versions_put(&list->versions, &entry->item);
}

static void checkpoints_take_away(struct gz_checkpoint_list *list, size_t place,
                                  struct gz_checkpoint_entry *removal)
{
    struct gz_checkpoint_entry *entry = list->entries[place];
    uint64_t id = list->versions.removals;
    struct gz_checkpoint_entry **slot = &list->removals[id % GZ_CHECKPOINTS_GONE_RING];
    gz_versions_remove(&list->versions, &entry->item, id);
    for (; place < list->versions.count; place++) list->entries[place] = list->entries[place + 1];
    free(entry);
    free(*slot);
    *slot = removal;
}

void gz_checkpoint_list_put(struct gz_checkpoint_list *list, struct gz_checkpoint_entry *entry)
{
    size_t place = checkpoints_place_of(list, entry->is.name, strlen(entry->is.name));
    if (!entry->is.gone)
        checkpoints_insert(list, entry);
    else if (place < list->versions.count)
        checkpoints_take_away(list, place, entry);
    else
        free(entry);
}
