/* Solves a drag: the pointer of the press and the pointer of now become new transforms. */
#include <assert.h>
#include <math.h>

#include "solver/ball.h"
#include "solver/follow.h"
#include "solver/handle.h"
#include "solver/place.h"
#include "solver/snap.h"

/* The nearer a press is to the pivot's image, within this many pixels, the less of a factor is by
 * the ratio of distances and the more by pixels. With tool.edge_rad 0 only a press that cannot be
 * distinguished from the centre counts as near. */
#define CENTRE_PX 4
#define CENTRE_EXACT_PX 1e-6
/* The handle's point may come this much nearer or go this much farther than it was at the press. */
#define DEPTH_RATIO 1e6
/* Planes are followed to this part of the edge angle before their horizon: 0.1 degrees of 5. */
#define GRAZING_PART 0.02

static const double two_pi = 2 * M_PI;

/* ---- Measuring: the rule's numbers for a line of sight ---- */

static struct gz_range range_of(const struct gz_drag *drag, const struct gz_sight *sight)
{
    struct gz_range range = GZ_ANYWHERE;
    range.sine_min = drag->edge_sine * GRAZING_PART;
    if (!(drag->depth > 0))
        return range; /* behind an orthographic camera's plane: no measure of depth */
    range.min = drag->depth / DEPTH_RATIO;
    range.max = drag->depth * DEPTH_RATIO;
    bool near_known =
        sight->camera != NULL && !sight->is_ray && sight->camera->near_w < drag->depth;
    if (near_known) range.min = fmax(range.min, sight->camera->near_w);
    return range;
}

static struct gz_ball_place ball_of(const struct gz_drag *drag)
{
    return (struct gz_ball_place){drag->ball,    drag->fit,    drag->origin,   drag->gain,
                                  drag->size_px, drag->circle, drag->flat_ball};
}

static enum gz_solve measure_distance(const struct gz_drag *drag, const struct gz_sight *sight,
                                      double *distance)
{
    double pixels[2];
    if (!gz_place_in_pixels(sight, drag->origin, pixels)) return GZ_SOLVE_KEPT;
    *distance = hypot(pixels[0], pixels[1]);
    return GZ_SOLVE_OK;
}

/* Pixels along direction[]. A hand that counts by its own way turns where it was pressed: what it
 * points at and how far it goes are two numbers, of which neither disturbs the other. */
static enum gz_solve measure_pixels(const struct gz_drag *drag, const struct gz_sight *sight,
                                    double numbers[2])
{
    struct gz_sight from = *sight;
    double pixels[2];
    if (drag->push_gain != 0) {
        from.origin = drag->press_pointer.origin;
        numbers[1] = gz_dot(drag->axes[0], gz_sub(sight->origin, from.origin));
    }
    if (!gz_place_in_pixels(&from, drag->origin, pixels)) return GZ_SOLVE_KEPT;
    numbers[0] = pixels[0] * drag->direction[0] + pixels[1] * drag->direction[1];
    return GZ_SOLVE_OK;
}

static enum gz_solve measure(const struct gz_drag *drag, const struct gz_sight *sight,
                             struct gz_range range, double numbers[2])
{
    numbers[1] = 0;
    switch (drag->rule) {
    case GZ_RULE_AXIS_SCREEN:
    case GZ_RULE_RING_TANGENT:
        return gz_place_on_axis(sight, drag->origin, drag->axes[0], range, numbers);
    case GZ_RULE_AXIS_CLOSEST:
        return gz_place_closest(sight, drag->origin, drag->axes[0], range, numbers);
    case GZ_RULE_AXIS_PLANE:
    case GZ_RULE_PLANE: return gz_place_on_plane(sight, drag->origin, drag->axes, range, numbers);
    case GZ_RULE_RING:
        return gz_place_around(sight, drag->origin, drag->axes, numbers) ? GZ_SOLVE_OK
                                                                         : GZ_SOLVE_KEPT;
    case GZ_RULE_AXIS_PIXELS: return measure_pixels(drag, sight, numbers);
    case GZ_RULE_UNIFORM: return measure_distance(drag, sight, numbers);
    case GZ_RULE_BALL: break;
    }
    return GZ_SOLVE_KEPT;
}

static bool init_sight(const struct gz_drag *drag, struct gz_sight *sight,
                       const struct gz_camera *camera, const struct gz_pointer *pointer)
{
    bool good = gz_sight_init(sight, camera, pointer);
    sight->shift = drag->offset;
    return good;
}

/* Beyond a plane's horizon the place is the last one on the straight line of the pointer from the
 * press. It depends on press and now only. */
