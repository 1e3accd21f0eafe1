/* audit.h - the whole check of a file while it is served, on a thread of its own at the lowest
 * priority of the process. Stores of one process take turns, because a check reads the whole file.
 * Threads: those of gz_audit_start and gz_audit_finish are the opener's and the closer's; the
 * result is read by any. */
#ifndef GZ_STORE_AUDIT_H
#define GZ_STORE_AUDIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <uv.h>

#include "proto/base/log.h"
#include "proto/limits.h"

/* Lets one audit run at a time. Outlives the audits. */
struct gz_store_turns {
    uv_mutex_t mutex;
    uv_cond_t over;
    bool is_taken;
};

enum gz_audit_result {
    GZ_AUDIT_NONE,    /* there is nothing to check */
    GZ_AUDIT_PENDING, /* it runs, or waits; also after an end before its time */
    GZ_AUDIT_WHOLE,   /* no faults */
    GZ_AUDIT_DAMAGED
};

/* Zeroed at first. Does not move in memory while it runs. */
struct gz_audit {
    _Atomic enum gz_audit_result result;
    char damage[GZ_ERROR_BYTES_MAX]; /* with GZ_AUDIT_DAMAGED: why the file can only be read */
    /* private */
    const char *path;
    const struct gz_log *log;
    struct gz_store_turns *turns;
    void (*notify)(void *context);
    void *context;
    uv_thread_t thread;
    bool has_thread;
    atomic_bool is_stopped;
};

/* Checks the file from now on, and then calls `notify`, unless it is NULL, on its thread. The path,
 * the log and `turns`, which may be NULL, outlive it. Without a thread the result stays
 * GZ_AUDIT_PENDING. */
void gz_audit_start(struct gz_audit *audit, const char *path, struct gz_store_turns *turns,
                    const struct gz_log *log, void (*notify)(void *context), void *context);
/* Ends the check within milliseconds of SQLite's work, whether it is done or not. */
void gz_audit_finish(struct gz_audit *audit);

#endif
