/* test_models.c - real glTF files, and the engine against its own JSON. */
#include "files.h"
#include "proto/limits.h"

#include <float.h>
#include <ftw.h>
#include <math.h>
#include <stdio.h>

#define ENGINE MODELS "/glTF2/2CylinderEngine-glTF-Binary/2CylinderEngine.glb"

/* Every glTF file of the package, and what becomes of it: so many nodes, and a flaw or an error
 * that says this. */
static const struct model {
    const char *path;
    enum gz_status status;
    size_t count;
    const char *message;
} models[] = {
    {"glTF/BoxTextured-glTF-Binary/BoxTextured.glb", GZ_VERSION, 0,
     "GLB: has version 1, but only glTF 2.x"},
    {"glTF/BoxTextured-glTF-Embedded/BoxTextured.gltf", GZ_VERSION, 0, "asset.version: is 1.0"},
    {"glTF/BoxTextured-glTF-MaterialsCommon/BoxTextured.gltf", GZ_VERSION, 0,
     "asset.version: is 1.0"},
    {"glTF/BoxTextured-glTF/BoxTextured.gltf", GZ_VERSION, 0, "asset.version: is 1.0"},
    {"glTF/CesiumMilkTruck/CesiumMilkTruck.gltf", GZ_VERSION, 0, "asset.version: must be a text"},
    {"glTF/IncorrectVertexArrays/Cube_v1.gltf", GZ_VERSION, 0, "asset.version: is 1.0"},
    {"glTF/TwoBoxes/TwoBoxes.gltf", GZ_VERSION, 0, "asset.version: is 1.0"},
    {"glTF2/2CylinderEngine-glTF-Binary/2CylinderEngine.glb", GZ_OK, 82, NULL},
    {"glTF2/BoxBadNormals-glTF-Binary/BoxBadNormals.glb", GZ_OK, 2, NULL},
    {"glTF2/BoxTexcoords-glTF/boxTexcoords.gltf", GZ_OK, 3, NULL},
    {"glTF2/BoxTextured-glTF-Binary/BoxTextured.glb", GZ_OK, 2, NULL},
    {"glTF2/BoxTextured-glTF-Embedded/BoxTextured.gltf", GZ_OK, 2, NULL},
    {"glTF2/BoxTextured-glTF-pbrSpecularGlossiness/BoxTextured.gltf", GZ_OK, 2, NULL},
    {"glTF2/BoxTextured-glTF-techniqueWebGL/BoxTextured.gltf", GZ_OK, 2,
     "extensionsRequired[0]: KHR_technique_webgl is not known here"},
    {"glTF2/BoxTextured-glTF/BoxTextured.gltf", GZ_OK, 2, NULL},
    {"glTF2/BoxWithInfinites-glTF-Binary/BoxWithInfinites.glb", GZ_OK, 2,
     "accessors[2].min: a POSITION must have one"},
    {"glTF2/ClearCoat-glTF/ClearCoatTest.gltf", GZ_OK, 33, NULL},
    {"glTF2/IncorrectVertexArrays/Cube.gltf", GZ_OK, 8,
     "bufferViews[2]: bytes 504 to 936 of a buffer of 514"},
    {"glTF2/IndexOutOfRange/AllIndicesOutOfRange.gltf", GZ_OK, 2,
     "meshes[0].primitives[0].indices: vertex 65535 is out of range, POSITION has 24"},
    {"glTF2/IndexOutOfRange/IndexOutOfRange.gltf", GZ_OK, 2,
     "meshes[0].primitives[0].indices: vertex 255 is out of range, POSITION has 24"},
    {"glTF2/MissingBin/BoxTextured.gltf", GZ_OK, 2,
     "buffers[0].uri: names the file BoxTextured0.bin"},
    {"glTF2/RecursiveNodes/RecursiveNodes.gltf", GZ_OK, 2,
     "nodes[1].children[0]: node 0 stands at the root, and is left out here"},
    {"glTF2/SchemaFailures/sceneWrongType.gltf", GZ_OK, 2, "scene: must be an index, is a string"},
    {"glTF2/TestNoRootNode/NoScene.gltf", GZ_OK, 0,
     "scene: is 0, which is no index of the file's 0 scenes"},
    {"glTF2/TestNoRootNode/SceneWithoutNodes.gltf", GZ_OK, 0, NULL},
    {"glTF2/cameras/Cameras.gltf", GZ_OK, 3, NULL},
    {"glTF2/draco/2CylinderEngine.gltf", GZ_OK, 82, NULL},
    {"glTF2/glTF-Asset-Generator/Mesh_PrimitiveMode/Mesh_PrimitiveMode_00.gltf", GZ_OK, 1, NULL},
    {"glTF2/glTF-Asset-Generator/Mesh_PrimitiveMode/Mesh_PrimitiveMode_01.gltf", GZ_OK, 1, NULL},
    {"glTF2/glTF-Asset-Generator/Mesh_PrimitiveMode/Mesh_PrimitiveMode_02.gltf", GZ_OK, 1, NULL},
    {"glTF2/glTF-Asset-Generator/Mesh_PrimitiveMode/Mesh_PrimitiveMode_03.gltf", GZ_OK, 1, NULL},
    {"glTF2/glTF-Asset-Generator/Mesh_PrimitiveMode/Mesh_PrimitiveMode_04.gltf", GZ_OK, 1, NULL},
    {"glTF2/glTF-Asset-Generator/Mesh_PrimitiveMode/Mesh_PrimitiveMode_05.gltf", GZ_OK, 1, NULL},
    {"glTF2/glTF-Asset-Generator/Mesh_PrimitiveMode/Mesh_PrimitiveMode_06.gltf", GZ_OK, 1, NULL},
    {"glTF2/glTF-Asset-Generator/Mesh_PrimitiveMode/Mesh_PrimitiveMode_07.gltf", GZ_OK, 1, NULL},
    {"glTF2/glTF-Asset-Generator/Mesh_PrimitiveMode/Mesh_PrimitiveMode_08.gltf", GZ_OK, 1, NULL},
    {"glTF2/glTF-Asset-Generator/Mesh_PrimitiveMode/Mesh_PrimitiveMode_09.gltf", GZ_OK, 1, NULL},
    {"glTF2/glTF-Asset-Generator/Mesh_PrimitiveMode/Mesh_PrimitiveMode_10.gltf", GZ_OK, 1, NULL},
    {"glTF2/glTF-Asset-Generator/Mesh_PrimitiveMode/Mesh_PrimitiveMode_11.gltf", GZ_OK, 1, NULL},
    {"glTF2/glTF-Asset-Generator/Mesh_PrimitiveMode/Mesh_PrimitiveMode_12.gltf", GZ_OK, 1, NULL},
    {"glTF2/glTF-Asset-Generator/Mesh_PrimitiveMode/Mesh_PrimitiveMode_13.gltf", GZ_OK, 1, NULL},
    {"glTF2/glTF-Asset-Generator/Mesh_PrimitiveMode/Mesh_PrimitiveMode_14.gltf", GZ_OK, 1, NULL},
    {"glTF2/glTF-Asset-Generator/Mesh_PrimitiveMode/Mesh_PrimitiveMode_15.gltf", GZ_OK, 1, NULL},
    {"glTF2/glTF-Sample-Models/AnimatedMorphCube-glTF/AnimatedMorphCube.gltf", GZ_OK, 1, NULL},
    {"glTF2/issue_3269/texcoord_crash.gltf", GZ_OK, 5, NULL},
    {"glTF2/simple_skin/simple_skin.gltf", GZ_OK, 3, NULL},
    {"glTF2/textureTransform/TextureTransformTest.gltf", GZ_OK, 12, NULL},
    {"glTF2/wrongTypes/badArray.gltf", GZ_OK, 2,
     "meshes[0].primitives: must be a list, is an object"},
    {"glTF2/wrongTypes/badExtension.gltf", GZ_OK, 2, NULL},
    {"glTF2/wrongTypes/badNumber.gltf", GZ_OK, 2,
     "materials[0].normalTexture.scale: must be a number, is a"},
    {"glTF2/wrongTypes/badObject.gltf", GZ_OK, 2,
     "materials[0].pbrMetallicRoughness: must be an object, is a"},
    {"glTF2/wrongTypes/badString.gltf", GZ_OK, 2, "scenes[0].name: must be a string, is a number"},
    {"glTF2/wrongTypes/badUint.gltf", GZ_OK, 2, "baseColorTexture.index: is -1"},
};

