#include "host/transfer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exchange/exchange.h"
#include "host/retire.h"
#include "host/triangles.h"
#include "net/clock.h"
#include "net/text.h"
#include "server/maxima.h"

/* Backups are made in the folder of the scenes, under names that no scene has, and are deleted once
 * they are open. */
#define BACKUP_PREFIX ".backup-"
/* Who does an import where the request does not say. */
#define USER_DEFAULT "http"

static_assert(GZ_ASSET_TAG_BYTES + 2 <= GZ_ETAG_BYTES, "a tag and its quotes");

struct listed_scene {
    char name[GZ_SCENE_NAME_BYTES_MAX + 1];
    uint64_t nodes, seq, users;
    double changed; /* Unix seconds */
    bool is_open;
};

typedef void (*sample_done)(void *context, enum gz_status status, const char *message);

/* One request on its way: prepared on the loop, worked on by a worker, finished on the loop. */
struct gz_transfer_job {
    uv_work_t work;
    struct gz_scenes *scenes;
    struct gz_transfer_job *next;
    struct gz_http_request *request; /* NULL for the sample */
    const struct kind *kind;
    char name[GZ_SCENE_NAME_BYTES_MAX + 1];
    char new_name[GZ_SCENE_NAME_BYTES_MAX + 1]; /* rename */
    char *path;
    bool working;          /* a worker has it */
    bool retiring;         /* the retirement of its scene will answer it */
    struct gz_error error; /* status GZ_OK: all is well so far */
    int http_code;         /* of the error; 0 for the one of its status */
    struct gz_buffer out;
    const char *type;
    char etag[GZ_ETAG_BYTES];
    int file;
    /* import */
    struct gz_import import;
    struct gz_core_import_node *nodes;
    struct gz_open_scene *scene;
    bool made;
    sample_done done;
    void *done_context;
    /* export */
    struct gz_arena arena;
    const struct gz_node_record *records;
    size_t record_count;
    bool has_asset;
    char dropped[GZ_DROPPED_BYTES];
    /* list */
    struct listed_scene *listed;
    size_t listed_count;
};

struct kind {
    enum gz_status (*prepare)(struct gz_transfer_job *job); /* NULL for nothing to prepare */
    enum gz_status (*run)(struct gz_transfer_job *job);     /* on a worker */
    void (*finish)(
        struct gz_transfer_job *job); /* answers and frees, or sees to it that somebody does */
    enum gz_retire_how how;           /* without `run`: the scene gives up its name */
};

/* ---- jobs ---- */

static struct gz_transfer_job *create_job(struct gz_scenes *scenes, const struct kind *kind,
                                          const char *name)
{
    struct gz_transfer_job *job = calloc(1, sizeof *job);
    char *path = gz_scene_path(scenes, name);
    if (job == NULL || path == NULL) {
        free(path);
        free(job);
        return NULL;
    }
    job->scenes = scenes;
    job->kind = kind;
    job->path = path;
    job->file = -1;
    job->work.data = job;
    snprintf(job->name, sizeof job->name, "%s", name);
    gz_buffer_init(&job->out, GZ_HTTP_ANSWER_BYTES_MAX, 0);
    gz_arena_init(&job->arena, GZ_HTTP_ANSWER_BYTES_MAX);
    job->next = scenes->jobs;
    scenes->jobs = job;
    return job;
}

static void free_job(struct gz_transfer_job *job)
{
    struct gz_transfer_job **link = &job->scenes->jobs;
    while (*link != job) link = &(*link)->next;
    *link = job->next;
    if (job->file >= 0) close(job->file);
    gz_buffer_finish(&job->out);
    gz_arena_finish(&job->arena);
    gz_surfaces_release(job->scenes, job->import.surfaces);
    job->import.surfaces = NULL;
    gz_import_finish(&job->import);
    free(job->nodes);
    free(job->listed);
    free(job->path);
    free(job);
}

static void refuse_job(struct gz_transfer_job *job)
{
    if (job->request != NULL) {
        gz_http_refuse(job->request, job->http_code, &job->error);
    } else {
        job->done(job->done_context, job->error.status, job->error.message);
    }
    free_job(job);
}

