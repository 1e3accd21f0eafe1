/* stage.c - a daemon, clients, and the plain things that users do. See stage.h. */
#include "stage.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>

#include "model.h"

/* Nobody reads while others act, which takes a busy machine longer than a silence may last. */
static const char *const patient[] = {"--silence-seconds=3600", NULL};

int stage_setup_with(void **state, const char *option)
{
    struct stage *stage = calloc(1, sizeof *stage);
    assert_non_null(stage);
    *state = stage;
    test_daemon_init(&stage->daemon);
    stage->daemon.options = patient;
    test_daemon_start(&stage->daemon, option, NULL);
    return 0;
}

int stage_setup(void **state)
{
    return stage_setup_with(state, NULL);
}

/* Whatever a story was about, the files that it leaves keep all that is promised of them. */
void stage_check_files(const struct stage *stage)
{
    DIR *directory = opendir(stage->daemon.data);
    struct dirent *entry;
    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        char path[sizeof stage->daemon.data + sizeof entry->d_name];
        struct test_output output;
        size_t size = strlen(entry->d_name);
        if (size < 3 || strcmp(entry->d_name + size - 3, ".db") != 0) continue;
        snprintf(path, sizeof path, "%s/%s", stage->daemon.data, entry->d_name);
        test_ctl(&output, &stage->daemon, NULL, (const char *const[]){"check", path, NULL});
        if (output.code != 0) fail_msg("%s%s", output.out, output.err);
        test_output_finish(&output);
    }
    if (directory != NULL) closedir(directory);
}

int stage_leave(void **state)
{
    struct stage *stage = *state;
    while (stage->count > 0) gz_client_destroy(stage->clients[--stage->count]);
    return 0;
}

int stage_teardown(void **state)
{
    struct stage *stage = *state;
    (void)stage_leave(state);
    stage_check_files(stage);
    if (stage->daemon.pid != 0) test_daemon_end(&stage->daemon);
    stage_check_files(stage);
    test_daemon_finish(&stage->daemon);
    free(stage);
    return 0;
}

void stage_check(enum gz_status status, const struct gz_error *error, const char *what)
{
    if (status != GZ_OK) fail_msg("%s: %s: %s", what, gz_status_word(status), error->message);
}

static struct gz_client *join(struct stage *stage, const char *scene, const char *user,
                              struct gz_client_options options)
{
    options.url = stage->daemon.url;
    options.scene = scene;
    options.user = user;
    options.create = true;
    options.timeout_s = STAGE_SECONDS;
    struct gz_client *client;
    struct gz_error error = {0};
    assert_true(stage->count < STAGE_CLIENTS_MAX);
    stage_check(gz_client_create(&client, &options, &error), &error, "join");
    stage->clients[stage->count++] = client;
    stage_check(gz_client_await(client, 0, STAGE_SECONDS, &error), &error, "first delta");
    return client;
}

struct gz_client *stage_join(struct stage *stage, const char *scene, const char *user)
{
    return join(stage, scene, user, (struct gz_client_options){.plain = false});
}

struct gz_client *stage_join_plain(struct stage *stage, const char *scene, const char *user)
{
    return join(stage, scene, user, (struct gz_client_options){.plain = true});
}

void stage_import_engine(struct stage *stage)
{
    struct test_output output;
    test_ctl(&output, &stage->daemon, NULL,
             (const char *const[]){"import", MODEL_ENGINE, "engine", "--user", "ida", NULL});
    assert_string_equal(output.err, "");
    assert_string_equal(output.out, "engine: 82 nodes\n");
    assert_int_equal(output.code, 0);
    test_output_finish(&output);
}

const struct gz_message *stage_ask(struct gz_client *client, struct gz_message message)
{
    const struct gz_message *answer;
    struct gz_error error = {0};
    stage_check(gz_client_request(client, &message, STAGE_SECONDS, &answer, &error), &error,
                gz_op_word(message.op));
    return answer;
}

