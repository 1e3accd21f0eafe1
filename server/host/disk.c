/* disk.c - the disk: shares of users and scenes, and free space. */
#include "host/disk.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

#include "server/maxima.h"

/* ---- shares ---- */

/* Counts the use of accounts. */

/* The account that loses least if it is forgotten. */
static struct gz_account *fullest(struct gz_quota *quota, double now_s)
{
    struct gz_account *found = &quota->accounts[0];
    for (size_t i = 1; i < quota->count; i++) {
        struct gz_account *account = &quota->accounts[i];
        if (gz_rate_left(&account->rate, now_s) > gz_rate_left(&found->rate, now_s))
            found = account;
    }
    return found;
}

static struct gz_rate *find(struct gz_quota *quota, const char *name, double now_s)
{
    for (size_t i = 0; i < quota->count; i++) {
        if (strncmp(quota->accounts[i].name, name, GZ_USER_BYTES_MAX) == 0)
            return &quota->accounts[i].rate;
    }
    struct gz_account *account =
        quota->count < GZ_ACCOUNTS_MAX ? &quota->accounts[quota->count++] : fullest(quota, now_s);
    account->rate = gz_rate_up_to(quota->at_once, quota->per_s, now_s);
    snprintf(account->name, sizeof account->name, "%s", name);
    return &account->rate;
}

bool gz_quota_has(struct gz_quota *quota, const char *name, double amount, double now_s)
{
    return gz_rate_left(find(quota, name, now_s), now_s) >= fmin(amount, quota->at_once);
}

void gz_quota_take(struct gz_quota *quota, const char *name, double amount, double now_s)
{
    gz_rate_charge(find(quota, name, now_s), amount, now_s);
}

/* ---- disk ---- */

/* Watches the free space of a disk. */

#define LOOK_MS 1000
/* Free bytes of a disk that takes no more files, as good as none. */
#define NO_INODES 1
/* The refusal ends with this part of the bound more free space, so that it does not flicker. */
#define ENOUGH_PART 8

static uint64_t look(const char *folder)
{
    struct statvfs disk;
    if (statvfs(folder, &disk) != 0 || disk.f_blocks == 0) return UINT64_MAX;
    /* a disk without inodes takes no file; some do not count them */
    if (disk.f_files > 0 && disk.f_favail < GZ_KEEP_INODES) return NO_INODES;
    return (uint64_t)disk.f_bavail * disk.f_frsize;
}

bool gz_disk_is_full(const struct gz_disk *disk)
{
    return disk->keep_bytes != 0 && disk->free_bytes <= NO_INODES;
}

enum gz_status gz_disk_check(const struct gz_disk *disk, struct gz_error *error)
{
    if (disk == NULL || !disk->is_short) return GZ_OK;
    return gz_fail_no_room(error,
                           "the server's disk has less than %llu MB free%s: edits are refused "
                           "until there is more space",
                           (unsigned long long)(disk->keep_bytes >> 20),
                           disk->free_bytes == NO_INODES ? ", or too few inodes" : "");
}

enum gz_status gz_disk_reserve(struct gz_disk *disk, uint64_t bytes, struct gz_error *error)
{
    if (disk == NULL) return GZ_OK;
    uint64_t reserved = atomic_fetch_add(&disk->reserved_bytes, bytes) + bytes;
    if (disk->keep_bytes == 0) return GZ_OK;
    uint64_t free_bytes = look(disk->folder);
    if (free_bytes >= reserved && free_bytes - reserved >= disk->keep_bytes) return GZ_OK;
    gz_disk_release(disk, bytes);
    return gz_fail_no_room(
        error,
        "the server's disk would have less than %llu MB free with this file: try again "
        "when there is more space",
        (unsigned long long)(disk->keep_bytes >> 20));
}

void gz_disk_release(struct gz_disk *disk, uint64_t bytes)
{
    if (disk != NULL) atomic_fetch_sub(&disk->reserved_bytes, bytes);
}

void gz_disk_found(struct gz_disk *disk, uint64_t free_bytes)
{
    const uint64_t more = disk->is_short ? disk->keep_bytes / ENOUGH_PART : 0;
    const bool is_short = free_bytes < disk->keep_bytes + more;
    const bool was_short = disk->is_short;
    struct gz_error error;
    disk->free_bytes = free_bytes;
    disk->is_short = is_short;
    if (is_short && !was_short && gz_disk_check(disk, &error) != GZ_OK)
        gz_log(disk->log, GZ_ERROR, 0, "%s", error.message);
    if (!is_short && was_short)
        gz_log(disk->log, GZ_INFO, 0, "the disk has %llu MB free: edits are accepted again",
               (unsigned long long)(free_bytes >> 20));
}

void gz_disk_keep(struct gz_disk *disk, uint64_t keep_bytes)
{
    disk->keep_bytes = keep_bytes;
    gz_disk_found(disk, disk->free_bytes);
}

static void run_look(struct gz_job *job)
{
    struct gz_disk *disk = job->context;
    disk->found_bytes = look(disk->folder);
}

static void handle_looked(struct gz_job *job)
{
    struct gz_disk *disk = job->context;
    disk->is_looking = false;
    if (!job->is_cancelled) gz_disk_found(disk, disk->found_bytes);
}

static void handle_tick(uv_timer_t *tick)
{
    struct gz_disk *disk = tick->data;
    if (disk->is_looking) return;
    disk->is_looking = true;
    disk->job = (struct gz_job){.lane = GZ_LANE_DISK,
                                .subject = "",
                                .group = "",
                                .user = "",
                                .run = run_look,
                                .done = handle_looked,
                                .context = disk};
    gz_job_start(disk->jobs, &disk->job);
}

void gz_disk_watch(struct gz_disk *disk, uv_loop_t *loop, struct gz_jobs *jobs, const char *folder,
                   uint64_t keep_bytes, const struct gz_log *log)
{
    *disk = (struct gz_disk){.folder = folder, .log = log, .jobs = jobs, .keep_bytes = keep_bytes};
    uv_timer_init(loop, &disk->tick);
    disk->tick.data = disk;
    uv_timer_start(&disk->tick, handle_tick, LOOK_MS, LOOK_MS);
    gz_disk_found(disk, look(folder));
}

void gz_disk_close(struct gz_disk *disk)
{
    uv_close((uv_handle_t *)&disk->tick, NULL);
}
