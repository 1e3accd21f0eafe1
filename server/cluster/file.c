/* file.c - files of scenes that other members have: what their logs say is applied, and some stay
 * open. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cluster/member.h"
#include "server/maxima.h"
#include "store/store.h"

/* ---- keep ---- */

/* Files of other members' scenes that stay open while they are followed. */

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

struct gz_applier *gz_file_cache_take(struct gz_cluster *cluster, const char *name)
{
    return take(cluster, name).applier;
}

void gz_file_cache_give(struct gz_cluster *cluster, const char *name, struct gz_applier *applier)
{
    struct gz_kept_file given = {.applier = applier, .used_s = gz_cluster_now()};
    if (applier == NULL) return;
    snprintf(given.name, sizeof given.name, "%s", name);
    give(cluster, &given);
}

void gz_file_cache_name(struct gz_cluster *cluster, size_t i,
                        char name[GZ_SCENE_NAME_BYTES_MAX + 1])
{
    pthread_mutex_lock(&cluster->mutex);
    memcpy(name, cluster->kept[i].name, GZ_SCENE_NAME_BYTES_MAX + 1);
    pthread_mutex_unlock(&cluster->mutex);
}

void gz_file_cache_review(struct gz_cluster *cluster, const char *name)
{
    const struct gz_kept_file kept = take(cluster, name);
    if (kept.applier == NULL) return;
    if (kept.used_s < gz_cluster_now() - IDLE_SECONDS || gz_applier_has_moved(kept.applier))
        gz_applier_close(kept.applier);
    else
        give(cluster, &kept);
}

void gz_file_cache_finish(struct gz_cluster *cluster)
{
    for (size_t i = 0; i < GZ_CLUSTER_KEPT_MAX; i++) {
        gz_applier_close(cluster->kept[i].applier);
        cluster->kept[i].applier = NULL;
    }
}

/* ---- file ---- */

/* Brings the file of a scene up to the end of its log: by the newest copy if the file is older,
 * then change by change. */

/* How often a copy is read again because a newer one replaced it meanwhile. */
#define COPY_TRIES 3

bool gz_is_of_scene(const struct gz_cluster_scene *scene, const struct gz_place *place)
{
    return place->first == scene->first_n && place->n <= scene->n;
}

bool gz_is_earlier(const struct gz_cluster_scene *scene, const struct gz_place *place)
{
    return place->n > 0 && place->first != scene->first_n &&
           (place->n <= scene->n || place->n <= scene->before_n);
}

/* Counts the files that were put aside; 0 for a folder that cannot be read, where no file can be
 * put aside either. */
static size_t count_aside(const char *folder)
{
    size_t count = 0;
    DIR *directory = opendir(folder);
    for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;)
        count += strstr(entry->d_name, ".aside-") != NULL;
    if (directory != NULL) closedir(directory);
    return count;
}

enum gz_status gz_quarantine(const struct gz_cluster *cluster, const char *name, const char *path,
                             const char *why, struct gz_error *error)
{
    char *aside;
    if (count_aside(cluster->folder) >= GZ_CLUSTER_ASIDE_MAX)
        return gz_fail(error, GZ_BAD_STATE,
                       "%s: %s, and %d files are put aside in %s already; compare them, and delete "
                       "those that are not needed",
                       name, why, GZ_CLUSTER_ASIDE_MAX, cluster->folder);
    if (asprintf(&aside, "%s/%s.aside-%lld.db", cluster->folder, name, (long long)time(NULL)) < 0)
        return gz_fail(error, GZ_NO_MEMORY, "no memory");
    enum gz_status status = gz_store_rename(path, aside, error);
    if (status == GZ_OK)
        gz_log(cluster->messages, GZ_WARN, 0, "%s: %s: the file of this member is kept as %s", name,
               why, strrchr(aside, '/') + 1);
    free(aside);
    return status;
}

bool gz_was_followed(const struct gz_followed *file, const struct gz_place *place)
{
    return file->is_known && file->first_n == place->first;
}

