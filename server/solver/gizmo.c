/* Makes the gizmo of a selection: its place, size and axes, and which handles show. */
#include <assert.h>
#include <math.h>

#include "solver/handle.h"
#include "solver/place.h"
#include "solver/shape.h"

const struct gz_tool gz_tool_default = {
    .mode = GZ_MODE_TRANSLATE,
    .space = GZ_SPACE_WORLD,
    .pivot = GZ_PIVOT_MEDIAN,
    .size_px = 96,
    .tolerance_px = 8,
    .axis_method = GZ_AXIS_SCREEN,
    .ball = GZ_BALL_EXACT,
    .ball_fit = GZ_FIT_OBJECT,
    .edge_rad = 5 * M_PI / 180,
};

static gz_vec3 origin_of(const struct gz_target *target)
{
    return gz_affine_apply(&target->parent, target->local.t);
}

/* ---- The pivot ---- */

/* One rounding grid: numbers up to `largest` times `count` keep their multiples of its unit exactly
 * when summed, in any order. */
static double grid_above(double largest, size_t count)
{
    int exponent;
    frexp(largest * (double)(count + 1), &exponent);
    return ldexp(1.5, exponent);
}

/* Three grids hold more digits than the result. */
#define GRIDS 3

struct grids {
    double at[GRIDS];
};

static struct grids grids_above(double largest, size_t count)
{
    struct grids grids = {{grid_above(largest, count)}};
    for (int i = 1; i < GRIDS; i++) grids.at[i] = grid_above(ldexp(grids.at[i - 1], -52), count);
    return grids;
}

/* Cuts a value on the grids, whose multiples add without rounding. */
static void add_on_grids(const struct grids *grids, double value, double sums[GRIDS])
{
    for (int i = 0; i < GRIDS; i++) {
        double cut = (grids->at[i] + value) - grids->at[i];
        sums[i] += cut;
        value -= cut;
    }
}

typedef gz_vec3 origin_reader(const void *items, size_t place);

/* The mean of all origins, with the same bits whatever their order. */
static gz_vec3 mean(const void *items, size_t count, origin_reader *origin)
{
    gz_vec3 largest = {0, 0, 0};
    if (count == 1) return origin(items, 0);
    for (size_t i = 0; i < count; i++) {
        gz_vec3 o = origin(items, i);
        largest = (gz_vec3){fmax(largest.x, fabs(o.x)), fmax(largest.y, fabs(o.y)),
                            fmax(largest.z, fabs(o.z))};
    }
    const struct grids x = grids_above(largest.x, count), y = grids_above(largest.y, count),
                       z = grids_above(largest.z, count);
    double sums[3][GRIDS] = {{0}};
    for (size_t i = 0; i < count; i++) {
        gz_vec3 o = origin(items, i);
        add_on_grids(&x, o.x, sums[0]);
        add_on_grids(&y, o.y, sums[1]);
        add_on_grids(&z, o.z, sums[2]);
    }
    gz_vec3 sum = {0, 0, 0};
    for (int i = GRIDS - 1; i >= 0; i--)
        sum = gz_add(sum, (gz_vec3){sums[0][i], sums[1][i], sums[2][i]});
    return (gz_vec3){sum.x / (double)count, sum.y / (double)count, sum.z / (double)count};
}

static gz_vec3 of_target(const void *items, size_t place)
{
    return origin_of((const struct gz_target *)items + place);
}

static gz_vec3 of_origin(const void *items, size_t place)
{
    return ((const gz_vec3 *)items)[place];
}

/* Along the world's axes. A node without bounds is a point. */
static gz_box world_bounds(const struct gz_target *target, gz_vec3 origin)
{
    if (target->bounds == NULL) return (gz_box){origin, origin};
    gz_affine local = gz_affine_from_trs(&target->local),
              world = gz_affine_multiply(&target->parent, &local);
    return gz_box_transform(target->bounds, &world);
}

static void set_active(struct gz_seat *seat, const struct gz_target *target)
{
    seat->active = *target;
    seat->active.bounds = NULL;
}

