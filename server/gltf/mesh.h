/* mesh.h - buffers, views and accessors of an opened glTF file, checked by mesh.c. Private to this
 * room. */
#ifndef GZ_GLTF_MESH_H
#define GZ_GLTF_MESH_H

#include "gltf/file.h"

enum gz_component_type { GZ_BYTE = 5120, GZ_UBYTE, GZ_SHORT, GZ_USHORT, GZ_UINT = 5125, GZ_FLOAT };

struct gz_gltf_bytes {
    const uint8_t *data; /* NULL: cannot be read */
    uint64_t size;
    uint8_t *owned; /* decoded from a data URI */
    bool is_lost;   /* what the JSON says of it cannot be used */
};

struct gz_accessor {
    const struct gz_json *json; /* NULL: disregarded */
    enum gz_component_type component_type;
    unsigned components, element; /* element: in bytes */
    uint64_t count;
    uint64_t stride;
    const uint8_t *data; /* the first element; NULL: cannot be read, or without a view */
    bool sparse, normalized;
    bool is_lost; /* what the JSON says about its bytes cannot be used */
    bool index_max_known;
    uint32_t index_max;
    bool box_known, box_read; /* of positions, once it was read */
    gz_box box;
};

/* The elements of an accessor, with the ones that a sparse accessor replaces. */
struct gz_source {
    const struct gz_accessor *accessor;
    const uint8_t *indices, *values; /* of the replaced elements; NULL if there are none */
    enum gz_component_type index_type;
    unsigned index_bytes;
    uint64_t replaced;
};

struct gz_mesh_reader {
    struct gz_gltf *gltf;
    struct gz_gltf_bytes *buffers;
    struct gz_gltf_bytes *views;
    struct gz_accessor *accessors;
    uint64_t elements_read;
};

/* The bytes of a component; 0 if glTF has no such type. */
unsigned gz_component_bytes(enum gz_component_type type);
/* The value of a stored number: an integer of a normalised accessor is a fraction
 * (KHR_mesh_quantization). */
double gz_component_value(const struct gz_accessor *accessor, double raw);
/* Reads an index, of one of the unsigned types. */
uint32_t gz_index_value(enum gz_component_type type, const uint8_t *at);

/* False if the bytes are out of reach. Without a view the elements of a sparse accessor are 0;
 * those of another accessor are filled by an extension. */
bool gz_source_open(struct gz_source *source, const struct gz_mesh_reader *reader, size_t index);
/* The bytes of the element; NULL if it is 0. The indices of a sparse accessor ascend. */
const uint8_t *gz_element_of(const struct gz_source *source, uint64_t i);
/* The component of an element, as gz_component_value. */
double gz_element_value(const struct gz_accessor *accessor, const uint8_t *at, unsigned component);

/* Charges the reader for looking at `count` elements, each of which costs as much as `each` vertex
 * indices; false once it has looked at too many. Only a file whose accessors share bytes, or have
 * none, can have more. */
bool gz_mesh_charge(struct gz_mesh_reader *reader, uint64_t count, uint64_t each);

/* Tells which images cannot be shown by anybody. GZ_NO_MEMORY. */
GZ_MUST_USE enum gz_status gz_images_check(const struct gz_mesh_reader *reader);

/* The boxes of the nodes of `import`, whose transforms are known. */
GZ_MUST_USE enum gz_status gz_boxes_make(struct gz_import *import, struct gz_mesh_reader *reader);

/* Makes the surfaces of the meshes; NULL if no node has one, and with GZ_NO_MEMORY. */
GZ_MUST_USE enum gz_status gz_surfaces_make(struct gz_surfaces **surfaces,
                                            const struct gz_mesh_reader *reader);

#endif
