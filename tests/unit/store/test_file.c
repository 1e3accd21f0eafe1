/* The file as a file: made, owned, recovered, refused. */
#include "unit/store/scene_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "schema/schema.h"
#include "server/maxima.h"
#include "store/database.h"

static void expect_refusal(const char *path, bool create, enum gz_status expected,
                           const char *words)
{
    struct gz_store *store;
    struct gz_scene_state state;
    struct gz_error error = {0};
    struct gz_store_options options = {.path = path, .create = create, .time = START_TIME};
    assert_int_equal(gz_store_open(&store, &options, &state, &error), expected);
    assert_null(store);
    if (strstr(error.message, words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error.message, words);
}

static void open_and_close(const char *path, double time)
{
    struct gz_scene_state state;
    gz_store_close(open_scene(path, true, time, &state));
    gz_scene_state_finish(&state);
}

TEST_IN_DIRECTORY(test_open_fresh_file_is_an_empty_scene)
{
    const char *path = in_directory(directory, "a.db");
    struct gz_scene_state state;
    struct gz_store *store = open_scene(path, true, START_TIME, &state);
    assert_int_equal(state.seq, 0);
    assert_int_equal(state.next_node, 1);
    assert_int_equal(state.next_edit, 1);
    assert_int_equal(state.node_count + state.edit_count + state.epoch_count, 0);
    assert_int_equal(state.asset_count, 0);
    assert_int_equal(ask(path, "PRAGMA user_version"), GZ_SCHEMA_VERSION);
    assert_int_equal(ask(path, "PRAGMA application_id"), GZ_APPLICATION_ID);
    gz_store_close(store);
    gz_scene_state_finish(&state);
    assert_int_not_equal(access(in_directory(directory, "a.db-wal"), F_OK), 0);
    assert_int_not_equal(access(in_directory(directory, "a.db.owner"), F_OK), 0);
}

TEST_IN_DIRECTORY(test_open_missing_file_is_unknown_and_stays_missing)
{
    const char *path = in_directory(directory, "a.db");
    struct gz_query query = {.kind = GZ_QUERY_AT};
    struct gz_answer answer;
    struct gz_store_summary summary;
    expect_refusal(path, false, GZ_UNKNOWN_SCENE, "there is no file a.db");
    gz_store_query(path, &query, &answer);
    assert_int_equal(answer.status, GZ_UNKNOWN_SCENE);
    assert_null(strchr(answer.error.message, '/'));
    gz_answer_finish(&answer);
    assert_int_equal(gz_store_summary(path, &summary, NULL, NULL), GZ_UNKNOWN_SCENE);
    assert_int_not_equal(access(path, F_OK), 0);
}

TEST_IN_DIRECTORY(test_file_that_cannot_be_made_leaves_nothing)
{
    static const char *const names[] = {"a.db", "a.db-wal", "a.db-shm", "a.db.owner"};
    const char *path = in_directory(directory, "a.db");
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 2048; /* less than a page */
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    expect_refusal(path, true, GZ_STORAGE, "");
    close(open(in_directory(directory, "b.db"), O_CREAT | O_WRONLY, 0644));
    expect_refusal(in_directory(directory, "b.db"), true, GZ_STORAGE, "");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_int_not_equal(access(in_directory(directory, names[i]), F_OK), 0);
    assert_int_equal(access(in_directory(directory, "b.db"), F_OK), 0); /* somebody else's */
    open_and_close(path, START_TIME);
}

TEST_IN_DIRECTORY(test_file_that_is_deleted_or_moved_takes_no_more)
{
    for (int is_moved = 0; is_moved <= 1; is_moved++) {
        const char *path = in_directory(directory, is_moved ? "moved.db" : "deleted.db");
        struct model *model = model_create(1);
        struct gz_error error;
        enum gz_status status;
        struct gz_batch *batch;
        struct gz_store *store = open_only(path, true, START_TIME);
        commit(store, model_batch(model));
        assert_int_equal(
            is_moved ? rename(path, in_directory(directory, "elsewhere.db")) : unlink(path), 0);
        gz_store_submit(store, model_batch(model));
        batch = wait_for(store, &status, &error);
        assert_int_equal(status, GZ_STORAGE);
        assert_non_null(strstr(error.message, "moved or deleted"));
        gz_batch_destroy(batch);
        gz_store_close(store);
        model_destroy(model);
    }
}

TEST_IN_DIRECTORY(test_epochs_are_remembered_with_what_they_saved)
{
    const char *path = in_directory(directory, "a.db");
    struct model *model = model_create(1);
    struct gz_scene_state state;
    uint64_t first, second, saved;
    struct gz_store *store = open_scene(path, true, START_TIME, &state);
    first = state.epoch;
    gz_scene_state_finish(&state);
    while (model->seq == 0) commit(store, model_batch(model));
    saved = model->seq;
    gz_store_close(store);
    store = open_scene(path, true, START_TIME, &state); /* the clock did not move */
    second = state.epoch;
    gz_scene_state_finish(&state);
    gz_store_close(store);
    store = open_scene(path, true, START_TIME + 60, &state);
    assert_int_equal(first, 1700000000000);
    assert_int_equal(second, first + 1);
    assert_int_equal(state.epoch, first + 60000);
    assert_int_equal(state.epoch_count, 2);
    assert_int_equal(state.epochs[0].epoch, first);
    assert_int_equal(state.epochs[0].seq_last, saved);
    assert_int_equal(state.epochs[1].epoch, second);
    assert_int_equal(state.epochs[1].seq_last, saved);
    gz_scene_state_finish(&state);
    gz_store_close(store);
    model_destroy(model);
}

TEST_IN_DIRECTORY(test_second_owner_is_refused_while_readers_are_not)
{
    const char *path = in_directory(directory, "a.db");
    struct gz_scene_state state;
    struct gz_store *store = open_scene(path, true, START_TIME, &state);
    char pid[32];
    snprintf(pid, sizeof pid, "process %ld", (long)getpid());
    expect_refusal(path, true, GZ_BAD_STATE, pid);
    assert_int_equal(ask(path, "SELECT count(*) FROM epochs"), 1);
    gz_scene_state_finish(&state);
    gz_store_close(store);
    open_and_close(path, START_TIME + 1);
    assert_int_equal(ask(path, "SELECT count(*) FROM epochs"), 2);
}

TEST_IN_DIRECTORY(test_empty_file_becomes_a_scene)
{
    const char *path = in_directory(directory, "a.db");
    close(open(path, O_CREAT | O_WRONLY, 0644));
    open_and_close(path, START_TIME);
    assert_int_equal(ask(path, "PRAGMA user_version"), GZ_SCHEMA_VERSION);
    assert_int_equal(ask(path, "SELECT count(*) FROM history"), 0);
}

TEST_IN_DIRECTORY(test_files_that_are_no_scene_are_refused_and_kept)
{
    const char *path = in_directory(directory, "newer.db");
    open_and_close(path, START_TIME);
    tell(path, "PRAGMA user_version = 99");
    expect_refusal(path, true, GZ_VERSION, "schema version 99");
    struct gz_store_summary summary;
    assert_int_equal(gz_store_summary(path, &summary, NULL, NULL), GZ_VERSION);
    assert_int_equal(ask(path, "PRAGMA user_version"), 99);
    for (int version = -1; version < GZ_SCHEMA_VERSION; version++) {
        char sql[64], words[128] = "a SQLite database, but not a scene";
        snprintf(sql, sizeof sql, "PRAGMA user_version = %d", version);
        if (version != 0)
            snprintf(words, sizeof words,
                     "schema version %d, from before the first release: export the scene with the "
                     "gizmod that wrote it",
                     version);
        tell(path, sql);
        expect_refusal(path, true, version != 0 ? GZ_VERSION : GZ_STORAGE, words);
        assert_int_equal(ask(path, "PRAGMA user_version"), version);
    }

    path = in_directory(directory, "foreign.db");
    tell(path, "CREATE TABLE recipes (a); PRAGMA journal_mode = DELETE");
    expect_refusal(path, true, GZ_STORAGE, "not a scene");
    assert_int_equal(ask(path, "SELECT count(*) FROM sqlite_schema"), 1);

    path = in_directory(directory, "text.db");
    FILE *file = fopen(path, "w");
    for (int i = 0; i < 1000; i++) fputs("this is no database\n", file);
    fclose(file);
    expect_refusal(path, true, GZ_STORAGE, "not a database");
    expect_refusal(in_directory(directory, "nowhere/a.db"), true, GZ_STORAGE, "No such file");
}

/* A node with a drag that ran when the server was killed, one that had not moved anything, and a
 * session that was there. */
static void leave_open(const char *path)
{
    struct gz_store *store = open_only(path, true, START_TIME);
    struct gz_session_record joined = {5, "anna", GZ_ROLE_EDITOR, START_TIME};
    struct gz_content still = some_content(0, "still", 1), moved = some_content(0, "moved", 2),
                      origin = moved;
    moved.trs.t = (gz_vec3){-0.0, 7.25, 0.1};
    struct gz_node_record nodes[] = {{.id = 1, .seq = 1, .content = still},
                                     {.id = 2, .seq = 5, .content = moved}};
    struct gz_change made[] = {{.node = 1, .exists = true, .after = still},
                               {.node = 2, .exists = true, .after = origin}};
    struct gz_change dragged[] = {{.node = 1, .existed = true, .exists = true, .before = still},
                                  {.node = 2, .existed = true, .exists = true, .before = origin}};
    struct gz_edit_record import = {.id = 1,
                                    .kind = GZ_EDIT_IMPORT,
                                    .user = "anna",
                                    .began = START_TIME,
                                    .ended = START_TIME,
                                    .seq = 2,
                                    .changes = made,
                                    .change_count = 2};
    struct gz_edit_record begun[] = {{.id = 2,
                                      .kind = GZ_EDIT_TRANSLATE,
                                      .handle = GZ_TV,
                                      .session = 5,
                                      .user = "anna",
                                      .began = START_TIME + 1,
                                      .began_seq = 2,
                                      .changes = dragged,
                                      .change_count = 2},
                                     {.id = 3,
                                      .kind = GZ_EDIT_ROTATE,
                                      .handle = GZ_RX,
                                      .session = 5,
                                      .user = "anna",
                                      .began = START_TIME + 1,
                                      .began_seq = 2,
                                      .changes = dragged,
                                      .change_count = 1}};
    struct gz_sample_record samples[] = {{2, 2, 4, START_TIME + 2, origin.trs},
                                         {2, 2, 5, START_TIME + 3, moved.trs}};
    struct gz_batch *batch = gz_batch_create();
    batch->seq = 5;
    batch->time = START_TIME + 9;
    batch->next_node = 3;
    batch->next_edit = 4;
    batch->joined = &joined;
    batch->nodes = nodes;
    batch->begun = begun;
    batch->samples = samples;
    batch->ended = &import;
    batch->joined_count = batch->ended_count = 1;
    batch->node_count = batch->begun_count = batch->sample_count = 2;
    commit(store, batch);
    gz_store_close(store);
}

TEST_IN_DIRECTORY(test_drag_that_a_crash_left_open_ends_at_its_last_sample)
{
    const char *path = in_directory(directory, "a.db");
    leave_open(path);
    assert_int_equal(ask(path, "SELECT count(*) FROM edits WHERE ended IS NULL"), 2);
    struct gz_scene_state state;
    struct gz_store *store = open_scene(path, false, START_TIME + 100, &state);
    assert_int_equal(state.edit_count, 2);
    const struct gz_edit_record *edit = &state.edits[1];
    assert_int_equal(edit->id, 2);
    assert_int_equal(edit->seq, 5);
    assert_true(edit->ended > START_TIME + 3 && edit->ended < START_TIME + 3.001);
    assert_int_equal(edit->change_count, 1);
    assert_int_equal(edit->changes[0].node, 2);
    assert_same_content(&edit->changes[0].after, &state.nodes[1].content);
    assert_true(signbit(edit->changes[0].after.trs.t.x));
    assert_int_equal(ask(path, "SELECT count(*) FROM edits WHERE id = 3"), 0);
    assert_int_equal(state.epochs[0].seq_last, 5);
    assert_int_equal(state.seq, 5);
    assert_int_equal(state.nodes[0].seq, 1);
    assert_int_equal(ask(path, "SELECT count(*) FROM sessions WHERE left = 1.7e9 + 9"), 1);
    gz_scene_state_finish(&state);
    gz_store_close(store);
}

/* Another edit came after the drag's last move and before the time of its last sample, which is
 * that of the batch; or the drag has no samples. */
TEST_IN_DIRECTORY(test_drag_that_a_crash_left_open_ends_before_the_next_edit)
{
    for (int has_samples = 0; has_samples <= 1; has_samples++) {
        const char *path = in_directory(directory, has_samples ? "a.db" : "b.db");
        struct gz_scene_state state;
        leave_open(path);
        if (!has_samples) tell(path, "DELETE FROM samples");
        tell(path,
             "INSERT INTO edits (id, kind, epoch, user, began, ended, began_seq, seq, residual)"
             " SELECT 4, kind, epoch, user, began + 2.5, ended + 2.5, 5, 6, 0 FROM edits"
             " WHERE id = 1; UPDATE scene SET seq = 6, next_edit = 5");
        gz_store_close(open_scene(path, false, START_TIME + 100, &state));
        assert_int_equal(ask(path, "SELECT count(*) FROM samples s JOIN edits e ON e.id = s.edit"
                                   " WHERE s.time > e.ended"),
                         0);
        assert_int_equal(state.edit_count, 3);
        assert_int_equal(state.edits[1].id, 2);
        assert_int_equal(state.edits[2].id, 4);
        assert_true(state.edits[1].ended > START_TIME + 2);
        assert_true(state.edits[1].ended < state.edits[2].ended);
        gz_scene_state_finish(&state);
    }
}

/* A drag of too many nodes to be followed runs without changes. It never was, and whoever saw its
 * nodes move is told where they are: each has a seq of the new epoch. */
TEST_IN_DIRECTORY(test_drag_that_was_not_followed_never_was)
{
    const char *path = in_directory(directory, "a.db");
    leave_open(path);
    tell(path, "DELETE FROM samples; DELETE FROM changes WHERE edit = 2;"
               " UPDATE nodes SET seq = 2, tx = 0.0 WHERE id = 2");
    struct gz_scene_state state;
    struct gz_store *store = open_scene(path, false, START_TIME + 100, &state);
    assert_int_equal(state.edit_count, 1);
    assert_int_equal(ask(path, "SELECT count(*) FROM edits WHERE id > 1"), 0);
    assert_int_equal(state.epochs[0].seq_last, 5);
    assert_int_equal(state.seq, 7);
    assert_int_equal(state.nodes[0].seq, 6);
    assert_int_equal(state.nodes[1].seq, 7);
    gz_scene_state_finish(&state);
    gz_store_close(store);
    store = open_scene(path, false, START_TIME + 200, &state);
    assert_int_equal(state.seq, 7);
    gz_scene_state_finish(&state);
    gz_store_close(store);
}

TEST_IN_DIRECTORY(test_state_is_bounded_to_the_latest)
{
    const char *path = in_directory(directory, "a.db");
    open_and_close(path, START_TIME);
    tell(path, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 65546) "
               "INSERT INTO nodes"
               " SELECT i, i, i, NULL, 'gone', 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0,"
               " NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM n;"
               "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100) "
               "INSERT INTO edits"
               " SELECT i, 'set', NULL, (SELECT epoch FROM epochs), NULL, 'u', NULL, NULL, i, i, i "
               "- 1, i, 0, NULL, "
               "NULL FROM n;"
               "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100) "
               "INSERT INTO epochs"
               " SELECT i, i, i, 'old' FROM n;"
               "UPDATE scene SET seq = 65546, next_node = 65547, next_edit = 1101");
    struct gz_scene_state state;
    struct gz_store *store = open_scene(path, false, START_TIME + 1, &state);
    assert_int_equal(state.node_count, GZ_TOMBSTONES_MAX);
    assert_int_equal(state.tombstones_from, 10);
    assert_int_equal(state.nodes[0].seq, 11);
    assert_true(state.nodes[0].gone);
    assert_int_equal(state.edit_count, GZ_UNDO_EDITS_MAX);
    assert_int_equal(state.edits[0].id, 101);
    assert_int_equal(state.edits[GZ_UNDO_EDITS_MAX - 1].id, 1100);
    assert_int_equal(state.epoch_count, GZ_EPOCHS_MAX);
    assert_int_equal(state.epochs[GZ_EPOCHS_MAX - 2].epoch, 1100);
    gz_scene_state_finish(&state);
    gz_store_close(store);
}

