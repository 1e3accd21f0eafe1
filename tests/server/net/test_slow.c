/* Clients that are silent, deaf, slow or gone: who is ended, who is not, and that the others are
 * served. */
#include "net_fixture.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "proto/limits.h"
#include "server/maxima.h"

#define PING "--ping-seconds=1"
#define SILENCE_S 5 /* in which a test on a busy machine gets its turn */
#define SILENCE "--silence-seconds=5"

TEST(test_hanging_up_is_leaving)
{
    struct net_fixture fixture;
    net_fixture_start(&fixture, NULL, NULL);
    int leaver = net_fixture_join(&fixture, "left", "anna");
    assert_int_equal(net_fixture_measure(fixture.daemon.port, "left", "users"), 1);
    close(leaver);
    net_fixture_await_empty(fixture.daemon.port, "left");
    net_fixture_stop(&fixture);
}

TEST(test_silent_client_is_dismissed_and_a_quiet_one_is_not)
{
    struct net_fixture fixture;
    struct raw_frame frame;
    struct gz_message bye;
    struct gz_arena arena;
    int code;
    gz_arena_init(&arena, 0);
    net_fixture_start(&fixture, PING, SILENCE);
    int silent = net_fixture_join(&fixture, "silence", "anna"),
        quiet = net_fixture_join(&fixture, "silence", "ben");
    /* The quiet one says nothing of its own, but its pongs: raw_read_frame gives them. */
    for (double end_s = now_s() + SILENCE_S + 3; now_s() < end_s;)
        (void)raw_read_frame(quiet, &frame, 0.2);
    assert_true(raw_answers(quiet));
    assert_true(raw_read_message(silent, GZ_OP_BYE, &frame, &arena, &bye));
    assert_true(raw_is_ended_within(silent, 60, &code));
    close(quiet);
    close(silent);
    net_fixture_renew_witness(&fixture);
    net_fixture_stop(&fixture);
    gz_arena_finish(&arena);
}

static void hold_a_node(int socket)
{
    const uint64_t node = 1;
    struct gz_message camera = {.op = GZ_OP_CAMERA}, grab = {.op = GZ_OP_GRAB};
    static const double view[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, -10, 1};
    static const double proj[16] = {1.3, 0, 0, 0, 0, 1.7, 0, 0, 0, 0, -1.002, -1, 0, 0, -0.2, 0};
    static const double viewport[4] = {0, 0, 800, 600};
    memcpy(camera.camera.view, view, sizeof view);
    memcpy(camera.camera.proj, proj, sizeof proj);
    memcpy(camera.camera.viewport, viewport, sizeof viewport);
    grab.has = GZ_HAS_POINTER_NODES | GZ_HAS_POINTER_VALUE;
    grab.pointer = (struct gz_pointer_message){
        .phase = GZ_PHASE_DOWN, .handle = GZ_TX, .nodes = {&node, 1}, .value = {{1}, 1}};
    net_fixture_create_nodes(socket, 1);
    assert_true(raw_send_message(socket, &camera));
    assert_true(raw_send_message(socket, &grab));
}

/* Reads for a moment; how many pings came, which are answered. */
static size_t count_pings(int socket)
{
    struct raw_frame frame;
    size_t pings = 0;
    for (bool came = true; came; pings += frame.pings) came = raw_read_frame(socket, &frame, 0.1);
    return pings;
}

/* Both only answer pings. The fourth one of the other comes after 12 s at the least. */
TEST(test_quiet_client_is_pinged_less_often_unless_it_holds_nodes)
{
    struct net_fixture fixture;
    net_fixture_start(&fixture, PING, SILENCE);
    int holder = net_fixture_join(&fixture, "quiet", "anna"),
        other = net_fixture_join(&fixture, "quiet", "ben");
    size_t held = 0, others = 0;
    hold_a_node(holder);
    for (double end_s = now_s() + 60; others < 4 && now_s() < end_s;) {
        held += count_pings(holder);
        others += count_pings(other);
    }
    assert_int_equal(others, 4);
    assert_true(held >= others + 2);
    assert_true(raw_answers(holder));
    assert_true(raw_answers(other));
    close(holder);
    close(other);
    net_fixture_renew_witness(&fixture);
    net_fixture_stop(&fixture);
}

TEST(test_client_that_does_not_read_is_ended_and_others_are_served)
{
    struct net_fixture fixture;
    struct raw_frame frame;
    net_fixture_start(&fixture, PING, SILENCE);
    int editor = net_fixture_join(&fixture, "deaf", "anna"),
        deaf = net_fixture_join(&fixture, "deaf", "ben");
    assert_int_equal(net_fixture_measure(fixture.daemon.port, "deaf", "users"), 2);
    /* Much more than the kernels keep for a socket. */
    for (int i = 0; i < 40; i++) {
        net_fixture_create_nodes(editor, 500);
        usleep(30000); /* what it costs */
    }
    long users = 2;
    for (double end_s = now_s() + 60; users > 1 && now_s() < end_s;) {
        (void)raw_read_frame(editor, &frame, 0.2);
        users = net_fixture_measure(fixture.daemon.port, "deaf", "users");
    }
    assert_int_equal(users, 1);
    assert_true(raw_answers(editor));
    close(editor);
    close(deaf);
    net_fixture_stop(&fixture);
}

/* While a daemon stands still it pings nobody and reads nothing: that is not the clients' silence.
 * The time is longer than silence and a hello may take. */
