/* merge.c - puts the lists of one glTF file behind those of another, and renumbers what points into
 * them. */
#include "gltf/file.h"
#include "server/maxima.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The lists that indices point into. */
static const char *const lists[] = {"nodes",      "meshes",   "accessors", "bufferViews", "buffers",
                                    "images",     "textures", "samplers",  "materials",   "skins",
                                    "animations", "cameras",  GZ_LIGHTS,   GZ_VARIANTS};
enum { LIST_COUNT = sizeof lists / sizeof lists[0] };

/* What becomes of a buffer. */
struct place {
    bool joins;    /* its bytes are in the BIN chunk */
    size_t at;     /* there */
    size_t number; /* its index in the result */
};

struct merge {
    struct gz_gltf *into, *from;
    struct gz_merging *all;
    size_t before[LIST_COUNT]; /* how long the lists were */
    struct place *buffers;
    enum gz_status status;
};

static struct gz_json_document *document_of(const struct merge *merge)
{
    return &merge->into->document;
}

/* ---- what has to be renumbered ---- */

static size_t place_of(const char *target)
{
    size_t place = 0;
    while (place < LIST_COUNT && strcmp(lists[place], target) != 0) place++;
    return place;
}

static void renumber(void *context, struct gz_json *value, const char *target)
{
    struct merge *merge = context;
    const size_t place = place_of(target), index = (size_t)gz_json_number(value);
    if (place == LIST_COUNT || merge->status != GZ_OK) return;
    size_t number = merge->before[place] + index;
    if (strcmp(target, "buffers") == 0) number = merge->buffers[index].number;
    merge->status = gz_json_renumber(document_of(merge), value, number);
}

static void set_number(struct merge *merge, struct gz_json *object, const char *key, size_t number)
{
    char text[32];
    int size = snprintf(text, sizeof text, "%zu", number);
    if (merge->status != GZ_OK) return;
    merge->status = gz_json_set(document_of(merge), object, key,
                                gz_json_make(document_of(merge), text, (size_t)size));
}

/* A view of a buffer, or its part that is compressed. */
static void move_view(struct merge *merge, struct gz_json *view)
{
    const int64_t buffer = gz_json_index(view, "buffer");
    if (buffer < 0 || !merge->buffers[buffer].joins) return;
    set_number(merge, view, "byteOffset",
               gz_json_natural(view, "byteOffset", 0) + merge->buffers[buffer].at);
}

static void move_views(struct merge *merge)
{
    for (size_t i = 0; i < gz_gltf_count(merge->from, "bufferViews"); i++) {
        struct gz_json *view = gz_gltf_item(merge->from, "bufferViews", i);
        move_view(merge, view);
        const struct gz_json *extensions = gz_json_get(view, "extensions");
        move_view(merge, gz_json_get(extensions, "EXT_meshopt_compression"));
        move_view(merge, gz_json_get(extensions, "KHR_meshopt_compression"));
    }
}

/* ---- extensions ---- */

/* Those without an index, or whose indices schema.c knows. */
static const char *const known[] = {"KHR_materials_*",         "KHR_texture_transform",
                                    "KHR_texture_basisu",      "KHR_lights_punctual",
                                    "KHR_mesh_quantization",   "KHR_draco_mesh_compression",
                                    "KHR_meshopt_compression", "KHR_node_*",
                                    "EXT_meshopt_compression", "EXT_mesh_gpu_instancing",
                                    "EXT_texture_webp",        "EXT_texture_avif",
                                    "MSFT_texture_dds",        "MSFT_lod"};

/* A whole number, or a JSON pointer, may be an index into the file. */
static bool may_point(const struct gz_json *value)
{
    struct gz_json_text text = gz_json_text(value);
    bool points = text.size > 0 && text.at[0] == '/';
    if (gz_json_is(value, GZ_JSON_NUMBER)) {
        const double number = gz_json_number(value);
        points = number >= 0 && number < GZ_ASSET_VALUES_MAX && number == (double)(size_t)number;
    }
    bool holds = gz_json_is(value, GZ_JSON_OBJECT) || gz_json_is(value, GZ_JSON_LIST);
    for (size_t i = 0; holds && !points && i < gz_json_count(value); i++)
        points = may_point(gz_json_at(value, i));
    return points;
}

