/* A file of an earlier schema version is brought up to date with everything in it, whatever
 * interrupts that. tests/data/schema/version10.db is a file of the first release: a scene that two
 * people imported, dragged, edited, undid, replaced and wrote notes in. version11.db is the same
 * file after a server of version 11 opened it, and some more was done, access included;
 * version12.db to version14.db the same after one of version 12, of 13, and of 14. */
#include "unit/store/scene_file.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "schema/schema.h"
#include "store/ship.h"
#include "support/chance.h"
#include "support/power_vfs.h"

#define FILE_OF_VERSION GZ_SOURCE_DIR "/tests/data/schema/version%d.db"
#define OLD_VERSION 10
/* Calls of the disk that an opening takes, and more. */
#define CALLS_MAX 200
#define SEEDS 4
#define KILLS 40

/* All that the file held; what each opening adds to it is left out. */
static const char *const contents[] = {
    "SELECT id, seq, time, next_node, next_edit, created, made_by FROM scene",
    "SELECT * FROM epochs WHERE began < 1.8e9",
    "SELECT * FROM sessions ORDER BY epoch, session",
    "SELECT * FROM nodes ORDER BY id",
    "SELECT * FROM edits ORDER BY id",
    "SELECT * FROM changes ORDER BY edit, step",
    "SELECT * FROM samples ORDER BY edit, node, seq",
    "SELECT * FROM assets ORDER BY id",
    "SELECT * FROM notes ORDER BY id",
    "SELECT * FROM note_keys",
    "SELECT * FROM checkpoints",
    "SELECT * FROM kept",
    "SELECT * FROM history",
    "SELECT * FROM tree",
    "SELECT * FROM drags",
    "SELECT * FROM paths",
    "SELECT * FROM visits",
    "SELECT * FROM notes_in_words",
    "SELECT * FROM checkpoints_in_words",
};

static void print_value(FILE *out, sqlite3_stmt *row, int column)
{
    const unsigned char *blob;
    switch (sqlite3_column_type(row, column)) {
    case SQLITE_INTEGER: fprintf(out, "%lld|", sqlite3_column_int64(row, column)); break;
    case SQLITE_FLOAT: fprintf(out, "%a|", sqlite3_column_double(row, column)); break;
    case SQLITE_TEXT: fprintf(out, "'%s'|", sqlite3_column_text(row, column)); break;
    case SQLITE_BLOB:
        blob = sqlite3_column_blob(row, column);
        for (int i = 0; i < sqlite3_column_bytes(row, column); i++) fprintf(out, "%02x", blob[i]);
        fputc('|', out);
        break;
    default: fputs("null|", out); break;
    }
}

/* The contents as text, to the last bit; the caller frees it. */
static char *dump(const char *path)
{
    sqlite3 *db;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    for (size_t i = 0; i < sizeof contents / sizeof contents[0]; i++) {
        sqlite3_stmt *row;
        fprintf(out, "%s\n", contents[i]);
        assert_int_equal(sqlite3_prepare_v2(db, contents[i], -1, &row, NULL), SQLITE_OK);
        int rc;
        while ((rc = sqlite3_step(row)) == SQLITE_ROW) {
            for (int column = 0; column < sqlite3_column_count(row); column++)
                print_value(out, row, column);
            fputc('\n', out);
        }
        assert_int_equal(rc, SQLITE_DONE);
        sqlite3_finalize(row);
    }
    sqlite3_close(db);
    fclose(out);
    return text;
}

static void copy_file_of(int version, const char *to)
{
    static uint8_t bytes[1 << 20];
    char name[256];
    snprintf(name, sizeof name, FILE_OF_VERSION, version);
    FILE *from = fopen(name, "rb"), *copy = fopen(to, "wb");
    assert_true(from != NULL && copy != NULL);
    size_t size = fread(bytes, 1, sizeof bytes, from);
    assert_in_range(size, 4096, sizeof bytes - 1);
    assert_int_equal(fwrite(bytes, 1, size, copy), size);
    fclose(from);
    fclose(copy);
}

/* An old file of this name, and what is in it. */
static const char *put_old_file(void **directory, const char *name, char **before)
{
    char *path = strdup(in_directory(directory, name));
    assert_non_null(path);
    copy_file_of(OLD_VERSION, path);
    *before = dump(path);
    assert_true(strlen(*before) > 4000);
    assert_int_equal(ask(path, "PRAGMA user_version"), OLD_VERSION);
    return path;
}

