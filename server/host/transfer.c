/* Requests for what is large or not live, and the import of the sample: prepared on the loop,
 * worked on by a worker, finished on the loop. */
#include "host/transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exchange/exchange.h"
#include "host/folder.h"
#include "host/name.h"
#include "host/triangles.h"
#include "net/clock.h"
#include "net/text.h"
#include "server/maxima.h"

/* The user of an import if the request names none. */
#define USER_DEFAULT "http"
#define JSON_TYPE "application/json"

static_assert(GZ_ASSET_TAG_BYTES + 2 <= GZ_ETAG_BYTES, "a tag and its quotes");

struct gz_transfer {
    struct gz_transfers *all;
    struct gz_transfer *next;
    const struct kind *kind;
    struct gz_http_request *request; /* NULL for the sample */
    char name[GZ_SCENE_NAME_BYTES_MAX + 1];
    char new_name[GZ_SCENE_NAME_BYTES_MAX + 1]; /* rename */
    char *path;
    enum {
        ON_LOOP,   /* it waits for its scene or for a commit */
        AT_WORKER, /* its job ends it */
        RETIRING   /* the retirement of its scene ends it */
    } place;
    bool is_admission; /* it ends where the body may come */
    bool has_run, is_authorised;
    struct gz_job job;
    struct gz_scene_wait wait;
    struct gz_open_scene *scene;
    struct gz_error error; /* status GZ_OK: all is well so far */
    int http_code;         /* of the error; 0 for the one of its status */
    struct gz_buffer out;
    const char *type;
    char etag[GZ_ETAG_BYTES];
    int file;
    /* import */
    struct gz_buffer body;
    struct gz_import import;
    struct gz_core_import_node *nodes;
    bool is_admitted, made;
    void (*done)(void *context, const struct gz_error *error);
    void *done_context;
    /* export */
    struct gz_arena arena;
    const struct gz_node_record *records;
    size_t record_count;
    bool has_asset;
    char dropped[GZ_DROPPED_BYTES];
    struct gz_scene_list list;
};

struct kind {
    /* Both on the loop; NULL: nothing to do. `prepare` may find that a scene is to be opened first:
     * then it waits, and is called again. */
    enum gz_status (*prepare)(struct gz_transfer *transfer);
    enum gz_status (*run)(struct gz_transfer *transfer); /* on a worker */
    /* Answers and frees, or sees to it that somebody does. */
    void (*finish)(struct gz_transfer *transfer);
    enum gz_retire_how how; /* without `run`: the scene gives up its name */
};

/* ---- from the beginning to the answer ---- */

static void handle_scene(struct gz_scene_wait *wait, const struct gz_error *error);
static void run_transfer(struct gz_job *job);
static void handle_done(struct gz_job *job);

static struct gz_transfer *create_transfer(struct gz_transfers *all, const struct kind *kind,
                                           const char *name)
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
    transfer->job = (struct gz_job){.lane = GZ_LANE_TRANSFERS,
                                    .subject = transfer->name,
                                    .run = run_transfer,
                                    .done = handle_done,
                                    .context = transfer};
    gz_buffer_init(&transfer->out, GZ_HTTP_ANSWER_BYTES_MAX, 0);
    gz_arena_init(&transfer->arena, GZ_HTTP_ANSWER_BYTES_MAX);
    transfer->next = all->first;
    all->first = transfer;
    return transfer;
}

static void release_surfaces(struct gz_transfer *transfer)
{
    if (transfer->import.surfaces != NULL)
        gz_jobs_free(transfer->all->scenes->setting->jobs, transfer->import.surfaces, free);
    transfer->import.surfaces = NULL;
}

static void free_transfer(struct gz_transfer *transfer)
{
    struct gz_transfer **link = &transfer->all->first;
    while (*link != transfer) link = &(*link)->next;
    *link = transfer->next;
    if (transfer->file >= 0) close(transfer->file);
    gz_buffer_finish(&transfer->out);
    gz_buffer_finish(&transfer->body);
    gz_arena_finish(&transfer->arena);
    release_surfaces(transfer);
    gz_import_finish(&transfer->import);
    gz_scene_list_finish(&transfer->list);
    free(transfer->nodes);
    free(transfer->path);
    free(transfer);
}

