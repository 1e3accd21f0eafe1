/* test_load.c - a .gltf file with files beside it becomes one .glb, or is refused. */
#include "files.h"
#include "proto/limits.h"

#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define ASSET "'asset':{'version':'2.0'}"
#define TRIANGLE(uri)                                                                              \
    "{" ASSET ",'nodes':[{'mesh':0}],'buffers':[{'byteLength':6,'uri':'" uri "'}],"                \
    "'bufferViews':[{'buffer':0,'byteLength':6}],'accessors':[{'bufferView':0,'componentType':"    \
    "5123,'count':3,"                                                                              \
    "'type':'SCALAR'},{'componentType':5126,'count':3,'type':'VEC3','min':[0,0,0],'max':[1,1,0]}]" \
    ","                                                                                            \
    "'meshes':[{'primitives':[{'attributes':{'POSITION':1},'indices':0}]}]}"

static const uint8_t indices[] = {0, 0, 1, 0, 2, 0};

static char folder[] = "/tmp/gizmod-load-XXXXXX";

static const char *at(const char *name)
{
    static char path[300];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_bytes(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(at(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void write_quoted(const char *name, const char *text)
{
    char *json = from_quotes(text);
    write_bytes(name, json, strlen(json));
    free(json);
}

/* outside.bin lies beside the folder "in" that the glTF files stand in. */
static int make_folder(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL) return -1;
    assert_int_equal(mkdir(at("in"), 0700), 0);
    assert_int_equal(mkdir(at("in/sub"), 0700), 0);
    assert_int_equal(mkdir(at("in-beside"), 0700), 0);
    write_bytes("outside.bin", indices, sizeof indices);
    write_bytes("in-beside/a.bin", indices, sizeof indices);
    write_bytes("in/a.bin", indices, sizeof indices);
    write_bytes("in/with space.bin", indices, sizeof indices);
    write_bytes("in/\xE2\x82\xAC.bin", indices, sizeof indices);
    write_bytes("in/a:b.bin", indices, sizeof indices);
    write_bytes("in/sub/b.bin", indices, sizeof indices);
    assert_int_equal(symlink("../outside.bin", at("in/leaving.bin")), 0);
    assert_int_equal(symlink("../in-beside/a.bin", at("in/beside.bin")), 0);
    assert_int_equal(symlink("..", at("in/up")), 0);
    assert_int_equal(symlink("sub/b.bin", at("in/staying.bin")), 0);
    assert_int_equal(mkfifo(at("in/pipe.bin"), 0600), 0);
    return 0;
}

static int handle_remove(const char *path, const struct stat *facts, int type, struct FTW *where)
{
    (void)facts;
    (void)type;
    (void)where;
    return remove(path);
}

static int remove_folder(void **state)
{
    (void)state;
    return nftw(folder, handle_remove, 16, FTW_DEPTH | FTW_PHYS);
}

TEST(test_load_files_beside_and_below_are_embedded)
{
    static const char *const texts[] = {
        TRIANGLE("a.bin"),         TRIANGLE("sub/b.bin"),
        TRIANGLE("./sub//b.bin"),  TRIANGLE("with%20space.bin"),
        TRIANGLE("%E2%82%AC.bin"), TRIANGLE("\xE2\x82\xAC.bin"),
        TRIANGLE("./a:b.bin"),     TRIANGLE("staying.bin"),
        TRIANGLE("%61.bin"),
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct gz_buffer out;
        struct gz_error error = {0};
        struct gz_import import;
        gz_buffer_init(&out, GZ_ASSET_BYTES_MAX, 0);
        write_quoted("in/model.gltf", texts[i]);
        if (gz_gltf_load(&out, at("in/model.gltf"), NULL, &error) != GZ_OK)
            fail_msg("%s", error.message);
        import_bytes(&import, out.data, out.size);
        assert_true(import.nodes[0].has_bounds);
        gz_import_finish(&import);
        json_t *json = json_loadb((const char *)out.data, out.size, 0, NULL);
        const json_t *buffer = json_array_get(json_object_get(json, "buffers"), 0);
        assert_string_equal(json_string_value(json_object_get(buffer, "uri")),
                            "data:application/octet-stream;base64,AAABAAIA");
        json_decref(json);
        gz_buffer_finish(&out);
    }
}

/* Such a file is not taken, and the glTF is all the same. */
TEST(test_load_uri_that_leaves_or_lies_is_left_out)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {TRIANGLE("../outside.bin"),
         "buffers[0].uri: there is no file ../outside.bin in its folder or below"},
        {TRIANGLE("sub/../../outside.bin"), "there is no file"},
        {TRIANGLE("%2e%2e/outside.bin"), "there is no file"},
        {TRIANGLE("..%2Foutside.bin"), "there is no file"},
        {TRIANGLE("..\\\\outside.bin"), "there is no file"},
        {TRIANGLE("sub/.."), "there is no file"},
        {TRIANGLE("/etc/hostname"), "there is no file"},
        {TRIANGLE("file:///etc/hostname"), "there is no file"},
        {TRIANGLE(""), "there is no file"},
        {TRIANGLE("a%00.bin"), "there is no file"},
        {TRIANGLE("leaving.bin"), "is a link that leaves the folder"},
        {TRIANGLE("beside.bin"), "is a link that leaves the folder"},
        {TRIANGLE("up/outside.bin"), "is a link that leaves the folder"},
        {TRIANGLE("none.bin"), "there is no file none.bin"},
        {TRIANGLE("sub"), "there is no file sub"},
        {TRIANGLE("pipe.bin"), "there is no file pipe.bin"},
        {"{" ASSET ",'images':[{'uri':'none.png'}]}", "images[0].uri: there is no file none.png"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gz_buffer out;
        struct gz_flaws flaws;
        struct gz_error error = {0};
        gz_buffer_init(&out, GZ_ASSET_BYTES_MAX, 0);
        write_quoted("in/model.gltf", cases[i].text);
        if (gz_gltf_load(&out, at("in/model.gltf"), &flaws, &error) != GZ_OK)
            fail_msg("case %zu: %s", i, error.message);
        if (flaws.count != 1 || strstr(flaws.said[0], cases[i].message) == NULL)
            fail_msg("case %zu: says \"%s\"", i, flaws.said[0]);
        assert_int_equal(out.size, strlen(cases[i].text));
        gz_buffer_finish(&out);
    }
}

static void try_case(const json_t *one)
{
    const char *uri = json_string_value(json_object_get(one, "uri"));
    const char *wanted = json_string_value(json_object_get(one, "takes"));
    size_t i;
    json_t *file;
    char home[300], scene[340], inner[400];
    (void)snprintf(home, sizeof home, "%s", at("names-XXXXXX"));
    assert_non_null(mkdtemp(home));
    json_array_foreach(json_object_get(one, "files"), i, file)
    {
        (void)snprintf(inner, sizeof inner, "%s/%s", home, json_string_value(file));
        for (char *slash = inner + strlen(home) + 1; (slash = strchr(slash, '/')) != NULL;
             slash++) {
            *slash = '\0';
            (void)mkdir(inner, 0700);
            *slash = '/';
        }
        FILE *out = fopen(inner, "wb");
        assert_non_null(out);
        assert_true(fputs(json_string_value(file), out) >= 0);
        assert_int_equal(fclose(out), 0);
    }
    (void)snprintf(scene, sizeof scene, "%s/x.gltf", home);
    json_t *gltf =
        json_pack("{s:{s:s},s:[{s:s}]}", "asset", "version", "2.0", "images", "uri", uri);
    assert_int_equal(json_dump_file(gltf, scene, 0), 0);
    struct gz_buffer bytes;
    struct gz_flaws flaws;
    gz_buffer_init(&bytes, GZ_ASSET_BYTES_MAX, 0);
    assert_int_equal(gz_gltf_load(&bytes, scene, &flaws, NULL), GZ_OK);
    json_t *made = json_loadb((const char *)bytes.data, bytes.size, 0, NULL);
    const char *now = json_string_value(
        json_object_get(json_array_get(json_object_get(made, "images"), 0), "uri"));
    char base64[400] = "";
    if (wanted != NULL) {
        json_t *expected = json_object_get(one, "base64");
        (void)snprintf(base64, sizeof base64, "data:application/octet-stream;base64,%s",
                       json_string_value(expected));
    }
    if (strcmp(now, wanted != NULL ? base64 : uri) != 0)
        fail_msg("%s: is %s, should be %s (%s)", uri, now, wanted != NULL ? base64 : "none",
                 wanted != NULL ? wanted : "");
    assert_int_equal(flaws.count, wanted == NULL);
    json_decref(made);
    json_decref(gltf);
    gz_buffer_finish(&bytes);
}

/* The same cases as the editor's gltffiles.test.ts reads. */
TEST(test_load_names_are_read_as_the_editor_reads_them)
{
    json_t *cases = json_load_file(GZ_TEST_DATA "/names/cases.json", 0, NULL);
    size_t i;
    json_t *one;
    assert_true(json_array_size(cases) > 20);
    json_array_foreach(cases, i, one) try_case(one);
    json_decref(cases);
}

TEST(test_load_images_are_embedded_as_what_they_are)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *uri;
    } cases[] = {
        {"\x89PNG\r\n\x1A\n", 8, "data:image/png;base64,iVBORw0KGgo="},
        {"\xFF\xD8\xFF\xE0", 4, "data:image/jpeg;base64,/9j/4A=="},
        {"RIFF\0\0\0\0WEBP", 12, "data:image/webp;base64,UklGRgAAAABXRUJQ"},
        {"\xABKTX 20\xBB", 8, "data:image/ktx2;base64,q0tUWCAyMLs="},
        {"\0\0\0\x20"
         "ftypavif",
         12, "data:image/avif;base64,AAAAIGZ0eXBhdmlm"},
        {"GIF", 3, "data:application/octet-stream;base64,R0lG"},
        {"", 0, "data:application/octet-stream;base64,"},
    };
    write_quoted("in/image.gltf",
                 "{" ASSET ",'images':[{'uri':'picture'},{'uri':'data:image/png;base64,AAAA'}]}");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gz_buffer out;
        struct gz_error error = {0};
        gz_buffer_init(&out, GZ_ASSET_BYTES_MAX, 0);
        write_bytes("in/picture", cases[i].bytes, cases[i].size);
        if (gz_gltf_load(&out, at("in/image.gltf"), NULL, &error) != GZ_OK)
            fail_msg("%s", error.message);
        json_t *json = json_loadb((const char *)out.data, out.size, 0, NULL);
        const json_t *images = json_object_get(json, "images");
        assert_string_equal(json_string_value(json_object_get(json_array_get(images, 0), "uri")),
                            cases[i].uri);
        assert_string_equal(json_string_value(json_object_get(json_array_get(images, 1), "uri")),
                            "data:image/png;base64,AAAA");
        json_decref(json);
        gz_buffer_finish(&out);
    }
}

