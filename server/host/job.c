/* Work for libuv's workers: one queue for each lane, of which the first few are at workers. */
#include "host/job.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const unsigned bounds[GZ_LANE_COUNT] = {
    [GZ_LANE_OPENINGS] = 2,  [GZ_LANE_RETIREMENTS] = 2, [GZ_LANE_PAST] = 3,
    [GZ_LANE_TRANSFERS] = 2, [GZ_LANE_TRIANGLES] = 1,   [GZ_LANE_MEMORY] = 1};

static void do_nothing(uv_work_t *work)
{
    (void)work;
}

void gz_jobs_make_workers(uv_loop_t *loop)
{
    char workers[8];
    uv_work_t work;
    snprintf(workers, sizeof workers, "%d", GZ_WORKERS);
    setenv("UV_THREADPOOL_SIZE", workers, 0);
    uv_queue_work(loop, &work, do_nothing, NULL);
    uv_run(loop, UV_RUN_DEFAULT);
}

void gz_jobs_init(struct gz_jobs *jobs, uv_loop_t *loop)
{
    *jobs = (struct gz_jobs){.loop = loop};
    for (int i = 0; i < GZ_LANE_COUNT; i++) {
        jobs->lanes[i].bound = bounds[i];
        jobs->lanes[i].end = &jobs->lanes[i].first;
    }
}

static void start_waiting(struct gz_jobs *jobs, struct gz_job_queue *queue);

static void unlink_job(struct gz_job_queue *queue, struct gz_job *job)
{
    struct gz_job **link = &queue->first;
    while (*link != job) link = &(*link)->next;
    *link = job->next;
    if (*link == NULL) queue->end = link;
}

static void handle_run(uv_work_t *work)
{
    struct gz_job *job = work->data;
    job->run(job);
}

static void handle_done(uv_work_t *work, int status)
{
    struct gz_job *job = work->data;
    struct gz_job_queue *queue = &job->jobs->lanes[job->lane];
    if (status != 0) job->is_cancelled = true;
    unlink_job(queue, job);
    queue->at_workers--;
    start_waiting(job->jobs, queue);
    job->done(job);
}

/* A cancelled job takes this way, too: libuv calls its `done` later, from the loop. */
static void start_waiting(struct gz_jobs *jobs, struct gz_job_queue *queue)
{
    for (struct gz_job *job = queue->first; job != NULL && queue->at_workers < queue->bound;
         job = job->next) {
        if (job->is_at_worker) continue;
        job->is_at_worker = true;
        queue->at_workers++;
        uv_queue_work(jobs->loop, &job->work, job->is_cancelled ? do_nothing : handle_run,
                      handle_done);
    }
}

void gz_job_start(struct gz_jobs *jobs, struct gz_job *job)
{
    struct gz_job_queue *queue = &jobs->lanes[job->lane];
    job->jobs = jobs;
    job->work.data = job;
    job->next = NULL;
    job->is_at_worker = false;
    job->is_cancelled = jobs->is_closing;
    *queue->end = job;
    queue->end = &job->next;
    start_waiting(jobs, queue);
}

static void cancel(struct gz_job *job)
{
    job->is_cancelled = true;
    if (job->is_at_worker) uv_cancel((uv_req_t *)&job->work);
}

void gz_jobs_cancel(struct gz_jobs *jobs, enum gz_lane lane, const char *subject)
{
    for (struct gz_job *job = jobs->lanes[lane].first; job != NULL; job = job->next)
        if (strcmp(job->subject, subject) == 0) cancel(job);
}

bool gz_jobs_use(const struct gz_jobs *jobs, const char *subject)
{
    for (int i = 0; i < GZ_LANE_COUNT; i++) {
        for (const struct gz_job *job = jobs->lanes[i].first; job != NULL; job = job->next) {
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
        for (struct gz_job *job = jobs->lanes[i].first; job != NULL; job = job->next) cancel(job);
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
                                        .run = run_freeing,
                                        .done = handle_freed,
                                        .context = freeing},
                                .memory = memory,
                                .finish = finish};
    gz_job_start(jobs, &freeing->job);
}
