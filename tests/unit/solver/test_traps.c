/* Mistakes that published descriptions of axis, plane and ring handles make, each with its own
 * numbers. A test is named after what holds instead. The balls' are
 * in test_traps_balls.c. */
#include "unit/solver/stage.h"

#define FOCAL_PX (540 / tan(30 * DEGREES))

/* A node at `place` and a gizmo whose axes are `size` metres long, for rays without a camera. */
struct bare {
    struct gz_target target;
    struct gz_tool tool;
    struct gz_gizmo gizmo;
    struct gz_drag drag;
    struct gz_motion motion;
};

static struct bare bare_at(gz_vec3 place, double size)
{
    struct bare b = {.target = node_at(place.x, place.y, place.z),
                     .tool = gz_tool_default,
                     .motion = gz_motion_none};
    b.tool.mode = GZ_MODE_UNIVERSAL;
    b.tool.size_px = size / (GZ_RAY_METRES * GZ_RAY_RADIANS_PER_PX);
    assert_true(gz_gizmo_build(&b.gizmo, &b.tool, NULL, NULL, &b.target, 1, 0));
    return b;
}

static struct gz_pointer ray(gz_vec3 origin, gz_vec3 direction)
{
    return (struct gz_pointer){.is_ray = true, .origin = origin, .direction = direction};
}

static struct gz_pointer ray_through(gz_vec3 origin, gz_vec3 point)
{
    return ray(origin, gz_sub(point, origin));
}

static enum gz_solve bare_press(struct bare *b, enum gz_handle handle, struct gz_pointer pointer)
{
    b->motion = gz_motion_none;
    return gz_drag_begin(&b->drag, handle, &b->gizmo, &b->tool, NULL, &pointer, 0);
}

static enum gz_solve bare_move(struct bare *b, struct gz_pointer pointer)
{
    return gz_drag_solve(&b->drag, NULL, &pointer, 0, &b->motion);
}

/* The least tangent of the angle from a ray to the drawn half of the circle about `centre` across
 * +z, in a ray's pixels. */
static double circle_px(gz_vec3 centre, double radius, struct gz_pointer pointer)
{
    gz_vec3 along, viewer = gz_sub(pointer.origin, centre);
    double best = HUGE_VAL;
    assert_true(gz_normalize(pointer.direction, &along));
    for (double a = 0; a < 2 * M_PI; a += 1e-5) {
        gz_vec3 arm = {radius * cos(a), radius * sin(a), 0},
                way = gz_sub(gz_add(centre, arm), pointer.origin);
        if (gz_dot(arm, viewer) < 0 || gz_dot(way, along) <= 0) continue;
        best = fmin(best,
                    gz_length(gz_cross(way, along)) / gz_dot(way, along) / GZ_RAY_RADIANS_PER_PX);
    }
    return best;
}

/* ---- Lines and rings by rays ---- */

TEST(test_nearest_place_of_skew_lines_has_its_sign_and_distance)
{
    struct bare b = bare_at((gz_vec3){0, 0, 0}, 5);
    b.tool.axis_method = GZ_AXIS_CLOSEST;
    struct gz_pointer pointer = ray((gz_vec3){3, 4, -10}, (gz_vec3){0, 0, 1});
    assert_int_equal(bare_press(&b, GZ_TX, ray((gz_vec3){0, 4, -10}, (gz_vec3){0, 0, 1})),
                     GZ_SOLVE_OK);
    assert_int_equal(bare_move(&b, pointer), GZ_SOLVE_OK);
    assert_near(b.motion.value[0], 3, 1e-14);
    double px = gz_gizmo_distance(&b.gizmo, &b.tool, NULL, &pointer, GZ_TX);
    assert_near(px * GZ_RAY_RADIANS_PER_PX * 10, 4, 1e-12);
}

