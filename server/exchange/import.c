/* Reads the nodes of a glTF: hierarchy, names, transforms and bounds. */
#include "exchange/internal.h"
#include "server/maxima.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How far the last row of an affine matrix may be from 0 0 0 1: exporters that work in floats miss
 * it by their last bits. */
#define AFFINE_TOLERANCE 1e-6

/* The file's hierarchy by glTF index: -1 is no parent. */
struct forest {
    const struct gz_gltf *gltf;
    int64_t *parents;
    size_t count;
    struct gz_error *error;
};

static json_t *children_of(const struct forest *forest, size_t node)
{
    return json_object_get(gz_gltf_item(forest->gltf, "nodes", node), "children");
}

static enum gz_status find_parents(struct forest *forest)
{
    for (size_t node = 0; node < forest->count; node++) forest->parents[node] = -1;
    for (size_t node = 0; node < forest->count; node++) {
        const json_t *children = children_of(forest, node);
        for (size_t i = 0; i < json_array_size(children); i++) {
            size_t child = (size_t)json_number_value(json_array_get(children, i));
            if (forest->parents[child] >= 0) {
                return gz_fail(forest->error, GZ_BAD_VALUE,
                               "nodes[%zu].children[%zu]: node %zu is already a child of node "
                               "%lld, and has one parent only",
                               node, i, child, (long long)forest->parents[child]);
            }
            forest->parents[child] = (int64_t)node;
        }
    }
    return GZ_OK;
}

/* A node has at most one parent, so a climb of more steps than there are nodes is in a cycle. Nodes
 * that are known to reach a root are marked on the way, so that all climbs together are linear. */
static enum gz_status check_cycles(const struct forest *forest)
{
    bool *grounded = calloc(forest->count + 1, sizeof *grounded);
    if (grounded == NULL)
        return gz_fail(forest->error, GZ_NO_MEMORY, "not enough memory for this file");
    enum gz_status status = GZ_OK;
    for (size_t node = 0; node < forest->count && status == GZ_OK; node++) {
        size_t steps = 0;
        int64_t up = (int64_t)node;
        while (up >= 0 && !grounded[up] && steps++ <= forest->count) up = forest->parents[up];
        if (up >= 0 && !grounded[up]) {
            status = gz_fail(forest->error, GZ_BAD_VALUE,
                             "nodes[%lld].children: node %lld is its own ancestor", (long long)up,
                             (long long)up);
        }
        for (up = (int64_t)node; status == GZ_OK && up >= 0 && !grounded[up];
             up = forest->parents[up]) {
            grounded[up] = true;
        }
    }
    free(grounded);
    return status;
}

static enum gz_status make_forest(struct forest *forest)
{
    forest->parents = malloc((forest->count + 1) * sizeof *forest->parents);
    if (forest->parents == NULL)
        return gz_fail(forest->error, GZ_NO_MEMORY, "not enough memory for this file");
    enum gz_status status = find_parents(forest);
    return status == GZ_OK ? check_cycles(forest) : status;
}

/* The walk from the roots down, parents first and siblings in the file's order. */
struct descent {
    const struct forest *forest;
    struct gz_import *import;
    int64_t *places; /* glTF index -> index in the import, -1 */
};

static enum gz_status add_node(struct descent *walk, size_t asset)
{
    struct gz_import *import = walk->import;
    if (import->count == GZ_NODES_MAX) {
        return gz_fail(walk->forest->error, GZ_TOO_MANY, "nodes: a scene may have at most %d",
                       GZ_NODES_MAX);
    }
    int64_t parent = walk->forest->parents[asset];
    walk->places[asset] = (int64_t)import->count;
    import->nodes[import->count++] =
        (struct gz_import_node){.asset = (uint32_t)asset,
                                .parent = parent >= 0 ? walk->places[parent] : -1,
                                .trs = gz_trs_identity};
    return GZ_OK;
}

