/* compare.c - compares two files of a scene row by row and bit by bit. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "store/model.h"
#include "store/parts.h"
#include "store/rows.h"

struct comparison {
    const char *table, *against; /* the name of the other file */
    char *difference;
};

static enum gz_status open_both(struct gz_db_reader readers[2], const char *const paths[2],
                                struct gz_error *error)
{
    enum gz_status status = gz_db_reader_open(&readers[0], paths[0], GZ_FILE_ANY, error);
    if (status != GZ_OK) return status;
    status = gz_db_reader_open(&readers[1], paths[1], GZ_FILE_ANY, error);
    if (status != GZ_OK) gz_db_reader_close(&readers[0]);
    readers[0].deadline_ns = readers[1].deadline_ns = UINT64_MAX;
    return status;
}

static bool is_same_value(sqlite3_stmt *a, sqlite3_stmt *b, int column)
{
    int type = sqlite3_column_type(a, column);
    if (sqlite3_column_type(b, column) != type) return false;
    double x = sqlite3_column_double(a, column), y = sqlite3_column_double(b, column);
    switch (type) {
    case SQLITE_NULL: return true;
    case SQLITE_INTEGER: return sqlite3_column_int64(a, column) == sqlite3_column_int64(b, column);
    case SQLITE_FLOAT: return memcmp(&x, &y, sizeof x) == 0;
    default: break;
    }
    const void *left = sqlite3_column_blob(a, column), *right = sqlite3_column_blob(b, column);
    size_t size = (size_t)sqlite3_column_bytes(a, column);
    return (size_t)sqlite3_column_bytes(b, column) == size &&
           (size == 0 || memcmp(left, right, size) == 0);
}

/* Prints a value for a sentence: all digits of a number, the beginning of a text. */
static void print_value(sqlite3_stmt *row, int column, char words[96])
{
    switch (sqlite3_column_type(row, column)) {
    case SQLITE_NULL: snprintf(words, 96, "NULL"); break;
    case SQLITE_FLOAT: snprintf(words, 96, "%.17g", sqlite3_column_double(row, column)); break;
    case SQLITE_BLOB: snprintf(words, 96, "%d bytes", sqlite3_column_bytes(row, column)); break;
    default: snprintf(words, 96, "%.80s", (const char *)sqlite3_column_text(row, column));
    }
}

static void say(const struct comparison *comparison, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(const struct comparison *comparison, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(comparison->difference, GZ_ERROR_BYTES_MAX, format, values);
    va_end(values);
}

/* Compares two rows; column 0 names the row. */
static void compare_rows(const struct comparison *comparison, sqlite3_stmt *a, sqlite3_stmt *b)
{
    const char *row = (const char *)sqlite3_column_text(a, 0);
    int columns = sqlite3_column_count(a), at = 0;
    while (at < columns && is_same_value(a, b, at)) at++;
    if (at == columns) return;
    if (at == 0) {
        say(comparison, "%s of %s is at the place where %s has %s", row, comparison->table,
            comparison->against, (const char *)sqlite3_column_text(b, 0));
        return;
    }
    char is[96], other[96];
    print_value(a, at, is);
    print_value(b, at, other);
    say(comparison, "%s of %s: its %s is %s, and %s in %s", row, comparison->table,
        sqlite3_column_name(a, at), is, other, comparison->against);
}

/* Walks both in the order of their keys, until they differ. */
static void compare_all(const struct comparison *comparison, struct gz_ask *a, struct gz_ask *b)
{
    bool more = true;
    while (more && comparison->difference[0] == '\0') {
        more = gz_ask_row(a);
        bool more_there = gz_ask_row(b);
        bool is_read = (more || a->rc == SQLITE_DONE) && (more_there || b->rc == SQLITE_DONE);
        if (!is_read) return;
        if (more && more_there)
            compare_rows(comparison, a->statement, b->statement);
        else if (more)
            say(comparison, "%s of %s is not in %s",
                (const char *)sqlite3_column_text(a->statement, 0), comparison->table,
                comparison->against);
        else if (more_there)
            say(comparison, "%s of %s is in %s alone",
                (const char *)sqlite3_column_text(b->statement, 0), comparison->table,
                comparison->against);
    }
}

static enum gz_status compare_table(const struct gz_db_reader readers[2],
                                    const struct comparison *comparison, const char *row,
                                    const char *order, struct gz_error *error)
{
    char *query =
        sqlite3_mprintf("SELECT %s, * FROM %s ORDER BY %s", row, comparison->table, order);
    if (query == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory");
    struct gz_ask a = gz_ask_prepare(readers[0].db, query);
    struct gz_ask b = gz_ask_prepare(readers[1].db, query);
    sqlite3_free(query);
    if (a.rc == SQLITE_OK && b.rc == SQLITE_OK) compare_all(comparison, &a, &b);
    enum gz_status status = gz_ask_end(&a, GZ_OK, error, comparison->table);
    return gz_ask_end(&b, status, error, comparison->table);
}

static enum gz_status compare_tables(const struct gz_db_reader readers[2], const char *against,
                                     char *difference, struct gz_error *error)
{
    struct gz_ask tables = gz_ask_prepare(readers[0].db, gz_sql_check[GZ_SQL_CHECK_TABLES]);
    enum gz_status status = GZ_OK;
    while (status == GZ_OK && difference[0] == '\0' && gz_ask_row(&tables)) {
        struct comparison comparison = {(const char *)sqlite3_column_text(tables.statement, 0),
                                        against, difference};
        status = compare_table(readers, &comparison,
                               (const char *)sqlite3_column_text(tables.statement, 2),
                               (const char *)sqlite3_column_text(tables.statement, 3), error);
    }
    return gz_ask_end(&tables, status, error, "the tables");
}

enum gz_status gz_store_compare(const char *path, const char *against,
                                char difference[GZ_ERROR_BYTES_MAX], struct gz_error *error)
{
    struct gz_db_reader readers[2];
    difference[0] = '\0';
    enum gz_status status = open_both(readers, (const char *const[]){path, against}, error);
    if (status != GZ_OK) return status;
    const char *name = gz_db_file_name(against);
    status = gz_model_require(readers[0].db, error);
    if (status == GZ_OK) status = gz_model_require(readers[1].db, error);
    if (status == GZ_OK) status = compare_tables(readers, name, difference, error);
    gz_db_reader_close(&readers[0]);
    gz_db_reader_close(&readers[1]);
    return status;
}
