/* notes.c - notes and checkpoints: what people write, and names for states of the scene. */
#include "core/notes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/answers.h"
#include "core/session.h"
#include "server/maxima.h"

/* ---- notes ---- */

/* Notes. A changed note is not shown until it is on the disk: it waits as a whole note,
 * and replaces the old one once it is committed. Later requests build on the waiting notes. */

/* ---- entries that wait for the disk ---- */

struct pending_note {
    struct gz_journal_entry entry;
    struct gz_notebook_entry *note;
    bool is_new;
};

const struct gz_note_record *gz_pending_note(const struct gz_journal_entry *entry)
{
    return &((const struct pending_note *)entry)->note->is;
}

static enum gz_status no_memory(struct gz_failure *failure)
{
    return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory for this note");
}

/* Allocates all memory now, because nothing may fail once the disk has the entry. */
static enum gz_status append(struct gz_session *session, const struct gz_message *message,
                             const struct gz_note_record *record, struct gz_failure *failure)
{
    struct pending_note *pending = calloc(1, sizeof *pending);
    struct gz_notebook_entry *note = gz_notebook_entry_create(record);
    if (pending == NULL || note == NULL) {
        gz_notebook_entry_destroy(note);
        free(pending);
        return no_memory(failure);
    }
    pending->note = note;
    pending->is_new = (message->has & GZ_HAS_NOTE_NOTE) == 0;
    pending->entry = (struct gz_journal_entry){
        .kind = &gz_pending_notes,
        .bytes = sizeof *pending + sizeof *note + strlen(record->text),
        .user = note->is.by,
        .key = note->is.key,
    };
    gz_session_append(session, message, &pending->entry);
    return GZ_OK;
}

static const struct pending_note *next_pending(const struct gz_core *core,
                                               const struct pending_note *after)
{
    const struct gz_journal_entry *entry = after != NULL ? &after->entry : NULL;
    return (const struct pending_note *)gz_journal_next(&core->journal, &gz_pending_notes, entry);
}

/* The latest waiting change of this note; NULL if there is none. */
static const struct pending_note *find_pending(const struct gz_core *core, uint64_t id)
{
    const struct pending_note *found = NULL, *pending = NULL;
    while ((pending = next_pending(core, pending)) != NULL) {
        if (pending->note->is.id == id) found = pending;
    }
    return found;
}

/* How many notes there will be once all waiting entries are stored; of this user, or NULL for all
 * users. */
static size_t count_notes(const struct gz_core *core, const char *user)
{
    size_t count =
        user != NULL ? gz_notebook_count_of(core->notes, user) : gz_notebook_count(core->notes);
    const struct pending_note *pending = NULL;
    while ((pending = next_pending(core, pending)) != NULL) {
        if (user != NULL && strcmp(pending->note->is.user, user) != 0) continue;
        if (pending->is_new) count++;
        if (pending->note->is.gone) count--;
    }
    return count;
}

/* The note as it will be once all waiting entries are stored; NULL if there will be none. */
static const struct gz_note_record *find(const struct gz_core *core, uint64_t id)
{
    const struct pending_note *pending = find_pending(core, id);
    const struct gz_notebook_entry *note =
        pending != NULL ? pending->note : gz_notebook_find(core->notes, id);
    return note != NULL && !note->is.gone ? &note->is : NULL;
}

/* ---- answers ---- */

static void answer(struct gz_session *session, bool has_rid, uint64_t rid, uint64_t note)
{
    struct gz_message asked = {.has = has_rid ? GZ_HAS_RID : 0, .rid = rid};
    struct gz_ok ok = {.note = note};
    gz_session_ok(session, &asked, GZ_HAS_OK_NOTE, &ok);
}

/* Whether the key settles the request: the key is known and the request answered, or the file could
 * not be searched and *status says why. */
