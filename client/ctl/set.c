/* set.c - `gizmoctl set`: sets the transform, name or parent of a node. */
#include "ctl.h"

static const struct gz_arg_option options[] = {
    CTL_TRS_OPTIONS,
    {"--name", GZ_ARG_TEXT, "NAME", .help = "new name"},
    {"--parent", GZ_ARG_TEXT, "NODE", .help = "new parent, by name or id; 0 is the root"},
    {"--keep", .help = "with --parent: the node stays where it is in the world"},
    CTL_KEY_OPTION,
    {0},
};

/* Fills everything but the ids, which need the scene. */
static void fill(const struct ctl_args *args, struct gz_set_node *node)
{
    const struct gz_arg *name = ctl_get(args, "--name");
    node->trs = ctl_read_trs(args, &node->has);
    if (name->given) node->has |= GZ_HAS_SET_NODE_NAME;
    node->name = gz_client_text(name->text);
    node->keep = ctl_get(args, "--keep")->given;
}

static enum gz_status find_nodes(const struct ctl_args *args, const struct gz_mirror *mirror,
                                 struct gz_set_node *node, struct gz_error *error)
{
    const char *parent = ctl_get(args, "--parent")->text;
    enum gz_status status = ctl_name_node(mirror, args->operands[1], &node->id, error);
    if (status != GZ_OK || parent == NULL) return status;
    node->has |= GZ_HAS_SET_NODE_PARENT;
    return ctl_find_parent(mirror, parent, &node->parent, error);
}

static void print_done(const struct ctl_args *args, const struct gz_mirror *mirror,
                       const struct gz_set_node *node, const struct gz_message *done)
{
    if (args->json) {
        ctl_put_json(stdout, ctl_json_done(done));
        return;
    }
    const struct gz_mirror_node *now = gz_mirror_find(mirror, node->id);
    if (now != NULL) {
        struct gz_node_state state = ctl_node_state(now);
        state.has &=
            node->keep ? node->has | GZ_HAS_STATE_T | GZ_HAS_STATE_R | GZ_HAS_STATE_S : node->has;
        ctl_put_node(stdout, mirror, node->id);
        fputs("  ", stdout);
        ctl_put_state(stdout, mirror, &state);
        fputs("  ", stdout);
    }
    ctl_put_done(stdout, done);
}

static enum ctl_exit run(const struct ctl_args *args)
{
    struct gz_set_node node = {0};
    fill(args, &node);
    enum ctl_exit result = ctl_check_trs(args);
    if (result != CTL_OK) return result;
    if (node.keep && !ctl_get(args, "--parent")->given)
        return ctl_usage(args, "--keep: needs --parent");
    if (node.keep && (node.has & ~(uint64_t)GZ_HAS_SET_NODE_NAME) != 0)
        return ctl_usage(args, "--keep: takes the place of --t, --r, --euler and --s");
    if (node.has == 0 && !ctl_get(args, "--parent")->given)
        return ctl_usage(args, "nothing to set; give --t, --r, --euler, --s, --name or --parent");

    struct gz_client *client;
    result = ctl_join(args, GZ_ROLE_EDITOR, &client);
    if (result != CTL_OK) return result;
    struct gz_error error = {0};
    struct gz_message done, message = {.op = GZ_OP_SET, .set = {.nodes = &node, .count = 1}};
    enum gz_status status = find_nodes(args, gz_client_mirror(client), &node, &error);
    if (status == GZ_OK) status = ctl_request_edit(args, client, &message, &done, &error);
    if (status == GZ_OK) print_done(args, gz_client_mirror(client), &node, &done);
    gz_client_destroy(client);
    return status == GZ_OK ? ctl_finish_output(args) : ctl_fail(args, &error);
}

const struct ctl_command ctl_set = {
    .usage.name = "set",
    .usage.operands = "SCENE NODE",
    .usage.summary =
        "Sets the transform, name or parent of a node, and waits until the edit is on disk.",
    .usage.notes = "NODE is " CTL_NODE_FORMS ". Everything that is not given stays as it is.",
    .usage.options = options,
    .run = run,
};
