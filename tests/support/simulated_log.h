/* simulated_log.h - the log of a cluster (server/cluster/log.h) in memory: what all members share
 * is an engine, and each member's process has its own line to it, which can be cut, and which loses
 * and doubles. The same seed and the same calls give the same faults. Its clock stands still unless
 * a test lets it go on. Threads: any. */
#ifndef TESTS_SUPPORT_SIMULATED_LOG_H
#define TESTS_SUPPORT_SIMULATED_LOG_H

#include "cluster/log.h"

/* What happens to a request, as chances from 0 to 1. All but the last are answered with
 * GZ_STORAGE. */
struct simulated_faults {
    double lost;       /* it does not arrive */
    double late;       /* it arrives after some later calls, of anybody */
    double unanswered; /* it is done, and the answer is lost */
    double doubled;    /* it is done and answered, and arrives once more after some later calls */
    bool is_cut;       /* nothing arrives */
    unsigned delay_us; /* that each call takes in real time, up to */
};

/* One call of a line, before it arrives and when it is answered. */
struct simulated_call {
    bool is_answer, is_append;
    enum gz_status status;           /* of an answer */
    const char *scene;               /* NULL if it is about none */
    struct gz_cluster_change change; /* of an append */
    const struct gz_lease *lease;    /* of the answer to a taking; else NULL */
};

/* What a member says that is well. */
static const struct gz_member_health simulated_log_well = {.trouble = ""};

struct simulated_engine *simulated_engine_create(uint64_t seed);
void simulated_engine_destroy(struct simulated_engine *engine);
/* Lets its clock go on. */
void simulated_engine_pass(struct simulated_engine *engine, double seconds);
/* A line of one process; ends with the engine. */
void simulated_engine_connect(struct simulated_engine *engine, struct gz_cluster_log *log);
void simulated_log_set_faults(const struct gz_cluster_log *log, struct simulated_faults faults);
/* From now on `handle` sees each call, on the thread that makes it; it may block. False: the call
 * does not arrive, or its answer is lost. */
void simulated_log_watch(const struct gz_cluster_log *log,
                         bool (*handle)(void *context, const struct simulated_call *call),
                         void *context);
/* Whoever is late arrives now. */
void simulated_engine_settle(struct simulated_engine *engine);

#endif
