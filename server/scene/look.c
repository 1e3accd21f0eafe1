/* look.c - looks at the nodes of a region in slices. See look.h. */
#include "scene/look.h"

#include <stdlib.h>

#include "scene/bounds_index.h"
#include "server/maxima.h"

struct gz_look gz_look_into(const gz_plane *planes, size_t count)
{
    struct gz_look look = {.plane_count = count};
    for (size_t i = 0; i < count; i++) look.planes[i] = planes[i];
    return look;
}

struct gz_look gz_look_at(const struct gz_scene *scene, uint64_t *ids, size_t count)
{
    return (struct gz_look){
        .has_nodes = true, .ids = ids, .count = count, .seq = gz_scene_seq(scene)};
}

void gz_look_finish(struct gz_look *look)
{
    free(look->ids);
    look->ids = NULL;
    look->count = look->next = 0;
}

static void take(size_t *budget, size_t count)
{
    *budget -= count < *budget ? count : *budget;
}

static void spend(struct gz_look *look, size_t *budget, size_t count)
{
    look->spent += count;
    take(budget, count);
}

static size_t scan_cost(const struct gz_scene *scene)
{
    return gz_scene_count(scene) / GZ_SLICE_BOXES_PER_NODE;
}

bool gz_look_fits(const struct gz_scene *scene, size_t budget)
{
    return budget >= scan_cost(scene);
}

static enum gz_look_step find_nodes(struct gz_look *look, struct gz_scene *scene, size_t *budget)
{
    struct gz_culled culled;
    size_t renewed;
    bool is_done;
    if (!gz_scene_renew_boxes(scene, *budget, &renewed, &is_done)) return GZ_LOOK_NO_MEMORY;
    spend(look, budget, renewed);
    if (!is_done) return GZ_LOOK_PAUSE;
    if (!gz_scene_cull(scene, look->planes, look->plane_count, &culled)) return GZ_LOOK_NO_MEMORY;
    take(budget, scan_cost(scene));
    look->ids = malloc((culled.count + 1) * sizeof *look->ids);
    if (look->ids == NULL) return GZ_LOOK_NO_MEMORY;
    for (size_t i = 0; i < culled.count; i++) look->ids[i] = culled.nodes[i]->id;
    look->count = culled.count;
    look->seq = gz_scene_seq(scene);
    look->has_nodes = true;
    return GZ_LOOK_NODE;
}

enum gz_look_step gz_look_next(struct gz_look *look, struct gz_scene *scene, size_t *budget,
                               const struct gz_node **node)
{
    if (*budget == 0) return GZ_LOOK_PAUSE;
    enum gz_look_step step = look->has_nodes ? GZ_LOOK_NODE : find_nodes(look, scene, budget);
    if (step != GZ_LOOK_NODE) return step;
    for (; look->next < look->count; look->next++) {
        if (*budget == 0) return GZ_LOOK_PAUSE;
        spend(look, budget, 1);
        *node = gz_scene_find(scene, look->ids[look->next]);
        if (*node == NULL) continue;
        look->next++;
        return GZ_LOOK_NODE;
    }
    return GZ_LOOK_END;
}
