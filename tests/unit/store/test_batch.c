/* What is committed comes back: bit by bit, in order, and nothing else. */
#include "server/maxima.h"
#include "unit/store/scene_file.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char glb[] = "glTF\2\0\0\0 and so on";

static void assert_state_is_the_models(const struct gz_scene_state *state,
                                       const struct model *model)
{
    size_t alive = 0, changed = 0;
    for (size_t i = 0; i < model->node_count; i++) alive += model->nodes[i].alive;
    assert_int_equal(state->seq, model->seq);
    assert_int_equal(state->next_node, model->node_count + 1);
    assert_int_equal(state->next_edit, model->next_edit);
    assert_int_equal(state->node_count, model->node_count);
    for (size_t i = 0; i < state->node_count; i++) {
        const struct gz_node_record *node = &state->nodes[i];
        const struct model_node *expected = &model->nodes[node->id - 1];
        assert_int_equal(node->gone, i >= alive);
        assert_int_equal(node->gone, !expected->alive);
        assert_int_equal(node->seq, expected->seq);
        assert_same_content(&node->content, &expected->content);
        if (i > alive) assert_true(node->seq > state->nodes[i - 1].seq);
        bool has_parent = node->gone || node->content.parent == 0;
        for (size_t j = 0; j < i; j++) has_parent |= state->nodes[j].id == node->content.parent;
        assert_true(has_parent);
    }
    for (size_t i = 0; i < state->edit_count; i++) changed += state->edits[i].change_count;
    assert_true(changed > 0);
}

/* Drags that run at the end are the recovery's, and are left out here. */
static void end_drags(struct model *model, struct gz_store *store)
{
    bool is_running = true;
    while (is_running) {
        commit(store, model_batch(model));
        is_running = false;
        for (size_t i = 0; i < MODEL_DRAGS_MAX; i++) is_running |= model->drags[i].is_running;
    }
}

