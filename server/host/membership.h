/* membership.h - this daemon among the members of its cluster: several times a second tells the
 * network which other members there are, and the cluster which of them answer; and looks whether
 * this member may go on. Threads: the loop's. */
#ifndef GZ_HOST_MEMBERSHIP_H
#define GZ_HOST_MEMBERSHIP_H

#include <uv.h>

#include "cluster/cluster.h"
#include "host/disk.h"
#include "net/net.h"

struct gz_membership {
    struct gz_cluster *cluster;
    struct gz_net *net;
    const struct gz_disk *disk;
    struct gz_cluster_peer peers[GZ_CLUSTER_MEMBERS_MAX];
    uv_timer_t timer;
};

/* `membership` outlives the timer, which closing the loop's handles ends. */
void gz_membership_start(struct gz_membership *membership, uv_loop_t *loop);
void gz_membership_close(struct gz_membership *membership);
/* Where a client of the scene has to go, if not to a scene that this member has: to the member that
 * had it when the database was last heard of (`wait->url`), or away (`wait->is_away`, with an
 * error). False: the scene is looked for as usual. */
bool gz_membership_divert(struct gz_membership *membership, const char *scene, bool is_open,
                          struct gz_scene_wait *wait, struct gz_error *error);

#endif
