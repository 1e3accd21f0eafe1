/* clock.c - A clock that runs only while the daemon does. */
#include "conn/clock.h"

#include <math.h>

static double counted_at(const struct gz_awake *awake, double mono_s)
{
    return awake->counted_s + fmin(mono_s - awake->swept_s, GZ_AWAKE_SWEEP_MS * 1e-3);
}

double gz_awake_now(const struct gz_awake *awake)
{
    return counted_at(awake, gz_clock_mono_s());
}

void gz_awake_sweep(struct gz_awake *awake, double mono_s)
{
    *awake = (struct gz_awake){counted_at(awake, mono_s), mono_s};
}
