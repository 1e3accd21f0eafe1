/* snap.h - values onto a grid: k * step, halves away from zero, odd-symmetric, no memory. A step that is not positive leaves
 * the value free. Pure. Units: whatever the value has. */
#ifndef GZ_SOLVER_SNAP_H
#define GZ_SOLVER_SNAP_H

/* The value on the grid. */
double gz_snap_value(double value, double step);

/* What has to be added to `start` so that start + it lies on the grid next to start + value. */
double gz_snap_value_from(double start, double value, double step);

/* A factor on 1 + k * step, so that no motion stays none; never 0. */
double gz_snap_factor(double factor, double step);

/* A factor such that start * factor lies on k * step, never on 0. */
double gz_snap_factor_from(double start, double factor, double step);

#endif
