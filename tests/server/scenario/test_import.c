/* glTF files that come into a scene which is there already: below a node, as one edit, with their
 * own meshes; told to all, undone, redone, restored over, replaced, and there after a crash. */
#include <stdio.h>
#include <time.h>

#include "stage.h"
#include "support/raw_ws.h"

/* A triangle with this box in one buffer, and nodes that show it. */
#define FILE_OF(nodes, bytes, min, max)                                                            \
    "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[" nodes  \
    "],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\"accessors\":[{"         \
    "\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"min\":" min           \
    ",\"max\":" max "}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"buffers\":[{"         \
    "\"byteLength\":36,\"uri\":\"data:application/octet-stream;base64," bytes "\"}]}"

/* Corners (-1, -1, 0), (1, -1, 0), (0, 1, 0); and twice as large at z 1. */
#define SMALL "AACAvwAAgL8AAAAAAACAPwAAgL8AAAAAAAAAAAAAgD8AAAAA"
#define LARGE "AAAAwAAAAMAAAIA/AAAAQAAAAMAAAIA/AAAAAAAAAEAAAIA/"

static const char ship[] =
    FILE_OF("{\"name\":\"hull\",\"children\":[1]},{\"name\":\"sail\",\"mesh\":0}", SMALL,
            "[-1,-1,0]", "[1,1,0]");
static const char tower[] = FILE_OF("{\"name\":\"tower\",\"mesh\":0,\"translation\":[10,0,0]}",
                                    LARGE, "[-2,-2,1]", "[2,2,1]");

static int request(const struct stage *stage, const char *method, const char *path,
                   const char *body, struct raw_response *response)
{
    char length[64] = "";
    if (*body != '\0') snprintf(length, sizeof length, "Content-Length: %zu\r\n", strlen(body));
    raw_request(stage->daemon.port, method, path, length, body, strlen(body), response);
    return response->status;
}

static void put(const struct stage *stage, const char *path, const char *file)
{
    struct raw_response response;
    int status = request(stage, "PUT", path, file, &response);
    if (status != 200 && status != 201) fail_msg("%s: %d %s", path, status, response.body);
}

/* Adds the file as ida; returns the id of its first root. */
static uint64_t add(const struct stage *stage, uint64_t below, const char *file)
{
    struct raw_response response;
    char path[96] = "/scenes/bay/import?user=ida";
    if (below > 0)
        snprintf(path, sizeof path, "/scenes/bay/import?parent=%llu&user=ida",
                 (unsigned long long)below);
    if (request(stage, "POST", path, file, &response) != 200)
        fail_msg("%d %s", response.status, response.body);
    const char *roots = strstr(response.body, "\"roots\":[");
    assert_non_null(roots);
    return strtoull(roots + 9, NULL, 10);
}

/* The id of the first visible surface under a ray along -z; 0 for none. */
static uint64_t pick(struct gz_client *client, double x, double y)
{
    struct gz_message message = {.op = GZ_OP_PICK, .has = GZ_HAS_PICK_RAY};
    memcpy(message.pick.ray, (double[]){x, y, 50, 0, 0, -1}, sizeof message.pick.ray);
    message.pick.surface = true;
    const struct gz_ok *ok = &stage_ask(client, message)->ok;
    return ok->hit_count > 0 ? ok->hits[0].id : 0;
}

/* Waits for the triangles, which a worker may have to make: beside them, in the box, nothing is.
 * Whoever asks without a pause is over the rate. */
static void assert_picked(struct gz_client *client, uint64_t id, double x, double half)
{
    static const struct timespec pause = {.tv_nsec = 50000000};
    while (pick(client, x + 0.9 * half, 0.9 * half) == id) nanosleep(&pause, NULL);
    assert_int_equal(pick(client, x + 0.9 * half, 0.9 * half), 0);
    assert_int_equal(pick(client, x, 0), id);
}

static void assert_box(const struct gz_mirror_node *node, double half, double z)
{
    assert_true(node->has_bounds);
    assert_true(node->bounds.min.x == -half && node->bounds.max.y == half);
    assert_true(node->bounds.min.z == z && node->bounds.max.z == z);
}

static size_t count_of(const struct gz_client *client)
{
    return gz_mirror_count(gz_client_mirror(client));
}

static bool has_node(const struct gz_client *client, uint64_t id)
{
    return gz_mirror_find(gz_client_mirror(client), id) != NULL;
}

