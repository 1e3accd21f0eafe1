/* Scenes in PostgreSQL: leases, creating, deleting and renaming. */
#include <string.h>
#include <sys/random.h>

#include "cluster/postgres_rows.h"

/* How often taking a lease looks again if it changed hands in between. */
#define TRIES 3

/* $1 and $2 of a query whether a member is alive. */
static struct gz_params alive(const char *scene)
{
    struct gz_params params = {0};
    gz_params_number(&params, GZ_CLUSTER_LEASE_SECONDS);
    gz_params_text(&params, scene);
    return params;
}

/* ---- leases ---- */

static enum gz_status make(PGconn *link, const char *scene, uint64_t after, struct gz_error *error)
{
    struct gz_params params = {0};
    uint64_t life, rows;
    if (getrandom(&life, sizeof life, 0) != sizeof life)
        return gz_fail(error, GZ_INTERNAL, "the system has no random numbers");
    gz_params_text(&params, scene);
    gz_params_number(&params, (life >> 1) + 1); /* positive */
    gz_params_number(&params, after);
    return gz_link_change(link, SQL(MAKE), &params, &rows, error);
}

static enum gz_status try_to_take(PGconn *link, const char *me, const char *scene,
                                  struct gz_lease *lease, struct gz_error *error)
{
    PGresult *result;
    struct gz_postgres_scene found;
    struct gz_params params = alive(scene);
    gz_params_text(&params, me);
    enum gz_status status = gz_link_ask(link, SQL(TAKE), &params, &result, error);
    if (status != GZ_OK) return status;
    lease->is_mine = PQntuples(result) == 1;
    if (lease->is_mine) {
        gz_postgres_read_scene(result, 0, &found);
        lease->scene = found.scene;
    }
    PQclear(result);
    return GZ_OK;
}

/* Looks for the holder of the lease, or creates the scene. *again: the lease can be taken now,
 * because it is free or its holder has just left. */
static enum gz_status look(PGconn *link, const char *me, const char *scene, bool create,
                           uint64_t after, struct gz_lease *lease, bool *again,
                           struct gz_error *error)
{
    struct gz_postgres_scene found;
    bool is_known;
    enum gz_status status = gz_postgres_find(link, scene, &found, &is_known, error);
    if (status != GZ_OK) return status;
    lease->scene = found.scene;
    gz_print(lease->url, sizeof lease->url, "%s", found.url);
    gz_print(lease->signature, sizeof lease->signature, "%s", found.signature);
    if (is_known && !found.scene.is_gone) {
        *again = found.url[0] == '\0' || strcmp(found.scene.member, me) == 0;
        return GZ_OK;
    }
    if (!create) return gz_fail(error, GZ_UNKNOWN_SCENE, "the cluster has no scene %s", scene);
    *again = true;
    return make(link, scene, after, error);
}

static enum gz_status take_lease(PGconn *link, const char *me, const char *scene, bool create,
                                 uint64_t after, struct gz_lease *lease, struct gz_error *error)
{
    for (int i = 0; i < TRIES; i++) {
        bool again = false;
        enum gz_status status = try_to_take(link, me, scene, lease, error);
        if (status != GZ_OK || lease->is_mine) return status;
        status = look(link, me, scene, create, after, lease, &again, error);
        if (status != GZ_OK || !again) return status;
    }
    return gz_fail(error, GZ_STORAGE, "scene %s: its lease changes hands: try again", scene);
}

enum gz_status gz_postgres_take(void *context, const char *scene, bool create, uint64_t after,
                                struct gz_lease *lease, struct gz_error *error)
{
    struct gz_postgres *postgres = context;
    PGconn *link;
    *lease = (struct gz_lease){0};
    enum gz_status status = gz_pool_borrow(&postgres->pool, false, &link, error);
    if (status != GZ_OK) return status;
    status = take_lease(link, postgres->me, scene, create, after, lease, error);
    gz_pool_give_back(&postgres->pool, link);
    return status;
}

enum gz_status gz_postgres_defer(void *context, const char *scene,
                                 const struct gz_scene_offer *mine, struct gz_error *error)
{
    struct gz_postgres *postgres = context;
    struct gz_params params = alive(scene);
    uint64_t rows;
    PGconn *link;
    gz_params_text(&params, postgres->me);
    gz_params_number(&params, mine->n);
    gz_params_number(&params, mine->first_n);
    gz_params_number(&params, mine->refuses);
    gz_params_number(&params, GZ_CLUSTER_LEVEL_CHANGES);
    enum gz_status status = gz_pool_borrow(&postgres->pool, false, &link, error);
    if (status != GZ_OK) return status;
    status = gz_link_change(link, SQL(DEFER), &params, &rows, error);
    gz_pool_give_back(&postgres->pool, link);
    return status;
}