static void refuse(struct gz_transfer *transfer)
{
    if (transfer->request != NULL)
        gz_http_refuse(transfer->request, transfer->http_code, &transfer->error);
    else
        transfer->done(transfer->done_context, &transfer->error);
    free_transfer(transfer);
}

/* What was made goes to its request. */
static void answer(struct gz_transfer *transfer, int code)
{
    struct gz_http_answer answer = {
        .code = code, .type = transfer->type, .body = transfer->out, .file = transfer->file};
    memcpy(answer.etag, transfer->etag, sizeof answer.etag);
    memcpy(answer.dropped, transfer->dropped, sizeof answer.dropped);
    transfer->out = (struct gz_buffer){0};
    transfer->file = -1;
    gz_http_answer(transfer->request, &answer);
    free_transfer(transfer);
}

static void finish_with_answer(struct gz_transfer *transfer)
{
    answer(transfer, 200);
}

static void run_transfer(struct gz_job *job)
{
    struct gz_transfer *transfer = job->context;
    transfer->error.status = transfer->kind->run(transfer);
}

static void handle_done(struct gz_job *job)
{
    struct gz_transfer *transfer = job->context;
    transfer->place = ON_LOOP;
    transfer->has_run = true;
    if (job->is_cancelled) gz_fail(&transfer->error, GZ_BAD_STATE, "the server is going away");
    if (transfer->error.status != GZ_OK)
        refuse(transfer);
    else
        transfer->kind->finish(transfer);
}

static enum gz_status find_scene(struct gz_transfer *transfer, bool create)
{
    return gz_scenes_find(transfer->all->scenes, transfer->name, create, &transfer->wait,
                          &transfer->scene, &transfer->error);
}

/* ---- rights ---- */

static enum gz_status refuse_role(enum gz_role role, const struct gz_http_request *request,
                                  struct gz_error *error)
{
    return gz_fail(error, GZ_FORBIDDEN, "your role in this scene is %s: this takes %s",
                   gz_vocabulary_word(&gz_role_words, (int)role),
                   gz_vocabulary_word(&gz_role_words, (int)request->role));
}

/* In the same words for a scene that the user may not see and for one that is not there. */
static enum gz_status forbid(const struct gz_http_request *request, struct gz_error *error)
{
    const struct gz_claims *claims = &request->claims;
    if (!gz_claims_give(claims, request->scene, GZ_ROLE_VIEWER))
        return gz_fail(error, GZ_FORBIDDEN, "you may not see this scene");
    return refuse_role(claims->role, request, error);
}

static enum gz_status forbid_transfer(struct gz_transfer *transfer)
{
    return forbid(transfer->request, &transfer->error);
}

/* What the scene's own access gives beside the claims; its core says it. */
static enum gz_status check_core(struct gz_transfer *transfer)
{
    const struct gz_http_request *request = transfer->request;
    enum gz_role in_scene;
    if (!gz_core_role(transfer->scene->net.core, &request->claims, &in_scene))
        return forbid_transfer(transfer);
    transfer->is_authorised = in_scene >= request->role;
    if (transfer->is_authorised) return GZ_OK;
    return refuse_role(in_scene, request, &transfer->error);
}

static bool claims_suffice(const struct gz_transfer *transfer)
{
    const struct gz_http_request *request = transfer->request;
    return request == NULL || request->what == GZ_HTTP_LIST ||
           gz_claims_give(&request->claims, transfer->name, request->role);
}

/* What has nothing to do with a scene: its name, and the token's time. */
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

/* Whether its user may: the claims say it, or else the scene, which may have to be opened first.
 * The scene's access gives nothing to guests, for whom it is not opened. */
