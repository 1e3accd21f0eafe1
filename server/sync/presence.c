/* Who is present, as others see it: when each user's record is next shown, and the message that
 * takes a viewer's cursor there.
 *
 * A record that changed is not put on the shelf at once. It waits in proportion to its own bytes,
 * not to those of the record before: a user who lets go of a large selection is shown at once. The
 * sum of the bytes is bounded all the same. */
#include <math.h>

#include "sync/internal.h"

/* ---- when ---- */

static void put(struct gz_sync *sync, struct gz_presence_entry *entry, double mono_s)
{
    gz_shelf_put(&sync->presence, &entry->item);
    for (int part = 0; part < GZ_PRESENCE_PART_COUNT; part++) {
        if ((entry->changed_parts >> part & 1) != 0)
            entry->part_versions[part] = entry->item.version;
    }
    if (entry->changed_parts != 0) sync->parts_version = entry->item.version;
    entry->changed_parts = 0;
    entry->put_s = mono_s;
    sync->version++;
}

static void set_changed(struct gz_sync *sync, struct gz_presence_entry *entry, bool changed)
{
    if (changed && !entry->changed) sync->changed_count++;
    if (!changed && entry->changed) sync->changed_count--;
    entry->changed = changed;
}

/* The most bytes that an id takes encoded. */
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
    if (entry->item.version == 0) {
        entry->changed_parts = (1u << GZ_PRESENCE_PART_COUNT) - 1;
        put(sync, entry, mono_s);
        return;
    }
    set_changed(sync, entry, true);
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
    if (entry->item.version == 0) return;
    set_changed(sync, entry, false);
    gz_shelf_remove(&sync->presence, &entry->item, entry->user.session);
    sync->parts_version = sync->presence.version;
    forget_acknowledgements(sync, entry->user.session);
    sync->version++;
}

/* The first of the entries that wait, if any does: those that do not are among them. */
static struct gz_presence_entry *first_entry(const struct gz_sync *sync)
{
    return sync->changed_count > 0 ? (struct gz_presence_entry *)sync->presence.oldest : NULL;
}

static struct gz_presence_entry *next_entry(const struct gz_presence_entry *entry)
{
    return (struct gz_presence_entry *)entry->item.newer;
}

static double record_due(const struct gz_sync *sync)
{
    bool is_news = sync->presence_shown != sync->presence.version;
    return fmax(is_news ? -INFINITY : sync->changed_due_s,
                sync->presence_shown_s + GZ_PRESENCE_MS_MIN / 1000.0);
}

static double compact_due(const struct gz_sync *sync)
{
    return sync->has_compact && sync->compact_shown < sync->parts_shown ? sync->compact_next_s
                                                                        : INFINITY;
}

double gz_sync_presence_due(const struct gz_sync *sync)
{
    return fmin(record_due(sync), compact_due(sync));
}

static size_t count_after(const struct gz_shelf *shelf, uint64_t version)
{
    size_t count = 0;
    const struct gz_shelf_item *item = shelf->newest;
    for (; item != NULL && item->version > version; item = item->older) count++;
    return count;
}

static void show_compact(struct gz_sync *sync, double mono_s)
{
    if (mono_s < compact_due(sync)) return;
    const size_t users = count_after(&sync->presence, sync->compact_shown);
    const double times = fmax(1, (double)users / GZ_PRESENCE_USERS);
    sync->compact_next_s = mono_s + times * GZ_PRESENCE_COMPACT_MS / 1000.0;
    sync->compact_shown = sync->parts_shown;
    sync->version++;
}

static void show_records(struct gz_sync *sync, double mono_s)
{
    if (mono_s < record_due(sync)) return;
    struct gz_presence_entry *entry = first_entry(sync);
    sync->changed_due_s = INFINITY;
    for (struct gz_presence_entry *next; entry != NULL; entry = next) {
        next = next_entry(entry);
        if (!entry->changed) continue;
        if (entry->due_s > mono_s) {
            sync->changed_due_s = fmin(sync->changed_due_s, entry->due_s);
            continue;
        }
        set_changed(sync, entry, false);
        put(sync, entry, mono_s);
    }
    sync->presence_shown = sync->presence.version;
    sync->presence_shown_s = mono_s;
    sync->parts_shown = sync->parts_version;
    sync->version++;
}

void gz_sync_show_presence(struct gz_sync *sync, double mono_s)
{
    show_records(sync, mono_s);
    show_compact(sync, mono_s);
}

bool gz_sync_has_presence(const struct gz_sync *sync, const struct gz_cursor *cursor)
{
    return cursor->presence.version <
           (cursor->form.compact ? sync->compact_shown : sync->presence_shown);
}

/* ---- the message ---- */

/* Large selections are many bytes: a frame takes as many users as fit, and the next frame goes on.
 */
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

enum gz_status gz_sync_append_presence(struct gz_sync *sync, struct gz_cursor *cursor,
                                       struct gz_buffer *out)
{
    if (cursor->form.compact) return gz_sync_append_people(sync, cursor, out);
    struct gz_shelf_reading reading = gz_shelf_read(&sync->presence, &cursor->presence);
    struct gz_message message = {.op = GZ_OP_PRESENCE, .presence.all = reading.anew};
    struct gz_presence *presence = &message.presence;
    uint64_t left[GZ_LEFT_RING];
    if (!collect(sync, &reading, presence)) return GZ_NO_MEMORY;
    presence->left = (struct gz_ids){left, gz_shelf_gone(&reading, left)};
    return gz_sync_append_reading(&message, presence->count + presence->left.count, &reading,
                                  &cursor->presence, out);
}
