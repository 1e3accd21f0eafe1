/* transfer_parts.c - a transfer from its request to its answer: prepared on the loop, run on a
 * worker, finished on the loop; and the check of its user's rights. */
#include "host/transfer_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conn/clock.h"
#include "host/scenes.h"
#include "server/maxima.h"

/* ---- from the beginning to the answer ---- */

static void handle_scene(struct gz_scene_wait *wait, const struct gz_error *error);

struct gz_transfer *gz_transfer_create(struct gz_transfers *all,
                                       const struct gz_transfer_kind *kind, const char *name)
{
    struct gz_transfer *transfer = calloc(1, sizeof *transfer);
    char *path = gz_scene_path(all->scenes->setting, name);
    if (transfer == NULL || path == NULL) {
        free(path);
        free(transfer);
        return NULL;
    }
    snprintf(transfer->name, sizeof transfer->name, "%s", name);
    transfer->all = all;
    transfer->kind = kind;
    transfer->path = path;
    transfer->file = -1;
    transfer->wait = (struct gz_scene_wait){.again = handle_scene, .context = transfer};
    gz_buffer_init(&transfer->out, GZ_HTTP_ANSWER_BYTES_MAX, 0);
    transfer->next = all->first;
    all->first = transfer;
    return transfer;
}

static void destroy(void *memory)
{
    struct gz_transfer *transfer = memory;
    if (transfer->file >= 0) close(transfer->file);
    gz_buffer_finish(&transfer->out);
    gz_body_destroy(transfer->body);
    gz_import_finish(&transfer->import);
    gz_scene_list_finish(&transfer->list);
    free(transfer->nodes);
    free(transfer->ids);
    free(transfer->path);
    free(transfer);
}

/* A worker frees what it has, because that may be many MB, and a file. */
void gz_transfer_free(struct gz_transfer *transfer)
{
    struct gz_transfer **link = &transfer->all->first;
    while (*link != transfer) link = &(*link)->next;
    *link = transfer->next;
    gz_scenes_forget(&transfer->wait);
    gz_memory_release(transfer->all->scenes->setting->memory, transfer->held_bytes);
    gz_jobs_free(transfer->all->scenes->setting->jobs, transfer, destroy);
}

void gz_transfer_refuse(struct gz_transfer *transfer)
{
    if (transfer->request != NULL)
        gz_http_refuse(transfer->request, transfer->http_code, &transfer->error);
    else
        transfer->done(transfer->done_context, &transfer->error);
    gz_transfer_free(transfer);
}

/* Answers the request with the result. */
void gz_transfer_answer(struct gz_transfer *transfer, int code)
{
    struct gz_http_answer answer = {
        .code = code, .type = transfer->type, .body = transfer->out, .file = transfer->file};
    memcpy(answer.etag, transfer->etag, sizeof answer.etag);
    memcpy(answer.dropped, transfer->dropped, sizeof answer.dropped);
    transfer->out = (struct gz_buffer){0};
    transfer->file = -1;
    gz_http_answer(transfer->request, &answer);
    gz_transfer_free(transfer);
}

static void run_transfer(struct gz_job *job)
{
    struct gz_transfer *transfer = job->context;
    transfer->error.status = transfer->kind->run(transfer);
}

/* A download that nobody waits for any more is not made. */
static bool is_wanted(const struct gz_job *job)
{
    const struct gz_transfer *transfer = job->context;
    bool is_download = transfer->kind->prepare != NULL;
    return !is_download || gz_http_is_awaited(transfer->request);
}

static void handle_done(struct gz_job *job)
{
    struct gz_transfer *transfer = job->context;
    bool ends = transfer->all->scenes->setting->jobs->is_closing;
    transfer->place = ON_LOOP;
    transfer->has_run = true;
    if (job->is_cancelled)
        gz_fail(&transfer->error, GZ_BAD_STATE,
                ends ? "the server is going away" : "the client has gone");
    if (transfer->error.status != GZ_OK)
        gz_transfer_refuse(transfer);
    else
        transfer->kind->finish(transfer);
}

const char *gz_transfer_payer(const struct gz_transfer *transfer)
{
    return transfer->request != NULL ? gz_claims_payer(&transfer->request->claims) : "";
}

enum gz_status gz_transfer_find(struct gz_transfer *transfer, bool create)
{
    return gz_scenes_find(transfer->all->scenes, transfer->name, create,
                          gz_transfer_payer(transfer), &transfer->wait, &transfer->scene,
                          &transfer->error);
}

/* ---- its body ---- */

void gz_transfer_receive(struct gz_transfer *transfer)
{
    struct gz_http_request *request = transfer->request;
    transfer->place = RECEIVING;
    transfer->scene = NULL; /* it may be closed meanwhile */
    request->transfer = transfer;
    gz_http_receive(request);
}

