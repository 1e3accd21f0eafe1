/* Scenes are opened and closed on workers: what meets an opening waits, in order, and is answered;
 * what each is answered, and that nothing of a scene is left open. In counts and order, not in
 * times. */
#include "data_folder.h"

#include <dirent.h>
#include <sys/resource.h>

#include "conn/clock.h"
#include "server/maxima.h"

static void await(struct waiter *waiter)
{
    while (!waiter->is_answered) uv_run(&waiter->folder->loop, UV_RUN_ONCE);
}

TEST_IN_FOLDER(test_scene_is_opened_once_for_all_who_wait)
{
    struct data_folder *folder = *state;
    struct waiter waiters[5];
    for (int i = 0; i < 5; i++) {
        waiter_ask(&waiters[i], folder, "a", i == 0);
        assert_false(waiters[i].is_answered);
    }
    assert_null(gz_scenes_find_open(&folder->scenes, "a"));
    assert_true(gz_scenes_have(&folder->scenes, "a")); /* nobody may make another one */
    gz_scenes_forget(&waiters[3].wait);
    await(&waiters[4]);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(waiters[i].asked, i == 3 ? 1 : 2);
        assert_ptr_equal(waiters[i].scene, i == 3 ? NULL : waiters[0].scene);
    }
    assert_int_equal(folder->opened, 1);
    assert_int_equal(data_folder_logged(folder, "a: open, 0 nodes"), 1);
    struct waiter late;
    waiter_ask(&late, folder, "a", false);
    assert_ptr_equal(late.scene, waiters[0].scene);
}

/* Whether it was asked for, or somebody is in it, counts from then. */
TEST_IN_FOLDER(test_scene_that_nobody_uses_is_closed_after_a_while)
{
    struct data_folder *folder = *state;
    struct gz_open_scene *a = data_folder_open(folder, "a"), *b = data_folder_open(folder, "b");
    struct gz_open_scene *c = data_folder_open(folder, "c");
    const double idle_s = GZ_SCENE_IDLE_SECONDS, now_s = 1000; /* whole, so that sums are exact */
    data_folder_settle(folder);
    a->used_s = b->used_s = c->used_s = now_s;
    gz_scenes_rest(&folder->scenes, now_s + idle_s - 1);
    assert_int_equal(folder->closing, 0);
    b->net.connections = c->net.connections = (struct gz_connection *)folder;
    gz_scenes_rest(&folder->scenes, now_s + idle_s);
    b->net.connections = c->net.connections = NULL;
    assert_int_equal(folder->closing, 1);
    assert_int_equal(folder->scenes.count, 2);
    gz_scenes_rest(&folder->scenes, now_s + 2 * idle_s - 1);
    assert_int_equal(folder->closing, 1);
    gz_scenes_rest(&folder->scenes, now_s + 2 * idle_s);
    assert_int_equal(folder->closing, 3);
    data_folder_await_jobs(folder);
    assert_null(folder->scenes.first);
    assert_int_equal(data_folder_logged(folder, "closed, because it was not used for long"), 3);
    assert_non_null(data_folder_open(folder, "a"));
}

/* The loop goes on while a worker waits for the file: a turn of the loop ends without an opening.
 */
TEST_IN_FOLDER(test_opening_is_not_done_by_the_loop)
{
    struct data_folder *folder = *state;
    struct waiter waiter;
    waiter_ask(&waiter, folder, "a", true);
    assert_int_equal(folder->jobs.lanes[GZ_LANE_OPENINGS].at_workers, 1);
    assert_null(gz_scenes_next(&folder->scenes, NULL));
    await(&waiter);
    assert_int_equal(waiter.error.status, GZ_OK);
}