const struct gz_message *stage_refused(struct gz_client *client, struct gz_message message,
                                       enum gz_status code)
{
    const struct gz_message *answer = NULL;
    struct gz_error error = {0};
    enum gz_status status = gz_client_request(client, &message, STAGE_SECONDS, &answer, &error);
    if (status != code || answer == NULL)
        fail_msg("%s: expected %s, got %s: %s", gz_op_word(message.op), gz_status_word(code),
                 gz_status_word(status), error.message);
    return answer;
}

uint64_t stage_create(struct gz_client *client, const char *name, uint64_t parent, gz_vec3 t)
{
    struct gz_create_node node = {
        .has = GZ_HAS_CREATE_NODE_T | (parent != 0 ? GZ_HAS_CREATE_NODE_PARENT : 0),
        .name = gz_client_text(name),
        .parent = parent,
        .trs = gz_trs_identity,
    };
    node.trs.t = t;
    struct gz_message message = {.op = GZ_OP_CREATE, .create = {&node, 1}};
    const struct gz_message *answer = stage_ask(client, message);
    assert_int_equal(answer->ok.ids.count, 1);
    uint64_t id = answer->ok.ids.ids[0], seq = answer->ok.seq;
    struct gz_error error = {0};
    stage_check(gz_client_await(client, seq, STAGE_SECONDS, &error), &error, "the new node");
    return id;
}

void stage_catch_up(struct gz_client *client, const struct gz_client *with)
{
    struct gz_error error = {0};
    uint64_t seq = gz_mirror_seq(gz_client_mirror(with));
    stage_check(gz_client_await(client, seq, STAGE_SECONDS, &error), &error, "catching up");
}

/* ---- messages ---- */

struct gz_message message_set_t(const struct gz_set_node *node)
{
    return (struct gz_message){.op = GZ_OP_SET, .set = {.nodes = node, .count = 1}};
}

struct gz_message message_camera(gz_vec3 eye, gz_vec3 target)
{
    gz_vec3 back, right;
    assert_true(gz_normalize(gz_sub(eye, target), &back));
    assert_true(gz_normalize(gz_cross((gz_vec3){0, 1, 0}, back), &right));
    gz_vec3 up = gz_cross(back, right);
    double f = 1.7320508075688772; /* 60 degrees from bottom to top */
    struct gz_message message = {.op = GZ_OP_CAMERA};
    message.camera = (struct gz_camera_message){
        .view = {right.x, up.x, back.x, 0, right.y, up.y, back.y, 0, right.z, up.z, back.z, 0,
                 -gz_dot(right, eye), -gz_dot(up, eye), -gz_dot(back, eye), 1},
        .proj = {f * 1080 / 1920, 0, 0, 0, 0, f, 0, 0, 0, 0, -1, -1, 0, 0, -0.2, 0},
        .viewport = {0, 0, 1920, 1080},
    };
    return message;
}

struct gz_message message_grab(const uint64_t *id, enum gz_handle handle, double x, double y)
{
    struct gz_message message = message_pointer(GZ_PHASE_DOWN, x, y);
    message.op = GZ_OP_GRAB;
    message.has |= GZ_HAS_POINTER_NODES;
    message.pointer.handle = handle;
    message.pointer.nodes = (struct gz_ids){id, 1};
    return message;
}

struct gz_message message_pointer(enum gz_phase phase, double x, double y)
{
    return (struct gz_message){
        .op = GZ_OP_POINTER, .has = GZ_HAS_POINTER_AT, .pointer = {.phase = phase, .at = {x, y}}};
}

/* ---- nodes ---- */

const struct gz_mirror_node *node_in(const struct gz_client *client, uint64_t id)
{
    const struct gz_mirror_node *node = gz_mirror_find(gz_client_mirror(client), id);
    if (node == NULL) fail_msg("there is no node %llu", (unsigned long long)id);
    return node;
}

