/* prediction.c - passes sent and received messages to the predictions of the selection
 * (client_selection.h), the nodes (drag_prediction.h) and the view (camera_prediction.h). See
 * prediction.h. */
#include "prediction.h"

#include "camera_prediction.h"
#include "client_selection.h"
#include "drag_prediction.h"

struct gz_prediction {
    uint64_t session;
    enum gz_role role;
    uint64_t n; /* of the latest pointer */
    struct gz_client_selection chosen;
    struct gz_drag_prediction moving;
    struct gz_camera_prediction looking;
};

static struct gz_ids selected(const struct gz_prediction *p)
{
    return (struct gz_ids){p->chosen.expected.ids, p->chosen.expected.count};
}

static void stand(struct gz_prediction *p, enum gz_handle handle)
{
    gz_drag_prediction_stand(&p->moving, selected(p), handle);
}

static bool is_orbiting(const struct gz_prediction *p)
{
    return p->moving.predict.gesture == GZ_PREDICT_ORBIT;
}

static bool may_edit(const struct gz_prediction *p)
{
    return p->role >= GZ_ROLE_EDITOR;
}

static struct gz_looked_at looked_at(const struct gz_prediction *p)
{
    return (struct gz_looked_at){&p->moving.unanswered.foreseen, selected(p), p->chosen.version};
}

/* ---- outgoing ---- */

static void take_camera(struct gz_prediction *p, const struct gz_message *message)
{
    const struct gz_camera_message *camera = &message->camera;
    struct gz_camera_input input = {.ndc_y_down = camera->ndc_y_down,
                                    .left_handed = camera->left_handed};
    memcpy(input.view, camera->view, sizeof input.view);
    memcpy(input.proj, camera->proj, sizeof input.proj);
    memcpy(input.viewport, camera->viewport, sizeof input.viewport);
    if (gz_drag_prediction_camera(&p->moving, &input))
        gz_camera_prediction_camera(&p->looking, message);
}

static void take_snap(struct gz_snap *snap, uint64_t has, const struct gz_tool_message *said)
{
    if (has & GZ_HAS_TOOL_SNAP_T) snap->t = said->snap_t;
    if (has & GZ_HAS_TOOL_SNAP_R) snap->r = said->snap_r;
    if (has & GZ_HAS_TOOL_SNAP_S) snap->s = said->snap_s;
    if (has & GZ_HAS_TOOL_SNAP_ON) snap->on = said->snap_on;
    if (has & GZ_HAS_TOOL_SNAP_ABSOLUTE) snap->absolute = said->snap_absolute;
}

static void take_tool(struct gz_prediction *p, uint64_t has, const struct gz_tool_message *said)
{
    struct gz_tool tool = p->moving.predict.tool;
    if (has & GZ_HAS_TOOL_MODE) tool.mode = said->mode;
    if (has & GZ_HAS_TOOL_SPACE) tool.space = said->space;
    if (has & GZ_HAS_TOOL_PIVOT) tool.pivot = said->pivot;
    if (has & GZ_HAS_TOOL_PIVOT) tool.pivot_point = said->pivot_point;
    if (has & GZ_HAS_TOOL_SIZE) tool.size_px = said->size;
    if (has & GZ_HAS_TOOL_TOLERANCE) tool.tolerance_px = said->tolerance;
    if (has & GZ_HAS_TOOL_EDGE) tool.edge_rad = said->edge;
    if (has & GZ_HAS_TOOL_AXIS_METHOD) tool.axis_method = said->axis_method;
    if (has & GZ_HAS_TOOL_BALL) tool.ball = said->ball;
    if (has & GZ_HAS_TOOL_BALL_FIT) tool.ball_fit = said->ball_fit;
    if (has & GZ_HAS_TOOL_ORBIT) tool.orbit = said->orbit;
    if (has & GZ_HAS_TOOL_MIRROR) tool.mirror = said->mirror;
    take_snap(&tool.snap, has, said);
    gz_predict_tool(&p->moving.predict, &tool);
    p->moving.is_stale = true; /* it may be the first tool that needs the boxes of groups */
}

static void take_select(struct gz_prediction *p, struct gz_ids nodes, enum gz_how how, uint64_t rid)
{
    gz_client_selection_change(&p->chosen, nodes, how);
    gz_client_selection_await(&p->chosen, rid);
    p->moving.is_stale = true;
}

static bool does_orbit(const struct gz_prediction *p, uint32_t mods)
{
    return p->moving.predict.tool.mode == GZ_MODE_ORBIT || (mods & (1u << GZ_MOD_ORBIT)) != 0;
}