/* What the job made goes to its request. */
static void answer_job(struct gz_transfer_job *job, int code)
{
    struct gz_http_answer answer = {
        .code = code, .type = job->type, .body = job->out, .file = job->file};
    memcpy(answer.etag, job->etag, sizeof answer.etag);
    memcpy(answer.dropped, job->dropped, sizeof answer.dropped);
    job->out = (struct gz_buffer){0};
    job->file = -1;
    gz_http_answer(job->request, &answer);
    free_job(job);
}

static void work_on_job(uv_work_t *work)
{
    struct gz_transfer_job *job = work->data;
    job->error.status = job->kind->run(job);
}

static void handle_job_done(uv_work_t *work, int status)
{
    struct gz_transfer_job *job = work->data;
    job->working = false;
    if (status != 0 || job->scenes->closing)
        gz_fail(&job->error, GZ_BAD_STATE, "the server is going away");
    if (job->error.status != GZ_OK) {
        refuse_job(job);
    } else {
        job->kind->finish(job);
    }
}

static void start_job(struct gz_transfer_job *job)
{
    if (job->kind->prepare != NULL) job->error.status = job->kind->prepare(job);
    if (job->error.status != GZ_OK) {
        refuse_job(job);
        return;
    }
    job->working = true;
    uv_queue_work(job->scenes->loop, &job->work, work_on_job, handle_job_done);
}

static enum gz_status prepare_existing(struct gz_transfer_job *job)
{
    enum gz_status status = gz_scene_name_check("scene", job->name, &job->error);
    if (status == GZ_OK) status = gz_retire_check(job->scenes, job->name, &job->error);
    if (status != GZ_OK) return status;
    if (!gz_scene_exists(job->scenes, job->name)) {
        return gz_fail(&job->error, GZ_UNKNOWN_SCENE, "there is no scene %s", job->name);
    }
    return GZ_OK;
}

static void finish_with_answer(struct gz_transfer_job *job)
{
    answer_job(job, 200);
}

/* ---- asset and backup: from the file ---- */

/* Where another one is imported between the two looks, it goes by the tag of the one before, which
 * does not come again. */
static enum gz_status run_asset(struct gz_transfer_job *job)
{
    char tag[GZ_ASSET_TAG_BYTES];
    enum gz_status status = gz_store_asset_tag(job->path, tag, &job->error);
    if (status == GZ_OK) {
        snprintf(job->etag, sizeof job->etag, "\"%s\"", tag);
        if (gz_http_knows(job->request, job->etag)) return GZ_OK;
        status = gz_store_asset(job->path, &job->out, &job->error);
    }
    if (status == GZ_BAD_STATE) job->http_code = 404;
    if (status == GZ_OK) job->type = gz_gltf_media_type(job->out.data, job->out.size);
    return status;
}

static enum gz_status run_backup(struct gz_transfer_job *job)
{
    char *copy;
    if (asprintf(&copy, "%s/" BACKUP_PREFIX "%d-%p", job->scenes->folder, (int)getpid(),
                 (void *)job) < 0) {
        return gz_fail(&job->error, GZ_NO_MEMORY, "out of memory");
    }
    enum gz_status status = gz_store_backup(job->path, copy, &job->error);
    if (status == GZ_OK) {
        job->file = open(copy, O_RDONLY | O_CLOEXEC);
        if (job->file < 0)
            status =
                gz_fail(&job->error, GZ_STORAGE, "the backup cannot be read: %s", strerror(errno));
    }
    unlink(copy);
    free(copy);
    job->type = "application/vnd.sqlite3";
    return status;
}

/* ---- export: the nodes as the core has them, in the asset from the file ---- */

static enum gz_status prepare_export(struct gz_transfer_job *job)
{
    enum gz_status status = prepare_existing(job);
    if (status == GZ_OK)
        status = gz_scenes_find(job->scenes, job->name, false, &job->scene, &job->error);
    if (status != GZ_OK) return status;
    job->has_asset = gz_core_summary(job->scene->net.core).has_asset;
    status = gz_core_nodes(job->scene->net.core, &job->arena, &job->records, &job->record_count);
    return status == GZ_OK ? GZ_OK : gz_fail(&job->error, status, "no memory for the nodes");
}

