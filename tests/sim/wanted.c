/* What each edit makes of the scene, said anew; and whether the scene is that. */
#include <string.h>

#include "sim/drags.h"
#include "sim/judge.h"
#include "sim/sim.h"
#include "sim/wanted.h"

struct thing with_set(const struct thing *now, const struct gz_set_node *said)
{
    struct thing after = *now;
    if (said->has & GZ_HAS_SET_NODE_T) after.trs.t = said->trs.t;
    if (said->has & GZ_HAS_SET_NODE_X) after.trs.t.x = said->trs.t.x;
    if (said->has & GZ_HAS_SET_NODE_Y) after.trs.t.y = said->trs.t.y;
    if (said->has & GZ_HAS_SET_NODE_Z) after.trs.t.z = said->trs.t.z;
    if (said->has & GZ_HAS_SET_NODE_R) after.trs.r = said->trs.r;
    if (said->has & GZ_HAS_SET_NODE_S) after.trs.s = said->trs.s;
    if (said->has & GZ_HAS_SET_NODE_PARENT) after.parent = said->parent;
    if (said->has & GZ_HAS_SET_NODE_NAME) {
        memset(after.name, 0, sizeof after.name);
        memcpy(after.name, said->name.bytes, said->name.size);
    }
    return after;
}

void want_set(struct sim *sim, const struct act *act)
{
    struct model *model = &sim->model;
    const struct gz_set *set = &act->message->set;
    for (size_t i = 0; i < set->count; i++) {
        const struct thing now = life_of(model, set->nodes[i].id)->now;
        struct thing after = with_set(&now, &set->nodes[i]);
        facts_add(&model->wanted, set->nodes[i].id, &now, &after);
    }
}

/* `usual` is where it hangs when nothing is said. */
static uint64_t created_parent(const struct gz_create *create, size_t index, uint64_t first,
                               uint64_t usual)
{
    const struct gz_create_node *said = &create->nodes[index];
    if ((said->has & GZ_HAS_CREATE_NODE_PARENT_REF) == 0)
        return said->has & GZ_HAS_CREATE_NODE_PARENT ? said->parent : usual;
    for (size_t i = 0; i < index; i++) {
        struct gz_text ref = create->nodes[i].ref;
        bool same = ref.size == said->parent_ref.size &&
                    memcmp(ref.bytes, said->parent_ref.bytes, ref.size) == 0;
        if ((create->nodes[i].has & GZ_HAS_CREATE_NODE_REF) != 0 && same) return first + i;
    }
    return 0;
}

/* What a new node is before anything is said of it: the one that it copies, as that is now. */
static struct thing unsaid(struct model *model, const struct gz_create_node *said)
{
    const struct gz_content blank = {.trs = gz_trs_identity, .name = "", .asset = -1};
    return said->has & GZ_HAS_CREATE_NODE_COPY ? life_of(model, said->copy)->now : thing_of(&blank);
}

/* New ids, in the order of the message. */
void want_create(struct sim *sim, const struct act *act)
{
    struct model *model = &sim->model;
    const struct gz_create *create = &act->message->create;
    uint64_t first = gz_scene_next_id(sim->core->scene) - create->count;
    PROMISE(first > model->newest_node, "ids of nodes are given once", "%llu", NUMBER(first));
    for (size_t i = 0; i < create->count; i++) {
        const struct gz_create_node *said = &create->nodes[i];
        struct thing after = unsaid(model, said);
        after.parent = created_parent(create, i, first, after.parent);
        if (said->has & GZ_HAS_CREATE_NODE_BOUNDS) {
            after.has_bounds = true;
            after.bounds = said->bounds;
        }
        struct gz_set_node rest = {
            .has = said->has & (GZ_HAS_SET_NODE_T | GZ_HAS_SET_NODE_R | GZ_HAS_SET_NODE_S),
            .trs = said->trs};
        bool named =
            (said->has & GZ_HAS_CREATE_NODE_COPY) == 0 || (said->has & GZ_HAS_SET_NODE_NAME) != 0;
        if (named) rest.has |= GZ_HAS_SET_NODE_NAME;
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

void want_delete(struct sim *sim, const struct act *act)
{
    struct model *model = &sim->model;
    for (uint64_t id = 1; id < model->life_count; id++) {
        const struct thing *now = &model->lives[id].now;
        if (now->there && is_under(model, id, act->message->remove))
            facts_add(&model->wanted, id, now, &nothing);
    }
}

void want_restore(struct sim *sim, const struct act *act)
{
    struct model *model = &sim->model;
    for (uint64_t id = 1; id < model->life_count; id++)
        facts_add(&model->wanted, id, &nothing, &nothing);
    for (size_t i = 0; i < act->answer->node_count; i++) {
        struct thing then = thing_of(&act->answer->nodes[i].content);
        facts_merge(&model->wanted, act->answer->nodes[i].id, &nothing, &then);
    }
}

/* Takes back what is not stored, newest first, and the drags that began on it. */
void want_refused(struct sim *sim)
{
    struct model *model = &sim->model;
    for (size_t i = 0; i < model->grip_count; i++) {
        const struct grip *grip = &model->grips[i];
        if (!touches_unstored(model, grip)) continue;
        for (size_t j = 0; j < grip->press.count; j++)
            facts_merge(&model->wanted, grip->press.list[j].node, &nothing,
                        &grip->press.list[j].before);
    }
    for (size_t i = model->deed_count; i-- > 0 && !model->deeds[i].stored;) {
        const struct facts *facts = &model->deeds[i].facts;
        for (size_t j = facts->count; j-- > 0;)
            facts_merge(&model->wanted, facts->list[j].node, &nothing, &facts->list[j].before);
    }
}

/* ---- whether it is so ---- */

void check_wanted(const struct model *model, const char *promise)
{
    for (size_t i = 0; i < model->wanted.count; i++) {
        const struct fact *fact = &model->wanted.list[i];
        PROMISE(same_thing(after_of(model, fact->node), &fact->after), promise,
                "node %llu is not as it should be", NUMBER(fact->node));
    }
    for (size_t i = 0; i < model->changed.count; i++) {
        uint64_t node = model->changed.list[i].node;
        PROMISE(facts_find(&model->wanted, node) != NULL, promise, "node %llu changed",
                NUMBER(node));
    }
}

void check_nothing(const struct model *model)
{
    PROMISE(model->changed.count == 0, "what edits nothing changes nothing", "node %llu changed",
            NUMBER(model->changed.list[0].node));
}
