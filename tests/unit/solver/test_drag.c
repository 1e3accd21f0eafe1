/* Options and edges of a drag: snapping, fine, typed values, axis methods, rays, fallback laws,
 * clamps. */
#include "solver/follow.h"
#include "solver/snap.h"
#include "unit/solver/stage.h"

TEST(test_snap_rounds_halves_away_from_zero)
{
    static const struct {
        double value, step, want;
    } cases[] = {{0.5, 1, 1},        {-0.5, 1, -1}, {0.49, 1, 0}, {-1.5, 1, -2},
                 {7, 0.1, 70 * 0.1}, {3, 0, 3},     {3, -1, 3}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_near(gz_snap_value(cases[i].value, cases[i].step), cases[i].want, 0);
        assert_near(gz_snap_value(-cases[i].value, cases[i].step), -cases[i].want, 0);
    }
    assert_near(gz_snap_value_from(0.1, 0.3, 0.25), 0.4, 1e-16);
    assert_near(gz_snap_factor(1.26, 0.5, true), 1.5, 0);
    assert_near(gz_snap_factor(0.1, 0.5, true), 0.5, 0);
    assert_near(gz_snap_factor(-0.1, 0.5, true), -0.5, 0);
    assert_near(gz_snap_factor_from(2, 1.3, 0.5, true), 1.25, 0);
    assert_near(fabs(gz_snap_factor_from(2, 0.01, 0.5, true)), 0.25, 0);
}

TEST(test_absolute_snap_puts_the_node_on_the_grid)
{
    struct stage s =
        stage_of(camera_look((gz_vec3){3, 2, 6}, (gz_vec3){0, 0, 0}), node_at(0.1, 0.2, 0.3));
    s.target.local.s = (gz_vec3){1.3, 1, 1};
    s.target.local.r = gz_quat_about((gz_vec3){0, 0, 1}, 7 * DEGREES);
    s.tool.snap =
        (struct gz_snap){.t = 0.25, .r = 15 * DEGREES, .s = 0.5, .on = true, .absolute = true};
    stage_build(&s);
    assert_int_equal(stage_press_point(&s, GZ_TX, (gz_vec3){0.6, 0.2, 0.3}), GZ_SOLVE_OK);
    stage_move_point(&s, (gz_vec3){1.21, 0.2, 0.3});
    assert_near(s.now.t.x, 0.75, 1e-15);
    assert_near(s.now.t.y, 0.2, 0);
    assert_int_equal(stage_press_point(&s, GZ_TXY, (gz_vec3){0.6, 0.8, 0.3}), GZ_SOLVE_OK);
    stage_move_point(&s, (gz_vec3){1.21, 0.3, 0.3});
    assert_near(s.now.t.x, 0.75, 1e-15);
    assert_near(s.now.t.y, -0.25, 1e-15);
    assert_int_equal(stage_press_point(&s, GZ_RZ, (gz_vec3){0.6, 0.2, 0.3}), GZ_SOLVE_OK);
    stage_move_point(&s, (gz_vec3){0.6, 0.7, 0.3});
    assert_near(2 * atan2(s.now.r.z, s.now.r.w) / DEGREES, 45, 1e-12);
    gz_vec3 axis = s.gizmo.scale_axes[0];
    gz_vec3 near_place = gz_add(s.target.local.t, gz_scale(axis, 0.3)),
            far_place = gz_add(s.target.local.t, axis);
    assert_int_equal(stage_press_point(&s, GZ_SX, near_place), GZ_SOLVE_OK);
    stage_move_point(&s, far_place);
    assert_near(s.now.s.x, 4.5, 1e-15);
}

TEST(test_snap_modifier_inverts_the_option)
{
    struct stage s = stage_of(camera_at(0, 0, 5), node_at(0, 0, 0));
    s.tool.snap = (struct gz_snap){.t = 0.25};
    assert_int_equal(stage_press(&s, GZ_TX, 1000, 540), GZ_SOLVE_OK);
    stage_move(&s, 1077, 540);
    double free = s.now.t.x;
    assert_true(remainder(free, 0.25) != 0);
    stage_move_with(&s, 1077, 540, 1u << GZ_MOD_SNAP);
    assert_near(s.now.t.x, gz_snap_value(free, 0.25), 0);
    stage_move(&s, 1077, 540);
    assert_near(s.now.t.x, free, 0);
}

