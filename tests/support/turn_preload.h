/* turn_preload.h - the page of memory that turn_preload.c shares with a benchmark or a test,
 * which sets all of it to 0 whenever it begins to measure. */
#ifndef TESTS_SUPPORT_TURN_PRELOAD_H
#define TESTS_SUPPORT_TURN_PRELOAD_H

#include <stdatomic.h>
#include <stdint.h>

#include "support/daemon.h"

/* The name, in the environment, of the file that holds the page: tests/support/daemon.c sets it. */
#define TURN_PAGE_VARIABLE "GZ_FAULT_CONTROL"

/* Of the turns since it was set to 0. */
struct turn_page {
    _Atomic uint64_t turns;
    _Atomic uint64_t wall_ns; /* the longest turn, from one wait of the loop to the next */
    _Atomic uint64_t cpu_ns;  /* the most processor time that one turn took */
    _Atomic uint64_t
        freed_bytes; /* the most that one turn freed: memory, and files without a name */
};

/* Before the daemon is started: it is to load the library. The page is for munmap. */
struct turn_page *turn_page_open(struct test_daemon *daemon);

#endif
