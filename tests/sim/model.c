/* What must come of everything that is done to the core. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/sim.h"

#define NUMBER(id) ((unsigned long long)(id))

/* ---- things, facts ---- */

void keep_text(char kept[TEXT_MAX], const char *text)
{
    memset(kept, 0, TEXT_MAX);
    memcpy(kept, text, strnlen(text, TEXT_MAX - 1));
}

struct thing thing_of(const struct gz_content *content)
{
    struct thing thing;
    memset(&thing, 0, sizeof thing);
    thing.there = 1;
    thing.parent = content->parent;
    thing.trs = content->trs;
    thing.has_bounds = content->has_bounds;
    if (content->has_bounds) thing.bounds = content->bounds;
    thing.asset = content->asset;
    keep_text(thing.name, content->name);
    return thing;
}

static const struct thing nothing;

bool same_thing(const struct thing *a, const struct thing *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static void *room(void *array, size_t *capacity, size_t count, size_t size)
{
    if (count <= *capacity) return array;
    size_t wanted = *capacity > 0 ? *capacity : 8;
    while (wanted < count) wanted *= 2;
    array = realloc(array, wanted * size);
    if (array == NULL) abort();
    memset((char *)array + *capacity * size, 0, (wanted - *capacity) * size);
    *capacity = wanted;
    return array;
}

void facts_add(struct facts *facts, uint64_t node, const struct thing *before, const struct thing *after)
{
    facts->list = room(facts->list, &facts->capacity, facts->count + 1, sizeof *facts->list);
    facts->list[facts->count++] = (struct fact){node, *before, *after};
}

static struct fact *find_fact(const struct facts *facts, uint64_t node)
{
    for (size_t i = 0; i < facts->count; i++) {
        if (facts->list[i].node == node) return &facts->list[i];
    }
    return NULL;
}

/* Of each node once; the first `before` and the last `after` count. */
static void facts_merge(struct facts *facts, uint64_t node, const struct thing *before, const struct thing *after)
{
    struct fact *fact = find_fact(facts, node);
    if (fact != NULL)
        fact->after = *after;
    else
        facts_add(facts, node, before, after);
}

/* ---- the scene through all times ---- */

static struct life *life_of(struct model *model, uint64_t node)
{
    model->lives = room(model->lives, &model->life_capacity, (size_t)node + 1, sizeof *model->lives);
    if (node >= model->life_count) model->life_count = (size_t)node + 1;
    return &model->lives[node];
}

static void remember(struct model *model, uint64_t node, uint64_t seq, const struct thing *thing)
{
    struct life *life = life_of(model, node);
    life->now = *thing;
    life->versions = room(life->versions, &life->version_capacity, life->version_count + 1, sizeof *life->versions);
    life->versions[life->version_count++] = (struct version){seq, *thing};
    model->log = room(model->log, &model->log_capacity, model->log_count + 1, sizeof *model->log);
    model->log[model->log_count].seq = seq;
    model->log[model->log_count++].node = node;
}

const struct thing *model_at(const struct model *model, uint64_t node, uint64_t seq)
{
    if (node >= model->life_count) return &nothing;
    const struct life *life = &model->lives[node];
    size_t at = life->version_count;
    while (at > 0 && life->versions[at - 1].seq > seq) at--;
    return at > 0 ? &life->versions[at - 1].thing : &nothing;
}

static void set_holder(struct model *model, uint64_t node, uint64_t session)
{
    struct life *life = life_of(model, node);
    if (life->holder == session) return;
    life->holder = session;
    life->holds = room(life->holds, &life->hold_capacity, life->hold_count + 1, sizeof *life->holds);
    life->holds[life->hold_count++] = (struct hold){model->call, session};
}

uint64_t model_holder(const struct model *model, uint64_t node, uint64_t call)
{
    if (node >= model->life_count) return 0;
    const struct life *life = &model->lives[node];
    size_t at = life->hold_count;
    while (at > 0 && life->holds[at - 1].call > call) at--;
    return at > 0 ? life->holds[at - 1].session : 0;
}

const struct deed *model_deed(const struct model *model, uint64_t id)
{
    for (size_t i = model->deed_count; i-- > 0;) {
        if (model->deeds[i].id == id) return &model->deeds[i];
    }
    return NULL;
}

const struct deed *model_key(const struct model *model, const char *user, const char *key)
{
    if (key == NULL || key[0] == '\0') return NULL;
    for (size_t i = model->deed_count; i-- > 0;) {
        if (strcmp(model->deeds[i].key, key) == 0 && strcmp(model->deeds[i].user, user) == 0) return &model->deeds[i];
    }
    return NULL;
}

void model_finish(struct model *model)
{
    for (size_t i = 0; i < model->life_capacity; i++) {
        free(model->lives[i].versions);
        free(model->lives[i].holds);
    }
    for (size_t i = 0; i < model->deed_capacity; i++) free(model->deeds[i].facts.list);
    for (size_t i = 0; i < model->grip_capacity; i++) free(model->grips[i].press.list);
    free(model->lives);
    free(model->log);
    free(model->deeds);
    free(model->grips);
    free(model->changed.list);
    free(model->wanted.list);
}

/* ---- what the core shows ---- */

static const struct thing *after_of(const struct model *model, uint64_t node)
{
    const struct fact *fact = find_fact(&model->changed, node);
    if (fact != NULL) return &fact->after;
    return node < model->life_count ? &model->lives[node].now : &nothing;
}

/* Looks at every node: what is not as the model has it goes into `changed`. */
static void look(struct sim *sim)
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
        if (!same_thing(&life->now, &thing)) facts_add(&model->changed, node->id, &life->now, &thing);
    }
    for (uint64_t id = 1; id < model->life_count; id++) {
        struct life *life = &model->lives[id];
        if (life->now.there && life->seen != model->call) facts_add(&model->changed, id, &life->now, &nothing);
    }
}

