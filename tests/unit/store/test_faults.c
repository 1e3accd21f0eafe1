/* Disks that fail: each call in turn, full or broken, for good or once. The only allowed outcomes:
 * a batch is committed whole, or it is refused with GZ_STORAGE in words and nothing of it is there;
 * and once the disk is well the same batch is taken. */
#include "unit/store/scene_file.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/chance.h"
#include "support/fault_vfs.h"

struct fault {
    const char *name;
    enum fault_call call;
    int code;
    bool once;
};

static const struct fault faults[] = {
    {"full disk", FAULT_WRITE, SQLITE_FULL, false},
    {"full disk, once", FAULT_WRITE, SQLITE_FULL, true},
    {"write error", FAULT_WRITE, SQLITE_IOERR_WRITE, false},
    {"write error, once", FAULT_WRITE, SQLITE_IOERR_WRITE, true},
    {"sync error", FAULT_SYNC, SQLITE_IOERR_FSYNC, false},
    {"sync error, once", FAULT_SYNC, SQLITE_IOERR_FSYNC, true},
    {"read error", FAULT_READ, SQLITE_IOERR_READ, false},
    {"truncate error", FAULT_TRUNCATE, SQLITE_IOERR_TRUNCATE, false},
    {"open error", FAULT_OPEN, SQLITE_CANTOPEN, false},
    {"no shared memory", FAULT_SHM, SQLITE_IOERR_SHMMAP, false},
};
#define FAULT_COUNT (sizeof faults / sizeof faults[0])

/* All that a reader sees, as one number. */
static uint64_t fingerprint(const char *path)
{
    struct gz_query queries[] = {{.kind = GZ_QUERY_AT, .by_time = true, .time = START_TIME + 1e7},
                                 {.kind = GZ_QUERY_HISTORY, .since = NAN, .before = NAN}};
    uint64_t print = (uint64_t)ask(path, "SELECT seq * 31 + next_edit FROM scene");
    print = print * 31 + (uint64_t)ask(path, "SELECT count(*) FROM samples");
    print = print * 31 + (uint64_t)ask(path, "SELECT total(seq) FROM nodes");
    print = print * 31 + (uint64_t)ask(path, "SELECT total(id + changed) FROM notes");
    print = print * 31 + (uint64_t)ask(path, "SELECT count(*) FROM note_keys");
    print = print * 31 + (uint64_t)ask(path, "SELECT total(change) FROM access_changes");
    for (size_t i = 0; i < 2; i++) {
        struct gz_answer answer;
        gz_store_query(path, &queries[i], &answer);
        assert_int_equal(answer.status, GZ_OK);
        for (size_t j = 0; j < answer.node_count; j++) {
            uint64_t words[10];
            memcpy(words, &answer.nodes[j].content.trs, sizeof words);
            for (size_t k = 0; k < 10; k++) print = print * 1099511628211u + words[k];
        }
        for (size_t j = 0; j < answer.edit_count; j++)
            print = print * 1099511628211u + answer.edits[j].id * 64 + answer.edits[j].change_count;
        gz_answer_finish(&answer);
    }
    return print;
}

/* Whether the fault struck. */
static bool commit_through_fault(struct gz_store *store, const char *path, struct gz_batch *batch,
                                 const struct fault *fault, int n)
{
    enum gz_status status;
    struct gz_error error = {0};
    uint64_t before = fingerprint(path);
    fault_vfs_arm(fault->call, n, fault->code, fault->once);
    gz_store_submit(store, batch);
    assert_ptr_equal(wait_for(store, &status, &error), batch);
    bool has_struck = fault_vfs_heal();
    if (status != GZ_OK) {
        assert_true(has_struck);
        assert_int_equal(status, GZ_STORAGE);
        assert_true(strlen(error.message) > strlen("the edits could not be saved: "));
        assert_int_equal(fingerprint(path), before);
        assert_int_equal(gz_store_stats(store).last_status, GZ_STORAGE);
        gz_store_submit(store, batch);
        wait_for(store, &status, &error);
        if (status != GZ_OK)
            fail_msg("%s at call %d: not healed: %s", fault->name, n, error.message);
    }
    gz_batch_destroy(batch);
    return has_struck;
}

/* A note, or a change of the last one where the scene did not move on, by a key of its own. */
static void put_note(struct model *model, struct gz_batch *batch)
{
    struct gz_note_record *note = gz_arena_take(&batch->arena, 1, sizeof *note);
    char *key = gz_arena_take(&batch->arena, 1, 32);
    assert_true(note != NULL && key != NULL);
    snprintf(key, 32, "%llu", (unsigned long long)model_random(model, UINT64_MAX));
    *note = (struct gz_note_record){.id = model->seq + 1,
                                    .user = "u",
                                    .text = "why?",
                                    .made = 1,
                                    .changed = model->time,
                                    .by = "u",
                                    .key = key};
    batch->notes = note;
    batch->note_count = 1;
}

/* A pattern that is given a role, or, every other time, what it had is taken away. */
static void put_access(struct model *model, struct gz_batch *batch)
{
    struct gz_access_record *access = gz_arena_take(&batch->arena, 1, sizeof *access);
    assert_non_null(access);
    *access = (struct gz_access_record){.glob = "*@example.com",
                                        .user = "u",
                                        .role = GZ_ROLE_EDITOR,
                                        .gone = model->seq % 2 == 1,
                                        .made = model->time};
    batch->access = access;
    batch->access_count = 1;
}

/* A batch large enough for some dozen pages. */
static struct gz_batch *large_batch(struct model *model)
{
    static uint64_t first;
    struct gz_batch *batch = model_batch(model);
    uint8_t *asset = gz_arena_take(&batch->arena, 1, 40000);
    assert_non_null(asset);
    add_asset(batch, ++first, model->seq, asset, 40000);
    put_note(model, batch);
    put_access(model, batch);
    return batch;
}

