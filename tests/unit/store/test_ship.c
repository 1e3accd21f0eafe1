/* Each transaction of a store leaves as a change before it is committed, and changes make another
 * file equal row by row, whatever happens in between: pauses, copies, kills, refusals, fences,
 * failing commits, damaged changes. The first place of a log stays in its files, the wait for the
 * log is no time of the disk, and planted differences are found. */
#include "support/chance.h"
#include "unit/store/scene_file.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#include "store/clean_mark.h"
#include "store/patch.h"
#include "store/ship.h"
#include "support/fault_vfs.h"

#define CHANGES_MAX 8192
#define GROUP_MAX 16
/* Edits of a life, of which the history keeps MODEL_EDITS_KEPT. */
#define LIFE_BATCHES 2400
#define LIFE_EDITS_KEPT 1001
#define KILLS 40
#define DAMAGES 300

/* ---- a log in memory ---- */

struct change {
    uint8_t *bytes;
    size_t size;
};

struct log {
    struct change changes[CHANGES_MAX]; /* change n is the one before place n */
    size_t count;
    enum gz_status answer;          /* to changes from `answers_from` on, instead of taking them */
    size_t answers_from, breaks_at; /* and the disk refuses to commit change `breaks_at`; 0: none */
    int breaks_with;                /* SQLite's code for that */
    atomic_int answers;             /* so many were given */
    atomic_bool is_asked;           /* a change has come, and waits for the gate */
    pthread_mutex_t gate;           /* whoever has it keeps changes from being answered */
    bool is_wrong;                  /* a number was not the next one, or there were too many */
    int sink;                       /* of a victim: its changes go there; else -1 */
    size_t kill_at;                 /* and it ends with this one */
};

static enum gz_status write_down(int sink, const uint8_t *bytes, size_t size)
{
    bool is_written =
        write(sink, &size, sizeof size) == sizeof size && write(sink, bytes, size) == (ssize_t)size;
    return is_written ? GZ_OK : GZ_STORAGE;
}

static void keep_change(struct log *log, const uint8_t *bytes, size_t size)
{
    struct change *change = &log->changes[log->count++];
    *change = (struct change){malloc(size), size};
    if (change->bytes != NULL) memcpy(change->bytes, bytes, size);
}

/* On the writer's thread, on which cmocka can fail nothing. */
static enum gz_status append(void *context, uint64_t n, const uint8_t *bytes, size_t size,
                             struct gz_error *error)
{
    struct log *log = context;
    atomic_store(&log->is_asked, true);
    pthread_mutex_lock(&log->gate);
    pthread_mutex_unlock(&log->gate);
    if (log->answer != GZ_OK && n >= log->answers_from) {
        atomic_fetch_add(&log->answers, 1);
        return gz_fail(error, log->answer, "the log says no");
    }
    log->is_wrong |= n != log->count + 1 || log->count == CHANGES_MAX;
    if (log->is_wrong) return gz_fail(error, GZ_STORAGE, "change %d", (int)n);
    if (log->sink >= 0) {
        if (write_down(log->sink, bytes, size) != GZ_OK) _exit(3);
        if (++log->count == log->kill_at) raise(SIGKILL);
        return GZ_OK;
    }
    keep_change(log, bytes, size);
    if (n == log->breaks_at) fault_vfs_arm(FAULT_WRITE, 1, log->breaks_with, false);
    return GZ_OK;
}

static struct log *make_log(void)
{
    struct log *log = calloc(1, sizeof *log);
    assert_non_null(log);
    log->sink = -1;
    pthread_mutex_init(&log->gate, NULL);
    return log;
}

static void free_log(struct log *log)
{
    assert_false(log->is_wrong);
    for (size_t i = 0; i < log->count; i++) free(log->changes[i].bytes);
    pthread_mutex_destroy(&log->gate);
    free(log);
}

/* ---- files ---- */

static struct gz_store *open_shipped(const char *path, struct log *log, double time,
                                     struct gz_scene_state *state)
{
    static struct gz_shipping shippings[8];
    static size_t next;
    struct gz_shipping *shipping = &shippings[next++ % 8];
    *shipping = (struct gz_shipping){.context = log, .append = append};
    struct gz_store *store;
    struct gz_error error = {0};
    struct gz_store_options options = {.path = path,
                                       .create = true,
                                       .time = time,
                                       .kept = {.edits = LIFE_EDITS_KEPT},
                                       .shipping = shipping};
    if (gz_store_open(&store, &options, state, &error) != GZ_OK) fail_msg("%s", error.message);
    if (state->read_only[0] != '\0') fail_msg("%s", state->read_only);
    assert_int_equal(gz_store_start(store, &error), GZ_OK);
    return store;
}

static uint64_t place_of(const char *path)
{
    struct gz_place place;
    struct gz_error error;
    if (gz_store_place(path, &place, &error) != GZ_OK) fail_msg("%s", error.message);
    return place.n;
}

static enum gz_status apply_change(struct gz_applier *applier, uint64_t n, const uint8_t *bytes,
                                   size_t size, struct gz_error *error)
{
    enum gz_status status = gz_applier_add(applier, n, bytes, size, error);
    return status == GZ_OK ? gz_applier_flush(applier, error) : status;
}

