/* Writes the nodes of a scene back into the glTF that they came from. */
#include "gltf/file.h"
#include "gltf/skins.h"
#include "proto/base/number.h"
#include "server/maxima.h"

#include <stdio.h>
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
    struct gz_gltf gltf; /* the first file, into which the others are merged */
    struct gz_import import;
    const struct gz_export_file *files;
    size_t file_count;
    size_t *bases; /* where the nodes of each file begin */
    struct gz_export_other *others;
    struct gz_merging merging;
    size_t json_bytes; /* memory of all documents */
    const struct gz_export_node *nodes;
    struct gz_export_node *own; /* the same, to be freed */
    size_t count;
    size_t *places;     /* export node -> glTF index */
    size_t *by_id;      /* export nodes in the order of their ids */
    size_t asset_count; /* nodes of the file before any was appended */
    size_t total;       /* and after */
    int64_t *parents;   /* glTF index -> the node's parent, or a mark of what became of the node */
    bool *placed;       /* glTF index: already in its parent's list */
    bool deleted;       /* a node of the import was deleted */
    bool tell_ids;
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

static enum gz_status set_member(struct exporter *export, struct gz_json *object, const char *key,
                                 const char *text)
{
    struct gz_json_document *document = &export->gltf.document;
    return gz_json_set(document, object, key, gz_json_make(document, text, strlen(text)));
}

static enum gz_status set_numbers(struct exporter *export, struct gz_json *json, const char *key,
                                  const double *numbers, const double *usual, size_t count)
{
    char text[4 * (GZ_NUMBER_BYTES_MAX + 1) + 2] = "[";
    size_t used = 1;
    bool is_usual = true;
    for (size_t i = 0; i < count; i++) {
        is_usual = is_usual && numbers[i] == usual[i];
        if (i > 0) text[used++] = ',';
        used += gz_number_print(numbers[i], text + used);
    }
    text[used++] = ']';
    text[used] = '\0';
    if (!is_usual) return set_member(export, json, key, text);
    gz_json_remove(json, key);
    return GZ_OK;
}

static enum gz_status set_trs(struct exporter *export, struct gz_json *json, const gz_trs *trs)
{
    const double t[] = {trs->t.x, trs->t.y, trs->t.z}, s[] = {trs->s.x, trs->s.y, trs->s.z};
    const double r[] = {trs->r.x, trs->r.y, trs->r.z, trs->r.w};
    static const double no_t[] = {0, 0, 0}, no_r[] = {0, 0, 0, 1}, no_s[] = {1, 1, 1};
    gz_json_remove(json, "matrix");
    enum gz_status status = set_numbers(export, json, "translation", t, no_t, 3);
    if (status == GZ_OK) status = set_numbers(export, json, "rotation", r, no_r, 4);
    return status == GZ_OK ? set_numbers(export, json, "scale", s, no_s, 3) : status;
}

/* Of a scene that never had a file. */
static const char bare[] =
    "{\"asset\":{\"version\":\"2.0\",\"generator\":\"gizmod\"},\"scene\":0,\"scenes\":[{}]}";

static enum gz_status fail_memory(struct gz_error *error)
{
    return gz_fail(error, GZ_NO_MEMORY, "not enough memory for this file");
}

static enum gz_status open_bare(struct exporter *export)
{
    export->gltf.binary = true;
    return gz_document_read(&export->gltf.document, (const uint8_t *)bare, sizeof bare - 1,
                            export->error);
}

/* Another file than the first, which has to stay until the result is written. */
struct gz_export_other {
    struct gz_gltf gltf;
    struct gz_import import;
};

static enum gz_status open_file(const struct gz_export_file *file, struct gz_gltf *gltf,
                                struct gz_import *import, struct gz_error *error)
{
    enum gz_status status = gz_gltf_open(gltf, file->bytes, file->size, error);
    return status == GZ_OK ? gz_import_read(import, gltf, false, error) : status;
}

