/* surfaces.h - the triangles of the open scenes, by which nodes are picked: made on libuv's
 * workers, so that no viewer waits for them.
 *
 * An import brings its own. A scene that is opened begins without: they are made from the kept glTF
 * meanwhile, which takes some milliseconds for most files, and until then its nodes are picked by
 * their bounds. All scenes together have GZ_SURFACE_BYTES_MAX. What does not fit, or for which
 * there is no memory, is left out with a line in the log: those nodes are picked by their bounds.
 * Threads: the loop's. */
#ifndef GZ_HOST_TRIANGLES_H
#define GZ_HOST_TRIANGLES_H

#include "host/scenes.h"

struct gz_surfaces;

/* Has those of a scene made that was just opened, after those of scenes that were opened before
 * it. */
void gz_surfaces_begin(struct gz_open_scene *scene);
/* The scene is about to be closed: it is not to get them any more. */
void gz_surfaces_cancel(struct gz_open_scene *scene);

/* What of those that were made for the scene is to be kept, by what there is beside those that it
 * has: them, or NULL once they are released. `status` is how their making went. */
struct gz_surfaces *gz_surfaces_admit(const struct gz_open_scene *scene,
                                      struct gz_surfaces *surfaces, enum gz_status status);
/* Gives their memory back, by a worker: it is much. NULL is fine. */
void gz_surfaces_release(struct gz_scenes *scenes, struct gz_surfaces *surfaces);

/* Whether a worker reads this file for its triangles. */
bool gz_surfaces_reads(const struct gz_scenes *scenes, const char *path);

#endif
