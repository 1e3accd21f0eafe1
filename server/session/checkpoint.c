/* checkpoint.c - checkpoints: names for states. One is nobody's to use, or to see, until it is on
 * the disk, as a note is. */
#include "session/checkpoint.h"

#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"
#include "session/handlers.h"
#include "session/session.h"

/* ---- what waits ---- */

static struct gz_pending_checkpoint *take_oldest(struct gz_core *core)
{
    struct gz_pending_checkpoint *oldest = core->pending_checkpoints;
    core->pending_checkpoints = oldest->next;
    if (core->pending_checkpoints == NULL)
        core->pending_checkpoints_end = &core->pending_checkpoints;
    core->pending_checkpoint_count--;
    return oldest;
}

static void destroy_pending(struct gz_pending_checkpoint *pending)
{
    free(pending->entry);
    free(pending);
}

void gz_core_free_checkpoints(struct gz_core *core)
{
    while (core->pending_checkpoints != NULL) destroy_pending(take_oldest(core));
}

/* Everything that may fail for want of memory is done here, before the disk has it. */
static enum gz_status append(struct gz_session *session, const struct gz_message *message,
                             const struct gz_checkpoint_record *record, struct gz_failure *failure)
{
    struct gz_core *core = session->core;
    struct gz_pending_checkpoint *pending = calloc(1, sizeof *pending);
    if (pending != NULL) pending->entry = gz_checkpoint_entry_create(record);
    if (pending == NULL || pending->entry == NULL) {
        free(pending);
        return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory for this checkpoint");
    }
    pending->waiter =
        (struct gz_waiter){NULL, session->id, message->rid, (message->has & GZ_HAS(RID)) != 0};
    *core->pending_checkpoints_end = pending;
    core->pending_checkpoints_end = &pending->next;
    core->pending_checkpoint_count++;
    return GZ_OK;
}

/* The checkpoint as it will be once all that waits is stored; NULL where there will be none. */
static const struct gz_checkpoint_record *find(const struct gz_core *core, struct gz_text name)
{
    const struct gz_checkpoint_entry *stored =
        gz_checkpoint_list_find(core->checkpoints, name.bytes, name.size);
    const struct gz_checkpoint_record *found = stored != NULL ? &stored->is : NULL;
    const struct gz_pending_checkpoint *pending = core->pending_checkpoints;
    for (; pending != NULL; pending = pending->next) {
        const struct gz_checkpoint_record *later = &pending->entry->is;
        if (strlen(later->name) == name.size && memcmp(later->name, name.bytes, name.size) == 0)
            found = later->gone ? NULL : later;
    }
    return found;
}

/* How many there will be. */
static size_t count_all(const struct gz_core *core)
{
    size_t count = gz_checkpoint_list_count(core->checkpoints);
    const struct gz_pending_checkpoint *pending = core->pending_checkpoints;
    for (; pending != NULL; pending = pending->next) {
        if (pending->entry->is.gone)
            count--;
        else
            count++;
    }
    return count;
}

/* ---- what is asked for ---- */

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

static enum gz_status refuse_past(uint64_t since, struct gz_failure *failure)
{
    return gz_fail(&failure->error, GZ_BAD_VALUE, "checkpoint.seq: the history begins at %llu",
                   (unsigned long long)since);
}

static enum gz_status make(const struct gz_core *core, const struct gz_message *message,
                           struct gz_checkpoint_record *record, struct gz_failure *failure)
{
    struct gz_text name = message->checkpoint.name;
    uint64_t now = gz_scene_seq(core->scene);
    const struct gz_checkpoint_record *other = find(core, name);
    record->seq = (message->has & GZ_HAS(SEQ)) != 0 ? message->checkpoint.seq : now;
    if (strspn(record->name, "0123456789") == name.size)
        return gz_fail(&failure->error, GZ_BAD_VALUE,
                       "checkpoint.name: of digits alone it could be taken for a seq");
    if (other != NULL)
        return gz_fail(&failure->error, GZ_CONFLICT,
                       "checkpoint.name: %s is taken, by %s for seq %llu", other->name, other->user,
                       (unsigned long long)other->seq);
    if (record->seq > now)
        return gz_fail(&failure->error, GZ_BAD_VALUE, "checkpoint.seq: the scene is at %llu",
                       (unsigned long long)now);
    uint64_t since = core->host.kept_since != NULL ? core->host.kept_since(core->host.context) : 0;
    if (record->seq < since) return refuse_past(since, failure);
    if (count_all(core) >= GZ_CHECKPOINTS_MAX)
        return gz_fail(&failure->error, GZ_TOO_MANY, "checkpoint: a scene holds at most %d",
                       GZ_CHECKPOINTS_MAX);
    return GZ_OK;
}

