/* What people have, beside what was. */
#include "sim/mirrors.h"

#include <math.h>
#include <string.h>

#include "sim/judge.h"
#include "sim/sim.h"

/* What a motion is off by at most, in parts of what it says. */
#define NEARLY 1e-9

static bool is_near(const gz_trs *told, const gz_trs *exact)
{
    const gz_vec3 off = gz_sub(told->t, exact->t), grown = gz_sub(told->s, exact->s);
    const gz_quat *a = &told->r, *b = &exact->r;
    return gz_length(off) <= NEARLY * (1 + gz_length(exact->t)) && fabs(a->x - b->x) <= NEARLY &&
           fabs(a->y - b->y) <= NEARLY && fabs(a->z - b->z) <= NEARLY &&
           fabs(a->w - b->w) <= NEARLY && gz_length(grown) <= NEARLY * gz_length(exact->s);
}

/* Where a motion has a node is a preview for as long as somebody holds it. Then it is what the
 * scene has, to the last bit. */
static bool is_preview(const struct sim *sim, const struct person *person,
                       const struct mirror_node *node)
{
    if (!node->in_motion || sim->core == NULL) return node->in_motion;
    const struct gz_node *own = gz_scene_find(sim->core->scene, node->id);
    if (person->mirror.complete != gz_scene_seq(sim->core->scene) || own == NULL) return true;
    return own->holder != 0;
}

void previews_compare(struct sim *sim, const struct person *person)
{
    for (size_t i = 0; i < person->mirror.count; i++) {
        const struct mirror_node *node = &person->mirror.nodes[i];
        const struct gz_node *own = gz_scene_find(sim->core->scene, node->id);
        if (node->in_motion)
            PROMISE(own != NULL && is_near(&node->content.trs, &own->trs),
                    "motions are near to what is so", "%s/%d has node %llu elsewhere", person->user,
                    person->index, NUMBER(node->id));
    }
}

struct thing thing_told(const struct sim *sim, const struct person *person,
                        const struct mirror_node *node)
{
    struct thing thing = thing_of(&node->content);
    if (is_preview(sim, person, node)) {
        const struct thing *exact = model_at(&sim->model, node->id, person->mirror.complete);
        thing.trs.t = exact->trs.t;
        thing.trs.r = exact->trs.r;
    }
    return thing;
}

static void compare_node(const struct sim *sim, const struct person *person, uint64_t id)
{
    const struct mirror_node *node = mirror_find(&person->mirror, id);
    struct thing thing = node != NULL ? thing_told(sim, person, node) : nothing;
    PROMISE(same_thing(&thing, model_at(&sim->model, id, person->mirror.complete)),
            "deltas alone give the exact state", "%s/%d has node %llu wrong at seq %llu",
            person->user, person->index, NUMBER(id), NUMBER(person->mirror.complete));
}

void model_compare(struct sim *sim, struct person *person, bool everything)
{
    const struct model *model = &sim->model;
    uint64_t seq = person->mirror.complete;
    if (everything || person->checked == UINT64_MAX) {
        for (uint64_t id = 1; id < model->life_count; id++) compare_node(sim, person, id);
        for (size_t i = 0; i < person->mirror.count; i++)
            compare_node(sim, person, person->mirror.nodes[i].id);
    } else {
        for (size_t i = model->log_count; i-- > 0 && model->log[i].seq > person->checked;) {
            if (model->log[i].seq <= seq) compare_node(sim, person, model->log[i].node);
        }
    }
    person->checked = seq;
}
