/* What a client holds when its connection ends in some way that is not its own. Nobody waits for it
 * longer than the server needs to know, and what it says late changes nothing. */
#include "net_fixture.h"

#include <stdlib.h>

#include "proto/limits.h"
#include "support/proxy.h"

#define SCENE "held"
#define TRIES_MAX 600

/* Two editors and a node at the origin, which anna has in her hand and has moved to x = 1. */
struct stage {
    struct net_fixture fixture;
    int anna, ben;
    uint64_t node, rid;
    struct raw_frame frame;
    struct gz_arena arena;
    struct gz_message answer;
    char secret[GZ_SECRET_TEXT_BYTES_MAX + 1]; /* of the last welcome that `ask` read */
};

static bool is_answer(const struct gz_message *message, uint64_t rid)
{
    return (message->op == GZ_OP_OK || message->op == GZ_OP_ERROR) && message->rid == rid;
}

/* Asks and reads on until the answer comes, which is in `answer`. */
static void ask(struct stage *stage, int socket, struct gz_message message)
{
    message.has |= GZ_HAS_RID;
    message.rid = ++stage->rid;
    assert_true(raw_send_message(socket, &message));
    while (raw_read_frame(socket, &stage->frame, 60)) {
        if (stage->frame.opcode != RAW_BINARY) continue;
        gz_arena_reset(&stage->arena, gz_decode_bytes_max(stage->frame.size));
        for (size_t offset = 0; offset < stage->frame.size;) {
            struct gz_error error;
            assert_int_equal(gz_decode(GZ_FROM_SERVER, stage->frame.bytes, stage->frame.size,
                                       &offset, &stage->arena, &stage->answer, &error),
                             GZ_OK);
            if (stage->answer.op == GZ_OP_WELCOME)
                snprintf(stage->secret, sizeof stage->secret, "%.*s",
                         (int)stage->answer.welcome.secret.size,
                         stage->answer.welcome.secret.bytes);
            if (is_answer(&stage->answer, message.rid)) return;
        }
    }
    fail_msg("no answer");
}

static struct gz_message pointer(enum gz_phase phase, double x)
{
    struct gz_message message = {.op = GZ_OP_POINTER,
                                 .has = GZ_HAS_POINTER_RAY,
                                 .pointer = {.phase = phase, .ray = {x, 0, 5, 0, 0, -1}}};
    return message;
}

static enum gz_op grab(struct stage *stage, int socket)
{
    struct gz_message message = pointer(GZ_PHASE_DOWN, 0);
    message.op = GZ_OP_GRAB;
    message.has |= GZ_HAS_POINTER_NODES;
    message.pointer.handle = GZ_TXY;
    message.pointer.nodes = (struct gz_ids){&stage->node, 1};
    ask(stage, socket, message);
    return stage->answer.op;
}

/* `proxy`, where it is not NULL, is between anna and the daemon. */
static void begin(struct stage *stage, const char *first, const char *second,
                  struct test_proxy *proxy)
{
    struct gz_create_node node = {.name = {"piston", 6}};
    gz_arena_init(&stage->arena, 0);
    net_fixture_start(&stage->fixture, first, second);
    stage->ben = net_fixture_join(&stage->fixture, SCENE, "ben");
    ask(stage, stage->ben, (struct gz_message){.op = GZ_OP_CREATE, .create = {&node, 1}});
    assert_int_equal(stage->answer.op, GZ_OP_OK);
    stage->node = stage->answer.ok.ids.ids[0];

    if (proxy != NULL) test_proxy_start(proxy, stage->fixture.daemon.port);
    stage->anna = raw_open(proxy != NULL ? proxy->port : stage->fixture.daemon.port);
    assert_true(raw_send_hello(stage->anna, SCENE, "anna"));
    assert_int_equal(grab(stage, stage->anna), GZ_OP_OK);
    ask(stage, stage->anna, pointer(GZ_PHASE_MOVE, 1));
}

