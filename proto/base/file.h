/* file.h - reads a small file that an operator names: keys, settings, revoked tokens. Threads: any.
 * Errors: GZ_BAD_VALUE, GZ_TOO_LARGE or GZ_NO_MEMORY with a sentence that lacks the path. */
#ifndef GZ_BASE_FILE_H
#define GZ_BASE_FILE_H

#include <stddef.h>
#include <sys/stat.h>

#include "proto/base/status.h"

struct gz_file {
    char *bytes; /* for free(); a NUL is behind them */
    size_t size;
    mode_t mode;
};

/* Reads a regular file of at most `bytes_max`, and waits for nobody. After a failure file->bytes
 * may hold a part of it, also for free(). */
GZ_MUST_USE enum gz_status gz_file_read(const char *path, size_t bytes_max, struct gz_file *file,
                                        struct gz_error *error);

#endif
