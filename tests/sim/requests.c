/* The rules of requests: what each has to be answered with, and that the same key is one edit. */
#include "sim/requests.h"
#include "core/hold.h"
#include "sim/drags.h"
#include "sim/edits.h"
#include "sim/judge.h"
#include "sim/sim.h"
#include "sim/wanted.h"

static void expect(struct request *request, const struct act *act, uint64_t call,
                   const struct deed *deed)
{
    request->session = act->session;
    request->call = call;
    request->answer = deed != NULL ? ANSWER_EDIT : ANSWER_NO_EDIT;
    request->edit = deed != NULL ? deed->id : 0;
    request->again = false;
}

void act_message(struct sim *sim, const struct act *act, struct deed *completed)
{
    struct model *model = &sim->model;
    if (act->message == NULL || act->late) {
        check_nothing(model);
        return;
    }
    const struct deed *known = NULL;
    const struct gz_session *session = gz_core_session(sim->core, act->session);
    bool may_edit = session->role >= GZ_ROLE_EDITOR;
    bool asks_key = (may_edit && (op_edits(act->message->op) || ends_hold(act, GZ_OP_RELEASE))) ||
                    is_phase(act, GZ_PHASE_UP);
    if (asks_key) known = model_key(model, act->user, act->key);
    if (known != NULL && known != completed) {
        PROMISE((act->moved || model->changed.count == 0) && completed == NULL,
                "the same key is one edit", "%s again", act->key);
        check_dragged(model, act->session);
        /* A drag that runs is not the one of this key: it goes on. */
        const struct gz_interaction *interaction = session->gesture.interaction;
        bool other = is_phase(act, GZ_PHASE_UP) && interaction != NULL && !interaction->gives_way;
        if (ends_hold(act, GZ_OP_RELEASE))
            other = gz_session_hold(session, act->message->pose.hold) != NULL;
        expect(act->request, act, model->call, other ? NULL : known);
        act->request->again = !other;
        act->request->conflict = other;
        return;
    }
    if (!may_edit) check_nothing(model);
    if (is_phase(act, GZ_PHASE_UP) || is_phase(act, GZ_PHASE_CANCEL) ||
        ends_hold(act, GZ_OP_RELEASE) || ends_hold(act, GZ_OP_CANCEL))
        check_released(model, act);
    const struct deed *deed = check_operation(sim, act, completed);
    if (act->request == NULL) return;
    expect(act->request, act, model->call, deed);
    if (act->message->op == GZ_OP_RESTORE || act->message->op == GZ_OP_HISTORY ||
        act->message->op == GZ_OP_AT || (act->message->op == GZ_OP_REVERT && deed == NULL))
        act->request->answer = ANSWER_OPEN;
    if (act->message->op != GZ_OP_SET) return;
    act->request->node_changed = false;
    for (size_t i = 0; i < act->message->set.count; i++) {
        /* A drag that follows its parent may move a node there and back within a turn: nobody sees
         * that, but it has a seq. */
        act->request->node_changed |=
            life_of(model, act->message->set.nodes[i].id)->seq > act->message->set.base;
    }
}

void act_beside(const struct sim *sim, const struct act *act)
{
    if (act->request == NULL || act->late) return;
    expect(act->request, act, sim->model.call, NULL);
    if (act->message->op == GZ_OP_HISTORY || act->message->op == GZ_OP_AT)
        act->request->answer = ANSWER_OPEN;
}

void act_answer(struct sim *sim, const struct act *act)
{
    struct model *model = &sim->model;
    const struct deed *known = model_key(model, act->user, act->key);
    const struct deed *deed = known;
    if (known != NULL)
        PROMISE(model->changed.count == 0, "the same key is one edit", "%s again", act->key);
    if (known == NULL && act->reverted != 0)
        deed = check_revert(sim, act, act->reverted, act->force);
    if (known == NULL && act->reverted == 0 && model->changed.count > 0) {
        PROMISE(act->answer != NULL && act->answer->status == GZ_OK,
                "what edits nothing changes nothing", "a question");
        model->wanted.count = 0;
        want_restore(sim, act);
        check_wanted(model, "a restore is the state of then");
        deed = add_edit(sim, act, GZ_EDIT_RESTORE, act->restored);
    }
    if (act->request != NULL && act->answer != NULL) expect(act->request, act, model->call, deed);
}
