/* predicted.c - keeps the expected transforms of nodes. See predicted.h. */
#include "predicted.h"

#define NEAR 1e-9
#define DEPTH_MAX 1024 /* of a node; the server allows less */

/* The effect of one change on a node. */
struct layer {
    uint64_t number, has;
    gz_trs trs;
};

struct gz_predicted_node {
    size_t count;
    struct layer layers[]; /* by ascending number */
};

/* ---- layers ---- */

static size_t place_of(const struct gz_predicted_node *node, uint64_t number)
{
    size_t at = 0;
    while (at < node->count && node->layers[at].number < number) at++;
    return at;
}

static bool is_at(const struct gz_predicted_node *node, size_t at, uint64_t number)
{
    return at < node->count && node->layers[at].number == number;
}

/* A copy of the node with one more layer, to be filled; NULL without memory. */
static struct gz_predicted_node *copy_with_room(const struct gz_predicted_node *node, size_t at)
{
    size_t count = node != NULL ? node->count : 0;
    struct gz_predicted_node *copy = malloc(sizeof *copy + (count + 1) * sizeof *copy->layers);
    if (copy == NULL) return NULL;
    copy->count = count + 1;
    for (size_t i = 0; i < count; i++) copy->layers[i + (i >= at)] = node->layers[i];
    return copy;
}

static void lay_over(gz_trs *trs, const struct layer *layer)
{
    if (layer->has & GZ_HAS_SET_NODE_T) trs->t = layer->trs.t;
    if (layer->has & GZ_HAS_SET_NODE_R) trs->r = layer->trs.r;
    if (layer->has & GZ_HAS_SET_NODE_S) trs->s = layer->trs.s;
}

static gz_trs trs_of(const struct gz_predicted *foreseen, const struct gz_mirror_node *told)
{
    gz_trs trs = told->trs;
    const struct gz_predicted_node *node = gz_records_find(&foreseen->nodes, told->id);
    for (size_t i = 0; node != NULL && i < node->count; i++) lay_over(&trs, &node->layers[i]);
    return trs;
}

bool gz_predicted_put(struct gz_predicted *foreseen, uint64_t id, uint64_t number, uint64_t has,
                      const gz_trs *trs)
{
    struct gz_predicted_node *node = gz_records_find(&foreseen->nodes, id);
    size_t at = node != NULL ? place_of(node, number) : 0;
    if (node == NULL || !is_at(node, at, number)) {
        node = copy_with_room(node, at);
        if (!gz_records_put(&foreseen->nodes, id, node)) return false;
    }
    node->layers[at] = (struct layer){number, has, *trs};
    foreseen->version++;
    return true;
}

/* ---- dropping ---- */

static void remove_layer(struct gz_predicted *foreseen, uint64_t id, struct gz_predicted_node *node,
                         size_t at)
{
    node->count--;
    memmove(&node->layers[at], &node->layers[at + 1], (node->count - at) * sizeof *node->layers);
    if (node->count == 0) gz_records_remove(&foreseen->nodes, id);
}

bool gz_predicted_drop(struct gz_predicted *foreseen, uint64_t number)
{
    bool as_expected = true;
    for (size_t i = foreseen->nodes.count; i-- > 0;) {
        uint64_t id = foreseen->nodes.list[i].id;
        struct gz_predicted_node *node = foreseen->nodes.list[i].block;
        size_t at = place_of(node, number);
        gz_trs before, after;
        if (!is_at(node, at, number)) continue;
        bool is_there = gz_predicted_trs(foreseen, id, &before);
        remove_layer(foreseen, id, node, at);
        as_expected &=
            is_there && gz_predicted_trs(foreseen, id, &after) && gz_trs_near(&before, &after);
    }
    foreseen->version++;
    return as_expected;
}

void gz_predicted_clear(struct gz_predicted *foreseen)
{
    gz_records_clear(&foreseen->nodes);
    foreseen->version++;
}

/* ---- positions of nodes ---- */

bool gz_predicted_trs(const struct gz_predicted *foreseen, uint64_t id, gz_trs *trs)
{
    const struct gz_mirror_node *told = gz_mirror_find(foreseen->mirror, id);
    if (told != NULL) *trs = trs_of(foreseen, told);
    return told != NULL;
}

static bool find_world(const struct gz_predicted *foreseen, uint64_t id, int depth,
                       gz_affine *world)
{
    const struct gz_mirror_node *told = gz_mirror_find(foreseen->mirror, id);
    if (told == NULL || depth > DEPTH_MAX) return false;
    gz_trs trs = trs_of(foreseen, told);
    gz_affine local = gz_affine_from_trs(&trs), above;
    *world = local;
    if (told->parent == 0) return true;
    if (!find_world(foreseen, told->parent, depth + 1, &above)) return false;
    *world = gz_affine_multiply(&above, &local);
    return true;
}

bool gz_predicted_world(const struct gz_predicted *foreseen, uint64_t id, gz_affine *world)
{
    *world = gz_affine_identity;
    return id == 0 || find_world(foreseen, id, 0, world);
}

static bool are_near(gz_vec3 a, gz_vec3 b, double least_size)
{
    double size = fmax(least_size, fmax(gz_length(a), gz_length(b)));
    return gz_length(gz_sub(a, b)) <= NEAR * size;
}

bool gz_trs_near(const gz_trs *a, const gz_trs *b)
{
    double dot = a->r.x * b->r.x + a->r.y * b->r.y + a->r.z * b->r.z + a->r.w * b->r.w;
    gz_quat turn = gz_quat_multiply(gz_quat_conjugate(a->r), b->r);
    gz_vec3 sine = {turn.x, turn.y, turn.z};
    return are_near(a->t, b->t, 1) && are_near(a->s, b->s, 0) && gz_length(sine) <= NEAR &&
           dot != 0;
}
