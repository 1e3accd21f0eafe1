#include "ctl.h"

static const struct ctl_option options[] = {
    {"--force", CTL_FLAG, NULL, "also where somebody, you too, has changed the same nodes since", 0, NULL},
    {"--admin", CTL_FLAG, NULL, "ask for the role admin, which edits of others take", 0, NULL},
    {"--key", CTL_TEXT, "KEY", "of the edit: the same key again changes nothing and answers the same", 0, NULL},
    {"--json", CTL_FLAG, NULL, "answer as a JSON object", 0, NULL},
    {NULL, CTL_FLAG, NULL, NULL, 0, NULL},
};

static enum ctl_exit run(const struct ctl_args *args)
{
    struct gz_message message = {.op = GZ_OP_REVERT, .revert.force = ctl_get(args, "--force")->given};
    if (!ctl_read_id(args->operands[1], &message.revert.edit) || message.revert.edit >= GZ_ID_LIMIT)
        return ctl_usage(args, "EDIT: \"%s\" is no number of an edit (see history)", args->operands[1]);
    return ctl_perform(args, ctl_get(args, "--admin")->given ? GZ_ROLE_ADMIN : GZ_ROLE_EDITOR, &message);
}

const struct ctl_command ctl_revert = {
    .name = "revert",
    .operands = "SCENE EDIT",
    .summary = "Takes back one edit, however long ago, as a new edit; those of others with --admin.",
    .notes =
        "The number of an edit stands in the output of history. Who reverted somebody else's edit takes that back\n"
        "with undo, one's own with redo.",
    .options = options,
    .run = run,
};
