/* What people read: the views' words, and every query of schema/README.md on a file of a day's
 * work. */
#include "unit/store/scene_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/extension/gizmo.h"

#define ARENA_BYTES (1 << 20)
/* 2026-03-05 00:00:00 UTC. */
#define DAY 1772668800.0
#define AT(hour, minute, second) (DAY + (hour)*3600.0 + (minute)*60.0 + (second))

enum { ENGINE = 1, BLOCK, CRANKSHAFT, PISTON_1, PISTON_2, BOLT, SENSOR, NODE_END };
enum { ANNA = 1, BEN, CARA };

struct day {
    struct gz_arena arena;
    struct gz_store *store;
    struct gz_content nodes[NODE_END];
    bool gone[NODE_END], touched[NODE_END];
    uint64_t seq, edit;
};

static struct gz_change *change(struct day *day, uint64_t node)
{
    struct gz_change *change = gz_arena_take(&day->arena, 1, sizeof *change);
    assert_non_null(change);
    *change = (struct gz_change){
        .node = node, .existed = true, .exists = true, .before = day->nodes[node]};
    day->touched[node] = true;
    return change;
}

static void hand_over(struct day *day, struct gz_batch *batch, double time)
{
    batch->seq = day->seq;
    batch->time = time;
    batch->next_node = NODE_END;
    batch->next_edit = day->edit + 1;
    commit(day->store, batch);
}

/* Commits what was touched with an edit of one change, or many. */
static void finish(struct day *day, struct gz_edit_record edit, struct gz_change *changes,
                   size_t count, bool is_done)
{
    struct gz_batch *batch = gz_batch_create();
    struct gz_node_record nodes[NODE_END];
    static const uint8_t glb[64] = "glTF";
    batch->nodes = nodes;
    for (uint64_t i = 1; i < NODE_END; i++) {
        if (!day->touched[i]) continue;
        day->touched[i] = false;
        nodes[batch->node_count++] = (struct gz_node_record){
            .id = i, .seq = ++day->seq, .gone = day->gone[i], .content = day->nodes[i]};
    }
    edit.id = ++day->edit;
    edit.seq = day->seq;
    edit.changes = changes;
    edit.change_count = count;
    if (is_done) {
        batch->ended = &edit;
        batch->ended_count = 1;
    } else {
        batch->begun = &edit;
        batch->begun_count = 1;
    }
    if (edit.kind == GZ_EDIT_IMPORT) {
        add_asset(batch, 0, day->seq, glb, sizeof glb);
        ((struct gz_asset_record *)batch->assets)->count = SENSOR - 1;
    }
    hand_over(day, batch, edit.ended);
}

static void come_and_go(struct day *day)
{
    struct gz_session_record joined[] = {{ANNA, "anna", GZ_ROLE_ADMIN, AT(8, 55, 0)},
                                         {BEN, "ben", GZ_ROLE_EDITOR, AT(12, 10, 0)},
                                         {CARA, "cara", GZ_ROLE_VIEWER, AT(13, 5, 0)}};
    struct gz_session_record left = {CARA, "cara", GZ_ROLE_VIEWER, AT(13, 50, 0)};
    struct gz_batch *batch = gz_batch_create();
    batch->joined = joined;
    batch->joined_count = 3;
    batch->left = &left;
    batch->left_count = 1;
    batch->next_node = batch->next_edit = 1;
    commit(day->store, batch);
}

static void import(struct day *day)
{
    static const char *const names[] = {"",         "Engine",   "Block", "Crankshaft",
                                        "Piston_1", "Piston_2", "Bolt"};
    static const uint64_t parents[] = {0, 0, ENGINE, ENGINE, CRANKSHAFT, CRANKSHAFT, BLOCK};
    struct gz_change changes[SENSOR - 1];
    for (uint64_t i = ENGINE; i < SENSOR; i++) {
        day->nodes[i] = some_content(parents[i], names[i], 0);
        day->nodes[i].asset = (int64_t)i - 1;
        day->touched[i] = true;
        changes[i - 1] = (struct gz_change){.node = i, .exists = true, .after = day->nodes[i]};
    }
    finish(day,
           (struct gz_edit_record){
               .kind = GZ_EDIT_IMPORT, .user = "anna", .began = AT(9, 0, 0), .ended = AT(9, 0, 0)},
           changes, SENSOR - 1, true);
}

