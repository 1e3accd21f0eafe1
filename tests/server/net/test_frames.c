/* What comes in over a WebSocket: before hello, and after it. */
#include "net_fixture.h"
#include "server/maxima.h"

#include <poll.h>
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
static void assert_end(int socket, int wanted_code, const char *where)
{
    int code;
    if (!raw_is_ended_within(socket, 60, &code)) fail_msg("%s: still open", where);
    if (code != wanted_code) fail_msg("%s: close code %d", where, code);
    close(socket);
    net_fixture_assert_unharmed(&fixture);
}

static void assert_error(int socket, enum gz_status wanted, bool wanted_fatal, const char *where)
{
    bool fatal;
    enum gz_status status = raw_read_error(socket, &fatal);
    if (status != wanted || fatal != wanted_fatal) {
        fail_msg("%s: %s%s", where, gz_status_word(status), fatal ? ", fatal" : "");
    }
    if (wanted_fatal) {
        assert_end(socket, wanted == GZ_TOO_LARGE ? 1009 : 1008, where);
        return;
    }
    assert_true(raw_answers(socket));
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

/* RFC 6455 has a client wait for the answer to its handshake. */
TEST(test_hello_in_the_segment_of_the_handshake_is_not_read)
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
    struct gz_message ping = {.op = GZ_OP_PING};
    assert_true(raw_send_message(socket, &ping));
    assert_error(socket, GZ_BAD_STATE, true, "hello before the answer to the handshake");
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

TEST(test_first_frame_too_large_is_the_end)
{
    static const uint8_t zeros[GZ_HELLO_BYTES_MAX + 1];
    int socket = raw_open(fixture.daemon.port);
    assert_true(raw_send_frame(socket, RAW_FIN | RAW_BINARY, true, zeros, sizeof zeros));
    assert_error(socket, GZ_TOO_LARGE, true, "a large first frame");
    /* It is enough to claim it. */
    socket = raw_open(fixture.daemon.port);
    assert_true(raw_send_frame_header(socket, RAW_FIN | RAW_BINARY, UINT64_C(1) << 40));
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
    assert_true(raw_send_frame_header(dripping, RAW_FIN | RAW_BINARY, GZ_HELLO_BYTES_MAX));
    /* A deadline that each byte moves would let the whole message come. */
    struct pollfd answer = {.fd = dripping, .events = POLLIN};
    for (int i = 0; i < GZ_HELLO_BYTES_MAX - 1 && poll(&answer, 1, 20) == 0; i++)
        raw_send(dripping, "\0", 1);
    assert_error(silent, GZ_BAD_STATE, true, "no hello");
    assert_error(dripping, GZ_BAD_STATE, true, "a dripping hello");
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

/* Before hello and after it, whole or in pieces. */
TEST(test_text_is_the_end)
{
    bool fatal;
    for (int row = 0; row < 4; row++) {
        int socket = row < 2 ? raw_open(fixture.daemon.port) : join();
        uint8_t first = (uint8_t)(RAW_TEXT | (row & 1 ? RAW_FIN : 0));
        assert_true(raw_send_frame(socket, first, true, "{\"op\":\"ping\"}", 13));
        assert_int_equal(raw_read_error(socket, &fatal), GZ_BAD_MESSAGE);
        assert_true(fatal);
        assert_end(socket, 1003, "text");
    }
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
    while (!answered && raw_read_frame(socket, &frame, 60)) {
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

/* Empty frames that come in one turn of the server's loop. */
TEST(test_each_of_several_refused_frames_is_answered)
{
    static const char frames[] = "\x82\x80\0\0\0\0\x82\x80\0\0\0\0\x82\x80\0\0\0\0";
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

/* What RFC 6455 forbids ends the connection with the code that it has for that, and nobody else's.
 * A row of code 0 is allowed: the session goes on. */
TEST(test_frame_by_the_rules_or_against_them)
{
    static const struct {
        uint8_t first;
        bool masked;
        size_t length_bytes;
        const char *bytes;
        size_t size;
        int code;
    } rows[] = {
        {RAW_FIN | 0x40 | RAW_BINARY, true, 0, "\x80", 1, 1002}, /* a reserved bit */
        {RAW_FIN | 0x20 | RAW_BINARY, true, 0, "\x80", 1, 1002},
        {RAW_FIN | 0x10 | RAW_BINARY, true, 0, "\x80", 1, 1002},
        {RAW_FIN | 0x40 | RAW_PING, true, 0, "", 0, 1002},
        {RAW_FIN | 0x3, true, 0, "\x80", 1, 1002}, /* an opcode that is none */
        {RAW_FIN | 0x7, true, 0, "\x80", 1, 1002},
        {RAW_FIN | 0xB, true, 0, "\x80", 1, 1002},
        {RAW_FIN | 0xF, true, 0, "\x80", 1, 1002},
        {RAW_FIN | RAW_CONTINUATION, true, 0, "\x80", 1, 1002}, /* of nothing */
        {RAW_PING, true, 0, "\x80", 1, 1002},                   /* control frames in pieces */
        {RAW_PONG, true, 0, "\x80", 1, 1002},
        {RAW_CLOSE, true, 0, "\x03\xe8", 2, 1002},
        {RAW_FIN | RAW_PING, true, 2, "abc", 3, 1002}, /* control frames with long lengths */
        {RAW_FIN | RAW_CLOSE, true, 8, "\x03\xe8", 2, 1002},
        {RAW_FIN | RAW_BINARY, false, 0, "\xc1", 1, 1002}, /* no mask */
        {RAW_FIN | RAW_PING, false, 0, "", 0, 1002},
        {RAW_FIN | RAW_CLOSE, false, 0, "\x03\xe8", 2, 1002},
        {RAW_FIN | RAW_BINARY, true, 2, "\xc1", 1, 1002}, /* lengths longer than they have to be */
        {RAW_FIN | RAW_BINARY, true, 8, "\xc1", 1, 1002},
        {RAW_FIN | RAW_CLOSE, true, 0, "\x03", 1, 1002}, /* half a code */
        {RAW_FIN | RAW_CLOSE, true, 0, "", 0, 1005},     /* no code is answered with none */
        {RAW_FIN | RAW_CLOSE, true, 0, "\x03\xe8Zo\xc3\xab", 6, 1000},
        {RAW_FIN | RAW_CLOSE, true, 0, "\x03\xe8\xff\xff", 4, 1007}, /* reasons that are no UTF-8 */
        {RAW_FIN | RAW_CLOSE, true, 0, "\x03\xe8\xce\xba\xe1\xbd", 6, 1007},
        {RAW_FIN | RAW_CLOSE, true, 0, "\x03\xe8\xed\xa0\x80", 5, 1007},
        {RAW_FIN | RAW_PONG, true, 0, "nobody asked", 12, 0},
        {RAW_FIN | RAW_PING, true, 0, "", 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char where[32];
        snprintf(where, sizeof where, "row %zu", i);
        int socket = join();
        assert_true(raw_send_frame_as(socket, rows[i].first, rows[i].masked, rows[i].length_bytes,
                                      rows[i].bytes, rows[i].size));
        if (rows[i].code != 0) {
            assert_end(socket, rows[i].code == 1005 ? 0 : rows[i].code, where);
            continue;
        }
        assert_true(raw_answers(socket));
        close(socket);
    }
}

TEST(test_frames_in_the_wrong_order_are_the_end)
{
    int socket = join();
    assert_true(raw_send_frame(socket, RAW_BINARY, true, "\x81", 1));
    assert_true(raw_send_frame(socket, RAW_FIN | RAW_BINARY, true, "\x81", 1));
    assert_end(socket, 1002, "a message within a message");
    socket = join();
    assert_true(raw_send_frame(socket, RAW_BINARY, true, "\xc1", 1));
    assert_true(raw_send_frame(socket, RAW_FIN | RAW_CONTINUATION, true, "", 0));
    assert_true(raw_send_frame(socket, RAW_FIN | RAW_CONTINUATION, true, "", 0));
    assert_end(socket, 1002, "one that goes on after its end");
    socket = join();
    assert_true(raw_send(socket, "\x82\xff\x80\0\0\0\0\0\0\1\0\0\0\0", 14));
    assert_end(socket, 1002, "a length of 2^63");
}

/* The codes that may be sent are said back; the others are a violation themselves. */
TEST(test_close_code_table)
{
    static const int said_back[] = {1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010,
                                    1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999};
    static const int refused[] = {0,    1,    999,  1004, 1005, 1006, 1015,
                                  1016, 1100, 2000, 2999, 5000, 65535};
    size_t count = sizeof said_back / sizeof said_back[0];
    for (size_t i = 0; i < count + sizeof refused / sizeof refused[0]; i++) {
        int code = i < count ? said_back[i] : refused[i - count];
        uint8_t bytes[2] = {(uint8_t)(code >> 8), (uint8_t)code};
        char where[32];
        snprintf(where, sizeof where, "close %d", code);
        int socket = raw_open(fixture.daemon.port);
        assert_true(raw_send_frame(socket, RAW_FIN | RAW_CLOSE, true, bytes, 2));
        assert_end(socket, i < count ? code : 1002, where);
    }
}

TEST(test_nothing_counts_after_a_close)
{
    struct raw_frame frame;
    int socket = raw_open(fixture.daemon.port);
    long before = net_fixture_frames_in(fixture.daemon.port);
    assert_true(raw_send(socket, "\x88\x80\0\0\0\0\x82\x81\0\0\0\0\xc1", 13));
    assert_true(raw_read_frame(socket, &frame, 60));
    assert_int_equal(frame.opcode, RAW_CLOSE);
    assert_true(raw_is_closed_within(socket, 60));
    assert_int_equal(net_fixture_frames_in(fixture.daemon.port), before);
    close(socket);
}

TEST(test_message_of_any_length_is_read)
{
    static const size_t sizes[] = {1, 125, 126, 127, 128, 65535, 65536, GZ_MESSAGE_BYTES_MAX};
    uint8_t *bytes = malloc(GZ_MESSAGE_BYTES_MAX);
    assert_non_null(bytes);
    memset(bytes, 0xC1, GZ_MESSAGE_BYTES_MAX); /* what MessagePack never begins with */
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char where[32];
        snprintf(where, sizeof where, "%zu bytes", sizes[i]);
        int socket = join();
        assert_true(raw_send_frame(socket, RAW_FIN | RAW_BINARY, true, bytes, sizes[i]));
        assert_error(socket, GZ_BAD_MESSAGE, false, where);
    }
    free(bytes);
}

/* A conversation whose bytes come one by one, with control frames between the pieces. */
TEST(test_frames_may_come_byte_by_byte)
{
    struct gz_message hello = proper_hello();
    struct gz_buffer bytes;
    struct raw_frame frame;
    gz_buffer_init(&bytes, GZ_HELLO_BYTES_MAX, 0);
    assert_int_equal(gz_encode(&bytes, &hello), GZ_OK);
    uint8_t stream[1024] = "\x02\x83\0\0\0\0" /* three bytes, a ping, the rest */
                           "???"
                           "\x89\x82\1\2\3\4ik\x80";
    size_t size = bytes.size - 3, at = 18;
    memcpy(stream + 6, bytes.data, 3);
    stream[at++] = (uint8_t)(0x80 | size);
    at += 4;
    memcpy(stream + at, bytes.data + 3, size);
    int socket = raw_open(fixture.daemon.port);
    for (size_t i = 0; i < at + size; i++) {
        assert_true(raw_send(socket, stream + i, 1));
        usleep(200);
    }
    do {
        assert_true(raw_read_frame(socket, &frame, 60));
    } while (frame.opcode != RAW_PONG);
    assert_int_equal(frame.size, 2);
    assert_memory_equal(frame.bytes, "hi", 2);
    assert_true(raw_answers(socket));
    close(socket);
    gz_buffer_finish(&bytes);
}

static void assert_pong(int socket, const uint8_t *bytes, size_t size)
{
    struct raw_frame frame;
    do {
        assert_true(raw_read_frame(socket, &frame, 60));
    } while (frame.opcode != RAW_PONG);
    assert_int_equal(frame.size, size);
    assert_memory_equal(frame.bytes, bytes, size);
}

/* More pings than a session may send in a second, so at less than its rate. */
TEST(test_ping_of_any_size_is_answered)
{
    uint8_t bytes[126];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(i * 7);
    for (size_t size = 0; size < sizeof bytes; size += 5) {
        int socket = size % 50 == 0 ? raw_open(fixture.daemon.port) : join();
        assert_true(raw_send_frame(socket, RAW_FIN | RAW_PING, true, bytes, size));
        assert_pong(socket, bytes, size);
        close(socket);
    }
    int socket = join();
    assert_true(raw_send_frame(socket, RAW_FIN | RAW_PING, true, bytes, sizeof bytes));
    assert_end(socket, 1002, "a ping of 126 bytes");
}

/* Each of ten pings that come at once, in their order. */
TEST(test_pings_are_answered_in_order)
{
    uint8_t pings[10][7];
    int socket = join();
    for (uint8_t i = 0; i < 10; i++)
        memcpy(pings[i], (uint8_t[]){RAW_FIN | RAW_PING, 0x81, 0, 0, 0, 0, i}, 7);
    assert_true(raw_send(socket, pings, sizeof pings));
    for (uint8_t i = 0; i < 10; i++) assert_pong(socket, &i, 1);
    close(socket);
}

static int send_flood(uint8_t first)
{
    enum { COUNT = 20000 };
    int socket = join();
    uint8_t *flood = calloc(COUNT, 6);
    assert_non_null(flood);
    for (size_t i = 0; i < COUNT; i++) {
        flood[6 * i] = first;
        flood[6 * i + 1] = 0x80;
    }
    assert_true(raw_send(socket, flood, COUNT * 6));
    free(flood);
    return socket;
}

/* A connection has a second's worth of frames that are no messages, and then as many as time
 * brings. It is told so, and goes on. */
TEST(test_flood_of_pings_or_pongs_is_dropped)
{
    static const uint8_t kinds[] = {RAW_FIN | RAW_PING, RAW_FIN | RAW_PONG};
    for (size_t i = 0; i < 2; i++) {
        int socket = send_flood(kinds[i]);
        assert_error(socket, GZ_RATE_LIMITED, false, "a flood");
    }
}

TEST(test_flood_of_empty_frames_is_dropped)
{
    double began_s = now_s();
    long before = net_fixture_errors(fixture.daemon.port, "bad_message");
    int socket = send_flood(RAW_FIN | RAW_BINARY);
    assert_true(raw_answers(socket));
    double most = GZ_CONTROL_FRAMES_PER_S * (now_s() - began_s + 1);
    assert_true(net_fixture_errors(fixture.daemon.port, "bad_message") - before <= (long)most);
    close(socket);
    net_fixture_assert_unharmed(&fixture);
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
    *state = &fixture;
    net_fixture_start(&fixture, NULL, NULL);
    return 0;
}

int main(void)
{
    return test_run(start, net_fixture_end);
}