TEST(test_fine_slows_from_where_it_was_switched)
{
    struct stage s = stage_of(camera_at(0, 0, 5), node_at(0, 0, 0));
    assert_int_equal(stage_press(&s, GZ_TX, 1000, 540), GZ_SOLVE_OK);
    stage_move(&s, 1100, 540);
    double at_100 = s.now.t.x, px = at_100 / 100;
    stage_move_with(&s, 1100, 540, 1u << GZ_MOD_FINE);
    assert_near(s.now.t.x, at_100, 1e-15);
    stage_move_with(&s, 1200, 540, 1u << GZ_MOD_FINE);
    assert_near(s.now.t.x, at_100 + 10 * px, 1e-13);
    stage_move_with(&s, 1300, 540, 1u << GZ_MOD_FINE);
    assert_near(s.now.t.x, at_100 + 20 * px, 1e-13);
    stage_move(&s, 1300, 540);
    assert_near(s.now.t.x, at_100 + 20 * px, 1e-13);
    stage_move(&s, 1310, 540);
    assert_near(s.now.t.x, at_100 + 30 * px, 1e-13);
}

TEST(test_typed_values_are_exact)
{
    struct stage s = stage_of(camera_at(1, 2, 5), node_at(0.1, 0.2, 0.3));
    static const struct {
        enum gz_handle handle;
        double value[2];
        int count;
    } cases[] = {{GZ_TX, {1.25, 0}, 1},
                 {GZ_TYZ, {2, -3}, 2},
                 {GZ_RZ, {7, 0}, 1},
                 {GZ_SY, {-2, 0}, 1},
                 {GZ_SU, {3, 0}, 1}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(
            gz_drag_begin(&s.drag, cases[i].handle, &s.gizmo, &s.tool, &s.camera, NULL, 0),
            GZ_SOLVE_OK);
        assert_int_equal(gz_drag_value(&s.drag, cases[i].value, cases[i].count, &s.motion),
                         GZ_SOLVE_OK);
        assert_memory_equal(s.motion.value, cases[i].value, sizeof s.motion.value);
        assert_true(gz_motion_apply(&s.motion, &s.target, &s.target.parent, &s.now, NULL));
        const struct gz_pointer pointer = {.at = {900, 500}};
        assert_int_equal(gz_drag_solve(&s.drag, &s.camera, &pointer, 0, &s.motion), GZ_SOLVE_KEPT);
        if (cases[i].handle == GZ_TX) assert_near(s.now.t.x, 0.1 + 1.25, 0);
        if (cases[i].handle == GZ_TYZ) assert_near(s.now.t.z, 0.3 - 3, 0);
        if (cases[i].handle == GZ_RZ)
            assert_near(atan2(s.now.r.z, s.now.r.w), 3.5 - 2 * M_PI, 1e-15);
        if (cases[i].handle == GZ_SY) assert_near(s.now.s.y, -2, 0);
        if (cases[i].handle == GZ_SU) assert_near(s.now.s.z, 3, 0);
    }
    const double zero[2] = {0, 0}, nan[2] = {NAN, 0};
    assert_int_equal(gz_drag_value(&s.drag, zero, 1, &s.motion), GZ_SOLVE_NONE);
    assert_int_equal(gz_drag_value(&s.drag, nan, 1, &s.motion), GZ_SOLVE_NONE);
    assert_int_equal(gz_drag_value(&s.drag, zero, 2, &s.motion), GZ_SOLVE_NONE);
}

