/* The end of a daemon by a signal: in order, in time, and nothing lost. */
#include "net_fixture.h"

#include <signal.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_end_by_sigterm_is_in_order),
        cmocka_unit_test(test_end_by_sigint_is_in_order),
        cmocka_unit_test(test_end_does_not_wait_for_those_who_do_not_answer),
        cmocka_unit_test(test_end_keeps_what_was_acknowledged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
