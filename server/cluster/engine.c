/* engine.c - what a member hears from its log, and names of scenes. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cluster/log.h"
#include "cluster/member.h"

/* ---- sessions by user ---- */

/* Checks the names and addresses of members. */

bool gz_member_name_valid(const char *name)
{
    size_t size = strlen(name);
    static const char taken[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
    return size > 0 && size <= GZ_MEMBER_BYTES_MAX && strspn(name, taken) == size;
}

/* Visible ASCII: scheme, host, and perhaps a path below which the daemon is served. */
bool gz_member_url_valid(const char *url)
{
    size_t size = strlen(url);
    size_t scheme = strncmp(url, "http://", 7) == 0 ? 7 : strncmp(url, "https://", 8) == 0 ? 8 : 0;
    if (scheme == 0 || size > GZ_MEMBER_URL_BYTES_MAX) return false;
    for (size_t i = 0; i < size; i++) {
        if (!isgraph((unsigned char)url[i])) return false;
    }
    return strcspn(url + scheme, "/") > 0 && strcspn(url + scheme, "@?#") == size - scheme;
}

/* ---- engine ---- */

/* Common functions: clocks, paths, waiting, and the state of the engine. */

/* Seconds without an answer of the engine after which the member is unhealthy. */
#define SILENCE_SECONDS_MAX 3
/* Seconds until the same trouble is logged again. */
#define SAID_SECONDS 60

/* ---- helpers ---- */

static double read_clock(clockid_t which)
{
    struct timespec now;
    clock_gettime(which, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double gz_cluster_now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

double gz_cluster_time(void)
{
    return read_clock(CLOCK_REALTIME);
}

static char *path_of(const struct gz_cluster *cluster, const char *prefix, const char *name)
{
    char *path;
    return asprintf(&path, "%s/%s%s.db", cluster->folder, prefix, name) >= 0 ? path : NULL;
}

char *gz_cluster_path(const struct gz_cluster *cluster, const char *name)
{
    return path_of(cluster, "", name);
}

char *gz_cluster_copy_path(const struct gz_cluster *cluster, const char *name)
{
    return path_of(cluster, GZ_COPY_PREFIX, name);
}

void gz_cluster_wait(struct gz_cluster *cluster, double seconds)
{
    double until_s = gz_cluster_now() + seconds;
    struct timespec until = {.tv_sec = (time_t)until_s};
    until.tv_nsec = (long)((until_s - (double)until.tv_sec) * 1e9);
    (void)pthread_cond_timedwait(&cluster->change, &cluster->mutex, &until);
}

/* ---- the state of the engine ---- */

/* Whether the status means trouble; the engine's refusals are answers, too. */
static bool is_trouble(enum gz_status status)
{
    return status == GZ_STORAGE || status == GZ_VERSION;
}

/* Whether to log it: the same text once a minute. */
static bool is_to_be_said(struct gz_cluster *cluster, const char *words)
{
    const double now_s = gz_cluster_now();
    if (strcmp(cluster->said, words) == 0 && now_s - cluster->said_s < SAID_SECONDS) return false;
    snprintf(cluster->said, sizeof cluster->said, "%s", words);
    cluster->said_s = now_s;
    return true;
}

static void note_trouble(struct gz_cluster *cluster, const struct gz_error *error)
{
    pthread_mutex_lock(&cluster->mutex);
    cluster->trouble = *error;
    cluster->trouble_s = gz_cluster_now();
    bool says = is_to_be_said(cluster, error->message);
    pthread_mutex_unlock(&cluster->mutex);
    if (says) gz_log(cluster->messages, GZ_WARN, 0, "cluster: %s", error->message);
}

/* Notes an answer. Some requests may succeed while others fail: the trouble is over after some
 * seconds without a failure. */
static void note_answer(struct gz_cluster *cluster)
{
    pthread_mutex_lock(&cluster->mutex);
    const double now_s = gz_cluster_now();
    cluster->answered_s = now_s;
    bool is_over = cluster->said[0] != '\0' && now_s - cluster->trouble_s > SILENCE_SECONDS_MAX;
    if (is_over) cluster->said[0] = '\0';
    cluster->trouble.status = GZ_OK;
    pthread_mutex_unlock(&cluster->mutex);
    if (is_over) gz_log(cluster->messages, GZ_INFO, 0, "cluster: the log answers again");
}

void gz_cluster_heard(struct gz_cluster *cluster, enum gz_status status,
                      const struct gz_error *error)
{
    if (is_trouble(status)) note_trouble(cluster, error);
}

void gz_cluster_heard_commit(struct gz_cluster *cluster, enum gz_status status,
                             const struct gz_error *error)
{
    if (is_trouble(status))
        note_trouble(cluster, error);
    else
        note_answer(cluster);
}

enum gz_status gz_cluster_check_entered(struct gz_cluster *cluster, struct gz_error *error)
{
    enum gz_status status = GZ_OK;
    pthread_mutex_lock(&cluster->mutex);
    if (cluster->is_replaced)
        status = gz_fail(error, GZ_STORAGE, GZ_REPLACED_WORDS, cluster->me->name);
    else if (!cluster->is_accepted || cluster->is_over || cluster->is_ending)
        status = gz_fail(error, GZ_STORAGE, "%s",
                         cluster->is_ending ? "the server is going away"
                         : cluster->trouble.status != GZ_OK
                             ? cluster->trouble.message
                             : "this server has not joined the cluster yet; try again");
    pthread_mutex_unlock(&cluster->mutex);
    return status;
}

bool gz_cluster_is_healthy(struct gz_cluster *cluster, struct gz_error *error)
{
    pthread_mutex_lock(&cluster->mutex);
    double silence_s = gz_cluster_now() - cluster->answered_s;
    bool is_well = cluster->is_entered && silence_s < SILENCE_SECONDS_MAX;
    if (cluster->is_replaced)
        gz_fail(error, GZ_STORAGE, GZ_REPLACED_WORDS, cluster->me->name);
    else if (!is_well)
        gz_fail(error, GZ_STORAGE, "the log of the cluster has not answered for %.0f s: %s",
                silence_s,
                cluster->trouble.status != GZ_OK ? cluster->trouble.message : "no answer yet");
    is_well = is_well && !cluster->is_replaced;
    pthread_mutex_unlock(&cluster->mutex);
    return is_well;
}

struct gz_cluster_stats gz_cluster_stats(struct gz_cluster *cluster)
{
    pthread_mutex_lock(&cluster->mutex);
    struct gz_cluster_stats stats = cluster->stats;
    const double now_s = gz_cluster_now();
    for (const struct gz_scene_lease *claim = cluster->claims; claim != NULL; claim = claim->next) {
        double running_s = claim->append_from_s > 0 ? now_s - claim->append_from_s : 0;
        if (running_s > stats.last_append_s) stats.last_append_s = running_s;
    }
    stats.behind_s = gz_lag_seconds(cluster);
    stats.silence_s = now_s - cluster->answered_s;
    pthread_mutex_unlock(&cluster->mutex);
    return stats;
}
