#include "host/retire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/transfer.h"
#include "host/triangles.h"
#include "net/clock.h"
#include "server/maxima.h"

/* Milliseconds between looks at how far it has come. */
#define TICK_MS 5
/* Seconds after which people may come back to a scene that kept its name. */
#define RETRY_SECONDS 1

enum phase {
    FINISHING, /* what was asked before is answered */
    AT_FILES,  /* a worker has the files */
    LEAVING    /* everybody has been told, and takes leave */
};

struct gz_retirement {
    uv_work_t work;
    uv_timer_t tick;
    struct gz_retirement *next;
    struct gz_scenes *scenes;
    struct gz_open_scene *scene; /* NULL where it is not open */
    struct gz_store *store;      /* its, for the worker to close */
    enum phase phase;
    double until_s; /* monotonic: after this it waits only for the disk and the past */
    enum gz_retire_how how;
    char name[GZ_SCENE_NAME_BYTES_MAX + 1], new_name[GZ_SCENE_NAME_BYTES_MAX + 1];
    char by[GZ_USER_BYTES_MAX + 8]; /* " by NAME", or "" */
    char *path, *new_path;
    struct gz_error error;
    void (*done)(void *context, const struct gz_error *error);
    void *context;
};

/* ---- words ---- */

/* "deleted by anna", "renamed to motor": after "is being" and after "was". */
static void describe(const struct gz_retirement *retirement, char *words, size_t size)
{
    const char *new_name = retirement->new_name, *by = retirement->by;
    switch (retirement->how) {
    case GZ_RETIRE_DELETE: gz_print(words, size, "deleted%s", by); return;
    case GZ_RETIRE_RENAME: gz_print(words, size, "renamed to %s%s", new_name, by); return;
    case GZ_RETIRE_GONE:
        gz_print(words, size, "closed, as its file was moved or deleted%s", by);
        return;
    }
}

static struct gz_retirement *find(const struct gz_scenes *scenes, const char *name, bool *is_new)
{
    for (struct gz_retirement *at = scenes->retirements; at != NULL; at = at->next) {
        *is_new = strcmp(at->new_name, name) == 0;
        if (at->phase != LEAVING && (*is_new || strcmp(at->name, name) == 0)) return at;
    }
    return NULL;
}

enum gz_status gz_retire_check(const struct gz_scenes *scenes, const char *name,
                               struct gz_error *error)
{
    bool is_new;
    char words[GZ_ERROR_BYTES_MAX];
    const struct gz_retirement *retirement = find(scenes, name, &is_new);
    if (retirement == NULL) return GZ_OK;
    if (is_new)
        return gz_fail(error, GZ_BAD_STATE,
                       "scene: %s is just being renamed to %s: try again in a moment",
                       retirement->name, name);
    describe(retirement, words, sizeof words);
    return gz_fail(error, GZ_UNKNOWN_SCENE, "scene: %s is just being %s", name, words);
}

/* ---- its end ---- */

static void free_retirement(uv_handle_t *tick)
{
    struct gz_retirement *retirement = tick->data;
    free(retirement->path);
    free(retirement->new_path);
    free(retirement);
}

static void end(struct gz_retirement *retirement)
{
    struct gz_retirement **link = &retirement->scenes->retirements;
    while (*link != retirement) link = &(*link)->next;
    *link = retirement->next;
    if (retirement->scene != NULL) gz_scenes_drop(retirement->scene);
    uv_close((uv_handle_t *)&retirement->tick, free_retirement);
}

static void report(struct gz_retirement *retirement)
{
    const struct gz_log *log = retirement->scenes->log;
    bool is_gone = retirement->how == GZ_RETIRE_GONE;
    char words[GZ_ERROR_BYTES_MAX];
    describe(retirement, words, sizeof words);
    if (retirement->error.status == GZ_OK)
        gz_log(log, GZ_INFO, 0, "%s: %s", retirement->name, words);
    else
        gz_log(log, GZ_WARN, 0, "%s: %s%s: %s", retirement->name, is_gone ? "" : "was not ", words,
               retirement->error.message);
    if (retirement->done != NULL) retirement->done(retirement->context, &retirement->error);
    retirement->done = NULL;
}

