/* The worker jobs of the host: where `run` and `done` are called, how many of a lane are at
 * workers, whose turn it is, and that a job that is cancelled is finished like any other. */
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "host/job.h"
#include "support/cmocka.h"

enum { JOBS = 12 };

struct counted {
    struct gz_job job;
    struct stage *stage;
    int number;
    bool has_run, ran_on_loop;
};

/* The gate keeps each `run` at its worker until the test opens it. */
struct stage {
    uv_loop_t loop;
    struct gz_jobs jobs;
    uv_thread_t loop_thread;
    uv_sem_t began, gate;
    atomic_int at_once, at_once_most;
    struct counted all[JOBS];
    int order[JOBS], done_count, cancelled_count;
};

static void run(struct gz_job *job)
{
    struct counted *counted = job->context;
    struct stage *stage = counted->stage;
    uv_thread_t self = uv_thread_self();
    counted->ran_on_loop = uv_thread_equal(&self, &stage->loop_thread) != 0;
    int now = atomic_fetch_add(&stage->at_once, 1) + 1, most = atomic_load(&stage->at_once_most);
    while (now > most && !atomic_compare_exchange_weak(&stage->at_once_most, &most, now)) continue;
    uv_sem_post(&stage->began);
    uv_sem_wait(&stage->gate);
    atomic_fetch_sub(&stage->at_once, 1);
    counted->has_run = true;
}

static void handle_done(struct gz_job *job)
{
    struct counted *counted = job->context;
    struct stage *stage = counted->stage;
    uv_thread_t self = uv_thread_self();
    assert_true(uv_thread_equal(&self, &stage->loop_thread));
    stage->order[stage->done_count++] = counted->number;
    stage->cancelled_count += job->is_cancelled;
}

static void start_job_of(struct stage *stage, int number, enum gz_lane lane, const char *subject,
                         const char *user)
{
    stage->all[number] = (struct counted){.job = {.lane = lane,
                                                  .subject = subject,
                                                  .group = subject,
                                                  .user = user,
                                                  .run = run,
                                                  .done = handle_done,
                                                  .context = &stage->all[number]},
                                          .stage = stage,
                                          .number = number};
    gz_job_start(&stage->jobs, &stage->all[number].job);
}

static void start_job(struct stage *stage, int number, enum gz_lane lane, const char *subject)
{
    start_job_of(stage, number, lane, subject, "");
}

static void open_gate(struct stage *stage, int count)
{
    for (int i = 0; i < count; i++) uv_sem_post(&stage->gate);
}

static int start(void **state)
{
    struct gz_error error;
    struct stage *stage = calloc(1, sizeof *stage);
    assert_non_null(stage);
    assert_int_equal(uv_loop_init(&stage->loop), 0);
    assert_int_equal(uv_sem_init(&stage->began, 0), 0);
    assert_int_equal(uv_sem_init(&stage->gate, 0), 0);
    stage->loop_thread = uv_thread_self();
    assert_int_equal(gz_jobs_init(&stage->jobs, &stage->loop, &error), GZ_OK);
    *state = stage;
    return 0;
}

/* Whatever was started is finished, once. */
static int stop(void **state)
{
    struct stage *stage = *state;
    gz_jobs_finish(&stage->jobs);
    assert_int_equal(uv_loop_close(&stage->loop), 0);
    uv_sem_destroy(&stage->began);
    uv_sem_destroy(&stage->gate);
    free(stage);
    return 0;
}

TEST_BETWEEN(test_jobs_run_on_workers_and_are_done_on_the_loop, start, stop)
{
    struct stage *stage = *state;
    open_gate(stage, 2);
    start_job(stage, 0, GZ_LANE_PAST, "a");
    start_job(stage, 1, GZ_LANE_OPENINGS, "b");
    assert_int_equal(stage->done_count, 0);
    uv_run(&stage->loop, UV_RUN_DEFAULT);
    assert_int_equal(stage->done_count, 2);
    assert_int_equal(stage->cancelled_count, 0);
    for (int i = 0; i < 2; i++) assert_true(stage->all[i].has_run && !stage->all[i].ran_on_loop);
}