static struct gz_export_node *export_nodes(struct gz_transfer_job *job)
{
    struct gz_export_node *nodes = gz_arena_take(&job->arena, job->record_count, sizeof *nodes);
    if (nodes == NULL) return NULL;
    for (size_t i = 0; i < job->record_count; i++) {
        const struct gz_node_record *record = &job->records[i];
        nodes[i] = (struct gz_export_node){.id = record->id,
                                           .parent = record->content.parent,
                                           .asset = record->content.asset,
                                           .name = record->content.name,
                                           .trs = record->content.trs};
    }
    return nodes;
}

static enum gz_status run_export(struct gz_transfer_job *job)
{
    struct gz_buffer asset;
    gz_buffer_init(&asset, GZ_ASSET_BYTES_MAX, 0);
    const struct gz_export_node *nodes = export_nodes(job);
    enum gz_status status =
        nodes != NULL ? GZ_OK : gz_fail(&job->error, GZ_NO_MEMORY, "no memory for the nodes");
    if (status == GZ_OK && job->has_asset) status = gz_store_asset(job->path, &asset, &job->error);
    if (status == GZ_OK) {
        status = gz_export_write(&job->out, asset.data, asset.size, nodes, job->record_count,
                                 job->dropped, &job->error);
    }
    if (status == GZ_OK) job->type = gz_gltf_media_type(job->out.data, job->out.size);
    gz_buffer_finish(&asset);
    return status;
}

static enum gz_status convert_export(struct gz_transfer_job *job, bool binary)
{
    enum gz_status status = run_export(job);
    if (status != GZ_OK) return status;
    struct gz_buffer written = job->out;
    gz_buffer_init(&job->out, GZ_HTTP_ANSWER_BYTES_MAX, 0);
    status = gz_gltf_convert(&job->out, written.data, written.size, binary, &job->error);
    if (status == GZ_OK) job->type = gz_gltf_media_type(job->out.data, job->out.size);
    gz_buffer_finish(&written);
    return status;
}

static enum gz_status run_export_glb(struct gz_transfer_job *job)
{
    return convert_export(job, true);
}

static enum gz_status run_export_gltf(struct gz_transfer_job *job)
{
    return convert_export(job, false);
}

/* ---- list: the files of the folder, and what is known better of those that are open ---- */

static bool is_scene_file(const char *file, char name[GZ_SCENE_NAME_BYTES_MAX + 1])
{
    size_t size = strlen(file);
    if (size <= 3 || strcmp(file + size - 3, ".db") != 0 || !gz_scene_name_valid(file, size - 3))
        return false;
    memcpy(name, file, size - 3);
    name[size - 3] = '\0';
    return true;
}

static enum gz_status list_scene(struct gz_transfer_job *job, const char *name)
{
    struct gz_store_summary summary;
    struct gz_error error;
    char *path = gz_scene_path(job->scenes, name);
    if (path == NULL) return GZ_NO_MEMORY;
    enum gz_status status = gz_store_summary(path, &summary, &error);
    free(path);
    if (status != GZ_OK) {
        gz_log(job->scenes->log, GZ_WARN, 0, "%s: cannot be listed: %s", name, error.message);
        return GZ_OK;
    }
    if ((job->listed_count & (job->listed_count - 1)) == 0) {
        size_t room = job->listed_count > 0 ? 2 * job->listed_count : 1;
        struct listed_scene *grown = realloc(job->listed, room * sizeof *grown);
        if (grown == NULL) return GZ_NO_MEMORY;
        job->listed = grown;
    }
    struct listed_scene *listed = &job->listed[job->listed_count++];
    *listed = (struct listed_scene){
        .nodes = summary.nodes, .seq = summary.seq, .changed = summary.changed};
    snprintf(listed->name, sizeof listed->name, "%s", name);
    return GZ_OK;
}

static int compare_listed(const void *a, const void *b)
{
    return strcmp(((const struct listed_scene *)a)->name, ((const struct listed_scene *)b)->name);
}

