/* Ships changes into the log before a store commits them; repeats each until the engine has
 * answered. */
#include <string.h>

#include "cluster/internal.h"
#include "server/maxima.h"

/* Seconds between two attempts to reach the engine. */
#define RETRY_SECONDS 0.25

static void begin(struct gz_claim *claim)
{
    pthread_mutex_lock(&claim->cluster->mutex);
    claim->append_from_s = gz_cluster_now();
    pthread_mutex_unlock(&claim->cluster->mutex);
}

static void count(struct gz_claim *claim, const struct gz_cluster_change *change)
{
    struct gz_cluster_stats *stats = &claim->cluster->stats;
    claim->bytes_since_copy += change->size;
    stats->appends++;
    stats->append_bytes += change->size;
    stats->last_append_s = gz_cluster_now() - claim->append_from_s;
    stats->append_s += stats->last_append_s;
}

static void lose(struct gz_claim *claim)
{
    if (claim->state != GZ_CLAIM_LOST) claim->cluster->stats.fenced++;
    claim->state = GZ_CLAIM_LOST;
}

/* Ends an append. A change with an unknown result may come into the log later, so that no other may
 * take its number. */
static enum gz_status end(struct gz_claim *claim, const struct gz_cluster_change *change,
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
static bool may_wait(struct gz_claim *claim)
{
    struct gz_cluster *cluster = claim->cluster;
    pthread_mutex_lock(&cluster->mutex);
    bool may = claim->is_opened && !cluster->is_ending && claim->state < GZ_CLAIM_OVER;
    if (may) gz_cluster_wait(cluster, RETRY_SECONDS);
    may = may && !cluster->is_ending && claim->state < GZ_CLAIM_OVER;
    pthread_mutex_unlock(&cluster->mutex);
    return may;
}

static enum gz_status ask(struct gz_claim *claim, const struct gz_cluster_change *change,
                          struct gz_error *error)
{
    const struct gz_cluster_log *log = claim->cluster->log;
    enum gz_status status = log->append(log->context, claim->name, change, error);
    gz_cluster_heard_commit(claim->cluster, status, error);
    return status;
}

static bool is_unsure(struct gz_claim *claim)
{
    pthread_mutex_lock(&claim->cluster->mutex);
    bool is = claim->is_unsure;
    pthread_mutex_unlock(&claim->cluster->mutex);
    return is;
}

/* The schema version of the file, which the store has made before the first change. */
static int version_of(struct gz_claim *claim)
{
    struct gz_place place;
    if (claim->version == 0 && gz_store_place(claim->request.path, &place, NULL) == GZ_OK)
        claim->version = place.version;
    return claim->version;
}

enum gz_status gz_claim_append(void *context, uint64_t n, const uint8_t *bytes, size_t size,
                               struct gz_error *error)
{
    struct gz_claim *claim = context;
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
