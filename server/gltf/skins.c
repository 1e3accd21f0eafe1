/* skins.c - elements of accessors, and the skins that they move. */
#include "gltf/skins.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gltf/mesh.h"
#include "proto/limits.h"

/* ---- elements ---- */

/* Reads the elements of accessors. */

unsigned gz_component_bytes(enum gz_component_type type)
{
    switch (type) {
    case GZ_BYTE:
    case GZ_UBYTE: return 1;
    case GZ_SHORT:
    case GZ_USHORT: return 2;
    case GZ_UINT:
    case GZ_FLOAT: return 4;
    }
    return 0;
}

double gz_component_value(const struct gz_accessor *accessor, double raw)
{
    if (!accessor->normalized) return raw;
    switch (accessor->component_type) {
    case GZ_BYTE: return fmax(raw / 127, -1);
    case GZ_UBYTE: return raw / 255;
    case GZ_SHORT: return fmax(raw / 32767, -1);
    case GZ_USHORT: return raw / 65535;
    default: return raw;
    }
}

uint32_t gz_index_value(enum gz_component_type type, const uint8_t *at)
{
    uint32_t value = at[0];
    if (type != GZ_UBYTE) value |= (uint32_t)at[1] << 8;
    if (type == GZ_UINT) value |= (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    return value;
}

static const uint8_t *bytes_of(const struct gz_mesh_reader *reader, const struct gz_json *part)
{
    const uint8_t *bytes = reader->views[gz_json_natural(part, "bufferView", 0)].data;
    return bytes != NULL ? bytes + gz_json_natural(part, "byteOffset", 0) : NULL;
}

static bool is_compressed(const struct gz_mesh_reader *reader, const struct gz_json *holder)
{
    int64_t view = gz_json_index(holder, "bufferView");
    if (view < 0) return false;
    const struct gz_json *extensions =
        gz_json_get(gz_gltf_item(reader->gltf, "bufferViews", (size_t)view), "extensions");
    return gz_json_get(extensions, "EXT_meshopt_compression") != NULL ||
           gz_json_get(extensions, "KHR_meshopt_compression") != NULL;
}

bool gz_source_open(struct gz_source *source, const struct gz_mesh_reader *reader, size_t index)
{
    const struct gz_accessor *accessor = &reader->accessors[index];
    const struct gz_json *sparse = gz_json_get(accessor->json, "sparse");
    *source = (struct gz_source){.accessor = accessor};
    if (accessor->is_lost || is_compressed(reader, accessor->json)) return false;
    if (accessor->data == NULL &&
        (sparse == NULL || gz_json_index(accessor->json, "bufferView") >= 0))
        return false;
    if (sparse == NULL) return true;
    const struct gz_json *indices = gz_json_get(sparse, "indices"),
                         *values = gz_json_get(sparse, "values");
    source->indices = bytes_of(reader, indices);
    source->values = bytes_of(reader, values);
    source->index_type = (enum gz_component_type)gz_json_natural(indices, "componentType", 0);
    source->index_bytes = gz_component_bytes(source->index_type);
    source->replaced = gz_json_natural(sparse, "count", 0);
    bool is_index = source->index_type == GZ_UBYTE || source->index_type == GZ_USHORT ||
                    source->index_type == GZ_UINT;
    return is_index && source->indices != NULL && source->values != NULL &&
           !is_compressed(reader, indices) && !is_compressed(reader, values);
}

const uint8_t *gz_element_of(const struct gz_source *source, uint64_t i)
{
    uint64_t low = 0, high = source->replaced;
    while (low < high) {
        uint64_t half = low + (high - low) / 2;
        uint64_t index =
            gz_index_value(source->index_type, source->indices + half * source->index_bytes);
        if (index == i) return source->values + half * source->accessor->element;
        if (index < i) {
            low = half + 1;
        } else {
            high = half;
        }
    }
    const struct gz_accessor *accessor = source->accessor;
    return accessor->data != NULL ? accessor->data + i * accessor->stride : NULL;
}

double gz_element_value(const struct gz_accessor *accessor, const uint8_t *at, unsigned i)
{
    uint32_t bits;
    float value;
    switch (accessor->component_type) {
    case GZ_BYTE: return gz_component_value(accessor, (int8_t)at[i]);
    case GZ_UBYTE: return gz_component_value(accessor, at[i]);
    case GZ_SHORT:
        return gz_component_value(accessor, (int16_t)gz_index_value(GZ_USHORT, at + 2 * i));
    case GZ_USHORT: return gz_component_value(accessor, gz_index_value(GZ_USHORT, at + 2 * i));
    case GZ_UINT: return gz_index_value(GZ_UINT, at + 4 * i);
    default: break;
    }
    bits = gz_index_value(GZ_UINT, at + 4 * i);
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* ---- skins ---- */

/* Keeps the skins of a file valid when its hierarchy was edited. glTF wants the joints of a skin
 * under one common root, in the scene of each node that shows the skin. A node whose skin no longer
 * has such a root keeps its mesh and loses the skin. A skin that was invalid before the edits stays
 * as it was. */

/* The hierarchy of a file. A node is below another one if its turn is between the other's turn and
 * end. */
struct tree {
    const struct gz_gltf *gltf;
    size_t count;
    struct branch {
        int64_t parent, root;   /* -1: none; a node of a circle has no root */
        size_t turn, end, next; /* next: the child that is visited next. turn 0: not visited */
        bool shown;             /* a root of the default scene */
    } * nodes;
    size_t turns;
};

static const struct gz_json *children_of(const struct tree *tree, size_t node)
{
    return gz_json_get(gz_gltf_item(tree->gltf, "nodes", node), "children");
}

static void enter(struct tree *tree, size_t node, size_t root)
{
    tree->nodes[node].root = (int64_t)root;
    tree->nodes[node].turn = ++tree->turns;
}

static void visit(struct tree *tree, size_t root)
{
    enter(tree, root, root);
    for (int64_t at = (int64_t)root; at >= 0;) {
        struct branch *branch = &tree->nodes[at];
        const struct gz_json *children = children_of(tree, (size_t)at);
        if (branch->next == gz_json_count(children)) {
            branch->end = tree->turns;
            at = branch->parent;
            continue;
        }
        const struct gz_json *child = gz_json_at(children, branch->next++);
        size_t next = (size_t)gz_json_number(child);
        if (child != NULL && tree->nodes[next].turn == 0 && tree->nodes[next].parent == at) {
            enter(tree, next, root);
            at = (int64_t)next;
        }
    }
}

/* A file without a default scene shows all its roots. */
static void show(struct tree *tree)
{
    const struct gz_json *root = tree->gltf->document.root;
    const struct gz_json *scene =
        gz_gltf_item(tree->gltf, "scenes", gz_json_natural(root, "scene", 0));
    const struct gz_json *roots = gz_json_get(scene, "nodes");
    for (size_t i = 0; i < tree->count; i++) tree->nodes[i].shown = scene == NULL;
    for (size_t i = 0; i < gz_json_count(roots); i++) {
        const struct gz_json *index = gz_json_at(roots, i);
        if (index != NULL) tree->nodes[(size_t)gz_json_number(index)].shown = true;
    }
}

static enum gz_status grow(struct tree *tree, const struct gz_gltf *gltf)
{
    *tree = (struct tree){.gltf = gltf, .count = gz_gltf_count(gltf, "nodes")};
    tree->nodes = calloc(tree->count + 1, sizeof *tree->nodes);
    if (tree->nodes == NULL) return GZ_NO_MEMORY;
    for (size_t i = 0; i < tree->count; i++) tree->nodes[i].parent = tree->nodes[i].root = -1;
    for (size_t i = 0; i < tree->count; i++) {
        const struct gz_json *children = children_of(tree, i);
        for (size_t j = 0; j < gz_json_count(children); j++) {
            const struct gz_json *child = gz_json_at(children, j);
            int64_t *parent = &tree->nodes[(size_t)gz_json_number(child)].parent;
            if (child != NULL && *parent < 0) *parent = (int64_t)i;
        }
    }
    for (size_t i = 0; i < tree->count; i++)
        if (tree->nodes[i].parent < 0) visit(tree, i);
    show(tree);
    return GZ_OK;
}

static size_t joint_of(const struct gz_json *skin, size_t i)
{
    return (size_t)gz_json_number(gz_json_at(gz_json_get(skin, "joints"), i));
}

static size_t joint_count(const struct gz_json *skin)
{
    return gz_json_count(gz_json_get(skin, "joints"));
}

/* A joint that is no node makes the skin invalid, before the edits and after. */
static bool has_joints(const struct gz_json *skin)
{
    for (size_t i = 0; i < joint_count(skin); i++)
        if (gz_json_at(gz_json_get(skin, "joints"), i) == NULL) return false;
    return joint_count(skin) > 0;
}

/* The root that all joints of a skin are below; -1 for none. */
static int64_t common_root(const struct tree *tree, const struct gz_json *skin)
{
    int64_t root = has_joints(skin) ? tree->nodes[joint_of(skin, 0)].root : -1;
    for (size_t i = 1; i < joint_count(skin); i++)
        if (tree->nodes[joint_of(skin, i)].root != root) return -1;
    return root;
}

static bool is_above_joints(const struct tree *tree, size_t node, const struct gz_json *skin)
{
    const struct branch *above = &tree->nodes[node];
    for (size_t i = 0; i < joint_count(skin); i++) {
        const struct branch *joint = &tree->nodes[joint_of(skin, i)];
        if (joint->turn < above->turn || joint->turn > above->end) return false;
    }
    return true;
}

static bool may_show(const struct tree *tree, size_t node, int64_t root)
{
    int64_t own = tree->nodes[node].root;
    if (root < 0) return false;
    return own < 0 || !tree->nodes[own].shown || tree->nodes[root].shown;
}

static void read_roots(const struct tree *tree, struct gz_skins *skins)
{
    for (size_t i = 0; i < skins->count; i++)
        skins->of[i].root = common_root(tree, gz_gltf_item(tree->gltf, "skins", i));
}

enum gz_status gz_skins_open(struct gz_skins *skins, const struct gz_gltf *gltf)
{
    struct tree tree;
    *skins = (struct gz_skins){.count = gz_gltf_count(gltf, "skins")};
    if (skins->count == 0) return GZ_OK;
    skins->of = calloc(skins->count, sizeof *skins->of);
    if (skins->of == NULL || grow(&tree, gltf) != GZ_OK) return GZ_NO_MEMORY;
    read_roots(&tree, skins);
    for (size_t i = 0; i < skins->count; i++) skins->of[i].was_valid = skins->of[i].root >= 0;
    for (size_t i = 0; i < tree.count; i++) {
        int64_t skin = gz_json_index(gz_gltf_item(gltf, "nodes", i), "skin");
        if (skin >= 0 && !may_show(&tree, i, skins->of[skin].root))
            skins->of[skin].was_valid = false;
    }
    free(tree.nodes);
    return GZ_OK;
}

static void drop_from_nodes(const struct tree *tree, struct gz_skins *skins)
{
    for (size_t i = 0; i < tree->count; i++) {
        struct gz_json *node = gz_gltf_item(tree->gltf, "nodes", i);
        int64_t skin = gz_json_index(node, "skin");
        if (skin < 0 || !skins->of[skin].was_valid || may_show(tree, i, skins->of[skin].root))
            continue;
        gz_json_remove(node, "skin");
        skins->of[skin].dropped = true;
    }
}

/* `skeleton` is only a hint: it is left out once it is no longer above all joints. */
static void drop_skeletons(const struct tree *tree, const struct gz_skins *skins)
{
    for (size_t i = 0; i < skins->count; i++) {
        struct gz_json *skin = gz_gltf_item(tree->gltf, "skins", i);
        int64_t skeleton = gz_json_index(skin, "skeleton");
        if (!skins->of[i].was_valid || skins->of[i].root < 0 || skeleton < 0) continue;
        if (!is_above_joints(tree, (size_t)skeleton, skin)) gz_json_remove(skin, "skeleton");
    }
}

static bool is_printable(struct gz_json_text name)
{
    for (size_t i = 0; i < name.size; i++)
        if (name.at[i] < ' ' || name.at[i] > '~') return false;
    return name.size > 0;
}

/* Appends the name of a skin if it fits whole. A name that an HTTP header cannot hold is left out.
 */
static void tell(const struct gz_gltf *gltf, const struct gz_skins *skins,
                 char dropped[GZ_DROPPED_BYTES])
{
    size_t used = 0;
    dropped[0] = '\0';
    for (size_t i = 0; i < skins->count; i++) {
        if (!skins->of[i].dropped) continue;
        struct gz_json_text name =
            gz_json_text(gz_json_get(gz_gltf_item(gltf, "skins", i), "name"));
        bool named = name.size < GZ_DROPPED_BYTES / 2 && is_printable(name);
        char one[GZ_DROPPED_BYTES];
        int size = snprintf(one, sizeof one, "%sskin %zu%s%.*s%s", used > 0 ? ", " : "", i,
                            named ? " (" : "", named ? (int)name.size : 0, named ? name.at : "",
                            named ? ")" : "");
        if (used + (size_t)size + sizeof ", ..." > GZ_DROPPED_BYTES) {
            memcpy(dropped + used, ", ...", sizeof ", ...");
            return;
        }
        memcpy(dropped + used, one, (size_t)size + 1);
        used += (size_t)size;
    }
}

static enum gz_status renumber(const struct tree *tree, const struct gz_skins *skins,
                               struct gz_json_document *document)
{
    for (size_t i = 0; i < tree->count; i++) {
        struct gz_json *node = gz_gltf_item(tree->gltf, "nodes", i);
        int64_t skin = gz_json_index(node, "skin");
        if (skin < 0 || skins->of[skin].place == (size_t)skin) continue;
        char text[32];
        int size = snprintf(text, sizeof text, "%zu", skins->of[skin].place);
        enum gz_status status =
            gz_json_set(document, node, "skin", gz_json_make(document, text, (size_t)size));
        if (status != GZ_OK) return status;
    }
    return GZ_OK;
}

/* Whether the skin stays in the file, and where. */
static bool stays(size_t index, void *context)
{
    struct gz_skins *skins = context;
    skins->of[index].place = skins->kept;
    if (skins->of[index].was_valid && skins->of[index].root < 0) return false;
    skins->kept++;
    return true;
}

/* Without a common root a skin is invalid even if no node shows it. */
static enum gz_status remove_skins(const struct tree *tree, struct gz_skins *skins,
                                   struct gz_json_document *document)
{
    gz_json_retain(gz_json_get(document->root, "skins"), stays, skins);
    if (skins->kept == skins->count) return GZ_OK;
    if (skins->kept == 0) gz_json_remove(document->root, "skins");
    return renumber(tree, skins, document);
}

enum gz_status gz_skins_mend(struct gz_skins *skins, struct gz_gltf *gltf,
                             char dropped[GZ_DROPPED_BYTES])
{
    struct tree tree;
    dropped[0] = '\0';
    if (skins->count == 0) return GZ_OK;
    if (grow(&tree, gltf) != GZ_OK) return GZ_NO_MEMORY;
    read_roots(&tree, skins);
    drop_from_nodes(&tree, skins);
    drop_skeletons(&tree, skins);
    tell(gltf, skins, dropped);
    enum gz_status status = remove_skins(&tree, skins, &gltf->document);
    free(tree.nodes);
    return status;
}

void gz_skins_close(struct gz_skins *skins)
{
    free(skins->of);
}
