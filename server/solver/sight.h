/* sight.h - one line of sight: a camera with a pointer in it, or a bare ray, seen the same way by
 * every solver.
 *
 * A world point becomes (x, y, w): x / w and y / w are pixels from the pointer, right and down, and
 * w > 0 is in front. The map is linear, vectors go through it like differences of points, so every
 * question about the pointer is a small linear system: no ray, no matrix inverse and no depth
 * convention is needed. Depth is w if lines of sight meet in an eye, and the distance from the
 * camera's plane if they are parallel. A bare ray is a camera that looks along itself, with
 * GZ_RAY_RADIANS_PER_PX to a pixel. */
#ifndef GZ_SOLVER_SIGHT_H
#define GZ_SOLVER_SIGHT_H

#include "solver/exact.h"
#include "solver/solver.h"

typedef struct gz_seen {
    double x, y, w, depth;
} gz_seen;

static inline gz_seen gz_seen_between(gz_seen a, gz_seen b, double fraction)
{
    return (gz_seen){a.x + fraction * (b.x - a.x), a.y + fraction * (b.y - a.y),
                     a.w + fraction * (b.w - a.w), a.depth + fraction * (b.depth - a.depth)};
}

struct gz_sight {
    const struct gz_camera *camera; /* NULL for a ray without one */
    bool is_ray;
    gz_vec3 shift; /* added to every point asked about: a short way that its own coordinates would
                      round */
    double at[2];
    gz_vec3 origin, right, down, along; /* the ray; unit */
};

/* False if the ray has a number that is not finite, or no direction. */
bool gz_sight_init_ray(struct gz_sight *sight, const struct gz_pointer *pointer);

/* False if the pointer has a number that is not finite, a ray no direction, or a pixel no
 * camera. */
static inline bool gz_sight_init(struct gz_sight *sight, const struct gz_camera *camera,
                                 const struct gz_pointer *pointer)
{
    sight->camera = camera;
    sight->is_ray = pointer->is_ray;
    sight->shift = (gz_vec3){0, 0, 0};
    if (pointer->is_ray) return gz_sight_init_ray(sight, pointer);
    sight->at[0] = pointer->at[0];
    sight->at[1] = pointer->at[1];
    return camera != NULL && isfinite(sight->at[0]) && isfinite(sight->at[1]);
}

static inline gz_seen gz_see_ray(const struct gz_sight *sight, gz_vec3 v)
{
    double w = gz_dot(sight->along, v);
    return (gz_seen){gz_dot(sight->right, v) / GZ_RAY_RADIANS_PER_PX,
                     gz_dot(sight->down, v) / GZ_RAY_RADIANS_PER_PX, w, w};
}

/* World length of one pixel's height where w is this; 0 behind the viewer. */
static inline double gz_pixel_size_at(const struct gz_camera *camera, double w)
{
    double size = w / camera->up_px;
    return w > 0 && isfinite(size) ? size : 0;
}

/* World length of the angle that stands for a pixel, this far from a hand. */
static inline double gz_ray_pixel_at(double away)
{
    return (away > 0 && isfinite(away) ? away : GZ_RAY_METRES) * GZ_RAY_RADIANS_PER_PX;
}

/* World length of a pixel at a point: for a ray of the angle that stands for one. 0 behind. */
double gz_sight_pixel(const struct gz_sight *sight, gz_vec3 point);

/* The gradient of a linear function of view space, as one of world space. */
static inline gz_vec3 gz_gradient_to_world(const struct gz_camera *camera, gz_vec3 c)
{
    const double(*v)[4] = camera->view;
    return (gz_vec3){v[0][0] * c.x + v[1][0] * c.y + v[2][0] * c.z,
                     v[0][1] * c.x + v[1][1] * c.y + v[2][1] * c.z,
                     v[0][2] * c.x + v[1][2] * c.y + v[2][2] * c.z};
}

/* View space to pixels about the pointer; `one` is 1 for points, 0 for vectors. */
static inline gz_seen gz_see_view(const struct gz_sight *sight, gz_vec3 v, double one)
{
    const double(*m)[4] = sight->camera->pixel;
    double x = m[0][0] * v.x + m[0][1] * v.y + (m[0][2] * v.z + m[0][3] * one);
    double y = m[1][0] * v.x + m[1][1] * v.y + (m[1][2] * v.z + m[1][3] * one);
    double w = m[2][0] * v.x + m[2][1] * v.y + (m[2][2] * v.z + m[2][3] * one);
    const double *d = sight->camera->depth;
    double depth = d[0] * v.x + d[1] * v.y + (d[2] * v.z + d[3] * one);
    return (gz_seen){x - sight->at[0] * w, y - sight->at[1] * w, w, depth};
}

static inline gz_vec3 gz_view_point(const struct gz_camera *camera, gz_vec3 point)
{
    return (gz_vec3){gz_dot_exact_point(camera->view[0], point),
                     gz_dot_exact_point(camera->view[1], point),
                     gz_dot_exact_point(camera->view[2], point)};
}

