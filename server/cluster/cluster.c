/* A member of a cluster: enters it, renews its leases, and follows. */
#include "cluster/cluster.h"

#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cluster/member.h"
#include "server/maxima.h"

/* Seconds between passes of the follower. */
#define FOLLOW_SECONDS 0.5

/* ---- the renewing thread ---- */

static enum gz_status enter(struct gz_cluster *cluster, struct gz_error *error)
{
    struct gz_member me = *cluster->me;
    if (cluster->rules.sign != NULL)
        cluster->rules.sign(cluster->rules.context, me.name, me.url, me.signature);
    me.health = cluster->health;
    enum gz_status status = cluster->log->enter(cluster->log->context, &me, error);
    if (status == GZ_OK) status = gz_members_renew(cluster, error);
    gz_cluster_heard_commit(cluster, status, error);
    pthread_mutex_lock(&cluster->mutex);
    cluster->is_entered = status == GZ_OK;
    cluster->has_reported = false;
    pthread_mutex_unlock(&cluster->mutex);
    gz_members_say_trouble(cluster);
    return status;
}

/* Another process has taken this member's name, and with it its leases: ends the claims. */
static void handle_replaced(struct gz_cluster *cluster)
{
    gz_log(cluster->messages, GZ_ERROR, 0, "cluster: " GZ_REPLACED_WORDS, cluster->me->name);
    pthread_mutex_lock(&cluster->mutex);
    cluster->is_replaced = true;
    pthread_mutex_unlock(&cluster->mutex);
}

void gz_cluster_renew(struct gz_cluster *cluster)
{
    struct gz_error error;
    if (cluster->is_replaced) return;
    if (!cluster->is_entered) {
        (void)enter(cluster, &error);
        return;
    }
    enum gz_status status = gz_members_renew(cluster, &error);
    gz_cluster_heard_commit(cluster, status, &error);
    gz_members_say_trouble(cluster);
    if (status == GZ_BAD_STATE) handle_replaced(cluster);
}

/* Waits; false when it is time to end. */
static bool rest(struct gz_cluster *cluster, double seconds)
{
    const double until_s = gz_cluster_now() + seconds;
    double left_s = seconds;
    pthread_mutex_lock(&cluster->mutex);
    while (!cluster->is_closing && (left_s = until_s - gz_cluster_now()) > 0)
        gz_cluster_wait(cluster, left_s);
    bool goes_on = !cluster->is_closing;
    pthread_mutex_unlock(&cluster->mutex);
    return goes_on;
}

static void *handle_renewer(void *context)
{
    struct gz_cluster *cluster = context;
    while (rest(cluster, GZ_CLUSTER_RENEW_SECONDS)) gz_cluster_renew(cluster);
    return NULL;
}

/* A member that was replaced, or ends, leaves its files alone, because another process may use
 * them. */
bool gz_cluster_follow(struct gz_cluster *cluster)
{
    struct gz_error error;
    cluster->is_left = false;
    if (gz_cluster_check_entered(cluster, &error) != GZ_OK)
        gz_follow_nothing(cluster);
    else if (gz_follow(cluster))
        gz_import_existing(cluster);
    return cluster->is_left;
}

static void *handle_follower(void *context)
{
    struct gz_cluster *cluster = context;
    while (rest(cluster, gz_cluster_follow(cluster) ? 0 : FOLLOW_SECONDS)) continue;
    return NULL;
}

/* ---- from the beginning to the end ---- */

/* Deletes what a crash left of copies, with SQLite's files beside them. */
static void tidy(const struct gz_cluster *cluster)
{
    DIR *folder = opendir(cluster->folder);
    if (folder == NULL) return;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (strncmp(entry->d_name, GZ_COPY_PREFIX, strlen(GZ_COPY_PREFIX)) == 0)
            unlinkat(dirfd(folder), entry->d_name, 0);
    }
    closedir(folder);
}

static void init_waiting(struct gz_cluster *cluster)
{
    pthread_condattr_t attributes;
    pthread_mutex_init(&cluster->mutex, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&cluster->change, &attributes);
    pthread_condattr_destroy(&attributes);
}

/* Starts the threads with signals blocked, which are for the creating thread. */
static void make_threads(struct gz_cluster *cluster)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    cluster->has_renewer = pthread_create(&cluster->renewer, NULL, handle_renewer, cluster) == 0;
    cluster->has_follower = pthread_create(&cluster->follower, NULL, handle_follower, cluster) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static enum gz_status start(struct gz_cluster *cluster, struct gz_error *error)
{
    enum gz_status status = enter(cluster, error);
    if (status != GZ_OK && status != GZ_STORAGE) return status;
    make_threads(cluster);
    if (cluster->has_renewer && cluster->has_follower) return GZ_OK;
    return gz_fail(error, GZ_INTERNAL, "the threads of the cluster could not be started");
}

struct gz_cluster *gz_cluster_prepare(const struct gz_cluster_options *options)
{
    struct gz_cluster *cluster = calloc(1, sizeof *cluster);
    if (cluster == NULL) return NULL;
    cluster->log = options->log;
    cluster->messages = options->messages;
    cluster->me = options->me;
    cluster->folder = options->folder;
    cluster->turn_changes = GZ_CLUSTER_TURN_CHANGES;
    cluster->rules = options->rules;
    cluster->answered_s = cluster->renewed_s = gz_cluster_now();
    cluster->asked_s = -INFINITY;
    init_waiting(cluster);
    tidy(cluster);
    return cluster;
}

enum gz_status gz_cluster_create(struct gz_cluster **out, const struct gz_cluster_options *options,
                                 struct gz_error *error)
{
    *out = gz_cluster_prepare(options);
    if (*out == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory");
    enum gz_status status = start(*out, error);
    if (status == GZ_OK) return GZ_OK;
    gz_cluster_destroy(*out);
    *out = NULL;
    return status;
}

void gz_cluster_end(struct gz_cluster *cluster)
{
    pthread_mutex_lock(&cluster->mutex);
    cluster->is_ending = true;
    pthread_cond_broadcast(&cluster->change);
    pthread_mutex_unlock(&cluster->mutex);
}

static void leave(struct gz_cluster *cluster)
{
    struct gz_error error;
    if (cluster->is_entered && cluster->trouble.status == GZ_OK)
        (void)cluster->log->leave(cluster->log->context, &error);
}

void gz_cluster_destroy(struct gz_cluster *cluster)
{
    if (cluster == NULL) return;
    pthread_mutex_lock(&cluster->mutex);
    cluster->is_ending = cluster->is_closing = true;
    pthread_cond_broadcast(&cluster->change);
    pthread_mutex_unlock(&cluster->mutex);
    if (cluster->has_renewer) pthread_join(cluster->renewer, NULL);
    if (cluster->has_follower) pthread_join(cluster->follower, NULL);
    gz_file_cache_finish(cluster);
    leave(cluster);
    pthread_cond_destroy(&cluster->change);
    pthread_mutex_destroy(&cluster->mutex);
    free(cluster->peers);
    free(cluster->files);
    free(cluster->adoptions);
    free(cluster);
}
