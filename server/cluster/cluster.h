/* cluster.h - a member of a cluster: it takes the lease of a scene and ships what its store commits
 * into the log, follows the log of all scenes that others write, and knows who has the others.
 *
 * A scene that this member is the authority of has a claim: from gz_cluster_open, before its store
 * is opened, until gz_cluster_close, after its store was closed. A thread of its own renews what
 * this member has; another one applies what others wrote to the files of scenes that are not open
 * here. Ownership: the caller owns the engine (cluster/log.h) and closes all claims before
 * gz_cluster_destroy. Threads: any, as said at each function; those that ask the engine block, and
 * belong on a worker. Errors: GZ_STORAGE in words if the engine cannot be asked; GZ_CONFLICT if the
 * file here is of another scene than the log's; those of the store. */
#ifndef GZ_CLUSTER_H
#define GZ_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>

#include "cluster/log.h"
#include "proto/base/buffer.h"
#include "proto/base/log.h"
#include "proto/base/status.h"
#include "proto/limits.h"
#include "store/ship.h"

struct gz_cluster;
struct gz_claim;

struct gz_cluster_options {
    const struct gz_cluster_log *log; /* the engine */
    const struct gz_log *messages;
    const char *folder; /* FOLDER/NAME.db is the file of a scene; made already */
    const struct gz_member *me;
};

/* What is asked for when a scene is opened. Its strings live as long as the claim. */
struct gz_claim_request {
    const char *name, *path;
    bool create;  /* made if neither the log nor the folder has it; else GZ_UNKNOWN_SCENE */
    bool at_once; /* GZ_BAD_STATE if somebody here is at the file; else that is waited for */
    /* The claim has ended, or is asked back: see gz_claim_state. On any thread, until
     * gz_cluster_close; it must not call the cluster. */
    void (*notify)(void *context);
    void *context;
};

enum gz_claim_state {
    GZ_CLAIM_HELD,
    GZ_CLAIM_WANTED, /* the scene is to go to another member: it is to be closed in order */
    GZ_CLAIM_LOST    /* another member is the authority: the store takes nothing more */
};

/* Enters the cluster and starts the threads. What `options` points at lives as long as the cluster.
 * An engine that cannot be reached is no error: it is asked again and again. GZ_VERSION if its
 * tables are not made. */
GZ_MUST_USE enum gz_status gz_cluster_create(struct gz_cluster **cluster,
                                             const struct gz_cluster_options *options,
                                             struct gz_error *error);
/* From now on nothing is waited for: what the engine does not take at once fails. Any thread. */
void gz_cluster_end(struct gz_cluster *cluster);
/* Ends the threads and frees. NULL is fine. */
void gz_cluster_destroy(struct gz_cluster *cluster);

/* Before the store of the scene is opened: takes the lease and brings the file up to date; a file
 * that was never in the cluster, or a new one, becomes the beginning of the scene's log. GZ_OK with
 * a claim, or with *claim NULL and `url`: that of the member that has the scene. Blocks. */
GZ_MUST_USE enum gz_status gz_cluster_open(struct gz_cluster *cluster,
                                           const struct gz_claim_request *request,
                                           struct gz_claim **claim,
                                           char url[GZ_MEMBER_URL_BYTES_MAX + 1],
                                           struct gz_error *error);
/* The store is open: from now on the claim's end is told, and at once if it came before. */
void gz_claim_opened(struct gz_claim *claim);
/* For the store. */
const struct gz_shipping *gz_claim_shipping(const struct gz_claim *claim);
enum gz_claim_state gz_claim_state(const struct gz_claim *claim);
/* gz_cluster_open made the scene: it was nowhere before. */
bool gz_claim_is_new(const struct gz_claim *claim);
/* The scene leaves the log: after its store was closed, before its file goes. Blocks. GZ_BAD_STATE
 * if the claim is lost; GZ_CONFLICT if there is a scene of the new name. */
GZ_MUST_USE enum gz_status gz_claim_delete(struct gz_claim *claim, struct gz_error *error);
GZ_MUST_USE enum gz_status gz_claim_rename(struct gz_claim *claim, const char *new_name,
                                           struct gz_error *error);
/* Gives the lease back: after the store was closed. Blocks. NULL is fine. */
void gz_cluster_close(struct gz_claim *claim);

/* Whether the engine answers; if not, `error` says since when. Any thread; does not block. */
bool gz_cluster_is_healthy(struct gz_cluster *cluster, struct gz_error *error);

/* Numbers for metrics. */
struct gz_cluster_stats {
    uint64_t claims, scenes; /* of this member; of the cluster */
    uint64_t behind;         /* changes of the log that this member's files lack */
    uint64_t behind_scenes;  /* of so many scenes */
    double behind_s;         /* that the file which lacks some longest has */
    uint64_t taken, fenced;  /* leases, since the start */
    uint64_t appends, append_bytes;
    double append_s;      /* in all */
    double last_append_s; /* or that the one which runs has taken so far, if that is longer */
    double silence_s;     /* since the engine committed last */
};
struct gz_cluster_stats gz_cluster_stats(struct gz_cluster *cluster);

/* A scene whose file lacks changes of its log, since this member saw the first of them there. */
struct gz_cluster_lag {
    char scene[GZ_SCENE_NAME_BYTES_MAX + 1];
    uint64_t changes;
    double seconds;
};
/* Those that lack some longest; how many there are. Any thread; does not block. */
size_t gz_cluster_lags(struct gz_cluster *cluster, struct gz_cluster_lag lags[GZ_CLUSTER_LAGS_MAX]);

#endif
