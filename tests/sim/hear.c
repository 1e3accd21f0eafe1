/* What people make of what they hear, and of a link that ends. */
#include <string.h>

#include "sim/actions.h"
#include "sim/chance.h"
#include "sim/frames.h"
#include "sim/hear.h"
#include "sim/judge.h"
#include "sim/mirrors.h"
#include "sim/notes.h"
#include "sim/parts.h"
#include "sim/sim.h"

static void person_lose(struct sim *sim, struct person *person)
{
    trace(sim, "%s/%d is away", person->user, person->index);
    person->partial |= person->mirror.more;
    person->tainted |= person->mirror.more && person->mirror.seq > person->saved;
    person->welcome = person->dragging = false;
    person->holding = 0;
    person->sight_count = person->here = 0;
    for (size_t i = 0; i < person->request_count; i++) person->requests[i]->sent = false;
    lose_frame(person);
    person->next_s = sim->now.mono_s + between(sim, 0.01, sim->quiet ? 0.1 : 2);
}

/* Whoever comes looks at the scene with something in hand, and says again what had no answer. */
static void settle_in(struct sim *sim, struct person *person)
{
    say_camera(sim, person);
    say_tool(sim, person);
    size_t count = person->request_count;
    for (size_t i = 0; i < count; i++) {
        struct request *request = person->requests[i];
        if (request->answered || request->sent || request->key[0] == '\0') continue;
        send_frame(sim, person);
        add_to_frame(person, request->bytes, request->size);
        request->sent = true;
    }
    send_frame(sim, person);
}

/* A resume is exact or it is none, and it is exact wherever it can be. */
static void check_resume(struct sim *sim, const struct person *person,
                         const struct gz_welcome *welcome)
{
    bool lied =
        person->resume_claim != person->epoch || person->resume_seq != person->mirror.complete;
    bool saved = person->resume_claim == welcome->epoch;
    for (size_t i = 0; i < sim->store.epoch_count; i++) {
        const struct gz_epoch_record *epoch = &sim->store.epochs[i];
        saved |= epoch->epoch == person->resume_claim && person->resume_seq <= epoch->seq_last;
    }
    if (welcome->resumed)
        PROMISE(person->resume_claim != 0 && !lied && saved, "a resume is never a guess",
                "epoch %llu, seq %llu", NUMBER(person->resume_claim), NUMBER(person->resume_seq));
    if (sim->core == NULL || lied || !saved || person->resume_seq == 0) return;
    bool remembered = person->resume_seq >= gz_scene_forgotten(sim->core->scene);
    if (remembered)
        PROMISE(welcome->resumed, "who saw only what was saved resumes", "%s/%d", person->user,
                person->index);
}

static void hear_welcome(struct sim *sim, struct person *person, const struct gz_welcome *welcome)
{
    check_resume(sim, person, welcome);
    /* else it may have seen drags that came to nothing, and the next delta says where the nodes are
     */
    bool is_exact = person->resume_claim == welcome->epoch;
    person->session = welcome->session;
    person->welcome = true;
    memset(person->secret, 0, sizeof person->secret);
    memcpy(person->secret, welcome->secret.bytes, welcome->secret.size);
    person->epoch = welcome->epoch;
    person->saved = 0;
    person->wish = NULL;
    mirror_notes_clear(&person->notes);
    mirror_checkpoints_clear(&person->checkpoints);
    person->looked = 0;
    person->sight_count = person->here = 0;
    person->edits_before = sim->store.edit_count;
    if (!welcome->resumed) person->mirror.complete = 0;
    person->mirror.seq = person->mirror.complete;
    sim->counts->resumes += welcome->resumed;
    if (welcome->resumed && !person->partial && is_exact) model_compare(sim, person, true);
    person->checked = UINT64_MAX;
    settle_in(sim, person);
}

/* Who is here now was here when this was said. */
static void check_known(const struct sim *sim, const struct person *person, uint64_t session)
{
    size_t i = 0;
    const bool is_here =
        sim->core != NULL && gz_sessions_find(&sim->core->roster, session, NULL) != NULL;
    while (i < person->sight_count && person->sights[i].session != session) i++;
    PROMISE(person->here == 0 || !is_here || i < person->sight_count,
            "who is shown to do something was told of", "%s/%d does not know session %llu",
            person->user, person->index, NUMBER(session));
}

