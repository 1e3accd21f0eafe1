/* mesh.h - buffers, views and accessors of an opened glTF file, checked by mesh.c. Private to this
 * room. */
#ifndef GZ_EXCHANGE_MESH_H
#define GZ_EXCHANGE_MESH_H

#include "exchange/internal.h"

enum gz_component_type { GZ_BYTE = 5120, GZ_UBYTE, GZ_SHORT, GZ_USHORT, GZ_UINT = 5125, GZ_FLOAT };

struct gz_bytes {
    const uint8_t *data; /* NULL: cannot be read */
    uint64_t size;
    uint8_t *owned; /* decoded from a data URI */
};

struct gz_accessor {
    const json_t *json;
    enum gz_component_type component_type;
    unsigned components, element; /* element: in bytes */
    uint64_t count;
    uint64_t stride;
    const uint8_t *data; /* the first element; NULL: cannot be read, or without a view */
    bool sparse, normalized;
    bool index_max_known;
    uint32_t index_max;
};

struct gz_mesh_reader {
    const struct gz_gltf *gltf;
    struct gz_bytes *buffers;
    struct gz_bytes *views;
    struct gz_accessor *accessors;
    uint64_t indices_read;
    struct gz_error *error;
};

/* The bytes of a component; 0 if glTF has no such type. */
unsigned gz_component_bytes(enum gz_component_type type);
/* The value of a stored number: an integer of a normalised accessor is a fraction
 * (KHR_mesh_quantization). */
double gz_component_value(const struct gz_accessor *accessor, double raw);
/* Reads an index, of one of the unsigned types. */
uint32_t gz_index_value(enum gz_component_type type, const uint8_t *at);

/* Makes the surfaces of the meshes; NULL if no node has one, and with GZ_NO_MEMORY. */
GZ_MUST_USE enum gz_status gz_surfaces_make(struct gz_surfaces **surfaces,
                                            const struct gz_mesh_reader *reader);

#endif