void gz_seat_add(struct gz_seat *seat, const struct gz_target *target, gz_vec3 *origin)
{
    *origin = origin_of(target);
    gz_box box = world_bounds(target, *origin);
    seat->all = seat->count > 0 ? gz_box_union(&seat->all, &box) : box;
    seat->own = seat->count == 0 && target->bounds != NULL ? *target->bounds : (gz_box){0};
    seat->has_bounds |= target->bounds != NULL;
    seat->count++;
    set_active(seat, target);
}

void gz_seat_complete(struct gz_seat *seat, const gz_vec3 *origins)
{
    assert(seat->count > 0);
    seat->median = mean(origins, seat->count, of_origin);
}

struct gz_seat gz_seat_of(const struct gz_target *targets, size_t count, size_t active)
{
    assert(targets != NULL && active < count);
    struct gz_seat seat = {.count = 0};
    gz_vec3 origin;
    for (size_t i = 0; i < count; i++) gz_seat_add(&seat, &targets[i], &origin);
    seat.median = mean(targets, count, of_target);
    set_active(&seat, &targets[active]);
    return seat;
}

static gz_vec3 pivot_of(const struct gz_tool *tool, const struct gz_seat *seat)
{
    switch (tool->pivot) {
    case GZ_PIVOT_MEDIAN: return seat->median;
    case GZ_PIVOT_BOUNDS: return gz_box_centre(&seat->all);
    case GZ_PIVOT_POINT: return tool->pivot_point;
    default: return origin_of(&seat->active);
    }
}

/* Of one node its own box, turned, stretched and sheared as the node is; of several one along the
 * world's axes. */
static void find_box(struct gz_gizmo *gizmo, const struct gz_seat *seat)
{
    gizmo->has_box = seat->has_bounds;
    if (!gizmo->has_box) return;
    gz_affine world = gz_affine_identity;
    gz_box box = seat->all;
    gizmo->box_own = seat->count == 1;
    if (gizmo->box_own) {
        gz_affine local = gz_affine_from_trs(&seat->active.local);
        world = gz_affine_multiply(&seat->active.parent, &local);
        box = seat->own;
    }
    gz_vec3 half = gz_scale(gz_sub(box.max, box.min), 0.5);
    gizmo->box_centre = gz_affine_apply(&world, gz_box_centre(&box));
    gizmo->box_offset = gizmo->box_own ? gz_mat3_apply(&world.linear, gz_box_centre(&box))
                                       : gz_sub(gizmo->box_centre, gizmo->place);
    gizmo->box_half[0] = gz_scale(world.linear.x, half.x);
    gizmo->box_half[1] = gz_scale(world.linear.y, half.y);
    gizmo->box_half[2] = gz_scale(world.linear.z, half.z);
    const gz_vec3 *sides = gizmo->box_half;
    gizmo->has_box = gz_finite(gizmo->box_centre) && gz_finite(sides[0]) && gz_finite(sides[1]) &&
                     gz_finite(sides[2]);
}

/* ---- Axes ---- */

static bool unit_columns(const gz_mat3 *m, gz_vec3 axes[3])
{
    return gz_normalize(m->x, &axes[0]) && gz_normalize(m->y, &axes[1]) &&
           gz_normalize(m->z, &axes[2]);
}

static void set_axes(gz_vec3 axes[3], gz_vec3 x, gz_vec3 y, gz_vec3 z)
{
    axes[0] = x;
    axes[1] = y;
    axes[2] = z;
}

/* Moves follow the parent's axes as they are, skewed or not; turns need orthogonal axes: those of
 * the rotation in the parent's. */
static bool find_axes(struct gz_gizmo *gizmo, const struct gz_tool *tool,
                      const struct gz_camera *camera, const struct gz_target *active)
{
    gz_mat3 turn = gz_mat3_from_quat(active->local.r), parent_turn;
    gz_mat3 own = gz_mat3_multiply(&active->parent.linear, &turn);
    if (!unit_columns(&own, gizmo->scale_axes)) return false;
    if (!gz_mat3_polar(&active->parent.linear, &parent_turn)) return false;
    gizmo->turn = gz_quat_multiply(gz_quat_from_mat3(&parent_turn), active->local.r);
    gz_mat3 world_turn = gz_mat3_multiply(&parent_turn, &turn);
    enum gz_space space = tool->space;
    if (space == GZ_SPACE_LOCAL) {
        set_axes(gizmo->axes, gizmo->scale_axes[0], gizmo->scale_axes[1], gizmo->scale_axes[2]);
        return unit_columns(&world_turn, gizmo->turn_axes);
    }
    if (space == GZ_SPACE_PARENT)
        return unit_columns(&active->parent.linear, gizmo->axes) &&
               unit_columns(&parent_turn, gizmo->turn_axes);
    if (space == GZ_SPACE_VIEW && camera != NULL)
        set_axes(gizmo->axes, camera->right, camera->up, camera->backward);
    else
        set_axes(gizmo->axes, (gz_vec3){1, 0, 0}, (gz_vec3){0, 1, 0}, (gz_vec3){0, 0, 1});
    set_axes(gizmo->turn_axes, gizmo->axes[0], gizmo->axes[1], gizmo->axes[2]);
    return true;
}

