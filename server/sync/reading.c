/* The common part of the messages about notes, checkpoints and presence: makes one message of one
 * reading of a shelf. */
#include "sync/internal.h"

void *gz_sync_items(struct gz_sync *sync, size_t count, size_t item_size)
{
    bool has_room = gz_grow(&sync->items, &sync->item_bytes, count * item_size, 1);
    return has_room ? sync->items : NULL;
}

enum gz_status gz_sync_append_reading(const struct gz_message *message, size_t count,
                                      const struct gz_shelf_reading *reading,
                                      struct gz_shelf_cursor *cursor, struct gz_buffer *out)
{
    /* A new viewer need not be sent an empty list. */
    bool is_lost = reading->anew && cursor->version > 0;
    enum gz_status status = is_lost || count > 0 ? gz_encode(out, message) : GZ_OK;
    if (status == GZ_OK) *cursor = reading->cursor;
    return status;
}
