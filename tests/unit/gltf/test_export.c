/* test_export.c - what is exported is what was imported, with the transforms as they are now. */
#include "files.h"
#include "server/maxima.h"

#include <math.h>
#include <stdio.h>

#define ASSET "'asset':{'version':'2.0'}"
#define ENGINE MODELS "/glTF2/2CylinderEngine-glTF-Binary/2CylinderEngine.glb"

static void export_bytes(struct gz_buffer *out, const void *asset, size_t size,
                         const struct gz_export_node *nodes, size_t count)
{
    struct gz_error error = {0};
    gz_buffer_init(out, GZ_ASSET_BYTES_MAX, 0);
    if (gz_export_write(out, &(struct gz_export_file){0, asset, size}, size > 0, nodes, count,
                        false, NULL, &error) != GZ_OK)
        fail_msg("%s", error.message);
}

static void assert_same_import(const struct gz_import *a, const struct gz_import *b)
{
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        assert_int_equal(a->nodes[i].asset, b->nodes[i].asset);
        assert_int_equal(a->nodes[i].parent, b->nodes[i].parent);
        assert_string_equal(a->nodes[i].name, b->nodes[i].name);
        assert_true(gz_trs_same(&a->nodes[i].trs, &b->nodes[i].trs));
        assert_int_equal(a->nodes[i].has_bounds, b->nodes[i].has_bounds);
        assert_memory_equal(&a->nodes[i].bounds, &b->nodes[i].bounds, sizeof a->nodes[i].bounds);
    }
    assert_int_equal(a->matrix_count, b->matrix_count);
    assert_true(a->residual_max == b->residual_max);
}

/* Exported as it was imported, a file says the same to the last bit, and its other chunks are the
 * same bytes. */
static void check_round_trip(const uint8_t *bytes, size_t size)
{
    struct gz_import before, after;
    struct gz_buffer out;
    const uint8_t *bin[2];
    size_t bin_size[2];
    import_bytes(&before, bytes, size);
    struct gz_export_node *nodes = same_nodes(&before);
    export_bytes(&out, bytes, size, nodes, before.count);
    import_bytes(&after, out.data, out.size);
    assert_same_import(&before, &after);
    json_t *old = split_glb(bytes, size, &bin[0], &bin_size[0]);
    json_t *new = split_glb(out.data, out.size, &bin[1], &bin_size[1]);
    assert_true(json_equal(old, new));
    assert_int_equal(bin_size[0], bin_size[1]);
    assert_memory_equal(bin[0], bin[1], bin_size[0]);
    json_decref(old);
    json_decref(new);
    gz_import_finish(&before);
    gz_import_finish(&after);
    gz_buffer_finish(&out);
    free(nodes);
}

TEST(test_export_unchanged_sample_says_the_same)
{
    check_round_trip(gz_sample_glb, gz_sample_glb_size);
}

TEST(test_export_unchanged_engine_says_the_same)
{
    require_models();
    size_t size;
    uint8_t *bytes = read_bytes(ENGINE, &size);
    check_round_trip(bytes, size);
    free(bytes);
}

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 11;
}

static double random_number(uint64_t *seed)
{
    return ((double)next_random(seed) / 4503599627370496.0 - 1) *
           pow(10, (double)(next_random(seed) % 17) - 8);
}

/* Whatever a TRS is, it comes back with the same bits: 2000 of them, over many magnitudes. */
TEST(test_export_changed_trs_comes_back_to_the_bit)
{
    uint64_t seed = 42;
    for (int round = 0; round < 125; round++) {
        struct gz_import before, after;
        struct gz_buffer out;
        import_bytes(&before, gz_sample_glb, gz_sample_glb_size);
        struct gz_export_node *nodes = same_nodes(&before);
        for (size_t i = 0; i < before.count; i++) {
            gz_quat q = {random_number(&seed), random_number(&seed), random_number(&seed),
                         random_number(&seed)};
            nodes[i].trs.t = (gz_vec3){random_number(&seed), -0.0, random_number(&seed)};
            nodes[i].trs.s = (gz_vec3){random_number(&seed), random_number(&seed), 1};
            assert_true(gz_quat_normalize(q, &nodes[i].trs.r));
        }
        export_bytes(&out, gz_sample_glb, gz_sample_glb_size, nodes, before.count);
        import_bytes(&after, out.data, out.size);
        for (size_t i = 0; i < before.count; i++)
            assert_true(gz_trs_same(&after.nodes[i].trs, &nodes[i].trs));
        gz_import_finish(&before);
        gz_import_finish(&after);
        gz_buffer_finish(&out);
        free(nodes);
    }
}

/* What is exported from `text` with `nodes`, as JSON. */
static json_t *export_quoted(const char *text, const struct gz_export_node *nodes, size_t count)
{
    char *json = from_quotes(text);
    struct gz_buffer out;
    export_bytes(&out, json, strlen(json), nodes, count);
    json_t *result = json_loadb((const char *)out.data, out.size, 0, NULL);
    assert_non_null(result);
    struct gz_import again;
    import_bytes(&again, out.data, out.size);
    assert_int_equal(again.count, count);
    gz_import_finish(&again);
    gz_buffer_finish(&out);
    free(json);
    return result;
}

