#include "scene/notes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"

struct gz_notebook {
    struct gz_notebook_entry **by_id; /* ascending */
    size_t count, capacity;
    struct gz_notebook_entry *oldest, *newest;
    uint64_t version, forgotten;
    struct {
        uint64_t id, version;
    } gone[GZ_NOTES_GONE_RING];
    uint64_t gone_count;
};

/* ---- one note ---- */

static size_t bytes_of(const char *text)
{
    return text != NULL ? strlen(text) + 1 : 0;
}

/* The copy in `at`, which moves past it; NULL for NULL. */
static const char *copy_text(char **at, const char *text)
{
    if (text == NULL) return NULL;
    char *copy = *at;
    size_t bytes = bytes_of(text);
    *at += bytes;
    return memcpy(copy, text, bytes);
}

struct gz_notebook_entry *gz_notebook_entry_create(const struct gz_note_record *record)
{
    size_t bytes = bytes_of(record->user) + bytes_of(record->text) + bytes_of(record->by) +
                   bytes_of(record->key);
    struct gz_notebook_entry *note = malloc(sizeof *note + bytes);
    if (note == NULL) return NULL;
    *note = (struct gz_notebook_entry){.is = *record};
    char *at = (char *)(note + 1);
    note->is.user = copy_text(&at, record->user);
    note->is.text = copy_text(&at, record->text);
    note->is.by = copy_text(&at, record->by);
    note->is.key = copy_text(&at, record->key);
    return note;
}

void gz_notebook_entry_destroy(struct gz_notebook_entry *note)
{
    free(note);
}

/* ---- all of them ---- */

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
    notes->version = 1;
    /* A file may have more of them than this server lets people make. */
    notes->capacity = state->note_count > GZ_NOTES_MAX ? state->note_count : GZ_NOTES_MAX;
    notes->by_id = malloc(notes->capacity * sizeof(struct gz_notebook_entry *));
    if (notes->by_id != NULL && load(notes, state)) return notes;
    gz_notebook_destroy(notes);
    return NULL;
}

void gz_notebook_destroy(struct gz_notebook *notes)
{
    if (notes == NULL) return;
    for (size_t i = 0; i < notes->count; i++) gz_notebook_entry_destroy(notes->by_id[i]);
    free(notes->by_id);
    free(notes);
}

/* ---- reading ---- */

/* The first place whose id is not below `id`. */
static size_t place_of(const struct gz_notebook *notes, uint64_t id)
{
    size_t low = 0, high = notes->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (notes->by_id[middle]->is.id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct gz_notebook_entry *gz_notebook_find(const struct gz_notebook *notes, uint64_t id)
{
    size_t place = place_of(notes, id);
    return place < notes->count && notes->by_id[place]->is.id == id ? notes->by_id[place] : NULL;
}

size_t gz_notebook_count(const struct gz_notebook *notes)
{
    return notes->count;
}

uint64_t gz_notebook_version(const struct gz_notebook *notes)
{
    return notes->version;
}

const struct gz_notebook_entry *gz_notebook_after(const struct gz_notebook *notes, uint64_t version)
{
    const struct gz_notebook_entry *first = NULL;
    for (const struct gz_notebook_entry *note = notes->newest;
         note != NULL && note->version > version; note = note->older)
        first = note;
    return first;
}

uint64_t gz_notebook_forgotten(const struct gz_notebook *notes)
{
    return notes->forgotten;
}

size_t gz_notebook_gone(const struct gz_notebook *notes, uint64_t after, uint64_t until,
                        uint64_t *ids)
{
    uint64_t first =
        notes->gone_count > GZ_NOTES_GONE_RING ? notes->gone_count - GZ_NOTES_GONE_RING : 0;
    size_t count = 0;
    for (uint64_t i = notes->gone_count; i > first; i--) {
        uint64_t version = notes->gone[(i - 1) % GZ_NOTES_GONE_RING].version;
        if (version <= after) break;
        if (version <= until) ids[count++] = notes->gone[(i - 1) % GZ_NOTES_GONE_RING].id;
    }
    return count;
}

/* ---- changing ---- */

static void append(struct gz_notebook *notes, struct gz_notebook_entry *note)
{
    note->version = ++notes->version;
    note->older = notes->newest;
    note->newer = NULL;
    if (notes->newest != NULL) notes->newest->newer = note;
    if (notes->oldest == NULL) notes->oldest = note;
    notes->newest = note;
}

static void unlink_note(struct gz_notebook *notes, struct gz_notebook_entry *note)
{
    if (note->older != NULL) note->older->newer = note->newer;
    if (note->newer != NULL) note->newer->older = note->older;
    if (notes->oldest == note) notes->oldest = note->newer;
    if (notes->newest == note) notes->newest = note->older;
}

static void insert(struct gz_notebook *notes, size_t place, struct gz_notebook_entry *note)
{
    assert(notes->count < notes->capacity);
    struct gz_notebook_entry **at = &notes->by_id[place];
    memmove(at + 1, at, (notes->count++ - place) * sizeof(struct gz_notebook_entry *));
    *at = note;
    append(notes, note);
}

static void replace(struct gz_notebook *notes, size_t place, struct gz_notebook_entry *note)
{
    unlink_note(notes, notes->by_id[place]);
    gz_notebook_entry_destroy(notes->by_id[place]);
    notes->by_id[place] = note;
    append(notes, note);
}

static void take_away(struct gz_notebook *notes, size_t place)
{
    struct gz_notebook_entry **at = &notes->by_id[place];
    uint64_t slot = notes->gone_count++ % GZ_NOTES_GONE_RING;
    notes->forgotten = notes->gone[slot].version;
    notes->gone[slot].id = (*at)->is.id;
    notes->gone[slot].version = ++notes->version;
    unlink_note(notes, *at);
    gz_notebook_entry_destroy(*at);
    memmove(at, at + 1, (--notes->count - place) * sizeof(struct gz_notebook_entry *));
}

void gz_notebook_put(struct gz_notebook *notes, struct gz_notebook_entry *note)
{
    bool is_known = gz_notebook_find(notes, note->is.id) != NULL;
    size_t place = place_of(notes, note->is.id);
    if (!note->is.gone) {
        if (is_known)
            replace(notes, place, note);
        else
            insert(notes, place, note);
        return;
    }
    if (is_known) take_away(notes, place);
    gz_notebook_entry_destroy(note);
}
