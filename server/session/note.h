/* note.h - changes of notes that wait for the disk. */
#ifndef GZ_SESSION_NOTE_H
#define GZ_SESSION_NOTE_H

#include "journal/journal.h"

extern const struct gz_journal_kind gz_pending_notes;

/* The note that an entry of this kind holds. */
const struct gz_note_record *gz_pending_note(const struct gz_journal_entry *entry);

#endif
