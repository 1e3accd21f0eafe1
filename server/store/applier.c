/* applier.c - writes the changes of a log into a file that no store has open, and puts copies in
 * the place of files. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/maxima.h"
#include "store/internal.h"
#include "store/owner.h"
#include "store/rows.h"
#include "store/ship.h"
#include "store/stamp.h"
#include "store/wal_read.h"

/* Pages of the write-ahead log after which SQLite copies them into the file. */
#define WAL_CHECKPOINT_PAGES 2000

/* Tables of a scene are fewer; a further one is looked at each time. */
#define TABLES_KNOWN_MAX 32

struct gz_applier {
    char *path;
    struct gz_owner owner;
    sqlite3 *db;
    struct gz_place place;
    char *wal_path;
    ino_t wal_inode;
    bool is_unchecked;      /* as a whole, since a crash */
    struct gz_buffer added; /* changes that are not applied yet, one after the other */
    size_t added_sizes[GZ_CLUSTER_BATCH_CHANGES], added_count;
    char known[TABLES_KNOWN_MAX][128]; /* tables that are as those of changes: keys and name */
    size_t known_count;
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
    enum gz_status status = gz_db_reader_open(&reader, path, GZ_GATE_OURS, error);
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
    gz_stamp_turn(applier->path);
    if (status == GZ_OK) status = gz_db_use_wal(applier->db, error);
    /* The epochs of the log come into the file. */
    if (status == GZ_OK) gz_stamp_open(applier->path, epoch, GZ_COUNTER_MAX);
    if (status == GZ_OK) status = gz_db_make(applier->db, error);
    sqlite3_wal_autocheckpoint(applier->db, WAL_CHECKPOINT_PAGES);
    if (status == GZ_OK) status = read_place(applier->db, &applier->place, error);
    if (lstat(applier->wal_path, &wal) == 0) applier->wal_inode = wal.st_ino;
    return status;
}

static enum gz_status open_file(struct gz_applier *applier, struct gz_error *error)
{
    struct stat file;
    struct gz_inspected inspected;
    if (lstat(applier->path, &file) != 0 && errno == ENOENT)
        return gz_fail(error, GZ_UNKNOWN_SCENE, "there is no file %s",
                       gz_db_file_name(applier->path));
    enum gz_status status = gz_owner_init(&applier->owner, applier->path, error);
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
        gz_stamp_turn(applier->path);
    }
    sqlite3_close(applier->db);
    if (is_there)
        gz_stamp_close(applier->path, applier->is_unchecked ? GZ_STAMP_LEFT : GZ_STAMP_CLOSED, "");
    else if (has_log(applier))
        unlink(applier->wal_path);
}

void gz_applier_close(struct gz_applier *applier)
{
    if (applier == NULL) return;
    if (applier->db != NULL) close_file(applier);
    gz_buffer_finish(&applier->added);
    free(applier->wal_path);
    gz_owner_finish(&applier->owner);
    free(applier->path);
    free(applier);
}

/* ---- one change ---- */

static enum gz_status refuse(struct gz_error *error, const char *why)
{
    return gz_fail(error, GZ_STORAGE, "the change of the log is damaged: %s", why);
}

/* Refuses a change of an unknown or different table, which SQLite would silently skip. */
static enum gz_status check_table(sqlite3 *db, const char *table, sqlite3_changeset_iter *change,
                                  struct gz_error *error)
{
    unsigned char *is_key;
    int count, at = 0, rc = sqlite3changeset_pk(change, &is_key, &count);
    if (rc != SQLITE_OK) return refuse(error, sqlite3_errstr(rc));
    struct gz_ask ask = gz_ask_prepare(db, gz_sql_ship[GZ_SQL_SHIP_KEY_COLUMNS]);
    gz_bind_text(&ask, table);
    bool is_same = true;
    for (; is_same && gz_ask_row(&ask); at++)
        is_same = at < count && (is_key[at] != 0) == (sqlite3_column_int(ask.statement, 0) != 0);
    enum gz_status status = gz_ask_end(&ask, GZ_OK, error, "the change of the log");
    if (status != GZ_OK || (is_same && at == count && count > 0)) return status;
    return gz_fail(error, GZ_STORAGE,
                   "the change of the log is damaged, or of another schema: it has the table "
                   "%.64s, which is not "
                   "one of a scene",
                   table);
}

/* ---- the form of a change ---- */

/* The bytes of a change that were not looked at yet. */
struct unread {
    const uint8_t *at, *end;
};

static bool skip(struct unread *unread, uint64_t size)
{
    if (size > (uint64_t)(unread->end - unread->at)) return false;
    unread->at += size;
    return true;
}

