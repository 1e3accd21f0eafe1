/* Triangles under the pointer: the tree against a look at each of them, edges that nothing slips
 * through, and what is passed by. */
#include <float.h>
#include <stdlib.h>

#include "solver/surface.h"
#include "support/chance.h"
#include "unit/solver/stage.h"

#define TESTS_PLENTY 1000000000

/* A surface and the memory that it is in. */
struct made {
    struct gz_surface surface;
    struct gz_triangle *triangles;
    float (*boxes)[6];
};

static struct made make(const struct gz_triangle *triangles, size_t count)
{
    struct made made = {.triangles = malloc((count + 1) * sizeof *made.triangles),
                        .boxes = malloc((gz_surface_box_count(count) + 1) * sizeof *made.boxes)};
    assert_non_null(made.triangles);
    assert_non_null(made.boxes);
    if (count > 0) memcpy(made.triangles, triangles, count * sizeof *triangles);
    gz_surface_build(&made.surface, made.triangles, count, made.boxes);
    return made;
}

static void unmake(struct made *made)
{
    free(made->triangles);
    free(made->boxes);
}

static double chance(uint64_t *seed, double low, double high)
{
    return low + (high - low) * (double)chance_below(seed, UINT64_C(1) << 53) / 9007199254740992.0;
}

static gz_vec3 chance_place(uint64_t *seed, double reach)
{
    double x = chance(seed, -reach, reach), y = chance(seed, -reach, reach);
    return (gz_vec3){x, y, chance(seed, -reach, reach)};
}

static void set_corner(struct gz_triangle *triangle, int i, gz_vec3 place)
{
    triangle->corner[i][0] = (float)place.x;
    triangle->corner[i][1] = (float)place.y;
    triangle->corner[i][2] = (float)place.z;
}

static gz_vec3 corner_of(const struct gz_triangle *triangle, int i)
{
    const float *c = triangle->corner[i];
    return (gz_vec3){(double)c[0], (double)c[1], (double)c[2]};
}

static struct gz_triangle triangle_of(gz_vec3 a, gz_vec3 b, gz_vec3 c, bool both_sides)
{
    struct gz_triangle triangle = {.both_sides = both_sides};
    set_corner(&triangle, 0, a);
    set_corner(&triangle, 1, b);
    set_corner(&triangle, 2, c);
    return triangle;
}

static struct gz_pointer ray_to(gz_vec3 from, gz_vec3 to)
{
    return (struct gz_pointer){.is_ray = true, .origin = from, .direction = gz_sub(to, from)};
}

static enum gz_surface_outcome meet(const struct made *made, const struct gz_pointer *pointer,
                                    const gz_affine *world, double *distance)
{
    struct gz_aim aim;
    size_t tests = TESTS_PLENTY;
    *distance = INFINITY;
    if (!gz_aim(&aim, NULL, pointer, world)) return GZ_MISSED;
    return gz_surface_hit(&made->surface, &aim, &tests, distance);
}

/* The plain way: where the plane is met, and whether that is on the inner side of each edge. With
 * more digits than a double has. */
static bool meet_plainly(const struct gz_triangle *triangle, gz_vec3 from, gz_vec3 unit,
                         double *distance)
{
    long double p[3][3], n[3], d[3] = {unit.x, unit.y, unit.z}, o[3] = {from.x, from.y, from.z};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) p[i][k] = (long double)triangle->corner[i][k] - o[k];
    for (int k = 0; k < 3; k++) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        n[k] =
            (p[1][a] - p[0][a]) * (p[2][b] - p[0][b]) - (p[1][b] - p[0][b]) * (p[2][a] - p[0][a]);
    }
    long double along = n[0] * d[0] + n[1] * d[1] + n[2] * d[2];
    if (along == 0 || (along > 0 && !triangle->both_sides)) return false;
    long double t = (n[0] * p[0][0] + n[1] * p[0][1] + n[2] * p[0][2]) / along;
    for (int i = 0; i < 3; i++) {
        long double inner = 0;
        for (int k = 0; k < 3; k++) {
            int a = (k + 1) % 3, b = (k + 2) % 3, j = (i + 1) % 3;
            inner += n[k] * ((p[j][a] - p[i][a]) * (d[b] * t - p[i][b]) -
                             (p[j][b] - p[i][b]) * (d[a] * t - p[i][a]));
        }
        if (inner < 0) return false;
    }
    *distance = (double)t;
    return t >= 0;
}

