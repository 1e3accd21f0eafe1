/* note.c - notes. A change of one is nobody's to see until it is on the disk: it waits as the whole
 * note that will be, and takes the place of the one before once it is committed. What comes
 * meanwhile stands on what waits. */
#include "session/note.h"

#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"
#include "session/handlers.h"
#include "session/session.h"

/* ---- what waits ---- */

static void destroy_pending(struct gz_core *core, struct gz_pending_note *pending)
{
    while (pending->waiters != NULL) {
        struct gz_waiter *next = pending->waiters->next;
        free(pending->waiters);
        core->note_waiter_count--;
        pending->waiters = next;
    }
    gz_notebook_entry_destroy(pending->note);
    free(pending);
}

static bool add_waiter(struct gz_pending_note *pending, const struct gz_session *session,
                       const struct gz_message *message)
{
    struct gz_waiter *waiter = malloc(sizeof *waiter);
    if (waiter == NULL) return false;
    *waiter = (struct gz_waiter){pending->waiters, session->id, message->rid,
                                 (message->has & GZ_HAS(RID)) != 0};
    pending->waiters = waiter;
    session->core->note_waiter_count++;
    return true;
}

static struct gz_pending_note *take_oldest(struct gz_core *core)
{
    struct gz_pending_note *oldest = core->pending_notes;
    core->pending_notes = oldest->next;
    if (core->pending_notes == NULL) core->pending_notes_end = &core->pending_notes;
    core->pending_note_count--;
    return oldest;
}

void gz_core_free_notes(struct gz_core *core)
{
    while (core->pending_notes != NULL) destroy_pending(core, take_oldest(core));
}

static enum gz_status no_memory(struct gz_failure *failure)
{
    return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory for this note");
}

/* Everything that may fail for want of memory is done here, before the disk has it. */
static enum gz_status append(struct gz_session *session, const struct gz_message *message,
                             const struct gz_note_record *record, struct gz_failure *failure)
{
    struct gz_core *core = session->core;
    struct gz_pending_note *pending = calloc(1, sizeof *pending);
    if (pending == NULL) return no_memory(failure);
    pending->note = gz_notebook_entry_create(record);
    if (pending->note == NULL || !add_waiter(pending, session, message)) {
        destroy_pending(core, pending);
        return no_memory(failure);
    }
    *core->pending_notes_end = pending;
    core->pending_notes_end = &pending->next;
    core->pending_note_count++;
    return GZ_OK;
}

/* The latest change of this note that waits; NULL where none does. */
static struct gz_pending_note *find_pending(const struct gz_core *core, uint64_t id)
{
    struct gz_pending_note *found = NULL;
    for (struct gz_pending_note *pending = core->pending_notes; pending != NULL;
         pending = pending->next) {
        if (pending->note->is.id == id) found = pending;
    }
    return found;
}

/* The note as it will be once all that waits is stored; NULL where it is not there, or will not
 * be. */
static const struct gz_note_record *find(const struct gz_core *core, uint64_t id)
{
    const struct gz_pending_note *pending = find_pending(core, id);
    const struct gz_notebook_entry *note =
        pending != NULL ? pending->note : gz_notebook_find(core->notes, id);
    return note != NULL && !note->is.gone ? &note->is : NULL;
}

/* ---- answers ---- */

static void answer(struct gz_session *session, bool has_rid, uint64_t rid, uint64_t note)
{
    struct gz_message asked = {.has = has_rid ? GZ_HAS(RID) : 0, .rid = rid};
    struct gz_ok ok = {.note = note};
    gz_session_ok(session, &asked, GZ_HAS(NOTE), &ok);
}

/* A request that is one that waits already: answered with it. */
static void wait_with(struct gz_pending_note *pending, struct gz_session *session,
                      const struct gz_message *message)
{
    if (!add_waiter(pending, session, message)) gz_session_end(session, "no memory to answer it");
}

/* Whether the key of the request decides about it: it is known and answered, or *status says why
 * nobody knows. */
static bool answer_known(struct gz_session *session, const struct gz_message *message,
                         const char *key, enum gz_status *status, struct gz_failure *failure)
{
    *status = GZ_OK;
    struct gz_core *core = session->core;
    if (key == NULL) return false;
    for (struct gz_pending_note *pending = core->pending_notes; pending != NULL;
         pending = pending->next) {
        const struct gz_note_record *note = &pending->note->is;
        if (note->key == NULL || strcmp(note->key, key) != 0 ||
            strcmp(note->by, session->user) != 0)
            continue;
        wait_with(pending, session, message);
        return true;
    }
    uint64_t note;
    *status = core->host.find_note_key(core->host.context, session->user, key, &note);
    if (*status != GZ_OK) {
        gz_fail(&failure->error, *status,
                "key: the disk does not say whether it is taken; ask again");
        return true;
    }
    if (note == 0) return false;
    answer(session, (message->has & GZ_HAS(RID)) != 0, message->rid, note);
    return true;
}

