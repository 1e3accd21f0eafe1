/* database.h - a connection to a scene's file, and what every connection has in common: safety
 * settings, the schema's version, SQLite's return codes as statuses with words. Threads: a
 * connection belongs to one thread at a time. Errors: GZ_STORAGE with SQLite's words, unless said
 * otherwise. */
#ifndef GZ_STORE_DATABASE_H
#define GZ_STORE_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "proto/base/status.h"
#include "store/gate.h"

/* Says in `error` what SQLite said, after `doing`, and returns the status: GZ_TOO_LARGE for a
 * reader that ran out of time, else GZ_STORAGE. */
enum gz_status gz_db_fail(sqlite3 *db, int rc, struct gz_error *error, const char *doing);

/* Of a file of our own, as gate.h says; one that `flags` make is. No trigger fires and no view is
 * read by the connection, until gz_db_trust_triggers. GZ_UNKNOWN_SCENE if there is no file and
 * `flags` do not make one. With SQLITE_OPEN_MEMORY there is no file. */
GZ_MUST_USE enum gz_status gz_db_open(const char *path, int flags, sqlite3 **db,
                                      struct gz_error *error);
/* Once it is known that the schema is ours. */
void gz_db_trust_triggers(sqlite3 *db);
GZ_MUST_USE enum gz_status gz_db_exec(sqlite3 *db, const char *sql, struct gz_error *error);
/* Prepares statements that are kept; the caller finalizes them, after an error too. */
GZ_MUST_USE enum gz_status gz_db_prepare_all(sqlite3 *db, const char *const *sql, int count,
                                             sqlite3_stmt **statements, struct gz_error *error);
/* The first column of the first row; 0 if that is NULL or there is no row. */
GZ_MUST_USE enum gz_status gz_db_integer(sqlite3 *db, const char *sql, int64_t *value,
                                         struct gz_error *error);

/* Unix seconds. */
double gz_db_now(void);

/* Refuses a file that is not a scene's (GZ_STORAGE), and one whose schema is newer than this
 * build's or from before the first release (GZ_VERSION). Changes nothing. */
GZ_MUST_USE enum gz_status gz_db_identify(sqlite3 *db, struct gz_error *error);
/* What the numbered file says that makes this version of the one before. The schema is ours: the
 * file may change its text. */
GZ_MUST_USE enum gz_status gz_db_apply(sqlite3 *db, int64_t version, struct gz_error *error);
/* Brings the schema up to this build's version, one transaction for each number. */
GZ_MUST_USE enum gz_status gz_db_migrate(sqlite3 *db, struct gz_error *error);
/* A write-ahead log, which the caller copies into the database. A commit is safe from a loss of
 * power only with the next one under PRAGMA synchronous = FULL, which the caller sets: the commits
 * of gz_db_migrate need no synchronization each. */
GZ_MUST_USE enum gz_status gz_db_use_wal(sqlite3 *db, struct gz_error *error);

/* A connection that cannot write, in a read transaction of its own, and how long its statements may
 * still run. */
struct gz_db_reader {
    sqlite3 *db;
    uint64_t deadline_ns; /* by uv_hrtime, or by the time of the thread on a processor */
    bool is_by_processor;
    bool is_still; /* it sees the file without a log */
};
/* The reader stays where it is in memory until it is closed. A file that has no log and cannot be
 * written, or is only looked at (GZ_GATE_ANY), is read as one that stands still: that works in a
 * folder that cannot be written, and leaves no trace beside the file. The rows make no sense if
 * somebody begins to write meanwhile. */
GZ_MUST_USE enum gz_status gz_db_reader_open(struct gz_db_reader *reader, const char *path,
                                             enum gz_gate_owner owner, struct gz_error *error);
/* Nanoseconds by the clock of its deadline. */
uint64_t gz_db_reader_now(const struct gz_db_reader *reader);
void gz_db_reader_close(struct gz_db_reader *reader);

#endif
