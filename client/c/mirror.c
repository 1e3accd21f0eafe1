/* mirror.c - a viewer's copy of the scene: a hash table of nodes that deltas update. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gizmo_client.h"

/* The required fields of a new node. */
#define WHOLE_NODE                                                                                 \
    (GZ_HAS_STATE_T | GZ_HAS_STATE_R | GZ_HAS_STATE_S | GZ_HAS_STATE_NAME | GZ_HAS_STATE_PARENT)
#define FIRST_SLOTS 64 /* a power of two, as every later size */

struct gz_mirror {
    struct gz_mirror_node **slots; /* open addressing, linear probing; NULL is free */
    size_t slot_count, count;
    uint64_t seq, complete, seen; /* its seq, its last complete one, and the highest one so far */
    bool begun, more;
};

struct gz_mirror *gz_mirror_create(void)
{
    return calloc(1, sizeof(struct gz_mirror));
}

static void node_destroy(struct gz_mirror_node *node)
{
    free(node->name);
    free(node);
}

void gz_mirror_clear(struct gz_mirror *mirror)
{
    for (size_t i = 0; i < mirror->slot_count; i++)
        if (mirror->slots[i] != NULL) node_destroy(mirror->slots[i]);
    free(mirror->slots);
    *mirror = (struct gz_mirror){0};
}

void gz_mirror_destroy(struct gz_mirror *mirror)
{
    if (mirror == NULL) return;
    gz_mirror_clear(mirror);
    free(mirror);
}

uint64_t gz_mirror_seq(const struct gz_mirror *mirror)
{
    return mirror->seq;
}

uint64_t gz_mirror_complete_seq(const struct gz_mirror *mirror)
{
    return mirror->complete;
}

uint64_t gz_mirror_seen_seq(const struct gz_mirror *mirror)
{
    return mirror->seen;
}

void gz_mirror_rewind(struct gz_mirror *mirror)
{
    mirror->seq = mirror->complete;
}

bool gz_mirror_is_complete(const struct gz_mirror *mirror)
{
    return mirror->begun && !mirror->more;
}

void gz_mirror_expect(struct gz_mirror *mirror)
{
    mirror->more = true;
}

size_t gz_mirror_count(const struct gz_mirror *mirror)
{
    return mirror->count;
}

/* ---- the table ---- */

static size_t home_slot(const struct gz_mirror *mirror, uint64_t id)
{
    return (size_t)(id * UINT64_C(0x9E3779B97F4A7C15) >> 20) & (mirror->slot_count - 1);
}

/* The slot that holds `id`, or the free one where it would go. There is always a free one. */
static size_t find_slot(const struct gz_mirror *mirror, uint64_t id)
{
    size_t slot = home_slot(mirror, id);
    while (mirror->slots[slot] != NULL && mirror->slots[slot]->id != id)
        slot = (slot + 1) & (mirror->slot_count - 1);
    return slot;
}

static bool grow(struct gz_mirror *mirror)
{
    struct gz_mirror larger = *mirror;
    larger.slot_count = mirror->slot_count > 0 ? 2 * mirror->slot_count : FIRST_SLOTS;
    larger.slots = calloc(larger.slot_count, sizeof *larger.slots);
    if (larger.slots == NULL) return false;
    for (size_t i = 0; i < mirror->slot_count; i++)
        if (mirror->slots[i] != NULL)
            larger.slots[find_slot(&larger, mirror->slots[i]->id)] = mirror->slots[i];
    free(mirror->slots);
    *mirror = larger;
    return true;
}

static struct gz_mirror_node *add(struct gz_mirror *mirror, uint64_t id)
{
    if (4 * (mirror->count + 1) > 3 * mirror->slot_count && !grow(mirror)) return NULL;
    struct gz_mirror_node *node = calloc(1, sizeof *node);
    if (node == NULL) return NULL;
    node->id = id;
    node->asset = -1;
    mirror->slots[find_slot(mirror, id)] = node;
    mirror->count++;
    return node;
}

static void remove_id(struct gz_mirror *mirror, uint64_t id)
{
    if (mirror->slot_count == 0) return;
    size_t hole = find_slot(mirror, id), mask = mirror->slot_count - 1;
    if (mirror->slots[hole] == NULL) return;
    node_destroy(mirror->slots[hole]);
    mirror->slots[hole] = NULL;
    mirror->count--;
    /* Nodes behind the hole that would no longer be found from their home move into it. */
    for (size_t slot = (hole + 1) & mask; mirror->slots[slot] != NULL; slot = (slot + 1) & mask) {
        size_t home = home_slot(mirror, mirror->slots[slot]->id);
        if (((slot - home) & mask) < ((slot - hole) & mask)) continue;
        mirror->slots[hole] = mirror->slots[slot];
        mirror->slots[slot] = NULL;
        hole = slot;
    }
}

const struct gz_mirror_node *gz_mirror_find(const struct gz_mirror *mirror, uint64_t id)
{
    return mirror->slot_count > 0 ? mirror->slots[find_slot(mirror, id)] : NULL;
}

static int compare_ids(const void *a, const void *b)
{
    const struct gz_mirror_node *const *left = a, *const *right = b;
    return ((*left)->id > (*right)->id) - ((*left)->id < (*right)->id);
}

