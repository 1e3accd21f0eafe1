/* What a motion does to nodes: parents of every kind, pivots, several nodes, untouched bits. */
#include "unit/solver/stage.h"

static gz_quat about(double x, double y, double z, double degrees)
{
    gz_vec3 axis = {x, y, z};
    assert_true(gz_normalize(axis, &axis));
    return gz_quat_about(axis, degrees * DEGREES);
}

static gz_affine parent_of(gz_vec3 t, gz_quat r, gz_vec3 s)
{
    gz_trs trs = {t, r, s};
    return gz_affine_from_trs(&trs);
}

static gz_affine world_of(const gz_affine *parent, const gz_trs *local)
{
    gz_affine own = gz_affine_from_trs(local);
    return gz_affine_multiply(parent, &own);
}

static struct gz_motion moved(double x, double y, double z)
{
    struct gz_motion motion = gz_motion_none;
    motion.kind = GZ_MOTION_TRANSLATE;
    motion.translation = (gz_vec3){x, y, z};
    return motion;
}

static struct gz_motion turned(gz_quat q, gz_vec3 pivot)
{
    struct gz_motion motion = gz_motion_none;
    motion.kind = GZ_MOTION_ROTATE;
    motion.turn = q;
    motion.pivot = pivot;
    return motion;
}

static struct gz_motion scaled(double x, double y, double z, gz_vec3 pivot)
{
    struct gz_motion motion = gz_motion_none;
    motion.kind = GZ_MOTION_SCALE;
    motion.factor = (gz_vec3){x, y, z};
    motion.pivot = pivot;
    return motion;
}

/* A sheared chain: turned by 45 degrees under a parent that is stretched. */
static gz_affine sheared(void)
{
    gz_affine outer = parent_of((gz_vec3){3, 2, 1}, about(0, 0, 1, 20), (gz_vec3){2, 1, -0.5});
    gz_affine inner = parent_of((gz_vec3){-1, 5, 0}, about(1, 1, 0, 45), (gz_vec3){1, 3, 1});
    return gz_affine_multiply(&outer, &inner);
}

static const gz_trs somewhere = {{0.3, -0.0, 7}, {0, 0.6, 0, 0.8}, {2, -1.5, 0.25}};

TEST(test_no_motion_keeps_every_bit)
{
    struct gz_target start = {somewhere, sheared(), NULL};
    gz_trs now;
    double residual = 1;
    assert_true(gz_motion_apply(&gz_motion_none, &start, &start.parent, &now, &residual));
    assert_true(gz_trs_same(&now, &start.local));
    assert_near(residual, 0, 0);
}

TEST(test_untouched_components_keep_their_bits)
{
    struct gz_target start = {somewhere, gz_affine_identity, NULL};
    gz_trs now;
    struct gz_motion motion = moved(1, 0, 0);
    assert_true(gz_motion_apply(&motion, &start, &start.parent, &now, NULL));
    assert_memory_equal(&now.t.y, &start.local.t.y, 2 * sizeof(double));
    assert_memory_equal(&now.r, &start.local.r, sizeof now.r + sizeof now.s);
    motion = turned(about(1, 0, 0, 30), start.local.t);
    assert_true(gz_motion_apply(&motion, &start, &start.parent, &now, NULL));
    assert_memory_equal(&now.t, &start.local.t, sizeof now.t);
    assert_memory_equal(&now.s, &start.local.s, sizeof now.s);
    motion = scaled(1, 3, 1, start.local.t);
    motion.frame = gz_mat3_from_quat(start.local.r);
    motion.frame_inverse = gz_mat3_transpose(&motion.frame);
    assert_true(gz_motion_apply(&motion, &start, &start.parent, &now, NULL));
    assert_memory_equal(&now.t, &start.local.t, sizeof now.t + sizeof now.r);
    assert_near(now.s.x, 2, 0);
    assert_near(now.s.y, -4.5, 0);
    assert_near(now.s.z, 0.25, 0);
}

TEST(test_move_lands_where_wanted_under_any_parent)
{
    struct gz_target start = {somewhere, sheared(), NULL};
    struct gz_motion motion = moved(0.5, -0.25, 2);
    gz_trs now;
    gz_vec3 before = gz_affine_apply(&start.parent, start.local.t);
    assert_true(gz_motion_apply(&motion, &start, &start.parent, &now, NULL));
    gz_vec3 offset = gz_sub(gz_affine_apply(&start.parent, now.t), before);
    assert_vec3(offset, 0.5, -0.25, 2, 1e-13);
}

