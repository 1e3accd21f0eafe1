/* Notes: what people say of them, and what must come of it. A change of a note is nobody's to see
 * until it is on the disk; until then others may stand on it, and all of them go together where the
 * disk refuses. */
#include <string.h>

#include "server/maxima.h"
#include "sim/chance.h"
#include "sim/frames.h"
#include "sim/judge.h"
#include "sim/notes.h"
#include "sim/sim.h"

/* ---- saying ---- */

static uint64_t any_note(struct sim *sim, const struct person *person)
{
    if (person->notes.count == 0 || chance(sim, 0.1)) return 1 + below(sim, 40);
    return person->notes.notes[below(sim, person->notes.count)].state.id;
}

void say_note(struct sim *sim, struct person *person)
{
    static const struct gz_text texts[] = {{"why?", 4}, {"because", 7}, {"\xe2\x9c\x93", 3}};
    static const uint64_t parts[] = {GZ_HAS_NOTE_TEXT, GZ_HAS_NOTE_DONE, 0, 0};
    struct gz_message message = {
        .op = GZ_OP_NOTE, .has = GZ_HAS_NOTE_TEXT, .note.text = texts[below(sim, COUNT(texts))]};
    if (chance(sim, 0.5)) {
        message.has = GZ_HAS_NOTE_NOTE | parts[below(sim, COUNT(parts))];
        message.note.note = any_note(sim, person);
        message.note.done = chance(sim, 0.5);
        message.note.gone = message.has == GZ_HAS_NOTE_NOTE;
    } else if (chance(sim, 0.5)) {
        message.has |= GZ_HAS_NOTE_REPLY;
        message.note.reply = any_note(sim, person);
    }
    if (chance(sim, 0.3)) {
        message.has |= GZ_HAS_NOTE_NODE;
        message.note.node = any_node(sim, person);
    }
    if (chance(sim, 0.3)) {
        message.has |= GZ_HAS_NOTE_POINT;
        message.note.point = any_place(sim);
    }
    const struct request *request = person_say(sim, person, &message);
    if (request->key[0] == '\0' || !chance(sim, 0.2)) return;
    message.has |= GZ_HAS_KEY;
    message.key = (struct gz_text){request->key, strlen(request->key)};
    (void)person_say(sim, person, &message); /* and again, before there was an answer */
}

/* ---- the notes through all times ---- */

/* The note as it was after so many changes; NULL where there was none, or none any more. */
static const struct note_change *note_at(const struct model *model, uint64_t id, size_t changes)
{
    for (size_t i = changes; i-- > 0;) {
        const struct note_change *change = &model->notes[i];
        if (change->id == id) return change->gone ? NULL : change;
    }
    return NULL;
}

/* How many notes there were after so many changes; of this user, or NULL for all users. */
static size_t count_at(const struct model *model, size_t changes, const char *user)
{
    size_t count = 0;
    for (uint64_t id = 1; id <= model->note_last; id++) {
        const struct note_change *note = note_at(model, id, changes);
        count += note != NULL && (user == NULL || strcmp(note->user, user) == 0);
    }
    return count;
}

static const struct note_change *note_of_key(const struct model *model, const struct act *act)
{
    for (size_t i = 0; act->key != NULL && act->key[0] != '\0' && i < model->note_count; i++) {
        const struct note_change *change = &model->notes[i];
        if (strcmp(change->key, act->key) == 0 && strcmp(change->by, act->user) == 0) return change;
    }
    return NULL;
}

static void add_note(struct model *model, const struct note_change *change)
{
    model->notes =
        grow(model->notes, &model->note_capacity, model->note_count + 1, sizeof *model->notes);
    model->notes[model->note_count++] = *change;
    if (change->id > model->note_last) model->note_last = change->id;
}

static bool same_note(const struct note_change *change, const struct gz_note_record *note)
{
    bool same_point =
        !note->has_point || memcmp(&change->point, &note->point, sizeof note->point) == 0;
    return change->id == note->id && change->gone == note->gone && change->done == note->done &&
           change->node == note->node && change->reply == note->reply &&
           change->has_point == note->has_point && same_point && change->made == note->made &&
           change->changed == note->changed && strcmp(change->user, note->user) == 0 &&
           strcmp(change->text, note->text) == 0;
}

static bool same_change(const struct note_change *change, const struct gz_note_record *note)
{
    return same_note(change, note) && strcmp(change->by, note->by) == 0 &&
           strcmp(change->key, note->key != NULL ? note->key : "") == 0;
}

