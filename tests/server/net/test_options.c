/* The command line, the environment and the file of --config: what is refused, with which words,
 * and how it exits. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/cmocka.h"

#define WORDS_MAX 8

struct row {
    const char *words[WORDS_MAX];
    int code;
    const char *out, *err; /* what each must contain; NULL: it must be empty */
};

static const struct row rows[] = {
    {{"--help"}, 0, "--data DIR", NULL},
    {{"--version"}, 0, "gizmod ", NULL},
    {{"--frob"}, 2, NULL, "--frob"},
    {{"scene"}, 2, NULL, "scene"},
    {{"-h"}, 2, NULL, "-h"},
    {{""}, 2, NULL, "operand"},
    {{"--help"}, 0, "prints two lines on stdout", NULL},
    {{"--man"}, 0, ".TH gizmod 8", NULL},
    {{"--completion", "bash"}, 0, "complete -o default -F _gizmod gizmod", NULL},
    {{"--completion"}, 2, NULL, "--completion"},
    {{"--completion", "csh"}, 2, NULL, "--completion: \"csh\" is not one of bash zsh fish"},
    {{"--complete", "--log-level", "de"}, 0, "debug\n", NULL},
    /* Names are whole, so that a new option takes nothing away from a script. */
    {{"--dat", "x"}, 2, NULL, "unknown option --dat"},
    {{"--ins"}, 2, NULL, "unknown option --ins"},
    {{"--keep-edit=1000"}, 2, NULL, "unknown option --keep-edit=1000"},
    {{"--data", "x", "--", "--sample"}, 2, NULL, "unexpected operand \"--sample\""},
    /* The later one counts. */
    {{"--keep", "1h", "--keep", "1m"}, 2, NULL, "--keep: 1m is out of range"},
    {{"--data"}, 2, NULL, "--data"},
    {{"--data="}, 2, NULL, "--data"},
    {{"--web="}, 2, NULL, "--web"},
    {{"--sample=yes"}, 2, NULL, "--sample"},
    {{"--listen", "7432"}, 2, NULL, "--listen"},
    {{"--listen", ":7432"}, 2, NULL, "--listen"},
    {{"--listen", "127.0.0.1:"}, 2, NULL, "--listen"},
    {{"--listen", "127.0.0.1:65536"}, 2, NULL, "--listen"},
    {{"--listen", "127.0.0.1:-1"}, 2, NULL, "--listen"},
    {{"--listen", "127.0.0.1:80x"}, 2, NULL, "--listen"},
    {{"--listen", "[::1"}, 2, NULL, "--listen"},
    {{"--listen", "[]:7432"}, 2, NULL, "--listen"},
    {{"--listen", "::1:7432"}, 2, NULL, "--listen"},
    {{"--listen", "0.0.0.0:0"}, 2, NULL, "--insecure"},
    {{"--listen", "[::]:0"}, 2, NULL, "--insecure"},
    {{"--listen", "192.0.2.1:0"}, 2, NULL, "--insecure"},
    {{"--listen", "127.0.0.1.example:0"}, 2, NULL, "--insecure"},
    {{"--cert", "a.pem"}, 2, NULL, "must be given together; --key is missing"},
    {{"--key", "a.key"}, 2, NULL, "must be given together; --cert is missing"},
    {{"--cert=", "--key", "a.key"}, 2, NULL, "--cert"},
    {{"--cert", "a.pem", "--key="}, 2, NULL, "--key"},
    {{"--cert", "a.pem", "--key", "a.key", "--listen", "0.0.0.0:0"}, 2, NULL, "--insecure"},
    {{"--keys", ""}, 2, NULL, "--keys: the file is missing"},
    {{"--audience", "x"}, 2, NULL, "--audience: needs --keys"},
    {{"--revoked", "x"}, 2, NULL, "--revoked: needs --keys"},
    {{"--revoked="}, 2, NULL, "--revoked: the file is missing"},
    {{"--keys", "k.json", "--admin", "ada"}, 2, NULL, "--admin: cannot be used with --keys"},
    {{"--keys", "k.json", "--audience", ""}, 2, NULL, "--audience: the name is missing"},
    {{"--keys", "k.json", "--listen", "192.0.2.1:0"}, 2, NULL, "--keys with --cert and --key"},
    {{"--trusted-proxy", "::1/128", "--listen", "192.0.2.1:0"}, 2, NULL, "--trusted-proxy with"},
    {{"--open", "Upper"}, 2, NULL, "--open"},
    {{"--open", "../x"}, 2, NULL, "--open"},
    {{"--open", ""}, 2, NULL, "--open"},
    {{"--open", "-x"}, 2, NULL, "--open"},
    {{"--admin", ""}, 2, NULL, "--admin"},
    {{"--admin"}, 2, NULL, "--admin"},
    {{"--log-level", "loud"}, 2, NULL, "--log-level"},
    {{"--record", "some"}, 2, NULL, "--record"},
    {{"--keep", "90"}, 2, NULL, "--keep: \"90\" is not an age"},
    {{"--keep", "d"}, 2, NULL, "--keep"},
    {{"--keep", "-90d"}, 2, NULL, "--keep"},
    {{"--keep", "90days"}, 2, NULL, "--keep"},
    {{"--keep", "0x9d"}, 2, NULL, "--keep"},
    {{"--keep", "59m"}, 2, NULL, "give 1h to 5000w"},
    {{"--keep", "5001w"}, 2, NULL, "5000w"},
    {{"--connections-per-address", "0"}, 2, NULL, "--connections-per-address"},
    {{"--connections-per-address", "5001"}, 2, NULL, "--connections-per-address"},
    {{"--cluster", ""}, 2, NULL, "--cluster: the URI must begin with postgresql://"},
    {{"--cluster", "mysql://u:pass@h/x"},
     2,
     NULL,
     "--cluster: the URI must begin with postgresql://, as"},
    {{"--member", "a"}, 2, NULL, "--member: needs --cluster"},
    {{"--member", "a b"}, 2, NULL, "--member: a name has 1 to 63"},
    {{"--advertise", "http://a"}, 2, NULL, "--advertise: needs --cluster"},
    {{"--advertise", "ws://a"}, 2, NULL, "--advertise: \"ws://a\" is not an address"},
    {{"--secret", "s"}, 2, NULL, "--secret: needs --cluster"},
    {{"--secret", ""}, 2, NULL, "--secret: the file is missing"},
    {{"--cluster", "postgresql://h/x", "--secret", "s"}, 2, NULL, "--advertise: required with"},
    {{"--cluster", "postgresql://h/x", "--advertise", "http://a"}, 2, NULL, "--secret: required"},
    {{"--cluster", "postgres://h/x", "--advertise", "http://a", "--secret", "s", "--log-level=x"},
     2,
     NULL,
     "--log-level"},
    {{"--keep-edits", "999"}, 2, NULL, "--keep-edits"},
    {{"--keep-edits", "1000.5"}, 2, NULL, "--keep-edits"},
    {{"--keep-edits", "1e3"}, 2, NULL, "--keep-edits"},
    {{"--keep-edits", ""}, 2, NULL, "--keep-edits"},
    {{"--keep-free", "-1"}, 2, NULL, "--keep-free"},
    {{"--keep-free", "1GB"}, 2, NULL, "--keep-free"},
    {{"--memory", "63"}, 2, NULL, "--memory"},
    {{"--memory", "0"}, 2, NULL, "--memory"},
    {{"--memory", "1GB"}, 2, NULL, "--memory"},
    /* Taken, so that what is wrong is what comes after it. */
    {{"--listen", "nowhere", "--listen", "[::1]:0", "--log-level", "loud"}, 2, NULL, "--log-level"},
    {{"--keep", "1.5h", "--keep-edits", "1000", "--log-level", "loud"}, 2, NULL, "--log-level"},
    {{"--messages-per-s", "0"}, 2, NULL, "--messages-per-s"},
    {{"--messages-per-s", "nan"}, 2, NULL, "--messages-per-s"},
    {{"--ping-seconds", "x"}, 2, NULL, "--ping-seconds"},
    {{"--silence-seconds", "1e9"}, 2, NULL, "--silence-seconds"},
    {{"--ping-seconds", "9", "--silence-seconds", "9"}, 2, NULL, "--silence-seconds"},
    {{"--allow-origin", "example.org"}, 2, NULL, "--allow-origin"},
    {{"--allow-origin", "https://example.org/"}, 2, NULL, "--allow-origin"},
    {{"--allow-origin", "*"}, 2, NULL, "--allow-origin"},
    {{"--allow-origin", "null"}, 2, NULL, "--allow-origin"}, /* any page can be in a sandbox */
    {{"--trusted-proxy", "10.0.0.1/8"}, 2, NULL, "--trusted-proxy: \"10.0.0.1/8\" is not"},
    {{"--trusted-proxy", "proxy.example"}, 2, NULL, "--trusted-proxy: \"proxy.example\" is not"},
    {{"--trust-header", "X-Remote-User"}, 2, NULL, "--trust-header: needs --trusted-proxy"},
    {{"--trusted-proxy", "::1", "--trust-header", ""}, 2, NULL, "--trust-header"},
    {{"--trusted-proxy", "::1", "--trust-header", "X User"}, 2, NULL, "--trust-header"},
    {{"--trusted-proxy", "::1", "--trust-header", "X-User:"}, 2, NULL, "--trust-header"},
    {{"--trusted-proxy", "::1", "--trust-header", "Host"}, 2, NULL, "--trust-header"},
    {{"--trusted-proxy", "::1", "--trust-header", "authorization"}, 2, NULL, "--trust-header"},
    {{"--trusted-proxy", "::1", "--trust-header", "X-Forwarded"}, 2, NULL, "--trust-header"},
    {{"--trusted-proxy", "::1", "--trust-header", "X-Forwarded-For"}, 2, NULL, "--trust-header"},
    {{"--trusted-proxy", "::1", "--trust-header", "X-Forwarded-Proto"}, 2, NULL, "--trust-header"},
    {{"--trusted-proxy", "::1", "--trust-header", "Sec-Fetch-Site"}, 2, NULL, "--trust-header"},
    {{"--listen", "192.0.2.1:0", "--trusted-proxy", "::1"}, 2, NULL, "--trust-header"},
    {{"--trusted-proxy", "::1", "--trust-header", "Remote-User", "--log-level", "x"},
     2,
     NULL,
     "--log-level"},
    /* What is right on the line and wrong in the world. */
    {{"--data", "/dev/null", "--listen", "127.0.0.1:0"}, 1, NULL, "/dev/null"},
    {{"--data", "/nonexistent/scenes", "--listen", "127.0.0.1:0"}, 1, NULL, "/nonexistent/scenes"},
    {{"--cert", "/nonexistent", "--key", "/nonexistent", "--listen", "127.0.0.1:0"},
     1,
     NULL,
     "--cert: /nonexistent cannot be read: No such file"},
    {{"--keys", "/nonexistent", "--listen", "127.0.0.1:0"},
     1,
     NULL,
     "--keys: /nonexistent: No such file"},
    {{"--insecure", "--listen", "192.0.2.1:7432"}, 1, NULL, "192.0.2.1"},
    {{"--keys", "/dev/null", "--trusted-proxy", "::1/128", "--listen", "192.0.2.1:0"},
     1,
     NULL,
     "--keys: /dev/null: "},
};

