#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"
#include "session/session.h"

static const struct gz_camera *camera_of(const struct gz_session *session)
{
    return session->has_camera ? &session->camera : NULL;
}

/* ---- beginning ---- */

static bool keep_targets(struct gz_gesture *gesture, const struct gz_target *targets,
                         const uint64_t *ids, size_t count)
{
    gesture->targets = calloc(count, sizeof *gesture->targets);
    gesture->ids = calloc(count, sizeof *gesture->ids);
    if (gesture->targets == NULL || gesture->ids == NULL) return false;
    for (size_t i = 0; i < count; i++) {
        gesture->targets[i] = (struct gz_gesture_target){
            .id = ids[i], .start = targets[i], .parent = targets[i].parent};
        gesture->targets[i].start.bounds = NULL;
        gesture->ids[i] = ids[i];
    }
    gesture->count = count;
    return true;
}

/* Holds the top-most selected nodes and makes them the run's; the gizmo is as it stands now. What
 * begins may end as an edit, which then has to have room: its end cannot be refused. */
static enum gz_status begin(struct gz_session *session, enum gz_gesture_kind kind,
                            enum gz_handle handle, struct gz_gizmo *gizmo,
                            struct gz_failure *failure)
{
    struct gz_core *core = session->core;
    struct gz_gesture *gesture = &session->gesture;
    struct gz_target *targets;
    uint64_t *ids;
    size_t active;
    enum gz_status status = gz_core_check_room(core, failure);
    if (status != GZ_OK) return status;
    size_t count = gz_session_targets(session, &targets, &ids, &active);
    if (count == 0) return gz_fail(&failure->error, GZ_BAD_STATE, "nothing is selected");
    gz_session_bound_groups(session, handle, true, targets, ids, count);
    /* A named handle need not belong to the mode; the gizmo is complete for all handles in any mode
     * that has one. */
    struct gz_tool tool = session->tool;
    if (tool.mode == GZ_MODE_NONE || tool.mode == GZ_MODE_ORBIT) tool.mode = GZ_MODE_UNIVERSAL;
    if (!gz_gizmo_build(gizmo, &tool, camera_of(session), targets, count, active))
        return gz_fail(&failure->error, GZ_BAD_STATE, "the selection has no gizmo in this view");
    status = gz_scene_hold(core->scene, ids, count, session->id, failure);
    if (status != GZ_OK) return status;
    *gesture = (struct gz_gesture){.kind = kind, .motion = gz_motion_none};
    if (!keep_targets(gesture, targets, ids, count)) {
        gz_scene_release(core->scene, ids, count, session->id);
        gz_gesture_finish(gesture);
        return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory for the drag");
    }
    gesture->edit = core->next_edit++;
    gesture->path_m =
        session->has_camera ? GZ_PATH_PX * gizmo->size / session->tool.size_px : GZ_PATH_METRES;
    gesture->began = gz_core_moment(core);
    gesture->began_seq = gz_scene_seq(core->scene);
    return GZ_OK;
}

/* The nodes are free and others see it. */
static void end(struct gz_session *session)
{
    struct gz_gesture *gesture = &session->gesture;
    gz_scene_release(session->core->scene, gesture->ids, gesture->count, session->id);
    gz_gesture_finish(gesture);
    session->gizmo_stale = true;
    gz_session_present(session);
}

static enum gz_status refuse_handle(enum gz_handle handle, const struct gz_pointer *pointer,
                                    struct gz_failure *failure)
{
    const char *word = gz_vocabulary_word(&gz_handle_words, handle);
    if (pointer == NULL)
        return gz_fail(&failure->error, GZ_BAD_STATE,
                       "handle: the selection has no %s in this view", word);
    return gz_fail(&failure->error, GZ_BAD_VALUE, "the pointer has no answer on handle %s here",
                   word);
}

enum gz_status gz_gesture_begin(struct gz_session *session, enum gz_handle handle,
                                const struct gz_pointer *pointer, uint32_t mods,
                                const struct gz_value *value, struct gz_failure *failure)
{
    struct gz_gizmo gizmo;
    enum gz_status status = begin(session, GZ_GESTURE_DRAG, handle, &gizmo, failure);
    if (status != GZ_OK) return status;
    struct gz_gesture *gesture = &session->gesture;
    gesture->start = gizmo.origin;
    if (pointer != NULL) gesture->pointer = *pointer;
    if (pointer != NULL && pointer->is_ray) gesture->path_m = GZ_PATH_METRES;
    gesture->mods = mods;
    enum gz_solve solve = gz_drag_begin(&gesture->drag, handle, &gizmo, &session->tool,
                                        camera_of(session), pointer, mods);
    if (solve == GZ_SOLVE_NONE)
        status = refuse_handle(handle, pointer, failure);
    else if (value != NULL)
        status = gz_gesture_type(session, value, failure);
    else /* moves nothing, and says so in the handle's terms */
        (void)gz_drag_solve(&gesture->drag, camera_of(session), pointer, mods, &gesture->motion);
    if (status != GZ_OK) {
        end(session);
        return status;
    }
    session->gizmo_stale = true;
    gz_session_present(session);
    return GZ_OK;
}

