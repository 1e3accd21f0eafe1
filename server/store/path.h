/* path.h - paths of drags: which points are stored, and those of running drags. */
#ifndef GZ_STORE_PATH_H
#define GZ_STORE_PATH_H

#include <stdint.h>

#include "proto/base/linear.h"
#include "scene/record.h"

/* ---- points that are stored ---- */

/* Chooses the points of a drag's path that are stored.
 *
 * A recorded path is a chain of points from the node's start to its end; between two points
 * translation, rotation (the quaternion, normalised afterwards) and scale are linear in time,
 * component by component. A sample is left out only if the line passes it within the tolerance, so
 * that the recorded path is within the tolerance at each sampled time.
 *
 * The method is online and of fixed size: for each component the slopes from the last kept point
 * that pass every later sample within the tolerance form one interval. A new sample whose slope
 * lies in it extends the line; otherwise the sample before it becomes a point, and the next line
 * begins there. So the newest sample is kept until the next one shows that it is not needed.
 *
 * Units: metres in the parent's frame, seconds. Pure: no memory, no errors. Threads: any, one path
 * at a time. */

enum { GZ_PATH_COMPONENTS = 10 };

struct gz_path_recorder {
    double start_s, start[GZ_PATH_COMPONENTS]; /* the last permanent point */
    double low[GZ_PATH_COMPONENTS], high[GZ_PATH_COMPONENTS];
    uint64_t last_seq; /* the newest sample; 0 if there is none, or it is the last point */
    double last_s, last[GZ_PATH_COMPONENTS];
};

void gz_path_recorder_begin(struct gz_path_recorder *path, double time, const gz_trs *start);
/* Whether the newest sample becomes a permanent point when the path continues to this one. True if
 * there is no sample yet. */
bool gz_path_recorder_needs_last(const struct gz_path_recorder *path, double time,
                                 const gz_trs *trs);
/* If the node rested between the newest sample (or the beginning) and this time: the time at which
 * it moved on. Else NaN. */
double gz_path_recorder_rest(const struct gz_path_recorder *path, double time);
/* The node rested until `time`: the next line begins there. The newest sample stays. */
void gz_path_recorder_move_on(struct gz_path_recorder *path, double time);
/* Extends the path to the next sample; the line may pass it within `tolerance_m`. */
void gz_path_recorder_extend(struct gz_path_recorder *path, double tolerance_m, uint64_t seq,
                             double time, const gz_trs *trs);

/* The last permanent point. */
gz_trs gz_path_start(const struct gz_path_recorder *path);

/* ---- of running drags ---- */

/* The paths of the running drags, for each node, as the writer has recorded them.
 *
 * A failed transaction leaves the paths, like the file, as they were. Without memory for a drag's
 * paths all its samples are stored. Ownership: the caller owns the struct; finish frees what it
 * holds. Threads: the writer's. */

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
