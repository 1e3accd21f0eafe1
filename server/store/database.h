/* database.h - a connection to a scene's file: safety settings, the schema's version, and SQLite's
 * return codes as statuses. Threads: a connection belongs to one thread at a time. Errors:
 * GZ_STORAGE with SQLite's message, unless said otherwise. */
#ifndef GZ_STORE_DATABASE_H
#define GZ_STORE_DATABASE_H

#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "proto/base/status.h"
#include "store/file_check.h"

/* Puts `doing` and SQLite's message into `error`, and returns the status: GZ_TOO_LARGE for a reader
 * that ran out of time, else GZ_STORAGE. */
enum gz_status gz_db_fail(sqlite3 *db, int rc, struct gz_error *error, const char *doing);

/* Opens one of the server's own files (GZ_FILE_OURS), or creates it if `flags` say so. The
 * connection fires no trigger and reads no view until gz_db_trust_triggers. GZ_UNKNOWN_SCENE if
 * there is no file and `flags` do not create one. With SQLITE_OPEN_MEMORY there is no file. */
GZ_MUST_USE enum gz_status gz_db_open(const char *path, int flags, sqlite3 **db,
                                      struct gz_error *error);
/* Call it once the schema was compared with this build's. */
void gz_db_trust_triggers(sqlite3 *db);
GZ_MUST_USE enum gz_status gz_db_exec(sqlite3 *db, const char *sql, struct gz_error *error);
/* Prepares statements for repeated use; the caller finalizes them, after an error too. */
GZ_MUST_USE enum gz_status gz_db_prepare_all(sqlite3 *db, const char *const *sql, int count,
                                             sqlite3_stmt **statements, struct gz_error *error);
/* The first column of the first row; 0 if that is NULL or there is no row. */
GZ_MUST_USE enum gz_status gz_db_integer(sqlite3 *db, const char *sql, int64_t *value,
                                         struct gz_error *error);

/* Unix seconds. */
double gz_db_now(void);

/* Refuses a file that is not a scene's (GZ_STORAGE), and one whose schema has another version than
 * this build's (GZ_VERSION). An empty file passes. Changes nothing. */
GZ_MUST_USE enum gz_status gz_db_identify(sqlite3 *db, struct gz_error *error);
/* Runs the SQL files of the schema in an empty database, in the caller's transaction or in none. */
GZ_MUST_USE enum gz_status gz_db_write_schema(sqlite3 *db, struct gz_error *error);
/* Makes a scene's schema in an empty file, in one transaction. Any other file stays as it is. */
GZ_MUST_USE enum gz_status gz_db_make(sqlite3 *db, struct gz_error *error);
/* Switches to a write-ahead log, whose file is there afterwards, and which the caller copies into
 * the database. Commits are not synchronized until the caller sets PRAGMA synchronous = FULL; the
 * next commit then makes them safe from a loss of power. */
GZ_MUST_USE enum gz_status gz_db_use_wal(sqlite3 *db, struct gz_error *error);
/* Copies the write-ahead log into the database and truncates it, unless somebody reads it now. */
void gz_db_empty_log(sqlite3 *db);

/* A read-only connection in a read transaction of its own, with a deadline for its statements. */
struct gz_db_reader {
    sqlite3 *db;
    uint64_t deadline_ns; /* by uv_hrtime, or by the processor time of the thread */
    bool is_by_processor;
    bool is_still;       /* it reads the file without a log */
    bool is_rolled_back; /* a crash had left a journal, which was rolled back to open the file */
    /* Once it is true, statements end as if they had run out of time. NULL: never. */
    const atomic_bool *is_stopped;
};
/* The reader must not move in memory until it is closed. If a crash left a journal, only a
 * connection that can write makes the file readable: the file is owned for that moment. A file
 * without a log that cannot be written, or that is only looked at (GZ_FILE_ANY), is opened as
 * immutable: that works in a read-only folder, and leaves no file beside it. The rows are
 * inconsistent if another program begins to write meanwhile. */
GZ_MUST_USE enum gz_status gz_db_reader_open(struct gz_db_reader *reader, const char *path,
                                             enum gz_file_owner owner, struct gz_error *error);
/* Goes on with the file as it is now, so that its log can be emptied. No statement may be under
 * way. */
GZ_MUST_USE enum gz_status gz_db_reader_renew(struct gz_db_reader *reader, struct gz_error *error);
/* Nanoseconds on the clock of its deadline. */
uint64_t gz_db_reader_now(const struct gz_db_reader *reader);
void gz_db_reader_close(struct gz_db_reader *reader);

#endif
