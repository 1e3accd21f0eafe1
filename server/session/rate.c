/* rate.c - counts what a session asks for. See rate.h. */
#include "session/rate.h"

#include <math.h>

#include "server/maxima.h"

struct gz_rate gz_rate_of(double per_s, double now_s)
{
    return (struct gz_rate){.per_s = per_s,
                            .tokens = per_s,
                            .counted_s = now_s,
                            .over_last_s = -INFINITY,
                            .warned_s = -INFINITY};
}

bool gz_rate_take(struct gz_rate *rate, double now_s)
{
    double filled = rate->tokens + (now_s - rate->counted_s) * rate->per_s;
    rate->tokens = fmin(filled, rate->per_s);
    rate->counted_s = now_s;
    if (rate->tokens < 1) return false;
    rate->tokens -= 1;
    return true;
}

void gz_rate_charge(struct gz_rate *rate, double messages)
{
    rate->tokens -= messages;
}

enum gz_excess gz_rate_exceed(struct gz_rate *rate, double now_s)
{
    if (now_s - rate->over_last_s > 1) rate->over_since_s = now_s;
    rate->over_last_s = now_s;
    bool ends = now_s - rate->over_since_s > GZ_RATE_SECONDS_MAX;
    if (!ends && now_s - rate->warned_s < 1) return GZ_EXCESS_DROP;
    rate->warned_s = now_s;
    return ends ? GZ_EXCESS_END : GZ_EXCESS_WARN;
}
