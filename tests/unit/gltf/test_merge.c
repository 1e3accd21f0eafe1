/* test_merge.c - what several files are exported as: one, in which every index points to what it
 * pointed to. */
#include "files.h"

#include <stdio.h>

/* Everything that an index can point from and to, once. */
#define ALL                                                                                        \
    "{'asset':{'version':'2.0'},'scene':0,'scenes':[{'nodes':[0]},{'nodes':[1]}],"                 \
    "'nodes':[{'name':'%s','mesh':0,'skin':0,'camera':0,'children':[2],"                           \
    "'extensions':{'KHR_lights_punctual':{'light':0},'MSFT_lod':{'ids':[1]},"                      \
    "'EXT_mesh_gpu_instancing':{'attributes':{'SCALE':0}},'X_other':{'mesh':0},"                   \
    "'KHR_xmp':{'packet':0},"                                                                      \
    "'X_plain':{'size':0.5}}},{},{'name':'%s below'}],"                                            \
    "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'indices':0,'material':0,"              \
    "'targets':[{'POSITION':0}],'extensions':{'KHR_draco_mesh_compression':{'bufferView':0,"       \
    "'attributes':{'POSITION':0}},'KHR_materials_variants':{'mappings':[{'material':0,"            \
    "'variants':[0]}]}}}]}],"                                                                      \
    "'accessors':[{'bufferView':0,'componentType':5126,'count':1,'type':'VEC3','sparse':{"         \
    "'count':1,'indices':{'bufferView':0,'componentType':5123},'values':{'bufferView':0}}}],"      \
    "'bufferViews':[{'buffer':0,'byteLength':12,'extensions':{'EXT_meshopt_compression':{"         \
    "'buffer':0,'byteLength':12},'KHR_meshopt_compression':{'buffer':0,'byteLength':12}}}],"       \
    "'buffers':[{'byteLength':12,'uri':'data:application/octet-stream;base64,"                     \
    "AAAAAAAAAAAAAAAA'}],'images':[{'bufferView':0,'mimeType':'image/png'}],"                      \
    "'textures':[{'source':0,'sampler':0,'extensions':{'KHR_texture_basisu':{'source':0},"         \
    "'KHR_texture_procedurals':{'index':0}}}],"                                                    \
    "'samplers':[{}],'materials':[{'pbrMetallicRoughness':{'baseColorTexture':{'index':0,"         \
    "'texCoord':0}},'normalTexture':{'index':0},'extensions':{'KHR_materials_sheen':{"             \
    "'sheenColorTexture':{'index':0}}}}],'skins':[{'joints':[0,2],'skeleton':0,"                   \
    "'inverseBindMatrices':0}],'animations':[{'samplers':[{'input':0,'output':0}],"                \
    "'channels':[{'sampler':0,'target':{'node':0,'path':'scale'}}]}],"                             \
    "'cameras':[{'type':'perspective'}],'extensionsUsed':['KHR_lights_punctual','%s'],"            \
    "'extensions':{'KHR_lights_punctual':{'lights':[{'type':'point'}]},"                           \
    "'KHR_materials_variants':{'variants':[{'name':'v'}]}}}"

static char *all_of(const char *name)
{
    char text[8192];
    snprintf(text, sizeof text, ALL, name, name, name);
    return from_quotes(text);
}

/* Exports the files with all their nodes as they are; the result, for gz_buffer_finish. */
static void merge(struct gz_buffer *out, const struct gz_export_file *files, size_t count)
{
    struct gz_export_node *all = NULL;
    struct gz_error error = {.message = ""};
    size_t total = 0;
    gz_buffer_init(out, GZ_ASSET_BYTES_MAX, 0);
    for (size_t i = 0; i < count; i++) {
        struct gz_import import;
        import_bytes(&import, files[i].bytes, files[i].size);
        struct gz_export_node *nodes = same_nodes(&import);
        all = realloc(all, (total + import.count + 1) * sizeof *all);
        assert_non_null(all);
        for (size_t k = 0; k < import.count; k++) {
            struct gz_export_node *node = &all[total + k];
            *node = nodes[k];
            node->name = strdup(nodes[k].name);
            node->id += total;
            if (node->parent > 0) node->parent += total;
            node->asset += (int64_t)files[i].first;
        }
        total += import.count;
        free(nodes);
        gz_import_finish(&import);
    }
    if (gz_export_write(out, files, count, all, total, false, NULL, &error) != GZ_OK)
        fail_msg("%s", error.message);
    for (size_t i = 0; i < total; i++) free((char *)all[i].name);
    free(all);
}

