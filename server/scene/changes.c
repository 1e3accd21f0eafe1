/* changes.c - changes of nodes, and a scene from its file. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "scene/tree.h"

/* ---- all of a file ---- */

/* Makes a scene from the state that was read from its file, and frees that state. */

static int compare_seq(const void *a, const void *b)
{
    const struct gz_node *left = *(struct gz_node *const *)a, *right = *(struct gz_node *const *)b;
    return (left->seq > right->seq) - (left->seq < right->seq);
}

static void put_in_order(struct gz_scene *scene, struct gz_node **nodes, size_t count)
{
    qsort(nodes, count, sizeof *nodes, compare_seq);
    for (size_t i = 0; i < count; i++) {
        nodes[i]->older = i > 0 ? nodes[i - 1] : NULL;
        nodes[i]->newer = i + 1 < count ? nodes[i + 1] : NULL;
    }
    scene->oldest = count > 0 ? nodes[0] : NULL;
    scene->newest = count > 0 ? nodes[count - 1] : NULL;
}

static struct gz_node *load_node(struct gz_scene *scene, const struct gz_node_record *record)
{
    const struct gz_content *content = &record->content;
    struct gz_node *node = gz_node_create(scene, record->id);
    if (node == NULL) return NULL;
    node->name = gz_name_copy(content->name);
    if (node->name == NULL) return NULL;
    gz_node_unlink(scene, node);
    node->gone = record->gone;
    node->parent = gz_table_find(&scene->table, content->parent);
    node->trs = content->trs;
    node->has_bounds = content->has_bounds;
    if (node->has_bounds) node->bounds = content->bounds;
    node->asset = content->asset;
    node->seq = node->born = record->seq;
    for (int part = 0; part < GZ_PART_COUNT; part++) node->part_seq[part] = record->seq;
    for (int axis = 0; axis < 3; axis++) node->axis_seq[axis] = record->seq;
    gz_node_link(scene, node, NULL);
    if (node->id >= scene->next_id) scene->next_id = node->id + 1;
    if (node->seq > scene->seq) scene->seq = node->seq;
    return node;
}

static bool load_nodes(struct gz_scene *scene, const struct gz_scene_state *state)
{
    if (state->node_count == 0) return true;
    struct gz_node **nodes = malloc(state->node_count * sizeof *nodes);
    if (nodes == NULL) return false;
    bool loaded = true;
    for (size_t i = 0; i < state->node_count && loaded; i++) {
        nodes[i] = load_node(scene, &state->nodes[i]);
        loaded = nodes[i] != NULL;
    }
    if (loaded) put_in_order(scene, nodes, state->node_count);
    free(nodes);
    return loaded;
}

struct gz_scene *gz_scene_create(const struct gz_scene_state *state)
{
    struct gz_scene *scene = calloc(1, sizeof *scene);
    if (scene == NULL) return NULL;
    scene->seq = state->seq;
    scene->next_id = state->next_node > 0 ? state->next_node : 1;
    scene->graves.forgotten = state->tombstones_from;
    scene->stored = state->seq;
    if (!load_nodes(scene, state)) {
        gz_scene_destroy(scene);
        return NULL;
    }
    gz_tombstones_sweep(scene);
    return scene;
}

void gz_scene_destroy(struct gz_scene *scene)
{
    if (scene == NULL) return;
    for (size_t i = 0; i < scene->table.capacity; i++) {
        struct gz_node *node = scene->table.slots[i].node;
        if (node == NULL) continue;
        free(node->name);
        free(node);
    }
    free(scene->table.slots);
    gz_graves_finish(&scene->graves);
    gz_bounds_index_finish(&scene->bounds_index);
    free(scene);
}

/* ---- changes ---- */

/* Changes as data: differences, copies, reverses, and the lists that delete or restore nodes. */

char *gz_name_copy(const char *name)
{
    size_t size = strlen(name) + 1;
    char *copy = malloc(size);
    return copy != NULL ? memcpy(copy, name, size) : NULL;
}

static bool same_bounds(const struct gz_content *a, const struct gz_content *b)
{
    if (a->has_bounds != b->has_bounds) return false;
    return !a->has_bounds || memcmp(&a->bounds, &b->bounds, sizeof a->bounds) == 0;
}

unsigned gz_content_difference(const struct gz_content *a, const struct gz_content *b)
{
    unsigned parts = 0;
    if (memcmp(&a->trs.t, &b->trs.t, sizeof a->trs.t) != 0) parts |= 1u << GZ_PART_T;
    if (memcmp(&a->trs.r, &b->trs.r, sizeof a->trs.r) != 0) parts |= 1u << GZ_PART_R;
    if (memcmp(&a->trs.s, &b->trs.s, sizeof a->trs.s) != 0) parts |= 1u << GZ_PART_S;
    if (strcmp(a->name, b->name) != 0) parts |= 1u << GZ_PART_NAME;
    if (a->parent != b->parent) parts |= 1u << GZ_PART_PARENT;
    if (!same_bounds(a, b)) parts |= 1u << GZ_PART_BOUNDS;
    if (a->asset != b->asset) parts |= 1u << GZ_PART_ASSET;
    return parts;
}

