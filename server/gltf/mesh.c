/* Checks the buffers, views, accessors and primitives of a file. */
#include "gltf/mesh.h"
#include "proto/limits.h"

#include <stdlib.h>
#include <string.h>

/* From buffers up to meshes, each layer checked against the one below it: buffers hold bytes, views
 * are ranges of buffers, accessors are typed elements of views, primitives name accessors. What is
 * wrong is a flaw, and lost with what stands on it; the meshes that need it are shown by the boxes
 * that the file declares. Bytes can be out of reach (compressed by an extension that is not known
 * here): then only what the JSON says is checked. */

/* How many elements of one file are looked at: vertex indices, positions, and positions again for
 * each node that bends them. */
#define ELEMENTS_READ_MAX GZ_ASSET_BYTES_MAX

bool gz_mesh_charge(struct gz_mesh_reader *reader, uint64_t count, uint64_t each)
{
    if (each == 0 || count > (ELEMENTS_READ_MAX - reader->elements_read) / each) return false;
    reader->elements_read += count * each;
    return true;
}

/* Whether a property is there that cannot be used: what it would say is not known. */
static bool is_spoilt(const struct gz_json *json, const char *key)
{
    return gz_json_get(json, key) == NULL && gz_json_has(json, key);
}

/* The bytes of a buffer whose URI is set. */
static enum gz_status decode_buffer(struct gz_mesh_reader *reader, size_t index,
                                    const struct gz_json *uri, struct gz_gltf_bytes *buffer)
{
    struct gz_json_text text = gz_json_text(uri);
    if (!gz_uri_is_data(text)) {
        gz_gltf_flaw(reader->gltf,
                     "buffers[%zu].uri: names the file %.*s, which did not come with it", index,
                     (int)text.size, text.at);
        buffer->is_lost = true;
        return GZ_OK;
    }
    size_t size = 0;
    enum gz_status status = gz_data_uri_decode(text, &buffer->owned, &size);
    if (status == GZ_NO_MEMORY) return status;
    if (status != GZ_OK) {
        gz_gltf_flaw(reader->gltf, "buffers[%zu].uri: not a data URI that can be read", index);
        buffer->is_lost = true;
    }
    buffer->data = buffer->owned;
    buffer->size = size;
    return GZ_OK;
}

/* Without a URI the first buffer is the BIN chunk, and any other is for an extension to fill. */
static enum gz_status read_buffer(struct gz_mesh_reader *reader, size_t index)
{
    const struct gz_json *json = gz_gltf_item(reader->gltf, "buffers", index);
    const struct gz_json *uri = gz_json_get(json, "uri");
    struct gz_gltf_bytes *buffer = &reader->buffers[index];
    uint64_t length = gz_json_natural(json, "byteLength", 0);
    buffer->is_lost = json == NULL || is_spoilt(json, "uri");
    if (buffer->is_lost) return GZ_OK;
    if (uri != NULL) {
        enum gz_status status = decode_buffer(reader, index, uri, buffer);
        if (status != GZ_OK || buffer->is_lost) return status;
    } else if (index == 0 && reader->gltf->bin != NULL) {
        buffer->data = reader->gltf->bin;
        buffer->size = reader->gltf->bin_size;
    } else if (gz_json_get(json, "extensions") == NULL) {
        gz_gltf_flaw(reader->gltf, "buffers[%zu]: has no uri, and there is no binary chunk for it",
                     index);
        buffer->is_lost = true;
        return GZ_OK;
    } else {
        buffer->size = length;
    }
    if (buffer->size < length)
        gz_gltf_flaw(reader->gltf,
                     "buffers[%zu].byteLength: is %llu, but only %llu bytes are there", index,
                     (unsigned long long)length, (unsigned long long)buffer->size);
    else
        buffer->size = length;
    return GZ_OK;
}

static void read_view(struct gz_mesh_reader *reader, size_t index)
{
    const struct gz_json *json = gz_gltf_item(reader->gltf, "bufferViews", index);
    struct gz_gltf_bytes *view = &reader->views[index];
    const struct gz_gltf_bytes *buffer = &reader->buffers[gz_json_natural(json, "buffer", 0)];
    uint64_t offset = gz_json_natural(json, "byteOffset", 0);
    uint64_t length = gz_json_natural(json, "byteLength", 0);
    view->is_lost = json == NULL || buffer->is_lost || is_spoilt(json, "byteOffset") ||
                    is_spoilt(json, "byteStride");
    if (view->is_lost) return;
    view->is_lost = offset + length > buffer->size;
    if (view->is_lost) {
        gz_gltf_flaw(reader->gltf, "bufferViews[%zu]: bytes %llu to %llu of a buffer of %llu",
                     index, (unsigned long long)offset, (unsigned long long)(offset + length),
                     (unsigned long long)buffer->size);
        return;
    }
    view->data = buffer->data != NULL ? buffer->data + offset : NULL;
    view->size = length;
}