/* Applies what of the log is not in the file yet, up to change `to`. */
static void follow(const char *path, const struct log *log, size_t to)
{
    struct gz_applier *applier;
    struct gz_error error = {0};
    if (access(path, F_OK) != 0) make_empty_scene(path);
    if (gz_applier_open(&applier, path, &error) != GZ_OK) fail_msg("%s", error.message);
    const bool is_together = to % 2 == 0;
    for (uint64_t n = gz_applier_place(applier).n; n < to; n++)
        if ((is_together ? gz_applier_add : apply_change)(applier, n + 1, log->changes[n].bytes,
                                                          log->changes[n].size, &error) != GZ_OK)
            fail_msg("change %d: %s", (int)n + 1, error.message);
    if (gz_applier_flush(applier, &error) != GZ_OK) fail_msg("%s", error.message);
    gz_applier_close(applier);
    assert_true(place_of(path) >= to);
}

static void assert_equal(const char *path, const char *against)
{
    char difference[GZ_ERROR_BYTES_MAX];
    struct gz_error error;
    if (gz_store_compare(path, against, difference, &error) != GZ_OK) fail_msg("%s", error.message);
    if (difference[0] != '\0') fail_msg("%s", difference);
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

/* One file, without what SQLite keeps beside it. */
static void copy_file(const char *from, const char *to)
{
    struct gz_error error;
    unlink(to);
    if (gz_store_backup(from, to, &error) != GZ_OK) fail_msg("%s", error.message);
}

/* ---- a random life ---- */

struct life {
    void **directory;
    char path[512], near[512], late[512]; /* the authority's file; two followers' */
    struct log *log;
    struct model *model;
    struct gz_store *store;
    uint64_t notes, names;
};

static void *take(struct gz_batch *batch, size_t size)
{
    void *memory = gz_arena_take(&batch->arena, 1, size);
    assert_non_null(memory);
    memset(memory, 0, size);
    return memory;
}

/* A note is new, or moved, or deleted; its place has zeros of both signs. */
static void add_note(struct life *life, struct gz_batch *batch)
{
    static const double places[] = {0.0, -0.0, 1.5};
    struct model *model = life->model;
    struct gz_note_record *note = take(batch, sizeof *note);
    bool is_new = life->notes < 3 || model_random(model, 3) == 0;
    *note =
        (struct gz_note_record){.id = is_new ? ++life->notes : 1 + model_random(model, life->notes),
                                .user = "anna",
                                .text = "look at this",
                                .by = "anna",
                                .has_point = true,
                                .made = START_TIME,
                                .changed = model->time,
                                .done = model_random(model, 2) == 0};
    note->point = (gz_vec3){places[model_random(model, 3)], places[model_random(model, 3)],
                            places[model_random(model, 3)]};
    batch->notes = note;
    batch->note_count = 1;
}

/* A name for now, or the one before the last goes. */
static void add_checkpoint(struct life *life, struct gz_batch *batch)
{
    struct gz_checkpoint_record *checkpoint = take(batch, sizeof *checkpoint);
    char *name = take(batch, 32);
    bool is_gone = life->names > 3 && model_random(life->model, 2) == 0;
    snprintf(name, 32, "state %d", (int)(is_gone ? life->names - 1 : ++life->names));
    *checkpoint = (struct gz_checkpoint_record){.name = name,
                                                .seq = batch->seq,
                                                .user = "anna",
                                                .made = life->model->time,
                                                .gone = is_gone};
    if (is_gone) life->names += 1;
    batch->checkpoints = checkpoint;
    batch->checkpoint_count = 1;
}

static void add_access(struct life *life, struct gz_batch *batch)
{
    struct gz_access_record *access = take(batch, sizeof *access);
    *access = (struct gz_access_record){.glob = "*@example.com",
                                        .user = "anna",
                                        .role = GZ_ROLE_EDITOR,
                                        .gone = model_random(life->model, 2) == 0,
                                        .made = life->model->time};
    batch->access = access;
    batch->access_count = 1;
}

static void add_file(struct life *life, struct gz_batch *batch)
{
    size_t size = 4 + model_random(life->model, 100000);
    uint8_t *bytes = take(batch, size);
    for (size_t i = 0; i < size; i += 97) bytes[i] = (uint8_t)model_random(life->model, 256);
    memcpy(bytes, "glTF", 4);
    add_asset(batch, 1000 + batch->seq, batch->seq, bytes, size); /* no node is of it */
}

static struct gz_batch *next_batch(struct life *life)
{
    struct gz_batch *batch = model_batch(life->model);
    switch (model_random(life->model, 16)) {
    case 0: add_note(life, batch); break;
    case 1: add_checkpoint(life, batch); break;
    case 2: add_access(life, batch); break;
    case 3: add_file(life, batch); break;
    default: break;
    }
    return batch;
}

/* Several batches are one transaction. */
static void live(struct life *life, size_t batches)
{
    enum gz_status status;
    struct gz_error error;
    while (batches > 0) {
        size_t group = 1 + model_random(life->model, GROUP_MAX);
        if (group > batches) group = batches;
        for (size_t i = 0; i < group; i++) gz_store_submit(life->store, next_batch(life));
        for (size_t i = 0; i < group; i++) {
            gz_batch_destroy(wait_for(life->store, &status, &error));
            if (status != GZ_OK) fail_msg("%s", error.message);
        }
        batches -= group;
    }
}

static void wake(struct life *life)
{
    struct gz_scene_state state;
    life->store = open_shipped(life->path, life->log, life->model->time, &state);
    gz_scene_state_finish(&state);
}

static void sleep_and_wake(struct life *life)
{
    gz_store_close(life->store);
    wake(life);
    model_reopen(life->model);
}

static void begin_life(struct life *life, void **directory, uint64_t seed, int sink, size_t kill_at)
{
    *life = (struct life){.directory = directory, .log = make_log(), .model = model_create(seed)};
    life->model->is_lasting = true;
    life->log->sink = sink;
    life->log->kill_at = kill_at;
    snprintf(life->path, sizeof life->path, "%s", in_directory(directory, "first.db"));
    snprintf(life->near, sizeof life->near, "%s", in_directory(directory, "near.db"));
    snprintf(life->late, sizeof life->late, "%s", in_directory(directory, "late.db"));
    wake(life);
}

static void end_life(struct life *life)
{
    gz_store_close(life->store);
    life->store = NULL;
}

static void free_life(struct life *life)
{
    model_destroy(life->model);
    free_log(life->log);
}

/* The late follower begins anew with a copy. */
static void install_copy(const struct life *life)
{
    struct gz_error error;
    const char *copy = in_directory(life->directory, "copy.db");
    copy_file(life->path, copy);
    uint64_t place = place_of(copy);
    if (gz_store_install(life->late, copy, &error) != GZ_OK) fail_msg("%s", error.message);
    assert_int_equal(access(copy, F_OK), -1);
    assert_int_equal(place_of(life->late), place);
}

static void assert_followed(const struct life *life)
{
    follow(life->near, life->log, life->log->count);
    follow(life->late, life->log, life->log->count);
    assert_int_equal(place_of(life->path), life->log->count);
    assert_equal(life->path, life->near);
    assert_equal(life->path, life->late);
    assert_whole(life->path);
    assert_whole(life->near);
}

TEST_IN_DIRECTORY(test_files_that_followed_a_life_are_equal)
{
    struct life life;
    begin_life(&life, directory, 18, -1, 0);
    const size_t steps = 10, batches = chance_count(LIFE_BATCHES) / steps;
    for (size_t i = 0; i < steps; i++) {
        live(&life, batches);
        if (i % 3 == 0) sleep_and_wake(&life);
        if (i == 2 || i == 6) install_copy(&life);
        if (i % 2 == 0) follow(life.near, life.log, life.log->count - model_random(life.model, 5));
    }
    end_life(&life);
    assert_followed(&life);

    if (chance_count(LIFE_BATCHES) == LIFE_BATCHES)
        assert_true(ask(life.near, "SELECT since FROM kept") > 0);

    free_life(&life);
}

/* Whether the statements of patch.h take the change as it is. */
static bool patch(sqlite3 *db, struct gz_patcher *patcher, const struct change *change)
{
    struct gz_error error;
    if (gz_patcher_check(patcher, change->bytes, change->size, &error) != GZ_OK)
        fail_msg("%s", error.message);
    assert_int_equal(sqlite3_exec(db, "BEGIN", NULL, NULL, NULL), SQLITE_OK);
    const bool is_applied = gz_patcher_apply(patcher, change->bytes, change->size);
    assert_int_equal(sqlite3_exec(db, is_applied ? "COMMIT" : "ROLLBACK", NULL, NULL, NULL),
                     SQLITE_OK);
    return is_applied;
}

/* What SQLite applies is a way out for what does not fit, and nothing is to need it. */
TEST_IN_DIRECTORY(test_changes_of_a_life_fit_without_sqlite)
{
    struct life life;
    sqlite3 *db;
    begin_life(&life, directory, 7, -1, 0);
    live(&life, 60);
    sleep_and_wake(&life);
    live(&life, 60);
    end_life(&life);
    follow(life.near, life.log, 1);
    assert_int_equal(sqlite3_open(life.near, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "PRAGMA foreign_keys = ON", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    struct gz_patcher *patcher = gz_patcher_create(db);
    assert_non_null(patcher);
    for (size_t i = 1; i < life.log->count; i++)
        if (!patch(db, patcher, &life.log->changes[i])) fail_msg("change %zu does not fit", i + 1);
    assert_false(patch(db, patcher, &life.log->changes[life.log->count - 1])); /* once more */
    gz_patcher_destroy(patcher);
    sqlite3_close(db);
    assert_equal(life.path, life.near);
    free_life(&life);
}

/* The follower becomes the authority and the other way round. */
TEST_IN_DIRECTORY(test_follower_goes_on_as_the_authority)
{
    struct life life;
    begin_life(&life, directory, 5, -1, 0);
    live(&life, 40);
    end_life(&life);
    follow(life.near, life.log, life.log->count);
    char path[512];
    memcpy(path, life.path, sizeof path);
    memcpy(life.path, life.near, sizeof path);
    memcpy(life.near, path, sizeof path);
    wake(&life);
    model_reopen(life.model);
    live(&life, 40);
    end_life(&life);
    follow(life.late, life.log, life.log->count);
    assert_followed(&life);
    free_life(&life);
}

/* ---- what goes wrong ---- */

static struct gz_batch *one_edit(struct numbered *numbered)
{
    struct gz_batch *batch = numbered_batch(numbered, false);
    assert_non_null(batch);
    return batch;
}

static int count_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int count = 0;
    assert_non_null(tasks);
    for (struct dirent *task; (task = readdir(tasks)) != NULL;) count += task->d_name[0] != '.';
    closedir(tasks);
    return count;
}

struct stage {
    int threads; /* without the writer's */
    const char *path;
    struct log *log;
    struct gz_store *store;
    struct numbered numbered;
};

/* A store with a few edits. */
static struct stage set_stage(void **directory)
{
    struct stage stage = {.threads = count_threads(),
                          .path = strdup(in_directory(directory, "stage.db")),
                          .log = make_log()};
    struct gz_scene_state state;
    stage.store = open_shipped(stage.path, stage.log, START_TIME, &state);
    gz_scene_state_finish(&state);
    for (int i = 0; i < 6; i++) {
        struct gz_batch *batch = numbered_batch(&stage.numbered, i % 2 == 1);
        assert_non_null(batch);
        commit(stage.store, batch);
    }
    return stage;
}

/* The log may have an edit that the file lacks: nobody hears of it, nor of one that comes later. */
static void assert_kept_back(struct stage *stage)
{
    enum gz_status status;
    struct gz_error error;
    while (!gz_store_stats(stage->store).is_gone) usleep(100);
    assert_true(gz_store_stats(stage->store).keeps_batches);
    gz_store_submit(stage->store, one_edit(&stage->numbered));
    while (count_threads() > stage->threads) usleep(100);
    assert_null(gz_store_take(stage->store, &status, &error));
}

static void strike(struct stage *stage)
{
    gz_store_close(stage->store);
    free_log(stage->log);
    free((char *)stage->path);
}

TEST_IN_DIRECTORY(test_refused_change_leaves_nothing_and_can_be_sent_again)
{
    struct stage stage = set_stage(directory);
    enum gz_status status;
    struct gz_error error;
    struct numbered before = stage.numbered;
    uint64_t place = place_of(stage.path);
    stage.log->answer = GZ_STORAGE;
    gz_store_submit(stage.store, one_edit(&stage.numbered));
    gz_batch_destroy(wait_for(stage.store, &status, &error));
    assert_int_equal(status, GZ_STORAGE);
    assert_string_equal(error.message, "the log says no");
    assert_false(gz_store_stats(stage.store).is_gone);
    assert_int_equal(place_of(stage.path), place);
    stage.log->answer = GZ_OK;
    stage.numbered = before;
    commit(stage.store, one_edit(&stage.numbered));
    assert_int_equal(place_of(stage.path), place + 1);
    assert_int_equal(stage.log->count, place + 1);
    strike(&stage);
}

static double since(uint64_t from_ns)
{
    return (double)(uv_hrtime() - from_ns) * 1e-9;
}

/* How the log does is said elsewhere: a disk that is well looks well, then and afterwards. */
TEST_IN_DIRECTORY(test_wait_for_the_log_is_no_time_of_the_disk)
{
    struct stage stage = set_stage(directory);
    const double least_s = 0.2, before_s = gz_store_stats(stage.store).last_commit_s;
    enum gz_status status;
    struct gz_error error;
    atomic_store(&stage.log->is_asked, false);
    pthread_mutex_lock(&stage.log->gate);
    const uint64_t from_ns = uv_hrtime();
    gz_store_submit(stage.store, one_edit(&stage.numbered));
    while (!atomic_load(&stage.log->is_asked)) usleep(1000);
    usleep((useconds_t)(1e6 * least_s));
    double commit_s = gz_store_stats(stage.store).last_commit_s;
    pthread_mutex_unlock(&stage.log->gate);
    assert_true(commit_s <= fmax(before_s, since(from_ns) - least_s));
    gz_batch_destroy(wait_for(stage.store, &status, &error));
    assert_int_equal(status, GZ_OK);
    commit_s = gz_store_stats(stage.store).last_commit_s;
    assert_true(commit_s > 0 && commit_s <= since(from_ns) - least_s);
    strike(&stage);
}

static void expect_fence(struct stage *stage)
{
    enum gz_status status;
    struct gz_error error;
    gz_batch_destroy(wait_for(stage->store, &status, &error));
    assert_int_equal(status, GZ_BAD_STATE);
    assert_true(gz_store_stats(stage->store).is_gone);
    assert_false(gz_store_stats(stage->store).keeps_batches);
}

TEST_IN_DIRECTORY(test_fenced_store_is_gone_and_says_so_to_those_who_wait)
{
    struct stage stage = set_stage(directory);
    uint64_t place = place_of(stage.path);
    stage.log->answer = GZ_BAD_STATE;
    atomic_store(&stage.log->is_asked, false);
    pthread_mutex_lock(&stage.log->gate);
    gz_store_submit(stage.store, one_edit(&stage.numbered));
    while (!atomic_load(&stage.log->is_asked)) usleep(100);
    for (int i = 0; i < 2; i++) gz_store_submit(stage.store, one_edit(&stage.numbered));
    pthread_mutex_unlock(&stage.log->gate);
    for (int i = 0; i < 3; i++) expect_fence(&stage);
    /* The log has said it. */
    gz_store_submit(stage.store, one_edit(&stage.numbered));
    expect_fence(&stage);
    assert_int_equal(atomic_load(&stage.log->answers), 1);
    assert_int_equal(place_of(stage.path), place);
    strike(&stage);
}

TEST_IN_DIRECTORY(test_fence_at_the_opening_leaves_the_file_as_it_was)
{
    struct stage stage = set_stage(directory);
    gz_store_close(stage.store);
    struct gz_scene_state state;
    struct gz_error error;
    const struct gz_shipping shipping = {.context = stage.log, .append = append};
    struct gz_store_options options = {
        .path = stage.path, .time = START_TIME + 9, .shipping = &shipping};
    uint64_t place = place_of(stage.path);
    int64_t epochs = ask(stage.path, "SELECT count(*) FROM epochs");
    stage.log->answer = GZ_BAD_STATE;
    assert_int_equal(gz_store_open(&stage.store, &options, &state, &error), GZ_BAD_STATE);
    assert_null(stage.store);
    assert_int_equal(place_of(stage.path), place);
    assert_int_equal(ask(stage.path, "SELECT count(*) FROM epochs"), epochs);
    strike(&stage);
}

/* Nobody may be told that the edit failed: the log has it. */
TEST_IN_DIRECTORY(test_commit_that_fails_after_the_log_took_it_is_told_to_nobody)
{
    struct stage stage = set_stage(directory);
    uint64_t place = place_of(stage.path);
    stage.log->breaks_at = place + 1;
    stage.log->breaks_with = SQLITE_IOERR_WRITE;
    gz_store_submit(stage.store, one_edit(&stage.numbered));
    assert_kept_back(&stage);
    assert_true(fault_vfs_heal());
    gz_store_close(stage.store);
    assert_int_equal(stage.log->count, place + 1);
    assert_int_equal(place_of(stage.path), place);
    follow(stage.path, stage.log, stage.log->count);
    struct gz_scene_state state;
    stage.store = open_shipped(stage.path, stage.log, START_TIME + 100, &state);
    assert_int_equal(state.edit_count, 4);
    gz_scene_state_finish(&state);
    strike(&stage);
}

/* Nor if nobody knows whether the log has it. */
TEST_IN_DIRECTORY(test_edit_that_the_log_does_not_answer_for_is_told_to_nobody)
{
    struct stage stage = set_stage(directory);
    uint64_t place = place_of(stage.path);
    stage.log->answer = GZ_INTERNAL;
    gz_store_submit(stage.store, one_edit(&stage.numbered));
    assert_kept_back(&stage);
    gz_store_close(stage.store);
    assert_int_equal(atomic_load(&stage.log->answers), 1);
    assert_int_equal(place_of(stage.path), place);
    struct gz_scene_state state;
    stage.log->answer = GZ_OK;
    stage.store = open_shipped(stage.path, stage.log, START_TIME + 100, &state);
    gz_scene_state_finish(&state);
    strike(&stage);
}

/* ---- what goes wrong while old history is removed ---- */

/* A store whose log has taken as many edits as are kept: one more, and a step of the removal
 * follows as a change of its own. */
static struct stage set_full_stage(void **directory)
{
    struct stage stage = set_stage(directory);
    enum gz_status status;
    struct gz_error error;
    size_t count = 0;
    for (; stage.numbered.edits < LIFE_EDITS_KEPT; count++)
        gz_store_submit(stage.store, numbered_batch(&stage.numbered, count % 2 == 1));
    gz_store_submit(stage.store, numbered_batch(&stage.numbered, true));
    for (size_t i = 0; i <= count; i++) {
        gz_batch_destroy(wait_for(stage.store, &status, &error));
        if (status != GZ_OK) fail_msg("%s", error.message);
    }
    return stage;
}

TEST_IN_DIRECTORY(test_fence_of_the_removal_is_the_stores)
{
    struct stage stage = set_full_stage(directory);
    stage.log->answer = GZ_BAD_STATE;
    stage.log->answers_from = place_of(stage.path) + 3;
    for (int i = 0; i < 2; i++) commit(stage.store, numbered_batch(&stage.numbered, i == 1));
    while (!gz_store_stats(stage.store).is_gone) usleep(100);
    assert_int_equal(gz_store_stats(stage.store).last_status, GZ_BAD_STATE);
    gz_store_submit(stage.store, one_edit(&stage.numbered));
    expect_fence(&stage);
    assert_int_equal(atomic_load(&stage.log->answers), 1);
    strike(&stage);
}

/* Even if the file was only locked. */
TEST_IN_DIRECTORY(test_removal_that_the_file_lacks_ends_the_store)
{
    struct stage stage = set_full_stage(directory);
    stage.log->breaks_at = place_of(stage.path) + 3;
    stage.log->breaks_with = SQLITE_BUSY;
    for (int i = 0; i < 2; i++) commit(stage.store, numbered_batch(&stage.numbered, i == 1));
    assert_kept_back(&stage);
    assert_true(fault_vfs_heal());
    assert_int_equal(gz_store_stats(stage.store).last_status, GZ_STORAGE);
    gz_store_close(stage.store);
    follow(stage.path, stage.log, stage.log->count);
    struct gz_scene_state state;
    stage.store = open_shipped(stage.path, stage.log, START_TIME + 100, &state);
    gz_scene_state_finish(&state);
    strike(&stage);
}

static void expect_place(const char *path, uint64_t n, uint64_t first)
{
    struct gz_place place;
    struct gz_error error;
    assert_int_equal(gz_store_place(path, &place, &error), GZ_OK);
    assert_int_equal(place.n, n);
    assert_int_equal(place.first, first);
}

static enum gz_status take_any(void *context, uint64_t n, const uint8_t *bytes, size_t size,
                               struct gz_error *error)
{
    (void)context, (void)n, (void)bytes, (void)size, (void)error;
    return GZ_OK;
}

/* One change: that it was opened. */
static void open_and_close(const char *path, bool create, const struct gz_shipping *shipping)
{
    const struct gz_store_options options = {
        .path = path, .create = create, .time = START_TIME + 1, .shipping = shipping};
    struct gz_store *store;
    struct gz_scene_state state;
    struct gz_error error;
    assert_int_equal(gz_store_open(&store, &options, &state, &error), GZ_OK);
    gz_scene_state_finish(&state);
    gz_store_close(store);
}

static void open_from(const char *path, uint64_t from)
{
    open_and_close(path, false, &(struct gz_shipping){.from = from, .append = take_any});
}

static enum gz_status expect_at_5(void *context, uint64_t n, const uint8_t *bytes, size_t size,
                                  struct gz_error *error)
{
    (void)context, (void)bytes, (void)size;
    return n == 5 ? GZ_OK : gz_fail(error, GZ_STORAGE, "change %d", (int)n);
}

TEST_IN_DIRECTORY(test_places_begin_where_they_are_to)
{
    const char *path = in_directory(directory, "from.db");
    open_and_close(path, true, &(struct gz_shipping){.from = 4, .append = expect_at_5});
    expect_place(path, 5, 5);
}

TEST_IN_DIRECTORY(test_the_first_place_says_which_log_it_is)
{
    const char *path = in_directory(directory, "first.db");
    make_empty_scene(path);
    expect_place(path, 0, 0);
    open_from(path, 0);
    expect_place(path, 1, 1);
    open_from(path, 0);
    expect_place(path, 2, 1);
    open_from(path, 2); /* as long as the log that it was in */
    expect_place(path, 3, 3);
    open_from(path, 2);
    expect_place(path, 4, 3);
    tell(path, "UPDATE scene SET log_first = 9");
    struct gz_place place;
    struct gz_error error;
    assert_int_equal(gz_store_place(path, &place, &error), GZ_STORAGE);
}

/* A file that says otherwise takes the change. */
TEST_IN_DIRECTORY(test_the_first_place_is_in_the_first_change_alone)
{
    struct stage stage = set_stage(directory);
    const char *near = in_directory(directory, "near.db");
    follow(near, stage.log, 2);
    expect_place(near, 2, 1);
    tell(near, "UPDATE scene SET log_first = 2");
    vouch_for(near);
    follow(near, stage.log, stage.log->count);
    expect_place(near, stage.log->count, 2);
    strike(&stage);
}

TEST_IN_DIRECTORY(test_store_without_shipping_leaves_the_log)
{
    struct stage stage = set_stage(directory);
    gz_store_close(stage.store);
    assert_true(place_of(stage.path) > 0);
    stage.store = open_only(stage.path, false, START_TIME + 9);
    commit(stage.store, one_edit(&stage.numbered));
    expect_place(stage.path, 0, 0);
    strike(&stage);
}

/* ---- kills ---- */

static void be_the_victim(void **directory, int sink, size_t kill_at, uint64_t seed)
{
    struct life life;
    begin_life(&life, directory, seed, sink, kill_at);
    live(&life, 10000);
    _exit(2);
}

/* False at the end; what a kill cut off was never sent whole. */
static bool read_change(struct log *log, int source)
{
    size_t size, at = 0;
    if (read(source, &size, sizeof size) != sizeof size) return false;
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    ssize_t got = 1;
    for (; at < size && got > 0; at += (size_t)(got > 0 ? got : 0))
        got = read(source, bytes + at, size - at);
    if (at == size) keep_change(log, bytes, size);
    free(bytes);
    return at == size;
}

/* Its changes go to the log; it is killed when that has change `kill_at`, before the file has it,
 * or some time after that. */
static void run_victim(void **directory, struct log *log, size_t kill_at, bool is_exact,
                       uint64_t seed)
{
    int ends[2], result;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        be_the_victim(directory, ends[1], is_exact ? kill_at : SIZE_MAX, seed);
    }
    close(ends[1]);
    while (log->count < kill_at && read_change(log, ends[0])) continue;
    assert_int_equal(kill(child, SIGKILL), 0);
    while (read_change(log, ends[0])) continue;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFSIGNALED(result));
    close(ends[0]);
}

