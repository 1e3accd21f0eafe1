/* Axes and planes that move: under the pointer, never across, never behind the viewer. */
#include <math.h>

#include "property/solver_scene.h"

/* The image of the handle's axis at the press: where from, and its unit direction. False for an
 * axis that is less than a pixel long where its length is its depth. */
static bool axis_image(const struct scene *scene, double from[2], double along[2])
{
    struct reference reference;
    quad a[2], b[2];
    if (!reference_init(&reference, &scene->camera.input)) return false;
    quad3 origin = quad3_from(scene->drag.origin), axis = quad3_from(scene->drag.axes[0]);
    const quad step = (quad)1e-9;
    quad3 next = quad3_add(origin, quad3_scale(axis, step * scene->distance));
    if (!reference_project(&reference, origin, a) || !reference_project(&reference, next, b))
        return false;
    quad dx = b[0] - a[0], dy = b[1] - a[1], length = quad_sqrt(dx * dx + dy * dy);
    for (int i = 0; i < 2; i++) from[i] = (double)a[i];
    along[0] = (double)(dx / length);
    along[1] = (double)(dy / length);
    return length > step;
}

static void throw_axis(struct scene *scene, struct dice *dice)
{
    scene_throw(scene, dice, (enum parent_kind)dice_below(dice, PARENT_KINDS));
    scene->handle = dice_handle(dice, GZ_TX, GZ_TZ);
    scene->tool.edge_rad = 0;
}

/* The point that was grabbed, where it has gone. */
static gz_vec3 grabbed_point(const struct scene *scene)
{
    gz_vec3 pressed =
        gz_add(scene->drag.origin, gz_scale(scene->drag.axes[0], scene->drag.press[0]));
    return gz_add(pressed, scene->motion.translation);
}

TEST(test_axis_point_is_the_foot_of_the_pointer)
{
    struct dice dice = {test_seed() + 21};
    long drags = test_count(10000);
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        double from[2], along[2], at[2];
        throw_axis(&scene, &dice);
        if (!scene_start(&scene, &dice) || !axis_image(&scene, from, along)) continue;
        double x = dice_uniform(&dice, 0, 1920), y = dice_uniform(&dice, 0, 1080);
        if (scene_move_with(&scene, x, y, 0) != GZ_SOLVE_OK || scene.motion.kind == GZ_MOTION_NONE)
            continue;
        if (!gz_camera_project(&scene.camera, grabbed_point(&scene), at, NULL)) continue;
        /* Of the pointer's way to it nothing is along the axis. */
        double foot = (x - at[0]) * along[0] + (y - at[1]) * along[1];
        hold_near(foot, 0, 1e-6, n);
    }
}

TEST(test_pointer_across_the_axis_moves_nothing)
{
    struct dice dice = {test_seed() + 22};
    long drags = test_count(10000);
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        double from[2], along[2], px = dice_uniform(&dice, -500, 500);
        throw_axis(&scene, &dice);
        if (!scene_start(&scene, &dice) || !axis_image(&scene, from, along)) continue;
        if (!scene_move(&scene, scene.press.at[0] - px * along[1],
                        scene.press.at[1] + px * along[0]))
            continue;
        double here[2], there[2];
        gz_vec3 pressed = gz_sub(grabbed_point(&scene), scene.motion.translation);
        if (!gz_camera_project(&scene.camera, pressed, here, NULL)) continue;
        hold(gz_camera_project(&scene.camera, grabbed_point(&scene), there, NULL), n);
        hold_near(pixels_between(here, there), 0, 1e-6, n);
    }
}

/* Depths of the grabbed point along a ray of pixels: one way only, within the range, held at its
 * end. */
