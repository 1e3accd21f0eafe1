/* Questions to the past: history by its filters, the scene at a seq or a time, against a replay of
 * all that was done. */
#include "server/maxima.h"
#include "support/chance.h"
#include "unit/store/scene_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct fixture {
    void *directory;
    const char *path;
    struct gz_store *store;
    struct model *model;
};

static int make_scene(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    *state = fixture;
    if (make_directory(&fixture->directory) != 0) return -1;
    fixture->path = strdup(in_directory(&fixture->directory, "a.db"));
    struct gz_scene_state scene;
    fixture->store = open_recording(fixture->path, true, START_TIME, GZ_RECORD_ALL, &scene);
    gz_scene_state_finish(&scene);
    uint64_t chosen = chance_seed((uint64_t)time(NULL));
    print_message("GIZMOD_SEED=%llu\n", (unsigned long long)chosen);
    fixture->model = model_create(chosen);
    for (int i = 0; i < 600; i++) commit(fixture->store, model_batch(fixture->model));
    return 0;
}

static int remove_scene(void **state)
{
    struct fixture *fixture = *state;
    gz_store_close(fixture->store);
    model_destroy(fixture->model);
    free((char *)fixture->path);
    int result = remove_directory(&fixture->directory);
    free(fixture);
    return result;
}

static void assert_answer_is(const struct gz_answer *answer, const struct model_node *expected)
{
    size_t alive = 0;
    for (size_t i = 0; i < MODEL_NODES_MAX; i++) alive += expected[i].alive;
    assert_int_equal(answer->node_count, alive);
    bool seen[MODEL_NODES_MAX] = {0};
    for (size_t i = 0; i < answer->node_count; i++) {
        const struct gz_node_record *node = &answer->nodes[i];
        assert_true(expected[node->id - 1].alive);
        assert_int_equal(node->seq, expected[node->id - 1].seq);
        assert_same_content(&node->content, &expected[node->id - 1].content);
        assert_true(node->content.parent == 0 || seen[node->content.parent - 1]);
        seen[node->id - 1] = true;
    }
}

static void assert_at(const struct fixture *fixture, uint64_t seq)
{
    static struct model_node expected[MODEL_NODES_MAX];
    struct gz_query query = {.kind = GZ_QUERY_AT, .seq = seq};
    struct gz_answer answer;
    gz_store_query(fixture->path, &query, &answer);
    if (answer.status != GZ_OK)
        fail_msg("at %llu: %s", (unsigned long long)seq, answer.error.message);
    assert_int_equal(answer.seq, seq);
    model_replay(fixture->model, seq, NAN, expected);
    assert_answer_is(&answer, expected);
    gz_answer_finish(&answer);
}

TEST(test_at_any_seq_is_what_a_replay_gives)
{
    struct fixture *fixture = *state;
    for (uint64_t i = chance_count(1000); i > 0; i--)
        assert_at(fixture, model_random(fixture->model, fixture->model->seq + 1));
    assert_at(fixture, 0);
    assert_at(fixture, fixture->model->seq);
}

/* Page by page, in the order of the ids, it is the same. */
TEST(test_at_page_by_page_is_all_of_it)
{
    struct fixture *fixture = *state;
    for (uint64_t i = chance_count(50); i > 0; i--) {
        const uint64_t seq = model_random(fixture->model, fixture->model->seq + 1);
        struct gz_query whole = {.kind = GZ_QUERY_AT, .seq = seq};
        struct gz_query page = {.kind = GZ_QUERY_AT, .seq = seq, .by_id = true};
        struct gz_answer all, part;
        size_t count = 0, on_page = 0;
        page.limit = 1 + (uint32_t)model_random(fixture->model, 9);
        gz_store_query(fixture->path, &whole, &all);
        assert_int_equal(all.status, GZ_OK);
        do {
            gz_store_query(fixture->path, &page, &part);
            assert_int_equal(part.status, GZ_OK);
            assert_int_equal(part.seq, seq);
            assert_true(part.node_count <= page.limit);
            for (size_t k = 0; k < part.node_count; k++) {
                size_t at = 0;
                while (at < all.node_count && all.nodes[at].id != part.nodes[k].id) at++;
                assert_true(at < all.node_count && part.nodes[k].id > page.after);
                assert_same_content(&part.nodes[k].content, &all.nodes[at].content);
                page.after = part.nodes[k].id;
            }
            on_page = part.node_count;
            count += on_page;
            gz_answer_finish(&part);
        } while (on_page == page.limit);
        assert_int_equal(count, all.node_count);
        gz_answer_finish(&all);
    }
}

