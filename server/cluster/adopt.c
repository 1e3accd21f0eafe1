/* What stood in the data folder before its daemon was in a cluster becomes a part of the cluster.
 */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/internal.h"

/* Seconds until what failed is tried again. */
#define AGAIN_SECONDS 5

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

/* Opened and closed, it has a log. False: it is to be tried again, as somebody opens it just now,
 * or the log does not answer. That is logged the first time; who opens it says for himself why that
 * fails. */
static bool adopt(struct gz_cluster *cluster, const char *name, const char *path)
{
    struct gz_claim *claim;
    struct gz_error error;
    char url[GZ_MEMBER_URL_BYTES_MAX + 1];
    const struct gz_claim_request request = {.name = name, .path = path, .at_once = true};
    enum gz_status status = gz_cluster_open(cluster, &request, &claim, url, &error);
    if (status != GZ_OK && status != GZ_BAD_STATE && cluster->adopt_s == 0)
        gz_log(cluster->messages, GZ_WARN, 0, "%s: not in the cluster: %s", name, error.message);
    gz_cluster_close(claim);
    return status != GZ_BAD_STATE && status != GZ_STORAGE;
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
        if (path != NULL && was_alone(path)) is_done = adopt(cluster, name, path) && is_done;
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