/* ---- what is asked for ---- */

static enum gz_status refuse_unknown(struct gz_failure *failure, const char *field, uint64_t id)
{
    return gz_fail(&failure->error, GZ_BAD_VALUE, "note.%s: there is no note %llu", field,
                   (unsigned long long)id);
}

/* A node, a point, or a point of a node: what of it is said takes the place of all of it. */
static enum gz_status pin(const struct gz_core *core, const struct gz_message *message,
                          struct gz_note_record *note, struct gz_failure *failure)
{
    const struct gz_note *said = &message->note;
    bool has_node = (message->has & GZ_HAS(NODE)) != 0,
         has_point = (message->has & GZ_HAS(POINT)) != 0;
    if (!has_node && !has_point) return GZ_OK;
    if (has_node && gz_scene_find(core->scene, said->node) == NULL) {
        failure->node = said->node;
        return gz_fail(&failure->error, GZ_UNKNOWN_NODE, "note.node: there is no node %llu",
                       (unsigned long long)said->node);
    }
    note->node = has_node ? said->node : 0;
    note->has_point = has_point;
    note->point = has_point ? said->point : (gz_vec3){0, 0, 0};
    return GZ_OK;
}

static enum gz_status make(const struct gz_core *core, const struct gz_message *message,
                           struct gz_note_record *note, struct gz_failure *failure)
{
    const struct gz_note *said = &message->note;
    if ((message->has & GZ_HAS(DONE)) != 0 || said->gone)
        return gz_fail(&failure->error, GZ_BAD_VALUE, "note.id: %s is said of a note that is there",
                       said->gone ? "gone" : "done");
    if (core->note_count >= GZ_NOTES_MAX)
        return gz_fail(&failure->error, GZ_TOO_MANY, "note: a scene holds at most %d",
                       GZ_NOTES_MAX);
    if ((message->has & GZ_HAS(REPLY)) != 0) {
        const struct gz_note_record *other = find(core, said->reply);
        if (other == NULL) return refuse_unknown(failure, "reply", said->reply);
        note->node = other->node;
        note->has_point = other->has_point;
        note->point = other->point;
        note->reply = other->id;
    }
    note->id = core->next_note;
    note->made = core->now.unix_s;
    return pin(core, message, note, failure);
}

static enum gz_status check_author(const struct gz_session *session,
                                   const struct gz_message *message,
                                   const struct gz_note_record *note, struct gz_failure *failure)
{
    bool needs_author =
        (message->has & (GZ_HAS(TEXT) | GZ_HAS(NODE) | GZ_HAS(POINT))) != 0 || message->note.gone;
    if (!needs_author || session->role >= GZ_ROLE_ADMIN || strcmp(session->user, note->user) == 0)
        return GZ_OK;
    return gz_fail(&failure->error, GZ_FORBIDDEN,
                   "note.id: note %llu is %s's: others may say that it is done, and answer it",
                   (unsigned long long)note->id, note->user);
}

static enum gz_status change(const struct gz_session *session, const struct gz_message *message,
                             struct gz_note_record *note, struct gz_failure *failure)
{
    const struct gz_note *said = &message->note;
    const struct gz_note_record *before = find(session->core, said->note);
    if (before == NULL) return refuse_unknown(failure, "id", said->note);
    if ((message->has & GZ_HAS(REPLY)) != 0)
        return gz_fail(&failure->error, GZ_BAD_VALUE, "note.reply: what a note answers stays");
    enum gz_status status = check_author(session, message, before, failure);
    if (status != GZ_OK) return status;
    const struct gz_note_record said_now = *note;
    *note = *before;
    if ((message->has & GZ_HAS(TEXT)) != 0) note->text = said_now.text;
    if ((message->has & GZ_HAS(DONE)) != 0) note->done = said->done;
    note->gone = said->gone;
    note->by = said_now.by;
    note->key = said_now.key;
    note->changed = said_now.changed;
    return pin(session->core, message, note, failure);
}