/* The replay shares its idea of the past with the query; the model's own nodes do not. */
TEST(test_at_now_is_the_scene_itself)
{
    struct fixture *fixture = *state;
    struct gz_query query = {.kind = GZ_QUERY_AT, .seq = fixture->model->seq};
    struct gz_answer answer;
    gz_store_query(fixture->path, &query, &answer);
    assert_int_equal(answer.status, GZ_OK);
    for (size_t i = 0; i < answer.node_count; i++)
        assert_same_content(&answer.nodes[i].content,
                            &fixture->model->nodes[answer.nodes[i].id - 1].content);
    size_t alive = 0;
    for (size_t i = 0; i < fixture->model->node_count; i++) alive += fixture->model->nodes[i].alive;
    assert_int_equal(answer.node_count, alive);
    gz_answer_finish(&answer);
}

/* The last seq of an edit or a sample that was there by then. */
static uint64_t seq_at(const struct model *model, double when)
{
    uint64_t seq = 0;
    for (size_t i = 0; i < model->edit_count; i++)
        if (model->edits[i].ended <= when && model->edits[i].seq > seq) seq = model->edits[i].seq;
    for (size_t i = 0; i < model->sample_count; i++)
        if (model->samples[i].edit != 0 && model->samples[i].time <= when &&
            model->samples[i].seq > seq)
            seq = model->samples[i].seq;
    return seq;
}

TEST(test_at_any_time_is_the_last_seq_before_it)
{
    struct fixture *fixture = *state;
    struct model *model = fixture->model;
    static struct model_node expected[MODEL_NODES_MAX];
    for (int i = 0; i < (int)chance_count(500); i++) {
        double span = model->time - START_TIME;
        struct gz_query query = {.kind = GZ_QUERY_AT, .by_time = true};
        query.time = START_TIME - 0.01 + span * (double)model_random(model, 1000000) / 1e6;
        /* The very moment of a sample or an end counts as past. */
        if (i % 3 == 1) query.time = model->samples[model_random(model, model->sample_count)].time;
        if (i % 3 == 2) query.time = model->edits[model_random(model, model->edit_count)].ended;
        struct gz_answer answer;
        gz_store_query(fixture->path, &query, &answer);
        if (answer.status != GZ_OK) fail_msg("%s", answer.error.message);
        assert_int_equal(answer.seq, seq_at(model, query.time));
        model_replay(model, answer.seq, query.time, expected);
        assert_answer_is(&answer, expected);
        gz_answer_finish(&answer);
    }
}

TEST(test_at_has_a_beginning_and_no_future)
{
    struct fixture *fixture = *state;
    uint64_t now = fixture->model->seq;
    const struct {
        struct gz_query query;
        enum gz_status status;
        uint64_t seq;
    } cases[] = {
        {{.kind = GZ_QUERY_AT, .seq = now + 1}, GZ_BAD_VALUE, 0},
        {{.kind = GZ_QUERY_AT, .seq = GZ_ID_LIMIT - 1}, GZ_BAD_VALUE, 0},
        {{.kind = GZ_QUERY_AT, .by_time = true, .time = (double)time(NULL) + 3600},
         GZ_BAD_VALUE,
         0},
        {{.kind = GZ_QUERY_AT, .by_time = true, .time = INFINITY}, GZ_BAD_VALUE, 0},
        {{.kind = GZ_QUERY_AT, .by_time = true, .time = NAN}, GZ_BAD_VALUE, 0},
        {{.kind = GZ_QUERY_AT, .by_time = true, .time = START_TIME - 1}, GZ_OK, 0},
        {{.kind = GZ_QUERY_AT, .by_time = true, .time = -INFINITY}, GZ_OK, 0},
        {{.kind = GZ_QUERY_AT, .by_time = true, .time = (double)time(NULL) - 1}, GZ_OK, now},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gz_answer answer;
        gz_store_query(fixture->path, &cases[i].query, &answer);
        assert_int_equal(answer.status, cases[i].status);
        if (answer.status == GZ_OK) assert_int_equal(answer.seq, cases[i].seq);
        if (answer.status == GZ_OK && answer.seq == 0) assert_int_equal(answer.node_count, 0);
        if (answer.status != GZ_OK) assert_non_null(strstr(answer.error.message, "future"));
        gz_answer_finish(&answer);
    }
}

