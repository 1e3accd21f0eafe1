/* host.h - what the daemon hosts: the scenes of a data folder, wired to the network. What a scene
 * is, is the core's; what is saved, the store's; what is sent, the network's.
 *
 * Ownership: the caller owns the loop and runs it. gz_host_close begins the end, the loop finishes
 * it, gz_host_destroy frees. Threads: the loop's. Errors: the store's and the core's, in their
 * words. */
#ifndef GZ_HOST_H
#define GZ_HOST_H

#include "cluster/log.h"
#include "net/net.h"
#include "store/store.h"

struct gz_host;

struct gz_host_options {
    uv_loop_t *loop;
    const struct gz_log *log;
    const char *folder; /* made if it is missing; must live as long as the host, as must `server` */
    const char *server;
    double messages_per_s;
    enum gz_recorded recorded;
    struct gz_retention_rule kept;
    uint64_t keep_free_bytes; /* of the disk: with less edits are refused; 0: never */
    const struct gz_keyring
        *keyring; /* for the tokens of running sessions; NULL: these say nothing */
    /* The log of the cluster, and what this member is in it; both live as long as the host. NULL:
     * there is no cluster. */
    const struct gz_cluster_log *cluster;
    const struct gz_member *me;
};

GZ_MUST_USE enum gz_status gz_host_create(struct gz_host **host,
                                          const struct gz_host_options *options,
                                          struct gz_error *error);
/* What the network is to ask. */
struct gz_net_host gz_host_for_net(struct gz_host *host);
/* Before a scene is opened. From now on the host watches the disk and its memory, until
 * gz_host_close. */
void gz_host_connect(struct gz_host *host, struct gz_net *net);

/* Opens a scene, or makes it. Before the loop runs: blocks for its reading. */
GZ_MUST_USE enum gz_status gz_host_open(struct gz_host *host, const char *name,
                                        struct gz_error *error);
/* The same of the sample scene, which is made of a glTF of its own: `done` is called once, at once
 * or after its COMMIT. */
void gz_host_sample(struct gz_host *host, const char *name,
                    void (*done)(void *context, const struct gz_error *error), void *context);

/* Tells everybody `bye`. */
void gz_host_end(struct gz_host *host, const char *reason, double retry_s);
/* Nothing waits for the disk, and no request for a worker. */
bool gz_host_is_idle(const struct gz_host *host);
/* No change is still to be committed, and no scene's last commit failed. If `says`, the log names
 * the scenes of which that is not so. */
bool gz_host_is_saved(const struct gz_host *host, bool says);

/* Commits what is left and closes the files. Blocks for that. After gz_net_close. */
void gz_host_close(struct gz_host *host);
/* Frees. After the end of the loop. NULL is fine. */
void gz_host_destroy(struct gz_host *host);

#endif
