#include <math.h>

#include "solver/handle.h"
#include "solver/place.h"

const struct gz_tool gz_tool_default = {
    .mode = GZ_MODE_TRANSLATE,
    .space = GZ_SPACE_WORLD,
    .pivot = GZ_PIVOT_MEDIAN,
    .size_px = 96,
    .tolerance_px = 8,
    .axis_method = GZ_AXIS_AUTO,
    .ball = GZ_BALL_EXACT,
    .ball_fit = GZ_FIT_OBJECT,
    .edge_rad = 5 * M_PI / 180,
};

static gz_vec3 origin_of(const struct gz_target *target)
{
    return gz_affine_apply(&target->parent, target->local.t);
}

/* ---- The pivot ---- */

/* One rounding grid: numbers up to `largest` times `count` keep their multiples of its unit exactly when summed, in any
 * order. */
static double grid_above(double largest, size_t count)
{
    int exponent;
    frexp(largest * (double)(count + 1), &exponent);
    return ldexp(1.5, exponent);
}

/* The sum of one coordinate of all origins, with the same bits whatever their order: each is cut on common grids, whose
 * multiples add without rounding. Three grids hold more digits than the result. */
static double sum_of_origins(const struct gz_target *targets, size_t count, int axis)
{
    double largest = 0, total = 0;
    for (size_t i = 0; i < count; i++) largest = fmax(largest, fabs(gz_component(origin_of(&targets[i]), axis)));
    double grids[3], sums[3] = {0, 0, 0};
    grids[0] = grid_above(largest, count);
    grids[1] = grid_above(ldexp(grids[0], -52), count);
    grids[2] = grid_above(ldexp(grids[1], -52), count);
    for (size_t i = 0; i < count; i++) {
        double rest = gz_component(origin_of(&targets[i]), axis);
        for (int level = 0; level < 3; level++) {
            double part = (grids[level] + rest) - grids[level];
            sums[level] += part;
            rest -= part;
        }
    }
    for (int level = 2; level >= 0; level--) total += sums[level];
    return total;
}

static gz_vec3 median(const struct gz_target *targets, size_t count)
{
    if (count == 1) return origin_of(&targets[0]);
    double n = (double)count;
    return (gz_vec3){sum_of_origins(targets, count, 0) / n, sum_of_origins(targets, count, 1) / n,
                     sum_of_origins(targets, count, 2) / n};
}

static double lesser(double a, double b)
{
    return a < b ? a : b;
}

static double greater(double a, double b)
{
    return a > b ? a : b;
}

/* Along the world's axes. A node without bounds is a point. */
static gz_box world_bounds(const struct gz_target *target)
{
    if (target->bounds == NULL) {
        gz_vec3 origin = origin_of(target);
        return (gz_box){origin, origin};
    }
    gz_affine local = gz_affine_from_trs(&target->local), world = gz_affine_multiply(&target->parent, &local);
    gz_vec3 centre = gz_affine_apply(&world, gz_box_centre(target->bounds));
    gz_vec3 half = gz_scale(gz_sub(target->bounds->max, target->bounds->min), 0.5);
    gz_vec3 x = gz_scale(world.linear.x, half.x), y = gz_scale(world.linear.y, half.y),
            z = gz_scale(world.linear.z, half.z);
    gz_vec3 reach = {fabs(x.x) + fabs(y.x) + fabs(z.x), fabs(x.y) + fabs(y.y) + fabs(z.y),
                     fabs(x.z) + fabs(y.z) + fabs(z.z)};
    return (gz_box){gz_sub(centre, reach), gz_add(centre, reach)};
}

static gz_box bounds_of_all(const struct gz_target *targets, size_t count)
{
    gz_box all = world_bounds(&targets[0]);
    for (size_t i = 1; i < count; i++) {
        gz_box one = world_bounds(&targets[i]);
        all.min = (gz_vec3){lesser(all.min.x, one.min.x), lesser(all.min.y, one.min.y), lesser(all.min.z, one.min.z)};
        all.max =
            (gz_vec3){greater(all.max.x, one.max.x), greater(all.max.y, one.max.y), greater(all.max.z, one.max.z)};
    }
    return all;
}

