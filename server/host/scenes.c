/* scenes.c - the scenes of a data folder, by name: opening and closing. */
#include "host/scenes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conn/clock.h"
#include "proto/limits.h"
#include "server/maxima.h"

/* ---- names ---- */

/* Checks the names of scenes, which are parts of URLs and of file names. */

static bool is_name_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

bool gz_scene_name_valid(const char *name, size_t size)
{
    if (size == 0 || size > GZ_SCENE_NAME_BYTES_MAX || name[0] == '_' || name[0] == '-')
        return false;
    for (size_t i = 0; i < size; i++) {
        if (!is_name_character(name[i])) return false;
    }
    return true;
}

enum gz_status gz_scene_name_check(const char *field, const char *name, struct gz_error *error)
{
    if (gz_scene_name_valid(name, strlen(name))) return GZ_OK;
    return gz_fail(error, GZ_BAD_VALUE, "%s: a scene's name matches [a-z0-9][a-z0-9_-]{0,63}",
                   field);
}

/* ---- scenes ---- */

/* The list of scenes: finds, opens and closes them, and keeps requests waiting. */

void gz_scenes_init(struct gz_scenes *scenes, const struct gz_scene_setting *setting)
{
    *scenes = (struct gz_scenes){.setting = setting};
}

/* ---- the list ---- */

/* Finds a scene in any state. */
static struct gz_open_scene *find(const struct gz_scenes *scenes, const char *name)
{
    struct gz_open_scene *scene = scenes->first;
    while (scene != NULL && strcmp(scene->name, name) != 0) scene = scene->next;
    return scene;
}

struct gz_open_scene *gz_scenes_find_open(const struct gz_scenes *scenes, const char *name)
{
    struct gz_open_scene *scene = find(scenes, name);
    return scene != NULL && scene->phase == GZ_SCENE_OPEN ? scene : NULL;
}

struct gz_open_scene *gz_scenes_next(const struct gz_scenes *scenes,
                                     const struct gz_open_scene *scene)
{
    struct gz_open_scene *next = scene != NULL ? scene->next : scenes->first;
    while (next != NULL && next->phase != GZ_SCENE_OPEN) next = next->next;
    return next;
}

bool gz_scenes_have(const struct gz_scenes *scenes, const char *name)
{
    if (find(scenes, name) != NULL) return true;
    char *path = gz_scene_path(scenes->setting, name);
    bool exists = path != NULL && access(path, F_OK) == 0;
    free(path);
    return exists;
}

bool gz_scenes_know(const struct gz_scenes *scenes, const char *name)
{
    return scenes->setting->cluster != NULL ? find(scenes, name) != NULL
                                            : gz_scenes_have(scenes, name);
}

static void unlink_scene(struct gz_open_scene *scene)
{
    struct gz_open_scene **link = &scene->scenes->first;
    while (*link != scene) link = &(*link)->next;
    *link = scene->next;
}

static void link_first(struct gz_scenes *scenes, struct gz_open_scene *scene)
{
    scene->scenes = scenes;
    scene->next = scenes->first;
    scenes->first = scene;
}

/* ---- requests that wait for a scene ---- */

static void append(struct gz_scene_wait **list, struct gz_scene_wait *wait)
{
    struct gz_scene_wait **end = list;
    while (*end != NULL) end = &(*end)->next;
    *end = wait;
    wait->next = NULL;
    wait->list = list;
}

void gz_scenes_await(struct gz_open_scene *scene, struct gz_scene_wait *wait)
{
    append(&scene->waits, wait);
}

void gz_scenes_forget(struct gz_scene_wait *wait)
{
    if (wait->list == NULL) return;
    struct gz_scene_wait **link = wait->list;
    while (*link != wait) link = &(*link)->next;
    *link = wait->next;
    wait->list = NULL;
}

bool gz_scenes_wait(struct gz_scenes *scenes, const char *name, struct gz_scene_wait *wait)
{
    struct gz_open_scene *scene = find(scenes, name);
    bool changes = scene != NULL && scene->phase != GZ_SCENE_OPEN;
    if (changes) gz_scenes_await(scene, wait);
    return changes;
}

/* Calls `again` of the waiting requests in their order. One of them may cancel another, or have the
 * core lent. */
static void wake(struct gz_open_scene *scene, const struct gz_error *error)
{
    while (scene->waits != NULL && !scene->net.is_lent) {
        struct gz_scene_wait *wait = scene->waits;
        gz_scenes_forget(wait);
        memcpy(wait->url, scene->url, sizeof wait->url);
        wait->again(wait, error);
    }
}

