/* The rules of what the core says to people. */
#include <stdio.h>
#include <string.h>

#include "sim/access.h"
#include "sim/frames.h"
#include "sim/judge.h"
#include "sim/notes.h"
#include "sim/oks.h"
#include "sim/said.h"
#include "sim/sim.h"

static const struct deed *stored_deed(const struct sim *sim, uint64_t id, const char *promise)
{
    const struct deed *deed = model_deed(&sim->model, id);
    PROMISE(deed != NULL && deed->stored, promise, "edit %llu", NUMBER(id));
    return deed;
}

static void said_ok(struct sim *sim, struct request *request, const struct gz_message *message)
{
    if (request->op == GZ_OP_ACCESS) {
        access_said_ok(sim, request);
        return;
    }
    if ((message->has & GZ_HAS_NOTE_NOTE) != 0) {
        notes_said_ok(sim, request, message);
        return;
    }
    if ((message->has & GZ_HAS_OK_EDIT) == 0) {
        PROMISE(request->op != GZ_OP_UNDO && request->op != GZ_OP_REDO &&
                    request->op != GZ_OP_REVERT,
                "an undo is an edit, whatever it finds", "request %llu", NUMBER(request->rid));
        PROMISE(request->answer != ANSWER_NOTE, "a note is answered as one", "request %llu",
                NUMBER(request->rid));
        PROMISE(request->answer != ANSWER_EDIT && request->answer != ANSWER_STORAGE,
                "an edit is answered as one", "request %llu", NUMBER(request->rid));
        return;
    }
    const struct deed *deed = stored_deed(sim, message->ok.edit, "ok comes after COMMIT");
    PROMISE(request->answer == ANSWER_EDIT && request->edit == deed->id,
            "an edit is answered with itself", "request %llu has edit %llu, it should be %llu",
            NUMBER(request->rid), NUMBER(deed->id), NUMBER(request->edit));
    PROMISE(deed->seq == message->ok.seq, "an edit is answered with itself", "seq %llu",
            NUMBER(message->ok.seq));
}

/* Whether the message of an error ends like that. */
static bool ends_in(const struct gz_error_message *error, const char *end)
{
    const size_t size = strlen(end);
    return error->message.size >= size &&
           memcmp(error->message.bytes + error->message.size - size, end, size) == 0;
}

static void said_locked(const struct sim *sim, const struct request *request,
                        const struct gz_error_message *error)
{
    static const char *const promise = "a refusal names the holder";
    uint64_t holder =
        error->nodes.count > 0 ? model_holder(&sim->model, error->nodes.ids[0], request->call) : 0;
    char end[64] = "";
    PROMISE(holder != 0 && holder == error->holder && holder != request->session, promise,
            "request %llu: %llu, it is %llu", NUMBER(request->rid), NUMBER(error->holder),
            NUMBER(holder));
    snprintf(end, sizeof end, "is held by %s", sim->people[sim->owners[holder]].user);
    PROMISE(ends_in(error, end), promise, "request %llu: it %s", NUMBER(request->rid), end);
}

/* An undo or redo that the edits of others are in the way of names the one that counts. */
static void said_conflict(const struct sim *sim, const struct request *request,
                          const struct gz_error_message *error)
{
    char end[64], user[64];
    if (request->in_the_way == 0) return;
    const struct deed *deed = model_deed(&sim->model, request->in_the_way);
    snprintf(user, sizeof user, "%s: %s ", gz_op_word(request->op), deed->user);
    snprintf(end, sizeof end, " since (edit %llu)", NUMBER(deed->id));
    PROMISE(strncmp(error->message.bytes, user, strlen(user)) == 0 && ends_in(error, end),
            "a conflict names who is in the way", "request %llu: %s%s", NUMBER(request->rid), user,
            end);
}

static void said_error(const struct sim *sim, const struct request *request,
                       const struct gz_error_message *error)
{
    bool later = request->again && error->code == GZ_TOO_MANY; /* not even looked at */
    PROMISE(request->answer != ANSWER_NOTE || later, "a note that was made is not refused",
            "request %llu: %.*s", NUMBER(request->rid), (int)error->message.size,
            error->message.bytes);
    PROMISE(request->answer != ANSWER_EDIT || later, "an edit that was made is not refused",
            "request %llu: %.*s", NUMBER(request->rid), (int)error->message.size,
            error->message.bytes);
    static const char *const why = "a refusal says what is true";
    if (error->code == GZ_LOCKED) said_locked(sim, request, error);
    if (error->code == GZ_CONFLICT) said_conflict(sim, request, error);
    if (error->code == GZ_CONFLICT && request->op == GZ_OP_SET)
        PROMISE(request->node_changed, why, "request %llu: nothing changed since: %.*s",
                NUMBER(request->rid), (int)error->message.size, error->message.bytes);
    else if (error->code == GZ_CONFLICT && request->op == GZ_OP_ACCESS)
        PROMISE(sim->people[sim->owners[request->session]].role < GZ_ROLE_ADMIN, why,
                "request %llu: the user stays an admin", NUMBER(request->rid));
    else if (error->code == GZ_CONFLICT && request->op != GZ_OP_CHECKPOINT)
        PROMISE(request->conflict, why, "request %llu: nobody touched it since",
                NUMBER(request->rid));
    if (error->code == GZ_STORAGE)
        PROMISE(sim->disk_failed, why, "request %llu: the disk is well", NUMBER(request->rid));
    if (error->message.size > 16 && memcmp(error->message.bytes, "there is nothing", 16) == 0)
        PROMISE(request->nothing, why, "request %llu: there is something to %s",
                NUMBER(request->rid), gz_op_word(request->op));
}

static void said_saved(const struct sim *sim, uint64_t saved)
{
    PROMISE(saved <= sim->store.seq, "what is said to be saved is saved", "seq %llu, and %llu is",
            NUMBER(saved), NUMBER(sim->store.seq));
}

static void said_edit(const struct sim *sim, const struct gz_edit_message *edit)
{
    const struct deed *deed = stored_deed(sim, edit->id, "an edit is told after COMMIT");
    bool same = deed->seq == edit->seq && deed->kind == edit->kind &&
                edit->by == (deed->epoch == sim->store.epoch ? deed->session : 0) &&
                strlen(deed->user) == edit->user.size && edit->nodes.count == deed->facts.count;
    for (size_t i = 0; same && i < edit->nodes.count; i++)
        same = facts_find(&deed->facts, edit->nodes.ids[i]) != NULL;
    PROMISE(same, "an edit is told as it was", "edit %llu", NUMBER(edit->id));
}

void model_said(struct sim *sim, uint64_t session, const struct gz_message *message)
{
    struct request *request = NULL;
    if (message->op == GZ_OP_OK || message->op == GZ_OP_ERROR)
        request = message->has & GZ_HAS_RID ? person_request(sim, session, message->rid) : NULL;
    if (request != NULL && request->session != session)
        return; /* it was said again, and the core has it not yet */
    if (request != NULL) oks_said(sim, request, message);
    if (message->op == GZ_OP_OK && request != NULL) said_ok(sim, request, message);
    if (message->op == GZ_OP_ERROR && request != NULL) said_error(sim, request, &message->error);
    if (message->op == GZ_OP_SAVED) said_saved(sim, message->saved_seq);
    if (message->op == GZ_OP_DELTA) said_saved(sim, message->delta.saved);
    if (message->op == GZ_OP_NOTES) notes_said(sim, &message->notes);
    if (message->op == GZ_OP_EDIT) said_edit(sim, &message->edit);
}
