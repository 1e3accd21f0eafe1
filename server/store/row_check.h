/* row_check.h - checks the values of a row, because a foreign or damaged file may hold anything.
 * Each function returns NULL, or the fault in words that follow "row 7: ". Threads: those of the
 * statement's connection. */
#ifndef GZ_STORE_ROW_CHECK_H
#define GZ_STORE_ROW_CHECK_H

#include <sqlite3.h>

#include "scene/record.h"

/* The number of columns of {trs} and {content} in sql/rows.sql. */
enum { GZ_TRS_COLUMN_COUNT = 10, GZ_CONTENT_COLUMN_COUNT = 19 };

/* A text has to be UTF-8 without NUL, of at most `bytes_max` bytes. */
const char *gz_text_fault(sqlite3_stmt *row, int column, size_t bytes_max);
/* The columns {trs}, as gz_read_trs read them. */
const char *gz_trs_fault(sqlite3_stmt *row, int column, const gz_trs *trs);
/* The columns {content}, as gz_read_content read them into `content`. */
const char *gz_content_fault(sqlite3_stmt *row, int column, const struct gz_content *content);
/* The columns {change}, as gz_read_change read them. */
const char *gz_change_fault(sqlite3_stmt *row, const struct gz_change *change);
/* Unix seconds up to GZ_TIME_MAX. */
const char *gz_time_fault(sqlite3_stmt *row, int column);
/* A whole number from `least` to GZ_COUNTER_MAX. */
const char *gz_counter_fault(sqlite3_stmt *row, int column, int64_t least);

/* Puts the fault of a point on the path of a node into `error`, and returns GZ_STORAGE. */
GZ_MUST_USE enum gz_status gz_point_fail(struct gz_error *error, uint64_t node, uint64_t seq,
                                         const char *fault);
/* Puts the fault of a row into `error`, and returns GZ_STORAGE. */
GZ_MUST_USE enum gz_status gz_row_fail(struct gz_error *error, const char *table, int64_t row,
                                       const char *fault);

#endif
