/* What a line of sight meets of a surface, and what it passes by. */
#include <float.h>
#include <math.h>

#include "solver/place.h"
#include "solver/surface.h"

bool gz_aim(struct gz_aim *aim, const struct gz_camera *camera, const struct gz_pointer *pointer,
            const gz_affine *world)
{
    struct gz_sight sight;
    gz_mat3 inverse;
    if (!gz_sight_init(&sight, camera, pointer) || !gz_mat3_inverse(&world->linear, &inverse))
        return false;
    if (!gz_sight_ray(&sight, world->origin, &aim->from, &aim->along)) return false;
    struct gz_span shown;
    if (!gz_sight_span(&sight, world->origin, aim->from, aim->along, &shown)) return false;
    aim->nearest = shown.from;
    aim->furthest = fmin(shown.to, DBL_MAX);
    aim->origin = world->origin;
    aim->start = gz_mat3_apply(&inverse, aim->from);
    aim->way = gz_mat3_apply(&inverse, aim->along);
    return gz_finite(aim->start) && gz_finite(aim->way) && gz_dot(aim->way, aim->way) > 0;
}

/* ---- boxes ---- */

/* A line of sight made ready for boxes and triangles. */
struct line {
    double start[3], inverse[3]; /* of the way */
    double pad; /* by which boxes are taken to be larger: more than rounding moves a triangle */
    int x, y,
        z; /* the axis along which it goes furthest is z; the other two so that the winding stays */
    double slope[2], inverse_z;
    double nearest; /* what is met before does not count */
};

/* An axis along which the line does not go at all has an inverse so large that it is either inside
 * or never. */
static double inverse_of(double way)
{
    double inverse = 1 / way;
    if (fabs(inverse) <= 1e300) return inverse;
    return way < 0 ? -1e300 : 1e300;
}

static struct line line_of(const struct gz_surface *surface, const struct gz_aim *aim)
{
    const double way[3] = {aim->way.x, aim->way.y, aim->way.z};
    struct line line = {.start = {aim->start.x, aim->start.y, aim->start.z},
                        .nearest = aim->nearest};
    double reach = 0;
    for (int axis = 0; axis < 3; axis++) {
        line.inverse[axis] = inverse_of(way[axis]);
        reach = fmax(reach, fabs(line.start[axis]));
        reach = fmax(reach,
                     fmax(-(double)surface->boxes[0][axis], (double)surface->boxes[0][axis + 3]));
        if (fabs(way[axis]) > fabs(way[line.z])) line.z = axis;
    }
    line.pad = 16 * DBL_EPSILON * reach;
    line.x = (line.z + (way[line.z] < 0 ? 2 : 1)) % 3;
    line.y = (line.z + (way[line.z] < 0 ? 1 : 2)) % 3;
    line.slope[0] = way[line.x] / way[line.z];
    line.slope[1] = way[line.y] / way[line.z];
    line.inverse_z = 1 / way[line.z];
    return line;
}

/* Where the line enters the box, infinite if that is not before `limit`. */
static double enter_box(const struct line *line, const float box[6], double limit)
{
    double enter = line->nearest, leave = limit;
    for (int axis = 0; axis < 3; axis++) {
        double a = ((double)box[axis] - line->pad - line->start[axis]) * line->inverse[axis];
        double b = ((double)box[axis + 3] + line->pad - line->start[axis]) * line->inverse[axis];
        double near = a < b ? a : b, far = a < b ? b : a;
        enter = near > enter ? near : enter;
        leave = far < leave ? far : leave;
    }
    return enter <= leave * (1 + 8 * DBL_EPSILON) ? enter : HUGE_VAL;
}

double gz_surface_enter(const struct gz_surface *surface, const struct gz_aim *aim)
{
    if (surface->count == 0) return HUGE_VAL;
    struct line line = line_of(surface, aim);
    return enter_box(&line, surface->boxes[0], aim->furthest);
}

/* ---- triangles ---- */

/* Seen along the line, with the pointer at 0: the signs of these products are right or 0 whatever
 * was rounded, and the signs at an edge are opposite in the two triangles that share it (Woop,
 * Benthin and Wald 2013: Watertight ray/triangle intersection). */
