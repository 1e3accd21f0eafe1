/* name.h - checks the names of scenes. Pure. Threads: any. */
#ifndef GZ_HOST_NAME_H
#define GZ_HOST_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/base/status.h"

/* [a-z0-9][a-z0-9_-]{0,63} */
bool gz_scene_name_valid(const char *name, size_t size);
/* The same as a status: GZ_BAD_VALUE, with an error that begins with `field`. */
GZ_MUST_USE enum gz_status gz_scene_name_check(const char *field, const char *name,
                                               struct gz_error *error);

#endif
