/* track.c - answers the path of a node: the starts of its drags, the points of their paths, rests,
 * and the result of each edit. */
#include <stdlib.h>
#include <string.h>

#include "proto/limits.h"
#include "store/internal.h"
#include "store/rows.h"

enum { TRS_COLUMN = 5 };

struct list {
    struct gz_point_record *points;
    size_t count, capacity;
};

static enum gz_status fail_memory(struct gz_error *error)
{
    return gz_fail(error, GZ_TOO_LARGE, "the answer is too large: ask for less");
}

static enum gz_status read_points(struct gz_ask *ask, struct list *list, struct gz_error *error)
{
    bool has_room = true;
    while (has_room && gz_ask_row(ask)) {
        has_room = gz_grow(&list->points, &list->capacity, list->count + 1, sizeof *list->points);
        if (!has_room) continue;
        list->points[list->count++] = (struct gz_point_record){
            .seq = (uint64_t)sqlite3_column_int64(ask->statement, 0),
            .time = sqlite3_column_double(ask->statement, 2),
            .edit = (uint64_t)sqlite3_column_int64(ask->statement, 3),
            .parent = (uint64_t)sqlite3_column_int64(ask->statement, 4),
            .trs = gz_read_trs(ask->statement, TRS_COLUMN),
        };
    }
    return gz_ask_end(ask, has_room ? GZ_OK : fail_memory(error), error, "the path");
}

static enum gz_status collect(sqlite3 *db, const struct gz_query *query, struct list *list,
                              struct gz_error *error)
{
    struct gz_ask ask = gz_ask_prepare(db, gz_sql_track[GZ_SQL_TRACK_POINTS]);
    gz_bind_integer(&ask, query->node);
    gz_bind_real(&ask, query->since);
    gz_bind_real(&ask, query->before);
    gz_bind_integer(&ask, query->limit > 0 ? query->limit : GZ_PATH_POINTS_MAX);
    return read_points(&ask, list, error);
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
