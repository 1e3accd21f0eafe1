/* Notes in the file: what is committed comes back, deleted ones are history, keys are kept, a
 * refused batch leaves nothing. */
#include "unit/store/scene_file.h"

#include <math.h>
#include <string.h>

static struct gz_note_record some_note(uint64_t id, const char *text)
{
    return (struct gz_note_record){.id = id,
                                   .user = "O'Brien",
                                   .text = text,
                                   .made = START_TIME + (double)id,
                                   .changed = START_TIME + (double)id,
                                   .by = "O'Brien"};
}

static struct gz_batch *batch_of(const struct gz_note_record *notes, size_t count)
{
    static const struct gz_node_record node = {
        .id = 1,
        .seq = 1,
        .content = {.name = "box", .trs = {.r = {0, 0, 0, 1}, .s = {1, 1, 1}}, .asset = -1}};
    struct gz_batch *batch = gz_batch_create();
    assert_non_null(batch);
    batch->seq = batch->node_count = batch->next_edit = 1;
    batch->next_node = 2;
    batch->nodes = &node;
    batch->notes = notes;
    batch->note_count = count;
    return batch;
}

static void assert_same_note(const struct gz_note_record *a, const struct gz_note_record *b)
{
    assert_int_equal(a->id, b->id);
    assert_false(a->gone || b->gone);
    assert_int_equal(a->done, b->done);
    assert_string_equal(a->user, b->user);
    assert_string_equal(a->text, b->text);
    assert_int_equal(a->node, b->node);
    assert_int_equal(a->has_point, b->has_point);
    assert_memory_equal(&a->point, &b->point, sizeof a->point);
    assert_int_equal(a->reply, b->reply);
    assert_true(a->made == b->made && a->changed == b->changed);
    assert_string_equal(a->by, b->by);
    assert_null(a->key);
}

TEST_IN_DIRECTORY(test_notes_come_back_bit_by_bit)
{
    const char *path;
    struct gz_store *store = open_new(directory, &path);
    struct gz_note_record notes[] = {some_note(1, "'; DROP TABLE notes; --"),
                                     some_note(2, "line\nbreak \xf0\x9f\x94\xa9"),
                                     some_note(3, "a place"), some_note(7, "an answer")};
    notes[1].node = 1;
    notes[1].has_point = notes[2].has_point = true;
    notes[1].point = (gz_vec3){-0.0, 0.1, 1e-300};
    notes[2].point = (gz_vec3){1e15, -1.0 / 3, 0};
    notes[3].reply = 2;
    notes[3].done = true;
    notes[3].changed += 0.25;
    notes[3].by = "anna";
    commit(store, batch_of(notes, 4));
    gz_store_close(store);
    struct gz_scene_state state;
    store = open_scene(path, false, START_TIME + 1, &state);
    assert_int_equal(state.note_count, 4);
    assert_int_equal(state.next_note, 8);
    for (size_t i = 0; i < 4; i++) assert_same_note(&state.notes[i], &notes[i]);
    assert_true(signbit(state.notes[1].point.x));
    gz_scene_state_finish(&state);
    gz_store_close(store);
}

TEST_IN_DIRECTORY(test_changed_note_is_as_its_last_change_left_it)
{
    const char *path;
    struct gz_store *store = open_new(directory, &path);
    struct gz_note_record notes[] = {some_note(1, "one"), some_note(1, "two"),
                                     some_note(1, "three"), some_note(2, "other")};
    notes[0].node = 1;
    notes[1].has_point = true;
    notes[2].done = true;
    notes[2].changed += 3;
    commit(store, batch_of(notes, 2));
    commit(store, batch_of(notes + 2, 2));
    gz_store_close(store);
    struct gz_scene_state state;
    store = open_scene(path, false, START_TIME + 1, &state);
    assert_int_equal(state.note_count, 2);
    assert_same_note(&state.notes[0], &notes[2]);
    gz_scene_state_finish(&state);
    gz_store_close(store);
}

