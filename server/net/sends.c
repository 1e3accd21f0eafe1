/* sends.c - collects sends, and hands them to the kernel together. See sends.h.
 *
 * A send that does not block ends within the call that begins it, so that all results are there
 * when the call returns. */
#include "net/sends.h"

#include <errno.h>
#include <liburing.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "server/maxima.h"

/* The result of a send that the kernel has not taken. */
#define UNSENT (-ECANCELED)

struct send {
    int socket;
    void *context;
    const uint8_t *bytes;
    size_t size;
    int result; /* bytes, or a negative error; UNSENT until then */
};

struct gz_sends {
    struct io_uring ring;
    bool has_ring;
    gz_sends_done *done;
    size_t count;
    struct send sends[GZ_SENDS_MAX];
};

/* Without this flag, which kernels have since 5.19, results would interrupt the thread. */
static bool open_ring(struct io_uring *ring)
{
    struct io_uring_params parameters = {.flags = IORING_SETUP_COOP_TASKRUN};
    return io_uring_queue_init_params(GZ_SENDS_MAX, ring, &parameters) == 0;
}

struct gz_sends *gz_sends_create(gz_sends_done *done)
{
    struct gz_sends *sends = calloc(1, sizeof *sends);
    if (sends == NULL) return NULL;
    sends->done = done;
    sends->has_ring = open_ring(&sends->ring);
    return sends;
}

static void close_ring(struct gz_sends *sends)
{
    if (sends->has_ring) io_uring_queue_exit(&sends->ring);
    sends->has_ring = false;
}

void gz_sends_destroy(struct gz_sends *sends)
{
    if (sends == NULL) return;
    close_ring(sends);
    free(sends);
}

bool gz_sends_has_ring(const struct gz_sends *sends)
{
    return sends->has_ring;
}

bool gz_sends_add(struct gz_sends *sends, int socket, const uint8_t *bytes, size_t size,
                  void *context)
{
    if (size > GZ_SEND_BYTES_MAX) return false;
    if (sends->count == GZ_SENDS_MAX) gz_sends_go(sends);
    sends->sends[sends->count++] = (struct send){socket, context, bytes, size, UNSENT};
    return true;
}

/* ---- sending ---- */

static void send_one(struct send *one)
{
    const ssize_t count = send(one->socket, one->bytes, one->size, MSG_NOSIGNAL);
    one->result = count < 0 ? -errno : (int)count;
}

static void read_results(struct gz_sends *sends)
{
    struct io_uring_cqe *entry;
    while (io_uring_peek_cqe(&sends->ring, &entry) == 0) {
        sends->sends[io_uring_cqe_get_data64(entry)].result = entry->res;
        io_uring_cqe_seen(&sends->ring, entry);
    }
}

/* A kernel that does not take all of them, for want of memory or of permission, is not asked
 * again. */
static void send_by_ring(struct gz_sends *sends)
{
    const unsigned count = (unsigned)sends->count;
    for (size_t i = 0; i < count; i++) {
        const struct send *one = &sends->sends[i];
        struct io_uring_sqe *entry = io_uring_get_sqe(&sends->ring);
        io_uring_prep_send(entry, one->socket, one->bytes, one->size, MSG_NOSIGNAL | MSG_DONTWAIT);
        io_uring_sqe_set_data64(entry, i);
    }
    const bool is_taken = io_uring_submit_and_wait(&sends->ring, count) == (int)count;
    read_results(sends);
    if (!is_taken) close_ring(sends);
}

void gz_sends_go(struct gz_sends *sends)
{
    const size_t count = sends->count;
    if (sends->has_ring && count > 1) send_by_ring(sends);
    sends->count = 0;
    for (size_t i = 0; i < count; i++) {
        struct send *one = &sends->sends[i];
        if (one->result == UNSENT) send_one(one);
        sends->done(one->context, one->result > 0 ? (size_t)one->result : 0);
    }
}
