/* test_json.c - what nobody edits of a glTF comes back to the byte, whatever it is. */
#include "files.h"
#include "server/maxima.h"

#include <stdio.h>

/* Exports `text` with its first node moved to x = 7, or unchanged. */
static char *export_text(const char *text, size_t size, bool moved)
{
    struct gz_import import;
    import_bytes(&import, text, size);
    struct gz_export_node *nodes = same_nodes(&import);
    if (moved) nodes[0].trs.t = (gz_vec3){7, 0.1, -1e-7};
    struct gz_buffer out;
    gz_buffer_init(&out, GZ_ASSET_BYTES_MAX, 0);
    assert_int_equal(gz_export_write(&out, &(struct gz_export_file){0, (const uint8_t *)text, size},
                                     size > 0, nodes, import.count, false, NULL, NULL),
                     GZ_OK);
    char *copy = strndup((const char *)out.data, out.size);
    assert_non_null(copy);
    gz_buffer_finish(&out);
    free(nodes);
    gz_import_finish(&import);
    return copy;
}

static void assert_export(const char *text, bool moved, const char *wanted)
{
    char *out = export_text(text, strlen(text), moved);
    if (strcmp(out, wanted) != 0) fail_msg("is\n%s\nnot\n%s", out, wanted);
    free(out);
}

/* Everything that readers of JSON tend to lose: digits, order, doubled names, escapes, half
 * surrogates, NULs, bytes that are no UTF-8, empty lists, blanks, a byte order mark. */
#define ODD                                                                                        \
    "\"extras\" : {\"guid\":18446744073709551615,\"z\":1e400,\"a\":0.1,\"b\":-0,\"c\":1.0,"        \
    "\"d\":1E5,\"e\":-0.0e-00,\"f\":123456789012345678901234567890.123456789012345678901,"         \
    "\"a\":2,\"h\":\"\\ud800\",\"n\":\"a\\u0000b\",\"\\u0000\":[],\"q\":{ },\"l\":[ ],"            \
    "\"bad\":\"\xC3(\xFF\",\"s\":\"\\/\\u0041\",\"deep\":[[[[{\"x\":null}]]]]}"

TEST(test_json_unedited_file_comes_back_to_the_byte)
{
    static const char text[] = "\xEF\xBB\xBF\r\n{ \"asset\":{\"version\":\"2.0\"},\r\n\t" ODD
                               ",\"scenes\":[{\"nodes\":[]},{\"nodes\":[0]}],\"scene\":1.0,"
                               "\"nodes\" : [ {\"scale\":[0.0,-0,1E0],\"children\":[],"
                               "\"rotation\":[0,0,3,4.000]} ] }\n\n ";
    assert_export(text, false, text);
}

TEST(test_json_edit_changes_its_place_alone)
{
    assert_export("{\n  \"nodes\" : [\n    {\n      \"translation\" : [1.0, 2.0, 3.00],\n      " ODD
                  "\n    },\n    {\"translation\":[1.50,0,0]}\n  ],\n  \"asset\" : "
                  "{ \"version\" : \"2.0\" }\n}\n",
                  true,
                  "{\n  \"nodes\" : [\n    {\n      \"translation\" : [7,0.1,-1e-7],\n      " ODD
                  "\n    },\n    {\"translation\":[1.50,0,0]}\n  ],\n  \"asset\" : "
                  "{ \"version\" : \"2.0\" }\n}\n");
    assert_export("{\"nodes\":[{" ODD "},{}],\"asset\":{\"version\":\"2.0\"}}", true,
                  "{\"nodes\":[{" ODD ",\"translation\":[7,0.1,-1e-7]},{}],"
                  "\"asset\":{\"version\":\"2.0\"}}");
}

/* A name that is twice is written once, where the last one was, which readers take. */
TEST(test_json_edit_of_a_doubled_name)
{
    assert_export("{\"nodes\":[{\"translation\":[1,1,1],\"name\":\"a\",\"translation\":[2,2,2]}],"
                  "\"asset\":{\"version\":\"2.0\"}}",
                  true,
                  "{\"nodes\":[{\"name\":\"a\",\"translation\":[7,0.1,-1e-7]}],"
                  "\"asset\":{\"version\":\"2.0\"}}");
}

/* A number that cannot be kept is the file's as long as nobody changes the node. */
TEST(test_json_numbers_that_cannot_be_kept_are_carried)
{
    static const char text[] =
        "{\"nodes\":[{\"translation\":[1e400,0,0]},{\"scale\":[1e-20,1,1]},{\"translation\":[1e300,"
        "0,0]},{\"rotation\":[0,0,0,0]},{\"scale\":[1,2]},{\"matrix\":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,"
        "0,1]},null,{\"children\":[null,99,6]}],\"asset\":{\"version\":\"2.0\"}}";
    assert_export(text, false, text);
    char *out = export_text(text, strlen(text), true);
    char *wanted = strdup(text);
    const char *changed = "{\"nodes\":[{\"translation\":[7,0.1,-1e-7]}";
    assert_memory_equal(out, changed, strlen(changed));
    assert_string_equal(out + strlen(changed),
                        wanted + strlen("{\"nodes\":[{\"translation\":[1e400,0,0]}"));
    free(wanted);
    free(out);
}