TEST(test_nearly_parallel_lines_cross_where_they_cross)
{
    static const double angles[] = {1e-1, 1e-3, 1e-4, 1e-5};
    static const double aways[] = {1100,
                                   900}; /* with the node before the ray's origin, and behind it */
    struct bare b = bare_at((gz_vec3){0, 0, 0}, 5);
    b.tool.axis_method = GZ_AXIS_CLOSEST;
    b.tool.edge_rad = 0;
    for (size_t i = 0; i < COUNT(angles) * COUNT(aways); i++) {
        double angle = angles[i / COUNT(aways)], away = aways[i % COUNT(aways)];
        assert_int_equal(bare_press(&b, GZ_TX, ray((gz_vec3){0, 10, 0}, (gz_vec3){0, -1, 0})),
                         GZ_SOLVE_OK);
        gz_vec3 direction = {cos(angle), sin(angle), 0};
        gz_vec3 origin = gz_sub((gz_vec3){1000, 0, 0}, gz_scale(direction, away));
        assert_int_equal(bare_move(&b, ray(origin, direction)), GZ_SOLVE_OK);
        assert_near(b.motion.value[0], 1000, 1e-12 / angle);
    }
}

TEST(test_parallel_ray_has_no_place_and_leaves_the_last)
{
    struct bare b = bare_at((gz_vec3){0, 0, 0}, 5);
    b.tool.axis_method = GZ_AXIS_CLOSEST;
    b.tool.edge_rad = 0;
    const struct gz_pointer parallel = ray((gz_vec3){0, 4, 0}, (gz_vec3){1, 0, 0});
    assert_int_equal(bare_press(&b, GZ_TX, parallel), GZ_SOLVE_NONE);
    assert_int_equal(bare_press(&b, GZ_TX, ray((gz_vec3){0, 4, 0}, (gz_vec3){0, -1, 0})),
                     GZ_SOLVE_OK);
    assert_int_equal(bare_move(&b, ray((gz_vec3){2, 4, 0}, (gz_vec3){0, -1, 0})), GZ_SOLVE_OK);
    struct gz_motion last = b.motion;
    assert_int_equal(bare_move(&b, parallel), GZ_SOLVE_KEPT);
    assert_memory_equal(&b.motion, &last, sizeof last);
}

TEST(test_ring_away_from_the_origin_is_where_its_centre_is)
{
    struct bare here = bare_at((gz_vec3){0, 0, 0}, 1), there = bare_at((gz_vec3){100, 0, 0}, 1);
    for (double x = 0.1; x < 2; x += 0.1) {
        const struct gz_pointer a = ray((gz_vec3){x, 0.25, 5}, (gz_vec3){0, 0, -1});
        const struct gz_pointer b = ray((gz_vec3){100 + x, 0.25, 5}, (gz_vec3){0, 0, -1});
        double px = gz_gizmo_distance(&here.gizmo, &here.tool, NULL, &a, GZ_RZ);
        assert_near(gz_gizmo_distance(&there.gizmo, &there.tool, NULL, &b, GZ_RZ), px, 1e-9);
        assert_near(px, circle_px((gz_vec3){0, 0, 0}, 1, a), 0.01);
    }
}

TEST(test_ray_in_the_rings_plane_is_near_what_it_passes)
{
    struct bare b = bare_at((gz_vec3){100, 0, 0}, 1);
    const struct gz_pointer pointer = ray((gz_vec3){95, 0.9, 0.1}, (gz_vec3){1, 0, 0});
    double px = gz_gizmo_distance(&b.gizmo, &b.tool, NULL, &pointer, GZ_RZ);
    double away = 5 - sqrt(1 - 0.9 * 0.9); /* of the circle's point that the ray passes at 0.1 */
    assert_near(px, circle_px((gz_vec3){100, 0, 0}, 1, pointer), 0.01);
    assert_true(px <= 0.1 / away / GZ_RAY_RADIANS_PER_PX + 0.01);
}

