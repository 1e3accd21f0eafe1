/* What must come of everything that is done to the core: each act in turn, against the rules. */
#include "sim/model.h"
#include "server/maxima.h"

void look(struct sim *sim)
{
    struct model *model = &sim->model;
    model->call++;
    model->changed.count = 0;
    const struct gz_node *node = NULL;
    while ((node = gz_scene_walk_all(sim->core->scene, node)) != NULL) {
        struct gz_content content;
        gz_node_content(node, &content);
        struct thing thing = thing_of(&content);
        struct life *life = life_of(model, node->id);
        life->seen = model->call;
        life->seq = node->seq;
        if (!same_thing(&life->now, &thing))
            facts_add(&model->changed, node->id, &life->now, &thing);
    }
    for (uint64_t id = 1; id < model->life_count; id++) {
        struct life *life = &model->lives[id];
        if (life->now.there && life->seen != model->call)
            facts_add(&model->changed, id, &life->now, &nothing);
    }
}

static void check_time(struct sim *sim)
{
    double time_s = sim->core->clock.now.unix_s;
    PROMISE(time_s >= sim->model.time_s, "the times of a scene never go back",
            "it was %.6f, and is %.6f", sim->model.time_s, time_s);
    sim->model.time_s = time_s;
}

void model_act(struct sim *sim, const struct act *act)
{
    struct model *model = &sim->model;
    look(sim);
    check_time(sim);
    if (act->kind == ACT_REFUSED) act_refused(sim);
    struct deed *completed = end_grips(sim, act);
    if (act->kind == ACT_REFUSED) forget_refused(sim);
    uint64_t deed = completed != NULL ? completed->id : 0;
    begin_grips(sim, act);
    if (deed != 0) completed = (struct deed *)model_deed(model, deed);
    switch (act->kind) {
    case ACT_MESSAGE: act_message(sim, act, is_phase(act, GZ_PHASE_UP) ? completed : NULL); break;
    case ACT_TURN: check_dragged(model, 0); break;
    case ACT_ANSWER: act_answer(sim, act); break;
    case ACT_REFUSED: break;
    default: check_nothing(model); break;
    }
    uint64_t seq = gz_scene_seq(sim->core->scene);
    for (size_t i = 0; i < model->changed.count; i++) {
        const struct fact *fact = &model->changed.list[i];
        remember(model, fact->node, seq, &fact->after);
    }
    model->newest_node = gz_scene_next_id(sim->core->scene) - 1;
    model->next_edit = sim->core->next_edit;
    check_holders(sim);
    PROMISE(sim->core->journal.requests <= GZ_PENDING_EDITS_MAX + 2 * PEOPLE,
            "what waits is bounded", "%zu requests", sim->core->journal.requests);
}

void model_beside(struct sim *sim, const struct act *act)
{
    act_beside(act, sim->model.call);
}
