/* The rules of edits that are made at once: of each operation, and of undo among several users. */
#include <string.h>

#include "sim/drags.h"
#include "sim/edits.h"
#include "sim/judge.h"
#include "sim/sim.h"
#include "sim/undo.h"
#include "sim/wanted.h"

static const struct {
    enum gz_op op;
    enum gz_edit_kind kind;
    void (*want)(struct sim *sim, const struct act *act);
} edits[] = {
    {GZ_OP_CREATE, GZ_EDIT_CREATE, want_create},
    {GZ_OP_DELETE, GZ_EDIT_DELETE, want_delete},
    {GZ_OP_UNDO, GZ_EDIT_UNDO, NULL},
    {GZ_OP_REDO, GZ_EDIT_REDO, NULL},
};

static uint64_t newest_edit(const struct sim *sim)
{
    return sim->core->next_edit - 1;
}

struct deed *add_edit(struct sim *sim, const struct act *act, enum gz_edit_kind kind,
                      uint64_t target)
{
    struct model *model = &sim->model;
    check_unheld(model, 0);
    struct deed *deed = add_deed(&sim->model, newest_edit(sim), act, kind);
    deed->target = target;
    give_key(deed, act);
    for (size_t i = 0; i < model->changed.count; i++) {
        const struct fact *fact = &model->changed.list[i];
        facts_add(&deed->facts, fact->node, &fact->before, &fact->after);
    }
    return deed;
}

/* Forced, a node may have to stay where it hangs, or to come back at the root. */
static bool is_forced_outcome(const struct fact *fact, const struct thing *after)
{
    struct thing stays = fact->after;
    stays.parent = fact->before.there ? fact->before.parent : 0;
    return same_thing(&fact->after, after) || (fact->after.there && same_thing(&stays, after));
}

/* Whether it goes along with a node above it that goes. */
static bool goes_along(const struct model *model, const struct fact *fact)
{
    if (fact->after.there) return false;
    for (uint64_t above = fact->before.parent; above != 0; above = model->lives[above].now.parent) {
        const struct fact *goes = facts_find(&model->wanted, above);
        if (goes != NULL && !goes->after.there) return true;
    }
    return false;
}

static void check_forced(const struct model *model)
{
    static const char *const promise = "a forced undo goes as far as it can";
    for (size_t i = 0; i < model->wanted.count; i++) {
        const struct fact *fact = &model->wanted.list[i];
        PROMISE(is_forced_outcome(fact, after_of(model, fact->node)), promise,
                "node %llu is not as it should be", NUMBER(fact->node));
    }
    for (size_t i = 0; i < model->changed.count; i++) {
        const struct fact *fact = &model->changed.list[i];
        PROMISE(facts_find(&model->wanted, fact->node) != NULL || goes_along(model, fact), promise,
                "node %llu changed", NUMBER(fact->node));
    }
}

/* Nodes that come, go or hang elsewhere may not be able to. */
static bool moves_nodes(const struct facts *wanted)
{
    for (size_t i = 0; i < wanted->count; i++) {
        const struct fact *fact = &wanted->list[i];
        if (fact->before.there != fact->after.there || fact->before.parent != fact->after.parent)
            return true;
    }
    return false;
}

static struct deed *check_travel(struct sim *sim, const struct act *act, enum gz_edit_kind kind)
{
    struct model *model = &sim->model;
    const struct deed *target = undo_target(model, act->user, act->message->op == GZ_OP_REDO);
    const struct deed *last = target != NULL ? undo_last(model, target) : NULL;
    const struct deed *conflict = target != NULL ? undo_conflict(model, last, act->user) : NULL;
    if (target != NULL) undo_outcome(model, last, &model->wanted);
    if (act->request != NULL) {
        act->request->nothing = target == NULL;
        act->request->conflict = conflict != NULL || moves_nodes(&model->wanted);
        act->request->in_the_way = conflict != NULL && !act->message->force ? conflict->id : 0;
    }
    if (sim->core->next_edit == model->next_edit) {
        check_nothing(model);
        return NULL;
    }
    PROMISE(target != NULL, "undo takes back one's own latest edit", "there is nothing to %s",
            gz_vocabulary_word(&gz_edit_kind_words, (int)kind));
    PROMISE(conflict == NULL || act->message->force, "undo never changes what others touched since",
            "edit %llu of %s, by edit %llu of %s", NUMBER(target->id), target->user,
            NUMBER(conflict->id), conflict->user);
    if (act->message->force)
        check_forced(model);
    else
        check_wanted(model, "undo takes back exactly one step");
    return add_edit(sim, act, kind, target->id);
}

