/* Picking looks at few nodes, and its answers are those of looking at all of them: random scenes,
 * cameras and pointers, compared with the solver asked about every node. GIZMOD_SEED and
 * GIZMOD_TIMES choose the runs; a failure is found again with the seed that was printed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/session.h"
#include "support/cmocka.h"
#include "unit/core/saying.h"

#define SEEDS 60
#define NODES 80
#define PICKS 60

struct game {
    struct host host;
    struct client *a;
    uint64_t random;
    double size; /* of the scene: everything is so large, and so far from the origin */
    size_t hits;
};

static uint64_t below(struct game *game, uint64_t limit)
{
    return chance_below(&game->random, limit);
}

static double between(struct game *game, double low, double high)
{
    return low + (high - low) * (double)below(game, 1 << 30) / (1 << 30);
}

static gz_vec3 any_place(struct game *game, double reach)
{
    return (gz_vec3){between(game, -reach, reach), between(game, -reach, reach),
                     between(game, -reach, reach)};
}

static gz_quat any_turn(struct game *game)
{
    gz_quat turn = {between(game, -1, 1), between(game, -1, 1), between(game, -1, 1),
                    between(game, 0.1, 1)},
            unit;
    assert_true(gz_quat_normalize(turn, &unit));
    return unit;
}

static double any_scale(struct game *game)
{
    if (below(game, 12) == 0) return pow(10, between(game, -8, 0)); /* flat */
    return (below(game, 5) == 0 ? -1 : 1) * between(game, 0.4, 1.6);
}

/* ---- the scene ---- */

static void make_nodes(struct game *game)
{
    for (int i = 0; i < NODES; i++) {
        struct gz_create_node node = {.has = GZ_HAS_CREATE_NODE_T | GZ_HAS_CREATE_NODE_R |
                                             GZ_HAS_CREATE_NODE_S,
                                      .name = {"n", 1}};
        if (game->a->mirror.count > 0 && below(game, 3) > 0) {
            node.has |= GZ_HAS_CREATE_NODE_PARENT;
            node.parent = game->a->mirror.nodes[below(game, game->a->mirror.count)].id;
        }
        bool top = node.parent == 0;
        node.trs.t = any_place(game, top ? 5 * game->size : 3);
        node.trs.r = any_turn(game);
        node.trs.s = (gz_vec3){any_scale(game), any_scale(game), any_scale(game)};
        if (top) node.trs.s = gz_scale(node.trs.s, game->size);
        if (below(game, 6) == 0 && i > 0) { /* in the same place as another one */
            const struct mirror_node *other =
                &game->a->mirror.nodes[below(game, game->a->mirror.count)];
            node.trs = other->content.trs;
            node.parent = other->content.parent;
            node.has |= GZ_HAS_STATE_PARENT;
        }
        if (below(game, 4) > 0) {
            gz_vec3 a = any_place(game, 2);
            node.has |= GZ_HAS_STATE_BOUNDS;
            node.bounds =
                (gz_box){a, gz_add(a, (gz_vec3){between(game, 0, 2), between(game, 0, 2), 1})};
        }
        struct gz_message create = {.op = GZ_OP_CREATE, .create = {&node, 1}};
        assert_ok(client_ask(game->a, &create));
    }
}

static void move_something(struct game *game)
{
    uint64_t id = game->a->mirror.nodes[below(game, game->a->mirror.count)].id;
    uint64_t parent = game->a->mirror.nodes[below(game, game->a->mirror.count)].id;
    gz_vec3 place = any_place(game, 3 * game->size);
    switch (below(game, 6)) {
    case 0: (void)ask_hang(game->a, id, parent); break;
    case 1:
        if (below(game, 4) == 0) (void)ask_delete(game->a, id);
        break;
    case 2: (void)ask_undo(game->a, true); break;
    default: (void)ask_move(game->a, id, place.x, place.y, place.z); break;
    }
}

/* Perspective or not, off its middle, depth either way, y either way, mirrored. */
static void look_somewhere(struct game *game)
{
    struct gz_message camera = {.op = GZ_OP_CAMERA, .camera.viewport = {10, 20, 800, 600}};
    gz_quat turn = any_turn(game);
    gz_affine view = {.linear = gz_mat3_from_quat(turn)};
    view.origin = gz_negate(gz_mat3_apply(&view.linear, any_place(game, 6 * game->size)));
    gz_affine_to_matrix(&view, camera.camera.view);
    double *proj = camera.camera.proj, zoom = between(game, 0.3, 3);
    proj[0] = zoom;
    proj[5] = zoom * 4 / 3;
    if (below(game, 2) == 0) {
        proj[8] = between(game, -0.5, 0.5);
        proj[10] = below(game, 2) == 0 ? -1 : 0;
        proj[11] = -1;
        proj[14] = (below(game, 2) == 0 ? -0.2 : 0.1) * game->size;
    } else {
        proj[0] /= 5 * game->size;
        proj[5] /= 5 * game->size;
        proj[12] = between(game, -0.5, 0.5);
        proj[10] = -0.001 / game->size;
        proj[15] = below(game, 4) == 0 ? -1 : 1;
        camera.camera.left_handed = below(game, 3) == 0;
    }
    camera.camera.ndc_y_down = below(game, 3) == 0;
    assert_ok(client_ask(game->a, &camera));
}

