/* paths.h - the paths of the running drags, for each node, as the writer has recorded them.
 *
 * A failed transaction leaves the paths, like the file, as they were. Without memory for a drag's
 * paths all its samples are stored. Ownership: the caller owns the struct; finish frees what it
 * holds. Threads: the writer's. */
#ifndef GZ_STORE_PATHS_H
#define GZ_STORE_PATHS_H

#include "scene/record.h"
#include "store/path.h"

struct gz_path_run;

struct gz_paths {
    struct gz_path_run *runs; /* one for each drag */
};

void gz_paths_finish(struct gz_paths *paths);

/* Begins the paths of a drag; its changes are its nodes with their starts. */
void gz_paths_begin(struct gz_paths *paths, const struct gz_edit_record *edit);
/* Finds the path of a node, and the values that the drag's nodes share; false if every sample is
 * stored. Fastest in the order of the drag's changes. */
struct gz_path_found {
    struct gz_path_recorder *path;
    double tolerance_m;
    uint64_t began_seq;
};
bool gz_paths_find(struct gz_paths *paths, uint64_t edit, uint64_t node,
                   struct gz_path_found *found);
/* Ends the paths of a drag. */
void gz_paths_end(struct gz_paths *paths, uint64_t edit);

/* Ends a transaction. */
void gz_paths_settle(struct gz_paths *paths, bool committed);

#endif
