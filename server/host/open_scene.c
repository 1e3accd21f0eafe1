/* One scene of the host: the functions of the store that its core calls. See open_scene.h. */
#include "host/open_scene.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conn/clock.h"
#include "front/identity.h"
#include "host/scenes.h"
#include "server/maxima.h"

char *gz_scene_path(const struct gz_scene_setting *setting, const char *name)
{
    char *path;
    return asprintf(&path, "%s/%s.db", setting->folder, name) >= 0 ? path : NULL;
}

struct gz_core *gz_open_scene_touch(struct gz_open_scene *scene)
{
    scene->net.touched = true;
    return gz_net_core(&scene->net);
}

/* ---- the core's host: the store ---- */

static void commit(void *context, struct gz_batch *batch)
{
    struct gz_open_scene *scene = context;
    if (scene->net.is_lent) {
        struct gz_batch **at = &scene->batches;
        while (*at != NULL) at = &(*at)->next;
        *at = batch;
        return;
    }
    if (scene->store == NULL) {
        batch->next = scene->held;
        scene->held = batch;
        return;
    }
    gz_store_submit(scene->store, batch);
}

/* These three can use the store: only frozen cores lose it, which search for no key, let nobody in
 * and answer no question. */
static enum gz_status find_key(void *context, const char *user, const char *key,
                               struct gz_arena *arena, struct gz_edit_record *edit)
{
    struct gz_open_scene *scene = context;
    assert(scene->store != NULL);
    return gz_store_find_key(scene->store, user, key, arena, edit);
}

static enum gz_status find_note_key(void *context, const char *user, const char *key,
                                    uint64_t *note)
{
    struct gz_open_scene *scene = context;
    assert(scene->store != NULL);
    return gz_store_find_note_key(scene->store, user, key, note);
}

static enum gz_status verify(void *context, struct gz_text token, struct gz_claims *claims,
                             struct gz_error *error)
{
    const struct gz_open_scene *scene = context;
    return gz_keyring_verify(scene->setting->keyring, token, claims, error);
}

static bool is_revoked(void *context, const char *user, const struct gz_token_id *id)
{
    const struct gz_open_scene *scene = context;
    return gz_revoked_has(scene->setting->keyring->revoked, user, id);
}

static enum gz_status sign(void *context, const struct gz_claims *claims, double seconds,
                           char token[GZ_TOKEN_BYTES_MAX + 1], struct gz_error *error)
{
    const struct gz_open_scene *scene = context;
    return gz_keyring_sign(scene->setting->keyring, claims, seconds, token, error);
}

static uint64_t kept_since(void *context)
{
    struct gz_open_scene *scene = context;
    assert(scene->store != NULL);
    return gz_store_stats(scene->store).kept_since;
}

static enum gz_status refuse_bytes(struct gz_error *error, const char *whose)
{
    return gz_fail(error, GZ_RATE_LIMITED,
                   "%s added too much to the files of this server: try again later, %.0f KB more "
                   "may be added each second",
                   whose, GZ_WRITTEN_BYTES_PER_S / 1024);
}

static void take_bytes(const struct gz_open_scene *scene, const char *payer, double amount,
                       double now_s)
{
    struct gz_shares *shares = scene->setting->shares;
    gz_quota_take(&shares->written, payer, amount, now_s);
    gz_quota_take(&shares->written_in_scene, scene->name, amount, now_s);
}

static enum gz_status take_share(const struct gz_open_scene *scene, const char *payer,
                                 double amount, struct gz_error *error)
{
    struct gz_shares *shares = scene->setting->shares;
    const double now_s = gz_clock_mono_s();
    if (!gz_quota_has(&shares->written, payer, amount, now_s)) return refuse_bytes(error, "you");
    if (!gz_quota_has(&shares->written_in_scene, scene->name, amount, now_s))
        return refuse_bytes(error, "the users of this scene");
    take_bytes(scene, payer, amount, now_s);
    return GZ_OK;
}

/* Whether the payer is charged: there are quotas, and the work is not the server's own. */
static bool has_share(const struct gz_open_scene *scene, const char *payer)
{
    return scene->setting->shares != NULL && payer != NULL && payer[0] != '\0';
}

/* What a request needs counts as kept until the next look says what there is: an edit that makes
 * nodes keeps some times the bytes of its file, and many may come between two looks. */
static enum gz_status take_memory(const struct gz_open_scene *scene, uint64_t bytes,
                                  struct gz_error *error)
{
    const uint64_t needed = bytes * GZ_MEMORY_NEEDED;
    return gz_memory_take(scene->setting->memory, needed, needed, error);
}

