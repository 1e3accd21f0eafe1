/* The connections that the threads of a member share: opened when they are needed, again after a
 * failure, up to a bound. */
#include "cluster/postgres_pool.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

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
