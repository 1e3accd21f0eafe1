/* Writes the nodes of a scene back into the glTF that they came from. */
#include "exchange/internal.h"
#include "exchange/skins.h"
#include "server/maxima.h"

#include <stdlib.h>
#include <string.h>

/* What becomes of a node of the file: the glTF index of its new parent, or one of these. */
enum { ROOT = -1, NOWHERE = -2, NOT_OURS = -3 };
#define UNPLACED SIZE_MAX

/* Several nodes of the scene may stand for one node of the file: the one with the least id has its
 * place, the others are appended as copies. NOT_OURS are nodes that the import left out, because
 * they are in no scene or in another one: they stay as they are. A deleted node stays in the file
 * too, because other parts of the file name nodes by index, but no node that is left has it as a
 * child. */
struct exporter {
    struct gz_gltf gltf;
    struct gz_import import;
    const struct gz_export_node *nodes;
    size_t count;
    size_t *places;     /* export node -> glTF index */
    size_t *by_id;      /* export nodes in the order of their ids */
    size_t asset_count; /* nodes of the file before any was appended */
    size_t total;       /* and after */
    int64_t *parents;   /* glTF index -> the node's parent, or a mark of what became of the node */
    bool *placed;       /* glTF index: already in its parent's list */
    bool deleted;       /* a node of the import was deleted */
    struct gz_error *error;
};

static int compare_ids(const void *a, const void *b, void *nodes)
{
    uint64_t x = ((const struct gz_export_node *)nodes)[*(const size_t *)a].id;
    uint64_t y = ((const struct gz_export_node *)nodes)[*(const size_t *)b].id;
    return (x > y) - (x < y);
}

/* The place of the export node with this id; `count` if there is none. */
static size_t find_id(const struct exporter *export, uint64_t id)
{
    size_t low = 0, high = export->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (export->nodes[export->by_id[middle]].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < export->count && export->nodes[export->by_id[low]].id == id;
    return found ? export->by_id[low] : export->count;
}

static enum gz_status set_member(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new_nocheck(object, key, value) == 0 ? GZ_OK : GZ_NO_MEMORY;
}

static enum gz_status set_numbers(json_t *json, const char *key, const double *numbers,
                                  const double *usual, size_t count)
{
    (void)json_object_del(json, key);
    if (memcmp(numbers, usual, count * sizeof *numbers) == 0) return GZ_OK;
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        if (json_array_append_new(list, json_real(numbers[i])) != 0) {
            json_decref(list);
            return GZ_NO_MEMORY;
        }
    }
    return set_member(json, key, list);
}

static enum gz_status set_trs(json_t *json, const gz_trs *trs)
{
    const double t[] = {trs->t.x, trs->t.y, trs->t.z}, s[] = {trs->s.x, trs->s.y, trs->s.z};
    const double r[] = {trs->r.x, trs->r.y, trs->r.z, trs->r.w};
    static const double no_t[] = {0, 0, 0}, no_r[] = {0, 0, 0, 1}, no_s[] = {1, 1, 1};
    (void)json_object_del(json, "matrix");
    enum gz_status status = set_numbers(json, "translation", t, no_t, 3);
    if (status == GZ_OK) status = set_numbers(json, "rotation", r, no_r, 4);
    return status == GZ_OK ? set_numbers(json, "scale", s, no_s, 3) : status;
}

static enum gz_status start_import(struct exporter *export, const uint8_t *asset, size_t size)
{
    if (size > 0) {
        enum gz_status status = gz_gltf_open(&export->gltf, asset, size, export->error);
        return status == GZ_OK
                   ? gz_import_read(&export->import, &export->gltf, false, export->error)
                   : status;
    }
    export->gltf.binary = true;
    export->gltf.json = json_pack("{s:{s:s,s:s},s:i,s:[{}]}", "asset", "version", "2.0",
                                  "generator", "gizmod", "scene", 0, "scenes");
    return export->gltf.json != NULL
               ? GZ_OK
               : gz_fail(export->error, GZ_NO_MEMORY, "not enough memory for this file");
}