/* ---- closing ---- */

static void run_closing(struct gz_job *job)
{
    struct gz_open_scene *scene = job->context;
    gz_open_scene_empty(scene);
}

/* The scene is closed: requests that waited for that open it again. */
static void handle_emptied(struct gz_job *job)
{
    struct gz_open_scene *scene = job->context;
    gz_open_scene_empty(scene); /* if the job was cancelled */
    if (!scene->is_hidden) unlink_scene(scene);
    wake(scene, NULL);
    gz_open_scene_destroy(scene);
}

static void start_job(struct gz_open_scene *scene, void (*run)(struct gz_job *job),
                      void (*done)(struct gz_job *job))
{
    scene->job = (struct gz_job){.lane = GZ_LANE_OPENINGS,
                                 .subject = scene->name,
                                 .group = scene->opener,
                                 .user = "",
                                 .run = run,
                                 .done = done,
                                 .context = scene};
    gz_job_start(scene->setting->jobs, &scene->job);
}

/* A lent core is waited for (gz_scenes_take_back). */
static void start_closing(struct gz_open_scene *scene)
{
    scene->phase = GZ_SCENE_CLOSING;
    if (scene->net.is_lent) return;
    scene->setting->handle_closing(scene->setting->context, scene);
    start_job(scene, run_closing, handle_emptied);
}

void gz_scenes_hide(struct gz_open_scene *scene)
{
    unlink_scene(scene);
    scene->scenes->count--;
    scene->is_hidden = true;
}

void gz_scenes_drop(struct gz_open_scene *scene)
{
    start_closing(scene);
}

void gz_scenes_take_back(struct gz_open_scene *scene)
{
    struct gz_error error;
    if (scene->phase == GZ_SCENE_OPEN) {
        scene->setting->handle_returned(scene->setting->context, scene);
        wake(scene, NULL);
        return;
    }
    gz_fail(&error, GZ_BAD_STATE, "the server is going away");
    wake(scene, &error);
    start_closing(scene);
}

/* Whether the scene has no sessions, and nothing is on its way to the disk or a worker. A waiting
 * import counts as work of the core, and a retirement closes its scene itself. */
static bool is_unused(const struct gz_open_scene *scene)
{
    return scene->net.connections == NULL && scene->questions == NULL &&
           gz_open_scene_is_idle(scene) &&
           gz_scenes_check_name(scene->scenes, scene->name, NULL) == GZ_OK;
}

static void close_unused(struct gz_open_scene *scene, const char *why)
{
    gz_log(scene->setting->log, GZ_INFO, 0, "%s: closed, %s", scene->name, why);
    scene->scenes->count--;
    start_closing(scene);
}

/* The unused scene that was requested longest ago; NULL if all are in use. */
static struct gz_open_scene *longest_unused(const struct gz_scenes *scenes)
{
    struct gz_open_scene *unused = NULL, *scene = NULL;
    while ((scene = gz_scenes_next(scenes, scene)) != NULL) {
        if (is_unused(scene)) unused = scene;
    }
    return unused;
}

static bool make_room(struct gz_scenes *scenes)
{
    struct gz_open_scene *unused = longest_unused(scenes);
    if (unused == NULL) return false;
    close_unused(unused, "to make room for another");
    return true;
}

uint64_t gz_scenes_close_unused(struct gz_scenes *scenes, uint64_t bytes)
{
    uint64_t freed = 0;
    struct gz_open_scene *unused;
    while (freed < bytes && (unused = longest_unused(scenes)) != NULL) {
        const struct gz_core_summary summary = gz_core_summary(gz_net_core(&unused->net));
        freed += GZ_SCENE_BYTES + summary.nodes * GZ_NODE_BYTES + summary.surface_bytes;
        close_unused(unused, "because memory is short");
    }
    return freed;
}

void gz_scenes_rest(struct gz_scenes *scenes, double mono_s)
{
    struct gz_open_scene *scene, *next = gz_scenes_next(scenes, NULL);
    while ((scene = next) != NULL) {
        next = gz_scenes_next(scenes, scene);
        if (!is_unused(scene)) scene->used_s = mono_s;
        if (mono_s - scene->used_s >= GZ_SCENE_IDLE_SECONDS)
            close_unused(scene, "because it was not used for long");
    }
}

/* ---- opening ---- */

static void run_opening(struct gz_job *job)
{
    struct gz_open_scene *scene = job->context;
    scene->error.status = gz_open_scene_fill(scene, scene->creates, &scene->error);
}

