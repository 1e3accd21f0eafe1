/* How much of the past is kept: what is left answers as all of it did, what is not is refused in
 * words, whatever interrupts the taking away. */
#include "store/database.h"
#include "store/retention.h"
#include "support/chance.h"
#include "unit/store/scene_file.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "server/maxima.h"
#include "support/power_vfs.h"

#define SECONDS_MAX 60
/* Another program's lock: longer than the writer rests. */
#define LOCK_MS 2500

static struct gz_store *open_keeping(const char *path, struct gz_retention_rule kept,
                                     struct gz_scene_state *state)
{
    struct gz_store *store;
    struct gz_error error = {0};
    struct gz_store_options options = {
        .path = path, .create = true, .time = START_TIME, .kept = kept};
    options.recorded = GZ_RECORD_ALL;
    if (gz_store_open(&store, &options, state, &error) != GZ_OK ||
        gz_store_start(store, &error) != GZ_OK)
        fail_msg("open: %s", error.message);
    return store;
}

static void wait_until_kept_since(const char *path, uint64_t seq)
{
    const char *sql = "SELECT CASE WHEN since = swept THEN since END FROM kept";
    for (int i = 0; i < SECONDS_MAX * 100 && ask(path, sql) != (int64_t)seq; i++) usleep(10000);
    assert_int_equal(ask(path, sql), seq);
}

static void handle_fault(void *context, const char *words)
{
    (void)context;
    print_error("%s\n", words);
}

static void assert_whole(const char *path)
{
    struct gz_store_check check = {.handle_fault = handle_fault};
    struct gz_error error;
    assert_int_equal(gz_store_check(path, &check, &error), GZ_OK);
    assert_int_equal(check.faults, 0);
}

/* A batch that changes nothing: the writer looks what there is to do. */
static void let_go_on(struct gz_store *store, const struct model *model)
{
    struct gz_batch *batch = gz_batch_create();
    batch->seq = model->seq;
    batch->time = model->time;
    batch->next_node = model->node_count + 1;
    batch->next_edit = model->next_edit;
    commit(store, batch);
}

static enum gz_status ask_at(const char *path, uint64_t seq, struct gz_answer *answer)
{
    struct gz_query query = {.kind = GZ_QUERY_AT, .seq = seq};
    gz_store_query(path, &query, answer);
    return answer->status;
}

static void assert_refused(const struct gz_answer *answer)
{
    assert_int_equal(answer->status, GZ_BAD_VALUE);
    assert_non_null(strstr(answer->error.message, "no longer kept: the history begins at"));
    assert_int_equal(answer->node_count, 0);
}

/* Nothing but the one change of each node that the horizon needs is left of what was before it. */
static void assert_nothing_more(const char *path)
{
    static const char *const nothing[] = {
        "SELECT count(*) - count(DISTINCT node) FROM changes WHERE seq <= (SELECT since FROM kept)",
        "SELECT count(*) FROM samples s JOIN edits e ON e.id = s.edit WHERE e.seq <= (SELECT since "
        "FROM kept)",
        "SELECT count(*) FROM edits e WHERE NOT EXISTS (SELECT 1 FROM changes c WHERE c.edit = "
        "e.id)",
    };
    for (size_t i = 0; i < sizeof nothing / sizeof nothing[0]; i++)
        assert_int_equal(ask(path, nothing[i]), 0);
}

/* ---- against all that a model did ---- */

#define MODEL_EDITS 1800
#define MODEL_EDITS_KEPT 1200
#define MODEL_EDITS_NAMED 400
#define CHECKPOINTS 12