bool gz_change_is_real(const struct gz_change *change)
{
    if (change->existed != change->exists) return true;
    return change->exists && gz_content_difference(&change->before, &change->after) != 0;
}

bool gz_change_fits(const struct gz_scene *scene, const struct gz_change *change)
{
    const struct gz_node *node = gz_scene_find(scene, change->node);
    if ((node != NULL) != change->existed) return false;
    if (node == NULL) return true;
    struct gz_content now;
    gz_node_content(node, &now);
    unsigned altered =
        change->exists ? gz_content_difference(&change->before, &change->after) : ~0u;
    return (gz_content_difference(&now, &change->before) & altered) == 0;
}

void gz_change_rebase(const struct gz_node *node, struct gz_change *change)
{
    unsigned altered = gz_content_difference(&change->before, &change->after);
    struct gz_content *after = &change->after;
    gz_node_content(node, &change->before);
    const struct gz_content *now = &change->before;
    if (!(altered & 1u << GZ_PART_T)) after->trs.t = now->trs.t;
    if (!(altered & 1u << GZ_PART_R)) after->trs.r = now->trs.r;
    if (!(altered & 1u << GZ_PART_S)) after->trs.s = now->trs.s;
    if (!(altered & 1u << GZ_PART_NAME)) after->name = now->name;
    if (!(altered & 1u << GZ_PART_PARENT)) after->parent = now->parent;
    if (!(altered & 1u << GZ_PART_ASSET)) after->asset = now->asset;
    if (altered & 1u << GZ_PART_BOUNDS) return;
    after->has_bounds = now->has_bounds;
    after->bounds = now->bounds;
}

/* ---- copies ---- */

/* The content of a node that does not exist may have no name: then it gets the empty one. */
static bool copy_name(struct gz_arena *arena, struct gz_content *content)
{
    const char *name = content->name != NULL ? content->name : "";
    size_t size = strlen(name) + 1;
    char *copy = gz_arena_take(arena, size, 1);
    if (copy == NULL) return false;
    content->name = memcpy(copy, name, size);
    return true;
}

static bool copy_names(struct gz_arena *arena, struct gz_change *change)
{
    return copy_name(arena, &change->before) && copy_name(arena, &change->after);
}

struct gz_change *gz_changes_copy(struct gz_arena *arena, const struct gz_change *changes,
                                  size_t count)
{
    struct gz_change *copy = gz_arena_take(arena, count, sizeof *copy);
    if (copy == NULL) return NULL;
    for (size_t i = 0; i < count; i++) {
        copy[i] = changes[i];
        if (!copy_names(arena, &copy[i])) return NULL;
    }
    return copy;
}

struct gz_change *gz_changes_reverse(struct gz_arena *arena, const struct gz_change *changes,
                                     size_t count)
{
    struct gz_change *reverse = gz_arena_take(arena, count, sizeof *reverse);
    if (reverse == NULL) return NULL;
    for (size_t i = 0; i < count; i++) {
        const struct gz_change *change = &changes[count - 1 - i];
        reverse[i] = (struct gz_change){.node = change->node,
                                        .existed = change->exists,
                                        .exists = change->existed,
                                        .before = change->after,
                                        .after = change->before};
    }
    return reverse;
}

static enum gz_status no_memory(struct gz_failure *failure)
{
    return gz_fail(&failure->error, GZ_NO_MEMORY, "no memory for the list of changes");
}

static struct gz_change deletion_of(const struct gz_node *node)
{
    struct gz_change change = {.node = node->id, .existed = true};
    gz_node_content(node, &change.before);
    return change;
}

/* ---- deletion ---- */

/* Whether one of the given nodes is above this one. If none is, the way up is marked clear, so that
 * it is not walked again. */
static bool has_named_above(const struct gz_scene *scene, const struct gz_node *node,
                            uint64_t named, uint64_t clear)
{
    const struct gz_node *above = node->parent;
    while (above != NULL && above->mark < named) above = above->parent;
    if (above != NULL && above->mark != clear) return true;
    for (above = node->parent; above != NULL && above->mark < named; above = above->parent)
        gz_table_find(&scene->table, above->id)->mark = clear;
    return false;
}

size_t gz_scene_tops(struct gz_scene *scene, const uint64_t *ids, size_t count,
                     const struct gz_node **tops)
{
    uint64_t named = ++scene->mark, taken = ++scene->mark, clear = ++scene->mark;
    for (size_t i = 0; i < count; i++) {
        struct gz_node *node = gz_table_find(&scene->table, ids[i]);
        node->mark = named;
        tops[i] = node;
    }
    size_t top_count = 0;
    for (size_t i = 0; i < count; i++) {
        struct gz_node *node = (struct gz_node *)tops[i];
        if (node->mark == taken || has_named_above(scene, node, named, clear)) continue;
        node->mark = taken;
        tops[top_count++] = node;
    }
    return top_count;
}