struct shape {
    const char *word;
    unsigned columns, rows;
};

static const struct shape *find_shape(const struct gz_json *word)
{
    static const struct shape shapes[] = {{"SCALAR", 1, 1}, {"VEC2", 1, 2}, {"VEC3", 1, 3},
                                          {"VEC4", 1, 4},   {"MAT2", 2, 2}, {"MAT3", 3, 3},
                                          {"MAT4", 4, 4}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        if (gz_json_says(word, shapes[i].word)) return &shapes[i];
    }
    return NULL;
}

/* The columns of a matrix start at multiples of 4 bytes. */
static unsigned element_bytes(const struct shape *shape, unsigned component)
{
    unsigned column = shape->rows * component;
    if (shape->columns > 1) column = (column + 3) / 4 * 4;
    return shape->columns * column;
}

/* Checks elements in a view: they must be in its range, and start at an offset at which a typed
 * array can start. */
struct range {
    size_t view;
    uint64_t offset, count, stride;
    unsigned element, alignment;
};

static bool check_range(const struct gz_mesh_reader *reader, size_t index, const char *part,
                        const struct range *range)
{
    const struct gz_json *view = gz_gltf_item(reader->gltf, "bufferViews", range->view);
    uint64_t available = reader->views[range->view].size;
    if (reader->views[range->view].is_lost) return false;
    /* No overflow: a count is below 2^53, a stride below 2^8. */
    if (range->offset + range->stride * (range->count - 1) + range->element > available) {
        gz_gltf_flaw(reader->gltf,
                     "accessors[%zu]%s: %llu elements from byte %llu pass bufferViews[%zu], "
                     "which has %llu bytes",
                     index, part, (unsigned long long)range->count,
                     (unsigned long long)range->offset, range->view, (unsigned long long)available);
        return false;
    }
    if ((gz_json_natural(view, "byteOffset", 0) + range->offset) % range->alignment != 0)
        gz_gltf_flaw(reader->gltf, "accessors[%zu]%s: must start at a multiple of %u bytes", index,
                     part, range->alignment);
    return true;
}

/* `element` is the range of one element of the accessor. */
static bool check_sparse(const struct gz_mesh_reader *reader, size_t index,
                         const struct gz_json *sparse, const struct range *element)
{
    const struct gz_json *indices = gz_json_get(sparse, "indices");
    const struct gz_json *values = gz_json_get(sparse, "values");
    uint64_t count = gz_json_natural(sparse, "count", 0);
    unsigned size =
        gz_component_bytes((enum gz_component_type)gz_json_natural(indices, "componentType", 0));
    if (is_spoilt(indices, "byteOffset") || is_spoilt(values, "byteOffset")) return false;
    if (count > reader->accessors[index].count || size == 0) {
        gz_gltf_flaw(reader->gltf,
                     "accessors[%zu].sparse: count must be at most the accessor's, and "
                     "indices.componentType an unsigned integer",
                     index);
        return false;
    }
    struct range index_range = {gz_json_natural(indices, "bufferView", 0),
                                gz_json_natural(indices, "byteOffset", 0),
                                count,
                                size,
                                size,
                                size};
    struct range value_range = {gz_json_natural(values, "bufferView", 0),
                                gz_json_natural(values, "byteOffset", 0),
                                count,
                                element->element,
                                element->element,
                                element->alignment};
    return check_range(reader, index, ".sparse.indices", &index_range) &&
           check_range(reader, index, ".sparse.values", &value_range);
}

