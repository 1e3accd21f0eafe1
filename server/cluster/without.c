/* Replaces postgres.c in a build without libpq. */
#include "cluster/postgres.h"

enum gz_status gz_postgres_create(struct gz_cluster_log *log, const char *uri,
                                  struct gz_error *error)
{
    (void)log;
    (void)uri;
    return gz_fail(error, GZ_BAD_VALUE, "this program was built without libpq (GIZMOD_CLUSTER)");
}

void gz_postgres_destroy(struct gz_cluster_log *log)
{
    (void)log;
}

enum gz_status gz_postgres_init(const char *uri, struct gz_error *error)
{
    return gz_postgres_create(NULL, uri, error);
}
