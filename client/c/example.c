/* example.c - joins a scene, moves its first node up by a metre, shows it there before the server
 * has answered, waits until that is on disk, and takes it back; then drags the node and moves the
 * view, which shows at once as well. client_example URL SCENE */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "gizmo_client.h"

#define SECONDS 10.0

/* The first node of the scene is `node`, moved up. */
static struct gz_message move_up(const struct gz_mirror_node *first, struct gz_set_node *node)
{
    *node = (struct gz_set_node){.id = first->id, .has = GZ_HAS_SET_NODE_T, .trs = first->trs};
    node->trs.t.y += 1;
    return (struct gz_message){.op = GZ_OP_SET, .set = {.nodes = node, .count = 1}};
}

/* Where the node is expected, which no message from the server has said yet. */
static void show(const struct gz_client *client, uint64_t id, const char *what)
{
    gz_trs now;
    if (gz_client_predict_trs(client, id, &now))
        printf("%s: it stands at a height of %g m, ahead of the server\n", what, now.t.y);
}

/* `ok` comes once the edit is on stable storage. */
static enum gz_status edit(struct gz_client *client, struct gz_error *error)
{
    size_t count;
    const struct gz_mirror_node **nodes = gz_mirror_list(gz_client_mirror(client), &count);
    if (nodes == NULL || count == 0)
        return gz_fail(error, GZ_UNKNOWN_NODE, "there is no node to move");
    struct gz_set_node node;
    struct gz_message set = move_up(nodes[0], &node), undo = {.op = GZ_OP_UNDO};
    const struct gz_message *answer;
    printf("%zu nodes, the first is %s\n", count, nodes[0]->name);
    free(nodes);
    uint64_t rid;
    enum gz_status status = gz_client_send(client, &set, &rid, error);
    if (status != GZ_OK) return status;
    show(client, node.id, "moved up");
    status = gz_client_answer(client, rid, SECONDS, &answer, error);
    if (status != GZ_OK) return status;
    printf("it agrees: edit %" PRIu64 "\n", answer->ok.edit);
    status = gz_client_request(client, &undo, SECONDS, &answer, error);
    if (status == GZ_OK) printf("taken back: edit %" PRIu64 "\n", answer->ok.edit);
    return status;
}

/* A drag of the handle `ty` by half a metre, as if that had been typed. */
static enum gz_status drag(struct gz_client *client, uint64_t id, struct gz_error *error)
{
    struct gz_message grab = {.op = GZ_OP_GRAB,
                              .has = GZ_HAS_POINTER_NODES | GZ_HAS_POINTER_VALUE,
                              .pointer = {.handle = GZ_TY, .nodes = {&id, 1}, .value = {{0.5}, 1}}};
    struct gz_message up = {.op = GZ_OP_POINTER, .pointer = {.phase = GZ_PHASE_UP}};
    const struct gz_message *answer;
    enum gz_status status = gz_client_send(client, &grab, NULL, error);
    if (status != GZ_OK) return status;
    show(client, id, "dragged");
    status = gz_client_request(client, &up, SECONDS, &answer, error);
    if (status == GZ_OK) printf("it agrees: edit %" PRIu64 "\n", answer->ok.edit);
    return status;
}

/* While the tool is `orbit`, a wheel takes the camera nearer. */
static enum gz_status turn(struct gz_client *client, struct gz_error *error)
{
    struct gz_message camera = {
        .op = GZ_OP_CAMERA,
        .camera = {.view = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, -5, 1},
                   .proj = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, -1, 0, 0, -0.2, 0},
                   .viewport = {0, 0, 800, 800}}};
    struct gz_message tool = {
        .op = GZ_OP_TOOL, .has = GZ_HAS_TOOL_MODE, .tool = {.mode = GZ_MODE_ORBIT}};
    struct gz_message wheel = {.op = GZ_OP_WHEEL, .wheel = {.dy = 1}};
    double view[16];
    uint64_t rid;
    enum gz_status status = gz_client_send(client, &camera, NULL, error);
    if (status == GZ_OK) status = gz_client_send(client, &tool, NULL, error);
    if (status == GZ_OK) status = gz_client_send(client, &wheel, &rid, error);
    if (status != GZ_OK) return status;
    if (gz_client_predict_view(client, view))
        printf("nearer: the origin is %g m before the eye, ahead of the server\n", -view[14]);
    return gz_client_answer(client, rid, SECONDS, NULL, error);
}

int main(int argc, char **argv)
{
    struct gz_client *client = NULL;
    struct gz_error error = {0};
    if (argc != 3) {
        fputs("usage: client_example URL SCENE\n", stderr);
        return 2;
    }
    const struct gz_client_options options = {
        .url = argv[1], .scene = argv[2], .user = "example", .predict = true};
    enum gz_status status = gz_client_create(&client, &options, &error);
    if (status == GZ_OK)
        status = gz_client_await(client, 0, SECONDS, &error); /* until all of it is here */
    if (status == GZ_OK) status = edit(client, &error);
    if (status == GZ_OK) status = drag(client, 1, &error);
    if (status == GZ_OK) status = turn(client, &error);
    gz_client_destroy(client);
    if (status == GZ_OK) return 0;
    fprintf(stderr, "%s (%s)\n", error.message, gz_status_word(status));
    return 1;
}
