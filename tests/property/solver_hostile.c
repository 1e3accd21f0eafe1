/* solver_hostile.c - runs the whole solver on any numbers and checks its promises. See
 * solver_hostile.h. */
#include "property/solver_hostile.h"

#include <math.h>
#include <string.h>

#include "server/maxima.h"
#include "solver/solver.h"

static uint8_t take_byte(struct supply *supply)
{
    return supply->used < supply->size ? supply->bytes[supply->used++] : 0;
}

/* A byte chooses: usual numbers are needed to get anywhere, any bits at all to get into trouble. */
static double take_number(struct supply *supply)
{
    static const double usual[] = {0,   1,   -1,   0.5, 2,    -3,    10,   100,
                                   540, 960, 1e-3, 1e6, -1e6, 1e-15, 1e15, -0.0};
    uint8_t kind = take_byte(supply);
    if (kind < 240) return usual[kind % 16] + (kind / 16) * 0.0625;
    double value = 0;
    uint8_t bytes[sizeof value];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = take_byte(supply);
    memcpy(&value, bytes, sizeof value);
    return value;
}

static gz_vec3 take_vec3(struct supply *supply)
{
    gz_vec3 v;
    v.x = take_number(supply);
    v.y = take_number(supply);
    v.z = take_number(supply);
    return v;
}

static struct gz_pointer take_pointer(struct supply *supply)
{
    struct gz_pointer pointer = {.is_ray = take_byte(supply) % 4 == 0};
    pointer.at[0] = take_number(supply);
    pointer.at[1] = take_number(supply);
    pointer.origin = take_vec3(supply);
    pointer.direction = take_vec3(supply);
    return pointer;
}

static struct gz_camera_input take_camera(struct supply *supply)
{
    struct gz_camera_input input = {.view = {[0] = 1, [5] = 1, [10] = 1, [15] = 1},
                                    .proj = {[0] = 1, [5] = 1.7, [10] = -1, [11] = -1, [14] = -0.2},
                                    .viewport = {0, 0, 1920, 1080}};
    input.view[14] = -5;
    for (int changes = take_byte(supply) % 16; changes > 0; changes--) {
        int place = take_byte(supply) % 36;
        double *numbers = place < 16 ? input.view : place < 32 ? input.proj : input.viewport;
        numbers[place % 16] = take_number(supply);
    }
    input.ndc_y_down = take_byte(supply) & 1;
    input.left_handed = take_byte(supply) & 1;
    return input;
}

static struct gz_tool take_tool(struct supply *supply)
{
    struct gz_tool tool = gz_tool_default;
    tool.mode = (enum gz_mode)(take_byte(supply) % GZ_MODE_COUNT);
    tool.space = (enum gz_space)(take_byte(supply) % GZ_SPACE_COUNT);
    tool.pivot = (enum gz_pivot)(take_byte(supply) % GZ_PIVOT_COUNT);
    tool.axis_method = (enum gz_axis_method)(take_byte(supply) % GZ_AXIS_COUNT);
    tool.ball = (enum gz_ball)(take_byte(supply) % GZ_BALL_COUNT);
    tool.ball_fit = (enum gz_ball_fit)(take_byte(supply) % GZ_FIT_COUNT);
    tool.mirror = take_byte(supply) & 1;
    if (take_byte(supply) & 1) {
        tool.pivot_point = take_vec3(supply);
        tool.snap = (struct gz_snap){take_number(supply), take_number(supply), take_number(supply),
                                     true, false};
        tool.snap.absolute = take_byte(supply) & 1;
        tool.size_px = take_number(supply);
        tool.tolerance_px = take_number(supply);
        tool.edge_rad = take_number(supply);
        tool.ball_circle[2] = take_number(supply);
    }
    return tool;
}

static struct gz_target take_target(struct supply *supply, gz_box *box)
{
    struct gz_target target = {gz_trs_identity, gz_affine_identity, NULL};
    if (take_byte(supply) & 1) {
        target.local.t = take_vec3(supply);
        gz_vec3 v = take_vec3(supply);
        (void)gz_quat_normalize((gz_quat){v.x, v.y, v.z, 1}, &target.local.r);
        target.local.s = take_vec3(supply);
        target.parent.linear.x = take_vec3(supply);
        target.parent.linear.y = take_vec3(supply);
        target.parent.origin = take_vec3(supply);
    }
    box->min = take_vec3(supply);
    box->max = take_vec3(supply);
    if (take_byte(supply) & 1) target.bounds = box;
    return target;
}

static bool within(gz_vec3 v, double low)
{
    const double *numbers[] = {&v.x, &v.y, &v.z};
    for (int i = 0; i < 3; i++)
        if (!(fabs(*numbers[i]) <= GZ_COORDINATE_MAX && fabs(*numbers[i]) >= low)) return false;
    return true;
}

