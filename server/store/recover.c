#include "proto/limits.h"
#include "store/internal.h"
#include "store/rows.h"

#define OPEN_EDITS "(SELECT o.id FROM edits o WHERE o.ended IS NULL)"
#define AFTER_IS_NODE                                                                              \
    "(" GZ_CONTENT_COLUMNS("after_") ") = (SELECT " GZ_CONTENT_COLUMNS(                            \
        "n.") " FROM nodes n WHERE n.id = node)"

/* What a killed server left open. The rows of the nodes are where its drags had come to; each such
 * drag becomes an edit that ended there, just after its last sample: no two things have one time.
 * Nodes that it never moved are not part of it, and a drag that moved none never was. */
static const char close_open_sql[] =
    "DELETE FROM changes WHERE edit IN " OPEN_EDITS
    " AND (SELECT n.seq FROM nodes n WHERE n.id = node) <= (SELECT e.began_seq FROM edits e WHERE "
    "e.id = edit);"

    "DELETE FROM samples WHERE edit IN " OPEN_EDITS
    " AND NOT EXISTS (SELECT 1 FROM changes c WHERE c.edit = samples.edit);"

    "DELETE FROM edits WHERE ended IS NULL AND NOT EXISTS (SELECT 1 FROM changes c WHERE c.edit = "
    "edits.id);"

    "UPDATE changes SET " AFTER_IS_NODE ", seq = (SELECT max(n.seq) FROM changes c JOIN nodes n ON "
    "n.id = c.node WHERE c.edit = changes.edit)"
    " WHERE edit IN " OPEN_EDITS ";"

    "UPDATE edits SET seq = o.seq, ended = 1e-6 * o.place + max(began, coalesce("
    "  (SELECT coalesce(s.until, s.time) FROM samples s WHERE s.edit = edits.id ORDER BY s.seq "
    "DESC LIMIT 1),"
    "  (SELECT time FROM scene)))"
    " FROM (SELECT edit, max(seq) AS seq, row_number() OVER (ORDER BY max(seq)) AS place FROM "
    "changes"
    "  WHERE edit IN " OPEN_EDITS " GROUP BY edit) o WHERE o.edit = edits.id;"

    "UPDATE sessions SET left = max(joined, (SELECT time FROM scene)) WHERE left IS NULL;";

/* A scene that was never opened has no row yet. */
static int write_scene(sqlite3 *db, double time)
{
    sqlite3_stmt *statement;
    int rc = sqlite3_prepare_v2(
        db,
        "INSERT OR IGNORE INTO scene (id, seq, time, next_node, next_edit, created, made_by)"
        " VALUES (1, 0, ?, 1, 1, ?, ?)",
        -1, &statement, NULL);
    if (rc != SQLITE_OK) return rc;
    struct gz_bind bind = gz_bind_begin(statement);
    gz_bind_real(&bind, time);
    gz_bind_real(&bind, time);
    gz_bind_text(&bind, "gizmod " GIZMOD_VERSION);
    rc = gz_bind_run(&bind);
    sqlite3_finalize(statement);
    return rc;
}

/* Epochs are numbered by the clock, so that a file put back from a backup does not count again what
 * clients have seen. */
static int write_epoch(sqlite3 *db, double time, uint64_t epoch)
{
    sqlite3_stmt *statement;
    int rc = sqlite3_prepare_v2(
        db, "INSERT INTO epochs (epoch, began, began_seq, server) SELECT ?, ?, seq, ? FROM scene",
        -1, &statement, NULL);
    if (rc != SQLITE_OK) return rc;
    struct gz_bind bind = gz_bind_begin(statement);
    gz_bind_integer(&bind, epoch);
    gz_bind_real(&bind, time);
    gz_bind_text(&bind, "gizmod " GIZMOD_VERSION);
    rc = gz_bind_run(&bind);
    sqlite3_finalize(statement);
    return rc;
}

static enum gz_status recover(sqlite3 *db, double time, uint64_t *epoch, struct gz_error *error)
{
    int64_t last;
    enum gz_status status = gz_db_integer(db, "SELECT max(epoch) FROM epochs", &last, error);
    if (status != GZ_OK) return status;
    double clock = time * 1000;
    *epoch = (uint64_t)last + 1;
    if (clock > (double)*epoch && clock < (double)GZ_ID_LIMIT) *epoch = (uint64_t)clock;
    int rc = write_scene(db, time);
    if (rc == SQLITE_OK) rc = sqlite3_exec(db, close_open_sql, NULL, NULL, NULL);
    if (rc == SQLITE_OK) rc = write_epoch(db, time, *epoch);
    return rc == SQLITE_OK ? GZ_OK : gz_db_fail(db, rc, error, "recovery");
}

enum gz_status gz_recover(sqlite3 *db, double time, uint64_t *epoch, struct gz_error *error)
{
    enum gz_status status = gz_db_exec(db, "BEGIN IMMEDIATE", error);
    if (status == GZ_OK) status = recover(db, time, epoch, error);
    if (status == GZ_OK) status = gz_db_exec(db, "COMMIT", error);
    if (status != GZ_OK && !sqlite3_get_autocommit(db))
        sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}
