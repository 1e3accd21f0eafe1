/* alarm.c - wakes the loop at a time. See alarm.h. */
#include "net/alarm.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

/* The longest time that the timer is set to; a later alarm is set again then. */
#define WAIT_S_MAX 1e9

static void handle_time(uv_poll_t *poll, int status, int events)
{
    struct gz_alarm *alarm = poll->data;
    uint64_t times;
    (void)status, (void)events;
    alarm->at_s = INFINITY;
    if (read(alarm->timer, &times, sizeof times) < 0) return; /* it was set again meanwhile */
}

enum gz_status gz_alarm_open(struct gz_alarm *alarm, struct gz_error *error)
{
    alarm->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (alarm->timer < 0)
        return gz_fail(error, GZ_INTERNAL, "cannot create a timer: %s", strerror(errno));
    return GZ_OK;
}

void gz_alarm_finish(struct gz_alarm *alarm)
{
    if (alarm->timer >= 0) close(alarm->timer);
}

void gz_alarm_start(struct gz_alarm *alarm, uv_loop_t *loop)
{
    alarm->at_s = INFINITY;
    uv_poll_init(loop, &alarm->poll, alarm->timer);
    alarm->poll.data = alarm;
    uv_poll_start(&alarm->poll, UV_READABLE, handle_time);
}

void gz_alarm_stop(struct gz_alarm *alarm)
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

void gz_alarm_set(struct gz_alarm *alarm, double at_s)
{
    struct itimerspec time = {0};
    if (at_s == alarm->at_s) return;
    if (!isinf(at_s) || at_s < 0) time.it_value = time_of(at_s);
    timerfd_settime(alarm->timer, TFD_TIMER_ABSTIME, &time, NULL);
    alarm->at_s = at_s;
}
