/* file.c - reads a small regular file as a whole. */
#include "proto/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One byte more than is allowed shows that the file is too long. */
static enum gz_status read_open(int descriptor, size_t bytes_max, struct gz_file *file,
                                struct gz_error *error)
{
    struct stat stat;
    if (fstat(descriptor, &stat) != 0) return gz_fail(error, GZ_BAD_VALUE, "%s", strerror(errno));
    if (!S_ISREG(stat.st_mode)) return gz_fail(error, GZ_BAD_VALUE, "is not a regular file");
    file->mode = stat.st_mode;
    ssize_t taken = 1;
    while (taken > 0 && file->size <= bytes_max) {
        taken = read(descriptor, file->bytes + file->size, bytes_max + 1 - file->size);
        if (taken > 0) file->size += (size_t)taken;
    }
    if (taken < 0) return gz_fail(error, GZ_BAD_VALUE, "%s", strerror(errno));
    if (file->size > bytes_max)
        return gz_fail(error, GZ_TOO_LARGE, "is longer than %zu bytes", bytes_max);
    file->bytes[file->size] = '\0';
    return GZ_OK;
}

enum gz_status gz_file_read(const char *path, size_t bytes_max, struct gz_file *file,
                            struct gz_error *error)
{
    *file = (struct gz_file){.bytes = malloc(bytes_max + 1)};
    if (file->bytes == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory for the file");
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0) return gz_fail(error, GZ_BAD_VALUE, "%s", strerror(errno));
    enum gz_status status = read_open(descriptor, bytes_max, file, error);
    close(descriptor);
    return status;
}