/* The edit was stored when it was named, so it has no other id, and is no undo or redo. */
struct deed *check_revert(struct sim *sim, const struct act *act, uint64_t edit, bool force)
{
    struct model *model = &sim->model;
    const struct deed *target = model_deed(model, edit);
    const struct deed *last = target != NULL ? undo_last(model, target) : NULL;
    const bool may = target != NULL && strcmp(target->user, act->user) == 0 &&
                     target->kind != GZ_EDIT_IMPORT && last->kind != GZ_EDIT_UNDO;
    const struct deed *conflict = may ? undo_conflict(model, last, "") : NULL;
    if (may && !undo_knows(model, last) && undo_is_as_left(model, last)) conflict = NULL;
    model->wanted.count = 0;
    if (may) undo_outcome(model, last, &model->wanted);
    if (act->request != NULL)
        act->request->conflict = conflict != NULL || moves_nodes(&model->wanted);
    if (sim->core->next_edit == model->next_edit) {
        check_nothing(model);
        return NULL;
    }
    PROMISE(may, "a revert takes back an edit of one's own that stands", "edit %llu", NUMBER(edit));
    PROMISE(conflict == NULL || force, "a revert never changes what was touched since",
            "edit %llu, by edit %llu of %s", NUMBER(edit), NUMBER(conflict->id), conflict->user);
    if (force)
        check_forced(model);
    else
        check_wanted(model, "a revert takes back exactly one edit");
    return add_edit(sim, act, GZ_EDIT_UNDO, edit);
}

static struct deed *check_edit(struct sim *sim, const struct act *act, size_t row)
{
    struct model *model = &sim->model;
    model->wanted.count = 0;
    if (edits[row].want == NULL) return check_travel(sim, act, edits[row].kind);
    if (model->changed.count == 0) return NULL;
    edits[row].want(sim, act);
    check_wanted(model, "an edit does what it says");
    return add_edit(sim, act, edits[row].kind, 0);
}

/* What a set says of a node that a hold of the same session has is said of where the hold found it:
 * that is what the history has, and where the hold then began. The disk has it so, even if it does
 * not follow the hold. */
static void note_set(struct sim *sim, struct deed *deed, const struct act *act,
                     const struct gz_set_node *said)
{
    struct model *model = &sim->model;
    struct fact *held = held_fact(model, act->session, said->id);
    const struct thing before = held != NULL ? held->before : life_of(model, said->id)->now;
    const struct thing after = with_set(&before, said);
    if (!same_thing(&before, &after)) facts_add(&deed->facts, said->id, &before, &after);
    if (held == NULL) return;
    held->before = after;
    if (preview_of(sim, said->id) != 0)
        remember(model, said->id, edit_seq(sim, deed->id), 0, &after);
}

/* A hold whose nodes are set shows all that was posed: what waited to be afforded, too. */
static void want_posed(struct model *model, const struct act *act)
{
    for (size_t i = 0; i < model->changed.count; i++) {
        const struct fact *fact = &model->changed.list[i];
        if (held_fact(model, act->session, fact->node) == NULL) continue;
        struct thing posed = facts_find(&model->wanted, fact->node) != NULL
                                 ? facts_find(&model->wanted, fact->node)->after
                                 : fact->before;
        posed.trs = fact->after.trs;
        facts_merge(&model->wanted, fact->node, &fact->before, &posed);
    }
    for (size_t i = 0; i < act->message->set.count; i++) {
        const struct gz_set_node *said = &act->message->set.nodes[i];
        struct fact *fact = facts_find(&model->wanted, said->id);
        if (fact != NULL) fact->after = with_set(&fact->after, said);
    }
}

static bool says_something(struct model *model, const struct act *act)
{
    const struct gz_set *set = &act->message->set;
    for (size_t i = 0; i < set->count; i++) {
        const struct fact *held = held_fact(model, act->session, set->nodes[i].id);
        const struct thing before =
            held != NULL ? held->before : life_of(model, set->nodes[i].id)->now;
        const struct thing after = with_set(&before, &set->nodes[i]);
        if (!same_thing(&before, &after)) return true;
    }
    return false;
}

static struct deed *check_set(struct sim *sim, const struct act *act)
{
    struct model *model = &sim->model;
    const struct gz_set *set = &act->message->set;
    const bool made = sim->core->next_edit != model->next_edit;
    model->wanted.count = 0;
    if (model->changed.count == 0 && !made) return NULL;
    want_set(sim, act);
    want_posed(model, act);
    check_wanted(model, "an edit does what it says");
    check_unheld(model, act->session);
    PROMISE(made == says_something(model, act), "an edit does what it says", "of %zu nodes",
            set->count);
    if (!made) return NULL;
    struct deed *deed = add_deed(model, model->next_edit, act, GZ_EDIT_SET);
    give_key(deed, act);
    for (size_t i = 0; i < set->count; i++) note_set(sim, deed, act, &set->nodes[i]);
    return deed;
}

struct deed *check_operation(struct sim *sim, const struct act *act, struct deed *completed)
{
    struct model *model = &sim->model;
    enum gz_op op = act->message->op;
    if (op == GZ_OP_SET) return check_set(sim, act);
    for (size_t i = 0; i < COUNT(edits); i++) {
        if (edits[i].op == op) return check_edit(sim, act, i);
    }
    if (op == GZ_OP_REVERT)
        return check_revert(sim, act, act->message->revert.edit, act->message->revert.force);
    const bool holds =
        op == GZ_OP_HOLD || op == GZ_OP_POSE || op == GZ_OP_RELEASE || op == GZ_OP_CANCEL;
    bool drags =
        holds || op == GZ_OP_POINTER || op == GZ_OP_GRAB || op == GZ_OP_WHEEL || op == GZ_OP_CAMERA;
    if (!drags) check_nothing(model);
    if (is_phase(act, GZ_PHASE_UP) || is_phase(act, GZ_PHASE_CANCEL)) return completed;
    if (op == GZ_OP_RELEASE || op == GZ_OP_CANCEL) return completed;
    check_dragged(model, act->session);
    return NULL;
}
