/* Mistakes that published descriptions of virtual trackballs make, each with its own numbers. A
 * test is named after what holds instead. */
#include "unit/solver/stage.h"

/* A ball of `radius` pixels about the middle of the picture, seen by a viewer on +z. */
static struct stage ball_stage(enum gz_ball ball, double radius)
{
    struct stage s = stage_of(camera_at(0, 0, 5), node_at(0, 0, 0));
    s.tool.mode = GZ_MODE_ARCBALL;
    s.tool.ball = ball;
    s.tool.size_px = radius;
    stage_build(&s);
    return s;
}

/* Places in radii from the ball's middle, y up. */
static enum gz_solve press_at(struct stage *s, double x, double y)
{
    return stage_press(s, GZ_RB, 960 + x * s->tool.size_px, 540 - y * s->tool.size_px);
}

static enum gz_solve move_to(struct stage *s, double x, double y)
{
    return stage_move(s, 960 + x * s->tool.size_px, 540 - y * s->tool.size_px);
}

static double norm_error(gz_quat q)
{
    return fabs(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w - 1) / 2;
}

/* The rotation's own difference, whichever sign the quaternions have. */
static double quat_off(gz_quat a, gz_quat b)
{
    gz_quat d = gz_quat_multiply(gz_quat_conjugate(a), b);
    return 2 * sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
}

TEST(test_bell_sheets_meet_at_radius_over_root_two)
{
    const double joint = M_SQRT1_2, step = 1e-6;
    struct stage s = ball_stage(GZ_BALL_BELL, 300);
    assert_int_equal(press_at(&s, 0, 0), GZ_SOLVE_OK);
    move_to(&s, 0.5, 0);
    assert_near(s.motion.value[0] / DEGREES, 30, 1e-10); /* on the sphere: z is 0.866, not 1 */
    move_to(&s, joint, 0);
    double at = s.motion.value[0];
    assert_near(at / DEGREES, 45, 1e-10);
    move_to(&s, joint - step, 0);
    double before = (at - s.motion.value[0]) / step;
    move_to(&s, joint + step, 0);
    double after = (s.motion.value[0] - at) / step;
    assert_near(before, M_SQRT2, 1e-5);
    assert_near(after, M_SQRT2, 1e-5);
    move_to(&s, 2, 0);
    assert_near(s.motion.value[0], atan(8), 1e-12);
}

TEST(test_ball_has_the_radius_it_is_given)
{
    static const double radii[] = {10, 96, 1000};
    for (size_t i = 0; i < COUNT(radii); i++) {
        struct stage s = ball_stage(GZ_BALL_CHEN, radii[i]);
        assert_int_equal(press_at(&s, 0, 0), GZ_SOLVE_OK);
        move_to(&s, 0, 0.5);
        assert_near(s.motion.value[0] / DEGREES, 30, 1e-9);
        s.tool.ball_circle[0] = 200;
        s.tool.ball_circle[1] = 300;
        s.tool.ball_circle[2] = radii[i];
        assert_int_equal(stage_press(&s, GZ_RB, 200, 300), GZ_SOLVE_OK);
        stage_move(&s, 200 + radii[i] / 2, 300);
        assert_near(s.motion.value[0] / DEGREES, 30, 1e-9);
    }
}

/* An 800 by 600 window at `x`, `y`. */
static struct stage window_stage(enum gz_ball_fit fit, double x, double y)
{
    struct stage s = ball_stage(GZ_BALL_CHEN, 96);
    struct gz_camera_input input = s.camera.input;
    const double viewport[4] = {x, y, 800, 600};
    memcpy(input.viewport, viewport, sizeof viewport);
    input.proj[0] = input.proj[5] * 600 / 800;
    assert_true(gz_camera_prepare(&s.camera, &input, NULL));
    s.tool.ball_fit = fit;
    stage_build(&s);
    return s;
}