/* The opening failed, or another member of the cluster has the scene. */
static void give_up(struct gz_open_scene *scene)
{
    gz_open_scene_empty(scene);
    unlink_scene(scene);
    scene->scenes->count--;
    if (scene->url[0] != '\0') scene->setting->handle_elsewhere(scene->setting->context, scene);
    wake(scene, scene->url[0] != '\0' ? NULL : &scene->error);
    gz_open_scene_destroy(scene);
}

static void handle_filled(struct gz_job *job)
{
    struct gz_open_scene *scene = job->context;
    const struct gz_scene_setting *setting = scene->setting;
    if (job->is_cancelled) gz_fail(&scene->error, GZ_BAD_STATE, "the server is going away");
    /* not on the worker, because the writer would inherit its low priority */
    if (scene->error.status == GZ_OK && scene->url[0] == '\0')
        scene->error.status = gz_store_start(scene->store, &scene->error);
    if (scene->error.status != GZ_OK || scene->url[0] != '\0') {
        give_up(scene);
        return;
    }
    scene->phase = GZ_SCENE_OPEN;
    scene->used_s = gz_clock_mono_s();
    setting->handle_opened(setting->context, scene);
    struct gz_core_summary summary = gz_core_summary(gz_net_core(&scene->net));
    gz_log(setting->log, GZ_INFO, 0, "%s: open, %" PRIu64 " nodes, seq %" PRIu64 ", epoch %" PRIu64,
           scene->name, summary.nodes, summary.seq, summary.epoch);
    wake(scene, NULL);
    if (scene->claim != NULL) gz_scene_lease_opened(scene->claim);
}

/* Charges the payer for a new scene, which takes disk space and a worker. */
static enum gz_status pay_for_new(const struct gz_scenes *scenes, const char *payer,
                                  struct gz_error *error)
{
    struct gz_shares *shares = scenes->setting->shares;
    const double now_s = gz_clock_mono_s();
    enum gz_status status = gz_disk_check(scenes->setting->disk, error);
    if (status != GZ_OK || shares == NULL || payer[0] == '\0') return status;
    if (!gz_quota_has(&shares->made, payer, 1, now_s))
        return gz_fail(error, GZ_RATE_LIMITED,
                       "create: too many new scenes: you may make %d per minute; try again in a "
                       "moment",
                       GZ_SCENES_MADE_PER_MINUTE);
    gz_quota_take(&shares->made, payer, 1, now_s);
    return GZ_OK;
}

/* The log of a cluster may have scenes that the folder lacks, so a worker has to look. */
static enum gz_status check_elsewhere(const struct gz_scenes *scenes, const char *name,
                                      struct gz_error *error)
{
    if (scenes->setting->cluster != NULL) return GZ_OK;
    return gz_fail(error, GZ_UNKNOWN_SCENE, "there is no scene %s", name);
}

/* About what the scene will take: its nodes, and its latest edits, are hardly more than its file.
 */
static uint64_t bytes_to_open(const struct gz_scenes *scenes, const char *name)
{
    char *path = gz_scene_path(scenes->setting, name);
    struct stat file = {.st_size = 0};
    if (path == NULL || stat(path, &file) != 0) file.st_size = 0;
    free(path);
    const uint64_t most = GZ_NODES_MAX * (uint64_t)GZ_NODE_BYTES + GZ_UNDO_BYTES_MAX;
    return GZ_SCENE_BYTES + ((uint64_t)file.st_size < most ? (uint64_t)file.st_size : most);
}

