/* rest.h - how long a scene rests after a pass, so that all that comes meanwhile leaves in one
 * frame per viewer instead of many. A loop that has time does not rest. The rest grows as the loop
 * fills: from none, where passes at once would take up to GZ_REST_FROM of the loop's time, to twice
 * the pass, where they would take GZ_REST_FULL of it and more. Sending then takes a third of the
 * time, whatever comes. Times: seconds, of one monotonic clock. Threads: that of the loop. */
#ifndef GZ_NET_REST_H
#define GZ_NET_REST_H

#define GZ_REST_FROM 0.65
#define GZ_REST_FULL 0.85

struct gz_rest {
    double load;      /* the share of the time that passes at once would take, of late */
    double counted_s; /* until when it is counted */
};

/* Passes at once would have taken so much more time by now. */
void gz_rest_count(struct gz_rest *rest, double now_s, double work_s);
/* How long to rest after a pass that took so long. */
double gz_rest_after(const struct gz_rest *rest, double pass_s);

/* When all viewers of a scene would have what is new, if they were sent it at once. */
struct gz_rest_round {
    double until_s;
};
/* There is something new for everybody, which takes so long to send. What was not sent yet of the
 * news before goes along. */
void gz_rest_count_round(struct gz_rest *rest, struct gz_rest_round *round, double now_s,
                         double round_s);

#endif