static void end(struct stage *stage)
{
    close(stage->anna);
    close(stage->ben);
    net_fixture_renew_witness(&stage->fixture);
    net_fixture_stop(&stage->fixture);
    gz_arena_finish(&stage->arena);
    free(stage);
}

static struct stage *new_stage(void)
{
    struct stage *stage = calloc(1, sizeof *stage);
    assert_non_null(stage);
    return stage;
}

static void assert_held_by_anna(struct stage *stage)
{
    assert_int_equal(grab(stage, stage->ben), GZ_OP_ERROR);
    const struct gz_error_message *error = &stage->answer.error;
    char text[GZ_ERROR_BYTES_MAX], expected[GZ_ERROR_BYTES_MAX];
    snprintf(text, sizeof text, "%.*s", (int)error->message.size, error->message.bytes);
    snprintf(expected, sizeof expected, "node %llu (piston) is held by anna",
             (unsigned long long)stage->node);
    assert_int_equal(error->code, GZ_LOCKED);
    assert_string_equal(text, expected);
    assert_int_equal(error->nodes.count, 1);
    assert_int_equal(error->nodes.ids[0], stage->node);
    assert_true(error->holder != 0);
}

/* Ben tries until the node is his. */
static void wait_for_the_node(struct stage *stage)
{
    for (int tries = 0; grab(stage, stage->ben) != GZ_OP_OK; tries++) {
        if (tries == TRIES_MAX) fail_msg("still held after %d tries", tries);
        usleep(100000);
    }
}

/* Says something often, so that a busy machine does not make this one look silent as well. */
static void linger(int socket, unsigned seconds)
{
    for (unsigned i = 0; i < 10 * seconds; i++) {
        usleep(100000);
        assert_true(raw_answers(socket));
    }
}

/* A half-open connection: neither side hears of the other, and neither has hung up. `linger_s`
 * later the network is back, with all that anna said meanwhile: first while the daemon may still be
 * saying goodbye to her, then when it has forgotten her. */
static void go_silent_and_come_back(unsigned linger_s)
{
    struct stage *stage = new_stage();
    struct test_proxy proxy;
    begin(stage, "--ping-seconds=1", "--silence-seconds=5", &proxy);
    assert_held_by_anna(stage);
    test_proxy_silence(&proxy);
    assert_held_by_anna(stage);
    struct gz_message late[] = {pointer(GZ_PHASE_MOVE, 50), pointer(GZ_PHASE_UP, 60),
                                pointer(GZ_PHASE_DOWN, 0)};
    for (size_t i = 0; i < sizeof late / sizeof late[0]; i++)
        assert_true(raw_send_message(stage->anna, &late[i]));
    wait_for_the_node(stage);
    ask(stage, stage->ben, pointer(GZ_PHASE_MOVE, 3));
    linger(stage->ben, linger_s);
    long seq = net_fixture_measure(stage->fixture.daemon.port, SCENE, "seq");
    test_proxy_go_on(&proxy);
    test_proxy_finish(&proxy); /* all that was said has been handed on */
    assert_true(raw_answers(stage->ben));
    assert_int_equal(net_fixture_measure(stage->fixture.daemon.port, SCENE, "seq"), seq);
    ask(stage, stage->ben, pointer(GZ_PHASE_UP, 3));
    assert_int_equal(stage->answer.op, GZ_OP_OK);
    assert_true(stage->answer.has & GZ_HAS_OK_EDIT);
    end(stage);
}

TEST(test_silent_holder_loses_the_node_and_late_input_changes_nothing)
{
    go_silent_and_come_back(0);
    go_silent_and_come_back(4);
}

/* What came of anna's drag until her connection ended is an edit of hers: she finds it under
 * undo. */
