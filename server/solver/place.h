/* place.h - where the pointer is on an axis or a plane: the closed forms that every straight handle
 * uses. Numbers are in units of the axes given. Sources: the homogeneous foot point and the ray's
 * hit by Cramer's rule, both about the pointer, so that nothing large is subtracted. */
#ifndef GZ_SOLVER_PLACE_H
#define GZ_SOLVER_PLACE_H

#include "solver/sight.h"

/* Depths that the handle's point may take, and how nearly a ray may graze a plane (sine). */
struct gz_range {
    double min, max, sine_min;
};

/* Anywhere that shows. */
#define GZ_ANYWHERE ((struct gz_range){-HUGE_VAL, HUGE_VAL, 0})

/* sin of the angle at which the laws for axes at the viewer and edge-on planes begin. Below the
 * floor doubles cannot distinguish them. */
static inline double gz_edge_sine(const struct gz_tool *tool)
{
    const double floor_sine = 1e-9;
    return tool->edge_rad > floor_sine ? sin(fmin(tool->edge_rad, 1)) : floor_sine;
}

/* The place on origin + t * axis whose image is the foot of the pointer on the axis's image. Past a
 * vanishing point CLAMPED: where the range ends. */
enum gz_solve gz_place_on_axis(const struct gz_sight *sight, gz_vec3 origin, gz_vec3 axis,
                               struct gz_range range, double *t);

/* Brings a place on the axis that was found otherwise into the range. */
enum gz_solve gz_place_limit(const struct gz_sight *sight, gz_vec3 origin, gz_vec3 axis,
                             struct gz_range range, double *t);

/* The place on the axis nearest to the pointer's ray. */
enum gz_solve gz_place_closest(const struct gz_sight *sight, gz_vec3 origin, gz_vec3 axis,
                               struct gz_range range, double *t);

/* The ray's hit with origin + uv[0] * axes[0] + uv[1] * axes[1]: OK, or KEPT if it misses,
 * grazes or leaves the range. */
enum gz_solve gz_place_on_plane(const struct gz_sight *sight, gz_vec3 origin, const gz_vec3 axes[2],
                                struct gz_range range, double uv[2]);

/* The last hit, as above, on the straight way from the line of sight of the press to that of now:
 * CLAMPED, or KEPT if there is none at the press. A ray's origin and direction go straight, too. */
enum gz_solve gz_place_on_the_way(const struct gz_sight *press, const struct gz_sight *now,
                                  gz_vec3 origin, const gz_vec3 axes[2], struct gz_range range,
                                  double uv[2]);

/* The hit's direction from the origin, not of any length but with a sign that is continuous through
 * the horizon. False if the ray meets the origin or lies in the plane. */
bool gz_place_around(const struct gz_sight *sight, gz_vec3 origin, const gz_vec3 axes[2],
                     double uv[2]);

/* How near the image of a segment comes to the pointer, and how far along the segment that is, from
 * 0 to 1. */
struct gz_nearest {
    double px, along;
};

/* The part of a segment that counts, from 0 to 1. */
struct gz_part {
    double first, last;
};
#define GZ_WHOLE ((struct gz_part){0, 1})

/* Leaves the part in which a linear function of the place, given for both ends of the segment, is
 * at least `least`. */
void gz_part_cut(struct gz_part *part, const double ends[2], double least);

/* px is infinite if nothing of the part is in front of the viewer. */
struct gz_nearest gz_place_on_segment(gz_seen a, gz_seen b, struct gz_part part);

/* Pixels from the origin's image to the pointer, right and down. False if the origin is not in
 * front. */
bool gz_place_in_pixels(const struct gz_sight *sight, gz_vec3 origin, double pixels[2]);

#endif
