#include "ctl.h"

static const struct ctl_option options[] = {
    {"--seq", CTL_TEXT, "N|NAME", "the state to go back to (see at and history), or its checkpoint", 0, NULL},
    {"--key", CTL_TEXT, "KEY", "of the edit: the same key again changes nothing and answers the same", 0, NULL},
    {"--json", CTL_FLAG, NULL, "answer as a JSON object", 0, NULL},
    {NULL, CTL_FLAG, NULL, NULL, 0, NULL},
};

static enum ctl_exit run(const struct ctl_args *args)
{
    const struct ctl_value *seq = ctl_get(args, "--seq");
    struct gz_message message = {.op = GZ_OP_RESTORE};
    if (!seq->given) return ctl_usage(args, "--seq N|NAME is missing");
    enum ctl_exit result = ctl_read_seq(args, seq, &message.restore, &message.has);
    return result == CTL_OK ? ctl_perform(args, GZ_ROLE_EDITOR, &message) : result;
}

const struct ctl_command ctl_restore = {
    .name = "restore",
    .operands = "SCENE",
    .summary = "Makes a past state of the scene the present one, as a new edit that can be undone.",
    .options = options,
    .run = run,
};
