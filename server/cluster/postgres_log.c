/* The changes of a scene in PostgreSQL: adds one behind the fence, and reads them in order. */
#include <stdlib.h>
#include <string.h>

#include "cluster/postgres_internal.h"

/* ---- append ---- */

static size_t part_size(size_t size, size_t at)
{
    return size - at < GZ_CLUSTER_PART_BYTES ? size - at : GZ_CLUSTER_PART_BYTES;
}

/* Adds the first part, behind the fence. *life is 0 if it was refused. */
static enum gz_status append_first(PGconn *link, struct gz_params params,
                                   const struct gz_cluster_change *change, uint64_t *life,
                                   struct gz_error *error)
{
    PGresult *result;
    gz_params_number(&params, change->n);
    gz_params_number(&params, (uint64_t)change->version);
    gz_params_number(&params, change->size);
    gz_params_bytes(&params, change->bytes, part_size(change->size, 0));
    enum gz_status status = gz_link_ask(link, SQL(APPEND), &params, &result, error);
    if (status != GZ_OK) return status;
    *life = PQntuples(result) == 1 ? gz_column_number(result, 0, 0) : 0;
    PQclear(result);
    return GZ_OK;
}

static enum gz_status append_others(PGconn *link, uint64_t life,
                                    const struct gz_cluster_change *change, struct gz_error *error)
{
    enum gz_status status = GZ_OK;
    uint64_t rows, part = 1;
    for (size_t at = GZ_CLUSTER_PART_BYTES; at < change->size && status == GZ_OK;
         at += GZ_CLUSTER_PART_BYTES) {
        struct gz_params params = {0};
        gz_params_number(&params, life);
        gz_params_number(&params, change->n);
        gz_params_number(&params, part++);
        gz_params_number(&params, change->epoch);
        gz_params_number(&params, (uint64_t)change->version);
        gz_params_number(&params, change->size);
        gz_params_bytes(&params, change->bytes + at, part_size(change->size, at));
        status = gz_link_change(link, SQL(APPEND_PART), &params, &rows, error);
    }
    return status;
}

/* Adds all parts in one transaction; a single part is a transaction by itself. */
static enum gz_status append_parts(PGconn *link, const struct gz_params *lease,
                                   const struct gz_cluster_change *change, uint64_t *life,
                                   struct gz_error *error)
{
    if (change->size <= GZ_CLUSTER_PART_BYTES)
        return append_first(link, *lease, change, life, error);
    enum gz_status status = gz_link_begin(link, error);
    if (status != GZ_OK) return status;
    status = append_first(link, *lease, change, life, error);
    if (status == GZ_OK && *life != 0) status = append_others(link, *life, change, error);
    return gz_link_end(link, status, error);
}

/* A refused change may have been added before, and the answer was lost. */
static enum gz_status check_appended(PGconn *link, const char *scene,
                                     const struct gz_cluster_change *change, struct gz_error *error)
{
    PGresult *result;
    struct gz_params params = {0};
    gz_params_text(&params, scene);
    gz_params_number(&params, change->epoch);
    gz_params_number(&params, change->n);
    gz_params_number(&params, change->size);
    gz_params_bytes(&params, change->bytes, part_size(change->size, 0));
    enum gz_status status = gz_link_ask(link, SQL(APPENDED), &params, &result, error);
    if (status != GZ_OK) return status;
    bool is_there = PQntuples(result) == 1;
    PQclear(result);
    return is_there ? GZ_OK : gz_postgres_fenced(scene, error);
}

enum gz_status gz_postgres_append(void *context, const char *scene,
                                  const struct gz_cluster_change *change, struct gz_error *error)
{
    struct gz_postgres *postgres = context;
    struct gz_params lease = gz_postgres_lease(postgres, scene, change->epoch);
    uint64_t life = 0;
    PGconn *link;
    if (change->size > GZ_CHANGE_BYTES_MAX)
        return gz_fail(error, GZ_TOO_LARGE, "scene %s: a change of %zu bytes", scene, change->size);
    enum gz_status status = gz_pool_borrow(&postgres->pool, false, &link, error);
    if (status != GZ_OK) return status;
    status = append_parts(link, &lease, change, &life, error);
    if (status == GZ_OK && life == 0) status = check_appended(link, scene, change, error);
    gz_pool_give_back(&postgres->pool, link);
    return status;
}

/* ---- read ---- */

