/* gltf.h - imports and exports glTF 2.0: reads nodes from a file, and writes nodes back into
 * the file that they came from. Frames and units are glTF's own, as in base/linear.h. Ownership:
 * finish frees. Threads: any; pure functions of their input, so that workers can handle large
 * files. Errors name the place in the file (e.g. "nodes[3].children[0]"). */
#ifndef GZ_GLTF_GLTF_H
#define GZ_GLTF_GLTF_H

#include <stdint.h>

#include "proto/base/buffer.h"
#include "proto/base/linear.h"
#include "server/maxima.h"
#include "solver/surface.h"

/* What of a file cannot be used, in words that name the place: "meshes[2].primitives[0].indices:
 * ...". Such a part costs what needs it, not the file. */
struct gz_flaws {
    size_t count; /* of all */
    char said[GZ_FLAWS_SAID_MAX]
             [GZ_ERROR_BYTES_MAX]; /* of the first ones; whole UTF-8 characters */
};

/* A node of the file's default scene. Parents come before their children. */
struct gz_import_node {
    uint32_t asset;   /* its index in the glTF's "nodes" */
    int64_t parent;   /* index in gz_import.nodes, -1 for a root */
    const char *name; /* UTF-8, cut to GZ_NAME_BYTES_MAX bytes; "node 7" if the file has none */
    gz_trs trs;       /* rotation unit; a matrix becomes the nearest TRS */
    bool has_bounds;
    gz_box bounds; /* local: all that the node's mesh shows (boxes.c) */
};

struct gz_import {
    struct gz_import_node *nodes;
    size_t count;
    size_t matrix_count; /* how many nodes have a matrix */
    double residual_max; /* the largest relative residual of a matrix that no TRS can represent */
    struct gz_flaws flaws;
    struct gz_arena names;
    struct gz_surfaces *surfaces;   /* from malloc, or NULL; to keep them, set this to NULL */
    enum gz_status surfaces_status; /* GZ_NO_MEMORY: no memory for the surfaces; the import is valid
                                       all the same */
};

/* Reads a .glb, or a .gltf whose buffers and images are embedded as data URIs. A file without
 * scenes has all its roots in one; a scene without nodes is an import of none. What cannot be used
 * is told as a flaw: a mesh, a picture, a number, a node that is no object, a child that is above
 * its parent. On failure nothing is held. GZ_BAD_MESSAGE: no glTF (container, JSON, nodes that are
 * no list); GZ_VERSION: not glTF 2; GZ_TOO_LARGE, GZ_TOO_MANY: a limit. */
GZ_MUST_USE enum gz_status gz_import_parse(struct gz_import *import, const uint8_t *bytes,
                                           size_t size, struct gz_error *error);
void gz_import_finish(struct gz_import *import);

/* Reads only the surfaces of a file that was imported before; NULL if no node has one. A node has
 * one if its mesh has triangles whose bytes can all be read: not compressed ones, nor triangles
 * that a skin, a morph target with a weight or instancing moves. A mesh is read once, however many
 * nodes show it. Meshes are taken in the order of the file as long as they have no more than
 * GZ_SURFACE_TRIANGLES_MAX together. Lines and points are left out, and so are triangles without an
 * area or with a corner that is not finite. */
GZ_MUST_USE enum gz_status gz_surfaces_read(struct gz_surfaces **surfaces, const uint8_t *bytes,
                                            size_t size, struct gz_error *error);

/* A file whose nodes have the numbers `first`, `first` + 1 and so on. */
struct gz_export_file {
    uint64_t first;
    const uint8_t *bytes;
    size_t size;
};

/* A node of the scene as it is now. */
struct gz_export_node {
    uint64_t id, parent; /* parent 0 is the root */
    int64_t asset; /* the number of a file's node, which several nodes may share; -1 for a node that
                      was made here */
    const char *name;
    gz_trs trs;
};

/* The member of a node's "extras" that holds its id. */
#define GZ_EXPORT_ID "gizmod_id"

/* Writes the files as one, with the names, the hierarchy and the transforms of `nodes`: a file of
 * the kind of the first one (.glb or .gltf), with everything else unchanged. `nodes` are a forest
 * with distinct ids, in any order.
 * - A node whose transform is as imported keeps its numbers: a matrix stays a matrix.
 * - Nodes that were created later are appended. Deleted nodes are removed from the scenes.
 * - If several nodes share an index, the one with the lowest id is that node of the file. The
 *   others are appended as copies (mesh, skin, camera, weights, extras, extensions) with their own
 *   names, transforms and children.
 * - With `tell_ids` the "extras" of each node are an object with the node's id in it; what they
 * held is kept beside it, as "extras" if it was no object.
 * - What is not changed keeps its bytes: numbers their digits, objects their order. All chunks of a
 *   .glb but the JSON chunk keep theirs; bytes behind the declared length are left out. Without a
 * file the result is a .glb of bare nodes.
 * - The lists of the second file and of all others are put behind those of the first one, and what
 *   points into them is renumbered. Of these files no chunk stays but BIN, and no extension that is
 *   not known and may point into its file. Then nothing that was disregarded stays either, because
 *   an index that pointed nowhere would point to something.
 * - A node whose skin lost its common root, or has joints that the default scene no longer shows,
 *   keeps its mesh without the skin. `dropped` names these skins, "skin 0 (Armature), skin 2", in
 *   printable ASCII; it is empty if there are none, and may be NULL. A `skeleton` that is no longer
 *   above all joints is left out.
 * GZ_TOO_MANY: the copies have more properties than a file may have values, or the files more
 * values than are read at once. On failure `out` is as it was. */
GZ_MUST_USE enum gz_status gz_export_write(struct gz_buffer *out,
                                           const struct gz_export_file *files, size_t file_count,
                                           const struct gz_export_node *nodes, size_t count,
                                           bool tell_ids, char dropped[GZ_DROPPED_BYTES],
                                           struct gz_error *error);

/* Appends the file as a .glb (`binary`) or as a self-contained .gltf: the BIN chunk of a .glb
 * becomes a data URI, a data URI of the first buffer a BIN chunk; other chunks are lost in a .gltf.
 * Errors as gz_import_parse; GZ_TOO_LARGE if `out` cannot hold it. On failure `out` is as it
 * was. */
GZ_MUST_USE enum gz_status gz_gltf_convert(struct gz_buffer *out, const uint8_t *bytes, size_t size,
                                           bool binary, struct gz_error *error);

/* Reads FILE (.glb or .gltf) and embeds the files that it refers to (beside it or below, never
 * above it), so that the result is one self-contained file for gz_import_parse: the same kind of
 * file with data URIs, or the unchanged bytes. A file that cannot be had is a flaw, and its URI
 * stays; `flaws` may be NULL. GZ_STORAGE if FILE cannot be read. On failure `out` is as it was. */
GZ_MUST_USE enum gz_status gz_gltf_load(struct gz_buffer *out, const char *path,
                                        struct gz_flaws *flaws, struct gz_error *error);

/* Reads the text under `key` of a JSON object, terminated. GZ_BAD_MESSAGE if there is none;
 * GZ_BAD_VALUE if it does not fit. */
GZ_MUST_USE enum gz_status gz_json_member(const uint8_t *bytes, size_t size, const char *key,
                                          char *text, size_t text_size, struct gz_error *error);

/* "model/gltf-binary" or "model/gltf+json", by the first bytes. */
const char *gz_gltf_media_type(const uint8_t *bytes, size_t size);

/* The built-in sample scene: a small robot arm. Static. */
extern const uint8_t gz_sample_glb[];
extern const size_t gz_sample_glb_size;

#endif
