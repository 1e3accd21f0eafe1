/* Faces and corners of the bounds as handles: which is which, what holds still, one node and
 * several, none. */
#include "unit/solver/stage.h"

static const gz_box box = {{-1, -0.5, -0.75}, {1, 1.5, 0.25}};

static const struct side {
    enum gz_handle handle;
    int at[3];
} sides[] = {
    {GZ_BXN, {-1, 0, 0}},   {GZ_BXP, {1, 0, 0}},   {GZ_BYN, {0, -1, 0}},    {GZ_BYP, {0, 1, 0}},
    {GZ_BZN, {0, 0, -1}},   {GZ_BZP, {0, 0, 1}},   {GZ_BNNN, {-1, -1, -1}}, {GZ_BNNP, {-1, -1, 1}},
    {GZ_BNPN, {-1, 1, -1}}, {GZ_BNPP, {-1, 1, 1}}, {GZ_BPNN, {1, -1, -1}},  {GZ_BPNP, {1, -1, 1}},
    {GZ_BPPN, {1, 1, -1}},  {GZ_BPPP, {1, 1, 1}},
};

static gz_vec3 place_in(const gz_box *within, const int at[3], int sign)
{
    gz_vec3 centre = gz_box_centre(within), half = gz_scale(gz_sub(within->max, within->min), 0.5);
    gz_vec3 side = {at[0] * sign, at[1] * sign, at[2] * sign};
    return gz_add(centre, gz_times(half, side));
}

static gz_vec3 place_of(const struct gz_target *target, const gz_trs *local, const int at[3],
                        int sign)
{
    gz_affine own = gz_affine_from_trs(local), world = gz_affine_multiply(&target->parent, &own);
    return gz_affine_apply(&world, place_in(target->bounds, at, sign));
}

static gz_quat about(double x, double y, double z, double degrees)
{
    gz_vec3 axis = {x, y, z};
    assert_true(gz_normalize(axis, &axis));
    return gz_quat_about(axis, degrees * DEGREES);
}

/* Turned, mirrored in y, beneath a parent that is turned and stretched. */
static struct gz_target skewed(void)
{
    struct gz_target target = {
        {{0.3, -0.1, 0.2}, about(1, 2, 0, 40), {1, -0.7, 1.3}}, gz_affine_identity, &box};
    const gz_trs parent = {{-0.4, 0.2, 0.1}, about(0, 1, 3, 25), {1.5, 1, 0.8}};
    target.parent = gz_affine_from_trs(&parent);
    return target;
}

static struct stage stage_with_bounds(struct gz_target target)
{
    struct stage s = stage_of(camera_look((gz_vec3){2, 3, 9}, (gz_vec3){0, 0.2, 0}), target);
    s.tool.mode = GZ_MODE_BOUNDS;
    stage_build(&s);
    return s;
}

static void assert_place(gz_vec3 a, gz_vec3 b, double slack)
{
    assert_vec3(a, b.x, b.y, b.z, slack);
}

TEST(test_bounds_word_names_the_side_it_is_picked_on)
{
    struct stage s = stage_with_bounds(skewed());
    for (size_t i = 0; i < COUNT(sides); i++) {
        struct gz_pointer pointer = {0};
        stage_image(&s, place_of(&s.target, &s.target.local, sides[i].at, 1), pointer.at);
        assert_true((s.gizmo.handles & GZ_HANDLE_BIT(sides[i].handle)) != 0);
        assert_int_equal(gz_gizmo_pick(&s.gizmo, &s.tool, &s.camera, &pointer), sides[i].handle);
    }
}

