/* import.c - `gizmoctl import`: makes a scene of a glTF file. */
#include <string.h>

#include "ctl.h"
#include "gltf/gltf.h"
#include "proto/limits.h"

/* Matrices of floats are off by less. */
#define RESIDUAL_SAID 1e-6

static const struct gz_arg_option options[] = {
    {"--replace", .help = "replace an existing scene, as one edit"},
    {0},
};

static enum gz_status put(const struct ctl_args *args, const struct gz_buffer *file,
                          json_t **answer, struct gz_error *error)
{
    char path[CTL_PATH_BYTES];
    ctl_scene_path(args, args->operands[1], ctl_get(args, "--replace")->given ? "replace&" : "",
                   path);
    const struct gz_http http = {
        .method = "PUT",
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

static enum ctl_exit run(const struct ctl_args *args)
{
    struct gz_error error = {0};
    struct gz_flaws flaws = {0};
    struct gz_buffer file;
    gz_buffer_init(&file, GZ_ASSET_BYTES_MAX, 0);
    enum gz_status status = gz_gltf_load(&file, args->operands[0], &flaws, &error);
    if (status != GZ_OK) error.status = GZ_INTERNAL; /* the error is not from the server */
    json_t *answer = NULL;
    if (status == GZ_OK) status = put(args, &file, &answer, &error);
    gz_buffer_finish(&file);
    if (status != GZ_OK) return ctl_fail(args, &error);
    if (args->json && json_object_set_new(answer, "op", json_string("ok")) == 0)
        ctl_put_json(stdout, json_incref(answer));
    else
        printf("%s: %" JSON_INTEGER_FORMAT " nodes\n", args->operands[1],
               json_integer_value(json_object_get(answer, "nodes")));
    warn(args, &flaws, answer);
    json_decref(answer);
    return ctl_finish_output(args);
}

const struct ctl_command ctl_import = {
    .usage.name = "import",
    .usage.operands = "FILE SCENE",
    .usage.summary = "Makes a scene from a glTF 2.0 file (.glb or .gltf): nodes, names, hierarchy, "
                     "transforms, bounds.",
    .usage.notes = "Files that a .gltf refers to are uploaded too, if they are in its folder or "
                   "below. The daemon keeps the file for viewers and for export.",
    .usage.options = options,
    .run = run,
};
