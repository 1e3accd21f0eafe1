/* rate.h - how much somebody may ask for: a bucket of one second's messages, which fills as time
 * passes. Work that costs the server more than a usual message counts as several messages
 * (budget.h).
 *
 * Pure: all times are monotonic seconds that are handed in. */
#ifndef GZ_SESSION_RATE_H
#define GZ_SESSION_RATE_H

#include <stdbool.h>

struct gz_rate {
    double per_s;             /* messages that it takes in a second, and holds at most */
    double tokens, counted_s; /* messages in it, and when they were counted; below 0: a debt */
    double over_since_s, over_last_s, warned_s; /* of messages that came with the bucket empty */
};

/* What becomes of a message that comes with the bucket empty. */
enum gz_excess { GZ_EXCESS_DROP, GZ_EXCESS_WARN, GZ_EXCESS_END };

/* A full bucket. */
struct gz_rate gz_rate_of(double per_s, double now_s);
/* Whether the bucket holds a message. */
bool gz_rate_has(struct gz_rate *rate, double now_s);
/* Takes one message out of the bucket; false if it holds none. */
bool gz_rate_take(struct gz_rate *rate, double now_s);
/* Takes so many out of it. The bucket may be left in debt: the next messages wait. */
void gz_rate_charge(struct gz_rate *rate, double messages);
/* Whether more than this part of the bucket is full, from 0 to 1. */
bool gz_rate_is_above(struct gz_rate *rate, double part, double now_s);
/* Monotonic time at which it will be, with one message to spare; in the past if it is. */
double gz_rate_above_s(const struct gz_rate *rate, double part);
/* After a message that is dropped: whether to warn of it, once a second. */
bool gz_rate_warns(struct gz_rate *rate, double now_s);
/* Monotonic time from which on it does so again. */
double gz_rate_warns_s(const struct gz_rate *rate);
/* After a message that could not be taken out of this bucket: to be dropped, with such a warning.
 * A session that goes on for GZ_RATE_SECONDS_MAX without a pause of one second has to end. */
enum gz_excess gz_rate_exceed(struct gz_rate *rate, double now_s);

#endif
