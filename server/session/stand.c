/* stand.c - computes the seat of a gizmo on many nodes. See stand.h. */
#include "session/stand.h"

#include <stdlib.h>

bool gz_stand_is_looking(const struct gz_stand *stand)
{
    return stand->is_due || stand->seat != NULL;
}

void gz_stand_finish(struct gz_stand *stand)
{
    free(stand->seat);
    free(stand->origins);
    free(stand->marks);
    *stand = (struct gz_stand){.seat = NULL};
}

void gz_stand_begin(struct gz_stand *stand, const struct gz_selection *selection,
                    const struct gz_scene *scene)
{
    gz_stand_finish(stand);
    if (selection->count == 0) return;
    size_t capacity = 1;
    while (capacity < 4 * selection->count) capacity *= 2;
    stand->seat = calloc(1, sizeof *stand->seat);
    stand->origins = malloc(selection->count * sizeof *stand->origins);
    stand->marks = calloc(capacity, sizeof *stand->marks);
    if (stand->seat == NULL || stand->origins == NULL || stand->marks == NULL) {
        gz_stand_finish(stand);
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
static uint64_t *place_of(const struct gz_stand *stand, uint64_t id)
{
    size_t at = (size_t)(id * UINT64_C(0x9E3779B97F4A7C15) >> 32);
    while (stand->marks[at &= stand->capacity - 1] != 0 && stand->marks[at] >> 2 != id) at++;
    return &stand->marks[at];
}

static enum mark mark_of(const struct gz_stand *stand, uint64_t id)
{
    return (enum mark)(*place_of(stand, id) & 3);
}

static void set_mark(struct gz_stand *stand, uint64_t id, enum mark mark)
{
    *place_of(stand, id) = id << 2 | mark;
    stand->marked++;
}

static void mark_next(struct gz_stand *stand, const struct gz_selection *selection,
                      const struct gz_scene *scene, size_t *budget)
{
    const uint64_t id = selection->ids[stand->named++];
    stand->lacks_nodes = gz_scene_find(scene, id) == NULL;
    set_mark(stand, id, SELECTED);
    spend(budget, 1);
}

/* Whether a selected node is above this one. If none is, the way up is marked, so that it is not
 * walked again. */
static bool has_selected_above(struct gz_stand *stand, const struct gz_node *node, size_t *budget)
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

static void look_at_next(struct gz_stand *stand, const struct gz_selection *selection,
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

bool gz_stand_go_on(struct gz_stand *stand, struct gz_selection *selection, struct gz_scene *scene,
                    struct gz_groups *groups, size_t *budget)
{
    if (stand->seat == NULL) return false;
    if (stand->selected != selection->version || stand->removals != gz_scene_removals(scene)) {
        gz_stand_finish(stand);
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
