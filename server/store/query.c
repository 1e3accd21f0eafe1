/* query.c - questions to the past, and nodes on their way through time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "proto/limits.h"
#include "store/parts.h"
#include "store/rows.h"
#include "store/store.h"

/* ---- nodes through time ---- */

/* Answers the path of a node: the starts of its drags, the points of their paths, rests,
 * and the result of each edit. */

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

/* ---- query ---- */

/* Answers questions about the past: the history, one edit, the scene at a seq or a time.
 * The statements are in sql/query.sql, which explains how the past is found in the tables. */

static enum gz_status query_fail_memory(struct gz_error *error)
{
    return gz_fail(error, GZ_TOO_LARGE, "the answer is too large: ask for less");
}

static struct gz_ask prepare(sqlite3 *db, enum gz_sql_query which)
{
    return gz_ask_prepare(db, gz_sql_query[which]);
}

/* ---- whether an edit is undone ---- */

/* Finds what was done last about an edit, and whether that leaves it undone: an undo of an undo
 * leaves it done. `about` is a statement of GZ_SQL_QUERY_LAST_ABOUT. */
static enum gz_status find_last(sqlite3_stmt *about, uint64_t edit, uint64_t *last, bool *undone,
                                struct gz_error *error)
{
    enum gz_status status = GZ_OK;
    bool is_found = true;
    *last = edit;
    *undone = false;
    while (status == GZ_OK && is_found) {
        struct gz_ask ask = gz_ask_begin(about);
        gz_bind_integer(&ask, *last);
        /* An edit about another one is newer; this ends also in a damaged file. */
        is_found = gz_ask_row(&ask) && (uint64_t)sqlite3_column_int64(about, 0) > *last;
        if (is_found) {
            *last = (uint64_t)sqlite3_column_int64(about, 0);
            *undone ^= sqlite3_column_int(about, 1) != 0;
        }
        status = gz_ask_end(&ask, GZ_OK, error, "the history");
    }
    return status;
}

/* ---- history ---- */

static struct gz_ask ask_history(sqlite3 *db, const struct gz_query *query, uint32_t limit)
{
    bool of_user = query->user[0] != '\0';
    struct gz_ask ask = prepare(db, query->node == 0 && !of_user ? GZ_SQL_QUERY_HISTORY
                                    : query->node == 0           ? GZ_SQL_QUERY_HISTORY_OF_USER
                                    : of_user ? GZ_SQL_QUERY_HISTORY_OF_NODE_BY_USER
                                              : GZ_SQL_QUERY_HISTORY_OF_NODE);
    gz_bind_integer(&ask, query->node);
    gz_bind_text(&ask, query->user);
    gz_bind_real(&ask, query->since);
    gz_bind_real(&ask, query->before);
    gz_bind_integer(&ask, limit);
    return ask;
}

/* The statements that read an edit of the history. */
struct details {
    struct gz_ask changes; /* or nodes, if only these are asked for */
    struct gz_ask about;
};

static struct details prepare_details(sqlite3 *db, const struct gz_query *query)
{
    enum gz_sql_rows changes = query->brief   ? query->alone ? GZ_SQL_ROWS_NODE : GZ_SQL_ROWS_NODES
                               : query->alone ? GZ_SQL_ROWS_CHANGE_OF_NODE
                                              : GZ_SQL_ROWS_CHANGES;
    return (struct details){gz_ask_prepare(db, gz_sql_rows[changes]),
                            prepare(db, GZ_SQL_QUERY_LAST_ABOUT)};
}

static enum gz_status read_one(sqlite3_stmt *row, const struct details *details,
                               const struct gz_query *query, struct gz_edit_record *edit,
                               struct gz_answer *answer)
{
    uint64_t last, node = query->alone ? query->node : 0;
    sqlite3_stmt *changes = details->changes.statement;
    enum gz_status status =
        query->brief ? gz_read_brief_edit(row, changes, node, &answer->arena, edit, &answer->error)
                     : gz_read_edit(row, changes, node, &answer->arena, edit, &answer->error);
    if (status != GZ_OK) return status;
    return find_last(details->about.statement, edit->id, &last, &edit->undone, &answer->error);
}