static bool is_same(const struct gz_note_record *a, const struct gz_note_record *b)
{
    return a->gone == b->gone && a->done == b->done && strcmp(a->text, b->text) == 0 &&
           a->node == b->node && a->has_point == b->has_point &&
           memcmp(&a->point, &b->point, sizeof a->point) == 0;
}

/* Nothing is to be changed: `ok` at once, or once that stands for good which makes it so. */
static void answer_unchanged(struct gz_session *session, const struct gz_message *message,
                             uint64_t id)
{
    struct gz_pending_note *pending = find_pending(session->core, id);
    if (pending != NULL)
        wait_with(pending, session, message);
    else
        answer(session, (message->has & GZ_HAS(RID)) != 0, message->rid, id);
}

static const char *copy_text(struct gz_arena *arena, struct gz_text text)
{
    char *copy = gz_arena_take(arena, text.size + 1, 1);
    if (copy != NULL && text.size > 0) memcpy(copy, text.bytes, text.size);
    return copy;
}

enum gz_status gz_on_note(struct gz_session *session, const struct gz_message *message,
                          struct gz_failure *failure)
{
    struct gz_core *core = session->core;
    bool is_new = (message->has & GZ_HAS(NOTE)) == 0;
    const char *key =
        (message->has & GZ_HAS(KEY)) != 0 ? copy_text(&core->scratch, message->key) : NULL;
    if (key == NULL && (message->has & GZ_HAS(KEY)) != 0) return no_memory(failure);
    enum gz_status status;
    if (answer_known(session, message, key, &status, failure)) return status;
    struct gz_note_record note = {
        .user = session->user, .by = session->user, .key = key, .changed = core->now.unix_s};
    note.text = copy_text(&core->scratch, message->note.text);
    if (note.text == NULL) return no_memory(failure);
    status =
        is_new ? make(core, message, &note, failure) : change(session, message, &note, failure);
    if (status != GZ_OK) return status;
    if (!is_new && is_same(&note, find(core, note.id))) {
        answer_unchanged(session, message, note.id);
        return GZ_OK;
    }
    status = append(session, message, &note, failure);
    if (status != GZ_OK) return status;
    if (is_new) core->next_note++;
    core->note_count = core->note_count + is_new - note.gone;
    return GZ_OK;
}

/* ---- to the disk and back ---- */

bool gz_core_add_notes(const struct gz_core *core, struct gz_batch *batch)
{
    struct gz_note_record *notes =
        gz_arena_take(&batch->arena, core->pending_note_count, sizeof *notes);
    if (notes == NULL) return false;
    for (const struct gz_pending_note *pending = core->pending_notes; pending != NULL;
         pending = pending->next) {
        struct gz_note_record *note = &notes[batch->note_count++];
        *note = pending->note->is;
        note->user = gz_arena_string(&batch->arena, note->user);
        note->text = gz_arena_string(&batch->arena, note->text);
        note->by = gz_arena_string(&batch->arena, note->by);
        note->key = gz_arena_string(&batch->arena, note->key);
        bool has_key = pending->note->is.key != NULL;
        if (note->user == NULL || note->text == NULL || note->by == NULL ||
            (has_key && note->key == NULL))
            return false;
    }
    batch->notes = notes;
    return true;
}

void gz_core_accept_notes(struct gz_core *core)
{
    while (core->pending_notes != NULL && core->pending_notes->in_batch) {
        struct gz_pending_note *pending = take_oldest(core);
        uint64_t id = pending->note->is.id;
        gz_notebook_put(core->notes, pending->note);
        pending->note = NULL;
        for (const struct gz_waiter *waiter = pending->waiters; waiter != NULL;
             waiter = waiter->next) {
            struct gz_session *session = gz_core_session(core, waiter->session);
            if (session != NULL) answer(session, waiter->has_rid, waiter->rid, id);
        }
        destroy_pending(core, pending);
    }
}

void gz_core_refuse_notes(struct gz_core *core, const char *why)
{
    struct gz_failure failure = {.node = 0};
    gz_fail(&failure.error, GZ_STORAGE, "the note could not be stored: %s", why);
    while (core->pending_notes != NULL) {
        struct gz_pending_note *pending = take_oldest(core);
        for (const struct gz_waiter *waiter = pending->waiters; waiter != NULL;
             waiter = waiter->next) {
            struct gz_session *session = gz_core_session(core, waiter->session);
            if (session != NULL)
                gz_session_refuse(session, waiter->has_rid, waiter->rid, &failure, false);
        }
        destroy_pending(core, pending);
    }
    core->note_count = gz_notebook_count(core->notes);
}