/* ---- everybody leaves ---- */

static void say_bye(const struct gz_retirement *retirement)
{
    struct gz_core *core = retirement->scene->net.core;
    char words[GZ_ERROR_BYTES_MAX], reason[GZ_ERROR_BYTES_MAX];
    bool is_done = retirement->error.status == GZ_OK ||
                   retirement->how == GZ_RETIRE_GONE; /* it is gone in any case */
    struct gz_bye bye = {.retry_s = RETRY_SECONDS, .fatal = is_done};
    describe(retirement, words, sizeof words);
    gz_print(reason, sizeof reason, "this scene was %s%s",
             is_done ? "" : "closed, it could not be ", words);
    bye.reason = (struct gz_text){reason, strlen(reason)};
    if (is_done) bye.scene = (struct gz_text){retirement->new_name, strlen(retirement->new_name)};
    gz_core_end_all(core, &bye, gz_clock_now());
    retirement->scene->net.touched = true;
}

static void handle_files_done(uv_work_t *work, int status)
{
    struct gz_retirement *retirement = work->data;
    if (status != 0) gz_fail(&retirement->error, GZ_BAD_STATE, "the server is going away");
    retirement->phase = LEAVING;
    report(retirement);
    if (retirement->scene == NULL || retirement->scenes->closing) {
        end(retirement);
    } else {
        say_bye(retirement);
    }
}

/* ---- the files ---- */

static void work_on_files(uv_work_t *work)
{
    struct gz_retirement *retirement = work->data;
    struct gz_error *error = &retirement->error;
    gz_store_close(retirement->store);
    retirement->store = NULL;
    switch (retirement->how) {
    case GZ_RETIRE_DELETE: error->status = gz_store_delete(retirement->path, error); return;
    case GZ_RETIRE_RENAME:
        error->status = gz_store_rename(retirement->path, retirement->new_path, error);
        return;
    case GZ_RETIRE_GONE: error->status = gz_store_tidy(retirement->path, error); return;
    }
}

static void give_to_worker(struct gz_retirement *retirement)
{
    retirement->phase = AT_FILES;
    if (retirement->scene != NULL) {
        gz_scenes_hide(retirement->scene);
        retirement->store = retirement->scene->store;
        retirement->scene->store = NULL;
    }
    retirement->work.data = retirement;
    uv_queue_work(retirement->scenes->loop, &retirement->work, work_on_files, handle_files_done);
}

/* ---- what was asked before ---- */

/* A disk that takes nothing will not take what is still to be said of visits either. */
static bool is_at_rest(const struct gz_open_scene *scene)
{
    if (scene->net.touched || !gz_core_is_told(scene->net.core)) return false;
    return gz_core_is_idle(scene->net.core) || gz_store_stats(scene->store).last_status != GZ_OK;
}

/* What the disk and the past still owe the core comes, sooner or later; others are waited for only
 * so long. */
static bool is_finished(const struct gz_retirement *retirement)
{
    const struct gz_open_scene *scene = retirement->scene;
    if (scene != NULL && (scene->query_count > 0 || !gz_core_is_stored(scene->net.core)))
        return false;
    if (gz_clock_now().mono_s > retirement->until_s) return true;
    return (scene == NULL || is_at_rest(scene)) &&
           !gz_transfer_reads(retirement->scenes, retirement->name) &&
           !gz_surfaces_reads(retirement->scenes, retirement->path);
}

static void handle_tick(uv_timer_t *tick)
{
    struct gz_retirement *retirement = tick->data;
    if (retirement->phase == FINISHING && is_finished(retirement)) give_to_worker(retirement);
    if (retirement->phase == LEAVING && retirement->scene->net.connections == NULL) end(retirement);
}

/* ---- its beginning ---- */

