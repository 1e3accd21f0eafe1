/* open_scene.h - one scene of the host: a core with its store, and the core's questions to the past
 * on workers.
 *
 * A scene is filled (its file is opened and read, its core is built) and emptied by whichever
 * thread is given it for that time, usually a worker; meanwhile nobody else touches it. Between
 * them it belongs to the loop. Ownership: scenes.c owns all scenes; others read the members of the
 * struct, and change them by the functions here. Errors: the store's and the core's, in their
 * words. */
#ifndef GZ_HOST_OPEN_SCENE_H
#define GZ_HOST_OPEN_SCENE_H

#include "cluster/cluster.h"
#include "front/net.h"
#include "host/disk.h"
#include "host/job.h"
#include "host/memory.h"
#include "proto/limits.h"
#include "store/store.h"

struct gz_open_scene;
struct gz_loan; /* host/loan.h */

/* A message from a core to the loop, which waits while the core is lent. Embedded in the receiver's
 * struct, which lives until `tell` is called. */
struct gz_telling {
    struct gz_telling *next;
    void (*tell)(struct gz_telling *telling);
    void *context;
};

/* The quotas of users and scenes. */
struct gz_shares {
    struct gz_quota written, written_in_scene; /* bytes added to files */
    struct gz_quota made;                      /* scenes created */
    uv_mutex_t mutex;                          /* guards the first two, for cores that are lent */
};

/* The common settings of all scenes of a host; they outlive the scenes, like their strings. */
struct gz_scene_setting {
    uv_loop_t *loop;
    const struct gz_log *log;
    const char *folder; /* FOLDER/NAME.db is the file of a scene */
    const char *server; /* what `welcome` calls the server */
    double messages_per_s;
    enum gz_recorded recorded;
    struct gz_retention_rule kept;
    bool has_hook;
    const struct gz_keyring *keyring; /* NULL: an open server */
    struct gz_cluster *cluster;       /* NULL: no cluster */
    struct gz_jobs *jobs;
    struct gz_disk *disk;     /* NULL: there is always space */
    struct gz_memory *memory; /* NULL: there is always memory */
    struct gz_shares *shares; /* NULL: use is not counted */
    struct gz_store_turns *turns;
    _Atomic uint64_t *errors;               /* GZ_STATUS_COUNT counters of errors sent */
    struct gz_histogram *commits, *answers; /* of all scenes; NULL: not measured */
    /* On the loop: a scene was opened; its lent core is back; it will be closed now; its file takes
     * no commits any more, or was found to be damaged, or another member of the cluster gets it. */
    void *context;
    void (*handle_opened)(void *context, struct gz_open_scene *scene);
    void (*handle_returned)(void *context, struct gz_open_scene *scene);
    /* Batches were stored, or refused. */
    void (*handle_stored)(void *context, struct gz_open_scene *scene);
    void (*handle_closing)(void *context, struct gz_open_scene *scene);
    void (*handle_lost)(void *context, struct gz_open_scene *scene);
    /* Another member of the cluster has the scene, at scene->url. */
    void (*handle_elsewhere)(void *context, const struct gz_open_scene *scene);
};

enum gz_scene_phase {
    GZ_SCENE_OPENING, /* a worker fills it, or will */
    GZ_SCENE_OPEN,
    GZ_SCENE_CLOSING /* a worker empties it, or will */
};

/* How far the hook was told of an open scene: hooks.h. */
struct gz_hook_place {
    bool has_news; /* there may be news */
    bool is_known; /* where `told` is; else the file says */
    struct gz_told told;
    struct gz_told until;  /* where the request ends that failed; zero: none did */
    double pause_s, due_s; /* the next try after that, monotonic */
    double since_s;        /* monotonic: when the oldest news came, if it has any */
    uint64_t turn;         /* of its latest reading; 0: there was none */
    uint64_t seen;         /* stats.news of the store then, or later */
};

struct gz_open_scene {
    struct gz_net_scene net; /* first, so that a scene of the network is its scene */
    const struct gz_scene_setting *setting;
    char name[GZ_SCENE_NAME_BYTES_MAX + 1];
    char *path;
    struct gz_store *store;       /* NULL without an open file */
    struct gz_scene_lease *claim; /* in the cluster; NULL without one */
    /* The member of the cluster that has the scene, if the opening found one; else empty. */
    char url[GZ_MEMBER_URL_BYTES_MAX + 1];
    struct gz_letter committed; /* the store has batches for the loop */
    struct question *questions; /* about the past, not answered yet, the newest first */
    /* While the core is lent, and until it is back: loan.h. */
    struct gz_loan *loan; /* NULL: for work that the core has put off */
    struct gz_job loan_job;
    struct gz_core_summary summary; /* from before */
    struct gz_batch *batches;       /* that the core wants to store, the oldest first */
    struct gz_telling *tellings;    /* added by the worker until then */
    struct gz_batch *held; /* batches that the core wanted to store after its file was closed */
    bool is_ending;        /* it is being emptied */
    bool makes_triangles;  /* a worker does: triangles.h */
    struct gz_hook_place hook;
    /* private to scenes.c */
    struct gz_scenes *scenes;
    enum gz_scene_phase phase;
    bool creates, is_hidden;
    double used_s;                      /* monotonic: when it was last requested, or in use */
    struct gz_error error;              /* of its opening */
    char opener[GZ_USER_BYTES_MAX + 1]; /* user of the opening job, for fairness; empty for none */
    struct gz_job job;                  /* that opens or closes it */
    struct gz_scene_wait *waits;
    struct gz_open_scene *next;
};

/* FOLDER/NAME.db, which the caller frees; NULL without memory. */
char *gz_scene_path(const struct gz_scene_setting *setting, const char *name);

/* Calls `tell` on the loop: at once, or when the core is back. For functions that the core calls,
 * on its present thread. */
void gz_open_scene_tell(struct gz_open_scene *scene, struct gz_telling *telling);
/* After a loan: sends the batch to the disk, calls each `tell`, then takes the answers of the
 * disk. */
void gz_open_scene_catch_up(struct gz_open_scene *scene);

/* The core, for a change: it will have a turn. */
struct gz_core *gz_open_scene_touch(struct gz_open_scene *scene);

/* Whether nothing waits for a turn or for the disk. */
bool gz_open_scene_is_idle(const struct gz_open_scene *scene);
/* Whether that is so, and the last commit did not fail. */
bool gz_open_scene_is_saved(const struct gz_open_scene *scene);

/* ---- for scenes.c and retire.c ---- */

/* NULL without memory. */
struct gz_open_scene *gz_open_scene_create(const struct gz_scene_setting *setting,
                                           const char *name);
/* Opens the file, or creates it if it is missing and `create`, and builds the core; or fills
 * scene->url. */
GZ_MUST_USE enum gz_status gz_open_scene_fill(struct gz_open_scene *scene, bool create,
                                              struct gz_error *error);
/* The parts of an open scene besides its core, to be closed in this order. */
struct gz_hold {
    struct gz_store *store;
    struct gz_scene_lease *claim; /* NULL without a cluster */
};
/* Takes both out of the scene: the core, which must be frozen, goes on without them until all
 * sessions have left. */
struct gz_hold gz_open_scene_take_hold(struct gz_open_scene *scene);
/* Commits the rest, closes the file and destroys the core. Blocks for the disk. */
void gz_open_scene_empty(struct gz_open_scene *scene);
/* On the loop, after gz_open_scene_empty: frees it. */
void gz_open_scene_destroy(struct gz_open_scene *scene);

#endif
