/* drag.c - a drag on a handle of the gizmo, by a pointer, a typed value or both. */
#include <string.h>

#include "server/maxima.h"
#include "session/interaction.h"
#include "session/session.h"

static enum gz_status refuse_handle(const struct gz_interaction_input *input,
                                    struct gz_failure *failure)
{
    const char *word = gz_vocabulary_word(&gz_handle_words, input->handle);
    if (input->pointer == NULL)
        return gz_fail(&failure->error, GZ_BAD_STATE,
                       "handle: the selection has no handle %s in this view", word);
    return gz_fail(&failure->error, GZ_BAD_VALUE,
                   "handle: %s cannot follow the pointer here: move the pointer or the camera",
                   word);
}

/* Moves the nodes by exactly this value. A pointer may leave behind a node that cannot follow; a
 * typed value moves all nodes or is refused. */
static enum gz_status type(struct gz_session *session, const struct gz_value *value,
                           struct gz_failure *failure)
{
    static const char *const numbers[] = {"no number", "one number", "two numbers"};
    struct gz_scene *scene = session->core->scene;
    struct gz_gesture *gesture = &session->gesture;
    const char *handle = gz_vocabulary_word(&gz_handle_words, gesture->course->drag.handle);
    int count = gz_handle_value_count(gesture->course->drag.handle);
    struct gz_motion motion = gz_motion_none;
    if ((int)value->count != count)
        return gz_fail(&failure->error, GZ_BAD_VALUE, "value: %s takes %s, not %u", handle,
                       numbers[count], value->count);
    if (gz_drag_value(&gesture->course->drag, value->numbers, count, &motion) != GZ_SOLVE_OK)
        return gz_fail(&failure->error, GZ_BAD_VALUE, "value: %s cannot take the value %g", handle,
                       value->numbers[0]);
    /* gz_weigh_grab has charged what each node costs at least, for the check and for the pass. */
    gz_budget_charge(session,
                     2 * GZ_PRICE_MOVED * (gz_gesture_moves(gesture, &motion) - gesture->count));
    enum gz_status status = gz_gesture_check(gesture, scene, &motion, failure);
    if (status != GZ_OK) return status;
    gesture->typed = *value;
    gesture->course->motion = motion;
    gz_interaction_pose_now(session);
    return GZ_OK;
}

static enum gz_status press(struct gz_session *session, const struct gz_interaction_input *input,
                            const struct gz_gizmo *gizmo, struct gz_failure *failure)
{
    struct gz_gesture *gesture = &session->gesture;
    const struct gz_camera *camera = session->view.camera;
    if (gz_drag_begin(&gesture->course->drag, input->handle, gizmo, &session->tool, camera,
                      input->pointer, input->mods) == GZ_SOLVE_NONE)
        return refuse_handle(input, failure);
    if (input->value != NULL) return type(session, input->value, failure);
    /* Moves nothing, but fills in the numbers of the handle. */
    (void)gz_drag_solve(&gesture->course->drag, camera, input->pointer, input->mods,
                        &gesture->course->motion);
    return GZ_OK;
}

static enum gz_status begin(struct gz_session *session, const struct gz_interaction_input *input,
                            struct gz_failure *failure)
{
    struct gz_gizmo gizmo;
    struct gz_gesture *gesture = &session->gesture;
    enum gz_status status =
        gz_interaction_hold(session, input, gz_handle_kind(input->handle), &gizmo, failure);
    if (status != GZ_OK) return status;
    gesture->course->start = gizmo.origin;
    if (input->pointer != NULL) gesture->course->pointer = *input->pointer;
    if (gesture->course->pointer.is_ray) gesture->edit.path_m = GZ_PATH_METRES;
    gesture->course->mods = input->mods;
    status = press(session, input, &gizmo, failure);
    if (status != GZ_OK) {
        gz_interaction_release(session);
        return status;
    }
    session->shown.stale = true;
    gz_session_present(session);
    return GZ_OK;
}

/* Moves the nodes by the last pointer. */
static void follow_pointer(struct gz_session *session)
{
    struct gz_gesture *gesture = &session->gesture;
    if (gesture->typed.count > 0) return;
    (void)gz_drag_solve(&gesture->course->drag, session->view.camera, &gesture->course->pointer,
                        gesture->course->mods, &gesture->course->motion);
    gz_interaction_pose(session);
}

static enum gz_status move(struct gz_session *session, const struct gz_interaction_input *input,
                           struct gz_failure *failure)
{
    struct gz_gesture *gesture = &session->gesture;
    if (input->value != NULL) return type(session, input->value, failure);
    if (gesture->typed.count > 0) return GZ_OK;
    gesture->course->pointer = *input->pointer;
    gesture->course->mods = input->mods;
    follow_pointer(session);
    return GZ_OK;
}

const struct gz_interaction gz_drag_interaction = {
    .begin = begin,
    .move = move,
    .finish = gz_interaction_keep_edit,
    .cancel = gz_interaction_take_back,
    .camera_moved = follow_pointer, /* the grabbed point stays under the pointer */
    .is_acknowledged = true,
};