TEST(test_grazed_ring_is_as_near_as_it_looks)
{
    static const double above[] = {0.01, 0.02, 0.029, 0.03};
    struct bare b = bare_at((gz_vec3){0, 0, 0}, 1);
    const gz_vec3 eye = {0, -10, 0.3}, edge = {0, -1, 0};
    for (size_t i = 0; i < COUNT(above); i++) {
        const struct gz_pointer pointer = ray_through(eye, gz_add(edge, (gz_vec3){0, 0, above[i]}));
        double px = gz_gizmo_distance(&b.gizmo, &b.tool, NULL, &pointer, GZ_RZ);
        assert_near(px, circle_px((gz_vec3){0, 0, 0}, 1, pointer), 0.01);
        assert_true(px <= above[i] / 9 / GZ_RAY_RADIANS_PER_PX);
    }
}

TEST(test_plane_behind_the_ray_is_not_hit)
{
    struct bare b = bare_at((gz_vec3){0, 0, 0}, 1);
    const gz_vec3 eye = {0, 2, 5};
    assert_int_equal(bare_press(&b, GZ_TZX, ray(eye, (gz_vec3){0, 1, -1})), GZ_SOLVE_NONE);
    assert_int_equal(bare_press(&b, GZ_TZX, ray_through(eye, (gz_vec3){0, 0, 0})), GZ_SOLVE_OK);
    assert_int_equal(bare_move(&b, ray(eye, (gz_vec3){0, 1, -1})), GZ_SOLVE_CLAMPED);
    assert_true(b.motion.translation.z <
                -100); /* away from the viewer; the mirrored hit is at +7 */
    assert_int_equal(bare_press(&b, GZ_RY, ray_through(eye, (gz_vec3){0, 0, 1})), GZ_SOLVE_OK);
    double last = 0;
    for (double rise = -1; rise < 1; rise += 0.001) {
        assert_int_equal(bare_move(&b, ray(eye, (gz_vec3){0.5, rise, -1})), GZ_SOLVE_OK);
        if (rise > -1) assert_true(fabs(b.motion.value[0] - last) < 1 * DEGREES);
        last = b.motion.value[0];
    }
}

/* ---- Angles and sums ---- */

TEST(test_ring_without_motion_and_at_a_half_turn_is_finite)
{
    struct stage s = stage_of(camera_at(0, 0, 5), node_at(0, 0, 0));
    assert_int_equal(stage_press(&s, GZ_RZ, 960 + 96, 540), GZ_SOLVE_OK);
    assert_int_equal(stage_move(&s, 960 + 96, 540), GZ_SOLVE_OK);
    assert_true(gz_trs_same(&s.now, &s.target.local));
    assert_int_equal(stage_move(&s, 960 - 96, 540), GZ_SOLVE_OK);
    assert_near(fabs(s.motion.value[0]), M_PI, 1e-15);
    assert_vec3(gz_rotate(s.now.r, (gz_vec3){1, 0, 0}), -1, 0, 0, 1e-15);
}

TEST(test_ring_loses_no_small_step)
{
    static const double steps[] = {1e-6, 0.01, 0.031, 0.078, 0.2};
    struct stage s = stage_of(camera_at(0, 0, 5), node_at(0, 0, 0));
    double r = s.gizmo.size;
    for (size_t i = 0; i < COUNT(steps); i++) {
        double last = 0;
        assert_int_equal(stage_press_point(&s, GZ_RZ, (gz_vec3){r, 0, 0}), GZ_SOLVE_OK);
        for (int n = 1; n <= 9000; n++) {
            double a = n * steps[i] * DEGREES;
            stage_move_point(&s, (gz_vec3){r * cos(a), r * sin(a), 0});
            assert_true(s.motion.value[0] > last);
            last = s.motion.value[0];
        }
        assert_near(last / DEGREES, 9000 * steps[i], 1e-9);
    }
}

