#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/limits.h"
#include "store/internal.h"
#include "store/rows.h"

/* ---- whether an edit is undone ---- */

/* The latest undo or redo of an edit, and whether it is an undo. */
static const char about_sql[] =
    "SELECT id, kind = 'undo' FROM edits WHERE target = ?1 AND kind IN ('undo', 'redo')"
    " AND seq > 0 ORDER BY seq DESC LIMIT 1";

/* What was done last about it, in *last, and whether that leaves it undone: an undo of an undo
 * leaves it done. `about` is about_sql, for use here. */
static enum gz_status find_last(sqlite3_stmt *about, uint64_t edit, uint64_t *last, bool *undone,
                                struct gz_error *error)
{
    int rc = SQLITE_ROW;
    *last = edit;
    *undone = false;
    while (rc == SQLITE_ROW) {
        sqlite3_bind_int64(about, 1, (sqlite3_int64)*last);
        rc = sqlite3_step(about);
        /* It comes later: where a damaged file says otherwise this ends all the same. */
        if (rc == SQLITE_ROW && (uint64_t)sqlite3_column_int64(about, 0) <= *last) rc = SQLITE_DONE;
        if (rc == SQLITE_ROW) {
            *last = (uint64_t)sqlite3_column_int64(about, 0);
            *undone ^= sqlite3_column_int(about, 1) != 0;
        }
        sqlite3_reset(about);
    }
    return rc == SQLITE_DONE ? GZ_OK
                             : gz_db_fail(sqlite3_db_handle(about), rc, error, "the history");
}

/* ---- history ---- */

static enum gz_status prepare_history(sqlite3 *db, const struct gz_query *query,
                                      sqlite3_stmt **rows, struct gz_error *error)
{
    char sql[1024];
    snprintf(sql, sizeof sql,
             "SELECT " GZ_EDIT_COLUMNS
             " FROM edits e WHERE e.ended IS NOT NULL AND +e.seq > (SELECT since FROM kept)%s%s%s%s"
             " ORDER BY e.ended DESC, e.seq DESC LIMIT ?5",
             query->node != 0 ? " AND e.id IN (SELECT c.edit FROM changes c WHERE c.node = ?1)"
                              : "",
             query->user[0] != '\0' ? " AND e.user = ?2" : "",
             isnan(query->since) ? "" : " AND e.ended > ?3",
             isnan(query->before) ? "" : " AND e.ended < ?4");
    return gz_db_prepare(db, sql, rows, error);
}

static void bind_history(sqlite3_stmt *rows, const struct gz_query *query, uint32_t limit)
{
    sqlite3_bind_int64(rows, 1, (sqlite3_int64)query->node);
    sqlite3_bind_text(rows, 2, query->user, -1, SQLITE_STATIC);
    sqlite3_bind_double(rows, 3, query->since);
    sqlite3_bind_double(rows, 4, query->before);
    sqlite3_bind_int64(rows, 5, limit);
}

static enum gz_status fail_memory(struct gz_error *error)
{
    return gz_fail(error, GZ_TOO_LARGE, "the answer is too large: ask for less");
}

/* What each edit of the history is read with. */
struct details {
    sqlite3_stmt *changes; /* or nodes, where that is all that is asked for */
    sqlite3_stmt *about;
};

static enum gz_status prepare_details(sqlite3 *db, bool brief, struct details *details,
                                      struct gz_error *error)
{
    const char *sql = brief ? GZ_EDIT_NODES_SQL : GZ_EDIT_CHANGES_SQL;
    *details = (struct details){NULL, NULL};
    enum gz_status status = gz_db_prepare(db, sql, &details->changes, error);
    return status == GZ_OK ? gz_db_prepare(db, about_sql, &details->about, error) : status;
}

static enum gz_status read_one(sqlite3_stmt *row, const struct details *details, bool brief,
                               struct gz_edit_record *edit, struct gz_answer *answer)
{
    uint64_t last;
    enum gz_status status =
        brief ? gz_read_brief_edit(row, details->changes, &answer->arena, edit, &answer->error)
              : gz_read_edit(row, details->changes, &answer->arena, edit, &answer->error);
    return status == GZ_OK
               ? find_last(details->about, edit->id, &last, &edit->undone, &answer->error)
               : status;
}