static void sweep_axis(struct scene *scene, const double along[2], double side, long n)
{
    double last = 0, first = 0;
    for (double px = 0; px < 1e7; px = px * 1.3 + 1) {
        double way = px * side;
        if (!scene_move(scene, scene->press.at[0] + way * along[0],
                        scene->press.at[1] + way * along[1]))
            continue;
        double value = scene->motion.value[0], w = 0, at[2];
        if (px > 0 && first == 0) first = value;
        hold(value * side >= 0, n);
        hold(fabs(value) >= fabs(last) * (1 - 1e-15), n);
        hold(gz_camera_project(&scene->camera, grabbed_point(scene), at, &w), n);
        if (scene->camera.perspective) {
            hold(w >= 0.999e-6 * scene->drag.depth && w <= 1.001e6 * scene->drag.depth, n);
            hold(scene->camera.near_w > scene->drag.depth || w >= 0.999 * scene->camera.near_w, n);
        }
        last = value;
    }
}

TEST(test_axis_is_monotone_and_stops_in_front_of_the_viewer)
{
    struct dice dice = {test_seed() + 23};
    long drags = test_count(10000) / 10;
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        double from[2], along[2];
        throw_axis(&scene, &dice);
        scene.target.parent = gz_affine_identity;
        scene.eye = dice_eye(&dice, scene.target.local.t, scene.distance);
        scene.tool.edge_rad = gz_tool_default.edge_rad;
        if (!scene_start(&scene, &dice) || !axis_image(&scene, from, along)) continue;
        if (scene.drag.rule != GZ_RULE_AXIS_SCREEN) continue;
        sweep_axis(&scene, along, 1, n);
        sweep_axis(&scene, along, -1, n);
        hold(scene_move(&scene, scene.press.at[0], scene.press.at[1]), n);
        hold(gz_trs_same(&scene.now, &scene.target.local), n);
    }
}

/* Metres per pixel of a z handle `degrees` from the line of sight, each law along its own direction
 * on the screen. */
static double gain_at(struct scene *scene, gz_vec3 sight, gz_vec3 across, double degrees)
{
    double a = degrees * DEGREES, from[2], along[2] = {0, 1};
    gz_vec3 axis = gz_add(gz_scale(sight, -cos(a)), gz_scale(across, sin(a))),
            side = gz_cross(axis, across);
    gz_mat3 turn = {gz_cross(side, axis), side, axis};
    assert_true(gz_normalize(turn.x, &turn.x) && gz_normalize(turn.y, &turn.y));
    turn.x = gz_cross(turn.y, turn.z);
    scene->target.local.r = gz_quat_from_mat3(&turn);
    if (!scene_build(scene) || !scene_press_point(scene, scene->gizmo.origin)) return 0;
    if (scene->drag.rule == GZ_RULE_AXIS_SCREEN && !axis_image(scene, from, along)) return 0;
    if (!scene_move(scene, scene->press.at[0] + 0.01 * along[0],
                    scene->press.at[1] + 0.01 * along[1]))
        return 0;
    return fabs(scene->motion.value[0]) / 0.01;
}

TEST(test_gain_hardly_jumps_where_the_pixel_law_begins)
{
    struct dice dice = {test_seed() + 24};
    long drags = test_count(10000) / 4;
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        gz_vec3 sight, across;
        scene_throw(&scene, &dice, PARENT_NONE);
        scene.tool.space = GZ_SPACE_LOCAL;
        scene.handle = GZ_TZ;
        if (!scene_build(&scene)) continue;
        sight = gz_negate(scene.camera.backward);
        if (scene.camera.perspective &&
            !gz_normalize(gz_sub(scene.gizmo.origin, scene.camera.eye), &sight))
            continue;
        if (!gz_normalize(gz_cross(sight, dice_direction(&dice)), &across)) continue;
        double law = gain_at(&scene, sight, across, 4.999);
        hold(scene.drag.rule == GZ_RULE_AXIS_PIXELS || law == 0, n);
        double exact = gain_at(&scene, sight, across, 5.001);
        hold(scene.drag.rule == GZ_RULE_AXIS_SCREEN || exact == 0, n);
        if (law == 0 || exact == 0) continue;
        hold(law / exact < 2 && exact / law < 2, n);
    }
}

/* Where the grabbed point of a plane drag is seen for this place of the pointer; never nearer to
 * the horizon than the edge's fiftieth. */
