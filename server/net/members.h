/* members.h - the other members of the cluster, as the network knows them: a trunk to each is kept
 * open, so that each knows whether the others answer, and a proof (proof.h) is sent to them alone.
 * Pure: no I/O but the log. Threads: one at a time. */
#ifndef GZ_NET_MEMBERS_H
#define GZ_NET_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/base/log.h"
#include "proto/limits.h"
#include "server/maxima.h"

/* The largest silence that a member says as a number. */
#define GZ_STATE_SILENCE_MAX_S 1e6

/* Times are by gz_awake_now. */
struct gz_net_member {
    char url[GZ_MEMBER_URL_BYTES_MAX + 1];
    bool is_over;   /* its lease is over: it is sent no clients */
    double met_s;   /* when it was named last */
    double tried_s; /* when a trunk was last begun */
    char said[128]; /* the last logged reason why there is no trunk */
    double said_s;
};

struct gz_net_members {
    struct gz_net_member list[GZ_CLUSTER_MEMBERS_MAX];
    size_t count;
    double silence_s; /* since this member heard of the database; told to the others. Negative: no
                         trunks are kept without clients */
};

/* NULL for no member. */
struct gz_net_member *gz_net_member_find(struct gz_net_members *members, const char *url);
/* Adds it, unless it is there; NULL if there are too many. */
struct gz_net_member *gz_net_member_add(struct gz_net_members *members, const char *url,
                                        double now_s);
/* Logs why there is no trunk to it, unless it was said just before. */
void gz_net_member_say(struct gz_net_members *members, const struct gz_log *log, const char *url,
                       const char *why, double now_s);

#endif