TEST_IN_DIRECTORY(test_damaged_tree_is_refused_in_words)
{
    static const char *const damages[] = {
        "UPDATE nodes SET parent = id WHERE id = 1",
        "UPDATE nodes SET parent = 2 WHERE id = 1; UPDATE nodes SET parent = 1 WHERE id = 2",
        "UPDATE nodes SET parent = 77 WHERE id = 2"};
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        const char *path = in_directory(directory, "a.db");
        unlink(path);
        leave_open(path);
        open_and_close(path, START_TIME + 100);
        tell(path, damages[i]);
        expect_refusal(path, false, GZ_STORAGE, "damaged: the parents of node");
    }
}

/* The words that the tables accept are those of the code. */
TEST_IN_DIRECTORY(test_every_kind_and_handle_is_accepted)
{
    const char *path = in_directory(directory, "a.db");
    struct gz_scene_state state;
    struct gz_store *store = open_only(path, true, START_TIME);
    struct gz_edit_record edits[GZ_EDIT_KIND_COUNT + GZ_HANDLE_COUNT] = {0};
    size_t count = 0;
    for (int kind = 0; kind < GZ_EDIT_KIND_COUNT; kind++)
        edits[count++] = (struct gz_edit_record){.kind = (enum gz_edit_kind)kind};
    for (int handle = 1; handle < GZ_HANDLE_COUNT; handle++)
        edits[count++] = (struct gz_edit_record){.handle = (enum gz_handle)handle};
    for (size_t i = 0; i < count; i++) {
        edits[i].id = edits[i].seq = i + 1;
        edits[i].user = "u";
    }
    struct gz_batch *batch = gz_batch_create();
    batch->seq = batch->next_edit = count;
    batch->ended = edits;
    batch->ended_count = count;
    commit(store, batch);
    gz_store_close(store);
    store = open_scene(path, true, START_TIME, &state);
    assert_int_equal(state.edit_count, count);
    for (size_t i = 0; i < count; i++) assert_same_edit(&state.edits[i], &edits[i]);
    gz_scene_state_finish(&state);
    gz_store_close(store);
}

