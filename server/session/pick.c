/* pick.c - answers picks under a pointer; search.c answers those in a rectangle. See pick.h. */
#include "session/pick.h"

#include <math.h>
#include <stdlib.h>

#include "session/bounds_pick.h"
#include "session/handlers.h"
#include "session/hits.h"
#include "session/search.h"
#include "session/session.h"
#include "session/surface_pick.h"

/* A click takes the visible node: a point (a node without bounds) is taken only if nothing else is
 * hit. Of several nodes at the same distance the lowest id is taken, as in `pick`. */
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
    enum gz_status status =
        gz_session_pick_surfaces(session, pointer, true, &hits, &count, failure);
    if (status == GZ_OK) *id = count > 0 ? hits[0].id : 0;
    return status;
}

/* ---- the request ---- */

/* Makes room for a hit of each node that was not culled. */
static enum gz_status make_room(struct gz_session *session, const struct gz_culled *culled,
                                struct gz_hit **hits, struct gz_failure *failure)
{
    *hits = gz_arena_take(&session->core->scratch, culled->count, sizeof **hits);
    if (*hits != NULL) return GZ_OK;
    return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory to pick among the nodes");
}

/* Finds all nodes that the pointer hits by their bounds, or as points. */
static enum gz_status pick_by_bounds(struct gz_session *session, const struct gz_pointer *pointer,
                                     struct gz_hit **hits, size_t *count,
                                     struct gz_failure *failure)
{
    struct gz_culled culled;
    enum gz_status status = gz_session_cull(session, pointer, &culled, failure);
    if (status == GZ_OK) status = make_room(session, &culled, hits, failure);
    if (status != GZ_OK) return status;
    for (size_t i = 0; i < culled.count; i++) {
        if (gz_session_pick(session, pointer, culled.nodes[i], &(*hits)[*count])) ++*count;
    }
    return GZ_OK;
}

enum gz_status gz_on_pick(struct gz_session *session, const struct gz_message *message,
                          struct gz_failure *failure)
{
    const struct gz_pick *asked = &message->pick;
    bool by_rect = (message->has & GZ_HAS_PICK_RECT) != 0;
    struct gz_pointer pointer;
    struct gz_hit *hits = NULL;
    size_t count = 0;
    if (by_rect && asked->surface)
        return gz_fail(&failure->error, GZ_BAD_VALUE,
                       "surface: a rect picks by bounds only; leave it out");
    if (by_rect && session->view.camera == NULL)
        return gz_fail(&failure->error, GZ_BAD_STATE,
                       "rect: pixels need a camera, and none was sent yet; send camera first");
    enum gz_status status = GZ_OK;
    if (!by_rect)
        status = gz_view_point(&session->view, (message->has & GZ_HAS_PICK_RAY) != 0, asked->at,
                               asked->ray, &pointer, &failure->error);
    if (status != GZ_OK) return status;
    if ((message->has & GZ_HAS_RID) == 0) return GZ_OK; /* without a rid there is no answer */
    if (by_rect) return gz_session_search(session, message, failure);
    if (asked->surface)
        status = gz_session_pick_surfaces(session, &pointer, false, &hits, &count, failure);
    else
        status = pick_by_bounds(session, &pointer, &hits, &count, failure);
    if (status != GZ_OK) return status;
    gz_budget_charge(session, GZ_PRICE_MOVED * count);
    if (!asked->surface) qsort(hits, count, sizeof *hits, gz_hit_compare);
    struct gz_ok ok = {.hits = hits, .hit_count = count};
    gz_session_ok(session, message, GZ_HAS_OK_HITS, &ok);
    return GZ_OK;
}
