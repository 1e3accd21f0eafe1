/* clock.h - reads the time for the cores. Threads: any. */
#ifndef GZ_NET_CLOCK_H
#define GZ_NET_CLOCK_H

#include <time.h>

#include "session/core.h"

static inline double gz_clock_mono_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static inline struct gz_now gz_clock_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (struct gz_now){.unix_s = (double)time.tv_sec + (double)time.tv_nsec * 1e-9,
                           .mono_s = gz_clock_mono_s()};
}

#endif
