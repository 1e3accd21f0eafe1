/* facts.h - nodes as they are, and what became of them. */
#ifndef GZ_TEST_SIM_FACTS_H
#define GZ_TEST_SIM_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scene/record.h"
#include "support/grow.h"

enum { TEXT_MAX = 32 };

/* A node, all of it, comparable byte by byte: unused bytes are 0. */
struct thing {
    uint64_t there; /* 0 or 1 */
    uint64_t parent;
    gz_trs trs;
    uint64_t has_bounds;
    gz_box bounds;
    int64_t asset;
    char name[TEXT_MAX];
};

struct fact {
    uint64_t node;
    struct thing before, after;
};

struct facts {
    struct fact *list;
    size_t count, capacity;
};

/* A node that is not there. */
extern const struct thing nothing;

struct thing thing_of(const struct gz_content *content);
bool same_thing(const struct thing *a, const struct thing *b);
/* As much of `text` as there is room for; the rest of `kept` is 0. */
void keep_text(char kept[TEXT_MAX], const char *text);

void facts_add(struct facts *facts, uint64_t node, const struct thing *before,
               const struct thing *after);
/* NULL if there is none of the node. */
struct fact *facts_find(const struct facts *facts, uint64_t node);
/* Keeps one fact of each node: its first `before` and its last `after`. */
void facts_merge(struct facts *facts, uint64_t node, const struct thing *before,
                 const struct thing *after);

#endif