TEST(test_the_tree_holds_every_triangle_once)
{
    uint64_t seed = 1;
    for (size_t count = 0; count < 200; count++) {
        struct gz_triangle triangles[200] = {{.both_sides = 0}};
        for (size_t i = 0; i < count; i++) {
            gz_vec3 a = chance_place(&seed, 10);
            triangles[i] = triangle_of(a, gz_add(a, chance_place(&seed, 1)),
                                       gz_add(a, chance_place(&seed, 1)), i % 2);
        }
        struct made made = make(triangles, count);
        bool found[200] = {false};
        for (size_t i = 0; i < count; i++) {
            size_t at = 0;
            while (at < count &&
                   memcmp(&made.triangles[at], &triangles[i], sizeof triangles[i]) != 0)
                at++;
            assert_true(at < count);
            assert_false(found[at]);
            found[at] = true;
        }
        assert_int_equal(made.surface.count, count);
        assert_int_equal(gz_surface_box_count(count),
                         count > 0 ? ((size_t)2 << made.surface.levels) - 1 : 0);
        unmake(&made);
    }
}

/* A random mesh of `count` triangles about as large as `size`, in a cube of `reach`. */
static void compare_with_each(uint64_t *seed, size_t count, double size, double reach, int rays)
{
    struct gz_triangle *triangles = malloc(count * sizeof *triangles);
    assert_non_null(triangles);
    for (size_t i = 0; i < count; i++) {
        gz_vec3 a = chance_place(seed, reach), b = gz_add(a, chance_place(seed, size));
        triangles[i] =
            triangle_of(a, b, gz_add(a, chance_place(seed, size)), chance_below(seed, 2));
    }
    struct made made = make(triangles, count);
    for (int ray = 0; ray < rays; ray++) {
        struct gz_pointer pointer =
            ray_to(chance_place(seed, 2 * reach), chance_place(seed, reach));
        gz_vec3 unit;
        double want = INFINITY, got;
        assert_true(gz_normalize(pointer.direction, &unit));
        for (size_t i = 0; i < count; i++) {
            double distance;
            if (meet_plainly(&triangles[i], pointer.origin, unit, &distance))
                want = fmin(want, distance);
        }
        enum gz_surface_outcome met = meet(&made, &pointer, &gz_affine_identity, &got);
        assert_int_equal(met, isfinite(want) ? GZ_MET : GZ_MISSED);
        if (met == GZ_MET) assert_near(got, want, 1e-9 * want);
    }
    unmake(&made);
    free(triangles);
}

TEST(test_the_tree_finds_what_a_look_at_each_finds)
{
    uint64_t seed = chance_seed(7);
    const size_t counts[] = {1, 2, 3, 4, 5, 8, 9, 31, 100, 1000};
    for (size_t i = 0; i < COUNT(counts); i++) {
        compare_with_each(&seed, counts[i], 2, 10, 300);
        compare_with_each(&seed, counts[i], 20, 10, 100);
    }
}

TEST(test_any_scale_will_do)
{
    uint64_t seed = 8;
    const double scales[] = {1e-12, 1e-6, 1e6, 4e14};
    for (size_t i = 0; i < COUNT(scales); i++)
        compare_with_each(&seed, 100, scales[i], scales[i], 300);
}

/* A sphere of eight faces, each cut into n * n; corners that are shared are the same to the bit. */
static struct made make_ball(int n, bool both_sides)
{
    struct gz_triangle *triangles = malloc((size_t)(8 * n * n) * sizeof *triangles);
    assert_non_null(triangles);
    size_t count = 0;
    for (int octant = 0; octant < 8; octant++) {
        double sx = octant & 1 ? -1 : 1, sy = octant & 2 ? -1 : 1, sz = octant & 4 ? -1 : 1;
        bool turned = sx * sy * sz < 0;
        for (int i = 0; i < n; i++) {
            for (int j = 0; i + j < n; j++) {
                for (int k = 0; k < (i + j < n - 1 ? 2 : 1); k++) {
                    const int at[2][3][2] = {{{i, j}, {i + 1, j}, {i, j + 1}},
                                             {{i + 1, j}, {i + 1, j + 1}, {i, j + 1}}};
                    gz_vec3 c[3];
                    for (int corner = 0; corner < 3; corner++) {
                        double x = at[k][corner][0], y = at[k][corner][1], z = n - x - y;
                        double length = sqrt(x * x + y * y + z * z);
                        c[corner] = (gz_vec3){sx * x / length, sy * y / length, sz * z / length};
                    }
                    triangles[count++] =
                        triangle_of(c[0], c[turned ? 2 : 1], c[turned ? 1 : 2], both_sides);
                }
            }
        }
    }
    assert_int_equal(count, 8 * n * n);
    struct made made = make(triangles, count);
    free(triangles);
    return made;
}

