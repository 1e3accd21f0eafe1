#include "host/scenes.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/retire.h"
#include "host/transfer.h"
#include "host/triangles.h"
#include "net/clock.h"
#include "net/text.h"
#include "server/maxima.h"

/* ---- names and paths ---- */

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

char *gz_scene_path(const struct gz_scenes *scenes, const char *name)
{
    char *path;
    return asprintf(&path, "%s/%s.db", scenes->folder, name) >= 0 ? path : NULL;
}

struct gz_open_scene *gz_scenes_find_open(const struct gz_scenes *scenes, const char *name)
{
    struct gz_open_scene *scene = scenes->open;
    while (scene != NULL && strcmp(scene->name, name) != 0) scene = scene->next;
    return scene;
}

bool gz_scene_exists(const struct gz_scenes *scenes, const char *name)
{
    if (gz_scenes_find_open(scenes, name) != NULL) return true;
    char *path = gz_scene_path(scenes, name);
    bool exists = path != NULL && access(path, F_OK) == 0;
    free(path);
    return exists;
}

/* ---- a core's host: its store ---- */

static void commit(void *context, struct gz_batch *batch)
{
    struct gz_open_scene *scene = context;
    if (scene->store == NULL) {
        scene->held = batch;
        return;
    }
    scene->commit_from_s = gz_clock_now().mono_s;
    gz_store_submit(scene->store, batch);
}

static enum gz_status find_key(void *context, const char *user, const char *key,
                               struct gz_arena *arena, struct gz_edit_record *edit)
{
    struct gz_open_scene *scene = context;
    assert(scene->store !=
           NULL); /* a frozen core looks for no key, and a store is closed only of such a one */
    return gz_store_find_key(scene->store, user, key, arena, edit);
}

static enum gz_status find_note_key(void *context, const char *user, const char *key,
                                    uint64_t *note)
{
    struct gz_open_scene *scene = context;
    assert(scene->store != NULL); /* as above */
    return gz_store_find_note_key(scene->store, user, key, note);
}

static uint64_t kept_since(void *context)
{
    struct gz_open_scene *scene = context;
    assert(scene->store !=
           NULL); /* a frozen core answers no question to the past and lets nobody in */
    return gz_store_stats(scene->store).kept_since;
}

/* Its file is not there any more. Said by the retirement; where it is retired already, that will
 * do. */
static void retire_gone(struct gz_open_scene *scene)
{
    struct gz_error error;
    struct gz_retire_request request = {.how = GZ_RETIRE_GONE, .name = scene->name, .user = ""};
    (void)!gz_retire(scene->scenes, &request, &error);
}

static void handle_notify(void *context)
{
    struct gz_open_scene *scene = context;
    uv_async_send(&scene->committed);
}

static void handle_committed(uv_async_t *async)
{
    struct gz_open_scene *scene = async->data;
    enum gz_status status;
    struct gz_error error = {.status = GZ_OK};
    struct gz_batch *batch;
    while (scene->store != NULL && (batch = gz_store_take(scene->store, &status, &error)) != NULL) {
        scene->commit_from_s = 0;
        gz_core_committed(scene->net.core, batch, status, error.message, gz_clock_now());
        scene->net.touched = true;
    }
    if (scene->store != NULL && gz_store_stats(scene->store).is_gone) retire_gone(scene);
}

/* ---- a core's host: the past ---- */

struct query_job {
    uv_work_t work;
    struct gz_scenes *scenes;
    struct gz_open_scene *scene; /* not to be touched once the scenes are closing */
    char *path;
    uint64_t ticket;
    struct gz_query query;
    struct gz_answer answer;
};

struct discard_job {
    uv_work_t work;
    struct gz_answer answer;
};

static void work_on_discard(uv_work_t *work)
{
    struct discard_job *job = work->data;
    gz_answer_finish(&job->answer);
}

static void handle_discard_done(uv_work_t *work, int status)
{
    (void)status;
    free(work->data);
}

/* An answer's memory is a worker's: it is given back by one. The loop, which would do so in its
 * turn, would wait for the workers' allocations. */
