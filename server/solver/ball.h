/* ball.h - a pointer becomes a point of a ball, two such points a rotation. Pure.
 * Frames: world. Units: radians, pixels. Sources: Shoemake 1992 (double arc, path-free), Bell's
 * sheet (sphere and hyperbola joined at r / sqrt 2), Chen 1988 (hemisphere), and the sphere itself
 * met by the ray, so that under perspective the grabbed point stays under the pointer. */
#ifndef GZ_SOLVER_BALL_H
#define GZ_SOLVER_BALL_H

#include "solver/sight.h"

struct gz_ball_place {
    enum gz_ball kind;
    enum gz_ball_fit fit;
    gz_vec3 origin;       /* the pivot */
    double radius;        /* world; for rays and for the exact ball that fits the object */
    double size_px;       /* the ball's radius if it fits the object */
    const double *circle; /* [x, y, r] in pixels; r 0: by fit */
    bool is_flat; /* an exact ball is met along the line from its centre to the viewer, as if seen
                     from far away, and not along the line of sight */
};

/* Whether an exact ball has to be flat. A circle in the picture is no sphere in the world: how it
 * turns does not depend on the lens. A sphere that is very near to the eye, as it is in a wide
 * lens, would hardly turn, and from inside the other way. Such a ball turns as one that is far
 * away. */
bool gz_ball_is_flat(const struct gz_ball_place *ball, const struct gz_sight *sight);

/* The unit vector in the world from the ball's centre to the place under the pointer. */
bool gz_ball_point(const struct gz_ball_place *ball, const struct gz_sight *sight, gz_vec3 *unit);

/* A unit vector across `point`, always the same one: the axis of a turn to the opposite point,
 * which has no axis of its own. */
gz_vec3 gz_ball_across(gz_vec3 point);

/* The rotation that takes `from` to `to` (GZ_BALL_SHOEMAKE: twice that). */
gz_quat gz_ball_turn(enum gz_ball kind, gz_vec3 from, gz_vec3 to, gz_vec3 across);

/* The ellipse [x, y, rx, ry] in pixels that the ball fills on the screen. False for a pivot behind
 * the viewer. */
bool gz_ball_ellipse(const struct gz_ball_place *ball, const struct gz_camera *camera,
                     double ellipse[4]);

#endif
