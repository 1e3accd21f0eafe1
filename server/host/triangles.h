/* triangles.h - the triangles of the open scenes, for picking. They are made on a worker, so that
 * no viewer waits for them.
 *
 * An import brings its own triangles. A scene that is opened begins without: they are made from the
 * stored glTF file, in some milliseconds for most files, and until then its nodes are picked by
 * their bounds. All scenes together have GZ_SURFACE_BYTES_MAX. Triangles that do not fit, or for
 * which there is no memory, are left out with a line in the log; their nodes are picked by bounds.
 * Threads: the loop's. */
#ifndef GZ_HOST_TRIANGLES_H
#define GZ_HOST_TRIANGLES_H

#include "host/scenes.h"

struct gz_surfaces;

/* Begins to make the triangles of a scene that was just opened, after those of scenes opened
 * before. The scene may be closed before they are made. */
void gz_triangles_make(struct gz_scenes *scenes, const struct gz_open_scene *scene);

/* Takes triangles that were made for this scene, to replace its own. Returns them if they fit
 * besides those of all other scenes; else frees them and returns NULL. `status` is the result of
 * making them. */
struct gz_surfaces *gz_triangles_admit(const struct gz_scenes *scenes,
                                       const struct gz_open_scene *scene,
                                       struct gz_surfaces *surfaces, enum gz_status status);

#endif
