/* checkpoint.c - checkpoints: names for states. A checkpoint, like a note, is neither shown nor
 * usable until it is on the disk. */
#include "session/checkpoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"
#include "session/answers.h"
#include "session/handlers.h"
#include "session/session.h"

/* ---- entries that wait for the disk ---- */

struct pending_checkpoint {
    struct gz_journal_entry entry;
    struct gz_checkpoint_entry *checkpoint;
    char maker[GZ_USER_BYTES_MAX + 1]; /* also of one that is taken away by another user */
};

static const struct gz_journal_kind pending_checkpoints;

/* Allocates all memory now, because nothing may fail once the disk has the entry. */
static enum gz_status append(struct gz_session *session, const struct gz_message *message,
                             const struct gz_checkpoint_record *record, const char *maker,
                             struct gz_failure *failure)
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
static const struct gz_checkpoint_record *find(const struct gz_core *core, struct gz_text name)
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

static enum gz_status refuse_unknown(const char *field, struct gz_text name,
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
    if (stored == NULL) return refuse_unknown("checkpoint", name, failure);
    *seq = stored->is.seq;
    return GZ_OK;
}

static enum gz_status refuse_past(uint64_t since, struct gz_error *error)
{
    return gz_fail(error, GZ_BAD_VALUE, "checkpoint.seq: the history begins at %llu",
                   (unsigned long long)since);
}

static enum gz_status make(const struct gz_core *core, const struct gz_message *message,
                           struct gz_checkpoint_record *record, struct gz_failure *failure)
{
    struct gz_text name = message->checkpoint.name;
    uint64_t now = gz_scene_seq(core->scene);
    const struct gz_checkpoint_record *other = find(core, name);
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
    const struct gz_checkpoint_record *there = find(core, message->checkpoint.name);
    if ((message->has & GZ_HAS_CHECKPOINT_SEQ) != 0)
        return gz_fail(&failure->error, GZ_BAD_VALUE,
                       "checkpoint.seq: leave it out to delete a checkpoint");
    if (there == NULL) return refuse_unknown("checkpoint.name", message->checkpoint.name, failure);
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
                                       : make(core, message, &record, failure);
    return status == GZ_OK ? append(session, message, &record, maker, failure) : status;
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
    for (size_t i = 0; i < count; i++) {
        const struct gz_checkpoint_record *is = &gz_checkpoint_list_at(list, i)->is;
        states[i] = (struct gz_checkpoint_state){.name = {is->name, strlen(is->name)},
                                                 .user = {is->user, strlen(is->user)},
                                                 .seq = is->seq,
                                                 .made = is->made};
    }
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
