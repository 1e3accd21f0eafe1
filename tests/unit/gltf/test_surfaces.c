/* Triangles from files: each way in which they can be written down, and what is left out. */
#include "files.h"
#include "server/maxima.h"

#include <math.h>
#include <stdio.h>

#define ENGINE MODELS "/glTF2/2CylinderEngine-glTF-Binary/2CylinderEngine.glb"

/* ---- a square of two triangles, from 0 to 1 in x and y, that faces +z ---- */

/* What the files below are made of: parts of the BIN chunk, each at a multiple of 64. */
static const struct {
    float corners[4][3];
    float pad0[4];
    float six[6][3]; /* two triangles; 72 bytes */
    float pad1[14];
    float apart[4][6]; /* each corner with three numbers that are something else; 96 bytes */
    float pad2[8];
    uint16_t raised[4][4]; /* 0 to 65535, with a stride of 8 */
    uint16_t pad3[16];
    int8_t low[4][4]; /* 0 to 127 */
    int8_t pad4[48];
    uint8_t indices8[64];
    uint16_t indices16[32];
    uint32_t indices32[16];
    float wrong[4][3]; /* the last corner is elsewhere */
    float pad5[4];
    float right[1][3];
    float pad6[13];
    float nothing[4][3]; /* not finite */
    float pad7[4];
} bin = {
    .corners = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}},
    .six = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 0, 0}, {1, 1, 0}, {0, 1, 0}},
    .apart = {{0, 0, 0, 9, 9, 9}, {1, 0, 0, 9, 9, 9}, {1, 1, 0, 9, 9, 9}, {0, 1, 0, 9, 9, 9}},
    .raised = {{0, 0, 0, 7}, {65535, 0, 0, 7}, {65535, 65535, 0, 7}, {0, 65535, 0, 7}},
    .low = {{0, 0, 0, 7}, {127, 0, 0, 7}, {127, 127, 0, 7}, {0, 127, 0, 7}},
    .indices8 = {0,
                 1,
                 2,
                 0,
                 2,
                 3,
                 0,
                 0,
                 /* at 8: a strip */ 0,
                 1,
                 3,
                 2,
                 0,
                 0,
                 0,
                 0,
                 /* at 16: one too many */ 0,
                 1,
                 2,
                 0,
                 2,
                 9,
                 0,
                 0,
                 /* at 24: a sparse one's */ 3,
                 0,
                 0,
                 0,
                 /* at 28 */ 5,
                 0,
                 0,
                 0,
                 /* at 32 */ 3,
                 0,
                 0,
                 0,
                 /* at 36 */ 9,
                 0,
                 0,
                 0,
                 /* at 40: a fan */ 0,
                 1,
                 2,
                 3},
    .indices16 = {0, 1, 2, 0, 2, 3},
    .indices32 = {0, 1, 2, 0, 2, 3},
    .wrong = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {-5, 3, 8}},
    .right = {{0, 1, 0}},
    .nothing = {{0, 0, 0}, {1, 0, 0}, {NAN, 1, 0}, {0, INFINITY, 0}},
};

enum {
    CORNERS = 0,
    SIX = 64,
    APART = 192,
    RAISED = 320,
    LOW = 384,
    INDICES8 = 448,
    INDICES16 = 512,
    INDICES32 = 576,
    WRONG = 640,
    RIGHT = 704,
    NOTHING = 768,
    BIN_BYTES = 832
};

static_assert(sizeof bin == BIN_BYTES, "the parts are where they are said to be");

/* A file of one node with a mesh; whoever wants another node, material or extension says so in
 * `more`. */
static struct gz_surfaces *read_file(const char *primitive, const char *accessors, const char *node,
                                     const char *more)
{
    char text[6000];
    struct gz_error error = {0};
    struct gz_surfaces *surfaces;
    size_t size;
    (void)snprintf(
        text, sizeof text,
        "{'asset':{'version':'2.0'},'scene':0,'scenes':[{'nodes':[0]}],'nodes':[{'mesh':0%s}],"
        "'meshes':[{'primitives':[%s]}],'accessors':[%s],"
        "'bufferViews':[{'buffer':0,'byteLength':%d},{'buffer':0,'byteLength':%d,'byteStride':24},"
        "{'buffer':0,'byteLength':%d,'byteStride':8},{'buffer':0,'byteLength':%d,'byteStride':4}],"
        "'buffers':[{'byteLength':%d}]%s}",
        node, primitive, accessors, BIN_BYTES, BIN_BYTES, BIN_BYTES, BIN_BYTES, BIN_BYTES, more);
    char *json = from_quotes(text);
    uint8_t *glb = make_glb(json, &bin, sizeof bin, &size);
    if (gz_surfaces_read(&surfaces, glb, size, &error) != GZ_OK)
        fail_msg("%s: %s", primitive, error.message);
    free(glb);
    free(json);
    return surfaces;
}