static enum gz_status read_history(struct gz_db_reader *reader, sqlite3_stmt *rows, uint32_t limit,
                                   bool brief, struct gz_answer *answer)
{
    struct gz_edit_record *edits = gz_arena_take(&answer->arena, limit, sizeof *edits);
    struct details details;
    enum gz_status status = prepare_details(reader->db, brief, &details, &answer->error);
    if (status == GZ_OK && edits == NULL) status = fail_memory(&answer->error);
    int rc = SQLITE_DONE;
    while (status == GZ_OK && (rc = sqlite3_step(rows)) == SQLITE_ROW) {
        status = read_one(rows, &details, brief, &edits[answer->edit_count], answer);
        if (status == GZ_OK) answer->edit_count++;
    }
    if (status == GZ_NO_MEMORY) status = fail_memory(&answer->error);
    if (status == GZ_OK && rc != SQLITE_DONE)
        status = gz_db_fail(reader->db, rc, &answer->error, "the history");
    answer->edits = edits;
    sqlite3_finalize(details.changes);
    sqlite3_finalize(details.about);
    return status;
}

static enum gz_status answer_history(struct gz_db_reader *reader, const struct gz_query *query,
                                     struct gz_answer *answer)
{
    uint32_t limit = query->limit;
    if (limit == 0 || limit > GZ_HISTORY_ROWS_MAX) limit = GZ_HISTORY_ROWS_MAX;
    sqlite3_stmt *rows;
    enum gz_status status = prepare_history(reader->db, query, &rows, &answer->error);
    if (status != GZ_OK) return status;
    bind_history(rows, query, limit);
    status = read_history(reader, rows, limit, query->brief, answer);
    sqlite3_finalize(rows);
    return status;
}

/* ---- one edit ---- */

/* In the order of its parts: each finds one edit by an index, ?1 is an id. */
static const char *const edit_sql[] = {
    "SELECT " GZ_EDIT_COLUMNS " FROM edits e WHERE e.id = ?1 AND e.seq IS NOT NULL",
    "SELECT " GZ_EDIT_COLUMNS
    " FROM edits e WHERE e.seq = (SELECT max((SELECT l.seq FROM changes l WHERE l.node = c.node"
    " AND l.seq > c.seq ORDER BY l.seq DESC LIMIT 1)) FROM changes c WHERE c.edit = ?1)",
};

/* Reads the edit, if there is one, as the answer's next. */
static enum gz_status add_edit(sqlite3 *db, const char *sql, uint64_t id,
                               struct gz_edit_record *edits, struct gz_answer *answer)
{
    sqlite3_stmt *row, *changes;
    enum gz_status status = gz_db_prepare(db, sql, &row, &answer->error);
    if (status != GZ_OK) return status;
    sqlite3_bind_int64(row, 1, (sqlite3_int64)id);
    int rc = sqlite3_step(row);
    status = gz_db_prepare(db, GZ_EDIT_CHANGES_SQL, &changes, &answer->error);
    if (status == GZ_OK && rc == SQLITE_ROW)
        status = gz_read_edit(row, changes, &answer->arena, &edits[answer->edit_count++],
                              &answer->error);
    else if (status == GZ_OK && rc != SQLITE_DONE)
        status = gz_db_fail(db, rc, &answer->error, "the history");
    if (status == GZ_NO_MEMORY) status = fail_memory(&answer->error);
    sqlite3_finalize(changes);
    sqlite3_finalize(row);
    return status;
}

/* What is left of an edit from before the history that is kept is not all that it did. */
static enum gz_status expect_whole(sqlite3 *db, const struct gz_edit_record *edit,
                                   struct gz_error *error)
{
    int64_t since;
    enum gz_status status = gz_db_integer(db, "SELECT since FROM kept", &since, error);
    if (status != GZ_OK || edit->seq > (uint64_t)since) return status;
    return gz_fail(error, GZ_BAD_VALUE,
                   "edit: edit %llu is no longer kept: the history begins at seq %lld",
                   (unsigned long long)edit->id, (long long)since);
}

static enum gz_status find_last_of(sqlite3 *db, uint64_t edit, uint64_t *last,
                                   struct gz_answer *answer)
{
    sqlite3_stmt *about;
    enum gz_status status = gz_db_prepare(db, about_sql, &about, &answer->error);
    if (status == GZ_OK) status = find_last(about, edit, last, &answer->undone, &answer->error);
    sqlite3_finalize(about);
    return status;
}

