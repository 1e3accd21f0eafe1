#include <ctype.h>
#include <string.h>

#include "ctl.h"
#include "exchange/exchange.h"

static const struct ctl_option options[] = {
    {"--replace", CTL_FLAG, NULL, "take the place of a scene that is there, as one edit", 0, NULL},
    {NULL, CTL_FLAG, NULL, NULL, 0, NULL},
};

static enum gz_status handle_list(void *context, const void *bytes, size_t size)
{
    return gz_buffer_append(context, bytes, size);
}

/* How many nodes the daemon says the scene has now; -1 where it does not say. */
static json_int_t count_nodes(const struct ctl_args *args, const char *scene)
{
    struct gz_buffer list;
    gz_buffer_init(&list, GZ_OUTBOX_BYTES_MAX, 0);
    struct gz_http http = {.url = args->server,
                           .method = "GET",
                           .path = "/scenes",
                           .token = args->token,
                           .sink = handle_list,
                           .context = &list};
    json_t *scenes = NULL;
    if (gz_http_perform(&http, NULL) == GZ_OK) scenes = json_loadb((const char *)list.data, list.size, 0, NULL);
    gz_buffer_finish(&list);
    json_int_t nodes = -1;
    size_t i;
    json_t *entry;
    json_array_foreach(scenes, i, entry)
    {
        const char *name = json_string_value(json_object_get(entry, "name"));
        if (name != NULL && strcmp(name, scene) == 0) nodes = json_integer_value(json_object_get(entry, "nodes"));
    }
    json_decref(scenes);
    return nodes;
}

/* The path, with who does it as the query says it: each byte that is not a letter or digit as %XX. */
static void write_path(const struct ctl_args *args, char *path, size_t size)
{
    int used = snprintf(path, size, "/scenes/%s?%suser=", args->operands[1],
                        ctl_get(args, "--replace")->given ? "replace&" : "");
    for (const char *at = args->user; *at != '\0' && (size_t)used + 4 < size; at++)
        used += snprintf(path + used, size - (size_t)used, isalnum((unsigned char)*at) ? "%c" : "%%%02X",
                         (unsigned char)*at);
}

static enum gz_status put(const struct ctl_args *args, const struct gz_buffer *file, struct gz_error *error)
{
    char path[GZ_SCENE_NAME_BYTES_MAX + 3 * GZ_USER_BYTES_MAX + 64];
    write_path(args, path, sizeof path);
    struct gz_http http = {
        .url = args->server,
        .method = "PUT",
        .path = path,
        .token = args->token,
        .type = gz_gltf_media_type(file->data, file->size),
        .body = file->data,
        .body_size = file->size,
    };
    return gz_http_perform(&http, error);
}

static enum ctl_exit run(const struct ctl_args *args)
{
    struct gz_error error = {0};
    struct gz_buffer file;
    gz_buffer_init(&file, GZ_ASSET_BYTES_MAX, 0);
    enum gz_status status = gz_gltf_load(&file, args->operands[0], &error);
    if (status != GZ_OK) error.status = GZ_INTERNAL; /* no word of the server's */
    if (status == GZ_OK) status = put(args, &file, &error);
    gz_buffer_finish(&file);
    if (status != GZ_OK) return ctl_fail(args, &error);
    json_int_t nodes = count_nodes(args, args->operands[1]);
    if (nodes >= 0) printf("%s: %" JSON_INTEGER_FORMAT " nodes\n", args->operands[1], nodes);
    return ctl_finish_output(args);
}

const struct ctl_command ctl_import = {
    .name = "import",
    .operands = "FILE SCENE",
    .summary = "Makes a scene of a glTF 2.0 file (.glb or .gltf): nodes, names, hierarchy, transforms and bounds.",
    .notes = "What a .gltf refers to, beside it or below, goes along. The file is kept for viewers and for export.",
    .options = options,
    .run = run,
};
