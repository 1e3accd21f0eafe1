/* Rings: an angle on the screen is an angle in the world, over any number of turns. */
#include <math.h>

#include "property/solver_scene.h"

static void throw_ring(struct scene *scene, struct dice *dice)
{
    scene_throw(scene, dice, PARENT_NONE);
    scene->handle = dice_handle(dice, GZ_RX, GZ_RV);
}

static gz_vec3 on_ring(const struct scene *scene, double angle)
{
    gz_vec3 x = gz_scale(scene->drag.axes[0], scene->gizmo.size),
            y = gz_cross(scene->drag.turn_axis, x);
    return gz_add(scene->gizmo.origin, gz_add(gz_scale(x, cos(angle)), gz_scale(y, sin(angle))));
}

/* Presses the ring at an angle from its own first direction. */
static bool press_ring(struct scene *scene, double angle)
{
    if (!scene_build(scene) || !scene_press(scene, 960, 540)) return false;
    return scene->drag.rule == GZ_RULE_RING && scene_press_point(scene, on_ring(scene, angle));
}

static double tilt_of(const struct scene *scene)
{
    gz_vec3 sight = scene->camera.backward;
    if (scene->camera.perspective)
        assert_true(gz_normalize(gz_sub(scene->camera.eye, scene->gizmo.origin), &sight));
    return fabs(gz_dot(scene->drag.turn_axis, sight));
}

TEST(test_traced_ring_turns_by_the_traced_angle)
{
    struct dice dice = {test_seed() + 31};
    long drags = test_count(10000), traced = 0;
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        double start = dice_uniform(&dice, -M_PI, M_PI),
               small = dice_scale(&dice, 1e-6 * DEGREES, 1);
        const double ways[] = {small, -small, dice_uniform(&dice, -3.1, 3.1)};
        throw_ring(&scene, &dice);
        if (!press_ring(&scene, start)) continue;
        /* A pixel far out is not exact to 1e-13, nor is an angle by it. */
        bool far_out = fabs(scene.press.at[0]) + fabs(scene.press.at[1]) > 1e4;
        for (size_t i = 0; i < COUNT(ways) && !far_out; i++) {
            double at[2];
            if (!gz_camera_project(&scene.camera, on_ring(&scene, start + ways[i]), at, NULL))
                continue;
            if (fabs(at[0]) + fabs(at[1]) > 1e4 || !scene_move(&scene, at[0], at[1])) continue;
            hold_near(remainder(scene.motion.value[0] - ways[i], 2 * M_PI) / DEGREES, 0, 1e-9, n);
            traced++;
        }
    }
    hold(traced > drags / 2, drags);
}

/* The arm points to the press, and turned about the axis by the value, right-handed, to where the
 * pointer is. */
TEST(test_arm_turned_by_the_value_points_to_the_pointer)
{
    struct dice dice = {test_seed() + 37};
    long drags = test_count(10000), checked = 0;
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        double start = dice_uniform(&dice, -M_PI, M_PI), way = dice_uniform(&dice, -3.1, 3.1);
        gz_vec3 axis, arm;
        throw_ring(&scene, &dice);
        if (!press_ring(&scene, start)) continue;
        gz_vec3 from = gz_sub(on_ring(&scene, start), scene.gizmo.origin);
        gz_vec3 to = gz_sub(on_ring(&scene, start + way), scene.gizmo.origin);
        hold(gz_drag_ring(&scene.drag, &axis, &arm), n);
        hold_near(gz_length(arm), 1, 1e-12, n);
        hold_near(gz_dot(arm, from) / scene.gizmo.size, 1, 1e-9, n);
        if (!scene_move_point(&scene, on_ring(&scene, start + way))) continue;
        gz_vec3 now = gz_rotate(gz_quat_about(axis, scene.motion.value[0]), arm);
        hold_near(gz_dot(now, to) / scene.gizmo.size, 1, 1e-9, n);
        checked++;
    }
    hold(checked > drags / 2, drags);
}

TEST(test_turns_are_counted_without_error)
{
    struct dice dice = {test_seed() + 32};
    long drags = test_count(10000) / 100;
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        throw_ring(&scene, &dice);
        if (!press_ring(&scene, 0)) continue;
        int sense = dice_below(&dice, 2) ? 1 : -1, steps = 20 * 8 + 1;
        bool solved = true;
        for (int step = 1; step <= steps && solved; step++) {
            solved = scene_move_point(&scene, on_ring(&scene, sense * step * M_PI / 4));
            if (solved) hold_near(scene.motion.value[0] / DEGREES, sense * step * 45.0, 1e-9, n);
        }
    }
}

/* A million turns are 3.6e8 degrees, of which a double's last bit is 6e-8: the read-out is right to
 * that, the node's rotation to 1e-9 degrees. */
TEST(test_a_million_turns_leave_the_rotation_exact)
{
    struct dice dice = {test_seed() + 33};
    struct scene scene;
    double thirds[3][2];
    do throw_ring(&scene, &dice);
    while (!press_ring(&scene, 0));
    for (int i = 0; i < 3; i++)
        assert_true(
            gz_camera_project(&scene.camera, on_ring(&scene, i * 2 * M_PI / 3), thirds[i], NULL));
    for (long third = 1; third <= 3000001; third++)
        assert_true(scene_move(&scene, thirds[third % 3][0], thirds[third % 3][1]));
    double wanted = 3000001 * (2 * M_PI / 3);
    hold_near(scene.motion.value[0], wanted, 2 * (nextafter(wanted, HUGE_VAL) - wanted), 0);
    gz_quat turn = gz_quat_about(scene.drag.turn_axis, 2 * M_PI / 3);
    hold_near(quat_off(scene.now.r, gz_quat_multiply(turn, scene.target.local.r)) / DEGREES, 0,
              1e-9, 0);
}

