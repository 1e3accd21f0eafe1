/* alarm.h - wakes the loop at a time, to the microsecond: libuv's own timers know milliseconds.
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

/* GZ_INTERNAL with words if the kernel has no timer to give. gz_alarm_finish afterwards, fine also
 * for a timer of -1. */
GZ_MUST_USE enum gz_status gz_alarm_open(struct gz_alarm *alarm, struct gz_error *error);
void gz_alarm_finish(struct gz_alarm *alarm);

/* On a loop: from gz_alarm_start to gz_alarm_stop, after which the loop has to run once more. */
void gz_alarm_start(struct gz_alarm *alarm, uv_loop_t *loop);
void gz_alarm_stop(struct gz_alarm *alarm);
/* Replaces the time before; one that is past wakes the loop at once, INFINITY never. */
void gz_alarm_set(struct gz_alarm *alarm, double at_s);

#endif