/* The same end from one event or from a thousand on a winding way. */
static void check_sums_do_not_matter(enum gz_handle handle)
{
    struct stage s =
        stage_of(camera_look((gz_vec3){2, 3, 6}, (gz_vec3){0, 0, 0}), node_at(0.1, 0.2, 0.3));
    assert_int_equal(stage_press(&s, handle, 1010, 500), GZ_SOLVE_OK);
    stage_move(&s, 1070, 470);
    gz_trs direct = s.now;
    assert_false(gz_trs_same(&direct, &s.target.local));
    assert_int_equal(stage_press(&s, handle, 1010, 500), GZ_SOLVE_OK);
    for (int n = 0; n < 1000; n++)
        stage_move(&s, 1010 + 0.06 * n + 20 * sin(n), 500 - 0.03 * n + 20 * cos(n));
    stage_move(&s, 1070, 470);
    assert_true(gz_trs_same(&s.now, &direct));
}

TEST(test_axis_place_is_not_a_sum_of_events)
{
    check_sums_do_not_matter(GZ_TX);
    check_sums_do_not_matter(GZ_SX);
    check_sums_do_not_matter(GZ_RZ);
}

TEST(test_plane_place_is_not_a_sum_of_events)
{
    check_sums_do_not_matter(GZ_TXY);
    check_sums_do_not_matter(GZ_TV);
}

/* ---- Cameras ---- */

/* Depth rows of GL, 0..1, reversed, infinite and reversed infinite projections. */
static const double depth_rows[][2] = {
    {-1.0002, -0.20002}, {-1.0001, -0.10001}, {1.0001e-4, 0.10001}, {-1, -0.2}, {0, 0.1}};

static void with_depth(struct stage *s, size_t row)
{
    struct gz_camera_input input = s->camera.input;
    input.proj[10] = depth_rows[row][0];
    input.proj[14] = depth_rows[row][1];
    assert_true(gz_camera_prepare(&s->camera, &input, NULL));
    stage_build(s);
}

TEST(test_depth_convention_changes_no_bit)
{
    static const enum gz_handle handles[] = {GZ_TX, GZ_TXY, GZ_RX, GZ_RB, GZ_SX};
    for (size_t h = 0; h < COUNT(handles); h++) {
        gz_trs first = gz_trs_identity;
        for (size_t row = 0; row < COUNT(depth_rows); row++) {
            struct stage s =
                stage_of(camera_look((gz_vec3){2, 3, 6}, (gz_vec3){0, 0, 0}), node_at(0, 0, 0));
            with_depth(&s, row);
            assert_int_equal(stage_press(&s, handles[h], 1010, 500), GZ_SOLVE_OK);
            stage_move(&s, 1100, 420);
            if (row == 0) first = s.now;
            assert_true(gz_trs_same(&s.now, &first));
        }
        assert_false(gz_trs_same(&first, &gz_trs_identity));
    }
}

TEST(test_hover_reaches_as_many_pixels_at_any_distance)
{
    static const double away[] = {0.3, 5, 1e4};
    for (size_t i = 0; i < COUNT(away); i++) {
        struct stage s = stage_of(camera_at(0, 0, away[i]), node_at(0, 0, 0));
        s.tool.mode = GZ_MODE_TRANSLATE;
        stage_build(&s);
        struct gz_pointer pointer = {.at = {960 + 40, 540 + 7.99}};
        assert_int_equal(gz_gizmo_pick(&s.gizmo, &s.tool, &s.camera, &pointer), GZ_TX);
        pointer.at[1] = 540 + 8.01;
        assert_int_equal(gz_gizmo_pick(&s.gizmo, &s.tool, &s.camera, &pointer), GZ_HANDLE_NONE);
    }
}

TEST(test_scale_multiplies_and_stays_positive)
{
    static const double places[] = {2, 1, 0.5, 0.1, 0, -1, -7};
    struct stage s = stage_of(camera_at(0, 0, 5), node_at(0, 0, 0));
    s.target.local.s.x = 3;
    stage_build(&s);
    assert_int_equal(stage_press_point(&s, GZ_SX, (gz_vec3){0.4, 0, 0}), GZ_SOLVE_OK);
    for (size_t i = 0; i < COUNT(places); i++) {
        stage_move_point(&s, (gz_vec3){0.4 * places[i], 0, 0});
        assert_true(s.now.s.x > 0);
        if (places[i] > 0) assert_near(s.now.s.x, 3 * places[i], 1e-12);
    }
}