static enum gz_status check_node(const struct exporter *export, const struct gz_export_node *node)
{
    unsigned long long id = node->id;
    if (!gz_trs_finite(&node->trs)) {
        return gz_fail(export->error, GZ_BAD_VALUE, "node %llu: its transform is not finite", id);
    }
    if (node->parent != 0 && find_id(export, node->parent) == export->count) {
        return gz_fail(export->error, GZ_BAD_VALUE,
                       "node %llu: its parent %llu is not among the nodes", id,
                       (unsigned long long)node->parent);
    }
    if (node->asset < -1 || node->asset >= (int64_t) export->asset_count ||
        (node->asset >= 0 && export->parents[node->asset] == NOT_OURS)) {
        return gz_fail(export->error, GZ_BAD_VALUE,
                       "node %llu: nodes[%lld] is not in the asset's scene", id,
                       (long long)node->asset);
    }
    return GZ_OK;
}

static enum gz_status make_room(struct exporter *export)
{
    export->asset_count = gz_gltf_count(&export->gltf, "nodes");
    export->total = export->asset_count;
    size_t most = export->asset_count + export->count + 1;
    export->places = calloc(export->count + 1, sizeof *export->places);
    export->by_id = calloc(export->count + 1, sizeof *export->by_id);
    export->parents = malloc(most * sizeof *export->parents);
    export->placed = calloc(most, sizeof *export->placed);
    if (export->places == NULL || export->by_id == NULL || export->parents == NULL ||
        export->placed == NULL) {
        return gz_fail(export->error, GZ_NO_MEMORY, "not enough memory for this file");
    }
    for (size_t i = 0; i < most; i++) export->parents[i] = NOT_OURS;
    for (size_t i = 0; i < export->import.count; i++)
        export->parents[export->import.nodes[i].asset] = NOWHERE;
    for (size_t i = 0; i < export->count; i++) export->by_id[i] = i;
    qsort_r(export->by_id, export->count, sizeof *export->by_id, compare_ids,
            (void *)export->nodes);
    return GZ_OK;
}

/* Gives every node its glTF index: the one of the file to the first node by id that has it, new
 * ones to the others. `placed` marks the indices that are given. */
static enum gz_status find_places(struct exporter *export)
{
    for (size_t i = 0; i < export->count; i++) {
        enum gz_status status = check_node(export, &export->nodes[i]);
        if (status != GZ_OK) return status;
        export->places[i] = UNPLACED;
    }
    for (size_t i = 0; i < export->count; i++) {
        int64_t asset = export->nodes[export->by_id[i]].asset;
        if (asset < 0 || export->placed[asset]) continue;
        export->places[export->by_id[i]] = (size_t)asset;
        export->placed[asset] = true;
    }
    for (size_t i = 0; i < export->count; i++) {
        if (export->places[i] == UNPLACED) export->places[i] = export->total++;
    }
    memset(export->placed, 0, export->total * sizeof *export->placed);
    return GZ_OK;
}

/* Refuses copies that would take too much memory: the file may give many properties to a node. */
static enum gz_status check_copies(const struct exporter *export)
{
    size_t properties = 0;
    for (size_t i = 0; i < export->count; i++) {
        int64_t asset = export->nodes[i].asset;
        if (asset < 0 || export->places[i] < export->asset_count) continue;
        properties += json_object_size(gz_gltf_item(&export->gltf, "nodes", (size_t)asset));
    }
    if (properties <= GZ_ASSET_VALUES_MAX) return GZ_OK;
    return gz_fail(export->error, GZ_TOO_MANY,
                   "the copies of nodes have %zu properties, and a file may have at most %d",
                   properties, GZ_ASSET_VALUES_MAX);
}

/* A node that remains goes to the place that the caller names. A deleted node stays under its old
 * parent if that is deleted too. */
static void find_parents(struct exporter *export)
{
    const struct gz_import *import = &export->import;
    for (size_t i = 0; i < export->count; i++) {
        uint64_t parent = export->nodes[i].parent;
        export->parents[export->places[i]] =
            parent != 0 ? (int64_t) export->places[find_id(export, parent)] : (int64_t)ROOT;
    }
    for (size_t i = 0; i < import->count; i++) {
        const struct gz_import_node *node = &import->nodes[i];
        if (export->parents[node->asset] == NOWHERE) export->deleted = true;
    }
    /* Children first: a parent's own fate is still NOWHERE when they look at it. */
    for (size_t i = import->count; i-- > 0;) {
        const struct gz_import_node *node = &import->nodes[i];
        if (export->parents[node->asset] != NOWHERE || node->parent < 0) continue;
        size_t parent = import->nodes[node->parent].asset;
        if (export->parents[parent] == NOWHERE) export->parents[node->asset] = (int64_t)parent;
    }
}

