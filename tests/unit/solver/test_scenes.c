/* Twenty scenes with known answers, each of which some widely used gizmo gets wrong. */
#include "unit/solver/stage.h"

TEST(test_axis_pointer_across_moves_nothing)
{
    struct stage s = stage_of(camera_at(2, 2, 5), node_at(0, 0, 0));
    double a[2], b[2];
    stage_image(&s, (gz_vec3){0.3, 0, 0}, a);
    stage_image(&s, (gz_vec3){0.4, 0, 0}, b);
    double dx = b[0] - a[0], dy = b[1] - a[1], length = hypot(dx, dy);
    assert_int_equal(stage_press(&s, GZ_TX, a[0], a[1]), GZ_SOLVE_OK);
    stage_move(&s, a[0] - 300 * dy / length, a[1] + 300 * dx / length);
    assert_vec3(s.now.t, 0, 0, 0, 1e-12);
}

TEST(test_axis_in_depth_pointer_across_moves_nothing)
{
    static const double across_px[] = {100, 200, 500};
    struct stage s = stage_of(camera_at(0, 0, 0), node_at(1, -1, -5));
    double a[2], b[2];
    stage_image(&s, (gz_vec3){1, -1, -6}, a);
    stage_image(&s, (gz_vec3){1, -1, -7}, b);
    double dx = b[0] - a[0], dy = b[1] - a[1], length = hypot(dx, dy);
    assert_int_equal(stage_press(&s, GZ_TZ, a[0], a[1]), GZ_SOLVE_OK);
    for (size_t i = 0; i < COUNT(across_px); i++) {
        stage_move(&s, a[0] - across_px[i] * dy / length, a[1] + across_px[i] * dx / length);
        assert_vec3(s.now.t, 1, -1, -5, 1e-11);
    }
}

TEST(test_axis_towards_vanishing_point_is_monotone_and_clamped)
{
    struct stage s = stage_of(camera_at(-1, 1, 5), node_at(0, 0, 0));
    const double vanishing[2] = {960, 540};
    double at[2], last = 1e300;
    stage_image(&s, (gz_vec3){0, 0, 0.2}, at);
    assert_int_equal(stage_press(&s, GZ_TZ, at[0], at[1]), GZ_SOLVE_OK);
    for (double part = 0.5; part < 3; part += 0.0005) {
        stage_move(&s, at[0] + part * (vanishing[0] - at[0]),
                   at[1] + part * (vanishing[1] - at[1]));
        assert_true(s.now.t.z <= last);
        assert_true(s.now.t.z > -900);
        if (part < 0.99) assert_int_equal(s.solved, GZ_SOLVE_OK);
        if (part > 0.999) assert_int_equal(s.solved, GZ_SOLVE_CLAMPED);
        last = s.now.t.z;
    }
    /* It stops where the line of sight is at a fiftieth of the edge's sine to the axis. */
    double angle = asin(sin(5 * DEGREES) / 50);
    assert_near(5 - (s.now.t.z + s.drag.press[0]), M_SQRT2 / tan(angle), 1e-9);
    stage_move(&s, at[0], at[1]);
    assert_true(gz_trs_same(&s.now, &s.target.local));
}

TEST(test_axis_towards_viewer_stays_in_front)
{
    struct stage s = stage_of(camera_at(-1, 1, 5), node_at(0, 0, 0));
    double at[2], last = -1;
    stage_image(&s, (gz_vec3){0, 0, 0.2}, at);
    assert_int_equal(stage_press(&s, GZ_TZ, at[0], at[1]), GZ_SOLVE_OK);
    for (double px = 0; px < 1e6; px = px * 1.1 + 1) {
        stage_move(&s, at[0] + px, at[1] + px);
        assert_true(s.now.t.z + s.drag.press[0] < 5);
        assert_true(s.now.t.z >= last);
        last = s.now.t.z;
    }
    assert_int_equal(s.solved, GZ_SOLVE_CLAMPED);
}

