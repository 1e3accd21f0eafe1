/* library.h - a shared library that is loaded while the program runs, so that a program which does
 * not need it does without. It stays until the process ends. Threads: any. */
#ifndef GZ_LIBRARY_H
#define GZ_LIBRARY_H

#include <stddef.h>

#include "proto/base/status.h"

/* Loads the library of this file name, from where the system has libraries, and puts its functions
 * of these names into `table`, which has a pointer to a function for each, in their order.
 * GZ_BAD_STATE in the words of the loader. */
GZ_MUST_USE enum gz_status gz_library_load(const char *library, const char *const *names,
                                           size_t count, void *table, struct gz_error *error);

#endif