static bool read_elements(struct gz_mesh_reader *reader, size_t index, struct range *range)
{
    struct gz_accessor *accessor = &reader->accessors[index];
    int64_t view = gz_json_index(accessor->json, "bufferView");
    if (view < 0) return true;
    range->view = (size_t)view;
    range->offset = gz_json_natural(accessor->json, "byteOffset", 0);
    range->count = accessor->count;
    range->stride = gz_json_natural(gz_gltf_item(reader->gltf, "bufferViews", range->view),
                                    "byteStride", range->element);
    if (range->stride < range->element) {
        gz_gltf_flaw(
            reader->gltf,
            "bufferViews[%zu].byteStride: is %llu, but an element of accessors[%zu] has %u bytes",
            range->view, (unsigned long long)range->stride, index, range->element);
        return false;
    }
    if (!check_range(reader, index, "", range)) return false;
    const uint8_t *bytes = reader->views[range->view].data;
    accessor->stride = range->stride;
    accessor->data = bytes != NULL ? bytes + range->offset : NULL;
    return true;
}

/* The parts of an accessor without which its bytes mean something else. */
static bool is_whole(const struct gz_json *json)
{
    return json != NULL && !is_spoilt(json, "sparse") && !is_spoilt(json, "bufferView") &&
           !is_spoilt(json, "byteOffset") && !is_spoilt(json, "normalized");
}

static bool check_accessor(struct gz_mesh_reader *reader, size_t index)
{
    struct gz_accessor *accessor = &reader->accessors[index];
    const struct gz_json *json = accessor->json, *sparse = gz_json_get(json, "sparse");
    unsigned component = gz_component_bytes(accessor->component_type);
    struct gz_json_text word = gz_json_text(gz_json_get(json, "type"));
    const struct shape *shape = find_shape(gz_json_get(json, "type"));
    if (component == 0) {
        gz_gltf_flaw(reader->gltf, "accessors[%zu].componentType: %d is not a type of glTF", index,
                     (int)accessor->component_type);
        return false;
    }
    if (shape == NULL) {
        gz_gltf_flaw(reader->gltf, "accessors[%zu].type: %.*s is not a type of glTF", index,
                     (int)word.size, word.at);
        return false;
    }
    accessor->components = shape->columns * shape->rows;
    accessor->element = element_bytes(shape, component);
    struct range range = {.element = accessor->element, .alignment = component};
    if (!read_elements(reader, index, &range)) return false;
    return sparse == NULL || check_sparse(reader, index, sparse, &range);
}

static void read_accessor(struct gz_mesh_reader *reader, size_t index)
{
    const struct gz_json *json = gz_gltf_item(reader->gltf, "accessors", index);
    struct gz_accessor *accessor = &reader->accessors[index];
    accessor->json = json;
    accessor->component_type = (enum gz_component_type)gz_json_natural(json, "componentType", 0);
    accessor->count = gz_json_natural(json, "count", 0);
    accessor->sparse = gz_json_get(json, "sparse") != NULL;
    accessor->normalized = gz_json_is(gz_json_get(json, "normalized"), GZ_JSON_TRUE);
    accessor->is_lost = json == NULL || !check_accessor(reader, index) || !is_whole(json);
    if (accessor->is_lost) accessor->data = NULL;
}

/* The largest vertex index of the accessor, which is read once, however many primitives share it.
 * False if too much was read already. */
static bool find_index_max(struct gz_mesh_reader *reader, struct gz_accessor *accessor)
{
    if (accessor->index_max_known) return true;
    if (!gz_mesh_charge(reader, accessor->count, 1)) return false;
    for (uint64_t i = 0; i < accessor->count; i++) {
        uint32_t value =
            gz_index_value(accessor->component_type, accessor->data + i * accessor->stride);
        if (value > accessor->index_max) accessor->index_max = value;
    }
    accessor->index_max_known = true;
    return true;
}

/* Restarts are no vertices; three.js and glTF have none in a file, so none is looked for. */
static void check_indices(struct gz_mesh_reader *reader, size_t mesh, size_t primitive,
                          size_t index, uint64_t vertices)
{
    struct gz_accessor *accessor = &reader->accessors[index];
    enum gz_component_type type = accessor->component_type;
    if (accessor->is_lost) return;
    if (accessor->components != 1 || (type != GZ_UBYTE && type != GZ_USHORT && type != GZ_UINT)) {
        gz_gltf_flaw(reader->gltf, "accessors[%zu]: vertex indices must be unsigned scalars",
                     index);
        accessor->is_lost = true;
        return;
    }
    if (accessor->data == NULL || accessor->sparse) return;
    if (!find_index_max(reader, accessor)) {
        gz_gltf_flaw(reader->gltf, "accessors[%zu]: more than %d elements in one file", index,
                     ELEMENTS_READ_MAX);
        accessor->is_lost = true;
    } else if (accessor->index_max >= vertices) {
        gz_gltf_flaw(
            reader->gltf,
            "meshes[%zu].primitives[%zu].indices: vertex %u is out of range, POSITION has %llu",
            mesh, primitive, (unsigned)accessor->index_max, (unsigned long long)vertices);
    }
}