const struct gz_mirror_node *node_named(const struct gz_client *client, const char *name)
{
    size_t count;
    const struct gz_mirror_node **list = gz_mirror_list(gz_client_mirror(client), &count),
                                *found = NULL;
    assert_non_null(list);
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i]->name, name) == 0) found = list[i];
    free(list);
    if (found == NULL) fail_msg("there is no node named %s", name);
    return found;
}

void assert_same_trs(const gz_trs *a, const gz_trs *b, const char *what)
{
    if (gz_trs_same(a, b)) return;
    fail_msg("%s: t (%.17g, %.17g, %.17g) r (%.17g, %.17g, %.17g, %.17g) and t (%.17g, %.17g, "
             "%.17g) r (%.17g, %.17g, "
             "%.17g, %.17g) "
             "are not the same",
             what, a->t.x, a->t.y, a->t.z, a->r.x, a->r.y, a->r.z, a->r.w, b->t.x, b->t.y, b->t.z,
             b->r.x, b->r.y, b->r.z, b->r.w);
}

void assert_same_node(const struct gz_mirror_node *a, const struct gz_mirror_node *b)
{
    assert_int_equal(a->id, b->id);
    assert_int_equal(a->parent, b->parent);
    assert_string_equal(a->name, b->name);
    assert_same_trs(&a->trs, &b->trs, a->name);
    assert_int_equal(a->asset, b->asset);
    assert_int_equal(a->has_bounds, b->has_bounds);
    if (a->has_bounds) assert_memory_equal(&a->bounds, &b->bounds, sizeof a->bounds);
}

void assert_same_scene(const struct gz_client *a, const struct gz_client *b)
{
    size_t count_a, count_b;
    const struct gz_mirror_node **list_a = gz_mirror_list(gz_client_mirror(a), &count_a);
    const struct gz_mirror_node **list_b = gz_mirror_list(gz_client_mirror(b), &count_b);
    assert_non_null(list_a);
    assert_non_null(list_b);
    assert_int_equal(count_a, count_b);
    for (size_t i = 0; i < count_a; i++) assert_same_node(list_a[i], list_b[i]);
    free(list_a);
    free(list_b);
}

/* ---- the closed form ---- */

/* x, y and w of the clip space of a point (weight 1) or a direction (weight 0). */
static void project(const struct gz_camera_message *camera, const long double *v,
                    long double weight, long double clip[3])
{
    const long double from[4] = {v[0], v[1], v[2], weight};
    static const int rows[3] = {0, 1, 3};
    long double seen[4] = {0};
    for (int row = 0; row < 4; row++)
        for (int k = 0; k < 4; k++) seen[row] += (long double)camera->view[4 * k + row] * from[k];
    for (int i = 0; i < 3; i++) {
        clip[i] = 0;
        for (int k = 0; k < 4; k++) clip[i] += (long double)camera->proj[4 * k + rows[i]] * seen[k];
    }
}

long double axis_foot(const struct gz_camera_message *camera, const long double origin[3],
                      const long double axis[3], double x, double y)
{
    long double a[3], b[3], image[2], velocity[2];
    project(camera, origin, 1, a);
    project(camera, axis, 0, b);
    for (int i = 0; i < 2; i++) {
        long double half = (long double)camera->viewport[2 + i] / 2 * (i == 0 ? 1 : -1);
        image[i] = (long double)camera->viewport[i] + (long double)camera->viewport[2 + i] / 2 +
                   half * a[i] / a[2];
        velocity[i] = half * (b[i] * a[2] - a[i] * b[2]) / (a[2] * a[2]);
    }
    long double k = ((x - image[0]) * velocity[0] + (y - image[1]) * velocity[1]) /
                    (velocity[0] * velocity[0] + velocity[1] * velocity[1]);
    return k * a[2] / (a[2] - k * b[2]);
}
