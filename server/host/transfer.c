/* transfer.c - files over HTTP, to clients and from them. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "front/header.h"
#include "host/scenes.h"
#include "host/transfer_parts.h"
#include "server/maxima.h"

/* ---- transfer ---- */

/* The kinds of transfers: the list of scenes, deleting and renaming, and the import of
 * the sample. */

/* ---- list ---- */

static enum gz_status run_list(struct gz_transfer *transfer)
{
    return gz_listing_read(transfer->all->listing, transfer->all->scenes->setting,
                           &transfer->request->claims, &transfer->list, &transfer->error);
}

static void finish_list(struct gz_transfer *transfer)
{
    transfer->type = GZ_JSON_TYPE;
    if (gz_scene_list_print(&transfer->list, transfer->all->scenes, &transfer->out)) {
        gz_transfer_answer(transfer, 200);
        return;
    }
    gz_fail(&transfer->error, GZ_NO_MEMORY, "no memory for the list");
    gz_transfer_refuse(transfer);
}

/* ---- deleting and renaming ---- */

static void handle_retired(void *context, const struct gz_error *error)
{
    struct gz_transfer *transfer = context;
    transfer->error = *error;
    bool renames = transfer->kind->how == GZ_RETIRE_RENAME;
    if (transfer->error.status == GZ_OK && renames &&
        !gz_text_print(&transfer->out, "{\"scene\":\"%s\"}\n", transfer->new_name))
        gz_fail(&transfer->error, GZ_NO_MEMORY, "no memory");
    transfer->type = GZ_JSON_TYPE;
    if (transfer->error.status == GZ_OK)
        gz_transfer_answer(transfer, renames ? 200 : 204);
    else
        gz_transfer_refuse(transfer);
}

static enum gz_status read_new_name(struct gz_transfer *transfer)
{
    if (transfer->kind->how != GZ_RETIRE_RENAME) return GZ_OK;
    const struct gz_buffer *body = &transfer->request->body->tail;
    enum gz_status status = gz_json_member(body->data, body->size, "name", transfer->new_name,
                                           sizeof transfer->new_name, &transfer->error);
    if (status == GZ_OK) status = gz_scene_name_check("name", transfer->new_name, &transfer->error);
    /* as for a new scene, only the claims count */
    if (status == GZ_OK &&
        !gz_claims_give(&transfer->request->claims, transfer->new_name, GZ_ROLE_EDITOR))
        status = gz_fail(&transfer->error, GZ_FORBIDDEN,
                         "name: your token does not allow a scene of this name");
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
        gz_transfer_refuse(transfer);
}

/* ---- requests ---- */

static void finish_with_answer(struct gz_transfer *transfer)
{
    gz_transfer_answer(transfer, 200);
}

static const struct gz_transfer_kind kinds[] = {
    [GZ_HTTP_LIST] = {.run = run_list, .finish = finish_list},
    [GZ_HTTP_IMPORT] = {.check = gz_upload_check,
                        .run = gz_upload_read,
                        .finish = gz_upload_finish},
    [GZ_HTTP_ADD] = {.check = gz_upload_check, .run = gz_upload_read, .finish = gz_upload_finish},
    [GZ_HTTP_ASSETS] = {.prepare = gz_download_prepare,
                        .run = gz_download_assets,
                        .finish = finish_with_answer},
    [GZ_HTTP_ASSET] = {.prepare = gz_download_prepare,
                       .run = gz_download_asset,
                       .finish = finish_with_answer},
    [GZ_HTTP_EXPORT] = {.prepare = gz_export_prepare,
                        .run = gz_export_run,
                        .finish = finish_with_answer},
    [GZ_HTTP_EXPORT_GLB] = {.prepare = gz_export_prepare,
                            .run = gz_export_run_glb,
                            .finish = finish_with_answer},
    [GZ_HTTP_EXPORT_GLTF] = {.prepare = gz_export_prepare,
                             .run = gz_export_run_gltf,
                             .finish = finish_with_answer},
    [GZ_HTTP_BACKUP] = {.prepare = gz_download_prepare,
                        .run = gz_download_backup,
                        .finish = finish_with_answer},
    [GZ_HTTP_EDITS] = {.check = NULL}, /* only admitted here */
    [GZ_HTTP_DELETE] = {.retire = retire, .how = GZ_RETIRE_DELETE},
    [GZ_HTTP_RENAME] = {.retire = retire, .how = GZ_RETIRE_RENAME},
};

