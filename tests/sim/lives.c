/* Everything through all times: the scene at each seq, who held what, which edits there were. */
#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"
#include "sim/lives.h"

/* ---- nodes ---- */

struct life *life_of(struct model *model, uint64_t node)
{
    model->lives =
        grow(model->lives, &model->life_capacity, (size_t)node + 1, sizeof *model->lives);
    if (node >= model->life_count) model->life_count = (size_t)node + 1;
    return &model->lives[node];
}

void remember(struct model *model, uint64_t node, uint64_t seq, uint64_t preview_of,
              const struct thing *thing)
{
    struct life *life = life_of(model, node);
    life->now = *thing;
    life->versions = grow(life->versions, &life->version_capacity, life->version_count + 1,
                          sizeof *life->versions);
    life->versions[life->version_count++] = (struct version){seq, preview_of, *thing};
    model->log = grow(model->log, &model->log_capacity, model->log_count + 1, sizeof *model->log);
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

void set_holder(struct model *model, uint64_t node, uint64_t session)
{
    struct life *life = life_of(model, node);
    if (life->holder == session) return;
    life->holder = session;
    life->holds =
        grow(life->holds, &life->hold_capacity, life->hold_count + 1, sizeof *life->holds);
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

void look(struct model *model, const struct gz_scene *scene)
{
    model->call++;
    model->changed.count = 0;
    const struct gz_node *node = NULL;
    while ((node = gz_scene_walk_all(scene, node)) != NULL) {
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

const struct thing *after_of(const struct model *model, uint64_t node)
{
    const struct fact *fact = facts_find(&model->changed, node);
    if (fact != NULL) return &fact->after;
    return node < model->life_count ? &model->lives[node].now : &nothing;
}

/* ---- edits ---- */

struct deed *model_deed(const struct model *model, uint64_t id)
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
        if (strcmp(model->deeds[i].key, key) == 0 && strcmp(model->deeds[i].user, user) == 0)
            return &model->deeds[i];
    }
    return NULL;
}

struct deed *add_deed(struct model *model, uint64_t id, const struct act *act,
                      enum gz_edit_kind kind)
{
    model->deeds =
        grow(model->deeds, &model->deed_capacity, model->deed_count + 1, sizeof *model->deeds);
    struct deed *deed = &model->deeds[model->deed_count++];
    struct facts facts = deed->facts;
    facts.count = 0;
    *deed = (struct deed){
        .id = id, .epoch = model->epoch, .session = act->session, .kind = kind, .facts = facts};
    keep_text(deed->user, act->user);
    if (model->deed_count - model->deeds_known > GZ_UNDO_EDITS_MAX) model->deeds_known++;
    return deed;
}

void give_key(struct deed *deed, const struct act *act)
{
    if (act->key != NULL) keep_text(deed->key, act->key);
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
    free(model->notes);
    free(model->changed.list);
    free(model->wanted.list);
}
