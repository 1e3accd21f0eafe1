/* inspect.c - checks a file before it is served: whether it can be written, its schema, and its
 * promises, unless a server left it as it is. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#include "server/maxima.h"
#include "store/internal.h"
#include "store/model.h"
#include "store/stamp.h"

#define READ_ONLY "this scene is read-only: "

/* Keeps the first sentence. */
static void keep(void *context, const char *words)
{
    char *first = context;
    if (first[0] == '\0') gz_print(first, GZ_ERROR_BYTES_MAX, "%s", words);
}

/* Nanoseconds that a check of the file may take. */
static uint64_t patience_ns(const char *path)
{
    struct stat file;
    uint64_t bytes = stat(path, &file) == 0 ? (uint64_t)file.st_size : 0;
    return (GZ_CHECK_SECONDS + bytes / GZ_CHECK_BYTES_PER_S) * UINT64_C(1000000000);
}

static enum gz_status check(struct gz_db_reader *reader, const char *path,
                            enum gz_check_depth depth, char read_only[GZ_ERROR_BYTES_MAX],
                            struct gz_error *error)
{
    char first[GZ_ERROR_BYTES_MAX] = "";
    struct gz_store_check said = {.handle_fault = keep, .context = first};
    /* Processor time, because a busy machine must not make a file fail. */
    reader->is_by_processor = true;
    reader->deadline_ns = gz_db_reader_now(reader) + patience_ns(path);
    enum gz_status status = gz_check_reader(reader, depth, &said, error);
    bool is_late = gz_db_reader_now(reader) > reader->deadline_ns;
    reader->is_by_processor = false;
    reader->deadline_ns = uv_hrtime() + (uint64_t)GZ_QUERY_MS_MAX * 1000000;
    if (status != GZ_OK || said.faults == 0) return status;
    if (is_late)
        gz_print(read_only, GZ_ERROR_BYTES_MAX,
                 READ_ONLY "its file could not be checked in time; run gizmoctl check on it");
    else
        gz_print(read_only, GZ_ERROR_BYTES_MAX, READ_ONLY "its file is damaged: %s%s", first,
                 said.faults > 1 ? " (and more; run gizmoctl check on it)" : "");
    return GZ_OK;
}

static enum gz_status look(struct gz_db_reader *reader, const char *path, const struct gz_log *log,
                           char read_only[GZ_ERROR_BYTES_MAX], struct gz_error *error)
{
    enum gz_stamp stamp = gz_stamp_read(path);
    enum gz_status status = gz_model_require(reader->db, error);
    if (status != GZ_OK || stamp == GZ_STAMP_CLOSED) return status;
    uint64_t began_ns = uv_hrtime();
    status = check(reader, path, stamp == GZ_STAMP_OPEN ? GZ_CHECK_PRESENT : GZ_CHECK_ALL,
                   read_only, error);
    gz_log(log, GZ_INFO, 0, "%s: %s; checked for %.1f s%s", gz_db_file_name(path),
           stamp == GZ_STAMP_OPEN
               ? "a server that had it open crashed"
               : "it comes from elsewhere, or was written to since a server closed it",
           (double)(uv_hrtime() - began_ns) * 1e-9,
           status == GZ_OK && read_only[0] == '\0' ? ", no faults" : "");
    return status;
}

enum gz_status gz_inspect(struct gz_db_reader *reader, const char *path, const struct gz_log *log,
                          char read_only[GZ_ERROR_BYTES_MAX], struct gz_error *error)
{
    enum gz_status status = gz_db_reader_open(reader, path, GZ_GATE_OWNED, error);
    if (status != GZ_OK) return status;
    if (!gz_can_write(path))
        gz_print(read_only, GZ_ERROR_BYTES_MAX, READ_ONLY "its file cannot be written (%s)",
                 strerror(errno));
    status = look(reader, path, log, read_only, error);
    if (status != GZ_OK) gz_db_reader_close(reader);
    return status;
}