TEST(test_rays_without_camera_drag_every_handle)
{
    const gz_box box = {{-0.2, -0.1, -0.3}, {0.2, 0.3, 0.1}};
    struct gz_target target = node_at(0, 0, 0);
    struct gz_tool tool = gz_tool_default;
    struct gz_gizmo gizmo;
    target.bounds = &box;
    tool.mode = GZ_MODE_UNIVERSAL;
    assert_true(gz_gizmo_build(&gizmo, &tool, NULL, NULL, &target, 1, 0));
    struct gz_pointer press = {.is_ray = true,
                               .origin = {1, 1.5, 2},
                               .direction = {-0.93, -1.41, -2}},
                      move = press;
    move.direction = (gz_vec3){-0.85, -1.3, -2};
    for (enum gz_handle handle = GZ_TX; handle < GZ_HANDLE_COUNT; handle++) {
        struct gz_drag drag;
        struct gz_motion motion = gz_motion_none;
        gz_trs now;
        assert_int_equal(gz_drag_begin(&drag, handle, &gizmo, &tool, NULL, &press, 0), GZ_SOLVE_OK);
        assert_int_equal(gz_drag_solve(&drag, NULL, &move, 0, &motion), GZ_SOLVE_OK);
        assert_true(motion.kind != GZ_MOTION_NONE);
        assert_true(gz_motion_apply(&motion, &target, &target.parent, &now, NULL));
        assert_int_equal(gz_drag_solve(&drag, NULL, &press, 0, &motion), GZ_SOLVE_OK);
        assert_true(gz_motion_apply(&motion, &target, &target.parent, &now, NULL));
        assert_true(gz_trs_same(&now, &target.local));
    }
}

TEST(test_closest_method_is_the_nearest_place)
{
    struct gz_target target = node_at(0, 0, 0);
    struct gz_gizmo gizmo;
    struct gz_drag drag;
    struct gz_motion motion = gz_motion_none;
    struct gz_tool tool = gz_tool_default;
    tool.axis_method = GZ_AXIS_CLOSEST;
    assert_true(gz_gizmo_build(&gizmo, &tool, NULL, NULL, &target, 1, 0));
    struct gz_pointer ray = {.is_ray = true, .origin = {0.25, 4, 0.5}, .direction = {0, -3, 0}};
    assert_int_equal(gz_drag_begin(&drag, GZ_TX, &gizmo, &tool, NULL, &ray, 0), GZ_SOLVE_OK);
    assert_int_equal(drag.rule, GZ_RULE_AXIS_CLOSEST);
    ray.origin = (gz_vec3){3, 4, -1};
    ray.direction = (gz_vec3){0, -1, 0};
    assert_int_equal(gz_drag_solve(&drag, NULL, &ray, 0, &motion), GZ_SOLVE_OK);
    assert_near(motion.value[0], 2.75, 1e-14);
    ray.direction = (gz_vec3){0, 1, 0};
    assert_int_equal(gz_drag_solve(&drag, NULL, &ray, 0, &motion), GZ_SOLVE_KEPT);
    assert_near(motion.value[0], 2.75, 1e-14);
    double limit = 3 + sqrt(17) / tan(asin(sin(5 * DEGREES) / 50));
    for (int i = 0; i < 2; i++) { /* along the axis, and past it */
        ray.direction = (gz_vec3){2, i, 0};
        assert_int_equal(gz_drag_solve(&drag, NULL, &ray, 0, &motion), GZ_SOLVE_CLAMPED);
        assert_near(motion.value[0], limit - 0.25, 1e-9);
    }
}

TEST(test_axis_methods_agree_on_the_axis)
{
    struct stage s = stage_of(camera_at(2, 3, 5), node_at(0, 0, 0));
    for (enum gz_axis_method method = GZ_AXIS_SCREEN; method < GZ_AXIS_COUNT; method++) {
        s.tool.axis_method = method;
        assert_int_equal(stage_press_point(&s, GZ_TZ, (gz_vec3){0, 0, 0.3}), GZ_SOLVE_OK);
        assert_int_equal(stage_move_point(&s, (gz_vec3){0, 0, -1.7}), GZ_SOLVE_OK);
        assert_near(s.now.t.z, -2, 1e-12);
    }
}

