/* The rules of the disk: what it is given, what becomes of what it refuses, and what is there after
 * a crash. */
#include <string.h>

#include "server/maxima.h"
#include "sim/access.h"
#include "sim/disk.h"
#include "sim/drags.h"
#include "sim/judge.h"
#include "sim/notes.h"
#include "sim/sim.h"
#include "sim/wanted.h"

/* What of the edit is not as it was done; NULL for nothing. */
static const char *difference(const struct deed *deed, const struct gz_edit_record *edit)
{
    if (strcmp(deed->user, edit->user) != 0 || deed->session != edit->session)
        return "by somebody else";
    if (strcmp(deed->key, edit->key != NULL ? edit->key : "") != 0) return "with another key";
    if (deed->target != edit->target) return "about something else";
    if (deed->facts.count != edit->change_count) return "on other nodes";
    for (size_t i = 0; i < edit->change_count; i++) {
        const struct gz_change *change = &edit->changes[i];
        struct thing before = change->existed ? thing_of(&change->before) : nothing;
        struct thing after = change->exists ? thing_of(&change->after) : nothing;
        const struct fact *fact = facts_find(&deed->facts, change->node);
        if (fact == NULL) return "on another node";
        if (!same_thing(&fact->before, &before)) return "from another state";
        if (!same_thing(&fact->after, &after)) return "to another state";
    }
    return NULL;
}

void model_sent(struct sim *sim, const struct gz_batch *batch)
{
    struct model *model = &sim->model;
    for (size_t i = 0; i < batch->ended_count; i++)
        PROMISE(model_deed(model, batch->ended[i].id) != NULL, "each edit is stored once",
                "nobody made edit %llu, %s of session %llu", NUMBER(batch->ended[i].id),
                gz_vocabulary_word(&gz_edit_kind_words, (int)batch->ended[i].kind),
                NUMBER(batch->ended[i].session));
    for (size_t i = 0; i < batch->ended_count; i++) {
        struct deed *deed = model_deed(model, batch->ended[i].id);
        PROMISE(deed != NULL && !deed->sent && !deed->stored, "each edit is stored once",
                "edit %llu", NUMBER(batch->ended[i].id));
        const char *wrong = difference(deed, &batch->ended[i]);
        PROMISE(wrong == NULL, "the history holds what was done",
                "edit %llu, %s of session %llu, is %s", NUMBER(deed->id),
                gz_vocabulary_word(&gz_edit_kind_words, (int)batch->ended[i].kind),
                NUMBER(deed->session), wrong);
        deed->kind = batch->ended[i].kind;
        deed->seq = batch->ended[i].seq;
        deed->sent = true;
    }
    notes_sent(sim, batch);
    access_sent(sim, batch);
}

static bool waits(const struct sim *sim, uint64_t edit)
{
    const struct gz_journal_entry *entry = NULL;
    while ((entry = gz_journal_next(&sim->core->journal, &gz_pending_edits, entry)) != NULL) {
        const struct gz_edit_record *record = &((const struct gz_pending_edit *)entry)->edit;
        if (record->id == edit) return entry->batch == 0 && record->seq > sim->core->sent_seq;
    }
    return false;
}

/* Within one act of the core a batch may leave before the last edit is made. */
void edits_settled(const struct sim *sim)
{
    const struct model *model = &sim->model;
    for (size_t i = model->deed_count; i-- > 0 && !model->deeds[i].stored;)
        PROMISE(model->deeds[i].sent || waits(sim, model->deeds[i].id), "each edit is stored once",
                "edit %llu is in no batch, and was made before the last one",
                NUMBER(model->deeds[i].id));
}

/* ---- what it refused ---- */

void forget_refused(struct sim *sim)
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
    notes_refused(sim);
}

void act_refused(struct sim *sim)
{
    sim->model.wanted.count = 0;
    want_refused(sim);
    check_wanted(&sim->model, "what the disk refused is taken back whole");
}

/* ---- after a restart ---- */

/* What came later, and where a drag was seen whose way the disk did not follow to its end. */
static bool is_lost(const struct model *model, const struct version *version, uint64_t seq)
{
    return version->seq > seq ||
           (version->preview_of != 0 && model_deed(model, version->preview_of) == NULL);
}

static void forget_after(struct model *model, uint64_t seq)
{
    for (uint64_t id = 1; id < model->life_count; id++) {
        struct life *life = &model->lives[id];
        while (life->version_count > 0 &&
               is_lost(model, &life->versions[life->version_count - 1], seq))
            life->version_count--;
        life->now =
            life->version_count > 0 ? life->versions[life->version_count - 1].thing : nothing;
        set_holder(model, id, 0);
    }
    while (model->log_count > 0 && model->log[model->log_count - 1].seq > seq) model->log_count--;
}

static struct deed *deed_of_record(struct sim *sim, const struct gz_edit_record *edit)
{
    struct act act = {.session = edit->session, .user = edit->user};
    struct deed *deed = add_deed(&sim->model, edit->id, &act, edit->kind);
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
    model->epoch = sim->store.epoch;
    model->time_s = sim->store.time;
    while (model->deed_count > 0 && !model->deeds[model->deed_count - 1].stored)
        model->deed_count--;
    forget_after(model, saved);
    notes_restart(sim);
    model->grip_count = 0;
    for (size_t i = model->deed_count; i < sim->store.edit_count; i++)
        deed_of_record(sim, &sim->store.edits[i]);
    PROMISE(model->deed_count == sim->store.edit_count, "what was answered is kept",
            "%zu edits of %zu are left", sim->store.edit_count, model->deed_count);
    model->deeds_known =
        model->deed_count > GZ_UNDO_EDITS_MAX ? model->deed_count - GZ_UNDO_EDITS_MAX : 0;
    look(model, sim->core->scene);
    PROMISE(model->changed.count == 0, "after a crash the scene is what was saved", "node %llu",
            NUMBER(model->changed.list[0].node));
    model->newest_node = gz_scene_next_id(sim->core->scene) - 1;
    model->next_edit = sim->core->next_edit;
    check_holders(sim);
}