TEST_IN_FOLDER(test_opening_that_fails_answers_all_who_wait)
{
    struct data_folder *folder = *state;
    struct waiter waiters[3];
    char path[160];
    snprintf(path, sizeof path, "%s/a.db", folder->path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("this is no database, and long enough to be read as one: "
          "0123456789012345678901234567890123456789012345678901234567890123456789",
          file);
    fclose(file);
    for (int i = 0; i < 3; i++) waiter_ask(&waiters[i], folder, "a", i == 1);
    for (int i = 0; i < 3; i++) await(&waiters[i]);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(waiters[i].error.status, GZ_STORAGE);
        assert_string_equal(waiters[i].error.message, waiters[0].error.message);
        assert_int_equal(waiters[i].asked, 1);
    }
    assert_null(folder->scenes.first);
    assert_int_equal(folder->scenes.count, 0);
    assert_false(data_folder_has(folder, "a.db.owner"));
    unlink(path);
    assert_int_equal(waiters[0].folder->opened, 0);
    data_folder_open(folder, "a"); /* it is asked for anew, and there is no trace of the failure */
}

TEST_IN_FOLDER(test_scene_that_is_missing_is_refused_at_once)
{
    struct data_folder *folder = *state;
    struct waiter waiter;
    waiter_ask(&waiter, folder, "a", false);
    assert_true(waiter.is_answered);
    assert_int_equal(waiter.error.status, GZ_UNKNOWN_SCENE);
    waiter_ask(&waiter, folder, "A", true);
    assert_int_equal(waiter.error.status, GZ_BAD_VALUE);
    assert_null(folder->scenes.first);
}

/* Whoever asks for a scene that is being closed waits for its end, and has it opened anew. */
TEST_IN_FOLDER(test_scene_that_is_being_closed_is_opened_again)
{
    struct data_folder *folder = *state;
    char name[32];
    data_folder_open(folder, "first");
    for (int i = 1; i < GZ_SCENES_MAX; i++) {
        snprintf(name, sizeof name, "scene-%d", i);
        data_folder_open(folder, name);
    }
    data_folder_settle(folder); /* nothing waits in any of them */
    struct waiter other, waiter;
    waiter_ask(&other, folder, "another", true);
    assert_int_equal(data_folder_logged(folder, "first: closed, to make room for another"), 1);
    assert_int_equal(folder->closing, 1);
    waiter_ask(&waiter, folder, "first", false);
    assert_false(waiter.is_answered);
    await(&waiter);
    await(&other);
    assert_int_equal(waiter.error.status, GZ_OK);
    assert_int_equal(waiter.asked, 3); /* at first, after the closing, after the opening */
    assert_int_equal(folder->opened, GZ_SCENES_MAX + 2);
    assert_int_equal(folder->scenes.count, GZ_SCENES_MAX);
}

#define THREADS_MAX 256

static int list_threads(id_t threads[THREADS_MAX])
{
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    assert_non_null(tasks);
    for (struct dirent *entry; (entry = readdir(tasks)) != NULL;) {
        if (entry->d_name[0] == '.') continue;
        assert_true(count < THREADS_MAX);
        threads[count++] = (id_t)strtoul(entry->d_name, NULL, 10);
    }
    closedir(tasks);
    return count;
}

static bool has_thread(const id_t *threads, int count, id_t thread)
{
    int i = 0;
    while (i < count && threads[i] != thread) i++;
    return i < count;
}

/* The workers that open scenes run at a lower priority; the threads that edits wait for do not. */
TEST_IN_FOLDER(test_writers_have_the_priority_of_the_loop)
{
    struct data_folder *folder = *state;
    id_t before[THREADS_MAX], after[THREADS_MAX];
    int count_before = list_threads(before), writers = 0;
    data_folder_open(folder, "a");
    data_folder_open(folder, "b");
    int count_after = list_threads(after);
    for (int i = 0; i < count_after; i++) {
        if (has_thread(before, count_before, after[i])) continue;
        writers++;
        assert_int_equal(getpriority(PRIO_PROCESS, after[i]), getpriority(PRIO_PROCESS, 0));
    }
    assert_int_equal(writers, 2);
}

