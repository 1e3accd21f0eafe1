/* pacing.h - when frames leave: how long a scene pauses on a full loop, and a timer of
 * microseconds. */
#ifndef GZ_CONN_PACING_H
#define GZ_CONN_PACING_H

#include <uv.h>

#include "proto/base/status.h"

/* ---- pause of a scene ---- */

/* How long a scene rests after a pass, so that messages that come meanwhile leave in one
 * frame per viewer instead of many. The rest grows with the load: from none, if passes without
 * rests would take up to GZ_REST_FROM of the loop's time, to twice the pass, if they would take
 * GZ_REST_FULL or more. Sending then takes a third of the time, whatever comes. Times: seconds, of
 * one monotonic clock. Threads: that of the loop. */

#define GZ_REST_FROM 0.65
#define GZ_REST_FULL 0.85

struct gz_pacing {
    double load;      /* the recent share of the time that passes without rests would take */
    double counted_s; /* the time up to which it is counted */
};

/* Counts time that passes without rests would have taken. */
void gz_pacing_count(struct gz_pacing *rest, double now_s, double work_s);
/* How long to rest after a pass that took `pass_s`. */
double gz_pacing_after(const struct gz_pacing *rest, double pass_s);

/* The time at which all viewers of a scene would have the news, if they were sent without a
 * rest. */
struct gz_pacing_round {
    double until_s;
};
/* Counts news for all viewers, which takes `round_s` to send, together with earlier news that is
 * not sent yet. */
void gz_pacing_count_round(struct gz_pacing *rest, struct gz_pacing_round *round, double now_s,
                           double round_s);

/* ---- timer ---- */

/* Wakes the loop at a time, with microseconds; libuv's own timers have milliseconds.
 * Times: seconds of CLOCK_MONOTONIC. Threads: that of the loop. */

struct gz_timer {
    uv_poll_t poll;
    int timer;
    double at_s; /* INFINITY for none */
};

/* GZ_INTERNAL if the kernel has no timer. Call gz_timer_finish afterwards, also after an error; a
 * timer of -1 is fine. */
GZ_MUST_USE enum gz_status gz_timer_open(struct gz_timer *alarm, struct gz_error *error);
void gz_timer_finish(struct gz_timer *alarm);

/* The alarm is on a loop from gz_timer_start to gz_timer_stop, after which the loop has to run once
 * more. */
void gz_timer_start(struct gz_timer *alarm, uv_loop_t *loop);
void gz_timer_stop(struct gz_timer *alarm);
/* Replaces the time. A past one wakes the loop at once, INFINITY never. */
void gz_timer_set(struct gz_timer *alarm, double at_s);

#endif
