/* paths.h - the paths of the drags that run, node by node, as far as the writer knows them.
 *
 * A transaction that failed leaves the paths as they were, as it does the file. Without memory for
 * a drag's paths every sample of the drag stays. Ownership: as it says. Threads: the writer's. */
#ifndef GZ_STORE_PATHS_H
#define GZ_STORE_PATHS_H

#include "scene/record.h"
#include "store/path.h"

struct gz_path_run;

struct gz_paths {
    struct gz_path_run *runs; /* few: one for each drag */
};

void gz_paths_finish(struct gz_paths *paths);

/* A drag that begins; its nodes are those of its changes, which say where each was. */
void gz_paths_begin(struct gz_paths *paths, const struct gz_edit_record *edit);
/* Finds the path of a node, and the values that all nodes of its drag share; false if every sample
 * stays. It is fastest in the order of the drag's changes. */
struct gz_path_found {
    struct gz_path_recorder *path;
    double tolerance_m;
    uint64_t began_seq;
};
bool gz_paths_find(struct gz_paths *paths, uint64_t edit, uint64_t node,
                   struct gz_path_found *found);
/* The drag is over. */
void gz_paths_end(struct gz_paths *paths, uint64_t edit);

/* The end of a transaction. */
void gz_paths_settle(struct gz_paths *paths, bool committed);

#endif
