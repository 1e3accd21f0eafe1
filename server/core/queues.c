/* queues.c - what waits in a session: the client's frames to be handled, and frames to be sent. */
#include "core/queues.h"

#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"

/* ---- to be handled ---- */

/* Keeps frames that wait. */

bool gz_inbox_add(struct gz_inbox *inbox, const uint8_t *bytes, size_t size)
{
    if (size > GZ_INBOX_BYTES_MAX - inbox->bytes) return false;
    struct gz_inbox_frame *frame = malloc(sizeof *frame + size);
    if (frame == NULL) return false;
    *frame = (struct gz_inbox_frame){.size = size};
    memcpy(frame->bytes, bytes, size);
    *(inbox->first != NULL ? &inbox->last->next : &inbox->first) = frame;
    inbox->last = frame;
    inbox->bytes += size;
    return true;
}

void gz_inbox_drop(struct gz_inbox *inbox)
{
    struct gz_inbox_frame *frame = inbox->first;
    inbox->first = frame->next;
    inbox->bytes -= frame->size;
    free(frame);
}

void gz_inbox_finish(struct gz_inbox *inbox)
{
    while (inbox->first != NULL) gz_inbox_drop(inbox);
}

/* ---- to be sent ---- */

/* Keeps the messages for one client, as frames. */

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