static enum gz_status unmake(const struct gz_core *core, const struct gz_message *message,
                             struct gz_checkpoint_record *record, struct gz_failure *failure)
{
    const struct gz_checkpoint_record *there = find(core, message->checkpoint.name);
    if ((message->has & GZ_HAS(SEQ)) != 0)
        return gz_fail(&failure->error, GZ_BAD_VALUE,
                       "checkpoint.seq: is said of one that is made, not of one to go");
    if (there == NULL) return refuse_unknown("checkpoint.name", message->checkpoint.name, failure);
    record->seq = there->seq;
    record->gone = true;
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
        .name = name, .user = session->user, .made = core->now.unix_s};
    enum gz_status status = said->gone ? unmake(core, message, &record, failure)
                                       : make(core, message, &record, failure);
    return status == GZ_OK ? append(session, message, &record, failure) : status;
}

enum gz_status gz_on_checkpoints(struct gz_session *session, const struct gz_message *message,
                                 struct gz_failure *failure)
{
    const struct gz_checkpoint_list *list = session->core->checkpoints;
    size_t count = gz_checkpoint_list_count(list);
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
    gz_rate_charge(&session->rate, (double)count / GZ_CHECKPOINTS_TOLD_PER_MESSAGE);
    struct gz_ok ok = {.checkpoints = states, .checkpoint_count = count};
    gz_session_ok(session, message, GZ_HAS(CHECKPOINTS), &ok);
    return GZ_OK;
}

/* ---- to the disk and back ---- */

bool gz_core_add_checkpoints(const struct gz_core *core, struct gz_batch *batch)
{
    struct gz_checkpoint_record *records =
        gz_arena_take(&batch->arena, core->pending_checkpoint_count, sizeof *records);
    if (records == NULL) return false;
    const struct gz_pending_checkpoint *pending = core->pending_checkpoints;
    for (; pending != NULL; pending = pending->next) {
        struct gz_checkpoint_record *record = &records[batch->checkpoint_count++];
        *record = pending->entry->is;
        record->name = gz_arena_string(&batch->arena, record->name);
        record->user = gz_arena_string(&batch->arena, record->user);
        if (record->name == NULL || record->user == NULL) return false;
    }
    batch->checkpoints = records;
    return true;
}

static void answer(const struct gz_core *core, const struct gz_pending_checkpoint *pending)
{
    struct gz_session *session = gz_core_session(core, pending->waiter.session);
    if (session == NULL) return;
    struct gz_message asked = {.has = pending->waiter.has_rid ? GZ_HAS(RID) : 0,
                               .rid = pending->waiter.rid};
    struct gz_ok ok = {.seq = pending->entry->is.seq};
    gz_session_ok(session, &asked, GZ_HAS(SEQ), &ok);
}

static void refuse(const struct gz_core *core, const struct gz_pending_checkpoint *pending,
                   const struct gz_failure *failure)
{
    struct gz_session *session = gz_core_session(core, pending->waiter.session);
    if (session != NULL)
        gz_session_refuse(session, pending->waiter.has_rid, pending->waiter.rid, failure, false);
}

static void accept(struct gz_core *core, struct gz_pending_checkpoint *pending)
{
    answer(core, pending);
    gz_checkpoint_list_put(core->checkpoints, pending->entry);
    pending->entry = NULL;
}

void gz_core_accept_checkpoints(struct gz_core *core, uint64_t kept_since)
{
    struct gz_failure late = {.node = 0};
    (void)refuse_past(kept_since, &late);
    while (core->pending_checkpoints != NULL && core->pending_checkpoints->in_batch) {
        struct gz_pending_checkpoint *pending = take_oldest(core);
        if (pending->entry->is.gone || pending->entry->is.seq >= kept_since)
            accept(core, pending);
        else
            refuse(core, pending, &late);
        destroy_pending(pending);
    }
}

void gz_core_refuse_checkpoints(struct gz_core *core, const char *why)
{
    struct gz_failure failure = {.node = 0};
    gz_fail(&failure.error, GZ_STORAGE, "the checkpoint could not be stored: %s", why);
    while (core->pending_checkpoints != NULL) {
        struct gz_pending_checkpoint *pending = take_oldest(core);
        refuse(core, pending, &failure);
        destroy_pending(pending);
    }
}
