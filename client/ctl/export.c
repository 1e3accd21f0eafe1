#include "ctl.h"

static const struct ctl_option options[] = {{NULL, CTL_FLAG, NULL, NULL, 0, NULL}};

static enum ctl_exit run(const struct ctl_args *args)
{
    char path[GZ_SCENE_NAME_BYTES_MAX + 32];
    snprintf(path, sizeof path, "/scenes/%s/export", args->operands[0]);
    return ctl_download(args, path, args->operands[1]);
}

const struct ctl_command ctl_export = {
    .name = "export",
    .operands = "SCENE FILE",
    .summary =
        "Writes the scene as glTF: the file it was made of, with names, hierarchy and transforms as they are now.",
    .notes = "It is the same kind of file that was imported (.glb or .gltf). FILE is written whole or not at all.",
    .options = options,
    .run = run,
};