static enum gz_status answer_edit(struct gz_db_reader *reader, const struct gz_query *query,
                                  struct gz_answer *answer)
{
    struct gz_edit_record *edits = gz_arena_take(&answer->arena, 3, sizeof *edits);
    uint64_t last;
    if (edits == NULL) return fail_memory(&answer->error);
    answer->edits = edits;
    enum gz_status status = add_edit(reader->db, edit_sql[0], query->edit, edits, answer);
    if (status == GZ_OK && answer->edit_count == 0)
        return gz_fail(&answer->error, GZ_BAD_VALUE, "edit: there is no edit %llu that is done",
                       (unsigned long long)query->edit);
    if (status == GZ_OK) status = expect_whole(reader->db, &edits[0], &answer->error);
    if (status == GZ_OK) status = find_last_of(reader->db, query->edit, &last, answer);
    if (status == GZ_OK) status = add_edit(reader->db, edit_sql[0], last, edits, answer);
    return status == GZ_OK ? add_edit(reader->db, edit_sql[1], last, edits, answer) : status;
}

/* ---- the past ----
 *
 * A node at seq S is what the latest change up to S made of it. A drag that ran at S has its change
 * later: it is the next change after S of some node that it moved, because nobody else changes a
 * node that is held, or it still runs. Then the points of its recorded path before and after S say
 * where its nodes were: on the line between them. A drag that still runs has no point after its
 * newest, and its nodes are there. */

#define NEXT_EDITS                                                                                 \
    "WITH next (edit) AS (SELECT (SELECT c.edit FROM changes c WHERE c.node = n.id AND c.seq > ?1" \
    " ORDER BY c.seq, c.step LIMIT 1) FROM nodes n UNION SELECT id FROM edits WHERE seq IS NULL) "

static const char nodes_at_sql[] = "SELECT n.id, c.seq, " GZ_CONTENT_COLUMNS(
    "c.after_") " FROM nodes n JOIN changes c ON c.rowid ="
                " (SELECT l.rowid FROM changes l WHERE l.node = n.id AND "
                "l.seq <= ?1 ORDER BY l.seq DESC, l.step DESC LIMIT 1)"
                " WHERE c.did <> 'delete' ORDER BY n.id";

/* The nodes of drags that ran at ?1, or at the time ?2 where it was asked by time, and the point
 * before it: a sample, or where the drag found them. One look into the samples for each node,
 * however long the drag is. */
static const char points_before_sql[] = NEXT_EDITS
    ", running (edit, seq, time) AS (SELECT e.id, e.began_seq, e.began FROM next JOIN edits e ON "
    "e.id = next.edit"
    " WHERE (e.began_seq < ?1 OR e.began <= ?2) AND (e.handle IS NOT NULL OR e.kind = 'wheel')) "
    "SELECT c.node, c.edit, s.seq, s.time, s.until, " GZ_TRS_COLUMNS(
        "s.") ", r.seq, r.time, NULL, " GZ_TRS_COLUMNS("c.before_") " FROM running r JOIN changes "
                                                                    "c ON c.edit = r.edit LEFT "
                                                                    "JOIN samples s ON s.edit = "
                                                                    "c.edit"
                                                                    " AND s.node = c.node AND "
                                                                    "s.seq = (SELECT l.seq FROM "
                                                                    "samples l WHERE l.edit = "
                                                                    "c.edit"
                                                                    " AND l.node = c.node AND "
                                                                    "l.seq <= ?1 ORDER BY l.seq "
                                                                    "DESC LIMIT 1)";
/* Where a point begins in it: the sample, or else the drag's beginning. */
enum { SAMPLE_COLUMN = 2, BEGAN_COLUMN = SAMPLE_COLUMN + 3 + GZ_TRS_COLUMN_COUNT };

/* The point after ?3 of node ?2 in drag ?1: a sample, or where the drag left it, which is the
 * node's next change. */
static const char point_after_sql[] =
    "SELECT seq, time, NULL, " GZ_TRS_COLUMNS("") " FROM (SELECT seq, time, " GZ_TRS_COLUMNS(
        "") " FROM samples WHERE edit = ?1 AND node = ?2 AND seq > ?3 ORDER BY seq LIMIT 1)"
            " UNION ALL SELECT c.seq, e.ended, NULL, " GZ_TRS_COLUMNS(
                "c.after_") " FROM changes c JOIN edits e ON e.id = c.edit WHERE c.node = ?2 AND "
                            "c.seq > ?3"
                            " AND +c.edit = ?1 LIMIT 1";

