/* Reads the elements of accessors. */
#include <string.h>

#include "exchange/mesh.h"

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
