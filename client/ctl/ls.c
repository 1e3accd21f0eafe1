/* ls.c - `gizmoctl ls`: lists the scenes, or the nodes of one scene. */
#include <inttypes.h>

#include "ctl.h"

static const struct gz_arg_option options[] = {
    {"--json", .help = "print a JSON object per line"},
    {0},
};

static void print_scene(json_t *scene)
{
    const char *name = json_string_value(json_object_get(scene, "name"));
    const json_t *users = json_object_get(scene, "users");
    size_t count =
        json_is_array(users) ? json_array_size(users) : (size_t)json_integer_value(users);
    printf("%-24s  %8" JSON_INTEGER_FORMAT " nodes  seq %-10" JSON_INTEGER_FORMAT "  %zu users\n",
           name != NULL ? name : "?", json_integer_value(json_object_get(scene, "nodes")),
           json_integer_value(json_object_get(scene, "seq")), count);
}

static enum ctl_exit list_scenes(const struct ctl_args *args)
{
    struct gz_error error = {0};
    json_t *scenes;
    enum gz_status status =
        ctl_http(args, (struct gz_http){.method = "GET", .path = "/scenes"}, &scenes, &error);
    if (status == GZ_OK && !json_is_array(scenes))
        status = gz_fail(&error, GZ_INTERNAL, "the server's list of scenes is not a JSON list");
    size_t i;
    json_t *scene;
    json_array_foreach(scenes, i, scene)
    {
        if (args->json)
            ctl_put_json(stdout, json_incref(scene));
        else
            print_scene(scene);
    }
    json_decref(scenes);
    return status == GZ_OK ? ctl_finish_output(args) : ctl_fail(args, &error);
}

static enum ctl_exit list_nodes(const struct ctl_args *args)
{
    struct gz_client *client;
    enum ctl_exit result = ctl_join(args, GZ_ROLE_VIEWER, &client);
    if (result != CTL_OK) return result;
    const struct gz_mirror *mirror = gz_client_mirror(client);
    bool json = args->json;
    if (!json)
        printf("%s  seq %" PRIu64 "  %zu nodes\n", args->operands[0], gz_mirror_seq(mirror),
               gz_mirror_count(mirror));
    struct gz_error error = {.status = GZ_NO_MEMORY, .message = "no memory"};
    result =
        ctl_print_tree(stdout, mirror, json) ? ctl_finish_output(args) : ctl_fail(args, &error);
    gz_client_destroy(client);
    return result;
}

static enum ctl_exit run(const struct ctl_args *args)
{
    return args->operands[0] == NULL ? list_scenes(args) : list_nodes(args);
}

const struct ctl_command ctl_ls = {
    .usage.name = "ls",
    .usage.operands = "[SCENE]",
    .usage.summary = "Lists the scenes, or the nodes of one scene as a tree.",
    .usage.notes =
        "The line of a node has its id, its name, its transform relative to its parent, and the "
        "world bounds of it and all below it, in metres. t is in metres, r in degrees about x, y "
        "and z, each about the axis as turned by the one before, and s in factors.",
    .usage.options = options,
    .run = run,
};