static bool meet_triangle(const struct line *line, const struct gz_triangle *triangle, double limit,
                          double *distance)
{
    double x[3], y[3], z[3];
    for (int i = 0; i < 3; i++) {
        const float *corner = triangle->corner[i];
        z[i] = (double)corner[line->z] - line->start[line->z];
        x[i] = ((double)corner[line->x] - line->start[line->x]) - line->slope[0] * z[i];
        y[i] = ((double)corner[line->y] - line->start[line->y]) - line->slope[1] * z[i];
    }
    double u = x[2] * y[1] - y[2] * x[1];
    double v = x[0] * y[2] - y[0] * x[2];
    double w = x[1] * y[0] - y[1] * x[0];
    bool front = u >= 0 && v >= 0 && w >= 0;
    bool back = triangle->both_sides && u <= 0 && v <= 0 && w <= 0;
    double area = u + v + w;
    if (!(front || back) || area == 0) return false;
    double away = (u * z[0] + v * z[1] + w * z[2]) / area * line->inverse_z;
    if (!(away >= line->nearest && away <= limit)) return false;
    *distance = away;
    return true;
}

/* ---- down the tree ---- */

/* A box that is still to be looked into. */
struct stop {
    uint32_t level, place;
    double distance;
};

/* Two halves for each level at most wait. */
#define STOPS_MAX (GZ_SURFACE_LEVELS_MAX + 2)

static const float *box_at(const struct gz_surface *surface, uint32_t level, uint32_t place)
{
    return surface->boxes[((size_t)1 << level) - 1 + place];
}

/* The triangles of a box of the last level. */
static const struct gz_triangle *triangles_at(const struct gz_surface *surface, uint32_t place,
                                              size_t *count)
{
    size_t first = (size_t)((uint64_t)place * surface->count >> surface->levels);
    *count = (size_t)(((uint64_t)place + 1) * surface->count >> surface->levels) - first;
    return &surface->triangles[first];
}

/* Whether there may be `count` tests more, which they then are fewer. */
static bool take_tests(size_t *tests, size_t count)
{
    if (*tests < count) return false;
    *tests -= count;
    return true;
}

/* The nearer half is looked into first. */
static size_t push_halves(const struct gz_surface *surface, const struct line *line,
                          struct stop stop, double limit, struct stop *stops, size_t count)
{
    struct stop halves[2];
    for (uint32_t i = 0; i < 2; i++) {
        halves[i] = (struct stop){.level = stop.level + 1, .place = 2 * stop.place + i};
        halves[i].distance =
            enter_box(line, box_at(surface, halves[i].level, halves[i].place), limit);
    }
    int near = halves[1].distance < halves[0].distance;
    if (halves[!near].distance <= limit) stops[count++] = halves[!near];
    if (halves[near].distance <= limit) stops[count++] = halves[near];
    return count;
}

enum gz_surface_outcome gz_surface_hit(const struct gz_surface *surface, const struct gz_aim *aim,
                                       size_t *tests, double *distance)
{
    struct stop stops[STOPS_MAX];
    size_t stop_count = 0;
    enum gz_surface_outcome met = GZ_MISSED;
    double limit = fmin(*distance, aim->furthest);
    if (surface->count == 0) return met;
    struct line line = line_of(surface, aim);
    stops[stop_count++] = (struct stop){.distance = enter_box(&line, surface->boxes[0], limit)};
    while (stop_count > 0) {
        struct stop stop = stops[--stop_count];
        if (!(stop.distance <= limit)) continue;
        if (!take_tests(tests, 2)) return GZ_GAVE_UP;
        if (stop.level < surface->levels) {
            stop_count = push_halves(surface, &line, stop, limit, stops, stop_count);
            continue;
        }
        size_t count;
        const struct gz_triangle *triangles = triangles_at(surface, stop.place, &count);
        for (size_t i = 0; i < count; i++) {
            if (meet_triangle(&line, &triangles[i], limit, &limit)) met = GZ_MET;
        }
    }
    if (met == GZ_MET) *distance = limit;
    return met;
}

