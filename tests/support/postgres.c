/* postgres.c - starts and ends a real PostgreSQL. See postgres.h. */
#include "support/postgres.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <grp.h>
#include <libpq-fe.h>
#include <netinet/in.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/cmocka.h"
#include "support/log_end.h"

#define PROGRAMS "/usr/lib/postgresql/15/bin/"
#define START_TRIES 2400 /* of 25 ms */

bool test_postgres_is_there(void)
{
    return access(PROGRAMS "postgres", X_OK) == 0 && access(PROGRAMS "initdb", X_OK) == 0;
}

static void fail_with_log(const struct test_postgres *postgres, const char *what)
{
    print_log_end(postgres->log);
    fail_msg("PostgreSQL %s; the end of its log is above", what);
}

/* ---- programs ---- */

static const struct passwd *user(void)
{
    const struct passwd *found = geteuid() == 0 ? getpwnam("postgres") : NULL;
    if (geteuid() == 0 && found == NULL) fail_msg("there is no user postgres");
    return found;
}

/* In a child: becomes the program, as the user, and says what it has to say to the log. */
static void become(const struct test_postgres *postgres, bool as_user, const char *const *arguments)
{
    const struct passwd *who = as_user ? user() : NULL;
    int log = open(postgres->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    if (who != NULL && (setgroups(0, NULL) != 0 || setgid(who->pw_gid) != 0 ||
                        setuid(who->pw_uid) != 0 || chdir("/") != 0))
        _exit(126);
    prctl(PR_SET_PDEATHSIG, SIGQUIT);
    execv(arguments[0], (char *const *)(uintptr_t)arguments);
    _exit(127);
}

static void run(const struct test_postgres *postgres, bool as_user, const char *const *arguments)
{
    int status;
    pid_t pid = fork();
    assert_int_not_equal(pid, -1);
    if (pid == 0) become(postgres, as_user, arguments);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) fail_with_log(postgres, arguments[0]);
}

static void copy_folder(const struct test_postgres *postgres, const char *from, const char *to)
{
    const char *const copy[] = {"/bin/cp", "-a", from, to, NULL};
    run(postgres, false, copy);
}

/* ---- its data ---- */

static void make_data(const struct test_postgres *postgres)
{
    const char *const initdb[] = {
        PROGRAMS "initdb", "-N", "-A",     "trust", "-E",           "UTF8", "--locale",
        "C.UTF-8",         "-U", "gizmod", "-D",    postgres->data, NULL};
    run(postgres, true, initdb);
}

/* What initdb made once; several tests may want it at the same time. */
static void take_data(const struct test_postgres *postgres)
{
    char made[256], unfinished[272], lock[272];
    snprintf(made, sizeof made, "%s-%d", GZ_POSTGRES_TEMPLATE, (int)geteuid());
    snprintf(unfinished, sizeof unfinished, "%s.part", made);
    snprintf(lock, sizeof lock, "%s.lock", made);
    int held = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_true(held >= 0 && flock(held, LOCK_EX) == 0);
    if (access(made, F_OK) == 0) {
        copy_folder(postgres, made, postgres->data);
    } else {
        const char *const remove[] = {"/bin/rm", "-rf", unfinished, NULL};
        run(postgres, false, remove);
        make_data(postgres);
        copy_folder(postgres, postgres->data, unfinished);
        assert_int_equal(rename(unfinished, made), 0);
    }
    close(held);
}

static int free_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, size), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    close(listener);
    return ntohs(address.sin_port);
}

static void make_folder(struct test_postgres *postgres)
{
    *postgres = (struct test_postgres){.directory = "/tmp/gizmod-pg-XXXXXX"};
    assert_non_null(mkdtemp(postgres->directory));
    snprintf(postgres->data, sizeof postgres->data, "%s/data", postgres->directory);
    snprintf(postgres->log, sizeof postgres->log, "%s/log", postgres->directory);
    const struct passwd *who = user();
    if (who != NULL) assert_int_equal(chown(postgres->directory, who->pw_uid, who->pw_gid), 0);
    postgres->port = free_port();
    snprintf(postgres->uri, sizeof postgres->uri, "postgresql://gizmod@127.0.0.1:%d/postgres",
             postgres->port);
}

void test_postgres_init(struct test_postgres *postgres)
{
    make_folder(postgres);
    take_data(postgres);
}

/* ---- a standby ---- */

void test_postgres_init_standby(struct test_postgres *standby)
{
    make_folder(standby);
}

/* Signals bring the setting to the server's processes. Once a new connection has it, they have been
 * sent; and the process that tells the others whether commits wait looks at its signals before it
 * makes a checkpoint. */
