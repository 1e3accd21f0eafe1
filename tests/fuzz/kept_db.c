/* kept_db.c - keeps the statements of a connection. See kept_db.h. */
#include "fuzz/kept_db.h"

#include <stdlib.h>
#include <string.h>

#include "store/database.h"
#include "store/model.h"

#define require(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) abort();                                                                 \
    } while (0)

#define BUCKETS 1024
/* A reader of a damaged file may have no end. The server gives it seconds; here it has a number of
 * steps, so that the same input always does the same. */
#define STEPS_AT_ONCE 10000
#define READER_STEPS 1000000

struct kept {
    struct kept *next;
    sqlite3_stmt *statement;
    size_t size; /* of the statement, at the beginning of the text */
    char text[];
};

static sqlite3 *kept_db;           /* NULL outside of a transaction */
static struct kept *idle[BUCKETS]; /* by the length of their texts */
static struct kept *used;
static int steps_left;

int __real_sqlite3_prepare_v2(sqlite3 *db, const char *text, int size, sqlite3_stmt **statement,
                              const char **rest);
int __wrap_sqlite3_prepare_v2(sqlite3 *db, const char *text, int size, sqlite3_stmt **statement,
                              const char **rest);
int __real_sqlite3_finalize(sqlite3_stmt *statement);
int __wrap_sqlite3_finalize(sqlite3_stmt *statement);
int __real_sqlite3_exec(sqlite3 *db, const char *text, sqlite3_callback callback, void *context,
                        char **message);
int __wrap_sqlite3_exec(sqlite3 *db, const char *text, sqlite3_callback callback, void *context,
                        char **message);
enum gz_status __real_gz_db_reader_open(struct gz_db_reader *reader, const char *path,
                                        enum gz_file_owner owner, struct gz_error *error);
enum gz_status __wrap_gz_db_reader_open(struct gz_db_reader *reader, const char *path,
                                        enum gz_file_owner owner, struct gz_error *error);
bool __real_gz_model_is(sqlite3 *db);
bool __wrap_gz_model_is(sqlite3 *db);
enum gz_status __real_gz_model_compare(sqlite3 *db, sqlite3 *model,
                                       void (*say)(void *context, const char *words), void *context,
                                       struct gz_error *error);
enum gz_status __wrap_gz_model_compare(sqlite3 *db, sqlite3 *model,
                                       void (*say)(void *context, const char *words), void *context,
                                       struct gz_error *error);
void __real_gz_db_reader_close(struct gz_db_reader *reader);
void __wrap_gz_db_reader_close(struct gz_db_reader *reader);

/* ---- statements ---- */

static struct kept **bucket_of(const char *text)
{
    return &idle[strlen(text) % BUCKETS];
}

/* Takes an idle statement out of its list; NULL if there is none with this text. */
static struct kept *take(const char *text)
{
    struct kept **at = bucket_of(text), *kept;
    while (*at != NULL && strcmp((*at)->text, text) != 0) at = &(*at)->next;
    kept = *at;
    if (kept != NULL) *at = kept->next;
    return kept;
}

/* SQLite would compile its check of the pages anew for each use. It finds nothing where only values
 * were written through SQLite. */
static const char *instead_of(const char *text)
{
    return strstr(text, "pragma_integrity_check(") != NULL ? "SELECT 1 WHERE ?1 IS NULL" : text;
}

/* NULL with the statement's code, and for a text without a statement. */
static struct kept *prepare(const char *text, int *rc)
{
    const char *run = instead_of(text), *rest;
    sqlite3_stmt *statement;
    *rc = __real_sqlite3_prepare_v2(kept_db, run, -1, &statement, &rest);
    if (statement == NULL) return NULL;
    const size_t size = strlen(text) + 1;
    struct kept *kept = malloc(sizeof *kept + size);
    require(kept != NULL);
    *kept = (struct kept){.statement = statement,
                          .size = run == text ? (size_t)(rest - text) : size - 1};
    memcpy(kept->text, text, size);
    return kept;
}

