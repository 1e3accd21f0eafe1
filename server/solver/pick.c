#include <math.h>

#include "solver/place.h"
#include "solver/shape.h"

/* How near the pointer is to a shape on the screen, and how deep the nearest place of it lies. */
struct nearness {
    double px, depth;
};

static const struct nearness nowhere = {HUGE_VAL, HUGE_VAL};

/* The distance from the pointer, which is at 0, to the image of a segment, cut where it comes too near to the viewer. */
static struct nearness segment_nearness(gz_seen a, gz_seen b, double least_w)
{
    if (a.w < b.w) {
        gz_seen swap = a;
        a = b;
        b = swap;
    }
    if (!(a.w >= least_w)) return nowhere;
    if (b.w < least_w) {
        double part = (a.w - least_w) / (a.w - b.w);
        b = (gz_seen){a.x + part * (b.x - a.x), a.y + part * (b.y - a.y), least_w,
                      a.depth + part * (b.depth - a.depth)};
    }
    double ax = a.x / a.w, ay = a.y / a.w, dx = b.x / b.w - ax, dy = b.y / b.w - ay;
    double square = dx * dx + dy * dy;
    double part = square > 0 ? -(ax * dx + ay * dy) / square : 0;
    part = part > 0 ? fmin(part, 1) : 0;
    double along = part * a.w / (b.w + part * (a.w - b.w)); /* the same place before the division by w */
    return (struct nearness){hypot(ax + part * dx, ay + part * dy), a.depth + along * (b.depth - a.depth)};
}

/* ---- Arcs ---- */

struct arc {
    gz_seen centre, side[2];
    double least_w;
};

static struct nearness arc_nearness_at(const struct arc *arc, double angle)
{
    double c = cos(angle), s = sin(angle);
    double w = arc->centre.w + c * arc->side[0].w + s * arc->side[1].w;
    if (!(w >= arc->least_w)) return nowhere;
    double x = arc->centre.x + c * arc->side[0].x + s * arc->side[1].x;
    double y = arc->centre.y + c * arc->side[0].y + s * arc->side[1].y;
    double depth = arc->centre.depth + c * arc->side[0].depth + s * arc->side[1].depth;
    return (struct nearness){hypot(x / w, y / w), depth};
}

/* Golden section between two angles with one least distance in between. 32 steps leave 2e-7 of the interval, and a least
 * value is flat: the distance is right to far below a thousandth of a pixel. */
static struct nearness refine(const struct arc *arc, double low, double high)
{
    const double golden = 0.6180339887498949;
    double a = high - golden * (high - low), b = low + golden * (high - low);
    struct nearness at_a = arc_nearness_at(arc, a), at_b = arc_nearness_at(arc, b);
    for (int step = 0; step < 32; step++) {
        if (at_a.px < at_b.px) {
            high = b;
            b = a;
            at_b = at_a;
            a = high - golden * (high - low);
            at_a = arc_nearness_at(arc, a);
        } else {
            low = a;
            a = b;
            at_a = at_b;
            b = low + golden * (high - low);
            at_b = arc_nearness_at(arc, b);
        }
    }
    return at_a.px < at_b.px ? at_a : at_b;
}

#define ARC_SAMPLES 48

/* The conic's own least distance: sampled for where it can be, then refined at each of those. */
static struct nearness arc_nearness(const struct arc *arc, double first, double last)
{
    struct nearness at[ARC_SAMPLES + 1], best = nowhere;
    double step = (last - first) / ARC_SAMPLES;
    for (int i = 0; i <= ARC_SAMPLES; i++) {
        at[i] = arc_nearness_at(arc, first + i * step);
        if (at[i].px < best.px) best = at[i];
    }
    for (int i = 0; i <= ARC_SAMPLES; i++) {
        bool low = (i == 0 || at[i].px <= at[i - 1].px) && (i == ARC_SAMPLES || at[i].px <= at[i + 1].px);
        if (!low || !isfinite(at[i].px)) continue;
        double from = first + (i == 0 ? 0 : i - 1) * step, to = first + (i == ARC_SAMPLES ? i : i + 1) * step;
        struct nearness exact = refine(arc, from, to);
        if (exact.px < best.px) best = exact;
    }
    return best;
}

/* ---- Shapes ---- */

static struct nearness outline_nearness(const struct gz_sight *sight, const struct gz_shape *shape, double least_w)
{
    struct arc arc = {gz_see_point(sight, shape->centre),
                      {gz_see_vector(sight, shape->side[0]), gz_see_vector(sight, shape->side[1])},
                      least_w};
    return arc_nearness(&arc, shape->first, shape->last);
}

static struct nearness disc_nearness(const struct gz_sight *sight, const struct gz_shape *shape, double least_w)
{
    double uv[2];
    if (gz_place_on_plane(sight, shape->centre, shape->side, GZ_ANYWHERE, uv) == GZ_SOLVE_OK &&
        hypot(uv[0], uv[1]) <= 1)
        return (struct nearness){0, gz_see_point(sight, shape->centre).depth};
    return outline_nearness(sight, shape, least_w);
}