/* ---- deleting and renaming ---- */

struct outcome {
    bool is_done;
    struct gz_error error;
};

static void handle_retired(void *context, const struct gz_error *error)
{
    struct outcome *outcome = context;
    outcome->is_done = true;
    outcome->error = *error;
}

static void retire(struct data_folder *folder, const char *name, const char *new_name,
                   struct outcome *outcome)
{
    struct gz_error error;
    struct gz_retire_request request = {.how =
                                            new_name != NULL ? GZ_RETIRE_RENAME : GZ_RETIRE_DELETE,
                                        .name = name,
                                        .new_name = new_name,
                                        .user = "anna",
                                        .done = handle_retired,
                                        .context = outcome};
    *outcome = (struct outcome){.is_done = false};
    if (gz_retire(&folder->retirements, &request, &error) != GZ_OK) fail_msg("%s", error.message);
}

static void await_outcome(struct data_folder *folder, const struct outcome *outcome)
{
    while (!outcome->is_done) {
        uv_run(&folder->loop, UV_RUN_ONCE);
        struct gz_open_scene *scene = NULL;
        while ((scene = gz_scenes_next(&folder->scenes, scene)) != NULL) {
            scene->net.touched = false;
            gz_core_turn(scene->net.core, gz_clock_now());
        }
    }
}

/* The opening comes to its end, those who wait for it are told of the deletion, and it is done. */
TEST_IN_FOLDER(test_deletion_meets_an_opening)
{
    struct data_folder *folder = *state;
    struct waiter before, after;
    struct outcome outcome;
    waiter_ask(&before, folder, "a", true);
    retire(folder, "a", NULL, &outcome);
    waiter_ask(&after, folder, "a", true);
    assert_int_equal(after.error.status, GZ_UNKNOWN_SCENE);
    await_outcome(folder, &outcome);
    assert_int_equal(outcome.error.status, GZ_OK);
    assert_int_equal(before.error.status, GZ_UNKNOWN_SCENE);
    assert_string_equal(before.error.message, "scene: a is being deleted by anna");
    data_folder_await_jobs(folder);
    assert_false(data_folder_has(folder, "a.db"));
    assert_null(folder->scenes.first);
    data_folder_open(folder, "a");
}

TEST_IN_FOLDER(test_renaming_meets_an_opening)
{
    struct data_folder *folder = *state;
    struct waiter waiter;
    struct outcome outcome;
    data_folder_close(folder, data_folder_open(folder, "a"));
    waiter_ask(&waiter, folder, "a", false);
    retire(folder, "a", "b", &outcome);
    await_outcome(folder, &outcome);
    assert_int_equal(outcome.error.status, GZ_OK);
    assert_int_equal(waiter.error.status, GZ_UNKNOWN_SCENE);
    data_folder_await_jobs(folder);
    assert_false(data_folder_has(folder, "a.db"));
    assert_true(data_folder_has(folder, "b.db"));
    data_folder_open(folder, "b");
}

