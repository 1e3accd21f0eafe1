/* Files that somebody made to hurt, that were damaged, or that were taken away while they were
 * open: what the store refuses, in which words, and that nothing acknowledged is lost. */
#include "unit/store/scene_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static enum gz_status try_open(const char *path, struct gz_error *error)
{
    struct gz_store *store;
    struct gz_scene_state state;
    struct gz_store_options options = {.path = path, .time = START_TIME + 100};
    *error = (struct gz_error){0};
    enum gz_status status = gz_store_open(&store, &options, &state, error);
    gz_store_close(store);
    gz_scene_state_finish(&state);
    return status;
}

static void expect_refusal(const char *path, const char *words)
{
    struct gz_error error;
    assert_int_equal(try_open(path, &error), GZ_STORAGE);
    if (strstr(error.message, words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error.message, words);
}

/* One that reads, as the list of scenes does. */
static void expect_unread(const char *path, const char *words)
{
    struct gz_store_summary summary;
    struct gz_error error = {0};
    assert_int_equal(gz_store_summary(path, &summary, NULL, &error), GZ_STORAGE);
    if (strstr(error.message, words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error.message, words);
}

static void add_edit(struct gz_batch *batch, struct gz_edit_record *edit, struct gz_change *change,
                     struct gz_node_record *node, uint64_t n)
{
    *node = (struct gz_node_record){.id = n, .seq = n, .content = some_content(0, "n", (double)n)};
    *change = (struct gz_change){.node = n, .exists = true, .after = node->content};
    *edit = (struct gz_edit_record){.id = n,
                                    .kind = GZ_EDIT_CREATE,
                                    .user = "anna",
                                    .began = START_TIME + (double)n,
                                    .ended = START_TIME + (double)n,
                                    .began_seq = n - 1,
                                    .seq = n,
                                    .changes = change,
                                    .change_count = 1};
    batch->nodes = node;
    batch->ended = edit;
    batch->node_count = batch->ended_count = 1;
    batch->seq = n;
    batch->time = START_TIME + (double)n;
    batch->next_node = batch->next_edit = n + 1;
}

/* Makes node n by edit n; the status of its commit. */
static enum gz_status make_node(struct gz_store *store, uint64_t n, struct gz_error *error)
{
    struct gz_node_record node;
    struct gz_change change;
    struct gz_edit_record edit;
    enum gz_status status;
    struct gz_batch *batch = gz_batch_create();
    add_edit(batch, &edit, &change, &node, n);
    gz_store_submit(store, batch);
    gz_batch_destroy(wait_for(store, &status, error));
    return status;
}

static void make_scene(const char *path, uint64_t nodes)
{
    struct gz_error error;
    struct gz_store *store = open_only(path, true, START_TIME);
    for (uint64_t n = 1; n <= nodes; n++) assert_int_equal(make_node(store, n, &error), GZ_OK);
    gz_store_close(store);
}

/* ---- what is no scene's file ---- */

TEST_IN_DIRECTORY(test_only_regular_files_are_opened)
{
    static const char *const endings[] = {"", "-wal", "-shm", "-journal", ".owner"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        char name[64];
        const char *path = in_directory(directory, "a.db");
        if (i > 0) make_scene(path, 1);
        snprintf(name, sizeof name, "a.db%s", endings[i]);
        const char *odd = in_directory(directory, name);
        assert_int_equal(mkfifo(odd, 0600), 0);
        alarm(20);
        expect_refusal(path, "regular");
        expect_unread(path, "regular");
        assert_int_equal(unlink(odd), 0);
        assert_int_equal(symlink(in_directory(directory, "elsewhere"), odd), 0);
        expect_refusal(path, i == 4 ? "a.db.owner" : "it is a link");
        expect_unread(path, "it is a link");
        alarm(0);
        assert_int_not_equal(access(in_directory(directory, "elsewhere"), F_OK), 0);
        assert_int_equal(unlink(odd), 0);
        unlink(path);
    }
}

TEST_IN_DIRECTORY(test_owner_file_that_is_another_file_keeps_its_content)
{
    const char *path = in_directory(directory, "a.db"), *other = in_directory(directory, "diary");
    make_scene(path, 1);
    FILE *file = fopen(other, "w");
    fputs("dear diary", file);
    fclose(file);
    assert_int_equal(link(other, in_directory(directory, "a.db.owner")), 0);
    expect_refusal(path, "it has another name too");
    struct stat info;
    assert_int_equal(stat(other, &info), 0);
    assert_int_equal(info.st_size, 10);
}

/* Opened by both names it would have two logs. */
TEST_IN_DIRECTORY(test_file_with_two_names_is_refused_by_each)
{
    const char *path = in_directory(directory, "a.db"), *other = in_directory(directory, "b.db");
    struct gz_error error;
    make_scene(path, 1);
    assert_int_equal(link(path, other), 0);
    expect_refusal(path, "a.db: it has another name too (a hard link): delete one of the two");
    expect_unread(path, "a.db: it has another name too");
    expect_refusal(other, "b.db: it has another name too");
    expect_unread(other, "b.db: it has another name too");
    struct gz_store_check check = {.faults = 1};
    assert_int_equal(gz_store_check(other, &check, &error), GZ_OK); /* it is read alone */
    assert_int_equal(unlink(other), 0);
    assert_int_equal(try_open(path, &error), GZ_OK);
    struct gz_store *open = open_only(path, false, START_TIME);
    assert_int_equal(link(path, other), 0);
    expect_refusal(other, "b.db: it has another name too");
    expect_unread(other, "b.db: it has another name too");
    assert_int_equal(unlink(other), 0);
    gz_store_close(open);
}

/* Root alone can give files away. */
TEST_IN_DIRECTORY(test_file_of_another_user_is_refused)
{
    const char *path = in_directory(directory, "a.db");
    make_scene(path, 1);
    if (getuid() != 0) return;
    assert_int_equal(chown(path, 4711, (gid_t)-1), 0);
    expect_refusal(path, "belongs to another user");
    expect_unread(path, "belongs to another user");
    struct gz_store_check check = {.faults = 1};
    struct gz_error error;
    assert_int_equal(gz_store_check(path, &check, &error), GZ_OK); /* anybody's file is checked */
    assert_int_equal(check.faults, 0);
}

TEST_IN_DIRECTORY(test_file_that_is_too_large_is_refused)
{
    const char *path = in_directory(directory, "a.db");
    make_scene(path, 1);
    if (truncate(path, (off_t)1 << 39) != 0) return; /* a file system without holes */
    expect_refusal(path, "larger than a scene may be");
}

TEST_IN_DIRECTORY(test_folder_may_be_a_link)
{
    const char *link = in_directory(directory, "link");
    char path[512];
    make_scene(in_directory(directory, "a.db"), 2);
    assert_int_equal(symlink(*directory, link), 0);
    snprintf(path, sizeof path, "%s/a.db", link);
    struct gz_error error;
    assert_int_equal(try_open(path, &error), GZ_OK);
}

/* ---- schemas ---- */

TEST_IN_DIRECTORY(test_what_is_not_of_the_schema_is_named)
{
    static const struct {
        const char *sql, *words;
    } cases[] = {
        {"CREATE TRIGGER t AFTER INSERT ON epochs BEGIN DELETE FROM nodes; END",
         "the trigger t is not of a scene's schema"},
        {"DROP VIEW visits; CREATE VIEW visits AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL "
         "SELECT "
         "i + 1 FROM n) SELECT i FROM n",
         "the view visits is not as a scene's schema has it"},
        {"ALTER TABLE scene RENAME TO kept_scene; CREATE VIEW scene AS WITH RECURSIVE n(i) AS "
         "(SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id FROM n",
         "is not of a scene's schema"},
        {"CREATE INDEX heavy ON nodes (length(name) * 2)",
         "the index heavy is not of a scene's schema"},
        {"CREATE TABLE mine (x)", "the table mine is not of a scene's schema"},
        {"ALTER TABLE notes ADD COLUMN more TEXT AS (upper(text))",
         "the table notes is not as a scene's schema has it"},
        {"DROP INDEX notes_there", "the index notes_there is missing"},
        {"DROP TRIGGER checkpoint_gone", "the trigger checkpoint_gone is missing"},
        {"CREATE TRIGGER t AFTER INSERT ON epochs BEGIN DELETE FROM nodes; END; PRAGMA "
         "writable_schema = ON; UPDATE sqlite_schema SET name = 'sqlite_t' WHERE name = 't'",
         "malformed database schema (sqlite_t)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *path = in_directory(directory, "a.db");
        make_scene(path, 3);
        tell(path, cases[i].sql);
        alarm(20);
        expect_refusal(path, cases[i].words);
        alarm(0);
        if (strstr(cases[i].words, "malformed") == NULL)
            assert_int_equal(ask(path, "SELECT count(*) FROM nodes"), 3);
        assert_int_equal(unlink(path), 0);
    }
    const char *path = in_directory(directory, "analysed.db");
    struct gz_error error;
    make_scene(path, 3);
    tell(path, "ANALYZE");
    if (try_open(path, &error) != GZ_OK) fail_msg("%s", error.message);
}

/* The list of scenes reads files that nobody has opened. */
TEST_IN_DIRECTORY(test_a_view_in_place_of_a_table_is_not_read)
{
    const char *path = in_directory(directory, "a.db");
    make_scene(path, 1);
    tell(path, "DROP TABLE scene; CREATE VIEW scene AS SELECT 1 AS seq, 1.0 AS created");
    expect_unread(path, "prohibited");
}

/* ---- rows ---- */

TEST_IN_DIRECTORY(test_rows_that_cannot_be_are_refused_with_their_place)
{
    static const struct {
        const char *sql, *words;
    } cases[] = {
        {"UPDATE nodes SET tx = 9e999 WHERE id = 2", "nodes, row 2: translation is not finite"},
        {"UPDATE nodes SET tz = 'far' WHERE id = 2",
         "nodes, row 2: its transform is not of numbers"},
        {"UPDATE nodes SET rw = 0.5 WHERE id = 3",
         "nodes, row 3: rotation is not a unit quaternion"},
        {"UPDATE nodes SET sx = -9e999 WHERE id = 1", "nodes, row 1: scale is not finite"},
        {"UPDATE nodes SET sx = 1e-16 WHERE id = 1",
         "nodes, row 1: scale is not finite, too large or"},
        {"UPDATE nodes SET ty = 1e16 WHERE id = 1", "nodes, row 1: translation is not finite or"},
        {"UPDATE nodes SET min_x = 1e16, min_y = 1.0, min_z = 1.0, max_x = 1e17, max_y = 2.0, "
         "max_z = 2.0 WHERE id = 1",
         "nodes, row 1: its box is invalid"},
        {"UPDATE nodes SET min_x = 1.0, min_y = 1.0, min_z = 1.0, max_x = 0.0, max_y = 2.0, max_z "
         "= "
         "2.0 WHERE id = 1",
         "nodes, row 1: its box is invalid"},
        {"UPDATE nodes SET name = CAST(x'ff41' AS TEXT) WHERE id = 2",
         "nodes, row 2: name is not UTF-8"},
        {"UPDATE nodes SET name = CAST(x'410042' AS TEXT) WHERE id = 2",
         "nodes, row 2: name is not"},
        {"UPDATE nodes SET name = hex(zeroblob(5000000)) WHERE id = 2",
         "nodes, row 2: name is too long"},
        {"UPDATE nodes SET seq = 9000000000000000 WHERE id = 2",
         "nodes, row 2: its seq was never given out"},
        {"UPDATE nodes SET asset = -4 WHERE id = 2", "nodes, row 2: asset is not a place"},
        {"UPDATE scene SET seq = 9000000000000000", "scene, row 1: seq is invalid"},
        {"UPDATE scene SET next_edit = -1", "scene, row 1: next_edit is invalid"},
        {"UPDATE scene SET time = 9e300", "scene, row 1: the latest time is invalid"},
        {"UPDATE scene SET next_node = 2", "nodes, row 2: its id was never given out"},
        {"UPDATE epochs SET epoch = 9000000000000000 WHERE epoch = (SELECT min(epoch) FROM epochs)",
         "epochs, row 9000000000000000"},
        {"INSERT INTO epochs SELECT epoch + 1, began, -7, server FROM epochs",
         "the epoch or its last seq is invalid"},
        {"INSERT INTO assets VALUES (1, 1, 9000000000000000, 'model/gltf-binary', 'ab', x'00')",
         "assets, row 1: seq is invalid"},
        {"INSERT INTO assets VALUES (9000000000000000, 1, 1, 'model/gltf-binary', 'ab', x'00')",
         "assets, row 9000000000000000: first is invalid"},
        {"INSERT INTO assets VALUES (1, 9000000000000000, 1, 'model/gltf-binary', 'ab', x'00')",
         "assets, row 1: count is invalid"},
        {"INSERT INTO assets VALUES (1, 2, 1, 'model/gltf-binary', 'ab', x'00'), (2, 1, 1, "
         "'model/gltf-binary', 'cd', x'00')",
         "assets, row 2: first is a number of another file"},
        {"INSERT INTO assets VALUES (1, 1, 1, 'model/gltf-binary', hex(zeroblob(33)), x'00')",
         "assets, row 1: sha256 is invalid"},
        {"INSERT INTO notes (id, user, text, done, made, changed, changed_by) VALUES (1, 'a', 'b', "
         "0, -9e999, 1, 'a')",
         "notes, row 1: made or changed is not a time"},
        {"UPDATE edits SET user = hex(zeroblob(100)) WHERE id = 2",
         "edits, row 2: user is not a name"},
        {"UPDATE changes SET step = 9000000000 WHERE edit = 2",
         "edits, row 2: the steps of its changes are invalid"},
        {"UPDATE changes SET step = -2 WHERE edit = 2",
         "edits, row 2: the steps of its changes are invalid"},
        {"UPDATE changes SET after_tx = 9e999 WHERE edit = 2",
         "edit 2 changes node 2: translation is not finite"},
        {"UPDATE changes SET after_name = NULL WHERE edit = 2",
         "edit 2 changes node 2: it has no name before and none after"},
        {"INSERT INTO notes (id, user, text, done, made, changed, changed_by) VALUES (1, 'a', "
         "hex(zeroblob(2000)), 0, 1, 1, 'a')",
         "notes, row 1: text is empty or too long"},
        {"INSERT INTO checkpoints VALUES ('now', 1, 'a', 1); UPDATE checkpoints SET seq = -1",
         "checkpoint now"},
        {"INSERT INTO access_changes (glob, role, user, made) VALUES (hex(zeroblob(100)), "
         "'viewer', "
         "'a', 1)",
         "access_changes: a glob"},
        {"WITH RECURSIVE n(i) AS (SELECT 4 UNION ALL SELECT i + 1 FROM n WHERE i <= 100001) INSERT "
         "INTO nodes SELECT i, i, NULL, NULL, 'n', 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, "
         "1.0, "
         "NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM n; UPDATE scene SET seq = 200000, "
         "next_node "
         "= 200000",
         "more than 100000 nodes"},
        {"WITH RECURSIVE n(i) AS (SELECT 4 UNION ALL SELECT i + 1 FROM n WHERE i < 600) INSERT "
         "INTO nodes SELECT i, i, NULL, i - 1, 'n', 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, "
         "1.0, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM n; UPDATE scene SET seq = 600, "
         "next_node = 601",
         "lead to no root"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char sql[1024];
        const char *path = in_directory(directory, "a.db");
        make_scene(path, 3);
        snprintf(sql, sizeof sql, "PRAGMA ignore_check_constraints = ON; %s", cases[i].sql);
        tell(path, sql);
        expect_refusal(path, cases[i].words);
        assert_int_equal(unlink(path), 0);
    }
}

/* ---- files that can only be read ---- */

/* Root may write whatever the mode says: a child gives that up first. */
static int look_at(const char *path)
{
    struct gz_store *store;
    struct gz_scene_state scene;
    struct gz_error error = {0};
    struct gz_store_options options = {.path = path, .time = START_TIME + 100};
    struct gz_query query = {.kind = GZ_QUERY_AT, .seq = 2};
    struct gz_answer answer;
    struct gz_store_summary summary;
    if (getuid() == 0 && setuid(65534) != 0) return 1;
    if (gz_store_open(&store, &options, &scene, &error) != GZ_OK) return 2;
    if (scene.node_count != 3 || scene.seq != 3 || scene.epoch_count != 0) return 3;
    if (strstr(scene.read_only, "scene is read-only: its file cannot be written") == NULL) return 4;
    if (gz_store_summary(path, &summary, NULL, &error) != GZ_OK || summary.nodes != 3) return 5;
    gz_store_query(path, &query, &answer);
    if (answer.status != GZ_OK || answer.node_count != 2) return 6;
    gz_answer_finish(&answer);
    gz_scene_state_finish(&scene);
    gz_store_close(store);
    return 0;
}

static void assert_can_be_looked_at(void **state, mode_t folder, mode_t file)
{
    static const char *const beside[] = {"a.db-wal", "a.db-shm", "a.db.owner"};
    const char *path = in_directory(state, "a.db");
    int result;
    assert_int_equal(chmod(path, file), 0);
    assert_int_equal(chmod(*state, folder), 0);
    pid_t child = fork();
    if (child == 0) _exit(look_at(path));
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_int_equal(chmod(*state, 0755), 0);
    assert_int_equal(result, 0);
    for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++)
        assert_int_not_equal(access(in_directory(state, beside[i]), F_OK), 0);
}

TEST_IN_DIRECTORY(test_what_cannot_be_written_can_be_looked_at)
{
    make_scene(in_directory(directory, "a.db"), 3);
    assert_can_be_looked_at(directory, 0555, 0644);
    assert_can_be_looked_at(directory, 0777, 0444);
    /* Nobody writes to it by its other name either. */
    assert_int_equal(link(in_directory(directory, "a.db"), in_directory(directory, "b.db")), 0);
    assert_can_be_looked_at(directory, 0777, 0444);
}

/* ---- files that were changed while nobody had them open ---- */

static void expect_read_only(const char *path, const char *words)
{
    struct gz_store *store;
    struct gz_scene_state scene;
    struct gz_error error = {0};
    struct gz_store_options options = {.path = path, .time = START_TIME + 100};
    if (gz_store_open(&store, &options, &scene, &error) != GZ_OK) fail_msg("%s", error.message);
    if (strstr(scene.read_only, words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", scene.read_only, words);
    gz_scene_state_finish(&scene);
    gz_store_close(store);
}

/* A translation of another value is a good one: its history knows better. */
TEST_IN_DIRECTORY(test_damage_beside_what_is_there_can_be_looked_at)
{
    const char *path = in_directory(directory, "a.db");
    make_scene(path, 3);
    tell(path, "UPDATE nodes SET tx = 77.0 WHERE id = 2");
    expect_read_only(path, "its file is damaged: node 2 (n) has another translation than edit 2");
    assert_int_equal(ask(path, "SELECT count(*) FROM epochs"), 1);
    tell(path, "UPDATE nodes SET tx = 2.0 WHERE id = 2"); /* somebody mends it */
    struct gz_error error;
    assert_int_equal(try_open(path, &error), GZ_OK);
    assert_int_equal(ask(path, "SELECT count(*) FROM epochs"), 2);
}

/* A server that has the scene open makes so many nodes more, and crashes. */
static void crash(const char *path, uint64_t first, uint64_t count)
{
    int result;
    pid_t child = fork();
    if (child == 0) {
        struct gz_scene_state scene;
        struct gz_error error;
        struct gz_store *store = open_scene(path, false, START_TIME + 1, &scene);
        for (uint64_t n = first; n < first + count; n++)
            if (make_node(store, n, &error) != GZ_OK) _exit(1);
        kill(getpid(), SIGKILL);
    }
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFSIGNALED(result));
}

/* After a crash of a server the nodes are compared with the last edits. */
TEST_IN_DIRECTORY(test_damage_after_a_crash_is_found)
{
    const char *path = in_directory(directory, "a.db");
    make_scene(path, 3);
    crash(path, 4, 0);
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL); /* the log stays */
    assert_int_equal(sqlite3_exec(db, "UPDATE nodes SET name = 'm' WHERE id = 2", 0, 0, 0), 0);
    sqlite3_close(db);
    expect_read_only(path, "node 2 (m) has another name than edit 2");
}

#define PAGE_BYTES 1024

/* Opens the file without changing it: the log stays. */
static int64_t page_of_table(const char *path, const char *table)
{
    sqlite3 *db;
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT rootpage FROM sqlite_schema WHERE name = ?", -1,
                                        &statement, NULL),
                     SQLITE_OK);
    sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int64_t page = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return page;
}

/* Opens the scene, which may be written, and waits until the whole file was checked. */
static bool is_found_damaged(const char *path)
{
    struct gz_scene_state scene;
    struct gz_error error;
    struct gz_store *store;
    struct gz_store_options options = {.path = path, .time = START_TIME + 50};
    if (gz_store_open(&store, &options, &scene, &error) != GZ_OK) fail_msg("%s", error.message);
    assert_string_equal(scene.read_only, "");
    assert_int_equal(gz_store_start(store, &error), GZ_OK);
    while (gz_store_stats(store).is_unchecked) usleep(1000);
    bool is_damaged = gz_store_stats(store).is_damaged;
    gz_scene_state_finish(&scene);
    gz_store_close(store);
    return is_damaged;
}

/* A page that nothing reads when the scene is opened is found while people work, and from then on
 * the scene can only be viewed, until somebody mends it. */
TEST_IN_DIRECTORY(test_damaged_page_after_a_crash_is_found_in_time)
{
    const char *path = in_directory(directory, "a.db");
    const uint8_t nonsense[64] = {0x77, 0x77, 0x77};
    uint8_t good[sizeof nonsense];
    make_scene(path, 3);
    crash(path, 4, 3);
    int file = open(path, O_RDWR | O_CLOEXEC);
    off_t at = (off_t)(page_of_table(path, "samples") - 1) * PAGE_BYTES;
    assert_int_equal(pread(file, good, sizeof good, at), sizeof good);
    assert_int_equal(pwrite(file, nonsense, sizeof nonsense, at), sizeof nonsense);
    assert_true(is_found_damaged(path));
    for (int i = 0; i < 2; i++) expect_read_only(path, "its file is damaged: SQLite: ");
    assert_int_equal(pwrite(file, good, sizeof good, at), sizeof good);
    close(file);
    assert_int_equal(ask(path, "SELECT count(*) FROM edits"), 6);
    struct gz_error error;
    assert_int_equal(try_open(path, &error), GZ_OK);
}

/* ---- files that are taken away ---- */

static bool is_in_file(const char *path, const char *copy, int64_t edits)
{
    char command[1200];
    snprintf(command, sizeof command, "cp '%s' '%s'", path, copy);
    if (system(command) != 0) return false;
    return ask(copy, "SELECT count(*) FROM edits") == edits;
}

/* The process that has the log open dies right after it refused: what it acknowledged is there. */
static void lose_log(const char *path, const char *wal, bool is_replaced)
{
    struct gz_scene_state scene;
    struct gz_error error;
    struct gz_store *store = open_scene(path, true, START_TIME, &scene);
    for (uint64_t n = 1; n <= 5; n++)
        if (make_node(store, n, &error) != GZ_OK) _exit(1);
    if (unlink(wal) != 0) _exit(2);
    if (is_replaced) close(open(wal, O_CREAT | O_WRONLY, 0600));
    if (make_node(store, 6, &error) != GZ_STORAGE) _exit(3);
    if (strstr(error.message, "a.db-wal was moved or deleted") == NULL) _exit(4);
    if (!gz_store_stats(store).is_gone) _exit(5);
    kill(getpid(), SIGKILL);
}

TEST_IN_DIRECTORY(test_log_that_vanished_is_noticed_before_the_next_ok)
{
    const char *path = in_directory(directory, "a.db"), *wal = in_directory(directory, "a.db-wal");
    for (int is_replaced = 0; is_replaced <= 1; is_replaced++) {
        int result;
        pid_t child = fork();
        if (child == 0) lose_log(path, wal, is_replaced != 0);
        assert_int_equal(waitpid(child, &result, 0), child);
        if (!WIFSIGNALED(result)) fail_msg("the child says %d", WEXITSTATUS(result));
        assert_true(is_in_file(path, in_directory(directory, "copy.db"), 5));
        struct gz_scene_state scene;
        struct gz_error error;
        struct gz_store *store = open_scene(path, false, START_TIME + 50, &scene);
        assert_int_equal(scene.node_count, 5);
        assert_int_equal(make_node(store, 6, &error), GZ_OK); /* and all is well again */
        gz_scene_state_finish(&scene);
        gz_store_close(store);
        assert_int_equal(unlink(path), 0);
    }
}