/* Where the active node is on the grids that absolute snapping uses: in the parent's and in its own
 * space its own numbers, else the world's along the axes. A node's own axes turn with it and are no
 * grid: what it moves along them is one of its own numbers, the one that changes most. */
static bool find_coordinates(struct gz_gizmo *gizmo, const struct gz_tool *tool,
                             const struct gz_target *active)
{
    bool own = tool->space == GZ_SPACE_PARENT || tool->space == GZ_SPACE_LOCAL;
    gz_mat3 axes = {gizmo->axes[0], gizmo->axes[1], gizmo->axes[2]}, inverse;
    if (!gz_mat3_inverse(own ? &active->parent.linear : &axes, &inverse)) return false;
    gz_vec3 numbers = own ? active->local.t : gz_mat3_apply(&inverse, gizmo->place);
    for (int axis = 0; axis < 3; axis++) {
        gz_vec3 unit = {axis == 0, axis == 1, axis == 2};
        gizmo->coordinates[axis] = gz_component(numbers, axis);
        gizmo->growth[axis] = own ? gz_mat3_apply(&inverse, gizmo->axes[axis]) : unit;
        gizmo->angles[axis] =
            own ? gz_twist(active->local.r, unit) : gz_twist(gizmo->turn, gizmo->turn_axes[axis]);
    }
    gizmo->scale = active->local.s;
    return true;
}

/* ---- What can be seen ---- */

/* The place from which the gizmo is seen, and how near to the line of sight an axis may lie. */
struct look {
    const struct gz_camera *camera; /* NULL: every handle shows */
    gz_vec3 toward;                 /* unit: to the gizmo's origin */
    gz_vec3 offset; /* from the eye to there; in orthographic views the direction of sight */
    gz_vec3 w_growth;
    double origin_w, edge_sine;
};

static struct look look_of(const struct gz_gizmo *gizmo, const struct gz_tool *tool,
                           const struct gz_camera *camera, double origin_w)
{
    const struct gz_sight sight = {.camera = camera};
    struct look look = {.camera = camera, .origin_w = origin_w, .edge_sine = gz_edge_sine(tool)};
    if (camera == NULL) return look;
    look.w_growth = gz_sight_growth(&sight).w;
    look.offset = gz_sight_offset(&sight, gizmo->origin);
    look.toward = gz_sight_toward(&sight, gizmo->origin);
    return look;
}

/* Faces and corners are seen where they are, not from the pivot. The angle is between the arm and
 * the line of sight. */
static bool side_shows(const struct gz_gizmo *gizmo, enum gz_handle handle, const struct look *look)
{
    gz_vec3 arm = gz_handle_arm(gizmo, handle);
    double square = gz_dot(arm, arm);
    if (!gizmo->has_box || !(square > 0) || !isfinite(square)) return false;
    if (look->camera == NULL) return true;
    gz_vec3 way = look->camera->perspective ? gz_add(look->offset, arm) : look->offset,
            across = gz_cross(arm, way);
    double least = look->edge_sine * look->edge_sine * square * gz_dot(way, way);
    return look->origin_w + gz_dot(look->w_growth, arm) > 0 && gz_dot(across, across) >= least;
}

static bool axis_shows(gz_vec3 axis, const struct look *look)
{
    gz_vec3 across = gz_cross(axis, look->toward);
    return gz_dot(across, across) >= look->edge_sine * look->edge_sine;
}

