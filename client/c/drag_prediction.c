/* drag_prediction.c - predicts drags and wheels, and solves them again if the server differs. See
 * drag_prediction.h. */
#include "drag_prediction.h"

/* A node at the press: its expected transform, the server's, and the later difference between the
 * server's and the drag's. */
struct gz_start {
    gz_trs local, told, offset;
};

struct gz_step gz_step_of(const struct gz_message *message)
{
    const double *ray = message->pointer.ray;
    struct gz_step step = {.n = message->pointer.n,
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

bool gz_drag_prediction_drags(const struct gz_drag_prediction *moving)
{
    return moving->running != NULL && moving->predict.gesture == GZ_PREDICT_DRAG;
}

static void stop(struct gz_drag_prediction *moving)
{
    gz_predict_end(&moving->predict);
    moving->running = NULL;
    moving->is_stale = true;
}

/* The running gesture may have been dropped. */
static void settle(struct gz_drag_prediction *moving)
{
    if (moving->running != NULL && moving->running->number != moving->number) stop(moving);
}

static void drop(struct gz_drag_prediction *moving)
{
    gz_pending_actions_drop(&moving->unanswered, moving->running);
    settle(moving);
}

static struct gz_sent *add(struct gz_drag_prediction *moving, uint64_t rid)
{
    moving->running = gz_pending_actions_add(&moving->unanswered, rid);
    moving->number = moving->running->number;
    return moving->running;
}

/* ---- the targets of the gizmo ---- */

static bool do_groups_matter(const struct gz_tool *tool, enum gz_handle handle)
{
    return tool->mode == GZ_MODE_BOUNDS || tool->pivot == GZ_PIVOT_BOUNDS || handle >= GZ_BXN;
}

static void set_targets(struct gz_drag_prediction *moving)
{
    struct gz_selection_roots *tops = &moving->tops;
    if (!gz_predict_targets(&moving->predict, tops->targets, tops->count,
                            tops->count > 0 ? tops->count - 1 : 0))
        (void)gz_predict_targets(&moving->predict, NULL, 0, 0);
}

void gz_drag_prediction_stand(struct gz_drag_prediction *moving, struct gz_ids selected,
                              enum gz_handle handle)
{
    bool with_groups = do_groups_matter(&moving->predict.tool, handle);
    if (moving->running != NULL || (!moving->is_stale && handle < GZ_BXN)) return;
    moving->is_stale = !gz_selection_roots_find(&moving->tops, &moving->unanswered.foreseen,
                                                selected.ids, selected.count, with_groups);
    set_targets(moving);
}

/* ---- shown poses ---- */

static gz_trs offset_by(const gz_trs *pose, const gz_trs *offset)
{
    if (gz_trs_same(offset, &gz_trs_identity)) return *pose;
    return (gz_trs){gz_add(pose->t, offset->t), gz_quat_multiply(offset->r, pose->r),
                    gz_times(pose->s, offset->s)};
}

/* The difference from the pose to the server's transform. */
static gz_trs offset_from(const gz_trs *pose, const gz_trs *told)
{
    gz_vec3 s = {told->s.x / pose->s.x, told->s.y / pose->s.y, told->s.z / pose->s.z};
    return (gz_trs){gz_sub(told->t, pose->t), gz_quat_multiply(told->r, gz_quat_conjugate(pose->r)),
                    s};
}

static bool put(struct gz_drag_prediction *moving, size_t i, const gz_trs *trs)
{
    return gz_predicted_put(&moving->unanswered.foreseen, moving->tops.ids[i], moving->number,
                            GZ_FORESEEN_ALL, trs);
}

static void show(struct gz_drag_prediction *moving)
{
    bool is_shown = true;
    for (size_t i = 0; i < moving->tops.count; i++) {
        gz_trs trs = offset_by(&moving->predict.poses[i], &moving->starts[i].offset);
        is_shown &= put(moving, i, &trs);
    }
    if (!is_shown) drop(moving);
}

static bool keep_starts(struct gz_drag_prediction *moving)
{
    const struct gz_selection_roots *tops = &moving->tops;
    free(moving->starts);
    moving->starts = malloc(tops->count * sizeof *moving->starts);
    if (moving->starts == NULL) return false;
    for (size_t i = 0; i < tops->count; i++) {
        const struct gz_mirror_node *told =
            gz_mirror_find(moving->unanswered.foreseen.mirror, tops->ids[i]);
        moving->starts[i] = (struct gz_start){tops->targets[i].local, told->trs, gz_trs_identity};
    }
    return true;
}

/* ---- a drag ---- */

static bool solve_press(struct gz_drag_prediction *moving)
{
    const struct gz_step *press = &moving->press;
    return keep_starts(moving) && gz_predict_press(&moving->predict, moving->running->handle,
                                                   press->has_place ? &press->pointer : NULL,
                                                   press->mods) != GZ_SOLVE_NONE;
}

void gz_drag_prediction_press(struct gz_drag_prediction *moving, uint64_t rid,
                              enum gz_handle handle, const struct gz_step *press)
{
    moving->step_count = 0;
    moving->is_seated = false;
    if (moving->tops.count == 0) return;
    add(moving, rid)->handle = handle;
    moving->press = *press;
    if (solve_press(moving))
        show(moving);
    else
        drop(moving);
}

static void solve(struct gz_drag_prediction *moving, struct gz_step *step)
{
    struct gz_predict *predict = &moving->predict;
    if (step->is_typed)
        (void)gz_predict_value(predict, step->value.numbers, (int)step->value.count);
    else
        (void)gz_predict_move(predict, &step->pointer, step->mods);
    step->motion = predict->motion;
}

void gz_drag_prediction_go(struct gz_drag_prediction *moving, const struct gz_step *step)
{
    if (moving->step_count == GZ_STEPS_MAX) {
        moving->first_step++;
        moving->step_count--;
    }
    struct gz_step *place =
        &moving->steps[(moving->first_step + moving->step_count++) % GZ_STEPS_MAX];
    *place = *step;
    solve(moving, place);
    show(moving);
}

/* Another user moved the nodes before the press reached the server: solves the drag again from
 * their present transforms. */
static void press_again(struct gz_drag_prediction *moving)
{
    struct gz_pending_actions *unanswered = &moving->unanswered;
    gz_predict_end(&moving->predict);
    (void)gz_predicted_drop(&unanswered->foreseen, moving->number);
    unanswered->corrections++;
    bool is_there = gz_selection_roots_follow(&moving->tops, &unanswered->foreseen);
    if (is_there) set_targets(moving);
    if (!is_there || !solve_press(moving)) {
        drop(moving);
        return;
    }
    for (size_t i = 0; i < moving->step_count; i++)
        solve(moving, &moving->steps[(moving->first_step + i) % GZ_STEPS_MAX]);
    show(moving);
}

void gz_drag_prediction_end(struct gz_drag_prediction *moving, const struct gz_message *up)
{
    struct gz_sent *drag = moving->running;
    stop(moving);
    drag->end_n = up->pointer.n;
    gz_pending_actions_end(&moving->unanswered, drag, up->rid);
}

/* Moves the nodes back to their transforms at the press. */
void gz_drag_prediction_cancel(struct gz_drag_prediction *moving, const struct gz_message *cancel)
{
    struct gz_sent *drag = moving->running;
    bool is_shown = true;
    for (size_t i = 0; i < moving->tops.count; i++)
        is_shown &= put(moving, i, &moving->starts[i].local);
    gz_drag_prediction_end(moving, cancel);
    drag->end_rid = 0; /* the ok comes before the delta that takes the nodes back */
    if (!is_shown) gz_pending_actions_drop(&moving->unanswered, drag);
}

/* ---- a wheel ---- */

static bool begin_wheel(struct gz_drag_prediction *moving, const struct gz_message *wheel)
{
    if (moving->tops.count == 0 || !keep_starts(moving) ||
        gz_predict_wheel(&moving->predict, 0) == GZ_SOLVE_NONE)
        return false;
    add(moving, wheel->rid);
    return true;
}

void gz_drag_prediction_turn(struct gz_drag_prediction *moving, const struct gz_message *wheel)
{
    enum gz_predict_gesture gesture = moving->predict.gesture;
    if (gesture == GZ_PREDICT_DRAG || gesture == GZ_PREDICT_ORBIT) return;
    if (gesture == GZ_PREDICT_IDLE && !begin_wheel(moving, wheel)) return;
    gz_pending_actions_end(&moving->unanswered, moving->running, wheel->rid);
    (void)gz_predict_wheel(&moving->predict, wheel->wheel.dy);
    show(moving);
}

void gz_drag_prediction_rest(struct gz_drag_prediction *moving)
{
    if (moving->predict.gesture == GZ_PREDICT_WHEEL) stop(moving);
}

/* ---- moves by others and by the camera ---- */

/* Whether another user has moved a node of the drag since the press. */
static bool was_moved_before(const struct gz_drag_prediction *moving, uint64_t session)
{
    for (size_t i = 0; i < moving->tops.count; i++) {
        const struct gz_start *start = &moving->starts[i];
        const struct gz_mirror_node *told =
            gz_mirror_find(moving->unanswered.foreseen.mirror, moving->tops.ids[i]);
        bool is_others = told != NULL && told->by != session;
        if (is_others && !gz_trs_same(&told->trs, &start->told)) return true;
    }
    return false;
}

/* Moves the nodes of the running gesture with their ancestors. */
static void follow(struct gz_drag_prediction *moving)
{
    if (gz_selection_roots_follow(&moving->tops, &moving->unanswered.foreseen)) {
        set_targets(moving);
        show(moving);
    } else {
        drop(moving);
    }
}

bool gz_drag_prediction_camera(struct gz_drag_prediction *moving,
                               const struct gz_camera_input *input)
{
    if (!gz_predict_camera(&moving->predict, input, NULL)) return false;
    if (moving->running != NULL) show(moving);
    return true;
}

void gz_drag_prediction_set(struct gz_drag_prediction *moving, const struct gz_message *set)
{
    gz_pending_actions_set(&moving->unanswered, set);
    settle(moving);
    moving->is_stale = true;
    if (moving->running != NULL) follow(moving);
}

void gz_drag_prediction_hold(struct gz_drag_prediction *moving, const struct gz_message *message)
{
    if (message->op == GZ_OP_POSE)
        gz_pending_actions_pose(&moving->unanswered, message);
    else
        gz_pending_actions_end_hold(&moving->unanswered, message);
    settle(moving);
    moving->is_stale = true;
    if (moving->running != NULL) follow(moving);
}

/* ---- incoming ---- */

/* Finds the motion of a pointer, and drops it and those before it. */
static bool find_motion(struct gz_drag_prediction *moving, uint64_t n, struct gz_motion *motion)
{
    bool found = false;
    while (moving->step_count > 0) {
        const struct gz_step *step = &moving->steps[moving->first_step % GZ_STEPS_MAX];
        if (step->n > n) break;
        found = step->n == n;
        *motion = step->motion;
        moving->first_step++;
        moving->step_count--;
    }
    return found;
}

/* Whether the server has the node where the pointer has moved it; if not, later poses keep the
 * present difference. */
static bool compare_node(struct gz_drag_prediction *moving, size_t i,
                         const struct gz_motion *motion)
{
    gz_trs pose;
    struct gz_start *start = &moving->starts[i];
    const struct gz_mirror_node *told =
        gz_mirror_find(moving->unanswered.foreseen.mirror, moving->tops.ids[i]);
    if (told == NULL || !gz_predict_apply(&moving->predict, motion, i, &start->local, NULL, &pose))
        return true;
    gz_trs expected = offset_by(&pose, &start->offset);
    if (gz_trs_near(&told->trs, &expected)) return true;
    start->offset = offset_from(&pose, &told->trs);
    return false;
}

static void compare(struct gz_drag_prediction *moving, uint64_t n)
{
    struct gz_motion motion;
    bool as_expected = true;
    if (!gz_drag_prediction_drags(moving) || !find_motion(moving, n, &motion)) return;
    moving->is_seated = true;
    for (size_t i = 0; i < moving->tops.count; i++) as_expected &= compare_node(moving, i, &motion);
    if (as_expected) return;
    moving->unanswered.corrections++;
    show(moving);
}

static void acknowledge(struct gz_drag_prediction *moving, uint64_t n)
{
    gz_pending_actions_acknowledge(&moving->unanswered, n);
    settle(moving);
    compare(moving, n);
}

void gz_drag_prediction_delta(struct gz_drag_prediction *moving, const struct gz_delta *delta,
                              uint64_t session)
{
    bool moves = delta->count > 0 || delta->gone.count > 0;
    moving->is_stale = true;
    if (moves) moving->unanswered.foreseen.version++;
    if (moving->running != NULL && moves) {
        if (gz_drag_prediction_drags(moving) && !moving->is_seated &&
            was_moved_before(moving, session))
            press_again(moving);
        else
            follow(moving);
    }
    for (size_t i = 0; i < delta->ack_count; i++)
        if (delta->acks[i].session == session) acknowledge(moving, delta->acks[i].n);
    gz_pending_actions_look(&moving->unanswered);
    settle(moving);
}

void gz_drag_prediction_answer(struct gz_drag_prediction *moving, const struct gz_message *message)
{
    uint64_t version = moving->unanswered.foreseen.version;
    gz_pending_actions_answer(&moving->unanswered, message);
    settle(moving);
    if (version == moving->unanswered.foreseen.version) return;
    moving->is_stale = true;
    if (moving->running != NULL) follow(moving);
}

void gz_drag_prediction_give_up(struct gz_drag_prediction *moving)
{
    gz_pending_actions_drop_all(&moving->unanswered);
    settle(moving);
    moving->is_stale = true;
}

/* ---- beginning and end ---- */

void gz_drag_prediction_init(struct gz_drag_prediction *moving, const struct gz_mirror *mirror)
{
    moving->unanswered.foreseen.mirror = mirror;
    gz_predict_init(&moving->predict);
}

void gz_drag_prediction_clear(struct gz_drag_prediction *moving)
{
    gz_predict_finish(&moving->predict);
    gz_pending_actions_clear(&moving->unanswered);
    moving->running = NULL;
    moving->step_count = 0;
    moving->is_stale = true;
}

void gz_drag_prediction_finish(struct gz_drag_prediction *moving)
{
    gz_drag_prediction_clear(moving);
    gz_selection_roots_finish(&moving->tops);
    free(moving->starts);
}