/* A node on the way from the root, and which of its children comes next. */
struct step {
    json_t *children;
    size_t next;
};

static enum gz_status add_tree(struct descent *walk, size_t root)
{
    struct step steps[GZ_TREE_DEPTH_MAX];
    size_t depth = 1;
    steps[0] = (struct step){children_of(walk->forest, root), 0};
    enum gz_status status = add_node(walk, root);
    while (depth > 0 && status == GZ_OK) {
        struct step *step = &steps[depth - 1];
        if (step->next == json_array_size(step->children)) {
            depth--;
            continue;
        }
        size_t child = (size_t)json_number_value(json_array_get(step->children, step->next++));
        if (depth == GZ_TREE_DEPTH_MAX) {
            return gz_fail(walk->forest->error, GZ_TOO_LARGE,
                           "nodes[%zu]: the hierarchy may be at most %d deep", child,
                           GZ_TREE_DEPTH_MAX);
        }
        status = add_node(walk, child);
        steps[depth++] = (struct step){children_of(walk->forest, child), 0};
    }
    return status;
}

static enum gz_status add_scene(struct descent *walk, size_t scene)
{
    const struct forest *forest = walk->forest;
    const json_t *roots = json_object_get(gz_gltf_item(forest->gltf, "scenes", scene), "nodes");
    for (size_t i = 0; i < json_array_size(roots); i++) {
        size_t root = (size_t)json_number_value(json_array_get(roots, i));
        if (forest->parents[root] >= 0) {
            return gz_fail(
                forest->error, GZ_BAD_VALUE,
                "scenes[%zu].nodes[%zu]: node %zu must be a root, but is a child of node %lld",
                scene, i, root, (long long)forest->parents[root]);
        }
        if (walk->places[root] >= 0) {
            return gz_fail(forest->error, GZ_BAD_VALUE,
                           "scenes[%zu].nodes[%zu]: node %zu is listed twice", scene, i, root);
        }
        enum gz_status status = add_tree(walk, root);
        if (status != GZ_OK) return status;
    }
    return GZ_OK;
}

/* The nodes of the default scene, of the first scene if no default is named, or all roots if there
 * are no scenes. */
static enum gz_status add_default_scene(struct descent *walk)
{
    const struct forest *forest = walk->forest;
    for (size_t node = 0; node < forest->count; node++) walk->places[node] = -1;
    if (gz_gltf_count(forest->gltf, "scenes") > 0) {
        return add_scene(walk, gz_json_natural(forest->gltf->json, "scene", 0));
    }
    enum gz_status status = GZ_OK;
    for (size_t node = 0; node < forest->count && status == GZ_OK; node++) {
        if (forest->parents[node] < 0) status = add_tree(walk, node);
    }
    return status;
}

static enum gz_status read_hierarchy(struct gz_import *import, const struct gz_gltf *gltf,
                                     struct gz_error *error)
{
    struct forest forest = {.gltf = gltf, .count = gz_gltf_count(gltf, "nodes"), .error = error};
    size_t room = forest.count < GZ_NODES_MAX ? forest.count : GZ_NODES_MAX;
    struct descent walk = {.forest = &forest, .import = import};
    enum gz_status status = make_forest(&forest);
    if (status == GZ_OK) {
        walk.places = malloc((forest.count + 1) * sizeof *walk.places);
        import->nodes = calloc(room + 1, sizeof *import->nodes);
        if (walk.places == NULL || import->nodes == NULL) {
            status = gz_fail(error, GZ_NO_MEMORY, "not enough memory for this file");
        } else {
            status = add_default_scene(&walk);
        }
    }
    free(walk.places);
    free(forest.parents);
    return status;
}

/* How many bytes of a name fit, ending with a whole character. */
static size_t cut_name(const char *name)
{
    size_t size = strlen(name);
    if (size <= GZ_NAME_BYTES_MAX) return size;
    size = GZ_NAME_BYTES_MAX;
    while (size > 0 && ((unsigned char)name[size] & 0xC0) == 0x80) size--;
    return size;
}