static bool says(const struct stage *stage, const char *path, int status, const char *words)
{
    struct raw_response response;
    return request(stage, "GET", path, "", &response) == status &&
           strstr(response.body, words) != NULL;
}

static void check_files(struct stage *stage)
{
    while (stage->count > 0) gz_client_destroy(stage->clients[--stage->count]);
    test_daemon_end(&stage->daemon);
    stage_check_files(stage);
}

TEST_ON_STAGE(test_file_comes_below_a_node_as_one_edit)
{
    struct stage *stage = *state;
    put(stage, "/scenes/bay?user=ida", ship);
    struct gz_client *ida = stage_join(stage, "bay", "ida"), *bob = stage_join(stage, "bay", "bob");
    const uint64_t hull = node_named(ida, "hull")->id, sail = node_named(ida, "sail")->id;
    const uint64_t root = add(stage, hull, tower);
    while (!has_node(bob, root)) assert_non_null(gz_client_next(bob, STAGE_SECONDS));
    const struct gz_mirror_node *node = node_in(bob, root);
    assert_string_equal(node->name, "tower");
    assert_int_equal(node->parent, hull);
    assert_true(node->trs.t.x == 10);
    assert_int_equal(node->asset, 2); /* behind the two of the first file */
    assert_box(node, 2, 1);
    assert_box(node_in(bob, sail), 1, 0);
    assert_picked(bob, root, 10, 2);
    assert_picked(bob, sail, 0, 1);
    assert_true(says(stage, "/scenes/bay/assets", 200, "[{\"first\":0,\"count\":2,"));
    assert_true(says(stage, "/scenes/bay/assets", 200, "{\"first\":2,\"count\":1,"));
    assert_true(says(stage, "/scenes/bay/asset", 200, "hull"));
    assert_true(says(stage, "/scenes/bay/asset?of=1", 200, "hull"));
    assert_true(says(stage, "/scenes/bay/asset?of=2", 200, "tower"));
    assert_true(says(stage, "/scenes/bay/asset?of=3", 404, "bad_state"));

    /* the last thing that ida did */
    stage_refused(bob, (struct gz_message){.op = GZ_OP_UNDO}, GZ_BAD_STATE);
    stage_ask(ida, (struct gz_message){.op = GZ_OP_UNDO});
    stage_catch_up(bob, ida);
    assert_int_equal(count_of(bob), 2);
    stage_ask(ida, (struct gz_message){.op = GZ_OP_REDO});
    stage_catch_up(bob, ida);
    assert_int_equal(node_in(bob, root)->asset, 2);
    assert_picked(bob, root, 10, 2);
    /* the import that made the scene stays */
    stage_ask(ida, (struct gz_message){.op = GZ_OP_UNDO});
    stage_refused(ida, (struct gz_message){.op = GZ_OP_UNDO}, GZ_BAD_STATE);
    check_files(stage);
}

/* Each file is there once, however often it comes, and whatever the scene is in between. */
TEST_ON_STAGE(test_same_file_again_is_stored_once)
{
    struct stage *stage = *state;
    put(stage, "/scenes/bay", ship);
    struct gz_client *ida = stage_join(stage, "bay", "ida");
    const uint64_t first = add(stage, 0, tower), second = add(stage, first, tower);
    put(stage, "/scenes/bay?replace", ship);
    const uint64_t third = add(stage, 0, tower);
    while (!has_node(ida, third)) assert_non_null(gz_client_next(ida, STAGE_SECONDS));
    assert_false(has_node(ida, first) || has_node(ida, second));
    assert_int_equal(node_in(ida, third)->asset, 2);
    assert_int_equal(node_named(ida, "sail")->asset, 1);
    assert_true(says(stage, "/scenes/bay/assets", 200, "\"first\":2,"));
    assert_false(says(stage, "/scenes/bay/assets", 200, "\"first\":3,"));
}

static uint64_t seq_of(const struct gz_client *client)
{
    return gz_mirror_seq(gz_client_mirror(client));
}

static struct gz_message restore_to(uint64_t seq)
{
    return (struct gz_message){.op = GZ_OP_RESTORE, .has = GZ_HAS_AT_SEQ, .restore.seq = seq};
}

