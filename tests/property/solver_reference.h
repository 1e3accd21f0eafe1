/* solver_reference.h - the drags' definitions in four times the digits of a double's rounding, by
 * the plainest way there is: invert the view-projection, make rays, intersect them. Shares no code
 * and no formula with the solver.
 *
 * Pixels: x_ndc = 2 (x - vx) / w - 1, y_ndc = 1 - 2 (y - vy) / h, no half-pixel shift; y_ndc the
 * other way round where the camera says so. Every function is false where the thing asked for does
 * not exist. */
#ifndef SOLVER_REFERENCE_H
#define SOLVER_REFERENCE_H

#include <stdbool.h>

#include "solver/solver.h"

__extension__ typedef __float128 quad;

typedef struct quad3 {
    quad v[3];
} quad3;

struct reference {
    quad view_proj[16], inverse[16], viewport[4], y_sign;
};

quad quad_sqrt(quad square);
quad3 quad3_from(gz_vec3 v);
quad3 quad3_add(quad3 a, quad3 b);
quad3 quad3_sub(quad3 a, quad3 b);
quad3 quad3_scale(quad3 a, quad k);
quad quad3_dot(quad3 a, quad3 b);
quad3 quad3_cross(quad3 a, quad3 b);
quad quad3_length(quad3 a);
/* Turned by a quaternion of any length. */
quad3 quad3_turn(gz_quat q, quad3 v);

bool reference_init(struct reference *reference, const struct gz_camera_input *input);
/* In front of the viewer, and where. */
bool reference_project(const struct reference *reference, quad3 point, quad at[2]);
/* The clip w of a point. */
quad reference_w(const struct reference *reference, quad3 point);
bool reference_ray(const struct reference *reference, const quad at[2], quad3 *origin,
                   quad3 *direction);
/* t of the place on origin + t axis whose image is the foot of `at` on the axis's image. */
bool reference_on_axis(const struct reference *reference, quad3 origin, quad3 axis,
                       const double at[2], quad *t);
/* The hit of the ray with the plane. */
bool reference_on_plane(const struct reference *reference, quad3 origin, quad3 normal,
                        const double at[2], quad3 *hit);

#endif