static gz_affine crooked(void)
{
    gz_trs trs = {{3, -2, 0.7}, {0.1, 0.5, -0.3, 0.8}, {0.3, 2.1, -1.7}};
    assert_true(gz_quat_normalize(trs.r, &trs.r));
    return gz_affine_from_trs(&trs);
}

TEST(test_nothing_slips_through_edges_and_corners)
{
    uint64_t seed = 9;
    const gz_affine worlds[] = {gz_affine_identity, crooked()};
    struct made ball = make_ball(12, false), hull = make_ball(12, true);
    for (size_t w = 0; w < COUNT(worlds); w++) {
        for (size_t i = 0; i < ball.surface.count; i++) {
            for (int corner = 0; corner < 3; corner++) {
                gz_vec3 a = corner_of(&ball.triangles[i], corner),
                        b = corner_of(&ball.triangles[i], (corner + 1) % 3);
                gz_vec3 on_edge = gz_add(a, gz_scale(gz_sub(b, a), chance(&seed, 0, 1)));
                const gz_vec3 aims[] = {a, on_edge, gz_scale(gz_add(a, b), 0.5)};
                for (size_t k = 0; k < COUNT(aims); k++) {
                    double distance;
                    gz_vec3 centre = gz_affine_apply(&worlds[w], (gz_vec3){0, 0, 0});
                    gz_vec3 target = gz_affine_apply(&worlds[w], aims[k]);
                    gz_vec3 outside =
                        gz_affine_apply(&worlds[w], gz_add(gz_scale(aims[k], chance(&seed, 2, 5)),
                                                           chance_place(&seed, 0.5)));
                    struct gz_pointer in = ray_to(outside, target), out = ray_to(centre, target);
                    assert_int_equal(meet(&ball, &in, &worlds[w], &distance), GZ_MET);
                    assert_near(distance, gz_length(gz_sub(target, outside)), 1e-6);
                    assert_int_equal(meet(&hull, &out, &worlds[w], &distance), GZ_MET);
                    assert_int_equal(meet(&ball, &out, &worlds[w], &distance), GZ_MISSED);
                }
            }
        }
    }
    unmake(&ball);
    unmake(&hull);
}

/* Straight down on the corners and edges of a level grid, where boxes have no height and the line
 * no slope. */
TEST(test_a_flat_grid_is_met_from_straight_above)
{
    struct gz_triangle triangles[2 * 20 * 20];
    size_t count = 0;
    for (int i = 0; i < 20; i++) {
        for (int j = 0; j < 20; j++) {
            double x = 0.1 * i, z = 0.1 * j;
            gz_vec3 a = {x, 0.3, z}, b = {0.1 * (i + 1), 0.3, z},
                    c = {0.1 * (i + 1), 0.3, 0.1 * (j + 1)};
            triangles[count++] = triangle_of(a, c, b, false);
            triangles[count++] = triangle_of(a, (gz_vec3){x, 0.3, 0.1 * (j + 1)}, c, false);
        }
    }
    struct made grid = make(triangles, count);
    for (int i = 1; i < 20; i++) {
        for (int j = 1; j < 20; j++) {
            for (int half = 0; half < 2; half++) {
                double x = (double)(float)(0.1 * i), z = (double)(float)(0.1 * j) + 0.05 * half,
                       distance;
                struct gz_pointer down = ray_to((gz_vec3){x, 9, z}, (gz_vec3){x, 0, z});
                struct gz_pointer up = ray_to((gz_vec3){x, -9, z}, (gz_vec3){x, 0, z});
                assert_int_equal(meet(&grid, &down, &gz_affine_identity, &distance), GZ_MET);
                assert_near(distance, 9 - (double)0.3f, 1e-12);
                assert_int_equal(meet(&grid, &up, &gz_affine_identity, &distance), GZ_MISSED);
            }
        }
    }
    unmake(&grid);
}

