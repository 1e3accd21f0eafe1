#include <math.h>

#include "server/maxima.h"
#include "sync/internal.h"
#include "sync/sync.h"

static void unlink_entry(struct gz_sync *sync, struct gz_presence_entry *entry)
{
    if (entry->version == 0) return;
    if (entry->older != NULL) entry->older->newer = entry->newer;
    if (entry->newer != NULL) entry->newer->older = entry->older;
    if (sync->oldest == entry) sync->oldest = entry->newer;
    if (sync->newest == entry) sync->newest = entry->older;
    entry->older = entry->newer = NULL;
    entry->version = 0;
}

static void list(struct gz_sync *sync, struct gz_presence_entry *entry, double mono_s)
{
    unlink_entry(sync, entry);
    entry->version = ++sync->presence;
    entry->told_s = mono_s;
    entry->older = sync->newest;
    if (sync->newest != NULL) sync->newest->newer = entry;
    if (sync->oldest == NULL) sync->oldest = entry;
    sync->newest = entry;
    sync->version++;
}

static void set_changed(struct gz_sync *sync, struct gz_presence_entry *entry, bool changed)
{
    if (changed && !entry->changed) sync->changed_count++;
    if (!changed && entry->changed) sync->changed_count--;
    entry->changed = changed;
}

/* The most that an id takes encoded. */
enum { BYTES_ID = 9 };

static size_t record_bytes(const struct gz_presence_entry *entry)
{
    return GZ_PRESENCE_BYTES_USER +
           BYTES_ID * (entry->user.selection.count + entry->user.locks.count);
}

/* A record waits in proportion to its own bytes, not to those of the one before: who lets go of a
 * large selection is seen to at once. The sum is bounded all the same. */
void gz_sync_present(struct gz_sync *sync, struct gz_presence_entry *entry, double mono_s)
{
    if (entry->version == 0) {
        list(sync, entry, mono_s);
        return;
    }
    set_changed(sync, entry, true);
    entry->due_s = entry->told_s + (double)record_bytes(entry) / GZ_PRESENCE_BYTES_PER_S;
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
    if (entry->version == 0) return;
    set_changed(sync, entry, false);
    unlink_entry(sync, entry);
    forget_acknowledgements(sync, entry->user.session);
    struct departure *place = &sync->left[sync->left_count++ % GZ_LEFT_RING];
    sync->left_lost = place->version;
    *place = (struct departure){entry->user.session, ++sync->presence};
    sync->version++;
}

double gz_sync_presence_due(const struct gz_sync *sync)
{
    double due_s = sync->presence_shown == sync->presence ? INFINITY : -INFINITY;
    const struct gz_presence_entry *entry = sync->changed_count > 0 ? sync->oldest : NULL;
    for (; entry != NULL; entry = entry->newer) {
        if (entry->changed) due_s = fmin(due_s, entry->due_s);
    }
    return fmax(due_s, sync->presence_shown_s + GZ_PRESENCE_MS_MIN / 1000.0);
}

void gz_sync_show_presence(struct gz_sync *sync, double mono_s)
{
    if (mono_s < gz_sync_presence_due(sync)) return;
    struct gz_presence_entry *entry = sync->changed_count > 0 ? sync->oldest : NULL;
    for (struct gz_presence_entry *next; entry != NULL; entry = next) {
        next = entry->newer;
        if (!entry->changed || entry->due_s > mono_s) continue;
        set_changed(sync, entry, false);
        list(sync, entry, mono_s);
    }
    sync->presence_shown = sync->presence;
    sync->presence_shown_s = mono_s;
    sync->version++;
}

/* Who left with a version after `after`, up to `until`. */
static size_t collect_left(const struct gz_sync *sync, uint64_t after, uint64_t until,
                           uint64_t *left)
{
    uint64_t first = sync->left_count > GZ_LEFT_RING ? sync->left_count - GZ_LEFT_RING : 0;
    size_t count = 0;
    for (uint64_t i = sync->left_count; i > first; i--) {
        uint64_t version = sync->left[(i - 1) % GZ_LEFT_RING].version;
        if (version <= after) break;
        if (version <= until) left[count++] = sync->left[(i - 1) % GZ_LEFT_RING].session;
    }
    return count;
}

/* The oldest change that this cursor was not told of. */
static struct gz_presence_entry *first_after(const struct gz_sync *sync, uint64_t presence)
{
    struct gz_presence_entry *first = NULL;
    for (struct gz_presence_entry *entry = sync->newest; entry != NULL && entry->version > presence;
         entry = entry->older)
        first = entry;
    return first;
}

static uint64_t knows_until(const struct gz_cursor *cursor)
{
    return cursor->presence > cursor->met ? cursor->presence : cursor->met;
}

/* Whether it may have been told of somebody whose departure is not remembered. Who is new starts in
 * the same way. */
static bool is_lost(const struct gz_sync *sync, const struct gz_cursor *cursor)
{
    return cursor->presence == 0 || knows_until(cursor) < sync->left_lost;
}

/* Large selections are many bytes: a frame takes as many users as fit, oldest change first, and the
 * next goes on. */
enum gz_status gz_sync_append_presence(struct gz_sync *sync, struct gz_cursor *cursor,
                                       struct gz_buffer *out)
{
    struct gz_message message = {.op = GZ_OP_PRESENCE};
    struct gz_cursor next = *cursor;
    size_t count = 0, bytes = 0;
    if (is_lost(sync, cursor)) {
        message.presence.all = true;
        next.presence = 0;
        next.met = sync->presence;
    }
    uint64_t knew_until = knows_until(&next);
    struct gz_presence_entry *entry = first_after(sync, next.presence);
    for (; entry != NULL && bytes < GZ_DELTA_BYTES_MAX; entry = entry->newer) {
        if (!gz_grow(&sync->users, &sync->user_capacity, count + 1, sizeof *sync->users))
            return GZ_NO_MEMORY;
        sync->users[count++] = entry->user;
        bytes += record_bytes(entry);
        next.presence = entry->version;
    }
    if (entry == NULL) next.presence = sync->presence;
    if (next.presence >= next.met)
        next.met = 0; /* so that viewers who came at different times share their frames */
    message.presence.users = sync->users;
    message.presence.count = count;
    uint64_t left[GZ_LEFT_RING];
    size_t left_count = collect_left(sync, knew_until, next.presence, left);
    message.presence.left = (struct gz_ids){left, left_count};
    enum gz_status status =
        message.presence.all || count + left_count > 0 ? gz_encode(out, &message) : GZ_OK;
    if (status == GZ_OK) *cursor = next;
    return status;
}
