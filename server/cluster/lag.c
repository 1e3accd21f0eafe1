/* How far the files of this member are behind the logs of their scenes. */
#include <string.h>

#include "cluster/internal.h"

void gz_lag_begin(struct gz_cluster *cluster)
{
    cluster->lag_count = 0;
    cluster->lacking[0] = '\0';
    cluster->stats.behind = cluster->stats.behind_scenes = 0;
}

static struct gz_cluster_lag *find_latest(struct gz_cluster *cluster)
{
    struct gz_cluster_lag *latest = cluster->lags;
    for (size_t i = 1; i < cluster->lag_count; i++)
        if (cluster->lags[i].seconds > latest->seconds) latest = &cluster->lags[i];
    return latest;
}

void gz_lag_add(struct gz_cluster *cluster, const struct gz_cluster_lag *lag)
{
    cluster->stats.behind += lag->changes;
    cluster->stats.behind_scenes++;
    if (cluster->lag_count < GZ_CLUSTER_LAGS_MAX) {
        cluster->lags[cluster->lag_count++] = *lag;
        return;
    }
    struct gz_cluster_lag *latest = find_latest(cluster);
    if (lag->seconds < latest->seconds) *latest = *lag;
}

/* NULL if there is none. */
static const struct gz_cluster_lag *find_first(const struct gz_cluster *cluster)
{
    const struct gz_cluster_lag *first = cluster->lag_count > 0 ? cluster->lags : NULL;
    for (size_t i = 1; i < cluster->lag_count; i++)
        if (cluster->lags[i].seconds < first->seconds) first = &cluster->lags[i];
    return first;
}

double gz_lag_seconds(const struct gz_cluster *cluster)
{
    const struct gz_cluster_lag *first = find_first(cluster);
    return first != NULL ? gz_cluster_now() - first->seconds : 0;
}

size_t gz_cluster_lags(struct gz_cluster *cluster, struct gz_cluster_lag lags[GZ_CLUSTER_LAGS_MAX])
{
    pthread_mutex_lock(&cluster->mutex);
    size_t count = cluster->lag_count;
    const double now_s = gz_cluster_now();
    for (size_t i = 0; i < count; i++) {
        lags[i] = cluster->lags[i];
        lags[i].seconds = now_s - lags[i].seconds;
    }
    pthread_mutex_unlock(&cluster->mutex);
    return count;
}

/* The report; its `seconds` is the beginning. */
static struct gz_member_lag sum_up(struct gz_cluster *cluster)
{
    pthread_mutex_lock(&cluster->mutex);
    const struct gz_cluster_lag *first = find_first(cluster);
    struct gz_member_lag sum = {.changes = cluster->stats.behind};
    memcpy(sum.lacking, cluster->lacking, sizeof sum.lacking);
    if (first != NULL) {
        sum.seconds = first->seconds;
        memcpy(sum.scene, first->scene, sizeof sum.scene);
    }
    pthread_mutex_unlock(&cluster->mutex);
    return sum;
}

static bool is_same(const struct gz_member_lag *one, const struct gz_member_lag *other)
{
    return one->changes == other->changes && one->seconds == other->seconds &&
           strcmp(one->scene, other->scene) == 0 && strcmp(one->lacking, other->lacking) == 0;
}

/* Whether it is the first report since the member entered. */
static bool begin_report(struct gz_cluster *cluster)
{
    pthread_mutex_lock(&cluster->mutex);
    const bool is_first = !cluster->has_reported;
    cluster->has_reported = true;
    pthread_mutex_unlock(&cluster->mutex);
    return is_first;
}

static void repeat_report(struct gz_cluster *cluster)
{
    pthread_mutex_lock(&cluster->mutex);
    cluster->has_reported = false;
    pthread_mutex_unlock(&cluster->mutex);
}

/* A report that fails is repeated the next time. */
void gz_lag_report(struct gz_cluster *cluster)
{
    struct gz_error error;
    const struct gz_member_lag sum = sum_up(cluster);
    struct gz_member_lag report = sum;
    if (!begin_report(cluster) && is_same(&sum, &cluster->reported)) return;
    if (sum.changes > 0) report.seconds = gz_cluster_now() - sum.seconds;
    const bool is_told = cluster->log->report(cluster->log->context, &report, &error) == GZ_OK;
    if (is_told)
        cluster->reported = sum;
    else
        repeat_report(cluster);
}
