/* memory.c - the memory of the process: what there is, and what is used. */
#include "host/memory.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include "server/maxima.h"

/* ---- what the machine has ---- */

/* The memory of the machine and the maxima of control groups. */

#define GROUP_BYTES_MAX 4096

/* The path of the process' group of version 2, which has the number 0; empty if there is none. */
static void find_group(const char *groups, char path[GROUP_BYTES_MAX])
{
    char line[GROUP_BYTES_MAX];
    FILE *file = fopen(groups, "re");
    path[0] = '\0';
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "0::", 3) == 0) memcpy(path, line + 3, strlen(line + 3) + 1);
    }
    if (file != NULL) fclose(file);
}

/* The maximum of one group: "max" is none. */
static uint64_t maximum_of(const char *folder, const char *group)
{
    uint64_t bytes = 0;
    char *path;
    if (asprintf(&path, "%s%s/memory.max", folder, group) < 0) return UINT64_MAX;
    FILE *file = fopen(path, "re");
    const bool is_read = file != NULL && fscanf(file, "%" SCNu64, &bytes) == 1 && bytes > 0;
    if (file != NULL) fclose(file);
    free(path);
    return is_read ? bytes : UINT64_MAX;
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t gz_machine_bytes(const char *groups, const char *folder)
{
    char group[GROUP_BYTES_MAX], *end;
    uint64_t bytes = uv_get_total_memory();
    const uint64_t constrained = uv_get_constrained_memory(); /* by groups of version 1 */
    if (constrained > 0) bytes = lesser(bytes, constrained);
    find_group(groups, group);
    do {
        bytes = lesser(bytes, maximum_of(folder, group));
        end = strrchr(group, '/');
        if (end != NULL) *end = '\0';
    } while (end != NULL);
    return bytes;
}

/* ---- memory ---- */

/* Bounds the memory of the process, and gives freed memory back. */

#define LOOK_MS 250
/* Idle bytes are counted every so many looks, because that visits every freed block. */
#define TICKS_PER_COUNT 20

/* ---- what the system holds ---- */

/* Bytes of the process' own memory that the system has pages for; 0 if it does not say. */
static uint64_t resident_bytes(void)
{
    size_t all, resident, shared;
    FILE *file = fopen("/proc/self/statm", "re");
    bool is_read = file != NULL && fscanf(file, "%zu %zu %zu", &all, &resident, &shared) == 3;
    if (file != NULL) fclose(file);
    return is_read ? (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

/* Resident bytes that are not allocated. The allocator's count of free bytes also includes those
 * that were given back. */
static size_t idle_bytes(void)
{
    const struct mallinfo2 info = mallinfo2();
    size_t used = info.uordblks + info.hblkhd, resident = resident_bytes();
    return resident > used ? resident - used : 0;
}

/* ---- the bound ---- */

/* What requests may have of the bound. */
static uint64_t most_bytes(const struct gz_memory *memory)
{
    return memory->bytes_max - GZ_MEMORY_RESERVE_BYTES;
}

static uint64_t full_bytes(const struct gz_memory *memory)
{
    return (uint64_t)((double)most_bytes(memory) * GZ_MEMORY_FULL_PART);
}

static uint64_t without(uint64_t bytes, uint64_t freed)
{
    return bytes > freed ? bytes - freed : 0;
}

/* Without what runs and gives its memory back. */
static uint64_t kept_bytes(const struct gz_memory *memory)
{
    return without(memory->resident_bytes + memory->taken, memory->freed);
}

uint64_t gz_memory_used(const struct gz_memory *memory)
{
    return kept_bytes(memory) + memory->held_bytes;
}

static enum gz_status refuse(const struct gz_memory *memory, struct gz_error *error)
{
    return gz_fail(error, GZ_TOO_MANY,
                   "the server's memory is nearly used up (--memory %" PRIu64
                   "): try again later, or with fewer nodes; small edits go on",
                   memory->bytes_max >> 20);
}

/* Whether so many bytes are at most half of what is left, with what can be forgotten. Asks for
 * relief near the bound. */
static bool fits(struct gz_memory *memory, uint64_t needed)
{
    const uint64_t used = gz_memory_used(memory);
    const uint64_t most = most_bytes(memory) + memory->spare_bytes;
    const bool has_room = used < most && needed <= (most - used) / 2;
    if (!has_room) memory->refusals++;
    if (!has_room || kept_bytes(memory) > full_bytes(memory))
        gz_letter_send(&memory->jobs->mailbox, &memory->full);
    return has_room;
}

enum gz_status gz_memory_take(struct gz_memory *memory, uint64_t kept, uint64_t needed,
                              struct gz_error *error)
{
    if (memory == NULL || memory->bytes_max == 0) return GZ_OK;
    if (!fits(memory, needed)) return refuse(memory, error);
    memory->taken += kept;
    return GZ_OK;
}

enum gz_status gz_memory_hold(struct gz_memory *memory, uint64_t bytes, struct gz_error *error)
{
    if (memory == NULL || memory->bytes_max == 0) return GZ_OK;
    if (!fits(memory, bytes)) return refuse(memory, error);
    memory->held_bytes += bytes;
    return GZ_OK;
}

void gz_memory_release(struct gz_memory *memory, uint64_t bytes)
{
    if (memory != NULL && memory->bytes_max != 0) memory->held_bytes -= bytes;
}

enum gz_status gz_memory_check(const struct gz_memory *memory, struct gz_error *error)
{
    return memory->is_short ? refuse(memory, error) : GZ_OK;
}

/* The log says when the bound is reached although all was forgotten that can be, and when there is
 * room again. */
static void say_short(struct gz_memory *memory, bool is_short)
{
    struct gz_error error;
    if (is_short == memory->is_short) return;
    memory->is_short = is_short;
    if (memory->log == NULL) return;
    if (gz_memory_check(memory, &error) != GZ_OK)
        gz_log(memory->log, GZ_ERROR, 0, "%s", error.message);
    else
        gz_log(memory->log, GZ_INFO, 0, "there is memory for large requests again");
}

/* What is kept. What requests were allowed to take is a guess upwards, so if that would be too much
 * the system is asked: nothing is forgotten for a guess. */
static uint64_t find_kept(const struct gz_memory *memory, uint64_t most)
{
    const uint64_t guess = kept_bytes(memory);
    const uint64_t found = guess > most ? memory->find_resident() : 0;
    return found > 0 ? lesser(guess, without(found, memory->freed)) : guess;
}

/* What was forgotten is free at once, even if the system still holds its pages. A look gives pages
 * back, so nothing is forgotten meanwhile: it would be counted twice. */
void gz_memory_relieve(struct gz_memory *memory)
{
    uint64_t freed = 0;
    if (memory == NULL || memory->bytes_max == 0 || memory->is_looking) return;
    const uint64_t full = full_bytes(memory);
    const uint64_t most = memory->is_short ? full - full / GZ_MEMORY_ENOUGH_PART : full;
    const uint64_t kept = find_kept(memory, most);
    if (kept > most && memory->relieve != NULL)
        freed = memory->relieve(memory->context, kept - most);
    memory->forgotten_bytes += freed;
    memory->freed += freed;
    memory->spare_bytes = memory->spare != NULL ? memory->spare(memory->context) : 0;
    say_short(memory, kept > most + freed);
}

static void handle_full(struct gz_letter *letter)
{
    gz_memory_relieve(letter->context);
}

/* ---- the look ---- */

/* Idle bytes that may stay. */
static size_t most_idle(const struct gz_memory *memory)
{
    const uint64_t part = memory->bytes_max / GZ_MEMORY_ENOUGH_PART;
    return part > 0 && part < GZ_FREE_BYTES_KEPT ? (size_t)part : GZ_FREE_BYTES_KEPT;
}

/* Giving back blocks the allocations of other threads, so it is done only if there are many more
 * idle bytes than were left the last time. */
static void give_back(struct gz_memory *memory, size_t resident)
{
    const bool is_full = memory->bytes_max != 0 && resident > full_bytes(memory);
    const size_t most = most_idle(memory);
    if (resident < memory->left) memory->left = resident;
    if (resident <= most) return;
    if (!is_full && !memory->counts) return;
    size_t idle = idle_bytes();
    if (idle < memory->left) memory->left = idle;
    if (idle - memory->left <= most) return;
    malloc_trim(0);
    memory->left = idle_bytes();
    memory->trims++;
}

static void run_look(struct gz_job *job)
{
    struct gz_memory *memory = job->context;
    give_back(memory, memory->find_resident());
    memory->found_bytes = memory->find_resident();
}

/* What was taken before the look is resident by now, or never will be. */
static void handle_looked(struct gz_job *job)
{
    struct gz_memory *memory = job->context;
    memory->is_looking = false;
    if (job->is_cancelled) return;
    memory->resident_bytes = memory->found_bytes;
    memory->taken -= memory->settled;
    memory->freed = 0;
    gz_memory_relieve(memory);
}

static void look(struct gz_memory *memory, bool counts)
{
    if (memory->is_looking) return;
    memory->is_looking = true;
    memory->counts = counts;
    memory->settled = memory->taken;
    memory->job = (struct gz_job){.lane = GZ_LANE_MEMORY,
                                  .subject = "",
                                  .group = "",
                                  .user = "",
                                  .run = run_look,
                                  .done = handle_looked,
                                  .context = memory};
    gz_job_start(memory->jobs, &memory->job);
}

void gz_memory_look(struct gz_memory *memory)
{
    look(memory, true);
}

static void handle_tick(uv_timer_t *tick)
{
    struct gz_memory *memory = tick->data;
    look(memory, ++memory->ticks % TICKS_PER_COUNT == 0);
}

void gz_memory_watch(struct gz_memory *memory, uv_loop_t *loop, struct gz_jobs *jobs,
                     uint64_t bytes_max, const struct gz_log *log)
{
    *memory = (struct gz_memory){.bytes_max = bytes_max,
                                 .log = log,
                                 .jobs = jobs,
                                 .full = {.handle = handle_full, .context = memory},
                                 .find_resident = resident_bytes,
                                 .resident_bytes = resident_bytes()};
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
    memory->relieve = NULL;
    memory->spare = NULL;
    uv_close((uv_handle_t *)&memory->tick, NULL);
}
