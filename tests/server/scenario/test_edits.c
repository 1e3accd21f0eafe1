/* gizmoctl edit: each line of its input is one edit with one answer, in their order, as they come;
 * what is no edit changes nothing; over a crash a line with a key is done once. */
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "proto/limits.h"
#include "stage.h"

/* The scene "arm" with the node "base", which is 1. */
static struct gz_client *make_arm(struct stage *stage)
{
    struct gz_client *client = stage_join(stage, "arm", "anna");
    assert_int_equal(stage_create(client, "base", 0, (gz_vec3){0, 0, 0}), 1);
    return client;
}

static void edit(const struct stage *stage, const char *input, const char *option,
                 struct test_output *output)
{
    test_ctl(output, &stage->daemon, input,
             (const char *const[]){"edit", "arm", "-", "--json", option, NULL});
}

static void check(const struct test_output *output, int code, const char *out, const char *err)
{
    assert_string_equal(output->err, err);
    assert_string_equal(output->out, out);
    assert_int_equal(output->code, code);
}

static uint64_t seq_now(struct stage *stage)
{
    return gz_mirror_seq(gz_client_mirror(stage_join(stage, "arm", "reader")));
}

TEST_ON_STAGE(test_each_line_has_one_answer_in_its_order)
{
    struct stage *stage = *state;
    struct test_output output;
    make_arm(stage);
    edit(stage,
         "\xef\xbb\xbf{\"op\":\"set\",\"nodes\":[{\"id\":1,\"t\":[1,2,3]}]}\n"
         "\n"
         "  \t\r\n"
         "{\"rid\":77,\"op\":\"create\",\"key\":\"k1\",\"nodes\":[{\"name\":\"a\",\"ref\":\"x\"},"
         "{\"name\":\"b\",\"parent\":\"x\"}]}\r\n"
         "{\"op\":\"delete\",\"nodes\":[9],\"rid\":78}\n"
         "{\"op\":\"create\",\"key\":\"k1\",\"nodes\":[{\"name\":\"other\"}]}\n"
         "nonsense\n"
         "{\"op\":\"undo\"}\n"
         "{\"op\":\"redo\"}\n"
         "{\"op\":\"note\",\"text\":\"here\"}\n"
         "{\"op\":\"checkpoint\",\"name\":\"c\"}\n"
         "{\"op\":\"revert\",\"edit\":2}\n"
         "{\"op\":\"restore\",\"checkpoint\":\"c\"}\n"
         "{\"op\":\"delete\",\"nodes\":[2]}",
         NULL, &output);
    check(&output, 5,
          "{\"op\":\"ok\",\"edit\":2,\"seq\":2,\"line\":1}\n"
          "{\"op\":\"ok\",\"edit\":3,\"seq\":4,\"ids\":[2,3],\"line\":4,\"rid\":77}\n"
          "{\"op\":\"error\",\"code\":\"unknown_node\",\"message\":\"delete.nodes[0]: there is no "
          "node 9\",\"nodes\":[9],\"line\":5,\"rid\":78}\n"
          "{\"op\":\"ok\",\"edit\":3,\"seq\":4,\"ids\":[2,3],\"line\":6}\n"
          "{\"op\":\"error\",\"code\":\"bad_message\",\"message\":\"message: at byte 1: a value is "
          "expected\",\"line\":7}\n"
          "{\"op\":\"ok\",\"edit\":4,\"seq\":6,\"line\":8}\n"
          "{\"op\":\"ok\",\"edit\":5,\"seq\":8,\"line\":9}\n"
          "{\"op\":\"ok\",\"note\":1,\"line\":10}\n"
          "{\"op\":\"ok\",\"seq\":8,\"line\":11}\n"
          "{\"op\":\"ok\",\"edit\":6,\"seq\":9,\"line\":12}\n"
          "{\"op\":\"ok\",\"edit\":7,\"seq\":10,\"line\":13}\n"
          "{\"op\":\"ok\",\"edit\":8,\"seq\":12,\"line\":14}\n",
          "");
    test_output_finish(&output);
}

