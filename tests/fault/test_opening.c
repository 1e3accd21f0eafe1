/* A scene whose file takes long to open, here because the disk hangs: nobody in another scene waits
 * for it, and whatever comes for the scene meanwhile is answered when it is open, in order. Nothing
 * here passes or fails by a time, but for the daemon's end. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "fault_stage.h"
#include "proto/limits.h"
#include "server/maxima.h"
#include "support/raw_ws.h"

#define SCENE "closed"
#define OTHERS "open"
#define NODES 5
#define EDITS_MEANWHILE 20
/* Seconds of listening to somebody who is to hear nothing yet. */
#define SILENCE_S 0.05
#define PATIENCE_S 10.0

struct world {
    struct fault_stage *fault;
    struct gz_client *editor; /* in another scene */
    uint64_t node;            /* there */
};

/* A scene of some nodes that nobody has opened since the start, another one with somebody in it,
 * and from now on a disk that hangs when a file is opened. */
static struct world begin(struct fault_stage *fault)
{
    struct stage *stage = &fault->stage;
    struct gz_client *maker = stage_join(stage, SCENE, "ida");
    for (int i = 0; i < NODES; i++) stage_create(maker, "part", 0, (gz_vec3){i, 0, 0});
    gz_client_destroy(maker);
    stage->count--;
    test_daemon_end(&stage->daemon);
    test_daemon_start(&stage->daemon, NULL, NULL);
    struct world world = {.fault = fault, .editor = stage_join(stage, OTHERS, "bert")};
    world.node = stage_create(world.editor, "base", 0, (gz_vec3){0, 0, 0});
    fault_disk_arm(fault->control, 1u << FAULT_DISK_OPEN, FAULT_EFFECT_HANG, 0);
    return world;
}

/* The files of a daemon that ended are to be free for the next test. */
static void end(struct world *world)
{
    struct stage *stage = &world->fault->stage;
    gz_client_destroy(world->editor);
    stage->count--;
    if (stage->daemon.pid != 0) test_daemon_end(&stage->daemon);
    test_daemon_forget(&stage->daemon);
    test_daemon_start(&stage->daemon, NULL, NULL);
}

/* A hello with a ping behind it, in one go. */
static int ask_to_join(const struct world *world, const char *user, uint64_t rid)
{
    struct gz_message ping = {.op = GZ_OP_PING, .has = GZ_HAS_RID, .rid = rid};
    int socket = raw_open(world->fault->stage.daemon.port);
    assert_true(raw_send_hello(socket, SCENE, user));
    assert_true(raw_send_message(socket, &ping));
    return socket;
}

static void assert_hears_nothing(int socket)
{
    static struct raw_frame frame;
    assert_false(raw_read_frame(socket, &frame, SILENCE_S));
}

/* What is in a frame of the welcome, and of the answer to the ping behind it. */
static void read_joined(const struct raw_frame *frame, uint64_t rid, bool *is_welcome,
                        bool *is_answered)
{
    struct gz_message message;
    struct gz_arena arena;
    struct gz_error error;
    gz_arena_init(&arena, 0);
    for (size_t offset = 0; frame->opcode == RAW_BINARY && offset < frame->size;) {
        gz_arena_reset(&arena, gz_decode_bytes_max(frame->size));
        assert_int_equal(
            gz_decode(GZ_FROM_SERVER, frame->bytes, frame->size, &offset, &arena, &message, &error),
            GZ_OK);
        *is_welcome |= message.op == GZ_OP_WELCOME;
        *is_answered |= *is_welcome && message.op == GZ_OP_OK && message.rid == rid;
    }
    gz_arena_finish(&arena);
}

/* Both may come in one frame: behind whoever exports, everybody waits for the scene. */
static void assert_joins(int socket, uint64_t rid)
{
    static struct raw_frame frame;
    bool is_welcome = false, is_answered = false;
    while (!is_answered) {
        assert_true(raw_read_frame(socket, &frame, PATIENCE_S));
        read_joined(&frame, rid, &is_welcome, &is_answered);
    }
    assert_true(raw_answers(socket));
}

static int send_request(const struct world *world, const char *request)
{
    char text[256];
    int socket = raw_connect(world->fault->stage.daemon.port);
    snprintf(text, sizeof text, "%s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", request);
    assert_true(raw_send_text(socket, text));
    return socket;
}