/* A press grabs the handle under it, or selects the node that the server finds. */
static void press(struct gz_prediction *p, const struct gz_message *message,
                  const struct gz_step *step)
{
    if (gz_drag_prediction_drags(&p->moving) || is_orbiting(p) || !step->has_place) return;
    gz_drag_prediction_rest(&p->moving);
    if (does_orbit(p, step->mods)) {
        struct gz_looked_at at = looked_at(p);
        gz_camera_prediction_press(&p->looking, &p->moving.predict, &at, message->rid,
                                   &step->pointer);
        return;
    }
    enum gz_handle handle = gz_prediction_handle(p, message);
    gz_predict_point(&p->moving.predict, &step->pointer);
    gz_client_selection_press(&p->chosen, message->rid, (step->mods & (1u << GZ_MOD_ADD)) != 0);
    stand(p, handle);
    struct gz_step picked = *step;
    picked.mods |= 1u << GZ_MOD_PICKED;
    if (handle != GZ_HANDLE_NONE)
        gz_drag_prediction_press(&p->moving, message->rid, handle, &picked);
}

static void move(struct gz_prediction *p, const struct gz_step *step)
{
    if (!step->has_place) return;
    if (gz_drag_prediction_drags(&p->moving))
        gz_drag_prediction_go(&p->moving, step);
    else if (is_orbiting(p))
        gz_camera_prediction_turn(&p->looking, &p->moving.predict, &step->pointer, step->mods);
    else
        gz_predict_point(&p->moving.predict, &step->pointer);
}

static void release(struct gz_prediction *p, const struct gz_message *message,
                    const struct gz_step *step)
{
    move(p, step);
    if (gz_drag_prediction_drags(&p->moving))
        gz_drag_prediction_end(&p->moving, message);
    else if (is_orbiting(p) && step->has_place)
        gz_camera_prediction_end(&p->looking, &p->moving.predict, message->rid);
}

static void cancel(struct gz_prediction *p, const struct gz_message *message)
{
    if (gz_drag_prediction_drags(&p->moving))
        gz_drag_prediction_cancel(&p->moving, message);
    else if (is_orbiting(p))
        gz_camera_prediction_cancel(&p->looking, &p->moving.predict, message->rid);
}

static void take_pointer(struct gz_prediction *p, const struct gz_message *message)
{
    struct gz_step step = gz_step_of(message);
    switch (message->pointer.phase) {
    case GZ_PHASE_DOWN: press(p, message, &step); break;
    case GZ_PHASE_UP: release(p, message, &step); break;
    case GZ_PHASE_CANCEL: cancel(p, message); break;
    default: move(p, &step); break;
    }
}

static void take_grab(struct gz_prediction *p, const struct gz_message *message)
{
    struct gz_drag_prediction *moving = &p->moving;
    struct gz_step step = gz_step_of(message);
    enum gz_handle handle = message->pointer.handle;
    if (!gz_drag_prediction_drags(moving) && !is_orbiting(p) && may_edit(p)) {
        if (message->has & GZ_HAS_POINTER_NODES)
            take_select(p, message->pointer.nodes, GZ_HOW_SET, message->rid);
        stand(p, handle);
        gz_drag_prediction_press(moving, message->rid, handle, &step);
    }
    if (gz_drag_prediction_drags(moving) && step.is_typed && moving->running->handle == handle)
        gz_drag_prediction_go(moving, &step);
}

static void take_wheel(struct gz_prediction *p, const struct gz_message *message)
{
    bool runs = gz_drag_prediction_drags(&p->moving) || is_orbiting(p);
    if (!runs && p->moving.predict.tool.mode == GZ_MODE_ORBIT) {
        struct gz_looked_at at = looked_at(p);
        gz_camera_prediction_wheel(&p->looking, &p->moving.predict, &at, message);
    } else if (!runs && may_edit(p)) {
        stand(p, GZ_HANDLE_NONE);
        gz_drag_prediction_turn(&p->moving, message);
    }
}

void gz_prediction_number(struct gz_prediction *p, struct gz_message *message)
{
    if (message->op != GZ_OP_POINTER && message->op != GZ_OP_GRAB) return;
    if (!(message->has & GZ_HAS_POINTER_N)) message->pointer.n = p->n + 1;
    message->has |= GZ_HAS_POINTER_N;
}