static enum gz_status run_list(struct gz_transfer_job *job)
{
    char name[GZ_SCENE_NAME_BYTES_MAX + 1];
    enum gz_status status = GZ_OK;
    DIR *folder = opendir(job->scenes->folder);
    if (folder == NULL)
        return gz_fail(&job->error, GZ_STORAGE, "the folder cannot be read: %s", strerror(errno));
    for (struct dirent *entry; status == GZ_OK && (entry = readdir(folder)) != NULL;) {
        if (is_scene_file(entry->d_name, name)) status = list_scene(job, name);
    }
    closedir(folder);
    if (status != GZ_OK) return gz_fail(&job->error, status, "no memory for the list");
    if (job->listed_count > 0)
        qsort(job->listed, job->listed_count, sizeof *job->listed, compare_listed);
    return GZ_OK;
}

static void use_what_is_open(struct gz_transfer_job *job)
{
    for (struct gz_open_scene *scene = job->scenes->open; scene != NULL; scene = scene->next) {
        struct gz_core_summary summary = gz_core_summary(scene->net.core);
        for (size_t i = 0; i < job->listed_count; i++) {
            if (strcmp(job->listed[i].name, scene->name) != 0) continue;
            job->listed[i].nodes = summary.nodes;
            job->listed[i].seq = summary.seq;
            job->listed[i].users = summary.users;
            job->listed[i].is_open = true;
        }
    }
}

static void finish_list(struct gz_transfer_job *job)
{
    use_what_is_open(job);
    bool ok = gz_text_print(&job->out, "[");
    for (size_t i = 0; ok && i < job->listed_count; i++) {
        const struct listed_scene *listed = &job->listed[i];
        ok = gz_text_print(&job->out,
                           "%s{\"name\":\"%s\",\"nodes\":%" PRIu64 ",\"seq\":%" PRIu64
                           ",\"users\":%" PRIu64 ",\"open\":%s,\"changed\":%.3f}",
                           i > 0 ? ",\n" : "", listed->name, listed->nodes, listed->seq,
                           listed->users, listed->is_open ? "true" : "false", listed->changed);
    }
    ok = ok && gz_text_print(&job->out, "]\n");
    job->type = "application/json";
    if (ok) {
        answer_job(job, 200);
        return;
    }
    gz_fail(&job->error, GZ_NO_MEMORY, "no memory for the list");
    refuse_job(job);
}

/* ---- import ---- */

static const uint8_t *import_bytes(const struct gz_transfer_job *job, size_t *size)
{
    *size = job->request != NULL ? job->request->body.size : gz_sample_glb_size;
    return job->request != NULL ? job->request->body.data : gz_sample_glb;
}

