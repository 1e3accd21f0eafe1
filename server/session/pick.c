#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"
#include "session/session.h"

enum gz_status gz_session_pointer(const struct gz_session *session, bool has_ray,
                                  const double at[2], const double ray[6],
                                  struct gz_pointer *pointer, struct gz_failure *failure)
{
    *pointer = (struct gz_pointer){.is_ray = has_ray};
    if (has_ray) {
        pointer->origin = (gz_vec3){ray[0], ray[1], ray[2]};
        pointer->direction = (gz_vec3){ray[3], ray[4], ray[5]};
        return GZ_OK;
    }
    if (!session->has_camera)
        return gz_fail(&failure->error, GZ_BAD_STATE,
                       "at: pixels need a camera, and none was sent yet");
    memcpy(pointer->at, at, sizeof pointer->at);
    return GZ_OK;
}

bool gz_can_say_hit(const struct gz_hit *hit)
{
    return isfinite(hit->distance) && gz_finite(hit->point);
}

bool gz_session_pick(struct gz_session *session, const struct gz_pointer *pointer,
                     const struct gz_node *node, struct gz_hit *hit)
{
    gz_affine world = gz_scene_world(session->core->scene, node);
    hit->id = node->id;
    bool met = gz_pick_node(session->has_camera ? &session->camera : NULL, pointer, &world,
                            node->has_bounds ? &node->bounds : NULL, session->tool.tolerance_px,
                            &hit->distance, &hit->point);
    return met && gz_can_say_hit(hit);
}

/* Few of many nodes can be met: only those are looked at. What that cost counts against the
 * session's rate. */
static enum gz_status cull(struct gz_session *session, const gz_plane planes[GZ_PICK_PLANES],
                           struct gz_culled *culled, struct gz_failure *failure)
{
    struct gz_scene *scene = session->core->scene;
    if (!gz_scene_cull(scene, planes, GZ_PICK_PLANES, culled))
        return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory to pick among the nodes");
    gz_session_charge(session,
                      (double)gz_scene_count(scene) / GZ_NODES_CULLED_PER_MESSAGE +
                          (double)(culled->count + culled->renewed) / GZ_NODES_PICKED_PER_MESSAGE);
    return GZ_OK;
}

enum gz_status gz_session_cull(struct gz_session *session, const struct gz_pointer *pointer,
                               struct gz_culled *culled, struct gz_failure *failure)
{
    gz_plane planes[GZ_PICK_PLANES];
    const struct gz_camera *camera = session->has_camera ? &session->camera : NULL;
    *culled = (struct gz_culled){.count = 0};
    if (!gz_pick_cull(camera, pointer, session->tool.tolerance_px, planes)) return GZ_OK;
    return cull(session, planes, culled, failure);
}

/* A click means the thing that is seen: points (nodes without bounds) are taken only where there is
 * nothing else. Of those at one distance the lowest id, as in `pick`. */
static bool is_before(const struct gz_node *node, const struct gz_hit *hit,
                      const struct gz_node *best, const struct gz_hit *best_hit)
{
    if (best == NULL || node->has_bounds != best->has_bounds)
        return best == NULL || node->has_bounds;
    if (hit->distance != best_hit->distance) return hit->distance < best_hit->distance;
    return node->id < best->id;
}

static enum gz_status node_under_by_bounds(struct gz_session *session,
                                           const struct gz_pointer *pointer, uint64_t *id,
                                           struct gz_failure *failure)
{
    struct gz_culled culled;
    enum gz_status status = gz_session_cull(session, pointer, &culled, failure);
    if (status != GZ_OK) return status;
    const struct gz_node *best = NULL;
    struct gz_hit best_hit = {.distance = INFINITY};
    for (size_t i = 0; i < culled.count; i++) {
        const struct gz_node *node = culled.nodes[i];
        struct gz_hit hit;
        if (!gz_session_pick(session, pointer, node, &hit) ||
            !is_before(node, &hit, best, &best_hit))
            continue;
        best = node;
        best_hit = hit;
    }
    *id = best != NULL ? best->id : 0;
    return GZ_OK;
}

