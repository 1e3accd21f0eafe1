/* foreseen.c - keeps where nodes are expected. See foreseen.h. */
#include "foreseen.h"

#define NEAR 1e-9
#define DEPTH_MAX 1024 /* of a node; the server allows less */

bool gz_foreseen_put(struct gz_foreseen *foreseen, uint64_t id, const gz_trs *trs, uint64_t gesture)
{
    struct gz_foreseen_node *node = gz_records_find(&foreseen->nodes, id);
    bool is_new = node == NULL;
    if (is_new) node = malloc(sizeof *node);
    if (node != NULL) *node = (struct gz_foreseen_node){*trs, gesture};
    return !is_new || gz_records_put(&foreseen->nodes, id, node);
}

bool gz_foreseen_drop(struct gz_foreseen *foreseen, uint64_t gesture)
{
    bool as_expected = true;
    for (size_t i = foreseen->nodes.count; i-- > 0;) {
        const struct gz_record *record = &foreseen->nodes.list[i];
        const struct gz_foreseen_node *node = record->block;
        if (node->gesture != gesture) continue;
        const struct gz_mirror_node *told = gz_mirror_find(foreseen->mirror, record->id);
        as_expected &= told != NULL && gz_trs_near(&told->trs, &node->trs);
        gz_records_remove(&foreseen->nodes, record->id);
    }
    return as_expected;
}

static gz_trs trs_of(const struct gz_foreseen *foreseen, const struct gz_mirror_node *told)
{
    const struct gz_foreseen_node *node = gz_records_find(&foreseen->nodes, told->id);
    return node != NULL ? node->trs : told->trs;
}

bool gz_foreseen_trs(const struct gz_foreseen *foreseen, uint64_t id, gz_trs *trs)
{
    const struct gz_mirror_node *told = gz_mirror_find(foreseen->mirror, id);
    if (told != NULL) *trs = trs_of(foreseen, told);
    return told != NULL;
}

static bool find_world(const struct gz_foreseen *foreseen, uint64_t id, int depth, gz_affine *world)
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

bool gz_foreseen_world(const struct gz_foreseen *foreseen, uint64_t id, gz_affine *world)
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
