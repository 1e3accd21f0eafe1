/* pivot.c - what a gizmo stands on: groups of nodes, the frame of a selection, and what was sent of
 * it. */
#include "core/pivot.h"

#include <stdlib.h>

/* ---- groups of nodes ---- */

/* Computes the boxes of groups. */

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

static void add_box(gz_box *box, bool *found, const gz_box *one)
{
    if (!gz_finite(one->min) || !gz_finite(one->max)) return;
    *box = *found ? gz_box_union(box, one) : *one;
    *found = true;
}

/* Goes on with the box along the group's own axes, for one node at least, so that any slice brings
 * its end nearer, and says whether it is complete. None is found if no node below has finite
 * bounds. */
static bool find_box(struct gz_groups *groups, struct gz_scene *scene, const struct gz_node *group,
                     size_t place, size_t *budget)
{
    gz_affine world = gz_scene_world(scene, group), inverse;
    if (!gz_affine_inverse(&world, &inverse)) groups->at = NULL;
    for (bool may_go_on = true; groups->at != NULL && may_go_on;
         groups->at = gz_scene_walk(group, groups->at)) {
        const struct gz_node *node = groups->at;
        *budget -= *budget > 0;
        may_go_on = *budget > 0;
        groups->walked++;
        groups->uncharged++;
        if (!node->has_bounds) continue;
        gz_affine there = gz_scene_world(scene, node);
        gz_affine inside = gz_affine_multiply(&inverse, &there);
        gz_box one = gz_box_transform(&node->bounds, &inside);
        add_box(&groups->boxes[place], &groups->found[place], &one);
    }
    return groups->at == NULL;
}

static bool is_group(const struct gz_node *node)
{
    return !node->has_bounds && node->first_child != NULL;
}

/* Whether the next target is done. */
static bool find_next(struct gz_groups *groups, struct gz_scene *scene, const struct gz_node *node,
                      size_t *budget)
{
    const size_t place = groups->count;
    if (groups->at == NULL || groups->ids[place] != node->id) {
        groups->ids[place] = node->id;
        groups->found[place] = false;
        groups->at = is_group(node) ? node : NULL;
    }
    if (groups->at != NULL && !find_box(groups, scene, node, place, budget)) return false;
    groups->count++;
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

size_t gz_groups_weigh(const struct gz_scene *scene, struct gz_ids ids, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < ids.count && count < most; i++) {
        const struct gz_node *group = gz_scene_find(scene, ids.ids[i]), *at = group;
        for (; at != NULL && count < most; at = gz_scene_walk(group, at)) {
            count++;
            if (!is_group(group)) break;
        }
    }
    return count;
}

/* Forgets the boxes from this place on. */
static void cut(struct gz_groups *groups, const struct gz_scene *scene, size_t place)
{
    groups->count = place;
    groups->at = NULL;
    if (place > 0) return;
    groups->walked = 0;
    groups->seq = gz_scene_seq(scene);
}

void gz_groups_begin(struct gz_groups *groups, struct gz_scene *scene, const struct gz_tool *tool,
                     enum gz_handle handle, bool anew, size_t count)
{
    if (count == 0 || !gz_groups_matter(tool, handle)) {
        gz_groups_finish(groups);
        return;
    }
    if (!reserve(groups, count)) return;
    const bool is_old = anew && groups->seq != gz_scene_seq(scene);
    cut(groups, scene, is_old ? 0 : groups->count);
}

bool gz_groups_give(struct gz_groups *groups, struct gz_scene *scene, const struct gz_node *node,
                    size_t place, struct gz_target *target, size_t *budget)
{
    if (place >= groups->capacity || place > groups->count) return true;
    if (place < groups->count && groups->ids[place] != node->id) cut(groups, scene, place);
    if (place == groups->count && !find_next(groups, scene, node, budget)) return false;
    if (target->bounds == NULL && groups->found[place]) target->bounds = &groups->boxes[place];
    return true;
}

bool gz_groups_seat(struct gz_groups *groups, struct gz_scene *scene,
                    const struct gz_targets *targets, struct gz_arena *arena, struct gz_seat *seat)
{
    gz_vec3 *origins = gz_arena_take(arena, targets->count, sizeof *origins);
    if (origins == NULL) return false;
    *seat = (struct gz_seat){.count = 0};
    for (size_t i = 0; i < targets->count; i++) {
        struct gz_target target = gz_target_of(scene, targets->nodes[i]);
        size_t budget = SIZE_MAX;
        (void)!gz_groups_give(groups, scene, targets->nodes[i], i, &target, &budget);
        gz_seat_add(seat, &target, &origins[i]);
    }
    gz_seat_complete(seat, origins);
    return true;
}

/* ---- the frame ---- */

/* Computes the seat of a gizmo on many nodes. */