#define MODEL_COUNT (sizeof models / sizeof models[0])

static enum gz_status load_and_import(struct gz_import *import, const char *path,
                                      struct gz_error *error)
{
    struct gz_buffer bytes;
    gz_buffer_init(&bytes, GZ_ASSET_BYTES_MAX, 0);
    enum gz_status status = gz_gltf_load(&bytes, path, NULL, error);
    if (status == GZ_OK) status = gz_import_parse(import, bytes.data, bytes.size, error);
    gz_buffer_finish(&bytes);
    return status;
}

static void check_flaws(const char *path, const struct gz_flaws *flaws, const char *message)
{
    bool is_said = message == NULL && flaws->count == 0;
    for (size_t i = 0; i < flaws->count && i < GZ_FLAWS_SAID_MAX; i++) {
        assert_null(strchr(flaws->said[i], '\n'));
        is_said = is_said || (message != NULL && strstr(flaws->said[i], message) != NULL);
    }
    if (!is_said) fail_msg("%s: %zu flaws, \"%s\"", path, flaws->count, flaws->said[0]);
}

static void check_model(const struct model *model)
{
    char path[300];
    (void)snprintf(path, sizeof path, MODELS "/%s", model->path);
    struct gz_import import = {0};
    struct gz_error error = {0};
    enum gz_status status = load_and_import(&import, path, &error);
    if (status != model->status)
        fail_msg("%s: %s %s", model->path, gz_status_word(status), error.message);
    if (status == GZ_OK) {
        if (import.count != model->count) fail_msg("%s: %zu nodes", model->path, import.count);
        check_flaws(model->path, &import.flaws, model->message);
        gz_import_finish(&import);
    } else if (strstr(error.message, model->message) == NULL ||
               strchr(error.message, '\n') != NULL) {
        fail_msg("%s: says \"%s\", not \"%s\"", model->path, error.message, model->message);
    }
}