TEST_ON_STAGE(test_answers_for_people_are_lines_too)
{
    struct stage *stage = *state;
    struct test_output output;
    make_arm(stage);
    test_ctl(&output, &stage->daemon,
             "{\"op\":\"create\",\"nodes\":[{\"name\":\"a\"},{\"name\":\"b\"}]}\n"
             "{\"op\":\"delete\",\"nodes\":[9]}\n"
             "{\"op\":\"note\",\"text\":\"here\"}\n",
             (const char *const[]){"edit", "arm", NULL});
    check(&output, 5, "edit 2  seq 3  nodes 2, 3\nnote 1\n",
          "gizmoctl edit: line 2: delete.nodes[0]: there is no node 9 (unknown_node)\n");
    test_output_finish(&output);
}

/* A program that waits for each answer before it goes on is answered. */
TEST_ON_STAGE(test_a_line_is_answered_when_it_comes)
{
    struct stage *stage = *state;
    struct test_child child;
    struct test_output output;
    make_arm(stage);
    test_ctl_start(&child, &stage->daemon, (const char *const[]){"edit", "arm", "--json", NULL});
    for (int i = 1; i <= 3; i++) {
        char input[128], expected[128];
        int size = snprintf(input, sizeof input,
                            "{\"op\":\"set\",\"nodes\":[{\"id\":1,\"t\":[%d,0,0]}]}\n", i);
        assert_int_equal(write(child.input, input, (size_t)size), size);
        snprintf(expected, sizeof expected, "{\"op\":\"ok\",\"edit\":%d,\"seq\":%d,\"line\":%d}",
                 i + 1, i + 1, i);
        char *line = test_child_line(&child);
        assert_string_equal(line, expected);
        free(line);
    }
    test_child_finish(&child, NULL, &output);
    check(&output, 0, "", "");
    test_output_finish(&output);
}

TEST_ON_STAGE(test_numbers_come_to_the_scene_as_they_are)
{
    static const char *const texts[][3] = {
        {"0.1", "-0.0", "1e-300"},
        {"9007199254740993", "1E15", "-0.33333333333333331"},
        {"5e-324", "123", "-7"},
    };
    struct stage *stage = *state;
    struct test_output output;
    char input[1024];
    size_t size = 0;
    struct gz_client *client = make_arm(stage);
    for (size_t i = 0; i < 3; i++)
        size +=
            (size_t)snprintf(input + size, sizeof input - size,
                             "{\"op\":\"create\",\"nodes\":[{\"name\":\"a\",\"t\":[%s,%s,%s]}]}\n",
                             texts[i][0], i == 1 ? "-1e15" : texts[i][1], texts[i][2]);
    edit(stage, input, NULL, &output);
    if (output.code != 7) fail_msg("%s%s", output.out, output.err);
    test_output_finish(&output);
    const struct gz_client *reader = stage_join_plain(stage, "arm", "reader");
    for (uint64_t i = 0, id = 2; i < 3; i++) {
        if (i == 1) continue; /* 2^53 + 1 metres is beyond a scene */
        const gz_trs *trs = &node_in(reader, id++)->trs;
        const double expected[] = {strtod(texts[i][0], NULL), strtod(texts[i][1], NULL),
                                   strtod(texts[i][2], NULL)};
        assert_memory_equal(&trs->t, expected, sizeof expected);
    }
    (void)client;
}

/* What fits into a message fits into a line: the first is large only in a field that nobody reads,
 * the second has more nodes than a message can. */
