/* test_linear.c - vectors, matrices, quaternions and Euler angles, against textbook formulas. */
#include <string.h>

#include "proto/base/linear.h"
#include "support/cmocka.h"

#define PI 3.14159265358979323846
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- random but the same each time ---- */

static double uniform(uint64_t *state, double low, double high)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (high - low) * (double)(*state >> 11) / 9007199254740992.0;
}

static gz_vec3 random_vec3(uint64_t *state, double size)
{
    gz_vec3 v;
    v.x = uniform(state, -size, size);
    v.y = uniform(state, -size, size);
    v.z = uniform(state, -size, size);
    return v;
}

static gz_quat random_rotation(uint64_t *state)
{
    gz_vec3 v = random_vec3(state, 1);
    gz_quat q = {v.x, v.y, v.z, uniform(state, -1, 1)};
    assert_true(gz_quat_normalize(q, &q));
    return q;
}

/* ---- comparing ---- */

static void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance)) fail_msg("%.17g and %.17g differ by %.3g", a, b, fabs(a - b));
}

static double vec3_distance(gz_vec3 a, gz_vec3 b)
{
    return gz_length(gz_sub(a, b));
}

static double mat3_distance(const gz_mat3 *a, const gz_mat3 *b)
{
    return vec3_distance(a->x, b->x) + vec3_distance(a->y, b->y) + vec3_distance(a->z, b->z);
}

static void assert_mat3_near(const gz_mat3 *a, const gz_mat3 *b, double tolerance)
{
    if (!(mat3_distance(a, b) <= tolerance))
        fail_msg("matrices differ by %.3g", mat3_distance(a, b));
}

static void assert_rotation(const gz_mat3 *m, double tolerance)
{
    gz_mat3 transpose = gz_mat3_transpose(m), product = gz_mat3_multiply(&transpose, m);
    assert_mat3_near(&product, &gz_affine_identity.linear, tolerance);
    assert_near(gz_mat3_determinant(m), 1, tolerance);
}

/* The textbook's rotation about one axis. */
static gz_mat3 axis_matrix(int axis, double angle)
{
    double c = cos(angle), s = sin(angle);
    if (axis == 0) return (gz_mat3){{1, 0, 0}, {0, c, s}, {0, -s, c}};
    if (axis == 1) return (gz_mat3){{c, 0, -s}, {0, 1, 0}, {s, 0, c}};
    return (gz_mat3){{c, s, 0}, {-s, c, 0}, {0, 0, 1}};
}

static const struct {
    enum gz_euler_order order;
    int axes[3];
} orders[] = {
    {GZ_XYZ, {0, 1, 2}}, {GZ_XZY, {0, 2, 1}}, {GZ_YXZ, {1, 0, 2}},
    {GZ_YZX, {1, 2, 0}}, {GZ_ZXY, {2, 0, 1}}, {GZ_ZYX, {2, 1, 0}},
};

static gz_vec3 angles_of(const int axes[3], double first, double middle, double last)
{
    double angles[3];
    angles[axes[0]] = first;
    angles[axes[1]] = middle;
    angles[axes[2]] = last;
    return (gz_vec3){angles[0], angles[1], angles[2]};
}

/* ---- normalising ---- */

TEST(test_normalize_any_size_gives_the_direction)
{
    const double sizes[] = {1e-300, 1e-160, 1e-8, 1, 1e8, 1e160, 1e300};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        gz_vec3 unit;
        assert_true(gz_normalize((gz_vec3){3 * sizes[i], -4 * sizes[i], 12 * sizes[i]}, &unit));
        assert_true(vec3_distance(unit, (gz_vec3){3.0 / 13, -4.0 / 13, 12.0 / 13}) < 3e-16);
    }
}

TEST(test_normalize_what_has_no_direction_is_refused)
{
    const gz_vec3 cases[] = {
        {0, 0, 0}, {-0.0, 0, 0}, {NAN, 1, 0}, {1, INFINITY, 0}, {0, 0, -INFINITY}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        gz_vec3 unit;
        assert_false(gz_normalize(cases[i], &unit));
        gz_quat rotation;
        assert_false(
            gz_quat_normalize((gz_quat){cases[i].x, cases[i].y, 0, cases[i].z}, &rotation));
    }
}