static void survive_kill(void **directory, size_t kill_at, bool is_exact)
{
    struct log *log = make_log();
    struct gz_scene_state state;
    char path[512], near[512], name[32];
    run_victim(directory, log, kill_at, is_exact, kill_at);
    snprintf(path, sizeof path, "%s", in_directory(directory, "first.db"));
    snprintf(name, sizeof name, "near%d.db", (int)kill_at);
    snprintf(near, sizeof near, "%s", in_directory(directory, name));
    vouch_for(path);
    if (is_exact) assert_int_equal(place_of(path), log->count - 1);
    follow(path, log, log->count);
    assert_int_equal(place_of(path), log->count);
    gz_store_close(open_shipped(path, log, START_TIME + 1e6, &state));
    gz_scene_state_finish(&state);
    follow(near, log, log->count);
    assert_equal(path, near);
    assert_whole(near);
    free_log(log);
    unlink(path);
    unlink(near);
}

TEST_IN_DIRECTORY(test_killed_store_takes_from_the_log_what_it_lacks)
{
    for (size_t i = 0; i < chance_count(KILLS); i++)
        survive_kill(directory, 2 + 7 * i % 120, i % 2 == 0);
}

/* ---- changes that are none, and files that are others ---- */

/* A file that is as `good`, ready to take the next change. */
static struct gz_applier *begin_anew(const char *path, const char *good)
{
    struct gz_applier *applier;
    struct gz_error error;
    copy_file(good, path);
    vouch_for(path);
    if (gz_applier_open(&applier, path, &error) != GZ_OK) fail_msg("%s", error.message);
    return applier;
}

