/* The rules of drags and wheels, and of the locks that they are. */
#include "sim/drags.h"
#include "server/maxima.h"
#include "sim/judge.h"
#include "sim/sim.h"

bool gesture_moves(const struct gz_gesture *gesture)
{
    return gesture->is_behind || gz_gesture_is_passing(gesture);
}

bool touches_unstored(const struct model *model, const struct grip *grip)
{
    for (size_t i = model->deed_count; i-- > 0 && !model->deeds[i].stored;) {
        for (size_t j = 0; j < grip->press.count; j++) {
            if (facts_find(&model->deeds[i].facts, grip->press.list[j].node) != NULL) return true;
        }
    }
    return false;
}

static bool is_hold(const struct grip *grip)
{
    return grip->interaction == &gz_hold_interaction;
}

static bool is_cancelled(const struct model *model, const struct act *act, const struct grip *grip)
{
    if (act->kind == ACT_REFUSED) return touches_unstored(model, grip);
    if (grip->session != act->session) return false;
    if (!is_hold(grip)) return is_phase(act, GZ_PHASE_CANCEL);
    return ends_hold(act, GZ_OP_CANCEL) && act->message->pose.hold == grip->name;
}

/* Whether the act is the message that makes an edit of it. */
static bool is_its_end(const struct act *act, const struct grip *grip)
{
    if (grip->session != act->session) return false;
    if (is_hold(grip))
        return ends_hold(act, GZ_OP_RELEASE) && act->message->pose.hold == grip->name;
    return is_phase(act, GZ_PHASE_UP) && grip->interaction == &gz_drag_interaction;
}

static void check_end(const struct sim *sim, const struct act *act, const struct grip *grip)
{
    bool own = grip->session == act->session && !act->late;
    bool may = false;
    const struct gz_session *session = gz_core_session(sim->core, grip->session);
    switch (act->kind) {
    case ACT_MESSAGE: may = own; break;
    case ACT_LEAVE: may = grip->session == act->session; break;
    case ACT_JOIN: may = grip->session == act->replaced; break;
    case ACT_TURN:
        may = grip->interaction == &gz_wheel_interaction || (session != NULL && session->ended);
        break;
    case ACT_STORED: may = session != NULL && session->ended; break; /* its rights changed */
    case ACT_REFUSED: may = touches_unstored(&sim->model, grip); break;
    case ACT_GOODBYE: may = true; break;
    default: break;
    }
    PROMISE(may, "a drag ends for a reason", "that of session %llu ended", NUMBER(grip->session));
}

static enum gz_edit_kind grip_kind(const struct grip *grip)
{
    if (is_hold(grip)) return GZ_EDIT_POSE;
    return grip->interaction == &gz_wheel_interaction
               ? GZ_EDIT_WHEEL
               : GZ_EDIT_TRANSLATE; /* the handle's is for the batch to say */
}

/* One drag is one edit, from what the press found to what its end left; or none, where nothing is
 * different. */
static struct deed *complete(struct sim *sim, const struct act *act, const struct grip *grip)
{
    struct model *model = &sim->model;
    const bool up = is_its_end(act, grip);
    struct act by = *act;
    const struct gz_session *session = gz_core_session(sim->core, grip->session);
    by.session = grip->session;
    if (session != NULL) by.user = session->user;
    struct deed *deed = NULL;
    for (size_t i = 0; i < grip->press.count; i++) {
        const struct fact *press = &grip->press.list[i];
        const struct thing *end =
            up ? after_of(model, press->node) : &model->lives[press->node].now;
        if (same_thing(&press->before, end)) continue;
        if (deed == NULL) deed = add_deed(&sim->model, grip->edit, &by, grip_kind(grip));
        facts_add(&deed->facts, press->node, &press->before, end);
    }
    if (deed != NULL && up) give_key(deed, act);
    return deed;
}

/* Whether the end alone brings nodes to where the last motion has them. */
static bool moves_at_end(const struct act *act, const struct grip *grip)
{
    return act->kind == ACT_TURN || (act->kind != ACT_MESSAGE && grip->moves);
}

static void check_moved(const struct fact *fact)
{
    struct thing moved = fact->before;
    moved.trs = fact->after.trs;
    PROMISE(same_thing(&moved, &fact->after), "a drag only moves", "node %llu", NUMBER(fact->node));
}

/* What the end moved needs no other reason. */
static void move_to_end(struct sim *sim, const struct grip *grip)
{
    struct model *model = &sim->model;
    for (size_t i = 0; i < grip->press.count; i++) {
        struct fact *fact = facts_find(&model->changed, grip->press.list[i].node);
        if (fact == NULL) continue;
        check_moved(fact);
        remember(model, fact->node, gz_scene_seq(sim->core->scene), 0, &fact->after);
        *fact = model->changed.list[--model->changed.count];
    }
}

static void check_cancelled(const struct model *model, const struct grip *grip)
{
    for (size_t i = 0; i < grip->press.count; i++) {
        const struct fact *press = &grip->press.list[i];
        PROMISE(same_thing(after_of(model, press->node), &press->before),
                "a cancelled drag leaves the exact bits", "node %llu", NUMBER(press->node));
    }
}