TEST(test_axis_at_the_viewer_follows_vertical_pixels_without_a_jump_in_gain)
{
    static const double degrees[] = {0, 1, 4.9, 5.1};
    double gains[COUNT(degrees)];
    for (size_t i = 0; i < COUNT(degrees); i++) {
        double a = degrees[i] * DEGREES;
        struct stage s =
            stage_of(camera_look((gz_vec3){0, 5 * sin(a), 5 * cos(a)}, (gz_vec3){0, 0, 0}),
                     node_at(0, 0, 0));
        assert_int_equal(stage_press(&s, GZ_TZ, 960, 540), GZ_SOLVE_OK);
        assert_int_equal(s.drag.rule, degrees[i] < 5 ? GZ_RULE_AXIS_PIXELS : GZ_RULE_AXIS_SCREEN);
        stage_move(&s, 960, 539);
        assert_true(s.now.t.z < 0); /* up is away from the viewer */
        gains[i] = fabs(s.now.t.z);
        stage_move(&s, 960, 540);
        assert_true(gz_trs_same(&s.now, &s.target.local));
        for (int px = 0; px < 100000; px += 999) {
            stage_move(&s, 960, 540 + px);
            assert_true(s.now.t.z < 5.01);
        }
    }
    assert_true(gains[3] / gains[2] < 2 && gains[2] / gains[3] < 2);
}

TEST(test_scale_stops_before_zero_or_mirrors)
{
    struct stage s = stage_of(camera_at(0, 0, 5), node_at(0, 0, 0));
    s.target.local.s.x = -2;
    stage_build(&s);
    for (int mirror = 0; mirror < 2; mirror++) {
        s.tool.mirror = mirror == 1;
        assert_int_equal(stage_press_point(&s, GZ_SX, (gz_vec3){0.3, 0, 0}), GZ_SOLVE_OK);
        stage_move_point(&s, (gz_vec3){0.15, 0, 0});
        assert_near(s.now.s.x, -1, 1e-12);
        stage_move_point(&s, (gz_vec3){0, 0, 0});
        assert_near(fabs(s.now.s.x), 0.02, 1e-12);
        stage_move_point(&s, (gz_vec3){-0.3, 0, 0});
        assert_near(s.now.s.x, mirror ? 2 : -0.02, 1e-12);
    }
}

TEST(test_camera_may_move_during_a_drag)
{
    struct stage s = stage_of(camera_at(1, 2, 5), node_at(0, 0, 0));
    assert_int_equal(stage_press_point(&s, GZ_TX, (gz_vec3){0.4, 0, 0}), GZ_SOLVE_OK);
    s.camera = camera_look((gz_vec3){-4, 3, 2}, (gz_vec3){0, 0, 0});
    stage_move_point(&s, (gz_vec3){1.4, 0, 0});
    assert_near(s.now.t.x, 1, 1e-12);
    stage_move_point(&s, (gz_vec3){0.4, 0, 0});
    assert_near(s.now.t.x, 0, 1e-14);
}

TEST(test_ring_keeps_its_sense_when_the_camera_crosses_its_plane)
{
    struct stage s =
        stage_of(camera_look((gz_vec3){0, 2, 5}, (gz_vec3){0, 0, 0}), node_at(0, 0, 0));
    double r = s.gizmo.size;
    assert_int_equal(stage_press_point(&s, GZ_RY, (gz_vec3){0, 0, r}), GZ_SOLVE_OK);
    s.camera = camera_look((gz_vec3){0, -2, 5}, (gz_vec3){0, 0, 0});
    stage_move_point(&s, (gz_vec3){r * sin(0.5), 0, r * cos(0.5)});
    assert_near(s.motion.value[0], 0.5, 1e-12);
}

TEST(test_ball_opposite_point_turns_by_a_half)
{
    struct stage s = stage_of(camera_at(0, 0, 5), node_at(0, 0, 0));
    s.tool.ball = GZ_BALL_CHEN;
    assert_int_equal(stage_press(&s, GZ_RB, 960 + 200, 540), GZ_SOLVE_OK);
    stage_move(&s, 960 - 200, 540);
    assert_near(fabs(s.motion.value[0]), M_PI, 1e-12);
    assert_true(gz_trs_finite(&s.now));
    assert_vec3(gz_rotate(s.now.r, (gz_vec3){1, 0, 0}), -1, 0, 0, 1e-12);
}

