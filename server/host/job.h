/* job.h - jobs for workers: a job runs on a worker, a thread of its own, and is finished on the
 * loop.
 *
 * A job is embedded in the caller's struct. `run` is called on a worker and touches nothing that
 * the loop may change meanwhile. `done` is called on the loop, exactly once for each job that was
 * started and never from within a function of this header; it may free the job.
 *
 * The one rule for cancellation: `done` is called in any case. If `is_cancelled` is set then, the
 * result is not wanted, and `done` only frees it. `run` is not called if the job still waited for a
 * worker; a running worker is never interrupted.
 *
 * Lanes: only a few jobs of a lane are at workers at the same time, so that no lane blocks another
 * one: the bounds of all lanes add up to GZ_WORKERS. A waiting job takes no memory besides itself;
 * the number that may wait is bounded where jobs are started: open scenes (GZ_SCENES_MAX),
 * questions of sessions (one each, withdrawn when it ends), HTTP requests (GZ_HTTP_JOBS_MAX).
 *
 * Fairness within a lane: next is a job of the group with the fewest jobs at workers; among such
 * groups, of the one that was served longest ago. The same holds for the users within a group. Jobs
 * of one user begin in the order in which they were started. A group is a scene for questions about
 * it, or a user for openings: however many questions wait about one scene, a question about another
 * one begins as soon as one of them ends. In a lane with several workers no group and no user takes
 * the last one: a backup of a large scene takes minutes, and others need not wait for it.
 *
 * Priority: workers run at GZ_WORKER_NICE, so that they use only time that the loop and the stores'
 * writers leave. Those of GZ_LANE_CORES have more, at GZ_CORE_NICE: until such a job is done,
 * nobody in its scene is served, and any other busy program prolongs that.
 *
 * Ownership: a job must not move or be freed from its start until `done`. Threads: the loop's,
 * except `run`. Errors: none; a job that fails keeps its own error. */
#ifndef GZ_HOST_JOB_H
#define GZ_HOST_JOB_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "host/mailbox.h"

enum gz_lane {
    GZ_LANE_OPENINGS,    /* scenes are opened and closed: users wait for it */
    GZ_LANE_RETIREMENTS, /* scenes are deleted and renamed, which may wait for other programs */
    GZ_LANE_PAST,        /* questions about the past */
    GZ_LANE_CORES,       /* cores that are lent (loan.h) */
    GZ_LANE_TRANSFERS,   /* HTTP: import, export, backup, the list */
    GZ_LANE_BODIES,      /* HTTP: bodies are written to files */
    GZ_LANE_TRIANGLES,   /* of scenes that were opened: no user waits for them */
    GZ_LANE_MEMORY,      /* large memory is freed, and files that end with it */
    GZ_LANE_DISK,        /* free space is looked at */
    GZ_LANE_HOOK,        /* news are read, and looked for */
    GZ_LANE_COUNT
};

/* The number of workers: the sum of the bounds of all lanes. */
#define GZ_WORKERS 16
/* The niceness of workers, if the daemon's own is lower: beside a busy loop they get a tenth of a
 * processor. */
#define GZ_WORKER_NICE 10
/* That of the workers that have a core: a processor that they share with a busy loop gives them a
 * quarter of its time. */
#define GZ_CORE_NICE 5

struct gz_job {
    enum gz_lane lane;
    /* The scene whose file the job reads or writes; "" for none. Outlives the job. */
    const char *subject;
    /* For fairness; "" for none. Both outlive the job. */
    const char *group, *user;
    void (*run)(struct gz_job *job);
    void (*done)(struct gz_job *job);
    /* On the loop, when there is a worker for it: if not, it is cancelled. NULL: it is. */
    bool (*is_wanted)(const struct gz_job *job);
    void *context;
    bool is_cancelled; /* for `done` */
    /* the rest is private to job.c */
    bool is_at_worker;
    /* When the group, and the user in the group, was served last (queue.turn). The group of a new
     * job that has no other job counts as served just before the last turn. */
    uint64_t group_turn, user_turn;
    struct gz_jobs *jobs;
    struct gz_job *next;
    struct gz_worker *worker; /* NULL for a job that was cancelled before it had one */
    struct gz_letter letter;
};

/* A thread that waits for its next job, of one lane. */
struct gz_worker {
    struct gz_jobs *jobs;
    enum gz_lane lane;
    uv_thread_t thread;
    uv_sem_t wake;
    struct gz_job *job; /* NULL: it ends */
    struct gz_worker *next_idle;
};

struct gz_jobs {
    struct gz_mailbox mailbox; /* for others, too */
    struct gz_worker workers[GZ_WORKERS];
    size_t worker_count;
    struct gz_job_queue {
        struct gz_job *waiting, **end; /* in the order of their start */
        struct gz_job *busy;           /* at workers */
        struct gz_worker *idle;
        unsigned at_workers, bound;
        uint64_t turn; /* even; a group or user that was served in it gets the next odd number */
    } lanes[GZ_LANE_COUNT];
    bool is_closing;
};

/* Starts the workers. GZ_NO_MEMORY: nothing is held. */
GZ_MUST_USE enum gz_status gz_jobs_init(struct gz_jobs *jobs, uv_loop_t *loop,
                                        struct gz_error *error);
/* Ends the workers: once all jobs are done, and the other handles of the loop are closed. */
void gz_jobs_finish(struct gz_jobs *jobs);
void gz_job_start(struct gz_jobs *jobs, struct gz_job *job);
/* Cancels the job if it still waits in its lane, and has `done` called soon; false if it is at a
 * worker. */
bool gz_job_withdraw(struct gz_job *job);
/* Cancels the jobs of this lane about this subject. */
void gz_jobs_cancel(struct gz_jobs *jobs, enum gz_lane lane, const char *subject);
/* Whether a worker may be using the files of this scene. */
bool gz_jobs_use(const struct gz_jobs *jobs, const char *subject);
/* Frees memory with `finish` on a worker, because freeing memory of another thread is slow. At once
 * if there is no memory for the job. */
void gz_jobs_free(struct gz_jobs *jobs, void *memory, void (*finish)(void *memory));
/* Cancels all jobs, also those that are started later. Their `done` is called while the loop runs
 * on, which does not end before. */
void gz_jobs_close(struct gz_jobs *jobs);

#endif
