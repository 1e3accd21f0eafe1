/* library.c - finds functions by their names. */
#include "proto/base/library.h"

#include <dlfcn.h>
#include <string.h>

static enum gz_status find(const struct gz_library *library, struct gz_error *error)
{
    void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) return gz_fail(error, GZ_BAD_STATE, "a library is missing: %s", dlerror());
    for (size_t i = 0; i < library->count; i++) {
        void *function = dlsym(handle, library->names[i]);
        if (function == NULL)
            return gz_fail(error, GZ_BAD_STATE, "%s is too old: %s", library->file, dlerror());
        memcpy((char *)library->table + i * sizeof function, &function, sizeof function);
    }
    return GZ_OK;
}

enum gz_status gz_library_load(struct gz_library *library, struct gz_error *error)
{
    (void)pthread_mutex_lock(&library->lock);
    const enum gz_status status = library->is_loaded ? GZ_OK : find(library, error);
    library->is_loaded = status == GZ_OK;
    (void)pthread_mutex_unlock(&library->lock);
    return status;
}