static enum gz_status read_history(sqlite3 *db, const struct gz_query *query, uint32_t limit,
                                   struct gz_edit_record *edits, struct gz_answer *answer)
{
    struct details details = prepare_details(db, query);
    struct gz_ask ask = ask_history(db, query, limit);
    enum gz_status status = GZ_OK;
    bool is_ready = details.changes.rc == SQLITE_OK && details.about.rc == SQLITE_OK;
    while (status == GZ_OK && is_ready && gz_ask_row(&ask)) {
        struct gz_edit_record *edit = &edits[answer->edit_count];
        status = read_one(ask.statement, &details, query, edit, answer);
        if (status == GZ_OK) answer->edit_count++;
    }
    if (status == GZ_NO_MEMORY) status = query_fail_memory(&answer->error);
    status = gz_ask_end(&ask, status, &answer->error, "the history");
    status = gz_ask_end(&details.changes, status, &answer->error, "the history");
    return gz_ask_end(&details.about, status, &answer->error, "the history");
}

static enum gz_status answer_history(struct gz_db_reader *reader, const struct gz_query *query,
                                     struct gz_answer *answer)
{
    uint32_t limit = query->limit;
    if (limit == 0 || limit > GZ_HISTORY_ROWS_MAX) limit = GZ_HISTORY_ROWS_MAX;
    struct gz_edit_record *edits = gz_arena_take(&answer->arena, limit, sizeof *edits);
    if (edits == NULL) return query_fail_memory(&answer->error);
    answer->edits = edits;
    return read_history(reader->db, query, limit, edits, answer);
}

/* ---- one edit ---- */

/* Reads the edit, if there is one, into the answer. */
static enum gz_status add_edit(sqlite3 *db, enum gz_sql_query which, uint64_t id,
                               struct gz_edit_record *edits, struct gz_answer *answer)
{
    struct gz_ask changes = gz_ask_prepare(db, gz_sql_rows[GZ_SQL_ROWS_CHANGES]);
    struct gz_ask ask = prepare(db, which);
    enum gz_status status = GZ_OK;
    gz_bind_integer(&ask, id);
    if (changes.rc == SQLITE_OK && gz_ask_row(&ask))
        status = gz_read_edit(ask.statement, changes.statement, 0, &answer->arena,
                              &edits[answer->edit_count++], &answer->error);
    if (status == GZ_NO_MEMORY) status = query_fail_memory(&answer->error);
    status = gz_ask_end(&ask, status, &answer->error, "the history");
    return gz_ask_end(&changes, status, &answer->error, "the history");
}

/* Refuses an edit from before the kept history, because some of its changes may be removed. */
static enum gz_status expect_whole(sqlite3 *db, const struct gz_edit_record *edit,
                                   struct gz_error *error)
{
    int64_t since;
    enum gz_status status = gz_db_integer(db, gz_sql_query[GZ_SQL_QUERY_SINCE], &since, error);
    if (status != GZ_OK || edit->seq > (uint64_t)since) return status;
    return gz_fail(error, GZ_BAD_VALUE,
                   "edit: edit %llu is no longer kept: the history begins at seq %lld",
                   (unsigned long long)edit->id, (long long)since);
}

static enum gz_status find_last_of(sqlite3 *db, uint64_t edit, uint64_t *last,
                                   struct gz_answer *answer)
{
    struct gz_ask about = prepare(db, GZ_SQL_QUERY_LAST_ABOUT);
    enum gz_status status = GZ_OK;
    if (about.rc == SQLITE_OK)
        status = find_last(about.statement, edit, last, &answer->undone, &answer->error);
    return gz_ask_end(&about, status, &answer->error, "the history");
}

