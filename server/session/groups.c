/* groups.c - computes the boxes of groups. See groups.h. */
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

/* Makes room for `count` targets; the contents are undefined. */
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

/* Computes the box along the group's own axes. False if no node below it has finite bounds. */
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

static bool are_known(const struct gz_groups *groups, struct gz_ids ids)
{
    return groups->count == ids.count &&
           memcmp(groups->ids, ids.ids, ids.count * sizeof *ids.ids) == 0;
}

static void find_next(struct gz_groups *groups, struct gz_scene *scene, const struct gz_node *node,
                      const struct gz_target *target)
{
    const size_t place = groups->count++, before = groups->walked;
    groups->ids[place] = node->id;
    groups->found[place] = target->bounds == NULL && node->first_child != NULL &&
                           find_box(scene, node, &groups->boxes[place], &groups->walked);
    groups->uncharged += groups->walked - before;
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

void gz_groups_begin(struct gz_groups *groups, struct gz_scene *scene, const struct gz_tool *tool,
                     enum gz_handle handle, bool anew, struct gz_ids ids)
{
    if (ids.count == 0 || !gz_groups_matter(tool, handle)) {
        gz_groups_finish(groups);
        return;
    }
    bool is_old = anew && groups->seq != gz_scene_seq(scene);
    if (!is_old && are_known(groups, ids)) return;
    groups->count = groups->walked = 0;
    if (reserve(groups, ids.count)) groups->seq = gz_scene_seq(scene);
}

void gz_groups_give(struct gz_groups *groups, struct gz_scene *scene, const struct gz_node *node,
                    size_t place, struct gz_target *target)
{
    if (place == groups->count && place < groups->capacity) find_next(groups, scene, node, target);
    if (place >= groups->count || groups->ids[place] != node->id) return;
    if (target->bounds == NULL && groups->found[place]) target->bounds = &groups->boxes[place];
}

bool gz_groups_seat(struct gz_groups *groups, struct gz_scene *scene,
                    const struct gz_targets *targets, struct gz_arena *arena, struct gz_seat *seat)
{
    gz_vec3 *origins = gz_arena_take(arena, targets->count, sizeof *origins);
    if (origins == NULL) return false;
    *seat = (struct gz_seat){.count = 0};
    for (size_t i = 0; i < targets->count; i++) {
        struct gz_target target = gz_target_of(scene, targets->nodes[i]);
        gz_groups_give(groups, scene, targets->nodes[i], i, &target);
        gz_seat_add(seat, &target, &origins[i]);
    }
    gz_seat_complete(seat, origins);
    return true;
}
