/* retire.c - scenes that are deleted and renamed, and what a crash left of that. */
#include "host/retire.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conn/clock.h"
#include "host/scenes.h"
#include "server/maxima.h"

/* ---- what a crash left ---- */

/* Deletes what a crash left in the data folder. */

/* Whether a crash may have come before NAME.db became a scene. */
static bool may_be_unmade(DIR *folder, const char *file, size_t *size)
{
    struct stat info;
    const size_t whole = strlen(file), ending = strlen(".db");
    *size = whole > ending ? whole - ending : 0;
    return *size > 0 && strcmp(file + *size, ".db") == 0 &&
           fstatat(dirfd(folder), file, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode) &&
           info.st_size <= GZ_UNMADE_BYTES_MAX;
}

/* Deletes what did not become a scene, and files beside a NAME.db that is gone, because of a crash
 * or because it was moved. */
static void tidy_scene(const struct gz_scenes *scenes, DIR *folder, const char *file)
{
    char name[GZ_SCENE_NAME_BYTES_MAX + 1];
    const struct gz_log *log = scenes->setting->log;
    struct gz_error error;
    size_t size;
    const bool is_unmade = may_be_unmade(folder, file, &size);
    const char *of = is_unmade ? file : gz_store_beside(file, &size);
    if (of == NULL || !gz_scene_name_valid(of, size)) return;
    snprintf(name, sizeof name, "%.*s", (int)size, of);
    if (of == file && !is_unmade && gz_scenes_have(scenes, name)) return;
    char *path = gz_scene_path(scenes->setting, name);
    enum gz_status status = path != NULL ? gz_store_tidy(path, &error) : GZ_NO_MEMORY;
    if (faccessat(dirfd(folder), file, F_OK, 0) != 0)
        gz_log(log, GZ_INFO, 0, "deleted %s, left over from a crash", file);
    else if (status == GZ_STORAGE)
        gz_log(log, GZ_WARN, 0, "%s", error.message);
    free(path);
}

void gz_folder_tidy(const struct gz_scenes *scenes)
{
    DIR *folder = opendir(scenes->setting->folder);
    if (folder == NULL) return;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (faccessat(dirfd(folder), entry->d_name, F_OK, 0) == 0)
            tidy_scene(scenes, folder, entry->d_name);
        if ((strncmp(entry->d_name, GZ_BACKUP_PREFIX, strlen(GZ_BACKUP_PREFIX)) == 0 ||
             strncmp(entry->d_name, GZ_BODY_PREFIX, strlen(GZ_BODY_PREFIX)) == 0) &&
            unlinkat(dirfd(folder), entry->d_name, 0) == 0)
            gz_log(scenes->setting->log, GZ_INFO, 0, "deleted %s, left over from a crash",
                   entry->d_name);
    }
    closedir(folder);
}

/* ---- retire ---- */

/* Retires scenes step by step. */

/* Milliseconds between looks at the progress. */
#define TICK_MS 5
/* Seconds after which clients may come back to a scene that kept its name. */
#define RETRY_SECONDS 1

enum phase {
    FINISHING, /* earlier requests are answered */
    AT_FILES,  /* a worker closes and changes the files */
    LEAVING    /* sessions were sent `bye` and leave */
};

struct gz_retirement {
    struct gz_retirements *all;
    struct gz_retirement *next;
    enum phase phase;
    enum gz_retire_how how;
    struct gz_name_reservation claim,
        new_claim;                  /* the second's name is empty unless it is a rename */
    char by[GZ_USER_BYTES_MAX + 8]; /* " by NAME", or "" */
    char *path, *new_path;
    struct gz_open_scene *scene; /* NULL if it is not open */
    struct gz_scene_wait wait;   /* while it is being opened or closed */
    bool is_frozen;              /* the scene is frozen, if it is open */
    bool is_dismissed;           /* its sessions were sent `bye` */
    uv_timer_t tick;
    double until_s; /* monotonic: after this it waits only for answers that are owed */
    struct gz_job job;
    struct gz_hold hold; /* of the scene, for the worker to close */
    struct gz_error error;
    void (*done)(void *context, const struct gz_error *error);
    void *context;
};