static enum gz_status spend(void *context, const char *payer, uint64_t bytes,
                            struct gz_error *error)
{
    const struct gz_open_scene *scene = context;
    struct gz_shares *shares = scene->setting->shares;
    enum gz_status status = gz_disk_check(scene->setting->disk, error);
    if (status == GZ_OK) status = take_memory(scene, bytes, error);
    if (status != GZ_OK || !has_share(scene, payer)) return status;
    uv_mutex_lock(&shares->mutex);
    status = take_share(scene, payer, (double)bytes, error);
    uv_mutex_unlock(&shares->mutex);
    return status;
}

static void charge(void *context, const char *payer, uint64_t bytes)
{
    const struct gz_open_scene *scene = context;
    struct gz_shares *shares = scene->setting->shares;
    if (!has_share(scene, payer)) return;
    uv_mutex_lock(&shares->mutex);
    take_bytes(scene, payer, (double)bytes, gz_clock_mono_s());
    uv_mutex_unlock(&shares->mutex);
}

static enum gz_status room(void *context, uint64_t bytes, struct gz_error *error)
{
    const struct gz_open_scene *scene = context;
    return take_memory(scene, bytes, error);
}

/* Called on the writer's thread, or on one of the cluster's. */
static void handle_notify(void *context)
{
    struct gz_open_scene *scene = context;
    gz_letter_send(&scene->setting->jobs->mailbox, &scene->committed);
}

static bool is_lost(const struct gz_open_scene *scene)
{
    const struct gz_store_stats stats = gz_store_stats(scene->store);
    return stats.is_gone || stats.is_damaged ||
           (scene->claim != NULL && gz_scene_lease_state(scene->claim) != GZ_SCENE_LEASE_HELD);
}

static void handle_committed(struct gz_letter *letter)
{
    struct gz_open_scene *scene = letter->context;
    enum gz_status status;
    struct gz_error error = {.status = GZ_OK};
    struct gz_batch *batch;
    if (scene->phase != GZ_SCENE_OPEN || scene->net.is_lent) return; /* gz_open_scene_catch_up */
    while (scene->store != NULL && (batch = gz_store_take(scene->store, &status, &error)) != NULL) {
        gz_core_committed(gz_open_scene_touch(scene), batch, status, error.message, gz_clock_now());
    }
    scene->setting->handle_stored(scene->setting->context, scene);
    if (scene->store != NULL && is_lost(scene))
        scene->setting->handle_lost(scene->setting->context, scene);
}

/* ---- the core's host: the past ---- */

struct question {
    struct gz_job job;
    struct gz_scene_wait wait;   /* if the core is lent */
    struct gz_open_scene *scene; /* must not be used, nor `next`, if the job is cancelled */
    struct question *next;       /* of the scene */
    uint64_t ticket;
    struct gz_query query;
    struct gz_answer answer;
    char name[GZ_SCENE_NAME_BYTES_MAX + 1], payer[GZ_USER_BYTES_MAX + 1];
    char path[]; /* the job may outlive the scene */
};

static void run_question(struct gz_job *job)
{
    struct question *question = job->context;
    gz_store_query(question->path, &question->query, &question->answer);
}

static void unlink_question(const struct question *question)
{
    struct question **at = &question->scene->questions;
    while (*at != question) at = &(*at)->next;
    *at = question->next;
}

static void free_question(struct question *question)
{
    gz_answer_finish(&question->answer);
    free(question);
}

static void take_answer(struct question *question)
{
    struct gz_open_scene *scene = question->scene;
    if (scene->net.is_lent) {
        gz_scenes_await(scene, &question->wait);
        return;
    }
    unlink_question(question);
    gz_core_answered(gz_open_scene_touch(scene), question->ticket, &question->answer,
                     gz_clock_now());
    free_question(question);
}

/* The lent core is back, or the scene goes away. */
static void handle_core(struct gz_scene_wait *wait, const struct gz_error *error)
{
    if (error == NULL)
        take_answer(wait->context);
    else
        free_question(wait->context);
}

static void handle_answer(struct gz_job *job)
{
    if (job->is_cancelled)
        free_question(job->context);
    else
        take_answer(job->context);
}

static void refuse_question(struct gz_open_scene *scene, uint64_t ticket, struct gz_answer *answer)
{
    answer->status = answer->error.status;
    gz_core_answered(gz_open_scene_touch(scene), ticket, answer, gz_clock_now());
}