static json_t *merge_texts(const char *a, const char *b)
{
    struct gz_buffer out;
    const struct gz_export_file files[] = {{0, (const uint8_t *)a, strlen(a)},
                                           {100, (const uint8_t *)b, strlen(b)}};
    merge(&out, files, 2);
    json_t *json = json_loadb((const char *)out.data, out.size, JSON_ALLOW_NUL, NULL);
    assert_non_null(json);
    gz_buffer_finish(&out);
    return json;
}

static void assert_item(const json_t *list, size_t index, const char *expected)
{
    char *quoted = from_quotes(expected);
    json_t *wanted = json_loads(quoted, 0, NULL);
    char *is = json_dumps(json_array_get(list, index), JSON_SORT_KEYS | JSON_COMPACT);
    assert_non_null(wanted);
    if (!json_equal(json_array_get(list, index), wanted)) fail_msg("%s is %s", expected, is);
    json_decref(wanted);
    free(is);
    free(quoted);
}

TEST(test_every_index_points_to_what_it_did)
{
    static const struct {
        const char *list, *second;
    } rows[] = {
        {"nodes", NULL},
        {"meshes",
         "{'primitives':[{'attributes':{'POSITION':1},'indices':1,'material':1,'targets':[{"
         "'POSITION':1}],'extensions':{'KHR_draco_mesh_compression':{'bufferView':1,'attributes':{"
         "'POSITION':0}},'KHR_materials_variants':{'mappings':[{'material':1,'variants':[1]}]}}}]"
         "}"},
        {"accessors",
         "{'bufferView':1,'componentType':5126,'count':1,'type':'VEC3','sparse':{'count':1,"
         "'indices':{'bufferView':1,'componentType':5123},'values':{'bufferView':1}}}"},
        {"bufferViews", "{'buffer':1,'byteLength':12,'extensions':{'EXT_meshopt_compression':{"
                        "'buffer':1,'byteLength':12},'KHR_meshopt_compression':{'buffer':1,"
                        "'byteLength':12}}}"},
        {"images", "{'bufferView':1,'mimeType':'image/png'}"},
        {"textures", "{'source':1,'sampler':1,'extensions':{'KHR_texture_basisu':{'source':1}}}"},
        {"samplers", "{}"},
        {"materials",
         "{'pbrMetallicRoughness':{'baseColorTexture':{'index':1,'texCoord':0}},'normalTexture':{"
         "'index':1},'extensions':{'KHR_materials_sheen':{'sheenColorTexture':{'index':1}}}}"},
        {"skins", "{'joints':[3,5],'skeleton':3,'inverseBindMatrices':1}"},
        {"animations", "{'samplers':[{'input':1,'output':1}],'channels':[{'sampler':0,'target':{"
                       "'node':3,'path':'scale'}}]}"},
        {"cameras", "{'type':'perspective'}"},
    };
    char *a = all_of("a"), *b = all_of("b");
    json_t *json = merge_texts(a, b), *first = json_loads(a, 0, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const json_t *list = json_object_get(json, rows[i].list);
        if (rows[i].second != NULL) assert_item(list, 1, rows[i].second);
        assert_true(json_equal(json_array_get(list, 0), /* as it came */
                               json_array_get(json_object_get(first, rows[i].list), 0)));
    }
    const json_t *nodes = json_object_get(json, "nodes"), *scenes = json_object_get(json, "scenes");
    assert_int_equal(json_array_size(nodes), 6);
    assert_item(nodes, 3,
                "{'name':'b','mesh':1,'skin':1,'camera':1,'children':[5],'extensions':{"
                "'KHR_lights_punctual':{'light':1},'MSFT_lod':{'ids':[4]},"
                "'EXT_mesh_gpu_instancing':{'attributes':{'SCALE':1}},'X_plain':{'size':0.5}}}");
    assert_item(scenes, 0, "{'nodes':[0,3]}");
    assert_item(scenes, 1, "{'nodes':[1]}");
    assert_item(scenes, 2, "{'nodes':[4]}");
    const json_t *name = json_array_get(json_object_get(json, "extensionsUsed"), 2);
    assert_string_equal(json_string_value(name), "b");
    assert_int_equal(json_array_size(json_object_get(json, "extensionsUsed")), 3);
    const json_t *extensions = json_object_get(json, "extensions");
    assert_int_equal(json_array_size(json_object_get(
                         json_object_get(extensions, "KHR_lights_punctual"), "lights")),
                     2);
    json_decref(json);
    json_decref(first);
    free(a);
    free(b);
}

