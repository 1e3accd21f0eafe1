/* tree.c - prints the nodes of a scene as a tree. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"

#define NONE SIZE_MAX

/* A node with its place among the others: indexes into the list, which is sorted by id. */
struct branch {
    const struct gz_mirror_node *node;
    size_t parent, child, sibling; /* NONE for none */
    int depth;
    gz_affine world;
    bool has_box;
    gz_box box; /* of the subtree, in the world */
};

struct tree {
    const struct gz_mirror_node **list;
    struct branch *branches;
    size_t *order; /* parents before children, children by id */
    size_t count;
};

static size_t find(const struct tree *tree, uint64_t id)
{
    size_t low = 0, high = tree->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (tree->list[middle]->id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < tree->count && tree->list[low]->id == id ? low : NONE;
}

/* Hangs each node under its parent; returns the first root. */
static size_t hang(struct tree *tree)
{
    size_t root = NONE;
    for (size_t i = 0; i < tree->count; i++) {
        const struct gz_mirror_node *node = tree->list[i];
        tree->branches[i] =
            (struct branch){.node = node, .parent = NONE, .child = NONE, .sibling = NONE};
        if (node->parent != 0) tree->branches[i].parent = find(tree, node->parent);
    }
    /* Backwards, because each is put before the earlier ones. */
    for (size_t i = tree->count; i-- > 0;) {
        size_t parent = tree->branches[i].parent;
        size_t *first = parent == NONE ? &root : &tree->branches[parent].child;
        tree->branches[i].sibling = *first;
        *first = i;
    }
    return root;
}

/* Fills `order` depth first. */
static void walk(struct tree *tree, size_t at)
{
    size_t n = 0;
    while (at != NONE) {
        struct branch *branch = &tree->branches[at];
        branch->depth = branch->parent != NONE ? tree->branches[branch->parent].depth + 1 : 0;
        tree->order[n++] = at;
        if (branch->child != NONE) {
            at = branch->child;
            continue;
        }
        while (at != NONE && tree->branches[at].sibling == NONE) at = tree->branches[at].parent;
        if (at != NONE) at = tree->branches[at].sibling;
    }
    tree->count = n; /* a cycle of parents has no root and is not shown */
}

static void grow_box(struct branch *branch, const gz_box *box)
{
    branch->box = branch->has_box ? gz_box_union(&branch->box, box) : *box;
    branch->has_box = true;
}

static void place(struct tree *tree)
{
    for (size_t i = 0; i < tree->count; i++) {
        struct branch *branch = &tree->branches[tree->order[i]];
        gz_affine local = gz_affine_from_trs(&branch->node->trs);
        branch->world = branch->parent != NONE
                            ? gz_affine_multiply(&tree->branches[branch->parent].world, &local)
                            : local;
        if (!branch->node->has_bounds) continue;
        gz_box box = gz_box_transform(&branch->node->bounds, &branch->world);
        grow_box(branch, &box);
    }
    for (size_t i = tree->count; i-- > 0;) {
        struct branch *branch = &tree->branches[tree->order[i]];
        if (branch->has_box && branch->parent != NONE)
            grow_box(&tree->branches[branch->parent], &branch->box);
    }
}

static int label_width(const struct branch *branch)
{
    return 2 * branch->depth + snprintf(NULL, 0, "%" PRIu64, branch->node->id) + 2 +
           ctl_width(gz_client_text(branch->node->name));
}

static void print_line(FILE *out, const struct gz_mirror *mirror, const struct branch *branch,
                       int columns)
{
    struct gz_node_state state = ctl_node_state(branch->node);
    state.has &= GZ_HAS_STATE_T | GZ_HAS_STATE_R | GZ_HAS_STATE_S;
    fprintf(out, "%*s%" PRIu64 "  ", 2 * branch->depth, "", branch->node->id);
    ctl_put_text(out, gz_client_text(branch->node->name));
    fprintf(out, "%*s  ", columns - label_width(branch), "");
    ctl_put_state(out, mirror, &state);
    if (branch->has_box) {
        fputs("  bounds ", out);
        ctl_put_vec3(out, branch->box.min);
        fputs(" to ", out);
        ctl_put_vec3(out, branch->box.max);
    }
    fputc('\n', out);
}

static void print_object(FILE *out, const struct branch *branch)
{
    struct gz_node_state state = ctl_node_state(branch->node);
    json_t *object = ctl_json_state(&state);
    double matrix[16];
    gz_affine_to_matrix(&branch->world, matrix);
    json_object_set_new(object, "world", ctl_json_numbers(matrix, 16));
    if (branch->has_box)
        json_object_set_new(object, "world_bounds", ctl_json_numbers(&branch->box.min.x, 6));
    ctl_put_json(out, object);
}

static void print(FILE *out, const struct gz_mirror *mirror, const struct tree *tree, bool json)
{
    int columns = 0;
    for (size_t i = 0; i < tree->count; i++) {
        int label = label_width(&tree->branches[tree->order[i]]);
        if (label > columns) columns = label;
    }
    if (columns > 60) columns = 60;
    for (size_t i = 0; i < tree->count; i++) {
        const struct branch *branch = &tree->branches[tree->order[i]];
        int own = label_width(branch);
        if (json)
            print_object(out, branch);
        else
            print_line(out, mirror, branch, own > columns ? own : columns);
    }
}

bool ctl_print_tree(FILE *out, const struct gz_mirror *mirror, bool json)
{
    struct tree tree = {0};
    tree.list = gz_mirror_list(mirror, &tree.count);
    tree.branches = calloc(tree.count + 1, sizeof *tree.branches);
    tree.order = calloc(tree.count + 1, sizeof *tree.order);
    bool enough = tree.list != NULL && tree.branches != NULL && tree.order != NULL;
    if (enough) {
        walk(&tree, hang(&tree));
        place(&tree);
        print(out, mirror, &tree, json);
    }
    free(tree.list);
    free(tree.branches);
    free(tree.order);
    return enough;
}