static enum gz_solve measure_on_the_way(const struct gz_drag *drag, const struct gz_camera *camera,
                                        const struct gz_pointer *pointer, struct gz_range range,
                                        double numbers[2])
{
    struct gz_sight press, now;
    if (!init_sight(drag, &press, camera, &drag->press_pointer) ||
        !init_sight(drag, &now, camera, pointer))
        return GZ_SOLVE_KEPT;
    return gz_place_on_the_way(&press, &now, drag->origin, drag->axes, range, numbers);
}

/* ---- Making motions: the handle's value becomes what it does ---- */

static enum gz_handle_part part_of(const struct gz_drag *drag)
{
    return gz_handle_parts(drag->handle).part;
}

static bool is_scale(enum gz_handle_part part)
{
    return part >= GZ_PART_SCALE_AXIS;
}

static bool is_turn(enum gz_handle_part part)
{
    return part == GZ_PART_RING || part == GZ_PART_VIEW_RING || part == GZ_PART_BALL;
}

static void scale_by(const struct gz_drag *drag, double factor, struct gz_motion *motion)
{
    struct gz_handle_parts parts = gz_handle_parts(drag->handle);
    bool all = parts.part == GZ_PART_SCALE_ALL || parts.part == GZ_PART_SCALE_CORNER;
    double f[3] = {all ? factor : 1, all ? factor : 1, all ? factor : 1};
    f[parts.axis] = factor;
    if (parts.part == GZ_PART_SCALE_PLANE) f[(parts.axis + 1) % 3] = factor;
    motion->kind = GZ_MOTION_SCALE;
    motion->factor = (gz_vec3){f[0], f[1], f[2]};
    motion->frame = drag->frame;
    motion->frame_inverse = drag->frame_inverse;
}

/* Writes the fields that count for the kind of motion, but for a turn: that is by value[0], and the
 * caller writes it. A value that is no motion writes none, so that the bits of the start come back.
 * False, and nothing is written, if a number is not finite. */
static bool make_motion(const struct gz_drag *drag, const double value[2], struct gz_motion *motion)
{
    enum gz_handle_part part = part_of(drag);
    bool scales = is_scale(part), turns = is_turn(part);
    gz_vec3 offset =
        gz_add(gz_scale(drag->directions[0], value[0]), gz_scale(drag->directions[1], value[1]));
    bool finite = isfinite(value[0]) && isfinite(value[1]);
    if (!finite || (!turns && !scales && !gz_finite(offset))) return false;
    motion->each = drag->each;
    motion->pivot = drag->pivot;
    motion->pivot_offset = drag->pivot_offset;
    motion->value_count = part == GZ_PART_BALL ? 1 : gz_handle_value_count(drag->handle);
    motion->value[0] = value[0];
    motion->value[1] = motion->value_count > 1 ? value[1] : 0;
    if (scales ? value[0] == 1 : value[0] == 0 && value[1] == 0) {
        motion->kind = GZ_MOTION_NONE;
    } else if (scales) {
        scale_by(drag, value[0], motion);
    } else if (turns) {
        motion->kind = GZ_MOTION_ROTATE;
    } else {
        motion->kind = GZ_MOTION_TRANSLATE;
        motion->translation = offset;
    }
    return true;
}

static double snapped(const struct gz_drag *drag, enum gz_handle_part part, int index, double value)
{
    const struct gz_snap *snap = &drag->snap;
    double start = drag->start_value[index];
    if (is_scale(part))
        return snap->absolute ? gz_snap_factor_from(start, value, snap->s, drag->mirror)
                              : gz_snap_factor(value, snap->s, drag->mirror);
    double step = is_turn(part) ? snap->r : snap->t;
    bool absolute = snap->absolute && part != GZ_PART_BALL;
    return absolute ? gz_snap_value_from(start, value, step) : gz_snap_value(value, step);
}

/* Moves, onto the grid of the node's own coordinates: what they become is rounded, and what has to
 * be moved for that is the answer. */
static void snap_coordinates(const struct gz_drag *drag, double value[2])
{
    const double(*g)[2] = drag->grid;
    const double *start = drag->start_value;
    double grown[2];
    for (int k = 0; k < 2; k++)
        grown[k] =
            gz_snap_value_from(start[k], g[k][0] * value[0] + g[k][1] * value[1], drag->snap.t);
    if (gz_handle_value_count(drag->handle) == 1) {
        value[0] = grown[0] / g[0][0];
        return;
    }
    double area = g[0][0] * g[1][1] - g[0][1] * g[1][0];
    value[0] = (grown[0] * g[1][1] - grown[1] * g[0][1]) / area;
    value[1] = (grown[1] * g[0][0] - grown[0] * g[1][0]) / area;
}

