/* fault_preload.h - a hand on the disk and the memory of a whole daemon: a library that is loaded
 * before the C library's functions (LD_PRELOAD). While the daemon runs it does what the test writes
 * into a page of memory that both share.
 *
 * The disk: calls on regular files, but for the process' own three descriptors. The memory: malloc,
 * calloc and realloc, by whichever library, but not by a sanitizer that starts a thread; free never
 * fails. Threads: any, on both sides; what is armed during a call is in force from the next call
 * on. Linux with glibc. */
#ifndef TESTS_SUPPORT_FAULT_PRELOAD_H
#define TESTS_SUPPORT_FAULT_PRELOAD_H

#include <stdatomic.h>
#include <stdbool.h>

#include "support/daemon.h"

/* The environment's name for the file that holds the page. */
#define FAULT_CONTROL_VARIABLE "GZ_FAULT_CONTROL"

enum fault_disk_call {
    FAULT_DISK_WRITE,    /* pwrite */
    FAULT_DISK_SYNC,     /* fsync, fdatasync */
    FAULT_DISK_TRUNCATE, /* ftruncate */
    FAULT_DISK_OPEN,     /* open of a file in the daemon's data folder */
    FAULT_DISK_READ,     /* pread */
    FAULT_DISK_CALLS,
    /* In the daemon's data folder; these do not fail, but the daemon can be killed there. */
    FAULT_DISK_CREATE = FAULT_DISK_CALLS, /* open that may create the file */
    FAULT_DISK_NAME,                      /* unlink, rename, renameat2 */
    FAULT_DISK_STAMP                      /* lsetxattr */
};
#define FAULT_DISK_ALL ((1u << FAULT_DISK_CALLS) - 1)
/* The calls that change what a disk holds. */
#define FAULT_DISK_CHANGES                                                                         \
    (1u << FAULT_DISK_WRITE | 1u << FAULT_DISK_SYNC | 1u << FAULT_DISK_TRUNCATE |                  \
     1u << FAULT_DISK_CREATE | 1u << FAULT_DISK_NAME | 1u << FAULT_DISK_STAMP)

/* What a call does instead of its work: an errno, or one of these. */
#define FAULT_EFFECT_SHORT                                                                         \
    (-1)                       /* half of the bytes are taken; what is tried after them is ENOSPC */
#define FAULT_EFFECT_HANG (-2) /* it does not return before the disk is healed */
#define FAULT_EFFECT_KILL (-3) /* the daemon is killed before the call does anything */

/* The page. All of it is the test's to write but for the counters. */
struct fault_control {
    char folder[128];       /* of the files whose opening can fail */
    _Atomic unsigned calls; /* 1 << enum fault_disk_call of those that fail; 0: the disk is well */
    _Atomic int effect;
    _Atomic long well;              /* such calls that still go well */
    _Atomic long struck;            /* those that failed since it was armed */
    _Atomic long allocations;       /* since memory was armed */
    _Atomic long first, last;       /* the allocations that fail; 0: none */
    _Atomic bool is_without_sqlite; /* SQLite's are neither counted nor fail */
};

/* Makes the page and has the daemon load the library from its next start on. The page lives until
 * fault_control_finish. */
struct fault_control *fault_control_init(struct test_daemon *daemon);
void fault_control_finish(struct fault_control *control);

/* From now on `well` of these calls go well, and all after them fail. */
void fault_disk_arm(struct fault_control *control, unsigned calls, int effect, long well);
/* Whether any call failed. */
bool fault_disk_heal(struct fault_control *control);
/* Waits for the first call that fails; false where none came within a few seconds. */
bool fault_disk_await(const struct fault_control *control);

/* The allocations from the first to the last, counted from now on, fail. SQLite makes most of all:
 * `is_without_sqlite` is about the others. */
void fault_memory_arm(struct fault_control *control, bool is_without_sqlite, long first, long last);
/* How many allocations there were since. */
long fault_memory_heal(struct fault_control *control);

#endif