TEST_IN_DIRECTORY(test_random_batches_come_back_bit_by_bit)
{
    const char *path;
    struct gz_store *store = open_new(directory, &path);
    struct model *model = model_create(20240229);
    for (int i = 0; i < 300; i++) commit(store, model_batch(model));
    end_drags(model, store);
    gz_store_close(store);
    struct gz_scene_state state;
    store = open_scene(path, false, START_TIME + 1e6, &state);
    assert_state_is_the_models(&state, model);
    assert_true(state.edit_count == model->edit_count || state.edit_count == GZ_UNDO_EDITS_MAX);
    for (size_t i = 0; i < state.edit_count; i++)
        assert_same_edit(&state.edits[i], &model->edits[model->edit_count - state.edit_count + i]);
    assert_int_equal(ask(path, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
    gz_scene_state_finish(&state);
    gz_store_close(store);
    model_destroy(model);
}

/* Drags and all: each opening ends those that ran, as the model says. */
TEST_IN_DIRECTORY(test_random_batches_survive_many_openings)
{
    const char *path;
    struct gz_store *store = open_new(directory, &path);
    struct model *model = model_create(31);
    for (int opening = 0; opening < 50; opening++) {
        for (uint64_t i = model_random(model, 8); i > 0 || model->seq == 0; i -= i > 0)
            commit(store, model_batch(model));
        gz_store_close(store);
        model_reopen(model);
        struct gz_scene_state state;
        store = open_scene(path, false, START_TIME + 1e6 + opening, &state);
        assert_state_is_the_models(&state, model);
        assert_int_equal(state.edit_count, model->edit_count);
        for (size_t i = 0; i < state.edit_count; i++)
            assert_same_edit(&state.edits[i], &model->edits[i]);
        gz_scene_state_finish(&state);
    }
    gz_store_close(store);
    model_destroy(model);
}

/* Two nodes are dragged and one of them comes back to where it was: it has no part in the edit. */
TEST_IN_DIRECTORY(test_node_that_came_back_has_no_path)
{
    const char *path;
    struct gz_store *store = open_new(directory, &path);
    struct gz_content a = some_content(0, "a", 1), b = some_content(0, "b", 2);
    struct gz_node_record nodes[] = {{.id = 1, .seq = 1, .content = a},
                                     {.id = 2, .seq = 2, .content = b}};
    struct gz_change made[] = {{.node = 1, .exists = true, .after = a},
                               {.node = 2, .exists = true, .after = b}};
    struct gz_change held[] = {{.node = 1, .existed = true, .exists = true, .before = a},
                               {.node = 2, .existed = true, .exists = true, .before = b}};
    struct gz_edit_record create = {
        .id = 1, .kind = GZ_EDIT_CREATE, .user = "u", .seq = 2, .changes = made, .change_count = 2};
    struct gz_edit_record drag = {
        .id = 2, .handle = GZ_TX, .user = "u", .began_seq = 2, .changes = held, .change_count = 2};
    struct gz_sample_record samples[] = {{2, 1, 3, 0.02, b.trs}, {2, 2, 4, 0.02, a.trs}};
    struct gz_batch *batch = gz_batch_create();
    *batch = (struct gz_batch){.arena = batch->arena,
                               .seq = 4,
                               .nodes = nodes,
                               .node_count = 2,
                               .ended = &create,
                               .ended_count = 1,
                               .begun = &drag,
                               .begun_count = 1,
                               .samples = samples,
                               .sample_count = 2,
                               .next_node = 3,
                               .next_edit = 3};
    commit(store, batch);
    assert_int_equal(ask(path, "SELECT count(*) FROM samples"), 2);
    struct gz_change moved = {.node = 2, .existed = true, .exists = true, .before = b, .after = a};
    drag.changes = &moved;
    drag.change_count = 1;
    drag.seq = 6;
    drag.ended = 0.03;
    batch = gz_batch_create();
    *batch = (struct gz_batch){.arena = batch->arena,
                               .seq = 6,
                               .ended = &drag,
                               .ended_count = 1,
                               .next_node = 3,
                               .next_edit = 3};
    commit(store, batch);
    assert_int_equal(ask(path, "SELECT count(*) FROM samples WHERE node = 1"), 0);
    gz_store_close(store);
}

TEST_IN_DIRECTORY(test_dropped_drag_leaves_nothing)
{
    const char *path;
    struct gz_store *store = open_new(directory, &path);
    struct gz_content content = some_content(0, "a", 1);
    struct gz_node_record node = {.id = 1, .seq = 1, .content = content};
    struct gz_change made = {.node = 1, .exists = true, .after = content};
    struct gz_change dragged = {.node = 1, .existed = true, .exists = true, .before = content};
    struct gz_edit_record create = {.id = 1,
                                    .kind = GZ_EDIT_CREATE,
                                    .user = "u",
                                    .seq = 1,
                                    .changes = &made,
                                    .change_count = 1};
    struct gz_edit_record drag = {.id = 2,
                                  .handle = GZ_TX,
                                  .user = "u",
                                  .began_seq = 1,
                                  .changes = &dragged,
                                  .change_count = 1};
    struct gz_sample_record sample = {2, 1, 2, 0.02, content.trs};
    uint64_t dropped = 2;
    struct gz_batch *batch = gz_batch_create();
    batch->nodes = &node;
    batch->ended = &create;
    batch->begun = &drag;
    batch->samples = &sample;
    batch->node_count = batch->ended_count = batch->begun_count = batch->sample_count = 1;
    commit(store, batch);
    assert_int_equal(ask(path, "SELECT count(*) FROM edits"), 2);
    assert_int_equal(ask(path, "SELECT count(*) FROM samples"), 1);
    batch = gz_batch_create();
    batch->dropped = &dropped;
    batch->dropped_count = 1;
    commit(store, batch);
    assert_int_equal(ask(path, "SELECT count(*) FROM edits"), 1);
    assert_int_equal(ask(path, "SELECT count(*) FROM changes"), 1);
    assert_int_equal(ask(path, "SELECT count(*) FROM samples"), 0);
    gz_store_close(store);
}

TEST_IN_DIRECTORY(test_names_of_any_bytes_come_back)
{
    static const char *const names[] = {"'); DROP TABLE nodes; --",
                                        "\" OR 1=1",
                                        "a\nb\tc\r",
                                        "\x01\x7f",
                                        "",
                                        "\xf0\x9f\x94\xa7\xe2\x80\x8d\xf0\x9f\x94\xa9",
                                        "?1",
                                        "%s%n%d",
                                        "\xef\xbf\xbf",
                                        "\xc3\xa9 is not e\xcc\x81"};
    const char *path;
    struct gz_store *store = open_new(directory, &path);
    struct gz_node_record nodes[10];
    struct gz_edit_record edits[10] = {0};
    for (size_t i = 0; i < 10; i++) {
        nodes[i] = (struct gz_node_record){
            .id = i + 1, .seq = i + 1, .content = some_content(0, names[i], 0)};
        edits[i] =
            (struct gz_edit_record){.id = i + 1, .seq = i + 1, .user = names[i], .key = names[i]};
    }
    struct gz_batch *batch = gz_batch_create();
    batch->nodes = nodes;
    batch->ended = edits;
    batch->node_count = batch->ended_count = 10;
    batch->seq = 10;
    batch->next_node = batch->next_edit = 11;
    commit(store, batch);
    struct gz_arena arena;
    gz_arena_init(&arena, 1 << 20);
    for (size_t i = 0; i < 10; i++) {
        struct gz_edit_record edit;
        assert_true(knows_key(store, names[i], names[i], &arena, &edit));
        assert_same_edit(&edit, &edits[i]);
    }
    gz_arena_finish(&arena);
    gz_store_close(store);
    struct gz_scene_state state;
    store = open_scene(path, false, START_TIME, &state);
    assert_int_equal(state.node_count, 10);
    for (size_t i = 0; i < 10; i++) assert_same_content(&state.nodes[i].content, &nodes[i].content);
    gz_scene_state_finish(&state);
    gz_store_close(store);
}

TEST_IN_DIRECTORY(test_key_finds_its_edit_across_restart_and_no_other)
{
    const char *path;
    struct gz_store *store = open_new(directory, &path);
    struct model *model = model_create(7);
    struct gz_arena arena;
    struct gz_edit_record edit;
    gz_arena_init(&arena, 64 << 20);
    for (int i = 0; i < 100; i++) commit(store, model_batch(model));
    for (int opened = 0; opened < 2; opened++) {
        size_t found = 0;
        for (size_t i = 0; i < model->edit_count; i++) {
            const struct gz_edit_record *expected = &model->edits[i];
            if (expected->key == NULL) continue;
            assert_true(knows_key(store, expected->user, expected->key, &arena, &edit));
            assert_same_edit(&edit, expected);
            assert_false(knows_key(store, "nobody", expected->key, &arena, &edit));
            found++;
        }
        assert_true(found > 10);
        assert_false(knows_key(store, "anna", "no such key", &arena, &edit));
        gz_store_close(store);
        store = open_only(path, false, START_TIME + 1e6);
    }
    gz_store_close(store);
    gz_arena_finish(&arena);
    model_destroy(model);
}

TEST_IN_DIRECTORY(test_same_key_twice_is_refused_whole)
{
    const char *path;
    struct gz_store *store = open_new(directory, &path);
    struct gz_edit_record edits[] = {{.id = 1, .seq = 1, .user = "u", .key = "k"},
                                     {.id = 2, .seq = 2, .user = "u", .key = "k"}};
    struct gz_batch *batch = gz_batch_create();
    enum gz_status status;
    struct gz_error error;
    batch->seq = 2;
    batch->ended = edits;
    batch->ended_count = 2;
    gz_store_submit(store, batch);
    assert_ptr_equal(wait_for(store, &status, &error), batch);
    assert_int_equal(status, GZ_STORAGE);
    assert_non_null(strstr(error.message, "UNIQUE"));
    assert_int_equal(ask(path, "SELECT count(*) FROM edits"), 0);
    assert_int_equal(ask(path, "SELECT seq FROM scene"), 0);
    edits[1].key = NULL;
    commit(store, batch);
    assert_int_equal(ask(path, "SELECT count(*) FROM edits"), 2);
    gz_store_close(store);
}

TEST_IN_DIRECTORY(test_batches_come_back_and_are_counted)
{
    const char *path;
    struct gz_store *store = open_new(directory, &path);
    for (uint64_t i = 0; i < 200; i++) {
        enum gz_status status;
        struct gz_batch *batch = gz_batch_create();
        batch->seq = i + 1;
        gz_store_submit(store, batch);
        assert_ptr_equal(wait_for(store, &status, NULL), batch);
        assert_null(gz_store_take(store, &status, NULL));
        assert_int_equal(status, GZ_OK);
        gz_batch_destroy(batch);
    }
    struct gz_store_stats stats = gz_store_stats(store);
    assert_in_range(stats.commits, 1, 200);
    assert_int_equal(stats.last_status, GZ_OK);
    assert_true(stats.wal_bytes > 0 && stats.last_commit_s > 0);
    assert_int_equal(ask(path, "SELECT seq FROM scene"), 200);
    gz_store_close(store);
}

/* Another program keeps the writer waiting until `unlock`. */
static sqlite3 *lock(const char *path)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    return db;
}

static void unlock(sqlite3 *db)
{
    assert_int_equal(sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

/* One edit each. The store has the first batch alone, because it takes it at once. */
static void submit_edits(struct gz_store *store, struct gz_batch **batches,
                         struct gz_edit_record *edits, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t id = edits[i].id;
        edits[i] = (struct gz_edit_record){
            .id = id, .seq = id, .began_seq = id - 1, .user = "u", .key = edits[i].key};
        batches[i] = gz_batch_create();
        assert_non_null(batches[i]);
        batches[i]->seq = id;
        batches[i]->next_edit = id + 1;
        batches[i]->ended = &edits[i];
        batches[i]->ended_count = 1;
        gz_store_submit(store, batches[i]);
        if (i == 0) usleep(20000);
    }
}

static void take_back(struct gz_store *store, struct gz_batch **batches, size_t count,
                      enum gz_status wanted)
{
    for (size_t i = 0; i < count; i++) {
        enum gz_status status;
        assert_ptr_equal(wait_for(store, &status, NULL), batches[i]);
        assert_int_equal(status, wanted);
        gz_batch_destroy(batches[i]);
    }
}

TEST_IN_DIRECTORY(test_what_comes_during_a_commit_is_the_next_one)
{
    const char *path;
    struct gz_store *store = open_new(directory, &path);
    struct gz_edit_record edits[50];
    struct gz_batch *batches[50];
    for (uint64_t i = 0; i < 50; i++) edits[i] = (struct gz_edit_record){.id = i + 1};
    sqlite3 *other = lock(path);
    submit_edits(store, batches, edits, 50);
    unlock(other);
    take_back(store, batches, 50, GZ_OK);
    assert_in_range(gz_store_stats(store).commits, 1, 2);
    assert_int_equal(gz_store_stats(store).rows, 50);
    assert_int_equal(ask(path, "SELECT count(*) FROM edits"), 50);
    assert_int_equal(ask(path, "SELECT seq FROM scene"), 50);
    gz_store_close(store);
}

/* They stand on what was refused, also those that come before it is known that it was. */
TEST_IN_DIRECTORY(test_what_follows_a_refused_batch_is_refused)
{
    const char *path;
    struct gz_store *store = open_new(directory, &path);
    struct gz_edit_record edits[5] = {{.id = 1, .key = "k"}}, late[1] = {{.id = 6}};
    struct gz_batch *batches[5], *later[1];
    submit_edits(store, batches, edits, 1);
    take_back(store, batches, 1, GZ_OK);
    for (uint64_t i = 0; i < 5; i++) edits[i].id = i + 2;
    sqlite3 *other = lock(path);
    submit_edits(store, batches, edits, 4); /* the key of the first exists already */
    unlock(other);
    while (gz_store_stats(store).last_status == GZ_OK) usleep(1000);
    submit_edits(store, later, late, 1);
    take_back(store, batches, 4, GZ_STORAGE);
    take_back(store, later, 1, GZ_STORAGE);
    assert_int_equal(ask(path, "SELECT count(*) FROM edits"), 1);
    assert_int_equal(ask(path, "SELECT seq FROM scene"), 1);
    submit_edits(store, later, late, 1);
    take_back(store, later, 1, GZ_OK);
    assert_int_equal(ask(path, "SELECT seq FROM scene"), 6);
    gz_store_close(store);
}

/* Node 1 is made, and then moved by one edit after the other. */
static struct gz_batch *batch_of_edit(struct gz_edit_record *edit, struct gz_change *change,
                                      struct gz_node_record *node, uint64_t id)
{
    struct gz_batch *batch = gz_batch_create();
    assert_non_null(batch);
    *change = (struct gz_change){.node = 1,
                                 .existed = id > 1,
                                 .exists = true,
                                 .before = some_content(0, "node", (double)id - 1),
                                 .after = some_content(0, "node", (double)id)};
    *node = (struct gz_node_record){.id = 1, .seq = id, .content = change->after};
    *edit = (struct gz_edit_record){.id = id,
                                    .kind = id > 1 ? GZ_EDIT_SET : GZ_EDIT_CREATE,
                                    .user = "u",
                                    .began = START_TIME + (double)id,
                                    .ended = START_TIME + (double)id,
                                    .began_seq = id - 1,
                                    .seq = id,
                                    .changes = change,
                                    .change_count = 1};
    batch->seq = id;
    batch->time = edit->ended;
    batch->next_node = 2;
    batch->next_edit = id + 1;
    batch->nodes = node;
    batch->node_count = 1;
    batch->ended = edit;
    batch->ended_count = 1;
    return batch;
}

/* A page each of the scene, its node, the edit and its change, and of the four indexes that find
 * these: the least of many edits, because now and then one needs a page more. */
TEST_IN_DIRECTORY(test_an_edit_of_one_node_writes_few_bytes)
{
    const char *path;
    struct gz_store *store = open_new(directory, &path);
    uint64_t least = UINT64_MAX, before = 0;
    for (uint64_t id = 1; id <= 40; id++) {
        struct gz_edit_record edit;
        struct gz_change change;
        struct gz_node_record node;
        commit(store, batch_of_edit(&edit, &change, &node, id));
        uint64_t bytes = gz_store_stats(store).wal_bytes;
        if (before > 0 && bytes > before && bytes - before < least) least = bytes - before;
        before = bytes;
    }
    assert_in_range(least, 1, 8 * (1024 + 24));
    gz_store_close(store);
}

/* Calls that have written to files, those of this process. */
static uint64_t count_writes(void)
{
    char line[128];
    unsigned long long count = 0;
    FILE *file = fopen("/proc/self/io", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) (void)sscanf(line, "syscw: %llu", &count);
    fclose(file);
    return count;
}

/* SQLite writes each of the eight pages as two pieces, which go to the log together. */
TEST_IN_DIRECTORY(test_an_edit_of_one_node_takes_few_writes)
{
    const char *path;
    struct gz_store *store = open_new(directory, &path);
    uint64_t least = UINT64_MAX;
    for (uint64_t id = 1; id <= 40; id++) {
        struct gz_edit_record edit;
        struct gz_change change;
        struct gz_node_record node;
        const uint64_t before = count_writes();
        commit(store, batch_of_edit(&edit, &change, &node, id));
        const uint64_t writes = count_writes() - before;
        if (writes < least) least = writes;
    }
    assert_in_range(least, 1, 4);
    gz_store_close(store);
}

TEST_IN_DIRECTORY(test_close_commits_what_was_submitted)
{
    const char *path;
    struct gz_store *store = open_new(directory, &path);
    for (uint64_t i = 1; i <= 50; i++) {
        struct gz_batch *batch = gz_batch_create();
        batch->seq = i;
        gz_store_submit(store, batch);
        gz_store_close(store);
        assert_int_equal(ask(path, "SELECT seq FROM scene"), i);
        store = open_only(path, false, START_TIME + (double)i);
    }
    gz_store_close(store);
    gz_store_close(NULL);
    gz_batch_destroy(NULL);
}

TEST_IN_DIRECTORY(test_idle_writer_empties_the_log)
{
    const char *path;
    struct gz_store *store = open_new(directory, &path);
    commit(store, gz_batch_create());
    assert_true(gz_store_stats(store).wal_bytes > 0);
    for (int i = 0; i < 600 && gz_store_stats(store).wal_bytes > 0; i++) usleep(100000);
    assert_int_equal(gz_store_stats(store).wal_bytes, 0);
    commit(store, gz_batch_create());
    gz_store_close(store);
}

static struct gz_batch *batch_of_bytes(uint64_t first, size_t size)
{
    struct gz_batch *batch = gz_batch_create();
    uint8_t *asset = gz_arena_take(&batch->arena, 1, size);
    assert_non_null(asset);
    add_asset(batch, first, 0, asset, size);
    return batch;
}

/* The writer never rests, and the log is copied meanwhile. */
TEST_IN_DIRECTORY(test_log_stays_small_under_load)
{
    const char *path;
    struct gz_store *store = open_new(directory, &path);
    for (int i = 0; i < 60; i++) {
        commit(store, batch_of_bytes((uint64_t)i, 1 << 20));
        assert_in_range(gz_store_stats(store).wal_bytes, 1, 19 << 20);
    }
    gz_store_close(store);
    assert_int_equal(ask(path, "SELECT count(*) FROM assets"), 60);
}

/* A reader that stays keeps the log growing; once it is gone the log is emptied, also where the
 * writer never rests. */
TEST_IN_DIRECTORY(test_log_that_a_reader_held_is_emptied_afterwards)
{
    const char *path;
    struct gz_store *store = open_new(directory, &path);
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN; SELECT * FROM scene", NULL, NULL, NULL), SQLITE_OK);
    for (int i = 0; i < 8; i++) commit(store, batch_of_bytes((uint64_t)i, 5 << 20));
    uint64_t held = gz_store_stats(store).wal_bytes;
    assert_true(held > 40 << 20);
    sqlite3_close(db);
    for (int i = 8; i < 11; i++) commit(store, batch_of_bytes((uint64_t)i, 5 << 20));
    assert_in_range(gz_store_stats(store).wal_bytes, 1, 20 << 20);
    for (int i = 0; i < 600 && gz_store_stats(store).wal_bytes > 0; i++) usleep(100000);
    assert_int_equal(gz_store_stats(store).wal_bytes, 0);
    gz_store_close(store);
}

TEST_IN_DIRECTORY(test_sessions_come_and_go)
{
    const char *path;
    struct gz_store *store = open_new(directory, &path);
    struct gz_session_record sessions[] = {{1, "anna", GZ_ROLE_ADMIN, START_TIME},
                                           {2, "ben", GZ_ROLE_VIEWER, START_TIME + 1}};
    struct gz_session_record left = {1, "anna", GZ_ROLE_ADMIN, START_TIME + 60};
    struct gz_batch *batch = gz_batch_create();
    batch->joined = sessions;
    batch->joined_count = 2;
    batch->left = &left;
    batch->left_count = 1;
    commit(store, batch);
    assert_int_equal(
        ask(path, "SELECT left - joined FROM sessions WHERE user = 'anna' AND role = 'admin'"), 60);
    assert_int_equal(ask(path, "SELECT count(*) FROM sessions WHERE user = 'ben' AND left IS NULL"),
                     1);
    gz_store_close(store);
}

static bool is_used(const struct gz_scene_state *state, uint64_t number)
{
    bool is_any = false;
    for (size_t i = 0; i < state->node_count; i++) {
        if (state->nodes[i].content.asset == (int64_t)number) return true;
        is_any = is_any || state->nodes[i].content.asset >= 0;
    }
    return !is_any && number == state->asset_count - 1; /* the latest */
}

static void assert_present_is_the_models(const char *path, const struct model *model,
                                         struct gz_buffer *asset)
{
    struct gz_scene_state state;
    struct gz_error error;
    size_t alive = 0;
    gz_buffer_clear(asset);
    assert_int_equal(gz_store_present(path, &state, asset, &error), GZ_OK);
    assert_int_equal(state.seq, model->seq);
    for (size_t i = 0; i < model->node_count; i++) alive += model->nodes[i].alive;
    assert_int_equal(state.node_count, alive);
    for (size_t i = 0; i < state.node_count; i++) {
        const struct model_node *expected = &model->nodes[state.nodes[i].id - 1];
        assert_true(expected->alive);
        assert_same_content(&state.nodes[i].content, &expected->content);
    }
    for (size_t i = 0; i < state.asset_count; i++) {
        const struct gz_asset_record *file = &state.assets[i];
        assert_int_equal(file->bytes != NULL, is_used(&state, file->first));
        if (file->bytes != NULL)
            assert_memory_equal(file->bytes, file->first == 0 ? glb : glb + 3, file->size);
    }
    gz_scene_state_finish(&state);
}

/* The nodes, those that drags hold too, and the files that they came from; a reader needs no pause
 * of the writer. */
TEST_IN_DIRECTORY(test_present_is_the_latest_commit)
{
    const char *path;
    struct gz_store *store = open_new(directory, &path);
    struct model *model = model_create(20261127);
    struct gz_buffer asset;
    gz_buffer_init(&asset, 1 << 20, 0);
    for (int i = 0; i < 60; i++) {
        struct gz_batch *batch = model_batch(model);
        if (i == 31) add_asset(batch, 0, 0, glb, sizeof glb);
        if (i == 31) add_asset(batch, 1, 0, glb + 3, 7);
        commit(store, batch);
        assert_present_is_the_models(path, model, &asset);
        if (i < 31) assert_int_equal(asset.size, 0);
    }
    gz_buffer_finish(&asset);
    gz_store_close(store);
    model_destroy(model);
}

static uint64_t found(const char *path, int64_t number)
{
    struct gz_asset_record asset;
    struct gz_error error;
    enum gz_status status = gz_store_find_asset(path, number, &asset, &error);
    if (status != GZ_OK) assert_int_equal(status, GZ_BAD_STATE);
    return status == GZ_OK ? asset.first : UINT64_MAX;
}

TEST_IN_DIRECTORY(test_each_file_has_its_numbers)
{
    const char *path;
    struct gz_store *store = open_new(directory, &path);
    struct gz_buffer bytes;
    struct gz_error error;
    gz_buffer_init(&bytes, 1 << 20, 0);
    assert_true(found(path, GZ_ANY_ASSET) == UINT64_MAX);
    assert_int_equal(gz_store_asset(path, 0, &bytes, &error), GZ_BAD_STATE);
    struct gz_batch *batch = gz_batch_create();
    add_asset(batch, 0, 15, "{}", 2);
    add_asset(batch, 1, 16, glb, sizeof glb); /* two imports are one transaction */
    batch->seq = 17;
    commit(store, batch);
    assert_int_equal(found(path, 0), 0);
    assert_int_equal(found(path, 1), 1);
    assert_true(found(path, 2) == UINT64_MAX);
    assert_int_equal(found(path, GZ_ANY_ASSET), 1); /* no node is there: the latest */
    assert_int_equal(gz_store_asset(path, 1, &bytes, &error), GZ_OK);
    assert_int_equal(bytes.size, sizeof glb);
    assert_memory_equal(bytes.data, glb, sizeof glb);
    assert_int_equal(ask(path, "SELECT seq FROM assets WHERE media_type = 'model/gltf-binary'"),
                     16);
    assert_int_equal(ask(path, "SELECT count(*) FROM assets WHERE media_type = 'model/gltf+json'"),
                     1);
    struct gz_buffer small;
    gz_buffer_init(&small, sizeof glb - 1, 0);
    assert_int_equal(gz_store_asset(path, 1, &small, &error), GZ_TOO_LARGE);
    gz_buffer_finish(&small);
    struct gz_scene_state state;
    gz_buffer_clear(&bytes);
    assert_int_equal(gz_store_present(path, &state, &bytes, &error), GZ_OK);
    assert_null(state.assets[0].bytes);
    assert_ptr_equal(state.assets[1].bytes, bytes.data); /* an export begins with it */
    assert_int_equal(bytes.size, sizeof glb);
    gz_scene_state_finish(&state);
    gz_buffer_finish(&bytes);
    struct gz_store_summary summary;
    assert_int_equal(gz_store_summary(path, &summary, NULL, &error), GZ_OK);
    assert_true(summary.has_asset);
    assert_int_equal(summary.seq, 17);
    assert_true(summary.changed == START_TIME); /* there was no edit: when it was made */
    assert_int_equal(summary.nodes, 0);
    gz_store_close(store);
    store = open_scene(path, false, START_TIME, &state);
    assert_int_equal(state.asset_count, 2);
    assert_int_equal(state.assets[1].first, 1);
    assert_int_equal(state.assets[1].seq, 16);
    gz_scene_state_finish(&state);
    gz_store_close(store);
}

/* It is kept once; only its bytes come back if they were gone. */
TEST_IN_DIRECTORY(test_file_that_comes_again_is_the_same)
{
    const char *path;
    struct gz_store *store = open_new(directory, &path);
    for (int i = 0; i < 3; i++) {
        struct gz_batch *batch = gz_batch_create();
        add_asset(batch, 0, 5 + (uint64_t)i, "{}", 2);
        batch->seq = 10;
        commit(store, batch);
        assert_int_equal(ask(path, "SELECT count(*) FROM assets WHERE bytes = CAST('{}' AS BLOB) "
                                   "AND seq = 5"),
                         1);
        if (i == 0) tell(path, "UPDATE assets SET bytes = NULL");
        if (i == 0) assert_true(found(path, 0) == UINT64_MAX);
    }
    gz_store_close(store);
}

/* An import without a node, at that time. */
static void commit_import(struct gz_store *store, uint64_t id, uint64_t seq, double ended)
{
    struct gz_edit_record import = {.id = id,
                                    .kind = GZ_EDIT_IMPORT,
                                    .user = "anna",
                                    .began = ended,
                                    .ended = ended,
                                    .began_seq = seq,
                                    .seq = seq};
    struct gz_batch *batch = gz_batch_create();
    batch->seq = seq;
    batch->next_edit = id + 1;
    batch->next_node = 1;
    batch->ended = &import;
    batch->ended_count = 1;
    add_asset(batch, id, seq, "{}", 2);
    commit(store, batch);
}

/* Not when somebody came or went, or it was opened. */
TEST_IN_DIRECTORY(test_summary_says_when_the_last_edit_ended)
{
    const char *path;
    struct gz_store_summary summary;
    struct gz_error error;
    struct gz_store *store = open_new(directory, &path);
    commit_import(store, 1, 1, START_TIME + 10);
    commit_import(store, 2, 2, START_TIME + 20.25);
    struct gz_batch *batch = gz_batch_create();
    batch->seq = 2;
    batch->time = START_TIME + 50;
    batch->next_node = 1;
    batch->next_edit = 3;
    commit(store, batch);
    gz_store_close(store);
    store = open_only(path, false, START_TIME + 100);
    assert_int_equal(gz_store_summary(path, &summary, NULL, &error), GZ_OK);
    assert_true(summary.changed == START_TIME + 20.25);
    gz_store_close(store);
}

TEST_IN_DIRECTORY(test_backup_while_committing_is_whole_and_one_file)
{
    const char *path;
    struct gz_store *store = open_new(directory, &path);
    struct model *model = model_create(99);
    struct gz_error error = {0};
    struct gz_scene_state state;
    for (int round = 0; round < 5; round++) {
        char name[32];
        snprintf(name, sizeof name, "copy%d.db", round);
        const char *copy = in_directory(directory, name);
        for (int i = 0; i < 40; i++) commit(store, model_batch(model));
        struct gz_batch *batch = model_batch(model);
        uint64_t before = (uint64_t)ask(path, "SELECT seq FROM scene"), after = batch->seq;
        gz_store_submit(store, batch);
        if (gz_store_backup(path, copy, &error) != GZ_OK) fail_msg("backup: %s", error.message);
        enum gz_status status;
        gz_batch_destroy(wait_for(store, &status, NULL));
        assert_int_equal(gz_store_backup(path, copy, &error), GZ_BAD_STATE);
        assert_int_equal(ask(copy, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
        assert_int_equal(ask(copy, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
        assert_int_equal(ask(copy, "SELECT journal_mode = 'delete' FROM pragma_journal_mode"), 1);
        struct gz_store *other = open_scene(copy, false, START_TIME + 1e6, &state);
        const uint64_t saved = state.epochs[state.epoch_count - 1].seq_last;
        assert_true(saved == before || saved == after);
        gz_store_close(other);
        gz_scene_state_finish(&state);
    }
    gz_store_close(store);
    model_destroy(model);
}

TEST_IN_DIRECTORY(test_failing_backup_leaves_no_file)
{
    const char *path;
    struct gz_error error = {0};
    gz_store_close(open_new(directory, &path));
    assert_int_equal(gz_store_backup(path, in_directory(directory, "nowhere/copy.db"), &error),
                     GZ_STORAGE);
    assert_int_equal(gz_store_backup(in_directory(directory, "none.db"),
                                     in_directory(directory, "c.db"), &error),
                     GZ_UNKNOWN_SCENE);
    assert_int_not_equal(access(in_directory(directory, "c.db"), F_OK), 0);
    assert_int_not_equal(access(in_directory(directory, "c.db.part"), F_OK), 0);
}