TEST(test_turn_is_exact_under_uniform_and_mirrored_parents)
{
    static const gz_vec3 scales[] = {{1, 1, 1}, {3, 3, 3}, {-2, -2, -2}, {-2, 2, 2}, {2, -2, 2}};
    gz_quat q = about(1, 2, 3, 77);
    gz_vec3 pivot = {1, 1, 1};
    for (size_t i = 0; i < COUNT(scales); i++) {
        struct gz_target start = {
            somewhere, parent_of((gz_vec3){1, 2, 3}, about(3, 1, 2, 50), scales[i]), NULL};
        start.local.s = (gz_vec3){1, 1, 1};
        struct gz_motion motion = turned(q, pivot);
        gz_trs now;
        assert_true(gz_motion_apply(&motion, &start, &start.parent, &now, NULL));
        gz_affine before = world_of(&start.parent, &start.local),
                  after = world_of(&start.parent, &now);
        gz_vec3 x = gz_rotate(q, before.linear.x), y = gz_rotate(q, before.linear.y);
        gz_vec3 place = gz_add(pivot, gz_rotate(q, gz_sub(before.origin, pivot)));
        assert_vec3(after.linear.x, x.x, x.y, x.z, 1e-14 * 10);
        assert_vec3(after.linear.y, y.x, y.y, y.z, 1e-14 * 10);
        assert_vec3(after.origin, place.x, place.y, place.z, 1e-13 * 10);
    }
}

TEST(test_turn_keeps_unit_length_and_distances)
{
    struct gz_target a = {somewhere, sheared(), NULL}, b = a;
    b.local.t = (gz_vec3){-4, 2, 0.5};
    gz_trs now_a, now_b;
    double apart = gz_length(
        gz_sub(gz_affine_apply(&a.parent, a.local.t), gz_affine_apply(&b.parent, b.local.t)));
    for (int degrees = 0; degrees < 720; degrees += 7) {
        struct gz_motion motion = turned(about(1, 2, 3, degrees), (gz_vec3){1, 1, 1});
        assert_true(gz_motion_apply(&motion, &a, &a.parent, &now_a, NULL));
        assert_true(gz_motion_apply(&motion, &b, &b.parent, &now_b, NULL));
        double square = now_a.r.x * now_a.r.x + now_a.r.y * now_a.r.y + now_a.r.z * now_a.r.z +
                        now_a.r.w * now_a.r.w;
        assert_near(square, 1, 1e-15);
        gz_vec3 pa = gz_affine_apply(&a.parent, now_a.t), pb = gz_affine_apply(&b.parent, now_b.t);
        assert_near(gz_length(gz_sub(pa, pb)), apart, apart * 1e-12);
    }
}

TEST(test_scale_about_a_pivot_moves_origins)
{
    struct gz_target start = {somewhere, gz_affine_identity, NULL};
    start.local.r = gz_quat_identity;
    struct gz_motion motion = scaled(2, 1, 1, (gz_vec3){1, 1, 1});
    gz_trs now;
    double residual;
    assert_true(gz_motion_apply(&motion, &start, &start.parent, &now, &residual));
    assert_near(now.t.x, 1 + 2 * (0.3 - 1), 1e-15);
    assert_near(now.s.x, 4, 0);
    assert_near(residual, 0, 0);
    motion.each = true;
    assert_true(gz_motion_apply(&motion, &start, &start.parent, &now, &residual));
    assert_memory_equal(&now.t, &start.local.t, sizeof now.t);
}