TEST_BETWEEN(test_lane_of_one_goes_in_order, start, stop)
{
    struct stage *stage = *state;
    open_gate(stage, JOBS);
    for (int i = 0; i < JOBS; i++) start_job(stage, i, GZ_LANE_TRIANGLES, "a");
    uv_run(&stage->loop, UV_RUN_DEFAULT);
    assert_int_equal(stage->done_count, JOBS);
    assert_int_equal(atomic_load(&stage->at_once_most), 1);
    for (int i = 0; i < JOBS; i++) assert_int_equal(stage->order[i], i);
}

/* Ends one job after the other, and compares in which order they ran. */
static void expect_order(struct stage *stage, int count, const int *numbers)
{
    for (int i = 0; i < count; i++) {
        uv_sem_post(&stage->gate);
        while (stage->done_count <= i) uv_run(&stage->loop, UV_RUN_ONCE);
        assert_int_equal(stage->order[i], numbers[i]);
    }
    uv_run(&stage->loop, UV_RUN_DEFAULT);
}

/* Many ask about two large scenes; one who asks about another scene waits for one job of each at
 * most: whose job ends first is up to the workers, and the huge scene has had one turn only. */
TEST_BETWEEN(test_question_about_another_scene_waits_for_one_job_of_each, start, stop)
{
    struct stage *stage = *state;
    unsigned bound = stage->jobs.lanes[GZ_LANE_PAST].bound;
    for (int i = 0; i < JOBS - 1; i++)
        start_job(stage, i, GZ_LANE_PAST, i % 2 == 0 ? "large" : "huge");
    for (unsigned i = 0; i < bound; i++) uv_sem_wait(&stage->began);
    start_job(stage, JOBS - 1, GZ_LANE_PAST, "small");
    for (int i = 0; i < 2; i++) {
        open_gate(stage, 1);
        while (stage->done_count <= i) uv_run(&stage->loop, UV_RUN_ONCE);
    }
    assert_true(stage->all[JOBS - 1].job.is_at_worker);
    open_gate(stage, JOBS);
    uv_run(&stage->loop, UV_RUN_DEFAULT);
    assert_int_equal(stage->done_count, JOBS);
}

/* However many jobs there are of one group, or of one user, another one begins at once. */
TEST_BETWEEN(test_last_worker_is_for_another_group_and_another_user, start, stop)
{
    static const enum gz_lane lanes[] = {GZ_LANE_PAST, GZ_LANE_TRANSFERS, GZ_LANE_OPENINGS};
    static const char *const scenes[] = {"a", "b", "c", "d"};
    struct stage *stage = *state;
    for (int way = 0; way < 6; way++) {
        enum gz_lane lane = lanes[way / 2];
        unsigned bound = stage->jobs.lanes[lane].bound;
        stage->done_count = 0;
        for (int i = 0; i < 4; i++)
            start_job_of(stage, i, lane, way % 2 == 0 ? "a" : scenes[i], way % 2 == 0 ? "" : "ann");
        assert_int_equal(stage->jobs.lanes[lane].at_workers, bound - 1);
        start_job_of(stage, 4, lane, "e", "ben");
        assert_true(stage->all[4].job.is_at_worker);
        open_gate(stage, 5);
        uv_run(&stage->loop, UV_RUN_DEFAULT);
        assert_int_equal(stage->done_count, 5);
    }
}

TEST_BETWEEN(test_groups_and_their_users_take_turns, start, stop)
{
    static const struct {
        const char *group, *user;
    } jobs[] = {{"a", "ann"}, {"a", "ann"}, {"a", "ann"}, {"a", "ben"},
                {"b", "ann"}, {"b", "ann"}, {"a", "ben"}, {"c", "ann"}};
    static const int order[] = {0, 4, 7, 3, 5, 1, 6, 2};
    const int count = sizeof order / sizeof order[0];
    for (int i = 0; i < count; i++)
        start_job_of(*state, i, GZ_LANE_TRIANGLES, jobs[i].group, jobs[i].user);
    expect_order(*state, count, order);
}

