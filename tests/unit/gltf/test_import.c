/* test_import.c - which glTF files are refused, with which words, and what the others become. */
#include "files.h"
#include "server/maxima.h"

#include <math.h>
#include <stdio.h>

/* Whole files that must be refused, or (GZ_OK) are taken without a part: the text with ' for ", the
 * status, and a part of the message that names the place. */
struct bad {
    const char *name;
    const char *text;
    enum gz_status status;
    const char *message;
};

#define ASSET "'asset':{'version':'2.0'}"
#define NODES(list) "{" ASSET ",'nodes':[" list "]}"
/* A mesh of one triangle, of which each case spoils one part. 48 bytes: 3 indices, padding, 3
 * positions. */
#define BYTES "AAABAAIAAAAAAAAAAAAAAAAAAAAAAIA/AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAA"
#define BUFFERS                                                                                    \
    "'buffers':[{'byteLength':48,'uri':'data:application/octet-stream;base64," BYTES "'}]"
#define VIEWS                                                                                      \
    "'bufferViews':[{'buffer':0,'byteLength':6},{'buffer':0,'byteOffset':8,'byteLength':36,'"      \
    "byteStride':12}]"
#define INDICES "{'bufferView':0,'componentType':5123,'count':3,'type':'SCALAR'}"
#define POSITIONS                                                                                  \
    "{'bufferView':1,'componentType':5126,'count':3,'type':'VEC3','min':[0,0,0],'max':[1,1,0]}"
#define MESHES "'meshes':[{'primitives':[{'attributes':{'POSITION':1},'indices':0}]}]"
#define TRIANGLE(meshes, accessors, views, buffers)                                                \
    "{" ASSET ",'nodes':[{'mesh':0}]," meshes ",'accessors':[" accessors "]," views "," buffers "}"
#define ACCESSORS(accessors) TRIANGLE(MESHES, accessors, VIEWS, BUFFERS)

