/* pending.c - edits that wait for the disk. An edit is applied at once, for everybody to see, and
 * answered when the batch that holds it was committed; the same key meanwhile, or later, is the
 * same edit. */
#include "session/pending.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "scene/undo.h"
#include "server/maxima.h"
#include "session/clock.h"
#include "session/import.h"
#include "session/session.h"

/* ---- pending edits ---- */

void gz_pending_destroy(struct gz_pending *pending)
{
    if (pending == NULL) return;
    gz_arena_finish(&pending->arena);
    free(pending->asset);
    free(pending);
}

void gz_core_free_pending(struct gz_core *core)
{
    while (core->pending != NULL) {
        struct gz_pending *next = core->pending->next;
        gz_host_release(&core->host, core->pending->surfaces_before);
        gz_pending_destroy(core->pending);
        core->pending = next;
    }
    core->pending_end = &core->pending;
    core->pending_count = core->pending_bytes = 0;
}

static bool add_waiter(struct gz_pending *pending, uint64_t session, bool has_rid, uint64_t rid)
{
    struct gz_waiter *waiter = gz_arena_take(&pending->arena, 1, sizeof *waiter);
    if (waiter == NULL) return false;
    *waiter = (struct gz_waiter){pending->waiters, session, rid, has_rid};
    pending->waiters = waiter;
    return true;
}

static bool copy_created(struct gz_pending *pending, struct gz_ids created)
{
    if (created.count == 0) return true;
    uint64_t *ids = gz_arena_take(&pending->arena, created.count, sizeof *ids);
    if (ids == NULL) return false;
    memcpy(ids, created.ids, created.count * sizeof *ids);
    pending->created = (struct gz_ids){ids, created.count};
    return true;
}

/* The changes that change something, as the pending edit's own copies. */
static bool copy_changes(struct gz_pending *pending, const struct gz_change *changes, size_t count)
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

/* Everything that may fail for want of memory, before anything is changed. */
static struct gz_pending *new_pending(struct gz_core *core, const struct gz_edit_request *request,
                                      const struct gz_change *changes, size_t count)
{
    struct gz_pending *pending = calloc(1, sizeof *pending);
    if (pending == NULL) return NULL;
    gz_arena_init(&pending->arena, GZ_EDIT_BYTES_MAX);
    double moment_s = gz_core_moment(core);
    pending->edit = (struct gz_edit_record){
        .kind = request->kind,
        .session = request->session != NULL ? request->session->id : 0,
        .epoch = core->epoch,
        .user = gz_arena_string(&pending->arena, request->user),
        .key = gz_arena_string(&pending->arena, request->key),
        .target = request->target,
        .reverts = request->reverts,
        .began = moment_s,
        .ended = moment_s,
        .began_seq = gz_scene_seq(core->scene),
    };
    bool complete =
        pending->edit.user != NULL && (request->key == NULL || pending->edit.key != NULL) &&
        copy_created(pending, request->created) && copy_changes(pending, changes, count);
    if (complete && request->session != NULL)
        complete = add_waiter(pending, request->session->id, request->has_rid, request->rid);
    if (complete) return pending;
    gz_pending_destroy(pending);
    return NULL;
}

/* The edit is a fact for everybody but the disk. */
static void append_pending(struct gz_core *core, struct gz_pending *pending)
{
    *core->pending_end = pending;
    core->pending_end = &pending->next;
    core->pending_count++;
    core->pending_bytes += pending->bytes = pending->arena.used;
    gz_undo_add(core->undo, &pending->edit);
}

static enum gz_status apply(struct gz_core *core, struct gz_pending *pending, uint64_t actor,
                            struct gz_failure *failure)
{
    struct gz_edit_record *edit = &pending->edit;
    enum gz_status status =
        gz_scene_apply(core->scene, edit->changes, edit->change_count, actor, failure);
    if (status != GZ_OK) return status;
    edit->id = core->next_edit++;
    edit->seq = gz_scene_seq(core->scene);
    /* An import of an empty file, or an undo of what is so already, changes no node and is an edit
     * all the same: each has a seq of its own. */
    if (edit->seq == edit->began_seq) edit->seq = gz_scene_tick(core->scene);
    append_pending(core, pending);
    return GZ_OK;
}

