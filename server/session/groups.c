/* The bounds of nodes that have none of their own, as groups have not: the box about what is below
 * them. */
#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"
#include "session/session.h"

void gz_groups_finish(struct gz_groups *groups)
{
    free(groups->ids);
    free(groups->boxes);
    free(groups->found);
    *groups = (struct gz_groups){0};
}

/* Room for so many, whose contents are undefined. */
static bool reserve(struct gz_groups *groups, size_t count)
{
    if (count <= groups->capacity) return true;
    gz_groups_finish(groups);
    groups->ids = malloc(count * sizeof *groups->ids);
    groups->boxes = malloc(count * sizeof *groups->boxes);
    groups->found = malloc(count * sizeof *groups->found);
    if (groups->ids == NULL || groups->boxes == NULL || groups->found == NULL) {
        gz_groups_finish(groups);
        return false;
    }
    groups->capacity = count;
    return true;
}

/* The box along the group's own axes. False where nothing below it has bounds, or no finite
 * ones. */
static bool find_box(struct gz_scene *scene, const struct gz_node *group, gz_box *box,
                     size_t *walked)
{
    gz_affine world = gz_scene_world(scene, group), inverse;
    if (!gz_affine_inverse(&world, &inverse)) return false;
    bool found = false;
    for (const struct gz_node *node = group; node != NULL;
         node = gz_scene_walk(group, node), ++*walked) {
        if (!node->has_bounds) continue;
        gz_affine there = gz_scene_world(scene, node),
                  inside = gz_affine_multiply(&inverse, &there);
        gz_box one = gz_box_transform(&node->bounds, &inside);
        if (!gz_finite(one.min) || !gz_finite(one.max)) continue;
        *box = found ? gz_box_union(box, &one) : one;
        found = true;
    }
    return found;
}

static bool are_known(const struct gz_groups *groups, const uint64_t *ids, size_t count)
{
    return groups->count == count && memcmp(groups->ids, ids, count * sizeof *ids) == 0;
}

static bool find_all(struct gz_session *session, const struct gz_target *targets,
                     const uint64_t *ids, size_t count)
{
    struct gz_groups *groups = &session->groups;
    struct gz_scene *scene = session->core->scene;
    groups->count = groups->walked = 0;
    if (!reserve(groups, count)) return false;
    for (size_t i = 0; i < count; i++) {
        groups->ids[i] = ids[i];
        groups->found[i] =
            targets[i].bounds == NULL &&
            find_box(scene, gz_scene_find(scene, ids[i]), &groups->boxes[i], &groups->walked);
    }
    groups->count = count;
    groups->seq = gz_scene_seq(scene);
    groups->unpaid += groups->walked;
    return true;
}

void gz_session_pay_groups(struct gz_session *session)
{
    gz_session_charge(session, (double)session->groups.unpaid / GZ_NODES_PICKED_PER_MESSAGE);
    session->groups.unpaid = 0;
}

static bool are_needed(const struct gz_tool *tool, enum gz_handle handle)
{
    return tool->mode == GZ_MODE_BOUNDS || tool->pivot == GZ_PIVOT_BOUNDS || handle >= GZ_BXN;
}

void gz_session_bound_groups(struct gz_session *session, enum gz_handle handle, bool anew,
                             struct gz_target *targets, const uint64_t *ids, size_t count)
{
    struct gz_groups *groups = &session->groups;
    if (count == 0 || !are_needed(&session->tool, handle)) {
        gz_groups_finish(groups);
        return;
    }
    bool is_old = anew && groups->seq != gz_scene_seq(session->core->scene);
    if ((is_old || !are_known(groups, ids, count)) && !find_all(session, targets, ids, count))
        return;
    for (size_t i = 0; i < count; i++)
        if (targets[i].bounds == NULL && groups->found[i]) targets[i].bounds = &groups->boxes[i];
}
