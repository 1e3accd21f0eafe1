/* applier.c - writes the changes of a log into a file that no store has open, and puts copies in
 * the place of files. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/maxima.h"
#include "store/clean_mark.h"
#include "store/file_check.h"
#include "store/parts.h"
#include "store/patch.h"
#include "store/rows.h"
#include "store/ship.h"
#include "store/wal.h"

/* Pages of the write-ahead log after which SQLite copies them into the file. */
#define WAL_CHECKPOINT_PAGES 2000

struct gz_applier {
    char *path;
    struct gz_lock_file owner;
    sqlite3 *db;
    struct gz_place place;
    char *wal_path;
    ino_t wal_inode;
    bool is_unchecked;      /* as a whole, since a crash */
    struct gz_buffer added; /* changes that are not applied yet, one after the other */
    size_t added_sizes[GZ_CLUSTER_BATCH_CHANGES], added_count;
    struct gz_patcher *patcher;
};

/* ---- the place ---- */

static enum gz_status read_place(sqlite3 *db, struct gz_place *place, struct gz_error *error)
{
    int64_t version = 0;
    *place = (struct gz_place){.n = 0};
    enum gz_status status = gz_db_integer(db, "PRAGMA user_version", &version, error);
    if (status == GZ_OK && version != 0) status = gz_shipper_read_place(db, place, error);
    if (status == GZ_OK && (place->n > GZ_COUNTER_MAX || place->first > place->n ||
                            (place->first == 0) != (place->n == 0)))
        status = gz_row_fail(error, "scene", 1, "its log_n or log_first is invalid");
    place->version = (int)version;
    return status;
}

enum gz_status gz_store_place(const char *path, struct gz_place *place, struct gz_error *error)
{
    struct gz_db_reader reader;
    *place = (struct gz_place){0};
    enum gz_status status = gz_db_reader_open(&reader, path, GZ_FILE_OURS, error);
    if (status != GZ_OK) return status;
    status = read_place(reader.db, place, error);
    gz_db_reader_close(&reader);
    return status;
}

/* ---- opening and closing ---- */

/* Checks the file as a store does; a file that a store would only read is refused. */
static enum gz_status inspect(const char *path, struct gz_inspected *inspected,
                              struct gz_error *error)
{
    struct gz_db_reader reader;
    enum gz_status status = gz_inspect(&reader, path, NULL, inspected, error);
    if (status != GZ_OK) return status;
    gz_db_reader_close(&reader);
    return inspected->read_only[0] == '\0' ? GZ_OK
                                           : gz_fail(error, GZ_STORAGE, "%s", inspected->read_only);
}

/* Commits need not survive a loss of power, because the log still has the changes. */
static enum gz_status prepare(struct gz_applier *applier, uint64_t epoch, struct gz_error *error)
{
    struct stat wal;
    enum gz_status status = gz_db_identify(applier->db, error);
    gz_clean_mark_turn(applier->path);
    if (status == GZ_OK) status = gz_db_use_wal(applier->db, error);
    /* The epochs of the log come into the file. */
    if (status == GZ_OK) gz_clean_mark_open(applier->path, epoch, GZ_COUNTER_MAX);
    if (status == GZ_OK) status = gz_db_make(applier->db, error);
    sqlite3_wal_autocheckpoint(applier->db, WAL_CHECKPOINT_PAGES);
    if (status == GZ_OK) status = read_place(applier->db, &applier->place, error);
    if (lstat(applier->wal_path, &wal) == 0) applier->wal_inode = wal.st_ino;
    if (status == GZ_OK && (applier->patcher = gz_patcher_create(applier->db)) == NULL)
        status = gz_fail(error, GZ_NO_MEMORY, "no memory");
    return status;
}

static enum gz_status open_file(struct gz_applier *applier, struct gz_error *error)
{
    struct stat file;
    struct gz_inspected inspected;
    if (lstat(applier->path, &file) != 0 && errno == ENOENT)
        return gz_fail(error, GZ_UNKNOWN_SCENE, "there is no file %s",
                       gz_db_file_name(applier->path));
    enum gz_status status = gz_lock_file_init(&applier->owner, applier->path, error);
    if (status != GZ_OK) return status;
    status = inspect(applier->path, &inspected, error);
    if (status == GZ_OK)
        status = gz_db_open(applier->path, SQLITE_OPEN_READWRITE, &applier->db, error);
    if (status != GZ_OK) return status;
    applier->is_unchecked = inspected.is_unchecked;
    return prepare(applier, inspected.epoch, error);
}

