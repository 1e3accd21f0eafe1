/* undo.c - `gizmoctl undo` and `gizmoctl redo`: take back the user's own latest edit, or make it
 * again. */
#include "ctl.h"

static const struct gz_arg_option options[] = {
    {"--force", .help = "undo or redo even if another user changed the same nodes since"},
    CTL_KEY_OPTION,
    {0},
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
    .usage.name = "undo",
    .usage.operands = "SCENE",
    .usage.summary = "Undoes your latest edit: the latest with the same --user or token.",
    .usage.options = options,
    .run = run_undo,
};

const struct ctl_command ctl_redo = {
    .usage.name = "redo",
    .usage.operands = "SCENE",
    .usage.summary = "Redoes the edit that your latest undo took back.",
    .usage.options = options,
    .run = run_redo,
};
