/* daemon.c - starts and ends real daemons and programs. See daemon.h. */
#include "support/daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/certificates.h"
#include "support/clock.h"
#include "support/cmocka.h"
#include "support/log_end.h"

#define WAIT_SECONDS 60.0

static const char *program(const char *variable, const char *built)
{
    const char *path = getenv(variable);
    return path != NULL && path[0] != '\0' ? path : built;
}

/* Appends what comes to *text, until `until` is in it, the output ends, or the time is over. */
static bool read_until(int descriptor, const char *until, double deadline, char **text,
                       size_t *size)
{
    for (;;) {
        if (until != NULL && *text != NULL && strstr(*text, until) != NULL) return true;
        struct pollfd ready = {.fd = descriptor, .events = POLLIN};
        int left = (int)((deadline - now_s()) * 1000);
        if (left <= 0 || poll(&ready, 1, left) <= 0) return false;
        char piece[4096];
        ssize_t got = read(descriptor, piece, sizeof piece);
        if (got <= 0) return until == NULL;
        *text = realloc(*text, *size + (size_t)got + 1);
        assert_non_null(*text);
        memcpy(*text + *size, piece, (size_t)got);
        *size += (size_t)got;
        (*text)[*size] = '\0';
    }
}

/* ---- the daemon ---- */