static bool snap_wanted(const struct gz_drag *drag, uint32_t mods)
{
    enum gz_handle_part part = part_of(drag);
    double step = is_scale(part) ? drag->snap.s : is_turn(part) ? drag->snap.r : drag->snap.t;
    bool inverted = (mods & (1u << GZ_MOD_SNAP)) != 0;
    return step > 0 && drag->snap.on != inverted;
}

/* ---- Values: the rule's numbers, now against the press ---- */

/* A factor is never 0; without mirror it stops before 0. */
static enum gz_solve limit_factor(const struct gz_drag *drag, double *factor)
{
    bool beyond = *factor < 0 && !drag->mirror;
    if (!beyond && fabs(*factor) >= GZ_FACTOR_MIN) return GZ_SOLVE_OK;
    *factor = drag->mirror ? copysign(GZ_FACTOR_MIN, *factor) : GZ_FACTOR_MIN;
    return GZ_SOLVE_CLAMPED;
}

/* The factor by the ratio of distances and that by pixels, each in its part. */
static enum gz_solve factor_of(const struct gz_drag *drag, const struct gz_sight *sight,
                               const double now[2], double *factor)
{
    double part = drag->ratio_part, pixels[2] = {now[0], now[1]};
    *factor = 1;
    if (part > 0 && part < 1 && measure_pixels(drag, sight, pixels) != GZ_SOLVE_OK)
        return GZ_SOLVE_KEPT;
    if (part == 1)
        *factor = (drag->reach + now[0]) / (drag->reach + drag->press[0]);
    else if (part > 0)
        *factor += part * ((now[0] - drag->press[0]) / (drag->reach + drag->press[0]));
    if (part < 1)
        *factor += (1 - part) * ((pixels[0] - drag->press_pixels[0]) * drag->gain +
                                 (pixels[1] - drag->press_pixels[1]) * drag->push_gain);
    return limit_factor(drag, factor);
}

/* The angle from the press to now within half a turn, and in drag->angle unwrapped: whichever whole
 * turn is nearest to the last one. */
static double follow_ring(struct gz_drag *drag, const double now[2])
{
    const double *press = drag->press;
    double angle =
        atan2(press[0] * now[1] - press[1] * now[0], press[0] * now[0] + press[1] * now[1]);
    drag->angle = angle + two_pi * rint((drag->angle - angle) / two_pi);
    return angle;
}

/* The handle's value for the rule's numbers `now`; `turn` is the angle less whole turns. */
static enum gz_solve value_of(struct gz_drag *drag, const struct gz_sight *sight,
                              struct gz_range range, const double now[2], double value[2],
                              double *turn)
{
    const double *press = drag->press;
    value[1] = drag->rule == GZ_RULE_PLANE ? now[1] - press[1] : 0;
    if (is_scale(part_of(drag))) return factor_of(drag, sight, now, &value[0]);
    switch (drag->rule) {
    case GZ_RULE_RING:
        *turn = follow_ring(drag, now);
        value[0] = drag->angle;
        return GZ_SOLVE_OK;
    case GZ_RULE_AXIS_PIXELS:
        value[0] = (now[0] - press[0]) * drag->gain + (now[1] - press[1]) * drag->push_gain;
        return gz_place_limit(sight, drag->origin, drag->axes[0], range, &value[0]);
    case GZ_RULE_RING_TANGENT:
        value[0] = (now[0] - press[0]) * drag->gain;
        *turn = remainder(value[0], two_pi);
        return GZ_SOLVE_OK;
    default: value[0] = now[0] - press[0]; return GZ_SOLVE_OK;
    }
}

/* ---- Beginning ---- */

static bool looks_along(const struct gz_drag *drag, const struct gz_sight *sight)
{
    return gz_length(gz_cross(drag->axes[0], gz_sight_toward(sight, drag->origin))) <
           drag->edge_sine;
}

static void use_pixels(struct gz_drag *drag, double right, double down, double gain)
{
    drag->rule = GZ_RULE_AXIS_PIXELS;
    drag->direction[0] = right;
    drag->direction[1] = down;
    drag->gain = gain;
}

/* Up on the screen means away from the viewer. The gain is the axis's own at the angle at which
 * this law begins. A hand's way along the axis counts as it is. */
static void use_vertical_pixels(struct gz_drag *drag, const struct gz_sight *sight)
{
    gz_vec3 toward = gz_sight_toward(sight, drag->origin);
    double away = gz_dot(drag->axes[0], toward) < 0 ? -1 : 1;
    double pixel = gz_sight_pixel(sight, drag->origin);
    use_pixels(drag, 0, -away, pixel / drag->edge_sine);
    drag->push_gain = sight->is_ray ? 1 : 0;
}

