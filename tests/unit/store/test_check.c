/* What gz_store_check says: nothing of files that the store wrote, and of each way to break one
 * just what is broken. */
#include "unit/store/scene_file.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schema/schema.h"
#include "store/database.h"
#include "store/parts.h"

#define WORDS_BYTES 16384

struct said {
    char words[WORDS_BYTES];
    size_t size;
    struct gz_store_check check;
    struct gz_error error;
};

static void handle_fault(void *context, const char *words)
{
    struct said *said = context;
    int written = snprintf(said->words + said->size, WORDS_BYTES - said->size, "%s\n", words);
    if (said->size + (size_t)written < WORDS_BYTES) said->size += (size_t)written;
}

static enum gz_status check(const char *path, struct said *said)
{
    *said = (struct said){.check = {.handle_fault = handle_fault, .context = said}};
    return gz_store_check(path, &said->check, &said->error);
}

/* As after a crash of the server. */
static void check_present(const char *path, struct said *said)
{
    struct gz_db_reader reader;
    *said = (struct said){.check = {.handle_fault = handle_fault, .context = said}};
    assert_int_equal(gz_db_reader_open(&reader, path, GZ_FILE_ANY, &said->error), GZ_OK);
    assert_int_equal(gz_check_reader(&reader, GZ_CHECK_PRESENT, &said->check, &said->error), GZ_OK);
    gz_db_reader_close(&reader);
}

static size_t count_of(const char *words, const char *text)
{
    size_t count = 0;
    for (; (text = strstr(text, words)) != NULL; text++) count++;
    return count;
}

static void assert_clean(const char *path)
{
    static struct said said;
    if (check(path, &said) != GZ_OK) fail_msg("%s", said.error.message);
    if (said.check.faults != 0) fail_msg("%s", said.words);
    assert_int_equal(said.size, 0);
}

