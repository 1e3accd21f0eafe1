/* shipper.h - the transactions of an open store on their way to a log (ship.h): what is written
 * between gz_shipper_begin and gz_shipper_append is one change, with the next place of the file in
 * it. Without shipping all of this does nothing. Threads: those of the connection. */
#ifndef GZ_STORE_SHIPPER_H
#define GZ_STORE_SHIPPER_H

#include <sqlite3.h>
#include <stdatomic.h>

#include "scene/record.h"
#include "store/ship.h"
#include "store/sql.h"

struct gz_shipper {
    const struct gz_shipping *shipping; /* NULL: none */
    sqlite3 *db;
    sqlite3_stmt *statements[GZ_SQL_SHIP_COUNT];
    uint64_t n;     /* the place of the file */
    uint64_t first; /* the first one of its log */
    /* of the transaction that runs */
    struct sqlite3_session *session;
    struct gz_change_bytes {
        void *data; /* SQLite's */
        size_t size;
    } bytes;
    bool may_be_in_log; /* it is, or nobody knows */
    /* Nothing is to be written any more: the log has another writer, or a change that the file may
     * lack. */
    bool is_fenced, is_behind;
    /* Nanoseconds that all appends took, and by uv_hrtime when the one that runs began; 0 for none.
     * Another thread may read them. */
    atomic_uint_least64_t append_ns, append_from_ns;
};

/* The connection stays the caller's, and open longer than this. A file that is opened without
 * shipping leaves its place in the log. */
GZ_MUST_USE enum gz_status gz_shipper_init(struct gz_shipper *shipper, sqlite3 *db,
                                           const struct gz_shipping *shipping,
                                           struct gz_error *error);
void gz_shipper_finish(struct gz_shipper *shipper);

/* The place in a file of this build's schema, with no look at what its numbers are. `version` is
 * left as it is. */
GZ_MUST_USE enum gz_status gz_shipper_read_place(sqlite3 *db, struct gz_place *place,
                                                 struct gz_error *error);

/* After BEGIN: SQLITE_OK, or SQLite's code. */
GZ_MUST_USE int gz_shipper_begin(struct gz_shipper *shipper);
/* Before these batches are written, all that the transaction consists of: the session extension
 * cannot see all that they will do, and what it would miss is made visible. */
GZ_MUST_USE int gz_shipper_prepare(struct gz_shipper *shipper, const struct gz_batch *first);
/* Before COMMIT: sends the change, if anything was written. What became of it is said by the status
 * as in ship.h. */
GZ_MUST_USE enum gz_status gz_shipper_append(struct gz_shipper *shipper, struct gz_error *error);
/* Nanoseconds for which the log was waited for, up to now. Any thread. */
uint64_t gz_shipper_waited_ns(const struct gz_shipper *shipper);
/* After COMMIT or ROLLBACK; does no harm where nothing was begun. */
void gz_shipper_end(struct gz_shipper *shipper, bool is_committed);

#endif
