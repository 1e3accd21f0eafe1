/* What comes in over a WebSocket: before hello, and after it. */
#include "net_fixture.h"
#include "server/maxima.h"

#include <stdlib.h>

static struct net_fixture fixture;

static struct gz_text text(const char *bytes)
{
    return (struct gz_text){bytes, strlen(bytes)};
}

static struct gz_message proper_hello(void)
{
    return (struct gz_message){
        .op = GZ_OP_HELLO,
        .hello = {.v = 1, .scene = text("frames"), .user = text("anna"), .create = true}};
}

static int join(void)
{
    return net_fixture_join(&fixture, "frames", "anna");
}

/* The error that comes now is this one, and it is the end or it is not. */
static void assert_error(int socket, enum gz_status wanted, bool wanted_fatal, const char *where)
{
    bool fatal;
    enum gz_status status = raw_read_error(socket, &fatal);
    if (status != wanted || fatal != wanted_fatal) {
        fail_msg("%s: %s%s", where, gz_status_word(status), fatal ? ", fatal" : "");
    }
    if (wanted_fatal) {
        int code;
        if (!raw_is_ended_within(socket, 5, &code)) fail_msg("%s: still open", where);
        int wanted_code = wanted == GZ_TOO_LARGE ? 1009 : 1008;
        if (code != wanted_code) fail_msg("%s: close code %d", where, code);
    } else {
        assert_true(raw_answers(socket));
    }
    close(socket);
    net_fixture_assert_unharmed(&fixture);
}

/* ---- hello ---- */