const struct gz_mirror_node **gz_mirror_list(const struct gz_mirror *mirror, size_t *count)
{
    const struct gz_mirror_node **list = malloc((mirror->count + 1) * sizeof *list);
    *count = 0;
    if (list == NULL) return NULL;
    for (size_t i = 0; i < mirror->slot_count; i++)
        if (mirror->slots[i] != NULL) list[(*count)++] = mirror->slots[i];
    qsort(list, *count, sizeof(struct gz_mirror_node *), compare_ids);
    return list;
}

bool gz_mirror_world(const struct gz_mirror *mirror, uint64_t id, gz_affine *world)
{
    gz_affine result = gz_affine_identity;
    /* No path has more steps than there are nodes, so that a cycle ends too. */
    for (size_t steps = 0; id != 0; steps++) {
        const struct gz_mirror_node *node = gz_mirror_find(mirror, id);
        if (node == NULL || steps > mirror->count) return false;
        gz_affine local = gz_affine_from_trs(&node->trs);
        result = gz_affine_multiply(&local, &result);
        id = node->parent;
    }
    *world = result;
    return true;
}

/* ---- deltas ---- */

static bool set_name(struct gz_mirror_node *node, struct gz_text name)
{
    char *copy = malloc(name.size + 1);
    if (copy == NULL) return false;
    if (name.size > 0) memcpy(copy, name.bytes, name.size);
    copy[name.size] = '\0';
    free(node->name);
    node->name = copy;
    return true;
}

static enum gz_status apply_node(struct gz_mirror *mirror, const struct gz_node_state *state,
                                 struct gz_error *error)
{
    struct gz_mirror_node *node = (struct gz_mirror_node *)gz_mirror_find(mirror, state->id);
    if (node == NULL) {
        if ((state->has & WHOLE_NODE) != WHOLE_NODE)
            return gz_fail(error, GZ_CONFLICT,
                           "delta: node %" PRIu64 " is new and lacks t, r, s, name or parent",
                           state->id);
        if ((node = add(mirror, state->id)) == NULL)
            return gz_fail(error, GZ_NO_MEMORY, "no memory for the scene");
    }
    if (state->has & GZ_HAS_STATE_T) node->trs.t = state->trs.t;
    if (state->has & GZ_HAS_STATE_R) node->trs.r = state->trs.r;
    if (state->has & GZ_HAS_STATE_S) node->trs.s = state->trs.s;
    if (state->has & GZ_HAS_STATE_PARENT) node->parent = state->parent;
    if (state->has & GZ_HAS_STATE_BY) node->by = state->by;
    if (state->has & GZ_HAS_STATE_ASSET) node->asset = (int64_t)state->asset;
    if (state->has & GZ_HAS_STATE_BOUNDS) {
        node->has_bounds = true;
        node->bounds = state->bounds;
    }
    if (state->has & GZ_HAS_STATE_NAME && !set_name(node, state->name))
        return gz_fail(error, GZ_NO_MEMORY, "no memory for the scene");
    return GZ_OK;
}

static enum gz_status check_parents(const struct gz_mirror *mirror, struct gz_error *error)
{
    for (size_t i = 0; i < mirror->slot_count; i++) {
        const struct gz_mirror_node *node = mirror->slots[i];
        if (node != NULL && node->parent != 0 && gz_mirror_find(mirror, node->parent) == NULL)
            return gz_fail(error, GZ_CONFLICT,
                           "delta: node %" PRIu64 " is left without its parent %" PRIu64, node->id,
                           node->parent);
    }
    return GZ_OK;
}

/* Whether the delta could leave a node without its parent. */
static bool touches_hierarchy(const struct gz_delta *delta)
{
    if (delta->gone.count > 0) return true;
    for (size_t i = 0; i < delta->count; i++)
        if (delta->nodes[i].has & GZ_HAS_STATE_PARENT) return true;
    return false;
}

enum gz_status gz_mirror_apply(struct gz_mirror *mirror, const struct gz_delta *delta,
                               struct gz_error *error)
{
    bool continues = mirror->begun && delta->from == mirror->seq;
    if (!continues && delta->from != 0)
        return gz_fail(error, GZ_CONFLICT,
                       "delta: it is from %" PRIu64 ", the scene here is at %" PRIu64, delta->from,
                       mirror->seq);
    if (!continues) gz_mirror_clear(mirror);

    bool hierarchy = mirror->more || touches_hierarchy(delta);
    for (size_t i = 0; i < delta->gone.count; i++) remove_id(mirror, delta->gone.ids[i]);
    for (size_t i = 0; i < delta->count; i++) {
        enum gz_status status = apply_node(mirror, &delta->nodes[i], error);
        if (status != GZ_OK) return status;
    }
    mirror->begun = true;
    mirror->seq = delta->seq;
    mirror->more = delta->more;
    if (mirror->seen < delta->seq) mirror->seen = delta->seq;
    if (!delta->more) mirror->complete = mirror->seen = delta->seq;
    return hierarchy && !delta->more ? check_parents(mirror, error) : GZ_OK;
}