static void run_spool(struct gz_job *job)
{
    struct gz_transfer *transfer = job->context;
    const struct gz_scene_setting *setting = transfer->all->scenes->setting;
    struct gz_body *body = transfer->request->body;
    const size_t size = body->tail.size;
    transfer->error.status = gz_disk_reserve(setting->disk, size, &transfer->error);
    if (transfer->error.status != GZ_OK) return;
    transfer->error.status = gz_body_write(body, setting->folder, &transfer->error);
    gz_disk_release(setting->disk, size);
}

static void handle_spooled(struct gz_job *job)
{
    struct gz_transfer *transfer = job->context;
    transfer->request->body->is_lent = false;
    if (job->is_cancelled) gz_fail(&transfer->error, GZ_BAD_STATE, "the server is going away");
    if (transfer->error.status == GZ_OK)
        gz_transfer_receive(transfer);
    else
        gz_transfer_refuse(transfer);
}

/* Meanwhile the request, and its body, are the host's. */
void gz_transfer_spool(struct gz_http_request *request)
{
    struct gz_transfer *transfer = request->transfer;
    request->transfer = NULL;
    request->body->is_lent = true;
    transfer->place = AT_WORKER;
    transfer->job = (struct gz_job){.lane = GZ_LANE_BODIES,
                                    .subject = "",
                                    .group = "",
                                    .user = gz_transfer_payer(transfer),
                                    .run = run_spool,
                                    .done = handle_spooled,
                                    .context = transfer};
    gz_job_start(transfer->all->scenes->setting->jobs, &transfer->job);
}

/* ---- rights ---- */

static enum gz_status refuse_role(enum gz_role role, const struct gz_http_request *request,
                                  struct gz_error *error)
{
    return gz_fail(error, GZ_FORBIDDEN, "your role in this scene is %s; this needs %s",
                   gz_vocabulary_word(&gz_role_words, (int)role),
                   gz_vocabulary_word(&gz_role_words, (int)request->role));
}

static enum gz_status forbid(const struct gz_http_request *request, struct gz_error *error)
{
    const struct gz_claims *claims = &request->claims;
    if (!gz_claims_give(claims, request->scene, GZ_ROLE_VIEWER))
        return gz_fail(error, GZ_FORBIDDEN, "you have no access to this scene");
    return refuse_role(claims->role, request, error);
}

enum gz_status gz_transfer_forbid(struct gz_transfer *transfer)
{
    return forbid(transfer->request, &transfer->error);
}

/* Asks the core for the role that the scene's own access gives. */
static enum gz_status check_core(struct gz_transfer *transfer)
{
    const struct gz_http_request *request = transfer->request;
    enum gz_role in_scene;
    if (!gz_core_role(gz_net_core(&transfer->scene->net), &request->claims, &in_scene))
        return gz_transfer_forbid(transfer);
    transfer->is_authorised = in_scene >= request->role;
    if (transfer->is_authorised) return GZ_OK;
    return refuse_role(in_scene, request, &transfer->error);
}

bool gz_transfer_claims_suffice(const struct gz_transfer *transfer)
{
    const struct gz_http_request *request = transfer->request;
    return request == NULL || request->what == GZ_HTTP_LIST ||
           gz_claims_give(&request->claims, transfer->name, request->role);
}

/* Checks what does not need the scene: its name, and the token's expiry. */
static enum gz_status check_request(struct gz_transfer *transfer)
{
    const struct gz_http_request *request = transfer->request;
    if (request == NULL) return GZ_OK;
    if (gz_clock_now().unix_s >= request->claims.expires_unix_s)
        return gz_fail(&transfer->error, GZ_UNAUTHORISED, "token: it has expired");
    return request->what == GZ_HTTP_LIST
               ? GZ_OK
               : gz_scene_name_check("scene", transfer->name, &transfer->error);
}

/* The scene may have to be opened for its access. It is not opened for guests, to whom the access
 * gives nothing. */
enum gz_status gz_transfer_authorise(struct gz_transfer *transfer)
{
    enum gz_status status = check_request(transfer);
    transfer->is_authorised = status == GZ_OK && gz_transfer_claims_suffice(transfer);
    if (status != GZ_OK || transfer->is_authorised) return status;
    if (transfer->scene == NULL &&
        (transfer->request->claims.is_guest || gz_transfer_find(transfer, false) != GZ_OK))
        return gz_transfer_forbid(transfer);
    return transfer->scene != NULL ? check_core(transfer) : GZ_OK;
}

/* ---- in a cluster ---- */