static char *nest(size_t depth)
{
    char *text = malloc(2 * depth + 200);
    assert_non_null(text);
    size_t used =
        (size_t)sprintf(text, "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{}],\"extras\":");
    memset(text + used, '[', depth);
    memset(text + used + depth, ']', depth);
    (void)sprintf(text + used + 2 * depth, "}");
    return text;
}

TEST(test_json_depth_at_the_limit_and_one_past_it)
{
    char *text = nest(GZ_JSON_DEPTH_MAX - 1); /* the file itself is one of them */
    char *out = export_text(text, strlen(text), false);
    assert_string_equal(out, text);
    free(out);
    free(text);
    struct gz_import import;
    struct gz_error error = {0};
    text = nest(GZ_JSON_DEPTH_MAX);
    assert_int_equal(gz_import_parse(&import, (const uint8_t *)text, strlen(text), &error),
                     GZ_BAD_MESSAGE);
    assert_non_null(strstr(error.message, "too deep inside each other"));
    free(text);
}

/* A large object finds its members by a sorted list, and keeps their order. */
TEST(test_json_object_of_many_members_keeps_their_order)
{
    size_t count = 20000, used = 0;
    char *text = malloc(count * 24 + 200);
    used += (size_t)sprintf(text, "{");
    for (size_t i = 0; i < count; i++)
        used += (size_t)sprintf(text + used, "\"k%zu\":%zu,", i * 7919 % count, i);
    used += (size_t)sprintf(text + used, "\"nodes\":[null],\"nodes\":[{\"name\":\"a\"}],\"z\":1,");
    (void)sprintf(text + used, "\"asset\":{\"version\":\"2.0\"}}");
    char *out = export_text(text, strlen(text), false);
    assert_string_equal(out, text);
    free(out);
    out = export_text(text, strlen(text), true);
    assert_int_equal(strlen(out), strlen(text) + strlen(",\"translation\":[7,0.1,-1e-7]"));
    free(out);
    free(text);
}

/* What is no JSON is refused with its place. */
TEST(test_json_that_is_none_is_refused)
{
    static const char *const texts[][2] = {
        {"{\"a\":[1,]}", "column 9"},
        {"{\"a\":1,}", "column 8"},
        {"{\"a\" 1}", "a colon"},
        {"{a:1}", "the name of a member"},
        {"[01]", "the form of JSON"},
        {"[1.]", "the form of JSON"},
        {"[.5]", "a value is expected"},
        {"[1e]", "the form of JSON"},
        {"[+1]", "a value is expected"},
        {"[-]", "the form of JSON"},
        {"[0x1]", "a comma or"},
        {"[\"a]", "a text has no end"},
        {"[\"a\nb\"]", "line break"},
        {"[\"\\x\"]", "begins no escape"},
        {"[\"\\u12g4\"]", "hexadecimal"},
        {"[\"\\u12", "hexadecimal"},
        {"[\"\\", "begins no escape"},
        {"{\"a\":1", "not complete"},
        {"[", "not complete"},
        {"{} {}", "goes on behind"},
        {"[1 2]", "a comma or"},
        {"[true1]", "a comma or"},
        {"\n\n  [tru]", "line 3, column 4"},
        {" ", "nothing in the file"},
        {"\xEF\xBB\xBF", "nothing in"},
        {"[1}", "a comma or"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct gz_import import;
        struct gz_error error = {0};
        size_t size = strlen(texts[i][0]);
        char *exact = malloc(size); /* so that a read past the end is seen */
        memcpy(exact, texts[i][0], size);
        enum gz_status status = gz_import_parse(&import, (const uint8_t *)exact, size, &error);
        if (status != GZ_BAD_MESSAGE || strstr(error.message, texts[i][1]) == NULL)
            fail_msg("%s: %s \"%s\"", texts[i][0], gz_status_word(status), error.message);
        free(exact);
    }
}

TEST(test_json_member_that_is_twice_is_asked_back)
{
    char text[10];
    struct gz_error error = {0};
    const char *body = "{\"name\":\"a\",\"name\":\"b\"}";
    assert_int_equal(
        gz_json_member((const uint8_t *)body, strlen(body), "name", text, sizeof text, &error),
        GZ_BAD_MESSAGE);
    assert_string_equal(error.message, "name: this name is in the object twice");
    body = "{\"name\":\"\\u0061\\/b\"}";
    assert_int_equal(
        gz_json_member((const uint8_t *)body, strlen(body), "name", text, sizeof text, &error),
        GZ_OK);
    assert_string_equal(text, "a/b");
}

int main(void)
{
    return test_run(NULL, NULL);
}
