/* Whatever numbers come over the wire, what is stored is finite, its quaternions unit and its
 * scale factors none of them zero. Each number of each message in turn becomes one that cannot be,
 * or just can, through a real daemon; and then its session drags. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "fault_stage.h"
#include "proto/limits.h"

#define SCENE "arm"
/* Numbers of one message, at most. */
#define NUMBERS_MAX 64

static const double impossible[] = {NAN, -NAN, INFINITY, -INFINITY};
static const double extreme[] = {0,     -0.0,         5e-324, DBL_MIN, -1,      1e15,
                                 -1e15, 1.0000001e15, 1e160,  DBL_MAX, -DBL_MAX};
#define IMPOSSIBLE_COUNT (sizeof impossible / sizeof impossible[0])
#define EXTREME_COUNT (sizeof extreme / sizeof extreme[0])

static const enum gz_handle dragged[] = {GZ_TX, GZ_TZX, GZ_TV,  GZ_RY, GZ_RV,
                                         GZ_RB, GZ_SX,  GZ_SXY, GZ_SU};
#define DRAGGED_COUNT (sizeof dragged / sizeof dragged[0])

struct cast {
    struct stage *stage;
    struct gz_client *hostile, *witness;
    uint64_t node, child, next_rid;
    unsigned drags;
};

/* ---- bytes ---- */

struct number {
    size_t at, size;
};

static size_t big_endian(const uint8_t *bytes, size_t width)
{
    size_t value = 0;
    for (size_t i = 0; i < width; i++) value = value << 8 | bytes[i];
    return value;
}

/* One MessagePack value as our encoder writes them; notes each number but the one of `rid`. Returns
 * where the next one is. */
static size_t walk(const uint8_t *bytes, size_t at, bool is_rid, struct number *numbers,
                   size_t *count)
{
    uint8_t first = bytes[at];
    size_t size = 1, inside = 0, width = 0;
    bool is_map = (first & 0xF0) == 0x80 || first == 0xDE;
    bool is_number = first < 0x80 || first == 0xCB || (first >= 0xCC && first <= 0xCF);
    if (first == 0xCB) size = 9;
    if (first >= 0xCC && first <= 0xCF) size = 1 + ((size_t)1 << (first - 0xCC));
    if ((first & 0xE0) == 0xA0) size = 1 + (first & 0x1F);
    if (first >= 0xD9 && first <= 0xDA) width = (size_t)1 << (first - 0xD9);
    if (width > 0) size = 1 + width + big_endian(bytes + at + 1, width);
    if ((first & 0xF0) == 0x90 || is_map) inside = first & 0x0F;
    if (first == 0xDC || first == 0xDE) {
        inside = big_endian(bytes + at + 1, 2);
        size = 3;
    }
    if (is_number && !is_rid && *count < NUMBERS_MAX)
        numbers[(*count)++] = (struct number){at, size};
    at += size;
    for (size_t i = 0; i < inside; i++) {
        bool is_rid_next = is_map && bytes[at] == 0xA3 && memcmp(bytes + at + 1, "rid", 3) == 0;
        if (is_map) at = walk(bytes, at, true, numbers, count);
        at = walk(bytes, at, is_rid_next, numbers, count);
    }
    return at;
}

static size_t put_number(const struct gz_buffer *from, const struct number *number, double value,
                         uint8_t *to)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    memcpy(to, from->data, number->at);
    size_t at = number->at;
    to[at++] = 0xCB;
    for (int i = 0; i < 8; i++) to[at++] = (uint8_t)(bits >> (56 - 8 * i));
    size_t rest = from->size - number->at - number->size;
    memcpy(to + at, from->data + number->at + number->size, rest);
    return at + rest;
}

/* ---- one hostile message, and what comes of it ---- */

/* The answer to bytes whose rid is this one; parts of a long one are passed over. */
static enum gz_status answer_to(struct cast *cast, const uint8_t *bytes, size_t size, uint64_t rid,
                                const char *what)
{
    struct gz_error error = {0};
    const struct gz_message *answer;
    stage_check(gz_client_send_bytes(cast->hostile, bytes, size, &error), &error, what);
    enum gz_status status;
    do {
        answer = NULL;
        status = gz_client_answer(cast->hostile, rid, STAGE_SECONDS, &answer, &error);
    } while (status == GZ_OK && answer->ok.more);
    if (answer == NULL || status == GZ_INTERNAL || status == GZ_STORAGE ||
        !gz_client_is_open(cast->hostile))
        fail_msg("%s: %s: %s", what, gz_status_word(status), error.message);
    return status;
}

