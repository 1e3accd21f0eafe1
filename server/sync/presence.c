/* Presence: decides when each user's record is shown next, and encodes the records after a viewer's
 * cursor.
 *
 * A changed record is not put on the shelf at once. It waits in proportion to its own size, not to
 * that of the record before it, so that dropping a large selection is shown at once. The sum of the
 * bytes is bounded all the same. */
#include <math.h>

#include "sync/internal.h"

/* ---- the board ---- */

static void put(struct gz_sync *sync, struct gz_presence_entry *entry, uint32_t parts)
{
    struct board *board = &sync->board;
    gz_shelf_put(&board->shelf, &entry->item);
    for (int part = 0; part < GZ_PRESENCE_PART_COUNT; part++) {
        if ((parts >> part & 1) != 0) entry->part_versions[part] = entry->item.version;
    }
    if (parts != 0) board->parts_version = entry->item.version;
    entry->changed_parts = 0;
    sync->version++;
}

bool gz_sync_acts(const struct gz_presence_entry *entry)
{
    return entry->item.version != 0;
}

void gz_sync_act(struct gz_sync *sync, struct gz_presence_entry *entry)
{
    if (!entry->is_present || gz_sync_acts(entry)) return;
    put(sync, entry, GZ_PRESENCE_ALL);
    gz_crowd_begin(&sync->crowd, entry);
}

/* ---- waiting changes ---- */

static void set_changed(struct gz_sync *sync, struct gz_presence_entry *entry)
{
    if (entry->changed_link != NULL) return;
    entry->next_changed = sync->changed;
    entry->changed_link = &sync->changed;
    if (sync->changed != NULL) sync->changed->changed_link = &entry->next_changed;
    sync->changed = entry;
}

static void forget_changed(struct gz_presence_entry *entry)
{
    struct gz_presence_entry *next = entry->next_changed;
    if (entry->changed_link == NULL) return;
    *entry->changed_link = next;
    if (next != NULL) next->changed_link = entry->changed_link;
    entry->next_changed = NULL;
    entry->changed_link = NULL;
}

/* The largest encoded size of an id. */
enum { BYTES_ID = 9 };

size_t gz_presence_bytes(const struct gz_presence_entry *entry)
{
    return GZ_PRESENCE_BYTES_USER +
           BYTES_ID * (entry->user.selection.count + entry->user.locks.count);
}

void gz_sync_present(struct gz_sync *sync, struct gz_presence_entry *entry, uint32_t parts,
                     double mono_s)
{
    if (!entry->is_present) {
        entry->is_present = true;
        entry->put_s = mono_s;
        gz_crowd_come(&sync->crowd);
        sync->version++; /* a newcomer is counted in what it is sent */
        if (sync->board.shelf.count < sync->crowd.few) gz_sync_act(sync, entry);
        return;
    }
    if (!gz_sync_acts(entry)) return;
    entry->changed_parts |= parts;
    /* No frame with the earlier selection may follow the answer to the session. */
    if ((parts >> GZ_PRESENCE_SELECTION & 1) != 0) sync->version++;
    set_changed(sync, entry);
    entry->due_s = entry->put_s + (double)gz_presence_bytes(entry) / GZ_PRESENCE_BYTES_PER_S;
    sync->changed_due_s = fmin(sync->changed_due_s, entry->due_s);
}

static void forget_acknowledgements(struct gz_sync *sync, uint64_t session)
{
    for (size_t i = 0; i < sync->ack_count; i++) {
        if (sync->acks[i].session != session) continue;
        sync->acks[i] = sync->acks[--sync->ack_count];
        return;
    }
}

void gz_sync_absent(struct gz_sync *sync, struct gz_presence_entry *entry)
{
    struct board *board = &sync->board;
    if (!entry->is_present) return;
    entry->is_present = false;
    forget_changed(entry);
    if (gz_sync_acts(entry)) {
        gz_shelf_remove(&board->shelf, &entry->item, entry->user.session);
        board->parts_version = board->shelf.version;
    }
    gz_crowd_leave(&sync->crowd, entry);
    forget_acknowledgements(sync, entry->user.session);
    sync->version++;
}

static double record_due(const struct gz_sync *sync)
{
    const bool is_news = sync->board.shown != sync->board.shelf.version;
    return fmax(is_news ? -INFINITY : sync->changed_due_s,
                sync->presence_shown_s + GZ_PRESENCE_MS_MIN / 1000.0);
}

static double packed_due(const struct gz_sync *sync)
{
    const struct board *board = &sync->board;
    return sync->has_packed && board->packed_shown < board->parts_shown ? board->packed_next_s
                                                                        : INFINITY;
}

double gz_sync_presence_due(const struct gz_sync *sync)
{
    return fmin(fmin(record_due(sync), packed_due(sync)), gz_sync_crowd_due(sync));
}

static size_t count_after(const struct gz_shelf *shelf, uint64_t version)
{
    size_t count = 0;
    const struct gz_shelf_item *item = shelf->newest;
    for (; item != NULL && item->version > version; item = item->older) count++;
    return count;
}

