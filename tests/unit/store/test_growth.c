/* What grows with a scene and what does not: the steps that SQLite takes to answer, which are the
 * same on every machine. */
#include "unit/store/scene_file.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>

#include "store/sql.h"

#define FEW "2000"
#define MANY "10000"
/* Steps of the search for a time. */
#define HALVINGS 53

/* Edit 1 makes so many nodes, and so many edits after it move node 1, one a second. */
#define FILL(count)                                                                                \
    "BEGIN;"                                                                                       \
    "INSERT INTO epochs VALUES (1, 0, 0, '');"                                                     \
    "INSERT INTO sessions VALUES (1, 1, 'ada', 'editor', 0, NULL);"                                \
    "UPDATE scene SET seq = 2 * " count ";"                                                        \
    "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < " count ")"       \
    " INSERT INTO nodes SELECT i, i, NULL, NULL, 'n', 0.0,0.0,0.0, 0.0,0.0,0.0,1.0, 1.0,1.0,1.0,"  \
    " NULL,NULL,NULL, NULL,NULL,NULL, NULL FROM n;"                                                \
    "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i <= " count ")"      \
    " INSERT INTO edits (id, kind, epoch, session, user, began, ended, began_seq, seq, residual)"  \
    " SELECT i, iif(i = 1, 'import', 'set'), 1, 1, 'ada', i, i," count " + i - 2," count           \
    " + i - 1, 0 FROM n;"                                                                          \
    "INSERT INTO changes (edit, step, node, seq, did, after_name, after_tx, after_ty, after_tz,"   \
    " after_rx, after_ry, after_rz, after_rw, after_sx, after_sy, after_sz)"                       \
    " SELECT 1, id - 1, id, " count ", 'create', 'n', tx,ty,tz, rx,ry,rz,rw, sx,sy,sz FROM nodes;" \
    "INSERT INTO changes SELECT e.id, 0, 1, e.seq, 'change', NULL, 'n', tx,ty,tz, rx,ry,rz,rw,"    \
    " sx,sy,sz, NULL,NULL,NULL, NULL,NULL,NULL, NULL, NULL, 'n', tx,ty,tz, rx,ry,rz,rw, sx,sy,sz," \
    " NULL,NULL,NULL, NULL,NULL,NULL, NULL FROM edits e, nodes n WHERE n.id = 1 AND e.id > 1;"     \
    "COMMIT;"

static const char *make_file(void **directory, const char *name, const char *filling)
{
    struct gz_scene_state state;
    const char *path = in_directory(directory, name);
    gz_store_close(open_scene(path, true, START_TIME, &state));
    gz_scene_state_finish(&state);
    tell(path, filling);
    return path;
}

/* The steps that a statement takes for all its rows, of which there are `rows`. */
static int count_steps(const char *path, const char *sql, const double *values, int count, int rows)
{
    sqlite3 *db;
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    for (int i = 0; i < count; i++) sqlite3_bind_double(statement, i + 1, values[i]);
    if (sqlite3_bind_parameter_count(statement) == 5)
        sqlite3_bind_text(statement, 2, "ada", -1, SQLITE_STATIC);
    while (sqlite3_step(statement) == SQLITE_ROW) rows--;
    assert_int_equal(rows, 0);
    assert_int_equal(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_SORT, 0), 0);
    int steps = sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return steps;
}

/* The newest page, one from the middle, one between two times, and the oldest with the import: as
 * many steps in a file that is five times as long. A time is found by halving, and each half takes
 * a step more or less. */
TEST_IN_DIRECTORY(test_history_takes_the_steps_of_its_page)
{
    const char *few = make_file(directory, "few.db", FILL(FEW)),
               *many = make_file(directory, "many.db", FILL(MANY));
    const double pages[][5] = {
        {1, 0, NAN, NAN, 100}, {1, 0, NAN, 1000, 100}, {1, 0, 900, 1001, 99}, {1, 0, NAN, 50, 49}};
    const enum gz_sql_query which[] = {GZ_SQL_QUERY_HISTORY, GZ_SQL_QUERY_HISTORY_OF_USER,
                                       GZ_SQL_QUERY_HISTORY_OF_NODE,
                                       GZ_SQL_QUERY_HISTORY_OF_NODE_BY_USER};
    for (int i = 0; i < 16; i++) {
        const double *page = pages[i / 4];
        const char *sql = gz_sql_query[which[i % 4]];
        int steps = count_steps(few, sql, page, 5, (int)page[4]);
        assert_true(steps < 100 * 100 + 2 * HALVINGS * 25);
        assert_in_range(count_steps(many, sql, page, 5, (int)page[4]), steps - HALVINGS,
                        steps + HALVINGS);
    }
}

/* What one edit did to one node, of however many the edit made. */
TEST_IN_DIRECTORY(test_change_of_one_node_takes_one_look)
{
    const char *few = make_file(directory, "few.db", FILL(FEW)),
               *many = make_file(directory, "many.db", FILL(MANY));
    const enum gz_sql_rows which[] = {GZ_SQL_ROWS_CHANGE_OF_NODE, GZ_SQL_ROWS_NODE};
    for (int i = 0; i < 2; i++) {
        const char *sql = gz_sql_rows[which[i]];
        int steps = count_steps(few, sql, (const double[]){1, 1500, 2000}, 3, 1);
        assert_true(steps < 100);
        assert_int_equal(count_steps(many, sql, (const double[]){1, 1500, 10000}, 3, 1), steps);
    }
}

/* The whole answer about a node of the import: a kilobyte or two, not one for each node. */
TEST_IN_DIRECTORY(test_history_of_an_imported_node_alone_is_small)
{
    const char *path = make_file(directory, "many.db", FILL(MANY));
    struct gz_query query = {.kind = GZ_QUERY_HISTORY,
                             .node = 1500,
                             .alone = true,
                             .since = NAN,
                             .before = NAN,
                             .limit = 10};
    for (int brief = 0; brief < 2; brief++) {
        struct gz_answer answer;
        query.brief = brief;
        gz_store_query(path, &query, &answer);
        assert_int_equal(answer.status, GZ_OK);
        assert_int_equal(answer.edit_count, 1);
        assert_int_equal(answer.edits[0].total, 10000);
        assert_int_equal(answer.edits[0].change_count, 1);
        assert_int_equal(gz_edit_node(&answer.edits[0], 0), 1500);
        assert_true(answer.arena.used < 16384);
        gz_answer_finish(&answer);
    }
}
