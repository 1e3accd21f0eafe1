/* memory.c - gives freed memory back. See memory.h. */
#include "host/memory.h"

#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

#include "server/maxima.h"

#define LOOK_MS 5000

/* Bytes of the process' own memory that the system has pages for; 0 if it does not say. */
static size_t resident_bytes(void)
{
    size_t all, resident, shared;
    FILE *file = fopen("/proc/self/statm", "re");
    bool is_read = file != NULL && fscanf(file, "%zu %zu %zu", &all, &resident, &shared) == 3;
    if (file != NULL) fclose(file);
    return is_read ? (resident - shared) * (size_t)sysconf(_SC_PAGESIZE) : 0;
}

/* Resident bytes that are not allocated. The allocator's count of free bytes also includes those
 * that were given back. */
static size_t idle_bytes(void)
{
    const struct mallinfo2 info = mallinfo2();
    size_t used = info.uordblks + info.hblkhd, resident = resident_bytes();
    return resident > used ? resident - used : 0;
}

/* Giving back blocks the allocations of other threads, so it is done only if there are more idle
 * bytes than were left the last time. */
static void run_look(struct gz_job *job)
{
    struct gz_memory *memory = job->context;
    const size_t resident = resident_bytes();
    if (resident < memory->left) memory->left = resident;
    if (resident <= GZ_FREE_BYTES_KEPT) return; /* to count the idle ones takes longer */
    size_t idle = idle_bytes();
    if (idle < memory->left) memory->left = idle;
    if (idle - memory->left <= GZ_FREE_BYTES_KEPT) return;
    malloc_trim(0);
    memory->left = idle_bytes();
    memory->trims++;
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
    /* By default the allocator raises the threshold after large blocks, and then keeps them. */
    mallopt(M_MMAP_THRESHOLD, GZ_BLOCK_BYTES_KEPT_MAX);
    mallopt(M_TRIM_THRESHOLD, GZ_FREE_BYTES_KEPT);
    /* By default small freed blocks are merged together, by whichever thread allocates a large one
     * next: after an export of 100,000 nodes that took the loop 20 ms. */
    mallopt(M_MXFAST, 0);
    uv_timer_init(loop, &memory->tick);
    memory->tick.data = memory;
    uv_timer_start(&memory->tick, handle_tick, LOOK_MS, LOOK_MS);
}

void gz_memory_close(struct gz_memory *memory)
{
    uv_close((uv_handle_t *)&memory->tick, NULL);
}
