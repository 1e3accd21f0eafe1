/* revert.c - `gizmoctl revert`: takes back one edit. */
#include "ctl.h"
#include "proto/limits.h"

static const struct gz_arg_option options[] = {
    {"--force", .help = "also where somebody, you too, has changed the same nodes since"},
    {"--admin", .help = "ask for the role admin, which edits of others take"},
    {"--key", GZ_ARG_TEXT, "KEY",
     .help = "of the edit: the same key again changes nothing and answers the same"},
    {"--json", .help = "answer as a JSON object"},
    {0},
};

static enum ctl_exit run(const struct ctl_args *args)
{
    struct gz_message message = {.op = GZ_OP_REVERT,
                                 .revert.force = ctl_get(args, "--force")->given};
    if (!ctl_read_id(args->operands[1], &message.revert.edit) || message.revert.edit >= GZ_ID_LIMIT)
        return ctl_usage(args, "EDIT: \"%s\" is no number of an edit (see history)",
                         args->operands[1]);
    return ctl_perform(args, ctl_get(args, "--admin")->given ? GZ_ROLE_ADMIN : GZ_ROLE_EDITOR,
                       &message);
}

const struct ctl_command ctl_revert = {
    .usage.name = "revert",
    .usage.operands = "SCENE EDIT",
    .usage.summary =
        "Takes back one edit, however long ago, as a new edit; those of others with --admin.",
    .usage.notes = "The number of an edit stands in the output of history. Who reverted somebody "
                   "else's edit takes that back\n"
                   "with undo, one's own with redo.",
    .usage.options = options,
    .run = run,
};
