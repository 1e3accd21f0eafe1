/* long_history.c - see long_history.h. */
#include "support/long_history.h"

#include <sqlite3.h>

#include "support/cmocka.h"

/* ?1: the nodes, ?2: the edits, ?3: the time. Edit i + 1 moves its node to x = i. */
static const char *const statements[] = {
    "PRAGMA journal_mode = OFF",
    "PRAGMA synchronous = OFF",
    "BEGIN",
    "CREATE TEMP TABLE made AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
    " WHERE i < ?2) SELECT i, i * 7919 % ?1 + 1 AS node, i + ?1 AS seq,"
    " CAST(i - ?1 AS REAL) AS was FROM n",
    "INSERT INTO edits (id, kind, epoch, user, began, ended, began_seq, seq, residual)"
    " SELECT i + 1, 'set', (SELECT max(epoch) FROM epochs), iif(i % 2, 'anna', 'ben'),"
    " ?3 + i, ?3 + i + 0.9, seq - 1, seq, 0.0 FROM made",
    "INSERT INTO changes SELECT m.i + 1, 0, m.node, m.seq, 'change', c.after_parent, c.after_name,"
    " iif(m.was < 1, c.after_tx, m.was), c.after_ty, c.after_tz, c.after_rx, c.after_ry,"
    " c.after_rz, c.after_rw, c.after_sx, c.after_sy, c.after_sz, c.after_min_x, c.after_min_y,"
    " c.after_min_z, c.after_max_x, c.after_max_y, c.after_max_z, c.after_asset, c.after_parent,"
    " c.after_name, CAST(m.i AS REAL), c.after_ty, c.after_tz, c.after_rx, c.after_ry, c.after_rz,"
    " c.after_rw, c.after_sx, c.after_sy, c.after_sz, c.after_min_x, c.after_min_y, c.after_min_z,"
    " c.after_max_x, c.after_max_y, c.after_max_z, c.after_asset"
    " FROM made m JOIN changes c ON c.edit = 1 AND c.node = m.node ORDER BY m.i",
    "UPDATE nodes SET seq = m.seq, tx = CAST(m.i AS REAL)"
    " FROM (SELECT node, max(seq) AS seq, max(i) AS i FROM made GROUP BY node) m"
    " WHERE m.node = nodes.id",
    "UPDATE scene SET seq = ?1 + ?2, next_edit = 2 + ?2, time = ?3 + ?2 + 1",
    "COMMIT",
    "DROP TABLE made",
};

void long_history_add(const char *path, uint64_t nodes, uint64_t edits, double time)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++) {
        sqlite3_stmt *statement;
        if (sqlite3_prepare_v2(db, statements[i], -1, &statement, NULL) != SQLITE_OK)
            fail_msg("%s", sqlite3_errmsg(db));
        const int values = sqlite3_bind_parameter_count(statement);
        if (values > 0) sqlite3_bind_int64(statement, 1, (sqlite3_int64)nodes);
        if (values > 1) sqlite3_bind_int64(statement, 2, (sqlite3_int64)edits);
        if (values > 2) sqlite3_bind_double(statement, 3, time);
        int rc = sqlite3_step(statement);
        if (rc != SQLITE_DONE && rc != SQLITE_ROW) fail_msg("%s", sqlite3_errmsg(db));
        sqlite3_finalize(statement);
    }
    sqlite3_close(db);
}