static enum gz_status authorise(struct gz_transfer *transfer)
{
    enum gz_status status = check_request(transfer);
    transfer->is_authorised = status == GZ_OK && claims_suffice(transfer);
    if (status != GZ_OK || transfer->is_authorised) return status;
    if (transfer->request->claims.is_guest || find_scene(transfer, false) != GZ_OK)
        return forbid_transfer(transfer);
    return transfer->scene != NULL ? check_core(transfer) : GZ_OK;
}

/* After work on a worker: the right may have been taken away meanwhile, and the scene may be
 * another of the same name. */
static enum gz_status authorise_again(struct gz_transfer *transfer)
{
    enum gz_status status = check_request(transfer);
    return status != GZ_OK || claims_suffice(transfer) ? status : check_core(transfer);
}

static void retire(struct gz_transfer *transfer);
static void admit(struct gz_transfer *transfer);

static void start(struct gz_transfer *transfer)
{
    transfer->error.status = authorise(transfer);
    bool may = transfer->error.status == GZ_OK && transfer->is_authorised;
    if (may && transfer->is_admission) {
        admit(transfer);
        return;
    }
    if (may && transfer->kind->run == NULL) {
        retire(transfer);
        return;
    }
    if (may && transfer->kind->prepare != NULL)
        transfer->error.status = transfer->kind->prepare(transfer);
    if (transfer->error.status != GZ_OK) {
        refuse(transfer);
    } else if (transfer->wait.list == NULL) {
        transfer->place = AT_WORKER;
        gz_job_start(transfer->all->scenes->setting->jobs, &transfer->job);
    }
}

/* Its scene, which was being opened, can be asked for again. */
static void handle_scene(struct gz_scene_wait *wait, const struct gz_error *error)
{
    struct gz_transfer *transfer = wait->context;
    if (error != NULL) {
        transfer->error = *error;
        if (!transfer->is_authorised) (void)forbid_transfer(transfer);
        refuse(transfer);
    } else if (transfer->has_run) {
        transfer->kind->finish(transfer);
    } else {
        start(transfer);
    }
}

static enum gz_status prepare_existing(struct gz_transfer *transfer)
{
    enum gz_status status =
        gz_scenes_check_name(transfer->all->scenes, transfer->name, &transfer->error);
    if (status != GZ_OK) return status;
    if (!gz_scenes_have(transfer->all->scenes, transfer->name)) {
        return gz_fail(&transfer->error, GZ_UNKNOWN_SCENE, "there is no scene %s", transfer->name);
    }
    return GZ_OK;
}

/* ---- asset and backup: from the file ---- */

/* If another asset is imported between reading the tag and reading the asset, the new asset is sent
 * with the old tag. That is harmless: the old tag is never given again. */
static enum gz_status run_asset(struct gz_transfer *transfer)
{
    char tag[GZ_ASSET_TAG_BYTES];
    enum gz_status status = gz_store_asset_tag(transfer->path, tag, &transfer->error);
    if (status == GZ_OK) {
        snprintf(transfer->etag, sizeof transfer->etag, "\"%s\"", tag);
        if (gz_http_knows(transfer->request, transfer->etag)) return GZ_OK;
        status = gz_store_asset(transfer->path, &transfer->out, &transfer->error);
    }
    if (status == GZ_BAD_STATE) transfer->http_code = 404;
    if (status == GZ_OK)
        transfer->type = gz_gltf_media_type(transfer->out.data, transfer->out.size);
    return status;
}

static enum gz_status run_backup(struct gz_transfer *transfer)
{
    char *copy;
    if (asprintf(&copy, "%s/" GZ_BACKUP_PREFIX "%d-%p", transfer->all->scenes->setting->folder,
                 (int)getpid(), (void *)transfer) < 0) {
        return gz_fail(&transfer->error, GZ_NO_MEMORY, "out of memory");
    }
    enum gz_status status = gz_store_backup(transfer->path, copy, &transfer->error);
    if (status == GZ_OK) {
        transfer->file = open(copy, O_RDONLY | O_CLOEXEC);
        if (transfer->file < 0)
            status = gz_fail(&transfer->error, GZ_STORAGE, "the backup cannot be read: %s",
                             strerror(errno));
    }
    unlink(copy);
    free(copy);
    transfer->type = "application/vnd.sqlite3";
    return status;
}

