/* What must come of everything that is done to the core: each act in turn, against the rules. */
#include "sim/model.h"
#include "server/maxima.h"
#include "sim/access.h"
#include "sim/disk.h"
#include "sim/drags.h"
#include "sim/judge.h"
#include "sim/requests.h"
#include "sim/sim.h"
#include "sim/wanted.h"

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
    look(model, sim->core->scene);
    check_time(sim);
    if (act->kind == ACT_REFUSED) act_refused(sim);
    struct deed *completed = end_grips(sim, act);
    if (act->kind == ACT_REFUSED) forget_refused(sim);
    uint64_t deed = completed != NULL ? completed->id : 0;
    begin_grips(sim, act);
    if (deed != 0) completed = model_deed(model, deed);
    switch (act->kind) {
    case ACT_MESSAGE:
        act_message(sim, act,
                    is_phase(act, GZ_PHASE_UP) || ends_hold(act, GZ_OP_RELEASE) ? completed : NULL);
        break;
    case ACT_TURN: check_dragged(model, 0); break;
    case ACT_ANSWER: act_answer(sim, act); break;
    case ACT_REFUSED: break;
    default: check_nothing(model); break;
    }
    uint64_t seq = gz_scene_seq(sim->core->scene);
    for (size_t i = 0; i < model->changed.count; i++) {
        const struct fact *fact = &model->changed.list[i];
        remember(model, fact->node, seq, preview_of(sim, fact->node), &fact->after);
    }
    model->newest_node = gz_scene_next_id(sim->core->scene) - 1;
    model->next_edit = sim->core->next_edit;
    check_holders(sim);
    access_check(sim);
    PROMISE(sim->core->journal.requests <= GZ_PENDING_EDITS_MAX + 2 * PEOPLE,
            "what waits is bounded", "%zu requests", sim->core->journal.requests);
}
