/* pending.c - edits that wait for the disk, and the keys that make a repeated request the same
 * edit. See pending.h. */
#include "core/pending.h"

#include <stdlib.h>
#include <string.h>

#include "core/answers.h"
#include "core/session.h"
#include "scene/undo.h"
#include "server/maxima.h"

/* ---- making one ---- */

void gz_pending_destroy(struct gz_pending_edit *pending)
{
    if (pending == NULL) return;
    gz_arena_finish(&pending->arena);
    free(pending->drop);
    free(pending);
}

static bool copy_texts(struct gz_pending_edit *pending, const struct gz_edit_request *request)
{
    pending->edit.user = gz_arena_string(&pending->arena, request->user);
    pending->edit.key = gz_arena_string(&pending->arena, request->key);
    return pending->edit.user != NULL && (request->key == NULL || pending->edit.key != NULL);
}

static bool copy_created(struct gz_pending_edit *pending, struct gz_ids created)
{
    if (created.count == 0) return true;
    uint64_t *ids = gz_arena_take(&pending->arena, created.count, sizeof *ids);
    if (ids == NULL) return false;
    memcpy(ids, created.ids, created.count * sizeof *ids);
    pending->created = (struct gz_ids){ids, created.count};
    return true;
}

/* Copies the changes that change something. */
static bool copy_changes(struct gz_pending_edit *pending, const struct gz_change *changes,
                         size_t count)
{
    struct gz_change *own = gz_changes_copy(&pending->arena, changes, count);
    if (own == NULL) return false;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (gz_change_is_real(&own[i])) own[kept++] = own[i];
    }
    pending->edit.changes = own;
    pending->edit.change_count = kept;
    return true;
}

struct gz_pending_edit *gz_pending_create(struct gz_core *core,
                                          const struct gz_edit_request *request,
                                          const struct gz_change *changes, size_t count)
{
    const uint64_t session = request->session != NULL ? request->session->id : 0;
    struct gz_pending_edit *pending = calloc(1, sizeof *pending);
    if (pending == NULL) return NULL;
    gz_arena_init(&pending->arena, GZ_EDIT_BYTES_MAX);
    const double moment_s = gz_clock_moment(&core->clock);
    pending->asked_s = core->clock.now.mono_s;
    pending->edit = (struct gz_edit_record){
        .kind = request->kind,
        .session = session,
        .epoch = core->epochs.present,
        .target = request->target,
        .reverts = request->reverts,
        .began = moment_s,
        .ended = moment_s,
        .began_seq = gz_scene_seq(core->scene),
    };
    if (!copy_texts(pending, request) || !copy_created(pending, request->created) ||
        !copy_changes(pending, changes, count)) {
        gz_pending_destroy(pending);
        return NULL;
    }
    pending->entry = (struct gz_journal_entry){
        .kind = &gz_pending_edits,
        .waiter = {.session = session, .has_rid = request->has_rid, .rid = request->rid},
        .bytes = pending->arena.used,
        .rows = 1 + 2 * pending->edit.change_count,
        .row_count = request->session != NULL ? &request->session->share->rows_waiting : NULL,
        .user = pending->edit.user,
        .key = pending->edit.key,
    };
    return pending;
}

/* The edit is applied: puts it into the undo log and the journal. */
static void append(struct gz_core *core, struct gz_pending_edit *pending)
{
    gz_journal_append(&core->journal, &pending->entry);
    gz_undo_add(core->undo, &pending->edit);
}

enum gz_status gz_pending_apply(struct gz_core *core, struct gz_pending_edit *pending,
                                uint64_t actor, struct gz_failure *failure)
{
    struct gz_edit_record *edit = &pending->edit;
    enum gz_status status =
        gz_scene_apply(core->scene, edit->changes, edit->change_count, actor, failure);
    if (status != GZ_OK) return status;
    gz_assets_count(&core->assets, edit->changes, edit->change_count);
    edit->id = core->next_edit++;
    edit->seq = gz_scene_seq(core->scene);
    /* An edit that changes no node, such as the import of an empty file, has a seq of its own
     * too. */
    if (edit->seq == edit->began_seq) edit->seq = gz_scene_tick(core->scene);
    append(core, pending);
    return GZ_OK;
}

static void answer_unchanged(const struct gz_edit_request *request)
{
    struct gz_message asked = {.has = request->has_rid ? GZ_HAS_RID : 0, .rid = request->rid};
    gz_session_ok_seq(request->session, &asked);
}

enum gz_status gz_core_spend(const struct gz_core *core, const char *payer, uint64_t bytes,
                             const struct gz_change *changes, size_t count, struct gz_error *error)
{
    bytes += count * GZ_FILE_BYTES_PER_CHANGE;
    for (size_t i = 0; i < count; i++)
        bytes += gz_text_bytes(changes[i].before.name) + gz_text_bytes(changes[i].after.name);
    return gz_host_spend(&core->options.host, payer, bytes, error);
}