static enum gz_status list_opening(struct gz_scenes *scenes, const char *name, bool create,
                                   const char *payer, struct gz_open_scene **out,
                                   struct gz_error *error)
{
    enum gz_status status;
    if (!gz_scenes_have(scenes, name)) {
        status = create ? pay_for_new(scenes, payer, error) : check_elsewhere(scenes, name, error);
        if (status != GZ_OK) return status;
    }
    const uint64_t bytes = bytes_to_open(scenes, name);
    status = gz_memory_take(scenes->setting->memory, bytes, bytes, error);
    if (status != GZ_OK) return status;
    if (scenes->count == GZ_SCENES_MAX && !make_room(scenes))
        return gz_fail(error, GZ_TOO_MANY, "too many scenes are open");
    struct gz_open_scene *scene = gz_open_scene_create(scenes->setting, name);
    if (scene == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory");
    link_first(scenes, scene);
    scenes->count++;
    scene->creates = create;
    snprintf(scene->opener, sizeof scene->opener, "%s", payer);
    *out = scene;
    return GZ_OK;
}

enum gz_status gz_scenes_open_here(struct gz_scenes *scenes, const char *name,
                                   struct gz_error *error)
{
    struct gz_open_scene *scene;
    enum gz_status status = gz_scene_name_check("scene", name, error);
    if (status == GZ_OK) status = list_opening(scenes, name, true, "", &scene, error);
    if (status != GZ_OK) return status;
    scene->job.context = scene;
    run_opening(&scene->job);
    if (error != NULL) *error = scene->error;
    status = scene->error.status;
    handle_filled(&scene->job);
    return status;
}

/* ---- finding ---- */

static bool has_file(const struct gz_open_scene *scene)
{
    return access(scene->path, F_OK) == 0 || errno != ENOENT;
}

static enum gz_status use_open(struct gz_open_scene *scene, struct gz_error *error)
{
    if (!has_file(scene)) {
        scene->setting->handle_lost(scene->setting->context, scene);
        return gz_fail(error, GZ_UNKNOWN_SCENE, "scene: the file of %s was moved or deleted",
                       scene->name);
    }
    unlink_scene(scene);
    link_first(scene->scenes, scene);
    scene->used_s = gz_clock_mono_s();
    return GZ_OK;
}

static struct gz_name_reservation *find_claim(const struct gz_scenes *scenes, const char *name)
{
    struct gz_name_reservation *claim = scenes->claims;
    while (claim != NULL && strcmp(claim->name, name) != 0) claim = claim->next;
    return claim;
}

static bool wait_for_name(const struct gz_scenes *scenes, const char *name,
                          struct gz_scene_wait *wait)
{
    struct gz_name_reservation *claim = find_claim(scenes, name);
    bool waits = claim != NULL && claim->why.status == GZ_OK;
    if (waits) append(&claim->waits, wait);
    return waits;
}

enum gz_status gz_scenes_find(struct gz_scenes *scenes, const char *name, bool create,
                              const char *payer, struct gz_scene_wait *wait,
                              struct gz_open_scene **scene, struct gz_error *error)
{
    *scene = NULL;
    enum gz_status status = gz_scene_name_check("scene", name, error);
    if (status == GZ_OK && wait_for_name(scenes, name, wait)) return GZ_OK;
    if (status == GZ_OK) status = gz_scenes_check_name(scenes, name, error);
    if (status != GZ_OK) return status;
    struct gz_open_scene *found = find(scenes, name);
    if (found != NULL && found->phase == GZ_SCENE_OPEN && !found->net.is_lent) {
        *scene = found;
        return use_open(found, error);
    }
    if (found == NULL) {
        status = list_opening(scenes, name, create, payer, &found, error);
        if (status == GZ_OK) start_job(found, run_opening, handle_filled);
    }
    if (status == GZ_OK) gz_scenes_await(found, wait);
    return status;
}

/* ---- names that cannot be used ---- */

void gz_scenes_claim(struct gz_scenes *scenes, struct gz_name_reservation *claim)
{
    claim->next = scenes->claims;
    scenes->claims = claim;
}

void gz_scenes_unclaim(struct gz_scenes *scenes, struct gz_name_reservation *claim)
{
    struct gz_name_reservation **link = &scenes->claims;
    while (*link != NULL && *link != claim) link = &(*link)->next;
    if (*link != NULL) *link = claim->next;
    while (claim->waits != NULL) {
        struct gz_scene_wait *wait = claim->waits;
        gz_scenes_forget(wait);
        wait->again(wait, NULL);
    }
}

enum gz_status gz_scenes_check_name(const struct gz_scenes *scenes, const char *name,
                                    struct gz_error *error)
{
    const struct gz_name_reservation *claim = find_claim(scenes, name);
    if (claim == NULL) return GZ_OK;
    if (claim->why.status == GZ_OK)
        return gz_fail(error, GZ_BAD_STATE, "%s: try again in a moment", name);
    if (error != NULL) *error = claim->why;
    return claim->why.status;
}

/* ---- the end ---- */

void gz_scenes_close(struct gz_scenes *scenes)
{
    struct gz_open_scene *scene;
    while ((scene = gz_scenes_next(scenes, NULL)) != NULL) {
        if (scene->net.is_lent) {
            start_closing(scene);
            continue;
        }
        scenes->setting->handle_closing(scenes->setting->context, scene);
        gz_open_scene_empty(scene);
        unlink_scene(scene);
        gz_open_scene_destroy(scene);
    }
}