TEST(test_ball_dragged_right_turns_the_front_right)
{
    struct stage s = stage_of(camera_at(0, 0, 5), node_at(0, 0, 0));
    for (enum gz_ball ball = GZ_BALL_EXACT; ball < GZ_BALL_COUNT; ball++) {
        s.tool.ball = ball;
        assert_int_equal(stage_press(&s, GZ_RB, 960, 540), GZ_SOLVE_OK);
        stage_move(&s, 980, 540);
        assert_true(gz_rotate(s.now.r, (gz_vec3){0, 0, 1}).x > 0.1);
        stage_move(&s, 960, 520);
        assert_true(gz_rotate(s.now.r, (gz_vec3){0, 0, 1}).y > 0.1);
    }
}

TEST(test_shoemake_ball_does_not_depend_on_the_path)
{
    struct stage s = stage_of(camera_at(0, 0, 5), node_at(0, 0, 0));
    s.tool.ball = GZ_BALL_SHOEMAKE;
    assert_int_equal(stage_press(&s, GZ_RB, 930, 560), GZ_SOLVE_OK);
    stage_move(&s, 1000, 500);
    gz_quat whole = s.now.r;
    stage_move(&s, 990, 590);
    s.target.local = s.now;
    assert_int_equal(stage_press(&s, GZ_RB, 990, 590), GZ_SOLVE_OK);
    stage_move(&s, 1000, 500);
    double same =
        whole.x * s.now.r.x + whole.y * s.now.r.y + whole.z * s.now.r.z + whole.w * s.now.r.w;
    assert_near(fabs(same), 1, 1e-15);
}

TEST(test_ball_has_no_cliff_at_its_rim)
{
    struct stage s = stage_of(camera_at(0, 0, 5), node_at(0, 0, 0));
    static const enum gz_ball smooth[] = {GZ_BALL_EXACT, GZ_BALL_BELL};
    for (size_t i = 0; i < COUNT(smooth); i++) {
        s.tool.ball = smooth[i];
        assert_int_equal(stage_press(&s, GZ_RB, 960, 540), GZ_SOLVE_OK);
        double last = 0;
        for (double px = 0; px < 2000; px += 0.01) {
            stage_move(&s, 960 + px, 540);
            if (!(s.motion.value[0] >= last))
                fail_msg("ball %d at %g px: %.17g after %.17g", (int)smooth[i], px,
                         s.motion.value[0], last);
            assert_true(s.motion.value[0] - last < 0.01);
            last = s.motion.value[0];
        }
    }
}

static struct gz_pointer ray_at(double degrees)
{
    return (struct gz_pointer){.is_ray = true,
                               .origin = {degrees, 0, 0},
                               .direction = {cos(degrees * DEGREES), 0, -sin(degrees * DEGREES)}};
}

/* A hand that turns about +Y, slowly to `fine` degrees and then by `more`: where the ray is then,
 * in degrees. */
static double turn_slowly(double fine, double more)
{
    struct gz_follow follow = {0};
    const struct gz_pointer press = ray_at(0), slow = ray_at(fine), end = ray_at(fine + more);
    gz_follow_init(&follow, &press, 0);
    (void)gz_follow_pointer(&follow, &press, 1u << GZ_MOD_FINE);
    const struct gz_pointer *now = gz_follow_pointer(&follow, &slow, 1u << GZ_MOD_FINE);
    assert_near(atan2(-now->direction.z, now->direction.x) / DEGREES, fine / 10, 1e-12);
    now = gz_follow_pointer(&follow, &end, 0);
    assert_near(gz_length(now->direction), 1, 1e-14);
    assert_near(now->origin.x, fine / 10 + more, 1e-12);
    return atan2(-now->direction.z, now->direction.x) / DEGREES;
}