/* Piston_1 goes 25 cm along x from 11:59:58 to 12:00:08, in a jerk each second, and rests in
 * between. */
static void drag(struct day *day)
{
    struct gz_change *moved = change(day, PISTON_1);
    struct gz_edit_record edit = {.kind = GZ_EDIT_TRANSLATE,
                                  .handle = GZ_TX,
                                  .session = ANNA,
                                  .user = "anna",
                                  .began = AT(11, 59, 58),
                                  .began_seq = day->seq};
    for (int i = 1; i <= 10; i++) {
        day->nodes[PISTON_1].trs.t.x = 0.025 * i;
        struct gz_sample_record sample = {day->edit + 1, PISTON_1, ++day->seq, AT(11, 59, 58 + i),
                                          day->nodes[PISTON_1].trs};
        struct gz_node_record node = {
            .id = PISTON_1, .seq = day->seq, .content = day->nodes[PISTON_1]};
        struct gz_edit_record begun = edit;
        struct gz_batch *batch = gz_batch_create();
        begun.id = day->edit + 1;
        begun.changes = moved;
        begun.change_count = 1;
        batch->begun = &begun;
        batch->begun_count = i == 1;
        batch->samples = &sample;
        batch->nodes = &node;
        batch->sample_count = batch->node_count = 1;
        batch->seq = day->seq;
        batch->time = sample.time;
        batch->next_node = NODE_END;
        batch->next_edit = day->edit + 2;
        commit(day->store, batch);
    }
    moved->after = day->nodes[PISTON_1];
    edit.ended = AT(12, 0, 8);
    finish(day, edit, moved, 1, true);
}

static struct gz_edit_record edit_of(const struct day *day, enum gz_edit_kind kind,
                                     uint64_t session, double began, double ended)
{
    return (struct gz_edit_record){.kind = kind,
                                   .session = session,
                                   .user = session == ANNA ? "anna" : "ben",
                                   .began = began,
                                   .ended = ended,
                                   .began_seq = day->seq};
}

static void scale_turn_rename(struct day *day)
{
    struct gz_change *scaled = change(day, PISTON_1);
    day->nodes[PISTON_1].trs.s = (gz_vec3){2, 2, 2};
    scaled->after = day->nodes[PISTON_1];
    finish(day, edit_of(day, GZ_EDIT_SET, BEN, AT(12, 20, 0), AT(12, 20, 0)), scaled, 1, true);

    struct gz_change *turned = change(day, CRANKSHAFT);
    struct gz_edit_record turn = edit_of(day, GZ_EDIT_ROTATE, BEN, AT(13, 10, 0), AT(13, 12, 30));
    day->nodes[CRANKSHAFT].trs.r = gz_quat_from_euler((gz_vec3){acos(-1) / 2, 0, 0}, GZ_XYZ);
    turned->after = day->nodes[CRANKSHAFT];
    turn.handle = GZ_RX;
    turn.residual = 0.0125;
    turn.value[0] = acos(-1) / 2;
    turn.value_count = 1;
    finish(day, turn, turned, 1, true);

    struct gz_change *renamed = change(day, PISTON_2);
    day->nodes[PISTON_2].name = "Piston \"two\"";
    day->nodes[PISTON_2].parent = BLOCK;
    renamed->after = day->nodes[PISTON_2];
    finish(day, edit_of(day, GZ_EDIT_SET, ANNA, AT(13, 25, 0), AT(13, 25, 0)), renamed, 1, true);
}

