/* Reads the nodes of a glTF: hierarchy, names, transforms and bounds. */
#include "gltf/file.h"
#include "server/maxima.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A transform that cannot be kept as it is becomes the nearest one that can, which is a flaw; an
 * export writes the file's own numbers as long as nobody changes the node. */

/* How far the last row of an affine matrix may be from 0 0 0 1: exporters that work in floats miss
 * it by their last bits. */
#define AFFINE_TOLERANCE 1e-6

/* A parent of each node by glTF index, of several the first; -1: it is a root. */
struct forest {
    struct gz_gltf *gltf;
    int64_t *parents;
    size_t count;
    struct gz_error *error;
};

static struct gz_json *children_of(const struct forest *forest, size_t node)
{
    return gz_json_get(gz_gltf_item(forest->gltf, "nodes", node), "children");
}

static bool is_node(const struct forest *forest, const struct gz_json *index)
{
    return index != NULL &&
           gz_gltf_item(forest->gltf, "nodes", (size_t)gz_json_number(index)) != NULL;
}

static enum gz_status make_forest(struct forest *forest)
{
    forest->parents = malloc((forest->count + 1) * sizeof *forest->parents);
    if (forest->parents == NULL)
        return gz_fail(forest->error, GZ_NO_MEMORY, "not enough memory for this file");
    for (size_t node = 0; node < forest->count; node++) forest->parents[node] = -1;
    for (size_t node = 0; node < forest->count; node++) {
        const struct gz_json *children = children_of(forest, node);
        for (size_t i = 0; i < gz_json_count(children); i++) {
            const struct gz_json *index = gz_json_at(children, i);
            if (!is_node(forest, index)) continue;
            int64_t *parent = &forest->parents[(size_t)gz_json_number(index)];
            if (*parent < 0) *parent = (int64_t)node;
        }
    }
    return GZ_OK;
}

/* The walk from the roots down, parents first and siblings in the file's order. */
struct descent {
    const struct forest *forest;
    struct gz_import *import;
    int64_t *places; /* glTF index -> index in the import, -1 */
};

/* A node on the way from the root, and which of its children comes next. */
struct step {
    struct gz_json *children;
    int64_t place;
    size_t next;
};

/* `parent` is its place, -1 for a root. */
static enum gz_status add_node(struct descent *walk, size_t asset, int64_t parent,
                               struct step *step)
{
    struct gz_import *import = walk->import;
    if (import->count == GZ_NODES_MAX) {
        return gz_fail(walk->forest->error, GZ_TOO_MANY, "nodes: a scene may have at most %d",
                       GZ_NODES_MAX);
    }
    walk->places[asset] = (int64_t)import->count;
    *step = (struct step){children_of(walk->forest, asset), (int64_t)import->count, 0};
    import->nodes[import->count++] =
        (struct gz_import_node){.asset = (uint32_t)asset, .parent = parent, .trs = gz_trs_identity};
    return GZ_OK;
}

/* A child that hangs somewhere already, or is above: it is left out here. */
static void tell_left_out(const struct descent *walk, const struct step *step, size_t child)
{
    const struct gz_import_node *nodes = walk->import->nodes;
    const int64_t parent = nodes[walk->places[child]].parent;
    const unsigned asset = (unsigned)nodes[step->place].asset;
    if (parent < 0)
        gz_gltf_flaw(walk->forest->gltf,
                     "nodes[%u].children[%zu]: node %zu stands at the root, and is left out here",
                     asset, step->next - 1, child);
    else
        gz_gltf_flaw(walk->forest->gltf,
                     "nodes[%u].children[%zu]: node %zu is already a child of node %u, and has one "
                     "parent only",
                     asset, step->next - 1, child, (unsigned)nodes[parent].asset);
}

static enum gz_status add_tree(struct descent *walk, size_t root)
{
    struct step steps[GZ_TREE_DEPTH_MAX];
    size_t depth = 1;
    enum gz_status status = add_node(walk, root, -1, &steps[0]);
    while (depth > 0 && status == GZ_OK) {
        struct step *step = &steps[depth - 1];
        if (step->next == gz_json_count(step->children)) {
            depth--;
            continue;
        }
        const struct gz_json *index = gz_json_at(step->children, step->next++);
        size_t child = (size_t)gz_json_number(index);
        if (!is_node(walk->forest, index)) continue;
        if (walk->places[child] >= 0) {
            tell_left_out(walk, step, child);
            continue;
        }
        if (depth == GZ_TREE_DEPTH_MAX) {
            return gz_fail(walk->forest->error, GZ_TOO_LARGE,
                           "nodes[%zu]: the hierarchy may be at most %d deep", child,
                           GZ_TREE_DEPTH_MAX);
        }
        status = add_node(walk, child, step->place, &steps[depth++]);
    }
    return status;
}