/* ---- parts near the ray ---- */

/* A node's space as it is seen: pixels from the pointer times w, w, depth, and on which side of the
 * near and the far plane. Linear functions of the place. */
struct view {
    gz_seen zero, axes[3];
    double clip[4][2]; /* at 0 and along the axes */
    double least_depth;
    bool converges;
};

static struct view view_of(const struct gz_sight *sight, const gz_affine *world)
{
    struct view view = {.zero = gz_see_point(sight, world->origin),
                        .converges = gz_sight_converges(sight)};
    view.axes[0] = gz_see_vector(sight, world->linear.x);
    view.axes[1] = gz_see_vector(sight, world->linear.y);
    view.axes[2] = gz_see_vector(sight, world->linear.z);
    if (sight->is_ray) return view;
    const gz_vec3 axes[] = {world->linear.x, world->linear.y, world->linear.z};
    gz_sight_clip(sight, gz_sight_view_point(sight, world->origin), 1, view.clip[0]);
    for (int axis = 0; axis < 3; axis++)
        gz_sight_clip(sight, gz_view_vector(sight->camera, axes[axis]), 0, view.clip[axis + 1]);
    return view;
}

static void clip_at(const struct view *view, const float place[3], double clip[2])
{
    for (int i = 0; i < 2; i++) {
        clip[i] = view->clip[0][i];
        for (int axis = 0; axis < 3; axis++)
            clip[i] += (double)place[axis] * view->clip[axis + 1][i];
    }
}

static gz_seen see(const struct view *view, const float place[3])
{
    gz_seen seen = view->zero;
    for (int axis = 0; axis < 3; axis++) {
        seen.x += (double)place[axis] * view->axes[axis].x;
        seen.y += (double)place[axis] * view->axes[axis].y;
        seen.w += (double)place[axis] * view->axes[axis].w;
        seen.depth += (double)place[axis] * view->axes[axis].depth;
    }
    return seen;
}

/* Whether a linear function, given by its values at 0 and along the axes, is negative in the whole
 * box. */
static bool is_negative(double zero, const double axes[3], const float box[6])
{
    double most = zero;
    for (int axis = 0; axis < 3; axis++)
        most += axes[axis] * (double)box[axes[axis] > 0 ? axis + 3 : axis];
    return most < 0;
}

/* Whether no part of the box comes as near as `px`, or the whole box is behind the viewer. */
static bool is_out_of_reach(const struct view *view, const float box[6], double px)
{
    const gz_seen *a = view->axes, *zero = &view->zero;
    for (int side = -1; side <= 1; side += 2) {
        const double across[3] = {px * a[0].w + side * a[0].x, px * a[1].w + side * a[1].x,
                                  px * a[2].w + side * a[2].x};
        const double down[3] = {px * a[0].w + side * a[0].y, px * a[1].w + side * a[1].y,
                                px * a[2].w + side * a[2].y};
        if (is_negative(px * zero->w + side * zero->x, across, box)) return true;
        if (is_negative(px * zero->w + side * zero->y, down, box)) return true;
    }
    const double depth[3] = {a[0].depth, a[1].depth, a[2].depth};
    return is_negative(zero->depth, depth, box);
}

static gz_vec3 corner_of(const struct gz_triangle *triangle, int i)
{
    const float *corner = triangle->corner[i];
    return (gz_vec3){(double)corner[0], (double)corner[1], (double)corner[2]};
}

/* Whether the viewer is on the side that can be seen. */
static bool faces(const struct view *view, const struct gz_aim *aim,
                  const struct gz_triangle *triangle)
{
    if (triangle->both_sides) return true;
    gz_vec3 a = corner_of(triangle, 0);
    gz_vec3 normal = gz_cross(gz_sub(corner_of(triangle, 1), a), gz_sub(corner_of(triangle, 2), a));
    return gz_dot(normal, view->converges ? gz_sub(aim->start, a) : gz_negate(aim->way)) > 0;
}

/* The nearest place so far. */
struct nearest {
    double px;
    gz_vec3 place; /* the node's space */
    gz_seen seen;
};

