/* Picks the handle under a pointer: measures how near the image of each shape is. */
#include <assert.h>
#include <math.h>

#include "solver/place.h"
#include "solver/shape.h"

/* Handles whose distances differ by less than this are equally near: their rank decides. */
#define EQUAL_PX 2

/* How near the pointer is to a shape on the screen, how deep the nearest place of it lies, and
 * whether the pointer is inside of one that is filled. */
struct nearness {
    double px, depth;
    bool inside;
};

static const struct nearness nowhere = {HUGE_VAL, HUGE_VAL, false};

/* The limits of a question to a shape: nothing nearer to the viewer than least_w counts, and
 * nothing further from the pointer than `limit` pixels has to be found. */
struct question {
    double least_w, limit;
};

static gz_seen sum(gz_seen a, gz_seen b)
{
    return (gz_seen){a.x + b.x, a.y + b.y, a.w + b.w, a.depth + b.depth};
}

static gz_seen times(gz_seen a, double k)
{
    return (gz_seen){a.x * k, a.y * k, a.w * k, a.depth * k};
}

/* ---- Shapes out of reach ---- */

/* A half of the picture: what is more than `limit` pixels from the pointer on the side where some
 * place is. The function is linear: if it is positive at two points, it is positive between them,
 * and the part of a shape there that is in front of the viewer is out of reach. */
struct side {
    double x, y, w;
};

static struct side side_of(gz_seen place, double limit)
{
    double length = sqrt(place.x * place.x + place.y * place.y),
           k = (place.w < 0 ? -1 : 1) / length;
    return (struct side){k * place.x, k * place.y, -limit};
}

static double beyond(struct side side, gz_seen place)
{
    return side.x * place.x + side.y * place.y + side.w * place.w;
}

/* ---- Segments ---- */

/* The distance from the pointer, which is at 0, to the image of a segment, cut at the place at
 * which it comes too near to the viewer. */
static struct nearness segment_nearness(gz_seen a, gz_seen b, struct question asked)
{
    struct side side = side_of(sum(a, b), asked.limit);
    if (beyond(side, a) > 0 && beyond(side, b) > 0) return nowhere;
    const double ahead[2] = {a.w, b.w};
    struct gz_part part = GZ_WHOLE;
    gz_part_cut(&part, ahead, asked.least_w);
    struct gz_nearest pass = gz_place_on_segment(a, b, part);
    return (struct nearness){pass.px, a.depth + pass.along * (b.depth - a.depth), false};
}

/* ---- Arcs ---- */

/* A piece of a circle's image, exactly: (1 - t)^2 first + 2 t (1 - t) middle + t^2 last, for t from
 * 0 to 1, all of it `weight` times the place as it is seen. So no piece needs an angle, and each
 * lies between its three points. */
struct piece {
    gz_seen first, middle, last;
    double cosine; /* of half its angle */
};

struct piece_place {
    gz_seen seen, slope; /* slope: half of the growth of `seen` with t */
    double weight;
};

static struct piece_place piece_at(const struct piece *piece, double t)
{
    double s = 1 - t;
    gz_seen from = sum(times(piece->first, s), times(piece->middle, t));
    gz_seen to = sum(times(piece->middle, s), times(piece->last, t));
    return (struct piece_place){sum(times(from, s), times(to, t)), sum(to, times(from, -1)),
                                s * s + 2 * piece->cosine * s * t + t * t};
}

/* As the square of the distance from the pointer does, it falls before a least distance and rises
 * after it. */
static double distance_slope(const struct piece_place *place)
{
    gz_seen p = place->seen, d = place->slope;
    return p.w * (p.x * d.x + p.y * d.y) - d.w * (p.x * p.x + p.y * p.y);
}

static struct nearness place_nearness(const struct piece_place *place, double least_w)
{
    gz_seen p = place->seen;
    if (!(p.w >= least_w * place->weight)) return nowhere;
    return (struct nearness){sqrt(p.x * p.x + p.y * p.y) / p.w, p.depth / place->weight, false};
}

