/* The bounds index against going through all nodes with numbers of a wider type: what reaches into
 * a part of the world passes the cull, whatever became of the scene since it was last asked; and
 * in tame scenes little else does. And the walk through what moved, which keeps the index up.
 * GIZMOD_SEED and GIZMOD_TIMES choose the runs; a failure is found again with the seed that was
 * printed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/bounds_index.h"
#include "server/maxima.h"
#include "support/cmocka.h"
#include "unit/scene/making.h"

#define SEEDS 150
#define STEPS 60
#define IDS 120

struct game {
    struct gz_scene *scene;
    uint64_t random;
    bool wild; /* coordinates and scales of any size */
};

/* ---- numbers of a wider type ---- */

typedef long double wide;

struct wide_world {
    wide m[3][4];    /* as it is */
    wide size[3][4]; /* the sums of magnitudes that it was made of: what rounding is in proportion
                        to */
};

static struct wide_world local_world(const gz_trs *trs)
{
    wide x = trs->r.x, y = trs->r.y, z = trs->r.z, w = trs->r.w;
    const wide t[3] = {trs->t.x, trs->t.y, trs->t.z}, s[3] = {trs->s.x, trs->s.y, trs->s.z};
    const wide turn[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                             {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                             {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
    struct wide_world world;
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) {
            world.m[row][column] = turn[row][column] * s[column];
            world.size[row][column] = 4 * fabsl(s[column]);
        }
        world.m[row][3] = t[row];
        world.size[row][3] = fabsl(t[row]);
    }
    return world;
}

static void multiply(wide a[3][4], wide b[3][4], wide c[3][4])
{
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 4; column++) {
            c[row][column] = column == 3 ? a[row][3] : 0;
            for (int k = 0; k < 3; k++) c[row][column] += a[row][k] * b[k][column];
        }
    }
}

static struct wide_world world_of(const struct gz_node *node)
{
    struct wide_world world = local_world(&node->trs), product;
    for (node = node->parent; node != NULL; node = node->parent) {
        struct wide_world above = local_world(&node->trs);
        multiply(above.m, world.m, product.m);
        multiply(above.size, world.size, product.size);
        world = product;
    }
    return world;
}

/* The node's box along the world's axes, and how large the numbers were that its sides were made
 * of. */
static void world_box(const struct gz_node *node, wide box[2][3], wide size[3])
{
    struct wide_world world = world_of(node);
    for (int corner = 0; corner < 8; corner++) {
        wide at[4] = {0, 0, 0, 1};
        if (node->has_bounds) {
            at[0] = corner & 1 ? node->bounds.max.x : node->bounds.min.x;
            at[1] = corner & 2 ? node->bounds.max.y : node->bounds.min.y;
            at[2] = corner & 4 ? node->bounds.max.z : node->bounds.min.z;
        }
        for (int axis = 0; axis < 3; axis++) {
            wide place = 0, sum = 0;
            for (int k = 0; k < 4; k++) {
                place += world.m[axis][k] * at[k];
                sum += fabsl(world.size[axis][k] * at[k]);
            }
            box[0][axis] = corner == 0 ? place : fminl(box[0][axis], place);
            box[1][axis] = corner == 0 ? place : fmaxl(box[1][axis], place);
            size[axis] = corner == 0 ? sum : fmaxl(size[axis], sum);
        }
    }
}

/* How far the box reaches into the half of space, and in *rounding what that may be wrong by, in
 * proportion. */
static wide reach_of(wide box[2][3], const wide size[3], const gz_plane *plane, wide *rounding)
{
    const wide n[3] = {plane->normal.x, plane->normal.y, plane->normal.z};
    wide reach = plane->offset;
    *rounding = fabsl(reach);
    for (int axis = 0; axis < 3; axis++) {
        reach += n[axis] * box[n[axis] > 0][axis];
        *rounding += fabsl(n[axis]) * size[axis];
    }
    return reach;
}

/* ---- chance ---- */

static uint64_t below(struct game *game, uint64_t limit)
{
    return chance_below(&game->random, limit);
}

static double between(struct game *game, double low, double high)
{
    return low + (high - low) * (double)below(game, 1 << 30) / (1 << 30);
}

static double any_scale(struct game *game)
{
    double sign = below(game, 4) == 0 ? -1 : 1;
    if (!game->wild) return sign * between(game, 0.5, 2);
    return sign * pow(10, below(game, 3) == 0 ? between(game, -15, 15) : between(game, -1, 1));
}

