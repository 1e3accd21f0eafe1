/* bounds_pick.c - picks nodes by their bounds. See bounds_pick.h. */
#include "session/bounds_pick.h"

#include <math.h>

#include "server/maxima.h"
#include "session/session.h"

bool gz_is_sendable_hit(const struct gz_hit *hit)
{
    return isfinite(hit->distance) && gz_finite(hit->point);
}

enum gz_status gz_session_cull(struct gz_session *session, const struct gz_pointer *pointer,
                               struct gz_culled *culled, struct gz_failure *failure)
{
    struct gz_scene *scene = session->core->scene;
    gz_plane planes[GZ_PICK_PLANES];
    *culled = (struct gz_culled){.count = 0};
    if (!gz_pick_cull(session->view.camera, pointer, session->tool.tolerance_px, planes))
        return GZ_OK;
    if (!gz_scene_cull(scene, planes, GZ_PICK_PLANES, culled))
        return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory to pick among the nodes");
    gz_budget_charge(session, culled->count + culled->renewed);
    return GZ_OK;
}

bool gz_session_pick(struct gz_session *session, const struct gz_pointer *pointer,
                     const struct gz_node *node, struct gz_hit *hit)
{
    gz_affine world = gz_scene_world(session->core->scene, node);
    hit->id = node->id;
    bool met =
        gz_pick_node(session->view.camera, pointer, &world, node->has_bounds ? &node->bounds : NULL,
                     session->tool.tolerance_px, &hit->distance, &hit->point);
    return met && gz_is_sendable_hit(hit);
}

bool gz_session_pick_rect(struct gz_session *session, const struct gz_pick *asked,
                          const struct gz_node *node, struct gz_hit *hit)
{
    const struct gz_camera *camera = session->view.camera;
    gz_affine world = gz_scene_world(session->core->scene, node);
    const gz_box *bounds = node->has_bounds ? &node->bounds : NULL;
    bool inside = false;
    if (!gz_pick_rect(camera, asked->rect, &world, bounds, &inside)) return false;
    if (asked->inside && !inside) return false;
    hit->id = node->id;
    hit->point = bounds != NULL ? gz_affine_apply(&world, gz_box_centre(bounds)) : world.origin;
    gz_vec3 from_eye = gz_sub(hit->point, camera->eye);
    hit->distance = camera->perspective ? gz_length(from_eye) : -gz_dot(from_eye, camera->backward);
    return gz_is_sendable_hit(hit);
}
