/* pacing.c - when frames leave: how long a scene pauses on a full loop, and a timer of
 * microseconds. */
#include "conn/pacing.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

/* ---- pause of a scene ---- */

/* Measures how busy the loop would be without rests. */

/* Seconds over which the load is averaged: a single large message is no load. */
#define AVERAGED_S 0.3
/* The length of a rest on a full loop, in passes. */
#define PASSES_MAX 2

void gz_pacing_count(struct gz_pacing *rest, double now_s, double work_s)
{
    rest->load *= exp(-fmax(now_s - rest->counted_s, 0) / AVERAGED_S);
    rest->load += work_s / AVERAGED_S;
    rest->counted_s = now_s;
}

double gz_pacing_after(const struct gz_pacing *rest, double pass_s)
{
    const double share = (rest->load - GZ_REST_FROM) / (GZ_REST_FULL - GZ_REST_FROM);
    return PASSES_MAX * fmin(fmax(share, 0), 1) * pass_s;
}

void gz_pacing_count_round(struct gz_pacing *rest, struct gz_pacing_round *round, double now_s,
                           double round_s)
{
    gz_pacing_count(rest, now_s, now_s + round_s - fmax(round->until_s, now_s));
    round->until_s = now_s + round_s;
}

/* ---- timer ---- */

/* Wakes the loop at a time. */

/* The longest time that the timer is set to; a later alarm is set again then. */
#define WAIT_S_MAX 1e9

static void handle_time(uv_poll_t *poll, int status, int events)
{
    struct gz_timer *alarm = poll->data;
    uint64_t times;
    (void)status, (void)events;
    alarm->at_s = INFINITY;
    if (read(alarm->timer, &times, sizeof times) < 0) return; /* it was set again meanwhile */
}

enum gz_status gz_timer_open(struct gz_timer *alarm, struct gz_error *error)
{
    alarm->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (alarm->timer < 0)
        return gz_fail(error, GZ_INTERNAL, "cannot create a timer: %s", strerror(errno));
    return GZ_OK;
}

void gz_timer_finish(struct gz_timer *alarm)
{
    if (alarm->timer >= 0) close(alarm->timer);
}

void gz_timer_start(struct gz_timer *alarm, uv_loop_t *loop)
{
    alarm->at_s = INFINITY;
    uv_poll_init(loop, &alarm->poll, alarm->timer);
    alarm->poll.data = alarm;
    uv_poll_start(&alarm->poll, UV_READABLE, handle_time);
}

void gz_timer_stop(struct gz_timer *alarm)
{
    uv_close((uv_handle_t *)&alarm->poll, NULL);
}

/* A time of zero would mean never. */
static struct timespec time_of(double at_s)
{
    const double at = fmin(fmax(at_s, 1e-9), WAIT_S_MAX), whole = floor(at);
    const long nanoseconds = (long)((at - whole) * 1e9);
    return (struct timespec){(time_t)whole, whole == 0 && nanoseconds == 0 ? 1 : nanoseconds};
}

void gz_timer_set(struct gz_timer *alarm, double at_s)
{
    struct itimerspec time = {0};
    if (at_s == alarm->at_s) return;
    if (!isinf(at_s) || at_s < 0) time.it_value = time_of(at_s);
    timerfd_settime(alarm->timer, TFD_TIMER_ABSTIME, &time, NULL);
    alarm->at_s = at_s;
}