static bool is_safe(size_t index, void *context)
{
    struct gz_json *member = gz_json_at(context, index);
    return member == NULL ||
           gz_is_listed(gz_json_key(member), known, sizeof known / sizeof known[0]) ||
           !may_point(member);
}

/* Leaves out extensions that nobody can renumber. */
static void drop_unknown(struct gz_json *value)
{
    struct gz_json *extensions = gz_json_get(value, "extensions");
    if (gz_json_is(extensions, GZ_JSON_OBJECT)) gz_json_retain(extensions, is_safe, extensions);
    bool holds = gz_json_is(value, GZ_JSON_OBJECT) || gz_json_is(value, GZ_JSON_LIST);
    for (size_t i = 0; holds && i < gz_json_count(value); i++) {
        struct gz_json *item = gz_json_at(value, i);
        bool is_extras = gz_json_is(value, GZ_JSON_OBJECT) && item != NULL &&
                         gz_json_key(item).size == 6 &&
                         memcmp(gz_json_key(item).at, "extras", 6) == 0;
        if (item != NULL && !is_extras) drop_unknown(item);
    }
}

/* ---- putting together ---- */

/* The member of that name, made if it is missing. */
static struct gz_json *need(struct merge *merge, struct gz_json *object, const char *key,
                            const char *made)
{
    struct gz_json *value = gz_json_get(object, key);
    if (value != NULL || merge->status != GZ_OK) return value;
    value = gz_json_make(document_of(merge), made, 2);
    merge->status = gz_json_set(document_of(merge), object, key, value);
    return value;
}

/* The list of a path such as "extensions.KHR_lights_punctual.lights". */
static struct gz_json *need_list(struct merge *merge, const char *path)
{
    struct gz_json *at = merge->into->document.root;
    char key[64];
    for (const char *dot; at != NULL && (dot = strchr(path, '.')) != NULL; path = dot + 1) {
        snprintf(key, sizeof key, "%.*s", (int)(dot - path), path);
        at = need(merge, at, key, "{}");
    }
    return at != NULL ? need(merge, at, path, "[]") : NULL;
}

static void append(struct merge *merge, struct gz_json *list, struct gz_json *value)
{
    if (merge->status == GZ_OK) merge->status = gz_json_append(document_of(merge), list, value);
}

static void append_list(struct merge *merge, const char *path)
{
    struct gz_json *source = gz_gltf_list(merge->from, path);
    bool are_buffers = strcmp(path, "buffers") == 0;
    for (size_t i = 0; i < gz_json_count(source) && merge->status == GZ_OK; i++) {
        if (are_buffers && merge->buffers[i].joins) continue;
        struct gz_json *list = need_list(merge, path);
        append(merge, list, gz_json_at_any(source, i));
    }
}

/* The roots that a file shows join those of the other one's default scene. */
static void append_roots(struct merge *merge, const struct gz_import *import, size_t before)
{
    char text[32];
    struct gz_json *root = merge->into->document.root, *scenes = need(merge, root, "scenes", "[]");
    if (merge->status == GZ_OK && gz_json_count(scenes) == 0)
        append(merge, scenes, gz_json_make(document_of(merge), "{}", 2));
    struct gz_json *scene = gz_json_at(scenes, gz_json_natural(root, "scene", 0));
    if (scene == NULL || merge->status != GZ_OK) return;
    if (gz_json_get(root, "scene") == NULL)
        merge->status = gz_json_set(document_of(merge), root, "scene",
                                    gz_json_make(document_of(merge), "0", 1));
    struct gz_json *list = need(merge, scene, "nodes", "[]");
    for (size_t i = 0; i < import->count && merge->status == GZ_OK; i++) {
        if (import->nodes[i].parent >= 0) continue;
        int size = snprintf(text, sizeof text, "%zu", before + import->nodes[i].asset);
        append(merge, list, gz_json_make(document_of(merge), text, (size_t)size));
    }
}