/* ---- words ---- */

/* Writes "deleted by anna" or "renamed to motor", to follow "is being" or "was". */
static void describe(const struct gz_retirement *retirement, char *words, size_t size)
{
    const char *new_name = retirement->new_claim.name, *by = retirement->by;
    switch (retirement->how) {
    case GZ_RETIRE_DELETE: gz_print(words, size, "deleted%s", by); return;
    case GZ_RETIRE_RENAME: gz_print(words, size, "renamed to %s%s", new_name, by); return;
    case GZ_RETIRE_GONE:
        gz_print(words, size, "closed, as its file was moved or deleted%s", by);
        return;
    case GZ_RETIRE_DAMAGED: gz_print(words, size, "closed, as its file is damaged"); return;
    case GZ_RETIRE_AWAY: gz_print(words, size, "moved to another member of the cluster"); return;
    }
}

/* Whether the scene is gone from here, whatever the result. */
static bool is_lost(const struct gz_retirement *retirement)
{
    return retirement->how != GZ_RETIRE_DELETE && retirement->how != GZ_RETIRE_RENAME;
}

static void report(struct gz_retirement *retirement)
{
    const struct gz_log *log = retirement->all->scenes->setting->log;
    const char *name = retirement->claim.name;
    bool is_gone = is_lost(retirement);
    char words[GZ_ERROR_BYTES_MAX];
    describe(retirement, words, sizeof words);
    if (retirement->error.status == GZ_OK)
        gz_log(log, GZ_INFO, 0, "%s: %s", name, words);
    else
        gz_log(log, GZ_WARN, 0, "%s: %s%s: %s", name, is_gone ? "" : "was not ", words,
               retirement->error.message);
    if (retirement->done != NULL) retirement->done(retirement->context, &retirement->error);
    retirement->done = NULL;
}

/* ---- the end ---- */

static void free_retirement(uv_handle_t *tick)
{
    struct gz_retirement *retirement = tick->data;
    free(retirement->path);
    free(retirement->new_path);
    free(retirement);
}

static void give_up_names(struct gz_retirement *retirement)
{
    gz_scenes_unclaim(retirement->all->scenes, &retirement->claim);
    gz_scenes_unclaim(retirement->all->scenes, &retirement->new_claim);
}

static void end(struct gz_retirement *retirement)
{
    struct gz_retirement **link = &retirement->all->first;
    while (*link != retirement) link = &(*link)->next;
    *link = retirement->next;
    give_up_names(retirement);
    gz_scenes_forget(&retirement->wait);
    if (retirement->scene != NULL) gz_scenes_drop(retirement->scene);
    uv_close((uv_handle_t *)&retirement->tick, free_retirement);
}

/* ---- all sessions leave ---- */

/* This member serves nobody for now: clients go to another one, or come back after a moment. */
static bool has_stepped_down(const struct gz_retirement *retirement)
{
    const struct gz_scene_lease *claim = retirement->scene->claim;
    return claim != NULL && gz_scene_lease_state(claim) == GZ_SCENE_LEASE_OVER;
}

static void say_bye(struct gz_retirement *retirement)
{
    const char *new_name = retirement->new_claim.name;
    char words[GZ_ERROR_BYTES_MAX], reason[GZ_ERROR_BYTES_MAX];
    char url[GZ_MEMBER_URL_BYTES_MAX + 1];
    bool is_away = retirement->how == GZ_RETIRE_AWAY;
    bool is_done = retirement->error.status == GZ_OK || is_lost(retirement);
    /* If only its log was removed, the file is whole and can be opened again. */
    bool comes_back = is_away || (is_lost(retirement) &&
                                  gz_scenes_have(retirement->all->scenes, retirement->claim.name));
    struct gz_bye bye = {.retry_s = is_away && !has_stepped_down(retirement) ? 0 : RETRY_SECONDS,
                         .fatal = is_done && !comes_back};
    describe(retirement, words, sizeof words);
    gz_print(reason, sizeof reason, "this scene was %s%s",
             is_done ? "" : "closed, it could not be ", words);
    bye.reason = (struct gz_text){reason, strlen(reason)};
    if (is_done) bye.scene = (struct gz_text){new_name, strlen(new_name)};
    if (is_away && gz_scene_lease_successor(retirement->scene->claim, url))
        bye.url = (struct gz_text){url, strlen(url)};
    retirement->is_dismissed = true;
    gz_core_end_all(gz_open_scene_touch(retirement->scene), &bye, gz_clock_now());
}

