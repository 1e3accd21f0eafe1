/* interaction.c - begins and ends gestures, and turns gestures that hold nodes into edits. See
 * interaction.h. */
#include "core/interaction.h"

#include <math.h>

#include "core/answers.h"
#include "core/gesture.h"
#include "core/gizmo.h"
#include "core/pending.h"
#include "core/session.h"
#include "server/maxima.h"

enum gz_status gz_interaction_begin(struct gz_session *session, struct gz_gesture *gesture,
                                    const struct gz_interaction *interaction,
                                    const struct gz_interaction_input *input,
                                    struct gz_failure *failure)
{
    enum gz_status status = interaction->begin(session, gesture, input, failure);
    if (status == GZ_OK) gesture->interaction = interaction;
    return status;
}

/* ---- moving the nodes ---- */

/* Of a pass. */
static size_t price_of(const struct gz_gesture *gesture)
{
    if (gesture->poses != NULL) return GZ_PRICE_MOVED * gesture->poses->due_count;
    return GZ_PRICE_MOVED * gz_gesture_moves(gesture, &gesture->course->motion);
}

static struct gz_grip grip_of(const struct gz_session *session, const struct gz_gesture *gesture)
{
    return (struct gz_grip){session->id, gesture->number};
}

/* Acknowledges pointer `n`, whose effect the scene shows now. If it changed nothing, the
 * acknowledgement takes a seq of its own. */
static void acknowledge(struct gz_session *session, const struct gz_gesture *gesture, uint64_t n,
                        uint64_t seq_before)
{
    struct gz_core *core = session->core;
    if (gz_scene_seq(core->scene) == seq_before) gz_scene_tick(core->scene);
    gz_feed_hear_acks(core->feed, &session->subscriber);
    gz_feed_acknowledge(core->feed, &session->presence, gesture->number, n);
}

void gz_interaction_acknowledge(struct gz_session *session, struct gz_gesture *gesture, uint64_t n,
                                uint64_t seq_before)
{
    if (gesture->is_behind) {
        gesture->owes_ack = true;
        gesture->ack = n;
    } else if (gz_gesture_is_passing(gesture)) {
        gesture->pass.owes_ack = true;
        gesture->pass.ack = n;
    } else {
        acknowledge(session, gesture, n, seq_before);
    }
}

/* The end of a gesture: sends its nodes once more if the disk has no samples. */
static void settle(struct gz_session *session, struct gz_gesture *gesture)
{
    if (!gz_gesture_is_sampled(gesture))
        gz_gesture_settle(gesture, session->core->scene, session->id);
}

/* ---- motions ---- */

/* From now on viewers are sent the nodes one by one: all of them, because their copies are only
 * nearly exact. */
static void stop_motion(struct gz_session *session, struct gz_gesture *gesture)
{
    gz_feed_end_motion(session->core->feed, grip_of(session, gesture));
    gz_parts_destroy(gesture->parts);
    gesture->parts = NULL;
    gesture->is_told_singly = true;
    gz_gesture_settle(gesture, session->core->scene, session->id);
}

void gz_interaction_tell_singly(struct gz_session *session, struct gz_gesture *gesture)
{
    if (gesture->parts != NULL) stop_motion(session, gesture);
    gesture->is_told_singly = true;
}

/* Whether the parts can begin: poses may be no rigid motions from the first one on. */
static bool may_begin(struct gz_gesture *gesture)
{
    if (gesture->parts == NULL || gesture->poses == NULL) return gesture->parts != NULL;
    gz_parts_aim(gesture->parts, gesture);
    return gz_parts_fit(gesture->parts, gesture);
}

static bool begin_motion(struct gz_session *session, struct gz_gesture *gesture)
{
    struct gz_core *core = session->core;
    struct gz_motion_nodes nodes;
    gesture->parts = gz_parts_create(gesture, core->scene);
    if (may_begin(gesture) && gz_parts_list(gesture->parts, gesture, core->scene, &nodes) &&
        gz_feed_begin_motion(core->feed, grip_of(session, gesture), &nodes))
        return true;
    gz_parts_destroy(gesture->parts);
    gesture->parts = NULL;
    gesture->is_told_singly = true;
    return false;
}

/* Gives the new pass to the parts, or begins a motion with it. */
static void aim_motion(struct gz_session *session, struct gz_gesture *gesture)
{
    if (gesture->parts == NULL) {
        if (gesture->is_told_singly || !gz_parts_suit(gesture) ||
            !gz_feed_wants_motion(session->core->feed) || !begin_motion(session, gesture))
            return;
    }
    gz_parts_aim(gesture->parts, gesture);
    if (!gesture->parts->is_rigid) stop_motion(session, gesture);
}