/* One byte is another one, or the end is missing. */
static size_t damage(struct model *model, const struct change *change, uint8_t *bytes)
{
    memcpy(bytes, change->bytes, change->size);
    bytes[model_random(model, change->size)] ^= (uint8_t)(1 + model_random(model, 255));
    return model_random(model, 8) == 0 ? model_random(model, change->size) : change->size;
}

TEST_IN_DIRECTORY(test_damaged_change_is_refused_or_whole)
{
    struct life life;
    struct gz_error error;
    begin_life(&life, directory, 7, -1, 0);
    live(&life, 60);
    end_life(&life);
    const size_t last = life.log->count - 1, count = DAMAGES;
    const struct change *change = &life.log->changes[last - 1];
    follow(life.near, life.log, last - 1);
    uint8_t *bytes = malloc(change->size);
    assert_non_null(bytes);
    struct gz_applier *applier = begin_anew(life.late, life.near);
    size_t refused = 0;
    for (size_t i = 0; i < count; i++) {
        size_t size = damage(life.model, change, bytes);
        bool is_refused = apply_change(applier, last, bytes, size, &error) != GZ_OK;
        refused += is_refused;
        assert_int_equal(gz_applier_place(applier).n, is_refused ? last - 1 : last);
        if (is_refused && refused % 16 == 0) assert_equal(life.near, life.late);
        if (is_refused) continue;
        gz_applier_close(applier);
        applier = begin_anew(life.late, life.near);
    }
    assert_true(refused > count / 10);
    /* SQLite 3.40 does not come back from a change that ends in the name of its table. */
    const size_t cut = 2 + change->bytes[1] + 3;
    assert_true(change->size > cut);
    assert_int_equal(apply_change(applier, last, change->bytes, cut, &error), GZ_STORAGE);
    assert_int_equal(apply_change(applier, last, change->bytes, change->size, &error), GZ_OK);
    gz_applier_close(applier);
    free(bytes);
    free_life(&life);
}