static void query(void *context, uint64_t ticket, const char *payer, const struct gz_query *query)
{
    struct gz_open_scene *scene = context;
    size_t path_size = strlen(scene->path) + 1;
    struct gz_answer refusal = {.status = GZ_OK};
    if (gz_memory_take(scene->setting->memory, 0, GZ_ANSWER_BYTES, &refusal.error) != GZ_OK) {
        refuse_question(scene, ticket, &refusal);
        return;
    }
    struct question *question = calloc(1, sizeof *question + path_size);
    if (question == NULL) {
        gz_fail(&refusal.error, GZ_NO_MEMORY, "no memory");
        refuse_question(scene, ticket, &refusal);
        return;
    }
    question->job = (struct gz_job){.lane = GZ_LANE_PAST,
                                    .subject = question->name,
                                    .group = question->name,
                                    .user = question->payer,
                                    .run = run_question,
                                    .done = handle_answer,
                                    .context = question};
    question->wait = (struct gz_scene_wait){.again = handle_core, .context = question};
    question->scene = scene;
    question->ticket = ticket;
    question->query = *query;
    memcpy(question->name, scene->name, sizeof question->name);
    snprintf(question->payer, sizeof question->payer, "%s", payer);
    memcpy(question->path, scene->path, path_size);
    question->next = scene->questions;
    scene->questions = question;
    gz_job_start(scene->setting->jobs, &question->job);
}

/* A worker that reads the file already goes on: the file is in use until it has the answer. While a
 * core is lent or destroyed its questions stay; closing the jobs cancels them. */
static void withdraw(void *context, uint64_t ticket)
{
    struct gz_open_scene *scene = context;
    if (scene->is_ending || scene->setting->jobs->is_closing) return;
    struct question *question = scene->questions;
    while (question != NULL && question->ticket != ticket) question = question->next;
    if (question == NULL || question->wait.list != NULL) return; /* its job is done */
    if (gz_job_withdraw(&question->job)) unlink_question(question);
}

/* ---- the core's host: memory that goes back on a worker ---- */

static void finish_answer(void *memory)
{
    gz_answer_finish(memory);
    free(memory);
}

/* Frees an answer on a worker, because freeing a worker's memory on the loop is slow. */
static void discard(void *context, struct gz_answer *answer)
{
    struct gz_open_scene *scene = context;
    struct gz_answer *own = scene->net.is_lent ? NULL : malloc(sizeof *own);
    if (own == NULL) {
        gz_answer_finish(answer);
        return;
    }
    *own = *answer;
    gz_jobs_free(scene->setting->jobs, own, finish_answer);
}

/* A core that is lent or destroyed is on a worker already, and frees the memory itself. */
static void release(void *context, void *memory, void (*finish)(void *memory))
{
    struct gz_open_scene *scene = context;
    if (scene->is_ending || scene->net.is_lent)
        finish(memory);
    else
        gz_jobs_free(scene->setting->jobs, memory, finish);
}

/* ---- requests that wait for a lent core ---- */

void gz_open_scene_tell(struct gz_open_scene *scene, struct gz_telling *telling)
{
    if (!scene->net.is_lent) {
        telling->tell(telling);
        return;
    }
    telling->next = scene->tellings;
    scene->tellings = telling;
}

void gz_open_scene_catch_up(struct gz_open_scene *scene)
{
    struct gz_batch *batch = scene->batches, *later;
    struct gz_telling *telling = scene->tellings, *next;
    scene->batches = NULL;
    scene->tellings = NULL;
    for (; batch != NULL; batch = later) {
        later = batch->next;
        commit(scene, batch);
    }
    for (; telling != NULL; telling = next) {
        next = telling->next;
        telling->tell(telling);
    }
    handle_committed(&scene->committed);
}

/* ---- opening and closing ---- */

struct gz_open_scene *gz_open_scene_create(const struct gz_scene_setting *setting, const char *name)
{
    struct gz_open_scene *scene = calloc(1, sizeof *scene);
    if (scene == NULL) return NULL;
    scene->setting = setting;
    scene->path = gz_scene_path(setting, name);
    scene->committed = (struct gz_letter){.handle = handle_committed, .context = scene};
    snprintf(scene->name, sizeof scene->name, "%s", name);
    if (scene->path != NULL) {
        gz_mailbox_hold(&setting->jobs->mailbox);
        return scene;
    }
    free(scene);
    return NULL;
}

