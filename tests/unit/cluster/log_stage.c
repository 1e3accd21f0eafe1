/* log_stage.c - two members on a log in memory or in PostgreSQL. See log_stage.h. */
#include "unit/cluster/log_stage.h"

#include <stdio.h>
#include <string.h>

#include "cluster/postgres.h"

/* ---- the stage ---- */

static struct log_stage *make_stage(void **state)
{
    struct log_stage *stage = calloc(1, sizeof *stage);
    assert_non_null(stage);
    *state = stage;
    return stage;
}

static void enter_both(struct log_stage *stage)
{
    log_stage_enter(stage, &stage->anna, "anna");
    log_stage_enter(stage, &stage->bert, "bert");
    log_stage_set_age(stage, LOG_STAGE_ALIVE);
}

int log_stage_simulated(void **state)
{
    struct log_stage *stage = make_stage(state);
    stage->engine = simulated_engine_create(1);
    enter_both(stage);
    return 0;
}

int log_stage_postgres(void **state)
{
    struct log_stage *stage = make_stage(state);
    struct gz_error error = {0};
    test_postgres_init(&stage->postgres);
    test_postgres_start(&stage->postgres);
    if (gz_postgres_init(stage->postgres.uri, &error) != GZ_OK) fail_msg("%s", error.message);
    enter_both(stage);
    return 0;
}

int log_stage_finish(void **state)
{
    struct log_stage *stage = *state;
    log_stage_drop(stage, &stage->anna);
    log_stage_drop(stage, &stage->bert);
    if (stage->engine != NULL)
        simulated_engine_destroy(stage->engine);
    else
        test_postgres_finish(&stage->postgres);
    free(stage);
    return 0;
}

void log_stage_enter(struct log_stage *stage, struct gz_cluster_log *log, const char *name)
{
    struct gz_error error = {0};
    struct gz_member me = {.version = "1.2.3"};
    gz_print(me.name, sizeof me.name, "%s", name);
    gz_print(me.url, sizeof me.url, "http://%s.example:7432", name);
    if (stage->engine != NULL)
        simulated_engine_connect(stage->engine, log);
    else if (gz_postgres_create(log, stage->postgres.uri, &error) != GZ_OK)
        fail_msg("%s", error.message);
    const struct gz_member_lag level = {.lacking = ""};
    if (log->enter(log->context, &me, &error) != GZ_OK ||
        log->report(log->context, &level, &error) != GZ_OK)
        fail_msg("%s", error.message);
}

void log_stage_drop(struct log_stage *stage, struct gz_cluster_log *log)
{
    if (stage->engine == NULL) gz_postgres_destroy(log);
}

void log_stage_set_age(struct log_stage *stage, double seconds)
{
    struct gz_error error;
    char sql[160];
    if (stage->engine == NULL) {
        snprintf(sql, sizeof sql,
                 "UPDATE gizmod.members SET seen = now() - %f * INTERVAL '1 second', since = "
                 "'2000-01-01'",
                 seconds);
        test_postgres_ask(&stage->postgres, sql);
        return;
    }
    assert_int_equal(stage->anna.renew(stage->anna.context, &simulated_log_well, &error), GZ_OK);
    assert_int_equal(stage->bert.renew(stage->bert.context, &simulated_log_well, &error), GZ_OK);
    if (seconds > 0) simulated_engine_pass(stage->engine, seconds);
}

/* ---- what is said ---- */

struct gz_cluster_scene log_stage_take(const struct gz_cluster_log *log, const char *scene)
{
    struct gz_error error = {0};
    struct gz_lease lease;
    enum gz_status status = log->take(log->context, scene, true, 0, &lease, &error);
    if (status != GZ_OK || !lease.is_mine)
        fail_msg("%s is not taken: %s", scene, status != GZ_OK ? error.message : lease.url);
    return lease.scene;
}

uint8_t *log_stage_bytes(uint64_t n, uint64_t epoch, size_t size)
{
    uint8_t *bytes = malloc(size + 1);
    uint64_t x = n * 0x9E3779B97F4A7C15 + epoch;
    assert_non_null(bytes);
    for (size_t i = 0; i < size; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        bytes[i] = (uint8_t)x;
    }
    return bytes;
}

enum gz_status log_stage_append(const struct gz_cluster_log *log, const char *scene, uint64_t epoch,
                                uint64_t n, size_t size)
{
    uint8_t *bytes = log_stage_bytes(n, epoch, size);
    struct gz_cluster_change change = {
        .n = n, .epoch = epoch, .version = 13, .bytes = bytes, .size = size};
    struct gz_error error;
    enum gz_status status = log->append(log->context, scene, &change, &error);
    free(bytes);
    return status;
}

enum gz_status log_stage_copy(const struct gz_cluster_log *log, const char *scene, uint64_t epoch,
                              uint64_t n, size_t size)
{
    uint8_t *bytes = log_stage_bytes(n, epoch, size);
    struct gz_error error;
    FILE *file = tmpfile();
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fflush(file), 0);
    enum gz_status status = log->copy(log->context, scene, epoch, n, 13, fileno(file), &error);
    fclose(file);
    free(bytes);
    return status;
}

/* ---- what is heard ---- */

static enum gz_status handle_scene(void *to, const struct gz_cluster_scene *scene,
                                   struct gz_error *error)
{
    struct gz_cluster_scene *wanted = to;
    (void)error;
    if (strcmp(scene->name, wanted->name) == 0) {
        *wanted = *scene;
        return GZ_LOCKED; /* found: no need for more */
    }
    return GZ_OK;
}

struct gz_cluster_scene log_stage_find(const struct gz_cluster_log *log, const char *scene)
{
    struct gz_cluster_scene found = {0};
    struct gz_error error;
    gz_print(found.name, sizeof found.name, "%s", scene);
    enum gz_status status = log->scenes(log->context, handle_scene, &found, &error);
    if (status == GZ_OK) found.name[0] = '\0';
    assert_true(status == GZ_OK || status == GZ_LOCKED);
    return found;
}

static enum gz_status handle_change(void *to, const struct gz_cluster_change *change,
                                    struct gz_error *error)
{
    struct log_read *read = to;
    uint8_t *bytes = log_stage_bytes(change->n, change->epoch, change->size);
    (void)error;
    assert_memory_equal(change->bytes, bytes, change->size);
    assert_int_equal(change->version, 13);
    if (read->count++ == 0)
        read->first = change->n;
    else
        assert_int_equal(change->n, read->last + 1);
    read->epochs_fall |= change->epoch < read->last_epoch;
    read->last = change->n;
    read->last_epoch = change->epoch;
    free(bytes);
    return GZ_OK;
}

struct log_read log_stage_read(const struct gz_cluster_log *log, const char *scene, uint64_t after)
{
    struct log_read read = {0};
    struct gz_error error;
    read.status = log->read(log->context, scene, after, handle_change, &read, &error);
    return read;
}
