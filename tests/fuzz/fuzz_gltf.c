/* fuzz_gltf.c - any bytes as a glTF file. What is refused must say why in text that can be printed;
 * what is taken must keep the promises of exchange.h, must come back the same after it was exported
 * as it is or turned into the other kind of file, and whole after nodes were edited. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gltf/gltf.h"
#include "proto/limits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) abort();                                                                 \
    } while (0)

/* Lead bytes and the number of continuations that follow them: enough to see a character that was
 * cut. */
static bool whole_characters(const char *text)
{
    for (size_t i = 0; text[i] != '\0';) {
        unsigned char lead = (unsigned char)text[i++];
        int more = lead < 0x80 ? 0 : lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : -1;
        if (more < 0) return false;
        for (; more > 0; more--) {
            if (((unsigned char)text[i++] & 0xC0) != 0x80) return false;
        }
    }
    return true;
}

static void check_node(const struct gz_import *import, size_t index)
{
    const struct gz_import_node *node = &import->nodes[index];
    REQUIRE(node->parent >= -1 && node->parent < (int64_t)index);
    REQUIRE(strlen(node->name) <= GZ_NAME_BYTES_MAX && whole_characters(node->name));
    REQUIRE(gz_trs_finite(&node->trs));
    gz_affine affine = gz_affine_from_trs(&node->trs);
    REQUIRE(gz_finite(affine.origin));
    if (!node->has_bounds) return;
    REQUIRE(node->bounds.min.x <= node->bounds.max.x && node->bounds.min.y <= node->bounds.max.y &&
            node->bounds.min.z <= node->bounds.max.z);
}

/* Each box holds those below it, and the last ones their triangles. */
static void check_surface(const struct gz_surface *surface)
{
    size_t boxes = gz_surface_box_count(surface->count), last = (size_t)1 << surface->levels;
    REQUIRE(surface->count > 0 && boxes == 2 * last - 1);
    for (size_t i = 1; i < boxes; i++) {
        const float *box = surface->boxes[i], *above = surface->boxes[(i - 1) / 2];
        for (int axis = 0; axis < 3; axis++)
            REQUIRE(box[axis] >= above[axis] && box[axis + 3] <= above[axis + 3] &&
                    box[axis] <= box[axis + 3]);
    }
    struct gz_pointer pointer = {
        .is_ray = true, .origin = {1, 2, 30}, .direction = {0.1, -0.2, -3}};
    struct gz_beside beside = {.px = 8};
    struct gz_aim aim;
    size_t tests = 10000;
    double distance = INFINITY;
    if (gz_aim(&aim, NULL, &pointer, &gz_affine_identity) &&
        gz_surface_hit(surface, &aim, &tests, &distance) == GZ_MET)
        REQUIRE(distance >= 0 && isfinite(distance));
    (void)gz_surface_pass(surface, NULL, &pointer, &gz_affine_identity, &tests, &beside);
}

static void check_surfaces(const struct gz_import *import)
{
    size_t count = 0;
    for (size_t i = 0; i < import->count; i++) {
        const struct gz_surface *surface = gz_surface_of(import->surfaces, import->nodes[i].asset);
        if (surface == NULL) continue;
        REQUIRE(surface->count <= import->surfaces->triangle_count);
        check_surface(surface);
        count++;
    }
    REQUIRE(count == 0 || import->surfaces->triangle_count > 0);
}

static void check_same(const struct gz_import *before, const struct gz_import *after)
{
    REQUIRE(before->count == after->count);
    for (size_t i = 0; i < before->count; i++) {
        REQUIRE(before->nodes[i].asset == after->nodes[i].asset);
        REQUIRE(before->nodes[i].parent == after->nodes[i].parent);
        REQUIRE(strcmp(before->nodes[i].name, after->nodes[i].name) == 0);
        REQUIRE(gz_trs_same(&before->nodes[i].trs, &after->nodes[i].trs));
    }
}

static struct gz_export_node *copy_nodes(const struct gz_import *import)
{
    struct gz_export_node *nodes = calloc(import->count + 2, sizeof *nodes);
    REQUIRE(nodes != NULL);
    for (size_t i = 0; i < import->count; i++) {
        const struct gz_import_node *node = &import->nodes[i];
        nodes[i] = (struct gz_export_node){i + 1, (uint64_t)(node->parent + 1), node->asset,
                                           node->name, node->trs};
    }
    return nodes;
}

static enum gz_status export_and_read(const uint8_t *data, size_t size,
                                      const struct gz_export_node *nodes, size_t count,
                                      struct gz_import *again)
{
    struct gz_buffer out;
    char dropped[GZ_DROPPED_BYTES];
    gz_buffer_init(&out, GZ_ASSET_BYTES_MAX, 0);
    enum gz_status status = gz_export_write(&out, &(struct gz_export_file){0, data, size}, size > 0,
                                            nodes, count, false, dropped, NULL);
    if (status == GZ_OK) REQUIRE(gz_import_parse(again, out.data, out.size, NULL) == GZ_OK);
    gz_buffer_finish(&out);
    return status;
}

