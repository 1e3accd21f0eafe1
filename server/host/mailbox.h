/* mailbox.h - what other threads tell the loop: a worker that its job is done, a writer that a
 * batch can be taken.
 *
 * libuv's uv_async_t and uv_queue_work are not used for that: with them the loop spins until the
 * sender has left the call that woke the loop. A sender that has a lower priority is put off its
 * processor by that very waking, so beside busy processes the loop spun for 7 to 12 ms, and for 150
 * at a niceness of -15. Here nobody waits for a sender.
 *
 * Ownership: a letter is part of the sender's memory, and must not move or be freed until it was
 * handled or forgotten. Threads: the loop's, except gz_letter_send. Errors: init alone can fail. */
#ifndef GZ_HOST_MAILBOX_H
#define GZ_HOST_MAILBOX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <uv.h>

#include "proto/base/status.h"

struct gz_letter {
    void (*handle)(struct gz_letter *letter); /* on the loop; may send or free the letter */
    void *context;
    /* private to mailbox.c */
    atomic_bool is_sent;
    struct gz_letter *next;
};

struct gz_mailbox {
    /* private to mailbox.c */
    uv_poll_t watch;
    int event;
    unsigned holds;
    _Atomic(struct gz_letter *) sent; /* the newest first */
    struct gz_letter *taken;          /* by the loop, the oldest first */
};

/* False if the process has no descriptor or memory for it. */
GZ_MUST_USE bool gz_mailbox_init(struct gz_mailbox *mailbox, uv_loop_t *loop);
/* Runs the loop once, so that it lets go of the event. */
void gz_mailbox_finish(struct gz_mailbox *mailbox);

/* The loop does not end as long as each hold was not released. */
void gz_mailbox_hold(struct gz_mailbox *mailbox);
void gz_mailbox_release(struct gz_mailbox *mailbox);

/* Has `handle` called once, in the order of the letters. Any thread; does nothing for a letter that
 * was sent before and is not handled yet. */
void gz_letter_send(struct gz_mailbox *mailbox, struct gz_letter *letter);
/* Takes a letter back that may have been sent; nobody may send it meanwhile. */
void gz_letter_forget(struct gz_mailbox *mailbox, struct gz_letter *letter);

#endif