static enum gz_status answer_edit(struct gz_db_reader *reader, const struct gz_query *query,
                                  struct gz_answer *answer)
{
    struct gz_edit_record *edits = gz_arena_take(&answer->arena, 3, sizeof *edits);
    uint64_t last;
    if (edits == NULL) return query_fail_memory(&answer->error);
    answer->edits = edits;
    enum gz_status status = add_edit(reader->db, GZ_SQL_QUERY_EDIT, query->edit, edits, answer);
    if (status == GZ_OK && answer->edit_count == 0)
        return gz_fail(&answer->error, GZ_BAD_VALUE, "edit: there is no edit %llu that is done",
                       (unsigned long long)query->edit);
    if (status == GZ_OK) status = expect_whole(reader->db, &edits[0], &answer->error);
    if (status == GZ_OK) status = find_last_of(reader->db, query->edit, &last, answer);
    if (status == GZ_OK) status = add_edit(reader->db, GZ_SQL_QUERY_EDIT, last, edits, answer);
    return status == GZ_OK ? add_edit(reader->db, GZ_SQL_QUERY_EDIT_AFTER, last, edits, answer)
                           : status;
}

/* ---- the past ---- */

/* The columns of a row of GZ_SQL_QUERY_POINTS_BEFORE at which a point begins: the sample, or else
 * the beginning of the drag. */
enum { SAMPLE_COLUMN = 2, BEGAN_COLUMN = SAMPLE_COLUMN + 3 + GZ_TRS_COLUMN_COUNT };

/* The seq that is asked for, and the time if the question is about a time (else NaN). */
struct gz_moment {
    uint64_t seq;
    double time;
};

/* The integer of a row, at least 0; 0 if there is no row. */
static enum gz_status read_seq(struct gz_ask *ask, uint64_t *seq, struct gz_error *error)
{
    *seq = gz_ask_row(ask) ? (uint64_t)sqlite3_column_int64(ask->statement, 0) : 0;
    return gz_ask_end(ask, GZ_OK, error, "looking for the time");
}

/* Finds the last seq at `time`. */
static enum gz_status find_seq(sqlite3 *db, double time, uint64_t *seq, struct gz_error *error)
{
    uint64_t sample_seq;
    struct gz_ask ask = prepare(db, GZ_SQL_QUERY_SEQ_OF_EDIT_BY_TIME);
    gz_bind_real(&ask, time);
    enum gz_status status = read_seq(&ask, seq, error);
    if (status != GZ_OK) return status;
    ask = prepare(db, GZ_SQL_QUERY_SEQ_OF_SAMPLE_BY_TIME);
    gz_bind_integer(&ask, *seq);
    gz_bind_real(&ask, time);
    status = read_seq(&ask, &sample_seq, error);
    if (sample_seq > *seq) *seq = sample_seq;
    return status;
}

/* The range of seqs that can be asked for, and when the last one was saved. */
struct range {
    uint64_t first, last;
    double last_time;
};

static enum gz_status read_range(sqlite3 *db, struct range *range, struct gz_error *error)
{
    struct gz_ask ask = prepare(db, GZ_SQL_QUERY_RANGE);
    *range = (struct range){0};
    if (gz_ask_row(&ask))
        *range = (struct range){.first = (uint64_t)sqlite3_column_int64(ask.statement, 0),
                                .last = (uint64_t)sqlite3_column_int64(ask.statement, 1),
                                .last_time = sqlite3_column_double(ask.statement, 2)};
    else if (ask.rc == SQLITE_DONE)
        ask.rc = SQLITE_CORRUPT;
    return gz_ask_end(&ask, GZ_OK, error, "the scene");
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

/* Sets *first to the seq if a checkpoint names it. */
static enum gz_status find_checkpoint(sqlite3 *db, uint64_t seq, uint64_t *first,
                                      struct gz_error *error)
{
    struct gz_ask ask = prepare(db, GZ_SQL_QUERY_CHECKPOINT);
    gz_bind_integer(&ask, seq);
    if (gz_ask_row(&ask)) *first = seq;
    return gz_ask_end(&ask, GZ_OK, error, "the checkpoints");
}

/* Finds the seq that is asked for; GZ_BAD_VALUE for one in the future, or one that is no longer
 * kept. */
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
    uint64_t first = range.first;
    if (query->seq < range.first) status = find_checkpoint(db, query->seq, &first, error);
    if (status != GZ_OK || query->seq >= first) return status;
    return gz_fail(error, GZ_BAD_VALUE, "seq %llu is no longer kept: the history begins at %llu",
                   (unsigned long long)query->seq, (unsigned long long)range.first);
}

