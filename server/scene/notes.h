/* notes.h - the notes that people wrote in a scene, as they are now, on a shelf for viewers.
 *
 * Each change replaces the whole note, so there is no partial state to merge. Notes have no part in
 * the scene's seq, its undo or its past.
 *
 * Ownership: an entry belongs to the caller that created it until gz_notebook_put takes it over.
 * Threads: one. Errors: only creating asks for memory. */
#ifndef GZ_SCENE_NOTES_H
#define GZ_SCENE_NOTES_H

#include "proto/base/status.h"
#include "scene/record.h"
#include "scene/shelf.h"

struct gz_notebook_entry {
    struct gz_shelf_item item; /* first, so that an item of the shelf is its entry */
    struct gz_note_record is;  /* its texts belong to the entry */
};

struct gz_notebook;

/* An entry with a copy of the record, in no notebook; NULL without memory. */
struct gz_notebook_entry *gz_notebook_entry_create(const struct gz_note_record *record);
void gz_notebook_entry_destroy(struct gz_notebook_entry *note); /* NULL is fine */

/* Holds the notes of `state`; NULL without memory. */
struct gz_notebook *gz_notebook_create(const struct gz_scene_state *state);
void gz_notebook_destroy(struct gz_notebook *notes); /* NULL is fine */

/* The shelf of the entries; a removed note leaves its id. */
const struct gz_shelf *gz_notebook_shelf(const struct gz_notebook *notes);
size_t gz_notebook_count(const struct gz_notebook *notes);
/* How many of them this user wrote; compares the user with the author of each note. */
size_t gz_notebook_count_of(const struct gz_notebook *notes, const char *user);
/* NULL if there is no note with this id. */
const struct gz_notebook_entry *gz_notebook_find(const struct gz_notebook *notes, uint64_t id);

/* Takes the entry over and puts it in the place of the note with its id; an entry whose record is
 * `gone` removes that note. Needs no memory. The caller makes sure that there are never more than
 * GZ_NOTES_MAX notes. */
void gz_notebook_put(struct gz_notebook *notes, struct gz_notebook_entry *note);

#endif
