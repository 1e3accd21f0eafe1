/* drags.c - what moves nodes while a pointer is held: handles, the wheel, an orbit of the camera.
 */
#include "core/drags.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/interaction.h"
#include "core/session.h"
#include "core/setup.h"
#include "scene/bounds_index.h"
#include "server/maxima.h"

/* ---- drag ---- */

/* A drag on a handle of the gizmo, by a pointer, a typed value or both. */

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
static enum gz_status type(struct gz_session *session, struct gz_gesture *gesture,
                           const struct gz_value *value, struct gz_failure *failure)
{
    static const char *const numbers[] = {"no number", "one number", "two numbers"};
    struct gz_scene *scene = session->core->scene;
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
    gz_interaction_pose_now(session, gesture);
    return GZ_OK;
}

static enum gz_status press(struct gz_session *session, struct gz_gesture *gesture,
                            const struct gz_interaction_input *input, const struct gz_gizmo *gizmo,
                            struct gz_failure *failure)
{
    const struct gz_camera *camera = session->view.camera;
    if (gz_drag_begin(&gesture->course->drag, input->handle, gizmo, &session->tool, camera,
                      input->pointer, input->mods) == GZ_SOLVE_NONE)
        return refuse_handle(input, failure);
    if (input->value != NULL) return type(session, gesture, input->value, failure);
    /* Moves nothing, but fills in the numbers of the handle. */
    (void)gz_drag_solve(&gesture->course->drag, camera, input->pointer, input->mods,
                        &gesture->course->motion);
    return GZ_OK;
}

