/* surface_pick.c - picks nodes by their triangles. See surface_pick.h. */
#include "session/surface_pick.h"

#include <math.h>
#include <stdlib.h>

#include "server/maxima.h"
#include "session/bounds_pick.h"
#include "session/session.h"
#include "solver/surface.h"

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
    return node->has_bounds ? gz_surface_of(search->session->core->asset.surfaces, node->asset)
                            : NULL;
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
    if (gz_session_pick(search->session, search->pointer, node, &seen.hit)) keep(search, &seen);
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
            return gz_is_sendable_hit(hit);
        }
    }
    return gz_session_pick(search->session, search->pointer, candidate->node, hit) &&
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
        if (!gz_is_sendable_hit(&seen.hit)) continue;
        keep(search, &seen);
        if (search->first_only) px = beside.px;
    }
}

/* ---- the whole ---- */

static enum gz_status begin_search(struct search *search, struct gz_failure *failure)
{
    enum gz_status status =
        gz_session_cull(search->session, search->pointer, &search->culled, failure);
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

enum gz_status gz_session_pick_surfaces(struct gz_session *session,
                                        const struct gz_pointer *pointer, bool first_only,
                                        struct gz_hit **hits, size_t *count,
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