static enum gz_status read_nodes_at(sqlite3 *db, const struct gz_query *query,
                                    struct gz_answer *answer, struct gz_node_list *list)
{
    struct gz_ask ask = prepare(db, GZ_SQL_QUERY_NODES_AT);
    enum gz_status status = GZ_OK;
    gz_bind_integer(&ask, answer->seq);
    gz_bind_integer(&ask, query->by_id ? query->after : 0);
    gz_bind_integer(&ask, query->by_id ? query->limit : GZ_ID_LIMIT);
    while (status == GZ_OK && gz_ask_row(&ask)) {
        struct gz_node_record *node = gz_node_list_add(list);
        if (node == NULL ||
            gz_read_content(ask.statement, 2, &answer->arena, &node->content) != GZ_OK)
            status = query_fail_memory(&answer->error);
        if (status != GZ_OK) continue;
        node->id = (uint64_t)sqlite3_column_int64(ask.statement, 0);
        node->seq = (uint64_t)sqlite3_column_int64(ask.statement, 1);
        const char *fault = gz_content_fault(ask.statement, 2, &node->content);
        if (fault != NULL) status = gz_row_fail(&answer->error, "nodes", (int64_t)node->id, fault);
    }
    return gz_ask_end(&ask, status, &answer->error, "the past");
}

/* A point of a path: the node was here at `time`, and stayed until `until`. */
struct point {
    uint64_t seq;
    double time, until;
    gz_trs trs;
};

/* The transform of a node at the moment, interpolated between two points of its path. */
static gz_trs between(const struct gz_moment *moment, const struct point *a, const struct point *b)
{
    double part = (double)(moment->seq - a->seq) / (double)(b->seq - a->seq);
    if (!isnan(moment->time))
        part = b->time > a->until ? (moment->time - a->until) / (b->time - a->until) : 1;
    return gz_trs_between(&a->trs, &b->trs, part);
}

static enum gz_status query_read_point(sqlite3_stmt *row, int column, uint64_t node,
                                       struct point *point, struct gz_error *error)
{
    *point = (struct point){.seq = (uint64_t)sqlite3_column_int64(row, column),
                            .time = sqlite3_column_double(row, column + 1),
                            .trs = gz_read_trs(row, column + 3)};
    bool rested = sqlite3_column_type(row, column + 2) != SQLITE_NULL;
    point->until = rested ? sqlite3_column_double(row, column + 2) : point->time;
    const char *fault = gz_counter_fault(row, column, 0) != NULL
                            ? "its seq is invalid"
                            : gz_trs_fault(row, column + 3, &point->trs);
    return fault == NULL ? GZ_OK : gz_point_fail(error, node, point->seq, fault);
}

/* Puts a node to its place in the drag at the moment. `before` is the row of the point before the
 * moment; `statement` is GZ_SQL_QUERY_POINT_AFTER. */