enum { N, PART, EPOCH, VERSION, SIZE, BYTES };

/* A change that is assembled from its rows. */
struct reading {
    enum gz_status (*handle)(void *to, const struct gz_cluster_change *change,
                             struct gz_error *error);
    void *to;
    const char *scene;
    uint64_t n; /* the last change that `handle` was called with */
    uint64_t part;
    struct gz_cluster_change change;
    uint8_t *bytes;
    size_t got, room;
};

static enum gz_status fail_gap(const char *scene, uint64_t n, struct gz_error *error)
{
    return gz_fail(error, GZ_CONFLICT,
                   "scene %s: the log does not have what follows place %llu: begin with the copy",
                   scene, (unsigned long long)n);
}

static enum gz_status begin_change(struct reading *reading, const PGresult *row,
                                   struct gz_error *error)
{
    struct gz_cluster_change *change = &reading->change;
    *change = (struct gz_cluster_change){.n = gz_column_number(row, 0, N),
                                         .epoch = gz_column_number(row, 0, EPOCH),
                                         .version = (int)gz_column_number(row, 0, VERSION),
                                         .size = gz_column_number(row, 0, SIZE)};
    reading->got = 0;
    reading->part = 0;
    if (change->n != reading->n + 1 || change->size > GZ_CHANGE_BYTES_MAX)
        return fail_gap(reading->scene, reading->n, error);
    if (change->size <= reading->room) return GZ_OK;
    free(reading->bytes);
    reading->bytes = malloc(change->size);
    reading->room = reading->bytes != NULL ? change->size : 0;
    return reading->bytes != NULL
               ? GZ_OK
               : gz_fail(error, GZ_NO_MEMORY, "no memory for %zu bytes of a change", change->size);
}

static enum gz_status end_change(struct reading *reading, struct gz_error *error)
{
    reading->n = reading->change.n;
    reading->change.bytes = reading->bytes;
    return reading->handle(reading->to, &reading->change, error);
}

static enum gz_status handle_row(void *context, const PGresult *row, struct gz_error *error)
{
    struct reading *reading = context;
    uint64_t n = gz_column_number(row, 0, N), part = gz_column_number(row, 0, PART);
    size_t size = (size_t)PQgetlength(row, 0, BYTES);
    enum gz_status status = part == 0 ? begin_change(reading, row, error) : GZ_OK;
    if (status != GZ_OK) return status;
    if (n != reading->change.n || part != reading->part ||
        size > reading->change.size - reading->got)
        return fail_gap(reading->scene, reading->n, error);
    if (size > 0) memcpy(reading->bytes + reading->got, PQgetvalue(row, 0, BYTES), size);
    reading->got += size;
    reading->part++;
    return reading->got == reading->change.size ? end_change(reading, error) : GZ_OK;
}

/* Reads the changes: all that the scene had when it was looked up have to come; more may. */
static enum gz_status read_changes(PGconn *link, struct reading *reading, struct gz_error *error)
{
    struct gz_postgres_scene found;
    struct gz_params params = {0};
    enum gz_status status = gz_postgres_find_live(link, reading->scene, &found, error);
    if (status != GZ_OK) return status;
    uint64_t from = found.scene.has_copy ? found.scene.copy_n : found.scene.first_n;
    if (reading->n < from || reading->n > found.scene.n)
        return fail_gap(reading->scene, reading->n, error);
    gz_params_number(&params, found.life);
    gz_params_number(&params, reading->n);
    status = gz_link_stream(link, SQL(CHANGES), &params, handle_row, reading, error);
    if (status == GZ_OK && reading->n < found.scene.n)
        status = fail_gap(reading->scene, reading->n, error);
    return status;
}

enum gz_status gz_postgres_read(void *context, const char *scene, uint64_t after,
                                enum gz_status (*handle)(void *to,
                                                         const struct gz_cluster_change *change,
                                                         struct gz_error *error),
                                void *to, struct gz_error *error)
{
    struct gz_postgres *postgres = context;
    struct reading reading = {.handle = handle, .to = to, .scene = scene, .n = after};
    PGconn *link;
    enum gz_status status = gz_pool_borrow(&postgres->pool, false, &link, error);
    if (status != GZ_OK) return status;
    status = read_changes(link, &reading, error);
    gz_pool_give_back(&postgres->pool, link);
    free(reading.bytes);
    return status;
}
