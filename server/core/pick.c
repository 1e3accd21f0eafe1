/* pick.c - what is under a pointer or in a rectangle: by bounds, and by triangles. */
#include "core/pick.h"

#include <math.h>
#include <stdlib.h>

#include "core/answers.h"
#include "core/past.h"
#include "core/session.h"
#include "scene/bounds_index.h"
#include "server/maxima.h"
#include "solver/surface.h"

/* ---- by bounds ---- */

/* Picks nodes by their bounds. */

/* Whether the hit can be sent. In a deep hierarchy coordinates can exceed what a double holds. */
static bool is_sendable(const struct gz_hit *hit)
{
    return isfinite(hit->distance) && gz_finite(hit->point);
}

/* The nodes that can be under the pointer. Only these few of many nodes are looked at, and
 * charged. */
static enum gz_status cull(struct gz_session *session, const struct gz_pointer *pointer,
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

/* Whether the pointer meets the node by its bounds, or as a point. */
static bool meets_bounds(struct gz_session *session, const struct gz_pointer *pointer,
                         const struct gz_node *node, struct gz_hit *hit)
{
    gz_affine world = gz_scene_world(session->core->scene, node);
    hit->id = node->id;
    bool met =
        gz_pick_node(session->view.camera, pointer, &world, node->has_bounds ? &node->bounds : NULL,
                     session->tool.tolerance_px, &hit->distance, &hit->point);
    return met && is_sendable(hit);
}

/* Whether the node is in the rectangle, as asked. */
static bool is_in_rect(struct gz_session *session, const struct gz_pick *asked,
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
    return is_sendable(hit);
}

/* ---- by triangles ---- */

/* Picks nodes by their triangles. */

/* The order of hits: nodes that the pointer meets, nodes that it passes within the tolerance,
 * points. */
enum rank { MET, PASSED, POINT };

struct seen {
    struct gz_hit hit;
    enum rank rank;
    double px; /* PASSED: from the pointer */
};

/* A node whose surface the pointer may meet, no nearer than at this distance. */
struct candidate {
    const struct gz_node *node;
    const struct gz_surface *surface;
    double distance;
};

struct search {
    struct gz_session *session;
    const struct gz_pointer *pointer;
    const struct gz_camera *camera;
    bool first_only;
    struct gz_culled culled;
    struct candidate *candidates; /* a heap, the nearest first */
    size_t candidate_count;
    struct seen *seen; /* with first_only at most one */
    size_t seen_count;
    bool met;     /* a node among those seen is MET */
    size_t tests; /* boxes and triangles that may still be tested */
};

static bool is_before(const struct seen *a, const struct seen *b)
{
    if (a->rank != b->rank) return a->rank < b->rank;
    if (a->px != b->px) return a->px < b->px;
    if (a->hit.distance != b->hit.distance) return a->hit.distance < b->hit.distance;
    return a->hit.id < b->hit.id;
}

static int compare_seen(const void *a, const void *b)
{
    return is_before(b, a) - is_before(a, b);
}

static void keep(struct search *search, const struct seen *seen)
{
    if (seen->rank == MET) search->met = true;
    if (!search->first_only || search->seen_count == 0)
        search->seen[search->seen_count++] = *seen;
    else if (is_before(seen, search->seen))
        search->seen[0] = *seen;
}

/* ---- candidates, the nearest first: with first_only most are never looked at ---- */

static void sink(struct candidate *heap, size_t count, size_t at)
{
    struct candidate moved = heap[at];
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && heap[child + 1].distance < heap[child].distance) child++;
        if (!(heap[child].distance < moved.distance)) break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

static void arrange(struct search *search)
{
    for (size_t at = search->candidate_count / 2; at-- > 0;)
        sink(search->candidates, search->candidate_count, at);
}

static bool take_nearest(struct search *search, double limit, struct candidate *candidate)
{
    if (search->candidate_count == 0 || search->candidates[0].distance > limit) return false;
    *candidate = search->candidates[0];
    search->candidates[0] = search->candidates[--search->candidate_count];
    sink(search->candidates, search->candidate_count, 0);
    return true;
}

/* ---- surfaces that are met ---- */

static const struct gz_surface *surface_of(const struct search *search, const struct gz_node *node)
{
    return node->has_bounds ? gz_assets_surface(&search->session->core->assets, node->asset) : NULL;
}

static bool may_test(struct search *search)
{
    if (search->tests < GZ_SURFACE_TESTS_PER_NODE) return false;
    search->tests -= GZ_SURFACE_TESTS_PER_NODE;
    return true;
}

/* Also false once the tests are used up. */
static bool aim_at(struct search *search, const struct gz_node *node, struct gz_aim *aim)
{
    if (!may_test(search)) return false;
    gz_affine world = gz_scene_world(search->session->core->scene, node);
    return gz_aim(aim, search->camera, search->pointer, &world);
}

/* Adds the node as a candidate or, if the ray cannot be brought into its space or the tests are
 * used up, tests its bounds alone. */
static void add_candidate(struct search *search, const struct gz_node *node)
{
    struct candidate candidate = {.node = node, .surface = surface_of(search, node)};
    struct gz_aim aim;
    struct seen seen = {.rank = node->has_bounds ? MET : POINT};
    if (candidate.surface != NULL && aim_at(search, node, &aim)) {
        candidate.distance = gz_surface_enter(candidate.surface, &aim);
        if (isfinite(candidate.distance)) search->candidates[search->candidate_count++] = candidate;
        return;
    }
    if (meets_bounds(search->session, search->pointer, node, &seen.hit)) keep(search, &seen);
}

/* Whether the pointer meets the candidate, no further away than `limit`. Once the tests are used
 * up, its bounds decide. */
static bool meet(struct search *search, const struct candidate *candidate, double limit,
                 struct gz_hit *hit)
{
    struct gz_aim aim;
    double distance = limit;
    if (aim_at(search, candidate->node, &aim)) {
        enum gz_surface_outcome met =
            gz_surface_hit(candidate->surface, &aim, &search->tests, &distance);
        if (met == GZ_MISSED) return false;
        if (met == GZ_MET) {
            *hit = (struct gz_hit){candidate->node->id, distance, gz_aim_place(&aim, distance)};
            return is_sendable(hit);
        }
    }
    return meets_bounds(search->session, search->pointer, candidate->node, hit) &&
           hit->distance <= limit;
}

/* The distance beyond which a surface need not be tested. */
static double limit_of(const struct search *search)
{
    return search->first_only && search->met ? search->seen[0].hit.distance : HUGE_VAL;
}

/* Tests the candidates, nearest first; hits by bounds and points are known already. */
static void meet_all(struct search *search)
{
    struct candidate candidate;
    arrange(search);
    while (take_nearest(search, limit_of(search), &candidate)) {
        struct seen seen = {.rank = MET};
        if (meet(search, &candidate, limit_of(search), &seen.hit)) keep(search, &seen);
    }
}

/* ---- surfaces that are passed by ---- */

static void pass_all(struct search *search)
{
    double px = search->session->tool.tolerance_px;
    for (size_t i = 0; i < search->culled.count; i++) {
        const struct gz_node *node = search->culled.nodes[i];
        const struct gz_surface *surface = surface_of(search, node);
        if (surface == NULL) continue;
        if (!may_test(search)) break;
        gz_affine world = gz_scene_world(search->session->core->scene, node);
        struct gz_beside beside = {.px = px};
        struct seen seen = {.rank = PASSED, .hit = {.id = node->id}};
        enum gz_surface_outcome met = gz_surface_pass(surface, search->camera, search->pointer,
                                                      &world, &search->tests, &beside);
        if (met == GZ_GAVE_UP) break;
        if (met == GZ_MISSED) continue;
        seen.px = beside.px;
        seen.hit.distance = beside.distance;
        seen.hit.point = beside.point;
        if (!is_sendable(&seen.hit)) continue;
        keep(search, &seen);
        if (search->first_only) px = beside.px;
    }
}

/* ---- the whole ---- */

static enum gz_status begin_search(struct search *search, struct gz_failure *failure)
{
    enum gz_status status = cull(search->session, search->pointer, &search->culled, failure);
    if (status != GZ_OK) return status;
    struct gz_arena *scratch = &search->session->core->scratch;
    search->candidates = gz_arena_take(scratch, search->culled.count, sizeof *search->candidates);
    search->seen = gz_arena_take(scratch, search->culled.count, sizeof *search->seen);
    if (search->candidates == NULL || search->seen == NULL)
        return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory to pick among the nodes");
    for (size_t i = 0; i < search->culled.count; i++)
        add_candidate(search, search->culled.nodes[i]);
    return GZ_OK;
}

/* The hits of the pointer, in the core's scratch; the node that a press takes comes first. First
 * the surfaces, and the bounds of nodes without known triangles, by distance. If none is hit, the
 * surfaces within the tool's tolerance of the pointer, by distance on the screen. Last the points,
 * by distance. With `first_only` one hit at most, which is less work. Charged to the session. */
static enum gz_status pick_surfaces(struct gz_session *session, const struct gz_pointer *pointer,
                                    bool first_only, struct gz_hit **hits, size_t *count,
                                    struct gz_failure *failure)
{
    struct search search = {.session = session,
                            .pointer = pointer,
                            .camera = session->view.camera,
                            .first_only = first_only,
                            .tests = GZ_SURFACE_TESTS_PER_LOOK};
    enum gz_status status = begin_search(&search, failure);
    if (status != GZ_OK) return status;
    meet_all(&search);
    if (!search.met) pass_all(&search);
    gz_budget_charge(session, (GZ_SURFACE_TESTS_PER_LOOK - search.tests) / GZ_TRIANGLES_PER_NODE);

    *count = search.seen_count;
    *hits = gz_arena_take(&session->core->scratch, *count, sizeof **hits);
    if (*hits == NULL)
        return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory to pick among the nodes");
    qsort(search.seen, search.seen_count, sizeof *search.seen, compare_seen);
    for (size_t i = 0; i < *count; i++) (*hits)[i] = search.seen[i].hit;
    return GZ_OK;
}

/* ---- many nodes ---- */

/* Answers a `pick` with `rect`. */

struct gz_search {
    uint64_t rid;
    struct gz_pick asked;
    struct gz_look look;
    struct gz_hits hits;
};

void gz_search_destroy(struct gz_search *search)
{
    if (search == NULL) return;
    gz_look_finish(&search->look);
    gz_hits_finish(&search->hits);
    free(search);
}

static enum gz_status no_memory(struct gz_failure *failure)
{
    return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory to pick among the nodes");
}

/* Sends the hits as one answer, or in pieces if they are many. */
static enum gz_status answer(struct gz_session *session, struct gz_search *search,
                             struct gz_failure *failure)
{
    struct gz_message request = {.has = GZ_HAS_RID, .rid = search->rid};
    size_t count = search->hits.count;
    if (count > GZ_HITS_PER_MESSAGE) {
        enum gz_status status = gz_past_send_hits(&session->past, search->rid, &search->hits);
        return status == GZ_OK ? GZ_OK : no_memory(failure);
    }
    struct gz_hit *hits = gz_arena_take(&session->core->scratch, count, sizeof *hits);
    if (hits == NULL) return no_memory(failure);
    gz_budget_charge(session, GZ_PRICE_MOVED * count);
    for (size_t i = 0; i < count; i++) hits[i] = gz_hits_take(&search->hits);
    struct gz_ok ok = {.hits = hits, .hit_count = count};
    gz_session_ok(session, &request, GZ_HAS_OK_HITS, &ok);
    return GZ_OK;
}

/* Looks at the next nodes, and charges for them. */
static enum gz_look_step look(struct gz_session *session, struct gz_search *search)
{
    size_t *budget = &session->core->slice;
    const size_t before = search->look.spent;
    const struct gz_node *node;
    enum gz_look_step step;
    while ((step = gz_look_next(&search->look, session->core->scene, budget, &node)) ==
           GZ_LOOK_NODE) {
        struct gz_hit hit;
        if (is_in_rect(session, &search->asked, node, &hit) && !gz_hits_add(&search->hits, &hit))
            return GZ_LOOK_NO_MEMORY;
    }
    gz_budget_charge(session, search->look.spent - before);
    return step;
}

/* Whether the search is over: it was answered or has failed. */
static bool is_over(struct gz_session *session, struct gz_search *search, enum gz_status *status,
                    struct gz_failure *failure)
{
    const enum gz_look_step step = look(session, search);
    *status = GZ_OK;
    if (step == GZ_LOOK_END) *status = answer(session, search, failure);
    if (step == GZ_LOOK_NO_MEMORY) *status = no_memory(failure);
    return step != GZ_LOOK_PAUSE;
}

/* Begins the search that `message` asks for, within the rest of the core's slice, and answers it,
 * at once or later. The session must have a camera, and no other search. */
static enum gz_status search_rect(struct gz_session *session, const struct gz_message *message,
                                  struct gz_failure *failure)
{
    struct gz_search *search = calloc(1, sizeof *search);
    enum gz_status status;
    gz_plane planes[GZ_PICK_PLANES];
    if (search == NULL) return no_memory(failure);
    gz_pick_rect_cull(session->view.camera, message->pick.rect, planes);
    search->rid = message->rid;
    search->asked = message->pick;
    search->look = gz_look_into(planes, GZ_PICK_PLANES);
    if (gz_look_fits(session->core->scene, session->core->slice) &&
        is_over(session, search, &status, failure)) {
        gz_search_destroy(search);
        return status;
    }
    session->search = search;
    return GZ_OK;
}

void gz_session_go_on_searching(struct gz_session *session)
{
    struct gz_search *search = session->search;
    struct gz_failure failure = {.node = 0};
    enum gz_status status;
    if (!is_over(session, search, &status, &failure)) return;
    if (status != GZ_OK) gz_session_refuse(session, true, search->rid, &failure, false);
    session->search = NULL;
    gz_search_destroy(search);
}

/* ---- pick ---- */

/* Answers picks under a pointer; pick.c answers those in a rectangle. */

/* A click takes the visible node: a point (a node without bounds) is taken only if nothing else is
 * hit. Of several nodes at the same distance the lowest id is taken, as in `pick`. */
static bool pick_is_before(const struct gz_node *node, const struct gz_hit *hit,
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
    enum gz_status status = cull(session, pointer, &culled, failure);
    if (status != GZ_OK) return status;
    const struct gz_node *best = NULL;
    struct gz_hit best_hit = {.distance = INFINITY};
    for (size_t i = 0; i < culled.count; i++) {
        const struct gz_node *node = culled.nodes[i];
        struct gz_hit hit;
        if (!meets_bounds(session, pointer, node, &hit) ||
            !pick_is_before(node, &hit, best, &best_hit))
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
    enum gz_status status = pick_surfaces(session, pointer, true, &hits, &count, failure);
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
    enum gz_status status = cull(session, pointer, &culled, failure);
    if (status == GZ_OK) status = make_room(session, &culled, hits, failure);
    if (status != GZ_OK) return status;
    for (size_t i = 0; i < culled.count; i++) {
        if (meets_bounds(session, pointer, culled.nodes[i], &(*hits)[*count])) ++*count;
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
    if (by_rect) return search_rect(session, message, failure);
    if (asked->surface)
        status = pick_surfaces(session, &pointer, false, &hits, &count, failure);
    else
        status = pick_by_bounds(session, &pointer, &hits, &count, failure);
    if (status != GZ_OK) return status;
    gz_budget_charge(session, GZ_PRICE_MOVED * count);
    if (!asked->surface) qsort(hits, count, sizeof *hits, gz_hit_compare);
    struct gz_ok ok = {.hits = hits, .hit_count = count};
    gz_session_ok(session, message, GZ_HAS_OK_HITS, &ok);
    return GZ_OK;
}