TEST_IN_DIRECTORY(test_deleted_note_keeps_its_row_and_its_id)
{
    const char *path;
    struct gz_store *store = open_new(directory, &path);
    struct gz_note_record notes[] = {some_note(1, "one"), some_note(2, "two"), some_note(2, "two")};
    notes[2].gone = true;
    notes[2].changed = START_TIME + 9;
    notes[2].by = "admin";
    commit(store, batch_of(notes, 3));
    gz_store_close(store);
    struct gz_scene_state state;
    store = open_scene(path, false, START_TIME + 10, &state);
    assert_int_equal(state.note_count, 1);
    assert_int_equal(state.next_note, 3);
    assert_int_equal(ask(path, "SELECT gone = 1.7e9 + 9 AND changed_by = 'admin' AND text = 'two' "
                               "FROM notes WHERE id = 2"),
                     1);
    gz_scene_state_finish(&state);
    gz_store_close(store);
}

TEST_IN_DIRECTORY(test_key_finds_its_note_across_restart_and_no_other)
{
    const char *path;
    struct gz_store *store = open_new(directory, &path);
    struct gz_note_record notes[] = {some_note(1, "one"), some_note(2, "two"), some_note(1, "one")};
    notes[0].key = "k'1";
    notes[2].key = "done";
    notes[2].by = "anna"; /* who said that it is done, by a key of her own */
    commit(store, batch_of(notes, 3));
    for (int openings = 0; openings < 2; openings++) {
        uint64_t note = 0;
        assert_true(knows_note_key(store, "O'Brien", "k'1", &note));
        assert_int_equal(note, 1);
        note = 0;
        assert_true(knows_note_key(store, "anna", "done", &note));
        assert_int_equal(note, 1);
        assert_false(knows_note_key(store, "anna", "k'1", &note));
        assert_false(knows_note_key(store, "O'Brien", "done", &note));
        assert_false(knows_note_key(store, "O'Brien", "k", &note));
        gz_store_close(store);
        store = open_only(path, false, START_TIME + openings);
    }
    gz_store_close(store);
}

/* What the rules of the tables refuse is refused with all that came with it. */
TEST_IN_DIRECTORY(test_batch_with_an_impossible_note_is_refused_whole)
{
    const char *path;
    struct gz_store *store = open_new(directory, &path);
    struct gz_note_record first = some_note(1, "one");
    first.key = "k";
    commit(store, batch_of(&first, 1));
    struct gz_note_record wrong[3][2];
    for (int i = 0; i < 3; i++)
        wrong[i][0] = some_note(2, "good"), wrong[i][1] = some_note(3, "bad");
    wrong[0][1].node = 99;
    wrong[1][1].reply = 99;
    wrong[2][1].key = "k";
    for (int i = 0; i < 3; i++) {
        enum gz_status status;
        struct gz_error error;
        gz_store_submit(store, batch_of(wrong[i], 2));
        gz_batch_destroy(wait_for(store, &status, &error));
        assert_int_equal(status, GZ_STORAGE);
        assert_int_equal(ask(path, "SELECT count(*) FROM notes"), 1);
    }
    struct gz_note_record good = some_note(2, "good");
    commit(store, batch_of(&good, 1));
    gz_store_close(store);
}

TEST_IN_DIRECTORY(test_backup_has_the_notes)
{
    const char *path, *copy = in_directory(directory, "copy.db");
    struct gz_error error = {0};
    struct gz_store *store = open_new(directory, &path);
    struct gz_note_record notes[] = {some_note(1, "one"), some_note(2, "two"), some_note(2, "two")};
    notes[0].key = "k";
    notes[2].gone = true;
    commit(store, batch_of(notes, 3));
    assert_int_equal(gz_store_backup(path, copy, &error), GZ_OK);
    gz_store_close(store);
    struct gz_scene_state state;
    uint64_t note;
    store = open_scene(copy, false, START_TIME + 1, &state);
    assert_int_equal(state.note_count, 1);
    assert_same_note(&state.notes[0], &(struct gz_note_record){.id = 1,
                                                               .user = "O'Brien",
                                                               .text = "one",
                                                               .made = START_TIME + 1,
                                                               .changed = START_TIME + 1,
                                                               .by = "O'Brien"});
    assert_int_equal(state.next_note, 3);
    assert_true(knows_note_key(store, "O'Brien", "k", &note));
    gz_scene_state_finish(&state);
    gz_store_close(store);
}
