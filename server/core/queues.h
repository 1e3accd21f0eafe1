/* queues.h - what waits in a session: the client's frames to be handled, and frames to be sent. */
#ifndef GZ_CORE_QUEUES_H
#define GZ_CORE_QUEUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "feed/bytes.h"
#include "proto/base/status.h"
#include "proto/message.h"

/* ---- to be handled ---- */

/* The frames of a session that wait until the work for an earlier message is done, so
 * that messages take effect in their order.
 *
 * When a session leaves, or another one takes its place, the frames that wait are dropped without
 * an answer, as if they had been lost on the way: a client sends an edit with a key again.
 *
 * Ownership: the caller owns the struct; finish frees what it holds and is fine on a zeroed one. */

/* What a message waits for that was taken and charged, and then left in place. */
enum gz_awaited {
    GZ_AWAITS_NOTHING, /* no message was left */
    GZ_AWAITS_WORKER,  /* it is put off (bulk.h) */
    GZ_AWAITS_DISK,    /* while gz_budget_awaits_disk */
    GZ_AWAITS_TURN     /* it is to be tried again */
};

struct gz_inbox_frame {
    struct gz_inbox_frame *next;
    size_t size, offset; /* messages before `offset` are done */
    uint8_t bytes[];
};

struct gz_inbox {
    struct gz_inbox_frame *first, *last;
    size_t bytes;
};

/* Appends a copy, of which the messages before `offset` are done. False without memory, or beyond
 * GZ_INBOX_BYTES_MAX. */
GZ_MUST_USE bool gz_inbox_add(struct gz_inbox *inbox, const uint8_t *bytes, size_t size,
                              size_t offset);
/* Removes the first frame; there must be one. */
void gz_inbox_drop(struct gz_inbox *inbox);
void gz_inbox_finish(struct gz_inbox *inbox);

/* ---- to be sent ---- */

/* The encoded messages for one client alone, until they are sent.
 *
 * They leave as frames. A frame ends where a message ends, as soon as it holds
 * GZ_OUTBOX_FRAME_BYTES, so that a long answer does not become one frame of many megabytes.
 *
 * Ownership: the caller owns the struct; finish frees what it holds. Errors: those of gz_encode;
 * after a failure the client has lost a message and has to end. */

struct gz_outbox {
    struct gz_bytes_queue whole; /* frames that have ended */
    size_t whole_bytes;
    struct gz_buffer open; /* the frame that further messages go into */
    size_t max;
    bool is_json;
};

/* `max`: bytes that may wait. Takes no memory while nothing waits. */
void gz_outbox_init(struct gz_outbox *outbox, size_t max, bool is_json);
void gz_outbox_finish(struct gz_outbox *outbox);
GZ_MUST_USE enum gz_status gz_outbox_append(struct gz_outbox *outbox,
                                            const struct gz_message *message);
/* Appends the messages of a frame of the same encoding to the next frame. False if no frame waits,
 * or more than one, if `messages` has more than GZ_COPIED_BYTES_MAX, or without memory: then
 * nothing has changed. */
bool gz_outbox_extend(struct gz_outbox *outbox, const struct gz_bytes *messages);
/* The next frame, to which the caller has the reference then. NULL: there is none. */
struct gz_bytes *gz_outbox_next(struct gz_outbox *outbox);
/* How many bytes wait to be taken. */
size_t gz_outbox_waiting(const struct gz_outbox *outbox);
/* Whether so many bytes wait that no more of the session's requests should be read. */
bool gz_outbox_is_full(const struct gz_outbox *outbox);

#endif