static void assert_is_sane(const struct gz_mirror_node *node, const char *what)
{
    const gz_trs *trs = &node->trs;
    const double *numbers = &trs->t.x;
    const gz_quat r = trs->r;
    bool sane = fabs(r.x * r.x + r.y * r.y + r.z * r.z + r.w * r.w - 1) < 1e-9;
    for (size_t i = 0; i < 3; i++) sane = sane && fabs(numbers[i]) <= GZ_COORDINATE_MAX;
    const double factors[] = {trs->s.x, trs->s.y, trs->s.z};
    for (size_t i = 0; i < 3; i++) /* 0 hides a node */
        sane = sane && (factors[i] == 0 || fabs(factors[i]) >= GZ_SCALE_MIN) &&
               fabs(factors[i]) <= GZ_COORDINATE_MAX;
    if (node->has_bounds)
        for (size_t i = 0; i < 6; i++) sane = sane && isfinite((&node->bounds.min.x)[i]);
    if (!sane)
        fail_msg("%s: node %llu is at (%g %g %g), (%g %g %g %g), (%g %g %g)", what,
                 (unsigned long long)node->id, trs->t.x, trs->t.y, trs->t.z, trs->r.x, trs->r.y,
                 trs->r.z, trs->r.w, trs->s.x, trs->s.y, trs->s.z);
}

static void assert_scene_is_sane(struct cast *cast, const char *what)
{
    size_t count;
    stage_catch_up(cast->witness, cast->hostile);
    const struct gz_mirror_node **nodes = gz_mirror_list(gz_client_mirror(cast->witness), &count);
    assert_non_null(nodes);
    for (size_t i = 0; i < count; i++) assert_is_sane(nodes[i], what);
    free(nodes);
}

static void say(struct cast *cast, struct gz_message message)
{
    struct gz_error error;
    const struct gz_message *answer;
    enum gz_status status =
        gz_client_request(cast->hostile, &message, STAGE_SECONDS, &answer, &error);
    if (status == GZ_INTERNAL || status == GZ_STORAGE)
        fail_msg("%s: %s: %s", gz_op_word(message.op), gz_status_word(status), error.message);
}

/* Turns the view, by one law and by the other. */
static void orbit(struct cast *cast)
{
    struct gz_message press = message_pointer(GZ_PHASE_DOWN, 700, 400);
    press.pointer.mods = 1u << GZ_MOD_ORBIT;
    struct gz_message tool = {.op = GZ_OP_TOOL, .has = GZ_HAS_TOOL_ORBIT};
    tool.tool.orbit = cast->drags % 2 == 0 ? GZ_ORBIT_TURNTABLE : GZ_ORBIT_BALL;
    say(cast, tool);
    say(cast, press);
    say(cast, message_pointer(GZ_PHASE_MOVE, 1300, 200));
    say(cast, message_pointer(GZ_PHASE_UP, 40, 1000));
}

/* Drags with whatever camera, tool and node there are now: from handle to handle. */
static void drag(struct cast *cast)
{
    enum gz_handle handle = dragged[cast->drags++ % DRAGGED_COUNT];
    say(cast, message_grab(&cast->child, handle, 960, 540));
    say(cast, message_pointer(GZ_PHASE_MOVE, 1300, 200));
    struct gz_message ray = message_pointer(GZ_PHASE_MOVE, 0, 0);
    ray.has = GZ_HAS_POINTER_RAY;
    memcpy(ray.pointer.ray, (double[]){1, 2, 3, 0.1, -0.2, -1}, sizeof ray.pointer.ray);
    say(cast, ray);
    say(cast, message_pointer(GZ_PHASE_UP, 40, 1000));
    orbit(cast);
}

