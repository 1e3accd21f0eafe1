/* cluster.h - a member of a cluster: takes leases of scenes and ships the commits of their stores
 * into the log, and follows the logs of the scenes that other members write.
 *
 * A scene whose authority this member is has a claim: from gz_cluster_open, before its store is
 * opened, until gz_cluster_close, after its store was closed. One thread renews this member's
 * leases; another one applies the changes of other members to the files of scenes that are not open
 * here. Ownership: the caller owns the engine (cluster/log.h) and closes all claims before
 * gz_cluster_destroy. Threads: any, as said at each function; functions that ask the engine block,
 * and are for workers. Errors: GZ_STORAGE if the engine cannot be asked; GZ_CONFLICT if the file
 * here belongs to another scene than the log's; those of the store. */
#ifndef GZ_CLUSTER_CLUSTER_H
#define GZ_CLUSTER_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>

#include "cluster/log.h"
#include "proto/base/buffer.h"
#include "proto/base/log.h"
#include "proto/base/status.h"
#include "proto/limits.h"
#include "store/ship.h"

struct gz_cluster;
struct gz_scene_lease;

/* What the cluster is told by the rooms that know it. A NULL allows everything. Any thread. */
struct gz_cluster_rules {
    void *context;
    /* The signature of a member, by the secret of this one. */
    void (*sign)(void *context, const char *name, const char *url,
                 char signature[GZ_MEMBER_SIGNATURE_BYTES + 1]);
    /* Whether this can be a scene's name. */
    bool (*is_scene_name)(const char *name, size_t size);
};

struct gz_cluster_options {
    const struct gz_cluster_log *log; /* the engine */
    const struct gz_log *messages;
    const char *folder; /* FOLDER/NAME.db is the file of a scene; the folder exists */
    const struct gz_member *me;
    struct gz_cluster_rules rules;
};

/* The request for a claim. Its strings outlive the claim. */
struct gz_scene_lease_request {
    const char *name, *path;
    bool create;  /* create it if neither the log nor the folder has it; else GZ_UNKNOWN_SCENE */
    bool at_once; /* GZ_BAD_STATE if the file is in use here; else wait for it */
    /* The claim has ended, or is wanted back (gz_scene_lease_state). Called on any thread, until
     * gz_cluster_close; it must not call the cluster. */
    void (*notify)(void *context);
    void *context;
};

enum gz_scene_lease_state {
    GZ_SCENE_LEASE_HELD,
    GZ_SCENE_LEASE_WANTED, /* another member is to have the scene: close it in order */
    GZ_SCENE_LEASE_OVER,   /* this member has stepped down: the store gets no more answers */
    GZ_SCENE_LEASE_LOST    /* another member is the authority: the store accepts no more batches */
};

/* Enters the cluster and starts the threads. The options' pointers outlive the cluster. An engine
 * that cannot be reached is no error: it is asked again later. GZ_VERSION if its tables do not
 * exist. */
GZ_MUST_USE enum gz_status gz_cluster_create(struct gz_cluster **cluster,
                                             const struct gz_cluster_options *options,
                                             struct gz_error *error);
/* From now on a request that the engine does not answer at once fails. Any thread. */
void gz_cluster_end(struct gz_cluster *cluster);
/* Ends the threads and frees. NULL is fine. */
void gz_cluster_destroy(struct gz_cluster *cluster);

/* Call it before the store of the scene is opened: takes the lease and brings the file up to date.
 * A file that was never in the cluster, or a new one, becomes the beginning of the scene's log.
 * GZ_OK with a claim; or, if another member has the scene, with *claim NULL and that member's
 * `url`. Blocks. */
GZ_MUST_USE enum gz_status gz_cluster_open(struct gz_cluster *cluster,
                                           const struct gz_scene_lease_request *request,
                                           struct gz_scene_lease **claim,
                                           char url[GZ_MEMBER_URL_BYTES_MAX + 1],
                                           struct gz_error *error);
/* The store is open: from now on `notify` is called, at once if the claim has ended already. */
void gz_scene_lease_opened(struct gz_scene_lease *claim);
/* For the store. */
const struct gz_shipping *gz_scene_lease_shipping(const struct gz_scene_lease *claim);
enum gz_scene_lease_state gz_scene_lease_state(const struct gz_scene_lease *claim);
/* Where the scene goes on once this member gives it up: fills `url` with the address of the member
 * that wants or has it, else of one that answers. False: none is known. Any thread; does not block.
 */