static void expect_refusal(const char *path, const struct log *log, uint64_t n,
                           enum gz_status status, const char *words)
{
    struct gz_applier *applier;
    struct gz_error error = {0};
    if (gz_applier_open(&applier, path, &error) != GZ_OK) fail_msg("%s", error.message);
    uint64_t place = gz_applier_place(applier).n;
    const struct change *change = &log->changes[n - 1];
    assert_int_equal(apply_change(applier, n, change->bytes, change->size, &error), status);
    if (strstr(error.message, words) == NULL) fail_msg("%s", error.message);
    assert_int_equal(gz_applier_place(applier).n, place);
    gz_applier_close(applier);
}

TEST_IN_DIRECTORY(test_change_is_for_one_place_and_one_file)
{
    struct stage stage = set_stage(directory);
    const char *near = in_directory(directory, "near.db");
    struct gz_applier *applier;
    struct gz_error error;
    struct gz_place place;
    follow(near, stage.log, 3);
    expect_refusal(near, stage.log, 3, GZ_BAD_STATE, "change 3 of the log: the file is at 3");
    expect_refusal(near, stage.log, 5, GZ_BAD_STATE, "change 5 of the log: the file is at 3");
    tell(near, "UPDATE nodes SET seq = 77 WHERE id = 1");
    vouch_for(near);
    expect_refusal(near, stage.log, 4, GZ_CONFLICT, "row (1) of nodes is another one in the file");
    tell(near, "DELETE FROM samples; DELETE FROM changes; DELETE FROM edits; DELETE FROM nodes");
    vouch_for(near);
    expect_refusal(near, stage.log, 4, GZ_CONFLICT, "is not in the file");
    assert_int_equal(gz_applier_open(&applier, stage.path, &error), GZ_BAD_STATE);
    assert_int_equal(gz_store_install(stage.path, near, &error), GZ_BAD_STATE);
    const char *none = in_directory(directory, "none.db");
    assert_int_equal(gz_applier_open(&applier, none, &error), GZ_UNKNOWN_SCENE);
    assert_int_equal(gz_store_place(none, &place, &error), GZ_UNKNOWN_SCENE);
    assert_int_equal(access(none, F_OK), -1);
    strike(&stage);
}

