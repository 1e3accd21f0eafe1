/* lists.c - the nodes of a scene by id, by parent, by place, and in the order of change. */
#include <stdlib.h>
#include <string.h>

#include "scene/tree.h"
#include "server/maxima.h"

/* ---- by place ---- */

/* Where each node has its box in the bounds index. */

void gz_bounds_slot_mark(struct gz_bounds_index *index, size_t slot)
{
    index->blocks[slot / GZ_BOUNDS_BLOCK].is_stale = true;
}

static bool reserve(struct gz_bounds_index *index, size_t count)
{
    size_t blocks = (count + GZ_BOUNDS_BLOCK - 1) / GZ_BOUNDS_BLOCK;
    if (!gz_grow(&index->blocks, &index->block_capacity, blocks, sizeof *index->blocks))
        return false;
    if (count <= index->capacity) return true;
    size_t capacity = index->capacity;
    for (int side = 0; side < 6; side++) {
        capacity = index->capacity;
        if (!gz_grow(&index->sides[side], &capacity, count, sizeof *index->sides[side]))
            return false;
    }
    size_t nodes = index->capacity, found = index->capacity;
    if (!gz_grow(&index->nodes, &nodes, count, sizeof *index->nodes)) return false;
    if (!gz_grow(&index->found, &found, count, sizeof *index->found)) return false;
    index->capacity = capacity;
    return true;
}

bool gz_bounds_slot_take(struct gz_bounds_index *index, const struct gz_node *node)
{
    if (node->slot != 0) return true;
    if (!reserve(index, index->count + 1)) return false;
    index->nodes[index->count++] = node;
    ((struct gz_node *)node)->slot = (uint32_t)index->count;
    return true;
}

/* The last slot moves into the hole. */
void gz_bounds_slot_give_back(struct gz_bounds_index *index, const struct gz_node *node)
{
    if (node->slot == 0) return;
    size_t hole = node->slot - 1, last = --index->count;
    gz_bounds_slot_mark(index, hole);
    gz_bounds_slot_mark(index, last);
    for (int side = 0; side < 6; side++) index->sides[side][hole] = index->sides[side][last];
    index->nodes[hole] = index->nodes[last];
    ((struct gz_node *)index->nodes[hole])->slot = node->slot;
    ((struct gz_node *)node)->slot = 0;
}

/* ---- by id ---- */

/* The nodes of a scene by id. */

#define FIRST_CAPACITY 64

/* Ids are given out and looked up in sequence: eight consecutive ids have adjacent homes, and a
 * multiplication by 2^64 / golden ratio spreads these groups evenly. */
static size_t home_of(const struct gz_table *table, uint64_t id)
{
    uint64_t group = ((id >> 3) * UINT64_C(0x9E3779B97F4A7C15)) >> 32;
    return (size_t)(group << 3 | (id & 7)) & (table->capacity - 1);
}

static size_t slot_of(const struct gz_table *table, uint64_t id)
{
    size_t slot = home_of(table, id);
    while (table->slots[slot].node != NULL && table->slots[slot].id != id)
        slot = (slot + 1) & (table->capacity - 1);
    return slot;
}

struct gz_node *gz_table_find(const struct gz_table *table, uint64_t id)
{
    return table->capacity > 0 ? table->slots[slot_of(table, id)].node : NULL;
}

static bool grow(struct gz_table *table)
{
    struct gz_table larger = {.capacity =
                                  table->capacity > 0 ? 2 * table->capacity : FIRST_CAPACITY,
                              .count = table->count};
    larger.slots = calloc(larger.capacity, sizeof *larger.slots);
    if (larger.slots == NULL) return false;
    for (size_t i = 0; i < table->capacity; i++) {
        if (table->slots[i].node != NULL)
            larger.slots[slot_of(&larger, table->slots[i].id)] = table->slots[i];
    }
    free(table->slots);
    *table = larger;
    return true;
}

bool gz_table_add(struct gz_table *table, struct gz_node *node)
{
    if (2 * (table->count + 1) > table->capacity && !grow(table)) return false;
    table->slots[slot_of(table, node->id)] = (struct gz_table_slot){node->id, node};
    table->count++;
    return true;
}

/* Each node after the hole moves into it, unless that would put the node before its home. */
void gz_table_remove(struct gz_table *table, uint64_t id)
{
    size_t mask = table->capacity - 1;
    size_t hole = slot_of(table, id);
    for (size_t at = (hole + 1) & mask; table->slots[at].node != NULL; at = (at + 1) & mask) {
        size_t home = home_of(table, table->slots[at].id);
        if (((at - home) & mask) < ((at - hole) & mask)) continue;
        table->slots[hole] = table->slots[at];
        hole = at;
    }
    table->slots[hole].node = NULL;
    table->count--;
}

/* ---- lists of nodes ---- */

/* The lists that a node is in: siblings and the order of change. */

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