static struct nearness nearer(struct nearness a, struct nearness b)
{
    return b.px < a.px ? b : a;
}

#define STEPS_MAX 60
#define STEP_LAST                                                                                  \
    1e-9 /* of a piece; a least distance is flat, so that it is right to far below a thousandth of \
            a pixel */

/* The false position between two places with one least distance in between (the Illinois way). */
static struct nearness least_between(const struct piece *piece, double low, double high,
                                     double low_slope, double high_slope, double least_w)
{
    struct piece_place place = piece_at(piece, low);
    for (int step = 0, side = 0; step < STEPS_MAX && high - low > STEP_LAST; step++) {
        double t = low + (high - low) * (low_slope / (low_slope - high_slope));
        place = piece_at(piece, t);
        double slope = distance_slope(&place);
        if (slope == 0 || t <= low || t >= high) break;
        double moved = slope < 0 ? t - low : high - t;
        if (slope < 0) {
            low = t;
            low_slope = slope;
            if (side < 0) high_slope /= 2;
            side = -1;
        } else {
            high = t;
            high_slope = slope;
            if (side > 0) low_slope /= 2;
            side = 1;
        }
        if (moved < STEP_LAST) break;
    }
    return place_nearness(&place, least_w);
}

#define PIECES 8
#define SAMPLES 6 /* of a piece */

/* The least distance of a piece: sampled to find out between which places it lies, then found
 * between them. */
static struct nearness piece_nearness(const struct piece *piece, double least_w)
{
    struct piece_place place = piece_at(piece, 0);
    struct nearness best = place_nearness(&place, least_w);
    double last_slope = distance_slope(&place);
    for (int i = 1; i <= SAMPLES; i++) {
        double t = i / (double)SAMPLES;
        place = piece_at(piece, t);
        double slope = distance_slope(&place);
        best = nearer(best, place_nearness(&place, least_w));
        if (last_slope < 0 && slope > 0)
            best = nearer(best,
                          least_between(piece, t - 1.0 / SAMPLES, t, last_slope, slope, least_w));
        last_slope = slope;
    }
    return best;
}

/* The next direction on a circle, by cosine and sine of the angle between. */
static void turn_on(double direction[2], double cosine, double sine)
{
    double x = direction[0], y = direction[1];
    direction[0] = x * cosine - y * sine;
    direction[1] = x * sine + y * cosine;
}

static double half_angle_cosine(double cosine)
{
    return sqrt((1 + cosine) / 2);
}

static struct nearness arc_nearness(gz_seen centre, const gz_seen side[2], double cosine,
                                    struct question asked)
{
    struct nearness best = nowhere;
    double half = half_angle_cosine(half_angle_cosine(half_angle_cosine(cosine))),
           half_sine = sqrt(1 - half * half);
    double direction[2] = {cosine, -sqrt(1 - cosine * cosine)};
    struct piece piece = {.cosine = half};
    piece.last = sum(centre, sum(times(side[0], direction[0]), times(side[1], direction[1])));
    for (int i = 0; i < PIECES; i++) {
        turn_on(direction, half, half_sine);
        gz_seen middle = sum(times(side[0], direction[0]), times(side[1], direction[1]));
        turn_on(direction, half, half_sine);
        piece.first = piece.last;
        piece.middle = sum(times(centre, half), middle);
        piece.last = sum(centre, sum(times(side[0], direction[0]), times(side[1], direction[1])));
        struct side out = side_of(sum(centre, middle), asked.limit);
        bool reached = !(beyond(out, piece.first) > 0 && beyond(out, piece.middle) > 0 &&
                         beyond(out, piece.last) > 0);
        if (reached) best = nearer(best, piece_nearness(&piece, asked.least_w));
    }
    return best;
}

/* ---- Shapes ---- */