TEST(test_fine_turns_rays)
{
    assert_near(turn_slowly(30, 45), 48, 1e-12);
    assert_near(turn_slowly(60, 90), 96, 1e-12);
    assert_near(turn_slowly(-170, 175), 158, 1e-12);
    assert_near(turn_slowly(90, -90), -81, 1e-12);
}

/* The quaternion goes on over two turns, and comes back to its bits after them. */
TEST(test_rotation_keeps_its_sign_over_two_turns)
{
    static const enum gz_handle rings[] = {GZ_RX, GZ_RY, GZ_RZ, GZ_RV};
    for (size_t i = 0; i < COUNT(rings); i++) {
        struct stage s =
            stage_of(camera_look((gz_vec3){3, 4, 5}, (gz_vec3){0, 0, 0}), node_at(0, 0, 0));
        s.target.local.r = (gz_quat){0.5, 0.1, -0.7, 0.5};
        assert_true(gz_quat_normalize(s.target.local.r, &s.target.local.r));
        stage_build(&s);
        gz_vec3 n = rings[i] == GZ_RV ? s.camera.backward : s.gizmo.turn_axes[rings[i] - GZ_RX],
                x = s.camera.right, y;
        assert_true(gz_normalize(gz_cross(n, x), &y));
        x = gz_cross(y, n);
        gz_quat last = s.target.local.r;
        assert_int_equal(stage_press_point(&s, rings[i], gz_scale(x, s.gizmo.size)), GZ_SOLVE_OK);
        for (int degrees = 0; degrees <= 1440; degrees += 5) {
            double a = degrees * DEGREES;
            stage_move_point(
                &s, gz_scale(gz_add(gz_scale(x, cos(a)), gz_scale(y, sin(a))), s.gizmo.size));
            gz_quat r = s.now.r;
            double same = last.x * r.x + last.y * r.y + last.z * r.z + last.w * r.w;
            assert_near(same, cos(degrees == 0 ? 0 : 2.5 * DEGREES), 1e-9);
            last = r;
        }
        const gz_quat *first = &s.target.local.r; /* four turns are an even number */
        assert_near(first->x * last.x + first->y * last.y + first->z * last.z + first->w * last.w,
                    1, 1e-9);
    }
}

/* ---- Rays ---- */

static struct gz_pointer hand(gz_vec3 origin, gz_vec3 direction)
{
    return (struct gz_pointer){.is_ray = true, .origin = origin, .direction = direction};
}

/* The hand turns straight across an axis that is 20 degrees from its ray: nothing moves, and with a
 * camera beside it neither. */
TEST(test_hand_that_turns_across_an_axis_moves_nothing)
{
    const struct gz_camera beside = camera_at(3, 0, 2);
    gz_vec3 axis = {sin(20 * DEGREES), 0, -cos(20 * DEGREES)};
    struct gz_target target = node_at(0, 0, -2);
    struct gz_tool tool = gz_tool_default;
    tool.space = GZ_SPACE_LOCAL;
    target.local.r = gz_quat_about((gz_vec3){0, 1, 0}, 90 * DEGREES - 20 * DEGREES);
    for (int i = 0; i < 2; i++) {
        const struct gz_camera *camera = i == 0 ? NULL : &beside;
        struct gz_gizmo gizmo;
        struct gz_drag drag;
        struct gz_motion motion = gz_motion_none;
        assert_true(gz_gizmo_build(&gizmo, &tool, camera, NULL, &target, 1, 0));
        assert_vec3(gizmo.axes[0], axis.x, axis.y, axis.z, 1e-12);
        struct gz_pointer ray = hand((gz_vec3){0, 0, 0}, (gz_vec3){0, 0, -1});
        assert_int_equal(gz_drag_begin(&drag, GZ_TX, &gizmo, &tool, camera, &ray, 0), GZ_SOLVE_OK);
        assert_int_equal(drag.rule, GZ_RULE_AXIS_SCREEN);
        ray.direction = (gz_vec3){0, sin(10 * DEGREES), -cos(10 * DEGREES)};
        assert_int_equal(gz_drag_solve(&drag, camera, &ray, 0, &motion), GZ_SOLVE_OK);
        assert_near(motion.value[0], 0, 1e-12);
    }
}

