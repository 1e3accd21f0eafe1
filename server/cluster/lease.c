/* A claim: the lease of one scene, from before its store is opened until after it was closed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cluster/member.h"
#include "store/store.h"

/* ---- the list of claims ---- */

static bool is_of(const struct gz_scene_lease *claim, const char *name)
{
    return strcmp(claim->name, name) == 0 || strcmp(claim->new_name, name) == 0;
}

struct gz_scene_lease *gz_cluster_find(const struct gz_cluster *cluster, const char *name)
{
    struct gz_scene_lease *claim = cluster->claims;
    while (claim != NULL && !is_of(claim, name)) claim = claim->next;
    return claim;
}

static bool is_busy(const struct gz_cluster *cluster, const char *name)
{
    return gz_cluster_find(cluster, name) != NULL || strcmp(cluster->following, name) == 0 ||
           strcmp(cluster->moving_to, name) == 0;
}

/* Makes the claim the only user of the file: waits for an earlier claim and the follower, or
 * returns false. */
static bool link_claim(struct gz_scene_lease *claim)
{
    struct gz_cluster *cluster = claim->cluster;
    pthread_mutex_lock(&cluster->mutex);
    while (is_busy(cluster, claim->name) && !claim->request.at_once) gz_cluster_wait(cluster, 1);
    bool is_linked = !is_busy(cluster, claim->name);
    if (is_linked) {
        claim->next = cluster->claims;
        cluster->claims = claim;
    }
    pthread_mutex_unlock(&cluster->mutex);
    if (is_linked) gz_applier_close(gz_file_cache_take(cluster, claim->name));
    return is_linked;
}

static void unlink_claim(const struct gz_scene_lease *claim)
{
    struct gz_cluster *cluster = claim->cluster;
    pthread_mutex_lock(&cluster->mutex);
    struct gz_scene_lease **link = &cluster->claims;
    while (*link != claim) link = &(*link)->next;
    *link = claim->next;
    pthread_cond_broadcast(&cluster->change);
    pthread_mutex_unlock(&cluster->mutex);
}

static struct gz_scene_lease *create(struct gz_cluster *cluster,
                                     const struct gz_scene_lease_request *request)
{
    struct gz_scene_lease *claim = calloc(1, sizeof *claim);
    if (claim == NULL) return NULL;
    claim->cluster = cluster;
    claim->request = *request;
    claim->shipping = (struct gz_shipping){.context = claim, .append = gz_scene_lease_append};
    snprintf(claim->name, sizeof claim->name, "%s", request->name);
    return claim;
}

/* ---- the state that other threads read ---- */

static void set_epoch(struct gz_scene_lease *claim, uint64_t epoch)
{
    pthread_mutex_lock(&claim->cluster->mutex);
    claim->epoch = epoch;
    claim->is_left = false;
    pthread_mutex_unlock(&claim->cluster->mutex);
}

static void set_left(struct gz_scene_lease *claim, bool is_left)
{
    pthread_mutex_lock(&claim->cluster->mutex);
    claim->is_left = is_left;
    pthread_mutex_unlock(&claim->cluster->mutex);
}

static void set_sizes(struct gz_scene_lease *claim, uint64_t copy_bytes, uint64_t bytes_since_copy)
{
    pthread_mutex_lock(&claim->cluster->mutex);
    claim->copy_bytes = copy_bytes;
    claim->bytes_since_copy = bytes_since_copy;
    pthread_mutex_unlock(&claim->cluster->mutex);
}

/* ---- the beginning of a scene's log ---- */

static enum gz_status throw_away(void *context, uint64_t n, const uint8_t *bytes, size_t size,
                                 struct gz_error *error)
{
    (void)context, (void)n, (void)bytes, (void)size, (void)error;
    return GZ_OK;
}

/* Opens the file once with a store that ships nowhere, so that it has the first place. */
static enum gz_status settle_first(const char *path, uint64_t first_n, struct gz_error *error)
{
    struct gz_store *store;
    struct gz_scene_state state;
    const struct gz_shipping shipping = {.from = first_n - 1, .append = throw_away};
    const struct gz_store_options options = {
        .path = path, .create = true, .time = gz_cluster_time(), .shipping = &shipping};
    enum gz_status status = gz_store_open(&store, &options, &state, error);
    if (status != GZ_OK) return status;
    if (state.read_only[0] != '\0') status = gz_fail(error, GZ_STORAGE, "%s", state.read_only);
    gz_scene_state_finish(&state);
    gz_store_close(store);
    return status;
}

