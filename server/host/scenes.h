/* scenes.h - the scenes of a data folder, by name: opening and closing. */
#ifndef GZ_HOST_SCENES_H
#define GZ_HOST_SCENES_H

#include <stdbool.h>
#include <stddef.h>

#include "host/open_scene.h"
#include "proto/base/status.h"

/* ---- names ---- */

/* Checks the names of scenes. Pure. Threads: any. */

/* [a-z0-9][a-z0-9_-]{0,63} */
bool gz_scene_name_valid(const char *name, size_t size);
/* The same as a status: GZ_BAD_VALUE, with an error that begins with `field`. */
GZ_MUST_USE enum gz_status gz_scene_name_check(const char *field, const char *name,
                                               struct gz_error *error);

/* ---- scenes ---- */

/* The scenes of a data folder that are open, and how they are opened and closed.
 *
 * A scene is opened at the first request for it. It is closed at the end, after
 * GZ_SCENE_IDLE_SECONDS without a session, or to make room for another one if GZ_SCENES_MAX are
 * open: the unused one that was requested longest ago. Both happen on a worker, with fairness
 * between users; requests meanwhile wait. Ownership: gz_scenes_close begins the end, the loop
 * finishes it. Threads: the loop's. Errors: those of the store and the core. */

/* A claim on a name while its scene is being deleted or renamed. Filled and owned by the
 * claimant. */
struct gz_name_reservation {
    char name[GZ_SCENE_NAME_BYTES_MAX + 1];
    struct gz_error why; /* the answer to every request for the name; GZ_OK: the request waits */
    struct gz_scene_wait *waits;
    struct gz_name_reservation *next;
};

struct gz_scenes {
    const struct gz_scene_setting *setting;
    struct gz_open_scene *first; /* in any state, the latest requested first */
    size_t count;                /* of those that are not being closed */
    struct gz_name_reservation *claims;
};

void gz_scenes_init(struct gz_scenes *scenes, const struct gz_scene_setting *setting);

/* Finds the scene of this name, or creates it if it is missing and `create`. If it is not open, it
 * is opened, and *scene is NULL with GZ_OK: `wait->again` is called later (front/net.h). `payer` is
 * charged for new scenes, and counts for fairness; "" for none. GZ_BAD_VALUE for an invalid name,
 * GZ_UNKNOWN_SCENE, GZ_TOO_MANY, GZ_RATE_LIMITED for too many new scenes, GZ_STORAGE, or the error
 * of a claim. If another member of the cluster has the scene, `again` is called with `wait->url`
 * filled. */
GZ_MUST_USE enum gz_status gz_scenes_find(struct gz_scenes *scenes, const char *name, bool create,
                                          const char *payer, struct gz_scene_wait *wait,
                                          struct gz_open_scene **scene, struct gz_error *error);
/* Opens or creates a scene on this thread, which blocks for reading it: for the start, while no
 * client waits. The scene must not be open yet. */
GZ_MUST_USE enum gz_status gz_scenes_open_here(struct gz_scenes *scenes, const char *name,
                                               struct gz_error *error);
/* If the scene of this name is being opened or closed: has `wait->again` called afterwards, and
 * returns true. */
bool gz_scenes_wait(struct gz_scenes *scenes, const char *name, struct gz_scene_wait *wait);
/* Has `wait->again` called when the scene's lent core is back; with an error if the scene goes away
 * then. */
void gz_scenes_await(struct gz_open_scene *scene, struct gz_scene_wait *wait);
/* After a loan: calls `again` of the waiting requests, or closes the scene if that was due. */
void gz_scenes_take_back(struct gz_open_scene *scene);
/* Cancels a wait: `again` is not called any more. Fine for one that does not wait. */
void gz_scenes_forget(struct gz_scene_wait *wait);

/* The scene of this name if it is open, else NULL. */
struct gz_open_scene *gz_scenes_find_open(const struct gz_scenes *scenes, const char *name);
/* Walks the open scenes: the first one after NULL, NULL after the last. */
struct gz_open_scene *gz_scenes_next(const struct gz_scenes *scenes,
                                     const struct gz_open_scene *scene);
/* Closes scenes that were unused for GZ_SCENE_IDLE_SECONDS. Call it regularly. */
void gz_scenes_rest(struct gz_scenes *scenes, double mono_s);
/* Closes scenes that nobody uses, the one that was requested longest ago first, until about so many
 * bytes are free or will be; returns how many. */
uint64_t gz_scenes_close_unused(struct gz_scenes *scenes, uint64_t bytes);
/* Whether the scene exists, open or not. */
bool gz_scenes_have(const struct gz_scenes *scenes, const char *name);

/* The same, but in a cluster the folder is not asked: its file may be that of a scene which another
 * member deleted just now. There a scene that was looked for is known if it is open. */
bool gz_scenes_know(const struct gz_scenes *scenes, const char *name);

/* Begins and ends a claim; the end calls `again` of the waiting requests. */
void gz_scenes_claim(struct gz_scenes *scenes, struct gz_name_reservation *claim);
void gz_scenes_unclaim(struct gz_scenes *scenes, struct gz_name_reservation *claim);
/* The error of the claim on this name, GZ_BAD_STATE if requests wait for its end; GZ_OK without a
 * claim. */
GZ_MUST_USE enum gz_status gz_scenes_check_name(const struct gz_scenes *scenes, const char *name,
                                                struct gz_error *error);

/* Hides the open scene from requests; its sessions stay. The caller has to drop it later. */
void gz_scenes_hide(struct gz_open_scene *scene);
/* Closes a hidden scene, on a worker. It must have no sessions, or the network must be closed. */
void gz_scenes_drop(struct gz_open_scene *scene);

/* Commits the rest and closes the files of all open scenes, which blocks. Call it after
 * gz_jobs_close; the other scenes are closed while the loop runs to its end. */
void gz_scenes_close(struct gz_scenes *scenes);

#endif