static const struct bad bad_files[] = {
    {"no JSON", "hello", GZ_BAD_MESSAGE, "JSON line 1"},
    {"empty", "", GZ_BAD_MESSAGE, "the file is empty"},
    {"a list", "[]", GZ_VERSION, "asset.version"},
    {"no asset", "{}", GZ_VERSION, "asset.version"},
    {"version 1", "{'asset':{'version':'1.0'}}", GZ_VERSION, "asset.version: is 1.0"},
    {"version 3", "{'asset':{'version':'3.0'}}", GZ_VERSION, "is 3.0"},
    {"version 20", "{'asset':{'version':'20'}}", GZ_VERSION, "is 20"},
    {"needs 2.1", "{'asset':{'version':'2.1','minVersion':'2.1'}}", GZ_VERSION, "asset.minVersion"},
    {"bytes after the end", "{" ASSET "} x", GZ_BAD_MESSAGE, "JSON line 1"},
    {"a huge number", NODES("{'translation':[1e400,0,0]}"), GZ_OK,
     "nodes[0].translation[0]: is larger than any number that can be kept"},
    {"a huge integer", NODES("{'mesh':99999999999999999999}"), GZ_OK, "nodes[0].mesh: is 1e+20"},
    {"NaN", NODES("{'translation':[NaN,0,0]}"), GZ_BAD_MESSAGE,
     "JSON line 1, column 53: NaN and Infinity are no numbers in JSON"},
    {"less than every number", NODES("{'translation':[-Infinity,0,0]}"), GZ_BAD_MESSAGE,
     "NaN and Infinity are no numbers in JSON"},
    {"nodes is null", "{" ASSET ",'nodes':null}", GZ_OK, "nodes: must be a list, is null"},
    {"nodes is an object", "{" ASSET ",'nodes':{}}", GZ_BAD_MESSAGE,
     "nodes: must be a list, is an object"},
    {"a node is null", NODES("null"), GZ_OK, "nodes[0]: must be an object, is null"},
    {"name is a number", NODES("{},{'name':7}"), GZ_OK,
     "nodes[1].name: must be a string, is a number"},
    {"children is a number", NODES("{'children':1},{}"), GZ_OK,
     "nodes[0].children: must be a list"},
    {"a child is a string", NODES("{'children':['1']},{}"), GZ_OK,
     "nodes[0].children[0]: must be an index"},
    {"child out of range", NODES("{'children':[2]},{}"), GZ_OK, "nodes[0].children[0]: is 2"},
    {"child negative", NODES("{'children':[-1]}"), GZ_OK, "nodes[0].children[0]: is -1"},
    {"child and a half", NODES("{'children':[0.5]},{}"), GZ_OK, "nodes[0].children[0]: is 0.5"},
    {"two parents", NODES("{'children':[2]},{'children':[2]},{}"), GZ_OK,
     "nodes[1].children[0]: node 2 is already a child of node 0"},
    {"a child twice", NODES("{'children':[1,1]},{}"), GZ_OK,
     "nodes[0].children[1]: node 1 is already"},
    {"own child", NODES("{'children':[0]}"), GZ_OK,
     "nodes[0].children[0]: node 0 stands at the root, and is left out here"},
    {"a circle beside a tree", NODES("{},{'children':[2]},{'children':[3]},{'children':[1]}"),
     GZ_OK, "nodes[3].children[0]: node 1 stands at the root"},
    {"version is a number", "{'asset':{'version':2.0},'nodes':[{}]}", GZ_OK,
     "asset.version: must be a text such as \"2.0\", and is taken as that"},
    {"version without its minor", "{'asset':{'version':'2'},'nodes':[{}]}", GZ_OK,
     "asset.version: must be a text"},
    {"version is the number 1", "{'asset':{'version':1.0}}", GZ_VERSION, "asset.version"},
    {"an extension that is required", "{" ASSET ",'extensionsRequired':['X_none']}", GZ_OK,
     "extensionsRequired[0]: X_none is not known here"},
    {"a beginning of an extension", "{" ASSET ",'extensionsRequired':['KHR_lights_punct']}", GZ_OK,
     "extensionsRequired[0]: KHR_lights_punct is not known here"},
    {"a web page", "<!DOCTYPE html><html></html>", GZ_BAD_MESSAGE, "this looks like a web page"},
    {"a pointer of Git LFS", "version https://git-lfs.github.com/spec/v1\noid sha256:0",
     GZ_BAD_MESSAGE, "a pointer of Git LFS"},
    {"UTF-16", "\xFF\xFE{", GZ_BAD_MESSAGE, "a text in UTF-16, where glTF is in UTF-8"},
    {"mesh out of range", NODES("{'mesh':0}"), GZ_OK,
     "nodes[0].mesh: is 0, which is no index of the file's 0"},
    {"camera out of range", NODES("{'camera':0}"), GZ_OK, "nodes[0].camera"},
    {"skin out of range", NODES("{'skin':3}"), GZ_OK, "nodes[0].skin"},
    {"scene out of range", "{" ASSET ",'scene':1,'scenes':[{}]}", GZ_OK, "scene: is 1"},
    {"scene is a string", "{" ASSET ",'scene':'a','scenes':[{}]}", GZ_OK,
     "scene: must be an index"},
    {"a scene's node out of range", "{" ASSET ",'scenes':[{'nodes':[0]}]}", GZ_OK,
     "scenes[0].nodes[0]: is 0"},
    {"a scene's node is a child",
     "{" ASSET ",'scenes':[{'nodes':[1]}],'nodes':[{'children':[1]},{}]}", GZ_OK,
     "scenes[0].nodes[0]: node 1 must be a root"},
    {"a root twice", "{" ASSET ",'scenes':[{'nodes':[0,0]}],'nodes':[{}]}", GZ_OK,
     "node 0 is listed twice"},

    {"two numbers", NODES("{'translation':[0,0]}"), GZ_OK,
     "nodes[0].translation: has 2 elements, must have 3"},
    {"four scales", NODES("{'scale':[1,1,1,1]}"), GZ_OK, "nodes[0].scale: has 4 elements"},
    {"a word in a rotation", NODES("{'rotation':[0,0,0,'1']}"), GZ_OK,
     "nodes[0].rotation[3]: must be a number"},
    {"a translation is null", NODES("{'translation':null}"), GZ_OK,
     "nodes[0].translation: must be a list"},
    {"15 in a matrix", NODES("{'matrix':[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0]}"), GZ_OK,
     "nodes[0].matrix: has 15"},
    {"matrix and TRS", NODES("{'matrix':[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1],'scale':[1,1,1]}"), GZ_OK,
     "nodes[0]: has a matrix and"},
    {"a projective matrix", NODES("{},{'matrix':[1,0,0,0.5,0,1,0,0,0,0,1,0,0,0,0,1]}"), GZ_OK,
     "nodes[1].matrix: its last row"},
    {"a tiny scale", NODES("{'scale':[1,1e-16,1]}"), GZ_OK, "nodes[0]: the scale 1e-16"},
    {"a huge scale", NODES("{'scale':[1,1,-1e16]}"), GZ_OK, "nodes[0]: the scale -1e+16"},
    {"a huge translation", NODES("{'translation':[0,1.1e15,0]}"), GZ_OK,
     "nodes[0]: the translation 1.1e+15"},
    {"a zero rotation", NODES("{'rotation':[0,0,0,0]}"), GZ_OK,
     "nodes[0].rotation: is zero, and is taken as none"},

    {"extensions is a list", NODES("{'extensions':[]}"), GZ_OK,
     "nodes[0].extensions: must be an object"},
    {"a mesh without primitives", "{" ASSET ",'meshes':[{}]}", GZ_OK,
     "meshes[0].primitives: missing"},
    {"a primitive without attributes", "{" ASSET ",'meshes':[{'primitives':[{}]}]}", GZ_OK,
     "meshes[0].primitives[0].attributes: missing"},
    {"attribute out of range",
     "{" ASSET ",'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}]}", GZ_OK,
     "meshes[0].primitives[0].attributes.POSITION: is 0"},
    {"mode 7", "{" ASSET ",'meshes':[{'primitives':[{'attributes':{},'mode':7}]}]}", GZ_OK,
     "meshes[0].primitives[0].mode: is 7, must be an integer from 0 to 6"},
    {"a joint out of range", "{" ASSET ",'skins':[{'joints':[1]}],'nodes':[{}]}", GZ_OK,
     "skins[0].joints[0]"},
    {"an image that is not embedded", "{" ASSET ",'images':[{'uri':'a.png'}]}", GZ_OK,
     "images[0].uri: names the file a.png, which"},
    {"an image of nothing", "{" ASSET ",'images':[{}]}", GZ_OK,
     "images[0]: has neither a uri nor a bufferView"},
    {"an image that is no base64", "{" ASSET ",'images':[{'uri':'data:image/png;base64,@'}]}",
     GZ_OK, "images[0].uri: not a data URI that can be read"},
    {"an image without bytes", "{" ASSET ",'images':[{'uri':'data:image/png;base64,'}]}", GZ_OK,
     "images[0]: is empty"},
    {"an image that is a text", "{" ASSET ",'images':[{},{'uri':'data:image/png,hello'}]}", GZ_OK,
     "images[1]: is no picture of a known kind"},
    {"a PNG that is cut off", "{" ASSET ",'images':[{'uri':'data:image/png;base64,iVBORw0KGgo='}]}",
     GZ_OK, "images[0]: is cut off"},
    {"a JPEG that is cut off", "{" ASSET ",'images':[{'uri':'data:,%FF%D8%FF%E0%00'}]}", GZ_OK,
     "images[0]: is cut off"},
    {"a WebP that is cut off", "{" ASSET ",'images':[{'uri':'data:,RIFF%10%00%00%00WEBPVP8 '}]}",
     GZ_OK, "images[0]: is cut off"},
    {"an image in a view",
     "{" ASSET "," VIEWS "," BUFFERS ",'images':[{'bufferView':1,'mimeType':'image/png'}]}", GZ_OK,
     "images[0]: is no picture of a known kind"},

    {"a buffer elsewhere",
     TRIANGLE(MESHES, INDICES "," POSITIONS, VIEWS, "'buffers':[{'byteLength':48,'uri':'a.bin'}]"),
     GZ_OK, "buffers[0].uri: names the file a.bin, which"},
    {"a buffer nowhere",
     TRIANGLE(MESHES, INDICES "," POSITIONS, VIEWS, "'buffers':[{'byteLength':48}]"), GZ_OK,
     "buffers[0]: has no uri"},
    {"plain text that is too short",
     TRIANGLE(MESHES, INDICES "," POSITIONS, VIEWS,
              "'buffers':[{'byteLength':48,'uri':'data:,AAAA'}]"),
     GZ_OK, "buffers[0].byteLength: is 48, but only 4 bytes"},
    {"bad base64",
     TRIANGLE(MESHES, INDICES "," POSITIONS, VIEWS,
              "'buffers':[{'byteLength':3,'uri':'data:;base64,AA*A'}]"),
     GZ_OK, "buffers[0].uri: not a data URI that can be read"},
    {"base64 of a length that none has",
     TRIANGLE(MESHES, INDICES "," POSITIONS, VIEWS,
              "'buffers':[{'byteLength':3,'uri':'data:;base64,AAAAA'}]"),
     GZ_OK, "buffers[0].uri: not a data URI that can be read"},
    {"base64 padded to a length that none has",
     TRIANGLE(MESHES, INDICES "," POSITIONS, VIEWS,
              "'buffers':[{'byteLength':1,'uri':'data:;base64,AA='}]"),
     GZ_OK, "buffers[0].uri: not a data URI that can be read"},
    {"a short buffer",
     TRIANGLE(MESHES, INDICES "," POSITIONS, VIEWS,
              "'buffers':[{'byteLength':48,'uri':'data:;base64,AAAA'}]"),
     GZ_OK, "buffers[0].byteLength: is 48, but only 3 bytes"},
    {"a buffer of nothing",
     TRIANGLE(MESHES, INDICES "," POSITIONS, VIEWS, "'buffers':[{'byteLength':0}]"), GZ_OK,
     "buffers[0].byteLength: is 0"},
    {"a view past its buffer",
     TRIANGLE(
         MESHES, INDICES "," POSITIONS,
         "'bufferViews':[{'buffer':0,'byteLength':6},{'buffer':0,'byteOffset':13,'byteLength':36}]",
         BUFFERS),
     GZ_OK, "bufferViews[1]: bytes 13 to 49 of a buffer of 48"},
    {"a view past a length that is less than the bytes",
     TRIANGLE(MESHES, INDICES "," POSITIONS, VIEWS,
              "'buffers':[{'byteLength':43,'uri':'data:application/octet-stream;base64," BYTES
              "'}]"),
     GZ_OK, "bufferViews[1]: bytes 8 to 44 of a buffer of 43"},
    {"a view of no buffer",
     TRIANGLE(MESHES, INDICES "," POSITIONS,
              "'bufferViews':[{'buffer':1,'byteLength':6},{'buffer':0,'byteLength':36}]", BUFFERS),
     GZ_OK, "bufferViews[0].buffer: is 1"},
    {"a view at 2^53",
     TRIANGLE(MESHES, INDICES "," POSITIONS,
              "'bufferViews':[{'buffer':0,'byteOffset':9007199254740992,'byteLength':"
              "9007199254740992},{'buffer':0,'"
              "byteLength':36}]",
              BUFFERS),
     GZ_OK, "bufferViews[0]: bytes"},
    {"a stride of 3",
     TRIANGLE(
         MESHES, INDICES "," POSITIONS,
         "'bufferViews':[{'buffer':0,'byteLength':6,'byteStride':3},{'buffer':0,'byteLength':36}]",
         BUFFERS),
     GZ_OK, "bufferViews[0].byteStride: is 3"},
    {"a stride below the element",
     TRIANGLE(MESHES, INDICES "," POSITIONS,
              "'bufferViews':[{'buffer':0,'byteLength':6},{'buffer':0,'byteOffset':8,'byteLength':"
              "36,'byteStride':8}]",
              BUFFERS),
     GZ_OK, "bufferViews[1].byteStride: is 8"},
    {"count past the view",
     ACCESSORS("{'bufferView':0,'componentType':5123,'count':4,'type':'SCALAR'}," POSITIONS), GZ_OK,
     "accessors[0]: 4 elements from byte 0 pass bufferViews[0]"},
    {"count 2^53",
     ACCESSORS("{'bufferView':0,'componentType':5123,'count':9007199254740992,'type':'SCALAR'}"
               "," POSITIONS),
     GZ_OK, "accessors[0]: 9007199254740992 elements"},
    {"count 0",
     ACCESSORS("{'bufferView':0,'componentType':5123,'count':0,'type':'SCALAR'}," POSITIONS), GZ_OK,
     "accessors[0].count: is 0"},
    {"offset past the view",
     ACCESSORS("{'bufferView':0,'byteOffset':2,'componentType':5123,'count':3,'type':'SCALAR'}"
               "," POSITIONS),
     GZ_OK, "accessors[0]: 3 elements from byte 2"},
    {"an odd offset",
     ACCESSORS("{'bufferView':0,'byteOffset':1,'componentType':5123,'count':2,'type':'SCALAR'}"
               "," POSITIONS),
     GZ_OK, "accessors[0]: must start at a multiple of 2 bytes"},
    {"component type 5124",
     ACCESSORS("{'componentType':5124,'count':3,'type':'SCALAR'}," POSITIONS), GZ_OK,
     "accessors[0].componentType: 5124 is not a type of glTF"},
    {"type VEC5", ACCESSORS("{'componentType':5123,'count':3,'type':'VEC5'}," POSITIONS), GZ_OK,
     "accessors[0].type: VEC5 is not a type of glTF"},
    {"a POSITION of two",
     ACCESSORS(INDICES ",{'bufferView':1,'componentType':5126,'count':3,'type':'VEC2','min':[0,0,0]"
                       ",'max':[1,1,0]}"),
     GZ_OK, "accessors[1].type: a POSITION must be VEC3"},
    {"float indices", ACCESSORS("{'componentType':5126,'count':3,'type':'SCALAR'}," POSITIONS),
     GZ_OK, "accessors[0]: vertex indices must be unsigned scalars"},
    {"an index past the vertices",
     ACCESSORS(INDICES ",{'bufferView':1,'componentType':5126,'count':2,'type':'VEC3','min':[0,0,0]"
                       ",'max':[1,1,0]}"),
     GZ_OK, "meshes[0].primitives[0].indices: vertex 2 is out of range, POSITION has 2"},
    {"attributes of unlike counts",
     TRIANGLE("'meshes':[{'primitives':[{'attributes':{'POSITION':1,'NORMAL':2}}]}]",
              INDICES "," POSITIONS ",{'componentType':5126,'count':4,'type':'VEC3'}", VIEWS,
              BUFFERS),
     GZ_OK, "meshes[0].primitives[0].attributes: 4 elements, where POSITION has 3, in NORMAL"},
    {"a matrix whose columns are padded",
     ACCESSORS(INDICES "," POSITIONS
                       ",{'bufferView':0,'componentType':5121,'count':1,'type':'MAT2'}"),
     GZ_OK, "accessors[2]: 1 elements from byte 0 pass bufferViews[0], which has 6"},
    {"sparse of more than there are",
     ACCESSORS(INDICES "," POSITIONS ",{'componentType':5126,'count':2,'type':'VEC3','sparse':{'"
                       "count':3,'indices':{'bufferView':"
                       "0,'componentType':5123},'values':{'bufferView':1}}}"),
     GZ_OK, "accessors[2].sparse: count must be at most"},
    {"sparse past its view",
     ACCESSORS(INDICES
               "," POSITIONS
               ",{'componentType':5126,'count':9,'type':'VEC3','sparse':{'count':4,'indices':{'"
               "bufferView':0,'componentType':5123},'values':{'bufferView':1}}}"),
     GZ_OK, "accessors[2].sparse.indices: 4 elements"},
    {"sparse values past their view",
     ACCESSORS(INDICES
               "," POSITIONS
               ",{'componentType':5126,'count':9,'type':'VEC3','sparse':{'count':3,'indices':{'"
               "bufferView':0,'componentType':5123},'values':{'bufferView':1,'byteOffset':4}}}"),
     GZ_OK, "accessors[2].sparse.values: 3 elements"},
    {"sparse without values",
     ACCESSORS(INDICES
               "," POSITIONS
               ",{'componentType':5126,'count':9,'type':'VEC3','sparse':{'count':3,'indices':{'"
               "bufferView':0,'componentType':5123}}}"),
     GZ_OK, "accessors[2].sparse.values: missing"},
};

