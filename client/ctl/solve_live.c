/* solve_live.c - has a daemon answer one drag for `gizmoctl solve`. */
#include <string.h>

#include "solve.h"

/* Keeps the last hover of this session's gizmo. */
static void handle_message(void *context, const struct gz_message *message)
{
    enum gz_handle *hover = context;
    if (message->op == GZ_OP_GIZMO)
        *hover = message->has & GZ_HAS_GIZMO_HOVER ? message->gizmo.hover : GZ_HANDLE_NONE;
}

static enum gz_status request(struct gz_client *client, struct gz_message *message,
                              struct gz_error *error)
{
    return gz_client_request(client, message, CTL_ANSWER_SECONDS, NULL, error);
}

/* Waits for a whole turn of the server: answers in a turn and news at its end may come in either
 * order, but both are here once a later request is answered. */
static enum gz_status settle(struct gz_client *client, struct gz_error *error)
{
    struct gz_message first = {.op = GZ_OP_PING}, second = {.op = GZ_OP_PING};
    enum gz_status status = request(client, &first, error);
    return status == GZ_OK ? request(client, &second, error) : status;
}

static enum gz_status create(struct gz_client *client, const gz_trs *object, uint64_t *id,
                             struct gz_error *error)
{
    struct gz_create_node node = {.has = GZ_HAS_CREATE_NODE_T | GZ_HAS_CREATE_NODE_R |
                                         GZ_HAS_CREATE_NODE_S,
                                  .name = gz_client_text("solve"),
                                  .trs = *object};
    struct gz_message message = {.op = GZ_OP_CREATE, .create = {&node, 1}};
    const struct gz_message *answer;
    enum gz_status status = gz_client_request(client, &message, CTL_ANSWER_SECONDS, &answer, error);
    if (status != GZ_OK) return status;
    if (answer->ok.ids.count != 1)
        return gz_fail(error, GZ_INTERNAL, "the server's answer to create has no id");
    *id = answer->ok.ids.ids[0];
    uint64_t seq = answer->ok.seq;
    return gz_client_await(client, seq, CTL_ANSWER_SECONDS, error);
}

static enum gz_mode mode_of(enum gz_handle handle)
{
    if (handle == GZ_RB) return GZ_MODE_ARCBALL;
    if (handle <= GZ_TV) return GZ_MODE_TRANSLATE;
    return handle <= GZ_RV ? GZ_MODE_ROTATE : GZ_MODE_SCALE;
}

static enum gz_status set_up(struct gz_client *client, const struct gz_replay_case *replay,
                             struct gz_error *error)
{
    struct gz_message camera = {.op = GZ_OP_CAMERA};
    memcpy(camera.camera.view, replay->camera.view, sizeof camera.camera.view);
    memcpy(camera.camera.proj, replay->camera.proj, sizeof camera.camera.proj);
    memcpy(camera.camera.viewport, replay->camera.viewport, sizeof camera.camera.viewport);
    struct gz_message tool = {
        .op = GZ_OP_TOOL,
        .has = GZ_HAS_TOOL_MODE | GZ_HAS_TOOL_SPACE | GZ_HAS_TOOL_SIZE | GZ_HAS_TOOL_BALL |
               GZ_HAS_TOOL_BALL_FIT | GZ_HAS_TOOL_EDGE,
        .tool = {.mode = mode_of(replay->handle),
                 .space = replay->space,
                 .size = replay->gizmo_px,
                 .ball = replay->ball},
    };
    /* An edge of 0 asks for the exact laws. On the wire a ball has its radius from the tool's size
     * and its centre from the pivot; the ball that turns by the arc once and is clamped to the rim
     * is Chen's. */
    if (replay->handle == GZ_RB && replay->ball_circle[2] > 0)
        tool.tool.size = replay->ball_circle[2];
    if (replay->ball == GZ_BALL_SHOEMAKE_SINGLE) tool.tool.ball = GZ_BALL_CHEN;
    enum gz_status status = request(client, &camera, error);
    return status == GZ_OK ? request(client, &tool, error) : status;
}

