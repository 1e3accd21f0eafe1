/* secret.h - the common secret of a cluster's members, with which they authenticate: the bytes of a
 * file. Plain data. Errors: GZ_BAD_VALUE names the file, never its content. */
#ifndef GZ_CLUSTER_SECRET_H
#define GZ_CLUSTER_SECRET_H

#include <stddef.h>
#include <stdint.h>

#include "proto/base/status.h"
#include "server/maxima.h"

struct gz_member_secret {
    uint8_t bytes[GZ_MEMBER_SECRET_BYTES_MAX];
    size_t size;
};

/* Reads a regular file that other users cannot read and only its owner can change. Line ends at its
 * end do not count. */
GZ_MUST_USE enum gz_status gz_member_secret_load(struct gz_member_secret *secret, const char *path,
                                                 struct gz_error *error);

#endif