/* ---- the files ---- */

static void close_store(struct gz_retirement *retirement)
{
    gz_store_close(retirement->hold.store);
    retirement->hold.store = NULL;
}

static void close_claim(struct gz_retirement *retirement)
{
    gz_cluster_close(retirement->hold.claim);
    retirement->hold.claim = NULL;
}

static enum gz_status move_file(const struct gz_retirement *retirement, struct gz_error *error)
{
    switch (retirement->how) {
    case GZ_RETIRE_DELETE: return gz_store_delete(retirement->path, error);
    case GZ_RETIRE_RENAME: return gz_store_rename(retirement->path, retirement->new_path, error);
    case GZ_RETIRE_GONE:
    case GZ_RETIRE_DAMAGED:
    case GZ_RETIRE_AWAY: return gz_store_tidy(retirement->path, error);
    }
    return GZ_INTERNAL;
}

static enum gz_status change_log(const struct gz_retirement *retirement, struct gz_error *error)
{
    struct gz_scene_lease *claim = retirement->hold.claim;
    if (is_lost(retirement)) return GZ_OK;
    if (claim == NULL)
        return gz_fail(error, GZ_BAD_STATE, "scene: %s has just been closed; try again",
                       retirement->claim.name);
    if (retirement->how == GZ_RETIRE_DELETE) return gz_scene_lease_delete(claim, error);
    return gz_scene_lease_rename(claim, retirement->new_claim.name, error);
}

/* Deletes or renames in the cluster's log first; after that it is done, and the file may follow
 * later. */
static enum gz_status move_in_cluster(const struct gz_retirement *retirement,
                                      struct gz_error *error)
{
    struct gz_error later;
    enum gz_status status = change_log(retirement, error);
    if (status == GZ_OK && move_file(retirement, &later) != GZ_OK)
        gz_log(retirement->all->scenes->setting->log, GZ_WARN, 0, "%s: %s", retirement->claim.name,
               later.message);
    return status;
}

static void run_at_files(struct gz_job *job)
{
    struct gz_retirement *retirement = job->context;
    struct gz_error *error = &retirement->error;
    bool is_in_cluster = retirement->all->scenes->setting->cluster != NULL;
    close_store(retirement);
    error->status =
        is_in_cluster ? move_in_cluster(retirement, error) : move_file(retirement, error);
    close_claim(retirement);
}

static void handle_files_done(struct gz_job *job)
{
    struct gz_retirement *retirement = job->context;
    close_store(retirement); /* if the job was cancelled */
    close_claim(retirement);
    retirement->phase = LEAVING;
    give_up_names(retirement);
    report(retirement);
    if (retirement->scene == NULL || job->is_cancelled) end(retirement);
}

static void give_to_worker(struct gz_retirement *retirement)
{
    retirement->phase = AT_FILES;
    if (retirement->scene != NULL) {
        gz_scenes_hide(retirement->scene);
        retirement->hold = gz_open_scene_take_hold(retirement->scene);
    }
    gz_fail(&retirement->error, GZ_BAD_STATE,
            "the server is going away"); /* unless `run` sets another */
    retirement->job = (struct gz_job){.lane = GZ_LANE_RETIREMENTS,
                                      .group = "",
                                      .user = "",
                                      .subject = retirement->claim.name,
                                      .run = run_at_files,
                                      .done = handle_files_done,
                                      .context = retirement};
    gz_job_start(retirement->all->scenes->setting->jobs, &retirement->job);
}

