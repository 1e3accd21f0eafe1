/* What a press takes by what is seen: random scenes whose nodes have triangles, bounds or neither,
 * compared with the solver asked about every node; whose triangles they are while imports come, are
 * refused and are read anew; and what hostile ones cost. GIZMOD_SEED and GIZMOD_TIMES choose the
 * runs; a failure is found again with the seed that was printed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/session.h"
#include "server/maxima.h"
#include "solver/surface.h"
#include "support/cmocka.h"
#include "unit/core/saying.h"

#define SEEDS 60
#define NODES 60
#define LOOKS 60
#define TRIANGLES 12 /* of a mesh */

/* ---- surfaces: one mesh of `count` triangles for each of the first `meshes` nodes that is not
 * left out ---- */

static struct gz_surfaces *make_surfaces(size_t meshes, size_t nodes, size_t count,
                                         const struct gz_triangle *triangles)
{
    size_t boxes = gz_surface_box_count(count);
    size_t head = sizeof(struct gz_surfaces) + meshes * sizeof(struct gz_surface);
    size_t bytes = head + nodes * sizeof(uint32_t) +
                   meshes * (count * sizeof(struct gz_triangle) + boxes * 6 * sizeof(float));
    char *memory = malloc(bytes);
    assert_non_null(memory);
    struct gz_surfaces *surfaces = (struct gz_surfaces *)(void *)memory;
    uint32_t *mesh_of = (uint32_t *)(void *)(memory + head);
    struct gz_triangle *own = (struct gz_triangle *)(void *)(mesh_of + nodes);
    float(*box)[6] = (float(*)[6])(void *)(own + meshes * count);
    *surfaces = (struct gz_surfaces){.bytes = bytes,
                                     .triangle_count = meshes * count,
                                     .meshes = (struct gz_surface *)(void *)(surfaces + 1),
                                     .mesh_of = mesh_of,
                                     .node_count = nodes};
    memcpy(own, triangles, meshes * count * sizeof *own);
    for (size_t i = 0; i < meshes; i++)
        gz_surface_build(&surfaces->meshes[i], own + i * count, count, box + i * boxes);
    for (size_t i = 0; i < nodes; i++) mesh_of[i] = i < meshes ? (uint32_t)i + 1 : 0;
    return surfaces;
}

static void handle_done(void *context, enum gz_status status, const char *message)
{
    (void)message;
    if (context != NULL) *(enum gz_status *)context = status;
}

static void import(struct host *host, const struct gz_core_import_node *nodes, size_t count,
                   struct gz_surfaces *surfaces, enum gz_status *done)
{
    struct gz_core_import import = {.user = "ann",
                                    .nodes = nodes,
                                    .count = count,
                                    .asset = (const uint8_t *)"glTF",
                                    .asset_size = 4,
                                    .surfaces = surfaces,
                                    .done = handle_done,
                                    .context = done};
    struct gz_error error;
    if (gz_core_import(host->core, &import, host->now, &error) != GZ_OK)
        fail_msg("%s", error.message);
    host_turn(host);
}

/* ---- a random scene ---- */

