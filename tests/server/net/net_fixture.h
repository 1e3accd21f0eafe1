/* net_fixture.h - a daemon and a client that behaves, for tests with clients that do not: after each the others must still be
 * answered. */
#ifndef TESTS_SERVER_NET_FIXTURE_H
#define TESTS_SERVER_NET_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/daemon.h"
#include "support/raw_ws.h"

#define WITNESS_SCENE "witness"

struct net_fixture {
    struct test_daemon daemon;
    int witness;
};

/* `first` and `second` are options, as --name=VALUE, or NULL. */
static inline void net_fixture_start(struct net_fixture *fixture, const char *first, const char *second)
{
    test_daemon_init(&fixture->daemon);
    test_daemon_start(&fixture->daemon, first, second);
    fixture->witness = raw_open(fixture->daemon.port);
    assert_true(raw_send_hello(fixture->witness, WITNESS_SCENE, "witness"));
    assert_true(raw_answers(fixture->witness));
}

static inline void net_fixture_print_log(const struct net_fixture *fixture)
{
    char line[1024];
    FILE *log = fopen(fixture->daemon.log, "r");
    while (log != NULL && fgets(line, sizeof line, log) != NULL) print_error("%s", line);
    if (log != NULL) fclose(log);
}

/* The daemon must end in order whatever was done to it: under a sanitizer that is also the report's place. */
static inline void net_fixture_stop(struct net_fixture *fixture)
{
    close(fixture->witness);
    int code = test_daemon_stop(&fixture->daemon);
    if (code != 0) net_fixture_print_log(fixture);
    assert_int_equal(code, 0);
    test_daemon_finish(&fixture->daemon);
}

static inline void net_fixture_assert_unharmed(struct net_fixture *fixture)
{
    assert_true(raw_answers(fixture->witness));
}

#endif