TEST(test_scale_that_would_shear_says_what_is_lost)
{
    struct gz_target start = {somewhere, gz_affine_identity, NULL};
    start.local.r = about(0, 0, 1, 45);
    start.local.s = (gz_vec3){1, 1, 1};
    struct gz_motion motion = scaled(2, 1, 1, start.local.t);
    gz_trs now;
    double residual = 0;
    assert_true(gz_motion_apply(&motion, &start, &start.parent, &now, &residual));
    gz_affine before = world_of(&start.parent, &start.local), after = world_of(&start.parent, &now);
    gz_mat3 wanted = before.linear;
    wanted.x.x *= 2;
    wanted.y.x *= 2;
    wanted.z.x *= 2;
    gz_vec3 dx = gz_sub(after.linear.x, wanted.x), dy = gz_sub(after.linear.y, wanted.y),
            dz = gz_sub(after.linear.z, wanted.z);
    double lost = sqrt(
        (gz_dot(dx, dx) + gz_dot(dy, dy) + gz_dot(dz, dz)) /
        (gz_dot(wanted.x, wanted.x) + gz_dot(wanted.y, wanted.y) + gz_dot(wanted.z, wanted.z)));
    assert_true(lost > 0.1);
    assert_near(residual, lost, 1e-12);
    motion.factor = (gz_vec3){2, 2, 2};
    assert_true(gz_motion_apply(&motion, &start, &start.parent, &now, &residual));
    assert_near(residual, 0, 0);
    assert_near(now.s.x, 2, 0);
}

static double square_of(const gz_mat3 *m)
{
    return gz_dot(m->x, m->x) + gz_dot(m->y, m->y) + gz_dot(m->z, m->z);
}

/* The wanted world axes, and what the TRS nearest to them, by the polar decomposition, is, and
 * loses in the world. */
static bool nearest_of(const struct gz_motion *motion, const struct gz_target *start,
                       gz_trs *nearest, double *residual)
{
    gz_affine world = world_of(&start->parent, &start->local), to_parent;
    gz_mat3 inside = gz_mat3_multiply(&motion->frame_inverse, &world.linear);
    gz_vec3 signs = {copysign(1, start->local.s.x), copysign(1, start->local.s.y),
                     copysign(1, start->local.s.z)};
    inside = (gz_mat3){gz_times(gz_scale(inside.x, signs.x), motion->factor),
                       gz_times(gz_scale(inside.y, signs.y), motion->factor),
                       gz_times(gz_scale(inside.z, signs.z), motion->factor)};
    gz_mat3 grown = gz_mat3_multiply(&motion->frame, &inside);
    assert_true(gz_affine_inverse(&start->parent, &to_parent));
    gz_affine wanted = {gz_mat3_multiply(&to_parent.linear, &grown), start->local.t};
    bool found = gz_trs_from_affine(&wanted, nearest, NULL);
    gz_affine got = gz_affine_from_trs(nearest);
    got.linear = gz_mat3_multiply(&start->parent.linear, &got.linear);
    gz_mat3 lost = {gz_sub(grown.x, got.linear.x), gz_sub(grown.y, got.linear.y),
                    gz_sub(grown.z, got.linear.z)};
    *residual = sqrt(square_of(&lost) / square_of(&grown));
    nearest->s = gz_times(nearest->s, signs);
    return found;
}

/* That the answer is the nearest of all is a property test's to say. */
TEST(test_scale_of_turned_nodes_is_no_further_than_by_the_stretch)
{
    static const gz_vec3 scales[] = {
        {1, 1, 1}, {0.5, 1, 3}, {-2, 0.01, 1}, {40, -0.3, -7}, {1e-6, 1e6, 1}};
    static const gz_vec3 factors[] = {{1.3, 1, 1},       {1, 1e-6, 1}, {50, 50, 1},
                                      {1.0000001, 1, 1}, {0.2, 3, 1},  {1, -2, 1}};
    const gz_affine parents[] = {
        gz_affine_identity, parent_of((gz_vec3){1, 2, 3}, about(3, 1, 2, 50), (gz_vec3){2, 2, 2}),
        sheared()};
    for (size_t i = 0; i < COUNT(scales) * COUNT(factors) * COUNT(parents) * 24; i++) {
        struct gz_target start = {somewhere, parents[i % COUNT(parents)], NULL};
        start.local.s = scales[i / COUNT(parents) % COUNT(scales)];
        size_t turn = i / COUNT(parents) / COUNT(scales) / COUNT(factors);
        start.local.r = about(1, (double)turn - 11, 2, 15 * (double)turn + 7);
        struct gz_motion motion = scaled(1, 1, 1, start.local.t);
        motion.each = true;
        motion.factor = factors[i / COUNT(parents) / COUNT(scales) % COUNT(factors)];
        motion.frame = gz_mat3_from_quat(about(2, 1, 1, 33));
        motion.frame_inverse = gz_mat3_transpose(&motion.frame);
        gz_trs now, nearest;
        double residual, lost;
        assert_true(nearest_of(&motion, &start, &nearest, &lost));
        assert_true(gz_motion_apply(&motion, &start, &start.parent, &now, &residual));
        assert_true(residual <= lost + 1e-12);
    }
}

