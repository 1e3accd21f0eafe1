/* listing.h - the list of the scenes of a data folder. The summary of a scene's file is cached
 * until the file or its log changes: a list of 1,000 scenes stats 1,000 files, and opens those that
 * were written to since. Threads: as said at each function. */
#ifndef GZ_HOST_LISTING_H
#define GZ_HOST_LISTING_H

#include "host/scenes.h"

struct gz_known_scene;

/* The cache of a data folder. */
struct gz_listing {
    uv_mutex_t mutex;              /* guards the other members; held while the folder is read */
    struct gz_known_scene *scenes; /* by name */
    size_t count, capacity;
};

/* Initializes zeroed memory of the caller, on the thread that finishes it. */
void gz_listing_init(struct gz_listing *listing);
void gz_listing_finish(struct gz_listing *listing);

struct gz_scene_list {
    struct gz_listed_scene *scenes;
    size_t count;
};

/* Reads the folder, ordered by name. Leaves out scenes that these claims may not see and, with a
 * line in the log, files that cannot be read. Any thread; a second one waits until the first has
 * read. GZ_STORAGE, GZ_NO_MEMORY; `list` has to be finished in any case. */
GZ_MUST_USE enum gz_status gz_listing_read(struct gz_listing *listing,
                                           const struct gz_scene_setting *setting,
                                           const struct gz_claims *claims,
                                           struct gz_scene_list *list, struct gz_error *error);
/* Appends the list as JSON, with the present values of open scenes. The loop's thread. False
 * without memory. */
bool gz_scene_list_print(struct gz_scene_list *list, const struct gz_scenes *scenes,
                         struct gz_buffer *out);
void gz_scene_list_finish(struct gz_scene_list *list);

#endif