enum gz_status gz_gesture_begin_wheel(struct gz_session *session, struct gz_failure *failure)
{
    struct gz_gizmo gizmo;
    enum gz_status status = begin(session, GZ_GESTURE_WHEEL, GZ_HANDLE_NONE, &gizmo, failure);
    if (status != GZ_OK) return status;
    /* The whole turn is solved from the press each time: one notch's motion holds the pivot that
     * all of them share. */
    session->gesture.motion = gz_motion_wheel(&gizmo, 1);
    gz_session_present(session);
    return GZ_OK;
}

/* ---- moving ---- */

/* Puts each node where the motion has it. A node that cannot follow (its parent lost its inverse)
 * stays where it is. */
static void pose(struct gz_session *session, const struct gz_motion *motion)
{
    struct gz_scene *scene = session->core->scene;
    struct gz_gesture *gesture = &session->gesture;
    uint64_t before = gz_scene_seq(scene);
    gesture->residual = 0;
    for (size_t i = 0; i < gesture->count; i++) {
        struct gz_gesture_target *target = &gesture->targets[i];
        const struct gz_node *node = gz_scene_find(scene, target->id);
        gz_trs local;
        double residual = 0;
        target->parent = gz_scene_parent_world(scene, node);
        if (!gz_motion_apply(motion, &target->start, &target->parent, &local, &residual)) continue;
        gesture->residual = fmax(gesture->residual, residual);
        gz_scene_pose(scene, node, &local, session->id);
    }
    if (gz_scene_seq(scene) != before) gesture->moved = true;
}

void gz_gesture_move(struct gz_session *session, const struct gz_pointer *pointer, uint32_t mods)
{
    struct gz_gesture *gesture = &session->gesture;
    if (gesture->typed.count > 0) return;
    gesture->pointer = *pointer;
    gesture->mods = mods;
    if (gesture->kind == GZ_GESTURE_ORBIT) {
        double view[16];
        enum gz_solve solve = gz_orbit_solve(&gesture->orbit, pointer, mods, view);
        if (solve == GZ_SOLVE_OK || solve == GZ_SOLVE_CLAMPED) gz_session_send_view(session, view);
        return;
    }
    (void)gz_drag_solve(&gesture->drag, camera_of(session), pointer, mods, &gesture->motion);
    pose(session, &gesture->motion);
}

/* A pointer may leave a node where it cannot go; what is typed goes there wholly or is refused. */
static enum gz_status check_motion(struct gz_session *session, const struct gz_motion *motion,
                                   struct gz_failure *failure)
{
    struct gz_scene *scene = session->core->scene;
    for (size_t i = 0; i < session->gesture.count; i++) {
        const struct gz_gesture_target *target = &session->gesture.targets[i];
        gz_affine parent = gz_scene_parent_world(scene, gz_scene_find(scene, target->id));
        gz_trs local;
        if (gz_motion_apply(motion, &target->start, &parent, &local, NULL)) continue;
        failure->node = target->id;
        return gz_fail(&failure->error, GZ_BAD_VALUE, "value: node %llu cannot go there",
                       (unsigned long long)target->id);
    }
    return GZ_OK;
}

enum gz_status gz_gesture_type(struct gz_session *session, const struct gz_value *value,
                               struct gz_failure *failure)
{
    static const char *const numbers[] = {"no number", "one number", "two numbers"};
    struct gz_gesture *gesture = &session->gesture;
    const char *handle = gz_vocabulary_word(&gz_handle_words, gesture->drag.handle);
    int count = gz_handle_value_count(gesture->drag.handle);
    struct gz_motion motion = gz_motion_none;
    if ((int)value->count != count)
        return gz_fail(&failure->error, GZ_BAD_VALUE, "value: %s takes %s, not %u", handle,
                       numbers[count], value->count);
    if (gz_drag_value(&gesture->drag, value->numbers, count, &motion) != GZ_SOLVE_OK)
        return gz_fail(&failure->error, GZ_BAD_VALUE, "value: %s cannot be %g", handle,
                       value->numbers[0]);
    enum gz_status status = check_motion(session, &motion, failure);
    if (status != GZ_OK) return status;
    gesture->typed = *value;
    gesture->motion = motion;
    pose(session, &gesture->motion);
    return GZ_OK;
}

static struct gz_motion wheel_motion(const struct gz_gesture *gesture)
{
    struct gz_motion motion = gesture->motion;
    double factor = pow(motion.factor.x, gesture->notches);
    motion.factor = (gz_vec3){factor, factor, factor};
    motion.value[0] = factor;
    if (gesture->notches == 0) motion = gz_motion_none;
    return motion;
}

void gz_gesture_turn_wheel(struct gz_session *session, double notches)
{
    struct gz_gesture *gesture = &session->gesture;
    double before = gesture->notches;
    gesture->notches += notches;
    gesture->closes_s = session->core->now.mono_s + GZ_WHEEL_SECONDS;
    struct gz_motion motion = wheel_motion(gesture);
    if (!gz_finite(motion.factor) || (motion.kind != GZ_MOTION_NONE && motion.factor.x == 0)) {
        gesture->notches = before;
        return;
    }
    pose(session, &motion);
}