static void hear_delta(struct sim *sim, struct person *person, const struct parcel *parcel,
                       const struct gz_delta *delta)
{
    PROMISE(!person->begins_anew || person->wish == NULL || delta->from == 0,
            "a part that is asked for at once is all that is told",
            "%s/%d hears of it from seq %llu", person->user, person->index, NUMBER(delta->from));
    person->begins_anew = false;
    sim->claim = "deltas are a chain without gap or double";
    mirror_apply(&person->mirror, delta);
    for (size_t i = 0; i < delta->count; i++) {
        if ((delta->nodes[i].has & GZ_HAS_STATE_BY) != 0)
            check_known(sim, person, delta->nodes[i].by);
    }
    for (size_t i = person->told_singly; i < delta->count; i++)
        mirror_mark_motion(&person->mirror, delta->nodes[i].id);
    PROMISE(delta->saved >= person->saved, "what is saved stays saved", "%s/%d", person->user,
            person->index);
    person->saved = delta->saved;
    if (delta->from == 0) person->checked = UINT64_MAX;
    sim->claim = "the disk is given what it can explain";
    if (delta->more) return;
    person->partial = person->tainted = false;
    if (person->wish != NULL) {
        part_hear(sim, person, parcel);
        return;
    }
    person->part = false;
    model_compare(sim, person, chance(sim, 0.03));
}

uint64_t ids_number(struct gz_ids ids)
{
    uint64_t number = ids.count;
    for (size_t i = 0; i < ids.count; i++) number = number * 1000003 + ids.ids[i];
    return number;
}

static void forget_sight(struct person *person, uint64_t session)
{
    for (size_t i = 0; i < person->sight_count; i++) {
        if (person->sights[i].session == session)
            person->sights[i--] = person->sights[--person->sight_count];
    }
}

/* But oneself, who is told of once where one only watches. */
static void forget_sights(struct person *person)
{
    for (size_t i = person->sight_count; i-- > 0;) {
        if (person->sights[i].session != person->session)
            forget_sight(person, person->sights[i].session);
    }
}

static void hear_presence(struct person *person, const struct gz_presence *presence)
{
    if (presence->all) forget_sights(person);
    for (size_t i = 0; i < presence->left.count; i++) forget_sight(person, presence->left.ids[i]);
    for (size_t i = 0; i < presence->count; i++) {
        const struct gz_presence_user *user = &presence->users[i];
        forget_sight(person, user->session);
        PROMISE(person->sight_count < COUNT(person->sights), "presence says who is here", "%zu are",
                person->sight_count);
        struct sight *sight = &person->sights[person->sight_count++];
        *sight = (struct sight){.session = user->session,
                                .selection = ids_number(user->selection),
                                .locks = ids_number(user->locks),
                                .tool = user->tool,
                                .has_at = (user->has & GZ_HAS_PRESENCE_AT) != 0};
        if (sight->has_at) memcpy(sight->at, user->at, sizeof sight->at);
    }
}

static void hear_edit(const struct sim *sim, struct person *person,
                      const struct gz_edit_message *edit)
{
    PROMISE(edit->seq > person->edit_seq, "an edit is told once, in order", "edit %llu",
            NUMBER(edit->id));
    person->edit_seq = edit->seq;
    check_known(sim, person, edit->by);
}

static void hear_answer(struct person *person, const struct gz_message *message)
{
    if ((message->has & GZ_HAS_RID) == 0 || message->rid == 0 ||
        message->rid > person->request_count)
        return;
    struct request *request = person->requests[message->rid - 1];
    request->answered = message->op == GZ_OP_OK ? !message->ok.more : true;
    if (message->op == GZ_OP_OK && request->op == GZ_OP_INTEREST) part_answered(person, request);
    if (message->op == GZ_OP_OK && (message->has & GZ_HAS_OK_NOTE) != 0) {
        PROMISE(request->told_note == 0 || request->told_note == message->ok.note,
                "the same key has the same answer", "request %llu", NUMBER(request->rid));
        request->told_note = message->ok.note;
    }
    if (message->op != GZ_OP_OK || (message->has & GZ_HAS_OK_EDIT) == 0) return;
    PROMISE(request->told == 0 || request->told == message->ok.edit,
            "the same key has the same answer", "request %llu", NUMBER(request->rid));
    request->told = message->ok.edit;
}