static void choose_axis_rule(struct gz_drag *drag, const struct gz_tool *tool,
                             const struct gz_sight *sight)
{
    enum gz_axis_method method = tool->axis_method;
    gz_vec3 axis = drag->axes[0];
    drag->rule = method == GZ_AXIS_CLOSEST ? GZ_RULE_AXIS_CLOSEST : GZ_RULE_AXIS_SCREEN;
    if (looks_along(drag, sight)) {
        use_vertical_pixels(drag, sight);
    } else if (method == GZ_AXIS_PLANE) {
        drag->rule = GZ_RULE_AXIS_PLANE;
        (void)gz_normalize(gz_cross(axis, gz_sight_toward(sight, drag->origin)), &drag->axes[1]);
    }
}

/* How far from the pivot's image an axis was pressed, in pixels, negative on the far side of the
 * pivot; in direction[] which way the axis goes there. A pivot behind the viewer has no image that
 * a press could be near to. 0 for an axis that has no direction. */
static double pressed_px(const struct gz_drag *drag, const struct gz_sight *sight, double place,
                         double direction[2])
{
    gz_seen a = gz_see_point(sight, drag->origin), b = gz_see_vector(sight, drag->axes[0]);
    double dx = b.x * a.w - a.x * b.w, dy = b.y * a.w - a.y * b.w, speed = hypot(dx, dy);
    double w = a.w + place * b.w, pivot_w = a.w - drag->reach * b.w;
    if (!(speed > 0) || !isfinite(speed)) return 0;
    direction[0] = dx / speed;
    direction[1] = dy / speed;
    double px = (drag->reach + place) * speed / (pivot_w * fabs(w));
    return pivot_w > 0 ? px : copysign(HUGE_VAL, drag->reach + place);
}

/* How much of a factor is by the ratio of distances. A handle that was named has two laws that do
 * not meet: from CENTRE_PX on the ratio, which 10 pixels outwards from there make 3.5, and at the
 * pivot pixels, which make 1.1. So the ratio fades out between, and neither law is cut short on its
 * own side. Its part is the third power of the distance: the highest one with which a fifth of a
 * pixel in the press changes what 10 pixels do by less than a tenth (7 %; the fourth power 11 %),
 * so that the law for the pivot reaches as far as it can without a step. A disc that was picked
 * goes by pixels alone: where on it it was pressed is chance. The sides of a thin box are pressed
 * on either side of what holds still, and a pull outwards has to enlarge. */
static double ratio_part(const struct gz_drag *drag, const struct gz_tool *tool, double px,
                         uint32_t mods)
{
    double centre = tool->edge_rad > 0 ? CENTRE_PX : CENTRE_EXACT_PX, part = px / centre;
    bool is_side = drag->reach != 0;
    if (drag->rule == GZ_RULE_AXIS_PIXELS || (is_side && !(px > 0))) return 0;
    if (drag->rule == GZ_RULE_UNIFORM && tool->edge_rad > 0 && (mods & (1u << GZ_MOD_PICKED)) != 0)
        return 0;
    part = fabs(part);
    return part >= 1 ? 1 : part * part * part;
}

/* Finds the law of a factor: by the ratio of distances from the pivot, by pixels along the axis's
 * image, or by both. */
static void choose_factor_rule(struct gz_drag *drag, const struct gz_tool *tool,
                               const struct gz_sight *sight, uint32_t mods)
{
    bool uniform = drag->rule == GZ_RULE_UNIFORM;
    double direction[2] = {drag->direction[0], drag->direction[1]}, px = drag->press[0];
    if (uniform)
        direction[0] = M_SQRT1_2, direction[1] = -M_SQRT1_2;
    else if (drag->rule != GZ_RULE_AXIS_PIXELS)
        px = pressed_px(drag, sight, drag->press[0], direction);
    enum gz_rule by_ratio = drag->rule;
    drag->ratio_part = ratio_part(drag, tool, px, mods);
    if (drag->ratio_part == 1) return;
    /* A push as far as an axis is long doubles, as so many pixels do. */
    if (drag->push_gain != 0) drag->push_gain = 1 / (tool->size_px * drag->gain * drag->edge_sine);
    use_pixels(drag, direction[0], direction[1], 1 / tool->size_px);
    if (drag->ratio_part > 0) drag->rule = by_ratio;
}