enum gz_status gz_postgres_give(void *context, const char *scene, uint64_t epoch,
                                struct gz_error *error)
{
    struct gz_postgres *postgres = context;
    struct gz_params params = alive(scene);
    uint64_t rows = 0;
    PGconn *link;
    gz_params_number(&params, epoch);
    gz_params_text(&params, postgres->me);
    enum gz_status status = gz_pool_borrow(&postgres->pool, false, &link, error);
    if (status != GZ_OK) return status;
    status = gz_link_change(link, SQL(GIVE), &params, &rows, error);
    gz_pool_give_back(&postgres->pool, link);
    return status != GZ_OK || rows == 1 ? status : gz_postgres_fenced(scene, error);
}

/* Why the member gets no scene, which exists. */
static enum gz_status explain_unready(PGconn *link, const char *scene, const char *member,
                                      struct gz_error *error)
{
    PGresult *result;
    char refuses[GZ_MEMBER_WORDS_BYTES_MAX + 1] = "";
    struct gz_params params = alive(member);
    enum gz_status status = gz_link_ask(link, SQL(UNREADY), &params, &result, error);
    if (status != GZ_OK) return status;
    const bool is_alive = PQntuples(result) == 1;
    if (is_alive) gz_column_text(result, 0, 0, refuses, sizeof refuses);
    PQclear(result);
    if (!is_alive)
        return gz_fail(error, GZ_BAD_VALUE, "no member %s of the cluster is alive", member);
    if (refuses[0] != '\0')
        return gz_fail(error, GZ_BAD_VALUE, "member %s takes no scenes: %s", member, refuses);
    return gz_fail(error, GZ_BAD_VALUE,
                   "the file of member %s lacks changes of %s: try again when it has caught up",
                   member, scene);
}

static enum gz_status want(PGconn *link, const char *scene, const char *member,
                           struct gz_error *error)
{
    struct gz_postgres_scene found;
    struct gz_params params = alive(scene);
    uint64_t rows = 0;
    gz_params_text(&params, member);
    enum gz_status status = gz_link_change(link, SQL(WANT), &params, &rows, error);
    if (status == GZ_OK && rows == 0)
        status = gz_link_change(link, SQL(ASSIGN), &params, &rows, error);
    if (status != GZ_OK || rows == 1) return status;
    status = gz_postgres_find_live(link, scene, &found, error);
    return status == GZ_OK ? explain_unready(link, scene, member, error) : status;
}

enum gz_status gz_postgres_want(void *context, const char *scene, const char *member,
                                struct gz_error *error)
{
    struct gz_postgres *postgres = context;
    PGconn *link;
    enum gz_status status = gz_pool_borrow(&postgres->pool, false, &link, error);
    if (status != GZ_OK) return status;
    status = want(link, scene, member, error);
    gz_pool_give_back(&postgres->pool, link);
    return status;
}

/* ---- the list ---- */

struct scene_list {
    enum gz_status (*handle)(void *to, const struct gz_cluster_scene *scene,
                             struct gz_error *error);
    void *to;
};

static enum gz_status handle_scene(void *context, const PGresult *row, struct gz_error *error)
{
    const struct scene_list *list = context;
    struct gz_postgres_scene found;
    gz_postgres_read_scene(row, 0, &found);
    return list->handle(list->to, &found.scene, error);
}

enum gz_status gz_postgres_scenes(void *context,
                                  enum gz_status (*handle)(void *to,
                                                           const struct gz_cluster_scene *scene,
                                                           struct gz_error *error),
                                  void *to, struct gz_error *error)
{
    struct gz_postgres *postgres = context;
    struct scene_list list = {handle, to};
    PGconn *link;
    enum gz_status status = gz_pool_borrow(&postgres->pool, false, &link, error);
    if (status != GZ_OK) return status;
    status = gz_link_stream(link, SQL(SCENES), NULL, handle_scene, &list, error);
    gz_pool_give_back(&postgres->pool, link);
    return status;
}

/* ---- deleting and renaming ---- */

/* Frees the name, and marks it as gone; `became` may be NULL. *life is 0 if the lease was not this
 * member's. */
static enum gz_status leave_name(PGconn *link, struct gz_params params, const char *became,
                                 uint64_t *life, struct gz_error *error)
{
    PGresult *result;
    gz_params_text(&params, became);
    enum gz_status status = gz_link_ask(link, SQL(LEAVE_NAME), &params, &result, error);
    if (status != GZ_OK) return status;
    *life = PQntuples(result) == 1 ? gz_column_number(result, 0, 0) : 0;
    PQclear(result);
    return GZ_OK;
}

static enum gz_status drop(PGconn *link, const char *sql, uint64_t number, struct gz_error *error)
{
    struct gz_params params = {0};
    uint64_t rows;
    gz_params_number(&params, number);
    return gz_link_change(link, sql, &params, &rows, error);
}