TEST(test_window_centre_is_the_balls_to_half_a_pixel)
{
    struct stage s = window_stage(GZ_FIT_CIRCLE, 30, 50);
    assert_int_equal(stage_press(&s, GZ_RB, 430, 350), GZ_SOLVE_OK);
    assert_vec3(s.drag.ball_press, 0, 0, 1, 1e-15);
    stage_move(&s, 429.5, 350);
    double left = s.motion.value[0];
    stage_move(&s, 430.5, 350);
    assert_near(s.motion.value[0], left, 1e-15);
    assert_near(left, asin(0.5 / 300), 1e-15);
    stage_move(&s, 430, 350 + 150);
    assert_near(s.motion.value[0] / DEGREES, 30, 1e-12);
}

TEST(test_front_follows_the_pointer_up_whatever_clip_y_is)
{
    for (int down = 0; down < 2; down++) {
        struct stage s = ball_stage(GZ_BALL_BELL, 96);
        struct gz_camera_input input = s.camera.input;
        input.ndc_y_down = down == 1;
        if (input.ndc_y_down) input.proj[5] = -input.proj[5];
        assert_true(gz_camera_prepare(&s.camera, &input, NULL));
        stage_build(&s);
        assert_int_equal(press_at(&s, 0, 0), GZ_SOLVE_OK);
        move_to(&s, 0, 0.5);
        assert_vec3(gz_rotate(s.now.r, (gz_vec3){0, 0, 1}), 0, 0.5, sqrt(0.75), 1e-12);
    }
}

TEST(test_outside_the_rim_is_the_rim)
{
    static const enum gz_ball balls[] = {GZ_BALL_CHEN, GZ_BALL_SHOEMAKE_SINGLE, GZ_BALL_SHOEMAKE};
    for (size_t i = 0; i < COUNT(balls); i++) {
        struct stage s = ball_stage(balls[i], 96);
        assert_int_equal(press_at(&s, 0.1, 0.2), GZ_SOLVE_OK);
        move_to(&s, 0.6, -0.8);
        gz_quat rim = s.now.r;
        for (double far = 1.5; far < 1e9; far *= 10) {
            move_to(&s, 0.6 * far, -0.8 * far);
            assert_true(quat_off(s.now.r, rim) <
                        1e-7); /* the rim's own z has the root of the last bit in it */
            assert_true(norm_error(s.now.r) <= 2.3e-16);
        }
    }
}

TEST(test_shoemake_turns_twice_and_regrabs_without_a_trace)
{
    struct stage s = ball_stage(GZ_BALL_SHOEMAKE, 96),
                 single = ball_stage(GZ_BALL_SHOEMAKE_SINGLE, 96);
    assert_int_equal(press_at(&s, 0, 0), GZ_SOLVE_OK);
    assert_int_equal(press_at(&single, 0, 0), GZ_SOLVE_OK);
    move_to(&s, 0.5, 0);
    move_to(&single, 0.5, 0);
    assert_near(s.motion.value[0] / DEGREES, 60, 1e-10);
    assert_near(single.motion.value[0] / DEGREES, 30, 1e-10);
    gz_quat start = s.target.local.r;
    for (int step = 0; step < 360; step++) {
        double a = step * DEGREES, b = (step + 1) * DEGREES;
        assert_int_equal(press_at(&s, 0.5 * cos(a), 0.5 * sin(a)), GZ_SOLVE_OK);
        move_to(&s, 0.5 * cos(b), 0.5 * sin(b));
        s.target.local = s.now;
    }
    assert_true(quat_off(s.now.r, start) < 1e-13);
}

TEST(test_turns_stay_unit_over_many_drags)
{
    struct stage s = ball_stage(GZ_BALL_EXACT, 96);
    for (int n = 0; n < 20000; n++) {
        assert_int_equal(press_at(&s, 0.5 * sin(n), 0.5 * cos(n)), GZ_SOLVE_OK);
        move_to(&s, 0.7 * sin(2 * n), 0.7 * cos(3 * n));
        gz_quat q = s.motion.turn;
        double half = atan2(sqrt(q.x * q.x + q.y * q.y + q.z * q.z), q.w);
        assert_near(s.motion.value[0], 2 * half, 1e-15);
        assert_true(norm_error(s.now.r) <= 2.3e-16);
        s.target.local = s.now;
    }
}

