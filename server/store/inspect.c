/* inspect.c - checks a file before it is served: whether it can be written, its schema, and its
 * promises, as far as it is not known that a server left it as it is. */
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
#include "store/wal_read.h"

#define READ_ONLY "this scene is read-only: "

/* Keeps the first sentence. */
static void keep(void *context, const char *words)
{
    char *first = context;
    if (first[0] == '\0') gz_print(first, GZ_ERROR_BYTES_MAX, "%s", words);
}

void gz_inspect_say(char words[GZ_ERROR_BYTES_MAX], const char *first, uint64_t faults)
{
    gz_print(words, GZ_ERROR_BYTES_MAX, READ_ONLY "its file is damaged: %s%s", first,
             faults > 1 ? " (and more; run gizmoctl check on it)" : "");
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
        gz_inspect_say(read_only, first, said.faults);
    return GZ_OK;
}

enum gz_status gz_inspect_stamp(sqlite3 *db, const char *path, struct gz_stamped *stamped,
                                uint64_t *epoch, struct gz_error *error)
{
    int64_t last = 0;
    *stamped = gz_stamp_read(path);
    enum gz_status status =
        gz_db_integer(db, gz_sql_recover[GZ_SQL_RECOVER_LAST_EPOCH], &last, error);
    *epoch = (uint64_t)last;
    if (stamped->stamp == GZ_STAMP_OPEN &&
        (*epoch < stamped->epoch_least || *epoch > stamped->epoch_most))
        stamped->stamp = GZ_STAMP_NONE; /* or its log is damaged, which is still the server's */
    return status;
}

/* SQLite would drop what comes after damage in a log, and go on without it. */
static bool is_log_whole(const char *path, const struct gz_stamped *stamped,
                         char read_only[GZ_ERROR_BYTES_MAX])
{
    char fault[GZ_ERROR_BYTES_MAX] = "";
    if (stamped->is_synced && gz_wal_holds(path)) gz_wal_check(path, fault);
    if (fault[0] != '\0') gz_inspect_say(read_only, fault, 1);
    return fault[0] == '\0';
}

static const char *describe(enum gz_stamp stamp)
{
    switch (stamp) {
    case GZ_STAMP_OPEN: return "a server that had it open crashed";
    case GZ_STAMP_LEFT: return "it was not checked as a whole since a server crashed";
    default: return "it comes from elsewhere, or was written to since a server closed it";
    }
}

static enum gz_status look(struct gz_db_reader *reader, const char *path, const struct gz_log *log,
                           struct gz_inspected *inspected, struct gz_error *error)
{
    char *read_only = inspected->read_only;
    struct gz_stamped stamped;
    enum gz_status status = gz_model_require(reader->db, error);
    if (status == GZ_OK)
        status = gz_inspect_stamp(reader->db, path, &stamped, &inspected->epoch, error);
    if (status != GZ_OK || stamped.stamp == GZ_STAMP_CLOSED ||
        !is_log_whole(path, &stamped, read_only))
        return status;
    if (stamped.stamp == GZ_STAMP_DAMAGED) {
        gz_print(read_only, GZ_ERROR_BYTES_MAX, "%s", stamped.damage);
        return GZ_OK;
    }
    uint64_t began_ns = uv_hrtime();
    bool is_ours = stamped.stamp == GZ_STAMP_OPEN || stamped.stamp == GZ_STAMP_LEFT;
    status = check(reader, path, is_ours ? GZ_CHECK_PRESENT : GZ_CHECK_ALL, read_only, error);
    bool is_well = status == GZ_OK && read_only[0] == '\0';
    inspected->is_unchecked = is_ours && is_well;
    gz_log(log, GZ_INFO, 0, "%s: %s; %schecked for %.1f s%s%s", gz_db_file_name(path),
           describe(stamped.stamp), is_ours ? "what is there now was " : "",
           (double)(uv_hrtime() - began_ns) * 1e-9, is_well ? ", no faults" : "",
           inspected->is_unchecked ? "; its past is checked while it is open" : "");
    return status;
}

enum gz_status gz_inspect(struct gz_db_reader *reader, const char *path, const struct gz_log *log,
                          struct gz_inspected *inspected, struct gz_error *error)
{
    *inspected = (struct gz_inspected){.is_unchecked = false};
    enum gz_status status = gz_db_reader_open(reader, path, GZ_GATE_OWNED, error);
    if (status != GZ_OK) return status;
    if (!gz_can_write(path))
        gz_print(inspected->read_only, GZ_ERROR_BYTES_MAX,
                 READ_ONLY "its file cannot be written (%s)", strerror(errno));
    status = look(reader, path, log, inspected, error);
    if (status != GZ_OK) gz_db_reader_close(reader);
    return status;
}
