/* rate.h - a token bucket: of messages, which holds those of one second, and of the work for them
 * (budget.h); of frames that are no messages (net); of what a user may add to the disk
 * (host/quota.h).
 *
 * Pure: all times are monotonic seconds that are handed in. */
#ifndef GZ_SESSION_RATE_H
#define GZ_SESSION_RATE_H

#include <stdbool.h>

struct gz_rate {
    double per_s, most;       /* tokens that fill it in a second; the most that it holds */
    double tokens, counted_s; /* in it, below 0 in debt; when they were counted */
    double over_since_s, over_last_s,
        warned_s; /* first and latest message that came to an empty bucket; latest warning */
};

/* How to treat a message that comes to an empty bucket. */
enum gz_excess { GZ_EXCESS_DROP, GZ_EXCESS_WARN, GZ_EXCESS_END };

/* A full bucket: one that holds so many tokens; one that holds those of a second. */
struct gz_rate gz_rate_up_to(double most, double per_s, double now_s);
struct gz_rate gz_rate_of(double per_s, double now_s);
/* The tokens in the bucket. */
double gz_rate_left(struct gz_rate *rate, double now_s);
/* Whether the bucket holds a message. */
bool gz_rate_has(struct gz_rate *rate, double now_s);
/* Takes one message out of the bucket; false if it holds none. */
bool gz_rate_take(struct gz_rate *rate, double now_s);
/* Takes so many tokens out of what is in the bucket by now, which may be left in debt. */
void gz_rate_charge(struct gz_rate *rate, double tokens, double now_s);
/* Whether the bucket is filled above this part of it, from 0 to 1. */
bool gz_rate_is_above(struct gz_rate *rate, double part, double now_s);
/* Monotonic time from which it is, with one message to spare; in the past if it is now. */
double gz_rate_above_s(const struct gz_rate *rate, double part);
/* Whether to warn of a dropped message: at most once a second. */
bool gz_rate_warns(struct gz_rate *rate, double now_s);
/* Monotonic time from which the next warning is allowed. */
double gz_rate_warns_s(const struct gz_rate *rate);
/* Call it for a message that came to an empty bucket: drop it, drop it with a warning, or end the
 * session, if it has gone on for GZ_RATE_SECONDS_MAX without a pause of one second. */
enum gz_excess gz_rate_exceed(struct gz_rate *rate, double now_s);

#endif
