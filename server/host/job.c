/* job.c - the workers, one queue for each lane, and the choice of the next job. See job.h. */
#include "host/job.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static const unsigned bounds[GZ_LANE_COUNT] = {
    [GZ_LANE_OPENINGS] = 2,  [GZ_LANE_RETIREMENTS] = 2, [GZ_LANE_PAST] = 3,
    [GZ_LANE_CORES] = 2,     [GZ_LANE_TRANSFERS] = 2,   [GZ_LANE_BODIES] = 1,
    [GZ_LANE_TRIANGLES] = 1, [GZ_LANE_MEMORY] = 1,      [GZ_LANE_DISK] = 1,
    [GZ_LANE_HOOK] = 1};

/* ---- the workers ---- */

static void work(void *context)
{
    struct gz_worker *worker = context;
    struct gz_job *job;
    const int nice = worker->lane == GZ_LANE_CORES ? GZ_CORE_NICE : GZ_WORKER_NICE;
    if (getpriority(PRIO_PROCESS, 0) < nice) (void)setpriority(PRIO_PROCESS, 0, nice);
    for (;;) {
        uv_sem_wait(&worker->wake);
        job = worker->job;
        if (job == NULL) return;
        job->run(job);
        gz_letter_send(&worker->jobs->mailbox, &job->letter);
    }
}

static void put_idle(struct gz_jobs *jobs, struct gz_worker *worker)
{
    struct gz_job_queue *queue = &jobs->lanes[worker->lane];
    worker->next_idle = queue->idle;
    queue->idle = worker;
}

static bool start_worker(struct gz_jobs *jobs, enum gz_lane lane)
{
    struct gz_worker *worker = &jobs->workers[jobs->worker_count];
    worker->jobs = jobs;
    worker->lane = lane;
    if (uv_sem_init(&worker->wake, 0) != 0) return false;
    if (uv_thread_create(&worker->thread, work, worker) != 0) {
        uv_sem_destroy(&worker->wake);
        return false;
    }
    jobs->worker_count++;
    put_idle(jobs, worker);
    return true;
}

enum gz_status gz_jobs_init(struct gz_jobs *jobs, uv_loop_t *loop, struct gz_error *error)
{
    *jobs = (struct gz_jobs){.is_closing = false};
    for (int i = 0; i < GZ_LANE_COUNT; i++) {
        jobs->lanes[i].bound = bounds[i];
        jobs->lanes[i].end = &jobs->lanes[i].waiting;
    }
    if (!gz_mailbox_init(&jobs->mailbox, loop))
        return gz_fail(error, GZ_NO_MEMORY, "no memory or descriptor for the workers");
    bool ok = true;
    for (int i = 0; i < GZ_LANE_COUNT; i++)
        for (unsigned n = 0; ok && n < bounds[i]; n++) ok = start_worker(jobs, (enum gz_lane)i);
    if (ok) return GZ_OK;
    gz_jobs_finish(jobs);
    return gz_fail(error, GZ_NO_MEMORY, "no memory for the workers");
}

void gz_jobs_finish(struct gz_jobs *jobs)
{
    for (size_t i = 0; i < jobs->worker_count; i++) {
        struct gz_worker *worker = &jobs->workers[i];
        worker->job = NULL;
        uv_sem_post(&worker->wake);
        uv_thread_join(&worker->thread);
        uv_sem_destroy(&worker->wake);
    }
    gz_mailbox_finish(&jobs->mailbox);
}

/* ---- turns ---- */

/* The next of all jobs of a queue, from NULL to NULL: first those at workers, then those that
 * wait. */
static struct gz_job *next_of(const struct gz_job_queue *queue, const struct gz_job *job)
{
    if (job == NULL) return queue->busy != NULL ? queue->busy : queue->waiting;
    return job->next == NULL && job->is_at_worker ? queue->waiting : job->next;
}

static bool is_of_group(const struct gz_job *job, const struct gz_job *other)
{
    return strcmp(job->group, other->group) == 0;
}

static bool is_of_user(const struct gz_job *job, const struct gz_job *other)
{
    return is_of_group(job, other) && strcmp(job->user, other->user) == 0;
}

