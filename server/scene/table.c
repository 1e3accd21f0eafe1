/* The nodes of a scene by id. */
#include <stdlib.h>

#include "scene/internal.h"

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
