/* mailbox.c - a stack that any thread pushes to without a lock, and an event that wakes the loop.
 * See mailbox.h. */
#include "host/mailbox.h"

#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Moves what was sent to the end of `taken`. */
static void take(struct gz_mailbox *posts)
{
    struct gz_letter *newest = atomic_exchange(&posts->sent, NULL), *oldest = NULL, *next;
    for (; newest != NULL; newest = next) {
        next = newest->next;
        newest->next = oldest;
        oldest = newest;
    }
    struct gz_letter **end = &posts->taken;
    while (*end != NULL) end = &(*end)->next;
    *end = oldest;
}

/* The event is reset before the posts are taken: one that comes in between wakes the loop again. */
static void handle_event(uv_poll_t *watch, int status, int events)
{
    struct gz_mailbox *posts = watch->data;
    uint64_t count;
    (void)status, (void)events;
    (void)!read(posts->event, &count, sizeof count);
    take(posts);
    while (posts->taken != NULL) {
        struct gz_letter *post = posts->taken;
        posts->taken = post->next;
        atomic_store(&post->is_sent, false);
        post->handle(post);
    }
}

bool gz_mailbox_init(struct gz_mailbox *posts, uv_loop_t *loop)
{
    *posts = (struct gz_mailbox){.event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    if (posts->event < 0) return false;
    if (uv_poll_init(loop, &posts->watch, posts->event) != 0) {
        close(posts->event);
        return false;
    }
    posts->watch.data = posts;
    uv_poll_start(&posts->watch, UV_READABLE, handle_event);
    uv_unref((uv_handle_t *)&posts->watch);
    return true;
}

void gz_mailbox_finish(struct gz_mailbox *posts)
{
    uv_loop_t *loop = posts->watch.loop;
    uv_close((uv_handle_t *)&posts->watch, NULL);
    uv_run(loop, UV_RUN_NOWAIT); /* ends it, whatever else the loop has */
    close(posts->event);
}

void gz_mailbox_hold(struct gz_mailbox *posts)
{
    if (posts->holds++ == 0) uv_ref((uv_handle_t *)&posts->watch);
}

void gz_mailbox_release(struct gz_mailbox *posts)
{
    if (--posts->holds == 0) uv_unref((uv_handle_t *)&posts->watch);
}

/* The event is written for each post: a sender that had pushed another one before, and has not
 * written yet, may wait long for a processor. */
void gz_letter_send(struct gz_mailbox *posts, struct gz_letter *post)
{
    const uint64_t one = 1;
    if (atomic_exchange(&post->is_sent, true)) return;
    post->next = atomic_load(&posts->sent);
    while (!atomic_compare_exchange_weak(&posts->sent, &post->next, post)) continue;
    (void)!write(posts->event, &one, sizeof one);
}

void gz_letter_forget(struct gz_mailbox *posts, struct gz_letter *post)
{
    if (!atomic_load(&post->is_sent)) return;
    take(posts);
    struct gz_letter **link = &posts->taken;
    while (*link != NULL && *link != post) link = &(*link)->next;
    if (*link != NULL) *link = post->next;
    atomic_store(&post->is_sent, false);
}
