/* Encodes the checkpoints that are new after a viewer's cursor: removed names first, then given
 * names. One message takes all of them (server/maxima.h). */
#include <string.h>

#include "sync/internal.h"

/* A file may hold more checkpoints than fit into a frame. The rest is left out here; the answer to
 * the request `checkpoints` has all. */
enum { MOST = GZ_CHECKPOINTS_MAX + GZ_CHECKPOINTS_GONE_RING };

static bool add(struct gz_sync *sync, struct gz_checkpoints *message,
                const struct gz_checkpoint_entry *entry)
{
    const struct gz_checkpoint_record *is = &entry->is;
    struct gz_checkpoint_state *states = gz_sync_items(sync, message->count + 1, sizeof *states);
    if (states == NULL) return false;
    states[message->count++] = (struct gz_checkpoint_state){
        .name = {is->name, strlen(is->name)},
        .user = {is->user, strlen(is->user)},
        .seq = is->seq,
        .made = is->made,
        .gone = is->gone,
    };
    message->checkpoints = states;
    return true;
}

static bool add_removals(struct gz_sync *sync, struct gz_shelf_reading *reading,
                         struct gz_checkpoints *message)
{
    uint64_t gone[GZ_CHECKPOINTS_GONE_RING];
    size_t count = gz_shelf_gone(reading, gone);
    for (size_t i = 0; i < count; i++) {
        const struct gz_checkpoint_entry *removal =
            gz_checkpoint_list_removal(sync->checkpoints, gone[i]);
        if (removal != NULL && !add(sync, message, removal)) return false;
    }
    return true;
}

/* The names that were given after `version`, ascending by seq. */
static bool add_given(struct gz_sync *sync, uint64_t version, struct gz_checkpoints *message)
{
    const struct gz_checkpoint_list *list = sync->checkpoints;
    for (size_t i = 0; i < gz_checkpoint_list_count(list) && message->count < MOST; i++) {
        const struct gz_checkpoint_entry *entry = gz_checkpoint_list_at(list, i);
        if (entry->item.version > version && !add(sync, message, entry)) return false;
    }
    return true;
}

enum gz_status gz_sync_append_checkpoints(struct gz_sync *sync, struct gz_cursor *cursor,
                                          struct gz_buffer *out)
{
    struct gz_shelf_reading reading =
        gz_shelf_read(gz_checkpoint_list_shelf(sync->checkpoints), &cursor->checkpoints);
    struct gz_message message = {.op = GZ_OP_CHECKPOINT_NEWS, .checkpoint_news.all = reading.anew};
    struct gz_checkpoints *news = &message.checkpoint_news;
    uint64_t version = reading.cursor.version;
    reading.next = NULL; /* the list is read below in the order of seq */
    if (!add_removals(sync, &reading, news) || !add_given(sync, version, news)) return GZ_NO_MEMORY;
    return gz_sync_append_reading(&message, news->count, &reading, &cursor->checkpoints, out);
}