static const char edit_by_time_sql[] =
    "SELECT seq FROM edits WHERE ended <= ? ORDER BY ended DESC, seq DESC LIMIT 1";

/* The newest sample by ?2 of the drags that ran after ?1. Time goes on with seq, so that of a
 * drag's first node the samples around ?2 bound what is to be looked at of its others. */
static const char sample_by_time_sql[] = NEXT_EDITS
    ", running (edit, node) AS (SELECT e.id, (SELECT c.node FROM changes c WHERE c.edit = e.id "
    "LIMIT 1)"
    " FROM next JOIN edits e ON e.id = next.edit WHERE e.began <= ?2),"
    " around (edit, low, high) AS (SELECT edit,"
    " (SELECT max(s.seq) FROM samples s WHERE s.edit = r.edit AND s.node = r.node AND s.time <= "
    "?2),"
    " (SELECT min(s.seq) FROM samples s WHERE s.edit = r.edit AND s.node = r.node AND s.time > ?2)"
    " FROM running r) "
    "SELECT max(s.seq) FROM around a JOIN changes c ON c.edit = a.edit JOIN samples s ON s.edit = "
    "c.edit"
    " AND s.node = c.node WHERE s.seq >= coalesce(a.low, 0) AND s.seq < coalesce(a.high, 9e18)"
    " AND s.time <= ?2";

/* What is asked for: a seq, and the time where it was asked by time (else NaN). */
struct gz_moment {
    uint64_t seq;
    double time;
};

/* The integer of a row, at least 0; 0 where there is none. */
static enum gz_status read_seq(sqlite3 *db, sqlite3_stmt *row, uint64_t *seq,
                               struct gz_error *error)
{
    int rc = sqlite3_step(row);
    *seq = rc == SQLITE_ROW ? (uint64_t)sqlite3_column_int64(row, 0) : 0;
    sqlite3_finalize(row);
    return rc == SQLITE_ROW || rc == SQLITE_DONE
               ? GZ_OK
               : gz_db_fail(db, rc, error, "looking for the time");
}

/* The last seq that was there at `time`. */
static enum gz_status find_seq(sqlite3 *db, double time, uint64_t *seq, struct gz_error *error)
{
    sqlite3_stmt *row;
    uint64_t sample_seq;
    enum gz_status status = gz_db_prepare(db, edit_by_time_sql, &row, error);
    if (status != GZ_OK) return status;
    sqlite3_bind_double(row, 1, time);
    status = read_seq(db, row, seq, error);
    if (status == GZ_OK) status = gz_db_prepare(db, sample_by_time_sql, &row, error);
    if (status != GZ_OK) return status;
    sqlite3_bind_int64(row, 1, (sqlite3_int64)*seq);
    sqlite3_bind_double(row, 2, time);
    status = read_seq(db, row, &sample_seq, error);
    if (sample_seq > *seq) *seq = sample_seq;
    return status;
}

/* What there is to be asked for: from one seq to another, and when that was saved. */
struct range {
    uint64_t first, last;
    double last_time;
};

static enum gz_status read_range(sqlite3 *db, struct range *range, struct gz_error *error)
{
    sqlite3_stmt *row;
    enum gz_status status =
        gz_db_prepare(db, "SELECT k.since, s.seq, s.time FROM scene s, kept k", &row, error);
    if (status != GZ_OK) return status;
    int rc = sqlite3_step(row);
    *range = (struct range){.first = (uint64_t)sqlite3_column_int64(row, 0),
                            .last = (uint64_t)sqlite3_column_int64(row, 1),
                            .last_time = sqlite3_column_double(row, 2)};
    sqlite3_finalize(row);
    return rc == SQLITE_ROW ? GZ_OK : gz_db_fail(db, rc, error, "the scene");
}

static enum gz_status resolve_time(sqlite3 *db, double time, const struct range *range,
                                   uint64_t *seq, struct gz_error *error)
{
    if (!(time <= fmax(gz_db_now(), range->last_time)))
        return gz_fail(error, GZ_BAD_VALUE, "time %.3f is in the future", time);
    *seq = range->last;
    enum gz_status status = time >= range->last_time ? GZ_OK : find_seq(db, time, seq, error);
    if (status != GZ_OK || *seq >= range->first) return status;
    return gz_fail(error, GZ_BAD_VALUE,
                   "time %.3f is no longer kept: the history begins at seq %llu", time,
                   (unsigned long long)range->first);
}