#define PLACES(view, offset, type, more)                                                           \
    "{'bufferView':" #view ",'byteOffset':" #offset ",'componentType':" #type                      \
    ",'count':4,'type':'VEC3','min':[0,0,0],'max':[1,1,0]" more "}"
#define INDICES(offset, type, count)                                                               \
    ",{'bufferView':0,'byteOffset':" #offset ",'componentType':" #type ",'count':" #count          \
    ",'type':'SCALAR'}"
#define INDEXED "{'attributes':{'POSITION':0},'indices':1}"
#define SQUARE PLACES(0, 0, 5126, "")

/* The area along +z, which no triangle takes from; and whether all are met from both sides, or
 * none. */
static double area_of(const struct gz_surface *surface, bool *both_sides)
{
    double area = 0;
    for (size_t i = 0; i < surface->count; i++) {
        const struct gz_triangle *t = &surface->triangles[i];
        double ax = (double)t->corner[1][0] - (double)t->corner[0][0];
        double ay = (double)t->corner[1][1] - (double)t->corner[0][1];
        double bx = (double)t->corner[2][0] - (double)t->corner[0][0];
        double by = (double)t->corner[2][1] - (double)t->corner[0][1];
        double along = (ax * by - ay * bx) / 2;
        assert_true(along > 0);
        for (int k = 0; k < 3; k++) assert_true(t->corner[k][2] == 0);
        area += along;
        if (i > 0) assert_true(*both_sides == (t->both_sides != 0));
        *both_sides = t->both_sides != 0;
    }
    return area;
}

static void expect_square(const char *primitive, const char *accessors, const char *more,
                          double side, bool both_sides)
{
    struct gz_surfaces *surfaces = read_file(primitive, accessors, "", more);
    if (surfaces == NULL) fail_msg("%s %s: nothing", primitive, accessors);
    const struct gz_surface *surface = gz_surface_of(surfaces, 0);
    assert_non_null(surface);
    bool sides = false;
    double area = area_of(surface, &sides);
    if (surface->count != 2 || fabs(area - side * side) > 1e-6 * side * side || sides != both_sides)
        fail_msg("%s %s: %u triangles, area %g, %d", primitive, accessors, surface->count, area,
                 sides);
    assert_int_equal(surfaces->triangle_count, 2);
    free(surfaces);
}

static void expect_nothing(const char *primitive, const char *accessors, const char *node,
                           const char *more)
{
    struct gz_surfaces *surfaces = read_file(primitive, accessors, node, more);
    if (gz_surface_of(surfaces, 0) != NULL)
        fail_msg("%s %s %s: something", primitive, accessors, node);
    free(surfaces);
}

TEST(test_every_way_to_write_triangles_is_read)
{
    const char *bare = "{'attributes':{'POSITION':0}}";
    expect_square(bare,
                  "{'bufferView':0,'byteOffset':64,'componentType':5126,'count':6,'type':'VEC3','"
                  "min':[0,0,0],'max':[1,1,0]}",
                  "", 1, false);
    expect_square(INDEXED, SQUARE INDICES(448, 5121, 6), "", 1, false);
    expect_square(INDEXED, SQUARE INDICES(512, 5123, 6), "", 1, false);
    expect_square(INDEXED, SQUARE INDICES(576, 5125, 6), "", 1, false);
    expect_square(INDEXED, SQUARE INDICES(576, 5125, 8), "", 1,
                  false); /* two more are no triangle */
    expect_square("{'mode':5,'attributes':{'POSITION':0},'indices':1}",
                  SQUARE INDICES(456, 5121, 4), "", 1, false);
    expect_square("{'mode':6,'attributes':{'POSITION':0}}", SQUARE, "", 1, false);
    expect_square("{'mode':6,'attributes':{'POSITION':0},'indices':1}",
                  SQUARE INDICES(488, 5121, 4), "", 1, false);
}

