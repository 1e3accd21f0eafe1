/* Follows the log: updates, deletes and renames the files of scenes that are not open here, and
 * checks this member's claims. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cluster/member.h"
#include "proto/base/buffer.h"
#include "store/store.h"

/* Seconds after which a file that could not be followed is tried again. */
#define RETRY_SECONDS 5
/* Seconds after which the list is read again, whatever is left to be followed. */
#define PASS_SECONDS 0.5

struct listing {
    struct gz_cluster *cluster;
    struct gz_cluster_scene *scenes; /* by name */
    size_t count, capacity;
};

/* ---- results of the claims ---- */

static void judge(struct gz_cluster *cluster, struct gz_scene_lease *claim,
                  const struct gz_cluster_scene *scene)
{
    enum gz_scene_lease_state before = claim->state;
    bool is_wanted = scene->wanted[0] != '\0' && strcmp(scene->wanted, cluster->me->name) != 0;
    if (claim->epoch == 0 || claim->is_left || before == GZ_SCENE_LEASE_LOST) return;
    /* its disk is full, and another one's is not */
    is_wanted |= cluster->health.refuses[0] != '\0' && scene->has_copy &&
                 gz_members_can_take(cluster, scene->name);
    memcpy(claim->wanted, scene->wanted, sizeof claim->wanted);
    if (scene->epoch > claim->epoch)
        claim->state = GZ_SCENE_LEASE_LOST;
    else if (scene->epoch == claim->epoch && is_wanted && before == GZ_SCENE_LEASE_HELD)
        claim->state = GZ_SCENE_LEASE_WANTED;
    if (claim->state == before) return;
    if (claim->state == GZ_SCENE_LEASE_LOST) cluster->stats.fenced++;
    if (claim->is_opened) claim->request.notify(claim->request.context);
}

static void judge_all(struct gz_cluster *cluster, const struct listing *listing)
{
    uint64_t claims = 0;
    pthread_mutex_lock(&cluster->mutex);
    for (size_t i = 0; cluster->claims != NULL && i < listing->count; i++) {
        struct gz_scene_lease *claim = gz_cluster_find(cluster, listing->scenes[i].name);
        if (claim != NULL && strcmp(claim->name, listing->scenes[i].name) == 0)
            judge(cluster, claim, &listing->scenes[i]);
    }
    for (struct gz_scene_lease *claim = cluster->claims; claim != NULL; claim = claim->next)
        claims++;
    cluster->stats.claims = claims;
    pthread_mutex_unlock(&cluster->mutex);
}

/* Gives back a lease that an earlier process of this member left behind, if another member wants
 * it. If a claim takes it meanwhile, its epoch is a later one. */
static void give_if_wanted(struct gz_cluster *cluster, const struct gz_cluster_scene *scene)
{
    const struct gz_cluster_log *log = cluster->log;
    const char *me = cluster->me->name;
    struct gz_error error;
    if (strcmp(scene->member, me) != 0 || scene->wanted[0] == '\0' ||
        strcmp(scene->wanted, me) == 0)
        return;
    pthread_mutex_lock(&cluster->mutex);
    bool is_claimed = gz_cluster_find(cluster, scene->name) != NULL;
    pthread_mutex_unlock(&cluster->mutex);
    if (is_claimed) return;
    enum gz_status status = log->give(log->context, scene->name, scene->epoch, &error);
    gz_cluster_heard(cluster, status, &error);
}

/* ---- followed files ---- */

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct gz_followed *)a)->name, ((const struct gz_followed *)b)->name);
}

static struct gz_followed *look_up(const struct gz_cluster *cluster, const char *name)
{
    struct gz_followed key;
    snprintf(key.name, sizeof key.name, "%s", name);
    if (cluster->file_count == 0) return NULL;
    return bsearch(&key, cluster->files, cluster->file_count, sizeof key, compare);
}

static void set_place(struct gz_followed *file, const struct gz_place *place)
{
    file->n = place->n;
    file->first_n = place->first;
}

bool gz_is_followed(struct gz_cluster *cluster, const char *name)
{
    return look_up(cluster, name) != NULL;
}

const char *gz_followed_member(const struct gz_cluster *cluster, const char *name)
{
    const struct gz_followed *file = look_up(cluster, name);
    return file != NULL ? file->member : NULL;
}

