/* Nobody reads what the programs print, or the streams that they print to are closed: they work all
 * the same and say nothing of it, and nothing else gets what was to be printed. */
#include "stage.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a standard stream of a program is. */
enum outlet {
    LEFT,   /* a pipe whose reader has gone */
    CLOSED, /* nothing */
    KEPT    /* of output: this program's; of errors: a file */
};

static void take_stream(int stream, enum outlet outlet, const char *file)
{
    int ends[2];
    if (outlet == CLOSED) {
        close(stream);
    } else if (outlet == LEFT) {
        if (pipe(ends) != 0) _exit(126);
        dup2(ends[1], stream);
        close(ends[0]);
        close(ends[1]);
    } else if (stream == STDERR_FILENO) {
        dup2(open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600), stream);
    }
}

/* As a program is that Python starts: SIGPIPE does not end it. */
static pid_t spawn(const char *const *arguments, enum outlet output, enum outlet errors,
                   const char *file)
{
    const pid_t pid = fork();
    assert_int_not_equal(pid, -1);
    if (pid != 0) return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_IGN);
    take_stream(STDERR_FILENO, errors, file);
    take_stream(STDOUT_FILENO, output, file);
    if (output == CLOSED) close(STDIN_FILENO);
    execv(arguments[0], (char *const *)(uintptr_t)arguments);
    _exit(127);
}

static int wait_for(pid_t pid)
{
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void assert_empty(const char *file)
{
    char said[512];
    FILE *stream = fopen(file, "r");
    assert_non_null(stream);
    said[fread(said, 1, sizeof said - 1, stream)] = '\0';
    fclose(stream);
    if (said[0] != '\0') fail_msg("it said: %s", said);
}

TEST_ON_STAGE(test_gizmoctl_is_quiet_when_nobody_reads)
{
    struct stage *stage = *state;
    char errors[128], path[160], id[32];
    struct gz_client *editor = stage_join(stage, "arm", "ann");
    const uint64_t node = stage_create(editor, "base", 0, (gz_vec3){0, 0, 0});
    snprintf(id, sizeof id, "%llu", (unsigned long long)node);
    snprintf(errors, sizeof errors, "%s/errors", stage->daemon.directory);
    snprintf(path, sizeof path, "%s/arm.gltf", stage->daemon.directory);
    const char *const lines[][8] = {
        {GZ_GIZMOCTL_PATH, "ls"},
        {GZ_GIZMOCTL_PATH, "ls", "arm", "--json"},
        {GZ_GIZMOCTL_PATH, "history", "arm"},
        {GZ_GIZMOCTL_PATH, "set", "arm", id, "--t", "7,0,0"},
        {GZ_GIZMOCTL_PATH, "watch", "arm", "--for", "0.1"},
        {GZ_GIZMOCTL_PATH, "who", "arm"},
        {GZ_GIZMOCTL_PATH, "--help"},
        {GZ_GIZMOCTL_PATH, "export", "arm", path},
    };
    setenv("GIZMOD_URL", stage->daemon.url, 1);
    for (enum outlet output = LEFT; output <= CLOSED; output++) {
        for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
            const int code = wait_for(spawn(lines[i], output, KEPT, errors));
            if (code != 0 && (output == CLOSED || code != 1)) fail_msg("line %zu: %d", i, code);
            assert_empty(errors);
        }
    }
    const struct gz_client *late = stage_join(stage, "arm", "ben");
    assert_true(gz_mirror_find(gz_client_mirror(late), node)->trs.t.x == 7);
}

/* In a shell's pipe, whose reader leaves after a line: the command ends, though nothing more
 * happens or more and more input comes, and says nothing. A line that ends by a timeout exits with
 * 124. */