/* An edge-on ring is measured on its tangent at the point nearest to the viewer. */
static void choose_ring_rule(struct gz_drag *drag, const struct gz_sight *sight, double radius)
{
    gz_vec3 toward = gz_sight_toward(sight, drag->origin), front;
    double facing = gz_dot(drag->turn_axis, toward);
    drag->rule = GZ_RULE_RING;
    if (!(fabs(facing) < drag->edge_sine)) return;
    if (!gz_normalize(gz_sub(gz_scale(drag->turn_axis, facing), toward), &front)) return;
    drag->rule = GZ_RULE_RING_TANGENT;
    drag->origin = gz_add(drag->origin, gz_scale(front, radius));
    drag->axes[0] = gz_cross(drag->turn_axis, front);
    drag->gain = 1 / radius;
}

static void set_ring(struct gz_drag *drag, gz_vec3 normal, gz_vec3 first)
{
    drag->turn_axis = normal;
    drag->axes[0] = first;
    drag->axes[1] = gz_cross(normal, first);
}

/* The coordinate that a metre along the axis changes most. */
static void set_grid_of_axis(struct gz_drag *drag, const struct gz_gizmo *gizmo, int i)
{
    gz_vec3 growth = gizmo->growth[i];
    int most = i;
    for (int k = 0; k < 3; k++)
        if (fabs(gz_component(growth, k)) > fabs(gz_component(growth, most))) most = k;
    drag->start_value[0] = gizmo->coordinates[most];
    drag->grid[0][0] = gz_component(growth, most);
}

/* The two coordinates whose squares are the largest on the plane. */
static void set_grid_of_plane(struct gz_drag *drag, const struct gz_gizmo *gizmo, int i, int j)
{
    gz_vec3 first = gizmo->growth[i], second = gizmo->growth[j], area = gz_cross(first, second);
    int across = (i + 2) % 3; /* the coordinate that is left free */
    for (int k = 0; k < 3; k++)
        if (fabs(gz_component(area, k)) > fabs(gz_component(area, across))) across = k;
    const int kept[2] = {(across + 1) % 3, (across + 2) % 3};
    for (int k = 0; k < 2; k++) {
        drag->start_value[k] = gizmo->coordinates[kept[k]];
        drag->grid[k][0] = gz_component(first, kept[k]);
        drag->grid[k][1] = gz_component(second, kept[k]);
    }
}

/* The axes that the handle moves along or about, and the active node's own numbers on them. */
static void set_axes(struct gz_drag *drag, const struct gz_gizmo *gizmo,
                     const struct gz_view_frame *view)
{
    struct gz_handle_parts parts = gz_handle_parts(drag->handle);
    int i = parts.axis, j = (i + 1) % 3;
    drag->grid[0][0] = drag->grid[1][1] = 1;
    switch (parts.part) {
    case GZ_PART_MOVE_AXIS:
        drag->axes[0] = gizmo->axes[i];
        set_grid_of_axis(drag, gizmo, i);
        break;
    case GZ_PART_MOVE_PLANE:
        drag->axes[0] = gizmo->axes[i];
        drag->axes[1] = gizmo->axes[j];
        set_grid_of_plane(drag, gizmo, i, j);
        break;
    case GZ_PART_MOVE_VIEW:
        drag->axes[0] = view->right;
        drag->axes[1] = view->up;
        drag->start_value[0] = gz_dot(gizmo->place, view->right);
        drag->start_value[1] = gz_dot(gizmo->place, view->up);
        break;
    case GZ_PART_RING:
        set_ring(drag, gizmo->turn_axes[i], gizmo->turn_axes[j]);
        drag->start_value[0] = gizmo->angles[i];
        break;
    case GZ_PART_VIEW_RING:
        set_ring(drag, view->backward, view->right);
        drag->start_value[0] = gz_twist(gizmo->turn, view->backward);
        break;
    case GZ_PART_SCALE_AXIS:
    case GZ_PART_SCALE_ALL: drag->axes[0] = gizmo->scale_axes[i]; break;
    case GZ_PART_SCALE_PLANE:
        (void)gz_normalize(gz_add(gizmo->scale_axes[i], gizmo->scale_axes[j]), &drag->axes[0]);
        break;
    default: break;
    }
    if (is_scale(parts.part)) drag->start_value[0] = gz_component(gizmo->scale, i);
    drag->directions[0] = drag->axes[0];
    if (gz_handle_value_count(drag->handle) == 2) drag->directions[1] = drag->axes[1];
}

/* What holds still while a face or corner is pulled is the opposite one, whatever the tool's pivot.
 * It may be behind the viewer, so places are measured from the side that is grabbed. False if there
 * are no bounds, or the two sides are not apart. */
