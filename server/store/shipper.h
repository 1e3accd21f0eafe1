/* shipper.h - sends the transactions of an open store to a log (ship.h): the rows written between
 * gz_shipper_begin and gz_shipper_append are one change, which includes the file's next place.
 * Without shipping these functions do nothing. Threads: those of the connection. */
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
    uint64_t first; /* the first change of its log */
    /* of the running transaction */
    struct sqlite3_session *session;
    struct gz_change_bytes {
        void *data; /* SQLite's */
        size_t size;
    } bytes;
    bool may_be_in_log; /* it is, or that is unknown */
    /* No more may be written: the log has another writer; the log has a change that the file may
     * lack. */
    bool is_fenced, is_behind;
    /* Nanoseconds that all appends took, and the start of the running one by uv_hrtime; 0 for none.
     * Another thread may read them. */
    atomic_uint_least64_t append_ns, append_from_ns;
};

/* The connection stays the caller's, and outlives the shipper. A file that is opened without
 * shipping loses its place in the log. */
GZ_MUST_USE enum gz_status gz_shipper_init(struct gz_shipper *shipper, sqlite3 *db,
                                           const struct gz_shipping *shipping,
                                           struct gz_error *error);
void gz_shipper_finish(struct gz_shipper *shipper);

/* Reads the place from a file of this build's schema, without a check of the numbers; `version`
 * stays as it is. */
GZ_MUST_USE enum gz_status gz_shipper_read_place(sqlite3 *db, struct gz_place *place,
                                                 struct gz_error *error);

/* Call it after BEGIN. SQLITE_OK, or SQLite's code. */
GZ_MUST_USE int gz_shipper_begin(struct gz_shipper *shipper);
/* Call it with all batches of the transaction before they are written: makes changes visible that
 * the session extension would miss. */
GZ_MUST_USE int gz_shipper_prepare(struct gz_shipper *shipper, const struct gz_batch *first);
/* Call it before COMMIT: sends the change, if anything was written. The status is that of `append`
 * in ship.h. */
GZ_MUST_USE enum gz_status gz_shipper_append(struct gz_shipper *shipper, struct gz_error *error);
/* Nanoseconds spent so far waiting for the log. Any thread. */
uint64_t gz_shipper_waited_ns(const struct gz_shipper *shipper);
/* Call it after COMMIT or ROLLBACK; fine if no transaction was begun. */
void gz_shipper_end(struct gz_shipper *shipper, bool is_committed);

#endif
