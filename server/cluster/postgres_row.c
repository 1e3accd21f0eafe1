/* A row of the table of scenes in PostgreSQL: reads it, finds it, and fences changes. */
#include "cluster/postgres_internal.h"

enum {
    NAME,
    LIFE,
    MEMBER,
    WANTED,
    EPOCH,
    FIRST_N,
    N,
    COPY_N,
    COPY_EPOCH,
    COPY_VERSION,
    COPY_BYTES,
    BYTES_SINCE_COPY,
    IS_GONE,
    BECAME,
    BEFORE_N,
    URL,
    SIGNATURE
};

void gz_postgres_read_scene(const PGresult *result, int row, struct gz_postgres_scene *found)
{
    struct gz_cluster_scene *scene = &found->scene;
    *found = (struct gz_postgres_scene){.life = gz_column_number(result, row, LIFE),
                                        .copy_epoch = gz_column_number(result, row, COPY_EPOCH)};
    gz_column_text(result, row, NAME, scene->name, sizeof scene->name);
    gz_column_text(result, row, MEMBER, scene->member, sizeof scene->member);
    gz_column_text(result, row, WANTED, scene->wanted, sizeof scene->wanted);
    gz_column_text(result, row, BECAME, scene->became, sizeof scene->became);
    scene->is_gone = gz_column_number(result, row, IS_GONE) != 0;
    scene->epoch = gz_column_number(result, row, EPOCH);
    scene->first_n = gz_column_number(result, row, FIRST_N);
    scene->n = gz_column_number(result, row, N);
    scene->before_n = gz_column_number(result, row, BEFORE_N);
    scene->has_copy = !PQgetisnull(result, row, COPY_N);
    scene->copy_n = gz_column_number(result, row, COPY_N);
    scene->copy_version = (int)gz_column_number(result, row, COPY_VERSION);
    scene->copy_bytes = gz_column_number(result, row, COPY_BYTES);
    scene->bytes_since_copy = gz_column_number(result, row, BYTES_SINCE_COPY);
}

enum gz_status gz_postgres_find(PGconn *link, const char *name, struct gz_postgres_scene *found,
                                bool *is_known, struct gz_error *error)
{
    PGresult *result;
    struct gz_params params = {0};
    gz_params_text(&params, name);
    enum gz_status status = gz_link_ask(link, SQL(SCENE), &params, &result, error);
    if (status != GZ_OK) return status;
    *found = (struct gz_postgres_scene){0};
    *is_known = PQntuples(result) == 1;
    if (*is_known) {
        gz_postgres_read_scene(result, 0, found);
        gz_column_text(result, 0, URL, found->url, sizeof found->url);
        gz_column_text(result, 0, SIGNATURE, found->signature, sizeof found->signature);
    }
    PQclear(result);
    return GZ_OK;
}

enum gz_status gz_postgres_find_live(PGconn *link, const char *name,
                                     struct gz_postgres_scene *found, struct gz_error *error)
{
    bool is_known;
    enum gz_status status = gz_postgres_find(link, name, found, &is_known, error);
    if (status != GZ_OK || (is_known && !found->scene.is_gone)) return status;
    return gz_fail(error, GZ_UNKNOWN_SCENE, "the cluster has no scene %s", name);
}

struct gz_params gz_postgres_lease(const struct gz_postgres *postgres, const char *scene,
                                   uint64_t epoch)
{
    struct gz_params params = {0};
    gz_params_text(&params, scene);
    gz_params_number(&params, epoch);
    gz_params_text(&params, postgres->me);
    return params;
}

enum gz_status gz_postgres_fenced(const char *scene, struct gz_error *error)
{
    return gz_fail(error, GZ_BAD_STATE, "scene %s: another member is its authority now", scene);
}