TEST(test_ball_has_no_dead_zone_and_one_axis_for_a_half_turn)
{
    struct stage s = ball_stage(GZ_BALL_CHEN, 100);
    assert_int_equal(press_at(&s, 0, 0), GZ_SOLVE_OK);
    for (double part = 1e-3; part > 1e-10; part /= 10) {
        move_to(&s, part, 0);
        assert_near(s.motion.value[0] / part, 1, 1e-5 + 1e-13 / part);
    }
    assert_int_equal(press_at(&s, 1, 0), GZ_SOLVE_OK);
    move_to(&s, -1, 0);
    gz_quat half = s.now.r;
    assert_near(s.motion.value[0], M_PI, 1e-15);
    move_to(&s, 0.3, 0.4);
    move_to(&s, -1, 0);
    assert_memory_equal(&s.now.r, &half, sizeof half);
}

TEST(test_exact_ball_keeps_the_grabbed_point_in_perspective)
{
    static const double distances[] = {1.5, 2.25, 3.4, 5}; /* in radii */
    for (size_t i = 0; i < COUNT(distances); i++) {
        double focal = 540 / tan(30 * DEGREES), d = distances[i];
        struct stage s = ball_stage(GZ_BALL_EXACT, focal / d);
        double silhouette = focal / sqrt(d * d - 1), at[2];
        assert_int_equal(stage_press(&s, GZ_RB, 960 + 0.2 * silhouette, 540), GZ_SOLVE_OK);
        gz_vec3 grabbed = gz_scale(s.drag.ball_press, s.gizmo.size);
        for (double part = -0.95; part < 0.96; part += 0.05) {
            double y = 540 + 0.3 * silhouette * part;
            assert_int_equal(stage_move(&s, 960 + part * silhouette, y), GZ_SOLVE_OK);
            stage_image(&s, gz_rotate(s.now.r, grabbed), at);
            assert_near(at[0], 960 + part * silhouette, 1e-9);
            assert_near(at[1], y, 1e-9);
        }
    }
}

TEST(test_ball_turns_past_a_right_angle)
{
    static const struct {
        double from, to;
    } cases[] = {{-0.9, 0.9}, {-0.3, 0.3}, {-0.05, 0.05}, {-0.999, 0.999}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct stage s = ball_stage(GZ_BALL_CHEN, 540);
        assert_int_equal(press_at(&s, cases[i].from, 0), GZ_SOLVE_OK);
        move_to(&s, cases[i].to, 0);
        assert_near(s.motion.value[0], asin(cases[i].to) - asin(cases[i].from), 1e-12);
    }
}

TEST(test_closed_circle_leaves_no_roll)
{
    static const double radii[] = {0.1, 0.25, 0.5, 0.7, 1.3};
    for (enum gz_ball ball = GZ_BALL_EXACT; ball < GZ_BALL_COUNT; ball++)
        for (size_t i = 0; i < COUNT(radii); i++) {
            struct stage s = ball_stage(ball, 96);
            s.target.local.r = gz_quat_about((gz_vec3){0, 0.6, 0.8}, 2);
            stage_build(&s);
            assert_int_equal(press_at(&s, radii[i], 0), GZ_SOLVE_OK);
            for (int step = 0; step <= 360; step++)
                move_to(&s, radii[i] * cos(step * DEGREES), radii[i] * sin(step * DEGREES));
            assert_true(quat_off(s.now.r, s.target.local.r) < 1e-12);
            move_to(&s, radii[i], 0);
            assert_true(gz_trs_same(&s.now, &s.target.local));
        }
}

TEST(test_repeated_pointer_is_harmless)
{
    for (enum gz_ball ball = GZ_BALL_EXACT; ball < GZ_BALL_COUNT; ball++) {
        struct stage s = ball_stage(ball, 96);
        assert_int_equal(press_at(&s, 0.3, 0.1), GZ_SOLVE_OK);
        for (int n = 0; n < 3; n++) {
            assert_int_equal(move_to(&s, 0.3, 0.1), GZ_SOLVE_OK);
            assert_true(gz_trs_same(&s.now, &s.target.local));
        }
        move_to(&s, 0.4, 0.1);
        gz_trs there = s.now;
        move_to(&s, 0.4, 0.1);
        assert_true(gz_trs_same(&s.now, &there));
        assert_true(s.motion.value[0] > 0.05);
    }
}