static double any_coordinate(struct game *game)
{
    double sign = below(game, 2) == 0 ? -1 : 1;
    if (below(game, 8) == 0) return 0;
    if (!game->wild) return sign * between(game, 0, 10);
    return sign * pow(10, below(game, 3) == 0 ? between(game, -15, 15) : between(game, -2, 7));
}

static gz_vec3 any_place(struct game *game)
{
    return (gz_vec3){any_coordinate(game), any_coordinate(game), any_coordinate(game)};
}

static gz_trs any_trs(struct game *game)
{
    gz_trs trs = {.t = any_place(game), .s = {any_scale(game), any_scale(game), any_scale(game)}};
    gz_quat turn = {between(game, -1, 1), between(game, -1, 1), between(game, -1, 1),
                    between(game, 0.1, 1)};
    if (below(game, 3) == 0) turn = gz_quat_identity;
    assert_true(gz_quat_normalize(turn, &trs.r));
    return trs;
}

static void any_bounds(struct game *game, struct gz_content *content)
{
    gz_vec3 a = any_place(game), b = any_place(game);
    content->has_bounds = below(game, 4) > 0;
    content->bounds.min = (gz_vec3){fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)};
    content->bounds.max = (gz_vec3){fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)};
    if (!content->has_bounds) memset(&content->bounds, 0, sizeof content->bounds);
}

static uint64_t any_alive(struct game *game)
{
    for (int tries = 0; tries < 50; tries++) {
        uint64_t id = 1 + below(game, IDS);
        if (gz_scene_find(game->scene, id) != NULL) return id;
    }
    return 0;
}

/* ---- what happens to the scene; what cannot be is refused, and nothing happened ---- */

static void change_something(struct game *game)
{
    struct gz_scene *scene = game->scene;
    uint64_t id = any_alive(game), fresh = 1 + below(game, IDS),
             parent = below(game, 3) == 0 ? 0 : any_alive(game);
    struct gz_change change = make_creation(fresh, parent, "made");
    uint64_t what = below(game, 10);
    change.after.trs = any_trs(game);
    any_bounds(game, &change.after);
    if (what == 0 && id != 0) {
        struct gz_arena arena;
        struct gz_change_list list;
        gz_arena_init(&arena, 1 << 20);
        assert_int_equal(gz_changes_delete(scene, &arena, &id, 1, &list, &told), GZ_OK);
        assert_int_equal(gz_scene_apply(scene, list.changes, list.count, 9, &told), GZ_OK);
        gz_arena_finish(&arena);
        return;
    }
    if (what > 3 && id != 0) {
        change = make_change(scene, id);
        if (what < 6) change.after.parent = parent;
        if (what == 6) change.after.name = "renamed";
        if (what == 7) any_bounds(game, &change.after);
        if (what > 7) change.after.trs = any_trs(game);
    }
    enum gz_status status = gz_scene_apply(scene, &change, 1, 9, &told);
    assert_true(status != GZ_NO_MEMORY);
}

static void pose_something(struct game *game)
{
    uint64_t id = any_alive(game);
    gz_trs trs = any_trs(game);
    if (id != 0) gz_scene_pose(game->scene, gz_scene_find(game->scene, id), &trs, 9);
}

/* ---- what must hold ---- */

static gz_plane any_plane(struct game *game)
{
    gz_plane plane = {any_place(game), any_coordinate(game)};
    if (below(game, 2) == 0) plane.normal = (gz_vec3){below(game, 2) ? 1 : -1, 0, 0};
    const struct gz_node *node = gz_scene_find(game->scene, any_alive(game));
    if (node == NULL || below(game, 3) == 0) return plane;
    gz_vec3 near = gz_scene_world(game->scene, node).origin; /* about through one of them */
    if (gz_finite(near)) plane.offset = between(game, -1, 1) - gz_dot(plane.normal, near);
    if (!isfinite(plane.offset)) plane.offset = 0;
    return plane;
}

/* Rounding in doubles, and in floats: parts of the numbers that met. */
#define SLACK 1e-12L
#define FLOAT_SLACK 1e-5L

