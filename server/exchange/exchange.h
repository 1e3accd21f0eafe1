/* exchange.h - glTF 2.0 in and out: a file becomes nodes, and nodes go back into the file they came
 * from. The one room that knows JSON. Frames and units are glTF's own, as in base/linear.h.
 * Ownership: finish frees. Threads: any; pure functions of their input, so that large files can be
 * taken on a worker. Errors name the place in the file (e.g. "nodes[3].children[0]"). */
#ifndef GZ_EXCHANGE_H
#define GZ_EXCHANGE_H

#include <stdint.h>

#include "proto/base/buffer.h"
#include "proto/base/linear.h"
#include "server/maxima.h"
#include "solver/surface.h"

/* A node of the file's default scene. Parents come before their children. */
struct gz_import_node {
    uint32_t asset;   /* its index in the glTF's "nodes" */
    int64_t parent;   /* index in gz_import.nodes, -1 for a root */
    const char *name; /* UTF-8, cut to GZ_NAME_BYTES_MAX bytes; made up ("node 7") if the file has
                         none */
    gz_trs trs;       /* rotation unit; a matrix becomes the nearest TRS */
    bool has_bounds;
    gz_box bounds; /* local, from the POSITION accessors' min and max of the node's mesh */
};

struct gz_import {
    struct gz_import_node *nodes;
    size_t count;
    size_t matrix_count; /* how many nodes were given as matrices */
    double residual_max; /* the largest relative part of a matrix that a TRS could not hold */
    struct gz_arena names;
    struct gz_surfaces *surfaces;   /* for free(), or NULL; to keep it, take it and leave NULL */
    enum gz_status surfaces_status; /* GZ_NO_MEMORY: there was no memory for them, which is no
                                       reason to refuse the file */
};

/* Reads a .glb, or a .gltf whose buffers and images are embedded as data URIs. A file without
 * scenes has all its roots in one; a scene without nodes is an import of none. All or nothing: on
 * failure nothing is held. GZ_BAD_MESSAGE: not the form of a glTF (container, JSON, types, numbers
 * of elements); GZ_BAD_VALUE: the form is right, a value cannot be (ranges, cycles, singular
 * transforms); GZ_VERSION: not glTF 2; GZ_TOO_LARGE, GZ_TOO_MANY: a limit. */
GZ_MUST_USE enum gz_status gz_import_parse(struct gz_import *import, const uint8_t *bytes,
                                           size_t size, struct gz_error *error);
void gz_import_finish(struct gz_import *import);

/* Reads only the surfaces, of a file that was imported before; NULL if no node has one. A node has
 * one if its mesh has triangles and all of their bytes are in reach. Compressed triangles are not,
 * nor are triangles that a skin, a morph target with a weight or instancing moves. A mesh is there
 * once, however many nodes show it. Meshes are taken in the order of the file as long as they have
 * no more than GZ_SURFACE_TRIANGLES_MAX together. Lines and points are left out, and so are
 * triangles without an area or with a corner that is not finite. */
GZ_MUST_USE enum gz_status gz_surfaces_read(struct gz_surfaces **surfaces, const uint8_t *bytes,
                                            size_t size, struct gz_error *error);

/* A node of the scene as it is now. */
struct gz_export_node {
    uint64_t id, parent; /* parent 0 is the root */
    int64_t asset; /* index in the glTF's "nodes", which several nodes may share; -1 for a node that
                      was made here */
    const char *name;
    gz_trs trs;
};

/* Writes the asset with the names, the hierarchy and the transforms of `nodes`: the same kind of
 * file
 * (.glb or .gltf), everything else as it was. `nodes` are a forest with distinct ids, in any order.
 * - A node whose transform is as the import made it keeps its numbers: a matrix stays a matrix.
 * - Nodes that were made here are appended. Deleted nodes are no longer part of a scene.
 * - If several nodes share an index, the one with the least id is that node of the file. The others
 * are appended with everything that the file says of each (mesh, skin, camera, weights, extras,
 *   extensions) but name, transform and children.
 * - Numbers keep their value to the last bit; their spelling may change. All chunks of a .glb but
 *   the JSON chunk keep their bytes. Without an asset (size 0) the result is a .glb of bare nodes.
 * - A node whose skin lost its common root, or has joints that the default scene no longer shows,
 *   keeps its mesh without the skin. `dropped` names these skins, "skin 0 (Armature), skin 2", in
 *   printable ASCII; it is empty if there are none, and may be NULL. A `skeleton` that is no longer
 *   above all joints is left out.
 * GZ_TOO_MANY: the copies have more properties than a file may have values. On failure `out` is as
 * it was. */
GZ_MUST_USE enum gz_status gz_export_write(struct gz_buffer *out, const uint8_t *asset, size_t size,
                                           const struct gz_export_node *nodes, size_t count,
                                           char dropped[GZ_DROPPED_BYTES], struct gz_error *error);

/* Appends the file as a .glb (`binary`) or as a .gltf that is all in one: the BIN chunk of a .glb
 * becomes a data URI, a data URI of the first buffer a BIN chunk; chunks of other kinds have no
 * place in a .gltf. Errors as gz_import_parse; GZ_TOO_LARGE if `out` cannot hold it. On failure
 * `out` is as it was. */
GZ_MUST_USE enum gz_status gz_gltf_convert(struct gz_buffer *out, const uint8_t *bytes, size_t size,
                                           bool binary, struct gz_error *error);

/* Reads FILE (.glb or .gltf) and embeds what it refers to (files beside it or below, never above
 * it), so that the result is one self-contained file for gz_import_parse: the same kind of file
 * with data URIs, or the very bytes of one that needs nothing. GZ_STORAGE if a file cannot be
 * read. On failure `out` is as it was. */
GZ_MUST_USE enum gz_status gz_gltf_load(struct gz_buffer *out, const char *path,
                                        struct gz_error *error);

/* The text that a JSON object has under `key`, terminated. GZ_BAD_MESSAGE if there is none;
 * GZ_BAD_VALUE if it does not fit. */
GZ_MUST_USE enum gz_status gz_json_member(const uint8_t *bytes, size_t size, const char *key,
                                          char *text, size_t text_size, struct gz_error *error);

/* "model/gltf-binary" or "model/gltf+json", by the first bytes. */
const char *gz_gltf_media_type(const uint8_t *bytes, size_t size);

/* The sample scene that the daemon carries: a small robot arm. Static. */
extern const uint8_t gz_sample_glb[];
extern const size_t gz_sample_glb_size;

#endif
