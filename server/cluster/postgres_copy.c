/* Copies of whole files in PostgreSQL. The parts of a new copy are added one by one, and are not
 * used until the last one exists: then the copy replaces the earlier one. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cluster/postgres_internal.h"

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
