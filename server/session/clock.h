/* clock.h - the clock of a scene: the one place that gives times. */
#ifndef GZ_SESSION_CLOCK_H
#define GZ_SESSION_CLOCK_H

#include "session/host.h"

struct gz_clock {
    /* The time of the host's latest call. `now.unix_s` follows the wall clock and never goes back:
     * after the wall clock was put back, `now.unix_s` goes on at GZ_CLOCK_RATE_MIN until the wall
     * clock has caught up. */
    struct gz_now now;
    double moment_s; /* the latest one that gz_clock_moment gave */
};

/* A clock that begins at `newest_s`, the newest time of the file. */
struct gz_clock gz_clock_from(double newest_s);
/* The host's clocks say `now`. */
void gz_clock_advance(struct gz_clock *clock, struct gz_now now);
/* The time at which an edit begins or ends, or of a batch with its samples: later than every moment
 * given before, so that no two of them have the same one. */
double gz_clock_moment(struct gz_clock *clock);

#endif
