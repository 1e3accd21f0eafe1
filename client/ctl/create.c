/* create.c - `gizmoctl create`: makes a node. */
#include <assert.h>

#include "ctl.h"

static_assert(GZ_HAS_CREATE_NODE_T == GZ_HAS_SET_NODE_T &&
                  GZ_HAS_CREATE_NODE_R == GZ_HAS_SET_NODE_R &&
                  GZ_HAS_CREATE_NODE_S == GZ_HAS_SET_NODE_S,
              "a field has the same bit in each record");

static const struct gz_arg_option options[] = {
    {"--parent", GZ_ARG_TEXT, "NODE", .help = "parent, by name or id; 0 is the root (the default)"},
    {"--copy", GZ_ARG_TEXT, "NODE",
     .help = "make a copy of this node, by name or id, with its mesh; what is not given is as "
             "there"},
    CTL_TRS_OPTIONS,
    {"--bounds", GZ_ARG_NUMBERS, "X0,Y0,Z0,X1,Y1,Z1", .count = 6,
     .help = "box in the node's own space, in metres: the smallest x, y, z, then the largest"},
    {"--new-scene", .help = "make the scene if it does not exist"},
    CTL_KEY_OPTION,
    {0},
};

/* Fills everything but the ids, which need the scene. */
static void fill(const struct ctl_args *args, struct gz_create_node *node)
{
    const struct gz_arg *bounds = ctl_get(args, "--bounds");
    const double *corners = bounds->numbers;
    node->trs = ctl_read_trs(args, &node->has);
    node->name = gz_client_text(args->operands[1]);
    node->bounds =
        (gz_box){{corners[0], corners[1], corners[2]}, {corners[3], corners[4], corners[5]}};
    if (bounds->given) node->has |= GZ_HAS_CREATE_NODE_BOUNDS;
    if (args->operands[1] != NULL) node->has |= GZ_HAS_CREATE_NODE_NAME;
}

static enum gz_status find_nodes(const struct ctl_args *args, const struct gz_mirror *mirror,
                                 struct gz_create_node *node, struct gz_error *error)
{
    const char *copy = ctl_get(args, "--copy")->text, *parent = ctl_get(args, "--parent")->text;
    enum gz_status status = GZ_OK;
    if (copy != NULL) {
        node->has |= GZ_HAS_CREATE_NODE_COPY;
        status = ctl_name_node(mirror, copy, &node->copy, error);
    }
    if (status != GZ_OK || parent == NULL) return status;
    node->has |= GZ_HAS_CREATE_NODE_PARENT;
    return ctl_find_parent(mirror, parent, &node->parent, error);
}

static void print_done(const struct ctl_args *args, const struct gz_mirror *mirror,
                       const struct gz_message *done)
{
    if (args->json) {
        ctl_put_json(stdout, ctl_json_done(done));
        return;
    }
    if (done->ok.ids.count > 0) ctl_put_node(stdout, mirror, done->ok.ids.ids[0]);
    fputs("  ", stdout);
    ctl_put_done(stdout, done);
}

static enum gz_status create(const struct ctl_args *args, struct gz_client *client,
                             struct gz_create_node *node, struct gz_error *error)
{
    uint64_t id = 0;
    struct gz_message done, message = {.op = GZ_OP_CREATE, .create = {.nodes = node, .count = 1}};
    enum gz_status status = find_nodes(args, gz_client_mirror(client), node, error);
    if (status == GZ_OK) status = ctl_request_ids(args, client, &message, &done, &id, 1, error);
    if (status == GZ_OK) print_done(args, gz_client_mirror(client), &done);
    return status;
}

static enum ctl_exit run(const struct ctl_args *args)
{
    struct gz_create_node node = {0};
    if (args->operands[1] == NULL && !ctl_get(args, "--copy")->given)
        return ctl_usage(args, "NAME is missing");
    enum ctl_exit result = ctl_check_trs(args);
    if (result != CTL_OK) return result;
    fill(args, &node);

    struct gz_client *client;
    struct gz_client_options join = ctl_client_options(args, GZ_ROLE_EDITOR);
    join.create = ctl_get(args, "--new-scene")->given;
    result = ctl_join_with(args, &join, &client);
    if (result != CTL_OK) return result;
    struct gz_error error = {0};
    enum gz_status status = create(args, client, &node, &error);
    gz_client_destroy(client);
    return status == GZ_OK ? ctl_finish_output(args) : ctl_fail(args, &error);
}

const struct ctl_command ctl_create = {
    .usage.name = "create",
    .usage.operands = "SCENE [NAME]",
    .usage.summary = "Makes a node, and waits until the edit is on disk.",
    .usage.notes =
        "A node has no mesh, unless it is a copy of one that has. Nodes below the copied one are "
        "not copied. NODE is " CTL_NODE_FORMS ". NAME may be left out with --copy. For many nodes "
        "in one edit see gizmoctl edit.",
    .usage.options = options,
    .run = run,
};