/* `*first` becomes the seq where a checkpoint stands for it. */
static enum gz_status find_checkpoint(sqlite3 *db, uint64_t seq, int64_t *first,
                                      struct gz_error *error)
{
    sqlite3_stmt *row;
    enum gz_status status =
        gz_db_prepare(db, "SELECT 1 FROM checkpoints WHERE seq = ? LIMIT 1", &row, error);
    if (status != GZ_OK) return status;
    sqlite3_bind_int64(row, 1, (sqlite3_int64)seq);
    int rc = sqlite3_step(row);
    if (rc == SQLITE_ROW) *first = (int64_t)seq;
    sqlite3_finalize(row);
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? GZ_OK
                                                 : gz_db_fail(db, rc, error, "the checkpoints");
}

/* Which seq is asked for; GZ_BAD_VALUE for the future, and for what is no longer kept. */
static enum gz_status resolve(sqlite3 *db, const struct gz_query *query, uint64_t *seq,
                              struct gz_error *error)
{
    struct range range;
    enum gz_status status = read_range(db, &range, error);
    if (status != GZ_OK) return status;
    if (query->by_time) return resolve_time(db, query->time, &range, seq, error);
    *seq = query->seq;
    if (query->seq > range.last)
        return gz_fail(error, GZ_BAD_VALUE, "seq %llu is in the future: %llu is saved",
                       (unsigned long long)query->seq, (unsigned long long)range.last);
    int64_t first = (int64_t)range.first;
    if (query->seq < range.first) status = find_checkpoint(db, query->seq, &first, error);
    if (status != GZ_OK || query->seq >= (uint64_t)first) return status;
    return gz_fail(error, GZ_BAD_VALUE, "seq %llu is no longer kept: the history begins at %llu",
                   (unsigned long long)query->seq, (unsigned long long)range.first);
}

static enum gz_status read_nodes_at(sqlite3 *db, sqlite3_stmt *rows, struct gz_arena *arena,
                                    struct gz_node_list *list, struct gz_error *error)
{
    int rc;
    while ((rc = sqlite3_step(rows)) == SQLITE_ROW) {
        struct gz_node_record *node = gz_node_list_add(list);
        if (node == NULL || gz_read_content(rows, 2, arena, &node->content) != GZ_OK)
            return fail_memory(error);
        node->id = (uint64_t)sqlite3_column_int64(rows, 0);
        node->seq = (uint64_t)sqlite3_column_int64(rows, 1);
    }
    return rc == SQLITE_DONE ? GZ_OK : gz_db_fail(db, rc, error, "the past");
}

/* A point of a path: it was here at `time`, and stayed until `until`. */
struct point {
    uint64_t seq;
    double time, until;
    gz_trs trs;
};

/* Where it was at the moment asked for, between two points. */
static gz_trs between(const struct gz_moment *moment, const struct point *a, const struct point *b)
{
    double part = (double)(moment->seq - a->seq) / (double)(b->seq - a->seq);
    if (!isnan(moment->time))
        part = b->time > a->until ? (moment->time - a->until) / (b->time - a->until) : 1;
    return gz_trs_between(&a->trs, &b->trs, part);
}

static struct point read_point(sqlite3_stmt *row, int column)
{
    struct point point = {.seq = (uint64_t)sqlite3_column_int64(row, column),
                          .time = sqlite3_column_double(row, column + 1),
                          .trs = gz_read_trs(row, column + 3)};
    bool rested = sqlite3_column_type(row, column + 2) != SQLITE_NULL;
    point.until = rested ? sqlite3_column_double(row, column + 2) : point.time;
    return point;
}

