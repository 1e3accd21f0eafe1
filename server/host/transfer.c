/* transfer.c - the kinds of transfers: the list of scenes, deleting and renaming, and the import of
 * the sample. */
#include "host/transfer_parts.h"

#include <stdlib.h>
#include <string.h>

#include "host/name.h"
#include "net/text.h"

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
    [GZ_HTTP_DELETE] = {.retire = retire, .how = GZ_RETIRE_DELETE},
    [GZ_HTTP_RENAME] = {.retire = retire, .how = GZ_RETIRE_RENAME},
};

static struct gz_transfer *create_for(struct gz_transfers *all, struct gz_http_request *request)
{
    struct gz_transfer *transfer = gz_transfer_create(all, &kinds[request->what], request->scene);
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
