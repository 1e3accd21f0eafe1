/* shipping.c - a scene's changes and copies on their way into its log. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cluster/member.h"
#include "server/maxima.h"
#include "store/store.h"

/* ---- copying ---- */

/* Puts copies of scenes' files into the log, so that older changes can be deleted. */

/* Fewer bytes of changes cause no copy, however small the file is. */
#define CHANGES_BYTES_MIN ((uint64_t)4 * 1024 * 1024)

static enum gz_status put_file(struct gz_cluster *cluster, const char *name, uint64_t epoch,
                               const char *from, const struct gz_place *place,
                               struct gz_error *error)
{
    int file = open(from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0)
        return gz_fail(error, GZ_STORAGE, "cannot open the copy for the log: %s", strerror(errno));
    enum gz_status status = cluster->log->copy(cluster->log->context, name, epoch, place->n,
                                               place->version, file, error);
    close(file);
    return status;
}

enum gz_status gz_put_copy(struct gz_cluster *cluster, const char *name, uint64_t epoch,
                           const char *from, struct gz_error *error)
{
    struct gz_place place;
    enum gz_status status = gz_store_place(from, &place, error);
    return status == GZ_OK ? put_file(cluster, name, epoch, from, &place, error) : status;
}

/* What a copy needs of its claim, which may be closed meanwhile; the fence then refuses the
 * copy. */
struct order {
    char name[GZ_SCENE_NAME_BYTES_MAX + 1];
    char *path;
    uint64_t epoch, changes_bytes;
};

static bool is_due(const struct gz_scene_lease *claim)
{
    uint64_t least = claim->copy_bytes > CHANGES_BYTES_MIN ? claim->copy_bytes : CHANGES_BYTES_MIN;
    return claim->is_opened && claim->state == GZ_SCENE_LEASE_HELD &&
           claim->bytes_since_copy > least;
}

/* Finds the first claim with a copy due. */
static bool take_order(struct gz_cluster *cluster, struct order *order)
{
    pthread_mutex_lock(&cluster->mutex);
    const struct gz_scene_lease *claim = cluster->claims;
    while (claim != NULL && !is_due(claim)) claim = claim->next;
    if (claim != NULL) {
        memcpy(order->name, claim->name, sizeof order->name);
        order->path = strdup(claim->request.path);
        order->epoch = claim->epoch;
        order->changes_bytes = claim->bytes_since_copy;
    }
    pthread_mutex_unlock(&cluster->mutex);
    return claim != NULL && order->path != NULL;
}

/* A failed copy is due again after as many bytes more. */
static void fulfil(struct gz_cluster *cluster, const struct order *order, uint64_t copy_bytes)
{
    pthread_mutex_lock(&cluster->mutex);
    struct gz_scene_lease *claim = cluster->claims;
    while (claim != NULL && (claim->epoch != order->epoch || strcmp(claim->name, order->name) != 0))
        claim = claim->next;
    if (claim != NULL) {
        claim->bytes_since_copy -= order->changes_bytes;
        if (copy_bytes > 0) claim->copy_bytes = copy_bytes;
    }
    pthread_mutex_unlock(&cluster->mutex);
}

/* A path of its own, because the claim may end meanwhile and the next one may receive a copy
 * (gz_cluster_copy_path). No scene's name has a dot. */
static char *path_of(const struct gz_cluster *cluster, const struct order *order)
{
    char *path;
    return asprintf(&path, "%s/" GZ_COPY_PREFIX "%s.%llu.db", cluster->folder, order->name,
                    (unsigned long long)order->epoch) >= 0
               ? path
               : NULL;
}

static void make(struct gz_cluster *cluster, const struct order *order, const char *copy)
{
    struct gz_error error;
    unlink(copy);
    enum gz_status status = gz_store_backup(order->path, copy, &error);
    if (status == GZ_OK) status = gz_put_copy(cluster, order->name, order->epoch, copy, &error);
    fulfil(cluster, order, status == GZ_OK ? gz_store_bytes(copy) : 0);
    unlink(copy);
    if (status == GZ_OK)
        gz_log(cluster->messages, GZ_INFO, 0, "%s: copied to the log of the cluster", order->name);
    else if (status != GZ_BAD_STATE)
        gz_log(cluster->messages, GZ_WARN, 0, "%s: cannot copy to the log of the cluster: %s",
               order->name, error.message);
}

void gz_copy_if_due(struct gz_cluster *cluster)
{
    struct order order;
    if (!take_order(cluster, &order)) return;
    char *copy = path_of(cluster, &order);
    if (copy != NULL) make(cluster, &order, copy);
    free(copy);
    free(order.path);
}