/* A deletion of a scene that cannot be opened does not depend on that. */
TEST_IN_FOLDER(test_deletion_meets_an_opening_that_fails)
{
    struct data_folder *folder = *state;
    struct waiter waiter;
    struct outcome outcome;
    char path[160];
    snprintf(path, sizeof path, "%s/a.db", folder->path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("no database", file);
    fclose(file);
    waiter_ask(&waiter, folder, "a", false);
    retire(folder, "a", NULL, &outcome);
    await_outcome(folder, &outcome);
    assert_int_equal(waiter.error.status, GZ_STORAGE);
    assert_int_equal(outcome.error.status, GZ_OK);
    assert_false(data_folder_has(folder, "a.db"));
}

/* ---- the end ---- */

/* At the daemon's end an opening is finished and closed again, wherever it stands; who still waits
 * is told. */
TEST_IN_FOLDER(test_end_meets_openings)
{
    struct data_folder *folder = *state;
    struct waiter waiters[8];
    static const char *const names[8] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    data_folder_open(folder, "a");
    for (int i = 0; i < 8; i++) waiter_ask(&waiters[i], folder, names[i], true);
    gz_jobs_close(&folder->jobs);
    gz_scenes_close(&folder->scenes);
    uv_run(&folder->loop, UV_RUN_DEFAULT);
    assert_int_equal(waiters[0].error.status, GZ_OK);
    for (int i = 1; i < 8; i++) {
        assert_int_equal(waiters[i].error.status, GZ_BAD_STATE);
        assert_string_equal(waiters[i].error.message, "the server is going away");
    }
    assert_null(folder->scenes.first);
    assert_false(data_folder_has(folder, "a.db.owner"));
    assert_false(data_folder_has(folder, "b.db.owner"));
    assert_int_equal(folder->opened, 1);
}

TEST_IN_FOLDER(test_end_meets_a_deletion_that_waits_for_an_opening)
{
    struct data_folder *folder = *state;
    struct waiter waiter;
    struct outcome outcome;
    waiter_ask(&waiter, folder, "a", true);
    retire(folder, "a", NULL, &outcome);
    gz_jobs_close(&folder->jobs);
    gz_retire_cancel(&folder->retirements);
    assert_true(outcome.is_done);
    assert_int_equal(outcome.error.status, GZ_BAD_STATE);
    gz_scenes_close(&folder->scenes);
    uv_run(&folder->loop, UV_RUN_DEFAULT);
    assert_int_equal(waiter.error.status, GZ_BAD_STATE);
}

/* ---- the past ---- */

static struct gz_session *join_and_ask(struct gz_open_scene *scene, uint64_t id)
{
    const struct gz_message hello = {.op = GZ_OP_HELLO,
                                     .hello = {.v = GZ_PROTOCOL_VERSION, .user = {"flo", 3}}},
                            history = {.op = GZ_OP_HISTORY};
    const struct gz_claims claims = gz_claims_open("flo", 3, GZ_ROLE_EDITOR);
    struct gz_core *core = gz_open_scene_touch(scene);
    struct gz_buffer bytes;
    struct gz_session *session;
    struct gz_error error;
    gz_buffer_init(&bytes, GZ_MESSAGE_BYTES_MAX, 0);
    assert_int_equal(gz_encode(&bytes, &history), GZ_OK);
    assert_int_equal(
        gz_core_join(core, id, &hello, &claims, NULL, gz_clock_now(), &session, &error), GZ_OK);
    assert_true(gz_core_receive(core, session, bytes.data, bytes.size, gz_clock_now()));
    gz_buffer_finish(&bytes);
    gz_core_turn(core, gz_clock_now());
    return session;
}

/* However many come, ask and go while the workers that a scene may have are busy: nothing of them
 * waits. */
TEST_IN_FOLDER(test_questions_of_those_who_left_do_not_wait)
{
    struct data_folder *folder = *state;
    struct gz_open_scene *scene = data_folder_open(folder, "a");
    struct gz_job_queue *lane = &folder->jobs.lanes[GZ_LANE_PAST];
    struct gz_session *first = NULL;
    for (unsigned i = 1; i < lane->bound; i++) first = join_and_ask(scene, i);
    assert_null(lane->waiting);
    for (uint64_t i = 0; i < 100; i++) {
        struct gz_session *session = join_and_ask(scene, 100 + i);
        assert_non_null(lane->waiting);
        gz_core_leave(scene->net.core, session, gz_clock_now());
        assert_null(lane->waiting);
    }
    gz_core_leave(scene->net.core, first, gz_clock_now());
    assert_non_null(scene->questions); /* the workers read the file */
    data_folder_await_jobs(folder);
    assert_null(scene->questions);
    assert_true(gz_core_is_answered(scene->net.core));
}
