/* Files of other members' scenes that stay open while they are followed. */
#include <stdio.h>
#include <string.h>

#include "cluster/internal.h"

/* Seconds without changes after which a file is closed, so that it is one file again, safe from a
 * crash. */
#define IDLE_SECONDS 10

/* The entry of this name; "" finds a free one. NULL for none. Under the mutex. */
static struct gz_kept_file *find(struct gz_cluster *cluster, const char *name)
{
    for (size_t i = 0; i < GZ_CLUSTER_KEPT_MAX; i++)
        if (strcmp(cluster->kept[i].name, name) == 0) return &cluster->kept[i];
    return NULL;
}

/* Takes the entry out; without an applier if there is none. */
static struct gz_kept_file take(struct gz_cluster *cluster, const char *name)
{
    struct gz_kept_file taken = {.applier = NULL};
    pthread_mutex_lock(&cluster->mutex);
    struct gz_kept_file *kept = find(cluster, name);
    if (kept != NULL) {
        taken = *kept;
        *kept = (struct gz_kept_file){.applier = NULL};
    }
    pthread_mutex_unlock(&cluster->mutex);
    return taken;
}

static void give(struct gz_cluster *cluster, const struct gz_kept_file *given)
{
    pthread_mutex_lock(&cluster->mutex);
    struct gz_kept_file *kept = find(cluster, "");
    if (kept != NULL) *kept = *given;
    pthread_mutex_unlock(&cluster->mutex);
    if (kept == NULL) gz_applier_close(given->applier);
}

struct gz_applier *gz_keep_take(struct gz_cluster *cluster, const char *name)
{
    return take(cluster, name).applier;
}

void gz_keep_give(struct gz_cluster *cluster, const char *name, struct gz_applier *applier)
{
    struct gz_kept_file given = {.applier = applier, .used_s = gz_cluster_now()};
    if (applier == NULL) return;
    snprintf(given.name, sizeof given.name, "%s", name);
    give(cluster, &given);
}

void gz_keep_name(struct gz_cluster *cluster, size_t i, char name[GZ_SCENE_NAME_BYTES_MAX + 1])
{
    pthread_mutex_lock(&cluster->mutex);
    memcpy(name, cluster->kept[i].name, GZ_SCENE_NAME_BYTES_MAX + 1);
    pthread_mutex_unlock(&cluster->mutex);
}

void gz_keep_review(struct gz_cluster *cluster, const char *name)
{
    const struct gz_kept_file kept = take(cluster, name);
    if (kept.applier == NULL) return;
    if (kept.used_s < gz_cluster_now() - IDLE_SECONDS || gz_applier_has_moved(kept.applier))
        gz_applier_close(kept.applier);
    else
        give(cluster, &kept);
}

void gz_keep_finish(struct gz_cluster *cluster)
{
    for (size_t i = 0; i < GZ_CLUSTER_KEPT_MAX; i++) {
        gz_applier_close(cluster->kept[i].applier);
        cluster->kept[i].applier = NULL;
    }
}
