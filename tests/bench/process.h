/* process.h - what a process, all of its threads, took of the processors. */
#ifndef TESTS_BENCH_PROCESS_H
#define TESTS_BENCH_PROCESS_H

#include <sys/types.h>
#include <time.h>

#include "support/cmocka.h"

/* In seconds since its start. */
static inline double process_cpu_s(pid_t pid)
{
    clockid_t clock;
    struct timespec used;
    assert_int_equal(clock_getcpuclockid(pid, &clock), 0);
    assert_int_equal(clock_gettime(clock, &used), 0);
    return (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
}

#endif
