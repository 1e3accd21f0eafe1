/* members.c - the list of the other members. See members.h. */
#include "net/members.h"

#include <math.h>
#include <string.h>

/* Seconds until the same reason is logged again. */
#define SAID_SECONDS 60

struct gz_net_member *gz_net_member_find(struct gz_net_members *members, const char *url)
{
    for (size_t i = 0; i < members->count; i++)
        if (strcmp(members->list[i].url, url) == 0) return &members->list[i];
    return NULL;
}

struct gz_net_member *gz_net_member_add(struct gz_net_members *members, const char *url,
                                        double now_s)
{
    struct gz_net_member *member = gz_net_member_find(members, url);
    if (member == NULL && members->count < GZ_CLUSTER_MEMBERS_MAX) {
        member = &members->list[members->count++];
        *member = (struct gz_net_member){.tried_s = -INFINITY, .said_s = -INFINITY};
        gz_print(member->url, sizeof member->url, "%s", url);
    }
    if (member != NULL) member->met_s = now_s;
    return member;
}

void gz_net_member_say(struct gz_net_members *members, const struct gz_log *log, const char *url,
                       const char *why, double now_s)
{
    struct gz_net_member *member = gz_net_member_find(members, url);
    if (member == NULL) return;
    const bool is_same = strncmp(member->said, why, sizeof member->said - 1) == 0;
    if (is_same && now_s - member->said_s < SAID_SECONDS) return;
    gz_print(member->said, sizeof member->said, "%s", why);
    member->said_s = now_s;
    gz_log(log, GZ_WARN, 0, "no trunk to %s: %s", url, why);
}
