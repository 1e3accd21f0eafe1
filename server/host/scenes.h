/* scenes.h - the scenes of a data folder that are open, and how they are opened and closed.
 *
 * A scene is opened when somebody asks for it first, and closed at the end, or when nobody was in
 * it for GZ_SCENE_IDLE_SECONDS, or when nobody is in it, GZ_SCENES_MAX are open and another is
 * asked for: the one asked for longest ago goes first. Both happen on a worker, where those who ask
 * for scenes take turns; who asks meanwhile waits. Ownership: gz_scenes_close begins the end, the
 * loop finishes it. Threads: the loop's. Errors: the store's and the core's, in their words. */
#ifndef GZ_HOST_SCENES_H
#define GZ_HOST_SCENES_H

#include "host/scene.h"

/* A name that cannot be used for a while: its scene is being deleted or renamed. Filled and kept by
 * who claims it. */
struct gz_name_claim {
    char name[GZ_SCENE_NAME_BYTES_MAX + 1];
    struct gz_error why; /* the answer to every request for the name; GZ_OK: the request waits */
    struct gz_scene_wait *waits;
    struct gz_name_claim *next;
};

struct gz_scenes {
    const struct gz_scene_setting *setting;
    struct gz_open_scene *first; /* the latest asked for; in any state */
    size_t count;                /* without those that are being closed */
    struct gz_name_claim *claims;
};

void gz_scenes_init(struct gz_scenes *scenes, const struct gz_scene_setting *setting);

/* The scene of this name, made if it is missing and `create`. If it is not open, it is opened, and
 * *scene is NULL with GZ_OK: `wait->again` is called later, see net/net.h. `payer`: whose share of
 * the workers, and of the scenes that may be made, that takes; "" for nobody's. GZ_BAD_VALUE if
 * that is no name, GZ_UNKNOWN_SCENE, GZ_TOO_MANY, GZ_RATE_LIMITED for too many new scenes,
 * GZ_STORAGE, or what a claim says. If another member of the cluster has the scene, `again` is
 * called with `wait->url` filled. */
GZ_MUST_USE enum gz_status gz_scenes_find(struct gz_scenes *scenes, const char *name, bool create,
                                          const char *payer, struct gz_scene_wait *wait,
                                          struct gz_open_scene **scene, struct gz_error *error);
/* Opens a scene on this thread, made if it is missing; blocks for its reading. For the start, while
 * there is nobody to be kept waiting. The scene is not open yet. */
GZ_MUST_USE enum gz_status gz_scenes_open_here(struct gz_scenes *scenes, const char *name,
                                               struct gz_error *error);
/* If the scene of this name is being opened or closed: has `wait->again` called afterwards, and
 * returns true. */
bool gz_scenes_wait(struct gz_scenes *scenes, const char *name, struct gz_scene_wait *wait);
/* Has `wait->again` called when the core of the scene, which is lent, is back; with an error if it
 * goes away then. */
void gz_scenes_await(struct gz_open_scene *scene, struct gz_scene_wait *wait);
/* After a loan: whoever waits asks again, or the scene is closed if that waited. */
void gz_scenes_take_back(struct gz_open_scene *scene);
/* `again` is not called any more. Fine for one that does not wait. */
void gz_scenes_forget(struct gz_scene_wait *wait);

/* The scene of this name if it is open, else NULL. */
struct gz_open_scene *gz_scenes_find_open(const struct gz_scenes *scenes, const char *name);
/* All that are open: the first, from NULL, or the one after `scene`; NULL after the last. */
struct gz_open_scene *gz_scenes_next(const struct gz_scenes *scenes,
                                     const struct gz_open_scene *scene);
/* Closes what nobody has used for GZ_SCENE_IDLE_SECONDS. To be called again and again. */
void gz_scenes_rest(struct gz_scenes *scenes, double mono_s);
/* Whether the scene is there, open or not. */
bool gz_scenes_have(const struct gz_scenes *scenes, const char *name);

/* At its end whoever waits asks again. */
void gz_scenes_claim(struct gz_scenes *scenes, struct gz_name_claim *claim);
void gz_scenes_unclaim(struct gz_scenes *scenes, struct gz_name_claim *claim);
/* What the claim of this name says, GZ_BAD_STATE if requests wait for its end; GZ_OK if there is
 * none. */
GZ_MUST_USE enum gz_status gz_scenes_check_name(const struct gz_scenes *scenes, const char *name,
                                                struct gz_error *error);

/* Nobody finds the open scene any more; its sessions stay. The caller then has to drop it. */
void gz_scenes_hide(struct gz_open_scene *scene);
/* Closes a hidden scene, on a worker. Nobody is in it, or the network is closed. */
void gz_scenes_drop(struct gz_open_scene *scene);

/* Commits what is left and closes the files of all open scenes. Blocks for that. After
 * gz_jobs_close; the others are closed while the loop runs to its end. */
void gz_scenes_close(struct gz_scenes *scenes);

#endif