static void assert_file_is_the_models(const char *path, const struct model *model)
{
    static struct model_node expected[MODEL_NODES_MAX];
    struct gz_query query = {.kind = GZ_QUERY_AT, .seq = model->seq};
    struct gz_answer answer;
    gz_store_query(path, &query, &answer);
    assert_int_equal(answer.status, GZ_OK);
    model_replay(model, model->seq, NAN, expected);
    for (size_t i = 0; i < answer.node_count; i++)
        assert_same_content(&answer.nodes[i].content, &expected[answer.nodes[i].id - 1].content);
    assert_int_equal(ask(path, "SELECT count(*) FROM edits WHERE ended IS NOT NULL"),
                     model->edit_count);
    assert_int_equal(ask(path, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
    assert_int_equal(ask(path, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
    gz_answer_finish(&answer);
}

TEST_IN_DIRECTORY(test_commit_through_each_fault_is_whole_or_nothing)
{
    for (size_t i = 0; i < FAULT_COUNT; i++) {
        char name[32];
        snprintf(name, sizeof name, "c%zu.db", i);
        const char *path = strdup(in_directory(directory, name));
        struct gz_scene_state state;
        struct gz_store *store = open_scene(path, true, START_TIME, &state);
        struct model *model = model_create(i);
        gz_scene_state_finish(&state);
        int struck = 0, missed = 0;
        for (int n = 1; missed < 3 && n < 200; n += chance_stride())
            if (commit_through_fault(store, path, large_batch(model), &faults[i], n))
                struck++, missed = 0;
            else
                missed++;
        if (faults[i].call == FAULT_WRITE) assert_true(struck * chance_stride() > 10);
        if (faults[i].call == FAULT_SYNC) assert_true(struck > 0);
        assert_file_is_the_models(path, model);
        gz_store_close(store);
        model_destroy(model);
        free((char *)path);
    }
}

/* Opening a file with a WAL that a crash left: refused in words or opened, and opened once the disk
 * is well. */
TEST_IN_DIRECTORY(test_open_and_close_through_each_fault_lose_nothing)
{
    for (size_t i = 0; i < FAULT_COUNT; i++) {
        char name[32];
        snprintf(name, sizeof name, "o%zu.db", i);
        const char *path = strdup(in_directory(directory, name));
        struct gz_scene_state state;
        struct gz_store *store = open_scene(path, true, START_TIME, &state);
        struct model *model = model_create(100 + i);
        gz_scene_state_finish(&state);
        for (int n = 1; n < 40; n += chance_stride()) {
            commit(store, large_batch(model));
            fault_vfs_arm(faults[i].call, n, faults[i].code, faults[i].once);
            gz_store_close(store);
            struct gz_error error = {0};
            struct gz_store_options options = {.path = path, .time = START_TIME + n};
            enum gz_status status = gz_store_open(&store, &options, &state, &error);
            bool has_struck = fault_vfs_heal();
            if (status != GZ_OK) {
                assert_true(has_struck);
                assert_int_equal(status, GZ_STORAGE);
                store = open_scene(path, false, START_TIME + n, &state);
            } else {
                assert_int_equal(gz_store_start(store, &error), GZ_OK);
            }
            model_reopen(model);
            assert_int_equal(state.seq, model->seq);
            gz_scene_state_finish(&state);
            assert_file_is_the_models(path, model);
        }
        gz_store_close(store);
        model_destroy(model);
        free((char *)path);
    }
}

/* What the disk does not say is not taken for "there is none": the same key would then be used for
 * a second edit. */
TEST_IN_DIRECTORY(test_a_key_that_cannot_be_looked_up_is_not_free)
{
    const char *path = in_directory(directory, "k.db");
    struct gz_scene_state state;
    struct gz_store *store = open_scene(path, true, START_TIME, &state);
    struct model *model = model_create(5);
    struct gz_arena arena;
    struct gz_edit_record edit;
    uint64_t note;
    gz_scene_state_finish(&state);
    gz_arena_init(&arena, 64 << 20);
    for (int i = 0; i < 20; i++) commit(store, model_batch(model));
    fault_vfs_arm(FAULT_READ, 1, SQLITE_IOERR_READ, false);
    assert_int_equal(gz_store_find_key(store, "anna", "k", &arena, &edit), GZ_STORAGE);
    assert_int_equal(gz_store_find_note_key(store, "anna", "k", &note), GZ_STORAGE);
    assert_true(fault_vfs_heal());
    assert_false(knows_key(store, "anna", "no such key", &arena, &edit));
    assert_false(knows_note_key(store, "anna", "no such key", &note));
    gz_arena_finish(&arena);
    gz_store_close(store);
    model_destroy(model);
}

/* A copy asks nothing of the disk for which the writers would have to wait. */
TEST_IN_DIRECTORY(test_copy_is_made_without_a_sync)
{
    const char *path, *copy = in_directory(directory, "copy.db");
    struct gz_store *store = open_new(directory, &path);
    struct model *model = model_create(11);
    struct gz_error error;
    for (int i = 0; i < 20; i++) commit(store, model_batch(model));
    fault_vfs_arm(FAULT_SYNC, 1, SQLITE_IOERR_FSYNC, false);
    if (gz_store_backup(path, copy, &error) != GZ_OK) fail_msg("%s", error.message);
    assert_false(fault_vfs_heal());
    assert_true(fingerprint(copy) == fingerprint(path));
    gz_store_close(store);
    model_destroy(model);
}

int main(void)
{
    fault_vfs_register();
    return test_run(NULL, NULL);
}
