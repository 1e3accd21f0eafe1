/* wal.h - SQLite's write-ahead log: the file, what is in it, and when it is copied into the
 * database. */
#ifndef GZ_STORE_WAL_H
#define GZ_STORE_WAL_H

#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "proto/limits.h"
#include "store/file_check.h"

/* ---- wal file ---- */

/* Gathers what SQLite writes to the log of one connection. SQLite writes a page as two
 * pieces, its header and its bytes; here these become whole blocks of the file. A block that is not
 * whole is written before the file is synchronized, read, or asked about. The connection must
 * synchronize each commit (synchronous = FULL), because from then on other connections read its
 * pages. Threads: those of the connection. */

/* A block is written at once. It is a page of the kernel, which counts what is written in pages. */
#define GZ_WAL_BLOCK_BYTES 4096

struct gz_wal_file {
    sqlite3_io_methods methods;    /* first: the file of SQLite points to it */
    sqlite3_file *file;            /* SQLite's; NULL: nothing is gathered */
    const sqlite3_io_methods *own; /* the methods that the file had before */
    /* The last bytes that SQLite wrote, which are in no block that is whole. */
    size_t size;
    sqlite3_int64 offset;
    unsigned char bytes[GZ_WAL_BLOCK_BYTES];
};

/* The connection has opened its log. `wal` must not move in memory until it is finished, which
 * comes before the connection is closed. */
void gz_wal_file_init(struct gz_wal_file *wal, sqlite3 *db);
void gz_wal_file_finish(struct gz_wal_file *wal);

/* ---- wal read ---- */

/* Looks at the write-ahead log of a database as SQLite will read it after a crash. It
 * reads the log's file itself, which no lock of SQLite is on. Paths are those of the database,
 * which gz_file_check has accepted. Threads: any. */

/* Whether there is a log that holds anything. */
bool gz_wal_holds(const char *path);
/* A number that the log keeps from its first change until it is deleted, however often it begins
 * anew, and that another log has by chance only. It changes if another program than the server
 * begins the log anew. False if the log has no header, or a damaged one. */
bool gz_wal_life(const char *path, uint32_t *life);
/* SQLite reads a log up to the first page that is not as it was written, because a crash leaves
 * such pages at the end. Puts a sentence into `fault` if there are commits after that page; else it
 * is empty. They were acknowledged if each commit of the log was synchronized; if not, a loss of
 * power leaves such logs, too. Damage in the last commit looks like a crash. */
void gz_wal_check(const char *path, char fault[GZ_ERROR_BYTES_MAX]);

/* ---- checkpointer ---- */

/* Copies the write-ahead log into the database while its writer goes on. The
 * thread and the connection that do so exist only meanwhile. What the writer commits during the
 * last pass is not copied: the writer then does a checkpoint of its own, which is short. Threads:
 * the writer's. */

struct gz_checkpointer {
    /* The database and its log: they are left alone if another file has one of their names. */
    struct gz_named_file file, log;
    uv_thread_t thread;
    bool has_thread, has_much;
    atomic_bool is_over; /* the thread has nothing left to do */
};

/* Starts a copy, if none is running. The database is synchronized before the last pass if the log
 * has much: the writer's checkpoint would take long to do so, but a page that changes again is then
 * written once more. False if there is no thread for it. */
GZ_MUST_USE bool gz_checkpointer_start(struct gz_checkpointer *checkpointer, bool has_much);
/* Waits for the end of a copy that is running. */
void gz_checkpointer_finish(struct gz_checkpointer *checkpointer);

#endif
