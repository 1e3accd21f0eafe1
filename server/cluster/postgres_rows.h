/* postgres_rows.h - what the files of the log in PostgreSQL share: connections for many threads,
 * and rows. */
#ifndef GZ_CLUSTER_POSTGRES_ROWS_H
#define GZ_CLUSTER_POSTGRES_ROWS_H

#include <pthread.h>
#include <stdbool.h>

#include "cluster/log.h"
#include "cluster/postgres_link.h"
#include "cluster/sql.h"
#include "server/maxima.h"

/* ---- connections ---- */

/* The connections that the threads of a member share. Ownership: the caller's.
 * Threads: any. Errors: as log.h says. */

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

/* ---- what the files share ---- */

/* What the files of the log in PostgreSQL share; each implements some of the
 * functions of log.h. */

#define SQL(statement) gz_sql_log[GZ_SQL_LOG_##statement]

struct gz_postgres {
    struct gz_pool pool;
    char process[33]; /* random, to identify this process among those of its name */
    char me[GZ_MEMBER_BYTES_MAX + 1];
};

/* ---- postgres_rows.c ---- */

/* A row of the table of scenes. */
struct gz_postgres_scene {
    struct gz_cluster_scene scene;
    uint64_t life, copy_epoch;
    /* Of its member; only gz_postgres_find fills them. */
    char url[GZ_MEMBER_URL_BYTES_MAX + 1], signature[GZ_MEMBER_SIGNATURE_BYTES + 1];
};

/* Reads the columns of gz_sql_log's `scene` fragment. */
void gz_postgres_read_scene(const PGresult *result, int row, struct gz_postgres_scene *found);
/* *is_known is false if there is none, not even a gone one. */
GZ_MUST_USE enum gz_status gz_postgres_find(PGconn *link, const char *name,
                                            struct gz_postgres_scene *found, bool *is_known,
                                            struct gz_error *error);
/* The same for a scene that has to exist: GZ_UNKNOWN_SCENE. */
GZ_MUST_USE enum gz_status gz_postgres_find_live(PGconn *link, const char *name,
                                                 struct gz_postgres_scene *found,
                                                 struct gz_error *error);
/* The name of a scene, an epoch, and this member: $1, $2 and $3 of an authority's statements. */
struct gz_params gz_postgres_lease(const struct gz_postgres *postgres, const char *scene,
                                   uint64_t epoch);
/* "scene X: another member is its authority now". */
enum gz_status gz_postgres_fenced(const char *scene, struct gz_error *error);

/* ---- postgres_log.c ---- */

enum gz_status gz_postgres_append(void *context, const char *scene,
                                  const struct gz_cluster_change *change, struct gz_error *error);
enum gz_status gz_postgres_read(void *context, const char *scene, uint64_t after,
                                enum gz_status (*handle)(void *to,
                                                         const struct gz_cluster_change *change,
                                                         struct gz_error *error),
                                void *to, struct gz_error *error);

enum gz_status gz_postgres_copy(void *context, const char *scene, uint64_t epoch, uint64_t n,
                                int version, int file, struct gz_error *error);
enum gz_status gz_postgres_read_copy(void *context, const char *scene, int file,
                                     struct gz_cluster_scene *found, struct gz_error *error);

/* ---- postgres_scenes.c ---- */

enum gz_status gz_postgres_take(void *context, const char *scene, bool create, uint64_t after,
                                struct gz_lease *lease, struct gz_error *error);
enum gz_status gz_postgres_defer(void *context, const char *scene,
                                 const struct gz_scene_offer *mine, struct gz_error *error);
enum gz_status gz_postgres_give(void *context, const char *scene, uint64_t epoch,
                                struct gz_error *error);
enum gz_status gz_postgres_want(void *context, const char *scene, const char *member,
                                struct gz_error *error);
enum gz_status gz_postgres_scenes(void *context,
                                  enum gz_status (*handle)(void *to,
                                                           const struct gz_cluster_scene *scene,
                                                           struct gz_error *error),
                                  void *to, struct gz_error *error);
enum gz_status gz_postgres_forget(void *context, const char *scene, uint64_t epoch,
                                  struct gz_error *error);
enum gz_status gz_postgres_rename(void *context, const char *scene, uint64_t epoch, const char *to,
                                  uint64_t *new_epoch, struct gz_error *error);

#endif
