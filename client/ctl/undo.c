#include "ctl.h"

static const struct ctl_option options[] = {
    {"--force", CTL_FLAG, NULL, "also where another user has changed the same nodes since", 0, NULL},
    {"--key", CTL_TEXT, "KEY", "of the edit: the same key again changes nothing and answers the same", 0, NULL},
    {"--json", CTL_FLAG, NULL, "answer as a JSON object", 0, NULL},
    {NULL, CTL_FLAG, NULL, NULL, 0, NULL},
};

static enum ctl_exit perform(const struct ctl_args *args, enum gz_op op)
{
    struct gz_message message = {.op = op, .force = ctl_get(args, "--force")->given};
    return ctl_perform(args, GZ_ROLE_EDITOR, &message);
}

static enum ctl_exit run_undo(const struct ctl_args *args)
{
    return perform(args, GZ_OP_UNDO);
}

static enum ctl_exit run_redo(const struct ctl_args *args)
{
    return perform(args, GZ_OP_REDO);
}

const struct ctl_command ctl_undo = {
    .name = "undo",
    .operands = "SCENE",
    .summary = "Takes back your latest edit (yours is what was done under the same --user or token).",
    .options = options,
    .run = run_undo,
};

const struct ctl_command ctl_redo = {
    .name = "redo",
    .operands = "SCENE",
    .summary = "Does again what your latest undo took back.",
    .options = options,
    .run = run_redo,
};
