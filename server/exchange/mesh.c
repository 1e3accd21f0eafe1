/* Checks the buffers, views, accessors and primitives of a file, and finds the boxes of its
 * meshes. */
#include "exchange/mesh.h"
#include "proto/limits.h"

#include <stdlib.h>
#include <string.h>

/* From buffers up to meshes, each layer checked against the one below it: buffers hold bytes, views
 * are ranges of buffers, accessors are typed elements of views, primitives name accessors. Bytes
 * can be out of reach (compressed by an extension that is not known here): then only what the JSON
 * says is checked. */

/* How many vertex indices of one file are looked at. Only a file whose accessors share bytes can
 * have more. */
#define INDICES_READ_MAX GZ_ASSET_BYTES_MAX

static enum gz_status decode_buffer(struct gz_mesh_reader *reader, size_t index, const char *uri,
                                    struct gz_bytes *buffer)
{
    if (!gz_uri_is_data(uri)) {
        return gz_fail(reader->error, GZ_BAD_VALUE,
                       "buffers[%zu].uri: names the file %s: embed it, as gizmoctl import does",
                       index, uri);
    }
    size_t size = 0;
    enum gz_status status = gz_data_uri_decode(uri, &buffer->owned, &size);
    if (status != GZ_OK)
        return gz_fail(reader->error, status, "buffers[%zu].uri: not a base64 data URI", index);
    buffer->data = buffer->owned;
    buffer->size = size;
    return GZ_OK;
}

/* Without a URI the first buffer is the BIN chunk, and any other is for an extension to fill. */
static enum gz_status read_buffer(struct gz_mesh_reader *reader, size_t index)
{
    const json_t *json = gz_gltf_item(reader->gltf, "buffers", index);
    struct gz_bytes *buffer = &reader->buffers[index];
    const char *uri = json_string_value(json_object_get(json, "uri"));
    uint64_t length = gz_json_natural(json, "byteLength", 0);
    if (uri != NULL) {
        enum gz_status status = decode_buffer(reader, index, uri, buffer);
        if (status != GZ_OK) return status;
    } else if (index == 0 && reader->gltf->bin != NULL) {
        buffer->data = reader->gltf->bin;
        buffer->size = reader->gltf->bin_size;
    } else if (json_object_get(json, "extensions") == NULL) {
        return gz_fail(reader->error, GZ_BAD_VALUE,
                       "buffers[%zu]: has no uri, and there is no binary chunk for it", index);
    } else {
        buffer->size = length;
    }
    if (buffer->size < length) {
        return gz_fail(reader->error, GZ_BAD_VALUE,
                       "buffers[%zu].byteLength: is %llu, but only %llu bytes are there", index,
                       (unsigned long long)length, (unsigned long long)buffer->size);
    }
    buffer->size = length;
    return GZ_OK;
}

static enum gz_status read_view(struct gz_mesh_reader *reader, size_t index)
{
    const json_t *json = gz_gltf_item(reader->gltf, "bufferViews", index);
    const struct gz_bytes *buffer = &reader->buffers[gz_json_natural(json, "buffer", 0)];
    uint64_t offset = gz_json_natural(json, "byteOffset", 0);
    uint64_t length = gz_json_natural(json, "byteLength", 0);
    if (offset + length > buffer->size) {
        return gz_fail(reader->error, GZ_BAD_VALUE,
                       "bufferViews[%zu]: bytes %llu to %llu of a buffer of %llu", index,
                       (unsigned long long)offset, (unsigned long long)(offset + length),
                       (unsigned long long)buffer->size);
    }
    reader->views[index].data = buffer->data != NULL ? buffer->data + offset : NULL;
    reader->views[index].size = length;
    return GZ_OK;
}

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

struct shape {
    const char *word;
    unsigned columns, rows;
};