static enum gz_status add(struct gz_applier *applier, uint64_t n, const struct change *change)
{
    struct gz_error error;
    return gz_applier_add(applier, n, change->bytes, change->size, &error);
}

/* Of changes that are applied together one does not fit: those before it are there, and the others
 * can come again. */
TEST_IN_DIRECTORY(test_changes_before_one_that_does_not_fit_are_applied)
{
    struct stage stage = set_stage(directory);
    const char *near = in_directory(directory, "near.db");
    const struct change *changes = stage.log->changes;
    struct gz_applier *applier;
    struct gz_error error = {0};
    follow(near, stage.log, 2);
    if (gz_applier_open(&applier, near, &error) != GZ_OK) fail_msg("%s", error.message);
    assert_int_equal(add(applier, 3, &changes[2]), GZ_OK);
    assert_int_equal(add(applier, 5, &changes[4]), GZ_BAD_STATE);
    assert_int_equal(add(applier, 4, &changes[3]), GZ_OK);
    assert_int_equal(add(applier, 5, &changes[5]), GZ_OK); /* it is the sixth */
    assert_int_equal(gz_applier_place(applier).n, 2);      /* nothing is written yet */
    assert_int_not_equal(gz_applier_flush(applier, &error), GZ_OK);
    assert_int_equal(gz_applier_place(applier).n, 4);
    for (uint64_t n = 5; n <= 6; n++) assert_int_equal(add(applier, n, &changes[n - 1]), GZ_OK);
    assert_int_equal(gz_applier_flush(applier, &error), GZ_OK);
    gz_applier_close(applier);
    gz_store_close(stage.store);
    stage.store = NULL;
    follow(near, stage.log, stage.log->count);
    assert_equal(stage.path, near);
    strike(&stage);
}

