/* Every allocation in turn finds no memory: each call then says so, holds nothing and leaves its
 * output as it was. The linker wraps the room's allocations. */
#include "files.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

/* Allocations until one fails; negative: none does. Tests run one at a time. */
static long left = -1;

static int runs_out(void)
{
    if (left < 0) return 0;
    return left-- == 0;
}

void *__wrap_malloc(size_t size)
{
    return runs_out() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return runs_out() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return runs_out() ? NULL : __real_realloc(memory, size);
}

#define FILE_TEXT                                                                                  \
    "{'asset':{'version':'2.0'},'images':[{'uri':'data:,GIF8'}],'nodes':[{'name':'a','children':[" \
    "1]},{'mesh':0},{'matrix':"                                                                    \
    "[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}],'buffers':[{'byteLength':42,'uri':'data:;base64,"         \
    "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAABAAIA'}],"                                 \
    "'bufferViews':[{'buffer':0,'byteLength':42}],'accessors':[{'bufferView':0,'byteOffset':36,'"  \
    "componentType':5123,"                                                                         \
    "'count':3,'type':'SCALAR'},{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3','"    \
    "min':[0,0,0],"                                                                                \
    "'max':[1,1,0]}],'meshes':[{'primitives':[{'attributes':{'POSITION':1},'indices':0}]}]}"

/* Without memory for the triangles alone a file is taken all the same. */
TEST(test_import_out_of_memory_holds_nothing)
{
    char *json = from_quotes(FILE_TEXT);
    long tries = 0, without_surfaces = 0;
    for (bool whole = false; !whole; tries++) {
        struct gz_import import;
        struct gz_error error = {0};
        left = tries;
        enum gz_status status =
            gz_import_parse(&import, (const uint8_t *)json, strlen(json), &error);
        whole = left >= 0;
        left = -1;
        if (status != GZ_OK) {
            if (status != GZ_NO_MEMORY) fail_msg("allocation %ld: %s", tries, error.message);
            assert_null(import.nodes);
            assert_null(import.surfaces);
            continue;
        }
        assert_int_equal(import.count, 3);
        assert_int_equal(import.surfaces_status, whole ? GZ_OK : GZ_NO_MEMORY);
        assert_true((import.surfaces != NULL) == whole);
        without_surfaces += !whole;
        gz_import_finish(&import);
    }
    assert_true(tries > 20); /* values come from an arena, in blocks */
    assert_int_equal(without_surfaces, 4);
    free(json);
}

TEST(test_export_out_of_memory_writes_nothing)
{
    const gz_trs moved = {{1, 0, 0}, {0, 0, 0.6, 0.8}, {2, 2, 2}};
    const struct gz_export_node nodes[] = {{1, 0, 0, "b", moved},
                                           {2, 3, 1, "c", moved},
                                           {3, 1, -1, "new", moved},
                                           {4, 0, 1, "copy", moved}};
    char *json = from_quotes(FILE_TEXT);
    enum gz_status status = GZ_NO_MEMORY;
    long tries = 0;
    for (; status != GZ_OK; tries++) {
        struct gz_buffer out;
        struct gz_error error = {0};
        gz_buffer_init(&out, 100000, 0);
        left = tries;
        status =
            gz_export_write(&out, &(struct gz_export_file){0, (const uint8_t *)json, strlen(json)},
                            strlen(json) > 0, nodes, 4, false, NULL, &error);
        left = -1;
        if (status != GZ_OK) {
            if (status != GZ_NO_MEMORY) fail_msg("allocation %ld: %s", tries, error.message);
            assert_int_equal(out.size, 0);
        }
        gz_buffer_finish(&out);
    }
    assert_true(tries > 30);
    free(json);
}