/* How many jobs are at workers: of a job's group, of its user in the group, of its user in any
 * group. */
struct busy_counts {
    unsigned of_group, of_user, of_user_in_all;
};

static struct busy_counts count_busy(const struct gz_job_queue *queue, const struct gz_job *job)
{
    struct busy_counts counts = {0};
    for (const struct gz_job *busy = queue->busy; busy != NULL; busy = busy->next) {
        counts.of_group += is_of_group(job, busy);
        counts.of_user += is_of_user(job, busy);
        counts.of_user_in_all += strcmp(job->user, busy->user) == 0;
    }
    return counts;
}

/* Whether the job may begin: the last worker of a lane is for another group and another user. */
static bool may_begin(const struct gz_job_queue *queue, const struct gz_job *job,
                      struct busy_counts counts)
{
    const unsigned most = queue->bound > 1 ? queue->bound - 1 : 1;
    return (job->group[0] == '\0' || counts.of_group < most) &&
           (job->user[0] == '\0' || counts.of_user_in_all < most);
}

static bool goes_before(const struct gz_job *job, struct busy_counts mine,
                        const struct gz_job *other, struct busy_counts its)
{
    if (mine.of_group != its.of_group) return mine.of_group < its.of_group;
    if (job->group_turn != other->group_turn) return job->group_turn < other->group_turn;
    if (!is_of_group(job, other)) return false;
    if (mine.of_user != its.of_user) return mine.of_user < its.of_user;
    return job->user_turn < other->user_turn;
}

/* The next job; NULL if no waiting job may begin. */
static struct gz_job *next_waiting(const struct gz_job_queue *queue)
{
    struct gz_job *next = NULL;
    struct busy_counts its = {0};
    for (struct gz_job *job = queue->waiting; job != NULL; job = job->next) {
        struct busy_counts counts = count_busy(queue, job);
        if (!may_begin(queue, job, counts)) continue;
        if (next != NULL && !goes_before(job, counts, next, its)) continue;
        next = job;
        its = counts;
    }
    return next;
}

/* A new job gets the turns of its group and its user from their other jobs. */
static void learn_turns(const struct gz_job_queue *queue, struct gz_job *job)
{
    const struct gz_job *other = NULL;
    job->group_turn = job->user_turn = queue->turn;
    while ((other = next_of(queue, other)) != NULL) {
        if (is_of_group(job, other)) job->group_turn = other->group_turn;
        if (is_of_user(job, other)) job->user_turn = other->user_turn;
    }
}

static void take_turn(struct gz_job_queue *queue, const struct gz_job *job)
{
    struct gz_job *other = NULL;
    queue->turn += 2;
    while ((other = next_of(queue, other)) != NULL) {
        if (is_of_group(job, other)) other->group_turn = queue->turn + 1;
        if (is_of_user(job, other)) other->user_turn = queue->turn + 1;
    }
}

/* ---- from the loop to a worker and back ---- */

/* Returns the link that led to the job. */
static struct gz_job **unlink_job(struct gz_job **list, const struct gz_job *job)
{
    while (*list != job) list = &(*list)->next;
    *list = job->next;
    return list;
}

static void start_waiting(struct gz_jobs *jobs, struct gz_job_queue *queue);

static void handle_done(struct gz_letter *letter)
{
    struct gz_job *job = letter->context;
    struct gz_jobs *jobs = job->jobs;
    struct gz_job_queue *queue = &jobs->lanes[job->lane];
    (void)unlink_job(&queue->busy, job);
    queue->at_workers--;
    if (job->worker != NULL) put_idle(jobs, job->worker);
    start_waiting(jobs, queue);
    gz_mailbox_release(&jobs->mailbox);
    job->done(job);
}

