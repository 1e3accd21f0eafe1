/* bounds_slots.c - where each node has its box in the bounds index. */
#include "scene/internal.h"

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