/* ---- export: the nodes as the core has them, in the asset from the file ---- */

static enum gz_status prepare_export(struct gz_transfer *transfer)
{
    enum gz_status status = prepare_existing(transfer);
    if (status == GZ_OK) status = find_scene(transfer, false);
    if (status != GZ_OK || transfer->scene == NULL) return status;
    transfer->has_asset = gz_core_summary(transfer->scene->net.core).has_asset;
    status = gz_core_nodes(transfer->scene->net.core, &transfer->arena, &transfer->records,
                           &transfer->record_count);
    return status == GZ_OK ? GZ_OK : gz_fail(&transfer->error, status, "no memory for the nodes");
}

static struct gz_export_node *export_nodes(struct gz_transfer *transfer)
{
    struct gz_export_node *nodes =
        gz_arena_take(&transfer->arena, transfer->record_count, sizeof *nodes);
    if (nodes == NULL) return NULL;
    for (size_t i = 0; i < transfer->record_count; i++) {
        const struct gz_node_record *record = &transfer->records[i];
        nodes[i] = (struct gz_export_node){.id = record->id,
                                           .parent = record->content.parent,
                                           .asset = record->content.asset,
                                           .name = record->content.name,
                                           .trs = record->content.trs};
    }
    return nodes;
}

static enum gz_status run_export(struct gz_transfer *transfer)
{
    struct gz_buffer asset;
    gz_buffer_init(&asset, GZ_ASSET_BYTES_MAX, 0);
    const struct gz_export_node *nodes = export_nodes(transfer);
    enum gz_status status =
        nodes != NULL ? GZ_OK : gz_fail(&transfer->error, GZ_NO_MEMORY, "no memory for the nodes");
    if (status == GZ_OK && transfer->has_asset)
        status = gz_store_asset(transfer->path, &asset, &transfer->error);
    if (status == GZ_OK) {
        status = gz_export_write(&transfer->out, asset.data, asset.size, nodes,
                                 transfer->record_count, transfer->dropped, &transfer->error);
    }
    if (status == GZ_OK)
        transfer->type = gz_gltf_media_type(transfer->out.data, transfer->out.size);
    gz_buffer_finish(&asset);
    return status;
}

static enum gz_status convert_export(struct gz_transfer *transfer, bool binary)
{
    enum gz_status status = run_export(transfer);
    if (status != GZ_OK) return status;
    struct gz_buffer written = transfer->out;
    gz_buffer_init(&transfer->out, GZ_HTTP_ANSWER_BYTES_MAX, 0);
    status = gz_gltf_convert(&transfer->out, written.data, written.size, binary, &transfer->error);
    if (status == GZ_OK)
        transfer->type = gz_gltf_media_type(transfer->out.data, transfer->out.size);
    gz_buffer_finish(&written);
    return status;
}

static enum gz_status run_export_glb(struct gz_transfer *transfer)
{
    return convert_export(transfer, true);
}

static enum gz_status run_export_gltf(struct gz_transfer *transfer)
{
    return convert_export(transfer, false);
}

/* ---- list ---- */

static enum gz_status run_list(struct gz_transfer *transfer)
{
    return gz_folder_list(transfer->all->scenes->setting, &transfer->request->claims,
                          &transfer->list, &transfer->error);
}

static void finish_list(struct gz_transfer *transfer)
{
    transfer->type = JSON_TYPE;
    if (gz_scene_list_print(&transfer->list, transfer->all->scenes, &transfer->out)) {
        answer(transfer, 200);
        return;
    }
    gz_fail(&transfer->error, GZ_NO_MEMORY, "no memory for the list");
    refuse(transfer);
}

/* ---- import ---- */