/* Whether a step would be wrong about `by`: it names this session for every node, but a node was
 * last changed by another one. */
static bool names_wrongly(const struct gz_gesture *gesture)
{
    return gesture->parts->has_foreign && gesture->moved && !gz_gesture_is_passing(gesture);
}

/* Sends the progress of the pass since the seq `before`. */
static void send_motion(struct gz_session *session, struct gz_gesture *gesture, uint64_t before)
{
    struct gz_feed *feed = session->core->feed;
    if (gesture->parts == NULL) return;
    if (!gesture->parts->is_rigid || names_wrongly(gesture))
        stop_motion(session, gesture);
    else if (gz_gesture_is_passing(gesture))
        gz_feed_hide(feed, before);
    else if (gesture->moved)
        gz_feed_move(feed, grip_of(session, gesture), gesture->parts->rigids);
}

/* ---- passes ---- */

/* Poses the next nodes of the pass. */
static void go_on(struct gz_session *session, struct gz_gesture *gesture, size_t nodes)
{
    uint64_t before = gz_scene_seq(session->core->scene);
    gz_gesture_go_on(gesture, session->core->scene, session->id, nodes);
    send_motion(session, gesture, before);
    if (gz_gesture_is_passing(gesture) || !gesture->pass.owes_ack) return;
    gesture->pass.owes_ack = false;
    acknowledge(session, gesture, gesture->pass.ack, before);
}

static void begin_pass(struct gz_session *session, struct gz_gesture *gesture)
{
    gz_budget_charge(session, price_of(gesture));
    gz_gesture_begin_pass(gesture, session->core->scene);
    aim_motion(session, gesture);
    if (gesture->owes_ack) {
        gesture->pass.owes_ack = true;
        gesture->pass.ack = gesture->ack;
    }
    gesture->is_behind = gesture->owes_ack = false;
}

void gz_interaction_go_on(struct gz_session *session, struct gz_gesture *gesture)
{
    size_t *slice = &session->core->slice;
    if (*slice == 0 || !gz_gesture_is_passing(gesture)) return;
    size_t before = gesture->pass.at;
    const size_t each = GZ_SLICE_NODES_PER_POSE *
                        (gz_gesture_moves(gesture, &gesture->course->posed) / gesture->count);
    go_on(session, gesture, 1 + (*slice - 1) / each);
    size_t cost = (gesture->pass.at - before) * each;
    *slice -= cost < *slice ? cost : *slice;
}

void gz_interaction_catch_up(struct gz_session *session, struct gz_gesture *gesture)
{
    if (!gesture->is_behind || gz_gesture_is_passing(gesture) ||
        !gz_budget_affords(session, price_of(gesture), GZ_HASTE_ASKED))
        return;
    begin_pass(session, gesture);
    gz_interaction_go_on(session, gesture);
}

void gz_interaction_pose(struct gz_session *session, struct gz_gesture *gesture)
{
    gesture->is_behind = true;
    gz_interaction_catch_up(session, gesture);
}

void gz_interaction_pose_now(struct gz_session *session, struct gz_gesture *gesture)
{
    gesture->is_behind = gesture->owes_ack = gesture->pass.owes_ack = false;
    gz_gesture_begin_pass(gesture, session->core->scene);
    aim_motion(session, gesture);
    go_on(session, gesture, SIZE_MAX);
}

double gz_interaction_due(const struct gz_session *session, const struct gz_gesture *gesture)
{
    if (gz_gesture_is_passing(gesture)) return -INFINITY;
    if (!gesture->is_behind) return INFINITY;
    return gz_budget_affords_s(session, price_of(gesture), GZ_HASTE_ASKED);
}

/* Whether it has to be looked whether parents moved: not if a pass is to begin in any case. If the
 * look would take longer than a slice, a pass is as well. */
static bool is_to_be_looked_at(const struct gz_session *session, const struct gz_gesture *gesture)
{
    return !gesture->is_behind && !gz_gesture_is_passing(gesture) &&
           gesture->count <= session->core->slice_nodes;
}