static int move_node(sqlite3_stmt *before, sqlite3_stmt *after, const struct gz_moment *moment,
                     struct gz_node_record *node)
{
    bool has_sample = sqlite3_column_type(before, SAMPLE_COLUMN) != SQLITE_NULL;
    struct point a = read_point(before, has_sample ? SAMPLE_COLUMN : BEGAN_COLUMN);
    sqlite3_bind_value(after, 1, sqlite3_column_value(before, 1));
    sqlite3_bind_value(after, 2, sqlite3_column_value(before, 0));
    sqlite3_bind_int64(after, 3, (sqlite3_int64)moment->seq);
    int rc = sqlite3_step(after);
    node->content.trs = a.trs;
    if (rc == SQLITE_ROW) {
        struct point b = read_point(after, 0);
        node->content.trs = between(moment, &a, &b);
    }
    if (has_sample) node->seq = a.seq;
    sqlite3_reset(after);
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static enum gz_status read_points(sqlite3 *db, sqlite3_stmt *before, sqlite3_stmt *after,
                                  const struct gz_moment *moment, struct gz_node_list *list,
                                  struct gz_error *error)
{
    int rc;
    while ((rc = sqlite3_step(before)) == SQLITE_ROW) {
        size_t i =
            gz_find_record(list->nodes, list->count, (uint64_t)sqlite3_column_int64(before, 0));
        if (i == list->count) continue;
        int moved = move_node(before, after, moment, &list->nodes[i]);
        if (moved != SQLITE_OK) return gz_db_fail(db, moved, error, "the past");
    }
    return rc == SQLITE_DONE ? GZ_OK : gz_db_fail(db, rc, error, "the past");
}

static enum gz_status move_dragged(sqlite3 *db, const struct gz_moment *moment,
                                   struct gz_node_list *list, struct gz_error *error)
{
    sqlite3_stmt *before, *after;
    enum gz_status status = gz_db_prepare(db, points_before_sql, &before, error);
    if (status != GZ_OK) return status;
    status = gz_db_prepare(db, point_after_sql, &after, error);
    if (status == GZ_OK) {
        sqlite3_bind_int64(before, 1, (sqlite3_int64)moment->seq);
        if (!isnan(moment->time)) sqlite3_bind_double(before, 2, moment->time);
        status = read_points(db, before, after, moment, list, error);
    }
    sqlite3_finalize(before);
    sqlite3_finalize(after);
    return status;
}

static enum gz_status collect(sqlite3 *db, const struct gz_moment *moment, struct gz_answer *answer,
                              struct gz_node_list *list)
{
    sqlite3_stmt *rows;
    enum gz_status status = gz_db_prepare(db, nodes_at_sql, &rows, &answer->error);
    if (status != GZ_OK) return status;
    sqlite3_bind_int64(rows, 1, (sqlite3_int64)answer->seq);
    status = read_nodes_at(db, rows, &answer->arena, list, &answer->error);
    sqlite3_finalize(rows);
    return status == GZ_OK ? move_dragged(db, moment, list, &answer->error) : status;
}

static enum gz_status answer_at(struct gz_db_reader *reader, const struct gz_query *query,
                                struct gz_answer *answer)
{
    struct gz_node_list list = {0};
    struct gz_node_record *ordered = NULL;
    enum gz_status status = resolve(reader->db, query, &answer->seq, &answer->error);
    struct gz_moment moment = {answer->seq, query->by_time ? query->time : NAN};
    if (status == GZ_OK) status = collect(reader->db, &moment, answer, &list);
    if (status == GZ_OK)
        status = gz_parents_first(list.nodes, list.count, &answer->arena, &ordered, &answer->error);
    if (status == GZ_NO_MEMORY) status = fail_memory(&answer->error);
    if (status == GZ_OK) {
        answer->nodes = ordered;
        answer->node_count = list.count;
    }
    free(list.nodes);
    return status;
}

void gz_store_query(const char *path, const struct gz_query *query, struct gz_answer *answer)
{
    *answer = (struct gz_answer){0};
    gz_arena_init(&answer->arena, GZ_RESULT_BYTES_MAX);
    struct gz_db_reader reader;
    answer->status = gz_db_reader_open(&reader, path, &answer->error);
    if (answer->status != GZ_OK) return;
    switch (query->kind) {
    case GZ_QUERY_HISTORY: answer->status = answer_history(&reader, query, answer); break;
    case GZ_QUERY_AT: answer->status = answer_at(&reader, query, answer); break;
    case GZ_QUERY_PATH: answer->status = gz_answer_path(&reader, query, answer); break;
    case GZ_QUERY_EDIT: answer->status = answer_edit(&reader, query, answer); break;
    }
    gz_db_reader_close(&reader);
    if (answer->status != GZ_OK) answer->edit_count = answer->node_count = 0;
}