/* Adds the nodes of a file whose list begins at `base`, as the names of the other import stay. */
static enum gz_status add_import(struct exporter *export, const struct gz_import *more, size_t base)
{
    struct gz_import *import = &export->import;
    const size_t count = import->count + more->count;
    struct gz_import_node *nodes = realloc(import->nodes, (count + 1) * sizeof *nodes);
    if (nodes == NULL) return fail_memory(export->error);
    import->nodes = nodes;
    for (size_t i = 0; i < more->count; i++) {
        struct gz_import_node *node = &nodes[import->count + i];
        *node = more->nodes[i];
        node->asset += (uint32_t)base;
        if (node->parent >= 0) node->parent += (int64_t)import->count;
    }
    import->count = count;
    return GZ_OK;
}

/* Where the list "nodes" of each file begins. */
static enum gz_status add_file(struct exporter *export, size_t place)
{
    struct gz_export_other *other = &export->others[place];
    export->bases[place] = gz_gltf_count(&export->gltf, "nodes");
    enum gz_status status =
        open_file(&export->files[place], &other->gltf, &other->import, export->error);
    export->json_bytes += other->gltf.document.arena.used;
    if (status == GZ_OK && export->json_bytes > GZ_JSON_BYTES_MAX)
        status =
            gz_fail(export->error, GZ_TOO_MANY,
                    "the %zu files of the scene have too many values for one", export->file_count);
    if (status != GZ_OK) return status;
    status = gz_gltf_merge(&export->gltf, &other->gltf, &other->import, &export->merging);
    if (status == GZ_TOO_LARGE)
        return gz_fail(export->error, status, "the files of the scene are too large for one");
    return status == GZ_OK ? add_import(export, &other->import, export->bases[place])
                           : fail_memory(export->error);
}

static enum gz_status start_import(struct exporter *export)
{
    const size_t count = export->file_count;
    if (count == 0) return open_bare(export);
    export->bases = calloc(count, sizeof *export->bases);
    export->others = calloc(count, sizeof *export->others);
    if (export->bases == NULL || export->others == NULL) return fail_memory(export->error);
    enum gz_status status =
        open_file(&export->files[0], &export->gltf, &export->import, export->error);
    if (status != GZ_OK || count == 1) return status;
    export->json_bytes = export->gltf.document.arena.used;
    if (gz_gltf_begin_merge(&export->gltf, &export->import, &export->merging) != GZ_OK)
        return fail_memory(export->error);
    for (size_t i = 1; i < count && status == GZ_OK; i++) status = add_file(export, i);
    if (status != GZ_OK) return status;
    return gz_gltf_end_merge(&export->gltf, &export->merging) == GZ_OK ? GZ_OK
                                                                       : fail_memory(export->error);
}

/* The index that a node's number has in the result; -1 for none, as for a number of no file. */
static int64_t index_of(const struct exporter *export, int64_t number)
{
    size_t place = export->file_count;
    while (place > 0 && (number < 0 || export->files[place - 1].first > (uint64_t)number)) place--;
    if (place-- == 0) return -1;
    return number - (int64_t) export->files[place].first + (int64_t) export->bases[place];
}

