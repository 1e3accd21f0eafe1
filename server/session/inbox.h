/* inbox.h - the frames of a session that wait until the work for an earlier message is done, so
 * that messages take effect in their order.
 *
 * When a session leaves, or another one takes its place, the frames that wait are dropped without
 * an answer, as if they had been lost on the way: a client sends an edit with a key again.
 *
 * Ownership: the caller owns the struct; finish frees what it holds and is fine on a zeroed one. */
#ifndef GZ_SESSION_INBOX_H
#define GZ_SESSION_INBOX_H

#include "proto/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Appends a copy. False without memory, or beyond GZ_INBOX_BYTES_MAX. */
GZ_MUST_USE bool gz_inbox_add(struct gz_inbox *inbox, const uint8_t *bytes, size_t size);
/* Removes the first frame; there must be one. */
void gz_inbox_drop(struct gz_inbox *inbox);
void gz_inbox_finish(struct gz_inbox *inbox);

#endif