static void delete_undo_create(struct day *day)
{
    struct gz_change *deleted = change(day, BOLT);
    deleted->exists = false;
    day->gone[BOLT] = true;
    finish(day, edit_of(day, GZ_EDIT_DELETE, BEN, AT(14, 0, 0), AT(14, 0, 0)), deleted, 1, true);

    struct gz_change *undone = change(day, PISTON_1);
    struct gz_edit_record undo = edit_of(day, GZ_EDIT_UNDO, ANNA, AT(14, 5, 0), AT(14, 5, 0));
    day->nodes[PISTON_1].trs.t.x = 0;
    undone->after = day->nodes[PISTON_1];
    undo.target = 2;
    finish(day, undo, undone, 1, true);

    struct gz_change *created = change(day, SENSOR);
    day->nodes[SENSOR] = some_content(0, "Sensor", -1.5);
    day->nodes[SENSOR].trs.r = gz_quat_from_euler((gz_vec3){0, acos(-1) / 2, 0}, GZ_XYZ);
    created->existed = false;
    created->after = day->nodes[SENSOR];
    finish(day, edit_of(day, GZ_EDIT_CREATE, BEN, AT(14, 10, 0), AT(14, 10, 0)), created, 1, true);
}

static void begin_another_drag(struct day *day)
{
    struct gz_change *running = change(day, PISTON_2);
    struct gz_edit_record drag = edit_of(day, GZ_EDIT_TRANSLATE, BEN, AT(14, 20, 0), AT(14, 20, 3));
    day->nodes[PISTON_2].trs.t.y = 0.1;
    drag.handle = GZ_TY;
    finish(day, drag, running, 1, false);
}

static struct gz_note_record note(uint64_t id, const char *user, const char *text, double made)
{
    return (struct gz_note_record){
        .id = id, .user = user, .text = text, .made = made, .changed = made, .by = user};
}

/* A question about the piston with its answers, a place in the world, one about a node that is
 * gone, and the scene as a whole. Then anna is done with the place, and deletes her answer. */
static void write_notes(struct day *day)
{
    struct gz_note_record question = note(1, "ben", "too tight?", AT(12, 15, 0)),
                          answer = note(2, "anna", "a little", AT(12, 17, 0)),
                          who = note(3, "cara", "who \"scaled\" it", AT(13, 20, 0)),
                          loose = note(4, "anna", "loose", AT(13, 30, 0)),
                          place = note(5, "ben", "the sensor goes here", AT(14, 6, 0)),
                          whole = note(6, "anna", "looks good", AT(14, 15, 0));
    question.node = answer.node = PISTON_1;
    question.has_point = place.has_point = true;
    question.point = (gz_vec3){0, -0.0, 0.125};
    question.key = "k";
    answer.reply = 1;
    who.reply = 2;
    loose.node = BOLT;
    place.point = (gz_vec3){-1.5, 0, 0};
    struct gz_note_record done = place, gone = answer;
    done.done = gone.gone = true;
    done.changed = AT(14, 16, 0);
    gone.changed = AT(14, 17, 0);
    done.by = "anna";
    const struct gz_note_record notes[] = {question, answer, who, loose, place, whole, done, gone};
    struct gz_batch *batch = gz_batch_create();
    batch->notes = notes;
    batch->note_count = sizeof notes / sizeof notes[0];
    hand_over(day, batch, AT(14, 17, 0));
}

/* Two states of the day, and one that was named by mistake. */
static void name_states(struct day *day)
{
    const struct gz_checkpoint_record checkpoints[] = {
        {.name = "before lunch", .user = "anna", .seq = 17, .made = AT(12, 9, 0)},
        {.name = "oops", .user = "ben", .seq = 3, .made = AT(12, 31, 0)},
        {.name = "oops", .user = "ben", .gone = true},
        {.name = "as imported", .user = "ben", .seq = 6, .made = AT(13, 0, 0)},
    };
    struct gz_batch *batch = gz_batch_create();
    batch->checkpoints = checkpoints;
    batch->checkpoint_count = sizeof checkpoints / sizeof checkpoints[0];
    hand_over(day, batch, AT(14, 18, 0));
}