static void assert_is_replay(const struct model *model, const struct gz_answer *answer, double time)
{
    static struct model_node expected[MODEL_NODES_MAX];
    size_t alive = 0;
    model_replay(model, answer->seq, time, expected);
    for (size_t i = 0; i < MODEL_NODES_MAX; i++) alive += expected[i].alive;
    assert_int_equal(answer->node_count, alive);
    for (size_t i = 0; i < answer->node_count; i++) {
        const struct gz_node_record *node = &answer->nodes[i];
        assert_true(expected[node->id - 1].alive);
        assert_int_equal(node->seq, expected[node->id - 1].seq);
        assert_same_content(&node->content, &expected[node->id - 1].content);
    }
}

static void assert_seqs(const char *path, struct model *model, uint64_t since)
{
    for (int i = 0; i < (int)chance_count(600); i++) {
        struct gz_answer answer;
        uint64_t seq = since + model_random(model, model->seq - since + 1);
        if (i < 50) seq = since + (uint64_t)i;
        if (i % 10 == 9) seq = i == 9 ? since - 1 : model_random(model, since);
        if (ask_at(path, seq, &answer) == GZ_OK && seq >= since)
            assert_is_replay(model, &answer, NAN);
        else
            assert_refused(&answer);
        assert_true(seq < since || answer.status == GZ_OK);
        gz_answer_finish(&answer);
    }
}

static void assert_times(const char *path, struct model *model, const struct gz_edit_record *first)
{
    for (int i = 0; i < (int)chance_count(300); i++) {
        struct gz_query query = {.kind = GZ_QUERY_AT, .by_time = true};
        struct gz_answer answer;
        double part = (double)model_random(model, 1000000) / 1e6;
        query.time = START_TIME + (model->time - START_TIME) * part;
        if (i == 0) query.time = first->ended;
        gz_store_query(path, &query, &answer);
        if (query.time < first->ended)
            assert_refused(&answer);
        else
            assert_is_replay(model, &answer, query.time);
        gz_answer_finish(&answer);
    }
}

static void assert_history(const char *path, const struct model *model, size_t passed)
{
    struct gz_query query = {
        .kind = GZ_QUERY_HISTORY, .since = NAN, .before = model->edits[passed + 500].ended};
    struct gz_answer answer;
    gz_store_query(path, &query, &answer);
    assert_int_equal(answer.status, GZ_OK);
    size_t found = 0;
    for (size_t i = model->edit_count; i-- > passed;)
        if (model->edits[i].ended < query.before)
            assert_same_edit(&answer.edits[found++], &model->edits[i]);
    assert_int_equal(answer.edit_count, found);
    gz_answer_finish(&answer);
}

/* Half of them inside of drags. */
static void make_checkpoints(const char *path, struct model *model, uint64_t seqs[CHECKPOINTS])
{
    for (size_t i = 0; i < CHECKPOINTS; i++) {
        char sql[128];
        do {
            seqs[i] = model_random(model, model->seq + 1);
            if (i % 2 == 1) seqs[i] = model->samples[model_random(model, model->sample_count)].seq;
        } while (i > 0 && seqs[i] == seqs[0]);
        snprintf(sql, sizeof sql, "INSERT INTO checkpoints VALUES ('c%zu', %llu, 'u', 0.0)", i,
                 (unsigned long long)seqs[i]);
        tell(path, sql);
    }
}

/* Those from `first` on are there, to the last bit. */
static void assert_checkpoints(const char *path, const struct model *model,
                               const uint64_t seqs[CHECKPOINTS], size_t first)
{
    for (size_t i = first; i < CHECKPOINTS; i++) {
        struct gz_answer answer;
        if (ask_at(path, seqs[i], &answer) != GZ_OK) fail_msg("%s", answer.error.message);
        assert_is_replay(model, &answer, NAN);
        gz_answer_finish(&answer);
    }
    for (size_t i = 0; i < first; i++) {
        struct gz_answer answer;
        (void)ask_at(path, seqs[i], &answer);
        assert_refused(&answer);
        gz_answer_finish(&answer);
    }
}

