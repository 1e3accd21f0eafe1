/* Turns a .glb into a .gltf, and a .gltf into a .glb. */
#include "exchange/internal.h"
#include "proto/limits.h"

#include <stdlib.h>

static enum gz_status out_of_memory(struct gz_error *error)
{
    return gz_fail(error, GZ_NO_MEMORY, "not enough memory for this file");
}

/* The first buffer: the one that the BIN chunk of a .glb holds. */
static size_t bin_size_of(const struct gz_json *buffer, size_t at_hand)
{
    uint64_t size = gz_json_natural(buffer, "byteLength", 0);
    return size < at_hand ? (size_t)size : at_hand;
}

static enum gz_status embed_bin(struct gz_gltf *gltf, struct gz_error *error)
{
    struct gz_json *buffer = gz_gltf_item(gltf, "buffers", 0);
    if (buffer == NULL || gltf->bin == NULL || gz_json_has(buffer, "uri")) return GZ_OK;
    struct gz_json *uri = gz_data_uri_encode(&gltf->document, "application/octet-stream", gltf->bin,
                                             bin_size_of(buffer, gltf->bin_size));
    enum gz_status status = gz_json_set(&gltf->document, buffer, "uri", uri);
    return status == GZ_OK ? GZ_OK : out_of_memory(error);
}

/* A first buffer that is a data URI becomes the BIN chunk; the caller frees *bytes. */
static enum gz_status extract_bin(struct gz_gltf *gltf, uint8_t **bytes, struct gz_error *error)
{
    struct gz_json *buffer = gz_gltf_item(gltf, "buffers", 0);
    struct gz_json_text uri = gz_json_text(gz_json_get(buffer, "uri"));
    size_t size;
    if (uri.at == NULL || !gz_uri_is_data(uri)) return GZ_OK;
    enum gz_status status = gz_data_uri_decode(uri, bytes, &size);
    if (status == GZ_BAD_VALUE) return GZ_OK; /* it cannot be read: it may stay where it is */
    if (status != GZ_OK) return out_of_memory(error);
    gltf->new_bin = *bytes;
    gltf->new_bin_size = bin_size_of(buffer, size);
    gz_json_remove(buffer, "uri");
    return GZ_OK;
}

enum gz_status gz_gltf_convert(struct gz_buffer *out, const uint8_t *bytes, size_t size,
                               bool binary, struct gz_error *error)
{
    struct gz_gltf gltf;
    enum gz_status status = gz_gltf_open(&gltf, bytes, size, error);
    if (status != GZ_OK) return status;
    uint8_t *bin = NULL;
    if (gltf.binary != binary)
        status = binary ? extract_bin(&gltf, &bin, error) : embed_bin(&gltf, error);
    gltf.binary = binary;
    if (status == GZ_OK) status = gz_gltf_write(out, &gltf, error);
    gz_gltf_close(&gltf);
    free(bin);
    return status;
}