struct game {
    struct host host;
    struct client *a;
    uint64_t random;
    size_t met, passed, points, nothing;
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

static void any_triangle(struct game *game, struct gz_triangle *triangle)
{
    gz_vec3 a = any_place(game, 1);
    for (int i = 0; i < 3; i++) {
        gz_vec3 corner = i > 0 ? gz_add(a, any_place(game, 0.6)) : a;
        triangle->corner[i][0] = (float)corner.x;
        triangle->corner[i][1] = (float)corner.y;
        triangle->corner[i][2] = (float)corner.z;
    }
    triangle->both_sides = (uint32_t)below(game, 2);
}

static void make_scene(struct game *game)
{
    struct gz_core_import_node nodes[NODES];
    size_t meshes = (size_t)below(game, NODES);
    struct gz_triangle *triangles = calloc(NODES * TRIANGLES, sizeof *triangles);
    assert_non_null(triangles);
    for (size_t i = 0; i < NODES * TRIANGLES; i++) any_triangle(game, &triangles[i]);
    for (size_t i = 0; i < NODES; i++) {
        gz_quat turn = {between(game, -1, 1), between(game, -1, 1), between(game, -1, 1),
                        between(game, 0.1, 1)},
                unit;
        assert_true(gz_quat_normalize(turn, &unit));
        bool below_another = i > 0 && below(game, 3) > 0;
        nodes[i] =
            (struct gz_core_import_node){.parent = below_another ? (int64_t)below(game, i) : -1};
        nodes[i].content = (struct gz_content){
            .name = "n",
            .trs = {any_place(game, below_another ? 2 : 4),
                    unit,
                    {between(game, 0.5, 1.5), between(game, -1.5, -0.5), 1}},
            .has_bounds = i < meshes || below(game, 2) == 0,
            .bounds = {{-1.6, -1.6, -1.6}, {1.6, 1.6, 1.6}},
            .asset = (int64_t)i,
        };
        if (i >= meshes) nodes[i].content.bounds = (gz_box){{-0.2, -0.2, -0.2}, {0.2, 0.2, 0.2}};
    }
    import(&game->host, nodes, NODES, make_surfaces(meshes, NODES, TRIANGLES, triangles), NULL);
    free(triangles);
}

static struct gz_pointer any_look(struct game *game, struct gz_pick *said, uint64_t *has)
{
    const struct mirror_node *node = &game->a->mirror.nodes[below(game, game->a->mirror.count)];
    gz_vec3 about =
        gz_scene_world(game->host.core->scene, gz_scene_find(game->host.core->scene, node->id))
            .origin;
    struct gz_pointer pointer = {.is_ray = below(game, 3) == 0};
    about = gz_add(about, any_place(game, 1.5));
    if (pointer.is_ray ||
        !gz_camera_project(game->a->session->view.camera, about, pointer.at, NULL)) {
        pointer.is_ray = true;
        pointer.origin = any_place(game, 9);
        pointer.direction = gz_sub(about, pointer.origin);
        memcpy(said->ray, &pointer.origin, sizeof pointer.origin);
        memcpy(said->ray + 3, &pointer.direction, sizeof pointer.direction);
        *has = GZ_HAS_POINTER_RAY;
        return pointer;
    }
    memcpy(said->at, pointer.at, sizeof said->at);
    *has = GZ_HAS_POINTER_AT;
    return pointer;
}

/* ---- what a look is to find: by asking every node ---- */

struct found {
    struct gz_hit hit;
    int rank; /* 0: met; 1: passed by; 2: a point */
    double px;
};

static int compare_found(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    if (x->rank != y->rank) return x->rank - y->rank;
    if (x->px != y->px) return x->px < y->px ? -1 : 1;
    if (x->hit.distance != y->hit.distance) return x->hit.distance < y->hit.distance ? -1 : 1;
    return (x->hit.id > y->hit.id) - (x->hit.id < y->hit.id);
}

static bool find(struct game *game, const struct gz_node *node, const struct gz_pointer *pointer,
                 bool passing, struct found *found)
{
    const struct gz_session *session = game->a->session;
    const struct gz_surface *surface = gz_assets_surface(&game->host.core->assets, node->asset);
    gz_affine world = gz_scene_world(game->host.core->scene, node);
    size_t tests = 1000000;
    *found = (struct found){.hit = {.id = node->id, .distance = INFINITY}};
    if (surface == NULL) {
        found->rank = node->has_bounds ? 0 : 2;
        return !passing &&
               gz_pick_node(session->view.camera, pointer, &world,
                            node->has_bounds ? &node->bounds : NULL, session->tool.tolerance_px,
                            &found->hit.distance, &found->hit.point);
    }
    if (passing) {
        struct gz_beside beside = {.px = session->tool.tolerance_px};
        found->rank = 1;
        if (gz_surface_pass(surface, session->view.camera, pointer, &world, &tests, &beside) !=
            GZ_MET)
            return false;
        found->px = beside.px;
        found->hit.distance = beside.distance;
        found->hit.point = beside.point;
        return true;
    }
    struct gz_aim aim;
    assert_true(gz_aim(&aim, session->view.camera, pointer, &world));
    return gz_surface_hit(surface, &aim, &tests, &found->hit.distance) == GZ_MET;
}

static size_t find_all(struct game *game, const struct gz_pointer *pointer, struct found *found)
{
    size_t count = 0, met = 0;
    for (int passing = 0; passing < 2; passing++) {
        const struct gz_node *node = NULL;
        while (met == 0 && (node = gz_scene_walk_all(game->host.core->scene, node)) != NULL)
            count += find(game, node, pointer, passing, &found[count]);
        for (size_t i = 0; i < count && !passing; i++) met += found[i].rank == 0;
    }
    qsort(found, count, sizeof *found, compare_found);
    return count;
}

static void check_look(struct game *game)
{
    struct found found[2 * NODES];
    struct gz_message pick = {.op = GZ_OP_PICK, .pick.surface = true},
                      press = {.op = GZ_OP_POINTER};
    uint64_t has;
    struct gz_pointer pointer = any_look(game, &pick.pick, &has);
    size_t count = find_all(game, &pointer, found);
    pick.has = press.has = has;
    const struct gz_message *ok = client_ask(game->a, &pick);
    assert_ok(ok);
    assert_int_equal(ok->ok.hit_count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(ok->ok.hits[i].id, found[i].hit.id);
        assert_true(ok->ok.hits[i].distance == found[i].hit.distance);
    }
    press.pointer.phase = GZ_PHASE_DOWN;
    memcpy(press.pointer.at, pick.pick.at, sizeof press.pointer.at);
    memcpy(press.pointer.ray, pick.pick.ray, sizeof press.pointer.ray);
    ok = client_ask(game->a, &press);
    assert_ok(ok);
    assert_int_equal((ok->has & GZ_HAS_OK_HIT) != 0 ? ok->ok.hit : 0,
                     count > 0 ? found[0].hit.id : 0);
    size_t *counts[] = {&game->met, &game->passed, &game->points};
    ++*(count > 0 ? counts[found[0].rank] : &game->nothing);
    client_forget(game->a);
}

static void play(struct game *game)
{
    host_init(&game->host);
    game->a = client_join(&game->host, "ann", GZ_ROLE_EDITOR);
    assert_ok(ask_mode(game->a, GZ_MODE_NONE)); /* so that no handle is in the way */
    assert_ok(ask_camera(game->a, 12));
    make_scene(game);
    for (int i = 0; i < LOOKS; i++) {
        uint64_t id = game->a->mirror.nodes[below(game, game->a->mirror.count)].id;
        gz_vec3 place = any_place(game, 4);
        if (below(game, 4) == 0) (void)ask_move(game->a, id, place.x, place.y, place.z);
        if (below(game, 20) == 0 && game->a->mirror.count > NODES / 2)
            (void)ask_delete(game->a, id);
        if (below(game, 20) == 0) (void)ask_undo(game->a, true);
        host_advance(&game->host, 1);
        check_look(game);
    }
    host_finish(&game->host);
}

TEST(test_a_look_is_as_if_all_nodes_were_asked)
{
    uint64_t first = chance_seed(1), count = chance_count(SEEDS);
    struct game *game = calloc(1, sizeof *game);
    assert_non_null(game);
    for (uint64_t seed = first; seed < first + count; seed++) {
        fprintf(stderr, "GIZMOD_SEED=%llu\r",
                (unsigned long long)seed); /* what is read where it fails */
        game->random = seed;
        play(game);
    }
    size_t few = count * LOOKS / 200; /* of each there was something */
    assert_true(game->met > few && game->passed > few && game->points > few && game->nothing > few);
    free(game);
}

/* ---- one square, in a box that is larger ---- */

/* From -half to half in x and y, facing +z. */
static struct gz_surfaces *make_square(float half, size_t nodes)
{
    const struct gz_triangle triangles[] = {
        {{{-half, -half, 0}, {half, -half, 0}, {half, half, 0}}, 0},
        {{{-half, -half, 0}, {half, half, 0}, {-half, half, 0}}, 0}};
    return make_surfaces(1, nodes, 2, triangles);
}

static struct gz_core_import_node square_node(const char *name, double z, int64_t asset)
{
    return (struct gz_core_import_node){-1,
                                        {.name = name,
                                         .trs = {{0, 0, z}, {0, 0, 0, 1}, {1, 1, 1}},
                                         .has_bounds = true,
                                         .bounds = {{-2, -2, 0}, {2, 2, 0}},
                                         .asset = asset}};
}

/* The name's first letter of what is pressed at so many metres beside the middle, as seen from 10
 * m; 0 for nothing. */
static char pressed(struct client *client, double x)
{
    const struct gz_message *ok =
        ask_pointer(client, GZ_PHASE_DOWN, MIDDLE_X + x * METRE_PX(10), MIDDLE_Y);
    assert_ok(ok);
    if ((ok->has & GZ_HAS_OK_HIT) == 0) return 0;
    return gz_scene_find(client->host->core->scene, ok->ok.hit)->name[0];
}

static struct client *begin(struct host *host)
{
    host_init(host);
    struct client *a = client_join(host, "ann", GZ_ROLE_EDITOR);
    assert_ok(ask_mode(a, GZ_MODE_NONE));
    assert_ok(ask_camera(a, 10));
    return a;
}

TEST(test_a_press_in_a_hole_takes_what_is_behind)
{
    struct host host;
    struct client *a = begin(&host);
    struct gz_core_import_node nodes[] = {square_node("front", 0, 0), square_node("back", -1, 1)};
    import(&host, nodes, 1, make_square(0.5f, 1), NULL);
    assert_int_equal(pressed(a, 0), 'f');
    assert_int_equal(pressed(a, 0.5 + 0.2), 'f'); /* 6 px beside, of 8 */
    assert_int_equal(pressed(a, 1), 0);
    import(&host, nodes, 2, make_square(0.5f, 2), NULL); /* that one is known by its bounds */
    assert_int_equal(pressed(a, 0), 'f');
    assert_int_equal(pressed(a, 0.5 + 0.2), 'b'); /* what is met comes before what is passed by */
    assert_int_equal(pressed(a, 1), 'b');
    assert_int_equal(pressed(a, 3), 0);

    struct gz_message tool = {.op = GZ_OP_TOOL, .has = GZ_HAS_TOOL_SURFACE, .tool.surface = false};
    assert_ok(client_ask(a, &tool));
    assert_int_equal(pressed(a, 1), 'f');
    tool.tool.surface = true;
    assert_ok(client_ask(a, &tool));
    assert_int_equal(pressed(a, 1), 'b');

    uint64_t front = host_nodes(&host, &host.core->scratch, &(size_t){0})[0].id;
    assert_ok(ask_delete(a, front));
    assert_int_equal(pressed(a, 0), 'b');
    assert_ok(ask_undo(a, false));
    assert_int_equal(pressed(a, 0), 'f');
    assert_int_equal(pressed(a, 1), 'b');
    host_finish(&host);
}

TEST(test_pick_goes_by_bounds_unless_it_is_asked)
{
    struct host host;
    struct client *a = begin(&host);
    const struct gz_core_import_node node = square_node("front", 0, 0);
    import(&host, &node, 1, make_square(0.5f, 1), NULL);
    struct gz_message pick = {
        .op = GZ_OP_PICK, .has = GZ_HAS_PICK_AT, .pick.at = {MIDDLE_X + METRE_PX(10), MIDDLE_Y}};
    assert_int_equal(client_ask(a, &pick)->ok.hit_count, 1);
    pick.pick.surface = true;
    assert_int_equal(client_ask(a, &pick)->ok.hit_count, 0);
    pick.pick.at[0] = MIDDLE_X;
    const struct gz_message *ok = client_ask(a, &pick);
    assert_int_equal(ok->ok.hit_count, 1);
    assert_true(fabs(ok->ok.hits[0].distance - 10) < 1e-9);
    pick = (struct gz_message){
        .op = GZ_OP_PICK, .has = GZ_HAS_PICK_RECT, .pick = {.rect = {0, 0, 9, 9}, .surface = true}};
    assert_refused(client_ask(a, &pick), GZ_BAD_VALUE);
    host_finish(&host);
}

/* ---- whose triangles they are ---- */

TEST(test_an_import_that_is_refused_gives_the_old_ones_back)
{
    struct host host;
    struct client *a = begin(&host);
    const struct gz_core_import_node first = square_node("first", 0, 0),
                                     second = square_node("second", 0, 0),
                                     third = square_node("third", 0, 0);
    enum gz_status done[2] = {GZ_INTERNAL, GZ_INTERNAL};
    import(&host, &first, 1, make_square(0.5f, 1), NULL);
    host.disk = DISK_WAITS;
    import(&host, &second, 1, make_square(1, 1), &done[0]);
    assert_int_equal(pressed(a, 0.9), 's');
    import(&host, &third, 1, NULL, &done[1]);
    assert_int_equal(pressed(a, 1.9), 't'); /* by its bounds */
    assert_int_equal(gz_core_summary(host.core).surface_bytes, 0);
    assert_true(gz_core_summary(host.core).surface_bytes_before > 0); /* those that may come back */
    assert_int_equal(gz_core_summary(host.core).triangles, 0);
    host_settle(&host, false);
    assert_int_equal(done[0], GZ_STORAGE);
    assert_int_equal(done[1], GZ_STORAGE);
    assert_int_equal(pressed(a, 0), 'f');
    assert_int_equal(pressed(a, 0.9), 0);
    assert_int_equal(gz_core_summary(host.core).triangles, 2);
    host.disk = DISK_COMMITS;
    host_advance(&host, 1);
    import(&host, &third, 1, NULL, &done[1]);
    assert_int_equal(done[1], GZ_OK);
    assert_int_equal(gz_core_summary(host.core).surface_bytes, 0);
    assert_int_equal(gz_core_summary(host.core).surface_bytes_before, 0);
    host_finish(&host);
}

static uint64_t latest_file(const struct host *host)
{
    const struct gz_assets *assets = &host->core->assets;
    return assets->items[assets->count - 1].record.first;
}

/* Those of a scene that was opened are made while it runs. */
TEST(test_surfaces_that_come_late_find_their_place)
{
    struct host host;
    struct client *a = begin(&host);
    const struct gz_core_import_node first = square_node("first", 0, 0),
                                     second = square_node("second", 0, 0);
    import(&host, &first, 1, NULL, NULL);
    uint64_t file = latest_file(&host);
    struct gz_surfaces *surfaces = make_square(0.5f, 1), *again = make_square(0.5f, 1);
    assert_int_equal(pressed(a, 1), 'f');
    assert_true(gz_core_take_surfaces(host.core, file, surfaces));
    assert_int_equal(pressed(a, 1), 0);
    assert_false(gz_core_take_surfaces(host.core, file, again)); /* they are there */
    assert_false(gz_core_take_surfaces(host.core, file + 1, again));

    /* An import that came meanwhile has its own; one that is refused gives way to what was. */
    import(&host, &first, 1, NULL, NULL);
    file = latest_file(&host);
    host.disk = DISK_WAITS;
    import(&host, &second, 1, NULL, NULL);
    assert_true(gz_core_take_surfaces(host.core, file, again));
    assert_int_equal(pressed(a, 1), 's');
    host_settle(&host, false);
    assert_int_equal(pressed(a, 0), 'f');
    assert_int_equal(pressed(a, 1), 0);
    host_finish(&host);
}

/* Nodes that come back from the past want theirs again, once. */
TEST(test_surfaces_of_what_is_restored_are_wanted)
{
    struct host host;
    struct client *a = begin(&host);
    uint64_t wanted;
    const struct gz_core_import_node first = square_node("first", 0, 0),
                                     second = square_node("second", 0, 0);
    import(&host, &first, 1, make_square(0.5f, 1), NULL);
    const uint64_t file = latest_file(&host), seq = gz_core_summary(host.core).seq;
    import(&host, &second, 1, make_square(0.5f, 1), NULL);
    assert_int_equal(gz_core_summary(host.core).surface_bytes_before, 0); /* let go */
    assert_false(gz_core_wants_surfaces(host.core, &wanted));
    const struct gz_message restore = {
        .op = GZ_OP_RESTORE, .has = GZ_HAS_AT_SEQ, .restore.seq = seq};
    assert_int_equal(client_ask(a, &restore)->op, GZ_OP_OK);
    assert_int_equal(pressed(a, 1), 'f'); /* by its bounds */
    assert_true(gz_core_wants_surfaces(host.core, &wanted));
    assert_int_equal(wanted, file);
    assert_false(gz_core_wants_surfaces(host.core, &wanted));
    assert_true(gz_core_take_surfaces(host.core, file, make_square(0.5f, 1)));
    assert_int_equal(pressed(a, 1), 0);

    /* So does what is there after a start, and what is deleted does not. */
    host_restart(&host, false);
    assert_true(gz_core_wants_surfaces(host.core, &wanted));
    assert_int_equal(wanted, file);
    assert_false(gz_core_wants_surfaces(host.core, &wanted));
    host_finish(&host);
}

/* ---- what it costs ---- */

/* A thousand nodes in one place, each with ten thousand triangles in one place, all before the
 * pointer but for the last bit: none is met. */
TEST(test_hostile_triangles_cost_who_asks)
{
    enum { HOSTILE_NODES = 1000, HOSTILE_TRIANGLES = 10000 };
    struct host host;
    struct client *a = begin(&host);
    struct gz_triangle *triangles = calloc(HOSTILE_TRIANGLES, sizeof *triangles);
    struct gz_core_import_node *nodes = calloc(HOSTILE_NODES, sizeof *nodes);
    assert_true(triangles != NULL && nodes != NULL);
    for (size_t i = 0; i < HOSTILE_TRIANGLES; i++) /* the lower left half of a square */
        triangles[i] = (struct gz_triangle){{{-1, -1, 0}, {1, -1, 0}, {-1, 1, 0}}, 1};
    for (size_t i = 0; i < HOSTILE_NODES; i++) nodes[i] = square_node("n", 0, (int64_t)i);
    struct gz_surfaces *surfaces = make_surfaces(1, HOSTILE_NODES, HOSTILE_TRIANGLES, triangles);
    for (size_t i = 0; i < HOSTILE_NODES; i++) ((uint32_t *)(uintptr_t)surfaces->mesh_of)[i] = 1;
    import(&host, nodes, HOSTILE_NODES, surfaces, NULL);
    host_advance(&host, 5);

    /* In the other half of the square nothing is; past what a look may cost it is the bounds'
     * again. */
    double tokens = a->session->work.tokens;
    struct gz_message press = {
        .op = GZ_OP_POINTER, .has = GZ_HAS_POINTER_AT, .pointer.phase = GZ_PHASE_DOWN};
    press.pointer.at[0] = MIDDLE_X + 0.5 * METRE_PX(10);
    press.pointer.at[1] = MIDDLE_Y - 0.8 * METRE_PX(10);
    const struct gz_message *ok = client_ask(a, &press);
    assert_ok(ok);
    assert_true((ok->has & GZ_HAS_OK_HIT) != 0);
    double price = tokens - a->session->work.tokens;
    assert_true(price > (double)messages(GZ_SURFACE_TESTS_PER_LOOK / GZ_TRIANGLES_PER_NODE));
    assert_true(price < 2 * messages(GZ_SURFACE_TESTS_PER_LOOK / GZ_TRIANGLES_PER_NODE));
    for (int i = 0; i < 100 && client_count(a, GZ_OP_ERROR) == 0; i++) (void)client_ask(a, &press);
    assert_int_equal(client_last(a, GZ_OP_ERROR)->error.code, GZ_RATE_LIMITED);

    /* Where they are met the first look is enough. */
    host_advance(&host, 5);
    press.pointer.at[0] = MIDDLE_X - 0.5 * METRE_PX(10);
    press.pointer.at[1] = MIDDLE_Y + 0.2 * METRE_PX(10);
    assert_ok(client_ask(a, &press));
    free(nodes);
    free(triangles);
    host_finish(&host);
}

/* Tens of thousands of nodes in one place, each with a triangle that is seen from behind: no look
 * goes into the space of each. */
TEST(test_hostile_nodes_cost_who_asks)
{
    enum { HOSTILE_NODES = 30000 };
    struct host host;
    struct client *a = begin(&host);
    const struct gz_triangle triangle = {{{-1, -1, 0}, {-1, 1, 0}, {1, -1, 0}}, 0};
    struct gz_core_import_node *nodes = calloc(HOSTILE_NODES, sizeof *nodes);
    assert_non_null(nodes);
    for (size_t i = 0; i < HOSTILE_NODES; i++) nodes[i] = square_node("n", 0, (int64_t)i);
    struct gz_surfaces *surfaces = make_surfaces(1, HOSTILE_NODES, 1, &triangle);
    for (size_t i = 0; i < HOSTILE_NODES; i++) ((uint32_t *)(uintptr_t)surfaces->mesh_of)[i] = 1;
    import(&host, nodes, HOSTILE_NODES, surfaces, NULL);
    free(nodes);
    host_advance(&host, 5);

    double tokens = a->session->work.tokens;
    struct gz_message press = {
        .op = GZ_OP_POINTER, .has = GZ_HAS_POINTER_AT, .pointer.phase = GZ_PHASE_DOWN};
    press.pointer.at[0] = MIDDLE_X - 0.5 * METRE_PX(10);
    press.pointer.at[1] = MIDDLE_Y + 0.2 * METRE_PX(10);
    const struct gz_message *ok = client_ask(a, &press);
    assert_ok(ok);
    assert_true((ok->has & GZ_HAS_OK_HIT) !=
                0); /* of one for which there were too many before it, by its bounds */
    double whole = (double)messages(GZ_SURFACE_TESTS_PER_LOOK / GZ_TRIANGLES_PER_NODE);
    assert_true(tokens - a->session->work.tokens > 0.99 * whole + messages(HOSTILE_NODES));
    host_finish(&host);
}