enum gz_status gz_session_node_under(struct gz_session *session, const struct gz_pointer *pointer,
                                     uint64_t *id, struct gz_failure *failure)
{
    if (!session->by_surface) return node_under_by_bounds(session, pointer, id, failure);
    struct gz_hit *hits;
    size_t count;
    enum gz_status status = gz_session_look(session, pointer, true, &hits, &count, failure);
    if (status == GZ_OK) *id = count > 0 ? hits[0].id : 0;
    return status;
}

static int compare_hits(const void *a, const void *b)
{
    const struct gz_hit *x = a, *y = b;
    if (x->distance != y->distance) return x->distance < y->distance ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

static bool node_in_rect(struct gz_session *session, const struct gz_pick *asked,
                         const struct gz_node *node, struct gz_hit *hit)
{
    gz_affine world = gz_scene_world(session->core->scene, node);
    bool inside = false;
    if (!gz_pick_rect(&session->camera, asked->rect, &world,
                      node->has_bounds ? &node->bounds : NULL, &inside))
        return false;
    if (asked->inside && !inside) return false;
    gz_vec3 centre =
        node->has_bounds ? gz_affine_apply(&world, gz_box_centre(&node->bounds)) : world.origin;
    gz_vec3 from_eye = gz_sub(centre, session->camera.eye);
    hit->id = node->id;
    hit->point = centre;
    hit->distance = session->camera.perspective ? gz_length(from_eye)
                                                : -gz_dot(from_eye, session->camera.backward);
    return gz_can_say_hit(hit);
}

/* All that is met by its bounds, or as a point. */
static enum gz_status pick_by_bounds(struct gz_session *session, const struct gz_pointer *pointer,
                                     const struct gz_pick *rect, struct gz_hit **hits,
                                     size_t *count, struct gz_failure *failure)
{
    gz_plane planes[GZ_PICK_PLANES];
    struct gz_culled culled;
    if (rect != NULL) gz_pick_rect_cull(&session->camera, rect->rect, planes);
    enum gz_status status = rect != NULL ? cull(session, planes, &culled, failure)
                                         : gz_session_cull(session, pointer, &culled, failure);
    if (status != GZ_OK) return status;
    *hits = gz_arena_take(&session->core->scratch, culled.count, sizeof **hits);
    if (*hits == NULL)
        return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory to pick among the nodes");
    *count = 0;
    for (size_t i = 0; i < culled.count; i++) {
        const struct gz_node *node = culled.nodes[i];
        struct gz_hit *hit = &(*hits)[*count];
        *count += rect != NULL ? node_in_rect(session, rect, node, hit)
                               : gz_session_pick(session, pointer, node, hit);
    }
    qsort(*hits, *count, sizeof **hits, compare_hits);
    return GZ_OK;
}

enum gz_status gz_on_pick(struct gz_session *session, const struct gz_message *message,
                          struct gz_failure *failure)
{
    const struct gz_pick *asked = &message->pick;
    bool by_rect = (message->has & GZ_HAS(RECT)) != 0;
    struct gz_pointer pointer = {.is_ray = false};
    struct gz_hit *hits = NULL;
    size_t count = 0;
    if (by_rect && asked->surface)
        return gz_fail(&failure->error, GZ_BAD_VALUE,
                       "surface: a rect goes by bounds alone; leave it out");
    enum gz_status status = gz_session_pointer(session, (message->has & GZ_HAS(RAY)) != 0,
                                               asked->at, asked->ray, &pointer, failure);
    if (status != GZ_OK) return status;

    if ((message->has & GZ_HAS(RID)) == 0) return GZ_OK; /* nobody would hear the answer */

    status = asked->surface ? gz_session_look(session, &pointer, false, &hits, &count, failure)
                            : pick_by_bounds(session, &pointer, by_rect ? asked : NULL, &hits,
                                             &count, failure);
    if (status != GZ_OK) return status;
    struct gz_ok ok = {.hits = hits, .hit_count = count};
    gz_session_ok(session, message, GZ_HAS(HITS), &ok);
    return GZ_OK;
}