TEST(test_places_are_read_as_they_are_meant)
{
    expect_square(INDEXED, PLACES(1, 192, 5126, "") INDICES(448, 5121, 6), "", 1, false);
    expect_square(INDEXED, PLACES(2, 320, 5123, ",'normalized':true") INDICES(448, 5121, 6), "", 1,
                  false);
    expect_square(INDEXED, PLACES(2, 320, 5123, "") INDICES(448, 5121, 6), "", 65535, false);
    expect_square(INDEXED, PLACES(3, 384, 5120, ",'normalized':true") INDICES(448, 5121, 6), "", 1,
                  false);
    expect_square(INDEXED, PLACES(3, 384, 5121, "") INDICES(448, 5121, 6), "", 127, false);
}

#define SPARSE(indices, values)                                                                    \
    ",'sparse':{'count':1,'indices':{'bufferView':0,'byteOffset':" #indices                        \
    ",'componentType':5121},'values':{'bufferView':0,'byteOffset':" #values "}}"

TEST(test_sparse_accessors_replace_what_they_say)
{
    expect_square(INDEXED, PLACES(0, 640, 5126, SPARSE(472, 704)) INDICES(448, 5121, 6), "", 1,
                  false);
    /* the last index is 9, which is not there, but for a sparse one that makes it 3 */
    expect_square(
        INDEXED,
        SQUARE
        ",{'bufferView':0,'byteOffset':464,'componentType':5121,'count':6,'type':'SCALAR'" SPARSE(
            476, 480) "}",
        "", 1, false);
    expect_nothing(
        INDEXED,
        SQUARE
        ",{'bufferView':0,'byteOffset':448,'componentType':5121,'count':6,'type':'SCALAR'" SPARSE(
            476, 484) "}",
        "", "");
    /* zeros, where there is no view, with three corners that are not */
    const char *accessors = "{'componentType':5126,'count':4,'type':'VEC3','min':[0,0,0],'max':[1,"
                            "1,0],'sparse':{'count':3,'indices':{'"
                            "bufferView':0,"
                            "'byteOffset':449,'componentType':5121},'values':{'bufferView':0,'"
                            "byteOffset':12}}}" INDICES(448, 5121, 6);
    struct gz_surfaces *surfaces = read_file(INDEXED, accessors, "", "");
    const struct gz_surface *surface = gz_surface_of(surfaces, 0);
    assert_non_null(
        surface); /* 1, 2 and, where 0 should be 3, nothing: the second triangle has no area */
    assert_int_equal(surface->count, 1);
    free(surfaces);
}

TEST(test_both_sides_are_the_materials)
{
    const char *materials = ",'materials':[{'doubleSided':true},{}]";
    expect_square("{'material':0,'attributes':{'POSITION':0},'indices':1}",
                  SQUARE INDICES(448, 5121, 6), materials, 1, true);
    expect_square("{'material':1,'attributes':{'POSITION':0},'indices':1}",
                  SQUARE INDICES(448, 5121, 6), materials, 1, false);
}

TEST(test_what_cannot_be_seen_as_modelled_is_left_out)
{
    const char *all = SQUARE INDICES(448, 5121, 6);
    const char *morphed = "{'attributes':{'POSITION':0},'indices':1,'targets':[{'POSITION':0}]}";
    expect_square(morphed, all, "", 1, false); /* without a weight */
    expect_nothing(morphed, all, ",'weights':[0.5]", "");
    expect_nothing(INDEXED, all, ",'skin':0", ",'skins':[{'joints':[0]}]");
    expect_nothing(INDEXED, all, ",'extensions':{'EXT_mesh_gpu_instancing':{}}", "");
    expect_nothing("{'attributes':{'POSITION':0},'indices':1,'extensions':{'KHR_draco_mesh_"
                   "compression':{'bufferView':0}}}",
                   all, "", "");
    expect_nothing("{'mode':1,'attributes':{'POSITION':0}}", all, "", "");
    expect_nothing("{'attributes':{}}", all, "", "");
    expect_nothing(
        INDEXED,
        "{'componentType':5126,'count':4,'type':'VEC3','min':[0,0,0],'max':[1,1,0]}" INDICES(
            448, 5121, 6),
        "", "");
    expect_nothing(INDEXED, PLACES(0, 768, 5126, "") INDICES(448, 5121, 6), "",
                   ""); /* not finite */
    /* A part that is out of reach takes the others along; lines beside triangles do not. */
    expect_nothing(INDEXED ",{'attributes':{'POSITION':0},'indices':1,'extensions':{'KHR_draco_"
                           "mesh_compression':{'bufferView':0}}}",
                   all, "", "");
    expect_square("{'mode':1,'attributes':{'POSITION':0}}," INDEXED, all, "", 1, false);
}

