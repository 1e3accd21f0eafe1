/* wal.c - SQLite's write-ahead log: the file, what is in it, and when it is copied into the
 * database. */
#include "store/wal.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/status.h"
#include "store/database.h"
#include "store/file_check.h"

/* ---- wal file ---- */

/* The methods that SQLite calls for the log's file. */

static struct gz_wal_file *wal_of(sqlite3_file *file)
{
    return (struct gz_wal_file *)(void *)file->pMethods;
}

/* Bytes from this place to the end of its block. */
static size_t room_after(sqlite3_int64 offset)
{
    return GZ_WAL_BLOCK_BYTES - (size_t)(offset % GZ_WAL_BLOCK_BYTES);
}

/* What could not be written is dropped: SQLite does not commit it. */
static int write_gathered(struct gz_wal_file *wal)
{
    const size_t size = wal->size;
    wal->size = 0;
    return size > 0 ? wal->own->xWrite(wal->file, wal->bytes, (int)size, wal->offset) : SQLITE_OK;
}

/* Adds bytes that end in the block in which they begin. */
static int gather(struct gz_wal_file *wal, const void *bytes, size_t size, sqlite3_int64 offset)
{
    int rc = SQLITE_OK;
    if (offset != wal->offset + (sqlite3_int64)wal->size) rc = write_gathered(wal);
    if (rc != SQLITE_OK) return rc;
    if (wal->size == 0) wal->offset = offset;
    memcpy(wal->bytes + wal->size, bytes, size);
    wal->size += size;
    return room_after(offset) == size ? write_gathered(wal) : SQLITE_OK;
}

static int file_write(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 offset)
{
    const unsigned char *from = bytes;
    size_t left = (size_t)size;
    int rc = SQLITE_OK;
    while (rc == SQLITE_OK && left > 0) {
        const size_t room = room_after(offset), part = left < room ? left : room;
        rc = gather(wal_of(file), from, part, offset);
        from += part;
        offset += (sqlite3_int64)part;
        left -= part;
    }
    return rc;
}

static int file_read(sqlite3_file *file, void *bytes, int size, sqlite3_int64 offset)
{
    struct gz_wal_file *wal = wal_of(file);
    int rc = write_gathered(wal);
    return rc == SQLITE_OK ? wal->own->xRead(file, bytes, size, offset) : rc;
}

static int file_sync(sqlite3_file *file, int flags)
{
    struct gz_wal_file *wal = wal_of(file);
    int rc = write_gathered(wal);
    return rc == SQLITE_OK ? wal->own->xSync(file, flags) : rc;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size)
{
    struct gz_wal_file *wal = wal_of(file);
    int rc = write_gathered(wal);
    return rc == SQLITE_OK ? wal->own->xFileSize(file, size) : rc;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    struct gz_wal_file *wal = wal_of(file);
    int rc = write_gathered(wal);
    return rc == SQLITE_OK ? wal->own->xTruncate(file, size) : rc;
}

void gz_wal_file_init(struct gz_wal_file *wal, sqlite3 *db)
{
    sqlite3_file *file = NULL;
    wal->file = NULL;
    wal->size = 0;
    wal->offset = 0;
    int rc = sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
    if (rc != SQLITE_OK || file == NULL || file->pMethods == NULL) return;
    /* Without this promise SQLite writes on after it has synchronized a commit. */
    const int device = file->pMethods->xDeviceCharacteristics(file);
    if ((device & SQLITE_IOCAP_POWERSAFE_OVERWRITE) == 0) return;
    wal->file = file;
    wal->own = file->pMethods;
    wal->methods = *wal->own;
    wal->methods.xRead = file_read;
    wal->methods.xWrite = file_write;
    wal->methods.xTruncate = file_truncate;
    wal->methods.xSync = file_sync;
    wal->methods.xFileSize = file_size;
    file->pMethods = &wal->methods;
}

void gz_wal_file_finish(struct gz_wal_file *wal)
{
    if (wal->file == NULL) return;
    (void)write_gathered(wal);
    wal->file->pMethods = wal->own;
    wal->file = NULL;
}

/* ---- wal read ---- */

/* Reads the pages of a log. Its format: sqlite.org/fileformat2.html#walformat. */

#define HEADER_BYTES 32
#define FRAME_HEADER_BYTES 24
#define PAGE_BYTES_MAX 65536
/* The last bit says whether checksums are of big-endian numbers. */
#define MAGIC 0x377f0682U
/* Places in the header, and in that of a frame. */
#define PAGE_SIZE_AT 8
#define BEGUN_AT 12
#define SALTS_AT 16
#define SUMMED_BYTES 24
#define COMMIT_AT 4
#define FRAME_SALTS_AT 8
#define FRAME_SUMMED_BYTES 8
#define FRAME_SUM_AT 16
#define SALTS_BYTES 8
/* A server that writes meanwhile may begin the log anew. */
#define TRIES 5

