/* Turns a pointer into a point of a ball, and two such points into a rotation. */
#include "solver/ball.h"

#include "solver/place.h"

bool gz_ball_ellipse(const struct gz_ball_place *ball, const struct gz_camera *camera,
                     double ellipse[4])
{
    const double *viewport = camera->input.viewport;
    double least = fmin(viewport[2], viewport[3]) / 2;
    bool given = ball->circle[2] > 0;
    if (!given && ball->fit == GZ_FIT_OBJECT) {
        ellipse[2] = ellipse[3] = ball->size_px;
        return gz_camera_project(camera, ball->origin, ellipse, NULL);
    }
    ellipse[0] = given ? ball->circle[0] : viewport[0] + viewport[2] / 2;
    ellipse[1] = given ? ball->circle[1] : viewport[1] + viewport[3] / 2;
    bool stretched = ball->fit == GZ_FIT_ELLIPSE;
    ellipse[2] = given ? ball->circle[2] : stretched ? viewport[2] / 2 : least;
    ellipse[3] = given ? ball->circle[2] : stretched ? viewport[3] / 2 : least;
    return true;
}

/* Bell's sheet, the hemisphere with its rim, by kind. x right, y up, z to the viewer. */
static bool point_on_sheet(enum gz_ball kind, double x, double y, gz_vec3 *point)
{
    double square = x * x + y * y;
    bool bell = kind == GZ_BALL_BELL || kind == GZ_BALL_EXACT;
    if (square <= (bell ? 0.5 : 1)) {
        *point = (gz_vec3){x, y, sqrt(1 - square)};
        return true;
    }
    return gz_normalize((gz_vec3){x, y, bell ? 1 / (2 * sqrt(square)) : 0}, point);
}

static bool point_by_pixels(const struct gz_ball_place *ball, const struct gz_sight *sight,
                            gz_vec3 *unit)
{
    double ellipse[4];
    gz_vec3 p;
    if (!gz_ball_ellipse(ball, sight->camera, ellipse)) return false;
    double x = (sight->at[0] - ellipse[0]) / ellipse[2],
           y = -(sight->at[1] - ellipse[1]) / ellipse[3];
    if (!point_on_sheet(ball->kind, x, y, &p)) return false;
    struct gz_view_frame frame = gz_sight_frame(sight);
    *unit = gz_add(gz_add(gz_scale(frame.right, p.x), gz_scale(frame.up, p.y)),
                   gz_scale(frame.backward, p.z));
    return gz_finite(*unit);
}

/* Up to this part of the radius the ray's miss distance gives the sphere's own point. Beyond, the
 * point goes on with the same slope and approaches a right angle from the line to the viewer, so
 * that the silhouette is no cliff. */
#define RIM 0.999
#define RIM_COSINE 0.04471017781221601 /* sqrt(1 - RIM^2) */

/* The cotangent of that angle. `nearness` is radius / distance of the eye, 0 if there is no eye;
 * `offset` is how far from the centre the ray passes it, at its depth, in radii. At the rim the
 * angle is asin RIM - asin (RIM * nearness). */
static double cotangent_beyond_rim(double nearness, double offset)
{
    double sine = RIM * nearness, cosine = sqrt(1 - sine * sine);
    double rim_sine = RIM * cosine - RIM_COSINE * sine,
           rim_cosine = RIM_COSINE * cosine + RIM * sine;
    double slope = (cosine / RIM_COSINE - nearness) * cosine * cosine;
    double way = slope * (offset - RIM / cosine);
    double cotangent = rim_cosine * rim_cosine / (rim_sine * rim_cosine + way);
    return isfinite(cotangent) ? cotangent : 0;
}

static bool point_beyond_rim(gz_vec3 from, gz_vec3 along, double radius, bool converges,
                             gz_vec3 *unit)
{
    gz_vec3 ahead = along;
    double nearness = 0, depth = 1;
    if (converges) {
        double distance = gz_length(from);
        nearness = radius / distance;
        ahead = gz_scale(from, -1 / distance);
        depth = gz_dot(along, ahead);
    }
    gz_vec3 outward = converges ? gz_sub(along, gz_scale(ahead, depth))
                                : gz_sub(from, gz_scale(along, gz_dot(from, along)));
    double length = gz_length(outward), scale = converges ? depth * nearness : radius;
    double cotangent = depth > 0 ? cotangent_beyond_rim(nearness, length / scale) : 0;
    return gz_normalize(gz_sub(outward, gz_scale(ahead, length * cotangent)), unit);
}

static bool point_on_sphere(gz_vec3 from, gz_vec3 along, double radius, bool converges,
                            gz_vec3 *unit)
{
    double approach = gz_dot(from, along);
    gz_vec3 nearest = gz_scale(gz_sub(from, gz_scale(along, approach)), 1 / radius);
    double miss_square = gz_dot(nearest, nearest);
    bool inside =
        converges && gz_dot(from, from) < radius * radius; /* then every ray meets the ball ahead */
    if (!isfinite(miss_square)) return false;
    if (!inside && (miss_square > RIM * RIM || (converges && approach > 0)))
        return point_beyond_rim(from, along, radius, converges, unit);
    double depth = sqrt(fmax(0, 1 - miss_square));
    *unit = gz_add(nearest, gz_scale(along, inside ? depth : -depth));
    return true;
}

