/* upload.c - imports: a glTF file creates or replaces a scene, or its nodes are added to one. */
#include "host/transfer_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conn/clock.h"
#include "front/header.h"
#include "host/triangles.h"

/* The user of an import if the request names none. */
#define USER_DEFAULT "http"

enum gz_status gz_upload_read(struct gz_transfer *transfer)
{
    enum gz_status status = gz_body_read(transfer->body, transfer->all->scenes->setting->folder,
                                         &transfer->bytes, &transfer->error);
    if (status != GZ_OK) return status;
    status =
        gz_import_parse(&transfer->import, transfer->bytes, transfer->body->size, &transfer->error);
    if (status != GZ_OK) {
        transfer->import = (struct gz_import){0};
        if (status == GZ_VERSION)
            transfer->http_code = 400; /* the version of the file, not of the protocol */
        if (status == GZ_TOO_MANY) transfer->http_code = 413; /* to try again is of no use */
        return status;
    }
    status =
        gz_body_digest(transfer->bytes, transfer->body->size, transfer->sha256, &transfer->error);
    if (status != GZ_OK) return status;
    const size_t room = transfer->import.count > 0 ? transfer->import.count : 1;
    transfer->nodes = calloc(room, sizeof *transfer->nodes);
    transfer->ids = calloc(room, sizeof *transfer->ids);
    if (transfer->nodes == NULL || transfer->ids == NULL)
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
    (void)error; /* the import's error matters more */
    gz_transfer_refuse(context);
}

/* Deletes a scene that was created for a failed import, unless a session joined meanwhile, or the
 * server ends. It has no other content, because later edits were refused with the import
 * (gz_journal_refuse). */
static void give_up_import(struct gz_transfer *transfer)
{
    struct gz_retire_request request = {.how = GZ_RETIRE_DELETE,
                                        .name = transfer->name,
                                        .user = "",
                                        .done = handle_import_undone,
                                        .context = transfer};
    bool is_unwanted = transfer->made && transfer->scene->net.connections == NULL &&
                       !transfer->all->scenes->setting->jobs->is_closing;
    if (is_unwanted &&
        gz_retire(transfer->all->retirements, &request, &(struct gz_error){0}) == GZ_OK)
        transfer->place = RETIRING;
    else
        gz_transfer_refuse(transfer);
}

/* The ids of the nodes that are roots in the file. */
static bool print_roots(struct gz_buffer *out, const struct gz_transfer *transfer)
{
    bool ok = true, is_next = false;
    for (size_t i = 0; ok && i < transfer->import.count; i++) {
        if (transfer->nodes[i].parent >= 0) continue;
        ok = gz_text_print(out, "%s%" PRIu64, is_next ? "," : "", transfer->ids[i]);
        is_next = true;
    }
    return ok;
}

/* {"scene","nodes","matrices","residual","seq","roots","warnings"}: the warnings are what of the
 * file cannot be used; beyond GZ_FLAWS_SAID_MAX a last one says how many more there are. */
static bool print_answer(struct gz_buffer *out, const struct gz_transfer *transfer, uint64_t seq)
{
    const struct gz_import *import = &transfer->import;
    size_t said = import->flaws.count < GZ_FLAWS_SAID_MAX ? import->flaws.count : GZ_FLAWS_SAID_MAX;
    bool ok = gz_text_print(out,
                            "{\"scene\":\"%s\",\"nodes\":%zu,\"matrices\":%zu,\"residual\":%.17g,"
                            "\"seq\":%" PRIu64 ",\"roots\":[",
                            transfer->name, import->count, import->matrix_count,
                            import->residual_max, seq) &&
              print_roots(out, transfer) && gz_text_print(out, "],\"warnings\":[");
    for (size_t i = 0; i < said && ok; i++)
        ok = gz_text_print(out, i > 0 ? "," : "") && gz_text_json(out, import->flaws.said[i]);
    if (import->flaws.count > said)
        ok = ok && gz_text_print(out, ",\"and %zu more\"", import->flaws.count - said);
    return ok && gz_text_print(out, "]}\n");
}