static void assert_sieved(struct game *game, const struct gz_node *node, bool passed,
                          const gz_plane *planes, size_t count)
{
    wide box[2][3], size[3];
    bool reaches = true, far = false;
    world_box(node, box, size);
    for (size_t i = 0; i < count; i++) {
        wide rounding, reach = reach_of(box, size, &planes[i], &rounding);
        reaches = reaches && reach > SLACK * rounding;
        far = far || reach < -FLOAT_SLACK * rounding;
    }
    if (reaches) assert_true(passed);
    if (far && !game->wild) assert_false(passed);
}

static int compare_nodes(const void *a, const void *b)
{
    const struct gz_node *x = *(const struct gz_node *const *)a,
                         *y = *(const struct gz_node *const *)b;
    return (x->id > y->id) - (x->id < y->id);
}

/* Each of them is alive and there once; the rest did not pass. Returns how many were looked at
 * anew. */
static size_t check_sieve(struct game *game, const gz_plane *planes, size_t count)
{
    struct gz_culled culled;
    assert_true(gz_scene_cull(game->scene, planes, count, &culled));
    const struct gz_node **passed = calloc(culled.count + 1, sizeof *passed);
    assert_non_null(passed);
    if (culled.count > 0) memcpy(passed, culled.nodes, culled.count * sizeof *passed);
    qsort(passed, culled.count, sizeof *passed, compare_nodes);
    for (size_t i = 0; i < culled.count; i++) {
        assert_ptr_equal(gz_scene_find(game->scene, passed[i]->id), passed[i]);
        if (i > 0) assert_true(passed[i - 1]->id < passed[i]->id);
    }
    const struct gz_node *node = NULL;
    while ((node = gz_scene_walk_all(game->scene, node)) != NULL) {
        bool there = bsearch(&node, passed, culled.count, sizeof *passed, compare_nodes) != NULL;
        if (count == 0) assert_true(there);
        assert_sieved(game, node, there, planes, count);
    }
    if (count == 0) assert_int_equal(culled.count, gz_scene_count(game->scene));
    free(passed);
    return culled.renewed;
}

/* The box about all nodes is, to the bit, what a look at each node gives. */
static void check_bounds(struct game *game)
{
    gz_box all, expected = {{0, 0, 0}, {0, 0, 0}};
    size_t looked_at;
    bool is_first = true;
    const struct gz_node *node = NULL;
    while ((node = gz_scene_walk_all(game->scene, node)) != NULL) {
        gz_box box;
        if (!gz_scene_world_box(game->scene, node, &box)) continue;
        expected = is_first ? box : gz_box_union(&expected, &box);
        is_first = false;
    }
    assert_true(gz_scene_bounds(game->scene, &all, &looked_at));
    const double *a = &all.min.x, *b = &expected.min.x;
    for (int i = 0; i < 6 && (!is_first || gz_scene_count(game->scene) == 0); i++)
        assert_true(a[i] == b[i]);
    assert_true(gz_scene_bounds(game->scene, &all, &looked_at));
    assert_int_equal(looked_at, 0); /* nothing moved since */
}

/* Somebody who looks at many nodes in slices has the boxes renewed so, too. */
static void renew_a_little(struct game *game)
{
    size_t renewed;
    bool is_done;
    assert_true(gz_scene_renew_boxes(game->scene, 1 + below(game, 3), &renewed, &is_done));
}

static void play(uint64_t seed)
{
    struct game game = {.scene = make_empty_scene(), .random = seed, .wild = seed % 2 == 0};
    gz_plane planes[6];
    for (int step = 0; step < STEPS; step++) {
        for (uint64_t i = below(&game, 8); i > 0; i--) {
            change_something(&game);
            if (below(&game, 4) == 0) renew_a_little(&game);
        }
        for (uint64_t i = below(&game, 3); i > 0; i--) pose_something(&game);
        if (below(&game, 2) == 0) check_bounds(&game);
        size_t count = below(&game, 7);
        for (size_t i = 0; i < count; i++) planes[i] = any_plane(&game);
        (void)check_sieve(&game, planes, count);
        assert_int_equal(check_sieve(&game, planes, count), 0); /* nothing moved since */
        assert_sound(game.scene);
    }
    gz_scene_destroy(game.scene);
}

TEST(test_boxes_let_through_what_is_there)
{
    uint64_t first = chance_seed(1), count = chance_count(SEEDS);
    for (uint64_t seed = first; seed < first + count; seed++) {
        fprintf(stderr, "GIZMOD_SEED=%llu\r",
                (unsigned long long)seed); /* what is read where it fails */
        play(seed);
    }
}

