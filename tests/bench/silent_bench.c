/* silent_bench - what a join takes beside connections that say nothing.
 * silent_bench [SILENT [JOINS]]                 5600 and 100 without
 * A real daemon over loopback. A child process keeps SILENT connections to it open and opens each
 * anew that the daemon ends. Meanwhile this one joins a scene, one connection after the other: the
 * time is from connect to the welcome, measured first without the child. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/cmocka.h"

#include "bench/quantile.h"
#include "support/clock.h"
#include "support/daemon.h"
#include "support/raw_ws.h"

#define SETTLE_SECONDS 3
#define PAUSE_US 20000

/* ---- the silent ones ---- */

static void keep_silent(int port, size_t count)
{
    struct pollfd *silent = calloc(count, sizeof *silent);
    assert_non_null(silent);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (size_t i = 0; i < count; i++)
        silent[i] = (struct pollfd){.fd = raw_connect(port), .events = POLLIN};
    for (;;) {
        if (poll(silent, count, 100) <= 0) continue;
        for (size_t i = 0; i < count; i++) {
            if (silent[i].revents == 0) continue;
            close(silent[i].fd);
            silent[i].fd = raw_connect(port);
        }
    }
}

static pid_t start_silence(int port, size_t count)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) keep_silent(port, count);
    return child;
}

/* ---- the joins ---- */

static double join_once(int port)
{
    static struct raw_frame frame;
    struct gz_arena arena;
    struct gz_message welcome;
    double from_s = now_s();
    int socket = raw_open(port);
    gz_arena_init(&arena, 0);
    assert_true(raw_send_hello(socket, "bench", "anna"));
    assert_true(raw_read_message(socket, GZ_OP_WELCOME, &frame, &arena, &welcome));
    double took_s = now_s() - from_s;
    gz_arena_finish(&arena);
    close(socket);
    return took_s;
}

static void measure(const char *what, int port, size_t joins)
{
    double *took_s = calloc(joins, sizeof *took_s);
    assert_non_null(took_s);
    for (size_t i = 0; i < joins; i++) {
        took_s[i] = join_once(port);
        usleep(PAUSE_US);
    }
    printf("%-32s p50 %7.2f  p99 %7.2f  most %7.2f ms\n", what, 1e3 * quantile(took_s, joins, 0.5),
           1e3 * quantile(took_s, joins, 0.99), 1e3 * quantile(took_s, joins, 1));
    free(took_s);
}

static void run(size_t silent, size_t joins)
{
    struct test_daemon daemon;
    char words[64];
    test_daemon_init(&daemon);
    test_daemon_start(&daemon, NULL, NULL);
    measure("nobody is silent", daemon.port, joins);
    pid_t child = start_silence(daemon.port, silent);
    sleep(SETTLE_SECONDS);
    snprintf(words, sizeof words, "%zu are silent", silent);
    measure(words, daemon.port, joins);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    test_daemon_end(&daemon);
    test_daemon_finish(&daemon);
}

static size_t number(int argc, char **argv, int at, size_t otherwise)
{
    return argc > at ? strtoul(argv[at], NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
    raw_allow_descriptors();
    run(number(argc, argv, 1, 5600), number(argc, argv, 2, 100));
    return 0;
}
