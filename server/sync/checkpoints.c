/* The names of states on their way to viewers: those that were given after the cursor, and those
 * that were taken away. All there are fit into one message (limits.h). */
#include <string.h>

#include "server/maxima.h"
#include "sync/internal.h"
#include "sync/sync.h"

bool gz_sync_has_checkpoints(const struct gz_sync *sync, const struct gz_cursor *cursor)
{
    if (cursor->checkpoints == gz_checkpoint_list_version(sync->checkpoints)) return false;
    /* somebody new is not told that there are none */
    return cursor->checkpoints > 0 || gz_checkpoint_list_count(sync->checkpoints) > 0;
}

enum { MOST = GZ_CHECKPOINTS_MAX + GZ_CHECKPOINTS_GONE_RING };

static bool add(struct gz_sync *sync, struct gz_checkpoints *message,
                const struct gz_checkpoint_entry *entry)
{
    const struct gz_checkpoint_record *is = &entry->is;
    if (!gz_grow(&sync->checkpoint_states, &sync->checkpoint_state_capacity, message->count + 1,
                 sizeof *sync->checkpoint_states))
        return false;
    sync->checkpoint_states[message->count++] = (struct gz_checkpoint_state){
        .name = {is->name, strlen(is->name)},
        .user = {is->user, strlen(is->user)},
        .seq = is->seq,
        .made = is->made,
        .gone = is->gone,
    };
    return true;
}

static bool collect(struct gz_sync *sync, uint64_t after, struct gz_checkpoints *message)
{
    const struct gz_checkpoint_list *list = sync->checkpoints;
    const struct gz_checkpoint_entry *gone[GZ_CHECKPOINTS_GONE_RING];
    size_t gone_count = message->all ? 0 : gz_checkpoint_list_gone(list, after, gone);
    for (size_t i = 0; i < gone_count; i++) {
        if (!add(sync, message, gone[i])) return false;
    }
    /* A file may have more of them than a frame holds; `checkpoints`, asked for, has all. */
    for (size_t i = 0; i < gz_checkpoint_list_count(list) && message->count < MOST; i++) {
        const struct gz_checkpoint_entry *entry = gz_checkpoint_list_at(list, i);
        if (entry->version > after && !add(sync, message, entry)) return false;
    }
    message->checkpoints = sync->checkpoint_states;
    return true;
}

enum gz_status gz_sync_append_checkpoints(struct gz_sync *sync, struct gz_cursor *cursor,
                                          struct gz_buffer *out)
{
    uint64_t version = gz_checkpoint_list_version(sync->checkpoints);
    if (cursor->checkpoints == version) return GZ_OK;
    bool lost = cursor->checkpoints > 0 &&
                cursor->checkpoints < gz_checkpoint_list_forgotten(sync->checkpoints);
    uint64_t after = lost ? 0 : cursor->checkpoints;
    struct gz_message message = {.op = GZ_OP_CHECKPOINT_NEWS, .checkpoint_news.all = after == 0};
    if (!collect(sync, after, &message.checkpoint_news)) return GZ_NO_MEMORY;
    enum gz_status status = GZ_OK;
    if (lost || message.checkpoint_news.count > 0) status = gz_encode(out, &message);
    if (status == GZ_OK) cursor->checkpoints = version;
    return status;
}
