/* motion.h - the three kinds of motion, made from what a handle measured. Pure. */
#ifndef GZ_SOLVER_MOTION_H
#define GZ_SOLVER_MOTION_H

#include "solver/solver.h"

struct gz_motion gz_motion_moved(gz_vec3 offset);
struct gz_motion gz_motion_turned(gz_quat turn, gz_vec3 pivot, bool each);
/* Along world axes; set frame and frame_inverse for others. */
struct gz_motion gz_motion_scaled(gz_vec3 factor, gz_vec3 pivot, bool each);

#endif
