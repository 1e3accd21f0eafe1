/* Puts copies of scenes' files into the log, so that older changes can be deleted. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cluster/internal.h"
#include "store/store.h"

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

static bool is_due(const struct gz_claim *claim)
{
    uint64_t least = claim->copy_bytes > CHANGES_BYTES_MIN ? claim->copy_bytes : CHANGES_BYTES_MIN;
    return claim->is_opened && claim->state == GZ_CLAIM_HELD && claim->bytes_since_copy > least;
}

/* Finds the first claim with a copy due. */
static bool take_order(struct gz_cluster *cluster, struct order *order)
{
    pthread_mutex_lock(&cluster->mutex);
    const struct gz_claim *claim = cluster->claims;
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
    struct gz_claim *claim = cluster->claims;
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