static gz_vec3 pivot_of(const struct gz_tool *tool, const struct gz_target *targets, size_t count, size_t active)
{
    gz_box all;
    switch (tool->pivot) {
    case GZ_PIVOT_MEDIAN: return median(targets, count);
    case GZ_PIVOT_BOUNDS: all = bounds_of_all(targets, count); return gz_box_centre(&all);
    case GZ_PIVOT_POINT: return tool->pivot_point;
    default: return origin_of(&targets[active]);
    }
}

/* Of one node its own box, turned, stretched and sheared as the node is; of several one along the world's axes. */
static void find_box(struct gz_gizmo *gizmo, const struct gz_target *targets, size_t count)
{
    for (size_t i = 0; i < count; i++) gizmo->has_box = gizmo->has_box || targets[i].bounds != NULL;
    if (!gizmo->has_box) return;
    gz_affine world = gz_affine_identity;
    gz_box box = {{0, 0, 0}, {0, 0, 0}};
    gizmo->box_own = count == 1;
    if (gizmo->box_own) {
        gz_affine local = gz_affine_from_trs(&targets[0].local);
        world = gz_affine_multiply(&targets[0].parent, &local);
        box = *targets[0].bounds;
    } else {
        box = bounds_of_all(targets, count);
    }
    gz_vec3 half = gz_scale(gz_sub(box.max, box.min), 0.5);
    gizmo->box_centre = gz_affine_apply(&world, gz_box_centre(&box));
    gizmo->box_offset =
        gizmo->box_own ? gz_mat3_apply(&world.linear, gz_box_centre(&box)) : gz_sub(gizmo->box_centre, gizmo->place);
    gizmo->box_half[0] = gz_scale(world.linear.x, half.x);
    gizmo->box_half[1] = gz_scale(world.linear.y, half.y);
    gizmo->box_half[2] = gz_scale(world.linear.z, half.z);
    const gz_vec3 *sides = gizmo->box_half;
    gizmo->has_box = gz_finite(gizmo->box_centre) && gz_finite(sides[0]) && gz_finite(sides[1]) && gz_finite(sides[2]);
}

/* ---- Axes ---- */

static bool unit_columns(const gz_mat3 *m, gz_vec3 axes[3])
{
    return gz_normalize(m->x, &axes[0]) && gz_normalize(m->y, &axes[1]) && gz_normalize(m->z, &axes[2]);
}

static void set_axes(gz_vec3 axes[3], gz_vec3 x, gz_vec3 y, gz_vec3 z)
{
    axes[0] = x;
    axes[1] = y;
    axes[2] = z;
}

/* Moves follow the parent's axes as they are, skewed or not; turns need orthogonal ones, those of the rotation in them. */
static bool find_axes(struct gz_gizmo *gizmo, const struct gz_tool *tool, const struct gz_camera *camera,
                      const struct gz_target *active)
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
        return unit_columns(&active->parent.linear, gizmo->axes) && unit_columns(&parent_turn, gizmo->turn_axes);
    if (space == GZ_SPACE_VIEW && camera != NULL)
        set_axes(gizmo->axes, camera->right, camera->up, camera->backward);
    else
        set_axes(gizmo->axes, (gz_vec3){1, 0, 0}, (gz_vec3){0, 1, 0}, (gz_vec3){0, 0, 1});
    set_axes(gizmo->turn_axes, gizmo->axes[0], gizmo->axes[1], gizmo->axes[2]);
    return true;
}

/* Where the active node is on the grids that absolute snapping uses: in the parent's space its own numbers, else the world's. */
static bool find_coordinates(struct gz_gizmo *gizmo, const struct gz_tool *tool, const struct gz_target *active)
{
    bool own = tool->space == GZ_SPACE_PARENT || tool->space == GZ_SPACE_LOCAL;
    gz_vec3 place = gizmo->place;
    if (tool->space == GZ_SPACE_PARENT) place = gz_sub(place, active->parent.origin);
    gz_mat3 axes = {gizmo->axes[0], gizmo->axes[1], gizmo->axes[2]}, inverse;
    if (!gz_mat3_inverse(&axes, &inverse)) return false;
    gz_vec3 along = gz_mat3_apply(&inverse, place);
    for (int axis = 0; axis < 3; axis++) {
        gz_vec3 unit = {axis == 0, axis == 1, axis == 2};
        gizmo->coordinates[axis] = gz_component(along, axis);
        gizmo->angles[axis] = own ? gz_twist(active->local.r, unit) : gz_twist(gizmo->turn, gizmo->turn_axes[axis]);
    }
    gizmo->scale = active->local.s;
    return true;
}

