/* notes.h - notes and checkpoints: what people write, and names for states of the scene. */
#ifndef GZ_CORE_NOTES_H
#define GZ_CORE_NOTES_H

#include "core/journal.h"
#include "proto/message.h"
#include "scene/record.h"

/* ---- notes ---- */

/* Changes of notes that wait for the disk. */

extern const struct gz_journal_kind gz_pending_notes;

/* The note that an entry of this kind holds. */
const struct gz_note_record *gz_pending_note(const struct gz_journal_entry *entry);

/* ---- checkpoints ---- */

/* Finds stored checkpoints by name. */

struct gz_core;

/* The seq that a checkpoint stands for; GZ_BAD_VALUE if no checkpoint of this name is stored. */
GZ_MUST_USE enum gz_status gz_core_find_checkpoint(const struct gz_core *core, struct gz_text name,
                                                   uint64_t *seq, struct gz_failure *failure);

#endif