static enum gz_status check(const struct gz_scenes *scenes, const struct gz_retire_request *request,
                            struct gz_error *error)
{
    enum gz_status status = gz_retire_check(scenes, request->name, error);
    if (status == GZ_OK && request->how == GZ_RETIRE_RENAME) {
        status = gz_retire_check(scenes, request->new_name, error);
        if (status != GZ_OK)
            status = error->status = GZ_BAD_STATE; /* a name that is given up is free in a moment */
    }
    if (status != GZ_OK) return status;
    if (!gz_scene_exists(scenes, request->name))
        return gz_fail(error, GZ_UNKNOWN_SCENE, "there is no scene %s", request->name);
    if (request->how == GZ_RETIRE_RENAME && gz_scene_exists(scenes, request->new_name))
        return gz_fail(error, GZ_CONFLICT, "scene: %s is there already", request->new_name);
    return GZ_OK;
}

static struct gz_retirement *create(struct gz_scenes *scenes,
                                    const struct gz_retire_request *request)
{
    struct gz_retirement *retirement = calloc(1, sizeof *retirement);
    if (retirement == NULL) return NULL;
    bool renames = request->how == GZ_RETIRE_RENAME;
    retirement->scenes = scenes;
    retirement->how = request->how;
    snprintf(retirement->name, sizeof retirement->name, "%s", request->name);
    if (renames)
        snprintf(retirement->new_name, sizeof retirement->new_name, "%s", request->new_name);
    if (request->user[0] != '\0')
        gz_print(retirement->by, sizeof retirement->by, " by %s", request->user);
    retirement->path = gz_scene_path(scenes, request->name);
    retirement->new_path = renames ? gz_scene_path(scenes, request->new_name) : NULL;
    retirement->scene = gz_scenes_find_open(scenes, request->name);
    retirement->until_s = gz_clock_now().mono_s + GZ_RETIRE_SECONDS_MAX;
    retirement->done = request->done;
    retirement->context = request->context;
    retirement->tick.data = retirement;
    if (retirement->path != NULL && (!renames || retirement->new_path != NULL)) return retirement;
    free_retirement((uv_handle_t *)&retirement->tick);
    return NULL;
}

static void freeze(const struct gz_retirement *retirement)
{
    struct gz_open_scene *scene = retirement->scene;
    char words[GZ_ERROR_BYTES_MAX], why[GZ_ERROR_BYTES_MAX];
    describe(retirement, words, sizeof words);
    gz_print(why, sizeof why, "this scene is being %s", words);
    gz_core_freeze(scene->net.core, why, gz_clock_now());
    gz_surfaces_cancel(scene);
    scene->net.touched = true;
}

enum gz_status gz_retire(struct gz_scenes *scenes, const struct gz_retire_request *request,
                         struct gz_error *error)
{
    enum gz_status status = check(scenes, request, error);
    if (status != GZ_OK) return status;
    struct gz_retirement *retirement = create(scenes, request);
    if (retirement == NULL) return gz_fail(error, GZ_NO_MEMORY, "out of memory");
    retirement->next = scenes->retirements;
    scenes->retirements = retirement;
    uv_timer_init(scenes->loop, &retirement->tick);
    uv_timer_start(&retirement->tick, handle_tick, 0, TICK_MS);
    if (retirement->scene != NULL) freeze(retirement);
    return GZ_OK;
}

/* ---- the daemon's end ---- */

bool gz_retire_is_idle(const struct gz_scenes *scenes)
{
    const struct gz_retirement *retirement = scenes->retirements;
    while (retirement != NULL && retirement->phase == LEAVING) retirement = retirement->next;
    return retirement == NULL;
}

void gz_retire_cancel(struct gz_scenes *scenes)
{
    struct gz_retirement *next;
    for (struct gz_retirement *retirement = scenes->retirements; retirement != NULL;
         retirement = next) {
        next = retirement->next;
        if (retirement->phase == AT_FILES) continue; /* it comes to its end by itself */
        if (retirement->phase == FINISHING) {
            gz_fail(&retirement->error, GZ_BAD_STATE, "the server is going away");
            report(retirement);
            retirement->scene = NULL; /* closed like the others */
        }
        end(retirement);
    }
}
