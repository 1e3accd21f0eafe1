/* postgres.h - a real PostgreSQL as a child of a test: its own data in a folder of its own, on a
 * port that was free, with fsync as it is by default. As root it runs as the user postgres. It dies
 * with the test. Everything here fails the test that called it when it cannot do its work, with the
 * end of the server's log. */
#ifndef TESTS_SUPPORT_POSTGRES_H
#define TESTS_SUPPORT_POSTGRES_H

#include <stdbool.h>
#include <sys/types.h>

struct test_postgres {
    pid_t pid; /* 0 while it does not run */
    int port;
    char directory[64], data[96], log[96];
    char uri[128];     /* of a user who may do everything, without a password */
    bool keeps_folder; /* after its end, with its log */
};

/* Whether this machine has PostgreSQL's programs (Debian's postgresql-15); where not, the test is
 * to skip itself with these words: TEST_POSTGRES_MISSING. */
bool test_postgres_is_there(void);
#define TEST_POSTGRES_MISSING "skipped: PostgreSQL is not installed (apt-get install postgresql-15)"

/* Makes its data; starts nothing. What initdb makes is kept in the build folder for the next. */
void test_postgres_init(struct test_postgres *postgres);
/* Runs it, on the same port as before, and returns when it takes connections. */
void test_postgres_start(struct test_postgres *postgres);
/* A folder and a port for a standby; stand_by fills it with a copy of the primary, starts it, and
 * from then on a commit of the primary is answered when the standby has it on its disk as well. */
void test_postgres_init_standby(struct test_postgres *standby);
void test_postgres_stand_by(struct test_postgres *standby, const struct test_postgres *primary);
/* Makes the standby of a primary that was killed a primary, which goes on alone. */
void test_postgres_promote(const struct test_postgres *standby);
/* Commits do not wait for a standby any more. */
void test_postgres_go_alone(const struct test_postgres *primary);
/* Ends all its processes at once, without any order, as a crash does. */
void test_postgres_kill(struct test_postgres *postgres);
/* SIGSTOP to all its processes, and SIGCONT. */
void test_postgres_pause(const struct test_postgres *postgres);
void test_postgres_go_on(const struct test_postgres *postgres);
/* Runs a statement on a connection of its own: the first column of its first row as a number, or
 * 0. */
long long test_postgres_ask(const struct test_postgres *postgres, const char *sql);
/* Kills it, and removes its folder. */
void test_postgres_finish(struct test_postgres *postgres);

#endif