static void mark_listed(struct person *person, const struct gz_motion_message *motion)
{
    for (size_t i = 0; i < motion->nodes.count; i++)
        mirror_list_motion(&person->mirror, motion->nodes.ids[i]);
    for (size_t i = 0; i < motion->start_count; i++)
        mirror_list_motion(&person->mirror, motion->starts[i].id);
}

/* What the message stands for, until the next one. */
static void turn(struct sim *sim, struct person *person, struct parcel *parcel,
                 struct gz_message *message)
{
    struct gz_error error = {.message = ""};
    person->told_singly = message->op == GZ_OP_MOVES ? message->moves.count : SIZE_MAX;
    PROMISE(person->packed != NULL || message->op < GZ_OP_MOVES,
            "the packed form is for who asked for it", "%s/%d", person->user, person->index);
    if (person->packed == NULL) return;
    PROMISE(message->op != GZ_OP_DELTA, "deltas come in the form that was asked for", "%s/%d",
            person->user, person->index);
    if (message->op == GZ_OP_MOTION) mark_listed(person, &message->motion);
    if (message->op == GZ_OP_MOVES) sim->counts->motions += message->moves.step_count;
    enum gz_status status = gz_packed_turn(person->packed, &parcel->arena, message, &error);
    PROMISE(status == GZ_OK, "what is said in the packed form follows", "%s/%d: %s", person->user,
            person->index, error.message);
}

void person_hear(struct sim *sim, struct person *person, struct parcel *parcel)
{
    char text[256];
    if (!sim->quiet) person->patience_s = sim->now.mono_s + between(sim, 2, 30);
    for (size_t i = 0; i < parcel->message_count && person->link != NULL; i++) {
        struct gz_message *message = &parcel->messages[i];
        turn(sim, person, parcel, message);
        if (sim->trace) describe(message, text);
        if (message->op != GZ_OP_GIZMO)
            trace(sim, "%s/%d hears %s", person->user, person->index, text);
        switch (message->op) {
        case GZ_OP_WELCOME: hear_welcome(sim, person, &message->welcome); break;
        case GZ_OP_DELTA: hear_delta(sim, person, parcel, &message->delta); break;
        case GZ_OP_SAVED:
            PROMISE(message->saved_seq >= person->saved, "what is saved stays saved", "%s",
                    person->user);
            person->saved = message->saved_seq;
            break;
        case GZ_OP_PRESENCE: hear_presence(person, &message->presence); break;
        case GZ_OP_CROWD: person->here = message->here; break;
        case GZ_OP_NOTES: notes_hear(sim, person, parcel, &message->notes); break;
        case GZ_OP_CHECKPOINT_NEWS:
            mirror_checkpoints_apply(&person->checkpoints, &message->checkpoint_news);
            break;
        case GZ_OP_EDIT: hear_edit(sim, person, &message->edit); break;
        case GZ_OP_OK:
        case GZ_OP_ERROR: hear_answer(person, message); break;
        default: break;
        }
    }
}

/* ---- the end of a link ---- */

void person_turn_away(struct sim *sim, struct link *link)
{
    struct person *person = link->person;
    link->person = NULL;
    person->link = NULL;
    lane_lose(&link->down, 0);
    person_lose(sim, person);
}

/* It hears, before it is gone, what came through of what was on its way. */
void person_hear_rest(struct sim *sim, struct link *link)
{
    for (size_t left = below(sim, lane_count(&link->down) + 1); left > 0 && link->person != NULL;
         left--) {
        struct parcel *parcel = lane_take(&link->down);
        if (!parcel->end) person_hear(sim, link->person, parcel);
        parcel_destroy(parcel);
    }
}

void person_cut(struct sim *sim, struct link *link)
{
    person_hear_rest(sim, link);
    lane_lose(&link->up, below(sim, lane_count(&link->up) + 1));
    lane_end(sim, link, &link->up);
    person_turn_away(sim, link);
}

void person_close(struct sim *sim, struct link *link)
{
    lane_end(sim, link, &link->up);
    person_turn_away(sim, link);
}
