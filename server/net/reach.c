/* reach.c - for the host: which other members there are, and which of them answer. A trunk to each
 * is begun as often as it is missing. */
#include "net/relay.h"

void gz_net_meet(struct gz_net *net, const char *url)
{
    const double now_s = gz_awake_now(&net->awake);
    struct gz_net_member *member = gz_net_member_add(&net->members, url, now_s);
    const bool is_kept = net->members.silence_s >= 0 && !net->draining;
    if (member == NULL || !is_kept || now_s - member->tried_s < GZ_TRUNK_RETRY_SECONDS) return;
    member->tried_s = now_s;
    gz_route_keep(net, url);
}

void gz_net_judge(struct gz_net *net, const char *url, bool is_over)
{
    struct gz_net_member *member = gz_net_member_find(&net->members, url);
    if (member == NULL) return;
    member->is_over = is_over;
    if (is_over) gz_route_drop(net, url, "its lease is over");
}

/* A member that was named just now may not be in the host's list yet. */
void gz_net_part(struct gz_net *net)
{
    struct gz_net_members *members = &net->members;
    const double now_s = gz_awake_now(&net->awake);
    for (size_t i = members->count; i-- > 0;) {
        if (now_s - members->list[i].met_s <= GZ_CLUSTER_SILENCE_SECONDS) continue;
        gz_route_drop(net, members->list[i].url, "it is no member any more");
        members->list[i] = members->list[--members->count];
    }
}

void gz_net_tell(struct gz_net *net, double silence_s)
{
    net->members.silence_s = silence_s;
}

bool gz_net_hears(const struct gz_net *net, const char *url, double *silence_s)
{
    return gz_route_is_heard(net, url, silence_s);
}