TEST(test_second_drag_turns_about_the_screens_axes_too)
{
    struct stage s = ball_stage(GZ_BALL_CHEN, 96);
    s.target.local.r = gz_quat_about((gz_vec3){0, 0, 1}, 90 * DEGREES);
    stage_build(&s);
    assert_int_equal(press_at(&s, 0, 0), GZ_SOLVE_OK);
    move_to(&s, 0.5, 0);
    gz_quat wanted = gz_quat_multiply(gz_quat_about((gz_vec3){0, 1, 0}, 30 * DEGREES),
                                      s.target.local.r); /* not the other way */
    assert_true(quat_off(s.now.r, wanted) < 1e-12);
}

TEST(test_straight_vertical_drag_turns_about_the_horizontal)
{
    static const double ways[] = {0.5, -0.5, 1, -1};
    struct stage s = ball_stage(GZ_BALL_CHEN, 96);
    assert_int_equal(press_at(&s, 0, 0), GZ_SOLVE_OK);
    for (size_t i = 0; i < COUNT(ways); i++) {
        move_to(&s, 0, ways[i]);
        gz_quat wanted = gz_quat_about((gz_vec3){1, 0, 0}, -asin(ways[i]));
        assert_true(quat_off(s.now.r, wanted) < 1e-12);
        assert_near(s.now.r.y, 0, 0);
        assert_near(s.now.r.z, 0, 0);
    }
}

TEST(test_euler_angles_are_read_as_one_of_many_same_rotations)
{
    static const int middle[] = {
        [GZ_XYZ] = 1, [GZ_XZY] = 2, [GZ_YXZ] = 0, [GZ_YZX] = 2, [GZ_ZXY] = 0, [GZ_ZYX] = 1};
    static const double middles[] = {0.4, -1.2, M_PI_2, -M_PI_2};
    for (int order = GZ_XYZ; order <= GZ_ZYX; order++)
        for (size_t i = 0; i < COUNT(middles); i++) {
            double a[3] = {0.7, 0.7, 0.7}, b[3];
            a[middle[order]] = middles[i];
            a[(middle[order] + 1) % 3] = -0.3;
            for (int k = 0; k < 3; k++) b[k] = k == middle[order] ? M_PI - a[k] : a[k] + M_PI;
            gz_quat one =
                gz_quat_from_euler((gz_vec3){a[0], a[1], a[2]}, (enum gz_euler_order)order);
            gz_quat other =
                gz_quat_from_euler((gz_vec3){b[0], b[1], b[2]}, (enum gz_euler_order)order);
            assert_true(quat_off(one, other) < 1e-15);
            gz_vec3 read = gz_euler_from_quat(one, (enum gz_euler_order)order);
            assert_true(quat_off(gz_quat_from_euler(read, (enum gz_euler_order)order), one) < 1e-7);
        }
}

TEST(test_bell_gain_is_bounded_and_fits_follow_the_window)
{
    struct stage s = ball_stage(GZ_BALL_BELL, 540);
    assert_int_equal(press_at(&s, 0, 0), GZ_SOLVE_OK);
    double last = 0;
    for (int px = 1; px < 3000; px++) {
        stage_move(&s, 960 + px, 540);
        assert_true(s.motion.value[0] > last && s.motion.value[0] - last <= 2.0 / 540);
        last = s.motion.value[0];
    }
    static const struct {
        enum gz_ball_fit fit;
        double x, y;
    } fits[] = {{GZ_FIT_CIRCLE, 300, 300}, {GZ_FIT_ELLIPSE, 400, 300}};
    for (size_t i = 0; i < COUNT(fits); i++) {
        s = window_stage(fits[i].fit, 0, 0);
        assert_int_equal(stage_press(&s, GZ_RB, 400, 300), GZ_SOLVE_OK);
        stage_move(&s, 400 + fits[i].x / 2, 300);
        assert_vec3(gz_rotate(s.now.r, (gz_vec3){0, 0, 1}), 0.5, 0, sqrt(0.75), 1e-12);
        stage_move(&s, 400, 300 - fits[i].y / 2);
        assert_vec3(gz_rotate(s.now.r, (gz_vec3){0, 0, 1}), 0, 0.5, sqrt(0.75), 1e-12);
    }
}

