/* test_boxes.c - a node's box holds all that its mesh shows, whatever makes it show there. */
#include "files.h"

#include <stdio.h>

/* Accessors of floats in one data URI, made as they are named. */
struct file {
    float bytes[4096];
    size_t used;
    char accessors[6000], views[3000];
    size_t count;
};

/* Returns the index of the accessor. `more` is further JSON of it, "" or ",'min':...". */
static size_t add(struct file *file, const char *type, size_t width, size_t count,
                  const float *values, const char *more)
{
    char one[600];
    memcpy(file->bytes + file->used, values, width * count * sizeof *values);
    (void)snprintf(one, sizeof one, "%s{'buffer':0,'byteOffset':%zu,'byteLength':%zu}",
                   file->count > 0 ? "," : "", file->used * 4, width * count * 4);
    strcat(file->views, one);
    (void)snprintf(one, sizeof one,
                   "%s{'bufferView':%zu,'componentType':5126,'count':%zu,'type':'%s'%s}",
                   file->count > 0 ? "," : "", file->count, count, type, more);
    strcat(file->accessors, one);
    file->used += width * count;
    return file->count++;
}

/* The import of the file with these nodes, meshes and so on. */
static void import_file(struct gz_import *import, const struct file *file, const char *rest)
{
    char text[12000];
    (void)snprintf(text, sizeof text,
                   "{'asset':{'version':'2.0'},'buffers':[{'byteLength':%zu}],'bufferViews':[%s],"
                   "'accessors':[%s],%s}",
                   file->used * 4, file->views, file->accessors, rest);
    char *json = from_quotes(text);
    size_t size;
    uint8_t *glb = make_glb(json, file->bytes, file->used * 4, &size);
    import_bytes(import, glb, size);
    free(glb);
    free(json);
}

static void assert_box(const struct gz_import *import, size_t node, const double *wanted)
{
    const gz_box *box = &import->nodes[node].bounds;
    const double got[6] = {box->min.x, box->min.y, box->min.z, box->max.x, box->max.y, box->max.z};
    assert_true(import->nodes[node].has_bounds);
    for (int i = 0; i < 6; i++) {
        if (!(fabs(got[i] - wanted[i]) <= 1e-6))
            fail_msg("is %g %g %g to %g %g %g, number %d should be %g", got[0], got[1], got[2],
                     got[3], got[4], got[5], i, wanted[i]);
    }
}

static const float triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
#define BOX(...) ((const double[6]){__VA_ARGS__})

TEST(test_boxes_go_by_the_positions_not_by_what_is_declared)
{
    static const char *const declared[] = {"", ",'min':[0,0,0],'max':[1,1,0]",
                                           ",'min':[9,9,9],'max':[0,0,0]", ",'min':[1],'max':[2]",
                                           ",'min':[0.1,0.1,0],'max':[0.2,0.2,0]"};
    for (size_t i = 0; i < 5; i++) {
        struct file file = {.used = 0};
        struct gz_import import;
        (void)add(&file, "VEC3", 3, 3, triangle, declared[i]);
        import_file(
            &import, &file,
            "'nodes':[{'mesh':0}],'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}]");
        assert_box(&import, 0, BOX(0, 0, 0, 1, 1, 0));
        assert_int_equal(import.flaws.count, 0);
        gz_import_finish(&import);
    }
}

TEST(test_boxes_hold_points_lines_and_flattened_nodes)
{
    for (int mode = 0; mode < 7; mode++) {
        struct file file = {.used = 0};
        struct gz_import import;
        char rest[300];
        (void)add(&file, "VEC3", 3, 3, triangle, "");
        (void)snprintf(rest, sizeof rest,
                       "'nodes':[{'mesh':0,'scale':[0,-2,1]}],'meshes':[{'primitives':[{'mode':%d,"
                       "'attributes':{'POSITION':0}}]}]",
                       mode);
        import_file(&import, &file, rest);
        assert_box(&import, 0, BOX(0, 0, 0, 1, 1, 0));
        gz_import_finish(&import);
    }
}

/* A vertex that is not a number, or infinite, is not seen. */
TEST(test_boxes_leave_out_what_is_no_place)
{
    const float odd[12] = {NAN, 0, 0, 1, INFINITY, 0, 0, 1, 2, -1, 0, 0};
    struct file file = {.used = 0};
    struct gz_import import;
    (void)add(&file, "VEC3", 3, 4, odd, ",'min':[0,0,0],'max':[9,9,9]");
    import_file(&import, &file,
                "'nodes':[{'mesh':0}],'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}]");
    assert_box(&import, 0, BOX(-1, 0, 0, 0, 1, 2));
    assert_int_equal(import.flaws.count, 1);
    assert_string_equal(import.flaws.said[0],
                        "accessors[0]: 2 of 4 positions are not finite, and stand nowhere");
    gz_import_finish(&import);
}

