/* solver_scene.c - makes one random drag. See solver_scene.h. */
#include "property/solver_scene.h"

#include <math.h>

static double signed_scale(struct dice *dice)
{
    double scale = dice_scale(dice, 0.1, 10);
    return dice_below(dice, 2) ? scale : -scale;
}

gz_trs dice_trs(struct dice *dice)
{
    gz_trs trs;
    trs.t = gz_scale(dice_direction(dice), dice_uniform(dice, 0, 10));
    trs.r = dice_rotation(dice);
    trs.s.x = signed_scale(dice);
    trs.s.y = signed_scale(dice);
    trs.s.z = signed_scale(dice);
    return trs;
}

gz_affine dice_parent(struct dice *dice, enum parent_kind kind)
{
    if (kind == PARENT_NONE) return gz_affine_identity;
    gz_trs outer = dice_trs(dice), inner = dice_trs(dice);
    double size = fabs(outer.s.x), mirrored = kind == PARENT_MIRRORED ? -size : size;
    if (kind == PARENT_UNIFORM || kind == PARENT_MIRRORED)
        outer.s = (gz_vec3){mirrored, size, size};
    gz_affine above = gz_affine_from_trs(&outer), below = gz_affine_from_trs(&inner);
    return kind == PARENT_SHEARED ? gz_affine_multiply(&above, &below) : above;
}

enum gz_handle dice_handle(struct dice *dice, enum gz_handle first, enum gz_handle last)
{
    return (enum gz_handle)((int)first + dice_below(dice, (int)last - (int)first + 1));
}

static gz_vec3 along(gz_vec3 from, gz_vec3 direction, double length)
{
    return gz_add(from, gz_scale(direction, length));
}

gz_vec3 scene_grip(const struct gz_gizmo *g, const struct gz_camera *camera, enum gz_handle handle,
                   struct dice *dice)
{
    double a = dice_uniform(dice, 0.5, 0.9) * g->size, b = dice_uniform(dice, 0.5, 0.75) * g->size;
    double angle = dice_uniform(dice, -3, 3);
    const gz_vec3 *axes = handle >= GZ_SX ? g->scale_axes : g->axes;
    int i = (handle - GZ_TX) % 3, j = (i + 1) % 3;
    switch (handle) {
    case GZ_TX:
    case GZ_TY:
    case GZ_TZ: return along(g->origin, g->axes[handle - GZ_TX], a);
    case GZ_SX:
    case GZ_SY:
    case GZ_SZ: return along(g->origin, g->scale_axes[handle - GZ_SX], a);
    case GZ_TXY:
    case GZ_TYZ:
    case GZ_TZX: return along(along(g->origin, axes[i], a), axes[j], b);
    case GZ_SXY:
    case GZ_SYZ:
    case GZ_SZX:
        i = handle - GZ_SXY;
        return along(along(g->origin, axes[i], a), axes[(i + 1) % 3], b);
    case GZ_RX:
    case GZ_RY:
    case GZ_RZ:
        i = handle - GZ_RX;
        return along(along(g->origin, g->turn_axes[(i + 1) % 3], g->size * cos(angle)),
                     g->turn_axes[(i + 2) % 3], g->size * sin(angle));
    default:
        return along(along(g->origin, camera->right, a * cos(angle)), camera->up, a * sin(angle));
    }
}

void scene_throw(struct scene *scene, struct dice *dice, enum parent_kind kind)
{
    memset(scene, 0, sizeof *scene);
    scene->target.local = dice_trs(dice);
    scene->target.parent = dice_parent(dice, kind);
    scene->distance = dice_scale(dice, 0.5, 50);
    scene->eye = dice_eye(dice, gz_affine_apply(&scene->target.parent, scene->target.local.t),
                          scene->distance);
    scene->tool = gz_tool_default;
    scene->tool.mode = GZ_MODE_UNIVERSAL;
    scene->tool.space = (enum gz_space)dice_below(dice, GZ_SPACE_COUNT);
    scene->handle = dice_handle(dice, GZ_TX, GZ_SU);
}

