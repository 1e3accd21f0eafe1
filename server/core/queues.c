/* queues.c - what waits in a session: the client's frames to be handled, and frames to be sent. */
#include "core/queues.h"

#include <stdlib.h>
#include <string.h>

#include "proto/json.h"
#include "server/maxima.h"

/* ---- to be handled ---- */

/* Keeps frames that wait. */

bool gz_inbox_add(struct gz_inbox *inbox, const uint8_t *bytes, size_t size, size_t offset)
{
    if (size > GZ_INBOX_BYTES_MAX - inbox->bytes) return false;
    struct gz_inbox_frame *frame = malloc(sizeof *frame + size);
    if (frame == NULL) return false;
    *frame = (struct gz_inbox_frame){.size = size, .offset = offset};
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

void gz_outbox_init(struct gz_outbox *outbox, size_t max, bool is_json)
{
    *outbox = (struct gz_outbox){.max = max, .is_json = is_json};
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

/* There is always room for the last byte of a frame of JSON. */
static struct gz_bytes *seal(struct gz_outbox *outbox)
{
    if (outbox->is_json) gz_json_end_frame(&outbox->open);
    return gz_bytes_seal(&outbox->open,
                         outbox->is_json ? GZ_FRAME_TEXT_FIRST : GZ_FRAME_BINARY_FIRST, NULL);
}

/* Ends the frame if it is large enough. */
static enum gz_status end_frame(struct gz_outbox *outbox)
{
    if (outbox->open.size < GZ_OUTBOX_FRAME_BYTES) return GZ_OK;
    struct gz_bytes *frame = seal(outbox);
    const bool is_kept = gz_bytes_push(&outbox->whole, frame);
    if (is_kept) outbox->whole_bytes += frame->size;
    gz_bytes_release(frame);
    return is_kept ? GZ_OK : GZ_NO_MEMORY;
}

static enum gz_status append_json(struct gz_outbox *outbox, const struct gz_message *message)
{
    struct gz_buffer written;
    gz_buffer_init(&written, outbox->max, 0);
    enum gz_status status = gz_encode(&written, message);
    if (status == GZ_OK)
        status = gz_json_append_messages(&outbox->open, written.data, written.size);
    gz_buffer_finish(&written);
    return status;
}

enum gz_status gz_outbox_append(struct gz_outbox *outbox, const struct gz_message *message)
{
    outbox->open.max = outbox->max - outbox->whole_bytes;
    const enum gz_status status =
        outbox->is_json ? append_json(outbox, message) : gz_encode(&outbox->open, message);
    if (outbox->open.size == 0) gz_buffer_finish(&outbox->open);
    return status == GZ_OK ? end_frame(outbox) : status;
}

/* A frame of JSON was appended to one that is not ended: of its brackets the first becomes a comma,
 * and the last is still to come. */
static void join_lists(struct gz_buffer *open, size_t appended)
{
    open->data[open->size - appended] = ',';
    gz_buffer_truncate(open, open->size - 1);
}

bool gz_outbox_extend(struct gz_outbox *outbox, const struct gz_bytes *messages)
{
    const bool fits =
        outbox->whole.count == 0 && outbox->open.size > 0 && messages->size <= GZ_COPIED_BYTES_MAX;
    if (!fits || gz_buffer_append(&outbox->open, messages->data, messages->size) != GZ_OK)
        return false;
    if (outbox->is_json) join_lists(&outbox->open, messages->size);
    return true;
}

struct gz_bytes *gz_outbox_next(struct gz_outbox *outbox)
{
    if (outbox->whole.count == 0) return outbox->open.size > 0 ? seal(outbox) : NULL;
    struct gz_bytes *frame = gz_bytes_pop(&outbox->whole);
    outbox->whole_bytes -= frame->size;
    return frame;
}