/* The state that each message finds: everything in the middle of what can be. */
static void set_up(struct cast *cast)
{
    struct gz_set_node nodes[2] = {
        {.has = GZ_HAS_SET_NODE_T | GZ_HAS_SET_NODE_R | GZ_HAS_SET_NODE_S,
         .id = cast->node,
         .trs = gz_trs_identity},
        {.has = GZ_HAS_SET_NODE_T | GZ_HAS_SET_NODE_R | GZ_HAS_SET_NODE_S,
         .id = cast->child,
         .trs = gz_trs_identity},
    };
    say(cast, message_pointer(GZ_PHASE_CANCEL, 0, 0));
    say(cast, message_camera((gz_vec3){3, 4, 10}, (gz_vec3){0, 0, 0}));
    say(cast,
        (struct gz_message){
            .op = GZ_OP_TOOL,
            .has = GZ_HAS_TOOL_MODE | GZ_HAS_TOOL_PIVOT | GZ_HAS_TOOL_SIZE | GZ_HAS_TOOL_TOLERANCE |
                   GZ_HAS_TOOL_EDGE | GZ_HAS_TOOL_SNAP | GZ_HAS_TOOL_SNAP_ON,
            .tool = {.mode = GZ_MODE_UNIVERSAL, .size = 96, .tolerance = 8, .edge = 0.0873}});
    say(cast, (struct gz_message){.op = GZ_OP_SET, .set = {.nodes = nodes, .count = 2}});
    say(cast, (struct gz_message){
                  .op = GZ_OP_SELECT,
                  .select = {.nodes = {&cast->child, 1}, .how = GZ_HOW_SET},
              });
}

static void try_number(struct cast *cast, const struct gz_buffer *good, const struct number *number,
                       double value, bool is_impossible, const char *name)
{
    uint8_t bytes[4096];
    char what[96];
    snprintf(what, sizeof what, "%s with %g at byte %zu", name, value, number->at);
    size_t size = put_number(good, number, value, bytes);
    enum gz_status status = answer_to(cast, bytes, size, cast->next_rid, what);
    if (is_impossible && status != GZ_BAD_VALUE) fail_msg("%s: %s", what, gz_status_word(status));
    if (!is_impossible) drag(cast);
    assert_scene_is_sane(cast, what);
    if (!is_impossible) set_up(cast);
}

/* `euler` is not written by the encoder: the one letter of a `t` becomes its word. */
static void spell_euler(struct gz_buffer *bytes)
{
    static const uint8_t key[] = {0xA1, 't', 0x93}, word[] = {0xA5, 'e', 'u', 'l', 'e', 'r', 0x93};
    uint8_t *at = memmem(bytes->data, bytes->size, key, sizeof key);
    assert_non_null(at);
    size_t before = (size_t)(at - bytes->data), rest = bytes->size - before - sizeof key;
    assert_int_equal(gz_buffer_reserve(bytes, sizeof word), GZ_OK);
    memmove(bytes->data + before + sizeof word, bytes->data + before + sizeof key, rest);
    memcpy(bytes->data + before, word, sizeof word);
    bytes->size = before + sizeof word + rest;
}

/* Each of its numbers in turn. */
static void try_message(struct cast *cast, const char *name, struct gz_message message)
{
    struct number numbers[NUMBERS_MAX];
    size_t count = 0;
    struct gz_buffer good;
    gz_buffer_init(&good, GZ_MESSAGE_BYTES_MAX, 0);
    message.has |= GZ_HAS_RID;
    message.rid = cast->next_rid = 1000000007;
    assert_int_equal(gz_encode(&good, &message), GZ_OK);
    if (strcmp(name, "euler") == 0) spell_euler(&good);
    assert_int_equal(walk(good.data, 0, false, numbers, &count), good.size);
    assert_true(count > 0 && count < NUMBERS_MAX);
    set_up(cast);
    answer_to(cast, good.data, good.size, message.rid, name);
    set_up(cast);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < IMPOSSIBLE_COUNT; k++)
            try_number(cast, &good, &numbers[i], impossible[k], true, name);
        for (size_t k = 0; k < EXTREME_COUNT; k++)
            try_number(cast, &good, &numbers[i], extreme[k], false, name);
    }
    gz_buffer_finish(&good);
}

static int gather(void **state)
{
    static struct cast cast;
    void *stage = NULL;
    /* Thousands of requests, each as soon as the one before is answered. */
    assert_int_equal(stage_setup_with(&stage, "--messages-per-s=1000000"), 0);
    cast = (struct cast){.stage = stage};
    cast.hostile = stage_join(stage, SCENE, "hal");
    cast.witness = stage_join(stage, SCENE, "wanda");
    cast.node = stage_create(cast.hostile, "base", 0, (gz_vec3){0, 0, 0});
    cast.child = stage_create(cast.hostile, "link", cast.node, (gz_vec3){1, 0, 0});
    *state = &cast;
    return 0;
}