static bool is_at(const struct gz_place *place, uint64_t first_n)
{
    return place->n == first_n && place->first == first_n;
}

/* Checks the place: a file that kept a later one is not the one that the scene is created from. */
static enum gz_status check_first(const char *path, uint64_t first_n, struct gz_error *error)
{
    struct gz_place place;
    enum gz_status status = gz_store_place(path, &place, error);
    if (status == GZ_OK && !is_at(&place, first_n))
        status = gz_fail(error, GZ_STORAGE, "the scene was created from another file: try again");
    return status;
}

/* Changes a copy of the file, which syncs it, and then replaces the file. */
static enum gz_status make_first(const struct gz_scene_lease *claim, uint64_t first_n,
                                 const char *copy, struct gz_error *error)
{
    const char *path = claim->request.path;
    enum gz_status status = GZ_OK;
    unlink(copy);
    if (!claim->is_new) status = gz_store_backup(path, copy, error);
    if (status == GZ_OK) status = settle_first(copy, first_n, error);
    if (status == GZ_OK) status = check_first(copy, first_n, error);
    if (status == GZ_OK) status = gz_store_install(path, copy, error);
    if (status != GZ_OK) unlink(copy);
    return status;
}

/* A file that has the first place already was prepared before. */
static enum gz_status begin_at(struct gz_scene_lease *claim, uint64_t first_n,
                               struct gz_error *error)
{
    struct gz_place place;
    const char *path = claim->request.path;
    char *copy = gz_cluster_copy_path(claim->cluster, claim->name);
    if (copy == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory");
    enum gz_status status = gz_store_place(path, &place, error);
    claim->is_new = status == GZ_UNKNOWN_SCENE;
    if (claim->is_new || (status == GZ_OK && !is_at(&place, first_n)))
        status = make_first(claim, first_n, copy, error);
    free(copy);
    if (status != GZ_OK) return status;
    status = gz_put_copy(claim->cluster, claim->name, claim->epoch, path, error);
    if (status != GZ_OK && claim->is_new) (void)!gz_store_delete(path, NULL);
    return status;
}

static enum gz_status begin(struct gz_scene_lease *claim, const struct gz_cluster_scene *scene,
                            struct gz_error *error)
{
    enum gz_status status = begin_at(claim, scene->first_n, error);
    set_sizes(claim, gz_store_bytes(claim->request.path), 0);
    if (status == GZ_OK && !claim->is_new)
        gz_log(claim->cluster->messages, GZ_INFO, 0, "%s: added to the cluster", claim->name);
    return status;
}

/* ---- the lease ---- */

static enum gz_status take(struct gz_scene_lease *claim, bool create_it, uint64_t after,
                           struct gz_lease *lease, struct gz_error *error)
{
    struct gz_cluster *cluster = claim->cluster;
    *lease = (struct gz_lease){.is_mine = false};
    enum gz_status status =
        cluster->log->take(cluster->log->context, claim->name, create_it, after, lease, error);
    gz_cluster_heard(cluster, status, error);
    return status;
}

/* Leaves the file of a deleted or renamed scene to the follower, unless a new scene is to be
 * created in its place. */
static enum gz_status clear_gone(const struct gz_scene_lease *claim,
                                 const struct gz_cluster_scene *scene, struct gz_error *error)
{
    struct gz_place place = {.n = 0};
    const char *path = claim->request.path;
    if (!scene->is_gone || access(path, F_OK) != 0) return GZ_OK;
    enum gz_status status = gz_store_place(path, &place, error);
    const bool is_of_scene = gz_is_of_scene(scene, &place);
    if (status != GZ_OK || !(is_of_scene || gz_is_earlier(scene, &place))) return status;
    if (is_of_scene && !claim->request.create)
        return gz_fail(error, GZ_UNKNOWN_SCENE, "there is no scene %s", claim->name);
    const struct gz_followed file = gz_followed_before(claim->cluster, claim->name);
    return gz_clear_file(claim->cluster, scene, &file, path, &place, error);
}

/* The place of the file that a scene is created from; 0 without one. */
static enum gz_status find_place(const struct gz_scene_lease *claim, struct gz_place *place,
                                 struct gz_error *error)
{
    if (!claim->request.create && access(claim->request.path, F_OK) != 0)
        return gz_fail(error, GZ_UNKNOWN_SCENE, "there is no scene %s", claim->name);
    enum gz_status status = gz_store_place(claim->request.path, place, error);
    return status == GZ_UNKNOWN_SCENE ? GZ_OK : status;
}

/* Creates the scene. Another member may have created it meanwhile: then its lease is not the first
 * one after `epoch`, or it does not begin after the place of this file. */
static enum gz_status make_scene(struct gz_scene_lease *claim, uint64_t epoch,
                                 struct gz_lease *lease, struct gz_error *error)
{
    struct gz_place place;
    enum gz_status status = find_place(claim, &place, error);
    if (status == GZ_OK) status = take(claim, true, place.n, lease, error);
    claim->is_made =
        status == GZ_OK && lease->scene.epoch == epoch + 1 && lease->scene.first_n > place.n;
    return status;
}

/* Lets another member have the scene if this one's file is far behind, or has no room to grow. */
static enum gz_status defer(const struct gz_scene_lease *claim, struct gz_error *error)
{
    struct gz_cluster *cluster = claim->cluster;
    struct gz_place place;
    struct gz_scene_offer mine = {.n = 0};
    if (gz_store_place(claim->request.path, &place, NULL) == GZ_OK)
        mine = (struct gz_scene_offer){.n = place.n, .first_n = place.first};
    pthread_mutex_lock(&cluster->mutex);
    mine.refuses = cluster->health.refuses[0] != '\0';
    pthread_mutex_unlock(&cluster->mutex);
    enum gz_status status = cluster->log->defer(cluster->log->context, claim->name, &mine, error);
    gz_cluster_heard(cluster, status, error);
    return status;
}

static enum gz_status find_lease(struct gz_scene_lease *claim, struct gz_lease *lease,
                                 struct gz_error *error)
{
    enum gz_status status = defer(claim, error);
    if (status == GZ_OK) status = take(claim, false, 0, lease, error);
    if (status != GZ_UNKNOWN_SCENE) return status;
    status = clear_gone(claim, &lease->scene, error);
    return status == GZ_OK ? make_scene(claim, lease->scene.epoch, lease, error) : status;
}

/* The member that created the scene died before its first copy, and may come back with a file that
 * has the first place. Unless it was this member, the scene is created again, with another
 * place. */
static enum gz_status make_anew(struct gz_scene_lease *claim, struct gz_lease *lease,
                                struct gz_error *error)
{
    const struct gz_cluster_log *log = claim->cluster->log;
    struct gz_place place;
    enum gz_status status = find_place(claim, &place, error);
    if (status != GZ_OK || is_at(&place, lease->scene.first_n)) return status;
    set_left(claim, true);
    status = log->forget(log->context, claim->name, claim->epoch, error);
    if (status == GZ_OK) status = take(claim, true, place.n, lease, error);
    if (status == GZ_OK && !lease->is_mine)
        status = gz_fail(error, GZ_STORAGE, "%s is being created: try again", claim->name);
    set_epoch(claim, status == GZ_OK ? lease->scene.epoch : claim->epoch);
    return status;
}

static enum gz_status catch_up(struct gz_scene_lease *claim, const struct gz_cluster_scene *scene,
                               struct gz_error *error)
{
    struct gz_applier *applier = NULL;
    struct gz_followed file = gz_followed_before(claim->cluster, claim->name);
    enum gz_status status =
        gz_catch_up(claim->cluster, scene, claim->request.path, false, &applier, &file, error);
    gz_applier_close(applier);
    return status;
}

static enum gz_status settle(struct gz_scene_lease *claim, struct gz_lease *lease,
                             struct gz_error *error)
{
    const struct gz_cluster_scene *scene = &lease->scene;
    enum gz_status status = GZ_OK;
    set_sizes(claim, scene->copy_bytes, scene->bytes_since_copy);
    if (scene->has_copy) return catch_up(claim, scene, error);
    if (!claim->is_made) status = make_anew(claim, lease, error);
    return status == GZ_OK ? begin(claim, scene, error) : status;
}

/* Another member has the lease: fills its address. If it does not answer, the scene is asked for.
 */
static enum gz_status find_holder(const struct gz_scene_lease *claim, const struct gz_lease *lease,
                                  char *url, struct gz_error *error)
{
    struct gz_cluster *cluster = claim->cluster;
    char chosen[GZ_MEMBER_BYTES_MAX + 1];
    struct gz_error unsaid;
    if (!gz_cluster_is_signed(cluster, lease->scene.member, lease->url, lease->signature))
        return gz_fail(error, GZ_STORAGE,
                       "%s: it is at a member whose address was not signed with the --secret of "
                       "this one",
                       claim->name);
    snprintf(url, GZ_MEMBER_URL_BYTES_MAX + 1, "%s", lease->url);
    if (!gz_members_choose(cluster, lease->scene.member, claim->name, chosen)) return GZ_OK;
    gz_log(cluster->messages, GZ_WARN, 0,
           "%s: member %s has it and does not answer: it is asked for by member %s", claim->name,
           lease->scene.member, chosen);
    (void)!cluster->log->want(cluster->log->context, claim->name, chosen, &unsaid);
    return GZ_OK;
}

static enum gz_status open_claim(struct gz_scene_lease *claim, bool *is_mine, char *url,
                                 struct gz_error *error)
{
    struct gz_lease lease;
    enum gz_status status = gz_cluster_check_entered(claim->cluster, error);
    if (status == GZ_OK) status = find_lease(claim, &lease, error);
    if (status == GZ_STORAGE && gz_cluster_recall(claim->cluster, claim->name, url)) return GZ_OK;
    if (status != GZ_OK) return status;
    *is_mine = lease.is_mine;
    if (!lease.is_mine) return find_holder(claim, &lease, url, error);
    set_epoch(claim, lease.scene.epoch);
    return settle(claim, &lease, error);
}

static void count_taken(struct gz_cluster *cluster)
{
    pthread_mutex_lock(&cluster->mutex);
    cluster->stats.taken++;
    pthread_mutex_unlock(&cluster->mutex);
}

enum gz_status gz_cluster_open(struct gz_cluster *cluster,
                               const struct gz_scene_lease_request *request,
                               struct gz_scene_lease **out, char url[GZ_MEMBER_URL_BYTES_MAX + 1],
                               struct gz_error *error)
{
    struct gz_scene_lease *claim = create(cluster, request);
    *out = NULL;
    url[0] = '\0';
    if (claim == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory");
    if (!link_claim(claim)) {
        free(claim);
        return gz_fail(error, GZ_BAD_STATE, "the file of %s is in use", request->name);
    }
    bool is_mine = false;
    enum gz_status status = open_claim(claim, &is_mine, url, error);
    if (status != GZ_OK || !is_mine) {
        gz_cluster_close(claim);
        return status;
    }
    count_taken(cluster);
    *out = claim;
    return GZ_OK;
}

void gz_scene_lease_opened(struct gz_scene_lease *claim)
{
    pthread_mutex_lock(&claim->cluster->mutex);
    claim->is_opened = true;
    if (claim->state != GZ_SCENE_LEASE_HELD) claim->request.notify(claim->request.context);
    pthread_mutex_unlock(&claim->cluster->mutex);
}

/* ---- the end ---- */

/* Whether to give the lease back: at the end, and after stepping down, an engine that has just
 * failed is not waited for. */
static bool may_give(struct gz_scene_lease *claim)
{
    struct gz_cluster *cluster = claim->cluster;
    pthread_mutex_lock(&cluster->mutex);
    const bool is_silent = gz_cluster_now() - cluster->answered_s > GZ_CLUSTER_SILENCE_SECONDS ||
                           (cluster->is_ending && cluster->trouble.status != GZ_OK);
    bool may = claim->epoch != 0 && claim->state != GZ_SCENE_LEASE_LOST && !claim->is_left &&
               !((cluster->is_ending || claim->state == GZ_SCENE_LEASE_OVER) && is_silent);
    pthread_mutex_unlock(&cluster->mutex);
    return may;
}

/* Tells the follower the place, which it knows only from before the claim. */
static void note_place(const struct gz_scene_lease *claim)
{
    struct gz_place place;
    if (claim->epoch == 0) return;
    char *path = gz_cluster_path(claim->cluster, claim->name);
    const bool has_place = path != NULL && gz_store_place(path, &place, NULL) == GZ_OK;
    gz_note_place(claim->cluster, claim->name, has_place ? &place : NULL);
    free(path);
}

void gz_cluster_close(struct gz_scene_lease *claim)
{
    struct gz_error error = {.status = GZ_OK};
    if (claim == NULL) return;
    const struct gz_cluster_log *log = claim->cluster->log;
    if (may_give(claim)) {
        enum gz_status status = log->give(log->context, claim->name, claim->epoch, &error);
        gz_cluster_heard(claim->cluster, status, &error);
    }
    note_place(claim);
    unlink_claim(claim);
    free(claim);
}

enum gz_status gz_scene_lease_delete(struct gz_scene_lease *claim, struct gz_error *error)
{
    const struct gz_cluster_log *log = claim->cluster->log;
    set_left(claim, true);
    enum gz_status status = log->forget(log->context, claim->name, claim->epoch, error);
    gz_cluster_heard(claim->cluster, status, error);
    if (status != GZ_OK) set_left(claim, false);
    return status;
}

/* Keeps the follower from the file of the new name as well. */
static void reserve(struct gz_scene_lease *claim, const char *new_name)
{
    struct gz_cluster *cluster = claim->cluster;
    pthread_mutex_lock(&cluster->mutex);
    while (is_busy(cluster, new_name)) gz_cluster_wait(cluster, 1);
    snprintf(claim->new_name, sizeof claim->new_name, "%s", new_name);
    claim->is_left = true;
    pthread_mutex_unlock(&cluster->mutex);
    gz_applier_close(gz_file_cache_take(cluster, new_name));
}

static void end_renaming(struct gz_scene_lease *claim, bool is_done, uint64_t epoch)
{
    pthread_mutex_lock(&claim->cluster->mutex);
    if (is_done) memcpy(claim->name, claim->new_name, sizeof claim->name);
    if (is_done) claim->epoch = epoch;
    claim->new_name[0] = '\0';
    claim->is_left = false;
    pthread_mutex_unlock(&claim->cluster->mutex);
}

enum gz_status gz_scene_lease_rename(struct gz_scene_lease *claim, const char *new_name,
                                     struct gz_error *error)
{
    const struct gz_cluster_log *log = claim->cluster->log;
    uint64_t epoch = 0;
    reserve(claim, new_name);
    enum gz_status status =
        log->rename(log->context, claim->name, claim->epoch, new_name, &epoch, error);
    gz_cluster_heard(claim->cluster, status, error);
    if (status == GZ_OK) gz_note_place(claim->cluster, claim->name, NULL);
    end_renaming(claim, status == GZ_OK, epoch);
    return status;
}

/* ---- queries ---- */

bool gz_cluster_recall(struct gz_cluster *cluster, const char *scene,
                       char url[GZ_MEMBER_URL_BYTES_MAX + 1])
{
    pthread_mutex_lock(&cluster->mutex);
    const char *member = gz_followed_member(cluster, scene);
    const bool is_known = member != NULL && gz_members_find(cluster, member, url);
    pthread_mutex_unlock(&cluster->mutex);
    return is_known;
}

bool gz_scene_lease_successor(const struct gz_scene_lease *claim,
                              char url[GZ_MEMBER_URL_BYTES_MAX + 1])
{
    struct gz_cluster *cluster = claim->cluster;
    pthread_mutex_lock(&cluster->mutex);
    const char *member =
        claim->wanted[0] != '\0' ? claim->wanted : gz_followed_member(cluster, claim->name);
    const bool is_known = (member != NULL && gz_members_find(cluster, member, url)) ||
                          gz_members_find_next(cluster, claim->name, url);
    pthread_mutex_unlock(&cluster->mutex);
    return is_known;
}

const struct gz_shipping *gz_scene_lease_shipping(const struct gz_scene_lease *claim)
{
    return &claim->shipping;
}

bool gz_scene_lease_is_new(const struct gz_scene_lease *claim)
{
    return claim->is_new;
}

enum gz_scene_lease_state gz_scene_lease_state(const struct gz_scene_lease *claim)
{
    pthread_mutex_lock(&claim->cluster->mutex);
    enum gz_scene_lease_state state = claim->state;
    pthread_mutex_unlock(&claim->cluster->mutex);
    return state;
}