static void assert_kept_as_an_edit_of_annas(struct stage *stage)
{
    ask(stage, stage->ben, pointer(GZ_PHASE_CANCEL, 0));
    int back = net_fixture_join(&stage->fixture, SCENE, "anna");
    ask(stage, back, (struct gz_message){.op = GZ_OP_UNDO});
    assert_int_equal(stage->answer.op, GZ_OP_OK);
    assert_true(stage->answer.has & GZ_HAS_OK_EDIT);
    close(back);
}

/* When its close has come the server has seen what was wrong. Anna does not answer that, so the
 * connection stays for seconds. */
static void read_until_close(struct stage *stage)
{
    do {
        assert_true(raw_read_frame(stage->anna, &stage->frame, 60));
    } while (stage->frame.opcode != RAW_CLOSE);
}

TEST(test_holder_against_the_rules_loses_the_node_at_once)
{
    static const struct {
        uint8_t first;
        const char *bytes;
        size_t size;
    } rows[] = {
        {RAW_FIN | 0x40 | RAW_BINARY, "\x80", 1}, /* a reserved bit */
        {RAW_FIN | 0x3, "\x80", 1},               /* an opcode that is none */
        {RAW_FIN | RAW_CONTINUATION, "\x80", 1},  /* of nothing */
        {RAW_FIN | RAW_CLOSE, "\x03\xe8",
         2}, /* within the rules: a close, but the connection is not hung up */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct stage *stage = new_stage();
        begin(stage, NULL, NULL, NULL);
        assert_held_by_anna(stage);
        assert_true(raw_send_frame(stage->anna, rows[i].first, true, rows[i].bytes, rows[i].size));
        read_until_close(stage);
        if (grab(stage, stage->ben) != GZ_OP_OK) fail_msg("row %zu: still held", i);
        assert_kept_as_an_edit_of_annas(stage);
        end(stage);
    }
}

TEST(test_holder_who_hangs_up_loses_the_node)
{
    struct stage *stage = new_stage();
    begin(stage, NULL, NULL, NULL);
    assert_held_by_anna(stage);
    close(stage->anna);
    stage->anna = raw_connect(stage->fixture.daemon.port);
    wait_for_the_node(stage);
    assert_kept_as_an_edit_of_annas(stage);
    end(stage);
}

/* Anna's connection hangs, with an answer half on its way; what she opens beside it has the node at
 * its first word. */
TEST(test_holder_who_comes_back_with_the_secret_has_the_node_at_once)
{
    struct stage *stage = new_stage();
    struct test_proxy proxy;
    begin(stage, NULL, NULL, &proxy); /* the daemon would wait for 15 s */
    char first[sizeof stage->secret];
    memcpy(first, stage->secret, sizeof first);
    assert_held_by_anna(stage);
    test_proxy_silence(&proxy);
    int back = raw_open(stage->fixture.daemon.port);
    struct gz_message hello = {.op = GZ_OP_HELLO, .has = GZ_HAS_HELLO_RESUME};
    hello.hello = (struct gz_hello){.v = 1,
                                    .scene = {SCENE, strlen(SCENE)},
                                    .user = {"anna", 4},
                                    .resume_epoch = 1,
                                    .resume_secret = {first, strlen(first)}};
    assert_true(raw_send_message(back, &hello));
    assert_int_equal(grab(stage, back), GZ_OP_OK);
    assert_string_not_equal(stage->secret, first);
    ask(stage, back, pointer(GZ_PHASE_CANCEL, 0));
    ask(stage, back, (struct gz_message){.op = GZ_OP_UNDO}); /* what came of the drag until then */
    assert_int_equal(stage->answer.op, GZ_OP_OK);
    assert_true(stage->answer.has & GZ_HAS_OK_EDIT);
    assert_int_equal(net_fixture_measure(stage->fixture.daemon.port, SCENE, "users"), 2);
    test_proxy_go_on(&proxy);
    test_proxy_finish(&proxy); /* the daemon has closed the connection */
    close(back);
    end(stage);
}
