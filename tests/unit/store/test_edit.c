/* One edit asked of the file: what was done last about it, whether that leaves it undone, and what
 * touched its nodes since; and that a revert is one again after a restart. */
#include "unit/store/scene_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Who did what: kind, target and the nodes, as digits. Its id is its place from 1, its seq ten
 * times that. */
static const struct {
    const char *user;
    enum gz_edit_kind kind;
    uint64_t target;
    const char *nodes;
} history[] = {
    {"ann", GZ_EDIT_CREATE, 0, "123"}, {"bob", GZ_EDIT_SET, 0, "12"},
    {"bob", GZ_EDIT_UNDO, 2, "12"},    {"bob", GZ_EDIT_REDO, 2, "12"},
    {"ada", GZ_EDIT_UNDO, 2, "12"},    {"ada", GZ_EDIT_UNDO, 5, "12"},
    {"ann", GZ_EDIT_SET, 0, "3"},      {"eve", GZ_EDIT_UNDO, 7, "3"},
    {"eve", GZ_EDIT_REDO, 7, "3"},     {"cid", GZ_EDIT_SET, 0, "2"},
    {"cid", GZ_EDIT_SET, 0, ""},       {"cid", GZ_EDIT_UNDO, 11, ""},
};
enum { EDITS = sizeof history / sizeof history[0], NODES = 3 };

static void write_edit(struct gz_store *store, uint64_t id)
{
    struct gz_change changes[NODES];
    struct gz_node_record nodes[NODES];
    const char *digits = history[id - 1].nodes;
    struct gz_batch *batch = gz_batch_create();
    struct gz_edit_record edit = {.id = id,
                                  .kind = history[id - 1].kind,
                                  .user = history[id - 1].user,
                                  .target = history[id - 1].target,
                                  .began = START_TIME + (double)id,
                                  .ended = START_TIME + (double)id,
                                  .began_seq = 10 * id - 9,
                                  .seq = 10 * id,
                                  .changes = changes,
                                  .change_count = strlen(digits)};
    for (size_t i = 0; i < edit.change_count; i++) {
        uint64_t node = (uint64_t)(digits[i] - '0');
        struct gz_content content = some_content(0, "n", (double)id);
        changes[i] = (struct gz_change){
            .node = node, .existed = id > 1, .exists = true, .before = content, .after = content};
        nodes[i] = (struct gz_node_record){.id = node, .seq = 10 * id - i, .content = content};
    }
    batch->nodes = nodes;
    batch->node_count = edit.change_count;
    batch->ended = &edit;
    batch->ended_count = 1;
    batch->seq = edit.seq;
    batch->next_node = NODES + 1;
    batch->next_edit = id + 1;
    commit(store, batch);
}

/* "ID USER" of each edit of the answer. */
static void print_answer(const struct gz_answer *answer, char text[128])
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < answer->edit_count; i++)
        used += (size_t)snprintf(text + used, 128 - used, "%d %s %zu, ", (int)answer->edits[i].id,
                                 answer->edits[i].user, answer->edits[i].change_count);
    snprintf(text + used, 128 - used, "%s", answer->undone ? "undone" : "done");
}

TEST_IN_DIRECTORY(test_edit_is_told_with_what_became_of_it)
{
    static const struct {
        uint64_t edit;
        const char *answer;
    } cases[] = {
        {1, "1 ann 3, 1 ann 3, 10 cid 1, done"}, /* the latest since on any of its nodes */
        {2, "2 bob 2, 6 ada 2, 10 cid 1, done"}, /* undone, redone, reverted, and that undone */
        {3, "3 bob 2, 3 bob 2, 10 cid 1, done"}, {5, "5 ada 2, 6 ada 2, 10 cid 1, undone"},
        {7, "7 ann 1, 9 eve 1, done"},           {8, "8 eve 1, 8 eve 1, 9 eve 1, done"},
        {10, "10 cid 1, 10 cid 1, done"},        {11, "11 cid 0, 12 cid 0, undone"},
    };
    struct gz_scene_state state;
    const char *path = in_directory(directory, "a.db");
    struct gz_store *store = open_only(path, true, START_TIME);
    for (uint64_t id = 1; id <= EDITS; id++) write_edit(store, id);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gz_query query = {.kind = GZ_QUERY_EDIT, .edit = cases[i].edit};
        struct gz_answer answer;
        char text[128];
        gz_store_query(path, &query, &answer);
        assert_int_equal(answer.status, GZ_OK);
        print_answer(&answer, text);
        assert_string_equal(text, cases[i].answer);
        gz_answer_finish(&answer);
    }
    struct gz_query unknown = {.kind = GZ_QUERY_EDIT, .edit = EDITS + 1};
    struct gz_answer answer;
    gz_store_query(path, &unknown, &answer);
    assert_int_equal(answer.status, GZ_BAD_VALUE);
    assert_string_equal(answer.error.message, "edit: there is no edit 13 that is done");
    gz_answer_finish(&answer);
    gz_store_close(store);
    store = open_scene(path, false, START_TIME + 100, &state);
    assert_int_equal(state.edit_count, EDITS);
    for (size_t i = 0; i < EDITS; i++)
        assert_int_equal(state.edits[i].reverts, i + 1 == 5 || i + 1 == 8);
    gz_scene_state_finish(&state);
    gz_store_close(store);
}

/* "ID" of each edit that is undone, and the nodes of all as digits. */
static void print_brief(const struct gz_answer *answer, char undone[64], char nodes[64])
{
    size_t used = 0, node_count = 0;
    for (size_t i = answer->edit_count; i-- > 0;) {
        const struct gz_edit_record *edit = &answer->edits[i];
        assert_null(edit->changes);
        if (edit->undone) used += (size_t)snprintf(undone + used, 64 - used, "%d ", (int)edit->id);
        for (size_t j = 0; j < edit->change_count; j++)
            nodes[node_count++] = (char)('0' + edit->nodes[j]);
    }
    undone[used] = nodes[node_count] = '\0';
}

TEST_IN_DIRECTORY(test_brief_history_tells_which_edits_are_undone_and_of_which_nodes)
{
    const char *path = in_directory(directory, "a.db");
    struct gz_store *store = open_only(path, true, START_TIME);
    for (uint64_t id = 1; id <= EDITS; id++) write_edit(store, id);
    struct gz_query query = {.kind = GZ_QUERY_HISTORY, .since = NAN, .before = NAN, .brief = true};
    struct gz_answer answer;
    char undone[64], nodes[64], all[64] = "";
    gz_store_query(path, &query, &answer);
    assert_int_equal(answer.status, GZ_OK);
    assert_int_equal(answer.edit_count, EDITS);
    print_brief(&answer, undone, nodes);
    assert_string_equal(undone, "5 11 "); /* 2 and 7 are done again */
    for (size_t i = 0; i < EDITS; i++) strcat(all, history[i].nodes);
    assert_string_equal(nodes, all);
    gz_answer_finish(&answer);
    gz_store_close(store);
}