/* The sphere whose image is about the ball's circle: at the pivot's depth, as wide as its radius in
 * pixels. */
static bool sphere_of_circle(const struct gz_ball_place *ball, const struct gz_camera *camera,
                             gz_vec3 *centre, double *radius)
{
    double ellipse[4], uv[2];
    if (!gz_ball_ellipse(ball, camera, ellipse)) return false;
    const struct gz_sight middle = {.camera = camera, .at = {ellipse[0], ellipse[1]}};
    const gz_vec3 axes[2] = {camera->right, camera->up};
    if (gz_place_on_plane(&middle, ball->origin, axes, GZ_ANYWHERE, uv) != GZ_SOLVE_OK)
        return false;
    *centre = gz_add(ball->origin, gz_add(gz_scale(axes[0], uv[0]), gz_scale(axes[1], uv[1])));
    *radius = ellipse[2] * gz_camera_pixel_size(camera, ball->origin);
    return true;
}

/* The exact ball is a sphere, except one that fills an ellipse of the picture. */
static bool has_sphere(const struct gz_ball_place *ball, const struct gz_sight *sight)
{
    bool stretched = ball->fit == GZ_FIT_ELLIPSE && !(ball->circle[2] > 0);
    return sight->is_ray || (ball->kind == GZ_BALL_EXACT && !stretched);
}

static bool find_sphere(const struct gz_ball_place *ball, const struct gz_sight *sight,
                        gz_vec3 *centre, double *radius)
{
    bool by_object = ball->fit == GZ_FIT_OBJECT && !(ball->circle[2] > 0);
    *centre = ball->origin;
    *radius = ball->radius;
    if (!sight->is_ray && !by_object && !sphere_of_circle(ball, sight->camera, centre, radius))
        return false;
    return *radius > 0;
}

/* A sphere of at least this part of its distance from the eye is too near. */
#define NEARNESS_MAX 0.7

bool gz_ball_is_flat(const struct gz_ball_place *ball, const struct gz_sight *sight)
{
    gz_vec3 centre;
    double radius;
    bool circle = !sight->is_ray && ball->fit == GZ_FIT_CIRCLE && !(ball->circle[2] > 0);
    if (!gz_sight_converges(sight) || !has_sphere(ball, sight) ||
        !find_sphere(ball, sight, &centre, &radius))
        return false;
    return circle || radius >= NEARNESS_MAX * gz_length(gz_sight_offset(sight, centre));
}

/* Where the line of sight meets the plane across the way from the viewer, and on along that way. */
static bool point_on_flat(const struct gz_sight *sight, gz_vec3 centre, double radius,
                          gz_vec3 *unit)
{
    gz_vec3 from, along, ahead = gz_negate(gz_sight_frame(sight).backward);
    if (sight->is_ray) ahead = gz_sight_toward(sight, centre);
    if (!gz_sight_ray(sight, centre, &from, &along)) return false;
    double closing = gz_dot(along, ahead);
    if (!(closing > 0)) return false;
    from = gz_sub(from, gz_scale(along, gz_dot(from, ahead) / closing));
    return point_on_sphere(from, ahead, radius, false, unit);
}

bool gz_ball_point(const struct gz_ball_place *ball, const struct gz_sight *sight, gz_vec3 *unit)
{
    gz_vec3 centre, from, along;
    double radius;
    if (!has_sphere(ball, sight)) return point_by_pixels(ball, sight, unit);
    if (!find_sphere(ball, sight, &centre, &radius)) return false;
    if (ball->is_flat) return point_on_flat(sight, centre, radius, unit);
    if (!gz_sight_ray(sight, centre, &from, &along)) return false;
    return point_on_sphere(from, along, radius, gz_sight_converges(sight), unit);
}

gz_vec3 gz_ball_across(gz_vec3 point)
{
    double x = fabs(point.x), y = fabs(point.y), z = fabs(point.z);
    gz_vec3 least = x <= y && x <= z ? (gz_vec3){1, 0, 0}
                    : y <= z         ? (gz_vec3){0, 1, 0}
                                     : (gz_vec3){0, 0, 1};
    gz_vec3 across = least;
    (void)gz_normalize(gz_cross(point, least), &across);
    return across;
}

gz_quat gz_ball_turn(enum gz_ball kind, gz_vec3 from, gz_vec3 to, gz_vec3 across)
{
    gz_vec3 axis = gz_cross(from, to);
    double cosine = gz_dot(from, to);
    gz_quat turn = {axis.x, axis.y, axis.z, kind == GZ_BALL_SHOEMAKE ? cosine : 1 + cosine};
    if (!(gz_dot(axis, axis) + turn.w * turn.w > 1e-24))
        return (gz_quat){across.x, across.y, across.z, 0};
    (void)gz_unit_quat(turn, &turn);
    return turn;
}