/* Two patterns, and one that had more for a while. */
static void give_access(struct day *day)
{
    const struct gz_access_record access[] = {
        {.glob = "ben", .user = "anna", .role = GZ_ROLE_ADMIN, .made = AT(9, 0, 0)},
        {.glob = "*@example.com", .user = "anna", .role = GZ_ROLE_VIEWER, .made = AT(9, 1, 0)},
        {.glob = "dora", .user = "ben", .role = GZ_ROLE_EDITOR, .made = AT(9, 2, 0)},
        {.glob = "ben", .user = "anna", .role = GZ_ROLE_EDITOR, .made = AT(10, 0, 0)},
        {.glob = "dora", .user = "anna", .gone = true, .made = AT(10, 1, 0)},
    };
    struct gz_batch *batch = gz_batch_create();
    batch->access = access;
    batch->access_count = sizeof access / sizeof access[0];
    hand_over(day, batch, AT(14, 19, 0));
}

struct fixture {
    void *directory;
    char *path;
    struct day day;
    sqlite3 *db;
};

static int make_day(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    *state = fixture;
    if (make_directory(&fixture->directory) != 0) return -1;
    fixture->path = strdup(in_directory(&fixture->directory, "engine.db"));
    gz_arena_init(&fixture->day.arena, ARENA_BYTES);
    fixture->day.store = open_only(fixture->path, true, AT(8, 50, 0));
    come_and_go(&fixture->day);
    import(&fixture->day);
    drag(&fixture->day);
    scale_turn_rename(&fixture->day);
    delete_undo_create(&fixture->day);
    write_notes(&fixture->day);
    name_states(&fixture->day);
    give_access(&fixture->day);
    begin_another_drag(&fixture->day);
    return sqlite3_open_v2(fixture->path, &fixture->db, SQLITE_OPEN_READONLY, NULL);
}

static int remove_day(void **state)
{
    struct fixture *fixture = *state;
    sqlite3_close(fixture->db);
    gz_store_close(fixture->day.store);
    gz_arena_finish(&fixture->day.arena);
    int result = remove_directory(&fixture->directory);
    free(fixture->path);
    free(fixture);
    return result;
}

/* The rows of a query as sqlite3 prints them. */
static void print_rows(sqlite3 *db, const char *sql, char *out, size_t size, int *rows)
{
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        fail_msg("%s\n%s", sqlite3_errmsg(db), sql);
    size_t used = 0;
    int rc;
    out[0] = '\0';
    for (*rows = 0; (rc = sqlite3_step(statement)) == SQLITE_ROW; ++*rows)
        for (int i = 0; i < sqlite3_column_count(statement); i++) {
            const char *text = (const char *)sqlite3_column_text(statement, i);
            int written = snprintf(out + used, size - used, "%s%s", text != NULL ? text : "",
                                   i + 1 < sqlite3_column_count(statement) ? "|" : "\n");
            used += (size_t)written < size - used ? (size_t)written : 0;
        }
    if (rc != SQLITE_DONE) fail_msg("%s\n%s", sqlite3_errmsg(db), sql);
    sqlite3_finalize(statement);
}