/* The nodes that stand at the root: those of a scene's list, or without a list all that are no
 * child. A child that is shown nowhere else is cut off from its parent, which is then kept as a
 * negative number. */
struct list {
    const struct gz_json *json; /* NULL: all nodes */
    size_t count, scene;
};

static int64_t cut(int64_t parent)
{
    return -2 - parent;
}

/* False if it is no node. */
static bool read_listed(const struct descent *walk, const struct list *list, size_t i, size_t *node)
{
    const struct gz_json *index = list->json != NULL ? gz_json_at(list->json, i) : NULL;
    *node = list->json != NULL ? (size_t)gz_json_number(index) : i;
    return list->json != NULL ? is_node(walk->forest, index)
                              : gz_gltf_item(walk->forest->gltf, "nodes", i) != NULL;
}

static enum gz_status add_listed(struct descent *walk, const struct list *list)
{
    struct gz_gltf *gltf = walk->forest->gltf;
    enum gz_status status = GZ_OK;
    for (size_t i = 0; i < list->count && status == GZ_OK; i++) {
        size_t node;
        if (!read_listed(walk, list, i, &node)) continue;
        const int64_t parent = walk->forest->parents[node];
        if (list->json != NULL && parent != -1)
            gz_gltf_flaw(gltf,
                         "scenes[%zu].nodes[%zu]: node %zu must be a root, but is a child of node "
                         "%lld",
                         list->scene, i, node, (long long)(parent < 0 ? cut(parent) : parent));
        else if (walk->places[node] >= 0 && parent < 0)
            gz_gltf_flaw(gltf, "scenes[%zu].nodes[%zu]: node %zu is listed twice", list->scene, i,
                         node);
        if (parent < 0 && walk->places[node] < 0) status = add_tree(walk, node);
    }
    return status;
}

/* Of the circle that the climb from the node ends in, the node with the least index. No node on the
 * way has a place yet, and all get one then: the climbs of a file are linear together. */
static size_t find_circle(const struct forest *forest, size_t node)
{
    const int64_t *up = forest->parents;
    int64_t slow = (int64_t)node, fast = slow;
    do {
        slow = up[slow];
        fast = up[up[fast]];
    } while (slow != fast);
    int64_t least = slow;
    for (int64_t at = up[slow]; at != slow; at = up[at]) least = at < least ? at : least;
    return (size_t)least;
}

/* Cuts off the listed nodes that are shown nowhere, and says how many. */
static enum gz_status cut_off(struct descent *walk, const struct list *list, size_t *count)
{
    int64_t *parents = walk->forest->parents;
    enum gz_status status = GZ_OK;
    *count = 0;
    for (size_t i = 0; i < list->count && status == GZ_OK; i++) {
        size_t node;
        if (!read_listed(walk, list, i, &node) || walk->places[node] >= 0) continue;
        if (list->json == NULL) node = find_circle(walk->forest, node);
        status = add_tree(walk, node);
        parents[node] = cut(parents[node]);
        ++*count;
    }
    return status;
}

/* Once the roots are known the walk begins again: so their order is that of an export, too. */
static enum gz_status add_scene(struct descent *walk, const struct list *list)
{
    const struct gz_flaws before = walk->forest->gltf->flaws;
    size_t count;
    for (size_t node = 0; node < walk->forest->count; node++) walk->places[node] = -1;
    enum gz_status status = add_listed(walk, list);
    if (status == GZ_OK) status = cut_off(walk, list, &count);
    if (status != GZ_OK || count == 0) return status;
    for (size_t node = 0; node < walk->forest->count; node++) walk->places[node] = -1;
    walk->import->count = 0;
    walk->forest->gltf->flaws = before;
    return add_listed(walk, list);
}

/* The nodes of the default scene, of the first scene if no default is named, or all of a file
 * without scenes, or whose scene has no list that can be read. */
static enum gz_status add_default_scene(struct descent *walk)
{
    struct gz_gltf *gltf = walk->forest->gltf;
    size_t number = gz_json_natural(gltf->document.root, "scene", 0);
    const struct gz_json *scene = gz_gltf_item(gltf, "scenes", number);
    struct list list = {.count = walk->forest->count, .scene = number};
    bool is_spoilt = gz_json_has(scene, "nodes") && gz_json_get(scene, "nodes") == NULL;
    if (scene == NULL || is_spoilt) return add_scene(walk, &list);
    list.json = gz_json_get(scene, "nodes");
    list.count = gz_json_count(list.json);
    return list.count > 0 ? add_scene(walk, &list) : GZ_OK;
}

