/* scenes.h - the open scenes of a data folder: for each a core, its store and its readers, wired to
 * the network. Wiring only: what a scene is, is the core's; what is saved, the store's; what is
 * sent, the network's.
 *
 * A scene is opened when somebody asks for it first and stays open until the end, or until
 * GZ_SCENES_MAX are open, nobody is in it and another is asked for: the one asked for longest ago
 * goes first. Its past is read on libuv's workers. Ownership: the caller owns the loop.
 * gz_scenes_close begins the end, the loop finishes it, gz_scenes_destroy frees. Threads: the
 * loop's; what runs on workers has copies. Errors: the store's and the core's, in their words. */
#ifndef GZ_HOST_SCENES_H
#define GZ_HOST_SCENES_H

#include <stdbool.h>
#include <uv.h>

#include "net/net.h"
#include "proto/limits.h"
#include "store/store.h"

struct gz_scenes;
struct gz_transfer_job;
struct gz_surfaces_job;
struct gz_retirement;

struct gz_open_scene {
    struct gz_net_scene net; /* first: the network gives it back */
    struct gz_scenes *scenes;
    char name[GZ_SCENE_NAME_BYTES_MAX + 1];
    char *path;
    struct gz_store *store;
    uv_async_t committed;                 /* the store's writer has something for us */
    double commit_from_s;                 /* monotonic, of the commit that runs; 0 for none */
    unsigned query_count;                 /* questions to the past, on workers */
    struct gz_surfaces_job *surfaces_job; /* its triangles are being made; NULL: not */
    struct gz_batch *held; /* that came when its file was closed already; NULL for none */
    struct gz_open_scene *next;
};

struct gz_scenes {
    uv_loop_t *loop;
    struct gz_net *net; /* set once there is one, before a scene is opened */
    const struct gz_log *log;
    const char *folder, *server;
    double messages_per_s;
    enum gz_recorded recorded;
    struct gz_retention_rule kept;
    struct gz_open_scene *open;
    size_t count;
    struct gz_transfer_job *jobs;          /* transfer.c's */
    struct gz_surfaces_job *surfaces_jobs; /* surfaces.c's; a worker has the first */
    struct gz_retirement *retirements;     /* retire.c's */
    uint64_t
        errors[GZ_STATUS_COUNT]; /* that somebody was answered with, by sessions or beside them */
    bool closing;
};

struct gz_scenes_options {
    uv_loop_t *loop;
    const struct gz_log *log;
    const char
        *folder; /* made where it is missing; must live as long as the scenes, as must `server` */
    const char *server;
    double messages_per_s;
    enum gz_recorded recorded;
    struct gz_retention_rule kept;
};

GZ_MUST_USE enum gz_status gz_scenes_create(struct gz_scenes **scenes,
                                            const struct gz_scenes_options *options,
                                            struct gz_error *error);
/* What the network is to ask. */
struct gz_net_host gz_scenes_host(struct gz_scenes *scenes);

/* [a-z0-9][a-z0-9_-]{0,63} */
bool gz_scene_name_valid(const char *name, size_t size);
/* The same as a status: GZ_BAD_VALUE, in words about `field`. */
GZ_MUST_USE enum gz_status gz_scene_name_check(const char *field, const char *name,
                                               struct gz_error *error);
/* FOLDER/NAME.db, to be freed; NULL without memory. */
char *gz_scene_path(const struct gz_scenes *scenes, const char *name);
bool gz_scene_exists(const struct gz_scenes *scenes, const char *name);

/* The scene of this name, opened where it was not; made where it is missing and `create`. Blocks
 * for its reading. */
GZ_MUST_USE enum gz_status gz_scenes_find(struct gz_scenes *scenes, const char *name, bool create,
                                          struct gz_open_scene **scene, struct gz_error *error);
/* The scene of this name if it is open, else NULL. */
struct gz_open_scene *gz_scenes_find_open(const struct gz_scenes *scenes, const char *name);
/* Nobody finds the scene any more; who is in it stays. It is then the caller's to drop. */
void gz_scenes_hide(struct gz_open_scene *scene);
/* Closes a hidden scene. Nobody is in it, or the network is closed. */
void gz_scenes_drop(struct gz_open_scene *scene);

/* Tells everybody `bye`. */
void gz_scenes_end(struct gz_scenes *scenes, const char *reason, double retry_s);
/* Nothing waits for the disk, and no request for a worker. */
bool gz_scenes_are_idle(const struct gz_scenes *scenes);

/* No change is still to be committed, and no scene's last commit failed. */
bool gz_scenes_are_saved(const struct gz_scenes *scenes);
/* Says in the log of which scenes that is not so. */
void gz_scenes_say_unsaved(const struct gz_scenes *scenes);

/* Commits what is left and closes the files. Blocks for that. After gz_net_close. */
void gz_scenes_close(struct gz_scenes *scenes);
/* Frees. After the end of the loop. NULL is fine. */
void gz_scenes_destroy(struct gz_scenes *scenes);

#endif
