/* files.c - a scene's file as a whole: given another name or deleted, with what SQLite keeps beside it. After a crash at any moment
 * the scene is there, whole, under one of its names, or it is gone. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/internal.h"
#include "store/owner.h"

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

void gz_delete_beside(const char *path)
{
    static const char *const endings[] = {"-wal", "-shm", "-journal"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        char *beside;
        if (asprintf(&beside, "%s%s", path, endings[i]) < 0) continue;
        unlink(beside);
        free(beside);
    }
}

static enum gz_status fail(const char *path, struct gz_error *error)
{
    return gz_fail(error, GZ_STORAGE, "%s: %s", gz_db_file_name(path), strerror(errno));
}

/* The database first: what is left beside a name without one is no scene, and goes when a scene of that name is made. The other way
 * round a crash would leave a database without its last edits. */
static enum gz_status delete_files(const char *path, struct gz_error *error)
{
    if (unlink(path) != 0 && errno != ENOENT) return fail(path, error);
    if (gz_sync_directory(path) != 0) return fail(path, error);
    gz_delete_beside(path);
    return gz_sync_directory(path) == 0 ? GZ_OK : fail(path, error);
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

enum gz_status gz_store_tidy(const char *path, struct gz_error *error)
{
    struct gz_owner owner;
    enum gz_status status = gz_owner_init(&owner, path, error);
    if (status != GZ_OK) return status;
    if (access(path, F_OK) != 0 && errno == ENOENT) gz_delete_beside(path);
    gz_owner_finish(&owner);
    return GZ_OK;
}

/* Brings all that is in the write-ahead log into the database, and deletes the log. SQLite does so only while nobody else has the
 * database open, in any program: who had it open under its old name would write beside us under the new one. */
static enum gz_status fold(const char *path, struct gz_error *error)
{
    sqlite3 *db;
    sqlite3_stmt *mode;
    enum gz_status status = gz_db_open(path, SQLITE_OPEN_READWRITE, &db, error);
    if (status != GZ_OK) return status;
    status = gz_db_identify(db, error);
    if (status == GZ_OK) status = gz_db_prepare(db, "PRAGMA journal_mode = DELETE", &mode, error);
    if (status == GZ_OK) {
        int rc = sqlite3_step(mode);
        const char *now = rc == SQLITE_ROW ? (const char *)sqlite3_column_text(mode, 0) : NULL;
        if ((rc & 0xff) == SQLITE_BUSY || (now != NULL && strcmp(now, "delete") != 0))
            status = gz_fail(error, GZ_BAD_STATE, "%s is open in another program, such as sqlite3: close that first",
                             gz_db_file_name(path));
        else if (now == NULL)
            status = gz_db_fail(db, rc, error, gz_db_file_name(path));
        sqlite3_finalize(mode);
    }
    sqlite3_close(db);
    return status;
}

/* The one step that counts is a rename: it is done or not. What a deleted scene left at the new name is cleared away first. */
static enum gz_status rename_file(const char *from, const char *to, struct gz_error *error)
{
    if (access(to, F_OK) == 0) return gz_fail(error, GZ_CONFLICT, "%s is there already", gz_db_file_name(to));
    enum gz_status status = fold(from, error);
    if (status != GZ_OK) return status;
    gz_delete_beside(to);
    if (gz_sync_directory(to) != 0) return fail(to, error);
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) != 0) {
        if (errno == EEXIST) return gz_fail(error, GZ_CONFLICT, "%s is there already", gz_db_file_name(to));
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
