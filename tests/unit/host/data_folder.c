/* The scenes of a data folder without a network: see data_folder.h. */
#include "data_folder.h"

#include <ftw.h>

#include "conn/clock.h"
#include "host/loan.h"

static void ignore_stored(void *context, struct gz_open_scene *scene)
{
    (void)context, (void)scene;
}

static void count_opened(void *context, struct gz_open_scene *scene)
{
    (void)scene;
    ((struct data_folder *)context)->opened++;
}

static void ignore_returned(void *context, struct gz_open_scene *scene)
{
    (void)context, (void)scene;
}

static void count_closing(void *context, struct gz_open_scene *scene)
{
    (void)scene;
    ((struct data_folder *)context)->closing++;
}

static void count_lost(void *context, struct gz_open_scene *scene)
{
    (void)scene;
    ((struct data_folder *)context)->lost++;
}

void data_folder_init(struct data_folder *folder)
{
    struct gz_error error;
    *folder = (struct data_folder){.path = "/tmp/gizmod-host-XXXXXX"};
    assert_non_null(mkdtemp(folder->path));
    folder->log = (struct gz_log){.level = GZ_INFO,
                                  .stream = open_memstream(&folder->lines, &folder->line_bytes)};
    assert_non_null(folder->log.stream);
    assert_int_equal(uv_loop_init(&folder->loop), 0);
    assert_int_equal(gz_jobs_init(&folder->jobs, &folder->loop, &error), GZ_OK);
    folder->setting = (struct gz_scene_setting){.loop = &folder->loop,
                                                .log = &folder->log,
                                                .folder = folder->path,
                                                .server = "test",
                                                .jobs = &folder->jobs,
                                                .errors = folder->errors,
                                                .context = folder,
                                                .handle_opened = count_opened,
                                                .handle_stored = ignore_stored,
                                                .handle_returned = ignore_returned,
                                                .handle_closing = count_closing,
                                                .handle_lost = count_lost};
    gz_scenes_init(&folder->scenes, &folder->setting);
    folder->retirements.scenes = &folder->scenes;
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *where)
{
    (void)info, (void)type, (void)where;
    return remove(path);
}

void data_folder_finish(struct data_folder *folder)
{
    gz_jobs_close(&folder->jobs);
    gz_retire_cancel(&folder->retirements);
    gz_scenes_close(&folder->scenes);
    uv_run(&folder->loop, UV_RUN_DEFAULT);
    assert_null(folder->scenes.first);
    gz_jobs_finish(&folder->jobs);
    assert_int_equal(uv_loop_close(&folder->loop), 0);
    fclose(folder->log.stream);
    free(folder->lines);
    nftw(folder->path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

int data_folder_set_up(void **state)
{
    struct data_folder *folder = malloc(sizeof *folder);
    assert_non_null(folder);
    data_folder_init(folder);
    *state = folder;
    return 0;
}

int data_folder_tear_down(void **state)
{
    data_folder_finish(*state);
    free(*state);
    return 0;
}

bool data_folder_has(const struct data_folder *folder, const char *file)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", folder->path, file);
    return access(path, F_OK) == 0;
}

unsigned data_folder_logged(struct data_folder *folder, const char *words)
{
    unsigned count = 0;
    fflush(folder->log.stream);
    for (const char *at = folder->lines; (at = strstr(at, words)) != NULL; at++) count++;
    return count;
}

struct gz_open_scene *data_folder_open(struct data_folder *folder, const char *name)
{
    struct waiter waiter;
    waiter_ask(&waiter, folder, name, true);
    while (!waiter.is_answered) uv_run(&folder->loop, UV_RUN_ONCE);
    if (waiter.scene == NULL) fail_msg("%s: %s", name, waiter.error.message);
    return waiter.scene;
}

/* As a pass of the network does it; whether the core is idle then. */
static bool has_turn(struct gz_open_scene *scene)
{
    if (scene->net.is_lent) return false;
    scene->net.touched = false;
    gz_core_turn(gz_net_core(&scene->net), gz_clock_now());
    bool has_bulk = gz_core_has_bulk(gz_net_core(&scene->net));
    if (has_bulk) gz_open_scene_lend(scene, NULL);
    return !has_bulk && gz_core_is_idle(gz_net_core(&scene->net));
}

static bool has_turns(struct data_folder *folder)
{
    bool is_idle = true;
    struct gz_open_scene *scene = NULL;
    while ((scene = gz_scenes_next(&folder->scenes, scene)) != NULL) {
        is_idle = has_turn(scene) && is_idle;
    }
    return !is_idle;
}

void data_folder_settle(struct data_folder *folder)
{
    do uv_run(&folder->loop, UV_RUN_NOWAIT); /* also if all cores are idle: a job may be done */
    while (has_turns(folder));
}

static bool has_jobs(const struct gz_jobs *jobs)
{
    for (int i = 0; i < GZ_LANE_COUNT; i++) {
        if (jobs->lanes[i].waiting != NULL || jobs->lanes[i].busy != NULL) return true;
    }
    return false;
}

void data_folder_await_jobs(struct data_folder *folder)
{
    while (has_jobs(&folder->jobs)) uv_run(&folder->loop, UV_RUN_ONCE);
}

void data_folder_close(struct data_folder *folder, struct gz_open_scene *scene)
{
    gz_scenes_hide(scene);
    gz_scenes_drop(scene);
    data_folder_await_jobs(folder);
}

/* ---- somebody who waits ---- */

static void ask(struct waiter *waiter)
{
    waiter->asked++;
    waiter->error.status = gz_scenes_find(&waiter->folder->scenes, waiter->name, waiter->create, "",
                                          &waiter->wait, &waiter->scene, &waiter->error);
    waiter->is_answered = waiter->error.status != GZ_OK || waiter->scene != NULL;
}

static void handle_again(struct gz_scene_wait *wait, const struct gz_error *error)
{
    struct waiter *waiter = wait->context;
    if (error == NULL) {
        ask(waiter);
        return;
    }
    waiter->error = *error;
    waiter->is_answered = true;
}

void waiter_ask(struct waiter *waiter, struct data_folder *folder, const char *name, bool create)
{
    *waiter = (struct waiter){.wait = {.again = handle_again, .context = waiter},
                              .folder = folder,
                              .name = name,
                              .create = create};
    ask(waiter);
}