static struct gz_surfaces *read_text(const char *text, const void *bytes, size_t byte_count)
{
    struct gz_error error = {0};
    struct gz_surfaces *surfaces;
    size_t size;
    char *json = from_quotes(text);
    uint8_t *glb = make_glb(json, bytes, byte_count, &size);
    if (gz_surfaces_read(&surfaces, glb, size, &error) != GZ_OK) fail_msg("%s", error.message);
    free(glb);
    free(json);
    return surfaces;
}

TEST(test_compressed_views_are_out_of_reach)
{
    struct gz_surfaces *surfaces =
        read_text("{'asset':{'version':'2.0'},'nodes':[{'mesh':0}],'meshes':[{'primitives':[{'"
                  "attributes':{'POSITION':0}}]}],"
                  "'accessors':[{'bufferView':0,'componentType':5126,'count':6,'type':'VEC3','min':"
                  "[0,0,0],'max':[1,1,0]}],"
                  "'bufferViews':[{'buffer':1,'byteLength':72,'extensions':{'EXT_meshopt_"
                  "compression':{'buffer':0,'byteLength':"
                  "64}}}],"
                  "'buffers':[{'byteLength':64},{'byteLength':72,'extensions':{'EXT_meshopt_"
                  "compression':{'fallback':true}}}]}",
                  &bin, 64);
    assert_null(surfaces);
}

/* A mesh is there once; what no node shows is not there. */
TEST(test_meshes_are_shared)
{
    struct gz_surfaces *surfaces = read_text(
        "{'asset':{'version':'2.0'},'nodes':[{'mesh':1},{},{'mesh':1},{'mesh':2}],'meshes':["
        "{'primitives':[{'attributes':{'POSITION':0}}]},{'primitives':[{'attributes':{'POSITION':0}"
        "}]},"
        "{'primitives':[{'attributes':{'POSITION':0},'mode':6}]}],"
        "'accessors':[{'bufferView':0,'componentType':5126,'count':6,'type':'VEC3','min':[0,0,0],'"
        "max':[1,1,0]}],"
        "'bufferViews':[{'buffer':0,'byteOffset':64,'byteLength':72}],'buffers':[{'byteLength':832}"
        "]}",
        &bin, sizeof bin);
    assert_non_null(surfaces);
    assert_ptr_equal(gz_surface_of(surfaces, 0), gz_surface_of(surfaces, 2));
    assert_non_null(gz_surface_of(surfaces, 0));
    assert_null(gz_surface_of(surfaces, 1));
    assert_ptr_not_equal(gz_surface_of(surfaces, 3), gz_surface_of(surfaces, 0));
    assert_null(gz_surface_of(surfaces, 4));
    assert_null(gz_surface_of(surfaces, -1));
    assert_null(gz_surface_of(NULL, 0));
    assert_int_equal(surfaces->triangle_count, 2 + gz_surface_of(surfaces, 3)->count);
    free(surfaces);
}

TEST(test_more_triangles_than_the_limit_are_left_out)
{
    enum { CORNER_COUNT = 3 * GZ_SURFACE_TRIANGLES_MAX + 3, BYTES = CORNER_COUNT + 64 };
    uint8_t *bytes = calloc(BYTES + 64, 1);
    assert_non_null(bytes);
    memcpy(bytes, bin.corners, sizeof bin.corners);
    for (size_t i = 0; i < CORNER_COUNT; i++) bytes[64 + i] = (uint8_t)(i % 3);
    char text[2000];
    (void)snprintf(
        text, sizeof text,
        "{'asset':{'version':'2.0'},'nodes':[{'mesh':0},{'mesh':1}],'meshes':["
        "{'primitives':[{'attributes':{'POSITION':0},'indices':1}]},"
        "{'primitives':[{'attributes':{'POSITION':0},'mode':6}]}],"
        "'accessors':[{'bufferView':0,'componentType':5126,'count':4,'type':'VEC3','min':[0,0,0],'"
        "max':[1,1,0]},"
        "{'bufferView':1,'componentType':5121,'count':%d,'type':'SCALAR'}],"
        "'bufferViews':[{'buffer':0,'byteLength':48},{'buffer':0,'byteOffset':64,'byteLength':%d}],"
        "'buffers':[{'byteLength':%d}]}",
        CORNER_COUNT, CORNER_COUNT, BYTES);
    struct gz_surfaces *surfaces = read_text(text, bytes, BYTES);
    assert_non_null(surfaces);
    assert_null(gz_surface_of(surfaces, 0));
    assert_non_null(gz_surface_of(surfaces, 1)); /* which is small enough */
    assert_int_equal(surfaces->left_out, 1);
    assert_int_equal(surfaces->triangle_count, 2);
    free(surfaces);
    free(bytes);
}