TEST(test_scale_that_shears_keeps_mirrors_in_place)
{
    struct gz_target start = {somewhere, gz_affine_identity, NULL};
    start.local.s = (gz_vec3){1, -2, 3};
    start.local.r = about(1, 1, 1, 10);
    struct gz_motion motion = scaled(1.0000001, 1, 1, start.local.t);
    gz_trs now;
    assert_true(gz_motion_apply(&motion, &start, &start.parent, &now, NULL));
    assert_near(now.s.x, 1, 1e-6);
    assert_near(now.s.y, -2, 1e-6);
    assert_near(now.s.z, 3, 1e-6);
    assert_near(now.r.w, start.local.r.w, 1e-6);
}

TEST(test_parent_that_moved_meanwhile_leaves_the_node_in_the_world)
{
    struct gz_target start = {
        somewhere, parent_of((gz_vec3){1, 2, 3}, about(1, 0, 2, 30), (gz_vec3){2, 2, 2}), NULL};
    gz_affine parents[] = {start.parent, parent_of((gz_vec3){-5, 0, 8}, about(0, 3, 1, 120),
                                                   (gz_vec3){0.5, 0.5, 0.5})};
    parents[0].origin = (gz_vec3){9, 9, 9};
    struct gz_motion motions[] = {gz_motion_none, moved(1, 2, 3),
                                  turned(about(1, 0, 0, 40), (gz_vec3){0, 0, 0})};
    for (size_t p = 0; p < COUNT(parents); p++)
        for (size_t m = 0; m < COUNT(motions); m++) {
            gz_trs usual, now;
            double residual;
            assert_true(gz_motion_apply(&motions[m], &start, &start.parent, &usual, NULL));
            assert_true(gz_motion_apply(&motions[m], &start, &parents[p], &now, &residual));
            gz_affine want = world_of(&start.parent, &usual), got = world_of(&parents[p], &now);
            assert_vec3(got.origin, want.origin.x, want.origin.y, want.origin.z, 1e-12);
            assert_vec3(got.linear.x, want.linear.x.x, want.linear.x.y, want.linear.x.z, 1e-12);
            assert_vec3(got.linear.z, want.linear.z.x, want.linear.z.y, want.linear.z.z, 1e-12);
            assert_near(residual, 0, 1e-14);
            if (p == 0) assert_memory_equal(&now.s, &usual.s, sizeof now.s);
        }
}

TEST(test_results_out_of_bounds_are_refused)
{
    gz_affine flat = gz_affine_identity;
    flat.linear.z.z = 0;
    struct gz_target start = {somewhere, flat, NULL};
    gz_trs now = somewhere;
    assert_false(gz_motion_apply(&gz_motion_none, &start, &flat, &now, NULL));
    start.parent = gz_affine_identity;
    struct gz_motion motions[] = {
        moved(1e16, 0, 0), moved(NAN, 0, 0), scaled(1e17, 1e17, 1e17, somewhere.t),
        scaled(1e-16, 1e-16, 1e-16, somewhere.t), scaled(0, 0, 0, somewhere.t)};
    for (size_t i = 0; i < COUNT(motions); i++)
        assert_false(gz_motion_apply(&motions[i], &start, &start.parent, &now, NULL));
    assert_true(gz_trs_same(&now, &somewhere));
}

TEST(test_wheel_scales_by_a_tenth_a_notch)
{
    struct stage s = stage_of(camera_at(0, 0, 5), node_at(1, 0, 0));
    struct gz_motion motion = gz_motion_wheel(&s.gizmo, 2);
    assert_true(gz_motion_apply(&motion, &s.target, &s.target.parent, &s.now, NULL));
    assert_near(s.now.s.y, 1.21, 1e-15);
    assert_near(motion.value[0], 1.21, 1e-15);
    assert_memory_equal(&s.now.t, &s.target.local.t, sizeof s.now.t);
    assert_int_equal(gz_motion_wheel(&s.gizmo, 0).kind, GZ_MOTION_NONE);
    assert_int_equal(gz_motion_wheel(&s.gizmo, NAN).kind, GZ_MOTION_NONE);
    assert_int_equal(gz_motion_wheel(&s.gizmo, 1e9).kind, GZ_MOTION_NONE);
    assert_true(gz_motion_wheel(&s.gizmo, -1000).factor.x == GZ_FACTOR_MIN);
    double back = gz_wheel_turned(gz_wheel_turned(0, -1000), 1);
    assert_near(gz_motion_wheel(&s.gizmo, back).factor.x, 1.1 * GZ_FACTOR_MIN, 1e-15);
}