static enum gz_status read_name(struct gz_import *import, struct gz_import_node *node,
                                const json_t *json, struct gz_error *error)
{
    char made_up[32];
    const char *name = json_string_value(json_object_get(json, "name"));
    if (name == NULL || name[0] == '\0') {
        (void)snprintf(made_up, sizeof made_up, "node %u", (unsigned)node->asset);
        name = made_up;
    }
    size_t size = cut_name(name);
    char *copy = gz_arena_take(&import->names, size + 1, 1);
    if (copy == NULL) return gz_fail(error, GZ_NO_MEMORY, "not enough memory for this file");
    memcpy(copy, name, size);
    node->name = copy;
    return GZ_OK;
}

static void read_numbers(const json_t *json, const char *key, double *numbers, size_t count)
{
    const json_t *list = json_object_get(json, key);
    for (size_t i = 0; list != NULL && i < count; i++)
        numbers[i] = json_number_value(json_array_get(list, i));
}

static enum gz_status read_matrix(struct gz_import *import, struct gz_import_node *node,
                                  const json_t *json, struct gz_error *error)
{
    double m[16];
    read_numbers(json, "matrix", m, 16);
    double off = fmax(fmax(fabs(m[3]), fabs(m[7])), fmax(fabs(m[11]), fabs(m[15] - 1)));
    if (off > AFFINE_TOLERANCE) {
        return gz_fail(error, GZ_BAD_VALUE, "nodes[%u].matrix: its last row must be 0 0 0 1",
                       (unsigned)node->asset);
    }
    gz_affine affine = gz_affine_from_matrix(m);
    double residual = 0;
    if (!gz_trs_from_affine(&affine, &node->trs, &residual)) {
        return gz_fail(error, GZ_BAD_VALUE, "nodes[%u].matrix: must not be singular",
                       (unsigned)node->asset);
    }
    import->matrix_count++;
    import->residual_max = fmax(import->residual_max, residual);
    return GZ_OK;
}

static enum gz_status read_trs(struct gz_import_node *node, const json_t *json,
                               struct gz_error *error)
{
    double t[3] = {0, 0, 0}, r[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1};
    read_numbers(json, "translation", t, 3);
    read_numbers(json, "rotation", r, 4);
    read_numbers(json, "scale", s, 3);
    node->trs.t = (gz_vec3){t[0], t[1], t[2]};
    node->trs.s = (gz_vec3){s[0], s[1], s[2]};
    if (!gz_quat_normalize((gz_quat){r[0], r[1], r[2], r[3]}, &node->trs.r)) {
        return gz_fail(error, GZ_BAD_VALUE, "nodes[%u].rotation: must not be zero",
                       (unsigned)node->asset);
    }
    return GZ_OK;
}

static enum gz_status check_trs(const struct gz_import_node *node, struct gz_error *error)
{
    unsigned asset = node->asset;
    for (int axis = 0; axis < 3; axis++) {
        double t = gz_component(node->trs.t, axis), s = gz_component(node->trs.s, axis);
        if (fabs(t) > GZ_COORDINATE_MAX) {
            return gz_fail(error, GZ_BAD_VALUE, "nodes[%u]: the translation %g is beyond %g", asset,
                           t, GZ_COORDINATE_MAX);
        }
        if (s == 0)
            return gz_fail(error, GZ_BAD_VALUE, "nodes[%u]: a scale must not be zero", asset);
        if (fabs(s) < GZ_SCALE_MIN || fabs(s) > GZ_COORDINATE_MAX) {
            return gz_fail(error, GZ_BAD_VALUE, "nodes[%u]: the scale %g is not between %g and %g",
                           asset, s, GZ_SCALE_MIN, GZ_COORDINATE_MAX);
        }
    }
    return GZ_OK;
}