TEST(test_quat_normalize_twice_keeps_the_bits)
{
    uint64_t random = 1;
    for (int i = 0; i < 100000; i++) {
        gz_quat once = random_rotation(&random), twice;
        assert_true(gz_quat_normalize(once, &twice));
        assert_memory_equal(&once, &twice, sizeof once);
    }
}

TEST(test_quat_normalize_keeps_the_sign)
{
    gz_quat unit;
    assert_true(gz_quat_normalize((gz_quat){0, 0, 0, -2}, &unit));
    assert_true(unit.w == -1);
    assert_true(gz_quat_normalize((gz_quat){-1e-200, 0, 0, 1e-200}, &unit));
    assert_near(unit.x, -sqrt(0.5), 1e-16);
    assert_near(unit.w, sqrt(0.5), 1e-16);
}

/* ---- rotations ---- */

TEST(test_rotations_agree_as_quaternion_and_matrix)
{
    uint64_t random = 2;
    for (int i = 0; i < 10000; i++) {
        gz_quat a = random_rotation(&random), b = random_rotation(&random);
        gz_mat3 ma = gz_mat3_from_quat(a), mb = gz_mat3_from_quat(b),
                product = gz_mat3_multiply(&ma, &mb);
        gz_mat3 same = gz_mat3_from_quat(gz_quat_multiply(a, b));
        assert_mat3_near(&product, &same, 1e-14);
        gz_vec3 v = random_vec3(&random, 10);
        assert_true(vec3_distance(gz_rotate(a, v), gz_mat3_apply(&ma, v)) < 1e-13);
        gz_quat undone = gz_quat_multiply(a, gz_quat_conjugate(a));
        assert_near(undone.w, 1, 1e-15);
    }
}

TEST(test_quat_about_turns_by_the_right_hand)
{
    gz_vec3 turned = gz_rotate(gz_quat_about((gz_vec3){0, 0, 1}, PI / 2), (gz_vec3){1, 0, 0});
    assert_true(vec3_distance(turned, (gz_vec3){0, 1, 0}) < 1e-15);
    for (int axis = 0; axis < 3; axis++) {
        gz_mat3 expected = axis_matrix(axis, 0.7);
        gz_mat3 m =
            gz_mat3_from_quat(gz_quat_about((gz_vec3){axis == 0, axis == 1, axis == 2}, 0.7));
        assert_mat3_near(&m, &expected, 1e-15);
    }
}

TEST(test_quat_from_mat3_comes_back_also_at_half_turns)
{
    uint64_t random = 3;
    for (int i = 0; i < 10000; i++) {
        gz_vec3 axis;
        assert_true(gz_normalize(random_vec3(&random, 1), &axis));
        double angle = i % 3 == 0 ? PI : i % 3 == 1 ? PI - 1e-9 : uniform(&random, -PI, PI);
        gz_mat3 m = gz_mat3_from_quat(gz_quat_about(axis, angle));
        gz_quat q = gz_quat_from_mat3(&m);
        gz_mat3 back = gz_mat3_from_quat(q);
        assert_mat3_near(&back, &m, 4e-15);
        assert_true(q.w >= 0);
    }
}

/* ---- Euler angles ---- */

TEST(test_euler_is_the_product_of_its_axes_in_each_order)
{
    for (size_t i = 0; i < COUNT(orders); i++) {
        const int *axes = orders[i].axes;
        gz_mat3 a = axis_matrix(axes[0], 0.3), b = axis_matrix(axes[1], -0.8),
                c = axis_matrix(axes[2], 2.1);
        gz_mat3 expected = gz_mat3_multiply(&a, &b);
        expected = gz_mat3_multiply(&expected, &c);
        gz_mat3 m =
            gz_mat3_from_quat(gz_quat_from_euler(angles_of(axes, 0.3, -0.8, 2.1), orders[i].order));
        assert_mat3_near(&m, &expected, 2e-15);
    }
}

TEST(test_euler_angles_come_back_in_each_order)
{
    uint64_t random = 4;
    for (size_t i = 0; i < 6 * 2000; i++) {
        gz_vec3 angles = angles_of(orders[i % 6].axes, uniform(&random, -3.1, 3.1),
                                   uniform(&random, -1.5, 1.5), uniform(&random, -3.1, 3.1));
        gz_vec3 back = gz_euler_from_quat(gz_quat_from_euler(angles, orders[i % 6].order),
                                          orders[i % 6].order);
        assert_true(vec3_distance(angles, back) < 1e-13);
    }
}