static bool hold_opposite(struct gz_drag *drag, const struct gz_gizmo *gizmo)
{
    gz_vec3 arm = gz_handle_arm(gizmo, drag->handle);
    if (!gizmo->has_box || !gz_normalize(arm, &drag->axes[0])) return false;
    drag->origin = drag->pivot = gizmo->place;
    drag->offset = gz_add(gizmo->box_offset, arm);
    drag->pivot_offset = gz_sub(gizmo->box_offset, arm);
    drag->reach = 2 * gz_dot(arm, drag->axes[0]);
    drag->each = false;
    if (!gizmo->box_own) {
        drag->frame = drag->frame_inverse = gz_affine_identity.linear;
        drag->start_value[0] = 1; /* no node's own scale lies along the world's axes */
    }
    return gz_finite(drag->offset) && gz_finite(drag->pivot_offset);
}

static void choose_rule(struct gz_drag *drag, const struct gz_gizmo *gizmo,
                        const struct gz_tool *tool, const struct gz_sight *sight)
{
    switch (part_of(drag)) {
    case GZ_PART_MOVE_AXIS:
    case GZ_PART_SCALE_AXIS:
    case GZ_PART_SCALE_PLANE:
    case GZ_PART_SCALE_FACE:
    case GZ_PART_SCALE_CORNER: choose_axis_rule(drag, tool, sight); break;
    case GZ_PART_MOVE_PLANE:
    case GZ_PART_MOVE_VIEW: drag->rule = GZ_RULE_PLANE; break;
    case GZ_PART_RING:
    case GZ_PART_VIEW_RING: choose_ring_rule(drag, sight, gizmo->size); break;
    case GZ_PART_SCALE_ALL: drag->rule = GZ_RULE_UNIFORM; break;
    default: drag->rule = GZ_RULE_BALL; break;
    }
}

static enum gz_solve press_ball(struct gz_drag *drag, const struct gz_sight *sight)
{
    struct gz_ball_place ball = ball_of(drag);
    ball.is_flat = drag->flat_ball = gz_ball_is_flat(&ball, sight);
    if (!gz_ball_point(&ball, sight, &drag->ball_press)) return GZ_SOLVE_NONE;
    drag->ball_side = gz_ball_across(drag->ball_press);
    return GZ_SOLVE_OK;
}

/* The depth of the point that was grabbed, by which later depths are limited. */
static double grabbed_depth(const struct gz_drag *drag, const struct gz_sight *sight)
{
    double depth = gz_see_point(sight, drag->origin).depth;
    if (drag->rule == GZ_RULE_AXIS_PIXELS || drag->rule == GZ_RULE_UNIFORM ||
        drag->rule == GZ_RULE_RING)
        return depth;
    depth += drag->press[0] * gz_see_vector(sight, drag->axes[0]).depth;
    if (drag->rule == GZ_RULE_PLANE || drag->rule == GZ_RULE_AXIS_PLANE)
        depth += drag->press[1] * gz_see_vector(sight, drag->axes[1]).depth;
    return depth;
}

/* The numbers of a factor's law at the press. */
static bool measure_factor(struct gz_drag *drag, const struct gz_tool *tool,
                           const struct gz_sight *sight, uint32_t mods)
{
    choose_factor_rule(drag, tool, sight, mods);
    if (drag->ratio_part == 1) return true;
    if (measure_pixels(drag, sight, drag->press_pixels) != GZ_SOLVE_OK) return false;
    if (drag->ratio_part == 0) drag->press[0] = drag->press_pixels[0];
    return true;
}

static enum gz_solve measure_press(struct gz_drag *drag, const struct gz_tool *tool,
                                   const struct gz_sight *sight, uint32_t mods)
{
    struct gz_range range = GZ_ANYWHERE;
    range.sine_min = drag->edge_sine * GRAZING_PART;
    if (drag->rule == GZ_RULE_BALL) return press_ball(drag, sight);
    if (measure(drag, sight, range, drag->press) != GZ_SOLVE_OK) return GZ_SOLVE_NONE;
    if (is_scale(part_of(drag)) && !measure_factor(drag, tool, sight, mods)) return GZ_SOLVE_NONE;
    double uv[2];
    bool misses = drag->rule == GZ_RULE_RING &&
                  gz_place_on_plane(sight, drag->origin, drag->axes, range, uv) != GZ_SOLVE_OK;
    drag->depth = grabbed_depth(drag, sight);
    return !misses && isfinite(drag->depth) ? GZ_SOLVE_OK : GZ_SOLVE_NONE;
}