/* The nodes with their indices in the result. */
static enum gz_status number_nodes(struct exporter *export)
{
    struct gz_export_node *own = calloc(export->count + 1, sizeof *own);
    if (own == NULL) return fail_memory(export->error);
    for (size_t i = 0; i < export->count; i++) {
        own[i] = export->nodes[i];
        if (own[i].asset >= 0) own[i].asset = index_of(export, own[i].asset);
    }
    export->nodes = export->own = own;
    return GZ_OK;
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
        properties += gz_json_count(gz_gltf_item(&export->gltf, "nodes", (size_t)asset));
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

static enum gz_status append_node(struct exporter *export, struct gz_json *json)
{
    struct gz_json *root = export->gltf.document.root;
    enum gz_status status = GZ_OK;
    if (gz_json_get(root, "nodes") == NULL) status = set_member(export, root, "nodes", "[]");
    return status == GZ_OK
               ? gz_json_append(&export->gltf.document, gz_json_get(root, "nodes"), json)
               : status;
}

/* A copy has everything that the node of the file has, but its own name and children. Its transform
 * is overwritten if it is different. */
static struct gz_json *copy_item(struct exporter *export, int64_t asset)
{
    if (asset < 0) return gz_json_make(&export->gltf.document, "{}", 2);
    struct gz_json *json =
        gz_json_copy(&export->gltf.document, gz_gltf_item(&export->gltf, "nodes", (size_t)asset));
    if (json == NULL) return NULL;
    gz_json_remove(json, "name");
    gz_json_remove(json, "children");
    return json;
}

/* Appends the copies in the order of their places, before the nodes that are copied are changed. */
static enum gz_status append_nodes(struct exporter *export)
{
    enum gz_status status = GZ_OK;
    for (size_t i = 0; i < export->count && status == GZ_OK; i++) {
        if (export->places[i] < export->asset_count) continue;
        status = append_node(export, copy_item(export, export->nodes[i].asset));
    }
    return status;
}

/* A zero that lost its sign on the disk is the same number. */
static bool is_same(const gz_trs *a, const gz_trs *b)
{
    return a->t.x == b->t.x && a->t.y == b->t.y && a->t.z == b->t.z && a->r.x == b->r.x &&
           a->r.y == b->r.y && a->r.z == b->r.z && a->r.w == b->r.w && a->s.x == b->s.x &&
           a->s.y == b->s.y && a->s.z == b->s.z;
}

/* Copies of a node share their extras with it until then, so these are copied. */
static struct gz_json *copy_extras(struct gz_json_document *document, const struct gz_json *json)
{
    const struct gz_json *old = gz_json_get(json, "extras");
    if (gz_json_is(old, GZ_JSON_OBJECT)) return gz_json_copy(document, old);
    struct gz_json *extras = gz_json_make(document, "{}", 2);
    if (old == NULL || extras == NULL) return extras;
    struct gz_json *kept = gz_json_copy(document, old);
    return gz_json_set(document, extras, "extras", kept) == GZ_OK ? extras : NULL;
}

static enum gz_status write_id(struct exporter *export, struct gz_json *json, uint64_t id)
{
    char text[32];
    struct gz_json_document *document = &export->gltf.document;
    struct gz_json *extras = copy_extras(document, json);
    snprintf(text, sizeof text, "%llu", (unsigned long long)id);
    enum gz_status status =
        extras != NULL ? set_member(export, extras, GZ_EXPORT_ID, text) : GZ_NO_MEMORY;
    return status == GZ_OK ? gz_json_set(document, json, "extras", extras) : status;
}

static enum gz_status write_node(struct exporter *export, struct gz_json *json,
                                 const struct gz_export_node *node, const char *old_name,
                                 const gz_trs *old_trs)
{
    struct gz_json_document *document = &export->gltf.document;
    enum gz_status status = GZ_OK;
    if (old_name == NULL || strcmp(old_name, node->name) != 0)
        status = gz_json_set(document, json, "name", gz_json_make_text(document, node->name));
    if (status == GZ_OK && !is_same(old_trs, &node->trs))
        status = set_trs(export, json, &node->trs);
    if (status == GZ_OK && export->tell_ids) status = write_id(export, json, node->id);
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
        status = write_node(export, gz_gltf_item(&export->gltf, "nodes", place), node,
                            is_copy ? NULL : old->name, old != NULL ? &old->trs : &gz_trs_identity);
    }
    free(imported);
    return status;
}

struct filter {
    struct exporter *export;
    const struct gz_json *list;
    int64_t parent;
};

/* What no reader takes as a node stays as it is. */
static bool stays(size_t index, void *context)
{
    const struct filter *filter = context;
    const struct gz_json *item = gz_json_at(filter->list, index);
    if (item == NULL) return true;
    size_t node = (size_t)gz_json_number(item);
    int64_t parent = filter->export->parents[node];
    if (parent != filter->parent && parent != NOT_OURS) return false;
    filter->export->placed[node] = true;
    return true;
}

/* Keeps, in their order, the nodes of a list whose parent now is `parent`, and the nodes that are
 * not ours. */
static void filter_list(struct exporter *export, struct gz_json *holder, const char *key,
                        int64_t parent)
{
    struct gz_json *list = gz_json_get(holder, key);
    if (list != NULL) gz_json_retain(list, stays, &(struct filter){export, list, parent});
}

static enum gz_status append_index(struct exporter *export, struct gz_json *holder, const char *key,
                                   size_t node)
{
    char text[32];
    int size = snprintf(text, sizeof text, "%zu", node);
    enum gz_status status = GZ_OK;
    if (gz_json_get(holder, key) == NULL) status = set_member(export, holder, key, "[]");
    if (status != GZ_OK) return status;
    struct gz_json_document *document = &export->gltf.document;
    return gz_json_append(document, gz_json_get(holder, key),
                          gz_json_make(document, text, (size_t)size));
}

