/* postgres_log.c - changes and copies in PostgreSQL. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cluster/postgres_rows.h"

/* ---- postgres copy ---- */

/* Copies of whole files in PostgreSQL. The parts of a new copy are added one by one, and are not
 * used until the last one exists: then the copy replaces the earlier one. */

struct copying {
    struct gz_postgres *postgres;
    PGconn *link;
    const char *scene;
    uint64_t epoch, n, life, parts, bytes;
    int version, file;
};

static enum gz_status fail_file(const char *what, struct gz_error *error)
{
    return gz_fail(error, GZ_STORAGE, "a copy of a scene's file cannot be %s: %s", what,
                   strerror(errno));
}

static struct gz_params lease_of(const struct copying *copying)
{
    struct gz_params params = gz_postgres_lease(copying->postgres, copying->scene, copying->epoch);
    gz_params_number(&params, copying->n);
    return params;
}

/* ---- writing one ---- */

/* Fills the buffer, unless the file ends before. */
static ssize_t read_part(int file, uint64_t at, uint8_t *bytes)
{
    size_t got = 0;
    while (got < GZ_CLUSTER_PART_BYTES) {
        ssize_t read = pread(file, bytes + got, GZ_CLUSTER_PART_BYTES - got, (off_t)(at + got));
        if (read < 0 && errno != EINTR) return -1;
        if (read == 0) break;
        if (read > 0) got += (size_t)read;
    }
    return (ssize_t)got;
}

static enum gz_status write_part(const struct copying *copying, uint64_t part, const uint8_t *bytes,
                                 size_t size, struct gz_error *error)
{
    struct gz_params params = lease_of(copying);
    uint64_t rows;
    gz_params_number(&params, part);
    gz_params_bytes(&params, bytes, size);
    enum gz_status status = gz_link_change(copying->link, SQL(COPY_PART), &params, &rows, error);
    if (status != GZ_OK || rows == 1) return status;
    return gz_postgres_fenced(copying->scene, error);
}

static enum gz_status write_parts(struct copying *copying, struct gz_error *error)
{
    uint8_t *bytes = malloc(GZ_CLUSTER_PART_BYTES);
    enum gz_status status =
        bytes != NULL ? GZ_OK : gz_fail(error, GZ_NO_MEMORY, "no memory for a part of a copy");
    while (status == GZ_OK) {
        ssize_t size = read_part(copying->file, copying->bytes, bytes);
        if (size < 0) status = fail_file("read", error);
        if (size <= 0) break;
        status = write_part(copying, copying->parts++, bytes, (size_t)size, error);
        copying->bytes += (uint64_t)size;
    }
    free(bytes);
    return status;
}

static enum gz_status drop_copies(const struct copying *copying, struct gz_error *error)
{
    struct gz_params params = {0};
    uint64_t rows;
    gz_params_number(&params, copying->life);
    gz_params_number(&params, copying->epoch);
    return gz_link_change(copying->link, SQL(DROP_COPIES), &params, &rows, error);
}

static enum gz_status drop_changes(const struct copying *copying, struct gz_error *error)
{
    struct gz_params params = {0};
    uint64_t rows;
    gz_params_number(&params, copying->life);
    gz_params_number(&params, copying->n);
    return gz_link_change(copying->link, SQL(DROP_CHANGES), &params, &rows, error);
}

/* Puts the copy into use, and deletes the earlier copy and changes. */
static enum gz_status end_copy(const struct copying *copying, struct gz_error *error)
{
    struct gz_params params = lease_of(copying);
    uint64_t rows = 0;
    gz_params_number(&params, (uint64_t)copying->version);
    gz_params_number(&params, copying->bytes);
    gz_params_number(&params, copying->parts);
    gz_params_number(&params, copying->life);
    enum gz_status status = gz_link_begin(copying->link, error);
    if (status != GZ_OK) return status;
    status = gz_link_change(copying->link, SQL(COPY_END), &params, &rows, error);
    if (status == GZ_OK && rows == 0) status = gz_postgres_fenced(copying->scene, error);
    if (status == GZ_OK) status = drop_copies(copying, error);
    if (status == GZ_OK) status = drop_changes(copying, error);
    return gz_link_end(copying->link, status, error);
}

/* *is_done: this copy is in use already, and the answer was lost. */
static enum gz_status check_place(struct copying *copying, bool *is_done, struct gz_error *error)
{
    struct gz_postgres_scene found;
    enum gz_status status = gz_postgres_find_live(copying->link, copying->scene, &found, error);
    if (status != GZ_OK) return status;
    const struct gz_cluster_scene *scene = &found.scene;
    copying->life = found.life;
    *is_done = scene->has_copy && scene->copy_n == copying->n && found.copy_epoch == copying->epoch;
    if (scene->epoch != copying->epoch || strcmp(scene->member, copying->postgres->me) != 0)
        return gz_postgres_fenced(copying->scene, error);
    if (copying->n >= scene->first_n && copying->n <= scene->n &&
        !(scene->has_copy && copying->n < scene->copy_n))
        return GZ_OK;
    return gz_fail(error, GZ_BAD_STATE, "scene %s: a copy at place %llu, and the log is at %llu",
                   copying->scene, (unsigned long long)copying->n, (unsigned long long)scene->n);
}

