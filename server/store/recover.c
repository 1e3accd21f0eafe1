/* recover.c - when a file is opened, closes drags and sessions that a crash left open, and begins
 * an epoch. */
#include "server/maxima.h"
#include "store/internal.h"
#include "store/rows.h"

/* Writes the row of the scene; one that was never opened has none yet. */
static int write_scene(sqlite3 *db, double time)
{
    struct gz_ask ask = gz_ask_prepare(db, gz_sql_recover[GZ_SQL_RECOVER_SCENE]);
    gz_bind_real(&ask, time);
    gz_bind_real(&ask, time);
    gz_bind_text(&ask, "gizmod " GIZMOD_VERSION);
    return gz_ask_run(&ask);
}

/* Epochs are numbered by the clock, so that a file that was restored from a backup does not reuse a
 * number that clients have seen. */
static int write_epoch(sqlite3 *db, double time, uint64_t epoch)
{
    struct gz_ask ask = gz_ask_prepare(db, gz_sql_recover[GZ_SQL_RECOVER_EPOCH]);
    gz_bind_integer(&ask, epoch);
    gz_bind_real(&ask, time);
    gz_bind_text(&ask, "gizmod " GIZMOD_VERSION);
    return gz_ask_run(&ask);
}

enum gz_status gz_find_epoch(sqlite3 *db, double time, uint64_t *epoch, struct gz_error *error)
{
    int64_t last;
    enum gz_status status =
        gz_db_integer(db, gz_sql_recover[GZ_SQL_RECOVER_LAST_EPOCH], &last, error);
    if (status == GZ_OK && (last < 0 || last > (int64_t)GZ_COUNTER_MAX))
        status = gz_row_fail(error, "epochs", last, "the epoch is invalid");
    if (status != GZ_OK) return status;
    double clock = time * 1000;
    *epoch = (uint64_t)last + 1;
    if (clock > (double)*epoch && clock < (double)GZ_ID_LIMIT) *epoch = (uint64_t)clock;
    return GZ_OK;
}

static enum gz_status recover(sqlite3 *db, double time, uint64_t *epoch, struct gz_error *error)
{
    int64_t unsampled;
    enum gz_status status = gz_find_epoch(db, time, epoch, error);
    if (status == GZ_OK)
        status = gz_db_integer(db, gz_sql_recover[GZ_SQL_RECOVER_UNSAMPLED], &unsampled, error);
    if (status != GZ_OK) return status;
    int rc = write_scene(db, time);
    if (rc == SQLITE_OK) rc = write_epoch(db, time, *epoch);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(db, gz_sql_recover[GZ_SQL_RECOVER_CLOSE_OPEN], NULL, NULL, NULL);
    if (rc == SQLITE_OK && unsampled > 0)
        rc = sqlite3_exec(db, gz_sql_recover[GZ_SQL_RECOVER_RENEW], NULL, NULL, NULL);
    return rc == SQLITE_OK ? GZ_OK : gz_db_fail(db, rc, error, "recovery");
}

enum gz_status gz_recover(sqlite3 *db, double time, struct gz_shipper *shipper, uint64_t *epoch,
                          struct gz_error *error)
{
    enum gz_status status = gz_db_exec(db, "BEGIN IMMEDIATE", error);
    int rc = status == GZ_OK ? gz_shipper_begin(shipper) : SQLITE_OK;
    if (rc != SQLITE_OK) status = gz_db_fail(NULL, rc, error, "recovery");
    if (status == GZ_OK) status = recover(db, time, epoch, error);
    if (status == GZ_OK) status = gz_shipper_append(shipper, error);
    if (status == GZ_OK) status = gz_db_exec(db, "COMMIT", error);
    if (status != GZ_OK && !sqlite3_get_autocommit(db))
        sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    gz_shipper_end(shipper, status == GZ_OK);
    return status;
}