static void check_round_trip(const struct gz_import *import, const uint8_t *data, size_t size)
{
    struct gz_export_node *nodes = copy_nodes(import);
    struct gz_import again;
    REQUIRE(export_and_read(data, size, nodes, import->count, &again) == GZ_OK);
    check_same(import, &again);
    gz_import_finish(&again);
    free(nodes);
}

/* Nodes that were moved, hung elsewhere, deleted, made and copied: which, says `how`. */
static void check_edited(const struct gz_import *import, const uint8_t *data, size_t size,
                         uint8_t how)
{
    struct gz_export_node *nodes = copy_nodes(import);
    size_t count = import->count;
    for (size_t i = 0; i < count; i++) {
        if ((how & 1) != 0) nodes[i].trs.t = (gz_vec3){1, 2, (double)i};
        if ((how & 2) != 0) nodes[i].parent = 0;
    }
    /* Nothing hangs below the last one. */
    if ((how & 4) != 0 && count > 1) count--;
    if ((how & 8) != 0) {
        const uint64_t parent = count > 0 ? 1 : 0;
        const int64_t copied = count > 0 ? nodes[0].asset : -1;
        nodes[count++] =
            (struct gz_export_node){import->count + 1, parent, -1, "new", gz_trs_identity};
        nodes[count++] =
            (struct gz_export_node){import->count + 2, parent, copied, "copy", gz_trs_identity};
    }
    struct gz_import again;
    if (export_and_read(data, size, nodes, count, &again) == GZ_OK) {
        REQUIRE(again.count == count);
        gz_import_finish(&again);
    }
    free(nodes);
}

static const char small[] =
    "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{"
    "\"attributes\":{\"POSITION\":0}}]}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,"
    "\"count\":1,\"type\":\"VEC3\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":12}],"
    "\"buffers\":[{\"byteLength\":12,\"uri\":\"data:;base64,AAAAAAAAAAAAAAAA\"}]}";

/* Beside another file it has all its nodes, and the other one its own. */
static void check_merged(const struct gz_import *import, const uint8_t *data, size_t size,
                         bool is_first)
{
    const uint64_t far = 1000000;
    const struct gz_export_file own = {is_first ? 0 : far, data, size},
                                other = {is_first ? far : 0, (const uint8_t *)small,
                                         sizeof small - 1};
    const struct gz_export_file files[] = {is_first ? own : other, is_first ? other : own};
    struct gz_export_node *nodes = copy_nodes(import);
    struct gz_buffer out;
    struct gz_import again;
    for (size_t i = 0; i < import->count; i++) nodes[i].asset += (int64_t)own.first;
    nodes[import->count] = (struct gz_export_node){import->count + 1, 0, (int64_t)other.first,
                                                   "other", gz_trs_identity};
    gz_buffer_init(&out, GZ_ASSET_BYTES_MAX, 0);
    REQUIRE(gz_export_write(&out, files, 2, nodes, import->count + 1, false, NULL, NULL) == GZ_OK);
    REQUIRE(gz_import_parse(&again, out.data, out.size, NULL) == GZ_OK);
    REQUIRE(again.count == import->count + 1);
    gz_import_finish(&again);
    gz_buffer_finish(&out);
    free(nodes);
}

/* As the other kind of file it is the same scene. */
static void check_converted(const struct gz_import *import, const uint8_t *data, size_t size,
                            bool binary)
{
    struct gz_buffer out;
    struct gz_import again;
    struct gz_error error = {0};
    gz_buffer_init(&out, GZ_ASSET_BYTES_MAX, 0);
    enum gz_status status = gz_gltf_convert(&out, data, size, binary, &error);
    REQUIRE((status == GZ_OK) == (error.message[0] == '\0') && whole_characters(error.message));
    REQUIRE(status == GZ_OK);
    REQUIRE(gz_import_parse(&again, out.data, out.size, NULL) == GZ_OK);
    check_same(import, &again);
    gz_import_finish(&again);
    gz_buffer_finish(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gz_import import;
    struct gz_error error = {0};
    enum gz_status status = gz_import_parse(&import, data, size, &error);
    if (status != GZ_OK) {
        REQUIRE(error.status == status && error.message[0] != '\0' &&
                whole_characters(error.message));
        REQUIRE(import.nodes == NULL && import.count == 0);
        return 0;
    }
    for (size_t i = 0; i < import.count; i++) check_node(&import, i);
    check_surfaces(&import);
    check_round_trip(&import, data, size);
    check_edited(&import, data, size, (uint8_t)(size % 15 + 1));
    check_merged(&import, data, size, size % 2 == 0);
    check_converted(&import, data, size, false);
    check_converted(&import, data, size, true);
    gz_import_finish(&import);
    return 0;
}
