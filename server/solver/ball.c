#include "solver/ball.h"

#include "solver/place.h"

bool gz_ball_ellipse(const struct gz_ball_place *ball, const struct gz_camera *camera, double ellipse[4])
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
    return gz_unit((gz_vec3){x, y, bell ? 1 / (2 * sqrt(square)) : 0}, point);
}

static bool point_by_pixels(const struct gz_ball_place *ball, const struct gz_sight *sight, gz_vec3 *unit)
{
    double ellipse[4];
    gz_vec3 p;
    if (!gz_ball_ellipse(ball, sight->camera, ellipse)) return false;
    double x = (sight->at[0] - ellipse[0]) / ellipse[2], y = -(sight->at[1] - ellipse[1]) / ellipse[3];
    if (!point_on_sheet(ball->kind, x, y, &p)) return false;
    struct gz_view_frame frame = gz_sight_frame(sight);
    *unit = gz_add(gz_add(gz_scale(frame.right, p.x), gz_scale(frame.up, p.y)), gz_scale(frame.backward, p.z));
    return gz_finite(*unit);
}

/* Up to this part of the radius the ray's miss distance gives the sphere's own point. Beyond, the point's angle from the line
 * to the viewer goes on with the same slope and approaches a right angle, so that the silhouette is no cliff. */
#define RIM 0.999

/* `nearness` is radius / distance of the eye, 0 where there is no eye; `offset` is how far from the centre the ray passes it, at
 * its depth, in radii. */
static double angle_beyond_rim(double nearness, double offset)
{
    double sine = RIM * nearness, cosine = sqrt(1 - sine * sine);
    double rim_angle = asin(RIM) - asin(sine), rim_offset = RIM / cosine;
    double slope = (cosine / sqrt(1 - RIM * RIM) - nearness) * cosine * cosine;
    double rest = M_PI_2 - rim_angle, way = slope * (offset - rim_offset) / rest;
    return isfinite(way) ? rim_angle + rest * way / (1 + way) : M_PI_2;
}

static bool point_beyond_rim(gz_vec3 from, gz_vec3 along, double radius, bool converges, gz_vec3 *unit)
{
    gz_vec3 ahead = along, outward;
    double distance = gz_length(from), offset;
    if (converges) {
        ahead = gz_scale(from, -1 / distance);
        double depth = gz_dot(along, ahead);
        outward = gz_sub(along, gz_scale(ahead, depth));
        offset = depth > 0 ? gz_length(outward) / depth * distance / radius : HUGE_VAL;
    } else {
        outward = gz_sub(from, gz_scale(along, gz_dot(from, along)));
        offset = gz_length(outward) / radius;
    }
    double angle = angle_beyond_rim(converges ? radius / distance : 0, offset);
    if (!gz_unit(outward, &outward)) return false;
    return gz_unit(gz_sub(gz_scale(outward, sin(angle)), gz_scale(ahead, cos(angle))), unit);
}

static bool point_on_sphere(gz_vec3 from, gz_vec3 along, double radius, bool converges, gz_vec3 *unit)
{
    gz_vec3 nearest = gz_sub(from, gz_scale(along, gz_dot(from, along)));
    double miss = gz_length(nearest) / radius;
    bool inside = converges && gz_length(from) < radius; /* the ball is then met ahead, whatever the ray */
    if (!isfinite(miss)) return false;
    if (!inside && (miss > RIM || (converges && gz_dot(from, along) > 0)))
        return point_beyond_rim(from, along, radius, converges, unit);
    double depth = sqrt(fmax(0, 1 - miss * miss));
    *unit = gz_add(gz_scale(nearest, 1 / radius), gz_scale(along, inside ? depth : -depth));
    return true;
}

/* The sphere whose image is about the ball's circle: at the pivot's depth, as wide as its radius in pixels. */
static bool sphere_of_circle(const struct gz_ball_place *ball, const struct gz_camera *camera, gz_vec3 *centre,
                             double *radius)
{
    double ellipse[4], uv[2];
    if (!gz_ball_ellipse(ball, camera, ellipse)) return false;
    const struct gz_sight middle = {.camera = camera, .at = {ellipse[0], ellipse[1]}};
    const gz_vec3 axes[2] = {camera->right, camera->up};
    if (gz_place_on_plane(&middle, ball->origin, axes, GZ_ANYWHERE, uv) != GZ_SOLVE_OK) return false;
    *centre = gz_add(ball->origin, gz_add(gz_scale(axes[0], uv[0]), gz_scale(axes[1], uv[1])));
    *radius = ellipse[2] * gz_camera_pixel_size(camera, ball->origin);
    return true;
}

bool gz_ball_point(const struct gz_ball_place *ball, const struct gz_sight *sight, gz_vec3 *unit)
{
    bool by_object = ball->fit == GZ_FIT_OBJECT && !(ball->circle[2] > 0);
    bool stretched = ball->fit == GZ_FIT_ELLIPSE && !(ball->circle[2] > 0);
    if (!sight->is_ray && (ball->kind != GZ_BALL_EXACT || stretched)) return point_by_pixels(ball, sight, unit);
    gz_vec3 centre = ball->origin, from, along;
    double radius = ball->radius;
    if (!sight->is_ray && !by_object && !sphere_of_circle(ball, sight->camera, &centre, &radius)) return false;
    if (!(radius > 0) || !gz_sight_ray(sight, centre, &from, &along)) return false;
    return point_on_sphere(from, along, radius, gz_sight_converges(sight), unit);
}

gz_vec3 gz_ball_across(gz_vec3 point)
{
    double x = fabs(point.x), y = fabs(point.y), z = fabs(point.z);
    gz_vec3 least = x <= y && x <= z ? (gz_vec3){1, 0, 0} : y <= z ? (gz_vec3){0, 1, 0} : (gz_vec3){0, 0, 1};
    gz_vec3 across = least;
    (void)gz_unit(gz_cross(point, least), &across);
    return across;
}

gz_quat gz_ball_turn(enum gz_ball kind, gz_vec3 from, gz_vec3 to, gz_vec3 across)
{
    gz_vec3 axis = gz_cross(from, to);
    double cosine = gz_dot(from, to);
    gz_quat turn = {axis.x, axis.y, axis.z, kind == GZ_BALL_SHOEMAKE ? cosine : 1 + cosine};
    double square = turn.x * turn.x + turn.y * turn.y + turn.z * turn.z + turn.w * turn.w;
    gz_quat unit = {across.x, across.y, across.z, 0};
    if (square > 1e-24) (void)gz_unit_quat(turn, &unit);
    return unit;
}
