/* rest.c - measures how busy the loop would be without rests. See rest.h. */
#include "net/rest.h"

#include <math.h>

/* Seconds over which the load is averaged: a single large message is no load. */
#define AVERAGED_S 0.3
/* The length of a rest on a full loop, in passes. */
#define PASSES_MAX 2

void gz_rest_count(struct gz_rest *rest, double now_s, double work_s)
{
    rest->load *= exp(-fmax(now_s - rest->counted_s, 0) / AVERAGED_S);
    rest->load += work_s / AVERAGED_S;
    rest->counted_s = now_s;
}

double gz_rest_after(const struct gz_rest *rest, double pass_s)
{
    const double share = (rest->load - GZ_REST_FROM) / (GZ_REST_FULL - GZ_REST_FROM);
    return PASSES_MAX * fmin(fmax(share, 0), 1) * pass_s;
}

void gz_rest_count_round(struct gz_rest *rest, struct gz_rest_round *round, double now_s,
                         double round_s)
{
    gz_rest_count(rest, now_s, now_s + round_s - fmax(round->until_s, now_s));
    round->until_s = now_s + round_s;
}
