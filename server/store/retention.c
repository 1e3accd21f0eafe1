/* retention.c - removes the past that is no longer kept. The statements are in
 * sql/retention.sql. */
#include "store/retention.h"

#include "server/maxima.h"
#include "store/database.h"
#include "store/rows.h"

enum gz_status gz_retention_init(struct gz_retention *retention, struct gz_shipper *shipper,
                                 struct gz_retention_rule rule, struct gz_error *error)
{
    sqlite3 *db = shipper->db;
    *retention = (struct gz_retention){.rule = rule, .db = db, .shipper = shipper};
    int64_t since = 0;
    enum gz_status status =
        gz_db_integer(db, gz_sql_retention[GZ_SQL_RETENTION_SINCE], &since, error);
    retention->since = retention->noted = (uint64_t)since;
    if (status != GZ_OK || !gz_retention_is_on(retention)) return status;
    status = gz_db_prepare_all(db, gz_sql_retention, GZ_SQL_RETENTION_COUNT, retention->statements,
                               error);
    if (status != GZ_OK) gz_retention_finish(retention);
    return status;
}

void gz_retention_finish(struct gz_retention *retention)
{
    for (int i = 0; i < GZ_SQL_RETENTION_COUNT; i++) sqlite3_finalize(retention->statements[i]);
    *retention = (struct gz_retention){0};
}

bool gz_retention_trusts(struct gz_retention_clock *clock, double wall_s, double monotonic_s)
{
    double ahead_s = wall_s - monotonic_s;
    if (ahead_s > clock->ahead_s + GZ_CLOCK_JUMP_SECONDS)
        clock->doubted_until_s = monotonic_s + GZ_CLOCK_DOUBT_SECONDS;
    clock->ahead_s = ahead_s;
    return monotonic_s >= clock->doubted_until_s;
}

bool gz_retention_is_on(const struct gz_retention *retention)
{
    return retention->rule.seconds > 0 || retention->rule.edits > 0;
}

void gz_retention_count(struct gz_retention *retention, uint64_t edits)
{
    if (retention->is_counted) retention->edits += edits;
}

/* One part of the work, in a transaction: SQLITE_OK, or SQLite's code. */
typedef int work(struct gz_retention *retention, double now);

static enum gz_status count_edits(struct gz_retention *retention, struct gz_error *error)
{
    int64_t edits = 0;
    if (retention->is_counted) return GZ_OK;
    enum gz_status status =
        gz_db_integer(retention->db, gz_sql_retention[GZ_SQL_RETENTION_COUNT_EDITS], &edits, error);
    retention->edits = (uint64_t)edits;
    retention->is_counted = status == GZ_OK;
    return status;
}

/* Begins a statement with integer values. */
static struct gz_ask start(struct gz_retention *retention, enum gz_sql_retention which,
                           const uint64_t *values)
{
    struct gz_ask ask = gz_ask_begin(retention->statements[which]);
    int count = sqlite3_bind_parameter_count(ask.statement);
    for (int i = 0; i < count; i++) gz_bind_integer(&ask, values[i]);
    return ask;
}

static int run(struct gz_retention *retention, enum gz_sql_retention which, const uint64_t *values)
{
    struct gz_ask ask = start(retention, which, values);
    return gz_ask_run(&ask);
}

/* The edit that the horizon reaches next, or that is not finished yet. */
struct passed {
    uint64_t id, seq, step; /* its changes before `step` are done */
    double ended;
    bool is_new; /* the horizon is still before it */
};

/* False if there is none, or with an error in *rc. */
static bool find_next(struct gz_retention *retention, struct passed *edit, int *rc)
{
    struct gz_ask ask = start(retention, GZ_SQL_RETENTION_NEXT, NULL);
    bool is_found = gz_ask_row(&ask);
    if (is_found)
        *edit = (struct passed){.id = (uint64_t)sqlite3_column_int64(ask.statement, 0),
                                .seq = (uint64_t)sqlite3_column_int64(ask.statement, 1),
                                .ended = sqlite3_column_double(ask.statement, 2),
                                .step = (uint64_t)sqlite3_column_int64(ask.statement, 3),
                                .is_new = sqlite3_column_int(ask.statement, 4) != 0};
    *rc = gz_ask_finish(&ask);
    return is_found && *rc == SQLITE_OK;
}

static bool may_pass(const struct gz_retention *retention, const struct passed *edit, double now)
{
    double age_s = now - edit->ended;
    if (!edit->is_new) return true;
    if (retention->edits <= GZ_UNDO_EDITS_MAX || age_s < GZ_RETENTION_SECONDS_MIN) return false;
    return (retention->rule.edits > 0 && retention->edits > retention->rule.edits) ||
           (retention->rule.seconds > 0 && age_s > retention->rule.seconds);
}

/* Removes the change that the node had before the seq, unless a checkpoint needs it, and the edit
 * of that change if it was the edit's only one. */
static int forget_earlier(struct gz_retention *retention, uint64_t node, uint64_t seq)
{
    struct gz_ask ask = start(retention, GZ_SQL_RETENTION_FIND_EARLIER, (uint64_t[]){node, seq});
    bool is_found = gz_ask_row(&ask);
    uint64_t change[2] = {0}; /* its edit and step */
    for (int i = 0; is_found && i < 2; i++)
        change[i] = (uint64_t)sqlite3_column_int64(ask.statement, i);
    int rc = gz_ask_finish(&ask);
    if (rc != SQLITE_OK || !is_found) return rc;
    rc = run(retention, GZ_SQL_RETENTION_FORGET_CHANGE, change);
    return rc == SQLITE_OK ? run(retention, GZ_SQL_RETENTION_FORGET_EDIT, change) : rc;
}