static void copy_tool(struct gz_drag *drag, const struct gz_tool *tool)
{
    drag->snap = tool->snap;
    drag->ball = tool->ball;
    drag->fit = tool->ball_fit;
    drag->size_px = tool->size_px;
    drag->edge_sine = gz_edge_sine(tool);
    drag->mirror = tool->mirror;
    for (int i = 0; i < 3; i++) drag->circle[i] = tool->ball_circle[i];
}

enum gz_solve gz_drag_begin(struct gz_drag *drag, enum gz_handle handle,
                            const struct gz_gizmo *gizmo, const struct gz_tool *tool,
                            const struct gz_camera *camera, const struct gz_pointer *pointer,
                            uint32_t mods)
{
    assert(drag != NULL && gizmo != NULL && tool != NULL);
    struct gz_drag made = {
        .handle = handle, .origin = gizmo->origin, .pivot = gizmo->origin, .each = gizmo->each};
    enum gz_handle_part part = part_of(&made);
    struct gz_sight sight = {.camera = camera};
    if (part == GZ_PART_NONE) return GZ_SOLVE_NONE;
    bool needs_view = part == GZ_PART_MOVE_VIEW || part == GZ_PART_VIEW_RING;
    if (pointer == NULL && camera == NULL && needs_view) return GZ_SOLVE_NONE;
    if (pointer != NULL) {
        if (!gz_pointer_usable(pointer)) return GZ_SOLVE_NONE;
        gz_pointer_take(&made.press_pointer, pointer);
        if (!gz_sight_init(&sight, camera, &made.press_pointer)) return GZ_SOLVE_NONE;
    }
    copy_tool(&made, tool);
    made.frame = (gz_mat3){gizmo->scale_axes[0], gizmo->scale_axes[1], gizmo->scale_axes[2]};
    if (!gz_mat3_inverse(&made.frame, &made.frame_inverse)) return GZ_SOLVE_NONE;
    struct gz_view_frame view = gz_sight_frame(&sight);
    set_axes(&made, gizmo, &view);
    bool pulls = part == GZ_PART_SCALE_FACE || part == GZ_PART_SCALE_CORNER;
    if (pulls && !hold_opposite(&made, gizmo)) return GZ_SOLVE_NONE;
    sight.shift = made.offset;
    made.gain = gizmo->size;
    made.typed_only = pointer == NULL;
    if (pointer != NULL) {
        choose_rule(&made, gizmo, tool, &sight);
        if (measure_press(&made, tool, &sight, mods) != GZ_SOLVE_OK) return GZ_SOLVE_NONE;
        gz_follow_init(&made.follow, &made.press_pointer, mods);
    }
    *drag = made;
    return GZ_SOLVE_OK;
}

/* ---- Solving ---- */

static enum gz_solve solve_ball(const struct gz_drag *drag, const struct gz_sight *sight,
                                uint32_t mods, struct gz_motion *motion)
{
    struct gz_ball_place ball = ball_of(drag);
    gz_vec3 now, axis;
    if (!gz_ball_point(&ball, sight, &now)) return GZ_SOLVE_KEPT;
    const gz_vec3 *press_point = &drag->ball_press;
    bool still = now.x == press_point->x && now.y == press_point->y && now.z == press_point->z;
    gz_quat turn =
        still ? gz_quat_identity : gz_ball_turn(drag->ball, *press_point, now, drag->ball_side);
    axis = (gz_vec3){turn.x, turn.y, turn.z};
    double value[2] = {2 * atan2(gz_length(axis), turn.w), 0};
    if (value[0] != 0 && snap_wanted(drag, mods)) {
        value[0] = snapped(drag, GZ_PART_BALL, 0, value[0]);
        if (!gz_normalize(axis, &axis)) axis = drag->ball_side;
        turn = gz_quat_about(axis, value[0]);
    }
    if (!make_motion(drag, value, motion)) return GZ_SOLVE_KEPT;
    motion->turn = turn;
    return GZ_SOLVE_OK;
}

static enum gz_solve solve_value(struct gz_drag *drag, const struct gz_camera *camera,
                                 const struct gz_pointer *pointer, const struct gz_sight *sight,
                                 double value[2], double *turn)
{
    struct gz_range range = range_of(drag, sight);
    double now[2];
    enum gz_solve result = measure(drag, sight, range, now);
    bool on_plane = drag->rule == GZ_RULE_PLANE || drag->rule == GZ_RULE_AXIS_PLANE;
    if (result == GZ_SOLVE_KEPT && on_plane)
        result = measure_on_the_way(drag, camera, pointer, range, now);
    if (result == GZ_SOLVE_KEPT) return GZ_SOLVE_KEPT;
    enum gz_solve limited = value_of(drag, sight, range, now, value, turn);
    return limited == GZ_SOLVE_OK ? result : limited;
}

