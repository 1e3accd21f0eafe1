/* world.c - gizmo_world and gizmo_distance. The way goes up from a node to its root; then the
 * transforms are multiplied from the root down, in the order in which the server does it, so that
 * the bits are the same. */
#include "schema/extension/gizmo.h"
#include "schema/extension/sql.h"
#include "server/maxima.h"

SQLITE_EXTENSION_INIT3

/* Twice what a scene may have: what is deeper is a circle. */
#define DEPTH_MAX (2 * GZ_TREE_DEPTH_MAX)

/* The statements of world.sql, prepared as they are needed. */
struct reader {
    sqlite3_stmt *statements[GZ_SQL_WORLD_COUNT];
};

static void handle_discard(void *memory)
{
    struct reader *reader = memory;
    for (int i = 0; i < GZ_SQL_WORLD_COUNT; i++) sqlite3_finalize(reader->statements[i]);
    sqlite3_free(reader);
}

/* One question: which node, and when. `failed` once the call has its error. */
struct question {
    sqlite3_context *call;
    struct reader *reader;
    sqlite3_int64 seq, drag;
    bool in_past, failed;
};

/* The reader of the call before, which SQLite keeps for us where the last argument is a constant.
 * Else, and the first time, a new one; then *own says that it is to be discarded when the call
 * ends. */
static bool begin(struct question *question, int last, bool *own)
{
    question->reader = sqlite3_get_auxdata(question->call, last);
    *own = question->reader == NULL;
    if (!*own) return true;
    question->reader = sqlite3_malloc(sizeof *question->reader);
    if (question->reader == NULL) {
        sqlite3_result_error_nomem(question->call);
        return false;
    }
    *question->reader = (struct reader){{NULL}};
    return true;
}

/* Gives the reader to SQLite for the next call; where the last argument is none that stays, it is
 * discarded at once. */
static void end(struct question *question, int last, bool own)
{
    if (own) sqlite3_set_auxdata(question->call, last, question->reader, handle_discard);
}

static sqlite3_stmt *fail_sql(struct question *question)
{
    question->failed = true;
    gizmo_fail(question->call, "%s", sqlite3_errmsg(sqlite3_context_db_handle(question->call)));
    return NULL;
}

/* The statement on its row, to be reset by the caller; NULL where there is none, or with an
 * error. */
static sqlite3_stmt *look(struct question *question, int which, sqlite3_int64 node)
{
    sqlite3_stmt **statement = &question->reader->statements[which];
    sqlite3 *db = sqlite3_context_db_handle(question->call);
    if (*statement == NULL &&
        sqlite3_prepare_v2(db, gz_sql_world[which], -1, statement, NULL) != SQLITE_OK)
        return fail_sql(question);
    int rc = sqlite3_bind_int64(*statement, 1, node);
    if (rc == SQLITE_OK && which != GZ_SQL_WORLD_NOW)
        rc = sqlite3_bind_int64(*statement, 2, question->seq);
    if (rc == SQLITE_OK && which == GZ_SQL_WORLD_AFTER)
        rc = sqlite3_bind_int64(*statement, 3, question->drag);
    if (rc == SQLITE_OK) rc = sqlite3_step(*statement);
    if (rc == SQLITE_ROW) return *statement;
    if (rc != SQLITE_DONE) (void)fail_sql(question);
    sqlite3_reset(*statement);
    return NULL;
}

static gz_trs read_trs(sqlite3_stmt *row)
{
    double n[10];
    for (int i = 0; i < 10; i++) n[i] = sqlite3_column_double(row, 2 + i);
    return (gz_trs){{n[0], n[1], n[2]}, {n[3], n[4], n[5], n[6]}, {n[7], n[8], n[9]}};
}

/* Where a drag that ran then had it: on the line between two points of its path. */
static void find_dragged(struct question *question, sqlite3_int64 node, gz_trs *trs)
{
    sqlite3_stmt *row = look(question, GZ_SQL_WORLD_BEFORE, node);
    if (row == NULL) return;
    sqlite3_int64 drag = sqlite3_column_int64(row, 0), from = sqlite3_column_int64(row, 1);
    *trs = read_trs(row);
    sqlite3_reset(row);
    question->drag = drag;
    row = look(question, GZ_SQL_WORLD_AFTER, node);
    if (row == NULL) return;
    gz_trs next = read_trs(row);
    double part = (double)(question->seq - from) / (double)(sqlite3_column_int64(row, 1) - from);
    *trs = gz_trs_between(trs, &next, part);
    sqlite3_reset(row);
}

/* The node's transform and parent (0 is the root) as they are asked for; false where it is not
 * alive. */
static bool find(struct question *question, sqlite3_int64 node, gz_trs *trs, sqlite3_int64 *parent)
{
    sqlite3_stmt *row =
        look(question, question->in_past ? GZ_SQL_WORLD_THEN : GZ_SQL_WORLD_NOW, node);
    if (row == NULL) return false;
    bool alive = sqlite3_column_int(row, 0) != 0;
    *parent = sqlite3_column_int64(row, 1);
    *trs = read_trs(row);
    sqlite3_reset(row);
    if (!alive || !question->in_past) return alive;
    find_dragged(question, node, trs);
    return !question->failed;
}