/* ---- real files ---- */

static void expect_triangles(const char *path, size_t count)
{
    struct gz_buffer bytes;
    struct gz_error error = {0};
    struct gz_surfaces *surfaces = NULL;
    char whole[300];
    (void)snprintf(whole, sizeof whole, MODELS "/glTF2/%s", path);
    gz_buffer_init(&bytes, GZ_ASSET_BYTES_MAX, 0);
    if (gz_gltf_load(&bytes, whole, NULL, &error) != GZ_OK) fail_msg("%s: %s", path, error.message);
    if (gz_surfaces_read(&surfaces, bytes.data, bytes.size, &error) != GZ_OK)
        fail_msg("%s: %s", path, error.message);
    size_t found = surfaces != NULL ? surfaces->triangle_count : 0;
    if (found != count) fail_msg("%s: %zu triangles, not %zu", path, found, count);
    free(surfaces);
    gz_buffer_finish(&bytes);
}

TEST(test_models_have_as_many_as_they_say)
{
    require_models();
    static const struct {
        const char *path;
        size_t count;
    } models[] = {
        {"BoxTextured-glTF-Binary/BoxTextured.glb", 12},
        {"BoxTextured-glTF-Embedded/BoxTextured.gltf", 12},
        {"glTF-Sample-Models/AnimatedMorphCube-glTF/AnimatedMorphCube.gltf",
         12}, /* its weights are 0 */
        {"simple_skin/simple_skin.gltf", 0},
        {"draco/2CylinderEngine.gltf", 0},
        {"cameras/Cameras.gltf", 2},
        {"TestNoRootNode/SceneWithoutNodes.gltf", 0},
    };
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++)
        expect_triangles(models[i].path, models[i].count);
    for (int i = 0; i < 16; i++) {
        bool has_triangles = i == 4 || i == 5 || i == 6 || i >= 11;
        char path[200];
        (void)snprintf(path, sizeof path,
                       "glTF-Asset-Generator/Mesh_PrimitiveMode/Mesh_PrimitiveMode_%02d.gltf", i);
        expect_triangles(path, has_triangles ? 2 : 0);
    }
}

/* The engine's triangles as its own JSON counts them: all of its meshes are shown, some by more
 * than one node. */
TEST(test_the_engine_is_whole)
{
    require_models();
    size_t size, bin_size, count = 0, index;
    const uint8_t *chunk;
    uint8_t *bytes = read_bytes(ENGINE, &size);
    json_t *json = split_glb(bytes, size, &chunk, &bin_size), *mesh;
    json_array_foreach(json_object_get(json, "meshes"), index, mesh)
    {
        size_t i;
        json_t *primitive, *accessors = json_object_get(json, "accessors");
        json_array_foreach(json_object_get(mesh, "primitives"), i, primitive)
        {
            size_t indices = (size_t)json_integer_value(json_object_get(primitive, "indices"));
            const json_t *mode = json_object_get(primitive, "mode");
            assert_true(mode == NULL || json_integer_value(mode) == 4);
            count += (size_t)json_integer_value(
                         json_object_get(json_array_get(accessors, indices), "count")) /
                     3;
        }
    }
    struct gz_surfaces *surfaces;
    assert_int_equal(gz_surfaces_read(&surfaces, bytes, size, NULL), GZ_OK);
    assert_int_equal(count, 75730);
    assert_int_equal(surfaces->triangle_count, count - 10419); /* so many have no area */
    json_t *nodes = json_object_get(json, "nodes"), *node;
    json_array_foreach(nodes, index, node)
    {
        bool shows = json_object_get(node, "mesh") != NULL;
        assert_true((gz_surface_of(surfaces, (int64_t)index) != NULL) == shows);
    }
    free(surfaces);
    json_decref(json);
    free(bytes);
}