static void check_holders(const struct sim *sim)
{
    const struct gz_node *node = NULL;
    while ((node = gz_scene_walk_all(sim->core->scene, node)) != NULL) {
        PROMISE(node->holder == sim->model.lives[node->id].holder, "a node is held by the one drag that runs on it",
                "node %llu is held by session %llu, it should be %llu", NUMBER(node->id), NUMBER(node->holder),
                NUMBER(sim->model.lives[node->id].holder));
    }
}

/* ---- edits ---- */

static struct deed *add_deed(struct sim *sim, uint64_t id, const struct act *act, enum gz_edit_kind kind)
{
    struct model *model = &sim->model;
    model->deeds = room(model->deeds, &model->deed_capacity, model->deed_count + 1, sizeof *model->deeds);
    struct deed *deed = &model->deeds[model->deed_count++];
    struct facts facts = deed->facts;
    facts.count = 0;
    *deed = (struct deed){.id = id, .epoch = sim->store.epoch, .session = act->session, .kind = kind, .facts = facts};
    keep_text(deed->user, act->user);
    if (model->deed_count - model->deeds_known > GZ_UNDO_EDITS_MAX) model->deeds_known++;
    return deed;
}

static void give_key(struct deed *deed, const struct act *act)
{
    if (act->key != NULL) keep_text(deed->key, act->key);
}

static uint64_t newest_edit(const struct sim *sim)
{
    return sim->core->next_edit - 1;
}

/* ---- drags ---- */

static bool is_phase(const struct act *act, enum gz_phase phase)
{
    return act->kind == ACT_MESSAGE && !act->late && act->message != NULL && act->message->op == GZ_OP_POINTER &&
           act->message->pointer.phase == phase;
}

static bool touches_unstored(const struct model *model, const struct grip *grip)
{
    for (size_t i = model->deed_count; i-- > 0 && !model->deeds[i].stored;) {
        for (size_t j = 0; j < grip->press.count; j++) {
            if (find_fact(&model->deeds[i].facts, grip->press.list[j].node) != NULL) return true;
        }
    }
    return false;
}

static bool is_cancelled(const struct model *model, const struct act *act, const struct grip *grip)
{
    if (act->kind == ACT_REFUSED) return touches_unstored(model, grip);
    return is_phase(act, GZ_PHASE_CANCEL) && grip->session == act->session;
}

static void check_end(const struct sim *sim, const struct act *act, const struct grip *grip)
{
    bool own = grip->session == act->session && !act->late;
    bool may = false;
    const struct gz_session *session = gz_core_session(sim->core, grip->session);
    switch (act->kind) {
    case ACT_MESSAGE: may = own; break;
    case ACT_LEAVE: may = grip->session == act->session; break;
    case ACT_TURN: may = grip->kind == GZ_RUN_WHEEL || (session != NULL && session->ended); break;
    case ACT_REFUSED: may = touches_unstored(&sim->model, grip); break;
    case ACT_GOODBYE: may = true; break;
    default: break;
    }
    PROMISE(may, "a drag ends for a reason", "that of session %llu ended", NUMBER(grip->session));
}

static enum gz_edit_kind grip_kind(const struct grip *grip)
{
    return grip->kind == GZ_RUN_WHEEL ? GZ_EDIT_WHEEL : GZ_EDIT_TRANSLATE; /* the handle's is for the batch to say */
}

/* One drag is one edit, from what the press found to what its end left; or none, where nothing is different. */
static struct deed *complete(struct sim *sim, const struct act *act, const struct grip *grip)
{
    struct model *model = &sim->model;
    bool up = is_phase(act, GZ_PHASE_UP) && grip->session == act->session;
    struct act by = *act;
    const struct gz_session *session = gz_core_session(sim->core, grip->session);
    by.session = grip->session;
    if (session != NULL) by.user = session->user;
    struct deed *deed = NULL;
    for (size_t i = 0; i < grip->press.count; i++) {
        const struct fact *press = &grip->press.list[i];
        const struct thing *end = up ? after_of(model, press->node) : &model->lives[press->node].now;
        if (same_thing(&press->before, end)) continue;
        if (deed == NULL) deed = add_deed(sim, grip->edit, &by, grip_kind(grip));
        facts_add(&deed->facts, press->node, &press->before, end);
    }
    if (deed != NULL && up) give_key(deed, act);
    return deed;
}