TEST(test_views_read_well)
{
    struct fixture *fixture = *state;
    static const struct {
        const char *sql, *rows;
    } cases[] = {
        {"SELECT who, node, action, before, after, ended, seconds FROM history WHERE edit > 1 OR "
         "node_id = 4",
         "ben|Sensor|created|-|(-1.500, 0.000, 0.000) m (0.00, 90.00, "
         "0.00)°|2026-03-05T14:10:00.000Z|0.0\n"
         "anna|Piston_1|undid edit 2|(0.250, 0.000, 0.000) m|(0.000, 0.000, 0.000) "
         "m|2026-03-05T14:05:00.000Z|0.0\n"
         "ben|Bolt|deleted|(0.000, 0.000, 0.000) m|-|2026-03-05T14:00:00.000Z|0.0\n"
         "anna|Piston_2|renamed, reparented|\"Piston_2\" under Crankshaft|\"Piston \"two\"\" under "
         "Block|2026-03-05T13:25:00.000Z|0.0\n"
         "ben|Crankshaft|turned about x (rx) by exactly 90°|(0.00, 0.00, 0.00)°|(90.00, 0.00, "
         "0.00)°|2026-03-05T13:12:30.000Z|150.0\n"
         "ben|Piston_1|set scale|×(1.000, 1.000, 1.000)|×(2.000, 2.000, "
         "2.000)|2026-03-05T12:20:00.000Z|0.0\n"
         "anna|Piston_1|moved along x (tx)|(0.000, 0.000, 0.000) m|(0.250, 0.000, 0.000) "
         "m|2026-03-05T12:00:08.000Z|10.0\n"
         "anna|Piston_1|imported|-|(0.000, 0.000, 0.000) m|2026-03-05T09:00:00.000Z|0.0\n"},
        /* What was done before is told under the name of then. */
        {"SELECT who, node, action FROM history WHERE node_id = 5",
         "anna|Piston_2|renamed, reparented\nanna|Piston_2|imported\n"},
        {"SELECT depth, path, tx, ty, round(rx_deg, 9), ry_deg, sx FROM tree",
         "1|/Engine|0.0|0.0|0.0|0.0|1.0\n"
         "2|/Engine/Block|0.0|0.0|0.0|0.0|1.0\n"
         "3|/Engine/Block/Piston \"two\"|0.0|0.1|0.0|0.0|1.0\n"
         "2|/Engine/Crankshaft|0.0|0.0|90.0|0.0|1.0\n"
         "3|/Engine/Crankshaft/Piston_1|0.0|0.0|0.0|0.0|2.0\n"
         "1|/Sensor|-1.5|0.0|0.0|90.0|1.0\n"},
        {"SELECT who, handle, nodes, samples, began, seconds FROM drags",
         "anna|tx|1|10|2026-03-05T11:59:58.000Z|10.0\n"
         "ben|rx|1|0|2026-03-05T13:10:00.000Z|150.0\n"
         "ben|ty|1|0|2026-03-05T14:20:00.000Z|\n"},
        {"SELECT count(*), min(seconds), max(seconds), max(tx) FROM paths WHERE edit = 2",
         "21|0.0|10.0|0.25\n"},
        {"SELECT DISTINCT node FROM paths WHERE edit = 2", "Piston_1\n"},
        {"SELECT who, role, joined, left, minutes, edits FROM visits",
         "cara|viewer|2026-03-05T13:05:00.000Z|2026-03-05T13:50:00.000Z|45.0|0\n"
         "ben|editor|2026-03-05T12:10:00.000Z|||5\n"
         "anna|admin|2026-03-05T08:55:00.000Z|||3\n"},
        {"SELECT who, text, about, place, answers, state, made, changed, note FROM notes_in_words",
         "anna|looks good|the scene|||open|2026-03-05T14:15:00.000Z|2026-03-05T14:15:00.000Z|6\n"
         "ben|the sensor goes here|a place|(-1.500, 0.000, 0.000) "
         "m||done|2026-03-05T14:06:00.000Z|2026-03-05T14:16:00.000Z|5\n"
         "anna|loose|Bolt (deleted)|||open|2026-03-05T13:30:00.000Z|2026-03-05T13:30:00.000Z|4\n"
         "cara|who \"scaled\" it|the "
         "scene||anna|open|2026-03-05T13:20:00.000Z|2026-03-05T13:20:00.000Z|3\n"
         "anna|a little|Piston_1||ben|deleted by "
         "anna|2026-03-05T12:17:00.000Z|2026-03-05T14:17:00.000Z|2\n"
         "ben|too tight?|Piston_1|(0.000, 0.000, 0.125) "
         "m||open|2026-03-05T12:15:00.000Z|2026-03-05T12:15:00.000Z|1\n"},
        {"SELECT name, who, made, as_of, edits_since, seq FROM checkpoints_in_words",
         "before lunch|anna|2026-03-05T12:09:00.000Z|2026-03-05T12:00:08.000Z|6|17\n"
         "as imported|ben|2026-03-05T13:00:00.000Z|2026-03-05T09:00:00.000Z|7|6\n"},
        {"SELECT who, may, given_by, since FROM access",
         "*@example.com|viewer|anna|2026-03-05T09:01:00.000Z\n"
         "ben|editor|anna|2026-03-05T10:00:00.000Z\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char out[4096];
        int rows;
        print_rows(fixture->db, cases[i].sql, out, sizeof out, &rows);
        assert_string_equal(out, cases[i].rows);
    }
}

/* The views' degrees are the library's, also where two axes fall together. */
TEST(test_views_degrees_are_the_librarys)
{
    void *directory;
    assert_int_equal(make_directory(&directory), 0);
    const char *path = in_directory(&directory, "a.db");
    struct gz_store *store = open_only(path, true, START_TIME);
    struct model *model = model_create(5);
    struct gz_node_record nodes[200];
    for (size_t i = 0; i < 200; i++) {
        gz_vec3 angles = {(double)model_random(model, 5) - 2, (double)model_random(model, 5) - 2,
                          (double)model_random(model, 5) - 2};
        angles = gz_scale(angles, i < 125 ? acos(-1) / 2 : 0.7);
        nodes[i] =
            (struct gz_node_record){.id = i + 1, .seq = i + 1, .content = some_content(0, "n", 0)};
        nodes[i].content.trs.r = gz_quat_from_euler(angles, GZ_XYZ);
    }
    struct gz_batch *batch = gz_batch_create();
    batch->nodes = nodes;
    batch->node_count = 200;
    commit(store, batch);
    sqlite3 *db;
    sqlite3_stmt *rows;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_prepare_v2(db, "SELECT id, rx_deg, ry_deg, rz_deg FROM tree", -1, &rows, NULL),
        SQLITE_OK);
    int count = 0;
    for (; sqlite3_step(rows) == SQLITE_ROW; count++) {
        gz_quat expected = nodes[sqlite3_column_int(rows, 0) - 1].content.trs.r;
        gz_vec3 degrees = {sqlite3_column_double(rows, 1), sqlite3_column_double(rows, 2),
                           sqlite3_column_double(rows, 3)};
        gz_quat read = gz_quat_from_euler(gz_scale(degrees, acos(-1) / 180), GZ_XYZ);
        double dot =
            expected.x * read.x + expected.y * read.y + expected.z * read.z + expected.w * read.w;
        assert_true(fabs(fabs(dot) - 1) < 1e-12);
    }
    assert_int_equal(count, 200);
    sqlite3_finalize(rows);
    sqlite3_close(db);
    gz_store_close(store);
    model_destroy(model);
    assert_int_equal(remove_directory(&directory), 0);
}