/* A direction has no large coordinates to lose digits by: a plain product does. */
static inline gz_vec3 gz_view_vector(const struct gz_camera *camera, gz_vec3 v)
{
    const double(*m)[4] = camera->view;
    return (gz_vec3){m[0][0] * v.x + m[0][1] * v.y + m[0][2] * v.z,
                     m[1][0] * v.x + m[1][1] * v.y + m[1][2] * v.z,
                     m[2][0] * v.x + m[2][1] * v.y + m[2][2] * v.z};
}

/* The point, shifted, in the camera's view space. */
static inline gz_vec3 gz_sight_view_point(const struct gz_sight *sight, gz_vec3 point)
{
    return gz_add(gz_view_point(sight->camera, point), gz_view_vector(sight->camera, sight->shift));
}

static inline gz_seen gz_see_point(const struct gz_sight *sight, gz_vec3 point)
{
    if (sight->is_ray) return gz_see_ray(sight, gz_add(gz_sub(point, sight->origin), sight->shift));
    return gz_see_view(sight, gz_sight_view_point(sight, point), 1);
}

static inline gz_seen gz_see_vector(const struct gz_sight *sight, gz_vec3 vector)
{
    if (sight->is_ray) return gz_see_ray(sight, vector);
    return gz_see_view(sight, gz_view_vector(sight->camera, vector), 0);
}

/* The four rows of gz_see_vector as directions of the world: for many vectors the same answers at a
 * fourth of the cost. */
struct gz_growth {
    gz_vec3 x, y, w, depth;
};
struct gz_growth gz_sight_growth(const struct gz_sight *sight);

static inline gz_seen gz_grow(const struct gz_growth *growth, gz_vec3 v)
{
    return (gz_seen){gz_dot(growth->x, v), gz_dot(growth->y, v), gz_dot(growth->w, v),
                     gz_dot(growth->depth, v)};
}

/* From where the line of sight comes to the point: unit, world. In orthographic views the same for
 * every point. */
gz_vec3 gz_sight_toward(const struct gz_sight *sight, gz_vec3 point);

/* Whether the lines of sight meet in an eye: not so in orthographic views. */
static inline bool gz_sight_converges(const struct gz_sight *sight)
{
    return sight->is_ray || sight->camera->perspective;
}

/* From the eye to a point in view space; without an eye the unit direction of sight. */
static inline gz_vec3 gz_offset_in_view(const struct gz_camera *camera, gz_vec3 view)
{
    if (!camera->perspective) return gz_negate(camera->backward);
    return gz_mat3_apply(&camera->view_to_world, gz_sub(view, camera->eye_view));
}

/* The same for a point of the world, and from the eye of any line of sight. */
static inline gz_vec3 gz_sight_offset(const struct gz_sight *sight, gz_vec3 point)
{
    if (sight->is_ray) return gz_add(gz_sub(point, sight->origin), sight->shift);
    return gz_offset_in_view(sight->camera, gz_sight_view_point(sight, point));
}

/* The direction of the ray under the pointer, in view space for a pixel, before it is made unit:
 * where two planes of pixels meet. The product of its length with the sine of the angle to a plane
 * is what the hit is divided by. */
gz_vec3 gz_sight_crossing(const struct gz_sight *sight);

/* The viewer's frame, orthonormal: screen x, against screen y, to the viewer. A bare ray's has its
 * up as near +Y as can be. */
struct gz_view_frame {
    gz_vec3 right, up, backward;
};
struct gz_view_frame gz_sight_frame(const struct gz_sight *sight);

/* The ray under the pointer in world space: from the eye (in orthographic views from the camera's
 * plane), relative to `about` so that no digit is lost far from the world's origin. `direction` is
 * unit. False if there is none. */
bool gz_sight_ray(const struct gz_sight *sight, gz_vec3 about, gz_vec3 *origin, gz_vec3 *direction);

/* A camera shows nothing before its near plane or beyond its far one. Not negative at what it shows
 * of a point in view space, for each of the two. `one` is 1 for points, 0 for vectors. A bare ray
 * has no planes. */
static inline void gz_sight_clip(const struct gz_sight *sight, gz_vec3 v, double one,
                                 double clip[2])
{
    const double(*m)[4] = sight->camera->clip;
    for (int i = 0; i < 2; i++)
        clip[i] = m[i][0] * v.x + m[i][1] * v.y + (m[i][2] * v.z + m[i][3] * one);
}

/* The part of a ray of gz_sight_ray that is shown. False if none is. */
struct gz_span {
    double from, to; /* distances from its origin */
};
bool gz_sight_span(const struct gz_sight *sight, gz_vec3 about, gz_vec3 origin, gz_vec3 direction,
                   struct gz_span *span);

/* Nothing nearer than this part of the gizmo's own depth is drawn or picked. */
#define GZ_CLIP_RATIO 1e-4

#endif
