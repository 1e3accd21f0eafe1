/* memory.h - memory that was freed goes back to the system. The allocator keeps what is freed for
 * its next use, and what large work has freed, an import or an export, it would keep for ever.
 * Blocks of more than GZ_BLOCK_BYTES_KEPT_MAX go back at once. Every few seconds a worker looks how
 * much the rest is, and gives it back if it has become much since it last did.
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
    /* The worker's, while it looks: idle bytes that could not be given back, and how often some
     * were. */
    size_t left;
    unsigned trims;
};

void gz_memory_watch(struct gz_memory *memory, uv_loop_t *loop, struct gz_jobs *jobs);
/* Looks now, unless a worker is at it. */
void gz_memory_look(struct gz_memory *memory);
void gz_memory_close(struct gz_memory *memory);

#endif