static bool plane_shows(gz_vec3 first, gz_vec3 second, const struct look *look)
{
    gz_vec3 normal;
    return gz_normalize(gz_cross(first, second), &normal) &&
           fabs(gz_dot(normal, look->toward)) >= look->edge_sine;
}

static bool shows(const struct gz_gizmo *gizmo, enum gz_handle handle, const struct look *look)
{
    struct gz_handle_parts parts = gz_handle_parts(handle);
    int i = parts.axis, j = (i + 1) % 3;
    if (parts.part == GZ_PART_SCALE_FACE || parts.part == GZ_PART_SCALE_CORNER)
        return side_shows(gizmo, handle, look);
    if (look->camera == NULL) return true;
    switch (parts.part) {
    case GZ_PART_MOVE_AXIS: return axis_shows(gizmo->axes[i], look);
    case GZ_PART_SCALE_AXIS: return axis_shows(gizmo->scale_axes[i], look);
    case GZ_PART_MOVE_PLANE: return plane_shows(gizmo->axes[i], gizmo->axes[j], look);
    case GZ_PART_SCALE_PLANE: return plane_shows(gizmo->scale_axes[i], gizmo->scale_axes[j], look);
    default: return true;
    }
}

static uint64_t visible_handles(const struct gz_gizmo *gizmo, const struct look *look)
{
    uint64_t handles = gz_mode_handles(gizmo->mode);
    for (enum gz_handle handle = GZ_HANDLE_NONE + 1; handle < GZ_HANDLE_COUNT; handle++) {
        bool of_mode = (handles & GZ_HANDLE_BIT(handle)) != 0;
        if (of_mode && !shows(gizmo, handle, look)) handles &= ~GZ_HANDLE_BIT(handle);
    }
    return handles;
}

/* World length of a pixel where the hand's angle decides. */
static double hand_pixel(const struct gz_pointer *hand, gz_vec3 origin)
{
    bool is_ray = hand != NULL && hand->is_ray;
    double away = is_ray ? gz_length(gz_sub(origin, hand->origin)) : GZ_RAY_METRES;
    return gz_ray_pixel_at(away);
}

bool gz_gizmo_build(struct gz_gizmo *gizmo, const struct gz_tool *tool,
                    const struct gz_camera *camera, const struct gz_pointer *hand,
                    const struct gz_target *targets, size_t count, size_t active)
{
    assert(gizmo != NULL && tool != NULL && (targets != NULL || count == 0));
    if (gz_mode_handles(tool->mode) == 0 || active >= count) return false;
    const struct gz_seat seat = gz_seat_of(targets, count, active);
    return gz_gizmo_build_on(gizmo, tool, camera, hand, &seat);
}

bool gz_gizmo_build_on(struct gz_gizmo *gizmo, const struct gz_tool *tool,
                       const struct gz_camera *camera, const struct gz_pointer *hand,
                       const struct gz_seat *seat)
{
    assert(gizmo != NULL && tool != NULL && seat != NULL);
    const struct gz_target *active = &seat->active;
    struct gz_gizmo made = {
        .mode = tool->mode, .space = tool->space, .each = tool->pivot == GZ_PIVOT_EACH};
    if (gz_mode_handles(tool->mode) == 0) return false;
    made.place = origin_of(active);
    find_box(&made, seat);
    bool about_box = tool->mode == GZ_MODE_BOUNDS && made.has_box;
    made.origin = about_box ? made.box_centre : pivot_of(tool, seat);
    if (!gz_finite(made.origin) || !gz_finite(made.place)) return false;
    if (!find_axes(&made, tool, camera, active)) return false;
    if (!find_coordinates(&made, tool, active)) return false;
    const struct gz_sight sight = {.camera = camera};
    double w = camera != NULL ? gz_see_point(&sight, made.origin).w : 1;
    const struct look look = look_of(&made, tool, camera, w);
    double front_w = gz_front_w(&made, w, look.w_growth);
    double pixel =
        camera != NULL ? gz_pixel_size_at(camera, front_w) : hand_pixel(hand, made.origin);
    made.size = tool->size_px * pixel;
    if (!(made.size > 0) || !isfinite(made.size)) return false;
    made.handles = visible_handles(&made, &look);
    if (!(w > 0) && made.handles == 0) return false;
    *gizmo = made;
    return true;
}