bool gz_interaction_follow(struct gz_session *session, struct gz_gesture *gesture)
{
    struct gz_scene *scene = session->core->scene;
    const uint64_t before = gz_scene_seq(scene);
    if (!gz_gesture_may_lag(gesture, scene, session->id)) return false;
    if (is_to_be_looked_at(session, gesture) && !gz_gesture_lags(gesture, scene)) {
        gz_budget_charge(session, gesture->count);
        return false;
    }
    gz_interaction_pose(session, gesture);
    return gz_scene_seq(scene) != before;
}

/* ---- ending ---- */

static void pose_rest(struct gz_session *session, struct gz_gesture *gesture)
{
    if (gesture->is_behind) begin_pass(session, gesture);
    if (gz_gesture_is_passing(gesture)) go_on(session, gesture, SIZE_MAX);
}

void gz_interaction_pose_rest(struct gz_session *session, struct gz_gesture *gesture)
{
    gesture->is_behind = true;
    pose_rest(session, gesture);
}

/* The end of a gesture is never put off for its price, because it is the user's result. */
void gz_interaction_finish(struct gz_session *session, struct gz_gesture *gesture,
                           const struct gz_message *request)
{
    if (gesture->interaction == NULL) return;
    pose_rest(session, gesture);
    gesture->interaction->finish(session, gesture, request);
}

void gz_interaction_finish_all(struct gz_session *session)
{
    struct gz_gesture *gesture = &session->gesture, *next;
    for (; gesture != NULL; gesture = next) {
        next = gesture->next;
        gz_interaction_finish(session, gesture, NULL);
    }
}

void gz_interaction_cancel(struct gz_session *session, struct gz_gesture *gesture)
{
    if (gesture->interaction != NULL) gesture->interaction->cancel(session, gesture);
}

void gz_interaction_give_way(struct gz_session *session)
{
    const struct gz_interaction *interaction = session->gesture.interaction;
    if (interaction != NULL && interaction->gives_way)
        gz_interaction_finish(session, &session->gesture, NULL);
}

void gz_interaction_camera_moved(struct gz_session *session)
{
    const struct gz_interaction *interaction = session->gesture.interaction;
    if (interaction != NULL && interaction->camera_moved != NULL)
        interaction->camera_moved(session);
}

/* ---- gestures that hold nodes ---- */

static enum gz_status no_memory(struct gz_failure *failure)
{
    return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory for the drag");
}

static enum gz_status build_gizmo(struct gz_session *session,
                                  const struct gz_interaction_input *input,
                                  const struct gz_targets *targets, struct gz_seat *seat,
                                  struct gz_gizmo *gizmo, struct gz_failure *failure)
{
    struct gz_core *core = session->core;
    const struct gz_pointer *hand =
        input->pointer != NULL ? input->pointer : gz_view_pointer(&session->view);
    gz_groups_begin(&session->groups, core->scene, &session->tool, input->handle, true,
                    targets->count);
    const bool has_seat =
        gz_groups_seat(&session->groups, core->scene, targets, &core->scratch, seat);
    gz_budget_charge(session, gz_groups_uncharged(&session->groups));
    if (!has_seat) return no_memory(failure);
    if (gz_gizmo_build_grabbed(gizmo, &session->tool, session->view.camera, hand, seat))
        return GZ_OK;
    return gz_fail(&failure->error, GZ_BAD_STATE, "the selection has no gizmo in this view");
}

enum gz_status gz_interaction_take(struct gz_session *session, struct gz_gesture *gesture,
                                   const struct gz_targets *targets, enum gz_edit_kind kind,
                                   double path_m, struct gz_failure *failure)
{
    struct gz_core *core = session->core;
    const struct gz_grip grip = grip_of(session, gesture);
    enum gz_status status = gz_host_spend(
        &core->options.host, session->payer,
        GZ_FILE_BYTES_PER_EDIT + targets->count * GZ_FILE_BYTES_PER_CHANGE, &failure->error);
    if (status != GZ_OK) return status;
    status = gz_scene_hold(core->scene, targets->ids, targets->count, grip, failure);
    if (status != GZ_OK) return status;
    gesture->closes_s = INFINITY;
    gesture->followed_seq = gz_scene_seq(core->scene);
    if (!gz_gesture_keep(gesture, core->scene, targets) || !gz_session_update_locks(session)) {
        gz_scene_release(core->scene, targets->ids, targets->count, grip);
        gz_gesture_finish(gesture);
        return no_memory(failure);
    }
    gesture->edit = (struct gz_gesture_edit){
        .id = core->next_edit++,
        .kind = kind,
        .began = gz_clock_moment(&core->clock),
        .began_seq = gz_scene_seq(core->scene),
        .path_m = path_m,
    };
    return GZ_OK;
}