struct gz_followed gz_followed_before(struct gz_cluster *cluster, const char *name)
{
    struct gz_followed before = {.n = 0};
    pthread_mutex_lock(&cluster->mutex);
    const struct gz_followed *file = look_up(cluster, name);
    if (file != NULL) before = *file;
    pthread_mutex_unlock(&cluster->mutex);
    return before;
}

/* Notes the pass, because the follower's list of scenes may be older than the claim. */
void gz_note_place(struct gz_cluster *cluster, const char *name, const struct gz_place *place)
{
    pthread_mutex_lock(&cluster->mutex);
    struct gz_followed *file = look_up(cluster, name);
    if (file != NULL) {
        if (place != NULL) set_place(file, place);
        file->is_settled = false;
        file->pass = cluster->pass;
    }
    pthread_mutex_unlock(&cluster->mutex);
}

/* Adds a file; most come in their order. */
static bool add_file(struct gz_cluster *cluster, const char *name)
{
    struct gz_followed file = {.n = 0};
    if (!gz_grow(&cluster->files, &cluster->file_capacity, cluster->file_count + 1, sizeof file))
        return false;
    snprintf(file.name, sizeof file.name, "%s", name);
    size_t i = cluster->file_count++;
    for (; i > 0 && compare(&cluster->files[i - 1], &file) > 0; i--)
        cluster->files[i] = cluster->files[i - 1];
    cluster->files[i] = file;
    return true;
}

/* Takes the file for the follower until it gives it back; false if it is open here. Under the
 * mutex. */
static bool take(struct gz_cluster *cluster, const char *name)
{
    bool is_free = gz_cluster_find(cluster, name) == NULL && !cluster->is_closing;
    if (is_free) snprintf(cluster->following, sizeof cluster->following, "%s", name);
    return is_free;
}

static bool take_file(struct gz_cluster *cluster, const char *name)
{
    pthread_mutex_lock(&cluster->mutex);
    bool is_taken = take(cluster, name);
    pthread_mutex_unlock(&cluster->mutex);
    return is_taken;
}

/* Gives back a name that the follower has taken: `following` or `moving_to`. */
static void give(struct gz_cluster *cluster, char *name)
{
    pthread_mutex_lock(&cluster->mutex);
    name[0] = '\0';
    pthread_cond_broadcast(&cluster->change);
    pthread_mutex_unlock(&cluster->mutex);
}

/* Takes the file of a scene's new name; false if a claim of it may be creating a file there. */
static bool take_new_name(struct gz_cluster *cluster, const char *name)
{
    pthread_mutex_lock(&cluster->mutex);
    bool is_free = gz_cluster_find(cluster, name) == NULL;
    if (is_free) snprintf(cluster->moving_to, sizeof cluster->moving_to, "%s", name);
    pthread_mutex_unlock(&cluster->mutex);
    return is_free;
}

/* ---- scenes that are gone ---- */

/* One scene of the log, and its file here. */
struct turn {
    const struct gz_cluster_scene *scene, *became; /* of its new name; NULL for none */
    struct gz_followed *file;
    const char *path;
};

static enum gz_status clear(const struct gz_cluster *cluster, const struct turn *turn,
                            const struct gz_place *place, struct gz_error *error)
{
    return gz_clear_file(cluster, turn->scene, turn->file, turn->path, place, error);
}

/* The file of the new name exists: if it is the scene's, this one is not needed; otherwise this one
 * waits. */
static enum gz_status follow_merger(const struct gz_cluster *cluster, const struct turn *turn,
                                    const struct gz_place *place, const char *to,
                                    struct gz_error *error)
{
    struct gz_place to_place;
    const struct gz_cluster_scene *became = turn->became;
    if (became == NULL || became->is_gone || became->first_n != turn->scene->first_n)
        return clear(cluster, turn, place, error);
    enum gz_status status = gz_store_place(to, &to_place, error);
    if (status != GZ_OK) return status;
    if (!gz_is_of_scene(became, &to_place))
        return gz_fail(error, GZ_CONFLICT, "the file of its new name, %s, is of another scene",
                       became->name);
    return gz_store_delete(turn->path, error);
}

