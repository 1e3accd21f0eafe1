/* fuzz_db.c - files made to hurt, through the store. The first byte says what the rest is: the
 * bytes of a file; bytes that are changed in a good file, each as three of its place and one to be
 * combined with; or values that are put into the columns of a good file. The second bit from above
 * has the file taken as if a server had closed it, unchecked. What is refused says why; what is
 * taken can be asked for its past, and becomes a core; what was checked and may be written to has
 * no faults afterwards. */
#include <fcntl.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session/core.h"
#include "store/stamp.h"
#include "store/store.h"

#define TIME 1.7e9
#define FILE_BYTES_MAX (1 << 20)

#define require(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) abort();                                                                 \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[64];
static uint8_t good[FILE_BYTES_MAX], bytes[FILE_BYTES_MAX];
static size_t good_size;
static sqlite3 *good_db; /* where values are put, and taken back */

static void run(sqlite3 *db, const char *sql)
{
    require(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK);
}

static void tell(const char *file, const char *sql)
{
    sqlite3 *db;
    require(sqlite3_open(file, &db) == SQLITE_OK);
    run(db, sql);
    sqlite3_close(db);
}

/* Three nodes, made, moved and deleted; a note, a checkpoint, an access, an asset. */
static void make_good(const char *file)
{
    static const char rows[] =
        "UPDATE scene SET seq = 6, next_node = 4, next_edit = 5, time = 1.7e9;"
        "INSERT INTO edits SELECT value, iif(value = 4, 'delete', 'create'), NULL, epoch, NULL, "
        "'anna', 'k' || value, NULL, 1.7e9, 1.7e9, value - 1, value, 0.0, NULL, NULL FROM epochs, "
        "json_each('[1,2,3,4]');"
        "INSERT INTO nodes SELECT value, iif(value = 3, 4, value), iif(value = 3, 4, NULL), "
        "iif(value = 2, 1, NULL), 'node ' || value, 1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, "
        "1.0, -1.0, -1.0, -1.0, 1.0, 1.0, 1.0, value - 1 FROM json_each('[1,2,3]');"
        "INSERT INTO changes SELECT id, 0, id, id, 'create', NULL, NULL, NULL, NULL, NULL, NULL, "
        "NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, parent, "
        "name, tx, ty, tz, rx, ry, rz, rw, sx, sy, sz, min_x, min_y, min_z, max_x, max_y, max_z, "
        "asset FROM nodes;"
        "INSERT INTO changes SELECT 4, 0, 3, 4, 'delete', parent, name, tx, ty, tz, rx, ry, rz, "
        "rw, sx, sy, sz, min_x, min_y, min_z, max_x, max_y, max_z, asset, NULL, NULL, NULL, NULL, "
        "NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL "
        "FROM nodes WHERE id = 3;"
        "INSERT INTO assets VALUES (1, 1, 'model/gltf+json', x'7b7d');"
        "INSERT INTO notes VALUES (1, 'anna', 'here', 1, NULL, NULL, NULL, NULL, 0, 1.7e9, 1.7e9, "
        "'anna', NULL);"
        "INSERT INTO checkpoints VALUES ('lunch', 2, 'anna', 1.7e9);"
        "INSERT INTO access_changes VALUES (1, '*@example.org', 'editor', 'anna', 1.7e9);"
        "PRAGMA journal_mode = DELETE";
    struct gz_store *store;
    struct gz_scene_state state;
    struct gz_store_options options = {.path = file, .create = true, .time = TIME};
    tell(file, "PRAGMA page_size = 512; PRAGMA user_version = 0");
    require(gz_store_open(&store, &options, &state, NULL) == GZ_OK);
    gz_scene_state_finish(&state);
    gz_store_close(store);
    tell(file, rows);
}

static void read_good(const char *file)
{
    int in = open(file, O_RDONLY);
    ssize_t size = read(in, good, sizeof good);
    require(size > 0 && size < FILE_BYTES_MAX);
    good_size = (size_t)size;
    close(in);
}

static void init(void)
{
    char folder[] = "/dev/shm/fuzz_db-XXXXXX", file[64];
    /* There is no other thread. */
    require(sqlite3_config(SQLITE_CONFIG_SINGLETHREAD) == SQLITE_OK);
    require(sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) == SQLITE_OK);
    require(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/a.db", folder);
    snprintf(file, sizeof file, "%s/good.db", folder);
    make_good(file);
    read_good(file);
    require(sqlite3_open(file, &good_db) == SQLITE_OK);
    run(good_db, "PRAGMA journal_mode = MEMORY; PRAGMA foreign_keys = OFF;"
                 "PRAGMA ignore_check_constraints = ON");
}

