/* job.h - work for libuv's workers: what takes long runs on a worker and is finished on the loop.
 *
 * A job is embedded in what it works for. `run` is called on a worker and touches nothing that the
 * loop may change meanwhile. `done` is called on the loop, exactly once for each job that was
 * started and never from within a function of this header; it may free the job.
 *
 * The one rule for cancellation: `done` comes in any case. If `is_cancelled` is set by then, nobody
 * wants the result, and `done` only frees what there is. `run` is not called any more if the job
 * still waited for a worker; a worker is never interrupted.
 *
 * Lanes: only a few jobs of a lane are at workers at once, so that no lane keeps another one
 * waiting: the bounds of all lanes together are GZ_WORKERS. A waiting job takes no memory beside
 * itself; how many may wait is bounded by those who start them: open scenes (GZ_SCENES_MAX),
 * questions of sessions (one each, withdrawn when it ends), HTTP requests (GZ_HTTP_JOBS_MAX).
 *
 * Fairness within a lane: next is a job of the group that has the fewest jobs at workers; of such
 * groups, of the one that was served longest ago. Within the group the same holds for its users. Of
 * one user's jobs the first to be started is the first to begin. A group is a scene, if people wait
 * for what they ask about it, or a person, if scenes are opened: however much others ask about one
 * scene, a question about another begins as soon as one of theirs ends. Of a lane with several
 * workers no group and no user has the last one: a backup of a large scene takes minutes, and
 * others need not wait for it.
 *
 * Priority: workers run at GZ_WORKER_NICE, so that they take from the loop and from the writers of
 * the stores only time that is left over.
 *
 * Ownership: who starts a job keeps it where it is until `done`. Threads: the loop's, but for
 * `run`. Errors: none; a job that fails keeps its own error. */
#ifndef GZ_HOST_JOB_H
#define GZ_HOST_JOB_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

enum gz_lane {
    GZ_LANE_OPENINGS,    /* scenes are opened and closed: people wait for it */
    GZ_LANE_RETIREMENTS, /* scenes are deleted and renamed, which may wait for other programs */
    GZ_LANE_PAST,        /* questions to the past */
    GZ_LANE_CORES,       /* cores that are lent: loan.h */
    GZ_LANE_TRANSFERS,   /* HTTP: import, export, backup, the list */
    GZ_LANE_BODIES,      /* HTTP: what comes is written to a file */
    GZ_LANE_TRIANGLES,   /* of scenes that were opened: nobody waits for them */
    GZ_LANE_MEMORY,      /* large memory is freed */
    GZ_LANE_DISK,        /* how much room there is */
    GZ_LANE_COUNT
};

/* Workers that libuv has, unless the environment says otherwise in UV_THREADPOOL_SIZE: the bounds
 * of all lanes together. */
#define GZ_WORKERS 15
/* The niceness of workers, where the daemon's own is less: beside a loop that is busy they get a
 * tenth of a processor. */
#define GZ_WORKER_NICE 10

struct gz_job {
    enum gz_lane lane;
    /* The scene whose file the job reads or writes; "" for none. Lives as long as the job. */
    const char *subject;
    /* By which the lane is fair, see above; "" for none. Both live as long as the job. */
    const char *group, *user;
    void (*run)(struct gz_job *job);
    void (*done)(struct gz_job *job);
    void *context;
    bool is_cancelled; /* to be read in `done` */
    /* the rest is job.c's */
    bool is_at_worker;
    /* When the group, and the user in the group, was served last, see queue.turn. A job that comes,
     * and of whose group no other job is there, is as if its group had been served just before the
     * turn that was the last one. */
    uint64_t group_turn, user_turn;
    struct gz_jobs *jobs;
    struct gz_job *next;
    uv_work_t work;
};

struct gz_jobs {
    uv_loop_t *loop;
    struct gz_job_queue {
        struct gz_job *waiting, **end; /* in the order of their start */
        struct gz_job *busy;           /* at workers */
        unsigned at_workers, bound;
        uint64_t turn; /* even; who was served in it has the odd number that follows */
    } lanes[GZ_LANE_COUNT];
    bool is_closing;
};

/* Has libuv make its workers, on a loop that has nothing else to do; it aborts the process without
 * memory for them. Once, before the first job. */
void gz_jobs_make_workers(uv_loop_t *loop);
void gz_jobs_init(struct gz_jobs *jobs, uv_loop_t *loop);
void gz_job_start(struct gz_jobs *jobs, struct gz_job *job);
/* Cancels the job if it still waits in its lane, and does not have it wait any longer to be done;
 * false if it is at a worker. */
bool gz_job_withdraw(struct gz_job *job);
/* Cancels the jobs of this lane about this subject. */
void gz_jobs_cancel(struct gz_jobs *jobs, enum gz_lane lane, const char *subject);
/* Whether a worker may be at the files of this scene. */
bool gz_jobs_use(const struct gz_jobs *jobs, const char *subject);
/* Frees memory on a worker, by `finish`: memory that another thread took is slow to give back. At
 * once without memory for the job. */
void gz_jobs_free(struct gz_jobs *jobs, void *memory, void (*finish)(void *memory));
/* Cancels all jobs, and whatever is started from now on. Their `done` comes while the loop runs on;
 * the loop does not end before. */
void gz_jobs_close(struct gz_jobs *jobs);

#endif