static void assert_refused(const char *name, const void *bytes, size_t size, enum gz_status status,
                           const char *message)
{
    struct gz_import import;
    struct gz_error error = {0};
    enum gz_status got = gz_import_parse(&import, bytes, size, &error);
    if (got != status)
        fail_msg("%s: is %s (%s), not %s", name, gz_status_word(got), error.message,
                 gz_status_word(status));
    if (strstr(error.message, message) == NULL)
        fail_msg("%s: says \"%s\", not \"%s\"", name, error.message, message);
    assert_int_equal(error.status, status);
    assert_null(import.nodes);
    assert_int_equal(import.count, 0);
}

/* What is taken all the same says so. */
static void assert_flawed(const char *name, const void *bytes, size_t size, const char *message)
{
    struct gz_import import;
    struct gz_error error = {0};
    enum gz_status status = gz_import_parse(&import, bytes, size, &error);
    if (status != GZ_OK) fail_msg("%s: %s %s", name, gz_status_word(status), error.message);
    bool is_said = false;
    for (size_t i = 0; i < import.flaws.count && i < GZ_FLAWS_SAID_MAX; i++)
        is_said = is_said || strstr(import.flaws.said[i], message) != NULL;
    if (!is_said)
        fail_msg("%s: %zu flaws, \"%s\", not \"%s\"", name, import.flaws.count,
                 import.flaws.said[0], message);
    gz_import_finish(&import);
}

