/* What is under the pointer: handles by their drawn shape, nodes by their boxes; and what is
 * drawn. */
#include "unit/solver/stage.h"

static enum gz_handle pick_at(const struct stage *s, gz_vec3 point, double dx, double dy)
{
    struct gz_pointer pointer = {0};
    stage_image(s, point, pointer.at);
    pointer.at[0] += dx;
    pointer.at[1] += dy;
    return gz_gizmo_pick(&s->gizmo, &s->tool, &s->camera, &pointer);
}

static void use_mode(struct stage *s, enum gz_mode mode)
{
    s->tool.mode = mode;
    stage_build(s);
}

TEST(test_handles_are_where_they_are_drawn)
{
    struct stage s =
        stage_of(camera_look((gz_vec3){3, 4, 6}, (gz_vec3){0, 0, 0}), node_at(0, 0, 0));
    double l = s.gizmo.size, c = l * M_SQRT1_2;
    gz_vec3 right = s.camera.right, up = s.camera.up;
    const struct {
        enum gz_mode mode;
        gz_vec3 point;
        enum gz_handle want;
    } cases[] = {
        {GZ_MODE_TRANSLATE, {0, 0, 0}, GZ_TV},
        {GZ_MODE_TRANSLATE, {0.9 * l, 0, 0}, GZ_TX},
        {GZ_MODE_TRANSLATE, {0, l, 0}, GZ_TY},
        {GZ_MODE_TRANSLATE, {0, 0, 0.4 * l}, GZ_TZ},
        {GZ_MODE_TRANSLATE, {0.6 * l, 0.6 * l, 0}, GZ_TXY},
        {GZ_MODE_TRANSLATE, {0, 0.6 * l, 0.6 * l}, GZ_TYZ},
        {GZ_MODE_TRANSLATE, {0.6 * l, 0, 0.6 * l}, GZ_TZX},
        {GZ_MODE_TRANSLATE, {1.3 * l, 0, 0}, GZ_HANDLE_NONE},
        {GZ_MODE_TRANSLATE, {0, -0.7 * l, 0}, GZ_HANDLE_NONE},
        {GZ_MODE_ROTATE, {0, c, c}, GZ_RX},
        {GZ_MODE_ROTATE, {c, 0, c}, GZ_RY},
        {GZ_MODE_ROTATE, {c, c, 0}, GZ_RZ},
        {GZ_MODE_ROTATE, {0.2 * l, 0.3 * l, 0.2 * l}, GZ_RB},
        {GZ_MODE_SCALE, {0, 0, 0}, GZ_SU},
        {GZ_MODE_SCALE, {0, 0.9 * l, 0}, GZ_SY},
        {GZ_MODE_SCALE, {0, 0.6 * l, 0.6 * l}, GZ_SYZ},
        {GZ_MODE_UNIVERSAL, {0, 1.1 * l, 0}, GZ_SY},
        {GZ_MODE_UNIVERSAL, {0, 0.8 * l, 0}, GZ_TY},
        {GZ_MODE_ARCBALL, {0.3 * l, 0.1 * l, 0}, GZ_RB},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        use_mode(&s, cases[i].mode);
        enum gz_handle got = pick_at(&s, cases[i].point, 0, 0);
        if (got != cases[i].want)
            fail_msg("case %zu: %s", i, gz_vocabulary_word(&gz_handle_words, (int)got));
    }
    use_mode(&s, GZ_MODE_ROTATE);
    gz_vec3 on_view_ring = gz_add(gz_scale(right, 1.2 * l * 0.6), gz_scale(up, -1.2 * l * 0.8));
    assert_int_equal(pick_at(&s, on_view_ring, 0, 0), GZ_RV);
}

TEST(test_tolerance_is_in_pixels)
{
    struct stage s = stage_of(camera_at(0, 0, 5), node_at(0, 0, 0));
    use_mode(&s, GZ_MODE_TRANSLATE);
    gz_vec3 grip = {0.35 * s.gizmo.size, 0, 0};
    assert_int_equal(pick_at(&s, grip, 0, 7.99), GZ_TX);
    assert_int_equal(pick_at(&s, grip, 0, 8.01), GZ_HANDLE_NONE);
    s.tool.tolerance_px = 20;
    assert_int_equal(pick_at(&s, grip, 0, 19.99), GZ_TX);
}

