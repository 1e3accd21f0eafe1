/* prediction.c - keeps what was sent and not answered, and solves it. See prediction.h. */
#include "prediction.h"

#include "predict/predict.h"
#include "tops.h"

/* Gestures that the server has not answered to the end; with more the oldest is given up. */
#define GESTURES_MAX 16
/* Steps of a gesture that the server has not acknowledged: a second or more. What is older is not
 * compared. */
#define STEPS_MAX 256

/* A pointer or a typed value, and what it made of the drag. */
struct step {
    uint64_t n;
    bool has_place, is_typed;
    struct gz_pointer pointer;
    uint32_t mods;
    struct gz_value value;
    struct gz_motion motion;
};

struct gesture {
    uint64_t number;       /* counts up; 0: answered */
    uint64_t rid, end_rid; /* of its press and of its end */
    uint64_t end_n;        /* the pointer that ends it; 0 while it runs */
    bool is_seated;        /* the server has answered a pointer of it */
    enum gz_handle handle;
    struct step press;
};

/* A node at the press: where it was expected, where the server had it, and by how much the server
 * then had it elsewhere than the drag takes it. */
struct start {
    gz_trs local, told, offset;
};

struct ids {
    uint64_t *ids;
    size_t count, capacity;
};

struct gz_prediction {
    uint64_t session;
    enum gz_role role;
    struct gz_predict predict;
    struct gz_foreseen foreseen;
    uint64_t n; /* of the latest pointer */

    struct ids selected, told; /* as foreseen, and as the server last said */
    uint64_t choice;           /* rid of the latest message that selects, 0 once it is answered */
    bool presses, adds;        /* it is a press; the node that it meets is added */

    struct gz_tops tops;
    bool stale; /* the tops may be others, or elsewhere */

    struct gesture gestures[GESTURES_MAX], *running;
    uint64_t gesture_count;
    size_t first_step, step_count;
    struct step steps[STEPS_MAX];
    struct start *starts; /* of the tops of the running one */
    uint64_t corrections;
};

/* ---- ids ---- */

static bool ids_add(struct ids *list, uint64_t id)
{
    if (!gz_grow(&list->ids, &list->capacity, list->count + 1, sizeof *list->ids)) return false;
    list->ids[list->count++] = id;
    return true;
}

static bool ids_have(struct gz_ids list, uint64_t id)
{
    for (size_t i = 0; i < list.count; i++)
        if (list.ids[i] == id) return true;
    return false;
}

static void ids_set(struct ids *list, struct gz_ids to)
{
    list->count = 0;
    for (size_t i = 0; i < to.count; i++)
        if (!ids_add(list, to.ids[i])) list->count = 0;
}

static struct gz_ids ids_of(const struct ids *list)
{
    return (struct gz_ids){list->ids, list->count};
}

/* ---- the selection ---- */

/* Those that are named leave the selection and, unless they are only removed, come to its end. */
static void change_selection(struct gz_prediction *p, struct gz_ids named, enum gz_how how)
{
    struct ids next = {0};
    bool fits = true;
    for (size_t i = 0; how != GZ_HOW_SET && i < p->selected.count; i++)
        if (!ids_have(named, p->selected.ids[i])) fits &= ids_add(&next, p->selected.ids[i]);
    for (size_t i = 0; how != GZ_HOW_REMOVE && i < named.count; i++) {
        bool leaves = how == GZ_HOW_TOGGLE && ids_have(ids_of(&p->selected), named.ids[i]);
        if (!leaves && !ids_have(ids_of(&next), named.ids[i])) fits &= ids_add(&next, named.ids[i]);
    }
    if (!fits) next.count = 0;
    free(p->selected.ids);
    p->selected = next;
    p->stale = true;
}

/* The server says what is selected; what it has not answered yet counts more. */
static void take_selection(struct gz_prediction *p, struct gz_ids ids)
{
    ids_set(&p->told, ids);
    if (p->choice != 0) return;
    ids_set(&p->selected, ids);
    p->stale = true;
}

/* ---- what the gizmo stands on ---- */