/* A node that is scaled to nothing along an axis moves and turns as any other, also below a parent
 * that has moved or is sheared; what is 0 stays 0, whatever scales it. */
TEST(test_node_of_scale_zero_moves_and_turns)
{
    static const gz_vec3 scales[] = {{0, 0, 0}, {0, 2, -3}, {1, 0, 1}, {0.5, 1, -0.0}};
    const gz_affine above = sheared();
    gz_affine elsewhere = above;
    elsewhere.linear.x.y = 0.7;
    elsewhere.origin.x = 1;
    const gz_affine parents[][2] = {
        {gz_affine_identity, gz_affine_identity}, {above, above}, {above, elsewhere}};
    const struct gz_motion motions[] = {
        moved(1, 2, 3), turned(gz_quat_about((gz_vec3){0, 0, 1}, 1), (gz_vec3){1, 0, 0}),
        scaled(2, 3, 0.5, (gz_vec3){1, 0, 0}), scaled(-1, 1, 1, (gz_vec3){1, 0, 0})};
    for (size_t i = 0; i < COUNT(scales) * COUNT(parents) * COUNT(motions); i++) {
        struct gz_target full, flat;
        const gz_affine *parent = parents[i / COUNT(motions) % COUNT(parents)];
        gz_vec3 s = scales[i / COUNT(motions) / COUNT(parents)];
        const struct gz_motion *motion = &motions[i % COUNT(motions)];
        gz_trs now, wanted;
        double residual = NAN;
        full = (struct gz_target){somewhere, parent[0], NULL};
        full.local.s = s;
        flat = full;
        if (s.x == 0) full.local.s.x = 1;
        if (s.y == 0) full.local.s.y = 1;
        if (s.z == 0) full.local.s.z = 1;
        assert_true(gz_motion_apply(motion, &full, &parent[1], &wanted, NULL));
        assert_true(gz_motion_apply(motion, &flat, &parent[1], &now, &residual));
        assert_true(isfinite(residual));
        assert_memory_equal(&now.t, &wanted.t, sizeof now.t);
        assert_memory_equal(&now.r, &wanted.r, sizeof now.r);
        assert_memory_equal(&now.s.x, s.x == 0 ? &s.x : &wanted.s.x, sizeof now.s.x);
        assert_memory_equal(&now.s.y, s.y == 0 ? &s.y : &wanted.s.y, sizeof now.s.y);
        assert_memory_equal(&now.s.z, s.z == 0 ? &s.z : &wanted.s.z, sizeof now.s.z);
    }
}

/* Every handle of such a node has an answer, or none; nothing is left that is not a number. */
TEST(test_handles_of_a_node_of_scale_zero)
{
    const gz_box box = {{-1, -1, -1}, {1, 1, 1}};
    for (enum gz_mode mode = GZ_MODE_TRANSLATE; mode < GZ_MODE_ORBIT; mode++)
        for (int flat = 0; flat < 2; flat++) {
            struct gz_target target = node_at(0, 0, 0);
            target.local.s = (gz_vec3){0, flat, flat};
            target.bounds = &box;
            struct stage s = stage_of(camera_look((gz_vec3){3, 4, 5}, (gz_vec3){0, 0, 0}), target);
            s.tool.mode = mode;
            stage_build(&s);
            for (enum gz_handle handle = 1; handle < GZ_HANDLE_COUNT; handle++) {
                if ((s.gizmo.handles & GZ_HANDLE_BIT(handle)) == 0) continue;
                if (stage_press(&s, handle, 1000, 500) != GZ_SOLVE_OK) continue;
                stage_move(&s, 1100, 450);
                assert_true(gz_finite(s.now.t) && gz_finite_quat(s.now.r) && s.now.s.x == 0);
            }
        }
}
