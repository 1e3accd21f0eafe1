/* loan.h - lends the core of a scene to a worker, for work that would keep other scenes waiting:
 * work that the core has put off (gz_core_do_bulk), and an import.
 *
 * While a core is lent (scene->net.is_lent), only the worker calls it, and its scene waits:
 * - the network reads nothing from the sessions and asks for no frames;
 * - a request for the scene waits as for one that is being opened;
 * - answers of the disk and of the file wait;
 * - the scene's numbers are those from before (gz_open_scene_summary). Other scenes are not
 *   affected.
 *
 * Threads: the loop's, except `run` and what the core calls of its host meanwhile (struct
 * gz_core_host, in open_scene.c): each of these functions is safe on any thread, or leaves its work
 * in the scene until the core is back (gz_open_scene_catch_up). The start of the job hands the core
 * over, and its end hands the core back: job.c orders what both threads write. A loan must not
 * begin inside a call of the core. It begins at the end of a pass, in answer to a request, or when
 * a job is done. Ownership: the lender keeps the loan until `done`. */
#ifndef GZ_HOST_LOAN_H
#define GZ_HOST_LOAN_H

#include "host/open_scene.h"

struct gz_loan {
    /* On a worker, before the work that was put off. */
    void (*run)(struct gz_loan *loan, struct gz_core *core);
    /* On the loop, when the core is back. If the server ends, the loan is cancelled, perhaps before
     * `run` was called. */
    void (*done)(struct gz_loan *loan, bool is_cancelled);
    void *context;
    const char *user; /* user of the job, for fairness; outlives the loan */
};

/* Lends the core of an open scene, which must not be lent. NULL: only for the work that was put
 * off. */
void gz_open_scene_lend(struct gz_open_scene *scene, struct gz_loan *loan);
/* The numbers of the core; if it is lent, those from the beginning of the loan. The loop's
 * thread. */
struct gz_core_summary gz_open_scene_summary(const struct gz_open_scene *scene);

#endif
