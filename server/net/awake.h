/* awake.h - a clock that runs only while the daemon does. While the process is stopped, or waits
 * for a processor, it neither pings clients nor reads from them, so that this time must not count
 * as their silence: of a sweep that comes late, only the time until it was due counts. Times:
 * seconds. Threads: that of the loop. */
#ifndef GZ_NET_AWAKE_H
#define GZ_NET_AWAKE_H

/* Milliseconds from one sweep to the next. */
#define GZ_AWAKE_SWEEP_MS 250

struct gz_awake {
    double counted_s, swept_s; /* by this clock and by the monotonic one, at the last sweep */
};

double gz_awake_now(const struct gz_awake *awake);
/* Call it every GZ_AWAKE_SWEEP_MS, with the time of the monotonic clock. */
void gz_awake_sweep(struct gz_awake *awake, double mono_s);

#endif