TEST(test_daemon_that_stood_still_ends_nobody)
{
    struct net_fixture fixture;
    struct raw_frame frame;
    struct gz_message welcome;
    struct gz_arena arena;
    gz_arena_init(&arena, 0);
    net_fixture_start(&fixture, PING, SILENCE);
    int quiet = net_fixture_join(&fixture, "still", "anna");
    int late = raw_open(fixture.daemon.port);
    assert_int_equal(net_fixture_measure(fixture.daemon.port, "still", "users"),
                     1); /* it is read */
    assert_int_equal(kill(fixture.daemon.pid, SIGSTOP), 0);
    sleep(GZ_HELLO_SECONDS_MAX + 1);
    assert_int_equal(kill(fixture.daemon.pid, SIGCONT), 0);
    assert_true(raw_answers(quiet));
    assert_true(raw_send_hello(late, "still", "ben"));
    assert_true(raw_read_message(late, GZ_OP_WELCOME, &frame, &arena, &welcome));
    close(quiet);
    close(late);
    net_fixture_renew_witness(&fixture);
    net_fixture_stop(&fixture);
    gz_arena_finish(&arena);
}

/* A slow reader is behind, not dead: it takes a little at a time, for three times as long as
 * silence may be, and says nothing meanwhile. Its kernel closes the window again and again. */
TEST(test_slow_reader_is_not_ended)
{
    struct net_fixture fixture;
    struct raw_frame frame;
    char piece[400];
    int small = 4096;
    net_fixture_start(&fixture, PING, SILENCE);
    int editor = net_fixture_join(&fixture, "slow", "anna");
    for (int i = 0; i < 20; i++) net_fixture_create_nodes(editor, 500);
    int slow = raw_open(fixture.daemon.port);
    assert_int_equal(setsockopt(slow, SOL_SOCKET, SO_RCVBUF, &small, sizeof small), 0);
    assert_true(raw_send_hello(slow, "slow", "ben"));
    size_t taken = 0;
    for (double end_s = now_s() + 3 * SILENCE_S; now_s() < end_s;) {
        usleep(50000);
        ssize_t count = recv(slow, piece, sizeof piece, 0);
        if (count <= 0) fail_msg("ended after %zu bytes", taken);
        taken += (size_t)count;
        (void)raw_read_frame(editor, &frame, 0);
    }
    close(slow);
    close(editor);
    net_fixture_renew_witness(&fixture);
    net_fixture_stop(&fixture);
}

/* It is not read from while it does not take its answers, and goes on where it stopped. */
TEST(test_client_that_asks_more_than_it_takes_gets_all_of_it)
{
    enum { PICKS = 400, NODES = 2000 };
    struct net_fixture fixture;
    struct raw_frame frame;
    struct gz_message answer, pick = {.op = GZ_OP_PICK, .has = GZ_HAS_RID | GZ_HAS_PICK_RAY};
    struct gz_arena arena;
    gz_arena_init(&arena, 0);
    net_fixture_start(&fixture, "--messages-per-s", "1000000"); /* picks are work */
    int asker = net_fixture_join(&fixture, "asked", "anna");
    for (int i = 0; i < NODES / 500; i++) net_fixture_create_nodes(asker, 500);
    long frames = net_fixture_frames_in(fixture.daemon.port);
    memcpy(pick.pick.ray, (double[6]){0, 0, 10, 0, 0, -1}, sizeof pick.pick.ray);
    for (uint64_t i = 0; i < PICKS; i++) {
        pick.rid = 1000 + i;
        assert_true(raw_send_message(asker, &pick));
    }
    sleep(1);
    assert_true(net_fixture_frames_in(fixture.daemon.port) - frames < PICKS);
    net_fixture_assert_unharmed(&fixture);
    for (uint64_t i = 0; i < PICKS; i++) {
        assert_true(raw_read_message(asker, GZ_OP_OK, &frame, &arena, &answer));
        assert_int_equal(answer.rid, 1000 + i);
        assert_int_equal(answer.ok.hit_count, NODES);
    }
    close(asker);
    net_fixture_stop(&fixture);
    gz_arena_finish(&arena);
}

/* Who comes from this machine has the share of a name, not of an address. */
TEST(test_many_users_of_this_machine_have_their_own_shares)
{
    enum { USERS = GZ_PAYER_MESSAGES_SESSIONS + 1, RATE = 20 };
    struct net_fixture fixture;
    struct raw_frame frame;
    struct gz_message answer, ping = {.op = GZ_OP_PING, .has = GZ_HAS_RID};
    struct gz_arena arena;
    int users[USERS];
    gz_arena_init(&arena, 0);
    net_fixture_start(&fixture, "--messages-per-s=20", NULL);
    for (int i = 0; i < USERS; i++)
        users[i] = net_fixture_join(&fixture, "shared", (const char[]){(char)('a' + i), '\0'});
    for (uint64_t n = 0; n < USERS * (RATE - 3); n++) {
        ping.rid = n;
        assert_true(raw_send_message(users[n % USERS], &ping));
        assert_true(raw_read_message(users[n % USERS], GZ_OP_OK, &frame, &arena, &answer));
        assert_int_equal(answer.rid, n);
    }
    for (int i = 0; i < USERS; i++) close(users[i]);
    net_fixture_stop(&fixture);
    gz_arena_finish(&arena);
}