TEST_ON_STAGE(test_a_line_may_be_as_long_as_a_message)
{
    enum { NUMBERS = 130000, NODES = 40000 };
    struct stage *stage = *state;
    struct test_output output;
    char *input = malloc(3 * (size_t)GZ_MESSAGE_BYTES_MAX), *at = input;
    make_arm(stage);
    at += sprintf(at, "{\"op\":\"set\",\"nodes\":[{\"id\":1,\"t\":[1,2,3]}],\"x\":[1");
    for (int i = 1; i < NUMBERS; i++) at += sprintf(at, ",1");
    at += sprintf(at, "]}\n{\"op\":\"set\",\"nodes\":[{\"id\":1,\"t\":[1,0,0]}");
    for (int i = 2; i <= NODES; i++) at += sprintf(at, ",{\"id\":%d,\"t\":[1,0,0]}", i);
    strcpy(at, "]}\n");
    edit(stage, input, NULL, &output);
    check(&output, 7,
          "{\"op\":\"ok\",\"edit\":2,\"seq\":2,\"line\":1}\n"
          "{\"op\":\"error\",\"code\":\"too_large\",\"message\":\"the message is larger than "
          "1048576 bytes\",\"line\":2}\n",
          "");
    test_output_finish(&output);
    free(input);
}

/* A line that is longer than it may be. */
static char *long_line(void)
{
    const size_t size = 5 * (size_t)GZ_MESSAGE_BYTES_MAX;
    char *line = malloc(size + 1);
    assert_non_null(line);
    memset(line, ' ', size);
    line[0] = '{';
    line[size] = '\0';
    return line;
}

/* The answers of the lines have these words, one each, and nothing is changed. */
TEST_ON_STAGE(test_what_is_no_edit_changes_nothing)
{
    static const char *const rows[][2] = {
        {"7", "message: expected a map"},
        {"[]", "message: expected a map"},
        {"[{\"op\":\"undo\"}]", "message: expected a map"},
        {"{}", "op"},
        {"{\"op\":\"undo\"", "at byte 13: a comma or a closing brace is expected"},
        {"{\"op\":\"undo\"} x", "a line holds one message"},
        {"{\"op\":\"undo\"},{\"op\":\"undo\"}", "a line holds one message"},
        {"]", "at byte 1: the frame is empty"},
        {"{'op':'undo'}", "at byte 2: a key is expected"},
        {"{\"op\":\"delete\",\"op\":\"undo\"}", "delete.op: given twice"},
        {"{\"op\":\"set\",\"nodes\":[{\"id\":1,\"t\":[1e999,0,0]}]}",
         "set.nodes[0].t[0]: not finite"},
        {"{\"op\":\"set\",\"nodes\":[{\"id\":1,\"t\":[NaN,0,0]}]}",
         "at byte 35: a value is expected"},
        {"{\"op\":\"set\",\"nodes\":[{\"id\":99999999999999999999,\"t\":[0,0,0]}]}",
         "set.nodes[0].id: 2^53 or more"},
        {"{\"op\":\"fly\"}", "unknown_op"},
        {"{\"op\":7}", "bad_message"},
        {"{\"op\":\"hello\",\"v\":1,\"scene\":\"arm\",\"user\":\"a\"}", "is none of set create"},
        {"{\"op\":\"select\",\"nodes\":[1],\"how\":\"set\"}", "is none of set create"},
        {"{\"op\":\"pick\",\"at\":[1,2]}", "is none of set create"},
        {"{\"op\":\"set\"}", "set.nodes"},
        {"{\"op\":\"set\",\"nodes\":[{\"id\":\"base\",\"t\":[0,0,0]}]}", "set.nodes[0].id"},
        {"{\"op\":\"set\",\"nodes\":[{\"id\":1,\"t\":[0,0]}]}", "set.nodes[0].t"},
        {"{\"op\":\"set\",\"nodes\":[{\"id\":1,\"t\":[0,0,true]}]}", "set.nodes[0].t"},
        {"{\"op\":\"set\",\"nodes\":[{\"id\":1,\"r\":[0,0,0,0]}]}", "zero quaternion"},
        {"{\"op\":\"set\",\"nodes\":[{\"id\":-1}]}", "set.nodes[0].id"},
        {"{\"op\":\"set\",\"nodes\":[{\"id\":1,\"name\":\"a\\u0000b\"}]}", "set.nodes[0].name"},
        {"{\"op\":\"set\",\"nodes\":[{\"id\":1,\"name\":\"\xff\"}]}", "UTF-8"},
        {"{\"op\":\"set\",\"nodes\":[{\"id\":1,\"name\":\"a\"}],\"base\":9}", "base"},
        {"{\"op\":\"undo\",\"x\":[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]}", "nested too deep"},
        {NULL, "longer than 4194304 bytes"},
    };
    enum { COUNT = sizeof rows / sizeof rows[0] };
    struct stage *stage = *state;
    struct test_output output;
    char *input = calloc(1, 6 * (size_t)GZ_MESSAGE_BYTES_MAX), *line = long_line();
    make_arm(stage);
    for (size_t i = 0; i < COUNT; i++) {
        strcat(input, rows[i][0] != NULL ? rows[i][0] : line);
        strcat(input, "\n");
    }
    strcat(input, "{\"op\":\"undo\"}\n");
    edit(stage, input, NULL, &output);
    char *rest = output.out;
    for (size_t i = 0; i <= COUNT; i++) {
        char *answer = strsep(&rest, "\n"), number[32];
        const char *word = i < COUNT ? rows[i][1] : "\"code\":\"bad_state\"";
        assert_non_null(answer);
        snprintf(number, sizeof number, "\"line\":%zu}", i + 1);
        if (strstr(answer, word) == NULL || strstr(answer, number) == NULL)
            fail_msg("row %zu: no \"%s\" in: %s", i, word, answer);
    }
    assert_string_equal(rest, "");
    assert_int_equal(output.code, 7);
    assert_int_equal(seq_now(stage), 1);
    test_output_finish(&output);
    free(input);
    free(line);
}

