/* library.h - a shared library that is loaded while the program runs, so that a program which does
 * not need it does without. It stays until the process ends. Threads: any. */
#ifndef GZ_LIBRARY_H
#define GZ_LIBRARY_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "proto/base/status.h"

/* A library and what is wanted of it. One static object for each, with GZ_LIBRARY_INIT. */
struct gz_library {
    const char *file;         /* its name; it is looked for where the system has libraries */
    const char *const *names; /* of functions */
    size_t count;
    void *table; /* has a pointer to a function for each name, in their order */
    pthread_mutex_t lock;
    bool is_loaded;
};

#define GZ_LIBRARY_INIT(file, names, table)                                                        \
    {                                                                                              \
        (file), (names), sizeof(names) / sizeof(names)[0], (table), PTHREAD_MUTEX_INITIALIZER,     \
            false                                                                                  \
    }

/* Loads it, if that is not done, and fills its table. GZ_BAD_STATE in the words of the loader; then
 * the next call tries again. `error` may be NULL. */
GZ_MUST_USE enum gz_status gz_library_load(struct gz_library *library, struct gz_error *error);

#endif