/* The other scenes of the file. */
static void append_scenes(struct merge *merge)
{
    const size_t shown = gz_json_natural(merge->from->document.root, "scene", 0);
    for (size_t i = 0; i < gz_gltf_count(merge->from, "scenes"); i++) {
        struct gz_json *scene = gz_gltf_item(merge->from, "scenes", i);
        if (i != shown && scene != NULL) append(merge, need_list(merge, "scenes"), scene);
    }
}

/* The names of extensions that are not in the list yet. */
static void append_names(struct merge *merge, const char *key)
{
    const struct gz_json *source = gz_json_get(merge->from->document.root, key);
    for (size_t i = 0; i < gz_json_count(source) && merge->status == GZ_OK; i++) {
        struct gz_json *name = gz_json_at(source, i);
        struct gz_json_text text = gz_json_text(name);
        struct gz_json *list = need_list(merge, key);
        bool is_there = text.at == NULL;
        for (size_t k = 0; !is_there && k < gz_json_count(list); k++) {
            struct gz_json_text other = gz_json_text(gz_json_at(list, k));
            is_there = other.size == text.size && memcmp(other.at, text.at, text.size) == 0;
        }
        if (!is_there) append(merge, list, name);
    }
}

/* ---- the bytes ---- */

static bool is_bin(const struct gz_gltf *gltf, size_t buffer)
{
    const struct gz_json *first = gz_gltf_item(gltf, "buffers", 0);
    return buffer == 0 && gltf->bin != NULL && first != NULL && !gz_json_has(first, "uri");
}

/* Puts bytes into the BIN chunk of all; where they are. */
static size_t join(struct merge *merge, const uint8_t *bytes, size_t size)
{
    static const uint8_t zeros[4];
    struct gz_buffer *bin = &merge->all->bin;
    merge->status = gz_buffer_append(bin, zeros, (4 - bin->size % 4) % 4);
    const size_t at = bin->size;
    if (merge->status == GZ_OK) merge->status = gz_buffer_append(bin, bytes, size);
    return at;
}

/* Joins what a data URI holds; false if it is none. */
static bool join_uri(struct merge *merge, const struct gz_json *item, size_t *at, size_t *size)
{
    uint8_t *bytes;
    struct gz_json_text uri = gz_json_text(gz_json_get(item, "uri"));
    if (uri.at == NULL || !gz_uri_is_data(uri) || merge->status != GZ_OK) return false;
    enum gz_status status = gz_data_uri_decode(uri, &bytes, size);
    if (status == GZ_NO_MEMORY) merge->status = status;
    if (status != GZ_OK) return false;
    *at = join(merge, bytes, *size);
    free(bytes);
    return true;
}

/* A .gltf has no BIN chunk: that of another file becomes a data URI. */
static void take_buffer(struct merge *merge, struct gz_json *buffer, size_t index)
{
    const struct gz_gltf *from = merge->from;
    struct place *place = &merge->buffers[index];
    size_t size;
    if (is_bin(from, index) && merge->all->joins) {
        place->joins = true;
        place->at = join(merge, from->bin, from->bin_size);
    } else if (is_bin(from, index)) {
        struct gz_json *uri = gz_data_uri_encode(document_of(merge), "application/octet-stream",
                                                 from->bin, from->bin_size);
        merge->status = gz_json_set(document_of(merge), buffer, "uri", uri);
    } else if (merge->all->joins) {
        place->joins = join_uri(merge, buffer, &place->at, &size);
    }
}

static void take_buffers(struct merge *merge)
{
    const size_t count = gz_gltf_count(merge->from, "buffers");
    size_t next = gz_gltf_count(merge->into, "buffers");
    merge->buffers = calloc(count + 1, sizeof *merge->buffers);
    if (merge->buffers == NULL) merge->status = GZ_NO_MEMORY;
    for (size_t i = 0; i < count && merge->status == GZ_OK; i++) {
        take_buffer(merge, gz_gltf_item(merge->from, "buffers", i), i);
        merge->buffers[i].number = merge->buffers[i].joins ? 0 : next++;
    }
    if (merge->status == GZ_OK) move_views(merge);
}

