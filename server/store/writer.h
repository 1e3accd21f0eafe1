/* writer.h - writes batches as rows. One connection, its statements kept; a batch is one
 * transaction. Threads: one at a time. */
#ifndef GZ_STORE_WRITER_H
#define GZ_STORE_WRITER_H

#include <sqlite3.h>
#include <stdatomic.h>

#include "proto/base/log.h"
#include "proto/base/status.h"
#include "scene/record.h"
#include "store/kept.h"
#include "store/path.h"
#include "store/shipper.h"
#include "store/sql.h"
#include "store/wal.h"

struct gz_writer {
    sqlite3 *db;
    struct gz_shipper *shipper;
    sqlite3_stmt *statements[GZ_SQL_WRITER_COUNT];
    uint64_t epoch; /* of the sessions in the batches */
    enum gz_recorded recorded;
    struct gz_paths paths;
    bool has_told; /* to be written with the next transaction */
    struct gz_told told;
    bool is_waiting;       /* waits up to GZ_LOCK_SECONDS_MAX for another program's lock */
    atomic_bool is_ending; /* set from another thread: wait for no lock any more */
    struct gz_wal_file wal_file;
    struct gz_checkpointer checkpointer; /* SQLite keeps writing to files that lost their names */
    int wal_pages;                       /* in the log after the last commit */
    uint64_t wal_bytes;                  /* of the log's file, which stays large for its next use */
};

/* Takes over the shipper's connection, whose log is at `wal_path`, if it succeeds. The shipper and
 * the path stay the caller's. */
GZ_MUST_USE enum gz_status gz_writer_init(struct gz_writer *writer, struct gz_shipper *shipper,
                                          const char *wal_path, uint64_t epoch,
                                          enum gz_recorded recorded, struct gz_error *error);
/* Closes the connection too, and finishes the shipper. */
void gz_writer_finish(struct gz_writer *writer);

/* Writes a list of batches, or none, in one transaction, and `told`. A failure leaves no trace of
 * them, except in the log if the shipper is_behind. */
GZ_MUST_USE enum gz_status gz_writer_commit(struct gz_writer *writer, struct gz_batch *first,
                                            struct gz_error *error);

/* Whether the file was moved, replaced or deleted since it was opened, so that what is written
 * would be lost. */
bool gz_writer_has_moved(struct gz_writer *writer);
/* The same for its log; else reads the size of the log. */
bool gz_writer_has_lost_log(struct gz_writer *writer);
/* Copies the whole log that SQLite has open into the file, even if the log has lost its name. False
 * if not all of it was copied. */
bool gz_writer_save_log(struct gz_writer *writer);

/* Copies the log into the database as far as readers allow; with `truncate` also empties the log's
 * file, which no reader may be using. False if that did not happen. Waits for the checkpointer, but
 * never for a reader. */
bool gz_writer_wal_checkpoint(struct gz_writer *writer, bool truncate);

#endif