/* As many digits as it takes to tell what was typed; a value that was typed is none that happened
 * to come out. */
TEST(test_views_say_what_was_typed)
{
    static const struct {
        enum gz_handle handle;
        double value[2];
        uint32_t count;
        const char *action;
    } cases[] = {
        {GZ_TX, {0.25}, 1, "moved along x (tx) by exactly 0.25 m"},
        {GZ_TX, {0, 0}, 0, "moved along x (tx)"},
        {GZ_TY, {-1234.000001}, 1, "moved along y (ty) by exactly -1234.000001 m"},
        {GZ_TZX, {0.1, -2}, 2, "moved in the zx plane (tzx) by exactly (0.1, -2) m"},
        {GZ_TV, {1e-7, 0}, 2, "moved in the view plane (tv) by exactly (1e-07, 0) m"},
        {GZ_RY, {1.5707963267948966}, 1, "turned about y (ry) by exactly 90°"},
        {GZ_RV, {12.566370614359172}, 1, "turned about the view axis (rv) by exactly 720°"},
        {GZ_RX, {0.001 / 180 * 3.141592653589793}, 1, "turned about x (rx) by exactly 0.001°"},
        {GZ_SU, {2}, 1, "scaled evenly (su) by exactly 2"},
        {GZ_SXY, {-0.5}, 1, "scaled in the xy plane (sxy) by exactly -0.5"},
    };
    enum { CASES = sizeof cases / sizeof cases[0] };
    void *directory;
    assert_int_equal(make_directory(&directory), 0);
    const char *path = in_directory(&directory, "a.db");
    struct gz_store *store = open_only(path, true, START_TIME);
    struct gz_node_record node = {.id = 1, .seq = 1, .content = some_content(0, "n", 0)};
    struct gz_change change = {
        .node = 1, .existed = true, .exists = true, .before = node.content, .after = node.content};
    struct gz_edit_record edits[CASES];
    for (uint64_t i = 0; i < CASES; i++) {
        edits[i] = (struct gz_edit_record){.id = i + 1,
                                           .kind = gz_handle_kind(cases[i].handle),
                                           .handle = cases[i].handle,
                                           .user = "u",
                                           .seq = i + 1,
                                           .value = {cases[i].value[0], cases[i].value[1]},
                                           .value_count = cases[i].count,
                                           .changes = &change,
                                           .change_count = 1};
    }
    struct gz_batch *batch = gz_batch_create();
    batch->nodes = &node;
    batch->node_count = 1;
    batch->ended = edits;
    batch->ended_count = CASES;
    commit(store, batch);
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    for (uint64_t i = 0; i < CASES; i++) {
        char sql[64], out[256], expected[256];
        int rows;
        snprintf(sql, sizeof sql, "SELECT action FROM history WHERE edit = %d", (int)i + 1);
        snprintf(expected, sizeof expected, "%s\n", cases[i].action);
        print_rows(db, sql, out, sizeof out, &rows);
        assert_string_equal(out, expected);
    }
    sqlite3_close(db);
    gz_store_close(store);
    assert_int_equal(remove_directory(&directory), 0);
}

