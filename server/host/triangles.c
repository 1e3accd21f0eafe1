/* Makes the triangles of opened scenes, and bounds those of all scenes. See triangles.h. */
#include "host/triangles.h"

#include <stdlib.h>
#include <string.h>

#include "gltf/gltf.h"
#include "host/loan.h"
#include "server/maxima.h"

/* ---- the memory limit ---- */

/* The bytes of all other scenes, and of the scene's own triangles unless they will be replaced. */
static uint64_t bytes_beside(const struct gz_scenes *scenes, const struct gz_open_scene *scene,
                             bool replaces)
{
    uint64_t bytes = 0;
    const struct gz_open_scene *other = NULL;
    while ((other = gz_scenes_next(scenes, other)) != NULL) {
        struct gz_core_summary summary = gz_open_scene_summary(other);
        bytes += summary.surface_bytes_before;
        if (other != scene || !replaces) bytes += summary.surface_bytes;
    }
    return bytes;
}

/* Of all scenes; no more than a quarter of the process' memory. */
static uint64_t most_bytes(const struct gz_scenes *scenes)
{
    const struct gz_memory *memory = scenes->setting->memory;
    const uint64_t quarter = memory != NULL ? memory->bytes_max / 4 : 0;
    return quarter > 0 && quarter < GZ_SURFACE_BYTES_MAX ? quarter : GZ_SURFACE_BYTES_MAX;
}

struct gz_surfaces *gz_triangles_admit(const struct gz_scenes *scenes,
                                       const struct gz_open_scene *scene, bool replaces,
                                       struct gz_surfaces *surfaces, enum gz_status status)
{
    const struct gz_log *log = scenes->setting->log;
    const char *name = scene->name;
    if (status == GZ_NO_MEMORY) gz_log(log, GZ_WARN, 0, "%s: no memory for its triangles", name);
    if (surfaces == NULL) return NULL;
    if (surfaces->left_out > 0)
        gz_log(log, GZ_WARN, 0, "%s: %zu meshes are picked by their bounds: more than %d triangles",
               name, surfaces->left_out, GZ_SURFACE_TRIANGLES_MAX);
    if (bytes_beside(scenes, scene, replaces) + surfaces->bytes <= most_bytes(scenes))
        return surfaces;
    gz_log(log, GZ_WARN, 0,
           "%s: picked by bounds: no room for %zu triangles beside those of other scenes", name,
           surfaces->triangle_count);
    gz_jobs_free(scenes->setting->jobs, surfaces, free);
    return NULL;
}

/* ---- triangles that a core wants ---- */

struct making {
    struct gz_job job;
    struct gz_scene_wait wait; /* if the core is lent */
    struct gz_scenes *scenes;
    char name[GZ_SCENE_NAME_BYTES_MAX + 1];
    char *path;
    uint64_t epoch; /* of the scene then */
    uint64_t first; /* the file begins at this number */
    struct gz_surfaces *surfaces;
    struct gz_error error;
};

static void run_making(struct gz_job *job)
{
    struct making *making = job->context;
    struct gz_buffer asset;
    gz_buffer_init(&asset, GZ_ASSET_BYTES_MAX, 0);
    enum gz_status status = gz_store_asset(making->path, making->first, &asset, &making->error);
    if (status == GZ_OK)
        status = gz_surfaces_read(&making->surfaces, asset.data, asset.size, &making->error);
    making->error.status = status;
    gz_buffer_finish(&asset);
}

/* Gives the triangles to the scene; whether it took them. */
static bool hand_over(struct making *making, struct gz_open_scene *scene)
{
    enum gz_status status = making->error.status;
    if (status != GZ_OK && status != GZ_NO_MEMORY)
        gz_log(scene->setting->log, GZ_WARN, 0, "%s: picked by bounds: %s", scene->name,
               making->error.message);
    making->surfaces = gz_triangles_admit(making->scenes, scene, false, making->surfaces, status);
    return making->surfaces != NULL &&
           gz_core_take_surfaces(gz_net_core(&scene->net), making->first, making->surfaces);
}

static void free_making(struct making *making)
{
    free(making->path);
    free(making);
}

/* Hands over the triangles, once the core is not lent. */
static void end_making(struct making *making)
{
    struct gz_open_scene *scene = gz_scenes_find_open(making->scenes, making->name);
    bool is_wanted = !making->job.is_cancelled && scene != NULL &&
                     gz_open_scene_summary(scene).epoch == making->epoch;
    if (is_wanted && scene->net.is_lent) {
        gz_scenes_await(scene, &making->wait);
        return;
    }
    bool is_taken = is_wanted && hand_over(making, scene);
    if (!is_taken && making->surfaces != NULL)
        gz_jobs_free(making->job.jobs, making->surfaces, free);
    if (is_wanted) {
        scene->makes_triangles = false;
        gz_triangles_make(making->scenes, scene);
    }
    free_making(making);
}

/* The scene may have been closed meanwhile, so it is looked up again. */
static void handle_core(struct gz_scene_wait *wait, const struct gz_error *error)
{
    (void)error;
    end_making(wait->context);
}

static void handle_made(struct gz_job *job)
{
    end_making(job->context);
}

void gz_triangles_make(struct gz_scenes *scenes, struct gz_open_scene *scene)
{
    uint64_t first;
    if (scene->makes_triangles || scene->net.is_lent ||
        !gz_core_wants_surfaces(gz_net_core(&scene->net), &first))
        return;
    struct making *making = calloc(1, sizeof *making);
    if (making != NULL) making->path = strdup(scene->path);
    if (making == NULL || making->path == NULL) {
        free(making);
        (void)gz_triangles_admit(scenes, scene, false, NULL, GZ_NO_MEMORY);
        return;
    }
    scene->makes_triangles = true;
    making->wait = (struct gz_scene_wait){.again = handle_core, .context = making};
    making->scenes = scenes;
    making->epoch = gz_open_scene_summary(scene).epoch;
    making->first = first;
    memcpy(making->name, scene->name, sizeof making->name);
    making->job = (struct gz_job){.lane = GZ_LANE_TRIANGLES,
                                  .group = "",
                                  .user = "",
                                  .subject = making->name,
                                  .run = run_making,
                                  .done = handle_made,
                                  .context = making};
    gz_job_start(scenes->setting->jobs, &making->job);
}