static void discard(void *context, struct gz_answer *answer)
{
    struct gz_scenes *scenes = ((struct gz_open_scene *)context)->scenes;
    struct discard_job *job = scenes->closing ? NULL : calloc(1, sizeof *job);
    if (job == NULL) {
        gz_answer_finish(answer);
        return;
    }
    job->work.data = job;
    job->answer = *answer;
    uv_queue_work(scenes->loop, &job->work, work_on_discard, handle_discard_done);
}

static void release(void *context, struct gz_surfaces *surfaces)
{
    gz_surfaces_release(((struct gz_open_scene *)context)->scenes, surfaces);
}

static void free_query_job(struct query_job *job)
{
    gz_answer_finish(&job->answer);
    free(job->path);
    free(job);
}

static void work_on_query(uv_work_t *work)
{
    struct query_job *job = work->data;
    gz_store_query(job->path, &job->query, &job->answer);
}

static void handle_query_done(uv_work_t *work, int status)
{
    struct query_job *job = work->data;
    (void)status;
    if (!job->scenes->closing) {
        struct gz_open_scene *scene = job->scene;
        scene->query_count--;
        gz_core_answered(scene->net.core, job->ticket, &job->answer, gz_clock_now());
        scene->net.touched = true;
    }
    free_query_job(job);
}

static void query(void *context, uint64_t ticket, const struct gz_query *question)
{
    struct gz_open_scene *scene = context;
    struct query_job *job = calloc(1, sizeof *job);
    char *path = strdup(scene->path);
    if (job == NULL || path == NULL) {
        struct gz_answer answer = {.status = GZ_NO_MEMORY};
        gz_fail(&answer.error, GZ_NO_MEMORY, "out of memory");
        gz_core_answered(scene->net.core, ticket, &answer, gz_clock_now());
        free(path);
        free(job);
        return;
    }
    *job = (struct query_job){.scenes = scene->scenes,
                              .scene = scene,
                              .path = path,
                              .ticket = ticket,
                              .query = *question};
    job->work.data = job;
    scene->query_count++;
    uv_queue_work(scene->scenes->loop, &job->work, work_on_query, handle_query_done);
}

/* ---- opening and closing one ---- */

static void handle_async_closed(uv_handle_t *handle)
{
    struct gz_open_scene *scene = handle->data;
    free(scene->path);
    free(scene);
}

/* Its memory lives until the loop has closed its handle. */
static void close_scene(struct gz_open_scene *scene)
{
    gz_surfaces_cancel(scene);
    gz_store_close(scene->store); /* first: a batch on its way may point into the core */
    gz_core_destroy(scene->net.core);
    if (scene->held != NULL)
        gz_batch_destroy(
            scene->held); /* of visits: it has no bytes of the core's, as an import has */
    scene->net.core = NULL;
    scene->store = NULL;
    uv_close((uv_handle_t *)&scene->committed, handle_async_closed);
}

static void unlink_scene(struct gz_open_scene *scene)
{
    struct gz_open_scene **link = &scene->scenes->open;
    while (*link != scene) link = &(*link)->next;
    *link = scene->next;
}

/* The one asked for last is the first. */
static void link_scene(struct gz_open_scene *scene)
{
    scene->next = scene->scenes->open;
    scene->scenes->open = scene;
}

void gz_scenes_hide(struct gz_open_scene *scene)
{
    unlink_scene(scene);
    scene->scenes->count--;
}

void gz_scenes_drop(struct gz_open_scene *scene)
{
    gz_net_remove(scene->scenes->net, &scene->net);
    close_scene(scene);
}

/* Nobody is there, and nothing is on its way to the disk or to a worker: an import that waits is
 * the core's to count, and who retires it closes it too. */
static bool is_unused(const struct gz_open_scene *scene)
{
    return scene->net.connections == NULL && scene->query_count == 0 && !scene->net.touched &&
           gz_core_is_idle(scene->net.core) &&
           gz_retire_check(scene->scenes, scene->name, NULL) == GZ_OK;
}

/* Closes the unused scene that was asked for longest ago; false where all are in use. */
static bool make_room(struct gz_scenes *scenes)
{
    struct gz_open_scene *unused = NULL;
    for (struct gz_open_scene *scene = scenes->open; scene != NULL; scene = scene->next) {
        if (is_unused(scene)) unused = scene;
    }
    if (unused == NULL) return false;
    gz_log(scenes->log, GZ_INFO, 0, "%s: closed, to make room for another", unused->name);
    gz_scenes_hide(unused);
    gz_scenes_drop(unused);
    return true;
}