TEST(test_two_drags_at_once_know_nothing_of_each_other)
{
    struct stage a = stage_of(camera_at(0, 0, 5), node_at(0, 0, 0)), alone = a;
    struct stage b =
        stage_of(camera_look((gz_vec3){4, 3, 2}, (gz_vec3){0, 1, 0}), node_at(0, 1, 0));
    assert_int_equal(stage_press(&alone, GZ_RZ, 1056, 540), GZ_SOLVE_OK);
    for (int n = 0; n < 100; n++) stage_move(&alone, 960 + 96 * cos(n), 540 + 96 * sin(n));
    assert_int_equal(stage_press(&a, GZ_RZ, 1056, 540), GZ_SOLVE_OK);
    assert_int_equal(stage_press(&b, GZ_RZ, 1000, 600), GZ_SOLVE_OK);
    for (int n = 0; n < 100; n++) {
        stage_move(&a, 960 + 96 * cos(n), 540 + 96 * sin(n));
        stage_move(&b, 900 + 7 * n, 600 - 3 * n);
    }
    assert_true(gz_trs_same(&a.now, &alone.now));
    assert_near(a.motion.value[0], alone.motion.value[0], 0);
}

/* ---- The axis on the screen ---- */

static struct stage axis_in_depth(void)
{
    return stage_of(camera_at(0, 0, 0), node_at(1, -1, -5));
}

TEST(test_axis_past_its_vanishing_point_keeps_its_sign)
{
    static const struct {
        double part, away;
    } cases[] = {{0.5, 5}, {0.9, 45}, {0.99, 495}, {1.1, 0}, {1.5, 0}, {9, 0}};
    double limit = M_SQRT2 / tan(asin(sin(5 * DEGREES) / 50)) - 5;
    struct stage s = axis_in_depth();
    double at[2];
    stage_image(&s, s.target.local.t, at);
    assert_int_equal(stage_press(&s, GZ_TZ, at[0], at[1]), GZ_SOLVE_OK);
    for (size_t i = 0; i < COUNT(cases); i++) {
        double part = cases[i].part;
        enum gz_solve solved =
            stage_move(&s, at[0] + part * (960 - at[0]), at[1] + part * (540 - at[1]));
        assert_int_equal(solved, part < 1 ? GZ_SOLVE_OK : GZ_SOLVE_CLAMPED);
        double away = part < 1 ? cases[i].away : limit;
        assert_near(s.motion.value[0], -away, 1e-9 * away);
    }
}

TEST(test_axis_is_followed_where_rays_are_nearly_parallel_to_it)
{
    static const double away[] = {100, 440, 450, 1000, 1e4, 1e5};
    struct stage s = axis_in_depth();
    s.tool.edge_rad = 0;
    assert_int_equal(stage_press_point(&s, GZ_TZ, s.target.local.t), GZ_SOLVE_OK);
    for (size_t i = 0; i < COUNT(away); i++) {
        assert_int_equal(stage_move_point(&s, (gz_vec3){1, -1, -5 - away[i]}), GZ_SOLVE_OK);
        assert_near(s.now.t.z, -5 - away[i], 1e-9 * away[i]);
    }
}

