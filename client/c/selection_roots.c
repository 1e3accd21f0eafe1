/* selection_roots.c - finds the top-most selected nodes and the boxes of groups. See
 * selection_roots.h. */
#include "selection_roots.h"

#define NOT_A_TOP SIZE_MAX

/* A selected node, and its index among the tops, if it is one. */
struct gz_named {
    uint64_t id;
    size_t top;
};

void gz_selection_roots_finish(struct gz_selection_roots *tops)
{
    free(tops->ids);
    free(tops->targets);
    free(tops->boxes);
    free(tops->inverses);
    free(tops->named);
    *tops = (struct gz_selection_roots){0};
}

static bool reserve(struct gz_selection_roots *tops, size_t count)
{
    if (count <= tops->capacity) return true;
    gz_selection_roots_finish(tops);
    tops->ids = malloc(count * sizeof *tops->ids);
    tops->targets = malloc(count * sizeof *tops->targets);
    tops->boxes = malloc(count * sizeof *tops->boxes);
    tops->inverses = malloc(count * sizeof *tops->inverses);
    tops->named = malloc(count * sizeof *tops->named);
    if (tops->ids == NULL || tops->targets == NULL || tops->boxes == NULL ||
        tops->inverses == NULL || tops->named == NULL) {
        gz_selection_roots_finish(tops);
        return false;
    }
    tops->capacity = count;
    return true;
}

static int compare(const void *a, const void *b)
{
    const struct gz_named *left = a, *right = b;
    return (left->id > right->id) - (left->id < right->id);
}

static struct gz_named *find_named(const struct gz_selection_roots *tops, uint64_t id, size_t count)
{
    struct gz_named wanted = {.id = id};
    return bsearch(&wanted, tops->named, count, sizeof wanted, compare);
}

/* Whether a node above this one is selected. */
static bool is_below_another(const struct gz_selection_roots *tops, const struct gz_mirror *mirror,
                             const struct gz_mirror_node *node, size_t count)
{
    size_t most = gz_mirror_count(mirror); /* a cycle ends too */
    for (uint64_t id = node->parent; id != 0 && most > 0; most--) {
        if (find_named(tops, id, count) != NULL) return true;
        const struct gz_mirror_node *above = gz_mirror_find(mirror, id);
        id = above != NULL ? above->parent : 0;
    }
    return false;
}

static bool add(struct gz_selection_roots *tops, const struct gz_predicted *foreseen,
                const struct gz_mirror_node *node)
{
    struct gz_target *target = &tops->targets[tops->count];
    *target = (struct gz_target){.bounds = node->has_bounds ? &node->bounds : NULL};
    if (!gz_predicted_trs(foreseen, node->id, &target->local) ||
        !gz_predicted_world(foreseen, node->parent, &target->parent))
        return false;
    tops->ids[tops->count++] = node->id;
    return true;
}

/* ---- groups ---- */

static bool is_group(const struct gz_selection_roots *tops, size_t i)
{
    return tops->targets[i].bounds == NULL || tops->targets[i].bounds == &tops->boxes[i];
}

/* The group that a node belongs to; NOT_A_TOP for none. */
static size_t group_of(const struct gz_selection_roots *tops, const struct gz_mirror *mirror,
                       const struct gz_mirror_node *node, size_t count)
{
    for (size_t most = gz_mirror_count(mirror); node != NULL && most > 0; most--) {
        const struct gz_named *named = find_named(tops, node->id, count);
        if (named != NULL && named->top != NOT_A_TOP)
            return is_group(tops, named->top) ? named->top : NOT_A_TOP;
        node = gz_mirror_find(mirror, node->parent);
    }
    return NOT_A_TOP;
}

static void widen(struct gz_selection_roots *tops, const struct gz_predicted *foreseen,
                  const struct gz_mirror_node *node, size_t group)
{
    gz_affine there;
    if (!gz_predicted_world(foreseen, node->id, &there)) return;
    gz_affine inside = gz_affine_multiply(&tops->inverses[group], &there);
    gz_box box = gz_box_transform(&node->bounds, &inside), *all = &tops->boxes[group];
    if (!gz_finite(box.min) || !gz_finite(box.max)) return;
    *all = tops->targets[group].bounds == NULL ? box : gz_box_union(all, &box);
    tops->targets[group].bounds = all;
}

/* Inverts the transforms of all groups; a group without an inverse gets no box. False if there is
 * no group. */
static bool invert_groups(struct gz_selection_roots *tops, const struct gz_predicted *foreseen)
{
    bool any = false;
    for (size_t i = 0; i < tops->count; i++) {
        gz_affine world;
        if (!is_group(tops, i)) continue;
        any = true;
        tops->inverses[i] = (gz_affine){.origin = {NAN, NAN, NAN}};
        if (gz_predicted_world(foreseen, tops->ids[i], &world))
            (void)gz_affine_inverse(&world, &tops->inverses[i]);
    }
    return any;
}

static bool find_groups(struct gz_selection_roots *tops, const struct gz_predicted *foreseen,
                        size_t selected)
{
    size_t count;
    if (!invert_groups(tops, foreseen)) return true;
    const struct gz_mirror_node **nodes = gz_mirror_list(foreseen->mirror, &count);
    if (nodes == NULL) return false;
    for (size_t i = 0; i < count; i++) {
        size_t group = NOT_A_TOP;
        if (nodes[i]->has_bounds) group = group_of(tops, foreseen->mirror, nodes[i], selected);
        if (group != NOT_A_TOP) widen(tops, foreseen, nodes[i], group);
    }
    free(nodes);
    return true;
}

/* ---- the whole ---- */

bool gz_selection_roots_find(struct gz_selection_roots *tops, const struct gz_predicted *foreseen,
                             const uint64_t *selected, size_t count, bool with_groups)
{
    tops->count = 0;
    if (count == 0) return true;
    if (!reserve(tops, count)) return false;
    for (size_t i = 0; i < count; i++) tops->named[i] = (struct gz_named){selected[i], NOT_A_TOP};
    qsort(tops->named, count, sizeof *tops->named, compare);
    bool found = true;
    for (size_t i = 0; found && i < count; i++) {
        const struct gz_mirror_node *node = gz_mirror_find(foreseen->mirror, selected[i]);
        found = node != NULL;
        if (!found || is_below_another(tops, foreseen->mirror, node, count)) continue;
        find_named(tops, node->id, count)->top = tops->count;
        found = add(tops, foreseen, node);
    }
    if (found && with_groups) found = find_groups(tops, foreseen, count);
    if (!found) tops->count = 0;
    return found;
}

bool gz_selection_roots_follow(struct gz_selection_roots *tops, const struct gz_predicted *foreseen)
{
    for (size_t i = 0; i < tops->count; i++) {
        const struct gz_mirror_node *node = gz_mirror_find(foreseen->mirror, tops->ids[i]);
        if (node == NULL || !gz_predicted_trs(foreseen, node->id, &tops->targets[i].local) ||
            !gz_predicted_world(foreseen, node->parent, &tops->targets[i].parent))
            return false;
        if (!is_group(tops, i)) tops->targets[i].bounds = &node->bounds;
    }
    return true;
}
