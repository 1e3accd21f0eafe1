/* rm.c - `gizmoctl rm`: deletes a scene. */
#include "ctl.h"

static enum ctl_exit run(const struct ctl_args *args)
{
    char path[CTL_PATH_BYTES];
    struct gz_error error = {0};
    json_t *answer;
    ctl_scene_path(args, args->operands[0], "", path);
    enum gz_status status =
        ctl_http(args, (struct gz_http){.method = "DELETE", .path = path}, &answer, &error);
    json_decref(answer);
    return ctl_finish(args, status, &error);
}

const struct ctl_command ctl_rm = {
    .usage.name = "rm",
    .usage.operands = "SCENE",
    .usage.summary = "Deletes a scene, with its file and its history, without asking.",
    .usage.notes = "This is final: gizmoctl backup SCENE FILE.db keeps a copy. People in the scene "
                   "are disconnected.",
    .run = run,
};