static enum gz_status run_import(struct gz_transfer *transfer)
{
    enum gz_status status = gz_import_parse(&transfer->import, transfer->body.data,
                                            transfer->body.size, &transfer->error);
    if (status != GZ_OK) {
        transfer->import = (struct gz_import){0};
        if (status == GZ_VERSION) transfer->http_code = 400; /* the file's, not ours */
        return status;
    }
    transfer->nodes =
        calloc(transfer->import.count > 0 ? transfer->import.count : 1, sizeof *transfer->nodes);
    if (transfer->nodes == NULL)
        return gz_fail(&transfer->error, GZ_NO_MEMORY, "no memory for the nodes");
    for (size_t i = 0; i < transfer->import.count; i++) {
        const struct gz_import_node *node = &transfer->import.nodes[i];
        transfer->nodes[i] =
            (struct gz_core_import_node){.parent = node->parent,
                                         .content = {.name = node->name,
                                                     .trs = node->trs,
                                                     .has_bounds = node->has_bounds,
                                                     .bounds = node->bounds,
                                                     .asset = node->asset}};
    }
    return GZ_OK;
}

static void handle_import_undone(void *context, const struct gz_error *error)
{
    (void)error; /* why it failed matters more */
    refuse(context);
}

/* A scene that was made for an import which failed is as if it had never been, unless somebody came
 * meanwhile. Nothing else can be in it: what others asked after the import was refused with it, see
 * gz_core_refuse_batch. */
static void give_up_import(struct gz_transfer *transfer)
{
    struct gz_retire_request request = {.how = GZ_RETIRE_DELETE,
                                        .name = transfer->name,
                                        .user = "",
                                        .done = handle_import_undone,
                                        .context = transfer};
    bool is_unwanted = transfer->made && transfer->scene->net.connections == NULL;
    if (is_unwanted &&
        gz_retire(transfer->all->retirements, &request, &(struct gz_error){0}) == GZ_OK)
        transfer->place = RETIRING;
    else
        refuse(transfer);
}

static void handle_imported(void *context, enum gz_status status, const char *message)
{
    struct gz_transfer *transfer = context;
    if (status != GZ_OK) {
        gz_fail(&transfer->error, status, "%s",
                message != NULL ? message : "the import was not saved");
        give_up_import(transfer);
        return;
    }
    struct gz_core_summary summary = gz_core_summary(transfer->scene->net.core);
    gz_log(transfer->all->scenes->setting->log, GZ_INFO, 0, "%s: imported, %zu nodes",
           transfer->name, transfer->import.count);
    if (transfer->request == NULL) {
        transfer->done(transfer->done_context, &transfer->error);
        free_transfer(transfer);
        return;
    }
    bool ok = gz_text_print(
        &transfer->out,
        "{\"scene\":\"%s\",\"nodes\":%zu,\"matrices\":%zu,\"residual\":%.17g,\"seq\":%" PRIu64
        "}\n",
        transfer->name, transfer->import.count, transfer->import.matrix_count,
        transfer->import.residual_max, summary.seq);
    if (!ok) gz_buffer_clear(&transfer->out);
    transfer->type = JSON_TYPE;
    answer(transfer, transfer->made ? 201 : 200);
}

/* A scene that is there stays as it is unless the request says otherwise. */
static enum gz_status check_replace(const struct gz_transfers *all,
                                    const struct gz_http_request *request, struct gz_error *error)
{
    if (request->replace || !gz_scenes_have(all->scenes, request->scene)) return GZ_OK;
    return gz_fail(error, GZ_CONFLICT,
                   "scene: %s is there already; it is replaced only where that is asked for "
                   "(?replace, --replace)",
                   request->scene);
}

/* Whether it makes the scene or replaces it is decided once: while it waits for the scene to be
 * opened, the file is there already. A new scene has no access of its own: only the claims count.
 */