/* A count as SQLite writes it, of no more than 35 bits. */
static bool read_count(struct unread *unread, uint64_t *count)
{
    *count = 0;
    for (int i = 0; i < 5 && unread->at < unread->end; i++) {
        const uint8_t byte = *unread->at++;
        *count = *count << 7 | (byte & 0x7f);
        if (byte < 0x80) return true;
    }
    return false;
}

static bool skip_value(struct unread *unread)
{
    uint64_t size;
    if (unread->at == unread->end) return false;
    switch (*unread->at++) {
    case 0: /* the column did not change */
    case SQLITE_NULL: return true;
    case SQLITE_INTEGER:
    case SQLITE_FLOAT: return skip(unread, 8);
    case SQLITE_TEXT:
    case SQLITE_BLOB: return read_count(unread, &size) && skip(unread, size);
    default: return false;
    }
}

/* The header of a table: its columns, a byte for each, and its name. */
static bool skip_table(struct unread *unread, uint64_t *columns)
{
    if (!skip(unread, 1) || !read_count(unread, columns) || !skip(unread, *columns)) return false;
    const uint8_t *end = memchr(unread->at, '\0', (size_t)(unread->end - unread->at));
    if (end == NULL || *columns == 0) return false;
    unread->at = end + 1;
    return true;
}

/* A row: what is done to it, whether indirectly, and its values; of an update those before, too. */
static bool skip_row(struct unread *unread, uint64_t columns)
{
    const uint64_t values = *unread->at == SQLITE_UPDATE ? 2 * columns : columns;
    bool is_good = columns > 0 && skip(unread, 2);
    for (uint64_t i = 0; is_good && i < values; i++) is_good = skip_value(unread);
    return is_good;
}

/* SQLite 3.40 looks for the end of a table's name without end, if the change ends before it. */
static bool has_form(const uint8_t *bytes, size_t size)
{
    struct unread unread = {bytes, bytes + size};
    uint64_t columns = 0;
    bool is_good = true;
    while (is_good && unread.at < unread.end)
        is_good = *unread.at == 'T' ? skip_table(&unread, &columns) : skip_row(&unread, columns);
    return is_good;
}

/* Looks at a table once, with its columns: the schema does not change while the file is open. */
static enum gz_status know_table(struct gz_applier *applier, const char *table,
                                 sqlite3_changeset_iter *change, struct gz_error *error)
{
    char name[sizeof applier->known[0]] = "";
    unsigned char *is_key;
    int count, rc = sqlite3changeset_pk(change, &is_key, &count);
    if (rc != SQLITE_OK) return refuse(error, sqlite3_errstr(rc));
    if ((size_t)count + strlen(table) + 2 > sizeof name)
        return check_table(applier->db, table, change, error);
    for (int i = 0; i < count; i++) name[i] = is_key[i] != 0 ? '1' : '0';
    snprintf(name + count, sizeof name - (size_t)count, " %s", table);
    for (size_t i = 0; i < applier->known_count; i++)
        if (strcmp(applier->known[i], name) == 0) return GZ_OK;
    enum gz_status status = check_table(applier->db, table, change, error);
    if (status == GZ_OK && applier->known_count < TABLES_KNOWN_MAX)
        memcpy(applier->known[applier->known_count++], name, sizeof name);
    return status;
}

/* Reads the whole change once, so that a broken one changes nothing. */
static enum gz_status check_change(struct gz_applier *applier, const uint8_t *bytes, size_t size,
                                   struct gz_error *error)
{
    sqlite3_changeset_iter *change;
    if (size == 0 || size > INT_MAX) return refuse(error, "its size is invalid");
    if (!has_form(bytes, size)) return refuse(error, "its form is invalid");
    int rc = sqlite3changeset_start(&change, (int)size, (void *)bytes);
    if (rc != SQLITE_OK) return refuse(error, sqlite3_errstr(rc));
    char last[64] = "";
    enum gz_status status = GZ_OK;
    while (status == GZ_OK && sqlite3changeset_next(change) == SQLITE_ROW) {
        const char *table;
        int columns, what, is_indirect;
        rc = sqlite3changeset_op(change, &table, &columns, &what, &is_indirect);
        if (rc != SQLITE_OK || strlen(table) >= sizeof last)
            status = refuse(error, "the name of a table is invalid");
        else if (strcmp(table, last) != 0)
            status = know_table(applier, table, change, error);
        if (status == GZ_OK) snprintf(last, sizeof last, "%s", table);
    }
    int end = sqlite3changeset_finalize(change);
    return status == GZ_OK && end != SQLITE_OK ? refuse(error, sqlite3_errstr(end)) : status;
}

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