/* R16. */
static void check_cancelled(const struct model *model, const struct grip *grip)
{
    for (size_t i = 0; i < grip->press.count; i++) {
        const struct fact *press = &grip->press.list[i];
        PROMISE(same_thing(after_of(model, press->node), &press->before), "a cancelled drag leaves the exact bits",
                "node %llu", NUMBER(press->node));
    }
}

static bool still_runs(const struct gz_session *session, const struct grip *grip)
{
    return session != NULL && session->run.kind == grip->kind && session->run.edit == grip->edit;
}

static struct grip *find_grip(const struct model *model, uint64_t session)
{
    for (size_t i = 0; i < model->grip_count; i++) {
        if (model->grips[i].session == session) return &model->grips[i];
    }
    return NULL;
}

static void check_goes_on(const struct sim *sim, const struct act *act, const struct grip *grip)
{
    PROMISE(!is_cancelled(&sim->model, act, grip), "a cancelled drag is over", "that of session %llu runs",
            NUMBER(grip->session));
    bool closes = act->kind == ACT_MESSAGE && act->session == grip->session && !act->late && act->message != NULL &&
                  op_closes_wheel(act->message->op) && grip->kind == GZ_RUN_WHEEL &&
                  sim->core->pending_count < GZ_PENDING_EDITS_MAX;
    PROMISE(!closes, "what else is done completes a wheel", "that of session %llu turns on", NUMBER(grip->session));
}

/* Returns the edit that its own `up` made of it; its memory is for the next. */
static struct deed *end_grip(struct sim *sim, const struct act *act, struct grip *at)
{
    struct model *model = &sim->model;
    struct grip grip = *at;
    struct deed *deed = NULL;
    check_end(sim, act, &grip);
    for (size_t i = 0; i < grip.press.count; i++) set_holder(model, grip.press.list[i].node, 0);
    if (!is_cancelled(model, act, &grip))
        deed = complete(sim, act, &grip);
    else if (act->kind == ACT_MESSAGE)
        check_cancelled(model, &grip);
    *at = model->grips[--model->grip_count];
    model->grips[model->grip_count] = grip;
    return grip.kind == GZ_RUN_DRAG ? deed : NULL;
}

/* Drags that are over, in the order in which the core ends them. */
static struct deed *end_grips(struct sim *sim, const struct act *act)
{
    struct model *model = &sim->model;
    struct deed *made = NULL;
    for (const struct gz_session *session = sim->core->sessions; session != NULL; session = session->next) {
        struct grip *grip = find_grip(model, session->id);
        if (grip == NULL) continue;
        if (still_runs(session, grip)) {
            check_goes_on(sim, act, grip);
            continue;
        }
        struct deed *deed = end_grip(sim, act, grip);
        if (deed != NULL) made = deed;
    }
    struct grip *left = act->kind == ACT_LEAVE ? find_grip(model, act->session) : NULL;
    if (left != NULL) (void)end_grip(sim, act, left);
    return made;
}

/* R13. */
static void begin_grip(struct sim *sim, const struct act *act, const struct gz_session *session)
{
    struct model *model = &sim->model;
    PROMISE(act->kind == ACT_MESSAGE && act->session == session->id && !act->late, "late input begins nothing",
            "a drag of session %llu", NUMBER(session->id));
    PROMISE(sim->core->pending_count < GZ_PENDING_EDITS_MAX, "what waits is bounded",
            "%zu edits wait, and a drag begins", sim->core->pending_count);
    PROMISE(session->role >= GZ_ROLE_EDITOR, "viewers drag nothing", "session %llu", NUMBER(session->id));
    model->grips = room(model->grips, &model->grip_capacity, model->grip_count + 1, sizeof *model->grips);
    struct grip *grip = &model->grips[model->grip_count++];
    struct facts press = grip->press;
    press.count = 0;
    *grip = (struct grip){session->id, session->run.edit, session->run.kind, press};
    for (size_t i = 0; i < session->run.count; i++) {
        uint64_t node = session->run.ids[i];
        const struct thing *now = &life_of(model, node)->now;
        PROMISE(model->lives[node].holder == 0, "at most one holder for each node",
                "node %llu is held by session %llu, and session %llu drags it", NUMBER(node),
                NUMBER(model->lives[node].holder), NUMBER(session->id));
        set_holder(model, node, session->id);
        facts_add(&grip->press, node, now, now);
    }
}

static void begin_grips(struct sim *sim, const struct act *act)
{
    for (const struct gz_session *session = sim->core->sessions; session != NULL; session = session->next) {
        bool runs = session->run.kind == GZ_RUN_DRAG || session->run.kind == GZ_RUN_WHEEL;
        if (runs && find_grip(&sim->model, session->id) == NULL) begin_grip(sim, act, session);
    }
}

/* ---- what each operation may do ---- */

