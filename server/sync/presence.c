#include <math.h>

#include "server/limits.h"
#include "sync/sync.h"
#include "sync/sync_internal.h"

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

void gz_sync_present(struct gz_sync *sync, struct gz_presence_entry *entry)
{
    unlink_entry(sync, entry);
    entry->version = ++sync->presence;
    entry->older = sync->newest;
    if (sync->newest != NULL) sync->newest->newer = entry;
    if (sync->oldest == NULL) sync->oldest = entry;
    sync->newest = entry;
    sync->version++;
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
    unlink_entry(sync, entry);
    forget_acknowledgements(sync, entry->user.session);
    sync->left[sync->left_count % GZ_LEFT_RING].session = entry->user.session;
    sync->left[sync->left_count % GZ_LEFT_RING].version = ++sync->presence;
    sync->left_count++;
    sync->version++;
}

double gz_sync_presence_due(const struct gz_sync *sync)
{
    return sync->presence_shown == sync->presence ? INFINITY : sync->presence_shown_s + GZ_PRESENCE_MS_MIN / 1000.0;
}

void gz_sync_show_presence(struct gz_sync *sync, double mono_s)
{
    if (sync->presence_shown == sync->presence || mono_s < gz_sync_presence_due(sync)) return;
    sync->presence_shown = sync->presence;
    sync->presence_shown_s = mono_s;
    sync->version++;
}

/* Who left with a version after `after`, up to `until`. */
static size_t collect_left(const struct gz_sync *sync, uint64_t after, uint64_t until, uint64_t *left)
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

/* About what a user takes encoded, its ids included. */
enum { BYTES_USER = 400, BYTES_ID = 9 };

/* Large selections are many bytes: a frame takes as many users as fit, oldest change first, and the next goes on. */
enum gz_status gz_sync_append_presence(struct gz_sync *sync, struct gz_cursor *cursor, struct gz_buffer *out)
{
    struct gz_message message = {.op = GZ_OP_PRESENCE};
    size_t count = 0, bytes = 0;
    uint64_t told = cursor->presence;
    struct gz_presence_entry *entry = first_after(sync, cursor->presence);
    for (; entry != NULL && bytes < GZ_DELTA_BYTES_MAX; entry = entry->newer) {
        if (!gz_grow(&sync->users, &sync->user_capacity, count + 1, sizeof *sync->users)) return GZ_NO_MEMORY;
        sync->users[count++] = entry->user;
        bytes += BYTES_USER + BYTES_ID * (entry->user.selection.count + entry->user.locks.count);
        told = entry->version;
    }
    if (entry == NULL) told = sync->presence;
    message.presence.users = sync->users;
    message.presence.count = count;
    /* Somebody new has seen nobody, and so nobody leave. */
    uint64_t left[GZ_LEFT_RING];
    size_t left_count = cursor->presence == 0 ? 0 : collect_left(sync, cursor->presence, told, left);
    message.presence.left = (struct gz_ids){left, left_count};
    enum gz_status status = count + left_count > 0 ? gz_encode(out, &message) : GZ_OK;
    if (status == GZ_OK) cursor->presence = told;
    return status;
}
