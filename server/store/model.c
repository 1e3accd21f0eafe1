/* model.c - makes an empty scene in memory and compares the schemas of files with its own. */
#include "store/model.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "schema/schema.h"
#include "store/database.h"
#include "store/rows.h"

enum gz_status gz_model_open(sqlite3 **model, struct gz_error *error)
{
    enum gz_status status =
        gz_db_open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, model, error);
    return status == GZ_OK ? gz_db_write_schema(*model, error) : status;
}

struct comparison {
    sqlite3_stmt *is, *should;
    void (*say)(void *context, const char *words);
    void *context;
};

static const char *text_of(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    return text != NULL ? text : "";
}

/* "the table mine is not of a scene's schema". */
static void tell(const struct comparison *comparison, sqlite3_stmt *row, const char *how)
{
    char words[512];
    snprintf(words, sizeof words, "the %.20s %.200s is %s", text_of(row, 1), text_of(row, 0), how);
    comparison->say(comparison->context, words);
}

/* Whether both rows of the same name are equal. */
static bool is_same(const struct comparison *comparison)
{
    return strcmp(text_of(comparison->is, 1), text_of(comparison->should, 1)) == 0 &&
           strcmp(text_of(comparison->is, 2), text_of(comparison->should, 2)) == 0;
}

/* Walks both in the order of names. */
static void compare(const struct comparison *comparison, struct gz_ask *is, struct gz_ask *should)
{
    bool more_is = gz_ask_row(is), more_should = gz_ask_row(should);
    while (more_is || more_should) {
        int order = !more_is ? 1
                    : !more_should
                        ? -1
                        : strcmp(text_of(is->statement, 0), text_of(should->statement, 0));
        if (order < 0) tell(comparison, is->statement, "not of a scene's schema");
        if (order > 0) tell(comparison, should->statement, "missing");
        if (order == 0 && !is_same(comparison))
            tell(comparison, is->statement, "not as a scene's schema has it");
        if (order <= 0) more_is = gz_ask_row(is);
        if (order >= 0) more_should = gz_ask_row(should);
    }
}

enum gz_status gz_model_compare(sqlite3 *db, sqlite3 *model,
                                void (*say)(void *context, const char *words), void *context,
                                struct gz_error *error)
{
    struct gz_ask is = gz_ask_prepare(db, gz_sql_check[GZ_SQL_CHECK_SCHEMA]);
    struct gz_ask should = gz_ask_prepare(model, gz_sql_check[GZ_SQL_CHECK_SCHEMA]);
    struct comparison comparison = {is.statement, should.statement, say, context};
    if (is.rc == SQLITE_OK && should.rc == SQLITE_OK) compare(&comparison, &is, &should);
    enum gz_status status = gz_ask_end(&should, GZ_OK, error, "the schema");
    return gz_ask_end(&is, status, error, "the schema");
}

/* Keeps the first sentence. */
static void keep(void *context, const char *words)
{
    struct gz_error *first = context;
    if (first->status == GZ_OK) gz_fail(first, GZ_STORAGE, "%s", words);
}

/* ---- the schema of this build in one text ---- */

/* The schema of this build as a text, made once in a process, because making a model takes most of
 * the time of an opening. NULL without memory. */
static char *own_text;
static pthread_once_t own_once = PTHREAD_ONCE_INIT;

/* NULL without memory. */
static char *print_row(sqlite3_stmt *row)
{
    return sqlite3_mprintf("%Q %Q %Q;", text_of(row, 0), text_of(row, 1), text_of(row, 2));
}

/* NULL if it could not be read. */
static char *print_schema(sqlite3 *db)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    struct gz_ask rows = gz_ask_prepare(db, gz_sql_check[GZ_SQL_CHECK_SCHEMA]);
    bool is_whole = true;
    while (is_whole && gz_ask_row(&rows)) {
        char *row = print_row(rows.statement);
        is_whole = row != NULL;
        if (is_whole) sqlite3_str_appendall(text, row);
        sqlite3_free(row);
    }
    is_whole = gz_ask_finish(&rows) == SQLITE_OK && is_whole;
    char *words = sqlite3_str_finish(text);
    if (is_whole) return words;
    sqlite3_free(words);
    return NULL;
}

static void make_own_text(void)
{
    sqlite3 *model;
    if (gz_model_open(&model, NULL) == GZ_OK) own_text = print_schema(model);
    sqlite3_close(model);
}

bool gz_model_is(sqlite3 *db)
{
    (void)pthread_once(&own_once, make_own_text);
    const char *left = own_text;
    bool is_same = left != NULL;
    struct gz_ask rows = gz_ask_prepare(db, gz_sql_check[GZ_SQL_CHECK_SCHEMA]);
    while (is_same && gz_ask_row(&rows)) {
        char *row = print_row(rows.statement);
        size_t size = row != NULL ? strlen(row) : 0;
        is_same = size > 0 && strncmp(left, row, size) == 0;
        if (is_same) left += size;
        sqlite3_free(row);
    }
    return gz_ask_finish(&rows) == SQLITE_OK && is_same && *left == '\0';
}

enum gz_status gz_model_require(sqlite3 *db, struct gz_error *error)
{
    sqlite3 *model = NULL;
    int64_t version = 0;
    struct gz_error first = {.status = GZ_OK};
    enum gz_status status = gz_db_integer(db, "PRAGMA user_version", &version, error);
    if (status == GZ_OK && (version == 0 || gz_model_is(db))) return GZ_OK;
    if (status == GZ_OK) status = gz_model_open(&model, error);
    if (status == GZ_OK) status = gz_model_compare(db, model, keep, &first, error);
    sqlite3_close(model);
    if (status != GZ_OK || first.status == GZ_OK) return status;
    return gz_fail(error, GZ_STORAGE,
                   "%s: the file is not used; remove what is not part of the schema, with "
                   "sqlite3, in a copy",
                   first.message);
}
