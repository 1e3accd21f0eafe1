/* members.h - a cluster on loopback for a test: a real PostgreSQL and up to three real daemons,
 * each with its own folder, port and clients. Everything here fails the test that called it, with
 * the daemon's log. */
#ifndef TESTS_CLUSTER_MEMBERS_H
#define TESTS_CLUSTER_MEMBERS_H

#include <stdio.h>

#include "server/scenario/stage.h"
#include "support/postgres.h"

#define MEMBERS_MAX 3
enum { A, B, C }; /* among the members */
/* Of one client, where a test needs several. */
#define EDITS 20
/* Seconds that anything may take. */
#define CLUSTER_SECONDS 30.0

struct member {
    struct stage stage; /* its daemon and those that are its clients */
    char name[8], advertise[64];
    char database[128];      /* URI by which it reaches PostgreSQL */
    const char *options[16]; /* NULL at the end */
};

struct cluster {
    struct test_postgres *postgres;
    char secret[128];
    struct member members[MEMBERS_MAX]; /* a, b, c: none of them runs at first */
};

/* For cmocka, around all tests: PostgreSQL runs. */
int postgres_setup(void **state);
int postgres_teardown(void **state);
/* Around each: new tables; and the end, in order and with files that keep what they promise. */
int cluster_setup(void **state);
int cluster_teardown(void **state);
#define TEST_WITH_CLUSTER(name) TEST_BETWEEN(name, cluster_setup, cluster_teardown)
/* Runs the tests; what main() returns. Without PostgreSQL it says so, for ctest to skip it. */
#define run_with_postgres()                                                                        \
    (test_postgres_is_there() ? test_run(postgres_setup, postgres_teardown)                        \
                              : (puts(TEST_POSTGRES_MISSING), 77))

/* A port that nobody listens on. */
int find_port(void);
/* Starts a member, or starts it again with the port and folder that it had. */
struct stage *member_start(struct cluster *cluster, size_t which);
/* The same as a daemon on its own, before it enters the cluster. */
struct stage *member_start_alone(struct cluster *cluster, size_t which);
/* Kills it with what its clients have; its folder stays. */
void member_kill(struct cluster *cluster, size_t which);
/* SIGTERM: it ends in order. */
void member_stop(struct cluster *cluster, size_t which);

/* A new node at x, y = 0, z = 0, made by this client: its id. */
uint64_t put_node(struct gz_client *client, const char *name, double x);
/* Moves it; with a key ("" for none). The number of the edit. */
uint64_t move_node(struct gz_client *client, uint64_t id, double x, const char *key);
/* Fails unless the client has the node there. */
void check_x(struct gz_client *client, uint64_t id, double x);

bool member_has_file(const struct cluster *cluster, size_t which, const char *scene);
/* Waits until the file of the scene is there, or is not. */
void await_file(const struct cluster *cluster, size_t which, const char *scene, bool is_there);
/* Waits until both members' files of the scene are equal row by row. */
void await_equal(const struct cluster *cluster, size_t one, size_t other, const char *scene);
/* Waits until the log of the member has these words so many times. */
void await_words(const struct cluster *cluster, size_t which, const char *words, size_t times);
/* Waits until the first column of the first row is this. */
void await_row(const struct cluster *cluster, const char *sql, long long expected);
/* Status of one request without a body. */
int ask_http(const struct cluster *cluster, size_t which, const char *method, const char *path,
             const char *body);
/* Joins, trying again for a while: a scene that goes from one member to another may be refused. */
struct gz_client *await_join(struct stage *stage, const char *scene, const char *user);
void wait_a_little(void);

#endif
