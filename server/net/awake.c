/* A clock that runs only while the daemon does. */
#include "net/awake.h"

#include <math.h>

#include "net/clock.h"

#define COUNTED_S_MAX 0.5

static double counted_at(const struct gz_awake *awake, double mono_s)
{
    return awake->counted_s + fmin(mono_s - awake->swept_s, COUNTED_S_MAX);
}

double gz_awake_now(const struct gz_awake *awake)
{
    return counted_at(awake, gz_clock_mono_s());
}

void gz_awake_sweep(struct gz_awake *awake)
{
    double mono_s = gz_clock_mono_s();
    *awake = (struct gz_awake){counted_at(awake, mono_s), mono_s};
}
