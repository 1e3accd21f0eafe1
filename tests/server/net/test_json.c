/* Clients that speak JSON beside those that speak MessagePack: the handshake, the frames, and that
 * both see the same. */
#include "net_fixture.h"
#include "support/json_ws.h"

#include <stdlib.h>

static struct net_fixture fixture;

#define CREATE                                                                                     \
    "[{\"op\":\"create\",\"rid\":1,\"nodes\":[{\"name\":\"a\",\"t\":[0.1,-0.0,1e-7]}],\"key\":"    \
    "\"k1\"}]"

static int port(void)
{
    return fixture.daemon.port;
}

static void assert_refused(struct json_client *client, int wanted_code)
{
    int code;
    if (!raw_is_ended_within(client->socket, 60, &code)) fail_msg("still open");
    assert_int_equal(code, wanted_code);
    json_leave(client);
    net_fixture_assert_unharmed(&fixture);
}

/* ---- the handshake ---- */

/* Of several that a client offers the first that is known is taken. */
TEST(test_json_handshake_takes_the_first_that_is_known)
{
    static const struct {
        const char *offer;
        bool is_json;
    } rows[] = {{"gizmod.v1.json", true},
                {"gizmod.v1.json, gizmod.v1", true},
                {"gizmod.v1, gizmod.v1.json", false},
                {"gizmod.v2, gizmod.v1.json", true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct raw_frame frame;
        int socket = raw_open_as(port(), rows[i].offer);
        raw_send_frame(socket, RAW_FIN | (rows[i].is_json ? RAW_TEXT : RAW_BINARY), true,
                       rows[i].is_json ? "[1]" : "\x01", rows[i].is_json ? 3 : 1);
        assert_true(raw_read_frame(socket, &frame, 60));
        assert_int_equal(frame.opcode, rows[i].is_json ? RAW_TEXT : RAW_BINARY);
        close(socket);
    }
    int socket = raw_connect(port());
    assert_int_equal(
        raw_handshake(socket, port(), "/ws", "Sec-WebSocket-Protocol: gizmod.v1.xml\r\n"), 400);
    close(socket);
}

/* ---- frames ---- */

TEST(test_json_frames_of_the_other_kind_end_the_connection)
{
    struct json_client client = json_join(port(), "kinds", "anna");
    raw_send_frame(client.socket, RAW_FIN | RAW_BINARY, true, "\x81\xa2op\xa4ping", 9);
    json_t *error = json_hear(&client, "error", NULL, 0);
    assert_string_equal(json_word(error, "code"), "bad_message");
    assert_true(json_is_true(json_object_get(error, "fatal")));
    json_decref(error);
    assert_refused(&client, 1003);
    int socket = net_fixture_join(&fixture, "kinds", "anna");
    raw_send_frame(socket, RAW_FIN | RAW_TEXT, true, "[{\"op\":\"ping\"}]", 15);
    bool fatal;
    assert_int_equal(raw_read_error(socket, &fatal), GZ_BAD_MESSAGE);
    assert_true(fatal);
    assert_refused(&(struct json_client){.socket = socket}, 1003);
}

TEST(test_json_text_that_is_no_utf8_breaks_the_rules_of_websocket)
{
    static const char *const texts[] = {"[{\"op\":\"ping\",\"x\":\"\xff\"}]",
                                        "[{\"op\":\"p\xc3\"}]", "[\"\xed\xa0\x80\"]"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct json_client client = json_join(port(), "utf8", "anna");
        json_say(&client, texts[i]);
        int code = 0;
        struct raw_frame *frame = malloc(sizeof *frame);
        assert_non_null(frame);
        while (code == 0 && raw_read_frame(client.socket, frame, 60))
            if (frame->opcode == RAW_CLOSE) code = frame->bytes[0] << 8 | frame->bytes[1];
        assert_int_equal(code, 1007);
        free(frame);
        json_leave(&client);
    }
    net_fixture_assert_unharmed(&fixture);
}

TEST(test_json_what_is_none_is_refused_and_the_next_frame_is_read)
{
    struct json_client client = json_join(port(), "broken", "anna");
    json_t *error = json_ask(&client, "[{\"op\":\"ping\",\"rid\":7,\"x\":NaN}]", 7);
    assert_string_equal(json_word(error, "code"), "bad_message");
    assert_string_equal(json_word(error, "message"), "message: at byte 26: a value is expected");
    json_decref(error);
    json_decref(json_ask(&client, "[{\"op\":\"ping\",\"rid\":8}]", 8));
    /* A character that two fragments share is one. */
    raw_send_frame(client.socket, RAW_TEXT, true, "[{\"op\":\"ping\",\"rid\":9,\"x\":\"\xc3", 28);
    raw_send_frame(client.socket, RAW_FIN | RAW_CONTINUATION, true, "\xa9\"}]", 4);
    json_decref(json_hear(&client, "ok", "rid", 9));
    json_leave(&client);
    client = json_open(port());
    json_say(
        &client,
        "[{\"op\":\"hello\",\"v\":1,\"scene\":\"broken\",\"user\":\"anna\",\"form\":\"packed\"}]");
    error = json_hear(&client, "error", NULL, 0);
    assert_string_equal(json_word(error, "code"), "bad_value");
    json_decref(error);
    assert_refused(&client, 1008);
}

/* ---- both beside each other ---- */

/* What one client does the other sees, to the last bit; a key holds for both. */
TEST(test_json_and_messagepack_clients_see_each_other)
{
    struct raw_frame *frame = malloc(sizeof *frame);
    struct gz_arena arena;
    struct gz_message message;
    assert_non_null(frame);
    gz_arena_init(&arena, 1 << 20);
    int plain = net_fixture_join(&fixture, "beside", "ben");
    struct json_client json = json_join(port(), "beside", "anna");
    json_t *first = json_ask(&json, CREATE, 1), *again = json_ask(&json, CREATE, 1);
    assert_true(json_integer_value(json_object_get(first, "seq")) > 0);
    assert_true(json_equal(first, again));
    json_decref(first);
    json_decref(again);

    do assert_true(raw_read_message(plain, GZ_OP_DELTA, frame, &arena, &message));
    while (message.delta.count == 0);
    const struct gz_node_state *node = &message.delta.nodes[0];
    assert_true(node->trs.t.x == 0.1 && node->trs.t.y == 0 && node->trs.t.z == 1e-7);
    assert_true(__builtin_signbit(node->trs.t.y) != 0);

    const struct gz_set_node set_node = {
        .id = node->id, .has = GZ_HAS_SET_NODE_T, .trs.t = {0.1 + 0.2, -0.0, 1.0 / 3}};
    const struct gz_message set = {.op = GZ_OP_SET, .set = {.nodes = &set_node, .count = 1}};
    assert_true(raw_send_message(plain, &set));
    json_t *delta = json_hear(&json, "delta", "from", (json_int_t)message.delta.seq);
    const json_t *t = json_object_get(json_array_get(json_object_get(delta, "nodes"), 0), "t");
    assert_true(json_real_value(json_array_get(t, 0)) == 0.1 + 0.2);
    assert_true(__builtin_signbit(json_real_value(json_array_get(t, 1))) != 0);
    assert_true(json_real_value(json_array_get(t, 2)) == 1.0 / 3);
    json_decref(delta);
    json_decref(json_hear(&json, "edit", "seq", (json_int_t)message.delta.seq + 1));
    gz_arena_finish(&arena);
    free(frame);
    close(plain);
    json_leave(&json);
}

/* A snapshot in pieces, an answer in pieces, and a frame in the middle of which the session has to
 * wait. */
TEST(test_json_large_scenes_and_answers)
{
    int editor = net_fixture_join(&fixture, "large", "ben");
    net_fixture_create_nodes(editor, 2000);
    struct json_client json = json_open(port());
    json_say(
        &json,
        "[{\"op\":\"hello\",\"v\":1,\"scene\":\"large\",\"user\":\"anna\"},"
        "{\"op\":\"pick\",\"rid\":1,\"ray\":[0,0,5,0,0,-1]},{\"op\":\"at\",\"rid\":2,\"seq\":0},"
        "{\"op\":\"ping\",\"rid\":3}]");
    size_t nodes = 0;
    bool more = true;
    while (more) {
        json_t *delta = json_hear(&json, "delta", NULL, 0);
        nodes += json_array_size(json_object_get(delta, "nodes"));
        more = json_is_true(json_object_get(delta, "more"));
        json_decref(delta);
    }
    assert_int_equal(nodes, 2000);
    json_say(
        &json,
        "[{\"op\":\"interest\",\"rid\":11,\"box\":[0,0,0,1,1,1]},"
        "{\"op\":\"pick\",\"rid\":12,\"ray\":[0,0,5,0,0,-1]},{\"op\":\"ping\",\"rid\":13}, 7]");
    for (json_int_t rid = 11; rid < 14; rid++) json_decref(json_hear(&json, "ok", "rid", rid));
    json_t *error = json_hear(&json, "error", NULL, 0);
    assert_string_equal(json_word(error, "message"), "message: expected a map");
    json_decref(error);
    json_decref(json_ask(&json, "[{\"op\":\"ping\",\"rid\":4},\n{\"op\":\"ping\",\"rid\":5} ]", 5));
    json_leave(&json);
    close(editor);
}

static int start(void **state)
{
    net_fixture_start(&fixture, NULL, NULL);
    *state = &fixture;
    return 0;
}

int main(void)
{
    return test_run(start, net_fixture_end);
}
