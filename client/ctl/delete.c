/* delete.c - `gizmoctl delete`: deletes nodes. */
#include "ctl.h"

static const struct gz_arg_option options[] = {
    CTL_KEY_OPTION,
    {0},
};

static enum gz_status find_nodes(const struct ctl_args *args, const struct gz_mirror *mirror,
                                 uint64_t *ids, struct gz_error *error)
{
    enum gz_status status = GZ_OK;
    for (int i = 1; status == GZ_OK && i < args->said.operand_count; i++)
        status = ctl_name_node(mirror, args->operands[i], &ids[i - 1], error);
    return status;
}

static enum ctl_exit run(const struct ctl_args *args)
{
    struct gz_client *client;
    enum ctl_exit result = ctl_join(args, GZ_ROLE_EDITOR, &client);
    if (result != CTL_OK) return result;
    uint64_t ids[GZ_ARG_OPERANDS_MAX];
    struct gz_error error = {0};
    struct gz_message done, message = {.op = GZ_OP_DELETE};
    message.remove = (struct gz_ids){ids, (size_t)args->said.operand_count - 1};
    enum gz_status status = find_nodes(args, gz_client_mirror(client), ids, &error);
    if (status == GZ_OK) status = ctl_request_edit(args, client, &message, &done, &error);
    gz_client_destroy(client);
    return status == GZ_OK ? ctl_put_answer(args, &done) : ctl_fail(args, &error);
}

const struct ctl_command ctl_delete = {
    .usage.name = "delete",
    .usage.operands = "SCENE NODE...",
    .usage.summary = "Deletes nodes with all below them, as one edit, and waits until it is on "
                     "disk.",
    .usage.notes =
        "NODE is " CTL_NODE_FORMS ". undo brings the nodes back. To repeat a delete with "
        "its --key, name the nodes by their ids.",
    .usage.options = options,
    .run = run,
};
