/* fuzz_db.c - files made to hurt, through the store. The first byte says what the rest is: the
 * bytes of a file; bytes that are changed in a good file, each as three of its place and one to be
 * combined with; or values that are put into the columns of a good file. Most often these values
 * are read where they are, in a transaction that is taken back: to make a file of them and to open
 * it takes twenty times as long, nearly all of it in SQLite. For that the linker hands some calls
 * of the store to this file, which keeps the statements that were prepared once.
 *
 * The second bit from above has the file taken as if a server had closed it, unchecked. What is
 * refused says why; what is taken can be asked for its past, and becomes a core; what was checked
 * and may be written to has no faults afterwards. */
#include <fcntl.h>
#include <malloc.h>
#include <math.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/core.h"
#include "fuzz/kept_db.h"
#include "store/clean_mark.h"
#include "store/parts.h"
#include "store/store.h"

#define TIME 1.7e9
#define FILE_BYTES_MAX (1 << 20)
/* Of the values of a good file. */
#define CHANGES_MAX 16
#define FAST_FOR_EACH_FILE 64

#define require(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) abort();                                                                 \
    } while (0)

/* What the first byte says, beside the questions about the past. */
enum { FAST = 3, UNCHECKED = 0x40, CHECKED_AFTER = 0x80 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t size_max, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t size_max);

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

/* Three nodes, made, dragged and deleted; a drag that a crash left open; a note, a checkpoint, an
 * access, an asset. */
