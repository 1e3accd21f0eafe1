#include "support/core_mirror.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *copy_text(struct gz_text text)
{
    char *copy = malloc(text.size + 1);
    assert_non_null(copy);
    if (text.size > 0) memcpy(copy, text.bytes, text.size);
    copy[text.size] = '\0';
    return copy;
}

void mirror_clear(struct mirror *mirror)
{
    for (size_t i = 0; i < mirror->count; i++) free((char *)mirror->nodes[i].content.name);
    mirror->count = 0;
    mirror->seq = mirror->complete = 0;
    mirror->more = false;
}

void mirror_finish(struct mirror *mirror)
{
    mirror_clear(mirror);
    free(mirror->nodes);
}

/* The first place whose id is not below `id`. */
static size_t place_of(const struct mirror *mirror, uint64_t id)
{
    size_t low = 0, high = mirror->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (mirror->nodes[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_at(const struct mirror *mirror, size_t place, uint64_t id)
{
    return place < mirror->count && mirror->nodes[place].id == id;
}

const struct mirror_node *mirror_find(const struct mirror *mirror, uint64_t id)
{
    size_t place = place_of(mirror, id);
    return is_at(mirror, place, id) ? &mirror->nodes[place] : NULL;
}

static struct mirror_node *add(struct mirror *mirror, size_t place, uint64_t id)
{
    if (mirror->count == mirror->capacity) {
        mirror->capacity = mirror->capacity > 0 ? 2 * mirror->capacity : 64;
        mirror->nodes = realloc(mirror->nodes, mirror->capacity * sizeof *mirror->nodes);
        assert_non_null(mirror->nodes);
    }
    struct mirror_node *node = &mirror->nodes[place];
    memmove(node + 1, node, (mirror->count++ - place) * sizeof *node);
    *node = (struct mirror_node){.id = id, .content.asset = -1};
    return node;
}

static void apply_node(struct mirror *mirror, const struct gz_node_state *state)
{
    const uint64_t whole = GZ_HAS(T) | GZ_HAS(R) | GZ_HAS(S) | GZ_HAS(NAME) | GZ_HAS(PARENT);
    size_t place = place_of(mirror, state->id);
    bool known = is_at(mirror, place, state->id);
    if (!known) assert_true((state->has & whole) == whole);
    struct mirror_node *node = known ? &mirror->nodes[place] : add(mirror, place, state->id);
    if (state->has & GZ_HAS(T)) node->content.trs.t = state->trs.t;
    if (state->has & GZ_HAS(R)) node->content.trs.r = state->trs.r;
    if (state->has & GZ_HAS(S)) node->content.trs.s = state->trs.s;
    if (state->has & GZ_HAS(PARENT)) node->content.parent = state->parent;
    if (state->has & GZ_HAS(ASSET)) node->content.asset = (int64_t)state->asset;
    if (state->has & GZ_HAS(BOUNDS)) {
        node->content.has_bounds = true;
        node->content.bounds = state->bounds;
    }
    if (state->has & GZ_HAS(NAME)) {
        free((char *)node->content.name);
        node->content.name = copy_text(state->name);
    }
}

static void remove_node(struct mirror *mirror, uint64_t id)
{
    size_t place = place_of(mirror, id);
    if (!is_at(mirror, place, id)) return; /* made and deleted since */
    struct mirror_node *node = &mirror->nodes[place];
    free((char *)node->content.name);
    memmove(node, node + 1, (--mirror->count - place) * sizeof *node);
}

void mirror_apply(struct mirror *mirror, const struct gz_delta *delta)
{
    assert_true(delta->from == 0 || delta->from == mirror->seq);
    assert_true(delta->seq >= delta->from);
    if (delta->from == 0) {
        mirror_clear(mirror);
        mirror->snapshots++;
    }
    for (size_t i = 0; i < delta->gone.count; i++) remove_node(mirror, delta->gone.ids[i]);
    for (size_t i = 0; i < delta->count; i++) {
        apply_node(mirror, &delta->nodes[i]);
        for (size_t j = 0; j < delta->gone.count && delta->count < 50; j++)
            assert_int_not_equal(delta->gone.ids[j], delta->nodes[i].id);
    }
    mirror->seq = delta->seq;
    mirror->more = delta->more;
    if (!delta->more) mirror->complete = delta->seq;
    mirror->deltas++;
}

static void assert_content(const struct gz_content *a, const struct gz_content *b)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->parent, b->parent);
    assert_int_equal(a->asset, b->asset);
    assert_int_equal(a->has_bounds, b->has_bounds);
    assert_memory_equal(&a->trs, &b->trs, sizeof a->trs);
    if (a->has_bounds) assert_memory_equal(&a->bounds, &b->bounds, sizeof a->bounds);
}

void mirror_assert_equal(const struct mirror *mirror, const struct gz_node_record *nodes, size_t count)
{
    assert_false(mirror->more);
    assert_int_equal(mirror->count, count);
    for (size_t i = 0; i < count; i++) {
        const struct mirror_node *node = mirror_find(mirror, nodes[i].id);
        assert_non_null(node);
        assert_content(&node->content, &nodes[i].content);
    }
}