TEST(test_ring_has_no_cliff_but_its_centre)
{
    struct dice dice = {test_seed() + 34};
    long drags = test_count(10000);
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        double centre[2];
        throw_ring(&scene, &dice);
        if (!press_ring(&scene, dice_uniform(&dice, -3, 3))) continue;
        assert_true(gz_camera_project(&scene.camera, scene.gizmo.origin, centre, NULL));
        double tilt = tilt_of(&scene), heading = dice_uniform(&dice, -M_PI, M_PI);
        for (int i = 0; i < 20; i++) {
            double reach = dice_scale(&dice, 1, 3000), a = dice_uniform(&dice, -M_PI, M_PI);
            if (reach * tilt < 1)
                continue; /* within a pixel of the centre, across the ring's shorter way */
            double x = centre[0] + reach * cos(a), y = centre[1] + reach * sin(a);
            if (!scene_move(&scene, x, y)) continue;
            double before = scene.motion.value[0];
            if (!scene_move(&scene, x + 0.01 * cos(heading), y + 0.01 * sin(heading))) continue;
            hold_near(scene.motion.value[0], before, 1 * DEGREES, n);
        }
    }
}

/* The edge-on law: place on the tangent over the radius, the same everywhere. */
TEST(test_edge_on_ring_has_the_tangents_gain)
{
    struct dice dice = {test_seed() + 35};
    long drags = test_count(10000), found = 0;
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        scene_throw(&scene, &dice, PARENT_NONE);
        scene.handle = GZ_RX;
        scene.tool.space = GZ_SPACE_LOCAL;
        scene.eye.orthographic = n % 2 == 0;
        if (!scene_build(&scene)) continue;
        gz_vec3 sight = scene.camera.backward, normal;
        if (scene.camera.perspective) sight = gz_sub(scene.camera.eye, scene.gizmo.origin);
        if (!gz_normalize(gz_cross(sight, dice_direction(&dice)), &normal)) continue;
        double cosine = gz_dot((gz_vec3){1, 0, 0}, normal);
        if (cosine < -0.9) continue;
        gz_vec3 axis = gz_cross((gz_vec3){1, 0, 0}, normal);
        gz_quat turn = {axis.x, axis.y, axis.z, 1 + cosine};
        assert_true(gz_quat_normalize(turn, &scene.target.local.r));
        if (!scene_build(&scene) || !scene_press_point(&scene, scene.gizmo.origin)) continue;
        hold(scene.drag.rule == GZ_RULE_RING_TANGENT, n);
        double way = dice_uniform(&dice, -1, 1) * scene.gizmo.size;
        gz_vec3 along = gz_scale(scene.drag.axes[0], way + scene.drag.press[0]);
        if (!scene_move_point(&scene, gz_add(scene.drag.origin, along))) continue;
        hold_near(scene.motion.value[0], way / scene.gizmo.size, 1e-9, n);
        found++;
    }
    hold(found > drags / 4, drags);
}

/* Two last bits below 1, one above: what a square root and four divisions leave. 2e-16 would take
 * a compensated length for every node. */
static void hold_unit(gz_quat q, long n)
{
    quad x = q.x, y = q.y, z = q.z, w = q.w;
    hold_near((double)(quad_sqrt(x * x + y * y + z * z + w * w) - 1), 0, 3.3e-16, n);
}

TEST(test_rotations_are_unit_after_every_event)
{
    struct dice dice = {test_seed() + 36};
    long drags = test_count(10000);
    for (long n = 0; n < drags; n++) {
        struct scene scene;
        scene_throw(&scene, &dice, (enum parent_kind)dice_below(&dice, PARENT_KINDS));
        scene.handle = dice_handle(&dice, GZ_RX, GZ_RB);
        scene.tool.ball = (enum gz_ball)dice_below(&dice, GZ_BALL_COUNT);
        if (!scene_start(&scene, &dice)) continue;
        for (int event = 0; event < 5; event++) {
            if (!scene_move(&scene, dice_uniform(&dice, 0, 1920), dice_uniform(&dice, 0, 1080)))
                continue;
            hold_unit(scene.now.r, n);
        }
    }
}

TEST(test_turn_about_a_pivot_keeps_distances)
{
    struct dice dice = {test_seed() + 37};
    long drags = test_count(10000);
    for (long n = 0; n < drags; n++) {
        struct gz_motion motion = gz_motion_none;
        struct gz_target targets[2];
        quad3 before[2], after[2];
        motion.kind = GZ_MOTION_ROTATE;
        motion.turn = dice_rotation(&dice);
        motion.pivot = gz_scale(dice_direction(&dice), dice_uniform(&dice, 0, 20));
        for (int i = 0; i < 2; i++) {
            gz_trs now;
            gz_affine parent =
                dice_parent(&dice, dice_below(&dice, 2) ? PARENT_NONE : PARENT_UNIFORM);
            targets[i] = (struct gz_target){dice_trs(&dice), parent, NULL};
            hold(gz_motion_apply(&motion, &targets[i], &parent, &now, NULL), n);
            before[i] = quad3_from(gz_affine_apply(&parent, targets[i].local.t));
            after[i] = quad3_from(gz_affine_apply(&parent, now.t));
        }
        quad was = quad3_length(quad3_sub(before[0], before[1])),
             is = quad3_length(quad3_sub(after[0], after[1]));
        hold_near((double)is, (double)was, 1e-12 * (double)was, n);
    }
}

int main(void)
{
    return run_properties();
}