bool gz_prediction_awaits(const struct gz_message *message)
{
    switch (message->op) {
    case GZ_OP_SELECT:
    case GZ_OP_GRAB:
    case GZ_OP_WHEEL:
    case GZ_OP_POSE:
    case GZ_OP_RELEASE:
    case GZ_OP_SET: return true;
    case GZ_OP_POINTER:
        return message->pointer.phase != GZ_PHASE_HOVER && message->pointer.phase != GZ_PHASE_MOVE;
    default: return false;
    }
}

/* Whether the server completes a running wheel before it handles this. */
static bool completes_wheel(enum gz_op op)
{
    static const enum gz_op ops[] = {GZ_OP_TOOL,   GZ_OP_SELECT,  GZ_OP_GRAB, GZ_OP_SET,
                                     GZ_OP_CREATE, GZ_OP_DELETE,  GZ_OP_UNDO, GZ_OP_REDO,
                                     GZ_OP_REVERT, GZ_OP_RESTORE, GZ_OP_HOLD};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (ops[i] == op) return true;
    return false;
}

void gz_prediction_sent(struct gz_prediction *p, const struct gz_message *message)
{
    if (message->op == GZ_OP_POINTER || message->op == GZ_OP_GRAB) p->n = message->pointer.n;
    if (message->op == GZ_OP_POSE && (message->has & GZ_HAS_POSE_N) != 0 && message->pose.n > p->n)
        p->n = message->pose.n; /* pointers and poses share one counter */
    if (completes_wheel(message->op)) gz_drag_prediction_rest(&p->moving);
    switch (message->op) {
    case GZ_OP_CAMERA: take_camera(p, message); break;
    case GZ_OP_TOOL: take_tool(p, message->has, &message->tool); break;
    case GZ_OP_SELECT:
        take_select(p, message->select.nodes, message->select.how, message->rid);
        break;
    case GZ_OP_POINTER: take_pointer(p, message); break;
    case GZ_OP_GRAB: take_grab(p, message); break;
    case GZ_OP_WHEEL: take_wheel(p, message); break;
    case GZ_OP_SET:
        if (may_edit(p)) gz_drag_prediction_set(&p->moving, message);
        break;
    case GZ_OP_POSE:
    case GZ_OP_RELEASE:
    case GZ_OP_CANCEL:
        if (may_edit(p)) gz_drag_prediction_hold(&p->moving, message);
        break;
    default: break;
    }
}

/* ---- incoming ---- */

/* The server has dropped messages unread, without naming them. */
static void give_up(struct gz_prediction *p)
{
    gz_drag_prediction_give_up(&p->moving);
    gz_camera_prediction_give_up(&p->looking, &p->moving.predict);
    gz_client_selection_give_up(&p->chosen);
}

static void take_answer(struct gz_prediction *p, const struct gz_message *message)
{
    uint64_t chosen = p->chosen.version;
    if (message->has & GZ_HAS_RID) {
        gz_drag_prediction_answer(&p->moving, message);
        gz_camera_prediction_answer(&p->looking, &p->moving.predict, message);
        gz_client_selection_answer(&p->chosen, message);
    } else if (message->op == GZ_OP_ERROR && message->error.code == GZ_RATE_LIMITED) {
        give_up(p);
    }
    if (chosen != p->chosen.version) p->moving.is_stale = true;
}

/* Takes the selection of the own record, if it was sent: a record of the packed form also has the
 * earlier one, which may be older than the answers since. */
static void take_presence(struct gz_prediction *p, const struct gz_message *message)
{
    const struct gz_presence *presence = &message->presence;
    if (message->has != 0 && (message->has & GZ_HAS_PERSON_SELECTION) == 0) return;
    for (size_t i = 0; i < presence->count; i++) {
        const struct gz_presence_user *user = &presence->users[i];
        if (user->session != p->session || !(user->has & GZ_HAS_PRESENCE_SELECTION)) continue;
        gz_client_selection_tell(&p->chosen, user->selection);
        p->moving.is_stale = true;
    }
}

/* A new session begins without any state. */
static void start_over(struct gz_prediction *p, const struct gz_welcome *welcome)
{
    p->session = welcome->session;
    p->role = welcome->role;
    gz_drag_prediction_clear(&p->moving);
    gz_camera_prediction_clear(&p->looking);
    gz_client_selection_clear(&p->chosen);
}