static void assert_kept(const char *path, const char *before)
{
    char *after = dump(path);
    assert_string_equal(after, before);
    free(after);
    assert_int_equal(ask(path, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
    assert_int_equal(ask(path, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
}

TEST_IN_DIRECTORY(test_old_file_keeps_everything_and_takes_what_is_new)
{
    char *before;
    const char *path = put_old_file(directory, "old.db", &before);
    struct gz_scene_state state;
    struct gz_store *store = open_scene(path, false, 2e9, &state);
    assert_int_equal(ask(path, "PRAGMA user_version"), GZ_SCHEMA_VERSION);
    assert_kept(path, before);
    assert_int_equal(state.seq, 22);
    assert_int_equal(state.node_count, 6); /* three of them deleted */
    assert_int_equal(state.edit_count, 9);
    assert_int_equal(state.note_count, 2); /* and one deleted */
    assert_int_equal(state.next_note, 4);
    assert_int_equal(state.checkpoint_count, 1);
    assert_int_equal(state.access_count, 0);
    const struct gz_access_record access = {
        .glob = "*@example.com", .user = "eva", .role = GZ_ROLE_VIEWER, .made = 2e9};
    struct gz_note_record note = {.id = 4,
                                  .user = "eva",
                                  .text = "still here",
                                  .node = 1,
                                  .made = 2e9,
                                  .changed = 2e9,
                                  .by = "eva"};
    struct gz_batch *batch = gz_batch_create();
    batch->seq = state.seq;
    batch->next_node = state.next_node;
    batch->next_edit = state.next_edit;
    batch->notes = &note;
    batch->note_count = 1;
    batch->access = &access;
    batch->access_count = 1;
    commit(store, batch);
    assert_int_equal(
        ask(path, "SELECT count(*) FROM notes_in_words WHERE about = 'table (deleted)'"), 2);
    assert_int_equal(ask(path, "SELECT count(*) FROM access WHERE may = 'viewer'"), 1);
    gz_store_close(store);
    gz_scene_state_finish(&state);
    power_vfs_settle(0, 512);
    free(before);
    free((char *)path);
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

/* The rules are still there, and looking at them makes no table for each row. A change is known by
 * its edit and step. */
static void assert_rules(const char *path)
{
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

/* `edits` and `access` are how much of them the file has. */
static void keep_everything_of(void **directory, int version, uint64_t edits, size_t access)
{
    char name[16];
    snprintf(name, sizeof name, "%d.db", version);
    const char *path = strdup(in_directory(directory, name));
    copy_file_of(version, path);
    char *before = dump(path);
    assert_true(strlen(before) > 4000);
    assert_int_equal(ask(path, "PRAGMA user_version"), version);
    struct gz_scene_state state;
    struct gz_store *store = open_scene(path, false, 2e9, &state);
    assert_int_equal(ask(path, "PRAGMA user_version"), GZ_SCHEMA_VERSION);
    assert_kept(path, before);
    assert_int_equal(ask(path, "SELECT log_n + log_first FROM scene"), 0);
    assert_int_equal(state.edit_count, edits);
    assert_int_equal(state.access_count, access);
    gz_store_close(store);
    gz_scene_state_finish(&state);
    assert_rules(path);
    power_vfs_settle(0, 512);
    free(before);
    free((char *)path);
}

TEST_IN_DIRECTORY(test_file_of_version_11_keeps_everything)
{
    keep_everything_of(directory, 11, 12, 1);
}

TEST_IN_DIRECTORY(test_file_of_version_12_keeps_everything)
{
    keep_everything_of(directory, 12, 15, 1);
}

TEST_IN_DIRECTORY(test_file_of_version_13_keeps_everything)
{
    keep_everything_of(directory, 13, 18, 1);
}

TEST_IN_DIRECTORY(test_file_of_version_14_keeps_everything)
{
    keep_everything_of(directory, 14, 22, 1);
}

/* An earlier server had an edit end after the next ones. Pages of the history are by time. */
TEST_IN_DIRECTORY(test_times_of_an_old_file_go_on_with_seq)
{
    const char *path = in_directory(directory, "times.db");
    copy_file_of(14, path);
    tell(path, "UPDATE edits SET ended = (SELECT max(ended) FROM edits) - 1 WHERE seq ="
               " (SELECT seq FROM edits ORDER BY seq LIMIT 1 OFFSET 3)");
    const char *const wrong = "SELECT count(*) FROM edits a JOIN edits b ON b.seq > a.seq"
                              " WHERE b.ended <= a.ended";
    assert_in_range(ask(path, wrong), 2, 1000);
    struct gz_scene_state state;
    gz_store_close(open_scene(path, false, 2e9, &state));
    gz_scene_state_finish(&state);
    assert_int_equal(ask(path, wrong), 0);
}

static enum gz_status take_any(void *context, uint64_t n, const uint8_t *bytes, size_t size,
                               struct gz_error *error)
{
    (void)context, (void)n, (void)bytes, (void)size, (void)error;
    return GZ_OK;
}

static void expect_no_faults(const char *path)
{
    struct gz_store_check check = {.context = NULL};
    struct gz_error error;
    assert_int_equal(gz_store_check(path, &check, &error), GZ_OK);
    assert_int_equal(check.faults, 0);
}

/* The opening is the next change in the log, or the first one of a new log. */
static void expect_place_once_opened(const char *path, uint64_t n, uint64_t first)
{
    const struct gz_shipping shipping = {.append = take_any};
    const struct gz_store_options options = {.path = path, .time = 2e9, .shipping = &shipping};
    struct gz_store *store;
    struct gz_scene_state state;
    struct gz_place place;
    struct gz_error error;
    assert_int_equal(gz_store_open(&store, &options, &state, &error), GZ_OK);
    gz_scene_state_finish(&state);
    gz_store_close(store);
    assert_int_equal(gz_store_place(path, &place, &error), GZ_OK);
    assert_int_equal(place.n, n);
    assert_int_equal(place.first, first);
}

#define ADD_FIRST "ALTER TABLE scene ADD COLUMN log_first INTEGER NOT NULL DEFAULT 0;"

/* Some builds before the first release wrote log_first into files of version 13, others did not. */
TEST_IN_DIRECTORY(test_file_of_version_13_stays_in_the_log_that_it_knows)
{
    static const struct {
        const char *name, *change;
        uint64_t n, first;
    } files[] = {
        {"neither.db", ADD_FIRST, 1, 1},
        {"n.db", "UPDATE scene SET log_n = 7", 1, 1},
        {"both.db", ADD_FIRST "UPDATE scene SET log_n = 7, log_first = 3", 8, 3},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        const char *path = in_directory(directory, files[i].name);
        copy_file_of(13, path);
        tell(path, files[i].change);
        expect_no_faults(path);
        expect_place_once_opened(path, files[i].n, files[i].first);
        expect_no_faults(path);
    }
    power_vfs_settle(0, 512);
}

/* Whether the power went before all of it was done. */
static bool open_in_the_dark(const char *path, int cut_at, unsigned seed)
{
    struct gz_store *store;
    struct gz_scene_state state;
    struct gz_error error = {0};
    struct gz_store_options options = {.path = path, .time = 2e9};
    power_vfs_cut_at(cut_at);
    if (gz_store_open(&store, &options, &state, &error) == GZ_OK) {
        gz_store_close(store);
        gz_scene_state_finish(&state);
    }
    bool is_cut = power_vfs_is_cut();
    power_vfs_settle(seed, seed % 2 == 0 ? 512 : 4096);
    return is_cut;
}

static void open_in_the_light(const char *path, const char *before)
{
    struct gz_scene_state state;
    int64_t version = ask(path, "PRAGMA user_version");
    assert_in_range(version, OLD_VERSION, GZ_SCHEMA_VERSION);
    if (version == OLD_VERSION)
        assert_int_equal(ask(path, "SELECT count(*) FROM sqlite_schema WHERE name LIKE '%access%'"),
                         0);
    struct gz_store *store = open_scene(path, false, 2e9, &state);
    gz_store_close(store);
    gz_scene_state_finish(&state);
    assert_int_equal(ask(path, "PRAGMA user_version"), GZ_SCHEMA_VERSION);
    assert_kept(path, before);
    power_vfs_settle(0, 512);
}

TEST_IN_DIRECTORY(test_old_file_survives_power_cuts_at_each_call)
{
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        bool is_cut = true;
        int cut_at = 1 + (int)seed % chance_stride();
        for (; is_cut && cut_at < CALLS_MAX; cut_at += chance_stride()) {
            char *before, name[32];
            snprintf(name, sizeof name, "p%u-%d.db", seed, cut_at);
            const char *path = put_old_file(directory, name, &before);
            is_cut = open_in_the_dark(path, cut_at, seed);
            open_in_the_light(path, before);
            free(before);
            free((char *)path);
        }
        assert_in_range(cut_at, 10, CALLS_MAX - 1);
    }
}

static void be_the_victim(const char *path)
{
    struct gz_store *store;
    struct gz_scene_state state;
    struct gz_error error;
    struct gz_store_options options = {.path = path, .time = 2e9};
    _exit(gz_store_open(&store, &options, &state, &error) == GZ_OK ? 0 : 1);
}

TEST_IN_DIRECTORY(test_old_file_survives_kills)
{
    srand(3);
    for (int kills = 0; kills < (int)chance_count(KILLS); kills++) {
        char *before, name[32];
        snprintf(name, sizeof name, "k%d.db", kills);
        const char *path = put_old_file(directory, name, &before);
        pid_t child = fork();
        if (child == 0) be_the_victim(path);
        usleep((useconds_t)(rand() % 6000));
        assert_int_equal(kill(child, SIGKILL), 0);
        int result;
        assert_int_equal(waitpid(child, &result, 0), child);
        assert_true(WIFSIGNALED(result) || WEXITSTATUS(result) == 0);
        open_in_the_light(path, before);
        free(before);
        free((char *)path);
    }
}

int main(void)
{
    power_vfs_register();
    return test_run(NULL, NULL);
}