/* The targets move one vertex each; the weights are the mesh's, or the node's own. */
TEST(test_boxes_hold_morph_targets)
{
    const float up[9] = {0, 0, 0, 0, 0, 4, 0, 0, 0}, left[9] = {-1, 0, 0, 0, 0, 0, 0, 0, 0};
    struct file file = {.used = 0};
    struct gz_import import;
    (void)add(&file, "VEC3", 3, 3, triangle, "");
    (void)add(&file, "VEC3", 3, 3, up, "");
    (void)add(&file, "VEC3", 3, 3, left, "");
    import_file(&import, &file,
                "'nodes':[{'mesh':0},{'mesh':0,'weights':[-1,3]},{'mesh':1}],'meshes':[{"
                "'weights':[2,0],'primitives':[{'attributes':{'POSITION':0},'targets':[{'POSITION'"
                ":1},{'POSITION':2}]}]},{'primitives':[{'attributes':{'POSITION':0},'targets':[{"
                "'NORMAL':1}]}]}]");
    assert_box(&import, 0, BOX(-1, 0, 0, 1, 1, 8));
    assert_box(&import, 1, BOX(-3, 0, -4, 1, 1, 4));
    assert_box(&import, 2, BOX(0, 0, 0, 1, 1, 0));
    gz_import_finish(&import);
}

TEST(test_boxes_hold_instances)
{
    const float places[6] = {0, 0, 0, 10, 0, 0}, turns[8] = {0, 0, 0, 1, 0, 0, 3, 0},
                sizes[6] = {1, 1, 1, 2, 2, 0};
    struct file file = {.used = 0};
    struct gz_import import;
    (void)add(&file, "VEC3", 3, 3, triangle, "");
    (void)add(&file, "VEC3", 3, 2, places, "");
    (void)add(&file, "VEC4", 4, 2, turns, "");
    (void)add(&file, "VEC3", 3, 2, sizes, "");
    import_file(&import, &file,
                "'nodes':[{'mesh':0,'extensions':{'EXT_mesh_gpu_instancing':{'attributes':{"
                "'TRANSLATION':1}}}},{'mesh':0,'extensions':{'EXT_mesh_gpu_instancing':{"
                "'attributes':{'TRANSLATION':1,'ROTATION':2,'SCALE':3,'_ID':0}}}},{'mesh':0,"
                "'extensions':{'EXT_mesh_gpu_instancing':{'attributes':{'TRANSLATION':99}}}}],"
                "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}]");
    assert_box(&import, 0, BOX(0, 0, 0, 11, 1, 0));
    assert_box(&import, 1, BOX(0, -2, 0, 10, 1, 0)); /* half a turn about z */
    assert_box(&import, 2, BOX(0, 0, 0, 1, 1, 0));
    assert_int_equal(import.flaws.count, 1); /* the accessor 99 */
    gz_import_finish(&import);
}

/* Joint 1 is at (0, 5, 0) under joint 0 and holds the third vertex with a half; its bind matrix
 * takes 1 away. The node itself, which glTF ignores, is at (100, 0, 0) and twice as large. */
TEST(test_boxes_hold_skins)
{
    const float joints[12] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0};
    const float shares[12] = {1, 0, 0, 0, 1, 0, 0, 0, 0.5F, 0.5F, 0, 0};
    const float binds[32] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0,  0, 1,
                             1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1};
    struct file file = {.used = 0};
    struct gz_import import;
    (void)add(&file, "VEC3", 3, 3, triangle, "");
    (void)add(&file, "VEC4", 4, 3, joints, "");
    (void)add(&file, "VEC4", 4, 3, shares, "");
    (void)add(&file, "MAT4", 16, 2, binds, "");
    import_file(&import, &file,
                "'nodes':[{'mesh':0,'skin':0,'translation':[100,0,0],'scale':[2,2,2]},"
                "{'children':[2]},{'translation':[0,5,0]},{'mesh':0,'skin':1},{'mesh':0,'skin':0,"
                "'scale':[0,0,0]}],'skins':[{'joints':[1,2],'inverseBindMatrices':3},{'joints':[77]"
                "}],'meshes':[{'primitives':[{'attributes':{'POSITION':0,'JOINTS_0':1,'WEIGHTS_0':"
                "2}}]}]");
    /* The third vertex: half of (0, 1, 0), half of (0, 5, 0), is (0, 3, 0); seen from the node all
     * x are 100 less, and everything is half as large. */
    assert_box(&import, 0, BOX(-50, 0, 0, 1, 1.5, 0));
    assert_box(&import, 3, BOX(0, 0, 0, 1, 1, 0));
    assert_box(&import, 4, BOX(0, 0, 0, 1, 1, 0)); /* nothing is seen of a node without a size */
    assert_int_equal(import.flaws.count, 2);       /* the joint 77, and the node that needs it */
    assert_non_null(strstr(import.flaws.said[1], "nodes[3].skin: cannot be followed"));
    gz_import_finish(&import);
}

