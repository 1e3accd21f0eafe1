/* loan.c - lends the core of a scene to a worker, and takes it back. See loan.h. */
#include "host/loan.h"

#include "conn/clock.h"
#include "host/scenes.h"

struct gz_core_summary gz_open_scene_summary(const struct gz_open_scene *scene)
{
    return scene->net.is_lent ? scene->summary : gz_core_summary(gz_net_core(&scene->net));
}

static void run_loan(struct gz_job *job)
{
    struct gz_open_scene *scene = job->context;
    if (scene->loan != NULL) scene->loan->run(scene->loan, scene->net.core);
    gz_core_do_bulk(scene->net.core, gz_clock_now());
}

/* While the core was lent nothing of its scene could be forgotten. The scene may be freed before
 * that. */
static void handle_returned(struct gz_job *job)
{
    struct gz_open_scene *scene = job->context;
    struct gz_memory *memory = scene->setting->memory;
    struct gz_loan *loan = scene->loan;
    scene->loan = NULL;
    gz_net_return(&scene->net);
    if (loan != NULL) loan->done(loan, job->is_cancelled); /* `done` may free the loan */
    gz_open_scene_catch_up(scene);
    gz_scenes_take_back(scene);
    gz_memory_relieve(memory);
}

void gz_open_scene_lend(struct gz_open_scene *scene, struct gz_loan *loan)
{
    scene->summary = gz_core_summary(gz_net_core(&scene->net));
    scene->loan = loan;
    scene->net.is_lent = true;
    scene->loan_job = (struct gz_job){.lane = GZ_LANE_CORES,
                                      .subject = "",
                                      .group = scene->name,
                                      .user = loan != NULL ? loan->user : "",
                                      .run = run_loan,
                                      .done = handle_returned,
                                      .context = scene};
    gz_job_start(scene->setting->jobs, &scene->loan_job);
}