/* Where the pointer meets the plane of a quad or a disc, in its sides: uv. False if it does
 * not. */
static bool hit_plane(gz_seen start, const gz_seen side[2], double uv[2])
{
    double s = side[0].x * side[1].y - side[0].y * side[1].x;
    uv[0] = (start.y * side[1].x - start.x * side[1].y) / s;
    uv[1] = (start.x * side[0].y - start.y * side[0].x) / s;
    return start.w + uv[0] * side[0].w + uv[1] * side[1].w > 0;
}

static struct nearness quad_nearness(gz_seen start, const gz_seen side[2], struct question asked)
{
    const gz_seen corner[4] = {start, sum(start, side[0]), sum(sum(start, side[0]), side[1]),
                               sum(start, side[1])};
    struct nearness best = nowhere;
    double uv[2];
    struct side out = side_of(sum(corner[0], corner[2]), asked.limit);
    bool reached = false;
    for (int i = 0; i < 4; i++) reached = reached || !(beyond(out, corner[i]) > 0);
    if (!reached) return nowhere;
    if (hit_plane(start, side, uv) && uv[0] >= 0 && uv[0] <= 1 && uv[1] >= 0 && uv[1] <= 1)
        return (struct nearness){0, start.depth + uv[0] * side[0].depth + uv[1] * side[1].depth,
                                 true};
    for (int i = 0; i < 4; i++)
        best = nearer(best, segment_nearness(corner[i], corner[(i + 1) % 4], asked));
    return best;
}

/* The ring or the rim; inside of a disc there is nothing left to look for. */
static struct nearness round_nearness(const struct gz_shape *shape, gz_seen centre,
                                      const gz_seen side[2], struct question asked)
{
    double uv[2];
    struct side out = side_of(centre, asked.limit);
    double first = beyond(out, side[0]), second = beyond(out, side[1]);
    if (beyond(out, centre) > sqrt(first * first + second * second)) return nowhere;
    bool inside = shape->kind == GZ_SHAPE_DISC && hit_plane(centre, side, uv) &&
                  uv[0] * uv[0] + uv[1] * uv[1] <= 1;
    if (inside) return (struct nearness){0, centre.depth, true};
    return arc_nearness(centre, side, shape->cosine, asked);
}

/* Outside an ellipse that is no circle this is the way to it along the line to its centre, which is
 * never shorter. */
static struct nearness ellipse_nearness(const struct gz_sight *sight, const struct gz_shape *shape,
                                        double depth)
{
    double x = sight->at[0] - shape->ellipse[0], y = sight->at[1] - shape->ellipse[1];
    double reach = hypot(x / shape->ellipse[2], y / shape->ellipse[3]);
    if (reach <= 1) return (struct nearness){0, depth, true};
    return (struct nearness){hypot(x, y) * (1 - 1 / reach), depth, false};
}

static struct nearness shape_nearness(const struct gz_shape_view *view,
                                      const struct gz_shape *shape, struct question asked)
{
    gz_seen start = sum(view->origin, gz_grow(&view->growth, shape->start));
    if (shape->kind == GZ_SHAPE_ELLIPSE)
        return ellipse_nearness(view->sight, shape, view->origin.w);
    const gz_seen side[2] = {gz_grow(&view->growth, shape->side[0]),
                             gz_grow(&view->growth, shape->side[1])};
    switch (shape->kind) {
    case GZ_SHAPE_SEGMENT: return segment_nearness(start, sum(start, side[0]), asked);
    case GZ_SHAPE_QUAD: return quad_nearness(start, side, asked);
    default: return round_nearness(shape, start, side, asked);
    }
}

/* ---- Handles ---- */

static struct nearness handle_nearness(const struct gz_gizmo *gizmo, const struct gz_tool *tool,
                                       const struct gz_shape_view *view, enum gz_handle handle,
                                       double limit, int *rank)
{
    struct gz_shape shape = {0};
    const struct question asked = {view->front_w * GZ_CLIP_RATIO, limit};
    if (!gz_shape_of(&shape, gizmo, tool, view, handle)) return nowhere;
    *rank = shape.rank;
    struct nearness near = shape_nearness(view, &shape, asked);
    return isfinite(near.px) ? near : nowhere;
}

