/* What happened behind a place: every edit and every other news once, in one order, however they
 * are read, and across restarts and crashes; how far a hook was told is kept in the file. */
#include "unit/store/scene_file.h"

#include <string.h>

#define EDITS_MAX 4096

/* What a hook was told: edits by id, and the greatest news. */
struct heard {
    bool edits[EDITS_MAX];
    uint64_t edit_count, again;
    struct gz_told behind;
};

static void add_news(struct gz_batch *batch, uint64_t round)
{
    struct gz_note_record *note = gz_arena_take(&batch->arena, 1, sizeof *note);
    struct gz_checkpoint_record *checkpoint = gz_arena_take(&batch->arena, 1, sizeof *checkpoint);
    assert_true(note != NULL && checkpoint != NULL);
    *note = (struct gz_note_record){.id = 1 + round % 3,
                                    .user = "ann",
                                    .text = "a note",
                                    .made = START_TIME,
                                    .changed = START_TIME + (double)round,
                                    .gone = round % 5 == 4,
                                    .by = "ben"};
    *checkpoint = (struct gz_checkpoint_record){
        .name = "v", .user = "ben", .made = START_TIME, .gone = round % 2 == 1};
    batch->notes = note;
    batch->checkpoints = checkpoint;
    batch->note_count = batch->checkpoint_count = 1;
}

/* Reads on from a place, `limit` at a time; checks the order, and that none is left out. */
static void hear(const char *path, struct heard *heard, uint32_t limit)
{
    for (bool more = true; more;) {
        struct gz_query query = {.kind = GZ_QUERY_NEWS, .limit = limit, .has_told = true};
        struct gz_answer answer;
        query.told = heard->behind;
        gz_store_query(path, &query, &answer);
        assert_int_equal(answer.status, GZ_OK);
        assert_true(answer.news_count <= limit);
        more = answer.news_count > 0;
        for (size_t i = 0; i < answer.news_count; i++) {
            const struct gz_news_record *news = &answer.news[i];
            assert_int_equal(
                (news->edit != NULL) + (news->note != NULL) + (news->checkpoint != NULL), 1);
            if (news->edit == NULL) {
                assert_int_equal(news->id, heard->behind.news + 1);
                heard->behind.news = news->id;
                assert_true(news->seq >= heard->behind.seq);
                continue;
            }
            assert_true(news->seq > heard->behind.seq && news->edit->id < EDITS_MAX);
            heard->behind.seq = news->seq;
            heard->again += heard->edits[news->edit->id];
            heard->edit_count += !heard->edits[news->edit->id];
            heard->edits[news->edit->id] = true;
        }
        gz_answer_finish(&answer);
    }
}

static struct gz_told told_in(const char *path)
{
    return (struct gz_told){(uint64_t)ask(path, "SELECT told_seq FROM scene"),
                            (uint64_t)ask(path, "SELECT told_news FROM scene")};
}

static struct gz_store *open_hooked(const char *path, bool create, double time)
{
    struct gz_store *store;
    struct gz_scene_state state;
    struct gz_error error;
    const struct gz_store_options options = {
        .path = path, .create = create, .time = time, .has_hook = true};
    vouch_for(path);
    if (gz_store_open(&store, &options, &state, &error) != GZ_OK) fail_msg("%s", error.message);
    gz_scene_state_finish(&state);
    if (gz_store_start(store, &error) != GZ_OK) fail_msg("%s", error.message);
    return store;
}

TEST_IN_DIRECTORY(test_news_are_read_once_and_in_order_across_restarts)
{
    const char *path = in_directory(directory, "a.db");
    struct model *model = model_create(11);
    struct heard heard = {.edit_count = 0};
    for (uint64_t life = 0; life < 12; life++) {
        struct gz_store *store = open_hooked(path, life == 0, model->time + 1);
        struct gz_told kept = told_in(path);
        assert_true(kept.seq <= heard.behind.seq);
        assert_int_equal(kept.news, heard.behind.news);
        heard.behind = kept; /* a drag that was cut off may have ended before what was told */
        for (uint64_t round = 0; round < 20; round++) {
            struct gz_batch *batch = model_batch(model);
            if (round % 3 == 0) add_news(batch, 7 * life + round / 3);
            commit(store, batch);
            if (model_random(model, 3) == 0)
                hear(path, &heard, 1 + (uint32_t)model_random(model, 9));
            gz_store_tell(store, heard.behind);
        }
        gz_store_close(store);
        const struct gz_told stays = told_in(path);
        assert_memory_equal(&stays, &heard.behind, sizeof stays);
        model_reopen(model);
    }
    gz_store_close(open_hooked(path, false, model->time + 1));
    heard.behind = told_in(path);
    hear(path, &heard, 100);
    assert_int_equal(heard.edit_count, ask(path, "SELECT count(*) FROM edits"));
    assert_int_equal(heard.behind.news, ask(path, "SELECT max(id) FROM news"));
    assert_int_equal(ask(path, "SELECT count(*) FROM news"), 12 * 7 * 2);
    assert_true(heard.again < heard.edit_count / 4);
    model_destroy(model);
}

