/* database.c - opens connections, makes the schema of a new file, turns SQLite's codes into
 * errors. */
#include "store/database.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#include "schema/schema.h"
#include "server/maxima.h"
#include "store/file_check.h"
#include "store/rows.h"

/* Milliseconds to wait for the lock of another process, which writes with sqlite3 or recovers the
 * WAL. */
#define BUSY_MS 1000
/* Steps of SQLite's machine between looks at the clock: some 100 us. */
#define PROGRESS_STEPS 10000
/* Bytes of a page in a new file. An edit of one node changes some nine pages, each of which goes to
 * the log whole. A change of a node with a long name just fits into 1024. */
#define PAGE_BYTES "1024"
/* Bytes that the WAL's file keeps for its next use, because overwriting is faster than growing. */
#define WAL_BYTES_KEPT "16777216"

enum gz_status gz_db_fail(sqlite3 *db, int rc, struct gz_error *error, const char *doing)
{
    if ((rc & 0xff) == SQLITE_INTERRUPT)
        return gz_fail(error, GZ_TOO_LARGE, "%s: it took longer than %d s", doing,
                       GZ_QUERY_MS_MAX / 1000);
    if ((rc & 0xff) == SQLITE_BUSY)
        return gz_fail(error, GZ_STORAGE,
                       "%s: another program, such as sqlite3, has the file locked: try again",
                       doing);
    if ((rc & 0xff) == SQLITE_FULL) return gz_fail_no_room(error, "%s: the disk is full", doing);
    return gz_fail(error, GZ_STORAGE, "%s: %s", doing,
                   db != NULL ? sqlite3_errmsg(db) : sqlite3_errstr(rc));
}

enum gz_status gz_db_exec(sqlite3 *db, const char *sql, struct gz_error *error)
{
    int rc = sqlite3_exec(db, sql, NULL, NULL, NULL);
    return rc == SQLITE_OK ? GZ_OK : gz_db_fail(db, rc, error, "the scene's file");
}

enum gz_status gz_db_prepare_all(sqlite3 *db, const char *const *sql, int count,
                                 sqlite3_stmt **statements, struct gz_error *error)
{
    int rc = SQLITE_OK;
    for (int i = 0; rc == SQLITE_OK && i < count; i++)
        rc = sqlite3_prepare_v3(db, sql[i], -1, SQLITE_PREPARE_PERSISTENT, &statements[i], NULL);
    return rc == SQLITE_OK ? GZ_OK : gz_db_fail(db, rc, error, "the scene's file");
}

enum gz_status gz_db_integer(sqlite3 *db, const char *sql, int64_t *value, struct gz_error *error)
{
    struct gz_ask ask = gz_ask_prepare(db, sql);
    *value = gz_ask_row(&ask) ? sqlite3_column_int64(ask.statement, 0) : 0;
    return gz_ask_end(&ask, GZ_OK, error, "the scene's file");
}

/* SQLite's limits: what our own statements and the schema need, with a margin. */
static const struct {
    int what, most;
} limits[] = {
    {SQLITE_LIMIT_LENGTH, GZ_ASSET_BYTES_MAX + 1024 * 1024},
    {SQLITE_LIMIT_SQL_LENGTH, 64 * 1024},
    {SQLITE_LIMIT_COLUMN, 128},
    {SQLITE_LIMIT_EXPR_DEPTH, 100},
    {SQLITE_LIMIT_COMPOUND_SELECT, 8},
    {SQLITE_LIMIT_VDBE_OP, 25000},
    {SQLITE_LIMIT_FUNCTION_ARG, 32},
    {SQLITE_LIMIT_ATTACHED, 0},
    {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1024},
    {SQLITE_LIMIT_TRIGGER_DEPTH, 4},
    {SQLITE_LIMIT_WORKER_THREADS, 0},
};

/* A scene's file may come from anywhere: its schema is not trusted, and this connection cannot
 * corrupt it. */
static enum gz_status make_safe(sqlite3 *db, struct gz_error *error)
{
    sqlite3_busy_timeout(db, BUSY_MS);
    sqlite3_extended_result_codes(db, 1);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
        sqlite3_limit(db, limits[i].what, limits[i].most);
    return gz_db_exec(
        db, "PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON; PRAGMA cell_size_check = ON",
        error);
}

void gz_db_trust_triggers(sqlite3 *db)
{
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 1, NULL);
}

/* The path with its folder resolved, because SQLITE_OPEN_NOFOLLOW refuses links in folders too, and
 * the folder is the operator's choice. The caller frees it; NULL with errno. */
static char *resolve(const char *path)
{
    const char *name = gz_db_file_name(path);
    char *made = NULL;
    char *folder = name > path ? strndup(path, (size_t)(name - path)) : strdup(".");
    char *real = folder != NULL ? realpath(folder, NULL) : NULL;
    if (real != NULL && asprintf(&made, "%s/%s", real, name) < 0) made = NULL;
    free(real);
    free(folder);
    return made;
}