static void check_attributes(const struct gz_mesh_reader *reader, size_t mesh, size_t primitive,
                             const struct gz_json *attributes, uint64_t vertices)
{
    for (size_t i = 0; i < gz_json_count(attributes); i++) {
        const struct gz_json *value = gz_json_at(attributes, i);
        if (value == NULL) continue;
        const struct gz_accessor *accessor = &reader->accessors[(size_t)gz_json_number(value)];
        struct gz_json_text key = gz_json_key(value);
        if (accessor->is_lost || accessor->count == vertices) continue;
        gz_gltf_flaw(reader->gltf,
                     "meshes[%zu].primitives[%zu].attributes: %llu elements, where POSITION has "
                     "%llu, in %.*s",
                     mesh, primitive, (unsigned long long)accessor->count,
                     (unsigned long long)vertices, (int)key.size, key.at);
    }
}

static void check_primitive(struct gz_mesh_reader *reader, size_t mesh, size_t primitive,
                            const struct gz_json *json)
{
    const struct gz_json *attributes = gz_json_get(json, "attributes");
    int64_t position = gz_json_index(attributes, "POSITION");
    int64_t indices = gz_json_index(json, "indices");
    if (position < 0) return;
    struct gz_accessor *positions = &reader->accessors[position];
    if (!positions->is_lost && positions->components != 3) {
        gz_gltf_flaw(reader->gltf, "accessors[%lld].type: a POSITION must be VEC3",
                     (long long)position);
        positions->is_lost = true;
    }
    check_attributes(reader, mesh, primitive, attributes, positions->count);
    if (indices >= 0) check_indices(reader, mesh, primitive, (size_t)indices, positions->count);
}

static void check_meshes(struct gz_mesh_reader *reader)
{
    for (size_t mesh = 0; mesh < gz_gltf_count(reader->gltf, "meshes"); mesh++) {
        const struct gz_json *primitives =
            gz_json_get(gz_gltf_item(reader->gltf, "meshes", mesh), "primitives");
        for (size_t i = 0; i < gz_json_count(primitives); i++)
            check_primitive(reader, mesh, i, gz_json_at(primitives, i));
    }
}

static enum gz_status read_all(struct gz_mesh_reader *reader)
{
    struct gz_gltf *gltf = reader->gltf;
    for (size_t i = 0; i < gz_gltf_count(gltf, "buffers"); i++) {
        enum gz_status status = read_buffer(reader, i);
        if (status != GZ_OK) return status;
    }
    for (size_t i = 0; i < gz_gltf_count(gltf, "bufferViews"); i++) read_view(reader, i);
    for (size_t i = 0; i < gz_gltf_count(gltf, "accessors"); i++) read_accessor(reader, i);
    check_meshes(reader);
    return gz_images_check(reader);
}

enum gz_status gz_meshes_read(struct gz_import *import, struct gz_gltf *gltf,
                              struct gz_error *error)
{
    size_t buffer_count = gz_gltf_count(gltf, "buffers");
    struct gz_mesh_reader reader = {.gltf = gltf};
    reader.buffers = calloc(buffer_count + 1, sizeof *reader.buffers);
    reader.views = calloc(gz_gltf_count(gltf, "bufferViews") + 1, sizeof *reader.views);
    reader.accessors = calloc(gz_gltf_count(gltf, "accessors") + 1, sizeof *reader.accessors);
    bool has_room = reader.buffers != NULL && reader.views != NULL && reader.accessors != NULL;
    enum gz_status status = has_room ? read_all(&reader) : GZ_NO_MEMORY;
    if (status == GZ_OK) status = gz_boxes_make(import, &reader);
    if (status == GZ_OK) import->surfaces_status = gz_surfaces_make(&import->surfaces, &reader);
    for (size_t i = 0; i < buffer_count && reader.buffers != NULL; i++)
        free(reader.buffers[i].owned);
    free(reader.buffers);
    free(reader.views);
    free(reader.accessors);
    return status == GZ_OK ? GZ_OK : gz_fail(error, status, "not enough memory for this file");
}