/* A mirror keeps what is outside outside. */
TEST(test_a_mirrored_ball_is_met_from_outside)
{
    struct made ball = make_ball(4, false);
    const gz_trs trs = {{1, 0, 0}, {0, 0, 0, 1}, {-2, 1, 1}};
    gz_affine world = gz_affine_from_trs(&trs);
    double distance;
    struct gz_pointer in = ray_to((gz_vec3){9, 0.1, 0.1}, (gz_vec3){1, 0.1, 0.1});
    struct gz_pointer out = ray_to((gz_vec3){1, 0.1, 0.1}, (gz_vec3){9, 0.1, 0.1});
    assert_int_equal(meet(&ball, &in, &world, &distance), GZ_MET);
    assert_true(distance > 6 && distance < 6.2);
    assert_int_equal(meet(&ball, &out, &world, &distance), GZ_MISSED);
    unmake(&ball);
}

TEST(test_what_has_no_area_is_met_by_nothing)
{
    uint64_t seed = 3;
    const gz_vec3 a = {0, 0, 0}, b = {1, 0, 0};
    const struct gz_triangle triangles[] = {triangle_of(a, a, a, true), triangle_of(a, b, a, true)};
    struct made made = make(triangles, COUNT(triangles)), none = make(triangles, 0);
    double distance;
    for (int i = 0; i < 100; i++) {
        struct gz_pointer pointer =
            ray_to(chance_place(&seed, 3), (gz_vec3){chance(&seed, 0, 3), 0, 0});
        assert_int_equal(meet(&made, &pointer, &gz_affine_identity, &distance), GZ_MISSED);
        assert_int_equal(meet(&none, &pointer, &gz_affine_identity, &distance), GZ_MISSED);
    }
    const gz_affine flat = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 0}}, {0, 0, 0}};
    struct gz_pointer pointer = ray_to((gz_vec3){0, 0, 5}, a);
    struct gz_aim aim;
    assert_false(gz_aim(&aim, NULL, &pointer, &flat));
    pointer.direction = a;
    assert_false(gz_aim(&aim, NULL, &pointer, &gz_affine_identity));
    unmake(&made);
    unmake(&none);
}

TEST(test_the_work_is_bounded)
{
    enum { N = 10000 };
    struct gz_triangle *triangles = malloc(N * sizeof *triangles);
    assert_non_null(triangles);
    for (int i = 0; i < N; i++)
        triangles[i] =
            triangle_of((gz_vec3){0, 0, 0}, (gz_vec3){1, 0, 0}, (gz_vec3){0, 1, 0}, true);
    struct made made = make(triangles, N);
    struct gz_pointer pointer = ray_to((gz_vec3){0.2, 0.2, 5}, (gz_vec3){0.2, 0.2, 0});
    struct gz_aim aim;
    size_t tests = 1000;
    double distance = INFINITY;
    assert_true(gz_aim(&aim, NULL, &pointer, &gz_affine_identity));
    assert_int_equal(gz_surface_hit(&made.surface, &aim, &tests, &distance), GZ_GAVE_UP);
    assert_true(tests < 2);
    assert_true(isinf(distance));
    tests = TESTS_PLENTY;
    assert_int_equal(gz_surface_hit(&made.surface, &aim, &tests, &distance), GZ_MET);
    assert_true(TESTS_PLENTY - tests < 4 * N);
    assert_near(distance, 5, 1e-12);
    distance = 4.9; /* nothing is nearer than that */
    assert_int_equal(gz_surface_hit(&made.surface, &aim, &tests, &distance), GZ_MISSED);

    struct gz_camera camera = camera_at(0, 0, 5);
    const struct gz_pointer beside = {.at = {960 - 3, 540}};
    struct gz_beside passed = {.px = 8};
    tests = 100;
    assert_int_equal(
        gz_surface_pass(&made.surface, &camera, &beside, &gz_affine_identity, &tests, &passed),
        GZ_GAVE_UP);
    unmake(&made);
    free(triangles);
}

/* A few of 12,800. */
TEST(test_most_are_not_looked_at)
{
    uint64_t seed = 5;
    struct made ball = make_ball(40, false);
    size_t most = 0;
    for (int i = 0; i < 200; i++) {
        struct gz_pointer pointer =
            ray_to(gz_add((gz_vec3){0, 0, 5}, chance_place(&seed, 1)), chance_place(&seed, 0.5));
        struct gz_aim aim;
        size_t tests = TESTS_PLENTY;
        double distance = INFINITY;
        assert_true(gz_aim(&aim, NULL, &pointer, &gz_affine_identity));
        assert_int_equal(gz_surface_hit(&ball.surface, &aim, &tests, &distance), GZ_MET);
        if (TESTS_PLENTY - tests > most) most = TESTS_PLENTY - tests;
    }
    assert_true(most > 20 && most < 100);
    unmake(&ball);
}