TEST(test_models_each_is_read_or_refused_in_words)
{
    require_models();
    for (size_t i = 0; i < MODEL_COUNT; i++) check_model(&models[i]);
}

static int handle_found(const char *path, const struct stat *facts, int type, struct FTW *where)
{
    (void)facts;
    (void)where;
    size_t size = strlen(path);
    if (type != FTW_F || size < 5) return 0;
    if (strcmp(path + size - 5, ".gltf") != 0 && strcmp(path + size - 4, ".glb") != 0) return 0;
    for (size_t i = 0; i < MODEL_COUNT; i++) {
        if (strcmp(models[i].path, path + strlen(MODELS "/")) == 0) return 0;
    }
    fail_msg("%s is not in the table", path);
    return 1;
}

TEST(test_models_the_table_has_them_all)
{
    require_models();
    assert_int_equal(nftw(MODELS "/glTF", handle_found, 16, FTW_PHYS), 0);
    assert_int_equal(nftw(MODELS "/glTF2", handle_found, 16, FTW_PHYS), 0);
}

/* ---- The engine, against its own JSON and bytes read here ---- */

struct engine {
    uint8_t *bytes;
    size_t size;
    json_t *json;
    const uint8_t *bin;
    size_t bin_size;
    struct gz_import import;
};

