/* notes.c - notes and checkpoints that a viewer was not sent. */
#include <string.h>

#include "feed/state.h"

/* ---- items of a message ---- */

/* The common part of the messages about notes, checkpoints and presence: makes one message of one
 * reading of a versioned list. */

void *gz_feed_items(struct gz_feed *feed, size_t count, size_t item_size)
{
    bool has_room = gz_grow(&feed->items, &feed->item_bytes, count * item_size, 1);
    return has_room ? feed->items : NULL;
}

enum gz_status gz_feed_append_reading(const struct gz_message *message, size_t count,
                                      const struct gz_versions_reading *reading,
                                      struct gz_versions_cursor *cursor, struct gz_buffer *out)
{
    /* A new viewer need not be sent an empty list. */
    bool is_lost = reading->anew && cursor->version > 0;
    enum gz_status status = is_lost || count > 0 ? gz_encode(out, message) : GZ_OK;
    if (status == GZ_OK) *cursor = reading->cursor;
    return status;
}

/* ---- notes ---- */

/* Encodes the notes that changed after a viewer's cursor, whole, oldest change first, and the ids
 * of notes that were deleted since. */

/* The approximate encoded size of a note without its texts. */
enum { BYTES_NOTE = 128 };

struct gz_note_state gz_describe_note(const struct gz_note_record *note)
{
    struct gz_note_state state = {
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
    if (note->node != 0) state.has |= GZ_HAS_NOTE_STATE_NODE;
    if (note->has_point) state.has |= GZ_HAS_NOTE_STATE_POINT;
    if (note->reply != 0) state.has |= GZ_HAS_NOTE_STATE_REPLY;
    return state;
}

struct gz_checkpoint_state gz_describe_checkpoint(const struct gz_checkpoint_record *checkpoint)
{
    return (struct gz_checkpoint_state){
        .name = {checkpoint->name, strlen(checkpoint->name)},
        .user = {checkpoint->user, strlen(checkpoint->user)},
        .seq = checkpoint->seq,
        .made = checkpoint->made,
        .gone = checkpoint->gone,
    };
}

/* Collects as many notes as fit into the frame. False without memory. */
static bool collect(struct gz_feed *feed, struct gz_versions_reading *reading,
                    struct gz_notes *message)
{
    const struct gz_versions_item *item;
    size_t bytes = 0;
    while (bytes < GZ_DELTA_BYTES_MAX && (item = gz_versions_next(reading)) != NULL) {
        struct gz_note_state *notes = gz_feed_items(feed, message->count + 1, sizeof *notes);
        if (notes == NULL) return false;
        const struct gz_notebook_entry *note = (const struct gz_notebook_entry *)item;
        const struct gz_note_state *state = &notes[message->count];
        notes[message->count++] = gz_describe_note(&note->is);
        bytes += BYTES_NOTE + state->user.size + state->text.size;
        message->notes = notes;
    }
    message->more = reading->next != NULL;
    return true;
}

enum gz_status gz_feed_append_notes(struct gz_feed *feed, struct gz_cursor *cursor,
                                    struct gz_buffer *out)
{
    struct gz_versions_reading reading = gz_feed_read(feed, cursor, LIST_NOTES);
    struct gz_message message = {.op = GZ_OP_NOTES, .notes.all = reading.anew};
    struct gz_notes *notes = &message.notes;
    uint64_t gone[GZ_NOTES_GONE_RING];
    if (!collect(feed, &reading, notes)) return GZ_NO_MEMORY;
    notes->gone = (struct gz_ids){gone, gz_versions_gone(&reading, gone)};
    return gz_feed_append_reading(&message, notes->count + notes->gone.count, &reading,
                                  &cursor->lists[LIST_NOTES], out);
}

/* ---- checkpoints ---- */

/* Encodes the checkpoints that are new after a viewer's cursor: removed names first, then given
 * names. One message takes all of them (server/maxima.h). */

/* A file may hold more checkpoints than fit into a frame. The rest is left out here; the answer to
 * the request `checkpoints` has all. */
enum { MOST = GZ_CHECKPOINTS_MAX + GZ_CHECKPOINTS_GONE_RING };

static bool add(struct gz_feed *feed, struct gz_checkpoints *message,
                const struct gz_checkpoint_entry *entry)
{
    struct gz_checkpoint_state *states = gz_feed_items(feed, message->count + 1, sizeof *states);
    if (states == NULL) return false;
    states[message->count++] = gz_describe_checkpoint(&entry->is);
    message->checkpoints = states;
    return true;
}

static bool add_removals(struct gz_feed *feed, struct gz_versions_reading *reading,
                         struct gz_checkpoints *message)
{
    uint64_t gone[GZ_CHECKPOINTS_GONE_RING];
    size_t count = gz_versions_gone(reading, gone);
    for (size_t i = 0; i < count; i++) {
        const struct gz_checkpoint_entry *removal =
            gz_checkpoint_list_removal(feed->checkpoints, gone[i]);
        if (removal != NULL && !add(feed, message, removal)) return false;
    }
    return true;
}

/* The names that were given after `version`, ascending by seq. */
static bool add_given(struct gz_feed *feed, uint64_t version, struct gz_checkpoints *message)
{
    const struct gz_checkpoint_list *list = feed->checkpoints;
    for (size_t i = 0; i < gz_checkpoint_list_count(list) && message->count < MOST; i++) {
        const struct gz_checkpoint_entry *entry = gz_checkpoint_list_at(list, i);
        if (entry->item.version > version && !add(feed, message, entry)) return false;
    }
    return true;
}

enum gz_status gz_feed_append_checkpoints(struct gz_feed *feed, struct gz_cursor *cursor,
                                          struct gz_buffer *out)
{
    struct gz_versions_reading reading = gz_feed_read(feed, cursor, LIST_CHECKPOINTS);
    struct gz_message message = {.op = GZ_OP_CHECKPOINT_NEWS, .checkpoint_news.all = reading.anew};
    struct gz_checkpoints *news = &message.checkpoint_news;
    uint64_t version = reading.cursor.version;
    reading.next = NULL; /* the list is read below in the order of seq */
    if (!add_removals(feed, &reading, news) || !add_given(feed, version, news)) return GZ_NO_MEMORY;
    return gz_feed_append_reading(&message, news->count, &reading, &cursor->lists[LIST_CHECKPOINTS],
                                  out);
}
