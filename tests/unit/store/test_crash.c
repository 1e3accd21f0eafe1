/* kill -9 while committing: what was acknowledged is there, nothing is halved or doubled. The log
 * of what was acknowledged is a pipe to the parent, outside the victim's reach. */
#include "unit/store/scene_file.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 20

/* Commits until it is killed; the number of each completed edit goes down the pipe once it is
 * acknowledged. */
static void be_the_victim(const char *path, int log, struct numbered counters)
{
    struct gz_store *store;
    struct gz_scene_state state;
    struct gz_error error;
    struct gz_store_options options = {.path = path, .create = true, .time = START_TIME};
    if (gz_store_open(&store, &options, &state, &error) != GZ_OK) _exit(2);
    if (gz_store_start(store, &error) != GZ_OK) _exit(2);
    for (bool is_end = false;; is_end = !is_end) {
        enum gz_status status;
        gz_store_submit(store, numbered_batch(&counters, is_end));
        gz_batch_destroy(wait_for(store, &status, &error));
        if (status != GZ_OK) _exit(4);
        if (is_end && write(log, &counters.edits, sizeof counters.edits) != sizeof counters.edits)
            _exit(5);
    }
}

/* The number of the last acknowledged edit, after a kill at a random moment. */
static uint64_t run_victim(const char *path, struct numbered counters)
{
    int log[2];
    assert_int_equal(pipe(log), 0);
    pid_t child = fork();
    if (child == 0) {
        close(log[0]);
        be_the_victim(path, log[1], counters);
    }
    close(log[1]);
    uint64_t last = counters.edits, number;
    useconds_t patience = 2000 + (useconds_t)(rand() % 60000);
    assert_int_equal(read(log[0], &number, sizeof number), sizeof number); /* it is under way */
    last = number;
    usleep(patience);
    assert_int_equal(kill(child, SIGKILL), 0);
    while (read(log[0], &number, sizeof number) == sizeof number) {
        assert_int_equal(number, last + 1);
        last = number;
    }
    close(log[0]);
    int result;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFSIGNALED(result));
    return last;
}

TEST_IN_DIRECTORY(test_acknowledged_edits_survive_kill)
{
    const char *path = in_directory(directory, "a.db");
    char kept[512];
    snprintf(kept, sizeof kept, "%s", path);
    struct numbered counters = {0};
    srand(7);
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t acknowledged = run_victim(kept, counters);
        struct gz_scene_state state;
        struct gz_store *store = open_scene(kept, false, START_TIME, &state);
        assert_numbered(&state, acknowledged, &counters);
        gz_scene_state_finish(&state);
        gz_store_close(store);
        assert_int_equal(ask(kept, "SELECT count(*) FROM edits"), counters.edits);
        assert_int_equal(ask(kept, "SELECT count(*) FROM changes"),
                         counters.edits * NUMBERED_NODES);
        assert_int_equal(ask(kept, "SELECT count(*) FROM edits WHERE ended IS NULL"), 0);
        assert_int_equal(ask(kept, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
    }
    assert_int_equal(ask(kept, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
}
