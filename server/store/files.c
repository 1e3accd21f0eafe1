/* files.c - copies of a scene's file, summaries, and files that are renamed and deleted. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/maxima.h"
#include "store/clean_mark.h"
#include "store/file_check.h"
#include "store/parts.h"
#include "store/rows.h"
#include "store/store.h"
#include "store/wal.h"

/* ---- copies ---- */

/* Reads a scene as a whole: its glTF file, its present nodes, a backup, a summary. */

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

/* Without a number the statement finds any. `asset` is filled if there is one. */
static enum gz_status find_asset(sqlite3 *db, int64_t number, struct gz_asset_record *asset,
                                 bool *is_found, struct gz_error *error)
{
    struct gz_ask ask = gz_ask_prepare(db, gz_sql_copy[GZ_SQL_COPY_ASSET]);
    enum gz_status status = GZ_OK;
    if (number >= 0)
        gz_bind_integer(&ask, (uint64_t)number);
    else
        gz_bind_text(&ask, NULL);
    *is_found = gz_ask_row(&ask);
    if (*is_found) {
        const char *fault = gz_read_asset(ask.statement, asset);
        if (fault != NULL) status = gz_row_fail(error, "assets", (int64_t)asset->first, fault);
        *is_found = sqlite3_column_int(ask.statement, 4) != 0 &&
                    (number < 0 || (uint64_t)number - asset->first < asset->count);
    }
    return gz_ask_end(&ask, status, error, "the asset");
}

enum gz_status gz_store_find_asset(const char *path, int64_t number, struct gz_asset_record *asset,
                                   struct gz_error *error)
{
    struct gz_db_reader reader;
    bool is_found = false;
    enum gz_status status = gz_db_reader_open(&reader, path, GZ_FILE_OURS, error);
    if (status != GZ_OK) return status;
    status = find_asset(reader.db, number, asset, &is_found, error);
    gz_db_reader_close(&reader);
    if (status != GZ_OK || is_found) return status;
    return number < 0 ? gz_fail(error, GZ_BAD_STATE, NO_ASSET)
                      : gz_fail(error, GZ_BAD_STATE, "of: no file of the scene has the node %lld",
                                (long long)number);
}

enum gz_status gz_store_asset(const char *path, uint64_t first, struct gz_buffer *out,
                              struct gz_error *error)
{
    struct gz_db_reader reader;
    struct gz_asset_record asset;
    bool is_found = false;
    enum gz_status status = gz_db_reader_open(&reader, path, GZ_FILE_OURS, error);
    if (status != GZ_OK) return status;
    status = find_asset(reader.db, (int64_t)first, &asset, &is_found, error);
    if (status == GZ_OK && !is_found) status = gz_fail(error, GZ_BAD_STATE, NO_ASSET);
    if (status == GZ_OK) status = read_blob(reader.db, (int64_t)asset.first, out, error);
    gz_db_reader_close(&reader);
    return status;
}

enum gz_status gz_store_assets(const char *path, struct gz_scene_state *state,
                               struct gz_error *error)
{
    struct gz_db_reader reader;
    *state = (struct gz_scene_state){0};
    enum gz_status status = gz_db_reader_open(&reader, path, GZ_FILE_OURS, error);
    if (status != GZ_OK) return status;
    gz_arena_init(&state->arena, GZ_STATE_BYTES_MAX);
    status = gz_load_assets(reader.db, state, error);
    gz_db_reader_close(&reader);
    return status;
}

/* ---- the present ---- */

/* The place of the asset that has the node; the count of the assets if none has it. */
static size_t place_of(const struct gz_scene_state *state, int64_t number)
{
    size_t low = 0, high = state->asset_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((int64_t)state->assets[middle].first <= number)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? low - 1 : state->asset_count;
}

static enum gz_status read_used(sqlite3 *db, const struct gz_scene_state *state, bool *used,
                                struct gz_buffer *bytes, struct gz_error *error)
{
    struct gz_asset_record *assets = (struct gz_asset_record *)state->assets;
    enum gz_status status = GZ_OK;
    bool is_any = false;
    for (size_t i = 0; i < state->node_count; i++) {
        const int64_t number = state->nodes[i].content.asset;
        size_t place = number < 0 ? state->asset_count : place_of(state, number);
        if (place < state->asset_count) is_any = used[place] = true;
    }
    if (!is_any && state->asset_count > 0) {
        struct gz_asset_record latest;
        status = find_asset(db, GZ_ANY_ASSET, &latest, &is_any, error);
        if (status == GZ_OK && is_any) used[place_of(state, (int64_t)latest.first)] = true;
    }
    const size_t begin = bytes->size;
    for (size_t i = 0; i < state->asset_count && status == GZ_OK; i++)
        if (used[i]) status = read_blob(db, (int64_t)assets[i].first, bytes, error);
    size_t at = begin;
    for (size_t i = 0; i < state->asset_count && status == GZ_OK; i++) {
        if (!used[i]) continue;
        assets[i].bytes = bytes->data + at;
        at += assets[i].size;
    }
    return status;
}