static void read_file(int file, char *text, size_t size)
{
    ssize_t count = pread(file, text, size - 1, 0);
    text[count > 0 ? count : 0] = '\0';
}

static int temporary_file(void)
{
    char path[] = "/tmp/gizmod-options-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    unlink(path);
    return file;
}

/* With --check-config and the file c.conf. */
static const struct {
    const char *file, *variable, *value, *words[2];
    int code;
    const char *said; /* on stderr; NULL: on stdout that all is right */
} given[] = {
    {"# all\n\n  data = x\nlog-level=debug\n\tkeep-free =  0 \nsample = yes\r\n",
     NULL,
     NULL,
     {0},
     0,
     NULL},
    {"\xEF\xBB\xBF"
     "data = x",
     NULL,
     NULL,
     {0},
     0,
     NULL},
    {"", NULL, NULL, {0}, 0, NULL},
    /* What is no line of a file. */
    {"data = x\nfoo = 1\n", NULL, NULL, {0}, 2, "c.conf:2: unknown option \"foo\""},
    {"--data = x\n", NULL, NULL, {0}, 2, "c.conf:1: unknown option \"--data\""},
    {"Data = x\n", NULL, NULL, {0}, 2, "c.conf:1: unknown option \"Data\""},
    {"keep-edit = 1000\n", NULL, NULL, {0}, 2, "c.conf:1: unknown option \"keep-edit\""},
    {"= 1\n", NULL, NULL, {0}, 2, "c.conf:1: unknown option"},
    {"\n[gizmod]\n", NULL, NULL, {0}, 2, "c.conf:2: the line is not NAME = VALUE"},
    {"sample\n", NULL, NULL, {0}, 2, "c.conf:1: the line is not NAME = VALUE"},
    {"data x\n", NULL, NULL, {0}, 2, "c.conf:1: the line is not NAME = VALUE"},
    {"data = x # folder\n", NULL, NULL, {0}, 2, "c.conf:1: --data: a comment stands behind"},
    {"data = #\n", NULL, NULL, {0}, 2, "c.conf:1: --data: a comment stands behind"},
    {"data = \"x\"\n", NULL, NULL, {0}, 2, "c.conf:1: --data: the value has quotes"},
    {"data = 'x'\n", NULL, NULL, {0}, 2, "c.conf:1: --data: the value has quotes"},
    {"keep = 1h\n\nkeep = 2h\n", NULL, NULL, {0}, 2, "c.conf:3: --keep is in line 1 already"},
    {"help = yes\n", NULL, NULL, {0}, 2, "c.conf:1: --help cannot be given by a file"},
    {"check-config = no\n", NULL, NULL, {0}, 2, "c.conf:1: --check-config cannot be"},
    {"config = c.conf\n", NULL, NULL, {0}, 2, "c.conf:1: --config cannot be given by a file"},
    /* Bad values, of each kind. */
    {"data =\n", NULL, NULL, {0}, 2, "c.conf:1: --data: the folder is missing"},
    {"keep-edits = 999\n", NULL, NULL, {0}, 2, "c.conf:1: --keep-edits: \"999\" is not"},
    {"messages-per-s = nan\n", NULL, NULL, {0}, 2, "c.conf:1: --messages-per-s"},
    {"log-level = loud\n", NULL, NULL, {0}, 2, "c.conf:1: --log-level: \"loud\" is not one of"},
    {"log-format = xml\n", NULL, NULL, {0}, 2, "c.conf:1: --log-format: \"xml\" is not one of"},
    {"sample = maybe\n", NULL, NULL, {0}, 2, "c.conf:1: --sample: \"maybe\" is neither yes nor no"},
    {"\nkeep = 59m\n", NULL, NULL, {0}, 2, "c.conf:2: --keep: 59m is out of range"},
    {"admin = a\nadmin = b\nallow-origin = https://x.example\nallow-origin = y\n",
     NULL,
     NULL,
     {0},
     2,
     "c.conf:4: --allow-origin: \"y\" is not"},
    /* A wrong value is wrong even if another one counts. */
    {"keep = 59m\n", NULL, NULL, {"--keep", "2h"}, 2, "c.conf:1: --keep: 59m"},
    /* What does not go together: where one of them was given. */
    {"data = x\naudience = x\n", NULL, NULL, {0}, 2, "c.conf:2: --audience: needs --keys"},
    {"listen = 192.0.2.1:0\n", NULL, NULL, {0}, 2, "c.conf:1: --listen: 192.0.2.1 is not loopback"},
    {"secret = s\n", NULL, NULL, {0}, 2, "c.conf:1: --secret: needs --cluster"},
    {"", "GIZMOD_AUDIENCE", "x", {0}, 2, "GIZMOD_AUDIENCE: --audience: needs --keys"},
    {"", NULL, NULL, {"--audience", "x"}, 2, "gizmod: --audience: needs --keys"},
    /* Which one counts: --silence-seconds is 15. */
    {"ping-seconds = 20\n", NULL, NULL, {0}, 2, "gizmod: --silence-seconds: must be greater"},
    {"ping-seconds = 20\n", "GIZMOD_PING_SECONDS", "5", {0}, 0, NULL},
    {"ping-seconds = 5\n", "GIZMOD_PING_SECONDS", "20", {0}, 2, "--silence-seconds: must"},
    {"ping-seconds = 20\n", NULL, NULL, {"--ping-seconds=5"}, 0, NULL},
    {"", "GIZMOD_PING_SECONDS", "20", {"--ping-seconds=5"}, 0, NULL},
    {"ping-seconds = 5\n", "GIZMOD_PING_SECONDS", "5", {"--ping-seconds=20"}, 2, "--silence"},
    {"insecure = yes\nlisten = 192.0.2.1:0\n", NULL, NULL, {0}, 0, NULL},
    {"insecure = yes\nlisten = 192.0.2.1:0\n", "GIZMOD_INSECURE", "0", {0}, 2, "is not loopback"},
    {"insecure = no\nlisten = 192.0.2.1:0\n", NULL, NULL, {"--insecure"}, 0, NULL},
    /* A list takes the place of a list. */
    {"admin = ada\nkeys = k\n", NULL, NULL, {0}, 2, "c.conf:1: --admin: cannot be used"},
    {"", "GIZMOD_ADMIN", "ada, bob", {0}, 0, NULL},
    {"",
     "GIZMOD_ALLOW_ORIGIN",
     "https://a.example,b",
     {0},
     2,
     "GIZMOD_ALLOW_ORIGIN: --allow-origin: \"b\""},
    {"trusted-proxy = ::1\n",
     "GIZMOD_TRUSTED_PROXY",
     "10.0.0.0/8, 10.0.0.1/8",
     {0},
     2,
     "GIZMOD_TRUSTED_PROXY: --trusted-proxy: \"10.0.0.1/8\""},
    {"", "GIZMOD_KEEP", "1m", {0}, 2, "GIZMOD_KEEP: --keep: 1m is out of range"},
    /* An empty variable, and one of somebody else. */
    {"", "GIZMOD_KEYS", "", {0}, 0, NULL},
    {"", "GIZMOD_PORT", "tcp://10.0.0.1:7432", {0}, 0, NULL},
    {"", "GIZMOD_HELP", "1", {0}, 0, NULL},
    /* Files that are named. */
    {"keys = /nonexistent\n", NULL, NULL, {0}, 1, "--keys: /nonexistent: No such file"},
    {"cert = /nonexistent\nkey = /nonexistent\n",
     NULL,
     NULL,
     {0},
     1,
     "--cert: /nonexistent cannot"},
    {"", NULL, NULL, {"--config", "/nonexistent"}, 2, "--config: /nonexistent: No such file"},
    {"", NULL, NULL, {"--config", "/dev/zero"}, 2, "--config: /dev/zero: is not a regular file"},
    {"", NULL, NULL, {"--config", "/"}, 2, "--config: /: is not a regular file"},
    {"", NULL, NULL, {"--config", ""}, 2, "--config: the file is missing"},
    {"", "GIZMOD_CONFIG", "/nonexistent", {"--ping-seconds=5"}, 0, NULL}, /* the line counts */
};

