/* track.c - answers the path of a node: the starts of its drags, the points of their paths, rests,
 * and the result of each edit. */
#include <stdlib.h>
#include <string.h>

#include "proto/limits.h"
#include "store/internal.h"
#include "store/rows.h"

enum { SEQ_COLUMN, TIME_COLUMN = 2, EDIT_COLUMN, PARENT_COLUMN, TRS_COLUMN };

struct list {
    struct gz_point_record *points;
    size_t count, capacity;
};

static enum gz_status fail_memory(struct gz_error *error)
{
    return gz_fail(error, GZ_TOO_LARGE, "the answer is too large: ask for less");
}

static const char *point_fault(sqlite3_stmt *row, const struct gz_point_record *point)
{
    bool has_parent = sqlite3_column_type(row, PARENT_COLUMN) != SQLITE_NULL;
    if (gz_counter_fault(row, SEQ_COLUMN, 0) != NULL) return "its seq is invalid";
    if (gz_counter_fault(row, EDIT_COLUMN, 1) != NULL) return "the id of its edit is invalid";
    if (has_parent && gz_counter_fault(row, PARENT_COLUMN, 1) != NULL)
        return "parent is not the id of a node";
    return gz_trs_fault(row, TRS_COLUMN, &point->trs);
}

static enum gz_status read_point(sqlite3_stmt *row, uint64_t node, struct gz_point_record *point,
                                 struct gz_error *error)
{
    *point = (struct gz_point_record){
        .seq = (uint64_t)sqlite3_column_int64(row, SEQ_COLUMN),
        .time = sqlite3_column_double(row, TIME_COLUMN),
        .edit = (uint64_t)sqlite3_column_int64(row, EDIT_COLUMN),
        .parent = (uint64_t)sqlite3_column_int64(row, PARENT_COLUMN),
        .trs = gz_read_trs(row, TRS_COLUMN),
    };
    const char *fault = point_fault(row, point);
    return fault == NULL ? GZ_OK : gz_point_fail(error, node, point->seq, fault);
}

static enum gz_status read_points(struct gz_ask *ask, uint64_t node, struct list *list,
                                  struct gz_error *error)
{
    enum gz_status status = GZ_OK;
    while (status == GZ_OK && gz_ask_row(ask))
        status = gz_grow(&list->points, &list->capacity, list->count + 1, sizeof *list->points)
                     ? read_point(ask->statement, node, &list->points[list->count++], error)
                     : fail_memory(error);
    return gz_ask_end(ask, status, error, "the path");
}

static enum gz_status collect(sqlite3 *db, const struct gz_query *query, struct list *list,
                              struct gz_error *error)
{
    struct gz_ask ask = gz_ask_prepare(db, gz_sql_track[GZ_SQL_TRACK_POINTS]);
    gz_bind_integer(&ask, query->node);
    gz_bind_real(&ask, query->since);
    gz_bind_real(&ask, query->before);
    gz_bind_integer(&ask, query->limit > 0 ? query->limit : GZ_PATH_POINTS_MAX);
    return read_points(&ask, query->node, list, error);
}

static enum gz_status check_node(sqlite3 *db, uint64_t node, struct gz_error *error)
{
    struct gz_ask ask = gz_ask_prepare(db, gz_sql_track[GZ_SQL_TRACK_NODE]);
    gz_bind_integer(&ask, node);
    bool is_found = gz_ask_row(&ask);
    enum gz_status status = gz_ask_end(&ask, GZ_OK, error, "the path");
    if (status != GZ_OK || is_found) return status;
    return gz_fail(error, GZ_UNKNOWN_NODE, "node: no node has ever had the id %llu",
                   (unsigned long long)node);
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