static bool is_dragging(const struct gz_prediction *p)
{
    return p->predict.gesture == GZ_PREDICT_DRAG;
}

static bool groups_matter(const struct gz_tool *tool, enum gz_handle handle)
{
    return tool->mode == GZ_MODE_BOUNDS || tool->pivot == GZ_PIVOT_BOUNDS || handle >= GZ_BXN;
}

static void set_targets(struct gz_prediction *p)
{
    struct gz_tops *tops = &p->tops;
    if (!gz_predict_targets(&p->predict, tops->targets, tops->count,
                            tops->count > 0 ? tops->count - 1 : 0))
        (void)gz_predict_targets(&p->predict, NULL, 0, 0);
}

/* Finds the tops for a gizmo, or for the press of a handle. A drag holds its own. */
static void stand(struct gz_prediction *p, enum gz_handle handle)
{
    bool with_groups = groups_matter(&p->predict.tool, handle);
    if (is_dragging(p) || (!p->stale && handle < GZ_BXN)) return;
    p->stale =
        !gz_tops_find(&p->tops, &p->foreseen, p->selected.ids, p->selected.count, with_groups);
    set_targets(p);
}

/* ---- gestures ---- */

static void forget_gesture(struct gz_prediction *p, struct gesture *gesture)
{
    if (gesture->number == 0) return;
    if (p->running == gesture) {
        gz_predict_end(&p->predict);
        p->running = NULL;
    }
    if (!gz_foreseen_drop(&p->foreseen, gesture->number)) p->corrections++;
    *gesture = (struct gesture){0};
    p->stale = true;
}

static struct gesture *add_gesture(struct gz_prediction *p)
{
    struct gesture *gesture = &p->gestures[++p->gesture_count % GESTURES_MAX];
    forget_gesture(p, gesture);
    gesture->number = p->gesture_count;
    return gesture;
}

static gz_trs offset_by(const gz_trs *pose, const gz_trs *offset)
{
    if (gz_trs_same(offset, &gz_trs_identity)) return *pose;
    return (gz_trs){gz_add(pose->t, offset->t), gz_quat_multiply(offset->r, pose->r),
                    gz_times(pose->s, offset->s)};
}

/* What has to be added to the pose for the node to be where the server has it. */
static gz_trs offset_from(const gz_trs *pose, const gz_trs *told)
{
    gz_vec3 s = {told->s.x / pose->s.x, told->s.y / pose->s.y, told->s.z / pose->s.z};
    return (gz_trs){gz_sub(told->t, pose->t), gz_quat_multiply(told->r, gz_quat_conjugate(pose->r)),
                    s};
}

static void show(struct gz_prediction *p)
{
    bool shown = true;
    for (size_t i = 0; i < p->tops.count; i++) {
        gz_trs trs = offset_by(&p->predict.poses[i], &p->starts[i].offset);
        shown &= gz_foreseen_put(&p->foreseen, p->tops.ids[i], &trs, p->running->number);
    }
    if (!shown) forget_gesture(p, p->running);
}

static bool keep_starts(struct gz_prediction *p)
{
    size_t count = p->tops.count;
    free(p->starts);
    p->starts = malloc(count * sizeof *p->starts);
    if (p->starts == NULL) return false;
    for (size_t i = 0; i < count; i++) {
        const struct gz_mirror_node *told = gz_mirror_find(p->foreseen.mirror, p->tops.ids[i]);
        p->starts[i] = (struct start){p->tops.targets[i].local, told->trs, gz_trs_identity};
    }
    return true;
}

static bool solve_press(struct gz_prediction *p, struct gesture *gesture)
{
    const struct step *press = &gesture->press;
    return keep_starts(p) &&
           gz_predict_press(&p->predict, gesture->handle, press->has_place ? &press->pointer : NULL,
                            press->mods) != GZ_SOLVE_NONE;
}