/* Numbers that floats and decimals cannot hold exactly survive the rewriting. */
TEST(test_load_embedding_keeps_numbers_to_the_bit)
{
    struct gz_buffer out;
    struct gz_import import;
    gz_buffer_init(&out, GZ_ASSET_BYTES_MAX, 0);
    write_quoted("in/n.gltf", "{" ASSET ",'buffers':[{'byteLength':6,'uri':'a.bin'}],"
                              "'nodes':[{'translation':[0.1,1e-310,123456789.123456789]}]}");
    assert_int_equal(gz_gltf_load(&out, at("in/n.gltf"), NULL, NULL), GZ_OK);
    import_bytes(&import, out.data, out.size);
    const gz_vec3 t = {0.1, 1e-310, 123456789.123456789};
    assert_memory_equal(&import.nodes[0].trs.t, &t, sizeof t);
    gz_import_finish(&import);
    gz_buffer_finish(&out);
}

TEST(test_load_glb_with_a_file_beside_keeps_its_chunk)
{
    char *json =
        from_quotes("{" ASSET ",'buffers':[{'byteLength':8},{'byteLength':6,'uri':'a.bin'}]}");
    size_t size;
    uint8_t *glb = make_glb(json, "BINCHUNK", 8, &size);
    struct gz_buffer out;
    struct gz_import import;
    gz_buffer_init(&out, GZ_ASSET_BYTES_MAX, 0);
    write_bytes("in/two.glb", glb, size);
    assert_int_equal(gz_gltf_load(&out, at("in/two.glb"), NULL, NULL), GZ_OK);
    assert_memory_equal(out.data + out.size - 8, "BINCHUNK", 8);
    import_bytes(&import, out.data, out.size);
    gz_import_finish(&import);
    gz_buffer_finish(&out);
    free(glb);
    free(json);
}

