/* outbox.c - keeps the messages for one client, as frames. See outbox.h. */
#include "session/outbox.h"

#include "server/maxima.h"

void gz_outbox_init(struct gz_outbox *outbox, size_t max)
{
    *outbox = (struct gz_outbox){.max = max};
    gz_buffer_init(&outbox->open, max, GZ_BYTES_HEADROOM);
}

void gz_outbox_finish(struct gz_outbox *outbox)
{
    gz_bytes_clear(&outbox->whole);
    gz_buffer_finish(&outbox->open);
}

size_t gz_outbox_waiting(const struct gz_outbox *outbox)
{
    return outbox->whole_bytes + outbox->open.size;
}

bool gz_outbox_is_full(const struct gz_outbox *outbox)
{
    return gz_outbox_waiting(outbox) > GZ_OUTBOX_BYTES_FULL;
}

/* Ends the frame if it is large enough. */
static enum gz_status end_frame(struct gz_outbox *outbox)
{
    if (outbox->open.size < GZ_OUTBOX_FRAME_BYTES) return GZ_OK;
    struct gz_bytes *frame = gz_bytes_seal(&outbox->open, GZ_FRAME_BINARY_FIRST, NULL);
    const bool is_kept = gz_bytes_push(&outbox->whole, frame);
    if (is_kept) outbox->whole_bytes += frame->size;
    gz_bytes_release(frame);
    return is_kept ? GZ_OK : GZ_NO_MEMORY;
}

enum gz_status gz_outbox_append(struct gz_outbox *outbox, const struct gz_message *message)
{
    outbox->open.max = outbox->max - outbox->whole_bytes;
    const enum gz_status status = gz_encode(&outbox->open, message);
    if (outbox->open.size == 0) gz_buffer_finish(&outbox->open);
    return status == GZ_OK ? end_frame(outbox) : status;
}

bool gz_outbox_extend(struct gz_outbox *outbox, const struct gz_bytes *messages)
{
    return outbox->whole.count == 0 && outbox->open.size > 0 &&
           messages->size <= GZ_COPIED_BYTES_MAX &&
           gz_buffer_append(&outbox->open, messages->data, messages->size) == GZ_OK;
}

struct gz_bytes *gz_outbox_next(struct gz_outbox *outbox)
{
    if (outbox->whole.count == 0)
        return outbox->open.size > 0 ? gz_bytes_seal(&outbox->open, GZ_FRAME_BINARY_FIRST, NULL)
                                     : NULL;
    struct gz_bytes *frame = gz_bytes_pop(&outbox->whole);
    outbox->whole_bytes -= frame->size;
    return frame;
}
