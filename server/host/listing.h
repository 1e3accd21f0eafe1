/* listing.h - what is asked of all scenes: the list, the numbers, memory that is given back. */
#ifndef GZ_HOST_LISTING_H
#define GZ_HOST_LISTING_H

#include "host/scenes.h"

/* ---- memory that is given back ---- */

/* What open scenes can spare when the memory of the process is short.
 *
 * In this order: the oldest edits that can be undone, of all scenes; then the deleted nodes that
 * are remembered for viewers who resume, who start anew then; then scenes that nobody uses, which
 * are closed. Scenes whose core is lent are passed over. Threads: the loop's. Errors: none. */

/* The bytes of undo, and of deleted nodes, in all scenes that can spare something now. */
uint64_t gz_scenes_spare(const struct gz_scenes *scenes);
/* Forgets at least so many bytes if there are as many; returns how many. */
uint64_t gz_scenes_relieve(struct gz_scenes *scenes, uint64_t bytes);

/* ---- listing ---- */

/* The list of the scenes of a data folder. The summary of a scene's file is cached
 * until the file or its log changes: a list of 1,000 scenes stats 1,000 files, and opens those that
 * were written to since. Threads: as said at each function. */

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

/* Reads the folder, ordered by name. Leaves out scenes that these claims (NULL: those of the server
 * itself) may not see and, with a line in the log, files that cannot be read. Any thread; a second
 * one waits until the first has read. GZ_STORAGE, GZ_NO_MEMORY; `list` has to be finished in any
 * case. */
GZ_MUST_USE enum gz_status gz_listing_read(struct gz_listing *listing,
                                           const struct gz_scene_setting *setting,
                                           const struct gz_claims *claims,
                                           struct gz_scene_list *list, struct gz_error *error);
/* The first scene behind `after`, by name, whose file has news that a hook was not told of; "" if
 * there is none. Any thread; files that cannot be read are left out. */
void gz_listing_find_news(struct gz_listing *listing, const struct gz_scene_setting *setting,
                          const char *after, char name[GZ_SCENE_NAME_BYTES_MAX + 1]);
/* Appends the list as JSON, with the present values of open scenes. The loop's thread. False
 * without memory. */
bool gz_scene_list_print(struct gz_scene_list *list, const struct gz_scenes *scenes,
                         struct gz_buffer *out);
void gz_scene_list_finish(struct gz_scene_list *list);

/* ---- numbers ---- */

/* The host's health and metrics. Threads: the loop's. */

/* Whether the disk takes the commits of all open scenes in time; if not, `error` says why. */
bool gz_scenes_are_healthy(const struct gz_scenes *scenes, struct gz_error *error);
/* Appends the metrics of the open scenes, in Prometheus' text format. False without memory. */
bool gz_scenes_measure(const struct gz_scenes *scenes, struct gz_buffer *out);
/* The same for the cluster. */
bool gz_cluster_measure(struct gz_cluster *cluster, struct gz_buffer *out);

#endif