TEST_ON_STAGE(test_nothing_is_sent_after_a_refusal_if_it_is_to_stop)
{
    struct stage *stage = *state;
    struct test_output output;
    make_arm(stage);
    edit(stage,
         "{\"op\":\"set\",\"nodes\":[{\"id\":1,\"t\":[1,2,3]}]}\n"
         "{\"op\":\"delete\",\"nodes\":[9]}\n"
         "{\"op\":\"delete\",\"nodes\":[1]}\n",
         "--stop", &output);
    check(&output, 5,
          "{\"op\":\"ok\",\"edit\":2,\"seq\":2,\"line\":1}\n"
          "{\"op\":\"error\",\"code\":\"unknown_node\",\"message\":\"delete.nodes[0]: there is no "
          "node 9\",\"nodes\":[9],\"line\":2}\n",
          "");
    test_output_finish(&output);
    assert_int_equal(seq_now(stage), 2);
}

TEST_ON_STAGE(test_who_holds_a_node_is_in_the_answer)
{
    struct stage *stage = *state;
    struct test_output output;
    struct gz_client *anna = make_arm(stage);
    const uint64_t base = 1, session = gz_client_welcome(anna)->session;
    char held[96];
    stage_ask(anna, message_camera((gz_vec3){0, 0, 10}, (gz_vec3){0, 0, 0}));
    stage_ask(anna, message_grab(&base, GZ_TX, 960, 540));
    edit(stage, "{\"op\":\"delete\",\"nodes\":[1]}\n", NULL, &output);
    snprintf(held, sizeof held, "\"code\":\"locked\"");
    assert_non_null(strstr(output.out, held));
    snprintf(held, sizeof held, "\"nodes\":[1],\"holder\":%llu,", (unsigned long long)session);
    if (strstr(output.out, held) == NULL) fail_msg("no %s in %s", held, output.out);
    assert_int_equal(output.code, 6);
    test_output_finish(&output);
}

