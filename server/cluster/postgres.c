/* postgres.c - the log of a cluster in PostgreSQL, and its tables. */
#include "cluster/postgres.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "cluster/postgres_link.h"
#include "cluster/postgres_rows.h"
#include "cluster/sql.h"

/* ---- tables ---- */

/* Creates the tables of a cluster in PostgreSQL. */

#define LINK(statement) gz_sql_link[GZ_SQL_LINK_##statement]

/* Makes the tables, unless there are some. */
static enum gz_status make_tables(PGconn *link, struct gz_error *error)
{
    struct gz_params params = {0};
    uint64_t rows = 0;
    gz_params_number(&params, GZ_CLUSTER_TABLES_VERSION);
    enum gz_status status = gz_link_begin(link, error);
    if (status != GZ_OK) return status;
    status = gz_link_change(link, LINK(SET_VERSION), &params, &rows, error);
    if (status == GZ_OK && rows == 1)
        status = gz_link_run(link, gz_sql_tables[GZ_SQL_TABLES_TABLES], error);
    return gz_link_end(link, status, error);
}

/* Fails if another process does the same at the same time and neither sees the other's tables
 * yet. */
static enum gz_status make_version(PGconn *link, struct gz_error *error)
{
    const char *const scripts[] = {LINK(CREATE_SCHEMA), LINK(CREATE_VERSION), LINK(BEGIN_VERSION)};
    enum gz_status status = GZ_OK;
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0] && status == GZ_OK; i++) {
        status = gz_link_run(link, scripts[i], NULL);
        if (status != GZ_OK) status = gz_link_run(link, scripts[i], error);
    }
    return status;
}

enum gz_status gz_postgres_init(const char *uri, struct gz_error *error)
{
    PGconn *link;
    enum gz_status status = gz_pq_load(error);
    if (status == GZ_OK) status = gz_link_check(uri, error);
    if (status == GZ_OK) status = gz_link_open(&link, uri, false, error);
    if (status != GZ_OK) return status;
    status = make_version(link, error);
    if (status == GZ_OK) status = make_tables(link, error);
    PQfinish(link);
    if (status != GZ_OK) return status;
    status = gz_link_open(&link, uri, true, error); /* tables of another version are not ours */
    if (status == GZ_OK) PQfinish(link);
    return status;
}

/* ---- postgres ---- */

/* The log of a cluster in PostgreSQL: creation, and the members. */

/* ---- members ---- */

/* Runs one statement that changes rows, on a link of its own. */
static enum gz_status change(struct gz_postgres *postgres, bool renewing, const char *sql,
                             const struct gz_params *params, uint64_t *rows, struct gz_error *error)
{
    PGconn *link;
    enum gz_status status = gz_pool_borrow(&postgres->pool, renewing, &link, error);
    if (status != GZ_OK) return status;
    status = gz_link_change(link, sql, params, rows, error);
    gz_pool_give_back(&postgres->pool, link);
    return status;
}

/* The clock of this member, since 1970. */
static uint64_t clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static enum gz_status enter(void *context, const struct gz_member *me, struct gz_error *error)
{
    struct gz_postgres *postgres = context;
    struct gz_params params = {0};
    uint64_t rows;
    if (strcmp(postgres->me, me->name) != 0)
        gz_print(postgres->me, sizeof postgres->me, "%s", me->name);
    gz_params_text(&params, me->name);
    gz_params_text(&params, me->url);
    gz_params_text(&params, me->version);
    gz_params_text(&params, postgres->process);
    gz_params_text(&params, me->signature);
    gz_params_text(&params, me->health.trouble);
    gz_params_number(&params, clock_ms());
    return change(postgres, true, SQL(ENTER), &params, &rows, error);
}

static enum gz_status renew(void *context, const struct gz_member_health *health,
                            struct gz_error *error)
{
    struct gz_postgres *postgres = context;
    struct gz_params params = {0};
    uint64_t rows;
    gz_params_number(&params, GZ_CLUSTER_LEASE_SECONDS);
    gz_params_text(&params, postgres->me);
    gz_params_text(&params, postgres->process);
    gz_params_text(&params, health->trouble);
    gz_params_text(&params, health->refuses);
    gz_params_text(&params, health->unreached);
    gz_params_number(&params, clock_ms());
    enum gz_status status = change(postgres, true, SQL(RENEW), &params, &rows, error);
    if (status != GZ_OK || rows == 1) return status;
    return gz_fail(error, GZ_BAD_STATE,
                   "another process is member %s of the cluster now; give each its own --member",
                   postgres->me);
}

static enum gz_status leave(void *context, struct gz_error *error)
{
    struct gz_postgres *postgres = context;
    struct gz_params params = {0};
    uint64_t rows;
    gz_params_text(&params, postgres->me);
    gz_params_text(&params, postgres->process);
    return change(postgres, true, SQL(LEAVE), &params, &rows, error);
}

