/* path.h - chooses the points of a drag's path that are stored.
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
#ifndef GZ_STORE_PATH_H
#define GZ_STORE_PATH_H

#include <stdint.h>

#include "proto/base/linear.h"

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

#endif
