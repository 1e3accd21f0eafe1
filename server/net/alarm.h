/* alarm.h - wakes the loop at a time, with microseconds; libuv's own timers have milliseconds.
 * Times: seconds of CLOCK_MONOTONIC. Threads: that of the loop. */
#ifndef GZ_NET_ALARM_H
#define GZ_NET_ALARM_H

#include <uv.h>

#include "proto/base/status.h"

struct gz_alarm {
    uv_poll_t poll;
    int timer;
    double at_s; /* INFINITY for none */
};

/* GZ_INTERNAL if the kernel has no timer. Call gz_alarm_finish afterwards, also after an error; a
 * timer of -1 is fine. */
GZ_MUST_USE enum gz_status gz_alarm_open(struct gz_alarm *alarm, struct gz_error *error);
void gz_alarm_finish(struct gz_alarm *alarm);

/* The alarm is on a loop from gz_alarm_start to gz_alarm_stop, after which the loop has to run once
 * more. */
void gz_alarm_start(struct gz_alarm *alarm, uv_loop_t *loop);
void gz_alarm_stop(struct gz_alarm *alarm);
/* Replaces the time. A past one wakes the loop at once, INFINITY never. */
void gz_alarm_set(struct gz_alarm *alarm, double at_s);

#endif
