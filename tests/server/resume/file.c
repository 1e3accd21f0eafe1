/* file.c - reads a scene's file by plain SQL. See file.h. */
#include "file.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka.h"

#include <sqlite3.h>

struct scene_file *file_open(const char *path)
{
    sqlite3 *db;
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        fail_msg("%s: %s", path, sqlite3_errmsg(db));
    sqlite3_busy_timeout(db, 10000);
    return (struct scene_file *)db;
}

void file_close(struct scene_file *file)
{
    sqlite3_close((sqlite3 *)file);
}

static sqlite3_stmt *prepare(struct scene_file *file, const char *sql)
{
    sqlite3_stmt *rows;
    sqlite3 *db = (sqlite3 *)file;
    if (sqlite3_prepare_v2(db, sql, -1, &rows, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    return rows;
}

static bool step(sqlite3_stmt *rows)
{
    int rc = sqlite3_step(rows);
    if (rc != SQLITE_ROW && rc != SQLITE_DONE)
        fail_msg("%s", sqlite3_errmsg(sqlite3_db_handle(rows)));
    return rc == SQLITE_ROW;
}

size_t file_integers(struct scene_file *file, const char *sql, uint64_t *numbers, size_t max)
{
    sqlite3_stmt *rows = prepare(file, sql);
    size_t count = 0;
    for (; step(rows); count++) {
        assert_true(count < max);
        numbers[count] = (uint64_t)sqlite3_column_int64(rows, 0);
    }
    sqlite3_finalize(rows);
    return count;
}

uint64_t file_integer(struct scene_file *file, const char *sql)
{
    uint64_t number = 0;
    (void)file_integers(file, sql, &number, 1);
    return number;
}

static void dump_column(FILE *out, sqlite3_stmt *rows, int column)
{
    double number = sqlite3_column_double(rows, column);
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    fprintf(out, " %016" PRIx64, bits);
}

static void dump_row(FILE *out, sqlite3_stmt *rows)
{
    const unsigned char *name = sqlite3_column_text(rows, 2);
    fprintf(out, "node %lld %lld %s", sqlite3_column_int64(rows, 0), sqlite3_column_int64(rows, 1),
            name[0] == '\0' ? "-" : "");
    for (; *name != '\0'; name++) fprintf(out, "%02x", *name);
    for (int i = 3; i < 13; i++) dump_column(out, rows, i);
    if (sqlite3_column_type(rows, 13) == SQLITE_NULL) fputs(" -", out);
    for (int i = 13; i < 19 && sqlite3_column_type(rows, 13) != SQLITE_NULL; i++)
        dump_column(out, rows, i);
    if (sqlite3_column_type(rows, 19) == SQLITE_NULL)
        fputs(" -\n", out);
    else
        fprintf(out, " %lld\n", sqlite3_column_int64(rows, 19));
}

void file_dump(FILE *out, struct scene_file *file)
{
    sqlite3_stmt *rows = prepare(
        file, "SELECT id, coalesce(parent, 0), name, tx, ty, tz, rx, ry, rz, rw, sx, sy, sz,"
              " min_x, min_y, min_z, max_x, max_y, max_z, asset"
              " FROM nodes WHERE deleted_seq IS NULL ORDER BY id");
    while (step(rows)) dump_row(out, rows);
    sqlite3_finalize(rows);
}