static void see_plane_point(struct scene *scene, const double at[2], double image[2], long n)
{
    const gz_vec3 *axes = scene->drag.axes;
    const double *press = scene->drag.press;
    gz_vec3 normal, ray, pressed = gz_add(gz_scale(axes[0], press[0]), gz_scale(axes[1], press[1]));
    assert_true(gz_normalize(gz_cross(axes[0], axes[1]), &normal));
    hold(scene_move(scene, at[0], at[1]), n);
    gz_vec3 hit = gz_add(gz_add(scene->drag.origin, pressed), scene->motion.translation);
    hold(gz_camera_project(&scene->camera, hit, image, NULL), n);
    hold(gz_normalize(gz_sub(hit, scene->camera.eye), &ray), n);
    hold(fabs(gz_dot(ray, normal)) > sin(5 * DEGREES) / 50 * (1 - 1e-6), n);
}

/* Whether the image still leaps when the pointer's step is halved again and again. Where the way
 * out is nearly along the horizon the image may be quick, but it must not leap. */
static bool leaps(struct scene *scene, const double a[2], const double b[2], int halvings, long n)
{
    double from[2], to[2];
    const double middle[2] = {(a[0] + b[0]) / 2, (a[1] + b[1]) / 2};
    see_plane_point(scene, a, from, n);
    see_plane_point(scene, b, to, n);
    if (pixels_between(from, to) < fmax(3 * pixels_between(a, b), 0.01)) return false;
    if (halvings == 0) return true;
    return leaps(scene, a, middle, halvings - 1, n) || leaps(scene, middle, b, halvings - 1, n);
}

/* A plane drag led across the plane's horizon in small steps. */
static void cross_horizon(struct scene *scene, const double to[2], long n)
{
    double last[2] = {scene->press.at[0], scene->press.at[1]};
    for (int step = 1; step <= 2000; step++) {
        double part = step / 2000.0, slide = 37 * sin(5 * part);
        const double at[2] = {scene->press.at[0] + part * (to[0] - scene->press.at[0]) + slide,
                              scene->press.at[1] + part * (to[1] - scene->press.at[1]) - slide};
        hold(!leaps(scene, last, at, 20, n), n);
        last[0] = at[0];
        last[1] = at[1];
    }
}

TEST(test_plane_is_left_and_entered_without_a_jump_at_its_horizon)
{
    struct dice dice = {test_seed() + 25};
    long drags = test_count(10000) / 100;
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        scene_throw(&scene, &dice, PARENT_NONE);
        scene.handle = dice_handle(&dice, GZ_TXY, GZ_TZX);
        scene.eye.orthographic = false;
        if (!scene_start(&scene, &dice)) continue;
        const double to[2] = {dice_uniform(&dice, -500, 2500), dice_uniform(&dice, -500, 1500)};
        cross_horizon(&scene, to, n);
    }
}

TEST(test_motion_stays_in_the_handles_own_direction)
{
    struct dice dice = {test_seed() + 26};
    long drags = test_count(10000);
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        throw_axis(&scene, &dice);
        scene.tool.space = dice_below(&dice, 2) ? GZ_SPACE_LOCAL : GZ_SPACE_PARENT;
        if (!scene_start(&scene, &dice)) continue;
        double x = scene.press.at[0] + dice_uniform(&dice, -200, 200);
        if (!scene_move(&scene, x, scene.press.at[1] + dice_uniform(&dice, -200, 200))) continue;
        int axis = (int)scene.handle - GZ_TX;
        gz_vec3 d = gz_sub(scene.now.t, scene.target.local.t),
                along = {axis == 0, axis == 1, axis == 2};
        if (scene.tool.space == GZ_SPACE_LOCAL) along = gz_rotate(scene.target.local.r, along);
        double length = gz_length(d),
               rounding = 4e-16 * (gz_length(scene.now.t) + gz_length(scene.target.local.t));
        hold_near(gz_length(gz_cross(d, along)), 0, 1e-12 * length + rounding, n);
    }
}

int main(void)
{
    return run_properties();
}
