/* path.h - what of a drag's path is written down.
 *
 * A recorded path is a chain of points, from where the drag found a node to where it left it;
 * between two points everything is linear in time: translation, rotation (its quaternion, made unit
 * afterwards) and scale, component by component. A sample is left out only if the line past it is
 * within the tolerance, so that a reader of the path is never further from the truth at any moment
 * that was sampled.
 *
 * Online and of fixed size: for each component the slopes from the last point that is kept which
 * pass every sample since within its tolerance are one interval. A new sample whose own slope lies
 * within it carries the line on; otherwise the sample before it is a point, and the next line
 * begins there. So the newest sample is always kept, until the next one shows that it is not
 * needed.
 *
 * Units: metres in the parent's frame, seconds. Pure: no memory, no errors. Threads: any, one path
 * at a time. */
#ifndef GZ_STORE_PATH_H
#define GZ_STORE_PATH_H

#include <stdint.h>

#include "proto/base/linear.h"

enum { GZ_PATH_COMPONENTS = 10 };

struct gz_path_recorder {
    double start_s, start[GZ_PATH_COMPONENTS]; /* the last point that is kept for good */
    double low[GZ_PATH_COMPONENTS], high[GZ_PATH_COMPONENTS];
    uint64_t last_seq; /* the newest sample; 0 while there is none, or it is the last point */
    double last_s, last[GZ_PATH_COMPONENTS];
};

void gz_path_recorder_begin(struct gz_path_recorder *path, double time, const gz_trs *start);
/* Whether the newest sample has to stay as a point, now that the path goes on to this one. True if
 * there is no sample yet. */
bool gz_path_recorder_needs_last(const struct gz_path_recorder *path, double time,
                                 const gz_trs *trs);
/* The moment at which the node moved on, if it rested between the newest sample (or the beginning)
 * and this time; NaN if it did not rest. */
double gz_path_recorder_rest(const struct gz_path_recorder *path, double time);
/* The node rested until then: the next line begins there. The newest sample stays. */
void gz_path_recorder_move_on(struct gz_path_recorder *path, double time);
/* Goes on to the next sample, `tolerance_m` from which the line may pass. */
void gz_path_recorder_extend(struct gz_path_recorder *path, double tolerance_m, uint64_t seq,
                             double time, const gz_trs *trs);

/* The last point that is kept for good. */
gz_trs gz_path_start(const struct gz_path_recorder *path);

#endif