/* An index that points nowhere would point to a part of the other file. */
TEST(test_what_points_nowhere_does_not_point_into_the_other_file)
{
    char *broken = from_quotes("{'asset':{'version':'2.0'},'nodes':[{'name':'a','mesh':0,"
                               "'children':[7,1]},{'name':'b'}]}"),
         *whole = from_quotes("{'asset':{'version':'2.0'},'nodes':[{'name':'c','mesh':0},{},{},{},"
                              "{},{}],'meshes':[{'primitives':[]}]}");
    json_t *json = merge_texts(broken, whole);
    assert_item(json_object_get(json, "nodes"), 0, "{'name':'a','children':[1]}");
    assert_item(json_object_get(json, "nodes"), 2, "{'name':'c','mesh':0}");
    json_decref(json);
    json = merge_texts(whole, broken);
    assert_item(json_object_get(json, "nodes"), 6, "{'name':'a','children':[7]}");
    json_decref(json);
    free(broken);
    free(whole);
}

static const float near_box[] = {-1, -1, 0, 1, -1, 0, 0, 1, 0},
                   far_box[] = {5, 5, 5, 6, 5, 5, 5, 6, 5};

/* A triangle in the BIN chunk, in a data URI, or nothing but a node. */
static struct gz_export_file file_of(const char *name, const float *corners, bool binary)
{
    char text[1024];
    size_t size;
    struct gz_buffer out;
    struct gz_error error;
    snprintf(text, sizeof text,
             "{'asset':{'version':'2.0'},'nodes':[{'name':'%s','mesh':0}],'meshes':[{'primitives':["
             "{'attributes':{'POSITION':0}}]}],'accessors':[{'bufferView':0,'componentType':5126,"
             "'count':3,'type':'VEC3','min':[%g,%g,%g],'max':[%g,%g,%g]}],'bufferViews':[{'buffer':"
             "0,'byteLength':36}],'buffers':[{'byteLength':36}]}",
             name, corners[0], corners[1], corners[2], corners[3], corners[7], corners[2]);
    char *json = from_quotes(text);
    uint8_t *bytes = make_glb(json, corners, 36, &size);
    free(json);
    if (!binary) {
        gz_buffer_init(&out, GZ_ASSET_BYTES_MAX, 0);
        assert_int_equal(gz_gltf_convert(&out, bytes, size, false, &error), GZ_OK);
        free(bytes);
        bytes = malloc(out.size);
        assert_non_null(bytes);
        memcpy(bytes, out.data, size = out.size);
        gz_buffer_finish(&out);
    }
    return (struct gz_export_file){0, bytes, size};
}

static void assert_triangle(const struct gz_import *import, const char *name, const float *corners)
{
    const struct gz_import_node *node = find_node(import, name);
    assert_true(node->has_bounds);
    assert_true(node->bounds.min.x == corners[0] && node->bounds.max.y == corners[7] &&
                node->bounds.min.z == corners[2]);
}

/* Of whatever kind they are, the bytes are there, and the kind is that of the first one. */
TEST(test_bytes_of_all_files_are_there)
{
    for (int kinds = 0; kinds < 8; kinds++) {
        struct gz_export_file files[] = {file_of("near", near_box, kinds & 1),
                                         file_of("far", far_box, kinds & 2),
                                         file_of("again", near_box, kinds & 4)};
        struct gz_buffer out;
        struct gz_import import;
        for (size_t i = 0; i < 3; i++) files[i].first = i;
        merge(&out, files, 3);
        assert_string_equal(gz_gltf_media_type(out.data, out.size),
                            gz_gltf_media_type(files[0].bytes, files[0].size));
        import_bytes(&import, out.data, out.size);
        assert_int_equal(import.count, 3);
        assert_int_equal(import.flaws.count, 0);
        assert_triangle(&import, "near", near_box);
        assert_triangle(&import, "far", far_box);
        assert_triangle(&import, "again", near_box);
        assert_int_equal(import.surfaces->triangle_count, 3);
        gz_import_finish(&import);
        if (kinds == 7) { /* one BIN chunk, and no other buffer */
            const uint8_t *bin;
            size_t bin_size;
            json_t *json = split_glb(out.data, out.size, &bin, &bin_size);
            assert_int_equal(bin_size, 3 * 36);
            assert_int_equal(json_array_size(json_object_get(json, "buffers")), 1);
            json_decref(json);
        }
        gz_buffer_finish(&out);
        for (size_t i = 0; i < 3; i++) free((void *)files[i].bytes);
    }
}