static bool put_file(const char *text)
{
    FILE *file = text != NULL ? fopen("c.conf", "w") : NULL;
    return text == NULL || (file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* In a folder of its own, so that a default of --data is not made in somebody's. */
static int run(const char *const *words, const char *file, int out, int err)
{
    char folder[] = "/tmp/gizmod-options-XXXXXX";
    const char *all[WORDS_MAX + 2] = {GZ_GIZMOD_PATH};
    for (int i = 0; i < WORDS_MAX; i++) all[i + 1] = words[i];
    assert_non_null(mkdtemp(folder));
    pid_t child = fork();
    assert_int_not_equal(child, -1);
    if (child == 0) {
        if (chdir(folder) != 0 || !put_file(file)) _exit(126);
        dup2(out, STDOUT_FILENO);
        dup2(err, STDERR_FILENO);
        alarm(10);
        execv(all[0], (char *const *)(uintptr_t)all);
        _exit(127);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    char scenes[64];
    snprintf(scenes, sizeof scenes, "%s/scenes", folder);
    rmdir(scenes);
    snprintf(scenes, sizeof scenes, "%s/c.conf", folder);
    unlink(scenes);
    rmdir(folder);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void assert_says(const char *said, const char *wanted, const char *where)
{
    if (wanted == NULL ? said[0] != '\0' : strstr(said, wanted) == NULL)
        fail_msg("%s: %s", where, said);
}

TEST(test_options_table)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char said[8192];
        int out = temporary_file(), err = temporary_file();
        int code = run(rows[i].words, NULL, out, err);
        read_file(err, said, sizeof said);
        if (code != rows[i].code) fail_msg("%s: exit %d, said %s", rows[i].words[0], code, said);
        assert_says(said, rows[i].err, "stderr");
        if (rows[i].code != 0) {
            char *last = strchr(said, '\n');
            if (last == NULL || last[1] != '\0')
                fail_msg("%s: not one line: %s", rows[i].words[0], said);
        }
        read_file(out, said, sizeof said);
        assert_says(said, rows[i].out, "stdout");
        close(out);
        close(err);
    }
}

TEST(test_options_of_a_file_and_the_environment)
{
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
        char said[8192];
        const char *words[WORDS_MAX] = {"--check-config", "--config", "c.conf", given[i].words[0],
                                        given[i].words[1]};
        int out = temporary_file(), err = temporary_file();
        if (given[i].variable != NULL) setenv(given[i].variable, given[i].value, 1);
        int code = run(words, given[i].file, out, err);
        if (given[i].variable != NULL) unsetenv(given[i].variable);
        read_file(err, said, sizeof said);
        if (code != given[i].code) fail_msg("row %zu: exit %d, said %s", i, code, said);
        assert_says(said, given[i].said, given[i].file);
        if (code != 0 && strncmp(said, "gizmod: ", 8) != 0) fail_msg("row %zu: %s", i, said);
        read_file(out, said, sizeof said);
        assert_says(said, code == 0 ? "gizmod: the configuration is ok\n" : NULL, "stdout");
        close(out);
        close(err);
    }
}