/* Renames the file to the scene's new name, even if that was given up too. */
static enum gz_status move(struct gz_cluster *cluster, const struct turn *turn,
                           const struct gz_place *place, const char *to, struct gz_error *error)
{
    enum gz_status status = gz_store_rename(turn->path, to, error);
    if (status != GZ_OK) return status;
    pthread_mutex_lock(&cluster->mutex);
    struct gz_followed *file = look_up(cluster, turn->scene->became);
    if (file != NULL) {
        set_place(file, place);
        file->is_known = gz_was_followed(turn->file, place);
        file->is_settled = false;
    }
    pthread_mutex_unlock(&cluster->mutex);
    return GZ_OK;
}

static enum gz_status follow_renaming(struct gz_cluster *cluster, const struct turn *turn,
                                      const struct gz_place *place, struct gz_error *error)
{
    char *to = gz_cluster_path(cluster, turn->scene->became);
    if (to == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory");
    const bool is_taken = take_new_name(cluster, turn->scene->became);
    enum gz_status status;
    if (access(to, F_OK) == 0)
        status = follow_merger(cluster, turn, place, to, error);
    else if (is_taken)
        status = move(cluster, turn, place, to, error);
    else
        status = gz_fail(error, GZ_BAD_STATE, "the file of its new name, %s, is in use",
                         turn->scene->became);
    if (is_taken) give(cluster, cluster->moving_to);
    free(to);
    return status;
}

/* A scene is gone: handles its file. A file that was never in the cluster, or is of a later scene,
 * is left alone. */
static enum gz_status follow_end(struct gz_cluster *cluster, const struct turn *turn,
                                 struct gz_error *error)
{
    struct gz_place place = {.n = 0};
    enum gz_status status = GZ_OK;
    if (access(turn->path, F_OK) == 0) status = gz_store_place(turn->path, &place, error);
    const bool is_of_scene = gz_is_of_scene(turn->scene, &place);
    if (status == GZ_OK && is_of_scene && turn->scene->became[0] != '\0')
        status = follow_renaming(cluster, turn, &place, error);
    else if (status == GZ_OK && (is_of_scene || gz_is_earlier(turn->scene, &place)))
        status = clear(cluster, turn, &place, error);
    turn->file->is_settled = status == GZ_OK;
    turn->file->n = turn->file->first_n = 0;
    return status;
}

/* ---- one scene ---- */

/* Whether the file has to be followed. Under the mutex, because a claim may be noting its place.
 * The list is too old for a file that a claim has had since. */
static bool is_due(const struct gz_cluster *cluster, const struct gz_followed *file,
                   const struct gz_cluster_scene *scene)
{
    bool is_ready = file->is_known && file->n == scene->n && file->first_n == scene->first_n;
    if (file->pass == cluster->pass || gz_cluster_now() < file->retry_s) return false;
    return scene->is_gone ? !file->is_settled : !is_ready;
}

static bool take_due(struct gz_cluster *cluster, const struct gz_followed *file,
                     const struct gz_cluster_scene *scene)
{
    pthread_mutex_lock(&cluster->mutex);
    bool is_taken = is_due(cluster, file, scene) && take(cluster, scene->name);
    pthread_mutex_unlock(&cluster->mutex);
    return is_taken;
}

/* Logs a failure if it happens a second time, and the same text once. */
static void report(const struct gz_cluster *cluster, struct gz_followed *file,
                   const struct gz_error *error)
{
    bool is_second = file->retry_s > 0;
    file->retry_s = gz_cluster_now() + (is_second ? RETRY_SECONDS : PASS_SECONDS);
    if (!is_second || strcmp(file->said, error->message) == 0) return;
    snprintf(file->said, sizeof file->said, "%.*s", SAID_BYTES - 1, error->message);
    gz_log(cluster->messages, GZ_WARN, 0, "%s: not up to date: %s", file->name, error->message);
}

static void follow_file(struct gz_cluster *cluster, const struct turn *turn)
{
    const struct gz_cluster_scene *scene = turn->scene;
    struct gz_followed *file = turn->file;
    struct gz_error error;
    enum gz_status status;
    struct gz_applier *applier = gz_file_cache_take(cluster, scene->name);
    if (scene->is_gone) {
        gz_applier_close(applier);
        status = follow_end(cluster, turn, &error);
    } else {
        status = gz_catch_up(cluster, scene, turn->path, true, &applier, file, &error);
        gz_file_cache_give(cluster, scene->name, applier);
        file->is_settled = false;
    }
    file->is_known = status == GZ_OK;
    if (status != GZ_OK) {
        report(cluster, file, &error);
        return;
    }
    file->retry_s = 0;
    file->said[0] = '\0';
}

/* A linear search, because the engine has its own order of names. */
static const struct gz_cluster_scene *find_scene(const struct listing *listing, const char *name)
{
    for (size_t i = 0; name[0] != '\0' && i < listing->count; i++)
        if (strcmp(listing->scenes[i].name, name) == 0) return &listing->scenes[i];
    return NULL;
}

/* Follows one scene; one without a copy is being created, or was not finished. */
static void follow_scene(struct gz_cluster *cluster, const struct listing *listing,
                         const struct gz_cluster_scene *scene)
{
    if (!scene->is_gone && !scene->has_copy) return;
    struct gz_followed *file = look_up(cluster, scene->name);
    if (file == NULL || !take_due(cluster, file, scene)) return;
    char *path = gz_cluster_path(cluster, scene->name);
    const struct turn turn = {scene, find_scene(listing, scene->became), file, path};
    if (path != NULL) follow_file(cluster, &turn);
    free(path);
    give(cluster, cluster->following);
}

/* ---- all scenes ---- */

static void review_kept(struct gz_cluster *cluster, bool closes)
{
    char name[GZ_SCENE_NAME_BYTES_MAX + 1];
    for (size_t i = 0; i < GZ_CLUSTER_KEPT_MAX; i++) {
        gz_file_cache_name(cluster, i, name);
        if (name[0] == '\0' || !take_file(cluster, name)) continue;
        if (closes)
            gz_applier_close(gz_file_cache_take(cluster, name));
        else
            gz_file_cache_review(cluster, name);
        give(cluster, cluster->following);
    }
}

void gz_follow_nothing(struct gz_cluster *cluster)
{
    review_kept(cluster, true);
}

/* Names from the table become parts of paths. */
static bool is_scene_name(const struct gz_cluster *cluster, const char *name)
{
    bool (*const is_name)(const char *, size_t) = cluster->rules.is_scene_name;
    return is_name == NULL || is_name(name, strlen(name));
}

static bool is_sane(struct gz_cluster *cluster, const struct gz_cluster_scene *scene)
{
    const bool is = is_scene_name(cluster, scene->name) &&
                    (scene->became[0] == '\0' || is_scene_name(cluster, scene->became));
    if (!is && !cluster->has_said_name)
        gz_log(cluster->messages, GZ_WARN, 0,
               "cluster: the database has a scene whose name cannot be one; it is left alone");
    cluster->has_said_name |= !is;
    return is;
}

static enum gz_status add_scene(void *to, const struct gz_cluster_scene *scene,
                                struct gz_error *error)
{
    struct listing *listing = to;
    if (!is_sane(listing->cluster, scene)) return GZ_OK;
    if (!gz_grow(&listing->scenes, &listing->capacity, listing->count + 1, sizeof *scene))
        return gz_fail(error, GZ_NO_MEMORY, "no memory for the list of scenes");
    listing->scenes[listing->count++] = *scene;
    return GZ_OK;
}

/* Begins after the scene of its kind that was followed last. */
static void follow_some(struct gz_cluster *cluster, const struct listing *listing, bool is_busy,
                        double until_s)
{
    char *resume_after = cluster->resume_after[is_busy];
    size_t first = 0;
    while (first < listing->count && strcmp(listing->scenes[first].name, resume_after) <= 0)
        first++;
    for (size_t i = 0; i < listing->count && gz_cluster_now() < until_s; i++) {
        const struct gz_cluster_scene *scene = &listing->scenes[(first + i) % listing->count];
        const struct gz_followed *file = look_up(cluster, scene->name);
        if (file != NULL && file->is_busy != is_busy) continue;
        follow_scene(cluster, listing, scene);
        memcpy(resume_after, scene->name, sizeof cluster->resume_after[0]);
    }
}

/* Scenes that people edit now come first: somebody may have to take them over. */
static void follow_all(struct gz_cluster *cluster, const struct listing *listing)
{
    const double until_s = gz_cluster_now() + PASS_SECONDS;
    follow_some(cluster, listing, true, until_s - PASS_SECONDS / 2);
    follow_some(cluster, listing, false, until_s);
}

/* Whether another pass would bring the file further. The file may be ahead of the list. Under the
 * mutex. */
static bool is_left(const struct gz_cluster *cluster, const struct gz_cluster_scene *scene)
{
    const struct gz_followed *file = look_up(cluster, scene->name);
    return file != NULL && is_due(cluster, file, scene) &&
           (!file->is_known || file->first_n != scene->first_n || file->n < scene->n) &&
           gz_cluster_find(cluster, scene->name) == NULL;
}

static bool is_there(const struct gz_cluster_scene *scene)
{
    return !scene->is_gone && scene->has_copy;
}

/* How many changes the file lacks; a file that was not read yet counts as lacking one. */
static uint64_t lag_of(const struct gz_followed *file, const struct gz_cluster_scene *scene)
{
    if (file != NULL && file->n == 0 && !file->is_known && file->retry_s == 0) return 1;
    uint64_t from = file != NULL && file->first_n == scene->first_n ? file->n : scene->first_n - 1;
    return scene->n > from ? scene->n - from : 0;
}

/* Under the mutex. */
static void measure_scene(struct gz_cluster *cluster, const struct gz_cluster_scene *scene)
{
    struct gz_followed *file = look_up(cluster, scene->name);
    bool is_here = gz_cluster_find(cluster, scene->name) != NULL;
    struct gz_cluster_lag lag = {.changes = is_here ? 0 : lag_of(file, scene),
                                 .seconds = gz_cluster_now()};
    if (file != NULL && lag.changes == 0) file->behind_from_s = 0;
    if (lag.changes == 0) return;
    if (lag.changes > GZ_CLUSTER_LEVEL_CHANGES || file == NULL || !file->is_known)
        gz_list_add(cluster->lacking, sizeof cluster->lacking, scene->name);
    if (file != NULL && file->behind_from_s == 0) file->behind_from_s = lag.seconds;
    if (file != NULL) lag.seconds = file->behind_from_s;
    memcpy(lag.scene, scene->name, sizeof lag.scene);
    gz_lag_add(cluster, &lag);
}

static void measure(struct gz_cluster *cluster, const struct listing *listing)
{
    uint64_t scenes = 0;
    pthread_mutex_lock(&cluster->mutex);
    gz_lag_begin(cluster);
    cluster->is_left = false;
    for (size_t i = 0; i < listing->count; i++) {
        const struct gz_cluster_scene *scene = &listing->scenes[i];
        if (!is_there(scene)) continue;
        scenes++;
        cluster->is_left |= is_left(cluster, scene);
        measure_scene(cluster, scene);
    }
    cluster->stats.scenes = scenes;
    pthread_mutex_unlock(&cluster->mutex);
}

static void begin_pass(struct gz_cluster *cluster)
{
    pthread_mutex_lock(&cluster->mutex);
    cluster->pass++;
    pthread_mutex_unlock(&cluster->mutex);
}

static void note_listed(struct gz_followed *file, const struct gz_cluster_scene *scene)
{
    if (file == NULL) return;
    memcpy(file->member, scene->member, sizeof file->member);
    /* Of what changes nothing is known in the first pass: then those that somebody has open. */
    file->is_busy = file->listed_n != 0 ? file->listed_n != scene->n : scene->member[0] != '\0';
    file->listed_n = scene->n;
}

/* Without memory a file is added in another pass. */
static void add_files(struct gz_cluster *cluster, const struct listing *listing)
{
    pthread_mutex_lock(&cluster->mutex);
    for (size_t i = 0; i < listing->count; i++) {
        const struct gz_cluster_scene *scene = &listing->scenes[i];
        if ((scene->is_gone || scene->has_copy) && look_up(cluster, scene->name) == NULL)
            (void)!add_file(cluster, scene->name);
        note_listed(look_up(cluster, scene->name), scene);
    }
    pthread_mutex_unlock(&cluster->mutex);
}

bool gz_follow(struct gz_cluster *cluster)
{
    struct listing listing = {.cluster = cluster};
    struct gz_error error;
    begin_pass(cluster);
    enum gz_status status =
        cluster->log->scenes(cluster->log->context, add_scene, &listing, &error);
    gz_cluster_heard(cluster, status, &error);
    review_kept(cluster, false);
    if (status == GZ_OK) {
        add_files(cluster, &listing);
        judge_all(cluster, &listing);
        for (size_t i = 0; i < listing.count; i++) give_if_wanted(cluster, &listing.scenes[i]);
        measure(cluster, &listing);
        gz_copy_if_due(cluster);
        follow_all(cluster, &listing);
        measure(cluster, &listing);
        gz_lag_report(cluster);
    }
    free(listing.scenes);
    return status == GZ_OK;
}