static void begin(struct gz_prediction *p, const struct gz_message *message, enum gz_handle handle,
                  const struct step *press)
{
    stand(p, handle);
    p->step_count = 0;
    if (p->tops.count == 0) return;
    struct gesture *gesture = add_gesture(p);
    gesture->rid = message->rid;
    gesture->handle = handle;
    gesture->press = *press;
    p->running = gesture;
    if (solve_press(p, gesture))
        show(p);
    else
        forget_gesture(p, gesture);
}

static void solve(struct gz_prediction *p, struct step *step)
{
    if (step->is_typed)
        (void)gz_predict_value(&p->predict, step->value.numbers, (int)step->value.count);
    else
        (void)gz_predict_move(&p->predict, &step->pointer, step->mods);
    step->motion = p->predict.motion;
}

/* Solves a step of the running gesture and remembers it. */
static void go(struct gz_prediction *p, const struct step *step)
{
    if (p->step_count == STEPS_MAX) {
        p->first_step++;
        p->step_count--;
    }
    struct step *place = &p->steps[(p->first_step + p->step_count++) % STEPS_MAX];
    *place = *step;
    solve(p, place);
    show(p);
}

/* Somebody moved the nodes before the server had the press: solves the gesture again from where
 * they are now. */
static void press_again(struct gz_prediction *p)
{
    struct gesture *gesture = p->running;
    gz_predict_end(&p->predict);
    (void)gz_foreseen_drop(&p->foreseen, gesture->number);
    p->corrections++;
    bool there = gz_tops_follow(&p->tops, &p->foreseen);
    if (there) set_targets(p);
    if (!there || !solve_press(p, gesture)) {
        forget_gesture(p, gesture);
        return;
    }
    for (size_t i = 0; i < p->step_count; i++) solve(p, &p->steps[(p->first_step + i) % STEPS_MAX]);
    show(p);
}

static void end(struct gz_prediction *p, const struct gz_message *message)
{
    struct gesture *gesture = p->running;
    gz_predict_end(&p->predict);
    p->running = NULL;
    p->stale = true;
    gesture->end_n = message->pointer.n;
    gesture->end_rid = message->rid;
}

/* The nodes go back to where they were at the press. */
static void cancel(struct gz_prediction *p, const struct gz_message *message)
{
    uint64_t number = p->running->number;
    bool shown = true;
    for (size_t i = 0; i < p->tops.count; i++)
        shown &= gz_foreseen_put(&p->foreseen, p->tops.ids[i], &p->starts[i].local, number);
    struct gesture *gesture = p->running;
    end(p, message);
    gesture->end_rid = 0; /* the ok comes before the delta that takes the nodes back */
    if (!shown) forget_gesture(p, gesture);
}

/* ---- what is sent ---- */

static void take_camera(struct gz_prediction *p, const struct gz_camera_message *camera)
{
    struct gz_camera_input input = {.ndc_y_down = camera->ndc_y_down,
                                    .left_handed = camera->left_handed};
    memcpy(input.view, camera->view, sizeof input.view);
    memcpy(input.proj, camera->proj, sizeof input.proj);
    memcpy(input.viewport, camera->viewport, sizeof input.viewport);
    (void)gz_predict_camera(&p->predict, &input, NULL);
    if (p->running != NULL) show(p);
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
    struct gz_tool tool = p->predict.tool;
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
    gz_predict_tool(&p->predict, &tool);
    p->stale = true; /* it may be the first one for which boxes of groups count */
}

static struct step step_of(const struct gz_message *message)
{
    const double *ray = message->pointer.ray;
    struct step step = {.n = message->pointer.n,
                        .mods = (uint32_t)message->pointer.mods,
                        .value = message->pointer.value,
                        .is_typed = (message->has & GZ_HAS_POINTER_VALUE) != 0,
                        .pointer.is_ray = (message->has & GZ_HAS_POINTER_RAY) != 0};
    step.has_place = step.pointer.is_ray || (message->has & GZ_HAS_POINTER_AT) != 0;
    memcpy(step.pointer.at, message->pointer.at, sizeof step.pointer.at);
    step.pointer.origin = (gz_vec3){ray[0], ray[1], ray[2]};
    step.pointer.direction = (gz_vec3){ray[3], ray[4], ray[5]};
    return step;
}

