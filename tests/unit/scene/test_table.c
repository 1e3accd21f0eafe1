/* test_table.c - the hash table of nodes, where removals move their neighbours. */
#include <stdlib.h>

#include "scene/tree.h"
#include "support/cmocka.h"
#include "unit/scene/making.h"

enum { NODES = 3000 };

/* Ids without order meet in the same slots, so that removals have neighbours to move. */
TEST(test_table_finds_what_was_added_and_not_removed)
{
    static struct gz_node nodes[NODES];
    static bool added[NODES];
    uint64_t random = 1;
    struct gz_table table = {0};
    assert_null(gz_table_find(&table, 5));
    for (size_t i = 0; i < NODES; i++) nodes[i].id = (chance_below(&random, 1 << 20) << 12) + i;
    for (size_t step = 0; step < 100000; step++) {
        size_t i = chance_below(&random, step < 50000 ? NODES : NODES / 10);
        if (added[i]) {
            gz_table_remove(&table, nodes[i].id);
        } else {
            assert_true(gz_table_add(&table, &nodes[i]));
        }
        added[i] = !added[i];
        for (size_t n = 0; n < 20; n++) {
            size_t other = chance_below(&random, NODES);
            assert_ptr_equal(gz_table_find(&table, nodes[other].id),
                             added[other] ? &nodes[other] : NULL);
        }
    }
    size_t count = 0;
    for (size_t i = 0; i < NODES; i++) count += added[i];
    assert_int_equal(table.count, count);
    assert_true(2 * table.count <= table.capacity);
    free(table.slots);
}
