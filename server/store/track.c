/* Where a node was, point by point: where its drags found it, the points of their paths, rests, and
 * where each edit left it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "proto/limits.h"
#include "store/internal.h"
#include "store/rows.h"

/* One kind of point: of the edits `e` that are kept and their changes `c` of the node ?1, those
 * where `which`. Of one seq the step orders them. */
#define KIND(seq, step, time, parent, prefix, joins, which)                                        \
    "SELECT " seq " AS seq, " step " AS step, " time " AS time, e.id AS edit, " parent             \
    " AS parent, " GZ_TRS_COLUMNS(prefix) " FROM changes c JOIN edits e ON e.id = c.edit " joins   \
                                          "WHERE c.node = ?1 AND (c.seq IS NULL OR c.seq > "       \
                                          "(SELECT since FROM kept)) AND " which
#define SAMPLES "JOIN samples s ON s.edit = c.edit AND s.node = c.node "
#define IS_DRAG "(e.handle IS NOT NULL OR e.kind = 'wheel')"

/* A sample at the seq of its edit's end is that end; a rest is two points. */
#define ENDS                                                                                       \
    KIND("c.seq", "0", "e.ended", "c.after_parent", "c.after_", "",                                \
         "c.seq IS NOT NULL AND c.did <> 'delete'")
#define BEGINNINGS KIND("e.began_seq", "1", "e.began", "c.before_parent", "c.before_", "", IS_DRAG)
#define PATHS                                                                                      \
    KIND("s.seq", "2", "s.time", "c.before_parent", "s.", SAMPLES,                                 \
         "(c.seq IS NULL OR s.seq < c.seq)")
#define RESTS KIND("s.seq", "3", "s.until", "c.before_parent", "s.", SAMPLES, "s.until IS NOT NULL")

static const char points_sql[] =
    "SELECT * FROM (" ENDS " UNION ALL " BEGINNINGS " UNION ALL " PATHS " UNION ALL " RESTS ")"
    " WHERE time > coalesce(?2, -9e999) AND time < coalesce(?3, 9e999) ORDER BY seq, step, time "
    "LIMIT ?4";
enum { TRS_COLUMN = 5 };

struct list {
    struct gz_point_record *points;
    size_t count, capacity;
};

static enum gz_status fail_memory(struct gz_error *error)
{
    return gz_fail(error, GZ_TOO_LARGE, "the answer is too large: ask for less");
}

static enum gz_status read_points(sqlite3 *db, sqlite3_stmt *rows, struct list *list,
                                  struct gz_error *error)
{
    int rc;
    while ((rc = sqlite3_step(rows)) == SQLITE_ROW) {
        if (!gz_grow(&list->points, &list->capacity, list->count + 1, sizeof *list->points))
            return fail_memory(error);
        list->points[list->count++] = (struct gz_point_record){
            .seq = (uint64_t)sqlite3_column_int64(rows, 0),
            .time = sqlite3_column_double(rows, 2),
            .edit = (uint64_t)sqlite3_column_int64(rows, 3),
            .parent = (uint64_t)sqlite3_column_int64(rows, 4),
            .trs = gz_read_trs(rows, TRS_COLUMN),
        };
    }
    return rc == SQLITE_DONE ? GZ_OK : gz_db_fail(db, rc, error, "the path");
}

static enum gz_status collect(sqlite3 *db, const struct gz_query *query, struct list *list,
                              struct gz_error *error)
{
    sqlite3_stmt *rows;
    enum gz_status status = gz_db_prepare(db, points_sql, &rows, error);
    if (status != GZ_OK) return status;
    sqlite3_bind_int64(rows, 1, (sqlite3_int64)query->node);
    if (!isnan(query->since)) sqlite3_bind_double(rows, 2, query->since);
    if (!isnan(query->before)) sqlite3_bind_double(rows, 3, query->before);
    sqlite3_bind_int64(rows, 4, query->limit > 0 ? query->limit : GZ_PATH_POINTS_MAX);
    status = read_points(db, rows, list, error);
    sqlite3_finalize(rows);
    return status;
}

static enum gz_status check_node(sqlite3 *db, uint64_t node, struct gz_error *error)
{
    sqlite3_stmt *row;
    enum gz_status status = gz_db_prepare(db, "SELECT 1 FROM nodes WHERE id = ?", &row, error);
    if (status != GZ_OK) return status;
    sqlite3_bind_int64(row, 1, (sqlite3_int64)node);
    int rc = sqlite3_step(row);
    sqlite3_finalize(row);
    if (rc == SQLITE_DONE)
        return gz_fail(error, GZ_UNKNOWN_NODE, "node: there never was a node %llu",
                       (unsigned long long)node);
    return rc == SQLITE_ROW ? GZ_OK : gz_db_fail(db, rc, error, "the path");
}

enum gz_status gz_answer_path(struct gz_db_reader *reader, const struct gz_query *query,
                              struct gz_answer *answer)
{
    struct list list = {0};
    enum gz_status status = check_node(reader->db, query->node, &answer->error);
    if (status == GZ_OK) status = collect(reader->db, query, &list, &answer->error);
    struct gz_point_record *points = gz_arena_take(&answer->arena, list.count, sizeof *points);
    if (status == GZ_OK && points == NULL) status = fail_memory(&answer->error);
    if (status == GZ_OK && list.count > 0) memcpy(points, list.points, list.count * sizeof *points);
    answer->points = points;
    answer->point_count = status == GZ_OK ? list.count : 0;
    free(list.points);
    return status;
}