/* The path as a URI; NULL without memory. */
static char *uri_of(const char *path, const char *query)
{
    while (path[0] == '/' && path[1] == '/') path++; /* after two slashes a host would follow */
    sqlite3_str *uri = sqlite3_str_new(NULL);
    sqlite3_str_appendall(uri, "file:");
    for (; *path != '\0'; path++)
        sqlite3_str_appendf(uri, strchr("%?#", *path) != NULL ? "%%%02X" : "%c", *path);
    sqlite3_str_appendall(uri, query);
    return sqlite3_str_finish(uri);
}

/* Closes a connection that could not be opened. */
static enum gz_status settle(const char *path, int rc, sqlite3 **db, struct gz_error *error)
{
    enum gz_status status =
        rc == SQLITE_OK ? make_safe(*db, error) : gz_db_fail(*db, rc, error, gz_db_file_name(path));
    if (status == GZ_OK) return GZ_OK;
    sqlite3_close(*db);
    *db = NULL;
    return status;
}

/* Opens a file that gz_file_check has accepted. `query` is that of the URI. */
static enum gz_status open_file(const char *path, int flags, const char *query, sqlite3 **db,
                                struct gz_error *error)
{
    char *real = resolve(path);
    if (real == NULL)
        return gz_fail(error, GZ_STORAGE, "%s: %s", gz_db_file_name(path), strerror(errno));
    char *uri = uri_of(real, query);
    free(real);
    if (uri == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory");
    int rc = sqlite3_open_v2(
        uri, db, flags | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI, NULL);
    sqlite3_free(uri);
    return settle(path, rc, db, error);
}

enum gz_status gz_db_open(const char *path, int flags, sqlite3 **db, struct gz_error *error)
{
    *db = NULL;
    if ((flags & SQLITE_OPEN_MEMORY) != 0)
        return settle(path, sqlite3_open_v2(path, db, flags, NULL), db, error);
    bool makes = (flags & SQLITE_OPEN_CREATE) != 0;
    enum gz_status status = gz_file_check(path, GZ_FILE_OURS, makes, error);
    return status == GZ_OK ? open_file(path, flags, "", db, error) : status;
}

enum gz_status gz_db_identify(sqlite3 *db, struct gz_error *error)
{
    int64_t application, version, objects;
    enum gz_status status = gz_db_integer(db, "PRAGMA application_id", &application, error);
    if (status == GZ_OK) status = gz_db_integer(db, "PRAGMA user_version", &version, error);
    if (status == GZ_OK)
        status = gz_db_integer(db, "SELECT count(*) FROM sqlite_schema", &objects, error);
    if (status != GZ_OK) return status;
    bool is_empty = application == 0 && version == 0 && objects == 0;
    if (is_empty) return GZ_OK;
    if (application != GZ_APPLICATION_ID || version == 0)
        return gz_fail(error, GZ_STORAGE, "the file is a SQLite database, but not a scene");
    if (version < GZ_SCHEMA_VERSION)
        return gz_fail(
            error, GZ_VERSION,
            "the file has schema version %lld, from before the first release: export the "
            "scene with the gizmod that wrote it, and import that file here",
            (long long)version);
    if (version > GZ_SCHEMA_VERSION)
        return gz_fail(error, GZ_VERSION,
                       "the file has schema version %lld, this server knows %d: use a newer gizmod",
                       (long long)version, GZ_SCHEMA_VERSION);
    return GZ_OK;
}

enum gz_status gz_db_write_schema(sqlite3 *db, struct gz_error *error)
{
    enum gz_status status = GZ_OK;
    for (size_t i = 0; i < GZ_SQL_SCHEMA_COUNT && status == GZ_OK; i++)
        status = gz_db_exec(db, gz_sql_schema[i], error);
    return status;
}

enum gz_status gz_db_make(sqlite3 *db, struct gz_error *error)
{
    int64_t version = 0;
    char set_version[64];
    enum gz_status status = gz_db_integer(db, "PRAGMA user_version", &version, error);
    if (status != GZ_OK || version != 0) return status;
    sqlite3_snprintf(sizeof set_version, set_version, "PRAGMA user_version = %d",
                     GZ_SCHEMA_VERSION);
    status = gz_db_exec(db, "BEGIN IMMEDIATE", error);
    if (status == GZ_OK) status = gz_db_write_schema(db, error);
    if (status == GZ_OK) status = gz_db_exec(db, set_version, error);
    if (status == GZ_OK) status = gz_db_exec(db, "COMMIT", error);
    if (status != GZ_OK && !sqlite3_get_autocommit(db))
        sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

/* A crash while SQLite began to write a journal leaves one that it neither reads nor deletes. */
static void delete_journal(sqlite3 *db)
{
    const char *path = sqlite3_db_filename(db, "main");
    if (path != NULL && path[0] != '\0') (void)unlink(sqlite3_filename_journal(path));
}

enum gz_status gz_db_use_wal(sqlite3 *db, struct gz_error *error)
{
    enum gz_status status = gz_db_exec(db, "PRAGMA page_size = " PAGE_BYTES, error);
    if (status != GZ_OK) return status;
    struct gz_ask ask = gz_ask_prepare(db, "PRAGMA journal_mode = WAL");
    if (gz_ask_row(&ask) && strcmp((const char *)sqlite3_column_text(ask.statement, 0), "wal") != 0)
        status = gz_fail(error, GZ_STORAGE,
                         "the file system has no shared memory for a write-ahead log");
    status = gz_ask_end(&ask, status, error, "the write-ahead log");
    if (status == GZ_OK) delete_journal(db);
    int64_t version; /* SQLite makes the log when the file is next read */
    if (status == GZ_OK) status = gz_db_integer(db, "PRAGMA schema_version", &version, error);
    if (status == GZ_OK)
        status = gz_db_exec(
            db, "PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = " WAL_BYTES_KEPT, error);
    return status;
}

void gz_db_empty_log(sqlite3 *db)
{
    sqlite3_busy_timeout(db, 0);
    (void)sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    sqlite3_busy_timeout(db, BUSY_MS);
}

uint64_t gz_db_reader_now(const struct gz_db_reader *reader)
{
    struct timespec time;
    if (!reader->is_by_processor) return uv_hrtime();
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static int handle_progress(void *context)
{
    const struct gz_db_reader *reader = context;
    const bool is_stopped = reader->is_stopped != NULL && atomic_load(reader->is_stopped);
    return is_stopped || gz_db_reader_now(reader) > reader->deadline_ns;
}

/* Closes the connection if it cannot read a scene. */
static enum gz_status begin_reading(struct gz_db_reader *reader, const char *path,
                                    struct gz_error *error)
{
    reader->deadline_ns = uv_hrtime() + (uint64_t)GZ_QUERY_MS_MAX * 1000000;
    sqlite3_progress_handler(reader->db, PROGRESS_STEPS, handle_progress, reader);
    enum gz_status status = gz_db_exec(reader->db, "PRAGMA query_only = ON; BEGIN", error);
    if (status == GZ_OK) status = gz_db_identify(reader->db, error);
    int64_t version = 0;
    if (status == GZ_OK) status = gz_db_integer(reader->db, "PRAGMA user_version", &version, error);
    if (status == GZ_OK && version == 0)
        status = gz_fail(error, GZ_UNKNOWN_SCENE, "%s: it holds no scene", gz_db_file_name(path));
    if (status != GZ_OK) gz_db_reader_close(reader);
    return status;
}

/* Whether the file can be opened as immutable: it cannot be written or is only looked at, and has
 * no log. */
static bool is_still(const char *path, enum gz_file_owner owner)
{
    if (owner == GZ_FILE_ANY) return !gz_has_log(path);
    return !gz_can_write(path) && !gz_log_holds(path);
}

static enum gz_status open_reader(struct gz_db_reader *reader, const char *path,
                                  enum gz_file_owner owner, struct gz_error *error)
{
    reader->db = NULL;
    reader->is_by_processor = false;
    reader->is_stopped = NULL;
    enum gz_status status = gz_file_check(path, owner, false, error);
    reader->is_still = status == GZ_OK && is_still(path, owner);
    /* Only a connection that can write can roll a journal back. It leaves a write-ahead log as it
     * is. */
    bool recovers = status == GZ_OK && owner == GZ_FILE_OWNED && gz_can_write(path);
    if (status == GZ_OK)
        status = open_file(path, recovers ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY,
                           reader->is_still ? "?immutable=1" : "", &reader->db, error);
    if (status == GZ_OK) sqlite3_db_config(reader->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    return status == GZ_OK ? begin_reading(reader, path, error) : status;
}

/* A crash while SQLite gave the file its log, or took it away, leaves a journal; until it is rolled
 * back nobody can read the file. False if that is not so, or another server has the file. */
static bool roll_back(const char *path)
{
    struct gz_lock_file lock;
    sqlite3 *db;
    int64_t version;
    if (!gz_journal_holds(path) || !gz_can_write(path) ||
        gz_lock_file_init_brief(&lock, path, NULL) != GZ_OK)
        return false;
    bool is_done = gz_db_open(path, SQLITE_OPEN_READWRITE, &db, NULL) == GZ_OK;
    if (is_done) {
        is_done = gz_db_integer(db, "PRAGMA schema_version", &version, NULL) == GZ_OK;
        sqlite3_close(db);
    }
    gz_lock_file_finish(&lock);
    return is_done;
}

enum gz_status gz_db_reader_open(struct gz_db_reader *reader, const char *path,
                                 enum gz_file_owner owner, struct gz_error *error)
{
    enum gz_status status = open_reader(reader, path, owner, error);
    reader->is_rolled_back = status == GZ_STORAGE && owner != GZ_FILE_OWNED && roll_back(path);
    return reader->is_rolled_back ? open_reader(reader, path, owner, error) : status;
}

enum gz_status gz_db_reader_renew(struct gz_db_reader *reader, struct gz_error *error)
{
    return gz_db_exec(reader->db, "COMMIT; BEGIN", error);
}

double gz_db_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void gz_db_reader_close(struct gz_db_reader *reader)
{
    sqlite3_close(reader->db);
    reader->db = NULL;
}