/* ---- what is asked for ---- */

/* What a note comes to be pinned to; false where that cannot be. */
static bool pin(const struct sim *sim, const struct gz_message *message, struct note_change *change)
{
    bool has_node = (message->has & GZ_HAS_NOTE_NODE) != 0,
         has_point = (message->has & GZ_HAS_NOTE_POINT) != 0;
    if (!has_node && !has_point) return true;
    change->node = has_node ? message->note.node : 0;
    change->has_point = has_point;
    change->point = has_point ? message->note.point : (gz_vec3){0, 0, 0};
    return !has_node || gz_scene_find(sim->core->scene, message->note.node) != NULL;
}

/* Whether the node came or went in the very frame: before the note or after it. */
static bool is_unsure(const struct sim *sim, const struct gz_message *message)
{
    const struct fact *fact = (message->has & GZ_HAS_NOTE_NODE) != 0
                                  ? facts_find(&sim->model.changed, message->note.node)
                                  : NULL;
    return fact != NULL && fact->before.there != fact->after.there;
}

static bool make(const struct sim *sim, const struct act *act, struct note_change *change)
{
    const struct model *model = &sim->model;
    const struct gz_message *message = act->message;
    const size_t count = count_at(model, model->note_count, NULL),
                 own = count_at(model, model->note_count, act->user);
    if (count >= GZ_NOTES_MAX || own >= GZ_NOTES_MAX - count) return false;
    if (message->has & GZ_HAS_NOTE_REPLY) {
        const struct note_change *other = note_at(model, message->note.reply, model->note_count);
        if (other == NULL) return false;
        *change = *other;
        change->gone = change->done = false;
        change->reply = other->id;
        memset(change->key, 0, sizeof change->key);
    }
    keep_text(change->user, act->user);
    return true;
}

static bool alter(const struct sim *sim, const struct act *act, struct note_change *change)
{
    const struct gz_message *message = act->message;
    const struct note_change *before =
        note_at(&sim->model, message->note.note, sim->model.note_count);
    bool own = (message->has & (GZ_HAS_NOTE_TEXT | GZ_HAS_NOTE_NODE | GZ_HAS_NOTE_POINT)) != 0 ||
               message->note.gone;
    if (before == NULL) return false;
    bool may = !own || strcmp(before->user, act->user) == 0 ||
               gz_core_session(sim->core, act->session)->role >= GZ_ROLE_ADMIN;
    if (!may) return false;
    *change = *before;
    if (message->has & GZ_HAS_NOTE_DONE) change->done = message->note.done;
    change->gone = message->note.gone;
    memset(change->key, 0, sizeof change->key);
    return true;
}

static void write_change(const struct act *act, struct note_change *change)
{
    if (act->message->has & GZ_HAS_NOTE_TEXT) {
        memset(change->text, 0, sizeof change->text);
        memcpy(change->text, act->message->note.text.bytes, act->message->note.text.size);
    }
    keep_text(change->by, act->user);
    if (act->key != NULL) keep_text(change->key, act->key);
}

static bool is_unchanged(const struct model *model, const struct note_change *change)
{
    const struct note_change *before = note_at(model, change->id, model->note_count);
    return before != NULL && before->gone == change->gone && before->done == change->done &&
           before->node == change->node && before->has_point == change->has_point &&
           memcmp(&before->point, &change->point, sizeof change->point) == 0 &&
           strcmp(before->text, change->text) == 0;
}

/* ---- answers ---- */

/* It is answered with this note, once that is stored which makes it so. */
static void expect_note(struct request *request, const struct model *model, uint64_t id)
{
    request->answer = ANSWER_NOTE;
    request->note = id;
    for (size_t i = 0; i < model->note_count; i++)
        if (model->notes[i].id == id) request->change = i;
}

/* The change that the core has at this place of those that wait; NULL for none. */
static const struct gz_note_record *waiting(const struct sim *sim, size_t place)
{
    const struct gz_journal_entry *entry = NULL;
    do entry = gz_journal_next(&sim->core->journal, &gz_pending_notes, entry);
    while (entry != NULL && place-- > 0);
    return entry != NULL ? gz_pending_note(entry) : NULL;
}

/* Whether it is what this act made, of a note that it makes (id 0) or changes, and not what the
 * next one in its frame did. */