enum gz_status gz_store_present(const char *path, struct gz_scene_state *state,
                                struct gz_buffer *bytes, struct gz_error *error)
{
    struct gz_db_reader reader;
    *state = (struct gz_scene_state){0};
    enum gz_status status = gz_db_reader_open(&reader, path, GZ_FILE_OURS, error);
    if (status != GZ_OK) return status;
    /* Its size is bounded; a worker beside busy processes must not run out of time. */
    reader.is_by_processor = true;
    reader.deadline_ns = gz_db_reader_now(&reader) + (uint64_t)GZ_QUERY_MS_MAX * 1000000;
    status = gz_load_present(reader.db, state, error);
    bool *used = gz_arena_take(&state->arena, state->asset_count + 1, sizeof *used);
    if (status == GZ_OK && used == NULL)
        status = gz_fail(error, GZ_NO_MEMORY, "no memory for the scene");
    if (status == GZ_OK) {
        memset(used, 0, state->asset_count + 1);
        status = read_used(reader.db, state, used, bytes, error);
    }
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
    enum gz_status status = gz_db_reader_open(&reader, path, GZ_FILE_OURS, error);
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
                                      .has_asset = sqlite3_column_int(ask.statement, 3) != 0,
                                      .has_news = sqlite3_column_int(ask.statement, 4) != 0};
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
    enum gz_status status = gz_db_reader_open(&reader, path, GZ_FILE_OURS, error);
    if (status != GZ_OK) return status;
    status = read_summary(reader.db, summary, error);
    if (status == GZ_OK && globs != NULL) status = read_globs(reader.db, globs, error);
    gz_db_reader_close(&reader);
    return status;
}

/* ---- renaming and deleting ---- */

/* Renames and deletes a scene's file with SQLite's files beside it. After a crash at any
 * moment the scene exists, complete, under one of its names, or is deleted. */

int gz_feed_directory(const char *path)
{
    char *copy = strdup(path);
    if (copy == NULL) return -1;
    int directory = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(copy);
    if (directory < 0) return -1;
    int result = fsync(directory);
    close(directory);
    return result;
}

/* The suffixes of SQLite's files beside a database. A log may hold changes that the database does
 * not have. */
static const struct {
    const char *ending;
    bool is_log;
} files_beside[] = {{"-shm", false}, {"-wal", true}, {"-journal", true}};
#define BESIDE_COUNT (sizeof files_beside / sizeof files_beside[0])

/* A database is first renamed with this prefix to delete it; the files beside its old name may then
 * be deleted. */
#define DELETED_PREFIX ".deleted-"

/* The number of tries to fold in a log while others read, and the milliseconds between them: one
 * second in all. */
#define FOLD_TRIES 1000
#define FOLD_STEP_MS 1

/* The caller frees it; NULL without memory. */
static char *path_beside(const char *path, size_t which)
{
    char *made;
    return asprintf(&made, "%s%s", path, files_beside[which].ending) >= 0 ? made : NULL;
}

static char *deleted_path(const char *path)
{
    char *made;
    const char *name = gz_db_file_name(path);
    return asprintf(&made, "%.*s" DELETED_PREFIX "%s", (int)(name - path), path, name) >= 0 ? made
                                                                                            : NULL;
}

void gz_delete_beside(const char *path)
{
    for (size_t i = 0; i < BESIDE_COUNT; i++) {
        char *file = path_beside(path, i);
        if (file != NULL) unlink(file);
        free(file);
    }
}

static bool ends_in(const char *file, size_t size, const char *ending)
{
    size_t ending_size = strlen(ending);
    return size > ending_size && memcmp(file + size - ending_size, ending, ending_size) == 0;
}

const char *gz_store_beside(const char *file, size_t *size)
{
    size_t whole = strlen(file), prefix = strlen(DELETED_PREFIX), ending = 0;
    if (strncmp(file, DELETED_PREFIX, prefix) == 0) {
        file += prefix;
        whole -= prefix;
    } else {
        for (size_t i = 0; i < BESIDE_COUNT; i++) {
            if (ends_in(file, whole, files_beside[i].ending))
                ending = strlen(files_beside[i].ending);
        }
        if (ends_in(file, whole, GZ_LOCK_FILE_ENDING)) ending = strlen(GZ_LOCK_FILE_ENDING);
        if (ending == 0) return NULL;
    }
    if (!ends_in(file, whole - ending, ".db")) return NULL;
    *size = whole - ending - strlen(".db");
    return file;
}

