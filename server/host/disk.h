/* disk.h - the disk: shares of users and scenes, and free space. */
#ifndef GZ_HOST_DISK_H
#define GZ_HOST_DISK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/budget.h"
#include "host/job.h"
#include "proto/base/log.h"
#include "proto/base/status.h"
#include "proto/limits.h"
#include "server/maxima.h"

/* ---- shares ---- */

/* A token bucket for each account: an amount at once, and an amount per second. An
 * account is the name of a user, an address, or a scene.
 *
 * Pure: times are monotonic seconds that are passed in. Bounded: beyond GZ_ACCOUNTS_MAX the account
 * that has the most left is forgotten, and begins again later. Threads: one at a time. */

struct gz_account {
    char name[GZ_USER_BYTES_MAX + 1];
    struct gz_rate rate;
};

struct gz_quota {
    double at_once, per_s;
    size_t count;
    struct gz_account accounts[GZ_ACCOUNTS_MAX];
};

/* Whether the account has `amount` left; more than the amount at once needs a full account. Names
 * longer than a user's are cut. */
bool gz_quota_has(struct gz_quota *quota, const char *name, double amount, double now_s);
/* Takes the amount, into debt if need be. */
void gz_quota_take(struct gz_quota *quota, const char *name, double amount, double now_s);

/* ---- disk ---- */

/* Watches the free space of the data folder's disk, once a second, on a worker, so that a
 * disk that hangs blocks nothing. Below a bound edits are refused, so that there is space for
 * acknowledged edits, for records of joins and leaves, and for the operator; viewing goes on. The
 * refusal ends once there is an eighth of the bound more. Files of uploads and downloads leave the
 * same space free.
 *
 * Ownership: the caller's; the loop must run on after gz_disk_close until it ends. Threads: the
 * loop's, except gz_disk_reserve and gz_disk_release, which are for workers. Errors: if the free
 * space is unknown, it counts as enough. */

struct gz_disk {
    uint64_t free_bytes;   /* found last */
    _Atomic bool is_short; /* edits are refused; read on any thread */
    /* private to disk.c */
    const char *folder;
    const struct gz_log *log;
    struct gz_jobs *jobs;
    _Atomic uint64_t keep_bytes;
    uv_timer_t tick;
    struct gz_job job;
    bool is_looking;
    uint64_t found_bytes; /* the worker's, during a look */
    _Atomic uint64_t reserved_bytes;
};

/* Whether it takes no more files or bytes at all. */
bool gz_disk_is_full(const struct gz_disk *disk);
/* Looks at once, on this thread, and then every second. The strings must outlive the struct.
 * keep_bytes: the bound; 0 for none. */
void gz_disk_watch(struct gz_disk *disk, uv_loop_t *loop, struct gz_jobs *jobs, const char *folder,
                   uint64_t keep_bytes, const struct gz_log *log);
void gz_disk_close(struct gz_disk *disk);

/* Sets another bound, and what follows from it at once. */
void gz_disk_keep(struct gz_disk *disk, uint64_t keep_bytes);
/* Sets the free space that was found. */
void gz_disk_found(struct gz_disk *disk, uint64_t free_bytes);
/* GZ_STORAGE while edits are refused. NULL is a disk with space. */
GZ_MUST_USE enum gz_status gz_disk_check(const struct gz_disk *disk, struct gz_error *error);

/* Any thread; blocks for the disk. Reserves `bytes` for a file until it is written: GZ_STORAGE if
 * less than the bound would be left besides all reservations. NULL is a disk with space. */
GZ_MUST_USE enum gz_status gz_disk_reserve(struct gz_disk *disk, uint64_t bytes,
                                           struct gz_error *error);
/* The file is written, or will not be: ends the reservation. */
void gz_disk_release(struct gz_disk *disk, uint64_t bytes);

#endif