static void make_good(const char *file)
{
    static const char rows[] =
        "UPDATE scene SET seq = 9, next_node = 4, next_edit = 7, time = 1700000005.0;"
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
        "INSERT INTO edits SELECT 5, 'translate', 'tx', epoch, NULL, 'anna', 'k5', NULL, 1.7e9, "
        "1700000003.0, 4, 7, 0.0, 2.0, NULL FROM epochs;"
        "UPDATE nodes SET seq = 7, tx = 3.0 WHERE id = 1;"
        "INSERT INTO changes SELECT 5, 0, 1, 7, 'change', parent, name, 1.0, ty, tz, rx, ry, rz, "
        "rw, sx, sy, sz, min_x, min_y, min_z, max_x, max_y, max_z, asset, parent, name, tx, ty, "
        "tz, rx, ry, rz, rw, sx, sy, sz, min_x, min_y, min_z, max_x, max_y, max_z, asset "
        "FROM nodes WHERE id = 1;"
        "INSERT INTO edits SELECT 6, 'rotate', 'rz', epoch, NULL, 'ben', NULL, NULL, 1700000004.0, "
        "NULL, 7, NULL, 0.0, NULL, NULL FROM epochs;"
        "INSERT INTO changes SELECT 6, 0, 2, NULL, 'change', parent, name, tx, ty, tz, rx, ry, rz, "
        "rw, sx, sy, sz, min_x, min_y, min_z, max_x, max_y, max_z, asset, NULL, NULL, NULL, NULL, "
        "NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL "
        "FROM nodes WHERE id = 2;"
        "UPDATE nodes SET seq = 9, rz = 1.0, rw = 0.0 WHERE id = 2;"
        "INSERT INTO samples SELECT iif(value < 7, 5, 6), iif(value < 7, 1, 2), value, "
        "1699999996.0 + value, iif(value < 7, 0.5 * value, tx), ty, tz, rx, ry, "
        "iif(value = 8, 0.0, rz), iif(value = 8, 1.0, rw), sx, sy, sz, "
        "iif(value = 6, 1700000002.5, NULL) FROM nodes, json_each('[5,6,8,9]') "
        "WHERE nodes.id = iif(value < 7, 1, 2);"
        "INSERT INTO assets VALUES (0, 9, 1, 'model/gltf+json', 'ab', x'7b7d');"
        "INSERT INTO notes VALUES (1, 'anna', 'here', 1, NULL, NULL, NULL, NULL, 0, 1.7e9, 1.7e9, "
        "'anna', NULL);"
        "INSERT INTO checkpoints VALUES ('lunch', 2, 'anna', 1.7e9);"
        "INSERT INTO news SELECT 1, min(epoch), 2, 1, NULL, NULL, NULL, NULL, NULL FROM epochs;"
        "INSERT INTO news SELECT 2, min(epoch), 3, NULL, 'lunch', 2, 'anna', 1.7e9, 0 FROM epochs;"
        "UPDATE scene SET told_seq = 1, told_news = 0;"
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
    mallopt(M_TRIM_THRESHOLD, FILE_BYTES_MAX * 64); /* memory is soon used again */
    /* There is no other thread. */
    require(sqlite3_config(SQLITE_CONFIG_SINGLETHREAD) == SQLITE_OK);
    require(sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) == SQLITE_OK);
    require(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/a.db", folder);
    snprintf(file, sizeof file, "%s/good.db", folder);
    make_good(file);
    read_good(file);
    require(sqlite3_open(file, &good_db) == SQLITE_OK);
    run(good_db, "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY;"
                 "PRAGMA foreign_keys = OFF;"
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
                                      "samples.edit",
                                      "samples.node",
                                      "samples.seq",
                                      "samples.time",
                                      "samples.tx",
                                      "samples.rz",
                                      "samples.until",
                                      "kept.step",
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
                                      "assets.first",
                                      "assets.count",
                                      "assets.seq",
                                      "assets.bytes",
                                      "news.seq",
                                      "news.note",
                                      "news.checkpoint",
                                      "news.user",
                                      "news.made",
                                      "scene.told_seq",
                                      "scene.told_news"};
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

/* Row 0 is all of them. */
static void put_value(const char *column, const char *value, int row)
{
    const char *dot = strchr(column, '.');
    const int size = (int)(dot - column);
    char sql[512];
    sqlite3_stmt *statement;
    snprintf(sql, sizeof sql,
             "UPDATE OR IGNORE %.*s SET %s = %s WHERE ?1 IN (0, (SELECT count(*) "
             "FROM %.*s t WHERE t.%s <= %.*s.%s))",
             size, column, dot + 1, value, size, column, dot + 1, size, column, dot + 1);
    require(sqlite3_prepare_v2(good_db, sql, -1, &statement, NULL) == SQLITE_OK);
    sqlite3_bind_int(statement, 1, row);
    (void)sqlite3_step(statement);
    sqlite3_finalize(statement);
}

/* In the transaction that runs. */
static void change_values(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < CHANGES_MAX && size >= 3; i++, data += 3, size -= 3)
        put_value(columns[data[0] % COLUMN_COUNT], values[data[1] % VALUE_COUNT], data[2] % 5);
}