/* ---- worlds that numbers cannot hold ---- */

/* Chains of nodes that each make everything below so many times larger. */
TEST(test_boxes_of_worlds_beyond_numbers_always_pass)
{
    static const double factors[] = {1e15, 1e-15, 0.1, 1e-3};
    for (size_t i = 0; i < COUNT(factors); i++) {
        struct game game = {.scene = make_empty_scene(), .wild = true};
        for (uint64_t id = 1; id <= IDS; id++) {
            struct gz_change change = make_creation(id, id - 1, "link");
            change.after.trs.s = (gz_vec3){factors[i], 1, i == 3 ? 1 / factors[i] : factors[i]};
            change.after.trs.t.x = 1;
            change.after.has_bounds = id % 3 > 0;
            change.after.bounds = (gz_box){{1, 1, 1}, {2, 2, 2}};
            if (!change.after.has_bounds)
                memset(&change.after.bounds, 0, sizeof change.after.bounds);
            apply(game.scene, &change, 1);
        }
        const gz_plane planes[] = {
            {{1, 0, 0}, -3}, {{-1, 0, 0}, 1}, {{0, 1, 0}, 0}, {{1, 1, 1}, 1e15}};
        for (size_t k = 0; k < COUNT(planes); k++) (void)check_sieve(&game, &planes[k], 1);
        gz_scene_destroy(game.scene);
    }
}

TEST(test_boxes_of_squeezed_nodes_always_pass)
{
    struct game game = {.scene = make_empty_scene(), .wild = true};
    struct gz_change change = make_creation(1, 0, "flat");
    change.after.has_bounds = true;
    change.after.bounds = (gz_box){{1, 1, 1}, {2, 2, 2}};
    change.after.trs.s = (gz_vec3){1, 1e-9, 1};
    apply(game.scene, &change, 1);
    const gz_plane away = {{-1, 0, 0}, -100};
    struct gz_culled culled;
    assert_true(gz_scene_cull(game.scene, &away, 1, &culled));
    assert_int_equal(culled.count, 1);
    gz_scene_destroy(game.scene);
}

/* ---- what it costs ---- */

TEST(test_boxes_are_renewed_for_what_moved)
{
    struct game game = {.scene = make_small_scene()};
    assert_int_equal(check_sieve(&game, NULL, 0), 5);
    for (int i = 1; i <= 100; i++) { /* a drag, of which nobody asks */
        gz_trs trs = gz_trs_identity;
        trs.t.x = i;
        gz_scene_pose(game.scene, gz_scene_find(game.scene, 2), &trs, 9);
    }
    assert_int_equal(check_sieve(&game, NULL, 0), 2); /* it and the one below */
    struct gz_change rename = make_change(game.scene, 1);
    rename.after.name = "other";
    apply(game.scene, &rename, 1);
    assert_int_equal(check_sieve(&game, NULL, 0), 1);
    struct gz_change hang = make_move(game.scene, 2, 5);
    apply(game.scene, &hang, 1);
    assert_int_equal(check_sieve(&game, NULL, 0), 2);
    gz_scene_destroy(game.scene);
}

/* What is below a node that moved moves along, even if the node has changed again since, and the
 * first look came as far as something in between. */
TEST(test_boxes_are_renewed_in_slices_below_what_moved)
{
    struct game game = {.scene = make_small_scene()};
    gz_trs trs = gz_trs_identity;
    assert_int_equal(check_sieve(&game, NULL, 0), 5);
    trs.t.x = 100;
    gz_scene_pose(game.scene, gz_scene_find(game.scene, 2), &trs, 9);
    gz_scene_pose(game.scene, gz_scene_find(game.scene, 5), &trs, 9);
    struct gz_change rename = make_change(game.scene, 2);
    rename.after.name = "other";
    apply(game.scene, &rename, 1);
    size_t renewed;
    bool is_done;
    assert_true(gz_scene_renew_boxes(game.scene, 1, &renewed, &is_done));
    assert_false(is_done);
    const gz_plane there = {{1, 0, 0}, -50};
    (void)check_sieve(&game, &there, 1);
    gz_scene_destroy(game.scene);
}

/* ---- tombstones that are forgotten ---- */