TEST(test_axis_answer_does_not_depend_on_repeats)
{
    struct stage s = stage_of(camera_at(-1, 1, 5), node_at(0, 0, 0));
    assert_int_equal(stage_press_point(&s, GZ_TZ, (gz_vec3){0, 0, 0.2}), GZ_SOLVE_OK);
    stage_move_point(&s, (gz_vec3){0, 0, -3.8});
    assert_near(s.now.t.z, -4, 1e-12);
    gz_trs first = s.now;
    for (int i = 0; i < 6; i++) {
        stage_move_point(&s, (gz_vec3){0, 0, -3.8});
        assert_true(gz_trs_same(&s.now, &first));
    }
}

TEST(test_ring_small_and_opposite_angles_are_followed)
{
    static const double degrees[] = {1e-6, 0.5, 2, 2.5, 2.6, 90, 179.999, 180};
    struct stage s = stage_of(camera_at(0, 0, 5), node_at(0, 0, 0));
    double r = s.gizmo.size;
    assert_int_equal(stage_press_point(&s, GZ_RZ, (gz_vec3){r, 0, 0}), GZ_SOLVE_OK);
    for (size_t i = 0; i < COUNT(degrees); i++) {
        double a = degrees[i] * DEGREES;
        stage_move_point(&s, (gz_vec3){r * cos(a), r * sin(a), 0});
        assert_near(fabs(s.motion.value[0]) / DEGREES, degrees[i], 1e-9);
        gz_vec3 x = gz_rotate(s.now.r, (gz_vec3){1, 0, 0});
        assert_vec3(x, cos(a), sin(a), 0, 1e-13);
    }
}

TEST(test_ring_traced_by_a_quarter_turns_a_quarter)
{
    struct stage s = stage_of(camera_at(0, 2, 5), node_at(0, 0, 0));
    double r = s.gizmo.size;
    assert_int_equal(stage_press_point(&s, GZ_RY, (gz_vec3){0, 0, r}), GZ_SOLVE_OK);
    for (int step = 1; step <= 90; step++) {
        double a = step * DEGREES;
        stage_move_point(&s, (gz_vec3){r * sin(a), 0, r * cos(a)});
        assert_near(s.motion.value[0] / DEGREES, step, 1e-9);
        assert_vec3(gz_rotate(s.now.r, (gz_vec3){0, 0, 1}), sin(a), 0, cos(a), 1e-13);
    }
}

TEST(test_ring_edge_on_keeps_gain)
{
    struct stage s = stage_of(camera_at(0, 0, 5), node_at(0, 0, 0));
    double radius_px = 96, last = 0;
    assert_int_equal(stage_press(&s, GZ_RY, 960, 540), GZ_SOLVE_OK);
    assert_int_equal(s.drag.rule, GZ_RULE_RING_TANGENT);
    for (int px = -200; px <= 200; px++) {
        stage_move(&s, 960 + px, 540);
        if (px > -200)
            assert_true(s.motion.value[0] - last < 2 / radius_px && s.motion.value[0] > last);
        last = s.motion.value[0];
    }
    /* The grabbed point is the ring's nearest, where a pixel is less of the world than at the
     * centre. */
    double front = (5 - s.gizmo.size) / 5;
    stage_move(&s, 961, 540);
    assert_near(s.motion.value[0], front / radius_px, 1e-12);
}

/* Seen from straight above the axis a place on the ring is a place on its tangent: half a radius
 * across is 30 degrees round. */