static struct thing with_set(const struct thing *now, const struct gz_set_node *said)
{
    struct thing after = *now;
    if (said->has & GZ_HAS(T)) after.trs.t = said->trs.t;
    if (said->has & GZ_HAS(R)) after.trs.r = said->trs.r;
    if (said->has & GZ_HAS(S)) after.trs.s = said->trs.s;
    if (said->has & GZ_HAS(PARENT)) after.parent = said->parent;
    if (said->has & GZ_HAS(NAME)) {
        memset(after.name, 0, sizeof after.name);
        memcpy(after.name, said->name.bytes, said->name.size);
    }
    return after;
}

static void want_set(struct sim *sim, const struct act *act)
{
    struct model *model = &sim->model;
    const struct gz_set *set = &act->message->set;
    for (size_t i = 0; i < set->count; i++) {
        const struct thing now = life_of(model, set->nodes[i].id)->now;
        struct thing after = with_set(&now, &set->nodes[i]);
        facts_add(&model->wanted, set->nodes[i].id, &now, &after);
    }
}

static uint64_t created_parent(const struct gz_create *create, size_t index, uint64_t first)
{
    const struct gz_create_node *said = &create->nodes[index];
    if ((said->has & GZ_HAS(PARENT_REF)) == 0) return said->has & GZ_HAS(PARENT) ? said->parent : 0;
    for (size_t i = 0; i < index; i++) {
        struct gz_text ref = create->nodes[i].ref;
        bool same = ref.size == said->parent_ref.size && memcmp(ref.bytes, said->parent_ref.bytes, ref.size) == 0;
        if ((create->nodes[i].has & GZ_HAS(REF)) != 0 && same) return first + i;
    }
    return 0;
}

/* New ids, in the order of the message. */
static void want_create(struct sim *sim, const struct act *act)
{
    struct model *model = &sim->model;
    const struct gz_create *create = &act->message->create;
    uint64_t first = gz_scene_next_id(sim->core->scene) - create->count;
    PROMISE(first > model->newest_node, "ids of nodes are given once", "%llu", NUMBER(first));
    for (size_t i = 0; i < create->count; i++) {
        const struct gz_create_node *said = &create->nodes[i];
        struct gz_content content = {.trs = gz_trs_identity, .name = "", .asset = -1};
        content.parent = created_parent(create, i, first);
        content.has_bounds = (said->has & GZ_HAS(BOUNDS)) != 0;
        content.bounds = said->bounds;
        struct thing after = thing_of(&content);
        struct gz_set_node rest = {.has = said->has & (GZ_HAS(T) | GZ_HAS(R) | GZ_HAS(S)), .trs = said->trs};
        rest.has |= GZ_HAS(NAME);
        rest.name = said->name;
        after = with_set(&after, &rest);
        facts_add(&model->wanted, first + i, &nothing, &after);
    }
}

static bool is_under(const struct model *model, uint64_t node, struct gz_ids ids)
{
    for (; node != 0; node = model->lives[node].now.parent) {
        for (size_t i = 0; i < ids.count; i++) {
            if (ids.ids[i] == node) return true;
        }
    }
    return false;
}

static void want_delete(struct sim *sim, const struct act *act)
{
    struct model *model = &sim->model;
    for (uint64_t id = 1; id < model->life_count; id++) {
        const struct thing *now = &model->lives[id].now;
        if (now->there && is_under(model, id, act->message->remove)) facts_add(&model->wanted, id, now, &nothing);
    }
}

static void want_restore(struct sim *sim, const struct act *act)
{
    struct model *model = &sim->model;
    for (uint64_t id = 1; id < model->life_count; id++) facts_add(&model->wanted, id, &nothing, &nothing);
    for (size_t i = 0; i < act->answer->node_count; i++) {
        struct thing then = thing_of(&act->answer->nodes[i].content);
        facts_merge(&model->wanted, act->answer->nodes[i].id, &nothing, &then);
    }
}

/* Takes back what is not stored, newest first, and the drags that began on it. */
static void want_refused(struct sim *sim)
{
    struct model *model = &sim->model;
    for (size_t i = 0; i < model->grip_count; i++) {
        const struct grip *grip = &model->grips[i];
        if (!touches_unstored(model, grip)) continue;
        for (size_t j = 0; j < grip->press.count; j++)
            facts_merge(&model->wanted, grip->press.list[j].node, &nothing, &grip->press.list[j].before);
    }
    for (size_t i = model->deed_count; i-- > 0 && !model->deeds[i].stored;) {
        const struct facts *facts = &model->deeds[i].facts;
        for (size_t j = facts->count; j-- > 0;)
            facts_merge(&model->wanted, facts->list[j].node, &nothing, &facts->list[j].before);
    }
}

/* The scene is as wanted, and nothing else changed. */
static void check_wanted(const struct model *model, const char *promise)
{
    for (size_t i = 0; i < model->wanted.count; i++) {
        const struct fact *fact = &model->wanted.list[i];
        PROMISE(same_thing(after_of(model, fact->node), &fact->after), promise, "node %llu is not as it should be",
                NUMBER(fact->node));
    }
    for (size_t i = 0; i < model->changed.count; i++) {
        uint64_t node = model->changed.list[i].node;
        PROMISE(find_fact(&model->wanted, node) != NULL, promise, "node %llu changed", NUMBER(node));
    }
}

