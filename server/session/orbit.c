/* orbit.c - turns the view about what is selected, by a pointer; and goes nearer, by a wheel. The
 * gesture holds no nodes and becomes no edit. See orbit.h. */
#include "session/orbit.h"

#include <math.h>

#include "session/interaction.h"
#include "session/session.h"
#include "session/setup.h"

/* The middle of the boxes of all nodes. */
static gz_vec3 middle_of_all(struct gz_scene *scene)
{
    gz_box all = {{0, 0, 0}, {0, 0, 0}};
    bool is_first = true;
    const struct gz_node *node = NULL;
    while ((node = gz_scene_walk_all(scene, node)) != NULL) {
        gz_affine world = gz_scene_world(scene, node);
        gz_box point = {world.origin, world.origin};
        gz_box box = node->has_bounds ? gz_box_transform(&node->bounds, &world) : point;
        all = is_first ? box : gz_box_union(&all, &box);
        is_first = false;
    }
    return gz_box_centre(&all);
}

/* What the client said, else the middle of what is selected, or of everything if nothing is. */
static gz_vec3 centre_of(struct gz_session *session)
{
    struct gz_scene *scene = session->core->scene;
    const struct gz_selection *selection = &session->selection;
    gz_vec3 sum = {0, 0, 0};
    if (session->view.has_target) return session->view.target;
    gz_session_prune_selection(session);
    gz_budget_charge(session, GZ_WORK_LOOK,
                     selection->count > 0 ? selection->count : gz_scene_count(scene));
    if (selection->count == 0) return middle_of_all(scene);
    for (size_t i = 0; i < selection->count; i++) {
        const struct gz_node *node = gz_scene_find(scene, selection->ids[i]);
        sum = gz_add(sum, gz_scene_world(scene, node).origin);
    }
    return gz_scale(sum, 1.0 / (double)selection->count);
}

static enum gz_status begin(struct gz_session *session, const struct gz_interaction_input *input,
                            struct gz_failure *failure)
{
    struct gz_orbit orbit;
    if (input->pointer->is_ray)
        return gz_fail(&failure->error, GZ_BAD_VALUE, "ray: orbiting takes pixels (at)");
    if (gz_orbit_begin(&orbit, &session->tool, &session->view.camera, centre_of(session),
                       input->pointer) == GZ_SOLVE_NONE)
        return gz_fail(&failure->error, GZ_BAD_VALUE, "at: nothing to orbit about in this view");
    session->gesture = (struct gz_gesture){.orbit = orbit, .closes_s = INFINITY};
    return GZ_OK;
}

static enum gz_status move(struct gz_session *session, const struct gz_interaction_input *input,
                           struct gz_failure *failure)
{
    (void)failure;
    double view[16];
    enum gz_solve solve =
        gz_orbit_solve(&session->gesture.orbit, input->pointer, input->mods, view);
    if (solve == GZ_SOLVE_OK || solve == GZ_SOLVE_CLAMPED) gz_session_send_view(session, view);
    return GZ_OK;
}

static void finish(struct gz_session *session, const struct gz_message *request)
{
    gz_interaction_release(session);
    gz_session_ok_seq(session, request);
}

static void cancel(struct gz_session *session)
{
    gz_session_send_view(session, session->gesture.orbit.camera.input.view);
    gz_interaction_release(session);
}

const struct gz_interaction gz_orbit_interaction = {
    .begin = begin, .move = move, .finish = finish, .cancel = cancel};

enum gz_status gz_session_dolly(struct gz_session *session, double notches,
                                struct gz_failure *failure)
{
    double view[16];
    if (!session->view.has_camera)
        return gz_fail(&failure->error, GZ_BAD_STATE,
                       "wheel: there is no camera to move; send camera first");
    if (!gz_orbit_dolly(&session->view.camera, centre_of(session), pow(0.9, notches), view))
        return gz_fail(&failure->error, GZ_BAD_VALUE, "dy: too large");
    gz_session_send_view(session, view);
    return GZ_OK;
}
