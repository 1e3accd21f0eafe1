#include "store/retention.h"

#include "server/maxima.h"
#include "store/database.h"
#include "store/rows.h"

static const char *const sql[GZ_RETENTION_STATEMENTS] = {
    [GZ_RETENTION_BEGIN] = "BEGIN IMMEDIATE",
    [GZ_RETENTION_COMMIT] = "COMMIT",
    [GZ_RETENTION_NEXT] =
        "SELECT id, seq, ended, (SELECT step FROM kept), seq > (SELECT since FROM kept) FROM edits"
        " WHERE seq > (SELECT swept FROM kept) ORDER BY seq LIMIT 1",
    [GZ_RETENTION_MARK] = "UPDATE kept SET since = max(since, ?), swept = ?, step = ?",
    [GZ_RETENTION_CHANGES] =
        "SELECT node, step FROM changes WHERE edit = ? AND step >= ? ORDER BY step",
    [GZ_RETENTION_FIND_EARLIER] =
        "SELECT change, edit FROM (SELECT c.rowid AS change, c.edit, c.seq, e.began_seq FROM "
        "changes c"
        " JOIN edits e ON e.id = c.edit WHERE c.node = ?1 AND c.seq < ?2 ORDER BY c.seq DESC, "
        "c.step DESC LIMIT 1) p"
        " WHERE NOT EXISTS (SELECT 1 FROM checkpoints k WHERE (k.seq >= p.seq AND k.seq < ?2)"
        " OR (k.seq > p.began_seq AND k.seq < p.seq))",
    [GZ_RETENTION_FORGET_CHANGE] = "DELETE FROM changes WHERE rowid = ?",
    [GZ_RETENTION_FORGET_SAMPLES] =
        "DELETE FROM samples WHERE edit = ?1 AND (node, seq) IN"
        " (SELECT node, seq FROM samples WHERE edit = ?1 LIMIT ?2) AND NOT EXISTS (SELECT 1"
        " FROM edits e JOIN checkpoints k ON k.seq > e.began_seq AND k.seq < e.seq"
        " WHERE e.id = ?1)",
    [GZ_RETENTION_FORGET_EDIT] =
        "DELETE FROM edits WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM changes WHERE edit = ?1)",
};

enum gz_status gz_retention_init(struct gz_retention *keep, sqlite3 *db,
                                 struct gz_retention_rule rule, struct gz_error *error)
{
    *keep = (struct gz_retention){.rule = rule, .db = db};
    int64_t since = 0, edits = 0;
    enum gz_status status = gz_db_integer(db, "SELECT since FROM kept", &since, error);
    keep->since = (uint64_t)since;
    if (status != GZ_OK || !gz_retention_is_on(keep)) return status;
    status = gz_db_integer(db, "SELECT count(*) FROM edits WHERE seq > (SELECT since FROM kept)",
                           &edits, error);
    for (int i = 0; status == GZ_OK && i < GZ_RETENTION_STATEMENTS; i++)
        status = gz_db_prepare(db, sql[i], &keep->statements[i], error);
    keep->edits = (uint64_t)edits;
    if (status != GZ_OK) gz_retention_finish(keep);
    return status;
}

void gz_retention_finish(struct gz_retention *keep)
{
    for (int i = 0; i < GZ_RETENTION_STATEMENTS; i++) sqlite3_finalize(keep->statements[i]);
    *keep = (struct gz_retention){0};
}

bool gz_retention_is_on(const struct gz_retention *keep)
{
    return keep->rule.seconds > 0 || keep->rule.edits > 0;
}

void gz_retention_count(struct gz_retention *keep, uint64_t edits)
{
    keep->edits += edits;
}

/* With as many values as it takes. */
static int run(struct gz_retention *keep, enum gz_retention_statement which, const uint64_t *values)
{
    struct gz_bind bind = gz_bind_begin(keep->statements[which]);
    int count = sqlite3_bind_parameter_count(bind.statement);
    for (int i = 0; i < count; i++) gz_bind_integer(&bind, values[i]);
    return gz_bind_run(&bind);
}

/* The edit that the horizon comes to, or that it has come to and which is not done with. */
struct passed {
    uint64_t id, seq, step; /* of its changes, those before `step` are done */
    double ended;
    bool is_new; /* the horizon is before it */
};

/* False where there is none, or with an error in *rc. */
static bool find_next(struct gz_retention *keep, struct passed *edit, int *rc)
{
    sqlite3_stmt *row = keep->statements[GZ_RETENTION_NEXT];
    *rc = sqlite3_step(row);
    bool is_found = *rc == SQLITE_ROW;
    if (is_found)
        *edit = (struct passed){.id = (uint64_t)sqlite3_column_int64(row, 0),
                                .seq = (uint64_t)sqlite3_column_int64(row, 1),
                                .ended = sqlite3_column_double(row, 2),
                                .step = (uint64_t)sqlite3_column_int64(row, 3),
                                .is_new = sqlite3_column_int(row, 4) != 0};
    sqlite3_reset(row);
    if (is_found || *rc == SQLITE_DONE) *rc = SQLITE_OK;
    return is_found;
}