/* Whether the past is kept at the seq that is asked for. */
static bool check_kept(struct question *question, sqlite3_int64 node)
{
    sqlite3_stmt *row = look(question, GZ_SQL_WORLD_SINCE, node);
    if (row == NULL) return !question->failed;
    sqlite3_int64 since = sqlite3_column_int64(row, 0);
    sqlite3_reset(row);
    gizmo_fail(question->call, "seq %lld is no longer kept: the history begins at %lld",
               question->seq, since);
    return false;
}

/* That there is such a node, and such a seq. */
static bool check(struct question *question, sqlite3_int64 node)
{
    sqlite3_stmt *row = look(question, GZ_SQL_WORLD_NOW, node);
    if (row == NULL) {
        if (!question->failed) gizmo_fail(question->call, "there is no node %lld", node);
        return false;
    }
    sqlite3_int64 last = sqlite3_column_int64(row, 12);
    sqlite3_reset(row);
    if (!question->in_past) return true;
    if (question->seq <= last) return check_kept(question, node);
    gizmo_fail(question->call, "seq %lld is in the future: %lld is saved", question->seq, last);
    return false;
}

/* False where the node is not alive, or with an error. */
static bool find_world(struct question *question, sqlite3_int64 node, gz_affine *world)
{
    gz_trs chain[DEPTH_MAX];
    int depth = 0;
    if (!check(question, node)) return false;
    for (sqlite3_int64 at = node; depth == 0 || at != 0; depth++) {
        sqlite3_int64 below = at;
        if (depth < DEPTH_MAX && find(question, below, &chain[depth], &at)) continue;
        if (depth > 0 && !question->failed)
            gizmo_fail(question->call,
                       "the file is damaged: the parents of node %lld lead to no root", node);
        return false;
    }
    *world = gz_affine_from_trs(&chain[depth - 1]);
    for (int i = depth - 2; i >= 0; i--) {
        gz_affine local = gz_affine_from_trs(&chain[i]);
        *world = gz_affine_multiply(world, &local);
    }
    return true;
}

static bool read_integer(sqlite3_context *call, sqlite3_value *argument, const char *name,
                         sqlite3_int64 *integer)
{
    *integer = sqlite3_value_int64(argument);
    if (sqlite3_value_type(argument) == SQLITE_INTEGER) return true;
    gizmo_fail(call, "%s is '%s', not an integer", name,
               (const char *)sqlite3_value_text(argument));
    return false;
}

/* ---- gizmo_world ---- */

static const char *const elements[] = {"tx", "ty", "tz", "rx", "ry", "rz", "rw", "sx", "sy", "sz"};
#define ELEMENT_COUNT ((int)(sizeof elements / sizeof elements[0]))

static void answer_element(sqlite3_context *call, const gz_affine *world, int element)
{
    gz_trs trs;
    if (element < 3) {
        sqlite3_result_double(call, gz_component(world->origin, element));
    } else if (gz_trs_from_affine(world, &trs, NULL)) {
        double numbers[] = {trs.r.x, trs.r.y, trs.r.z, trs.r.w, trs.s.x, trs.s.y, trs.s.z};
        sqlite3_result_double(call, numbers[element - 3]);
    }
}

static void answer_world(struct question *question, sqlite3_int64 node, int element)
{
    gz_affine world;
    double matrix[16];
    if (!find_world(question, node, &world)) return;
    if (element >= 0) {
        answer_element(question->call, &world, element);
        return;
    }
    gz_affine_to_matrix(&world, matrix);
    gizmo_answer_list(question->call, matrix, 16);
}

/* (node), (node, seq), (node, element) or (node, seq, element). */
void gizmo_call_world(sqlite3_context *call, int count, sqlite3_value **arguments)
{
    struct question question = {.call = call};
    sqlite3_int64 node;
    int element = -1, last = count - 1;
    bool own;
    if (!gizmo_has_all(arguments, count) || !read_integer(call, arguments[0], "node", &node))
        return;
    bool has_element =
        count == 3 || (count == 2 && sqlite3_value_type(arguments[1]) == SQLITE_TEXT);
    if (has_element) {
        element = gizmo_read_word(call, arguments[last], "element", elements, ELEMENT_COUNT);
        if (element < 0) return;
    }
    question.in_past = count - has_element == 2;
    if (question.in_past && !read_integer(call, arguments[1], "seq", &question.seq)) return;
    if (!begin(&question, last, &own)) return;
    answer_world(&question, node, element);
    end(&question, last, own);
}

/* ---- gizmo_distance ---- */

static void answer_distance(struct question *question, sqlite3_int64 a, sqlite3_int64 b)
{
    gz_affine from, to;
    if (!find_world(question, a, &from) || !find_world(question, b, &to)) return;
    gz_vec3 between = gz_sub(to.origin, from.origin);
    sqlite3_result_double(question->call, hypot(hypot(between.x, between.y), between.z));
}

void gizmo_call_distance(sqlite3_context *call, int count, sqlite3_value **arguments)
{
    struct question question = {.call = call, .in_past = count == 3};
    sqlite3_int64 a, b;
    bool own;
    if (!gizmo_has_all(arguments, count)) return;
    if (!read_integer(call, arguments[0], "a", &a) || !read_integer(call, arguments[1], "b", &b))
        return;
    if (question.in_past && !read_integer(call, arguments[2], "seq", &question.seq)) return;
    if (!begin(&question, count - 1, &own)) return;
    answer_distance(&question, a, b);
    end(&question, count - 1, own);
}
