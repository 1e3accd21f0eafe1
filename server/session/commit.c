/* Edits on their way to the disk. An edit is applied at once, for everybody to see, and answered when the batch that holds it
 * was committed. What the disk refuses is taken back, newest first, at every viewer. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "session/session.h"

/* ---- pending edits ---- */

static void free_pending(struct gz_pending *pending)
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
        free_pending(core->pending);
        core->pending = next;
    }
    core->pending_end = &core->pending;
    core->pending_count = core->pending_bytes = 0;
}

static char *copy_string(struct gz_arena *arena, const char *text)
{
    if (text == NULL) return NULL;
    size_t size = strlen(text) + 1;
    char *copy = gz_arena_take(arena, size, 1);
    return copy != NULL ? memcpy(copy, text, size) : NULL;
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
static struct gz_pending *new_pending(const struct gz_core *core, const struct gz_edit_request *request,
                                      const struct gz_change *changes, size_t count)
{
    struct gz_pending *pending = calloc(1, sizeof *pending);
    if (pending == NULL) return NULL;
    gz_arena_init(&pending->arena, GZ_EDIT_BYTES_MAX);
    pending->edit = (struct gz_edit_record){
        .kind = request->kind,
        .session = request->session != NULL ? request->session->id : 0,
        .epoch = core->epoch,
        .user = copy_string(&pending->arena, request->user),
        .key = copy_string(&pending->arena, request->key),
        .target = request->target,
        .began = core->now.unix_s,
        .ended = core->now.unix_s,
        .began_seq = gz_scene_seq(core->scene),
    };
    bool complete = pending->edit.user != NULL && (request->key == NULL || pending->edit.key != NULL) &&
                    copy_created(pending, request->created) && copy_changes(pending, changes, count);
    if (complete && request->session != NULL)
        complete = add_waiter(pending, request->session->id, request->has_rid, request->rid);
    if (complete) return pending;
    free_pending(pending);
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
    enum gz_status status = gz_scene_apply(core->scene, edit->changes, edit->change_count, actor, &failure->node,
                                           &failure->holder, &failure->error);
    if (status != GZ_OK) return status;
    edit->id = core->next_edit++;
    edit->seq = gz_scene_seq(core->scene);
    /* An import of an empty file changes no node and is an edit all the same: each has a seq of its own. */
    if (edit->seq == edit->began_seq) edit->seq = gz_scene_tick(core->scene);
    append_pending(core, pending);
    return GZ_OK;
}

static enum gz_status check_room(const struct gz_core *core, struct gz_failure *failure)
{
    if (core->pending_count < GZ_PENDING_EDITS_MAX && core->pending_bytes < GZ_EDIT_BYTES_MAX) return GZ_OK;
    return gz_fail(&failure->error, GZ_TOO_MANY, "%zu edits wait for the disk already", core->pending_count);
}

static void answer_unchanged(const struct gz_core *core, const struct gz_edit_request *request)
{
    struct gz_message asked = {.has = request->has_rid ? GZ_HAS(RID) : 0, .rid = request->rid};
    struct gz_ok ok = {.seq = gz_scene_seq(core->scene)};
    gz_session_ok(request->session, &asked, GZ_HAS(SEQ), &ok);
}

enum gz_status gz_core_edit(struct gz_core *core, const struct gz_edit_request *request,
                            const struct gz_change *changes, size_t count, struct gz_failure *failure)
{
    enum gz_status status = check_room(core, failure);
    if (status != GZ_OK) return status;
    status = gz_scene_check(core->scene, changes, count, request->session->id, &failure->node, &failure->holder,
                            &failure->error);
    if (status != GZ_OK) return status;
    struct gz_pending *pending = new_pending(core, request, changes, count);
    if (pending == NULL) return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory for this edit");
    if (pending->edit.change_count == 0) {
        free_pending(pending);
        answer_unchanged(core, request);
        return GZ_OK;
    }
    status = apply(core, pending, request->session->id, failure);
    if (status != GZ_OK) free_pending(pending);
    return status;
}

/* The import is no session's: whatever anybody holds is in its way, and no session is said to have made it. */
static enum gz_status apply_import(struct gz_core *core, struct gz_pending *pending, struct gz_failure *failure)
{
    const struct gz_edit_record *edit = &pending->edit;
    enum gz_status status = gz_scene_check(core->scene, edit->changes, edit->change_count, GZ_ID_LIMIT, &failure->node,
                                           &failure->holder, &failure->error);
    return status == GZ_OK ? apply(core, pending, 0, failure) : status;
}

enum gz_status gz_core_edit_import(struct gz_core *core, const struct gz_core_import *import,
                                   const struct gz_change *changes, size_t count, struct gz_failure *failure)
{
    struct gz_edit_request request = {.user = import->user, .kind = GZ_EDIT_IMPORT};
    enum gz_status status = check_room(core, failure);
    if (status != GZ_OK) return status;
    struct gz_pending *pending = new_pending(core, &request, changes, count);
    uint8_t *asset = malloc(import->asset_size + 1);
    if (pending == NULL || asset == NULL) {
        free_pending(pending);
        free(asset);
        return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory for this import");
    }
    if (import->asset_size > 0) memcpy(asset, import->asset, import->asset_size);
    pending->asset = asset;
    pending->asset_size = import->asset_size;
    pending->done = import->done;
    pending->context = import->context;
    status = apply_import(core, pending, failure);
    if (status != GZ_OK) {
        free_pending(pending);
        return status;
    }
    pending->asset_seq_before = core->asset_seq;
    core->asset_seq = pending->edit.seq;
    return GZ_OK;
}

enum gz_status gz_core_complete(struct gz_core *core, const struct gz_edit_request *request,
                                const struct gz_edit_record *edit, enum gz_run_told told)
{
    struct gz_pending *pending = new_pending(core, request, edit->changes, edit->change_count);
    if (pending == NULL) return GZ_NO_MEMORY;
    pending->begun = told != GZ_UNTOLD;
    struct gz_edit_record *own = &pending->edit;
    own->id = edit->id;
    own->handle = edit->handle;
    own->began = edit->began;
    own->began_seq = edit->began_seq;
    own->seq = edit->seq;
    own->residual = edit->residual;
    append_pending(core, pending);
    return GZ_OK;
}

/* ---- keys ---- */

static void send_edit_ok(struct gz_session *session, uint64_t rid, const struct gz_edit_record *edit,
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

bool gz_core_answer_known(struct gz_session *session, const struct gz_edit_request *request)
{
    struct gz_core *core = session->core;
    if (request->key == NULL) return false;
    for (struct gz_pending *pending = core->pending; pending != NULL; pending = pending->next) {
        if (pending->edit.key == NULL || strcmp(pending->edit.key, request->key) != 0) continue;
        if (strcmp(pending->edit.user, session->user) != 0) continue;
        if (!add_waiter(pending, session->id, request->has_rid, request->rid))
            gz_session_end(session, "no memory to answer it");
        return true;
    }
    struct gz_edit_record edit;
    if (!core->host.find_key(core->host.context, session->user, request->key, &core->scratch, &edit)) return false;
    if (request->has_rid) send_edit_ok(session, request->rid, &edit, created_by(&core->scratch, &edit));
    return true;
}

bool gz_core_answer_key(struct gz_session *session, const struct gz_message *message)
{
    char key[GZ_KEY_BYTES_MAX + 1];
    struct gz_edit_request request = gz_edit_request(session, message, GZ_EDIT_SET, key);
    return gz_core_answer_known(session, &request);
}

/* ---- what else is to be stored ---- */

static bool make_room(void *array, size_t *capacity, size_t count, size_t size)
{
    if (count <= *capacity) return true;
    size_t wanted = *capacity > 0 ? *capacity : 16;
    while (wanted < count) wanted *= 2;
    void **memory = array;
    void *grown = realloc(*memory, wanted * size);
    if (grown == NULL) return false;
    *memory = grown;
    *capacity = wanted;
    return true;
}

void gz_core_drop(struct gz_core *core, uint64_t edit)
{
    assert(core->dropped_count < core->dropped_capacity);
    core->dropped[core->dropped_count++] = edit;
}

bool gz_core_visit(struct gz_core *core, const struct gz_session *session, bool left)
{
    if (!make_room(&core->visits, &core->visit_capacity, core->visit_count + 1, sizeof *core->visits)) return false;
    struct gz_visit *visit = &core->visits[core->visit_count++];
    *visit = (struct gz_visit){session->id, "", session->role, core->now.unix_s, left};
    memcpy(visit->user, session->user, sizeof visit->user);
    return true;
}

/* ---- the batch ---- */

struct placed_node {
    const struct gz_node *node;
    size_t depth;
};

static int compare_places(const void *a, const void *b)
{
    const struct placed_node *x = a, *y = b;
    if (x->depth != y->depth) return x->depth < y->depth ? -1 : 1;
    return (x->node->seq > y->node->seq) - (x->node->seq < y->node->seq);
}

/* The nodes that changed since the last batch, parents first: a parent may have changed later than its child. */
static struct placed_node *changed_nodes(struct gz_core *core, size_t *count)
{
    const struct gz_node *first = gz_scene_after(core->scene, core->stored_seq);
    *count = 0;
    for (const struct gz_node *node = first; node != NULL; node = node->newer) ++*count;
    gz_arena_reset(&core->scratch, GZ_EDIT_BYTES_MAX);
    struct placed_node *places = gz_arena_take(&core->scratch, *count, sizeof *places);
    if (places == NULL) return NULL;
    struct placed_node *next = places;
    for (const struct gz_node *node = first; node != NULL; node = node->newer, next++) {
        next->node = node;
        for (const struct gz_node *above = node->parent; above != NULL; above = above->parent) next->depth++;
    }
    qsort(places, *count, sizeof *places, compare_places);
    return places;
}

static bool add_nodes(struct gz_core *core, struct gz_batch *batch)
{
    size_t count;
    struct placed_node *places = changed_nodes(core, &count);
    struct gz_node_record *records = gz_arena_take(&batch->arena, count, sizeof *records);
    if (places == NULL || records == NULL) return false;
    for (size_t i = 0; i < count; i++) {
        const struct gz_node *node = places[i].node;
        records[i] = (struct gz_node_record){.id = node->id, .seq = node->seq, .gone = node->gone};
        gz_node_content(node, &records[i].content);
        records[i].content.name = copy_string(&batch->arena, node->name);
        if (records[i].content.name == NULL) return false;
    }
    batch->nodes = records;
    batch->node_count = count;
    return true;
}

/* A run that moved for the first time: who began what, and where its nodes were. */
static bool describe_run(struct gz_core *core, struct gz_batch *batch, const struct gz_session *session,
                         struct gz_edit_record *record)
{
    const struct gz_run *run = &session->run;
    struct gz_change *changes = gz_arena_take(&batch->arena, run->count, sizeof *changes);
    if (changes == NULL) return false;
    for (size_t i = 0; i < run->count; i++) {
        struct gz_change *change = &changes[i];
        *change = (struct gz_change){.node = run->targets[i].id, .existed = true, .exists = true};
        gz_node_content(gz_scene_find(core->scene, change->node), &change->after);
        change->after.name = copy_string(&batch->arena, change->after.name);
        change->before = change->after;
        change->before.trs = run->targets[i].start.local;
        if (change->after.name == NULL) return false;
    }
    *record = (struct gz_edit_record){
        .id = run->edit,
        .kind = run->kind == GZ_RUN_WHEEL ? GZ_EDIT_WHEEL : gz_handle_kind(run->drag.handle),
        .handle = run->kind == GZ_RUN_WHEEL ? GZ_HANDLE_NONE : run->drag.handle,
        .session = session->id,
        .epoch = core->epoch,
        .user = copy_string(&batch->arena, session->user),
        .began = run->began,
        .began_seq = run->began_seq,
        .changes = changes,
        .change_count = run->count,
    };
    return record->user != NULL;
}

static bool is_stored(const struct gz_run *run)
{
    return (run->kind == GZ_RUN_DRAG || run->kind == GZ_RUN_WHEEL) && run->moved;
}

static size_t sample_run(const struct gz_core *core, const struct gz_run *run, struct gz_sample_record *samples)
{
    size_t count = 0;
    for (size_t i = 0; i < run->count; i++) {
        const struct gz_node *node = gz_scene_find(core->scene, run->targets[i].id);
        if (node->seq <= core->stored_seq) continue;
        samples[count++] = (struct gz_sample_record){run->edit, node->id, node->seq, core->now.unix_s, node->trs};
    }
    return count;
}

static bool add_runs(struct gz_core *core, struct gz_batch *batch)
{
    size_t runs = 0, targets = 0;
    for (struct gz_session *session = core->sessions; session != NULL; session = session->next) {
        if (!is_stored(&session->run)) continue;
        runs++;
        targets += session->run.count;
    }
    struct gz_edit_record *begun = gz_arena_take(&batch->arena, runs, sizeof *begun);
    struct gz_sample_record *samples = gz_arena_take(&batch->arena, targets, sizeof *samples);
    if (begun == NULL || samples == NULL) return false;
    for (struct gz_session *session = core->sessions; session != NULL; session = session->next) {
        if (!is_stored(&session->run)) continue;
        if (session->run.told == GZ_UNTOLD && !describe_run(core, batch, session, &begun[batch->begun_count++]))
            return false;
        batch->sample_count += sample_run(core, &session->run, samples + batch->sample_count);
    }
    batch->begun = begun;
    batch->samples = samples;
    return true;
}

static bool copy_edit(struct gz_arena *arena, const struct gz_edit_record *edit, struct gz_edit_record *copy)
{
    *copy = *edit;
    copy->user = copy_string(arena, edit->user);
    copy->key = copy_string(arena, edit->key);
    copy->changes = gz_changes_copy(arena, edit->changes, edit->change_count);
    return copy->user != NULL && copy->changes != NULL && (edit->key == NULL || copy->key != NULL);
}

static bool add_ended(struct gz_core *core, struct gz_batch *batch)
{
    struct gz_edit_record *ended = gz_arena_take(&batch->arena, core->pending_count, sizeof *ended);
    if (ended == NULL) return false;
    for (struct gz_pending *pending = core->pending; pending != NULL; pending = pending->next) {
        if (!copy_edit(&batch->arena, &pending->edit, &ended[batch->ended_count++])) return false;
        if (pending->asset == NULL) continue;
        batch->asset = pending->asset; /* outlives the batch: the pending edit waits for its answer */
        batch->asset_size = pending->asset_size;
        batch->asset_seq = pending->edit.seq;
    }
    batch->ended = ended;
    return true;
}

static bool add_visits(struct gz_core *core, struct gz_batch *batch)
{
    struct gz_session_record *joined = gz_arena_take(&batch->arena, core->visit_count, sizeof *joined);
    struct gz_session_record *left = gz_arena_take(&batch->arena, core->visit_count, sizeof *left);
    uint64_t *dropped = gz_arena_take(&batch->arena, core->dropped_count, sizeof *dropped);
    if (joined == NULL || left == NULL || dropped == NULL) return false;
    for (size_t i = 0; i < core->visit_count; i++) {
        const struct gz_visit *visit = &core->visits[i];
        const char *user = copy_string(&batch->arena, visit->user);
        if (user == NULL) return false;
        struct gz_session_record record = {visit->session, user, visit->role, visit->time};
        if (visit->left) left[batch->left_count++] = record;
        if (!visit->left) joined[batch->joined_count++] = record;
    }
    if (core->dropped_count > 0) memcpy(dropped, core->dropped, core->dropped_count * sizeof *dropped);
    batch->joined = joined;
    batch->left = left;
    batch->dropped = dropped;
    batch->dropped_count = core->dropped_count;
    return true;
}

/* So that ending a run needs no memory: every run that the store has been told of by this batch can be dropped. */
static bool reserve_drops(struct gz_core *core)
{
    size_t runs = core->session_count + core->pending_count;
    return make_room(&core->dropped, &core->dropped_capacity, core->dropped_count + runs, sizeof *core->dropped);
}

static struct gz_batch *build_batch(struct gz_core *core)
{
    struct gz_batch *batch = reserve_drops(core) ? gz_batch_create() : NULL;
    if (batch == NULL) return NULL;
    batch->seq = gz_scene_seq(core->scene);
    batch->time = core->now.unix_s;
    batch->next_node = gz_scene_next_id(core->scene);
    batch->next_edit = core->next_edit;
    if (add_nodes(core, batch) && add_runs(core, batch) && add_ended(core, batch) && add_visits(core, batch))
        return batch;
    gz_batch_destroy(batch);
    return NULL;
}

static void mark_sent(struct gz_core *core)
{
    for (struct gz_pending *pending = core->pending; pending != NULL; pending = pending->next) pending->in_batch = true;
    for (struct gz_session *session = core->sessions; session != NULL; session = session->next) {
        if (is_stored(&session->run) && session->run.told == GZ_UNTOLD) session->run.told = GZ_TELLING;
    }
    core->visits_in_batch = core->visit_count;
    core->dropped_in_batch = core->dropped_count;
}

static bool has_news(const struct gz_core *core)
{
    return core->pending != NULL || core->visit_count > 0 || core->dropped_count > 0 ||
           gz_scene_seq(core->scene) != core->stored_seq;
}

double gz_core_commit_due(const struct gz_core *core)
{
    if (core->committing || !has_news(core)) return INFINITY;
    if (core->failing) return core->commit_s + GZ_RETRY_MS / 1000.0;
    return core->pending != NULL ? -INFINITY : core->commit_s + GZ_SAMPLE_MS_MIN / 1000.0;
}

void gz_core_commit(struct gz_core *core)
{
    if (core->now.mono_s < gz_core_commit_due(core)) return;
    core->commit_s = core->now.mono_s;
    struct gz_batch *batch = build_batch(core);
    if (batch == NULL) {
        core->failing = true; /* no memory now: tried again after a while */
        return;
    }
    mark_sent(core);
    core->committing = true;
    core->host.commit(core->host.context, batch);
}

/* ---- the answer ---- */

static void broadcast(struct gz_core *core, const struct gz_edit_record *edit)
{
    gz_arena_reset(&core->scratch, GZ_EDIT_BYTES_MAX);
    uint64_t *ids = gz_arena_take(&core->scratch, edit->change_count, sizeof *ids);
    if (ids == NULL) return;
    for (size_t i = 0; i < edit->change_count; i++) ids[i] = edit->changes[i].node;
    struct gz_message message = {.op = GZ_OP_EDIT};
    message.edit = (struct gz_edit_message){
        .id = edit->id,
        .by = edit->session,
        .seq = edit->seq,
        .user = {edit->user, strlen(edit->user)},
        .kind = edit->kind,
        .handle = edit->handle,
        .nodes = {ids, edit->change_count},
        .residual = edit->residual,
        .began = edit->began,
        .ended = edit->ended,
    };
    if (edit->handle != GZ_HANDLE_NONE) message.edit.has |= GZ_HAS(HANDLE);
    if (edit->residual > 0) message.edit.has |= GZ_HAS(RESIDUAL);
    if (gz_sync_edit(core->sync, &message) != GZ_OK)
        gz_log(core->log, GZ_WARN, 0, "%s: no memory to tell of edit %llu", core->name, (unsigned long long)edit->id);
}

static void answer_committed(struct gz_core *core, struct gz_pending *pending)
{
    for (struct gz_waiter *waiter = pending->waiters; waiter != NULL; waiter = waiter->next) {
        struct gz_session *session = gz_core_session(core, waiter->session);
        if (session != NULL && waiter->has_rid) send_edit_ok(session, waiter->rid, &pending->edit, pending->created);
    }
    if (pending->done != NULL) pending->done(pending->context, GZ_OK, "");
    broadcast(core, &pending->edit);
}

static void forget_stored(struct gz_core *core, uint64_t seq)
{
    core->visit_count -= core->visits_in_batch;
    core->dropped_count -= core->dropped_in_batch;
    if (core->visit_count > 0)
        memmove(core->visits, core->visits + core->visits_in_batch, core->visit_count * sizeof *core->visits);
    if (core->dropped_count > 0)
        memmove(core->dropped, core->dropped + core->dropped_in_batch, core->dropped_count * sizeof *core->dropped);
    core->stored_seq = seq;
    gz_scene_stored(core->scene, seq);
}

static void set_told(struct gz_core *core, enum gz_run_told told)
{
    for (struct gz_session *session = core->sessions; session != NULL; session = session->next) {
        if (session->run.told == GZ_TELLING) session->run.told = told;
    }
}

static void accept_batch(struct gz_core *core, uint64_t seq)
{
    forget_stored(core, seq);
    set_told(core, GZ_TOLD);
    gz_sync_saved(core->sync, seq);
    while (core->pending != NULL && core->pending->in_batch) {
        struct gz_pending *pending = core->pending;
        core->pending = pending->next;
        if (core->pending == NULL) core->pending_end = &core->pending;
        core->pending_count--;
        core->pending_bytes -= pending->bytes;
        answer_committed(core, pending);
        free_pending(pending);
    }
}

static void refuse_pending(struct gz_core *core, const struct gz_pending *pending, const char *why)
{
    struct gz_failure failure = {.node = 0};
    gz_fail(&failure.error, GZ_STORAGE, "the edit was taken back, it could not be stored: %s", why);
    for (struct gz_waiter *waiter = pending->waiters; waiter != NULL; waiter = waiter->next) {
        struct gz_session *session = gz_core_session(core, waiter->session);
        if (session != NULL) gz_session_refuse(session, waiter->has_rid, waiter->rid, &failure, false);
    }
    if (pending->asset == NULL) return;
    core->asset_seq = pending->asset_seq_before;
    pending->done(pending->context, GZ_STORAGE, failure.error.message);
}

static bool touches(const struct gz_pending *pending, const struct gz_run *run)
{
    for (; pending != NULL; pending = pending->next) {
        for (size_t i = 0; i < pending->edit.change_count; i++) {
            for (size_t j = 0; j < run->count; j++) {
                if (run->ids[j] == pending->edit.changes[i].node) return true;
            }
        }
    }
    return false;
}

/* A drag that began on what is now taken back has lost its ground. */
static void cancel_runs_on_pending(struct gz_core *core, const char *why)
{
    for (struct gz_session *session = core->sessions; session != NULL; session = session->next) {
        if (!touches(core->pending, &session->run)) continue;
        gz_run_cancel(session);
        struct gz_failure failure = {.node = 0};
        gz_fail(&failure.error, GZ_STORAGE, "the drag ended, what it began on could not be stored: %s", why);
        gz_session_refuse(session, false, 0, &failure, false);
    }
}

/* False without memory: then nothing changed. */
static bool take_back(struct gz_core *core, const struct gz_edit_record *edit)
{
    struct gz_failure failure = {.node = 0};
    gz_arena_reset(&core->scratch, GZ_EDIT_BYTES_MAX);
    struct gz_change *back = gz_changes_reverse(&core->scratch, edit->changes, edit->change_count);
    enum gz_status status = back == NULL ? GZ_NO_MEMORY
                                         : gz_scene_apply(core->scene, back, edit->change_count, 0, &failure.node,
                                                          &failure.holder, &failure.error);
    if (status == GZ_NO_MEMORY) return false;
    if (status != GZ_OK)
        gz_log(core->log, GZ_ERROR, 0, "%s: edit %llu could not be taken back: %s", core->name,
               (unsigned long long)edit->id, failure.error.message);
    gz_undo_remove(core->undo, edit->id);
    return true;
}

static struct gz_pending *reverse_pending(struct gz_core *core)
{
    struct gz_pending *newest = NULL;
    while (core->pending != NULL) {
        struct gz_pending *pending = core->pending;
        core->pending = pending->next;
        pending->next = newest;
        newest = pending;
    }
    core->pending_end = &core->pending;
    core->pending_count = core->pending_bytes = 0;
    return newest;
}

/* There is no memory to take these back: they stay facts, and are brought to the disk again. */
static void keep_pending(struct gz_core *core, struct gz_pending *newest)
{
    if (newest != NULL) core->pending_end = &newest->next;
    while (newest != NULL) {
        struct gz_pending *older = newest->next;
        newest->in_batch = false;
        newest->next = core->pending;
        core->pending = newest;
        core->pending_count++;
        core->pending_bytes += newest->bytes;
        newest = older;
    }
}

/* Edits made after the batch was sent stand on those that failed: all of them go back, newest first. */
static void refuse_batch(struct gz_core *core, const char *why)
{
    set_told(core, GZ_UNTOLD);
    cancel_runs_on_pending(core, why);
    struct gz_pending *pending = reverse_pending(core);
    while (pending != NULL && take_back(core, &pending->edit)) {
        struct gz_pending *older = pending->next;
        if (pending->begun) gz_core_drop(core, pending->edit.id);
        refuse_pending(core, pending, why);
        free_pending(pending);
        pending = older;
    }
    keep_pending(core, pending);
}

void gz_core_committed(struct gz_core *core, struct gz_batch *batch, enum gz_status status, const char *message,
                       struct gz_now now)
{
    uint64_t seq = batch->seq;
    core->now = now;
    gz_batch_destroy(batch);
    core->committing = false;
    if (status == GZ_OK) {
        if (core->failing) gz_log(core->log, GZ_INFO, 0, "%s: the disk takes edits again", core->name);
        accept_batch(core, seq);
    } else {
        if (!core->failing) gz_log(core->log, GZ_ERROR, 0, "%s: the disk refuses edits: %s", core->name, message);
        refuse_batch(core, message);
    }
    core->failing = status != GZ_OK;
    core->visits_in_batch = core->dropped_in_batch = 0;
}
