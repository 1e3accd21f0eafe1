/* internal.h - an opened glTF file, and what the files of this room share.
 * Once gz_gltf_open has succeeded, every property that the table in schema.c names has its right
 * type, and every index is in range: code that reads the JSON afterwards needs no checks. */
#ifndef GZ_EXCHANGE_INTERNAL_H
#define GZ_EXCHANGE_INTERNAL_H

#include <jansson.h>

#include "exchange/exchange.h"

struct gz_gltf {
    json_t *json;
    bool binary;        /* a .glb */
    const uint8_t *bin; /* the BIN chunk's bytes, in the caller's memory; NULL if there is none */
    size_t bin_size;
    const uint8_t *rest; /* all chunks behind the JSON one, with their headers */
    size_t rest_size;
};

GZ_MUST_USE enum gz_status gz_gltf_open(struct gz_gltf *gltf, const uint8_t *bytes, size_t size,
                                        struct gz_error *error);
void gz_gltf_close(struct gz_gltf *gltf);
/* Appends the file to `out`, in its own format. On failure `out` is as it was. */
GZ_MUST_USE enum gz_status gz_gltf_write(struct gz_buffer *out, const struct gz_gltf *gltf,
                                         struct gz_error *error);

/* Appends a BIN chunk with these bytes, padded. On failure `chunks` may hold a part of the data. */
GZ_MUST_USE enum gz_status gz_glb_append_bin(struct gz_buffer *chunks, const uint8_t *bytes,
                                             size_t size);

/* The format that the bytes look like, as in "an OBJ file"; NULL if unknown. Static text. */
const char *gz_format_name(const uint8_t *bytes, size_t size);

GZ_MUST_USE enum gz_status gz_schema_check(json_t *json, struct gz_error *error);

/* An integer property, which the schema has checked to be in 0..2^53. */
uint64_t gz_json_natural(const json_t *object, const char *key, uint64_t fallback);
/* The index in a property; -1 if it is absent. */
int64_t gz_json_index(const json_t *object, const char *key);
/* The element of a top-level list of the file ("nodes", "meshes"). */
json_t *gz_gltf_item(const struct gz_gltf *gltf, const char *list, size_t index);
size_t gz_gltf_count(const struct gz_gltf *gltf, const char *list);

/* The local box of a mesh; unknown if no primitive has positions. */
struct gz_mesh_bounds {
    bool known;
    gz_box box;
};
/* Checks buffers, views, accessors and primitives, down to the vertex indices if their bytes can be
 * read, and fills in `bounds`, one for each mesh. Makes the surfaces too (gz_import), unless
 * `surfaces` is NULL. */
GZ_MUST_USE enum gz_status gz_meshes_read(const struct gz_gltf *gltf, struct gz_mesh_bounds *bounds,
                                          struct gz_surfaces **surfaces,
                                          enum gz_status *surfaces_status, struct gz_error *error);

/* As gz_import_parse, from an opened file; makes the surfaces only if `surfaces` is set. */
GZ_MUST_USE enum gz_status gz_import_read(struct gz_import *import, const struct gz_gltf *gltf,
                                          bool surfaces, struct gz_error *error);

/* Whether a URI is a data URI. */
bool gz_uri_is_data(const char *uri);
/* Decodes a base64 data URI; the caller frees *bytes. GZ_BAD_VALUE if it is no such URI. */
GZ_MUST_USE enum gz_status gz_data_uri_decode(const char *uri, uint8_t **bytes, size_t *size);
/* A data URI as a JSON string; NULL without memory. */
json_t *gz_data_uri_encode(const char *media_type, const uint8_t *bytes, size_t size);

#endif
