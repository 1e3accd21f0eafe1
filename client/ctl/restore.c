/* restore.c - `gizmoctl restore`: makes a past state of the scene the present one. */
#include "ctl.h"

static const struct gz_arg_option options[] = {
    {"--seq", GZ_ARG_TEXT, "N|NAME",
     .help = "the state after this change (see at and history), or of this checkpoint"},
    CTL_KEY_OPTION,
    {0},
};

static enum ctl_exit run(const struct ctl_args *args)
{
    const struct gz_arg *seq = ctl_get(args, "--seq");
    struct gz_message message = {.op = GZ_OP_RESTORE};
    if (!seq->given) return ctl_usage(args, "--seq N|NAME is missing");
    enum ctl_exit result = ctl_read_seq(args, seq, &message.restore, &message.has);
    return result == CTL_OK ? ctl_perform(args, GZ_ROLE_EDITOR, &message) : result;
}

const struct ctl_command ctl_restore = {
    .usage.name = "restore",
    .usage.operands = "SCENE",
    .usage.summary = "Restores a past state of a scene, as a new edit that can be undone.",
    .usage.options = options,
    .run = run,
};