/* Beside an axis, at a plane's corner: the axis where it is the nearer by more than 2 pixels, else
 * the plane. */
TEST(test_plane_takes_no_press_from_an_axis_that_is_nearer)
{
    struct stage s =
        stage_of(camera_look((gz_vec3){0, 1.2, 5}, (gz_vec3){0, 0, 0}), node_at(0, 0, 0));
    use_mode(&s, GZ_MODE_TRANSLATE);
    gz_vec3 corner = {0.5 * s.gizmo.size, 0, 0.5 * s.gizmo.size},
            beside = {0.5 * s.gizmo.size, 0, 0};
    double plane[2], axis[2];
    stage_image(&s, corner, plane);
    stage_image(&s, beside, axis);
    double apart = plane[1] - axis[1];
    assert_true(apart > 8 && apart < 14);
    for (double off = 0; off <= apart; off += 0.25) {
        enum gz_handle pick = pick_at(&s, beside, 0, off);
        struct gz_pointer pointer = {.at = {axis[0], axis[1] + off}};
        double to_axis = gz_gizmo_distance(&s.gizmo, &s.tool, &s.camera, &pointer, GZ_TX);
        double to_plane = gz_gizmo_distance(&s.gizmo, &s.tool, &s.camera, &pointer, GZ_TZX);
        assert_int_equal(pick, to_axis <= 8 && to_plane > to_axis + 2 ? GZ_TX : GZ_TZX);
    }
    assert_int_equal(pick_at(&s, corner, 6, 2),
                     GZ_TZX); /* inside of it the axis is as near, and does not matter */
}

TEST(test_size_is_constant_in_pixels)
{
    static const double depths[] = {0.2, 5, 3000};
    for (size_t i = 0; i < COUNT(depths); i++)
        for (double x = -0.8; x <= 0.8; x += 0.4) {
            double d = depths[i];
            struct stage s = stage_of(camera_at(0, 0, 0), node_at(x * d, 0.3 * d, -d));
            double a[2], b[2];
            stage_image(&s, s.gizmo.origin, a);
            stage_image(&s, gz_add(s.gizmo.origin, (gz_vec3){0, s.gizmo.size, 0}), b);
            assert_near(a[1] - b[1], 96, 1e-9);
        }
}

TEST(test_ring_distance_is_the_conics)
{
    struct stage s =
        stage_of(camera_look((gz_vec3){0.3, 0.8, 1.1}, (gz_vec3){0, 0, 0}), node_at(0, 0, 0));
    use_mode(&s, GZ_MODE_ROTATE);
    for (int i = 0; i < 200; i++) {
        struct gz_pointer pointer = {.at = {860 + (i * 37) % 200, 440 + (i * 53) % 200}};
        double best = 1e300, l = s.gizmo.size;
        gz_vec3 viewer = gz_sub(s.camera.eye, s.gizmo.origin);
        for (double a = 0; a < 2 * M_PI; a += 2e-4) {
            gz_vec3 p = {l * cos(a), 0, l * sin(a)};
            double at[2];
            if (gz_dot(p, viewer) < 0) continue;
            stage_image(&s, p, at);
            best = fmin(best, hypot(at[0] - pointer.at[0], at[1] - pointer.at[1]));
        }
        double got = gz_gizmo_distance(&s.gizmo, &s.tool, &s.camera, &pointer, GZ_RY);
        assert_true(got <= best + 1e-6 &&
                    got >= best - 3); /* the drawn half goes a degree past the middle */
        if (best < 30 && got > best - 0.01) assert_near(got, best, 0.01);
    }
}