static void choose(struct gz_prediction *p, const struct gz_message *message)
{
    p->choice = message->rid;
    p->presses = false;
}

/* Without a handle under it, a press selects what the server finds there, or orbits. */
static void press(struct gz_prediction *p, const struct gz_message *message,
                  const struct step *step)
{
    bool orbits = p->predict.tool.mode == GZ_MODE_ORBIT || (step->mods & (1u << GZ_MOD_ORBIT)) != 0;
    if (p->running != NULL || !step->has_place || orbits) return;
    enum gz_handle handle = gz_prediction_handle(p, message);
    gz_predict_point(&p->predict, &step->pointer);
    choose(p, message);
    p->presses = true;
    p->adds = (step->mods & (1u << GZ_MOD_ADD)) != 0;
    if (handle != GZ_HANDLE_NONE) begin(p, message, handle, step);
}

static void move(struct gz_prediction *p, const struct step *step)
{
    if (!step->has_place) return;
    if (p->running != NULL)
        go(p, step);
    else
        gz_predict_point(&p->predict, &step->pointer);
}

static void take_pointer(struct gz_prediction *p, const struct gz_message *message)
{
    struct step step = step_of(message);
    switch (message->pointer.phase) {
    case GZ_PHASE_DOWN: press(p, message, &step); break;
    case GZ_PHASE_UP:
        move(p, &step);
        if (p->running != NULL) end(p, message);
        break;
    case GZ_PHASE_CANCEL:
        if (p->running != NULL) cancel(p, message);
        break;
    default: move(p, &step); break;
    }
}

static void take_grab(struct gz_prediction *p, const struct gz_message *message)
{
    struct step step = step_of(message);
    enum gz_handle handle = message->pointer.handle;
    if (p->running == NULL && p->role >= GZ_ROLE_EDITOR) {
        if (message->has & GZ_HAS_POINTER_NODES) {
            change_selection(p, message->pointer.nodes, GZ_HOW_SET);
            choose(p, message);
        }
        begin(p, message, handle, &step);
    }
    if (p->running != NULL && step.is_typed && p->running->handle == handle) go(p, &step);
}

void gz_prediction_number(struct gz_prediction *p, struct gz_message *message)
{
    if (message->op != GZ_OP_POINTER && message->op != GZ_OP_GRAB) return;
    if (!(message->has & GZ_HAS_POINTER_N)) message->pointer.n = p->n + 1;
    message->has |= GZ_HAS_POINTER_N;
}

bool gz_prediction_awaits(const struct gz_message *message)
{
    if (message->op == GZ_OP_SELECT || message->op == GZ_OP_GRAB) return true;
    return message->op == GZ_OP_POINTER && message->pointer.phase != GZ_PHASE_HOVER &&
           message->pointer.phase != GZ_PHASE_MOVE;
}

void gz_prediction_sent(struct gz_prediction *p, const struct gz_message *message)
{
    if (message->op == GZ_OP_POINTER || message->op == GZ_OP_GRAB) p->n = message->pointer.n;
    switch (message->op) {
    case GZ_OP_CAMERA: take_camera(p, &message->camera); break;
    case GZ_OP_TOOL: take_tool(p, message->has, &message->tool); break;
    case GZ_OP_SELECT:
        change_selection(p, message->select.nodes, message->select.how);
        choose(p, message);
        break;
    case GZ_OP_POINTER: take_pointer(p, message); break;
    case GZ_OP_GRAB: take_grab(p, message); break;
    default: break;
    }
}

/* ---- what comes ---- */

/* What the pointer made of the drag; it and those before it are done with. */
static bool find_motion(struct gz_prediction *p, uint64_t n, struct gz_motion *motion)
{
    bool found = false;
    while (p->step_count > 0) {
        const struct step *step = &p->steps[p->first_step % STEPS_MAX];
        if (step->n > n) break;
        found = step->n == n;
        *motion = step->motion;
        p->first_step++;
        p->step_count--;
    }
    return found;
}

