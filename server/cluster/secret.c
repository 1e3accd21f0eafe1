/* Reads the common secret of a cluster's members. */
#include "cluster/secret.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OPEN_TO_OTHERS (S_IROTH | S_IWOTH | S_IWGRP)

static enum gz_status fail(struct gz_error *error, const char *path, const char *words)
{
    return gz_fail(error, GZ_BAD_VALUE, "%s: %s", path, words);
}

/* One byte more than is allowed shows that it is too long. */
static enum gz_status read_open(int file, const char *path, char text[], size_t *size,
                                struct gz_error *error)
{
    struct stat stat;
    if (fstat(file, &stat) != 0) return fail(error, path, strerror(errno));
    if (!S_ISREG(stat.st_mode)) return fail(error, path, "not a regular file");
    if ((stat.st_mode & OPEN_TO_OTHERS) != 0)
        return fail(error, path, "other users can read or change it; run chmod 600 on it");
    ssize_t taken = read(file, text, GZ_MEMBER_SECRET_BYTES_MAX + 1);
    if (taken < 0) return fail(error, path, strerror(errno));
    *size = (size_t)taken;
    return GZ_OK;
}

static enum gz_status keep(struct gz_member_secret *secret, const char *path, const char text[],
                           size_t size, struct gz_error *error)
{
    if (size <= GZ_MEMBER_SECRET_BYTES_MAX)
        while (size > 0 && (text[size - 1] == '\n' || text[size - 1] == '\r')) size--;
    if (size < GZ_MEMBER_SECRET_BYTES_MIN || size > GZ_MEMBER_SECRET_BYTES_MAX)
        return gz_fail(error, GZ_BAD_VALUE, "%s: must have %d to %d bytes", path,
                       GZ_MEMBER_SECRET_BYTES_MIN, GZ_MEMBER_SECRET_BYTES_MAX);
    memcpy(secret->bytes, text, size);
    secret->size = size;
    return GZ_OK;
}

enum gz_status gz_member_secret_load(struct gz_member_secret *secret, const char *path,
                                     struct gz_error *error)
{
    char text[GZ_MEMBER_SECRET_BYTES_MAX + 1];
    size_t size = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) return fail(error, path, strerror(errno));
    enum gz_status status = read_open(file, path, text, &size, error);
    close(file);
    if (status == GZ_OK) status = keep(secret, path, text, size, error);
    explicit_bzero(text, sizeof text);
    return status;
}