int __wrap_sqlite3_prepare_v2(sqlite3 *db, const char *text, int size, sqlite3_stmt **statement,
                              const char **rest)
{
    if (db != kept_db || db == NULL)
        return __real_sqlite3_prepare_v2(db, text, size, statement, rest);
    int rc = SQLITE_OK;
    struct kept *kept = take(text);
    if (kept == NULL) kept = prepare(text, &rc);
    *statement = kept != NULL ? kept->statement : NULL;
    if (rest != NULL) *rest = text + (kept != NULL ? kept->size : strlen(text));
    if (kept == NULL) return rc;
    kept->next = used;
    used = kept;
    return SQLITE_OK;
}

int __wrap_sqlite3_finalize(sqlite3_stmt *statement)
{
    struct kept **at = &used, *kept;
    while (*at != NULL && (*at)->statement != statement) at = &(*at)->next;
    if ((kept = *at) == NULL) return __real_sqlite3_finalize(statement);
    *at = kept->next;
    struct kept **bucket = bucket_of(kept->text);
    kept->next = *bucket;
    *bucket = kept;
    sqlite3_clear_bindings(statement);
    return sqlite3_reset(statement);
}

/* ---- transactions ---- */

static int run_all(const char *text)
{
    int rc = SQLITE_OK;
    while (rc == SQLITE_OK && text[0] != '\0') {
        sqlite3_stmt *statement;
        rc = __wrap_sqlite3_prepare_v2(kept_db, text, -1, &statement, &text);
        if (statement == NULL) continue;
        do rc = sqlite3_step(statement);
        while (rc == SQLITE_ROW);
        rc = __wrap_sqlite3_finalize(statement);
    }
    return rc;
}

/* A transaction within ours is a savepoint. */
static const char *within(const char *text)
{
    if (strncmp(text, "BEGIN", 5) == 0) return "SAVEPOINT inner";
    if (strcmp(text, "COMMIT") == 0) return "RELEASE inner";
    return strcmp(text, "ROLLBACK") == 0 ? "ROLLBACK TO inner; RELEASE inner" : text;
}

int __wrap_sqlite3_exec(sqlite3 *db, const char *text, sqlite3_callback callback, void *context,
                        char **message)
{
    if (db != kept_db || db == NULL)
        return __real_sqlite3_exec(db, text, callback, context, message);
    require(callback == NULL && message == NULL);
    return run_all(within(text));
}

void kept_db_begin(sqlite3 *db)
{
    kept_db = db;
    require(run_all("BEGIN") == SQLITE_OK);
}

void kept_db_end(void)
{
    require(used == NULL && run_all("ROLLBACK") == SQLITE_OK);
    kept_db = NULL;
}

/* ---- the schema, which is that of a good file ---- */

bool __wrap_gz_model_is(sqlite3 *db)
{
    return kept_db != NULL || __real_gz_model_is(db);
}

enum gz_status __wrap_gz_model_compare(sqlite3 *db, sqlite3 *model,
                                       void (*say)(void *context, const char *words), void *context,
                                       struct gz_error *error)
{
    return kept_db != NULL ? GZ_OK : __real_gz_model_compare(db, model, say, context, error);
}

/* ---- readers ---- */

static int handle_progress(void *context)
{
    (void)context;
    return --steps_left < 0;
}

enum gz_status __wrap_gz_db_reader_open(struct gz_db_reader *reader, const char *path,
                                        enum gz_file_owner owner, struct gz_error *error)
{
    if (kept_db == NULL) return __real_gz_db_reader_open(reader, path, owner, error);
    *reader = (struct gz_db_reader){.db = kept_db};
    steps_left = READER_STEPS / STEPS_AT_ONCE;
    sqlite3_progress_handler(kept_db, STEPS_AT_ONCE, handle_progress, NULL);
    return GZ_OK;
}

void __wrap_gz_db_reader_close(struct gz_db_reader *reader)
{
    if (kept_db == NULL) {
        __real_gz_db_reader_close(reader);
        return;
    }
    sqlite3_progress_handler(kept_db, 0, NULL, NULL);
    reader->db = NULL;
}