static void show_packed(struct gz_sync *sync, double mono_s)
{
    struct board *board = &sync->board;
    if (mono_s < packed_due(sync)) return;
    const size_t users = count_after(&board->shelf, board->packed_shown);
    const double times = fmax(1, (double)users / GZ_PRESENCE_USERS);
    board->packed_next_s = mono_s + times * GZ_PRESENCE_PACKED_MS / 1000.0;
    board->packed_shown = board->parts_shown;
    sync->version++;
}

static void put_changed(struct gz_sync *sync, double mono_s)
{
    struct gz_presence_entry *next;
    sync->changed_due_s = INFINITY;
    for (struct gz_presence_entry *entry = sync->changed; entry != NULL; entry = next) {
        next = entry->next_changed;
        if (entry->due_s > mono_s) {
            sync->changed_due_s = fmin(sync->changed_due_s, entry->due_s);
            continue;
        }
        forget_changed(entry);
        put(sync, entry, entry->changed_parts);
        entry->put_s = mono_s;
    }
}

static void show_records(struct gz_sync *sync, double mono_s)
{
    if (mono_s < record_due(sync)) return;
    put_changed(sync, mono_s);
    sync->board.shown = sync->board.shelf.version;
    sync->board.parts_shown = sync->board.parts_version;
    sync->presence_shown_s = mono_s;
    sync->version++;
}

void gz_sync_show_presence(struct gz_sync *sync, double mono_s)
{
    show_records(sync, mono_s);
    show_packed(sync, mono_s);
    gz_sync_show_crowd(sync, mono_s);
}

/* The version up to which the viewer may read. A viewer that reads in pieces may read to the end,
 * because a record may have moved there without a change that is shown. */
static uint64_t readable(const struct board *board, const struct gz_cursor *cursor)
{
    if (cursor->form == GZ_FORM_PLAIN) return board->shown;
    const bool is_amid = cursor->presence_base != cursor->presence.version;
    return is_amid ? board->shelf.version : board->packed_shown;
}

bool gz_sync_has_presence(const struct gz_sync *sync, const struct gz_cursor *cursor)
{
    return cursor->presence.version < readable(&sync->board, cursor);
}

/* ---- the message ---- */

/* Collects as many users as fit into the frame, because large selections take many bytes; the next
 * frame continues. */
static bool collect(struct gz_sync *sync, struct gz_shelf_reading *reading,
                    struct gz_presence *message)
{
    const struct gz_shelf_item *item;
    size_t bytes = 0;
    while (bytes < GZ_DELTA_BYTES_MAX && (item = gz_shelf_next(reading)) != NULL) {
        struct gz_presence_user *users = gz_sync_items(sync, message->count + 1, sizeof *users);
        if (users == NULL) return false;
        const struct gz_presence_entry *entry = (const struct gz_presence_entry *)item;
        users[message->count++] = entry->user;
        message->users = users;
        bytes += gz_presence_bytes(entry);
    }
    return true;
}

static enum gz_status append_records(struct gz_sync *sync, struct gz_cursor *cursor,
                                     struct gz_buffer *out)
{
    struct gz_shelf_reading reading = gz_shelf_read(&sync->board.shelf, &cursor->presence);
    struct gz_message message = {.op = GZ_OP_PRESENCE, .presence.all = reading.anew};
    struct gz_presence *presence = &message.presence;
    uint64_t left[GZ_LEFT_RING];
    if (!collect(sync, &reading, presence)) return GZ_NO_MEMORY;
    presence->left = (struct gz_ids){left, gz_shelf_gone(&reading, left)};
    return gz_sync_append_reading(&message, presence->count + presence->left.count, &reading,
                                  &cursor->presence, out);
}

static bool is_at_end(const struct gz_sync *sync, const struct gz_cursor *cursor)
{
    return cursor->presence.version == sync->board.shelf.version;
}

/* A viewer that has read the board to its end has all users who began to act, and is then
 * sent the number of people. */
enum gz_status gz_sync_append_presence(struct gz_sync *sync, struct gz_cursor *cursor,
                                       struct gz_buffer *out)
{
    enum gz_status status = GZ_OK;
    if (gz_sync_has_presence(sync, cursor)) {
        status = cursor->form == GZ_FORM_PACKED ? gz_sync_append_people(sync, cursor, out)
                                                : append_records(sync, cursor, out);
        if (status != GZ_OK) return status;
        if (is_at_end(sync, cursor)) cursor->begun = sync->crowd.begun;
    }
    return gz_sync_has_crowd(sync, cursor) ? gz_sync_append_count(sync, cursor, out) : GZ_OK;
}

struct gz_message gz_sync_self(const struct gz_presence_entry *entry, enum gz_form form)
{
    if (form == GZ_FORM_PACKED) return gz_sync_person(entry, GZ_PRESENCE_ALL);
    return (struct gz_message){.op = GZ_OP_PRESENCE,
                               .presence = {.users = &entry->user, .count = 1}};
}