TEST(test_handles_seen_end_on_are_hidden)
{
    for (double degrees = 0; degrees <= 10; degrees += 1) {
        gz_vec3 eye = {0, 5 * sin(degrees * DEGREES), 5 * cos(degrees * DEGREES)};
        struct stage s = stage_of(camera_look(eye, (gz_vec3){0, 0, 0}), node_at(0, 0, 0));
        bool hidden = degrees < 5;
        if (degrees == 5) continue;
        assert_int_equal((s.gizmo.handles & GZ_HANDLE_BIT(GZ_TZ)) == 0, hidden);
        assert_int_equal((s.gizmo.handles & GZ_HANDLE_BIT(GZ_SZ)) == 0, hidden);
        assert_int_equal((s.gizmo.handles & GZ_HANDLE_BIT(GZ_TZX)) == 0, hidden);
        assert_true((s.gizmo.handles & GZ_HANDLE_BIT(GZ_TXY)) != 0);
        assert_true((s.gizmo.handles & GZ_HANDLE_BIT(GZ_RY)) != 0);
    }
}

TEST(test_ray_picks_by_angle)
{
    struct gz_target target = node_at(0, 0, 0);
    struct gz_gizmo gizmo;
    struct gz_tool tool = gz_tool_default;
    tool.size_px = 960;
    assert_true(gz_gizmo_build(&gizmo, &tool, NULL, NULL, &target, 1, 0));
    for (int side = -1; side <= 1; side += 2) {
        struct gz_pointer ray = {.is_ray = true, .origin = {0.3 * gizmo.size, 2, 3}};
        gz_vec3 grip = {0.3 * gizmo.size, 0, 0};
        ray.direction = gz_sub(grip, ray.origin);
        double away = gz_length(ray.direction);
        gz_vec3 across = gz_scale((gz_vec3){0, -3 / sqrt(13), 2 / sqrt(13)}, side * away * 0.0079);
        ray.direction = gz_add(ray.direction, across);
        assert_int_equal(gz_gizmo_pick(&gizmo, &tool, NULL, &ray), GZ_TX);
        ray.direction = gz_add(ray.direction, gz_scale(across, 0.03));
        assert_int_equal(gz_gizmo_pick(&gizmo, &tool, NULL, &ray), GZ_HANDLE_NONE);
    }
}

/* A hand aims by angle: what it can take from 1 m away it can take from 50 m. */
static const double hand_distances[] = {0.05, 1, 10, 50, 1e6};

TEST(test_a_hands_gizmo_has_one_angle_at_any_distance)
{
    const struct gz_target target = node_at(3, 4, 5);
    for (size_t i = 0; i < COUNT(hand_distances); i++) {
        const double away = hand_distances[i];
        struct gz_gizmo gizmo;
        /* Where it points does not matter. */
        struct gz_pointer hand = {
            .is_ray = true, .origin = {3, 4, 5 + away}, .direction = {1, 2, 3}};
        assert_true(gz_gizmo_build(&gizmo, &gz_tool_default, NULL, &hand, &target, 1, 0));
        assert_near(gizmo.size / away, 0.096, 1e-9);
        hand.direction = gz_sub((gz_vec3){3 + 0.9 * gizmo.size, 4, 5}, hand.origin);
        assert_int_equal(gz_gizmo_pick(&gizmo, &gz_tool_default, NULL, &hand), GZ_TX);
    }
}

/* The squares of the bounds have the angle of where they are. */
TEST(test_a_hands_bounds_have_one_angle_at_any_distance)
{
    static const struct {
        enum gz_handle handle;
        double x, z;
    } faces[] = {{GZ_BXP, 1, 0}, {GZ_BZP, 0, 1}, {GZ_BZN, 0, -1}};
    struct gz_tool tool = gz_tool_default;
    tool.mode = GZ_MODE_BOUNDS;
    for (size_t i = 0; i < COUNT(hand_distances) * COUNT(faces); i++) {
        const double away = hand_distances[i / COUNT(faces)], half = away / 5;
        const gz_box box = {{-half, -half, -half}, {half, half, half}};
        const gz_vec3 place = {3 + half * faces[i % COUNT(faces)].x, 4,
                               5 + half * faces[i % COUNT(faces)].z};
        const enum gz_handle handle = faces[i % COUNT(faces)].handle;
        struct gz_target target = node_at(3, 4, 5);
        struct gz_gizmo gizmo;
        struct gz_pointer hand = {
            .is_ray = true, .origin = {3, 4, 5 + away}, .direction = {1, 2, 3}};
        target.bounds = &box;
        assert_true(gz_gizmo_build(&gizmo, &tool, NULL, &hand, &target, 1, 0));
        gz_vec3 way = gz_sub(place, hand.origin);
        /* 0.06 of 96 pixels up, each a thousandth of a radian, is where it ends. */
        hand.direction = gz_add(way, (gz_vec3){0, 5.7e-3 * gz_length(way), 0});
        assert_near(gz_gizmo_distance(&gizmo, &tool, NULL, &hand, handle), 0, 0);
        hand.direction = gz_add(way, (gz_vec3){0, 6.76e-3 * gz_length(way), 0});
        assert_near(gz_gizmo_distance(&gizmo, &tool, NULL, &hand, handle), 1, 0.01);
    }
}

