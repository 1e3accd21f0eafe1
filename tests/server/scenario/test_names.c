/* A text of any bytes that is one comes back as it went, from the wire to the file, from there
 * over a restart to the wire again, and as JSON to programs; and what is no text is refused. */
#include <jansson.h>

#include "stage.h"

static const char *const names[] = {
    "'); DROP TABLE nodes; --",
    "\" OR 1=1",
    "{\"id\":1}\\\"\\u0000",
    "a\nb\tc\r\v\f\b\x1b[31m",
    "\x01\x1f\x7f",
    "%s%n%d?1",
    "\xc2\x80\xc2\x9f\xc2\xad", /* controls beyond ASCII, a hyphen that is not seen */
    "\xf0\x9f\x94\xa7\xe2\x80\x8d\xf0\x9f\x94\xa9",     /* joined signs */
    "\xef\xbf\xbf\xf4\x8f\xbf\xbf",                     /* the last of each plane */
    "\xef\xbb\xbf\xe2\x80\xae\xe2\x80\xa8\xe2\x80\xa9", /* marks of order, of direction, of lines */
    "\xc3\xa9 is not e\xcc\x81",                        /* nothing is made the same */
    " leading and trailing ",
    "</script><!--",
};
#define NAME_COUNT (sizeof names / sizeof names[0])

static const struct {
    const char *bytes;
    size_t size;
} refused[] = {
    {"\xff", 1},     {"a\0b", 3}, {"\xc0\x80", 2},     {"\xed\xa0\x80", 3}, {"\xf4\x90\x80\x80", 4},
    {"\xe2\x80", 2}, {"\x80", 1}, {"\xe0\x80\xaf", 3},
};

static struct gz_client *join_as(struct stage *stage, const char *user)
{
    return stage_join(stage, "names", user);
}

/* For each: a node of that name, made by a user of that name, with a key of that name, and a note
 * that says it. */
static void make_all(struct stage *stage, uint64_t ids[NAME_COUNT])
{
    for (size_t i = 0; i < NAME_COUNT; i++) {
        struct gz_client *client = join_as(stage, names[i]);
        struct gz_create_node node = {.name = gz_client_text(names[i]), .trs = gz_trs_identity};
        struct gz_message create = {.op = GZ_OP_CREATE,
                                    .has = GZ_HAS_KEY,
                                    .key = gz_client_text(names[i]),
                                    .create = {&node, 1}};
        ids[i] = stage_ask(client, create)->ok.ids.ids[0];
        stage_ask(client, (struct gz_message){.op = GZ_OP_NOTE,
                                              .has = GZ_HAS_NOTE_TEXT,
                                              .note.text = gz_client_text(names[i])});
        assert_int_equal(stage_ask(client, create)->ok.ids.ids[0], ids[i]);
        gz_client_destroy(client);
        stage->count--;
    }
}

static void assert_all_on_the_wire(struct gz_client *client, const uint64_t ids[NAME_COUNT])
{
    stage_ask(client, (struct gz_message){.op = GZ_OP_PING}); /* the notes come behind the nodes */
    assert_int_equal(gz_mirror_count(gz_client_mirror(client)), NAME_COUNT);
    assert_int_equal(gz_pinboard_count(gz_client_pinboard(client)), NAME_COUNT);
    for (size_t i = 0; i < NAME_COUNT; i++) {
        const struct gz_note_state *note = gz_pinboard_at(gz_client_pinboard(client), i);
        assert_string_equal(node_in(client, ids[i])->name, names[i]);
        assert_string_equal(note->text.bytes, names[i]);
        assert_string_equal(note->user.bytes, names[i]);
    }
    const struct gz_message *history = stage_ask(client, (struct gz_message){.op = GZ_OP_HISTORY});
    assert_int_equal(history->ok.edit_count, NAME_COUNT);
    for (size_t i = 0; i < NAME_COUNT; i++) {
        const struct gz_edit_message *edit = &history->ok.edits[NAME_COUNT - 1 - i];
        assert_int_equal(edit->user.size, strlen(names[i]));
        assert_memory_equal(edit->user.bytes, names[i], edit->user.size);
    }
}

/* The text of `key` in the i-th line that gizmoctl says. */
static void assert_lines(const struct stage *stage, const char *const *arguments, const char *key,
                         bool is_backwards)
{
    struct test_output output;
    test_ctl(&output, &stage->daemon, NULL, arguments);
    assert_string_equal(output.err, "");
    assert_int_equal(output.code, 0);
    const char *line = output.out;
    for (size_t i = 0; i < NAME_COUNT; i++) {
        const char *end = strchr(line, '\n');
        assert_non_null(end);
        json_error_t error;
        json_t *object = json_loadb(line, (size_t)(end - line), 0, &error);
        if (object == NULL) fail_msg("%s: %.*s", error.text, (int)(end - line), line);
        assert_string_equal(json_string_value(json_object_get(object, key)),
                            names[is_backwards ? NAME_COUNT - 1 - i : i]);
        json_decref(object);
        line = end + 1;
    }
    assert_string_equal(line, "");
    test_output_finish(&output);
}

TEST_ON_STAGE(test_texts_of_any_bytes_come_back_from_file_wire_and_gizmoctl)
{
    struct stage *stage = *state;
    uint64_t ids[NAME_COUNT];
    make_all(stage, ids);
    test_daemon_kill(&stage->daemon);
    test_daemon_start(&stage->daemon, NULL, NULL);
    assert_all_on_the_wire(join_as(stage, "reader"), ids);
    assert_lines(stage, (const char *const[]){"ls", "names", "--json", NULL}, "name", false);
    assert_lines(stage, (const char *const[]){"history", "names", "--json", NULL}, "user", true);
    assert_lines(stage, (const char *const[]){"notes", "names", "--json", NULL}, "text", false);
}

TEST_ON_STAGE(test_bytes_that_are_no_text_are_refused)
{
    struct stage *stage = *state;
    struct gz_client *client = join_as(stage, "anna");
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct gz_text text = {refused[i].bytes, refused[i].size};
        struct gz_create_node node = {.name = text, .trs = gz_trs_identity};
        stage_refused(client, (struct gz_message){.op = GZ_OP_CREATE, .create = {&node, 1}},
                      GZ_BAD_VALUE);
        stage_refused(
            client,
            (struct gz_message){.op = GZ_OP_NOTE, .has = GZ_HAS_NOTE_TEXT, .note.text = text},
            GZ_BAD_VALUE);
        stage_refused(client, (struct gz_message){.op = GZ_OP_UNDO, .has = GZ_HAS_KEY, .key = text},
                      GZ_BAD_VALUE);
    }
    assert_int_equal(gz_mirror_count(gz_client_mirror(client)), 0);
}