static bool answer_known(struct gz_session *session, const struct gz_message *message,
                         const char *key, enum gz_status *status, struct gz_failure *failure)
{
    *status = GZ_OK;
    struct gz_core *core = session->core;
    if (key == NULL) return false;
    struct gz_journal_entry *waiting =
        gz_journal_find(&core->journal, &gz_pending_notes, session->user, key);
    if (waiting != NULL) {
        gz_session_wait(session, waiting, (message->has & GZ_HAS_RID) != 0, message->rid);
        return true;
    }
    uint64_t note;
    const struct gz_core_host *host = &core->options.host;
    *status = host->find_note_key(host->context, session->user, key, &note);
    if (*status != GZ_OK) {
        gz_fail(&failure->error, *status,
                "key: the file cannot be asked whether it was used: try again");
        return true;
    }
    if (note == 0) return false;
    answer(session, (message->has & GZ_HAS_RID) != 0, message->rid, note);
    return true;
}

/* ---- requests ---- */

static enum gz_status refuse_unknown(struct gz_failure *failure, const char *field, uint64_t id)
{
    return gz_fail(&failure->error, GZ_BAD_VALUE, "note.%s: there is no note %llu", field,
                   (unsigned long long)id);
}

/* Sets what the note is pinned to: a node, a point, or a point of a node. The message replaces all
 * of it. */
static enum gz_status pin(const struct gz_core *core, const struct gz_message *message,
                          struct gz_note_record *note, struct gz_failure *failure)
{
    const struct gz_note *said = &message->note;
    bool has_node = (message->has & GZ_HAS_NOTE_NODE) != 0,
         has_point = (message->has & GZ_HAS_NOTE_POINT) != 0;
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
    if ((message->has & GZ_HAS_NOTE_DONE) != 0 || said->gone)
        return gz_fail(&failure->error, GZ_BAD_VALUE, "note.id: %s needs the id of a note",
                       said->gone ? "gone" : "done");
    enum gz_status status = gz_budget_check_room(
        "note", count_notes(core, NULL), count_notes(core, note->user), GZ_NOTES_MAX, failure);
    if (status != GZ_OK) return status;
    if ((message->has & GZ_HAS_NOTE_REPLY) != 0) {
        const struct gz_note_record *other = find(core, said->reply);
        if (other == NULL) return refuse_unknown(failure, "reply", said->reply);
        note->node = other->node;
        note->has_point = other->has_point;
        note->point = other->point;
        note->reply = other->id;
    }
    note->id = core->next_note;
    note->made = core->clock.now.unix_s;
    return pin(core, message, note, failure);
}

static enum gz_status check_author(const struct gz_session *session,
                                   const struct gz_message *message,
                                   const struct gz_note_record *note, struct gz_failure *failure)
{
    bool needs_author =
        (message->has & (GZ_HAS_NOTE_TEXT | GZ_HAS_NOTE_NODE | GZ_HAS_NOTE_POINT)) != 0 ||
        message->note.gone;
    if (!needs_author || session->role >= GZ_ROLE_ADMIN || strcmp(session->user, note->user) == 0)
        return GZ_OK;
    return gz_fail(&failure->error, GZ_FORBIDDEN,
                   "note.id: note %llu is %s's: you may only answer it or mark it as done",
                   (unsigned long long)note->id, note->user);
}

