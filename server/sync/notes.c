/* What a cursor is to be told of the notes. They are few and small beside the scene: the notes that
 * changed after the cursor, whole, oldest change first, and the ids of those that went. */
#include <string.h>

#include "server/maxima.h"
#include "sync/internal.h"
#include "sync/sync.h"

bool gz_sync_has_notes(const struct gz_sync *sync, const struct gz_cursor *cursor)
{
    if (cursor->notes == gz_notebook_version(sync->notes)) return false;
    return cursor->notes > 0 ||
           gz_notebook_count(sync->notes) > 0; /* somebody new is not told that there are none */
}

/* About what a note takes encoded, apart from its texts. */
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
    if (note->node != 0) state->has |= GZ_HAS(NODE);
    if (note->has_point) state->has |= GZ_HAS(POINT);
    if (note->reply != 0) state->has |= GZ_HAS(REPLY);
    return BYTES_NOTE + state->user.size + state->text.size;
}

/* As many as fit, and how far that leads. */
static bool collect(struct gz_sync *sync, uint64_t after, struct gz_notes *message, uint64_t *told)
{
    size_t bytes = 0;
    const struct gz_notebook_entry *note = gz_notebook_after(sync->notes, after);
    for (; note != NULL && bytes < GZ_DELTA_BYTES_MAX; note = note->newer) {
        if (!gz_grow(&sync->note_states, &sync->note_state_capacity, message->count + 1,
                     sizeof *sync->note_states))
            return false;
        bytes += fill_note(&sync->note_states[message->count++], &note->is);
        *told = note->version;
    }
    message->notes = sync->note_states;
    message->more = note != NULL;
    if (!message->more) *told = gz_notebook_version(sync->notes);
    return true;
}

/* Who is being told of all of them stands at an old change, but knows of no note that was deleted
 * before that began. */
static bool is_lost(const struct gz_sync *sync, const struct gz_cursor *cursor)
{
    uint64_t knows_from = cursor->notes > cursor->notes_since ? cursor->notes : cursor->notes_since;
    return cursor->notes > 0 && knows_from < gz_notebook_forgotten(sync->notes);
}

enum gz_status gz_sync_append_notes(struct gz_sync *sync, struct gz_cursor *cursor,
                                    struct gz_buffer *out)
{
    if (cursor->notes == gz_notebook_version(sync->notes)) return GZ_OK;
    struct gz_message message = {.op = GZ_OP_NOTES};
    struct gz_notes *notes = &message.notes;
    bool lost = is_lost(sync, cursor);
    uint64_t after = lost ? 0 : cursor->notes, told = 0, gone[GZ_NOTES_GONE_RING];
    if (!collect(sync, after, notes, &told)) return GZ_NO_MEMORY;
    notes->all = after == 0;
    if (!notes->all)
        notes->gone = (struct gz_ids){gone, gz_notebook_gone(sync->notes, after, told, gone)};
    enum gz_status status = GZ_OK;
    if (lost || notes->count + notes->gone.count > 0) status = gz_encode(out, &message);
    if (status != GZ_OK) return status;
    if (notes->all) cursor->notes_since = gz_notebook_version(sync->notes);
    cursor->notes = told;
    return status;
}
