/* The end of a daemon by a signal: in order, in time, and nothing lost. */
#include "net_fixture.h"

#include <signal.h>
#include <sys/wait.h>

static void end_by(int number)
{
    struct net_fixture fixture;
    struct raw_frame frame;
    struct gz_message bye;
    struct gz_arena arena;
    int code;
    gz_arena_init(&arena, 0);
    net_fixture_start(&fixture, NULL, NULL);
    int editor = net_fixture_join(&fixture, "ending", "anna"),
        lobby = raw_open(fixture.daemon.port);
    int idle_http = raw_connect(fixture.daemon.port);

    assert_int_equal(kill(fixture.daemon.pid, number), 0);
    assert_true(raw_read_message(editor, GZ_OP_BYE, &frame, &arena, &bye));
    assert_true(bye.has & GZ_HAS_BYE_RETRY_S);
    assert_true(raw_is_ended_within(editor, 60, &code));
    assert_int_equal(code, 1001);
    assert_true(raw_read_message(lobby, GZ_OP_BYE, &frame, &arena, &bye));
    assert_true(raw_is_ended_within(lobby, 60, &code));
    assert_int_equal(code, 1001);
    net_fixture_stop(&fixture);
    close(editor);
    close(lobby);
    close(idle_http);
    gz_arena_finish(&arena);
}

TEST(test_end_by_sigterm_is_in_order)
{
    end_by(SIGTERM);
}

TEST(test_end_by_sigint_is_in_order)
{
    end_by(SIGINT);
}

static bool has_said(const struct test_daemon *daemon, const char *words)
{
    char log[8192];
    FILE *file = fopen(daemon->log, "r");
    assert_non_null(file);
    log[fread(log, 1, sizeof log - 1, file)] = '\0';
    fclose(file);
    return strstr(log, words) != NULL;
}

/* What others end by is nothing to the daemon, and a SIGHUP without files to read says so. */
TEST(test_other_signals_end_nobody)
{
    static const int others[] = {SIGHUP,  SIGPIPE, SIGXFSZ,   SIGUSR1, SIGUSR2, SIGTTIN,
                                 SIGTTOU, SIGALRM, SIGVTALRM, SIGPROF, SIGIO};
    struct net_fixture fixture;
    net_fixture_start(&fixture, NULL, NULL);
    int editor = net_fixture_join(&fixture, "staying", "anna");
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_int_equal(kill(fixture.daemon.pid, others[i]), 0);
        if (!raw_answers(editor)) fail_msg("signal %d", others[i]);
    }
    while (!has_said(&fixture.daemon, "SIGHUP: without --config, --keys, --cert and --hook"))
        usleep(1000);
    net_fixture_stop(&fixture);
    close(editor);
}

/* The rest of a handshake and the signal are there when the daemon wakes up. */
static int come_with_the_signal(const struct net_fixture *fixture, int socket)
{
    const pid_t pid = fixture->daemon.pid;
    struct raw_response response;
    siginfo_t info;
    assert_int_equal(kill(pid, SIGSTOP), 0);
    assert_int_equal(waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOWAIT), 0);
    assert_true(raw_send_text(socket, "Sec-WebSocket-Protocol: gizmod.v1\r\n\r\n"));
    assert_int_equal(kill(pid, SIGTERM), 0);
    assert_int_equal(kill(pid, SIGCONT), 0);
    raw_read_response(socket, &response);
    return response.status;
}

static void expect_bye(int socket)
{
    struct raw_frame frame;
    struct gz_message bye;
    struct gz_arena arena;
    int code;
    gz_arena_init(&arena, 0);
    assert_true(raw_read_message(socket, GZ_OP_BYE, &frame, &arena, &bye));
    assert_true(raw_is_ended_within(socket, 60, &code));
    assert_int_equal(code, 1001);
    gz_arena_finish(&arena);
}

/* Mostly the loop reads the handshake first, and has a WebSocket after it has begun to end. If it
 * sees the signal first, it refuses the handshake. */
TEST(test_end_is_told_to_one_that_just_came)
{
    static const char handshake[] =
        "GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n";
    struct net_fixture fixture;
    int status = 503;
    for (int i = 0; i < 50 && status == 503; i++) {
        net_fixture_start(&fixture, NULL, NULL);
        int late = raw_connect(fixture.daemon.port);
        assert_true(raw_send_text(late, handshake));
        net_fixture_assert_unharmed(&fixture); /* it is read */
        status = come_with_the_signal(&fixture, late);
        if (status == 101) expect_bye(late);
        net_fixture_stop(&fixture);
        close(late);
    }
    assert_int_equal(status, 101);
}

/* Nobody may hold up the end: neither one who does not read nor one who does not finish what he
 * began. */
TEST(test_end_does_not_wait_for_those_who_do_not_answer)
{
    struct net_fixture fixture;
    net_fixture_start(&fixture, NULL, NULL);
    int editor = net_fixture_join(&fixture, "ending", "anna"),
        deaf = net_fixture_join(&fixture, "ending", "ben");
    for (int i = 0; i < 20; i++) net_fixture_create_nodes(editor, 500);
    int half = raw_connect(fixture.daemon.port);
    assert_true(raw_send_text(
        half, "PUT /scenes/half HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n{"));
    net_fixture_stop(&fixture);
    close(editor);
    close(deaf);
    close(half);
}

/* While somebody holds up the end, who is connected can ask: alive, and no longer ready. */
TEST(test_end_is_alive_and_not_ready)
{
    static const char ask_ready[] = "GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
                      ask_alive[] = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
    struct raw_response response = {.status = 0};
    for (int i = 0; i < 10 && response.status != 200; i++) { /* the end may come before */
        struct net_fixture fixture;
        net_fixture_start(&fixture, NULL, NULL);
        int editor = net_fixture_join(&fixture, "ending", "anna"),
            deaf = net_fixture_join(&fixture, "ending", "ben");
        for (int k = 0; k < 20; k++) net_fixture_create_nodes(editor, 500);
        int probe = raw_connect(fixture.daemon.port);
        assert_true(raw_send_text(probe, ask_ready));
        raw_read_response(probe, &response);
        assert_int_equal(response.status, 200);
        assert_int_equal(kill(fixture.daemon.pid, SIGTERM), 0);
        expect_bye(editor);
        response.status = 0;
        if (raw_send_text(probe, ask_ready)) raw_read_response(probe, &response);
        if (response.status != 0) assert_int_equal(response.status, 503);
        if (raw_send_text(probe, ask_alive)) raw_read_response(probe, &response);
        net_fixture_stop(&fixture);
        close(probe);
        close(editor);
        close(deaf);
    }
    assert_int_equal(response.status, 200);
    assert_non_null(strstr(response.body, "ok, but the server is going away"));
}

TEST(test_end_keeps_what_was_acknowledged)
{
    struct net_fixture fixture;
    net_fixture_start(&fixture, NULL, NULL);
    int editor = net_fixture_join(&fixture, "kept", "anna");
    net_fixture_create_nodes(editor, 10);
    long nodes = net_fixture_measure(fixture.daemon.port, "kept", "nodes");
    assert_int_equal(nodes, 10);
    assert_int_equal(test_daemon_stop(&fixture.daemon), 0);
    test_daemon_start(&fixture.daemon, "--open=kept", NULL);
    assert_int_equal(net_fixture_measure(fixture.daemon.port, "kept", "nodes"), nodes);
    close(editor);
    net_fixture_stop(&fixture);
}
