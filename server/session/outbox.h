/* outbox.h - the encoded messages for one client alone, until they are sent.
 *
 * They leave as frames. A frame ends where a message ends, as soon as it holds
 * GZ_OUTBOX_FRAME_BYTES, so that a long answer does not become one frame of many megabytes.
 *
 * Ownership: the caller owns the struct; finish frees what it holds. Errors: those of gz_encode;
 * after a failure the client has lost a message and has to end. */
#ifndef GZ_SESSION_OUTBOX_H
#define GZ_SESSION_OUTBOX_H

#include "proto/message.h"
#include "sync/bytes.h"

struct gz_outbox {
    struct gz_bytes_queue whole; /* frames that have ended */
    size_t whole_bytes;
    struct gz_buffer open; /* the frame that further messages go into */
    size_t max;
};

/* `max`: bytes that may wait. Takes no memory while nothing waits. */
void gz_outbox_init(struct gz_outbox *outbox, size_t max);
void gz_outbox_finish(struct gz_outbox *outbox);
GZ_MUST_USE enum gz_status gz_outbox_append(struct gz_outbox *outbox,
                                            const struct gz_message *message);
/* Appends whole messages to the next frame. False if no frame waits, or more than one, if
 * `messages` has more than GZ_COPIED_BYTES_MAX, or without memory: then nothing has changed. */
bool gz_outbox_extend(struct gz_outbox *outbox, const struct gz_bytes *messages);
/* The next frame, to which the caller has the reference then. NULL: there is none. */
struct gz_bytes *gz_outbox_next(struct gz_outbox *outbox);
/* How many bytes wait to be taken. */
size_t gz_outbox_waiting(const struct gz_outbox *outbox);
/* Whether so many bytes wait that no more of the session's requests should be read. */
bool gz_outbox_is_full(const struct gz_outbox *outbox);

#endif
