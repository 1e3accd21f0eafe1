/* writer.h - writes batches as rows. One connection, its statements kept; a batch is one
 * transaction. Threads: one at a time. */
#ifndef GZ_STORE_WRITER_H
#define GZ_STORE_WRITER_H

#include <sqlite3.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "proto/base/log.h"
#include "proto/base/status.h"
#include "scene/record.h"
#include "store/kept.h"
#include "store/paths.h"
#include "store/shipper.h"
#include "store/sql.h"

struct gz_writer {
    sqlite3 *db;
    struct gz_shipper *shipper;
    sqlite3_stmt *statements[GZ_SQL_WRITER_COUNT];
    uint64_t epoch; /* of the sessions that batches speak of */
    enum gz_recorded recorded;
    struct gz_paths paths;
    bool is_waiting;       /* for another program's lock, for as long as GZ_LOCK_SECONDS_MAX */
    atomic_bool is_ending; /* set from another thread: no lock is waited for any more */
    int wal_pages;         /* in the WAL after the last commit */
    /* The log's file: SQLite writes on into a file that has no name any more. */
    const char *wal_path;
    ino_t wal_inode;
    dev_t wal_device;
};

/* Takes the shipper's connection, which has a log at `wal_path`, over only if it succeeds. The
 * shipper and the path stay the caller's. */
GZ_MUST_USE enum gz_status gz_writer_init(struct gz_writer *writer, struct gz_shipper *shipper,
                                          const char *wal_path, uint64_t epoch,
                                          enum gz_recorded recorded, struct gz_error *error);
/* Closes the connection too, and finishes the shipper. */
void gz_writer_finish(struct gz_writer *writer);

/* Writes a list of batches in one transaction. After a failure nothing of them is left, but in the
 * log if the shipper then is_behind. */
GZ_MUST_USE enum gz_status gz_writer_commit(struct gz_writer *writer, struct gz_batch *first,
                                            struct gz_error *error);

/* Whether the file was moved, replaced or deleted since it was opened: everything written to it
 * then would be lost with the process. */
bool gz_writer_has_moved(struct gz_writer *writer);
/* The same of its log. */
bool gz_writer_has_lost_log(const struct gz_writer *writer);
/* Copies all of the log into the file, from the log that SQLite has open, whatever has its name.
 * False if not all of it came through. */
bool gz_writer_save_log(struct gz_writer *writer);

/* Copies the log into the database as far as readers allow; with `truncate` also empties the log's
 * file, which needs that nobody reads. False if that did not happen. Never waits for a reader. */
bool gz_writer_wal_checkpoint(struct gz_writer *writer, bool truncate);

#endif