static enum gz_status find_target(struct gz_transfer *transfer)
{
    const struct gz_http_request *request = transfer->request;
    bool may_make = claims_suffice(transfer);
    enum gz_status status = GZ_OK;
    if (!transfer->is_admitted) {
        transfer->is_admitted = true;
        transfer->made = !gz_scenes_have(transfer->all->scenes, transfer->name);
        if (request != NULL) status = check_replace(transfer->all, request, &transfer->error);
        if (transfer->made && !may_make) status = forbid_transfer(transfer);
    }
    return status == GZ_OK ? find_scene(transfer, may_make) : status;
}

static const char *import_user(const struct gz_transfer *transfer)
{
    if (transfer->request == NULL) return "sample";
    const char *user = transfer->request->claims.user;
    return user[0] != '\0' ? user : USER_DEFAULT;
}

/* The core takes the bytes and the triangles over. */
static void give_to_core(struct gz_transfer *transfer)
{
    struct gz_surfaces *surfaces =
        gz_triangles_admit(transfer->all->scenes, transfer->scene, transfer->import.surfaces,
                           transfer->import.surfaces_status);
    struct gz_core_import import = {.user = import_user(transfer),
                                    .nodes = transfer->nodes,
                                    .count = transfer->import.count,
                                    .asset = transfer->body.data,
                                    .asset_size = transfer->body.size,
                                    .surfaces = surfaces,
                                    .done = handle_imported,
                                    .context = transfer};
    transfer->import.surfaces = surfaces;
    transfer->error.status = gz_core_import(gz_open_scene_touch(transfer->scene), &import,
                                            gz_clock_now(), &transfer->error);
    if (transfer->error.status != GZ_OK) {
        give_up_import(transfer);
        return;
    }
    transfer->import.surfaces = NULL;
    transfer->body = (struct gz_buffer){0};
}

static void finish_import(struct gz_transfer *transfer)
{
    transfer->error.status = find_target(transfer);
    if (transfer->error.status != GZ_OK) {
        refuse(transfer);
    } else if (transfer->scene != NULL) {
        transfer->error.status = authorise_again(transfer);
        if (transfer->error.status == GZ_OK)
            give_to_core(transfer);
        else
            give_up_import(transfer);
    }
}

/* ---- deleting and renaming ---- */

static void handle_retired(void *context, const struct gz_error *error)
{
    struct gz_transfer *transfer = context;
    transfer->error = *error;
    bool renames = transfer->kind->how == GZ_RETIRE_RENAME;
    if (transfer->error.status == GZ_OK && renames &&
        !gz_text_print(&transfer->out, "{\"scene\":\"%s\"}\n", transfer->new_name))
        gz_fail(&transfer->error, GZ_NO_MEMORY, "out of memory");
    transfer->type = JSON_TYPE;
    if (transfer->error.status == GZ_OK)
        answer(transfer, renames ? 200 : 204);
    else
        refuse(transfer);
}

static enum gz_status read_new_name(struct gz_transfer *transfer)
{
    if (transfer->kind->how != GZ_RETIRE_RENAME) return GZ_OK;
    const struct gz_buffer *body = &transfer->request->body;
    enum gz_status status = gz_json_member(body->data, body->size, "name", transfer->new_name,
                                           sizeof transfer->new_name, &transfer->error);
    if (status == GZ_OK) status = gz_scene_name_check("name", transfer->new_name, &transfer->error);
    /* as for a new scene, only the claims count */
    if (status == GZ_OK &&
        !gz_claims_give(&transfer->request->claims, transfer->new_name, GZ_ROLE_EDITOR))
        status =
            gz_fail(&transfer->error, GZ_FORBIDDEN, "name: you may not give a scene this name");
    return status;
}

static void retire(struct gz_transfer *transfer)
{
    struct gz_retire_request request = {.how = transfer->kind->how,
                                        .name = transfer->name,
                                        .new_name = transfer->new_name,
                                        .user = transfer->request->claims.user,
                                        .done = handle_retired,
                                        .context = transfer};
    enum gz_status status = read_new_name(transfer);
    if (status == GZ_OK) status = gz_retire(transfer->all->retirements, &request, &transfer->error);
    if (status == GZ_OK)
        transfer->place = RETIRING;
    else
        refuse(transfer);
}