TEST(test_ring_edge_on_arm_points_to_the_press)
{
    struct stage s =
        stage_of(camera_ortho((gz_vec3){0, 0, 5}, (gz_vec3){0, 0, 0}, 10), node_at(0, 0, 0));
    static const double across[] = {0, 0.5, -1, 1.25};
    static const double degrees[] = {0, 30, -90, 90};
    gz_vec3 axis, arm;
    for (size_t i = 0; i < COUNT(across); i++) {
        assert_int_equal(stage_press(&s, GZ_RY, 960 + across[i] * 96, 540), GZ_SOLVE_OK);
        assert_int_equal(s.drag.rule, GZ_RULE_RING_TANGENT);
        assert_true(gz_drag_ring(&s.drag, &axis, &arm));
        assert_vec3(axis, 0, 1, 0, 0);
        assert_vec3(arm, sin(degrees[i] * DEGREES), 0, cos(degrees[i] * DEGREES), 1e-7);
    }
    assert_int_equal(stage_press(&s, GZ_TX, 960, 540), GZ_SOLVE_OK);
    assert_false(gz_drag_ring(&s.drag, &axis, &arm));
}

TEST(test_ring_across_the_horizon_is_continuous)
{
    struct stage s = stage_of(camera_at(0, 0.9, 5), node_at(0, 0, 0));
    double r = s.gizmo.size;
    assert_int_equal(stage_press_point(&s, GZ_RY, (gz_vec3){0, 0, r}), GZ_SOLVE_OK);
    for (double x = -700; x <= 700; x += 350) {
        double last = 0;
        for (double y = 545; y > 535; y -= 0.01) {
            assert_int_equal(stage_move(&s, 960 + x, y), GZ_SOLVE_OK);
            if (y < 545) assert_true(fabs(s.motion.value[0] - last) < 0.01 * DEGREES);
            last = s.motion.value[0];
        }
    }
}

TEST(test_ring_snap_stays_on_the_grid_past_a_half_turn)
{
    static const double degrees[] = {100, 179, 181, 190, 210};
    static const double want[] = {100, 200, 200, 200, 200};
    struct stage s = stage_of(camera_at(0, 0, 5), node_at(0, 0, 0));
    s.tool.snap = (struct gz_snap){.r = 50 * DEGREES, .on = true};
    double r = s.gizmo.size;
    assert_int_equal(stage_press_point(&s, GZ_RZ, (gz_vec3){r, 0, 0}), GZ_SOLVE_OK);
    for (size_t i = 0; i < COUNT(degrees); i++) {
        double a = degrees[i] * DEGREES;
        stage_move_point(&s, (gz_vec3){r * cos(a), r * sin(a), 0});
        assert_near(s.motion.value[0] / DEGREES, want[i], 1e-12);
    }
}

TEST(test_ring_many_turns_stay_exact)
{
    struct stage s = stage_of(camera_at(0, 0, 5), node_at(0, 0, 0));
    double r = s.gizmo.size;
    assert_int_equal(stage_press_point(&s, GZ_RZ, (gz_vec3){r, 0, 0}), GZ_SOLVE_OK);
    for (int step = 1; step <= 20 * 8 + 1; step++) {
        double a = step * 45 * DEGREES;
        stage_move_point(&s, (gz_vec3){r * cos(a), r * sin(a), 0});
        assert_near(s.motion.value[0] / DEGREES, step * 45, 1e-9);
    }
    assert_vec3(gz_rotate(s.now.r, (gz_vec3){1, 0, 0}), cos(45 * DEGREES), sin(45 * DEGREES), 0,
                1e-13);
}

TEST(test_snap_ignores_what_is_less_than_half_a_step)
{
    struct stage s = stage_of(camera_at(0, 0, 5), node_at(0, 0, 0));
    s.tool.snap = (struct gz_snap){.t = 0.25, .r = 15 * DEGREES, .s = 0.1, .on = true};
    double r = s.gizmo.size;
    static const double degrees[] = {-0.1, -0.01, 0};
    assert_int_equal(stage_press_point(&s, GZ_RZ, (gz_vec3){r, 0, 0}), GZ_SOLVE_OK);
    for (size_t i = 0; i < COUNT(degrees); i++) {
        double a = degrees[i] * DEGREES;
        stage_move_point(&s, (gz_vec3){r * cos(a), r * sin(a), 0});
        assert_true(gz_trs_same(&s.now, &s.target.local));
    }
    assert_int_equal(stage_press_point(&s, GZ_TX, (gz_vec3){0.097, 0, 0}), GZ_SOLVE_OK);
    stage_move_point(&s, (gz_vec3){0.097, 0, 0});
    assert_true(gz_trs_same(&s.now, &s.target.local));
}