enum gz_status gz_applier_open(struct gz_applier **applier, const char *path,
                               struct gz_error *error)
{
    *applier = calloc(1, sizeof **applier);
    if (*applier == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory");
    (*applier)->owner.descriptor = -1;
    gz_buffer_init(&(*applier)->added, SIZE_MAX / 2, 0);
    (*applier)->path = strdup(path);
    if (asprintf(&(*applier)->wal_path, "%s-wal", path) < 0) (*applier)->wal_path = NULL;
    enum gz_status status = (*applier)->path != NULL && (*applier)->wal_path != NULL
                                ? open_file(*applier, error)
                                : gz_fail(error, GZ_NO_MEMORY, "no memory");
    if (status == GZ_OK) return GZ_OK;
    gz_applier_close(*applier);
    *applier = NULL;
    return status;
}

struct gz_place gz_applier_place(const struct gz_applier *applier)
{
    return applier->place;
}

static bool has_moved(sqlite3 *db)
{
    int moved = 0;
    return sqlite3_file_control(db, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK &&
           moved != 0;
}

static bool has_log(const struct gz_applier *applier)
{
    struct stat wal;
    return lstat(applier->wal_path, &wal) == 0 && wal.st_ino == applier->wal_inode;
}

bool gz_applier_has_moved(const struct gz_applier *applier)
{
    return has_moved(applier->db) || !has_log(applier);
}

/* SQLite leaves the write-ahead log of a file that has moved, and would read it with the file that
 * took its name. Deletes it: its changes are still in the log that they came from. */
static void close_file(const struct gz_applier *applier)
{
    bool is_there = !has_moved(applier->db);
    if (is_there) {
        gz_db_empty_log(applier->db);
        gz_clean_mark_turn(applier->path);
    }
    sqlite3_close(applier->db);
    if (is_there)
        gz_clean_mark_close(applier->path,
                            applier->is_unchecked ? GZ_CLEAN_MARK_LEFT : GZ_CLEAN_MARK_CLOSED, "");
    else if (has_log(applier))
        unlink(applier->wal_path);
}

void gz_applier_close(struct gz_applier *applier)
{
    if (applier == NULL) return;
    gz_patcher_destroy(applier->patcher);
    if (applier->db != NULL) close_file(applier);
    gz_buffer_finish(&applier->added);
    free(applier->wal_path);
    gz_lock_file_finish(&applier->owner);
    free(applier->path);
    free(applier);
}

/* ---- one change ---- */

static const char *what_is(int conflict)
{
    switch (conflict) {
    case SQLITE_CHANGESET_DATA: return "is another one in the file";
    case SQLITE_CHANGESET_NOTFOUND: return "is not in the file";
    case SQLITE_CHANGESET_CONFLICT: return "is in the file already";
    default: return "breaks a rule of the table";
    }
}

/* The values of the primary key: "7", "7, 0". */
static void print_key(sqlite3_changeset_iter *change, int what, char *words, size_t size)
{
    unsigned char *is_key;
    int count;
    words[0] = '\0';
    if (sqlite3changeset_pk(change, &is_key, &count) != SQLITE_OK) return;
    for (int i = 0; i < count; i++) {
        sqlite3_value *value = NULL;
        if (is_key[i] == 0) continue;
        int rc = what == SQLITE_INSERT ? sqlite3changeset_new(change, i, &value)
                                       : sqlite3changeset_old(change, i, &value);
        const char *text = rc == SQLITE_OK ? (const char *)sqlite3_value_text(value) : NULL;
        size_t used = strlen(words);
        snprintf(words + used, size - used, "%s%.64s", used > 0 ? ", " : "",
                 text != NULL ? text : "?");
    }
}

/* Keeps the first conflict. */
static int handle_conflict(void *context, int conflict, sqlite3_changeset_iter *change)
{
    struct gz_error *first = context;
    const char *table;
    int columns, what, is_indirect;
    char key[256];
    if (conflict == SQLITE_CHANGESET_FOREIGN_KEY)
        gz_fail(first, GZ_CONFLICT,
                "the file is not as the log left it: a row names a row that is not there");
    else if (sqlite3changeset_op(change, &table, &columns, &what, &is_indirect) == SQLITE_OK) {
        print_key(change, what, key, sizeof key);
        gz_fail(first, GZ_CONFLICT, "the file is not as the log left it: row (%s) of %.64s %s", key,
                table, what_is(conflict));
    }
    return SQLITE_CHANGESET_ABORT;
}

/* By SQLite, which says which row does not fit. */
static enum gz_status apply_by_sqlite(struct gz_applier *applier, const uint8_t *bytes, size_t size,
                                      struct gz_error *error)
{
    struct gz_error conflict = {.status = GZ_OK};
    int rc = sqlite3changeset_apply(applier->db, (int)size, (void *)bytes, NULL, handle_conflict,
                                    &conflict);
    if (conflict.status == GZ_OK)
        return rc == SQLITE_OK ? GZ_OK
                               : gz_db_fail(applier->db, rc, error, "the change of the log");
    *error = conflict;
    return conflict.status;
}

static enum gz_status apply_by_patcher(struct gz_applier *applier, const uint8_t *bytes,
                                       size_t size, struct gz_error *error)
{
    return gz_patcher_apply(applier->patcher, bytes, size)
               ? GZ_OK
               : gz_fail(error, GZ_CONFLICT, "a row is not as the log left it");
}

/* Applies bytes, which bring the file to place n, in a transaction. */
static enum gz_status
apply_by(struct gz_applier *applier, uint64_t n, const uint8_t *bytes, size_t size,
         enum gz_status (*apply)(struct gz_applier *applier, const uint8_t *bytes, size_t size,
                                 struct gz_error *error),
         struct gz_error *error)
{
    struct gz_place place;
    enum gz_status status = gz_db_exec(applier->db, "BEGIN IMMEDIATE", error);
    if (status == GZ_OK) status = apply(applier, bytes, size, error);
    if (status == GZ_OK) status = read_place(applier->db, &place, error);
    if (status == GZ_OK && place.n != n)
        status = gz_fail(error, GZ_STORAGE,
                         "the change of the log is damaged: its number is not that of the change");
    if (status == GZ_OK) status = gz_db_exec(applier->db, "COMMIT", error);
    if (status == GZ_OK) applier->place = place;
    if (!sqlite3_get_autocommit(applier->db))
        sqlite3_exec(applier->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

static enum gz_status apply_one(struct gz_applier *applier, uint64_t n, const uint8_t *bytes,
                                size_t size, struct gz_error *error)
{
    struct gz_error unsaid;
    return apply_by(applier, n, bytes, size, apply_by_patcher, &unsaid) == GZ_OK
               ? GZ_OK
               : apply_by(applier, n, bytes, size, apply_by_sqlite, error);
}

/* ---- many changes ---- */

/* One after the other, in one transaction. */
static bool apply_all(struct gz_applier *applier)
{
    struct gz_error unsaid;
    return apply_by(applier, applier->place.n + applier->added_count, applier->added.data,
                    applier->added.size, apply_by_patcher, &unsaid) == GZ_OK;
}

/* Finds the one that fails; those before it are applied. */
static enum gz_status apply_each(struct gz_applier *applier, struct gz_error *error)
{
    const uint8_t *at = applier->added.data;
    enum gz_status status = GZ_OK;
    for (size_t i = 0; i < applier->added_count && status == GZ_OK; i++) {
        status = apply_one(applier, applier->place.n + 1, at, applier->added_sizes[i], error);
        at += applier->added_sizes[i];
    }
    return status;
}

enum gz_status gz_applier_flush(struct gz_applier *applier, struct gz_error *error)
{
    enum gz_status status = GZ_OK;
    if (applier->added_count == 0) return GZ_OK;
    if (!apply_all(applier)) status = apply_each(applier, error);
    applier->added_count = 0;
    gz_buffer_finish(&applier->added);
    gz_buffer_init(&applier->added, SIZE_MAX / 2, 0);
    return status;
}

static enum gz_status add(struct gz_applier *applier, const uint8_t *bytes, size_t size,
                          struct gz_error *error)
{
    enum gz_status status = gz_patcher_check(applier->patcher, bytes, size, error);
    if (status == GZ_OK && gz_buffer_append(&applier->added, bytes, size) != GZ_OK)
        status = gz_fail(error, GZ_NO_MEMORY, "no memory for %zu bytes of changes", size);
    if (status == GZ_OK) applier->added_sizes[applier->added_count++] = size;
    return status;
}

/* A large change is not copied. */
static enum gz_status apply_large(struct gz_applier *applier, uint64_t n, const uint8_t *bytes,
                                  size_t size, struct gz_error *error)
{
    enum gz_status status = gz_applier_flush(applier, error);
    if (status == GZ_OK) status = gz_patcher_check(applier->patcher, bytes, size, error);
    return status == GZ_OK ? apply_one(applier, n, bytes, size, error) : status;
}

/* What was added before is not held up by a change that is damaged. */
enum gz_status gz_applier_add(struct gz_applier *applier, uint64_t n, const uint8_t *bytes,
                              size_t size, struct gz_error *error)
{
    struct gz_error earlier;
    const uint64_t next = applier->place.n + applier->added_count + 1;
    if (n != next)
        return gz_fail(error, GZ_BAD_STATE, "change %llu of the log: the file is at %llu",
                       (unsigned long long)n, (unsigned long long)next - 1);
    if (size >= GZ_CLUSTER_BATCH_BYTES) return apply_large(applier, n, bytes, size, error);
    enum gz_status status = add(applier, bytes, size, error);
    if (status != GZ_OK && gz_applier_flush(applier, &earlier) != GZ_OK) {
        if (error != NULL) *error = earlier;
        return earlier.status;
    }
    if (status != GZ_OK || (applier->added_count < GZ_CLUSTER_BATCH_CHANGES &&
                            applier->added.size < GZ_CLUSTER_BATCH_BYTES))
        return status;
    return gz_applier_flush(applier, error);
}

/* ---- a copy ---- */

static enum gz_status sync_file(const char *path, struct gz_error *error)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    bool is_safe = file >= 0 && fsync(file) == 0;
    int why = errno;
    if (file >= 0) close(file);
    return is_safe ? GZ_OK
                   : gz_fail(error, GZ_STORAGE, "%s: %s", gz_db_file_name(path), strerror(why));
}

/* Folds the log into the file that is replaced, because SQLite would read a log that is left with
 * the new file. A file that is too damaged for that has to be moved away by hand first. */
static enum gz_status make_room(const char *path, struct gz_error *error)
{
    struct stat file;
    if (lstat(path, &file) != 0 && errno == ENOENT) return gz_clear_name(path, error);
    return gz_fold(path, error);
}

static enum gz_status replace(const char *path, const char *from, struct gz_error *error)
{
    struct gz_inspected inspected;
    enum gz_status status = inspect(from, &inspected, error);
    if (status == GZ_OK) status = gz_fold(from, error);
    if (status == GZ_OK) status = sync_file(from, error);
    if (status == GZ_OK) status = make_room(path, error);
    if (status != GZ_OK) return status;
    if (rename(from, path) != 0 || gz_feed_directory(path) != 0)
        return gz_fail(error, GZ_STORAGE, "%s: %s", gz_db_file_name(path), strerror(errno));
    gz_clean_mark_close(path, inspected.is_unchecked ? GZ_CLEAN_MARK_LEFT : GZ_CLEAN_MARK_CLOSED,
                        "");
    return GZ_OK;
}

enum gz_status gz_store_install(const char *path, const char *from, struct gz_error *error)
{
    struct gz_lock_file owner;
    enum gz_status status = gz_lock_file_init(&owner, path, error);
    if (status != GZ_OK) return status;
    status = replace(path, from, error);
    gz_lock_file_finish(&owner);
    return status;
}