static void check_unheld(const struct model *model)
{
    for (size_t i = 0; i < model->changed.count; i++) {
        uint64_t node = model->changed.list[i].node;
        PROMISE(model->lives[node].holder == 0, "nobody else changes a node that is held",
                "node %llu, held by session %llu", NUMBER(node), NUMBER(model->lives[node].holder));
    }
}

/* Only transforms of nodes that the session (0: anybody) holds. */
static void check_dragged(const struct model *model, uint64_t session)
{
    for (size_t i = 0; i < model->changed.count; i++) {
        const struct fact *fact = &model->changed.list[i];
        uint64_t holder = model->lives[fact->node].holder;
        PROMISE(holder != 0 && (session == 0 || holder == session), "a drag moves what it holds",
                "node %llu moved, held by session %llu", NUMBER(fact->node), NUMBER(holder));
        struct thing moved = fact->before;
        moved.trs = fact->after.trs;
        PROMISE(same_thing(&moved, &fact->after), "a drag only moves", "node %llu", NUMBER(fact->node));
    }
}

static void check_nothing(const struct model *model)
{
    PROMISE(model->changed.count == 0, "what edits nothing changes nothing", "node %llu changed",
            NUMBER(model->changed.list[0].node));
}

/* ---- edits at once ---- */

static const struct {
    enum gz_op op;
    enum gz_edit_kind kind;
    void (*want)(struct sim *sim, const struct act *act);
} edits[] = {
    {GZ_OP_SET, GZ_EDIT_SET, want_set},
    {GZ_OP_CREATE, GZ_EDIT_CREATE, want_create},
    {GZ_OP_DELETE, GZ_EDIT_DELETE, want_delete},
    {GZ_OP_UNDO, GZ_EDIT_UNDO, NULL},
    {GZ_OP_REDO, GZ_EDIT_REDO, NULL},
};

static struct deed *add_edit(struct sim *sim, const struct act *act, enum gz_edit_kind kind, uint64_t target)
{
    struct model *model = &sim->model;
    check_unheld(model);
    struct deed *deed = add_deed(sim, newest_edit(sim), act, kind);
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
        const struct fact *goes = find_fact(&model->wanted, above);
        if (goes != NULL && !goes->after.there) return true;
    }
    return false;
}

static void check_forced(const struct model *model)
{
    static const char *const promise = "a forced undo goes as far as it can";
    for (size_t i = 0; i < model->wanted.count; i++) {
        const struct fact *fact = &model->wanted.list[i];
        PROMISE(is_forced_outcome(fact, after_of(model, fact->node)), promise, "node %llu is not as it should be",
                NUMBER(fact->node));
    }
    for (size_t i = 0; i < model->changed.count; i++) {
        const struct fact *fact = &model->changed.list[i];
        PROMISE(find_fact(&model->wanted, fact->node) != NULL || goes_along(model, fact), promise, "node %llu changed",
                NUMBER(fact->node));
    }
}

/* Nodes that come, go or hang elsewhere may not be able to. */
static bool moves_nodes(const struct facts *wanted)
{
    for (size_t i = 0; i < wanted->count; i++) {
        const struct fact *fact = &wanted->list[i];
        if (fact->before.there != fact->after.there || fact->before.parent != fact->after.parent) return true;
    }
    return false;
}

/* R15. */
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
    }
    if (sim->core->next_edit == model->next_edit) {
        check_nothing(model);
        return NULL;
    }
    PROMISE(target != NULL, "undo takes back one's own latest edit", "there is nothing to %s",
            gz_term_word(&gz_edit_kind_terms, (int)kind));
    PROMISE(conflict == NULL || act->message->force, "undo never changes what others touched since",
            "edit %llu of %s, by edit %llu of %s", NUMBER(target->id), target->user, NUMBER(conflict->id),
            conflict->user);
    if (act->message->force)
        check_forced(model);
    else
        check_wanted(model, "undo takes back exactly one step");
    return add_edit(sim, act, kind, target->id);
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

static struct deed *check_operation(struct sim *sim, const struct act *act, struct deed *completed)
{
    struct model *model = &sim->model;
    enum gz_op op = act->message->op;
    for (size_t i = 0; i < COUNT(edits); i++) {
        if (edits[i].op == op) return check_edit(sim, act, i);
    }
    bool drags = op == GZ_OP_POINTER || op == GZ_OP_GRAB || op == GZ_OP_WHEEL || op == GZ_OP_CAMERA;
    if (!drags) check_nothing(model);
    if (is_phase(act, GZ_PHASE_UP) || is_phase(act, GZ_PHASE_CANCEL)) return completed;
    check_dragged(model, act->session);
    return NULL;
}

static void expect(struct request *request, const struct act *act, uint64_t call, const struct deed *deed)
{
    request->session = act->session;
    request->call = call;
    request->answer = deed != NULL ? ANSWER_EDIT : ANSWER_NO_EDIT;
    request->edit = deed != NULL ? deed->id : 0;
    request->again = false;
}

