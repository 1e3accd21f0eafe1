/* backup.c - `gizmoctl backup`: downloads a copy of the scene's database. */
#include <string.h>

#include "ctl.h"
#include "proto/limits.h"

static const struct gz_arg_option options[] = {
    {"--replace", .help = "replace FILE.db if it exists"},
    {0},
};

static enum ctl_exit run(const struct ctl_args *args)
{
    char path[GZ_SCENE_NAME_BYTES_MAX + 32];
    snprintf(path, sizeof path, "/scenes/%s/backup", args->operands[0]);
    if (strcmp(args->operands[1], "-") == 0) return ctl_print_download(args, path);
    return ctl_download(args, path, args->operands[1], ctl_get(args, "--replace")->given);
}

const struct ctl_command ctl_backup = {
    .usage.name = "backup",
    .usage.operands = "SCENE FILE.db",
    .usage.summary = "Downloads a consistent copy of a scene's database, with its history. The "
                     "daemon keeps working.",
    .usage.options = options,
    .usage.notes = "FILE.db is written completely or not at all, and an existing one is kept; - is "
                   "stdout, and a copy is whole if the exit code is 0. To "
                   "restore it, copy it into the "
                   "daemon's data folder.",
    .run = run,
};
