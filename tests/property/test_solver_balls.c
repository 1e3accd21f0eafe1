/* Balls: under the pointer in perspective, closed over closed paths, without cliffs, the right way
 * round. */
#include <math.h>

#include "property/solver_scene.h"

static void throw_ball(struct scene *scene, struct dice *dice, enum gz_ball ball)
{
    scene_throw(scene, dice, PARENT_NONE);
    scene->handle = GZ_RB;
    scene->tool.mode = GZ_MODE_ARCBALL;
    scene->tool.ball = ball;
    scene->tool.size_px = dice_scale(dice, 20, 600);
}

/* A place in radii from the ball's image. */
static void ball_place(const struct scene *scene, double radius, double angle, double at[2])
{
    double centre[2] = {0, 0};
    (void)gz_camera_project(&scene->camera, scene->gizmo.origin, centre, NULL);
    at[0] = centre[0] + radius * scene->tool.size_px * cos(angle);
    at[1] = centre[1] + radius * scene->tool.size_px * sin(angle);
}

static bool press_ball(struct scene *scene, double radius, double angle)
{
    double at[2];
    ball_place(scene, radius, angle, at);
    return scene_press(scene, at[0], at[1]);
}

static bool move_ball(struct scene *scene, double radius, double angle)
{
    double at[2];
    ball_place(scene, radius, angle, at);
    return scene_move(scene, at[0], at[1]);
}

/* Whether the ray is within 99.9 % of the sphere's radius from its centre. */
static bool in_silhouette(const struct scene *scene, const struct reference *reference,
                          const double at[2])
{
    const quad pixel[2] = {at[0], at[1]};
    quad3 from, along, centre = quad3_from(scene->gizmo.origin);
    if (!reference_ray(reference, pixel, &from, &along)) return false;
    quad miss = quad3_length(quad3_cross(quad3_sub(from, centre), along)) / quad3_length(along);
    return miss < (quad)0.999 * scene->gizmo.size;
}

TEST(test_grabbed_point_stays_under_the_pointer)
{
    struct dice dice = {test_seed() + 81};
    long drags = test_count(10000), found = 0;
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        struct reference reference;
        throw_ball(&scene, &dice, GZ_BALL_EXACT);
        if (!scene_build(&scene) || !reference_init(&reference, &scene.camera.input)) continue;
        double to[2], at[2];
        if (!press_ball(&scene, dice_uniform(&dice, 0, 1), dice_uniform(&dice, -3, 3))) continue;
        ball_place(&scene, dice_uniform(&dice, 0, 1.2), dice_uniform(&dice, -3, 3), to);
        if (!in_silhouette(&scene, &reference, scene.press.at) ||
            !in_silhouette(&scene, &reference, to))
            continue;
        if (scene.camera.perspective &&
            gz_length(gz_sub(scene.camera.eye, scene.gizmo.origin)) < scene.gizmo.size)
            continue;                       /* from within there is no silhouette */
        if (scene.drag.flat_ball) continue; /* nor is one from so near */
        hold(scene_move(&scene, to[0], to[1]), n);
        gz_vec3 arm =
            gz_scale(gz_rotate(scene.motion.turn, scene.drag.ball_press), scene.gizmo.size);
        hold(gz_camera_project(&scene.camera, gz_add(scene.gizmo.origin, arm), at, NULL), n);
        hold_near(pixels_between(at, to), 0, 1e-6, n);
        found++;
    }
    hold(found > drags / 4, drags);
}

TEST(test_closed_paths_return)
{
    struct dice dice = {test_seed() + 82};
    long drags = test_count(10000) / 10;
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        throw_ball(&scene, &dice, (enum gz_ball)dice_below(&dice, GZ_BALL_COUNT));
        double radius = dice_uniform(&dice, 0, 1.5), angle = dice_uniform(&dice, -3, 3);
        if (!scene_build(&scene) || !press_ball(&scene, radius, angle)) continue;
        bool solved = true;
        for (int step = 1; step < 50 && solved; step++)
            solved =
                move_ball(&scene, radius * (1 + 0.3 * sin(step)), angle + step * 2 * M_PI / 50);
        if (!solved) continue;
        hold(scene_move(&scene, scene.press.at[0], scene.press.at[1]), n);
        hold(gz_trs_same(&scene.now, &scene.target.local), n);
        hold(scene_move(&scene, nextafter(scene.press.at[0], 1e9), scene.press.at[1]), n);
        bool steep =
            radius > 0.99 &&
            radius < 1.01; /* there a last bit of a pixel is more than a last bit of a turn */
        if (!steep) hold_near(quat_off(scene.now.r, scene.target.local.r), 0, 1e-12, n);
    }
}

static double quat_difference(gz_quat a, gz_quat b)
{
    double s = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w < 0 ? -1 : 1;
    return fmax(fmax(fabs(a.x - s * b.x), fabs(a.y - s * b.y)),
                fmax(fabs(a.z - s * b.z), fabs(a.w - s * b.w)));
}