/* An axis that looks at the hand: a little up goes a little away, without a step in gain where the
 * law begins; a push goes as far as the hand does; and each alone does not change the other. */
TEST(test_axis_at_the_hand_follows_height_and_push)
{
    static const double degrees[] = {0, 1, 4.9, 5.1};
    double gains[COUNT(degrees)];
    struct gz_target target = node_at(0, 0, 0);
    struct gz_gizmo gizmo;
    struct gz_drag drag;
    for (size_t i = 0; i < COUNT(degrees); i++) {
        double a = degrees[i] * DEGREES;
        gz_vec3 from = {0, 5 * sin(a), 5 * cos(a)};
        struct gz_pointer ray = hand(from, gz_negate(from));
        struct gz_motion motion = gz_motion_none;
        assert_true(gz_gizmo_build(&gizmo, &gz_tool_default, NULL, NULL, &target, 1, 0));
        assert_int_equal(gz_drag_begin(&drag, GZ_TZ, &gizmo, &gz_tool_default, NULL, &ray, 0),
                         GZ_SOLVE_OK);
        assert_int_equal(drag.rule, degrees[i] < 5 ? GZ_RULE_AXIS_PIXELS : GZ_RULE_AXIS_SCREEN);
        gz_vec3 up = {0, cos(a), -sin(a)};
        ray.direction = gz_add(ray.direction, gz_scale(up, 0.001));
        assert_int_equal(gz_drag_solve(&drag, NULL, &ray, 0, &motion), GZ_SOLVE_OK);
        gains[i] = -motion.value[0];
        assert_true(gains[i] > 0 && gains[i] < 0.02);
        if (degrees[i] > 5) continue;
        gz_vec3 push = {0.01, 0.02, -0.3};
        ray.origin = gz_add(from, push);
        assert_int_equal(gz_drag_solve(&drag, NULL, &ray, 0, &motion), GZ_SOLVE_OK);
        assert_near(motion.value[0], push.z - gains[i], 1e-12);
        ray.direction = gz_negate(from);
        assert_int_equal(gz_drag_solve(&drag, NULL, &ray, 0, &motion), GZ_SOLVE_OK);
        assert_near(motion.value[0], push.z, 1e-12);
        ray.origin = from;
        assert_int_equal(gz_drag_solve(&drag, NULL, &ray, 0, &motion), GZ_SOLVE_OK);
        assert_near(motion.value[0], 0, 0);
    }
    assert_true(gains[3] / gains[2] < 2 && gains[2] / gains[3] < 2);
}

/* Turned past the axis's direction a hand holds the node where it was last seen. */
TEST(test_axis_past_the_hands_vanishing_point_stops)
{
    struct gz_target target = node_at(0, 0, 0);
    for (enum gz_axis_method method = GZ_AXIS_SCREEN; method <= GZ_AXIS_CLOSEST; method++) {
        struct gz_tool tool = gz_tool_default;
        struct gz_gizmo gizmo;
        struct gz_drag drag;
        double last = 0;
        tool.axis_method = method;
        assert_true(gz_gizmo_build(&gizmo, &tool, NULL, NULL, &target, 1, 0));
        struct gz_pointer ray = hand((gz_vec3){0, 1, 0}, (gz_vec3){0, -1, 0.0});
        assert_int_equal(gz_drag_begin(&drag, GZ_TX, &gizmo, &tool, NULL, &ray, 0), GZ_SOLVE_OK);
        for (double a = -89; a < 40; a += 0.05) {
            struct gz_motion motion = gz_motion_none;
            ray.direction = (gz_vec3){cos(a * DEGREES), sin(a * DEGREES), 0};
            enum gz_solve solved = gz_drag_solve(&drag, NULL, &ray, 0, &motion);
            assert_int_equal(solved, a < -0.1 ? GZ_SOLVE_OK : GZ_SOLVE_CLAMPED);
            assert_true(motion.value[0] >= last - 1e-9 && motion.value[0] < 574);
            last = motion.value[0];
        }
    }
}