static enum gz_status fill_scene(struct gz_open_scene *scene, bool create, struct gz_error *error)
{
    struct gz_scenes *scenes = scene->scenes;
    struct gz_scene_state state;
    struct gz_store_options options = {.path = scene->path,
                                       .create = create,
                                       .time = gz_clock_now().unix_s,
                                       .recorded = scenes->recorded,
                                       .kept = scenes->kept,
                                       .notify = handle_notify,
                                       .context = scene,
                                       .log = scenes->log};
    enum gz_status status = gz_store_open(&scene->store, &options, &state, error);
    if (status != GZ_OK) {
        scene->store = NULL;
        return status;
    }
    struct gz_core_options core = {.scene = scene->name,
                                   .host = {.context = scene,
                                            .commit = commit,
                                            .query = query,
                                            .discard = discard,
                                            .release = release,
                                            .find_key = find_key,
                                            .find_note_key = find_note_key,
                                            .kept_since = kept_since},
                                   .log = scenes->log,
                                   .errors = scenes->errors,
                                   .server = scenes->server,
                                   .messages_per_s = scenes->messages_per_s,
                                   .frame_headroom = gz_net_frame_headroom()};
    scene->net.core = gz_core_create(&core, &state);
    gz_scene_state_finish(&state);
    return scene->net.core != NULL ? GZ_OK : gz_fail(error, GZ_NO_MEMORY, "out of memory");
}

static enum gz_status open_scene(struct gz_scenes *scenes, const char *name, bool create,
                                 struct gz_open_scene **out, struct gz_error *error)
{
    if (!create && !gz_scene_exists(scenes, name))
        return gz_fail(error, GZ_UNKNOWN_SCENE, "there is no scene %s", name);
    if (scenes->count == GZ_SCENES_MAX && !make_room(scenes))
        return gz_fail(error, GZ_TOO_MANY, "too many scenes are open");
    struct gz_open_scene *scene = calloc(1, sizeof *scene);
    if (scene == NULL) return gz_fail(error, GZ_NO_MEMORY, "out of memory");
    scene->scenes = scenes;
    scene->path = gz_scene_path(scenes, name);
    snprintf(scene->name, sizeof scene->name, "%s", name);
    if (scene->path == NULL ||
        uv_async_init(scenes->loop, &scene->committed, handle_committed) != 0) {
        free(scene->path);
        free(scene);
        return gz_fail(error, GZ_NO_MEMORY, "out of memory");
    }
    scene->committed.data = scene;
    enum gz_status status = fill_scene(scene, create, error);
    if (status != GZ_OK) {
        close_scene(scene);
        return status;
    }
    link_scene(scene);
    scenes->count++;
    gz_net_add(scenes->net, &scene->net);
    gz_surfaces_begin(scene);
    struct gz_core_summary summary = gz_core_summary(scene->net.core);
    gz_log(scenes->log, GZ_INFO, 0, "%s: open, %" PRIu64 " nodes, seq %" PRIu64 ", epoch %" PRIu64,
           name, summary.nodes, summary.seq, summary.epoch);
    *out = scene;
    return GZ_OK;
}

static bool has_file(const struct gz_open_scene *scene)
{
    return access(scene->path, F_OK) == 0 || errno != ENOENT;
}

enum gz_status gz_scenes_find(struct gz_scenes *scenes, const char *name, bool create,
                              struct gz_open_scene **scene, struct gz_error *error)
{
    enum gz_status status = gz_scene_name_check("scene", name, error);
    if (status == GZ_OK) status = gz_retire_check(scenes, name, error);
    if (status != GZ_OK) return status;
    *scene = gz_scenes_find_open(scenes, name);
    if (*scene == NULL) return open_scene(scenes, name, create, scene, error);
    if (!has_file(*scene)) {
        retire_gone(*scene);
        return gz_fail(error, GZ_UNKNOWN_SCENE, "scene: the file of %s was moved or deleted", name);
    }
    unlink_scene(*scene);
    link_scene(*scene);
    return GZ_OK;
}

/* ---- the network's host ---- */