static int part(void **state)
{
    struct cast *cast = *state;
    void *stage = cast->stage;
    stage_ask(cast->witness,
              (struct gz_message){
                  .op = GZ_OP_PING}); /* all that was acknowledged came before the answer */
    test_daemon_kill(&cast->stage->daemon);
    test_daemon_start(&cast->stage->daemon, NULL, NULL); /* what was stored can be read again */
    struct gz_client *after = stage_join(cast->stage, SCENE, "ada");
    assert_same_scene(after, cast->witness);
    return stage_teardown(&stage);
}

/* ---- each message with numbers ---- */

TEST_BETWEEN(test_numbers_of_cameras_and_tools_do_no_harm, gather, part)
{
    struct cast *cast = *state;
    struct gz_message tool = {.op = GZ_OP_TOOL,
                              .has = GZ_HAS_TOOL_PIVOT | GZ_HAS_TOOL_SNAP | GZ_HAS_TOOL_SNAP_T |
                                     GZ_HAS_TOOL_SNAP_R | GZ_HAS_TOOL_SNAP_S | GZ_HAS_TOOL_SNAP_ON |
                                     GZ_HAS_TOOL_SIZE | GZ_HAS_TOOL_TOLERANCE | GZ_HAS_TOOL_EDGE};
    tool.tool = (struct gz_tool_message){.pivot = GZ_PIVOT_POINT,
                                         .pivot_point = {1, 2, 3},
                                         .snap_t = 0.1,
                                         .snap_r = 0.1,
                                         .snap_s = 0.1,
                                         .snap_on = true,
                                         .size = 96,
                                         .tolerance = 8,
                                         .edge = 0.1};
    try_message(cast, "tool", tool);
    struct gz_message camera = message_camera((gz_vec3){3, 4, 10}, (gz_vec3){0, 0, 0});
    camera.has |= GZ_HAS_CAMERA_TARGET;
    camera.camera.target = (gz_vec3){0.5, 1, -2};
    try_message(cast, "camera", camera);
}

TEST_BETWEEN(test_numbers_of_pointers_do_no_harm, gather, part)
{
    struct cast *cast = *state;
    struct gz_message at = message_pointer(GZ_PHASE_DOWN, 960, 540), ray = at,
                      wheel = {.op = GZ_OP_WHEEL};
    struct gz_message typed = message_grab(&cast->child, GZ_SX, 960, 540), plane = typed;
    at.has |= GZ_HAS_POINTER_N;
    at.pointer.n = 1;
    ray.has = GZ_HAS_POINTER_RAY;
    memcpy(ray.pointer.ray, (double[]){0, 0, 10, 0.01, 0.02, -1}, sizeof ray.pointer.ray);
    typed.has |= GZ_HAS_POINTER_VALUE;
    typed.pointer.value = (struct gz_value){{2}, 1};
    plane.has |= GZ_HAS_POINTER_VALUE;
    plane.pointer.handle = GZ_TXY;
    plane.pointer.value = (struct gz_value){{2, 3}, 2};
    wheel.has = GZ_HAS_POINTER_AT;
    wheel.wheel = (struct gz_wheel){.dy = 1, .at = {960, 540}};
    try_message(cast, "pointer at", at);
    try_message(cast, "pointer ray", ray);
    try_message(cast, "grab", message_grab(&cast->child, GZ_RB, 960, 540));
    try_message(cast, "grab of a value", typed);
    try_message(cast, "grab of two values", plane);
    try_message(cast, "wheel", wheel);
}