/* Whether the scene was deleted or renamed by this lease, and the answer was lost. */
static enum gz_status check_gone(PGconn *link, const char *scene, uint64_t epoch,
                                 const char *became, bool *is_done, struct gz_error *error)
{
    struct gz_postgres_scene found;
    bool is_known;
    enum gz_status status = gz_postgres_find(link, scene, &found, &is_known, error);
    *is_done = status == GZ_OK && is_known && found.scene.is_gone &&
               found.scene.epoch == epoch + 1 && strcmp(found.scene.became, became) == 0;
    return status;
}

static enum gz_status forget(PGconn *link, const struct gz_params *lease, uint64_t *life,
                             struct gz_error *error)
{
    enum gz_status status = gz_link_begin(link, error);
    if (status != GZ_OK) return status;
    status = leave_name(link, *lease, NULL, life, error);
    if (status == GZ_OK) status = drop(link, SQL(DROP_LOG), *life, error);
    if (status == GZ_OK) status = drop(link, SQL(DROP_ALL_COPIES), *life, error);
    if (status == GZ_OK) status = drop(link, SQL(DROP_GONE), GZ_CLUSTER_GONE_DAYS, error);
    return gz_link_end(link, status, error);
}

enum gz_status gz_postgres_forget(void *context, const char *scene, uint64_t epoch,
                                  struct gz_error *error)
{
    struct gz_postgres *postgres = context;
    struct gz_params lease = gz_postgres_lease(postgres, scene, epoch);
    uint64_t life = 0;
    bool is_done = true;
    PGconn *link;
    enum gz_status status = gz_pool_borrow(&postgres->pool, false, &link, error);
    if (status != GZ_OK) return status;
    status = forget(link, &lease, &life, error);
    if (status == GZ_OK && life == 0) status = check_gone(link, scene, epoch, "", &is_done, error);
    gz_pool_give_back(&postgres->pool, link);
    return status == GZ_OK && !is_done ? gz_postgres_fenced(scene, error) : status;
}

static enum gz_status take_name(PGconn *link, struct gz_params params, const char *to,
                                bool *is_taken, uint64_t *new_epoch, struct gz_error *error)
{
    PGresult *result;
    gz_params_text(&params, to);
    enum gz_status status = gz_link_ask(link, SQL(TAKE_NAME), &params, &result, error);
    if (status != GZ_OK) return status;
    *is_taken = PQntuples(result) == 1;
    if (*is_taken) *new_epoch = gz_column_number(result, 0, 0);
    PQclear(result);
    return GZ_OK;
}

/* *life is 0 if the new name is taken, or the lease is not this member's. */
static enum gz_status change_name(PGconn *link, const struct gz_params *lease, const char *to,
                                  uint64_t *life, uint64_t *new_epoch, struct gz_error *error)
{
    bool is_taken = false;
    enum gz_status status = gz_link_begin(link, error);
    if (status != GZ_OK) return status;
    status = take_name(link, *lease, to, &is_taken, new_epoch, error);
    if (is_taken) {
        status = leave_name(link, *lease, to, life, error);
        if (status == GZ_OK && *life == 0) status = gz_postgres_fenced(lease->values[0], error);
    }
    return gz_link_end(link, status, error);
}

/* Finds why it did not change; or it did, and the answer was lost. */
static enum gz_status explain(PGconn *link, const char *scene, uint64_t epoch, const char *to,
                              uint64_t *new_epoch, struct gz_error *error)
{
    struct gz_postgres_scene found;
    bool is_done;
    enum gz_status status = check_gone(link, scene, epoch, to, &is_done, error);
    if (status != GZ_OK) return status;
    status = gz_postgres_find_live(link, to, &found, error);
    if (status == GZ_UNKNOWN_SCENE) return gz_postgres_fenced(scene, error);
    if (status != GZ_OK) return status;
    *new_epoch = found.scene.epoch;
    if (is_done) return GZ_OK;
    return gz_fail(error, GZ_CONFLICT, "the cluster has a scene %s already", to);
}

enum gz_status gz_postgres_rename(void *context, const char *scene, uint64_t epoch, const char *to,
                                  uint64_t *new_epoch, struct gz_error *error)
{
    struct gz_postgres *postgres = context;
    struct gz_params lease = gz_postgres_lease(postgres, scene, epoch);
    uint64_t life = 0;
    PGconn *link;
    enum gz_status status = gz_pool_borrow(&postgres->pool, false, &link, error);
    if (status != GZ_OK) return status;
    status = change_name(link, &lease, to, &life, new_epoch, error);
    if (status == GZ_OK && life == 0) status = explain(link, scene, epoch, to, new_epoch, error);
    gz_pool_give_back(&postgres->pool, link);
    return status;
}
