/* body.c - the body of a request on its way in: its bytes, and how fast they have to come. */
#include "front/body.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "server/maxima.h"

/* ---- how fast ---- */

/* The least speed of a body or an answer. */

#define SECONDS_PER_MINUTE 60.0

bool gz_pace_suffices(uint64_t bytes, double seconds)
{
    double counted_s = seconds - GZ_HTTP_BODY_SECONDS;
    if (counted_s <= 0) return true;
    double rate = GZ_HTTP_BODY_BYTES_PER_S * (1 + counted_s / SECONDS_PER_MINUTE);
    return seconds <= GZ_HTTP_BODY_SECONDS_MAX && (double)bytes >= rate * counted_s;
}

/* ---- body ---- */

/* The bytes of a large request or answer, in memory or in an unnamed file. */

/* Bytes that may still come while a part is written: those that the reader had read already. */
#define SLACK_BYTES (4 * GZ_HTTP_CHUNK_BYTES)

struct gz_body *gz_body_create(size_t size)
{
    struct gz_body *body = calloc(1, sizeof *body);
    if (body == NULL) return NULL;
    body->size = size;
    body->file = -1;
    gz_buffer_init(&body->tail, GZ_BODY_MEMORY_BYTES + SLACK_BYTES, 0);
    return body;
}

void gz_body_destroy(void *memory)
{
    struct gz_body *body = memory;
    if (body == NULL) return;
    if (body->map != NULL) munmap(body->map, body->written);
    if (body->file >= 0) close(body->file);
    gz_buffer_finish(&body->tail);
    free(body);
}

enum gz_status gz_body_append(struct gz_body *body, const void *bytes, size_t size)
{
    if (body->is_lent) return GZ_BAD_STATE;
    return gz_buffer_append(&body->tail, bytes, size);
}

/* The last part is not: gz_body_read writes it. */
bool gz_body_is_to_be_written(const struct gz_body *body)
{
    return body->tail.size >= GZ_BODY_MEMORY_BYTES && body->written + body->tail.size < body->size;
}

/* For a file system without unnamed files. */
static int open_and_unlink(const char *folder)
{
    char *path;
    if (asprintf(&path, "%s/" GZ_BODY_PREFIX "XXXXXX", folder) < 0) return -1;
    int file = mkostemp(path, O_CLOEXEC);
    if (file >= 0) unlink(path);
    free(path);
    return file;
}

int gz_body_open_file(const char *folder)
{
    int file = open(folder, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
    bool is_unknown = file < 0 && (errno == EOPNOTSUPP || errno == EISDIR);
    return is_unknown ? open_and_unlink(folder) : file;
}

bool gz_body_write_file(int file, const void *bytes, size_t size, size_t at)
{
    const uint8_t *from = bytes;
    while (size > 0) {
        ssize_t count = pwrite(file, from, size, (off_t)at);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        from += count;
        at += (size_t)count;
        size -= (size_t)count;
    }
    return true;
}

enum gz_status gz_body_write(struct gz_body *body, const char *folder, struct gz_error *error)
{
    if (body->file < 0) body->file = gz_body_open_file(folder);
    if (body->file < 0 ||
        !gz_body_write_file(body->file, body->tail.data, body->tail.size, body->written))
        return errno == ENOSPC || errno == EDQUOT
                   ? gz_fail_no_room(error, "no room for the uploaded file: %s", strerror(errno))
                   : gz_fail(error, GZ_STORAGE, "cannot store the uploaded file: %s",
                             strerror(errno));
    body->written += body->tail.size;
    gz_buffer_clear(&body->tail);
    return GZ_OK;
}

enum gz_status gz_body_read(struct gz_body *body, const char *folder, const uint8_t **bytes,
                            struct gz_error *error)
{
    *bytes = body->tail.data;
    if (body->file < 0) return GZ_OK;
    enum gz_status status = gz_body_write(body, folder, error);
    if (status != GZ_OK) return status;
    gz_buffer_finish(&body->tail);
    void *map = mmap(NULL, body->written, PROT_READ, MAP_SHARED, body->file, 0);
    if (map == MAP_FAILED)
        return gz_fail(error, GZ_NO_MEMORY, "no memory for the file: %s", strerror(errno));
    body->map = map;
    *bytes = map;
    return GZ_OK;
}

enum gz_status gz_body_digest(const uint8_t *bytes, size_t size, char text[GZ_SHA256_BYTES],
                              struct gz_error *error)
{
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    if (EVP_Digest(bytes, size, digest, &length, EVP_sha256(), NULL) != 1)
        return gz_fail(error, GZ_NO_MEMORY, "no memory for the digest of the file");
    for (unsigned i = 0; i < length; i++) snprintf(text + 2 * i, 3, "%02x", digest[i]);
    return GZ_OK;
}