/* Who comes again and again does not overtake those who wait. */
TEST_BETWEEN(test_group_that_comes_anew_is_not_always_first, start, stop)
{
    struct stage *stage = *state;
    static const char *const comers[] = {"b", "c", "b", "c"};
    int next = 4;
    for (int i = 0; i < 4; i++) start_job(stage, i, GZ_LANE_TRIANGLES, i == 3 ? "b" : "a");
    for (int i = 0; stage->done_count < 8; i++) {
        uv_sem_post(&stage->gate);
        while (stage->done_count <= i) uv_run(&stage->loop, UV_RUN_ONCE);
        if (next < 8) start_job(stage, next, GZ_LANE_TRIANGLES, comers[next - 4]), next++;
    }
    int last_of_a = 0;
    for (int i = 0; i < 8; i++)
        if (stage->order[i] < 3) last_of_a = i;
    assert_in_range(last_of_a, 2, 6);
    uv_run(&stage->loop, UV_RUN_DEFAULT);
}

static void run_to_see_niceness(struct gz_job *job)
{
    *(int *)job->context = getpriority(PRIO_PROCESS, 0);
}

static void do_nothing(struct gz_job *job)
{
    (void)job;
}

static int niceness_in(struct stage *stage, enum gz_lane lane)
{
    int nice = 0;
    struct gz_job job = {.lane = lane,
                         .subject = "a",
                         .group = "a",
                         .user = "",
                         .run = run_to_see_niceness,
                         .done = do_nothing,
                         .context = &nice};
    gz_job_start(&stage->jobs, &job);
    uv_run(&stage->loop, UV_RUN_DEFAULT);
    return nice;
}

/* Also those that have a core, for which its scene waits, but not as much. */
TEST_BETWEEN(test_workers_give_way_to_the_loop, start, stop)
{
    const int before = getpriority(PRIO_PROCESS, 0);
    for (int lane = 0; lane < GZ_LANE_COUNT; lane++) {
        const int least = lane == GZ_LANE_CORES ? GZ_CORE_NICE : GZ_WORKER_NICE;
        assert_int_equal(niceness_in(*state, (enum gz_lane)lane), before > least ? before : least);
    }
    assert_true(GZ_CORE_NICE > 0 && GZ_CORE_NICE < GZ_WORKER_NICE);
    assert_int_equal(getpriority(PRIO_PROCESS, 0), before);
}

/* A lane that is full, and whose jobs take long, keeps no other lane waiting. */
TEST_BETWEEN(test_full_lane_keeps_no_other_waiting, start, stop)
{
    struct stage *stage = *state;
    unsigned bound = stage->jobs.lanes[GZ_LANE_PAST].bound;
    for (int i = 0; i < JOBS - 1; i++) start_job(stage, i, GZ_LANE_PAST, i % 2 == 0 ? "a" : "c");
    for (unsigned i = 0; i < bound; i++) uv_sem_wait(&stage->began);
    start_job(stage, JOBS - 1, GZ_LANE_OPENINGS, "b");
    uv_sem_wait(&stage->began); /* it is at a worker beside them */
    assert_int_equal(atomic_load(&stage->at_once), bound + 1);
    open_gate(stage, JOBS);
    uv_run(&stage->loop, UV_RUN_DEFAULT);
    assert_int_equal(stage->done_count, JOBS);
    assert_int_equal(atomic_load(&stage->at_once_most), bound + 1);
}

TEST_BETWEEN(test_bounds_are_the_workers_together, start, stop)
{
    struct stage *stage = *state;
    unsigned sum = 0;
    for (int i = 0; i < GZ_LANE_COUNT; i++) sum += stage->jobs.lanes[i].bound;
    assert_int_equal(sum, GZ_WORKERS);
}

/* The job at the worker runs to its end, the other one never runs; both are done, later. */
TEST_BETWEEN(test_cancelled_jobs_are_done_all_the_same, start, stop)
{
    struct stage *stage = *state;
    start_job(stage, 0, GZ_LANE_TRIANGLES, "a");
    start_job(stage, 1, GZ_LANE_TRIANGLES, "a");
    start_job(stage, 2, GZ_LANE_TRIANGLES, "b");
    uv_sem_wait(&stage->began);
    gz_jobs_cancel(&stage->jobs, GZ_LANE_TRIANGLES, "a");
    assert_int_equal(stage->done_count, 0);
    open_gate(stage, JOBS);
    uv_run(&stage->loop, UV_RUN_DEFAULT);
    assert_int_equal(stage->done_count, 3);
    assert_int_equal(stage->cancelled_count, 2);
    assert_true(stage->all[0].has_run && stage->all[0].job.is_cancelled);
    assert_true(!stage->all[1].has_run && stage->all[1].job.is_cancelled);
    assert_true(stage->all[2].has_run && !stage->all[2].job.is_cancelled);
}

