/* What people have, beside what was. */
#include "sim/mirrors.h"
#include "sim/judge.h"
#include "sim/sim.h"

static void compare_node(const struct sim *sim, const struct person *person, uint64_t id)
{
    const struct mirror_node *node = mirror_find(&person->mirror, id);
    struct thing thing = node != NULL ? thing_of(&node->content) : nothing;
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
