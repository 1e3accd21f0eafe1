/* frames.c - queues of bytes. See frames.h. */
#include "frames.h"

#include <stdlib.h>

struct gz_frame *gz_frame_create(size_t max, size_t headroom)
{
    struct gz_frame *frame = calloc(1, sizeof *frame);
    if (frame != NULL) gz_buffer_init(&frame->bytes, max, headroom);
    return frame;
}

void gz_frame_free(struct gz_frame *frame)
{
    gz_buffer_finish(&frame->bytes);
    free(frame);
}

void gz_frames_init(struct gz_frame_queue *queue)
{
    *queue = (struct gz_frame_queue){.end = &queue->first};
}

void gz_frames_push(struct gz_frame_queue *queue, struct gz_frame *frame)
{
    frame->next = NULL;
    *queue->end = frame;
    queue->end = &frame->next;
    queue->bytes += frame->bytes.size;
}

void gz_frames_drop(struct gz_frame_queue *queue)
{
    struct gz_frame *frame = queue->first;
    queue->first = frame->next;
    if (queue->first == NULL) queue->end = &queue->first;
    gz_frame_free(frame);
}

void gz_frames_clear(struct gz_frame_queue *queue)
{
    while (queue->first != NULL) gz_frames_drop(queue);
}