static const struct shape *find_shape(const char *word)
{
    static const struct shape shapes[] = {{"SCALAR", 1, 1}, {"VEC2", 1, 2}, {"VEC3", 1, 3},
                                          {"VEC4", 1, 4},   {"MAT2", 2, 2}, {"MAT3", 3, 3},
                                          {"MAT4", 4, 4}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        if (strcmp(shapes[i].word, word) == 0) return &shapes[i];
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

static enum gz_status check_range(const struct gz_mesh_reader *reader, size_t index,
                                  const char *part, const struct range *range)
{
    const json_t *view = gz_gltf_item(reader->gltf, "bufferViews", range->view);
    uint64_t available = reader->views[range->view].size;
    /* No overflow: a count is below 2^53, a stride below 2^8. */
    if (range->offset + range->stride * (range->count - 1) + range->element > available) {
        return gz_fail(reader->error, GZ_BAD_VALUE,
                       "accessors[%zu]%s: %llu elements from byte %llu pass bufferViews[%zu], "
                       "which has %llu bytes",
                       index, part, (unsigned long long)range->count,
                       (unsigned long long)range->offset, range->view,
                       (unsigned long long)available);
    }
    if ((gz_json_natural(view, "byteOffset", 0) + range->offset) % range->alignment != 0) {
        return gz_fail(reader->error, GZ_BAD_VALUE,
                       "accessors[%zu]%s: must start at a multiple of %u bytes", index, part,
                       range->alignment);
    }
    return GZ_OK;
}

/* `element` is the range of one element of the accessor. */
static enum gz_status check_sparse(const struct gz_mesh_reader *reader, size_t index,
                                   const json_t *sparse, const struct range *element)
{
    const json_t *indices = json_object_get(sparse, "indices");
    const json_t *values = json_object_get(sparse, "values");
    uint64_t count = gz_json_natural(sparse, "count", 0);
    unsigned size =
        gz_component_bytes((enum gz_component_type)gz_json_natural(indices, "componentType", 0));
    if (count > reader->accessors[index].count || size == 0) {
        return gz_fail(reader->error, GZ_BAD_VALUE,
                       "accessors[%zu].sparse: count must be at most the accessor's, and "
                       "indices.componentType an unsigned integer",
                       index);
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
    enum gz_status status = check_range(reader, index, ".sparse.indices", &index_range);
    return status == GZ_OK ? check_range(reader, index, ".sparse.values", &value_range) : status;
}

static enum gz_status read_elements(struct gz_mesh_reader *reader, size_t index,
                                    struct range *range)
{
    struct gz_accessor *accessor = &reader->accessors[index];
    int64_t view = gz_json_index(accessor->json, "bufferView");
    if (view < 0) return GZ_OK;
    range->view = (size_t)view;
    range->offset = gz_json_natural(accessor->json, "byteOffset", 0);
    range->count = accessor->count;
    range->stride = gz_json_natural(gz_gltf_item(reader->gltf, "bufferViews", range->view),
                                    "byteStride", range->element);
    if (range->stride < range->element) {
        return gz_fail(
            reader->error, GZ_BAD_VALUE,
            "bufferViews[%zu].byteStride: is %llu, but an element of accessors[%zu] has %u bytes",
            range->view, (unsigned long long)range->stride, index, range->element);
    }
    enum gz_status status = check_range(reader, index, "", range);
    if (status != GZ_OK) return status;
    const uint8_t *bytes = reader->views[range->view].data;
    accessor->stride = range->stride;
    accessor->data = bytes != NULL ? bytes + range->offset : NULL;
    return GZ_OK;
}

static enum gz_status read_accessor(struct gz_mesh_reader *reader, size_t index)
{
    const json_t *json = gz_gltf_item(reader->gltf, "accessors", index);
    const json_t *sparse = json_object_get(json, "sparse");
    struct gz_accessor *accessor = &reader->accessors[index];
    accessor->json = json;
    accessor->component_type = (enum gz_component_type)gz_json_natural(json, "componentType", 0);
    accessor->count = gz_json_natural(json, "count", 0);
    accessor->sparse = sparse != NULL;
    accessor->normalized = json_is_true(json_object_get(json, "normalized"));
    unsigned component = gz_component_bytes(accessor->component_type);
    const char *word = json_string_value(json_object_get(json, "type"));
    const struct shape *shape = find_shape(word);
    if (component == 0) {
        return gz_fail(reader->error, GZ_BAD_VALUE,
                       "accessors[%zu].componentType: %d is not a type of glTF", index,
                       (int)accessor->component_type);
    }
    if (shape == NULL) {
        return gz_fail(reader->error, GZ_BAD_VALUE, "accessors[%zu].type: %s is not a type of glTF",
                       index, word);
    }
    accessor->components = shape->columns * shape->rows;
    accessor->element = element_bytes(shape, component);
    struct range range = {.element = accessor->element, .alignment = component};
    enum gz_status status = read_elements(reader, index, &range);
    if (status != GZ_OK || sparse == NULL) return status;
    return check_sparse(reader, index, sparse, &range);
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

static enum gz_status read_corner(const struct gz_mesh_reader *reader, size_t index,
                                  const char *key, gz_vec3 *corner)
{
    const struct gz_accessor *accessor = &reader->accessors[index];
    const json_t *list = json_object_get(accessor->json, key);
    if (json_array_size(list) != 3) {
        return gz_fail(reader->error, GZ_BAD_MESSAGE,
                       "accessors[%zu].%s: a POSITION must have one, of 3 numbers", index, key);
    }
    double values[3];
    for (size_t i = 0; i < 3; i++) {
        values[i] = gz_component_value(accessor, json_number_value(json_array_get(list, i)));
        if (fabs(values[i]) > GZ_COORDINATE_MAX) {
            return gz_fail(reader->error, GZ_BAD_VALUE, "accessors[%zu].%s[%zu]: %g is beyond %g",
                           index, key, i, values[i], GZ_COORDINATE_MAX);
        }
    }
    *corner = (gz_vec3){values[0], values[1], values[2]};
    return GZ_OK;
}

static enum gz_status read_box(const struct gz_mesh_reader *reader, size_t index, gz_box *box)
{
    if (reader->accessors[index].components != 3) {
        return gz_fail(reader->error, GZ_BAD_VALUE, "accessors[%zu].type: a POSITION must be VEC3",
                       index);
    }
    enum gz_status status = read_corner(reader, index, "min", &box->min);
    if (status == GZ_OK) status = read_corner(reader, index, "max", &box->max);
    if (status != GZ_OK) return status;
    if (!(box->min.x <= box->max.x && box->min.y <= box->max.y && box->min.z <= box->max.z)) {
        return gz_fail(reader->error, GZ_BAD_VALUE,
                       "accessors[%zu].min: must not be larger than max", index);
    }
    return GZ_OK;
}

uint32_t gz_index_value(enum gz_component_type type, const uint8_t *at)
{
    uint32_t value = at[0];
    if (type != GZ_UBYTE) value |= (uint32_t)at[1] << 8;
    if (type == GZ_UINT) value |= (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    return value;
}

/* The largest vertex index of the accessor, which is read once, however many primitives share it.
 * False if too much was read already. */
static bool find_index_max(struct gz_mesh_reader *reader, struct gz_accessor *accessor)
{
    if (accessor->index_max_known) return true;
    reader->indices_read += accessor->count;
    if (reader->indices_read > INDICES_READ_MAX) return false;
    for (uint64_t i = 0; i < accessor->count; i++) {
        uint32_t value =
            gz_index_value(accessor->component_type, accessor->data + i * accessor->stride);
        if (value > accessor->index_max) accessor->index_max = value;
    }
    accessor->index_max_known = true;
    return true;
}

static enum gz_status check_indices(struct gz_mesh_reader *reader, size_t mesh, size_t primitive,
                                    size_t index, uint64_t vertices)
{
    struct gz_accessor *accessor = &reader->accessors[index];
    enum gz_component_type type = accessor->component_type;
    if (accessor->components != 1 || (type != GZ_UBYTE && type != GZ_USHORT && type != GZ_UINT)) {
        return gz_fail(reader->error, GZ_BAD_VALUE,
                       "accessors[%zu]: vertex indices must be unsigned scalars", index);
    }
    if (accessor->data == NULL || accessor->sparse) return GZ_OK;
    if (!find_index_max(reader, accessor)) {
        return gz_fail(reader->error, GZ_TOO_LARGE,
                       "accessors[%zu]: more than %d vertex indices in one file", index,
                       INDICES_READ_MAX);
    }
    if (accessor->index_max < vertices) return GZ_OK;
    return gz_fail(
        reader->error, GZ_BAD_VALUE,
        "meshes[%zu].primitives[%zu].indices: vertex %u is out of range, POSITION has %llu", mesh,
        primitive, (unsigned)accessor->index_max, (unsigned long long)vertices);
}

static enum gz_status check_attributes(const struct gz_mesh_reader *reader, size_t mesh,
                                       size_t primitive, json_t *attributes, uint64_t vertices)
{
    const char *key;
    json_t *value;
    json_object_foreach(attributes, key, value)
    {
        uint64_t count = reader->accessors[(size_t)json_number_value(value)].count;
        if (count == vertices) continue;
        return gz_fail(
            reader->error, GZ_BAD_VALUE,
            "meshes[%zu].primitives[%zu].attributes: %llu elements, where POSITION has %llu, in %s",
            mesh, primitive, (unsigned long long)count, (unsigned long long)vertices, key);
    }
    return GZ_OK;
}

/* A primitive without positions is not drawn and adds nothing to the box. */
static enum gz_status read_primitive(struct gz_mesh_reader *reader, size_t mesh, size_t primitive,
                                     const json_t *json, struct gz_mesh_bounds *bounds)
{
    json_t *attributes = json_object_get(json, "attributes");
    int64_t position = gz_json_index(attributes, "POSITION");
    int64_t indices = gz_json_index(json, "indices");
    if (position < 0) return GZ_OK;
    gz_box box;
    enum gz_status status = read_box(reader, (size_t)position, &box);
    if (status != GZ_OK) return status;
    uint64_t vertices = reader->accessors[position].count;
    status = check_attributes(reader, mesh, primitive, attributes, vertices);
    if (status == GZ_OK && indices >= 0)
        status = check_indices(reader, mesh, primitive, (size_t)indices, vertices);
    bounds->box = bounds->known ? gz_box_union(&bounds->box, &box) : box;
    bounds->known = true;
    return status;
}

static enum gz_status read_mesh(struct gz_mesh_reader *reader, size_t index,
                                struct gz_mesh_bounds *bounds)
{
    const json_t *primitives =
        json_object_get(gz_gltf_item(reader->gltf, "meshes", index), "primitives");
    *bounds = (struct gz_mesh_bounds){0};
    for (size_t i = 0; i < json_array_size(primitives); i++) {
        enum gz_status status =
            read_primitive(reader, index, i, json_array_get(primitives, i), bounds);
        if (status != GZ_OK) return status;
    }
    return GZ_OK;
}

static enum gz_status check_images(const struct gz_mesh_reader *reader)
{
    for (size_t i = 0; i < gz_gltf_count(reader->gltf, "images"); i++) {
        const char *uri =
            json_string_value(json_object_get(gz_gltf_item(reader->gltf, "images", i), "uri"));
        if (uri == NULL || gz_uri_is_data(uri)) continue;
        return gz_fail(reader->error, GZ_BAD_VALUE,
                       "images[%zu].uri: names the file %s: embed it, as gizmoctl import does", i,
                       uri);
    }
    return GZ_OK;
}

static enum gz_status read_all(struct gz_mesh_reader *reader, struct gz_mesh_bounds *bounds)
{
    const struct gz_gltf *gltf = reader->gltf;
    enum gz_status status = GZ_OK;
    for (size_t i = 0; i < gz_gltf_count(gltf, "buffers") && status == GZ_OK; i++)
        status = read_buffer(reader, i);
    for (size_t i = 0; i < gz_gltf_count(gltf, "bufferViews") && status == GZ_OK; i++)
        status = read_view(reader, i);
    for (size_t i = 0; i < gz_gltf_count(gltf, "accessors") && status == GZ_OK; i++)
        status = read_accessor(reader, i);
    for (size_t i = 0; i < gz_gltf_count(gltf, "meshes") && status == GZ_OK; i++) {
        status = read_mesh(reader, i, &bounds[i]);
    }
    return status == GZ_OK ? check_images(reader) : status;
}

enum gz_status gz_meshes_read(const struct gz_gltf *gltf, struct gz_mesh_bounds *bounds,
                              struct gz_surfaces **surfaces, enum gz_status *surfaces_status,
                              struct gz_error *error)
{
    size_t buffer_count = gz_gltf_count(gltf, "buffers");
    struct gz_mesh_reader reader = {.gltf = gltf, .error = error};
    reader.buffers = calloc(buffer_count + 1, sizeof *reader.buffers);
    reader.views = calloc(gz_gltf_count(gltf, "bufferViews") + 1, sizeof *reader.views);
    reader.accessors = calloc(gz_gltf_count(gltf, "accessors") + 1, sizeof *reader.accessors);
    enum gz_status status;
    if (reader.buffers == NULL || reader.views == NULL || reader.accessors == NULL) {
        status = gz_fail(error, GZ_NO_MEMORY, "not enough memory for this file");
    } else {
        status = read_all(&reader, bounds);
    }
    if (status == GZ_OK && surfaces != NULL) *surfaces_status = gz_surfaces_make(surfaces, &reader);
    for (size_t i = 0; i < buffer_count && reader.buffers != NULL; i++)
        free(reader.buffers[i].owned);
    free(reader.buffers);
    free(reader.views);
    free(reader.accessors);
    return status;
}
