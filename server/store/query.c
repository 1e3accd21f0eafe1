#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "store/internal.h"
#include "store/rows.h"

/* ---- history ---- */

static enum gz_status prepare_history(sqlite3 *db, const struct gz_query *query, sqlite3_stmt **rows,
                                      struct gz_error *error)
{
    char sql[1024];
    snprintf(sql, sizeof sql,
             "SELECT " GZ_EDIT_COLUMNS " FROM edits e WHERE e.ended IS NOT NULL%s%s%s%s"
             " ORDER BY e.ended DESC, e.seq DESC LIMIT ?5",
             query->node != 0 ? " AND e.id IN (SELECT c.edit FROM changes c WHERE c.node = ?1)" : "",
             query->user[0] != '\0' ? " AND e.user = ?2" : "", isnan(query->since) ? "" : " AND e.ended > ?3",
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

static enum gz_status read_history(struct gz_reader *reader, sqlite3_stmt *rows, uint32_t limit,
                                   struct gz_answer *answer)
{
    struct gz_edit_record *edits = gz_arena_take(&answer->arena, limit, sizeof *edits);
    sqlite3_stmt *changes;
    enum gz_status status = gz_db_prepare(reader->db, GZ_EDIT_CHANGES_SQL, &changes, &answer->error);
    if (status == GZ_OK && edits == NULL) status = fail_memory(&answer->error);
    int rc = SQLITE_DONE;
    while (status == GZ_OK && (rc = sqlite3_step(rows)) == SQLITE_ROW) {
        status = gz_read_edit(rows, changes, &answer->arena, &edits[answer->edit_count], &answer->error);
        if (status == GZ_OK) answer->edit_count++;
    }
    if (status == GZ_NO_MEMORY) status = fail_memory(&answer->error);
    if (status == GZ_OK && rc != SQLITE_DONE) status = gz_db_fail(reader->db, rc, &answer->error, "the history");
    answer->edits = edits;
    sqlite3_finalize(changes);
    return status;
}

static enum gz_status answer_history(struct gz_reader *reader, const struct gz_query *query, struct gz_answer *answer)
{
    uint32_t limit = query->limit;
    if (limit == 0 || limit > GZ_HISTORY_ROWS_MAX) limit = GZ_HISTORY_ROWS_MAX;
    sqlite3_stmt *rows;
    enum gz_status status = prepare_history(reader->db, query, &rows, &answer->error);
    if (status != GZ_OK) return status;
    bind_history(rows, query, limit);
    status = read_history(reader, rows, limit, answer);
    sqlite3_finalize(rows);
    return status;
}

/* ---- the past ----
 *
 * A node at seq S is what the latest change up to S made of it. A drag that ran at S has its change later: it is the next
 * change after S of some node that it moved, because nobody else changes a node that is held, or it still runs. Then its
 * last sample up to S says where its nodes were. */

#define NEXT_EDITS                                                                                                     \
    "WITH next (edit) AS (SELECT (SELECT c.edit FROM changes c WHERE c.node = n.id AND c.seq > ?1"                     \
    " ORDER BY c.seq, c.step LIMIT 1) FROM nodes n UNION SELECT id FROM edits WHERE seq IS NULL) "

static const char nodes_at_sql[] =
    "SELECT n.id, c.seq, " GZ_CONTENT_COLUMNS("c.after_") " FROM nodes n JOIN changes c ON c.rowid ="
                                                          " (SELECT l.rowid FROM changes l WHERE l.node = n.id AND "
                                                          "l.seq <= ?1 ORDER BY l.seq DESC, l.step DESC LIMIT 1)"
                                                          " WHERE c.did <> 'delete' ORDER BY n.id";

/* Of a group, SQLite takes the other columns from the row of its max. */
static const char samples_at_sql[] = NEXT_EDITS "SELECT s.node, max(s.seq), " GZ_TRS_COLUMNS(
    "s.") " FROM next JOIN edits e ON e.id = next.edit"
          " JOIN samples s ON s.edit = e.id WHERE e.began_seq < ?1 AND s.seq <= ?1 GROUP BY s.node";

static const char edit_by_time_sql[] = "SELECT seq FROM edits WHERE ended <= ? ORDER BY ended DESC, seq DESC LIMIT 1";

static const char sample_by_time_sql[] =
    NEXT_EDITS "SELECT max(s.seq) FROM next JOIN edits e ON e.id = next.edit JOIN samples s ON s.edit = e.id"
               " WHERE e.began <= ?2 AND s.time <= ?2";

/* The integer of a row, at least 0; 0 where there is none. */
static enum gz_status read_seq(sqlite3 *db, sqlite3_stmt *row, uint64_t *seq, struct gz_error *error)
{
    int rc = sqlite3_step(row);
    *seq = rc == SQLITE_ROW ? (uint64_t)sqlite3_column_int64(row, 0) : 0;
    sqlite3_finalize(row);
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? GZ_OK : gz_db_fail(db, rc, error, "looking for the time");
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

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Which seq is asked for; GZ_BAD_VALUE for the future. */
static enum gz_status resolve(sqlite3 *db, const struct gz_query *query, uint64_t *seq, struct gz_error *error)
{
    sqlite3_stmt *row;
    enum gz_status status = gz_db_prepare(db, "SELECT seq, time FROM scene", &row, error);
    if (status != GZ_OK) return status;
    int rc = sqlite3_step(row);
    uint64_t last_seq = (uint64_t)sqlite3_column_int64(row, 0);
    double last_time = sqlite3_column_double(row, 1);
    sqlite3_finalize(row);
    if (rc != SQLITE_ROW) return gz_db_fail(db, rc, error, "the scene");
    *seq = query->seq;
    if (!query->by_time && query->seq > last_seq)
        return gz_fail(error, GZ_BAD_VALUE, "seq %llu is in the future: %llu is saved", (unsigned long long)query->seq,
                       (unsigned long long)last_seq);
    if (!query->by_time) return GZ_OK;
    if (query->time >= last_time) *seq = last_seq;
    if (query->time <= now()) return query->time >= last_time ? GZ_OK : find_seq(db, query->time, seq, error);
    return gz_fail(error, GZ_BAD_VALUE, "time %.3f is in the future", query->time);
}

static enum gz_status read_nodes_at(sqlite3 *db, sqlite3_stmt *rows, struct gz_arena *arena, struct gz_node_list *list,
                                    struct gz_error *error)
{
    int rc;
    while ((rc = sqlite3_step(rows)) == SQLITE_ROW) {
        struct gz_node_record *node = gz_node_list_add(list);
        if (node == NULL || gz_read_content(rows, 2, arena, &node->content) != GZ_OK) return fail_memory(error);
        node->id = (uint64_t)sqlite3_column_int64(rows, 0);
        node->seq = (uint64_t)sqlite3_column_int64(rows, 1);
    }
    return rc == SQLITE_DONE ? GZ_OK : gz_db_fail(db, rc, error, "the past");
}

static enum gz_status read_samples_at(sqlite3 *db, sqlite3_stmt *rows, struct gz_node_list *list,
                                      struct gz_error *error)
{
    int rc;
    while ((rc = sqlite3_step(rows)) == SQLITE_ROW) {
        size_t i = gz_find_record(list->nodes, list->count, (uint64_t)sqlite3_column_int64(rows, 0));
        if (i == list->count) continue;
        list->nodes[i].seq = (uint64_t)sqlite3_column_int64(rows, 1);
        list->nodes[i].content.trs = gz_read_trs(rows, 2);
    }
    return rc == SQLITE_DONE ? GZ_OK : gz_db_fail(db, rc, error, "the past");
}

static enum gz_status collect(sqlite3 *db, struct gz_answer *answer, struct gz_node_list *list)
{
    sqlite3_stmt *rows;
    enum gz_status status = gz_db_prepare(db, nodes_at_sql, &rows, &answer->error);
    if (status != GZ_OK) return status;
    sqlite3_bind_int64(rows, 1, (sqlite3_int64)answer->seq);
    status = read_nodes_at(db, rows, &answer->arena, list, &answer->error);
    sqlite3_finalize(rows);
    if (status == GZ_OK) status = gz_db_prepare(db, samples_at_sql, &rows, &answer->error);
    if (status != GZ_OK) return status;
    sqlite3_bind_int64(rows, 1, (sqlite3_int64)answer->seq);
    status = read_samples_at(db, rows, list, &answer->error);
    sqlite3_finalize(rows);
    return status;
}

static enum gz_status answer_at(struct gz_reader *reader, const struct gz_query *query, struct gz_answer *answer)
{
    struct gz_node_list list = {0};
    struct gz_node_record *ordered = NULL;
    enum gz_status status = resolve(reader->db, query, &answer->seq, &answer->error);
    if (status == GZ_OK) status = collect(reader->db, answer, &list);
    if (status == GZ_OK) status = gz_parents_first(list.nodes, list.count, &answer->arena, &ordered, &answer->error);
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
    struct gz_reader reader;
    answer->status = gz_reader_open(&reader, path, &answer->error);
    if (answer->status != GZ_OK) return;
    answer->status =
        query->kind == GZ_QUERY_HISTORY ? answer_history(&reader, query, answer) : answer_at(&reader, query, answer);
    gz_reader_close(&reader);
    if (answer->status != GZ_OK) answer->edit_count = answer->node_count = 0;
}