static size_t count_subtrees(const struct gz_node *const *tops, size_t top_count)
{
    size_t count = 0;
    for (size_t i = 0; i < top_count; i++) {
        for (const struct gz_node *at = tops[i]; at != NULL; at = gz_scene_walk(tops[i], at))
            count++;
    }
    return count;
}

/* A walk gives parents first, so the list is filled from its end. */
static bool delete_subtrees(struct gz_arena *arena, const struct gz_node *const *tops,
                            size_t top_count, struct gz_change *end)
{
    for (size_t i = 0; i < top_count; i++) {
        for (const struct gz_node *at = tops[i]; at != NULL; at = gz_scene_walk(tops[i], at)) {
            *--end = deletion_of(at);
            if (!copy_names(arena, end)) return false;
        }
    }
    return true;
}

enum gz_status gz_changes_delete(struct gz_scene *scene, struct gz_arena *arena,
                                 const uint64_t *ids, size_t count, struct gz_change_list *list,
                                 struct gz_failure *failure)
{
    for (size_t i = 0; i < count; i++) {
        if (gz_scene_find(scene, ids[i]) != NULL) continue;
        failure->node = ids[i];
        return gz_fail(&failure->error, GZ_UNKNOWN_NODE, "node %" PRIu64 " does not exist", ids[i]);
    }
    const struct gz_node **tops = gz_arena_take(arena, count, sizeof(const struct gz_node *));
    if (tops == NULL) return no_memory(failure);
    size_t top_count = gz_scene_tops(scene, ids, count, tops);
    list->count = count_subtrees(tops, top_count);
    list->changes = gz_arena_take(arena, list->count, sizeof *list->changes);
    if (list->changes == NULL ||
        !delete_subtrees(arena, tops, top_count, list->changes + list->count))
        return no_memory(failure);
    return GZ_OK;
}

/* ---- restoring ---- */

/* The change that makes the node as the record says; false if it is so already. */
static bool restoration_of(const struct gz_scene *scene, const struct gz_node_record *record,
                           struct gz_change *change)
{
    const struct gz_node *node = gz_scene_find(scene, record->id);
    *change = (struct gz_change){
        .node = record->id, .existed = node != NULL, .exists = true, .after = record->content};
    if (node != NULL) gz_node_content(node, &change->before);
    return gz_change_is_real(change);
}

/* Gives the nodes that stay a new mark. Returns how many nodes change or are created. */
static size_t mark_restored(struct gz_scene *scene, const struct gz_node_record *nodes,
                            size_t count)
{
    uint64_t mark = ++scene->mark;
    size_t changed = 0;
    for (size_t i = 0; i < count; i++) {
        struct gz_node *node = gz_table_find(&scene->table, nodes[i].id);
        struct gz_change change;
        if (node != NULL) node->mark = mark;
        if (restoration_of(scene, &nodes[i], &change)) changed++;
    }
    return changed;
}

/* Writes the deletions of the nodes without the mark before `end`, children before their parents.
 * If `end` is NULL it only counts them. */
static bool delete_unmarked(const struct gz_scene *scene, struct gz_arena *arena,
                            struct gz_change *end, size_t *count)
{
    *count = 0;
    for (const struct gz_node *at = gz_scene_walk_all(scene, NULL); at != NULL;
         at = gz_scene_walk_all(scene, at)) {
        if (at->mark == scene->mark) continue;
        ++*count;
        if (end == NULL) continue;
        *--end = deletion_of(at);
        if (!copy_names(arena, end)) return false;
    }
    return true;
}

/* Each node goes to a parent that is in its place already, so that no step makes a cycle. Once all
 * have moved, the rest can be deleted. */
enum gz_status gz_changes_restore(struct gz_scene *scene, struct gz_arena *arena,
                                  const struct gz_node_record *nodes, size_t count,
                                  struct gz_change_list *list, struct gz_failure *failure)
{
    size_t changed = mark_restored(scene, nodes, count), deleted = 0;
    (void)delete_unmarked(scene, arena, NULL, &deleted);
    list->count = changed + deleted;
    list->changes = gz_arena_take(arena, list->count, sizeof *list->changes);
    if (list->changes == NULL) return no_memory(failure);
    struct gz_change *next = list->changes;
    for (size_t i = 0; i < count; i++) {
        struct gz_change change;
        if (!restoration_of(scene, &nodes[i], &change)) continue;
        if (!copy_names(arena, &change)) return no_memory(failure);
        *next++ = change;
    }
    return delete_unmarked(scene, arena, list->changes + list->count, &deleted)
               ? GZ_OK
               : no_memory(failure);
}