static const struct gz_transfer_kind question = {.prepare = gz_question_prepare,
                                                 .run = gz_question_run,
                                                 .finish = finish_with_answer,
                                                 .is_question = true};

static struct gz_transfer *create_for(struct gz_transfers *all, struct gz_http_request *request)
{
    const bool asks = gz_http_question(request->what) != GZ_OP_COUNT;
    struct gz_transfer *transfer =
        gz_transfer_create(all, asks ? &question : &kinds[request->what], request->scene);
    if (transfer == NULL) {
        struct gz_error error;
        gz_fail(&error, GZ_NO_MEMORY, "no memory");
        gz_http_refuse(request, 0, &error);
        return NULL;
    }
    transfer->request = request;
    return transfer;
}

void gz_transfer_admit(struct gz_transfers *all, struct gz_http_request *request)
{
    struct gz_transfer *transfer = create_for(all, request);
    if (transfer == NULL) return;
    transfer->needs_body = true;
    gz_transfer_start(transfer);
}

/* The body has come. An import is checked again once it is read; a rename, at once. */
static void go_on(struct gz_transfer *transfer)
{
    struct gz_http_request *request = transfer->request;
    request->transfer = NULL;
    transfer->needs_body = false;
    transfer->place = ON_LOOP;
    if (transfer->kind->run == NULL) {
        transfer->is_located = false;
        gz_transfer_start(transfer);
        return;
    }
    transfer->body = request->body;
    request->body = NULL;
    gz_transfer_work(transfer);
}

void gz_transfer_serve(struct gz_transfers *all, struct gz_http_request *request)
{
    struct gz_transfer *transfer = request->transfer;
    if (transfer != NULL)
        go_on(transfer);
    else if ((transfer = create_for(all, request)) != NULL)
        gz_transfer_start(transfer);
}

void gz_transfer_sample(struct gz_transfers *all, const char *name,
                        void (*done)(void *context, const struct gz_error *error), void *context)
{
    struct gz_error error;
    struct gz_transfer *transfer = gz_transfer_create(all, &kinds[GZ_HTTP_IMPORT], name);
    if (transfer == NULL) {
        gz_fail(&error, GZ_NO_MEMORY, "no memory");
        done(context, &error);
        return;
    }
    transfer->done = done;
    transfer->done_context = context;
    transfer->body = gz_body_create(gz_sample_glb_size);
    transfer->error.status = transfer->body != NULL
                                 ? gz_body_append(transfer->body, gz_sample_glb, gz_sample_glb_size)
                                 : GZ_NO_MEMORY;
    if (transfer->error.status == GZ_OK)
        gz_transfer_start(transfer);
    else
        gz_transfer_refuse(transfer);
}

bool gz_transfer_is_idle(const struct gz_transfers *all)
{
    const struct gz_transfer *transfer = all->first;
    while (transfer != NULL && transfer->place == RECEIVING) transfer = transfer->next;
    return transfer == NULL;
}

void gz_transfer_cancel(struct gz_transfers *all)
{
    struct gz_transfer *next;
    for (struct gz_transfer *transfer = all->first; transfer != NULL; transfer = next) {
        next = transfer->next;
        if (transfer->place != ON_LOOP) continue;
        gz_scenes_forget(&transfer->wait);
        if (transfer->scene != NULL && transfer->scene->net.is_lent) {
            gz_scenes_await(transfer->scene, &transfer->wait); /* its core may answer soon */
            continue;
        }
        gz_fail(&transfer->error, GZ_BAD_STATE, "the server is going away");
        gz_transfer_refuse(transfer);
    }
}

void gz_transfer_discard(struct gz_transfers *all, struct gz_body *body)
{
    gz_jobs_free(all->scenes->setting->jobs, body, gz_body_destroy);
}

/* ---- download ---- */

/* Downloads of a scene: its asset, an export of its nodes, a backup. */

