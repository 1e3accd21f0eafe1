/* notes.h - what people wrote in the scene: the notes that are there, in the order in which they
 * changed.
 *
 * A note is whole after each change: there is no partial state to merge. Each change takes the next
 * version, as a change of a node takes a seq, and a viewer is told what came after its own;
 * deletions are remembered for GZ_NOTES_GONE_RING of them. Notes have no part in the scene's seq,
 * its undo, or its past.
 *
 * Ownership: a note belongs to who made it until it is put among the others, then to them. Threads:
 * one. */
#ifndef GZ_SCENE_NOTES_H
#define GZ_SCENE_NOTES_H

#include "proto/base/status.h"
#include "scene/record.h"

struct gz_notebook_entry {
    struct gz_note_record is; /* its texts are the note's own */
    uint64_t version;
    struct gz_notebook_entry *older, *newer; /* the order of change */
};

struct gz_notebook;

/* A copy that is in no list; NULL without memory. */
struct gz_notebook_entry *gz_notebook_entry_create(const struct gz_note_record *record);
void gz_notebook_entry_destroy(struct gz_notebook_entry *note); /* NULL is fine */

/* With those of the state; NULL without memory. */
struct gz_notebook *gz_notebook_create(const struct gz_scene_state *state);
void gz_notebook_destroy(struct gz_notebook *notes); /* NULL is fine */

size_t gz_notebook_count(const struct gz_notebook *notes);
const struct gz_notebook_entry *gz_notebook_find(const struct gz_notebook *notes,
                                                 uint64_t id); /* NULL where it is not there */
/* Of the latest change, at least 1: with 0 nothing is known of any. */
uint64_t gz_notebook_version(const struct gz_notebook *notes);
/* The oldest one that changed after `version`, or NULL. */
const struct gz_notebook_entry *gz_notebook_after(const struct gz_notebook *notes,
                                                  uint64_t version);
/* Deletions up to this version are forgotten: who stands before it has to be told everything
 * anew. */
uint64_t gz_notebook_forgotten(const struct gz_notebook *notes);
/* The ids of those deleted after `after` and up to `until`, into `ids` with room for
 * GZ_NOTES_GONE_RING; how many. */
size_t gz_notebook_gone(const struct gz_notebook *notes, uint64_t after, uint64_t until,
                        uint64_t *ids);

/* Takes the note over, in place of the one of its id; one that is gone takes that away. Needs no
 * memory. There is room for GZ_NOTES_MAX: the caller counts. */
void gz_notebook_put(struct gz_notebook *notes, struct gz_notebook_entry *note);

#endif
