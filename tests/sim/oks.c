/* The rule that no answer relies on what is not on the disk. What a request found is known by how
 * far the scene was when the core had it; by the answer the disk has to be as far. See oks.h. */
#include <string.h>

#include "scene/undo.h"
#include "sim/frames.h"
#include "sim/judge.h"
#include "sim/oks.h"
#include "sim/sim.h"

/* The batch that has to be stored for all that waits to be stored; 0 for none. */
static uint64_t batch_of_all(const struct gz_core *core)
{
    const struct gz_journal *journal = &core->journal;
    const bool is_in_none = journal->urgent > 0 || gz_scene_seq(core->scene) != core->sent_seq;
    if (is_in_none) return journal->sent + 1;
    return journal->requests > 0 ? journal->sent : 0;
}

struct ground oks_ground(const struct sim *sim)
{
    return (struct ground){.seq = gz_scene_seq(sim->core->scene),
                           .edit = sim->core->next_edit,
                           .notes = sim->model.note_count,
                           .batch = batch_of_all(sim->core)};
}

/* Whether the disk has all of it. */
static bool is_stored(const struct sim *sim, const struct ground *ground)
{
    return ground->seq <= sim->store.seq && ground->notes <= sim->model.notes_stored &&
           ground->batch <= sim->core->journal.settled;
}

/* Whether what is answered may speak of what others did. A viewer has done nothing, and an orbit
 * moves the session's own camera. */
static bool is_judged(const struct sim *sim, const struct act *act)
{
    const enum gz_op op = act->message->op;
    const struct gz_session *session = gz_core_session(sim->core, act->session);
    if (session == NULL || session->role < GZ_ROLE_EDITOR || act->orbits) return false;
    return op_edits(op) || op == GZ_OP_NOTE || op == GZ_OP_ACCESS || op == GZ_OP_CHECKPOINT ||
           op == GZ_OP_WHEEL || op == GZ_OP_RELEASE || op == GZ_OP_CANCEL ||
           is_phase(act, GZ_PHASE_UP) || is_phase(act, GZ_PHASE_CANCEL);
}

/* Whether the core asks the file first, and looks at the scene once that has answered. */
static bool asks_file(const struct sim *sim, const struct gz_message *message)
{
    return message->op == GZ_OP_RESTORE ||
           (message->op == GZ_OP_REVERT &&
            gz_undo_find(sim->core->undo, message->revert.edit) == NULL);
}

void oks_act(struct sim *sim, const struct act *act, const struct ground *ground, bool waits)
{
    const struct gz_session *session = gz_core_session(sim->core, act->session);
    struct request *request = act->request;
    if (request == NULL || act->message == NULL || act->late) return;
    request->is_judged = is_judged(sim, act);
    request->is_over = request->is_void = false;
    request->waits = waits || asks_file(sim, act->message);
    request->ground = *ground;
    request->runs = session != NULL ? session->gesture.edit.id : 0;
    request->turns = act->message->op == GZ_OP_POINTER ? act->turns : 0;
}

void oks_looked(struct request *request, const struct ground *ground)
{
    request->waits = request->is_void = false;
    request->ground = *ground;
}

void oks_refused(struct sim *sim)
{
    for (int i = 0; i < PEOPLE; i++) {
        const struct person *person = &sim->people[i];
        for (size_t j = 0; j < person->request_count; j++) {
            struct request *request = person->requests[j];
            if (request->is_over || request->waits) continue;
            request->is_void |= !is_stored(sim, &request->ground);
        }
    }
}

/* A drag of the session that was over when the core had the request is over for the disk too. */
static void check_drags(const struct sim *sim, const struct request *request)
{
    const bool ends = request->op == GZ_OP_POINTER || request->op == GZ_OP_UNDO;
    for (size_t i = 0; ends && i < sim->store.open_count; i++) {
        const struct gz_edit_record *open = &sim->store.open[i];
        /* A hold may run beside it, and a wheel goes on, until the rest of the frame ends it. */
        PROMISE(open->session != request->session || open->id >= request->ground.edit ||
                    open->id == request->runs || open->id == request->turns ||
                    open->kind == GZ_EDIT_POSE,
                "a drag that was said to be over is over after a crash", "request %llu, edit %llu",
                NUMBER(request->rid), NUMBER(open->id));
    }
}

/* A turn is kept once its wheel's edit is. It needs nothing else: what the disk refused meanwhile,
 * the wheel does not build on. */
static void check_wheel(const struct sim *sim, const struct request *request)
{
    const struct gz_session *session = gz_core_session(sim->core, request->session);
    const struct deed *deed = model_deed(&sim->model, request->runs);
    PROMISE(session == NULL || session->gesture.edit.id != request->runs,
            "a turn is answered once its wheel is stored", "request %llu: edit %llu runs",
            NUMBER(request->rid), NUMBER(request->runs));
    PROMISE(deed == NULL || deed->stored, "a turn is answered once its wheel is stored",
            "request %llu, edit %llu", NUMBER(request->rid), NUMBER(request->runs));
}

/* Whether the refusal says what the request found. */
static bool is_about_scene(const struct request *request, enum gz_status code)
{
    const bool edits = op_edits(request->op) || request->op == GZ_OP_NOTE ||
                       request->op == GZ_OP_ACCESS || request->op == GZ_OP_CHECKPOINT;
    return edits && (code == GZ_UNKNOWN_NODE || code == GZ_CONFLICT || code == GZ_BAD_STATE ||
                     code == GZ_BAD_VALUE);
}

void oks_said(struct sim *sim, struct request *request, const struct gz_message *message)
{
    const bool is_ok = message->op == GZ_OP_OK;
    /* It names what is stored, as other rules see to. */
    const bool is_named = is_ok && (message->has & (GZ_HAS_OK_EDIT | GZ_HAS_OK_NOTE)) != 0;
    request->is_over = !is_ok || !message->ok.more;
    if (is_ok && (message->has & GZ_HAS_OK_SEQ) != 0)
        PROMISE(message->ok.seq <= sim->store.seq, "an ok names a seq that the disk has",
                "request %llu, %s: seq %llu, the disk has %llu", NUMBER(request->rid),
                gz_op_word(request->op), NUMBER(message->ok.seq), NUMBER(sim->store.seq));
    if (!request->is_judged || is_named) return;
    if (is_ok && request->op == GZ_OP_WHEEL) {
        if ((message->has & GZ_HAS_OK_SEQ) != 0) check_wheel(sim, request);
        return;
    }
    if (is_ok && request->op == GZ_OP_ACCESS) return;
    if (!is_ok && !is_about_scene(request, message->error.code)) return;
    PROMISE(is_stored(sim, &request->ground), "no answer relies on what the disk does not have",
            "request %llu, %s, found seq %llu, the disk has %llu", NUMBER(request->rid),
            gz_op_word(request->op), NUMBER(request->ground.seq), NUMBER(sim->store.seq));
    PROMISE(!request->is_void, "no answer relies on what the disk refused", "request %llu, %s",
            NUMBER(request->rid), gz_op_word(request->op));
    check_drags(sim, request);
}
