/* Encodes the notes that changed after a viewer's cursor, whole, oldest change first, and the ids
 * of notes that were deleted since. */
#include <string.h>

#include "sync/internal.h"

/* The approximate encoded size of a note without its texts. */
enum { BYTES_NOTE = 128 };

static size_t fill_note(struct gz_note_state *state, const struct gz_note_record *note)
{
    *state = (struct gz_note_state){
        .id = note->id,
        .user = {note->user, strlen(note->user)},
        .text = {note->text, strlen(note->text)},
        .node = note->node,
        .point = note->point,
        .reply = note->reply,
        .done = note->done,
        .made = note->made,
        .changed = note->changed,
    };
    if (note->node != 0) state->has |= GZ_HAS_NOTE_STATE_NODE;
    if (note->has_point) state->has |= GZ_HAS_NOTE_STATE_POINT;
    if (note->reply != 0) state->has |= GZ_HAS_NOTE_STATE_REPLY;
    return BYTES_NOTE + state->user.size + state->text.size;
}

/* Collects as many notes as fit into the frame. False without memory. */
static bool collect(struct gz_sync *sync, struct gz_shelf_reading *reading,
                    struct gz_notes *message)
{
    const struct gz_shelf_item *item;
    size_t bytes = 0;
    while (bytes < GZ_DELTA_BYTES_MAX && (item = gz_shelf_next(reading)) != NULL) {
        struct gz_note_state *notes = gz_sync_items(sync, message->count + 1, sizeof *notes);
        if (notes == NULL) return false;
        const struct gz_notebook_entry *note = (const struct gz_notebook_entry *)item;
        bytes += fill_note(&notes[message->count++], &note->is);
        message->notes = notes;
    }
    message->more = reading->next != NULL;
    return true;
}

enum gz_status gz_sync_append_notes(struct gz_sync *sync, struct gz_cursor *cursor,
                                    struct gz_buffer *out)
{
    struct gz_shelf_reading reading = gz_shelf_read(gz_notebook_shelf(sync->notes), &cursor->notes);
    struct gz_message message = {.op = GZ_OP_NOTES, .notes.all = reading.anew};
    struct gz_notes *notes = &message.notes;
    uint64_t gone[GZ_NOTES_GONE_RING];
    if (!collect(sync, &reading, notes)) return GZ_NO_MEMORY;
    notes->gone = (struct gz_ids){gone, gz_shelf_gone(&reading, gone)};
    return gz_sync_append_reading(&message, notes->count + notes->gone.count, &reading,
                                  &cursor->notes, out);
}