enum gz_status gz_core_edit(struct gz_core *core, const struct gz_edit_request *request,
                            const struct gz_change *changes, size_t count,
                            struct gz_failure *failure)
{
    enum gz_status status = gz_journal_check_room(&core->journal, &failure->error);
    if (status != GZ_OK) return status;
    gz_budget_charge(request->session, GZ_PRICE_EDITED * count);
    status = gz_scene_check(core->scene, changes, count, request->session->id, failure);
    if (status == GZ_OK)
        status = gz_core_spend(core, request->session->payer, 0, changes, count, &failure->error);
    if (status != GZ_OK) return status;
    struct gz_pending_edit *pending = gz_pending_create(core, request, changes, count);
    if (pending == NULL) return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory for this edit");
    /* An undo that changes nothing is an edit all the same; otherwise the next undo would be about
     * the same edit again. */
    bool travels = request->kind == GZ_EDIT_UNDO || request->kind == GZ_EDIT_REDO;
    if (pending->edit.change_count == 0 && !travels) {
        gz_pending_destroy(pending);
        answer_unchanged(request);
        return GZ_OK;
    }
    status = gz_pending_apply(core, pending, request->session->id, failure);
    if (status != GZ_OK) gz_pending_destroy(pending);
    return status;
}

enum gz_status gz_core_complete(struct gz_core *core, const struct gz_edit_request *request,
                                const struct gz_edit_record *edit, struct gz_gesture *gesture)
{
    struct gz_pending_edit *pending =
        gz_pending_create(core, request, edit->changes, edit->change_count);
    if (pending == NULL) return GZ_NO_MEMORY;
    struct gz_edit_record *own = &pending->edit;
    own->id = edit->id;
    own->handle = edit->handle;
    own->began = edit->began;
    own->began_seq = edit->began_seq;
    own->seq = edit->seq;
    own->residual = edit->residual;
    memcpy(own->value, edit->value, sizeof own->value);
    own->value_count = edit->value_count;
    pending->drop = gz_gesture_take_drop(gesture);
    append(core, pending);
    return GZ_OK;
}

/* ---- to the disk and back ---- */

static bool add_edit(const struct gz_journal_entry *entry, struct gz_batch *batch)
{
    const struct gz_pending_edit *pending = (const struct gz_pending_edit *)entry;
    struct gz_edit_record *edit =
        gz_arena_add(&batch->arena, &batch->ended, &batch->ended_count, sizeof *edit);
    if (edit == NULL) return false;
    *edit = pending->edit;
    if (pending->import.asset.bytes == NULL) return true;
    struct gz_asset_record *asset =
        gz_arena_add(&batch->arena, &batch->assets, &batch->asset_count, sizeof *asset);
    if (asset != NULL) *asset = pending->import.asset;
    return asset != NULL;
}

/* Fills the `ok` of an edit, and returns the bits of its members. */
static uint64_t describe_ok(const struct gz_edit_record *edit, struct gz_ids created,
                            struct gz_ok *ok)
{
    *ok = (struct gz_ok){.seq = edit->seq, .edit = edit->id, .ids = created};
    return GZ_HAS_OK_SEQ | GZ_HAS_OK_EDIT | (edit->kind == GZ_EDIT_CREATE ? GZ_HAS_OK_IDS : 0);
}

static void accept_edit(void *context, struct gz_journal_entry *entry, const struct gz_batch *batch,
                        struct gz_journal_outcome *outcome)
{
    (void)batch;
    struct gz_core *core = context;
    struct gz_pending_edit *pending = (struct gz_pending_edit *)entry;
    gz_histogram_add(core->options.answers, core->clock.now.mono_s - pending->asked_s);
    outcome->has = describe_ok(&pending->edit, pending->created, &outcome->ok);
    gz_import_accept(&pending->import, &core->assets, &core->options.host);
    gz_core_announce_edit(core, &pending->edit, gz_scene_seq(core->scene));
}

/* False without memory: then nothing changed. */
static bool take_back(struct gz_core *core, const struct gz_edit_record *edit)
{
    struct gz_failure failure = {.node = 0};
    struct gz_arena_mark mark = gz_arena_mark(&core->scratch);
    struct gz_change *back = gz_changes_reverse(&core->scratch, edit->changes, edit->change_count);
    enum gz_status status =
        back == NULL ? GZ_NO_MEMORY
                     : gz_scene_apply(core->scene, back, edit->change_count, 0, &failure);
    if (status == GZ_OK) gz_assets_count(&core->assets, back, edit->change_count);
    gz_arena_go_back(&core->scratch, mark);
    if (status == GZ_NO_MEMORY) return false;
    if (status != GZ_OK)
        gz_log(core->options.log, GZ_ERROR, 0, "%s: edit %llu could not be taken back: %s",
               core->options.scene, (unsigned long long)edit->id, failure.error.message);
    gz_undo_remove(core->undo, edit->id);
    return true;
}