/* The newest few of a million rows are there at once only where SQLite need not put the others into
 * order. */
TEST(test_history_is_walked_and_not_sorted)
{
    struct fixture *fixture = *state;
    char out[8192];
    int rows;
    print_rows(fixture->db, "EXPLAIN QUERY PLAN SELECT * FROM history LIMIT 5", out, sizeof out,
               &rows);
    assert_non_null(strstr(out, "SEARCH e USING INDEX edits_by_seq"));
    assert_null(strstr(out, "ORDER BY"));
    print_rows(fixture->db, "EXPLAIN QUERY PLAN SELECT * FROM history WHERE node_id = 4", out,
               sizeof out, &rows);
    assert_non_null(strstr(out, "SEARCH c USING INDEX changes_by_node"));
    print_rows(fixture->db, "EXPLAIN QUERY PLAN SELECT handle FROM edits WHERE ended IS NULL", out,
               sizeof out, &rows);
    assert_non_null(strstr(out, "USING INDEX edits_running"));
}

static char *read_text_file(const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *text = calloc(1, 1 << 17);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 17) - 1, file) > 0);
    fclose(file);
    return text;
}

/* The next query of the cookbook after `*at`, terminated; NULL where there are no more. */
static const char *next_query(char **at)
{
    char *query = strstr(*at, "\n```sql\n");
    if (query == NULL) return NULL;
    query += strlen("\n```sql\n");
    char *end = strstr(query, "\n```");
    assert_non_null(end);
    *end = '\0';
    *at = end + 1;
    return query;
}

static bool needs_extension(const char *query)
{
    return strstr(query, "gizmo_") != NULL;
}

/* A connection that knows the extension's functions. */
static sqlite3 *open_extended(const struct fixture *fixture)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open_v2(fixture->path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_gizmo_init(db, NULL, NULL), SQLITE_OK);
    return db;
}

/* All of them by a connection that knows the extension's functions, and those that do not name them
 * by one that does not. */
TEST(test_every_query_of_the_cookbook_runs_and_finds_something)
{
    struct fixture *fixture = *state;
    char *text = read_text_file(GZ_SOURCE_DIR "/schema/README.md"), *at = text,
         *out = malloc(1 << 16);
    int queries = 0, extended = 0, rows;
    sqlite3 *db = open_extended(fixture);
    for (const char *query; (query = next_query(&at)) != NULL; queries++) {
        extended += needs_extension(query);
        print_rows(needs_extension(query) ? db : fixture->db, query, out, 1 << 16, &rows);
        if (rows == 0) fail_msg("no rows from\n%s", query);
        if (getenv("GZ_SHOW") != NULL) print_message("%s\n%s\n", query, out);
    }
    assert_true(queries > 20 && extended > 4);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    free(text);
    free(out);
}

static size_t count_parts(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)) != NULL; text++) count++;
    return count;
}