bool scene_build(struct scene *scene)
{
    struct gz_camera_input input = eye_matrices(&scene->eye);
    return gz_camera_prepare(&scene->camera, &input, NULL) &&
           gz_gizmo_build(&scene->gizmo, &scene->tool, &scene->camera, NULL, &scene->target, 1, 0);
}

bool scene_press(struct scene *scene, double x, double y)
{
    scene->press = (struct gz_pointer){.at = {x, y}};
    return gz_drag_begin(&scene->drag, scene->handle, &scene->gizmo, &scene->tool, &scene->camera,
                         &scene->press, 0) == GZ_SOLVE_OK;
}

bool scene_press_point(struct scene *scene, gz_vec3 point)
{
    double at[2];
    return gz_camera_project(&scene->camera, point, at, NULL) && scene_press(scene, at[0], at[1]);
}

bool scene_start(struct scene *scene, struct dice *dice)
{
    double at[2];
    if (!scene_build(scene)) return false;
    gz_vec3 grip = scene_grip(&scene->gizmo, &scene->camera, scene->handle, dice);
    double dx = dice_uniform(dice, -3, 3), dy = dice_uniform(dice, -3, 3);
    return gz_camera_project(&scene->camera, grip, at, NULL) &&
           scene_press(scene, at[0] + dx, at[1] + dy);
}

enum gz_solve scene_move_with(struct scene *scene, double x, double y, uint32_t mods)
{
    const struct gz_pointer pointer = {.at = {x, y}};
    scene->motion = gz_motion_none;
    scene->now = scene->target.local;
    enum gz_solve solved =
        gz_drag_solve(&scene->drag, &scene->camera, &pointer, mods, &scene->motion);
    bool applied = gz_motion_apply(&scene->motion, &scene->target, &scene->target.parent,
                                   &scene->now, &scene->residual);
    return applied ? solved : GZ_SOLVE_KEPT;
}

bool scene_move(struct scene *scene, double x, double y)
{
    return scene_move_with(scene, x, y, 0) != GZ_SOLVE_KEPT;
}

bool scene_move_point(struct scene *scene, gz_vec3 point)
{
    double at[2];
    return gz_camera_project(&scene->camera, point, at, NULL) && scene_move(scene, at[0], at[1]);
}

gz_affine world_of(const gz_affine *parent, const gz_trs *local)
{
    gz_affine own = gz_affine_from_trs(local);
    return gz_affine_multiply(parent, &own);
}

static double length_of(const gz_mat3 *m)
{
    return sqrt(gz_dot(m->x, m->x) + gz_dot(m->y, m->y) + gz_dot(m->z, m->z));
}

double affine_off(const gz_affine *a, const gz_affine *b)
{
    const gz_mat3 *m = &a->linear, *n = &b->linear;
    const gz_mat3 d = {gz_sub(m->x, n->x), gz_sub(m->y, n->y), gz_sub(m->z, n->z)};
    double linear = length_of(&d) / fmax(length_of(m), length_of(n));
    double size = fmax(gz_length(a->origin), gz_length(b->origin));
    double origin = size > 0 ? gz_length(gz_sub(a->origin, b->origin)) / size : 0;
    return fmax(linear, origin);
}

double quat_off(gz_quat a, gz_quat b)
{
    gz_quat d = gz_quat_multiply(gz_quat_conjugate(a), b);
    return 2 * atan2(sqrt(d.x * d.x + d.y * d.y + d.z * d.z), fabs(d.w));
}

double pixels_between(const double a[2], const double b[2])
{
    return hypot(a[0] - b[0], a[1] - b[1]);
}

bool same_bits(const void *a, const void *b, size_t size)
{
    return memcmp(a, b, size) == 0;
}
