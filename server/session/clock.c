/* clock.c - times of a scene that never go back, even if the wall clock does: otherwise a client
 * that pages through the history by `since` or `before` would miss edits. See clock.h. */
#include "session/clock.h"

#include <math.h>

#include "server/maxima.h"

/* The smallest step between two moments; doubles near today's times are 0.24 microseconds apart. */
#define STEP_S 1e-6

struct gz_clock gz_clock_from(double newest_s)
{
    /* INFINITY: no interval has passed when the host gives its first time. */
    return (struct gz_clock){.now = {newest_s, INFINITY}, .moment_s = newest_s};
}

void gz_clock_advance(struct gz_clock *clock, struct gz_now now)
{
    double passed_s = fmax(now.mono_s - clock->now.mono_s, 0);
    double at_least_s = clock->now.unix_s + GZ_CLOCK_RATE_MIN * passed_s;
    clock->wall_s = now.unix_s;
    clock->now = (struct gz_now){fmax(now.unix_s, at_least_s), now.mono_s};
}

double gz_clock_moment(struct gz_clock *clock)
{
    double next_s = fmax(clock->moment_s + STEP_S, nextafter(clock->moment_s, INFINITY));
    clock->now.unix_s = clock->moment_s = fmax(clock->now.unix_s, next_s);
    return clock->moment_s;
}
