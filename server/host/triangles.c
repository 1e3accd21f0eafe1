#include "host/triangles.h"

#include <stdlib.h>
#include <string.h>

#include "exchange/exchange.h"
#include "server/maxima.h"

/* ---- what there is room for ---- */

struct release_job {
    uv_work_t work;
    struct gz_surfaces *surfaces;
};

static void work_on_release(uv_work_t *work)
{
    struct release_job *job = work->data;
    free(job->surfaces);
}

static void handle_release_done(uv_work_t *work, int status)
{
    struct release_job *job = work->data;
    if (status != 0) free(job->surfaces);
    free(job);
}

void gz_surfaces_release(struct gz_scenes *scenes, struct gz_surfaces *surfaces)
{
    struct release_job *job = scenes->closing || surfaces == NULL ? NULL : calloc(1, sizeof *job);
    if (job == NULL) {
        free(surfaces);
        return;
    }
    job->work.data = job;
    job->surfaces = surfaces;
    uv_queue_work(scenes->loop, &job->work, work_on_release, handle_release_done);
}

/* But for those that the scene has: they are about to be replaced. */
static uint64_t bytes_beside(const struct gz_open_scene *scene)
{
    uint64_t bytes = 0;
    for (const struct gz_open_scene *other = scene->scenes->open; other != NULL;
         other = other->next) {
        struct gz_core_summary summary = gz_core_summary(other->net.core);
        bytes += (other != scene ? summary.surface_bytes : 0) + summary.surface_bytes_before;
    }
    return bytes;
}

struct gz_surfaces *gz_surfaces_admit(const struct gz_open_scene *scene,
                                      struct gz_surfaces *surfaces, enum gz_status status)
{
    struct gz_scenes *scenes = scene->scenes;
    const char *name = scene->name;
    if (status == GZ_NO_MEMORY)
        gz_log(scenes->log, GZ_WARN, 0, "%s: no memory for its triangles", name);
    if (surfaces == NULL) return NULL;
    if (surfaces->left_out > 0) {
        gz_log(scenes->log, GZ_WARN, 0,
               "%s: %zu meshes are picked by their bounds: more than %d triangles", name,
               surfaces->left_out, GZ_SURFACE_TRIANGLES_MAX);
    }
    if (bytes_beside(scene) + surfaces->bytes <= GZ_SURFACE_BYTES_MAX) return surfaces;
    gz_log(scenes->log, GZ_WARN, 0,
           "%s: picked by bounds: no room for %zu triangles beside those of other scenes", name,
           surfaces->triangle_count);
    gz_surfaces_release(scenes, surfaces);
    return NULL;
}

/* ---- those of a scene that is opened ---- */

/* One after the other: many scenes may be opened at once, and the workers have other things to do,
 * which people wait for. */
struct gz_surfaces_job {
    struct gz_surfaces_job *next;
    uv_work_t work;
    struct gz_scenes *scenes;
    struct gz_open_scene *scene; /* NULL once it is closed */
    char *path;
    uint64_t asset_seq;
    struct gz_surfaces *surfaces;
    struct gz_error error;
};

static void work_on_surfaces(uv_work_t *work)
{
    struct gz_surfaces_job *job = work->data;
    struct gz_buffer asset;
    gz_buffer_init(&asset, GZ_ASSET_BYTES_MAX, 0);
    enum gz_status status = gz_store_asset(job->path, &asset, &job->error);
    if (status == GZ_OK)
        status = gz_surfaces_read(&job->surfaces, asset.data, asset.size, &job->error);
    job->error.status = status;
    gz_buffer_finish(&asset);
}

static void hand_over(struct gz_surfaces_job *job)
{
    struct gz_open_scene *scene = job->scene;
    enum gz_status status = job->error.status;
    if (status != GZ_OK && status != GZ_NO_MEMORY)
        gz_log(job->scenes->log, GZ_WARN, 0, "%s: picked by bounds: %s", scene->name,
               job->error.message);
    struct gz_surfaces *surfaces = gz_surfaces_admit(scene, job->surfaces, status);
    job->surfaces = NULL;
    if (surfaces != NULL && !gz_core_take_surfaces(scene->net.core, job->asset_seq, surfaces))
        gz_surfaces_release(scene->scenes, surfaces);
}

static void free_job(struct gz_surfaces_job *job)
{
    gz_surfaces_release(job->scenes, job->surfaces);
    free(job->path);
    free(job);
}

static void begin_first(struct gz_scenes *scenes);

static void handle_surfaces_done(uv_work_t *work, int status)
{
    struct gz_surfaces_job *job = work->data;
    struct gz_scenes *scenes = job->scenes;
    scenes->surfaces_jobs = job->next;
    if (job->scene != NULL) job->scene->surfaces_job = NULL;
    if (job->scene != NULL && status == 0) hand_over(job);
    free_job(job);
    begin_first(scenes);
}

static void begin_first(struct gz_scenes *scenes)
{
    struct gz_surfaces_job *job = scenes->surfaces_jobs;
    if (job != NULL)
        uv_queue_work(scenes->loop, &job->work, work_on_surfaces, handle_surfaces_done);
}

void gz_surfaces_begin(struct gz_open_scene *scene)
{
    struct gz_core_summary summary = gz_core_summary(scene->net.core);
    if (!summary.has_asset) return;
    struct gz_surfaces_job *job = calloc(1, sizeof *job);
    char *path = strdup(scene->path);
    if (job == NULL || path == NULL) {
        free(path);
        free(job);
        (void)gz_surfaces_admit(scene, NULL, GZ_NO_MEMORY);
        return;
    }
    *job = (struct gz_surfaces_job){
        .scenes = scene->scenes, .scene = scene, .path = path, .asset_seq = summary.asset_seq};
    job->work.data = job;
    scene->surfaces_job = job;
    struct gz_surfaces_job **end = &scene->scenes->surfaces_jobs;
    while (*end != NULL) end = &(*end)->next;
    *end = job;
    if (job == scene->scenes->surfaces_jobs) begin_first(scene->scenes);
}

void gz_surfaces_cancel(struct gz_open_scene *scene)
{
    struct gz_surfaces_job *job = scene->surfaces_job, **link = &scene->scenes->surfaces_jobs;
    if (job == NULL) return;
    scene->surfaces_job = NULL;
    job->scene = NULL;
    if (job == *link) {
        uv_cancel((uv_req_t *)&job->work);
        return;
    }
    while (*link != job) link = &(*link)->next;
    *link = job->next;
    free_job(job);
}

bool gz_surfaces_reads(const struct gz_scenes *scenes, const char *path)
{
    return scenes->surfaces_jobs != NULL && strcmp(scenes->surfaces_jobs->path, path) == 0;
}
