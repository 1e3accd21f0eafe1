/* Keeps the notes of a scene: by id for requests, and on a shelf for viewers. */
#include "scene/notes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"

struct gz_notebook {
    struct gz_notebook_entry **by_id; /* ascending; as many as are on the shelf */
    size_t capacity;
    struct gz_shelf shelf;
    struct gz_shelf_removal ring[GZ_NOTES_GONE_RING];
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
    gz_shelf_init(&notes->shelf, notes->ring, GZ_NOTES_GONE_RING);
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
    for (size_t i = 0; i < notes->shelf.count; i++) gz_notebook_entry_destroy(notes->by_id[i]);
    free(notes->by_id);
    free(notes);
}

/* ---- reading ---- */

const struct gz_shelf *gz_notebook_shelf(const struct gz_notebook *notes)
{
    return &notes->shelf;
}

size_t gz_notebook_count(const struct gz_notebook *notes)
{
    return notes->shelf.count;
}

size_t gz_notebook_count_of(const struct gz_notebook *notes, const char *user)
{
    size_t count = 0;
    for (size_t i = 0; i < notes->shelf.count; i++)
        count += strcmp(notes->by_id[i]->is.user, user) == 0;
    return count;
}

/* The first index whose id is not below `id`. */
static size_t place_of(const struct gz_notebook *notes, uint64_t id)
{
    size_t low = 0, high = notes->shelf.count;
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
    return place < notes->shelf.count && notes->by_id[place]->is.id == id;
}

const struct gz_notebook_entry *gz_notebook_find(const struct gz_notebook *notes, uint64_t id)
{
    size_t place = place_of(notes, id);
    return is_at(notes, place, id) ? notes->by_id[place] : NULL;
}

/* ---- changing ---- */

static void insert(struct gz_notebook *notes, size_t place, struct gz_notebook_entry *note)
{
    assert(notes->shelf.count < notes->capacity);
    struct gz_notebook_entry **at = &notes->by_id[place];
    memmove(at + 1, at, (notes->shelf.count - place) * sizeof(struct gz_notebook_entry *));
    *at = note;
    gz_shelf_put(&notes->shelf, &note->item);
}

static void replace(struct gz_notebook *notes, size_t place, struct gz_notebook_entry *note)
{
    gz_shelf_replace(&notes->shelf, &notes->by_id[place]->item, &note->item);
    gz_notebook_entry_destroy(notes->by_id[place]);
    notes->by_id[place] = note;
}

static void take_away(struct gz_notebook *notes, size_t place)
{
    struct gz_notebook_entry **at = &notes->by_id[place], *note = *at;
    gz_shelf_remove(&notes->shelf, &note->item, note->is.id);
    memmove(at, at + 1, (notes->shelf.count - place) * sizeof(struct gz_notebook_entry *));
    gz_notebook_entry_destroy(note);
}

void gz_notebook_put(struct gz_notebook *notes, struct gz_notebook_entry *note)
{
    size_t place = place_of(notes, note->is.id);
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