/* The disk has stored or refused the import. */
static void handle_imported(struct gz_telling *telling)
{
    struct gz_transfer *transfer = telling->context;
    if (transfer->error.status != GZ_OK) {
        give_up_import(transfer);
        return;
    }
    struct gz_core_summary summary = gz_open_scene_summary(transfer->scene);
    gz_log(transfer->all->scenes->setting->log, GZ_INFO, 0, "%s: imported, %zu nodes",
           transfer->name, transfer->import.count);
    if (transfer->request == NULL) {
        transfer->done(transfer->done_context, &transfer->error);
        gz_transfer_free(transfer);
        return;
    }
    /* no later edit that is not stored */
    if (!print_answer(&transfer->out, transfer, summary.saved)) gz_buffer_clear(&transfer->out);
    transfer->type = GZ_JSON_TYPE;
    gz_transfer_answer(transfer, transfer->made ? 201 : 200);
}

/* Called by the core, which may be lent. */
static void handle_stored(void *context, enum gz_status status, const char *message)
{
    struct gz_transfer *transfer = context;
    if (status != GZ_OK)
        gz_fail(&transfer->error, status, "%s",
                message != NULL ? message : "the import was not saved");
    transfer->stored = (struct gz_telling){.tell = handle_imported, .context = transfer};
    gz_open_scene_tell(transfer->scene, &transfer->stored);
}

/* Checked before the file comes, and not only when it is saved. */
static enum gz_status check_folder(const struct gz_transfers *all, struct gz_error *error)
{
    if (access(all->scenes->setting->folder, W_OK) == 0) return GZ_OK;
    return gz_fail(error, GZ_STORAGE, "the data folder of the server is not writable: %s",
                   strerror(errno));
}

static enum gz_status refuse_replacing(const char *name, struct gz_error *error)
{
    return gz_fail(error, GZ_CONFLICT,
                   "scene: %s exists already; to replace it, use ?replace "
                   "(gizmoctl import --replace)",
                   name);
}

enum gz_status gz_upload_check(const struct gz_transfers *all,
                               const struct gz_http_request *request, struct gz_error *error)
{
    enum gz_status status = gz_disk_check(all->scenes->setting->disk, error);
    if (status == GZ_OK) status = check_folder(all, error);
    if (status != GZ_OK) return status;
    const bool is_known = gz_scenes_know(all->scenes, request->scene);
    if (request->what == GZ_HTTP_ADD)
        return is_known ? GZ_OK
                        : gz_fail(error, GZ_UNKNOWN_SCENE, "there is no scene %s", request->scene);
    if (request->replace || !is_known) return GZ_OK;
    return refuse_replacing(request->scene, error);
}

/* Decides once whether the import creates or replaces the scene, because once it is being opened
 * the file exists. A new scene has no access of its own, so only the claims count. */
static enum gz_status find_target(struct gz_transfer *transfer)
{
    const struct gz_http_request *request = transfer->request;
    const bool adds = request != NULL && request->what == GZ_HTTP_ADD;
    bool may_make = !adds && gz_transfer_claims_suffice(transfer);
    enum gz_status status = GZ_OK;
    if (!transfer->is_admitted) {
        transfer->is_admitted = true;
        transfer->made = !adds && !gz_scenes_know(transfer->all->scenes, transfer->name);
        if (request != NULL) status = gz_upload_check(transfer->all, request, &transfer->error);
        if (transfer->made && !may_make) status = gz_transfer_forbid(transfer);
    }
    return status == GZ_OK ? gz_transfer_find(transfer, may_make) : status;
}

static const char *import_user(const struct gz_transfer *transfer)
{
    if (transfer->request == NULL) return "sample";
    const char *user = transfer->request->claims.user;
    return user[0] != '\0' ? user : USER_DEFAULT;
}