static void copy_file(const char *from, const char *to, long hole, size_t hole_size)
{
    static char bytes[1 << 22];
    FILE *file = fopen(from, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    assert_true(size > 0 && size < sizeof bytes);
    fclose(file);
    if (hole_size > 0) memset(bytes + hole, 0xa5, hole_size);
    file = fopen(to, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* ---- files as the store leaves them ---- */

/* While it is open, closed with drags that ran, opened again, and as a backup. */
TEST(test_check_finds_nothing_in_what_the_store_wrote)
{
    struct gz_scene_state scene;
    const char *path = in_directory(state, "model.db"), *copy = in_directory(state, "copy.db");
    struct gz_store *store = open_scene(path, true, START_TIME, &scene);
    struct model *model = model_create(3);
    struct gz_error error;
    gz_scene_state_finish(&scene);
    for (int life = 0; life < 4; life++) {
        for (int i = 0; i < 150; i++) {
            commit(store, model_batch(model));
            if (i % 30 == 0) assert_clean(path);
        }
        assert_int_equal(gz_store_backup(path, copy, &error), GZ_OK);
        assert_clean(copy);
        assert_int_equal(remove(copy), 0);
        gz_store_close(store);
        assert_clean(path);
        model_reopen(model);
        store = open_only(path, false, START_TIME + 1e6 * (life + 1));
        assert_clean(path);
    }
    gz_store_close(store);
    model_destroy(model);
}

/* The rest before the first motion is a point at the seq where the drag began. */
TEST(test_check_of_a_drag_that_was_held_before_it_moved_is_clean)
{
    const char *path = in_directory(state, "held.db");
    struct gz_store *store = open_only(path, true, START_TIME);
    const struct gz_content from = some_content(0, "n", 0), to = some_content(0, "n", 1);
    const struct gz_change made = {.node = 1, .exists = true, .after = from};
    const struct gz_change moved = {
        .node = 1, .existed = true, .exists = true, .before = from, .after = to};
    struct gz_edit_record edit = {.id = 1,
                                  .kind = GZ_EDIT_CREATE,
                                  .user = "anna",
                                  .began = START_TIME + 1,
                                  .ended = START_TIME + 1,
                                  .seq = 1,
                                  .changes = &made,
                                  .change_count = 1};
    for (uint64_t i = 1; i <= 3; i++) {
        struct gz_batch *batch = gz_batch_create();
        const struct gz_node_record node = {.id = 1, .seq = i, .content = i == 1 ? from : to};
        const struct gz_sample_record sample = {2, 1, 2, START_TIME + 9, to.trs};
        batch->nodes = &node;
        batch->node_count = i < 3;
        batch->begun = batch->ended = &edit;
        batch->begun_count = batch->sample_count = i == 2;
        batch->ended_count = i != 2;
        batch->samples = &sample;
        batch->seq = edit.seq = i;
        batch->next_node = 2;
        batch->next_edit = 3;
        commit(store, batch);
        edit = (struct gz_edit_record){.id = 2,
                                       .kind = GZ_EDIT_TRANSLATE,
                                       .handle = GZ_TX,
                                       .user = "anna",
                                       .began = START_TIME + 2,
                                       .ended = START_TIME + 9.1,
                                       .began_seq = 1,
                                       .changes = &moved,
                                       .change_count = 1};
    }
    assert_int_equal(ask(path, "SELECT min(seq) FROM samples"), 1);
    assert_clean(path);
    gz_store_close(store);
}

TEST(test_check_says_what_there_is)
{
    struct said said;
    const char *path = in_directory(state, "numbered.db");
    struct gz_store *store = open_only(path, true, START_TIME);
    gz_store_close(store);
    assert_int_equal(check(path, &said), GZ_OK);
    assert_int_equal(said.check.version, ask(path, "PRAGMA user_version"));
    assert_int_equal(said.check.nodes, 0);
    assert_int_equal(said.check.edits, 0);
    assert_int_equal(said.check.seq, 0);
    assert_int_equal(said.check.faults, 0);
}

/* ---- files that were broken ---- */

struct story {
    struct gz_store *store;
    struct gz_arena arena;
    struct gz_content nodes[5];
    uint64_t seq, edit;
};

/* An edit of one node as a batch of its own. A drag that is to run on is only begun. */
static void tell_edit(struct story *story, enum gz_edit_kind kind, uint64_t target, uint64_t node,
                      struct gz_content content, bool exists, bool is_done)
{
    struct gz_batch *batch = gz_batch_create();
    struct gz_content *before = &story->nodes[node];
    struct gz_change change = {.node = node,
                               .existed = before->name != NULL,
                               .exists = exists,
                               .before = *before,
                               .after = content};
    struct gz_node_record record = {
        .id = node, .seq = ++story->seq, .gone = !exists, .content = content};
    bool is_drag = kind == GZ_EDIT_TRANSLATE;
    struct gz_edit_record edit = {.id = ++story->edit,
                                  .kind = kind,
                                  .handle = is_drag ? GZ_TX : GZ_HANDLE_NONE,
                                  .session = 1,
                                  .user = "anna",
                                  .target = target,
                                  .began = START_TIME + (double)story->edit,
                                  .ended = START_TIME + (double)story->edit + 1,
                                  .began_seq = story->seq - 1,
                                  .seq = story->seq,
                                  .changes = &change,
                                  .change_count = 1};
    struct gz_sample_record sample = {edit.id, node, story->seq, edit.began, content.trs};
    batch->nodes = &record;
    batch->samples = &sample;
    batch->begun = batch->ended = &edit;
    batch->node_count = 1;
    batch->sample_count = is_drag;
    batch->begun_count = !is_done;
    batch->ended_count = is_done;
    batch->seq = story->seq;
    batch->time = START_TIME + (double)story->edit;
    batch->next_node = 5;
    batch->next_edit = story->edit + 1;
    commit(story->store, batch);
    *before = exists ? content : (struct gz_content){0};
}

static void tell_join(struct story *story)
{
    struct gz_session_record joined = {1, "anna", GZ_ROLE_EDITOR, START_TIME};
    struct gz_batch *batch = gz_batch_create();
    batch->joined = &joined;
    batch->joined_count = 1;
    batch->seq = story->seq;
    batch->next_node = 5;
    batch->next_edit = story->edit + 1;
    commit(story->store, batch);
}

/* Edits 1 to 4 make nodes 1 to 4, each but the last below the one before; 5 drags node 2; 6 sets
 * node 3; 7 deletes node 4, which has a box; 8 undoes 6; after a restart 9 is a drag of node 3 that
 * runs. */
static void write_story(const char *path)
{
    struct story story = {0};
    story.store = open_only(path, true, START_TIME);
    tell_join(&story);
    for (uint64_t i = 1; i <= 4; i++) {
        struct gz_content made =
            some_content(i < 4 ? i - 1 : 0, i == 3 ? "Crank\nshaft" : "Node", (double)i);
        made.has_bounds = i == 4;
        made.bounds = (gz_box){{-1, -1, -1}, {1, 1, 1}};
        tell_edit(&story, GZ_EDIT_CREATE, 0, i, made, true, true);
    }
    tell_edit(&story, GZ_EDIT_TRANSLATE, 0, 2, some_content(1, "Node", 7), true, true);
    tell_edit(&story, GZ_EDIT_SET, 0, 3, some_content(2, "Other", 3), true, true);
    tell_edit(&story, GZ_EDIT_DELETE, 0, 4, story.nodes[4], false, true);
    tell_edit(&story, GZ_EDIT_UNDO, 6, 3, some_content(2, "Crank\nshaft", 3), true, true);
    gz_store_close(story.store);
    story.store = open_only(path, false, START_TIME + 1000);
    tell_join(&story);
    tell_edit(&story, GZ_EDIT_TRANSLATE, 0, 3, some_content(2, "Crank\nshaft", 5), true, false);
    gz_store_close(story.store);
    tell(path, "PRAGMA journal_mode = DELETE"); /* all of it in one file */
}

static int make_story(void **state)
{
    if (make_directory(state) != 0) return -1;
    write_story(in_directory(state, "story.db"));
    return 0;
}

struct damage {
    const char *sql, *words;
};

static void assert_damage(void **state, const struct damage *damage)
{
    static struct said said;
    const char *path = in_directory(state, "damaged.db");
    char sql[1024];
    copy_file(in_directory(state, "story.db"), path, 0, 0);
    snprintf(sql, sizeof sql, "PRAGMA ignore_check_constraints = ON; %s", damage->sql);
    tell(path, sql);
    if (check(path, &said) != GZ_OK) fail_msg("%s: %s", damage->sql, said.error.message);
    if (strcmp(said.words, damage->words) != 0)
        fail_msg("%s\nis said as\n%sand not as\n%s", damage->sql, said.words, damage->words);
    assert_true(said.check.faults > 0);
    /* Where a node is not as its last edit left it the check after a crash says so, too. */
    check_present(path, &said);
    assert_int_equal(count_of(", its last, ", said.words), count_of(", its last, ", damage->words));
}

#define X60 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define X300 X60 X60 X60 X60 X60
#define NOTES "INSERT INTO notes (id, user, text, reply, x, y, z, done, made, changed, changed_by) "

TEST(test_check_says_what_was_broken)
{
    static const struct damage damages[] = {
        {"UPDATE nodes SET deleted_seq = 3 WHERE id = 4",
         "row 4 of nodes breaks a rule of its table: (deleted_seq IS NULL OR deleted_seq = seq)\n"},
        {"UPDATE changes SET did = 'change' WHERE edit = 7",
         "row (edit 7, step 0) of changes breaks a rule of its table: ((after_name IS NULL) = "
         "(did = 'delete' OR seq IS NULL))\n"},
        {"UPDATE changes SET (before_name, before_tx, before_ty, before_tz, before_rx, before_ry, "
         "before_rz, before_rw, before_sx, before_sy, before_sz) = (NULL, NULL, NULL, NULL, NULL, "
         "NULL, NULL, NULL, NULL, NULL, NULL) WHERE edit = 7",
         "row (edit 7, step 0) of changes breaks a rule of its table: ((before_name IS NULL) = "
         "(did = 'create'))\n"
         "edit 7 changes node 4: it has no name before and none after\n"
         "node 4: edit 7 made it, but it was there since edit 4\n"},
        {"DROP INDEX changes_by_node", "the index changes_by_node is missing\n"},
        {"CREATE TABLE mine (x); CREATE INDEX mine_x ON mine (x)",
         "the table mine is not of a scene's schema\n"
         "the index mine_x is not of a scene's schema\n"},
        {"CREATE TRIGGER t AFTER UPDATE ON nodes BEGIN DELETE FROM edits; END",
         "the trigger t is not of a scene's schema\n"},
        {"DROP VIEW drags; CREATE VIEW drags AS SELECT 1",
         "the view drags is not as a scene's schema has it\n"},
        {"UPDATE edits SET epoch = 5 WHERE id = 2",
         "row 2 of edits names a row of sessions that is not there\n"
         "row 2 of edits names a row of epochs that is not there\n"},
        {"UPDATE samples SET edit = 77 WHERE edit = 5",
         "a row of samples names a row of edits that is not there\n"},
        {"DELETE FROM scene", "the table scene has 0 rows, not one\n"},
        {"INSERT INTO scene SELECT 2, seq, time, next_node, next_edit, created, made_by, 0, "
         "0, NULL, NULL FROM scene",
         "row 2 of scene breaks a rule of its table: (id = 1)\n"
         "the table scene has 2 rows, not one\n"},
        {"UPDATE scene SET log_n = -1", "scene, row 1: its log_n -1 or log_first 0 is invalid\n"},
        {"UPDATE scene SET log_n = 7", "scene, row 1: its log_n 7 or log_first 0 is invalid\n"},
        {"UPDATE scene SET log_n = 7, log_first = 8",
         "scene, row 1: its log_n 7 or log_first 8 is invalid\n"},
        {"UPDATE scene SET told_seq = 10, told_news = 0",
         "scene, row 1: its told_seq 10 or told_news 0 is invalid\n"},
        {"UPDATE scene SET told_seq = 9, told_news = 99",
         "scene, row 1: its told_seq 9 or told_news 99 is invalid\n"},
        {"INSERT INTO news SELECT 99, epoch, 10, NULL, 'later', 9, 'anna', 1.0, 0 FROM epochs "
         "LIMIT 1",
         "news 99 are of seq 10, the scene has come to 9\n"},
        {"UPDATE scene SET next_node = 4",
         "node 4 (Node) has an id that was never given out: the next is 4\n"},
        {"UPDATE scene SET next_edit = 9",
         "edit 9 has an id that was never given out: the next is 9\n"},
        {"UPDATE scene SET seq = 8",
         "node 3 (Crank\nshaft) changed at seq 9, the scene has come to 8\n"
         "edit 9 has samples of node 3 from seq 9 to 9, it went from 8 to 8\n"},
        {"UPDATE edits SET seq = 50 WHERE id = 8; UPDATE changes SET seq = 50 WHERE edit = 8",
         "edit 8 is of seq 50, the scene has come to 9\n"
         "edit 8, from seq 7 to 50, is not of its epoch 1700000000000\n"},
        {"UPDATE nodes SET seq = 7 WHERE id = 2", "nodes 2 and 4 changed at one seq, 7\n"},
        {"UPDATE edits SET seq = 6, began_seq = 4 WHERE id = 5; UPDATE changes SET seq = 6 WHERE "
         "edit = 5",
         "edits 5 and 6 ended at one seq, 6\n"},
        {"INSERT INTO assets VALUES (1, 1, 99, 'model/gltf+json', 'ab', x'00')",
         "asset 1 is of seq 99, the scene has come to 9\n"},
        {"INSERT INTO assets VALUES (1, 3, 1, 'model/gltf+json', 'ab', x'00'), (3, 1, 1, "
         "'model/gltf+json', 'cd', x'00')",
         "asset 3 has the number 3, which asset 1 has\n"},
        {"UPDATE nodes SET parent = 4 WHERE id = 2; UPDATE changes SET after_parent = 4 WHERE node "
         "= 2",
         "node 2 (Node) is alive, but its parent 4 is deleted\n"
         "node 2: edit 5 found another parent than edit 2 had left\n"},
        {"UPDATE nodes SET parent = 3 WHERE id = 2; UPDATE changes SET after_parent = 3, "
         "before_parent = iif(edit = 2, "
         "NULL, 3) WHERE node = 2",
         "node 2 (Node) hangs in a circle\n"
         "node 3 (Crank\nshaft) hangs in a circle\n"},
        {"UPDATE nodes SET name = printf('%.300c', 'x') WHERE id = 1; UPDATE changes SET "
         "after_name = (SELECT name "
         "FROM nodes WHERE id = 1) WHERE node = 1",
         "nodes, row 1 (" X300 "): name is too long\n"
         "edit 1 changes node 1: name is too long\n"},
        {"UPDATE nodes SET rx = 0.5 WHERE id = 1; UPDATE changes SET after_rx = 0.5 WHERE node = 1",
         "nodes, row 1 (Node): rotation is not a unit quaternion\n"
         "edit 1 changes node 1: rotation is not a unit quaternion\n"},
        {"UPDATE nodes SET ty = -9e999 WHERE id = 1; UPDATE changes SET after_ty = -9e999 WHERE "
         "node = 1",
         "nodes, row 1 (Node): translation is not finite or too large\n"
         "edit 1 changes node 1: translation is not finite or too large\n"},
        {"UPDATE nodes SET min_x = 2.0 WHERE id = 4; UPDATE changes SET after_min_x = 2.0, "
         "before_min_x = 2.0 WHERE "
         "after_min_x IS NOT NULL OR before_min_x IS NOT NULL",
         "nodes, row 4 (Node): its box is invalid\n"
         "edit 4 changes node 4: its box is invalid\n"
         "edit 7 changes node 4: its box is invalid\n"},
        {"UPDATE samples SET sz = 9e999 WHERE edit = 5",
         "edit 5 has a sample of node 2 at seq 5 with a number that is not finite, too large or "
         "too "
         "small\n"},
        {"UPDATE samples SET rw = 0.9 WHERE edit = 5",
         "edit 5 has a sample of node 2 at seq 5 with a rotation that is no unit quaternion\n"},
        {"UPDATE changes SET before_rw = 2.0 WHERE edit = 7; UPDATE changes SET after_rw = 2.0 "
         "WHERE edit = 4; UPDATE "
         "nodes SET rw = 2.0 WHERE id = 4",
         "nodes, row 4 (Node): rotation is not a unit quaternion\n"
         "edit 4 changes node 4: rotation is not a unit quaternion\n"
         "edit 7 changes node 4: rotation is not a unit quaternion\n"},
        {"UPDATE epochs SET began_seq = 30 WHERE epoch = (SELECT min(epoch) FROM epochs)",
         "epoch 1700001000000 began at seq 8, before the one before it did, at 30\n"
         "epoch 1700000000000 began at seq 30, the scene has come to 9\n"
         "edit 1, from seq 0 to 1, is not of its epoch 1700000000000\n"
         "edit 2, from seq 1 to 2, is not of its epoch 1700000000000\n"
         "edit 3, from seq 2 to 3, is not of its epoch 1700000000000\n"
         "edit 4, from seq 3 to 4, is not of its epoch 1700000000000\n"
         "edit 5, from seq 4 to 5, is not of its epoch 1700000000000\n"
         "edit 6, from seq 5 to 6, is not of its epoch 1700000000000\n"
         "edit 7, from seq 6 to 7, is not of its epoch 1700000000000\n"
         "edit 8, from seq 7 to 8, is not of its epoch 1700000000000\n"},
        {"UPDATE epochs SET began_seq = 30",
         "epoch 1700000000000 began at seq 30, the scene has come to 9\n"
         "epoch 1700001000000 began at seq 30, the scene has come to 9\n"
         "edit 1, from seq 0 to 1, is not of its epoch 1700000000000\n"
         "edit 2, from seq 1 to 2, is not of its epoch 1700000000000\n"
         "edit 3, from seq 2 to 3, is not of its epoch 1700000000000\n"
         "edit 4, from seq 3 to 4, is not of its epoch 1700000000000\n"
         "edit 5, from seq 4 to 5, is not of its epoch 1700000000000\n"
         "edit 6, from seq 5 to 6, is not of its epoch 1700000000000\n"
         "edit 7, from seq 6 to 7, is not of its epoch 1700000000000\n"
         "edit 8, from seq 7 to 8, is not of its epoch 1700000000000\n"
         "edit 9, from seq 8 on, is not of its epoch 1700001000000\n"},
        {"UPDATE sessions SET left = NULL",
         "session 1 (anna) never left epoch 1700000000000, which is over\n"},
        {"UPDATE edits SET began_seq = 5 WHERE id = 5",
         "edit 5 ended at seq 5, which is not after 5, where it began\n"},
        {"UPDATE edits SET began = ended + 60 WHERE id = 6",
         "edit 6 ended 60.0 s before it began\n"},
        {"UPDATE edits SET epoch = (SELECT max(epoch) FROM epochs) WHERE id = 8",
         "edit 8, from seq 7 to 8, is not of its epoch 1700001000000\n"},
        {"UPDATE edits SET epoch = (SELECT min(epoch) FROM epochs) WHERE id = 9",
         "edit 9 runs since epoch 1700000000000, which is over\n"},
        {"UPDATE edits SET kind = 'set', handle = NULL WHERE id = 9",
         "edit 9 runs, but it is a set, which nobody drags\n"},
        {"UPDATE edits SET target = 12 WHERE id = 8",
         "edit 8 undid edit 12, which was not before it\n"},
        {"UPDATE edits SET target = NULL WHERE id = 8",
         "edit 8 undid nothing, which was not before it\n"},
        {"UPDATE edits SET kind = 'restore', target = 8 WHERE id = 8",
         "edit 8 restored seq 8, which was not before it\n"},
        {"UPDATE edits SET kind = 'redo', target = 8 WHERE id = 8",
         "edit 8 redid edit 8, which was not before it\n"},
        {"UPDATE changes SET seq = 5 WHERE edit = 6",
         "edit 6 is of seq 6, its change of node 3 of 5\n"},
        {"UPDATE samples SET seq = 9 WHERE edit = 5",
         "edit 5 has samples of node 2 from seq 9 to 9, it went from 4 to 5\n"},
        {"UPDATE samples SET seq = 3 WHERE edit = 5",
         "edit 5 has samples of node 2 from seq 3 to 3, it went from 4 to 5\n"},
        {"UPDATE samples SET node = 1 WHERE edit = 5",
         "edit 5 has samples of node 1, which it did not change\n"},
        {"DELETE FROM changes WHERE edit = 1", "node 1 (Node) is there, but no edit made it\n"},
        {"DELETE FROM changes WHERE edit IN (3, 6, 8, 9); DELETE FROM samples WHERE edit = 9",
         "node 3 (Crank\nshaft) is there, but no edit made it\n"},
        {"DELETE FROM changes WHERE edit = 7",
         "node 4 (Node) is deleted, but edit 4, its last, left it alive\n"},
        {"UPDATE nodes SET deleted_seq = seq WHERE id = 1",
         "node 2 (Node) is alive, but its parent 1 is deleted\n"
         "node 1 (Node) is deleted, but edit 1, its last, left it alive\n"},
        {"UPDATE nodes SET deleted_seq = NULL WHERE id = 4",
         "node 4 (Node) is alive, but edit 7, its last, left it deleted\n"},
        {"UPDATE nodes SET name = 'x' WHERE id = 1",
         "node 1 (x) has another name than edit 1, its last, had left\n"},
        {"UPDATE nodes SET ty = -0.0 WHERE id = 1",
         "node 1 (Node) has another translation than edit 1, its last, had left\n"},
        {"UPDATE nodes SET name = 'x', tx = 77.0 WHERE id = 3",
         "node 3 (x) has another name than edit 8, its last, had left\n"},
        {"UPDATE nodes SET seq = (SELECT began_seq FROM edits WHERE id = 9) WHERE id = 3",
         "node 3 (Crank\nshaft) has another translation than edit 8, its last, had left\n"},
        {"UPDATE nodes SET sx = 2.0 WHERE id = 4",
         "node 4 (Node) has another scale than edit 7, its last, had left\n"},
        {"UPDATE nodes SET parent = 1 WHERE id = 3",
         "node 3 (Crank\nshaft) has another parent than edit 8, its last, had left\n"},
        {"UPDATE nodes SET asset = 5 WHERE id = 2",
         "node 2 (Node) has another place in the glTF file than edit 5, its last, had left\n"},
        {"UPDATE nodes SET max_x = 5.0 WHERE id = 4",
         "node 4 (Node) has another box than edit 7, its last, had left\n"},
        {"UPDATE nodes SET min_x = 0.0, min_y = 0.0, min_z = 0.0, max_x = 1.0, max_y = 1.0, max_z "
         "= 1.0 WHERE id = 2",
         "node 2 (Node) has another box than edit 5, its last, had left\n"},
        {"UPDATE changes SET before_tx = 44.0 WHERE edit = 9",
         "node 3: edit 9 found another translation than edit 8 had left\n"},
        {"UPDATE changes SET before_ry = -0.0 WHERE edit = 6",
         "node 3: edit 6 found another rotation than edit 3 had left\n"},
        {"UPDATE changes SET after_name = 'y' WHERE edit = 6",
         "node 3: edit 8 found another name than edit 6 had left\n"},
        {"UPDATE changes SET did = 'create', before_parent = NULL, before_name = NULL, before_tx = "
         "NULL, before_ty = "
         "NULL, before_tz = NULL, before_rx = NULL, before_ry = NULL, before_rz = NULL, before_rw "
         "= NULL, before_sx = "
         "NULL, before_sy = NULL, before_sz = NULL WHERE edit = 5",
         "node 2: edit 5 made it, but it was there since edit 2\n"},
        {"UPDATE changes SET node = 4 WHERE edit = 8",
         "node 3: edit 9 found another name than edit 6 had left\n"
         "node 3 (Crank\nshaft) has another name than edit 6, its last, had left\n"
         "node 4: edit 8 changed it, but edit 7 had deleted it\n"
         "node 4 (Node) is deleted, but edit 8, its last, left it alive\n"},
        {"UPDATE changes SET edit = 5, step = 1, seq = 5 WHERE edit = 2",
         "node 2: its history begins with edit 5, which did not make it\n"
         "edit 5 changes node 2 twice\n"
         "node 2 (Node) has another translation than edit 5, its last, had left\n"},
        {"INSERT INTO edits SELECT 10, kind, handle, epoch, session, user, key, target, began, "
         "ended, began_seq, seq, "
         "residual, typed, typed2 FROM edits WHERE id = 9; UPDATE scene SET next_edit = 11; CREATE "
         "TEMP TABLE c AS "
         "SELECT * FROM changes WHERE edit = 9; UPDATE c SET edit = 10; INSERT INTO changes SELECT "
         "* FROM c",
         "edit 10 drags node 3 beside another\n"},
        {NOTES "VALUES (1, 'anna', 'why?', 2, NULL, NULL, NULL, 0, 1.0, 1.0, 'anna'),"
               "(2, 'ben', 'so', 1, NULL, NULL, NULL, 0, 2.0, 2.0, 'ben')",
         "note 1 answers note 2, which was not before it\n"},
        {NOTES
         "VALUES (1, 'anna', printf('%.2001c', 'x'), NULL, NULL, NULL, NULL, 0, 1.0, 1.0, 'anna')",
         "note 1 has a text of 2001 bytes\n"},
        {NOTES "VALUES (1, 'anna', 'here', NULL, 0.0, -9e999, 0.0, 0, 1.0, 1.0, 'anna')",
         "note 1 is at a place that is not finite\n"},
        {NOTES "VALUES (1, 'anna', 'here', NULL, 0.0, 1.0, NULL, 0, 1.0, 1.0, 'anna')",
         "row 1 of notes breaks a rule of its table: (typeof(x) IN ('real', 'null') AND typeof(y) "
         "= typeof(x) AND"
         " typeof(z) = typeof(x))\n"},
        {"WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < "
         "4097) " NOTES
         "SELECT value, 'anna', 'n', NULL, NULL, NULL, NULL, 0, 1.0, 1.0, 'anna' FROM n",
         "there are 4097 notes, the most is 4096\n"},
        {"INSERT INTO checkpoints VALUES ('later', 10, 'anna', 1.0)",
         "checkpoint later is for seq 10, the scene has come to 9\n"},
        {"INSERT INTO checkpoints VALUES ('12', 1, 'anna', 1.0)",
         "row (name 12) of checkpoints breaks a rule of its table: (name GLOB '*[^0-9]*')\n"},
        {"INSERT INTO checkpoints VALUES (printf('%.65c', 'x'), 1, 'anna', 1.0)",
         "checkpoint xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx has a name "
         "of 65 bytes\n"},
        {"WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < "
         "1001)"
         " INSERT INTO checkpoints SELECT 'n' || value, 1, 'anna', 1.0 FROM n",
         "there are 1001 checkpoints, the most is 1000\n"},
        {"INSERT INTO access_changes VALUES (1, '', 'viewer', 'anna', 1.0)",
         "row 1 of access_changes breaks a rule of its table: (glob <> '')\n"},
        {"INSERT INTO access_changes VALUES (1, 'ben', 'owner', 'anna', 1.0)",
         "row 1 of access_changes breaks a rule of its table: (role IN ('viewer', 'editor', "
         "'admin'))\n"},
        {"INSERT INTO access_changes VALUES (1, printf('%.65c', 'x'), 'viewer', 'anna', 1.0)",
         "change 1 of the access is of a pattern of 65 bytes\n"},
        {"WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < "
         "514)"
         " INSERT INTO access_changes SELECT value, value % 257, 'viewer', 'anna', 1.0 FROM n",
         "the access has 257 patterns, the most is 256\n"},
    };
    assert_clean(in_directory(state, "story.db"));
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++)
        assert_damage(state, &damages[i]);
}

TEST(test_check_counts_what_is_too_many_to_say)
{
    static struct said said;
    const char *path = in_directory(state, "deep.db");
    copy_file(in_directory(state, "story.db"), path, 0, 0);
    tell(path, "WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 360)"
               " INSERT INTO nodes (id, seq, parent, name, tx, ty, tz, rx, ry, rz, rw, sx, sy, sz)"
               " SELECT i, 100 + i, iif(i > 100, i - 1, NULL), 'n', 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, "
               "1.0, 1.0, 1.0, 1.0 FROM n;"
               " UPDATE scene SET seq = 1000, next_node = 1000");
    assert_int_equal(check(path, &said), GZ_OK);
    assert_int_equal(said.check.faults, 5 + 261);
    assert_non_null(strstr(said.words, "node 360 is 261 deep, the most is 256\n"));
    assert_non_null(strstr(
        said.words, "node 119 (n) is there, but no edit made it\nand 241 more of that kind\n"));
    assert_null(strstr(said.words, "node 120"));
}

TEST(test_large_check_says_that_there_are_too_many_nodes)
{
    static struct said said;
    const char *path = in_directory(state, "full.db");
    copy_file(in_directory(state, "story.db"), path, 0, 0);
    tell(path, "WITH RECURSIVE n(i) AS (SELECT 5 UNION ALL SELECT i + 1 FROM n WHERE i < 100002)"
               " INSERT INTO nodes (id, seq, name, tx, ty, tz, rx, ry, rz, rw, sx, sy, sz)"
               " SELECT i, 100 + i, 'n', 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0 FROM n;"
               " UPDATE scene SET seq = 1000000, next_node = 1000000");
    assert_int_equal(check(path, &said), GZ_OK);
    assert_non_null(strstr(said.words, "there are 100001 nodes, the most is 100000\n"));
}

/* A page that the disk lost is said, and nothing worse happens. No page is free: what was in a free
 * one, nobody misses. */
TEST(test_check_of_any_lost_page_says_so)
{
    static struct said said;
    const char *story = in_directory(state, "story.db"), *path = in_directory(state, "lost.db");
    tell(story, "VACUUM");
    long pages = (long)ask(story, "PRAGMA page_count"), size = (long)ask(story, "PRAGMA page_size");
    assert_true(pages > 20);
    for (long page = 0; page < pages; page++) {
        copy_file(story, path, page * size, (size_t)size);
        enum gz_status status = check(path, &said);
        if (status == GZ_OK && said.check.faults == 0) fail_msg("page %ld is not missed", page + 1);
        if (status != GZ_OK) assert_int_equal(status, GZ_STORAGE);
    }
}

TEST(test_check_of_what_is_no_scene_is_refused)
{
    static const struct {
        const char *sql;
        enum gz_status status;
        const char *words;
    } cases[] = {
        {"PRAGMA application_id = 7", GZ_STORAGE, "not a scene"},
        {"PRAGMA user_version = 1000", GZ_VERSION, "use a newer gizmod"},
        {"PRAGMA user_version = 14", GZ_VERSION,
         "schema version 14, from before the first release"},
    };
    static struct said said;
    const char *path = in_directory(state, "other.db");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        copy_file(in_directory(state, "story.db"), path, 0, 0);
        tell(path, cases[i].sql);
        assert_int_equal(check(path, &said), cases[i].status);
        assert_non_null(strstr(said.error.message, cases[i].words));
    }
    assert_int_equal(check(in_directory(state, "none.db"), &said), GZ_UNKNOWN_SCENE);
    assert_int_equal(check("/dev/null", &said), GZ_STORAGE);
}

/* A file that was mailed may lie where nothing can be written, under any name. */
TEST(test_check_of_a_closed_file_leaves_nothing_beside_it)
{
    struct gz_scene_state scene;
    static const char *const names[] = {"plain.db", "a?b#c%41&d=e f.db"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char log[512], index[512];
        const char *path = in_directory(state, names[i]);
        snprintf(log, sizeof log, "%s-wal", path);
        snprintf(index, sizeof index, "%s-shm", path);
        gz_store_close(open_scene(path, true, START_TIME, &scene));
        gz_scene_state_finish(&scene);
        assert_int_not_equal(access(log, F_OK), 0);
        assert_clean(path);
        assert_int_not_equal(access(log, F_OK), 0);
        assert_int_not_equal(access(index, F_OK), 0);
    }
}

int main(void)
{
    return test_run(make_story, remove_directory);
}