static struct gz_core *create_core(struct gz_open_scene *scene, const struct gz_scene_state *state)
{
    const struct gz_keyring *keyring = scene->setting->keyring;
    const struct gz_core_options options = {
        .scene = scene->name,
        .host = {.context = scene,
                 .commit = commit,
                 .query = query,
                 .withdraw = withdraw,
                 .discard = discard,
                 .release = release,
                 .find_key = find_key,
                 .find_note_key = find_note_key,
                 .kept_since = kept_since,
                 .spend = spend,
                 .charge = charge,
                 .room = room,
                 .verify = keyring != NULL ? verify : NULL,
                 .is_revoked = keyring != NULL ? is_revoked : NULL,
                 .revocations = keyring != NULL ? &keyring->revocations : NULL,
                 .sign = keyring != NULL ? sign : NULL},
        .log = scene->setting->log,
        .errors = scene->setting->errors,
        .answers = scene->setting->answers,
        .server = scene->setting->server,
        .messages_per_s = scene->setting->messages_per_s,
        .batches = GZ_BATCHES_MAX,
        .lends = true};
    return gz_core_create(&options, state);
}

/* Claims the scene in the cluster, if there is one. */
static enum gz_status claim(struct gz_open_scene *scene, bool create, struct gz_error *error)
{
    const struct gz_scene_lease_request request = {.name = scene->name,
                                                   .path = scene->path,
                                                   .create = create,
                                                   .notify = handle_notify,
                                                   .context = scene};
    if (scene->setting->cluster == NULL) return GZ_OK;
    return gz_cluster_open(scene->setting->cluster, &request, &scene->claim, scene->url, error);
}

/* Refuses a scene that this member could only read, so that another member may claim it. */
static enum gz_status check_writable(const struct gz_open_scene *scene,
                                     const struct gz_scene_state *state, struct gz_error *error)
{
    if (state->read_only[0] == '\0') return GZ_OK;
    gz_log(scene->setting->log, GZ_WARN, 0, "%s: %s", scene->name, state->read_only);
    return scene->claim == NULL ? GZ_OK : gz_fail(error, GZ_STORAGE, "%s", state->read_only);
}

static enum gz_status open_file(struct gz_open_scene *scene, bool create, struct gz_error *error)
{
    const struct gz_scene_setting *setting = scene->setting;
    struct gz_scene_state state;
    struct gz_store_options options = {.path = scene->path,
                                       .create = create,
                                       .time = gz_clock_now().unix_s,
                                       .recorded = setting->recorded,
                                       .kept = setting->kept,
                                       .has_hook = setting->has_hook,
                                       .notify = handle_notify,
                                       .context = scene,
                                       .log = setting->log,
                                       .turns = setting->turns,
                                       .commits = setting->commits};
    if (scene->claim != NULL) options.shipping = gz_scene_lease_shipping(scene->claim);
    enum gz_status status = gz_store_open(&scene->store, &options, &state, error);
    if (status != GZ_OK) {
        scene->store = NULL;
        return status;
    }
    status = check_writable(scene, &state, error);
    if (status == GZ_OK) scene->net.core = create_core(scene, &state);
    gz_scene_state_finish(&state);
    if (status != GZ_OK || scene->net.core != NULL) return status;
    return gz_fail(error, GZ_NO_MEMORY, "no memory");
}

enum gz_status gz_open_scene_fill(struct gz_open_scene *scene, bool create, struct gz_error *error)
{
    enum gz_status status = claim(scene, create, error);
    if (status != GZ_OK || scene->url[0] != '\0') return status;
    status = open_file(scene, create, error);
    if (status != GZ_OK) gz_open_scene_empty(scene);
    return status;
}

struct gz_hold gz_open_scene_take_hold(struct gz_open_scene *scene)
{
    struct gz_hold hold = {scene->store, scene->claim};
    scene->store = NULL;
    scene->claim = NULL;
    return hold;
}

/* Closes the store before it destroys the core, because a batch in the store points into the core's
 * journal. A batch that is held here is only freed, without reading its pointers. */
void gz_open_scene_empty(struct gz_open_scene *scene)
{
    scene->is_ending = true;
    gz_store_close(scene->store);
    gz_core_destroy(scene->net.core);
    gz_batches_destroy(scene->held);
    gz_cluster_close(scene->claim);
    scene->store = NULL;
    scene->claim = NULL;
    scene->net.core = NULL;
    scene->held = NULL;
}

void gz_open_scene_destroy(struct gz_open_scene *scene)
{
    struct gz_mailbox *mailbox = &scene->setting->jobs->mailbox;
    gz_letter_forget(mailbox, &scene->committed);
    gz_mailbox_release(mailbox);
    free(scene->path);
    free(scene);
}

/* ---- state ---- */

bool gz_open_scene_is_idle(const struct gz_open_scene *scene)
{
    return !scene->net.is_lent && !gz_net_has_work(&scene->net) &&
           gz_core_is_idle(gz_net_core(&scene->net));
}

bool gz_open_scene_is_saved(const struct gz_open_scene *scene)
{
    return gz_open_scene_is_idle(scene) && gz_store_stats(scene->store).last_status == GZ_OK;
}