void gz_prediction_received(struct gz_prediction *p, const struct gz_message *message)
{
    switch (message->op) {
    case GZ_OP_WELCOME: start_over(p, &message->welcome); break;
    case GZ_OP_DELTA: gz_drag_prediction_delta(&p->moving, &message->delta, p->session); break;
    case GZ_OP_VIEW:
        gz_camera_prediction_tell(&p->looking, &p->moving.predict, message->view);
        break;
    case GZ_OP_PRESENCE: take_presence(p, message); break;
    case GZ_OP_OK:
    case GZ_OP_ERROR: take_answer(p, message); break;
    default: break;
    }
}

/* ---- queries ---- */

static uint64_t fields_of(const struct gz_gizmo_state *state)
{
    uint64_t has = 0;
    if (state->hover != GZ_HANDLE_NONE) has |= GZ_HAS_GIZMO_HOVER;
    if (state->active != GZ_HANDLE_NONE) has |= GZ_HAS_GIZMO_ACTIVE | GZ_HAS_GIZMO_START;
    if (state->value_count > 0) has |= GZ_HAS_GIZMO_VALUE;
    if (state->has & GZ_GIZMO_RING) has |= GZ_HAS_GIZMO_ARM | GZ_HAS_GIZMO_AXIS;
    if (state->has & GZ_GIZMO_TURN_AXES) has |= GZ_HAS_GIZMO_TURN_AXES;
    if (state->has & GZ_GIZMO_SCALE_AXES) has |= GZ_HAS_GIZMO_SCALE_AXES;
    if (state->has & GZ_GIZMO_BOX) has |= GZ_HAS_GIZMO_BOX;
    return has;
}

static void write_gizmo(const struct gz_gizmo_state *state, struct gz_gizmo_message *gizmo)
{
    *gizmo = (struct gz_gizmo_message){
        .mode = state->mode,
        .space = state->space,
        .origin = state->origin,
        .size = state->size,
        .handles = state->handles,
        .hover = state->hover,
        .active = state->active,
        .value = {{state->value[0], state->value[1]}, state->value_count},
        .start = state->start,
        .arm = state->arm,
        .axis = state->axis,
    };
    memcpy(gizmo->axes, state->axes, sizeof gizmo->axes);
    memcpy(gizmo->turn_axes, state->turn_axes, sizeof gizmo->turn_axes);
    memcpy(gizmo->scale_axes, state->scale_axes, sizeof gizmo->scale_axes);
    memcpy(gizmo->box, state->box, sizeof gizmo->box);
}

bool gz_prediction_gizmo(struct gz_prediction *p, struct gz_message *gizmo)
{
    struct gz_gizmo_state state;
    stand(p, GZ_HANDLE_NONE);
    if (!may_edit(p) || !gz_predict_gizmo(&p->moving.predict, &state)) return false;
    *gizmo = (struct gz_message){.op = GZ_OP_GIZMO, .has = fields_of(&state)};
    write_gizmo(&state, &gizmo->gizmo);
    return true;
}

enum gz_handle gz_prediction_handle(struct gz_prediction *p, const struct gz_message *message)
{
    struct gz_step step = gz_step_of(message);
    stand(p, GZ_HANDLE_NONE);
    if (!may_edit(p) || !step.has_place) return GZ_HANDLE_NONE;
    return gz_predict_pick(&p->moving.predict, &step.pointer);
}

bool gz_prediction_trs(const struct gz_prediction *p, uint64_t id, gz_trs *trs)
{
    return gz_predicted_trs(&p->moving.unanswered.foreseen, id, trs);
}

bool gz_prediction_world(const struct gz_prediction *p, uint64_t id, gz_affine *world)
{
    return gz_predicted_world(&p->moving.unanswered.foreseen, id, world);
}

bool gz_prediction_view(const struct gz_prediction *p, double view[16])
{
    const struct gz_predict *predict = &p->moving.predict;
    if (predict->has_camera) memcpy(view, predict->camera.input.view, 16 * sizeof *view);
    return predict->has_camera;
}

uint64_t gz_prediction_corrections(const struct gz_prediction *p)
{
    return p->moving.unanswered.corrections + p->looking.corrections;
}

/* ---- beginning and end ---- */

struct gz_prediction *gz_prediction_create(const struct gz_mirror *mirror)
{
    struct gz_prediction *p = calloc(1, sizeof *p);
    if (p != NULL) gz_drag_prediction_init(&p->moving, mirror);
    return p;
}

void gz_prediction_destroy(struct gz_prediction *p)
{
    if (p == NULL) return;
    gz_drag_prediction_finish(&p->moving);
    gz_client_selection_finish(&p->chosen);
    free(p);
}