static enum gz_status report(void *context, const struct gz_member_lag *lag, struct gz_error *error)
{
    struct gz_postgres *postgres = context;
    struct gz_params params = {0};
    const bool is_behind = lag->changes > 0;
    uint64_t rows;
    gz_params_text(&params, postgres->me);
    gz_params_text(&params, postgres->process);
    gz_params_number(&params, lag->changes);
    if (is_behind)
        gz_params_number(&params, (uint64_t)(lag->seconds * 1000));
    else
        gz_params_text(&params, NULL);
    gz_params_text(&params, is_behind ? lag->scene : NULL);
    gz_params_text(&params, lag->lacking);
    return change(postgres, false, SQL(REPORT), &params, &rows, error);
}

struct member_list {
    enum gz_status (*handle)(void *to, const struct gz_member *member, struct gz_error *error);
    void *to;
};

/* The columns of the list of members. */
enum {
    NAME,
    URL,
    VERSION,
    AGE,
    BEHIND,
    BEHIND_SECONDS,
    BEHIND_SCENE,
    LACKING,
    SIGNATURE,
    TROUBLE,
    REFUSES,
    UNREACHED,
    CLOCK_MS
};

static enum gz_status handle_member(void *context, const PGresult *row, struct gz_error *error)
{
    const struct member_list *list = context;
    struct gz_member member = {.age_s = gz_column_double(row, 0, AGE),
                               .clock_s =
                                   1e-3 * (double)(int64_t)gz_column_number(row, 0, CLOCK_MS),
                               .lag = {.changes = gz_column_number(row, 0, BEHIND),
                                       .seconds = gz_column_double(row, 0, BEHIND_SECONDS)}};
    struct gz_member_health *health = &member.health;
    gz_column_text(row, 0, NAME, member.name, sizeof member.name);
    gz_column_text(row, 0, URL, member.url, sizeof member.url);
    gz_column_text(row, 0, VERSION, member.version, sizeof member.version);
    gz_column_text(row, 0, BEHIND_SCENE, member.lag.scene, sizeof member.lag.scene);
    gz_column_text(row, 0, LACKING, member.lag.lacking, sizeof member.lag.lacking);
    gz_column_text(row, 0, SIGNATURE, member.signature, sizeof member.signature);
    gz_column_text(row, 0, TROUBLE, health->trouble, sizeof health->trouble);
    gz_column_text(row, 0, REFUSES, health->refuses, sizeof health->refuses);
    gz_column_text(row, 0, UNREACHED, health->unreached, sizeof health->unreached);
    return list->handle(list->to, &member, error);
}

static enum gz_status members(void *context,
                              enum gz_status (*handle)(void *to, const struct gz_member *member,
                                                       struct gz_error *error),
                              void *to, struct gz_error *error)
{
    struct gz_postgres *postgres = context;
    struct member_list list = {handle, to};
    PGconn *link;
    enum gz_status status = gz_pool_borrow(&postgres->pool, true, &link, error);
    if (status != GZ_OK) return status;
    status = gz_link_stream(link, SQL(MEMBERS), NULL, handle_member, &list, error);
    gz_pool_give_back(&postgres->pool, link);
    return status;
}

/* ---- the log as a whole ---- */

static const struct gz_cluster_log functions = {
    .enter = enter,
    .renew = renew,
    .leave = leave,
    .report = report,
    .members = members,
    .take = gz_postgres_take,
    .defer = gz_postgres_defer,
    .give = gz_postgres_give,
    .want = gz_postgres_want,
    .append = gz_postgres_append,
    .copy = gz_postgres_copy,
    .read = gz_postgres_read,
    .read_copy = gz_postgres_read_copy,
    .scenes = gz_postgres_scenes,
    .forget = gz_postgres_forget,
    .rename = gz_postgres_rename,
};

static bool choose_process(char process[33])
{
    uint8_t bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) return false;
    for (size_t i = 0; i < sizeof bytes; i++) gz_print(process + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

enum gz_status gz_postgres_create(struct gz_cluster_log *log, const char *uri,
                                  struct gz_error *error)
{
    enum gz_status status = gz_pq_load(error);
    if (status == GZ_OK) status = gz_link_check(uri, error);
    if (status != GZ_OK) return status;
    struct gz_postgres *postgres = calloc(1, sizeof *postgres);
    if (postgres == NULL || !choose_process(postgres->process)) {
        free(postgres);
        return gz_fail(error, GZ_NO_MEMORY, "no memory for the log of a cluster");
    }
    status = gz_pool_init(&postgres->pool, uri, error);
    if (status != GZ_OK) {
        free(postgres);
        return status;
    }
    *log = functions;
    log->context = postgres;
    return GZ_OK;
}

void gz_postgres_destroy(struct gz_cluster_log *log)
{
    struct gz_postgres *postgres = log->context;
    if (postgres == NULL) return;
    gz_pool_finish(&postgres->pool);
    free(postgres);
    *log = (struct gz_cluster_log){0};
}