static enum gz_status begin(struct gz_session *session, struct gz_gesture *gesture,
                            const struct gz_interaction_input *input, struct gz_failure *failure)
{
    struct gz_gizmo gizmo;
    enum gz_status status =
        gz_interaction_hold(session, input, gz_handle_kind(input->handle), &gizmo, failure);
    if (status != GZ_OK) return status;
    gesture->course->start = gizmo.origin;
    if (input->pointer != NULL) gesture->course->pointer = *input->pointer;
    if (gesture->course->pointer.is_ray) gesture->edit.path_m = GZ_PATH_METRES;
    gesture->course->mods = input->mods;
    status = press(session, gesture, input, &gizmo, failure);
    if (status != GZ_OK) {
        gz_interaction_release(session, gesture);
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
    gz_interaction_pose(session, gesture);
}

static enum gz_status move(struct gz_session *session, struct gz_gesture *gesture,
                           const struct gz_interaction_input *input, struct gz_failure *failure)
{
    if (input->value != NULL) return type(session, gesture, input->value, failure);
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

/* ---- wheel ---- */

/* The wheel gesture: scales the selection until the wheel rests for GZ_WHEEL_SECONDS. */

/* Keeps the motion of one notch: each move solves the whole turn from the beginning, about the same
 * pivot. */
static enum gz_status wheel_begin(struct gz_session *session, struct gz_gesture *gesture,
                                  const struct gz_interaction_input *input,
                                  struct gz_failure *failure)
{
    struct gz_gizmo gizmo;
    enum gz_status status = gz_interaction_hold(session, input, GZ_EDIT_WHEEL, &gizmo, failure);
    if (status != GZ_OK) return status;
    gesture->course->notch = gz_motion_wheel(&gizmo, 1);
    gz_session_present(session);
    return GZ_OK;
}

/* A turn whose factor a double cannot hold does nothing. */
static enum gz_status wheel_move(struct gz_session *session, struct gz_gesture *gesture,
                                 const struct gz_interaction_input *input,
                                 struct gz_failure *failure)
{
    (void)failure;
    double notches = gz_wheel_turned(gesture->course->notches, input->notches);
    gesture->closes_s = session->core->clock.now.mono_s + GZ_WHEEL_SECONDS;
    if (!gz_motion_wheel_by(&gesture->course->notch, notches, &gesture->course->motion))
        return GZ_OK;
    gesture->course->notches = notches;
    gz_interaction_pose(session, gesture);
    return GZ_OK;
}

const struct gz_interaction gz_wheel_interaction = {
    .begin = wheel_begin,
    .move = wheel_move,
    .finish = gz_interaction_keep_edit,
    .cancel = gz_interaction_take_back,
    .gives_way = true,
};

/* ---- orbit ---- */

/* A pointer orbits the view about the selection, a wheel moves it nearer. The gesture
 * holds no nodes and becomes no edit. */

/* Finds the centre of the box around all nodes. False without memory. */
static bool find_middle_of_all(struct gz_session *session, gz_vec3 *at)
{
    gz_box all;
    size_t looked_at;
    bool is_found = gz_scene_bounds(session->core->scene, &all, &looked_at);
    gz_budget_charge(session, looked_at);
    if (is_found) *at = gz_box_centre(&all);
    return is_found;
}

static gz_vec3 middle_of_selected(struct gz_session *session)
{
    struct gz_scene *scene = session->core->scene;
    const struct gz_selection *selection = &session->selection;
    gz_vec3 sum = {0, 0, 0};
    for (size_t i = 0; i < selection->count; i++) {
        const struct gz_node *node = gz_scene_find(scene, selection->ids[i]);
        sum = gz_add(sum, gz_scene_world(scene, node).origin);
    }
    return gz_scale(sum, 1.0 / (double)selection->count);
}

/* Whether the last centre can be used: nothing has changed, or the session cannot afford a new
 * look. */
static bool is_centre_known(struct gz_session *session)
{
    const struct gz_view *view = &session->view;
    if (!view->centre.is_known || view->centre.selected != session->selection.version) return false;
    return view->centre.seq == gz_scene_seq(session->core->scene) ||
           !gz_budget_affords(session, GZ_NODES_PER_MESSAGE, GZ_HASTE_ASKED);
}

/* Finds the centre of rotation: the client's target, else the centre of the selection, else of all
 * nodes. False without memory. */
static bool find_centre(struct gz_session *session, gz_vec3 *at)
{
    struct gz_view *view = &session->view;
    *at = view->has_target ? view->target : view->centre.at;
    if (view->has_target || is_centre_known(session)) return true;
    gz_budget_charge(session, session->selection.count);
    gz_session_prune_selection(session);
    if (session->selection.count > 0)
        *at = middle_of_selected(session);
    else if (!find_middle_of_all(session, at))
        return false;
    view->centre.is_known = true;
    view->centre.seq = gz_scene_seq(session->core->scene);
    view->centre.selected = session->selection.version;
    view->centre.at = *at;
    return true;
}

static enum gz_status no_memory(struct gz_failure *failure)
{
    return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory to find the centre to orbit about");
}

static enum gz_status orbit_begin(struct gz_session *session, struct gz_gesture *gesture,
                                  const struct gz_interaction_input *input,
                                  struct gz_failure *failure)
{
    struct gz_orbit *orbit;
    gz_vec3 centre;
    enum gz_solve solve;
    if (input->pointer->is_ray)
        return gz_fail(&failure->error, GZ_BAD_VALUE, "ray: orbiting needs `at` instead");
    if (!find_centre(session, &centre)) return no_memory(failure);
    orbit = malloc(sizeof *orbit);
    if (orbit == NULL) return no_memory(failure);
    solve = gz_orbit_begin(orbit, &session->tool, session->view.camera, centre, input->pointer);
    gesture->orbit = orbit;
    gesture->closes_s = INFINITY;
    if (solve != GZ_SOLVE_NONE) return GZ_OK;
    gz_gesture_finish(gesture);
    return gz_fail(&failure->error, GZ_BAD_VALUE, "at: this view has no centre to orbit about");
}

static enum gz_status orbit_move(struct gz_session *session, struct gz_gesture *gesture,
                                 const struct gz_interaction_input *input,
                                 struct gz_failure *failure)
{
    (void)failure;
    double view[16];
    enum gz_solve solve = gz_orbit_solve(gesture->orbit, input->pointer, input->mods, view);
    if (solve == GZ_SOLVE_OK || solve == GZ_SOLVE_CLAMPED) gz_session_send_view(session, view);
    return GZ_OK;
}

static void finish(struct gz_session *session, struct gz_gesture *gesture,
                   const struct gz_message *request)
{
    gz_interaction_release(session, gesture);
    if (request != NULL) gz_session_ok(session, request, 0, NULL);
}

static void cancel(struct gz_session *session, struct gz_gesture *gesture)
{
    gz_session_send_view(session, gesture->orbit->camera.input.view);
    gz_interaction_release(session, gesture);
}

const struct gz_interaction gz_orbit_interaction = {
    .begin = orbit_begin, .move = orbit_move, .finish = finish, .cancel = cancel};

enum gz_status gz_session_dolly(struct gz_session *session, double notches,
                                struct gz_failure *failure)
{
    double view[16];
    gz_vec3 centre;
    if (session->view.camera == NULL)
        return gz_fail(&failure->error, GZ_BAD_STATE,
                       "wheel: there is no camera to move; send camera first");
    if (!find_centre(session, &centre)) return no_memory(failure);
    if (!gz_orbit_wheel(session->view.camera, centre, notches, view))
        return gz_fail(&failure->error, GZ_BAD_VALUE, "dy: too large");
    gz_session_send_view(session, view);
    return GZ_OK;
}
