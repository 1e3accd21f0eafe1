/* clock.h - reads the time for the cores. Threads: any. */
#ifndef GZ_NET_CLOCK_H
#define GZ_NET_CLOCK_H

#include <time.h>

#include "session/core.h"

static inline struct gz_now gz_clock_now(void)
{
    struct timespec unix_time, mono_time;
    clock_gettime(CLOCK_REALTIME, &unix_time);
    clock_gettime(CLOCK_MONOTONIC, &mono_time);
    return (struct gz_now){.unix_s = (double)unix_time.tv_sec + (double)unix_time.tv_nsec * 1e-9,
                           .mono_s = (double)mono_time.tv_sec + (double)mono_time.tv_nsec * 1e-9};
}

#endif
