/* listing.h - the list of the scenes of a data folder. What a scene's file says is remembered until
 * the file or its log is another one: a list of 1,000 scenes looks at 1,000 files, and opens those
 * that were written to since. Threads: as said at each function. */
#ifndef GZ_HOST_LISTING_H
#define GZ_HOST_LISTING_H

#include "host/scenes.h"

struct gz_known_scene;

/* What is remembered of a data folder. */
struct gz_listing {
    uv_mutex_t mutex;              /* guards the others; held while the folder is read */
    struct gz_known_scene *scenes; /* by name */
    size_t count, capacity;
};

/* Zeroed memory of the caller's, to be finished. The thread that made it. */
void gz_listing_init(struct gz_listing *listing);
void gz_listing_finish(struct gz_listing *listing);

struct gz_scene_list {
    struct gz_listed_scene *scenes;
    size_t count;
};

/* Reads the folder, ordered by name; a file that cannot be read is left out with a line in the log,
 * and what somebody with these claims may not see without one. Any thread: one that asks while
 * another one reads waits for what that one finds. GZ_STORAGE, GZ_NO_MEMORY; `list` is to be
 * finished in any case. */
GZ_MUST_USE enum gz_status gz_listing_read(struct gz_listing *listing,
                                           const struct gz_scene_setting *setting,
                                           const struct gz_claims *claims,
                                           struct gz_scene_list *list, struct gz_error *error);
/* Appends the list as JSON, with what is known better of the scenes that are open. The loop's
 * thread. False without memory. */
bool gz_scene_list_print(struct gz_scene_list *list, const struct gz_scenes *scenes,
                         struct gz_buffer *out);
void gz_scene_list_finish(struct gz_scene_list *list);

#endif
