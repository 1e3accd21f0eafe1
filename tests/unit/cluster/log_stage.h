/* log_stage.h - the members anna and bert on a log of a cluster, which is in memory or in a real
 * PostgreSQL: what a test needs of both to be written once. */
#ifndef TESTS_LOG_STAGE_H
#define TESTS_LOG_STAGE_H

#include "cluster/log.h"
#include "support/cmocka.h"
#include "support/postgres.h"
#include "support/simulated_log.h"

struct log_stage {
    struct simulated_engine *engine; /* NULL if it is PostgreSQL */
    struct test_postgres postgres;
    struct gz_cluster_log anna, bert; /* both have entered */
};

/* cmocka's setup and teardown of a group; *state is a struct log_stage. */
int log_stage_simulated(void **state);
int log_stage_postgres(void **state);
int log_stage_finish(void **state);

/* One more process, which has entered under this name. */
void log_stage_enter(struct log_stage *stage, struct gz_cluster_log *log, const char *name);
void log_stage_drop(struct log_stage *stage, struct gz_cluster_log *log);
/* All members were seen so many seconds ago; LOG_STAGE_ALIVE: they are alive for long enough,
 * however slow the machine is. */
#define LOG_STAGE_ALIVE -3600
#define LOG_STAGE_DEAD 3600
void log_stage_set_age(struct log_stage *stage, double seconds);
/* Takes the lease, which has to be free, and makes the scene. */
struct gz_cluster_scene log_stage_take(const struct gz_cluster_log *log, const char *scene);
/* A change of so many bytes, which depend on n and on the epoch. For free(). */
uint8_t *log_stage_bytes(uint64_t n, uint64_t epoch, size_t size);
enum gz_status log_stage_append(const struct gz_cluster_log *log, const char *scene, uint64_t epoch,
                                uint64_t n, size_t size);
/* Puts a file of so many bytes into the log as a copy. */
enum gz_status log_stage_copy(const struct gz_cluster_log *log, const char *scene, uint64_t epoch,
                              uint64_t n, size_t size);
/* What the list says of a scene; without a name if it does not. */
struct gz_cluster_scene log_stage_find(const struct gz_cluster_log *log, const char *scene);
/* Reads from a place on, and checks that the changes are those of log_stage_bytes. */
struct log_read {
    enum gz_status status;
    uint64_t first, last, count, last_epoch;
    bool epochs_fall; /* a later change has an earlier epoch */
};
struct log_read log_stage_read(const struct gz_cluster_log *log, const char *scene, uint64_t after);

#endif
