/* members.c - the list of the other members, and the trunks to them. See members.h. */
#include "net/members.h"

#include <string.h>

#include "net/relay.h"

/* Seconds until the same reason is logged again. */
#define SAID_SECONDS 60

static struct gz_net_member *find(const struct gz_net *net, const char *url)
{
    const struct gz_net_members *members = &net->members;
    for (size_t i = 0; i < members->count; i++)
        if (strcmp(members->list[i].url, url) == 0) return (void *)&members->list[i];
    return NULL;
}

bool gz_members_have(const struct gz_net *net, const char *url)
{
    return find(net, url) != NULL;
}

bool gz_members_keep(const struct gz_net *net, const char *url)
{
    return net->members.silence_s >= 0 && gz_members_have(net, url);
}

void gz_members_say(struct gz_net *net, const char *url, const char *why)
{
    struct gz_net_member *member = find(net, url);
    const double now_s = gz_awake_now(&net->awake);
    if (member == NULL) return;
    const bool is_same = strncmp(member->said, why, sizeof member->said - 1) == 0;
    if (is_same && now_s - member->said_s < SAID_SECONDS) return;
    gz_print(member->said, sizeof member->said, "%s", why);
    member->said_s = now_s;
    gz_log(net->log, GZ_WARN, 0, "no trunk to %s: %s", url, why);
}

void gz_members_sweep(struct gz_net *net, double now_s)
{
    for (size_t i = 0; i < net->members.count && !net->draining; i++) {
        struct gz_net_member *member = &net->members.list[i];
        if (now_s - member->tried_s < GZ_TRUNK_RETRY_SECONDS || !gz_members_keep(net, member->url))
            continue;
        member->tried_s = now_s;
        gz_route_keep(net, member->url);
    }
}

/* ---- for the host ---- */

void gz_net_meet(struct gz_net *net, const char *url)
{
    struct gz_net_members *members = &net->members;
    struct gz_net_member *member = find(net, url);
    if (member == NULL && members->count < GZ_CLUSTER_MEMBERS_MAX) {
        member = &members->list[members->count++];
        *member =
            (struct gz_net_member){.tried_s = -GZ_TRUNK_RETRY_SECONDS, .said_s = -SAID_SECONDS};
        gz_print(member->url, sizeof member->url, "%s", url);
    }
    if (member != NULL) member->met_s = gz_awake_now(&net->awake);
}

void gz_net_judge(struct gz_net *net, const char *url, bool is_over)
{
    struct gz_net_member *member = find(net, url);
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