/* The rotation comes back to the last bits however near the middle angle is to a right one, where
 * the angles do not. */
TEST(test_euler_near_gimbal_lock_keeps_the_rotation)
{
    uint64_t random = 5;
    for (size_t i = 0; i < 6 * 18 * 50; i++) {
        enum gz_euler_order order = orders[i % 6].order;
        double gap = pow(10, -(double)(i / 6 % 18)) * uniform(&random, 0.1, 1);
        double middle = (i / 108 % 2 == 0 ? 1 : -1) * (PI / 2 - gap);
        gz_vec3 angles =
            angles_of(orders[i % 6].axes, uniform(&random, -3, 3), middle, uniform(&random, -3, 3));
        gz_quat q = gz_quat_from_euler(angles, order);
        gz_vec3 found = gz_euler_from_quat(q, order);
        gz_mat3 m = gz_mat3_from_quat(q),
                back = gz_mat3_from_quat(gz_quat_from_euler(found, order));
        assert_mat3_near(&back, &m, 3e-14);
    }
}

TEST(test_euler_at_gimbal_lock_has_no_last_angle)
{
    for (size_t i = 0; i < 12; i++) {
        const int *axes = orders[i % 6].axes;
        gz_vec3 angles = angles_of(axes, 0.4, i < 6 ? PI / 2 : -PI / 2, 0.9);
        gz_quat q = gz_quat_from_euler(angles, orders[i % 6].order);
        gz_vec3 found = gz_euler_from_quat(q, orders[i % 6].order);
        assert_true(gz_component(found, axes[2]) == 0);
        assert_near(fabs(gz_component(found, axes[1])), PI / 2, 1e-7);
        gz_mat3 m = gz_mat3_from_quat(q),
                back = gz_mat3_from_quat(gz_quat_from_euler(found, orders[i % 6].order));
        assert_mat3_near(&back, &m, 3e-14);
    }
}

/* ---- matrices ---- */

TEST(test_inverse_undoes)
{
    uint64_t random = 6;
    for (int i = 0; i < 1000; i++) {
        gz_trs trs = {random_vec3(&random, 10), random_rotation(&random), random_vec3(&random, 3)};
        if (fabs(trs.s.x) < 0.1 || fabs(trs.s.y) < 0.1 || fabs(trs.s.z) < 0.1) continue;
        gz_affine a = gz_affine_from_trs(&trs), inverse;
        assert_true(gz_affine_inverse(&a, &inverse));
        gz_affine both = gz_affine_multiply(&a, &inverse);
        assert_mat3_near(&both.linear, &gz_affine_identity.linear, 1e-13);
        assert_true(gz_length(both.origin) < 1e-12);
        gz_vec3 point = random_vec3(&random, 5);
        assert_true(vec3_distance(gz_affine_apply(&inverse, gz_affine_apply(&a, point)), point) <
                    1e-12);
    }
}

TEST(test_inverse_of_a_flat_matrix_is_refused)
{
    const gz_mat3 cases[] = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 0}},
                             {{1, 2, 3}, {2, 4, 6}, {0, 0, 1}},
                             {{NAN, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        gz_mat3 result;
        gz_trs trs;
        gz_affine affine = {cases[i], {0, 0, 0}};
        assert_false(gz_mat3_inverse(&cases[i], &result));
        assert_false(gz_mat3_polar(&cases[i], &result));
        assert_false(gz_trs_from_affine(&affine, &trs, NULL));
    }
}

TEST(test_matrix_of_16_is_column_major)
{
    const double matrix[16] = {1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 10, 0, 11, 12, 13, 1};
    gz_affine a = gz_affine_from_matrix(matrix);
    gz_vec3 moved = gz_affine_apply(&a, (gz_vec3){1, 10, 100});
    assert_true(moved.x == 752 && moved.y == 864 && moved.z == 1076);
    double back[16];
    gz_affine_to_matrix(&a, back);
    assert_memory_equal(matrix, back, sizeof matrix);
}

TEST(test_affine_from_trs_scales_then_turns_then_moves)
{
    gz_trs trs = {{10, 0, 0}, gz_quat_about((gz_vec3){0, 0, 1}, PI / 2), {2, 3, 4}};
    gz_affine a = gz_affine_from_trs(&trs);
    assert_true(vec3_distance(gz_affine_apply(&a, (gz_vec3){1, 1, 1}), (gz_vec3){7, 2, 4}) < 1e-14);
}

