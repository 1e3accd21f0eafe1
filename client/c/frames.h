/* frames.h - bytes that wait in order: messages that came, and what is still to be sent. Private to
 * the client library. Ownership: a queue owns its frames; clear frees them. Threads: one at a time.
 */
#ifndef GZ_CLIENT_FRAMES_H
#define GZ_CLIENT_FRAMES_H

#include "proto/base/buffer.h"

struct gz_frame {
    struct gz_frame *next;
    struct gz_buffer bytes;
    const uint8_t *at; /* what is left to send begins here, and may begin in the headroom */
    size_t left;
};

struct gz_frame_queue {
    struct gz_frame *first, **end; /* end: where the next one is linked */
    uint64_t bytes;                /* of all that were ever pushed */
};

/* An empty frame; NULL without memory. Without a queue: freed by gz_frame_free. */
struct gz_frame *gz_frame_create(size_t max, size_t headroom);
void gz_frame_free(struct gz_frame *frame);

void gz_frames_init(struct gz_frame_queue *queue);
void gz_frames_push(struct gz_frame_queue *queue, struct gz_frame *frame);
void gz_frames_drop(struct gz_frame_queue *queue); /* the first one */
void gz_frames_clear(struct gz_frame_queue *queue);

#endif