static void clear(void)
{
    static const char *const endings[] = {"", "-wal", "-shm", "-journal", ".owner"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        char file[80];
        snprintf(file, sizeof file, "%s%s", path, endings[i]);
        unlink(file);
    }
}

/* ---- what is done to a file ---- */

static void write_whole(const uint8_t *data, size_t size)
{
    int out = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    require(write(out, data, size) == (ssize_t)size);
    close(out);
}

static void change_bytes(const uint8_t *data, size_t size)
{
    memcpy(bytes, good, good_size);
    for (; size >= 4; data += 4, size -= 4)
        bytes[(size_t)(data[0] | data[1] << 8 | data[2] << 16) % good_size] ^= data[3];
    write_whole(bytes, good_size);
}

static const char *const columns[] = {"scene.seq",
                                      "scene.time",
                                      "scene.next_node",
                                      "scene.next_edit",
                                      "scene.created",
                                      "epochs.epoch",
                                      "epochs.began",
                                      "epochs.began_seq",
                                      "nodes.id",
                                      "nodes.seq",
                                      "nodes.parent",
                                      "nodes.name",
                                      "nodes.tx",
                                      "nodes.rw",
                                      "nodes.sz",
                                      "nodes.min_x",
                                      "nodes.max_z",
                                      "nodes.asset",
                                      "nodes.deleted_seq",
                                      "edits.id",
                                      "edits.kind",
                                      "edits.handle",
                                      "edits.epoch",
                                      "edits.session",
                                      "edits.user",
                                      "edits.key",
                                      "edits.target",
                                      "edits.began",
                                      "edits.ended",
                                      "edits.began_seq",
                                      "edits.seq",
                                      "edits.residual",
                                      "edits.typed",
                                      "edits.typed2",
                                      "changes.edit",
                                      "changes.step",
                                      "changes.node",
                                      "changes.seq",
                                      "changes.did",
                                      "changes.before_name",
                                      "changes.before_parent",
                                      "changes.before_tx",
                                      "changes.after_name",
                                      "changes.after_parent",
                                      "changes.after_rx",
                                      "changes.after_min_y",
                                      "changes.after_asset",
                                      "notes.id",
                                      "notes.text",
                                      "notes.user",
                                      "notes.x",
                                      "notes.node",
                                      "notes.reply",
                                      "notes.made",
                                      "notes.gone",
                                      "checkpoints.name",
                                      "checkpoints.seq",
                                      "checkpoints.user",
                                      "checkpoints.made",
                                      "access_changes.glob",
                                      "access_changes.role",
                                      "access_changes.user",
                                      "kept.since",
                                      "kept.swept",
                                      "assets.seq",
                                      "assets.bytes"};
#define COLUMN_COUNT (sizeof columns / sizeof columns[0])

static const char *const values[] = {"NULL",
                                     "0",
                                     "1",
                                     "-1",
                                     "2",
                                     "3",
                                     "4",
                                     "5",
                                     "9000000000000000",
                                     "9223372036854775807",
                                     "-9223372036854775808",
                                     "0.0",
                                     "-0.0",
                                     "1.5",
                                     "9e999",
                                     "-9e999",
                                     "1e300",
                                     "4e-320",
                                     "''",
                                     "'anna'",
                                     "'undo'",
                                     "'redo'",
                                     "'tx'",
                                     "'admin'",
                                     "'now'",
                                     "x'ff'",
                                     "CAST(x'ff' AS TEXT)",
                                     "CAST(x'610062' AS TEXT)",
                                     "hex(zeroblob(200))",
                                     "hex(zeroblob(2000))",
                                     "x''",
                                     "1700000000.5"};
#define VALUE_COUNT (sizeof values / sizeof values[0])

static void write_good_db(void)
{
    sqlite3_int64 size = 0;
    unsigned char *file = sqlite3_serialize(good_db, "main", &size, 0);
    require(file != NULL);
    write_whole(file, (size_t)size);
    sqlite3_free(file);
}

