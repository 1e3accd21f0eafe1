/* membership.c - between the cluster and the network. See membership.h. */
#include "host/membership.h"

#include <string.h>

/* Milliseconds between looks. */
#define LOOK_MS 250

/* A full disk keeps a member from taking scenes that others have room for. */
static void look_at_disk(const struct gz_membership *membership)
{
    struct gz_error error = {.message = ""};
    const bool is_full = gz_disk_check(membership->disk, &error) != GZ_OK;
    gz_cluster_refuse(membership->cluster, is_full ? error.message : "");
}

static void look(uv_timer_t *timer)
{
    struct gz_membership *membership = timer->data;
    struct gz_cluster *cluster = membership->cluster;
    const size_t count = gz_cluster_peers(cluster, membership->peers);
    gz_net_tell(membership->net, gz_cluster_silence(cluster));
    for (size_t i = 0; i < count; i++) {
        const struct gz_cluster_peer *peer = &membership->peers[i];
        double silence_s = 0;
        gz_net_meet(membership->net, peer->url);
        gz_net_judge(membership->net, peer->url, peer->is_over);
        const bool is_heard = gz_net_hears(membership->net, peer->url, &silence_s);
        gz_cluster_hear(cluster, peer->url, is_heard, silence_s);
    }
    gz_net_part(membership->net);
    look_at_disk(membership);
    gz_cluster_look(cluster);
}

void gz_membership_start(struct gz_membership *membership, uv_loop_t *loop)
{
    uv_timer_init(loop, &membership->timer);
    membership->timer.data = membership;
    uv_timer_start(&membership->timer, look, 0, LOOK_MS);
}

void gz_membership_close(struct gz_membership *membership)
{
    uv_close((uv_handle_t *)&membership->timer, NULL);
}

bool gz_membership_divert(struct gz_membership *membership, const char *scene, bool is_open,
                          struct gz_scene_wait *wait, struct gz_error *error)
{
    struct gz_cluster *cluster = membership->cluster;
    const bool is_ready = gz_cluster_is_ready(cluster, error);
    const bool is_silent = gz_cluster_silence(cluster) > GZ_CLUSTER_SILENCE_SECONDS;
    if (is_ready && (is_open || !is_silent)) return false;
    error->status = GZ_OK;
    if (gz_cluster_recall(cluster, scene, wait->url)) return true;
    if (is_ready)
        error->status = gz_fail(error, GZ_STORAGE,
                                "the cluster's database does not answer, and scene %s is not open "
                                "at a member that does",
                                scene);
    else
        error->status = GZ_BAD_STATE;
    wait->is_away = !is_ready;
    return true;
}