static void write_changed(const uint8_t *data, size_t size)
{
    kept_db_begin(good_db);
    change_values(data, size);
    write_good_db();
    kept_db_end();
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
    for (size_t i = 0; answer.status == GZ_OK && i < answer.point_count; i++)
        require(gz_trs_finite(&answer.points[i].trs) && isfinite(answer.points[i].time));
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

static void read_present(void)
{
    struct gz_scene_state state;
    struct gz_buffer asset;
    struct gz_error error = {.message = ""};
    gz_buffer_init(&asset, FILE_BYTES_MAX, 0);
    enum gz_status status = gz_store_present(path, &state, &asset, &error);
    require(status == GZ_OK || error.message[0] != '\0');
    for (size_t i = 0; status == GZ_OK && i < state.node_count; i++)
        check_node(&state, &state.nodes[i]);
    gz_scene_state_finish(&state);
    gz_buffer_finish(&asset);
}

/* One question for each file: to open it and to read its schema costs more than to answer. */
static void look_back(unsigned which)
{
    switch (which) {
    case 0: ask((struct gz_query){.kind = GZ_QUERY_AT, .seq = 3}); break;
    case 1:
        ask((struct gz_query){.kind = GZ_QUERY_HISTORY, .limit = 10});
        ask((struct gz_query){.kind = GZ_QUERY_NEWS, .limit = 10});
        break;
    case 2: ask((struct gz_query){.kind = GZ_QUERY_PATH, .node = 1}); break;
    case 3: summarise(); break;
    case 4: ask((struct gz_query){.kind = GZ_QUERY_AT, .by_time = true, .time = TIME + 1.5}); break;
    case 5: ask((struct gz_query){.kind = GZ_QUERY_EDIT, .edit = 5}); break;
    case 6: ask((struct gz_query){.kind = GZ_QUERY_AT, .seq = 6}); break;
    default: read_present();
    }
}

/* ---- one execution ---- */

static void take_file(uint8_t how)
{
    const bool is_checked = (how & UNCHECKED) == 0;
    if (!is_checked) gz_clean_mark_close(path, GZ_CLEAN_MARK_CLOSED, "");
    const bool is_writable = open_and_close();
    look_back(how >> 4 & 3);
    if ((how & CHECKED_AFTER) != 0) check(is_checked && is_writable);
    clear();
}

static enum gz_status find_faults(uint64_t *faults, struct gz_error *error)
{
    struct gz_db_reader reader;
    struct gz_store_check check = {.handle_fault = handle_fault};
    enum gz_status status = gz_db_reader_open(&reader, path, GZ_FILE_ANY, error);
    if (status == GZ_OK) status = gz_check_reader(&reader, GZ_CHECK_ALL, &check, error);
    gz_db_reader_close(&reader);
    *faults = check.faults;
    return status;
}

/* As a writer begins. */
static enum gz_status recover(uint64_t *epoch, struct gz_error *error)
{
    struct gz_shipper shipper;
    enum gz_status status = gz_shipper_init(&shipper, good_db, NULL, error);
    if (status == GZ_OK) status = gz_recover(good_db, TIME + 10, false, &shipper, epoch, error);
    gz_shipper_finish(&shipper);
    return status;
}

/* What gz_store_open does with the rows of a file. Whether it can be written to. */
static bool load(bool is_checked)
{
    struct gz_scene_state state = {0};
    struct gz_error error = {.message = ""};
    uint64_t faults = 0, epoch = 0;
    enum gz_status status = is_checked ? find_faults(&faults, &error) : GZ_OK;
    if (status == GZ_OK)
        status = faults == 0 ? recover(&epoch, &error)
                             : gz_find_epoch(good_db, TIME + 10, &epoch, &error);
    if (status == GZ_OK) status = gz_load(good_db, epoch, &state, &error);
    require(status == GZ_OK || error.message[0] != '\0');
    if (status == GZ_OK) use(&state);
    gz_scene_state_finish(&state);
    return status == GZ_OK && faults == 0;
}

static void take_values(uint8_t how, const uint8_t *data, size_t size)
{
    const bool is_checked = (how & UNCHECKED) == 0;
    kept_db_begin(good_db);
    change_values(data, size);
    const bool is_writable = load(is_checked);
    look_back(how >> 4 & 3);
    look_back(4 + (how >> 2 & 3));
    if ((how & CHECKED_AFTER) != 0 && (is_writable || !is_checked)) check(is_checked);
    kept_db_end();
}

/* Most inputs are to be of the kind that is fast. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t size_max, unsigned seed)
{
    size = LLVMFuzzerMutate(data, size, size_max);
    if (size > 0 && seed % FAST_FOR_EACH_FILE != 0) data[0] |= FAST;
    return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (path[0] == '\0') init();
    if (size < 2) return 0;
    const uint8_t how = data[0];
    data++, size--;
    switch (how % 4) {
    case 0: write_whole(data, size); break;
    case 1: change_bytes(data, size); break;
    case 2: write_changed(data, size); break;
    default: take_values(how, data, size); return 0;
    }
    take_file(how);
    return 0;
}