static void change_values(const uint8_t *data, size_t size)
{
    char sql[4096] = "";
    size_t used = 0;
    for (; size >= 3 && used < sizeof sql - 200; data += 3, size -= 3) {
        const char *column = columns[data[0] % COLUMN_COUNT], *dot = strchr(column, '.');
        int row = data[2] % 5; /* 0: all of them */
        used += (size_t)snprintf(
            sql + used, sizeof sql - used,
            "UPDATE OR IGNORE %.*s SET %s = %s WHERE %d IN (0, (SELECT count(*) "
            "FROM %.*s t WHERE t.%s <= %.*s.%s));",
            (int)(dot - column), column, dot + 1, values[data[1] % VALUE_COUNT], row,
            (int)(dot - column), column, dot + 1, (int)(dot - column), column, dot + 1);
    }
    run(good_db, "BEGIN");
    sqlite3_exec(good_db, sql, NULL, NULL, NULL); /* as far as it goes */
    write_good_db();
    run(good_db, "ROLLBACK");
}

/* ---- what has to hold ---- */

static void check_node(const struct gz_scene_state *state, const struct gz_node_record *node)
{
    require(node->id > 0 && node->id < state->next_node && node->seq <= state->seq);
    require(strlen(node->content.name) <= GZ_NAME_BYTES_MAX);
    require(gz_trs_finite(&node->content.trs));
}

static void commit(void *context, struct gz_batch *batch)
{
    (void)context;
    gz_batch_destroy(batch);
}

static void use(const struct gz_scene_state *state)
{
    for (size_t i = 0; i < state->node_count; i++) check_node(state, &state->nodes[i]);
    for (size_t i = 1; i < state->edit_count; i++) require(state->edits[i].user != NULL);
    struct gz_core_options options = {.scene = "a", .server = "fuzz", .host = {.commit = commit}};
    struct gz_core *core = gz_core_create(&options, state);
    require(core != NULL);
    gz_core_turn(core, (struct gz_now){.unix_s = TIME, .mono_s = 1});
    gz_core_destroy(core);
}

static void ask(struct gz_query query)
{
    struct gz_answer answer;
    query.since = query.before = NAN;
    gz_store_query(path, &query, &answer);
    require(answer.status == GZ_OK || answer.error.message[0] != '\0');
    for (size_t i = 0; answer.status == GZ_OK && i < answer.node_count; i++)
        require(gz_trs_finite(&answer.nodes[i].content.trs));
    gz_answer_finish(&answer);
}

static void summarise(void)
{
    struct gz_store_summary summary;
    struct gz_error error = {.message = ""};
    if (gz_store_summary(path, &summary, NULL, &error) != GZ_OK) require(error.message[0] != '\0');
}

static void handle_fault(void *context, const char *words)
{
    (void)context;
    require(words[0] != '\0');
}

static void check(bool is_sound)
{
    struct gz_error error;
    struct gz_store_check check = {.handle_fault = handle_fault};
    enum gz_status status = gz_store_check(path, &check, &error);
    require(!is_sound || (status == GZ_OK && check.faults == 0));
}

/* Whether it can be written to. */
static bool open_and_close(void)
{
    struct gz_store *store;
    struct gz_scene_state state;
    struct gz_error error = {.message = ""};
    struct gz_store_options options = {.path = path, .time = TIME + 10};
    bool is_open = gz_store_open(&store, &options, &state, &error) == GZ_OK;
    bool is_writable = is_open && state.read_only[0] == '\0';
    require(is_open || error.message[0] != '\0');
    if (is_open) use(&state);
    gz_scene_state_finish(&state);
    gz_store_close(store);
    return is_writable;
}

/* One question for each file: to open it and to read its schema costs more than to answer. */
static void look_back(unsigned which)
{
    switch (which) {
    case 0: ask((struct gz_query){.kind = GZ_QUERY_AT, .seq = 3}); break;
    case 1: ask((struct gz_query){.kind = GZ_QUERY_HISTORY, .limit = 10}); break;
    case 2: ask((struct gz_query){.kind = GZ_QUERY_PATH, .node = 1}); break;
    default: summarise();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (path[0] == '\0') init();
    if (size < 2) return 0;
    switch (data[0] % 3) {
    case 0: write_whole(data + 1, size - 1); break;
    case 1: change_bytes(data + 1, size - 1); break;
    default: change_values(data + 1, size - 1);
    }
    bool is_checked = (data[0] & 0x40) == 0;
    if (!is_checked) gz_stamp_close(path);
    bool is_writable = open_and_close();
    look_back(data[0] >> 4 & 3);
    if ((data[0] & 0x80) != 0) check(is_checked && is_writable);
    clear();
    return 0;
}