static enum gz_status change(const struct gz_session *session, const struct gz_message *message,
                             struct gz_note_record *note, struct gz_failure *failure)
{
    const struct gz_note *said = &message->note;
    const struct gz_note_record *before = find(session->core, said->note);
    if (before == NULL) return refuse_unknown(failure, "id", said->note);
    if ((message->has & GZ_HAS_NOTE_REPLY) != 0)
        return gz_fail(&failure->error, GZ_BAD_VALUE, "note.reply: cannot be changed");
    enum gz_status status = check_author(session, message, before, failure);
    if (status != GZ_OK) return status;
    const struct gz_note_record said_now = *note;
    *note = *before;
    if ((message->has & GZ_HAS_NOTE_TEXT) != 0) note->text = said_now.text;
    if ((message->has & GZ_HAS_NOTE_DONE) != 0) note->done = said->done;
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

/* The request changes nothing: answers it at once, or with the waiting change that already does
 * it. */
static void answer_unchanged(struct gz_session *session, const struct gz_message *message,
                             uint64_t id)
{
    const struct pending_note *pending = find_pending(session->core, id);
    const bool has_rid = (message->has & GZ_HAS_RID) != 0;
    if (pending != NULL)
        gz_session_wait(session, (struct gz_journal_entry *)&pending->entry, has_rid, message->rid);
    else
        answer(session, has_rid, message->rid, id);
}

enum gz_status gz_on_note(struct gz_session *session, const struct gz_message *message,
                          struct gz_failure *failure)
{
    struct gz_core *core = session->core;
    bool is_new = (message->has & GZ_HAS_NOTE_NOTE) == 0;
    const char *key = (message->has & GZ_HAS_KEY) != 0
                          ? gz_arena_text(&core->scratch, message->key.bytes, message->key.size)
                          : NULL;
    if (key == NULL && (message->has & GZ_HAS_KEY) != 0) return no_memory(failure);
    enum gz_status status;
    if (answer_known(session, message, key, &status, failure)) return status;
    struct gz_note_record note = {
        .user = session->user, .by = session->user, .key = key, .changed = core->clock.now.unix_s};
    note.text = gz_arena_text(&core->scratch, message->note.text.bytes, message->note.text.size);
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
    return GZ_OK;
}

/* ---- to the disk and back ---- */

static bool add_note(const struct gz_journal_entry *entry, struct gz_batch *batch)
{
    struct gz_note_record *note =
        gz_arena_add(&batch->arena, &batch->notes, &batch->note_count, sizeof *note);
    if (note == NULL) return false;
    *note = *gz_pending_note(entry);
    return true;
}

static void accept_note(void *context, struct gz_journal_entry *entry, const struct gz_batch *batch,
                        struct gz_journal_outcome *outcome)
{
    (void)batch;
    struct gz_core *core = context;
    struct pending_note *pending = (struct pending_note *)entry;
    outcome->ok.note = pending->note->is.id;
    outcome->has = GZ_HAS_OK_NOTE;
    gz_notebook_put(core->notes, pending->note);
    pending->note = NULL;
}

static bool refuse_note(void *context, struct gz_journal_entry *entry, const char *why,
                        struct gz_journal_outcome *outcome)
{
    (void)context, (void)entry;
    gz_fail(&outcome->error, GZ_STORAGE, "the note could not be stored: %s", why);
    return true;
}

static void free_note(void *context, struct gz_journal_entry *entry)
{
    (void)context;
    gz_notebook_entry_destroy(((struct pending_note *)entry)->note);
    free(entry);
}

const struct gz_journal_kind gz_pending_notes = {.is_urgent = true,
                                                 .add = add_note,
                                                 .accept = accept_note,
                                                 .refuse = refuse_note,
                                                 .free = free_note};

/* ---- checkpoints ---- */

/* Checkpoints: names for states. A checkpoint, like a note, is neither shown nor
 * usable until it is on the disk. */

/* ---- entries that wait for the disk ---- */

struct pending_checkpoint {
    struct gz_journal_entry entry;
    struct gz_checkpoint_entry *checkpoint;
    char maker[GZ_USER_BYTES_MAX + 1]; /* also of one that is taken away by another user */
};

static const struct gz_journal_kind pending_checkpoints;

/* Allocates all memory now, because nothing may fail once the disk has the entry. */
static enum gz_status checkpoint_append(struct gz_session *session,
                                        const struct gz_message *message,
                                        const struct gz_checkpoint_record *record,
                                        const char *maker, struct gz_failure *failure)
{
    struct pending_checkpoint *pending = calloc(1, sizeof *pending);
    struct gz_checkpoint_entry *checkpoint = gz_checkpoint_entry_create(record);
    if (pending == NULL || checkpoint == NULL) {
        free(checkpoint);
        free(pending);
        return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory for this checkpoint");
    }
    pending->checkpoint = checkpoint;
    snprintf(pending->maker, sizeof pending->maker, "%s", maker);
    pending->entry = (struct gz_journal_entry){
        .kind = &pending_checkpoints,
        .bytes = sizeof *pending + sizeof *checkpoint,
    };
    gz_session_append(session, message, &pending->entry);
    return GZ_OK;
}

static const struct gz_checkpoint_record *record_of(const struct gz_journal_entry *entry)
{
    return &((const struct pending_checkpoint *)entry)->checkpoint->is;
}

/* The checkpoint as it will be once all waiting entries are stored; NULL if there will be none. */
static const struct gz_checkpoint_record *checkpoint_find(const struct gz_core *core,
                                                          struct gz_text name)
{
    const struct gz_checkpoint_entry *stored =
        gz_checkpoint_list_find(core->checkpoints, name.bytes, name.size);
    const struct gz_checkpoint_record *found = stored != NULL ? &stored->is : NULL;
    const struct gz_journal_entry *entry = NULL;
    while ((entry = gz_journal_next(&core->journal, &pending_checkpoints, entry)) != NULL) {
        const struct gz_checkpoint_record *later = record_of(entry);
        if (strlen(later->name) == name.size && memcmp(later->name, name.bytes, name.size) == 0)
            found = later->gone ? NULL : later;
    }
    return found;
}

/* How many checkpoints there will be once all waiting entries are stored; of this user, or NULL for
 * all users. */
static size_t count_checkpoints(const struct gz_core *core, const char *user)
{
    size_t count = user != NULL ? gz_checkpoint_list_count_of(core->checkpoints, user)
                                : gz_checkpoint_list_count(core->checkpoints);
    const struct gz_journal_entry *entry = NULL;
    while ((entry = gz_journal_next(&core->journal, &pending_checkpoints, entry)) != NULL) {
        const char *maker = ((const struct pending_checkpoint *)entry)->maker;
        if (user != NULL && strcmp(maker, user) != 0) continue;
        if (record_of(entry)->gone)
            count--;
        else
            count++;
    }
    return count;
}

/* ---- requests ---- */

static enum gz_status checkpoint_refuse_unknown(const char *field, struct gz_text name,
                                                struct gz_failure *failure)
{
    return gz_fail(&failure->error, GZ_BAD_VALUE, "%s: there is no checkpoint called %.*s", field,
                   (int)name.size, name.bytes);
}

enum gz_status gz_core_find_checkpoint(const struct gz_core *core, struct gz_text name,
                                       uint64_t *seq, struct gz_failure *failure)
{
    const struct gz_checkpoint_entry *stored =
        gz_checkpoint_list_find(core->checkpoints, name.bytes, name.size);
    if (stored == NULL) return checkpoint_refuse_unknown("checkpoint", name, failure);
    *seq = stored->is.seq;
    return GZ_OK;
}

static enum gz_status refuse_past(uint64_t since, struct gz_error *error)
{
    return gz_fail(error, GZ_BAD_VALUE, "checkpoint.seq: the history begins at %llu",
                   (unsigned long long)since);
}

static enum gz_status checkpoint_make(const struct gz_core *core, const struct gz_message *message,
                                      struct gz_checkpoint_record *record,
                                      struct gz_failure *failure)
{
    struct gz_text name = message->checkpoint.name;
    uint64_t now = gz_scene_seq(core->scene);
    const struct gz_checkpoint_record *other = checkpoint_find(core, name);
    record->seq = (message->has & GZ_HAS_CHECKPOINT_SEQ) != 0 ? message->checkpoint.seq : now;
    if (strspn(record->name, "0123456789") == name.size)
        return gz_fail(&failure->error, GZ_BAD_VALUE,
                       "checkpoint.name: a name of digits alone could be mistaken for a seq");
    if (other != NULL)
        return gz_fail(&failure->error, GZ_CONFLICT,
                       "checkpoint.name: %s is taken: %s gave it to seq %llu", other->name,
                       other->user, (unsigned long long)other->seq);
    if (record->seq > now)
        return gz_fail(&failure->error, GZ_BAD_VALUE,
                       "checkpoint.seq: is in the future; the scene is at %llu",
                       (unsigned long long)now);
    uint64_t since = core->options.host.kept_since != NULL
                         ? core->options.host.kept_since(core->options.host.context)
                         : 0;
    if (record->seq < since) return refuse_past(since, &failure->error);
    return gz_budget_check_room("checkpoint", count_checkpoints(core, NULL),
                                count_checkpoints(core, record->user), GZ_CHECKPOINTS_MAX, failure);
}

static enum gz_status unmake(const struct gz_core *core, const struct gz_message *message,
                             struct gz_checkpoint_record *record, const char **maker,
                             struct gz_failure *failure)
{
    const struct gz_checkpoint_record *there = checkpoint_find(core, message->checkpoint.name);
    if ((message->has & GZ_HAS_CHECKPOINT_SEQ) != 0)
        return gz_fail(&failure->error, GZ_BAD_VALUE,
                       "checkpoint.seq: leave it out to delete a checkpoint");
    if (there == NULL)
        return checkpoint_refuse_unknown("checkpoint.name", message->checkpoint.name, failure);
    record->seq = there->seq;
    record->gone = true;
    *maker = there->user;
    return GZ_OK;
}

enum gz_status gz_on_checkpoint(struct gz_session *session, const struct gz_message *message,
                                struct gz_failure *failure)
{
    const struct gz_checkpoint *said = &message->checkpoint;
    struct gz_core *core = session->core;
    char name[GZ_CHECKPOINT_BYTES_MAX + 1];
    memcpy(name, said->name.bytes, said->name.size);
    name[said->name.size] = '\0';
    struct gz_checkpoint_record record = {
        .name = name, .user = session->user, .made = core->clock.now.unix_s};
    const char *maker = session->user;
    enum gz_status status = said->gone ? unmake(core, message, &record, &maker, failure)
                                       : checkpoint_make(core, message, &record, failure);
    return status == GZ_OK ? checkpoint_append(session, message, &record, maker, failure) : status;
}

enum gz_status gz_on_checkpoints(struct gz_session *session, const struct gz_message *message,
                                 struct gz_failure *failure)
{
    const struct gz_checkpoint_list *list = session->core->checkpoints;
    size_t count = gz_checkpoint_list_count(list);
    gz_budget_charge(session, GZ_PRICE_MOVED * count);
    struct gz_checkpoint_state *states =
        gz_arena_take(&session->core->scratch, count, sizeof *states);
    if (states == NULL)
        return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory for the checkpoints");
    for (size_t i = 0; i < count; i++)
        states[i] = gz_describe_checkpoint(&gz_checkpoint_list_at(list, i)->is);
    struct gz_ok ok = {.checkpoints = states, .checkpoint_count = count};
    gz_session_ok(session, message, GZ_HAS_OK_CHECKPOINTS, &ok);
    return GZ_OK;
}

/* ---- to the disk and back ---- */

static bool add_checkpoint(const struct gz_journal_entry *entry, struct gz_batch *batch)
{
    struct gz_checkpoint_record *record =
        gz_arena_add(&batch->arena, &batch->checkpoints, &batch->checkpoint_count, sizeof *record);
    if (record == NULL) return false;
    *record = *record_of(entry);
    return true;
}

/* While the batch was written, the past may have been cut: the store then left out checkpoints of
 * states that are no longer kept. */
static void accept_checkpoint(void *context, struct gz_journal_entry *entry,
                              const struct gz_batch *batch, struct gz_journal_outcome *outcome)
{
    struct gz_core *core = context;
    struct pending_checkpoint *pending = (struct pending_checkpoint *)entry;
    const struct gz_checkpoint_record *record = &pending->checkpoint->is;
    if (!record->gone && record->seq < batch->kept_since) {
        (void)refuse_past(batch->kept_since, &outcome->error);
        return;
    }
    outcome->ok.seq = record->seq;
    outcome->has = GZ_HAS_OK_SEQ;
    gz_checkpoint_list_put(core->checkpoints, pending->checkpoint);
    pending->checkpoint = NULL;
}

static bool refuse_checkpoint(void *context, struct gz_journal_entry *entry, const char *why,
                              struct gz_journal_outcome *outcome)
{
    (void)context, (void)entry;
    gz_fail(&outcome->error, GZ_STORAGE, "the checkpoint could not be stored: %s", why);
    return true;
}

static void free_checkpoint(void *context, struct gz_journal_entry *entry)
{
    (void)context;
    free(((struct pending_checkpoint *)entry)->checkpoint);
    free(entry);
}

static const struct gz_journal_kind pending_checkpoints = {.is_urgent = true,
                                                           .add = add_checkpoint,
                                                           .accept = accept_checkpoint,
                                                           .refuse = refuse_checkpoint,
                                                           .free = free_checkpoint};
