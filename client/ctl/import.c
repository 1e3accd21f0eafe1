/* import.c - `gizmoctl import`: makes a scene of a glTF file, or adds the file to a scene. */
#include <inttypes.h>
#include <string.h>

#include "ctl.h"
#include "gltf/gltf.h"
#include "proto/limits.h"

/* Matrices of floats are off by less. */
#define RESIDUAL_SAID 1e-6

static const struct gz_arg_option options[] = {
    {"--replace", .help = "replace an existing scene, as one edit"},
    {"--into", GZ_ARG_TEXT, "SCENE",
     .help = "add the nodes to this scene, which exists, as one edit that can be undone"},
    {"--parent", GZ_ARG_TEXT, "NODE",
     .help = "with --into: below this node, by name or id; without it at the root"},
    {0},
};

/* What is to be done with the file. */
struct task {
    const char *scene;
    bool adds;
    uint64_t parent; /* 0 for the root */
};

static void print_path(const struct ctl_args *args, const struct task *task,
                       char path[CTL_PATH_BYTES])
{
    char place[GZ_SCENE_NAME_BYTES_MAX + 16], query[40] = "";
    if (task->parent > 0) (void)snprintf(query, sizeof query, "parent=%" PRIu64 "&", task->parent);
    (void)snprintf(place, sizeof place, "%s%s", task->scene, task->adds ? "/import" : "");
    ctl_scene_path(args, place, ctl_get(args, "--replace")->given ? "replace&" : query, path);
}

static enum gz_status send_file(const struct ctl_args *args, const struct task *task,
                                const struct gz_buffer *file, json_t **answer,
                                struct gz_error *error)
{
    char path[CTL_PATH_BYTES];
    print_path(args, task, path);
    const struct gz_http http = {
        .method = task->adds ? "POST" : "PUT",
        .path = path,
        .type = gz_gltf_media_type(file->data, file->size),
        .body = file->data,
        .body_size = file->size,
    };
    return ctl_http(args, http, answer, error);
}

/* Whether what is wrong there was said before the file was sent. */
static bool is_said(const struct gz_flaws *flaws, const char *warning)
{
    const char *colon = strstr(warning, ": ");
    size_t place = colon != NULL ? (size_t)(colon - warning) + 2 : strlen(warning);
    for (size_t i = 0; i < flaws->count && i < GZ_FLAWS_SAID_MAX; i++)
        if (strncmp(flaws->said[i], warning, place) == 0) return true;
    return false;
}

/* What of the file cannot be used, one line each, and how far its matrices are from what is kept.
 */
static void warn(const struct ctl_args *args, const struct gz_flaws *flaws, json_t *answer)
{
    size_t i;
    json_t *warning;
    double residual = json_number_value(json_object_get(answer, "residual"));
    for (i = 0; i < flaws->count && i < GZ_FLAWS_SAID_MAX; i++) ctl_warn(args, flaws->said[i]);
    json_array_foreach(json_object_get(answer, "warnings"), i, warning)
    {
        const char *text = json_string_value(warning);
        if (text != NULL && !is_said(flaws, text)) ctl_warn(args, text);
    }
    if (residual > RESIDUAL_SAID) {
        char text[160];
        (void)snprintf(text, sizeof text,
                       "a matrix shears, which a translation, a rotation and a scale cannot; what "
                       "is kept is off by up to %.2g of its size",
                       residual);
        ctl_warn(args, text);
    }
}

/* Asks the scene which node is meant. */
static enum ctl_exit find_parent(const struct ctl_args *args, struct task *task)
{
    struct gz_client *client;
    struct gz_error error = {0};
    struct ctl_args there = *args;
    there.operands = &task->scene;
    enum ctl_exit result = ctl_join(&there, GZ_ROLE_VIEWER, &client);
    if (result != CTL_OK) return result;
    enum gz_status status = ctl_find_parent(gz_client_mirror(client),
                                            ctl_get(args, "--parent")->text, &task->parent, &error);
    gz_client_destroy(client);
    return status == GZ_OK ? CTL_OK : ctl_fail(args, &error);
}

static enum ctl_exit read_task(const struct ctl_args *args, struct task *task)
{
    const struct gz_arg *into = ctl_get(args, "--into");
    const bool has_parent = ctl_get(args, "--parent")->given;
    const char *scene = args->operands[1];
    *task = (struct task){.scene = into->given ? into->text : scene, .adds = into->given};
    if (into->given && scene != NULL)
        return ctl_usage(args, "SCENE: \"%s\" is one too many beside --into", scene);
    if (into->given && ctl_get(args, "--replace")->given)
        return ctl_usage(args, "--into adds to a scene, and --replace replaces it");
    if (into->given && ctl_check_scene(args, into->text) != CTL_OK) return CTL_USAGE;
    if (has_parent && !into->given) return ctl_usage(args, "--parent needs --into");
    if (task->scene == NULL) return ctl_usage(args, "SCENE is missing");
    return has_parent ? find_parent(args, task) : CTL_OK;
}

static enum ctl_exit run(const struct ctl_args *args)
{
    struct task task;
    enum ctl_exit result = read_task(args, &task);
    if (result != CTL_OK) return result;
    struct gz_error error = {0};
    struct gz_flaws flaws = {0};
    struct gz_buffer file;
    gz_buffer_init(&file, GZ_ASSET_BYTES_MAX, 0);
    enum gz_status status = gz_gltf_load(&file, args->operands[0], &flaws, &error);
    if (status != GZ_OK) error.status = GZ_INTERNAL; /* the error is not from the server */
    json_t *answer = NULL;
    if (status == GZ_OK) status = send_file(args, &task, &file, &answer, &error);
    gz_buffer_finish(&file);
    if (status != GZ_OK) return ctl_fail(args, &error);
    if (args->json && json_object_set_new(answer, "op", json_string("ok")) == 0)
        ctl_put_json(stdout, json_incref(answer));
    else
        printf("%s: %" JSON_INTEGER_FORMAT " nodes%s\n", task.scene,
               json_integer_value(json_object_get(answer, "nodes")), task.adds ? " added" : "");
    warn(args, &flaws, answer);
    json_decref(answer);
    return ctl_finish_output(args);
}

const struct ctl_command ctl_import = {
    .usage.name = "import",
    .usage.operands = "FILE [SCENE]",
    .usage.summary = "Makes a scene from a glTF 2.0 file (.glb or .gltf), or adds the file to one: "
                     "nodes, names, hierarchy, transforms, bounds.",
    .usage.notes =
        "Files that a .gltf refers to are uploaded too, if they are in its folder or "
        "below. The daemon keeps the file for viewers and for export. NODE is " CTL_NODE_FORMS ".",
    .usage.options = options,
    .run = run,
};