static enum gz_status apply(struct gz_applier *applier, uint64_t n, const uint8_t *bytes,
                            size_t size, struct gz_place *place, struct gz_error *error)
{
    struct gz_error conflict = {.status = GZ_OK};
    int rc = sqlite3changeset_apply(applier->db, (int)size, (void *)bytes, NULL, handle_conflict,
                                    &conflict);
    if (conflict.status != GZ_OK) {
        *error = conflict;
        return conflict.status;
    }
    if (rc != SQLITE_OK) return gz_db_fail(applier->db, rc, error, "the change of the log");
    enum gz_status status = read_place(applier->db, place, error);
    if (status == GZ_OK && place->n != n)
        status = refuse(error, "its number is not that of the change");
    return status;
}

/* Applies bytes, which bring the file to place n. */
static enum gz_status apply_alone(struct gz_applier *applier, uint64_t n, const uint8_t *bytes,
                                  size_t size, struct gz_error *error)
{
    struct gz_place place;
    enum gz_status status = gz_db_exec(applier->db, "BEGIN IMMEDIATE", error);
    if (status == GZ_OK) status = apply(applier, n, bytes, size, &place, error);
    if (status == GZ_OK) status = gz_db_exec(applier->db, "COMMIT", error);
    if (status == GZ_OK) applier->place = place;
    if (!sqlite3_get_autocommit(applier->db))
        sqlite3_exec(applier->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

/* ---- many changes ---- */

/* One change that does what the added ones do: a row that many of them change is written once. The
 * bytes are for sqlite3_free. */
static int merge(const struct gz_applier *applier, void **bytes, int *size)
{
    sqlite3_changegroup *group;
    int rc = sqlite3changegroup_new(&group);
    if (rc != SQLITE_OK) return rc;
    const uint8_t *at = applier->added.data;
    for (size_t i = 0; i < applier->added_count && rc == SQLITE_OK; i++) {
        rc = sqlite3changegroup_add(group, (int)applier->added_sizes[i], (void *)(uintptr_t)at);
        at += applier->added_sizes[i];
    }
    if (rc == SQLITE_OK) rc = sqlite3changegroup_output(group, size, bytes);
    sqlite3changegroup_delete(group);
    return rc;
}

static enum gz_status apply_merged(struct gz_applier *applier, struct gz_error *error)
{
    void *bytes = NULL;
    int size = 0, rc = merge(applier, &bytes, &size);
    enum gz_status status = rc == SQLITE_OK
                                ? apply_alone(applier, applier->place.n + applier->added_count,
                                              bytes, (size_t)size, error)
                                : gz_db_fail(applier->db, rc, error, "changes of the log");
    sqlite3_free(bytes);
    return status;
}

/* Finds the one that fails; those before it are applied. */
static enum gz_status apply_each(struct gz_applier *applier, struct gz_error *error)
{
    const uint8_t *at = applier->added.data;
    enum gz_status status = GZ_OK;
    for (size_t i = 0; i < applier->added_count && status == GZ_OK; i++) {
        status = apply_alone(applier, applier->place.n + 1, at, applier->added_sizes[i], error);
        at += applier->added_sizes[i];
    }
    return status;
}

enum gz_status gz_applier_flush(struct gz_applier *applier, struct gz_error *error)
{
    struct gz_error merged;
    enum gz_status status = GZ_OK;
    if (applier->added_count == 0) return GZ_OK;
    if (applier->added_count == 1 || apply_merged(applier, &merged) != GZ_OK)
        status = apply_each(applier, error);
    applier->added_count = 0;
    gz_buffer_finish(&applier->added);
    gz_buffer_init(&applier->added, SIZE_MAX / 2, 0);
    return status;
}

static enum gz_status add(struct gz_applier *applier, const uint8_t *bytes, size_t size,
                          struct gz_error *error)
{
    enum gz_status status = check_change(applier, bytes, size, error);
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
    if (status == GZ_OK) status = check_change(applier, bytes, size, error);
    return status == GZ_OK ? apply_alone(applier, n, bytes, size, error) : status;
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

enum gz_status gz_applier_apply(struct gz_applier *applier, uint64_t n, const uint8_t *bytes,
                                size_t size, struct gz_error *error)
{
    enum gz_status status = gz_applier_add(applier, n, bytes, size, error);
    return status == GZ_OK ? gz_applier_flush(applier, error) : status;
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
    if (rename(from, path) != 0 || gz_sync_directory(path) != 0)
        return gz_fail(error, GZ_STORAGE, "%s: %s", gz_db_file_name(path), strerror(errno));
    gz_stamp_close(path, inspected.is_unchecked ? GZ_STAMP_LEFT : GZ_STAMP_CLOSED, "");
    return GZ_OK;
}

enum gz_status gz_store_install(const char *path, const char *from, struct gz_error *error)
{
    struct gz_owner owner;
    enum gz_status status = gz_owner_init(&owner, path, error);
    if (status != GZ_OK) return status;
    status = replace(path, from, error);
    gz_owner_finish(&owner);
    return status;
}