static enum gz_status copy_file(struct copying *copying, struct gz_error *error)
{
    bool is_done;
    enum gz_status status = check_place(copying, &is_done, error);
    if (status != GZ_OK || is_done) return status;
    status = drop_copies(copying, error);
    if (status == GZ_OK) status = write_parts(copying, error);
    return status == GZ_OK ? end_copy(copying, error) : status;
}

enum gz_status gz_postgres_copy(void *context, const char *scene, uint64_t epoch, uint64_t n,
                                int version, int file, struct gz_error *error)
{
    struct gz_postgres *postgres = context;
    struct copying copying = {.postgres = postgres,
                              .scene = scene,
                              .epoch = epoch,
                              .n = n,
                              .version = version,
                              .file = file};
    enum gz_status status = gz_pool_borrow(&postgres->pool, false, &copying.link, error);
    if (status != GZ_OK) return status;
    status = copy_file(&copying, error);
    gz_pool_give_back(&postgres->pool, copying.link);
    return status;
}

/* ---- reading it ---- */

enum { PART, BYTES };

struct receiving {
    int file;
    uint64_t part, bytes;
};

static enum gz_status write_all(int file, const char *bytes, size_t size, struct gz_error *error)
{
    while (size > 0) {
        ssize_t written = write(file, bytes, size);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return fail_file("written", error);
        bytes += written;
        size -= (size_t)written;
    }
    return GZ_OK;
}

static enum gz_status handle_part(void *context, const PGresult *row, struct gz_error *error)
{
    struct receiving *receiving = context;
    size_t size = (size_t)PQgetlength(row, 0, BYTES);
    if (gz_column_number(row, 0, PART) != receiving->part++)
        return gz_fail(error, GZ_CONFLICT, "a part of the copy is missing: ask again");
    receiving->bytes += size;
    return write_all(receiving->file, PQgetvalue(row, 0, BYTES), size, error);
}

static enum gz_status receive(PGconn *link, const struct gz_postgres_scene *found, int file,
                              struct gz_error *error)
{
    const struct gz_cluster_scene *scene = &found->scene;
    struct receiving receiving = {.file = file};
    struct gz_params params = {0};
    gz_params_number(&params, found->life);
    gz_params_number(&params, scene->copy_n);
    gz_params_number(&params, found->copy_epoch);
    enum gz_status status =
        gz_link_stream(link, SQL(COPY), &params, handle_part, &receiving, error);
    if (status != GZ_OK || receiving.bytes == scene->copy_bytes) return status;
    return gz_fail(error, GZ_CONFLICT,
                   "scene %s: a newer copy took the place of this one: ask again", scene->name);
}

enum gz_status gz_postgres_read_copy(void *context, const char *scene, int file,
                                     struct gz_cluster_scene *found, struct gz_error *error)
{
    struct gz_postgres *postgres = context;
    struct gz_postgres_scene row;
    PGconn *link;
    enum gz_status status = gz_pool_borrow(&postgres->pool, false, &link, error);
    if (status != GZ_OK) return status;
    status = gz_postgres_find_live(link, scene, &row, error);
    if (status == GZ_OK && !row.scene.has_copy)
        status = gz_fail(error, GZ_BAD_STATE, "scene %s: there is no copy yet", scene);
    if (status == GZ_OK) status = receive(link, &row, file, error);
    if (status == GZ_OK) *found = row.scene;
    gz_pool_give_back(&postgres->pool, link);
    return status;
}

/* ---- postgres log ---- */

/* The changes of a scene in PostgreSQL: adds one behind the fence, and reads them in order. */

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

enum { N, POSTGRES_LOG_PART, EPOCH, VERSION, SIZE, POSTGRES_LOG_BYTES };

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
    uint64_t n = gz_column_number(row, 0, N), part = gz_column_number(row, 0, POSTGRES_LOG_PART);
    size_t size = (size_t)PQgetlength(row, 0, POSTGRES_LOG_BYTES);
    enum gz_status status = part == 0 ? begin_change(reading, row, error) : GZ_OK;
    if (status != GZ_OK) return status;
    if (n != reading->change.n || part != reading->part ||
        size > reading->change.size - reading->got)
        return fail_gap(reading->scene, reading->n, error);
    if (size > 0)
        memcpy(reading->bytes + reading->got, PQgetvalue(row, 0, POSTGRES_LOG_BYTES), size);
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