TEST_IN_DIRECTORY(test_install_refuses_what_is_no_scene)
{
    struct life life;
    struct gz_error error;
    const char *bad = in_directory(directory, "bad.db");
    begin_life(&life, directory, 3, -1, 0);
    live(&life, 20);
    end_life(&life);
    follow(life.near, life.log, life.log->count);
    follow(life.late, life.log, life.log->count);
    tell(bad, "CREATE TABLE mine (x)");
    assert_int_equal(gz_store_install(life.near, bad, &error), GZ_STORAGE);
    unlink(bad);
    copy_file(life.near, bad);
    tell(bad, "UPDATE scene SET next_node = 1");
    assert_int_equal(gz_store_install(life.near, bad, &error), GZ_STORAGE);
    assert_non_null(strstr(error.message, "its file is damaged: node 1"));
    assert_int_equal(access(bad, F_OK), 0);
    assert_followed(&life);
    free_life(&life);
}

/* The disk refuses the step that counts. */
static bool refuses_rename;
int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);

int __wrap_rename(const char *from, const char *to)
{
    errno = EIO;
    return refuses_rename ? -1 : __real_rename(from, to);
}

TEST_IN_DIRECTORY(test_install_that_fails_leaves_the_file_as_it_was)
{
    struct stage stage = set_stage(directory);
    const char *near = in_directory(directory, "near.db"),
               *copy = in_directory(directory, "copy.db");
    struct gz_error error;
    follow(near, stage.log, 3);
    copy_file(stage.path, copy);
    vouch_for(copy);
    enum gz_clean_mark mark = gz_clean_mark_read(near).mark;
    refuses_rename = true;
    assert_int_equal(gz_store_install(near, copy, &error), GZ_STORAGE);
    assert_non_null(strstr(error.message, "Input/output error"));
    refuses_rename = false;
    assert_int_equal(gz_clean_mark_read(near).mark, mark);
    assert_int_equal(place_of(near), 3);
    assert_int_equal(gz_store_install(near, copy, &error), GZ_OK);
    assert_equal(stage.path, near);
    strike(&stage);
}