static enum gz_status read_transform(struct gz_import *import, struct gz_import_node *node,
                                     const json_t *json, struct gz_error *error)
{
    bool has_matrix = json_object_get(json, "matrix") != NULL;
    bool has_trs = json_object_get(json, "translation") != NULL ||
                   json_object_get(json, "rotation") != NULL ||
                   json_object_get(json, "scale") != NULL;
    if (has_matrix && has_trs) {
        return gz_fail(error, GZ_BAD_VALUE,
                       "nodes[%u]: has a matrix and a translation, rotation or scale, and may have "
                       "only one or the other",
                       (unsigned)node->asset);
    }
    enum gz_status status =
        has_matrix ? read_matrix(import, node, json, error) : read_trs(node, json, error);
    return status == GZ_OK ? check_trs(node, error) : status;
}

static enum gz_status read_nodes(struct gz_import *import, const struct gz_gltf *gltf,
                                 const struct gz_mesh_bounds *bounds, struct gz_error *error)
{
    for (size_t i = 0; i < import->count; i++) {
        struct gz_import_node *node = &import->nodes[i];
        const json_t *json = gz_gltf_item(gltf, "nodes", node->asset);
        enum gz_status status = read_name(import, node, json, error);
        if (status == GZ_OK) status = read_transform(import, node, json, error);
        if (status != GZ_OK) return status;
        int64_t mesh = gz_json_index(json, "mesh");
        if (mesh < 0) continue;
        node->has_bounds = bounds[mesh].known;
        node->bounds = bounds[mesh].box;
    }
    return GZ_OK;
}

enum gz_status gz_import_read(struct gz_import *import, const struct gz_gltf *gltf, bool surfaces,
                              struct gz_error *error)
{
    *import = (struct gz_import){0};
    gz_arena_init(&import->names, (size_t)GZ_NODES_MAX * 2 * GZ_NAME_BYTES_MAX);
    struct gz_mesh_bounds *bounds = calloc(gz_gltf_count(gltf, "meshes") + 1, sizeof *bounds);
    enum gz_status status =
        bounds != NULL ? GZ_OK : gz_fail(error, GZ_NO_MEMORY, "not enough memory for this file");
    if (status == GZ_OK) status = read_hierarchy(import, gltf, error);
    if (status == GZ_OK) {
        status = gz_meshes_read(gltf, bounds, surfaces ? &import->surfaces : NULL,
                                &import->surfaces_status, error);
    }
    if (status == GZ_OK) status = read_nodes(import, gltf, bounds, error);
    free(bounds);
    if (status != GZ_OK) gz_import_finish(import);
    return status;
}

enum gz_status gz_import_parse(struct gz_import *import, const uint8_t *bytes, size_t size,
                               struct gz_error *error)
{
    *import = (struct gz_import){0};
    struct gz_gltf gltf;
    enum gz_status status = gz_gltf_open(&gltf, bytes, size, error);
    if (status != GZ_OK) return status;
    status = gz_import_read(import, &gltf, true, error);
    gz_gltf_close(&gltf);
    return status;
}

enum gz_status gz_surfaces_read(struct gz_surfaces **surfaces, const uint8_t *bytes, size_t size,
                                struct gz_error *error)
{
    *surfaces = NULL;
    struct gz_import import;
    enum gz_status status = gz_import_parse(&import, bytes, size, error);
    if (status != GZ_OK) return status;
    status = import.surfaces_status;
    if (status != GZ_OK) gz_fail(error, status, "not enough memory for this file");
    *surfaces = import.surfaces;
    import.surfaces = NULL;
    gz_import_finish(&import);
    return status;
}

void gz_import_finish(struct gz_import *import)
{
    free(import->surfaces);
    free(import->nodes);
    gz_arena_finish(&import->names);
    *import = (struct gz_import){0};
}