static enum gz_status append_node(struct exporter *export, json_t *json)
{
    json_t *nodes = json_object_get(export->gltf.json, "nodes");
    if (nodes == NULL) {
        nodes = json_array();
        if (set_member(export->gltf.json, "nodes", nodes) != GZ_OK) {
            json_decref(json);
            return GZ_NO_MEMORY;
        }
    }
    return json_array_append_new(nodes, json) == 0 ? GZ_OK : GZ_NO_MEMORY;
}

/* A copy has everything that the node of the file has, but its own name and children. Its transform
 * is overwritten if it is different. */
static json_t *copy_item(const struct exporter *export, int64_t asset)
{
    json_t *json = json_copy(gz_gltf_item(&export->gltf, "nodes", (size_t)asset));
    (void)json_object_del(json, "name");
    (void)json_object_del(json, "children");
    return json;
}

/* Appends the copies in the order of their places, before the nodes that are copied are changed. */
static enum gz_status append_nodes(struct exporter *export)
{
    enum gz_status status = GZ_OK;
    for (size_t i = 0; i < export->count && status == GZ_OK; i++) {
        int64_t asset = export->nodes[i].asset;
        if (export->places[i] < export->asset_count) continue;
        status = append_node(export, asset >= 0 ? copy_item(export, asset) : json_object());
    }
    return status;
}

static enum gz_status write_node(json_t *json, const struct gz_export_node *node,
                                 const char *old_name, const gz_trs *old_trs)
{
    enum gz_status status = GZ_OK;
    if (old_name == NULL || strcmp(old_name, node->name) != 0) {
        status = set_member(json, "name", json_string(node->name));
    }
    if (status == GZ_OK && !gz_trs_same(old_trs, &node->trs)) status = set_trs(json, &node->trs);
    return status;
}

static enum gz_status write_nodes(struct exporter *export)
{
    const struct gz_import_node **imported = calloc(export->total + 1, sizeof *imported);
    enum gz_status status = imported != NULL ? append_nodes(export) : GZ_NO_MEMORY;
    for (size_t i = 0; i < export->import.count && status == GZ_OK; i++) {
        imported[export->import.nodes[i].asset] = &export->import.nodes[i];
    }
    for (size_t i = 0; i < export->count && status == GZ_OK; i++) {
        const struct gz_export_node *node = &export->nodes[i];
        size_t place = export->places[i];
        const struct gz_import_node *old = node->asset >= 0 ? imported[node->asset] : NULL;
        bool is_copy = place >= export->asset_count;
        status = write_node(gz_gltf_item(&export->gltf, "nodes", place), node,
                            is_copy ? NULL : old->name, old != NULL ? &old->trs : &gz_trs_identity);
    }
    free(imported);
    return status;
}

/* Keeps, in their order, the nodes of a list whose parent now is `parent`, and the nodes that are
 * not ours. */
static enum gz_status filter_list(struct exporter *export, json_t *holder, const char *key,
                                  int64_t parent)
{
    const json_t *old = json_object_get(holder, key);
    if (old == NULL) return GZ_OK;
    json_t *kept = json_array();
    for (size_t i = 0; i < json_array_size(old); i++) {
        json_t *index = json_array_get(old, i);
        size_t node = (size_t)json_number_value(index);
        if (export->parents[node] != parent && export->parents[node] != NOT_OURS) continue;
        export->placed[node] = true;
        if (json_array_append(kept, index) != 0) {
            json_decref(kept);
            return GZ_NO_MEMORY;
        }
    }
    return set_member(holder, key, kept);
}

static enum gz_status append_index(json_t *holder, const char *key, size_t node)
{
    json_t *list = json_object_get(holder, key);
    if (list == NULL) {
        list = json_array();
        if (set_member(holder, key, list) != GZ_OK) return GZ_NO_MEMORY;
    }
    return json_array_append_new(list, json_integer((json_int_t)node)) == 0 ? GZ_OK : GZ_NO_MEMORY;
}

/* Removes an empty list, which glTF does not allow. */
static void drop_if_empty(json_t *holder, const char *key)
{
    const json_t *list = json_object_get(holder, key);
    if (list != NULL && json_array_size(list) == 0) (void)json_object_del(holder, key);
}