TEST(test_side_pulled_leaves_the_opposite_one_and_stays_under_the_pointer)
{
    struct stage s = stage_with_bounds(skewed());
    s.tool.pivot = GZ_PIVOT_EACH; /* does not matter here */
    stage_build(&s);
    for (size_t i = 0; i < COUNT(sides); i++) {
        gz_vec3 pulled = place_of(&s.target, &s.target.local, sides[i].at, 1);
        gz_vec3 held = place_of(&s.target, &s.target.local, sides[i].at, -1);
        assert_int_equal(stage_press_point(&s, sides[i].handle, pulled), GZ_SOLVE_OK);
        gz_vec3 there = gz_add(held, gz_scale(gz_sub(pulled, held), 1.4));
        assert_int_equal(stage_move_point(&s, there), GZ_SOLVE_OK);
        assert_near(s.motion.value[0], 1.4, 1e-12);
        assert_near(s.residual, 0, 0);
        assert_place(place_of(&s.target, &s.now, sides[i].at, -1), held, 1e-12);
        assert_place(place_of(&s.target, &s.now, sides[i].at, 1), there, 1e-12);
        assert_memory_equal(&s.now.r, &s.target.local.r, sizeof s.now.r);
    }
}

TEST(test_face_scales_its_axis_alone_and_corner_all_alike)
{
    struct stage s = stage_with_bounds(skewed());
    gz_vec3 before = s.target.local.s;
    for (size_t i = 0; i < COUNT(sides); i++) {
        bool corner = sides[i].at[0] != 0 && sides[i].at[1] != 0;
        const double factor = 2.5;
        assert_int_equal(
            gz_drag_begin(&s.drag, sides[i].handle, &s.gizmo, &s.tool, &s.camera, NULL, 0),
            GZ_SOLVE_OK);
        assert_int_equal(gz_handle_value_count(sides[i].handle), 1);
        assert_int_equal(gz_drag_value(&s.drag, &factor, 1, &s.motion), GZ_SOLVE_OK);
        assert_true(gz_motion_apply(&s.motion, &s.target, &s.target.parent, &s.now, &s.residual));
        assert_near(s.now.s.x, before.x * (corner || sides[i].at[0] != 0 ? factor : 1), 0);
        assert_near(s.now.s.y, before.y * (corner || sides[i].at[1] != 0 ? factor : 1), 0);
        assert_near(s.now.s.z, before.z * (corner || sides[i].at[2] != 0 ? factor : 1), 0);
        assert_place(place_of(&s.target, &s.now, sides[i].at, -1),
                     place_of(&s.target, &s.target.local, sides[i].at, -1), 1e-12);
    }
    const double zero = 0;
    assert_int_equal(gz_drag_value(&s.drag, &zero, 1, &s.motion), GZ_SOLVE_NONE);
}

TEST(test_side_snaps_to_steps_of_its_factor)
{
    struct stage s = stage_with_bounds(skewed());
    s.target.local.s.x = 0.7;
    s.tool.snap = (struct gz_snap){.s = 0.25, .on = true};
    const int *at = sides[1].at;
    for (int absolute = 0; absolute < 2; absolute++) {
        s.tool.snap.absolute = absolute;
        stage_build(&s);
        gz_vec3 pulled = place_of(&s.target, &s.target.local, at, 1),
                held = place_of(&s.target, &s.target.local, at, -1);
        assert_int_equal(stage_press_point(&s, GZ_BXP, pulled), GZ_SOLVE_OK);
        assert_int_equal(stage_move_point(&s, gz_add(held, gz_scale(gz_sub(pulled, held), 1.45))),
                         GZ_SOLVE_OK);
        assert_near(absolute ? s.now.s.x : s.motion.value[0], absolute ? 1 : 1.5, 1e-15);
        assert_int_equal(stage_move_point(&s, pulled), GZ_SOLVE_OK);
        assert_true(gz_trs_same(&s.now, &s.target.local));
    }
}

TEST(test_side_pulled_past_the_opposite_one_stops_or_mirrors)
{
    struct stage s = stage_with_bounds(skewed());
    for (int mirror = 0; mirror < 2; mirror++)
        for (size_t i = 0; i < COUNT(sides); i++) {
            s.tool.mirror = mirror;
            gz_vec3 pulled = place_of(&s.target, &s.target.local, sides[i].at, 1);
            gz_vec3 held = place_of(&s.target, &s.target.local, sides[i].at, -1);
            assert_int_equal(stage_press_point(&s, sides[i].handle, pulled), GZ_SOLVE_OK);
            enum gz_solve solved =
                stage_move_point(&s, gz_sub(held, gz_scale(gz_sub(pulled, held), 0.5)));
            assert_int_equal(solved, mirror ? GZ_SOLVE_OK : GZ_SOLVE_CLAMPED);
            assert_near(s.motion.value[0], mirror ? -0.5 : GZ_FACTOR_MIN, 1e-12);
        }
}

