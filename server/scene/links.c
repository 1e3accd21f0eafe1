/* The lists that a node is in: siblings and the order of change. */
#include <stdlib.h>
#include <string.h>

#include "scene/internal.h"
#include "server/maxima.h"

static struct gz_node *head_of(struct gz_scene *scene, const struct gz_node *node)
{
    if (node->gone) return &scene->tombs;
    return node->parent != NULL ? node->parent : &scene->roots;
}

static size_t *counter_of(struct gz_scene *scene, const struct gz_node *node)
{
    return node->gone ? &scene->tombstones : &scene->alive;
}

void gz_node_link(struct gz_scene *scene, struct gz_node *node, struct gz_node *next)
{
    struct gz_node *head = head_of(scene, node);
    scene->removals += node->gone;
    node->next = next;
    node->previous = next != NULL ? next->previous : head->last_child;
    *(node->previous != NULL ? &node->previous->next : &head->first_child) = node;
    *(next != NULL ? &next->previous : &head->last_child) = node;
    ++*counter_of(scene, node);
}

void gz_node_unlink(struct gz_scene *scene, struct gz_node *node)
{
    struct gz_node *head = head_of(scene, node);
    *(node->previous != NULL ? &node->previous->next : &head->first_child) = node->next;
    *(node->next != NULL ? &node->next->previous : &head->last_child) = node->previous;
    node->next = node->previous = NULL;
    --*counter_of(scene, node);
}

static void leave_places(struct gz_scene *scene, const struct gz_node *node)
{
    for (size_t i = 0; i < GZ_ORDER_PLACES; i++)
        if (scene->places[i].node == node) scene->places[i].node = NULL;
}

/* Works for a node that never was in the order, too. */
static void leave_order(struct gz_scene *scene, struct gz_node *node)
{
    if (node->older != NULL) node->older->newer = node->newer;
    if (node->newer != NULL) node->newer->older = node->older;
    if (scene->oldest == node) scene->oldest = node->newer;
    if (scene->newest == node) scene->newest = node->older;
    leave_places(scene, node);
    node->older = node->newer = NULL;
}

void gz_node_touch(struct gz_scene *scene, struct gz_node *node, uint64_t by)
{
    node->seq = ++scene->seq;
    if (node->by != by) node->part_seq[GZ_PART_BY] = node->seq;
    node->by = by;
    if (scene->newest == node) return;
    leave_order(scene, node);
    node->older = scene->newest;
    *(scene->newest != NULL ? &scene->newest->newer : &scene->oldest) = node;
    scene->newest = node;
}

void gz_node_place(struct gz_node *node, const gz_vec3 *t)
{
    if (memcmp(&node->trs.t, t, sizeof *t) == 0) return;
    node->part_seq[GZ_PART_T] = node->seq;
    if (memcmp(&node->trs.t.x, &t->x, sizeof t->x) != 0) node->axis_seq[0] = node->seq;
    if (memcmp(&node->trs.t.y, &t->y, sizeof t->y) != 0) node->axis_seq[1] = node->seq;
    if (memcmp(&node->trs.t.z, &t->z, sizeof t->z) != 0) node->axis_seq[2] = node->seq;
    node->trs.t = *t;
}

struct gz_node *gz_node_create(struct gz_scene *scene, uint64_t id)
{
    struct gz_node *node = calloc(1, sizeof *node);
    if (node == NULL) return NULL;
    node->id = id;
    node->gone = true;
    if (!gz_table_add(&scene->table, node)) {
        free(node);
        return NULL;
    }
    gz_node_link(scene, node, scene->tombs.first_child);
    return node;
}

static void free_tombstone(struct gz_scene *scene, struct gz_node *node)
{
    gz_bounds_slot_give_back(&scene->bounds_index, node);
    leave_order(scene, node);
    gz_node_unlink(scene, node);
    gz_table_remove(&scene->table, node->id);
    free(node->name);
    free(node);
}

void gz_tombstones_sweep(struct gz_scene *scene)
{
    struct gz_node *oldest;
    while ((oldest = scene->tombs.first_child) != NULL && oldest->seq <= scene->stored) {
        if (oldest->seq != 0) gz_graves_add(&scene->graves, oldest->id, oldest->seq);
        free_tombstone(scene, oldest);
    }
}

/* Below a node whose world transform is not known, none is known: such branches are skipped. */
void gz_world_forget(struct gz_node *top)
{
    struct gz_node *at = top;
    for (;;) {
        bool known = at->world_known;
        at->world_known = false;
        if (known && at->first_child != NULL) {
            at = at->first_child;
            continue;
        }
        while (at != top && at->next == NULL) at = at->parent;
        if (at == top) return;
        at = at->next;
    }
}