struct sum {
    uint32_t a, b;
};

struct wal {
    int file;
    uint64_t frames;
    size_t page_bytes;
    uint8_t header[HEADER_BYTES];
    uint8_t frame[FRAME_HEADER_BYTES + PAGE_BYTES_MAX];
};

static uint32_t number(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static struct sum sum_at(const uint8_t *bytes)
{
    return (struct sum){number(bytes), number(bytes + 4)};
}

static bool is_same(struct sum one, struct sum other)
{
    return one.a == other.a && one.b == other.b;
}

/* `size` is a multiple of eight. */
static struct sum add(const struct wal *wal, struct sum sum, const uint8_t *bytes, size_t size)
{
    const bool is_big = (number(wal->header) & 1) != 0;
    for (size_t i = 0; i < size; i += 8) {
        uint32_t first = number(bytes + i), second = number(bytes + i + 4);
        if (!is_big) {
            first = __builtin_bswap32(first);
            second = __builtin_bswap32(second);
        }
        sum.a += first + sum.b;
        sum.b += second + sum.a;
    }
    return sum;
}

static int open_log(const char *path)
{
    char *name;
    if (asprintf(&name, "%s-wal", path) < 0) return -1;
    int file = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    free(name);
    return file;
}

static bool read_header(int file, uint8_t header[HEADER_BYTES])
{
    return pread(file, header, HEADER_BYTES, 0) == HEADER_BYTES;
}

static bool is_header(const struct wal *wal)
{
    const size_t size = number(wal->header + PAGE_SIZE_AT);
    return (number(wal->header) & ~1U) == MAGIC && size >= 512 && size <= PAGE_BYTES_MAX &&
           (size & (size - 1)) == 0 &&
           is_same(add(wal, (struct sum){0, 0}, wal->header, SUMMED_BYTES),
                   sum_at(wal->header + SUMMED_BYTES));
}

/* Counting from 0. */
static bool read_frame(struct wal *wal, uint64_t which)
{
    const size_t size = FRAME_HEADER_BYTES + wal->page_bytes;
    return pread(wal->file, wal->frame, size, (off_t)(HEADER_BYTES + which * size)) ==
           (ssize_t)size;
}

/* The frame that was read: whether it was written since the log began anew; whether it follows what
 * has this sum; whether it ends a commit. */
static bool is_of_log(const struct wal *wal)
{
    return memcmp(wal->frame + FRAME_SALTS_AT, wal->header + SALTS_AT, SALTS_BYTES) == 0;
}

static bool follows(const struct wal *wal, struct sum sum)
{
    sum = add(wal, sum, wal->frame, FRAME_SUMMED_BYTES);
    sum = add(wal, sum, wal->frame + FRAME_HEADER_BYTES, wal->page_bytes);
    return is_of_log(wal) && is_same(sum, sum_at(wal->frame + FRAME_SUM_AT));
}

static bool ends_commit(const struct wal *wal)
{
    return number(wal->frame + COMMIT_AT) != 0;
}

/* The first frame that SQLite will not read. */
static uint64_t find_break(struct wal *wal)
{
    struct sum sum = sum_at(wal->header + SUMMED_BYTES);
    uint64_t which = 0;
    while (which < wal->frames && read_frame(wal, which) && follows(wal, sum)) {
        sum = sum_at(wal->frame + FRAME_SUM_AT);
        which++;
    }
    return which;
}

/* How many commits from this frame on were followed by another one: each begins once the one before
 * is on the disk. Frames that a refused commit left do not follow one another. A commit may end
 * with copies of its last frame, which fill the disk's sector. */
static uint64_t count_lost(struct wal *wal, uint64_t from)
{
    uint8_t last[FRAME_HEADER_BYTES] = {0};
    uint64_t lost = 0;
    bool was_commit = false; /* one that cannot be read */
    if (from > 0 && read_frame(wal, from - 1)) memcpy(last, wal->frame, sizeof last);
    for (uint64_t which = from; which < wal->frames && read_frame(wal, which); which++) {
        if (memcmp(last, wal->frame, FRAME_SUMMED_BYTES) != 0) {
            lost += was_commit && follows(wal, sum_at(last + FRAME_SUM_AT));
            was_commit = is_of_log(wal) && ends_commit(wal);
        }
        memcpy(last, wal->frame, sizeof last);
    }
    return lost;
}

static void check(struct wal *wal, const char *name, char fault[GZ_ERROR_BYTES_MAX])
{
    struct stat info;
    if (!read_header(wal->file, wal->header) || fstat(wal->file, &info) != 0) return;
    if (!is_header(wal)) {
        gz_print(fault, GZ_ERROR_BYTES_MAX, "the header of %s-wal is damaged", name);
        return;
    }
    wal->page_bytes = number(wal->header + PAGE_SIZE_AT);
    wal->frames = ((uint64_t)info.st_size - HEADER_BYTES) / (FRAME_HEADER_BYTES + wal->page_bytes);
    const uint64_t broken = find_break(wal), lost = count_lost(wal, broken);
    if (lost > 0)
        gz_print(fault, GZ_ERROR_BYTES_MAX,
                 "page %llu of %s-wal is damaged, so that %llu commits after it cannot be read",
                 (unsigned long long)broken + 1, name, (unsigned long long)lost);
}

static bool has_begun_anew(const struct wal *wal)
{
    uint8_t now[HEADER_BYTES];
    return !read_header(wal->file, now) || memcmp(now, wal->header, HEADER_BYTES) != 0;
}

void gz_wal_check(const char *path, char fault[GZ_ERROR_BYTES_MAX])
{
    struct wal *wal = calloc(1, sizeof *wal);
    fault[0] = '\0';
    if (wal == NULL) return;
    wal->file = open_log(path);
    bool is_sure = wal->file < 0;
    for (int i = 0; i < TRIES && !is_sure; i++) {
        fault[0] = '\0';
        check(wal, gz_db_file_name(path), fault);
        is_sure = fault[0] == '\0' || !has_begun_anew(wal);
    }
    if (!is_sure) fault[0] = '\0';
    if (wal->file >= 0) close(wal->file);
    free(wal);
}

bool gz_wal_holds(const char *path)
{
    struct stat info;
    char *name;
    if (asprintf(&name, "%s-wal", path) < 0) return true;
    bool holds = lstat(name, &info) == 0 && info.st_size > 0;
    free(name);
    return holds;
}

/* Each time that the log begins anew SQLite adds 1 to the count in its header and to the first
 * salt. */
bool gz_wal_life(const char *path, uint32_t *life)
{
    struct wal *wal = calloc(1, sizeof *wal);
    int file = wal != NULL ? open_log(path) : -1;
    bool is_read = file >= 0 && read_header(file, wal->header) && is_header(wal);
    if (is_read) *life = number(wal->header + SALTS_AT) - number(wal->header + BEGUN_AT);
    if (file >= 0) close(file);
    free(wal);
    return is_read;
}

/* ---- checkpointer ---- */

/* The thread that copies a log. */

/* Whether the connection, which opens its files by name, has those of the writer. Before it reads
 * it has opened the database only: with another file of that name it would go on to empty the index
 * of the log, which the writer uses. */
static bool has_files(const struct gz_checkpointer *checkpointer, sqlite3 *db)
{
    int moved = 0;
    return sqlite3_file_control(db, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK &&
           moved == 0 && gz_named_file_is_there(&checkpointer->file, NULL) &&
           gz_named_file_is_there(&checkpointer->log, NULL);
}

static void pass(sqlite3 *db)
{
    (void)sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
}

/* SQLite synchronizes the database only with the last page of the log, which the writer copies. */
static void synchronize(sqlite3 *db)
{
    sqlite3_file *file = NULL;
    int rc = sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (rc == SQLITE_OK && file != NULL && file->pMethods != NULL)
        (void)file->pMethods->xSync(file, SQLITE_SYNC_NORMAL);
}

static void copy(const struct gz_checkpointer *checkpointer, sqlite3 *db)
{
    struct gz_error error;
    int64_t version; /* read so that SQLite opens the log */
    if (!has_files(checkpointer, db) ||
        gz_db_integer(db, "PRAGMA schema_version", &version, &error) != GZ_OK ||
        !has_files(checkpointer, db))
        return;
    pass(db);
    if (checkpointer->has_much) synchronize(db);
    pass(db); /* what was committed meanwhile */
}

/* After a failure the writer's own checkpoint copies everything. */
static void run(void *context)
{
    struct gz_checkpointer *checkpointer = context;
    struct gz_error error;
    sqlite3 *db;
    if (gz_db_open(checkpointer->file.path, SQLITE_OPEN_READWRITE, &db, &error) == GZ_OK) {
        sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        copy(checkpointer, db);
        sqlite3_close(db);
    }
    atomic_store(&checkpointer->is_over, true);
}

bool gz_checkpointer_start(struct gz_checkpointer *checkpointer, bool has_much)
{
    if (checkpointer->has_thread) return true;
    checkpointer->has_much = has_much;
    atomic_store(&checkpointer->is_over, false);
    checkpointer->has_thread = uv_thread_create(&checkpointer->thread, run, checkpointer) == 0;
    return checkpointer->has_thread;
}

void gz_checkpointer_finish(struct gz_checkpointer *checkpointer)
{
    if (checkpointer->has_thread) uv_thread_join(&checkpointer->thread);
    checkpointer->has_thread = false;
}