/* Without the bytes the declared boxes count. */
TEST(test_boxes_of_meshes_out_of_reach_are_the_declared_ones)
{
    struct gz_import import;
    import_quoted(
        &import, "{'asset':{'version':'2.0'},'nodes':[{'mesh':0},{'mesh':1},{'mesh':2}],'accessors'"
                 ":[{'componentType':5126,'count':3,'type':'VEC3','min':[0,0,0],'max':[1,1,0]},"
                 "{'componentType':5126,'count':3,'type':'VEC3','min':[-1,0,0],'max':[0,0,4]},"
                 "{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3','min':[0,0,0],"
                 "'max':[2,2,2]},{'componentType':5126,'count':3,'type':'VEC3'}],"
                 "'buffers':[{'byteLength':36,'uri':'gone.bin'}],"
                 "'bufferViews':[{'buffer':0,'byteLength':36}],'meshes':[{'primitives':[{"
                 "'attributes':{'POSITION':0},'targets':[{'POSITION':1}]}]},{'primitives':[{"
                 "'attributes':{'POSITION':2}}]},{'primitives':[{'attributes':{'POSITION':3}}]}]}");
    assert_box(&import, 0, BOX(-1, 0, 0, 1, 1, 4));
    assert_box(&import, 1, BOX(0, 0, 0, 2, 2, 2));
    assert_false(import.nodes[2].has_bounds);
    assert_int_equal(import.flaws.count, 2); /* the file that is gone, and the box of nothing */
    gz_import_finish(&import);
}

/* Then all weights together and all joints count, too: the first target moves along x, the second
 * along z; the joint is 10 above. */
TEST(test_boxes_of_bent_meshes_out_of_reach_hold_all_that_may_be_seen)
{
    struct gz_import import;
    import_quoted(
        &import, "{'asset':{'version':'2.0'},'nodes':[{'mesh':0},{'mesh':0,'weights':[1,-1]},{"
                 "'mesh':1,'skin':0},{'translation':[0,10,0]}],'skins':[{'joints':[3]}],"
                 "'accessors':[{'componentType':5126,'count':3,'type':'VEC3','min':[0,0,0],'max':"
                 "[1,1,0]},{'componentType':5126,'count':3,'type':'VEC3','min':[0,0,0],'max':[2,0,"
                 "0]},{'componentType':5126,'count':3,'type':'VEC3','min':[0,0,0],'max':[0,0,3]}],"
                 "'meshes':[{'weights':[3,2],'primitives':[{'attributes':{'POSITION':0},'targets':["
                 "{'POSITION':1},{'POSITION':2}]}]},{'primitives':[{'attributes':{'POSITION':0,"
                 "'JOINTS_0':0,'WEIGHTS_0':0}}]}]}");
    assert_box(&import, 0, BOX(0, 0, 0, 7, 1, 6));
    assert_box(&import, 1, BOX(0, 0, -3, 3, 1, 3));
    assert_box(&import, 2, BOX(0, 0, 0, 1, 11, 0));
    gz_import_finish(&import);
}

/* An accessor of nothing but two replaced elements says that it has very many: no time is spent on
 * them, whether a box, a morph target or a skin asks. */
TEST(test_boxes_of_sparse_accessors_cost_what_is_there)
{
    struct gz_import import;
    import_quoted(
        &import,
        "{'asset':{'version':'2.0'},'nodes':[{'mesh':0},{'mesh':1}],'buffers':[{'byteLength':32,"
        "'uri':'data:;base64,AQAAAAcAAAAAAIA/AAAAQAAAQEAAAIC/AAAAwAAAQMA='}],'bufferViews':[{"
        "'buffer':0,'byteLength':8},{'buffer':0,'byteOffset':8,'byteLength':24}],'accessors':[{"
        "'componentType':5126,'count':9007199254740992,'type':'VEC3','sparse':{'count':2,'indices':"
        "{'bufferView':0,'componentType':5125},'values':{'bufferView':1}}}],'meshes':[{"
        "'primitives':[{'attributes':{'POSITION':0}}]},{'primitives':[{'attributes':{'POSITION':0}"
        ",'targets':[{'POSITION':0}]}]}]}");
    assert_box(&import, 0, BOX(-1, -2, -3, 1, 2, 3));
    assert_box(&import, 1, BOX(-2, -4, -6, 2, 4, 6));
    gz_import_finish(&import);
}

int main(void)
{
    return test_run(NULL, NULL);
}