/* ---- earlier requests ---- */

/* Whether nothing waits for the disk; entries about sessions do not count if the disk refuses
 * everything. */
static bool is_at_rest(const struct gz_open_scene *scene)
{
    if (gz_net_has_work(&scene->net) || !gz_core_is_answered(gz_net_core(&scene->net)))
        return false;
    return gz_core_is_idle(gz_net_core(&scene->net)) ||
           gz_store_stats(scene->store).last_status != GZ_OK;
}

/* Whether the disk still has to answer. */
static bool is_owed(const struct gz_open_scene *scene)
{
    return !gz_core_is_stored(gz_net_core(&scene->net)) &&
           !gz_store_stats(scene->store).keeps_batches;
}

/* Whether the scene can be closed: answers that the disk and the file owe the core always come;
 * other work is waited for until until_s. */
static bool is_finished(const struct gz_retirement *retirement)
{
    const struct gz_open_scene *scene = retirement->scene;
    if (scene != NULL &&
        (scene->questions != NULL || is_owed(scene) || gz_core_has_bulk(gz_net_core(&scene->net))))
        return false;
    if (gz_clock_mono_s() > retirement->until_s) return true;
    return (scene == NULL || is_at_rest(scene)) &&
           !gz_jobs_use(retirement->all->scenes->setting->jobs, retirement->claim.name);
}

/* ---- the beginning ---- */

/* Freezes the scene, if it is open. Work that its core has put off is done before, on a worker. */
static void freeze(struct gz_retirement *retirement)
{
    struct gz_scenes *scenes = retirement->all->scenes;
    struct gz_open_scene *scene = gz_scenes_find_open(scenes, retirement->claim.name);
    char words[GZ_ERROR_BYTES_MAX], why[GZ_ERROR_BYTES_MAX];
    if (scene != NULL && (scene->net.is_lent || gz_core_has_bulk(gz_net_core(&scene->net))))
        return; /* until the next tick */
    retirement->is_frozen = true;
    retirement->scene = scene;
    if (scene == NULL) return;
    gz_jobs_cancel(scenes->setting->jobs, GZ_LANE_TRIANGLES, retirement->claim.name);
    if (retirement->how == GZ_RETIRE_AWAY) { /* nothing is refused: clients come back */
        say_bye(retirement);
        return;
    }
    describe(retirement, words, sizeof words);
    gz_print(why, sizeof why, "this scene is being %s", words);
    gz_core_freeze(gz_open_scene_touch(scene), why, gz_clock_now());
}

static void handle_tick(uv_timer_t *tick)
{
    struct gz_retirement *retirement = tick->data;
    const struct gz_open_scene *scene = retirement->scene;
    if (retirement->wait.list != NULL || (scene != NULL && scene->net.is_lent)) return;
    if (!retirement->is_frozen) {
        freeze(retirement);
    } else if (retirement->phase == FINISHING && is_finished(retirement)) {
        give_to_worker(retirement);
    } else if (retirement->phase == LEAVING) {
        if (!retirement->is_dismissed) say_bye(retirement);
        if (scene->net.connections == NULL) end(retirement);
    }
}

/* Ignores why opening failed, because the file is to go. */
static void handle_settled(struct gz_scene_wait *wait, const struct gz_error *error)
{
    (void)error;
    freeze(wait->context);
}

static enum gz_status check(const struct gz_scenes *scenes, const struct gz_retire_request *request,
                            struct gz_error *error)
{
    enum gz_status status = gz_scenes_check_name(scenes, request->name, error);
    if (status == GZ_OK && request->how == GZ_RETIRE_RENAME) {
        status = gz_scenes_check_name(scenes, request->new_name, error);
        if (status != GZ_OK)
            status = error->status = GZ_BAD_STATE; /* a name that is being given up is free soon */
    }
    if (status != GZ_OK) return status;
    if (request->how != GZ_RETIRE_AWAY && !gz_scenes_have(scenes, request->name))
        return gz_fail(error, GZ_UNKNOWN_SCENE, "there is no scene %s", request->name);
    if (request->how == GZ_RETIRE_RENAME && gz_scenes_know(scenes, request->new_name))
        return gz_fail(error, GZ_CONFLICT, "scene: %s exists already", request->new_name);
    return GZ_OK;
}

