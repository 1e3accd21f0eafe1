/* stage.c - a camera, a node and a drag in a line each. See stage.h. */
#include "unit/solver/stage.h"

static struct gz_camera prepare(gz_vec3 eye, gz_vec3 target, bool ortho, double height)
{
    struct gz_camera_input input = {.viewport = {0, 0, 1920, 1080}};
    gz_vec3 backward, right, up = {0, 1, 0};
    assert_true(gz_normalize(gz_sub(eye, target), &backward));
    if (fabs(backward.y) > 0.999) up = (gz_vec3){0, 0, -1};
    assert_true(gz_normalize(gz_cross(up, backward), &right));
    up = gz_cross(backward, right);
    gz_mat3 rows = {right, up, backward}, linear = gz_mat3_transpose(&rows);
    gz_affine view = {linear, gz_negate(gz_mat3_apply(&linear, eye))};
    gz_affine_to_matrix(&view, input.view);
    double zoom = ortho ? 2 / height : 1 / tan(30 * DEGREES), n = 0.1, f = 1000;
    input.proj[0] = zoom * 1080 / 1920;
    input.proj[5] = zoom;
    input.proj[10] = ortho ? -2 / (f - n) : -(f + n) / (f - n);
    input.proj[14] = ortho ? -(f + n) / (f - n) : -2 * f * n / (f - n);
    input.proj[11] = ortho ? 0 : -1;
    input.proj[15] = ortho ? 1 : 0;
    struct gz_camera camera;
    const char *why = "";
    if (!gz_camera_prepare(&camera, &input, &why)) fail_msg("%s", why);
    return camera;
}

struct gz_camera camera_at(double x, double y, double z)
{
    return prepare((gz_vec3){x, y, z}, (gz_vec3){x, y, z - 1}, false, 0);
}

struct gz_camera camera_look(gz_vec3 eye, gz_vec3 target)
{
    return prepare(eye, target, false, 0);
}

struct gz_camera camera_ortho(gz_vec3 eye, gz_vec3 target, double height)
{
    return prepare(eye, target, true, height);
}

struct gz_target node_at(double x, double y, double z)
{
    struct gz_target target = {gz_trs_identity, gz_affine_identity, NULL};
    target.local.t = (gz_vec3){x, y, z};
    return target;
}

struct stage stage_of(struct gz_camera camera, struct gz_target target)
{
    struct stage stage = {
        .camera = camera, .target = target, .tool = gz_tool_default, .motion = gz_motion_none};
    stage.tool.mode = GZ_MODE_UNIVERSAL;
    stage_build(&stage);
    return stage;
}

void stage_build(struct stage *stage)
{
    assert_true(
        gz_gizmo_build(&stage->gizmo, &stage->tool, &stage->camera, NULL, &stage->target, 1, 0));
}

void stage_image(const struct stage *stage, gz_vec3 point, double at[2])
{
    assert_true(gz_camera_project(&stage->camera, point, at, NULL));
}

enum gz_solve stage_press(struct stage *stage, enum gz_handle handle, double x, double y)
{
    const struct gz_pointer pointer = {.at = {x, y}};
    stage->motion = gz_motion_none;
    return gz_drag_begin(&stage->drag, handle, &stage->gizmo, &stage->tool, &stage->camera,
                         &pointer, 0);
}

enum gz_solve stage_press_point(struct stage *stage, enum gz_handle handle, gz_vec3 point)
{
    double at[2];
    stage_image(stage, point, at);
    return stage_press(stage, handle, at[0], at[1]);
}

enum gz_solve stage_move_with(struct stage *stage, double x, double y, uint32_t mods)
{
    const struct gz_pointer pointer = {.at = {x, y}};
    stage->solved = gz_drag_solve(&stage->drag, &stage->camera, &pointer, mods, &stage->motion);
    assert_true(gz_motion_apply(&stage->motion, &stage->target, &stage->target.parent, &stage->now,
                                &stage->residual));
    return stage->solved;
}

enum gz_solve stage_move(struct stage *stage, double x, double y)
{
    return stage_move_with(stage, x, y, 0);
}

enum gz_solve stage_move_point(struct stage *stage, gz_vec3 point)
{
    double at[2];
    stage_image(stage, point, at);
    return stage_move(stage, at[0], at[1]);
}