static enum gz_status read_hierarchy(struct gz_import *import, struct gz_gltf *gltf,
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
static size_t cut_name(struct gz_json_text name)
{
    if (name.size <= GZ_NAME_BYTES_MAX) return name.size;
    size_t size = GZ_NAME_BYTES_MAX;
    while (size > 0 && ((unsigned char)name.at[size] & 0xC0) == 0x80) size--;
    return size;
}

static enum gz_status read_name(struct gz_import *import, struct gz_import_node *node,
                                const struct gz_json *json, struct gz_error *error)
{
    char made_up[32];
    struct gz_json_text name = gz_json_text(gz_json_get(json, "name"));
    if (name.size == 0) {
        int size = snprintf(made_up, sizeof made_up, "node %u", (unsigned)node->asset);
        name = (struct gz_json_text){made_up, (size_t)size};
    }
    node->name = gz_arena_text(&import->names, name.at, cut_name(name));
    return node->name != NULL ? GZ_OK
                              : gz_fail(error, GZ_NO_MEMORY, "not enough memory for this file");
}

static void read_numbers(const struct gz_json *json, const char *key, double *numbers, size_t count)
{
    const struct gz_json *list = gz_json_get(json, key);
    for (size_t i = 0; list != NULL && i < count; i++)
        numbers[i] = gz_json_number(gz_json_at(list, i));
}

static const gz_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

/* A direction across another one, as near to the wanted axis as can be. */
static gz_vec3 across(gz_vec3 direction, int wanted)
{
    gz_vec3 unit = {0, 0, 0};
    for (int i = 0; i < 2; i++) {
        gz_vec3 axis = axes[(wanted + i) % 3];
        gz_vec3 left = gz_sub(axis, gz_scale(direction, gz_dot(axis, direction)));
        if (gz_length(left) > 0.1 && gz_normalize(left, &unit)) break;
    }
    return unit;
}

/* The directions of three columns of which some are 0 or lie in a plane of the others, made square
 * to each other. */
static gz_mat3 find_directions(const gz_mat3 *m)
{
    const gz_vec3 columns[3] = {m->x, m->y, m->z};
    gz_vec3 found[3];
    bool is_known[3] = {false, false, false};
    for (int i = 0; i < 3; i++) {
        gz_vec3 unit, left;
        if (!gz_normalize(columns[i], &unit)) continue;
        left = unit;
        for (int k = 0; k < i; k++)
            if (is_known[k]) left = gz_sub(left, gz_scale(found[k], gz_dot(unit, found[k])));
        is_known[i] = gz_length(left) > 1e-9 && gz_normalize(left, &found[i]);
    }
    for (int i = 0; i < 3; i++) {
        int next = (i + 1) % 3, last = (i + 2) % 3;
        if (is_known[i]) continue;
        if (is_known[next] && is_known[last]) {
            (void)gz_normalize(gz_cross(found[next], found[last]), &found[i]);
        } else if (is_known[next] || is_known[last]) {
            found[i] = across(found[is_known[next] ? next : last], i);
        } else {
            found[i] = axes[i];
        }
        is_known[i] = true;
    }
    if (gz_dot(gz_cross(found[0], found[1]), found[2]) < 0) found[0] = gz_negate(found[0]);
    return (gz_mat3){found[0], found[1], found[2]};
}

/* A matrix that flattens: a scale of 0 along the directions that it loses. */
static double read_singular(const gz_affine *affine, gz_trs *trs)
{
    gz_mat3 rotation = find_directions(&affine->linear), m = affine->linear;
    trs->t = affine->origin;
    trs->r = gz_quat_from_mat3(&rotation);
    trs->s = (gz_vec3){gz_dot(rotation.x, m.x), gz_dot(rotation.y, m.y), gz_dot(rotation.z, m.z)};
    gz_vec3 lost[3] = {gz_sub(m.x, gz_scale(rotation.x, trs->s.x)),
                       gz_sub(m.y, gz_scale(rotation.y, trs->s.y)),
                       gz_sub(m.z, gz_scale(rotation.z, trs->s.z))};
    double all = gz_length(m.x) + gz_length(m.y) + gz_length(m.z);
    return all > 0 ? (gz_length(lost[0]) + gz_length(lost[1]) + gz_length(lost[2])) / all : 0;
}

static void read_matrix(struct gz_import *import, struct gz_gltf *gltf, struct gz_import_node *node,
                        const struct gz_json *json)
{
    double m[16];
    read_numbers(json, "matrix", m, 16);
    double off = fmax(fmax(fabs(m[3]), fabs(m[7])), fmax(fabs(m[11]), fabs(m[15] - 1)));
    if (off > AFFINE_TOLERANCE)
        gz_gltf_flaw(gltf, "nodes[%u].matrix: its last row must be 0 0 0 1, and is taken as that",
                     (unsigned)node->asset);
    gz_affine affine = gz_affine_from_matrix(m);
    double residual = 0;
    if (!gz_trs_from_affine(&affine, &node->trs, &residual))
        residual = read_singular(&affine, &node->trs);
    import->matrix_count++;
    if (isfinite(residual)) import->residual_max = fmax(import->residual_max, residual);
}

static void read_trs(struct gz_gltf *gltf, struct gz_import_node *node, const struct gz_json *json)
{
    double t[3] = {0, 0, 0}, r[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1};
    read_numbers(json, "translation", t, 3);
    read_numbers(json, "rotation", r, 4);
    read_numbers(json, "scale", s, 3);
    node->trs.t = (gz_vec3){t[0], t[1], t[2]};
    node->trs.s = (gz_vec3){s[0], s[1], s[2]};
    if (gz_quat_normalize((gz_quat){r[0], r[1], r[2], r[3]}, &node->trs.r)) return;
    node->trs.r = (gz_quat){0, 0, 0, 1};
    gz_gltf_flaw(gltf, "nodes[%u].rotation: is zero, and is taken as none", (unsigned)node->asset);
}

/* The nearest number that can be kept. */
static double keep_number(struct gz_gltf *gltf, const struct gz_import_node *node, const char *what,
                          double number, double least)
{
    double magnitude = fabs(number), kept = number;
    if (!(magnitude <= GZ_COORDINATE_MAX)) kept = copysign(GZ_COORDINATE_MAX, number);
    if (magnitude > 0 && magnitude < least) kept = copysign(0, number);
    if (isnan(number)) kept = 0;
    if (kept != number)
        gz_gltf_flaw(gltf, "nodes[%u]: the %s %g is kept as %g", (unsigned)node->asset, what,
                     number, kept);
    return kept;
}

static void read_transform(struct gz_import *import, struct gz_gltf *gltf,
                           struct gz_import_node *node, const struct gz_json *json)
{
    bool has_matrix = gz_json_get(json, "matrix") != NULL;
    bool has_trs = gz_json_get(json, "translation") != NULL ||
                   gz_json_get(json, "rotation") != NULL || gz_json_get(json, "scale") != NULL;
    if (has_matrix && has_trs)
        gz_gltf_flaw(gltf,
                     "nodes[%u]: has a matrix and a translation, rotation or scale, and may have "
                     "only one or the other; the matrix is taken",
                     (unsigned)node->asset);
    if (has_matrix)
        read_matrix(import, gltf, node, json);
    else
        read_trs(gltf, node, json);
    gz_trs *trs = &node->trs;
    double *t[3] = {&trs->t.x, &trs->t.y, &trs->t.z}, *s[3] = {&trs->s.x, &trs->s.y, &trs->s.z};
    for (int axis = 0; axis < 3; axis++) {
        *t[axis] = keep_number(gltf, node, "translation", *t[axis], 0);
        *s[axis] = keep_number(gltf, node, "scale", *s[axis], GZ_SCALE_MIN);
    }
}

static enum gz_status read_nodes(struct gz_import *import, struct gz_gltf *gltf,
                                 struct gz_error *error)
{
    for (size_t i = 0; i < import->count; i++) {
        struct gz_import_node *node = &import->nodes[i];
        const struct gz_json *json = gz_gltf_item(gltf, "nodes", node->asset);
        enum gz_status status = read_name(import, node, json, error);
        if (status != GZ_OK) return status;
        read_transform(import, gltf, node, json);
    }
    return GZ_OK;
}

enum gz_status gz_import_read(struct gz_import *import, struct gz_gltf *gltf, bool meshes,
                              struct gz_error *error)
{
    *import = (struct gz_import){0};
    gz_arena_init(&import->names, (size_t)GZ_NODES_MAX * 2 * GZ_NAME_BYTES_MAX);
    enum gz_status status = read_hierarchy(import, gltf, error);
    if (status == GZ_OK) status = read_nodes(import, gltf, error);
    if (status == GZ_OK && meshes) status = gz_meshes_read(import, gltf, error);
    import->flaws = gltf->flaws;
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
