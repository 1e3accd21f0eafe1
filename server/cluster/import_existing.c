/* Adopts files that were in the data folder before its daemon was in a cluster. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/member.h"
#include "proto/base/buffer.h"

/* Seconds until a failed adoption is tried again, doubled each time: a try may cost a copy of the
 * file, and faults of a file or a disk rarely go away. */
#define AGAIN_SECONDS 5
#define AGAIN_SECONDS_MAX 300

/* The name of the scene of a file NAME.db. */
static bool read_name(const char *file, char name[GZ_SCENE_NAME_BYTES_MAX + 1])
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";
    size_t size = strspn(file, letters);
    if (size == 0 || size > GZ_SCENE_NAME_BYTES_MAX || strcmp(file + size, ".db") != 0)
        return false;
    snprintf(name, GZ_SCENE_NAME_BYTES_MAX + 1, "%.*s", (int)size, file);
    return true;
}

/* Whether the file was never in a log. One that was waits for a request, because it may come from
 * another log. */
static bool was_alone(const char *path)
{
    struct gz_place place;
    return gz_store_place(path, &place, NULL) == GZ_OK && place.n == 0;
}

/* The entry of a file that failed before; else NULL. */
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

/* Logs the first failure. If the engine is in trouble, the failure is not the file's. */
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

/* Opens and closes the scene, which puts it into the log. False: try again later. */
static bool open_once(struct gz_cluster *cluster, const char *name, const char *path)
{
    struct gz_scene_lease *claim;
    struct gz_error error;
    char url[GZ_MEMBER_URL_BYTES_MAX + 1];
    const struct gz_scene_lease_request request = {.name = name, .path = path, .at_once = true};
    enum gz_status status = gz_cluster_open(cluster, &request, &claim, url, &error);
    if (status != GZ_OK) handle_failure(cluster, name, &error);
    gz_cluster_close(claim);
    return status != GZ_BAD_STATE && status != GZ_STORAGE;
}

/* Whether a claim is opening the scene just now, which reports its own errors. */
static bool is_busy(struct gz_cluster *cluster, const char *name)
{
    pthread_mutex_lock(&cluster->mutex);
    bool is_claimed = gz_cluster_find(cluster, name) != NULL;
    pthread_mutex_unlock(&cluster->mutex);
    return is_claimed;
}

/* False: try again later. */
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

void gz_import_existing(struct gz_cluster *cluster)
{
    if (cluster->adopt_s > gz_cluster_now()) return;
    cluster->adopt_s = adopt_all(cluster) ? INFINITY : gz_cluster_now() + AGAIN_SECONDS;
}
