/* Where the editor is served from, and what the daemon says of it: a program of an installation of
 * its own, which may have an editor beside it. */
#include "net_fixture.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define WORDS_MAX 4

static char prefix[64]; /* of the installation, and where the test is */

static void make_folder(const char *name)
{
    assert_int_equal(mkdir(name, 0700), 0);
}

static void write_file(const char *name, const char *content)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    assert_true(fputs(content, file) >= 0);
    fclose(file);
}

/* A copy, because where a link leads to is where the program is. */
static void install_program(void)
{
    char bytes[65536];
    const char *path = getenv("GIZMOD");
    int from = open(path != NULL && *path != '\0' ? path : GZ_GIZMOD_PATH, O_RDONLY | O_CLOEXEC);
    int to = open("bin/gizmod", O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
    assert_true(from >= 0 && to >= 0);
    for (ssize_t count; (count = read(from, bytes, sizeof bytes)) > 0;) {
        assert_int_equal(write(to, bytes, (size_t)count), count);
    }
    close(from);
    close(to);
}

/* ---- a daemon, and what it says ---- */

struct run {
    pid_t pid;
    int out;
    char said[1024];
    int port; /* 0 where it did not say one */
};

static void exec_daemon(int out, const char *listen, const char *const *words)
{
    const char *all[WORDS_MAX + 7] = {"bin/gizmod", "--data",   "scenes", "--log-level",
                                      "warn",       "--listen", listen};
    for (size_t i = 0; i < WORDS_MAX && words[i] != NULL; i++) all[i + 7] = words[i];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(out, STDOUT_FILENO);
    dup2(open("log", O_CREAT | O_TRUNC | O_WRONLY, 0600), STDERR_FILENO);
    execv(all[0], (char *const *)(uintptr_t)all);
    _exit(127);
}

static void start(struct run *run, const char *listen, const char *const *words)
{
    int ends[2];
    *run = (struct run){.said = ""};
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    run->pid = fork();
    assert_int_not_equal(run->pid, -1);
    if (run->pid == 0) exec_daemon(ends[1], listen, words);
    close(ends[1]);
    run->out = ends[0];
    ssize_t count = read(run->out, run->said, sizeof run->said - 1);
    const char *end = count > 0 ? strstr(run->said, "/ws\n") : NULL;
    while (end != NULL && end > run->said && end[-1] != ':') end--;
    if (end != NULL) run->port = atoi(end);
}

/* Ends it, and takes what it said after the first line, if anything, along. */
static void finish(struct run *run)
{
    int status;
    size_t size = strlen(run->said);
    assert_int_equal(kill(run->pid, SIGTERM), 0);
    for (ssize_t count;
         (count = read(run->out, run->said + size, sizeof run->said - 1 - size)) > 0;)
        size += (size_t)count;
    close(run->out);
    assert_int_equal(waitpid(run->pid, &status, 0), run->pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* What an address looks like with the port that was free. */
static void replace_port(char *text, size_t size, const char *form, int port)
{
    const char *at = strchr(form, '#');
    snprintf(text, size, "%.*s%d%s", at != NULL ? (int)(at - form) : (int)strlen(form), form,
             at != NULL ? port : 0, at != NULL ? at + 1 : "");
}

struct row {
    const char *listen;
    const char *words[WORDS_MAX];
    const char *listens, *editor; /* addresses, # for the port; NULL where there is none */
    const char *root;             /* what is at /, NULL for nothing */
};

/* Each start says to whom the scenes are open, if that is anybody. */
static void assert_warning(const struct row *row, const char *listens)
{
    char log[4096] = "", warning[128];
    FILE *file = fopen("log", "r");
    assert_non_null(file);
    size_t size = fread(log, 1, sizeof log - 1, file);
    fclose(file);
    log[size] = '\0';
    bool insecure = row->words[0] != NULL && strcmp(row->words[0], "--insecure") == 0;
    snprintf(warning, sizeof warning,
             "--insecure: listening on %s: anybody who reaches it can read", listens);
    assert_int_equal(strstr(log, insecure ? warning : "--insecure") != NULL, insecure);
}

static void assert_row(const struct row *row)
{
    struct run run;
    struct raw_response response = {0};
    char listens[64] = "", editor[64] = "", expected[256];
    start(&run, row->listen, row->words);
    bool is_v4 = row->listen[0] != '[';
    if (run.port != 0 && is_v4) raw_request(run.port, "GET", "/", "", "", 0, &response);
    finish(&run);
    replace_port(listens, sizeof listens, row->listens, run.port);
    int size = snprintf(expected, sizeof expected, "listening ws://%s/ws\n", listens);
    if (row->editor != NULL) {
        replace_port(editor, sizeof editor, row->editor, run.port);
        snprintf(expected + size, sizeof expected - (size_t)size, "the editor is at http://%s/\n",
                 editor);
    }
    assert_string_equal(run.said, expected);
    assert_warning(row, listens);
    if (!is_v4) return;
    assert_int_equal(response.status, row->root != NULL ? 200 : 404);
    if (row->root != NULL) assert_string_equal(response.body, row->root);
}

static bool has_ipv6(void)
{
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_addr = in6addr_loopback};
    int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool has = fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0;
    if (fd >= 0) close(fd);
    return has;
}

static void assert_rows(const struct row *rows, size_t count)
{
    bool v6 = has_ipv6();
    for (size_t i = 0; i < count; i++) {
        if (v6 || rows[i].listen[0] != '[') assert_row(&rows[i]);
    }
}

TEST(test_editor_that_is_installed_is_served)
{
    static const struct row rows[] = {
        {"127.0.0.1:0", {NULL}, "127.0.0.1:#", "127.0.0.1:#", "editor"},
        {"localhost:0", {NULL}, "127.0.0.1:#", "127.0.0.1:#", "editor"},
        {"0.0.0.0:0", {"--insecure"}, "0.0.0.0:#", "127.0.0.1:#", "editor"},
        {"[::1]:0", {NULL}, "[::1]:#", "[::1]:#", NULL},
        {"[::]:0", {"--insecure"}, "[::]:#", "[::1]:#", NULL},
        {"127.0.0.1:0", {"--web", "other"}, "127.0.0.1:#", "127.0.0.1:#", "other"},
        {"127.0.0.1:0", {"--web", "none"}, "127.0.0.1:#", NULL, NULL},
        {"127.0.0.1:0", {"--web=none", "--web=other"}, "127.0.0.1:#", "127.0.0.1:#", "other"},
        {"127.0.0.1:0", {"--web=other", "--web=none"}, "127.0.0.1:#", NULL, NULL},
        {"127.0.0.1:0",
         {"--web", "./none"},
         "127.0.0.1:#",
         NULL,
         NULL}, /* a folder that is not there */
    };
    assert_rows(rows, sizeof rows / sizeof rows[0]);
}

TEST(test_editor_that_was_not_built_is_not_named)
{
    static const struct row rows[] = {
        {"127.0.0.1:0", {NULL}, "127.0.0.1:#", NULL, NULL},
        {"127.0.0.1:0", {"--web", "other"}, "127.0.0.1:#", "127.0.0.1:#", "other"},
    };
    assert_int_equal(rename("share/gizmod/web", "share/gizmod/away"), 0);
    assert_rows(rows, sizeof rows / sizeof rows[0]);
}

static int install(void **state)
{
    (void)state;
    snprintf(prefix, sizeof prefix, "/tmp/gizmod-editor-XXXXXX");
    assert_non_null(mkdtemp(prefix));
    assert_int_equal(chdir(prefix), 0);
    make_folder("bin");
    make_folder("share");
    make_folder("share/gizmod");
    make_folder("share/gizmod/web");
    make_folder("other");
    write_file("share/gizmod/web/index.html", "editor");
    write_file("other/index.html", "other");
    install_program();
    return 0;
}

static int uninstall(void **state)
{
    static const char *const names[] = {"share/gizmod/web/index.html",
                                        "share/gizmod/web",
                                        "share/gizmod",
                                        "share",
                                        "other/index.html",
                                        "log",
                                        "other",
                                        "bin/gizmod",
                                        "bin",
                                        "scenes"};
    (void)state;
    (void)rename("share/gizmod/away", "share/gizmod/web");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) remove(names[i]);
    return rmdir(prefix);
}

int main(void)
{
    return test_run(install, uninstall);
}