/* ---- taking matrices apart ---- */

/* What makes the polar decomposition: R is a rotation, and R^T m is symmetric. Positive definite, R
 * is the nearest one. */
static void assert_polar(const gz_mat3 *m, double tolerance)
{
    gz_mat3 rotation;
    assert_true(gz_mat3_polar(m, &rotation));
    assert_rotation(&rotation, tolerance);
    gz_mat3 transpose = gz_mat3_transpose(&rotation), stretch = gz_mat3_multiply(&transpose, m);
    double size = gz_length(m->x) + gz_length(m->y) + gz_length(m->z);
    assert_near(stretch.x.y, stretch.y.x, tolerance * size);
    assert_near(stretch.x.z, stretch.z.x, tolerance * size);
    assert_near(stretch.y.z, stretch.z.y, tolerance * size);
    double sign = gz_mat3_determinant(m) < 0 ? -1 : 1;
    assert_true(sign * stretch.x.x > 0 && sign * stretch.y.y > 0 && sign * stretch.z.z > 0);
}

TEST(test_polar_of_any_matrix_is_a_rotation_and_a_stretch)
{
    uint64_t random = 7;
    for (int i = 0; i < 5000; i++) {
        double size = pow(10, uniform(&random, -12, 12));
        gz_mat3 m = {random_vec3(&random, size), random_vec3(&random, size),
                     random_vec3(&random, size)};
        if (fabs(gz_mat3_determinant(&m)) < 1e-3 * size * size * size) continue;
        assert_polar(&m, 1e-12);
    }
}

TEST(test_polar_finds_the_rotation_it_was_made_of)
{
    uint64_t random = 8;
    const gz_mat3 stretch = {{2, 0.5, 0.1}, {0.5, 3, -0.2}, {0.1, -0.2, 1}};
    for (int i = 0; i < 1000; i++) {
        gz_mat3 rotation = gz_mat3_from_quat(random_rotation(&random)), found;
        gz_mat3 m = gz_mat3_multiply(&rotation, &stretch);
        assert_true(gz_mat3_polar(&m, &found));
        assert_mat3_near(&found, &rotation, 1e-14);
    }
}

TEST(test_polar_of_an_uneven_matrix_converges)
{
    const gz_mat3 m = {{1e6, 1, 0}, {0, 1e-6, 0}, {0, 1e-7, 1}};
    assert_polar(&m, 1e-9);
}

static void assert_trs_comes_back(const gz_trs *trs)
{
    gz_affine a = gz_affine_from_trs(trs);
    gz_trs found;
    double residual;
    assert_true(gz_trs_from_affine(&a, &found, &residual));
    gz_affine back = gz_affine_from_trs(&found);
    double size = gz_length(a.linear.x) + gz_length(a.linear.y) + gz_length(a.linear.z);
    assert_mat3_near(&back.linear, &a.linear, 4e-15 * size);
    assert_memory_equal(&back.origin, &a.origin, sizeof a.origin);
    assert_true(residual < 2e-15);
}

TEST(test_trs_from_affine_comes_back)
{
    uint64_t random = 9;
    for (int i = 0; i < 10000; i++) {
        gz_trs trs = {random_vec3(&random, 100), random_rotation(&random), random_vec3(&random, 1)};
        for (double *s = &trs.s.x; s <= &trs.s.z; s++) *s = copysign(pow(10, 6 * *s), *s);
        assert_trs_comes_back(&trs);
    }
}

TEST(test_trs_from_affine_keeps_positive_scales)
{
    uint64_t random = 10;
    for (int i = 0; i < 1000; i++) {
        gz_trs trs = {random_vec3(&random, 1), random_rotation(&random), {0.5, 1, 7}}, found;
        gz_affine a = gz_affine_from_trs(&trs);
        assert_true(gz_trs_from_affine(&a, &found, NULL));
        assert_true(vec3_distance(found.s, trs.s) < 1e-14);
        assert_near(fabs(found.r.x * trs.r.x + found.r.y * trs.r.y + found.r.z * trs.r.z +
                         found.r.w * trs.r.w),
                    1, 1e-15);
    }
}