TEST_ON_STAGE(test_gizmoctl_ends_with_its_reader)
{
    static const char *const lines[] = {
        "$G ls arm --json | head -1",
        "$G history arm | head -1",
        "$G watch arm | head -1",
        "$G watch arm --json | head -1",
        "yes 2>/dev/null '{\"op\":\"undo\"}' | $G edit arm - --json | head -1",
        "mkfifo $F; exec 3<>$F; echo '{\"op\":\"undo\"}' >&3; $G edit arm $F --json | head -1",
        "yes 2>/dev/null x | $G solve 2>/dev/null | true",
    };
    struct stage *stage = *state;
    char errors[128], fifo[128], line[512];
    (void)stage_create(stage_join(stage, "arm", "ann"), "base", 0, (gz_vec3){0, 0, 0});
    snprintf(errors, sizeof errors, "%s/errors", stage->daemon.directory);
    setenv("GIZMOD_URL", stage->daemon.url, 1);
    snprintf(fifo, sizeof fifo, "%s/fifo", stage->daemon.directory);
    setenv("F", fifo, 1);
    setenv("G", "timeout 15 " GZ_GIZMOCTL_PATH, 1);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        snprintf(line, sizeof line, "set -o pipefail; %s >/dev/null; [ $? != 124 ]", lines[i]);
        const char *const shell[] = {"/bin/bash", "-c", line, NULL};
        if (wait_for(spawn(shell, KEPT, KEPT, errors)) != 0) fail_msg("%s", lines[i]);
        assert_empty(errors);
    }
}

/* It says when it is ready, and nobody hears that. */
static void wait_until_ready(const struct test_daemon *daemon)
{
    struct test_output output = {.code = 1};
    while (output.code != 0) {
        assert_false(test_daemon_has_ended(daemon));
        test_ctl(&output, daemon, NULL, (const char *const[]){"ls", NULL});
        test_output_finish(&output);
    }
}

/* Its log has lines of refusals, and of the end. */
TEST_ON_STAGE(test_daemon_serves_when_nobody_reads)
{
    struct stage *stage = *state;
    struct test_daemon *daemon = &stage->daemon;
    char listen[64];
    snprintf(listen, sizeof listen, "127.0.0.1:%d", daemon->port);
    const char *const line[] = {GZ_GIZMOD_PATH, "--data",      daemon->data, "--listen",
                                listen,         "--log-level", "debug",      NULL};
    test_daemon_end(daemon);
    for (enum outlet outlet = LEFT; outlet <= CLOSED; outlet++) {
        struct test_output output;
        daemon->pid = spawn(line, outlet, outlet, "");
        wait_until_ready(daemon);
        struct gz_client *editor = stage_join(stage, "arm", "ann");
        (void)stage_create(editor, "base", 0, (gz_vec3){0, 0, 0});
        test_ctl(&output, daemon, NULL, (const char *const[]){"ls", "nowhere", NULL});
        assert_int_equal(output.code, 5);
        test_output_finish(&output);
        assert_int_equal(kill(daemon->pid, SIGHUP), 0);
        assert_int_equal(stage_leave(state), 0);
        assert_int_equal(test_daemon_stop(daemon), 0);
    }
    stage_check_files(stage);
    test_daemon_start(daemon, NULL, NULL);
}

/* The signals that the process ignores, or blocks, by now. */
static unsigned long long mask_of(pid_t pid, const char *which)
{
    char path[64], line[256];
    unsigned long long mask = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, which, strlen(which)) == 0)
            mask = strtoull(line + strlen(which), NULL, 16);
    if (file != NULL) fclose(file);
    return mask;
}

/* From the moment at which the program is itself: it ignores SIGUSR1, which it inherits from
 * nobody. Until it is ready the signal comes all the time. */
TEST_ON_STAGE(test_hang_up_before_the_daemon_is_ready_ends_nobody)
{
    struct stage *stage = *state;
    struct test_daemon *daemon = &stage->daemon;
    char listen[64], output[128];
    int ends[2], signals = 0;
    snprintf(listen, sizeof listen, "127.0.0.1:%d", daemon->port);
    const char *const line[] = {GZ_GIZMOD_PATH, "--sample", "--data", daemon->data,
                                "--listen",     listen,     NULL};
    test_daemon_end(daemon);
    assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    const int own = dup(STDOUT_FILENO);
    dup2(ends[1], STDOUT_FILENO);
    daemon->pid = spawn(line, KEPT, KEPT, daemon->log);
    dup2(own, STDOUT_FILENO);
    close(own);
    close(ends[1]);
    while ((mask_of(daemon->pid, "SigIgn:") >> (SIGUSR1 - 1) & 1) == 0) usleep(100);
    ssize_t size;
    while ((size = read(ends[0], output, sizeof output)) < 0) {
        signals += kill(daemon->pid, SIGHUP) == 0;
        usleep(100);
    }
    close(ends[0]);
    if (size == 0 || signals == 0) fail_msg("%d signals: it has ended", signals);
    assert_memory_equal(output, "listening ", 10);
    (void)stage_join(stage, "robot-arm", "ann");
}

int main(void)
{
    return test_run(NULL, NULL);
}
