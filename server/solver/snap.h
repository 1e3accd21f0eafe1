/* snap.h - values onto a grid: k * step, halves away from zero, odd-symmetric, no memory. A step
 * that is not positive leaves the value free. Pure. Units: whatever the value has. */
#ifndef GZ_SOLVER_SNAP_H
#define GZ_SOLVER_SNAP_H

#include <stdbool.h>

/* The value on the grid. */
double gz_snap_value(double value, double step);

/* What has to be added to `start` so that start + it lies on the grid next to start + value. */
double gz_snap_value_from(double start, double value, double step);

/* The factor on the grid 1 + k * step, which holds the factor of no motion. Grid values nearer to 0
 * than GZ_FACTOR_MIN are left out, and without `mirror` all below 0 too: the least one above 0 then
 * stands for them. */
double gz_snap_factor(double factor, double step, bool mirror);

/* A factor such that start * factor lies on k * step, never on 0 or nearer to it than
 * GZ_FACTOR_MIN, and without `mirror` on the start's side of 0. */
double gz_snap_factor_from(double start, double factor, double step, bool mirror);

#endif