/* Until then the error says that the server is going away. */
static void run_import(struct gz_loan *loan, struct gz_core *core)
{
    struct gz_transfer *transfer = loan->context;
    transfer->error.status =
        gz_core_import(core, &transfer->given, gz_clock_now(), &transfer->error);
    if (transfer->error.status != GZ_OK) return;
    transfer->import.surfaces = NULL; /* the core owns them */
    transfer->body = NULL;
}

/* If the server ends, the import does not wait for the disk. A refusal of the disk meanwhile is
 * handled next. */
static void handle_given(struct gz_loan *loan, bool is_cancelled)
{
    struct gz_transfer *transfer = loan->context;
    transfer->place = ON_LOOP;
    if (transfer->stored.tell != NULL) return;
    if (is_cancelled) {
        gz_fail(&transfer->error, GZ_BAD_STATE, "the server is going away");
        gz_transfer_refuse(transfer);
    } else if (transfer->error.status != GZ_OK) {
        give_up_import(transfer);
    }
}

static void borrow_core(struct gz_transfer *transfer)
{
    transfer->place = AT_WORKER;
    gz_fail(&transfer->error, GZ_BAD_STATE, "the server is going away");
    transfer->loan = (struct gz_loan){.run = run_import,
                                      .done = handle_given,
                                      .context = transfer,
                                      .user = gz_transfer_payer(transfer)};
    gz_open_scene_lend(transfer->scene, &transfer->loan);
}

/* Gives the bytes and the triangles to the core. */
static void give_to_core(struct gz_transfer *transfer)
{
    const bool adds = transfer->request != NULL && transfer->request->what == GZ_HTTP_ADD;
    transfer->import.surfaces =
        gz_triangles_admit(transfer->all->scenes, transfer->scene, !adds, transfer->import.surfaces,
                           transfer->import.surfaces_status);
    transfer->given = (struct gz_core_import){.user = import_user(transfer),
                                              .payer = gz_transfer_payer(transfer),
                                              .adds = adds,
                                              .below = adds ? transfer->request->below : 0,
                                              .ids = transfer->ids,
                                              .sha256 = transfer->sha256,
                                              .nodes = transfer->nodes,
                                              .count = transfer->import.count,
                                              .asset = transfer->bytes,
                                              .asset_size = transfer->body->size,
                                              .asset_owner = transfer->body,
                                              .finish = gz_body_destroy,
                                              .surfaces = transfer->import.surfaces,
                                              .done = handle_stored,
                                              .context = transfer};
    borrow_core(transfer);
}

/* Whether the cluster's log has a scene of this name that the folder lacked. */
static bool was_there(const struct gz_transfer *transfer)
{
    const struct gz_scene_lease *claim = transfer->scene->claim;
    return transfer->made && claim != NULL && !gz_scene_lease_is_new(claim);
}

static void finish_found(struct gz_transfer *transfer)
{
    const struct gz_http_request *request = transfer->request;
    if (was_there(transfer)) {
        transfer->made = false;
        if (request == NULL) { /* the sample exists */
            transfer->done(transfer->done_context, &transfer->error);
            gz_transfer_free(transfer);
            return;
        }
        if (!request->replace)
            transfer->error.status = refuse_replacing(transfer->name, &transfer->error);
    }
    if (transfer->error.status == GZ_OK) transfer->error.status = gz_transfer_authorise(transfer);
    if (transfer->error.status == GZ_OK)
        give_to_core(transfer);
    else
        give_up_import(transfer);
}

void gz_upload_finish(struct gz_transfer *transfer)
{
    transfer->error.status = find_target(transfer);
    if (transfer->error.status != GZ_OK)
        gz_transfer_refuse(transfer);
    else if (transfer->scene != NULL)
        finish_found(transfer);
}
