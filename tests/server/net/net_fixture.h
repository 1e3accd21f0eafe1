/* net_fixture.h - a daemon and a client that behaves, for tests with clients that do not: after
 * each the others must still be answered. */
#ifndef TESTS_SERVER_NET_FIXTURE_H
#define TESTS_SERVER_NET_FIXTURE_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/clock.h"
#include "support/cmocka.h"
#include "support/daemon.h"
#include "support/raw_ws.h"

#define WITNESS_SCENE "witness"

struct net_fixture {
    struct test_daemon daemon;
    int witness;
};

/* `first` and `second` are options, as --name=VALUE, or NULL. */
void net_fixture_start(struct net_fixture *fixture, const char *first, const char *second);
/* The daemon must end in order whatever was done to it: under a sanitizer that is also the report's
 * place. */
void net_fixture_stop(struct net_fixture *fixture);
/* The same for cmocka, where the state of a group is the fixture. */
int net_fixture_end(void **state);
void net_fixture_assert_unharmed(struct net_fixture *fixture);

/* A client that has joined as an editor. */
int net_fixture_join(const struct net_fixture *fixture, const char *scene, const char *user);
/* Where the witness was silent for too long on purpose: another one. */
void net_fixture_renew_witness(struct net_fixture *fixture);

/* Makes nodes with long names, all in one place, so that the scene is large on the wire; returns
 * when they are saved. */
void net_fixture_create_nodes(int socket, size_t count);
/* What /metrics says of a scene: "users", "seq". */
long net_fixture_measure(int port, const char *scene, const char *what);
/* Returns once nobody is in the scene; fails if somebody still is after a minute. */
void net_fixture_await_empty(int port, const char *scene);

/* What /metrics says of the daemon: "memory_bytes". */
long net_fixture_number(int port, const char *what);

/* Bytes that the daemon has allocated and not freed at one moment: what SQLite has, whose caches
 * fill and go, and all else. */
struct net_fixture_memory {
    long own, sqlite;
};
struct net_fixture_memory net_fixture_memory(int port);
/* How many errors of this code were answered. */
long net_fixture_errors(int port, const char *code);
/* Messages that have come over WebSockets so far. */
long net_fixture_frames_in(int port);

#endif