/* The type that a data URI names, as mimeType. */
static void name_type(struct merge *merge, struct gz_json *image)
{
    char type[64];
    struct gz_json_text uri = gz_json_text(gz_json_get(image, "uri"));
    const size_t start = strlen("data:");
    size_t size = 0;
    while (start + size < uri.size && strchr(";,", uri.at[start + size]) == NULL) size++;
    if (size == 0 || size >= sizeof type || gz_json_get(image, "mimeType") != NULL) return;
    memcpy(type, uri.at + start, size);
    type[size] = '\0';
    merge->status = gz_json_set(document_of(merge), image, "mimeType",
                                gz_json_make_text(document_of(merge), type));
}

/* Puts pictures that are data URIs into the BIN chunk too. The lists are put together already. */
static void take_images(struct merge *merge, size_t before)
{
    for (size_t i = before; i < gz_gltf_count(merge->into, "images"); i++) {
        size_t at, size;
        struct gz_json *image = gz_gltf_item(merge->into, "images", i);
        if (!merge->all->joins || !join_uri(merge, image, &at, &size)) continue;
        struct gz_json *views = need_list(merge, "bufferViews");
        struct gz_json *view = gz_json_make(document_of(merge), "{}", 2);
        const size_t number = gz_json_count(views);
        append(merge, views, view);
        set_number(merge, view, "buffer", 0);
        set_number(merge, view, "byteOffset", at);
        set_number(merge, view, "byteLength", size);
        if (merge->status == GZ_OK) name_type(merge, image);
        set_number(merge, image, "bufferView", number);
        gz_json_remove(image, "uri");
    }
}

/* ---- the three steps ---- */

enum gz_status gz_gltf_begin_merge(struct gz_gltf *into, const struct gz_import *import,
                                   struct gz_merging *all)
{
    struct merge merge = {.into = into, .from = into, .all = all};
    gz_buffer_init(&all->bin, GZ_ASSET_BYTES_MAX, 0);
    gz_json_forget_disregarded(into->document.root);
    if (gz_gltf_count(into, "scenes") == 0) append_roots(&merge, import, 0);
    all->joins = is_bin(into, 0);
    if (merge.status == GZ_OK && all->joins) (void)join(&merge, into->bin, into->bin_size);
    if (merge.status == GZ_OK && into->binary && gz_gltf_count(into, "buffers") == 0) {
        all->joins = true;
        append(&merge, need_list(&merge, "buffers"), gz_json_make(document_of(&merge), "{}", 2));
    }
    return merge.status;
}

enum gz_status gz_gltf_merge(struct gz_gltf *into, struct gz_gltf *from,
                             const struct gz_import *import, struct gz_merging *all)
{
    struct merge merge = {.into = into, .from = from, .all = all};
    const size_t images = gz_gltf_count(into, "images");
    for (size_t i = 0; i < LIST_COUNT; i++)
        merge.before[i] = gz_json_count(gz_gltf_list(into, lists[i]));
    gz_json_forget_disregarded(from->document.root);
    drop_unknown(from->document.root);
    take_buffers(&merge);
    if (merge.status == GZ_OK) gz_schema_visit(from, renumber, &merge);
    append_roots(&merge, import, merge.before[0]);
    append_scenes(&merge);
    for (size_t i = 0; i < LIST_COUNT; i++) append_list(&merge, lists[i]);
    append_names(&merge, "extensionsUsed");
    append_names(&merge, "extensionsRequired");
    take_images(&merge, images);
    free(merge.buffers);
    return merge.status;
}

enum gz_status gz_gltf_end_merge(struct gz_gltf *into, const struct gz_merging *all)
{
    struct merge merge = {.into = into};
    if (!all->joins) return GZ_OK;
    into->chunks = (struct gz_chunks){.bytes = NULL};
    into->new_bin = all->bin.size > 0 ? all->bin.data : NULL;
    into->new_bin_size = all->bin.size;
    if (all->bin.size > 0)
        set_number(&merge, gz_gltf_item(into, "buffers", 0), "byteLength", all->bin.size);
    else
        gz_json_remove(into->document.root, "buffers");
    return merge.status;
}