static enum gz_status fail(const char *path, struct gz_error *error)
{
    return gz_fail(error, GZ_STORAGE, "%s: %s", gz_db_file_name(path), strerror(errno));
}

/* Deletes the renamed database last: after a crash gz_clear_name finds it and deletes the rest. */
static enum gz_status finish_deletion(const char *path, const char *deleted, struct gz_error *error)
{
    gz_delete_beside(path);
    if (gz_feed_directory(path) != 0 || unlink(deleted) != 0 || gz_feed_directory(path) != 0)
        return fail(path, error);
    return GZ_OK;
}

/* Deletes the file beside a name without a database, unless it is a log that holds edits. */
static enum gz_status clear_file(const char *file, bool is_log, struct gz_error *error)
{
    struct stat info;
    if (is_log && stat(file, &info) == 0 && info.st_size > 0)
        return gz_fail(error, GZ_STORAGE,
                       "%s is the log of a file that was moved or deleted, and holds edits; give "
                       "it the new name of "
                       "that file, or delete it",
                       gz_db_file_name(file));
    return unlink(file) == 0 || errno == ENOENT ? GZ_OK : fail(file, error);
}

enum gz_status gz_clear_name(const char *path, struct gz_error *error)
{
    char *deleted = deleted_path(path);
    if (deleted == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory");
    enum gz_status status = GZ_OK;
    if (access(deleted, F_OK) == 0) status = finish_deletion(path, deleted, error);
    free(deleted);
    for (size_t i = 0; i < BESIDE_COUNT && status == GZ_OK; i++) {
        char *file = path_beside(path, i);
        status = file != NULL ? clear_file(file, files_beside[i].is_log, error)
                              : gz_fail(error, GZ_NO_MEMORY, "no memory");
        free(file);
    }
    return status;
}

/* The atomic step is a rename, to a name that marks the database as deleted. */
static enum gz_status delete_files(const char *path, struct gz_error *error)
{
    char *deleted = deleted_path(path);
    if (deleted == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory");
    enum gz_status status;
    if (rename(path, deleted) != 0)
        status = errno == ENOENT ? gz_clear_name(path, error) : fail(path, error);
    else
        status = gz_feed_directory(path) == 0 ? finish_deletion(path, deleted, error)
                                              : fail(path, error);
    free(deleted);
    return status;
}

enum gz_status gz_store_delete(const char *path, struct gz_error *error)
{
    struct gz_lock_file owner;
    enum gz_status status = gz_lock_file_init(&owner, path, error);
    if (status != GZ_OK) return status;
    status = delete_files(path, error);
    gz_lock_file_finish(&owner);
    return status;
}

/* Whether a crash came before a new file became a scene, which its first epoch makes it. Up to then
 * the file itself has one page at most; afterwards it soon has more, without its log, too. */
static bool is_unmade(const char *path)
{
    struct stat info;
    struct gz_db_reader reader;
    int64_t epoch = 0;
    if (lstat(path, &info) != 0 || info.st_size > GZ_UNMADE_BYTES_MAX) return false;
    enum gz_status status = gz_db_reader_open(&reader, path, GZ_FILE_OWNED, NULL);
    if (status != GZ_OK) return status == GZ_UNKNOWN_SCENE;
    status = gz_db_integer(reader.db, gz_sql_recover[GZ_SQL_RECOVER_LAST_EPOCH], &epoch, NULL);
    gz_db_reader_close(&reader);
    return status == GZ_OK && epoch == 0;
}

/* If there is a new file with the name of a deleted one, the files beside it may belong to the new
 * file. */
static enum gz_status tidy(const char *path, struct gz_error *error)
{
    if (access(path, F_OK) != 0)
        return errno == ENOENT ? gz_clear_name(path, error) : fail(path, error);
    char *deleted = deleted_path(path);
    if (deleted == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory");
    unlink(deleted);
    free(deleted);
    return is_unmade(path) ? delete_files(path, error) : GZ_OK;
}

enum gz_status gz_store_tidy(const char *path, struct gz_error *error)
{
    struct gz_lock_file owner;
    enum gz_status status = gz_lock_file_init(&owner, path, error);
    if (status != GZ_OK) return status;
    status = tidy(path, error);
    gz_lock_file_finish(&owner);
    return status;
}

/* Leaves write-ahead mode: SQLite copies the log into the database and deletes it, but only if no
 * other program has the database open, which might go on writing under the old name. *is_done says
 * whether that happened. */
static enum gz_status leave_log(sqlite3 *db, const char *path, bool *is_done,
                                struct gz_error *error)
{
    struct gz_ask mode = gz_ask_prepare(db, "PRAGMA journal_mode = DELETE");
    const char *now = gz_ask_row(&mode) ? (const char *)sqlite3_column_text(mode.statement, 0) : "";
    *is_done = now != NULL && strcmp(now, "delete") == 0;
    if ((mode.rc & 0xff) == SQLITE_BUSY) mode.rc = SQLITE_DONE;
    return gz_ask_end(&mode, GZ_OK, error, gz_db_file_name(path));
}

/* Tries several times, because a program that only reads, such as the list of scenes, soon closes
 * the file. */
static enum gz_status fold_log(sqlite3 *db, const char *path, struct gz_error *error)
{
    bool is_done = false;
    enum gz_status status = leave_log(db, path, &is_done, error);
    for (int i = 0; status == GZ_OK && !is_done && i < FOLD_TRIES; i++) {
        sqlite3_sleep(FOLD_STEP_MS);
        status = leave_log(db, path, &is_done, error);
    }
    if (status != GZ_OK || is_done) return status;
    return gz_fail(error, GZ_BAD_STATE,
                   "%s is open in another program, such as sqlite3; close it there first",
                   gz_db_file_name(path));
}

/* What SQLite would drop of a damaged log is kept. */
static enum gz_status check_log(const char *path, const struct gz_clean_marked *marked,
                                struct gz_error *error)
{
    char fault[GZ_ERROR_BYTES_MAX] = "";
    if (marked->is_synced && gz_wal_holds(path)) gz_wal_check(path, fault);
    return fault[0] == '\0' ? GZ_OK : gz_fail(error, GZ_STORAGE, "%s", fault);
}

/* The mark is valid after a crash at any moment, too, but that of a damaged file: it is checked
 * again. */
static enum gz_status fold(sqlite3 *db, const char *path, struct gz_error *error)
{
    struct gz_clean_marked marked;
    uint64_t epoch;
    enum gz_status status = gz_db_identify(db, error);
    if (status == GZ_OK) status = gz_inspect_mark(db, path, &marked, &epoch, error);
    if (status == GZ_OK) status = check_log(path, &marked, error);
    if (status != GZ_OK) return status;
    if (marked.mark != GZ_CLEAN_MARK_NONE && marked.mark != GZ_CLEAN_MARK_DAMAGED) {
        gz_db_empty_log(db);
        gz_clean_mark_turn(path);
    }
    if (marked.mark == GZ_CLEAN_MARK_OPEN) marked.mark = GZ_CLEAN_MARK_LEFT;
    status = fold_log(db, path, error);
    if (marked.mark != GZ_CLEAN_MARK_NONE) gz_clean_mark_close(path, marked.mark, marked.damage);
    return status;
}

enum gz_status gz_fold(const char *path, struct gz_error *error)
{
    sqlite3 *db;
    enum gz_status status = gz_db_open(path, SQLITE_OPEN_READWRITE, &db, error);
    if (status != GZ_OK) return status;
    status = fold(db, path, error);
    sqlite3_close(db);
    return status;
}

/* The atomic step is a rename. Clears away first what a deleted scene left at the new name. */
static enum gz_status rename_file(const char *from, const char *to, struct gz_error *error)
{
    if (access(to, F_OK) == 0)
        return gz_fail(error, GZ_CONFLICT, "%s exists already", gz_db_file_name(to));
    enum gz_status status = gz_clear_name(to, error);
    if (status == GZ_OK) status = gz_fold(from, error);
    if (status != GZ_OK) return status;
    if (gz_feed_directory(to) != 0) return fail(to, error);
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) != 0) {
        if (errno == EEXIST)
            return gz_fail(error, GZ_CONFLICT, "%s exists already", gz_db_file_name(to));
        return fail(from, error);
    }
    return gz_feed_directory(to) == 0 ? GZ_OK : fail(to, error);
}

enum gz_status gz_store_rename(const char *from, const char *to, struct gz_error *error)
{
    struct gz_lock_file here, there;
    enum gz_status status = gz_lock_file_init(&here, from, error);
    if (status != GZ_OK) return status;
    status = gz_lock_file_init(&there, to, error);
    if (status == GZ_OK) {
        status = rename_file(from, to, error);
        gz_lock_file_finish(&there);
    }
    gz_lock_file_finish(&here);
    return status;
}