static struct gz_message pointer(enum gz_phase phase, const double *at)
{
    return (struct gz_message){.op = GZ_OP_POINTER,
                               .has = GZ_HAS_POINTER_AT,
                               .pointer = {.phase = phase, .at = {at[0], at[1]}}};
}

/* Finds the handle at the start by hovering there. */
static enum gz_status hover(struct gz_client *client, const struct gz_replay_case *replay,
                            uint64_t id, enum gz_handle *found, struct gz_error *error)
{
    struct gz_message select = {.op = GZ_OP_SELECT,
                                .select = {.nodes = {&id, 1}, .how = GZ_HOW_SET}};
    struct gz_message here = pointer(GZ_PHASE_HOVER, replay->start);
    gz_client_set_handler(client, handle_message, found);
    enum gz_status status = request(client, &select, error);
    if (status == GZ_OK) status = request(client, &here, error);
    if (status == GZ_OK) status = settle(client, error);
    gz_client_set_handler(client, NULL, NULL);
    return status;
}

static void take_row(const struct gz_client *client, const struct gz_replay_case *replay,
                     uint64_t id, double row[GZ_REPLAY_ROW])
{
    const struct gz_mirror_node *node = gz_mirror_find(gz_client_mirror(client), id);
    if (node == NULL) return;
    memcpy(row, &node->trs.t, 3 * sizeof *row);
    gz_quat r = gz_replay_turn(replay, node->trs.r);
    memcpy(row + 3, &r, sizeof r);
    memcpy(row + 7, &node->trs.s, 3 * sizeof *row);
}

static enum gz_status drag(struct gz_client *client, struct solve_case *one, uint64_t id,
                           struct gz_error *error)
{
    struct gz_message grab = pointer(GZ_PHASE_DOWN, one->replay.start);
    grab.op = GZ_OP_GRAB;
    grab.pointer.handle = one->replay.handle;
    enum gz_status status = request(client, &grab, error);
    /* A refused press starts no drag: every row is the start. */
    bool grabbed = status == GZ_OK;
    if (!grabbed && gz_client_is_open(client)) status = GZ_OK;
    /* Three messages a point, and the server limits messages per second. */
    double pause = 4.0 / (double)gz_client_welcome(client)->messages_per_s, due = ctl_now();
    for (size_t i = 0; status == GZ_OK && i < one->replay.path_count; i++) {
        struct gz_message move = pointer(GZ_PHASE_MOVE, one->path[i]);
        if (grabbed) ctl_wait_until(client, due += pause);
        if (grabbed) status = gz_client_send(client, &move, NULL, error);
        if (grabbed && status == GZ_OK) status = settle(client, error);
        take_row(client, &one->replay, id, one->rows[i]);
    }
    struct gz_message cancel = {.op = GZ_OP_POINTER, .pointer.phase = GZ_PHASE_CANCEL};
    return status == GZ_OK && grabbed ? request(client, &cancel, error) : status;
}

enum gz_status solve_live(struct gz_client *client, struct solve_case *one, enum gz_handle *grabbed,
                          struct gz_error *error)
{
    uint64_t id = 0;
    *grabbed = GZ_HANDLE_NONE;
    enum gz_status status = create(client, &one->replay.object, &id, error);
    if (status != GZ_OK) return status;
    status = set_up(client, &one->replay, error);
    if (status == GZ_OK) status = hover(client, &one->replay, id, grabbed, error);
    if (status == GZ_OK) status = drag(client, one, id, error);
    if (!gz_client_is_open(client)) return status;
    struct gz_message remove = {.op = GZ_OP_DELETE, .remove = {&id, 1}};
    enum gz_status removed = request(client, &remove, status == GZ_OK ? error : NULL);
    return status == GZ_OK ? removed : status;
}
