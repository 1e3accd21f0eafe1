/* clock.c - gives times. The wall clock may be put back, the times of a scene never go back: a
 * client that pages through them by `since` or `before` would lose what lies on the other side. See
 * clock.h. */
#include "session/clock.h"

#include <math.h>

#include "server/maxima.h"

/* The smallest step between two moments: the doubles near today's times are 0.24 microseconds
 * apart. */
#define STEP_S 1e-6

void gz_core_start_clock(struct gz_core *core, double newest_s)
{
    core->moment_s = newest_s;
    core->now =
        (struct gz_now){newest_s, INFINITY}; /* nothing passed yet when the first time comes */
}

void gz_core_enter(struct gz_core *core, struct gz_now now)
{
    gz_arena_reset(&core->scratch, GZ_EDIT_BYTES_MAX);
    double passed_s = fmax(now.mono_s - core->now.mono_s, 0);
    double at_least_s = core->now.unix_s + GZ_CLOCK_RATE_MIN * passed_s;
    core->now = (struct gz_now){fmax(now.unix_s, at_least_s), now.mono_s};
}

double gz_core_moment(struct gz_core *core)
{
    double next_s = fmax(core->moment_s + STEP_S, nextafter(core->moment_s, INFINITY));
    core->now.unix_s = core->moment_s = fmax(core->now.unix_s, next_s);
    return core->moment_s;
}