static enum gz_status host_find(void *context, struct gz_text name, bool create,
                                struct gz_net_scene **scene, struct gz_error *error)
{
    char terminated[GZ_SCENE_NAME_BYTES_MAX + 1] = "";
    struct gz_open_scene *found = NULL;
    if (name.size < sizeof terminated) memcpy(terminated, name.bytes, name.size);
    enum gz_status status = gz_scenes_find(context, terminated, create, &found, error);
    if (status == GZ_OK) *scene = &found->net;
    return status;
}

static enum gz_status host_admit(void *context, const struct gz_http_request *request,
                                 struct gz_error *error)
{
    return gz_transfer_admit(context, request, error);
}

static void host_serve(void *context, struct gz_http_request *request)
{
    gz_transfer_serve(context, request);
}

/* A commit that runs is as slow as it has been so far. */
static double commit_seconds(const struct gz_open_scene *scene, const struct gz_store_stats *stats)
{
    double running_s = scene->commit_from_s > 0 ? gz_clock_now().mono_s - scene->commit_from_s : 0;
    return running_s > stats->last_commit_s ? running_s : stats->last_commit_s;
}

static bool host_healthy(void *context, struct gz_error *error)
{
    const struct gz_scenes *scenes = context;
    for (struct gz_open_scene *scene = scenes->open; scene != NULL; scene = scene->next) {
        struct gz_store_stats stats = gz_store_stats(scene->store);
        double seconds = commit_seconds(scene, &stats);
        if (stats.last_status != GZ_OK) {
            gz_fail(error, GZ_STORAGE, "%s: the last commit failed", scene->name);
            return false;
        }
        if (seconds > GZ_COMMIT_SECONDS_MAX) {
            gz_fail(error, GZ_STORAGE, "%s: the last commit took %.1f s", scene->name, seconds);
            return false;
        }
    }
    return true;
}

enum measure {
    NODES,
    SEQ,
    SAVED,
    USERS,
    COMMITS,
    ROWS,
    WAL_BYTES,
    COMMIT_SECONDS,
    TRIANGLES,
    SURFACE_BYTES,
    MEASURE_COUNT
};

static double measure_scene(const struct gz_open_scene *scene, enum measure measure)
{
    struct gz_core_summary summary = gz_core_summary(scene->net.core);
    struct gz_store_stats stats = gz_store_stats(scene->store);
    switch (measure) {
    case NODES: return (double)summary.nodes;
    case SEQ: return (double)summary.seq;
    case SAVED: return (double)summary.saved;
    case USERS: return (double)summary.users;
    case COMMITS: return (double)stats.commits;
    case ROWS: return (double)stats.rows;
    case WAL_BYTES: return (double)stats.wal_bytes;
    case COMMIT_SECONDS: return commit_seconds(scene, &stats);
    case TRIANGLES: return (double)summary.triangles;
    case SURFACE_BYTES: return (double)(summary.surface_bytes + summary.surface_bytes_before);
    case MEASURE_COUNT: break;
    }
    return 0;
}

static bool host_measure(void *context, struct gz_buffer *out)
{
    static const struct {
        const char *name, *type, *help;
    } lines[MEASURE_COUNT] = {
        [NODES] = {"scene_nodes", "gauge", "Nodes alive."},
        [SEQ] = {"scene_seq", "gauge", "The seq of the latest change."},
        [SAVED] = {"scene_saved", "gauge", "The seq up to which all is on stable storage."},
        [USERS] = {"scene_users", "gauge", "Sessions."},
        [COMMITS] = {"scene_commits_total", "counter", "Commits since it was opened."},
        [ROWS] = {"scene_rows_total", "counter", "Rows written since it was opened."},
        [WAL_BYTES] = {"scene_wal_bytes", "gauge", "Bytes in the write-ahead log."},
        [COMMIT_SECONDS] = {"scene_commit_seconds", "gauge", "How long the last commit took."},
        [TRIANGLES] = {"scene_triangles", "gauge",
                       "Triangles that nodes are picked by; 0 until they are loaded."},
        [SURFACE_BYTES] = {"scene_surface_bytes", "gauge",
                           "Bytes of the triangles that nodes are picked by."},
    };
    const struct gz_scenes *scenes = context;
    bool ok = gz_text_print(
        out, "# HELP gizmod_scenes Scenes open.\n# TYPE gizmod_scenes gauge\ngizmod_scenes %zu\n",
        scenes->count);
    for (int i = 0; i < MEASURE_COUNT; i++) {
        ok = ok && gz_text_print(out, "# HELP gizmod_%s %s\n# TYPE gizmod_%s %s\n", lines[i].name,
                                 lines[i].help, lines[i].name, lines[i].type);
        for (const struct gz_open_scene *scene = scenes->open; ok && scene != NULL;
             scene = scene->next) {
            ok = gz_text_print(out, "gizmod_%s{scene=\"%s\"} %.17g\n", lines[i].name, scene->name,
                               measure_scene(scene, (enum measure)i));
        }
    }
    return ok;
}