TEST_IN_DIRECTORY(test_drag_that_a_crash_ended_is_told_after_all)
{
    const char *path = in_directory(directory, "a.db");
    struct numbered numbered = {.edits = 0};
    struct gz_store *store = open_hooked(path, true, START_TIME);
    commit(store, numbered_batch(&numbered, false)); /* edit 1 goes on */
    const uint64_t seq = numbered.seq;
    struct gz_batch *other = gz_batch_create();
    const struct gz_node_record node = {
        .id = 4, .seq = seq + 1, .is_new = true, .content = some_content(0, "new", 0)};
    const struct gz_change made = {4, false, true, .before = {.asset = -1}, .after = node.content};
    const struct gz_edit_record create = {.id = 2,
                                          .kind = GZ_EDIT_CREATE,
                                          .handle = GZ_HANDLE_NONE,
                                          .user = "u",
                                          .began = 2,
                                          .ended = 2,
                                          .began_seq = seq,
                                          .seq = seq + 1,
                                          .changes = &made,
                                          .change_count = 1};
    other->nodes = &node;
    other->ended = &create;
    other->node_count = other->ended_count = 1;
    other->seq = seq + 1;
    other->next_node = 5;
    other->next_edit = 3;
    commit(store, other);
    gz_store_tell(store, (struct gz_told){seq + 1, 0});
    gz_store_close(store); /* the file is as after a crash: the drag is open */
    struct gz_store_summary summary;
    assert_int_equal(gz_store_summary(path, &summary, NULL, NULL), GZ_OK);
    assert_true(summary.has_news);
    gz_store_close(open_hooked(path, false, START_TIME + 1));
    struct heard heard = {.behind = told_in(path)};
    assert_true(heard.behind.seq < seq);
    hear(path, &heard, 10);
    assert_true(heard.edits[1] && heard.edits[2]);
}

TEST_IN_DIRECTORY(test_scene_without_a_hook_has_no_place_and_gets_one_where_it_is)
{
    const char *path;
    struct gz_store *store = open_new(directory, &path);
    struct numbered numbered = {.edits = 0};
    struct gz_store_summary summary;
    commit(store, numbered_batch(&numbered, false));
    commit(store, numbered_batch(&numbered, true));
    gz_store_close(store);
    assert_int_equal(ask(path, "SELECT told_seq IS NULL AND told_news IS NULL FROM scene"), 1);
    assert_int_equal(gz_store_summary(path, &summary, NULL, NULL), GZ_OK);
    assert_false(summary.has_news);
    store = open_hooked(path, false, START_TIME + 1);
    assert_int_equal(told_in(path).seq, numbered.seq);
    commit(store, numbered_batch(&numbered, false));
    commit(store, numbered_batch(&numbered, true));
    gz_store_close(store);
    assert_int_equal(gz_store_summary(path, &summary, NULL, NULL), GZ_OK);
    assert_true(summary.has_news);
    gz_store_close(open_only(path, false, START_TIME + 2)); /* without the hook: it goes on */
    struct heard heard = {.behind = told_in(path)};
    hear(path, &heard, 10);
    assert_int_equal(heard.edit_count, 1);
    assert_true(heard.edits[2]);
}

TEST_IN_DIRECTORY(test_news_end_where_they_are_asked_to_and_say_what_is_missing)
{
    const char *path = in_directory(directory, "a.db");
    struct numbered numbered = {.edits = 0};
    struct gz_store *store = open_hooked(path, true, START_TIME);
    for (int i = 0; i < 4; i++) {
        commit(store, numbered_batch(&numbered, false));
        commit(store, numbered_batch(&numbered, true));
    }
    gz_store_close(store);
    const uint64_t third = (uint64_t)ask(path, "SELECT seq FROM edits WHERE id = 3");
    struct gz_query query = {.kind = GZ_QUERY_NEWS, .limit = 10, .until = {third, 0}};
    struct gz_answer answer;
    gz_store_query(path, &query, &answer);
    assert_int_equal(answer.news_count, 3);
    assert_int_equal(answer.missing, 0);
    assert_int_equal(answer.told.seq, 0);
    gz_answer_finish(&answer);
    tell(path, "UPDATE kept SET since = (SELECT seq FROM edits WHERE id = 2)");
    gz_store_query(path, &query, &answer);
    assert_int_equal(answer.news_count, 1);
    assert_int_equal(answer.missing, ask(path, "SELECT since FROM kept"));
    assert_int_equal(answer.told.seq, answer.missing);
    gz_answer_finish(&answer);
}

int main(void)
{
    return test_run(NULL, NULL);
}