static const char *why_not(const struct gz_cluster_scene *scene)
{
    if (!scene->is_gone) return "the cluster has another scene of this name";
    return scene->became[0] != '\0' ? "the scene was renamed in the cluster"
                                    : "the scene was deleted in the cluster";
}

enum gz_status gz_clear_file(const struct gz_cluster *cluster, const struct gz_cluster_scene *scene,
                             const struct gz_followed *file, const char *path,
                             const struct gz_place *place, struct gz_error *error)
{
    const bool has_ended = gz_is_of_scene(scene, place) || place->n <= scene->before_n;
    if (!gz_was_followed(file, place) || !has_ended)
        return gz_quarantine(cluster, scene->name, path, why_not(scene), error);
    enum gz_status status = gz_store_delete(path, error);
    if (status == GZ_OK)
        gz_log(cluster->messages, GZ_INFO, 0, "%s: deleted, as in the cluster", scene->name);
    return status;
}

/* ---- the copy ---- */

static enum gz_status receive_copy(struct gz_cluster *cluster, const char *name, int file,
                                   struct gz_cluster_scene *found, struct gz_error *error)
{
    enum gz_status status = GZ_CONFLICT;
    for (int i = 0; status == GZ_CONFLICT && i < COPY_TRIES; i++) {
        if (ftruncate(file, 0) != 0 || lseek(file, 0, SEEK_SET) != 0)
            return gz_fail(error, GZ_STORAGE, "%s: a copy of the log: %s", name, strerror(errno));
        status = cluster->log->read_copy(cluster->log->context, name, file, found, error);
    }
    if (status == GZ_OK && fsync(file) != 0)
        status = gz_fail(error, GZ_STORAGE, "%s: a copy of the log: %s", name, strerror(errno));
    return status;
}

/* Writes the log's copy to the path `copy`. */
static enum gz_status fetch(struct gz_cluster *cluster, const char *name, const char *copy,
                            struct gz_cluster_scene *found, struct gz_error *error)
{
    unlink(copy);
    int file = open(copy, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0)
        return gz_fail(error, GZ_STORAGE, "%s: a copy of the log: %s", name, strerror(errno));
    enum gz_status status = receive_copy(cluster, name, file, found, error);
    close(file);
    return status;
}

/* Replaces the file by the copy; *place is that of the file before, and of the copy after. If the
 * log was set back meanwhile, or the name belongs to another scene, puts the file aside. */
static enum gz_status install(struct gz_cluster *cluster, const char *name, const char *path,
                              const char *copy, struct gz_place *place, struct gz_error *error)
{
    struct gz_cluster_scene found = {.n = 0};
    enum gz_status status = fetch(cluster, name, copy, &found, error);
    if (status == GZ_OK && place->n > 0 && !gz_is_of_scene(&found, place) &&
        access(path, F_OK) == 0)
        status = gz_quarantine(cluster, name, path,
                               place->first == found.first_n
                                   ? "the file is ahead of the log of the cluster"
                                   : why_not(&found),
                               error);
    if (status == GZ_OK) status = gz_store_install(path, copy, error);
    if (status == GZ_OK) *place = (struct gz_place){.n = found.copy_n, .first = found.first_n};
    if (status != GZ_OK) unlink(copy);
    return status;
}

