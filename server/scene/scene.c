/* Reads a scene, moves its nodes while they are dragged, and says which session holds them. */
#include "scene/scene.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "scene/tree.h"

/* A search of more steps than the first remembers its place; one of more than the second is no
 * continuation of an earlier search. */
#define SHORT_SEARCH 64
#define LONG_SEARCH 8192

/* ---- reading ---- */

uint64_t gz_scene_seq(const struct gz_scene *scene)
{
    return scene->seq;
}

size_t gz_scene_count(const struct gz_scene *scene)
{
    return scene->alive;
}

uint64_t gz_scene_removals(const struct gz_scene *scene)
{
    return scene->removals;
}

const struct gz_node *gz_scene_find(const struct gz_scene *scene, uint64_t id)
{
    const struct gz_node *node = gz_table_find(&scene->table, id);
    return node != NULL && !node->gone ? node : NULL;
}

const struct gz_node *gz_scene_first_root(const struct gz_scene *scene)
{
    return scene->roots.first_child;
}

static bool is_first_after(const struct gz_node *node, uint64_t seq)
{
    return node->seq > seq && (node->older == NULL || node->older->seq <= seq);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* The remembered place with the nearest seq; NULL if there is none. */
static struct gz_order_place *nearest_place(struct gz_scene *scene, uint64_t seq)
{
    struct gz_order_place *nearest = NULL;
    for (size_t i = 0; i < GZ_ORDER_PLACES; i++) {
        struct gz_order_place *place = &scene->places[i];
        if (place->node != NULL &&
            (nearest == NULL || distance(place->seq, seq) < distance(nearest->seq, seq)))
            nearest = place;
    }
    return nearest;
}

/* A search that continued from a place moves it; a long search takes another place. */
static struct gz_node *remember(struct gz_scene *scene, struct gz_order_place *place, size_t steps,
                                struct gz_node *node)
{
    if (place == NULL || steps > LONG_SEARCH)
        place = &scene->places[scene->next_place++ % GZ_ORDER_PLACES];
    *place = (struct gz_order_place){node, node->seq};
    return node;
}

/* Searches from the newest node back and from the nearest remembered place, in alternate steps: a
 * new viewer reads a large scene in pieces from its oldest node on, and continues near its last
 * piece. Walking through the rest of the scene for each piece would take longer than encoding
 * it. */
static struct gz_node *search_far(struct gz_scene *scene, struct gz_node *back, uint64_t seq)
{
    struct gz_order_place *place = nearest_place(scene, seq);
    struct gz_node *near = place != NULL ? place->node : NULL;
    size_t steps = 0;
    for (; near == NULL || !is_first_after(near, seq); steps++) {
        if (is_first_after(back, seq)) return remember(scene, NULL, steps, back);
        back = back->older;
        if (near != NULL) near = near->seq > seq ? near->older : near->newer;
    }
    return remember(scene, place, steps, near);
}

/* A viewer that keeps up is near the newest node. */
const struct gz_node *gz_scene_after(struct gz_scene *scene, uint64_t seq)
{
    struct gz_node *back = scene->newest;
    if (back == NULL || back->seq <= seq) return NULL;
    if (is_first_after(scene->oldest, seq)) return remember(scene, NULL, 0, scene->oldest);
    for (int steps = 0; steps < SHORT_SEARCH; steps++, back = back->older)
        if (is_first_after(back, seq)) return back;
    return search_far(scene, back, seq);
}

const struct gz_grave *gz_scene_grave_after(const struct gz_scene *scene, uint64_t seq)
{
    return gz_graves_after(&scene->graves, seq);
}

size_t gz_scene_grave_bytes(const struct gz_scene *scene)
{
    return gz_graves_bytes(&scene->graves);
}

void gz_scene_forget_graves(struct gz_scene *scene)
{
    gz_graves_forget(&scene->graves);
}

struct gz_news gz_scene_news(struct gz_scene *scene, uint64_t seq)
{
    return (struct gz_news){.scene = scene,
                            .node = gz_scene_after(scene, seq),
                            .grave = gz_scene_grave_after(scene, seq)};
}

bool gz_news_next(struct gz_news *news, struct gz_new *next)
{
    const struct gz_node *node = news->node;
    const struct gz_grave *grave = news->grave;
    if (grave != NULL && (node == NULL || grave->seq < node->seq)) {
        *next = (struct gz_new){.id = grave->id, .seq = grave->seq};
        news->grave = gz_scene_grave_after(news->scene, grave->seq);
        return true;
    }
    if (node == NULL) return false;
    *next = (struct gz_new){.id = node->id, .seq = node->seq, .node = node->gone ? NULL : node};
    news->node = node->newer;
    return true;
}

uint64_t gz_scene_forgotten(const struct gz_scene *scene)
{
    return scene->graves.forgotten;
}

gz_affine gz_scene_world(struct gz_scene *scene, const struct gz_node *node)
{
    if (node->world_known) return node->world;
    gz_affine world = gz_affine_from_trs(&node->trs);
    if (node->parent != NULL) {
        gz_affine above = gz_scene_world(scene, node->parent);
        world = gz_affine_multiply(&above, &world);
    }
    if (node->gone)
        return world; /* not cached, because a tombstone is not invalidated when its parent moves */
    struct gz_node *own = (struct gz_node *)node;
    own->world = world;
    own->world_known = true;
    return world;
}

gz_affine gz_scene_parent_world(struct gz_scene *scene, const struct gz_node *node)
{
    return node->parent != NULL ? gz_scene_world(scene, node->parent) : gz_affine_identity;
}

const struct gz_node *gz_scene_walk(const struct gz_node *top, const struct gz_node *at)
{
    if (at->first_child != NULL) return at->first_child;
    while (at != NULL && at != top && at->next == NULL) at = at->parent;
    return at != NULL && at != top ? at->next : NULL;
}

const struct gz_node *gz_scene_walk_all(const struct gz_scene *scene, const struct gz_node *at)
{
    if (at == NULL) return scene->roots.first_child;
    if (at->first_child != NULL) return at->first_child;
    while (at != NULL && at->next == NULL) at = at->parent;
    return at != NULL ? at->next : NULL;
}

/* ---- moved nodes ---- */

struct gz_moved gz_scene_moved(struct gz_scene *scene, uint64_t since, bool worlds)
{
    return (struct gz_moved){.changed = gz_scene_after(scene, since),
                             .since = since,
                             .mark = ++scene->mark,
                             .worlds = worlds};
}

static bool takes_branch_along(const struct gz_moved *moved, const struct gz_node *node)
{
    const uint64_t *seq = node->part_seq;
    if (node->born > moved->since || seq[GZ_PART_PARENT] > moved->since) return true;
    return moved->worlds && (seq[GZ_PART_T] > moved->since || seq[GZ_PART_R] > moved->since ||
                             seq[GZ_PART_S] > moved->since);
}

static const struct gz_node *step_over(const struct gz_node *top, const struct gz_node *at)
{
    while (at != top && at->next == NULL) at = at->parent;
    return at != top ? at->next : NULL;
}

static const struct gz_node *visit(const struct gz_moved *moved, const struct gz_node *node)
{
    ((struct gz_node *)node)->mark = moved->mark;
    return node;
}

/* A node with the mark was given already, with all nodes below it. */
static const struct gz_node *next_of_branch(const struct gz_moved *moved)
{
    const struct gz_node *at = moved->at;
    at = at->first_child != NULL ? at->first_child : step_over(moved->top, at);
    while (at != NULL && at->mark == moved->mark) at = step_over(moved->top, at);
    return at;
}

const struct gz_node *gz_moved_next(struct gz_moved *moved)
{
    if (moved->at != NULL) moved->at = next_of_branch(moved);
    if (moved->at != NULL) return visit(moved, moved->at);
    const struct gz_node *node = moved->changed;
    while (node != NULL && node->mark == moved->mark) node = node->newer;
    if (node == NULL) return NULL;
    moved->changed = node->newer;
    if (node->gone || !takes_branch_along(moved, node)) return node;
    moved->top = moved->at = node;
    return visit(moved, node);
}

void gz_node_content(const struct gz_node *node, struct gz_content *content)
{
    *content = (struct gz_content){
        .parent = node->parent != NULL ? node->parent->id : 0,
        .name = node->name,
        .trs = node->trs,
        .has_bounds = node->has_bounds,
        .bounds = node->bounds,
        .asset = node->asset,
    };
}

/* ---- changing ---- */

uint64_t gz_scene_tick(struct gz_scene *scene)
{
    return ++scene->seq;
}

uint64_t gz_scene_new_id(struct gz_scene *scene)
{
    return scene->next_id++;
}

void gz_scene_stored(struct gz_scene *scene, uint64_t seq)
{
    scene->stored = seq;
    gz_tombstones_sweep(scene);
}

uint64_t gz_scene_next_id(const struct gz_scene *scene)
{
    return scene->next_id;
}

void gz_scene_touch(struct gz_scene *scene, const struct gz_node *node, uint64_t since, uint64_t by)
{
    struct gz_node *own = (struct gz_node *)node;
    if (node->seq <= since) return;
    gz_node_touch(scene, own, by);
    for (int part = 0; part < GZ_PART_COUNT; part++)
        if (own->part_seq[part] > since) own->part_seq[part] = own->seq;
    for (int axis = 0; axis < 3; axis++)
        if (own->axis_seq[axis] > since) own->axis_seq[axis] = own->seq;
}

void gz_scene_pose(struct gz_scene *scene, const struct gz_node *node, const gz_trs *trs,
                   uint64_t by)
{
    assert(!node->gone && gz_trs_finite(trs));
    if (gz_trs_same(&node->trs, trs)) return;
    struct gz_node *own = (struct gz_node *)node;
    gz_node_touch(scene, own, by);
    gz_node_place(own, &trs->t);
    if (memcmp(&own->trs.r, &trs->r, sizeof trs->r) != 0) own->part_seq[GZ_PART_R] = own->seq;
    if (memcmp(&own->trs.s, &trs->s, sizeof trs->s) != 0) own->part_seq[GZ_PART_S] = own->seq;
    own->trs = *trs;
    gz_world_forget(own);
}

/* ---- holding ---- */

static enum gz_status refuse_to_hold(const struct gz_node *node, uint64_t id, uint64_t session,
                                     struct gz_failure *failure)
{
    failure->node = id;
    if (node == NULL)
        return gz_fail(&failure->error, GZ_UNKNOWN_NODE, "node %" PRIu64 " does not exist", id);
    if (node->holder == session)
        return gz_fail(&failure->error, GZ_BAD_STATE,
                       "node %" PRIu64 " is held by this session already: release it first", id);
    failure->holder = node->holder;
    return gz_fail(&failure->error, GZ_LOCKED, "node %" PRIu64 " is held by session %" PRIu64, id,
                   node->holder);
}

/* Takes back a hold of the nodes with this mark. */
static void let_go(struct gz_scene *scene, const uint64_t *ids, size_t count, uint64_t mark)
{
    for (size_t i = 0; i < count; i++) {
        struct gz_node *node = gz_table_find(&scene->table, ids[i]);
        if (node->mark == mark) node->holder = 0;
    }
}

enum gz_status gz_scene_hold(struct gz_scene *scene, const uint64_t *ids, size_t count,
                             struct gz_grip grip, struct gz_failure *failure)
{
    assert(grip.session != 0);
    const uint64_t mark = ++scene->mark;
    for (size_t i = 0; i < count; i++) {
        struct gz_node *node = gz_table_find(&scene->table, ids[i]);
        if (node == NULL || node->gone || (node->holder != 0 && !gz_grip_has(grip, node))) {
            let_go(scene, ids, i, mark);
            return refuse_to_hold(node != NULL && !node->gone ? node : NULL, ids[i], grip.session,
                                  failure);
        }
        if (node->holder != 0) continue;
        node->holder = grip.session;
        node->grip = grip.number;
        node->mark = mark;
    }
    return GZ_OK;
}

void gz_scene_release(struct gz_scene *scene, const uint64_t *ids, size_t count,
                      struct gz_grip grip)
{
    for (size_t i = 0; i < count; i++) {
        struct gz_node *node = gz_table_find(&scene->table, ids[i]);
        if (node != NULL && gz_grip_has(grip, node)) node->holder = 0;
    }
}