TEST(test_hello_table)
{
    static const char long_name[] =
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"; /* 65 */
    static const struct {
        uint64_t v;
        const char *scene, *user;
        int role; /* -1: none */
        bool create;
        enum gz_status status;
    } rows[] = {
        {0, "frames", "anna", -1, true, GZ_VERSION},
        {2, "frames", "anna", -1, true, GZ_VERSION},
        {1, "", "anna", -1, true, GZ_BAD_VALUE},
        {1, "Frames", "anna", -1, true, GZ_BAD_VALUE},
        {1, "../x", "anna", -1, true, GZ_BAD_VALUE},
        {1, "-x", "anna", -1, true, GZ_BAD_VALUE},
        {1, "a.db", "anna", -1, true, GZ_BAD_VALUE},
        {1, long_name, "anna", -1, true, GZ_BAD_VALUE},
        {1, "frames", "", -1, true, GZ_BAD_VALUE},
        {1, "nowhere", "anna", -1, false, GZ_UNKNOWN_SCENE},
        {1, "nowhere", "anna", GZ_ROLE_VIEWER, true, GZ_FORBIDDEN},
        {1, "frames", "anna", GZ_ROLE_ADMIN, true, GZ_FORBIDDEN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gz_message hello = {.op = GZ_OP_HELLO,
                                   .hello = {.v = rows[i].v,
                                             .scene = text(rows[i].scene),
                                             .user = text(rows[i].user),
                                             .create = rows[i].create}};
        if (rows[i].role >= 0) {
            hello.has |= GZ_HAS_HELLO_ROLE;
            hello.hello.role = (enum gz_role)rows[i].role;
        }
        char where[32];
        snprintf(where, sizeof where, "hello, row %zu", i);
        int socket = raw_open(fixture.daemon.port);
        assert_true(raw_send_message(socket, &hello));
        assert_error(socket, rows[i].status, true, where);
    }
}

TEST(test_hello_of_a_viewer_may_create_what_is_there)
{
    struct gz_message hello = proper_hello();
    close(join());
    hello.has = GZ_HAS_HELLO_ROLE;
    hello.hello.role = GZ_ROLE_VIEWER;
    int socket = raw_open(fixture.daemon.port);
    assert_true(raw_send_message(socket, &hello));
    assert_true(raw_answers(socket));
    close(socket);
}

TEST(test_hello_refused_carries_its_rid)
{
    struct gz_message answer, hello = proper_hello();
    struct raw_frame frame;
    struct gz_arena arena;
    gz_arena_init(&arena, 0);
    hello.has = GZ_HAS_RID;
    hello.rid = 4711;
    hello.hello.v = 9;
    int socket = raw_open(fixture.daemon.port);
    assert_true(raw_send_message(socket, &hello));
    assert_true(raw_read_message(socket, GZ_OP_ERROR, &frame, &arena, &answer));
    assert_int_equal(answer.rid, 4711);
    close(socket);
    gz_arena_finish(&arena);
}

TEST(test_hello_may_share_its_frame)
{
    struct gz_message hello = proper_hello(),
                      ping = {.op = GZ_OP_PING, .has = GZ_HAS_RID, .rid = 5}, answer;
    struct gz_buffer bytes;
    struct raw_frame frame;
    struct gz_arena arena;
    gz_arena_init(&arena, 0);
    gz_buffer_init(&bytes, GZ_HELLO_BYTES_MAX, 0);
    assert_int_equal(gz_encode(&bytes, &hello), GZ_OK);
    assert_int_equal(gz_encode(&bytes, &ping), GZ_OK);
    int socket = raw_open(fixture.daemon.port);
    assert_true(raw_send_frame(socket, RAW_FIN | RAW_BINARY, true, bytes.data, bytes.size));
    assert_true(raw_read_message(socket, GZ_OP_OK, &frame, &arena, &answer));
    assert_int_equal(answer.rid, 5);
    close(socket);
    gz_buffer_finish(&bytes);
    gz_arena_finish(&arena);
}

TEST(test_hello_in_the_segment_of_the_handshake_is_taken)
{
    struct gz_message hello = proper_hello();
    struct gz_buffer bytes;
    uint8_t message[1024];
    struct raw_response response;
    gz_buffer_init(&bytes, GZ_HELLO_BYTES_MAX, 0);
    assert_int_equal(gz_encode(&bytes, &hello), GZ_OK);
    int size = snprintf(
        (char *)message, sizeof message,
        "GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Protocol: gizmod.v1\r\n\r\n");
    message[size++] = RAW_FIN | RAW_BINARY;
    message[size++] = (uint8_t)(0x80 | bytes.size);
    memset(message + size, 0, 4);
    size += 4;
    memcpy(message + size, bytes.data, bytes.size);
    int socket = raw_connect(fixture.daemon.port);
    assert_true(raw_send(socket, message, (size_t)size + bytes.size));
    raw_read_response(socket, &response);
    assert_int_equal(response.status, 101);
    assert_true(raw_answers(socket));
    close(socket);
    gz_buffer_finish(&bytes);
}

/* ---- before hello ---- */

TEST(test_first_another_message_is_the_end)
{
    struct gz_message ping = {.op = GZ_OP_PING};
    int socket = raw_open(fixture.daemon.port);
    assert_true(raw_send_message(socket, &ping));
    assert_error(socket, GZ_BAD_STATE, true, "ping first");
}

TEST(test_first_bytes_that_are_no_message_are_the_end)
{
    static const struct {
        const char *bytes;
        size_t size;
    } rows[] = {
        {"", 0},
        {"\xc1", 1},
        {"\x80", 1},
        {"\xdd\xff\xff\xff\xff", 5},
        {"\xdf\x10\x00\x00\x00", 5},
        {"\x81\xa2op\xa5hell", 9},
        {"\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91", 20},
        {"hello", 5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char where[32];
        snprintf(where, sizeof where, "first bytes, row %zu", i);
        int socket = raw_open(fixture.daemon.port);
        assert_true(
            raw_send_frame(socket, RAW_FIN | RAW_BINARY, true, rows[i].bytes, rows[i].size));
        assert_error(socket, GZ_BAD_MESSAGE, true, where);
    }
}

TEST(test_first_a_text_frame_is_the_end)
{
    int socket = raw_open(fixture.daemon.port);
    assert_true(raw_send_frame(socket, RAW_FIN | RAW_TEXT, true, "{}", 2));
    assert_error(socket, GZ_BAD_MESSAGE, true, "text first");
}

TEST(test_first_frame_too_large_is_the_end)
{
    static const uint8_t zeros[GZ_HELLO_BYTES_MAX + 1];
    int socket = raw_open(fixture.daemon.port);
    assert_true(raw_send_frame(socket, RAW_FIN | RAW_BINARY, true, zeros, sizeof zeros));
    assert_error(socket, GZ_TOO_LARGE, true, "a large first frame");
    /* It is enough to claim it. */
    socket = raw_open(fixture.daemon.port);
    assert_true(raw_send_frame_header(socket, RAW_FIN | RAW_BINARY, UINT64_C(1) << 40));
    assert_true(raw_send(socket, zeros, 1));
    assert_error(socket, GZ_TOO_LARGE, true, "a claim of a large first frame");
}

TEST(test_first_message_in_pieces)
{
    struct gz_message hello = proper_hello();
    struct gz_buffer bytes;
    gz_buffer_init(&bytes, GZ_HELLO_BYTES_MAX, 0);
    assert_int_equal(gz_encode(&bytes, &hello), GZ_OK);
    /* A few, with a ping between them and an empty one. */
    int socket = raw_open(fixture.daemon.port);
    assert_true(raw_send_frame(socket, RAW_BINARY, true, bytes.data, 7));
    assert_true(raw_send_frame(socket, RAW_FIN | RAW_PING, true, "x", 1));
    assert_true(raw_send_frame(socket, RAW_CONTINUATION, true, NULL, 0));
    assert_true(
        raw_send_frame(socket, RAW_FIN | RAW_CONTINUATION, true, bytes.data + 7, bytes.size - 7));
    assert_true(raw_answers(socket));
    close(socket);
    /* One byte in each. */
    socket = raw_open(fixture.daemon.port);
    for (size_t i = 0; i < GZ_HELLO_FRAGMENTS_MAX + 1; i++) {
        raw_send_frame(socket, i == 0 ? RAW_BINARY : RAW_CONTINUATION, true, bytes.data + i, 1);
    }
    assert_error(socket, GZ_TOO_MANY, true, "hello byte by byte");
    gz_buffer_finish(&bytes);
}

TEST(test_first_message_that_does_not_come_is_the_end)
{
    int silent = raw_open(fixture.daemon.port), dripping = raw_open(fixture.daemon.port);
    double began_s = net_fixture_now_s();
    assert_true(raw_send_frame_header(dripping, RAW_FIN | RAW_BINARY, 1000));
    for (int i = 0; i < 4; i++) {
        sleep(1);
        raw_send(dripping, "\0", 1);
    }
    assert_error(silent, GZ_BAD_STATE, true, "no hello");
    assert_error(dripping, GZ_BAD_STATE, true, "a dripping hello");
    assert_true(net_fixture_now_s() - began_s < 2 * GZ_HELLO_SECONDS_MAX);
}

/* ---- after hello ---- */

TEST(test_second_hello_is_refused)
{
    int socket = join();
    assert_true(raw_send_hello(socket, "frames", "anna"));
    bool fatal;
    assert_int_equal(raw_read_error(socket, &fatal), GZ_BAD_STATE);
    close(socket);
    net_fixture_assert_unharmed(&fixture);
}

TEST(test_text_frame_is_refused_and_no_more)
{
    int socket = join();
    assert_true(raw_send_frame(socket, RAW_FIN | RAW_TEXT, true, "{\"op\":\"ping\"}", 13));
    assert_error(socket, GZ_BAD_MESSAGE, false, "text");
    socket = join();
    assert_true(raw_send_frame(socket, RAW_TEXT, true, "\xff\xfe", 2));
    assert_true(raw_send_frame(socket, RAW_FIN | RAW_CONTINUATION, true, "x", 1));
    assert_error(socket, GZ_BAD_MESSAGE, false, "text in pieces that is no UTF-8");
}

/* How many errors the server says before it answers a ping. */
static int count_errors(int socket)
{
    struct gz_message message, ping = {.op = GZ_OP_PING, .has = GZ_HAS_RID, .rid = 78};
    struct raw_frame frame;
    struct gz_arena arena;
    int errors = 0;
    bool answered = false;
    gz_arena_init(&arena, 0);
    assert_true(raw_send_message(socket, &ping));
    while (!answered && raw_read_frame(socket, &frame, 5)) {
        for (size_t offset = 0; offset < frame.size;) {
            gz_arena_reset(&arena, 0);
            if (gz_decode(GZ_FROM_SERVER, frame.bytes, frame.size, &offset, &arena, &message,
                          NULL) != GZ_OK)
                continue;
            errors += message.op == GZ_OP_ERROR;
            answered |= message.op == GZ_OP_OK && message.rid == ping.rid;
        }
    }
    gz_arena_finish(&arena);
    return answered ? errors : -1;
}

/* Text frames that come in one turn of the server's loop. */
TEST(test_each_of_several_refused_frames_is_answered)
{
    static const char frames[] = "\x81\x81\0\0\0\0a\x81\x81\0\0\0\0b\x81\x81\0\0\0\0c";
    int socket = join();
    assert_true(raw_send(socket, frames, sizeof frames - 1));
    assert_int_equal(count_errors(socket), 3);
    close(socket);
}

TEST(test_empty_frame_is_refused_and_no_more)
{
    int socket = join();
    assert_true(raw_send_frame(socket, RAW_FIN | RAW_BINARY, true, NULL, 0));
    assert_error(socket, GZ_BAD_MESSAGE, false, "an empty frame");
}

TEST(test_frame_too_large_is_the_end)
{
    int socket = join();
    assert_true(raw_send_frame_header(socket, RAW_FIN | RAW_BINARY, GZ_MESSAGE_BYTES_MAX + 1));
    assert_true(raw_send(socket, "", 1));
    assert_error(socket, GZ_TOO_LARGE, true, "a large frame");
    socket = join();
    uint8_t *zeros = calloc(1, GZ_MESSAGE_BYTES_MAX);
    assert_non_null(zeros);
    assert_true(raw_send_frame(socket, RAW_BINARY, true, zeros, GZ_MESSAGE_BYTES_MAX));
    raw_send_frame(socket, RAW_FIN | RAW_CONTINUATION, true, zeros, 1);
    assert_error(socket, GZ_TOO_LARGE, true, "a large message in pieces");
    free(zeros);
}

TEST(test_message_in_too_many_fragments_is_the_end)
{
    int socket = join();
    for (int i = 0; i < GZ_FRAGMENTS_MAX + 1; i++) {
        raw_send_frame(socket, i == 0 ? RAW_BINARY : RAW_CONTINUATION, true, NULL, 0);
    }
    assert_error(socket, GZ_TOO_MANY, true, "many fragments");
}

TEST(test_large_message_in_fragments_is_taken)
{
    struct gz_message answer, select = {.op = GZ_OP_SELECT, .has = GZ_HAS_RID, .rid = 9};
    struct gz_buffer bytes;
    struct raw_frame frame;
    struct gz_arena arena;
    size_t count = 100000;
    uint64_t *ids = calloc(count, sizeof *ids);
    assert_non_null(ids);
    for (size_t i = 0; i < count; i++) ids[i] = 1000000 + i;
    select.select = (struct gz_select){.nodes = {ids, count}, .how = GZ_HOW_SET};
    gz_arena_init(&arena, 0);
    gz_buffer_init(&bytes, GZ_MESSAGE_BYTES_MAX, 0);
    assert_int_equal(gz_encode(&bytes, &select), GZ_OK);
    int socket = join();
    for (size_t at = 0, piece = 40000; at < bytes.size; at += piece) {
        bool last = at + piece >= bytes.size;
        uint8_t first = (uint8_t)((at == 0 ? RAW_BINARY : RAW_CONTINUATION) | (last ? RAW_FIN : 0));
        assert_true(
            raw_send_frame(socket, first, true, bytes.data + at, last ? bytes.size - at : piece));
    }
    /* There are no such nodes: that it says so, with our rid, shows that it read all of it. */
    assert_true(raw_read_message(socket, GZ_OP_ERROR, &frame, &arena, &answer));
    assert_int_equal(answer.error.code, GZ_UNKNOWN_NODE);
    assert_int_equal(answer.rid, 9);
    close(socket);
    gz_buffer_finish(&bytes);
    gz_arena_finish(&arena);
    free(ids);
}

/* What RFC 6455 forbids ends the connection, in whatever way, and nobody else's. */
TEST(test_frame_against_the_rules_harms_nobody)
{
    static const struct {
        uint8_t first;
        bool masked;
        const char *bytes;
        size_t size;
    } rows[] = {
        {RAW_FIN | 0x40 | RAW_BINARY, true, "\x80", 1},     /* a reserved bit */
        {RAW_FIN | 0x10 | RAW_BINARY, true, "\x80", 1},     /* another */
        {RAW_FIN | 0x3, true, "\x80", 1},                   /* an opcode that is none */
        {RAW_FIN | 0xB, true, "\x80", 1},                   /* a control opcode that is none */
        {RAW_FIN | RAW_CONTINUATION, true, "\x80", 1},      /* of nothing */
        {RAW_PING, true, "\x80", 1},                        /* a ping in pieces */
        {RAW_FIN | RAW_CLOSE, true, "\x03", 1},             /* half a code */
        {RAW_FIN | RAW_CLOSE, true, "\x00\x00", 2},         /* a code that is none */
        {RAW_FIN | RAW_CLOSE, true, "\x03\xe8\xff\xff", 4}, /* a reason that is no UTF-8 */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int socket = join();
        assert_true(
            raw_send_frame(socket, rows[i].first, rows[i].masked, rows[i].bytes, rows[i].size));
        int code;
        if (!raw_is_ended_within(socket, 8, &code)) fail_msg("row %zu: still open", i);
        close(socket);
        net_fixture_assert_unharmed(&fixture);
    }
}

/* libwebsockets reads it as if it were masked by zeros; it must not be taken for anything else. */
TEST(test_unmasked_frame_harms_nobody)
{
    static const uint8_t no_map[] = {0xC1};
    int socket = join();
    raw_send_frame(socket, RAW_FIN | RAW_BINARY, false, no_map, sizeof no_map);
    assert_error(socket, GZ_BAD_MESSAGE, false, "unmasked");
}

TEST(test_ping_frame_is_answered)
{
    struct raw_frame frame;
    int socket = join();
    assert_true(raw_send_frame(socket, RAW_FIN | RAW_PING, true, "abc", 3));
    do {
        assert_true(raw_read_frame(socket, &frame, 5));
    } while (frame.opcode != RAW_PONG);
    assert_int_equal(frame.size, 3);
    assert_memory_equal(frame.bytes, "abc", 3);
    close(socket);
}

TEST(test_hanging_up_at_any_byte_harms_nobody)
{
    struct gz_message hello = proper_hello();
    struct gz_buffer bytes;
    gz_buffer_init(&bytes, GZ_HELLO_BYTES_MAX, 0);
    assert_int_equal(gz_encode(&bytes, &hello), GZ_OK);
    for (size_t size = 0; size <= bytes.size; size += 5) {
        int socket = raw_open(fixture.daemon.port);
        assert_true(raw_send_frame_header(socket, RAW_FIN | RAW_BINARY, bytes.size));
        assert_true(raw_send(socket, bytes.data, size));
        close(socket);
    }
    net_fixture_assert_unharmed(&fixture);
    gz_buffer_finish(&bytes);
}

static int start(void **state)
{
    (void)state;
    net_fixture_start(&fixture, NULL, NULL);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    net_fixture_stop(&fixture);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hello_table),
        cmocka_unit_test(test_hello_of_a_viewer_may_create_what_is_there),
        cmocka_unit_test(test_hello_refused_carries_its_rid),
        cmocka_unit_test(test_hello_may_share_its_frame),
        cmocka_unit_test(test_hello_in_the_segment_of_the_handshake_is_taken),
        cmocka_unit_test(test_first_another_message_is_the_end),
        cmocka_unit_test(test_first_bytes_that_are_no_message_are_the_end),
        cmocka_unit_test(test_first_a_text_frame_is_the_end),
        cmocka_unit_test(test_first_frame_too_large_is_the_end),
        cmocka_unit_test(test_first_message_in_pieces),
        cmocka_unit_test(test_first_message_that_does_not_come_is_the_end),
        cmocka_unit_test(test_second_hello_is_refused),
        cmocka_unit_test(test_text_frame_is_refused_and_no_more),
        cmocka_unit_test(test_each_of_several_refused_frames_is_answered),
        cmocka_unit_test(test_empty_frame_is_refused_and_no_more),
        cmocka_unit_test(test_frame_too_large_is_the_end),
        cmocka_unit_test(test_message_in_too_many_fragments_is_the_end),
        cmocka_unit_test(test_large_message_in_fragments_is_taken),
        cmocka_unit_test(test_frame_against_the_rules_harms_nobody),
        cmocka_unit_test(test_unmasked_frame_harms_nobody),
        cmocka_unit_test(test_ping_frame_is_answered),
        cmocka_unit_test(test_hanging_up_at_any_byte_harms_nobody),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