TEST(test_axis_whose_next_metre_is_behind_the_viewer_is_followed)
{
    static const struct {
        gz_vec3 place, axis;
    } cases[] = {{{0.5, 0, -0.5}, {0, 0, 1}}, {{0.05, 0.3, -0.2}, {0.29, 0, 0.96}}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        gz_vec3 p = cases[i].place, axis;
        assert_true(gz_normalize(cases[i].axis, &axis));
        struct stage s = stage_of(camera_at(0, 0, 0), node_at(p.x, p.y, p.z));
        s.target.local.r = gz_quat_about((gz_vec3){0, 1, 0}, atan2(axis.x, axis.z));
        s.tool.space = GZ_SPACE_LOCAL;
        stage_build(&s);
        assert_int_equal(stage_press_point(&s, GZ_TZ, p), GZ_SOLVE_OK);
        for (double way = -1; way < 0.09; way += 0.06) {
            assert_int_equal(stage_move_point(&s, gz_add(p, gz_scale(axis, way))), GZ_SOLVE_OK);
            assert_near(s.motion.value[0], way, 1e-12);
        }
    }
}

TEST(test_axis_needs_no_metre_to_measure_by)
{
    static const double sizes[] = {1e-9, 1e-3, 1, 295770, 1e9};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        double k = sizes[i];
        struct stage s = stage_of(camera_at(k, 2 * k, 5 * k), node_at(0, 0, 0));
        assert_int_equal(stage_press_point(&s, GZ_TZ, (gz_vec3){0, 0, 0.5 * k}), GZ_SOLVE_OK);
        assert_int_equal(stage_move_point(&s, (gz_vec3){0, 0, -0.7 * k}), GZ_SOLVE_OK);
        assert_near(s.now.t.z, -1.2 * k, 1e-13 * k);
    }
}

TEST(test_axis_far_from_the_origin_and_of_a_scaled_node_is_in_metres)
{
    static const double places[] = {0, 1e3, 1e4, 1e5, 1e6};
    for (size_t i = 0; i < COUNT(places); i++) {
        double t = places[i];
        struct stage s = stage_of(camera_look((gz_vec3){t + 3, t + 2, t + 8}, (gz_vec3){t, t, t}),
                                  node_at(t, t, t));
        s.target.local.s = (gz_vec3){7, 0.1, -3};
        s.tool.space = GZ_SPACE_LOCAL;
        stage_build(&s);
        assert_int_equal(stage_press_point(&s, GZ_TX, (gz_vec3){t, t, t}), GZ_SOLVE_OK);
        stage_move_point(&s, (gz_vec3){t + 1, t, t});
        assert_near(s.motion.value[0], 1, 1.5e-10);
    }
}

TEST(test_move_goes_through_the_parents_whole_linear_part)
{
    struct stage s = stage_of(camera_at(0, 0, 5), node_at(0, 0, 0));
    s.target.parent.linear = (gz_mat3){{2, 0, 0}, {0.5, 1, 0}, {0, 0, 1}};
    stage_build(&s);
    assert_int_equal(stage_press_point(&s, GZ_TX, (gz_vec3){0.3, 0, 0}), GZ_SOLVE_OK);
    stage_move_point(&s, (gz_vec3){1.3, 0, 0});
    assert_vec3(s.now.t, 0.5, 0, 0, 1e-14);
    assert_int_equal(stage_press_point(&s, GZ_TY, (gz_vec3){0, 0.3, 0}), GZ_SOLVE_OK);
    stage_move_point(&s, (gz_vec3){0, 1.3, 0});
    assert_vec3(s.now.t, -0.25, 1, 0, 1e-14);
}

TEST(test_infinite_far_plane_and_points_without_depth_are_no_division)
{
    struct stage s = stage_of(camera_at(0, 0, 0), node_at(0.2, 0.1, -5));
    with_depth(&s, COUNT(depth_rows) - 1);
    double at[2];
    assert_false(gz_camera_project(&s.camera, (gz_vec3){3, 1, 0}, at, NULL));
    assert_false(gz_camera_project(&s.camera, (gz_vec3){0, 0, 0}, at, NULL));
    assert_int_equal(stage_press(&s, GZ_TX, 1000, 520), GZ_SOLVE_OK);
    for (int n = 1; n < 100; n++) {
        stage_move(&s, 1000 + 0.001 * n, 520); /* less than the last digit of a pixel in floats */
        assert_near(s.motion.value[0], 0.001 * n * 5 / FOCAL_PX, 1e-12);
    }
}