/* Without a ray, and from the pivot itself, as from 2 m away. */
TEST(test_without_a_ray_the_hand_is_two_metres_away)
{
    const struct gz_target target = node_at(3, 4, 5);
    const struct gz_pointer hands[] = {
        {.is_ray = true, .origin = {3, 4, 5}, .direction = {1, 0, 0}}, {.at = {3, 4}}};
    struct gz_gizmo gizmo;
    for (size_t i = 0; i < 3; i++) {
        assert_true(gz_gizmo_build(&gizmo, &gz_tool_default, NULL, i < 2 ? &hands[i] : NULL,
                                   &target, 1, 0));
        assert_near(gizmo.size, 0.192, 1e-15);
    }
    /* With a camera its pixels count. */
    const struct gz_camera camera = camera_at(0, 0, 9);
    struct gz_gizmo seen;
    assert_true(gz_gizmo_build(&seen, &gz_tool_default, &camera, NULL, &target, 1, 0));
    assert_true(gz_gizmo_build(&gizmo, &gz_tool_default, &camera, &hands[0], &target, 1, 0));
    assert_memory_equal(&gizmo, &seen, sizeof seen);
}

TEST(test_nodes_are_met_by_their_turned_boxes)
{
    struct gz_camera camera = camera_at(0, 0, 10);
    const gz_box box = {{-1, -1, -1}, {1, 1, 1}};
    gz_trs trs = {{0, 0, 0}, gz_quat_about((gz_vec3){0, 0, 1}, 45 * DEGREES), {1, 1, 2}};
    gz_affine world = gz_affine_from_trs(&trs);
    struct gz_pointer pointer = {.at = {960, 540}};
    double distance, at[2];
    gz_vec3 point;
    assert_true(gz_pick_node(&camera, &pointer, &world, &box, 8, &distance, &point));
    assert_near(distance, 8, 1e-12);
    assert_vec3(point, 0, 0, 2, 1e-12);
    assert_true(gz_camera_project(&camera, (gz_vec3){1.3, 0, 2}, pointer.at, NULL));
    assert_true(gz_pick_node(&camera, &pointer, &world, &box, 8, &distance, &point));
    assert_true(gz_camera_project(&camera, (gz_vec3){0.9, 0.9, 2}, pointer.at, NULL));
    assert_false(gz_pick_node(&camera, &pointer, &world, &box, 8, &distance, &point));
    world.origin.z = 20;
    pointer.at[0] = 960;
    pointer.at[1] = 540;
    assert_false(gz_pick_node(&camera, &pointer, &world, &box, 8, &distance, &point));
    world.origin.z = 0;
    assert_true(gz_camera_project(&camera, (gz_vec3){0, 0, 0}, at, NULL));
    pointer.at[0] = at[0] + 7;
    assert_true(gz_pick_node(&camera, &pointer, &world, NULL, 8, &distance, &point));
    assert_near(distance, 10, 1e-12);
    pointer.at[0] = at[0] + 9;
    assert_false(gz_pick_node(&camera, &pointer, &world, NULL, 8, &distance, &point));
    struct gz_pointer ray = {.is_ray = true, .origin = {0, 5, 0}, .direction = {0, -9, 0}};
    assert_true(gz_pick_node(NULL, &ray, &world, &box, 8, &distance, &point));
    assert_near(distance, 5 - M_SQRT2, 1e-12);
}