static void claim_names(struct gz_retirement *retirement, const struct gz_retire_request *request)
{
    struct gz_name_reservation *claim = &retirement->claim, *new_claim = &retirement->new_claim;
    char words[GZ_ERROR_BYTES_MAX];
    bool renames = request->how == GZ_RETIRE_RENAME;
    snprintf(claim->name, sizeof claim->name, "%s", request->name);
    if (renames) snprintf(new_claim->name, sizeof new_claim->name, "%s", request->new_name);
    describe(retirement, words, sizeof words);
    if (request->how != GZ_RETIRE_AWAY && request->how != GZ_RETIRE_DAMAGED)
        gz_fail(&claim->why, GZ_UNKNOWN_SCENE, "scene: %s is being %s", request->name, words);
    gz_scenes_claim(retirement->all->scenes, claim);
    if (!renames) return;
    gz_fail(&new_claim->why, GZ_BAD_STATE,
            "scene: %s is being renamed to %s: try again in a moment", request->name,
            request->new_name);
    gz_scenes_claim(retirement->all->scenes, new_claim);
}

static struct gz_retirement *create(struct gz_retirements *all,
                                    const struct gz_retire_request *request)
{
    struct gz_retirement *retirement = calloc(1, sizeof *retirement);
    if (retirement == NULL) return NULL;
    bool renames = request->how == GZ_RETIRE_RENAME;
    const struct gz_scene_setting *setting = all->scenes->setting;
    retirement->all = all;
    retirement->how = request->how;
    if (request->user[0] != '\0')
        gz_print(retirement->by, sizeof retirement->by, " by %s", request->user);
    retirement->path = gz_scene_path(setting, request->name);
    retirement->new_path = renames ? gz_scene_path(setting, request->new_name) : NULL;
    retirement->until_s = gz_clock_mono_s() + GZ_RETIRE_SECONDS_MAX;
    retirement->done = request->done;
    retirement->context = request->context;
    retirement->wait = (struct gz_scene_wait){.again = handle_settled, .context = retirement};
    retirement->tick.data = retirement;
    if (retirement->path != NULL && (!renames || retirement->new_path != NULL)) return retirement;
    free_retirement((uv_handle_t *)&retirement->tick);
    return NULL;
}

enum gz_status gz_retire(struct gz_retirements *all, const struct gz_retire_request *request,
                         struct gz_error *error)
{
    struct gz_scenes *scenes = all->scenes;
    enum gz_status status = check(scenes, request, error);
    if (status != GZ_OK) return status;
    struct gz_retirement *retirement = create(all, request);
    if (retirement == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory");
    retirement->next = all->first;
    all->first = retirement;
    claim_names(retirement, request);
    uv_timer_init(scenes->setting->loop, &retirement->tick);
    uv_timer_start(&retirement->tick, handle_tick, 0, TICK_MS);
    if (!gz_scenes_wait(scenes, request->name, &retirement->wait)) freeze(retirement);
    return GZ_OK;
}

/* ---- the daemon's end ---- */

bool gz_retire_is_idle(const struct gz_retirements *all)
{
    const struct gz_retirement *retirement = all->first;
    while (retirement != NULL && retirement->phase == LEAVING) retirement = retirement->next;
    return retirement == NULL;
}

void gz_retire_cancel(struct gz_retirements *all)
{
    struct gz_retirement *next;
    for (struct gz_retirement *retirement = all->first; retirement != NULL; retirement = next) {
        next = retirement->next;
        if (retirement->phase == AT_FILES) continue; /* its job will end */
        if (retirement->phase == FINISHING) {
            gz_fail(&retirement->error, GZ_BAD_STATE, "the server is going away");
            report(retirement);
            retirement->scene = NULL; /* closed like the others */
        }
        end(retirement);
    }
}
