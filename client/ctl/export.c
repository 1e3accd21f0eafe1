/* export.c - `gizmoctl export`: downloads the scene as glTF. */
#include <string.h>
#include <strings.h>

#include "ctl.h"
#include "proto/limits.h"

/* The suffix of the file and of the path to fetch; NULL for a format that is not written. */
static const char *suffix_of(const char *file)
{
    static const char *const suffixes[] = {".glb", ".gltf"};
    const char *suffix = strrchr(file, '.');
    for (size_t i = 0; suffix != NULL && i < sizeof suffixes / sizeof suffixes[0]; i++)
        if (strcasecmp(suffix, suffixes[i]) == 0) return suffixes[i];
    return NULL;
}

static const struct gz_arg_option options[] = {
    {"--ids", .help = "write the id of each node into its \"extras\", as \"gizmod_id\""},
    {0},
};

static enum ctl_exit run(const struct ctl_args *args)
{
    const char *suffix = suffix_of(args->operands[1]);
    if (suffix == NULL)
        return ctl_usage(args, "FILE: \"%s\" must end in .glb or .gltf", args->operands[1]);
    char path[GZ_SCENE_NAME_BYTES_MAX + 32];
    snprintf(path, sizeof path, "/scenes/%s/export%s%s", args->operands[0], suffix,
             ctl_get(args, "--ids")->given ? "?ids" : "");
    return ctl_download(args, path, args->operands[1], true);
}

const struct ctl_command ctl_export = {
    .usage.name = "export",
    .usage.operands = "SCENE FILE",
    .usage.summary = "Downloads a scene as glTF: its imported files as one, with the present "
                     "names, hierarchy and transforms.",
    .usage.options = options,
    .usage.notes = "FILE ends in .glb, or in .gltf for a text file with everything in it. It is "
                   "written completely or not at all. With --ids, programs that keep \"extras\", "
                   "as Blender does, can tell which node is which, even of nodes without names.",
    .run = run,
};