TEST(test_snap_has_no_memory_between_drags)
{
    struct stage s = stage_of(camera_at(0, 0, 5), node_at(0, 0, 0));
    s.tool.snap = (struct gz_snap){.t = 0.25, .r = 15 * DEGREES, .on = true};
    double r = s.gizmo.size, a = 12 * DEGREES;
    for (int drag = 1; drag <= 3; drag++) {
        assert_int_equal(stage_press_point(&s, GZ_RZ, (gz_vec3){r, 0, 0}), GZ_SOLVE_OK);
        stage_move_point(&s, (gz_vec3){r * cos(a), r * sin(a), 0});
        s.target.local = s.now;
        assert_near(2 * atan2(s.now.r.z, s.now.r.w) / DEGREES, 15 * drag, 1e-12);
    }
    assert_int_equal(stage_press_point(&s, GZ_TX, (gz_vec3){0.2, 0, 0}), GZ_SOLVE_OK);
    stage_move_point(&s, (gz_vec3){1.2, 0, 0});
    assert_near(s.now.t.x, 1, 0);
    stage_move_point(&s, (gz_vec3){0.2, 0, 0});
    assert_near(s.now.t.x, 0, 0);
}

TEST(test_scale_is_the_ratio_of_places)
{
    static const struct {
        enum gz_handle handle;
        double x, y, z;
    } cases[] = {{GZ_SX, 1, 0, 0}, {GZ_SY, 0, 1, 0}, {GZ_SXY, 1, 1, 0}, {GZ_SU, 0.7, 0.3, 0}};
    struct stage s = stage_of(camera_at(0, 0, 5), node_at(0, 0, 0));
    s.target.local.s = (gz_vec3){2, -3, 4};
    stage_build(&s);
    for (size_t i = 0; i < COUNT(cases); i++) {
        gz_vec3 place = {cases[i].x * 0.2, cases[i].y * 0.2, cases[i].z * 0.2};
        assert_int_equal(stage_press_point(&s, cases[i].handle, place), GZ_SOLVE_OK);
        stage_move_point(&s, gz_scale(place, 2));
        assert_near(s.motion.value[0], 2, 1e-12);
        bool all = cases[i].handle == GZ_SU;
        assert_near(s.now.s.x, all || cases[i].x > 0 ? 4 : 2, 1e-11);
        assert_near(s.now.s.y, all || cases[i].y > 0 ? -6 : -3, 1e-11);
        assert_near(s.now.s.z, all ? 8 : 4, 1e-11);
        assert_memory_equal(&s.now.t, &s.target.local.t, sizeof s.now.t);
        assert_memory_equal(&s.now.r, &s.target.local.r, sizeof s.now.r);
    }
}

TEST(test_scale_pressed_at_the_centre_is_finite)
{
    static const enum gz_handle handles[] = {GZ_SX, GZ_SXY, GZ_SU};
    struct stage s = stage_of(camera_at(0, 0, 5), node_at(0, 0, 0));
    for (size_t i = 0; i < COUNT(handles); i++) {
        assert_int_equal(stage_press(&s, handles[i], 960, 540), GZ_SOLVE_OK);
        stage_move(&s, 960 + 48, 540 - 48);
        assert_true(s.now.s.x > 1.2 && s.now.s.x < 2.5);
        stage_move(&s, 960, 540);
        assert_true(gz_trs_same(&s.now, &s.target.local));
    }
}

