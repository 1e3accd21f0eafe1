/* Picks nodes by their bounds: along a line of sight, or in a rectangle. */
#include <assert.h>
#include <math.h>

#include "solver/sight.h"

/* ---- By ray ---- */

/* Distances are as in gz_pick_node: from the eye, or from the plane of an orthographic camera. */
static bool pick_origin(const struct gz_sight *sight, gz_vec3 place, double tolerance_px,
                        double *distance, gz_vec3 *point)
{
    gz_seen seen = gz_see_point(sight, place);
    bool ahead = seen.w > 0 && seen.depth >= 0;
    double clip[2] = {0, 0};
    if (!sight->is_ray) gz_sight_clip(sight, gz_sight_view_point(sight, place), 1, clip);
    if (!ahead || !(clip[0] >= 0 && clip[1] >= 0) ||
        !(hypot(seen.x / seen.w, seen.y / seen.w) <= tolerance_px))
        return false;
    double away = gz_sight_converges(sight) ? gz_length(gz_sight_offset(sight, place)) : seen.depth;
    if (!isfinite(away)) return false;
    *distance = away;
    *point = place;
    return true;
}

/* Cuts the rest of the ray to the part between two faces of the box. */
static bool cut_slab(double from, double along, double low, double high, double *enter,
                     double *leave)
{
    if (along == 0) return from >= low && from <= high;
    double a = (low - from) / along, b = (high - from) / along;
    *enter = fmax(*enter, fmin(a, b));
    *leave = fmin(*leave, fmax(a, b));
    return *enter <= *leave;
}

bool gz_pick_node(const struct gz_camera *camera, const struct gz_pointer *pointer,
                  const gz_affine *world, const gz_box *bounds, double tolerance_px,
                  double *distance, gz_vec3 *point)
{
    assert(pointer != NULL && world != NULL && distance != NULL && point != NULL);
    struct gz_sight sight;
    gz_mat3 inverse;
    gz_vec3 from, along;
    if (!gz_sight_init(&sight, camera, pointer)) return false;
    if (bounds == NULL || !gz_mat3_inverse(&world->linear, &inverse))
        return pick_origin(&sight, world->origin, tolerance_px, distance, point);
    if (!gz_sight_ray(&sight, world->origin, &from, &along)) return false;
    gz_vec3 start = gz_mat3_apply(&inverse, from), way = gz_mat3_apply(&inverse, along);
    struct gz_span shown;
    if (!gz_sight_span(&sight, world->origin, from, along, &shown)) return false;
    double enter = 0, leave = HUGE_VAL;
    for (int axis = 0; axis < 3; axis++) {
        double low = gz_component(bounds->min, axis), high = gz_component(bounds->max, axis);
        if (!cut_slab(gz_component(start, axis), gz_component(way, axis), low, high, &enter,
                      &leave))
            return false;
    }
    if (!isfinite(enter) || leave < shown.from || enter > shown.to) return false;
    if (enter > 0) enter = fmax(enter, shown.from);
    *distance = enter;
    *point = gz_add(world->origin, gz_add(from, gz_scale(along, enter)));
    return true;
}

/* ---- By rectangle ---- */

/* The space that is seen in the rectangle: half-spaces, each linear before the division by w. */
#define SIDES 7

/* A corner of a box as it is seen, and on which side of the near and the far plane it is. */
struct corner {
    gz_seen seen;
    double clip[2];
};

struct window {
    double left, top, right, bottom;
    double depth_min;
};

static double side_value(const struct window *window, int side, const struct corner *corner)
{
    gz_seen p = corner->seen;
    switch (side) {
    case 0: return p.depth - window->depth_min;
    case 1: return p.x - window->left * p.w;
    case 2: return window->right * p.w - p.x;
    case 3: return p.y - window->top * p.w;
    case 4: return window->bottom * p.w - p.y;
    default: return corner->clip[side - 5];
    }
}

static bool in_window(const struct window *window, const struct corner *p)
{
    for (int side = 0; side < SIDES; side++)
        if (!(side_value(window, side, p) >= 0)) return false;
    return true;
}