TEST_ON_STAGE(test_past_is_restored_across_imports_and_a_replace)
{
    struct stage *stage = *state;
    put(stage, "/scenes/bay", ship);
    struct gz_client *ida = stage_join(stage, "bay", "ida");
    const uint64_t sail = node_named(ida, "sail")->id, made = seq_of(ida);
    const uint64_t first = add(stage, 0, tower);
    while (!has_node(ida, first)) assert_non_null(gz_client_next(ida, STAGE_SECONDS));
    stage_ask(ida, (struct gz_message){.op = GZ_OP_PING});
    const uint64_t added = seq_of(ida);
    put(stage, "/scenes/bay?replace", tower);
    while (has_node(ida, sail)) assert_non_null(gz_client_next(ida, STAGE_SECONDS));
    const uint64_t replaced = seq_of(ida), other = node_named(ida, "tower")->id;
    assert_true(says(stage, "/scenes/bay/asset", 200, "tower"));

    stage_ask(ida, restore_to(added));
    assert_int_equal(count_of(ida), 3);
    assert_int_equal(node_in(ida, sail)->asset, 1);
    assert_picked(ida, sail, 0, 1);
    assert_picked(ida, first, 10, 2);
    assert_true(says(stage, "/scenes/bay/asset", 200, "hull"));
    stage_ask(ida, restore_to(made));
    assert_int_equal(count_of(ida), 2);
    stage_ask(ida, restore_to(replaced));
    assert_int_equal(count_of(ida), 1);
    assert_picked(ida, other, 10, 2);
    stage_ask(ida, (struct gz_message){.op = GZ_OP_UNDO});
    assert_picked(ida, sail, 0, 1);

    struct gz_message at = {.op = GZ_OP_AT, .has = GZ_HAS_AT_SEQ, .at.seq = added};
    assert_int_equal(stage_ask(ida, at)->ok.node_count, 3);
    test_daemon_kill(&stage->daemon);
    test_daemon_start(&stage->daemon, NULL, NULL);
    ida = stage_join(stage, "bay", "ida");
    assert_picked(ida, sail, 0, 1);
    stage_ask(ida, restore_to(added));
    assert_picked(ida, first, 10, 2);
    check_files(stage);
}

TEST_ON_STAGE(test_what_cannot_be_added_changes_nothing)
{
    static const struct {
        const char *path, *file;
        int status;
        const char *words;
    } rows[] = {
        {"/scenes/bay/import?parent=99", tower, 404, "node 99 does not exist"},
        {"/scenes/bay/import?parent=0", tower, 400, "parent: must be the id of a node"},
        {"/scenes/bay/import?parent=x", tower, 400, "parent: must be the id of a node"},
        {"/scenes/bay/import?parent=1x", tower, 400, "parent: must be the id of a node"},
        {"/scenes/bay/import?parent=", tower, 400, "parent: must be the id of a node"},
        {"/scenes/bay/import?parent=99999999999999999999", tower, 400, "parent: must be"},
        {"/scenes/bay/import?user=", tower, 400, "user: must be"},
        {"/scenes/nowhere/import", tower, 404, "there is no scene nowhere"},
        {"/scenes/bay/import", "v 0 0 0\n", 400, "looks like"},
        {"/scenes/bay/import", "{\"asset\":{\"version\":\"1.0\"}}", 400, "version"},
        {"/scenes/bay/import", "", 411, "Content-Length"},
        {"/scenes/bay", tower, 405, "only PUT, PATCH and DELETE"},
    };
    struct stage *stage = *state;
    struct raw_response response;
    put(stage, "/scenes/bay", ship);
    struct gz_client *ida = stage_join(stage, "bay", "ida");
    const uint64_t seq = seq_of(ida);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int status = request(stage, "POST", rows[i].path, rows[i].file, &response);
        if (status != rows[i].status || strstr(response.body, rows[i].words) == NULL)
            fail_msg("row %zu: %s: %d %s", i, rows[i].path, status, response.body);
    }
    assert_true(says(stage, "/scenes/bay/import", 405, "only POST"));
    assert_true(says(stage, "/scenes/bay/asset?of=x", 400, "of: must be"));
    stage_ask(ida, (struct gz_message){.op = GZ_OP_PING});
    assert_int_equal(seq_of(ida), seq);
    assert_false(says(stage, "/scenes/bay/assets", 200, "\"first\":2"));
    assert_false(says(stage, "/scenes", 200, "nowhere"));
}