TEST(test_load_file_that_needs_nothing_is_kept_to_the_byte)
{
    struct gz_buffer out;
    gz_buffer_init(&out, GZ_ASSET_BYTES_MAX, 0);
    write_bytes("in/arm.glb", gz_sample_glb, gz_sample_glb_size);
    assert_int_equal(gz_gltf_load(&out, at("in/arm.glb"), NULL, NULL), GZ_OK);
    assert_int_equal(out.size, gz_sample_glb_size);
    assert_memory_equal(out.data, gz_sample_glb, out.size);
    gz_buffer_finish(&out);
}

TEST(test_load_path_is_relative_to_the_working_directory)
{
    struct gz_buffer out;
    char *before = getcwd(NULL, 0);
    gz_buffer_init(&out, GZ_ASSET_BYTES_MAX, 0);
    write_quoted("in/model.gltf", TRIANGLE("a.bin"));
    assert_int_equal(chdir(at("in")), 0);
    enum gz_status status = gz_gltf_load(&out, "model.gltf", NULL, NULL);
    assert_int_equal(chdir(before), 0);
    assert_int_equal(status, GZ_OK);
    gz_buffer_finish(&out);
    free(before);
}

TEST(test_load_unreadable_file_is_said)
{
    static const struct {
        const char *name, *message;
    } cases[] = {{"in/none.glb", "No such file or directory: "},
                 {"in", "not a file: "},
                 {"in/pipe.bin", "not a file: "}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gz_buffer out;
        struct gz_error error = {0};
        gz_buffer_init(&out, GZ_ASSET_BYTES_MAX, 0);
        assert_int_equal(gz_gltf_load(&out, at(cases[i].name), NULL, &error), GZ_STORAGE);
        if (strstr(error.message, cases[i].message) == NULL) fail_msg("says \"%s\"", error.message);
        gz_buffer_finish(&out);
    }
}