/* ---- requests ---- */

static const struct kind kinds[] = {
    [GZ_HTTP_LIST] = {.run = run_list, .finish = finish_list},
    [GZ_HTTP_IMPORT] = {.run = run_import, .finish = finish_import},
    [GZ_HTTP_ASSET] = {.prepare = prepare_existing, .run = run_asset, .finish = finish_with_answer},
    [GZ_HTTP_EXPORT] = {.prepare = prepare_export, .run = run_export, .finish = finish_with_answer},
    [GZ_HTTP_EXPORT_GLB] = {.prepare = prepare_export,
                            .run = run_export_glb,
                            .finish = finish_with_answer},
    [GZ_HTTP_EXPORT_GLTF] = {.prepare = prepare_export,
                             .run = run_export_gltf,
                             .finish = finish_with_answer},
    [GZ_HTTP_BACKUP] = {.prepare = prepare_existing,
                        .run = run_backup,
                        .finish = finish_with_answer},
    [GZ_HTTP_DELETE] = {.how = GZ_RETIRE_DELETE},
    [GZ_HTTP_RENAME] = {.how = GZ_RETIRE_RENAME},
};

static struct gz_transfer *create_for(struct gz_transfers *all, struct gz_http_request *request)
{
    struct gz_transfer *transfer = create_transfer(all, &kinds[request->what], request->scene);
    if (transfer == NULL) {
        struct gz_error error;
        gz_fail(&error, GZ_NO_MEMORY, "out of memory");
        gz_http_refuse(request, 0, &error);
        return NULL;
    }
    transfer->request = request;
    return transfer;
}

static void admit(struct gz_transfer *transfer)
{
    struct gz_http_request *request = transfer->request;
    if (request->what == GZ_HTTP_IMPORT)
        transfer->error.status = check_replace(transfer->all, request, &transfer->error);
    if (transfer->error.status != GZ_OK) {
        refuse(transfer);
        return;
    }
    free_transfer(transfer);
    gz_http_receive(request);
}

void gz_transfer_admit(struct gz_transfers *all, struct gz_http_request *request)
{
    struct gz_transfer *transfer = create_for(all, request);
    if (transfer == NULL) return;
    transfer->is_admission = true;
    start(transfer);
}

void gz_transfer_serve(struct gz_transfers *all, struct gz_http_request *request)
{
    struct gz_transfer *transfer = create_for(all, request);
    if (transfer == NULL) return;
    if (transfer->kind->run != NULL) {
        transfer->body = request->body;
        request->body = (struct gz_buffer){0};
    }
    start(transfer);
}

void gz_transfer_sample(struct gz_transfers *all, const char *name,
                        void (*done)(void *context, const struct gz_error *error), void *context)
{
    struct gz_error error;
    struct gz_transfer *transfer = create_transfer(all, &kinds[GZ_HTTP_IMPORT], name);
    if (transfer == NULL) {
        gz_fail(&error, GZ_NO_MEMORY, "out of memory");
        done(context, &error);
        return;
    }
    transfer->done = done;
    transfer->done_context = context;
    gz_buffer_init(&transfer->body, gz_sample_glb_size, 0);
    transfer->error.status = gz_buffer_append(&transfer->body, gz_sample_glb, gz_sample_glb_size);
    if (transfer->error.status == GZ_OK)
        start(transfer);
    else
        refuse(transfer);
}

void gz_transfer_cancel(struct gz_transfers *all)
{
    struct gz_transfer *next;
    for (struct gz_transfer *transfer = all->first; transfer != NULL; transfer = next) {
        next = transfer->next;
        if (transfer->place != ON_LOOP) continue;
        gz_scenes_forget(&transfer->wait);
        gz_fail(&transfer->error, GZ_BAD_STATE, "the server is going away");
        refuse(transfer);
    }
}