static void delete_from(struct gz_scene *scene, uint64_t first, uint64_t count)
{
    struct gz_change *changes = calloc(count, sizeof *changes);
    assert_non_null(changes);
    for (uint64_t i = 0; i < count; i++) changes[i] = make_deletion(scene, first + i);
    assert_int_equal(gz_scene_apply(scene, changes, count, 0, &told), GZ_OK);
    free(changes);
}

static void create_from(struct gz_scene *scene, uint64_t first, uint64_t count)
{
    struct gz_change *changes = calloc(count, sizeof *changes);
    assert_non_null(changes);
    for (uint64_t i = 0; i < count; i++) {
        changes[i] = make_creation(first + i, 0, "n");
        changes[i].after.trs.t.x = (double)i;
    }
    assert_int_equal(gz_scene_apply(scene, changes, count, 0, &told), GZ_OK);
    free(changes);
}

TEST(test_boxes_outlive_forgotten_graves)
{
    const uint64_t many = GZ_TOMBSTONES_MAX + 1000;
    struct game game = {.scene = make_small_scene(), .random = 1};
    create_from(game.scene, 100, many);
    (void)check_sieve(&game, NULL, 0);
    delete_from(game.scene, 100, many); /* the first of them are forgotten once they are stored */
    gz_scene_stored(game.scene, gz_scene_seq(game.scene));
    assert_true(gz_scene_forgotten(game.scene) > 0);
    create_from(game.scene, 50, 20);
    create_from(game.scene, 100 + many - 10, 10); /* of the last ones there are tombstones */
    create_from(game.scene, 100, 10);
    (void)check_sieve(&game, NULL, 0);
    const gz_plane plane = {{1, 0, 0}, -5};
    (void)check_sieve(&game, &plane, 1);
    delete_from(game.scene, 55, 5);
    (void)check_sieve(&game, &plane, 1);
    gz_scene_destroy(game.scene);
}

/* ---- the walk through what moved ---- */

/* What a node was, as far as the walk tells of it. */
struct memory {
    bool alive;
    uint64_t seq;
    uint64_t line[GZ_TREE_DEPTH_MAX]; /* the ids above */
    gz_affine world;
};

static void remember(struct game *game, struct memory *memories)
{
    memset(memories, 0, (IDS + 1) * sizeof *memories);
    for (uint64_t id = 1; id <= IDS; id++) {
        const struct gz_node *node = gz_scene_find(game->scene, id);
        if (node == NULL) continue;
        memories[id].alive = true;
        memories[id].seq = node->seq;
        memories[id].world = gz_scene_world(game->scene, node);
        size_t level = 0;
        for (const struct gz_node *above = node->parent; above != NULL; above = above->parent)
            memories[id].line[level++] = above->id;
    }
}

static bool is_below_changed(const struct gz_node *node, uint64_t since)
{
    while (node != NULL && node->seq <= since) node = node->parent;
    return node != NULL;
}

static void check_moved(struct game *game, const struct memory *before, uint64_t since, bool worlds)
{
    static struct memory now[IDS + 1];
    size_t given[IDS + 1] = {0};
    struct gz_moved moved = gz_scene_moved(game->scene, since, worlds);
    for (const struct gz_node *node; (node = gz_moved_next(&moved)) != NULL;) {
        given[node->id]++;
        assert_true(is_below_changed(node, since)); /* nothing else */
    }
    remember(game, now);
    for (uint64_t id = 1; id <= IDS; id++) {
        bool differs = before[id].alive != now[id].alive || before[id].seq != now[id].seq;
        differs |= memcmp(before[id].line, now[id].line, sizeof now[id].line) != 0;
        if (worlds) differs |= memcmp(&before[id].world, &now[id].world, sizeof now[id].world) != 0;
        if (differs) assert_true(given[id] > 0);
        assert_true(given[id] <= 2); /* once for itself and once for what it is below */
    }
}

TEST(test_moved_is_all_that_is_different)
{
    static struct memory before[IDS + 1];
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct game game = {.scene = make_empty_scene(), .random = seed};
        for (int step = 0; step < STEPS; step++) {
            uint64_t since = gz_scene_seq(game.scene);
            remember(&game, before);
            for (uint64_t i = below(&game, 12); i > 0; i--) change_something(&game);
            for (uint64_t i = below(&game, 3); i > 0; i--) pose_something(&game);
            check_moved(&game, before, since, step % 2 == 0);
        }
        gz_scene_destroy(game.scene);
    }
}