TEST(test_import_bad_file_names_the_place)
{
    for (size_t i = 0; i < sizeof bad_files / sizeof bad_files[0]; i++) {
        const struct bad *bad = &bad_files[i];
        char *json = from_quotes(bad->text);
        if (bad->status == GZ_OK)
            assert_flawed(bad->name, json, strlen(json), bad->message);
        else
            assert_refused(bad->name, json, strlen(json), bad->status, bad->message);
        free(json);
    }
}

/* Files that are not as they should be, in ways that cost nothing; the name of the first node. */
TEST(test_import_takes_what_nobody_needs)
{
    static const char *const files[][2] = {
        {"{'asset':{'version':'2.1','minVersion':2.1},'nodes':[{'name':'a'}]}", "a"},
        {"{" ASSET "," ASSET ",'nodes':[{'name':'b','name':'a'}]}", "a"},
        {NODES("{'name':'a\\u0000b'}"), "a\xEF\xBF\xBD"
                                        "b"},
        {NODES("{'name':'a','name\\u0000':'b'}"), "a"},
        {NODES("{'name':'\\ud800a\\uDC00\\ud83d\\ude00'}"), "\xEF\xBF\xBD"
                                                            "a\xEF\xBF\xBD\xF0\x9F\x98\x80"},
        {NODES("{'name':'\xC3(\xC0\xAF'}"), "\xEF\xBF\xBD(\xEF\xBF\xBD\xEF\xBF\xBD"},
        {NODES("{'n\\u0061me':'\\u0061\\/\\t'}"), "a/\t"},
        {NODES("{'name':'a','children':[],'extensions':{'A':{'extensions':{'C':1}}}}"), "a"},
        {"{" ASSET ",'nodes':[{'name':'a'}],'animations':[{'samplers':[],'channels':[{'sampler':0,"
         "'target':{}}]}],'scenes':[],'meshes':[],'buffers':[],'extras':{'n':[1e400,-0,1E5,"
         "18446744073709551615]}}",
         "a"},
        {"\xEF\xBB\xBF \r\n{" ASSET ",'nodes':[{'name':'a'}]}\n ", "a"},
        {"{" ASSET ",'nodes':[{'name':'a'}],'extensionsRequired':['KHR_materials_ior',"
         "'EXT_mesh_gpu_instancing','KHR_texture_basisu'],'images':[{'uri':'data:;base64,"
         "iVBORw0KGgoAAAAASUVORK5CYII='},{'uri':'data:,%FF%D8%FF%FF%D9'},"
         "{'uri':'data:,RIFF%04%00%00%00WEBP%00'},{'uri':'data:,GIF89a'},"
         "{'extensions':{'X_far':{}}}]}",
         "a"},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct gz_import import;
        import_quoted(&import, files[i][0]);
        assert_string_equal(import.nodes[0].name, files[i][1]);
        if (import.flaws.count != 0) fail_msg("file %zu: %s", i, import.flaws.said[0]);
        gz_import_finish(&import);
    }
}

/* The scale along what a matrix flattens is 0, and nothing else moves. */
TEST(test_import_zero_scales_are_kept)
{
    struct gz_import import;
    import_quoted(&import, NODES("{'scale':[0,0,0]},{'scale':[1,-0.0,2]},"
                                 "{'matrix':[0,2,0,0,-3,0,0,0,0,0,0,0,7,8,9,1]},"
                                 "{'matrix':[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1]},"
                                 "{'matrix':[1,2,2,0,2,4,4,0,0,0,0,0,0,0,0,1]}"));
    assert_int_equal(import.flaws.count, 0);
    const gz_vec3 none = {0, 0, 0};
    assert_memory_equal(&import.nodes[0].trs.s, &none, sizeof none);
    assert_true(import.nodes[1].trs.s.y == 0 && signbit(import.nodes[1].trs.s.y));
    const gz_trs flat = import.nodes[2].trs;
    assert_float_equal(flat.s.x, 2, 1e-14);
    assert_float_equal(flat.s.y, 3, 1e-14);
    assert_true(flat.s.z == 0 && flat.t.z == 9);
    assert_float_equal(flat.r.z, sqrt(0.5), 1e-15);
    assert_memory_equal(&import.nodes[3].trs.s, &none, sizeof none);
    assert_true(import.nodes[3].trs.r.w == 1); /* nothing is no reason to turn */
    assert_true(gz_trs_finite(&import.nodes[4].trs));
    assert_float_equal(import.nodes[4].trs.s.x, 3, 1e-14);
    assert_true(import.residual_max > 0.5); /* two columns of one direction are no TRS */
    gz_import_finish(&import);
}

TEST(test_import_triangle_has_its_bounds)
{
    struct gz_import import;
    import_quoted(&import, ACCESSORS(INDICES "," POSITIONS));
    assert_int_equal(import.count, 1);
    assert_true(import.nodes[0].has_bounds);
    const gz_box box = {{0, 0, 0}, {1, 1, 0}};
    assert_memory_equal(&import.nodes[0].bounds, &box, sizeof box);
    gz_import_finish(&import);
}