/* A file of holes is large without being there. */
TEST(test_load_too_much_is_refused)
{
    struct gz_buffer out;
    struct gz_error error = {0};
    gz_buffer_init(&out, GZ_ASSET_BYTES_MAX, 0);
    write_bytes("in/large.bin", "", 0);
    assert_int_equal(truncate(at("in/large.bin"), (off_t)GZ_ASSET_BYTES_MAX + 1), 0);
    write_quoted("in/model.gltf", TRIANGLE("large.bin"));
    assert_int_equal(gz_gltf_load(&out, at("in/model.gltf"), NULL, &error), GZ_TOO_LARGE);
    assert_non_null(strstr(error.message, "buffers[0].uri: larger than"));
    assert_int_equal(truncate(at("in/large.bin"), (off_t)GZ_ASSET_BYTES_MAX / 4), 0);
    write_quoted("in/model.gltf",
                 "{" ASSET ",'images':[{'uri':'large.bin'},{'uri':'large.bin'},{'uri':'large.bin'},"
                 "{'uri':'large.bin'},{'uri':'large.bin'}]}");
    assert_int_equal(gz_gltf_load(&out, at("in/model.gltf"), NULL, &error), GZ_TOO_LARGE);
    assert_non_null(strstr(error.message, "images[4].uri: larger than"));
    gz_buffer_finish(&out);
}

int main(void)
{
    return test_run(make_folder, remove_folder);
}
