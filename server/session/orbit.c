/* orbit.c - a pointer orbits the view about the selection, a wheel moves it nearer. The gesture
 * holds no nodes and becomes no edit. See orbit.h. */
#include "session/orbit.h"

#include <math.h>
#include <stdlib.h>

#include "scene/bounds_index.h"
#include "session/interaction.h"
#include "session/session.h"
#include "session/setup.h"

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

static enum gz_status begin(struct gz_session *session, const struct gz_interaction_input *input,
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
    session->gesture = (struct gz_gesture){.orbit = orbit, .closes_s = INFINITY};
    if (solve != GZ_SOLVE_NONE) return GZ_OK;
    gz_gesture_finish(&session->gesture);
    return gz_fail(&failure->error, GZ_BAD_VALUE, "at: this view has no centre to orbit about");
}

static enum gz_status move(struct gz_session *session, const struct gz_interaction_input *input,
                           struct gz_failure *failure)
{
    (void)failure;
    double view[16];
    enum gz_solve solve = gz_orbit_solve(session->gesture.orbit, input->pointer, input->mods, view);
    if (solve == GZ_SOLVE_OK || solve == GZ_SOLVE_CLAMPED) gz_session_send_view(session, view);
    return GZ_OK;
}

static void finish(struct gz_session *session, const struct gz_message *request)
{
    gz_interaction_release(session);
    if (request != NULL) gz_session_ok(session, request, 0, NULL);
}

static void cancel(struct gz_session *session)
{
    gz_session_send_view(session, session->gesture.orbit->camera.input.view);
    gz_interaction_release(session);
}

const struct gz_interaction gz_orbit_interaction = {
    .begin = begin, .move = move, .finish = finish, .cancel = cancel};

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