/* Rounds the values onto the grid, unless nothing has moved: a press alone never jumps there. */
static void snap_values(const struct gz_drag *drag, double value[2], double *turn)
{
    enum gz_handle_part part = part_of(drag);
    bool still = is_scale(part) ? value[0] == 1 : value[0] == 0 && value[1] == 0;
    if (still) return;
    if (drag->snap.absolute && !is_scale(part) && !is_turn(part)) {
        snap_coordinates(drag, value);
        return;
    }
    for (int i = 0; i < gz_handle_value_count(drag->handle); i++)
        value[i] = snapped(drag, part, i, value[i]);
    *turn = remainder(value[0], two_pi);
}

static bool make_motion_by_angle(const struct gz_drag *drag, const double value[2], double turn,
                                 struct gz_motion *motion)
{
    if (!make_motion(drag, value, motion)) return false;
    if (motion->kind != GZ_MOTION_ROTATE) return true;
    gz_quat q = gz_quat_about(drag->turn_axis, turn);
    /* The other quaternion of the same turn after each whole one, so that what follows the node
     * from one pointer to the next turns no more than it does. */
    bool odd = fmod(rint((value[0] - turn) / two_pi), 2) != 0;
    motion->turn = odd ? gz_quat_opposite(q) : q;
    return true;
}

enum gz_solve gz_drag_solve(struct gz_drag *drag, const struct gz_camera *camera,
                            const struct gz_pointer *pointer, uint32_t mods,
                            struct gz_motion *motion)
{
    assert(drag != NULL && motion != NULL && (pointer != NULL || drag->typed_only));
    struct gz_sight sight;
    if (drag->typed_only || pointer->is_ray != drag->press_pointer.is_ray) return GZ_SOLVE_KEPT;
    if (!gz_pointer_usable(pointer)) return GZ_SOLVE_KEPT;
    const struct gz_pointer *followed = gz_follow_pointer(&drag->follow, pointer, mods);
    if (!init_sight(drag, &sight, camera, followed)) return GZ_SOLVE_KEPT;
    if (drag->rule == GZ_RULE_BALL) return solve_ball(drag, &sight, mods, motion);
    double value[2], turn = 0;
    enum gz_solve result = solve_value(drag, camera, followed, &sight, value, &turn);
    if (result == GZ_SOLVE_KEPT) return GZ_SOLVE_KEPT;
    if (snap_wanted(drag, mods)) snap_values(drag, value, &turn);
    return make_motion_by_angle(drag, value, turn, motion) ? result : GZ_SOLVE_KEPT;
}

/* If an edge-on ring is measured on its tangent, the place on the tangent stands for the visible
 * front half. */
static gz_vec3 tangent_arm(const struct gz_drag *drag, gz_vec3 front)
{
    double across = fmax(-1, fmin(1, drag->press[0] * drag->gain));
    return gz_add(gz_scale(front, sqrt(1 - across * across)), gz_scale(drag->axes[0], across));
}

bool gz_drag_ring(const struct gz_drag *drag, gz_vec3 *axis, gz_vec3 *arm)
{
    assert(drag != NULL && axis != NULL && arm != NULL);
    enum gz_handle_part part = part_of(drag);
    if (part != GZ_PART_RING && part != GZ_PART_VIEW_RING) return false;
    gz_vec3 first = drag->axes[0], made = first;
    if (drag->rule == GZ_RULE_RING_TANGENT)
        made = tangent_arm(drag, gz_cross(first, drag->turn_axis));
    else if (!drag->typed_only)
        made = gz_add(gz_scale(first, drag->press[0]), gz_scale(drag->axes[1], drag->press[1]));
    if (!gz_normalize(made, arm)) *arm = first;
    *axis = drag->turn_axis;
    return true;
}

enum gz_solve gz_drag_value(const struct gz_drag *drag, const double *value, int count,
                            struct gz_motion *motion)
{
    assert(drag != NULL && value != NULL && motion != NULL);
    enum gz_handle_part part = part_of(drag);
    if (count < 1 || count != gz_handle_value_count(drag->handle)) return GZ_SOLVE_NONE;
    const double pair[2] = {value[0], count > 1 ? value[1] : 0};
    if (!isfinite(pair[0]) || !isfinite(pair[1]) || (is_scale(part) && pair[0] == 0))
        return GZ_SOLVE_NONE;
    return make_motion_by_angle(drag, pair, remainder(pair[0], two_pi), motion) ? GZ_SOLVE_OK
                                                                                : GZ_SOLVE_NONE;
}