static int status_of(int socket)
{
    static struct raw_response response;
    raw_read_response(socket, &response);
    close(socket);
    return response.status;
}

/* Edits of the other scene are committed, one after the other, and it answers over HTTP. */
static void assert_others_go_on(const struct world *world)
{
    struct gz_set_node node;
    for (int i = 0; i < EDITS_MEANWHILE; i++)
        stage_ask(world->editor, message_set_x(&node, world->node, i));
    assert_int_equal(status_of(send_request(world, "GET /healthz")), 200);
}

TEST_WITH_FAULTS(test_opening_that_takes_long_keeps_nobody_waiting)
{
    struct world world = begin(*state);
    int anna = ask_to_join(&world, "anna", 11);
    assert_true(fault_disk_await(world.fault->control));
    int ben = ask_to_join(&world, "ben", 12), gone = ask_to_join(&world, "cleo", 13);
    int export = send_request(&world, "GET /scenes/" SCENE "/export");
    assert_others_go_on(&world);
    assert_hears_nothing(anna);
    assert_hears_nothing(ben);
    assert_hears_nothing(gone);
    close(gone); /* who does not wait for it leaves no trace */
    assert_others_go_on(&world);
    assert_true(fault_disk_heal(world.fault->control));
    assert_joins(anna, 11);
    assert_joins(ben, 12);
    assert_int_equal(status_of(export), 200);
    struct gz_client *after = stage_join(&world.fault->stage, SCENE, "dora");
    assert_int_equal(after != NULL, 1);
    gz_client_destroy(after);
    world.fault->stage.count--;
    close(anna);
    close(ben);
    end(&world);
}

TEST_WITH_FAULTS(test_deletion_waits_for_an_opening)
{
    struct world world = begin(*state);
    int anna = ask_to_join(&world, "anna", 11);
    bool is_fatal;
    assert_true(fault_disk_await(world.fault->control));
    int deletion = send_request(&world, "DELETE /scenes/" SCENE);
    assert_others_go_on(&world);
    int ben = ask_to_join(&world, "ben", 12); /* the name is given up already */
    assert_int_equal(raw_read_error(ben, &is_fatal), GZ_UNKNOWN_SCENE);
    assert_hears_nothing(anna);
    assert_true(fault_disk_heal(world.fault->control));
    assert_int_equal(raw_read_error(anna, &is_fatal), GZ_UNKNOWN_SCENE);
    assert_true(is_fatal);
    assert_int_equal(status_of(deletion), 204);
    assert_int_not_equal(access(scene_file(&world.fault->stage, SCENE), F_OK), 0);
    close(anna);
    close(ben);
    end(&world);
}

/* Whoever waits is told `bye`; the end does not wait for the disk, which hangs until the daemon has
 * ended. */
TEST_WITH_FAULTS(test_end_does_not_wait_for_an_opening)
{
    struct world world = begin(*state);
    static struct raw_frame frame;
    struct gz_message message;
    struct gz_arena arena;
    gz_arena_init(&arena, 0);
    int anna = ask_to_join(&world, "anna", 11);
    assert_true(fault_disk_await(world.fault->control));
    test_daemon_ask_to_end(&world.fault->stage.daemon);
    assert_true(raw_read_message(anna, GZ_OP_BYE, &frame, &arena, &message));
    assert_int_equal(test_daemon_wait(&world.fault->stage.daemon), 0);
    fault_disk_heal(world.fault->control);
    assert_file_is_whole(scene_file(&world.fault->stage, SCENE));
    gz_arena_finish(&arena);
    close(anna);
    end(&world);
}

/* Whoever asks while the disk fails is told; the scene is opened once it is well. */
TEST_WITH_FAULTS(test_opening_that_fails_is_said_to_all)
{
    struct world world = begin(*state);
    bool is_fatal;
    int sockets[3];
    fault_disk_arm(world.fault->control, 1u << FAULT_DISK_OPEN, EIO, 0);
    for (uint64_t i = 0; i < 3; i++) sockets[i] = ask_to_join(&world, "anna", i);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(raw_read_error(sockets[i], &is_fatal), GZ_STORAGE);
        assert_true(is_fatal);
        close(sockets[i]);
    }
    assert_true(fault_disk_heal(world.fault->control));
    int late = ask_to_join(&world, "anna", 7);
    assert_joins(late, 7);
    close(late);
    end(&world);
}