enum gz_status gz_interaction_hold(struct gz_session *session,
                                   const struct gz_interaction_input *input, enum gz_edit_kind kind,
                                   struct gz_gizmo *gizmo, struct gz_failure *failure)
{
    struct gz_core *core = session->core;
    enum gz_status status = gz_journal_check_room(&core->journal, &failure->error);
    if (status != GZ_OK) return status;
    gz_budget_charge(session, session->selection.count);
    gz_session_prune_selection(session);
    struct gz_targets targets = gz_targets_of(&session->selection, core->scene, &core->scratch);
    if (targets.count == 0)
        return gz_fail(&failure->error, GZ_BAD_STATE, "nothing is selected; select nodes first");
    gz_budget_charge(session, GZ_PRICE_MOVED * targets.count);
    struct gz_seat seat;
    status = build_gizmo(session, input, &targets, &seat, gizmo, failure);
    if (status != GZ_OK) return status;
    const double path_m = session->view.camera != NULL
                              ? GZ_PATH_PX * gizmo->size / session->tool.size_px
                              : GZ_PATH_METRES;
    status = gz_interaction_take(session, &session->gesture, &targets, kind, path_m, failure);
    if (status == GZ_OK) gz_session_sit(session, &seat, input->handle);
    return status;
}

void gz_interaction_release(struct gz_session *session, struct gz_gesture *gesture)
{
    gz_session_let_answers_go(session, gesture);
    gz_feed_end_motion(session->core->feed, grip_of(session, gesture));
    gz_scene_release(session->core->scene, gesture->ids, gesture->count, grip_of(session, gesture));
    gz_gesture_finish(gesture);
    (void)gz_session_update_locks(session); /* with fewer it needs no memory */
    if (gesture->number != GZ_GRIP_POINTER) gz_session_drop_hold(session, gesture);
    session->shown.stale = true;
    gz_session_present(session);
}

void gz_interaction_take_back(struct gz_session *session, struct gz_gesture *gesture)
{
    gz_budget_charge(session, GZ_PRICE_MOVED * gesture->count);
    if (gesture->moved) {
        gz_gesture_restore(gesture, session->core->scene, session->id);
        settle(session, gesture);
    }
    struct gz_journal_entry *drop = gz_gesture_take_drop(gesture);
    if (drop != NULL) gz_journal_append(&session->core->journal, drop);
    gz_interaction_release(session, gesture);
}

static bool has_changed(const struct gz_edit_record *edit)
{
    for (size_t i = 0; i < edit->change_count; i++) {
        if (gz_change_is_real(&edit->changes[i])) return true;
    }
    return false;
}

/* Takes the gesture back: an edit without memory for its record could never be undone. */
static void refuse_edit(struct gz_session *session, struct gz_gesture *gesture,
                        const struct gz_message *request)
{
    struct gz_failure failure = {.node = 0};
    bool has_rid = request != NULL && (request->has & GZ_HAS_RID) != 0;
    gz_interaction_take_back(session, gesture);
    gz_fail(&failure.error, GZ_NO_MEMORY, "no memory to complete the drag; it was taken back");
    gz_session_refuse(session, has_rid, has_rid ? request->rid : 0, &failure, false);
}

void gz_interaction_keep_edit(struct gz_session *session, struct gz_gesture *gesture,
                              const struct gz_message *request)
{
    struct gz_core *core = session->core;
    struct gz_edit_record edit = {.change_count = 0};
    gz_budget_charge(session, GZ_PRICE_EDITED * gesture->count);
    bool described = gz_gesture_describe(gesture, core->scene, &core->scratch, &edit);
    if (described && !has_changed(&edit)) {
        gz_interaction_take_back(session, gesture);
        gz_session_ok_seq(session, request);
        return;
    }
    char key[GZ_KEY_BYTES_MAX + 1];
    struct gz_edit_request wanted = {
        .session = session, .user = session->user, .kind = gesture->edit.kind};
    if (request != NULL) wanted = gz_edit_request(session, request, gesture->edit.kind, key);
    settle(session, gesture);
    edit.seq = gz_scene_tick(core->scene);
    if (described && gz_core_complete(core, &wanted, &edit, gesture) == GZ_OK)
        gz_interaction_release(session, gesture);
    else
        refuse_edit(session, gesture, request);
}
