/* writer.h - batches into rows. One connection, its statements kept; what is handed over together
 * is one transaction. Threads: one at a time. */
#ifndef GZ_STORE_WRITER_H
#define GZ_STORE_WRITER_H

#include <sqlite3.h>
#include <stdatomic.h>

#include "proto/base/log.h"
#include "scene/record.h"
#include "store/paths.h"
#include "store/store.h"

enum gz_write {
    GZ_WRITE_BEGIN,
    GZ_WRITE_COMMIT,
    GZ_WRITE_ROLLBACK,
    GZ_WRITE_SCENE,
    GZ_WRITE_JOINED,
    GZ_WRITE_LEFT,
    GZ_WRITE_NODE,
    GZ_WRITE_EDIT,
    GZ_WRITE_CHANGE,
    GZ_WRITE_SAMPLE,
    GZ_WRITE_REST,
    GZ_WRITE_FORGET_SAMPLE,
    GZ_WRITE_FORGET_CHANGES,
    GZ_WRITE_FORGET_SAMPLES,
    GZ_WRITE_FORGET_UNCHANGED,
    GZ_WRITE_FORGET_EDIT,
    GZ_WRITE_ASSET,
    GZ_WRITE_NOTE,
    GZ_WRITE_NOTE_KEY,
    GZ_WRITE_CHECKPOINT,
    GZ_WRITE_FORGET_CHECKPOINT,
    GZ_WRITE_KEPT_SINCE,
    GZ_WRITE_COUNT
};

struct gz_writer {
    sqlite3 *db;
    sqlite3_stmt *statements[GZ_WRITE_COUNT];
    uint64_t epoch; /* of the sessions that batches speak of */
    enum gz_recorded recorded;
    struct gz_paths paths;
    bool is_waiting;       /* for another program's lock, for as long as GZ_LOCK_SECONDS_MAX */
    atomic_bool is_ending; /* set from another thread: no lock is waited for any more */
    int wal_pages;         /* in the WAL after the last commit */
};

/* Takes the connection over only where it succeeds. */
GZ_MUST_USE enum gz_status gz_writer_init(struct gz_writer *writer, sqlite3 *db, uint64_t epoch,
                                          enum gz_recorded recorded, struct gz_error *error);
/* Closes the connection too. */
void gz_writer_finish(struct gz_writer *writer);

/* One transaction of all of these: begin, add each, end. After a failure of any step nothing of it
 * is left, and `end` need not be called. */
GZ_MUST_USE enum gz_status gz_writer_begin(struct gz_writer *writer, struct gz_error *error);
GZ_MUST_USE enum gz_status gz_writer_add(struct gz_writer *writer, struct gz_batch *batch,
                                         struct gz_error *error);
GZ_MUST_USE enum gz_status gz_writer_end(struct gz_writer *writer, struct gz_error *error);

/* Whether the file is not where it was opened any more: what is written to it then would be lost
 * with the process. */
bool gz_writer_has_moved(struct gz_writer *writer);

/* Copies what is in the WAL into the database as far as readers allow; with `truncate` also empties
 * the file, which needs that nobody reads. False where that did not happen. Never waits for a
 * reader. */
bool gz_writer_checkpoint(struct gz_writer *writer, bool truncate);

#endif
