/* disk.h - how much room the disk of the data folder has. It is looked at once a second, on a
 * worker: a disk that hangs holds up nobody. Below a bound edits are refused, so that there is room
 * for what was acknowledged, for the logs of who came and went, and for the operator; viewing goes
 * on. That ends by itself once there is an eighth of the bound more. Files that requests make, for
 * uploads and downloads, leave the same room.
 *
 * Ownership: the caller's; the loop must run on after gz_disk_close until it ends. Threads: the
 * loop's, but for gz_disk_reserve and gz_disk_release, which are for workers. Errors: a disk that
 * does not say how much room it has counts as one that has enough. */
#ifndef GZ_HOST_DISK_H
#define GZ_HOST_DISK_H

#include <stdatomic.h>

#include "host/job.h"
#include "proto/base/log.h"
#include "proto/base/status.h"

struct gz_disk {
    uint64_t free_bytes;   /* as it was found last */
    _Atomic bool is_short; /* edits are refused; any thread reads it */
    /* disk.c's */
    const char *folder;
    const struct gz_log *log;
    struct gz_jobs *jobs;
    uint64_t keep_bytes;
    uv_timer_t tick;
    struct gz_job job;
    bool is_looking;
    uint64_t found_bytes; /* the worker's, while it looks */
    _Atomic uint64_t reserved_bytes;
};

/* Looks at once, on this thread, and then every second. The strings must live as long. keep_bytes:
 * the bound; 0 for none. */
void gz_disk_watch(struct gz_disk *disk, uv_loop_t *loop, struct gz_jobs *jobs, const char *folder,
                   uint64_t keep_bytes, const struct gz_log *log);
void gz_disk_close(struct gz_disk *disk);

/* It was found to have this much room. */
void gz_disk_found(struct gz_disk *disk, uint64_t free_bytes);
/* GZ_STORAGE, in words, while edits are refused. NULL is a disk with room. */
GZ_MUST_USE enum gz_status gz_disk_check(const struct gz_disk *disk, struct gz_error *error);

/* Any thread; blocks for the disk. Takes room for a file of so many bytes, until it is written:
 * GZ_STORAGE, in words, if less than the bound would be left, with what others have taken. NULL is
 * a disk with room. */
GZ_MUST_USE enum gz_status gz_disk_reserve(struct gz_disk *disk, uint64_t bytes,
                                           struct gz_error *error);
/* It is written, or will not be. */
void gz_disk_release(struct gz_disk *disk, uint64_t bytes);

#endif
