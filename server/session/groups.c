/* groups.c - finds the boxes of groups. See groups.h. */
#include "session/groups.h"

#include <stdlib.h>
#include <string.h>

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

/* The box along the group's own axes. False if nothing below it has bounds that are finite. */
static bool find_box(struct gz_scene *scene, const struct gz_node *group, gz_box *box,
                     size_t *walked)
{
    gz_affine world = gz_scene_world(scene, group), inverse;
    if (!gz_affine_inverse(&world, &inverse)) return false;
    bool found = false;
    for (const struct gz_node *node = group; node != NULL; node = gz_scene_walk(group, node)) {
        ++*walked;
        if (!node->has_bounds) continue;
        gz_affine there = gz_scene_world(scene, node);
        gz_affine inside = gz_affine_multiply(&inverse, &there);
        gz_box one = gz_box_transform(&node->bounds, &inside);
        if (!gz_finite(one.min) || !gz_finite(one.max)) continue;
        *box = found ? gz_box_union(box, &one) : one;
        found = true;
    }
    return found;
}

static bool are_known(const struct gz_groups *groups, const struct gz_targets *targets)
{
    return groups->count == targets->count &&
           memcmp(groups->ids, targets->ids, targets->count * sizeof *targets->ids) == 0;
}

static bool find_all(struct gz_groups *groups, struct gz_scene *scene,
                     const struct gz_targets *targets)
{
    groups->count = groups->walked = 0;
    if (!reserve(groups, targets->count)) return false;
    for (size_t i = 0; i < targets->count; i++) {
        const struct gz_node *node = gz_scene_find(scene, targets->ids[i]);
        groups->ids[i] = targets->ids[i];
        groups->found[i] = targets->list[i].bounds == NULL && node->first_child != NULL &&
                           find_box(scene, node, &groups->boxes[i], &groups->walked);
    }
    groups->count = targets->count;
    groups->seq = gz_scene_seq(scene);
    groups->uncharged += groups->walked;
    return true;
}

size_t gz_groups_uncharged(struct gz_groups *groups)
{
    size_t count = groups->uncharged;
    groups->uncharged = 0;
    return count;
}

bool gz_groups_matter(const struct gz_tool *tool, enum gz_handle handle)
{
    return tool->mode == GZ_MODE_BOUNDS || tool->pivot == GZ_PIVOT_BOUNDS || handle >= GZ_BXN;
}

void gz_groups_bound(struct gz_groups *groups, struct gz_scene *scene, const struct gz_tool *tool,
                     enum gz_handle handle, bool anew, const struct gz_targets *targets)
{
    if (targets->count == 0 || !gz_groups_matter(tool, handle)) {
        gz_groups_finish(groups);
        return;
    }
    bool is_old = anew && groups->seq != gz_scene_seq(scene);
    if ((is_old || !are_known(groups, targets)) && !find_all(groups, scene, targets)) return;
    for (size_t i = 0; i < targets->count; i++) {
        if (targets->list[i].bounds == NULL && groups->found[i])
            targets->list[i].bounds = &groups->boxes[i];
    }
}
