/* file.h - an opened glTF file, and what the files of this room share.
 * Once gz_gltf_open has succeeded, every property that the table in schema.c names has its right
 * type and its index is in range, or is disregarded: readers do not find it, and a flaw says why.
 * An index can still point at an item that is disregarded, which is then NULL. */
#ifndef GZ_GLTF_FILE_H
#define GZ_GLTF_FILE_H

#include "gltf/gltf.h"
#include "gltf/json.h"

/* The chunks of a .glb in the caller's memory: the declared length, and the file's. */
struct gz_chunks {
    const uint8_t *bytes;
    size_t size, all;
};

struct gz_gltf {
    struct gz_json_document document;
    bool binary;        /* a .glb */
    const uint8_t *bin; /* the BIN chunk's bytes, in the caller's memory; NULL if there is none */
    size_t bin_size;
    struct gz_chunks chunks; /* all zero for a .gltf */
    const uint8_t *new_bin;  /* the bytes of a BIN chunk to be written before the others */
    size_t new_bin_size;
    struct gz_flaws flaws;
};

GZ_MUST_USE enum gz_status gz_gltf_open(struct gz_gltf *gltf, const uint8_t *bytes, size_t size,
                                        struct gz_error *error);
void gz_gltf_close(struct gz_gltf *gltf);
/* Notes what cannot be used of the file, which is taken all the same. */
void gz_gltf_flaw(struct gz_gltf *gltf, const char *format, ...) GZ_PRINTF(2, 3);
/* Appends the file to `out`, in its own format. On failure `out` is as it was. */
GZ_MUST_USE enum gz_status gz_gltf_write(struct gz_buffer *out, const struct gz_gltf *gltf,
                                         struct gz_error *error);

/* The format that the bytes look like, as in "an OBJ file"; NULL if unknown. Static text. */
const char *gz_format_name(const uint8_t *bytes, size_t size);

GZ_MUST_USE enum gz_status gz_schema_check(struct gz_gltf *gltf, struct gz_error *error);

/* Whether the list has this name of an extension; one that ends with "*" is the beginning of
 * many. */
bool gz_is_listed(struct gz_json_text name, const char *const *list, size_t count);

/* The lists of extensions that indices point into. */
#define GZ_LIGHTS "extensions.KHR_lights_punctual.lights"
#define GZ_VARIANTS "extensions.KHR_materials_variants.variants"
/* Calls `visit` with each index of an opened file, and the list that it points into. */
void gz_schema_visit(struct gz_gltf *gltf,
                     void (*visit)(void *context, struct gz_json *value, const char *target),
                     void *context);

/* Files that are put together. */
struct gz_merging {
    struct gz_buffer bin; /* the bytes of all, for the BIN chunk; the caller's to finish */
    bool joins;           /* there is such a chunk: the first file is a .glb */
};
/* The three steps: the first file; then each other one, with its import, whose lists are put behind
 * those of `into`; the end, after which `into` points to the bytes. A file that is merged has to be
 * kept until `into` is written. Errors of memory and room alone. */
GZ_MUST_USE enum gz_status gz_gltf_begin_merge(struct gz_gltf *into, const struct gz_import *import,
                                               struct gz_merging *all);
GZ_MUST_USE enum gz_status gz_gltf_merge(struct gz_gltf *into, struct gz_gltf *from,
                                         const struct gz_import *import, struct gz_merging *all);
GZ_MUST_USE enum gz_status gz_gltf_end_merge(struct gz_gltf *into, const struct gz_merging *all);

/* An integer property, which the schema has checked to be in 0..2^53. */
uint64_t gz_json_natural(const struct gz_json *object, const char *key, uint64_t fallback);
/* The index in a property; -1 if it is absent. */
int64_t gz_json_index(const struct gz_json *object, const char *key);
/* The element of a top-level list of the file ("nodes", "meshes"); NULL if it is disregarded. */
struct gz_json *gz_gltf_item(const struct gz_gltf *gltf, const char *list, size_t index);
size_t gz_gltf_count(const struct gz_gltf *gltf, const char *list);
/* A list by its path from the top, as GZ_LIGHTS; NULL if there is none. */
struct gz_json *gz_gltf_list(const struct gz_gltf *gltf, const char *path);

/* Reads the meshes: gives the nodes of `import` their boxes, and makes the surfaces. */
GZ_MUST_USE enum gz_status gz_meshes_read(struct gz_import *import, struct gz_gltf *gltf,
                                          struct gz_error *error);

/* As gz_import_parse, from an opened file; reads the meshes only if `meshes` is set. */
GZ_MUST_USE enum gz_status gz_import_read(struct gz_import *import, struct gz_gltf *gltf,
                                          bool meshes, struct gz_error *error);

/* Decodes the percent escapes of a text to `out`, which has room for `size` bytes and may be
 * `text`; a percent sign that begins no escape stays. Returns the size. */
size_t gz_percent_decode(char *out, const char *text, size_t size);
/* Finds the file that a URI names, in `folder` (absolute, without links) or below: writes its path,
 * below the folder, to `path`, of PATH_MAX bytes. False if there is none. names.c says the rule. */
GZ_MUST_USE bool gz_name_resolve(const char *folder, struct gz_json_text uri, char *path);

/* The media type of an image by its first bytes, as its name need not say it: octets if they are of
 * no known kind. Static text. */
const char *gz_image_type(const uint8_t *bytes, size_t size);

/* Whether a URI is a data URI. */
bool gz_uri_is_data(struct gz_json_text uri);
/* Decodes a data URI; the caller frees *bytes. GZ_BAD_VALUE if it is no such URI. */
GZ_MUST_USE enum gz_status gz_data_uri_decode(struct gz_json_text uri, uint8_t **bytes,
                                              size_t *size);
/* A data URI as a value; NULL without memory. */
struct gz_json *gz_data_uri_encode(struct gz_json_document *document, const char *media_type,
                                   const uint8_t *bytes, size_t size);

#endif