static const char *find_picture(char *text)
{
    const char *query;
    while ((query = next_query(&text)) != NULL && strstr(query, "<svg") == NULL) continue;
    assert_non_null(query);
    return query;
}

/* 25 cm along x fill a panel of 280 pixels from above and from the front; from the left nothing
 * moves. */
TEST(test_the_picture_of_a_path_shows_each_step_from_three_sides)
{
    struct fixture *fixture = *state;
    char *text = read_text_file(GZ_SOURCE_DIR "/schema/README.md"), *out = malloc(1 << 16);
    int rows;
    sqlite3 *db = open_extended(fixture);
    print_rows(db, "SELECT count(*) - count(DISTINCT edit) FROM paths WHERE node = 'Piston_1'", out,
               1 << 16, &rows);
    size_t steps = strtoul(out, NULL, 10);
    assert_true(steps >= 10);
    print_rows(db, find_picture(text), out, 1 << 16, &rows);
    assert_int_equal(rows, 1);
    assert_memory_equal(out, "<svg xmlns=", 11);
    assert_non_null(strstr(out, "\n</svg>\n"));
    assert_int_equal(count_parts(out, "<line "), 3 * steps);
    assert_int_equal(count_parts(out, "</line>"), 3 * steps);
    assert_non_null(strstr(out, ">from above, 0.25 m<"));
    assert_non_null(strstr(out, ">from the left, 0 m<"));
    assert_non_null(strstr(
        out, "<line x1=\"20.00\" y1=\"170.00\"")); /* its beginning, at the left of a panel */
    assert_non_null(strstr(out, "x2=\"300.00\" y2=\"170.00\"")); /* its end, at the right */
    assert_non_null(strstr(out, "hsl(0,80%,45%)\"><title>anna, edit "));
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    free(text);
    free(out);
}

#ifdef GZ_EXTENSION_PATH
/* What the sqlite3 shell says to a query after `.load gizmo`, as people use it. */
static void ask_shell(const char *path, const char *query, char *out, size_t size)
{
    char command[1024];
    snprintf(command, sizeof command,
             "sqlite3 -batch -readonly -init /dev/null -cmd '.load %s' '%s' <'%s.sql' 2>&1",
             GZ_EXTENSION_PATH, path, path);
    char script[512];
    snprintf(script, sizeof script, "%s.sql", path);
    FILE *file = fopen(script, "w");
    assert_non_null(file);
    assert_true(fputs(query, file) >= 0);
    assert_int_equal(fclose(file), 0);
    FILE *shell = popen(command, "r");
    assert_non_null(shell);
    out[fread(out, 1, size - 1, shell)] = '\0';
    int code = pclose(shell);
    if (code != 0) fail_msg("the shell ended with %d:\n%s", code, out);
}

TEST(test_the_shell_loads_the_extension)
{
    struct fixture *fixture = *state;
    char *text = read_text_file(GZ_SOURCE_DIR "/schema/README.md"), *at = text,
         *out = malloc(1 << 16), *expected = malloc(1 << 16);
    int rows;
    sqlite3 *db = open_extended(fixture);
    for (const char *query; (query = next_query(&at)) != NULL;) {
        if (!needs_extension(query)) continue;
        print_rows(db, query, expected, 1 << 16, &rows);
        ask_shell(fixture->path, query, out, 1 << 16);
        assert_string_equal(out, expected);
    }
    sqlite3_close(db);
    free(text);
    free(out);
    free(expected);
}

TEST(test_a_program_loads_the_extension)
{
    struct fixture *fixture = *state;
    sqlite3 *db;
    char out[64], *words = NULL;
    int rows;
    assert_int_equal(sqlite3_open_v2(fixture->path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 1, NULL),
                     SQLITE_OK);
    if (sqlite3_load_extension(db, GZ_EXTENSION_PATH, NULL, &words) != SQLITE_OK)
        fail_msg("%s", words);
    print_rows(db, "SELECT gizmo_world(7, 'tx')", out, sizeof out, &rows);
    assert_string_equal(out, "-1.5\n");
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}
#endif

int main(void)
{
    return test_run(make_day, remove_day);
}