static bool refuse_edit(void *context, struct gz_journal_entry *entry, const char *why,
                        struct gz_journal_outcome *outcome)
{
    struct gz_core *core = context;
    struct gz_pending_edit *pending = (struct gz_pending_edit *)entry;
    if (!take_back(core, &pending->edit)) return false;
    if (pending->drop != NULL) gz_journal_append(&core->journal, pending->drop);
    pending->drop = NULL;
    gz_fail(&outcome->error, GZ_STORAGE, "the edit could not be stored and was taken back: %s",
            why);
    gz_import_refuse(&pending->import, &core->assets, &core->options.host, outcome->error.message);
    return true;
}

static void free_edit(void *context, struct gz_journal_entry *entry)
{
    struct gz_pending_edit *pending = (struct gz_pending_edit *)entry;
    struct gz_core *core = context;
    gz_import_free(&pending->import, &core->options.host);
    gz_pending_destroy(pending);
}

const struct gz_journal_kind gz_pending_edits = {.is_urgent = true,
                                                 .add = add_edit,
                                                 .accept = accept_edit,
                                                 .refuse = refuse_edit,
                                                 .free = free_edit};

/* ---- keys ---- */

static struct gz_ids created_by(struct gz_arena *arena, const struct gz_edit_record *edit)
{
    uint64_t *ids = gz_arena_take(arena, edit->change_count, sizeof *ids);
    size_t count = 0;
    for (size_t i = 0; ids != NULL && i < edit->change_count; i++) {
        if (!edit->changes[i].existed) ids[count++] = edit->changes[i].node;
    }
    return (struct gz_ids){ids, count};
}

/* Fails the request: the file could not say whether an edit has this key, so no edit may be made
 * with it. */
static enum gz_status fail_unknown_key(struct gz_failure *failure, enum gz_status status)
{
    return gz_fail(&failure->error, status,
                   "key: the file cannot be asked whether it was used: try again");
}

/* Finds the stored edit with this key; its id is 0 if there is none. */
static enum gz_status stored_of_key(struct gz_session *session, const char *key,
                                    struct gz_edit_record *edit, struct gz_failure *failure)
{
    const struct gz_core_host *host = &session->core->options.host;
    enum gz_status status =
        host->find_key(host->context, session->user, key, &session->core->scratch, edit);
    return status == GZ_OK ? GZ_OK : fail_unknown_key(failure, status);
}

static void answer_stored(struct gz_session *session, const struct gz_edit_request *request,
                          const struct gz_edit_record *edit)
{
    struct gz_ids created = created_by(&session->core->scratch, edit);
    if (created.ids == NULL) {
        gz_session_end(session, "no memory for the answer");
        return;
    }
    struct gz_message asked = {.has = request->has_rid ? GZ_HAS_RID : 0, .rid = request->rid};
    struct gz_ok ok;
    const uint64_t has = describe_ok(edit, created, &ok);
    gz_session_ok(session, &asked, has, &ok);
}

bool gz_core_answer_known(struct gz_session *session, const struct gz_edit_request *request)
{
    struct gz_journal *journal = &session->core->journal;
    if (request->key == NULL) return false;
    struct gz_journal_entry *entry =
        gz_journal_find(journal, &gz_pending_edits, session->user, request->key);
    if (entry != NULL) {
        gz_session_wait(session, entry, request->has_rid, request->rid);
        return true;
    }
    struct gz_edit_record edit;
    struct gz_failure failure = {.node = 0};
    if (stored_of_key(session, request->key, &edit, &failure) != GZ_OK)
        gz_session_refuse(session, request->has_rid, request->rid, &failure, false);
    else if (edit.id == 0)
        return false;
    else if (request->has_rid)
        answer_stored(session, request, &edit);
    return true;
}

bool gz_core_answer_key(struct gz_session *session, const struct gz_message *message)
{
    char key[GZ_KEY_BYTES_MAX + 1];
    struct gz_edit_request request = gz_edit_request(session, message, GZ_EDIT_SET, key);
    return gz_core_answer_known(session, &request);
}

enum gz_status gz_core_edit_of_key(struct gz_session *session, const struct gz_message *message,
                                   uint64_t *id, struct gz_failure *failure)
{
    char key[GZ_KEY_BYTES_MAX + 1];
    struct gz_edit_request request = gz_edit_request(session, message, GZ_EDIT_SET, key);
    struct gz_edit_record edit = {.id = 0};
    enum gz_status status = GZ_OK;
    if (request.key != NULL) {
        const struct gz_journal_entry *entry =
            gz_journal_find(&session->core->journal, &gz_pending_edits, session->user, key);
        if (entry != NULL)
            edit.id = ((const struct gz_pending_edit *)entry)->edit.id;
        else
            status = stored_of_key(session, key, &edit, failure);
    }
    *id = edit.id;
    return status;
}
