/* Checkpoints in the file: what is committed comes back, what was taken away is gone, a batch that
 * cannot be leaves nothing. */
#include "unit/store/scene_file.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

static struct gz_batch *batch_of(uint64_t seq, const struct gz_checkpoint_record *checkpoints,
                                 size_t count)
{
    struct gz_batch *batch = gz_batch_create();
    assert_non_null(batch);
    batch->seq = seq;
    batch->next_node = batch->next_edit = 1;
    batch->checkpoints = checkpoints;
    batch->checkpoint_count = count;
    return batch;
}

static void assert_same(const struct gz_checkpoint_record *a, const struct gz_checkpoint_record *b)
{
    assert_string_equal(a->name, b->name);
    assert_string_equal(a->user, b->user);
    assert_int_equal(a->seq, b->seq);
    assert_true(a->made == b->made && !a->gone && !b->gone);
}

TEST_IN_DIRECTORY(test_checkpoints_come_back_by_seq)
{
    const char *path, *copy = in_directory(directory, "copy.db");
    struct gz_error error = {0};
    struct gz_store *store = open_new(directory, &path);
    const struct gz_checkpoint_record made[] = {
        {.name = "'; DROP TABLE checkpoints; --",
         .user = "O'Brien",
         .seq = 9,
         .made = START_TIME + 0.25},
        {.name = "Zo\xc3\xab: 1", .user = "ann", .seq = 9, .made = START_TIME + 1},
        {.name = "x", .user = "ann", .seq = 0, .made = START_TIME + 2},
    };
    const struct gz_checkpoint_record later[] = {
        {.name = "x", .user = "bob", .gone = true},
        {.name = "x", .user = "bob", .seq = 4, .made = START_TIME + 3},
        {.name = "y", .user = "bob", .seq = 5, .made = START_TIME + 3},
        {.name = "y", .user = "bob", .gone = true},
    };
    commit(store, batch_of(9, made, 3));
    commit(store, batch_of(9, later, 4));
    assert_int_equal(gz_store_backup(path, copy, &error), GZ_OK);
    gz_store_close(store);
    for (int i = 0; i < 2; i++) {
        struct gz_scene_state state;
        store = open_scene(i == 0 ? path : copy, false, START_TIME + 10, &state);
        assert_int_equal(state.checkpoint_count, 3);
        assert_same(&state.checkpoints[0], &later[1]);
        assert_same(&state.checkpoints[1], &made[0]);
        assert_same(&state.checkpoints[2], &made[1]);
        gz_scene_state_finish(&state);
        gz_store_close(store);
    }
}

static void forget_until(const char *path, int seq)
{
    sqlite3 *db;
    char sql[64];
    snprintf(sql, sizeof sql, "UPDATE kept SET since = %d", seq);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

TEST_IN_DIRECTORY(test_checkpoint_of_a_past_that_has_gone_is_left_out_alone)
{
    const char *path;
    struct gz_store *store = open_new(directory, &path);
    const struct gz_checkpoint_record before = {
        .name = "old", .user = "ann", .seq = 3, .made = START_TIME};
    const struct gz_checkpoint_record made[] = {
        {.name = "late", .user = "ann", .seq = 4, .made = START_TIME},
        {.name = "in time", .user = "ann", .seq = 5, .made = START_TIME},
        {.name = "old", .user = "ann", .seq = 3, .gone = true},
    };
    enum gz_status status;
    struct gz_error error;
    commit(store, batch_of(9, &before, 1));
    forget_until(path, 5);
    gz_store_submit(store, batch_of(9, made, 3));
    struct gz_batch *batch = wait_for(store, &status, &error);
    assert_int_equal(status, GZ_OK);
    assert_int_equal(batch->kept_since, 5);
    gz_batch_destroy(batch);
    assert_int_equal(ask(path, "SELECT count(*) FROM checkpoints"), 1);
    assert_int_equal(ask(path, "SELECT seq FROM checkpoints"), 5);
    gz_store_close(store);
}

TEST_IN_DIRECTORY(test_batch_with_an_impossible_checkpoint_is_refused_whole)
{
    const char *path;
    struct gz_store *store = open_new(directory, &path);
    struct gz_checkpoint_record good = {.name = "v1", .user = "ann", .seq = 1, .made = START_TIME};
    commit(store, batch_of(1, &good, 1));
    struct gz_checkpoint_record wrong[2][2] = {{good, good}, {good, good}};
    for (int i = 0; i < 2; i++) wrong[i][0].name = "v2";
    wrong[1][1].name = "0123456789";
    for (int i = 0; i < 2; i++) {
        enum gz_status status;
        struct gz_error error;
        gz_store_submit(store, batch_of(1, wrong[i], 2));
        gz_batch_destroy(wait_for(store, &status, &error));
        assert_int_equal(status, GZ_STORAGE);
        assert_int_equal(ask(path, "SELECT count(*) FROM checkpoints"), 1);
    }
    gz_store_close(store);
}