TEST(test_ortho_distance_is_from_the_cameras_plane)
{
    struct gz_camera camera = camera_ortho((gz_vec3){0, 0, 10}, (gz_vec3){0, 0, 0}, 10);
    const gz_box box = {{-1, -1, -1}, {1, 1, 1}};
    gz_affine world = gz_affine_identity;
    world.origin = (gz_vec3){4, 3, -2};
    struct gz_pointer pointer = {0};
    double distance;
    gz_vec3 point;
    assert_true(gz_camera_project(&camera, (gz_vec3){4.5, 3.5, -2}, pointer.at, NULL));
    assert_true(gz_pick_node(&camera, &pointer, &world, &box, 8, &distance, &point));
    assert_near(distance, 11, 1e-12);
    assert_vec3(point, 4.5, 3.5, -1, 1e-12);
    world.origin.z = 30;
    assert_false(gz_pick_node(&camera, &pointer, &world, &box, 8, &distance, &point));
}

TEST(test_rectangle_takes_what_it_overlaps)
{
    struct gz_camera camera = camera_at(0, 0, 10);
    const gz_box box = {{-1, -1, -1}, {1, 1, 1}};
    gz_trs turned = {{0, 0, 0}, gz_quat_about((gz_vec3){0, 0, 1}, 45 * DEGREES), {1, 1, 1}};
    gz_affine world = gz_affine_from_trs(&turned);
    static const struct {
        double rect[4];
        bool overlaps, inside;
    } cases[] = {
        {{0, 0, 1920, 1080}, true, true},     {{1920, 1080, 0, 0}, true, true},
        {{950, 530, 970, 550}, true, false},  {{0, 0, 960, 1080}, true, false},
        {{0, 0, 500, 1080}, false, false},    {{820, 400, 860, 440}, false, false},
        {{700, 535, 1200, 545}, true, false}, {{1050, 630, 1100, 700}, false, false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        bool inside = !cases[i].inside;
        if (gz_pick_rect(&camera, cases[i].rect, &world, &box, &inside) != cases[i].overlaps)
            fail_msg("case %zu", i);
        assert_int_equal(inside, cases[i].inside);
    }
    bool inside;
    const double left[4] = {0, 0, 900, 1080}, all[4] = {0, 0, 1920, 1080};
    gz_box floor_box = {{-100, -1, -100}, {100, -0.9, 100}};
    assert_true(gz_pick_rect(&camera, left, &gz_affine_identity, &floor_box, &inside));
    assert_false(inside);
    gz_affine behind = gz_affine_identity;
    behind.origin.z = 15;
    assert_false(gz_pick_rect(&camera, all, &behind, &box, &inside));
    assert_true(gz_pick_rect(&camera, all, &gz_affine_identity, NULL, &inside));
    assert_true(inside);
}

TEST(test_lines_are_in_front_and_highlight_one)
{
    static struct gz_segment lines[GZ_GIZMO_LINES_MAX];
    const gz_box box = {{-0.2, -0.1, -0.3}, {0.2, 0.3, 0.7}};
    struct stage s = stage_of(camera_at(0, 0, 0), node_at(0.3, 0.2, -0.6));
    s.target.bounds = &box;
    for (enum gz_mode mode = GZ_MODE_TRANSLATE; mode <= GZ_MODE_ARCBALL; mode++) {
        use_mode(&s, mode);
        for (double px = 20; px < 5000; px *= 3) {
            s.tool.size_px = px;
            stage_build(&s);
            size_t count = gz_gizmo_lines(&s.gizmo, &s.tool, &s.camera, GZ_TX, GZ_HANDLE_NONE,
                                          lines, COUNT(lines));
            assert_true(count > 0 && count < COUNT(lines));
            for (size_t i = 0; i < count; i++) {
                double at[2];
                assert_true(gz_camera_project(&s.camera, lines[i].from, at, NULL));
                assert_true(gz_camera_project(&s.camera, lines[i].to, at, NULL));
            }
            assert_int_equal(gz_gizmo_lines(&s.gizmo, &s.tool, &s.camera, GZ_TX, GZ_TX, lines, 3),
                             3);
            assert_true(gz_gizmo_lines(&s.gizmo, &s.tool, NULL, GZ_TX, GZ_TX, lines, COUNT(lines)) >
                        0);
        }
    }
}

TEST(test_pivot_does_not_depend_on_order)
{
    struct gz_camera camera = camera_at(0, 0, 50);
    struct gz_target targets[7], other[7];
    const gz_box box = {{-1, -2, -3}, {3, 2, 1}};
    static const enum gz_pivot pivots[] = {GZ_PIVOT_MEDIAN, GZ_PIVOT_BOUNDS};
    for (int i = 0; i < 7; i++) {
        targets[i] = node_at(0.1 * i * i - 1e3, sin(i) * 1e-7, cos(i) / 3);
        targets[i].bounds = i % 2 ? &box : NULL;
    }
    for (int shift = 1; shift < 7; shift++) {
        for (int i = 0; i < 7; i++) other[i] = targets[(i * 3 + shift) % 7];
        for (size_t p = 0; p < COUNT(pivots); p++) {
            struct gz_tool tool = gz_tool_default;
            struct gz_gizmo a, b;
            tool.pivot = pivots[p];
            assert_true(gz_gizmo_build(&a, &tool, &camera, NULL, targets, 7, 0));
            assert_true(gz_gizmo_build(&b, &tool, &camera, NULL, other, 7, 0));
            assert_memory_equal(&a.origin, &b.origin, sizeof a.origin);
        }
    }
}
/* Depth by the distance d: (slope * d + at_eye) / w, where w is d, or 1 in orthographic views. Each
 * shows what is 1 m to 100 m or infinitely far away, but for depth from 0 to 1: a matrix does not
 * tell where that begins. */
struct depth_case {
    const char *name;
    bool ortho;
    double slope, at_eye, near, far;
};
static const struct depth_case depth_cases[] = {
    {"-1..1", false, 101.0 / 99, -200.0 / 99, 1, 100},
    {"0..1", false, 100.0 / 99, -100.0 / 99, 100.0 / 199, 100},
    {"1..0", false, -1.0 / 99, 100.0 / 99, 1, 100},
    {"1..-1", false, -101.0 / 99, 200.0 / 99, 1, 100},
    {"-1..1, infinite", false, 1, -2, 1, HUGE_VAL},
    {"0..1, infinite", false, 1, -1, 0.5, HUGE_VAL},
    {"1..0, infinite", false, 0, 1, 1, HUGE_VAL},
    {"1..-1, infinite", false, -1, 2, 1, HUGE_VAL},
    {"1..-1, infinite, float32", false, -0.99999994, 2, 1, HUGE_VAL},
    {"orthographic -1..1", true, 2.0 / 99, -101.0 / 99, 1, 100},
    {"orthographic 0..1", true, 1.0 / 99, -1.0 / 99, 0, 100},
    {"orthographic 1..0", true, -1.0 / 99, 100.0 / 99, 1, 100},
    {"orthographic 1..-1 about the camera", true, -0.01, 0, 0, 100}};

/* From 0 along -z. A matrix times any positive number means the same. */
static struct gz_camera camera_of_depth(const struct depth_case *depth, double times)
{
    struct gz_camera camera = depth->ortho
                                  ? camera_ortho((gz_vec3){0, 0, 0}, (gz_vec3){0, 0, -1}, 4)
                                  : camera_at(0, 0, 0);
    struct gz_camera_input input = camera.input;
    input.proj[10] = -depth->slope;
    input.proj[14] = depth->at_eye;
    for (int i = 0; i < 16; i++) input.proj[i] *= times;
    assert_true(gz_camera_prepare(&camera, &input, NULL));
    return camera;
}

static bool is_seen(const struct gz_camera *camera, const gz_box *box)
{
    gz_plane planes[GZ_VIEW_PLANES];
    gz_view_cull(camera, planes);
    for (int i = 0; i < GZ_VIEW_PLANES; i++) {
        gz_vec3 n = planes[i].normal,
                furthest = {n.x > 0 ? box->max.x : box->min.x, n.y > 0 ? box->max.y : box->min.y,
                            n.z > 0 ? box->max.z : box->min.z};
        if (gz_dot(n, furthest) + planes[i].offset < 0) return false;
    }
    return true;
}

/* What the client does not draw is not hit: what lies before the near or beyond the far plane. Of
 * what the near plane cuts the rest is. */
static void pick_between_planes(const struct depth_case *depth, double from, double to)
{
    const struct gz_camera camera = camera_of_depth(depth, 7);
    const struct gz_pointer pointer = {.at = {960, 540}};
    const struct gz_pointer ray = {.is_ray = true, .direction = {0, 0, -1}};
    const double rect[4] = {900, 500, 1000, 600}, middle = (from + to) / 2;
    const gz_box box = {{-0.5, -0.5, -to}, {0.5, 0.5, -from}};
    gz_affine world = gz_affine_identity;
    bool inside, shown = to >= depth->near && from <= depth->far;
    double distance;
    gz_vec3 point;
    bool hit = gz_pick_node(&camera, &pointer, &world, &box, 8, &distance, &point);
    if (hit != shown) fail_msg("%s: from %g to %g", depth->name, from, to);
    if (hit) assert_near(distance, from < 0 ? 0 : fmax(from, depth->near), 1e-6);
    if (gz_pick_rect(&camera, rect, &world, &box, &inside) != shown)
        fail_msg("%s: from %g to %g in a rectangle", depth->name, from, to);
    if (from >= 0 && is_seen(&camera, &box) != shown)
        fail_msg("%s: from %g to %g", depth->name, from, to);
    world.origin.z = -middle;
    bool origin_shows = middle >= depth->near && middle <= depth->far;
    if (gz_pick_node(&camera, &pointer, &world, NULL, 8, &distance, &point) != origin_shows)
        fail_msg("%s: a point at %g", depth->name, middle);
    /* A hand's ray is no camera: it has no planes. */
    if (to > 0)
        assert_true(gz_pick_node(&camera, &ray, &gz_affine_identity, &box, 8, &distance, &point));
}

TEST(test_nodes_are_picked_between_the_near_and_the_far_plane)
{
    static const double boxes[][2] = {{0.2, 0.4}, {0.6, 0.9}, {0.4, 3},     {2, 3},
                                      {99, 120},  {101, 120}, {-5, 3},      {-5, 0.4},
                                      {-5, -0.4}, {60, 70},   {-500, 5000}, {900, 1100}};
    for (size_t i = 0; i < COUNT(depth_cases); i++) {
        for (size_t j = 0; j < COUNT(boxes); j++)
            pick_between_planes(&depth_cases[i], boxes[j][0], boxes[j][1]);
    }
}

/* A near plane that was tilted to cut at a mirror is no sign of another far plane. */
TEST(test_a_tilted_near_plane_leaves_the_far_one_where_it_is)
{
    /* z = w - k (C . place), with the plane C through 2 m ahead, tilted by 0.3; depth is `last` in
     * the far corner at 100 m. */
    static const double lasts[] = {0, -1};
    for (size_t i = 0; i < COUNT(lasts); i++) {
        struct gz_camera camera = camera_at(0, 0, 0);
        struct gz_camera_input input = camera.input;
        double corner = 100 / input.proj[0], reach = 0.3 * corner + 98,
               k = 100 * (1 - lasts[i]) / reach;
        input.proj[2] = -k * 0.3;
        input.proj[10] = -1 + k;
        input.proj[14] = 2 * k;
        assert_true(gz_camera_prepare(&camera, &input, NULL));
        const struct gz_pointer pointer = {.at = {960, 540}};
        static const double places[] = {1.9, 2.1, 60, 99};
        for (size_t j = 0; j < COUNT(places); j++) {
            gz_affine world = gz_affine_identity;
            double distance;
            gz_vec3 point;
            world.origin.z = -places[j];
            assert_int_equal(gz_pick_node(&camera, &pointer, &world, NULL, 8, &distance, &point),
                             places[j] > 2);
        }
    }
}
