/* scene.h - one scene of the host: a core with its store, and the core's questions to the past on
 * workers.
 *
 * A scene is filled (its file is opened and read, its core is built) and emptied by whichever
 * thread is given it for that time, usually a worker; meanwhile nobody else touches it. Between
 * them it belongs to the loop. Ownership: scenes.c owns all scenes; others read the members of the
 * struct, and change them by the functions here. Errors: the store's and the core's, in their
 * words. */
#ifndef GZ_HOST_SCENE_H
#define GZ_HOST_SCENE_H

#include "cluster/cluster.h"
#include "host/disk.h"
#include "host/job.h"
#include "host/quota.h"
#include "net/net.h"
#include "proto/limits.h"
#include "store/store.h"

struct gz_open_scene;
struct gz_loan; /* host/loan.h */

/* Word from a core to somebody on the loop, which waits if the core is lent. Embedded in the struct
 * of the one that `tell` concerns, which lives until then. */
struct gz_telling {
    struct gz_telling *next;
    void (*tell)(struct gz_telling *telling);
    void *context;
};

/* How much users, and scenes, have used of what all share. */
struct gz_shares {
    struct gz_quota written, written_in_scene; /* bytes in files */
    struct gz_quota made;                      /* scenes */
    uv_mutex_t mutex;                          /* guards the first two, for cores that are lent */
};

/* What all scenes of a host have in common; lives as long as they do, as do its strings. */
struct gz_scene_setting {
    uv_loop_t *loop;
    const struct gz_log *log;
    const char *folder; /* FOLDER/NAME.db is the file of a scene */
    const char *server; /* what `welcome` calls the server */
    double messages_per_s;
    enum gz_recorded recorded;
    struct gz_retention_rule kept;
    const struct gz_keyring *keyring; /* NULL: tokens say nothing */
    struct gz_cluster *cluster;       /* NULL: there is none */
    struct gz_jobs *jobs;
    struct gz_disk *disk;     /* NULL: there is always room */
    struct gz_shares *shares; /* NULL: nobody's use is counted */
    _Atomic uint64_t *errors; /* GZ_STATUS_COUNT: all that somebody was answered with */
    /* On the loop: a scene was opened; its core, which was lent, is back; it is about to be closed;
     * its file takes no commits any more, or another member of the cluster is to have it. */
    void *context;
    void (*handle_opened)(void *context, struct gz_open_scene *scene);
    void (*handle_returned)(void *context, struct gz_open_scene *scene);
    void (*handle_closing)(void *context, struct gz_open_scene *scene);
    void (*handle_lost)(void *context, struct gz_open_scene *scene);
};

enum gz_scene_phase {
    GZ_SCENE_OPENING, /* it is filled, or waits for that */
    GZ_SCENE_OPEN,
    GZ_SCENE_CLOSING /* it is emptied, or waits for that */
};

struct gz_open_scene {
    struct gz_net_scene net; /* first: the network gives it back */
    const struct gz_scene_setting *setting;
    char name[GZ_SCENE_NAME_BYTES_MAX + 1];
    char *path;
    struct gz_store *store; /* NULL without an open file */
    struct gz_claim *claim; /* in the cluster; NULL without one */
    /* The member of the cluster that has the scene, found instead of an opening; else empty. */
    char url[GZ_MEMBER_URL_BYTES_MAX + 1];
    uv_async_t committed;       /* the store's writer has something for the loop */
    struct question *questions; /* to the past that are not answered yet, the newest first */
    /* While the core is lent, and until it is back: loan.h. */
    struct gz_loan *loan; /* NULL: it is for what the core put off */
    struct gz_job loan_job;
    struct gz_core_summary summary; /* from before */
    struct gz_batch *batch;         /* that the core wants to store; or NULL */
    struct gz_telling *tellings;    /* the worker's until then */
    struct gz_batch *held; /* what the core wanted to store after its file was closed: a list */
    bool is_ending;        /* it is emptied */
    /* scenes.c's */
    struct gz_scenes *scenes;
    enum gz_scene_phase phase;
    bool creates, is_hidden;
    double used_s;                      /* monotonic: when it was last asked for, or seen in use */
    struct gz_error error;              /* of its opening */
    char opener[GZ_USER_BYTES_MAX + 1]; /* whose share its opening takes; empty for nobody's */
    struct gz_job job;                  /* its opening or closing */
    struct gz_scene_wait *waits;
    struct gz_open_scene *next;
};

/* FOLDER/NAME.db, to be freed; NULL without memory. */
char *gz_scene_path(const struct gz_scene_setting *setting, const char *name);

/* Calls `tell` on the loop: at once, or when the core is back. For functions that the core calls,
 * on the thread that has the core. */
void gz_open_scene_tell(struct gz_open_scene *scene, struct gz_telling *telling);
/* After a loan: the batch goes to the disk, then each telling is told, then the answers of the disk
 * are taken. */
void gz_open_scene_catch_up(struct gz_open_scene *scene);

/* The core, which is to have a turn: something is done with it. */
struct gz_core *gz_open_scene_touch(struct gz_open_scene *scene);

/* Nothing waits for a turn or for the disk. */
bool gz_open_scene_is_idle(const struct gz_open_scene *scene);
/* The same, and the last commit did not fail. */
bool gz_open_scene_is_saved(const struct gz_open_scene *scene);

/* ---- for scenes.c and retire.c ---- */

/* NULL without memory. */
struct gz_open_scene *gz_open_scene_create(const struct gz_scene_setting *setting,
                                           const char *name);
/* Opens the file, made if it is missing and `create`, and builds the core; or fills scene->url. */
GZ_MUST_USE enum gz_status gz_open_scene_fill(struct gz_open_scene *scene, bool create,
                                              struct gz_error *error);
/* What an open scene has beside its core, to be closed in this order. */
struct gz_hold {
    struct gz_store *store;
    struct gz_claim *claim; /* NULL without a cluster */
};
/* Takes both away: the core, which must be frozen, goes on without them until everybody has
 * left. */
struct gz_hold gz_open_scene_take_hold(struct gz_open_scene *scene);
/* Commits what is left, closes the file and destroys the core. Blocks for the disk. */
void gz_open_scene_empty(struct gz_open_scene *scene);
/* On the loop, after gz_open_scene_empty: frees it, once the loop has closed its handle. */
void gz_open_scene_destroy(struct gz_open_scene *scene);

#endif