/* Each buffer begins at a multiple of 4, as readers need it, whatever the one before it has; a
 * view, and what is compressed of it, begins as far behind that as it did, and a picture keeps its
 * type. */
TEST(test_views_of_joined_buffers_are_where_their_bytes_are)
{
    char *text = from_quotes(
        "{'asset':{'version':'2.0'},'nodes':[{}],'buffers':[{'byteLength':5,'uri':'data:,abcde'},{"
        "'byteLength':5,'uri':'data:,fghij'}],'bufferViews':[{'buffer':1,'byteOffset':2,"
        "'byteLength':3,'extensions':{'EXT_meshopt_compression':{'buffer':0,'byteOffset':1,"
        "'byteLength':4}}}],'images':[{'uri':'data:image/png,xyz'}]}");
    const struct gz_export_file files[] = {file_of("near", near_box, true),
                                           {9, (const uint8_t *)text, strlen(text)}};
    struct gz_buffer out;
    const uint8_t *bin;
    size_t size;
    merge(&out, files, 2);
    json_t *json = split_glb(out.data, out.size, &bin, &size);
    const json_t *views = json_object_get(json, "bufferViews");
    assert_item(views, 1,
                "{'buffer':0,'byteOffset':46,'byteLength':3,'extensions':{"
                "'EXT_meshopt_compression':{'buffer':0,'byteOffset':37,'byteLength':4}}}");
    assert_item(views, 2, "{'buffer':0,'byteOffset':52,'byteLength':3}");
    assert_item(json_object_get(json, "images"), 0, "{'bufferView':2,'mimeType':'image/png'}");
    assert_true(size >= 55);
    assert_memory_equal(bin + 36, "abcde", 5);
    assert_memory_equal(bin + 46, "hij", 3);
    assert_memory_equal(bin + 52, "xyz", 3);
    json_decref(json);
    gz_buffer_finish(&out);
    free((void *)files[0].bytes);
    free(text);
}

/* Copies and deletions go across the files; what is of no file is an error, not another's node. */
TEST(test_nodes_of_all_files_are_arranged_as_one)
{
    struct gz_export_file files[] = {file_of("near", near_box, true),
                                     file_of("far", far_box, true)};
    files[1].first = 10;
    struct gz_export_node nodes[] = {
        {.id = 1, .asset = 10, .name = "one", .trs = gz_trs_identity},
        {.id = 2, .parent = 1, .asset = 10, .name = "two", .trs = gz_trs_identity},
        {.id = 3, .parent = 2, .asset = -1, .name = "bare", .trs = gz_trs_identity}};
    struct gz_buffer out;
    struct gz_import import;
    struct gz_error error;
    gz_buffer_init(&out, GZ_ASSET_BYTES_MAX, 0);
    assert_int_equal(gz_export_write(&out, files, 2, nodes, 3, false, NULL, &error), GZ_OK);
    import_bytes(&import, out.data, out.size);
    assert_int_equal(import.count, 3);
    assert_triangle(&import, "one", far_box);
    assert_triangle(&import, "two", far_box);
    assert_false(find_node(&import, "bare")->has_bounds);
    gz_import_finish(&import);
    gz_buffer_clear(&out);
    nodes[0].asset = 3;
    assert_int_equal(gz_export_write(&out, files, 2, nodes, 3, false, NULL, &error), GZ_BAD_VALUE);
    assert_int_equal(out.size, 0);
    gz_buffer_finish(&out);
    for (size_t i = 0; i < 2; i++) free((void *)files[i].bytes);
}
