/* daemon.h - a real gizmod, and programs that talk to it, as child processes of a test.
 * The daemon listens on a port that was free, with a data directory of its own that finish removes;
 * a daemon that is started again keeps both. It dies with the test. Everything here fails the test
 * that called it (cmocka's fail_msg) when it cannot do its work, with the daemon's own log. The
 * binaries are $GIZMOD and $GIZMOCTL where set, else the ones the build made (GZ_GIZMOD_PATH,
 * GZ_GIZMOCTL_PATH). */
#ifndef TESTS_SUPPORT_DAEMON_H
#define TESTS_SUPPORT_DAEMON_H

#include <stdbool.h>
#include <sys/types.h>

struct test_daemon {
    pid_t pid; /* 0 while it does not run */
    int port;
    const char *host; /* that it listens on; NULL for 127.0.0.1 */
    bool tls; /* it speaks TLS, with the certificate in directory/server.pem and server.key */
    char url[128];
    char directory[64]; /* holds the scenes/ and the log */
    char data[96], log[96];
    /* A member of a cluster that stands before the daemon, has `port` and `url`, and relays all
     * clients; else NULL. It stays while the daemon is killed and started again. */
    const char *relay;
    pid_t relay_pid;     /* 0 while it does not run */
    int own_port;        /* of the daemon behind the member */
    const char *preload; /* a library that it loads first, and the file with that library's orders
                            (fault_preload.h); NULL for none */
    char control[96];
    const char *const *options; /* that it is always started with, NULL at the end; or NULL */
};

/* Makes the directory; starts nothing. With GIZMOD_TEST_TLS in the environment it speaks TLS; with
 * GIZMOD_TEST_RELAY, which is the program of support/member.c, it stands behind a member. */
void test_daemon_init(struct test_daemon *daemon);
/* Before it is started: it is to speak TLS. Makes an authority and a certificate in its directory
 * (support/certificates.h); all clients of this process and its children then trust that authority,
 * by GIZMOD_CA and SSL_CERT_FILE. */
void test_daemon_use_tls(struct test_daemon *daemon);
/* Runs it and returns when it is listening. `option` and `value` are one more option, NULL for
 * none. */
void test_daemon_start(struct test_daemon *daemon, const char *option, const char *value);
/* The same if it may also end, which the caller then waits for. */
bool test_daemon_try_start(struct test_daemon *daemon, const char *option, const char *value);
/* Waits for its end: the exit code, or -1 if a signal ended it. */
int test_daemon_wait(struct test_daemon *daemon);
/* kill -9. */
void test_daemon_kill(struct test_daemon *daemon);
/* SIGTERM; the exit code, or -1 if a signal ended it. */
int test_daemon_stop(struct test_daemon *daemon);
/* SIGTERM without waiting, for tests whose clients leave before another function waits for the
 * end. */
void test_daemon_ask_to_end(struct test_daemon *daemon);
bool test_daemon_has_ended(const struct test_daemon *daemon);
/* As test_daemon_stop, and fails with its log unless it ended in order: sanitizers speak at the
 * end. */
void test_daemon_end(struct test_daemon *daemon);
/* Fails with "gizmod", these words and the end of the daemon's log. */
__attribute__((format(printf, 2, 3))) void test_daemon_fail(const struct test_daemon *daemon,
                                                            const char *format, ...);
/* Removes the scenes of a daemon that does not run. */
void test_daemon_forget(struct test_daemon *daemon);
/* Kills what still runs, and removes the directory. */
void test_daemon_finish(struct test_daemon *daemon);

/* A program that runs beside the test. */
struct test_child {
    pid_t pid;
    int input, out, err; /* our ends of its pipes; input is -1 once it was closed */
};

/* What it said and how it ended. Both texts are for free(). */
struct test_output {
    int code; /* -1 where a signal ended it */
    char *out, *err;
};

/* Fails unless promtool finds the daemon's /metrics well; passes where that is not installed. */
void test_promtool(const struct test_daemon *daemon, const char *metrics);

/* Starts gizmoctl with these arguments, NULL at the end, GIZMOD_URL being the daemon's (NULL for
 * none). */
void test_ctl_start(struct test_child *child, const struct test_daemon *daemon,
                    const char *const *arguments);
/* Writes `input` (NULL for none) to it, and reads what it says until it ends. */
void test_child_finish(struct test_child *child, const char *input, struct test_output *output);
/* One line of its output, without the newline, for free(); fails after a minute. */
char *test_child_line(struct test_child *child);

/* Both at once. */
void test_ctl(struct test_output *output, const struct test_daemon *daemon, const char *input,
              const char *const *arguments);
void test_output_finish(struct test_output *output);

#endif
