/* memory.h - the memory of the process: what there is, and what is used. */
#ifndef GZ_HOST_MEMORY_H
#define GZ_HOST_MEMORY_H

#include <stdatomic.h>
#include <stdint.h>

#include "host/job.h"
#include "proto/base/log.h"
#include "proto/base/status.h"

/* ---- what the machine has ---- */

/* How much memory the process may use. Threads: any; reads files. Errors: none; what is
 * not known does not count. */

/* Bytes of the machine's memory; or fewer, if the control group of the process, or one above it,
 * has a maximum. `groups` says which group that is (/proc/self/cgroup), `folder` has the groups
 * (/sys/fs/cgroup). */
uint64_t gz_machine_bytes(const char *groups, const char *folder);

/* ---- memory ---- */

/* Bounds the memory of the process, and gives freed memory back to the system.
 *
 * The account is what the system holds for the process (the resident pages that are its own), which
 * a worker reads four times a second, and what requests were allowed to take since. Above
 * GZ_MEMORY_FULL_PART of the bound `relieve` is called, on the loop, to forget what can be spared
 * (listing.h). A request that needs more than half of what is left, with what can be forgotten,
 * is refused in words: so large requests are refused first, and small ones go on until nearly
 * nothing is left.
 *
 * The allocator keeps freed memory for its next use, even that of an import or an export for ever.
 * Blocks of more than GZ_BLOCK_BYTES_KEPT_MAX go back at once. Every few seconds the worker
 * measures the rest, and gives it back if it has grown much since the last time; earlier if the
 * bound is near.
 *
 * Ownership: the caller's; the loop must run on after gz_memory_close until it ends. Threads: the
 * loop's, except gz_memory_take, gz_memory_hold and gz_memory_release, which are for any. Errors:
 * those of these functions; if the system does not say how much the process holds, only what
 * requests take counts. */

struct gz_memory {
    _Atomic uint64_t bytes_max; /* 0: no bound; may be changed at any time */
    /* Both on the loop: how many bytes can be forgotten; and forgets about so many, and returns how
     * many. NULL: nothing can be forgotten. Set them after gz_memory_watch. */
    uint64_t (*spare)(void *context);
    uint64_t (*relieve)(void *context, uint64_t bytes);
    void *context;
    /* What the system holds for the process; on any thread. Tests have their own. */
    uint64_t (*find_resident)(void);
    /* private to memory.c */
    const struct gz_log *log;
    struct gz_jobs *jobs;
    uv_timer_t tick;
    struct gz_job job;
    struct gz_letter full; /* the bound is near */
    uint64_t ticks;
    bool is_looking, counts;         /* in this look: idle bytes are counted */
    _Atomic uint64_t resident_bytes; /* found last */
    _Atomic uint64_t spare_bytes;    /* that could be forgotten at that time */
    /* What was allowed since; how much of it is resident once the present look ends; and what was
     * forgotten since, whose pages may be resident. */
    _Atomic uint64_t taken;
    uint64_t settled;
    _Atomic uint64_t freed;
    _Atomic uint64_t held_bytes; /* by work that runs */
    _Atomic uint64_t refusals;
    uint64_t forgotten_bytes; /* by `relieve`, in all */
    bool is_short;            /* the log says so */
    /* The worker's, during a look: idle bytes that could not be given back, and how often some
     * were. */
    uint64_t found_bytes;
    size_t left;
    unsigned trims;
};

/* bytes_max: the bound; 0: none. `log` may be NULL. */
void gz_memory_watch(struct gz_memory *memory, uv_loop_t *loop, struct gz_jobs *jobs,
                     uint64_t bytes_max, const struct gz_log *log);
/* Forgets at once what stands above GZ_MEMORY_FULL_PART, as the watch does when a request comes
 * near the bound: for who hands back what could not be forgotten before. NULL: does nothing. */
void gz_memory_relieve(struct gz_memory *memory);
/* Looks now, with a count of idle bytes, unless a worker is looking. For tests: the watch does so
 * every few seconds. */
void gz_memory_look(struct gz_memory *memory);
void gz_memory_close(struct gz_memory *memory);

/* What the process has, or may have after what it was allowed. */
uint64_t gz_memory_used(const struct gz_memory *memory);

/* Asks for a request that needs about `needed` bytes while it is done, and keeps `kept`.
 * GZ_TOO_MANY with a sentence if it needs more than half of what is left. A NULL memory has no
 * bound. */
GZ_MUST_USE enum gz_status gz_memory_take(struct gz_memory *memory, uint64_t kept, uint64_t needed,
                                          struct gz_error *error);
/* The same for work that gives back all at its end, by gz_memory_release. */
GZ_MUST_USE enum gz_status gz_memory_hold(struct gz_memory *memory, uint64_t bytes,
                                          struct gz_error *error);
void gz_memory_release(struct gz_memory *memory, uint64_t bytes);

/* GZ_TOO_MANY with a sentence while the bound is passed, although all was forgotten that can be. */
enum gz_status gz_memory_check(const struct gz_memory *memory, struct gz_error *error);

#endif
