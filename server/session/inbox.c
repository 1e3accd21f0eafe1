/* inbox.c - keeps frames that wait. See inbox.h. */
#include "session/inbox.h"

#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"

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
