/* note.h - notes that are not on the disk yet. */
#ifndef GZ_SESSION_NOTE_H
#define GZ_SESSION_NOTE_H

#include "scene/notes.h"
#include "session/waiter.h"

struct gz_core;

/* A change of a note: the note as it will be. */
struct gz_pending_note {
    struct gz_pending_note *next;
    struct gz_notebook_entry *note;
    struct gz_waiter *waiters;
    bool in_batch;
};

/* Puts what waits into a batch; false without memory. */
GZ_MUST_USE bool gz_core_add_notes(const struct gz_core *core, struct gz_batch *batch);
/* The batch was stored: its notes are there for everybody, and answered. */
void gz_core_accept_notes(struct gz_core *core);
/* It was refused: all that waits is, since what came later may stand on what was in it. */
void gz_core_refuse_notes(struct gz_core *core, const char *why);
void gz_core_free_notes(struct gz_core *core);

#endif