/* ---- what picking is to say: by looking at every node ---- */

static int compare_hits(const void *a, const void *b)
{
    const struct gz_hit *x = a, *y = b;
    if (x->distance != y->distance) return x->distance < y->distance ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

static bool meets(struct game *game, const struct gz_message *pick, const struct gz_node *node,
                  struct gz_hit *hit)
{
    const struct gz_session *session = game->a->session;
    const struct gz_camera *camera = session->view.camera;
    gz_affine world = gz_scene_world(game->host.core->scene, node);
    const gz_box *bounds = node->has_bounds ? &node->bounds : NULL;
    struct gz_pointer pointer = {.is_ray = (pick->has & GZ_HAS_PICK_RAY) != 0};
    const double *ray = pick->pick.ray;
    memcpy(pointer.at, pick->pick.at, sizeof pointer.at);
    pointer.origin = (gz_vec3){ray[0], ray[1], ray[2]};
    pointer.direction = (gz_vec3){ray[3], ray[4], ray[5]};
    hit->id = node->id;
    if ((pick->has & GZ_HAS_PICK_RECT) == 0)
        return gz_pick_node(camera, &pointer, &world, bounds, session->tool.tolerance_px,
                            &hit->distance, &hit->point);
    bool inside;
    if (!gz_pick_rect(camera, pick->pick.rect, &world, bounds, &inside)) return false;
    hit->point = bounds != NULL ? gz_affine_apply(&world, gz_box_centre(bounds)) : world.origin;
    gz_vec3 away = gz_sub(hit->point, camera->eye);
    hit->distance = camera->perspective ? gz_length(away) : -gz_dot(away, camera->backward);
    return inside || !pick->pick.inside;
}

static size_t find_hits(struct game *game, const struct gz_message *pick, struct gz_hit *hits)
{
    const struct gz_node *node = NULL;
    size_t count = 0;
    while ((node = gz_scene_walk_all(game->host.core->scene, node)) != NULL)
        count += meets(game, pick, node, &hits[count]);
    qsort(hits, count, sizeof *hits, compare_hits);
    return count;
}

/* The first one with bounds, else the first. */
static uint64_t pressed(struct game *game, const struct gz_hit *hits, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (gz_scene_find(game->host.core->scene, hits[i].id)->has_bounds) return hits[i].id;
    }
    return count > 0 ? hits[0].id : 0;
}

/* ---- asking ---- */

static struct gz_message any_pick(struct game *game)
{
    struct gz_message pick = {.op = GZ_OP_PICK, .has = GZ_HAS_PICK_AT};
    double *rect = pick.pick.rect, *ray = pick.pick.ray;
    pick.pick.at[0] = between(game, 0, 820);
    pick.pick.at[1] = between(game, 0, 640);
    const struct mirror_node *node = &game->a->mirror.nodes[below(game, game->a->mirror.count)];
    gz_vec3 about =
        gz_scene_world(game->host.core->scene, gz_scene_find(game->host.core->scene, node->id))
            .origin;
    double at[2];
    if (below(game, 3) > 0 && gz_camera_project(game->a->session->view.camera, about, at, NULL) &&
        hypot(at[0], at[1]) < 1e6) { /* beside a node */
        pick.pick.at[0] = at[0] + between(game, -12, 12);
        pick.pick.at[1] = at[1] + between(game, -12, 12);
    }
    if (below(game, 3) == 0) {
        gz_vec3 from = any_place(game, 6 * game->size), along = gz_sub(about, from), x = {1, 0, 0};
        if (!(gz_length(along) < GZ_COORDINATE_MAX)) along = x;
        pick.has = GZ_HAS_PICK_RAY;
        memcpy(ray, (double[6]){from.x, from.y, from.z, along.x, along.y, along.z},
               6 * sizeof *ray);
    } else if (below(game, 2) == 0) {
        pick.has = GZ_HAS_PICK_RECT;
        pick.pick.inside = below(game, 2) == 0;
        rect[0] = between(game, 0, 700);
        rect[1] = between(game, 0, 500);
        rect[2] = rect[0] + between(game, 0, 300);
        rect[3] = rect[1] + between(game, 0, 300);
    }
    return pick;
}

