/* clock.h - the time, for the cores and for connections. */
#ifndef GZ_CONN_CLOCK_H
#define GZ_CONN_CLOCK_H

#include <time.h>

#include "core/core.h"

/* ---- the time ---- */

/* Reads the time for the cores. Threads: any. */

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

/* ---- how late it is for connections ---- */

/* A clock that runs only while the daemon does. While the process is stopped, or waits
 * for a processor, it neither pings clients nor reads from them, so that this time must not count
 * as their silence: of a sweep that comes late, only the time until it was due counts. Times:
 * seconds. Threads: that of the loop. */

/* Milliseconds from one sweep to the next. */
#define GZ_AWAKE_SWEEP_MS 250

struct gz_awake {
    double counted_s, swept_s; /* by this clock and by the monotonic one, at the last sweep */
};

double gz_awake_now(const struct gz_awake *awake);
/* Call it every GZ_AWAKE_SWEEP_MS, with the time of the monotonic clock. */
void gz_awake_sweep(struct gz_awake *awake, double mono_s);

#endif