/* The build takes its time whatever the triangles are: here the middles lie so that each step
 * settles one of them only. */
TEST(test_a_mean_order_is_built_too)
{
    enum { N = 60000 };
    struct gz_triangle *triangles = malloc(N * sizeof *triangles);
    assert_non_null(triangles);
    for (int i = 0; i < N; i++) {
        double x = ldexp(1, -(i % 100)) * (i % 2 ? 1 : -1);
        triangles[i] =
            triangle_of((gz_vec3){x, 0, 0}, (gz_vec3){x, 1, 0}, (gz_vec3){x, 0, 1}, true);
    }
    struct made made = make(triangles, N);
    double distance;
    struct gz_pointer pointer = ray_to((gz_vec3){5, 0.2, 0.2}, (gz_vec3){0, 0.2, 0.2});
    assert_int_equal(meet(&made, &pointer, &gz_affine_identity, &distance), GZ_MET);
    assert_near(distance, 4.5, 1e-12);
    unmake(&made);
    free(triangles);
}

/* ---- what is passed by ---- */

static enum gz_surface_outcome pass(const struct made *made, const struct gz_camera *camera,
                                    double x, double y, double reach, struct gz_beside *beside)
{
    const struct gz_pointer pointer = {.at = {x, y}};
    size_t tests = TESTS_PLENTY;
    *beside = (struct gz_beside){.px = reach};
    return gz_surface_pass(&made->surface, camera, &pointer, &gz_affine_identity, &tests, beside);
}

TEST(test_a_thin_wire_is_passed_within_reach)
{
    const gz_vec3 a = {-1, 0, -3}, b = {2, 0.4, 1}, c = {2, 0.4001, 1};
    const struct gz_triangle wire = triangle_of(a, b, c, true);
    const struct gz_camera cameras[] = {camera_look((gz_vec3){1, 2, 9}, (gz_vec3){0, 0, 0}),
                                        camera_ortho((gz_vec3){1, 2, 9}, (gz_vec3){0, 0, 0}, 6)};
    struct made made = make(&wire, 1);
    for (size_t i = 0; i < COUNT(cameras); i++) {
        const struct gz_camera *camera = &cameras[i];
        double at[2], ends[2][2], w;
        gz_vec3 place = gz_add(a, gz_scale(gz_sub(b, a), 0.3));
        assert_true(gz_camera_project(camera, place, at, &w));
        assert_true(gz_camera_project(camera, a, ends[0], &w));
        assert_true(gz_camera_project(camera, b, ends[1], &w));
        double length = hypot(ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]);
        double across[2] = {(ends[1][1] - ends[0][1]) / length,
                            -(ends[1][0] - ends[0][0]) / length};
        if (across[1] < 0)
            across[0] = -across[0], across[1] = -across[1]; /* below: the other edge is above */
        struct gz_beside beside;
        assert_int_equal(
            pass(&made, camera, at[0] + 5 * across[0], at[1] + 5 * across[1], 8, &beside), GZ_MET);
        assert_near(beside.px, 5, 1e-2);
        assert_vec3(beside.point, place.x, place.y, place.z, 1e-2);
        gz_vec3 from_eye = gz_sub(beside.point, camera->eye);
        double away =
            camera->perspective ? gz_length(from_eye) : -gz_dot(from_eye, camera->backward);
        assert_near(beside.distance, away, 1e-9);
        assert_int_equal(
            pass(&made, camera, at[0] + 9 * across[0], at[1] + 9 * across[1], 8, &beside),
            GZ_MISSED);
    }
    unmake(&made);
}

