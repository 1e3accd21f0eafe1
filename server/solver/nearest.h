/* nearest.h - the transform of a node that comes nearest to one that no TRS is. Pure. */
#ifndef GZ_SOLVER_NEAREST_H
#define GZ_SOLVER_NEAREST_H

#include "proto/base/linear.h"

/* The rotation and scale whose linear part, below a parent with this one, is nearest to `wanted` in
 * the world: by the Frobenius norm of the difference, which is what a residual tells. `r` and `s`
 * are some near ones at first, from which it goes down to a least distance. They stay if
 * the parent has no inverse. */
void gz_nearest(const gz_mat3 *parent, const gz_mat3 *wanted, gz_quat *r, gz_vec3 *s);

#endif