static bool is_of(const struct gz_note_record *made, const struct act *act, uint64_t id)
{
    return made != NULL && (id == 0 || made->id == id) &&
           strcmp(made->key != NULL ? made->key : "", act->key != NULL ? act->key : "") == 0;
}

static void act_note(struct sim *sim, const struct act *act)
{
    struct model *model = &sim->model;
    struct note_change change = {.gone = false};
    const struct note_change *known = note_of_key(model, act);
    bool is_new = (act->message->has & GZ_HAS_NOTE_NOTE) == 0;
    if (gz_core_session(sim->core, act->session)->role < GZ_ROLE_EDITOR) return;
    act->request->again = known != NULL;
    if (known != NULL) {
        expect_note(act->request, model, known->id);
        act->request->change = (size_t)(known - model->notes);
        return;
    }
    bool may = is_new ? make(sim, act, &change) : alter(sim, act, &change);
    if (!may || (!pin(sim, act->message, &change) && !is_unsure(sim, act->message))) return;
    write_change(act, &change);
    if (!is_new && is_unchanged(model, &change)) {
        act->request->again = true;
        expect_note(act->request, model, change.id);
        return;
    }
    const struct gz_note_record *made = waiting(sim, model->note_count - model->notes_stored);
    bool full = sim->core->journal.requests >= GZ_PENDING_EDITS_MAX;
    /* Where a new one was not made, the next change of the frame may look like it. */
    const bool is_made =
        is_of(made, act, is_new ? 0 : change.id) && (!is_new || made->id > model->note_last);
    if (!is_made && (full || is_unsure(sim, act->message))) return;
    PROMISE(made != NULL, "what may be noted is noted", "request %llu of %s",
            NUMBER(act->request->rid), act->user);
    if (is_new) {
        PROMISE(made->id > model->note_last, "ids of notes are given once", "note %llu",
                NUMBER(made->id));
        change.id = made->id;
        change.made = made->changed;
    }
    double before_s = model->note_count > 0 ? model->notes[model->note_count - 1].changed : 0;
    PROMISE(made->changed >= before_s && made->changed <= sim->core->clock.now.unix_s,
            "the times of a scene never go back", "note %llu", NUMBER(made->id));
    change.changed = made->changed;
    PROMISE(same_change(&change, made), "a note is what was said", "note %llu of %s",
            NUMBER(made->id), act->user);
    add_note(model, &change);
    expect_note(act->request, model, change.id);
}

void notes_act(struct sim *sim, const struct act *act)
{
    bool notes = act->message != NULL && act->message->op == GZ_OP_NOTE && !act->late &&
                 act->request != NULL;
    if (notes) act_note(sim, act);
}

void notes_settled(const struct sim *sim)
{
    const struct model *model = &sim->model;
    const size_t wanted = model->note_count - model->notes_stored;
    PROMISE(waiting(sim, wanted) == NULL && (wanted == 0 || waiting(sim, wanted - 1) != NULL),
            "the same key is one note", "%zu should wait", wanted);
}

/* ---- the disk ---- */

void notes_sent(struct sim *sim, const struct gz_batch *batch)
{
    struct model *model = &sim->model;
    const size_t left = model->note_count - model->notes_sent;
    PROMISE(batch->next == NULL ? batch->note_count == left : batch->note_count <= left,
            "each note is stored once", "%zu of %zu", batch->note_count, left);
    for (size_t i = 0; i < batch->note_count; i++)
        PROMISE(same_change(&model->notes[model->notes_sent + i], &batch->notes[i]),
                "a note is stored as it is", "note %llu", NUMBER(batch->notes[i].id));
    model->notes_sent += batch->note_count;
}

void notes_refused(struct sim *sim)
{
    struct model *model = &sim->model;
    for (int i = 0; i < PEOPLE; i++) {
        for (size_t j = 0; j < sim->people[i].request_count; j++) {
            struct request *request = sim->people[i].requests[j];
            if (request->answer == ANSWER_NOTE && request->change >= model->notes_stored &&
                !request->answered)
                request->answer = ANSWER_STORAGE;
        }
    }
    model->note_count = model->notes_sent = model->notes_stored;
}

void notes_restart(struct sim *sim)
{
    struct model *model = &sim->model;
    notes_refused(sim);
    model->note_last = 0;
    for (size_t i = 0; i < model->note_count; i++)
        if (model->notes[i].id > model->note_last) model->note_last = model->notes[i].id;
    notes_check_store(sim);
}