bool gz_scene_lease_successor(const struct gz_scene_lease *claim,
                              char url[GZ_MEMBER_URL_BYTES_MAX + 1]);
/* Whether gz_cluster_open created the scene. */
bool gz_scene_lease_is_new(const struct gz_scene_lease *claim);
/* Delete or rename the scene in the log: after its store was closed, before its file is changed.
 * Block. GZ_BAD_STATE if the claim is lost; GZ_CONFLICT if the new name is taken. */
GZ_MUST_USE enum gz_status gz_scene_lease_delete(struct gz_scene_lease *claim,
                                                 struct gz_error *error);
GZ_MUST_USE enum gz_status gz_scene_lease_rename(struct gz_scene_lease *claim, const char *new_name,
                                                 struct gz_error *error);
/* Gives the lease back, after the store was closed. Blocks. NULL is fine. */
void gz_cluster_close(struct gz_scene_lease *claim);

/* ---- whether this member may go on ---- */

/* Looks whether the lease is over by this member's own clock, and another member may have taken it;
 * or whether the member does not count as alive any more. If so, it steps down: all claims end.
 * Call it several times a second. Any thread; does not block. */
void gz_cluster_look(struct gz_cluster *cluster);
/* Whether clients should come to this member: it has joined, and has not stepped down. If not,
 * `error` says why. Any thread; does not block. */
bool gz_cluster_is_ready(struct gz_cluster *cluster, struct gz_error *error);
/* From now on this member takes no scenes, if another one can: why; "" for nothing. */
void gz_cluster_refuse(struct gz_cluster *cluster, const char *why);

/* Another member, whose address was signed with the common secret. */
struct gz_cluster_peer {
    char url[GZ_MEMBER_URL_BYTES_MAX + 1];
    bool is_over; /* its lease is over: it serves nobody */
};
/* The other members; returns their number. Any thread; does not block. */
size_t gz_cluster_peers(struct gz_cluster *cluster,
                        struct gz_cluster_peer peers[GZ_CLUSTER_MEMBERS_MAX]);
/* Whether the member at this address answers now, and for how long it has not heard of the engine,
 * as it says. Any thread; does not block. */
void gz_cluster_hear(struct gz_cluster *cluster, const char *url, bool is_reached,
                     double silence_s);
/* Seconds since this member last renewed its lease; INFINITY if it never did. Any thread. */
double gz_cluster_silence(struct gz_cluster *cluster);
/* The engine is silent: fills `url` with the address of the member that had the scene when it was
 * last heard of. False: it is not known. Any thread; does not block. */
bool gz_cluster_recall(struct gz_cluster *cluster, const char *scene,
                       char url[GZ_MEMBER_URL_BYTES_MAX + 1]);

/* Whether the engine answers; if not, `error` says since when. Any thread; does not block. */
bool gz_cluster_is_healthy(struct gz_cluster *cluster, struct gz_error *error);

/* The metrics of a member. */
struct gz_cluster_stats {
    uint64_t claims, scenes; /* of this member; of the cluster */
    uint64_t behind;         /* changes of the log that this member's files lack */
    uint64_t behind_scenes;  /* scenes with such files */
    double behind_s;         /* how long the file that has lacked changes longest has */
    uint64_t taken, fenced;  /* leases, since the start */
    uint64_t appends, append_bytes;
    double append_s;      /* in all */
    double last_append_s; /* or of the running one so far, if that is longer */
    double silence_s;     /* since the engine's last commit */
};
struct gz_cluster_stats gz_cluster_stats(struct gz_cluster *cluster);

/* A scene whose file lacks changes of its log, and since when this member has known the first of
 * them. */
struct gz_cluster_lag {
    char scene[GZ_SCENE_NAME_BYTES_MAX + 1];
    uint64_t changes;
    double seconds;
};
/* The scenes whose files have lacked changes longest; returns their number. Any thread; does not
 * block. */
size_t gz_cluster_lags(struct gz_cluster *cluster, struct gz_cluster_lag lags[GZ_CLUSTER_LAGS_MAX]);

#endif