/* Removes a list that became empty, which glTF does not allow. */
static void drop_if_empty(struct gz_json *holder, const char *key)
{
    const struct gz_json *list = gz_json_get(holder, key);
    if (gz_json_is_edited(list) && gz_json_count(list) == 0) gz_json_remove(holder, key);
}

/* The default scene. A file without scenes shows all its roots: once one is deleted it needs a
 * scene that leaves it out. */
static enum gz_status find_scene(struct exporter *export, struct gz_json **scene)
{
    struct gz_json *root = export->gltf.document.root;
    *scene = gz_gltf_item(&export->gltf, "scenes", gz_json_natural(root, "scene", 0));
    if (*scene != NULL || !export->deleted) return GZ_OK;
    enum gz_status status = set_member(export, root, "scenes", "[{}]");
    if (status == GZ_OK) status = set_member(export, root, "scene", "0");
    *scene = gz_gltf_item(&export->gltf, "scenes", 0);
    return status;
}

/* Only the lists of the default scene place a node: other scenes may show it, too. */
static void filter_lists(struct exporter *export, struct gz_json *scene)
{
    for (size_t i = 0; i < gz_gltf_count(&export->gltf, "scenes"); i++)
        filter_list(export, gz_gltf_item(&export->gltf, "scenes", i), "nodes", ROOT);
    memset(export->placed, 0, export->total * sizeof *export->placed);
    filter_list(export, scene, "nodes", ROOT);
    for (size_t i = 0; i < export->total; i++) {
        if (export->parents[i] == NOT_OURS) continue;
        filter_list(export, gz_gltf_item(&export->gltf, "nodes", i), "children", (int64_t)i);
    }
}

static enum gz_status place_nodes(struct exporter *export, struct gz_json *scene)
{
    enum gz_status status = GZ_OK;
    for (size_t i = 0; i < export->count && status == GZ_OK; i++) {
        size_t place = export->places[i];
        int64_t parent = export->parents[place];
        if (export->placed[place] || (parent == ROOT && scene == NULL)) continue;
        struct gz_json *holder =
            parent == ROOT ? scene : gz_gltf_item(&export->gltf, "nodes", (size_t)parent);
        status = append_index(export, holder, parent == ROOT ? "nodes" : "children", place);
    }
    return status;
}

static enum gz_status write_hierarchy(struct exporter *export)
{
    struct gz_json *scene = NULL;
    enum gz_status status = find_scene(export, &scene);
    if (status == GZ_OK) filter_lists(export, scene);
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

static void finish_export(struct exporter *export)
{
    for (size_t i = 0; export->others != NULL && i < export->file_count; i++) {
        gz_import_finish(&export->others[i].import);
        gz_gltf_close(&export->others[i].gltf);
    }
    free(export->others);
    free(export->bases);
    gz_buffer_finish(&export->merging.bin);
    free(export->own);
    free(export->places);
    free(export->by_id);
    free(export->parents);
    free(export->placed);
    gz_import_finish(&export->import);
    gz_gltf_close(&export->gltf);
}

enum gz_status gz_export_write(struct gz_buffer *out, const struct gz_export_file *files,
                               size_t file_count, const struct gz_export_node *nodes, size_t count,
                               bool tell_ids, char dropped[GZ_DROPPED_BYTES],
                               struct gz_error *error)
{
    char unasked[GZ_DROPPED_BYTES];
    struct exporter export = {.files = files,
                              .file_count = file_count,
                              .nodes = nodes,
                              .count = count,
                              .tell_ids = tell_ids,
                              .error = error};
    enum gz_status status = start_import(&export);
    if (status == GZ_OK) status = number_nodes(&export);
    if (status == GZ_OK) status = make_room(&export);
    if (status == GZ_OK) status = find_places(&export);
    if (status == GZ_OK) status = check_copies(&export);
    if (status == GZ_OK) status = edit_asset(&export, dropped != NULL ? dropped : unasked);
    if (status == GZ_OK) status = gz_gltf_write(out, &export.gltf, error);
    finish_export(&export);
    return status;
}