static void assert_json(const json_t *got, const char *expected)
{
    char *quoted = from_quotes(expected);
    json_t *wanted = json_loads(quoted, JSON_DECODE_ANY, NULL);
    assert_non_null(wanted);
    char *text = json_dumps(got, JSON_ENCODE_ANY | JSON_COMPACT);
    if (!json_equal(got, wanted)) fail_msg("is %s, not %s", text, quoted);
    free(text);
    json_decref(wanted);
    free(quoted);
}

#define TREE                                                                                       \
    "{" ASSET ",'scene':1,'scenes':[{'nodes':[0,4],'name':'other'},{'nodes':[0,3]}],'nodes':["     \
    "{'name':'a','children':[1,2],'matrix':[1,0,0,0,0,1,0,0,0,0,1,0,5,0,0,1]},{'name':'b','scale'" \
    ":[2,2,2]},"                                                                                   \
    "{'name':'c'},{'name':'d'},{'name':'e','translation':[9,9,9]}],'extras':{'n':[1.5,'"           \
    "\xE2\x82\xAC']},"                                                                             \
    "'extensions':{'X':{'y':null}},'unknown':[true]}"

static const gz_trs a_trs = {{5, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
static const gz_trs b_trs = {{0, 0, 0}, {0, 0, 0, 1}, {2, 2, 2}};
static const gz_trs one = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};

TEST(test_export_changes_only_what_changed)
{
    const gz_trs moved = {{1, 2, 0.1}, {0, 0, 0, 1}, {2, 2, 2}};
    const struct gz_export_node nodes[] = {{10, 0, 0, "a", a_trs},
                                           {11, 10, 1, "b", moved},
                                           {12, 10, 2, "see", one},
                                           {13, 0, 3, "d", one}};
    json_t *json = export_quoted(TREE, nodes, 4);
    assert_json(json,
                "{" ASSET
                ",'scene':1,'scenes':[{'nodes':[0,4],'name':'other'},{'nodes':[0,3]}],'nodes':["
                "{'name':'a','children':[1,2],'matrix':[1,0,0,0,0,1,0,0,0,0,1,0,5,0,0,1]},"
                "{'name':'b','translation':[1,2,0.1],'scale':[2,2,2]},{'name':'see'},{'"
                "name':'d'},"
                "{'name':'e','translation':[9,9,9]}],'extras':{'n':[1.5,'\xE2\x82\xAC']},"
                "'extensions':{'X':{'y':null}},'unknown':[true]}");
    json_decref(json);
}

TEST(test_export_moved_matrix_becomes_trs)
{
    const gz_trs moved = {{6, 0, 0}, {0, 0.6, 0, 0.8}, {1, 1, 1}};
    const struct gz_export_node nodes[] = {{10, 0, 0, "a", moved},
                                           {11, 10, 1, "b", b_trs},
                                           {12, 10, 2, "c", one},
                                           {13, 0, 3, "d", one}};
    json_t *json = export_quoted(TREE, nodes, 4);
    assert_json(json_array_get(json_object_get(json, "nodes"), 0),
                "{'name':'a','children':[1,2],'translation':[6,0,0],'rotation':[0,0.6,0,0.8]}");
    json_decref(json);
}

TEST(test_export_new_parents_and_new_nodes)
{
    /* c moves to the root, d under b, a new node between a and b; the list is in no order. */
    const struct gz_export_node nodes[] = {{13, 11, 3, "d", one},      {11, 77, 1, "b", b_trs},
                                           {77, 10, -1, "new", a_trs}, {12, 0, 2, "c", one},
                                           {78, 0, -1, "top", one},    {10, 0, 0, "a", a_trs}};
    json_t *json = export_quoted(TREE, nodes, 6);
    assert_json(json_object_get(json, "scenes"),
                "[{'nodes':[0,4],'name':'other'},{'nodes':[0,2,6]}]");
    assert_json(json_object_get(json, "nodes"),
                "[{'name':'a','children':[5],'matrix':[1,0,0,0,0,1,0,0,0,0,1,0,5,0,0,1]},"
                "{'name':'b','scale':[2,2,2],'children':[3]},{'name':'c'},{'name':'d'},"
                "{'name':'e','translation':[9,9,9]},{'name':'new','translation':[5,0,0],'"
                "children':[1]},"
                "{'name':'top'}]");
    json_decref(json);
}

TEST(test_export_deleted_nodes_leave_every_scene)
{
    /* a and b are gone, c was saved from under a. */
    const struct gz_export_node nodes[] = {{13, 0, 3, "d", one}, {12, 13, 2, "c", one}};
    json_t *json = export_quoted(TREE, nodes, 2);
    assert_json(json_object_get(json, "scenes"), "[{'nodes':[4],'name':'other'},{'nodes':[3]}]");
    assert_json(json_array_get(json_object_get(json, "nodes"), 0),
                "{'name':'a','children':[1],'matrix':[1,0,0,0,0,1,0,0,0,0,1,0,5,0,0,1]}");
    assert_json(json_array_get(json_object_get(json, "nodes"), 3), "{'name':'d','children':[2]}");
    json_decref(json);
}

TEST(test_export_all_deleted_is_a_scene_without_nodes)
{
    json_t *json = export_quoted(TREE, NULL, 0);
    assert_json(json_object_get(json, "scenes"), "[{'nodes':[4],'name':'other'},{}]");
    json_decref(json);
}

TEST(test_export_file_without_scenes_gets_one_only_to_leave_nodes_out)
{
    const char *text = "{" ASSET ",'nodes':[{'name':'a'},{'name':'b'},{'name':'c'}]}";
    const struct gz_export_node nodes[] = {
        {1, 0, 0, "a", one}, {3, 0, 2, "c", one}, {2, 1, 1, "b", one}, {4, 0, -1, "d", one}};
    json_t *json = export_quoted(text, nodes, 2);
    assert_json(json_object_get(json, "scenes"), "[{'nodes':[0,2]}]");
    assert_json(json_object_get(json, "scene"), "0");
    json_decref(json);
    json = export_quoted(text, nodes, 4);
    assert_null(json_object_get(json, "scenes"));
    assert_json(json_object_get(json, "nodes"),
                "[{'name':'a','children':[1]},{'name':'b'},{'name':'c'},{'name':'d'}]");
    json_decref(json);
}

/* What was no list of the default scene before is one with all that is shown; a link that the
 * import cut is cut in the file. */
TEST(test_export_of_wrong_links_is_right)
{
    static const struct {
        const char *rest, *scenes, *nodes;
    } cases[] = {
        {"'scenes':[{'nodes':0},{'nodes':[1]}],'nodes':[{'name':'a'},{'name':'b'}]",
         "[{'nodes':[0,1]},{'nodes':[1]}]", "[{'name':'a'},{'name':'b'}]"},
        {"'scenes':[{'nodes':[1]}],'nodes':[{'name':'a','children':[1]},{'name':'b','children':"
         "[0]}]",
         "[{'nodes':[1]}]", "[{'name':'a'},{'name':'b','children':[0]}]"},
        {"'scenes':[{'nodes':[2,1]}],'nodes':[{'name':'a','children':[0]},{'name':'b','children':"
         "[1]},{'name':'c','children':[0]}]",
         "[{'nodes':[2,1]}]", "[{'name':'a'},{'name':'b'},{'name':'c','children':[0]}]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[400];
        struct gz_import import;
        (void)snprintf(text, sizeof text, "{" ASSET ",%s}", cases[i].rest);
        import_quoted(&import, text);
        struct gz_export_node *nodes = same_nodes(&import);
        json_t *json = export_quoted(text, nodes, import.count);
        assert_json(json_object_get(json, "scenes"), cases[i].scenes);
        assert_json(json_object_get(json, "nodes"), cases[i].nodes);
        json_decref(json);
        free(nodes);
        gz_import_finish(&import);
    }
}

#define PARTS                                                                                      \
    "'scenes':[{'nodes':[0,3]}],'meshes':[{'primitives':[{'attributes':{}}]}],"                    \
    "'cameras':[{'type':'perspective','perspective':{'yfov':1,'znear':1}}],'skins':[{'joints':[1," \
    "2]}]"
#define CRANK                                                                                      \
    "'matrix':[1,0,0,0,0,1,0,0,0,0,1,0,5,0,0,1],'mesh':0,'skin':0,'camera':0,'weights':[0.5],'"    \
    "extras':{'a':[1]},"                                                                           \
    "'extensions':{'X_lod':{'ids':[2]}},'unknown':true"

TEST(test_export_copies_have_all_that_the_file_says)
{
    /* The first in the list is a copy of the crank, which did not move; another hangs below it and
     * did; the bolt is one of a node without a mesh. */
    const struct gz_export_node nodes[] = {
        {20, 0, 0, "second", a_trs}, {11, 10, 1, "node 1", b_trs}, {10, 0, 0, "crank", a_trs},
        {12, 11, 2, "node 2", one},  {21, 20, 0, "crank", one},    {13, 0, 3, "bolt", one},
        {22, 13, 3, "bolt", one},    {23, 20, 1, "node 1", one}};
    json_t *json =
        export_quoted("{" ASSET "," PARTS ",'nodes':[{'name':'crank','children':[1]," CRANK "},"
                      "{'children':[2],'scale':[2,2,2]},{},{'name':'bolt'}]}",
                      nodes, 8);
    assert_json(
        json_object_get(json, "nodes"),
        "[{'name':'crank','children':[1]," CRANK "},{'children':[2],'scale':[2,2,2]},{},"
        "{'name':'bolt','children':[6]},{'name':'second','children':[5,7]," CRANK "},"
        "{'name':'crank','mesh':0,'skin':0,'camera':0,'weights':[0.5],'extras':{'a':[1]},"
        "'extensions':{'X_lod':{'ids':[2]}},'unknown':true},{'name':'bolt'},{'name':'node 1'}]");
    assert_json(json_object_get(json, "scenes"), "[{'nodes':[0,3,4]}]");
    json_decref(json);
}

/* A node without a name, copies that share what they have, extras of each kind, an id from an
 * earlier export, a node that was made here; the deleted node tells nothing. */
TEST(test_export_tells_the_ids_that_are_asked_for)
{
    const struct gz_export_node nodes[] = {{10, 0, 0, "node 0", one}, {11, 10, 1, "crank", one},
                                           {12, 0, 2, "text", one},   {13, 0, 3, "list", one},
                                           {20, 0, 1, "copy", one},   {21, 0, -1, "new", one}};
    char *text = from_quotes(
        "{" ASSET ",'nodes':[{'children':[1]},{'name':'crank','extras':{'a':[1],'gizmod_id':7}},"
        "{'name':'text','extras':'words'},{'name':'list','extras':[1]},{'extras':{'gone':1}}]}");
    struct gz_buffer out;
    struct gz_error error = {0};
    gz_buffer_init(&out, GZ_ASSET_BYTES_MAX, 0);
    if (gz_export_write(&out, &(struct gz_export_file){0, (const uint8_t *)text, strlen(text)},
                        strlen(text) > 0, nodes, 6, true, NULL, &error) != GZ_OK)
        fail_msg("%s", error.message);
    json_t *json = json_loadb((const char *)out.data, out.size, 0, NULL);
    assert_json(json_object_get(json, "nodes"),
                "[{'children':[1],'extras':{'gizmod_id':10}},"
                "{'name':'crank','extras':{'a':[1],'gizmod_id':11}},"
                "{'name':'text','extras':{'extras':'words','gizmod_id':12}},"
                "{'name':'list','extras':{'extras':[1],'gizmod_id':13}},{'extras':{'gone':1}},"
                "{'name':'copy','extras':{'a':[1],'gizmod_id':20}},"
                "{'name':'new','extras':{'gizmod_id':21}}]");
    json_decref(json);
    gz_buffer_finish(&out);
    free(text);
}

TEST(test_export_copy_takes_the_place_of_a_deleted_original)
{
    /* The crank is gone, and what was below it; its copies are two. */
    const struct gz_export_node nodes[] = {
        {21, 0, 0, "later", one}, {20, 0, 0, "sooner", one}, {13, 0, 3, "bolt", one}};
    json_t *json =
        export_quoted("{" ASSET "," PARTS ",'nodes':[{'name':'crank','children':[1],'mesh':0},"
                      "{'children':[2]},{},{'name':'bolt'}]}",
                      nodes, 3);
    assert_json(json_object_get(json, "nodes"),
                "[{'name':'sooner','mesh':0},{'children':[2]},{},{'name':'bolt'},"
                "{'name':'later','mesh':0}]");
    assert_json(json_object_get(json, "scenes"), "[{'nodes':[0,3,4]}]");
    json_decref(json);
}

/* Every node of the sample twice: what comes back has its bounds twice, which are those of its
 * meshes. */
TEST(test_export_copies_come_back_with_their_meshes)
{
    struct gz_import before, after;
    struct gz_buffer out;
    import_bytes(&before, gz_sample_glb, gz_sample_glb_size);
    size_t count = before.count, boxes = 0;
    struct gz_export_node *same = same_nodes(&before), *nodes = calloc(2 * count, sizeof *nodes);
    for (size_t i = 0; i < count; i++) {
        nodes[i] = nodes[count + i] = same[i];
        nodes[count + i].id += count;
        if (same[i].parent != 0) nodes[count + i].parent += count;
    }
    export_bytes(&out, gz_sample_glb, gz_sample_glb_size, nodes, 2 * count);
    import_bytes(&after, out.data, out.size);
    assert_int_equal(after.count, 2 * count);
    for (size_t i = 0; i < count; i++) {
        const struct gz_import_node *old = &before.nodes[i], *copy = &after.nodes[count + i];
        assert_string_equal(copy->name, old->name);
        assert_true(gz_trs_same(&copy->trs, &old->trs));
        assert_int_equal(copy->has_bounds, old->has_bounds);
        assert_memory_equal(&copy->bounds, &old->bounds, sizeof old->bounds);
        assert_int_equal(copy->parent, old->parent < 0 ? -1 : old->parent + (int64_t)count);
        boxes += old->has_bounds;
    }
    assert_true(boxes > 0);
    gz_import_finish(&before);
    gz_import_finish(&after);
    gz_buffer_finish(&out);
    free(same);
    free(nodes);
}

TEST(test_export_made_up_and_cut_names_are_not_written)
{
    char text[1000] = "{" ASSET ",'nodes':[{},{'name':'";
    memset(text + strlen(text), 'x', 300);
    strcat(text, "'}]}");
    struct gz_import import;
    import_quoted(&import, text);
    struct gz_export_node *nodes = same_nodes(&import);
    json_t *json = export_quoted(text, nodes, 2);
    assert_json(json_array_get(json_object_get(json, "nodes"), 0), "{}");
    const json_t *name = json_object_get(json_array_get(json_object_get(json, "nodes"), 1), "name");
    assert_int_equal(json_string_length(name), 300);
    json_decref(json);
    free(nodes);
    gz_import_finish(&import);
}

TEST(test_export_makes_a_list_of_nodes_that_were_null)
{
    const struct gz_export_node nodes[] = {{1, 0, -1, "new", one}};
    json_t *json = export_quoted("{" ASSET ",'nodes':null,'scenes':[{}]}", nodes, 1);
    assert_json(json_object_get(json, "nodes"), "[{'name':'new'}]");
    assert_json(json_object_get(json, "scenes"), "[{'nodes':[0]}]");
    json_decref(json);
}

TEST(test_export_without_an_asset_is_bare_nodes)
{
    const gz_trs trs = {{0.1, 0, 0}, {0, 0, 0.6, 0.8}, {1, -1, 1}};
    const struct gz_export_node nodes[] = {{2, 1, -1, "child", trs},
                                           {1, 0, -1, "root \"\xE2\x82\xAC\"", one}};
    struct gz_buffer out;
    struct gz_import import;
    export_bytes(&out, NULL, 0, nodes, 2);
    assert_string_equal(gz_gltf_media_type(out.data, out.size), "model/gltf-binary");
    import_bytes(&import, out.data, out.size);
    assert_int_equal(import.count, 2);
    assert_string_equal(import.nodes[0].name, "root \"\xE2\x82\xAC\"");
    assert_int_equal(import.nodes[1].parent, 0);
    assert_true(gz_trs_same(&import.nodes[1].trs, &trs));
    gz_import_finish(&import);
    gz_buffer_finish(&out);
    export_bytes(&out, NULL, 0, NULL, 0);
    import_bytes(&import, out.data, out.size);
    assert_int_equal(import.count, 0);
    gz_import_finish(&import);
    gz_buffer_finish(&out);
}

TEST(test_export_unknown_chunks_keep_their_bytes)
{
    char *json = from_quotes("{" ASSET ",'nodes':[{}]}");
    size_t size;
    uint8_t *glb = make_glb(json, "unknown chunk's bytes...", 24, &size);
    memcpy(glb + size - 28, "XTRA", 4);
    const struct gz_export_node node = {1, 0, 0, "renamed to be of another length", one};
    struct gz_buffer out;
    export_bytes(&out, glb, size, &node, 1);
    assert_memory_equal(out.data + out.size - 32, glb + size - 32, 32);
    assert_int_equal(out.size % 4, 0);
    gz_buffer_finish(&out);
    free(glb);
    free(json);
}

TEST(test_export_bad_list_is_refused_and_writes_nothing)
{
    const gz_trs nowhere = {{NAN, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    const struct {
        struct gz_export_node second;
        const char *message;
    } cases[] = {
        {{2, 9, 1, "b", one}, "node 2: its parent 9 is not among the nodes"},
        {{2, 0, 4, "b", one}, "node 2: nodes[4] is not in the asset's scene"},
        {{2, 0, 5, "b", one}, "node 2: nodes[5] is not in the asset's scene"},
        {{2, 0, -2, "b", one}, "node 2: nodes[-2] is not in the asset's scene"},
        {{2, 0, 1, "b", nowhere}, "node 2: its transform is not finite"},
    };
    char *json = from_quotes(TREE);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct gz_export_node nodes[] = {{1, 0, 0, "a", one}, cases[i].second};
        struct gz_buffer out;
        struct gz_error error = {0};
        gz_buffer_init(&out, 1000, 0);
        assert_int_equal(gz_buffer_append(&out, "before", 6), GZ_OK);
        enum gz_status status =
            gz_export_write(&out, &(struct gz_export_file){0, (const uint8_t *)json, strlen(json)},
                            strlen(json) > 0, nodes, 2, false, NULL, &error);
        assert_int_equal(status, GZ_BAD_VALUE);
        if (strstr(error.message, cases[i].message) == NULL) fail_msg("says \"%s\"", error.message);
        assert_int_equal(out.size, 6);
        gz_buffer_finish(&out);
    }
    free(json);
}

TEST(test_export_of_copies_without_end_is_refused)
{
    enum { PROPERTIES = 5000, COPIES = 1 + GZ_ASSET_VALUES_MAX / PROPERTIES };
    char *text = calloc(PROPERTIES + 10, 16);
    size_t at = (size_t)sprintf(text, "{" ASSET ",'nodes':[{");
    for (int i = 0; i < PROPERTIES; i++)
        at += (size_t)sprintf(text + at, "%s'x%d':0", i > 0 ? "," : "", i);
    strcpy(text + at, "}]}");
    char *json = from_quotes(text);
    struct gz_export_node *nodes = calloc(COPIES + 1, sizeof *nodes);
    for (uint64_t i = 0; i <= COPIES; i++)
        nodes[i] = (struct gz_export_node){i + 1, 0, 0, "n", one};
    struct gz_buffer out;
    struct gz_error error = {0};
    gz_buffer_init(&out, GZ_ASSET_BYTES_MAX, 0);
    enum gz_status status =
        gz_export_write(&out, &(struct gz_export_file){0, (const uint8_t *)json, strlen(json)},
                        strlen(json) > 0, nodes, COPIES + 1, false, NULL, &error);
    assert_int_equal(status, GZ_TOO_MANY);
    assert_non_null(strstr(error.message, "copies"));
    assert_int_equal(out.size, 0);
    assert_int_equal(
        gz_export_write(&out, &(struct gz_export_file){0, (const uint8_t *)json, strlen(json)},
                        strlen(json) > 0, nodes, 100, false, NULL, &error),
        GZ_OK);
    gz_buffer_finish(&out);
    free(nodes);
    free(json);
    free(text);
}

TEST(test_export_that_does_not_fit_leaves_the_buffer)
{
    struct gz_import import;
    import_bytes(&import, gz_sample_glb, gz_sample_glb_size);
    struct gz_export_node *nodes = same_nodes(&import);
    static const size_t sizes[] = {10, 100, 5000, 100000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct gz_buffer out;
        struct gz_error error = {0};
        gz_buffer_init(&out, sizes[i], 0);
        enum gz_status status =
            gz_export_write(&out, &(struct gz_export_file){0, gz_sample_glb, gz_sample_glb_size},
                            gz_sample_glb_size > 0, nodes, import.count, false, NULL, &error);
        assert_int_equal(status, GZ_TOO_LARGE);
        assert_int_equal(out.size, 0);
        gz_buffer_finish(&out);
    }
    free(nodes);
    gz_import_finish(&import);
}

/* ---- the other kind of file ---- */

static void convert(struct gz_buffer *out, const struct gz_buffer *from, bool binary)
{
    struct gz_error error = {0};
    gz_buffer_init(out, GZ_ASSET_BYTES_MAX, 0);
    if (gz_gltf_convert(out, from->data, from->size, binary, &error) != GZ_OK)
        fail_msg("%s", error.message);
}

TEST(test_convert_sample_to_text_and_back_is_the_same_scene_and_bytes)
{
    struct gz_buffer glb, text, again;
    struct gz_import before, after;
    const uint8_t *bin[2];
    size_t size[2];
    gz_buffer_init(&glb, GZ_ASSET_BYTES_MAX, 0);
    assert_int_equal(gz_buffer_append(&glb, gz_sample_glb, gz_sample_glb_size), GZ_OK);
    convert(&text, &glb, false);
    assert_string_equal(gz_gltf_media_type(text.data, text.size), "model/gltf+json");
    import_bytes(&before, glb.data, glb.size);
    import_bytes(&after, text.data, text.size);
    assert_same_import(&before, &after);
    assert_non_null(after.surfaces); /* the triangles are in reach, so the bytes came along */

    convert(&again, &text, true);
    json_t *old = split_glb(glb.data, glb.size, &bin[0], &size[0]);
    json_t *new = split_glb(again.data, again.size, &bin[1], &size[1]);
    assert_true(json_equal(old, new));
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bin[0], bin[1], size[0]);
    json_decref(old);
    json_decref(new);
    gz_import_finish(&before);
    gz_import_finish(&after);
    gz_buffer_finish(&glb);
    gz_buffer_finish(&text);
    gz_buffer_finish(&again);
}

TEST(test_convert_table)
{
    static const struct {
        const char *json;
        bool binary;
        const char *said; /* in the JSON that comes out */
    } rows[] = {
        {"{" ASSET "}", true, "{\"asset\":{\"version\":\"2.0\"}}"},
        {"{" ASSET "}", false, "{\"asset\":{\"version\":\"2.0\"}}"},
        {"{" ASSET ",'buffers':[{'byteLength':3,'uri':'data:;base64,AQID'}]}", true,
         "[{\"byteLength\":3}]"},
        /* A buffer may be longer than it says, and in another form than base64. */
        {"{" ASSET ",'buffers':[{'byteLength':1,'uri':'data:;base64,AQID'}]}", true,
         "[{\"byteLength\":1}]"},
        {"{" ASSET ",'buffers':[{'byteLength':3,'uri':'data:,abc'}]}", true,
         "[{\"byteLength\":3}]}"},
        {"{" ASSET ",'buffers':[{'byteLength':3,'uri':'data:;base64,AQID'}]}", false,
         "base64,AQID"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *json = from_quotes(rows[i].json);
        struct gz_buffer from, out;
        gz_buffer_init(&from, GZ_ASSET_BYTES_MAX, 0);
        assert_int_equal(gz_buffer_append(&from, json, strlen(json)), GZ_OK);
        convert(&out, &from, rows[i].binary);
        bool is_binary = memcmp(out.data, "glTF", 4) == 0;
        assert_int_equal(is_binary, rows[i].binary);
        assert_int_equal(is_binary ? out.size % 4 : 0, 0);
        if (memmem(out.data, out.size, rows[i].said, strlen(rows[i].said)) == NULL)
            fail_msg("row %zu: %.*s", i, (int)out.size, (const char *)out.data);
        gz_buffer_finish(&from);
        gz_buffer_finish(&out);
        free(json);
    }
}

TEST(test_convert_what_does_not_fit_or_is_no_gltf_is_refused)
{
    struct gz_error error = {0};
    struct gz_buffer out;
    gz_buffer_init(&out, gz_sample_glb_size, 0);
    assert_int_equal(gz_gltf_convert(&out, gz_sample_glb, gz_sample_glb_size, false, &error),
                     GZ_TOO_LARGE);
    assert_int_equal(out.size, 0);
    assert_int_equal(gz_gltf_convert(&out, (const uint8_t *)"x", 1, true, &error), GZ_BAD_MESSAGE);
    gz_buffer_finish(&out);
}

/* ---- skins ---- */

#define RIG_NODES 24
#define RIG_BYTES 8192
#define EDITINGS 400

static uint32_t chance_state;

static size_t below(size_t count)
{
    chance_state = chance_state * 1664525u + 1013904223u;
    return (chance_state >> 8) % count;
}

/* The parent of each node, and whether a root is in the default scene; by code that shares nothing
 * with the server's. */
struct outline {
    size_t count;
    int64_t parents[RIG_NODES + 8];
    bool shown[RIG_NODES + 8];
};

static size_t index_at(const json_t *list, size_t i)
{
    return (size_t)json_integer_value(json_array_get(list, i));
}

static void read_outline(const json_t *json, struct outline *outline)
{
    const json_t *nodes = json_object_get(json, "nodes");
    const json_t *scene = json_array_get(json_object_get(json, "scenes"), 0),
                 *roots = json_object_get(scene, "nodes");
    *outline = (struct outline){.count = json_array_size(nodes)};
    for (size_t i = 0; i < outline->count; i++) outline->parents[i] = -1;
    for (size_t i = 0; i < outline->count; i++) {
        const json_t *children = json_object_get(json_array_get(nodes, i), "children");
        for (size_t j = 0; j < json_array_size(children); j++)
            outline->parents[index_at(children, j)] = (int64_t)i;
    }
    for (size_t i = 0; i < json_array_size(roots); i++) outline->shown[index_at(roots, i)] = true;
}

static bool is_below(const struct outline *outline, size_t node, size_t above)
{
    for (int64_t at = (int64_t)node; at >= 0; at = outline->parents[at])
        if ((size_t)at == above) return true;
    return false;
}

static size_t root_of(const struct outline *outline, size_t node)
{
    while (outline->parents[node] >= 0) node = (size_t)outline->parents[node];
    return node;
}

/* What glTF 2.0 says that a skin must have. */
static void assert_skin(const json_t *json, const struct outline *outline, const json_t *skin)
{
    const json_t *joints = json_object_get(skin, "joints"),
                 *skeleton = json_object_get(skin, "skeleton");
    const json_t *matrices = json_object_get(skin, "inverseBindMatrices");
    assert_true(json_array_size(joints) > 0);
    for (size_t i = 0; i < json_array_size(joints); i++) {
        assert_in_range(index_at(joints, i), 0, outline->count - 1);
        assert_int_equal(root_of(outline, index_at(joints, i)),
                         root_of(outline, index_at(joints, 0)));
        if (skeleton != NULL)
            assert_true(
                is_below(outline, index_at(joints, i), (size_t)json_integer_value(skeleton)));
    }
    if (matrices == NULL) return;
    const json_t *accessor =
        json_array_get(json_object_get(json, "accessors"), (size_t)json_integer_value(matrices));
    assert_int_equal(json_integer_value(json_object_get(accessor, "count")),
                     json_array_size(joints));
}

/* How many nodes have a skin, each of which has to be valid. */
static size_t assert_skins(const json_t *json)
{
    struct outline outline;
    size_t users = 0;
    const json_t *skins = json_object_get(json, "skins"), *nodes = json_object_get(json, "nodes");
    read_outline(json, &outline);
    assert_true(skins == NULL || json_array_size(skins) > 0);
    for (size_t i = 0; i < json_array_size(skins); i++)
        assert_skin(json, &outline, json_array_get(skins, i));
    for (size_t i = 0; i < outline.count; i++) {
        const json_t *index = json_object_get(json_array_get(nodes, i), "skin");
        if (index == NULL) continue;
        users++;
        const json_t *skin = json_array_get(skins, (size_t)json_integer_value(index));
        assert_non_null(skin);
        size_t joint = index_at(json_object_get(skin, "joints"), 0);
        if (outline.shown[root_of(&outline, i)])
            assert_true(outline.shown[root_of(&outline, joint)]);
    }
    return users;
}

static bool hangs_below(const struct gz_export_node *nodes, size_t count, size_t node, uint64_t id)
{
    for (uint64_t at = nodes[node].id; at != 0;) {
        if (at == id) return true;
        size_t i = 0;
        while (i < count && nodes[i].id != at) i++;
        at = nodes[i].parent;
    }
    return false;
}

/* Hangs some nodes elsewhere and deletes some with all that is below them. Says how many are
 * left. */
static size_t edit_randomly(struct gz_export_node *nodes, size_t count)
{
    for (size_t edits = below(4); edits > 0 && count > 1; edits--) {
        size_t node = below(count), other = below(count);
        uint64_t id = nodes[node].id;
        if (below(3) > 0) {
            bool to_root = below(3) == 0;
            if (to_root || !hangs_below(nodes, count, other, id))
                nodes[node].parent = to_root ? 0 : nodes[other].id;
            continue;
        }
        bool gone[RIG_NODES + 8] = {false};
        size_t kept = 0;
        for (size_t i = 0; i < count; i++) gone[i] = hangs_below(nodes, count, i, id);
        for (size_t i = 0; i < count; i++)
            if (!gone[i]) nodes[kept++] = nodes[i];
        count = kept;
    }
    return count;
}

/* Exports after random edits. What was dropped is said, and only that: some node lost its skin. */
static bool check_edited_skins(const uint8_t *bytes, size_t size, size_t users)
{
    struct gz_import import;
    struct gz_buffer out;
    struct gz_error error = {0};
    char dropped[GZ_DROPPED_BYTES];
    import_bytes(&import, bytes, size);
    struct gz_export_node *nodes = same_nodes(&import);
    size_t count = edit_randomly(nodes, import.count);
    gz_buffer_init(&out, GZ_ASSET_BYTES_MAX, 0);
    if (gz_export_write(&out, &(struct gz_export_file){0, bytes, size}, size > 0, nodes, count,
                        false, dropped, &error) != GZ_OK)
        fail_msg("%s", error.message);
    json_t *json = json_loadb((const char *)out.data, out.size, 0, NULL);
    assert_non_null(json);
    size_t left = assert_skins(json);
    assert_int_equal(left < users, dropped[0] != '\0');
    json_decref(json);
    gz_buffer_finish(&out);
    gz_import_finish(&import);
    free(nodes);
    return left < users;
}

/* A tree of joints under node 0, two skins of some of them, and three nodes that show one or the
 * other. */
static void make_rig(char text[RIG_BYTES])
{
    size_t used =
        (size_t)sprintf(text,
                        "{" ASSET ",'scenes':[{'nodes':[0]}],'skins':["
                        "{'name':'Armature','skeleton':0,'joints':[3,4,5,%zu]},{'joints':[6,%zu]}],"
                        "'nodes':[",
                        6 + below(RIG_NODES - 6), 7 + below(RIG_NODES - 7));
    size_t parents[RIG_NODES] = {0};
    for (size_t i = 1; i < RIG_NODES; i++) parents[i] = i < 3 ? 0 : below(i);
    for (size_t i = 0; i < RIG_NODES; i++) {
        used += (size_t)sprintf(text + used, "%s{'name':'n%zu'", i > 0 ? "," : "", i);
        if (i < 3) used += (size_t)sprintf(text + used, ",'skin':%zu", i % 2);
        const char *before = ",'children':[";
        for (size_t j = i + 1; j < RIG_NODES; j++) {
            if (parents[j] != i) continue;
            used += (size_t)sprintf(text + used, "%s%zu", before, j);
            before = ",";
        }
        used += (size_t)sprintf(text + used, "%s}", before[1] == '\0' ? "]" : "");
    }
    strcpy(text + used, "]}");
}

TEST(test_export_skins_stay_valid_whatever_becomes_of_joints)
{
    size_t size, lost = 0;
    struct gz_buffer file;
    struct gz_error error;
    require_models();
    gz_buffer_init(&file, GZ_ASSET_BYTES_MAX, 0);
    assert_int_equal(
        gz_gltf_load(&file, MODELS "/glTF2/simple_skin/simple_skin.gltf", NULL, &error), GZ_OK);
    for (chance_state = 1; chance_state < EDITINGS; chance_state++) {
        uint32_t seed = chance_state;
        lost += check_edited_skins(file.data, file.size, 1);
        char text[RIG_BYTES];
        make_rig(text);
        char *json = from_quotes(text);
        size = strlen(json);
        lost += check_edited_skins((const uint8_t *)json, size, 3);
        free(json);
        chance_state = seed;
    }
    assert_in_range(lost, EDITINGS / 4, 2 * EDITINGS - EDITINGS / 4);
    gz_buffer_finish(&file);
}

#define RIG                                                                                        \
    "{" ASSET ",'scenes':[{'nodes':[0,1]}],'skins':[{'name':'Armature','joints':[2,3]},{'"         \
    "skeleton':2,'joints':[3]}],"                                                                  \
    "'nodes':[{'name':'body','skin':0},{'name':'rig','children':[2]},{'name':'hip','children':[3]" \
    "},"                                                                                           \
    "{'name':'knee'},{'name':'alone'}]}"

TEST(test_export_says_which_skin_was_dropped_and_why_others_stay)
{
    static const struct {
        uint64_t knee;
        const char *dropped, *skins;
    } cases[] = {
        {13, "", "[{'name':'Armature','joints':[2,3]},{'skeleton':2,'joints':[3]}]"},
        {12, "", "[{'name':'Armature','joints':[2,3]},{'joints':[3]}]"},
        {0, "skin 0 (Armature)", "[{'joints':[3]}]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct gz_export_node nodes[] = {{11, 0, 0, "body", one},
                                               {12, 0, 1, "rig", one},
                                               {13, 12, 2, "hip", one},
                                               {14, cases[i].knee, 3, "knee", one}};
        char *json = from_quotes(RIG), dropped[GZ_DROPPED_BYTES];
        struct gz_buffer out;
        struct gz_error error;
        gz_buffer_init(&out, GZ_ASSET_BYTES_MAX, 0);
        enum gz_status status =
            gz_export_write(&out, &(struct gz_export_file){0, (uint8_t *)json, strlen(json)},
                            strlen(json) > 0, nodes, 4, false, dropped, &error);
        assert_int_equal(status, GZ_OK);
        assert_string_equal(dropped, cases[i].dropped);
        json_t *written = json_loadb((const char *)out.data, out.size, 0, NULL);
        assert_json(json_object_get(written, "skins"), cases[i].skins);
        json_decref(written);
        gz_buffer_finish(&out);
        free(json);
    }
}