/* Whether the server has the node where the pointer `n` has taken it; if not, what comes after it
 * is expected as far from there as the server has it now. */
static bool compare_node(struct gz_prediction *p, size_t i, const struct gz_motion *motion)
{
    gz_trs pose;
    const struct gz_mirror_node *told = gz_mirror_find(p->foreseen.mirror, p->tops.ids[i]);
    if (told == NULL || !gz_predict_apply(&p->predict, motion, i, &p->starts[i].local, NULL, &pose))
        return true;
    gz_trs expected = offset_by(&pose, &p->starts[i].offset);
    if (gz_trs_near(&told->trs, &expected)) return true;
    p->starts[i].offset = offset_from(&pose, &told->trs);
    return false;
}

static void compare(struct gz_prediction *p, uint64_t n)
{
    struct gz_motion motion;
    bool as_expected = true;
    if (p->running == NULL || !find_motion(p, n, &motion)) return;
    p->running->is_seated = true;
    for (size_t i = 0; i < p->tops.count; i++) as_expected &= compare_node(p, i, &motion);
    if (as_expected) return;
    p->corrections++;
    show(p);
}

static void take_ack(struct gz_prediction *p, uint64_t n)
{
    for (size_t i = 0; i < GESTURES_MAX; i++) {
        struct gesture *gesture = &p->gestures[i];
        if (gesture->end_n != 0 && gesture->end_n <= n) forget_gesture(p, gesture);
    }
    compare(p, n);
}

/* Whether somebody else has moved a node of the running gesture since the press. */
static bool was_moved_before(const struct gz_prediction *p)
{
    for (size_t i = 0; i < p->tops.count; i++) {
        const struct gz_mirror_node *told = gz_mirror_find(p->foreseen.mirror, p->tops.ids[i]);
        bool is_others = told != NULL && told->by != p->session;
        if (is_others && !gz_trs_same(&told->trs, &p->starts[i].told)) return true;
    }
    return false;
}

/* The running gesture goes along with what others moved. */
static void follow(struct gz_prediction *p)
{
    if (!p->running->is_seated && was_moved_before(p)) {
        press_again(p);
    } else if (gz_tops_follow(&p->tops, &p->foreseen)) {
        set_targets(p);
        show(p);
    } else {
        forget_gesture(p, p->running);
    }
}

static void take_delta(struct gz_prediction *p, const struct gz_delta *delta)
{
    p->stale = true;
    if (p->running != NULL && (delta->count > 0 || delta->gone.count > 0)) follow(p);
    for (size_t i = 0; i < delta->ack_count; i++)
        if (delta->acks[i].session == p->session) take_ack(p, delta->acks[i].n);
}

/* What the server did with a press: it has grabbed a handle, or selected. */
static void take_press(struct gz_prediction *p, const struct gz_message *message)
{
    struct gz_ids hit = {&message->ok.hit, (message->has & GZ_HAS_OK_HIT) != 0};
    if (message->has & GZ_HAS_OK_HANDLE) return;
    if (hit.count > 0 || !p->adds) change_selection(p, hit, p->adds ? GZ_HOW_ADD : GZ_HOW_SET);
}

static void take_choice(struct gz_prediction *p, const struct gz_message *message)
{
    p->choice = 0;
    if (message->op == GZ_OP_ERROR) {
        change_selection(p, ids_of(&p->told), GZ_HOW_SET);
        return;
    }
    if (p->presses) take_press(p, message);
    ids_set(&p->told, ids_of(&p->selected));
}

/* The server has dropped messages of a flood unread, and does not say which. */
static void forget_all(struct gz_prediction *p)
{
    for (size_t i = 0; i < GESTURES_MAX; i++) forget_gesture(p, &p->gestures[i]);
    p->choice = 0;
    change_selection(p, ids_of(&p->told), GZ_HOW_SET);
}

