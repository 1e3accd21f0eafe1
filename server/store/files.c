/* files.c - renames and deletes a scene's file with SQLite's files beside it. After a crash at any
 * moment the scene exists, complete, under one of its names, or is deleted. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/internal.h"
#include "store/owner.h"
#include "store/rows.h"
#include "store/stamp.h"
#include "store/store.h"
#include "store/wal_read.h"

int gz_sync_directory(const char *path)
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
} beside[] = {{"-shm", false}, {"-wal", true}, {"-journal", true}};
#define BESIDE_COUNT (sizeof beside / sizeof beside[0])

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
    return asprintf(&made, "%s%s", path, beside[which].ending) >= 0 ? made : NULL;
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
            if (ends_in(file, whole, beside[i].ending)) ending = strlen(beside[i].ending);
        }
        if (ends_in(file, whole, GZ_OWNER_ENDING)) ending = strlen(GZ_OWNER_ENDING);
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
    if (gz_sync_directory(path) != 0 || unlink(deleted) != 0 || gz_sync_directory(path) != 0)
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
        status = file != NULL ? clear_file(file, beside[i].is_log, error)
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
        status = gz_sync_directory(path) == 0 ? finish_deletion(path, deleted, error)
                                              : fail(path, error);
    free(deleted);
    return status;
}

enum gz_status gz_store_delete(const char *path, struct gz_error *error)
{
    struct gz_owner owner;
    enum gz_status status = gz_owner_init(&owner, path, error);
    if (status != GZ_OK) return status;
    status = delete_files(path, error);
    gz_owner_finish(&owner);
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
    enum gz_status status = gz_db_reader_open(&reader, path, GZ_GATE_OWNED, NULL);
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
    struct gz_owner owner;
    enum gz_status status = gz_owner_init(&owner, path, error);
    if (status != GZ_OK) return status;
    status = tidy(path, error);
    gz_owner_finish(&owner);
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
static enum gz_status check_log(const char *path, const struct gz_stamped *stamped,
                                struct gz_error *error)
{
    char fault[GZ_ERROR_BYTES_MAX] = "";
    if (stamped->is_synced && gz_wal_holds(path)) gz_wal_check(path, fault);
    return fault[0] == '\0' ? GZ_OK : gz_fail(error, GZ_STORAGE, "%s", fault);
}

/* The stamp is valid after a crash at any moment, too, but that of a damaged file: it is checked
 * again. */
static enum gz_status fold(sqlite3 *db, const char *path, struct gz_error *error)
{
    struct gz_stamped stamped;
    uint64_t epoch;
    enum gz_status status = gz_db_identify(db, error);
    if (status == GZ_OK) status = gz_inspect_stamp(db, path, &stamped, &epoch, error);
    if (status == GZ_OK) status = check_log(path, &stamped, error);
    if (status != GZ_OK) return status;
    if (stamped.stamp != GZ_STAMP_NONE && stamped.stamp != GZ_STAMP_DAMAGED) {
        gz_db_empty_log(db);
        gz_stamp_turn(path);
    }
    if (stamped.stamp == GZ_STAMP_OPEN) stamped.stamp = GZ_STAMP_LEFT;
    status = fold_log(db, path, error);
    if (stamped.stamp != GZ_STAMP_NONE) gz_stamp_close(path, stamped.stamp, stamped.damage);
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
    if (gz_sync_directory(to) != 0) return fail(to, error);
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) != 0) {
        if (errno == EEXIST)
            return gz_fail(error, GZ_CONFLICT, "%s exists already", gz_db_file_name(to));
        return fail(from, error);
    }
    return gz_sync_directory(to) == 0 ? GZ_OK : fail(to, error);
}

enum gz_status gz_store_rename(const char *from, const char *to, struct gz_error *error)
{
    struct gz_owner here, there;
    enum gz_status status = gz_owner_init(&here, from, error);
    if (status != GZ_OK) return status;
    status = gz_owner_init(&there, to, error);
    if (status == GZ_OK) {
        status = rename_file(from, to, error);
        gz_owner_finish(&there);
    }
    gz_owner_finish(&here);
    return status;
}
