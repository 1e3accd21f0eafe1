/* What is under a pointer by what is seen of it: the triangles of nodes where they are known, the
 * bounds of the others. */
#include <math.h>
#include <stdlib.h>

#include "server/maxima.h"
#include "session/session.h"

/* What comes first: what is met, what is passed by, points. */
enum rank { MET, PASSED, POINT };

struct seen {
    struct gz_hit hit;
    enum rank rank;
    double px; /* from the pointer, for what is passed by */
};

/* A node whose surface may be met, no nearer than at this distance. */
struct candidate {
    const struct gz_node *node;
    const struct gz_surface *surface;
    double distance;
};

struct look {
    struct gz_session *session;
    const struct gz_pointer *pointer;
    const struct gz_camera *camera;
    bool first_only;
    struct gz_culled culled;
    struct candidate *candidates; /* a heap, the nearest first */
    size_t candidate_count;
    struct seen *seen; /* where only the first is asked for, that alone */
    size_t seen_count;
    bool met;     /* whether something of them is */
    size_t tests; /* that may still be made */
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

static void keep(struct look *look, const struct seen *seen)
{
    if (seen->rank == MET) look->met = true;
    if (!look->first_only || look->seen_count == 0)
        look->seen[look->seen_count++] = *seen;
    else if (is_before(seen, look->seen))
        look->seen[0] = *seen;
}

/* ---- candidates, the nearest first: most are never looked at where only the first is asked for
 * ---- */

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

static void arrange(struct look *look)
{
    for (size_t at = look->candidate_count / 2; at-- > 0;)
        sink(look->candidates, look->candidate_count, at);
}

static bool take_nearest(struct look *look, double limit, struct candidate *candidate)
{
    if (look->candidate_count == 0 || look->candidates[0].distance > limit) return false;
    *candidate = look->candidates[0];
    look->candidates[0] = look->candidates[--look->candidate_count];
    sink(look->candidates, look->candidate_count, 0);
    return true;
}

/* ---- what is met ---- */

static const struct gz_surface *surface_of(const struct look *look, const struct gz_node *node)
{
    return node->has_bounds ? gz_surface_of(look->session->core->surfaces, node->asset) : NULL;
}

static bool may_look(struct look *look)
{
    if (look->tests < GZ_SURFACE_TESTS_PER_NODE) return false;
    look->tests -= GZ_SURFACE_TESTS_PER_NODE;
    return true;
}

/* False too where there were too many tests. */
static bool aim_at(struct look *look, const struct gz_node *node, struct gz_aim *aim)
{
    if (!may_look(look)) return false;
    gz_affine world = gz_scene_world(look->session->core->scene, node);
    return gz_aim(aim, look->camera, look->pointer, &world);
}

/* Where the node's own space cannot be reached, or not any more, its surface is of no use. */
static void add_candidate(struct look *look, const struct gz_node *node)
{
    struct candidate candidate = {.node = node, .surface = surface_of(look, node)};
    struct gz_aim aim;
    struct seen seen = {.rank = node->has_bounds ? MET : POINT};
    if (candidate.surface != NULL && aim_at(look, node, &aim)) {
        candidate.distance = gz_surface_enter(candidate.surface, &aim);
        if (isfinite(candidate.distance)) look->candidates[look->candidate_count++] = candidate;
        return;
    }
    if (gz_session_pick(look->session, look->pointer, node, &seen.hit)) keep(look, &seen);
}

/* Whether it is met, and not further away than `limit`. By its bounds too where there were too many
 * tests. */
static bool meet(struct look *look, const struct candidate *candidate, double limit,
                 struct gz_hit *hit)
{
    struct gz_aim aim;
    double distance = limit;
    if (aim_at(look, candidate->node, &aim)) {
        enum gz_surface_outcome met =
            gz_surface_hit(candidate->surface, &aim, &look->tests, &distance);
        if (met == GZ_MISSED) return false;
        if (met == GZ_MET) {
            *hit = (struct gz_hit){candidate->node->id, distance, gz_aim_place(&aim, distance)};
            return gz_can_say_hit(hit);
        }
    }
    return gz_session_pick(look->session, look->pointer, candidate->node, hit) &&
           hit->distance <= limit;
}

/* What is met further away than this need not be known. */
static double limit_of(const struct look *look)
{
    return look->first_only && look->met ? look->seen[0].hit.distance : HUGE_VAL;
}

/* What is met by its bounds is known already, and so are the points. */
static void meet_all(struct look *look)
{
    struct candidate candidate;
    arrange(look);
    while (take_nearest(look, limit_of(look), &candidate)) {
        struct seen seen = {.rank = MET};
        if (meet(look, &candidate, limit_of(look), &seen.hit)) keep(look, &seen);
    }
}

/* ---- what is passed by ---- */

static void pass_all(struct look *look)
{
    double px = look->session->tool.tolerance_px;
    for (size_t i = 0; i < look->culled.count; i++) {
        const struct gz_node *node = look->culled.nodes[i];
        const struct gz_surface *surface = surface_of(look, node);
        if (surface == NULL) continue;
        if (!may_look(look)) break;
        gz_affine world = gz_scene_world(look->session->core->scene, node);
        struct gz_beside beside = {.px = px};
        struct seen seen = {.rank = PASSED, .hit = {.id = node->id}};
        enum gz_surface_outcome met =
            gz_surface_pass(surface, look->camera, look->pointer, &world, &look->tests, &beside);
        if (met == GZ_GAVE_UP) break;
        if (met == GZ_MISSED) continue;
        seen.px = beside.px;
        seen.hit.distance = beside.distance;
        seen.hit.point = beside.point;
        if (!gz_can_say_hit(&seen.hit)) continue;
        keep(look, &seen);
        if (look->first_only) px = beside.px;
    }
}

/* ---- the look ---- */

static enum gz_status begin_look(struct look *look, struct gz_failure *failure)
{
    enum gz_status status = gz_session_cull(look->session, look->pointer, &look->culled, failure);
    if (status != GZ_OK) return status;
    struct gz_arena *scratch = &look->session->core->scratch;
    look->candidates = gz_arena_take(scratch, look->culled.count, sizeof *look->candidates);
    look->seen = gz_arena_take(scratch, look->culled.count, sizeof *look->seen);
    if (look->candidates == NULL || look->seen == NULL)
        return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory to pick among the nodes");
    for (size_t i = 0; i < look->culled.count; i++) add_candidate(look, look->culled.nodes[i]);
    return GZ_OK;
}

enum gz_status gz_session_look(struct gz_session *session, const struct gz_pointer *pointer,
                               bool first_only, struct gz_hit **hits, size_t *count,
                               struct gz_failure *failure)
{
    struct look look = {.session = session,
                        .pointer = pointer,
                        .camera = session->has_camera ? &session->camera : NULL,
                        .first_only = first_only,
                        .tests = GZ_SURFACE_TESTS_PER_LOOK};
    enum gz_status status = begin_look(&look, failure);
    if (status != GZ_OK) return status;
    meet_all(&look);
    if (!look.met) pass_all(&look);
    gz_session_charge(session, (double)(GZ_SURFACE_TESTS_PER_LOOK - look.tests) /
                                   GZ_SURFACE_TESTS_PER_MESSAGE);

    *count = look.seen_count;
    *hits = gz_arena_take(&session->core->scratch, *count, sizeof **hits);
    if (*hits == NULL)
        return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory to pick among the nodes");
    qsort(look.seen, look.seen_count, sizeof *look.seen, compare_seen);
    for (size_t i = 0; i < *count; i++) (*hits)[i] = look.seen[i].hit;
    return GZ_OK;
}