TEST(test_import_bounds_are_the_union_of_primitives)
{
    struct gz_import import;
    import_quoted(
        &import,
        "{" ASSET ",'nodes':[{'mesh':0},{'mesh':1},{'mesh':0},{}],"
        "'meshes':[{'primitives':[{'attributes':{'POSITION':0}},{'attributes':{'POSITION':1}}]},"
        "{'primitives':[{'attributes':{'NORMAL':0}}]}],'accessors':["
        "{'componentType':5126,'count':3,'type':'VEC3','min':[-1,0,2],'max':[1,0.5,3]},"
        "{'componentType':5126,'count':7,'type':'VEC3','min':[0,-4,2.5],'max':[5,0,2.75]}]}");
    const gz_box box = {{-1, -4, 2}, {5, 0.5, 3}};
    assert_memory_equal(&import.nodes[0].bounds, &box, sizeof box);
    assert_memory_equal(&import.nodes[2].bounds, &box, sizeof box);
    assert_false(import.nodes[1].has_bounds);
    assert_false(import.nodes[3].has_bounds);
    gz_import_finish(&import);
}

TEST(test_import_quantized_bounds_are_decoded)
{
    static const struct {
        int type;
        const char *normalized;
        double low, high;
        double decoded_low, decoded_high;
    } cases[] = {
        {5120, "true", -128, 127, -1, 1},
        {5120, "true", -127, 64, -1, 64 / 127.0},
        {5121, "true", 0, 51, 0, 0.2},
        {5122, "true", -32768, 32767, -1, 1},
        {5123, "true", 0, 13107, 0, 0.2},
        {5123, "false", 0, 13107, 0, 13107},
        {5122, "false", -32768, 100, -32768, 100},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[600];
        (void)snprintf(
            text, sizeof text,
            "{" ASSET ",'extensionsRequired':['KHR_mesh_quantization'],'nodes':[{'mesh':0}],"
            "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}],'accessors':[{'"
            "componentType':%d,"
            "'normalized':%s,'count':3,'type':'VEC3','min':[%g,%g,%g],'max':[%g,%g,%g]}]}",
            cases[i].type, cases[i].normalized, cases[i].low, cases[i].low, cases[i].low,
            cases[i].high, cases[i].high, cases[i].high);
        struct gz_import import;
        import_quoted(&import, text);
        assert_true(import.nodes[0].bounds.min.y == cases[i].decoded_low);
        assert_true(import.nodes[0].bounds.max.z == cases[i].decoded_high);
        gz_import_finish(&import);
    }
}

TEST(test_import_order_is_parents_first_siblings_as_listed)
{
    struct gz_import import;
    import_quoted(&import, "{" ASSET ",'scene':1,'scenes':[{'nodes':[6]},{'nodes':[4,0]}],'nodes':["
                           "{'children':[3,1]},{'children':[2]},{},{},{'children':[5]},{},{}]}");
    static const struct {
        uint32_t asset;
        int64_t parent;
    } expected[] = {{4, -1}, {5, 0}, {0, -1}, {3, 2}, {1, 2}, {2, 4}};
    assert_int_equal(import.count, sizeof expected / sizeof expected[0]);
    for (size_t i = 0; i < import.count; i++) {
        assert_int_equal(import.nodes[i].asset, expected[i].asset);
        assert_int_equal(import.nodes[i].parent, expected[i].parent);
    }
    gz_import_finish(&import);
}