TEST_IN_DIRECTORY(test_what_is_kept_answers_as_all_of_it_did)
{
    uint64_t chosen = chance_seed((uint64_t)time(NULL));
    print_message("GIZMOD_SEED=%llu\n", (unsigned long long)chosen);
    const char *path = in_directory(directory, "a.db");
    struct gz_scene_state state;
    struct model *model = model_create(chosen);
    model->is_lasting = true;
    struct gz_store *store =
        open_keeping(path, (struct gz_retention_rule){.edits = MODEL_EDITS_KEPT}, &state);
    gz_scene_state_finish(&state);
    uint64_t checkpoints[CHECKPOINTS];
    while (model->edit_count < MODEL_EDITS_NAMED) commit(store, model_batch(model));
    make_checkpoints(path, model, checkpoints);
    while (model->edit_count < MODEL_EDITS) commit(store, model_batch(model));
    size_t passed = model->edit_count - MODEL_EDITS_KEPT;
    const struct gz_edit_record *first = &model->edits[passed - 1];
    wait_until_kept_since(path, first->seq);
    assert_checkpoints(path, model, checkpoints, 0);
    tell(path, "DELETE FROM checkpoints WHERE name = 'c0'");
    let_go_on(store, model);
    wait_until_kept_since(path, first->seq);
    assert_checkpoints(path, model, checkpoints, 1);
    assert_whole(path);
    tell(path, "DELETE FROM checkpoints");
    let_go_on(store, model);
    wait_until_kept_since(path, first->seq);
    assert_nothing_more(path);
    assert_seqs(path, model, first->seq);
    assert_times(path, model, first);
    assert_history(path, model, passed);
    gz_store_close(store);
    assert_whole(path);
    model_reopen(model);
    store = open_keeping(path, (struct gz_retention_rule){0}, &state);
    assert_int_equal(state.edit_count, GZ_UNDO_EDITS_MAX);
    for (size_t i = 0; i < state.edit_count; i++)
        assert_same_edit(&state.edits[i], &model->edits[model->edit_count - state.edit_count + i]);
    gz_store_close(store);
    gz_scene_state_finish(&state);
    model_destroy(model);
    power_vfs_settle(0, 512);
}

/* ---- known edits: edit i leaves what it touches at x = i ---- */

#define NODES 300
#define QUIET 290 /* nodes after this one are touched by the first edits only */
#define WIDE_EDITS 3
#define DRAG (WIDE_EDITS + 1)
#define SAMPLES 200
#define EDITS 1400
#define PASSED (EDITS - GZ_UNDO_EDITS_MAX)

static uint64_t node_of(uint64_t edit)
{
    return edit == DRAG ? 1 : 1 + edit * 7 % QUIET;
}

static uint64_t seq_of(uint64_t edit)
{
    if (edit <= WIDE_EDITS) return edit * NODES;
    return WIDE_EDITS * NODES + SAMPLES + edit - DRAG;
}

static double x_at(uint64_t node, uint64_t seq)
{
    uint64_t edit = EDITS;
    while (seq_of(edit) > seq || (edit > WIDE_EDITS && node_of(edit) != node)) edit--;
    return (double)edit;
}

static struct gz_change change_of(uint64_t node, uint64_t edit)
{
    struct gz_change change = {.node = node, .existed = edit > 1, .exists = true};
    if (change.existed) change.before = some_content(0, "n", x_at(node, seq_of(edit) - 1));
    if (change.existed && edit <= WIDE_EDITS) change.before.trs.t.x = (double)edit - 1;
    change.after = some_content(0, "n", (double)edit);
    return change;
}

