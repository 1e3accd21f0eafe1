/* rate.c - a token bucket. See rate.h. */
#include "session/rate.h"

#include <math.h>

#include "server/maxima.h"

struct gz_rate gz_rate_up_to(double most, double per_s, double now_s)
{
    return (struct gz_rate){.per_s = per_s,
                            .most = most,
                            .tokens = most,
                            .counted_s = now_s,
                            .over_last_s = -INFINITY,
                            .warned_s = -INFINITY};
}

struct gz_rate gz_rate_of(double per_s, double now_s)
{
    return gz_rate_up_to(per_s, per_s, now_s);
}

double gz_rate_left(struct gz_rate *rate, double now_s)
{
    double filled = rate->tokens + (now_s - rate->counted_s) * rate->per_s;
    rate->tokens = fmin(filled, rate->most);
    rate->counted_s = now_s;
    return rate->tokens;
}

bool gz_rate_has(struct gz_rate *rate, double now_s)
{
    return gz_rate_left(rate, now_s) >= 1;
}

bool gz_rate_take(struct gz_rate *rate, double now_s)
{
    bool has = gz_rate_has(rate, now_s);
    if (has) gz_rate_charge(rate, 1, now_s);
    return has;
}

void gz_rate_charge(struct gz_rate *rate, double tokens, double now_s)
{
    rate->tokens = gz_rate_left(rate, now_s) - tokens;
}

bool gz_rate_is_above(struct gz_rate *rate, double part, double now_s)
{
    return gz_rate_left(rate, now_s) > part * rate->most;
}

double gz_rate_above_s(const struct gz_rate *rate, double part)
{
    double wanted = fmin(part * rate->most + 1, rate->most);
    return rate->counted_s + (wanted - rate->tokens) / rate->per_s;
}

double gz_rate_warns_s(const struct gz_rate *rate)
{
    return rate->warned_s + 1;
}

bool gz_rate_warns(struct gz_rate *rate, double now_s)
{
    bool warns = now_s >= gz_rate_warns_s(rate);
    if (warns) rate->warned_s = now_s;
    return warns;
}

enum gz_excess gz_rate_exceed(struct gz_rate *rate, double now_s)
{
    if (now_s - rate->over_last_s > 1) rate->over_since_s = now_s;
    rate->over_last_s = now_s;
    if (now_s - rate->over_since_s > GZ_RATE_SECONDS_MAX) return GZ_EXCESS_END;
    return gz_rate_warns(rate, now_s) ? GZ_EXCESS_WARN : GZ_EXCESS_DROP;
}