static_assert(GZ_SHA256_BYTES + 2 <= GZ_ETAG_BYTES, "a tag and its quotes");

enum gz_status gz_download_prepare(struct gz_transfer *transfer)
{
    enum gz_status status =
        gz_scenes_check_name(transfer->all->scenes, transfer->name, &transfer->error);
    if (status != GZ_OK) return status;
    if (!gz_scenes_have(transfer->all->scenes, transfer->name)) {
        return gz_fail(&transfer->error, GZ_UNKNOWN_SCENE, "there is no scene %s", transfer->name);
    }
    return GZ_OK;
}

/* Writes the answer to a file; whether that succeeded. */
static bool write_answer(struct gz_transfer *transfer)
{
    const struct gz_buffer *out = &transfer->out;
    int file = gz_body_open_file(transfer->all->scenes->setting->folder);
    if (file < 0) return false;
    if (gz_body_write_file(file, out->data, out->size, 0)) {
        transfer->file = file;
        return true;
    }
    close(file);
    return false;
}

/* Puts a large answer into a file until it is sent. If the disk has no space for it, it stays in
 * memory, which the network bounds for all answers together. */
static void put_aside(struct gz_transfer *transfer)
{
    struct gz_disk *disk = transfer->all->scenes->setting->disk;
    const size_t size = transfer->out.size;
    struct gz_error error;
    if (size <= GZ_HTTP_ANSWER_MEMORY_BYTES || gz_disk_reserve(disk, size, &error) != GZ_OK) return;
    if (write_answer(transfer)) gz_buffer_finish(&transfer->out);
    gz_disk_release(disk, size);
}

/* ---- asset and backup: from the file ---- */

enum gz_status gz_download_asset(struct gz_transfer *transfer)
{
    struct gz_asset_record asset;
    enum gz_status status =
        gz_store_find_asset(transfer->path, transfer->request->of, &asset, &transfer->error);
    if (status == GZ_OK) {
        snprintf(transfer->etag, sizeof transfer->etag, "\"%s\"", asset.sha256);
        if (gz_http_knows(transfer->request, transfer->etag)) return GZ_OK;
        status = gz_store_asset(transfer->path, asset.first, &transfer->out, &transfer->error);
    }
    if (status == GZ_BAD_STATE) transfer->http_code = 404;
    if (status == GZ_OK) {
        transfer->type = gz_gltf_media_type(transfer->out.data, transfer->out.size);
        put_aside(transfer);
    }
    return status;
}

/* [{"first","count","seq","bytes","sha256"}]: of the files whose bytes are there. */
static bool print_assets(struct gz_buffer *out, const struct gz_scene_state *state)
{
    bool ok = gz_text_print(out, "["), is_next = false;
    for (size_t i = 0; ok && i < state->asset_count; i++) {
        const struct gz_asset_record *asset = &state->assets[i];
        if (asset->size == 0) continue;
        ok = gz_text_print(out,
                           "%s{\"first\":%" PRIu64 ",\"count\":%" PRIu64 ",\"seq\":%" PRIu64
                           ",\"bytes\":%zu,\"sha256\":\"%s\"}",
                           is_next ? ",\n" : "", asset->first, asset->count, asset->seq,
                           asset->size, asset->sha256);
        is_next = true;
    }
    return ok && gz_text_print(out, "]\n");
}

enum gz_status gz_download_assets(struct gz_transfer *transfer)
{
    struct gz_scene_state state;
    enum gz_status status = gz_store_assets(transfer->path, &state, &transfer->error);
    if (status == GZ_OK && !print_assets(&transfer->out, &state))
        status = gz_fail(&transfer->error, GZ_NO_MEMORY, "no memory for the list");
    gz_scene_state_finish(&state);
    transfer->type = GZ_JSON_TYPE;
    return status;
}