/* Each edit in a batch of its own. */
static void commit_edit(struct gz_store *store, uint64_t id, double ended)
{
    struct gz_change changes[NODES];
    struct gz_node_record nodes[NODES];
    struct gz_sample_record samples[SAMPLES];
    size_t count = id <= WIDE_EDITS ? NODES : 1;
    struct gz_batch *batch = gz_batch_create();
    for (size_t i = 0; i < count; i++) {
        uint64_t node = id <= WIDE_EDITS ? i + 1 : node_of(id);
        changes[i] = change_of(node, id);
        nodes[i] = (struct gz_node_record){.id = node,
                                           .seq = seq_of(id) - count + i + 1,
                                           .content = some_content(0, "n", (double)id)};
    }
    struct gz_edit_record edit = {.id = id,
                                  .kind = id == 1 ? GZ_EDIT_CREATE : GZ_EDIT_SET,
                                  .user = "u",
                                  .began = ended,
                                  .ended = ended,
                                  .began_seq = id == 1 ? 0 : seq_of(id - 1),
                                  .seq = seq_of(id),
                                  .changes = changes,
                                  .change_count = count};
    if (id == DRAG) {
        edit.kind = GZ_EDIT_TRANSLATE;
        edit.handle = GZ_TX;
        for (size_t i = 0; i < SAMPLES; i++)
            samples[i] = (struct gz_sample_record){id, 1, edit.began_seq + i + 1, ended,
                                                   some_content(0, "", WIDE_EDITS).trs};
        batch->samples = samples;
        batch->sample_count = SAMPLES;
    }
    batch->nodes = nodes;
    batch->node_count = count;
    batch->ended = &edit;
    batch->ended_count = 1;
    batch->seq = seq_of(id);
    batch->time = ended;
    batch->next_node = NODES + 1;
    batch->next_edit = id + 1;
    commit(store, batch);
}

/* Edits up to `count` that ended at START_TIME, those after it `later` then. */
static void make_known(const char *path, uint64_t count, double later)
{
    struct gz_scene_state state;
    struct gz_store *store = open_keeping(path, (struct gz_retention_rule){0}, &state);
    gz_scene_state_finish(&state);
    for (uint64_t id = 1; id <= EDITS; id++)
        commit_edit(store, id, id <= count ? START_TIME : later);
    gz_store_close(store);
}

static void assert_known(const char *path, uint64_t seq)
{
    struct gz_answer answer;
    if (ask_at(path, seq, &answer) != GZ_OK)
        fail_msg("at %llu: %s", (unsigned long long)seq, answer.error.message);
    assert_int_equal(answer.node_count, NODES);
    for (size_t i = 0; i < answer.node_count; i++)
        assert_true(answer.nodes[i].content.trs.t.x == x_at(answer.nodes[i].id, seq));
    gz_answer_finish(&answer);
}

/* Another program has the file locked: what is too old stays until it is gone, and the log has no
 * line each second. */
