/* memory.h - memory that was freed goes back to the system. The allocator keeps what is freed for
 * its next use, and what large work has freed, an import or an export, it would keep for ever.
 * Every few seconds a worker looks how much that is, and gives it back if it is much.
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
};

void gz_memory_watch(struct gz_memory *memory, uv_loop_t *loop, struct gz_jobs *jobs);
/* Looks now, unless a worker is at it. */
void gz_memory_look(struct gz_memory *memory);
void gz_memory_close(struct gz_memory *memory);

#endif