/* A cancelled job is counted like one at a worker until its `done`, which is called later. */
static void give_to_worker(struct gz_jobs *jobs, struct gz_job_queue *queue, struct gz_job *job)
{
    struct gz_job **link = unlink_job(&queue->waiting, job);
    if (*link == NULL) queue->end = link;
    job->next = queue->busy;
    queue->busy = job;
    job->is_at_worker = true;
    queue->at_workers++;
    if (job->is_cancelled) {
        gz_letter_send(&jobs->mailbox, &job->letter);
        return;
    }
    assert(queue->idle != NULL); /* at_workers is at most the lane's bound */
    job->worker = queue->idle;
    queue->idle = job->worker->next_idle;
    job->worker->job = job;
    uv_sem_post(&job->worker->wake);
}

static void start_waiting(struct gz_jobs *jobs, struct gz_job_queue *queue)
{
    while (queue->waiting != NULL && queue->at_workers < queue->bound) {
        struct gz_job *job = jobs->is_closing ? queue->waiting : next_waiting(queue);
        if (job == NULL) return;
        if (job->is_wanted != NULL && !job->is_wanted(job)) job->is_cancelled = true;
        if (!jobs->is_closing) take_turn(queue, job);
        give_to_worker(jobs, queue, job);
    }
}

void gz_job_start(struct gz_jobs *jobs, struct gz_job *job)
{
    struct gz_job_queue *queue = &jobs->lanes[job->lane];
    job->jobs = jobs;
    job->worker = NULL;
    job->letter = (struct gz_letter){.handle = handle_done, .context = job};
    job->next = NULL;
    job->is_at_worker = false;
    job->is_cancelled = jobs->is_closing;
    gz_mailbox_hold(&jobs->mailbox);
    learn_turns(queue, job);
    *queue->end = job;
    queue->end = &job->next;
    start_waiting(jobs, queue);
}

bool gz_job_withdraw(struct gz_job *job)
{
    if (job->is_at_worker) return false;
    job->is_cancelled = true;
    give_to_worker(job->jobs, &job->jobs->lanes[job->lane], job);
    return true;
}

void gz_jobs_cancel(struct gz_jobs *jobs, enum gz_lane lane, const char *subject)
{
    struct gz_job *job = NULL;
    while ((job = next_of(&jobs->lanes[lane], job)) != NULL)
        if (strcmp(job->subject, subject) == 0) job->is_cancelled = true;
}

bool gz_jobs_use(const struct gz_jobs *jobs, const char *subject)
{
    for (int i = 0; i < GZ_LANE_COUNT; i++) {
        const struct gz_job *job = NULL;
        while ((job = next_of(&jobs->lanes[i], job)) != NULL) {
            if (strcmp(job->subject, subject) == 0 && (job->is_at_worker || !job->is_cancelled))
                return true;
        }
    }
    return false;
}

void gz_jobs_close(struct gz_jobs *jobs)
{
    jobs->is_closing = true;
    for (int i = 0; i < GZ_LANE_COUNT; i++) {
        struct gz_job *job = NULL;
        while ((job = next_of(&jobs->lanes[i], job)) != NULL) job->is_cancelled = true;
        jobs->lanes[i].bound = UINT_MAX;
        start_waiting(jobs, &jobs->lanes[i]);
    }
}

/* ---- freeing memory ---- */

struct freeing {
    struct gz_job job;
    void *memory; /* NULL once it is freed */
    void (*finish)(void *memory);
};

static void run_freeing(struct gz_job *job)
{
    struct freeing *freeing = job->context;
    freeing->finish(freeing->memory);
    freeing->memory = NULL;
}

static void handle_freed(struct gz_job *job)
{
    struct freeing *freeing = job->context;
    if (freeing->memory != NULL) run_freeing(job);
    free(freeing);
}

void gz_jobs_free(struct gz_jobs *jobs, void *memory, void (*finish)(void *memory))
{
    struct freeing *freeing = calloc(1, sizeof *freeing);
    if (freeing == NULL) {
        finish(memory);
        return;
    }
    *freeing = (struct freeing){.job = {.lane = GZ_LANE_MEMORY,
                                        .subject = "",
                                        .group = "",
                                        .user = "",
                                        .run = run_freeing,
                                        .done = handle_freed,
                                        .context = freeing},
                                .memory = memory,
                                .finish = finish};
    gz_job_start(jobs, &freeing->job);
}
