/* copy.c - reads a scene as a whole: its glTF file, its present nodes, a backup, a summary. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/maxima.h"
#include "store/internal.h"
#include "store/rows.h"
#include "store/store.h"

#define NO_ASSET "the scene has no asset: nothing was imported"

/* ---- the asset ---- */

static enum gz_status read_blob(sqlite3 *db, sqlite3_int64 id, struct gz_buffer *out,
                                struct gz_error *error)
{
    sqlite3_blob *blob;
    int rc = sqlite3_blob_open(db, "main", "assets", "bytes", id, 0, &blob);
    if (rc != SQLITE_OK) return gz_db_fail(db, rc, error, "the asset");
    int size = sqlite3_blob_bytes(blob);
    enum gz_status status = gz_buffer_reserve(out, (size_t)size);
    if (status != GZ_OK) {
        (void)gz_fail(error, status, "the asset has %d bytes: no room for it", size);
    } else if (size > 0) {
        rc = sqlite3_blob_read(blob, out->data + out->size, size, 0);
        if (rc != SQLITE_OK)
            status = gz_db_fail(db, rc, error, "the asset");
        else
            out->size += (size_t)size;
    }
    sqlite3_blob_close(blob);
    return status;
}

enum gz_status gz_store_asset(const char *path, struct gz_buffer *out, struct gz_error *error)
{
    struct gz_db_reader reader;
    int64_t id;
    enum gz_status status = gz_db_reader_open(&reader, path, GZ_GATE_OURS, error);
    if (status != GZ_OK) return status;
    status = gz_db_integer(reader.db, gz_sql_copy[GZ_SQL_COPY_LAST_ASSET], &id, error);
    if (status == GZ_OK && id == 0) status = gz_fail(error, GZ_BAD_STATE, NO_ASSET);
    if (status == GZ_OK) status = read_blob(reader.db, id, out, error);
    gz_db_reader_close(&reader);
    return status;
}

static enum gz_status read_tag(sqlite3 *db, char tag[GZ_ASSET_TAG_BYTES], struct gz_error *error)
{
    struct gz_ask ask = gz_ask_prepare(db, gz_sql_copy[GZ_SQL_COPY_ASSET_TAG]);
    bool has_asset = gz_ask_row(&ask);
    const char *text = has_asset ? (const char *)sqlite3_column_text(ask.statement, 0) : NULL;
    if (text != NULL) snprintf(tag, GZ_ASSET_TAG_BYTES, "%s", text);
    if (has_asset && text == NULL) ask.rc = SQLITE_NOMEM;
    enum gz_status status = gz_ask_end(&ask, GZ_OK, error, "the asset");
    return status != GZ_OK || has_asset ? status : gz_fail(error, GZ_BAD_STATE, NO_ASSET);
}

/* The tag includes two times, because ids and seqs repeat when a scene is created again or
 * continues from a copy. */
enum gz_status gz_store_asset_tag(const char *path, char tag[GZ_ASSET_TAG_BYTES],
                                  struct gz_error *error)
{
    struct gz_db_reader reader;
    enum gz_status status = gz_db_reader_open(&reader, path, GZ_GATE_OURS, error);
    if (status != GZ_OK) return status;
    status = read_tag(reader.db, tag, error);
    gz_db_reader_close(&reader);
    return status;
}

/* ---- the present ---- */

enum gz_status gz_store_present(const char *path, struct gz_scene_state *state,
                                struct gz_buffer *asset, struct gz_error *error)
{
    struct gz_db_reader reader;
    int64_t id;
    *state = (struct gz_scene_state){0};
    enum gz_status status = gz_db_reader_open(&reader, path, GZ_GATE_OURS, error);
    if (status != GZ_OK) return status;
    /* Its size is bounded; a worker beside busy processes must not run out of time. */
    reader.is_by_processor = true;
    reader.deadline_ns = gz_db_reader_now(&reader) + (uint64_t)GZ_QUERY_MS_MAX * 1000000;
    status = gz_load_present(reader.db, state, error);
    if (status == GZ_OK)
        status = gz_db_integer(reader.db, gz_sql_copy[GZ_SQL_COPY_LAST_ASSET], &id, error);
    if (status == GZ_OK && id != 0) status = read_blob(reader.db, id, asset, error);
    gz_db_reader_close(&reader);
    return status;
}

/* ---- a copy ---- */

static enum gz_status copy_pages(sqlite3 *from, sqlite3 *to, struct gz_error *error)
{
    sqlite3_backup *backup = sqlite3_backup_init(to, "main", from, "main");
    if (backup == NULL) return gz_db_fail(to, sqlite3_errcode(to), error, "the copy");
    int rc = sqlite3_backup_step(backup, -1);
    int finished = sqlite3_backup_finish(backup);
    if (rc == SQLITE_DONE) rc = finished;
    return rc == SQLITE_OK ? GZ_OK : gz_db_fail(to, rc, error, "the copy");
}

