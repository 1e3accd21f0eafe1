/* clock.h - the clock of a scene: all times of its history come from here. A wall clock that was
 * ahead, here or where the file comes from, stays in these times. So nobody's rights may go by
 * them. */
#ifndef GZ_SESSION_CLOCK_H
#define GZ_SESSION_CLOCK_H

#include "session/host.h"

struct gz_clock {
    /* The time of the host's latest call. `now.unix_s` follows the wall clock and never goes back:
     * after the wall clock was put back, `now.unix_s` goes on at GZ_CLOCK_RATE_MIN until the wall
     * clock has caught up. */
    struct gz_now now;
    double wall_s;   /* the wall clock at that call, wherever it was before: by it tokens expire */
    double moment_s; /* the latest one that gz_clock_moment gave */
};

/* A clock that starts at `newest_s`, the newest time in the file. */
struct gz_clock gz_clock_from(double newest_s);
/* The host's clocks say `now`. */
void gz_clock_advance(struct gz_clock *clock, struct gz_now now);
/* A time for the beginning or the end of an edit, or for a batch and its samples. It is later than
 * every time given before, so that all of them differ. */
double gz_clock_moment(struct gz_clock *clock);

#endif
