/* backup.c - `gizmoctl backup`: downloads copies of the databases of scenes. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "ctl.h"
#include "proto/limits.h"

static const struct gz_arg_option options[] = {
    {"--replace", .help = "replace FILE.db if it exists"},
    {"--all", GZ_ARG_TEXT, "DIR",
     .help = "instead, back up all scenes that you may see, as DIR/SCENE.db, in place of what is "
             "there"},
    {0},
};

static void print_path(char path[GZ_SCENE_NAME_BYTES_MAX + 32], const char *scene)
{
    snprintf(path, GZ_SCENE_NAME_BYTES_MAX + 32, "/scenes/%s/backup", scene);
}

/* ---- all scenes ---- */

/* One that fails is named, and keeps its earlier backup. */
static enum gz_status back_up(const struct ctl_args *args, const char *folder, const char *scene)
{
    char path[GZ_SCENE_NAME_BYTES_MAX + 32], file[PATH_MAX];
    struct gz_error error = {0}, named;
    enum gz_status status = GZ_OK;
    if (scene == NULL || !ctl_is_scene(scene))
        status =
            gz_fail(&error, GZ_INTERNAL, "the server's list has a name that no scene can have");
    else if (snprintf(file, sizeof file, "%s/%s.db", folder, scene) >= (int)sizeof file)
        status = gz_fail(&error, GZ_INTERNAL, "the path is too long");
    if (status == GZ_OK) {
        print_path(path, scene);
        status = ctl_fetch(args, path, file, true, &error);
    }
    if (status == GZ_OK) return GZ_OK;
    gz_fail(&named, status, "%s: %s", scene != NULL ? scene : "?", error.message);
    (void)ctl_fail(args, &named);
    return status;
}

static enum ctl_exit run_all(const struct ctl_args *args, const char *folder)
{
    struct gz_error error = {0};
    json_t *scenes = NULL, *scene;
    size_t i, count = 0;
    enum gz_status first = GZ_OK;
    if (mkdir(folder, S_IRWXU) != 0 && errno != EEXIST) {
        gz_fail(&error, GZ_INTERNAL, "%s: %s", folder, strerror(errno));
        return ctl_fail(args, &error);
    }
    enum gz_status status =
        ctl_http(args, (struct gz_http){.method = "GET", .path = "/scenes"}, &scenes, &error);
    if (status == GZ_OK && !json_is_array(scenes))
        status = gz_fail(&error, GZ_INTERNAL, "the server's list of scenes is not a JSON list");
    if (status != GZ_OK) {
        json_decref(scenes);
        return ctl_fail(args, &error);
    }
    json_array_foreach(scenes, i, scene)
    {
        status = back_up(args, folder, json_string_value(json_object_get(scene, "name")));
        count += status == GZ_OK;
        if (first == GZ_OK) first = status;
    }
    if (args->json)
        ctl_put_json(stdout, json_pack("{s:s,s:I,s:I}", "op", "ok", "scenes", (json_int_t)count,
                                       "failed", (json_int_t)(json_array_size(scenes) - count)));
    else
        printf("%zu of %zu scenes are in %s\n", count, json_array_size(scenes), folder);
    json_decref(scenes);
    const enum ctl_exit written = ctl_finish_output(args);
    return first == GZ_OK ? written : ctl_exit_of(first);
}

/* ---- the command ---- */

static enum ctl_exit run(const struct ctl_args *args)
{
    char path[GZ_SCENE_NAME_BYTES_MAX + 32];
    const struct gz_arg *all = ctl_get(args, "--all");
    const char *scene = args->operands[0], *file = args->operands[1];
    if (all->given)
        return scene == NULL ? run_all(args, all->text)
                             : ctl_usage(args, "--all: goes without SCENE and FILE.db");
    if (scene == NULL) return ctl_usage(args, "SCENE is missing");
    if (file == NULL) return ctl_usage(args, "FILE.db is missing");
    print_path(path, scene);
    if (strcmp(file, "-") == 0) return ctl_print_download(args, path);
    return ctl_download(args, path, file, ctl_get(args, "--replace")->given);
}

const struct ctl_command ctl_backup = {
    .usage.name = "backup",
    .usage.operands = "[SCENE] [FILE.db]",
    .usage.summary = "Downloads a consistent copy of a scene's database, with its history, or of "
                     "all scenes. The daemon keeps working.",
    .usage.options = options,
    .usage.notes = "FILE.db is written completely or not at all, and an existing one is kept; - is "
                   "stdout, and a copy is whole if the exit code is 0. Backups of scenes that are "
                   "gone stay in DIR. restore-backup puts a copy back.",
    .run = run,
};