static const struct gz_gesture *gesture_of(const struct gz_session *session, uint32_t number)
{
    const struct gz_gesture *gesture = session != NULL ? &session->gesture : NULL;
    while (gesture != NULL && gesture->number != number) gesture = gesture->next;
    return gesture;
}

/* The edit that a hold is to be begins anew with a set of its nodes. */
static bool still_runs(const struct gz_session *session, const struct grip *grip)
{
    const struct gz_gesture *gesture = gesture_of(session, grip->number);
    return gesture != NULL && gesture->interaction == grip->interaction &&
           (is_hold(grip) ? gesture->poses->name == grip->name : gesture->edit.id == grip->edit);
}

static struct grip *find_grip(const struct model *model, uint64_t session, uint32_t number)
{
    for (size_t i = 0; i < model->grip_count; i++) {
        struct grip *grip = &model->grips[i];
        if (grip->session == session && grip->number == number) return grip;
    }
    return NULL;
}

struct fact *held_fact(const struct model *model, uint64_t session, uint64_t node)
{
    for (size_t i = 0; i < model->grip_count; i++) {
        struct grip *grip = &model->grips[i];
        struct fact *fact =
            grip->session == session && is_hold(grip) ? facts_find(&grip->press, node) : NULL;
        if (fact != NULL) return fact;
    }
    return NULL;
}

static void check_goes_on(const struct sim *sim, const struct act *act, const struct grip *grip)
{
    PROMISE(!is_cancelled(&sim->model, act, grip), "a cancelled drag is over",
            "that of session %llu runs", NUMBER(grip->session));
    bool closes = act->kind == ACT_MESSAGE && act->session == grip->session && !act->late &&
                  act->message != NULL && op_closes_wheel(act->message->op) &&
                  grip->interaction == &gz_wheel_interaction &&
                  sim->core->journal.requests < GZ_PENDING_EDITS_MAX;
    PROMISE(!closes, "what else is done completes a wheel", "that of session %llu turns on",
            NUMBER(grip->session));
}

/* Returns the edit that its own `up` made of it; its memory is for the next. */
static struct deed *end_grip(struct sim *sim, const struct act *act, struct grip *at)
{
    struct model *model = &sim->model;
    struct grip grip = *at;
    struct deed *deed = NULL;
    check_end(sim, act, &grip);
    for (size_t i = 0; i < grip.press.count; i++) set_holder(model, grip.press.list[i].node, 0);
    const bool cancelled = is_cancelled(model, act, &grip);
    if (!cancelled && moves_at_end(act, &grip)) move_to_end(sim, &grip);
    if (!cancelled)
        deed = complete(sim, act, &grip);
    else if (act->kind == ACT_MESSAGE)
        check_cancelled(model, &grip);
    *at = model->grips[--model->grip_count];
    model->grips[model->grip_count] = grip;
    return is_its_end(act, &grip) ? deed : NULL;
}

uint64_t edit_seq(const struct sim *sim, uint64_t edit)
{
    const struct gz_journal_entry *entry = NULL;
    while ((entry = gz_journal_next(&sim->core->journal, &gz_pending_edits, entry)) != NULL) {
        const struct gz_edit_record *record = &((const struct gz_pending_edit *)entry)->edit;
        if (record->id == edit) return record->seq;
    }
    return 0;
}

/* Drags that end together end in the order of the core, which undo goes back by. */
static void sort_deeds(const struct sim *sim, struct deed *deeds, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        for (size_t j = i; j > 0 && edit_seq(sim, deeds[j - 1].id) > edit_seq(sim, deeds[j].id);
             j--) {
            const struct deed later = deeds[j - 1];
            deeds[j - 1] = deeds[j];
            deeds[j] = later;
        }
    }
}

/* Ends the grips of a session that are over, in the order of its gestures. */
static uint64_t end_of_session(struct sim *sim, const struct act *act, uint64_t id)
{
    struct model *model = &sim->model;
    const struct gz_session *session = gz_core_session(sim->core, id);
    uint64_t made = 0;
    for (size_t i = 0; i < model->grip_count;) {
        struct grip *grip = &model->grips[i];
        if (grip->session != id || still_runs(session, grip)) {
            if (grip->session == id) check_goes_on(sim, act, grip);
            i++;
            continue;
        }
        const struct deed *deed = end_grip(sim, act, grip);
        if (deed != NULL) made = deed->id;
    }
    return made;
}

struct deed *end_grips(struct sim *sim, const struct act *act)
{
    struct model *model = &sim->model;
    uint64_t made = 0;
    const size_t before = model->deed_count;
    for (const struct gz_session *session = sim->core->sessions; session != NULL;
         session = session->next) {
        const uint64_t deed = end_of_session(sim, act, session->id);
        if (deed != 0) made = deed;
    }
    if (act->kind == ACT_LEAVE) (void)end_of_session(sim, act, act->session);
    if (model->deed_count > before + 1)
        sort_deeds(sim, model->deeds + before, model->deed_count - before);
    return made != 0 ? model_deed(model, made) : NULL;
}