static void expect_no(sqlite3 *db, const char *sql)
{
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_CONSTRAINT);
    assert_non_null(strstr(sqlite3_errmsg(db), "CHECK"));
}

/* SQLite would make a table of the words of a rule each time that the statement runs. */
static void expect_no_table_for(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *row;
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &row, NULL), SQLITE_OK);
    while (sqlite3_step(row) == SQLITE_ROW)
        assert_string_not_equal(sqlite3_column_text(row, 1), "OpenEphemeral");
    sqlite3_finalize(row);
}

/* To look at a rule of each edit and change makes no table for each row. A change is known by its
 * edit and step. */
TEST_IN_DIRECTORY(test_rules_of_edits_and_changes_are_kept_quickly)
{
    const char *path = in_directory(directory, "a.db");
    leave_open(path);
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    expect_no(db, "UPDATE edits SET kind = 'transport' WHERE id = 1");
    expect_no(db, "UPDATE edits SET handle = 't' WHERE id = 1");
    expect_no(db, "UPDATE changes SET did = 'changed' WHERE edit = 1");
    expect_no_table_for(db, "EXPLAIN INSERT INTO edits (id, kind, handle, epoch, user, began, "
                            "began_seq, residual) VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    expect_no_table_for(db, "EXPLAIN INSERT INTO changes (edit, step, node, did) "
                            "VALUES (?, ?, ?, ?)");
    assert_int_equal(
        sqlite3_exec(db, "INSERT INTO changes SELECT * FROM changes LIMIT 1", NULL, NULL, NULL),
        SQLITE_CONSTRAINT);
    sqlite3_close(db);
}

/* Readers are other people's hands: they cannot write, and they have an end. */
TEST_IN_DIRECTORY(test_reader_cannot_write_and_runs_out_of_time)
{
    const char *path = in_directory(directory, "a.db");
    leave_open(path);
    int64_t samples = ask(path, "SELECT count(*) FROM samples");
    struct gz_db_reader reader;
    struct gz_error error;
    int64_t value;
    assert_int_equal(gz_db_reader_open(&reader, path, GZ_FILE_OURS, &error), GZ_OK);
    assert_int_equal(gz_db_exec(reader.db, "DELETE FROM samples", &error), GZ_STORAGE);
    assert_int_equal(gz_db_exec(reader.db, "CREATE TABLE t (a)", &error), GZ_STORAGE);
    static const char endless[] =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n";
    reader.deadline_ns = 0;
    assert_int_equal(gz_db_integer(reader.db, endless, &value, &error), GZ_TOO_LARGE);
    assert_non_null(strstr(error.message, "longer than 10 s"));
    gz_db_reader_close(&reader);
    assert_int_equal(ask(path, "SELECT count(*) FROM samples"), samples);
    assert_true(samples > 0);
}