void notes_check_store(const struct sim *sim)
{
    const struct model *model = &sim->model;
    size_t there = 0;
    for (size_t i = 0; i < sim->store.note_count; i++) {
        const struct gz_note_record *note = &sim->store.notes[i];
        const struct note_change *change = note_at(model, note->id, model->notes_stored);
        there += !note->gone;
        PROMISE(note->gone ? change == NULL : change != NULL && same_note(change, note),
                "what was noted is kept", "note %llu", NUMBER(note->id));
    }
    PROMISE(there == count_at(model, model->notes_stored, NULL), "what was noted is kept",
            "%zu notes", there);
    for (int i = 0; i < PEOPLE; i++) {
        for (size_t j = 0; j < sim->people[i].request_count; j++) {
            uint64_t told = sim->people[i].requests[j]->told_note;
            size_t found = told == 0;
            for (size_t k = 0; k < sim->store.note_count; k++)
                found += sim->store.notes[k].id == told;
            PROMISE(found == 1, "what was answered is kept, once", "note %llu is there %zu times",
                    NUMBER(told), found);
        }
    }
}

/* ---- what is said ---- */

void notes_said_ok(const struct sim *sim, const struct request *request,
                   const struct gz_message *message)
{
    PROMISE(request->answer == ANSWER_NOTE && message->ok.note == request->note,
            "a note is answered with itself", "request %llu has note %llu, it should be %llu",
            NUMBER(request->rid), NUMBER(message->ok.note), NUMBER(request->note));
    PROMISE(request->change < sim->model.notes_stored, "ok comes after COMMIT", "note %llu",
            NUMBER(message->ok.note));
}

static bool same_state(const struct note_change *change, const struct gz_note_state *state)
{
    struct gz_note_record note = {
        .id = state->id,
        .done = state->done,
        .user = change->user,
        .text = change->text,
        .node = (state->has & GZ_HAS_NOTE_STATE_NODE) != 0 ? state->node : 0,
        .has_point = (state->has & GZ_HAS_NOTE_STATE_POINT) != 0,
        .point = state->point,
        .reply = (state->has & GZ_HAS_NOTE_STATE_REPLY) != 0 ? state->reply : 0,
        .made = state->made,
        .changed = state->changed,
    };
    bool texts = strlen(change->user) == state->user.size &&
                 strlen(change->text) == state->text.size &&
                 memcmp(change->user, state->user.bytes, state->user.size) == 0 &&
                 memcmp(change->text, state->text.bytes, state->text.size) == 0;
    return texts && same_note(change, &note);
}

void notes_said(const struct sim *sim, const struct gz_notes *notes)
{
    static const char *const promise = "notes are told after COMMIT, as they are";
    const struct model *model = &sim->model;
    for (size_t i = 0; i < notes->count; i++) {
        const struct note_change *change = note_at(model, notes->notes[i].id, model->notes_stored);
        PROMISE(change != NULL && same_state(change, &notes->notes[i]), promise, "note %llu",
                NUMBER(notes->notes[i].id));
    }
    for (size_t i = 0; i < notes->gone.count; i++)
        PROMISE(note_at(model, notes->gone.ids[i], model->notes_stored) == NULL, promise,
                "note %llu is there", NUMBER(notes->gone.ids[i]));
}

void notes_compare(const struct sim *sim, const struct person *person, size_t changes)
{
    static const char *const promise = "everybody has the notes that there are";
    size_t there = 0;
    for (uint64_t id = 1; id <= sim->model.note_last; id++) {
        const struct note_change *change = note_at(&sim->model, id, changes);
        const struct gz_note_state *state = mirror_notes_find(&person->notes, id);
        there += change != NULL;
        PROMISE(change == NULL ? state == NULL : state != NULL && same_state(change, state),
                promise, "%s/%d has note %llu wrong", person->user, person->index, NUMBER(id));
    }
    PROMISE(person->notes.count == there, promise, "%s/%d has %zu of %zu", person->user,
            person->index, person->notes.count, there);
}

void notes_hear(struct sim *sim, struct person *person, const struct parcel *parcel,
                const struct gz_notes *notes)
{
    sim->claim = "notes are told in order";
    mirror_notes_apply(&person->notes, notes);
    sim->claim = "the disk is given what it can explain";
    if (!notes->more) notes_compare(sim, person, parcel->notes_stored);
}
