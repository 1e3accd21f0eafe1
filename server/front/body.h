/* body.h - the body of a request on its way in: its bytes, and how fast they have to come. */
#ifndef GZ_FRONT_BODY_H
#define GZ_FRONT_BODY_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/buffer.h"
#include "scene/record.h"

/* ---- how fast ---- */

/* The least speed of a request's body or of taking an answer. Pure. Threads: any. */

/* Whether `bytes` are enough after `seconds`: the least rate grows with time (server/maxima.h). */
bool gz_pace_suffices(uint64_t bytes, double seconds);

/* ---- body ---- */

/* The bytes of a large request or answer. Up to GZ_BODY_MEMORY_BYTES they are in memory; a
 * larger body goes into an unnamed file in the data folder, which disappears when it is closed,
 * also after a crash. The file is mapped into memory: if the disk cannot read it, the process ends.
 *
 * Ownership: the creator's, which may pass it on as a whole. Threads: one at a time; functions that
 * write or map the file block, and are for workers. Errors: GZ_NO_MEMORY, GZ_STORAGE. */

/* On a file system without unnamed files a file has a name with this prefix for a moment. */
#define GZ_BODY_PREFIX ".body-"

struct gz_body {
    size_t size;           /* of the whole body */
    struct gz_buffer tail; /* its bytes that are not in the file */
    int file;              /* -1 for none */
    size_t written;        /* bytes of the file */
    void *map;             /* the mapped file; NULL for none */
    bool is_lent;          /* a worker has it */
};

/* NULL without memory. */
struct gz_body *gz_body_create(size_t size);
/* Frees a struct gz_body, and closes its file; NULL is fine. The type is that of a `finish`
 * function. */
void gz_body_destroy(void *body);
/* GZ_BAD_STATE while a worker has it. */
GZ_MUST_USE enum gz_status gz_body_append(struct gz_body *body, const void *bytes, size_t size);
/* Whether the bytes in memory have to be written before more comes. */
bool gz_body_is_to_be_written(const struct gz_body *body);
/* Blocks. Writes the bytes in memory to the file, which is created if it is missing. */
GZ_MUST_USE enum gz_status gz_body_write(struct gz_body *body, const char *folder,
                                         struct gz_error *error);
/* Blocks. The bytes of a complete body; they are valid until it is destroyed. */
GZ_MUST_USE enum gz_status gz_body_read(struct gz_body *body, const char *folder,
                                        const uint8_t **bytes, struct gz_error *error);

/* The SHA-256 of some bytes as text, as in gz_asset_record. GZ_NO_MEMORY. */
GZ_MUST_USE enum gz_status gz_body_digest(const uint8_t *bytes, size_t size,
                                          char text[GZ_SHA256_BYTES], struct gz_error *error);

/* Blocks. Opens an unnamed file in this folder, for reading and writing; -1 with errno on
 * failure. */
int gz_body_open_file(const char *folder);
/* Blocks. Writes all bytes to the file at this offset; false with errno on failure. */
GZ_MUST_USE bool gz_body_write_file(int file, const void *bytes, size_t size, size_t at);

#endif