TEST(test_far_from_the_origin_a_metre_is_a_metre)
{
    static const double places[] = {0, 1e4, 1e5, 1e6, 1e7};
    for (size_t i = 0; i < COUNT(places); i++) {
        double t = places[i];
        gz_vec3 eye = {t + 3, t + 2, t + 8}, target = {t, t, t};
        struct stage s = stage_of(camera_look(eye, target), node_at(t, t, t));
        assert_int_equal(stage_press_point(&s, GZ_TX, (gz_vec3){t + 0.5, t, t}), GZ_SOLVE_OK);
        stage_move_point(&s, (gz_vec3){t + 1.5, t, t});
        assert_near(s.now.t.x - t, 1, 1e-12 + t * 4e-16);
        assert_near(s.now.t.y, t, 0);
    }
}

TEST(test_ortho_ring_does_not_depend_on_distance)
{
    static const double away[] = {5, 50, 500};
    double first = 0;
    for (size_t i = 0; i < COUNT(away); i++) {
        gz_vec3 eye = {0.6 * away[i], 0.4 * away[i], 0.7 * away[i]};
        struct stage s = stage_of(camera_ortho(eye, (gz_vec3){0, 0, 0}, 10), node_at(0, 0, 0));
        assert_int_equal(stage_press(&s, GZ_RX, 1000, 500), GZ_SOLVE_OK);
        stage_move(&s, 1000, 600);
        if (i == 0) first = s.motion.value[0];
        assert_near(s.motion.value[0], first, 1e-12);
    }
    assert_true(fabs(first) > 0.01);
}

TEST(test_local_axis_follows_a_stretched_parent)
{
    struct stage s = stage_of(camera_at(0, 0, 5), node_at(0, 0, 0));
    s.target.parent.linear.x.x = 2;
    s.target.local.r = gz_quat_about((gz_vec3){0, 0, 1}, 45 * DEGREES);
    s.tool.space = GZ_SPACE_LOCAL;
    stage_build(&s);
    assert_vec3(s.gizmo.axes[0], 2 / sqrt(5), 1 / sqrt(5), 0, 1e-15);
    gz_vec3 from = gz_scale(s.gizmo.axes[0], 0.3), to = gz_scale(s.gizmo.axes[0], 1.3);
    assert_int_equal(stage_press_point(&s, GZ_TX, from), GZ_SOLVE_OK);
    stage_move_point(&s, to);
    gz_vec3 world = gz_affine_apply(&s.target.parent, s.now.t);
    assert_vec3(world, 2 / sqrt(5), 1 / sqrt(5), 0, 1e-13);
}

TEST(test_view_plane_snap_has_no_memory)
{
    struct stage s =
        stage_of(camera_look((gz_vec3){4, 3, 6}, (gz_vec3){0, 0, 0}), node_at(0, 0, 0));
    s.tool.snap = (struct gz_snap){.t = 0.3, .on = true};
    assert_int_equal(stage_press(&s, GZ_TV, 960, 540), GZ_SOLVE_OK);
    stage_move(&s, 1200, 400);
    gz_trs direct = s.now;
    stage_move(&s, 100, 900);
    stage_move(&s, 1200, 400);
    assert_true(gz_trs_same(&s.now, &direct));
    assert_near(remainder(s.motion.value[0], 0.3), 0, 1e-15);
    assert_near(remainder(s.motion.value[1], 0.3), 0, 1e-15);
    stage_move(&s, 960, 540);
    assert_true(gz_trs_same(&s.now, &s.target.local));
}