static bool may_pass(const struct gz_retention *keep, const struct passed *edit, double now)
{
    double age_s = now - edit->ended;
    if (!edit->is_new) return true;
    if (keep->edits <= GZ_UNDO_EDITS_MAX || age_s < GZ_RETENTION_SECONDS_MIN) return false;
    return (keep->rule.edits > 0 && keep->edits > keep->rule.edits) ||
           (keep->rule.seconds > 0 && age_s > keep->rule.seconds);
}

/* The change that the node had before the seq is of no more use, unless to a checkpoint: one in
 * between, or inside of the drag that made the change. Nor is an edit that has no other. */
static int forget_earlier(struct gz_retention *keep, uint64_t node, uint64_t seq)
{
    sqlite3_stmt *row = keep->statements[GZ_RETENTION_FIND_EARLIER];
    sqlite3_bind_int64(row, 1, (sqlite3_int64)node);
    sqlite3_bind_int64(row, 2, (sqlite3_int64)seq);
    int rc = sqlite3_step(row);
    uint64_t change = (uint64_t)sqlite3_column_int64(row, 0),
             edit = (uint64_t)sqlite3_column_int64(row, 1);
    sqlite3_reset(row);
    if (rc != SQLITE_ROW) return rc == SQLITE_DONE ? SQLITE_OK : rc;
    rc = run(keep, GZ_RETENTION_FORGET_CHANGE, &change);
    return rc == SQLITE_OK ? run(keep, GZ_RETENTION_FORGET_EDIT, &edit) : rc;
}

/* Goes on with the edit's changes; true in *done where there are no more. */
static int pass_changes(struct gz_retention *keep, struct passed *edit, int *rows, bool *done)
{
    sqlite3_stmt *changes = keep->statements[GZ_RETENTION_CHANGES];
    sqlite3_bind_int64(changes, 1, (sqlite3_int64)edit->id);
    sqlite3_bind_int64(changes, 2, (sqlite3_int64)edit->step);
    int rc = SQLITE_ROW;
    while (*rows > 0 && (rc = sqlite3_step(changes)) == SQLITE_ROW) {
        rc = forget_earlier(keep, (uint64_t)sqlite3_column_int64(changes, 0), edit->seq);
        if (rc != SQLITE_OK) break;
        edit->step = (uint64_t)sqlite3_column_int64(changes, 1) + 1;
        --*rows;
    }
    sqlite3_reset(changes);
    *done = rc == SQLITE_DONE;
    return rc == SQLITE_DONE || rc == SQLITE_ROW ? SQLITE_OK : rc;
}

/* As much of one edit as `rows` allow, at least one. */
static int pass(struct gz_retention *keep, struct passed *edit, int *rows)
{
    bool done = false;
    int rc = run(keep, GZ_RETENTION_FORGET_SAMPLES, (uint64_t[]){edit->id, (uint64_t)*rows});
    *rows -= sqlite3_changes(keep->db) + 1;
    if (rc == SQLITE_OK && *rows > 0) rc = pass_changes(keep, edit, rows, &done);
    if (rc != SQLITE_OK) return rc;
    return run(keep, GZ_RETENTION_MARK,
               done ? (uint64_t[]){edit->seq, edit->seq, 0}
                    : (uint64_t[]){edit->seq, edit->seq - 1, edit->step});
}

/* In a transaction, edit by edit until it is large enough. */
static int pass_some(struct gz_retention *keep, double now)
{
    int rc = SQLITE_OK;
    struct passed edit;
    for (int rows = GZ_RETENTION_ROWS_AT_ONCE; rc == SQLITE_OK && rows > 0;) {
        if (!find_next(keep, &edit, &rc) || !may_pass(keep, &edit, now)) break;
        rc = pass(keep, &edit, &rows);
        if (!edit.is_new) continue;
        keep->since = edit.seq;
        keep->edits--;
    }
    return rc;
}

enum gz_status gz_retention_step(struct gz_retention *keep, double now, bool *more,
                                 struct gz_error *error)
{
    struct passed edit;
    uint64_t since = keep->since, edits = keep->edits;
    int rc;
    *more = find_next(keep, &edit, &rc) && may_pass(keep, &edit, now);
    if (!*more) return rc == SQLITE_OK ? GZ_OK : gz_db_fail(keep->db, rc, error, "what is kept");
    rc = run(keep, GZ_RETENTION_BEGIN, NULL);
    if (rc == SQLITE_OK) rc = pass_some(keep, now);
    if (rc == SQLITE_OK) rc = run(keep, GZ_RETENTION_COMMIT, NULL);
    if (rc == SQLITE_OK) return GZ_OK;
    /* Another program has the file locked: there is no hurry. */
    bool is_later = (rc & 0xff) == SQLITE_BUSY;
    enum gz_status status =
        is_later ? GZ_OK : gz_db_fail(keep->db, rc, error, "the disk did not let go of the past");
    if (!sqlite3_get_autocommit(keep->db)) sqlite3_exec(keep->db, "ROLLBACK", NULL, NULL, NULL);
    keep->since = since;
    keep->edits = edits;
    *more = false;
    return status;
}