static enum gz_status move_node(sqlite3_stmt *before, sqlite3_stmt *statement,
                                const struct gz_moment *moment, struct gz_node_record *node,
                                struct gz_error *error)
{
    bool has_sample = sqlite3_column_type(before, SAMPLE_COLUMN) != SQLITE_NULL;
    struct point a, b;
    enum gz_status status =
        query_read_point(before, has_sample ? SAMPLE_COLUMN : BEGAN_COLUMN, node->id, &a, error);
    if (status != GZ_OK) return status;
    struct gz_ask after = gz_ask_begin(statement);
    gz_bind_integer(&after, (uint64_t)sqlite3_column_int64(before, 1));
    gz_bind_integer(&after, node->id);
    gz_bind_integer(&after, moment->seq);
    node->content.trs = a.trs;
    if (gz_ask_row(&after)) {
        status = query_read_point(statement, 0, node->id, &b, error);
        if (status == GZ_OK) node->content.trs = between(moment, &a, &b);
    }
    if (has_sample) node->seq = a.seq;
    return gz_ask_end(&after, status, error, "the past");
}

static enum gz_status move_dragged(sqlite3 *db, const struct gz_moment *moment,
                                   struct gz_node_list *list, struct gz_error *error)
{
    struct gz_ask before = prepare(db, GZ_SQL_QUERY_POINTS_BEFORE);
    struct gz_ask after = prepare(db, GZ_SQL_QUERY_POINT_AFTER);
    enum gz_status status = GZ_OK;
    gz_bind_integer(&before, moment->seq);
    gz_bind_real(&before, moment->time);
    gz_bind_integer(&before, list->count > 0 ? list->nodes[0].id : 0);
    gz_bind_integer(&before, list->count > 0 ? list->nodes[list->count - 1].id : 0);
    while (status == GZ_OK && after.rc == SQLITE_OK && gz_ask_row(&before)) {
        uint64_t id = (uint64_t)sqlite3_column_int64(before.statement, 0);
        size_t i = gz_find_record(list->nodes, list->count, id);
        if (i < list->count)
            status = move_node(before.statement, after.statement, moment, &list->nodes[i], error);
    }
    status = gz_ask_end(&before, status, error, "the past");
    return gz_ask_end(&after, status, error, "the past");
}

/* A page is in the order of the ids; the whole scene has parents before their children. */
static enum gz_status put_in_order(const struct gz_query *query, const struct gz_node_list *list,
                                   struct gz_answer *answer, struct gz_node_record **ordered)
{
    if (!query->by_id)
        return gz_parents_first(list->nodes, list->count, &answer->arena, ordered, &answer->error);
    *ordered = gz_arena_take(&answer->arena, list->count, sizeof **ordered);
    if (*ordered == NULL) return GZ_NO_MEMORY;
    if (list->count > 0) memcpy(*ordered, list->nodes, list->count * sizeof **ordered);
    return GZ_OK;
}

static enum gz_status answer_at(struct gz_db_reader *reader, const struct gz_query *query,
                                struct gz_answer *answer)
{
    struct gz_node_list list = {0};
    struct gz_node_record *ordered = NULL;
    enum gz_status status = resolve(reader->db, query, &answer->seq, &answer->error);
    struct gz_moment moment = {answer->seq, query->by_time ? query->time : NAN};
    if (status == GZ_OK) status = read_nodes_at(reader->db, query, answer, &list);
    if (status == GZ_OK) status = move_dragged(reader->db, &moment, &list, &answer->error);
    if (status == GZ_OK) status = put_in_order(query, &list, answer, &ordered);
    if (status == GZ_NO_MEMORY) status = query_fail_memory(&answer->error);
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
    answer->status = gz_db_reader_open(&reader, path, GZ_FILE_OURS, &answer->error);
    if (answer->status != GZ_OK) return;
    switch (query->kind) {
    case GZ_QUERY_HISTORY: answer->status = answer_history(&reader, query, answer); break;
    case GZ_QUERY_AT: answer->status = answer_at(&reader, query, answer); break;
    case GZ_QUERY_PATH: answer->status = gz_answer_path(&reader, query, answer); break;
    case GZ_QUERY_NEWS: answer->status = gz_answer_news(&reader, query, answer); break;
    case GZ_QUERY_EDIT: answer->status = answer_edit(&reader, query, answer); break;
    }
    gz_db_reader_close(&reader);
    if (answer->status != GZ_OK) answer->edit_count = answer->node_count = answer->news_count = 0;
}
