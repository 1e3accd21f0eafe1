/* mv.c - `gizmoctl mv`: gives a scene another name. */
#include <string.h>

#include "ctl.h"
#include "proto/limits.h"

static enum ctl_exit run(const struct ctl_args *args)
{
    char path[CTL_PATH_BYTES], body[GZ_SCENE_NAME_BYTES_MAX + 16];
    struct gz_error error = {0};
    json_t *answer;
    ctl_scene_path(args, args->operands[0], "", path);
    snprintf(body, sizeof body, "{\"name\":\"%s\"}",
             args->operands[1]); /* a name needs no escapes */
    const struct gz_http http = {.method = "PATCH",
                                 .path = path,
                                 .type = "application/json",
                                 .body = body,
                                 .body_size = strlen(body)};
    enum gz_status status = ctl_http(args, http, &answer, &error);
    json_decref(answer);
    return ctl_finish(args, status, &error);
}

const struct ctl_command ctl_mv = {
    .usage.name = "mv",
    .usage.operands = "SCENE NEW-SCENE",
    .usage.summary = "Renames a scene, with its history.",
    .usage.notes = "People in the scene are disconnected, and find it under the new name.",
    .run = run,
};
