/* clock.h - the core's clock: the one place that gives times. */
#ifndef GZ_SESSION_CLOCK_H
#define GZ_SESSION_CLOCK_H

#include "session/internal.h"

/* The core's time begins at `newest_s`, the newest time of the file. */
void gz_core_start_clock(struct gz_core *core, double newest_s);
/* Each call of the host that has work done begins with this: the scratch is empty, and this is the
 * time. `core->now.unix_s` follows the wall clock and never goes back: after that was put back, it
 * goes on at GZ_CLOCK_RATE_MIN until the wall clock has caught up. */
void gz_core_enter(struct gz_core *core, struct gz_now now);
/* The time at which an edit begins or ends, or of a batch with its samples: later than every moment
 * given before, so that no two of them have the same one. */
double gz_core_moment(struct gz_core *core);

#endif