TEST(test_axis_at_the_viewer_is_hidden_and_still_moves)
{
    struct stage s = stage_of(camera_at(0, 0, 5), node_at(0, 0, 0));
    assert_true((s.gizmo.handles & GZ_HANDLE_BIT(GZ_TZ)) == 0);
    assert_int_equal(stage_press(&s, GZ_TZ, 960, 540), GZ_SOLVE_OK);
    assert_int_equal(stage_move(&s, 960, 530), GZ_SOLVE_OK);
    assert_true(s.now.t.z < -0.01 && s.now.t.z > -5);
    stage_move(&s, 960, 540);
    assert_true(gz_trs_same(&s.now, &s.target.local));
}

/* ---- Planes ---- */

static struct stage skewed_child(gz_vec3 eye)
{
    struct stage s = stage_of(camera_look(eye, (gz_vec3){0, 0, 0}), node_at(0, 0, 0));
    s.target.parent.linear.x.x = 2;
    s.target.local.r = gz_quat_about((gz_vec3){0, 0, 1}, 45 * DEGREES);
    s.tool.space = GZ_SPACE_LOCAL;
    stage_build(&s);
    return s;
}

TEST(test_plane_of_a_skewed_child_holds_both_its_axes)
{
    struct stage s = skewed_child((gz_vec3){1, 4, 5});
    gz_vec3 x = s.gizmo.axes[0], z = s.gizmo.axes[2], from = gz_scale(gz_add(x, z), 0.3);
    assert_near(gz_dot(x, s.gizmo.axes[1]), -0.6, 1e-15);
    assert_int_equal(stage_press_point(&s, GZ_TZX, from), GZ_SOLVE_OK);
    assert_int_equal(stage_move_point(&s, gz_add(from, gz_scale(x, 0.7))), GZ_SOLVE_OK);
    assert_near(s.motion.value[0], 0, 1e-14);
    assert_near(s.motion.value[1], 0.7, 1e-14);
    gz_vec3 world = gz_affine_apply(&s.target.parent, s.now.t);
    assert_vec3(world, 0.7 * x.x, 0.7 * x.y, 0, 1e-14);
}

TEST(test_plane_method_faces_every_viewer)
{
    for (int degrees = 7; degrees < 360; degrees += 10) {
        double a = degrees * DEGREES;
        gz_vec3 eye = {1, 5 * cos(a), 5 * sin(a)};
        struct stage s = stage_of(camera_look(eye, (gz_vec3){0, 0, 0}), node_at(0, 0, 0));
        s.tool.axis_method = GZ_AXIS_PLANE;
        assert_int_equal(stage_press_point(&s, GZ_TX, (gz_vec3){0.3, 0, 0}), GZ_SOLVE_OK);
        gz_vec3 normal = gz_cross(s.drag.axes[0], s.drag.axes[1]),
                best = gz_sub(eye, (gz_vec3){1, 0, 0});
        assert_near(fabs(gz_dot(normal, best)) / 5, 1, 1e-14);
        assert_int_equal(stage_move_point(&s, (gz_vec3){1, 0, 0}), GZ_SOLVE_OK);
        assert_near(s.motion.value[0], 0.7, 1e-13);
    }
}

TEST(test_pointer_across_the_axis_moves_nothing_by_screen_or_plane)
{
    static const double across[] = {0.1, 0.2};
    for (enum gz_axis_method method = GZ_AXIS_SCREEN; method <= GZ_AXIS_PLANE; method++) {
        if (method == GZ_AXIS_CLOSEST) continue;
        struct stage s =
            stage_of(camera_look((gz_vec3){3, 2, 6}, (gz_vec3){0, 0, 0}), node_at(0, 0, 0));
        double a[2], b[2];
        s.tool.axis_method = method;
        stage_image(&s, (gz_vec3){0, 0, 0}, a);
        stage_image(&s, (gz_vec3){1, 0, 0}, b);
        double dx = b[0] - a[0], dy = b[1] - a[1], length = hypot(dx, dy);
        assert_int_equal(stage_press(&s, GZ_TX, a[0], a[1]), GZ_SOLVE_OK);
        for (size_t i = 0; i < COUNT(across); i++) {
            double px = across[i] * FOCAL_PX / length;
            assert_int_equal(stage_move(&s, a[0] - px * dy, a[1] + px * dx), GZ_SOLVE_OK);
            assert_near(s.now.t.x, 0, method == GZ_AXIS_SCREEN ? 1e-13 : 1e-12);
        }
    }
}