static int load_engine(void **state)
{
    require_models();
    struct engine *engine = calloc(1, sizeof *engine);
    engine->bytes = read_bytes(ENGINE, &engine->size);
    engine->json = split_glb(engine->bytes, engine->size, &engine->bin, &engine->bin_size);
    import_bytes(&engine->import, engine->bytes, engine->size);
    *state = engine;
    return 0;
}

static int free_engine(void **state)
{
    struct engine *engine = *state;
    gz_import_finish(&engine->import);
    json_decref(engine->json);
    free(engine->bytes);
    free(engine);
    return 0;
}

static void raw_numbers(const json_t *node, const char *key, double *numbers, size_t count)
{
    const json_t *list = json_object_get(node, key);
    for (size_t i = 0; list != NULL && i < count; i++)
        numbers[i] = json_number_value(json_array_get(list, i));
}

/* A node's local matrix as the JSON has it; the six without one are at most moved, turned and
 * scaled. */
static void raw_matrix(const json_t *node, double m[16])
{
    double t[3] = {0, 0, 0}, q[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1};
    raw_numbers(node, "translation", t, 3);
    raw_numbers(node, "rotation", q, 4);
    raw_numbers(node, "scale", s, 3);
    double x = q[0], y = q[1], z = q[2], w = q[3];
    const double turn[9] = {
        1 - 2 * (y * y + z * z), 2 * (x * y + z * w),     2 * (x * z - y * w),
        2 * (x * y - z * w),     1 - 2 * (x * x + z * z), 2 * (y * z + x * w),
        2 * (x * z + y * w),     2 * (y * z - x * w),     1 - 2 * (x * x + y * y)};
    for (int column = 0; column < 4; column++) {
        for (int row = 0; row < 4; row++) {
            double value = row == 3 ? column == 3 : 0;
            if (row < 3) value = column < 3 ? turn[3 * column + row] * s[column] : t[row];
            m[4 * column + row] = value;
        }
    }
    raw_numbers(node, "matrix", m, 16);
}

static void multiply(const double a[16], const double b[16], double out[16])
{
    for (int column = 0; column < 4; column++) {
        for (int row = 0; row < 4; row++) {
            double sum = 0;
            for (int k = 0; k < 4; k++) sum += a[4 * k + row] * b[4 * column + k];
            out[4 * column + row] = sum;
        }
    }
}

/* What may differ: the file's matrices are floats, each off by residual_max at most from a TRS, in
 * linear part and so in what it does to the places below it; the rest is rounding of doubles. */
static void check_world(const struct gz_import *import, int64_t index, const double raw[16],
                        int depth)
{
    gz_affine world = gz_affine_from_trs(&import->nodes[index].trs);
    for (int64_t up = import->nodes[index].parent; up >= 0; up = import->nodes[up].parent) {
        gz_affine parent = gz_affine_from_trs(&import->nodes[up].trs);
        world = gz_affine_multiply(&parent, &world);
    }
    double got[16], largest = 0;
    gz_affine_to_matrix(&world, got);
    for (int i = 0; i < 16; i++) largest = fmax(largest, fabs(raw[i]));
    double tolerance = (import->residual_max + 16 * DBL_EPSILON) * largest * depth;
    for (int i = 0; i < 16; i++) assert_float_equal(got[i], raw[i], tolerance);
}

static int check_tree(const struct engine *engine, size_t node, int64_t parent,
                      const double above[16], int depth, size_t *seen)
{
    const struct gz_import *import = &engine->import;
    const json_t *json = json_array_get(json_object_get(engine->json, "nodes"), node);
    double local[16], world[16];
    raw_matrix(json, local);
    multiply(above, local, world);
    int64_t index = (int64_t)(*seen)++;
    assert_int_equal(import->nodes[index].asset, node);
    assert_int_equal(import->nodes[index].parent, parent);
    const char *name = json_string_value(json_object_get(json, "name"));
    if (name != NULL) assert_string_equal(import->nodes[index].name, name);
    check_world(import, index, world, depth);
    int deepest = depth;
    const json_t *children = json_object_get(json, "children");
    for (size_t i = 0; i < json_array_size(children); i++) {
        size_t child = (size_t)json_integer_value(json_array_get(children, i));
        int below = check_tree(engine, child, index, world, depth + 1, seen);
        if (below > deepest) deepest = below;
    }
    return deepest;
}