static enum gz_status begin_with_copy(struct gz_cluster *cluster, const char *name,
                                      const char *path, struct gz_place *place,
                                      struct gz_error *error)
{
    char *copy = gz_cluster_copy_path(cluster, name);
    if (copy == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory");
    enum gz_status status = install(cluster, name, path, copy, place, error);
    free(copy);
    return status;
}

/* ---- changes ---- */

struct changes {
    const char *path;
    struct gz_applier **applier; /* *applier is NULL until a change needs it */
    struct gz_place place;
    size_t most, count, bytes; /* of a turn; most: 0 for all changes */
    bool is_over;              /* the turn: there are more changes */
    bool is_failed;            /* the failure is not the engine's */
    bool is_refused;           /* the changes do not fit the file */
};

static void close_applier(struct gz_applier **applier)
{
    gz_applier_close(*applier);
    *applier = NULL;
}

static bool has_had_turn(const struct changes *changes)
{
    return changes->most != 0 &&
           (changes->count >= changes->most || changes->bytes >= GZ_CLUSTER_TURN_BYTES);
}

static enum gz_status apply(void *to, const struct gz_cluster_change *change,
                            struct gz_error *error)
{
    struct changes *changes = to;
    enum gz_status status = GZ_OK;
    changes->is_over = has_had_turn(changes);
    if (changes->is_over) return gz_fail(error, GZ_LOCKED, "other scenes have their turn");
    changes->count++;
    changes->bytes += change->size;
    if (*changes->applier == NULL) status = gz_applier_open(changes->applier, changes->path, error);
    if (status == GZ_OK && change->version > gz_applier_place(*changes->applier).version)
        status = gz_fail(error, GZ_VERSION,
                         "its authority is a newer gizmod, of schema version %d; update this one",
                         change->version);
    if (status == GZ_OK)
        status = gz_applier_add(*changes->applier, change->n, change->bytes, change->size, error);
    changes->is_failed = status != GZ_OK;
    changes->is_refused = status == GZ_CONFLICT;
    return status;
}

/* Applies what was read, also if no more could be read. */
static enum gz_status flush(struct changes *changes, enum gz_status status, struct gz_error *error)
{
    struct gz_error own;
    if (*changes->applier == NULL) return status;
    if (gz_applier_flush(*changes->applier, &own) != GZ_OK) {
        *error = own;
        status = own.status;
        changes->is_failed = true;
        changes->is_refused = status == GZ_CONFLICT;
    }
    if (gz_applier_place(*changes->applier).n > changes->place.n)
        changes->place.n = gz_applier_place(*changes->applier).n;
    return status;
}

/* After a failure the file's place is read again. */
static enum gz_status apply_changes(struct gz_cluster *cluster, const char *name,
                                    struct changes *changes, struct gz_error *error)
{
    changes->is_over = false;
    enum gz_status status =
        cluster->log->read(cluster->log->context, name, changes->place.n, apply, changes, error);
    if (changes->is_over) status = GZ_OK;
    status = flush(changes, status, error);
    if (!changes->is_failed) gz_cluster_heard(cluster, status, error);
    if (status != GZ_OK) close_applier(changes->applier);
    return status;
}

/* Makes the log's copy at the path `copy`, with all changes. */
static enum gz_status rebuild(struct gz_cluster *cluster, const char *name, const char *copy,
                              struct changes *rebuilt, struct gz_error *error)
{
    struct gz_cluster_scene found = {.n = 0};
    struct gz_applier *applier = NULL;
    *rebuilt = (struct changes){.path = copy, .applier = &applier};
    enum gz_status status = fetch(cluster, name, copy, &found, error);
    rebuilt->place = (struct gz_place){.n = found.copy_n, .first = found.first_n};
    if (status == GZ_OK) status = apply_changes(cluster, name, rebuilt, error);
    close_applier(&applier);
    rebuilt->applier = NULL;
    return status;
}

/* The changes do not fit the file: if they fit the log's copy, puts the file aside and replaces it
 * by the copy. Otherwise the log cannot be used until it has another copy. */
static enum gz_status replace_misfit(struct gz_cluster *cluster,
                                     const struct gz_cluster_scene *scene, const char *copy,
                                     struct changes *changes, struct gz_followed *file,
                                     struct gz_error *error)
{
    struct changes rebuilt;
    if (file->misfit_n == scene->copy_n) return GZ_CONFLICT;
    gz_log(cluster->messages, GZ_ERROR, 0, "%s: %s", scene->name, error->message);
    enum gz_status status = rebuild(cluster, scene->name, copy, &rebuilt, error);
    if (rebuilt.is_refused) file->misfit_n = scene->copy_n;
    if (status == GZ_OK)
        status = gz_quarantine(cluster, scene->name, changes->path,
                               "a change of the log does not fit the file", error);
    if (status == GZ_OK) status = gz_store_install(changes->path, copy, error);
    if (status == GZ_OK)
        changes->place = rebuilt.place;
    else
        (void)!gz_store_delete(copy, NULL);
    return status;
}

/* The log does not go back as far as the file, so a copy is newer. */
static enum gz_status begin_again(struct gz_cluster *cluster, const struct gz_cluster_scene *scene,
                                  struct changes *changes, struct gz_followed *file,
                                  struct gz_error *error)
{
    if (!changes->is_refused) {
        enum gz_status status =
            begin_with_copy(cluster, scene->name, changes->path, &changes->place, error);
        return status == GZ_OK ? apply_changes(cluster, scene->name, changes, error) : status;
    }
    char *copy = gz_cluster_copy_path(cluster, scene->name);
    if (copy == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory");
    enum gz_status status = replace_misfit(cluster, scene, copy, changes, file, error);
    free(copy);
    return status;
}

/* ---- both ---- */

/* Refuses a file that was never in the cluster, or that is ahead of the log: the operator has to
 * decide about it. */
static enum gz_status check_place(const struct gz_cluster *cluster,
                                  const struct gz_cluster_scene *scene,
                                  const struct gz_followed *file, const char *path,
                                  struct gz_place *place, struct gz_error *error)
{
    if (gz_is_of_scene(scene, place)) return GZ_OK;
    if (gz_is_earlier(scene, place)) {
        const struct gz_place earlier = *place;
        *place = (struct gz_place){.n = 0};
        return gz_clear_file(cluster, scene, file, path, &earlier, error);
    }
    return gz_fail(error, GZ_CONFLICT,
                   place->n == 0
                       ? "%s: the cluster has another scene of this name, and the file of this "
                         "member was never in the cluster; rename the file"
                       : "%s: the file of this member is ahead of the log of the cluster; compare "
                         "the members' files (gizmoctl check FILE --against FILE), and move it "
                         "away to continue without its extra changes",
                   scene->name);
}

/* Whether the open applier can be used: the file may have been replaced, or has to be. */
static bool is_usable(const struct gz_cluster_scene *scene, const struct gz_applier *applier)
{
    const struct gz_place place = gz_applier_place(applier);
    return !gz_applier_has_moved(applier) && gz_is_of_scene(scene, &place) &&
           place.n >= scene->copy_n;
}

static enum gz_status find_place(const struct gz_cluster *cluster,
                                 const struct gz_cluster_scene *scene,
                                 const struct gz_followed *file, const char *path,
                                 struct gz_place *place, struct gz_error *error)
{
    enum gz_status status = gz_store_place(path, place, error);
    if (status == GZ_OK) return check_place(cluster, scene, file, path, place, error);
    return status == GZ_UNKNOWN_SCENE ? GZ_OK : status;
}

enum gz_status gz_catch_up(struct gz_cluster *cluster, const struct gz_cluster_scene *scene,
                           const char *path, bool is_turn, struct gz_applier **applier,
                           struct gz_followed *file, struct gz_error *error)
{
    struct changes changes = {
        .path = path, .applier = applier, .most = is_turn ? cluster->turn_changes : 0};
    enum gz_status status = GZ_OK;
    if (*applier != NULL && !is_usable(scene, *applier)) close_applier(applier);
    if (*applier != NULL)
        changes.place = gz_applier_place(*applier);
    else
        status = find_place(cluster, scene, file, path, &changes.place, error);
    if (status == GZ_OK && changes.place.n < scene->copy_n)
        status = begin_with_copy(cluster, scene->name, path, &changes.place, error);
    if (status == GZ_OK && changes.place.n < scene->n) {
        status = apply_changes(cluster, scene->name, &changes, error);
        if (status == GZ_CONFLICT) status = begin_again(cluster, scene, &changes, file, error);
    }
    file->n = changes.place.n;
    file->first_n = changes.place.first;
    return status;
}
