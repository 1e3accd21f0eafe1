/* triangles.h - the triangles of the open scenes, by which nodes are picked: made on a worker, so
 * that no viewer waits for them.
 *
 * An import brings its own. A scene that is opened begins without: they are made from the kept glTF
 * meanwhile, which takes some milliseconds for most files, and until then its nodes are picked by
 * their bounds. All scenes together have GZ_SURFACE_BYTES_MAX. If triangles do not fit, or there is
 * no memory for them, they are left out with a line in the log, and those nodes are picked by their
 * bounds. Threads: the loop's. */
#ifndef GZ_HOST_TRIANGLES_H
#define GZ_HOST_TRIANGLES_H

#include "host/scenes.h"

struct gz_surfaces;

/* Has the triangles of a scene made that was just opened, after those of the scenes that were
 * opened before it. The scene need not be there any more when they are made. */
void gz_triangles_make(struct gz_scenes *scenes, const struct gz_open_scene *scene);

/* Takes triangles that were made for this scene, whose own they replace, and returns them if there
 * is room for them beside those of all other scenes; else they are freed, and it returns NULL.
 * `status` says how their making went. */
struct gz_surfaces *gz_triangles_admit(const struct gz_scenes *scenes,
                                       const struct gz_open_scene *scene,
                                       struct gz_surfaces *surfaces, enum gz_status status);

#endif
