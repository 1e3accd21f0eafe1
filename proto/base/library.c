/* library.c - finds functions by their names. */
#include "proto/base/library.h"

#include <dlfcn.h>
#include <string.h>

enum gz_status gz_library_load(const char *library, const char *const *names, size_t count,
                               void *table, struct gz_error *error)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) return gz_fail(error, GZ_BAD_STATE, "a library is missing: %s", dlerror());
    for (size_t i = 0; i < count; i++) {
        void *function = dlsym(handle, names[i]);
        if (function == NULL)
            return gz_fail(error, GZ_BAD_STATE, "%s is too old: %s", library, dlerror());
        memcpy((char *)table + i * sizeof function, &function, sizeof function);
    }
    return GZ_OK;
}