static void check_press(struct game *game, const struct gz_message *pick, uint64_t expected)
{
    struct gz_message press = {
        .op = GZ_OP_POINTER, .has = pick->has, .pointer.phase = GZ_PHASE_DOWN};
    memcpy(press.pointer.at, pick->pick.at, sizeof press.pointer.at);
    memcpy(press.pointer.ray, pick->pick.ray, sizeof press.pointer.ray);
    const struct gz_message *ok = client_ask(game->a, &press);
    assert_ok(ok);
    assert_int_equal((ok->has & GZ_HAS_OK_HIT) != 0 ? ok->ok.hit : 0, expected);
}

static void check_pick(struct game *game)
{
    struct gz_message pick = any_pick(game);
    struct gz_hit hits[NODES * 2];
    const struct gz_message *ok = client_ask(game->a, &pick);
    assert_ok(ok);
    size_t count = find_hits(game, &pick, hits);
    assert_int_equal(ok->ok.hit_count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(ok->ok.hits[i].id, hits[i].id);
        assert_true(ok->ok.hits[i].distance == hits[i].distance);
    }
    if ((pick.has & GZ_HAS_PICK_RECT) == 0) {
        /* Where no triangles are known, what is seen are the bounds. */
        struct gz_message tool = {
            .op = GZ_OP_TOOL, .has = GZ_HAS_TOOL_SURFACE, .tool.surface = below(game, 2) == 0};
        assert_ok(client_ask(game->a, &tool));
        check_press(game, &pick, pressed(game, hits, count));
    }
    game->hits += count;
    client_forget(game->a);
}

static size_t play(uint64_t seed)
{
    static const double sizes[] = {1, 1, 1e-6, 1e7};
    struct game *game = calloc(1, sizeof *game);
    assert_non_null(game);
    game->random = seed;
    game->size = sizes[seed % COUNT(sizes)];
    host_init(&game->host);
    game->host.core->slice_nodes = 1 + below(game, 40);
    game->a = client_join(&game->host, "ann", GZ_ROLE_EDITOR);
    assert_ok(ask_mode(game->a, GZ_MODE_NONE)); /* so that no handle is in the way */
    make_nodes(game);
    for (int i = 0; i < PICKS; i++) {
        if (i % 5 == 0) look_somewhere(game);
        if (below(game, 3) == 0) move_something(game);
        host_advance(&game->host, 1);
        if (game->a->mirror.count > 0) check_pick(game);
    }
    size_t hits = game->hits;
    host_finish(&game->host);
    free(game);
    return hits;
}

TEST(test_pick_answers_as_if_all_nodes_were_asked)
{
    uint64_t first = chance_seed(1), count = chance_count(SEEDS);
    size_t hits = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        fprintf(stderr, "GIZMOD_SEED=%llu\r",
                (unsigned long long)seed); /* what is read where it fails */
        hits += play(seed);
    }
    assert_true(hits > count * PICKS / 2); /* there was something to find */
}

/* Boxes in one place are met at one distance: then the lowest id counts, whatever order the nodes
 * are in. */
TEST(test_press_takes_the_lowest_id_of_equals)
{
    struct host host;
    host_init(&host);
    struct client *a = client_join(&host, "ann", GZ_ROLE_EDITOR);
    assert_ok(ask_camera(a, 10));
    assert_ok(ask_mode(a, GZ_MODE_NONE));
    uint64_t ids[4];
    for (size_t i = 0; i < COUNT(ids); i++) ids[i] = create_node(a, "n", 0, 0, 0, 0);
    assert_ok(ask_hang(a, ids[1], ids[3]));
    assert_ok(ask_delete(a, ids[0]));
    assert_int_equal(ask_pointer(a, GZ_PHASE_DOWN, MIDDLE_X, MIDDLE_Y)->ok.hit, ids[1]);
    assert_ok(ask_undo(a, false)); /* back, as the last of the index */
    assert_int_equal(ask_pointer(a, GZ_PHASE_DOWN, MIDDLE_X, MIDDLE_Y)->ok.hit, ids[0]);
    host_finish(&host);
}

/* Pixels mean nothing without a camera: the refusal names the field that has them. */
TEST(test_pick_without_a_camera_names_its_field)
{
    struct host host;
    host_init(&host);
    struct client *a = client_join(&host, "ann", GZ_ROLE_EDITOR);
    static const struct {
        uint64_t has;
        const char *words;
    } cases[] = {{GZ_HAS_PICK_AT, "at: pixels need a camera"},
                 {GZ_HAS_PICK_RECT, "rect: pixels need a camera"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct gz_message pick = {
            .op = GZ_OP_PICK, .has = cases[i].has, .pick = {.at = {1, 2}, .rect = {1, 2, 3, 4}}};
        const struct gz_message *answer = client_ask(a, &pick);
        assert_refused(answer, GZ_BAD_STATE);
        assert_ptr_equal(strstr(answer->error.message.bytes, cases[i].words),
                         answer->error.message.bytes);
    }
    host_finish(&host);
}