static const char *check_motion(const struct gz_motion *motion, const struct gz_target *target)
{
    gz_trs now;
    if (!isfinite(motion->value[0]) || !isfinite(motion->value[1]))
        return "a motion's value is not finite";
    if (!gz_motion_apply(motion, target, &target->parent, &now, NULL)) return NULL;
    if (motion->kind == GZ_MOTION_NONE)
        return gz_trs_same(&now, &target->local) ? NULL : "no motion changed bits";
    const gz_vec3 *s = &target->local.s; /* what is 0 stays 0 */
    if (now.s.x == 0 && s->x == 0) now.s.x = 1;
    if (now.s.y == 0 && s->y == 0) now.s.y = 1;
    if (now.s.z == 0 && s->z == 0) now.s.z = 1;
    if (!within(now.t, 0) || !within(now.s, GZ_SCALE_MIN) || !gz_finite_quat(now.r))
        return "a transform is out of bounds";
    return NULL;
}

static const char *run_drag(struct supply *supply, const struct gz_gizmo *gizmo,
                            const struct gz_tool *tool, const struct gz_camera *camera,
                            const struct gz_target *target)
{
    struct gz_pointer press = take_pointer(supply);
    struct gz_motion motion = gz_motion_none;
    struct gz_drag drag;
    enum gz_handle picked = gz_gizmo_pick(gizmo, tool, camera, &press);
    enum gz_handle handle = (enum gz_handle)(take_byte(supply) % (GZ_HANDLE_COUNT + 1));
    if (picked != GZ_HANDLE_NONE && (gizmo->handles & GZ_HANDLE_BIT(picked)) == 0)
        return "a hidden handle was picked";
    if (gz_drag_begin(&drag, handle, gizmo, tool, camera, &press, 0) != GZ_SOLVE_OK) return NULL;
    for (int move = 0; move < 4; move++) {
        struct gz_pointer pointer = take_pointer(supply);
        (void)gz_drag_solve(&drag, camera, &pointer, take_byte(supply) & 3, &motion);
        const char *fault = check_motion(&motion, target);
        if (fault != NULL) return fault;
    }
    const double typed[2] = {take_number(supply), take_number(supply)};
    (void)gz_drag_value(&drag, typed, 1 + (take_byte(supply) & 1), &motion);
    return check_motion(&motion, target);
}

static const char *run_rest(struct supply *supply, const struct gz_gizmo *gizmo,
                            const struct gz_tool *tool, const struct gz_camera *camera,
                            const struct gz_target *target)
{
    static struct gz_segment lines[GZ_GIZMO_LINES_MAX];
    const double rect[4] = {take_number(supply), take_number(supply), take_number(supply),
                            take_number(supply)};
    gz_affine own = gz_affine_from_trs(&target->local),
              world = gz_affine_multiply(&target->parent, &own);
    struct gz_pointer pointer = take_pointer(supply);
    struct gz_orbit orbit;
    double distance = 0, view[16] = {0};
    gz_vec3 point = {0, 0, 0};
    bool inside;
    size_t count =
        gz_gizmo_lines(gizmo, tool, camera, GZ_TX, GZ_HANDLE_NONE, lines, GZ_GIZMO_LINES_MAX);
    for (size_t i = 0; i < count; i++)
        if (!gz_finite(lines[i].from) || !gz_finite(lines[i].to)) return "a line is not finite";
    if (gz_pick_node(camera, &pointer, &world, target->bounds, 8, &distance, &point) &&
        !isfinite(distance))
        return "a distance is not finite";
    if (camera == NULL) return NULL;
    (void)gz_pick_rect(camera, rect, &world, target->bounds, &inside);
    struct gz_tool turning = *tool;
    for (turning.orbit = GZ_ORBIT_BALL; turning.orbit < GZ_ORBIT_LAW_COUNT; turning.orbit++) {
        if (gz_orbit_begin(&orbit, &turning, camera, target->local.t, &pointer) != GZ_SOLVE_OK)
            continue;
        struct gz_pointer move = take_pointer(supply);
        (void)gz_orbit_solve(&orbit, &move, 0, view);
    }
    (void)gz_orbit_dolly(camera, target->local.t, take_number(supply), view);
    for (int i = 0; i < 16; i++)
        if (!isfinite(view[i])) return "a view is not finite";
    return NULL;
}

const char *hostile_run(struct supply *supply)
{
    struct gz_camera_input input = take_camera(supply);
    struct gz_tool tool = take_tool(supply);
    gz_box box;
    struct gz_target target = take_target(supply, &box);
    struct gz_camera camera;
    const struct gz_camera *used = NULL;
    struct gz_gizmo gizmo;
    if (take_byte(supply) % 8 != 0) {
        if (!gz_camera_prepare(&camera, &input, NULL)) return NULL;
        used = &camera;
    }
    if (!gz_gizmo_build(&gizmo, &tool, used, NULL, &target, 1, 0)) return NULL;
    const char *fault = run_drag(supply, &gizmo, &tool, used, &target);
    return fault != NULL ? fault : run_rest(supply, &gizmo, &tool, used, &target);
}
