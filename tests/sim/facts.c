/* Nodes as they are, and what became of them. */
#include <string.h>

#include "sim/facts.h"

const struct thing nothing;

void keep_text(char kept[TEXT_MAX], const char *text)
{
    memset(kept, 0, TEXT_MAX);
    memcpy(kept, text, strnlen(text, TEXT_MAX - 1));
}

struct thing thing_of(const struct gz_content *content)
{
    struct thing thing;
    memset(&thing, 0, sizeof thing);
    thing.there = 1;
    thing.parent = content->parent;
    thing.trs = content->trs;
    thing.has_bounds = content->has_bounds;
    if (content->has_bounds) thing.bounds = content->bounds;
    thing.asset = content->asset;
    keep_text(thing.name, content->name);
    return thing;
}

bool same_thing(const struct thing *a, const struct thing *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

void facts_add(struct facts *facts, uint64_t node, const struct thing *before,
               const struct thing *after)
{
    facts->list = grow(facts->list, &facts->capacity, facts->count + 1, sizeof *facts->list);
    facts->list[facts->count++] = (struct fact){node, *before, *after};
}

struct fact *facts_find(const struct facts *facts, uint64_t node)
{
    for (size_t i = 0; i < facts->count; i++) {
        if (facts->list[i].node == node) return &facts->list[i];
    }
    return NULL;
}

void facts_merge(struct facts *facts, uint64_t node, const struct thing *before,
                 const struct thing *after)
{
    struct fact *fact = facts_find(facts, node);
    if (fact != NULL)
        fact->after = *after;
    else
        facts_add(facts, node, before, after);
}