/* The job that waits is done though the lane is full, and nothing that waits is held up. */
TEST_BETWEEN(test_job_that_is_withdrawn_does_not_wait, start, stop)
{
    struct stage *stage = *state;
    const int bound = (int)stage->jobs.lanes[GZ_LANE_PAST].bound;
    for (int i = 0; i < bound + 3; i++) start_job(stage, i, GZ_LANE_PAST, i % 2 == 0 ? "a" : "b");
    assert_false(gz_job_withdraw(&stage->all[0].job));
    assert_true(gz_job_withdraw(&stage->all[bound + 1].job));
    assert_true(gz_job_withdraw(&stage->all[bound + 2].job));
    assert_int_equal(stage->done_count, 0);
    while (stage->done_count < 2) uv_run(&stage->loop, UV_RUN_ONCE);
    assert_int_equal(stage->cancelled_count, 2);
    for (int i = 0; i < bound; i++) uv_sem_wait(&stage->began);
    open_gate(stage, JOBS);
    uv_run(&stage->loop, UV_RUN_DEFAULT);
    assert_int_equal(stage->done_count, bound + 3);
    assert_int_equal(stage->cancelled_count, 2);
    for (int i = 0; i < bound + 3; i++) assert_int_equal(stage->all[i].has_run, i <= bound);
    assert_int_equal(atomic_load(&stage->at_once_most), bound);
}

TEST_BETWEEN(test_file_is_in_use_until_the_worker_has_left_it, start, stop)
{
    struct stage *stage = *state;
    start_job(stage, 0, GZ_LANE_TRIANGLES, "a");
    start_job(stage, 1, GZ_LANE_TRIANGLES, "b");
    uv_sem_wait(&stage->began);
    assert_true(gz_jobs_use(&stage->jobs, "a") && gz_jobs_use(&stage->jobs, "b"));
    assert_false(gz_jobs_use(&stage->jobs, "c"));
    gz_jobs_cancel(&stage->jobs, GZ_LANE_TRIANGLES, "a");
    gz_jobs_cancel(&stage->jobs, GZ_LANE_TRIANGLES, "b");
    assert_true(gz_jobs_use(&stage->jobs, "a"));
    assert_false(gz_jobs_use(&stage->jobs, "b"));
    open_gate(stage, 2);
    uv_run(&stage->loop, UV_RUN_DEFAULT);
    assert_false(gz_jobs_use(&stage->jobs, "a"));
    assert_false(stage->all[1].has_run); /* as nobody was to wait for it */
}

/* At the end of the daemon: what is at a worker, what waits, and what comes afterwards. */
TEST_BETWEEN(test_closing_finishes_all_of_them, start, stop)
{
    struct stage *stage = *state;
    for (int i = 0; i < JOBS - 1; i++) start_job(stage, i, GZ_LANE_TRIANGLES, "a");
    uv_sem_wait(&stage->began);
    gz_jobs_close(&stage->jobs);
    start_job(stage, JOBS - 1, GZ_LANE_OPENINGS, "a");
    assert_int_equal(stage->done_count, 0);
    open_gate(stage, JOBS);
    uv_run(&stage->loop, UV_RUN_DEFAULT);
    assert_int_equal(stage->done_count, JOBS);
    assert_int_equal(stage->cancelled_count, JOBS);
    assert_true(stage->all[0].has_run);
}

static void count_and_free(void *memory)
{
    atomic_fetch_add((atomic_int *)memory, 1);
}

TEST_BETWEEN(test_memory_is_freed_once_whenever_it_ends, start, stop)
{
    struct stage *stage = *state;
    static atomic_int freed[JOBS];
    for (int i = 0; i < JOBS / 2; i++) gz_jobs_free(&stage->jobs, &freed[i], count_and_free);
    gz_jobs_close(&stage->jobs);
    for (int i = JOBS / 2; i < JOBS; i++) gz_jobs_free(&stage->jobs, &freed[i], count_and_free);
    uv_run(&stage->loop, UV_RUN_DEFAULT);
    for (int i = 0; i < JOBS; i++) assert_int_equal(atomic_load(&freed[i]), 1);
}