void test_daemon_fail(const struct test_daemon *daemon, const char *format, ...)
{
    char what[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    print_log_end(daemon->log);
    fail_msg("gizmod %s; the end of its log is above", what);
}

void test_daemon_init(struct test_daemon *daemon)
{
    *daemon = (struct test_daemon){.directory = "/tmp/gizmod-test-XXXXXX"};
    assert_non_null(mkdtemp(daemon->directory));
    snprintf(daemon->data, sizeof daemon->data, "%s/scenes", daemon->directory);
    snprintf(daemon->log, sizeof daemon->log, "%s/log", daemon->directory);
    daemon->relay = getenv("GIZMOD_TEST_RELAY");
    if (daemon->relay != NULL) setenv("GIZMOD", daemon->relay, 1);
    if (getenv("GIZMOD_TEST_TLS") != NULL) test_daemon_use_tls(daemon);
}

void test_daemon_use_tls(struct test_daemon *daemon)
{
    char ca[96];
    daemon->tls = true;
    test_certificate_make(daemon->directory, "server", &(struct test_certificate){0});
    snprintf(ca, sizeof ca, "%s/ca.pem", daemon->directory);
    setenv("GIZMOD_CA", ca, 1);
    setenv("SSL_CERT_FILE", ca, 1);
}

/* AddressSanitizer wants to be the first library, and is told that it need not. */
static void set_preload(const struct test_daemon *daemon)
{
    char options[256];
    const char *before = getenv("ASAN_OPTIONS");
    snprintf(options, sizeof options, "%s%sverify_asan_link_order=0", before != NULL ? before : "",
             before != NULL ? ":" : "");
    setenv("ASAN_OPTIONS", options, 1);
    setenv("GZ_FAULT_CONTROL", daemon->control, 1);
    setenv("LD_PRELOAD", daemon->preload, 1);
}

static void run_daemon(const struct test_daemon *daemon, int out, const char *option,
                       const char *value)
{
    char listen[64], cert[96], key[96];
    const char *arguments[32] = {program("GIZMOD", GZ_GIZMOD_PATH), "--data", daemon->data,
                                 "--listen", listen};
    size_t count = 5;
    snprintf(listen, sizeof listen, "%s:%d", daemon->host != NULL ? daemon->host : "127.0.0.1",
             daemon->port);
    snprintf(cert, sizeof cert, "%s/server.pem", daemon->directory);
    snprintf(key, sizeof key, "%s/server.key", daemon->directory);
    if (daemon->tls) {
        const char *tls[] = {"--cert", cert, "--key", key};
        memcpy(arguments + count, tls, sizeof tls);
        count += 4;
    }
    for (size_t i = 0; daemon->options != NULL && daemon->options[i] != NULL; i++)
        arguments[count++] = daemon->options[i];
    arguments[count] = option;
    arguments[count + 1] = option != NULL ? value : NULL;
    int log = open(daemon->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(out, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    if (daemon->preload != NULL) set_preload(daemon);
    execv(arguments[0], (char *const *)(uintptr_t)arguments);
    _exit(127);
}

static bool start(struct test_daemon *daemon, const char *option, const char *value)
{
    int ends[2];
    assert_int_equal(daemon->pid, 0);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    daemon->pid = fork();
    assert_int_not_equal(daemon->pid, -1);
    if (daemon->pid == 0) run_daemon(daemon, ends[1], option, value);
    close(ends[1]);
    char *text = NULL, host[64];
    size_t size = 0;
    bool said = read_until(ends[0], "\n", now_s() + WAIT_SECONDS, &text, &size);
    close(ends[0]);
    const char *scheme = daemon->tls ? "wss" : "ws";
    char line[64];
    snprintf(line, sizeof line, "listening %s://%%63[^/]/ws\n", scheme);
    const char *colon = said && sscanf(text, line, host) == 1 ? strrchr(host, ':') : NULL;
    bool form = colon != NULL;
    free(text);
    if (form) {
        daemon->port = atoi(colon + 1);
        snprintf(daemon->url, sizeof daemon->url, "%s://%s/ws", scheme, host);
    }
    return form;
}

/* ---- a member before it ---- */

#define SECRET "a secret of tests"

static bool start_relay(struct test_daemon *daemon, const char *option, const char *value)
{
    char url[128];
    struct test_daemon relay = *daemon;
    snprintf(url, sizeof url, "http%s://127.0.0.1:%d", daemon->tls ? "s" : "", daemon->own_port);
    setenv("GIZMOD_TEST_ELSEWHERE", url, 1);
    relay.pid = 0;
    relay.preload = NULL;
    snprintf(relay.data, sizeof relay.data, "%s/relay", daemon->directory);
    snprintf(relay.log, sizeof relay.log, "%s/relay.log", daemon->directory);
    bool form = start(&relay, option, value);
    daemon->relay_pid = relay.pid;
    daemon->port = relay.port;
    memcpy(daemon->url, relay.url, sizeof daemon->url);
    return form;
}

static bool start_behind(struct test_daemon *daemon, const char *option, const char *value)
{
    struct test_daemon member = *daemon;
    setenv("GIZMOD_TEST_SECRET", SECRET, 1);
    unsetenv("GIZMOD_TEST_ELSEWHERE");
    member.port = daemon->own_port;
    bool form = start(&member, option, value);
    daemon->pid = member.pid;
    daemon->own_port = member.port;
    return form && (daemon->relay_pid != 0 || start_relay(daemon, option, value));
}

bool test_daemon_try_start(struct test_daemon *daemon, const char *option, const char *value)
{
    return daemon->relay != NULL ? start_behind(daemon, option, value)
                                 : start(daemon, option, value);
}

void test_daemon_start(struct test_daemon *daemon, const char *option, const char *value)
{
    if (!test_daemon_try_start(daemon, option, value))
        test_daemon_fail(daemon, "did not say where it listens");
}

/* How it ended: its exit code, or -1. */
static int reap(pid_t *pid)
{
    int status;
    while (waitpid(*pid, &status, 0) == -1 && errno == EINTR) continue;
    *pid = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A signal to process 0 would go to the whole group of this process, the test runner included. */
static void send_signal(pid_t pid, int number)
{
    assert_true(pid > 0);
    kill(pid, number);
}

void test_daemon_kill(struct test_daemon *daemon)
{
    send_signal(daemon->pid, SIGKILL);
    reap(&daemon->pid);
}

int test_daemon_wait(struct test_daemon *daemon)
{
    return reap(&daemon->pid);
}

static int stop(pid_t *pid)
{
    send_signal(*pid, SIGTERM);
    return reap(pid);
}

int test_daemon_stop(struct test_daemon *daemon)
{
    int code = stop(&daemon->pid);
    if (daemon->relay_pid != 0 && stop(&daemon->relay_pid) != 0)
        fail_msg("the member before gizmod did not end in order");
    return code;
}

void test_daemon_ask_to_end(struct test_daemon *daemon)
{
    send_signal(daemon->pid, SIGTERM);
}

bool test_daemon_has_ended(const struct test_daemon *daemon)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)daemon->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == daemon->pid;
}

void test_daemon_end(struct test_daemon *daemon)
{
    if (test_daemon_stop(daemon) != 0) test_daemon_fail(daemon, "did not end in order");
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *where)
{
    (void)info, (void)type, (void)where;
    return remove(path);
}

void test_daemon_forget(struct test_daemon *daemon)
{
    assert_int_equal(daemon->pid, 0);
    nftw(daemon->data, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

void test_daemon_finish(struct test_daemon *daemon)
{
    if (daemon->pid != 0) test_daemon_kill(daemon);
    if (daemon->relay_pid != 0) (void)stop(&daemon->relay_pid);
    nftw(daemon->directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- programs beside it ---- */

static void run_child(const int *pipes, const struct test_daemon *daemon,
                      const char *const *arguments)
{
    const char *path = program("GIZMOCTL", GZ_GIZMOCTL_PATH);
    const char *all[32] = {path};
    for (size_t i = 0; i + 2 < sizeof all / sizeof all[0] && arguments[i] != NULL; i++)
        all[i + 1] = arguments[i];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* A shell ignores SIGINT for tests in the background, and gizmoctl would inherit that. */
    signal(SIGINT, SIG_DFL);
    dup2(pipes[0], STDIN_FILENO);
    dup2(pipes[3], STDOUT_FILENO);
    dup2(pipes[5], STDERR_FILENO);
    if (daemon != NULL)
        setenv("GIZMOD_URL", daemon->url, 1);
    else
        unsetenv("GIZMOD_URL");
    unsetenv("GIZMOD_TOKEN");
    execv(path, (char *const *)(uintptr_t)all);
    _exit(127);
}

void test_promtool(const struct test_daemon *daemon, const char *metrics)
{
    char path[256], line[512], said[2048] = "";
    if (system("command -v promtool >/dev/null") != 0) {
        print_message("promtool is not installed (package prometheus): /metrics is not checked\n");
        return;
    }
    snprintf(path, sizeof path, "%s/metrics", daemon->directory);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(metrics, file);
    fclose(file);
    snprintf(line, sizeof line, "promtool check metrics < %s 2>&1", path);
    FILE *promtool = popen(line, "r");
    assert_non_null(promtool);
    said[fread(said, 1, sizeof said - 1, promtool)] = '\0';
    if (pclose(promtool) != 0 || said[0] != '\0') fail_msg("promtool: %s", said);
}

void test_ctl_start(struct test_child *child, const struct test_daemon *daemon,
                    const char *const *arguments)
{
    int pipes[6]; /* input, output and errors: the end to read and the end to write */
    for (int i = 0; i < 6; i += 2) assert_int_equal(pipe2(pipes + i, O_CLOEXEC), 0);
    child->pid = fork();
    assert_int_not_equal(child->pid, -1);
    if (child->pid == 0) run_child(pipes, daemon, arguments);
    close(pipes[0]);
    close(pipes[3]);
    close(pipes[5]);
    child->input = pipes[1];
    child->out = pipes[2];
    child->err = pipes[4];
}

char *test_child_line(struct test_child *child)
{
    char *line = NULL;
    size_t size = 0;
    /* A byte at a time, so that nothing of the next line is taken. */
    for (double deadline = now_s() + WAIT_SECONDS; size == 0 || line[size - 1] != '\n';) {
        struct pollfd ready = {.fd = child->out, .events = POLLIN};
        if (now_s() > deadline || poll(&ready, 1, 1000) < 0) fail_msg("no line came from gizmoctl");
        if (!(ready.revents & (POLLIN | POLLHUP))) continue;
        line = realloc(line, size + 2);
        assert_non_null(line);
        if (read(child->out, line + size, 1) != 1) fail_msg("gizmoctl ended");
        line[++size] = '\0';
    }
    line[size - 1] = '\0';
    return line;
}

void test_child_finish(struct test_child *child, const char *input, struct test_output *output)
{
    size_t left = input != NULL ? strlen(input) : 0, out_size = 0, err_size = 0;
    *output = (struct test_output){.out = strdup(""), .err = strdup("")};
    for (ssize_t wrote; left > 0; left -= (size_t)wrote, input += wrote) {
        wrote = write(child->input, input, left);
        assert_true(wrote > 0);
    }
    close(child->input);
    double deadline = now_s() + 3 * WAIT_SECONDS;
    bool ended = read_until(child->out, NULL, deadline, &output->out, &out_size) &&
                 read_until(child->err, NULL, deadline, &output->err, &err_size);
    close(child->out);
    close(child->err);
    if (!ended) send_signal(child->pid, SIGKILL);
    output->code = reap(&child->pid);
    if (!ended) fail_msg("gizmoctl did not end; it said: %s%s", output->out, output->err);
}

void test_ctl(struct test_output *output, const struct test_daemon *daemon, const char *input,
              const char *const *arguments)
{
    struct test_child child;
    test_ctl_start(&child, daemon, arguments);
    test_child_finish(&child, input, output);
}

void test_output_finish(struct test_output *output)
{
    free(output->out);
    free(output->err);
}
