/* Creates the tables of a cluster in PostgreSQL. */
#include "cluster/postgres.h"
#include "cluster/postgres_link.h"
#include "cluster/sql.h"

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