TEST_IN_DIRECTORY(test_the_past_waits_for_another_programs_lock)
{
    const char *path = in_directory(directory, "known.db");
    make_known(path, EDITS, START_TIME);
    char *said = NULL;
    size_t size;
    FILE *stream = open_memstream(&said, &size);
    struct gz_log log = {.stream = stream, .level = GZ_INFO};
    struct gz_store *store;
    struct gz_scene_state state;
    struct gz_error error = {0};
    sqlite3 *other;
    struct gz_store_options options = {
        .path = path, .time = START_TIME, .kept = {.edits = GZ_UNDO_EDITS_MAX}, .log = &log};
    assert_int_equal(sqlite3_open(path, &other), SQLITE_OK);
    sqlite3_busy_timeout(other, 5000);
    assert_int_equal(gz_store_open(&store, &options, &state, &error), GZ_OK);
    assert_int_equal(gz_store_start(store, &error), GZ_OK);
    gz_scene_state_finish(&state);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    usleep(LOCK_MS * 1000);
    assert_int_equal(sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(other);
    gz_store_close(store);
    fclose(stream);
    if (strstr(said, "removing old history") != NULL) fail_msg("%s", said);
    free(said);
    store = open_keeping(path, options.kept, &state);
    gz_scene_state_finish(&state);
    wait_until_kept_since(path, seq_of(PASSED));
    gz_store_close(store);
}

/* How much is taken away until the power goes: false where all was. */
static bool forget_in_the_dark(const char *path, int cut_at, unsigned random)
{
    struct gz_store *store;
    struct gz_scene_state state;
    struct gz_error error = {0};
    struct gz_store_options options = {
        .path = path, .time = START_TIME, .kept = {.edits = GZ_UNDO_EDITS_MAX}};
    power_vfs_cut_at(cut_at);
    bool done = false;
    if (gz_store_open(&store, &options, &state, &error) == GZ_OK) {
        assert_int_equal(gz_store_start(store, &error), GZ_OK);
        for (int i = 0; i < SECONDS_MAX * 1000 && !power_vfs_is_cut() && !done; i++) {
            usleep(2000);
            done = i % 16 == 15 && ask(path, "SELECT iif(since = swept, since, 0) FROM kept") ==
                                       (int64_t)seq_of(PASSED);
        }
        gz_store_close(store);
        gz_scene_state_finish(&state);
    }
    bool is_cut = power_vfs_is_cut();
    power_vfs_settle(random, random % 2 == 0 ? 512 : 4096);
    return is_cut;
}

/* What is left of an edit that was passed is not given for all of it. */
static void assert_edit(const char *path, uint64_t edit, enum gz_status status)
{
    struct gz_query query = {.kind = GZ_QUERY_EDIT, .edit = edit};
    struct gz_answer answer;
    gz_store_query(path, &query, &answer);
    assert_int_equal(answer.status, status);
    if (status == GZ_OK) assert_int_equal(answer.edits[0].id, edit);
    gz_answer_finish(&answer);
}

/* Wherever it stopped: what is after the horizon is as it was, the file is whole, and the next
 * opening goes on from there. */
TEST_IN_DIRECTORY(test_the_past_goes_in_steps_that_survive_power_cuts)
{
    const char *path = in_directory(directory, "known.db");
    make_known(path, EDITS, START_TIME);
    power_vfs_settle(0, 512);
    bool is_cut = true;
    int rounds = 0;
    uint64_t since = 0, steps = 0;
    for (; is_cut && rounds < 100; rounds++) {
        is_cut = forget_in_the_dark(path, 20 + rounds * 67 % 700, (unsigned)rounds);
        uint64_t now = (uint64_t)ask(path, "SELECT since FROM kept");
        assert_true(now >= since);
        steps += now > since && now < seq_of(PASSED);
        since = now;
        const uint64_t first = since > 0 ? since : seq_of(1);
        assert_known(path, first);
        assert_known(path, first + 1);
        assert_known(path, seq_of(EDITS));
        assert_whole(path);
        power_vfs_settle(0, 512);
        if (getenv("GZ_SHOW") != NULL) print_message("cut %d: since %d\n", is_cut, (int)since);
    }
    assert_false(is_cut);
    assert_true(steps > 2);
    assert_int_equal(since, seq_of(PASSED));
    assert_nothing_more(path);
    assert_int_equal(ask(path, "SELECT count(*) FROM changes WHERE edit <= 3"), NODES - QUIET);
    assert_edit(path, WIDE_EDITS, GZ_BAD_VALUE);
    assert_edit(path, PASSED, GZ_BAD_VALUE);
    assert_edit(path, PASSED + 1, GZ_OK);
}

TEST_IN_DIRECTORY(test_the_young_and_their_keys_are_kept)
{
    const char *path = in_directory(directory, "young.db");
    struct gz_scene_state state;
    double now = (double)time(NULL);
    make_known(path, 100, now - GZ_RETENTION_SECONDS_MIN + 600);
    struct gz_store *store =
        open_keeping(path, (struct gz_retention_rule){.edits = GZ_UNDO_EDITS_MAX}, &state);
    gz_scene_state_finish(&state);
    wait_until_kept_since(path, seq_of(100));
    gz_store_close(store);
    assert_known(path, seq_of(100));
    power_vfs_settle(0, 512);
}

TEST_IN_DIRECTORY(test_what_is_older_goes)
{
    const char *path = in_directory(directory, "old.db");
    struct gz_scene_state state;
    double now = (double)time(NULL);
    make_known(path, 200, now - 7200);
    struct gz_store *store =
        open_keeping(path, (struct gz_retention_rule){.seconds = 10800}, &state);
    gz_scene_state_finish(&state);
    wait_until_kept_since(path, seq_of(200));
    gz_store_close(store);
    store = open_keeping(path, (struct gz_retention_rule){.seconds = 5400}, &state);
    gz_scene_state_finish(&state);
    wait_until_kept_since(path, seq_of(PASSED));
    gz_store_close(store);
    assert_nothing_more(path);
    power_vfs_settle(0, 512);
}

static int64_t count_files(const char *path, const char *which)
{
    char sql[128];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM assets WHERE %s", which);
    return ask(path, sql);
}

/* A node of file 5 that was made by edit 5 and deleted by edit 7, with a checkpoint between. */
static void make_checkpoint_of_deleted(const char *path)
{
    char sql[2048];
    snprintf(sql, sizeof sql,
             "INSERT INTO nodes SELECT 902, %llu, %llu, NULL, 'named', tx, ty, tz, rx, ry, rz, rw,"
             "  sx, sy, sz, NULL, NULL, NULL, NULL, NULL, NULL, 5 FROM nodes LIMIT 1;"
             "INSERT INTO changes (edit, step, node, seq, did, after_name, after_tx, after_ty,"
             "  after_tz, after_rx, after_ry, after_rz, after_rw, after_sx, after_sy, after_sz,"
             "  after_asset) SELECT 5, 1, 902, %llu, 'create', name, tx, ty, tz, rx, ry, rz, rw,"
             "  sx, sy, sz, asset FROM nodes WHERE id = 902;"
             "INSERT INTO changes (edit, step, node, seq, did, before_name, before_tx, before_ty,"
             "  before_tz, before_rx, before_ry, before_rz, before_rw, before_sx, before_sy,"
             "  before_sz, before_asset) SELECT 7, 1, 902, %llu, 'delete', name, tx, ty, tz, rx,"
             "  ry, rz, rw, sx, sy, sz, asset FROM nodes WHERE id = 902;"
             "INSERT INTO checkpoints VALUES ('named', %llu, 'u', 0.0);",
             (unsigned long long)seq_of(7), (unsigned long long)seq_of(7),
             (unsigned long long)seq_of(5), (unsigned long long)seq_of(7),
             (unsigned long long)seq_of(6));
    tell(path, sql);
}

/* All that there is to do at this time; `count` files are gone then. */
static void go_on(const char *path, struct gz_retention *retention, double now, int64_t count)
{
    struct gz_error error;
    for (bool more = true; more;)
        assert_int_equal(gz_retention_step(retention, now, &more, &error), GZ_OK);
    wait_until_kept_since(path, seq_of(PASSED));
    assert_int_equal(count_files(path, "bytes IS NULL"), count);
}

/* What the horizon passes may just have been read for a restore. */
static void pass_by_hand(const char *path, struct gz_retention_rule rule, int64_t count)
{
    sqlite3 *db;
    struct gz_shipper shipper;
    struct gz_retention retention;
    struct gz_error error;
    const double now = (double)time(NULL);
    assert_int_equal(gz_db_open(path, SQLITE_OPEN_READWRITE, &db, &error), GZ_OK);
    assert_int_equal(gz_shipper_init(&shipper, db, NULL, &error), GZ_OK);
    assert_int_equal(gz_retention_init(&retention, &shipper, rule, &error), GZ_OK);
    go_on(path, &retention, now, 0);
    go_on(path, &retention, now + GZ_UNUSED_ASSET_SECONDS - 1, 0);
    go_on(path, &retention, now + GZ_UNUSED_ASSET_SECONDS, count);
    gz_retention_finish(&retention);
    gz_shipper_finish(&shipper);
    sqlite3_close(db);
}

/* Of these files one has a node that is there, one a node that is in the kept history, one a node
 * that is in a checkpoint, one came lately; three are of nobody, and the last is the last to go. */
TEST_IN_DIRECTORY(test_files_of_nobody_go)
{
    const char *path = in_directory(directory, "files.db");
    const struct gz_retention_rule rule = {.seconds = 5400};
    char sql[2048];
    struct gz_scene_state state;
    const unsigned long long late = seq_of(PASSED) + 1;
    make_known(path, 200, (double)time(NULL) - 7200);
    snprintf(sql, sizeof sql,
             "UPDATE scene SET next_node = 903;"
             "INSERT INTO assets SELECT column1, 1, column2, 'model/gltf+json', column1, x'7b7d'"
             "  FROM (VALUES (0, 1), (1, 1), (2, 1), (3, 1), (4, %llu), (5, 1), (6, 1));"
             "UPDATE nodes SET asset = 1 WHERE id = (SELECT min(id) FROM nodes);"
             "INSERT INTO nodes SELECT 900, 1, 1, NULL, 'gone', tx, ty, tz, rx, ry, rz, rw, sx, sy,"
             "  sz, NULL, NULL, NULL, NULL, NULL, NULL, 2 FROM nodes LIMIT 1;"
             "INSERT INTO nodes SELECT 901, %llu, %llu, NULL, 'late', tx, ty, tz, rx, ry, rz, rw,"
             "  sx, sy, sz, NULL, NULL, NULL, NULL, NULL, NULL, 3 FROM nodes LIMIT 1;",
             late, late, late);
    tell(path, sql);
    make_checkpoint_of_deleted(path);
    pass_by_hand(path, rule, 3);
    assert_int_equal(count_files(path, "bytes IS NULL AND first IN (0, 2, 6)"), 3);
    assert_int_equal(count_files(path, "bytes IS NOT NULL"), 4);

    tell(path, "DELETE FROM checkpoints");
    vouch_for(path);
    struct gz_store *store = open_keeping(path, rule, &state);
    gz_scene_state_finish(&state);
    for (int i = 0; i < SECONDS_MAX * 100 && count_files(path, "bytes IS NULL") < 4; i++)
        usleep(10000);
    gz_store_close(store);
    assert_int_equal(count_files(path, "bytes IS NULL AND first IN (0, 2, 5, 6)"), 4);
    power_vfs_settle(0, 512);
}

/* Two days ahead for a second, and for good: what is old by that clock stays for an hour. */
TEST(test_a_clock_that_jumps_ahead_removes_nothing_for_an_hour)
{
    const double day = 24 * 3600.0, start = 1.8e9;
    struct gz_retention_clock clock = {.ahead_s = start - 100};
    assert_true(gz_retention_trusts(&clock, start, 100));
    assert_true(gz_retention_trusts(&clock, start + 10 * day, 100 + 10 * day));
    assert_true(gz_retention_trusts(&clock, start + 59, 100 + 5));
    assert_false(gz_retention_trusts(&clock, start + 2 * day, 200));
    assert_false(gz_retention_trusts(&clock, start + 101, 201)); /* right again */
    assert_false(gz_retention_trusts(&clock, start + 3600, 3700));
    assert_true(gz_retention_trusts(&clock, start + 3701, 3801));
    assert_true(gz_retention_trusts(&clock, start - 30 * day, 3900));
    assert_false(gz_retention_trusts(&clock, start + 3900, 4000)); /* ahead of what it was */
    assert_false(gz_retention_trusts(&clock, start + 7400, 7500));
    assert_true(gz_retention_trusts(&clock, start + 7600, 7700));
}

int main(void)
{
    power_vfs_register();
    return test_run(NULL, NULL);
}