/* Goes on with the edit's changes; *done is true once there are no more. */
static int pass_changes(struct gz_retention *retention, struct passed *edit, int *rows, bool *done)
{
    struct gz_ask ask =
        start(retention, GZ_SQL_RETENTION_CHANGES, (uint64_t[]){edit->id, edit->step});
    int rc = SQLITE_OK;
    while (rc == SQLITE_OK && *rows > 0 && gz_ask_row(&ask)) {
        uint64_t node = (uint64_t)sqlite3_column_int64(ask.statement, 0);
        edit->step = (uint64_t)sqlite3_column_int64(ask.statement, 1) + 1;
        rc = forget_earlier(retention, node, edit->seq);
        --*rows;
    }
    *done = ask.rc == SQLITE_DONE;
    int read = gz_ask_finish(&ask);
    return rc == SQLITE_OK ? read : rc;
}

/* Removes what one edit makes unnecessary, up to `rows` rows, at least one. */
static int pass(struct gz_retention *retention, struct passed *edit, int *rows)
{
    bool done = false;
    int rc =
        run(retention, GZ_SQL_RETENTION_FORGET_SAMPLES, (uint64_t[]){edit->id, (uint64_t)*rows});
    *rows -= sqlite3_changes(retention->db) + 1;
    if (rc == SQLITE_OK && *rows > 0) rc = pass_changes(retention, edit, rows, &done);
    if (rc != SQLITE_OK) return rc;
    return run(retention, GZ_SQL_RETENTION_MARK,
               done ? (uint64_t[]){edit->seq, edit->seq, 0}
                    : (uint64_t[]){edit->seq, edit->seq - 1, edit->step});
}

/* Goes from edit to edit until the transaction is large enough. */
static int pass_some(struct gz_retention *retention, double now)
{
    int rc = SQLITE_OK;
    struct passed edit;
    for (int rows = GZ_RETENTION_ROWS_AT_ONCE; rc == SQLITE_OK && rows > 0;) {
        if (!find_next(retention, &edit, &rc) || !may_pass(retention, &edit, now)) break;
        rc = pass(retention, &edit, &rows);
        if (!edit.is_new) continue;
        retention->since = edit.seq;
        retention->edits--;
    }
    return rc;
}

/* Removes the bytes of a file that nothing needs any more. */
static int forget_file(struct gz_retention *retention, double now)
{
    (void)now;
    struct gz_ask ask =
        start(retention, GZ_SQL_RETENTION_FIND_UNUSED, (uint64_t[]){retention->looked});
    bool is_found = gz_ask_row(&ask);
    uint64_t first = is_found ? (uint64_t)sqlite3_column_int64(ask.statement, 0) : 0;
    int rc = gz_ask_finish(&ask);
    return rc == SQLITE_OK && is_found ? run(retention, GZ_SQL_RETENTION_FORGET_BYTES, &first) : rc;
}

/* Whether a file may be unused by what is gone for long enough. */
static bool has_unused(struct gz_retention *retention, double now, int *rc)
{
    if (now - retention->noted_s >= GZ_UNUSED_ASSET_SECONDS || retention->noted_s == 0) {
        retention->looked = retention->noted;
        retention->noted = retention->since;
        retention->noted_s = now;
        retention->is_looking = true;
    }
    if (!retention->is_looking) return false;
    struct gz_ask ask =
        start(retention, GZ_SQL_RETENTION_FIND_UNUSED, (uint64_t[]){retention->looked});
    retention->is_looking = gz_ask_row(&ask);
    *rc = gz_ask_finish(&ask);
    return retention->is_looking && *rc == SQLITE_OK;
}

/* Runs one transaction: the log has the change, or no trace is left. */
static enum gz_status step(struct gz_retention *retention, work *what, double now, int *rc,
                           struct gz_error *error)
{
    enum gz_status status = GZ_OK;
    *rc = run(retention, GZ_SQL_RETENTION_BEGIN, NULL);
    if (*rc == SQLITE_OK) *rc = gz_shipper_begin(retention->shipper);
    if (*rc == SQLITE_OK) *rc = what(retention, now);
    if (*rc == SQLITE_OK) status = gz_shipper_append(retention->shipper, error);
    if (*rc == SQLITE_OK && status == GZ_OK) *rc = run(retention, GZ_SQL_RETENTION_COMMIT, NULL);
    if (*rc != SQLITE_OK)
        status = gz_db_fail(retention->db, *rc, error, "old history could not be removed");
    if (!sqlite3_get_autocommit(retention->db))
        sqlite3_exec(retention->db, "ROLLBACK", NULL, NULL, NULL);
    gz_shipper_end(retention->shipper, status == GZ_OK);
    return status;
}

enum gz_status gz_retention_step(struct gz_retention *retention, double now, bool *more,
                                 struct gz_error *error)
{
    struct passed edit;
    int rc;
    *more = false;
    enum gz_status status = count_edits(retention, error);
    if (status != GZ_OK) return status;
    const uint64_t since = retention->since, edits = retention->edits;
    work *what = pass_some;
    *more = find_next(retention, &edit, &rc) && may_pass(retention, &edit, now);
    if (!*more && rc == SQLITE_OK && has_unused(retention, now, &rc)) {
        what = forget_file;
        *more = true;
    }
    if (!*more)
        return rc == SQLITE_OK ? GZ_OK
                               : gz_db_fail(retention->db, rc, error, "the retention of the past");
    status = step(retention, what, now, &rc, error);
    if (status == GZ_OK) return GZ_OK;
    retention->since = since;
    retention->edits = edits;
    *more = false;
    /* If another program has the file locked, the step is tried again later, unless the log has it
     * already. */
    return (rc & 0xff) == SQLITE_BUSY && !retention->shipper->is_behind ? GZ_OK : status;
}