/* Whoever watches the client's descriptor hears of each answer: sending takes none of them. */
TEST_ON_STAGE(test_sending_leaves_the_answers_to_who_watches)
{
    struct stage *stage = *state;
    struct gz_client *client = stage_join(stage, "arm", "ada");
    struct pollfd answer = {.fd = gz_client_fd(client), .events = POLLIN};
    struct gz_error error;
    uint64_t rid;
    for (int i = 0; i < 20; i++) {
        struct gz_message first = {.op = GZ_OP_PING}, second = first;
        while (gz_client_next(client, 0) != NULL) continue;
        assert_int_equal(gz_client_send(client, &first, &rid, &error), GZ_OK);
        assert_int_equal(poll(&answer, 1, 60000), 1);
        assert_int_equal(gz_client_send(client, &second, &rid, &error), GZ_OK);
        assert_int_equal(poll(&answer, 1, 0), 1);
    }
}

/* The answers to as many lines of input without an end. */
static int count_answers(const char *rate, const char *message, const char *answer, int lines)
{
    void *stage = NULL;
    char line[512], count[64] = "";
    assert_int_equal(stage_setup_with(&stage, rate), 0);
    make_arm(stage);
    snprintf(line, sizeof line,
             "yes 2>/dev/null '%s' | " GZ_GIZMOCTL_PATH " edit arm --json --server %s 2>&1 "
             "| head -%d | grep -c '%s'",
             message, ((struct stage *)stage)->daemon.url, lines, answer);
    FILE *shell = popen(line, "r");
    assert_non_null(shell);
    assert_non_null(fgets(count, sizeof count, shell));
    pclose(shell);
    stage_teardown(&stage);
    return atoi(count);
}

/* More and more input comes, and faster than the server takes it: nothing is dropped, and no more
 * is read than can be sent. */
TEST(test_no_line_comes_faster_than_the_server_takes_it)
{
    static const char set[] = "{\"op\":\"set\",\"nodes\":[{\"id\":1,\"t\":[1,0,0]}]}",
                      undo[] = "{\"op\":\"undo\",\"key\":\"a\"}";
    assert_int_equal(count_answers("--messages-per-s=60", set, "\"op\":\"ok\"", 100), 100);
    assert_int_equal(count_answers("--messages-per-s=20000", undo, "\"line\":", 200), 200);
}

/* The daemon is killed in the middle, and the same lines are sent once more. */
TEST_ON_STAGE(test_lines_with_keys_are_done_once_over_a_crash)
{
    enum { LINES = 2000 };
    struct stage *stage = *state;
    struct test_child child;
    struct test_output output;
    char *input = calloc(LINES, 64), *at = input;
    make_arm(stage);
    for (int i = 0; i < LINES; i++)
        at += snprintf(at, 64,
                       "{\"op\":\"create\",\"key\":\"k%d\",\"nodes\":[{\"name\":\"%d\"}]}\n", i, i);
    test_ctl_start(&child, &stage->daemon, (const char *const[]){"edit", "arm", "--json", NULL});
    const size_t half = (size_t)(at - input) / 2;
    assert_int_equal(write(child.input, input, half), half);
    for (int i = 0; i < 100; i++) free(test_child_line(&child));
    test_daemon_kill(&stage->daemon);
    test_child_finish(&child, NULL, &output);
    assert_int_equal(output.code, 3);
    assert_non_null(strstr(output.err, "\"code\":\"unreachable\""));
    test_output_finish(&output);
    test_daemon_start(&stage->daemon, NULL, NULL);
    edit(stage, input, NULL, &output);
    if (output.code != 0) fail_msg("%s", output.err);
    test_output_finish(&output);
    assert_int_equal(gz_mirror_count(gz_client_mirror(stage_join(stage, "arm", "reader"))),
                     LINES + 1);
    free(input);
}

int main(void)
{
    return test_run(NULL, NULL);
}