/* ---- Balls and lenses ---- */

/* A camera at 5 m with this vertical field of view. */
static struct stage ball_in_lens(double fov, enum gz_ball_fit fit)
{
    struct stage s = stage_of(camera_at(0, 0, 5), node_at(0, 0, 0));
    struct gz_camera_input input = s.camera.input;
    input.proj[5] = 1 / tan(fov / 2 * DEGREES);
    input.proj[0] = input.proj[5] * 1080 / 1920;
    assert_true(gz_camera_prepare(&s.camera, &input, NULL));
    s.tool.mode = GZ_MODE_ARCBALL;
    s.tool.ball_fit = fit;
    stage_build(&s);
    return s;
}

/* Half the radius to the right turns by 30 degrees, with the hand, whatever the lens. */
TEST(test_circle_turns_alike_through_every_lens)
{
    for (double fov = 5; fov < 179; fov += 3) {
        struct stage s = ball_in_lens(fov, GZ_FIT_CIRCLE);
        assert_int_equal(stage_press(&s, GZ_RB, 960, 540), GZ_SOLVE_OK);
        assert_int_equal(stage_move(&s, 960 + 270, 540), GZ_SOLVE_OK);
        assert_near(s.now.r.y, sin(15 * DEGREES), 1e-9);
        assert_near(s.now.r.w, cos(15 * DEGREES), 1e-9);
        struct gz_orbit orbit;
        const struct gz_pointer press = {.at = {960, 540}}, now = {.at = {960 + 270, 540}};
        double view[16];
        assert_int_equal(gz_orbit_begin(&orbit, &s.tool, &s.camera, (gz_vec3){0, 0, 0}, &press),
                         GZ_SOLVE_OK);
        assert_int_equal(gz_orbit_solve(&orbit, &now, 0, view), GZ_SOLVE_OK);
        assert_near(view[0], cos(30 * DEGREES), 1e-9);
        assert_near(view[8], sin(30 * DEGREES), 1e-9);
    }
}

/* The sphere about the object turns with the hand through every lens: as what is grabbed demands
 * while it is apart from the eye, as a far one in a lens so wide that it is not. */
TEST(test_sphere_never_turns_against_the_hand)
{
    for (double fov = 5; fov < 179.5; fov += 0.5) {
        struct stage s = ball_in_lens(fov, GZ_FIT_OBJECT);
        double last = 0;
        assert_int_equal(stage_press(&s, GZ_RB, 960, 540), GZ_SOLVE_OK);
        for (double part = 0.05; part < 3; part += 0.05) {
            assert_int_equal(stage_move(&s, 960 + part * s.tool.size_px, 540), GZ_SOLVE_OK);
            assert_true(s.now.r.y > last);
            last = s.now.r.y;
            if (fov > 155 && fabs(part - 0.5) < 1e-9)
                assert_near(s.now.r.y, sin(15 * DEGREES), 1e-9);
        }
        assert_int_equal(s.drag.flat_ball, fov > 155 || (fov > 150 && s.drag.flat_ball));
    }
}

/* A hand inside of the ball turns it with the hand, too. */
TEST(test_ball_about_the_hand_turns_with_it)
{
    struct gz_target target = node_at(0, 0, 0);
    struct gz_gizmo gizmo;
    struct gz_drag drag;
    struct gz_motion motion = gz_motion_none;
    assert_true(gz_gizmo_build(&gizmo, &gz_tool_default, NULL, NULL, &target, 1, 0));
    struct gz_pointer ray = {
        .is_ray = true, .origin = {0, 0, 0.5 * gizmo.size}, .direction = {0, 0, -1}};
    assert_int_equal(gz_drag_begin(&drag, GZ_RB, &gizmo, &gz_tool_default, NULL, &ray, 0),
                     GZ_SOLVE_OK);
    ray.direction.x = 0.5;
    assert_int_equal(gz_drag_solve(&drag, NULL, &ray, 0, &motion), GZ_SOLVE_OK);
    assert_true(motion.turn.y > 0.01);
}