/* An `up` and a `cancel` change what was held until then, and nothing else. */
static void check_released(const struct model *model, const struct act *act)
{
    for (size_t i = 0; i < model->changed.count; i++) {
        const struct fact *fact = &model->changed.list[i];
        PROMISE(model_holder(model, fact->node, model->call - 1) == act->session, "a drag moves what it holds",
                "node %llu moved", NUMBER(fact->node));
    }
}

static void act_message(struct sim *sim, const struct act *act, struct deed *completed)
{
    struct model *model = &sim->model;
    if (act->message == NULL || act->late) {
        check_nothing(model);
        return;
    }
    const struct deed *known = NULL;
    const struct gz_session *session = gz_core_session(sim->core, act->session);
    bool may_edit = session->role >= GZ_ROLE_EDITOR;
    bool asks_key = (may_edit && op_edits(act->message->op)) || is_phase(act, GZ_PHASE_UP);
    if (asks_key) known = model_key(model, act->user, act->key);
    if (known != NULL && known != completed) {
        PROMISE(model->changed.count == 0 && completed == NULL, "the same key is one edit", "%s again", act->key);
        /* A drag that runs is not the one of this key: it goes on. */
        bool other =
            is_phase(act, GZ_PHASE_UP) && (session->run.kind == GZ_RUN_DRAG || session->run.kind == GZ_RUN_ORBIT);
        expect(act->request, act, model->call, other ? NULL : known);
        act->request->again = !other;
        act->request->conflict = other;
        return;
    }
    if (!may_edit) check_nothing(model);
    if (is_phase(act, GZ_PHASE_UP) || is_phase(act, GZ_PHASE_CANCEL)) check_released(model, act);
    const struct deed *deed = check_operation(sim, act, completed);
    if (act->request == NULL) return;
    expect(act->request, act, model->call, deed);
    if (act->message->op == GZ_OP_RESTORE || act->message->op == GZ_OP_HISTORY || act->message->op == GZ_OP_AT)
        act->request->answer = ANSWER_OPEN;
    if (act->message->op != GZ_OP_SET) return;
    act->request->node_changed = false;
    for (size_t i = 0; i < act->message->set.count; i++) {
        /* A drag that follows its parent may move a node there and back within a turn: nobody sees that, but it has a seq. */
        act->request->node_changed |= life_of(model, act->message->set.nodes[i].id)->seq > act->message->set.base;
    }
}

static void act_answer(struct sim *sim, const struct act *act)
{
    struct model *model = &sim->model;
    const struct deed *known = model_key(model, act->user, act->key);
    const struct deed *deed = known;
    if (known != NULL) PROMISE(model->changed.count == 0, "the same key is one edit", "%s again", act->key);
    if (known == NULL && model->changed.count > 0) {
        PROMISE(act->answer != NULL && act->answer->status == GZ_OK, "what edits nothing changes nothing",
                "a question");
        model->wanted.count = 0;
        want_restore(sim, act);
        check_wanted(model, "a restore is the state of then");
        deed = add_edit(sim, act, GZ_EDIT_RESTORE, act->restored);
    }
    if (act->request != NULL && act->answer != NULL) expect(act->request, act, model->call, deed);
}

static void forget_refused(struct sim *sim)
{
    struct model *model = &sim->model;
    while (model->deed_count > 0 && !model->deeds[model->deed_count - 1].stored) {
        uint64_t id = model->deeds[--model->deed_count].id;
        for (int i = 0; i < PEOPLE; i++) {
            for (size_t j = 0; j < sim->people[i].request_count; j++) {
                struct request *request = sim->people[i].requests[j];
                if (request->answer == ANSWER_EDIT && request->edit == id && !request->answered)
                    request->answer = ANSWER_STORAGE;
            }
        }
    }
    if (model->deeds_known > model->deed_count) model->deeds_known = model->deed_count;
}

static void act_refused(struct sim *sim)
{
    sim->model.wanted.count = 0;
    want_refused(sim);
    check_wanted(&sim->model, "what the disk refused is taken back whole");
}

void model_act(struct sim *sim, const struct act *act)
{
    struct model *model = &sim->model;
    look(sim);
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
    PROMISE(sim->core->pending_count <= GZ_PENDING_EDITS_MAX + 2 * PEOPLE, "what waits is bounded", "%zu edits",
            sim->core->pending_count);
}

/* ---- the disk ---- */

/* What of the edit is not as it was done; NULL for nothing. */
static const char *difference(const struct deed *deed, const struct gz_edit_record *edit)
{
    if (strcmp(deed->user, edit->user) != 0 || deed->session != edit->session) return "by somebody else";
    if (strcmp(deed->key, edit->key != NULL ? edit->key : "") != 0) return "with another key";
    if (deed->target != edit->target) return "about something else";
    if (deed->facts.count != edit->change_count) return "on other nodes";
    for (size_t i = 0; i < edit->change_count; i++) {
        const struct gz_change *change = &edit->changes[i];
        struct thing before = change->existed ? thing_of(&change->before) : nothing;
        struct thing after = change->exists ? thing_of(&change->after) : nothing;
        const struct fact *fact = find_fact(&deed->facts, change->node);
        if (fact == NULL) return "on another node";
        if (!same_thing(&fact->before, &before)) return "from another state";
        if (!same_thing(&fact->after, &after)) return "to another state";
    }
    return NULL;
}