TEST(test_fine_slows_a_side_from_where_it_is)
{
    struct stage s = stage_with_bounds(skewed());
    double at[2];
    stage_image(&s, place_of(&s.target, &s.target.local, sides[13].at, 1), at);
    assert_int_equal(stage_press(&s, GZ_BPPP, at[0], at[1]), GZ_SOLVE_OK);
    assert_int_equal(stage_move(&s, at[0] + 40, at[1] - 20), GZ_SOLVE_OK);
    double before = s.motion.value[0];
    assert_int_equal(stage_move_with(&s, at[0] + 40, at[1] - 20, 1u << GZ_MOD_FINE), GZ_SOLVE_OK);
    assert_near(s.motion.value[0], before, 1e-12);
    assert_int_equal(stage_move_with(&s, at[0] + 140, at[1] - 70, 1u << GZ_MOD_FINE), GZ_SOLVE_OK);
    double slowed = s.motion.value[0];
    assert_int_equal(stage_press(&s, GZ_BPPP, at[0], at[1]), GZ_SOLVE_OK);
    assert_int_equal(stage_move(&s, at[0] + 50, at[1] - 25), GZ_SOLVE_OK);
    assert_near(s.motion.value[0], slowed, 1e-12);
}

TEST(test_several_nodes_have_one_box_along_the_worlds_axes)
{
    struct stage s = stage_with_bounds(skewed());
    struct gz_target targets[3] = {node_at(2, 0, 0), node_at(-1, 1, 0), node_at(0, -3, 0.5)};
    targets[0].bounds = &box;
    targets[1].bounds = &box;
    targets[1].local.r =
        about(0, 0, 1, 45); /* its box is 2 by 2 metres: 2.83 across; targets[2] has none */
    assert_true(gz_gizmo_build(&s.gizmo, &s.tool, &s.camera, NULL, targets, 3, 0));
    double middle = 0.5 * M_SQRT1_2, across = 2 * M_SQRT1_2;
    const gz_box all = {{-1 - middle - across, -3, -0.75}, {3, 1 + middle + across, 0.5}};
    assert_place(s.gizmo.origin, gz_box_centre(&all), 1e-12);
    struct gz_pointer pointer = {0};
    stage_image(&s, place_in(&all, sides[0].at, 1), pointer.at);
    assert_int_equal(gz_gizmo_pick(&s.gizmo, &s.tool, &s.camera, &pointer), GZ_BXN);
    assert_int_equal(gz_drag_begin(&s.drag, GZ_BXN, &s.gizmo, &s.tool, &s.camera, &pointer, 0),
                     GZ_SOLVE_OK);
    const double factor = 2;
    assert_int_equal(gz_drag_value(&s.drag, &factor, 1, &s.motion), GZ_SOLVE_OK);
    for (int i = 0; i < 3; i++) {
        const struct gz_target *t = &targets[i];
        assert_true(gz_motion_apply(&s.motion, t, &t->parent, &s.now, &s.residual));
        assert_vec3(s.now.t, all.max.x + 2 * (t->local.t.x - all.max.x), t->local.t.y, t->local.t.z,
                    1e-12);
        if (i == 1) {
            assert_true(s.residual > 0.1); /* it would be sheared */
        } else {
            assert_near(s.residual, 0, 0);
            assert_vec3(s.now.s, 2, 1, 1, 0);
        }
    }
}

TEST(test_several_nodes_give_the_same_box_in_any_order)
{
    struct stage s = stage_with_bounds(skewed());
    struct gz_target targets[3] = {skewed(), node_at(0.1, 0.7, -0.3), skewed()};
    targets[2].local.t.x = 1.7;
    struct gz_gizmo one = s.gizmo, other = s.gizmo;
    assert_true(gz_gizmo_build(&one, &s.tool, &s.camera, NULL, targets, 3, 0));
    struct gz_target first = targets[0];
    targets[0] = targets[1];
    targets[1] = targets[2];
    targets[2] = first;
    assert_true(gz_gizmo_build(&other, &s.tool, &s.camera, NULL, targets, 3, 2));
    assert_memory_equal(&one.box_centre, &other.box_centre, sizeof one.box_centre);
    assert_memory_equal(one.box_half, other.box_half, sizeof one.box_half);
}