bool gz_gesture_follow(struct gz_session *session)
{
    struct gz_gesture *gesture = &session->gesture;
    struct gz_scene *scene = session->core->scene;
    if ((gesture->kind != GZ_GESTURE_DRAG && gesture->kind != GZ_GESTURE_WHEEL) || !gesture->moved)
        return false;
    bool parents_moved = false;
    for (size_t i = 0; i < gesture->count && !parents_moved; i++) {
        gz_affine parent =
            gz_scene_parent_world(scene, gz_scene_find(scene, gesture->targets[i].id));
        parents_moved = memcmp(&parent, &gesture->targets[i].parent, sizeof parent) != 0;
    }
    if (!parents_moved) return false;
    uint64_t before = gz_scene_seq(scene);
    struct gz_motion motion =
        gesture->kind == GZ_GESTURE_WHEEL ? wheel_motion(gesture) : gesture->motion;
    pose(session, &motion);
    return gz_scene_seq(scene) != before;
}

/* ---- ending ---- */

void gz_gesture_finish(struct gz_gesture *gesture)
{
    free(gesture->targets);
    free(gesture->ids);
    *gesture = (struct gz_gesture){.kind = GZ_GESTURE_NONE};
}

/* What the run did, node by node; NULL without memory. Nodes that are back at their first bits are
 * left out. */
static struct gz_change *collect_changes(struct gz_session *session, size_t *count)
{
    struct gz_gesture *gesture = &session->gesture;
    struct gz_change *changes =
        gz_arena_take(&session->core->scratch, gesture->count, sizeof *changes);
    *count = 0;
    if (changes == NULL) return NULL;
    for (size_t i = 0; i < gesture->count; i++) {
        struct gz_change *change = &changes[*count];
        change->node = gesture->targets[i].id;
        change->existed = change->exists = true;
        gz_node_content(gz_scene_find(session->core->scene, change->node), &change->after);
        change->before = change->after;
        change->before.trs = gesture->targets[i].start.local;
        if (gz_change_is_real(change)) (*count)++;
    }
    return changes;
}

static enum gz_edit_kind kind_of(const struct gz_gesture *gesture)
{
    return gesture->kind == GZ_GESTURE_WHEEL ? GZ_EDIT_WHEEL : gz_handle_kind(gesture->drag.handle);
}

static void answer_without_edit(struct gz_session *session, const struct gz_message *request)
{
    if (request == NULL) return;
    struct gz_ok ok = {.seq = gz_scene_seq(session->core->scene)};
    gz_session_ok(session, request, GZ_HAS(SEQ), &ok);
}

static void restore_start(struct gz_session *session)
{
    struct gz_scene *scene = session->core->scene;
    for (size_t i = 0; i < session->gesture.count; i++) {
        const struct gz_gesture_target *target = &session->gesture.targets[i];
        gz_scene_pose(scene, gz_scene_find(scene, target->id), &target->start.local, session->id);
    }
}

void gz_gesture_cancel(struct gz_session *session)
{
    struct gz_gesture *gesture = &session->gesture;
    if (gesture->kind != GZ_GESTURE_ORBIT) restore_start(session);
    if (gesture->told != GZ_UNTOLD) gz_core_drop(session->core, gesture->edit);
    end(session);
}

void gz_gesture_complete(struct gz_session *session, const struct gz_message *request)
{
    struct gz_core *core = session->core;
    struct gz_gesture *gesture = &session->gesture;
    size_t count = 0;
    struct gz_change *changes =
        gesture->kind == GZ_GESTURE_ORBIT ? NULL : collect_changes(session, &count);
    if (count == 0) {
        gz_gesture_cancel(session);
        answer_without_edit(session, request);
        return;
    }
    char key[GZ_KEY_BYTES_MAX + 1];
    struct gz_edit_request wanted = {
        .session = session, .user = session->user, .kind = kind_of(gesture)};
    if (request != NULL) wanted = gz_edit_request(session, request, kind_of(gesture), key);
    struct gz_edit_record edit = {
        .id = gesture->edit,
        .handle = gesture->kind == GZ_GESTURE_DRAG ? gesture->drag.handle : GZ_HANDLE_NONE,
        .began = gesture->began,
        .began_seq = gesture->began_seq,
        .seq = gz_scene_tick(core->scene),
        .residual = gesture->residual,
        .value = {gesture->typed.numbers[0], gesture->typed.numbers[1]},
        .value_count = gesture->typed.count,
        .changes = changes,
        .change_count = count,
    };
    struct gz_failure failure = {.node = 0};
    if (gz_core_complete(core, &wanted, &edit, gesture->told) != GZ_OK) {
        /* What cannot be remembered is not kept: an edit that no history holds could never be taken
         * back. */
        gz_gesture_cancel(session);
        gz_fail(&failure.error, GZ_NO_MEMORY, "no memory to complete the drag; it was taken back");
        gz_session_refuse(session, wanted.has_rid, wanted.rid, &failure, false);
        return;
    }
    end(session);
}
