/* outbox.c - keeps the messages for one session, as frames. See outbox.h. */
#include "session/outbox.h"

#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"

void gz_outbox_init(struct gz_outbox *outbox, size_t headroom)
{
    *outbox = (struct gz_outbox){.taken = 0};
    gz_buffer_init(&outbox->bytes, GZ_OUTBOX_BYTES_MAX, headroom);
}

void gz_outbox_finish(struct gz_outbox *outbox)
{
    gz_buffer_finish(&outbox->bytes);
    free(outbox->cuts);
}

size_t gz_outbox_waiting(const struct gz_outbox *outbox)
{
    return outbox->bytes.size - outbox->taken;
}

bool gz_outbox_is_full(const struct gz_outbox *outbox)
{
    return gz_outbox_waiting(outbox) > GZ_OUTBOX_BYTES_FULL;
}

/* Empties an outbox whose frames were all taken, and frees its memory if it is large. */
static void empty(struct gz_outbox *outbox)
{
    if (outbox->taken == 0 || gz_outbox_waiting(outbox) > 0) return;
    outbox->taken = 0;
    outbox->cut_count = outbox->cuts_taken = 0;
    gz_buffer_clear(&outbox->bytes);
    if (outbox->bytes.capacity > GZ_OUTBOX_BYTES_FULL) gz_buffer_finish(&outbox->bytes);
}

void gz_outbox_rest(struct gz_outbox *outbox)
{
    if (gz_outbox_waiting(outbox) > 0) return;
    empty(outbox);
    gz_buffer_finish(&outbox->bytes);
}

/* Drops the taken bytes once they are the larger part: the outbox of a session that is always
 * slightly behind is never empty. */
static void compact(struct gz_outbox *outbox)
{
    size_t taken = outbox->taken, waiting = gz_outbox_waiting(outbox);
    if (taken <= GZ_OUTBOX_BYTES_FULL || taken < waiting) return;
    memmove(outbox->bytes.data, outbox->bytes.data + taken, waiting);
    gz_buffer_truncate(&outbox->bytes, waiting);
    outbox->cut_count -= outbox->cuts_taken;
    for (size_t i = 0; i < outbox->cut_count; i++)
        outbox->cuts[i] = outbox->cuts[i + outbox->cuts_taken] - taken;
    outbox->cuts_taken = 0;
    outbox->taken = 0;
}

/* Ends the frame if it is large enough. */
static enum gz_status cut(struct gz_outbox *outbox)
{
    size_t last = outbox->cut_count > 0 ? outbox->cuts[outbox->cut_count - 1] : 0;
    if (outbox->bytes.size - last < GZ_OUTBOX_FRAME_BYTES) return GZ_OK;
    if (!gz_grow(&outbox->cuts, &outbox->cut_capacity, outbox->cut_count + 1, sizeof *outbox->cuts))
        return GZ_NO_MEMORY;
    outbox->cuts[outbox->cut_count++] = outbox->bytes.size;
    return GZ_OK;
}

enum gz_status gz_outbox_append(struct gz_outbox *outbox, const struct gz_message *message)
{
    empty(outbox);
    compact(outbox);
    enum gz_status status = gz_encode(&outbox->bytes, message);
    return status == GZ_OK ? cut(outbox) : status;
}

/* The bytes before a frame were handed out already, so they are free for its header. */
bool gz_outbox_next(struct gz_outbox *outbox, struct gz_buffer *frame)
{
    empty(outbox);
    if (gz_outbox_waiting(outbox) == 0) return false;
    size_t end = outbox->bytes.size;
    if (outbox->cuts_taken < outbox->cut_count) end = outbox->cuts[outbox->cuts_taken++];
    frame->data = outbox->bytes.data + outbox->taken;
    frame->size = end - outbox->taken;
    outbox->taken = end;
    return true;
}

bool gz_outbox_extend(struct gz_outbox *outbox, struct gz_buffer *frame,
                      const struct gz_buffer *messages)
{
    const size_t begin = outbox->taken - frame->size;
    if (gz_outbox_waiting(outbox) > 0 || messages->size > GZ_COPIED_BYTES_MAX ||
        gz_buffer_append(&outbox->bytes, messages->data, messages->size) != GZ_OK)
        return false;
    outbox->taken = outbox->bytes.size;
    frame->data = outbox->bytes.data + begin;
    frame->size = outbox->taken - begin;
    return true;
}