static void take_answer(struct gz_prediction *p, const struct gz_message *message)
{
    bool has_handle = message->op == GZ_OP_OK && (message->has & GZ_HAS_OK_HANDLE) != 0;
    if (!(message->has & GZ_HAS_RID)) {
        if (message->op == GZ_OP_ERROR && message->error.code == GZ_RATE_LIMITED) forget_all(p);
        return;
    }
    for (size_t i = 0; i < GESTURES_MAX; i++) {
        struct gesture *gesture = &p->gestures[i];
        bool is_other = !has_handle || message->ok.handle != gesture->handle;
        if (gesture->end_rid == message->rid || (gesture->rid == message->rid && is_other))
            forget_gesture(p, gesture);
    }
    if (p->choice == message->rid) take_choice(p, message);
}

static void take_presence(struct gz_prediction *p, const struct gz_presence *presence)
{
    for (size_t i = 0; i < presence->count; i++) {
        const struct gz_presence_user *user = &presence->users[i];
        if (user->session == p->session && (user->has & GZ_HAS_PRESENCE_SELECTION))
            take_selection(p, user->selection);
    }
}

static void take_view(struct gz_prediction *p, const double view[16])
{
    struct gz_camera_input input = p->predict.camera.input;
    if (!p->predict.has_camera) return;
    memcpy(input.view, view, sizeof input.view);
    (void)gz_predict_camera(&p->predict, &input, NULL);
}

/* A session begins with nothing. */
static void start_over(struct gz_prediction *p, const struct gz_welcome *welcome)
{
    p->session = welcome->session;
    p->role = welcome->role;
    gz_predict_finish(&p->predict);
    gz_records_clear(&p->foreseen.nodes);
    memset(p->gestures, 0, sizeof p->gestures);
    p->running = NULL;
    p->selected.count = p->told.count = p->step_count = 0;
    p->choice = 0;
    p->stale = true;
}

void gz_prediction_received(struct gz_prediction *p, const struct gz_message *message)
{
    switch (message->op) {
    case GZ_OP_WELCOME: start_over(p, &message->welcome); break;
    case GZ_OP_DELTA: take_delta(p, &message->delta); break;
    case GZ_OP_VIEW: take_view(p, message->view); break;
    case GZ_OP_PRESENCE: take_presence(p, &message->presence); break;
    case GZ_OP_OK:
    case GZ_OP_ERROR: take_answer(p, message); break;
    default: break;
    }
}

/* ---- what is asked ---- */

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
    if (p->role < GZ_ROLE_EDITOR || !gz_predict_gizmo(&p->predict, &state)) return false;
    *gizmo = (struct gz_message){.op = GZ_OP_GIZMO, .has = fields_of(&state)};
    write_gizmo(&state, &gizmo->gizmo);
    return true;
}

enum gz_handle gz_prediction_handle(struct gz_prediction *p, const struct gz_message *message)
{
    struct step step = step_of(message);
    stand(p, GZ_HANDLE_NONE);
    if (p->role < GZ_ROLE_EDITOR || !step.has_place) return GZ_HANDLE_NONE;
    return gz_predict_pick(&p->predict, &step.pointer);
}

bool gz_prediction_trs(const struct gz_prediction *p, uint64_t id, gz_trs *trs)
{
    return gz_foreseen_trs(&p->foreseen, id, trs);
}

bool gz_prediction_world(const struct gz_prediction *p, uint64_t id, gz_affine *world)
{
    return gz_foreseen_world(&p->foreseen, id, world);
}

uint64_t gz_prediction_corrections(const struct gz_prediction *p)
{
    return p->corrections;
}

/* ---- beginning and end ---- */

struct gz_prediction *gz_prediction_create(const struct gz_mirror *mirror)
{
    struct gz_prediction *p = calloc(1, sizeof *p);
    if (p == NULL) return NULL;
    p->foreseen.mirror = mirror;
    gz_predict_init(&p->predict);
    return p;
}

void gz_prediction_destroy(struct gz_prediction *p)
{
    if (p == NULL) return;
    gz_predict_finish(&p->predict);
    gz_tops_finish(&p->tops);
    gz_records_clear(&p->foreseen.nodes);
    free(p->selected.ids);
    free(p->told.ids);
    free(p->starts);
    free(p);
}
