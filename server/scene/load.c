/* Makes a scene from the state that was read from its file, and frees that state. */
#include <stdlib.h>

#include "scene/internal.h"

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