bool gz_pivot_frame_is_looking(const struct gz_pivot_frame *stand)
{
    return stand->is_due || stand->seat != NULL;
}

void gz_pivot_frame_finish(struct gz_pivot_frame *stand)
{
    free(stand->seat);
    free(stand->origins);
    free(stand->marks);
    *stand = (struct gz_pivot_frame){.seat = NULL};
}

void gz_pivot_frame_begin(struct gz_pivot_frame *stand, const struct gz_selection *selection,
                          const struct gz_scene *scene)
{
    gz_pivot_frame_finish(stand);
    if (selection->count == 0) return;
    size_t capacity = 1;
    while (capacity < 4 * selection->count) capacity *= 2;
    stand->seat = calloc(1, sizeof *stand->seat);
    stand->origins = malloc(selection->count * sizeof *stand->origins);
    stand->marks = calloc(capacity, sizeof *stand->marks);
    if (stand->seat == NULL || stand->origins == NULL || stand->marks == NULL) {
        gz_pivot_frame_finish(stand);
        return;
    }
    stand->capacity = capacity;
    stand->seq = gz_scene_seq(scene);
    stand->selected = selection->version;
    stand->removals = gz_scene_removals(scene);
}

static void spend(size_t *budget, size_t count)
{
    *budget -= count < *budget ? count : *budget;
}

/* ---- marks ---- */

enum mark { UNMARKED, SELECTED, CLEAR };

/* Where the id's mark is, or is to be. A mark is the id with one of the above. */
static uint64_t *place_of(const struct gz_pivot_frame *stand, uint64_t id)
{
    size_t at = (size_t)(id * UINT64_C(0x9E3779B97F4A7C15) >> 32);
    while (stand->marks[at &= stand->capacity - 1] != 0 && stand->marks[at] >> 2 != id) at++;
    return &stand->marks[at];
}

static enum mark mark_of(const struct gz_pivot_frame *stand, uint64_t id)
{
    return (enum mark)(*place_of(stand, id) & 3);
}

static void set_mark(struct gz_pivot_frame *stand, uint64_t id, enum mark mark)
{
    *place_of(stand, id) = id << 2 | mark;
    stand->marked++;
}

static void mark_next(struct gz_pivot_frame *stand, const struct gz_selection *selection,
                      const struct gz_scene *scene, size_t *budget)
{
    const uint64_t id = selection->ids[stand->named++];
    stand->lacks_nodes = gz_scene_find(scene, id) == NULL;
    set_mark(stand, id, SELECTED);
    spend(budget, 1);
}

/* Whether a selected node is above this one. If none is, the way up is marked, so that it is not
 * walked again. */
static bool has_selected_above(struct gz_pivot_frame *stand, const struct gz_node *node,
                               size_t *budget)
{
    const struct gz_node *above = node->parent;
    for (; above != NULL && mark_of(stand, above->id) == UNMARKED; above = above->parent)
        spend(budget, 1);
    if (above != NULL && mark_of(stand, above->id) == SELECTED) return true;
    above = node->parent;
    for (; above != NULL && mark_of(stand, above->id) == UNMARKED; above = above->parent) {
        if (2 * stand->marked == stand->capacity) break;
        set_mark(stand, above->id, CLEAR);
    }
    return false;
}

/* ---- targets ---- */

static void look_at_next(struct gz_pivot_frame *stand, const struct gz_selection *selection,
                         struct gz_scene *scene, struct gz_groups *groups, size_t *budget)
{
    const struct gz_node *node = gz_scene_find(scene, selection->ids[stand->at]);
    spend(budget, 1);
    if (!has_selected_above(stand, node, budget)) {
        struct gz_target target = gz_target_of(scene, node);
        if (!gz_groups_give(groups, scene, node, stand->seat->count, &target, budget)) return;
        gz_seat_add(stand->seat, &target, &stand->origins[stand->seat->count]);
    }
    stand->at++;
}

bool gz_pivot_frame_go_on(struct gz_pivot_frame *stand, struct gz_selection *selection,
                          struct gz_scene *scene, struct gz_groups *groups, size_t *budget)
{
    if (stand->seat == NULL) return false;
    if (stand->selected != selection->version || stand->removals != gz_scene_removals(scene)) {
        gz_pivot_frame_finish(stand);
        return false;
    }
    while (*budget > 0 && stand->named < selection->count && !stand->lacks_nodes)
        mark_next(stand, selection, scene, budget);
    if (stand->named < selection->count || stand->lacks_nodes) return false;
    selection->removals = stand->removals; /* there is nothing to prune */
    while (*budget > 0 && stand->at < selection->count)
        look_at_next(stand, selection, scene, groups, budget);
    if (stand->at < selection->count) return false;
    gz_seat_complete(stand->seat, stand->origins);
    return true;
}