struct gz_net_host gz_scenes_host(struct gz_scenes *scenes)
{
    return (struct gz_net_host){.context = scenes,
                                .errors = scenes->errors,
                                .find = host_find,
                                .admit = host_admit,
                                .serve = host_serve,
                                .healthy = host_healthy,
                                .measure = host_measure};
}

/* ---- all of them ---- */

enum gz_status gz_scenes_create(struct gz_scenes **out, const struct gz_scenes_options *options,
                                struct gz_error *error)
{
    struct stat status;
    if (mkdir(options->folder, S_IRWXU) != 0 && errno != EEXIST) {
        return gz_fail(error, GZ_STORAGE, "--data: cannot make %s: %s", options->folder,
                       strerror(errno));
    }
    if (stat(options->folder, &status) != 0 || !S_ISDIR(status.st_mode)) {
        return gz_fail(error, GZ_STORAGE, "--data: %s is not a folder", options->folder);
    }
    if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        gz_log(options->log, GZ_WARN, 0,
               "--data: others than its owner may look into %s (mode %03o): chmod 700 ends that",
               options->folder, (unsigned)(status.st_mode & 0777));
    }
    struct gz_scenes *scenes = calloc(1, sizeof *scenes);
    if (scenes == NULL) return gz_fail(error, GZ_NO_MEMORY, "out of memory");
    *scenes = (struct gz_scenes){.loop = options->loop,
                                 .log = options->log,
                                 .folder = options->folder,
                                 .server = options->server,
                                 .messages_per_s = options->messages_per_s,
                                 .recorded = options->recorded,
                                 .kept = options->kept};
    gz_transfer_tidy(scenes);
    *out = scenes;
    return GZ_OK;
}

void gz_scenes_end(struct gz_scenes *scenes, const char *reason, double retry_s)
{
    struct gz_bye bye = {.reason = {reason, strlen(reason)}, .retry_s = retry_s};
    for (struct gz_open_scene *scene = scenes->open; scene != NULL; scene = scene->next) {
        gz_core_end_all(scene->net.core, &bye, gz_clock_now());
        scene->net.touched = true;
    }
}

bool gz_scenes_are_idle(const struct gz_scenes *scenes)
{
    for (const struct gz_open_scene *scene = scenes->open; scene != NULL; scene = scene->next) {
        if (scene->net.touched || !gz_core_is_idle(scene->net.core)) return false;
    }
    return scenes->jobs == NULL && gz_retire_is_idle(scenes);
}

static bool is_saved(const struct gz_open_scene *scene)
{
    bool is_taken = gz_store_stats(scene->store).last_status == GZ_OK;
    return is_taken && !scene->net.touched && gz_core_is_idle(scene->net.core);
}

bool gz_scenes_are_saved(const struct gz_scenes *scenes)
{
    const struct gz_open_scene *scene = scenes->open;
    while (scene != NULL && is_saved(scene)) scene = scene->next;
    return scene == NULL;
}

void gz_scenes_say_unsaved(const struct gz_scenes *scenes)
{
    for (const struct gz_open_scene *scene = scenes->open; scene != NULL; scene = scene->next) {
        if (!is_saved(scene))
            gz_log(scenes->log, GZ_ERROR, 0,
                   "%s: not saved: what was done last and was not acknowledged", scene->name);
    }
}

void gz_scenes_close(struct gz_scenes *scenes)
{
    scenes->closing = true;
    gz_retire_cancel(scenes);
    gz_transfer_cancel(scenes);
    struct gz_open_scene *next;
    for (struct gz_open_scene *scene = scenes->open; scene != NULL; scene = next) {
        next = scene->next;
        close_scene(scene);
    }
    scenes->open = NULL;
}

void gz_scenes_destroy(struct gz_scenes *scenes)
{
    free(scenes);
}