TEST(test_node_without_bounds_has_no_sides)
{
    struct gz_target target = skewed();
    target.bounds = NULL;
    struct stage s = stage_with_bounds(target);
    assert_int_equal(s.gizmo.handles, 0);
    assert_place(s.gizmo.origin, s.gizmo.place, 0);
    for (size_t i = 0; i < COUNT(sides); i++)
        assert_int_equal(stage_press(&s, sides[i].handle, 960, 500), GZ_SOLVE_NONE);
}

TEST(test_flat_box_is_not_pulled_across)
{
    const gz_box flat = {{-1, 0, -1}, {1, 0, 1}};
    struct gz_target target = node_at(0, 0, 0);
    target.bounds = &flat;
    struct stage s = stage_with_bounds(target);
    for (size_t i = 0; i < COUNT(sides); i++) {
        bool across = sides[i].handle == GZ_BYN || sides[i].handle == GZ_BYP;
        assert_int_equal((s.gizmo.handles >> sides[i].handle & 1) != 0, !across);
        gz_vec3 pulled = place_in(&flat, sides[i].at, 1);
        assert_int_equal(stage_press_point(&s, sides[i].handle, pulled),
                         across ? GZ_SOLVE_NONE : GZ_SOLVE_OK);
    }
}

TEST(test_sides_towards_and_behind_the_viewer_are_hidden)
{
    const gz_box around = {{-6, -6, -2}, {6, 6, 20}};
    struct gz_target target = node_at(0, 0, 0);
    target.bounds = &around;
    struct stage s = stage_of(camera_at(0, 0, 12), target);
    s.tool.mode = GZ_MODE_BOUNDS;
    s.tool.pivot = GZ_PIVOT_MEDIAN;
    stage_build(&s);
    for (size_t i = 0; i < COUNT(sides); i++) {
        bool ahead = sides[i].at[2] <= 0, end_on = sides[i].at[0] == 0 && sides[i].at[1] == 0;
        assert_int_equal((s.gizmo.handles >> sides[i].handle & 1) != 0, ahead && !end_on);
    }
    struct gz_segment lines[GZ_GIZMO_LINES_MAX];
    size_t count = gz_gizmo_lines(&s.gizmo, &s.tool, &s.camera, 0, 0, lines, GZ_GIZMO_LINES_MAX);
    assert_int_equal(count, 8 + 4 * 8); /* of the box's edges those behind are left out */
    for (size_t i = 0; i < count; i++) assert_true(lines[i].from.z < 12 && lines[i].to.z < 12);
}

TEST(test_squares_have_their_pixels_wherever_they_are)
{
    const gz_box deep = {{-1, -1, -30}, {1, 1, 2}};
    struct gz_target target = node_at(0, 0, 0);
    target.bounds = &deep;
    struct stage s = stage_with_bounds(target);
    for (size_t i = 0; i < COUNT(sides); i++) {
        if ((s.gizmo.handles & GZ_HANDLE_BIT(sides[i].handle)) == 0) continue;
        bool face = i < 6;
        double at[2], half = (face ? 0.06 : 0.04) * s.tool.size_px;
        stage_image(&s, place_in(&deep, sides[i].at, 1), at);
        for (int way = 0; way < 4; way++) {
            double step = (half + 5) * (way % 2 ? 1 : -1);
            const struct gz_pointer beside = {
                .at = {at[0] + (way < 2 ? step : 0), at[1] + (way < 2 ? 0 : step)}};
            double px = gz_gizmo_distance(&s.gizmo, &s.tool, &s.camera, &beside, sides[i].handle);
            assert_near(px, 5, 1e-9);
        }
    }
}