TEST_BETWEEN(test_numbers_of_edits_do_no_harm, gather, part)
{
    struct cast *cast = *state;
    struct gz_set_node node = {.has = GZ_HAS_SET_NODE_T | GZ_HAS_SET_NODE_R | GZ_HAS_SET_NODE_S |
                                      GZ_HAS_SET_NODE_PARENT,
                               .id = cast->child,
                               .parent = cast->node,
                               .trs = {{1, 2, 3}, {0.5, 0.5, 0.5, 0.5}, {1, 2, 3}}};
    struct gz_set_node turned = {
        .has = GZ_HAS_SET_NODE_T, .id = cast->child, .trs = {.t = {0.1, 0.2, 0.3}}};
    struct gz_create_node made = {.has = GZ_HAS_CREATE_NODE_T | GZ_HAS_CREATE_NODE_R |
                                         GZ_HAS_CREATE_NODE_S | GZ_HAS_CREATE_NODE_BOUNDS |
                                         GZ_HAS_CREATE_NODE_PARENT,
                                  .parent = cast->node,
                                  .name = gz_client_text("new"),
                                  .trs = {{1, 2, 3}, {0.5, 0.5, 0.5, 0.5}, {1, 2, 3}},
                                  .bounds = {{-1, -2, -3}, {1, 2, 3}}};
    try_message(cast, "set",
                (struct gz_message){.op = GZ_OP_SET,
                                    .has = GZ_HAS_SET_BASE,
                                    .set = {.nodes = &node, .count = 1, .base = 9007199254740000}});
    try_message(cast, "euler", message_set_t(&turned));
    try_message(cast, "create", (struct gz_message){.op = GZ_OP_CREATE, .create = {&made, 1}});
    try_message(cast, "note",
                (struct gz_message){
                    .op = GZ_OP_NOTE,
                    .has = GZ_HAS_NOTE_TEXT | GZ_HAS_NOTE_NODE | GZ_HAS_NOTE_POINT,
                    .note = {.text = gz_client_text("?"), .node = cast->node, .point = {1, 2, 3}}});
}

TEST_BETWEEN(test_numbers_of_questions_do_no_harm, gather, part)
{
    struct cast *cast = *state;
    struct gz_message at = {.op = GZ_OP_PICK, .has = GZ_HAS_PICK_AT, .pick.at = {960, 540}};
    struct gz_message ray = {
        .op = GZ_OP_PICK, .has = GZ_HAS_PICK_RAY, .pick.ray = {0, 0, 10, 0, 0, -1}};
    struct gz_message rect = {
        .op = GZ_OP_PICK, .has = GZ_HAS_PICK_RECT, .pick.rect = {0, 0, 1920, 1080}};
    struct gz_message box = {.op = GZ_OP_INTEREST,
                             .has = GZ_HAS_INTEREST_BOX,
                             .interest.box = {{-9, -9, -9}, {9, 9, 9}}};
    struct gz_message history = {.op = GZ_OP_HISTORY,
                                 .has = GZ_HAS_HISTORY_SINCE | GZ_HAS_HISTORY_BEFORE |
                                        GZ_HAS_HISTORY_LIMIT | GZ_HAS_HISTORY_NODE};
    history.history = (struct gz_history){.node = cast->node, .since = 1, .before = 2, .limit = 5};
    try_message(cast, "pick at", at);
    at.pick.surface = ray.pick.surface = true;
    try_message(cast, "pick at what is seen", at);
    try_message(cast, "pick along a ray what is seen", ray);
    ray.pick.surface = false;
    try_message(cast, "pick ray", ray);
    try_message(cast, "pick rect", rect);
    try_message(cast, "interest", box);
    try_message(cast, "history", history);
    try_message(cast, "who",
                (struct gz_message){.op = GZ_OP_WHO,
                                    .has = GZ_HAS_WHO_AFTER | GZ_HAS_WHO_LIMIT,
                                    .who = {.after = 1, .limit = 5}});
    try_message(cast, "at seq",
                (struct gz_message){.op = GZ_OP_AT, .has = GZ_HAS_AT_SEQ, .at.seq = 1});
    try_message(cast, "at time",
                (struct gz_message){.op = GZ_OP_AT, .has = GZ_HAS_AT_TIME, .at.time = 1});
    try_message(cast, "restore",
                (struct gz_message){.op = GZ_OP_RESTORE, .has = GZ_HAS_AT_SEQ, .restore.seq = 2});
}

/* ---- numbers that can be, but not together ---- */

struct together {
    const char *name;
    void (*say)(struct cast *cast, struct gz_message *message, struct gz_set_node *node);
    enum gz_status expected;
};

static void no_direction(struct cast *cast, struct gz_message *message, struct gz_set_node *node)
{
    (void)cast, (void)node;
    *message = message_pointer(GZ_PHASE_DOWN, 0, 0);
    message->has = GZ_HAS_POINTER_RAY;
    message->pointer.ray[0] = 1;
}

