/* body.h - the bytes of a large request or answer. Up to GZ_BODY_MEMORY_BYTES they are in memory;
 * beyond that they go into a file without a name in the data folder, which is gone when it is
 * closed, also after a crash. Its bytes are read in place: a disk that cannot read them ends the
 * process.
 *
 * Ownership: the creator's, who gives it on as a whole. Threads: one at a time; what writes and
 * maps the file blocks, and belongs to a worker. Errors: GZ_NO_MEMORY, or GZ_STORAGE in words. */
#ifndef GZ_NET_BODY_H
#define GZ_NET_BODY_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/buffer.h"

/* For a moment a file has a name that begins with this, where there are none without a name. */
#define GZ_BODY_PREFIX ".body-"

struct gz_body {
    size_t size;           /* that it will have */
    struct gz_buffer tail; /* its bytes that are not in the file: all if there is none */
    int file;              /* -1 for none */
    size_t written;        /* bytes of the file */
    void *map;             /* the file in memory; NULL for none */
    bool is_lent;          /* a worker has it */
};

/* NULL without memory. */
struct gz_body *gz_body_create(size_t size);
/* Frees a struct gz_body, and closes its file; NULL is fine. As a function to free by. */
void gz_body_destroy(void *body);
/* GZ_BAD_STATE while a worker has it. */
GZ_MUST_USE enum gz_status gz_body_append(struct gz_body *body, const void *bytes, size_t size);
/* Whether what is in memory is to be written before more comes. */
bool gz_body_is_to_be_written(const struct gz_body *body);
/* Blocks. Writes what is in memory to its file, which is made if it is missing. */
GZ_MUST_USE enum gz_status gz_body_write(struct gz_body *body, const char *folder,
                                         struct gz_error *error);
/* Blocks. Its bytes, all of which have come; they stay where they are until it is destroyed. */
GZ_MUST_USE enum gz_status gz_body_read(struct gz_body *body, const char *folder,
                                        const uint8_t **bytes, struct gz_error *error);

/* Blocks. Opens a file without a name in this folder, for reading and writing. Returns -1, with
 * errno, if that fails. */
int gz_body_open_file(const char *folder);
/* Blocks. Writes all of it to the file at this place; false, with errno, if that fails. */
GZ_MUST_USE bool gz_body_write_file(int file, const void *bytes, size_t size, size_t at);

#endif
