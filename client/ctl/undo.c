#include "ctl.h"

static const struct ctl_option options[] = {
    {"--force", CTL_FLAG, NULL, "also where another user has changed the same nodes since", 0, NULL},
    {"--key", CTL_TEXT, "KEY", "of the edit: the same key again changes nothing and answers the same", 0, NULL},
    {"--json", CTL_FLAG, NULL, "answer as a JSON object", 0, NULL},
    {NULL, CTL_FLAG, NULL, NULL, 0, NULL},
};

static enum ctl_exit perform(const struct ctl_args *args, enum gz_op op)
{
    struct gz_client *client;
    enum ctl_exit result = ctl_join(args, GZ_ROLE_EDITOR, &client);
    if (result != CTL_OK) return result;
    struct gz_error error = {0};
    struct gz_message done, message = {.op = op, .force = ctl_get(args, "--force")->given};
    enum gz_status status = ctl_edit(args, client, &message, &done, &error);
    gz_client_destroy(client);
    if (status != GZ_OK) return ctl_fail(args, &error);
    if (ctl_get(args, "--json")->given)
        ctl_put_json(stdout, ctl_json_done(&done));
    else
        ctl_put_done(stdout, &done);
    return ctl_finish_output(args);
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
