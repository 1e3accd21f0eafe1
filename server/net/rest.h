/* rest.h - how long a scene rests after a pass, so that messages that come meanwhile leave in one
 * frame per viewer instead of many. The rest grows with the load: from none, if passes without
 * rests would take up to GZ_REST_FROM of the loop's time, to twice the pass, if they would take
 * GZ_REST_FULL or more. Sending then takes a third of the time, whatever comes. Times: seconds, of
 * one monotonic clock. Threads: that of the loop. */
#ifndef GZ_NET_REST_H
#define GZ_NET_REST_H

#define GZ_REST_FROM 0.65
#define GZ_REST_FULL 0.85

struct gz_rest {
    double load;      /* the recent share of the time that passes without rests would take */
    double counted_s; /* the time up to which it is counted */
};

/* Counts time that passes without rests would have taken. */
void gz_rest_count(struct gz_rest *rest, double now_s, double work_s);
/* How long to rest after a pass that took `pass_s`. */
double gz_rest_after(const struct gz_rest *rest, double pass_s);

/* The time at which all viewers of a scene would have the news, if they were sent without a
 * rest. */
struct gz_rest_round {
    double until_s;
};
/* Counts news for all viewers, which takes `round_s` to send, together with earlier news that is
 * not sent yet. */
void gz_rest_count_round(struct gz_rest *rest, struct gz_rest_round *round, double now_s,
                         double round_s);

#endif