TEST(test_other_modes_show_no_sides_but_grab_them)
{
    for (enum gz_mode mode = GZ_MODE_TRANSLATE; mode < GZ_MODE_ORBIT; mode++) {
        struct stage s = stage_with_bounds(skewed());
        s.tool.mode = mode;
        stage_build(&s);
        for (size_t i = 0; i < COUNT(sides); i++) {
            bool shown = (s.gizmo.handles & GZ_HANDLE_BIT(sides[i].handle)) != 0;
            assert_int_equal(shown, mode == GZ_MODE_BOUNDS);
            gz_vec3 pulled = place_of(&s.target, &s.target.local, sides[i].at, 1);
            assert_int_equal(stage_press_point(&s, sides[i].handle, pulled), GZ_SOLVE_OK);
        }
    }
}

TEST(test_bare_ray_picks_and_pulls_a_side)
{
    struct stage s = stage_with_bounds(node_at(0, 0, 0));
    s.target.bounds = &box;
    assert_true(gz_gizmo_build(&s.gizmo, &s.tool, NULL, NULL, &s.target, 1, 0));
    struct gz_pointer ray = {
        .is_ray = true, .origin = {1, 0.5, 5}, .direction = {0, 0, -5.25}}; /* at the face bxp */
    assert_int_equal(gz_gizmo_pick(&s.gizmo, &s.tool, NULL, &ray), GZ_BXP);
    assert_int_equal(gz_drag_begin(&s.drag, GZ_BXP, &s.gizmo, &s.tool, NULL, &ray, 0), GZ_SOLVE_OK);
    ray.origin.x = 2;
    assert_int_equal(gz_drag_solve(&s.drag, NULL, &ray, 0, &s.motion), GZ_SOLVE_OK);
    assert_near(s.motion.value[0], 1.5, 1e-12);
}

/* From inside of a room whose middle is behind the viewer: each face that is ahead shows, is hit,
 * and can be pulled. */
TEST(test_faces_show_though_the_middle_is_behind)
{
    const gz_box room = {{-5, -3, -4}, {5, 3, 4}};
    const double z[] = {-0.5, -2, -3.9};
    for (size_t i = 0; i < COUNT(z); i++) {
        struct stage s = {.camera = camera_at(0.5, 0.25, z[i]),
                          .target = node_at(0, 0, 0),
                          .tool = gz_tool_default};
        s.target.bounds = &room;
        s.tool.mode = GZ_MODE_BOUNDS;
        stage_build(&s);
        assert_true(s.gizmo.size > 0);
        assert_true((s.gizmo.handles & GZ_HANDLE_BIT(GZ_BZN)) != 0);
        assert_true((s.gizmo.handles & GZ_HANDLE_BIT(GZ_BZP)) == 0);
        double at[2];
        stage_image(&s, (gz_vec3){0, 0, -4}, at);
        struct gz_pointer pointer = {.at = {at[0], at[1]}};
        assert_int_equal(gz_gizmo_pick(&s.gizmo, &s.tool, &s.camera, &pointer), GZ_BZN);
        assert_near(gz_gizmo_distance(&s.gizmo, &s.tool, &s.camera, &pointer, GZ_BZN), 0, 0);
        struct gz_segment lines[GZ_GIZMO_LINES_MAX];
        size_t count = gz_gizmo_lines(&s.gizmo, &s.tool, &s.camera, GZ_BZN, GZ_HANDLE_NONE, lines,
                                      GZ_GIZMO_LINES_MAX);
        assert_true(count > 4);
        for (size_t k = 0; k < count; k++)
            assert_true(lines[k].from.z <= z[i] && lines[k].to.z <= z[i]);
    }
    /* With its back to the room a viewer sees none of it. */
    struct gz_target target = node_at(0, 0, 0);
    struct gz_tool tool = gz_tool_default;
    struct gz_gizmo gizmo;
    const struct gz_camera outside = camera_at(0, 0, -4.5);
    target.bounds = &room;
    tool.mode = GZ_MODE_BOUNDS;
    assert_false(gz_gizmo_build(&gizmo, &tool, &outside, NULL, &target, 1, 0));
}
