/* The SQL functions of the extension, as they answer in a program: what they say of now and of the
 * past is what the server says. */
#include "unit/store/scene_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/extension/gizmo.h"
#include "support/chance.h"

struct fixture {
    void *directory;
    char *path;
    struct gz_store *store;
    struct model *model;
    sqlite3 *db;
};

static int make_scene(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    *state = fixture;
    if (make_directory(&fixture->directory) != 0) return -1;
    fixture->path = strdup(in_directory(&fixture->directory, "a.db"));
    fixture->store = open_only(fixture->path, true, START_TIME);
    fixture->model = model_create(11);
    for (int i = 0; i < 400; i++) commit(fixture->store, model_batch(fixture->model));
    if (sqlite3_open_v2(fixture->path, &fixture->db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        return -1;
    return sqlite3_gizmo_init(fixture->db, NULL, NULL);
}

static int remove_scene(void **state)
{
    struct fixture *fixture = *state;
    /* Whatever was cached is gone with its statement: nothing holds the connection. */
    assert_int_equal(sqlite3_close(fixture->db), SQLITE_OK);
    gz_store_close(fixture->store);
    model_destroy(fixture->model);
    free(fixture->path);
    int result = remove_directory(&fixture->directory);
    free(fixture);
    return result;
}

/* The one value of a query as text, "NULL", or the error's words. */
static const char *answer(sqlite3 *db, const char *sql)
{
    static char text[512];
    sqlite3_stmt *row;
    if (sqlite3_prepare_v2(db, sql, -1, &row, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    const char *found = sqlite3_step(row) == SQLITE_ROW ? (const char *)sqlite3_column_text(row, 0)
                                                        : sqlite3_errmsg(db);
    snprintf(text, sizeof text, "%s", found != NULL ? found : "NULL");
    sqlite3_finalize(row);
    return text;
}

struct sql_case {
    const char *sql, *answer;
};

static void assert_answers(sqlite3 *db, const struct sql_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *found = answer(db, cases[i].sql);
        if (strcmp(found, cases[i].answer) != 0)
            fail_msg("%s is %s, not %s", cases[i].sql, found, cases[i].answer);
    }
}

/* ---- gizmo_euler ---- */

static double euler_axis(sqlite3_stmt *row, gz_quat q, int order, const char *axis)
{
    const double numbers[] = {q.x, q.y, q.z, q.w};
    for (int i = 0; i < 4; i++) sqlite3_bind_double(row, i + 1, numbers[i]);
    sqlite3_bind_text(row, 5, gz_vocabulary_word(&gz_euler_words, order), -1, SQLITE_STATIC);
    sqlite3_bind_text(row, 6, axis, -1, SQLITE_STATIC);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    double degrees = sqlite3_column_double(row, 0);
    sqlite3_reset(row);
    return degrees;
}

/* A rotation set by `euler` and `order` is read back by the same words, also where two axes fall
 * together. */
TEST(test_euler_in_every_order_is_what_set_takes)
{
    struct fixture *fixture = *state;
    sqlite3_stmt *row;
    assert_int_equal(
        sqlite3_prepare_v2(fixture->db, "SELECT gizmo_euler(?, ?, ?, ?, ?, ?)", -1, &row, NULL),
        SQLITE_OK);
    const double radians = acos(-1) / 180;
    for (int i = 0; i < 6 * 343; i++) {
        int order = i % 6, at = i / 6;
        gz_vec3 said = {-90.0 + 30 * (at % 7), -90.0 + 30 * (at / 7 % 7), -90.0 + 30 * (at / 49)};
        gz_quat q = gz_quat_from_euler(gz_scale(said, radians), (enum gz_euler_order)order);
        gz_vec3 read = {euler_axis(row, q, order, "x"), euler_axis(row, q, order, "y"),
                        euler_axis(row, q, order, "z")};
        gz_quat again = gz_quat_from_euler(gz_scale(read, radians), (enum gz_euler_order)order);
        double dot = q.x * again.x + q.y * again.y + q.z * again.z + q.w * again.w;
        assert_true(fabs(fabs(dot) - 1) < 1e-12);
        static const int middle[] = {1, 2, 0, 2, 0, 1}, last[] = {2, 1, 2, 0, 1, 0};
        if (fabs(gz_component(said, middle[order])) == 90)
            assert_true(gz_component(read, last[order]) == 0);
        else
            assert_true(gz_length(gz_sub(read, said)) < 1e-9);
    }
    sqlite3_finalize(row);
}

/* Nodes that are turned by all multiples of 30 degrees, so that their y is often at 90. */
static void add_turned_nodes(sqlite3 *db)
{
    sqlite3_stmt *row;
    assert_int_equal(sqlite3_prepare_v2(
                         db,
                         "INSERT INTO nodes (id, seq, name, tx, ty, tz, rx, ry, rz, rw, sx, sy, sz)"
                         " VALUES (?, 1, 'n', 0.0, 0.0, 0.0, ?, ?, ?, ?, 1.0, 1.0, 1.0)",
                         -1, &row, NULL),
                     SQLITE_OK);
    for (int i = 0; i < 343; i++) {
        gz_vec3 turns = {i % 7 - 3, i / 7 % 7 - 3, i / 49 - 3};
        gz_quat q = gz_quat_from_euler(gz_scale(turns, acos(-1) / 6), GZ_XYZ);
        const double numbers[] = {q.x, q.y, q.z, q.w};
        sqlite3_bind_int(row, 1, 100 + i);
        for (int k = 0; k < 4; k++) sqlite3_bind_double(row, 2 + k, numbers[k]);
        assert_int_equal(sqlite3_step(row), SQLITE_DONE);
        sqlite3_reset(row);
    }
    sqlite3_finalize(row);
}

TEST(test_euler_agrees_with_the_views)
{
    struct fixture *fixture = *state;
    struct gz_scene_state scene;
    const char *path = in_directory(&fixture->directory, "turned.db");
    gz_store_close(open_scene(path, true, START_TIME, &scene));
    gz_scene_state_finish(&scene);
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_gizmo_init(db, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN", NULL, NULL, NULL), SQLITE_OK);
    add_turned_nodes(db);
    assert_string_equal(
        answer(db, "SELECT count(*) || ' ' || total(max(x, y, z) > 1e-9) FROM (SELECT"
                   " abs(t.rx_deg - gizmo_euler(n.rx, n.ry, n.rz, n.rw, 'XYZ', 'x')) AS x,"
                   " abs(t.ry_deg - gizmo_euler(n.rx, n.ry, n.rz, n.rw, 'XYZ', 'y')) AS y,"
                   " abs(t.rz_deg - gizmo_euler(n.rx, n.ry, n.rz, n.rw, 'XYZ', 'z')) AS z"
                   " FROM tree t JOIN nodes n USING (id))"),
        "343 0.0");
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

TEST(test_euler_says_what_it_cannot_take)
{
    struct fixture *fixture = *state;
    static const struct sql_case cases[] = {
        {"SELECT gizmo_euler(0, sqrt(0.5), 0, sqrt(0.5), 'XYZ')", "[0.0,90.0,0.0]"},
        {"SELECT gizmo_euler(0, 0, -sqrt(0.5), -sqrt(0.5), 'ZYX', 'z')", "90.0"},
        {"SELECT gizmo_euler(-0.0, -0.0, -0.0, -1, 'YZX')", "[0.0,0.0,0.0]"},
        {"SELECT gizmo_euler(1e300, 0, 0, 1e300, 'XYZ', 'x')", "90.0"},
        {"SELECT gizmo_euler(1e-300, 0, 0, 1e-300, 'XYZ', 'x')", "90.0"},
        {"SELECT gizmo_euler(NULL, 0, 0, 1, 'XYZ')", "NULL"},
        {"SELECT gizmo_euler(0, 0, 0, 1, NULL)", "NULL"},
        {"SELECT gizmo_euler('no', 0, 0, 1, 'XYZ', NULL)", "NULL"},
        {"SELECT gizmo_euler(0, 0, 0, 0, 'XYZ')", "gizmo_euler: (0, 0, 0, 0) is no rotation"},
        {"SELECT gizmo_euler(9e999, 0, 0, 1, 'XYZ')", "gizmo_euler: (Inf, 0, 0, 1) is no rotation"},
        {"SELECT gizmo_euler(0, '1', 0, 1, 'XYZ')", "gizmo_euler: y is text, not a number"},
        {"SELECT gizmo_euler(0, 0, 0, x'00', 'XYZ')", "gizmo_euler: w is a blob, not a number"},
        {"SELECT gizmo_euler(0, 0, 0, 1, 'xyz')",
         "gizmo_euler: order is 'xyz', it has to be one of XYZ XZY YXZ YZX ZXY ZYX"},
        {"SELECT gizmo_euler(0, 0, 0, 1, 7)",
         "gizmo_euler: order is '7', it has to be one of XYZ XZY YXZ YZX ZXY ZYX"},
        {"SELECT gizmo_euler(0, 0, 0, 1, 'XYZ', 'w')",
         "gizmo_euler: axis is 'w', it has to be one of x y z"},
    };
    assert_answers(fixture->db, cases, sizeof cases / sizeof cases[0]);
}

/* ---- gizmo_world and gizmo_distance ---- */

/* Root 1 is turned by 90 degrees about z and twice as large, at (10, 0, 0); 2 hangs from it at (1,
 * 0, 0), 3 from that, mirrored; 4 has a scale of 0; 5 was never moved and 6 below it is deleted,
 * then its parent is. */
static void make_small_scene(const char *path)
{
    struct gz_store *store = open_only(path, true, START_TIME);
    struct gz_node_record nodes[6];
    struct gz_change made[6], gone[2] = {0};
    static const uint64_t parents[] = {0, 1, 2, 1, 0, 5};
    for (uint64_t i = 0; i < 6; i++) {
        nodes[i] = (struct gz_node_record){
            .id = i + 1, .seq = i + 1, .content = some_content(parents[i], "n", 1)};
    }
    nodes[0].content.trs = (gz_trs){{10, 0, 0}, {0, 0, sqrt(0.5), sqrt(0.5)}, {2, 2, 2}};
    nodes[2].content.trs.s = (gz_vec3){-1, 1, 1};
    nodes[3].content.trs.s.y = 0;
    for (size_t i = 0; i < 6; i++)
        made[i] = (struct gz_change){.node = i + 1, .exists = true, .after = nodes[i].content};
    for (size_t i = 0; i < 2; i++) {
        gone[i] =
            (struct gz_change){.node = 6 - i, .existed = true, .before = nodes[5 - i].content};
        nodes[5 - i].gone = true;
        nodes[5 - i].seq = 7 + i;
    }
    struct gz_edit_record edits[] = {{.id = 1,
                                      .kind = GZ_EDIT_CREATE,
                                      .user = "u",
                                      .seq = 6,
                                      .changes = made,
                                      .change_count = 6},
                                     {.id = 2,
                                      .kind = GZ_EDIT_DELETE,
                                      .user = "u",
                                      .began_seq = 6,
                                      .seq = 8,
                                      .changes = gone,
                                      .change_count = 2}};
    struct gz_batch *batch = gz_batch_create();
    batch->nodes = nodes;
    batch->node_count = 6;
    batch->ended = edits;
    batch->ended_count = 2;
    batch->seq = 8;
    commit(store, batch);
    gz_store_close(store);
}

TEST(test_world_of_a_small_scene)
{
    struct fixture *fixture = *state;
    static const struct sql_case cases[] = {
        {"SELECT gizmo_world(1, 'tx')", "10.0"},
        {"SELECT round(gizmo_world(2, 'tx'), 12)", "10.0"},
        {"SELECT round(gizmo_world(2, 'ty'), 12)", "2.0"},
        {"SELECT round(gizmo_world(2, 'rz'), 12) = round(sqrt(0.5), 12)", "1"},
        {"SELECT round(gizmo_world(2, 'sz'), 12)", "2.0"},
        {"SELECT round(gizmo_world(3, 'sx'), 12)", "-2.0"},
        {"SELECT round(gizmo_world(3, 'ty'), 12)", "4.0"},
        {"SELECT gizmo_world(5)", "NULL"},
        {"SELECT gizmo_world(5, 6)",
         "[1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,1.0,0.0,0.0,1.0]"},
        {"SELECT gizmo_world(6)", "NULL"},
        {"SELECT gizmo_world(6, 7, 'tx')", "2.0"},
        {"SELECT gizmo_world(6, 8, 'tx')", "NULL"},
        {"SELECT gizmo_world(1, 5)", "NULL"},
        {"SELECT gizmo_world(1, 0)", "NULL"},
        {"SELECT gizmo_world(1, -1)", "NULL"},
        {"SELECT round(gizmo_world(4, 'ty'), 12)", "2.0"},
        {"SELECT gizmo_world(4, 'rx')", "NULL"},
        {"SELECT round(gizmo_distance(1, 3), 12)", "4.0"},
        {"SELECT round(gizmo_distance(6, 1, 7), 12)", "8.0"},
        {"SELECT gizmo_distance(6, 1)", "NULL"},
        {"SELECT gizmo_distance(3, 3)", "0.0"},
        {"SELECT count(gizmo_world(id)) || ' of ' || count(*) FROM nodes", "4 of 6"},
        {"SELECT gizmo_world(NULL)", "NULL"},
        {"SELECT gizmo_world(1, NULL)", "NULL"},
        {"SELECT gizmo_world(99, NULL, 'tx')", "NULL"},
        {"SELECT gizmo_distance(1, NULL)", "NULL"},
        {"SELECT gizmo_world(99)", "gizmo_world: there is no node 99"},
        {"SELECT gizmo_world(99, 3)", "gizmo_world: there is no node 99"},
        {"SELECT gizmo_distance(1, -5)", "gizmo_distance: there is no node -5"},
        {"SELECT gizmo_world(1, 9)", "gizmo_world: seq 9 is in the future: 8 is saved"},
        {"SELECT gizmo_world('n')", "gizmo_world: node is 'n', not an integer"},
        {"SELECT gizmo_world(1.5)", "gizmo_world: node is '1.5', not an integer"},
        {"SELECT gizmo_world(1, 2.5)", "gizmo_world: seq is '2.5', not an integer"},
        {"SELECT gizmo_world(1, '2', 'tx')", "gizmo_world: seq is '2', not an integer"},
        {"SELECT gizmo_distance(1, 'n')", "gizmo_distance: b is 'n', not an integer"},
        {"SELECT gizmo_world(1, 'x')",
         "gizmo_world: element is 'x', it has to be one of tx ty tz rx ry rz rw sx sy sz"},
        {"SELECT gizmo_world(1, 6, 'TX')",
         "gizmo_world: element is 'TX', it has to be one of tx ty tz rx ry rz rw sx sy sz"},
    };
    const char *path = in_directory(&fixture->directory, "small.db");
    make_small_scene(path);
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_gizmo_init(db, NULL, NULL), SQLITE_OK);
    assert_answers(db, cases, sizeof cases / sizeof cases[0]);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* The question cannot see whether the rows are gone: it goes by what the file says. */
TEST(test_world_before_what_is_kept_is_an_error)
{
    struct fixture *fixture = *state;
    static const struct sql_case cases[] = {
        {"SELECT gizmo_world(1, 6)",
         "gizmo_world: seq 6 is no longer kept: the history begins at 7"},
        {"SELECT gizmo_distance(6, 1, 0)",
         "gizmo_distance: seq 0 is no longer kept: the history begins at 7"},
        {"SELECT round(gizmo_distance(6, 1, 7), 12)", "8.0"},
        {"SELECT gizmo_world(1, 3) NOTNULL", "0"}, /* a checkpoint's; it was not alive yet */
        {"SELECT gizmo_world(1, 'tx')", "10.0"},
    };
    const char *path = in_directory(&fixture->directory, "kept.db");
    make_small_scene(path);
    tell(
        path,
        "INSERT INTO checkpoints VALUES ('v1', 3, 'u', 0.0); UPDATE kept SET since = 7, swept = 7");
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_gizmo_init(db, NULL, NULL), SQLITE_OK);
    assert_answers(db, cases, sizeof cases / sizeof cases[0]);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

TEST(test_world_of_a_damaged_file_is_an_error)
{
    struct fixture *fixture = *state;
    static const struct sql_case cases[] = {
        {"SELECT gizmo_world(2)",
         "gizmo_world: the file is damaged: the parents of node 2 lead to no root"},
        {"SELECT gizmo_world(3)",
         "gizmo_world: the file is damaged: the parents of node 3 lead to no root"},
        {"SELECT gizmo_world(5)", "NULL"},
        {"SELECT gizmo_world(4, 'tx')",
         "gizmo_world: the file is damaged: the parents of node 4 lead to no root"},
        {"SELECT gizmo_world(1, 'tx')", "Inf"},
        {"SELECT gizmo_world(1)", "NULL"},
    };
    const char *path = in_directory(&fixture->directory, "damaged.db");
    make_small_scene(path);
    tell(path, "UPDATE nodes SET parent = 3 WHERE id = 2; UPDATE nodes SET parent = 5 WHERE id = 4;"
               "UPDATE nodes SET tx = 9e999 WHERE id = 1");
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_gizmo_init(db, NULL, NULL), SQLITE_OK);
    assert_answers(db, cases, sizeof cases / sizeof cases[0]);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

TEST(test_world_of_what_is_no_scene_is_an_error)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    assert_int_equal(sqlite3_gizmo_init(db, NULL, NULL), SQLITE_OK);
    assert_string_equal(answer(db, "SELECT gizmo_world(1)"), "gizmo_world: no such table: nodes");
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* The world transform of nodes[i], whose parents stand before it. */
static gz_affine world_of(const struct gz_answer *past, const gz_affine *worlds, size_t i)
{
    gz_affine local = gz_affine_from_trs(&past->nodes[i].content.trs);
    for (size_t parent = 0; parent < i; parent++)
        if (past->nodes[parent].id == past->nodes[i].content.parent)
            return gz_affine_multiply(&worlds[parent], &local);
    return local;
}

static void assert_world_at(struct fixture *fixture, sqlite3_stmt *row, uint64_t seq)
{
    gz_affine worlds[MODEL_NODES_MAX];
    struct gz_query query = {.kind = GZ_QUERY_AT, .seq = seq};
    struct gz_answer past;
    gz_store_query(fixture->path, &query, &past);
    assert_int_equal(past.status, GZ_OK);
    for (size_t i = 0; i < past.node_count; i++) worlds[i] = world_of(&past, worlds, i);
    for (uint64_t id = 1; id <= fixture->model->node_count; id++) {
        size_t i = 0;
        while (i < past.node_count && past.nodes[i].id != id) i++;
        sqlite3_bind_int64(row, 1, (sqlite3_int64)id);
        sqlite3_bind_int64(row, 2, (sqlite3_int64)seq);
        assert_int_equal(sqlite3_step(row), SQLITE_ROW);
        for (int axis = 0; axis < 3; axis++) {
            double found = sqlite3_column_double(row, axis), expected = 0;
            if (i < past.node_count) expected = gz_component(worlds[i].origin, axis);
            bool is_null = sqlite3_column_type(row, axis) == SQLITE_NULL;
            assert_int_equal(is_null, i == past.node_count || isnan(expected));
            if (!is_null) assert_memory_equal(&found, &expected, sizeof found);
        }
        sqlite3_reset(row);
    }
    gz_answer_finish(&past);
}

/* To the bit, inside of drags, before and after undo and deletion, and now. */
TEST(test_world_at_any_seq_is_what_at_says)
{
    struct fixture *fixture = *state;
    sqlite3_stmt *row;
    assert_int_equal(
        sqlite3_prepare_v2(fixture->db,
                           "SELECT gizmo_world(?1, ?2, 'tx'), gizmo_world(?1, ?2, 'ty'),"
                           " gizmo_world(?1, ?2, 'tz')",
                           -1, &row, NULL),
        SQLITE_OK);
    for (uint64_t i = chance_count(100); i > 0; i--)
        assert_world_at(fixture, row, model_random(fixture->model, fixture->model->seq + 1));
    assert_world_at(fixture, row, fixture->model->seq);
    sqlite3_finalize(row);
}

TEST(test_world_now_is_world_at_the_last_seq)
{
    struct fixture *fixture = *state;
    assert_string_equal(answer(fixture->db,
                               "SELECT count(*) FROM nodes n, scene s"
                               " WHERE gizmo_world(n.id) IS NOT gizmo_world(n.id, s.seq)"),
                        "0");
    assert_string_not_equal(answer(fixture->db, "SELECT count(gizmo_world(id)) FROM nodes"), "0");
}

int main(void)
{
    return test_run(make_scene, remove_scene);
}