TEST_BETWEEN(test_engine_worlds_are_the_products_of_its_matrices, load_engine, free_engine)
{
    const struct engine *engine = *state;
    const double identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    const json_t *scene = json_array_get(json_object_get(engine->json, "scenes"), 0);
    const json_t *roots = json_object_get(scene, "nodes");
    size_t seen = 0;
    int deepest = 0;
    for (size_t i = 0; i < json_array_size(roots); i++) {
        int depth = check_tree(engine, (size_t)json_integer_value(json_array_get(roots, i)), -1,
                               identity, 1, &seen);
        if (depth > deepest) deepest = depth;
    }
    assert_int_equal(seen, 82);
    assert_int_equal(deepest, 1 + 5); /* five levels below the root */
    assert_int_equal(engine->import.count, 82);
    assert_int_equal(engine->import.matrix_count, 76);
    assert_true(engine->import.residual_max < 1e-6);
}

static gz_box vertex_box(const struct engine *engine, size_t accessor_index, gz_box box)
{
    const json_t *accessor =
        json_array_get(json_object_get(engine->json, "accessors"), accessor_index);
    size_t view_index = (size_t)json_integer_value(json_object_get(accessor, "bufferView"));
    const json_t *view = json_array_get(json_object_get(engine->json, "bufferViews"), view_index);
    size_t offset = (size_t)(json_integer_value(json_object_get(view, "byteOffset")) +
                             json_integer_value(json_object_get(accessor, "byteOffset")));
    size_t stride = (size_t)json_integer_value(json_object_get(view, "byteStride"));
    size_t count = (size_t)json_integer_value(json_object_get(accessor, "count"));
    for (size_t i = 0; i < count; i++) {
        float p[3];
        memcpy(p, engine->bin + offset + i * (stride > 0 ? stride : 12), sizeof p);
        gz_box point = {{p[0], p[1], p[2]}, {p[0], p[1], p[2]}};
        box = gz_box_union(&box, &point);
    }
    return box;
}

TEST_BETWEEN(test_engine_bounds_are_those_of_its_vertices, load_engine, free_engine)
{
    const struct engine *engine = *state;
    size_t with_bounds = 0;
    for (size_t i = 0; i < engine->import.count; i++) {
        const struct gz_import_node *node = &engine->import.nodes[i];
        const json_t *json = json_array_get(json_object_get(engine->json, "nodes"), node->asset);
        const json_t *mesh = json_object_get(json, "mesh");
        assert_int_equal(node->has_bounds, mesh != NULL);
        if (mesh == NULL) continue;
        with_bounds++;
        json_t *primitives = json_object_get(json_array_get(json_object_get(engine->json, "meshes"),
                                                            (size_t)json_integer_value(mesh)),
                                             "primitives");
        gz_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
        for (size_t k = 0; k < json_array_size(primitives); k++) {
            const json_t *attributes = json_object_get(json_array_get(primitives, k), "attributes");
            box = vertex_box(
                engine, (size_t)json_integer_value(json_object_get(attributes, "POSITION")), box);
        }
        /* The file writes its bounds as decimals of floats. */
        for (int axis = 0; axis < 3; axis++) {
            assert_true((float)gz_component(node->bounds.min, axis) ==
                        (float)gz_component(box.min, axis));
            assert_true((float)gz_component(node->bounds.max, axis) ==
                        (float)gz_component(box.max, axis));
        }
    }
    assert_int_equal(with_bounds, 67);
}
