/* revert.c - `gizmoctl revert`: takes back one edit. */
#include "ctl.h"
#include "proto/limits.h"

static const struct gz_arg_option options[] = {
    {"--force", .help = "revert even if someone, or you, changed the same nodes since"},
    {"--admin", .help = "ask for the role admin, which the edits of others need"},
    CTL_KEY_OPTION,
    {0},
};

static enum ctl_exit run(const struct ctl_args *args)
{
    struct gz_message message = {.op = GZ_OP_REVERT,
                                 .revert.force = ctl_get(args, "--force")->given};
    if (!ctl_read_id(args->operands[1], &message.revert.edit) || message.revert.edit >= GZ_ID_LIMIT)
        return ctl_usage(args, "EDIT: \"%s\" is not the number of an edit (see history)",
                         args->operands[1]);
    return ctl_perform(args, ctl_get(args, "--admin")->given ? GZ_ROLE_ADMIN : GZ_ROLE_EDITOR,
                       &message);
}

const struct ctl_command ctl_revert = {
    .usage.name = "revert",
    .usage.operands = "SCENE EDIT",
    .usage.summary =
        "Reverts one edit, however old, by a new edit. The edits of others need --admin.",
    .usage.notes = "history lists the numbers of the edits. To take back a revert, use undo if the "
                   "edit was another user's, and redo if it was your own.",
    .usage.options = options,
    .run = run,
};