TEST(test_what_is_not_seen_is_not_passed)
{
    struct gz_camera camera = camera_at(0, 0, 5);
    const gz_vec3 a = {0, 0, 0}, b = {1, 0, 0}, c = {0, 1, 0}, up = {0, 0, 10};
    const struct gz_triangle turned = triangle_of(a, c, b, false),
                             to_us = triangle_of(a, b, c, false);
    const struct gz_triangle behind =
        triangle_of(gz_add(a, up), gz_add(b, up), gz_add(c, up), true);
    struct gz_beside beside;
    struct made made = make(&turned, 1);
    assert_int_equal(pass(&made, &camera, 960 - 3, 540, 8, &beside), GZ_MISSED);
    unmake(&made);
    made = make(&to_us, 1);
    assert_int_equal(pass(&made, &camera, 960 - 3, 540, 8, &beside), GZ_MET);
    assert_near(beside.px, 3, 1e-9);
    unmake(&made);
    made = make(&behind, 1);
    assert_int_equal(pass(&made, &camera, 960 - 3, 540, 8, &beside), GZ_MISSED);
    unmake(&made);
}

static enum gz_surface_outcome meet_from(const struct made *made, const struct gz_camera *camera,
                                         const struct gz_pointer *pointer, double *distance)
{
    struct gz_aim aim;
    size_t tests = TESTS_PLENTY;
    *distance = INFINITY;
    assert_true(gz_aim(&aim, camera, pointer, &gz_affine_identity));
    return gz_surface_hit(&made->surface, &aim, &tests, distance);
}

/* A wall across the view, this far away. */
static enum gz_surface_outcome meet_wall(const struct gz_camera *camera, double away, bool beside)
{
    const double half = away, z = 5 - away;
    const struct gz_triangle wall = triangle_of(
        (gz_vec3){-half, -half, z}, (gz_vec3){half, -half, z}, (gz_vec3){0, half, z}, true);
    struct made made = make(&wall, 1);
    const gz_vec3 place = {beside ? 0.75 * half : 0, 0, z};
    struct gz_pointer pointer = {.is_ray = false};
    struct gz_beside passed;
    double distance;
    assert_true(gz_camera_project(camera, place, pointer.at, NULL));
    enum gz_surface_outcome met =
        beside ? pass(&made, camera, pointer.at[0], pointer.at[1], 1e6, &passed)
               : meet_from(&made, camera, &pointer, &distance);
    if (met == GZ_MET && !beside) assert_near(distance, away, 1e-5 * away);
    unmake(&made);
    return met;
}

/* With near 1 and far 100, with depth from -1 to 1, from 0 to 1, from 1 to 0 and from 1 to -1. */
TEST(test_what_is_not_between_near_and_far_is_not_met)
{
    static const double depths[][2] = {{-101.0 / 99, -200.0 / 99},
                                       {-100.0 / 99, -100.0 / 99},
                                       {1.0 / 99, 100.0 / 99},
                                       {101.0 / 99, 200.0 / 99}};
    for (size_t i = 0; i < COUNT(depths); i++) {
        struct gz_camera camera, usual = camera_at(0, 0, 5);
        struct gz_camera_input input = usual.input;
        input.proj[10] = depths[i][0];
        input.proj[14] = depths[i][1];
        assert_true(gz_camera_prepare(&camera, &input, NULL));
        for (int beside = 0; beside < 2; beside++) {
            assert_int_equal(meet_wall(&camera, 0.3, beside), GZ_MISSED);
            assert_int_equal(meet_wall(&camera, 1.1, beside), GZ_MET);
            assert_int_equal(meet_wall(&camera, 99, beside), GZ_MET);
            assert_int_equal(meet_wall(&camera, 101, beside), GZ_MISSED);
        }
    }
}

/* An edge that begins before the viewer and ends behind, either way round. */
TEST(test_what_is_behind_the_viewer_is_cut_off)
{
    struct gz_camera camera = camera_at(0, 0, 5);
    const gz_vec3 before = {0, -2, -4}, behind = {0, 0.5, 20}, aside = {30, -2, -4};
    const struct gz_triangle triangles[] = {triangle_of(before, behind, aside, true),
                                            triangle_of(behind, before, aside, true)};
    const gz_vec3 place = gz_add(before, gz_scale(gz_sub(behind, before), 1 / 6.0));
    double at[2], w;
    assert_true(gz_camera_project(&camera, place, at, &w));
    for (size_t i = 0; i < COUNT(triangles); i++) {
        struct gz_beside beside;
        struct made made = make(&triangles[i], 1);
        assert_int_equal(pass(&made, &camera, at[0] - 3, at[1], 8, &beside), GZ_MET);
        assert_near(beside.px, 3, 1e-4);
        assert_vec3(beside.point, place.x, place.y, place.z, 1e-4);
        unmake(&made);
    }
}