/* One read transaction and one step, so that the copy is the scene as of one commit. Most copies
 * are deleted once they were sent: to sync them would only keep the writers from the disk. */
static enum gz_status copy_to(const char *path, const char *part, struct gz_error *error)
{
    struct gz_db_reader reader;
    sqlite3 *copy;
    enum gz_status status = gz_db_reader_open(&reader, path, GZ_GATE_OURS, error);
    if (status != GZ_OK) return status;
    status = gz_db_open(part, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, &copy, error);
    if (status == GZ_OK) {
        status = gz_db_exec(copy, "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF", error);
        if (status == GZ_OK) status = copy_pages(reader.db, copy, error);
        /* The copied pages say that there is a write-ahead log, but the copy is one file. */
        if (status == GZ_OK) status = gz_db_exec(copy, "PRAGMA journal_mode = DELETE", error);
        sqlite3_close(copy);
    }
    gz_db_reader_close(&reader);
    return status;
}

static enum gz_status publish(const char *part, const char *to, struct gz_error *error)
{
    if (renameat2(AT_FDCWD, part, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return GZ_OK;
    return gz_fail(error, errno == EEXIST ? GZ_BAD_STATE : GZ_STORAGE, "the copy: %s",
                   strerror(errno));
}

uint64_t gz_store_bytes(const char *path)
{
    struct stat file, log;
    char *log_path;
    uint64_t bytes = stat(path, &file) == 0 ? (uint64_t)file.st_size : 0;
    if (asprintf(&log_path, "%s-wal", path) < 0) return bytes;
    if (stat(log_path, &log) == 0) bytes += (uint64_t)log.st_size;
    free(log_path);
    return bytes;
}

enum gz_status gz_store_backup(const char *path, const char *to, struct gz_error *error)
{
    if (access(to, F_OK) == 0)
        return gz_fail(error, GZ_BAD_STATE, "the copy: %s", strerror(EEXIST));
    char *part;
    if (asprintf(&part, "%s.part", to) < 0) return gz_fail(error, GZ_NO_MEMORY, "no memory");
    unlink(part);
    enum gz_status status = copy_to(path, part, error);
    if (status == GZ_OK) status = publish(part, to, error);
    if (status != GZ_OK) unlink(part);
    free(part);
    return status;
}

/* ---- the summary ---- */

static enum gz_status read_summary(sqlite3 *db, struct gz_store_summary *summary,
                                   struct gz_error *error)
{
    struct gz_ask ask = gz_ask_prepare(db, gz_sql_copy[GZ_SQL_COPY_SUMMARY]);
    if (gz_ask_row(&ask))
        *summary =
            (struct gz_store_summary){.nodes = (uint64_t)sqlite3_column_int64(ask.statement, 0),
                                      .seq = (uint64_t)sqlite3_column_int64(ask.statement, 1),
                                      .changed = sqlite3_column_double(ask.statement, 2),
                                      .has_asset = sqlite3_column_int(ask.statement, 3) != 0};
    else if (ask.rc == SQLITE_DONE)
        ask.rc = SQLITE_CORRUPT;
    return gz_ask_end(&ask, GZ_OK, error, "the summary");
}

static enum gz_status read_globs(sqlite3 *db, struct gz_buffer *globs, struct gz_error *error)
{
    struct gz_ask ask = gz_ask_prepare(db, gz_sql_copy[GZ_SQL_COPY_ACCESS]);
    enum gz_status status = GZ_OK;
    while (status == GZ_OK && gz_ask_row(&ask)) {
        const void *glob = sqlite3_column_text(ask.statement, 0);
        size_t size = (size_t)sqlite3_column_bytes(ask.statement, 0);
        if (size > 0 && memchr(glob, '\0', size) == NULL)
            status = gz_buffer_append(globs, glob, size + 1);
    }
    if (gz_ask_finish(&ask) != SQLITE_OK) gz_buffer_clear(globs);
    if (status != GZ_NO_MEMORY) return GZ_OK; /* a server never writes more than fit */
    return gz_fail(error, status, "no memory for the access");
}

enum gz_status gz_store_summary(const char *path, struct gz_store_summary *summary,
                                struct gz_buffer *globs, struct gz_error *error)
{
    struct gz_db_reader reader;
    *summary = (struct gz_store_summary){0};
    enum gz_status status = gz_db_reader_open(&reader, path, GZ_GATE_OURS, error);
    if (status != GZ_OK) return status;
    status = read_summary(reader.db, summary, error);
    if (status == GZ_OK && globs != NULL) status = read_globs(reader.db, globs, error);
    gz_db_reader_close(&reader);
    return status;
}
