/* Checks the names of scenes, which are parts of URLs and of file names. */
#include "host/name.h"

#include <string.h>

#include "proto/limits.h"

static bool is_name_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

bool gz_scene_name_valid(const char *name, size_t size)
{
    if (size == 0 || size > GZ_SCENE_NAME_BYTES_MAX || name[0] == '_' || name[0] == '-')
        return false;
    for (size_t i = 0; i < size; i++) {
        if (!is_name_character(name[i])) return false;
    }
    return true;
}

enum gz_status gz_scene_name_check(const char *field, const char *name, struct gz_error *error)
{
    if (gz_scene_name_valid(name, strlen(name))) return GZ_OK;
    return gz_fail(error, GZ_BAD_VALUE, "%s: a scene's name matches [a-z0-9][a-z0-9_-]{0,63}",
                   field);
}