/* In a cluster only the scene's authority answers. Creating a scene finds none. */
static enum gz_status locate(struct gz_transfer *transfer)
{
    const struct gz_http_request *request = transfer->request;
    bool is_here = transfer->is_located || transfer->all->scenes->setting->cluster == NULL ||
                   request == NULL || request->what == GZ_HTTP_LIST;
    if (is_here) return GZ_OK;
    enum gz_status status = gz_transfer_find(transfer, false);
    transfer->is_located = status == GZ_UNKNOWN_SCENE || transfer->scene != NULL;
    return status == GZ_UNKNOWN_SCENE ? GZ_OK : status;
}

/* Relays the request; the sample exists already if another member has it. */
static void relay(struct gz_transfer *transfer)
{
    if (transfer->request != NULL)
        gz_http_relay(transfer->request, transfer->wait.url);
    else
        transfer->done(transfer->done_context, &transfer->error);
    gz_transfer_free(transfer);
}

/* The body may come. */
static void admit(struct gz_transfer *transfer)
{
    struct gz_http_request *request = transfer->request;
    if (transfer->kind->check != NULL)
        transfer->error.status = transfer->kind->check(transfer->all, request, &transfer->error);
    if (transfer->error.status == GZ_OK)
        gz_transfer_receive(transfer);
    else
        gz_transfer_refuse(transfer);
}

/* About what the work takes: of an import the file, what is read from it, and the nodes; of a
 * download, which is made from the scene's file, as much as that. The list and a backup take
 * little. */
static uint64_t bytes_to_work(const struct gz_transfer *transfer)
{
    const bool is_backup = transfer->request != NULL && transfer->request->what == GZ_HTTP_BACKUP;
    if (transfer->body != NULL) return transfer->body->size * GZ_MEMORY_NEEDED;
    if (transfer->kind->prepare == NULL || is_backup) return 0;
    const uint64_t size = gz_store_bytes(transfer->path);
    return size < GZ_HTTP_ANSWER_BYTES_MAX ? size : GZ_HTTP_ANSWER_BYTES_MAX;
}

static enum gz_status hold_memory(struct gz_transfer *transfer)
{
    const uint64_t bytes = bytes_to_work(transfer);
    enum gz_status status =
        gz_memory_hold(transfer->all->scenes->setting->memory, bytes, &transfer->error);
    if (status == GZ_OK) transfer->held_bytes = bytes;
    return status;
}

void gz_transfer_work(struct gz_transfer *transfer)
{
    if (transfer->error.status == GZ_OK) transfer->error.status = hold_memory(transfer);
    if (transfer->error.status != GZ_OK) {
        gz_transfer_refuse(transfer);
        return;
    }
    transfer->place = AT_WORKER;
    transfer->job =
        (struct gz_job){.lane = transfer->kind->is_question ? GZ_LANE_PAST : GZ_LANE_TRANSFERS,
                        .subject = transfer->name,
                        .group = transfer->name,
                        .user = gz_transfer_payer(transfer),
                        .run = run_transfer,
                        .done = handle_done,
                        .is_wanted = is_wanted,
                        .context = transfer};
    gz_job_start(transfer->all->scenes->setting->jobs, &transfer->job);
}

void gz_transfer_start(struct gz_transfer *transfer)
{
    transfer->error.status = gz_transfer_authorise(transfer);
    if (transfer->error.status == GZ_OK && transfer->is_authorised)
        transfer->error.status = locate(transfer);
    bool may =
        transfer->error.status == GZ_OK && transfer->is_authorised && transfer->wait.list == NULL;
    if (may && transfer->needs_body) {
        admit(transfer);
        return;
    }
    if (may && transfer->kind->retire != NULL) {
        transfer->kind->retire(transfer);
        return;
    }
    enum gz_status status = GZ_OK;
    if (may && transfer->kind->prepare != NULL) status = transfer->kind->prepare(transfer);
    if (status != GZ_OK) transfer->error.status = status;
    if (transfer->wait.list == NULL) gz_transfer_work(transfer);
}

/* The scene, which was being opened, can be found now. */
static void handle_scene(struct gz_scene_wait *wait, const struct gz_error *error)
{
    struct gz_transfer *transfer = wait->context;
    bool is_nowhere = error != NULL && error->status == GZ_UNKNOWN_SCENE &&
                      transfer->is_authorised && !transfer->is_located &&
                      transfer->all->scenes->setting->cluster != NULL;
    if (wait->url[0] != '\0') {
        relay(transfer);
    } else if (is_nowhere) {
        transfer->is_located = true;
        gz_transfer_start(transfer);
    } else if (error != NULL) {
        transfer->error = *error;
        if (!transfer->is_authorised) (void)gz_transfer_forbid(transfer);
        gz_transfer_refuse(transfer);
    } else if (transfer->has_run) {
        transfer->kind->finish(transfer);
    } else {
        gz_transfer_start(transfer);
    }
}