static bool touches(const struct gz_edit_record *edit, uint64_t node)
{
    for (size_t i = 0; i < edit->change_count; i++)
        if (edit->changes[i].node == node) return true;
    return false;
}

static void assert_brief(const struct gz_edit_record *told, const struct gz_edit_record *edit)
{
    assert_null(told->changes);
    assert_int_equal(told->id, edit->id);
    assert_int_equal(told->seq, edit->seq);
    assert_string_equal(told->user, edit->user);
    assert_int_equal(told->change_count, edit->change_count);
    for (size_t i = 0; i < edit->change_count; i++)
        assert_int_equal(told->nodes[i], edit->changes[i].node);
    if (edit->change_count == 1)
        assert_string_equal(told->name, gz_change_name(&edit->changes[0]));
    else
        assert_null(told->name);
}

/* As much of the edit as is told where the question is about one node alone. */
static struct gz_edit_record alone(const struct gz_edit_record *edit, uint64_t node)
{
    struct gz_edit_record told = *edit;
    while (told.changes->node != node) told.changes++;
    told.change_count = 1;
    return told;
}

static void assert_history(const struct fixture *fixture, const struct gz_query *query)
{
    const struct model *model = fixture->model;
    struct gz_answer answer;
    gz_store_query(fixture->path, query, &answer);
    if (answer.status != GZ_OK) fail_msg("history: %s", answer.error.message);
    size_t limit = query->limit == 0 || query->limit > GZ_HISTORY_ROWS_MAX ? GZ_HISTORY_ROWS_MAX
                                                                           : query->limit;
    size_t found = 0;
    for (size_t i = model->edit_count; i-- > 0 && found < limit;) {
        const struct gz_edit_record *edit = &model->edits[i];
        if (query->node != 0 && !touches(edit, query->node)) continue;
        if (query->user[0] != '\0' && strcmp(edit->user, query->user) != 0) continue;
        if (edit->ended <= query->since || edit->ended >= query->before) continue;
        assert_true(found < answer.edit_count);
        const struct gz_edit_record *told = &answer.edits[found++];
        struct gz_edit_record expected = query->alone ? alone(edit, query->node) : *edit;
        assert_int_equal(told->total, query->alone ? edit->change_count : 0);
        if (query->brief)
            assert_brief(told, &expected);
        else
            assert_same_edit(told, &expected);
    }
    assert_int_equal(answer.edit_count, found);
    gz_answer_finish(&answer);
}

TEST(test_history_filters_are_exact)
{
    struct fixture *fixture = *state;
    const struct gz_edit_record *edits = fixture->model->edits;
    size_t count = fixture->model->edit_count;
    const struct gz_query cases[] = {
        {.since = NAN, .before = NAN},
        {.since = NAN, .before = NAN, .limit = 7},
        {.since = NAN, .before = NAN, .limit = UINT32_MAX},
        {.since = NAN, .before = NAN, .node = 3},
        {.since = NAN, .before = NAN, .node = 123456789},
        {.since = NAN, .before = NAN, .user = "anna"},
        {.since = NAN, .before = NAN, .user = "O'Brien", .limit = 5},
        {.since = NAN, .before = NAN, .user = "' OR 1=1 --"},
        {.since = edits[count / 2].ended, .before = NAN},
        {.since = NAN, .before = edits[count / 2].ended, .limit = 20},
        {.since = edits[count / 3].ended,
         .before = edits[count / 2].ended,
         .user = "anna",
         .node = 5},
        {.since = START_TIME + 1e9, .before = NAN},
        {.since = -INFINITY, .before = INFINITY, .limit = 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int how = 0; how < (cases[i].node != 0 ? 4 : 2); how++) {
            struct gz_query query = cases[i];
            query.brief = how % 2 == 1;
            query.alone = how >= 2;
            assert_history(fixture, &query);
        }
    }
}