/* ---- What can be seen ---- */

/* Faces and corners are seen where they are, not from the pivot. */
static bool side_shows(const struct gz_gizmo *gizmo, enum gz_handle handle, const struct gz_sight *sight, double edge)
{
    gz_vec3 arm = gz_handle_arm(gizmo, handle), place = gz_add(gizmo->box_centre, arm), axis;
    if (!gizmo->has_box || !gz_normalize(arm, &axis)) return false;
    if (sight->camera == NULL) return true;
    return gz_see_point(sight, place).w > 0 && gz_length(gz_cross(axis, gz_sight_toward(sight, place))) >= edge;
}

static bool shows(const struct gz_gizmo *gizmo, enum gz_handle handle, const struct gz_sight *sight, double edge)
{
    struct gz_handle_parts parts = gz_handle_parts(handle);
    bool moves = parts.part == GZ_PART_MOVE_AXIS || parts.part == GZ_PART_MOVE_PLANE;
    const gz_vec3 *axes = moves ? gizmo->axes : gizmo->scale_axes;
    gz_vec3 first = axes[parts.axis], toward, normal;
    if (parts.part == GZ_PART_SCALE_FACE || parts.part == GZ_PART_SCALE_CORNER)
        return side_shows(gizmo, handle, sight, edge);
    if (sight->camera == NULL) return true;
    toward = gz_sight_toward(sight, gizmo->origin);
    switch (parts.part) {
    case GZ_PART_MOVE_AXIS:
    case GZ_PART_SCALE_AXIS: return gz_length(gz_cross(first, toward)) >= edge;
    case GZ_PART_MOVE_PLANE:
    case GZ_PART_SCALE_PLANE:
        return gz_normalize(gz_cross(first, axes[(parts.axis + 1) % 3]), &normal) &&
               fabs(gz_dot(normal, toward)) >= edge;
    default: return true;
    }
}

static uint64_t visible_handles(const struct gz_gizmo *gizmo, const struct gz_tool *tool,
                                const struct gz_camera *camera)
{
    uint64_t handles = gz_mode_handles(gizmo->mode);
    const struct gz_sight sight = {.camera = camera};
    for (enum gz_handle handle = GZ_HANDLE_NONE + 1; handle < GZ_HANDLE_COUNT; handle++)
        if (!shows(gizmo, handle, &sight, gz_edge_sine(tool))) handles &= ~GZ_HANDLE_BIT(handle);
    return handles;
}

bool gz_gizmo_build(struct gz_gizmo *gizmo, const struct gz_tool *tool, const struct gz_camera *camera,
                    const struct gz_target *targets, size_t count, size_t active)
{
    struct gz_gizmo made = {.mode = tool->mode, .space = tool->space, .each = tool->pivot == GZ_PIVOT_EACH};
    if (gz_mode_handles(tool->mode) == 0 || active >= count) return false;
    made.place = origin_of(&targets[active]);
    find_box(&made, targets, count);
    bool about_box = tool->mode == GZ_MODE_BOUNDS && made.has_box;
    made.origin = about_box ? made.box_centre : pivot_of(tool, targets, count, active);
    if (!gz_finite(made.origin) || !gz_finite(made.place)) return false;
    if (!find_axes(&made, tool, camera, &targets[active])) return false;
    if (!find_coordinates(&made, tool, &targets[active])) return false;
    double pixel = camera != NULL ? gz_camera_pixel_size(camera, made.origin) : GZ_RAY_METRES_PER_PX;
    made.size = tool->size_px * pixel;
    if (!(made.size > 0) || !isfinite(made.size)) return false;
    made.handles = visible_handles(&made, tool, camera);
    *gizmo = made;
    return true;
}