static void pass_triangle(const struct view *view, const struct gz_triangle *triangle,
                          struct nearest *nearest)
{
    gz_seen seen[3];
    double clip[3][2];
    for (int i = 0; i < 3; i++) {
        seen[i] = see(view, triangle->corner[i]);
        clip_at(view, triangle->corner[i], clip[i]);
    }
    for (int i = 0; i < 3; i++) {
        int next = (i + 1) % 3;
        struct gz_part part = GZ_WHOLE;
        const double ahead[2] = {seen[i].depth, seen[next].depth};
        gz_part_cut(&part, ahead, view->least_depth);
        for (int plane = 0; plane < 2; plane++) {
            const double ends[2] = {clip[i][plane], clip[next][plane]};
            gz_part_cut(&part, ends, 0);
        }
        struct gz_nearest pass = gz_place_on_segment(seen[i], seen[next], part);
        if (!(pass.px < nearest->px)) continue;
        gz_vec3 a = corner_of(triangle, i), b = corner_of(triangle, next);
        nearest->px = pass.px;
        nearest->place = gz_add(a, gz_scale(gz_sub(b, a), pass.along));
        nearest->seen = gz_seen_between(seen[i], seen[next], pass.along);
    }
}

static enum gz_surface_outcome pass_all(const struct gz_surface *surface, const struct view *view,
                                        const struct gz_aim *aim, size_t *tests,
                                        struct nearest *nearest)
{
    struct stop stops[STOPS_MAX];
    size_t stop_count = 0;
    stops[stop_count++] = (struct stop){.level = 0};
    while (stop_count > 0) {
        struct stop stop = stops[--stop_count];
        if (!take_tests(tests, 2)) return GZ_GAVE_UP;
        if (is_out_of_reach(view, box_at(surface, stop.level, stop.place), nearest->px)) continue;
        if (stop.level < surface->levels) {
            for (uint32_t i = 0; i < 2; i++)
                stops[stop_count++] =
                    (struct stop){.level = stop.level + 1, .place = 2 * stop.place + i};
            continue;
        }
        size_t count;
        const struct gz_triangle *triangles = triangles_at(surface, stop.place, &count);
        if (!take_tests(tests, 2 * count)) return GZ_GAVE_UP;
        for (size_t i = 0; i < count; i++) {
            if (faces(view, aim, &triangles[i])) pass_triangle(view, &triangles[i], nearest);
        }
    }
    return GZ_MET;
}

/* What is nearer than this part of the whole surface's depth has no place on the screen. */
#define LEAST_DEPTH 1e-9

enum gz_surface_outcome gz_surface_pass(const struct gz_surface *surface,
                                        const struct gz_camera *camera,
                                        const struct gz_pointer *pointer, const gz_affine *world,
                                        size_t *tests, struct gz_beside *beside)
{
    struct gz_sight sight;
    struct gz_aim aim;
    if (surface->count == 0 || !gz_aim(&aim, camera, pointer, world) ||
        !gz_sight_init(&sight, camera, pointer))
        return GZ_MISSED;
    struct view view = view_of(&sight, world);
    const float *box = surface->boxes[0];
    for (int i = 0; i < 8; i++) {
        const float corner[3] = {box[i & 1 ? 3 : 0], box[i & 2 ? 4 : 1], box[i & 4 ? 5 : 2]};
        view.least_depth = fmax(view.least_depth, LEAST_DEPTH * fabs(see(&view, corner).depth));
    }
    struct nearest nearest = {.px = nextafter(beside->px, HUGE_VAL)};
    enum gz_surface_outcome met = pass_all(surface, &view, &aim, tests, &nearest);
    if (met != GZ_MET) return met;
    if (!(nearest.px <= beside->px)) return GZ_MISSED;
    gz_vec3 place = gz_affine_apply(world, nearest.place);
    double distance =
        view.converges ? gz_length(gz_sight_offset(&sight, place)) : nearest.seen.depth;
    if (!isfinite(distance) || !gz_finite(place)) return GZ_MISSED;
    *beside = (struct gz_beside){.px = nearest.px, .distance = distance, .point = place};
    return GZ_MET;
}