static void await_standbys(const struct test_postgres *primary, const char *names)
{
    char sql[160];
    snprintf(sql, sizeof sql,
             "SELECT count(*) FROM pg_settings WHERE name = 'synchronous_standby_names' AND "
             "setting = '%s'",
             names);
    for (int i = 0; test_postgres_ask(primary, sql) != 1; i++) {
        if (i == START_TRIES) fail_with_log(primary, "does not take its standbys");
        usleep(25 * 1000);
    }
    test_postgres_ask(primary, "CHECKPOINT");
}

static void set_standbys(const struct test_postgres *primary, const char *names)
{
    char sql[128];
    snprintf(sql, sizeof sql, "ALTER SYSTEM SET synchronous_standby_names = '%s'", names);
    test_postgres_ask(primary, sql);
    test_postgres_ask(primary, "SELECT pg_reload_conf()");
    await_standbys(primary, names);
}

void test_postgres_stand_by(struct test_postgres *standby, const struct test_postgres *primary)
{
    const char *const remove[] = {"/bin/rm", "-rf", standby->data, NULL};
    const char *const copy[] = {PROGRAMS "pg_basebackup",
                                "-N",
                                "-R",
                                "-c",
                                "fast",
                                "-d",
                                primary->uri,
                                "-D",
                                standby->data,
                                NULL};
    run(standby, false, remove);
    run(standby, true, copy);
    test_postgres_start(standby);
    set_standbys(primary, "ANY 1 (*)");
}

void test_postgres_promote(const struct test_postgres *standby)
{
    test_postgres_ask(standby, "SELECT pg_promote()");
    test_postgres_go_alone(standby);
}

void test_postgres_go_alone(const struct test_postgres *primary)
{
    set_standbys(primary, "");
}

/* ---- running ---- */

void test_postgres_start(struct test_postgres *postgres)
{
    char port[16];
    snprintf(port, sizeof port, "%d", postgres->port);
    const char *const server[] = {PROGRAMS "postgres",
                                  "-D",
                                  postgres->data,
                                  "-p",
                                  port,
                                  "-k",
                                  postgres->directory,
                                  "-c",
                                  "listen_addresses=127.0.0.1",
                                  "-c",
                                  "shared_buffers=16MB",
                                  "-c",
                                  "wal_retrieve_retry_interval=200ms",
                                  NULL};
    assert_int_equal(postgres->pid, 0);
    postgres->pid = fork();
    assert_int_not_equal(postgres->pid, -1);
    if (postgres->pid == 0) become(postgres, true, server);
    for (int i = 0; PQping(postgres->uri) != PQPING_OK; i++) {
        if (i == START_TRIES || waitpid(postgres->pid, NULL, WNOHANG) != 0)
            fail_with_log(postgres, "does not start");
        usleep(25 * 1000);
    }
}

void test_postgres_kill(struct test_postgres *postgres)
{
    kill(postgres->pid, SIGQUIT);
    waitpid(postgres->pid, NULL, 0);
    postgres->pid = 0;
}

/* A signal to the server's processes. The list of them is whole only while the server stands still:
 * one that ends meanwhile hides another. */
static void signal_children(const struct test_postgres *postgres, int number)
{
    char path[64];
    int child;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)postgres->pid,
             (int)postgres->pid);
    FILE *children = fopen(path, "r");
    assert_non_null(children);
    while (fscanf(children, "%d", &child) == 1) kill(child, number);
    fclose(children);
}

void test_postgres_pause(const struct test_postgres *postgres)
{
    int status;
    kill(postgres->pid, SIGSTOP);
    assert_int_equal(waitpid(postgres->pid, &status, WUNTRACED), postgres->pid);
    assert_true(WIFSTOPPED(status));
    signal_children(postgres, SIGSTOP);
}

void test_postgres_go_on(const struct test_postgres *postgres)
{
    signal_children(postgres, SIGCONT);
    kill(postgres->pid, SIGCONT);
}

long long test_postgres_ask(const struct test_postgres *postgres, const char *sql)
{
    PGconn *link = PQconnectdb(postgres->uri);
    PGresult *result = PQexec(link, sql);
    ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
        fail_msg("%s: %s", sql, PQerrorMessage(link));
    long long answer = PQntuples(result) > 0 ? atoll(PQgetvalue(result, 0, 0)) : 0;
    PQclear(result);
    PQfinish(link);
    return answer;
}

void test_postgres_finish(struct test_postgres *postgres)
{
    if (postgres->pid != 0) test_postgres_kill(postgres);
    if (postgres->keeps_folder) return;
    const char *const remove[] = {"/bin/rm", "-rf", postgres->directory, NULL};
    /* Its log is in there. */
    snprintf(postgres->log, sizeof postgres->log, "/dev/null");
    run(postgres, false, remove);
}