TEST(test_import_scene_default_is_the_first_or_all_roots)
{
    static const struct {
        const char *text;
        size_t count;
    } cases[] = {
        {"{" ASSET ",'scenes':[{'nodes':[1]},{'nodes':[0,1]}],'nodes':[{},{}]}", 1},
        {"{" ASSET ",'scene':1,'scenes':[{'nodes':[1]},{'nodes':[0,1]}],'nodes':[{},{}]}", 2},
        {"{" ASSET ",'nodes':[{},{'children':[0]},{}]}", 3},
        {"{" ASSET ",'scenes':[],'nodes':[{},{}]}", 2},
        {"{" ASSET ",'scenes':[{}],'nodes':[{},{}]}", 0},
        {"{" ASSET "}", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gz_import import;
        import_quoted(&import, cases[i].text);
        assert_int_equal(import.count, cases[i].count);
        gz_import_finish(&import);
    }
}

/* What cannot hang where the file says hangs elsewhere: no node is lost for a link that is wrong.
 */
TEST(test_import_nodes_outlive_wrong_links)
{
    static const struct {
        const char *rest;
        const char *order; /* "asset<parent's place" of each node */
    } cases[] = {
        {"'nodes':[{'children':[0]}]", "0<-1 "},
        {"'nodes':[{'children':[1]},{'children':[0]}]", "0<-1 1<0 "},
        {"'nodes':[{'children':[1]},{},{'children':[0,3]},{'children':[2]}]", "2<-1 0<0 1<1 3<0 "},
        {"'nodes':[{},{'children':[2]},{'children':[1]}],'scenes':[{'nodes':[0]}]", "0<-1 "},
        {"'nodes':[{},{'children':[2]},{'children':[1]}],'scenes':[{'nodes':[2,0]}]",
         "2<-1 1<0 0<-1 "},
        {"'nodes':[{'children':[1]},{'children':[2]},{}],'scenes':[{'nodes':[1]}]", "1<-1 2<0 "},
        {"'nodes':[{'children':[1]},{}],'scenes':[{'nodes':[1,0]}]", "0<-1 1<0 "},
        {"'nodes':[{'children':[2]},{'children':[2]},{}],'scenes':[{'nodes':[1]}]", "1<-1 2<0 "},
        {"'nodes':[{'children':[0]},{'children':[1]},{'children':[0]}]", "1<-1 2<-1 0<1 "},
        {"'nodes':[{},{}],'scenes':[7,{'nodes':[0]}]", "0<-1 1<-1 "},
        {"'nodes':[{},{}],'scene':1,'scenes':[{'nodes':[0]},{'nodes':'all'}]", "0<-1 1<-1 "},
        {"'nodes':[{},{}],'scenes':[{'nodes':null}]", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gz_import import;
        char text[400], order[100] = "";
        (void)snprintf(text, sizeof text, "{" ASSET ",%s}", cases[i].rest);
        import_quoted(&import, text);
        for (size_t k = 0; k < import.count; k++)
            (void)snprintf(order + strlen(order), sizeof order - strlen(order), "%u<%d ",
                           (unsigned)import.nodes[k].asset, (int)import.nodes[k].parent);
        assert_string_equal(order, cases[i].order);
        gz_import_finish(&import);
    }
}

TEST(test_import_trs_is_taken_to_the_bit)
{
    struct gz_import import;
    import_quoted(
        &import,
        NODES("{'translation':[0.1,-2,3e-300],'rotation':[0,0.6,0,-0.8],'scale':[-1,2,0.3]},"
              "{'rotation':[0,0,3,4]},{'translation':[-0.0,0,0]}"));
    const gz_trs first = {{0.1, -2, 3e-300}, {0, 0.6, 0, -0.8}, {-1, 2, 0.3}};
    assert_true(gz_trs_same(&import.nodes[0].trs, &first));
    const gz_trs second = {{0, 0, 0}, {0, 0, 0.6, 0.8}, {1, 1, 1}};
    assert_true(gz_trs_same(&import.nodes[1].trs, &second));
    assert_true(signbit(import.nodes[2].trs.t.x));
    assert_int_equal(import.matrix_count, 0);
    gz_import_finish(&import);
}

TEST(test_import_matrix_becomes_trs_and_tells_what_is_lost)
{
    struct gz_import import;
    /* A quarter turn about z, scaled 2, 3, 4, then moved; and a shear of a half. */
    import_quoted(&import, NODES("{'matrix':[0,2,0,0,-3,0,0,0,0,0,4,0,7,8,9,1]}"));
    const gz_trs trs = import.nodes[0].trs;
    assert_true(trs.t.x == 7 && trs.t.y == 8 && trs.t.z == 9);
    assert_float_equal(trs.r.z, sqrt(0.5), 1e-15);
    assert_float_equal(trs.r.w, sqrt(0.5), 1e-15);
    assert_float_equal(trs.s.x, 2, 1e-14);
    assert_float_equal(trs.s.y, 3, 1e-14);
    assert_float_equal(trs.s.z, 4, 1e-14);
    assert_int_equal(import.matrix_count, 1);
    assert_true(import.residual_max < 1e-15);
    gz_import_finish(&import);
    import_quoted(&import, NODES("{'matrix':[1,0,0,0,0.5,1,0,0,0,0,1,0,0,0,0,1]},{'matrix':[1,0,0,"
                                 "0,0,1,0,0,0,0,1,0,0,0,0,1]}"));
    assert_int_equal(import.matrix_count, 2);
    assert_true(import.residual_max > 0.1 && import.residual_max < 0.3);
    gz_import_finish(&import);
}

TEST(test_import_name_absent_is_made_up_and_long_is_cut_at_a_character)
{
    char text[2000] = "{" ASSET ",'nodes':[{},{'name':''},{'name':'";
    for (int i = 0; i < 100; i++) strcat(text, "\xE2\x82\xAC");
    strcat(text, "'},{'name':'two\\nlines'}]}");
    struct gz_import import;
    import_quoted(&import, text);
    assert_string_equal(import.nodes[0].name, "node 0");
    assert_string_equal(import.nodes[1].name, "node 1");
    assert_int_equal(strlen(import.nodes[2].name), 255);
    assert_string_equal(import.nodes[3].name, "two\nlines");
    gz_import_finish(&import);
}

TEST(test_import_extras_are_nobodys_business)
{
    struct gz_import import;
    import_quoted(&import,
                  NODES("{'extras':{'extensions':1,'mesh':'none'},'name':'a'},{'extras':3}"));
    assert_int_equal(import.count, 2);
    gz_import_finish(&import);
}

/* Sparse values take the place of some of the bytes: what those say is not known to be used. */
TEST(test_import_sparse_indices_are_not_looked_at)
{
    struct gz_import import;
    import_quoted(
        &import,
        ACCESSORS(
            "{'bufferView':0,'componentType':5123,'count':3,'type':'SCALAR','sparse':{'count':1,"
            "'indices':{'bufferView':1,'componentType':5121},'values':{'bufferView':0}}},"
            "{'componentType':5126,'count':2,'type':'VEC3','min':[0,0,0],'max':[1,1,0]}"));
    assert_int_equal(import.count, 1);
    gz_import_finish(&import);
}

TEST(test_import_unknown_required_extension_keeps_the_transforms)
{
    struct gz_import import;
    import_quoted(&import, "{" ASSET ",'extensionsUsed':['X_none'],'extensionsRequired':['X_none'],"
                           "'nodes':[{'translation':[1,2,3],'extensions':{'X_none':{'a':[1]}}}]}");
    assert_true(import.nodes[0].trs.t.z == 3);
    gz_import_finish(&import);
}

TEST(test_import_indices_in_reach_of_each_width)
{
    static const struct {
        int type;
        uint8_t bytes[12];
        size_t size;
        const char *message; /* NULL: fine */
    } cases[] = {
        {5121, {0, 1, 2}, 3, NULL},
        {5121, {0, 3, 2}, 3, "vertex 3"},
        {5123, {0, 0, 1, 0, 2, 0}, 6, NULL},
        {5123, {0, 0, 1, 1, 2, 0}, 6, "vertex 257"},
        {5125, {0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0}, 12, NULL},
        {5125, {0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0xFF}, 12, "vertex 4278190082"},
        {5125, {0, 0, 1, 0, 1, 0, 0, 0, 2, 0, 0, 0}, 12, "vertex 65536"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[700];
        (void)snprintf(
            text, sizeof text,
            "{" ASSET
            ",'buffers':[{'byteLength':%zu}],'bufferViews':[{'buffer':0,'byteLength':%zu}],"
            "'accessors':[{'bufferView':0,'componentType':%d,'count':3,'type':'SCALAR'},"
            "{'componentType':5126,'count':3,'type':'VEC3','min':[0,0,0],'max':[1,1,0]}],"
            "'meshes':[{'primitives':[{'attributes':{'POSITION':1},'indices':0}]}]}",
            cases[i].size, cases[i].size, cases[i].type);
        char *json = from_quotes(text);
        size_t size;
        uint8_t *glb = make_glb(json, cases[i].bytes, cases[i].size, &size);
        struct gz_import import;
        if (cases[i].message != NULL) {
            assert_flawed("indices", glb, size, cases[i].message);
        } else {
            import_bytes(&import, glb, size);
            gz_import_finish(&import);
        }
        free(glb);
        free(json);
    }
}

/* ---- Limits ---- */

static char *make_chain(size_t count)
{
    char *text = malloc(100 + count * 40);
    assert_non_null(text);
    size_t used = (size_t)sprintf(text, "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[");
    for (size_t i = 0; i + 1 < count; i++)
        used += (size_t)sprintf(text + used, "{\"children\":[%zu]},", i + 1);
    (void)sprintf(text + used, "{}]}");
    return text;
}

TEST(test_import_depth_at_the_limit_and_one_past_it)
{
    struct gz_import import;
    char *chain = make_chain(GZ_TREE_DEPTH_MAX);
    import_bytes(&import, chain, strlen(chain));
    assert_int_equal(import.count, GZ_TREE_DEPTH_MAX);
    gz_import_finish(&import);
    free(chain);
    chain = make_chain(GZ_TREE_DEPTH_MAX + 1);
    assert_refused("deep", chain, strlen(chain), GZ_TOO_LARGE,
                   "nodes[256]: the hierarchy may be at most 256 deep");
    free(chain);
}

static char *make_nodes(size_t count)
{
    char *text = malloc(100 + count * 3);
    assert_non_null(text);
    size_t used = (size_t)sprintf(text, "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[");
    for (size_t i = 1; i < count; i++, used += 3) memcpy(text + used, "{},", 3);
    (void)sprintf(text + used, "{}]}");
    return text;
}

TEST(test_import_nodes_at_the_limit_and_one_past_it)
{
    struct gz_import import;
    char *text = make_nodes(GZ_NODES_MAX);
    import_bytes(&import, text, strlen(text));
    assert_int_equal(import.count, GZ_NODES_MAX);
    assert_string_equal(import.nodes[99999].name, "node 99999");
    gz_import_finish(&import);
    free(text);
    text = make_nodes(GZ_NODES_MAX + 1);
    assert_refused("many", text, strlen(text), GZ_TOO_MANY, "at most 100000");
    free(text);
}

TEST(test_import_json_bombs_are_refused)
{
    size_t depth = 100000;
    char *text = malloc(2 * depth);
    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    assert_refused("deep lists", text, 2 * depth, GZ_BAD_MESSAGE, "too deep inside each other");
    free(text);
    size_t size = 2 * ((size_t)GZ_ASSET_VALUES_MAX + 2);
    text = malloc(size);
    for (size_t i = 0; i < size; i += 2) memcpy(text + i, "0,", 2);
    text[0] = '[';
    assert_refused("many values", text, size, GZ_TOO_LARGE,
                   "JSON: a file may have at most 4000000 values");
    free(text);
}

TEST(test_import_brackets_in_strings_are_no_values)
{
    size_t filler = (size_t)GZ_ASSET_VALUES_MAX + 10;
    char *text = malloc(filler + 200);
    size_t used = (size_t)sprintf(text, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"\\\"");
    memset(text + used, ',', filler);
    (void)sprintf(text + used + filler, "\"}}");
    struct gz_import import;
    import_bytes(&import, text, strlen(text));
    gz_import_finish(&import);
    free(text);
}

/* Accessors that share their bytes: the file is small, the indices to look at are not. */
TEST(test_import_shared_indices_have_a_budget)
{
    size_t bytes = 4 << 20, accessors = 70;
    char *text = malloc(40000);
    size_t used = (size_t)sprintf(
        text,
        "{'asset':{'version':'2.0'},'buffers':[{'byteLength':%zu}],'bufferViews':["
        "{'buffer':0,'byteLength':%zu}],'accessors':[{'componentType':5126,'count':1,"
        "'type':'VEC3','min':[0,0,0],'max':[0,0,0]}",
        bytes, bytes);
    for (size_t i = 0; i < accessors; i++) {
        used += (size_t)sprintf(
            text + used, ",{'bufferView':0,'componentType':5121,'count':%zu,'type':'SCALAR'}",
            bytes);
    }
    used += (size_t)sprintf(text + used, "],'meshes':[{'primitives':[");
    for (size_t i = 0; i < accessors; i++) {
        used += (size_t)sprintf(text + used, "%s{'attributes':{'POSITION':0},'indices':%zu}",
                                i > 0 ? "," : "", i + 1);
    }
    (void)sprintf(text + used, "]}]}");
    char *json = from_quotes(text);
    uint8_t *zeros = calloc(bytes, 1);
    size_t size;
    uint8_t *glb = make_glb(json, zeros, bytes, &size);
    assert_flawed("shared indices", glb, size, "elements in one file");
    free(glb);
    free(zeros);
    free(json);
    free(text);
}

/* ---- The container ---- */

/* A length that is less leaves out what is behind it: bytes, or the whole BIN chunk. */
TEST(test_glb_header_each_byte_wrong_is_refused_or_told)
{
    for (size_t i = 0; i < 20; i++) {
        for (int bit = 0; bit < 8; bit++) {
            uint8_t *copy = malloc(gz_sample_glb_size);
            memcpy(copy, gz_sample_glb, gz_sample_glb_size);
            copy[i] ^= (uint8_t)(1 << bit);
            bool is_less = i >= 8 && i < 12 && copy[i] < gz_sample_glb[i];
            enum gz_status status = i >= 4 && i < 8 ? GZ_VERSION : GZ_BAD_MESSAGE;
            if (is_less)
                assert_flawed("length", copy, gz_sample_glb_size, "GLB: the header says");
            else
                assert_refused("header", copy, gz_sample_glb_size, status,
                               i < 4 || i >= 12 ? "" : "GLB");
            free(copy);
        }
    }
}

/* On the heap and of the exact size, so that a read past the end is seen. */
TEST(test_glb_cut_anywhere_is_refused)
{
    size_t step = 1;
    for (size_t size = 0; size < gz_sample_glb_size; size += step) {
        uint8_t *copy = malloc(size > 0 ? size : 1);
        memcpy(copy, gz_sample_glb, size);
        assert_refused("cut", copy, size, GZ_BAD_MESSAGE, "");
        /* With a length that fits, what is inside has to be seen to be missing. */
        if (size >= 12) {
            for (int i = 0; i < 4; i++) copy[8 + i] = (uint8_t)(size >> 8 * i);
            struct gz_import import;
            assert_int_not_equal(gz_import_parse(&import, copy, size, NULL), GZ_OK);
        }
        free(copy);
        if (size > 200) step = 997;
    }
}

TEST(test_glb_chunks_out_of_form_are_refused)
{
    static const struct {
        const char *name;
        uint8_t bytes[40];
        size_t size;
        const char *message;
    } cases[] = {
        {"no chunk", "glTF\2\0\0\0\x0C\0\0", 12, "chunk's header is cut off"},
        {"half a chunk header", "glTF\2\0\0\0\x10\0\0\0\4\0\0", 16, "chunk's header is cut off"},
        {"no JSON chunk", "glTF\2\0\0\0\x18\0\0\0\4\0\0\0BIN\0{}  ", 24, "header is cut off"},
        {"a byte too few", "glTF\2\0\0\0\x18\0\0\0\x08\0\0\0JSON{}  ", 24,
         "8 bytes, but only 4 are left"},
        {"a chunk of 4 GiB", "glTF\2\0\0\0\x18\0\0\0\xFC\xFF\xFF\xFFJSON{}  ", 24,
         "4294967292 bytes, but only 4 are left"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_refused(cases[i].name, cases[i].bytes, cases[i].size, GZ_BAD_MESSAGE,
                       cases[i].message);
    }
}

/* Chunks as they should not be. J: JSON, j: JSON padded with NULs, B: BIN, b: BIN without padding,
 * X: of another type. */
static const struct chunks {
    const char *name, *order;
    size_t behind, beyond; /* bytes behind the last chunk, and behind the declared length */
    size_t flaws;
} chunk_cases[] = {
    {"JSON alone without padding", "J", 0, 0, 0},
    {"NULs for blanks", "jB", 0, 0, 0},
    {"no padding at all", "Jb", 0, 0, 0},
    {"BIN first", "BJ", 0, 0, 0},
    {"BIN last", "JXB", 0, 0, 0},
    {"another first", "XjB", 0, 0, 0},
    {"two of them", "JBBX", 0, 0, 0},
    {"three bytes behind", "JB", 3, 0, 1},
    {"beyond the length", "JB", 0, 4, 1},
    {"much beyond", "JBX", 0, 1000, 1},
};

static size_t make_chunks(const struct chunks *chunks, uint8_t file[2000])
{
    static const char json[] = "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{}],\"buffers\":["
                               "{\"byteLength\":3,\"name\":\"ab\"}]}"; /* no multiple of 4 */
    const uint32_t size = sizeof json - 1;
    size_t used = 12;
    assert_int_not_equal(size % 4, 0);
    memset(file, 0, 2000);
    memcpy(file, "glTF\2", 5);
    for (const char *c = chunks->order; *c != '\0'; c++) {
        bool is_json = *c == 'J' || *c == 'j';
        uint32_t length = *c == 'J' ? size : *c == 'j' ? (size + 3) / 4 * 4 : *c == 'b' ? 3 : 4;
        memcpy(file + used, &length, 4);
        memcpy(file + used + 4, is_json ? "JSON" : *c == 'X' ? "XTRA" : "BIN", 4);
        memcpy(file + used + 8, is_json ? json : "abc", is_json ? size : 3);
        used += 8 + length;
    }
    uint32_t declared = (uint32_t)(used + chunks->behind);
    memcpy(file + 8, &declared, 4);
    return declared + chunks->beyond;
}

/* Writes the chunks as letters; all must be whole, padded and nothing behind them. */
static void read_chunks(const struct gz_buffer *out, char letters[16])
{
    uint32_t length;
    memcpy(&length, out->data + 8, 4);
    assert_int_equal(length, out->size);
    for (size_t at = 12; at < out->size; at += 8 + length) {
        assert_true(at + 8 <= out->size);
        memcpy(&length, out->data + at, 4);
        assert_int_equal(length % 4, 0);
        *letters = (char)out->data[at + 4];
        if (*letters++ != 'J') assert_memory_equal(out->data + at + 8, "abc", 4);
    }
    *letters = '\0';
}

/* They come back well-formed from an export, the JSON first, the others in their order. */
TEST(test_glb_json_may_be_padded_with_anything_blank)
{
    static const char text[] = "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{}]} \0\0 \n\0 ";
    struct gz_import import;
    import_bytes(&import, (const uint8_t *)text, sizeof text); /* the last NUL included */
    assert_int_equal(import.count, 1);
    gz_import_finish(&import);
}

/* Some programs write null for what is not there. */
TEST(test_glb_with_a_null_uri_has_its_chunk)
{
    const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    struct gz_import import;
    size_t size;
    char *json = from_quotes("{" ASSET ",'nodes':[{'mesh':0}],'meshes':[{'primitives':[{"
                             "'attributes':{'POSITION':0}}]}],'accessors':[{'bufferView':0,"
                             "'componentType':5126,'count':3,'type':'VEC3'}],'bufferViews':[{"
                             "'buffer':0,'byteLength':36}],'buffers':[{'byteLength':36,"
                             "'uri':null}]}");
    uint8_t *glb = make_glb(json, corners, sizeof corners, &size);
    import_bytes(&import, glb, size);
    assert_true(import.nodes[0].has_bounds);
    assert_non_null(import.surfaces);
    gz_import_finish(&import);
    free(glb);
    free(json);
}

TEST(test_glb_chunks_in_any_order_are_taken)
{
    for (size_t i = 0; i < sizeof chunk_cases / sizeof chunk_cases[0]; i++) {
        const struct chunks *chunks = &chunk_cases[i];
        uint8_t file[2000];
        size_t size = make_chunks(chunks, file);
        struct gz_import import;
        import_bytes(&import, file, size);
        bool has_bin = strpbrk(chunks->order, "Bb") != NULL;
        if (import.flaws.count != chunks->flaws + !has_bin)
            fail_msg("%s: %zu flaws, %s", chunks->name, import.flaws.count, import.flaws.said[0]);
        struct gz_export_node *nodes = same_nodes(&import);
        struct gz_buffer out;
        gz_buffer_init(&out, 10000, 0);
        assert_int_equal(gz_export_write(&out, &(struct gz_export_file){0, file, size}, size > 0,
                                         nodes, 1, false, NULL, NULL),
                         GZ_OK);
        char wanted[16] = "J", letters[16];
        for (const char *c = chunks->order; *c != '\0'; c++)
            if (*c != 'J' && *c != 'j') strncat(wanted, *c == 'X' ? "X" : "B", 2);
        read_chunks(&out, letters);
        assert_string_equal(letters, wanted);
        gz_buffer_finish(&out);
        free(nodes);
        gz_import_finish(&import);
    }
}

TEST(test_glb_buffer_longer_than_its_chunk_is_told)
{
    char *json = from_quotes("{" ASSET ",'buffers':[{'byteLength':9}]}");
    size_t size;
    uint8_t *glb = make_glb(json, "12345678", 8, &size);
    assert_flawed("short BIN", glb, size, "buffers[0].byteLength: is 9, but only 8 bytes");
    free(glb);
    glb = make_glb(json, NULL, 0, &size);
    assert_flawed("no BIN", glb, size, "buffers[0]: has no uri");
    free(glb);
    free(json);
}

TEST(test_import_too_large_is_refused_unread)
{
    assert_refused("large", gz_sample_glb, (size_t)GZ_ASSET_BYTES_MAX + 1, GZ_TOO_LARGE,
                   "at most 268435456");
}

TEST(test_media_type_is_told_by_the_first_bytes)
{
    assert_string_equal(gz_gltf_media_type(gz_sample_glb, gz_sample_glb_size), "model/gltf-binary");
    assert_string_equal(gz_gltf_media_type((const uint8_t *)"{}", 2), "model/gltf+json");
    assert_string_equal(gz_gltf_media_type((const uint8_t *)"glT", 3), "model/gltf+json");
}

/* ---- The sample ---- */

TEST(test_sample_is_an_arm_with_a_hierarchy)
{
    struct gz_import import;
    import_bytes(&import, gz_sample_glb, gz_sample_glb_size);
    assert_int_equal(import.count, 16);
    int depth = 1;
    for (int64_t at = find_node(&import, "left pad")->parent; at >= 0; at = import.nodes[at].parent)
        depth++;
    assert_int_equal(depth, 12);
    for (size_t i = 0; i < import.count; i++) {
        assert_int_equal(import.nodes[i].has_bounds,
                         strcmp(import.nodes[i].name, "robot arm") != 0);
    }
    assert_string_equal(import.nodes[find_node(&import, "elbow")->parent].name, "upper arm");
    gz_import_finish(&import);
}

/* The header may hold anything, "solid " as well as nothing; the count of triangles has to fit the
 * length. */
TEST(test_binary_stl_is_known_by_its_length)
{
    uint8_t bytes[80 + 4 + 2 * 50] = {0};
    struct gz_import import;
    struct gz_error error;
    bytes[80] = 2;
    for (size_t missing = 0; missing < 2; missing++) {
        assert_int_equal(gz_import_parse(&import, bytes, sizeof bytes - missing, &error),
                         GZ_BAD_MESSAGE);
        bool is_stl =
            strstr(error.message, "this looks like an STL file; gizmod imports glTF 2.0") != NULL;
        assert_int_equal(is_stl, missing == 0);
    }
}