/* ---- shipping ---- */

/* Ships changes into the log before a store commits them; repeats each until the engine has
 * answered. */

/* Seconds between two attempts to reach the engine. */
#define RETRY_SECONDS 0.25

static void begin(struct gz_scene_lease *claim)
{
    pthread_mutex_lock(&claim->cluster->mutex);
    claim->append_from_s = gz_cluster_now();
    pthread_mutex_unlock(&claim->cluster->mutex);
}

static void count(struct gz_scene_lease *claim, const struct gz_cluster_change *change)
{
    struct gz_cluster_stats *stats = &claim->cluster->stats;
    claim->bytes_since_copy += change->size;
    stats->appends++;
    stats->append_bytes += change->size;
    stats->last_append_s = gz_cluster_now() - claim->append_from_s;
    stats->append_s += stats->last_append_s;
}

static void lose(struct gz_scene_lease *claim)
{
    if (claim->state != GZ_SCENE_LEASE_LOST) claim->cluster->stats.fenced++;
    claim->state = GZ_SCENE_LEASE_LOST;
}

/* Ends an append. A change with an unknown result may come into the log later, so that no other may
 * take its number. */
static enum gz_status end(struct gz_scene_lease *claim, const struct gz_cluster_change *change,
                          enum gz_status status, struct gz_error *error)
{
    pthread_mutex_lock(&claim->cluster->mutex);
    if (status == GZ_OK) {
        count(claim, change);
    } else if (status == GZ_BAD_STATE) {
        lose(claim);
    } else {
        claim->is_unsure = true;
        if (error != NULL) error->status = GZ_INTERNAL;
        status = GZ_INTERNAL;
    }
    claim->append_from_s = 0;
    pthread_mutex_unlock(&claim->cluster->mutex);
    return status;
}

/* Whether to wait for the engine: the opening of a scene does not, because it occupies a worker. */
static bool may_wait(struct gz_scene_lease *claim)
{
    struct gz_cluster *cluster = claim->cluster;
    pthread_mutex_lock(&cluster->mutex);
    bool may = claim->is_opened && !cluster->is_ending && claim->state < GZ_SCENE_LEASE_OVER;
    if (may) gz_cluster_wait(cluster, RETRY_SECONDS);
    may = may && !cluster->is_ending && claim->state < GZ_SCENE_LEASE_OVER;
    pthread_mutex_unlock(&cluster->mutex);
    return may;
}

static enum gz_status ask(struct gz_scene_lease *claim, const struct gz_cluster_change *change,
                          struct gz_error *error)
{
    const struct gz_cluster_log *log = claim->cluster->log;
    enum gz_status status = log->append(log->context, claim->name, change, error);
    gz_cluster_heard_commit(claim->cluster, status, error);
    return status;
}

static bool is_unsure(struct gz_scene_lease *claim)
{
    pthread_mutex_lock(&claim->cluster->mutex);
    bool is = claim->is_unsure;
    pthread_mutex_unlock(&claim->cluster->mutex);
    return is;
}

/* The schema version of the file, which the store has made before the first change. */
static int version_of(struct gz_scene_lease *claim)
{
    struct gz_place place;
    if (claim->version == 0 && gz_store_place(claim->request.path, &place, NULL) == GZ_OK)
        claim->version = place.version;
    return claim->version;
}

enum gz_status gz_scene_lease_append(void *context, uint64_t n, const uint8_t *bytes, size_t size,
                                     struct gz_error *error)
{
    struct gz_scene_lease *claim = context;
    struct gz_error own;
    const struct gz_cluster_change change = {
        .n = n, .epoch = claim->epoch, .version = version_of(claim), .bytes = bytes, .size = size};
    if (error == NULL) error = &own;
    if (size > GZ_CHANGE_BYTES_MAX)
        return gz_fail(error, GZ_TOO_LARGE,
                       "a change has %zu MiB; the log of the cluster accepts at most %zu MiB",
                       size >> 20, (size_t)GZ_CHANGE_BYTES_MAX >> 20);
    if (is_unsure(claim))
        return gz_fail(error, GZ_BAD_STATE, "%s: the log of the cluster did not answer",
                       claim->name);
    begin(claim);
    enum gz_status status = ask(claim, &change, error);
    while (status != GZ_OK && status != GZ_BAD_STATE && may_wait(claim))
        status = ask(claim, &change, error);
    return end(claim, &change, status, error);
}
