/* host.h - the daemon's scenes for the network, and the daemon among the members of a cluster. */
#ifndef GZ_HOST_HOST_H
#define GZ_HOST_HOST_H

#include <uv.h>

#include "cluster/cluster.h"
#include "cluster/log.h"
#include "front/net.h"
#include "host/disk.h"
#include "link/hook.h"
#include "store/store.h"

/* ---- the daemon as a member ---- */

/* This daemon among the members of its cluster: several times a second tells the
 * network which other members there are, and the cluster which of them answer; and looks whether
 * this member may go on. Threads: the loop's. */

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

/* ---- host ---- */

/* Hosts the scenes of a data folder: connects cores, stores and the network.
 *
 * Ownership: the caller owns the loop and runs it. gz_host_close begins the end, the loop finishes
 * it, gz_host_destroy frees. Threads: the loop's. Errors: those of the store and the core. */

struct gz_host;

struct gz_host_options {
    uv_loop_t *loop;
    const struct gz_log *log;
    const char *folder; /* created if it is missing; must outlive the host, like `server` */
    const char *server;
    double messages_per_s;
    enum gz_recorded recorded;
    struct gz_retention_rule kept;
    uint64_t keep_free_bytes; /* with less free space on the disk edits are refused; 0: never */
    uint64_t memory_bytes;    /* the bound of the memory of the process; 0: none */
    bool has_hook;            /* one will be given: gz_host_take_hook */
    const struct gz_keyring *keyring; /* for the tokens of running sessions; NULL: an open server */
    /* The log of the cluster, and this member; both outlive the host. NULL: no cluster. */
    const struct gz_cluster_log *cluster;
    const uint8_t *secret; /* of the members; outlives the host */
    size_t secret_size;
    const struct gz_member *me;
};

GZ_MUST_USE enum gz_status gz_host_create(struct gz_host **host,
                                          const struct gz_host_options *options,
                                          struct gz_error *error);
/* Where it posts what happens in its scenes; the host's from now on. Before gz_host_connect. */
void gz_host_take_hook(struct gz_host *host, struct gz_hook *hook);
/* Gives the hook other secrets (link/hook.h), and posts again if the receiver wanted no more. */
GZ_MUST_USE enum gz_status gz_host_renew_hook(struct gz_host *host, const uint8_t *secrets,
                                              size_t size, struct gz_error *error);
/* The host's functions for the network. */
struct gz_net_host gz_host_for_net(struct gz_host *host);
/* Call it before a scene is opened. The host watches the disk and its memory until
 * gz_host_close. */
void gz_host_connect(struct gz_host *host, struct gz_net *net);

/* Opens or creates a scene before the loop runs; blocks for reading it. */
GZ_MUST_USE enum gz_status gz_host_open(struct gz_host *host, const char *name,
                                        struct gz_error *error);
/* The same for the sample scene, which is imported from the built-in glTF file: `done` is called
 * once, at once or after its COMMIT. */
void gz_host_sample(struct gz_host *host, const char *name,
                    void (*done)(void *context, const struct gz_error *error), void *context);

/* Sets other bounds of the free space and of memory, as in the options. */
void gz_host_change(struct gz_host *host, uint64_t keep_free_bytes, uint64_t memory_bytes);

/* The keyring has other revoked tokens: sessions that have one are ended. */
void gz_host_revoke(struct gz_host *host);

/* Sends `bye` to all sessions. */
void gz_host_end(struct gz_host *host, const char *reason, double retry_s);
/* Whether nothing waits for the disk, and no request for a worker. */
bool gz_host_is_idle(const struct gz_host *host);
/* Whether all changes are committed, and no scene's last commit failed. If `says`, the other scenes
 * are logged. */
bool gz_host_is_saved(const struct gz_host *host, bool says);

/* Commits the rest and closes the files, which blocks. Call it after gz_net_close. */
void gz_host_close(struct gz_host *host);
/* Call it after the end of the loop. NULL is fine. */
void gz_host_destroy(struct gz_host *host);

#endif