static struct nearness quad_nearness(const struct gz_sight *sight, const struct gz_shape *shape, double least_w)
{
    const gz_vec3 *corner = shape->corner;
    const gz_vec3 sides[2] = {gz_sub(corner[1], corner[0]), gz_sub(corner[3], corner[0])};
    const struct gz_range ahead = {-HUGE_VAL, HUGE_VAL, 0};
    double uv[2];
    bool hit = gz_place_on_plane(sight, corner[0], sides, ahead, uv) == GZ_SOLVE_OK;
    if (hit && uv[0] >= 0 && uv[0] <= 1 && uv[1] >= 0 && uv[1] <= 1) {
        double depth = gz_see_point(sight, corner[0]).depth + uv[0] * gz_see_vector(sight, sides[0]).depth +
                       uv[1] * gz_see_vector(sight, sides[1]).depth;
        return (struct nearness){0, depth};
    }
    struct nearness best = nowhere;
    for (int i = 0; i < 4; i++) {
        gz_seen a = gz_see_point(sight, corner[i]), b = gz_see_point(sight, corner[(i + 1) % 4]);
        struct nearness edge = segment_nearness(a, b, least_w);
        if (edge.px < best.px) best = edge;
    }
    return best;
}

/* Outside an ellipse that is no circle this is the way to it along the line to its centre, which is never shorter. */
static struct nearness ellipse_nearness(const struct gz_sight *sight, const struct gz_shape *shape, double depth)
{
    double x = sight->at[0] - shape->ellipse[0], y = sight->at[1] - shape->ellipse[1];
    double reach = hypot(x / shape->ellipse[2], y / shape->ellipse[3]);
    return (struct nearness){reach <= 1 ? 0 : hypot(x, y) * (1 - 1 / reach), depth};
}

static struct nearness shape_nearness(const struct gz_sight *sight, const struct gz_shape *shape, double origin_w)
{
    double least_w = origin_w * GZ_CLIP_RATIO;
    switch (shape->kind) {
    case GZ_SHAPE_SEGMENT:
        return segment_nearness(gz_see_point(sight, shape->corner[0]), gz_see_point(sight, shape->corner[1]), least_w);
    case GZ_SHAPE_QUAD: return quad_nearness(sight, shape, least_w);
    case GZ_SHAPE_ARC: return outline_nearness(sight, shape, least_w);
    case GZ_SHAPE_DISC: return disc_nearness(sight, shape, least_w);
    case GZ_SHAPE_ELLIPSE: return ellipse_nearness(sight, shape, origin_w);
    }
    return nowhere;
}

static struct nearness handle_nearness(const struct gz_gizmo *gizmo, const struct gz_tool *tool,
                                       const struct gz_sight *sight, enum gz_handle handle, int *rank)
{
    struct gz_shape shape = {0};
    double origin_w = gz_see_point(sight, gizmo->origin).w;
    bool drawn = (gizmo->handles & GZ_HANDLE_BIT(handle)) != 0;
    if (!drawn || !(origin_w > 0) || !gz_shape_of(&shape, gizmo, tool, sight, handle)) return nowhere;
    *rank = shape.rank;
    struct nearness near = shape_nearness(sight, &shape, origin_w);
    return isfinite(near.px) ? near : nowhere;
}

double gz_gizmo_distance(const struct gz_gizmo *gizmo, const struct gz_tool *tool, const struct gz_camera *camera,
                         const struct gz_pointer *pointer, enum gz_handle handle)
{
    struct gz_sight sight;
    int rank;
    bool known = gz_handle_parts(handle).part != GZ_PART_NONE;
    if (!known || !gz_sight_init(&sight, camera, pointer)) return HUGE_VAL;
    return handle_nearness(gizmo, tool, &sight, handle, &rank).px;
}

enum gz_handle gz_gizmo_pick(const struct gz_gizmo *gizmo, const struct gz_tool *tool, const struct gz_camera *camera,
                             const struct gz_pointer *pointer)
{
    struct gz_sight sight;
    enum gz_handle best = GZ_HANDLE_NONE;
    struct nearness best_near = nowhere;
    int best_rank = 0;
    if (!gz_sight_init(&sight, camera, pointer)) return GZ_HANDLE_NONE;
    for (enum gz_handle handle = GZ_HANDLE_NONE + 1; handle < GZ_HANDLE_COUNT; handle++) {
        int rank = 0;
        struct nearness near = handle_nearness(gizmo, tool, &sight, handle, &rank);
        if (!(near.px <= tool->tolerance_px)) continue;
        bool nearer = near.px < best_near.px || (near.px == best_near.px && near.depth < best_near.depth);
        if (best != GZ_HANDLE_NONE && (rank > best_rank || (rank == best_rank && !nearer))) continue;
        best = handle;
        best_near = near;
        best_rank = rank;
    }
    return best;
}
