/* bounds_index.c - which nodes are where, and a look at them in slices. */
#include "scene/bounds_index.h"

#include <float.h>
#include <stdlib.h>

#include "scene/tree.h"
#include "server/maxima.h"

/* ---- bounds index ---- */

/* Keeps the boxes of the bounds index and scans them. */

/* Beyond this ratio of the longest axis of a transform to its shortest, rounding decides what the
 * transform does to a box. */
#define SQUEEZE_MAX 1e8

void gz_bounds_index_finish(struct gz_bounds_index *index)
{
    for (int side = 0; side < 6; side++) free(index->sides[side]);
    free(index->nodes);
    free(index->found);
    free(index->blocks);
}

/* ---- one box ---- */

/* No result is subnormal, because processors are slow with subnormal numbers. */
static float round_down(double x)
{
    if (!(x >= -FLT_MAX)) return -INFINITY;
    if (x > FLT_MAX) return FLT_MAX;
    float rounded = (float)x;
    if ((double)rounded > x) rounded = nextafterf(rounded, -INFINITY);
    if (fabsf(rounded) >= FLT_MIN) return rounded;
    return x < 0 ? -FLT_MIN : 0;
}

static float round_up(double x)
{
    return -round_down(-x);
}

static bool is_finite(const gz_affine *a)
{
    return gz_finite(a->linear.x) && gz_finite(a->linear.y) && gz_finite(a->linear.z) &&
           gz_finite(a->origin);
}

bool gz_scene_world_box(struct gz_scene *scene, const struct gz_node *node, gz_box *box)
{
    gz_affine world = gz_scene_world(scene, node);
    *box = (gz_box){world.origin, world.origin};
    if (!is_finite(&world)) return false;
    if (node->has_bounds) *box = gz_box_transform(&node->bounds, &world);
    return gz_finite(box->min) && gz_finite(box->max);
}

static double size_of(const gz_mat3 *m)
{
    return sqrt(gz_dot(m->x, m->x) + gz_dot(m->y, m->y) + gz_dot(m->z, m->z));
}

static bool is_squeezed(const gz_mat3 *m)
{
    gz_mat3 inverse;
    return !gz_mat3_inverse(m, &inverse) || !(size_of(m) * size_of(&inverse) <= SQUEEZE_MAX);
}

static void place(struct gz_scene *scene, const struct gz_node *node)
{
    static const gz_box everywhere = {{-INFINITY, -INFINITY, -INFINITY},
                                      {INFINITY, INFINITY, INFINITY}};
    struct gz_bounds_index *index = &scene->bounds_index;
    gz_box box;
    bool known = gz_scene_world_box(scene, node, &box);
    gz_bounds_slot_mark(index, node->slot - 1);
    if (!known || (node->has_bounds && is_squeezed(&node->world.linear))) box = everywhere;
    for (int axis = 0; axis < 3; axis++) {
        index->sides[axis][node->slot - 1] = round_down(gz_component(box.min, axis));
        index->sides[axis + 3][node->slot - 1] = round_up(gz_component(box.max, axis));
    }
}

/* Recomputes up to `most` boxes, and all boxes below the last node. A node that moved and then
 * changed otherwise is found at its last change. */
static bool renew(struct gz_scene *scene, size_t most, size_t *renewed)
{
    struct gz_bounds_index *index = &scene->bounds_index;
    struct gz_moved moved = gz_scene_moved(scene, index->seq, true);
    moved.since = index->branch_seq;
    for (const struct gz_node *node; (node = gz_moved_next(&moved)) != NULL; ++*renewed) {
        if (*renewed >= most && (moved.at == NULL || moved.at == moved.top)) {
            index->seq = node->seq - 1; /* all that changed before the node was looked at */
            return true;
        }
        if (node->gone) {
            gz_bounds_slot_give_back(index, node);
            continue;
        }
        if (!gz_bounds_slot_take(index, node)) return false;
        place(scene, node);
    }
    index->seq = index->branch_seq = scene->seq;
    return true;
}

bool gz_scene_renew_boxes(struct gz_scene *scene, size_t most, size_t *renewed, bool *is_done)
{
    *renewed = 0;
    if (!renew(scene, most, renewed)) return false;
    *is_done = scene->bounds_index.seq == scene->seq;
    return true;
}

/* ---- the cull ---- */

/* So many slots that their boxes and results stay in the first-level cache. */
#define BLOCK GZ_BOUNDS_BLOCK

/* Lowers `reach` to the depth of each box in a half-space, if that is less. */
static void reach_into(const struct gz_bounds_index *index, const gz_plane *plane, size_t first,
                       size_t count, double *reach)
{
    const gz_vec3 n = plane->normal;
    const float *x = index->sides[n.x > 0 ? 3 : 0] + first;
    const float *y = index->sides[n.y > 0 ? 4 : 1] + first;
    const float *z = index->sides[n.z > 0 ? 5 : 2] + first;
    for (size_t i = 0; i < count; i++) {
        double depth = n.x * (double)x[i] + n.y * (double)y[i] + n.z * (double)z[i] + plane->offset;
        reach[i] = depth < reach[i] ? depth : reach[i]; /* a NaN is not less */
    }
}

bool gz_scene_cull(struct gz_scene *scene, const gz_plane *planes, size_t plane_count,
                   struct gz_culled *culled)
{
    struct gz_bounds_index *index = &scene->bounds_index;
    double reach[BLOCK];
    *culled = (struct gz_culled){.count = 0};
    if (!renew(scene, SIZE_MAX, &culled->renewed)) return false;
    for (size_t first = 0; first < index->count; first += BLOCK) {
        size_t count = index->count - first < BLOCK ? index->count - first : BLOCK;
        for (size_t i = 0; i < count; i++) reach[i] = INFINITY;
        for (size_t i = 0; i < plane_count; i++) reach_into(index, &planes[i], first, count, reach);
        for (size_t i = 0; i < count; i++) {
            index->found[culled->count] = index->nodes[first + i];
            culled->count += !(reach[i] < 0);
        }
    }
    culled->nodes = index->found;
    return true;
}

/* ---- all bounds ---- */

/* Computed from the nodes, because the boxes in the index are rounded. Nodes without a finite box
 * do not count. */
static gz_box box_of_block(struct gz_scene *scene, size_t first, size_t count)
{
    gz_box all = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t i = first; i < first + count; i++) {
        gz_box box;
        if (gz_scene_world_box(scene, scene->bounds_index.nodes[i], &box))
            all = gz_box_union(&all, &box);
    }
    return all;
}

bool gz_scene_bounds(struct gz_scene *scene, gz_box *all, size_t *looked_at)
{
    struct gz_bounds_index *index = &scene->bounds_index;
    *looked_at = 0;
    *all = (gz_box){{0, 0, 0}, {0, 0, 0}};
    if (!renew(scene, SIZE_MAX, looked_at)) return false;
    for (size_t first = 0; first < index->count; first += BLOCK) {
        struct gz_bounds_block *block = &index->blocks[first / BLOCK];
        size_t count = index->count - first < BLOCK ? index->count - first : BLOCK;
        if (block->is_stale) {
            block->box = box_of_block(scene, first, count);
            block->is_stale = false;
            *looked_at += count;
        }
        *all = first == 0 ? block->box : gz_box_union(all, &block->box);
    }
    return true;
}

/* ---- look ---- */

/* Looks at the nodes of a region in slices. */

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
