/* memory.c - gives freed memory back. See memory.h. */
#include "host/memory.h"

#include <malloc.h>

#include "server/maxima.h"

#define LOOK_MS 5000

static void run_look(struct gz_job *job)
{
    (void)job;
    if (mallinfo2().fordblks > GZ_FREE_BYTES_KEPT) malloc_trim(0);
}

static void handle_looked(struct gz_job *job)
{
    struct gz_memory *memory = job->context;
    memory->is_looking = false;
}

void gz_memory_look(struct gz_memory *memory)
{
    if (memory->is_looking) return;
    memory->is_looking = true;
    memory->job = (struct gz_job){.lane = GZ_LANE_MEMORY,
                                  .subject = "",
                                  .group = "",
                                  .user = "",
                                  .run = run_look,
                                  .done = handle_looked,
                                  .context = memory};
    gz_job_start(memory->jobs, &memory->job);
}

static void handle_tick(uv_timer_t *tick)
{
    gz_memory_look(tick->data);
}

void gz_memory_watch(struct gz_memory *memory, uv_loop_t *loop, struct gz_jobs *jobs)
{
    *memory = (struct gz_memory){.jobs = jobs};
    uv_timer_init(loop, &memory->tick);
    memory->tick.data = memory;
    uv_timer_start(&memory->tick, handle_tick, LOOK_MS, LOOK_MS);
}

void gz_memory_close(struct gz_memory *memory)
{
    uv_close((uv_handle_t *)&memory->tick, NULL);
}
