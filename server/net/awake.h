/* awake.h - a clock that runs only while the daemon does. While the process is stopped, or waits
 * for a processor, it neither pings clients nor reads from them, so that this time must not count
 * as their silence. Times: seconds. Threads: that of the loop. */
#ifndef GZ_NET_AWAKE_H
#define GZ_NET_AWAKE_H

struct gz_awake {
    double counted_s, swept_s; /* by this clock and by the monotonic one, at the last sweep */
};

double gz_awake_now(const struct gz_awake *awake);
/* Call it several times a second: the time since the last call counts at most 0.5 s. */
void gz_awake_sweep(struct gz_awake *awake);

#endif