TEST(test_double_arcs_join)
{
    struct dice dice = {test_seed() + 83};
    long drags = test_count(10000);
    double worst = 0;
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        double at[3][2];
        throw_ball(&scene, &dice, GZ_BALL_SHOEMAKE);
        if (!scene_build(&scene)) continue;
        for (int i = 0; i < 3; i++)
            ball_place(&scene, dice_uniform(&dice, 0, 1.3), dice_uniform(&dice, -3, 3), at[i]);
        hold(scene_press(&scene, at[0][0], at[0][1]) && scene_move(&scene, at[2][0], at[2][1]), n);
        gz_quat whole = scene.motion.turn;
        hold(scene_move(&scene, at[1][0], at[1][1]), n);
        gz_quat first = scene.motion.turn;
        hold(scene_press(&scene, at[1][0], at[1][1]) && scene_move(&scene, at[2][0], at[2][1]), n);
        double off = quat_difference(gz_quat_multiply(scene.motion.turn, first), whole);
        worst = fmax(worst, off);
    }
    print_message("largest difference of a component: %.2g\n", worst);
    hold(worst <= 1e-15, drags);
}

/* Two radians to the radius, wherever the pointer is, on Bell's sheet. */
TEST(test_bell_has_a_bounded_gain_everywhere)
{
    struct dice dice = {test_seed() + 84};
    long drags = test_count(10000);
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        throw_ball(&scene, &dice, GZ_BALL_BELL);
        double radius = dice_scale(&dice, 1e-3, 100), angle = dice_uniform(&dice, -3, 3);
        double heading = dice_uniform(&dice, -3, 3), step = 1e-4 * scene.tool.size_px, at[2];
        if (!scene_build(&scene)) continue;
        hold(press_ball(&scene, radius, angle), n);
        ball_place(&scene, radius, angle, at);
        hold(scene_move(&scene, at[0] + step * cos(heading), at[1] + step * sin(heading)), n);
        double gain = scene.motion.value[0] / 1e-4;
        hold(gain <= 2, n);
        /* C1: as much the other way. */
        hold(scene_move(&scene, at[0] - step * cos(heading), at[1] - step * sin(heading)), n);
        hold_near(scene.motion.value[0] / 1e-4, gain, 1e-3, n);
    }
}

TEST(test_every_ball_answers_over_the_whole_plane)
{
    struct dice dice = {test_seed() + 85};
    long drags = test_count(10000);
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        throw_ball(&scene, &dice, (enum gz_ball)dice_below(&dice, GZ_BALL_COUNT));
        scene.tool.ball_fit = (enum gz_ball_fit)dice_below(&dice, GZ_FIT_COUNT);
        if (!scene_build(&scene)) continue;
        for (int i = 0; i < 4; i++) {
            hold(scene_press(&scene, dice_uniform(&dice, -9999, 9999),
                             dice_uniform(&dice, -9999, 9999)),
                 n);
            hold(scene_move(&scene, dice_uniform(&dice, -9999, 9999),
                            dice_uniform(&dice, -9999, 9999)),
                 n);
            hold(gz_trs_finite(&scene.now) && scene.motion.value[0] <= 2 * M_PI, n);
        }
    }
}

TEST(test_opposite_point_has_one_axis)
{
    struct dice dice = {test_seed() + 86};
    long drags = test_count(10000);
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        throw_ball(&scene, &dice, GZ_BALL_CHEN);
        double angle = dice_uniform(&dice, -3, 3);
        if (!scene_build(&scene)) continue;
        hold(press_ball(&scene, 3, angle) && move_ball(&scene, 3, angle + M_PI), n);
        gz_trs opposite = scene.now;
        hold_near(scene.motion.value[0], M_PI, 1e-6, n);
        hold(move_ball(&scene, 0.4, angle + 1) && move_ball(&scene, 3, angle + M_PI), n);
        hold(gz_trs_same(&scene.now, &opposite), n);
    }
}

TEST(test_front_follows_the_pointer_in_every_convention)
{
    struct dice dice = {test_seed() + 87};
    long drags = test_count(10000);
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        throw_ball(&scene, &dice, (enum gz_ball)dice_below(&dice, GZ_BALL_COUNT));
        scene.eye.y_down = n % 2 == 1;
        scene.eye.left_handed = n / 2 % 2 == 1;
        if (!scene_build(&scene) || !press_ball(&scene, 0, 0)) continue;
        const struct gz_camera *camera = &scene.camera;
        gz_vec3 front = scene.drag.ball_press;
        hold(scene_move(&scene, scene.press.at[0] + 0.2 * scene.tool.size_px, scene.press.at[1]),
             n);
        hold(gz_dot(gz_sub(gz_rotate(scene.motion.turn, front), front), camera->right) > 0, n);
        hold(scene_move(&scene, scene.press.at[0], scene.press.at[1] - 0.2 * scene.tool.size_px),
             n);
        hold(gz_dot(gz_sub(gz_rotate(scene.motion.turn, front), front), camera->up) > 0, n);
    }
}

int main(void)
{
    return run_properties();
}