/* ---- paths ---- */

#define POINTS_MAX 4096

/* What the model knows of a node's path, by going through all its edits and samples. */
struct way {
    struct gz_point_record points[POINTS_MAX];
    size_t count;
};

static void walk_to(struct way *way, uint64_t seq, uint64_t edit, double time, uint64_t parent,
                    const gz_trs *trs)
{
    assert_true(way->count < POINTS_MAX);
    way->points[way->count++] = (struct gz_point_record){seq, edit, time, parent, *trs};
}

/* A drag that did not move for long is said to have rested until shortly before it moved on. */
static void walk_along(struct way *way, const struct model *model,
                       const struct gz_edit_record *edit, const struct gz_change *change)
{
    uint64_t seq = edit->began_seq, parent = change->before.parent;
    double time = edit->began;
    gz_trs trs = change->before.trs;
    walk_to(way, seq, edit->id, time, parent, &trs);
    for (size_t i = 0; i < model->sample_count; i++) {
        const struct gz_sample_record *sample = &model->samples[i];
        if (sample->edit != edit->id || sample->node != change->node) continue;
        if (sample->time - time > GZ_PATH_REST_MS / 1000.0)
            walk_to(way, seq, edit->id, sample->time - GZ_SAMPLE_MS_MIN / 1000.0, parent, &trs);
        seq = sample->seq, time = sample->time, trs = sample->trs;
        if (edit->seq == 0 || seq < edit->seq) walk_to(way, seq, edit->id, time, parent, &trs);
    }
}

static int compare_seqs(const void *a, const void *b)
{
    const struct gz_edit_record *x = *(struct gz_edit_record *const *)a,
                                *y = *(struct gz_edit_record *const *)b;
    return (x->began_seq > y->began_seq) - (x->began_seq < y->began_seq);
}

static void walk_edit(struct way *way, const struct model *model, const struct gz_edit_record *edit,
                      uint64_t node)
{
    for (size_t i = 0; i < edit->change_count; i++) {
        const struct gz_change *change = &edit->changes[i];
        if (change->node != node) continue;
        bool is_drag = gz_edit_is_gesture(edit);
        if (is_drag) walk_along(way, model, edit, change);
        if (edit->seq != 0 && change->exists)
            walk_to(way, edit->seq, edit->id, edit->ended, change->after.parent,
                    &change->after.trs);
    }
}

static void walk(struct way *way, const struct model *model, uint64_t node)
{
    const struct gz_edit_record **edits =
        calloc(model->edit_count + MODEL_DRAGS_MAX, sizeof *edits);
    struct gz_edit_record running[MODEL_DRAGS_MAX];
    size_t count = 0;
    assert_non_null(edits);
    for (size_t i = 0; i < model->edit_count; i++) edits[count++] = &model->edits[i];
    for (size_t i = 0; i < MODEL_DRAGS_MAX; i++) {
        const struct model_drag *drag = &model->drags[i];
        running[i] = drag->edit;
        running[i].changes = drag->changes;
        if (drag->is_running && drag->is_begun) edits[count++] = &running[i];
    }
    qsort(edits, count, sizeof *edits, compare_seqs);
    way->count = 0;
    for (size_t i = 0; i < count; i++) walk_edit(way, model, edits[i], node);
    free(edits);
}