double gz_gizmo_distance(const struct gz_gizmo *gizmo, const struct gz_tool *tool,
                         const struct gz_camera *camera, const struct gz_pointer *pointer,
                         enum gz_handle handle)
{
    assert(gizmo != NULL && tool != NULL && pointer != NULL);
    struct gz_sight sight;
    int rank;
    bool drawn = handle > GZ_HANDLE_NONE && handle < GZ_HANDLE_COUNT &&
                 (gizmo->handles & GZ_HANDLE_BIT(handle)) != 0;
    if (!drawn || !gz_sight_init(&sight, camera, pointer)) return HUGE_VAL;
    struct gz_shape_view view = gz_shape_view_of(gizmo, &sight);
    if (!(view.front_w > 0)) return HUGE_VAL;
    return handle_nearness(gizmo, tool, &view, handle, HUGE_VAL, &rank).px;
}

/* Whether the ball about all that the mode shows is further from the pointer than the tolerance. */
static bool is_out_of_reach(const struct gz_gizmo *gizmo, const struct gz_shape_view *view,
                            double tolerance_px)
{
    if (gizmo->mode == GZ_MODE_BOUNDS || gizmo->mode == GZ_MODE_ARCBALL) return false;
    struct side out = side_of(view->origin, tolerance_px);
    gz_vec3 growth =
        gz_add(gz_add(gz_scale(view->growth.x, out.x), gz_scale(view->growth.y, out.y)),
               gz_scale(view->growth.w, out.w));
    return beyond(out, view->origin) > GZ_SHAPE_REACH * gizmo->size * gz_length(growth);
}

/* The best handle so far, among those that the pointer is inside of or about as near to as to the
 * nearest one. */
struct found {
    enum gz_handle handle;
    int rank;
    struct nearness near;
};

static bool is_before(const struct found *a, const struct found *b)
{
    if (a->rank != b->rank) return a->rank < b->rank;
    return a->near.px < b->near.px || (a->near.px == b->near.px && a->near.depth < b->near.depth);
}

enum gz_handle gz_gizmo_pick(const struct gz_gizmo *gizmo, const struct gz_tool *tool,
                             const struct gz_camera *camera, const struct gz_pointer *pointer)
{
    assert(gizmo != NULL && tool != NULL && pointer != NULL);
    struct gz_sight sight;
    struct found found[GZ_HANDLE_COUNT], best = {.handle = GZ_HANDLE_NONE};
    int count = 0;
    double least = HUGE_VAL;
    if (!gz_sight_init(&sight, camera, pointer)) return GZ_HANDLE_NONE;
    const struct gz_shape_view view = gz_shape_view_of(gizmo, &sight);
    if (!(view.front_w > 0) || is_out_of_reach(gizmo, &view, tool->tolerance_px))
        return GZ_HANDLE_NONE;
    for (enum gz_handle handle = GZ_HANDLE_NONE + 1; handle < GZ_HANDLE_COUNT; handle++) {
        struct found one = {.handle = handle};
        if ((gizmo->handles & GZ_HANDLE_BIT(handle)) == 0) continue;
        one.near = handle_nearness(gizmo, tool, &view, handle, tool->tolerance_px, &one.rank);
        if (!(one.near.px <= tool->tolerance_px)) continue;
        if (!one.near.inside) least = fmin(least, one.near.px);
        found[count++] = one;
    }
    for (int i = 0; i < count; i++) {
        bool counts = found[i].near.inside || found[i].near.px <= least + EQUAL_PX;
        if (counts && (best.handle == GZ_HANDLE_NONE || is_before(&found[i], &best)))
            best = found[i];
    }
    return best.handle;
}