enum gz_status gz_core_check_room(const struct gz_core *core, struct gz_failure *failure)
{
    size_t waiting = core->pending_count + core->note_waiter_count + core->pending_checkpoint_count;
    if (waiting < GZ_PENDING_EDITS_MAX && core->pending_bytes < GZ_EDIT_BYTES_MAX) return GZ_OK;
    return gz_fail(&failure->error, GZ_TOO_MANY, "%zu edits wait for the disk already", waiting);
}

static void answer_unchanged(const struct gz_core *core, const struct gz_edit_request *request)
{
    struct gz_message asked = {.has = request->has_rid ? GZ_HAS(RID) : 0, .rid = request->rid};
    struct gz_ok ok = {.seq = gz_scene_seq(core->scene)};
    gz_session_ok(request->session, &asked, GZ_HAS(SEQ), &ok);
}

enum gz_status gz_core_edit(struct gz_core *core, const struct gz_edit_request *request,
                            const struct gz_change *changes, size_t count,
                            struct gz_failure *failure)
{
    enum gz_status status = gz_core_check_room(core, failure);
    if (status != GZ_OK) return status;
    status = gz_scene_check(core->scene, changes, count, request->session->id, failure);
    if (status != GZ_OK) return status;
    struct gz_pending *pending = new_pending(core, request, changes, count);
    if (pending == NULL) return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory for this edit");
    /* An undo that finds everything as it would make it is done all the same: else the next would
     * be about it again. */
    bool travels = request->kind == GZ_EDIT_UNDO || request->kind == GZ_EDIT_REDO;
    if (pending->edit.change_count == 0 && !travels) {
        gz_pending_destroy(pending);
        answer_unchanged(core, request);
        return GZ_OK;
    }
    gz_rate_charge(&request->session->rate,
                   (double)pending->edit.change_count / GZ_NODES_EDITED_PER_MESSAGE);
    status = apply(core, pending, request->session->id, failure);
    if (status != GZ_OK) gz_pending_destroy(pending);
    return status;
}

/* The import is no session's: whatever anybody holds is in its way, and no session is said to have
 * made it. */
static enum gz_status apply_import(struct gz_core *core, struct gz_pending *pending,
                                   struct gz_failure *failure)
{
    const struct gz_edit_record *edit = &pending->edit;
    enum gz_status status =
        gz_scene_check(core->scene, edit->changes, edit->change_count, GZ_ID_LIMIT, failure);
    return status == GZ_OK ? apply(core, pending, 0, failure) : status;
}

enum gz_status gz_core_edit_import(struct gz_core *core, const struct gz_core_import *import,
                                   const struct gz_change *changes, size_t count,
                                   struct gz_failure *failure)
{
    struct gz_edit_request request = {.user = import->user, .kind = GZ_EDIT_IMPORT};
    enum gz_status status = gz_core_check_room(core, failure);
    if (status != GZ_OK) return status;
    struct gz_pending *pending = new_pending(core, &request, changes, count);
    if (pending == NULL) return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory for this import");
    pending->done = import->done;
    pending->context = import->context;
    status = apply_import(core, pending, failure);
    if (status != GZ_OK) {
        gz_pending_destroy(pending);
        return status;
    }
    pending->asset = import->asset;
    pending->asset_size = import->asset_size;
    pending->asset_seq_before = core->asset_seq;
    pending->surfaces_before = core->surfaces;
    core->asset_seq = pending->edit.seq;
    core->surfaces = import->surfaces;
    return GZ_OK;
}

enum gz_status gz_core_complete(struct gz_core *core, const struct gz_edit_request *request,
                                const struct gz_edit_record *edit, bool begun)
{
    struct gz_pending *pending = new_pending(core, request, edit->changes, edit->change_count);
    if (pending == NULL) return GZ_NO_MEMORY;
    pending->begun = begun;
    struct gz_edit_record *own = &pending->edit;
    own->id = edit->id;
    own->handle = edit->handle;
    own->began = edit->began;
    own->began_seq = edit->began_seq;
    own->seq = edit->seq;
    own->residual = edit->residual;
    memcpy(own->value, edit->value, sizeof own->value);
    own->value_count = edit->value_count;
    append_pending(core, pending);
    return GZ_OK;
}