static void assert_path(const struct fixture *fixture, uint64_t node, double since, double before,
                        uint32_t limit)
{
    static struct way way;
    struct gz_query query = {
        .kind = GZ_QUERY_PATH, .node = node, .since = since, .before = before, .limit = limit};
    struct gz_answer answer;
    size_t at = 0;
    gz_store_query(fixture->path, &query, &answer);
    assert_int_equal(answer.status, GZ_OK);
    walk(&way, fixture->model, node);
    for (size_t i = 0; i < way.count && (limit == 0 || at < limit); i++) {
        const struct gz_point_record *expected = &way.points[i], *point = &answer.points[at];
        if (expected->time <= since || expected->time >= before) continue; /* NaN: neither */
        assert_true(at++ < answer.point_count);
        assert_int_equal(point->seq, expected->seq);
        assert_int_equal(point->edit, expected->edit);
        assert_int_equal(point->parent, expected->parent);
        assert_true(fabs(point->time - expected->time) < 1e-6);
        assert_memory_equal(&point->trs, &expected->trs, sizeof point->trs);
    }
    assert_int_equal(answer.point_count, at);
    gz_answer_finish(&answer);
}

TEST(test_path_of_any_node_is_what_the_model_did)
{
    struct fixture *fixture = *state;
    const struct model *model = fixture->model;
    for (uint64_t node = 1; node <= model->node_count; node++) {
        double since = START_TIME + (double)model_random(fixture->model, 1000) / 1000 *
                                        (model->time - START_TIME);
        assert_path(fixture, node, NAN, NAN, 0);
        assert_path(fixture, node, since, NAN, 0);
        assert_path(fixture, node, NAN, since, 0);
        assert_path(fixture, node, NAN, NAN, 1 + (uint32_t)model_random(fixture->model, 10));
    }
    struct gz_query unknown = {.kind = GZ_QUERY_PATH, .node = 4711, .since = NAN, .before = NAN};
    struct gz_answer answer;
    gz_store_query(fixture->path, &unknown, &answer);
    assert_int_equal(answer.status, GZ_UNKNOWN_NODE);
    assert_string_equal(answer.error.message, "node: no node has ever had the id 4711");
    gz_answer_finish(&answer);
}

static void expect_damage(const struct fixture *fixture, const struct gz_query *query,
                          const char *words)
{
    struct gz_answer answer;
    gz_store_query(fixture->path, query, &answer);
    assert_int_equal(answer.status, GZ_STORAGE);
    if (strstr(answer.error.message, words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", answer.error.message, words);
    assert_int_equal(answer.node_count + answer.point_count, 0);
    gz_answer_finish(&answer);
}

/* Nobody is told where a node was by numbers that are none. The file stays damaged. */
TEST(test_a_point_that_cannot_be_is_refused)
{
    static const struct {
        const char *sql, *words;
    } cases[] = {
        {"UPDATE samples SET tx = 9e999", "translation is not finite"},
        {"UPDATE samples SET tx = 0.0, rw = 0.5, rx = 0.5", "rotation is not a unit quaternion"},
        {"PRAGMA ignore_check_constraints = ON; UPDATE samples SET sy = 'tall'",
         "its transform is not of numbers"},
    };
    const struct fixture *fixture = *state;
    /* within a drag, not at its end, which is a change */
    const uint64_t seq = (uint64_t)ask(
        fixture->path, "SELECT max(s.seq) FROM samples s JOIN edits e ON e.id = s.edit "
                       "WHERE s.seq < coalesce(e.seq, 9e18)");
    char words[128];
    snprintf(words, sizeof words, "SELECT node FROM samples WHERE seq = %llu",
             (unsigned long long)seq);
    const uint64_t node = (uint64_t)ask(fixture->path, words);
    const struct gz_query at = {.kind = GZ_QUERY_AT, .seq = seq};
    const struct gz_query path = {.kind = GZ_QUERY_PATH, .node = node, .since = NAN, .before = NAN};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tell(fixture->path, cases[i].sql);
        snprintf(words, sizeof words, "the file is damaged: the path of node %llu, at seq ",
                 (unsigned long long)node);
        expect_damage(fixture, &at, "the file is damaged: the path of node ");
        expect_damage(fixture, &at, cases[i].words);
        expect_damage(fixture, &path, words);
        expect_damage(fixture, &path, cases[i].words);
    }
}

int main(void)
{
    return test_run(make_scene, remove_scene);
}
