/* Turns a .glb into a .gltf, and a .gltf into a .glb. */
#include "exchange/internal.h"
#include "proto/limits.h"

#include <stdlib.h>

static enum gz_status out_of_memory(struct gz_error *error)
{
    return gz_fail(error, GZ_NO_MEMORY, "not enough memory for this file");
}

/* The first buffer: the one that the BIN chunk of a .glb holds. */
static size_t bin_size_of(const json_t *buffer, size_t at_hand)
{
    uint64_t size = gz_json_natural(buffer, "byteLength", 0);
    return size < at_hand ? (size_t)size : at_hand;
}

static enum gz_status embed_bin(struct gz_gltf *gltf, struct gz_error *error)
{
    json_t *buffer = gz_gltf_item(gltf, "buffers", 0);
    if (buffer == NULL || gltf->bin == NULL || json_object_get(buffer, "uri") != NULL) return GZ_OK;
    json_t *uri = gz_data_uri_encode("application/octet-stream", gltf->bin,
                                     bin_size_of(buffer, gltf->bin_size));
    return json_object_set_new_nocheck(buffer, "uri", uri) == 0 ? GZ_OK : out_of_memory(error);
}

/* `chunks` gets the BIN chunk, if the first buffer is a data URI. */
static enum gz_status extract_bin(struct gz_gltf *gltf, struct gz_buffer *chunks,
                                  struct gz_error *error)
{
    json_t *buffer = gz_gltf_item(gltf, "buffers", 0);
    const char *uri = json_string_value(json_object_get(buffer, "uri"));
    uint8_t *bytes;
    size_t size;
    if (uri == NULL || !gz_uri_is_data(uri)) return GZ_OK;
    enum gz_status status = gz_data_uri_decode(uri, &bytes, &size);
    if (status == GZ_BAD_VALUE) return GZ_OK; /* not in base64: it may stay where it is */
    if (status != GZ_OK) return out_of_memory(error);
    status = gz_glb_append_bin(chunks, bytes, bin_size_of(buffer, size));
    free(bytes);
    if (status != GZ_OK) return gz_fail(error, status, "buffers[0]: no room for its bytes");
    (void)json_object_del(buffer, "uri");
    gltf->rest = chunks->data;
    gltf->rest_size = chunks->size;
    return GZ_OK;
}

enum gz_status gz_gltf_convert(struct gz_buffer *out, const uint8_t *bytes, size_t size,
                               bool binary, struct gz_error *error)
{
    struct gz_gltf gltf;
    enum gz_status status = gz_gltf_open(&gltf, bytes, size, error);
    if (status != GZ_OK) return status;
    struct gz_buffer chunks;
    gz_buffer_init(&chunks, GZ_ASSET_BYTES_MAX, 0);
    if (gltf.binary != binary)
        status = binary ? extract_bin(&gltf, &chunks, error) : embed_bin(&gltf, error);
    gltf.binary = binary;
    if (status == GZ_OK) status = gz_gltf_write(out, &gltf, error);
    gz_gltf_close(&gltf);
    gz_buffer_finish(&chunks);
    return status;
}
