/* kill -9 while committing: what was acknowledged is there, nothing is halved or doubled. The log of what was acknowledged is
 * a pipe to the parent, outside the victim's reach. */
#include "unit/store/scene_file.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 20
#define NODES 3

struct counters {
    uint64_t edits, seq;
};

/* One drag of all nodes, begun and moved in one commit, ended in the next: `which` of the two. */
static struct gz_batch *next_batch(struct counters *counters, bool is_end)
{
    struct gz_batch *batch = gz_batch_create();
    if (batch == NULL) _exit(3);
    struct gz_node_record *nodes = gz_arena_take(&batch->arena, NODES, sizeof *nodes);
    struct gz_change *changes = gz_arena_take(&batch->arena, NODES, sizeof *changes);
    struct gz_sample_record *samples = gz_arena_take(&batch->arena, NODES, sizeof *samples);
    struct gz_edit_record *edit = gz_arena_take(&batch->arena, 1, sizeof *edit);
    char *key = gz_arena_take(&batch->arena, 1, 32);
    if (nodes == NULL || changes == NULL || samples == NULL || edit == NULL || key == NULL) _exit(3);
    if (!is_end) counters->edits++;
    uint64_t number = counters->edits;
    snprintf(key, 32, "k%llu", (unsigned long long)number);
    *edit = (struct gz_edit_record){.id = number,
                                    .handle = GZ_TX,
                                    .user = "u",
                                    .began = (double)number,
                                    .ended = (double)number,
                                    .began_seq = counters->seq - (is_end ? NODES : 0),
                                    .changes = changes,
                                    .change_count = NODES,
                                    .key = is_end ? key : NULL};
    for (uint64_t i = 0; i < NODES; i++) {
        bool is_new = number == 1;
        nodes[i] = (struct gz_node_record){
            .id = i + 1, .seq = ++counters->seq, .content = some_content(0, "n", (double)number + (is_end ? 0.5 : 0))};
        changes[i] = (struct gz_change){.node = i + 1,
                                        .existed = true,
                                        .exists = true,
                                        .after = nodes[i].content,
                                        .before = some_content(0, "n", is_new ? 0 : (double)number - 0.5)};
        samples[i] = (struct gz_sample_record){number, i + 1, counters->seq, (double)number, nodes[i].content.trs};
    }
    edit->seq = batch->seq = counters->seq;
    batch->next_edit = number + 1;
    batch->nodes = nodes;
    batch->node_count = batch->sample_count = NODES;
    batch->samples = samples;
    batch->begun = batch->ended = edit;
    if (is_end)
        batch->ended_count = 1;
    else
        batch->begun_count = 1;
    return batch;
}

/* Commits until it is killed; the number of each completed edit goes down the pipe once it is acknowledged. */
static void be_the_victim(const char *path, int log, struct counters counters)
{
    struct gz_store *store;
    struct gz_scene_state state;
    struct gz_error error;
    struct gz_store_options options = {.path = path, .create = true, .time = START_TIME};
    if (gz_store_open(&store, &options, &state, &error) != GZ_OK) _exit(2);
    for (bool is_end = false;; is_end = !is_end) {
        enum gz_status status;
        gz_store_submit(store, next_batch(&counters, is_end));
        gz_batch_destroy(wait_for(store, &status, &error));
        if (status != GZ_OK) _exit(4);
        if (is_end && write(log, &counters.edits, sizeof counters.edits) != sizeof counters.edits) _exit(5);
    }
}

/* The number of the last acknowledged edit, after a kill at a random moment. */
static uint64_t run_victim(const char *path, struct counters counters)
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

static void assert_whole(const struct gz_scene_state *state, uint64_t acknowledged, struct counters *counters)
{
    assert_true(state->edit_count > 0);
    const struct gz_edit_record *newest = &state->edits[state->edit_count - 1];
    assert_in_range(newest->id, acknowledged, acknowledged + 1);
    for (size_t i = 0; i < state->edit_count; i++) {
        assert_int_equal(state->edits[i].id, newest->id - (state->edit_count - 1 - i));
        assert_int_equal(state->edits[i].change_count, NODES);
    }
    assert_int_equal(state->node_count, NODES);
    assert_int_equal(state->seq, newest->seq);
    for (size_t i = 0; i < NODES; i++) assert_same_content(&state->nodes[i].content, &newest->changes[i].after);
    *counters = (struct counters){newest->id, state->seq};
}

static void test_acknowledged_edits_survive_kill(void **directory)
{
    const char *path = in_directory(directory, "a.db");
    char kept[512];
    snprintf(kept, sizeof kept, "%s", path);
    struct counters counters = {0};
    srand(7);
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t acknowledged = run_victim(kept, counters);
        struct gz_scene_state state;
        struct gz_store *store = open_scene(kept, false, START_TIME, &state);
        assert_whole(&state, acknowledged, &counters);
        gz_scene_state_finish(&state);
        gz_store_close(store);
        assert_int_equal(ask(kept, "SELECT count(*) FROM edits"), counters.edits);
        assert_int_equal(ask(kept, "SELECT count(*) FROM changes"), counters.edits * NODES);
        assert_int_equal(ask(kept, "SELECT count(*) FROM edits WHERE ended IS NULL"), 0);
        assert_int_equal(ask(kept, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
    }
    assert_int_equal(ask(kept, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_acknowledged_edits_survive_kill, make_directory, remove_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