static enum gz_status run_import(struct gz_transfer_job *job)
{
    size_t size;
    const uint8_t *bytes = import_bytes(job, &size);
    enum gz_status status = gz_import_parse(&job->import, bytes, size, &job->error);
    if (status != GZ_OK) {
        job->import = (struct gz_import){0};
        if (status == GZ_VERSION) job->http_code = 400; /* the file's, not ours */
        return status;
    }
    job->nodes = calloc(job->import.count > 0 ? job->import.count : 1, sizeof *job->nodes);
    if (job->nodes == NULL) return gz_fail(&job->error, GZ_NO_MEMORY, "no memory for the nodes");
    for (size_t i = 0; i < job->import.count; i++) {
        const struct gz_import_node *node = &job->import.nodes[i];
        job->nodes[i] = (struct gz_core_import_node){.parent = node->parent,
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
    refuse_job(context);
}

/* A scene that was made for an import which failed is as if it had never been, unless somebody came
 * meanwhile. Nothing else can be in it: what others asked after the import was refused with it, see
 * gz_core_refuse_batch. */
static void give_up_import(struct gz_transfer_job *job)
{
    struct gz_retire_request request = {.how = GZ_RETIRE_DELETE,
                                        .name = job->name,
                                        .user = "",
                                        .done = handle_import_undone,
                                        .context = job};
    bool is_unwanted = job->made && job->scene->net.connections == NULL;
    job->retiring = is_unwanted && gz_retire(job->scenes, &request, &(struct gz_error){0}) == GZ_OK;
    if (!job->retiring) refuse_job(job);
}

static void handle_imported(void *context, enum gz_status status, const char *message)
{
    struct gz_transfer_job *job = context;
    if (status != GZ_OK) {
        gz_fail(&job->error, status, "%s", message != NULL ? message : "the import was not saved");
        give_up_import(job);
        return;
    }
    struct gz_core_summary summary = gz_core_summary(job->scene->net.core);
    gz_log(job->scenes->log, GZ_INFO, 0, "%s: imported, %zu nodes", job->name, job->import.count);
    if (job->request == NULL) {
        job->done(job->done_context, GZ_OK, "");
        free_job(job);
        return;
    }
    bool ok = gz_text_print(
        &job->out,
        "{\"scene\":\"%s\",\"nodes\":%zu,\"matrices\":%zu,\"residual\":%.17g,\"seq\":%" PRIu64
        "}\n",
        job->name, job->import.count, job->import.matrix_count, job->import.residual_max,
        summary.seq);
    if (!ok) gz_buffer_clear(&job->out);
    job->type = "application/json";
    answer_job(job, job->made ? 201 : 200);
}

static enum gz_status find_target(struct gz_transfer_job *job)
{
    job->made = !gz_scene_exists(job->scenes, job->name);
    if (!job->made && job->request != NULL) {
        enum gz_status status = gz_transfer_admit(job->scenes, job->request, &job->error);
        if (status != GZ_OK) return status;
    }
    return gz_scenes_find(job->scenes, job->name, true, &job->scene, &job->error);
}

static void finish_import(struct gz_transfer_job *job)
{
    size_t size;
    const uint8_t *bytes = import_bytes(job, &size);
    job->error.status = find_target(job);
    if (job->error.status != GZ_OK) {
        job->scene = NULL;
        refuse_job(job);
        return;
    }
    struct gz_surfaces *surfaces =
        gz_surfaces_admit(job->scene, job->import.surfaces, job->import.surfaces_status);
    job->import.surfaces = NULL;
    const char *user = job->request == NULL            ? "sample"
                       : job->request->user[0] == '\0' ? USER_DEFAULT
                                                       : job->request->user;
    struct gz_core_import import = {.user = user,
                                    .nodes = job->nodes,
                                    .count = job->import.count,
                                    .asset = bytes,
                                    .asset_size = size,
                                    .surfaces = surfaces,
                                    .done = handle_imported,
                                    .context = job};
    job->scene->net.touched = true;
    job->error.status = gz_core_import(job->scene->net.core, &import, gz_clock_now(), &job->error);
    if (job->error.status == GZ_OK) return;
    gz_surfaces_release(job->scenes, surfaces);
    give_up_import(job);
}

/* ---- deleting and renaming ---- */

static void handle_retired(void *context, const struct gz_error *error)
{
    struct gz_transfer_job *job = context;
    job->error = *error;
    bool renames = job->kind->how == GZ_RETIRE_RENAME;
    if (job->error.status == GZ_OK && renames &&
        !gz_text_print(&job->out, "{\"scene\":\"%s\"}\n", job->new_name))
        gz_fail(&job->error, GZ_NO_MEMORY, "out of memory");
    job->type = "application/json";
    if (job->error.status == GZ_OK)
        answer_job(job, renames ? 200 : 204);
    else
        refuse_job(job);
}

static enum gz_status read_new_name(struct gz_transfer_job *job)
{
    if (job->kind->how != GZ_RETIRE_RENAME) return GZ_OK;
    const struct gz_buffer *body = &job->request->body;
    enum gz_status status = gz_json_member(body->data, body->size, "name", job->new_name,
                                           sizeof job->new_name, &job->error);
    return status == GZ_OK ? gz_scene_name_check("name", job->new_name, &job->error) : status;
}

static void retire(struct gz_transfer_job *job)
{
    struct gz_retire_request request = {.how = job->kind->how,
                                        .name = job->name,
                                        .new_name = job->new_name,
                                        .user = job->request->user,
                                        .done = handle_retired,
                                        .context = job};
    enum gz_status status = gz_scene_name_check("scene", job->name, &job->error);
    if (status == GZ_OK) status = read_new_name(job);
    if (status == GZ_OK) status = gz_retire(job->scenes, &request, &job->error);
    job->retiring = status == GZ_OK;
    if (!job->retiring) refuse_job(job);
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

enum gz_status gz_transfer_admit(struct gz_scenes *scenes, const struct gz_http_request *request,
                                 struct gz_error *error)
{
    enum gz_status status = gz_scene_name_check("scene", request->scene, error);
    if (status != GZ_OK || request->what == GZ_HTTP_RENAME) return status;
    if (!request->replace && gz_scene_exists(scenes, request->scene)) {
        return gz_fail(error, GZ_CONFLICT,
                       "scene: %s is there already; it is replaced only where that is asked for "
                       "(?replace, --replace)",
                       request->scene);
    }
    return GZ_OK;
}

void gz_transfer_serve(struct gz_scenes *scenes, struct gz_http_request *request)
{
    struct gz_transfer_job *job = create_job(scenes, &kinds[request->what], request->scene);
    if (job == NULL) {
        struct gz_error error;
        gz_fail(&error, GZ_NO_MEMORY, "out of memory");
        gz_http_refuse(request, 0, &error);
        return;
    }
    job->request = request;
    if (job->kind->run == NULL)
        retire(job);
    else
        start_job(job);
}

void gz_transfer_sample(struct gz_scenes *scenes, const char *name, sample_done done, void *context)
{
    if (gz_scene_exists(scenes, name)) {
        struct gz_open_scene *scene;
        struct gz_error error = {.message = ""};
        enum gz_status status = gz_scenes_find(scenes, name, false, &scene, &error);
        done(context, status, error.message);
        return;
    }
    struct gz_transfer_job *job = create_job(scenes, &kinds[GZ_HTTP_IMPORT], name);
    if (job == NULL) {
        done(context, GZ_NO_MEMORY, "out of memory");
        return;
    }
    job->done = done;
    job->done_context = context;
    start_job(job);
}

void gz_transfer_cancel(struct gz_scenes *scenes)
{
    struct gz_transfer_job *next;
    for (struct gz_transfer_job *job = scenes->jobs; job != NULL; job = next) {
        next = job->next;
        if (job->working) {
            uv_cancel((uv_req_t *)&job->work);
            continue;
        }
        if (job->retiring) continue;
        gz_fail(&job->error, GZ_BAD_STATE, "the server is going away");
        refuse_job(job);
    }
}

bool gz_transfer_reads(const struct gz_scenes *scenes, const char *name)
{
    const struct gz_transfer_job *job = scenes->jobs;
    while (job != NULL &&
           (!job->working || (job->kind->run != run_list && strcmp(job->name, name) != 0)))
        job = job->next; /* the list reads every file */
    return job != NULL;
}

/* What stands beside NAME.db if that is gone: a crash came between, or the file was moved. */
static void tidy_scene(const struct gz_scenes *scenes, DIR *folder, const char *file)
{
    char name[GZ_SCENE_NAME_BYTES_MAX + 1];
    struct gz_error error;
    size_t size;
    const char *of = gz_store_beside(file, &size);
    if (of == NULL || !gz_scene_name_valid(of, size)) return;
    snprintf(name, sizeof name, "%.*s", (int)size, of);
    if (of == file && gz_scene_exists(scenes, name)) return;
    char *path = gz_scene_path(scenes, name);
    enum gz_status status = path != NULL ? gz_store_tidy(path, &error) : GZ_NO_MEMORY;
    if (faccessat(dirfd(folder), file, F_OK, 0) != 0)
        gz_log(scenes->log, GZ_INFO, 0, "deleted %s, which a crash had left", file);
    else if (status == GZ_STORAGE)
        gz_log(scenes->log, GZ_WARN, 0, "%s", error.message);
    free(path);
}

void gz_transfer_tidy(const struct gz_scenes *scenes)
{
    DIR *folder = opendir(scenes->folder);
    if (folder == NULL) return;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (faccessat(dirfd(folder), entry->d_name, F_OK, 0) == 0)
            tidy_scene(scenes, folder, entry->d_name);
        if (strncmp(entry->d_name, BACKUP_PREFIX, strlen(BACKUP_PREFIX)) != 0) continue;
        if (unlinkat(dirfd(folder), entry->d_name, 0) == 0) {
            gz_log(scenes->log, GZ_INFO, 0, "deleted %s, which a crash had left", entry->d_name);
        }
    }
    closedir(folder);
}
