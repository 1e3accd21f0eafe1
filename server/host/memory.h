/* memory.h - gives freed memory back to the system. The allocator keeps freed memory for its next
 * use, even that of an import or an export for ever. Blocks of more than GZ_BLOCK_BYTES_KEPT_MAX go
 * back at once. Every few seconds a worker measures the rest, and gives it back if it has grown
 * much since the last time.
 *
 * Ownership: the caller's; the loop must run on after gz_memory_close until it ends. Threads: the
 * loop's. Errors: none. */
#ifndef GZ_HOST_MEMORY_H
#define GZ_HOST_MEMORY_H

#include "host/job.h"

struct gz_memory {
    struct gz_jobs *jobs;
    uv_timer_t tick;
    struct gz_job job;
    bool is_looking;
    /* The worker's, during a look: idle bytes that could not be given back, and how often some
     * were. */
    size_t left;
    unsigned trims;
};

void gz_memory_watch(struct gz_memory *memory, uv_loop_t *loop, struct gz_jobs *jobs);
/* Looks now, unless a worker is doing it. */
void gz_memory_look(struct gz_memory *memory);
void gz_memory_close(struct gz_memory *memory);

#endif