void gz_core_drop(struct gz_core *core, uint64_t edit)
{
    assert(core->dropped_count < core->dropped_capacity);
    core->dropped[core->dropped_count++] = edit;
}

/* ---- keys ---- */

void gz_session_edit_ok(struct gz_session *session, uint64_t rid, const struct gz_edit_record *edit,
                        struct gz_ids created)
{
    struct gz_message asked = {.has = GZ_HAS(RID), .rid = rid};
    struct gz_ok ok = {.seq = edit->seq, .edit = edit->id, .ids = created};
    uint64_t has = GZ_HAS(SEQ) | GZ_HAS(EDIT);
    if (edit->kind == GZ_EDIT_CREATE) has |= GZ_HAS(IDS);
    gz_session_ok(session, &asked, has, &ok);
}

static struct gz_ids created_by(struct gz_arena *arena, const struct gz_edit_record *edit)
{
    uint64_t *ids = gz_arena_take(arena, edit->change_count, sizeof *ids);
    size_t count = 0;
    for (size_t i = 0; ids != NULL && i < edit->change_count; i++) {
        if (!edit->changes[i].existed) ids[count++] = edit->changes[i].node;
    }
    return (struct gz_ids){ids, count};
}

/* The edit of this user with this key that waits for the disk, or NULL. */
static struct gz_pending *pending_of_key(struct gz_session *session, const char *key)
{
    for (struct gz_pending *pending = session->core->pending; pending != NULL;
         pending = pending->next) {
        const struct gz_edit_record *edit = &pending->edit;
        if (edit->key != NULL && strcmp(edit->key, key) == 0 &&
            strcmp(edit->user, session->user) == 0)
            return pending;
    }
    return NULL;
}

/* Nobody knows whether an edit has this key, so that nothing may be done under it. */
static enum gz_status fail_unknown_key(struct gz_failure *failure, enum gz_status status)
{
    return gz_fail(&failure->error, status,
                   "key: the disk does not say whether it is taken; ask again");
}

/* The stored edit with this key; its id is 0 if there is none. */
static enum gz_status stored_of_key(struct gz_session *session, const char *key,
                                    struct gz_edit_record *edit, struct gz_failure *failure)
{
    struct gz_core *core = session->core;
    enum gz_status status =
        core->host.find_key(core->host.context, session->user, key, &core->scratch, edit);
    return status == GZ_OK ? GZ_OK : fail_unknown_key(failure, status);
}

bool gz_core_answer_known(struct gz_session *session, const struct gz_edit_request *request)
{
    struct gz_core *core = session->core;
    if (request->key == NULL) return false;
    struct gz_pending *pending = pending_of_key(session, request->key);
    if (pending != NULL) {
        if (!add_waiter(pending, session->id, request->has_rid, request->rid))
            gz_session_end(session, "no memory to answer it");
        return true;
    }
    struct gz_edit_record edit;
    struct gz_failure failure = {.node = 0};
    if (stored_of_key(session, request->key, &edit, &failure) != GZ_OK) {
        gz_session_refuse(session, request->has_rid, request->rid, &failure, false);
        return true;
    }
    if (edit.id == 0) return false;
    if (!request->has_rid) return true;
    struct gz_ids created = created_by(&core->scratch, &edit);
    if (created.ids != NULL)
        gz_session_edit_ok(session, request->rid, &edit, created);
    else
        gz_session_end(session, "no memory to answer it");
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
    struct gz_pending *pending = request.key != NULL ? pending_of_key(session, key) : NULL;
    struct gz_edit_record edit = {.id = pending != NULL ? pending->edit.id : 0};
    enum gz_status status = GZ_OK;
    if (request.key != NULL && pending == NULL)
        status = stored_of_key(session, key, &edit, failure);
    *id = edit.id;
    return status;
}
