/* What stood in the data folder before its daemon was in a cluster becomes a part of the cluster.
 */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/internal.h"
#include "proto/base/buffer.h"

/* Seconds until what failed is tried again; each try may cost a copy of the file, and what is wrong
 * with a file or a disk stays so: then it is twice as long each time. */
#define AGAIN_SECONDS 5
#define AGAIN_SECONDS_MAX 300

/* The name of the scene in a file NAME.db. */
static bool read_name(const char *file, char name[GZ_SCENE_NAME_BYTES_MAX + 1])
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";
    size_t size = strspn(file, letters);
    if (size == 0 || size > GZ_SCENE_NAME_BYTES_MAX || strcmp(file + size, ".db") != 0)
        return false;
    snprintf(name, GZ_SCENE_NAME_BYTES_MAX + 1, "%.*s", (int)size, file);
    return true;
}

/* One that was in a log before waits until somebody asks for it: it may come from a log that is not
 * this one. */
static bool was_alone(const char *path)
{
    struct gz_place place;
    return gz_store_place(path, &place, NULL) == GZ_OK && place.n == 0;
}

/* Of a file that failed before; else NULL. */
static struct gz_adoption *find_failed(const struct gz_cluster *cluster, const char *name)
{
    for (size_t i = 0; i < cluster->adoption_count; i++)
        if (strcmp(cluster->adoptions[i].name, name) == 0) return &cluster->adoptions[i];
    return NULL;
}

/* NULL without memory. */
static struct gz_adoption *add_failed(struct gz_cluster *cluster, const char *name)
{
    if (!gz_grow(&cluster->adoptions, &cluster->adoption_capacity, cluster->adoption_count + 1,
                 sizeof *cluster->adoptions))
        return NULL;
    struct gz_adoption *failed = &cluster->adoptions[cluster->adoption_count++];
    *failed = (struct gz_adoption){.wait_s = AGAIN_SECONDS};
    snprintf(failed->name, sizeof failed->name, "%s", name);
    return failed;
}

static bool is_in_trouble(struct gz_cluster *cluster)
{
    pthread_mutex_lock(&cluster->mutex);
    bool is_trouble = cluster->trouble.status != GZ_OK;
    pthread_mutex_unlock(&cluster->mutex);
    return is_trouble;
}

/* It is logged the first time. An engine in trouble says nothing about the file. */
static void handle_failure(struct gz_cluster *cluster, const char *name,
                           const struct gz_error *error)
{
    struct gz_adoption *failed = find_failed(cluster, name);
    if (failed == NULL) {
        gz_log(cluster->messages, GZ_WARN, 0, "%s: not in the cluster: %s", name, error->message);
        failed = add_failed(cluster, name);
    } else {
        failed->wait_s =
            is_in_trouble(cluster) ? AGAIN_SECONDS : fmin(2 * failed->wait_s, AGAIN_SECONDS_MAX);
    }
    if (failed != NULL) failed->retry_s = gz_cluster_now() + failed->wait_s;
}

/* Opened and closed, it has a log. False: it is to be tried again. */
static bool open_once(struct gz_cluster *cluster, const char *name, const char *path)
{
    struct gz_claim *claim;
    struct gz_error error;
    char url[GZ_MEMBER_URL_BYTES_MAX + 1];
    const struct gz_claim_request request = {.name = name, .path = path, .at_once = true};
    enum gz_status status = gz_cluster_open(cluster, &request, &claim, url, &error);
    if (status != GZ_OK) handle_failure(cluster, name, &error);
    gz_cluster_close(claim);
    return status != GZ_BAD_STATE && status != GZ_STORAGE;
}

/* Who opens it just now says for himself why that fails. */
static bool is_busy(struct gz_cluster *cluster, const char *name)
{
    pthread_mutex_lock(&cluster->mutex);
    bool is_claimed = gz_cluster_find(cluster, name) != NULL;
    pthread_mutex_unlock(&cluster->mutex);
    return is_claimed;
}

/* False: it is to be tried again. */
static bool adopt(struct gz_cluster *cluster, const char *name, const char *path)
{
    const struct gz_adoption *failed = find_failed(cluster, name);
    if (failed != NULL && gz_cluster_now() < failed->retry_s) return false;
    if (!was_alone(path)) return true;
    return !is_busy(cluster, name) && open_once(cluster, name, path);
}

static bool adopt_all(struct gz_cluster *cluster)
{
    char name[GZ_SCENE_NAME_BYTES_MAX + 1];
    bool is_done = true;
    DIR *folder = opendir(cluster->folder);
    if (folder == NULL) return false;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (!read_name(entry->d_name, name) || gz_is_followed(cluster, name)) continue;
        char *path = gz_cluster_path(cluster, name);
        if (path != NULL) is_done = adopt(cluster, name, path) && is_done;
        free(path);
    }
    closedir(folder);
    return is_done;
}

void gz_adopt(struct gz_cluster *cluster)
{
    if (cluster->adopt_s > gz_cluster_now()) return;
    cluster->adopt_s = adopt_all(cluster) ? INFINITY : gz_cluster_now() + AGAIN_SECONDS;
}
