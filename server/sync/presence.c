/* Presence: decides when each user's record is shown next, and encodes the records after a viewer's
 * cursor.
 *
 * A changed record is not put on the shelf at once. It waits in proportion to its own size, not to
 * that of the record before it, so that dropping a large selection is shown at once. The sum of the
 * bytes is bounded all the same. */
#include <math.h>

#include "sync/internal.h"

#define ALL_PARTS ((1u << GZ_PRESENCE_PART_COUNT) - 1)

/* ---- the boards ---- */

static void put_on(struct board *board, struct gz_presence_place *place, uint32_t parts)
{
    gz_shelf_put(&board->shelf, &place->item);
    for (int part = 0; part < GZ_PRESENCE_PART_COUNT; part++) {
        if ((parts >> part & 1) != 0) place->part_versions[part] = place->item.version;
    }
    if (parts != 0) board->parts_version = place->item.version;
}

static bool is_present(const struct gz_presence_entry *entry)
{
    return entry->places[GZ_BOARD_ALL].item.version != 0;
}

bool gz_sync_acts(const struct gz_presence_entry *entry)
{
    return entry->places[GZ_BOARD_CROWD].item.version != 0;
}

static void put(struct gz_sync *sync, struct gz_presence_entry *entry, double mono_s)
{
    for (int i = 0; i < GZ_BOARD_COUNT; i++) {
        if (i != GZ_BOARD_CROWD || gz_sync_acts(entry))
            put_on(&sync->boards[i], &entry->places[i], entry->changed_parts);
    }
    entry->changed_parts = 0;
    entry->put_s = mono_s;
    sync->version++;
}

void gz_sync_act(struct gz_sync *sync, struct gz_presence_entry *entry)
{
    if (!is_present(entry) || gz_sync_acts(entry)) return;
    put_on(&sync->boards[GZ_BOARD_CROWD], &entry->places[GZ_BOARD_CROWD], ALL_PARTS);
    gz_crowd_begin(&sync->crowd, entry);
    sync->version++;
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
    entry->changed_parts |= parts;
    /* No frame with the earlier selection may follow the answer to the session. */
    if ((parts >> GZ_PRESENCE_SELECTION & 1) != 0) sync->version++;
    if (!is_present(entry)) {
        for (int i = 0; i < GZ_BOARD_COUNT; i++) entry->places[i].entry = entry;
        entry->changed_parts = ALL_PARTS;
        put(sync, entry, mono_s);
        sync->crowd.changed = true;
        if (sync->boards[GZ_BOARD_CROWD].shelf.count < sync->crowd.few) gz_sync_act(sync, entry);
        return;
    }
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
    if (!is_present(entry)) return;
    forget_changed(entry);
    for (int i = 0; i < GZ_BOARD_COUNT; i++) {
        struct board *board = &sync->boards[i];
        if (entry->places[i].item.version == 0) continue;
        gz_shelf_remove(&board->shelf, &entry->places[i].item, entry->user.session);
        board->parts_version = board->shelf.version;
    }
    gz_crowd_forget(&sync->crowd, entry);
    sync->crowd.changed = true;
    forget_acknowledgements(sync, entry->user.session);
    sync->version++;
}

static struct gz_presence_entry *entry_of(const struct gz_shelf_item *item)
{
    return item != NULL ? ((const struct gz_presence_place *)item)->entry : NULL;
}

/* Whether the board has news for a viewer; a board that no viewer reads has none. */
static bool is_news(const struct board *board)
{
    return board->is_read && board->shown != board->shelf.version;
}

static double record_due(const struct gz_sync *sync)
{
    bool is_any = false;
    for (int i = 0; i < GZ_BOARD_COUNT; i++) is_any |= is_news(&sync->boards[i]);
    return fmax(is_any ? -INFINITY : sync->changed_due_s,
                sync->presence_shown_s + GZ_PRESENCE_MS_MIN / 1000.0);
}

static double compact_due(const struct board *board)
{
    return board->is_read_compact && board->compact_shown < board->parts_shown
               ? board->compact_next_s
               : INFINITY;
}

