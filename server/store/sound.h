/* sound.h - whether what a row says can be: a file that comes from elsewhere, or was damaged, may
 * say anything. Each function returns NULL, or in words what is wrong, for after "row 7: ".
 * Threads: those of the statement's connection. */
#ifndef GZ_STORE_SOUND_H
#define GZ_STORE_SOUND_H

#include <sqlite3.h>

#include "scene/record.h"

/* How many columns {trs} and {content} of sql/rows.sql are. */
enum { GZ_TRS_COLUMN_COUNT = 10, GZ_CONTENT_COLUMN_COUNT = 19 };

/* A text: UTF-8 without NUL, of at most so many bytes. */
const char *gz_text_fault(sqlite3_stmt *row, int column, size_t bytes_max);
/* The columns {content}, as gz_read_content read them into `content`. */
const char *gz_content_fault(sqlite3_stmt *row, int column, const struct gz_content *content);
/* The columns {change}, as gz_read_change read them. */
const char *gz_change_fault(sqlite3_stmt *row, const struct gz_change *change);
/* Unix seconds up to GZ_TIME_MAX. */
const char *gz_time_fault(sqlite3_stmt *row, int column);
/* A whole number from `least` to GZ_COUNTER_MAX. */
const char *gz_counter_fault(sqlite3_stmt *row, int column, int64_t least);

/* Says in `error` what is wrong with a row, and returns GZ_STORAGE. */
GZ_MUST_USE enum gz_status gz_row_fail(struct gz_error *error, const char *table, int64_t row,
                                       const char *fault);

#endif
