/* restore_backup.c - `gizmoctl restore-backup`: puts a copy of a scene's database into the data
 * folder of a daemon, which may be running. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "ctl.h"
#include "proto/limits.h"
#include "store/store.h"

static const struct gz_arg_option options[] = {
    {"--data", GZ_ARG_TEXT, "DIR", .help = "the daemon's data folder, on this machine"},
    {0},
};

/* What belongs to a database lies beside it: a copy of NAME.db alone lacks the edits in its log. */
static enum gz_status check_alone(const char *path, struct gz_error *error)
{
    char log[PATH_MAX];
    if (snprintf(log, sizeof log, "%s-wal", path) >= (int)sizeof log)
        return gz_fail(error, GZ_INTERNAL, "%s: the path is too long", path);
    if (access(log, F_OK) != 0) return GZ_OK;
    return gz_fail(error, GZ_CONFLICT, "%s is beside it, and may hold edits: take a backup instead",
                   log);
}

static void ignore_fault(void *context, const char *words)
{
    (void)context, (void)words;
}

static enum gz_status check_whole(const char *path, struct gz_error *error)
{
    struct gz_store_check check = {.handle_fault = ignore_fault};
    enum gz_status status = gz_store_check(path, &check, error);
    if (status == GZ_OK && check.faults > 0)
        status = gz_fail(error, GZ_BAD_VALUE, "%s is damaged: gizmoctl check says how", path);
    return status == GZ_STORAGE ? GZ_INTERNAL : status; /* this machine's disk, not a server's */
}

static enum ctl_exit run(const struct ctl_args *args)
{
    const struct gz_arg *data = ctl_get(args, "--data");
    const char *from = args->operands[0], *scene = args->operands[1];
    char file[PATH_MAX];
    struct gz_error error = {0};
    if (!data->given) return ctl_usage(args, "--data is missing");
    if (snprintf(file, sizeof file, "%s/%s.db", data->text, scene) >= (int)sizeof file)
        return ctl_usage(args, "--data: the path is too long");
    enum gz_status status = check_alone(from, &error);
    if (status == GZ_OK) status = check_alone(file, &error);
    if (status == GZ_OK) status = check_whole(from, &error);
    if (status == GZ_OK) status = ctl_put_copy(from, data->text, file, &error);
    error.status = status;
    return ctl_finish(args, status, &error);
}

const struct ctl_command ctl_restore_backup = {
    .usage.name = "restore-backup",
    .usage.operands = "FILE.db SCENE",
    .usage.summary = "Makes the scene SCENE from a backup, in the data folder of a daemon that may "
                     "be running.",
    .usage.options = options,
    .usage.notes = "--data is required. The backup is checked first. There must be no scene SCENE: "
                   "rm or mv it before. Run it as the daemon's user, or as root. The daemon lists "
                   "the scene at once.",
    .run = run,
};
