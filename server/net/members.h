/* members.h - the other members of the cluster, as the network knows them: a trunk to each is kept
 * open, so that each knows whether the others answer, and a proof (proof.h) is sent to them alone.
 * Threads: the loop's. */
#ifndef GZ_NET_MEMBERS_H
#define GZ_NET_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/limits.h"
#include "server/maxima.h"

struct gz_net;

/* The largest silence that a member says as a number. */
#define GZ_STATE_SILENCE_MAX_S 1e6

struct gz_net_members {
    struct gz_net_member {
        char url[GZ_MEMBER_URL_BYTES_MAX + 1];
        bool is_over;   /* its lease is over: it is sent no clients */
        double met_s;   /* when it was named last, by gz_awake_now */
        double tried_s; /* when a trunk was last begun, by gz_awake_now */
        char said[128]; /* the last logged reason why there is no trunk */
        double said_s;
    } list[GZ_CLUSTER_MEMBERS_MAX];
    size_t count;
    double silence_s; /* since this member heard of the database; told to the others */
};

/* Whether a member has this address. */
bool gz_members_have(const struct gz_net *net, const char *url);
/* Whether a trunk to it is to be kept without clients. */
bool gz_members_keep(const struct gz_net *net, const char *url);
/* Logs why there is no trunk to it, unless it was said just before. */
void gz_members_say(struct gz_net *net, const char *url, const char *why);
/* Begins trunks that are missing. */
void gz_members_sweep(struct gz_net *net, double now_s);

#endif
