/* A daemon with a file of options: what a SIGHUP changes, what it says of the rest, and that it
 * disconnects nobody; what systemd is told; and the forms of the log. */
#include "net_fixture.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>

#define PATIENCE_S 60
#define PAGE "https://app.example"

static struct net_fixture fixture;
static char config[128];

static void write_config(const char *text)
{
    FILE *file = fopen(config, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* How often the log has these words. */
static size_t count_said(const char *words)
{
    static char log[65536];
    size_t count = 0;
    FILE *file = fopen(fixture.daemon.log, "r");
    assert_non_null(file);
    log[fread(log, 1, sizeof log - 1, file)] = '\0';
    fclose(file);
    for (const char *at = log; (at = strstr(at, words)) != NULL; at += strlen(words)) count++;
    return count;
}

/* Reads the options again; returns once the log says these words once more. */
static void reload(const char *text, const char *words)
{
    const size_t before = count_said(words);
    const double until = now_s() + PATIENCE_S;
    write_config(text);
    assert_int_equal(kill(fixture.daemon.pid, SIGHUP), 0);
    while (count_said(words) == before) {
        if (now_s() > until) fail_msg("nobody said: %s", words);
        usleep(1000);
    }
}

/* The status for a page of PAGE. */
static int status_for_page(void)
{
    struct raw_response response;
    raw_request(fixture.daemon.port, "GET", "/scenes", "Origin: " PAGE "\r\n", "", 0, &response);
    return response.status;
}

static int begin(void **state)
{
    struct test_daemon *daemon = &fixture.daemon;
    (void)state;
    char path[] = "/tmp/gizmod-config-XXXXXX", option[160];
    int file = mkstemp(path);
    if (file < 0) return -1;
    close(file);
    snprintf(config, sizeof config, "%s", path);
    snprintf(option, sizeof option, "--config=%s", config);
    write_config("# at the start\nlog-level = info\n");
    net_fixture_start(&fixture, option, NULL);
    return daemon->pid > 0 ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    unlink(config);
    net_fixture_stop(&fixture);
    return 0;
}

TEST(test_config_changes_what_can_change)
{
    int editor = net_fixture_join(&fixture, "changing", "anna");
    assert_int_equal(status_for_page(), 403);
    reload("allow-origin = " PAGE "\nlog-level = debug\n", "--allow-origin: the new value");
    assert_int_equal(status_for_page(), 200);
    assert_int_equal(count_said("--log-level: the new value is in force"), 1);
    assert_int_equal(count_said("needs a restart"), 0);
    reload("", "--allow-origin: the new value");
    assert_int_equal(status_for_page(), 403);
    reload("connections-per-address = 7\nkeep-free = 1\nmemory = 900\nadmin = ada\n", "--admin: ");
    assert_int_equal(count_said("--memory: the new value is in force"), 1);
    assert_int_equal(net_fixture_number(fixture.daemon.port, "memory_max_bytes"), 900L << 20);
    reload("log-level = error\n",
           "--log-level: the new value"); /* or nothing below would be said */
    assert_true(raw_answers(editor));
    close(editor);
}

TEST(test_config_says_what_needs_a_restart)
{
    int editor = net_fixture_join(&fixture, "restarting", "anna");
    reload("log-level = info\nweb = none\nsample = yes\n", "--web: the new value needs a restart");
    assert_int_equal(count_said("--sample: the new value needs a restart"), 1);
    reload("log-level = info\n", "read again");
    assert_int_equal(count_said("needs a restart"), 2);
    assert_true(raw_answers(editor));
    close(editor);
}

TEST(test_config_that_is_wrong_changes_nothing)
{
    static const char *const rows[][2] = {
        {"allow-origin = " PAGE "\nkeep = 1m\n", ":2: --keep: 1m is out of range"},
        {"allow-origin = " PAGE "\nfoo = 1\n", ":2: unknown option \"foo\""},
        {"allow-origin = " PAGE "\naudience = x\n", ":2: --audience: needs --keys"},
    };
    int editor = net_fixture_join(&fixture, "wrong", "anna");
    reload("log-level = info\n", "read again");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        reload(rows[i][0], rows[i][1]);
        assert_int_equal(status_for_page(), 403);
        assert_true(raw_answers(editor));
    }
    unlink(config);
    assert_int_equal(kill(fixture.daemon.pid, SIGHUP), 0);
    while (count_said("No such file or directory; nothing was read again") == 0) usleep(1000);
    assert_true(raw_answers(editor));
    reload("allow-origin = " PAGE "\n", "--allow-origin: the new value");
    assert_int_equal(status_for_page(), 200);
    close(editor);
}

/* What stays as it was at the start counts for the rules: here the header that only a proxy may
 * send. */
TEST(test_config_is_judged_with_what_needs_a_restart)
{
    char option[160];
    snprintf(option, sizeof option, "--config=%s", config);
    assert_int_equal(test_daemon_stop(&fixture.daemon), 0);
    write_config("trusted-proxy = 192.0.2.1\ntrust-header = X-Remote-User\n");
    test_daemon_start(&fixture.daemon, option, NULL);
    reload("", "with what needs a restart as it was: --trust-header: needs --trusted-proxy");
    reload("trusted-proxy = 192.0.2.2\ntrust-header = X-User\n", "--trusted-proxy: the new value");
    assert_int_equal(count_said("--trust-header: the new value needs a restart"), 1);
    assert_int_equal(test_daemon_stop(&fixture.daemon), 0);
    write_config("");
    test_daemon_start(&fixture.daemon, option, NULL);
    net_fixture_renew_witness(&fixture);
}

/* ---- systemd ---- */

static int open_notify(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const struct timeval patience = {.tv_sec = PATIENCE_S};
    memcpy(address.sun_path, name, strlen(name));
    if (*name == '@') address.sun_path[0] = '\0';
    int notify = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const size_t size = offsetof(struct sockaddr_un, sun_path) + strlen(name);
    assert_int_equal(bind(notify, (const struct sockaddr *)&address, (socklen_t)size), 0);
    assert_int_equal(setsockopt(notify, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
    return notify;
}

/* The next datagram that is no sign of life; counts those. */
static void assert_told(int notify, const char *begins, size_t *signs)
{
    char text[256];
    ssize_t size;
    while ((size = recv(notify, text, sizeof text - 1, 0)) > 0) {
        text[size] = '\0';
        if (strcmp(text, "WATCHDOG=1") != 0) break;
        ++*signs;
    }
    if (size <= 0) fail_msg("not told of %s: %s", begins, strerror(errno));
    if (strncmp(text, begins, strlen(begins)) != 0) fail_msg("told %s instead of %s", text, begins);
}

TEST(test_systemd_is_told_how_the_daemon_is)
{
    char path[128], abstract[128], option[160];
    snprintf(path, sizeof path, "%s/notify", fixture.daemon.directory);
    snprintf(abstract, sizeof abstract, "@gizmod-test-%d", (int)getpid());
    snprintf(option, sizeof option, "--config=%s", config);
    const char *const names[] = {path, abstract};
    assert_int_equal(test_daemon_stop(&fixture.daemon), 0);
    setenv("WATCHDOG_USEC", "40000", 1);
    for (size_t i = 0; i < 2; i++) {
        size_t signs = 0;
        int notify = open_notify(names[i]);
        setenv("NOTIFY_SOCKET", names[i], 1);
        test_daemon_start(&fixture.daemon, option, NULL);
        assert_told(notify, "READY=1", &signs);
        assert_int_equal(signs, 0);
        char text[64] = "";
        while (recv(notify, text, sizeof text, 0) > 0 && signs < 3) signs++;
        assert_memory_equal(text, "WATCHDOG=1", 10);
        kill(fixture.daemon.pid, SIGHUP);
        assert_told(notify, "RELOADING=1\nMONOTONIC_USEC=", &signs);
        assert_told(notify, "READY=1", &signs);
        test_daemon_ask_to_end(&fixture.daemon);
        assert_told(notify, "STOPPING=1", &signs);
        assert_int_equal(test_daemon_wait(&fixture.daemon), 0);
        close(notify);
    }
    unlink(path);
    /* Nobody reads: a socket that is gone, and a name that is none. */
    setenv("NOTIFY_SOCKET", path, 1);
    test_daemon_start(&fixture.daemon, option, NULL);
    assert_int_equal(test_daemon_stop(&fixture.daemon), 0);
    setenv("NOTIFY_SOCKET", "vsock:2:1", 1);
    test_daemon_start(&fixture.daemon, option, NULL);
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_USEC");
    net_fixture_renew_witness(&fixture);
}

/* ---- the log ---- */

/* Every line of this daemon, from its start to its end. */
TEST(test_log_has_the_form_that_was_asked_for)
{
    static const struct {
        const char *form, *begins, *ends;
    } rows[] = {{"json", "{\"time\":\"", "\"}\n"}, {"journal", "<6>", "\n"}};
    char option[160], line[2048];
    snprintf(option, sizeof option, "--config=%s", config);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t lines = 0;
        assert_int_equal(test_daemon_stop(&fixture.daemon), 0);
        assert_int_equal(unlink(fixture.daemon.log), 0);
        snprintf(line, sizeof line, "log-format = %s\n", rows[i].form);
        write_config(line);
        test_daemon_start(&fixture.daemon, option, NULL);
        close(net_fixture_join(&fixture, "formed", "anna"));
        assert_int_equal(test_daemon_stop(&fixture.daemon), 0);
        FILE *file = fopen(fixture.daemon.log, "r");
        for (; fgets(line, sizeof line, file) != NULL; lines++) {
            const size_t size = strlen(line), end = strlen(rows[i].ends);
            if (strncmp(line, rows[i].begins, strlen(rows[i].begins)) != 0 || size < end ||
                strcmp(line + size - end, rows[i].ends) != 0)
                fail_msg("not as %s: %s", rows[i].form, line);
        }
        fclose(file);
        assert_true(lines > 2);
        write_config("");
        test_daemon_start(&fixture.daemon, option, NULL);
    }
    net_fixture_renew_witness(&fixture);
}

int main(void)
{
    return test_run(begin, end);
}