void model_sent(struct sim *sim, const struct gz_batch *batch)
{
    struct model *model = &sim->model;
    size_t waiting = 0;
    for (size_t i = model->deed_count; i-- > 0 && !model->deeds[i].stored;) waiting++;
    for (size_t i = 0; i < batch->ended_count; i++)
        PROMISE(model_deed(model, batch->ended[i].id) != NULL, "each edit is stored once",
                "nobody made edit %llu, %s of session %llu", NUMBER(batch->ended[i].id),
                gz_term_word(&gz_edit_kind_terms, (int)batch->ended[i].kind), NUMBER(batch->ended[i].session));
    PROMISE(batch->ended_count == waiting, "each edit is stored once", "%zu are to be stored, and %zu wait",
            batch->ended_count, waiting);
    for (size_t i = 0; i < batch->ended_count; i++) {
        struct deed *deed = (struct deed *)model_deed(model, batch->ended[i].id);
        PROMISE(deed != NULL && !deed->stored, "each edit is stored once", "edit %llu", NUMBER(batch->ended[i].id));
        const char *wrong = difference(deed, &batch->ended[i]);
        PROMISE(wrong == NULL, "the history holds what was done", "edit %llu, %s of session %llu, is %s",
                NUMBER(deed->id), gz_term_word(&gz_edit_kind_terms, (int)batch->ended[i].kind), NUMBER(deed->session),
                wrong);
        deed->kind = batch->ended[i].kind;
        deed->seq = batch->ended[i].seq;
        deed->sent = true;
    }
}

static void forget_after(struct model *model, uint64_t seq)
{
    for (uint64_t id = 1; id < model->life_count; id++) {
        struct life *life = &model->lives[id];
        while (life->version_count > 0 && life->versions[life->version_count - 1].seq > seq) life->version_count--;
        life->now = life->version_count > 0 ? life->versions[life->version_count - 1].thing : nothing;
        set_holder(model, id, 0);
    }
    while (model->log_count > 0 && model->log[model->log_count - 1].seq > seq) model->log_count--;
}

static struct deed *deed_of_record(struct sim *sim, const struct gz_edit_record *edit)
{
    struct act act = {.session = edit->session, .user = edit->user};
    struct deed *deed = add_deed(sim, edit->id, &act, edit->kind);
    deed->seq = edit->seq;
    deed->epoch = edit->epoch;
    deed->stored = true;
    for (size_t i = 0; i < edit->change_count; i++) {
        const struct gz_change *change = &edit->changes[i];
        struct thing before = thing_of(&change->before), after = thing_of(&change->after);
        facts_add(&deed->facts, change->node, &before, &after);
    }
    return deed;
}

/* The drags that ran were completed where the disk had them last: that changes no node. */
void model_restart(struct sim *sim)
{
    struct model *model = &sim->model;
    size_t epochs = sim->store.epoch_count;
    uint64_t saved = epochs > 0 ? sim->store.epochs[epochs - 1].seq_last : sim->store.seq;
    model->call++;
    while (model->deed_count > 0 && !model->deeds[model->deed_count - 1].stored) model->deed_count--;
    forget_after(model, saved);
    model->grip_count = 0;
    for (size_t i = model->deed_count; i < sim->store.edit_count; i++) deed_of_record(sim, &sim->store.edits[i]);
    PROMISE(model->deed_count == sim->store.edit_count, "what was answered is kept", "%zu edits of %zu are left",
            sim->store.edit_count, model->deed_count);
    model->deeds_known = model->deed_count > GZ_UNDO_EDITS_MAX ? model->deed_count - GZ_UNDO_EDITS_MAX : 0;
    look(sim);
    PROMISE(model->changed.count == 0, "after a crash the scene is what was saved", "node %llu",
            NUMBER(model->changed.list[0].node));
    model->newest_node = gz_scene_next_id(sim->core->scene) - 1;
    model->next_edit = sim->core->next_edit;
    check_holders(sim);
}

/* ---- what the core says ---- */

static const struct deed *stored_deed(const struct sim *sim, uint64_t id, const char *promise)
{
    const struct deed *deed = model_deed(&sim->model, id);
    PROMISE(deed != NULL && deed->stored, promise, "edit %llu", NUMBER(id));
    return deed;
}

/* R12. */
static void said_ok(struct sim *sim, const struct request *request, const struct gz_message *message)
{
    if ((message->has & GZ_HAS(EDIT)) == 0) {
        PROMISE(request->op != GZ_OP_UNDO && request->op != GZ_OP_REDO, "an undo is an edit, whatever it finds",
                "request %llu", NUMBER(request->rid));
        PROMISE(request->answer != ANSWER_EDIT && request->answer != ANSWER_STORAGE, "an edit is answered as one",
                "request %llu", NUMBER(request->rid));
        return;
    }
    const struct deed *deed = stored_deed(sim, message->ok.edit, "ok comes after COMMIT");
    PROMISE(request->answer == ANSWER_EDIT && request->edit == deed->id, "an edit is answered with itself",
            "request %llu has edit %llu, it should be %llu", NUMBER(request->rid), NUMBER(deed->id),
            NUMBER(request->edit));
    PROMISE(deed->seq == message->ok.seq, "an edit is answered with itself", "seq %llu", NUMBER(message->ok.seq));
    sim->ok_edits++;
}