static void begin_grip(struct sim *sim, const struct act *act, const struct gz_session *session,
                       const struct gz_gesture *gesture)
{
    struct model *model = &sim->model;
    PROMISE(act->kind == ACT_MESSAGE && act->session == session->id && !act->late,
            "late input begins nothing", "a drag of session %llu", NUMBER(session->id));
    size_t requests = sim->core->journal.requests;
    PROMISE(requests < GZ_PENDING_EDITS_MAX + act->behind, "what waits is bounded",
            "%zu requests wait, at most %zu of them since a drag began", requests, act->behind);
    PROMISE(session->role >= GZ_ROLE_EDITOR, "viewers drag nothing", "session %llu",
            NUMBER(session->id));
    model->grips =
        grow(model->grips, &model->grip_capacity, model->grip_count + 1, sizeof *model->grips);
    struct grip *grip = &model->grips[model->grip_count++];
    struct facts press = grip->press;
    press.count = 0;
    *grip = (struct grip){.session = session->id,
                          .edit = gesture->edit.id,
                          .number = gesture->number,
                          .name = gesture->poses != NULL ? gesture->poses->name : 0,
                          .interaction = gesture->interaction,
                          .moves = gesture_moves(gesture),
                          .press = press};
    for (size_t i = 0; i < gesture->count; i++) {
        uint64_t node = gesture->ids[i];
        const struct thing *now = &life_of(model, node)->now;
        PROMISE(model->lives[node].holder == 0, "at most one holder for each node",
                "node %llu is held by session %llu, and session %llu drags it", NUMBER(node),
                NUMBER(model->lives[node].holder), NUMBER(session->id));
        set_holder(model, node, session->id);
        facts_add(&grip->press, node, now, now);
    }
}

/* The hold goes on as another edit: what was seen of it is of that one. */
static void go_on_as(struct model *model, struct grip *grip, uint64_t edit)
{
    for (size_t i = 0; i < grip->press.count; i++) {
        struct life *life = &model->lives[grip->press.list[i].node];
        for (size_t j = life->version_count; j-- > 0;)
            if (life->versions[j].preview_of == grip->edit) life->versions[j].preview_of = edit;
    }
    grip->edit = edit;
}

static void look_at(struct sim *sim, const struct act *act, const struct gz_session *session,
                    const struct gz_gesture *gesture)
{
    struct grip *grip = find_grip(&sim->model, session->id, gesture->number);
    if (grip != NULL) {
        grip->moves = gesture_moves(gesture);
        if (grip->edit != gesture->edit.id) go_on_as(&sim->model, grip, gesture->edit.id);
    } else if (gesture->count > 0) {
        begin_grip(sim, act, session, gesture);
    }
}

void begin_grips(struct sim *sim, const struct act *act)
{
    for (const struct gz_session *session = sim->core->sessions; session != NULL;
         session = session->next)
        for (const struct gz_gesture *gesture = &session->gesture; gesture != NULL;
             gesture = gesture->next)
            look_at(sim, act, session, gesture);
}

uint64_t preview_of(const struct sim *sim, uint64_t node)
{
    const struct gz_session *holder = gz_core_session(sim->core, sim->model.lives[node].holder);
    const struct gz_node *held = gz_scene_find(sim->core->scene, node);
    const struct gz_gesture *gesture = held != NULL ? gesture_of(holder, held->grip) : NULL;
    return gesture != NULL && !gz_gesture_is_sampled(gesture) ? gesture->edit.id : 0;
}

/* ---- what they may change ---- */

void check_dragged(const struct model *model, uint64_t session)
{
    for (size_t i = 0; i < model->changed.count; i++) {
        const struct fact *fact = &model->changed.list[i];
        uint64_t holder = model->lives[fact->node].holder;
        PROMISE(holder != 0 && (session == 0 || holder == session), "a drag moves what it holds",
                "node %llu moved, held by session %llu", NUMBER(fact->node), NUMBER(holder));
        check_moved(fact);
    }
}

void check_released(const struct model *model, const struct act *act)
{
    for (size_t i = 0; i < model->changed.count; i++) {
        const struct fact *fact = &model->changed.list[i];
        PROMISE(model_holder(model, fact->node, model->call - 1) == act->session,
                "a drag moves what it holds", "node %llu moved", NUMBER(fact->node));
    }
}

void check_unheld(const struct model *model, uint64_t setter)
{
    for (size_t i = 0; i < model->changed.count; i++) {
        uint64_t node = model->changed.list[i].node;
        PROMISE(model->lives[node].holder == 0 || held_fact(model, setter, node) != NULL,
                "nobody else changes a node that is held", "node %llu, held by session %llu",
                NUMBER(node), NUMBER(model->lives[node].holder));
    }
}

void check_holders(const struct sim *sim)
{
    const struct gz_node *node = NULL;
    while ((node = gz_scene_walk_all(sim->core->scene, node)) != NULL) {
        PROMISE(node->holder == sim->model.lives[node->id].holder,
                "a node is held by the one drag that runs on it",
                "node %llu is held by session %llu, it should be %llu", NUMBER(node->id),
                NUMBER(node->holder), NUMBER(sim->model.lives[node->id].holder));
    }
}
