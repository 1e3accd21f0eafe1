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
        if (gz_gltf_load(&out, at("in/model.gltf"), &error) != GZ_OK) fail_msg("%s", error.message);
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

TEST(test_load_uri_that_leaves_or_lies_is_refused)
{
    static const struct {
        const char *text;
        enum gz_status status;
        const char *message;
    } cases[] = {
        {TRIANGLE("../outside.bin"), GZ_BAD_VALUE,
         "buffers[0].uri: is a path that leaves the folder: ../outside.bin"},
        {TRIANGLE("sub/../../outside.bin"), GZ_BAD_VALUE, "leaves the folder"},
        {TRIANGLE("sub/../a.bin"), GZ_BAD_VALUE, "leaves the folder"},
        {TRIANGLE("%2e%2e/outside.bin"), GZ_BAD_VALUE, "leaves the folder"},
        {TRIANGLE("..%2Foutside.bin"), GZ_BAD_VALUE, "leaves the folder"},
        {TRIANGLE("sub/.."), GZ_BAD_VALUE, "leaves the folder"},
        {TRIANGLE("/etc/hostname"), GZ_BAD_VALUE, "an absolute path"},
        {TRIANGLE("%2Fetc/hostname"), GZ_BAD_VALUE, "an absolute path"},
        {TRIANGLE("//host/a.bin"), GZ_BAD_VALUE, "an absolute path"},
        {TRIANGLE("http://host/a.bin"), GZ_BAD_VALUE, "a URI with a scheme"},
        {TRIANGLE("file:a.bin"), GZ_BAD_VALUE, "a URI with a scheme"},
        {TRIANGLE("a:b.bin"), GZ_BAD_VALUE, "a URI with a scheme"},
        {TRIANGLE("DATA:a.bin"), GZ_BAD_VALUE, "a URI with a scheme"},
        {TRIANGLE(""), GZ_BAD_VALUE, "buffers[0].uri: is empty"},
        {TRIANGLE("a%00.bin"), GZ_BAD_VALUE, "a bad percent escape"},
        {TRIANGLE("a.bin%"), GZ_BAD_VALUE, "a bad percent escape"},
        {TRIANGLE("a.bin%4"), GZ_BAD_VALUE, "a bad percent escape"},
        {TRIANGLE("%zz.bin"), GZ_BAD_VALUE, "a bad percent escape"},
        {TRIANGLE("leaving.bin"), GZ_BAD_VALUE, "is a link that leaves the folder"},
        {TRIANGLE("beside.bin"), GZ_BAD_VALUE, "is a link that leaves the folder"},
        {TRIANGLE("up/outside.bin"), GZ_BAD_VALUE, "is a link that leaves the folder"},
        {TRIANGLE("none.bin"), GZ_STORAGE, "buffers[0].uri: No such file or directory: none.bin"},
        {TRIANGLE("sub"), GZ_STORAGE, "buffers[0].uri: not a file: sub"},
        {TRIANGLE("pipe.bin"), GZ_STORAGE, "buffers[0].uri: not a file: pipe.bin"},
        {"{" ASSET ",'images':[{'uri':'none.png'}]}", GZ_STORAGE, "images[0].uri: No such file"},
        {"{" ASSET ",'nodes':{}}", GZ_BAD_MESSAGE, "nodes: must be a list"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gz_buffer out;
        struct gz_error error = {0};
        gz_buffer_init(&out, GZ_ASSET_BYTES_MAX, 0);
        assert_int_equal(gz_buffer_append(&out, "before", 6), GZ_OK);
        write_quoted("in/model.gltf", cases[i].text);
        enum gz_status status = gz_gltf_load(&out, at("in/model.gltf"), &error);
        if (status != cases[i].status)
            fail_msg("case %zu: %s %s", i, gz_status_word(status), error.message);
        if (strstr(error.message, cases[i].message) == NULL)
            fail_msg("case %zu: says \"%s\"", i, error.message);
        assert_int_equal(out.size, 6);
        gz_buffer_finish(&out);
    }
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
        if (gz_gltf_load(&out, at("in/image.gltf"), &error) != GZ_OK) fail_msg("%s", error.message);
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
    assert_int_equal(gz_gltf_load(&out, at("in/n.gltf"), NULL), GZ_OK);
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
    assert_int_equal(gz_gltf_load(&out, at("in/two.glb"), NULL), GZ_OK);
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
    assert_int_equal(gz_gltf_load(&out, at("in/arm.glb"), NULL), GZ_OK);
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
    enum gz_status status = gz_gltf_load(&out, "model.gltf", NULL);
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
        assert_int_equal(gz_gltf_load(&out, at(cases[i].name), &error), GZ_STORAGE);
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
    assert_int_equal(gz_gltf_load(&out, at("in/model.gltf"), &error), GZ_TOO_LARGE);
    assert_non_null(strstr(error.message, "buffers[0].uri: larger than"));
    assert_int_equal(truncate(at("in/large.bin"), (off_t)GZ_ASSET_BYTES_MAX / 4), 0);
    write_quoted("in/model.gltf",
                 "{" ASSET ",'images':[{'uri':'large.bin'},{'uri':'large.bin'},{'uri':'large.bin'},"
                 "{'uri':'large.bin'},{'uri':'large.bin'}]}");
    assert_int_equal(gz_gltf_load(&out, at("in/model.gltf"), &error), GZ_TOO_LARGE);
    assert_non_null(strstr(error.message, "images[4].uri: larger than"));
    gz_buffer_finish(&out);
}

int main(void)
{
    return test_run(make_folder, remove_folder);
}