TEST_IN_DIRECTORY(test_planted_differences_are_found)
{
    static const struct {
        const char *sql, *words;
    } plants[] = {
        {"UPDATE nodes SET tx = -1e-300 * 1e-300 WHERE id = 2", "row 2 of nodes: its tx is "},
        {"UPDATE nodes SET name = 'other' WHERE id = 1", "row 1 of nodes: its name is "},
        {"UPDATE changes SET after_ty = 9.5 WHERE edit = 2 AND step = 1",
         "row (edit 2, step 1) of changes: its after_ty is "},
        {"DELETE FROM samples WHERE edit = 1", " of samples"},
        {"DELETE FROM epochs", " of epochs"},
        {"UPDATE scene SET log_n = 5", "row 1 of scene: its log_n is "},
        {"INSERT INTO assets VALUES (9, 1, 1, 'model/gltf+json', 'ab', x'00')",
         "row 9 of assets is in planted.db alone"},
    };
    struct stage stage = set_stage(directory);
    const char *near = in_directory(directory, "near.db"),
               *planted = in_directory(directory, "planted.db");
    follow(near, stage.log, stage.log->count);
    tell(near, "UPDATE nodes SET tx = 0.0 WHERE id = 2");
    for (size_t i = 0; i < sizeof plants / sizeof plants[0]; i++) {
        char difference[GZ_ERROR_BYTES_MAX];
        struct gz_error error;
        copy_file(near, planted);
        assert_equal(near, planted);
        tell(planted, plants[i].sql);
        enum gz_status status = gz_store_compare(near, planted, difference, &error);
        if (status != GZ_OK) fail_msg("%s: %s", plants[i].sql, error.message);
        if (strstr(difference, plants[i].words) == NULL)
            fail_msg("%s: %s", plants[i].sql, difference);
    }
    strike(&stage);
}

int main(void)
{
    fault_vfs_register();
    return test_run(NULL, NULL);
}
