/* outbox.h - the encoded messages for one session alone, until its host takes them.
 *
 * They leave as frames. A frame ends where a message ends, as soon as it holds
 * GZ_OUTBOX_FRAME_BYTES, so that a long answer does not become one frame of many megabytes. At most
 * GZ_OUTBOX_BYTES_MAX wait.
 *
 * Ownership: the caller owns the struct; finish frees what it holds. Errors: those of gz_encode;
 * after a failure the session has lost a message and has to end. */
#ifndef GZ_SESSION_OUTBOX_H
#define GZ_SESSION_OUTBOX_H

#include "proto/base/buffer.h"
#include "proto/message.h"

struct gz_outbox {
    struct gz_buffer bytes;
    size_t taken; /* bytes that were handed out */
    size_t *cuts; /* where frames end, except the last one */
    size_t cut_count, cut_capacity, cuts_taken;
};

/* `headroom` bytes are free before each frame. */
void gz_outbox_init(struct gz_outbox *outbox, size_t headroom);
void gz_outbox_finish(struct gz_outbox *outbox);
GZ_MUST_USE enum gz_status gz_outbox_append(struct gz_outbox *outbox,
                                            const struct gz_message *message);
/* Points `frame` at the next frame, which then counts as taken and is valid until the next call of
 * this outbox. False: there is none. */
bool gz_outbox_next(struct gz_outbox *outbox, struct gz_buffer *frame);
/* Appends whole messages to the frame that was just taken. False if more frames wait, if `messages`
 * has more than GZ_COPIED_BYTES_MAX, or without memory: then nothing has changed. */
bool gz_outbox_extend(struct gz_outbox *outbox, struct gz_buffer *frame,
                      const struct gz_buffer *messages);
/* Gives back the memory of an outbox whose frames are all taken and written. */
void gz_outbox_rest(struct gz_outbox *outbox);
/* How many bytes wait to be taken. */
size_t gz_outbox_waiting(const struct gz_outbox *outbox);
/* Whether so many bytes wait that no more of the session's requests should be read. */
bool gz_outbox_is_full(const struct gz_outbox *outbox);

#endif