TEST(test_motion_is_projected_on_the_axis)
{
    struct stage s = stage_of(camera_at(0, 0, 5), node_at(0, 0, 0));
    s.target.local.r = gz_quat_about((gz_vec3){0, 0, 1}, 45 * DEGREES);
    s.tool.space = GZ_SPACE_LOCAL;
    stage_build(&s);
    assert_vec3(s.gizmo.axes[0], M_SQRT1_2, M_SQRT1_2, 0, 1e-15);
    assert_int_equal(stage_press_point(&s, GZ_TX, (gz_vec3){0, 0, 0}), GZ_SOLVE_OK);
    stage_move_point(&s, (gz_vec3){1, 0, 0});
    assert_vec3(s.now.t, 0.5, 0.5, 0, 1e-14);
}

TEST(test_near_plane_and_ortho_distance_change_no_answer)
{
    static const gz_box box = {{-1, -1, -1}, {1, 1, 1}};
    static const double nears[] = {1e-3, 0.1, 3}, aways[] = {5, 50, 500};
    const gz_affine world = gz_affine_identity;
    double distance;
    gz_vec3 point, first = {0, 0, 0};
    for (size_t i = 0; i < COUNT(nears); i++) {
        struct gz_camera camera = camera_at(0.2, 0.1, 5);
        struct gz_camera_input input = camera.input;
        input.proj[14] = -2 * nears[i];
        assert_true(gz_camera_prepare(&camera, &input, NULL));
        const struct gz_pointer pointer = {.at = {960, 540}};
        assert_true(gz_pick_node(&camera, &pointer, &world, &box, 8, &distance, &point));
        assert_near(distance, 4, 1e-14);
        camera = camera_ortho((gz_vec3){0.2 * aways[i], 0.1 * aways[i], aways[i]},
                              (gz_vec3){0, 0, 0}, 10);
        assert_true(gz_pick_node(&camera, &pointer, &world, &box, 8, &distance, &point));
        if (i == 0) first = point;
        assert_vec3(point, first.x, first.y, first.z, 1e-12);
    }
}

TEST(test_plane_that_the_ray_misses_or_grazes_is_no_drag)
{
    struct stage s = stage_of(camera_at(0, 2, 5), node_at(0, 0, 0));
    const double horizon = 540;
    double tenth = FOCAL_PX * tan(0.1 * DEGREES);
    assert_int_equal(stage_press(&s, GZ_TZX, 960, horizon - 100), GZ_SOLVE_NONE);
    assert_int_equal(stage_press(&s, GZ_TZX, 960, horizon), GZ_SOLVE_NONE);
    assert_int_equal(stage_press(&s, GZ_TZX, 960, horizon + 0.9 * tenth), GZ_SOLVE_NONE);
    assert_int_equal(stage_press(&s, GZ_TZX, 960, horizon + 1.1 * tenth), GZ_SOLVE_OK);
    assert_int_equal(stage_press(&s, GZ_TZX, 960, 800), GZ_SOLVE_OK);
    assert_int_equal(stage_move(&s, 960, horizon + 0.9 * tenth), GZ_SOLVE_CLAMPED);
    double limit = s.now.t.z;
    assert_int_equal(stage_move(&s, 960, horizon - 300), GZ_SOLVE_CLAMPED);
    assert_near(s.now.t.z, limit, 1e-6);
}
