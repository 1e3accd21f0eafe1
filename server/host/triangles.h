/* triangles.h - the triangles of the open scenes, for picking. They are made on a worker, so that
 * no viewer waits for them.
 *
 * An import brings its own triangles. A scene that is opened begins without, and nodes may come
 * back from the past when theirs were let go: they are made from the stored glTF file, in some
 * milliseconds for most files, and until then the nodes are picked by their bounds. All scenes
 * together have GZ_SURFACE_BYTES_MAX. Triangles that do not fit, or for which there is no memory,
 * are left out with a line in the log; their nodes are picked by bounds. Threads: the loop's. */
#ifndef GZ_HOST_TRIANGLES_H
#define GZ_HOST_TRIANGLES_H

#include "host/scenes.h"

struct gz_surfaces;

/* Begins to make the triangles that the scene's core wants, file after file, unless that has begun
 * already: of a scene that was just opened, after those of scenes opened before; of nodes that came
 * back from the past. The scene may be closed before they are made. */
void gz_triangles_make(struct gz_scenes *scenes, struct gz_open_scene *scene);

/* Takes triangles that were made for this scene: to replace its own with `replaces`, else to be
 * kept beside them. Returns them if they fit besides those of all other scenes; else frees them and
 * returns NULL. `status` is the result of making them. */
struct gz_surfaces *gz_triangles_admit(const struct gz_scenes *scenes,
                                       const struct gz_open_scene *scene, bool replaces,
                                       struct gz_surfaces *surfaces, enum gz_status status);

#endif