/* Each cut of a convex polygon adds at most one corner. */
#define CORNERS_MAX (4 + SIDES)

static struct corner between(const struct corner *a, const struct corner *b, double fraction)
{
    struct corner c = {.seen = gz_seen_between(a->seen, b->seen, fraction)};
    for (int i = 0; i < 2; i++) c.clip[i] = a->clip[i] + fraction * (b->clip[i] - a->clip[i]);
    return c;
}

static int cut_polygon(const struct window *window, int side, const struct corner *from, int count,
                       struct corner *to)
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        const struct corner *a = &from[i], *b = &from[(i + 1) % count];
        double at_a = side_value(window, side, a), at_b = side_value(window, side, b);
        if (at_a >= 0 && kept < CORNERS_MAX) to[kept++] = *a;
        if ((at_a >= 0) != (at_b >= 0) && kept < CORNERS_MAX)
            to[kept++] = between(a, b, at_a / (at_a - at_b));
    }
    return kept;
}

static bool face_shows(const struct window *window, const struct corner corners[4])
{
    struct corner polygons[2][CORNERS_MAX];
    int count = 4;
    for (int i = 0; i < 4; i++) polygons[0][i] = corners[i];
    for (int side = 0; side < SIDES && count > 0; side++)
        count = cut_polygon(window, side, polygons[side % 2], count, polygons[(side + 1) % 2]);
    return count > 0;
}

/* Corners of the box numbered by bits: 1 for max x, 2 for max y, 4 for max z. */
static const int faces[6][4] = {{0, 2, 6, 4}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                {2, 3, 7, 6}, {0, 1, 3, 2}, {4, 5, 7, 6}};

static double see_corners(const struct gz_sight *sight, const gz_affine *world,
                          const gz_box *bounds, struct corner corners[8])
{
    double deepest = 0;
    for (int i = 0; i < 8; i++) {
        gz_vec3 corner = {i & 1 ? bounds->max.x : bounds->min.x,
                          i & 2 ? bounds->max.y : bounds->min.y,
                          i & 4 ? bounds->max.z : bounds->min.z};
        gz_vec3 view = gz_sight_view_point(sight, gz_affine_apply(world, corner));
        corners[i].seen = gz_see_view(sight, view, 1);
        gz_sight_clip(sight, view, 1, corners[i].clip);
        deepest = fmax(deepest, fabs(corners[i].seen.depth));
    }
    return deepest;
}

/* A box is visible if one of its faces is, or if all that is seen in the rectangle is inside of it,
 * and then so is what is in the middle. */
bool gz_pick_rect(const struct gz_camera *camera, const double rect[4], const gz_affine *world,
                  const gz_box *bounds, bool *inside)
{
    assert(camera != NULL && rect != NULL && world != NULL);
    const struct gz_sight sight = {.camera = camera};
    const double in_front =
        1e-9; /* part of the box's depth that counts as in front of the viewer */
    const gz_box origin = {{0, 0, 0}, {0, 0, 0}};
    struct corner seen[8];
    double deepest = see_corners(&sight, world, bounds != NULL ? bounds : &origin, seen);
    const struct window window = {fmin(rect[0], rect[2]), fmin(rect[1], rect[3]),
                                  fmax(rect[0], rect[2]), fmax(rect[1], rect[3]),
                                  in_front * deepest};
    bool whole = true, shows = false;
    for (int i = 0; i < 8; i++) whole = whole && in_window(&window, &seen[i]);
    for (int i = 0; i < 6 && !whole && !shows; i++) {
        const int *face = faces[i];
        const struct corner corners[4] = {seen[face[0]], seen[face[1]], seen[face[2]],
                                          seen[face[3]]};
        shows = face_shows(&window, corners);
    }
    if (inside != NULL) *inside = whole;
    if (whole || shows || bounds == NULL) return whole || shows;
    const struct gz_pointer middle = {
        .at = {(window.left + window.right) / 2, (window.top + window.bottom) / 2}};
    double distance;
    gz_vec3 point;
    return gz_pick_node(camera, &middle, world, bounds, 0, &distance, &point);
}
