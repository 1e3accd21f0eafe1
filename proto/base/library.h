/* library.h - loads a shared library at run time, so that it need not be installed if it is not
 * needed. It stays loaded until the process ends. Threads: any. */
#ifndef GZ_LIBRARY_H
#define GZ_LIBRARY_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "proto/base/status.h"

/* A library and the functions that are used. One static object for each, with GZ_LIBRARY_INIT. */
struct gz_library {
    const char *file;         /* its name, which the system's loader searches for */
    const char *const *names; /* of functions */
    size_t count;
    void *table; /* receives a pointer for each name, in their order */
    pthread_mutex_t lock;
    bool is_loaded;
};

#define GZ_LIBRARY_INIT(file, names, table)                                                        \
    {                                                                                              \
        (file), (names), sizeof(names) / sizeof(names)[0], (table), PTHREAD_MUTEX_INITIALIZER,     \
            false                                                                                  \
    }

/* Loads the library, unless it is loaded, and fills its table. GZ_BAD_STATE with the loader's
 * message; the next call then tries again. `error` may be NULL. */
GZ_MUST_USE enum gz_status gz_library_load(struct gz_library *library, struct gz_error *error);

#endif