static void said_error(const struct sim *sim, const struct request *request, const struct gz_error_message *error)
{
    bool later = request->again && error->code == GZ_TOO_MANY; /* not even looked at */
    PROMISE(request->answer != ANSWER_EDIT || later, "an edit that was made is not refused", "request %llu: %.*s",
            NUMBER(request->rid), (int)error->message.size, error->message.bytes);
    static const char *const why = "a refusal says what is true";
    if (error->code == GZ_LOCKED) {
        uint64_t holder = error->nodes.count > 0 ? model_holder(&sim->model, error->nodes.ids[0], request->call) : 0;
        PROMISE(holder != 0 && holder == error->holder && holder != request->session, "a refusal names the holder",
                "request %llu: %llu, it is %llu", NUMBER(request->rid), NUMBER(error->holder), NUMBER(holder));
    }
    if (error->code == GZ_CONFLICT && request->op == GZ_OP_SET)
        PROMISE(request->node_changed, why, "request %llu: nothing changed since: %.*s", NUMBER(request->rid),
                (int)error->message.size, error->message.bytes);
    else if (error->code == GZ_CONFLICT)
        PROMISE(request->conflict, why, "request %llu: nobody touched it since", NUMBER(request->rid));
    if (error->code == GZ_STORAGE)
        PROMISE(sim->disk_failed, why, "request %llu: the disk is well", NUMBER(request->rid));
    if (error->message.size > 16 && memcmp(error->message.bytes, "there is nothing", 16) == 0)
        PROMISE(request->nothing, why, "request %llu: there is something to %s", NUMBER(request->rid),
                gz_op_word(request->op));
}

static void said_saved(const struct sim *sim, uint64_t saved)
{
    PROMISE(saved <= sim->store.seq, "what is said to be saved is saved", "seq %llu, and %llu is", NUMBER(saved),
            NUMBER(sim->store.seq));
}

static void said_edit(const struct sim *sim, const struct gz_edit_message *edit)
{
    const struct deed *deed = stored_deed(sim, edit->id, "an edit is told after COMMIT");
    bool same = deed->seq == edit->seq && deed->kind == edit->kind &&
                edit->by == (deed->epoch == sim->store.epoch ? deed->session : 0) &&
                strlen(deed->user) == edit->user.size && edit->nodes.count == deed->facts.count;
    for (size_t i = 0; same && i < edit->nodes.count; i++) same = find_fact(&deed->facts, edit->nodes.ids[i]) != NULL;
    PROMISE(same, "an edit is told as it was", "edit %llu", NUMBER(edit->id));
}

void model_said(struct sim *sim, uint64_t session, const struct gz_message *message)
{
    const struct request *request = NULL;
    if (message->op == GZ_OP_OK || message->op == GZ_OP_ERROR)
        request = message->has & GZ_HAS(RID) ? person_request(sim, session, message->rid) : NULL;
    if (request != NULL && request->session != session) return; /* it was said again, and the core has it not yet */
    if (message->op == GZ_OP_OK && request != NULL) said_ok(sim, request, message);
    if (message->op == GZ_OP_ERROR && request != NULL) said_error(sim, request, &message->error);
    if (message->op == GZ_OP_SAVED) said_saved(sim, message->saved_seq);
    if (message->op == GZ_OP_DELTA) said_saved(sim, message->delta.saved);
    if (message->op == GZ_OP_EDIT) said_edit(sim, &message->edit);
}

/* ---- what people have ---- */

static void compare_node(const struct sim *sim, const struct person *person, uint64_t id)
{
    const struct mirror_node *node = mirror_find(&person->mirror, id);
    struct thing thing = node != NULL ? thing_of(&node->content) : nothing;
    PROMISE(same_thing(&thing, model_at(&sim->model, id, person->mirror.complete)), "deltas alone give the exact state",
            "%s/%d has node %llu wrong at seq %llu", person->user, person->index, NUMBER(id),
            NUMBER(person->mirror.complete));
}

/* R9. */
void model_compare(struct sim *sim, struct person *person, bool everything)
{
    const struct model *model = &sim->model;
    uint64_t seq = person->mirror.complete;
    if (everything || person->checked == UINT64_MAX) {
        for (uint64_t id = 1; id < model->life_count; id++) compare_node(sim, person, id);
        for (size_t i = 0; i < person->mirror.count; i++) compare_node(sim, person, person->mirror.nodes[i].id);
    } else {
        for (size_t i = model->log_count; i-- > 0 && model->log[i].seq > person->checked;) {
            if (model->log[i].seq <= seq) compare_node(sim, person, model->log[i].node);
        }
    }
    person->checked = seq;
}