TEST(test_trs_from_affine_mirror_is_a_negative_x)
{
    const gz_vec3 mirrors[] = {{-1, 2, 3}, {1, -2, 3}, {1, 2, -3}, {-1, -2, -3}};
    uint64_t random = 11;
    for (size_t i = 0; i < 400; i++) {
        gz_trs trs = {{1, 2, 3}, random_rotation(&random), mirrors[i % 4]}, found;
        gz_affine a = gz_affine_from_trs(&trs);
        if (i % 8 < 4) a.linear.y = gz_add(a.linear.y, gz_scale(a.linear.x, 0.05));
        assert_true(gz_trs_from_affine(&a, &found, NULL));
        assert_true(found.s.x < 0 && found.s.y > 0 && found.s.z > 0);
    }
}

/* A shear by k: [1 k; 0 1] is k/2 off the nearest symmetric matrix to first order. */
TEST(test_trs_from_affine_says_what_a_shear_lost)
{
    const double shears[] = {1e-9, 1e-6, 1e-3, 0.1, 2};
    for (size_t i = 0; i < COUNT(shears); i++) {
        gz_affine a = {{{1, 0, 0}, {shears[i], 1, 0}, {0, 0, 1}}, {5, 6, 7}};
        gz_trs trs;
        double residual;
        assert_true(gz_trs_from_affine(&a, &trs, &residual));
        gz_affine back = gz_affine_from_trs(&trs);
        gz_mat3 lost = {gz_sub(back.linear.x, a.linear.x), gz_sub(back.linear.y, a.linear.y),
                        gz_sub(back.linear.z, a.linear.z)};
        double size = sqrt(3 + shears[i] * shears[i]);
        double distance =
            sqrt(gz_dot(lost.x, lost.x) + gz_dot(lost.y, lost.y) + gz_dot(lost.z, lost.z));
        assert_near(residual, distance / size, 1e-16);
        if (shears[i] < 0.01)
            assert_near(residual, shears[i] / sqrt(2) / sqrt(3), 1e-2 * shears[i]);
        assert_memory_equal(&trs.t, &a.origin, sizeof trs.t);
    }
}

TEST(test_trs_same_is_about_bits)
{
    gz_trs a = gz_trs_identity, b = gz_trs_identity;
    assert_true(gz_trs_same(&a, &b));
    b.t.y = -0.0;
    assert_false(gz_trs_same(&a, &b));
    assert_true(gz_trs_finite(&b));
    b.s.z = NAN;
    assert_true(gz_trs_same(&b, &b));
    assert_false(gz_trs_finite(&b));
}

/* ---- boxes ---- */

TEST(test_box_transform_holds_the_eight_corners_and_no_more)
{
    uint64_t random = 12;
    for (int i = 0; i < 1000; i++) {
        gz_affine a = {{random_vec3(&random, 2), random_vec3(&random, 2), random_vec3(&random, 2)},
                       random_vec3(&random, 9)};
        gz_vec3 low = random_vec3(&random, 5);
        gz_box box = {low, gz_add(low, (gz_vec3){1, uniform(&random, 0, 4), 0})};
        gz_vec3 first = gz_affine_apply(&a, box.min);
        gz_box expected = {first, first};
        for (int corner = 1; corner < 8; corner++) {
            gz_vec3 point = {corner & 1 ? box.max.x : box.min.x, corner & 2 ? box.max.y : box.min.y,
                             corner & 4 ? box.max.z : box.min.z};
            point = gz_affine_apply(&a, point);
            gz_box at = {point, point};
            expected = gz_box_union(&expected, &at);
        }
        gz_box found = gz_box_transform(&box, &a);
        assert_true(vec3_distance(found.min, expected.min) < 1e-13);
        assert_true(vec3_distance(found.max, expected.max) < 1e-13);
    }
}

TEST(test_box_union_and_centre)
{
    gz_box a = {{0, -5, 2}, {1, 1, 3}}, b = {{-1, 0, 2.5}, {0.5, 4, 9}},
           both = gz_box_union(&a, &b);
    gz_vec3 centre = gz_box_centre(&both);
    assert_true(both.min.x == -1 && both.min.y == -5 && both.min.z == 2);
    assert_true(both.max.x == 1 && both.max.y == 4 && both.max.z == 9);
    assert_true(centre.x == 0 && centre.y == -0.5 && centre.z == 5.5);
}