static enum gz_status write_backup(struct gz_transfer *transfer)
{
    char *copy;
    if (asprintf(&copy, "%s/" GZ_BACKUP_PREFIX "%d-%p", transfer->all->scenes->setting->folder,
                 (int)getpid(), (void *)transfer) < 0) {
        return gz_fail(&transfer->error, GZ_NO_MEMORY, "no memory");
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

enum gz_status gz_download_backup(struct gz_transfer *transfer)
{
    struct gz_disk *disk = transfer->all->scenes->setting->disk;
    const uint64_t size = gz_store_bytes(transfer->path);
    enum gz_status status = gz_disk_reserve(disk, size, &transfer->error);
    if (status != GZ_OK) return status;
    status = write_backup(transfer);
    gz_disk_release(disk, size);
    return status;
}

/* ---- export: asset and nodes, from the file ---- */

/* Opens the scene, which brings its file up to date; the core is not asked. */
enum gz_status gz_export_prepare(struct gz_transfer *transfer)
{
    enum gz_status status = gz_download_prepare(transfer);
    return status == GZ_OK ? gz_transfer_find(transfer, false) : status;
}

static struct gz_export_node *export_nodes(struct gz_scene_state *state)
{
    struct gz_export_node *nodes = gz_arena_take(&state->arena, state->node_count, sizeof *nodes);
    if (nodes == NULL) return NULL;
    for (size_t i = 0; i < state->node_count; i++) {
        const struct gz_node_record *record = &state->nodes[i];
        nodes[i] = (struct gz_export_node){.id = record->id,
                                           .parent = record->content.parent,
                                           .asset = record->content.asset,
                                           .name = record->content.name,
                                           .trs = record->content.trs};
    }
    return nodes;
}

/* The files that the nodes came from. */
static struct gz_export_file *export_files(struct gz_scene_state *state, size_t *count)
{
    struct gz_export_file *files =
        gz_arena_take(&state->arena, state->asset_count + 1, sizeof *files);
    *count = 0;
    for (size_t i = 0; files != NULL && i < state->asset_count; i++) {
        const struct gz_asset_record *asset = &state->assets[i];
        if (asset->bytes != NULL && asset->size > 0)
            files[(*count)++] = (struct gz_export_file){asset->first, asset->bytes, asset->size};
    }
    return files;
}

static enum gz_status write_present(struct gz_transfer *transfer, struct gz_scene_state *state)
{
    size_t file_count;
    const struct gz_export_node *nodes = export_nodes(state);
    const struct gz_export_file *files = export_files(state, &file_count);
    if (nodes == NULL || files == NULL)
        return gz_fail(&transfer->error, GZ_NO_MEMORY, "no memory for the nodes");
    enum gz_status status =
        gz_export_write(&transfer->out, files, file_count, nodes, state->node_count,
                        transfer->request->ids, transfer->dropped, &transfer->error);
    if (status == GZ_OK)
        transfer->type = gz_gltf_media_type(transfer->out.data, transfer->out.size);
    return status;
}

static enum gz_status write_export(struct gz_transfer *transfer)
{
    struct gz_scene_state state;
    struct gz_buffer bytes;
    gz_buffer_init(&bytes, GZ_ASSET_BYTES_MAX, 0);
    enum gz_status status = gz_store_present(transfer->path, &state, &bytes, &transfer->error);
    if (status == GZ_OK) status = write_present(transfer, &state);
    gz_scene_state_finish(&state);
    gz_buffer_finish(&bytes);
    return status;
}

enum gz_status gz_export_run(struct gz_transfer *transfer)
{
    enum gz_status status = write_export(transfer);
    if (status == GZ_OK) put_aside(transfer);
    return status;
}

static enum gz_status convert_export(struct gz_transfer *transfer, bool binary)
{
    enum gz_status status = write_export(transfer);
    if (status != GZ_OK) return status;
    struct gz_buffer written = transfer->out;
    gz_buffer_init(&transfer->out, GZ_HTTP_ANSWER_BYTES_MAX, 0);
    status = gz_gltf_convert(&transfer->out, written.data, written.size, binary, &transfer->error);
    gz_buffer_finish(&written);
    if (status != GZ_OK) return status;
    transfer->type = gz_gltf_media_type(transfer->out.data, transfer->out.size);
    put_aside(transfer);
    return status;
}

enum gz_status gz_export_run_glb(struct gz_transfer *transfer)
{
    return convert_export(transfer, true);
}

enum gz_status gz_export_run_gltf(struct gz_transfer *transfer)
{
    return convert_export(transfer, false);
}