static void no_direction_to_pick(struct cast *cast, struct gz_message *message,
                                 struct gz_set_node *node)
{
    (void)cast, (void)node;
    *message = (struct gz_message){
        .op = GZ_OP_PICK, .has = GZ_HAS_PICK_RAY, .pick.ray = {1, 2, 3, 0, 0, 0}};
}

static void no_size(struct cast *cast, struct gz_message *message, struct gz_set_node *node)
{
    *node = (struct gz_set_node){.has = GZ_HAS_SET_NODE_S, .id = cast->child};
    *message = message_set_t(node);
}

static void no_depth(struct cast *cast, struct gz_message *message, struct gz_set_node *node)
{
    *node = (struct gz_set_node){.has = GZ_HAS_SET_NODE_S, .id = cast->child, .trs.s = {1, 1, 0}};
    *message = message_set_t(node);
}

static void no_rotation(struct cast *cast, struct gz_message *message, struct gz_set_node *node)
{
    *node = (struct gz_set_node){.has = GZ_HAS_SET_NODE_R, .id = cast->child};
    *message = message_set_t(node);
}

static void no_factor(struct cast *cast, struct gz_message *message, struct gz_set_node *node)
{
    (void)node;
    *message = message_grab(&cast->child, GZ_SU, 960, 540);
    message->has |= GZ_HAS_POINTER_VALUE;
    message->pointer.value = (struct gz_value){{0}, 1};
}

static void no_view(struct cast *cast, struct gz_message *message, struct gz_set_node *node)
{
    (void)cast, (void)node;
    *message = message_camera((gz_vec3){3, 4, 10}, (gz_vec3){0, 0, 0});
    memset(message->camera.view, 0, sizeof message->camera.view);
}

static void no_projection(struct cast *cast, struct gz_message *message, struct gz_set_node *node)
{
    (void)cast, (void)node;
    *message = message_camera((gz_vec3){3, 4, 10}, (gz_vec3){0, 0, 0});
    memset(message->camera.proj, 0, sizeof message->camera.proj);
}

static void flat_view(struct cast *cast, struct gz_message *message, struct gz_set_node *node)
{
    (void)cast, (void)node;
    *message = message_camera((gz_vec3){3, 4, 10}, (gz_vec3){0, 0, 0});
    memcpy(message->camera.view + 4, message->camera.view,
           4 * sizeof(double)); /* y is seen where x is */
}

static void huge_wheel(struct cast *cast, struct gz_message *message, struct gz_set_node *node)
{
    (void)cast, (void)node;
    *message = (struct gz_message){.op = GZ_OP_WHEEL, .wheel.dy = 1e5};
}

static void tiny_wheel(struct cast *cast, struct gz_message *message, struct gz_set_node *node)
{
    (void)cast, (void)node;
    *message = (struct gz_message){.op = GZ_OP_WHEEL, .wheel.dy = -1e5};
}

/* GZ_OK: clamped by a rule. */
static const struct together together[] = {
    {"a press along no direction", no_direction, GZ_BAD_VALUE},
    {"a pick along no direction", no_direction_to_pick, GZ_BAD_VALUE},
    {"a scale of zero", no_size, GZ_OK},
    {"a scale of zero on one axis", no_depth, GZ_OK},
    {"a rotation of zero", no_rotation, GZ_BAD_VALUE},
    {"a typed factor of zero", no_factor, GZ_BAD_VALUE},
    {"a camera without a view", no_view, GZ_BAD_VALUE},
    {"a camera without a projection", no_projection, GZ_BAD_VALUE},
    {"a camera that sees a line", flat_view, GZ_BAD_VALUE},
    {"a wheel without end", huge_wheel, GZ_OK},
    {"a wheel to nothing", tiny_wheel, GZ_OK},
};

TEST_BETWEEN(test_numbers_that_cannot_be_together_are_refused_or_clamped, gather, part)
{
    struct cast *cast = *state;
    for (size_t i = 0; i < sizeof together / sizeof together[0]; i++) {
        struct gz_message message;
        struct gz_set_node node;
        struct gz_error error = {0};
        set_up(cast);
        together[i].say(cast, &message, &node);
        enum gz_status status =
            gz_client_request(cast->hostile, &message, STAGE_SECONDS, NULL, &error);
        if (status != together[i].expected)
            fail_msg("%s: %s: %s", together[i].name, gz_status_word(status), error.message);
        drag(cast);
        assert_scene_is_sane(cast, together[i].name);
    }
}