/* The default scene. A file without scenes shows all its roots: once one is deleted it needs a
 * scene that leaves it out. */
static enum gz_status find_scene(struct exporter *export, json_t **scene)
{
    json_t *json = export->gltf.json;
    *scene = gz_gltf_item(&export->gltf, "scenes", gz_json_natural(json, "scene", 0));
    if (*scene != NULL || !export->deleted) return GZ_OK;
    enum gz_status status = set_member(json, "scenes", json_pack("[{s:[]}]", "nodes"));
    if (status == GZ_OK) status = set_member(json, "scene", json_integer(0));
    *scene = gz_gltf_item(&export->gltf, "scenes", 0);
    return status;
}

/* A node that another scene shares with the default scene is a root of both, so it can be marked in
 * `placed` too. */
static enum gz_status filter_lists(struct exporter *export)
{
    enum gz_status status = GZ_OK;
    for (size_t i = 0; i < gz_gltf_count(&export->gltf, "scenes") && status == GZ_OK; i++) {
        status = filter_list(export, gz_gltf_item(&export->gltf, "scenes", i), "nodes", ROOT);
    }
    for (size_t i = 0; i < export->total && status == GZ_OK; i++) {
        if (export->parents[i] == NOT_OURS) continue;
        status =
            filter_list(export, gz_gltf_item(&export->gltf, "nodes", i), "children", (int64_t)i);
    }
    return status;
}

static enum gz_status place_nodes(struct exporter *export, json_t *scene)
{
    enum gz_status status = GZ_OK;
    for (size_t i = 0; i < export->count && status == GZ_OK; i++) {
        size_t place = export->places[i];
        int64_t parent = export->parents[place];
        if (export->placed[place] || (parent == ROOT && scene == NULL)) continue;
        json_t *holder =
            parent == ROOT ? scene : gz_gltf_item(&export->gltf, "nodes", (size_t)parent);
        status = append_index(holder, parent == ROOT ? "nodes" : "children", place);
    }
    return status;
}

static enum gz_status write_hierarchy(struct exporter *export)
{
    json_t *scene = NULL;
    enum gz_status status = find_scene(export, &scene);
    if (status == GZ_OK) status = filter_lists(export);
    if (status == GZ_OK) status = place_nodes(export, scene);
    for (size_t i = 0; i < gz_gltf_count(&export->gltf, "scenes"); i++) {
        drop_if_empty(gz_gltf_item(&export->gltf, "scenes", i), "nodes");
    }
    for (size_t i = 0; i < export->total; i++)
        drop_if_empty(gz_gltf_item(&export->gltf, "nodes", i), "children");
    return status;
}

static enum gz_status edit_asset(struct exporter *export, char dropped[GZ_DROPPED_BYTES])
{
    struct gz_skins skins;
    find_parents(export);
    enum gz_status status = gz_skins_open(&skins, &export->gltf);
    if (status == GZ_OK) status = write_nodes(export);
    if (status == GZ_OK) status = write_hierarchy(export);
    if (status == GZ_OK) status = gz_skins_mend(&skins, &export->gltf, dropped);
    gz_skins_close(&skins);
    return status == GZ_OK ? GZ_OK
                           : gz_fail(export->error, status, "not enough memory for this file");
}

enum gz_status gz_export_write(struct gz_buffer *out, const uint8_t *asset, size_t size,
                               const struct gz_export_node *nodes, size_t count,
                               char dropped[GZ_DROPPED_BYTES], struct gz_error *error)
{
    char unasked[GZ_DROPPED_BYTES];
    struct exporter export = {.nodes = nodes, .count = count, .error = error};
    enum gz_status status = start_import(&export, asset, size);
    if (status == GZ_OK) status = make_room(&export);
    if (status == GZ_OK) status = find_places(&export);
    if (status == GZ_OK) status = check_copies(&export);
    if (status == GZ_OK) status = edit_asset(&export, dropped != NULL ? dropped : unasked);
    if (status == GZ_OK) status = gz_gltf_write(out, &export.gltf, error);
    free(export.places);
    free(export.by_id);
    free(export.parents);
    free(export.placed);
    gz_import_finish(&export.import);
    gz_gltf_close(&export.gltf);
    return status;
}
