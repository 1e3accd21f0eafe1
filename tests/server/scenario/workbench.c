/* workbench.c - two users in a scene of four nodes, one of whom predicts. See workbench.h. */
#include "workbench.h"

#include <stdio.h>

struct gz_client *bench_join(struct stage *stage, const char *url, const char *user, bool predict)
{
    char scene[32];
    snprintf(scene, sizeof scene, "bench-%u", stage->benches);
    struct gz_client_options options = {.url = url,
                                        .scene = scene,
                                        .user = user,
                                        .create = true,
                                        .predict = predict,
                                        .timeout_s = STAGE_SECONDS};
    struct gz_client *client;
    struct gz_error error = {0};
    stage_check(gz_client_create(&client, &options, &error), &error, "join");
    stage->clients[stage->count++] = client;
    stage_check(gz_client_await(client, 0, STAGE_SECONDS, &error), &error, "first delta");
    return client;
}

/* Returns the number of a pointer. */
uint64_t bench_send(struct gz_client *client, struct gz_message message)
{
    struct gz_error error = {0};
    stage_check(gz_client_send(client, &message, NULL, &error), &error, gz_op_word(message.op));
    return message.pointer.n;
}

struct gz_message message_select(const uint64_t *id)
{
    return (struct gz_message){.op = GZ_OP_SELECT, .select = {.nodes = {id, 1}, .how = GZ_HOW_SET}};
}

struct gz_message message_tool(enum gz_mode mode, enum gz_space space)
{
    return (struct gz_message){.op = GZ_OP_TOOL,
                               .has = GZ_HAS_TOOL_MODE | GZ_HAS_TOOL_SPACE,
                               .tool = {.mode = mode, .space = space}};
}

/* Places that no rounding is kind to. */
static void place(struct gz_client *client, uint64_t id, double angle, double scale)
{
    struct gz_set_node node = {.id = id, .has = GZ_HAS_SET_NODE_R | GZ_HAS_SET_NODE_S};
    gz_vec3 axis;
    assert_true(gz_normalize((gz_vec3){1, 2, 3}, &axis));
    node.trs.r = gz_quat_about(axis, angle);
    node.trs.s = (gz_vec3){scale, scale, scale};
    stage_ask(client, message_set_t(&node));
}

struct bench bench_set_up(struct stage *stage, enum gz_mode mode, enum gz_space space)
{
    stage->benches++;
    struct bench bench = {.bob = bench_join(stage, stage->daemon.url, "bob", false)};
    struct gz_client *bob = bench.bob;
    bench.table = stage_create(bob, "table", 0, (gz_vec3){0.1, -0.2, 0.3});
    bench.lamp = stage_create(bob, "lamp", bench.table, (gz_vec3){0.3, 0.7, -0.1});
    bench.bulb = stage_create(bob, "bulb", bench.lamp, (gz_vec3){-0.4, 0.3, 0.2});
    bench.box = stage_create(bob, "box", 0, (gz_vec3){2, 0, 0});
    place(bob, bench.table, 0.3, 1.1);
    place(bob, bench.lamp, -0.7, 0.9);
    bench.ada = bench_join(stage, stage->daemon.url, "ada", true);
    bench_send(bench.ada, message_camera(EYE, (gz_vec3){0, 0, 0}));
    bench_send(bench.ada, message_tool(mode, space));
    return bench;
}

gz_trs bench_expected(const struct gz_client *client, uint64_t id)
{
    gz_trs trs;
    assert_true(gz_client_predict_trs(client, id, &trs));
    return trs;
}

void bench_grab(const struct bench *bench, const uint64_t *id, enum gz_handle handle)
{
    bench_send(bench->ada, message_grab(id, handle, MIDDLE_X, MIDDLE_Y));
}

uint64_t bench_drag(const struct bench *bench, int from, int to)
{
    uint64_t n = 0;
    for (int i = from; i < to; i++)
        n = bench_send(bench->ada,
                       message_pointer(GZ_PHASE_MOVE, MIDDLE_X + 7.3 * i, MIDDLE_Y - 3.1 * i));
    return n;
}

/* Waits until the server has acknowledged a pointer of the client. */
void bench_await_ack(struct gz_client *client, uint64_t n)
{
    uint64_t session = gz_client_welcome(client)->session;
    const struct gz_message *message;
    while ((message = gz_client_next(client, STAGE_SECONDS)) != NULL) {
        for (size_t i = 0; message->op == GZ_OP_DELTA && i < message->delta.ack_count; i++) {
            const struct gz_ack *ack = &message->delta.acks[i];
            if (ack->session == session && ack->n >= n) return;
        }
    }
    fail_msg("pointer %llu is not acknowledged", (unsigned long long)n);
}

/* Ends the drag; its edit is stored, and what the server said of it is in the mirror. */
void bench_release(const struct bench *bench)
{
    stage_ask(bench->ada, message_pointer(GZ_PHASE_UP, MIDDLE_X + 150, MIDDLE_Y - 70));
}

/* Both expect the same of a node: nothing is foreseen any more. */
void assert_settled(const struct gz_client *client, uint64_t id)
{
    gz_trs trs = bench_expected(client, id);
    assert_same_trs(&trs, &node_in(client, id)->trs, "what is foreseen and what the server says");
}
