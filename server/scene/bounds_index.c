#include "scene/bounds_index.h"

#include <float.h>
#include <stdlib.h>

#include "scene/internal.h"

/* Beyond this ratio of its longest way to its shortest, rounding decides what a transform does to a
 * box. */
#define SQUEEZE_MAX 1e8

void gz_bounds_index_finish(struct gz_bounds_index *boxes)
{
    for (int side = 0; side < 6; side++) free(boxes->sides[side]);
    free(boxes->nodes);
    free(boxes->found);
}

/* ---- one box ---- */

/* No result is subnormal: processors are slow with those. */
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
    struct gz_bounds_index *boxes = &scene->bounds_index;
    gz_box box;
    bool known = gz_scene_world_box(scene, node, &box);
    if (!known || (node->has_bounds && is_squeezed(&node->world.linear))) box = everywhere;
    for (int axis = 0; axis < 3; axis++) {
        boxes->sides[axis][node->slot - 1] = round_down(gz_component(box.min, axis));
        boxes->sides[axis + 3][node->slot - 1] = round_up(gz_component(box.max, axis));
    }
}

/* ---- slots ---- */

static bool reserve(struct gz_bounds_index *boxes, size_t count)
{
    if (count <= boxes->capacity) return true;
    size_t capacity = boxes->capacity;
    for (int side = 0; side < 6; side++) {
        capacity = boxes->capacity;
        if (!gz_grow(&boxes->sides[side], &capacity, count, sizeof *boxes->sides[side]))
            return false;
    }
    size_t nodes = boxes->capacity, found = boxes->capacity;
    if (!gz_grow(&boxes->nodes, &nodes, count, sizeof *boxes->nodes)) return false;
    if (!gz_grow(&boxes->found, &found, count, sizeof *boxes->found)) return false;
    boxes->capacity = capacity;
    return true;
}

static bool take_slot(struct gz_bounds_index *boxes, const struct gz_node *node)
{
    if (node->slot != 0) return true;
    if (!reserve(boxes, boxes->count + 1)) return false;
    boxes->nodes[boxes->count++] = node;
    ((struct gz_node *)node)->slot = (uint32_t)boxes->count;
    return true;
}

/* The last one moves into the hole. */
static void give_slot_back(struct gz_bounds_index *boxes, const struct gz_node *node)
{
    if (node->slot == 0) return;
    size_t hole = node->slot - 1, last = --boxes->count;
    for (int side = 0; side < 6; side++) boxes->sides[side][hole] = boxes->sides[side][last];
    boxes->nodes[hole] = boxes->nodes[last];
    ((struct gz_node *)boxes->nodes[hole])->slot = node->slot;
    ((struct gz_node *)node)->slot = 0;
}

/* Who was deleted may be forgotten by now: then nothing here can be relied on. */
static void begin_anew(struct gz_scene *scene)
{
    for (struct gz_node *node = scene->oldest; node != NULL; node = node->newer) node->slot = 0;
    scene->bounds_index.count = 0;
    scene->bounds_index.seq = 0;
}

static bool renew(struct gz_scene *scene, size_t *renewed)
{
    struct gz_bounds_index *boxes = &scene->bounds_index;
    if (boxes->seq < scene->forgotten) begin_anew(scene);
    struct gz_moved moved = gz_scene_moved(scene, boxes->seq, true);
    for (const struct gz_node *node; (node = gz_moved_next(&moved)) != NULL; ++*renewed) {
        if (node->gone) {
            give_slot_back(boxes, node);
            continue;
        }
        if (!take_slot(boxes, node)) return false;
        place(scene, node);
    }
    boxes->seq = scene->seq;
    return true;
}

/* ---- the cull ---- */

/* So many at once that what is found about them stays in the fastest memory. */
#define BLOCK 256

/* How far each box reaches into a half of space, where that is less than `reach` says. */
static void reach_into(const struct gz_bounds_index *boxes, const gz_plane *plane, size_t first,
                       size_t count, double *reach)
{
    const gz_vec3 n = plane->normal;
    const float *x = boxes->sides[n.x > 0 ? 3 : 0] + first;
    const float *y = boxes->sides[n.y > 0 ? 4 : 1] + first;
    const float *z = boxes->sides[n.z > 0 ? 5 : 2] + first;
    for (size_t i = 0; i < count; i++) {
        double depth = n.x * (double)x[i] + n.y * (double)y[i] + n.z * (double)z[i] + plane->offset;
        reach[i] = depth < reach[i] ? depth : reach[i]; /* not so for a NaN */
    }
}

bool gz_scene_cull(struct gz_scene *scene, const gz_plane *planes, size_t plane_count,
                   struct gz_culled *culled)
{
    struct gz_bounds_index *boxes = &scene->bounds_index;
    double reach[BLOCK];
    *culled = (struct gz_culled){.count = 0};
    if (!renew(scene, &culled->renewed)) return false;
    for (size_t first = 0; first < boxes->count; first += BLOCK) {
        size_t count = boxes->count - first < BLOCK ? boxes->count - first : BLOCK;
        for (size_t i = 0; i < count; i++) reach[i] = INFINITY;
        for (size_t i = 0; i < plane_count; i++) reach_into(boxes, &planes[i], first, count, reach);
        for (size_t i = 0; i < count; i++) {
            boxes->found[culled->count] = boxes->nodes[first + i];
            culled->count += !(reach[i] < 0);
        }
    }
    culled->nodes = boxes->found;
    return true;
}
