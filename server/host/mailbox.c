/* mailbox.c - a stack that any thread pushes to without a lock, and an event that wakes the loop.
 * See mailbox.h. */
#include "host/mailbox.h"

#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Moves what was sent to the end of `taken`. */
static void take(struct gz_mailbox *mailbox)
{
    struct gz_letter *newest = atomic_exchange(&mailbox->sent, NULL), *oldest = NULL, *next;
    for (; newest != NULL; newest = next) {
        next = newest->next;
        newest->next = oldest;
        oldest = newest;
    }
    struct gz_letter **end = &mailbox->taken;
    while (*end != NULL) end = &(*end)->next;
    *end = oldest;
}

/* The event is reset before the letters are taken: one that comes in between wakes the loop again.
 */
static void handle_event(uv_poll_t *watch, int status, int events)
{
    struct gz_mailbox *mailbox = watch->data;
    uint64_t count;
    (void)status, (void)events;
    (void)!read(mailbox->event, &count, sizeof count);
    take(mailbox);
    while (mailbox->taken != NULL) {
        struct gz_letter *letter = mailbox->taken;
        mailbox->taken = letter->next;
        atomic_store(&letter->is_sent, false);
        letter->handle(letter);
    }
}

bool gz_mailbox_init(struct gz_mailbox *mailbox, uv_loop_t *loop)
{
    *mailbox = (struct gz_mailbox){.event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    if (mailbox->event < 0) return false;
    if (uv_poll_init(loop, &mailbox->watch, mailbox->event) != 0) {
        close(mailbox->event);
        return false;
    }
    mailbox->watch.data = mailbox;
    uv_poll_start(&mailbox->watch, UV_READABLE, handle_event);
    uv_unref((uv_handle_t *)&mailbox->watch);
    return true;
}

void gz_mailbox_finish(struct gz_mailbox *mailbox)
{
    uv_loop_t *loop = mailbox->watch.loop;
    uv_close((uv_handle_t *)&mailbox->watch, NULL);
    uv_run(loop, UV_RUN_NOWAIT); /* ends it, whatever else the loop has */
    close(mailbox->event);
}

void gz_mailbox_hold(struct gz_mailbox *mailbox)
{
    if (mailbox->holds++ == 0) uv_ref((uv_handle_t *)&mailbox->watch);
}

void gz_mailbox_release(struct gz_mailbox *mailbox)
{
    if (--mailbox->holds == 0) uv_unref((uv_handle_t *)&mailbox->watch);
}

/* The event is written for each letter: a sender that had pushed another one before, and has not
 * written yet, may wait long for a processor. */
void gz_letter_send(struct gz_mailbox *mailbox, struct gz_letter *letter)
{
    const uint64_t one = 1;
    if (atomic_exchange(&letter->is_sent, true)) return;
    letter->next = atomic_load(&mailbox->sent);
    while (!atomic_compare_exchange_weak(&mailbox->sent, &letter->next, letter)) continue;
    (void)!write(mailbox->event, &one, sizeof one);
}

void gz_letter_forget(struct gz_mailbox *mailbox, struct gz_letter *letter)
{
    if (!atomic_load(&letter->is_sent)) return;
    take(mailbox);
    struct gz_letter **link = &mailbox->taken;
    while (*link != NULL && *link != letter) link = &(*link)->next;
    if (*link != NULL) *link = letter->next;
    atomic_store(&letter->is_sent, false);
}
