/* postgres_pool.h - the connections that the threads of a member share. Ownership: the caller's.
 * Threads: any. Errors: as log.h says. */
#ifndef GZ_CLUSTER_POSTGRES_POOL_H
#define GZ_CLUSTER_POSTGRES_POOL_H

#include <pthread.h>
#include <stdbool.h>

#include "cluster/postgres_link.h"
#include "server/maxima.h"

/* The last one is for renewals alone. */
#define GZ_POOL_LINKS (GZ_CLUSTER_CONNECTIONS_MAX + 1)

struct gz_pool {
    char *uri;
    pthread_mutex_t mutex;
    pthread_cond_t given_back;
    struct {
        PGconn *link; /* NULL if it is not connected */
        bool is_lent;
    } links[GZ_POOL_LINKS];
};

GZ_MUST_USE enum gz_status gz_pool_init(struct gz_pool *pool, const char *uri,
                                        struct gz_error *error);
void gz_pool_finish(struct gz_pool *pool);
/* Lends a connected idle link; waits for one if all are lent. `renewing`: the one for renewals. */
GZ_MUST_USE enum gz_status gz_pool_borrow(struct gz_pool *pool, bool renewing, PGconn **link,
                                          struct gz_error *error);
/* Gives the link back; closes it if it is not good. */
void gz_pool_give_back(struct gz_pool *pool, PGconn *link);

#endif