double gz_sync_presence_due(const struct gz_sync *sync)
{
    double due_s = fmin(record_due(sync), gz_sync_crowd_due(sync));
    for (int i = 0; i < GZ_BOARD_COUNT; i++) due_s = fmin(due_s, compact_due(&sync->boards[i]));
    return due_s;
}

static size_t count_after(const struct gz_shelf *shelf, uint64_t version)
{
    size_t count = 0;
    const struct gz_shelf_item *item = shelf->newest;
    for (; item != NULL && item->version > version; item = item->older) count++;
    return count;
}

static void show_compact(struct gz_sync *sync, struct board *board, double mono_s)
{
    if (mono_s < compact_due(board)) return;
    const size_t users = count_after(&board->shelf, board->compact_shown);
    const double times = fmax(1, (double)users / GZ_PRESENCE_USERS);
    board->compact_next_s = mono_s + times * GZ_PRESENCE_COMPACT_MS / 1000.0;
    board->compact_shown = board->parts_shown;
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
        put(sync, entry, mono_s);
    }
}

static void show_records(struct gz_sync *sync, double mono_s)
{
    if (mono_s < record_due(sync)) return;
    put_changed(sync, mono_s);
    for (int i = 0; i < GZ_BOARD_COUNT; i++) {
        struct board *board = &sync->boards[i];
        board->shown = board->shelf.version;
        board->parts_shown = board->parts_version;
    }
    sync->presence_shown_s = mono_s;
    sync->version++;
}

void gz_sync_show_presence(struct gz_sync *sync, double mono_s)
{
    show_records(sync, mono_s);
    for (int i = 0; i < GZ_BOARD_COUNT; i++) show_compact(sync, &sync->boards[i], mono_s);
    gz_sync_show_crowd(sync, mono_s);
}

/* The version up to which the viewer may read. A viewer that reads in pieces may read to the end,
 * because a record may have moved there without a change that is shown. */
static uint64_t readable(const struct board *board, const struct gz_cursor *cursor)
{
    if (!cursor->form.compact) return board->shown;
    const bool is_amid = cursor->presence_base != cursor->presence.version;
    return is_amid ? board->shelf.version : board->compact_shown;
}

bool gz_sync_has_presence(const struct gz_sync *sync, const struct gz_cursor *cursor)
{
    return cursor->presence.version < readable(&sync->boards[gz_board_of(cursor)], cursor);
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
        const struct gz_presence_entry *entry = entry_of(item);
        users[message->count++] = entry->user;
        message->users = users;
        bytes += gz_presence_bytes(entry);
    }
    return true;
}

static enum gz_status append_records(struct gz_sync *sync, struct gz_cursor *cursor,
                                     struct gz_buffer *out)
{
    const struct gz_shelf *shelf = &sync->boards[gz_board_of(cursor)].shelf;
    struct gz_shelf_reading reading = gz_shelf_read(shelf, &cursor->presence);
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
    return cursor->presence.version == sync->boards[gz_board_of(cursor)].shelf.version;
}

/* A viewer that has read a crowd's board to its end has all users who began to act, and is then
 * sent the number of people. */
enum gz_status gz_sync_append_presence(struct gz_sync *sync, struct gz_cursor *cursor,
                                       struct gz_buffer *out)
{
    enum gz_status status = GZ_OK;
    if (gz_sync_has_presence(sync, cursor)) {
        status = cursor->form.compact ? gz_sync_append_people(sync, cursor, out)
                                      : append_records(sync, cursor, out);
        if (status != GZ_OK) return status;
        if (is_at_end(sync, cursor)) cursor->begun = sync->crowd.begun;
    }
    return gz_sync_has_crowd(sync, cursor) ? gz_sync_append_count(sync, cursor, out) : GZ_OK;
}

struct gz_message gz_sync_self(const struct gz_presence_entry *entry, const struct gz_form *form)
{
    if (form->compact) return gz_sync_person(entry, true);
    return (struct gz_message){.op = GZ_OP_PRESENCE,
                               .presence = {.users = &entry->user, .count = 1}};
}
