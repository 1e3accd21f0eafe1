/* postgres_rows.c - what the files of the log in PostgreSQL share: connections for many threads,
 * and rows. */
#include "cluster/postgres_rows.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- connections ---- */

/* The connections that the threads of a member share: opened when they are needed, again after a
 * failure, up to a bound. */

enum gz_status gz_pool_init(struct gz_pool *pool, const char *uri, struct gz_error *error)
{
    pthread_condattr_t monotonic;
    *pool = (struct gz_pool){.uri = strdup(uri)};
    if (pool->uri == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory for connections");
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->given_back, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return GZ_OK;
}

void gz_pool_finish(struct gz_pool *pool)
{
    for (int i = 0; i < GZ_POOL_LINKS; i++) PQfinish(pool->links[i].link);
    pthread_cond_destroy(&pool->given_back);
    pthread_mutex_destroy(&pool->mutex);
    free(pool->uri);
}

/* The index of a free one, connected ones first; -1 if none is. */
static int find_free(const struct gz_pool *pool, bool renewing)
{
    int first = renewing ? GZ_CLUSTER_CONNECTIONS_MAX : 0;
    int end = renewing ? GZ_POOL_LINKS : GZ_CLUSTER_CONNECTIONS_MAX;
    int found = -1;
    for (int i = first; i < end; i++) {
        if (pool->links[i].is_lent) continue;
        if (pool->links[i].link != NULL) return i;
        if (found < 0) found = i;
    }
    return found;
}

/* Takes an entry; -1 if none became free in time. */
static int take_place(struct gz_pool *pool, bool renewing)
{
    struct timespec until;
    int late = 0, place;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += GZ_CLUSTER_ANSWER_SECONDS;
    pthread_mutex_lock(&pool->mutex);
    while ((place = find_free(pool, renewing)) < 0 && late == 0)
        late = pthread_cond_timedwait(&pool->given_back, &pool->mutex, &until);
    if (place >= 0) pool->links[place].is_lent = true;
    pthread_mutex_unlock(&pool->mutex);
    return place;
}

/* Frees an entry, which belonged to this thread. */
static void free_place(struct gz_pool *pool, int place)
{
    pthread_mutex_lock(&pool->mutex);
    pool->links[place].is_lent = false;
    pthread_cond_broadcast(&pool->given_back);
    pthread_mutex_unlock(&pool->mutex);
}

static void drop_link(struct gz_pool *pool, int place)
{
    PGconn *link = pool->links[place].link;
    pthread_mutex_lock(&pool->mutex);
    pool->links[place].link = NULL;
    pthread_mutex_unlock(&pool->mutex);
    PQfinish(link);
}

static enum gz_status connect_place(struct gz_pool *pool, int place, struct gz_error *error)
{
    PGconn *link;
    enum gz_status status = gz_link_open(&link, pool->uri, true, error);
    if (status != GZ_OK) return status;
    pthread_mutex_lock(&pool->mutex);
    pool->links[place].link = link;
    pthread_mutex_unlock(&pool->mutex);
    return GZ_OK;
}

enum gz_status gz_pool_borrow(struct gz_pool *pool, bool renewing, PGconn **link,
                              struct gz_error *error)
{
    int place = take_place(pool, renewing);
    if (place < 0)
        return gz_fail(error, GZ_STORAGE,
                       "the cluster's database: all %d connections were busy for %d s",
                       GZ_CLUSTER_CONNECTIONS_MAX, GZ_CLUSTER_ANSWER_SECONDS);
    enum gz_status status = GZ_OK;
    if (pool->links[place].link != NULL && !gz_link_is_good(pool->links[place].link))
        drop_link(pool, place);
    if (pool->links[place].link == NULL) status = connect_place(pool, place, error);
    *link = pool->links[place].link;
    if (status != GZ_OK) free_place(pool, place);
    return status;
}

void gz_pool_give_back(struct gz_pool *pool, PGconn *link)
{
    int place = 0;
    pthread_mutex_lock(&pool->mutex);
    while (pool->links[place].link != link) place++;
    pthread_mutex_unlock(&pool->mutex);
    if (!gz_link_is_good(link)) drop_link(pool, place);
    free_place(pool, place);
}

/* ---- rows ---- */

/* A row of the table of scenes in PostgreSQL: reads it, finds it, and fences changes. */

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
