/* relief.c - forgets what open scenes can spare. See relief.h. */
#include "host/relief.h"

#include <math.h>

#include "host/loan.h"

/* ---- undo ---- */

/* The scene with the oldest edit that can be undone, and when the next oldest one of another scene
 * ended. */
static struct gz_open_scene *oldest_scene(const struct gz_scenes *scenes, double *next_s)
{
    struct gz_open_scene *oldest = NULL, *scene = NULL;
    double oldest_s = INFINITY;
    *next_s = INFINITY;
    while ((scene = gz_scenes_next(scenes, scene)) != NULL) {
        if (scene->net.is_lent) continue;
        const double ended_s = gz_core_oldest_undo_s(gz_net_core(&scene->net));
        *next_s = fmin(*next_s, fmax(oldest_s, ended_s));
        if (ended_s >= oldest_s) continue;
        oldest_s = ended_s;
        oldest = scene;
    }
    return oldest;
}

static uint64_t forget_undo(const struct gz_scenes *scenes, uint64_t bytes)
{
    uint64_t freed = 0;
    double next_s;
    struct gz_open_scene *scene;
    while (freed < bytes && (scene = oldest_scene(scenes, &next_s)) != NULL) {
        struct gz_core *core = gz_net_core(&scene->net);
        do {
            freed += gz_core_forget_undo(core);
        } while (freed < bytes && gz_core_oldest_undo_s(core) < next_s);
    }
    return freed;
}

/* ---- deleted nodes ---- */

static uint64_t forget_graves(const struct gz_scenes *scenes, uint64_t bytes)
{
    uint64_t freed = 0;
    struct gz_open_scene *scene = NULL;
    while (freed < bytes && (scene = gz_scenes_next(scenes, scene)) != NULL) {
        if (!scene->net.is_lent) freed += gz_core_forget_graves(gz_net_core(&scene->net));
    }
    return freed;
}

/* ---- all ---- */

uint64_t gz_scenes_spare(const struct gz_scenes *scenes)
{
    uint64_t bytes = 0;
    const struct gz_open_scene *scene = NULL;
    while ((scene = gz_scenes_next(scenes, scene)) != NULL)
        bytes += gz_open_scene_summary(scene).undo_bytes + gz_open_scene_summary(scene).grave_bytes;
    return bytes;
}

uint64_t gz_scenes_relieve(struct gz_scenes *scenes, uint64_t bytes)
{
    uint64_t freed = forget_undo(scenes, bytes);
    if (freed < bytes) freed += forget_graves(scenes, bytes - freed);
    if (freed < bytes) freed += gz_scenes_close_unused(scenes, bytes - freed);
    return freed;
}