TEST(test_plane_beyond_the_horizon_stops_and_comes_back)
{
    struct stage s = stage_of(camera_at(0, 2, 5), node_at(0, 0, 0));
    assert_int_equal(stage_press(&s, GZ_TZX, 1000, 800), GZ_SOLVE_OK);
    double last = 1;
    for (double y = 800; y > 0; y -= 0.5) {
        stage_move(&s, 1000, y);
        assert_true(s.now.t.z <= last && s.now.t.z > -2e3);
        assert_near(s.now.t.y, 0, 0);
        last = s.now.t.z;
    }
    assert_int_equal(s.solved, GZ_SOLVE_CLAMPED);
    assert_near(atan2(2, 5 - (s.now.t.z + s.drag.press[0])) / DEGREES, 0.1, 0.01);
    assert_int_equal(stage_move(&s, 1000, 800), GZ_SOLVE_OK);
    assert_true(gz_trs_same(&s.now, &s.target.local));
}

TEST(test_ball_gain_does_not_depend_on_distance)
{
    static const double away[] = {1.2, 5, 1000};
    for (enum gz_ball ball = GZ_BALL_SHOEMAKE; ball <= GZ_BALL_CHEN; ball++) {
        double first = 0;
        for (size_t i = 0; i < COUNT(away); i++) {
            struct stage s = stage_of(camera_at(0, 0, away[i]), node_at(0, 0, 0));
            s.tool.ball = ball;
            assert_int_equal(stage_press(&s, GZ_RB, 960, 540), GZ_SOLVE_OK);
            stage_move(&s, 970, 540);
            if (i == 0) first = s.motion.value[0];
            assert_near(s.motion.value[0], first, 1e-12);
        }
        assert_true(first > 0.09);
    }
}

TEST(test_gizmo_near_the_near_plane_is_usable)
{
    struct gz_camera camera = camera_at(0, 0, 0);
    struct gz_camera_input input = camera.input;
    input.proj[10] = -10 / 9.0;
    input.proj[14] = -10 / 9.0;
    assert_true(gz_camera_prepare(&camera, &input, NULL));
    struct stage s = stage_of(camera, node_at(0.1, 0.1, -1.5));
    gz_vec3 grip = {0.1 + 0.7 * s.gizmo.size, 0.1, -1.5};
    struct gz_pointer pointer = {0};
    stage_image(&s, grip, pointer.at);
    s.tool.mode = s.gizmo.mode = GZ_MODE_TRANSLATE;
    stage_build(&s);
    assert_int_equal(gz_gizmo_pick(&s.gizmo, &s.tool, &s.camera, &pointer), GZ_TX);
    assert_int_equal(stage_press_point(&s, GZ_TX, grip), GZ_SOLVE_OK);
}

TEST(test_ball_closed_path_returns_the_start)
{
    struct stage s = stage_of(camera_at(0, 0, 5), node_at(0, 0, 0));
    s.target.local.r = gz_quat_about((gz_vec3){0.6, 0.8, 0}, 1);
    stage_build(&s);
    for (enum gz_ball ball = GZ_BALL_EXACT; ball < GZ_BALL_COUNT; ball++) {
        s.tool.ball = ball;
        assert_int_equal(stage_press(&s, GZ_RB, 960 + 48, 540), GZ_SOLVE_OK);
        for (int step = 0; step <= 360; step++)
            stage_move(&s, 960 + 48 * cos(step * DEGREES), 540 + 48 * sin(step * DEGREES));
        stage_move(&s, 960 + 48, 540);
        assert_true(gz_trs_same(&s.now, &s.target.local));
    }
}

TEST(test_press_that_misses_starts_no_drag)
{
    struct stage s = stage_of(camera_at(0, 2, 5), node_at(0, 0, 0));
    assert_int_equal(stage_press(&s, GZ_TZX, 960, 200), GZ_SOLVE_NONE);
    assert_int_equal(stage_press(&s, GZ_RY, 960, 200), GZ_SOLVE_NONE);
    assert_int_equal(stage_press(&s, GZ_HANDLE_NONE, 960, 700), GZ_SOLVE_NONE);
    assert_int_equal(stage_press(&s, GZ_HANDLE_COUNT, 960, 700), GZ_SOLVE_NONE);
    assert_int_equal(stage_press(&s, GZ_TX, NAN, 700), GZ_SOLVE_NONE);
}
